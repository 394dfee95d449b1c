"""Code actions on findings: fixes, all safe fixes of a file, and suppression comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Optional

from lsprotocol import types

from ms_perflint.config.settings import Config
from ms_perflint.core.files import Files
from ms_perflint.core.findings import Edit, Finding, Safety
from ms_perflint.core.source import NOTEBOOK, Source
from ms_perflint.fixes import noqa
from ms_perflint.fixes.writing import Change
from ms_perflint.languages import Message, say
from ms_perflint.report.text import labelled
from ms_perflint.server.buffers import Buffer, find, uri_of
from ms_perflint.server.cells import edits as cell_edits
from ms_perflint.server.diagnostics import of_finding
from ms_perflint.server.linting import Checked, Linting, State, language_of
from ms_perflint.server.places import Columns, touch

FIX_ALL = "source.fixAll.ms-perflint"
FIX_ALL_OF_FILE = (FIX_ALL,)
FIX_ALL_OF_NOTEBOOK = (FIX_ALL, f"notebook.{FIX_ALL}")  # VS Code requests the second one when a notebook is saved
KINDS = (types.CodeActionKind.QuickFix, *FIX_ALL_OF_NOTEBOOK)


@dataclass(frozen=True)
class Client:
    """The capabilities of the editor for edits and actions."""

    columns: Columns
    versions: bool  # edits may have the version of their document
    disabled: bool  # disabled actions may be shown
    resolve: bool  # the edit of an action may be computed when it is chosen


def is_wanted(kind: str, only: Optional[Sequence[str]]) -> bool:
    """Return whether the editor requests actions of a kind, or of one that contains it."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def quick_fixes(
    checked: Checked, uri: str, where: types.Range, buffers: Sequence[Buffer], client: Client
) -> Iterator[types.CodeAction]:
    """Yield the actions on the findings in a range: safe fixes first, suppression comments last."""
    cell = find(uri, buffers)[1]
    shown = [finding for finding in checked.findings if finding.place.cell == cell]
    here = [finding for finding in shown if touch(_range(finding, checked, client), where)]
    fixes = [action for finding in here if (action := _fix(finding, checked, buffers, client)) is not None]
    yield from sorted(fixes, key=lambda action: not action.is_preferred)
    for finding in here:
        yield _suppression(finding, checked, buffers, client)


def config_fixes(
    path: str, where: types.Range, checked: Iterable[Checked], buffers: Sequence[Buffer], client: Client
) -> Iterator[types.CodeAction]:
    """Yield the fixes of the findings that depend on a range of a config file."""
    for one in checked:
        for finding in one.findings:
            places = [related.place for related in finding.related if related.place.path == path]
            here = (client.columns.rest_of_line(place, one.sources.get(path)) for place in places)
            if any(touch(each, where) for each in here):
                fix = _fix(finding, one, buffers, client)
                yield from [fix] if fix is not None else []


def _fix(finding: Finding, checked: Checked, buffers: Sequence[Buffer], client: Client) -> Optional[types.CodeAction]:
    """Return the action that applies a fix; None without one, or if it cannot be offered."""
    trust = checked.config.trust(finding)
    if finding.fix is None or trust is None or (trust is Safety.DISPLAY and not client.disabled):
        return None
    edit = workspace_edit(finding.fix.edits, checked, buffers, client)
    if edit is None:
        return None
    is_shown_only, language = trust is Safety.DISPLAY, language_of(checked.config)
    by_hand = say(Message("a person has to finish this fix"), language)
    return types.CodeAction(
        title=say(
            Message("{code}: {advice}", code=finding.code, advice=labelled(finding.fix.trusted(trust))), language
        ),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[of_finding(finding, checked, client.columns, buffers)],
        is_preferred=trust is Safety.SAFE,
        disabled=types.CodeActionDisabled(by_hand) if is_shown_only else None,
        edit=None if is_shown_only else edit,
        data={"safety": trust.value},
    )


def _suppression(finding: Finding, checked: Checked, buffers: Sequence[Buffer], client: Client) -> types.CodeAction:
    """Return the action that adds a suppression comment; its edit is computed when it is chosen."""
    place = finding.place
    title = Message("{code}: suppress here with `# noqa: {code}`", code=finding.code)
    return types.CodeAction(
        title=say(title, language_of(checked.config)),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[of_finding(finding, checked, client.columns, buffers)],
        data={
            "uri": uri_of(place.path, buffers, place.cell),
            "code": finding.code,
            "row": place.row,
            "column": place.column,
        },
    )


