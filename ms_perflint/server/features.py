"""The handlers of requests and notifications."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Optional, Union

from lsprotocol import types
from pygls.uris import to_fs_path
from pygls.workspace import Workspace

from ms_perflint.core.source import NOTEBOOK, PYTHON
from ms_perflint.languages import LANGUAGES
from ms_perflint.server import actions, diagnostics, programs
from ms_perflint.server.actions import Client
from ms_perflint.server.buffers import find, path_of, uri_of
from ms_perflint.server.hover import hover
from ms_perflint.server.language_server import CHUNK, WATCHED, Server
from ms_perflint.server.linting import Checked, State
from ms_perflint.server.places import Columns
from ms_perflint.server.profiles import Profiles
from ms_perflint.server.rounds import Rounds
from ms_perflint.server.settings import SECTION

DocumentReport = Union[types.RelatedFullDocumentDiagnosticReport, types.RelatedUnchangedDocumentDiagnosticReport]
FileReport = Union[types.WorkspaceFullDocumentDiagnosticReport, types.WorkspaceUnchangedDocumentDiagnosticReport]


def register(server: Server) -> None:
    """Register all features except those that depend on the editor."""
    feature = server.feature
    feature(types.INITIALIZE)(initialize)
    feature(types.INITIALIZED)(initialized)
    feature(types.SHUTDOWN)(shut_down)
    feature(types.TEXT_DOCUMENT_DID_OPEN)(opened)
    feature(types.TEXT_DOCUMENT_DID_CHANGE)(changed)
    feature(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    feature(types.TEXT_DOCUMENT_DID_SAVE)(outside_changed)
    feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)(notebook_opened)
    feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)(notebook_changed)
    feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)(notebook_closed)
    feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)(outside_changed)
    feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(outside_changed)
    feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(outside_changed)
    feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(configured)
    feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(list(actions.KINDS), resolve_provider=True))(offer)
    feature(types.CODE_ACTION_RESOLVE)(resolve)
    feature(types.TEXT_DOCUMENT_HOVER)(explain)
    feature("ms-perflint/program")(program)
    feature("ms-perflint/runs")(runs)
    feature("ms-perflint/chooseRun")(choose_run)


# --- beginning and end


def initialize(ls: Server, params: types.InitializeParams) -> None:
    """Take the capabilities and the settings of the editor."""
    can_resolve = "edit" in _properties(params.capabilities)
    ls.client = Client(
        columns=Columns(types.PositionEncodingKind(ls.workspace.position_encoding or "utf-16").value),
        versions=ls.wants("workspace.workspace_edit.document_changes"),
        disabled=ls.wants("text_document.code_action.disabled_support"),
        resolve=can_resolve,
    )
    encoding = ls.workspace.position_encoding
    ls.notebooks = Workspace(None, types.TextDocumentSyncKind.Incremental, position_encoding=encoding)
    ls.rounds = Rounds(ls.state)
    if ls.asks:
        ls.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, types.DiagnosticOptions(True, True, SECTION))(diagnose)
        ls.feature(types.WORKSPACE_DIAGNOSTIC)(diagnose_workspace)
    root = next((to_fs_path(folder.uri) for folder in ls.workspace.folders.values()), ls.workspace.root_path)
    if root is not None and os.path.isdir(root):
        os.chdir(root)  # relative paths, also in messages, start there
    ls.language = _language(params.locale)
    ls.initial = ls.usable(params.initialization_options, {})


def _language(locale: Optional[str]) -> Optional[str]:
    """Return the language of messages for an editor's locale; None for other languages."""
    name = (locale or "").replace("_", "-").partition("-")[0].lower()
    return name if name in LANGUAGES else None


def _properties(capabilities: types.ClientCapabilities) -> Sequence[str]:
    """Return the properties of a code action that the editor can resolve later."""
    document = capabilities.text_document
    action = document.code_action if document else None
    return action.resolve_support.properties if action and action.resolve_support else ()


