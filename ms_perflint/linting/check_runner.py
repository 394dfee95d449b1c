"""Runs checks on files in the programs of these files; a program is created once for all coming files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple, Optional

from ms_perflint.check import Check
from ms_perflint.config.settings import Config
from ms_perflint.core.findings import Finding, Place
from ms_perflint.core.fingerprints import Fingerprint
from ms_perflint.core.internal import internal_error
from ms_perflint.core.reports import Gap, Problem, unjudged
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.languages import Message
from ms_perflint.linting import judged as judging
from ms_perflint.linting.inquiry import Failure, Inquiry, Reply
from ms_perflint.linting.merging import Found, merged, only_shown
from ms_perflint.program.program import Program
from ms_perflint.resolve.project import Project


class Judged(NamedTuple):
    """The findings of a check in a file as part of one program, before the file is linted."""

    reply: Reply
    left_out: Optional[Message] = None  # why some questions got no answer
    unjudged: Optional[Gap] = None  # the same, where that is to be said


ByFile = dict[str, dict[tuple[type[Check], str], Judged]]  # by file, then check and entry script


class JudgedPrograms(NamedTuple):
    """The programs of some entry scripts that have judged some files: what they found there."""

    consulted: dict[str, frozenset[str]]  # the entry scripts, each with the files that its findings rest on
    files: frozenset[str]  # that were judged
    found: ByFile
    trained: frozenset[str]  # the entry scripts whose programs train
    fingerprints: tuple[Fingerprint, ...] = ()  # of what was read, if it is to be remembered
    cost: int = 0  # processor time in microseconds

    def within(self, paths: Iterable[str]) -> JudgedPrograms:
        """Return the same with what was found in some files."""
        return self._replace(found={path: self.found[path] for path in paths if path in self.found})


class CheckRunner:
    """Runs checks on files, each in the programs of the file, and keeps the findings in coming files.

    `checks_in` returns the checks for a file that may have findings; problems are added to `problems`. `judged` are the
    programs that another process has judged.
    """

    project: Project
    inquiry: Inquiry

    def __init__(
        self,
        config: Config,
        enabled: Sequence[type[Check]],
        checks_in: Callable[[str], Sequence[type[Check]]],
        problems: list[Problem],
        coming: Sequence[str],
        judged: Sequence[JudgedPrograms] = (),
        remember: bool = False,
    ) -> None:
        self.config = config
        self.enabled = enabled
        self.problems = problems
        self.failures: list[Failure] = []  # internal errors in the file that is linted
        # entry scripts whose programs train, as far as they were asked
        self.trained = {entry for each in judged for entry in each.trained}
        self._checks_in = checks_in
        self._remember = remember  # whether `judged` is asked for at the end
        self._coming = dict.fromkeys(coming)  # files that are not linted yet
        self._judged: ByFile = {}  # ahead
        self._elsewhere: dict[str, list[JudgedPrograms]] = {}
        for each in judged:
            for entry in each.consulted:
                self._elsewhere.setdefault(entry, []).append(each)
        self._asked_there: dict[int, JudgedPrograms] = {}  # those of them that were asked, by identity
        self._asked_in: dict[str, dict[str, list[type[Check]]]] = {}  # see `_asking`
        # the programs that have judged all coming files, with the files that they consulted; None: not known
        self._done: dict[str, Optional[frozenset[str]]] = {}
        self._asked_about: dict[str, set[str]] = {}  # the rules that asked a program about the last file, by its entry
        self._left: dict[str, tuple[Gap, set[str]]] = {}  # why some got no answer of one that had judged it ahead
        self._gaps = False  # whether some questions about it were left unanswered then

    def begin(self, project: Project) -> None:
        """Start with an empty project."""
        self.project = project
        self.inquiry = Inquiry(self.config, project)

    def forget(self) -> None:
        """Drop the findings in coming files."""
        for held in (self._asked_in, self._judged, self._done):
            held.clear()

    def judge(self, entry: str) -> None:
        """Judge all coming files of the program of a script; with internal errors, it is left to whoever asks it next.

        That of another file is asked by that file only.
        """
        if self.project.entries.is_entry(entry) and entry not in self._done:
            self._judge(entry)
            if self.failures:
                del self._done[entry]
                self.failures.clear()

    def judged(self) -> JudgedPrograms:
        """Return what the programs have found that have judged all coming files."""
        consulted = {entry: files for entry, files in self._done.items() if files is not None}
        return JudgedPrograms(consulted, frozenset(self._coming), self._judged, frozenset(self.trained))

    def taken_judged(self) -> list[JudgedPrograms]:
        """Return what was found here, and what other processes found and was asked for, and forget the latter."""
        there, self._asked_there = self._asked_there, {}
        return [self.judged(), *there.values()]

    def end(self, path: str) -> None:
        """Drop what is kept about a file that is linted."""
        for held in (self._coming, self._asked_in):
            held.pop(path, None)
        if not self._remember:
            self._judged.pop(path, None)

    def found_in(self, module: SemanticIndex, enabled: Sequence[type[Check]]) -> list[Finding]:
        """Return the findings of checks in a file.

        What a budget leaves out must not depend on other files: a program that is shared with them is created again.
        """
        before = self.inquiry.programs.entries
        self._asked_about, self._left, self._gaps = {}, {}, False
        found = [finding for check in enabled for finding in self._findings(check, module)]
        again = [entry for entry in self._asked_about if entry in before and self.inquiry.programs.is_spent(entry)]
        for entry in again:
            self.inquiry.drop(entry)
        return self.found_in(module, enabled) if again else found

    def has_gaps(self) -> bool:
        """Return whether a program of the file left questions unanswered."""
        return self._gaps or any(map(self.inquiry.programs.left_out, self._asked_about))

    def unjudged(self, path: str) -> list[Finding]:
        """Return the programs of a file that were judged in part."""
        left = dict(self._left)
        for entry, codes in self._asked_about.items():
            gap = self.why_unjudged(entry)
            gaps = {} if gap or path != entry else self.gaps(entry, codes)
            if gap:
                left[entry] = gap, codes
            elif gaps:
                left[entry] = Gap(next(iter(gaps.values()))), set(gaps)
        return [unjudged(entry, path, codes, gap) for entry, (gap, codes) in left.items()]

    def why_unjudged(self, entry: str) -> Optional[Gap]:
        """Return why the program of an entry script was judged in part; None where it was judged in full."""
        programs = self.inquiry.programs
        reason = next(filter(None, map(judging.unjudged, programs.held(entry))), None) or programs.beyond(entry)
        return Gap(reason, programs.unasked(entry)) if reason is not None else None

    def gaps(self, entry: str, codes: Collection[str]) -> dict[str, Message]:
        """Return what rules could not follow in the program of an entry script, by code."""
        held = [each for each in self.inquiry.programs.held(entry) if judging.is_started(each)]
        asked = [check for check in self.enabled if check.code in codes]
        found = ((check.code, self.inquiry.check_in(check, program).gap()) for check in asked for program in held)
        return {code: gap for code, gap in found if gap is not None}

    # --- one check in one file

    def _findings(self, check: type[Check], module: SemanticIndex) -> list[Finding]:
        before = len(self.failures)
        found = merged([self._of_program(check, entry, module) for entry in self._entries(check, module)])
        is_whole = len(self.failures) == before and not self._is_shared(module)
        reason = Message("not every program that runs this file could be asked")
        return found if is_whole else [only_shown(finding, reason) for finding in found]

    def _is_shared(self, module: SemanticIndex) -> bool:
        """Return whether other programs run a file, too, where only one run of one program is judged."""
        asked = self.config.arguments
        return asked is not None and not {asked.entry, module.path}.issuperset(self.project.programs(module.path))

    def _entries(self, check: type[Check], module: SemanticIndex) -> tuple[str, ...]:
        """Return the entry scripts of the programs in which a check runs on a file."""
        path, entries = module.path, self.project.entries
        has_sites = self.inquiry.has_sites(check, module)
        if check.per_program and self.config.arguments is not None:
            return (self.config.arguments.entry,)
        if not has_sites:
            return (path,) if check.anchored and entries.is_entry(path) else ()
        if not check.per_program:
            return (path,)
        return tuple(each for each in entries.programs(path) if check.in_libraries or entries.is_entry(each))

    def _of_program(self, check: type[Check], entry: str, module: SemanticIndex) -> Found:
        """Return the findings of a check in a file as part of one program, which may have judged it before."""
        if module.path not in self._coming:
            self._asked_about.setdefault(entry, set()).add(check.code)
            return self.asked(check, entry, module)
        known = (each for each in self._elsewhere.get(entry, ()) if module.path in each.files)
        elsewhere = next(known, None)
        if elsewhere is not None:
            self._asked_there[id(elsewhere)] = elsewhere
        elif entry not in self._done:
            self._judge(entry)
        found = self._judged if elsewhere is None else elsewhere.found
        judged = found.get(module.path, {}).get((check, entry))
        if judged is None:
            return {}
        self._gaps = self._gaps or judged.left_out is not None
        if judged.unjudged:
            gap, codes = self._left.get(entry, (judged.unjudged, set()))
            most = max(gap, judged.unjudged, key=lambda each: len(each.runs))  # more are left out with each question
            self._left[entry] = most, {*codes, check.code}
        return self._noted(judged.reply)

    def asked(self, check: type[Check], entry: str, module: SemanticIndex) -> Found:
        """Return the findings of a check in a file as part of one program, which runs now."""
        return self._noted(self.inquiry.ask(check, entry, module))

    def _noted(self, reply: Reply) -> Found:
        """Return the findings of a reply, and add its failures and problems."""
        self.failures += reply.failures
        self.problems += reply.problems
        return reply.found

    # --- ahead, in coming files

    def _judge(self, entry: str) -> None:
        """Judge all coming files of a program, and free it."""
        is_new, closure = entry not in self.inquiry.programs, self.project.closure(entry)
        self.project.consulted.clear()
        for path in sorted(closure & self._coming.keys()):
            asking = self._asking(path).get(entry, ())
            for check, judged in self._ahead(entry, path, asking).items() if asking else ():
                if any(judged.reply) or judged.left_out or judged.unjudged:
                    self._judged.setdefault(path, {})[check, entry] = judged
        self._done[entry] = closure.union(self.project.consulted) if is_new else None
        self.inquiry.drop(entry)

    def _ahead(self, entry: str, path: str, asking: Sequence[type[Check]]) -> dict[type[Check], Judged]:
        """Return the findings of a program in a coming file, by check.

        What a budget leaves out must not depend on other files: where it is spent, the program is created again.
        """
        programs = self.inquiry.programs
        is_new = entry not in programs
        replies = {check: self.inquiry.ask(check, entry, self.project.parse(path)) for check in asking}
        held = programs.held(entry)
        if not held:
            return {check: Judged(reply) for check, reply in replies.items()}
        reason, said = programs.left_out(entry), self.why_unjudged(entry)
        if path == entry and asking:
            self._note_training(held[0])
        if programs.is_spent(entry):
            self.inquiry.drop(entry)
            if not is_new:
                return self._ahead(entry, path, asking)
        gaps = self.gaps(entry, {check.code for check in asking}) if path == entry and not said else {}
        more = {code: Gap(gap) for code, gap in gaps.items()}
        return {check: Judged(reply, reason, said or more.get(check.code)) for check, reply in replies.items()}

    def _asking(self, path: str) -> dict[str, list[type[Check]]]:
        """Return the checks that run in a coming file, by the entry scripts of their programs."""
        if path not in self._asked_in:
            found: dict[str, list[type[Check]]] = {}
            checks = self._checks_in(path)
            module = self.project.module(path) if checks else None
            for check in checks if module is not None else ():
                for entry in self._entries(check, module) if module is not None else ():
                    found.setdefault(entry, []).append(check)
            self._asked_in[path] = found
        return self._asked_in[path]

    def _note_training(self, program: Program) -> None:
        """Record an entry script whose program trains."""
        try:
            if judging.is_trained(program):
                self.trained.add(program.entry)
        except Exception as error:
            self.failures.append(Failure("", Place(program.entry, 0, 0), internal_error(error)))
