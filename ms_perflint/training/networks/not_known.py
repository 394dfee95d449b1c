"""Reading of a network ends where something is not known to work in half precision."""

from __future__ import annotations

import ast

from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.languages import Message
from ms_perflint.training.networks.plans import Obstacle


class NotKnownError(Exception):
    """The first place that is not known."""

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(obstacle.text)
        self.obstacle = obstacle


def stop(module: SemanticIndex, node: ast.AST, text: str) -> None:
    """End the reading, with what is told."""
    raise NotKnownError(Obstacle(module, node, text))


def hidden(module: SemanticIndex, node: ast.AST) -> None:
    """End the reading at a part of which nothing is known."""
    stop(module, node, Message("what this part of the network is, is not known"))


def unknown(module: SemanticIndex, node: ast.AST, name: str) -> None:
    """End the reading at a kind of layer or operator that is not known."""
    stop(module, node, Message("`{name}` is not known to work in FP16 or BF16", name=name))
