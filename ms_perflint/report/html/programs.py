"""The programs on the page: what each does, with the places that show it."""

from __future__ import annotations

from collections.abc import Sequence

from ms_perflint.facts.data import Evidence, Fact, Facts, Origin
from ms_perflint.report.html.findings import row_of
from ms_perflint.report.html.markup import Markup, join, tag
from ms_perflint.report.root import below
from ms_perflint.report.style import visible

SHORT = ("version", "device", "mode", "precision")  # facts of the line that is always seen
EVIDENCE = 8  # places for one fact


def section(programs: Sequence[Facts], root: str) -> Markup:
    """Return all programs, each folded up."""
    shown = [_program(facts, root, number) for number, facts in enumerate(programs)]
    nothing = None if shown else tag("p", "No program that trains is among these files.")
    return tag("section", tag("h2", "Programs"), nothing, *shown, id="programs")


def _program(facts: Facts, root: str, number: int) -> Markup:
    """Return one program."""
    known = {fact.name.lower(): fact for fact in facts.facts}
    short = [str(known[name].answer) for name in SHORT if name in known and known[name].answer is not None]
    findings = sum(len(verdict.places) for verdict in facts.verdicts)
    count = f"{findings} finding" if findings == 1 else f"{findings} findings"
    line = [tag("code", below(facts.entry, root)), f" {count}", tag("small", f" {', '.join(short)}")]
    rows = [_fact(fact, root) for fact in facts.facts if fact.is_there]
    absent = [fact.name for fact in facts.facts if not fact.is_there]
    table = tag("table", tag("tbody", *rows))
    return tag(
        "details",
        tag("summary", *line),
        tag("div", table, class_="wide", tabindex="0", role="region", aria_label="Facts"),
        tag("p", f"Without {', '.join(absent)}.") if absent else None,
        _quiet(facts),
        id=f"program-{number}",
    )


def _fact(fact: Fact, root: str) -> Markup:
    """Return a fact with the places that show it."""
    shown = [_evidence(each, root) for each in fact.evidence[:EVIDENCE]]
    more = len(fact.evidence) - len(shown)
    rest = tag("li", f"and {more} more places") if more > 0 else None
    places = tag("ul", *shown, rest) if shown else None
    return tag("tr", tag("th", fact.name, scope="row"), tag("td", visible(fact.says), places))


def _evidence(evidence: Evidence, root: str) -> Markup:
    """Return one place: what stands there, what that means, under which condition, and what decides it."""
    parts: list[str] = [tag("code", row_of(evidence.place, root), class_="where"), " "]
    parts += [tag("code", visible(evidence.code)), ": "] if evidence.code and evidence.says else []
    parts.append(visible(evidence.says) if evidence.says else tag("code", visible(evidence.code)))
    parts += [" if ", tag("code", visible(evidence.when))] if evidence.when else []
    origins = tag("ul", *(_origin(each, root) for each in evidence.origins)) if evidence.origins else None
    return tag("li", join(parts), origins)


def _origin(origin: Origin, root: str) -> Markup:
    place = tag("code", row_of(origin.place, root), class_="where")
    return tag("li", place, " ", tag("code", visible(origin.text)))


def _quiet(facts: Facts) -> Markup | None:
    """Return what would be found with another target or option."""
    lines = [
        tag("li", f"{verdict.code}: {number} with ", tag("code", setting))
        for verdict in facts.verdicts
        for setting, number in verdict.otherwise
    ]
    return tag("div", tag("p", "Would find more:"), tag("ul", *lines)) if lines else None
