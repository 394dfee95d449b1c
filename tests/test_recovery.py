"""Killed at any moment: no file is ever half written, and the next run clears away what was left."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import sys
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from front import FIXED, SAFE, TRAIN, run
from trees import AFTER, BEFORE, LEFTOVER, changes, family, grow, start

from ms_perflint.fixes import recovery, replacing
from ms_perflint.fixes.recovery import recover
from ms_perflint.fixes.writing import write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and kill")
LONG = os.environ.get("MS_PERFLINT_KILL_SECONDS")  # kill runs for so long, and at every line instead of some
SECONDS = float(LONG or 3)
STEP = 1 if LONG else 7
SINGLES, PAIRS = (800, 100) if LONG else (240, 30)


def leftovers(root: Path) -> list[Path]:
    """Return what runs have left in a tree."""
    return sorted(root.rglob(LEFTOVER))


def torn(files: Sequence[Path]) -> list[Path]:
    """Return the files that are neither as before nor fixed."""
    return [file for file in files if file.read_bytes() not in (BEFORE, AFTER)]


def split(files: Sequence[Path]) -> list[Path]:
    """Return the files that are fixed while a companion is not."""
    slow = {family(str(file)) for file in files if file.read_bytes() == BEFORE}
    return [file for file in files if file.read_bytes() == AFTER and family(str(file)) in slow]


# --- at every line


def killed_at(line: int, files: Sequence[Path]) -> bool:
    """Write changes in another process and kill it before this line of the package; return whether it came to it."""
    child = os.fork()
    if child == 0:
        os.fsync = lambda descriptor: None  # type: ignore[assignment]  # a kill takes nothing from the disk
        todo = changes(files)
        sys.settrace(_killing(line))
        write(todo)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL)
    return status != 0


def _killing(line: int) -> Any:
    """Return a trace function that kills the process when so many lines of the package have run."""
    counts = iter(range(line))
    ours = os.path.dirname(recovery.__file__)

    def local(frame: FrameType, event: str, _: object) -> Any:
        if event == "line" and next(counts, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return local

    return lambda frame, event, _: local if frame.f_code.co_filename.startswith(ours) else None


def test_files_fixed_together_survive_a_kill_before_any_line(tmp_path: Path) -> None:
    files = grow(tmp_path, 1, 1)
    halves = 0
    for line in count(0, STEP):
        if not killed_at(line, files):
            break
        assert torn(files) == []
        halves += bool(split(files))
        assert recover(map(str, files)) == ()
        assert (split(files), torn(files), leftovers(tmp_path)) == ([], [], [])
        for file in files:
            file.write_bytes(BEFORE)
    assert line > 100
    assert halves > 0  # else the records were not needed
    assert [file.read_bytes() for file in files] == [AFTER] * 3


def test_a_file_with_two_names_survives_a_kill_before_any_line(tmp_path: Path) -> None:
    (file,) = files = grow(tmp_path, 1)
    os.link(file, tmp_path / "other.py")
    for line in count(0, STEP):
        if not killed_at(line, files):
            break
        assert recover([str(file)]) == ()
        assert (torn(files), leftovers(tmp_path)) == ([], [])
        file.write_bytes(BEFORE)
    assert line > 100
    assert (tmp_path / "other.py").read_bytes() == AFTER
    assert file.stat().st_nlink == 2


@pytest.mark.parametrize("done", range(0, len(AFTER), 7))
def test_a_file_that_was_half_written_in_place_comes_back(tmp_path: Path, done: int) -> None:
    (file,) = grow(tmp_path, 1)
    os.link(file, tmp_path / "other.py")
    new = replacing.prepare(str(file), BEFORE, AFTER)
    assert new is not None
    recovery.record([new])
    file.write_bytes(AFTER[:done] + BEFORE[done:])
    assert recover([str(file)]) == ()
    assert file.read_bytes() in (BEFORE, AFTER)
    assert leftovers(tmp_path) == []


# --- at any time


def test_a_run_killed_again_and_again_never_leaves_half_a_file(tmp_path: Path) -> None:
    files = grow(tmp_path, SINGLES, PAIRS)
    chance = random.Random(4)
    until = time.monotonic() + SECONDS
    fixed = most = 0
    while time.monotonic() < until or not fixed:
        process = start(tmp_path, "--fix", ".")
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0, 0.4))
        process.kill()
        process.communicate()
        assert torn(files) == []
        most = max(most, len(leftovers(tmp_path)))
        done = sum(file.read_bytes() == AFTER for file in files)
        fixed = max(fixed, done)
        if done > 0.9 * len(files):
            for file in files:
                file.write_bytes(BEFORE)
    assert most <= 6  # a pair: two records, two files, and each new
    process = start(tmp_path, "--fix", ".")
    process.communicate()
    assert process.returncode == 0
    assert {file.read_bytes() for file in files} == {AFTER}
    assert leftovers(tmp_path) == []


# --- what the next run makes of it


def half(root: Path) -> list[Path]:
    """Return a pair of files of which a killed run has written the first."""
    files = grow(root, 0, 1)
    prepared = [replacing.prepare(str(file), BEFORE, AFTER) for file in files]
    ready = [new for new in prepared if new is not None]
    recovery.record(ready)
    replacing.put(ready[0])
    return files


def test_what_was_half_done_is_undone_and_done_anew(tmp_path: Path) -> None:
    files = half(tmp_path)
    assert split(files) == [files[0]]
    process = start(tmp_path, "--fix", ".")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert {file.read_bytes() for file in files} == {AFTER}
    assert b"(1 fixed, 0 remaining)" in out
    assert leftovers(tmp_path) == []


def test_leftovers_are_neither_linted_nor_touched_by_a_run_that_does_not_fix(tmp_path: Path) -> None:
    files = half(tmp_path)
    there = leftovers(tmp_path)
    for arguments in (["."], ["--diff", "."]):
        process = start(tmp_path, *arguments)
        out, err = process.communicate()
        assert b".ms-perflint" not in out + err
    assert leftovers(tmp_path) == there
    assert split(files) == [files[0]]


@pytest.mark.parametrize("which", [0, 1])
def test_an_edit_since_the_kill_is_left_alone_and_spoken_of(tmp_path: Path, which: int) -> None:
    files = half(tmp_path)
    mine = files[which].read_bytes() + b"# mine\n"
    files[which].write_bytes(mine)
    held = [file.read_bytes() for file in files]
    problems = recover(map(str, files))
    assert [file.read_bytes() for file in files] == held
    assert [problem.path for problem in problems] == sorted(map(str, files))
    assert f"{files[which].name} changed since: see {tmp_path}" in problems[0].message
    records = [path for path in leftovers(tmp_path) if path.suffix == recovery.RECORD]
    assert len(records) == 2
    assert {json.loads(record.read_text())[0][1] for record in records} == {BEFORE.decode()}  # it can be had back
    records[0].unlink()
    assert recover(map(str, files)) == ()
    assert leftovers(tmp_path) == []


def test_a_record_speaks_only_for_folders_that_it_lies_in(tmp_path: Path) -> None:
    files = half(tmp_path / "theirs")
    outside = tmp_path / "mine.py"
    outside.write_bytes(AFTER)
    for record in leftovers(tmp_path):
        if record.suffix == recovery.RECORD:
            entries = json.loads(record.read_text())
            record.write_text(json.dumps([[str(outside), *entries[0][1:]], *entries[1:]]))
    assert recover(map(str, files)) == ()
    assert outside.read_bytes() == AFTER
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'[["a"]]', b'{"a": 1}', b"[[1, 2, 3]]", b'["abc"]', b"[]"])
def test_a_record_that_is_none_is_no_trouble(tmp_path: Path, content: bytes) -> None:
    (file,) = grow(tmp_path, 1)
    (file.parent / ".ms-perflint-x.undo").write_bytes(content)
    assert recover([str(file)]) == ()
    assert file.read_bytes() == BEFORE


def test_what_belongs_to_a_run_at_work_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacing, "PATIENCE", 0.05)
    files = half(tmp_path)
    there = leftovers(tmp_path)
    with replacing.locked({str(file.parent) for file in files}) as alone:
        assert alone
        assert recover(map(str, files)) == ()
        assert leftovers(tmp_path) == there
        assert split(files) == [files[0]]
    assert recover(map(str, files)) == ()
    assert (leftovers(tmp_path), split(files)) == ([], [])


# --- what is named like a leftover and is none


def _named(place: Path, kind: str, outside: Path) -> None:
    """Make something that no run leaves behind, under the name of what one does."""
    if kind == "directory":
        place.mkdir()
    elif kind == "full directory":
        place.mkdir()
        (place / "mine.txt").write_text("mine")
    elif kind == "link to a directory":
        place.symlink_to(outside)
    elif kind == "link to a file":
        place.symlink_to(outside / "mine.txt")
    elif kind == "broken link":
        place.symlink_to("nowhere")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        os.mknod(place, stat.S_IFSOCK | 0o600)


NAME = ".ms-perflint-x.tmp"
NAMES = (".ms-perflint-x.undo", ".ms-perflint-a\nb.tmp", ".ms-perflint-.tmp")
KINDS = ("directory", "full directory", "link to a directory", "link to a file", "broken link", "pipe", "socket")


@pytest.mark.parametrize(("kind", "name"), [(kind, NAME) for kind in KINDS] + [("directory", name) for name in NAMES])
def test_what_only_has_the_name_of_a_leftover_stays_and_stops_nothing(tmp_path: Path, kind: str, name: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "mine.txt").write_text("mine")
    _named(root / name, kind, outside)
    (root / "train.py").write_text(TRAIN, encoding="utf-8")
    before = sorted((path, path.lstat().st_mode) for path in tmp_path.rglob("*"))
    ran = run(*SAFE, "--fix", ".", cwd=root)
    assert (ran.code, ran.err) == (0, "")
    assert (root / "train.py").read_text(encoding="utf-8") == FIXED
    assert sorted((path, path.lstat().st_mode) for path in tmp_path.rglob("*")) == before
    assert (outside / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_beside_something_of_its_name_is_forgotten_alone(tmp_path: Path, kind: str) -> None:
    files = half(tmp_path)
    files[0].write_bytes(BEFORE)
    records = [path for path in leftovers(tmp_path) if path.suffix == recovery.RECORD]
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "mine.txt").write_text("mine")
    records[0].unlink()
    _named(records[0], kind, tmp_path / "outside")
    assert recover(map(str, files)) == ()
    assert leftovers(tmp_path) == [records[0]]
    assert (tmp_path / "outside" / "mine.txt").read_text() == "mine"


def test_leftovers_that_may_not_be_read_go(tmp_path: Path) -> None:
    (file,) = grow(tmp_path, 1)
    left = file.parent / ".ms-perflint-x.tmp"
    left.write_bytes(b"")
    left.chmod(0)
    assert recover([str(file)]) == ()
    assert leftovers(tmp_path) == []
