"""What is open in an editor: texts that stand in front of the disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Optional

from pygls import uris
from pygls.workspace import TextDocument

FILE, UNTITLED = "file", "untitled"
SUFFIX = ".py"


@dataclass(frozen=True)
class Buffer:
    """One open document, saved or not."""

    uri: str  # as the editor spells it
    path: str  # absolute; of an untitled one a name that it might get
    text: str
    version: Optional[int]
    is_python: bool
    is_untitled: bool

    @property
    def raw(self) -> bytes:
        """Return the text as bytes of a file. Raises SourceError where its encoding cannot write it."""
        from ms_perflint.source import encoded

        return encoded(self.text)


def opened(documents: Iterable[TextDocument]) -> tuple[Buffer, ...]:
    """Return the buffers of all documents that are files or will be; not what a diff view or an output pane shows."""
    found = []
    for document in documents:
        path = path_of(document.uri)
        if path is not None:
            is_python = document.language_id == "python" or (not document.language_id and path.endswith(SUFFIX))
            is_untitled = uris.uri_scheme(document.uri) == UNTITLED
            found.append(Buffer(document.uri, path, document.source, document.version, is_python, is_untitled))
    return tuple(found)


def path_of(uri: str) -> Optional[str]:
    """Return the path of a document; None for one that is no file."""
    scheme = uris.uri_scheme(uri)
    if scheme == UNTITLED:
        name = os.path.basename(uris.urlparse(uri)[2]) or UNTITLED
        return os.path.abspath(name if name.endswith(SUFFIX) else name + SUFFIX)
    path = uris.to_fs_path(uri) if scheme == FILE else None
    return os.path.normpath(path) if path else None


def uri_of(path: str, buffers: Iterable[Buffer]) -> str:
    """Return the URI of a file: the one that the editor uses for it where it is open."""
    for buffer in buffers:
        if buffer.path == path:
            return buffer.uri
    return uris.from_fs_path(path) or path
