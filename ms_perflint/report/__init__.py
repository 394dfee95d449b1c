"""Reports of a run, as text for people or for programs. Reporters only render."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from ms_perflint.config.formats import FOR_PEOPLE
from ms_perflint.core.findings import Finding, Fix, Gain, Measurement, Safety, in_language
from ms_perflint.core.internal import internal_error
from ms_perflint.core.reports import Problem, Unjudged
from ms_perflint.languages import ENGLISH, say
from ms_perflint.report.sources import Sources
from ms_perflint.report.style import PLAIN, Style

if TYPE_CHECKING:
    from ms_perflint.facts.data import Facts
    from ms_perflint.profile.joined import Joined

SORTS = PLACE, BY_GAIN = "place", "gain"  # the orders of findings
SORTED = ("text", "concise", "json")  # the formats with a choice of order
COUNTED = (*FOR_PEOPLE, "json")  # the formats with statistics


def as_written(finding: Finding) -> Safety | None:
    """Return the grade of a fix in the rule."""
    return finding.fix.safety if finding.fix else None


def unmeasured(finding: Finding) -> Measurement | None:
    """Return no measurement of a finding."""
    return None


def no_gain(code: str) -> Gain:
    """Return the expected gain of a rule without one."""
    return Gain()


class Outcome(NamedTuple):
    """The result of a run, with all that a reporter needs."""

    findings: tuple[Finding, ...]
    sources: Sources
    style: Style = PLAIN
    trust: Callable[[Finding], Safety | None] = as_written  # grades a fix under the configuration of the run
    unsafe: bool = False  # whether `--fix` applies unsafe fixes without asking
    fixed: tuple[Finding, ...] | None = None  # the fixed findings; None without `--fix`
    read: bool = True  # whether any file was linted
    files: tuple[str, ...] = ()  # number of linted files
    problems: tuple[Problem, ...] = ()
    quiet: bool = False  # only findings, no summary
    gain: Callable[[str], Gain] = no_gain  # of a rule
    programs: Callable[[], Sequence[Facts]] = tuple  # the programs among the files, with their facts; slow
    measured: Callable[[Finding], Measurement | None] = unmeasured  # of a finding
    known: int = 0  # number of findings in the baseline
    profiled: Joined | None = None  # the evidence of a profile
    unjudged: tuple[Unjudged, ...] = ()  # programs judged in part
    declined: frozenset[Finding] = frozenset()  # findings whose fix the user has just refused
    fix_only: bool = False  # whether remaining findings are not reported
    trained: int = 0  # number of training programs, including these
    older: int = 0  # number of findings that the compared change did not cause
    unchanged: str = ""  # the reason why nothing is linted: nothing changed, or no rule is enabled
    language: str = ENGLISH  # language of the report's own texts; findings are translated already

    def say(self, text: str) -> str:
        """Return a message in the language of the report."""
        return say(text, self.language)

    def fix(self, finding: Finding) -> Fix | None:
        """Return the fix of a finding with its grade in the run, and the reason; None without one."""
        trust = self.trust(finding)
        return finding.fix.trusted(trust, self.files) if finding.fix is not None and trust is not None else None

    def will_fix(self, finding: Finding) -> bool:
        """Return whether `--fix` fixes this finding under the settings of the run."""
        fix = self.fix(finding)
        return fix is not None and (fix.safety is Safety.SAFE or (self.unsafe and fix.safety is Safety.UNSAFE))

    def could_fix(self, finding: Finding) -> bool:
        """Return whether this finding needs `--unsafe-fixes` to be fixed."""
        fix = self.fix(finding)
        return fix is not None and fix.safety is Safety.UNSAFE and not self.unsafe


def render(name: str, outcome: Outcome) -> str:
    """Return the report in a format, with a line end unless it is empty.

    Each format is a module of its own, loaded when it is needed.
    """
    rendered: str = import_module(f"{__name__}.{name}").render(outcome)
    return rendered


def render_statistics(name: str, outcome: Outcome) -> str:
    """Return the number of findings per rule in a format, one of COUNTED."""
    module = "json" if name == "json" else "summary"
    rendered: str = import_module(f"{__name__}.{module}").render_statistics(outcome)
    return rendered


def rendered(
    show: Callable[[Outcome], str], outcome: Outcome, findings: Sequence[Finding], name: str
) -> tuple[str, list[Problem]]:
    """Return the report on findings, with an internal error for each file whose findings cannot be rendered.

    After an error that no single file causes, the text is empty.
    """

    def shown(some: Sequence[Finding]) -> str:
        return show(outcome._replace(findings=tuple(in_language(finding, outcome.language) for finding in some)))

    try:
        return shown(findings), []
    except Exception as error:
        problems = _not_shown(shown, findings) or [_problem(f"{name} report", error)]
    failed = {problem.path for problem in problems}
    try:
        return shown([finding for finding in findings if finding.place.path not in failed]), problems
    except Exception as error:
        return "", [*problems, _problem(f"{name} report", error)]


def _not_shown(shown: Callable[[Sequence[Finding]], str], findings: Sequence[Finding]) -> list[Problem]:
    """Return an internal error for each file whose findings alone cannot be rendered."""
    problems = []
    for path in dict.fromkeys(finding.place.path for finding in findings):
        try:
            shown([finding for finding in findings if finding.place.path == path])
        except Exception as error:
            problems.append(_problem(path, error))
    return problems


def _problem(path: str, error: Exception) -> Problem:
    return Problem(path, 0, 0, internal_error(error), internal=True)
