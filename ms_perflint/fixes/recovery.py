"""Recovery from killed runs, by the next run that fixes files in the same folder.

Files that are fixed together are replaced one after the other, and a file that is written in place passes through
incomplete states. Before that, a record of the old contents is written to each of their folders, and it
is removed at the end. A record that is found in all of its folders and belongs to no run is undone: the files are again
as they were, and are linted and fixed as if the killed run had not changed them. If one of them has changed
since, a person has to decide: the record stays, and is reported.

Other leftovers are temporary files, which are removed. No leftover has a name that is linted.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from ms_perflint.core.reports import Problem
from ms_perflint.fixes.replacing import PREFIX, TEMPORARY, Replacement, discard, locked, prepare, put, read, save, sync
from ms_perflint.languages import Message

RECORD = ".undo"
LARGEST_RECORD = 1_000_000_000  # bytes; a record has files twice, and escapes other characters than ASCII


class Held(NamedTuple):
    """A file of a record: its content before and after."""

    path: str
    before: bytes
    after: bytes


def record(files: Sequence[Replacement]) -> tuple[str, ...]:
    """Write a record of these files to each of their folders; return the paths. Raises OSError."""
    entries = [[file.real, file.before.decode("latin-1"), file.after.decode("latin-1")] for file in files]
    content = json.dumps(entries).encode()
    folders, made, name = sorted({os.path.dirname(file.real) for file in files}), [], ""
    try:
        for folder in folders:
            temporary = save(folder, content)
            name = name or os.path.basename(temporary)[: -len(TEMPORARY)] + RECORD
            made.append(os.path.join(folder, name))
            os.replace(temporary, made[-1])
            sync(folder)
    except BaseException:
        forget(made)
        raise
    return tuple(made)


def forget(paths: Iterable[str]) -> None:
    """Remove records and temporary files, except other files, and files that cannot be removed."""
    for path in paths:
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.lstat(path).st_mode):
                os.unlink(path)


def recover(paths: Iterable[str]) -> tuple[Problem, ...]:
    """Remove leftovers of killed runs in the folders of these files; return problems for a person to solve."""
    problems: list[Problem] = []
    seen: set[str] = set()  # a remaining record has the same name in all of its folders
    for folder in sorted({os.path.dirname(os.path.realpath(path)) for path in paths}):
        for name in _leftovers(folder):
            if name.endswith(RECORD) and name not in seen:
                found = _recover(os.path.join(folder, name))
                seen.update([name] if found else [])
                problems += found
        if any(name.endswith(TEMPORARY) for name in _leftovers(folder)):
            with locked([folder]) as alone:
                forget(os.path.join(folder, name) for name in _leftovers(folder) if alone and name.endswith(TEMPORARY))
    return tuple(sorted(set(problems)))


def _leftovers(folder: str) -> list[str]:
    """Return the names of possible leftovers in a folder."""
    try:
        return sorted(name for name in os.listdir(folder) if name.startswith(PREFIX))
    except OSError:
        return []


def _recover(path: str) -> list[Problem]:
    """Undo a record, if no run is using it."""
    files = _recorded(path)
    if files is None:
        return []
    records = sorted({os.path.join(os.path.dirname(file.path), os.path.basename(path)) for file in files})
    with locked(map(os.path.dirname, records)) as alone:
        if not alone or not os.path.exists(path):
            return []
        # missing in one folder: the run was killed before it began or after it was done
        problems = _undo(files, path) if all(_recorded(each) == files for each in records) else []
        if not problems:
            forget({path, *filter(os.path.exists, records)} if path in records else [path])
        return problems


def _recorded(path: str) -> list[Held] | None:
    """Return the files of a record; None for an unreadable one."""
    try:
        entries = json.loads(read(path, LARGEST_RECORD))
        return [Held(real, before.encode("latin-1"), after.encode("latin-1")) for real, before, after in entries]
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def _undo(files: Sequence[Held], path: str) -> list[Problem]:
    """Restore files, unless all are done or one has changed since."""
    held = {file: _content(file.path) for file in files}
    if all(held[file] == file.after for file in files) or all(held[file] == file.before for file in files):
        return []
    strange = [file.path for file in files if not _is_between(held[file], file)]
    if strange:
        names = ", ".join(map(os.path.basename, strange))
        reason = Message(
            "a run was killed while it fixed this file, and {names} changed since: see {path}, then remove it",
            names=names,
            path=path,
        )
        return [Problem(file.path, 0, 0, reason) for file in files]
    now = [Held(file.path, file.before, held[file] or b"") for file in files]
    return [stuck(file, error) for file, error in zip(now, map(restore, now)) if error is not None]


def restore(file: Held) -> OSError | None:
    """Restore a file whose content is `after`; return the reason if it fails."""
    try:
        new = prepare(file.path, file.after, file.before)
        if new is not None:
            try:
                put(new)
                sync(os.path.dirname(file.path))
            finally:
                discard(new)
    except OSError as error:
        return error
    return None


def stuck(file: Held, error: OSError) -> Problem:
    """Return the problem of a file that was not restored."""
    reason = error.strerror or Message("the file has changed since")
    return Problem(file.path, 0, 0, Message("half of a fix could not be taken back: {reason}", reason=reason))


def _content(path: str) -> bytes | None:
    """Return the content of a file; None for an unreadable one or a link."""
    try:
        return read(path) if os.path.realpath(path) == path else None
    except OSError:
        return None


def _is_between(content: bytes | None, file: Held) -> bool:
    """Return whether a content is the start of one text and the rest of the other, or one of them."""
    if content is None:
        return False
    for new, old in ((file.after, file.before), (file.before, file.after)):
        same = _alike(content, new)
        if content[same:] == old[same:]:
            return True
    return False


def _alike(one: bytes, other: bytes) -> int:
    """Return the length of the common prefix of two texts."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))
