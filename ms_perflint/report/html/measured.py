"""What a profile shows, on the page: what a step is made of, a badge for each finding, and where time goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint.core.findings import Measurement
from ms_perflint.languages import Message
from ms_perflint.report import Outcome
from ms_perflint.report.html.findings import row_of
from ms_perflint.report.html.markup import Markup, tag
from ms_perflint.report.profile import NAMES, VERDICTS, bound, headline, milliseconds, parts, percent

if TYPE_CHECKING:
    from ms_perflint.profile.kernels import Profile

MOST = 40  # steps that are drawn
ROW, WIDE, LABEL = 18, 800, 48  # height of a bar, width of all, width of the number of a step
LOOKS = {"confirmed": "large", "refuted": "medium"}  # verdict -> class of its badge


def section(outcome: Outcome, root: str) -> Markup | None:
    """Return what was measured in all; None without a profile."""
    joined = outcome.profiled
    if joined is None:
        return None
    profile = joined.profile
    head = tag("thead", tag("tr", *(tag("th", outcome.say(name), scope="col") for name in HEAD)))
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
    name = outcome.say(Message("Where the kernels' time goes"))
    table = tag("table", tag("caption", name), head, tag("tbody", *lines)) if lines else None
    return tag(
        "section",
        tag("h2", outcome.say(Message("Measured"))),
        tag("p", outcome.say(headline(profile))),
        _bars(profile, outcome),
        tag("div", table, class_="wide", tabindex="0", role="region", aria_label=name) if table is not None else None,
        id="measured",
    )


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
    return tag("div", drawn, tag("p", *legend, class_="legend"), class_="steps")


HEAD = (Message("In a step"), Message("Class and attribute"), Message("Kernels"), Message("Line"), Message("Findings"))


def badge(measured: Measurement, outcome: Outcome) -> Markup:
    """Return what was measured about one finding."""
    look = f"badge {LOOKS.get(measured.verdict, 'small')}"
    if measured.source != "profile":
        return tag("p", tag("span", outcome.say(measured.evidence), class_=look))
    said: str = VERDICTS[measured.verdict]
    if measured.verdict == "confirmed":
        said = Message("{verdict}, at most {upper} of a step", verdict=said, upper=bound(measured))
    return tag("p", tag("span", outcome.say(said), class_=look), f" {outcome.say(measured.evidence)}")
