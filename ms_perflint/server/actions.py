"""What an editor offers to do about findings: their fixes, all safe fixes of a file, a comment that hides one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from lsprotocol import types

from ms_perflint import noqa
from ms_perflint.config import Config
from ms_perflint.findings import Edit, Finding, Safety
from ms_perflint.languages import Message, say
from ms_perflint.server.buffers import Buffer, uri_of
from ms_perflint.server.diagnostics import of_finding
from ms_perflint.server.linting import Checked, Linting, State, language_of
from ms_perflint.server.places import Columns, touch
from ms_perflint.source import Files, Source

FIX_ALL = "source.fixAll.msPerflint"
KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)


@dataclass(frozen=True)
class Client:
    """What the editor knows of edits and actions."""

    columns: Columns
    versions: bool  # edits may name the version of the document that they are for
    disabled: bool  # actions may be shown that cannot be taken
    resolve: bool  # the edit of an action may be worked out when it is taken


def is_wanted(kind: str, only: Optional[Sequence[str]]) -> bool:
    """Return whether the editor asks for actions of this kind: by itself or by a kind that holds it."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def quick_fixes(
    checked: Checked, where: types.Range, buffers: Sequence[Buffer], client: Client
) -> Iterator[types.CodeAction]:
    """Yield what can be done about the findings in a range: the safe fixes first, comments that hide them last."""
    here = [finding for finding in checked.findings if touch(_range(finding, checked, client), where)]
    fixes = [action for finding in here if (action := _fix(finding, checked, buffers, client)) is not None]
    yield from sorted(fixes, key=lambda action: not action.is_preferred)
    for finding in here:
        yield _suppression(finding, checked, buffers, client)


def _fix(finding: Finding, checked: Checked, buffers: Sequence[Buffer], client: Client) -> Optional[types.CodeAction]:
    """Return the action that makes a fix; None without one, or where it cannot be offered."""
    trust = checked.config.trust(finding)
    if finding.fix is None or trust is None or (trust is Safety.DISPLAY and not client.disabled):
        return None
    edit = workspace_edit(finding.fix.edits, checked, buffers, client)
    if edit is None:
        return None
    is_shown_only, language = trust is Safety.DISPLAY, language_of(checked.config)
    by_hand = say(Message("a person has to finish this fix"), language)
    return types.CodeAction(
        title=say(_title(finding.code, finding.fix.message, trust), language),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[of_finding(finding, checked, client.columns, buffers)],
        is_preferred=trust is Safety.SAFE,
        disabled=types.CodeActionDisabled(by_hand) if is_shown_only else None,
        edit=None if is_shown_only else edit,
    )


def _title(code: str, advice: str, trust: Safety) -> Message:
    """Return what an action does: with a mark where the fix may not be made without a look at it."""
    if trust is Safety.UNSAFE:
        advice = Message("{advice} (unsafe fix)", advice=advice)
    elif trust is Safety.DISPLAY:
        advice = Message("{advice} (shown only)", advice=advice)
    return Message("{code}: {advice}", code=code, advice=advice)


def _suppression(finding: Finding, checked: Checked, buffers: Sequence[Buffer], client: Client) -> types.CodeAction:
    """Return the action that hides a finding by a comment; its edit is worked out when it is taken."""
    place = finding.place
    title = Message("{code}: suppress here with `# noqa: {code}`", code=finding.code)
    return types.CodeAction(
        title=say(title, language_of(checked.config)),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[of_finding(finding, checked, client.columns, buffers)],
        data={"uri": uri_of(place.path, buffers), "code": finding.code, "row": place.row, "column": place.column},
    )


def has_safe_fix(checked: Checked) -> bool:
    """Return whether something in a file is mended without asking."""
    trusted = (Safety.SAFE, Safety.UNSAFE) if checked.config.unsafe_fixes else (Safety.SAFE,)
    return any(checked.config.trust(finding) in trusted for finding in checked.findings)


def fix_all(uri: str, config: Config) -> types.CodeAction:
    """Return the action that makes all fixes of a file as `--fix` does; its edit is worked out when it is taken."""
    title = Message("ms-perflint: make all safe fixes")
    if config.unsafe_fixes:
        title = Message("ms-perflint: make all fixes")
    return types.CodeAction(title=say(title, language_of(config)), kind=FIX_ALL, data={"uri": uri})


def changed_by(
    data: Mapping[str, object], checked: Checked, linting: Linting, state: State
) -> Optional[tuple[Source, bytes]]:
    """Return a file, and what its text becomes by an action whose edit was left open; None where nothing changes."""
    if "code" not in data:
        return linting.mended(checked, state)
    now = linting.open(state).checked.get(checked.path, checked)
    return _suppressed(data, now, state.files_around(checked.path))


def _suppressed(data: Mapping[str, object], checked: Checked, files: Files) -> Optional[tuple[Source, bytes]]:
    """Return a file and its text with the comment that hides a finding; None where there is no place for one."""
    for finding in checked.findings:
        if (finding.code, finding.place.row, finding.place.column) == (data["code"], data["row"], data["column"]):
            for change in noqa.add([finding], files).changes:
                return Source(change.path, change.before), Source(change.path, change.after).text
    return None


def workspace_edit(
    edits: Iterable[Edit], checked: Checked, buffers: Sequence[Buffer], client: Client
) -> Optional[types.WorkspaceEdit]:
    """Return the edits of a fix, in the line ends of their files; None where one of these cannot be read."""
    by_path: dict[str, list[types.TextEdit]] = {}
    for edit in edits:
        source = checked.sources.get(edit.path)
        if source is None:
            return None
        where = client.columns.range(source.place(edit.start), source.place(edit.end), source)
        by_path.setdefault(edit.path, []).append(types.TextEdit(where, edit.text.replace("\n", source.newline)))
    return _workspace_edit(by_path, buffers, client)


def replacing(before: Source, after: bytes, buffers: Sequence[Buffer], client: Client) -> types.WorkspaceEdit:
    """Return the edits that turn a file into another text, line by line, so that the editor's marks stay in place."""
    old, new = before.text.splitlines(keepends=True), after.splitlines(keepends=True)
    edits = []
    for tag, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            places = [before.place(before.starts[row]) for row in (start, end)]
            where = client.columns.range(places[0], places[1], before)
            edits.append(types.TextEdit(where, b"".join(new[first:last]).decode()))
    return _workspace_edit({before.path: edits}, buffers, client)


def _workspace_edit(
    by_path: dict[str, list[types.TextEdit]], buffers: Sequence[Buffer], client: Client
) -> types.WorkspaceEdit:
    uris = {path: uri_of(path, buffers) for path in by_path}
    if not client.versions:
        return types.WorkspaceEdit(changes={uris[path]: edits for path, edits in by_path.items()})
    versions = {buffer.path: buffer.version for buffer in buffers}
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=uris[path], version=versions.get(path)), list(edits)
            )
            for path, edits in by_path.items()
        ]
    )


def _range(finding: Finding, checked: Checked, client: Client) -> types.Range:
    return client.columns.range(finding.place, finding.end, checked.source)
