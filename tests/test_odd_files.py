"""Files that the tool reads by itself, where something else stands in their place: no run waits or fills the memory."""

from __future__ import annotations

import os
import resource
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from front import FIXED, SAFE, TRAIN, Ran, environment, run
from test_bad_input import public, run_as_nobody  # noqa: F401 a fixture

MEMORY = 2_000_000_000  # bytes that a run may take here
KINDS = {
    "pipe": "not a regular file",
    "endless": "not a regular file",
    "directory": "Is a directory",
    "socket": "No such device or address",
    "loop": "Too many levels of symbolic links",
    "huge": "larger than ",
}
HEAD = "[tool.ms-perflint]\nselect = ['MSP301']\n"


def put(path: Path, kind: str) -> None:
    """Make something in the place of a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    elif kind == "directory":
        path.mkdir()
    elif kind == "socket":
        os.mknod(path, stat.S_IFSOCK | 0o600)
    elif kind == "loop":
        path.symlink_to(path.name)
    else:
        path.touch()
        os.truncate(path, 10_000_000_000)  # without any block of the disk


def limited(root: Path, *arguments: str, program: tuple[str, ...] = ("ms_perflint",)) -> Ran:
    """Run a tool that may not take much memory, nor for ever."""
    done = subprocess.run(
        [sys.executable, "-m", *program, *arguments],
        cwd=root,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with one finding."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / "train.py").write_text(TRAIN, encoding="utf-8")
    return root


@pytest.mark.parametrize("kind", KINDS)
def test_a_baseline(project: Path, kind: str) -> None:
    put(project / "known.json", kind)
    (project / "pyproject.toml").write_text(f"{HEAD}baseline = 'known.json'\n")
    ran = limited(project, "-n", ".")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"ms-perflint: error: known.json: cannot be read: {KINDS[kind]}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_configuration(project: Path, kind: str) -> None:
    put(project / "some.toml", kind)
    ran = limited(project, "-n", "--config", "some.toml", ".")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"ms-perflint: error: some.toml: cannot be read: {KINDS[kind]}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_configuration_that_is_found(project: Path, kind: str) -> None:
    put(project / "pyproject.toml", kind)
    ran = limited(project, "-n", "--select", "MSP301", "--output-format", "concise", ".")
    if kind == "huge":
        assert (ran.code, ran.err) == (2, "ms-perflint: error: pyproject.toml: cannot be read: larger than 10 MB\n")
    else:  # it is none
        assert (ran.code, ran.err, ran.out.count("MSP301")) == (1, "", 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [".gitignore", ".git/info/exclude", "../.gitignore"])
def test_patterns_of_git(project: Path, kind: str, name: str) -> None:
    if name.startswith(".."):
        (project / ".git").rename(project.parent / ".git")
    put(project / name, kind)
    ran = limited(project, *SAFE, "-n", "--output-format", "concise", ".")
    assert (ran.code, ran.out.count("MSP301"), ran.err.count("\n")) == (2, 1, 1)
    assert f"{os.path.basename(name)}: error: cannot be read: {KINDS[kind]}" in ran.err


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_of_a_cache(project: Path, kind: str) -> None:
    arguments = (*SAFE, "--cache-dir", "../cache", "--output-format", "concise", ".")
    first = limited(project, *arguments)
    (part,) = (project.parent / "cache").glob("*.cache/*")
    put(part, kind)
    for _ in range(2):
        assert limited(project, *arguments) == first


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "directory"])
def test_a_cache(project: Path, kind: str) -> None:
    arguments = (*SAFE, "--cache-dir", "../cache", "--output-format", "concise", ".")
    first = limited(project, *arguments)
    (cache,) = (project.parent / "cache").glob("*.cache")
    shutil.rmtree(cache)
    put(cache, kind)
    for _ in range(2):
        assert limited(project, *arguments) == first


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_of_a_killed_run(project: Path, kind: str) -> None:
    put(project / ".ms-perflint-x.undo", kind)
    ran = limited(project, *SAFE, "-n", "--fix", ".")
    assert (ran.code, ran.err) == (0, "")
    assert (project / "train.py").read_text(encoding="utf-8") == FIXED


@pytest.mark.parametrize("kind", KINDS)
def test_a_source(project: Path, kind: str) -> None:
    put(project / "odd.py", kind)
    ran = limited(project, *SAFE, "-n", "--output-format", "concise", ".", "odd.py")
    assert ran.out.count("MSP301") == 1
    if kind == "directory":
        assert (ran.code, ran.err) == (1, "")
    else:
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert ran.err.startswith("odd.py: error: ")


@pytest.mark.parametrize("kind", KINDS)
def test_files_that_a_program_asks_for(project: Path, kind: str) -> None:
    text = TRAIN.replace("import mindspore as ms\n", "import mindspore as ms, yaml, other\n")
    text = text.replace("save_checkpoint_steps=100", "save_checkpoint_steps=yaml.safe_load(open('config.yaml'))['n']")
    (project / "train.py").write_text(text, encoding="utf-8")
    for name in "config.yaml", "other.py", "run.sh", "requirements.txt", "setup.cfg":
        put(project / name, kind)
    ran = limited(project, *SAFE, "-n", "--output-format", "concise", "train.py")
    assert (ran.code, ran.err, ran.out.count("MSP301")) == (1, "", 1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_in_flake8(project: Path, kind: str) -> None:
    put(project / "known.json", kind)
    (project / "pyproject.toml").write_text(f"{HEAD}baseline = 'known.json'\n")
    ran = limited(project, "--isolated", "--select", "MSP", "train.py", program=("flake8",))
    assert ran.code == 1
    assert f"known.json: cannot be read: {KINDS[kind]}" in ran.out + ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("name", ["known.json", "some.toml", ".gitignore", "pyproject.toml"])
def test_what_may_not_be_read(public: Path, name: str) -> None:  # noqa: F811
    (public / ".git").mkdir()
    (public / "train.py").write_text(TRAIN, encoding="utf-8")
    (public / name).touch(mode=0)
    more = {"known.json": ["--baseline", name], "some.toml": ["--config", name]}.get(name, [])
    ran = run_as_nobody("-n", "--select", "MSP301", *more, "--output-format", "concise", "train.py", ".", cwd=public)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert f"{name}: " in ran.err
    assert "cannot be read: Permission denied" in ran.err


def test_folders_above_that_may_not_be_listed(public: Path) -> None:  # noqa: F811
    inner = public / "open"
    inner.mkdir()
    (public / ".git").mkdir()
    (public / ".gitignore").write_text("other.py\n")
    for name in "train.py", "other.py":
        (inner / name).write_text(TRAIN, encoding="utf-8")
    public.chmod(0o711)
    ran = run_as_nobody(*SAFE, "-n", "--output-format", "concise", ".", cwd=inner)
    assert (ran.code, ran.err, ran.out.count("MSP301")) == (1, "", 1)


def test_files_of_usual_size_are_read(project: Path) -> None:
    (project / "train.py").write_text(TRAIN + "#\n" * 300_000, encoding="utf-8")
    (project / ".gitignore").write_text("#\n" * 400_000 + "other.py\n")
    (project / "other.py").write_text(TRAIN, encoding="utf-8")
    (project / "pyproject.toml").write_text(HEAD + "#\n" * 1_000_000)
    ran = run("-n", "--output-format", "concise", ".", cwd=project)
    assert (ran.code, ran.err, ran.out.count("MSP301")) == (1, "", 1)
