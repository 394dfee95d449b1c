"""Where networks are converted to half precision, or what stands in the way."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ms_perflint.core.findings import Place, Related
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.index.syntax_forms import position
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program


class Use(NamedTuple):
    """An expression that is a network, where it goes into its loss or train cell, is called, or is made."""

    module: SemanticIndex
    scope: Scope
    node: ast.expr
    stmt: ast.stmt  # before which it is converted
    is_part: bool = False  # a part of a network that computes its own loss, converted where it is made
    is_outer: bool = False  # its name belongs to a scope around: it gets another one
    is_row: bool = False  # a container, of which each cell is converted

    @property
    def place(self) -> Place:
        """Return where it stands."""
        return self.module.place(self.node)


def converted(program: Program, use: Use) -> Value:
    """Return what the expression of a use is where it is converted.

    A name that a function inside of the scope reads may be another network later: `net` of a notebook that makes a new
    one to load weights. It is what the scope itself reads last, if nothing binds the name between there and the use.
    """
    node, scope = use.node, use.scope
    if not isinstance(node, ast.Name) or node.id not in scope.bindings:
        return program.value(node, scope)
    start = position(use.stmt)
    inside = {id(each) for inner in scope.defines for each in ast.walk(inner.node)}
    reads = [each for each in scope.flow.reads(node.id) if id(each) not in inside and position(each) < start]
    last = max(reads, key=position, default=None)
    bound = [position(each.stmt) for each in scope.bindings[node.id] if position(each.stmt) < start]
    if id(node) not in inside or last is None or max(bound, default=start) > position(last):
        return program.value(node, scope)
    return program.value(last, scope)


class NotKnownError(Exception):
    """The first place of a network that is not known to work in half precision: its reading ends there."""

    def __init__(self, obstacle: Related) -> None:
        super().__init__(obstacle.message)
        self.obstacle = obstacle


def stop(module: SemanticIndex, node: ast.AST, text: str) -> None:
    """End the reading with an obstacle."""
    raise NotKnownError(Related(module.place(node), text))


def hidden(module: SemanticIndex, node: ast.AST) -> None:
    """End the reading at a part of which nothing is known."""
    stop(module, node, Message("this part of the network is not known"))


def unknown(module: SemanticIndex, node: ast.AST, name: str) -> None:
    """End the reading at a kind of layer or operator that is not known."""
    stop(module, node, Message("`{name}` is not known to work in FP16 or BF16", name=name))


class Inner(NamedTuple):
    """A network that computes its loss in a cell of its own.

    Its layers with matmul are set to float16, its normalisations and the loss to float32. Others compute in what they
    are given: an activation in float16 would hand that on to layers whose weights stay in float32.
    """

    cls: Scope
    layers: tuple[str, ...]
    losses: tuple[str, ...]


class Plan(NamedTuple):
    """The networks that are to be converted, or what stands in the way."""

    uses: tuple[Use, ...]
    inner: tuple[Inner, ...]
    obstacles: tuple[Related, ...]
