"""The programs of a linter, each in all run configurations in which it is judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Optional

from ms_perflint.config.settings import Config, PerDirectory
from ms_perflint.core.files import CHANGE, ONLY_CONFIGS, Disk
from ms_perflint.core.findings import Finding, Place
from ms_perflint.core.reports import Problem
from ms_perflint.discovery import discover
from ms_perflint.index.semantic_index import Site
from ms_perflint.infer.commandline import NOWHERE
from ms_perflint.infer.queries import BUDGET
from ms_perflint.languages import Message
from ms_perflint.linting.merging import DEFAULTS, Found, Ran, over_runs
from ms_perflint.program import run_configurations
from ms_perflint.program.program import Program
from ms_perflint.program.run_configurations import RunConfiguration
from ms_perflint.program.target import Target
from ms_perflint.resolve.project import Project
from ms_perflint.training import devices, training

ANSWERS = 1_000_000  # answers of programs, of all together, after which they are evicted
EVALUATIONS = 8_000  # after which no other config file is tried: 1.4 s, twice the time to judge a small program
MOST = 60  # run configurations of one program that are judged
FEW = 1  # the same of a large program: each takes seconds, and tens of megabytes
TAKEN = 3  # answers that are taken over in the time of one evaluation
# words without which a file asks nothing of the one who starts the program
ASKING = ("argparse", "ArgumentParser", "click", "absl", "hydra", "OmegaConf", "environ", "getenv", "argv", "autotune")


class Programs:
    """Programs by entry script; where one program is needed, it is that of the first run configuration."""

    def __init__(self, config: Config) -> None:
        self._problems: list[Problem] = []
        self._config = config
        self._target = Target(config.mindspore_version or (0,), (config.device,) if config.device else ())
        self._held: dict[str, Runs] = {}

    def __contains__(self, entry: str) -> bool:
        return entry in self._held

    @property
    def entries(self) -> frozenset[str]:
        """Return the entry scripts."""
        return frozenset(self._held)

    def taken_problems(self) -> list[Problem]:
        """Return the problems of arguments that a program does not accept, each once."""
        problems, self._problems = self._problems, []
        return problems

    def __iter__(self) -> Iterator[Program]:
        return (program for held in self._held.values() for program in held.programs)

    def held(self, entry: str) -> tuple[Program, ...]:
        """Return a program in the run configurations that are evaluated; () where it is not held."""
        return self._held[entry].asked if entry in self._held else ()

    def of(self, entry: str, project: Project) -> Runs:
        """Return the program of an entry script in all its run configurations."""
        if entry not in self._held:
            base = Program(project, entry, self._target)
            runs = self._ways(base)
            judged = self._to_judge(base, runs)
            most = FEW if len(judged) > FEW and base.is_large else MOST
            ways = tuple(base.run_as(run) if run is not None else base for run in judged[:most])
            for program in ways:
                program.ways = len(ways)
            beyond = tuple(map(_name, judged[most:]))
            self._held[entry] = Runs(ways, beyond, len(runs) - len(judged))
        return self._held[entry]

    def _ways(self, base: Program) -> tuple[Optional[RunConfiguration], ...]:
        """Return all run configurations of a program, those that a change affects first; None: the defaults."""
        runs = self._runs(base)
        if all(run is None or run.start is not None for run in runs) and _may_ask(base) and training.may_train(base):
            from ms_perflint.program import sibling_configs  # here, because most programs ask for nothing

            siblings = tuple(sibling_configs.runs(base))
            if siblings and self._needs(base, siblings):
                runs = siblings
        return self._changed_first(base, runs)

    @staticmethod
    def _changed_first(
        base: Program, runs: tuple[Optional[RunConfiguration], ...]
    ) -> tuple[Optional[RunConfiguration], ...]:
        """Return run configurations with those first that a change affects: these are all judged, and named."""
        if len(runs) == 1:
            return runs
        return tuple(sorted(runs, key=lambda run: run is None or not run_configurations.has_changed(base, run)))

    @staticmethod
    def _to_judge(
        base: Program, runs: tuple[Optional[RunConfiguration], ...]
    ) -> tuple[Optional[RunConfiguration], ...]:
        """Return the run configurations to judge: where only config files changed, those with these files.

        All of them where other code may read such a file, too: the code has its name.
        """
        files = base.project.files
        if len(runs) == 1 or not files.named(CHANGE, ONLY_CONFIGS):
            return runs
        names = tuple(os.path.basename(path) for path in files.named(CHANGE, "*") - {ONLY_CONFIGS})
        if base.project.one_contains(base.files, names):
            return runs
        read = tuple(run for run in runs if run is not None and run_configurations.has_changed(base, run, names))
        return read or runs

    @staticmethod
    def _needs(base: Program, siblings: tuple[RunConfiguration, ...]) -> bool:
        """Return whether a program loads one of the config files that it may be passed, and trains with it.

        Of files with equal values where the program reads them, one is tried; what is left out is reported.
        """
        from ms_perflint.program import sibling_configs

        tried: list[Program] = []
        try:
            for run in siblings:
                program = base.run_as(run)
                program.ways = len(siblings)
                if any(other.is_run_as(program) for other in tried):
                    continue
                if sum(each.queries.spent_first for each in tried) > EVALUATIONS:
                    base.leave_out(Message("not all of {number} config files were tried", number=len(siblings)))
                    break
                tried.append(program)
                if sibling_configs.loads(program) and training.is_trained(program):
                    return True
        finally:
            for program in tried:
                program.close()
        return False

    def _runs(self, base: Program) -> tuple[Optional[RunConfiguration], ...]:
        """Return the run configurations of a program; None stands for the defaults."""
        asked = self._config.arguments
        if asked is not None and asked.entry == base.entry:
            from ms_perflint.program import arguments  # here, because most runs have none

            words = [(word, NOWHERE) for word in asked.words]
            read = arguments.line(base, " ".join(asked.words), words, asked.base)
            self._problems += [Problem(base.entry, 0, 0, said) for _, said in read.problems]
            return (read.run,)
        if launched := self._launched(base):
            return launched
        if not _may_ask(base) or not training.may_train(base):
            return (None,)
        return (None, *run_configurations.of_starts(base.commands.starts, os.path.dirname(base.entry)))

    def _launched(self, base: Program) -> tuple[RunConfiguration, ...]:
        """Return the run configurations of a program in the setting `launch`; none without one."""
        runs: list[RunConfiguration] = []
        for launch in self._config.launch:
            if launch.entry != base.entry:
                continue
            from ms_perflint.program import arguments

            place = Place(launch.file, launch.row, 1)
            words = [(word, place) for word in launch.words]
            for line, name in arguments.expanded(base.project.files, words, launch.base):
                read = arguments.line(base, name or " ".join(launch.words) or DEFAULTS, line, launch.base)
                runs.append(read.run)
                self._problems += [Problem(where.path, where.row, where.column, said) for where, said in read.problems]
        return run_configurations.told_apart(runs)

    def left_out(self, entry: str) -> Optional[Message]:
        """Return why some questions about a program were not answered; None where all were."""
        reasons = (program.left_out for program in self.held(entry))
        return next(filter(None, reasons), None) or self.beyond(entry)

    def is_spent(self, entry: str) -> bool:
        """Return whether the budget of a program is spent, so that the order of questions decides the answers."""
        return any(program.is_spent for program in self.held(entry))

    def beyond(self, entry: str) -> Optional[Message]:
        """Return the number of run configurations of a program that are not judged; None where all are."""
        more = len(self.unasked(entry))
        return Message("{more} more run configurations were not judged", more=more) if more else None

    def unasked(self, entry: str) -> tuple[str, ...]:
        """Return the names of the run configurations of a program that should have been judged, and were not."""
        return self._held[entry].unasked if entry in self._held else ()

    def is_too_much(self) -> bool:
        """Return whether the programs hold more answers than the bound."""
        return sum(len(program.evaluator.queries.memo) for program in self) > ANSWERS

    def drop(self, entry: str) -> None:
        """Free a program."""
        held = self._held.pop(entry, None)
        if held is not None:
            held.close()

    def close(self) -> None:
        """Free all programs."""
        for held in self._held.values():
            held.close()
        self.forget()

    def forget(self) -> None:
        """Remove all programs."""
        self._held.clear()


def _may_ask(program: Program) -> bool:
    """Return whether a program may take arguments."""
    return program.project.one_contains(program.files, ASKING)


class Runs:
    """A program in all of its run configurations; those that are equivalent are evaluated once."""

    def __init__(self, programs: tuple[Program, ...], beyond: tuple[str, ...] = (), others: int = 0) -> None:
        self.programs = programs
        self._beyond = beyond  # names of those that are too many to be judged
        self._others = others  # how many more there are that are not to be judged
        # Each begins with the one that is asked. More may be asked of it later: they only get smaller
        self._alike: list[list[Program]] = [list(programs)]
        self._judged: dict[Program, None] = {}  # those that were asked, the first one first
        self._skipped: list[Program] = []  # that are not judged: the others took too much

    def close(self) -> None:
        """Free all programs, also that of the defaults where it is no run configuration."""
        for program in dict.fromkeys((*self.programs, self.programs[0].base or self.programs[0])):
            program.close()

    @property
    def asked(self) -> tuple[Program, ...]:
        """Return one program for each set of run configurations that are equivalent, as far as is known."""
        return tuple(self._judged) or self.programs[:1]

    @property
    def unasked(self) -> tuple[str, ...]:
        """Return the names of the run configurations that should have been judged, and were not."""
        return (*(_name(program.run) for program in self._skipped), *self._beyond)

    @property
    def kept(self) -> tuple[Program, ...]:
        """Return the programs of the judged run configurations, each itself or an equivalent one."""
        return tuple(program for program in self.programs if program not in self._skipped)

    def ask(
        self,
        ask: Callable[[Program], Found],
        site_of: Callable[[Finding], Optional[Site]],
        comes_to: Callable[[Program, Site], bool],
    ) -> Found:
        """Return the findings in a file as part of the program, over its run configurations.

        `site_of` returns the site of a finding, `comes_to` whether a run reaches it. Launchers for a CPU do not count:
        their runs are not reported.
        """
        if len(self.programs) == 1 and not self._others:
            return ask(self.programs[0])
        kept: list[list[Program]] = []
        by_program: dict[Program, Found] = {}
        first_of: dict[Program, Program] = {}
        for alike in self._alike:
            first, *others = alike
            if self._is_too_much([each[0] for each in kept]):
                self._skipped += alike
                self._judged.pop(first, None)
                for each in alike:
                    if each.base is not None:  # which the others build on
                        each.close()
                continue
            kept.append(alike)
            self._judged[first] = None
            found = ask(first)
            is_exact = any(_leaves(first, finding) for finding in found.values())
            told_apart = _told_apart(first, others, is_exact)
            if told_apart:
                alike[:] = [each for each in alike if each not in told_apart]
                self._alike.append(told_apart)  # which the loop comes to
            by_program.update(dict.fromkeys(alike, found))
            first_of.update(dict.fromkeys(alike, first))
        self._alike = kept
        runs = [(program, by_program[program]) for program in self.programs if program in by_program]
        if any(found for _, found in runs):
            runs = [(program, found) for program, found in runs if found or not _is_on_cpu(program)]
        named = [
            Ran(_name(program.run), found, partial(_reaches, comes_to, first_of[program], program, site_of))
            for program, found in runs
        ]
        beyond = len(self._skipped) + len(self._beyond) + self._others
        return over_runs(named, partial(_is_local, site_of), beyond, not self._others)

    @staticmethod
    def _is_too_much(asked: Sequence[Program]) -> bool:
        """Return whether run configurations have together spent the budget of one program.

        Answers taken over from one another count by their cost; from other programs, in full.
        """
        return sum(each.queries.spent_first + each.queries.repeated // TAKEN for each in asked) > BUDGET


def _reaches(
    comes_to: Callable[[Program, Site], bool],
    first: Program,
    program: Program,
    site_of: Callable[[Finding], Optional[Site]],
    finding: Finding,
) -> bool:
    """Return whether a run configuration reaches the site of a finding; True for a finding at no site.

    `first`: the program that was asked for it. It is asked here, too, unless the other gives another answer.
    """
    site = site_of(finding)
    if site is None:
        return True
    comes = comes_to(first, site)
    return comes if program is first or _is_alike(first, program, is_exact=False) else comes_to(program, site)


def _told_apart(first: Program, others: Iterable[Program], is_exact: bool) -> list[Program]:
    """Return the run configurations that may have other findings than one that was asked."""
    apart: list[Program] = []
    for other in others:
        if any(each.is_run_as(other) for each in apart[:1]) and not first.is_run_as(other):
            apart.append(other)  # which answers as that one did, and is asked nothing for that
        elif not _is_alike(first, other, is_exact):
            apart.append(other)
    return apart


def _is_alike(first: Program, other: Program, is_exact: bool) -> bool:
    """Return whether two run configurations have the same findings; `is_exact`: which name a file of the run."""
    return first.is_run_as(other) or first.is_answered_as(other, is_exact)


def _leaves(program: Program, finding: Finding) -> bool:
    """Return whether a finding names a file that is none of the program: a launcher or config file."""
    edits = finding.fix.edits if finding.fix is not None else ()
    paths = (*(edit.path for edit in edits), *(each.place.path for each in finding.related))
    return not program.paths.issuperset(paths)


def _is_local(site_of: Callable[[Finding], Optional[Site]], finding: Finding) -> bool:
    """Return whether a fix changes only the call of the finding."""
    site, edits = site_of(finding), finding.fix.edits if finding.fix is not None else ()
    return site is not None and all(
        edit.path == site.module.path and site.span[0] <= edit.start <= edit.end <= site.span[1] for edit in edits
    )


def _name(run: Optional[RunConfiguration]) -> str:
    return run.name if run is not None else DEFAULTS


def _is_on_cpu(program: Program) -> bool:
    """Return whether a launcher runs a program on a CPU."""
    return program.run is not None and program.run.start is not None and devices.target_of(program).is_cpu


def files_of(entry: str, settings: PerDirectory) -> tuple[str, ...]:
    """Return the files of a program without excluded ones, its entry script first."""
    others = sorted(Project(Disk()).closure(entry) - {entry})
    return (entry, *discover(others, settings, force_exclude=True).files) if others else (entry,)
