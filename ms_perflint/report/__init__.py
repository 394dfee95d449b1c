"""What a run found, as text for people or for programs. Reporters decide nothing: they render."""

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
SORTED = ("text", "concise", "json")  # the formats that may have another order than by place
COUNTED = (*FOR_PEOPLE, "json")  # of which there are statistics


def as_written(finding: Finding) -> Safety | None:
    """Return how far the rule itself trusts its fix."""
    return finding.fix.safety if finding.fix else None


def unmeasured(finding: Finding) -> Measurement | None:
    """Return what was measured of a finding: nothing."""
    return None


def no_gain(code: str) -> Gain:
    """Return what is expected of a rule that says nothing itself."""
    return Gain()


class Outcome(NamedTuple):
    """What is left to report after a run, with what a reporter needs to show it."""

    findings: tuple[Finding, ...]
    sources: Sources
    style: Style = PLAIN
    trust: Callable[[Finding], Safety | None] = as_written  # under the configuration of the run
    unsafe: bool = False  # whether `--fix` makes unsafe fixes without asking
    fixed: tuple[Finding, ...] | None = None  # what was fixed before; None when nothing was to be fixed
    read: bool = True  # whether some file could be linted
    files: tuple[str, ...] = ()  # that were linted
    problems: tuple[Problem, ...] = ()
    quiet: bool = False  # only findings, no summary
    gain: Callable[[str], Gain] = no_gain  # of a rule
    programs: Callable[[], Sequence[Facts]] = tuple  # among the files, with what is known of each; takes its time
    measured: Callable[[Finding], Measurement | None] = unmeasured  # of a finding
    known: int = 0  # findings that are left out because the baseline knows them
    profiled: Joined | None = None  # what a profile shows of this run
    unjudged: tuple[Unjudged, ...] = ()  # programs that were judged in part
    declined: frozenset[Finding] = frozenset()  # what a person has just seen, and does not want fixed
    fix_only: bool = False  # whether what is left is not reported
    trained: int = 0  # programs that train, these among them
    older: int = 0  # findings that are left out because they were there before the change that is looked at
    unchanged: str = ""  # why there is nothing to look at: nothing changed, or no rule is enabled
    language: str = ENGLISH  # of what the report says itself; findings come in it

    def say(self, text: str) -> str:
        """Return a message in the language of the report."""
        return say(text, self.language)

    def fix(self, finding: Finding) -> Fix | None:
        """Return the fix of a finding as far as the run trusts it, with the reason; None without one."""
        trust = self.trust(finding)
        return finding.fix.trusted(trust, self.files) if finding.fix is not None and trust is not None else None

    def will_fix(self, finding: Finding) -> bool:
        """Return whether `--fix`, with the settings of the run, fixes this finding."""
        fix = self.fix(finding)
        return fix is not None and (fix.safety is Safety.SAFE or (self.unsafe and fix.safety is Safety.UNSAFE))

    def could_fix(self, finding: Finding) -> bool:
        """Return whether it takes `--unsafe-fixes` to fix this finding."""
        fix = self.fix(finding)
        return fix is not None and fix.safety is Safety.UNSAFE and not self.unsafe


def render(name: str, outcome: Outcome) -> str:
    """Return the report in the format of that name, with a line end where there is something to say.

    Each format is a module of its own, loaded when it is asked for.
    """
    rendered: str = import_module(f"{__name__}.{name}").render(outcome)
    return rendered


def render_statistics(name: str, outcome: Outcome) -> str:
    """Return how often each rule was reported, in the format of that name; one of COUNTED."""
    module = "json" if name == "json" else "summary"
    rendered: str = import_module(f"{__name__}.{module}").render_statistics(outcome)
    return rendered


def rendered(
    show: Callable[[Outcome], str], outcome: Outcome, findings: Sequence[Finding], name: str
) -> tuple[str, list[Problem]]:
    """Return the report on findings, and an internal error for each file whose findings it could not show.

    An error that no file causes alone costs this report: its text is empty.
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
    """Return an internal error for each file whose findings cannot be shown alone."""
    problems = []
    for path in dict.fromkeys(finding.place.path for finding in findings):
        try:
            shown([finding for finding in findings if finding.place.path == path])
        except Exception as error:
            problems.append(_problem(path, error))
    return problems


def _problem(path: str, error: Exception) -> Problem:
    return Problem(path, 0, 0, internal_error(error), internal=True)
