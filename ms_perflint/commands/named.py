"""Files that are given by name and are no Python: an error also where no rule could find anything in them.

In directories only files that speak of MindSpore are read that closely: to parse all of a large tree takes many times
as long as to look for the word, and no training program can be in a file without it.
"""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterator, Sequence

from ms_perflint.core.findings import Problem
from ms_perflint.core.source import NOTEBOOK, Files, Source, SourceError


def unparsable(paths: Sequence[str], found: Sequence[str], files: Files) -> Iterator[Problem]:
    """Yield why files that were found, and are among the paths of a command line, are no Python."""
    named = {os.path.abspath(path) for path in paths}
    for path in found:
        if path in named:
            yield from _refused(path, files)


def _refused(path: str, files: Files) -> Iterator[Problem]:
    try:
        raw = files.read(path)
        if not path.endswith(NOTEBOOK):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(raw, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
            return
    except OSError:
        return  # the engine says why
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    from ms_perflint.index.semantic_index import parse  # here, because most files are Python

    try:
        source = Source(path, raw)
        parse(source)
    except SourceError as error:
        yield error.problem(path)
        return
    yield from (lost.problem(path) for lost in source.lost)
