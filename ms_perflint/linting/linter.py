"""Lints files one after the other: prefilter, programs, suspects, checks, suppressions."""

from __future__ import annotations

import ast
import gc
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Optional
from weakref import proxy

from ms_perflint.cache.packing import Session
from ms_perflint.check import Check, checks_of
from ms_perflint.config.settings import Config, inside
from ms_perflint.core.files import Files, unreadable
from ms_perflint.core.findings import Finding
from ms_perflint.core.fingerprints import Recorder
from ms_perflint.core.internal import Answer, Errors, internal_error
from ms_perflint.core.reports import Problem, trained
from ms_perflint.core.source import Source, SourceError
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.languages import Message
from ms_perflint.linting import remembered
from ms_perflint.linting.check_runner import CheckRunner, JudgedPrograms
from ms_perflint.linting.inquiry import Failure
from ms_perflint.linting.prefilter import MARK, READ, READS
from ms_perflint.linting.review import is_read, review, review_unread
from ms_perflint.linting.unparsable import unparsable
from ms_perflint.program.program import Program
from ms_perflint.resolve.parsed import Parsed
from ms_perflint.resolve.project import Project
from ms_perflint.suppressions import Suppressions

HELD = 2_000_000  # bytes of parsed source that are kept within a project, also where the next file shares none of it
HELD_BETWEEN = 200_000  # the same between projects
HELD_BY_SESSION = 50_000  # the same when findings are remembered: any change makes all of these void
HELD_AT_MOST = 8_000_000  # bytes after which everything is evicted, wherever the run is


