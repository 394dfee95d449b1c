"""An internal error costs the question in which it happens: one file in one program, in every front end.

An exception is put into a function of each layer, for `bad.py` alone. All other files are reported and fixed, one line
names the file, and the exit code is 2.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from front import FIXED, SAFE, TRAIN, environment

from ms_perflint import cli
from ms_perflint.api import lint_paths
from ms_perflint.config.formats import FORMATS
from ms_perflint.core.findings import Safety
from ms_perflint.core.reports import Report
from ms_perflint.core.source import Source
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.server import linting
from ms_perflint.server.buffers import Buffer
from ms_perflint.server.settings import Folders, Options

ERROR = "internal error, please report it: KeyError: 'spoiled' (test_isolation.py:"
# A function of each layer: it is asked about every file, with it or something of it as an argument.
READING = (
    "core.files:Disk.read",
    "core.source:Source.__init__",
    "index.semantic_index:SemanticIndex.__init__",
    "resolve.imports:Imports._scanned",
    "resolve.imports:Imports._search_path",
    "resolve.entry_points:Entries.programs",
    "linting.linter.Suppressions",
)
ASKING = (  # with the rule named
    "program.program:Program.__init__",
    "program.program:Program.runs",
    "infer.evaluate:ProgramEvaluator.value",
    "checks.msp301_synchronous_checkpoint:SynchronousCheckpoint.suspect",
    "check:Check.examine",
    "check:Check.report",
    "edits.settings.set_value",
)
FIXING = ("core.source:Source.edited", "fixes.fixing:_Work._source", "fixes.writing.prepare")
REPORTING = {
    "text": "report.text.block",
    "concise": "report.concise.headline",
    "grouped": "report.grouped._file",
    "json": "report.json._finding",
    "sarif": "report.sarif:_Log.result",
    "github": "report.github._finding",
    "gitlab": "report.gitlab._finding",
    "junit": "report.junit._suite",
    "html": "report.html.article",
}


def is_of_bad(value: Any, depth: int = 4) -> bool:
    """Return whether a value is the path of bad.py, or something of that file."""
    if isinstance(value, str):
        return value.endswith("bad.py")
    parts = (getattr(value, name, None) for name in ("_site", "site", "finding", "module", "source", "place", "path"))
    return depth > 0 and any(part is not None and is_of_bad(part, depth - 1) for part in parts)


def spoil(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Let a function of the package raise when it is asked about bad.py; `where` is module:class.function."""
    owner, _, name = where.rpartition(".")
    module, _, cls = owner.partition(":")
    home: Any = importlib.import_module(f"ms_perflint.{module}")
    home = getattr(home, cls) if cls else home
    function = getattr(home, name)

    def spoiled(*arguments: Any, **keywords: Any) -> Any:
        if any(map(is_of_bad, arguments)):
            raise KeyError("spoiled")
        return function(*arguments, **keywords)

    monkeypatch.setattr(home, name, spoiled)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, which is a project: three programs that have the same finding."""
    (tmp_path / "setup.cfg").write_text("")
    for name in ("after.py", "bad.py", "good.py"):
        (tmp_path / name).write_text(TRAIN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Ran:
    """What the command line printed, and its exit code."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
        with pytest.raises(SystemExit) as left:
            cli.main(["check", *SAFE, *arguments, "."])
        self.code = left.value.code
        self.out, err = capsys.readouterr()
        self.errors = [line for line in err.splitlines() if "error" in line]


