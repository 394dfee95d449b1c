"""Where networks are converted to half precision, or what stands in the way."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ms_perflint.index.semantic_index import Scope, SemanticIndex


class Use(NamedTuple):
    """An expression that is a network, where it goes into its loss or train cell, is called, or is made."""

    module: SemanticIndex
    scope: Scope
    node: ast.expr
    stmt: ast.stmt  # before which it is converted
    is_part: bool = False  # of a network that computes its loss itself: it is converted where it is made
    is_outer: bool = False  # its name belongs to a scope around: it gets another one
    is_row: bool = False  # a container, of which each cell is converted


class Obstacle(NamedTuple):
    """Why no diff can be shown, and where that stands."""

    module: SemanticIndex
    node: ast.AST
    text: str


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
    obstacles: tuple[Obstacle, ...]
