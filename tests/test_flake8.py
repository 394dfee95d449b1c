"""The flake8 plugin in the real flake8: the same as the command line."""

from __future__ import annotations

import ast
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flake8.options.parse_args import parse_args  # type: ignore[import-untyped, unused-ignore]
from front import FIXED, TRAIN, Ran, environment, run
from programs import MARKER, Program
from test_suppressions import CALL, HIDING, OTHERS

from ms_perflint import codes
from ms_perflint.check import checks
from ms_perflint.core.source import Source
from ms_perflint.flake8 import Plugin
from ms_perflint.index import semantic_index as module_file
from ms_perflint.index.index_builder import module_of
from ms_perflint.linting.linter import Linter

TESTS = Path(__file__).parent
FORMAT = "%(path)s:%(row)d:%(col)d:%(code)s %(text)s"
MESSAGE = "saving this checkpoint blocks training each time: no `async_save`"
LINE = f"train.py:8:14:MSP301 {MESSAGE}"

# A package with a preview rule that says what it was told, and stumbles over one file; and with a flake8 plugin that
# runs behind ours, as its name comes later.
DEMO = '''
from ms_perflint.check import Check
from ms_perflint.core.findings import Safety


class Demo(Check):
    """Says what it was told."""

    code = "MSP998"
    name = "demo"
    safety = Safety.SAFE
    triggers = ("mindspore.train.CheckpointConfig",)
    preview = True
    options = {"limit": 1}

    def suspect(self, call):
        return call.module.path[-9:] != "broken.py" or 1 // 0

    def visit_Call(self, node):
        if self.call(node):
            self.report(node, f"{self.target.version} {self.target.devices} {self.settings['limit']}")


class Behind:
    name, version = "behind", "1"

    def __init__(self, tree):
        self.tree = tree

    def run(self):
        yield 1, 0, f"ZZZ1 {len(self.tree.body)} statements", Behind
'''
ENTRY_POINTS = """
[ms_perflint.checks]
demo = tail:Demo
[flake8.extension]
ZZZ = tail:Behind
"""


def flake8(*arguments: str, cwd: Path, text: str | None = None, packages: Path | None = None) -> Ran:
    """Run flake8 as a process of its own; `text` is what it reads from stdin."""
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "--format", FORMAT, *arguments],
        cwd=cwd,
        input=(text or "").encode(),
        capture_output=True,
        env={**environment(), "PYTHONPATH": str(packages or "")},
        timeout=300,
        check=False,
    )
    assert b"Traceback" not in done.stdout + done.stderr
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the demo package, as installed."""
    root = tmp_path_factory.mktemp("packages")
    (root / "tail.py").write_text(DEMO, encoding="utf-8")
    (root / "tail-1.dist-info").mkdir()
    (root / "tail-1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: tail\nVersion: 1\n", encoding="utf-8"
    )
    (root / "tail-1.dist-info" / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    return root


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a directory with one program that has one finding."""
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


# --- the same findings


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the samples, the programs of all tests, and awkward ways to write a file, each in a project of its own."""
    root = tmp_path_factory.mktemp("everything")
    shutil.copytree(TESTS.parent / "sample_scripts", root / "samples")
    projects = dict(_programs())
    for number, comment in enumerate([*HIDING, *OTHERS]):
        projects[f"comment_{number}"] = {"train.py": TRAIN.replace(CALL, f"{CALL}  {comment}").encode()}
    for name, text in _awkward().items():
        projects[f"awkward_{name}"] = {"train.py": text}
    for project, files in projects.items():
        for file, content in {"pyproject.toml": b"", **files}.items():
            path = root / project / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return root


def _programs() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield the programs with which the rules are tested, but for those that need settings of their own."""
    for path in sorted(TESTS.glob("checks/test_*.py")):
        for name, cases in sorted(vars(importlib.import_module(f"checks.{path.stem}")).items()):
            if not name.isupper() or not isinstance(cases, list):
                continue
            programs = [case.values[0] for case in cases if hasattr(case, "values")]
            for number, program in enumerate(programs):
                if isinstance(program, Program) and not (program.version or program.device or program.options):
                    files = {file: MARKER.sub("", text).encode() for file, text in program.files.items()}
                    yield f"{path.stem}_{name}_{number}", files


