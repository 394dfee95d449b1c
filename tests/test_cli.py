"""The command line: what it prints, what it writes, how it exits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from front import END, FIXED, SAFE, TRAIN, UNSAFE, on_terminal, run, run_process

from ms_perflint import __version__, pages

terminal = pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
TWO = """\
import mindspore as ms
from mindspore import nn
from mindspore.train import Model

ms.set_context(mode=ms.PYNATIVE_MODE)
net = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 16))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = Model(net, loss, nn.Momentum(net.trainable_params(), 0.1, 0.9))
model.train(10, ms.dataset.MnistDataset("mnist").batch(32))
"""  # two findings that gain as much as each other, with unsafe fixes
ASKED = ": apply this fix? [y]es, [n]o, [a]ll of MSP301, [A]ll, [q]uit: "


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a directory with one program that has one finding."""
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


def test_a_finding_is_printed_and_exits_with_1(here: Path) -> None:
    ran = run(*SAFE, "train.py", cwd=here)
    assert (ran.code, ran.err) == (1, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("train.py:8:14: MSP301 [*] ")
    assert "  |              " + "^" * 43 in lines
    assert "   8 +     config = CheckpointConfig(save_checkpoint_steps=100, async_save=True)" in lines
    assert lines[-1] == "Found 1 finding. [*] 1 fixable with `--fix`."


def test_check_may_be_named_and_options_may_stand_anywhere(here: Path) -> None:
    plain = run(*SAFE, "train.py", cwd=here)
    assert run("check", *SAFE, "train.py", cwd=here) == plain
    assert run("train.py", *SAFE, cwd=here) == plain
    assert run("check", "train.py", *SAFE, cwd=here) == plain


def test_nothing_found_exits_with_0(here: Path) -> None:
    ran = run("--isolated", "--select", "MSP6", ".", cwd=here)
    assert (ran.code, ran.out, ran.err) == (0, "No findings in 1 file.\n", "")


def test_exit_zero_hides_what_is_left_but_not_failures(here: Path) -> None:
    assert run(*SAFE, "--exit-zero", "train.py", cwd=here).code == 0
    (here / "broken.py").write_text("import mindspore\nModelCheckpoint(\n")
    broken = run(*SAFE, "--exit-zero", "train.py", "broken.py", cwd=here)
    assert (broken.code, "broken.py:2" in broken.err) == (0, True)
    assert run(*SAFE, "broken.py", cwd=here).code == 2
    assert run(*SAFE, "--exit-zero", "train.py", "gone.py", cwd=here).code == 2


def test_concise_json_statistics_and_a_file(here: Path) -> None:
    concise = run(*SAFE, "--output-format", "concise", ".", cwd=here)
    assert concise.out.splitlines()[1:] == ["Found 1 finding. [*] 1 fixable with `--fix`."]
    (found,) = json.loads(run(*SAFE, "--output-format", "json", ".", cwd=here).out)
    assert (found["code"], found["filename"], found["location"]) == (
        "MSP301",
        str(here / "train.py"),
        {"row": 8, "column": 14},
    )
    (edit,) = found["fix"]["edits"]
    assert edit["content"] == ", async_save=True"
    assert run(*SAFE, "--statistics", ".", cwd=here).out.splitlines()[0] == "1  MSP301  [*]  synchronous-checkpoint"
    silent = run(*SAFE, "--output-format", "concise", "-o", "report.txt", ".", cwd=here)
    assert (silent.code, silent.out) == (1, "")
    assert (here / "report.txt").read_text(encoding="utf-8") == concise.out


def test_rules_are_off_in_files_that_are_named(here: Path) -> None:
    def code(*options: str) -> int:
        return run(*SAFE, *options, ".", cwd=here).code

    assert code("--per-file-ignores", "train.py:MSP301") == 0
    assert code("--per-file-ignores", "other.py:MSP1,MSP301, *.py:MSP1,synchronous-checkpoint") == 0
    assert code("--per-file-ignores", "!other.py:ALL") == 0
    assert code("--per-file-ignores", "other.py:MSP301", "--extend-per-file-ignores", "t*:MSP3") == 0
    assert code("--per-file-ignores", "other.py:MSP301,train.py:MSP101") == 1
    wrong = run(*SAFE, "--per-file-ignores", "MSP301", ".", cwd=here)
    assert (wrong.code, wrong.out) == (2, "")
    assert 'expected PATTERN:RULE, like "tests/*:MSP301", got "MSP301"' in wrong.err
    empty = run(*SAFE, "--per-file-ignores", "train.py:", ".", cwd=here)
    assert (empty.code, 'expected a rule behind "train.py:"' in empty.err) == (2, True)


def test_two_runs_print_the_same_bytes_with_any_number_of_processes(here: Path) -> None:
    for number in range(120):
        (here / f"train_{number % 7}_{number}.py").write_text(TRAIN, encoding="utf-8")
    one = run(*SAFE, "-j", "1", ".", cwd=here)
    assert one.out.count("MSP301") == 121
    assert run(*SAFE, "-j", "3", ".", cwd=here) == one
    assert run(*SAFE, "-j", "1", ".", cwd=here) == one


def test_fix_writes_what_is_safe(here: Path) -> None:
    ran = run(*SAFE, "--fix", "train.py", cwd=here)
    assert (ran.code, ran.out, ran.err) == (
        0,
        "Fixed train.py: MSP301\nFound 1 finding (1 fixed, 0 remaining).\n",
        "",
    )
    assert (here / "train.py").read_text(encoding="utf-8") == FIXED
    again = run(*SAFE, "--fix", "train.py", cwd=here)
    assert (again.code, again.out) == (0, "No findings in 1 file.\n")


@pytest.mark.parametrize(
    ("options", "is_told"),
    [
        ("--ignore ALL", True),
        ("--select MSP301 --min-gain large", True),
        ("--select MSP3 --ignore MSP301", True),
        ("--per-file-ignores *:ALL", True),
        ("--per-file-ignores tr*:ALL", False),  # other.py is judged
        ("--ignore MSP301", False),
        ("--select MSP102 --min-gain large", False),
    ],
)
def test_a_run_without_rules_is_no_clean_run(here: Path, options: str, is_told: bool) -> None:
    (here / "other.py").write_text("import mindspore\n")
    ran = run("--isolated", "-n", *options.split(), "train.py", "other.py", cwd=here)
    assert (ran.out == "No findings: no rule is enabled.\n") is is_told, ran.out
    (here / "pyproject.toml").write_text("[tool.ms-perflint]\nselect = []\n")
    assert run("-n", cwd=here).out == "No findings: no rule is enabled.\n"


def test_exit_non_zero_on_fix(here: Path) -> None:
    assert run(*SAFE, "--fix", "--exit-non-zero-on-fix", "train.py", cwd=here).code == 1
    assert run(*SAFE, "--fix", "--exit-non-zero-on-fix", "train.py", cwd=here).code == 0


def test_without_terminal_unsafe_fixes_are_named_and_not_made(here: Path) -> None:
    ran = run(*UNSAFE, "--fix", "--output-format", "concise", "train.py", cwd=here)
    assert ran.code == 1
    assert (here / "train.py").read_text(encoding="utf-8") == TRAIN
    assert ran.out.splitlines()[-1].startswith("1 fixable with `--unsafe-fixes`, to be checked by you: MSP301 (")
    assert run(*UNSAFE, "--fix", "--unsafe-fixes", "train.py", cwd=here).code == 0
    assert (here / "train.py").read_text(encoding="utf-8") == FIXED


def test_diff_is_a_patch_and_writes_nothing(here: Path) -> None:
    ran = run(*SAFE, "--diff", "train.py", cwd=here)
    assert (ran.code, ran.err) == (1, "Would fix 1 of 1 findings.\n")
    assert ran.out.startswith("# safe: train.py:8:14: MSP301 ")
    assert (here / "train.py").read_text(encoding="utf-8") == TRAIN
    subprocess.run(["git", "apply", "-"], input=ran.out.encode(), cwd=here, check=True)
    assert (here / "train.py").read_text(encoding="utf-8") == FIXED


def test_diff_shows_unsafe_fixes_in_comments(here: Path) -> None:
    ran = run(*UNSAFE, "--diff", "train.py", cwd=here)
    assert ran.err == "Would fix 0 of 1 findings (1 with `--unsafe-fixes`).\n"
    assert ran.out.startswith("# unsafe: train.py:8:14: MSP301 ")
    assert all(line.startswith("#") for line in ran.out.splitlines())
    assert "# +    config = CheckpointConfig(save_checkpoint_steps=100, async_save=True)" in ran.out
    allowed = run(*UNSAFE, "--diff", "--unsafe-fixes", "train.py", cwd=here)
    assert allowed.out.startswith("# unsafe: train.py:8:14: MSP301 ")
    assert "\n+    config = CheckpointConfig(save_checkpoint_steps=100, async_save=True)\n" in allowed.out


def test_diff_keeps_line_ends(here: Path) -> None:
    (here / "train.py").write_bytes(TRAIN.replace("\n", "\r\n").encode())
    done = subprocess.run(
        [sys.executable, "-m", "ms_perflint", *SAFE, "--diff", "train.py"], cwd=here, capture_output=True, check=False
    )
    subprocess.run(["git", "apply", "-"], input=done.stdout, cwd=here, check=True)
    assert (here / "train.py").read_bytes() == FIXED.replace("\n", "\r\n").encode()


@terminal
@pytest.mark.parametrize(
    ("answers", "made", "questions"),
    [
        ("y", True, 1),
        ("n", False, 1),
        ("what,y", True, 2),
        ("a", True, 1),
        ("A", True, 1),
        ("q", False, 1),
        (END, False, 1),
    ],
)
def test_on_a_terminal_unsafe_fixes_are_asked_about(here: Path, answers: str, made: bool, questions: int) -> None:
    ran = on_terminal(*UNSAFE, "--fix", "train.py", cwd=here, answers=answers.split(","), env={"NO_COLOR": "1"})
    assert ran.out.count(ASKED) == questions
    assert "+    config = CheckpointConfig(save_checkpoint_steps=100, async_save=True)\n" in ran.out
    assert "\nunsafe: " in ran.out
    assert (ran.code, (here / "train.py").read_text(encoding="utf-8")) == ((0, FIXED) if made else (1, TRAIN))


@terminal
@pytest.mark.parametrize(
    ("answers", "fixed", "questions"),
    [("y,n,y", (0, 2), 3), ("n,a", (1, 2), 2), ("A", (0, 1, 2), 1), ("y,q", (0,), 2)],
)
def test_answers_can_hold_for_more_than_one_fix(
    here: Path, answers: str, fixed: tuple[int, ...], questions: int
) -> None:
    config = "    config = CheckpointConfig(save_checkpoint_steps=100)\n"
    call = '    model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)])\n'
    head, tail = TRAIN.split(config + call)
    (here / "train.py").write_text(head + (config + call) * 3 + tail, encoding="utf-8")
    ran = on_terminal(*UNSAFE, "--fix", "train.py", cwd=here, answers=answers.split(","), env={"NO_COLOR": "1"})
    assert ran.out.count(ASKED) == questions
    lines = [line for line in (here / "train.py").read_text(encoding="utf-8").splitlines() if "Config(" in line]
    assert tuple(at for at, line in enumerate(lines) if "async_save" in line) == fixed


@terminal
def test_questions_are_numbered_and_what_may_gain_the_most_comes_first(here: Path) -> None:
    """What was refused is named again, and not shown again."""
    options = ("--isolated", "-n", "--select", "MSP101,MSP301", "--mindspore-version", "1.1", "--fix", ".")
    (here / "other.py").write_text(TRAIN)
    ran = on_terminal(*options, cwd=here, answers=["n", "y", "n", "y"], env={"NO_COLOR": "1"})
    asked = [line.split(":")[0] for line in ran.out.splitlines() if "apply this fix?" in line]
    assert asked == ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]
    questions, report = ran.out.rsplit("[q]uit: y\n", 1)
    shown = [line.split()[1] for line in questions.splitlines() if line.startswith(("other.py:", "train.py:"))]
    assert shown == ["MSP101", "MSP101", "MSP301", "MSP301"]
    assert [line.split(":")[0] for line in report.splitlines() if ": MSP" in line and ":8:" in line] == ["other.py"]
    assert " | " not in report and "help:" not in report
    assert "Found 4 findings (2 fixed, 2 remaining)." in report


