"""The first line of a finding and the last lines of a report."""

from __future__ import annotations

from collections import Counter

from ms_perflint.findings import Finding, Safety
from ms_perflint.report import Outcome, fixable
from ms_perflint.report.sources import position


def headline(finding: Finding, outcome: Outcome) -> str:
    """Return `path:row:column: CODE [*] message`; the star says that `--fix` mends it."""
    style = outcome.style
    star = f" [{style('*', 'cyan')}]" if outcome.applies(finding) else ""
    return f"{style(position(finding.place), 'bold')}: {style(finding.code, 'red')}{star} {finding.message}"


def summary(outcome: Outcome) -> list[str]:
    """Return how much was found and what could be mended how."""
    left, fixed = len(outcome.findings), outcome.fixed
    if fixed:
        first = f"Found {_findings(left + fixed)} ({fixed} fixed, {left} remaining)."
    else:
        first = f"Found {_findings(left)}." if left else "No findings."
    now = sum(outcome.applies(finding) for finding in outcome.findings)
    more = sum(fixable(finding, Safety.UNSAFE) and not outcome.applies(finding) for finding in outcome.findings)
    if now and more:
        return [f"{first} {now} fixable with `--fix` ({more} more with `--unsafe-fixes`)."]
    if now or more:
        return [f"{first} {now or more} fixable with `{'--fix' if now else '--fix --unsafe-fixes'}`."]
    return [first]


def statistics(outcome: Outcome) -> list[tuple[int, str, str, int]]:
    """Return (findings, code, name, of these fixable with `--fix`) for each rule, the most frequent first."""
    count = Counter((finding.code, finding.name) for finding in outcome.findings)
    now = Counter(finding.code for finding in outcome.findings if outcome.applies(finding))
    rows = [(number, code, name, now[code]) for (code, name), number in count.items()]
    return sorted(rows, key=lambda row: (-row[0], row[1]))


def render_statistics(outcome: Outcome) -> str:
    """Return a table of the statistics, then the summary."""
    rows = statistics(outcome)
    wide = max((len(str(row[0])) for row in rows), default=0)
    lines = [f"{count:>{wide}}  {code}  {'[*]' if now else '[ ]'}  {name}" for count, code, name, now in rows]
    return "".join(f"{line}\n" for line in [*lines, *summary(outcome)])


def _findings(number: int) -> str:
    return f"{number} finding" if number == 1 else f"{number} findings"
