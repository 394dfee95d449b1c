"""Nodes of the assignment graph, and access paths from them.

A name that a file imports from MindSpore has a node under its canonical name.

A path is what is taken from the value of a node: CALL its result, ELEMENT an element.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Optional, TypeVar, Union

from ms_perflint.index.semantic_index import Scope, Site

T = TypeVar("T")
CALL, ELEMENT = "c", "e"  # steps of a path; an element of an element is an element
DEPTH = 4  # steps of a path that are distinguished
ANY = "*"  # the word of what is found by a name that is computed
OWN = "*self"  # the same, of the object of a method
KEY = "["  # prefix of a word that is read as a key: such a node reads what has the word, and defines nothing


class Node:
    """A variable of a function, or a word in one file."""

    __slots__ = ("edges", "flows", "functions", "passes", "sites", "word")

    def __init__(self, word: Optional[str] = None) -> None:
        self.word = word
        self.flows: Sequence[tuple[str, Node, str]] = ()  # path in this node, target node, path in the target
        self.passes: Sequence[tuple[str, Argument]] = ()
        self.sites: Sequence[tuple[str, Site]] = ()  # the calls of it
        self.functions: Sequence[Scope] = ()  # functions, lambdas and classes that are defined under it
        self.edges: Any = None  # see `value_flow`, which fills it

    @property
    def key(self) -> Union[str, Node]:
        """Return its key: its word, or the node itself."""
        return self if self.word is None else self.word

    @property
    def is_passed_on(self) -> bool:
        """Return whether the file passes on its value, and not only results of it."""
        return any(not path for path, *_ in self.flows) or any(not path for path, _ in self.passes)

    def close(self) -> None:
        """Drop its edges."""
        self.flows = self.passes = self.sites = self.functions = ()
        self.edges = None


Place = tuple[Node, str]


class Argument(NamedTuple):
    """An argument of a call, whose parameters depend on the callee."""

    callees: tuple[Place, ...]
    slot: Union[int, str]  # a position or a keyword
    is_spread: bool = False  # also for later positions, or for any keyword: `*x`, `**x`
    before: tuple[int, ...] = (0, 1)  # how many parameters a method may be given before the first argument
    result: Optional[tuple[Node, str]] = None  # the node of the result, if the callee returns it unchanged


def more(held: Sequence[T], one: T) -> list[T]:
    """Return a list with one element more; empty lists are shared, as most are empty."""
    if not isinstance(held, list):
        return [*held, one]
    held.append(one)
    return held


def joined(path: str, then: str) -> str:
    """Return a path with more steps appended."""
    if path[-1:] == ELEMENT == then[:1]:
        then = then[1:]
    return (path + then)[:DEPTH]


def left(path: str, taken: str) -> tuple[str, ...]:
    """Return the rest of a path behind a prefix; none for another path."""
    if not taken:
        return (path,)
    if not path.startswith(taken):
        return ()
    rest = path[len(taken) :]
    return (rest, ELEMENT + rest) if taken[-1] == ELEMENT else (rest,)


def taken(places: Iterable[Place]) -> list[Place]:
    """Return the places of the elements of some places."""
    return [(node, joined(path, ELEMENT)) for node, path in places]


def results(places: Iterable[Place]) -> list[Place]:
    """Return the places of the results of some places."""
    return [(node, joined(path, CALL)) for node, path in places]


def _paths() -> tuple[str, ...]:
    found = [""]
    for path in found:  # grows on the way
        if len(path) < DEPTH:
            found.extend(dict.fromkeys(longer for step in (CALL, ELEMENT) if (longer := joined(path, step)) != path))
    return tuple(found)


PATHS = _paths()  # all that there are
