"""The cache: what it gives is what a run without it finds, whatever happened in between."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ms_perflint import engine, source
from ms_perflint.cache import Cache, Memory
from ms_perflint.config import Config, FileIgnore
from ms_perflint.discovery import discover
from ms_perflint.engine import Linter
from ms_perflint.findings import Report
from ms_perflint.source import Disk

SAMPLES = Path(__file__).parent.parent / "sample_scripts"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of the samples."""
    folder = Path(shutil.copytree(SAMPLES, tmp_path / "project"))
    (folder / ".git").mkdir()  # what lies above is none of its business
    (folder / "zoo_project" / "pyproject.toml").write_text("")
    return folder


def paths_of(folder: Path) -> tuple[str, ...]:
    return discover([str(folder)], Config(str(folder))).files


def remembered(folder: Path, memory: Memory) -> Report:
    """Return what a run that remembers finds."""
    return engine.lint(paths_of(folder), Config(str(folder)), memory=memory)


def anew(folder: Path) -> Report:
    """Return what a run finds that knows nothing."""
    return engine.lint(paths_of(folder), Config(str(folder)))


def test_what_is_known_is_not_looked_for_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory()
    first = remembered(project, memory)
    assert first == anew(project) and first.findings

    def never(self: Linter, path: str) -> None:
        raise AssertionError(f"{path} was linted again")

    monkeypatch.setattr(Linter, "file", never)
    assert remembered(project, memory) == first


