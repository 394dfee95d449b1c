"""Properties of a notebook before and after fixes. Nothing here uses the code under test."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

_STRING = rb'"(?:[^"\\]|\\.)*"'
_CODE = re.compile(
    rb'"(?:source|input)"\s*:\s*(' + _STRING + rb"|\[\s*(?:" + _STRING + rb"\s*,\s*)*(?:" + _STRING + rb")?\s*\])"
)

_TIMED = re.compile(r"^[ \t]*%(?:time|timeit|prun)[ \t]+(?P<code>[^\s-].*)$", re.MULTILINE)


def unlike(before: bytes, after: bytes) -> Iterator[str]:
    """Yield the errors of a notebook whose code was changed."""
    old, new = json.loads(before), json.loads(after)
    if _without_code(old) != _without_code(new):
        yield "something else than code has changed"
    if [_CODE.sub(b"", before)] != [_CODE.sub(b"", after)]:
        yield "the JSON around the code is laid out in another way"
    for one, other in zip(_CODE.findall(before), _CODE.findall(after)):
        if one[:1] != other[:1] or (one != other and not _between(other) <= _between(one)):
            yield "the code is laid out in another way"
    if any(not line for cell in _cells(new) for line in _lines(cell)[:-1]):
        yield "a line is empty, and not the last one"
    if _torn(new) > _torn(old):
        yield "code behind a magic goes on in the next line"
    if _is_valid(old) and not _is_valid(new):
        yield "nbformat refuses it"


def _between(strings: bytes) -> set[bytes]:
    """Return the separator and the surroundings of strings in a list; for an empty list, possible ones."""
    parts = re.split(_STRING, strings)
    inner = set(parts[1:-1])
    return {parts[0], parts[-1], *(inner or {b"," + parts[0][1:]})}


def _cells(notebook: Any) -> list[Any]:
    return list(notebook["cells"] if "cells" in notebook else notebook["worksheets"][0]["cells"])


def _lines(cell: Any) -> list[str]:
    code = cell.get("source", cell.get("input", ""))
    return code if isinstance(code, list) else [code]


def _torn(notebook: Any) -> int:
    """Return the number of rows in which a magic runs code that does not parse alone: IPython reads it by the line."""
    found = 0
    for cell in (cell for cell in _cells(notebook) if cell.get("cell_type") == "code"):
        for match in _TIMED.finditer("".join(_lines(cell))):
            try:
                ast.parse(match["code"].strip())
            except SyntaxError:
                found += 1
    return found


def _without_code(notebook: Any) -> Any:
    """Return a notebook without the code of its code cells."""
    kept = json.loads(json.dumps(notebook))
    for cell in _cells(kept):
        if cell.get("cell_type") == "code":
            cell.pop("source", None)
            cell.pop("input", None)
    return kept


def _is_valid(notebook: Any) -> bool:
    """Return whether a notebook is valid for nbformat."""
    import nbformat

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            nbformat.validate(nbformat.from_dict(notebook), relax_add_props=True)
        except (nbformat.ValidationError, KeyError, TypeError, AttributeError):
            return False
    return True
