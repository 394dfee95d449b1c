"""The cache: what it gives is what a run without it finds, whatever happened in between."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from front import Ran, environment, run

from ms_perflint import engine
from ms_perflint.cache import cache as caches
from ms_perflint.cache import packing
from ms_perflint.cache.cache import Cache, Memory
from ms_perflint.cache.packing import Session
from ms_perflint.config.settings import Config, FileIgnore
from ms_perflint.core import files
from ms_perflint.core.files import Disk
from ms_perflint.core.reports import Report
from ms_perflint.discovery import discover
from ms_perflint.linting import linter
from ms_perflint.linting.linter import Linter

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


@pytest.mark.parametrize("settled", [0, files.SETTLED])  # by status where it tells, by content where it does not
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_seen(
    change: Callable[[Path], None], settled: int, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "SETTLED", settled)
    memory = Memory()
    remembered(project, memory)
    change(project)
    assert remembered(project, memory) == anew(project)


def test_a_change_in_one_project_leaves_the_other_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()  # the project ends here: what comes and goes above it does not count
    for name in ("one", "other"):
        shutil.copytree(SAMPLES / "zoo_project", tmp_path / name)
    monkeypatch.setattr(linter, "HELD_BY_SESSION", 0)
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


def parts(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").glob("*.cache/*"))


def knows(cache: Cache, folder: Path) -> bool:
    """Return whether a cache knows something of a file in a folder."""
    memory = cache.load()
    return any(map(memory.knows, paths_of(folder)))


def test_findings_come_back_whole(cache: Cache, project: Path) -> None:
    first = filled(cache, project)
    found, left = cache.load().recall(paths_of(project), Disk())
    assert not left
    findings = sorted(finding for finding in found if finding.code)  # the others say which programs train
    assert [repr(finding) for finding in findings] == [repr(finding) for finding in first.findings]


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 40, b"x" * 16 + b"[", bytes(range(256)) * 16], ids=lambda content: f"{len(content)} bytes"
)
def test_a_corrupt_cache_is_none(cache: Cache, project: Path, tmp_path: Path, content: bytes) -> None:
    first = filled(cache, project)
    (file,) = parts(tmp_path)
    whole = file.read_bytes()
    for damaged in (content, whole[:-1], whole[:20]):
        file.write_bytes(damaged)
        assert not knows(cache, project)
        assert filled(cache, project) == first
        (file,) = parts(tmp_path)
    assert knows(cache, project)


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
        assert not knows(cache, project)
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
    gone = paths_of(project / "zoo_project")
    old = [tmp_path / "cache" / name for name in ("old.cache", "folder.cache/part", "folder.cache")]
    unfinished = kept(tmp_path)[0] / "part.tmp"
    old[2].mkdir()
    for path in (*old, unfinished):
        path.is_dir() or path.write_bytes(b"")
        os.utime(path, (1, 1))
    shutil.rmtree(project / "zoo_project")
    _append("lenet.py", "\n")(project)
    filled(cache, project)
    assert not any(path.exists() for path in (*old, unfinished))
    memory = cache.load()
    assert knows(cache, project) and not any(map(memory.knows, gone))


def test_a_cache_that_cannot_be_kept_stops_nothing(project: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = Cache(str(tmp_path / "file" / "cache"), [str(project)], Config(str(project)))
    assert filled(cache, project) == anew(project)


# --- in parts


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of projects that make a part each, and share nothing."""
    (tmp_path / "tree" / ".git").mkdir(parents=True)
    (tmp_path / "tree" / ".git" / "HEAD").touch()
    for number in range(6):
        shutil.copytree(SAMPLES / "zoo_project", tmp_path / "tree" / f"project{number}")
    monkeypatch.setattr(caches, "PART", len(paths_of(tmp_path / "tree" / "project0")))
    monkeypatch.setattr(files, "SETTLED", 0)  # the status of a file tells at once
    monkeypatch.setattr(engine, "HANDED_OVER", 1)
    monkeypatch.setattr(linter, "HELD_BY_SESSION", 0)
    return tmp_path / "tree"


