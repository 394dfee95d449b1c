"""Notebooks in an editor: a real client opens them cell by cell, types, and takes what is offered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from editor import EDITS, PULLING, Editor, codes, editing, uri_of
from front import run
from lsprotocol import types
from notebooks import notebook, written

ONLY = {"select": ["MSP301"]}
SETUP = """\
%matplotlib inline
from mindspore import nn
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint

model = Model(net, loss, nn.SGD(net.trainable_params()))"""
CONFIG = """\
%%time
# 设置 😀
config = CheckpointConfig(save_checkpoint_steps=100)"""
TRAINING = "model.train(10, dataset, callbacks=[ModelCheckpoint('net', config=config)])"
CELLS = (SETUP, "!ls", CONFIG, TRAINING)
ALL = types.Range(types.Position(0, 0), types.Position(99, 0))


def drive(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(scenario())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a notebook as it is on the disk: without a finding."""
    file = tmp_path / "train.ipynb"
    file.write_text(written(notebook(["x = 1"])), encoding="utf-8")
    return file


async def all_found(editor: Editor, uris: list[str]) -> list[list[str]]:
    """Return the codes that each cell shows."""
    return [await editor.found(uri) for uri in uris]


def between(row: int, first: int, last: int) -> types.Range:
    """Return a range in one row."""
    return types.Range(types.Position(row, first), types.Position(row, last))


def test_a_finding_shows_in_its_cell_and_follows_what_is_typed(path: Path) -> None:
    async def scenario() -> None:
        async with editing(path.parent, options=ONLY) as editor:
            uris = editor.open_notebook(path, CELLS)
            assert await all_found(editor, uris) == [[], [], ["MSP301"], []]
            (shown,) = editor.published[uris[2]].diagnostics
            end = len(CONFIG.splitlines()[2])
            assert shown.range == between(2, 9, end)
            editor.edit_cell(uris[2], [types.TextEdit(between(2, end - 1, end - 1), ", async_save=True")])
            assert await editor.found(uris[2]) == []
            smile = between(1, 5, 7)  # two units of UTF-16
            back = between(2, end - 1, end + 16)
            editor.edit_cell(uris[2], [types.TextEdit(smile, ":-)"), types.TextEdit(back, "")])
            assert editor.documents[uris[2]].text == CONFIG.replace("😀", ":-)")
            assert await editor.found(uris[2]) == ["MSP301"]

    drive(scenario)


def test_cells_come_and_go(path: Path) -> None:
    async def scenario() -> None:
        async with editing(path.parent, options=ONLY) as editor:
            uris = editor.open_notebook(path, CELLS[:3])
            assert await all_found(editor, uris) == [[], [], []]  # it does not train yet
            training = editor.add_cell(path, 3, TRAINING)
            await editor.until_found(uris[2], "MSP301")
            editor.add_cell(path, 0, "import os")
            assert await editor.found(training) == []
            editor.remove_cell(uris[2], 3)
            await editor.until_found(uris[2])
            config = editor.add_cell(path, 3, CONFIG)
            await editor.until_found(config, "MSP301")
            editor.close_notebook(path)
            await editor.until_found(config)

    drive(scenario)


def test_a_quick_fix_and_a_suppression_edit_their_cell(path: Path) -> None:
    async def scenario() -> None:
        async with editing(path.parent, capabilities=EDITS, options=ONLY) as editor:
            uris = editor.open_notebook(path, CELLS)
            assert await editor.found(uris[2]) == ["MSP301"]
            assert await editor.actions(uris[3], ALL, "quickfix") == []
            fix, _ = await editor.actions(uris[2], ALL, "quickfix")
            await editor.take(fix)
            assert editor.documents[uris[2]].text == CONFIG.replace("100)", "100, async_save=True)")
            assert await editor.found(uris[2]) == []
            row = types.Range(types.Position(2, 0), types.Position(2, len(CONFIG)))
            editor.edit_cell(uris[2], [types.TextEdit(between(2, 51, 68), "")])
            assert editor.documents[uris[2]].text == CONFIG
            assert await editor.found(uris[2]) == ["MSP301"]
            _, suppression = await editor.actions(uris[2], row, "quickfix")
            await editor.take(suppression)
            assert editor.documents[uris[2]].text == f"{CONFIG}  # noqa: MSP301"
            assert await editor.found(uris[2]) == []

    drive(scenario)


