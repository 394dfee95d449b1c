"""The server under load: many files, large ones, many changes, a folder that vanishes.

Order counts, not time: but for a bound that a server which hangs does not keep.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

from editor import PULLING, Editor, editing, uri_of
from front import FIXED, TRAIN
from lsprotocol import types

ONLY = {"select": ["MSP301"]}
FILES = 300
CHANGES = 1000
LARGE = 2_000_000  # bytes
LONGEST = 600  # seconds that a scenario may take on a busy machine


def drive(scenario: Callable[[], Awaitable[None]]) -> None:
    """Run a scenario to its end, in bounded time."""

    async def bounded() -> None:
        await asyncio.wait_for(scenario(), LONGEST)

    asyncio.run(bounded())


async def pulled(editor: Editor, path: Path) -> list[object]:
    """Return the codes of what is found in a document, as an editor asks for them."""
    asked = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri_of(path)))
    report = await editor.client.text_document_diagnostic_async(asked)
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return [each.code for each in report.items]


def test_the_first_lint_of_a_workspace_lets_keystrokes_pass(tmp_path: Path) -> None:
    for number in range(FILES):
        (tmp_path / f"train{number}.py").write_text(f"number = {number}\n{TRAIN}", encoding="utf-8")
    path = tmp_path / "train0.py"

    async def scenario() -> None:
        async with editing(tmp_path, capabilities=PULLING, options=ONLY) as editor:
            asked = types.WorkspaceDiagnosticParams([])
            whole = asyncio.ensure_future(editor.client.workspace_diagnostic_async(asked))
            editor.open(path)
            assert await pulled(editor, path) == ["MSP301"] and not whole.done()
            for text, found in ((FIXED, []), (TRAIN, ["MSP301"]), (FIXED, [])):
                editor.change(path, text)
                assert await pulled(editor, path) == found and not whole.done()
            report = await whole
            assert len(report.items) == FILES - 1

    drive(scenario)


def test_of_many_rapid_changes_the_last_one_counts(tmp_path: Path) -> None:
    path = tmp_path / "train.py"

    async def scenario() -> None:
        async with editing(tmp_path, options=ONLY) as editor:
            editor.open(path, TRAIN)
            for number in range(CHANGES):
                editor.change(path, f"{FIXED if number % 2 else TRAIN}last = {number}\n")
            assert await editor.found(path) == []
            assert editor.published[uri_of(path)].version == CHANGES + 1
            assert editor.messages == []

    drive(scenario)


def test_a_notebook_with_too_much_code_says_so_until_it_has_less(tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    padding = ["x = '" + "x" * (LARGE // 2) + "'\n"] * 2

    async def scenario() -> None:
        async with editing(tmp_path, options=ONLY) as editor:
            first, second, cell = editor.open_notebook(path, [*padding, TRAIN])
            (said,) = await editor.found(first)
            assert "not judged" in said and await editor.found(cell) == []
            editor.remove_cell(second, 1)
            editor.edit_cell(
                first, [types.TextEdit(types.Range(types.Position(0, 0), types.Position(1, 0)), "x = 1\n")]
            )
            await editor.until_found(cell, "MSP301")
            await editor.until_found(first)

    drive(scenario)


def test_a_folder_that_vanishes_leaves_what_is_open(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    path, other = folder / "train.py", folder / "other.py"
    for each in (path, other):
        each.write_text(TRAIN, encoding="utf-8")

    async def scenario() -> None:
        async with editing(folder, capabilities=PULLING, options=ONLY) as editor:
            editor.open(path)
            assert await pulled(editor, path) == ["MSP301"]
            shutil.rmtree(folder)
            editor.say_changed(path, other)
            assert await pulled(editor, path) == ["MSP301"]
            editor.change(path, FIXED)
            assert await pulled(editor, path) == []
            report = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
            assert list(report.items) == []
            assert editor.messages == []

    drive(scenario)
