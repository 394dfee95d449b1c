"""Findings for people: the place, the message, the lines, and the changes of the fix."""

from __future__ import annotations

from ms_perflint.core.findings import Finding, Fix, Safety
from ms_perflint.languages import Message
from ms_perflint.report import Outcome
from ms_perflint.report.sources import position
from ms_perflint.report.summary import headline, summary

NOTE = Message("note")
HELP = Message("help")
MEASURED = Message("measured")


def render(outcome: Outcome) -> str:
    """Return a block of lines for each finding, then the summary."""
    new = [finding for finding in outcome.findings if finding not in outcome.declined]
    seen = [headline(finding, outcome) for finding in outcome.findings if finding in outcome.declined]
    blocks = [*(block(finding, outcome) for finding in new), *([seen] if seen else [])]
    blocks += [*_measured(outcome), summary(outcome)]
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in blocks)


def _measured(outcome: Outcome) -> list[list[str]]:
    """Return the evidence of a profile, if there is one."""
    if outcome.profiled is None:
        return []
    from ms_perflint.report.profile import table  # here, because most runs have none

    return [table(outcome)]


def block(finding: Finding, outcome: Outcome) -> list[str]:
    """Return the lines that show one finding."""
    from ms_perflint.report.diff import changes  # here, because most files are clean
    from ms_perflint.report.frame import frame

    style = outcome.style
    lines = [headline(finding, outcome)]
    source = outcome.sources.get(finding.place.path)
    if source is not None:
        lines += frame(finding, source, style)
    note = style(outcome.say(NOTE), "bold")
    lines += [f"{note}: {position(related.place)}: {related.message}" for related in finding.related]
    fix = outcome.fix(finding)
    advice = outcome.say(labelled(fix)) if fix is not None else finding.help
    if advice:
        lines.append(f"{style(outcome.say(HELP), 'cyan')}: {advice}")
    if fix is not None:
        lines += changes(fix, finding.place, outcome.sources, style)
    measured = outcome.measured(finding)
    if measured is not None:
        from ms_perflint.report.profile import worded  # here, because most runs measure nothing

        label = style(outcome.say(MEASURED), "bold") if measured.source == "profile" else note
        lines.append(f"{label}: {outcome.say(worded(measured))}")
    return lines


def labelled(fix: Fix) -> Message:
    """Return the description of a fix, its grade, and the reason for it."""
    advice, trust, reason = fix.message, fix.safety, fix.reason
    if trust is Safety.SAFE:
        return Message("{advice} (safe fix)", advice=advice)
    if trust is Safety.UNSAFE and reason is not None:
        return Message("{advice} (unsafe fix: {reason})", advice=advice, reason=reason)
    if trust is Safety.UNSAFE:
        return Message("{advice} (unsafe fix)", advice=advice)
    if reason is not None:
        return Message("{advice} (display-only: {reason})", advice=advice, reason=reason)
    return Message("{advice} (display-only, to be applied by hand)", advice=advice)
