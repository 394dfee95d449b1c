"""Requests beyond the protocol: the facts of a program, and its run configurations.

They run in the thread that lints. Nodes are lines of a tree, each with a place to open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Optional

from lsprotocol import types

from ms_perflint.commands.describe import entries_of, of_file
from ms_perflint.core.files import Files
from ms_perflint.core.findings import Place
from ms_perflint.facts.data import Answer, Evidence, Fact, Facts, Origin, Overview, Verdict, Way, in_language
from ms_perflint.languages import Message, say
from ms_perflint.linting.merging import DEFAULTS
from ms_perflint.report.program import Text, in_short, said_at
from ms_perflint.report.sources import Sources, name, shown
from ms_perflint.report.style import PLAIN
from ms_perflint.server.buffers import Buffer, uri_of
from ms_perflint.server.choices import Choice
from ms_perflint.server.linting import Linting, State, language_of
from ms_perflint.server.places import Columns


class Runs(NamedTuple):
    """The run configurations of a program."""

    entry: str
    files: frozenset[str]
    names: tuple[str, ...]

    def chosen(self, run: str) -> Choice:
        """Return the choice of one of them."""
        return Choice(self.entry, self.files, frozenset(self.names), run)


@dataclass(frozen=True)
class Node:
    """One line of the facts of a program."""

    label: str
    description: str = ""
    place: Optional[Place] = None
    children: tuple[Node, ...] = ()


def runs_of(path: str, linting: Linting, state: State) -> Optional[Runs]:
    """Return the run configurations of the program of a file; None without a program. Raises Voided."""
    linter = linting.linter(path, state)

    def asked() -> Optional[Runs]:
        if linter.project.module(path) is None:
            return None
        entry = entries_of(path, linter)[0]
        programs = linter.programs(entry)
        names = (each.run.name if each.run is not None else DEFAULTS for each in programs)
        return Runs(entry, frozenset(programs[0].files), tuple(names))

    return linter.isolated(path, asked, None)


def tree_of(path: str, columns: Columns, linting: Linting, state: State) -> Optional[dict[str, object]]:
    """Return the facts of the program of a file as a tree; None without a program. Raises Voided."""
    linter = linting.linter(path, state)
    answer = linter.isolated(path, partial(of_file, path, linter), None)
    if answer is None:
        return None
    tree = _Tree(language_of(linter.config))
    drawn = _Drawn(columns, state.buffers, state.files_around(path))
    return {"title": shown(answer.facts[0].entry), "nodes": [drawn.node(each) for each in tree.answer(answer)]}


class _Tree:
    """Makes nodes in one language."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._text = Text(PLAIN, True, language)

    def answer(self, answer: Answer) -> Iterator[Node]:
        """Yield the nodes of a program, then the other programs that the file is a part of."""
        for facts in answer.facts:
            yield from self._facts(facts)
        if answer.others:
            file = shown(answer.path)
            others = tuple(map(self._overview, answer.others))
            yield Node(self._say(Message("{file} is part of these programs too:", file=file)), children=others)

    def _facts(self, facts: Facts) -> Iterator[Node]:
        for fact in facts.facts:
            if fact.is_there:
                node = self._fact(in_language(fact, self._language))
                yield replace(node, children=_files(facts.files)) if fact.name == "files" else node
        if facts.ways:
            yield Node(self._say(Message("run configurations")), str(len(facts.ways)), children=self._ways(facts.ways))
        spoken = [each for each in facts.verdicts if each.places or each.hidden or each.otherwise]
        if spoken:
            yield Node(self._say(Message("rules")), str(len(spoken)), children=tuple(map(self._verdict, spoken)))

    def _fact(self, fact: Fact) -> Node:
        evidence = tuple(map(self._evidence, fact.evidence))
        return Node(self._say(fact.name), fact.says, _first(each.place for each in evidence), evidence)

    def _evidence(self, evidence: Evidence) -> Node:
        when = self._say(Message("if {condition}", condition=evidence.when)) if evidence.when else ""
        place = _where(evidence.place)
        origins = tuple(map(self._origin, evidence.origins))
        return Node(said_at(evidence) or place, "  ".join(filter(None, (place, when))), evidence.place, origins)

    def _origin(self, origin: Origin) -> Node:
        return Node(self._say(origin.text), _where(origin.place), origin.place)

    def _ways(self, ways: tuple[Way, ...]) -> tuple[Node, ...]:
        return tuple(
            Node(shown(way.name), children=tuple(self._fact(in_language(fact, self._language)) for fact in way.facts))
            for way in ways
        )

    def _verdict(self, verdict: Verdict) -> Node:
        places = (*verdict.places, *verdict.hidden)
        children = tuple(Node(_where(place), place=place) for place in places)
        return Node(verdict.code, self._text.verdict(verdict), _first(places), children)

    def _overview(self, overview: Overview) -> Node:
        return Node(shown(overview.entry), self._say(in_short(overview)), Place(overview.entry, 1, 1))

    def _say(self, text: str) -> str:
        return say(text, self._language)


def _files(paths: Iterable[str]) -> tuple[Node, ...]:
    return tuple(Node(shown(path), place=Place(path, 1, 1)) for path in paths)


def _first(places: Iterable[Optional[Place]]) -> Optional[Place]:
    return next(filter(None, places), None)


def _where(place: Place) -> str:
    return f"{name(place)}:{place.line}"


class _Drawn:
    """Conversion of nodes to the protocol."""

    def __init__(self, columns: Columns, buffers: Sequence[Buffer], files: Files) -> None:
        self._columns = columns
        self._buffers = buffers
        self._sources = Sources(files)

    def node(self, node: Node) -> dict[str, object]:
        """Return a node with all below it."""
        return {
            "label": node.label,
            "description": node.description,
            "location": self._location(node.place) if node.place is not None else None,
            "children": [self.node(child) for child in node.children],
        }

    def _location(self, place: Place) -> Optional[types.Location]:
        """Return the location of a place in a readable file; None for others."""
        source = self._sources.get(place.path)
        if source is None:
            return None
        return types.Location(uri_of(place.path, self._buffers, place.cell), self._columns.range(place, place, source))