@pytest.mark.parametrize("kind", ["source.fixAll", "notebook.source.fixAll"])
def test_all_fixes_are_those_of_the_command_line(kind: str, path: Path) -> None:
    path.write_text(written(notebook(CELLS)), encoding="utf-8")

    async def scenario() -> None:
        async with editing(path.parent, capabilities=EDITS, options=ONLY) as editor:
            uris = editor.open_notebook(path, CELLS)
            await editor.found(uris[2])
            (action,) = await editor.actions(uris[0], ALL, kind)
            assert (action.kind or "").startswith(kind)
            await editor.take(action)
            assert await all_found(editor, uris) == [[], [], [], []]
            assert run("--fix", "--select", "MSP301", path.name, cwd=path.parent).code == 0
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            assert [editor.documents[uri].text for uri in uris] == ["".join(cell["source"]) for cell in cells]

    drive(scenario)


def test_a_notebook_counts_for_the_modules_that_it_imports(path: Path) -> None:
    module = path.parent / "src.py"
    module.write_text(f"from mindspore.train import CheckpointConfig\n{CONFIG.splitlines()[2]}\n", encoding="utf-8")

    async def scenario() -> None:
        async with editing(path.parent, options=ONLY) as editor:
            editor.open(module)
            assert await editor.found(module) == []
            editor.open_notebook(path, (SETUP, "from src import config", TRAINING))
            await editor.until_found(module, "MSP301")

    drive(scenario)


async def pulled(editor: Editor, uri: str) -> list[object]:
    """Return the codes of what is found in a cell, as an editor asks for them."""
    where = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
    report = await editor.client.text_document_diagnostic_async(where)
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return [each.code for each in report.items]


def test_an_editor_that_asks_for_files_alone_is_told_of_cells(path: Path) -> None:
    script = path.with_suffix(".py")

    async def scenario() -> None:
        async with editing(path.parent, capabilities=PULLING, options=ONLY) as editor:
            uris = editor.open_notebook(path, CELLS)
            await editor.until_found(uris[2], "MSP301")
            editor.open(script, "\n".join((SETUP.partition("\n")[2], *CELLS[2:])))
            editor.edit_cell(uris[2], [types.TextEdit(between(2, 0, 0), "# ")])
            await editor.until_found(uris[2])
            assert uri_of(script) not in editor.published  # it can ask
            editor.close_notebook(path)
            await editor.until(lambda: all(not editor.published[uri].diagnostics for uri in uris))

    drive(scenario)


def test_an_editor_that_asks_for_cells_is_not_told_of_them_too(path: Path) -> None:
    async def scenario() -> None:
        async with editing(path.parent, capabilities=PULLING, options=ONLY) as editor:
            uris = editor.open_notebook(path, CELLS)
            await editor.until_found(uris[2], "MSP301")
            assert await pulled(editor, uris[2]) == ["MSP301"]
            await editor.until_found(uris[2])  # else it would be shown twice
            for uri in (uris[2], uris[3]):
                editor.edit_cell(uri, [types.TextEdit(between(0, 0, 0), "# one more\n")])
            assert await pulled(editor, uris[2]) == ["MSP301"]
            await editor.found(uris[3])
            assert codes(editor.published[uris[2]].diagnostics) == []

    drive(scenario)


def test_the_page_shows_over_a_cell_and_a_pull_is_answered(path: Path) -> None:
    async def scenario() -> None:
        async with editing(path.parent, capabilities=PULLING, options=ONLY) as editor:
            uris = editor.open_notebook(path, (*CELLS, "x = 2  # noqa: MSP102"))
            for uri, number in zip(uris, (0, 0, 1, 0, 0)):
                assert len(await pulled(editor, uri)) == number
            texts = []
            for uri, at in ((uris[2], (2, 12)), (uris[4], (0, 18)), (uris[3], (0, 12)), (uris[1], (0, 1))):
                where_it_rests = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(*at))
                hover = await editor.client.text_document_hover_async(where_it_rests)
                texts.append(hover.contents.value if hover else None)  # type: ignore[union-attr]
            assert texts[0].startswith("**MSP301** ") and "(MSP102)" in texts[1]
            assert texts[2:] == [None, None]

    drive(scenario)


def test_a_cell_that_does_not_parse_says_so(path: Path) -> None:
    async def scenario() -> None:
        async with editing(path.parent, options=ONLY) as editor:
            uris = editor.open_notebook(path, (SETUP, "", "y = 1\nx = = 1", TRAINING))
            shown = await all_found(editor, uris)
            (note,) = shown[0]  # on the first line of the notebook: what was not judged, and why
            assert "not judged" in note and "syntax error" in note
            assert ["syntax error" in "".join(said) for said in shown[1:]] == [False, True, False]
            assert editor.published[uris[2]].diagnostics[0].range.start.line == 1

    drive(scenario)


def test_a_notebook_that_is_no_file_yet_is_linted_alone(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with editing(tmp_path, options=ONLY) as editor:
            uris = editor.open_notebook("untitled:Untitled-1.ipynb", CELLS)
            assert await all_found(editor, uris) == [[], [], ["MSP301"], []]

    drive(scenario)
