"""The classes of a program by name: a scope of a profile names classes and attributes, not lines."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Place
from ms_perflint.core.source import Source
from ms_perflint.profile.kernels import Kernel


class Class(NamedTuple):
    """One class of the program."""

    name: str
    place: Place
    last_row: int
    bases: tuple[str, ...]  # the last word of each
    attributes: Mapping[str, Place]  # the first `self.x = ...` of each


class Spot(NamedTuple):
    """The place of a finding: its class and subclasses, and the attribute that is assigned there."""

    classes: frozenset[str] = frozenset()
    attribute: str = ""


class UserCode:
    """The classes of some files."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self.classes: dict[str, list[Class]] = {}
        for source in sources:
            for found in _classes(source):
                self.classes.setdefault(found.name, []).append(found)

    def owner(self, kernel: Kernel) -> Optional[tuple[str, str]]:
        """Return the deepest class of the program in the scope of a kernel, and the attribute that is called in it.

        The attribute is "" where the class computes by itself.
        """
        cells = kernel.name.cells
        for at in range(len(cells) - 1, -1, -1):
            if cells[at].name in self.classes:
                return cells[at].name, cells[at + 1].attribute if at + 1 < len(cells) else ""
        return None

    def place(self, name: str, attribute: str) -> Optional[Place]:
        """Return the line that assigns an attribute of a class or of a base class; without one, the class."""
        for each in self._lineage(name):
            if attribute in each.attributes:
                return each.attributes[attribute]
        found = self.classes.get(name)
        return found[0].place if found else None

    def spot(self, place: Place) -> Spot:
        """Return the class and the attribute at a place."""
        inner = self._around(place)
        if inner is None:
            return Spot()
        attribute = next((name for name, where in inner.attributes.items() if where.row == place.row), "")
        derived = {name for name in self.classes if any(each.name == inner.name for each in self._lineage(name))}
        return Spot(frozenset(derived), attribute)

    def innermost(self, place: Place) -> str:
        """Return the name of the class around a place; "" outside of classes."""
        inner = self._around(place)
        return inner.name if inner is not None else ""

    def _around(self, place: Place) -> Optional[Class]:
        around = [each for one in self.classes.values() for each in one if _holds(each, place)]
        return max(around, key=lambda each: each.place.row, default=None)

    def _lineage(self, name: str) -> Iterator[Class]:
        """Yield the classes of a name and their base classes in the program."""
        seen = {name}
        names = [name]
        while names:
            for each in self.classes.get(names.pop(), ()):
                yield each
                names += [base for base in each.bases if base not in seen]
                seen.update(each.bases)


def _holds(found: Class, place: Place) -> bool:
    return found.place.path == place.path and found.place.row <= place.row <= found.last_row


def _classes(source: Source) -> Iterator[Class]:
    """Yield the classes of a file; none if it does not parse."""
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            bases = (ast.unparse(base).rpartition(".")[2] for base in node.bases)
            attributes: dict[str, Place] = {}
            for inner in ast.walk(node):
                targets = inner.targets if isinstance(inner, ast.Assign) else ()
                for target in (part for each in targets for part in ast.walk(each)):
                    if isinstance(target, ast.Attribute) and _is_self(target.value):
                        attributes.setdefault(target.attr, _place(source, target))
            yield Class(node.name, _place(source, node), node.end_lineno or node.lineno, tuple(bases), attributes)


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _place(source: Source, node: ast.stmt | ast.expr) -> Place:
    return source.place(source.offset(node.lineno, node.col_offset))
