"""What the server says of programs: findings where a config file decides them, facts, and run configurations."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from editor import EDITS, PULLING, Editor, editing, uri_of
from lsprotocol import types

ONLY = {"select": ["MSP301"]}
SCRIPT = """\
import argparse

import mindspore as ms
import yaml
from mindspore import nn
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint

parser = argparse.ArgumentParser()
parser.add_argument("--mode", type=int, default=0)
args = parser.parse_args()
with open("default.yaml") as file:
    config = yaml.safe_load(file)
ms.set_context(mode=args.mode)
checkpoint = CheckpointConfig(save_checkpoint_steps=100, async_save=config["async"])
model = Model(nn.Dense(16, 16), nn.MSELoss(), nn.SGD([]))
model.train(10, None, callbacks=[ModelCheckpoint("net", config=checkpoint)])
"""
SLOW, FAST = "epochs: 3\nasync: false  # 慢\n", "epochs: 3\nasync: true\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """Return a script that trains, beside its config file and two launchers."""
    (tmp_path / "default.yaml").write_text(SLOW, encoding="utf-8")
    (tmp_path / "graph.sh").write_text("python train.py --mode 0\n", encoding="utf-8")
    (tmp_path / "eager.sh").write_text("python train.py --mode 1\n", encoding="utf-8")
    path = tmp_path / "train.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def drive(scenario: Callable[[], Awaitable[None]]) -> None:
    """Run a scenario to its end."""
    asyncio.run(scenario())  # type: ignore[arg-type]


async def ask(editor: Editor, method: str, **params: object) -> Any:
    """Return the answer to a request of our own."""
    return await editor.client.protocol.send_request_async(f"ms-perflint/{method}", params)


def about(path: Path) -> dict[str, object]:
    """Return the parameters of a request about a document."""
    return {"textDocument": {"uri": uri_of(path)}}


def every(nodes: list[Any]) -> Iterator[Any]:
    """Yield nodes with all below them."""
    for node in nodes:
        yield node
        yield from every(node.children)


# --- findings that a config file decides


def test_a_finding_shows_in_the_config_file_that_decides_it_too(script: Path) -> None:
    settings = script.parent / "default.yaml"

    async def scenario() -> None:
        async with editing(script.parent, options=ONLY) as editor:
            editor.open(script)
            assert await editor.found(script) == ["MSP301"]
            editor.open(settings, language="yaml")
            await editor.until_found(settings, "MSP301")
            (shown,) = editor.published[uri_of(settings)].diagnostics
            assert shown.range == types.Range(types.Position(1, 0), types.Position(1, 17))
            (related,) = shown.related_information or ()
            assert (related.location.uri, related.location.range.start.line) == (uri_of(script), 13)
            editor.change(settings, FAST)
            await editor.until_found(settings)
            await editor.until_found(script)
            editor.change(settings, "# more\n" + SLOW)
            await editor.until_found(settings, "MSP301")
            assert editor.published[uri_of(settings)].diagnostics[0].range.start.line == 2

    drive(scenario)


def test_several_scripts_share_one_finding_in_their_config_file(script: Path) -> None:
    settings, other = script.parent / "default.yaml", script.parent / "other.py"
    other.write_text(SCRIPT, encoding="utf-8")

    async def scenario() -> None:
        async with editing(script.parent, options=ONLY) as editor:
            for path in (script, other):
                editor.open(path)
                await editor.found(path)
            editor.open(settings, language="yaml")
            await editor.until_found(settings, "MSP301")
            (shown,) = editor.published[uri_of(settings)].diagnostics
            assert {each.location.uri for each in shown.related_information or ()} == {uri_of(script), uri_of(other)}

    drive(scenario)


def test_the_workspace_tells_config_files_and_they_are_right_without_the_script(script: Path) -> None:
    settings = script.parent / "default.yaml"

    async def scenario() -> None:
        async with editing(script.parent, capabilities=PULLING, options=ONLY) as editor:
            told = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
            reports = {each.uri: each for each in told.items}
            assert set(reports) == {uri_of(script), uri_of(settings)}

            editor.open(settings, FAST, "yaml")
            before = [types.PreviousResultId(uri, str(each.result_id)) for uri, each in reports.items()]
            told = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(before))
            found = [each for each in told.items if isinstance(each, types.WorkspaceFullDocumentDiagnosticReport)]
            assert {each.uri: list(each.items) for each in found} == {uri_of(script): [], uri_of(settings): []}

            editor.change(settings, SLOW)  # the script is not open: it is linted all the same
            identifier = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri_of(settings)))
            pulled = await editor.client.text_document_diagnostic_async(identifier)
            assert isinstance(pulled, types.RelatedFullDocumentDiagnosticReport)
            assert [each.code for each in pulled.items] == ["MSP301"]

    drive(scenario)


def test_the_fix_is_offered_in_the_config_file_too(script: Path) -> None:
    settings = script.parent / "default.yaml"

    async def scenario() -> None:
        async with editing(script.parent, capabilities=EDITS, options=ONLY) as editor:
            editor.open(script)
            editor.open(settings, language="yaml")
            await editor.until_found(settings, "MSP301")
            here = types.Range(types.Position(1, 3), types.Position(1, 3))
            (offered,) = await editor.actions(settings, here)
            (same, _) = await editor.actions(script, editor.published[uri_of(script)].diagnostics[0].range)
            assert (offered.title, offered.disabled, offered.data) == (same.title, same.disabled, same.data)
            elsewhere = types.Range(types.Position(0, 3), types.Position(0, 3))
            assert await editor.actions(settings, elsewhere) == []

    drive(scenario)


# --- requests of our own


def test_the_facts_of_a_program_lead_to_their_places(script: Path) -> None:
    async def scenario() -> None:
        async with editing(script.parent) as editor:
            editor.open(script, SCRIPT.replace("args.mode", "ms.PYNATIVE_MODE"))
            answer = await ask(editor, "program", **about(script))
            assert answer.title == "train.py"
            facts = {node.label: node for node in answer.nodes}
            assert facts["mode"].description == "PyNative"
            assert facts["mode"].location.range.start.line == 12 and facts["mode"].location.uri == uri_of(script)
            (config,) = [node for node in every(answer.nodes) if node.label.startswith("async: ")]
            assert config.location.uri == uri_of(script.parent / "default.yaml")
            assert config.location.range.start.line == 1 and config.description == "default.yaml:2"
            rules = {node.label: node for node in facts["rules"].children}
            assert {"MSP101", "MSP301"} <= rules.keys() and rules["MSP301"].location.range.start.line == 13
            assert [node.label for node in facts["files"].children] == ["train.py"]

    drive(scenario)


def test_what_is_no_program_has_no_facts(script: Path) -> None:
    async def scenario() -> None:
        async with editing(script.parent) as editor:
            assert await ask(editor, "program", **about(script.parent / "default.yaml")) is None
            assert await ask(editor, "program", **about(script.parent / "none.py")) is None
            assert await ask(editor, "runs", **about(script.parent / "none.py")) is None
            for params in ({}, {"textDocument": 3}, {"textDocument": {"uri": 3}}):
                assert await ask(editor, "program", **params) is None
                assert await ask(editor, "runs", **params) is None
                assert await ask(editor, "chooseRun", **params) is None

    drive(scenario)


def test_the_findings_of_one_run_configuration_are_chosen(script: Path) -> None:
    async def scenario() -> None:
        async with editing(script.parent, options={"select": ["MSP101", "MSP301"]}) as editor:
            editor.open(script)
            await editor.until_found(script, "MSP101", "MSP301")
            answer = await ask(editor, "runs", **about(script))
            assert (answer.entry, answer.chosen) == (str(script), None)
            assert {"graph.sh", "eager.sh"} <= set(answer.runs)
            for run, found in (
                ("graph.sh", ("MSP301",)),
                ("eager.sh", ("MSP101", "MSP301")),
                ("graph.sh", ("MSP301",)),
            ):
                await ask(editor, "chooseRun", entry=str(script), run=run)
                await editor.until_found(script, *found)
                assert (await ask(editor, "runs", **about(script))).chosen == run
            await ask(editor, "chooseRun", entry=str(script), run=None)
            await editor.until_found(script, "MSP101", "MSP301")

    drive(scenario)


def test_a_run_configuration_that_is_gone_is_chosen_no_more(script: Path) -> None:
    async def scenario() -> None:
        async with editing(script.parent, options={"select": ["MSP101"]}) as editor:
            editor.open(script)
            await editor.until_found(script, "MSP101")
            await ask(editor, "chooseRun", entry=str(script), run="graph.sh")
            await editor.until_found(script)
            (script.parent / "graph.sh").unlink()
            editor.say_changed(script.parent / "graph.sh")
            assert (await ask(editor, "runs", **about(script))).chosen is None
            await editor.until_found(script, "MSP101")

    drive(scenario)
