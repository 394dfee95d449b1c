"""Files that are no Python: an error, also where no rule could have a finding.

The engine reports files that it parses itself. All others are parsed here, once; that takes a few percent of the
time of the engine.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from ms_perflint.core.reports import Problem
from ms_perflint.core.source import Source, SourceError


def unparsable(path: str, raw: bytes) -> Iterator[Problem]:
    """Yield the syntax errors of a file with these bytes, or of its cells."""
    try:
        source = Source(path, raw)
        if not source.is_notebook and _is_python(source):
            return
        from ms_perflint.index.parsing import parse  # here, because most files are Python

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
