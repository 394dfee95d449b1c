"""The messages of an editor: each is handled or refused alone, so that an invalid one affects no other.

pygls reads messages with `Content-Length` in that spelling only, and does not respond to a request that it cannot
parse. `Incoming` is between it and the standard input, `Protocol` between its parser and its handlers.
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

NO_JSON = (ValueError, RecursionError)  # raised for an invalid message
RESULTS = ("result", "error")  # what an answer holds, one of them
PART = 1 << 20  # bytes read at once from a message that is too large


class Incoming:
    """The standard input for pygls: each message follows the one header line that pygls knows."""

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
        """Return the message behind the header; invalid JSON if it cannot be read."""
        return self._stream.read(size) if self._is_usable else b"?"

    def _length(self) -> Optional[int]:
        """Return the length of the next message, 0 if its header has none; None at the end of the input."""
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
        """Skip a message."""
        while length > 0 and (part := self._stream.read(min(length, PART))):
            length -= len(part)


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, with an error response to each invalid message."""

    _has_begun = False
    _has_ended = False

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return an object as it is: only whole messages are structured, by `handle_message`."""
        return data

    def handle_message(self, message: Any) -> None:
        """Pass a message on to its handler, or refuse it."""
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
        """Answer a request with an error; the id is None for a request without one."""
        self._send_data({"jsonrpc": self.VERSION, "id": identity, "error": error.to_response_error()})

    def _refuse(self, message: Any, error: JsonRpcException) -> None:
        """Answer an invalid request; write other invalid messages to the editor's log."""
        fields = message if isinstance(message, dict) else {}
        if ("method" in fields) != ("id" in fields) and not fields.keys().isdisjoint(("method", *RESULTS)):
            text = Message("a message of the editor cannot be used: {reason}", reason=error.message)
            params = types.LogMessageParams(types.MessageType.Warning, say(text, chosen(of_environment())))
            self.notify(types.WINDOW_LOG_MESSAGE, params)
        else:
            self.refuse(fields["id"] if _is_identity(fields.get("id")) else None, error)

    def _check(self, message: Any) -> None:
        """Raise JsonRpcException for an invalid message, or one before initialization or after shutdown."""
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
            # an unknown method may have no parameters
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
    """Raise JsonRpcException if one of these is no open document, however its URI is escaped."""
    there = {unquote(each) for each in documents}
    for uri in uris:
        if unquote(uri) not in there:
            raise JsonRpcInvalidParams(f"{JsonRpcInvalidParams.MESSAGE}: {uri} is not open")


def _is_identity(value: object) -> bool:
    """Return whether a value is a valid id of a request."""
    return type(value) in (int, str)
