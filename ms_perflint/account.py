"""What `--verbose` tells of a run: its settings, what it passed over and why, programs, cache, and where time went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ms_perflint.cache import Memory
from ms_perflint.config import Config
from ms_perflint.config_files import ruling
from ms_perflint.core.source import Files
from ms_perflint.discovery import Found
from ms_perflint.facts.collect import overview_of, training_scripts
from ms_perflint.facts.words import also, listed
from ms_perflint.languages import Message
from ms_perflint.linter import Linter
from ms_perflint.report.program import in_short
from ms_perflint.report.sources import shown
from ms_perflint.report.summary import files_of

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
    """Yield what a run did, a message for each line."""
    ruled = ruling(paths, file, isolated)
    yield Message("settings: {file}", file=ruled.where if ruled else Message("no file"))
    yield Message("rules: {codes}", codes=", ".join(sorted(config.codes)) or Message("none"))
    for path, reason in found.skipped:
        yield _skipped(path, reason)
    linter = Linter(config, files)
    yield from _gated(linter, found)
    yield from _programs(linter, found)
    same, files_found = memory.recalled if memory else 0, len(found.files)
    known = Message("{number} of {all} files had not changed", number=same, all=files_found)
    yield Message("cache: {known}", known=known if memory else Message("off"))
    parts = [
        Message("{what} {seconds} s", what=what, seconds=f"{now - before:.2f}")
        for (_, before), (what, now) in zip(clock, clock[1:])
    ]
    yield Message("time: {parts}", parts=listed(parts))


def _skipped(path: str, reason: str) -> Message:
    return Message("skipped {file}: {reason}", file=shown(path), reason=reason)


def _gated(linter: Linter, found: Found) -> Iterator[str]:
    """Yield the files that need no look into them."""
    for path in found.files:
        try:
            raw = linter.files.read(path)
        except OSError:
            continue  # it was reported
        if not linter.is_marked(path, raw):
            yield _skipped(path, Message("does not mention mindspore"))
        elif not linter.may_find(path, raw):
            yield _skipped(path, Message("has nothing in it that a rule looks at"))


def _programs(linter: Linter, found: Found) -> Iterator[str]:
    """Yield the programs that train, and for what they were taken."""
    entries = training_scripts(linter, found.files)
    for entry in islice(entries, PROGRAMS):
        program = linter.program(entry)
        large = "" if program.is_whole else Message("too large: only this file of it was read")
        facts, files = in_short(overview_of(program)), also(files_of(len(program.files)), large)
        yield Message("program {file}: {facts}, {files}", file=shown(entry), facts=facts, files=files)
    if next(entries, None) is not None:
        yield Message("... and more programs")
