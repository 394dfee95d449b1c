"""An entry script with the files that it imports: running code, calls, config documents and facts."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional, Union

from ms_perflint.core.facts import fact as fact
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.infer import config_files, values
from ms_perflint.infer.alternatives import ConfigDocument
from ms_perflint.infer.evaluate import ProgramEvaluator
from ms_perflint.infer.queries import Queries
from ms_perflint.infer.shared_answers import Shared, SharedAnswers
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.libraries import LIBRARIES
from ms_perflint.program import bounds, call_site, live_code, run_configurations, run_order
from ms_perflint.program import callers as answers
from ms_perflint.program.callers import Partials
from ms_perflint.program.command_lines import CommandLines
from ms_perflint.program.run_configurations import Compared, RunConfiguration
from ms_perflint.program.running_code import RunningCode
from ms_perflint.program.target import Target, versions_of
from ms_perflint.resolve import config_documents
from ms_perflint.resolve.project import Project
from ms_perflint.resolve.resolver import Namespace
from ms_perflint.resolve.watched import Keys, Watched

if TYPE_CHECKING:
    from ms_perflint.program.inputs import Inputs


class Program:
    """An entry script and the local files that it imports. Each question is answered when it is asked, and once."""

    def __init__(
        self,
        project: Project,
        entry: str,
        target: Target,
        run: Optional[RunConfiguration] = None,
        base: Optional[Program] = None,
    ) -> None:
        self.project = project
        self.entry = entry
        self.asked = target  # what the options say: version and device, where they do
        self.run = run  # how it is run; None: as its launchers agree, else with its defaults
        self.base = base  # the same program, run with its defaults; None: this is it
        self.ways = 1  # in which it is judged: they share answers where there are several
        # which keys any program asked for, by the path of a config file: programs share answers
        self.watched: dict[str, dict[Keys, None]] = project.shared.setdefault(Watched, {})
        self.paths = project.closure(entry)
        self.roots = project.imports.roots(entry)
        self.files = (entry, *sorted(self.paths - {entry}))
        self.names = project.names(project.imports.told_apart(entry))
        self._kept = ("_kept", *vars(self))  # what stays when it is closed
        self._forget()

    def _forget(self) -> None:
        """Start without answers."""
        self.facts: dict[tuple[object, ...], Any] = {}  # what `fact` keeps, by the function and its arguments
        self._runs_compared: dict[Program, Compared] = {}
        self.reaches: list[live_code.Reached] = []  # what runs in the ways in which it is run
        self.codes: list[RunningCode] = []  # the code that runs in these
        # how much of what was read outside of queries is the same in others, exactly or not; None: not all of it
        self._compared: dict[tuple[Program, bool], Optional[int]] = {}
        self._left_out: dict[Message, None] = {}  # why questions were answered in part
        self.found_by_runs: dict[int, Shared] = {}  # the answers of the run configurations, by identity

    def close(self) -> None:
        """Forget all answers, which can be asked for again, so that memory is released without the garbage collector.

        It cuts the cycles through the evaluator and the call graph, which are created again.
        """
        kept = {name: vars(self)[name] for name in self._kept}
        self.evaluator.close()
        if "_order" in vars(self):
            self._order.close()
        for code in self.codes:
            code.close()
        self.__dict__.clear()
        self.__dict__.update(kept)
        self._forget()

    def run_as(self, run: RunConfiguration) -> Program:
        """Return the same program in another run configuration."""
        return Program(self.project, self.entry, self.asked, run, self)

    def is_run_as(self, other: Program) -> bool:
        """Return whether another run configuration gives the same answers to all questions that this one was asked.

        This one may be asked more later: a difference stays.
        """
        said = run_configurations.said
        own, others = self.commands, other.commands
        is_same = said(own.overrides()) == said(others.overrides()) and said(own.settings) == said(others.settings)
        is_same = is_same and ("_reach" not in vars(self) or self._reach is other._reach)
        return is_same and self._runs_compared.setdefault(other, Compared()).is_same(self, other)

    def is_answered_as(self, other: Program, is_exact: bool) -> bool:
        """Return whether rules learn the same from another run configuration, whatever is passed to it.

        This one may be asked more later: a difference stays. `is_exact`: also from the same places.
        """
        done = self._compared.get((other, is_exact), 0)
        if done is None or self.run is None or other.run is None:
            return False
        own, others = self.queries, other.queries
        read = len(own.outside or ())
        is_same = self.commands.is_one_run() is other.commands.is_one_run()
        is_same = is_same and ("_reach" not in vars(self) or self.code is other.code)
        is_same = is_same and own.agrees(others, done, values.is_same if is_exact else run_configurations.is_alike)
        self._compared[other, is_exact] = read if is_same else None
        return is_same

    def module(self, path: str) -> Optional[SemanticIndex]:
        """Return a module of the program; None when it cannot be parsed."""
        return self.project.module(path)

    def import_target(
        self, module: SemanticIndex, dotted: str, level: int
    ) -> Union[SemanticIndex, Namespace, str, None]:
        """Return the module that an import names, or the dotted name of an external one; None without such a module."""
        return self.names.import_target(module, dotted, level, self.roots)

    @cached_property
    def evaluator(self) -> ProgramEvaluator:
        """Return the evaluator of the program."""
        first = self.base or self
        by_runs = first.found_by_runs if self.base is not None or self.ways > 1 else None
        evaluator = ProgramEvaluator(self.inputs, LIBRARIES, first.shared, by_runs)
        evaluator.queries.program = self
        evaluator.queries.entry = self.entry if self.ways == 1 else ""  # whose answers no other program shares
        evaluator.queries.askers.update({ProgramEvaluator: evaluator, type(self.inputs): self.inputs})
        return evaluator

    @cached_property
    def shared(self) -> SharedAnswers:
        """Return the answers that the program, in all its run configurations, shares with others."""
        shared: Optional[SharedAnswers] = self.project.shared.get(SharedAnswers)
        if shared is None or shared.is_full:
            shared = self.project.shared[SharedAnswers] = SharedAnswers(shared)
        return shared

    @cached_property
    def inputs(self) -> Inputs:
        """Return the program as its queries see it."""
        from ms_perflint.program.inputs import Inputs  # here, because it is made of methods of this class

        return Inputs(self)

    @cached_property
    def commands(self) -> CommandLines:
        """Return the commands that start the program."""
        return CommandLines(self, self.run, self.base.commands if self.base is not None else None)

    @cached_property
    def queries(self) -> Queries:
        """Return the answers of the evaluator."""
        return self.evaluator.queries

    @property
    def modules(self) -> tuple[SemanticIndex, ...]:
        """Return the modules with running code, the entry script first."""
        return self.code.modules

    @cached_property
    def code(self) -> RunningCode:
        """Return the code that runs: in run configurations that run the same, one object with its answers."""
        codes = (self.base or self).codes
        found = next((each for each in codes if each.reached == self.reached), None)
        if found is None:
            found = RunningCode(self.project, self.files, self.names, self.reached)
            codes.append(found)
        return found

    @cached_property
    def all_modules(self) -> tuple[SemanticIndex, ...]:
        """Return all modules that can be parsed, also those without running code: it parses them."""
        found = (self.module(path) for path in self.files)
        return tuple(module for module in found if module is not None)

    @cached_property
    def versions(self) -> Target:
        """Return the target without its devices, which need all running code; signatures depend on versions alone."""
        return self.base.versions if self.base is not None else versions_of(self, self.asked)

    @property
    def version(self) -> tuple[int, ...]:
        """Return the MindSpore version that the program is for."""
        return self.versions.version

    def known_version(self) -> tuple[int, ...]:
        """Return the version as an input of queries."""
        return self.version

    @property
    def left_out(self) -> Optional[Message]:
        """Return why some questions have no answer, or a partial one; None where all have one."""
        if not self.is_whole:
            return Message("more than {most} KB of code may run", most=live_code.SIZE // 1000)
        return bounds.reached_by(self.queries, self.entry, self.named) or next(iter(self._left_out), None)

    def named(self, path: str) -> str:
        """Return the name of a file for messages, relative to the folder around it and the entry script."""
        folders = os.path.dirname(self.entry), os.path.dirname(path)
        return os.path.relpath(path, os.path.commonpath(folders))

    @property
    def is_spent(self) -> bool:
        """Return whether the answers that are left out depend on the order of the questions."""
        return bool(self.evaluator.queries.spent)

    def leave_out(self, reason: Message) -> None:
        """Note why a question has a partial answer."""
        self._left_out[reason] = None

    # --- sites and calls

    def is_entry(self, path: str) -> bool:
        """Return whether a file is the entry script."""
        return path == self.entry

    def has_file(self, path: str) -> bool:
        """Return whether a file is one of the program."""
        return path in self.paths

    def holds(self, module: SemanticIndex) -> bool:
        """Return whether a module is one of the program, and is still in memory."""
        return module.path in self.paths and self.project.holds(module)

    bases_named = answers.bases_named

    def naming(self, word: str) -> tuple[SemanticIndex, ...]:
        """Return the modules whose bytes contain a word."""
        found = (self.module(path) for path in self.files if self.project.contains(path, word))
        return tuple(module for module in found if module is not None)

    def decorating(self, word: str, decorators: frozenset[str]) -> tuple[SemanticIndex, ...]:
        """Return the modules whose bytes contain a word, and that may have one of some decorators, by any name."""
        imports, paths = self.project.imports, (path for path in self.files if self.project.contains(path, word))
        used = {path: self.project.decorators(path) for path in paths}
        found = (path for path, words in used.items() if words and (words | imports.words(path)) & decorators)
        return tuple(module for path in found if (module := self.module(path)) is not None)

    def importing(self, word: str, modules: tuple[str, ...]) -> tuple[SemanticIndex, ...]:
        """Return the modules whose bytes contain a word, and that may import it or something of these modules."""
        asked, imports = {word, "*", *modules}, self.project.imports
        paths = (path for path in self.files if self.project.contains(path, word))
        found = (self.module(path) for path in paths if not imports.words(path).isdisjoint(asked))
        return tuple(module for module in found if module is not None)

    def sites(self, word: str) -> list[Site]:
        """Return the call sites of the program whose callee may be something named `word`."""
        return self.code.sites(word) if self.may_say(word) else []

    def passed_on(self, api: str) -> tuple[Site, ...]:
        """Return the call sites that may call an API by another name: see `RunningCode.passed_on`."""
        return self.code.passed_on(api) if self.may_say(api.rpartition(".")[2]) else ()

    def may_say(self, word: str) -> bool:
        """Return whether code may contain a word: before it is known what runs, by the bytes of all files."""
        is_known = "code" in vars(self)
        return is_known or not word.isascii() or self.project.one_contains(self.files, (word,))

    calls = fact(call_site.calls)
    in_order = call_site.in_order
    has_calls = call_site.has_calls
    running = call_site.running
    apis = call_site.apis

    def callers(self, function: Scope) -> tuple[Site, ...]:
        """Return the sites of the program that call a function; of a method `__init__`, those that make the class."""
        return answers.callers(self.inputs, function)

    def derived(self, cls: Scope) -> Sequence[Scope]:
        """Return the classes of the program that derive from a class, directly or not."""
        return answers.derived(self.inputs, cls)

    @cached_property
    def partials(self) -> Partials:
        """Return the uses of `partial` in the program."""
        return Partials(self)

    callees = answers.callees

    # --- configs

    def config_document(self, path: str, module: SemanticIndex) -> Optional[ConfigDocument]:
        """Return a config document that a module loads; None without such a file, or for another kind.

        A missing `x.yaml` is replaced by `x.yml`, and the reverse: the user has to name a file that exists.
        """
        directories = self.project.ancestors(os.path.dirname(self.entry))
        paths = [path, *config_files.respelled(path)]
        for candidate in (each for one in paths for each in config_files.resolve(one, module.directory, directories)):
            if (entry := self.config(candidate)) is not None:
                given = [each for each in self.commands.settings if config_documents.holds(entry.data, each[0])]
                for each in given:
                    entry = config_documents.overridden(entry, *each)
                data = entry.data
                if self.ways > 1 and self.run is not None and isinstance(data, dict):
                    data = Watched(data, (), self.watched.setdefault(candidate, {}))
                return ConfigDocument(candidate, data, open=entry.open, given=run_configurations.said(given))
        return None

    config = fact(config_files.read)

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Return what an expression can be."""
        return self.evaluator.value(node, scope)

    # --- what runs

    @cached_property
    def _reach(self) -> live_code.Reached:
        first = self.base._reach if self.base is not None else None
        is_same = first is not None and not first.keys
        words = run_configurations.words(self, self.run, self.commands.starts) if not is_same else frozenset()
        known = self.base.reaches if self.base is not None else []
        found = first if is_same else next((each for each in known if each.keys & words == each.named), None)
        if found is None:
            found = live_code.reached(self, words)
            (self.base or self).reaches.append(found)
        if found.unread:
            self.leave_out(
                Message(
                    "code is registered in {number} files, and it is not known which of it runs", number=found.unread
                )
            )
        return found

    @property
    def reached(self) -> set[Scope]:
        """Return the scopes that run."""
        return self._reach.scopes

    @cached_property
    def is_whole(self) -> bool:
        """Return whether all running code was read; of a program that is too large, the entry script alone is."""
        return live_code.is_small(self) or self._reach.is_whole

    @property
    def is_large(self) -> bool:
        """Return whether so much code runs that few run configurations are judged."""
        return not live_code.is_small(self, live_code.ENTRIES) and self._reach.is_large

    def position(self, site: Site) -> Optional[int]:
        """Return the position of the first run of a site in the execution order; None where it is not known."""
        return self._order.position(site.node)

    def precedes(self, first: Site, second: Site) -> bool:
        """Return whether a site runs before another one, by the first run of both; False where one is not known.

        In one function that is the order of its steps: the execution order of the program is not needed for no.
        """
        at, then = (each.module.rank(each.stmt) for each in (first, second))
        if first.scope.owner is second.scope.owner and at is not None and then is not None and at > then:
            return False
        at, then = self.position(first), self.position(second)
        return at is not None and then is not None and at < then

    @property
    def framework_position(self) -> Optional[int]:
        """Return the position of the first import of MindSpore in the execution order; None without one."""
        return self._order.framework

    def is_run_by_entry(self, site: Site) -> bool:
        """Return whether running the entry script leads to a call, not only a call of its functions from elsewhere."""
        return self._order.is_run_by_entry(site.node)

    @cached_property
    def _order(self) -> run_order.Order:
        return run_order.Order(self)

    def may_run(self, site: Site) -> bool:
        """Return whether no condition around a call is always false."""
        return self.evaluator.may_run(site)

    def runs(self, site: Site) -> bool:
        """Return whether this call can run: its function is reached, and no condition around it is always false."""
        runs = self.is_live(site) and self.may_run(site)
        runs = runs and all(map(self.code.call_graph.may_run, site.lambdas))
        return runs and not (self.commands.is_one_run() and answers.is_left_out(self, site.scope.owner))

    def is_live(self, site: Site) -> bool:
        """Return whether the function, class body or module that evaluates a site is reached."""
        return live_code.runs_at_once(self.entry, site) or self.code.is_live(site)