class Linter:
    """Lints files one after the other, and keeps what it learns about other files of their projects for a while.

    A program is created once for all files `coming`: when the first file needs it, it judges the others, too.
    """

    def __init__(
        self,
        config: Config,
        files: Files,
        suppress: bool = True,
        remember: bool = False,
        parsed: Optional[Parsed] = None,
        coming: Sequence[str] = (),
        judged: Sequence[JudgedPrograms] = (),
    ) -> None:
        self.config = config
        self.suppress = suppress and not config.ignore_noqa  # whether comments switch findings off
        self.files = files
        self.remember = remember  # whether `sessions` are kept
        self._parsed = parsed  # modules that outlast the linter
        self.sessions: list[Session] = []
        self.problems: list[Problem] = []
        self._read_errors = Errors()
        self._unread: set[str] = set()  # files with such an error: they are not judged
        self._recorder = Recorder(files)
        self._session: dict[str, tuple[Finding, ...]] = {}
        self._last = ""  # the last file that was linted
        self._home = ""  # the directory below which all its last files are
        self.enabled = [check for check in checks_of(frozenset(config.codes)) if check.code in config.codes]
        linter = proxy(self)  # a reference to this linter in its runner would keep both until a garbage collection
        self.runner = CheckRunner(
            config, self.enabled, lambda path: linter._checks_in(path), self.problems, coming, judged, remember
        )
        self._begin(self._new_project())

    def _new_project(self) -> Project:
        return Project(self._recorder if self.remember else self.files, self._parsed, errors=self._read_errors)

    def _begin(self, project: Project) -> None:
        """Start with an empty project."""
        self.project = project
        self.runner.begin(project)

    def close(self) -> None:
        """Give back all memory."""
        self.runner.inquiry.close()
        if not self.remember:
            self._begin(self.project.renewed())
            return
        self._end_session()
        self.runner.forget()  # the next session would not know what was consulted
        self.project.close()
        self._begin(self._new_project())  # knows nothing: a session notes all that was consulted

    def _end_session(self) -> None:
        """Store the findings with the fingerprints that they depend on, and start with an empty project."""
        for path in sorted(map(_file_of, (check for check in self.enabled if not _is_own(check)))):
            self._recorder.read(path)
        if self._session:
            judged = self.runner.taken_judged()
            elsewhere = (fingerprint for each in judged for fingerprint in each.fingerprints)
            consulted = tuple(dict.fromkeys((*self._recorder.fingerprints, *elsewhere)))
            programs = remembered.packed(judged, self.project.entries)
            self.sessions.append(Session(self._session, consulted, programs=programs))
        self._session = {}
        self._recorder = Recorder(self.files)

    def end(self) -> None:
        """Free all memory after the last file."""
        self.isolated(self._last, self.close, None)
        self.project.close()

    def judge(self, entries: Sequence[str]) -> JudgedPrograms:
        """Return what the programs of some entry scripts find in the coming files.

        Internal errors leave a program out; one in reading a file leaves all out, which may rest on it.
        """
        for entry in entries:
            self._last = entry
            self._make_room(entry)
            self.isolated(entry, partial(self.runner.judge, entry), None)
        self.end()
        if self._read_errors.taken():
            self.runner.forget()
        return self.runner.judged()

    def taken_problems(self) -> list[Problem]:
        """Return what could not be done so far, and forget it."""
        found = list(self.problems)
        self.problems.clear()
        return found

    def file(self, path: str) -> list[Finding]:
        """Return the findings in one file; problems are added to `problems`."""
        self._last = path
        return self.isolated(path, partial(self._file, path), [])

    def isolated(self, path: str, ask: Callable[[], Answer], otherwise: Answer) -> Answer:
        """Return an answer about a file; after an internal error, which is reported, `otherwise`."""
        try:
            return ask()
        except Exception as error:
            self._start_again(path, error)
            return otherwise

    def _file(self, path: str) -> list[Finding]:
        before = len(self.problems)
        module = self._open(path, is_next=True)
        found = self._reported(module) if module is not None else self._of_comments(path, before)
        self._report_errors(path)
        self.runner.end(path)
        self._evict(path)
        if path in self._unread:
            return []
        if self.remember and len(self.problems) == before:
            self._session[path] = tuple(found)
        return found

    def _evict(self, path: str) -> None:
        """Free a file that is done, if it belongs to its own program only."""
        is_held = path in self.runner.inquiry.programs or self.project.holds_any(frozenset((path,)))
        if is_held and self.project.programs(path) == (path,):
            self.runner.inquiry.evict(path)
            self.project.evict(path, self.runner.inquiry.programs.entries)

    def _start_again(self, path: str, error: Exception) -> None:
        """Report an internal error in a file, and drop all state, which may be incomplete."""
        self.problems.append(Problem(path, 0, 0, internal_error(error), internal=True))
        self._report_errors(path)
        self.runner.forget()
        self.runner.end(path)
        self._session, self._recorder = {}, Recorder(self.files)
        self._begin(self._new_project())
        gc.collect()  # what was not closed refers to itself

    def parsed(self, source: Source, tree: ast.Module) -> list[Finding]:
        """Return the findings in a file that flake8 has read and parsed."""
        self._make_room(source.path)
        if not self.may_find(source.path, source.text):
            return review_unread(source.path, source.encode(source.text), self._enabled_in(source.path))
        if self.project.differs(source):
            self.close()
        return [each for each in self._reported(self.project.take(source, tree)) if each.code]

    def program(self, entry: str) -> Program:
        """Return the program of an entry script in the first of its run configurations."""
        return self.programs(entry)[0]

    def programs(self, entry: str) -> tuple[Program, ...]:
        """Return the program of an entry script in all its run configurations."""
        found = self.runner.inquiry.runs_of(entry).programs
        self.problems += self.runner.inquiry.programs.taken_problems()
        return found

    def judged_programs(self, entry: str) -> tuple[Program, ...]:
        """Return the program of an entry script in the run configurations that are judged."""
        return self.runner.inquiry.runs_of(entry).kept

    def of_program(self, entry: str) -> Iterator[tuple[Finding, bool]]:
        """Yield the findings of one program where its code runs, and whether a comment or the configuration hides each.

        They are asked for by file, as in a run over files: what is asked first spends the budgets.
        """
        files = self._running_files(entry)
        for per_program in (True, False):  # the others make a program of each file, and many of them drop this one
            for path in files:
                module = self._open(path)
                suppressions = Suppressions(module.source) if module is not None else None
                for check in self.enabled:
                    if module is None or suppressions is None or check.per_program is not per_program:
                        continue
                    wanted = self.config.selects(check.code, path)
                    for finding in self.runner.asked(check, entry if per_program else path, module).values():
                        yield finding, suppressions.hides(finding) or not wanted
                self._report_errors(path)

    def _running_files(self, entry: str) -> list[str]:
        """Return the files with code of a program that runs."""
        return sorted({module.path for program in self.programs(entry) for module in program.modules})

    def asked_of(self, entry: str) -> tuple[str, ...]:
        """Return the rules with suspects in a program."""
        modules = [module for path in self._running_files(entry) if (module := self._open(path)) is not None]
        asked = (check for check in self.enabled if check.per_program)
        has_sites = self.runner.inquiry.has_sites
        return tuple(check.code for check in asked if check.anchored or any(has_sites(check, each) for each in modules))

    def _reported(self, module: SemanticIndex) -> list[Finding]:
        enabled, before = self._enabled_in(module.path), len(self.problems)
        found = self.runner.found_in(module, enabled)
        self._report_errors(module.path)
        if self.suppress:

            def is_all() -> bool:
                is_judged = len(self.problems) == before and not self.runner.has_gaps()
                return is_judged and is_read(module.path, self.project, self.program)

            found += review(module.source, enabled, found, is_all)
            suppressions = Suppressions(module.source)
            found = [finding for finding in found if not suppressions.hides(finding)]
        said = [trained(module.path)] if module.path in self.runner.trained else []
        return sorted(found) + said + self.runner.unjudged(module.path)

    def _of_comments(self, path: str, problems: int) -> list[Finding]:
        """Return the findings about the comments of a file that the prefilter skips."""
        enabled = self._enabled_in(path)
        if len(self.problems) > problems or not any(check.reviews for check in enabled):
            return []
        return review_unread(path, self.project.read(path), enabled)

    def _enabled_in(self, path: str) -> list[type[Check]]:
        """Return the enabled checks of a file; those about comments only if it has some."""
        on = (check for check in self.enabled if self.config.selects(check.code, path))
        return [check for check in on if self.suppress or not check.reviews]

    def _checks_in(self, path: str) -> list[type[Check]]:
        """Return the checks that are on in a file that may have findings."""
        raw = self.project.raw(path)
        return self._enabled_in(path) if raw is not None and self.may_find(path, raw) else []

    def _make_room(self, path: str) -> bool:
        """Free all state beyond a bound, or where the next file shares none of it.

        Return True where it was freed.
        """
        size, kept = self.project.size, HELD
        if not self._home or not inside(path, self._home):
            self._home, kept = os.path.dirname(path), HELD_BY_SESSION if self.remember else HELD_BETWEEN
        is_over = size > HELD_AT_MOST or (size > kept and not self._shares(path))
        if is_over:
            self.close()
        return is_over

    def _shares(self, path: str) -> bool:
        """Return whether a program of a file, or of a script beside it, needs a module that is held."""
        project = self.project
        entries = (*project.programs(path), *project.entries.scripts(os.path.dirname(path)))
        return any(project.holds_any(project.closure(entry)) for entry in entries)

    def may_find(self, path: str, raw: bytes) -> bool:
        """Return whether a file with these bytes may have findings: a prefilter, with false positives."""
        return self.is_marked(path, raw) and any(check.prefilter(raw) for check in self.enabled)

    def is_marked(self, path: str, raw: bytes) -> bool:
        """Return whether a file, or what it imports, names MindSpore; of one that reads tensors, a program with it."""
        if MARK in raw or (b"import" in raw and self._names_mindspore(path)):
            return True
        reads = any(mark in raw for mark in READ) and any(check.code == READS for check in self.enabled)
        return reads and any(map(self._names_mindspore, self.project.programs(path)))

    def _names_mindspore(self, path: str) -> bool:
        """Return whether a file, or one that it imports, names MindSpore."""
        return any(self.project.contains(each, MARK.decode()) for each in self.project.closure(path))

    def _open(self, path: str, is_next: bool = False) -> Optional[SemanticIndex]:
        """Return the module of a file that may have findings; None for others, and for those that cannot be read.

        For the next file to lint, memory is freed if needed.
        """
        try:
            raw = self.project.read(path)
            if not self.may_find(path, raw):
                if is_next and not self.project.is_parsed(path):
                    self.problems += unparsable(path, raw)
                return None
            if is_next and self._make_room(path):
                raw = self.project.read(path)  # for the session that begins with it
                self.may_find(path, raw)
            module = self.project.parse(path, raw)
            if is_next:
                self.problems += [lost.problem(path) for lost in module.source.lost]
            return module
        except SourceError as error:
            self.problems.append(error.problem(path))
        except OSError as error:
            self.problems.append(Problem(path, 0, 0, unreadable(error)))
        return None

    def reads(self, path: str) -> bool:
        """Return whether a file can be parsed; if not, a problem is added."""
        try:
            self.project.parse(path)
        except SourceError as error:
            self.problems.append(error.problem(path))
            return False
        except OSError as error:
            self.problems.append(Problem(path, 0, 0, unreadable(error)))
            return False
        return True

    def _report_errors(self, path: str) -> None:
        """Add the internal errors in a file as problems: one for each error, with the rules that it stopped."""
        by_error: dict[str, list[Failure]] = {}
        for each in self.runner.failures:
            by_error.setdefault(each.reason, []).append(each)
        for reason, errors in by_error.items():
            rules = ", ".join(sorted({each.code for each in errors} - {""}))
            place = min(each.place for each in errors)
            message: str = Message("{rules}: {reason}", rules=rules, reason=reason) if rules else reason
            self.problems.append(Problem(path, place.line, place.column, message, place.cell, internal=True))
        self.runner.failures.clear()
        for other, reason in self._read_errors.taken().items():
            self.problems.append(Problem(other, 0, 0, reason, internal=True))
            self._unread.add(other)
            self._session.clear()  # what was found without this file is not what the next run would find
            self.runner.forget()


def _file_of(check: type[Check]) -> str:
    """Return the file of a check."""
    import inspect  # here, because most runs have no checks of others

    return inspect.getfile(check)


def _is_own(check: type[Check]) -> bool:
    """Return whether a check is part of this package; files of other packages may change."""
    return check.__module__.startswith("ms_perflint.")
