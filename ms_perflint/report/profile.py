"""What a profile shows, in words: of one finding, and of the whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint.core.findings import Finding, Measurement
from ms_perflint.languages import Message
from ms_perflint.report import Outcome
from ms_perflint.report.sources import position

if TYPE_CHECKING:
    from ms_perflint.profile.joined import Hot
    from ms_perflint.profile.kernels import Profile, Step

VERDICTS = {
    "confirmed": Message("confirmed"),
    "refuted": Message("refuted"),
    "not-measurable": Message("not measurable"),
    "not-seen": Message("not seen"),
}
WIDE = 16  # columns of a verdict


def worded(measured: Measurement) -> str:
    """Return what was measured about one finding: "confirmed, at most 24.7 ms of a step: ..."."""
    evidence = measured.evidence
    if elsewhere(measured):
        evidence = Message("{evidence}; {why}", evidence=evidence, why=elsewhere(measured))
    if measured.source != "profile":
        return evidence
    verdict, upper = verdict_of(measured), bound(measured)
    if upper and measured.verdict == "confirmed":
        return Message(
            "{verdict}, at most {upper} of a step: {evidence}", verdict=verdict, upper=upper, evidence=evidence
        )
    return Message("{verdict}: {evidence}", verdict=verdict, evidence=evidence)


def elsewhere(measured: Measurement) -> str:
    """Return why a verdict does not count; "" where it does."""
    if measured.verdict != "refuted" or measured.on_target:
        return ""
    return Message("the program is for another device, and the finding counts")


def verdict_of(measured: Measurement) -> str:
    """Return a verdict in words, with the device where that is none which the program is for."""
    verdict = VERDICTS[measured.verdict]
    if measured.on_target or measured.verdict not in ("confirmed", "refuted"):
        return verdict
    return Message("{verdict} on {device}", verdict=verdict, device=measured.device)


def bound(measured: Measurement) -> str:
    """Return the bound of a finding, like "24.7 ms (22 %)"; "" where there is none."""
    if measured.upper_ms is None:
        return ""
    share = f" ({percent(measured.share)})" if measured.share is not None else ""
    return f"{milliseconds(measured.upper_ms)}{share}"


def milliseconds(time: float) -> str:
    """Return a time with three digits that mean something."""
    return f"{time:.0f} ms" if time >= 100 else f"{time:.1f} ms" if time >= 1 else f"{time:.3f} ms"


def percent(share: float) -> str:
    """Return a share in percent: whole numbers, and tenths below 10."""
    if 0 < share < 0.001:
        return "<0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"


def table(outcome: Outcome) -> list[str]:
    """Return what was measured, the findings by their bound, and what takes the most time; [] without a profile."""
    joined = outcome.profiled
    if joined is None:
        return []
    style = outcome.style
    lines = [f"{style(outcome.say(Message('profile')), 'bold')}  {outcome.say(headline(joined.profile))}"]
    told = [(finding, outcome.measured(finding)) for finding in outcome.findings]
    lines += [_row(finding, measured, outcome) for finding, measured in told if measured is not None]
    if joined.hot:
        lines.append(style(outcome.say(Message("where the kernels' time goes")), "bold"))
        lines += [_hot(hot, joined.profile) for hot in joined.hot]
    return lines


def headline(profile: Profile) -> Message:
    """Return what was measured where, and what a step is made of."""
    where = Message("{device}, {date}", device=profile.device, date=profile.date)
    if profile.ranks > 1:
        where = Message(
            "{device}, {date}, rank {rank} (the slowest of {ranks})",
            device=profile.device, date=profile.date, rank=profile.rank, ranks=profile.ranks,
        )  # fmt: skip
    number = steps_of(len(profile.steps) or profile.window)
    time = milliseconds(profile.step_us / 1000)
    if not profile.steps:
        return Message("{where}, {number}: {time} of kernels in a step", where=where, number=number, time=time)
    free, alone = profile.share(profile.free_us or 0.0), profile.share(profile.communication_us or 0.0)
    rest = percent(max(0.0, 1.0 - free - alone))
    if not alone:
        return Message(
            "{where}, {number}: {time} a step, computing {rest}, waiting {free}",
            where=where, number=number, time=time, rest=rest, free=percent(free),
        )  # fmt: skip
    return Message(
        "{where}, {number}: {time} a step, computing {rest}, communication alone {alone}, waiting {free}",
        where=where, number=number, time=time, rest=rest, alone=percent(alone), free=percent(free),
    )  # fmt: skip


def steps_of(number: int) -> Message:
    """Return "1 step", "2 steps"."""
    return Message("1 step") if number == 1 else Message("{number} steps", number=number)


def parts(step: Step) -> list[tuple[str, float]]:
    """Return what one step is made of: the names of its parts, and their time in microseconds."""
    alone = step.communication_us or 0.0
    free = step.free_us if step.free_us is not None else max(0.0, step.total_us - step.computing_us - alone)
    found = [("computing", step.computing_us), ("communication", alone), ("waiting", free)]
    return [(name, time) for name, time in found if name != "communication" or time]


NAMES = {
    "computing": Message("computing"),
    "communication": Message("communication alone"),
    "waiting": Message("waiting"),
}


def _row(finding: Finding, measured: Measurement, outcome: Outcome) -> str:
    colour = {"confirmed": "red", "refuted": "green"}.get(measured.verdict, "grey")
    verdict = outcome.style(f"{outcome.say(verdict_of(measured)):<{WIDE}}", colour)
    upper = bound(measured) if measured.verdict == "confirmed" else "-"
    return f"  {upper:>18}  {verdict}  {finding.code}  {position(finding.place)}: {outcome.say(measured.evidence)}"


def _hot(hot: Hot, profile: Profile) -> str:
    time = f"{milliseconds(hot.us / 1000)} ({percent(profile.share(hot.us))})"
    where = f"{position(hot.place).rpartition(':')[0]}" if hot.place is not None else ""
    codes = f"  {', '.join(hot.codes)}" if hot.codes else ""
    return f"  {time:>18}  {hot.owner} ({', '.join(hot.types)})  {where}{codes}"
