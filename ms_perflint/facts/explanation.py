"""Why rules report something on one line of a file, or nothing: their questions, and the line that decided."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from typing import NamedTuple, Optional

from ms_perflint.check import Check
from ms_perflint.core.findings import Finding, Place
from ms_perflint.facts.collect import overview_of
from ms_perflint.facts.data import Overview
from ms_perflint.facts.trail import Question, Trail
from ms_perflint.index.semantic_index import SemanticIndex, Site
from ms_perflint.languages import Message
from ms_perflint.linting.judged import is_trained
from ms_perflint.linting.linter import Linter
from ms_perflint.linting.suspects import all_candidates, candidates, suspect
from ms_perflint.suppressions import Suppressions

MEANT = 3  # resolved names of a call that are shown


class Stop(NamedTuple):
    """The line of a rule that decided that there is nothing to report."""

    place: Place
    code: str  # the code there


class Asked(NamedTuple):
    """The result of one rule for one expression, in the program that says most about it."""

    code: str
    name: str
    place: Place
    text: str  # the expression, as it is written
    entry: str  # of the program
    programs: int  # number of programs in which the rule ran
    reported: int  # number of programs in which it reports
    finding: Optional[Finding]
    hidden: Optional[Message]  # why a finding is not shown
    is_meant: bool  # whether the rule checks such an expression, as far as is known
    resolved: tuple[str, ...]  # otherwise its qualified names
    questions: tuple[Question, ...]  # the questions that decided it, in order
    stop: Optional[Stop]
    unjudged: Optional[Message]  # why the program could not be judged in full


class Explanation(NamedTuple):
    """What there is to say of a line."""

    place: Place
    line: str
    program: Overview  # that the file is a part of; of several, the first one that trains
    programs: int  # in how many it is
    asked: tuple[Asked, ...]
    elsewhere: tuple[tuple[Finding, str], ...]  # findings on other lines that rest on this one
    near: tuple[Place, ...]  # the lines of the file about which rules ask, where they ask nothing about this one


def explain(linter: Linter, module: SemanticIndex, row: int) -> Explanation:
    """Return the results of all enabled rules for one line of a file."""
    place = _start(module, row)
    line = module.source.line(row).decode("utf-8").strip()
    entries = linter.project.programs(module.path)
    entry = next((entry for entry in entries if is_trained(linter.program(entry))), entries[0])
    asked = tuple(each for check in linter.enabled for each in _of_rule(linter, check, module, row, entry))
    near = () if asked else tuple(_near(linter, module))
    overview = overview_of(linter.program(entry))
    return Explanation(place, line, overview, len(entries), asked, tuple(_elsewhere(linter, entry, module, row)), near)


def _of_rule(linter: Linter, check: type[Check], module: SemanticIndex, row: int, shown: str) -> Iterator[Asked]:
    """Yield the result of a rule for each expression on a line, in the program that is shown if it reports there."""
    found: dict[Place, list[Asked]] = {}
    for entry in linter.project.programs(module.path) if check.per_program else (module.path,):
        for program in linter.programs(entry):
            instance = linter.runner.inquiry.check_in(check, program)
            for site, is_anchor in _sites(instance, module, row):
                one = _in_program(linter, instance, site, is_anchor)
                found.setdefault(one.place, []).append(one)
    for _, same in sorted(found.items()):
        telling = max(
            same,
            key=lambda one: (one.finding is not None, one.entry == shown, one.stop is not None, len(one.questions)),
        )
        reported = {one.entry for one in same if one.finding is not None}
        yield telling._replace(programs=len({one.entry for one in same}), reported=len(reported))


def _sites(check: Check, module: SemanticIndex, row: int) -> Iterator[tuple[Site, bool]]:
    """Yield the expressions on a line that a rule checks in a program, and whether it checks only their form."""
    anchors = check.anchors(module) if check.anchored and module.path == check.program.entry else ()
    for sites, is_anchor in ((check.narrowed(_candidates(check, module)), False), (anchors, True)):
        for site in sites:
            if module.source.row(site.span[0]) <= row <= module.source.row(site.span[1]):
                yield site, is_anchor


def _in_program(linter: Linter, check: Check, site: Site, is_anchor: bool) -> Asked:
    """Return the result of a rule for an expression in one program, and its questions."""
    trail, module = Trail(type(check)), site.module
    seen = trail.watch(lambda: site if is_anchor else suspect(check, site))
    finding = next(iter(check.examine(seen)), None) if seen is not None else None
    is_meant, gap = seen is not None or trail.row > 0, linter.runner.why_unjudged(check.program.entry)
    return Asked(
        check.code,
        check.name,
        site.place,
        module.text(site.node),
        check.program.entry,
        1,
        int(finding is not None),
        finding,
        _hidden(linter, finding, module) if finding is not None else None,
        is_meant,
        () if is_meant else check.program.apis(site)[:MEANT],
        tuple(trail.questions),
        _stop(trail) if finding is None and trail.row else None,
        gap.reason if gap is not None else None,
    )


def _stop(trail: Trail) -> Stop:
    """Return the line of a rule that decided."""
    return Stop(Place(trail.path, trail.row, 1), linecache.getline(trail.path, trail.row).strip())


def _hidden(linter: Linter, finding: Finding, module: SemanticIndex) -> Optional[Message]:
    """Return the reason why a finding is not shown; None for a shown one."""
    if not linter.config.selects(finding.code, module.path):
        return Message("the configuration switches the rule off in this file")
    if linter.suppress and Suppressions(module.source).hides(finding):
        return Message("a comment switches it off")
    return None


def _elsewhere(linter: Linter, entry: str, module: SemanticIndex, row: int) -> Iterator[tuple[Finding, str]]:
    """Yield the findings of a program on other lines that depend on a line, or whose fix changes it."""
    for finding, hidden in linter.of_program(entry):
        if hidden or (finding.place.path, finding.place.row) == (module.path, row):
            continue
        said = [each.message for each in finding.related if (each.place.path, each.place.row) == (module.path, row)]
        if finding.fix is not None:
            starts = (edit.start for edit in finding.fix.edits if edit.path == module.path)
            said += [Message("its fix changes this line") for start in starts if module.source.row(start) == row]
        if said:
            yield finding, said[0]


def _near(linter: Linter, module: SemanticIndex) -> Iterator[Place]:
    """Yield the lines of a file that rules check, each once."""
    program = linter.program(module.path)
    checks = (linter.runner.inquiry.check_in(check, program) for check in linter.enabled)
    found = {site.span[0] for check in checks for site in check.narrowed(_candidates(check, module))}
    yield from (_start(module, row) for row in sorted(set(map(module.source.row, found))))


def _candidates(check: Check, module: SemanticIndex) -> list[Site]:
    """Return the sites of a file about which a rule may ask in a program."""
    return all_candidates(check, module, candidates(type(check), module))


def _start(module: SemanticIndex, row: int) -> Place:
    """Return the start of a row."""
    return module.source.place(module.source.starts[row - 1])