def has_safe_fix(checked: Checked) -> bool:
    """Return whether a file has findings with safe fixes."""
    trusted = (Safety.SAFE, Safety.UNSAFE) if checked.config.unsafe_fixes else (Safety.SAFE,)
    return any(checked.config.trust(finding) in trusted for finding in checked.findings)


def fix_all(uri: str, config: Config, kind: str = FIX_ALL) -> types.CodeAction:
    """Return the action that applies all fixes of a file like `--fix`; its edit is computed when it is chosen."""
    title = Message("ms-perflint: apply all safe fixes")
    if config.unsafe_fixes:
        title = Message("ms-perflint: apply all fixes")
    return types.CodeAction(title=say(title, language_of(config)), kind=kind, data={"uri": uri})


def changed_by(data: Mapping[str, object], checked: Checked, linting: Linting, state: State) -> Optional[Change]:
    """Return the change of a file by an action without an edit yet; None without a change."""
    if "code" not in data:
        return linting.fixed(checked, state)
    now = linting.open(state).checked.get(checked.path, checked)
    return _suppressed(data, now, state.files_around(checked.path))


def _suppressed(data: Mapping[str, object], checked: Checked, files: Files) -> Optional[Change]:
    """Return the change that adds a suppression comment; None without a place for it."""
    wanted = tuple(map(data.get, ("code", "row", "column")))
    for finding in checked.findings:
        if (finding.code, finding.place.row, finding.place.column) == wanted:
            return next(iter(noqa.add([finding], files).changes), None)
    return None


def workspace_edit(
    edits: Iterable[Edit], checked: Checked, buffers: Sequence[Buffer], client: Client
) -> Optional[types.WorkspaceEdit]:
    """Return the edits of a fix, with the line ends of their files; None if a file cannot be read or edited."""
    by_uri: dict[str, list[types.TextEdit]] = {}
    for path, group in groupby(sorted(edits), lambda edit: edit.path):
        source, here = checked.sources.get(path), list(group)
        if source is None or (source.is_notebook and not _is_open(path, buffers)):
            return None
        if source.is_notebook:
            by_uri.update(_in_cells(path, source.edited(()), source.edited(here), buffers, client))
            continue
        by_uri[uri_of(path, buffers)] = [
            types.TextEdit(
                client.columns.range(source.place(edit.start), source.place(edit.end), source),
                source.worded(edit),
            )
            for edit in here
        ]
    return _workspace_edit(by_uri, buffers, client)


def _is_open(path: str, buffers: Iterable[Buffer]) -> bool:
    """Return whether a notebook is open as a notebook, and thus edited by cells, not as JSON."""
    return any(buffer.path == path and buffer.cells for buffer in buffers)


def _in_cells(
    path: str, before: bytes, after: bytes, buffers: Sequence[Buffer], client: Client
) -> dict[str, list[types.TextEdit]]:
    """Return the edits that change a notebook into another one, by the URIs of its cells."""
    changed = cell_edits(before, after, client.columns)
    return {uri_of(path, buffers, cell): edits for cell, edits in changed.items()}


def replacing(change: Change, buffers: Sequence[Buffer], client: Client) -> types.WorkspaceEdit:
    """Return the edits that make a change of a whole file, line by line, so that the editor's marks stay in place."""
    path = change.path
    if path.endswith(NOTEBOOK):
        return _workspace_edit(_in_cells(path, change.before, change.after, buffers, client), buffers, client)
    before, after = Source(path, change.before).text, Source(path, change.after).text
    return _workspace_edit({uri_of(path, buffers): client.columns.edits(before, after)}, buffers, client)


def _workspace_edit(
    by_uri: dict[str, list[types.TextEdit]], buffers: Sequence[Buffer], client: Client
) -> types.WorkspaceEdit:
    if not client.versions:
        return types.WorkspaceEdit(changes=dict(by_uri))
    versions = {document.uri: document.version for buffer in buffers for document in buffer.documents}
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=versions.get(uri)), list(edits)
            )
            for uri, edits in by_uri.items()
        ]
    )


def _range(finding: Finding, checked: Checked, client: Client) -> types.Range:
    return client.columns.range(finding.place, finding.end, checked.source)
