"""Patterns of files: as git matches them, and in a time that is bounded, whatever a repository says."""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from front import SAFE, TRAIN, Ran, environment

from ms_perflint.config.settings import FileIgnore, Patterns
from ms_perflint.core.patterns import Spec, parse, parsed

SECONDS = 20  # of the processor: a run here takes less than one
PARTS = (
    *(
        "a",
        "b",
        "ab",
        "*",
        "**",
        "***",
        "?",
        "/",
        "/**/",
        "**/",
        "/**",
        ".",
        "-",
        " ",
        "#",
        "!",
        "\\/",
        "\\*",
        "\\a",
        "\\",
    ),
    *("[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[!]a]", "[a/b]", "[\\]]", "[b-a]", "[a-]", "[--0]", "[a\\-c]", "[:]"),
    *("[[:alpha:]]", "[[:digit:]b]", "[[:foo:]]", "[[:space:][:punct:]]", "[a", "[[:alpha:"),
)


def pattern(chance: random.Random) -> str:
    """Return a line of a .gitignore, as odd as may be."""
    middle = "".join(chance.choice(PARTS) for _ in range(chance.randint(1, 6)))
    return chance.choice(["", "", "", "!", "/", "#", "\\"]) + middle + chance.choice(["", "", "/", " ", "\\ "])


def path(chance: random.Random) -> str:
    """Return a path to be matched."""
    names = []
    while len(names) < chance.randint(1, 4):
        name = "".join(chance.choice("aabbc.*[]-!# \\0") for _ in range(chance.randint(1, 4)))
        names += [name] if name not in (".", "..") else []
    return "/".join(names)


