"""An editor in tests: a client of the protocol that starts the server as a process and speaks to it over its pipes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from front import environment
from lsprotocol import types
from pygls.lsp.client import LanguageClient

PATIENCE = 120  # seconds until a test gives up waiting for a message
COMMAND = (sys.executable, "-m", "ms_perflint", "server")
PUSHED = types.ClientCapabilities()
PULLING = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    ),
    text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities()),
)
EDITS = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)
    ),
    text_document=types.TextDocumentClientCapabilities(
        code_action=types.CodeActionClientCapabilities(
            disabled_support=True, resolve_support=types.ClientCodeActionResolveOptions(["edit"])
        )
    ),
)


@dataclass
class Document:
    """An open document as the editor has it."""

    uri: str
    text: str
    version: int


class Editor:
    """Opens, changes and closes documents; remembers what the server said."""

    def __init__(self) -> None:
        self.client = LanguageClient("editor", "1")
        self.capabilities: types.ServerCapabilities
        self.documents: dict[str, Document] = {}
        self.cells: dict[str, str] = {}  # of notebooks: the URI of the notebook
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.registered: list[str] = []
        self.refreshed = 0
        self.settings: Mapping[str, Any] = {}
        self.news = asyncio.Condition()
        self._listen(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, lambda said: self.published.update({said.uri: said}))
        self._listen(types.WINDOW_SHOW_MESSAGE, lambda said: self.messages.append(said.message))
        self._listen(types.WINDOW_LOG_MESSAGE, lambda said: self.messages.append(said.message))
        self._listen(types.CLIENT_REGISTER_CAPABILITY, self._register)
        self._listen(types.WORKSPACE_DIAGNOSTIC_REFRESH, self._refresh)
        self._listen(types.WORKSPACE_CONFIGURATION, self._configuration)

    # --- what the server says

    def _listen(self, method: str, handle: Callable[[Any], Any]) -> None:
        async def heard(params: Any) -> Any:
            async with self.news:
                answer = handle(params)
                self.news.notify_all()
                return answer

        self.client.feature(method)(heard)

    def _register(self, params: types.RegistrationParams) -> None:
        self.registered += [each.method for each in params.registrations]

    def _refresh(self, _: None) -> None:
        self.refreshed += 1

    def _configuration(self, params: types.ConfigurationParams) -> list[Any]:
        return [self.settings.get(item.scope_uri or "") for item in params.items]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds: it is looked at again whenever the server has said something."""
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(holds), PATIENCE)

    async def found(self, path: Path | str, row: Optional[str] = None) -> list[str]:
        """Return the codes that are shown in the newest version of a document, once they are there."""
        uri = uri_of(path)
        await self.until(lambda: uri in self.published and self.published[uri].version == self.documents[uri].version)
        return codes(self.published[uri].diagnostics)

    async def until_found(self, path: Path | str, *wanted: str) -> None:
        """Wait until a document shows these codes and no others."""
        uri = uri_of(path)
        await self.until(lambda: uri in self.published and codes(self.published[uri].diagnostics) == sorted(wanted))

    # --- what the editor does

    def open(self, path: Path | str, text: Optional[str] = None, language: str = "python") -> Document:
        """Open a file with its text, or with another one that is not saved."""
        uri = uri_of(path)
        if text is None:
            text = Path(path).read_bytes().decode("utf-8")
        self.documents[uri] = Document(uri, text, 1)
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text))
        )
        return self.documents[uri]

    def change(self, path: Path | str, text: str) -> None:
        """Type until a document has this text."""
        document = self.documents[uri_of(path)]
        document.text, document.version = text, document.version + 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(uri=document.uri, version=document.version),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    def close(self, path: Path | str) -> None:
        """Close a document without saving it."""
        uri = uri_of(path)
        del self.documents[uri]
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))

    # --- notebooks

    def open_notebook(self, path: Path | str, texts: Sequence[str]) -> list[str]:
        """Open a notebook with these cells of Python; return their URIs."""
        uris = [self._new_cell(path, text) for text in texts]
        self.client.notebook_document_did_open(
            types.DidOpenNotebookDocumentParams(
                types.NotebookDocument(uri_of(path), "jupyter-notebook", 1, [_cell(uri) for uri in uris]),
                [self._item(uri) for uri in uris],
            )
        )
        return uris

    def edit_cell(self, uri: str, edits: Sequence[types.TextEdit]) -> None:
        """Type into a cell: an editor sends what has changed, from below to above, and not the whole text."""
        document = self.documents[uri]
        document.text, document.version = applied(document.text, edits), document.version + 1
        ordered = sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True)
        changes = [types.TextDocumentContentChangePartial(edit.range, edit.new_text) for edit in ordered]
        where = types.VersionedTextDocumentIdentifier(uri=uri, version=document.version)
        content = types.NotebookDocumentCellContentChanges(where, changes)
        self._change_notebook(self.cells[uri], types.NotebookDocumentCellChanges(text_content=[content]))

    def add_cell(self, path: Path | str, index: int, text: str) -> str:
        """Add a cell in front of that index; return its URI."""
        uri = self._new_cell(path, text)
        change = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(index, 0, [_cell(uri)]), did_open=[self._item(uri)]
        )
        self._change_notebook(uri_of(path), types.NotebookDocumentCellChanges(structure=change))
        return uri

    def remove_cell(self, uri: str, index: int) -> None:
        """Remove a cell, the one of that index."""
        change = types.NotebookDocumentCellChangeStructure(
            types.NotebookCellArrayChange(index, 1), did_close=[types.TextDocumentIdentifier(uri)]
        )
        self._change_notebook(self.cells.pop(uri), types.NotebookDocumentCellChanges(structure=change))

    def close_notebook(self, path: Path | str) -> None:
        """Close a notebook without saving it."""
        uris = [uri for uri, notebook in self.cells.items() if notebook == uri_of(path)]
        self.client.notebook_document_did_close(
            types.DidCloseNotebookDocumentParams(
                types.NotebookDocumentIdentifier(uri_of(path)), [types.TextDocumentIdentifier(uri) for uri in uris]
            )
        )

    def _new_cell(self, path: Path | str, text: str) -> str:
        uri = f"vscode-notebook-cell:{uri_of(path).partition(':')[2]}#W{len(self.documents)}sZmlsZQ%3D%3D"  # as VS Code
        self.documents[uri], self.cells[uri] = Document(uri, text, 1), uri_of(path)
        return uri

    def _item(self, uri: str) -> types.TextDocumentItem:
        return types.TextDocumentItem(uri, "python", 1, self.documents[uri].text)

    def _change_notebook(self, notebook: str, cells: types.NotebookDocumentCellChanges) -> None:
        self.client.notebook_document_did_change(
            types.DidChangeNotebookDocumentParams(
                types.VersionedNotebookDocumentIdentifier(uri=notebook, version=2),
                types.NotebookDocumentChangeEvent(cells=cells),
            )
        )

    # --- files, and what is offered

    def say_changed(self, *paths: Path) -> None:
        """Say that files have changed on the disk."""
        events = [types.FileEvent(uri_of(path), types.FileChangeType.Changed) for path in paths]
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))

    async def actions(self, path: Path | str, where: types.Range, *only: str) -> list[types.CodeAction]:
        """Return what is offered for a range."""
        context = types.CodeActionContext([], list(only) or None)
        identifier = types.TextDocumentIdentifier(uri_of(path))
        found = await self.client.text_document_code_action_async(types.CodeActionParams(identifier, where, context))
        return [action for action in found or () if isinstance(action, types.CodeAction)]

    async def take(self, action: types.CodeAction) -> None:
        """Take an action: change the documents as it says."""
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        assert action.edit is not None, action.title
        for uri, edits in _edits(action.edit):
            if uri in self.cells:
                self.edit_cell(uri, edits)
                continue
            path = path_of(uri)
            text = self.documents[uri].text if uri in self.documents else Path(path).read_bytes().decode("utf-8")
            self.documents.setdefault(uri, Document(uri, text, 0))
            self.change(path, applied(text, edits))


