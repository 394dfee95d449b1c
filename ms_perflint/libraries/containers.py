"""Library model of the dicts and lists of Python: what is got from them, their views, copies and joins."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held, Layer, Signature
from ms_perflint.infer import attribute_writes, calls, computing, filtered, items, mappings, tables
from ms_perflint.infer.alternatives import DICT, LIST, Api, Constant, Display
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.sequences import TAKES, is_list, taken, whole
from ms_perflint.infer.values import NO_CONSTANT, TOP, Alternative, Value, join

_LOOKUP = Signature.named("key", "default")  # of `config.get`
_COPIES = ("builtins.dict.copy", "builtins.dict.clone")
_DEEP = ("copy.deepcopy", "builtins.dict.clone")  # the latter of a `CfgNode`


def _copied(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `copy.copy(x)` or `x.copy()`: a new dict or list; an object is marked as a copy."""
    is_method, func = api.receiver is not None, node.func
    given = func.value if is_method and isinstance(func, ast.Attribute) else next(iter(node.args), None)
    if given is None:
        return Value((api.receiver,)) if api.receiver is not None else None
    value = Value((api.receiver,)) if api.receiver is not None else evaluator.value(given, scope)
    made = mappings.copied(evaluator, node, Held(given, scope), value, api.name in _DEEP)
    if made is not None:
        return made
    lists = tuple(known for known in value.alternatives if is_list(known))
    others = tuple(known.as_copy(node) for known in value.alternatives if known not in lists)
    rest = value._replace(alternatives=others)
    held = Held(given, scope, Value(lists), is_spread=True)
    return join([evaluator.known(Display(node, scope, LIST, (held,)), node, scope), rest]) if lists else rest


def _defaulted(evaluator: Evaluator, holder: Alternative, key: object) -> Value:
    """Return the value of a `defaultdict` for a missing key."""
    made = holder.creation
    if made is None or len(made.call.args) != 1 or made.call.keywords:
        return TOP
    factory = evaluator.value(made.call.args[0], made.scope).only
    if factory is None or factory.api != "builtins.list":
        return calls.applied(evaluator, Layer(made.call, made.scope, row=()))
    return evaluator.known(Display(made.call.args[0], made.scope, LIST), made.call.args[0], made.scope)


def _from_keys(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the dict of `dict.fromkeys(keys, value)`; None where not all keys are known."""
    keys = whole(evaluator, evaluator.value(node.args[0], scope)) if len(node.args) == 2 else None
    parts = tuple(Held(node.args[1], scope) for _ in keys or ())
    return evaluator.known(Display(node, scope, DICT, parts, tuple(keys)), node, scope) if keys else None


def _chained(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the mapping of `ChainMap(first, second)`: the first one with a key counts."""
    layers = [Held.of(argument, scope) for argument in reversed(node.args)]
    if not layers or any(layer.is_spread for layer in layers):
        return None
    return mappings.laid(evaluator, node, [(None, layer) for layer in layers], scope)


def _popped(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `list.pop()` and `deque.popleft()`."""
    found = taken(evaluator, api.receiver, node, scope) if api.receiver is not None else None
    return found or TOP


def _position(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `list.index(constant)` for a list of constants."""
    parts = whole(evaluator, Value((api.receiver,))) if api.receiver is not None and len(node.args) == 1 else None
    wanted = evaluator.value(node.args[0], scope) if parts is not None else TOP
    held = [evaluator.read(part) for part in parts or ()]
    constants = [each.constant for each in held]
    if NO_CONSTANT in constants or any(each.overridable for each in held):
        return TOP

    def position(known: tuple[Alternative, ...]) -> object:
        constant = known[0].constant
        return constants.index(constant) if constant in constants else NO_CONSTANT

    return computing.combine(evaluator, [wanted], position, node, scope)


def _any(evaluator: Evaluator, receiver: Alternative, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `table.get(key, default)` for a table of functions or classes and an unknown key."""
    found = tables.any_entry(evaluator, Value((receiver,)))
    return (
        join([found, *(evaluator.value(default, scope) for default in node.args[1:2])]) if found.alternatives else None
    )


def _get(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `get`, `pop` and `setdefault` of an object with settings."""
    receiver = api.receiver
    if receiver is None or not node.args:
        return None
    key = evaluator.value(node.args[0], scope)
    keys = tuple(dict.fromkeys(known.constant for known in key.by_default)) if not key.open else ()
    if not keys or NO_CONSTANT in keys:
        return _any(evaluator, receiver, node, scope)
    holder = node.func.value if isinstance(node.func, ast.Attribute) else None
    missing = evaluator.known(Constant(None), node, scope)
    default = evaluator.passed(_LOOKUP.bind(Layer(node, scope)).of("default"), missing)
    if len(keys) > 1:
        held = items.under(evaluator, Value((receiver,)), Value(key.by_default), node, holder, scope)
        return held if len(node.args) == 1 and api.name.endswith(".pop") else join([held, default])
    absent = (
        default if filtered.is_shown(receiver) else default._replace(overridable=True) if receiver.is_mapping else TOP
    )
    found = items.under(evaluator, Value((receiver,)), Value(key.by_default), node, holder, scope, absent)
    is_filled = api.name.endswith(".setdefault") and receiver.is_display
    if is_filled and set(found.alternatives) <= set(default.alternatives):
        is_absent = attribute_writes.has(evaluator, receiver, keys[0], node) is False
        if is_absent or not found.alternatives:
            return default if is_absent else default._replace(open=True)
    if found.alternatives:
        return Value(found.alternatives, found.open, found.overridable or key.overridable or len(key.alternatives) > 1)
    return mappings.with_default(evaluator, Value((receiver,)), keys[0], default)


def _view(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    if api.receiver is None or node.args:
        return None
    if api.receiver.document:
        return tables.view_of_file(evaluator, api.receiver, node, scope)
    return tables.view(evaluator, api.receiver, api.name.rpartition(".")[2])


def _last_item(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `popitem` of a known dict: its last key and value."""
    items = tables.view(evaluator, api.receiver, "items") if api.receiver is not None and not node.args else None
    parts = whole(evaluator, items) if items is not None else None
    return evaluator.read(parts[-1]) if parts else None


MODEL = Library(
    calls={
        **dict.fromkeys((*_COPIES, "copy.copy", "copy.deepcopy"), (_copied,)),
        **dict.fromkeys((f".{name}" for name in tables.VIEWS), (_view,)),
        **{f"builtins.list.{name}": (_popped,) for name in TAKES},
        "builtins.list.index": (_position,),
        **dict.fromkeys((".get", ".pop", ".setdefault"), (_get,)),
        "builtins.dict.fromkeys": (_from_keys,),
        "collections.ChainMap": (_chained,),
        ".popitem": (_last_item,),
    },
    items={"collections.defaultdict": _defaulted},
    mappings=frozenset({"dict", "OrderedDict", "UserDict", "SimpleNamespace", "Namespace", "TypedDict"}),
)