def _awkward() -> dict[str, bytes]:
    """Return programs in other encodings and line ends, and with other layouts around the call."""
    wide = TRAIN.replace(f"config = {CALL}", f'name, config = "网络", {CALL}')
    return {
        "crlf": TRAIN.replace("\n", "\r\n").encode(),
        "cr": TRAIN.replace("\n", "\r").encode(),
        "bom": b"\xef\xbb\xbf" + TRAIN.encode(),
        "wide": wide.encode(),
        "gbk": b"# coding: gbk\n" + wide.encode("gbk"),
        "latin": b"# coding: latin-1\n# \xe9\n" + TRAIN.encode(),
        "tabs": TRAIN.replace("    ", "\t").encode(),
        "no_newline": TRAIN.rstrip("\n").encode(),
        "form_feed": TRAIN.replace("\n\ndef", "\n\f\ndef").encode(),
        "last_row": TRAIN.replace(
            CALL, "CheckpointConfig(\n        save_checkpoint_steps=1,\n    )  # noqa: MSP301"
        ).encode(),
        "middle_row": TRAIN.replace(
            CALL, "CheckpointConfig(\n        save_checkpoint_steps=1,  # noqa\n    )"
        ).encode(),
        "blamed_row": TRAIN.replace(
            CALL, "CheckpointConfig(\n        async_save=False,  # noqa: MSP301\n        exception_save=1)"
        ).encode(),
        "explained_row": TRAIN.replace(
            CALL, "CheckpointConfig(\n        async_save=False,  # read at once\n        exception_save=1)"
        ).encode(),
        "string": TRAIN.replace(CALL, 'CheckpointConfig(append_info=["""\n# noqa\n"""])').encode(),
        "backslash": TRAIN.replace(
            CALL, "CheckpointConfig(save_checkpoint_steps=\\\n        1,  # noqa\n    )"
        ).encode(),
        "disabled": b"# ms-perflint: disable-file=MSP301\n" + TRAIN.encode(),
        "other_disabled": b"# ms-perflint: disable-file=MSP101\n" + TRAIN.encode(),
        "skipped": b"# flake8: noqa\n" + TRAIN.encode(),
        "skipped_with_codes": b"# flake8: noqa: E501\n" + TRAIN.encode(),
        "not_skipped": TRAIN.replace(CALL, f"{CALL}  # flake8: noqa").encode(),
        "empty": b"",
        "nothing": b"x = 1\n",
    }


def says_only_what_was_not_judged(err: str) -> bool:
    """Return whether there were no errors: that a program could not be judged is none."""
    return all(": not judged for " in line or "not judged in full" in line for line in err.splitlines())


@pytest.mark.parametrize("options", ["--jobs 1", "--jobs 2", "--jobs 2 --ms-perflint-no-cache"])
def test_the_same_findings_as_the_command_line(everything: Path, options: str) -> None:
    ran = run("--output-format", "json", "--isolated", ".", cwd=everything)
    assert says_only_what_was_not_judged(ran.err)
    expected = [
        f"{os.path.relpath(each['filename'], everything)}:{each['location']['row']}:{each['location']['column']}"
        f":{each['code']} {each['message']}"
        for each in json.loads(ran.out)
    ]
    assert len(expected) > 50
    assert {"samples", "awkward_gbk", "awkward_crlf"} <= {line.split(os.sep)[0] for line in expected}
    off = ",".join(codes.previews())  # which flake8 selects with the prefix, and the command line by their full code
    found = flake8("--select", "MSP", "--extend-ignore", off, *options.split(), ".", cwd=everything)
    assert says_only_what_was_not_judged(found.err)
    assert sorted(line[2:] for line in found.out.splitlines()) == sorted(expected)


