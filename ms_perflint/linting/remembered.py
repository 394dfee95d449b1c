"""What the programs of a session have found, as the next run takes it over for those that have not changed.

A change of one script makes a session invalid, and with it the findings in all files that it shares with other scripts.
What another program has found still holds if no file has changed that its findings rest on, and the changed ones say
the same to the import graph. Where anything else has changed, a directory or a config file, nothing is taken over.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional

from ms_perflint.cache.packing import Session, flattened, flattened_text, restored, restored_text
from ms_perflint.check import Check
from ms_perflint.core.files import Files
from ms_perflint.core.fingerprints import renewed
from ms_perflint.core.reports import Gap
from ms_perflint.linting.check_runner import ByFile, Judged, JudgedPrograms
from ms_perflint.linting.inquiry import Reply
from ms_perflint.linting.merging import Found
from ms_perflint.resolve.entry_points import Entries
from ms_perflint.resolve.project import Project


def packed(judged: Sequence[JudgedPrograms], entries: Entries) -> bytes:
    """Return what some programs have found as bytes; none of a single program, and of those with internal errors."""
    programs = {entry: each for each in reversed(judged) for entry in each.consulted}
    if len(programs) < 2:
        return b""
    names = {path: sorted(entries.searched.get(path, ())) for path in sorted(entries.scanned)}
    scans = {path: (looked_for, entries.scan(path, looked_for)) for path, looked_for in names.items()}
    numbers: dict[str, int] = {}
    found: dict[str, list[Any]] = {entry: [] for entry in programs}
    failed: set[str] = set()
    for each in judged:
        for path, by_check in each.found.items():
            for (check, entry), one in by_check.items():
                if programs.get(entry) is each:
                    found[entry].append((path, check.code, *_flat(one)))
                    failed.update([entry] if one.reply.failures or one.reply.problems else [])
    flat = [
        (
            entry,
            entry in each.trained,
            [numbers.setdefault(path, len(numbers)) for path in sorted(each.consulted[entry])],
            found[entry],
        )
        for entry, each in programs.items()
        if entry not in failed
    ]
    return marshal.dumps((scans, list(numbers), flat))


def taken_over(sessions: Iterable[Session], files: Files, checks: Sequence[type[Check]]) -> list[JudgedPrograms]:
    """Return what the programs of outdated sessions have found that still holds."""
    by_code = {check.code: check for check in checks}
    found = (_taken(session, files, by_code) for session in sessions if session.programs)
    return [each for each in found if each is not None]


def _taken(session: Session, files: Files, checks: Mapping[str, type[Check]]) -> Optional[JudgedPrograms]:
    scans, paths, flat = marshal.loads(session.programs)
    changed = {each.path for each in session.fingerprints if renewed(each, files) is None}
    if any(each.path in changed for each in session.fingerprints if each.is_directory):
        return None
    if not changed <= scans.keys() or not _say_the_same({path: scans[path] for path in changed}, files):
        return None
    consulted: dict[str, frozenset[str]] = {}
    found: ByFile = {}
    trained = set()
    for entry, is_trained, numbers, judged in flat:
        rests = frozenset([paths[number] for number in numbers])
        if not rests.isdisjoint(changed):
            continue
        consulted[entry] = rests
        trained.update([entry] if is_trained else [])
        for path, code, *one in judged:
            found.setdefault(path, {})[checks[code], entry] = _restored(*one)
    held = tuple(each for each in session.fingerprints if each.path not in changed)
    return JudgedPrograms(consulted, frozenset(session.findings), found, frozenset(trained), held)


def _say_the_same(scans: Mapping[str, tuple[Sequence[str], bytes]], files: Files) -> bool:
    """Return whether some files say to the import graph what they said when they were scanned."""
    project = Project(files)
    is_same = all(project.entries.scan(path, names) == before for path, (names, before) in scans.items())
    project.close()
    return is_same


def _flat(judged: Judged) -> tuple[Any, ...]:
    """Return what one check found in one file as data for marshal."""
    gap = judged.unjudged
    said = (flattened_text(gap.reason), list(gap.runs)) if gap is not None else None
    return list(map(flattened, judged.reply.found.values())), flattened_text(judged.left_out), said


def _restored(findings: Any, left_out: Any, said: Any) -> Judged:
    found: Found = {(each.place, each.end): each for each in map(restored, findings)}
    gap = Gap(restored_text(said[0]), tuple(said[1])) if said is not None else None
    return Judged(Reply(found), restored_text(left_out), gap)
