"""The table of options: the same as what is read, its schema, and the commands that show it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click
import jsonschema
import pytest
from front import run
from test_config import configured

from ms_perflint.commands.front import check
from ms_perflint.config.files import load
from ms_perflint.config.options import OPTIONS, example, find, schema, whole
from ms_perflint.config.settings import ConfigError
from ms_perflint.config.values import _READERS, parse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
SCHEMA = ROOT / "ms_perflint" / "schema.json"
_TOML = re.compile(r"^```toml[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def table(text: str) -> object:
    """Return the linter's table of a TOML text; None without one."""
    return tomllib.loads(text).get("tool", {}).get("ms-perflint")


def valid(settings: object) -> bool:
    """Return whether the shipped schema accepts a table."""
    validator = jsonschema.Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    return bool(validator.is_valid(settings))


def shown_tables() -> list[str]:
    """Return all configurations that the documentation and the table of options show."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "rules").rglob("*.md"))]
    blocks = [block for page in pages for block in _TOML.findall(page.read_text(encoding="utf-8"))]
    return [*(block for block in blocks if table(block) is not None), *map(example, OPTIONS)]


def test_each_key_that_is_read_is_in_the_table_and_has_the_same_default() -> None:
    assert [option.key for option in OPTIONS] == list(_READERS)
    defaults = {option.key: option.default for option in OPTIONS if option.default is not None}
    assert parse(defaults, "x", "/") == parse({}, "x", "/")


def test_flags_are_those_of_the_command_line() -> None:
    flags = {name for parameter in check.params if isinstance(parameter, click.Option) for name in parameter.opts}
    named = {option.flag for option in OPTIONS if option.flag}
    assert named <= flags
    assert named == {f"--{option.key}" for option in OPTIONS} & flags


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_examples_set_what_they_are_examples_of(option: object, tmp_path: Path) -> None:
    assert [*table(example(option))] == [option.key]  # type: ignore


def test_the_shipped_schema_is_that_of_the_table() -> None:
    jsonschema.Draft7Validator.check_schema(schema())
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == schema(), (
        "run: ms-perflint config --schema > ms_perflint/schema.json"
    )


@pytest.mark.parametrize("text", shown_tables())
def test_the_schema_and_the_loader_accept_what_the_documentation_shows(text: str) -> None:
    parse(table(text), "x", "/")  # type: ignore[arg-type]
    assert valid(table(text))


@pytest.mark.parametrize(
    "text",
    [
        'selct = ["MSP1"]',
        'select = "MSP1"',
        "select = [1]",
        'ignore = ["MSP331"]',
        'select = ["msp301"]',
        'select = ["M"]',
        "per-file-ignores = []",
        'per-file-ignores = {"a" = ["MSP30X"]}',
        'per-file-ignores = {"a" = "MSP301"}',
        "mindspore-version = 2.4",
        'mindspore-version = "two"',
        'mindspore-version = "2"',
        'device = "asend"',
        'unsafe-fixes = "yes"',
        "line-length = true",
        "line-length = 0",
        "line-length = 1001",
        'exclude = ["a", "!"]',
        'extend-exclude = "a"',
        "rules = 1",
        "rules.unaligned.x = 1",
        "rules.MSP202 = 1",
        "rules.MSP202.mutliple = 8",
        'rules.MSP202.multiple = "8"',
        "rules.MSP202.multiple = true",
        "rules.MSP202.multiple = 1",
        "rules.MSP202.min-waste = 101",
        "rules.MSP202.min-waste = -1",
        "rules.MSP301.x = 1",
        "rules.missing-dataset-sink-mode.report-deliberate = 1",
        "rules.MSP202.multiple = 0",
        'mindspore-version = "9.9"',
        'mindspore-version = "1.11"',
        'device = "NPUs"',
        'extend = " "',
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(text: str) -> None:
    settings = table(f"[tool.ms-perflint]\n{text}")
    with pytest.raises(ConfigError):
        parse(settings, "x", "/")  # type: ignore[arg-type]
    assert not valid(settings)


@pytest.mark.parametrize(
    "text",
    [
        'select = ["ALL"]\nignore = ["MSP", "MSP30", "redundant-cast"]',
        'exclude = ["!kept", "/a/*.py", "b c/"]',
        'mindspore-version = "2.3.0rc1"',
        "rules.unaligned-shape.multiple = 8",
        "rules.unaligned-shape.min-waste = 0",
        "rules.MSP301 = {}",
        'device = "Npu"',
        'device = "Ascend910B3"',
        'device = "910b"',
        'mindspore-version = "1.10.1"',
        'mindspore-version = "2.11"',
        'extend = "../pyproject.toml"',
    ],
)
def test_the_schema_accepts_what_the_loader_accepts(text: str) -> None:
    settings = table(f"[tool.ms-perflint]\n{text}")
    parse(settings, "x", "/")  # type: ignore[arg-type]
    assert valid(settings)


def test_the_schema_of_a_whole_file_is_that_of_the_table_in_its_place() -> None:
    validator = jsonschema.Draft7Validator(whole(schema()))
    for text, accepted in (
        ("device = 'CPU'", True),
        ("device = 'cpus'", False),
        ("select = ['MSP1']", True),
        ("x = 1", False),
    ):
        document = tomllib.loads(f"[project]\nname = 'x'\n[tool.other]\nx = 1\n[tool.ms-perflint]\n{text}")
        assert validator.is_valid(document) is accepted


def test_config_lists_and_explains_options(tmp_path: Path) -> None:
    configured(tmp_path, 'mindspore-version = "2.4"\n')
    listed = run("config", cwd=tmp_path)
    assert [line.split()[0] for line in listed.out.splitlines()] == [option.key for option in OPTIONS]
    one = run("config", "mindspore-version", cwd=tmp_path)
    assert one.code == 0
    assert 'here      "2.4" (pyproject.toml)\nflag      --mindspore-version\n' in one.out
    as_json = json.loads(run("config", "line-length", "--output-format", "json", cwd=tmp_path).out)
    assert (as_json["key"], as_json["default"]) == ("line-length", 88)
    assert len(json.loads(run("config", "--format", "json", cwd=tmp_path).out)) == len(OPTIONS)
    assert json.loads(run("config", "--schema", cwd=tmp_path).out) == schema()
    wrong = run("config", "slect", cwd=tmp_path)
    assert (wrong.code, wrong.err) == (2, 'ms-perflint: error: unknown option "slect", did you mean "select"?\n')


def test_config_explains_options_where_the_file_is_broken(tmp_path: Path) -> None:
    configured(tmp_path, "selct = 1\n")
    ran = run("config", "select", cwd=tmp_path)
    assert ran.code == 0
    assert 'here      pyproject.toml:2: [tool.ms-perflint] selct: unknown key, did you mean "select"?\n' in ran.out


def test_settings_are_shown_as_the_table_that_sets_them(tmp_path: Path) -> None:
    configured(
        tmp_path,
        'ignore = ["MSP1"]\ndevice = "gpu"\nmindspore-version = "2.4.1"\n'
        '[tool.ms-perflint.per-file-ignores]\n"a b/*" = ["MSP301"]\n[tool.ms-perflint.rules.MSP202]\nmultiple = 8\n',
    )
    (tmp_path / "train.py").write_text("", encoding="utf-8")
    ignored = ("--ignore", "MSP6", "--extend-ignore", "MSP4")
    ran = run("--show-settings", *ignored, "--device", "CPU", ".", cwd=tmp_path)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "# rules that are on: MSP201, MSP202, MSP203, MSP301, MSP501"
    assert 'device = "CPU"  # --device' in lines
    assert 'ignore = ["MSP1", "MSP6", "MSP4"]  # pyproject.toml, --ignore, --extend-ignore' in lines
    assert 'mindspore-version = "2.4.1"  # pyproject.toml' in lines
    assert "line-length = 88  # default" in lines
    before = load([str(tmp_path)])
    again = parse(table(ran.out), "x", str(tmp_path))  # type: ignore[arg-type]
    assert (again.ignore, again.device) == (("MSP1", "MSP6", "MSP4"), "CPU")
    assert (again.per_file_ignores, again.options) == (before.per_file_ignores, before.options)
    as_json = json.loads(run("--show-settings", "--output-format", "json", ".", cwd=tmp_path).out)
    assert as_json["file"] == "pyproject.toml"
    assert as_json["settings"]["device"] == {"value": "GPU", "from": "pyproject.toml"}
    assert as_json["settings"]["exclude"]["from"] == "default"


def test_files_are_shown(tmp_path: Path) -> None:
    configured(tmp_path, 'extend-exclude = ["old"]\n')
    for name in "train.py", "old/a.py", "src/b.py":
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    ran = run("check", "--show-files", ".", cwd=tmp_path)
    assert (ran.code, sorted(ran.out.split())) == (0, ["src/b.py", "train.py"])
    gone = run("check", "--show-files", "gone.py", cwd=tmp_path)
    assert (gone.code, gone.out, gone.err) == (2, "", "gone.py: error: no such file or directory\n")


def test_an_option_is_found_by_its_key() -> None:
    assert find("device") is not None
    assert find("devices") is None
