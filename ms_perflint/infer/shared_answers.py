"""Answers that the programs of one project share, each with its dependencies.

An answer holds in another program where all that was read gives the same there: other answers, and what is asked of
the program itself (its `Input`s). What was read is asked in the order in which it was, so what a difference would
keep from being read is not asked. The members of a cycle rest on what all of them have read, and hold together.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.infer.call_context import CallContext, modules_of
from ms_perflint.infer.values import is_same

if TYPE_CHECKING:
    from ms_perflint.infer.queries import Queries, Query

KEPT = 5_000  # answers of programs, before those are forgotten that no program has taken over since the last time
# what differs between run configurations that run the same code, and ask for all of it or for none
OF_RUN = frozenset(("commands.given", "commands.exported", "commands.overrides", "config_document"))
DEPTH = 250  # answers inside one another, before it is asked whether they hold


class Input(NamedTuple):
    """Something that is asked of a program, and needs no query: `name(*arguments)`."""

    name: str
    arguments: tuple[Any, ...]


class Form(NamedTuple):
    """The form of a query in any program; `asker`: the type of its first argument."""

    asker: type
    bottom: Any
    top: Any
    work: Callable[..., Any]


class Question(NamedTuple):
    """A query as any program may ask it."""

    form: Form
    arguments: tuple[Any, ...]
    modules: frozenset[SemanticIndex]  # in which they stand


class Shared(NamedTuple):
    """The answers of a query, or of those of a cycle, and what they rest on."""

    inputs: tuple[Input, ...]
    told: tuple[Any, ...]  # what the program tells, by these
    reads: tuple[Hashable, ...]  # keys of other queries
    found: tuple[Any, ...]  # their answers
    keys: tuple[Hashable, ...]
    answers: tuple[Any, ...]
    evaluations: int  # that it took
    modules: frozenset[SemanticIndex]  # in which its questions are asked
    is_of_run: bool  # whether it rests on what a run configuration passes, or may do so


class SharedAnswers:
    """The answers of the programs of one project. It holds all nodes whose identities are part of a key.

    `before`: what they had found earlier. What is taken over of it is kept here too, and it is forgotten after this.
    """

    def __init__(self, before: Optional[SharedAnswers] = None) -> None:
        self.answers: dict[Hashable, Shared] = {}
        # by key. What has none, constants and definitions, rests on nothing but its file
        self.questions: dict[Hashable, Question] = {}
        # by key: that of the question with the same answer, and nodes
        self.same_as: dict[Hashable, tuple[Any, ...]] = {}
        self.contexts: dict[tuple[object, ...], CallContext] = {}  # calls, by all that they are made of
        self.earlier: dict[Hashable, Shared] = before.answers if before is not None else {}
        self._questions = before.questions if before is not None else {}
        self._contexts = before.contexts if before is not None else {}
        self._numbers: Iterator[int] = before._numbers if before is not None else count()  # for the names of contexts
        self._forms: dict[Callable[..., Any], Form] = {}
        self._sets: dict[frozenset[SemanticIndex], frozenset[SemanticIndex]] = {}  # each once: many are the same

    @property
    def is_full(self) -> bool:
        """Return whether it holds as many answers as it should."""
        return len(self.answers) > KEPT

    def context(self, asked: tuple[object, ...], enter: Callable[[str], CallContext]) -> CallContext:
        """Return a call as it enters its function, by all that it is made of: the same one whenever it is asked for.

        `enter` makes it, with a name that no other one has had.
        """
        found = self.contexts.get(asked)
        if found is None:
            found = self.contexts[asked] = self._contexts.get(asked) or enter(f"@@{next(self._numbers)}")
        return found

    def keep(self, shared: Shared) -> None:
        """Keep an earlier answer that a program takes over."""
        for key in shared.keys:
            self.answers.setdefault(key, shared)
        for key in (*shared.keys, *shared.reads):
            if key not in self.questions:
                self.questions[key] = self._questions[key]

    def know(self, query: Query, modules: frozenset[SemanticIndex]) -> None:
        """Keep the form of a query for other programs."""
        form = self._forms.get(query.work)
        if form is None:
            form = self._forms[query.work] = Form(type(query.arguments[0]), query.bottom, query.top, query.work)
        self.questions[query.key] = Question(form, query.arguments[1:], self._sets.setdefault(modules, modules))

    def question(self, key: Hashable) -> Question:
        """Return the question of a key, as any program may ask it."""
        return self.questions.get(key) or self._questions[key]

    def is_of_run(self, key: Hashable) -> bool:
        """Return whether the answer to a question may rest on what a run configuration passes."""
        shared = self.answers.get(key) or self.earlier.get(key)
        return shared is None or shared.is_of_run

    def learn(self, cycle: Iterable[Query], memo: dict[Hashable, Any], own: Container[Hashable]) -> Optional[Shared]:
        """Keep the answers of a query, or of the members of a cycle, and return them with what they rest on.

        None where they read what cannot be asked again. `own`: the keys of questions asked in this program alone.
        """
        members = tuple(cycle)
        read: dict[Hashable, Any] = {}
        for each in members:
            if each.reads is None:
                return None
            for key in each.reads:
                read[self.same_as[key][0] if key in self.same_as else key] = each.reads[key]
        for each in members:
            read.pop(each.key, None)
        inputs: dict[Input, Any] = {}
        reads: dict[Hashable, Any] = {}
        is_of_run = False
        for key, answer in read.items():
            if type(key) is Input:
                inputs[key] = answer
                is_of_run = is_of_run or key.name in OF_RUN
            elif key in own:
                return None
            elif key in self.questions or key in self._questions:
                if key not in memo:
                    return None
                if key not in self.questions:
                    self.questions[key] = self._questions[key]
                reads[key] = memo[key]
                is_of_run = is_of_run or self.is_of_run(key)
        modules = self.questions[members[0].key].modules
        if len(members) > 1:
            modules = modules.union(*(self.questions[each.key].modules for each in members[1:]))
            modules = self._sets.setdefault(modules, modules)
        shared = Shared(
            tuple(inputs),
            tuple(inputs.values()),
            tuple(reads),
            tuple(reads.values()),
            tuple([each.key for each in members]),
            tuple([each.answer for each in members]),
            sum([each.evaluations for each in members]),
            modules,
            is_of_run,
        )
        for each in members:
            self.answers[each.key] = shared
        return shared


class Sharing:
    """The exchange of answers between one program and the others."""

    def __init__(self, queries: Queries, shared: SharedAnswers, by_runs: Optional[dict[int, Shared]]) -> None:
        self.queries = queries
        self.shared = shared
        self.by_runs = by_runs  # by identity: what the run configurations of the program have found or taken over
        self._own: set[Hashable] = set()  # questions that no other program has asked
        self._held: dict[frozenset[SemanticIndex], bool] = {}  # whether the program holds all modules of an answer
        self._others: dict[int, Shared] = {}  # by identity: those that rest on something else than what is here
        self._unsure: dict[int, Shared] = {}  # those of which it has to be asked whether they do

    def close(self) -> None:
        """Drop the program."""
        for held in (self._own, self._held, self._others, self._unsure):
            held.clear()
        del self.queries

    def same(self, key: Hashable, other: Hashable, scope: Scope, *nodes: object) -> None:
        """Note that a question, asked in a scope about nodes, has the answer of another one in all programs."""
        if key in self.shared.same_as:
            return
        if self.queries.is_own(modules_of((scope,))):
            self._own.add(key)
        else:
            self.shared.same_as[key] = other, *nodes

    def asked_of_run(self, key: Hashable) -> Optional[Hashable]:
        """Return the key of the question behind what was read; None where its answer does not rest on the run."""
        same = self.shared.same_as.get(key)
        found = same[0] if same is not None else key
        is_asked = found in self._own or (found in self.shared.questions and self.shared.is_of_run(found))
        return found if is_asked else None

    def answer(self, key: Hashable) -> Any:
        """Return the answer to a question of another program; None if it cannot be asked here."""
        if key not in self.shared.questions:
            return None
        found = self.queries.memo.get(key)
        return found if found is not None else self._asked_again(key)

    def is_shared(self, query: Query) -> bool:
        """Return whether other programs may ask a query, too, or did."""
        if query.key not in self.shared.questions:
            modules = modules_of(query.arguments[1:])
            if type(query.arguments[0]) not in self.queries.askers or self.queries.is_own(modules):
                self._own.add(query.key)
                return False
            self.shared.know(query, modules)
        return True

    def give(self, cycle: Iterable[Query]) -> None:
        """Keep the answers of a query, or of the members of a cycle, for other programs."""
        found = self.shared.learn(cycle, self.queries.memo, self._own)
        if self.by_runs is not None and found is not None:
            self.by_runs[id(found)] = found

    def take_same(self, key: Hashable) -> bool:
        """Take over an answer if all of its dependencies have equal inputs here; return whether it was taken.

        No query is evaluated for that.
        """
        shared = self.shared.answers.get(key) or self.shared.earlier.get(key)
        return shared is not None and self._is_same(shared)

    def take_where_asked(self, key: Hashable) -> bool:
        """Take over an answer if an evaluation of its dependencies gives equal answers; return whether it was taken."""
        shared = self.shared.answers.get(key) or self.shared.earlier.get(key)
        return shared is not None and self._is_same_where_asked(shared)

    def _is_same(self, shared: Shared, depth: int = 0) -> bool:
        """Return whether all that an answer rests on, directly or not, has the same inputs here; it holds then.

        No also where something of it has to be asked: that may give the same for other inputs.
        """
        number, queries = id(shared), self.queries
        if number in self._unsure or number in self._others or depth > DEPTH:
            return False
        self._unsure[number] = shared
        if queries.is_over or not self._has_inputs(shared):
            return False
        memo, answers, earlier = queries.memo, self.shared.answers, self.shared.earlier
        for key, known in zip(shared.reads, shared.found):
            found = memo.get(key)
            if found is None:
                inner = (answers.get(key) or earlier.get(key)) if not queries.is_open(key) else None
                if inner is None or not self._is_same(inner, depth + 1):
                    return False
                found = memo[key]
            if found is not known and not self._is_known(found, known, shared):
                return False
        del self._unsure[number]
        self._hold(shared)
        return True

    def _is_same_where_asked(self, shared: Shared) -> bool:
        """Return whether all that an answer rests on is the same here, where that is asked; it holds then."""
        if id(shared) in self._others or not self._has_inputs(shared):
            return False
        for key, known in zip(shared.reads, shared.found):
            found = self.queries.memo.get(key)
            if found is None:
                found = self._asked_again(key)
                if self.queries.rests_on_open:
                    return False
            if found is not known and not self._is_known(found, known, shared):
                return False
        self._hold(shared)
        return True

    def _asked_again(self, key: Hashable) -> Any:
        """Return the answer to a question of another program; None if it is about files outside of this one."""
        form, arguments, modules = self.shared.question(key)
        if not self._holds(modules):
            return None
        asker = self.queries.askers[form.asker]
        return self.queries.ask(key, form.bottom, form.top, form.work, (asker, *arguments))

    def _has_inputs(self, shared: Shared) -> bool:
        """Return whether the program has what an answer is about, and tells the same as the one that found it."""
        if not self._holds(shared.modules):
            return False
        if not shared.inputs:
            return True
        told = self.queries.told
        return all(self._is_known(told(asked), known, shared) for asked, known in zip(shared.inputs, shared.told))

    def _holds(self, modules: frozenset[SemanticIndex]) -> bool:
        """Return whether the program has some modules."""
        found = self._held.get(modules)
        if found is None:
            found = self._held[modules] = all(map(self.queries.program.holds, modules))
        return found

    def _is_known(self, found: Any, known: Any, shared: Shared) -> bool:
        """Return whether what an answer rests on is the same here."""
        if found is known or is_same(found, known):
            return True
        self._others[id(shared)] = shared
        return False

    def _hold(self, shared: Shared) -> None:
        """Take over an answer with those of its cycle."""
        self.queries.memo.update(zip(shared.keys, shared.answers))
        self.queries.taken += shared.evaluations
        if shared.keys[0] not in self.shared.answers:
            self.shared.keep(shared)
        if self.by_runs is not None:
            if id(shared) in self.by_runs:
                self.queries.repeated += shared.evaluations
            self.by_runs[id(shared)] = shared
