"""Answers that the programs of one project share: each with all that its evaluation read.

An answer holds in another program where all that was read gives the same there: other answers, and what is asked of
the program itself (its `Input`s). What was read is asked in the order in which it was, so what a difference would
keep from being read is not asked. The members of a cycle rest on what all of them have read, and hold together.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.infer.call_context import CallContext, modules_in

if TYPE_CHECKING:
    from ms_perflint.infer.queries import Query

KEPT = 20_000  # answers, before what the programs share begins anew


class Input(NamedTuple):
    """Something that is asked of a program, and needs no query: `name(*arguments)`."""

    name: str
    arguments: tuple[Any, ...]


class Form(NamedTuple):
    """How answers are asked for in any program; `asker`: the type of what their work gets first."""

    asker: type
    bottom: Any
    top: Any
    work: Callable[..., Any]


class Shared(NamedTuple):
    """The answers of a query, or of those of a cycle, and what they rest on: names and answers by turns."""

    inputs: tuple[Any, ...]
    reads: tuple[Any, ...]
    answers: tuple[Any, ...]
    evaluations: int  # that it took
    modules: frozenset[SemanticIndex]  # in which its questions are asked


class SharedAnswers:
    """What the programs of one project have found. It holds all nodes whose identities are part of a key."""

    def __init__(self) -> None:
        self.answers: dict[Hashable, Shared] = {}
        # by key: a form and the arguments. What has none, constants and definitions, rests on nothing but its file
        self.questions: dict[Hashable, tuple[Any, ...]] = {}
        self.same_as: dict[
            Hashable, tuple[Any, ...]
        ] = {}  # by key: that of the question with the same answer, and nodes
        self.contexts: dict[tuple[object, ...], CallContext] = {}  # calls, by all that they are made of
        self._forms: dict[Callable[..., Any], Form] = {}

    @property
    def is_full(self) -> bool:
        """Return whether it holds as many answers as it should."""
        return len(self.answers) > KEPT

    def know(self, query: Query) -> None:
        """Keep how a question is asked in any program."""
        asker, *arguments = query.arguments
        form = self._forms.get(query.work) or Form(type(asker), query.bottom, query.top, query.work)
        self.questions[query.key] = self._forms.setdefault(query.work, form), *arguments

    def learn(self, cycle: Iterable[Query], memo: dict[Hashable, Any], own: Container[Hashable]) -> None:
        """Keep the answers of a query, or of the members of a cycle, unless they read what cannot be asked again.

        `own`: the keys of questions that are asked in this program alone.
        """
        members = tuple(cycle)
        read: dict[Hashable, Any] = {}
        for each in members:
            if each.reads is None:
                return
            for key in each.reads:
                read[self.same_as[key][0] if key in self.same_as else key] = each.reads[key]
        for each in members:
            read.pop(each.key, None)
        inputs: list[Any] = []
        reads: list[Any] = []
        for key, answer in read.items():
            if type(key) is Input:
                inputs += key, answer
            elif key in own:
                return
            elif key in self.questions:
                if key not in memo:
                    return
                reads += key, memo[key]
        answers = tuple(part for each in members for part in (each.key, each.answer))
        modules = frozenset(modules_in(tuple(self.questions[each.key] for each in members)))
        shared = Shared(tuple(inputs), tuple(reads), answers, sum(each.evaluations for each in members), modules)
        for each in members:
            self.answers[each.key] = shared


def pairs(parts: tuple[Any, ...]) -> Iterable[tuple[Any, Any]]:
    """Return names and answers that stand by turns."""
    each = iter(parts)
    return zip(each, each)
