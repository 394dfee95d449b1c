"""What a parameter can be: its default, and what the call sites of the program pass."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional, Union

from ms_perflint.semantics.activation import Activation
from ms_perflint.semantics.forms import is_decorated
from ms_perflint.semantics.module import FUNCTIONS, Binding, Scope
from ms_perflint.semantics.settings import configs, hydra, options
from ms_perflint.semantics.values import (
    NOTHING,
    OPEN,
    Bound,
    Display,
    Instance,
    Known,
    Options,
    Tree,
    Value,
    union,
)
from ms_perflint.semantics.ways import IMPOSSIBLE, USUAL

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluate import Evaluator

CALLABLES = (*FUNCTIONS, ast.Lambda)
PARTIAL = "functools.partial"
CHANGES = frozenset({"update", "pop", "popitem", "setdefault", "clear"})  # methods that change a dict
SPREADS = 6  # mappings inside one another that are followed


def parameter(evaluator: Evaluator, binding: Binding, function: Scope) -> Value:
    """Return what a parameter of a function can be; of an activation, what that call passes."""
    own = binding.scope
    if not isinstance(own.node, CALLABLES):
        return OPEN
    if is_method(own) and positional(own)[:1] == [binding.node]:
        return _receiver(evaluator, binding, function)
    default = evaluator.value(binding.value, own.parent) if binding.value is not None and own.parent else NOTHING
    if isinstance(function, Activation):
        if function.call is None:
            return default
        return passed(evaluator, binding, function.call, function.caller, default)
    config = hydra.given(evaluator, binding, own)
    if config is not None:
        return config
    option = options.decorated_option(evaluator, own, binding.name)
    if option is not None:
        return option
    values = []
    for site in evaluator.program.callers(own) if own.is_function else ():
        assert isinstance(site.node, ast.Call)
        way = evaluator.way(site.block)
        if way != IMPOSSIBLE:
            value = passed(evaluator, binding, site.node, site.scope, default)
            values.append(value if way == USUAL else value.rarely())
    values.extend(_decorated(evaluator, binding))
    return union(values) if values else Value(default.known, True)


def _decorated(evaluator: Evaluator, binding: Binding) -> list[Value]:
    """Return what a function decorates, for the parameter that gets it."""
    own = binding.scope
    if positional(own)[is_method(own) :][:1] != [binding.node] or not own.is_function:
        return []
    return [evaluator.known(each, each.node, each) for each in evaluator.program.call_graph.decorated(own)]


def is_method(function: Scope) -> bool:
    """Return whether a function is given an object, or a class, first."""
    parent = function.parent
    return parent is not None and parent.is_class and not is_decorated(function.node, "staticmethod")


def positional(function: Scope) -> list[ast.arg]:
    """Return the parameters of a function that can be passed by position."""
    args: ast.arguments = function.node.args  # type: ignore[union-attr]
    return [*getattr(args, "posonlyargs", []), *args.args]


def given_for(call: ast.Call, binding: Binding) -> Optional[ast.expr]:
    """Return the expression that a call of its function passes for a parameter; None where it shows none."""
    slots = positional(binding.scope)
    slot = slots.index(binding.node) - is_method(binding.scope) if binding.node in slots else None
    return argument_at(call, binding.name, slot)


def _receiver(evaluator: Evaluator, binding: Binding, function: Scope) -> Value:
    """Return `self`, or the class of a class method: the one that was called on, where that is known."""
    if isinstance(function, Activation) and function.receiver is not None:
        return Value((function.receiver,))
    cls = binding.scope.parent
    assert cls is not None
    if is_decorated(binding.scope.node, "classmethod"):
        return evaluator.known(cls, binding.node, binding.scope)
    return evaluator.known(Instance(cls, None, binding.scope), binding.node, binding.scope)


# --- what one call passes


def passed(evaluator: Evaluator, binding: Binding, call: ast.Call, scope: Scope, default: Value) -> Value:
    """Return what a call passes for a parameter: by keyword, by slot, in what it spreads, else the default."""
    function = binding.scope
    args: ast.arguments = function.node.args  # type: ignore[union-attr]
    before, is_partial = _before(evaluator, function, call, scope)
    slots = positional(function)
    if binding.node is args.vararg:
        return _rest(evaluator, binding, call, len(slots) - before, scope) if not is_partial else OPEN
    if binding.node is args.kwarg:
        names = {arg.arg for arg in (*args.args, *args.kwonlyargs)}
        return _keywords(evaluator, binding, call, names, scope) if not is_partial else OPEN
    slot = slots.index(binding.node) - before if binding.node in slots else None
    given = argument_at(call, binding.name, slot)
    if given is not None:
        return evaluator.value(given, scope)
    if is_partial:
        default = union([default, OPEN])  # left to whoever calls the result
    if slot is not None and any(isinstance(arg, ast.Starred) for arg in call.args):
        default = _starred(evaluator, call, slot, scope, default)
    return spread(evaluator, call, binding.name, scope, default)


def _before(evaluator: Evaluator, function: Scope, call: ast.Call, scope: Scope) -> tuple[int, bool]:
    """Return how many parameters are given before the first argument of a call, and whether it only prepares one."""
    callee = evaluator.value(call.func, scope)
    if any(known.api == PARTIAL for known in callee.known) and call.args:
        inner = evaluator.value(call.args[0], scope)
        return -1 + _bound(function, inner), True
    return _bound(function, callee), False


def _bound(function: Scope, callee: Value) -> int:
    """Return whether a callee is given an object besides its arguments: 1 for methods of objects and for classes."""
    for known in callee.known:
        if known.what is function:
            return 0
        if isinstance(known.what, Bound) and known.what.function is function:
            return int(is_method(function))
    return int(is_method(function))


def argument_at(call: ast.Call, name: str, slot: Optional[int]) -> Optional[ast.expr]:
    """Return the expression that a call passes for a parameter, by keyword or by slot; None where it passes none."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if (
        slot is not None
        and 0 <= slot < len(call.args)
        and not any(isinstance(a, ast.Starred) for a in call.args[: slot + 1])
    ):
        return call.args[slot]
    return None


