"""A finding on the page: what it costs, the lines, and what its fix would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ms_perflint.core.findings import SIZES, Finding, Place, Related
from ms_perflint.core.source import Source
from ms_perflint.facts.data import Facts
from ms_perflint.languages import Message
from ms_perflint.report import Outcome
from ms_perflint.report.diff import changes
from ms_perflint.report.html.markup import Markup, join, tag, text
from ms_perflint.report.html.rules import evidence
from ms_perflint.report.root import below
from ms_perflint.report.sources import spot
from ms_perflint.report.style import Style, visible
from ms_perflint.report.text import labelled

CONTEXT = 3  # lines before and after
TALLEST = 16  # lines of a reported range; of more the middle is left out
GAINS = {"large": Message("large gain"), "medium": Message("medium gain"), "small": Message("small gain")}
LONGEST = 500  # characters of a line


@dataclass(frozen=True)
class Ranked:
    """A finding with its place in the report."""

    finding: Finding
    size: str  # of the gain
    programs: tuple[int, ...]  # that it slows down, by their number
    where: str  # path:row:column
    anchor: str = ""  # what links lead to


def ranked(outcome: Outcome, programs: Sequence[Facts], root: str) -> list[Ranked]:
    """Return the findings, first those that gain most, of these those that slow most programs."""
    slowed: dict[tuple[str, Place], list[int]] = {}
    for number, facts in enumerate(programs):
        for verdict in facts.verdicts:
            for place in verdict.places:
                slowed.setdefault((verdict.code, place), []).append(number)
    found = []
    for finding in outcome.findings:
        place = finding.place
        where = f"{below(place.path, root)}:{spot(place)}"
        numbers = tuple(slowed.get((finding.code, place), ()))
        found.append(Ranked(finding, outcome.gain(finding.code).size, numbers, where))
    if outcome.profiled is None:  # else what was measured decides, not what is expected
        found.sort(key=lambda one: (SIZES.index(one.size), -len(one.programs), one.finding.code, one.finding))
    return [replace(one, anchor=f"finding-{number}") for number, one in enumerate(found, start=1)]


class _Classes(Style):
    """Lines of a diff as elements of a class."""

    def __call__(self, line: str, name: str) -> str:
        """Return the line in an element."""
        return tag("span", line, class_=name)


def article(each: Ranked, outcome: Outcome, entries: Sequence[str], root: str) -> Markup:
    """Return one finding."""
    finding = each.finding
    fix = outcome.fix(finding)
    source = outcome.sources.get(finding.place.path)
    link = tag("a", finding.code, href=f"#{finding.code}")
    head = tag("h3", link, f" {finding.name} ", _badge(each.size, outcome), " ", evidence(finding.code, outcome))
    return tag(
        "article",
        head,
        tag("p", tag("code", each.where), class_="where"),
        tag("p", _worded(finding.message)),
        _excerpt(finding, source, outcome) if source is not None else None,
        *(_related(related, root, outcome) for related in finding.related),
        _measured(finding, outcome),
        _fix(finding, outcome),
        _programs([entries[number] for number in each.programs], outcome),
        data_rule=finding.code,
        data_fix=fix.safety.value if fix is not None else "none",
        data_program=" ".join(map(str, each.programs)),
        id=each.anchor,
    )


def _badge(size: str, outcome: Outcome) -> Markup:
    return tag("span", outcome.say(GAINS[size]), class_=f"badge {size}")


def _worded(message: str) -> Markup:
    """Return a message; what stands between backquotes is code."""
    parts = message.split("`")
    if len(parts) % 2 == 0:
        return text(message)
    return join([tag("code", part) if at % 2 else part for at, part in enumerate(parts)])


def _related(related: Related, root: str, outcome: Outcome) -> Markup:
    see = outcome.say(Message("See"))
    return tag("p", f"{see} ", tag("code", row_of(related.place, root)), f": {related.message}")


def row_of(place: Place, root: str) -> str:
    """Return `path:row`; in a notebook `path:cell 3:row`."""
    cell = f"cell {place.cell}:" if place.cell else ""
    return f"{below(place.path, root)}:{cell}{place.line}"


def _excerpt(finding: Finding, source: Source, outcome: Outcome) -> Markup | None:
    """Return the reported lines with some around them; nothing when the file has become shorter than that."""
    rows = len(source.starts) - 1
    first, last = finding.place.row, min(finding.end.row, rows)
    if not 1 <= first <= last:
        return None
    around, above = source.rows(first), finding.place.above
    shown = list(range(max(around.start, first - CONTEXT), min(around.stop, last + CONTEXT + 1)))
    while shown[0] < first and not source.line(shown[0]).strip():
        shown.pop(0)
    while shown[-1] > last and not source.line(shown[-1]).strip():
        shown.pop()
    if last - first >= TALLEST:
        shown = [row for row in shown if row < first + TALLEST - 3 or row > last - 3]
    lines: list[str] = []
    for before, row in zip([shown[0] - 1, *shown], shown):
        lines += [tag("i", "...\n")] if row > before + 1 else []
        lines += [tag("i", f"{row - above:>{len(str(shown[-1] - above))}} "), _line(finding, source, row), "\n"]
    name = Message("Lines {first} to {last}", first=shown[0] - above, last=shown[-1] - above)
    return tag("pre", tag("code", *lines), tabindex="0", role="region", aria_label=outcome.say(name))


def _line(finding: Finding, source: Source, row: int) -> Markup:
    """Return a line, what is reported of it marked."""
    line = source.line(row).decode("utf-8", "replace")[:LONGEST]
    if not finding.place.row <= row <= finding.end.row:
        return text(visible(line))
    start = finding.place.column - 1 if row == finding.place.row else len(line) - len(line.lstrip())
    end = finding.end.column - 1 if row == finding.end.row else len(line)
    marked = visible(line[start:end])
    return join([visible(line[:start]), tag("mark", marked) if marked else "", visible(line[end:])])


def _fix(finding: Finding, outcome: Outcome) -> Markup | None:
    """Return what the fix would change, and how far it is trusted; without one what to do by hand."""
    fix = outcome.fix(finding)
    if fix is None:
        by_hand = tag("p", tag("strong", outcome.say(Message("To do"))), ": ", _worded(finding.help))
        return tag("div", by_hand, class_="fix") if finding.help else None
    lines = changes(fix, finding.place, outcome.sources, _Classes())
    advice = _worded(outcome.say(labelled(fix)))
    head = tag("p", tag("strong", outcome.say(Message("Fix"))), ": ", advice)
    name = outcome.say(Message("What changes"))
    diff = tag("pre", tag("code", join(list(lines), "\n")), tabindex="0", role="region", aria_label=name)
    return tag("div", head, diff if lines else None, class_="fix")


def _measured(finding: Finding, outcome: Outcome) -> Markup | None:
    """Return what was measured of the finding."""
    measured = outcome.measured(finding)
    if measured is None:
        return None
    from ms_perflint.report.html.measured import badge  # here, because most runs measure nothing

    return badge(measured, outcome)


def _programs(entries: list[str], outcome: Outcome) -> Markup | None:
    if not entries:
        return None
    slows = outcome.say(Message("Slows down"))
    return tag("p", f"{slows} ", join([tag("code", entry) for entry in entries], ", "), class_="where")
