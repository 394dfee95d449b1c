"""What `--verbose` tells of a run: its settings, what it passed over and why, programs, cache, and where time went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ms_perflint.cache import Memory
from ms_perflint.config import Config, ruling
from ms_perflint.discovery import Found
from ms_perflint.engine import Linter
from ms_perflint.facts.collect import overview_of, training_scripts
from ms_perflint.gate import MARK
from ms_perflint.report.program import in_short
from ms_perflint.report.sources import shown
from ms_perflint.source import Files

PROGRAMS = 100  # that are listed
Clock = Sequence[tuple[str, float]]  # what was done until then, in seconds


def account(
    paths: Sequence[str],
    config: Config,
    found: Found,
    files: Files,
    memory: Memory | None,
    clock: Clock,
    file: str | None = None,
    isolated: bool = False,
) -> Iterator[str]:
    """Yield what a run did, a line each."""
    ruled = ruling(paths, file, isolated)
    yield f"settings: {ruled.where if ruled else 'no file'}"
    yield f"rules: {', '.join(sorted(config.codes)) or 'none'}"
    for path, reason in found.skipped:
        yield f"skipped {shown(path)}: {reason}"
    linter = Linter(config, files)
    yield from _gated(linter, found)
    yield from _programs(linter, found)
    known = f"{memory.recalled} of {len(found.files)} files had not changed" if memory else "off"
    yield f"cache: {known}"
    parts = [f"{what} {now - before:.2f} s" for (_, before), (what, now) in zip(clock, clock[1:])]
    yield f"time: {', '.join(parts)}"


def _gated(linter: Linter, found: Found) -> Iterator[str]:
    """Yield the files that need no look into them."""
    for path in found.files:
        try:
            raw = linter.files.read(path)
        except OSError:
            continue  # it was reported
        if MARK not in raw:
            yield f"skipped {shown(path)}: does not mention mindspore"
        elif not linter.may_find(raw):
            yield f"skipped {shown(path)}: has nothing in it that a rule looks at"


def _programs(linter: Linter, found: Found) -> Iterator[str]:
    """Yield the programs that train, and for what they were taken."""
    entries = training_scripts(linter, found.files)
    for entry in islice(entries, PROGRAMS):
        program = linter.program(entry)
        large = "" if program.is_whole else "; too large: only this file of it was read"
        files = f"{len(program.files)} file" if len(program.files) == 1 else f"{len(program.files)} files"
        yield f"program {shown(entry)}: {in_short(overview_of(program))}, {files}{large}"
    if next(entries, None) is not None:
        yield "... and more programs"
