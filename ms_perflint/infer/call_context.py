"""A function as one call enters it, or a comprehension as one pass goes through it."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.reaching_definitions import Flow
from ms_perflint.index.semantic_index import COMPREHENSIONS, Binding, Scope, SemanticIndex
from ms_perflint.index.signature import Held, Layer
from ms_perflint.infer.values import Alternative

NESTED = 2  # activations inside one another, before a function is taken for all of its calls
BEHIND = 4  # the same, with those of the functions around it


class CallContext(Scope):
    """The scope of a function whose parameters are what one call passes, and whose `self` is one object.

    Of a comprehension: in one pass through it, in the scope that makes it.
    """

    __slots__ = ("behind", "call", "caller", "depth", "function", "key", "modules", "passed", "receiver")

    def __init__(
        self,
        function: Scope,
        call: Optional[Layer],
        caller: Scope,
        receiver: Optional[Alternative],
        key: str,
        passed: tuple[Held, ...] = (),
        outer: Optional[Scope] = None,
    ) -> None:
        """Share everything with the function but what its parameters are; `outer`: a scope to take for its parent."""
        for slot in Scope.__slots__:
            setattr(self, slot, getattr(function, slot))
        self.function = function
        self.call = call  # None where a property is read
        self.key = key  # tells it from other activations
        self.caller = caller  # the scope in which the call stands
        self.receiver = receiver
        self.passed = passed  # the elements to which the loops of a comprehension have come
        self.parent = outer or function.parent
        self.modules = modules_of((function, call, caller, receiver, passed, outer))
        own = not isinstance(function.node, COMPREHENSIONS)
        self.depth: int = depth_of(caller) + own
        self.behind: int = max(behind(caller), behind(outer)) + own

    @property
    def owner(self) -> Scope:
        """Return the function that is entered."""
        return self.function.owner

    @property
    def flow(self) -> Flow:
        """Return the reaching definitions of the function."""
        return self.function.flow

    def element(self, binding: Binding) -> Optional[Held]:
        """Return the element to which the loop of a comprehension has come that binds a name; None for other names."""
        loops = getattr(self.function.node, "generators", ())[: len(self.passed)]
        return next((part for loop, part in zip(loops, self.passed) if loop.iter is binding.value), None)

    def enters(self, function: Scope) -> bool:
        """Return whether it is a call of this function, or is made inside of one."""
        scope: Scope = self
        while isinstance(scope, CallContext):
            if scope.function is function:
                return True
            scope = scope.caller
        return False


def modules_of(what: tuple[object, ...]) -> frozenset[SemanticIndex]:
    """Return the modules in which things stand: scopes, what has one, calls, or several of these."""
    found: set[SemanticIndex] = set()
    todo = [*what]
    for each in todo:  # which grows
        if type(each) is Scope:
            found.add(each.module)
        elif type(each) is CallContext:
            found |= each.modules
        elif isinstance(each, SemanticIndex):
            found.add(each)
        elif isinstance(each, tuple):
            todo += each
        elif not isinstance(each, (ast.AST, str)):
            scope = getattr(each, "scope", None)
            if isinstance(scope, Scope):
                todo.append(scope)
    return frozenset(found)


def depth_of(scope: Optional[Scope]) -> int:
    """Return how many activations a scope is inside of."""
    return scope.depth if isinstance(scope, CallContext) else 0


def behind(scope: Optional[Scope]) -> int:
    """Return how many activations a scope hangs on: by the calls that lead to it, and by those around its function."""
    return scope.behind if isinstance(scope, CallContext) else 0