@terminal
@pytest.mark.parametrize(
    ("answers", "numbers"),
    [
        ("a,n,n", ["1 of 4", "2 of 3", "3 of 3"]),
        ("n,a,n", ["1 of 4", "2 of 4", "3 of 3"]),
        ("n,n,a,n", ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]),
        ("n,n,n,n", ["1 of 4", "2 of 4", "3 of 4", "4 of 4"]),
    ],
)
def test_what_has_its_answer_is_not_counted_as_a_question(here: Path, answers: str, numbers: list[str]) -> None:
    """Rules that gain as much as each other come file by file: what `a` answers stands between other questions."""
    options = ("--isolated", "-n", "--select", "MSP101,MSP201", "--mindspore-version", "2.3", "--fix", ".")
    for name in ("train.py", "other.py"):
        (here / name).write_text(TWO)
    ran = on_terminal(*options, cwd=here, answers=answers.split(","), env={"NO_COLOR": "1"})
    assert [line.split(":")[0] for line in ran.out.splitlines() if "apply this fix?" in line] == numbers


@terminal
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_question_shows_no_line_ends(here: Path, end: str) -> None:
    (here / "train.py").write_bytes(TRAIN.replace("\n", end).encode())
    ran = on_terminal(*UNSAFE, "--fix", "train.py", cwd=here, answers=["y"], env={"NO_COLOR": "1"})
    assert "\n+    config = CheckpointConfig(save_checkpoint_steps=100, async_save=True)\n" in ran.out
    assert "\u240d" not in ran.out
    assert (here / "train.py").read_bytes() == FIXED.replace("\n", end).encode()


