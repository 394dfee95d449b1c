"""Files that are no Python: an error also where no rule could find anything in them.

A file that the engine parses says so by itself. All others are parsed for this alone, once: that takes a few
hundredths of what the engine takes for the rest.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from ms_perflint.core.reports import Problem
from ms_perflint.core.source import Source, SourceError


def unparsable(path: str, raw: bytes) -> Iterator[Problem]:
    """Yield why a file with these bytes, or a cell of it, is no Python."""
    try:
        source = Source(path, raw)
        if not source.is_notebook and _is_python(source):
            return
        from ms_perflint.index.semantic_index import parse  # here, because most files are Python

        parse(source)
    except SourceError as error:
        yield error.problem(path)
        return
    yield from (lost.problem(path) for lost in source.lost)


def _is_python(source: Source) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source.text.decode("utf-8"), source.path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