def ignored_by_git(repository: Path, lines: list[str], paths: list[str]) -> set[str]:
    """Return the paths that git ignores by these lines."""
    (repository / ".git" / "info" / "exclude").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths).encode() + b"\0",
        cwd=repository,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.decode().split("\0")) - {""}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty repository."""
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


@pytest.mark.parametrize("seed", range(8))
def test_random_patterns_match_as_in_git(repository: Path, seed: int) -> None:
    chance = random.Random(seed)
    hits = 0
    for _ in range(40):
        lines = [pattern(chance) for _ in range(chance.choice([1, 1, 2, 3]))]
        paths = sorted({path(chance) for _ in range(40)})
        wanted = ignored_by_git(repository, lines, paths)
        usable = [line for line in lines if line.startswith("#") or parsed(line) is not None]
        matches = Patterns("/root", usable)
        assert {each for each in paths if matches(f"/root/{each}")} == wanted, lines
        hits += len(wanted)
    assert hits > 50


@pytest.mark.parametrize(
    ("line", "hit", "miss"),
    [
        ("build", ["build", "x/build", "build/a.py"], ["builder", "x/build.py"]),
        ("/build", ["build"], ["x/build"]),
        ("build/", ["build/a.py"], ["build"]),  # a file
        ("**/build/**/*.log", ["build/a.log", "x/build/y/z/a.log"], ["build.log", "x/a.log"]),
        ("*foo*bar*baz*", ["foobarbaz", "x/1foo2bar3baz4"], ["foobaz", "foo/bar/baz"]),
        ("*.py[cod]", ["a.pyc", "x/a.pyo"], ["a.py", "a.pyx"]),
        ("docs/_build/", ["docs/_build/a.py"], ["x/docs/_build/a.py"]),
        ("a/**", ["a/b", "a/b/c"], ["a", "x/a/b"]),
        ("[z-a]", ["z"], ["a", "b"]),
        ("new\\\nline", ["new\nline"], ["newline"]),
    ],
)
def test_patterns_that_people_write(line: str, hit: list[str], miss: list[str]) -> None:
    matches = Patterns("/root", [line])
    assert [each for each in (*hit, *miss) if matches(f"/root/{each}")] == hit


def test_the_last_one_decides_and_a_folder_keeps_what_is_in_it() -> None:
    spec = Spec(map(parse, ["*.py", "!keep.py", "", "# all", "keep.py/"]))
    assert [spec("a.py", False), spec("keep.py", False), spec("a.txt", False)] == [True, False, None]
    assert Patterns("/", ["out", "!out/keep.py"])("/out/keep.py")


# --- patterns that would take for ever

NAME = "a" * 120 + ".py"
ENDLESS = (
    "a*" * 14 + "b",
    "*a" * 60 + "b",
    "?*" * 60 + "c",
    "[ab]*" * 40 + "c",
    "**/" + "a*" * 14 + "b/x",
    "**/*a*a*a*a*/" * 12 + "b",
    "!" + "*a" * 40 + "b",
    "***a" * 30 + "b",
    "*[[:alpha:]]*" * 20 + "[0-9][0-9]",
)


def bounded(root: Path, *arguments: str) -> Ran:
    """Run the tool with an end to the time of the processor that it may take."""
    done = subprocess.run(
        [sys.executable, "-m", "ms_perflint", "--no-cache", *arguments, "."],
        cwd=root,
        env=environment(),
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)),
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("place", [".gitignore", "info/exclude", "extend-exclude", "per-file-ignores", "command line"])
def test_no_pattern_of_a_repository_takes_for_ever(tmp_path: Path, place: str) -> None:
    for folder in (tmp_path, tmp_path / "/".join(["a" * 20] * 20)):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / NAME).write_text(TRAIN, encoding="utf-8")
    (tmp_path / ".git" / "info").mkdir(parents=True)
    options = [*SAFE[1:]]
    if place == ".gitignore":
        (tmp_path / ".gitignore").write_text("\n".join(ENDLESS))
    elif place == "info/exclude":
        (tmp_path / ".git" / "info" / "exclude").write_text("\n".join(ENDLESS))
    elif place == "extend-exclude":
        (tmp_path / "pyproject.toml").write_text(f"[tool.ms-perflint]\nextend-exclude = {[*ENDLESS]!r}\n")
    elif place == "per-file-ignores":
        table = "".join(f'"{each}" = ["MSP301"]\n' for each in ENDLESS if not each.startswith("!"))
        (tmp_path / "pyproject.toml").write_text(f"[tool.ms-perflint.per-file-ignores]\n{table}")
    else:
        options += [f"--per-file-ignores={each}:MSP301" for each in ENDLESS if each[0] not in "!"]
    ran = bounded(tmp_path, *options, "--output-format", "concise")
    assert (ran.code, ran.err, ran.out.count("MSP301")) == (1, "", 2)


@pytest.mark.parametrize("line", ENDLESS)
def test_the_work_for_a_pattern_is_bounded(line: str) -> None:
    glob = FileIgnore(line, ()).glob
    expression = getattr(parse(glob), "expression", None)
    assert expression is not None
    text = "/".join(["a" * 250] * 16)  # as long as a path may be
    assert expression.match(text) is None


LINES = (
    "\t",
    "!\t",
    "a -m\t",
    "pip install mindspore_",
    "pip install mindspore-1.",
    "pip ",
    "pip install mindspore==1.",
)


@pytest.mark.parametrize("name", ["train.ipynb", "requirements.txt"])
def test_no_line_that_may_pin_a_version_takes_for_ever(tmp_path: Path, name: str) -> None:
    lines = [f"{each}{each.split()[-1] * 20_000 if each.strip() else each * 100_000}" for each in LINES]
    lines = [line.ljust(100_000, line[-1])[:100_000] + "x" for line in lines]
    if name == "train.ipynb":
        sources = [f"!pip install mindspore==2.4\n{TRAIN}", *(f'"""\n{line}\n"""\n' for line in lines)]
        cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        cells = [{**cell, "source": source} for source in sources]
        text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    else:
        (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
        text = "\n".join([*lines, "mindspore==2.4"])
    (tmp_path / name).write_text(text, encoding="utf-8")
    ran = bounded(tmp_path, *SAFE, "--output-format", "concise")
    assert (ran.code, ran.err, ran.out.count("MSP301")) == (1, "", 1)


# --- patterns that are none


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("!", "it names nothing"),
        ("/", "it names nothing"),
        ("!/", "it names nothing"),
        ("a[", "its [ has no ]"),
        ("[!]", "its [ has no ]"),
        ("[a-\\", "its [ has no ]"),
        ("a\\", "nothing follows its backslash"),
        ("[[:foo:]]", '"foo" is no class of characters'),
        ("a" * 5000, "it has more than 4096 characters"),
    ],
)
def test_what_is_no_pattern_is_named_and_left_out_of_a_gitignore(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(ValueError) as error:
        parse(line)
    assert error.value.args[0] == reason
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "other.py").write_text(TRAIN, encoding="utf-8")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbfother.py\r\n" + line.encode() + b"\n")
    ran = bounded(tmp_path, *SAFE, "--output-format", "concise")
    assert (ran.code, ran.err, ran.out.count("MSP301")) == (1, "", 1)
    (tmp_path / "pyproject.toml").write_text(f"[tool.ms-perflint]\nextend-exclude = ['{line}']\n")
    ran = bounded(tmp_path)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert ran.err.endswith(f"is not a pattern: {reason}\n")
