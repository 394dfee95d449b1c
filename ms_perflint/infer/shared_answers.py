"""Answers that the programs of one project share: each with all that its evaluation read.

An answer holds in another program where all that was read gives the same there: other answers, and what is asked of
the program itself (its `Input`s). What was read is asked in the order in which it was, so what a difference would
keep from being read is not asked. The members of a cycle rest on what all of them have read, and hold together.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

if TYPE_CHECKING:
    from ms_perflint.infer.queries import Query


class Input(NamedTuple):
    """Something that is asked of a program, and needs no query: `name(*arguments)`."""

    name: str
    arguments: tuple[Any, ...]


class Question(NamedTuple):
    """How an answer is asked for in any program; `asker`: the type of what its work gets first."""

    asker: type
    bottom: Any
    top: Any
    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    is_query: bool = True  # else `work` finds the answer by queries of other keys


class Shared(NamedTuple):
    """The answer to a query, or to those of a cycle, and what they rest on."""

    inputs: tuple[tuple[Input, Any], ...]
    reads: tuple[Hashable, ...]  # queries, and
    found: tuple[Any, ...]  # their answers
    answers: tuple[tuple[Hashable, Any], ...]
    evaluations: int  # that it took


class SharedAnswers:
    """What the programs of one project have found. It holds all nodes whose identities are part of a key."""

    def __init__(self) -> None:
        self.answers: dict[Hashable, Shared] = {}
        self.questions: dict[Hashable, Optional[Question]] = {}  # None: not in other programs; no key: see `learn`
        self.activations: dict[tuple[object, ...], Any] = {}  # see `ProgramEvaluator.activation`

    def knows(self, query: Query, askers: Container[type]) -> bool:
        """Return whether a query can be asked in other programs; it is known then how."""
        if query.key not in self.questions:
            asker, *arguments = query.arguments
            question = Question(type(asker), query.bottom, query.top, query.work, tuple(arguments))
            self.questions[query.key] = question if type(asker) in askers else None
        return self.questions[query.key] is not None

    def learn(self, cycle: Iterable[Query], memo: dict[Hashable, Any]) -> None:
        """Keep the answers of a query, or of the members of a cycle, unless they read what cannot be asked again.

        What is found without a question, constants and definitions, rests on nothing but its file.
        """
        members = tuple(cycle)
        own = {each.key for each in members}
        read: dict[Hashable, Any] = {}
        for each in members:
            if each.reads is None:
                return
            read.update(each.reads)
        inputs = tuple((key, answer) for key, answer in read.items() if type(key) is Input)
        keys = tuple(key for key in read if type(key) is not Input and key not in own and key in self.questions)
        if not all(key in memo and self.questions[key] is not None for key in keys):
            return
        answers = tuple((each.key, each.answer) for each in members)
        shared = Shared(
            inputs, keys, tuple(memo[key] for key in keys), answers, sum(each.evaluations for each in members)
        )
        for each in members:
            self.answers[each.key] = shared
