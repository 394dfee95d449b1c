"""The language server, asked by a real client over its pipes: what an editor shows, offers and writes."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from editor import COMMAND, EDITS, PATIENCE, PULLING, Editor, editing, uri_of
from front import FIXED, TRAIN, environment, run
from lsprotocol import types
from profiles import LAUNCH, Row, Trace, text_layout
from programs import MARKER

from ms_perflint import pages
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk, Overlay
from ms_perflint.engine import lint
from ms_perflint.languages import LANGUAGES
from ms_perflint.report.page import tip, why
from ms_perflint.resolve.parsed import Parsed

ONLY = {"select": ["MSP301"]}
MOST_LINES = 20  # of what is shown where the pointer rests
IN_CONFIG = """\
import mindspore as ms
from mindspore import nn
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint
from src.config import config

ms.set_context(mode=ms.GRAPH_MODE)
checkpoint = CheckpointConfig(save_checkpoint_steps=100, async_save=config["async"])
model = Model(nn.Dense(16, 16), nn.MSELoss(), nn.SGD([]))
model.train(10, None, callbacks=[ModelCheckpoint("net", config=checkpoint)])
"""
SLOW, FAST = 'config = {"async": False}\n', 'config = {"async": True}\n'


def drive(scenario: Callable[[], Awaitable[None]]) -> None:
    """Run a scenario to its end."""
    asyncio.run(scenario())  # type: ignore[arg-type]


@pytest.fixture
def train(tmp_path: Path) -> Path:
    """Give a script with one finding among ONLY."""
    path = tmp_path / "train.py"
    path.write_text(TRAIN, encoding="utf-8")
    return path


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Give a script whose finding hangs on another file."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "config.py").write_text(SLOW, encoding="utf-8")
    path = tmp_path / "train.py"
    path.write_text(IN_CONFIG, encoding="utf-8")
    return path


def diagnostics(editor: Editor, path: Path | str) -> list[types.Diagnostic]:
    """Return what is shown in a document."""
    return list(editor.published[uri_of(path)].diagnostics)


# --- what is shown


def test_what_is_shown_is_what_the_command_line_reports(train: Path) -> None:
    async def scenario() -> None:
        async with editing(train.parent) as editor:
            editor.open(train)
            assert await editor.found(train)
            reported = json.loads(run("--output-format", "json", train.name, cwd=train.parent).out)
            assert len(reported) == len(diagnostics(editor, train))
            for shown, line in zip(diagnostics(editor, train), reported):
                start, end = shown.range.start, shown.range.end
                assert {"row": start.line + 1, "column": start.character + 1} == line["location"]
                assert {"row": end.line + 1, "column": end.character + 1} == line["end_location"]
                assert (shown.code, shown.message) == (line["code"], line["message"])
                assert (shown.code_description, line["url"]) == (None, None)  # no site is published

    drive(scenario)


def test_what_is_typed_counts_before_it_is_saved(train: Path) -> None:
    async def scenario() -> None:
        async with editing(train.parent, options=ONLY) as editor:
            editor.open(train)
            assert await editor.found(train) == ["MSP301"]
            editor.change(train, FIXED)
            assert await editor.found(train) == []
            editor.change(train, TRAIN + "def train(:\n")
            assert "syntax error" in (await editor.found(train))[0]
            for text in (TRAIN, FIXED, TRAIN):
                editor.change(train, text)
            assert await editor.found(train) == ["MSP301"]

    drive(scenario)


@pytest.mark.parametrize("name", ["my project", "训练", "100%", "a+b", "[x]"])
def test_what_is_typed_counts_whatever_the_folder_is_called(name: str, tmp_path: Path) -> None:
    path = tmp_path / name / "train.py"
    path.parent.mkdir()
    path.write_text(TRAIN, encoding="utf-8")

    async def scenario() -> None:
        async with editing(path.parent, options=ONLY) as editor:
            editor.open(path)
            assert await editor.found(path) == ["MSP301"]
            editor.change(path, FIXED)
            assert await editor.found(path) == []
            assert editor.messages == []

    drive(scenario)


def test_a_file_without_mindspore_shows_nothing_though_it_does_not_parse(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.touch()

    async def scenario() -> None:
        async with editing(tmp_path, options=ONLY) as editor:
            editor.open(other, "x = (\n")
            assert await editor.found(other) == []
            editor.change(other, "from mindspore.train import CheckpointConfig\nx = (\n")
            assert "syntax error" in (await editor.found(other))[0]

    drive(scenario)


def test_an_unsaved_file_changes_the_findings_of_another_one(program: Path) -> None:
    config = program.parent / "src" / "config.py"

    async def scenario() -> None:
        async with editing(program.parent, options=ONLY) as editor:
            editor.open(program)
            assert await editor.found(program) == ["MSP301"]
            editor.open(config)
            editor.change(config, FAST)
            await editor.until_found(program)
            editor.change(config, SLOW)
            await editor.until_found(program, "MSP301")
            editor.change(config, FAST)
            await editor.until_found(program)
            editor.close(config)
            await editor.until_found(program, "MSP301")
            assert uri_of(config) in editor.published and not diagnostics(editor, config)

    drive(scenario)


def test_files_that_change_on_the_disk_count(program: Path) -> None:
    config = program.parent / "src" / "config.py"
    capabilities = types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
        )
    )

    async def scenario() -> None:
        async with editing(program.parent, capabilities=capabilities, options=ONLY) as editor:
            await editor.until(lambda: types.WORKSPACE_DID_CHANGE_WATCHED_FILES in editor.registered)
            editor.open(program)
            assert await editor.found(program) == ["MSP301"]
            config.write_text(FAST, encoding="utf-8")
            editor.say_changed(config)
            await editor.until_found(program)

    drive(scenario)


def test_an_unsaved_yaml_file_counts_and_is_named_as_the_cause(tmp_path: Path) -> None:
    script, settings = tmp_path / "train.py", tmp_path / "default.yaml"
    script.write_text(
        IN_CONFIG.replace(
            "from src.config import config", "import yaml\nconfig = yaml.safe_load(open('default.yaml'))"
        ),
        encoding="utf-8",
    )
    settings.write_text("# 的 𝒙\nasync: false\n", encoding="utf-8")

    async def scenario() -> None:
        async with editing(tmp_path, options=ONLY) as editor:
            editor.open(script)
            assert await editor.found(script) == ["MSP301"]
            (shown,) = diagnostics(editor, script)
            related = [(each.location.uri, each.location.range.start.line) for each in shown.related_information or ()]
            assert (uri_of(settings), 1) in related
            editor.open(settings, "async: true\n", "yaml")
            await editor.until_found(script)
            assert uri_of(settings) not in editor.published or not diagnostics(editor, settings)

    drive(scenario)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_count_in_the_units_that_were_agreed_on(encoding: str, tmp_path: Path) -> None:
    before = "𝒙 = '的é'; config = "
    text = TRAIN.replace("    config = ", f"    {before}".replace("𝒙 = ", "x = '𝒙' + "))
    line = next(line for line in text.splitlines() if "CheckpointConfig(" in line)
    capabilities = types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind(encoding)])
    )
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]

    async def scenario() -> None:
        async with editing(tmp_path, capabilities=capabilities, options=ONLY) as editor:
            assert editor.capabilities.position_encoding == encoding
            path = tmp_path / "train.py"
            editor.open(path, text)
            assert await editor.found(path) == ["MSP301"]
            (shown,) = diagnostics(editor, path)
            raw = line.encode(codec)
            inside = raw[shown.range.start.character * width : shown.range.end.character * width].decode(codec)
            assert inside == "CheckpointConfig(save_checkpoint_steps=100)"

    drive(scenario)


def test_form_feeds_and_other_separators_end_no_line(tmp_path: Path) -> None:
    path = tmp_path / "train.py"

    async def scenario() -> None:
        async with editing(tmp_path, capabilities=EDITS, options=ONLY) as editor:
            document = editor.open(path, "\f\n# \u2028 \x85 \x1c\n" + TRAIN.replace("\n", "\r\n"))
            assert await editor.found(path) == ["MSP301"]
            (shown,) = diagnostics(editor, path)
            assert shown.range.start.line == 9
            (fix,) = [action for action in await editor.actions(path, shown.range) if action.is_preferred]
            await editor.take(fix)
            assert document.text == "\f\n# \u2028 \x85 \x1c\n" + FIXED.replace("\n", "\r\n")

    drive(scenario)


def test_texts_that_are_no_files_yet_and_those_of_other_kinds(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with editing(tmp_path, options=ONLY) as editor:
            editor.open("untitled:Untitled-1", TRAIN)
            assert await editor.found("untitled:Untitled-1") == ["MSP301"]
            editor.open("git:/train.py?HEAD", TRAIN)
            editor.open("untitled:Untitled-2", TRAIN, "plaintext")
            editor.change("untitled:Untitled-1", FIXED)
            assert await editor.found("untitled:Untitled-1") == []
            assert "git:/train.py?HEAD" not in editor.published
            assert await editor.found("untitled:Untitled-2") == []

    drive(scenario)


def test_files_that_are_excluded_show_nothing(train: Path) -> None:
    excluded = train.parent / "venv" / "lib" / "train.py"
    excluded.parent.mkdir(parents=True)
    excluded.write_text(TRAIN, encoding="utf-8")

    async def scenario() -> None:
        async with editing(train.parent, options=ONLY) as editor:
            editor.open(excluded)
            assert await editor.found(excluded) == []

    drive(scenario)


def test_each_folder_has_its_own_configuration(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder, rule in zip(folders, ("MSP301", "MSP101")):
        folder.mkdir()
        (folder / "train.py").write_text(TRAIN, encoding="utf-8")
        (folder / "pyproject.toml").write_text(f'[tool.ms-perflint]\nselect = ["{rule}"]\n', encoding="utf-8")

    async def scenario() -> None:
        async with editing(*folders) as editor:
            for folder in folders:
                editor.open(folder / "train.py")
            assert await editor.found(folders[0] / "train.py") == ["MSP301"]
            assert await editor.found(folders[1] / "train.py") == ["MSP101"]

    drive(scenario)


# --- what is set


def test_a_configuration_counts_when_it_is_saved_and_a_broken_one_is_told_once(train: Path) -> None:
    toml = train.parent / "pyproject.toml"

    async def scenario() -> None:
        async with editing(train.parent) as editor:
            editor.open(train)
            assert await editor.found(train) == ["MSP101", "MSP301"]
            toml.write_text('[tool.ms-perflint]\nselect = ["MSP301"]\n', encoding="utf-8")
            editor.say_changed(toml)
            await editor.until_found(train, "MSP301")
            toml.write_text('[tool.ms-perflint]\nselect = ["MSP3001"]\n', encoding="utf-8")
            editor.say_changed(toml)
            await editor.until(lambda: bool(editor.messages))
            editor.change(train, FIXED)
            assert await editor.found(train) == []  # by the last configuration that was right
            assert len(editor.messages) == 1 and 'did you mean "MSP301"?' in editor.messages[0]

    drive(scenario)


def test_a_baseline_that_breaks_is_told_once_and_counts_as_it_was(train: Path) -> None:
    same = TRAIN[TRAIN.index("def train") :]
    other = same.replace("def train", "def more").replace("train(None", "more(None").replace("100", "7")
    (train.parent / "pyproject.toml").write_text('[tool.ms-perflint]\nselect = ["MSP301"]\nbaseline = "known.json"\n')
    baseline = train.parent / "known.json"
    assert run("--write-baseline", ".", cwd=train.parent).code == 0
    good = baseline.read_text()

    async def scenario() -> None:
        async with editing(train.parent, capabilities=EDITS) as editor:
            editor.open(train)
            assert await editor.found(train) == []
            baseline.write_text("{")
            editor.say_changed(baseline)
            await editor.until(lambda: bool(editor.messages))
            editor.change(train, "\n" + TRAIN)
            assert await editor.found(train) == []
            editor.change(train, TRAIN + other)
            assert await editor.found(train) == ["MSP301"]  # what is new is seen
            (shown,) = diagnostics(editor, train)
            for action in await editor.actions(train, shown.range, "source.fixAll"):
                await editor.take(action)
            assert "steps=7, async_save=True" in editor.documents[train.as_uri()].text
            baseline.write_text(good)
            editor.say_changed(baseline)
            editor.change(train, TRAIN)
            assert await editor.found(train) == []
            assert len(editor.messages) == 1 and "known.json: is no baseline of ms-perflint" in editor.messages[0]

    drive(scenario)


def test_a_baseline_that_is_broken_from_the_start_hides_nothing(train: Path) -> None:
    (train.parent / "pyproject.toml").write_text('[tool.ms-perflint]\nselect = ["MSP301"]\nbaseline = "known.json"\n')

    async def scenario() -> None:
        async with editing(train.parent) as editor:
            editor.open(train)
            assert await editor.found(train) == ["MSP301"]
            assert len(editor.messages) == 1 and "there is no such baseline" in editor.messages[0]

    drive(scenario)


def test_settings_come_from_the_editor_and_may_change(train: Path) -> None:
    capabilities = types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(configuration=True))

    async def scenario() -> None:
        async with editing(train.parent, capabilities=capabilities) as editor:
            editor.open(train)
            await editor.until_found(train, "MSP101", "MSP301")
            editor.settings = {"": {"extendSelect": [], "select": "MSP1"}}
            editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
            await editor.until_found(train, "MSP101")
            editor.settings = {"": {}, train.parent.as_uri(): {"select": ["MSP3"]}}
            editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
            await editor.until_found(train, "MSP301")

    drive(scenario)


def test_a_setting_that_is_taken_back_counts_no_more(train: Path) -> None:
    capabilities = types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(configuration=True))

    async def scenario() -> None:
        async with editing(train.parent, capabilities=capabilities, options={"ignore": ["MSP101"]}) as editor:
            editor.open(train)
            await editor.until_found(train, "MSP301")
            for given, found in (
                ({"perFileIgnores": {"*.py": ["MSP301"]}}, ()),
                ({"exclude": ["train.py"]}, ()),
                ({}, ("MSP301",)),
            ):
                editor.settings = {"": given}
                editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
                await editor.until_found(train, *found)

    drive(scenario)


@pytest.mark.parametrize(
    ("locale", "table", "is_chinese"),
    [("zh-cn", "", True), ("zh_TW", 'lang = "en"', False), ("en", "", False), ("de", 'lang = "zh"', True)],
)
def test_it_speaks_the_language_of_the_editor_where_the_project_says_none(
    locale: str, table: str, is_chinese: bool, train: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MS_PERFLINT_LANG", raising=False)
    (train.parent / "pyproject.toml").write_text(f"[tool.ms-perflint]\n{table}\n", encoding="utf-8")

    async def scenario() -> None:
        async with editing(train.parent, options=ONLY, locale=locale) as editor:
            editor.open(train)
            await editor.found(train)
            (shown,) = diagnostics(editor, train)
            assert ("训练" in shown.message) is is_chinese

    drive(scenario)


def test_settings_that_an_editor_sends_unasked_count_too(train: Path) -> None:
    async def scenario() -> None:
        async with editing(train.parent) as editor:
            settings = {"ms-perflint": {"select": ["MSP3"]}, "other": {}}
            editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
            editor.open(train)
            await editor.until_found(train, "MSP301")

    drive(scenario)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"selects": []}, "ms-perflint.selects: unknown setting"),
        ({"select": 1}, "ms-perflint.select: expected a list of rules"),
        ({"exclude": [1]}, "ms-perflint.exclude: expected a list of patterns"),
        ({"perFileIgnores": ["MSP301"]}, "ms-perflint.perFileIgnores: expected an object with patterns"),
        ({"per-file-ignores": {"a.py": 1}}, "ms-perflint.per-file-ignores.a.py: expected a list of rules"),
        ({"device": 1}, "ms-perflint.device: expected a text"),
        ({"isolated": "yes"}, "ms-perflint.isolated: expected true or false"),
        (["MSP301"], "expected an object"),
        ({"select": ["MSP999"]}, 'ms-perflint.select: unknown rule "MSP999"'),
        ({"settings": {"ms-perflint": {"device": "TPU"}}}, "ms-perflint.device: expected one of"),
    ],
)
def test_a_setting_that_cannot_be_used_is_told(setting: object, message: str, train: Path) -> None:
    async def scenario() -> None:
        async with editing(train.parent, options=setting) as editor:
            editor.open(train)
            assert await editor.found(train) == ["MSP101", "MSP301"]
            assert len(editor.messages) == 1 and message in editor.messages[0]

    drive(scenario)


# --- what is offered


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_fix_that_is_taken_writes_what_the_command_line_writes(ends: str, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(TRAIN.replace("\n", ends).encode())

    async def scenario() -> None:
        async with editing(tmp_path, capabilities=EDITS, options=ONLY) as editor:
            document = editor.open(path)
            await editor.found(path)
            (shown,) = diagnostics(editor, path)
            offered = await editor.actions(path, types.Range(shown.range.start, shown.range.start))
            (fix,) = [action for action in offered if action.is_preferred]
            assert fix.kind == "quickfix" and fix.title.startswith("MSP301: ") and "unsafe" not in fix.title
            assert fix.diagnostics and fix.diagnostics[0].code == "MSP301"
            await editor.take(fix)
            assert await editor.found(path) == []
            assert run("--fix", "--select", "MSP301", path.name, cwd=tmp_path).code == 0
            assert document.text.encode() == path.read_bytes()

    drive(scenario)


def test_an_unsafe_fix_is_called_so_and_comes_behind_the_safe_ones(train: Path) -> None:
    async def scenario() -> None:
        async with editing(train.parent, capabilities=EDITS) as editor:
            document = editor.open(train)
            await editor.found(train)
            whole = types.Range(types.Position(0, 0), types.Position(99, 0))
            offered = await editor.actions(train, whole)
            fixes = [action for action in offered if action.kind == "quickfix" and action.edit]
            assert [bool(action.is_preferred) for action in fixes] == [True, False]
            assert " (unsafe fix: " in fixes[1].title
            await editor.take(fixes[1])
            assert "set_context(mode=ms.GRAPH_MODE)" in document.text
            assert "MSP101" not in await editor.found(train)

    drive(scenario)


def test_fix_all_makes_the_safe_fixes_and_only_where_it_was_asked_for(train: Path) -> None:
    train.write_text(TRAIN + TRAIN, encoding="utf-8")

    async def scenario() -> None:
        async with editing(train.parent, capabilities=EDITS) as editor:
            document = editor.open(train)
            await editor.found(train)
            nowhere = types.Range(types.Position(0, 0), types.Position(0, 0))
            for only in ("source", "source.fixAll", "source.fixAll.ms-perflint"):
                (action,) = await editor.actions(train, nowhere, only)
                assert action.kind == "source.fixAll.ms-perflint"
            assert not await editor.actions(train, nowhere, "source.organizeImports", "quickfix")
            await editor.take(action)
            await editor.found(train)
            assert not await editor.actions(train, nowhere, "source.fixAll")
            run("--fix", "--no-interactive", train.name, cwd=train.parent)
            assert document.text.encode() == train.read_bytes() != (TRAIN + TRAIN).encode()

    drive(scenario)


def test_an_editor_that_cannot_ask_later_gets_whole_actions(train: Path) -> None:
    async def scenario() -> None:
        async with editing(train.parent, options=ONLY) as editor:
            document = editor.open(train)
            await editor.found(train)
            offered = await editor.actions(train, diagnostics(editor, train)[0].range, "source.fixAll")
            (action,) = offered
            assert action.edit is not None and list(action.edit.changes or ()) == [uri_of(train)]
            await editor.take(action)
            assert document.text == FIXED

    drive(scenario)


@pytest.mark.parametrize(
    ("call", "suppressed"),
    [
        ("steps=100)", "steps=100)  # noqa: MSP301"),
        ("steps=100)  # noqa: E501 long", "steps=100)  # noqa: E501, MSP301 long"),
        ("steps=\\\r\n        100)", "steps=\\\r\n        100)  # noqa: MSP301"),
    ],
)
def test_a_finding_is_suppressed_where_a_comment_counts(call: str, suppressed: str, train: Path) -> None:
    async def scenario() -> None:
        async with editing(train.parent, capabilities=EDITS, options=ONLY) as editor:
            document = editor.open(train, TRAIN.replace("steps=100)", call))
            assert await editor.found(train) == ["MSP301"]
            (shown,) = diagnostics(editor, train)
            offered = await editor.actions(train, shown.range, "quickfix")
            assert "# noqa: MSP301" in offered[-1].title and not offered[-1].is_preferred
            await editor.take(offered[-1])
            assert document.text == TRAIN.replace("steps=100)", suppressed)
            assert await editor.found(train) == []

    drive(scenario)


def test_settings_that_cannot_be_used_are_told_in_chinese(train: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MS_PERFLINT_LANG", "zh")

    async def scenario() -> None:
        async with editing(train.parent, options={"select": 1}) as editor:
            await editor.until(lambda: bool(editor.messages))
            assert editor.messages == ['ms-perflint: ms-perflint.select：应为规则列表，例如 ["MSP301"]']

    drive(scenario)


def test_actions_speak_the_language_of_the_project(train: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MS_PERFLINT_LANG")
    (train.parent / "pyproject.toml").write_text('[tool.ms-perflint]\nselect = ["MSP1", "MSP301"]\nlang = "zh"\n')

    async def scenario() -> None:
        async with editing(train.parent, capabilities=EDITS) as editor:
            editor.open(train)
            await editor.found(train)
            offered = await editor.actions(train, types.Range(types.Position(0, 0), types.Position(99, 0)))
            titles = [action.title for action in offered]
            assert titles[0].startswith("MSP301：设置 `async_save=True`") and "（不安全修复：" in titles[1]
            assert titles[2:] == [
                "MSP301：在此处用 `# noqa: MSP301` 抑制",
                "MSP101：在此处用 `# noqa: MSP101` 抑制",
                "ms-perflint：应用所有安全修复",
            ]

    drive(scenario)


def test_a_text_that_is_no_file_yet_is_mended_and_suppressed_as_others(tmp_path: Path) -> None:
    name = "untitled:Untitled-1"

    async def scenario() -> None:
        async with editing(tmp_path, capabilities=EDITS, options=ONLY) as editor:
            document = editor.open(name, TRAIN)
            await editor.found(name)
            where = diagnostics(editor, name)[0].range
            *_, suppress, fix_all = await editor.actions(name, where)
            await editor.take(suppress)
            assert "# noqa: MSP301" in document.text and await editor.found(name) == []
            editor.change(name, TRAIN)
            await editor.found(name)
            await editor.take(fix_all)
            assert document.text == FIXED

    drive(scenario)


# --- what is explained


def test_the_page_of_a_rule_is_shown_over_a_finding_and_over_its_code(train: Path) -> None:
    async def scenario() -> None:
        async with editing(train.parent, options=ONLY) as editor:
            editor.open(train)
            await editor.found(train)
            (shown,) = diagnostics(editor, train)
            text = await hover(editor, train, shown.range.start)
            assert shown.message in text and "(safe fix)" in text
            assert "+    config = CheckpointConfig(save_checkpoint_steps=100, async_save=True)" in text
            assert why(pages.page("MSP301")) in text
            assert len(text.splitlines()) <= MOST_LINES
            assert not await hover(editor, train, types.Position(0, 0))
            hidden = TRAIN.replace("steps=100)", "steps=100)  # noqa: E501, MSP301 read right after")
            editor.change(train, hidden)
            assert await editor.found(train) == []
            line = hidden.splitlines()[7]
            text = await hover(editor, train, types.Position(7, line.index("MSP301") + 2))
            assert text.startswith("# synchronous-checkpoint (MSP301)") and "```diff\n" in text
            assert not await hover(editor, train, types.Position(7, line.index("E501") + 1))
            assert not await hover(editor, train, types.Position(7, 5))

    drive(scenario)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", pages.codes())
def test_what_is_shown_of_a_page_is_short(code: str, language: str) -> None:
    text = tip(pages.page(code, language))
    assert len(text.splitlines()) <= MOST_LINES - 2  # with the link
    assert "<!--" not in text and "# !" not in text


def test_what_is_shown_of_a_finding_is_short(tmp_path: Path) -> None:
    """What is wrong, what the fix changes, and why: for the examples of all pages."""
    paths = [tmp_path / code / "train.py" for code in pages.codes()]
    for path in paths:
        path.parent.mkdir()
        example = pages.page(path.parent.name).examples[0]
        path.write_text(MARKER.sub("", example.files[0][1]), encoding="utf-8")

    async def scenario() -> None:
        async with editing(tmp_path, options={"select": [*pages.codes()]}) as editor:
            found = set()
            for path in paths:
                editor.open(path)
                await editor.found(path)
                for shown in diagnostics(editor, path):
                    text = await hover(editor, path, shown.range.start)
                    assert text and len(text.splitlines()) <= MOST_LINES, text
                    assert shown.message in text or shown.code == "MSP901"  # over a code it is the rule of that code
                    found.add(shown.code)
            assert found >= {*pages.codes()} - {"MSP501"}  # its example is one for MindSpore 2.3


PROFILED = """\
import mindspore as ms
from mindspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")