def test_the_caret_stands_below_the_first_character(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_bytes(_awkward()["wide"])
    (tmp_path / "tabs.py").write_bytes(_awkward()["tabs"])
    ran = flake8("--select", "MSP301", "--show-source", "train.py", "tabs.py", cwd=tmp_path)
    assert ran.out == (
        f"tabs.py:8:11:MSP301 {MESSAGE}\n"
        "\tconfig = CheckpointConfig(save_checkpoint_steps=100)\n"
        "\t         ^\n"
        f"train.py:8:26:MSP301 {MESSAGE}\n"
        '    name, config = "网络", CheckpointConfig(save_checkpoint_steps=100)\n'
        "                         ^\n"
    )


# --- selection is flake8's


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ([], ["MSP301"]),
        (["--select", "E"], []),
        (["--select", "MSP301"], ["MSP301"]),
        (["--select", "MSP3"], ["MSP301"]),
        (["--select", "MSP"], ["MSP301", "MSP998"]),
        (["--extend-select", "MSP998"], ["MSP301", "MSP998"]),
        (["--extend-ignore", "MSP301"], []),
        (["--extend-ignore", "MSP"], []),
        (["--ignore", "E,W"], ["MSP301", "MSP998"]),  # as of W503: what was off by default is not any more
        (["--ignore", "MSP3,MSP9"], []),
        (["--ignore", "MSP", "--select", "MSP301"], ["MSP301"]),
        (["--select", "MSP", "--ignore", "MSP301"], ["MSP998"]),
        (["--per-file-ignores", "train.py:MSP301"], []),
    ],
)
def test_selection(here: Path, packages: Path, arguments: list[str], codes: list[str]) -> None:
    pyproject = "[tool.ms-perflint]\nselect = ['MSP998']\nignore = ['MSP301']\nper-file-ignores = {'*' = ['ALL']}\n"
    (here / "pyproject.toml").write_text(pyproject, encoding="utf-8")
    assert _codes(flake8(*arguments, "train.py", cwd=here, packages=packages)) == codes


def test_preview_rules_are_off_until_they_are_selected(here: Path, packages: Path) -> None:
    assert _codes(flake8("train.py", cwd=here, packages=packages)) == ["MSP301"]
    selected = flake8("--extend-select", "MSP998", "train.py", cwd=here, packages=packages)
    assert _codes(selected) == ["MSP301", "MSP998"]


def _codes(ran: Ran) -> list[str]:
    """Return which of two rules were reported."""
    found = [line.split(":")[3][:6] for line in ran.out.splitlines()]
    return [code for code in found if code in ("MSP301", "MSP998")]


def test_disable_noqa(tmp_path: Path) -> None:
    for number, head in enumerate(("# flake8: noqa\n", "# ms-perflint: disable-file\n")):
        (tmp_path / f"head{number}.py").write_text(head + TRAIN, encoding="utf-8")
    for number, text in enumerate(
        (f"{CALL}  # noqa", "CheckpointConfig(\n        keep_checkpoint_max=1\n    )  # noqa")
    ):
        (tmp_path / f"row{number}.py").write_text(TRAIN.replace(CALL, text), encoding="utf-8")
    assert flake8("--select", "MSP3", ".", cwd=tmp_path).out == ""
    shown = flake8("--select", "MSP3", "--disable-noqa", ".", cwd=tmp_path).out
    assert [line.split(":")[0] for line in shown.splitlines()] == ["./head0.py", "./head1.py", "./row0.py", "./row1.py"]


# --- settings


def test_settings_come_from_the_nearest_pyproject(here: Path, packages: Path) -> None:
    def told(*arguments: str) -> str:
        ran = flake8("--select", "MSP998", *arguments, cwd=here, packages=packages, text=TRAIN)
        return ran.out.split("MSP998 ")[1]

    assert told("train.py").endswith(" 1\n")
    settings = '[tool.ms-perflint]\nmindspore-version = "2.3"\ndevice = "gpu"\nrules.demo.limit = 7\n'
    (here / "pyproject.toml").write_text(settings, encoding="utf-8")
    expected = told("train.py")
    assert expected.startswith("(2, 3")
    assert "GPU" in expected
    assert expected.endswith(" 7\n")
    (here / "below").mkdir()
    shutil.copy(here / "train.py", here / "below" / "other.py")
    assert told("below/other.py") == expected
    assert told("--stdin-display-name", "below/other.py", "-") == expected
    nearer = settings.replace("7", "8")
    (here / "below" / "pyproject.toml").write_text(nearer, encoding="utf-8")
    assert told("below/other.py").endswith(" 8\n")


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ("[tool.ms-perflint]\ndevize = 'GPU'\n", '[tool.ms-perflint] devize: unknown key, did you mean "device"?'),
        ("[tool.ms-perflint\n", "is not valid TOML"),
        ("[tool.ms-perflint]\nmindspore-version = 2.4\n", "mindspore-version: expected a version"),
    ],
)
def test_settings_that_cannot_be_used_stop_the_run(here: Path, settings: str, error: str) -> None:
    (here / "pyproject.toml").write_text(settings, encoding="utf-8")
    ran = flake8("train.py", cwd=here)
    assert ran.code == 1
    head, line = ran.out.splitlines()
    assert head == "There was a critical error during execution of Flake8:"
    assert line.startswith("ms-perflint: pyproject.toml:")
    assert error in line


