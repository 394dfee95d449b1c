"""Call contexts: a function in one call, or a comprehension in one pass."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.reaching_definitions import Flow
from ms_perflint.index.semantic_index import COMPREHENSIONS, LOOPS, Binding, Scope, SemanticIndex
from ms_perflint.index.signature import Held, Layer
from ms_perflint.index.syntax_forms import is_decorated
from ms_perflint.infer.alternatives import Display, Instance
from ms_perflint.infer.values import Alternative

NESTED = 2  # activations inside one another, before a function is taken for all of its calls
BEHIND = 4  # the same, with those of the functions around it


class CallContext(Scope):
    """The scope of a function in one call: its parameters have the arguments of the call, `self` is one object.

    For a comprehension or a `for` loop, the scope of one pass through it.
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
        """Share all but the parameters with the function; `outer`: a call context that replaces its parent."""
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
        own = not isinstance(function.node, (*COMPREHENSIONS, *LOOPS))
        self.depth: int = depth_of(caller) + own
        self.behind: int = max(behind(caller), behind(outer)) + own

    @property
    def owner(self) -> Scope:
        """Return the function."""
        return self.function.owner

    @property
    def flow(self) -> Flow:
        """Return the reaching definitions of the function."""
        return self.function.flow

    def element(self, binding: Binding) -> Optional[Held]:
        """Return the element of this pass that a loop, or one of a comprehension, binds to a name; None for others."""
        loops = getattr(self.function.node, "generators", [self.function.node])[: len(self.passed)]
        return next((part for loop, part in zip(loops, self.passed) if loop.iter is binding.value), None)

    def runs(self, scope: Scope) -> bool:
        """Return whether the code of another scope runs as part of this one: also that of a pass through a loop."""
        return (isinstance(scope.node, LOOPS) and scope.owner is self.owner) or super().runs(scope)

    def enters(self, function: Scope) -> bool:
        """Return whether it is a context of a function, or nested in one."""
        scope: Scope = self
        while isinstance(scope, CallContext):
            if scope.function is function:
                return True
            scope = scope.caller
        return False


def modules_of(what: tuple[object, ...]) -> frozenset[SemanticIndex]:
    """Return the modules of scopes, of objects with a scope, of calls, or of several of these."""
    found: set[SemanticIndex] = set()
    todo = [*what]
    for each in todo:  # which grows
        if isinstance(each, (ast.AST, str)):  # as most are
            continue
        if type(each) is Scope:
            found.add(each.module)
        elif type(each) is CallContext:
            found |= each.modules
        elif isinstance(each, SemanticIndex):
            found.add(each)
        elif isinstance(each, tuple):
            todo += each
        elif isinstance(scope := getattr(each, "scope", None), Scope):
            todo.append(scope)
    return frozenset(found)


def depth_of(scope: Optional[Scope]) -> int:
    """Return the number of nested call contexts of a scope."""
    return scope.depth if isinstance(scope, CallContext) else 0


def behind(scope: Optional[Scope]) -> int:
    """Return the number of call contexts that a scope depends on: of its callers, and of the functions around it."""
    return scope.behind if isinstance(scope, CallContext) else 0


def are_made_apart(known: Alternative, other: Alternative) -> bool:
    """Return whether two calls of one function make two objects: `make(1)`, `make(2)`."""
    call, another = _made_in(known), _made_in(other)
    return call is not None and another is not None and call is not another


def _made_in(known: Alternative) -> Optional[ast.Call]:
    """Return the call of the function that makes an object; None where that is not told apart."""
    scope = known.what.scope if isinstance(known.what, (Instance, Display)) else None
    if not isinstance(scope, CallContext) or is_decorated(scope.function.node, "lru_cache", "cache"):
        return None
    return scope.call.call if scope.call is not None else None
