"""Queries of one program: memoised, with cycles solved as fixpoints.

A query that is read while it is evaluated closes a cycle, and gives BOTTOM. The members of a strongly connected
component are held until its root, the first that was asked, is evaluated. Then each query that has read a changed
answer is evaluated again, until no answer changes, and all answers are kept. So answers do not depend on the order of
the questions, as long as evaluation is monotone.
A cycle of more than MEMBERS queries is left unanswered, and so is what reads one of them, whatever was asked first.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable
from functools import partial, wraps
from heapq import heapify, heappop, heappush
from itertools import islice
from operator import attrgetter
from typing import Any, Optional, Protocol, TypeVar, overload

from ms_perflint.core.stacks import on_new_stack
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.infer.shared_answers import OF_RUN, Input, Shared, SharedAnswers, Sharing

Answer = TypeVar("Answer")
Work = TypeVar("Work", bound=Callable[..., Any])
BUDGET = 200_000  # evaluations for one program
DEPTH = 250  # queries inside one another on one stack
CALLS = 20 * DEPTH  # of Python, inside one another, that so many queries take at most
DEEPEST = 20 * DEPTH  # queries inside one another, before the innermost one is left unanswered
EVALUATIONS, NESTED = "evaluations", "nested"  # the bounds that leave queries unanswered
MEMBERS = 8_000  # of a cycle, before it is left unanswered: each would be answered several times
JOINED = 8  # changes of an answer in a cycle, before it is joined with the answer before
WIDENED = 24  # changes of an answer in a cycle, before it is TOP
ACYCLIC = sys.maxsize  # the "depth" of what rests on no query under way


class _TooWide(BaseException):
    """The queries under evaluation depend on a cycle of more than MEMBERS queries."""


class Query:
    """A query under evaluation, or a member of a cycle that is not solved yet."""

    __slots__ = (
        "answer",
        "arguments",
        "bottom",
        "changes",
        "depth",
        "evaluations",
        "key",
        "member",
        "position",
        "readers",
        "reads",
        "top",
        "work",
    )

    def __init__(
        self, key: Hashable, bottom: Any, top: Any, work: Callable[..., Any], arguments: tuple[object, ...]
    ) -> None:
        self.key = key
        self.bottom = bottom
        self.top = top
        self.work = work
        self.arguments = arguments
        self.answer = bottom  # so far
        self.depth = ACYCLIC  # at which it is evaluated
        self.member = -1  # among those of cycles that are not settled
        self.position = -1  # in the order in which queries were answered first
        self.changes = 0  # of its answer, after it was read
        self.evaluations = 0
        self.readers: set[Query] = set()
        self.reads: Optional[dict[Hashable, Any]] = None  # what it has read, with the answers of inputs; None: unknown


class Queries:
    """The answers of one program; `join` joins two answers.

    Those of `askers` are taken over from other programs, where all that they have read is the same. `by_runs`: those
    that the run configurations of the program have found, where there are several.
    """

    def __init__(
        self,
        join: Callable[[Any, Any], Any],
        shared: Optional[SharedAnswers] = None,
        by_runs: Optional[dict[int, Shared]] = None,
    ) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), CALLS))
        self.memo: dict[Hashable, Any] = {}
        self.evaluations = 0
        self.sharing = Sharing(self, shared, by_runs) if shared is not None else None
        self.program: Any = None  # of which inputs are asked
        self.entry = ""  # the path of its entry script
        self.askers: dict[type, object] = {}  # by type: what asks queries whose answers are shared
        # what was read outside of queries, in this order, with the answers of inputs; None: it is not compared
        self.outside: Optional[dict[Hashable, Any]] = {} if by_runs is not None else None
        self.taken = 0  # evaluations that other programs have done for this one
        self.repeated = 0  # those among them that were done or taken for another run configuration of the program
        self.spent = ""  # the bound that left a query unanswered, the first one
        self.spent_on: tuple[object, ...] = ()  # the arguments of that query
        self.wide_on: tuple[object, ...] = ()  # the arguments of a query of a cycle that has too many members
        self._wide: set[Hashable] = set()  # queries that rest on such a cycle
        self._join = join
        self._inputs: dict[Input, Any] = {}
        self.of_run: dict[Input, Any] = {}  # those that differ between run configurations
        self._reset()

    def _reset(self) -> None:
        self._open: dict[Hashable, Query] = {}  # queries under way, and members of cycles that are not settled
        self._members: list[Query] = []  # the latter, in the order in which they were answered
        self._cycles: list[int] = []  # the first member of each cycle, and
        self._roots: list[int] = []  # the depth of the outermost query under way on which its members rest
        self._answered = 0  # queries, since the outermost one was asked
        self._depth = 0  # queries under way that are answered for the first time
        self._current: Optional[Query] = None  # the innermost query under way
        self.reads: Optional[dict[Hashable, Any]] = self.outside  # its inputs; None if they are not recorded
        self._rests = ACYCLIC  # depth of the outermost query under way that it depends on, so far
        self._dirty: set[Query] = set()  # queries with an outdated input
        self._marked: list[Query] = []  # the same, in the order in which they became outdated
        self._starved: set[Query] = set()  # queries that found nothing, in what may still get more
        self._fed: set[Query] = set()  # those of them that were evaluated once more, and found nothing again

    def ask(
        self, key: Hashable, bottom: Answer, top: Answer, work: Callable[..., Answer], arguments: tuple[object, ...]
    ) -> Answer:
        """Return the answer to a query: the result of `work` for the arguments, never None.

        `bottom` is what a query adds to its own answer, `top` what it is where the bounds leave it out; with None for
        `top` it is `bottom` then, and never widened.
        """
        if self.reads is not None:
            self.reads[key] = None
        found: Optional[Answer] = self.memo.get(key)
        if found is not None:
            return found
        query = self._open.get(key)
        if query is None:
            if self.is_over:
                return self._unanswered(EVALUATIONS, bottom, top, arguments)
            if key in self._wide:
                if self._current is not None:
                    raise _TooWide
                return bottom if top is None else top
            if self.sharing is not None and self.sharing.take_same(key):
                return self.memo[key]  # type: ignore[no-any-return]
            query = Query(key, bottom, top, work, arguments)
            if self._current is None:
                return self._outermost(query)  # type: ignore[no-any-return]
            if self._depth >= DEEPEST:
                return self._unanswered(NESTED, bottom, top, arguments)
            if self._depth % DEPTH:
                self._explore(query)
            else:
                on_new_stack(partial(self._explore, query))
            if query.depth == ACYCLIC:
                return query.answer  # type: ignore[no-any-return]
        assert self._current is not None
        member = query.member
        rests = query.depth if member < 0 else self._roots[bisect_right(self._cycles, member) - 1]
        if rests < self._rests:
            self._rests = rests
        query.readers.add(self._current)
        return query.answer  # type: ignore[no-any-return]

    def may_grow(self) -> bool:
        """Return whether the query under evaluation has read an answer that may still grow.

        Such a query is evaluated again when its cycle is solved; then the answer is False.
        """
        if self._rests == ACYCLIC or self._current is None or self._current in self._fed:
            return False
        self._starved.add(self._current)
        return True

    def input(self, name: str, *arguments: Hashable) -> Any:
        """Return the result of a method of the program; the query under evaluation depends on it."""
        key = Input(name, arguments)
        found = self.told(key)
        if self.reads is not None:
            self.reads[key] = found
        return found

    def told(self, asked: Input) -> Any:
        """Return an input of the program, for no query."""
        if asked not in self._inputs:
            found = self._inputs[asked] = attrgetter(asked.name)(self.program)(*asked.arguments)
            if asked.name in OF_RUN:
                self.of_run[asked] = found
        return self._inputs[asked]

    def agrees(self, other: Queries, done: int, is_same: Callable[[Any, Any], bool]) -> bool:
        """Return whether another run configuration gives the same to what was read outside of queries.

        `done`: how much of it was compared before.
        """
        if self.outside is None or self.spent or self.wide_on or self.sharing is None or other.sharing is None:
            return False
        kept, other.reads = other.reads, None
        try:
            for key, told in islice(self.outside.items(), done, None):
                if type(key) is Input:
                    is_alike = is_same(told, other.told(key))
                else:
                    asked = self.sharing.asked_of_run(key)
                    is_alike = asked is None or is_same(self.memo.get(asked), other.sharing.answer(asked))
                if not is_alike:
                    return False
        finally:
            other.reads = kept
        return True

    def is_of_program(self) -> None:
        """Mark the query under evaluation as one of this program alone: other programs cannot answer its inputs."""
        if self._current is not None:
            self._current.reads = self.reads = None

    def is_own(self, modules: Iterable[SemanticIndex]) -> bool:
        """Return whether some modules include the entry script, about which no other program asks."""
        return self.entry in [module.path for module in modules]

    @property
    def is_over(self) -> bool:
        """Return whether the budget is spent."""
        return self.evaluations + self.taken >= BUDGET

    @property
    def spent_first(self) -> int:
        """Return the number of evaluations that no other run configuration of the program has done."""
        return self.evaluations + self.taken - self.repeated

    @property
    def rests_on_open(self) -> bool:
        """Return whether the query under evaluation has read one that is under evaluation."""
        return self._rests != ACYCLIC

    def is_open(self, key: Hashable) -> bool:
        """Return whether a query is under evaluation, or in a cycle that is not solved yet."""
        return key in self._open

    def clear(self) -> None:
        """Drop all answers."""
        self.memo.clear()
        self._wide.clear()
        self._inputs.clear()
        if self.sharing is not None:
            self.sharing.close()
            self.sharing = None
        self.askers.clear()
        self.program = None

    def _unanswered(self, bound: str, bottom: Answer, top: Answer, arguments: tuple[object, ...]) -> Answer:
        if not self.spent:
            self.spent, self.spent_on = bound, arguments
        return bottom if top is None else top

    # --- exploration

    def _outermost(self, query: Query) -> Any:
        """Evaluate a query that no other one reads."""
        try:
            self._explore(query)
        except BaseException as error:
            for each in self._open.values():
                each.readers.clear()
            is_wide = isinstance(error, _TooWide)
            self._wide.update(self._open if is_wide else ())  # each of them reads the one that was asked last
            self._reset()
            if not is_wide:
                raise
            return query.bottom if query.top is None else query.top
        self._marked.clear()  # queries that refer to the evaluator
        return self.memo[query.key]

    def _explore(self, query: Query) -> None:
        """Evaluate a query for the first time."""
        depth, first, start = self._depth, len(self._members), self._answered
        rests, current, reads = self._rests, self._current, self.reads
        self._depth = depth + 1
        query.depth = depth
        self._open[query.key] = query
        if self._take_over(query):
            self._depth, self._current, self._rests, self.reads = depth, current, rests, reads
            query.depth = ACYCLIC
            del self._open[query.key]
            return
        taken = self._rests
        self._answer(query)
        self._rests = min(self._rests, taken)
        if len(self._members) - first >= MEMBERS:
            self.wide_on = self.wide_on or query.arguments
            raise _TooWide
        query.position = self._answered
        self._answered += 1
        if self._rests == depth:
            self._settle(query, first, start)
        self._depth, self._current, self.reads = depth, current, reads
        while self._cycles and self._cycles[-1] >= first:  # all are one cycle now, or settled
            self._cycles.pop()
            self._roots.pop()
        if self._rests < depth:  # the cycle has a root further out
            query.member = len(self._members)
            self._members.append(query)
            self._cycles.append(first)
            self._roots.append(self._rests)
            if rests < self._rests:
                self._rests = rests
            return
        self._rests = rests
        cycle = (query, *self._members[first:])
        for each in cycle:
            each.depth, each.member = ACYCLIC, -1
            self.memo[each.key] = each.answer
            del self._open[each.key]
            each.readers.clear()  # queries that read one another would stay until the garbage collector runs
        del self._members[first:]
        if self.sharing is not None and not self.spent:
            self.sharing.give(cycle)

    def _take_over(self, query: Query) -> bool:
        """Take over the answer of another program, if its dependencies are equal here; return whether it was taken.

        Where a dependency is under evaluation, the query is evaluated instead.
        """
        self._current, self._rests, self.reads = query, ACYCLIC, None
        if self.sharing is None or not self.sharing.is_shared(query):
            return False
        self.reads = query.reads = {}
        if not self.sharing.take_where_asked(query.key):
            return False
        query.answer = self.memo[query.key]
        return True

    def _answer(self, query: Query) -> None:
        """Evaluate a query, and mark its readers as outdated if the answer changed."""
        self._current, self._rests, self.reads = query, ACYCLIC, query.reads
        self._starved.discard(query)
        self._dirty.discard(query)
        self.evaluations += 1
        query.evaluations += 1
        answer = query.work(*query.arguments)
        if answer == query.answer:
            return
        if query.readers:
            query.changes += 1
            if query.changes > WIDENED and query.top is not None:
                answer = query.top
            elif query.changes > JOINED:
                answer = self._join(query.answer, answer)
            if answer == query.answer:
                return
            self._mark(query.readers)
        query.answer = answer

    def _mark(self, queries: set[Query]) -> None:
        """Mark queries for another evaluation when their cycle is solved."""
        new = queries - self._dirty
        self._dirty |= new
        self._marked.extend(new)

    # --- cycles

    def _settle(self, root: Query, first: int, start: int) -> None:
        """Evaluate the members of a cycle until no answer changes; stop where the cycle has an outer root."""
        rests = depth = self._rests
        dirty = [(query.evaluations, query.position, query) for query in _since(start, self._dirty)]
        heapify(dirty)
        while rests == depth:
            marked = len(self._marked)
            query = _first(dirty, self._dirty)  # the least evaluated one, behind its dependencies
            if query is not None:
                self._answer(query)
                rests = min(rests, self._rests)
            if self.is_over:
                self._give_up((root, *self._members[first:]))
                break
            if query is None and not self._feed(start):
                self._fed.difference_update(_since(start, self._fed))
                break
            for each in _since(start, self._marked[marked:]):
                heappush(dirty, (each.evaluations, each.position, each))
        self._rests = rests

    def _feed(self, start: int) -> bool:
        """Evaluate the members of a solved cycle whose answer is BOTTOM once more; return whether there are any."""
        starved = set(_since(start, self._starved))
        self._starved -= starved
        self._fed |= starved
        self._mark(starved)
        return bool(starved)

    def _give_up(self, members: tuple[Query, ...]) -> None:
        """Give the queries of a cycle their top answer."""
        for query in members:
            query.answer = self._unanswered(EVALUATIONS, query.answer, query.top, query.arguments)
        self._dirty.difference_update(members)
        self._starved.difference_update(members)
        self._fed.difference_update(members)


def _since(start: int, queries: Iterable[Query]) -> list[Query]:
    """Return the queries that were first evaluated after a position."""
    return [query for query in queries if query.position >= start]


def _first(queries: list[tuple[int, int, Query]], dirty: set[Query]) -> Optional[Query]:
    """Take the first outdated query off a heap; None without one."""
    while queries:
        query = heappop(queries)[2]
        if query in dirty:
            return query
    return None


# --- functions as queries


class Asker(Protocol):
    """The first argument of functions that are queries."""

    @property
    def queries(self) -> Queries:
        """Return the answers of the program."""


@overload
def query(work: Work) -> Work: ...


@overload
def query(*, bottom: object, top: object = None) -> Callable[[Work], Work]: ...


def query(work: Optional[Work] = None, *, bottom: object = None, top: object = None) -> Any:
    """Return a function of a program whose answer, never None, is memoised by its arguments.

    `bottom` and `top` are those of `Queries.ask`; without `bottom`, what is left unanswered is computed each time.
    """
    if work is None:
        return partial(query, bottom=bottom, top=top)

    @wraps(work)
    def asked(asker: Asker, *arguments: object) -> Any:
        found = asker.queries.ask((work, *arguments), bottom, top, work, (asker, *arguments))
        return found if found is not None else work(asker, *arguments)

    return asked