# --- text from stdin


def test_text_from_stdin_stands_for_the_file(here: Path) -> None:
    def typed(text: str) -> str:
        return flake8("--select", "MSP3", "--stdin-display-name", "train.py", "-", cwd=here, text=text).out

    assert typed(TRAIN) == LINE + "\n"
    assert typed(FIXED) == ""
    (here / "train.py").write_text(FIXED, encoding="utf-8")
    assert typed("\n\n" + TRAIN) == LINE.replace(":8:", ":10:") + "\n"
    assert flake8("--select", "MSP3", "-", cwd=here, text=TRAIN).out == LINE.replace("train.py", "stdin") + "\n"
    assert flake8("--select", "MSP3", "train.py", cwd=here).out == ""


def test_text_from_stdin_is_part_of_its_program(tmp_path: Path) -> None:
    made = "from mindspore.train import CheckpointConfig\n\n\ndef made():\n    return CheckpointConfig()\n"
    (tmp_path / "train.py").write_text(
        "from saves import made\n" + TRAIN.replace(f"config = {CALL}", "config = made()"), encoding="utf-8"
    )
    (tmp_path / "saves.py").write_text("", encoding="utf-8")
    typed = flake8("--select", "MSP3", "--stdin-display-name", "saves.py", "-", cwd=tmp_path, text=made)
    assert typed.out.startswith("saves.py:5:12:MSP301 ")
    assert flake8("--select", "MSP3", "--stdin-display-name", "alone.py", "-", cwd=tmp_path, text=made).out == ""


# --- trouble


def test_an_error_of_a_rule_is_a_line_of_the_report(here: Path, packages: Path) -> None:
    for name in "broken.py", "after.py":
        shutil.copy(here / "train.py", here / name)
    ran = flake8(
        "--select", "MSP0,MSP3,MSP998,ZZZ", "-j", "1", "broken.py", "after.py", "train.py", cwd=here, packages=packages
    )
    lines = ran.out.splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        "after.py:1:1:ZZZ1", "after.py:8:14:MSP301", "after.py:8:14:MSP998",
        "broken.py:1:1:ZZZ1", "broken.py:8:14:MSP301", "broken.py:8:14:MSP000",
        "train.py:1:1:ZZZ1", "train.py:8:14:MSP301", "train.py:8:14:MSP998",
    ]  # fmt: skip
    error = "internal error, please report it: ZeroDivisionError: integer division or modulo by zero (tail.py:"
    assert lines[5].startswith(f"broken.py:8:14:MSP000 MSP998: {error}")
    assert lines[-3].endswith(" 5 statements")  # the tree is whole for those that come after


def test_a_rule_that_is_not_shown_is_not_asked(here: Path, packages: Path) -> None:
    shutil.copy(here / "train.py", here / "broken.py")
    ran = flake8("--select", "MSP0,MSP3", "broken.py", cwd=here, packages=packages)
    assert ran.out == LINE.replace("train.py", "broken.py") + "\n"


def test_a_check_that_cannot_be_imported_stops_the_run(here: Path, tmp_path: Path) -> None:
    info = tmp_path / "packages" / "lost-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lost\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[ms_perflint.checks]\nlost = lost:Lost\n", encoding="utf-8")
    ran = flake8("train.py", cwd=here, packages=info.parent)
    assert ran.code == 1
    assert "ms-perflint: internal error, please report it: ModuleNotFoundError: No module named 'lost'" in ran.out


