"""The open documents of an editor, as an overlay over the disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Optional

from lsprotocol.types import NotebookDocument
from pygls import uris
from pygls.workspace import TextDocument, Workspace

from ms_perflint.core.source import NOTEBOOK
from ms_perflint.server.cells import PYTHON, Document, as_file, cells_of

FILE, UNTITLED = "file", "untitled"
SUFFIX = ".py"


@dataclass(frozen=True)
class Buffer:
    """One open document, or one open notebook, saved or not."""

    uri: str  # in the spelling of the editor
    path: str  # absolute; for an untitled document a possible name
    text: str
    version: Optional[int]
    is_python: bool
    is_untitled: bool
    cells: tuple[Document, ...] = ()  # of a notebook

    @property
    def documents(self) -> tuple[Document, ...]:
        """Return the documents that the editor shows: the text itself, or each cell."""
        return self.cells or (Document(self.uri, self.version),)

    @property
    def raw(self) -> bytes:
        """Return the text as bytes of a file. Raises SourceError if its encoding cannot represent it."""
        from ms_perflint.core.source import encoded

        return encoded(self.text)


def opened(documents: Iterable[TextDocument], notebooks: Workspace) -> tuple[Buffer, ...]:
    """Return the buffers of all documents that are files or will be, without those of diff views or output panes."""
    of_notebooks = (_of_notebook(notebook, notebooks) for notebook in notebooks.notebook_documents.values())
    texts = (text for text in documents if notebooks.get_notebook_document(cell_uri=text.uri) is None)
    return tuple(buffer for buffer in (*of_notebooks, *map(_of_text, texts)) if buffer is not None)


def _of_text(document: TextDocument) -> Optional[Buffer]:
    path = path_of(document.uri)
    if path is None:
        return None
    is_python = document.language_id == PYTHON or (not document.language_id and path.endswith(SUFFIX))
    is_untitled = uris.uri_scheme(document.uri) == UNTITLED
    return Buffer(document.uri, path, document.source, document.version, is_python, is_untitled)


def _of_notebook(notebook: NotebookDocument, notebooks: Workspace) -> Optional[Buffer]:
    path = path_of(notebook.uri, NOTEBOOK)
    if path is None or not path.endswith(NOTEBOOK):
        return None
    cells = tuple(cells_of(notebook, notebooks))
    is_untitled = uris.uri_scheme(notebook.uri) == UNTITLED
    documents = tuple(cell.document for cell in cells)
    return Buffer(notebook.uri, path, as_file(cells), notebook.version, True, is_untitled, documents)


def path_of(uri: str, suffix: str = SUFFIX) -> Optional[str]:
    """Return the path of a document; None for one that is no file."""
    scheme = uris.uri_scheme(uri)
    if scheme == UNTITLED:
        name = os.path.basename(uris.urlparse(uri)[2]) or UNTITLED
        return os.path.abspath(name if name.endswith(suffix) else name + suffix)
    path = uris.to_fs_path(uri) if scheme == FILE else None
    return os.path.normpath(path) if path else None


def uri_of(path: str, buffers: Iterable[Buffer], cell: int = 0) -> str:
    """Return the URI of a file or cell; for an open one, the editor's URI."""
    for buffer in buffers:
        if buffer.path == path:
            return next((document.uri for document in buffer.cells if document.cell == cell), buffer.uri)
    return uris.from_fs_path(path) or path


def find(uri: str, buffers: Iterable[Buffer]) -> tuple[str, int]:
    """Return the path of the document with a URI, and the number of the cell; "" for one that is no file."""
    for buffer in buffers:
        for document in buffer.documents:
            if uri in (document.uri, buffer.uri):
                return buffer.path, document.cell if uri == document.uri else 0
    return path_of(uri) or "", 0
