"""The messages of an editor: each is answered or dropped by itself, and what is wrong with one spoils no other.

pygls reads messages with `Content-Length` in that spelling only, and says nothing of a request that it cannot make
sense of. `Incoming` stands between it and the standard input, `Protocol` between its parser and its handlers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO, Optional
from urllib.parse import unquote

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol

from ms_perflint.core.files import LARGEST
from ms_perflint.languages import Message, chosen, of_environment, say

NO_JSON = (ValueError, RecursionError)  # raised where a message is none
RESULTS = ("result", "error")  # what an answer holds, one of them
PART = 1 << 20  # bytes that are read at once of a message that is too large


class Incoming:
    """The standard input as pygls reads it: in front of each message the one header line that it knows."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lines: list[bytes] = []  # of the header that are left to be read, the last one first
        self._is_usable = True

    def readline(self) -> bytes:
        """Return the next line of a header; nothing at the end of the input."""
        if not self._lines:
            length = self._length()
            if length is None:
                return b""
            self._is_usable = 0 < length <= LARGEST
            if not self._is_usable:
                self._skip(length)
            self._lines = [b"\r\n", b"Content-Length: %d\r\n" % (length if self._is_usable else 1)]
        return self._lines.pop()

    def read(self, size: int) -> bytes:
        """Return the message behind the header; what is no JSON where there is none that can be read."""
        return self._stream.read(size) if self._is_usable else b"?"

    def _length(self) -> Optional[int]:
        """Return how long the next message is, 0 where its header does not say; None at the end of the input."""
        fields: dict[bytes, bytes] = {}
        while line := self._stream.readline():
            if line.strip():
                name, _, value = line.partition(b":")
                fields[name.strip().lower()] = value.strip()
            elif fields:
                length = fields.get(b"content-length", b"")
                return int(length) if length.isdigit() and len(length) < 16 else 0
        return None

    def _skip(self, length: int) -> None:
        """Read over a message."""
        while length > 0 and (part := self._stream.read(min(length, PART))):
            length -= len(part)


class Protocol(LanguageServerProtocol):
    """Answers what is wrong with the error that the protocol has for it."""

    _has_begun = False
    _has_ended = False

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return an object as it is: only whole messages are structured, by `handle_message`."""
        return data

    def handle_message(self, message: Any) -> None:
        """Pass a message on to what handles it, or refuse it."""
        try:
            self._check(message)
            structured = self._structured(message)
        except JsonRpcException as error:
            self._refuse(message, error)
            return
        self._has_begun |= message.get("method") == types.INITIALIZE
        self._has_ended |= message.get("method") == types.SHUTDOWN
        super().handle_message(structured)

    def refuse(self, identity: int | str | None, error: JsonRpcException) -> None:
        """Answer a request with an error; None is for one that does not say which it is."""
        self._send_data({"jsonrpc": self.VERSION, "id": identity, "error": error.to_response_error()})

    def _refuse(self, message: Any, error: JsonRpcException) -> None:
        """Answer a message that cannot be used; of what has no answer, the log of the editor is told."""
        fields = message if isinstance(message, dict) else {}
        if ("method" in fields) != ("id" in fields) and not fields.keys().isdisjoint(("method", *RESULTS)):
            text = Message("a message of the editor cannot be used: {reason}", reason=error.message)
            params = types.LogMessageParams(types.MessageType.Warning, say(text, chosen(of_environment())))
            self.notify(types.WINDOW_LOG_MESSAGE, params)
        else:
            self.refuse(fields["id"] if _is_identity(fields.get("id")) else None, error)

    def _check(self, message: Any) -> None:
        """Raise JsonRpcException for what is no message, or comes before the first request or after the last one."""
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            raise JsonRpcInvalidRequest
        if "id" in message and not _is_identity(message["id"]):
            raise JsonRpcInvalidRequest
        method = message.get("method")
        if "method" not in message and ("id" not in message or message.keys().isdisjoint(RESULTS)):
            raise JsonRpcInvalidRequest
        if "method" not in message or method == types.EXIT:
            return
        if not isinstance(method, str) or self._has_ended or (method == types.INITIALIZE and self._has_begun):
            raise JsonRpcInvalidRequest
        if method != types.INITIALIZE and not self._has_begun:
            raise JsonRpcServerNotInitialized(f"{method} before {types.INITIALIZE}")

    def _structured(self, message: dict[str, Any]) -> Any:
        """Return a message by its type. Raises JsonRpcException, also for a change of a document that is not open."""
        method = message.get("method", "the answer")
        try:
            # of a method that is not known, all that is asked for is that it may have no parameters
            found = super().structure_message({"params": None, **message} if "method" in message else message)
        except JsonRpcException as error:
            raise JsonRpcInvalidParams(f"{JsonRpcInvalidParams.MESSAGE}: {method}") from error
        if isinstance(found, types.DidChangeTextDocumentNotification):
            _check_open([found.params.text_document.uri], self.workspace.text_documents)
        elif isinstance(found, types.DidChangeNotebookDocumentNotification):
            cells = found.params.change.cells or types.NotebookDocumentCellChanges()
            new = (cells.structure.did_open if cells.structure is not None else None) or ()
            _check_open([found.params.notebook_document.uri], self.workspace.notebook_documents)
            there = {*self.workspace.text_documents, *(each.uri for each in new)}
            _check_open([each.document.uri for each in cells.text_content or ()], there)
        return found


def _check_open(uris: Sequence[str], documents: Iterable[str]) -> None:
    """Raise JsonRpcException where one of these is no open document, however its URI is escaped."""
    there = {unquote(each) for each in documents}
    for uri in uris:
        if unquote(uri) not in there:
            raise JsonRpcInvalidParams(f"{JsonRpcInvalidParams.MESSAGE}: {uri} is not open")


def _is_identity(value: object) -> bool:
    """Return whether requests may be distinguished by a value."""
    return type(value) in (int, str)
