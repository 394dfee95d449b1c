"""Writing: whole or not at all, only over what was read, and like the old file in all else."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front import FIXED, INTERRUPT, PROMPT, SAFE, TRAIN, UNSAFE, environment, on_terminal, run
from trees import AFTER, BEFORE, LEFTOVER, changes, grow, start

from ms_perflint.fixes import replacing
from ms_perflint.fixes.writing import Change, write

NOBODY = 65534


def change(path: Path, after: bytes, *together: Path) -> Change:
    """Return the change of a file on disk."""
    return Change(str(path), path.read_bytes(), after, tuple(map(str, together or (path,))))


def left(root: Path) -> list[Path]:
    """Return what runs have left in a tree."""
    return sorted(root.rglob(LEFTOVER))


def opened_up(path: Path) -> None:
    """Let every user come to a folder of the tests."""
    for parent in (path, *path.parents):
        if parent.stat().st_uid == os.geteuid() and parent.stat().st_mode & 0o005 != 0o005:
            parent.chmod(0o755)


def as_nobody(do: Callable[[], Any]) -> int:
    """Return the exit code of a process that does this as a user who owns nothing, and is not root; 0 for None, ()."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
            code = int(bool(do()))
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def without_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system not be one that makes others wait."""
    monkeypatch.setattr(replacing._Lease, "__init__", lambda lease, file: setattr(lease, "_held", False))


# --- like the old file


def test_keeps_the_mode_and_leaves_nothing_else_behind(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    for mode in (0o754, 0o600, 0o4711, 0o2755, 0o644):
        path.write_bytes(b"a")
        path.chmod(mode)
        assert write([change(path, b"b")]) == ()
        assert path.read_bytes() == b"b"
        assert oct(stat.S_IMODE(path.stat().st_mode)) == oct(mode)
    assert os.listdir(tmp_path) == ["train.py"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_keeps_the_owner(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"a")
    os.chown(path, NOBODY, 4321)
    path.chmod(0o4755)
    assert write([change(path, b"b")]) == ()
    status = path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (NOBODY, 4321, 0o4755)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another's file")
def test_writes_in_place_where_the_owner_cannot_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"a")
    path.chmod(0o666)
    opened_up(tmp_path)
    tmp_path.chmod(0o777)
    before = path.stat()
    assert as_nobody(lambda: write([change(path, b"b")])) == 0
    after = path.stat()
    assert path.read_bytes() == b"b"
    assert (after.st_uid, after.st_gid, after.st_ino) == (before.st_uid, before.st_gid, before.st_ino)
    assert left(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="has no functions for attributes")
def test_keeps_attributes_and_access_lists(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(b"a")
    user = b"\xff" * 4
    rows = [b"\x01\x00\x06\x00" + user, b"\x02\x00\x06\x00\xfe\xff\x00\x00", b"\x04\x00\x04\x00" + user]
    rows += [b"\x10\x00\x06\x00" + user, b"\x20\x00\x04\x00" + user]
    try:
        os.setxattr(path, "user.origin", b"model zoo")
        os.setxattr(path, "system.posix_acl_access", b"\x02\x00\x00\x00" + b"".join(rows))
    except OSError as error:
        pytest.skip(f"the file system has none: {error}")
    wanted = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    assert len(wanted) == 2
    assert write([change(path, b"b")]) == ()
    assert path.read_bytes() == b"b"
    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == wanted


def test_writes_through_symbolic_links(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "links").mkdir()
    for number, target in enumerate((str(tmp_path / "real" / "train.py"), "../real/train.py", "../links/0.py")):
        real, link = tmp_path / "real" / "train.py", tmp_path / "links" / f"{number}.py"
        real.write_bytes(b"a")
        link.symlink_to(target)
        assert write([change(link, b"b")]) == ()
        assert os.readlink(link) == target
        assert real.read_bytes() == b"b"
    assert sorted(os.listdir(tmp_path / "links")) == ["0.py", "1.py", "2.py"]
    assert os.listdir(tmp_path / "real") == ["train.py"]


@pytest.mark.parametrize("target", ["gone.py", "train.py"])
def test_a_link_to_nothing_or_to_itself_is_refused(tmp_path: Path, target: str) -> None:
    link = tmp_path / "train.py"
    link.symlink_to(target)
    (problem,) = write([Change(str(link), b"a", b"b", (str(link),))])
    assert problem.message.startswith("cannot write the fixed file: ")
    assert os.readlink(link) == target
    assert os.listdir(tmp_path) == ["train.py"]


def test_all_names_of_a_file_keep_the_same_content(tmp_path: Path) -> None:
    path, other = tmp_path / "a.py", tmp_path / "sub" / "b.py"
    other.parent.mkdir()
    path.write_bytes(b"a" * 9)
    path.chmod(0o4750)
    os.link(path, other)
    assert write([change(path, b"short")]) == ()
    assert path.read_bytes() == other.read_bytes() == b"short"
    assert path.samefile(other)
    assert oct(stat.S_IMODE(path.stat().st_mode)) == oct(0o4750)
    assert left(tmp_path) == []


def test_a_file_that_is_linted_by_two_names_is_fixed_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TRAIN)
    (tmp_path / "b.py").symlink_to("a.py")
    os.link(tmp_path / "a.py", tmp_path / "c.py")
    ran = run(*SAFE, "--fix", ".", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert (tmp_path / "a.py").read_text() == (tmp_path / "c.py").read_text() == FIXED
    assert (tmp_path / "b.py").is_symlink()


# --- only over what was read


def test_does_not_write_over_what_changed_meanwhile(tmp_path: Path) -> None:
    path, other = tmp_path / "a.py", tmp_path / "b.py"
    path.write_bytes(b"aaaa")
    other.write_bytes(b"a")
    changes = [change(path, b"b"), change(other, b"b")]
    status = path.stat()
    path.write_bytes(b"mine")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # same size, same time
    (problem,) = write(changes)
    assert problem.path == str(path)
    assert "has changed since it was read" in problem.message
    assert (path.read_bytes(), other.read_bytes()) == (b"mine", b"b")
    assert sorted(os.listdir(tmp_path)) == ["a.py", "b.py"]


def deleted(path: Path) -> None:
    path.unlink()


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside.txt").write_text("mine")


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere.txt"))
    path.symlink_to("gone.txt")


def mine(path: Path) -> None:
    path.write_bytes(b"mine")


def mine_by_rename(path: Path) -> None:
    path.with_name("draft").write_bytes(b"mine")
    os.replace(path.with_name("draft"), path)


TURNS = [deleted, a_folder, a_pipe, a_link, mine, mine_by_rename]


def shape(root: Path) -> dict[str, object]:
    """Return what is in a tree."""
    return {str(path): path.read_bytes() if path.is_file() else path.lstat().st_mode for path in root.rglob("*")}


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("moment", ["before", "prepared", "compared"])
@pytest.mark.parametrize("swaps", [True, False])
def test_leaves_alone_what_a_file_has_become(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turn: Callable[[Path], None], moment: str, swaps: bool
) -> None:
    path, companion = tmp_path / "train.py", tmp_path / "zoo.py"
    path.write_bytes(BEFORE)
    companion.write_bytes(BEFORE)
    todo = [change(companion, AFTER, path, companion), change(path, AFTER, path, companion)]
    expected: dict[str, object] = {}
    turned: list[int] = []

    def once(*_: object) -> None:
        if not turned:
            turned.append(1)
            at_work = {name: content for name, content in shape(tmp_path).items() if "/.ms-perflint" in name}
            turn(path)
            expected.update(shape(tmp_path))
            expected[str(companion)] = BEFORE
            for name in at_work:
                expected.pop(name, None)

    without_leases(monkeypatch)  # this process would wait for itself
    exchange = replacing._exchange
    if moment == "before":
        once()
    elif moment == "prepared":  # both files are ready
        monkeypatch.setattr("ms_perflint.fixes.writing.record", lambda files: (once(), ())[1])
    elif not swaps:
        pytest.skip("this is the moment that remains where the system cannot swap")
    else:
        monkeypatch.setattr(
            replacing, "_exchange", lambda one, other: (once() if other == str(path) else None, exchange(one, other))[1]
        )
    if not swaps:
        monkeypatch.setattr(replacing, "_exchange", lambda one, other: False)
    elif sys.platform != "linux":
        pytest.skip("the system cannot swap")
    problems = write(todo)
    assert turned == [1]
    assert sorted(problem.path for problem in problems) == [str(path), str(companion)]
    assert shape(tmp_path) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="the system cannot swap")
def test_a_second_edit_while_the_first_is_put_back_is_kept_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = grow(tmp_path, 1)
    exchange, edits = replacing._exchange, [b"first", b"second"]

    def edited(one: str, other: str) -> bool:
        path.write_bytes(edits.pop(0))
        return exchange(one, other)

    without_leases(monkeypatch)  # this process would wait for itself
    monkeypatch.setattr(replacing, "_exchange", edited)
    (problem,) = write(changes([path]))
    (kept,) = left(tmp_path)
    assert (path.read_bytes(), kept.read_bytes()) == (b"first", b"second")
    assert str(kept) in problem.message
    assert kept.suffix == replacing.KEPT


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not say")
def test_does_not_write_what_another_program_has_open_to_write(tmp_path: Path) -> None:
    (path,) = grow(tmp_path, 1)
    with open(path, "ab") as other:
        (problem,) = write(changes([path]))
        other.write(b"# mine\n")
    assert "another program is writing this file" in problem.message
    assert path.read_bytes() == BEFORE + b"# mine\n"
    assert left(tmp_path) == []
    with open(path, "rb"):
        assert write([change(path, AFTER)]) == ()


@pytest.mark.skipif(sys.platform != "linux", reason="nobody is made to wait")
def test_who_begins_to_write_meanwhile_writes_into_the_file_that_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = grow(tmp_path, 1)
    exchange = replacing._exchange

    def append() -> None:
        with open(path, "ab") as file:
            file.write(b"# mine\n")

    writer = threading.Thread(target=append)

    def meanwhile(one: str, other: str) -> bool:
        if not writer.ident:
            writer.start()
            time.sleep(0.3)  # it waits now, with the old file in its hands
            assert path.read_bytes() == BEFORE
        return exchange(one, other)

    monkeypatch.setattr(replacing, "_exchange", meanwhile)
    (problem,) = write(changes([path]))
    writer.join()
    assert "has changed since it was read" in problem.message
    assert path.read_bytes() == BEFORE + b"# mine\n"
    assert left(tmp_path) == []


def test_two_runs_at_once_mend_each_file_once(tmp_path: Path) -> None:
    files = grow(tmp_path, 30, 10)
    runs = [start(tmp_path, "--fix", ".") for _ in range(3)]
    for process in runs:
        _, err = process.communicate()
        assert process.returncode == 0 or b"changed since it was read" in err or b"is writing this" in err, err
        assert b"Traceback" not in err
    assert {file.read_bytes() for file in files} == {AFTER}
    assert left(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the system cannot swap")
@pytest.mark.parametrize("how", ["in place", "by rename"])
def test_no_edit_is_lost_to_a_run_at_the_same_time(tmp_path: Path, how: str) -> None:
    files = grow(tmp_path, 60, 20)
    process = start(tmp_path, "--fix", ".")
    assert process.stdout is not None
    process.stdout.readline()
    edits = 0
    while process.poll() is None:
        for file in files:
            if how == "in place":
                with open(file, "ab", buffering=0) as mine:
                    mine.write(b"# edit %d\n" % edits)
            else:
                draft = file.with_suffix(".draft")
                draft.write_bytes(file.read_bytes() + b"# edit %d\n" % edits)
                os.replace(draft, file)
        edits += 1
    process.communicate()
    wanted = b"".join(b"# edit %d\n" % edit for edit in range(edits))
    for file in files:
        text, mark, rest = file.read_bytes().partition(b"# edit 0\n")
        assert text in (BEFORE, AFTER)
        assert mark + rest == wanted
    assert left(tmp_path) == []


# --- what cannot be written


@pytest.mark.parametrize("what", ["directory", "file"])
def test_says_what_cannot_be_written_and_leaves_its_companions(tmp_path: Path, what: str) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    path, companion, free = closed / "a.py", tmp_path / "b.py", tmp_path / "c.py"
    for file in (path, companion, free):
        file.write_bytes(b"a")
        file.chmod(0o666)
        os.chown(file, NOBODY, NOBODY) if os.geteuid() == 0 else None
    todo = [change(companion, b"b", path, companion), change(path, b"b", path, companion), change(free, b"b")]
    opened_up(tmp_path)
    tmp_path.chmod(0o777)
    closed.chmod(0o555 if what == "directory" else 0o777)
    path.chmod(0o444 if what == "file" else 0o666)

    def wrong() -> bool:
        problems = write(todo)
        return not (
            [problem.path for problem in problems] == [str(companion), str(path)]
            and "a.py" in problems[0].message
            and problems[1].message.startswith("cannot write the fixed file: ")
        )

    code = as_nobody(wrong)
    closed.chmod(0o755)
    assert code == 0
    assert [file.read_bytes() for file in (path, companion, free)] == [b"a", b"a", b"b"]
    assert sorted(os.listdir(tmp_path)) == ["b.py", "c.py", "closed"]
    assert os.listdir(closed) == ["a.py"]


@pytest.mark.parametrize("names", [1, 2])
def test_a_file_that_may_not_be_so_large_stays_as_it_was(tmp_path: Path, names: int) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    if names == 2:
        os.link(tmp_path / "train.py", tmp_path / "other.txt")
    limit = len(TRAIN.encode()) + 4  # the record of a file with two names is larger, too
    done = subprocess.run(
        [sys.executable, "-m", "ms_perflint", *SAFE, "--fix", "."],
        cwd=tmp_path,
        env={**environment(), "PYTHONDONTWRITEBYTECODE": "1"},  # else the limit cuts off bytecode that others read
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 2
    assert done.stderr == "train.py: error: cannot write the fixed file: File too large\n"
    assert (tmp_path / "train.py").read_text() == TRAIN
    assert left(tmp_path) == []


def test_a_full_disk_leaves_the_files_as_they_were(tmp_path: Path) -> None:
    script = """
        mount -t tmpfs -o size=64k none "$1" || exit 77
        cd "$1" && cp ../train.py . && ln ../train.py two.py 2>/dev/null
        head -c 200k /dev/zero > filler 2>/dev/null
        "$2" -m ms_perflint --isolated --select MSP301 --fix . >/dev/null
        code=$?
        cmp train.py ../train.py && ls -A && exit $code
    """
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "full").mkdir()
    as_root = ["unshare", "--mount", *(["--user", "--map-root-user"] if os.geteuid() else [])]
    try:
        done = subprocess.run(
            [*as_root, "sh", "-c", script, "sh", str(tmp_path / "full"), sys.executable],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        pytest.skip("cannot make a small disk")
    if done.returncode not in (0, 1, 2):
        pytest.skip(f"cannot make a small disk: {done.stderr}")
    assert done.returncode == 2
    assert done.stderr == "train.py: error: cannot write the fixed file: No space left on device\n"
    assert sorted(done.stdout.split()) == ["filler", "train.py"]


def test_a_file_that_fails_half_way_in_place_gets_back_what_it_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = grow(tmp_path, 1)
    os.link(path, tmp_path / "other.py")
    real, failures = os.write, [OSError(5, "Input/output error")]

    def failing(descriptor: int, content: bytes) -> int:
        if len(content) == len(AFTER):
            return real(descriptor, content[:30])
        if AFTER.endswith(content) and failures:
            raise failures.pop()
        return real(descriptor, content)

    monkeypatch.setattr(os, "write", failing)
    (problem,) = write(changes([path]))
    assert problem.message == "cannot write the fixed file: Input/output error"
    assert path.read_bytes() == BEFORE
    assert left(tmp_path) == []


def test_what_fails_for_good_half_way_in_place_is_taken_back_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = grow(tmp_path, 1)
    os.link(path, tmp_path / "other.py")
    real, lengths = os.write, [30]

    def failing(descriptor: int, content: bytes) -> int:
        if not lengths:
            raise OSError(5, "Input/output error")
        return real(descriptor, content[: lengths.pop()])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", failing)
        (problem,) = write(changes([path]))
    assert "half of it is written: the next run with --fix" in problem.message
    assert path.read_bytes() == AFTER[:30] + BEFORE[30:]
    process = start(tmp_path, "--fix", ".")
    assert process.communicate()[1] == b""
    assert path.read_bytes() == (tmp_path / "other.py").read_bytes() == AFTER
    assert left(tmp_path) == []


def test_needs_few_open_files(tmp_path: Path) -> None:
    files = grow(tmp_path, 40, 20)
    process = start(tmp_path, "--fix", ".", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
    _, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert {file.read_bytes() for file in files} == {AFTER}


# --- asked to end


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=lambda value: str(value),
)
def test_a_run_that_is_told_to_end_ends_between_files(tmp_path: Path, number: signal.Signals, code: int) -> None:
    files = grow(tmp_path, 20, 60)
    process = start(tmp_path, "--fix", ".")
    assert process.stdout is not None
    process.stdout.readline()
    while files[-1].read_bytes() == files[0].read_bytes() == BEFORE:
        time.sleep(0.001)
    process.send_signal(number)
    _, err = process.communicate()
    assert (process.returncode, err.strip()) == (code, b"")
    state = {file.name.replace("_b", ""): file.read_bytes() for file in files}
    assert set(state.values()) == {BEFORE, AFTER}
    assert all(state[file.name.replace("_b", "")] == file.read_bytes() for file in files)
    assert left(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_processes_end_with_the_run_that_started_them(tmp_path: Path, number: signal.Signals) -> None:
    for index in range(400):
        (tmp_path / f"train_{index}.py").write_text(TRAIN * 3 + "#" * 4000)
    process = subprocess.Popen(
        [sys.executable, "-m", "ms_perflint", "--isolated", "-j", "2", "."],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, check=False).stdout:
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.5)
    if number == signal.SIGINT:  # a terminal sends it to all of them
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    out, err = process.communicate(timeout=30)  # the processes hold the other ends, too
    assert (process.returncode, out) == (130 if number == signal.SIGINT else process.returncode, b"")
    assert process.returncode in (130, 128 + number, -number)
    assert err.strip() == b""


def test_an_interrupt_at_the_question_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    ran = on_terminal(*UNSAFE, "--fix", ".", cwd=tmp_path, answers=[INTERRUPT])
    assert ran.code == 1
    assert "Traceback" not in ran.out
    assert ran.out.count(PROMPT.decode()) == 1
    assert (tmp_path / "train.py").read_text() == TRAIN
    assert "Interrupted: no more questions; what was agreed to is applied.\n" in ran.out


def test_an_interrupt_keeps_what_was_agreed_to(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(TRAIN)
    ran = on_terminal(*UNSAFE, "--fix", ".", cwd=tmp_path, answers=["y", INTERRUPT])
    assert ran.code == 1 and "Interrupted: " in ran.out
    assert [(tmp_path / name).read_text() for name in ("a.py", "b.py", "c.py")] == [FIXED, TRAIN, TRAIN]
    assert "Found 3 findings (1 fixed, 2 remaining)." in ran.out


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_streams_that_are_closed_are_no_trouble(tmp_path: Path, closed: tuple[int, ...]) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    done = subprocess.run(
        [sys.executable, "-m", "ms_perflint", *SAFE, "--fix", "."],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
        preexec_fn=lambda: [os.close(number) for number in closed] and None,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "train.py").read_text() == FIXED