def _starred(evaluator: Evaluator, call: ast.Call, slot: int, scope: Scope, default: Value) -> Value:
    """Return what a call with `*sequence` passes in a slot; the default where it passes nothing there."""
    position = 0
    for arg in call.args:
        if not isinstance(arg, ast.Starred):
            if position == slot:
                return evaluator.value(arg, scope)
            position += 1
            continue
        sequence = _sequence(evaluator.value(arg.value, scope))
        if sequence is None:
            return union([default, OPEN])
        elements, inner = sequence
        if position <= slot < position + len(elements):
            return evaluator.value(elements[slot - position], inner)
        position += len(elements)
    return default


def _sequence(value: Value) -> Optional[tuple[list[ast.expr], Scope]]:
    """Return the elements of a list or tuple that is known as a whole, and the scope to read them in."""
    what = value.known[0].what if len(value.known) == 1 and not value.open else None
    if isinstance(what, Display) and isinstance(what.node, (ast.Tuple, ast.List)):
        elements = what.node.elts
        return (elements, what.scope) if not any(isinstance(each, ast.Starred) for each in elements) else None
    return None


def spread(evaluator: Evaluator, call: ast.Call, name: str, scope: Scope, default: Value) -> Value:
    """Return what `**mapping` of a call passes under a name; the default where it passes nothing."""
    for keyword in call.keywords:
        if keyword.arg is None:
            default = _entry_of(evaluator, keyword.value, name, scope, default)
    return default


def _entry_of(evaluator: Evaluator, node: ast.expr, name: str, scope: Scope, default: Value, depth: int = 0) -> Value:
    """Return what a mapping holds under a key; the default where it holds nothing."""
    mapping = evaluator.value(node, scope)
    if depth > SPREADS:  # `options = {**options, "x": 1}` in a loop holds itself
        return union([default, OPEN])
    found = [_entry(evaluator, known, name, default, depth) for known in mapping.known]
    if mapping.open or not mapping.known:
        found += [default, OPEN]
    if isinstance(node, ast.Name):
        stores = scope.module.stores.get((node.id, name), ())
        found += [evaluator.weighed(store) for store in stores]
        sites = (site for word in CHANGES for site in scope.module.by_word.get(word, ()))
        if any(
            isinstance(site.node, ast.Call) and site.scope.owner is scope.owner and _is_method_of(site.node, node.id)
            for site in sites
        ):
            found.append(OPEN)
    return union(found)


def _is_method_of(call: ast.Call, name: str) -> bool:
    callee = call.func
    return isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name) and callee.value.id == name


def _entry(evaluator: Evaluator, known: Known, name: str, default: Value, depth: int) -> Value:
    what = known.what
    if isinstance(what, Display) and isinstance(what.node, ast.Dict):
        for key, value in zip(what.node.keys, what.node.values):
            if key is None:
                default = _entry_of(evaluator, value, name, what.scope, default, depth + 1)
            elif not isinstance(key, ast.Constant):
                default = union([default, OPEN])
            elif key.value == name:
                default = evaluator.value(value, what.scope)
        return default
    if isinstance(what, (Tree, Options)):
        found = configs.lookup(evaluator, known, name)
        if configs.holds(evaluator, known, name) is False:
            return Value(default.known, default.open, True)
        return found if found.known else union([default, OPEN])
    return union([default, OPEN])


def _rest(evaluator: Evaluator, binding: Binding, call: ast.Call, count: int, scope: Scope) -> Value:
    """Return what `*args` holds: the arguments that no other parameter takes."""
    if any(isinstance(arg, ast.Starred) for arg in call.args[:count]):
        return OPEN
    return _display(evaluator, binding, call, ast.Tuple(call.args[max(count, 0) :], ast.Load()), scope)


def _keywords(evaluator: Evaluator, binding: Binding, call: ast.Call, taken: set[str], scope: Scope) -> Value:
    """Return what `**kwargs` holds: the keywords that no other parameter takes."""
    given = [keyword for keyword in call.keywords if keyword.arg not in taken]
    keys: list[Optional[ast.expr]] = [
        ast.copy_location(ast.Constant(keyword.arg), keyword.value) if keyword.arg is not None else None
        for keyword in given
    ]
    return _display(evaluator, binding, call, ast.Dict(keys, [keyword.value for keyword in given]), scope)


def _display(
    evaluator: Evaluator, binding: Binding, call: ast.Call, node: Union[ast.Tuple, ast.Dict], scope: Scope
) -> Value:
    """Return a tuple or dict that a call makes of its arguments: the same one whenever it is asked for."""
    made = evaluator.made.setdefault((id(binding), id(call)), ast.copy_location(node, call))
    return evaluator.known(Display(made, scope), call, scope)
