"""What a long run shows while it works, and what `--verbose` tells of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from front import SAFE, TRAIN, on_terminal, run

from ms_perflint.commands.progress import CLEAR, Progress
from ms_perflint.processes.workers import side_by_side

terminal = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
# a run of any length is a long one, and each step is shown
IMPATIENT = (
    "-c",
    "import sys; from ms_perflint.commands import progress; progress.PATIENCE = progress.PAUSE = 0\n"
    "from ms_perflint.cli import main; main(sys.argv[1:])",
)
BAR = re.compile(r"Linting \[(#*)(-*)\] (\d+)/5 files")
FRESH = {"CI": ""}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a directory with five programs, the first of which has a finding."""
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    for number in range(4):
        (tmp_path / f"train_{number}.py").write_text("import mindspore\n", encoding="utf-8")
    return tmp_path


@terminal
def test_a_terminal_shows_how_far_it_is_and_nothing_is_left_of_that(here: Path) -> None:
    options = (*SAFE, "--no-cache", "-j1", ".")
    quiet = on_terminal(*options, cwd=here, program=IMPATIENT)
    ran = on_terminal(*options, cwd=here, program=IMPATIENT, env=FRESH)
    pictures = ran.out.split(CLEAR)
    assert [BAR.fullmatch(each)[3] for each in pictures[1:-1]] == [str(number) for number in range(6)]  # type: ignore[index]
    assert (ran.code, pictures[0] + pictures[-1]) == (1, quiet.out)
    assert "Linting" not in quiet.out


@terminal
@pytest.mark.parametrize(
    ("options", "env"),
    [(("--quiet",), {}), ((), {"CI": "true"}), ((), {"TERM": "dumb"}), (("--version",), {})],
)
def test_progress_is_not_shown_to_those_who_do_not_want_it(
    here: Path, options: tuple[str, ...], env: dict[str, str]
) -> None:
    ran = on_terminal(*options, *SAFE, "--no-cache", ".", cwd=here, program=IMPATIENT, env={**FRESH, **env})
    assert CLEAR not in ran.out


@terminal
def test_what_fixes_lead_to_shows_how_far_it_is(here: Path) -> None:
    ran = on_terminal(*SAFE, "--no-cache", "-j1", "--fix", ".", cwd=here, program=IMPATIENT, env=FRESH)
    assert sum(each.endswith("0/5 files") for each in ran.out.split(CLEAR)) > 1
    assert ran.out.endswith("Found 1 finding (1 fixed, 0 remaining).\n") and ran.code == 0


@terminal
@pytest.mark.parametrize("command", [("program", "."), ("program", "train.py"), ("explain", "train.py:1")])
def test_commands_that_read_programs_show_that_they_are_at_work(here: Path, command: tuple[str, ...]) -> None:
    quiet = on_terminal(*command, cwd=here, program=IMPATIENT)
    ran = on_terminal(*command, cwd=here, program=IMPATIENT, env=FRESH)
    assert (quiet.code, ran.code, ran.out) == (0, 0, f"Reading programs ...{CLEAR}{quiet.out}")


def test_no_progress_without_terminal(here: Path) -> None:
    ran = run(*SAFE, "--no-cache", ".", cwd=here, env=FRESH)
    assert (ran.err, "Linting" in ran.out) == ("", False)


def test_the_bar_fits_on_a_line_and_goes_when_the_work_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = Progress("Linting", 0, shows=False)
    assert [len(progress.line(columns)) for columns in (0, 10, 200)] == [0, 9, len(progress.line(200))]
    monkeypatch.setattr("ms_perflint.commands.progress.PATIENCE", 0)
    with pytest.raises(KeyboardInterrupt), Progress("Linting", 5, shows=True) as progress:
        progress(3)
        raise KeyboardInterrupt
    out, err = capsys.readouterr()
    assert (out, err.count("3/5"), err.endswith(CLEAR)) == ("", 1, True)


def test_processes_tell_how_many_files_are_done() -> None:
    told: list[int] = []
    results: list[int] = []
    dead = side_by_side([["a", "b"], ["c"], ["d", "e", "f"]], len, results.append, 2, done=told.append)
    assert (sorted(results), dead, sum(told)) == ([1, 2, 3], [], 6)


def test_verbose_tells_what_was_passed_over_and_why(here: Path) -> None:
    (here / "pyproject.toml").write_text(
        "[tool.ms-perflint]\nselect = ['MSP301']\nextend-exclude = ['old']\n", encoding="utf-8"
    )
    (here / ".git").mkdir()
    (here / ".gitignore").write_text("made.py\n", encoding="utf-8")
    for name in ("old/x.py", "made.py", "plain.py"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text("x = 1\n", encoding="utf-8")
    plain = run("--cache-dir=cache", ".", cwd=here)
    ran = run("--verbose", "--cache-dir=cache", ".", cwd=here)
    assert (ran.code, ran.out, plain.err) == (1, plain.out, "")
    lines = ran.err.splitlines()
    assert lines[:2] == ["settings: pyproject.toml", "rules: MSP301"]
    (cache,) = (here / "cache").glob("*.cache")
    assert [line for line in lines if line.startswith("skipped")] == [
        "skipped .git: excluded by the configuration",
        f"skipped cache/{cache.name}: ignored by git",
        "skipped made.py: ignored by git",
        "skipped old: excluded by the configuration",
        "skipped plain.py: does not mention mindspore",
        *(f"skipped train_{number}.py: has no code that a rule checks" for number in range(4)),
    ]
    assert "program train.py: trains, PyNative, MindSpore 2.10, any device, 1 file" in lines
    assert "cache: 6 of 6 files had not changed" in lines
    assert re.fullmatch(r"time: finding files \d+\.\d\d s, linting .*", lines[-1])
    assert "cache: off" in run("-v", "--no-cache", ".", cwd=here).err
    assert run("-v", "-q", ".", cwd=here).code == 2