def _cell(uri: str) -> types.NotebookCell:
    return types.NotebookCell(types.NotebookCellKind.Code, uri)


def _edits(edit: types.WorkspaceEdit) -> list[tuple[str, Sequence[Any]]]:
    if edit.document_changes is None:
        return list((edit.changes or {}).items())
    assert all(isinstance(change, types.TextDocumentEdit) for change in edit.document_changes)
    return [(change.text_document.uri, change.edits) for change in edit.document_changes]  # type: ignore[union-attr]


def applied(text: str, edits: Sequence[types.TextEdit]) -> str:
    """Return a text with edits made, as an editor that counts in UTF-16 makes them."""
    lines = text.replace("\r\n", "\n\0").replace("\r", "\n").replace("\n\0", "\r\n").split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(f"{line}\n".encode("utf-16-le")))
    raw = text.encode("utf-16-le")

    def offset(position: types.Position) -> int:
        return starts[position.line] + 2 * position.character

    for edit in sorted(edits, key=lambda edit: offset(edit.range.start), reverse=True):
        raw = raw[: offset(edit.range.start)] + edit.new_text.encode("utf-16-le") + raw[offset(edit.range.end) :]
    return raw.decode("utf-16-le")


def codes(found: Sequence[types.Diagnostic]) -> list[str]:
    """Return the codes of diagnostics, sorted; the message of one that has none."""
    return sorted(str(each.code or each.message) for each in found)


def uri_of(path: Path | str) -> str:
    """Return the URI of a path; what is one already stays as it is."""
    return path.as_uri() if isinstance(path, Path) else path


def path_of(uri: str) -> Path | str:
    """Return the path of a file's URI."""
    from pygls.uris import to_fs_path

    path = to_fs_path(uri)
    return Path(path) if path else uri


@asynccontextmanager
async def editing(
    *folders: Path,
    capabilities: types.ClientCapabilities = PUSHED,
    options: Any = None,
    locale: Optional[str] = None,
) -> AsyncIterator[Editor]:
    """Give an editor with these folders; when it leaves, the server must have gone with 0 and without a word."""
    editor = Editor()
    await editor.client.start_io(*COMMAND, cwd=str(folders[0]) if folders else None, env=environment())
    server = editor.client._server
    assert server is not None and server.stderr is not None
    begun = await asyncio.wait_for(
        editor.client.initialize_async(
            types.InitializeParams(
                capabilities=capabilities,
                initialization_options=options,
                locale=locale,
                workspace_folders=[types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders],
            )
        ),
        PATIENCE,
    )
    editor.capabilities = begun.capabilities
    editor.client.initialized(types.InitializedParams())
    try:
        yield editor
    except BaseException:
        server.kill()
        raise
    await asyncio.wait_for(editor.client.shutdown_async(None), PATIENCE)
    editor.client.exit(None)
    said = await asyncio.wait_for(server.stderr.read(), PATIENCE)
    assert (await asyncio.wait_for(server.wait(), PATIENCE), said) == (0, b"")
    await editor.client.stop()