class Net(nn.Cell):
    def construct(self, x):
        x = ops.cast(x, ms.float16)
        x = ops.cast(x, ms.float16)
        return ops.relu(x)


net = Net()
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
model.train(1, None)
"""


def test_what_a_profile_shows_is_shown_over_a_finding(tmp_path: Path) -> None:
    """As `--profile` says it; a new profile counts, and one that is gone is named."""
    path = tmp_path / "train.py"
    path.write_text(PROFILED, encoding="utf-8")
    cast = Row(f"{LAUNCH}Default/network-WithLossCell/_backbone-Net/Cast-op0/aclnnCast", "Cast", 40.0)
    relu = cast._replace(name=cast.name.replace("Cast", "Relu"), type="Relu")
    text_layout(tmp_path / "profile", [cast], [Trace(500, 0, 10)] * 4)
    options = {"isolated": True, "select": ["MSP203"], "profile": "profile"}

    async def scenario() -> None:
        async with editing(tmp_path, options=options) as editor:
            editor.open(path)
            await editor.found(path)
            (shown,) = diagnostics(editor, path)
            said = "profile of 2026-11-22, Ascend: confirmed, at most 0.040 ms (7.8 %) of a step: 1 cast of Net ran"
            assert said in await hover(editor, path, shown.range.start)
            editor.change(path, f"# one more line\n{PROFILED}")
            await editor.found(path)
            (shown,) = diagnostics(editor, path)
            assert said in await hover(editor, path, shown.range.start)
            shutil.rmtree(tmp_path / "profile")
            text_layout(tmp_path / "profile", [relu], [Trace(500, 0, 10)] * 4)
            said = "profile of 2026-11-22, Ascend: refuted: no cast of Net ran"
            assert said in await hover(editor, path, shown.range.start)
            shutil.rmtree(tmp_path / "profile")
            assert "profile: no folder: name the one that" in await hover(editor, path, shown.range.start)

    drive(scenario)


async def hover(editor: Editor, path: Path, position: types.Position) -> str:
    """Return the Markdown that is shown at a position; "" for nothing."""
    found = await editor.client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(uri_of(path)), position)
    )
    if found is None:
        return ""
    assert isinstance(found.contents, types.MarkupContent) and found.contents.kind == "markdown"
    return found.contents.value


# --- what an editor asks for


def test_an_editor_that_asks_is_told_nothing_unasked_but_when_to_ask_again(program: Path) -> None:
    config = program.parent / "src" / "config.py"

    async def scenario() -> None:
        async with editing(program.parent, capabilities=PULLING, options=ONLY) as editor:

            async def pulled(previous: str | None = None) -> object:
                identifier = types.TextDocumentIdentifier(uri_of(program))
                return await editor.client.text_document_diagnostic_async(
                    types.DocumentDiagnosticParams(identifier, previous_result_id=previous)
                )

            editor.open(program)
            first = await pulled()
            assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
            assert [item.code for item in first.items] == ["MSP301"]
            second = await pulled(first.result_id)
            assert isinstance(second, types.RelatedUnchangedDocumentDiagnosticReport)
            editor.open(config, FAST)
            await editor.until(lambda: editor.refreshed > 0)
            third = await pulled(first.result_id)
            assert isinstance(third, types.RelatedFullDocumentDiagnosticReport) and not third.items
            assert not editor.published

    drive(scenario)


def test_an_editor_that_cannot_be_told_to_ask_again_is_told_unasked(program: Path) -> None:
    config = program.parent / "src" / "config.py"
    asks_once = types.ClientCapabilities(text_document=PULLING.text_document)

    async def scenario() -> None:
        async with editing(program.parent, capabilities=asks_once, options=ONLY) as editor:
            assert editor.capabilities.diagnostic_provider is None
            editor.open(program)
            assert await editor.found(program) == ["MSP301"]
            editor.open(config, FAST)
            await editor.until_found(program)

    drive(scenario)


def test_the_whole_workspace_is_told_and_then_only_what_has_changed(program: Path) -> None:
    other = program.parent / "other.py"
    other.write_text(TRAIN, encoding="utf-8")

    async def scenario() -> None:
        async with editing(program.parent, capabilities=PULLING, options=ONLY) as editor:

            async def pulled(*previous: types.PreviousResultId) -> types.WorkspaceDiagnosticReport:
                return await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous))

            first = await pulled()
            found = {item.uri: item for item in first.items}
            assert found.keys() == {uri_of(program), uri_of(other)}
            known = [types.PreviousResultId(uri, str(item.result_id)) for uri, item in found.items()]
            waiting = asyncio.ensure_future(pulled(*known))
            editor.open(other, FIXED)
            second = {item.uri: item for item in (await asyncio.wait_for(waiting, PATIENCE)).items}
            changed = second[uri_of(other)]
            assert isinstance(changed, types.WorkspaceFullDocumentDiagnosticReport) and not changed.items
            assert isinstance(second[uri_of(program)], types.WorkspaceUnchangedDocumentDiagnosticReport)

    drive(scenario)


# --- how it ends, and what comes in its way


def message(**content: object) -> bytes:
    """Return a message as it goes over the pipe."""
    body = json.dumps({"jsonrpc": "2.0", **content}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def said(to_server: bytes) -> tuple[int, bytes, bytes]:
    """Return how a server ended that heard this and then nothing more, and what it said."""
    done = subprocess.run(
        COMMAND, input=to_server, capture_output=True, timeout=PATIENCE, env=environment(), check=False
    )
    return done.returncode, done.stdout, done.stderr


INITIALIZE = message(id=1, method="initialize", params={"capabilities": {}, "processId": None, "rootUri": None})
INITIALIZED = message(method="initialized", params={})
CHANGE = {"textDocument": {"uri": "file:///x", "version": 1}, "contentChanges": [{"text": ""}]}
PLACE = {"line": 9, "character": 9}
SHUT_DOWN, EXIT = message(id=2, method="shutdown"), message(method="exit")


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ((INITIALIZE, INITIALIZED, SHUT_DOWN, EXIT), 0),
        ((INITIALIZE, SHUT_DOWN), 0),
        ((INITIALIZE, EXIT), 1),
        ((INITIALIZE, INITIALIZED), 1),  # the editor died
        ((EXIT,), 1),
        ((), 1),
    ],
)
def test_how_the_server_ends(messages: tuple[bytes, ...], code: int) -> None:
    ended, _, error = said(b"".join(messages))
    assert (ended, error) == (code, b"")


GARBAGE = (
    b"GET / HTTP/1.1\r\n\r\n",
    b"Content-Length: 7\r\n\r\nnothing",
    b"Content-Length: -1\r\n\r\n",
    message(method="textDocument/didChange", params={"textDocument": 3}),
    message(method="textDocument/didChange", params=CHANGE),
    message(id=7, method="textDocument/hover", params={"textDocument": {"uri": "x"}, "position": PLACE}),
    message(id=8, method="codeAction/resolve", params={"title": "x", "data": {"uri": "file:///x.py"}}),
    message(id=9, method="no/such/request", params={}),
    message(method="$/no/such/notification", params={}),
)


def test_garbage_is_survived() -> None:
    ended, out, error = said(INITIALIZE + INITIALIZED + b"".join(GARBAGE) + SHUT_DOWN + EXIT)
    assert (ended, error) == (0, b"")
    assert b'"id": 2' in out and b'"id": 9' in out and b"Traceback" not in out


def test_an_editor_that_dies_while_something_is_linted_takes_the_server_along(train: Path) -> None:
    document = {"uri": train.as_uri(), "languageId": "python", "version": 1, "text": TRAIN}
    opened = message(method="textDocument/didOpen", params={"textDocument": document})
    assert said(INITIALIZE + INITIALIZED + opened)[::2] == (1, b"")


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path) -> None:
    program = "import sys; sys.modules['pygls'] = None; from ms_perflint.cli import main; main(['server'])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.count("\n") == 1 and 'pip install "pygls>=2,<3"' in done.stderr


# --- what makes it quick


def test_files_that_stay_parsed_give_the_same_findings(program: Path) -> None:
    config, parsed = program.parent / "src" / "config.py", Parsed(10_000)
    settings = Config(root=str(program.parent))
    states = (SLOW, FAST, "", SLOW, "config = {", FAST, SLOW)
    found = []
    for text in states:
        files = Overlay(Disk(), {str(config): text.encode()})
        warm = lint([str(program)], settings, files, parsed=parsed)
        assert warm == lint([str(program)], settings, files)
        parsed.trim()
        found.append([finding.code for finding in warm.findings])
    assert found[0] != found[1]


def test_what_stays_parsed_is_bounded(program: Path) -> None:
    parsed = Parsed(0)
    lint([str(program)], Config(root=str(program.parent)), Disk(), parsed=parsed)
    module = parsed.module(str(program), program.read_bytes())
    assert module.tree.body and parsed.module(str(program), program.read_bytes()) is module
    parsed.trim()
    assert not module.tree.body
