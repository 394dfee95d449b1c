"""Changes of files by a run: fixes, a patch that shows them, and suppression comments."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ms_perflint.commands.dialogue import Dialogue
from ms_perflint.commands.outputs import tell, write
from ms_perflint.config.formats import FOR_PEOPLE
from ms_perflint.core.findings import Finding
from ms_perflint.core.reports import Problem
from ms_perflint.fixes import noqa
from ms_perflint.fixes.fixing import Settled, settle
from ms_perflint.fixes.fixing import fix as fix_files
from ms_perflint.fixes.recovery import recover
from ms_perflint.fixes.writing import write as write_files
from ms_perflint.languages import Message, say
from ms_perflint.linting.prefilter import REVIEW
from ms_perflint.report.gain import by_gain
from ms_perflint.report.patch import patch, would_fix
from ms_perflint.report.summary import files_of, findings_of

if TYPE_CHECKING:
    from ms_perflint.commands.run import Work


def add_noqa(work: Work, reason: str) -> set[Problem]:
    """Write suppression comments for all findings, or show them as a patch; return problems."""
    report = work.lint(work.disk)
    work.unread = report.unread
    added = noqa.add((finding for finding in report.findings if finding.code != REVIEW), work.disk, reason)
    problems: set[Problem] = set()
    if work.options.diff:
        settled = Settled(report, (), added.changes, ())
        write(patch(settled, (), work.configs, work.style, work.language), work.options.output_file)
    else:
        problems.update(write_files(added.changes))
    failed = {problem.path for problem in problems}
    done = [finding.place.path for finding in added.hidden if finding.place.path not in failed]
    findings, files = findings_of(len(done)), files_of(len(set(done)))
    said = Message("Added `# noqa` for {findings} in {files}.", findings=findings, files=files)
    if work.options.diff:
        said = Message("Would add `# noqa` for {findings} in {files}.", findings=findings, files=files)
    if not work.options.quiet:
        tell(say(said, work.language))
        if done and noqa.ruff_removes(work.configs.run.root):
            tell(say(noqa.RUFF, work.language))
    return {*report.problems, *added.problems, *problems}


def preview(work: Work) -> set[Problem]:
    """Print the changes of `--fix` as a patch, with its questions as comments; write nothing."""
    asked: list[tuple[Finding, str]] = []

    def note(finding: Finding, diff: str, following: Sequence[Finding]) -> bool:
        asked.append((finding, diff))
        return False

    work.lint(work.disk)
    settled = settle(work.lint, work.disk, work.configs, unsafe=work.configs.unsafe_fixes, consent=note)
    write(patch(settled, asked, work.configs, work.style, work.language), work.options.output_file)
    found = len(settled.report.findings) + len(settled.fixed)
    work.left = len(settled.fixed) if work.options.fix_only else found
    work.unread = settled.report.unread
    work.say_unjudged(settled.report)
    if not work.options.quiet:
        tell(say(would_fix(len(settled.fixed), found, len(asked)), work.language))
    return {*settled.report.problems, *settled.problems}


def fix(work: Work) -> Settled:
    """Apply fixes; on a terminal ask about unsafe fixes."""
    options = work.options
    if work.typed:
        return settle(work.lint, work.disk, work.configs, unsafe=work.configs.unsafe_fixes)
    work.lint(work.disk)  # lints in several processes, and stores the results
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    people = is_terminal and all(output.file or output.format in FOR_PEOPLE for output in work.outputs)
    ask = people and not options.no_interactive and not work.configs.unsafe_fixes
    consent = Dialogue(work.style, work.language) if ask else None
    return fix_files(
        work.lint, work.disk, work.configs, unsafe=work.configs.unsafe_fixes, consent=consent, rank=by_gain
    )


def recovered(work: Work) -> tuple[Problem, ...]:
    """Remove leftovers of killed runs; return problems."""
    return recover(work.files)