async def initialized(ls: Server, _: types.InitializedParams) -> None:
    """Register for notifications of changed files outside of the buffers, and of settings."""
    wanted = []
    if ls.wants("workspace.did_change_watched_files.dynamic_registration"):
        watchers = [types.FileSystemWatcher(WATCHED)]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted.append(types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if ls.wants("workspace.did_change_configuration.dynamic_registration"):
        section = types.DidChangeConfigurationRegistrationOptions(SECTION)
        wanted.append(types.Registration("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
    if wanted:
        await ls.client_register_capability_async(types.RegistrationParams(wanted))
    if ls.wants("workspace.configuration"):
        await ls.ask_for_settings()


def shut_down(ls: Server, _: None) -> None:
    """Handle the shutdown request."""
    ls.is_shut_down = True


# --- changes


def opened(ls: Server, _: types.DidOpenTextDocumentParams) -> None:
    """Lint an opened document at once."""
    ls.changed(0)


def changed(ls: Server, _: types.DidChangeTextDocumentParams) -> None:
    """Lint again when typing pauses."""
    ls.changed()


def closed(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    """Use the file on disk again; clear the diagnostics of the closed document."""
    ls.forget(params.text_document.uri)
    ls.changed(0)


def notebook_opened(ls: Server, params: types.DidOpenNotebookDocumentParams) -> None:
    """Lint the cells of an opened notebook at once."""
    ls.notebooks.put_notebook_document(params)
    ls.changed(0)


def notebook_changed(ls: Server, params: types.DidChangeNotebookDocumentParams) -> None:
    """Lint again when typing pauses; clear the diagnostics of removed cells."""
    ls.notebooks.update_notebook_document(params)
    structure = params.change.cells.structure if params.change.cells is not None else None
    for cell in (structure.did_close if structure is not None else None) or ():
        ls.forget(cell.uri, is_cell=True)
    ls.changed()


def notebook_closed(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
    """Use the file on disk again; clear the diagnostics of the cells."""
    ls.notebooks.remove_notebook_document(params)
    for cell in params.cell_text_documents:
        ls.forget(cell.uri, is_cell=True)
    ls.changed(0)


def outside_changed(ls: Server, _: object) -> None:
    """Lint again after a change of files, folders or configurations."""
    ls.changed()


async def configured(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    """Take new settings: request them, or use those in the notification."""
    if ls.wants("workspace.configuration"):
        await ls.ask_for_settings()
        return
    given = params.settings
    ls.set(given.get(SECTION) if isinstance(given, dict) and SECTION in given else given)
    ls.changed(0)


# --- requested diagnostics


async def diagnose(ls: Server, params: types.DocumentDiagnosticParams) -> DocumentReport:
    """Return the diagnostics of a document."""
    uri = params.text_document.uri
    answers = await ls.answers()
    buffers = ls.buffers
    path, cell = find(uri, buffers)
    checked = answers.checked.get(path)
    if checked is None:
        found = ls.of_config(path, answers.checked.values())
    else:
        found = ls.diagnostics(checked, cell, buffers)
    identity = diagnostics.identity(found)
    ls.note_asked(uri, cell > 0)
    for document in (document for buffer in buffers for document in buffer.documents):
        if document.uri == uri:
            ls.told[uri] = document.version, identity
    if params.previous_result_id == identity:
        return types.RelatedUnchangedDocumentDiagnosticReport(identity)
    return types.RelatedFullDocumentDiagnosticReport(found, result_id=identity)


async def diagnose_workspace(ls: Server, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
    """Return the diagnostics of the workspace; a repeated request waits for a change."""
    known = {previous.uri: previous.value for previous in params.previous_result_ids}
    while True:
        number = ls.rounds.number
        reports = await _workspace_reports(ls, known)
        if not known or any(isinstance(report, types.WorkspaceFullDocumentDiagnosticReport) for report in reports):
            return types.WorkspaceDiagnosticReport(reports)
        await ls.rounds.after(number)


async def _workspace_reports(ls: Server, known: dict[str, str]) -> list[FileReport]:
    """Return a report for each file with diagnostics, or that had some at the last request."""
    paths = await ls.rounds.do(ls.rounds.linting.below)
    checked: dict[str, Checked] = {}
    for start in range(0, len(paths), CHUNK):
        work = partial(ls.rounds.linting.files, paths[start : start + CHUNK])
        checked.update((await ls.rounds.do(work)).checked)
    opened = (await ls.answers()).checked  # open documents may have changed since
    checked.update({path: opened[path] for path in opened.keys() & checked.keys()})
    buffers = ls.buffers
    versions = {buffer.path: buffer.version for buffer in buffers}
    gone = (path for uri in known if (path := path_of(uri)) is not None)
    others = dict.fromkeys([*(path for each in checked.values() for path in each.configs), *gone])
    shown = {path: ls.diagnostics(each, 0, buffers) for path, each in checked.items()}
    shown.update({path: ls.of_config(path, checked.values()) for path in others if path not in checked})
    reports: list[FileReport] = []
    for path, found in shown.items():
        uri, version = uri_of(path, buffers), versions.get(path)
        identity = diagnostics.identity(found)
        if known.get(uri) == identity:
            reports.append(
                types.WorkspaceUnchangedDocumentDiagnosticReport(uri=uri, result_id=identity, version=version)
            )
        elif found or uri in known:
            reports.append(
                types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=found, version=version, result_id=identity)
            )
    return reports


# --- code actions and hover


async def offer(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the code actions for the findings in a range, and in the file."""
    uri, only = params.text_document.uri, params.context.only
    answers = await ls.answers()
    path = find(uri, ls.buffers)[0]
    checked = answers.checked.get(path)
    if checked is None:
        return list(actions.config_fixes(path, params.range, answers.checked.values(), ls.buffers, ls.client))
    found: list[types.CodeAction] = []
    if actions.is_wanted(types.CodeActionKind.QuickFix.value, only):
        found += actions.quick_fixes(checked, uri, params.range, ls.buffers, ls.client)
    for kind in actions.FIX_ALL_OF_NOTEBOOK if checked.path.endswith(NOTEBOOK) else actions.FIX_ALL_OF_FILE:
        if actions.is_wanted(kind, only) and actions.has_safe_fix(checked):
            found.append(actions.fix_all(uri, checked.config, kind))
    if ls.client.resolve:
        return found
    return [whole for action in found if (whole := await resolve(ls, action)).edit or whole.disabled]


async def resolve(ls: Server, action: types.CodeAction) -> types.CodeAction:
    """Return an action with its edit."""
    data = action.data if isinstance(action.data, dict) else {}
    uri = data.get("uri")
    checked = await ls.checked(uri) if isinstance(uri, str) else None
    if checked is None:
        return action
    changed = await ls.rounds.do(partial(actions.changed_by, data, checked, ls.rounds.linting))
    if changed is not None:
        action.edit = actions.replacing(changed, ls.buffers, ls.client)
    return action


def _profiled(profiles: Profiles, checked: Checked, state: State) -> Checked:
    return profiles.told(checked, state.files())


async def explain(ls: Server, params: types.HoverParams) -> Optional[types.Hover]:
    """Return the hover text at a place in a document."""
    uri = params.text_document.uri
    checked = await ls.checked(uri)
    if checked is not None and checked.config.profile is not None:
        checked = await ls.rounds.do(partial(_profiled, ls.profiles, checked))
    document = ls.client_capabilities.text_document
    formats = document.hover.content_format if document and document.hover else None
    is_markdown = not formats or types.MarkupKind.Markdown in formats
    if checked is None:
        return None
    return hover(checked, find(uri, ls.buffers)[1], params.position, ls.client.columns, is_markdown)


# --- programs: requests beyond the protocol


async def program(ls: Server, params: object) -> Optional[dict[str, object]]:
    """Return the facts of the program of a document, as a tree; None without a program."""
    path = _file_of(ls, params)
    return await ls.rounds.do(partial(programs.tree_of, path, ls.client.columns, ls.rounds.linting)) if path else None


async def runs(ls: Server, params: object) -> Optional[dict[str, object]]:
    """Return the run configurations of the program of a document, and the chosen one; None without a program."""
    path = _file_of(ls, params)
    found = await ls.rounds.do(partial(programs.runs_of, path, ls.rounds.linting)) if path else None
    if found is None:
        return None
    choice = ls.choices.get(found.entry)
    if choice is not None and choice != found.chosen(choice.run):  # the program has changed meanwhile
        _choose(ls, found, choice.run)
    choice = ls.choices.get(found.entry)
    return {"entry": found.entry, "runs": found.names, "chosen": choice.run if choice is not None else None}


async def choose_run(ls: Server, params: object) -> None:
    """Choose one run configuration of a program, whose findings are shown; without one, all."""
    entry, run = getattr(params, "entry", None), getattr(params, "run", None)
    found = await ls.rounds.do(partial(programs.runs_of, entry, ls.rounds.linting)) if isinstance(entry, str) else None
    if found is not None:
        _choose(ls, found, run)


def _choose(ls: Server, found: programs.Runs, run: object) -> None:
    ls.choices.pop(found.entry, None)
    if isinstance(run, str) and run in found.names:
        ls.choices[found.entry] = found.chosen(run)
    ls.changed(0)


def _file_of(ls: Server, params: object) -> Optional[str]:
    """Return the path of the Python file of a request beyond the protocol; None without one."""
    uri = getattr(getattr(params, "textDocument", None), "uri", None)
    path = find(uri, ls.buffers)[0] if isinstance(uri, str) else ""
    return path if path.endswith(PYTHON) else None
