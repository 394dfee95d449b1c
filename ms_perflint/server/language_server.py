"""The server: the state of one editor, and the messages to it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, Optional, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcParseError, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import Workspace

from ms_perflint.commands.asked import Options
from ms_perflint.core.internal import internal_error
from ms_perflint.core.reports import Problem
from ms_perflint.languages import chosen, of_environment, say
from ms_perflint.server import diagnostics
from ms_perflint.server.actions import Client
from ms_perflint.server.buffers import Buffer, find, opened
from ms_perflint.server.cells import PYTHON, Document
from ms_perflint.server.choices import Choice
from ms_perflint.server.linting import Answers, Checked, State
from ms_perflint.server.profiles import Profiles
from ms_perflint.server.protocol import NO_JSON, Incoming, Protocol
from ms_perflint.server.rounds import Rounds
from ms_perflint.server.settings import SECTION, Folders, Settings, SettingsError, read
from ms_perflint.version import __version__

PAUSE = 0.1  # seconds without an edit before linting starts by itself
CHUNK = 16  # number of workspace files that are linted before another request is handled
WATCHED = "**/*.{py,ipynb,yaml,yml,json,ini,cfg,toml,sh,txt}"


class Server(LanguageServer):
    """The server of one editor, with its open documents and published diagnostics."""

    def __init__(self) -> None:
        cells = types.NotebookDocumentFilterWithCells([types.NotebookCellLanguage(PYTHON)])
        sync = types.NotebookDocumentSyncOptions([cells], save=True)
        super().__init__(SECTION, __version__, types.TextDocumentSyncKind.Full, sync, protocol_cls=Protocol)
        self.notebooks: Workspace  # of their own: editors send edits of cells, whatever is asked for
        self.rounds: Rounds
        self.protocol: Protocol
        self.client: Client
        self.language: Optional[str] = None  # language of the editor
        self.initial: Settings = {}  # defaults for settings of the editor
        self.settings: dict[str, Settings] = {"": {}}  # by folder; "" for all of them
        self.choices: dict[str, Choice] = {}  # of run configurations, by the entry script
        self.profiles = Profiles()
        self.is_shut_down = False
        self.told: dict[str, tuple[Optional[int], str]] = {}  # URI -> version and identity as last published
        self.asked: set[str] = set()  # URIs whose diagnostics the editor requests
        self.errors: tuple[str, ...] = ()  # errors of configurations that were shown
        self._pending: Optional[asyncio.Task[None]] = None

    def report_server_error(self, error: Exception, source: type[PyglsError] | type[JsonRpcException]) -> None:
        """Write an error to the editor's log; an invalid request only gets its response."""
        if source is JsonRpcException and isinstance(error, NO_JSON):
            self.protocol.refuse(None, JsonRpcParseError())
            return
        if isinstance(error, JsonRpcException) and error.code != JsonRpcException.CODE:
            return
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, internal_error(error)))

    # --- state

    def wants(self, capability: str) -> bool:
        """Return whether the editor has a capability, named as in the protocol, in snake case."""
        found: Any = self.client_capabilities
        for name in capability.split("."):
            found = getattr(found, name, None)
        return bool(found)

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """Return the open documents."""
        return opened(self.workspace.text_documents.values(), self.notebooks)

    def state(self, is_current: Callable[[], bool]) -> State:
        """Return the current documents and settings."""
        paths = (to_fs_path(folder.uri) for folder in self.workspace.folders.values())
        root = self.workspace.root_path if not self.workspace.folders else None
        folders = [os.path.normpath(path) for path in (*paths, root) if path]
        common = self.settings[""]
        set_here = (self.settings.get(folder, {}) for folder in ("", *folders))
        options = [Options(**{**self.initial, **common, **each}) for each in set_here]
        return State(
            self.buffers,
            Folders(dict(zip(("", *folders), options)), self.language),
            is_current,
            tuple(self.choices.values()),
        )

    async def checked(self, uri: str) -> Optional[Checked]:
        """Return the current results of an open document; None for one that is not linted."""
        return (await self.answers()).checked.get(find(uri, self.buffers)[0])

    async def answers(self) -> Answers:
        """Return the results of all open documents; show errors of their configuration, once."""
        answers = await self.rounds.latest()
        for error in answers.errors:
            if error not in self.errors:
                self.complain(error)
        self.errors = answers.errors
        return answers

    def complain(self, error: str) -> None:
        """Show errors for the user to fix."""
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"ms-perflint: {error}"))

    @property
    def asks(self) -> bool:
        """Return whether the editor pulls diagnostics, and can be told to refresh; otherwise they are published.

        Without refresh, it would miss findings that an edit of another file changes (Neovim 0.11).
        """
        return self.wants("text_document.diagnostic") and self.wants("workspace.diagnostics.refresh_support")

    def pulls(self, uri: str, is_cell: bool) -> bool:
        """Return whether the editor pulls the diagnostics of a document: then they are not published.

        One that pulls those of files may leave out cells (vscode-languageclient 9.0, lib/common/diagnostic.js:112).
        """
        return self.asks and (not is_cell or uri in self.asked)

    # --- changes

    def changed(self, pause: float = PAUSE) -> None:
        """Record a change, and lint when no other one follows."""
        self.rounds.changed()
        if self._pending is not None:
            self._pending.cancel()
        self._pending = asyncio.ensure_future(self._tell(pause))

    async def _tell(self, pause: float) -> None:
        """Publish current diagnostics, or request a refresh."""
        await asyncio.sleep(pause)
        try:
            answers = await self.answers()
            self._publish(answers)
            if self.asks:
                self._refresh(answers)
        except Exception as error:  # no task awaits this
            self.report_server_error(error, PyglsError)

    def _publish(self, answers: Answers) -> None:
        for document, found in self._shown(answers):
            now = document.version, diagnostics.identity(found)
            if self.told.get(document.uri) != now and not self.pulls(document.uri, document.cell > 0):
                self.told[document.uri] = now
                self.text_document_publish_diagnostics(
                    types.PublishDiagnosticsParams(document.uri, found, document.version)
                )

    def _refresh(self, answers: Answers) -> None:
        """Request a refresh if the findings of a file changed by an edit of another one."""
        for document, found in self._shown(answers):
            version, identity = self.told.get(document.uri, (None, ""))
            is_old = version == document.version and identity != diagnostics.identity(found)
            if is_old and self.pulls(document.uri, document.cell > 0):
                self.workspace_diagnostic_refresh(None)
                return

    def _shown(self, answers: Answers) -> Iterator[tuple[Document, list[types.Diagnostic]]]:
        """Yield all open documents with their diagnostics."""
        buffers = self.buffers
        for buffer in buffers:
            checked = answers.checked.get(buffer.path)
            for document in buffer.documents:
                if checked is None:
                    yield document, self.of_config(buffer.path, answers.checked.values())
                else:
                    yield document, self.diagnostics(checked, document.cell, buffers)

    def of_config(self, path: str, checked: Iterable[Checked]) -> list[types.Diagnostic]:
        """Return the diagnostics of a file that is no Python: the findings that depend on it."""
        return diagnostics.of_config(path, checked, self.client.columns, self.buffers)

    def diagnostics(self, checked: Checked, cell: int, buffers: Sequence[Buffer]) -> list[types.Diagnostic]:
        """Return the diagnostics of a file, or of a cell of it; an internal error affects this file only."""
        try:
            return diagnostics.diagnostics(checked, cell, self.client.columns, buffers)
        except Exception as error:
            failed = Problem(checked.path, 0, 0, internal_error(error), internal=True)
            return [diagnostics.of_problem(failed, checked, self.client.columns)]

    def forget(self, uri: str, is_cell: bool = False) -> None:
        """Clear the diagnostics of a closed document."""
        if self.told.pop(uri, None) is not None and not self.pulls(uri, is_cell):
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        self.asked.discard(uri)

    def note_asked(self, uri: str, is_cell: bool) -> None:
        """Record that the editor pulls the diagnostics of a document; published ones are cleared."""
        if is_cell and uri not in self.asked:
            self.forget(uri, is_cell)
        self.asked.add(uri)

    # --- settings

    def set(self, given: object, folder: str = "") -> None:
        """Set the settings of the editor for a folder."""
        self.settings[folder] = self.usable(given, self.settings.get(folder, {}))

    def usable(self, given: object, before: Settings) -> Settings:
        """Return settings of the editor; for invalid ones, show the error and return the former ones."""
        try:
            return read(given)
        except SettingsError as error:
            self.complain(say(error.args[0], chosen(of_environment(), self.language)))
            return before

    async def ask_for_settings(self) -> None:
        """Ask the editor for its settings, folder by folder."""
        folders = [folder.uri for folder in self.workspace.folders.values()]
        items = [types.ConfigurationItem(scope_uri=uri, section=SECTION) for uri in (None, *folders)]
        with suppress(JsonRpcException):
            found = await self.workspace_configuration_async(types.ConfigurationParams(items))
            for uri, given in zip((None, *folders), found):
                if given is not None:
                    self.set(given, os.path.normpath(to_fs_path(uri) or "") if uri else "")
        self.changed(0)


def serve() -> int:
    """Serve until the editor exits; return 0 after a shutdown request, otherwise 1, as in the protocol."""
    from ms_perflint.server.features import register

    for name in (
        "SIGTERM",
        "SIGINT",
        "SIGHUP",
    ):  # no cleanup is needed, and a read from stdin cannot be interrupted
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    if sys.stdin.isatty():
        print("ms-perflint server waits for an editor to speak to it: see docs/editors.md", file=sys.stderr)
    logging.getLogger("pygls").addHandler(logging.NullHandler())
    server = Server()
    register(server)
    output, sys.stdout = sys.stdout.buffer, sys.stderr  # no other code may write there
    server.start_io(cast(BinaryIO, Incoming(sys.stdin.buffer)), output)
    if hasattr(server, "rounds"):
        server.rounds.end()
    return 0 if server.is_shut_down else 1
