"""What a profile shows, on the page: what a step is made of, a badge for each finding, and where time goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ms_perflint.core.findings import Measurement
from ms_perflint.languages import Message
from ms_perflint.report import Outcome
from ms_perflint.report.html.findings import Ranked, row_of
from ms_perflint.report.html.markup import Markup, join, tag
from ms_perflint.report.profile import NAMES, bound, elsewhere, headline, milliseconds, parts, percent, verdict_of

if TYPE_CHECKING:
    from ms_perflint.profile.joined import Joined
    from ms_perflint.profile.kernels import Profile

MOST = 40  # steps that are drawn
ROW, WIDE, LABEL = 18, 800, 48  # height of a bar, width of all, width of the number of a step
LOOKS = {"confirmed": "large", "refuted": "medium"}  # verdict -> class of its badge


def section(found: Sequence[Ranked], joined: Joined, outcome: Outcome, root: str) -> Markup:
    """Return what was measured in all: what to change first, the steps, and where time goes."""
    profile = joined.profile
    return tag(
        "section",
        tag("h2", outcome.say(Message("Measured"))),
        tag("p", outcome.say(headline(profile))),
        _first(found, outcome),
        _bars(profile, outcome),
        _hot(joined, outcome, root),
        id="measured",
    )


def _first(found: Sequence[Ranked], outcome: Outcome) -> Markup:
    """Return the findings that the profile confirms, what saves most first, and how many it does not confirm."""
    told = [(each, measured) for each in found if (measured := outcome.measured(each.finding)) is not None]
    confirmed = [(each, measured) for each, measured in told if measured.verdict == "confirmed"]
    lines = [
        tag(
            "tr",
            tag("td", _part(measured), tag("span", bound(measured)), class_="number"),
            tag("th", tag("a", f"{each.finding.code} {each.finding.name}", href=f"#{each.anchor}"), scope="row"),
            tag("td", tag("code", each.where)),
            tag("td", outcome.say(measured.evidence), class_="shows"),
        )
        for each, measured in confirmed
    ]
    rest = len(found) - len(confirmed)
    said = Message(
        "The profile confirms these findings. A bound is the most that fixing one can save; two may share it: "
        "do not add them up."
    )
    if not lines:
        said = Message("This profile confirms none of the findings.")
    elif rest:
        said = Message("{said} Of {number} more it shows no time to save, or does not tell.", said=said, number=rest)
    note = tag("p", outcome.say(said))
    if not lines:
        return note
    return join([_table(Message("What to change first"), FIRST, lines, outcome), note])


def _part(measured: Measurement) -> Markup | None:
    """Return the part of a step as a bar."""
    share = measured.share
    return None if share is None else tag("meter", max="1", value=f"{share:.4f}", aria_hidden="true")


def _table(name: Message, columns: Sequence[Message], lines: Sequence[Markup], outcome: Outcome) -> Markup:
    """Return a table with its name above it."""
    said = outcome.say(name)
    head = tag("thead", tag("tr", *(tag("th", outcome.say(column), scope="col") for column in columns)))
    table = tag("table", tag("caption", said), head, tag("tbody", *lines))
    return tag("div", table, class_="wide", tabindex="0", role="region", aria_label=said)


def _hot(joined: Joined, outcome: Outcome, root: str) -> Markup | None:
    """Return what the attributes of the classes cost; None where no kernel has a class."""
    profile = joined.profile
    lines = [
        tag(
            "tr",
            tag("td", f"{milliseconds(hot.us / 1000)} ({percent(profile.share(hot.us))})", class_="number"),
            tag("th", hot.owner, scope="row"),
            tag("td", ", ".join(hot.types)),
            tag("td", tag("code", row_of(hot.place, root)) if hot.place is not None else None),
            tag("td", *(tag("a", code, href=f"#{code}") for code in hot.codes)),
        )
        for hot in joined.hot
    ]
    return _table(Message("Where the kernels' time goes"), HEAD, lines, outcome) if lines else None


def _bars(profile: Profile, outcome: Outcome) -> Markup | None:
    """Return a bar for each step, as wide as its time, and what its parts mean; None where there are no steps."""
    steps = profile.steps[:MOST]
    longest = max((step.total_us for step in steps), default=0.0)
    if not longest:
        return None
    rows: list[Markup] = []
    for at, step in enumerate(steps):
        x = float(LABEL)
        rows.append(tag("text", str(step.number), x="0", y=str(at * ROW + ROW - 4)))
        for name, time in parts(step):
            width = time / longest * (WIDE - LABEL)
            title = tag("title", f"{outcome.say(NAMES[name])} {milliseconds(time / 1000)}")
            box = {"x": f"{x:.1f}", "y": str(at * ROW), "width": f"{width:.1f}", "height": str(ROW - 2)}
            rows.append(tag("rect", title, class_=name, **box))
            x += width
    said = outcome.say(Message("The time of each step"))
    drawn = tag("svg", *rows, viewBox=f"0 0 {WIDE} {len(steps) * ROW}", role="img", aria_label=said)
    legend = [tag("span", outcome.say(NAMES[name]), class_=f"part {name}") for name, _ in parts(steps[0])]
    name = tag("h3", said)
    return tag("div", name, drawn, tag("p", *legend, class_="legend"), class_="steps")


FIRST = (Message("At most, in a step"), Message("Finding"), Message("Line"), Message("What the profile shows"))
HEAD = (Message("In a step"), Message("Class and attribute"), Message("Kernels"), Message("Line"), Message("Findings"))


def badge(measured: Measurement, outcome: Outcome) -> Markup:
    """Return what was measured about one finding."""
    look = f"badge {LOOKS.get(measured.verdict, 'small') if not elsewhere(measured) else 'small'}"
    why = f" {outcome.say(elsewhere(measured))}" if elsewhere(measured) else ""
    if measured.source != "profile":
        return tag("p", tag("span", outcome.say(measured.evidence), class_=look), why)
    said = verdict_of(measured)
    if measured.verdict == "confirmed":
        said = Message("{verdict}, at most {upper} of a step", verdict=said, upper=bound(measured))
    evidence = outcome.say(measured.evidence)
    return tag("p", tag("span", outcome.say(said), class_=look), f" {evidence}", f";{why}" if why else None)