@terminal
def test_nobody_is_asked_when_it_makes_no_sense(here: Path) -> None:
    for more in ("--no-interactive",), ("--output-format", "json"), ("--unsafe-fixes",):
        ran = on_terminal(*UNSAFE, "--fix", *more, "train.py", cwd=here)
        assert "apply this fix?" not in ran.out


@terminal
def test_colour_follows_the_terminal_and_the_environment(here: Path) -> None:
    assert "\x1b[" in on_terminal(*SAFE, "train.py", cwd=here).out
    assert "\x1b[" not in on_terminal(*SAFE, "train.py", cwd=here, env={"NO_COLOR": "1"}).out
    assert "\x1b[" not in on_terminal(*SAFE, "train.py", cwd=here, env={"TERM": "dumb"}).out
    assert "\x1b[" in run(*SAFE, "train.py", cwd=here, env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in run(*SAFE, "-o", "out", "train.py", cwd=here, env={"FORCE_COLOR": "1"}).out


@terminal
def test_codes_lead_to_their_pages_on_terminals_that_know_links(here: Path) -> None:
    site = "https://site.example/"
    link = f"\x1b]8;;{site}rules/MSP301-synchronous-checkpoint/\x1b\\"
    published = (
        "-c",
        f"from ms_perflint import published; published.SITE = {site!r}; from ms_perflint.cli import main; main()",
    )
    for env in {"FORCE_HYPERLINK": "1"}, {"TERM_PROGRAM": "vscode"}, {"VTE_VERSION": "7200"}, {"TERM": "xterm-kitty"}:
        assert link in on_terminal(*SAFE, "train.py", cwd=here, env=env, program=published).out
    for env in (
        {"FORCE_HYPERLINK": "0", "TERM": "xterm-kitty"},
        {"VTE_VERSION": "4200"},
        {"NO_COLOR": "1", "TERM": "foot"},
    ):
        assert "\x1b]8" not in on_terminal(*SAFE, "train.py", cwd=here, env=env, program=published).out
    assert "\x1b]8" not in run(*SAFE, "train.py", cwd=here, env={"FORCE_COLOR": "1", "TERM": "foot"}).out
    assert "\x1b]8" not in on_terminal(*SAFE, "train.py", cwd=here, env={"FORCE_HYPERLINK": "1"}).out  # no site yet


def test_configuration_of_the_project(here: Path) -> None:
    settings = "[tool.ms-perflint]\nselect = ['MSP301']\nmindspore-version = '1.10'\nextend-safe-fixes = ['MSP3']\n"
    (here / "pyproject.toml").write_text(settings, encoding="utf-8")
    assert "[*]" in run("train.py", cwd=here).out
    assert "[*]" not in run("train.py", "--isolated", "--mindspore-version", "1.10", cwd=here).out
    assert "MSP301" not in run("train.py", "--select", "MSP6", cwd=here).out
    assert run("--fix", "train.py", cwd=here).code == 0
    assert (here / "train.py").read_text(encoding="utf-8") == FIXED


def test_suppressed_findings_are_not_reported(here: Path) -> None:
    (here / "train.py").write_text(TRAIN.replace("steps=100)", "steps=100)  # noqa: MSP301"), encoding="utf-8")
    assert run(*SAFE, "train.py", cwd=here).out == "No findings in 1 file.\n"


def test_help_version_and_rules_do_without_the_engine(here: Path) -> None:
    assert run("--version", cwd=here).out == f"ms-perflint {__version__}\n"
    assert "--unsafe-fixes" in run("--help", cwd=here).out
    listed = run("rule", cwd=here).out.splitlines()
    assert [line.split()[0] for line in listed] == list(pages.codes())
    script = (
        "import sys; from ms_perflint.cli import main\ntry: main(sys.argv[1:])\nfinally: print('libcst' in sys.modules)"
    )
    for command in ("--version", "--help", "rule"):
        done = subprocess.run([sys.executable, "-c", script, command], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "False"


def test_a_reader_that_leaves_early_gets_no_traceback(here: Path) -> None:
    for number in range(300):
        (here / f"train_{number}.py").write_text(TRAIN, encoding="utf-8")
    command = f"{sys.executable} -m ms_perflint {' '.join(SAFE)} -j 1 . | head -n 1"
    done = subprocess.run(["sh", "-c", command], cwd=here, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("train.py:8:14: MSP301")
    assert done.stderr == ""


@pytest.mark.parametrize(
    "arguments",
    [
        (*SAFE, "train.py"),
        (*SAFE, "--diff", "train.py"),
        (*SAFE, "--no-cache", "--jobs", "2", "."),
        (*SAFE, "--fix", "--exit-zero", "."),
        (*SAFE, "--output-format", "json", "-"),
        ("program", "--isolated", "train.py"),
        ("rule", "MSP301"),
        ("--select", "MSP31", "gone.py"),
        ("--no-such-option",),
    ],
    ids=" ".join,
)
def test_a_run_in_the_tests_is_what_a_process_does(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Nearly all tests run the command line in their own process: this is why that proves the same."""
    told = []
    for number, way in enumerate((run, run_process)):
        folder = tmp_path / str(number) / "project"
        folder.mkdir(parents=True)
        (folder / "train.py").write_text(TRAIN, encoding="utf-8")
        ran = way(*arguments, cwd=folder, text=TRAIN)
        told.append((ran.code, ran.out.replace(str(folder), ""), ran.err, (folder / "train.py").read_bytes()))
    assert told[0] == told[1]


def test_a_file_that_is_named_has_to_be_python(here: Path) -> None:
    """Whatever it speaks of, and wherever it is found."""
    for name, text in (("plain.py", "x = (\n"), ("nul.py", "x = 1\0\n"), ("ident.py", "if x:\ny = 1\n")):
        (here / name).write_text(text)
        ran = run("--isolated", "-n", name, cwd=here)
        assert (ran.code, ran.out, ran.err.startswith(f"{name}:")) == (2, "", True)
        assert run("--isolated", "-n", "--exit-zero", name, cwd=here).code == 0
        again = run("--isolated", "-n", "-", "--stdin-filename", name, cwd=here, text=text)
        assert (again.code, again.err) == (2, ran.err)
        both = run(*SAFE, "-n", name, "train.py", cwd=here)
        assert (both.code, both.out.count("MSP301"), both.err) == (2, 1, ran.err)
    assert run("--isolated", "--select", "MSP6", "-n", ".", cwd=here).code == 2
    (here / "cookie.py").write_bytes("# coding: latin-1\nx = 'é'\n".encode("latin-1"))
    assert run("--isolated", "-n", "cookie.py", cwd=here).code == 0


def test_what_is_left_out_of_directories(here: Path) -> None:
    (here / "old").mkdir()
    (here / "old" / "train.py").write_text(TRAIN)
    (here / "build").mkdir()
    (here / "build" / "train.py").write_text(TRAIN)

    def files(*options: str, cwd: Path = here) -> list[str]:
        found = json.loads(run(*SAFE, "-n", *options, "--output-format", "json", cwd=cwd).out)
        return [str(Path(each["filename"]).relative_to(here)) for each in found]

    assert files() == ["old/train.py", "train.py"]
    assert files("--extend-exclude", "old") == files("--extend-exclude", "./old,x", ".") == ["train.py"]
    assert files("--exclude", "old") == ["build/train.py", "train.py"]
    assert files("--exclude", "old/train.py,/train.py") == ["build/train.py"]
    assert files("--extend-exclude", "/train.py", cwd=here / "old") == []
    assert files("--extend-exclude", "old/*.py", cwd=here / "old") == ["old/train.py"]


def test_rules_whose_fixes_are_not_made(here: Path) -> None:
    for options, fixed in (
        (("--unfixable", "MSP3"), 0),
        (("--fixable", "MSP1"), 0),
        (("--fixable", "MSP301", "--unfixable", "MSP3"), 1),
        (("--unfixable", "MSP102"), 1),
    ):
        assert ("[*]" in run(*SAFE, "-n", *options, cwd=here).out) == bool(fixed), options
    assert run(*SAFE, "-n", "--fix", "--unfixable", "ALL", cwd=here).code == 1
    assert (here / "train.py").read_text(encoding="utf-8") == TRAIN
    (here / "pyproject.toml").write_text(
        '[tool.ms-perflint]\nselect = ["MSP301"]\nunfixable = ["synchronous-checkpoint"]\n'
    )
    assert "(display-only: the configuration makes fixes of this rule display-only)" in run("-n", cwd=here).out
    assert "async_save=True" in run("-n", "--fixable", "MSP301", "--fix", cwd=here).out


def test_fix_only_reports_nothing_that_is_left(here: Path) -> None:
    ran = run("--isolated", "-n", "--fix-only", cwd=here)
    assert (ran.code, ran.out) == (0, "Fixed train.py: MSP301\nFixed 1 finding.\n")
    assert run("--isolated", "-n", cwd=here).code == 1
    again = run("--isolated", "-n", "--fix-only", "--exit-non-zero-on-fix", cwd=here)
    assert (again.code, again.out) == (0, "Fixed 0 findings.\n")


def test_fix_only_shows_a_patch_and_fails_only_where_it_changes_something(here: Path) -> None:
    assert run(*SAFE, "-n", "--fix-only", "--diff", cwd=here).code == 1
    ran = run(*UNSAFE, "-n", "--fix-only", "--diff", cwd=here)
    assert (ran.code, ran.err) == (0, "Would fix 0 of 1 findings (1 with `--unsafe-fixes`).\n")


def test_comments_and_gains(here: Path) -> None:
    (here / "train.py").write_text(TRAIN.replace("steps=100)", "steps=100)  # noqa: MSP301"))
    assert run(*SAFE, "-n", cwd=here).code == 0
    assert run(*SAFE, "-n", "--ignore-noqa", cwd=here).code == 1
    (here / "train.py").write_text(TRAIN)
    codes = [
        line.split()[1] for line in run("--isolated", "-n", "--output-format", "concise", cwd=here).out.splitlines()
    ]
    by_gain = run("--isolated", "-n", "--output-format", "concise", "--sort", "gain", cwd=here).out.splitlines()
    assert codes[0] == "MSP301" and [line.split()[1] for line in by_gain][-2] == "MSP301"
    large = run("--isolated", "-n", "--output-format", "concise", "--min-gain", "large", cwd=here).out
    assert "MSP301" not in large and "MSP101" in large
    assert "MSP301" in run("--isolated", "-n", "--min-gain", "medium", cwd=here).out


def test_colour_as_it_is_asked_for(here: Path) -> None:
    assert "\x1b[" in run(*SAFE, "-n", "--color", "always", cwd=here).out
    assert "\x1b[" in run(*SAFE, "-n", "--color", "always", cwd=here, env={"NO_COLOR": "1"}).out
    assert "\x1b[" not in run(*SAFE, "-n", "--color", "never", cwd=here, env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in run(*SAFE, "-n", cwd=here).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("chekc", "train.py"), 'no such command "chekc", did you mean "check"?'),
        (("progam", "train.py"), 'no such command "progam", did you mean "program"?'),
        (("lint", "."), 'no such command or file "lint"'),
        (("scan",), 'no such command or file "scan"'),
        (("nowhere", "train.py"), 'no such command or file "nowhere"'),
        (("--selct", "MSP301"), 'No such option: --selct, did you mean "--select"?'),
        (("--verison",), 'No such option: --verison, did you mean "--version"?'),
        (("--no-unsafe-fix", "."), 'No such option: --no-unsafe-fix, did you mean "--no-unsafe-fixes"?'),
        (("--frobnicate",), "No such option: --frobnicate"),
        (("--exclude=",), 'expected patterns of files, like "legacy/" or "*_test.py"'),
        (("--extend-exclude", ","), 'expected patterns of files, like "legacy/" or "*_test.py"'),
        (("--select=",), 'expected rules, like "MSP301" or "ALL"'),
        (("rule", "MSP31"), 'unknown rule "MSP31", did you mean "MSP301"?'),
        (("rule", "sync-checkpoint"), 'unknown rule "sync-checkpoint"'),
        (("--select", "MSP3O1"), 'unknown rule "MSP3O1", did you mean "MSP301"?'),
        (("--select", "checkpoint"), 'unknown rule "checkpoint"'),
    ],
)
def test_a_slip_of_the_hand_is_told_at_once(arguments: tuple[str, ...], said: str, here: Path) -> None:
    ran = run(*arguments, cwd=here)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.endswith(f"{said}\n")


def test_without_a_path_it_is_the_working_directory(here: Path) -> None:
    (here / "check.py").write_text("")
    assert run(*SAFE, "-n", cwd=here) == run(*SAFE, "-n", ".", cwd=here)
    assert run("check", *SAFE, "-n", cwd=here) == run("check", *SAFE, "-n", ".", cwd=here)
    assert json.loads(run("--show-files", "--output-format", "json", cwd=here).out)
    (here / "chekc").mkdir()
    assert run("chekc", "-n", "--isolated", cwd=here).err == "no Python files found\n"