@pytest.mark.parametrize("where", [*READING, *ASKING])
def test_the_others_are_reported(
    where: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(monkeypatch, where)
    ran = Ran(capsys, "--no-cache", "--output-format", "concise")
    assert ran.code == 2
    assert [line.partition(":")[0] for line in ran.out.splitlines()[:2]] == ["after.py", "good.py"]
    assert len(ran.errors) == 1 and ran.errors[0].startswith("bad.py:")
    assert ("MSP301: " if where in ASKING else "error: ") + ERROR in ran.errors[0]


@pytest.mark.parametrize("where", [*READING, *ASKING, *FIXING])
def test_the_others_are_fixed(
    where: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(monkeypatch, where)
    ran = Ran(capsys, "--no-cache", "--fix", "--output-format", "concise")
    assert ran.code == 2
    assert [(here / name).read_text() for name in ("after.py", "good.py")] == [FIXED, FIXED]
    assert (here / "bad.py").read_text() == TRAIN
    assert len(ran.errors) == 1 and ran.errors[0].startswith("bad.py:") and ERROR in ran.errors[0]


@pytest.mark.parametrize("name", FORMATS)
def test_the_others_stand_in_the_report(
    name: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(monkeypatch, REPORTING[name])
    ran = Ran(capsys, "--no-cache", "--output-format", name)
    assert ran.code == 2
    assert "after.py" in ran.out and "good.py" in ran.out
    assert ran.errors[-1].startswith("bad.py: error: internal error, please report it: ")
    if name == "json":
        assert [Path(each["filename"]).name for each in json.loads(ran.out)] == ["after.py", "good.py"]


def test_a_report_that_cannot_be_made_at_all_costs_no_other(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ms_perflint.report.sarif._Log.log", lambda run: 1 // 0)
    ran = Ran(capsys, "--no-cache", "--output-format", "sarif", "--output-file", "out.sarif")
    assert ran.code == 2 and "sarif report: error: internal error" in ran.errors[-1]
    ran = Ran(capsys, "--no-cache", "--output-format", "sarif=out.sarif", "--output-format", "concise")
    assert ran.code == 2 and ran.out.count("MSP301") == 3


@pytest.mark.parametrize("where", [*READING, *ASKING])
def test_other_programs_get_a_report(where: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, where)
    report = lint_paths(here, select=["MSP301"], isolated=True)
    assert_isolated(report)


def assert_isolated(report: Report) -> None:
    assert [Path(finding.place.path).name for finding in report.findings] == ["after.py", "good.py"]
    assert [(Path(problem.path).name, problem.internal) for problem in report.problems] == [("bad.py", True)]
    assert ERROR in report.problems[0].message


def test_side_by_side(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ms_perflint.processes.parts.CHEAPEST", 0)
    for where in ("index.semantic_index:SemanticIndex.__init__", "check:Check.examine"):
        spoil(monkeypatch, where)
        assert_isolated(lint_paths(here, jobs=2, select=["MSP301"], isolated=True))


@pytest.mark.parametrize("where", [READING[0], READING[2], READING[5], *ASKING[1:5]])
def test_an_internal_error_is_not_remembered(
    where: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--cache-dir", str(here / ".cache"), "--output-format", "concise")
    with monkeypatch.context() as patched:
        spoil(patched, where)
        first, second = Ran(capsys, *arguments), Ran(capsys, *arguments)
    assert (second.code, second.out, second.errors) == (first.code, first.out, first.errors)
    assert first.code == 2
    assert Ran(capsys, *arguments).out.count("MSP301") == 3


@pytest.mark.parametrize("where", [*READING[1:], *ASKING, "server.linting._sources"])
def test_the_others_are_shown_in_an_editor(where: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, where)
    paths = [str(here / name) for name in ("bad.py", "good.py")]
    buffers = tuple(Buffer(path, path, TRAIN, 1, True, False) for path in paths)
    state = linting.State(buffers, Folders({"": Options(select=("MSP301",))}), lambda: True)
    bad, good = (linting.Linting().open(state).checked[path] for path in paths)
    assert not bad.findings and ERROR in bad.problems[0].message
    assert [finding.code for finding in good.findings] == ["MSP301"] and not good.problems


def test_an_editor_that_has_moved_on_voids_all(here: Path) -> None:
    path = str(here / "good.py")
    state = linting.State((Buffer(path, path, TRAIN, 1, True, False),), Folders({"": Options()}), lambda: False)
    with pytest.raises(linting.Voided):
        linting.Linting().open(state)


def test_the_others_are_described(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(monkeypatch, "program.program:Program.__init__")
    with pytest.raises(SystemExit) as left:
        cli.main(["program", "--isolated", "."])
    out, err = capsys.readouterr()
    assert left.value.code == 2
    assert "after.py" in out and "good.py" in out and "bad.py" not in out
    assert err.startswith("bad.py: error: internal error") and err.count("\n") == 1


def test_a_fix_is_only_shown_where_a_program_of_the_file_could_not_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "common.py").write_text(TRAIN.rpartition("\n\ntrain(")[0], encoding="utf-8")
    for name in ("bad.py", "good.py"):
        (tmp_path / name).write_text("from common import train\ntrain(None, None, None)\n", encoding="utf-8")
    (before,) = lint_paths(tmp_path, select=["MSP301"], isolated=True).findings
    spoil(monkeypatch, "program.program:Program.__init__")
    report = lint_paths(tmp_path, select=["MSP301"], isolated=True)
    (after,) = report.findings
    assert before.fix and before.fix.safety is Safety.SAFE
    assert after.fix and after.fix.safety is Safety.DISPLAY
    assert after.fix.reason == "not every program that runs this file could be asked"
    assert {Path(problem.path).name for problem in report.problems} <= {"common.py", "bad.py"}


def test_flake8_goes_on(here: Path) -> None:
    script = (
        "import sys; from ms_perflint.check import Check; from flake8.main.cli import main\n"
        "examine = Check.examine\n"
        "def spoiled(check, site):\n"
        "    if site.module.path.endswith('bad.py'): raise KeyError('spoiled')\n"
        "    return examine(check, site)\n"
        "Check.examine = spoiled\n"
        "sys.exit(main(['--isolated', '--select', 'MSP0,MSP301', '-j', '1', '--ms-perflint-no-cache', '.']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=here, env=environment(), capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["./after.py:8:14:", "MSP301"],
        ["./bad.py:8:14:", "MSP000"],
        ["./good.py:8:14:", "MSP301"],
    ]
    assert lines[1].split("MSP000 ")[1].startswith("MSP301: internal error, please report it: KeyError: 'spoiled'")


def test_a_file_that_cannot_be_judged_once_it_is_fixed_stays_as_it_was(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make = SemanticIndex.__init__

    def spoiled(module: SemanticIndex, source: Source, *arguments: Any) -> None:
        if is_of_bad(source) and b"async_save" in source.text:
            raise KeyError("spoiled")
        make(module, source, *arguments)

    monkeypatch.setattr(SemanticIndex, "__init__", spoiled)
    ran = Ran(capsys, "--no-cache", "--fix", "--output-format", "concise")
    assert ran.code == 2
    assert [(here / name).read_text() for name in ("after.py", "good.py")] == [FIXED, FIXED]
    assert (here / "bad.py").read_text() == TRAIN
    assert ran.errors and all(line.startswith("bad.py:") for line in ran.errors)
    assert f"left as it was: {ERROR}" in ran.errors[0]
