"""The syntax tree of a source; what keeps it from being parsed is one error of the file."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING, Optional

from ms_perflint.core.source import Source, SourceError
from ms_perflint.languages import Message

if TYPE_CHECKING:
    from ms_perflint.notebooks.notebook import Cell


def parse(source: Source) -> ast.Module:
    """Return the tree of a source. Raises SourceError for a syntax error.

    Cells of a notebook that cannot be parsed on their own are left out.
    """
    try:
        return _tree(source, source.text, 0)
    except SourceError:
        broken = [(cell, error) for cell in source.cells if (error := _refused(source, cell)) is not None]
        if not broken or len(broken) == len(source.cells):
            raise
    source.lose(broken)
    return _tree(source, source.text, 0)


def _refused(source: Source, cell: Cell) -> Optional[SourceError]:
    """Return the syntax error of a cell on its own; None without one."""
    try:
        _tree(source, source.text[cell.start : cell.end], cell.row - 1)
    except SourceError as error:
        return error
    return None


def _tree(source: Source, code: bytes, above: int) -> ast.Module:
    """Return the tree of a part of a source that starts `above` rows further down. Raises SourceError."""
    text = code.decode("utf-8")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = compile(text, source.path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
            assert isinstance(tree, ast.Module)
            return tree
    except SyntaxError as error:
        message = Message("syntax error: {reason}", reason=error.msg)
        raise source.error(message, error.lineno + above if error.lineno else 0, error.offset or 0) from None
    except (RecursionError, MemoryError):
        raise SourceError(Message("the code is nested too deeply to be read")) from None
    except ValueError as error:
        raise SourceError(Message("the file cannot be parsed: {reason}", reason=error)) from None
