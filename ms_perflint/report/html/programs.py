"""The programs on the page: what each does, with the places that show it."""

from __future__ import annotations

from collections.abc import Sequence

from ms_perflint.facts.data import Evidence, Fact, Facts, Origin, in_language
from ms_perflint.facts.words import listed
from ms_perflint.languages import Message
from ms_perflint.report import Outcome
from ms_perflint.report.html.findings import row_of
from ms_perflint.report.html.markup import Markup, join, tag
from ms_perflint.report.root import below
from ms_perflint.report.style import visible
from ms_perflint.report.summary import findings_of

SHORT = ("version", "device", "mode", "precision")  # facts of the line that is always seen; their answers are texts
EVIDENCE = 8  # places for one fact


def section(programs: Sequence[Facts], root: str, outcome: Outcome) -> Markup:
    """Return all programs, each folded up."""
    shown = [_program(facts, root, number, outcome) for number, facts in enumerate(programs)]
    said = Message("No program that trains is among these files.")
    if outcome.unjudged:
        said = Message("No program among these files is known to train.")
    nothing = None if shown else tag("p", outcome.say(said))
    return tag("section", tag("h2", outcome.say(Message("Programs"))), nothing, *shown, id="programs")


def _program(facts: Facts, root: str, number: int, outcome: Outcome) -> Markup:
    """Return one program."""
    known = {fact.name: fact.answer for fact in facts.facts}
    short = [outcome.say(answer) for name in SHORT if isinstance(answer := known.get(name), str)]
    count = outcome.say(findings_of(sum(len(verdict.places) for verdict in facts.verdicts)))
    line = [tag("code", below(facts.entry, root)), f" {count}", tag("small", f" {', '.join(short)}")]
    rows = [_fact(fact, root, outcome) for fact in facts.facts if fact.is_there]
    absent = [fact.name for fact in facts.facts if not fact.is_there]
    table = tag("table", tag("tbody", *rows))
    return tag(
        "details",
        tag("summary", *line),
        tag("div", table, class_="wide", tabindex="0", role="region", aria_label=outcome.say(Message("Facts"))),
        tag("p", outcome.say(Message("Without {facts}.", facts=listed(absent)))) if absent else None,
        _quiet(facts, outcome),
        id=f"program-{number}",
    )


def _fact(fact: Fact, root: str, outcome: Outcome) -> Markup:
    """Return a fact with the places that show it."""
    said = in_language(fact, outcome.language)
    shown = [_evidence(each, root, outcome) for each in said.evidence[:EVIDENCE]]
    more = len(said.evidence) - len(shown)
    rest = tag("li", outcome.say(Message("and {number} more places", number=more))) if more > 0 else None
    places = tag("ul", *shown, rest) if shown else None
    return tag("tr", tag("th", outcome.say(fact.name), scope="row"), tag("td", visible(said.says), places))


def _evidence(evidence: Evidence, root: str, outcome: Outcome) -> Markup:
    """Return one place: what stands there, what that means, under which condition, and what decides it."""
    parts: list[str] = [tag("code", row_of(evidence.place, root), class_="where"), " "]
    parts += [tag("code", visible(evidence.code)), ": "] if evidence.code and evidence.says else []
    parts.append(visible(evidence.says) if evidence.says else tag("code", visible(evidence.code)))
    when = tag("code", visible(evidence.when))
    parts += [f" {outcome.say(Message('if'))} ", when] if evidence.when else []
    origins = tag("ul", *(_origin(each, root) for each in evidence.origins)) if evidence.origins else None
    return tag("li", join(parts), origins)


def _origin(origin: Origin, root: str) -> Markup:
    place = tag("code", row_of(origin.place, root), class_="where")
    return tag("li", place, " ", tag("code", visible(origin.text)))


def _quiet(facts: Facts, outcome: Outcome) -> Markup | None:
    """Return what would be found with another target or option."""
    lines = [
        tag("li", f"{verdict.code}: ", tag("code", setting), f", {outcome.say(findings_of(number))}")
        for verdict in facts.verdicts
        for setting, number in verdict.otherwise
    ]
    return tag("div", tag("p", outcome.say(Message("Would find more with:"))), tag("ul", *lines)) if lines else None
