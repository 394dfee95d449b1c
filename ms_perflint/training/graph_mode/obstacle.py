"""Obstacles to graph mode."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ms_perflint.core.findings import Place
from ms_perflint.core.source import flat, short
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.languages import Message

LONGEST = 60  # characters of code that are shown


class Obstacle(NamedTuple):
    """Code that graph mode does not compile, or runs differently. Obstacles order by place."""

    place: Place
    kind: str
    message: Message
    code: str  # source text, on one line


def obstacle(module: SemanticIndex, node: ast.AST, kind: str, message: Message) -> Obstacle:
    """Return an obstacle at a node of a file."""
    return Obstacle(module.place(node), kind, message, short(flat(module.text(node)), LONGEST))
