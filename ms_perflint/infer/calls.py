"""The results of calls: new objects, values that functions return, elements that generators yield."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Optional, Union

from ms_perflint.core.facts import fact
from ms_perflint.index.reachability import IMPOSSIBLE
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.index.signature import Held, Layer, positional
from ms_perflint.infer import (
    bases,
    computing,
    lists,
    merging,
    narrowing,
    parameters,
    registries,
    search_loops,
    wrappers,
)
from ms_perflint.infer.alternatives import YIELDS, Api, Display, Instance, Member
from ms_perflint.infer.call_context import BEHIND, NESTED, CallContext, behind, depth_of
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import BOTTOM, MANY, NO_CONSTANT, TOP, Alternative, Value, join

AGAIN = 4  # nested call contexts of a recursive function: one for each level of its data
CALLERS = 8  # calls that are distinguished; a function that is called more often is taken for all of its calls


def call(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    """Return the result of a call."""
    text = computing.of_text(evaluator, node, scope)
    if text is not None:
        return text
    held = registries.looked_up(evaluator, node, scope)
    if held is not None:
        return held
    return applied(evaluator, Layer(node, scope))


def applied(evaluator: Evaluator, layer: Layer) -> Value:
    """Return the result of a call, or of the call of a function that `map` makes."""
    callee = evaluator.value(layer.func, layer.scope)
    results = [(known, evaluator.kind(known).call(layer)) for known in callee.when_set]
    values = [value if known.by_default else value.as_non_default() for known, value in results]
    found = join([*values, *evaluator.rest(callee)])
    return found.overridden_with(callee)


def made(evaluator: Evaluator, what: Union[Scope, Api], layer: Layer) -> Value:
    """Return the object that a call creates."""
    return evaluator.known(Instance(what, layer.call, layer.scope, row=layer.row), layer.call, layer.scope)


# --- functions


def made_inside(node: ast.AST, scope: Scope) -> Value:
    """Return a function or lambda that a scope defines; in a call context, with that context."""
    function = scope.module.scope_of[id(node)]
    outer = scope if isinstance(scope, CallContext) else None
    return Value((Alternative(function, (scope.module, node), outer=outer),))


def entered(
    evaluator: Evaluator,
    function: Scope,
    layer: Optional[Layer],
    receiver: Optional[Alternative],
    outer: Optional[Scope] = None,
) -> Value:
    """Return the result of a function for one call, or for a read of a property; `outer`: see Known.

    A parameter that the function only checks and returns is the argument of this call. Otherwise the joined result of
    all calls is evaluated first: if it is a single alternative, it does not depend on the call.
    """
    laid = merging.merged(evaluator, function, layer, receiver is not None)
    if laid is not None:
        return laid
    is_plain = layer is None or (function.is_function and layer.row is None)
    same = wrappers.given_back(function.module, function) if is_plain else None
    if same is not None and function.is_method and positional(function)[:1] == [same.node]:
        if receiver is not None:
            return Value((receiver,))
    elif same is not None and layer is not None:
        default = parameters.default_of(evaluator, same, outer)
        return lists.gathered(same, function, parameters.passed(evaluator, same, layer, default))
    general = returned(evaluator, function) if is_plain else TOP
    is_of_member = receiver is not None and isinstance(receiver.what, Member)
    is_by_fields = general.overridable and _is_record(evaluator, receiver)
    if (
        is_plain
        and not (depends(general) or is_by_fields)
        and (general.alternatives or not (is_of_member or _hands_on(function, layer)))
    ):
        return general
    context = entered_context(evaluator, function, layer, receiver, outer)
    return returned(evaluator, context) if context is not None else general


def _hands_on(function: Scope, layer: Optional[Layer]) -> bool:
    """Return whether a call or its function forwards arguments: `inner(*args, **more)`."""
    args: ast.arguments = function.node.args  # type: ignore[union-attr]
    given = (*layer.call.args, *layer.call.keywords) if layer is not None else ()
    spreads = (each for each in given if isinstance(each, ast.Starred) or getattr(each, "arg", "") is None)
    return args.vararg is not None or args.kwarg is not None or any(spreads)


def depends(value: Value) -> bool:
    """Return whether a value may be more precise in the context of one call."""
    if not value.alternatives:
        return value is MANY
    what = value.alternatives[0].what
    if isinstance(what, Scope) and what.parent is not None and what.parent.is_function:
        return True
    holds = isinstance(what, Display) or (isinstance(what, Instance) and isinstance(what.type, Scope))
    return value.open or len(value.alternatives) > 1 or holds or bool(value.alternatives[0].prepared)


def entered_context(
    evaluator: Evaluator,
    function: Scope,
    layer: Optional[Layer],
    receiver: Optional[Alternative],
    outer: Optional[Scope] = None,
) -> Optional[CallContext]:
    """Return the call context of a call; None where it adds no precision, or is nested too deeply."""
    scope = layer.scope if layer is not None else function
    is_again = isinstance(scope, CallContext) and scope.enters(function)
    if depth_of(scope) >= (AGAIN if is_again else NESTED) or (is_again and not _takes_data(evaluator, layer)):
        return None
    outer = outer if behind(outer) < BEHIND else None
    is_told_apart = _is_one_of_several(evaluator, function, layer) or _is_one_object(evaluator, receiver, function)
    if outer is None and not is_told_apart and not _is_of_one_class(evaluator, function, receiver):
        return None
    return evaluator.call_context(function, layer, scope, receiver, outer=outer)


def _takes_data(evaluator: Evaluator, layer: Optional[Layer]) -> bool:
    """Return whether a call passes one known constant, display or config document: a level of nested data."""
    args = tuple(layer.args) if layer is not None else ()
    only = evaluator.read(args[0]).only if len(args) == 1 else None
    return only is not None and (only.is_display or bool(only.document) or only.constant is not NO_CONSTANT)


def _is_one_of_several(evaluator: Evaluator, function: Scope, layer: Optional[Layer]) -> bool:
    """Return whether a call is one of a few known calls of a function."""
    if layer is None or not function.is_function or layer.row is not None:
        return layer is not None  # a lambda, or one of the calls that `map` makes
    if not any(binding.kind == "parameter" for bindings in function.bindings.values() for binding in bindings[:1]):
        return False
    nodes = [site.node for site in evaluator.program.callers(function)]
    inside = isinstance(layer.scope, CallContext)
    return (1 if inside else 2) <= len(nodes) <= CALLERS and layer.call in nodes


def _is_one_object(evaluator: Evaluator, receiver: Optional[Alternative], function: Scope) -> bool:
    """Return whether an object is one of a few of its class: created by a known call, or a member of an enumeration.

    Also the only one, where a method reads what others set: that depends on those that were called on the object.
    """
    what = receiver.what if receiver is not None else None
    if isinstance(what, Member):
        return True
    if not isinstance(what, Instance) or not isinstance(what.type, Scope) or what.node is None:
        return False
    if not function.attrs.isdisjoint(_rewritten(what.type.module, what.type)):
        return True
    init = bases.method(evaluator, what.type, "__init__")
    if init is None and _is_record(evaluator, receiver):
        return len(evaluator.program.callers(what.type)) <= CALLERS  # whose fields are those of this call
    return init is not None and _is_one_of_several(evaluator, init, Layer(what.node, what.scope, row=what.row))


def _is_record(evaluator: Evaluator, receiver: Optional[Alternative]) -> bool:
    """Return whether an object is a record that a known call makes."""
    cls = receiver.cls if receiver is not None and receiver.is_made else None
    return cls is not None and any(map(evaluator.libraries.is_record, bases.ancestors(evaluator, cls)))


@fact
def _rewritten(module: SemanticIndex, cls: Scope) -> frozenset[str]:
    """Return the attributes that several methods of a class set."""
    methods = {name: {each.scope.owner for each in stores} for name, stores in cls.attributes.items()}
    return frozenset(name for name, setting in methods.items() if len(setting) > 1)


def _is_of_one_class(evaluator: Evaluator, function: Scope, receiver: Optional[Alternative]) -> bool:
    """Return whether other classes inherit a method, and the class of the object is known."""
    cls = function.parent if function.is_method else None
    is_one = receiver is not None and not receiver.is_any
    return is_one and cls is not None and bool(evaluator.program.derived(cls))


@query(bottom=BOTTOM, top=MANY)
def returned(evaluator: Evaluator, function: Scope) -> Value:
    """Return the value that a function returns to any call; for a call context, to that call."""
    if function.yields:
        return _generator(evaluator, function)
    values = []
    for node, block in function.returns:
        reachability = evaluator.reachability(block, function)
        reachability = min(reachability, search_loops.past(evaluator, node, block, function))
        if reachability != IMPOSSIBLE:
            values.append((evaluator.value(node, function), block, reachability))
    return narrowing.of_paths(evaluator, values, function) if values else evaluator.empty()


# --- decorators that put another function in the place of one


def replaced(evaluator: Evaluator, function: Scope, value: Value) -> Value:
    """Return the value of the name of a decorated function; `value` is the function.

    That is the function, whatever the decorator: those of real training code register, compile, time or log, and give
    back what the function gives. Not of a decorator of the project that shows something else; a method is open then.
    """
    scope = function.parent
    if scope is None:
        return value
    for decorator, changes in wrappers.changing(evaluator, function):
        if function.is_method:
            value = value._replace(open=value.open or changes is True)
            continue
        layer = Layer(decorator, scope, row=(Held(decorator, scope, value),), callee=decorator)  # type: ignore[arg-type]
        found = applied(evaluator, layer)
        if found.alternatives and not found.open and (changes or not _passes_on(evaluator, found, value)):
            value = found
    return value


def _passes_on(evaluator: Evaluator, found: Value, function: Value) -> bool:
    """Return whether what a decorator makes is the function, or may call it with the arguments that it gets."""
    own = {known.definition for known in function.alternatives}
    for known in found.alternatives:
        wrapper = bases.method(evaluator, known.cls, "__call__") if known.cls is not None else known.definition
        if wrapper is None or wrapper.is_class or wrapper in own:
            if known.constant is NO_CONSTANT and not known.prepared:
                return True
            continue
        receiver = known if known.cls is not None else None
        context = evaluator.call_context(wrapper, None, wrapper, receiver, outer=known.outer)
        nodes = [site.node for site in wrapper.calls if isinstance(site.node, ast.Call)]
        called = [(node, evaluator.value(node.func, context)) for node in nodes]
        handed = [node for node, callee in called if not own.isdisjoint(k.definition for k in callee.alternatives)]
        is_called = any(callee.open for _, callee in called) or (handed and wrappers.are_as_given(wrapper, handed))
        if is_called and all(_may_be_given_back(node, handed) for node, _ in wrapper.returns):
            return True
    return False


def _may_be_given_back(node: ast.expr, handed: Sequence[ast.Call]) -> bool:
    """Return whether an expression may be just what one of some calls gives: nothing is computed of their results."""
    is_one = isinstance(node, (ast.Name, ast.Constant)) or node in handed
    return is_one or (isinstance(node, ast.Call) and not any(each in handed for each in ast.walk(node)))


# --- generators


def _generator(evaluator: Evaluator, function: Scope) -> Value:
    """Return the elements that a generator yields, as a sequence."""
    parts = tuple(Held.of(node, function) for node, _ in function.yields)
    return evaluator.known(Display(function.node, function, YIELDS, parts), function.node, function)


def managed(evaluator: Evaluator, node: ast.expr, scope: Scope) -> Value:
    """Return the value of `x` in `with node as x`: the result of `__enter__`, or the value that a generator yields."""
    value = evaluator.value(node, scope)
    return join([*(_managed(evaluator, each) for each in value.alternatives), *([TOP] if value.open else [])])


def _managed(evaluator: Evaluator, known: Alternative) -> Value:
    what = known.what
    if isinstance(what, Display) and what.kind == YIELDS:
        return evaluator.each(Value((known,)))
    return evaluator.operated(known, "__enter__") or Value((known,))
