"""What `--verbose` tells of a run: its settings, what it skipped and why, programs, cache, and where time went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ms_perflint.cache.cache import Memories
from ms_perflint.config.files import ruling
from ms_perflint.config.per_file import Configurations
from ms_perflint.core.files import Files
from ms_perflint.discovery import Found
from ms_perflint.facts.collect import overview_of, training_scripts
from ms_perflint.facts.words import also, listed
from ms_perflint.languages import Message
from ms_perflint.linting.linter import Linter
from ms_perflint.report.program import in_short
from ms_perflint.report.sources import shown
from ms_perflint.report.summary import files_of

PROGRAMS = 100  # that are listed
Clock = Sequence[tuple[str, float]]  # what was done until then, in seconds


def account(
    paths: Sequence[str],
    configs: Configurations,
    found: Found,
    files: Files,
    memories: Memories,
    clock: Clock,
    file: str | None = None,
    isolated: bool = False,
) -> Iterator[str]:
    """Yield what a run did, a message for each line."""
    ruled = ruling(paths, file, isolated)
    yield Message("settings: {file}", file=ruled.where if ruled else Message("no file"))
    yield Message("rules: {codes}", codes=", ".join(sorted(configs.run.codes)) or Message("none"))
    for path, reason in found.skipped:
        yield _skipped(path, reason)
    for config, members in configs.groups(found.files):
        linter = Linter(config, files)
        yield from _gated(linter, members)
        yield from _programs(linter, members)
    same = memories.recalled
    known = Message("{number} of {all} files had not changed", number=same or 0, all=len(found.files))
    yield Message("cache: {known}", known=known if same is not None else Message("off"))
    parts = [
        Message("{what} {seconds} s", what=what, seconds=f"{now - before:.2f}")
        for (_, before), (what, now) in zip(clock, clock[1:])
    ]
    yield Message("time: {parts}", parts=listed(parts))


def _skipped(path: str, reason: str) -> Message:
    return Message("skipped {file}: {reason}", file=shown(path), reason=reason)


def _gated(linter: Linter, members: Sequence[str]) -> Iterator[str]:
    """Yield the files that need no look into them."""
    for path in members:
        try:
            raw = linter.files.read(path)
        except OSError:
            continue  # it was reported
        if not linter.is_marked(path, raw):
            yield _skipped(path, Message("does not mention mindspore"))
        elif not linter.may_find(path, raw):
            yield _skipped(path, Message("has no code that a rule checks"))


def _programs(linter: Linter, members: Sequence[str]) -> Iterator[str]:
    """Yield the programs that train, and for what they were taken."""
    entries = training_scripts(linter, members)
    for entry in islice(entries, PROGRAMS):
        program = linter.program(entry)
        large = "" if program.is_whole else Message("too large: only this file of it was read")
        facts, files = in_short(overview_of(program)), also(files_of(len(program.files)), large)
        yield Message("program {file}: {facts}, {files}", file=shown(entry), facts=facts, files=files)
    if next(entries, None) is not None:
        yield Message("... and more programs")
