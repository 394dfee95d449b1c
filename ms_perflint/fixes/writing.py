"""Write changed files atomically, only over the content that was read.

Encoding, byte order mark, newlines, mode, owner and attributes stay; links stay links. The guarantees, and their limits
on some systems, are documented in `replacing` for one file and in `recovery` for files that are fixed together.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from typing import NamedTuple

from ms_perflint.core.internal import internal_error
from ms_perflint.core.reports import Problem
from ms_perflint.fixes.recovery import Held, forget, record, restore, stuck
from ms_perflint.fixes.replacing import Changed, Half, Replacement, discard, locked, prepare, put, sync, uninterrupted
from ms_perflint.languages import Message


class Change(NamedTuple):
    """One file before and after its fixes, as bytes on disk."""

    path: str
    before: bytes
    after: bytes
    together: tuple[str, ...]  # this file and those that a fix changes with it: all are written, or none


def write(changes: Sequence[Change]) -> tuple[Problem, ...]:
    """Write the changes to the disk; return the reasons why files were left as they were.

    Interrupts and signals to end act between files, but not between files that belong together.
    """
    groups: dict[tuple[str, ...], list[Change]] = {}
    for change in changes:
        groups.setdefault(change.together, []).append(change)
    problems: list[Problem] = []
    for group in groups.values():
        with uninterrupted():
            try:
                problems += _write_together(group)
            except Exception as error:
                reason = internal_error(error)
                problems += [Problem(change.path, 0, 0, reason, internal=True) for change in group]
    for folder in sorted({_folder(change) for change in changes}):
        sync(folder)
    return tuple(sorted(problems))


def unified_diff(before: str, after: str, name: str) -> str:
    """Return a diff for `git apply` and `patch`, which marks a missing newline at the end."""
    # Not `splitlines`, which also splits at form feeds and other characters.
    old, new = _lines(before), _lines(after)
    lines, name = [], name.lstrip("/")
    for line in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"):
        lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their newlines."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _folder(change: Change) -> str:
    """Return the real folder of a file."""
    return os.path.dirname(os.path.realpath(change.path))


def _write_together(group: Sequence[Change]) -> list[Problem]:
    """Write files that belong together: first all temporary files, then all replacements."""
    ready: list[tuple[Change, Replacement]] = []
    with locked(map(_folder, group)):
        try:
            for change in group:
                try:
                    new = prepare(change.path, change.before, change.after)
                except OSError as error:
                    return _refused(group, change, error)
                ready += [(change, new)] if new is not None else []
            return _replace(group, ready)
        finally:
            for _, new in ready:
                discard(new)


def _replace(group: Sequence[Change], ready: Sequence[tuple[Change, Replacement]]) -> list[Problem]:
    """Replace files by new ones; if one fails, restore the others."""
    records: tuple[str, ...] = ()
    done: list[Held] = []
    for change, new in ready:
        try:
            if not done and (len(ready) > 1 or new.temporary is None):
                records = record([each for _, each in ready])
            put(new)
        except OSError as error:
            failed = [(file, why) for file, why in zip(done, map(restore, done)) if why is not None]
            if not isinstance(error, Half) and all(isinstance(why, Changed) for _, why in failed):
                forget(records)  # otherwise the next run may be able to
            return [*_refused(group, change, error), *(stuck(*each) for each in failed)]
        done.append(Held(new.real, new.before, new.after))
    for path in records:
        sync(os.path.dirname(path))
    forget(records)
    return []


def _refused(group: Sequence[Change], failed: Change, error: OSError) -> list[Problem]:
    """Return the reason why none of these files was written."""
    if isinstance(error, Changed):
        reason = Message("the file has changed since it was read: nothing was written, run again")
    elif isinstance(error, BlockingIOError):
        reason = Message("another program is writing this file: nothing was written, run again")
    elif isinstance(error, Half):
        reason = Message(
            "cannot write the fixed file: {reason}, and half of it is written: the next run with --fix takes it back",
            reason=error.strerror or error,
        )
    else:
        reason = Message("cannot write the fixed file: {reason}", reason=error.strerror or error)
    name = os.path.basename(failed.path)
    other = Message("not written: the same fix changes {file}, which could not be written", file=name)
    return [Problem(change.path, 0, 0, reason if change is failed else other) for change in group]