def test_bad_input(here: Path) -> None:
    head = b"import mindspore\nfrom mindspore.train import CheckpointConfig\n"
    for name, raw in {
        "codec": b"# coding: klingon\n" + head,
        "codec_of_others": b"# coding: klingon\nx = 1\n",
        "latin": head + b"# \xe9\n",
        "nested": head + b"x = " + b"CheckpointConfig(" * 60 + b")" * 60 + b"\n",
        "chain": head + b"x = CheckpointConfig" + b"()" * 300 + b"\n",
        "open": head + b"x = (\n",
    }.items():
        (here / f"{name}.py").write_bytes(raw)
    ran = flake8("--select", "MSP000,MSP301,E9", ".", cwd=here)
    lines = ran.out.splitlines()
    assert lines[0] == "./codec.py:1:1:MSP000 unknown encoding: klingon"
    assert lines[1].startswith("./open.py:3:")  # flake8 says so itself
    assert lines[2:] == [f"./{LINE}"]


# --- what is known before flake8 starts


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory for caches that nobody has made yet."""
    monkeypatch.setenv("MS_PERFLINT_CACHE_DIR", str(tmp_path / "caches"))
    return tmp_path / "caches"


def test_a_change_anywhere_in_a_program_is_seen(tmp_path: Path, caches: Path) -> None:
    (tmp_path / "saves.py").write_text("def every():\n    return True\n", encoding="utf-8")
    (tmp_path / "train.py").write_text(
        "from saves import every\n" + TRAIN.replace("steps=100)", "steps=100, async_save=every())"), encoding="utf-8"
    )

    def told() -> str:
        return flake8("--select", "MSP3", ".", cwd=tmp_path).out

    assert told() == ""
    assert list(caches.glob("*.cache"))
    (tmp_path / "saves.py").write_text("def every():\n    return False\n", encoding="utf-8")
    assert told() == f"./{LINE.replace(':8:', ':9:')}\n"
    assert told() == f"./{LINE.replace(':8:', ':9:')}\n"
    (tmp_path / "saves.py").write_text("def every():\n    return True\n", encoding="utf-8")
    assert told() == ""


@pytest.mark.parametrize("home", ["", "file"])
def test_a_cache_that_is_not_wanted_or_cannot_be_kept(here: Path, caches: Path, home: str) -> None:
    if home:
        caches.write_text("no directory", encoding="utf-8")
    options = [] if home else ["--ms-perflint-no-cache"]
    assert flake8("--select", "MSP3", *options, "train.py", cwd=here).out == LINE + "\n"
    assert not caches.is_dir()


def test_a_setting_and_a_variable_say_that_no_cache_is_wanted(
    here: Path, caches: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / ".flake8").write_text("[flake8]\nms-perflint-no-cache = true\n", encoding="utf-8")
    assert flake8("--select", "MSP3", "train.py", cwd=here).out == LINE + "\n"
    (here / ".flake8").unlink()
    monkeypatch.setenv("MS_PERFLINT_NO_CACHE", "1")
    assert flake8("--select", "MSP3", "train.py", cwd=here).out == LINE + "\n"
    assert not caches.exists()
    monkeypatch.setenv("MS_PERFLINT_NO_CACHE", "0")
    assert flake8("--select", "MSP3", "train.py", cwd=here).out == LINE + "\n"
    assert caches.exists()


def test_nothing_is_looked_for_that_flake8_does_not_show(here: Path, caches: Path) -> None:
    flake8("--select", "E9,F63", "train.py", cwd=here)
    assert not caches.exists()
    flake8("--select", "E9", "--extend-select", "MSP301", "train.py", cwd=here)
    assert caches.exists()


def test_several_runs_at_once(everything: Path, caches: Path) -> None:
    def told(_: int) -> str:
        return flake8("--select", "MSP", "samples", cwd=everything).out

    with ThreadPoolExecutor() as pool:
        first, *others = pool.map(told, range(3))
    assert "MSP301" in first
    assert all(other == first for other in (*others, told(0)))


SPAWNING = """
import multiprocessing
from flake8.main.cli import main
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    raise SystemExit(main())
"""


@pytest.mark.parametrize("option", [[], ["--ms-perflint-no-cache"]])
def test_processes_that_inherit_nothing(here: Path, caches: Path, option: list[str]) -> None:
    (here / "spawning.py").write_text(SPAWNING, encoding="utf-8")
    for name in "one.py", "two.py":
        shutil.copy(here / "train.py", here / name)
    done = subprocess.run(
        [sys.executable, "spawning.py", "--jobs", "2", "--select", "MSP3", "--format", FORMAT, *option, "."],
        cwd=here,
        capture_output=True,
        env=environment(),
        timeout=120,
        check=False,
    )
    names = ("one.py", "train.py", "two.py")
    assert done.stdout.decode().splitlines() == [f"./{LINE.replace('train.py', name)}" for name in names]


def test_files_that_the_api_names_later(here: Path, caches: Path) -> None:
    shutil.copy(here / "train.py", here / "other.py")
    script = "from flake8.api.legacy import get_style_guide as g; g(select=['MSP3']).check_files(['other.py'])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=here, capture_output=True, env=environment(), timeout=120, check=False
    )
    assert done.stdout.decode().replace(": ", ":") == f"./{LINE}\n".replace("./train", "other").replace(": ", ":")
    assert not caches.exists()


def test_the_codes_are_those_of_the_rules() -> None:
    assert codes.codes() == tuple(check.code for check in checks())
    assert codes.previews() == tuple(check.code for check in checks() if check.preview)


# --- inside


def made(directory: Path, *names: str) -> None:
    """Begin a run over files, as flake8 does."""
    parse_args(["--isolated", "--ms-perflint-no-cache", *(str(directory / name) for name in names)])


def reported(path: Path, text: str) -> list[tuple[int, int, str]]:
    """Return what the plugin yields for a file."""
    plugin = Plugin(ast.parse(text), text.splitlines(keepends=True), str(path))
    found = [(row, column, message[:6]) for row, column, message, _ in plugin.run()]
    return [each for each in found if each[2] in ("MSP000", "MSP301")]


def test_the_file_is_not_linted_again(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(here, "train.py")
    monkeypatch.setattr(Linter, "parsed", lambda self, source, tree: 1 // 0)
    assert reported(here / "train.py", TRAIN) == [(8, 13, "MSP301")]
    (here / "train.py").write_text(FIXED, encoding="utf-8")
    assert reported(here / "train.py", FIXED) == [(1, 0, "MSP000")]


@pytest.mark.parametrize(("comment", "rows"), [("# noqa: MSP301", []), ("# noqa: E501", [8]), ("# why", [8])])
def test_a_comment_on_the_argument_that_is_to_blame(here: Path, comment: str, rows: list[int]) -> None:
    call = f"CheckpointConfig(\n        save_checkpoint_steps=1,\n        async_save=False,  {comment}\n    )"
    (here / "train.py").write_text(text := TRAIN.replace(CALL, call), encoding="utf-8")
    made(here, "train.py")
    assert [row for row, _, _ in reported(here / "train.py", text)] == rows


def test_the_file_is_not_parsed_again(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(source: Source) -> ast.Module:
        raise AssertionError(f"{source.path} was parsed")

    made(here, "train.py")
    monkeypatch.setattr(module_file, "parse", parse)
    (here / "train.py").write_text(TRAIN + "\n", encoding="utf-8")
    assert reported(here / "train.py", TRAIN + "\n") == [(8, 13, "MSP301")]


def test_a_file_that_changed_since_its_neighbours_were_looked_at(here: Path) -> None:
    (here / "main.py").write_text(
        "import mindspore, train\nfrom mindspore.train import CheckpointConfig\n", encoding="utf-8"
    )
    (here / "other.py").write_text(
        "import mindspore, train\nCheckpointConfig = train.CheckpointConfig()\n", encoding="utf-8"
    )
    made(here, "main.py", "other.py", "train.py")
    for name, text in ("other.py", ""), ("main.py", ""), ("train.py", "# "):
        with open(here / name, "a", encoding="utf-8") as file:
            file.write(f"{text}\n")
    for name in "other.py", "main.py":
        reported(here / name, (here / name).read_text(encoding="utf-8"))
    assert reported(here / "train.py", TRAIN) == [(8, 13, "MSP301")]
    assert reported(here / "train.py", "\n\n" + TRAIN) == [(10, 13, "MSP301")]
    assert reported(here / "train.py", FIXED) == []


def test_a_borrowed_tree_is_given_back_whole() -> None:
    tree = ast.parse(TRAIN)
    before = ast.dump(tree, include_attributes=True)
    module = module_of(Source("train.py", TRAIN.encode()), tree)
    assert module.tree is tree
    module.close()
    assert ast.dump(tree, include_attributes=True) == before
