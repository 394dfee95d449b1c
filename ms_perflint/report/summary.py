"""The first line of a finding and the last lines of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ms_perflint.core.findings import Finding
from ms_perflint.languages import Message
from ms_perflint.report import Outcome
from ms_perflint.report.sources import position, shown


def headline(finding: Finding, outcome: Outcome) -> str:
    """Return `path:row:column: CODE [*] message`; the star says that `--fix` fixes it."""
    style = outcome.style
    return (
        f"{style(position(finding.place), 'bold')}: {code(finding, outcome)}{star(finding, outcome)} {finding.message}"
    )


def code(finding: Finding, outcome: Outcome) -> str:
    """Return the code of a finding; on a terminal with links, linked to the page of the rule."""
    word = outcome.style(finding.code, "red")
    if not outcome.style.links:
        return word
    from ms_perflint import pages  # here, because most runs do without

    page = pages.url(finding.code, finding.name)
    return outcome.style.link(word, page) if page is not None else word


def star(finding: Finding, outcome: Outcome) -> str:
    """Return the mark of a finding that `--fix` fixes; "" for others."""
    return f" [{outcome.style('*', 'cyan')}]" if outcome.will_fix(finding) else ""


def summary(outcome: Outcome) -> list[str]:
    """Return the summary: fixed files, number of findings, and options that fix more.

    Empty if no file was read, or with `--quiet`.
    """
    if not outcome.read or outcome.quiet:
        return []
    now = sum(map(outcome.will_fix, outcome.findings))
    more = sum(map(outcome.could_fix, outcome.findings))
    if outcome.fixed is not None and outcome.fix_only:
        messages = [
            *_fixed_files(outcome.fixed),
            Message("Fixed {findings}.", findings=findings_of(len(outcome.fixed))),
        ]
    elif outcome.fixed is not None:
        messages = [*_fixed_files(outcome.fixed), _done(outcome, len(outcome.fixed)), *_with_consent(outcome)]
    elif now and more:
        message = Message(
            "{found} {now} fixable with `--fix` ({more} more with `--unsafe-fixes`).",
            found=found(outcome),
            now=f"[*] {now}",
            more=more,
        )
        messages = [message]
    elif now or more:
        options = "--fix" if now else "--fix --unsafe-fixes"
        messages = [
            Message(
                "{found} {now} fixable with `{options}`.",
                found=found(outcome),
                now=f"[*] {now}" if now else more,
                options=options,
            )
        ]
    else:
        messages = [found(outcome)]
    messages += [*_refuted(outcome), *_known(outcome.known), *_older(outcome.older)]
    if outcome.unjudged:
        from ms_perflint.report.unjudged import sentence  # here, because most runs judge all

        messages.append(sentence(outcome.unjudged, outcome.trained))
    return [outcome.say(message) for message in messages]


def _refuted(outcome: Outcome) -> list[Message]:
    """Return a line about findings refuted by measurements; nothing without any."""
    number = sum(1 for finding in outcome.findings if (told := outcome.measured(finding)) and told.refutes)
    if number == 0:
        return []
    return [
        Message("1 does not count: a measurement refutes it.")
        if number == 1
        else Message("{number} do not count: measurements refute them.", number=number)
    ]


def _known(number: int) -> list[Message]:
    """Return a line about findings in the baseline; nothing without any."""
    if number == 0:
        return []
    return [
        Message("The baseline has 1 more.")
        if number == 1
        else Message("The baseline has {number} more.", number=number)
    ]


def _older(number: int) -> list[Message]:
    """Return a line about findings from before a change; nothing without any."""
    if number == 0:
        return []
    return [
        Message("1 more was there before the change.")
        if number == 1
        else Message("{number} more were there before the change.", number=number)
    ]


def found(outcome: Outcome) -> Message:
    """Return the sentence with the number of findings; without any, with the number of files."""
    number = len(outcome.findings)
    if number == 0 and outcome.unchanged:
        return Message("No findings: {reason}.", reason=outcome.unchanged)
    looked_at = len(set(outcome.files).difference(problem.path for problem in outcome.problems))
    if number == 0 and looked_at:
        return Message("No findings in {files}.", files=files_of(looked_at))
    if number == 0:
        return Message("No findings.")
    return Message("Found 1 finding.") if number == 1 else Message("Found {number} findings.", number=number)


def _done(outcome: Outcome, fixed: int) -> Message:
    """Return the numbers of found, fixed and remaining findings."""
    left = len(outcome.findings)
    total = left + fixed
    if total == 0:
        return found(outcome)
    if total == 1:
        return Message("Found 1 finding ({fixed} fixed, {left} remaining).", fixed=fixed, left=left)
    return Message("Found {number} findings ({fixed} fixed, {left} remaining).", number=total, fixed=fixed, left=left)


def _fixed_files(fixed: tuple[Finding, ...]) -> list[Message]:
    """Return one line for each changed file: a finding may be fixed in another one."""
    codes: dict[str, Counter[str]] = {}
    for finding in fixed:
        for path in {edit.path for edit in finding.fix.edits} if finding.fix is not None else {finding.place.path}:
            codes.setdefault(path, Counter())[finding.code] += 1
    return [
        Message(
            "Fixed {file}: {rules}",
            file=shown(path),
            rules=", ".join(f"{code} ({times}x)" if times > 1 else code for code, times in sorted(counts.items())),
        )
        for path, counts in sorted(codes.items())
    ]


def _with_consent(outcome: Outcome) -> list[Message]:
    """Return the line about fixes of `--unsafe-fixes`, or that no fix can be applied."""
    fixes: dict[str, list[str]] = {}
    for finding in outcome.findings:
        if finding.fix and outcome.could_fix(finding):
            fixes.setdefault(finding.code, []).append(finding.fix.message)
    if not fixes:
        is_none = outcome.findings and not outcome.fixed and not any(map(outcome.will_fix, outcome.findings))
        return [Message("No fix can be applied: each is display-only, or there is none.")] if is_none else []
    number = sum(map(len, fixes.values()))
    rules = ", ".join(_fixes_of(code, texts) for code, texts in fixes.items())
    if outcome.fixed:
        more = Message(
            "{number} more with `--unsafe-fixes`, to be checked by you: {rules}.", number=number, rules=rules
        )
        return [more]
    return [
        Message("{number} fixable with `--unsafe-fixes`, to be checked by you: {rules}.", number=number, rules=rules)
    ]


def _fixes_of(code: str, texts: Sequence[str]) -> str:
    """Return how many fixes a rule has, and what the first one does."""
    times = f"{len(texts)}x " if len(texts) > 1 else ""
    others = ", ..." if len(set(texts)) > 1 else ""
    return f"{times}{code} ({texts[0]}{others})"


def statistics(outcome: Outcome) -> list[tuple[int, str, str, int]]:
    """Return (findings, code, name, fixable findings) for each rule, the most frequent first."""
    count = Counter((finding.code, finding.name) for finding in outcome.findings)
    now = Counter(finding.code for finding in outcome.findings if outcome.will_fix(finding))
    rows = [(number, code, name, now[code]) for (code, name), number in count.items()]
    return sorted(rows, key=lambda row: (-row[0], row[1]))


def render_statistics(outcome: Outcome) -> str:
    """Return a table of the statistics, then the summary."""
    rows = statistics(outcome)
    wide = max((len(str(row[0])) for row in rows), default=0)
    lines = [f"{count:>{wide}}  {code}  {'[*]' if now else '[ ]'}  {name}" for count, code, name, now in rows]
    return "".join(f"{line}\n" for line in [*lines, *summary(outcome)])


def findings_of(number: int) -> Message:
    """Return "1 finding", "2 findings"."""
    return Message("1 finding") if number == 1 else Message("{number} findings", number=number)


def files_of(number: int) -> Message:
    """Return "1 file", "2 files"."""
    return Message("1 file") if number == 1 else Message("{number} files", number=number)
