"""Notebooks that are open in an editor: each cell is a document, and all cells are one file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Optional

from lsprotocol import types
from pygls.workspace import Workspace

from ms_perflint.notebooks.notebook import codes_of
from ms_perflint.server.places import Columns

PYTHON = "python"


@dataclass(frozen=True)
class Document:
    """A document of an editor: a file, or a cell of one."""

    uri: str
    version: Optional[int]
    cell: int = 0  # from 1; 0 for a file without cells


@dataclass(frozen=True)
class Cell:
    """A cell with what is written in it."""

    document: Document
    text: str
    is_python: bool


def cells_of(notebook: types.NotebookDocument, workspace: Workspace) -> Iterator[Cell]:
    """Yield the cells of a notebook in their order."""
    for number, cell in enumerate(notebook.cells, start=1):
        text = workspace.get_text_document(cell.document)
        is_python = cell.kind is types.NotebookCellKind.Code and (text.language_id or PYTHON) == PYTHON
        yield Cell(Document(cell.document, text.version, number), text.source, is_python)


def as_file(cells: Iterable[Cell]) -> str:
    """Return the notebook in file format, with code only: cells of other kinds keep their place."""
    made: list[dict[str, object]] = [
        {"cell_type": "code" if cell.is_python else "raw", "metadata": {}, "source": cell.text, "outputs": []}
        for cell in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def edits(before: bytes, after: bytes, columns: Columns) -> dict[int, list[types.TextEdit]]:
    """Return the edits that change the cells of one notebook file into those of another, by number of the cell."""
    old, new = dict(codes_of(before)), dict(codes_of(after))
    changed = ((number, old[number].encode(), new[number].encode()) for number in old if old[number] != new[number])
    return {number: columns.edits(one, other) for number, one, other in changed}
