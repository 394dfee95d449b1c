"""Asks checks about files, each as a part of a program; an internal error costs one check in one of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Optional

from ms_perflint.check import Check
from ms_perflint.config.settings import Config
from ms_perflint.core.findings import Finding, Place
from ms_perflint.core.internal import internal_error
from ms_perflint.core.reports import Problem
from ms_perflint.core.source import Unreadable
from ms_perflint.index.semantic_index import SemanticIndex, Site
from ms_perflint.languages import Message
from ms_perflint.linting.merging import Found
from ms_perflint.linting.programs import Programs, Runs
from ms_perflint.linting.suspects import candidates, suspect
from ms_perflint.program.program import Program
from ms_perflint.resolve.project import Project
from ms_perflint.training import conditions


class Failure(NamedTuple):
    """An internal error: the check that was asked, the site it was asked about, and what to say of it."""

    code: str
    place: Place
    reason: Message


class Reply(NamedTuple):
    """What a check found in a file as a part of one program, by place, and what went wrong."""

    found: Found
    failures: tuple[Failure, ...] = ()
    problems: tuple[Problem, ...] = ()


class Inquiry:
    """Holds the programs of a project, and the checks that are asked in them."""

    def __init__(self, config: Config, project: Project) -> None:
        self.programs = Programs(config)
        self._config = config
        self._project = project
        self._checks: dict[tuple[type[Check], Program], Check] = {}
        self._sites: dict[tuple[type[Check], str], list[Site]] = {}  # candidates, by check and file

    def close(self) -> None:
        """Give back all memory."""
        self.programs.close()
        self._checks.clear()
        self._sites.clear()

    def evict(self, path: str) -> None:
        """Give back what only a file and its own program need."""
        self.drop(path)
        for key in [key for key in self._sites if key[1] == path]:
            del self._sites[key]

    def drop(self, entry: str) -> None:
        """Forget the program of an entry script: it is done, or an internal error left something half done."""
        self._checks = {key: check for key, check in self._checks.items() if key[1].entry != entry}
        self.programs.drop(entry)

    def runs_of(self, entry: str) -> Runs:
        """Return the program of an entry script in all its run configurations."""
        if entry not in self.programs and self.programs.is_too_much():
            self.programs.close()
            self._checks.clear()
        return self.programs.of(entry, self._project)

    def candidates(self, check: type[Check], module: SemanticIndex) -> list[Site]:
        """Return the sites of a file about which a check may be asked."""
        key = check, module.path
        if key not in self._sites:
            self._sites[key] = candidates(check, module)
        return self._sites[key]

    def ask(self, check: type[Check], entry: str, module: SemanticIndex) -> Reply:
        """Return what a check finds in a file as a part of one program, in all its run configurations."""
        failures: list[Failure] = []
        problems: list[Problem] = []
        found: Found = {}
        try:
            runs = self.runs_of(entry)
            ask = partial(self._of_run, check, module, failures, problems)
            site_of, comes_to = partial(self._site_of, check, module), partial(self._comes_to, check)
            found = runs.ask(ask, site_of, comes_to) if check.per_program else ask(runs.programs[0])
        except Exception as error:
            failures.append(Failure(check.code, Place(module.path, 0, 0), internal_error(error)))
            self.drop(entry)
        return Reply(found, tuple(failures), (*problems, *self.programs.taken_problems()))

    def _of_run(
        self,
        check: type[Check],
        module: SemanticIndex,
        failures: list[Failure],
        problems: list[Problem],
        program: Program,
    ) -> Found:
        """Return the same, in one run configuration.

        An internal error costs what is left to ask of this check, file and program.
        """
        found: Found = {}
        site: Optional[Site] = None
        try:
            instance = self.check_in(check, program)
            for site in instance.narrowed(self.candidates(check, module)):
                _note(found, _asked(partial(_reported, instance, site), instance, site, problems))
            for site in instance.anchors(module) if check.anchored and module.path == program.entry else ():
                _note(found, _asked(partial(instance.examine, site), instance, site, problems))
        except Exception as error:
            place = site.place if site is not None else Place(module.path, 0, 0)
            failures.append(Failure(check.code, place, internal_error(error)))
            self.drop(program.entry)
        return found

    def _site_of(self, check: type[Check], module: SemanticIndex, finding: Finding) -> Optional[Site]:
        """Return the site that a check reports; None where the finding stands elsewhere."""
        starts = ((site, site.place) for site in self.candidates(check, module))
        return next((site for site, place in starts if place == finding.place), None)

    def _comes_to(self, check: type[Check], program: Program, site: Site) -> bool:
        """Return whether a run configuration comes to a site with the options that it gives, and a fix changes it.

        An option for which each launcher passes another value has none in the run without a launcher.
        """
        is_asked = program.runs(site) and not conditions.is_on_request(program, site)
        if is_asked and program.run is None:
            is_asked = not conditions.is_by_launchers(program, site)
        return is_asked and self.check_in(check, program).concerns(site)

    def check_in(self, check: type[Check], program: Program) -> Check:
        """Return a check that asks in a program, with its settings."""
        key = (check, program)
        if key not in self._checks:
            self._checks[key] = check(program, self._config.options.get(check.code), self._config.line_length)
        return self._checks[key]


def _note(found: Found, findings: list[Finding]) -> None:
    """Add findings to those of a file, the first at each place."""
    for finding in findings:
        found.setdefault((finding.place, finding.end), finding)


def _reported(check: Check, site: Site) -> list[Finding]:
    """Return what a check reports at a site, if by meaning that may have to be reported."""
    seen = suspect(check, site)
    return check.examine(seen) if seen is not None else []


def _asked(ask: Callable[[], list[Finding]], check: Check, site: Site, problems: list[Problem]) -> list[Finding]:
    """Return what a check says of a site; where it cannot be read, nothing, and a problem that says so."""
    try:
        return ask()
    except Unreadable as error:
        reason = Message("{code} could not look at this call: {reason}", code=check.code, reason=error.args[0])
    except RecursionError:
        reason = Message("{code} skipped: the code around this call is nested too deeply", code=check.code)
    place = site.place
    problems.append(Problem(place.path, place.line, place.column, reason, place.cell))
    return []
