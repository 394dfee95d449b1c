"""Runs checks on files as parts of programs; an internal error stops one check in one file."""

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
from ms_perflint.linting.suspects import all_candidates, candidates, passes_triggers_on, suspect
from ms_perflint.program.program import Program
from ms_perflint.resolve.project import Project
from ms_perflint.training import conditions
from ms_perflint.training.other_frameworks import is_of_another_framework


class Failure(NamedTuple):
    """An internal error: the check, the site, and the message."""

    code: str
    place: Place
    reason: Message


class Reply(NamedTuple):
    """The findings of a check in a file as part of one program, by place, with failures and problems."""

    found: Found
    failures: tuple[Failure, ...] = ()
    problems: tuple[Problem, ...] = ()


class Inquiry:
    """The programs of a project, and the checks that run in them."""

    def __init__(self, config: Config, project: Project) -> None:
        self.programs = Programs(config)
        self._config = config
        self._project = project
        self._checks: dict[tuple[type[Check], Program], Check] = {}
        self._sites: dict[tuple[type[Check], str], list[Site]] = {}  # candidates, by check and file
        self._has_sites: dict[tuple[type[Check], str], bool] = {}  # see `has_sites`

    def close(self) -> None:
        """Free all memory."""
        self.programs.close()
        self._checks.clear()
        self._sites.clear()
        self._has_sites.clear()

    def evict(self, path: str) -> None:
        """Free what only a file and its own program need."""
        self.drop(path)
        for held in (self._sites, self._has_sites):
            for key in [key for key in held if key[1] == path]:
                del held[key]

    def drop(self, entry: str) -> None:
        """Drop the program of an entry script, which is done, or which an internal error left in an unknown state."""
        self._checks = {key: check for key, check in self._checks.items() if key[1].entry != entry}
        self.programs.drop(entry)

    def runs_of(self, entry: str) -> Runs:
        """Return the program of an entry script in all of its run configurations."""
        if entry not in self.programs and self.programs.is_too_much():
            self.programs.close()
            self._checks.clear()
        return self.programs.of(entry, self._project)

    def candidates(self, check: type[Check], module: SemanticIndex) -> list[Site]:
        """Return the sites of a file that may be suspects of a check."""
        key = check, module.path
        if key not in self._sites:
            self._sites[key] = candidates(check, module)
        return self._sites[key]

    def has_sites(self, check: type[Check], module: SemanticIndex) -> bool:
        """Return whether a file may have suspects of a check in some program."""
        key = check, module.path
        if key not in self._has_sites:
            self._has_sites[key] = bool(self.candidates(check, module)) or passes_triggers_on(check, module)
        return self._has_sites[key]

    def ask(self, check: type[Check], entry: str, module: SemanticIndex) -> Reply:
        """Return the findings of a check in a file as part of one program, in all run configurations."""
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
        """Return the findings in one run configuration.

        An internal error ends this check for the file and program.
        """
        found: Found = {}
        site: Optional[Site] = None
        try:
            if is_of_another_framework(program):
                return found
            instance = self.check_in(check, program)
            sites = all_candidates(instance, module, self.candidates(check, module))
            for site in instance.narrowed(sites):
                _note(found, _asked(partial(_reported, instance, site), instance, site, problems))
            for site in instance.anchors(module) if check.anchored and module.path == program.entry else ():
                _note(found, _asked(partial(instance.examine, site), instance, site, problems))
        except Exception as error:
            place = site.place if site is not None else Place(module.path, 0, 0)
            failures.append(Failure(check.code, place, internal_error(error)))
            self.drop(program.entry)
        return found

    def _site_of(self, check: type[Check], module: SemanticIndex, finding: Finding) -> Optional[Site]:
        """Return the site of a finding; None for a finding at no site."""
        starts = ((site, site.place) for site in self.candidates(check, module))
        return next((site for site, place in starts if place == finding.place), None)

    def _comes_to(self, check: type[Check], program: Program, site: Site) -> bool:
        """Return whether a run configuration reaches a site, so that a fix there changes it.

        An option whose value differs in each launcher has none in the run without a launcher.
        """
        is_asked = program.runs(site) and not conditions.is_on_request(program, site)
        if is_asked and program.run is None:
            is_asked = not conditions.is_by_launchers(program, site)
        return is_asked and self.check_in(check, program).concerns(site)

    def check_in(self, check: type[Check], program: Program) -> Check:
        """Return a check for a program, with its settings."""
        key = (check, program)
        if key not in self._checks:
            self._checks[key] = check(program, self._config.options.get(check.code), self._config.line_length)
        return self._checks[key]


def _note(found: Found, findings: list[Finding]) -> None:
    """Add findings to those of a file, the first at each place."""
    for finding in findings:
        found.setdefault((finding.place, finding.end), finding)


def _reported(check: Check, site: Site) -> list[Finding]:
    """Return the findings of a check at a site, if the site is a suspect."""
    seen = suspect(check, site)
    return check.examine(seen) if seen is not None else []


def _asked(ask: Callable[[], list[Finding]], check: Check, site: Site, problems: list[Problem]) -> list[Finding]:
    """Return the findings of a check at a site; for an expression that LibCST cannot read, none, and a problem."""
    try:
        return ask()
    except Unreadable as error:
        reason = Message("{code} could not look at this call: {reason}", code=check.code, reason=error.args[0])
    except RecursionError:
        reason = Message("{code} skipped: the code around this call is nested too deeply", code=check.code)
    place = site.place
    problems.append(Problem(place.path, place.line, place.column, reason, place.cell))
    return []