def _append(name: str, text: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        with open(folder / name, "a", encoding="utf-8") as file:
            file.write(text)

    return change


def _write(name: str, text: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    return change


def _secretly(folder: Path) -> None:
    """Change a file, but neither its size nor its time."""
    path = folder / "lenet.py"
    status, text = path.stat(), path.read_text(encoding="utf-8")
    path.write_text(text.replace("GRAPH_MODE", "GRAPH_NODE"), encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_mtime_ns == status.st_mtime_ns and path.stat().st_size == status.st_size


CHANGES: dict[str, Callable[[Path], None]] = {
    "the file itself": _append("lenet.py", "\nimport mindspore as ms\nms.set_context(mode=ms.PYNATIVE_MODE)\n"),
    "neither size nor time": _secretly,
    "an imported module": _append("zoo_project/src/dataset.py", "\nds.config.set_enable_autotune(False)\n"),
    "a module that is imported from now on": _write("zoo_project/mindspore.py", "raise ImportError\n"),
    "a launcher": _write("run.sh", "python lenet.py --epochs 1\npython custom_loop.py\n"),
    "a pin": _write("requirements.txt", "mindspore==1.10.0\n"),
    "a file is gone": lambda folder: (folder / "zoo_project" / "src" / "network.py").unlink(),
    "a new script": _write("other.py", "import mindspore as ms\nfrom zoo_project.src import network\n"),
    "a folder turns into a package": _write("zoo_project/__init__.py", ""),
    "a file is broken": _append("lenet.py", "\n(\n"),
}


@pytest.mark.parametrize("settled", [0, source.SETTLED])  # by status where it tells, by content where it does not
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_seen(
    change: Callable[[Path], None], settled: int, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "SETTLED", settled)
    memory = Memory()
    remembered(project, memory)
    change(project)
    assert remembered(project, memory) == anew(project)


def test_a_change_in_one_project_leaves_the_other_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()  # the project ends here: what comes and goes above it does not count
    for name in ("one", "other"):
        shutil.copytree(SAMPLES / "zoo_project", tmp_path / name)
    monkeypatch.setattr(engine, "HELD_BY_SESSION", 0)
    memory = Memory()
    remembered(tmp_path, memory)
    _append("one/src/dataset.py", "\n")(tmp_path)
    _, left = memory.recall(paths_of(tmp_path), Disk())
    assert left == list(paths_of(tmp_path / "one"))


def test_what_programs_leave_behind_changes_nothing(project: Path) -> None:
    memory = Memory()
    remembered(project, memory)
    (project / "__pycache__").mkdir()
    (project / "zoo_project" / ".lenet.py.swp").write_text("")
    assert memory.recall(paths_of(project), Disk())[1] == []


def test_what_comes_and_goes_above_a_project_changes_nothing(tmp_path: Path) -> None:
    """A folder without a mark of its root, below one that everybody uses: what is looked for there counts."""
    folder = Path(shutil.copytree(SAMPLES / "zoo_project", tmp_path / "one"))
    memory = Memory()
    first = remembered(folder, memory)
    (tmp_path / "notes.md").write_text("")
    (tmp_path / "download").mkdir()
    assert memory.recall(paths_of(folder), Disk())[1] == []
    (tmp_path / "run.sh").write_text("python one/train.py\n")
    assert memory.recall(paths_of(folder), Disk())[1] and remembered(folder, memory) == first


def test_what_could_not_be_read_is_said_every_time(project: Path) -> None:
    _append("lenet.py", "\n(\n")(project)
    memory = Memory()
    first = remembered(project, memory)
    assert [problem.path for problem in first.problems] == [str(project / "lenet.py")]
    assert remembered(project, memory) == first


# --- on disk


@pytest.fixture
def cache(project: Path, tmp_path: Path) -> Cache:
    return Cache(str(tmp_path / "cache"), [str(project)], Config(str(project)))


def filled(cache: Cache, project: Path) -> Report:
    """Return what a run finds, and keep it."""
    memory = cache.load()
    report = remembered(project, memory)
    cache.save(memory)
    return report


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").glob("*.cache"))


def test_findings_come_back_whole(cache: Cache, project: Path) -> None:
    first = filled(cache, project)
    found, left = cache.load().recall(paths_of(project), Disk())
    assert sorted(found) == list(first.findings) and not left
    assert [repr(finding) for finding in sorted(found)] == [repr(finding) for finding in first.findings]


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 40, b"x" * 16 + b"[", bytes(range(256)) * 16], ids=lambda content: f"{len(content)} bytes"
)
def test_a_corrupt_cache_is_none(cache: Cache, project: Path, tmp_path: Path, content: bytes) -> None:
    first = filled(cache, project)
    (file,) = kept(tmp_path)
    for damaged in (content, file.read_bytes()[:-1], file.read_bytes()[:20]):
        file.write_bytes(damaged)
        assert not cache.load().sessions
        assert filled(cache, project) == first
    assert cache.load().sessions


def test_other_settings_have_their_own_cache(project: Path, tmp_path: Path) -> None:
    ways = [
        Config(str(project)),
        Config(str(project), select=("MSP3",)),
        Config(str(project), device="GPU"),
        Config(str(project), mindspore_version=(2, 4)),
        Config(str(project), line_length=100),
        Config(str(project), options={"MSP102": {"report-deliberate": True}}),
        Config(str(project), per_file_ignores=(FileIgnore("lenet.py", ("MSP102",)),)),
    ]
    for config in ways:
        cache = Cache(str(tmp_path / "cache"), [str(project)], config)
        assert not cache.load().sessions
        memory = cache.load()
        engine.lint(paths_of(project), config, memory=memory)
        cache.save(memory)
    assert len(kept(tmp_path)) == len(ways)


def test_runs_over_parts_of_a_project_share_a_cache(project: Path, tmp_path: Path) -> None:
    (project / "pyproject.toml").write_text("")
    for part in ("lenet.py", "custom_loop.py"):
        filled(Cache(str(tmp_path / "cache"), [str(project / part)], Config(str(project))), project / part)
    whole = Cache(str(tmp_path / "cache"), [str(project)], Config(str(project)))
    _, left = whole.load().recall([str(project / "lenet.py"), str(project / "custom_loop.py")], Disk())
    assert not left


def test_what_is_gone_or_unused_is_removed(cache: Cache, project: Path, tmp_path: Path) -> None:
    filled(cache, project)
    old = tmp_path / "cache" / "old.cache"
    old.write_bytes(b"")
    os.utime(old, (1, 1))
    shutil.rmtree(project / "zoo_project")
    _append("lenet.py", "\n")(project)
    filled(cache, project)
    assert not old.exists()
    assert all(os.path.exists(path) for session in cache.load().sessions for path in session.findings)


def test_a_cache_that_cannot_be_kept_stops_nothing(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(str(tmp_path / "file" / "cache"), [str(project)], Config(str(project)))
    assert filled(cache, project) == anew(project)


# --- on the command line


def command(*arguments: str, folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line with a cache directory."""
    settings = {**os.environ, "MS_PERFLINT_CACHE_DIR": str(cache)}
    line = [sys.executable, "-m", "ms_perflint", *arguments]
    return subprocess.run(line, cwd=folder, env=settings, capture_output=True, text=True, timeout=120)


def test_the_command_line_remembers_and_forgets(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    plain = command("--isolated", "--no-cache", ".", folder=project, cache=cache)
    assert not cache.exists() and plain.returncode == 1
    for _ in range(2):
        again = command("--isolated", ".", folder=project, cache=cache)
        assert (again.stdout, again.stderr, again.returncode) == (plain.stdout, plain.stderr, 1)
    assert (cache / ".gitignore").read_text() == "*\n" and len(kept(tmp_path)) == 1
    assert command("clean", folder=project, cache=cache).stdout == f"Removed 1 cache from {cache}.\n"
    assert not cache.exists()
    assert command("clean", folder=project, cache=cache).stdout == f"Removed 0 caches from {cache}.\n"


def test_what_was_fixed_is_remembered_as_fixed(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    arguments = ("--isolated", "--output-format", "json", ".")
    command(*arguments, folder=project, cache=cache)
    fixed = command("--fix", "--unsafe-fixes", "--no-interactive", *arguments, folder=project, cache=cache)
    after = command(*arguments, folder=project, cache=cache)
    plain = command("--no-cache", *arguments, folder=project, cache=cache)
    assert json.loads(after.stdout) == json.loads(plain.stdout) == json.loads(fixed.stdout)


def test_runs_side_by_side_find_the_same(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    plain = command("--isolated", "--no-cache", ".", folder=project, cache=cache)
    settings = {**os.environ, "MS_PERFLINT_CACHE_DIR": str(cache)}
    line = [sys.executable, "-m", "ms_perflint", "--isolated", "."]
    runs = [
        subprocess.Popen(line, cwd=project, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(4)
    ]
    assert {run.communicate(timeout=120)[0] for run in runs} == {plain.stdout}
    assert sorted(path.suffix for path in cache.iterdir() if path.name[0] != ".") == [".TAG", ".cache"]