@pytest.fixture
def divided(projects: Path, tmp_path: Path) -> Cache:
    return Cache(str(tmp_path / "cache"), [str(projects)], Config(str(projects)))


def linted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list of the files that are linted from now on."""
    found: list[str] = []
    ask = Linter.file

    def noted(linter: Linter, path: str) -> object:
        found.append(path)
        return ask(linter, path)

    monkeypatch.setattr(Linter, "file", noted)
    return found


def test_parts_are_written_and_loaded_one_at_a_time(
    divided: Cache, projects: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, written, held = divided.load(), [], []
    write, load = packing.Parts.write, packing.Parts.load

    def noted_write(parts: packing.Parts, sessions: Sequence[Session]) -> str:
        held.append(sum(len(session.findings) for session in sessions))
        written.append(write(parts, sessions))
        return written[-1]

    loaded: list[str] = []

    def noted_load(parts: packing.Parts, name: str) -> object:
        loaded.append(name)
        return load(parts, name)

    monkeypatch.setattr(packing.Parts, "write", noted_write)
    monkeypatch.setattr(packing.Parts, "load", noted_load)
    first = remembered(projects, memory)
    assert len(written) >= 5 and max(held) <= 2 * caches.PART  # before it is saved
    assert not loaded
    divided.save(memory)
    assert sorted(written) == [path.name for path in parts(tmp_path)]
    again = divided.load()
    assert again.recall(paths_of(projects / "project1"), Disk())[1] == [] and len(set(loaded)) == 1
    assert remembered(projects, again) == first and len(set(loaded)) == len(written)


@pytest.mark.parametrize("damage", ["gone", "empty", "short", "longer", "no part"])
def test_a_broken_part_costs_only_that_part(
    damage: str, divided: Cache, projects: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = filled(divided, projects)
    broken = parts(tmp_path)[2]
    raw = broken.read_bytes()
    memory = divided.load() if damage == "gone" else None  # as another run removes it
    damaged = {"empty": b"", "short": raw[:-1], "longer": raw + b"x", "no part": b"x" * 99}
    broken.unlink() if damage == "gone" else broken.write_bytes(damaged[damage])
    again = linted(monkeypatch)
    memory = memory or divided.load()
    assert remembered(projects, memory) == first
    divided.save(memory)
    assert 0 < len(again) <= 2 * caches.PART
    assert broken not in parts(tmp_path)
    again.clear()
    assert filled(divided, projects) == first and not again


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_writes_the_parts_anew_that_know_of_it(
    change: Callable[[Path], None], divided: Cache, projects: Path, tmp_path: Path
) -> None:
    shutil.copyfile(SAMPLES / "lenet.py", projects / "project3" / "lenet.py")
    shutil.copytree(SAMPLES / "zoo_project", projects / "project3" / "zoo_project")
    filled(divided, projects)
    before = set(parts(tmp_path))
    change(projects / "project3")
    assert filled(divided, projects) == anew(projects)
    assert len(before & set(parts(tmp_path))) >= 3  # the others are as they were: two have project 3, one is filled up
    assert filled(divided, projects) == anew(projects)


def test_a_run_that_is_stopped_leaves_what_it_had_done(
    divided: Cache, projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Linter.file

    def stops(linter: Linter, path: str) -> object:
        if "project4" in path:
            raise KeyboardInterrupt
        return ask(linter, path)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Linter, "file", stops)
        remembered(projects, divided.load())
    again = linted(monkeypatch)
    assert filled(divided, projects) == anew(projects)
    assert not any("project0" in path or "project1" in path for path in again[: -len(paths_of(projects))])


def test_small_parts_are_put_together(divided: Cache, projects: Path, tmp_path: Path) -> None:
    files = paths_of(projects)
    for path in files:
        memory = divided.load()
        engine.lint([path], Config(str(projects)), memory=memory)
        divided.save(memory)
    assert len(parts(tmp_path)) <= 2 * 6
    assert divided.load().recall(files, Disk())[1] == []


def test_costs_are_those_of_the_last_run(divided: Cache, projects: Path) -> None:
    files = paths_of(projects)
    assert divided.load().costs(files) == {}
    filled(divided, projects)
    _append("project2/src/dataset.py", "\n")(projects)
    memory = divided.load()
    memory.recall(files, Disk())  # what does not hold any more is the best guess all the same
    costs = memory.costs(files)
    assert costs.keys() == set(files) and all(0 < cost < 60 for cost in costs.values())
    assert memory.costs(files[:1]).keys() == {files[0]}


# --- on the command line


def command(*arguments: str, folder: Path, cache: Path) -> Ran:
    """Run the command line with a cache directory."""
    return run(*arguments, cwd=folder, env={"MS_PERFLINT_CACHE_DIR": str(cache)})


def test_the_command_line_remembers_and_forgets(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    plain = command("--isolated", "--no-cache", ".", folder=project, cache=cache)
    assert not cache.exists() and plain.code == 1
    for _ in range(2):
        again = command("--isolated", ".", folder=project, cache=cache)
        assert (again.out, again.err, again.code) == (plain.out, plain.err, 1)
    assert (cache / ".gitignore").read_text() == "*\n" and len(kept(tmp_path)) == 1
    assert command("clean", folder=project, cache=cache).out == f"Removed 1 cache from {cache}.\n"
    assert not cache.exists()
    assert command("clean", folder=project, cache=cache).out == f"Removed 0 caches from {cache}.\n"


def test_the_command_line_looks_again_only_where_something_counts(project: Path, tmp_path: Path) -> None:
    """A folder above the project is on `sys.path`: what comes there counts if it is imported."""
    text = (project / "lenet.py").read_text(encoding="utf-8")
    head = "import sys\nsys.path.append('..')\nfrom neighbour import MODE\n"
    assert "mode=ms.GRAPH_MODE" in text
    _write("near.py", head + text.replace("mode=ms.GRAPH_MODE", "mode=MODE"))(project)
    cache = tmp_path / "cache"
    count = len(paths_of(project))
    command("--isolated", ".", folder=project, cache=cache)
    for name in ("notes.txt", "other/module.py", "project/outputs/log.txt", "project/docs/notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    again = command("--isolated", "--verbose", ".", folder=project, cache=cache)
    assert f"cache: {count} of {count} files had not changed" in again.err
    (tmp_path / "neighbour.py").write_text("MODE = 1\n")
    plain = command("--isolated", "--no-cache", ".", folder=project, cache=cache)
    with_cache = command("--isolated", ".", folder=project, cache=cache)
    assert (with_cache.out, with_cache.err) == (plain.out, plain.err)
    reported = [[row for row in run.out.splitlines() if row.startswith("near.py")] for run in (again, plain)]
    assert ["MSP101" in "".join(rows) for rows in reported] == [False, True]


def test_what_was_fixed_is_remembered_as_fixed(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    arguments = ("--isolated", "--output-format", "json", ".")
    command(*arguments, folder=project, cache=cache)
    fixed = command("--fix", "--unsafe-fixes", "--no-interactive", *arguments, folder=project, cache=cache)
    after = command(*arguments, folder=project, cache=cache)
    plain = command("--no-cache", *arguments, folder=project, cache=cache)
    assert json.loads(after.out) == json.loads(plain.out) == json.loads(fixed.out)


def test_runs_side_by_side_find_the_same(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    plain = command("--isolated", "--no-cache", ".", folder=project, cache=cache)
    settings = {**environment(), "MS_PERFLINT_CACHE_DIR": str(cache)}
    line = [sys.executable, "-m", "ms_perflint", "--isolated", "."]
    runs = [
        subprocess.Popen(line, cwd=project, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(4)
    ]
    assert {run.communicate(timeout=120)[0] for run in runs} == {plain.out}
    assert sorted(path.suffix for path in cache.iterdir() if path.name[0] != ".") == [".TAG", ".cache"]
