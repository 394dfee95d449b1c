"""The questions that the modules of the evaluator ask of one another, through the evaluator of one program."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Optional, Protocol, TypeVar

from ms_perflint.semantics.activation import Activation
from ms_perflint.semantics.database import Database
from ms_perflint.semantics.module import Binding, Block, Module, Scope, Site
from ms_perflint.semantics.signature import Part
from ms_perflint.semantics.values import Known, Value

Key = tuple[int, str]  # identity of a node, binding or scope, and what is asked of it
Answer = TypeVar("Answer")


class Memo(Protocol):
    """Answers and objects that are made once."""

    made: dict[tuple[int, object], ast.expr]  # displays that stand in no source, by what they stand for

    def remember(self, key: Key, work: Callable[..., Value], *arguments: object) -> Value:
        """Return the answer to a question, worked out once."""

    def keep(self, key: Key, work: Callable[..., Answer], *arguments: object) -> Answer:
        """Return a part of an answer that other questions have too, worked out once; it may not be None."""

    def search(self, key: Key, work: Callable[..., tuple[Any, ...]], *arguments: object) -> tuple[Any, ...]:
        """Return what a search finds, worked out once."""

    def activation(
        self,
        key: tuple[object, ...],
        function: Scope,
        node: Optional[ast.Call],
        scope: Scope,
        receiver: Optional[Known],
        passed: tuple[Part, ...] = (),
        outer: Optional[Scope] = None,
    ) -> Activation:
        """Return a function as one call enters it: the same one whenever it is asked for."""


class Lookup(Protocol):
    """What names hold."""

    def exported(self, module: Module, name: str) -> Value:
        """Return what a name of a module of the project is when the module has run."""

    def binding(self, binding: Binding, scope: Optional[Scope] = None) -> Value:
        """Return what one binding gives its name; `scope`: the activation in which it is asked for."""

    def bindings(self, bindings: tuple[Binding, ...], scope: Optional[Scope] = None) -> Value:
        """Return what any of these bindings can give; those in arms that cannot run are left out."""

    def weighed(self, binding: Binding, scope: Optional[Scope] = None) -> Value:
        """Return what one binding gives: as something rare where only an option leads to it."""


class Evaluator(Memo, Lookup, Protocol):
    """Evaluates expressions of one program."""

    @property
    def program(self) -> Database:
        """Return the program."""

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Return what an expression, read in a scope, can be."""

    def known(self, what: object, node: ast.AST, scope: Scope) -> Value:
        """Return the value that is just this, read at this node."""

    def members(self, base: Value, name: str, node: ast.expr, scope: Scope) -> Value:
        """Return what `base.name` can be; `node` is that expression."""

    def item(self, known: Known, key: object) -> Value:
        """Return what `known[key]` can be."""

    def holds(self, known: Known, key: object) -> Optional[bool]:
        """Return whether an object has a setting; None where that is not known."""

    def operated(self, known: Known, name: str) -> Optional[Value]:
        """Return what an operator gets from a method of an object: `__getitem__`; None where it has no such method."""

    def elements(self, value: Value) -> tuple[tuple[Known, ...], bool]:
        """Return what a list can hold where it is made, and whether it can hold more."""

    def is_pending(self, value: Value) -> bool:
        """Return whether nothing is known of an operand yet, in a cycle under way."""

    def rest(self, value: Value) -> list[Value]:
        """Return what the unknown part of an operand adds to a result: nothing, or that the result is open too."""

    def empty(self) -> Value:
        """Return what an expression is for which nothing was found: open, or BOTTOM in a cycle under way."""

    def callees(self, site: Site) -> Value:
        """Return what the callee of a call site can be."""

    def way(self, block: Block, scope: Optional[Scope] = None) -> int:
        """Return how a block is reached: IMPOSSIBLE, only with an OPTIONAL choice of the user, or USUAL."""
