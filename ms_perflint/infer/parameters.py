"""The values of parameters: defaults, and the arguments of all call sites of the program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import Optional

from ms_perflint.index.reachability import BY_DEFAULT, IMPOSSIBLE
from ms_perflint.index.semantic_index import FUNCTIONS, Binding, Scope, Site
from ms_perflint.index.signature import PREPARES, Argument, Arguments, Layer, Signature, positional
from ms_perflint.index.syntax_forms import accessed, is_decorated, word_of
from ms_perflint.infer import bases, mappings, sequences, wrappers
from ms_perflint.infer.alternatives import TUPLE, Bound, Display, Instance
from ms_perflint.infer.call_context import CallContext
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Value, join


def parameter(evaluator: Evaluator, binding: Binding, function: Scope) -> Value:
    """Return the value of a parameter; in a call context, the argument of that call.

    A default that no caller replaces is overridable.
    """
    own = binding.scope
    is_first = own.is_method and positional(own)[:1] == [binding.node]
    if is_first and not _is_passed_first(evaluator, own, function):
        return _receiver(evaluator, binding, function)
    is_in_context = isinstance(function, CallContext)
    given = _from_library(evaluator, binding) if not is_in_context or binding.value is None else None
    if given is not None:
        return given
    if isinstance(function, CallContext):
        otherwise = default_of(evaluator, binding, function.parent if function.function is own else None)
        if function.call is None:  # made by an operator, which passes something
            return otherwise if binding.value is not None else TOP
        return passed(evaluator, binding, function.call, otherwise)
    values, otherwise = [], default_of(evaluator, binding)
    is_left_out = binding.value is not None
    for site in evaluator.program.callers(own):
        reachability = evaluator.reachability(site.block)
        if reachability != IMPOSSIBLE:
            layer = Layer(site.call, site.scope)
            value = passed(evaluator, binding, layer, otherwise)
            values.append(value if reachability == BY_DEFAULT else value.as_non_default())
            is_left_out = is_left_out and value is otherwise and _is_left_out(evaluator, binding, layer)
    values.extend(_decorated(evaluator, binding))
    values.extend(_set(evaluator, binding))
    if values and is_left_out:
        return join([*values, Value(otherwise.alternatives, otherwise.open, True)])
    return join(values or [otherwise, evaluator.empty()])


def _from_library(evaluator: Evaluator, binding: Binding) -> Optional[Value]:
    """Return the value with which a library calls a function: of `@click.option`; None for other parameters."""
    found = (library(evaluator, binding, binding.scope) for library in evaluator.libraries.parameters)
    return next((value for value in found if value is not None), None)


def default_of(evaluator: Evaluator, binding: Binding, outer: Optional[Scope] = None) -> Value:
    """Return the default of a parameter; `outer`: the context in which its function is made, if it is made in one."""
    outer = outer or binding.scope.parent
    return evaluator.value(binding.value, outer) if binding.value is not None and outer is not None else BOTTOM


def _decorated(evaluator: Evaluator, binding: Binding) -> list[Value]:
    """Return the functions and classes that a function decorates, as the value of its parameter."""
    own = binding.scope
    if positional(own)[own.is_method :][:1] != [binding.node] or not own.is_function:
        return []
    return [
        evaluator.known(each, each.node, each)._replace(open=_is_replaced_before(evaluator, each, own))
        for each in evaluator.program.decorated(own)
        if not _is_passed_later(evaluator, each, own)
    ]


def _is_replaced_before(evaluator: Evaluator, each: Scope, decorator: Scope) -> bool:
    """Return whether another decorator of the project may put something else in the place of what one decorates."""
    assert each.parent is not None and isinstance(each.node, (*FUNCTIONS, ast.ClassDef))
    nodes = each.node.decorator_list if len(each.node.decorator_list) > 1 else []
    callees = (node.func if isinstance(node, ast.Call) else node for node in reversed(nodes))
    found = [evaluator.value(node, each.parent).only for node in callees]
    made = [known.what for known in found if known is not None and isinstance(known.what, Scope)]
    return made[:1] not in ([], [decorator])


def _is_passed_later(evaluator: Evaluator, each: Scope, decorator: Scope) -> bool:
    """Return whether a decorator gets what it decorates behind other arguments: `@partial(decorator, 1)`."""
    assert each.parent is not None and isinstance(each.node, (*FUNCTIONS, ast.ClassDef))
    values = (evaluator.value(node, each.parent) for node in each.node.decorator_list)
    prepared = (known.prepared for value in values for known in value.alternatives if known.what is decorator)
    return any(any(layer.args) for layers in prepared for layer in layers)


def _set(evaluator: Evaluator, binding: Binding) -> Iterator[Value]:
    """Yield the values that stores assign to a property, for the parameter of its setter."""
    own, cls = binding.scope, binding.scope.parent
    if cls is None or accessed(own.node) is None or positional(own)[1:2] != [binding.node]:
        return
    for store in evaluator.program.stores(own.name):
        base = evaluator.value(store.node.value, store.scope)  # type: ignore[attr-defined]
        if isinstance(store.node, ast.Attribute) and any(
            known.cls is not None and cls in bases.ancestors(evaluator, known.cls) for known in base.alternatives
        ):
            yield evaluator.weighed(store)


def _receiver(evaluator: Evaluator, binding: Binding, function: Scope) -> Value:
    """Return the value of `self` or `cls`: the object or class of the call, where it is known."""
    cls = binding.scope.parent
    assert cls is not None
    receiver = function.receiver if isinstance(function, CallContext) else None
    if not is_decorated(binding.scope.node, "classmethod"):
        own = evaluator.known(Instance(cls, None, binding.scope), binding.node, binding.scope)
        return Value((receiver,)) if receiver is not None else own
    receivers = (receiver,) if receiver is not None else _called_on(evaluator, binding.scope)
    own = evaluator.known(cls, binding.node, binding.scope)
    return join(_class(each, binding) for each in receivers) if receivers else own


def _is_passed_first(evaluator: Evaluator, method: Scope, function: Scope) -> bool:
    """Return whether calls pass the first parameter of a function in a class, which is no `self`: `Class.make(1)`."""
    if positional(method)[0].arg in ("self", "cls"):
        return False
    is_one = isinstance(function, CallContext) and function.receiver is None and function.call is not None
    return is_one or (not isinstance(function, CallContext) and _are_by_class(evaluator, method))


def _are_by_class(evaluator: Evaluator, method: Scope) -> bool:
    """Return whether all calls of a method are written with the name of its class; False without calls."""
    sites, name = evaluator.program.callers(method), method.parent.name if method.parent is not None else ""
    words = ((site.module, word_of(site.base) if site.base is not None else "") for site in sites)
    return bool(sites) and all(word == name or word in module.aliases(name) for module, word in words)


def _class(receiver: Alternative, binding: Binding) -> Value:
    """Return the value of `cls` for a call on a class or an object."""
    where = (binding.scope.module, binding.node) if receiver.is_any else receiver.where
    return Value((Alternative(receiver.cls, where) if receiver.cls is not None else receiver,))


def _called_on(evaluator: Evaluator, method: Scope) -> tuple[Alternative, ...]:
    """Return the objects and classes on which a class method is called; none where not all are known."""
    callees = [evaluator.callees(site).alternatives for site in evaluator.program.callers(method)]
    found = [
        [k.what.receiver for k in each if k.definition is method and isinstance(k.what, Bound)] for each in callees
    ]
    return tuple(dict.fromkeys(k for each in found for k in each)) if all(found) else ()


# --- what one call passes


def passed(evaluator: Evaluator, binding: Binding, layer: Layer, default: Value) -> Value:
    """Return the value of a parameter in a call: of a keyword, positional or spread argument, else the default."""
    ways = arguments(evaluator, binding.scope, layer)
    return join([_passed(evaluator, binding, each, layer, default) for each in ways])


def _is_left_out(evaluator: Evaluator, binding: Binding, layer: Layer) -> bool:
    """Return whether a call passes a parameter at most in a spread argument."""
    ways = [each.of(binding.name) for each in arguments(evaluator, binding.scope, layer)]
    return all(way.given is None and not way.is_open for way in ways)


def argument(evaluator: Evaluator, binding: Binding, site: Site) -> Argument:
    """Return the argument of a call for a parameter."""
    if binding.value is None and _from_library(evaluator, binding) is not None:
        return Argument(binding.name)
    found = {each.of(binding.name) for each in arguments(evaluator, binding.scope, Layer(site.call, site.scope))}
    return found.pop() if len(found) == 1 else Argument(binding.name, is_open=True)


def parameters_given(
    evaluator: Evaluator, function: Scope, site: Site, is_one: Callable[[ast.expr], bool]
) -> frozenset[str]:
    """Return the parameters of a function for which a call passes an expression of some kind."""
    bindings = (each for found in function.bindings.values() for each in found if each.kind == "parameter")
    parts = ((each.name, argument(evaluator, each, site).part) for each in bindings)
    return frozenset(name for name, part in parts if part is not None and is_one(part.node))


def arguments(evaluator: Evaluator, function: Scope, layer: Layer) -> list[Arguments]:
    """Return what a call passes for the parameters of a function, for each way in which it may enter the function.

    `partial(function, ...)` passes some of them: those of the later call are not known.
    """
    if function.name == "__init__" and wrappers.passes_other(evaluator, function):
        return [_signature(evaluator, function, True).bind(is_whole=False)]
    callee, is_whole = evaluator.value(layer.func, layer.scope), True
    args = layer.call.args if layer.callee is None else []
    if any(known.api in PREPARES for known in callee.alternatives) and args:
        callee, layer, is_whole = evaluator.value(args[0], layer.scope), layer._replace(first=1), False
    ways = dict.fromkeys((k.prepared, k.what is not function) for k in callee.alternatives if _enters(k, function))
    return [
        _signature(evaluator, function, is_bound).bind(
            *prepared, layer, opened=partial(sequences.opened, evaluator), is_whole=is_whole
        )
        for prepared, is_bound in ways or {((), True): None}
    ]


@query
def _signature(evaluator: Evaluator, function: Scope, is_bound: bool) -> Signature:
    return Signature.of(function, is_bound and function.is_method)


def made_with(evaluator: Evaluator, known: Alternative, signature: Signature) -> Arguments:
    """Return the arguments of the call that created an object, by a signature of its class."""
    what, made_by = known.what, known.origin
    assert isinstance(what, Instance) and what.node is not None
    callees = evaluator.value(what.node.func, what.scope).alternatives
    kinds = (what.type, made_by.what if made_by is not None else None)  # a class, or what made one: `namedtuple(...)`
    ways = {known.prepared for known in callees if known.what in kinds}
    if len(ways) > 1:
        return signature.bind(is_whole=False)
    prepared = ways.pop() if ways else ()
    layer = Layer(what.node, what.scope, row=what.row)
    return signature.bind(*prepared, layer, opened=partial(sequences.opened, evaluator))


def _enters(known: Alternative, function: Scope) -> bool:
    """Return whether calling something runs a function: itself, as a method, to make or to call an object."""
    what = known.what
    if isinstance(what, Bound):
        return what.function is function
    is_object = isinstance(what, Instance) or (isinstance(what, Scope) and what.is_class)
    return what is function or (is_object and function.parent is not None and function.parent.is_class)


def _passed(evaluator: Evaluator, binding: Binding, given: Arguments, layer: Layer, default: Value) -> Value:
    call, scope = layer.call, layer.scope
    if binding.name == given.signature.rest:
        rest = given.rest()
        if rest is None:
            return TOP
        return evaluator.known(Display(call, scope, TUPLE, tuple(rest)), call, scope)
    if binding.name == given.signature.mapping:
        words = given.mapping()
        if words is None:
            return TOP
        made = mappings.of_words(evaluator, call, words, scope)._replace(never=frozenset(given.signature.words))
        return evaluator.known(made, call, scope)
    return evaluator.passed(given.of(binding.name), default)
