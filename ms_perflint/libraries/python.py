"""Python's own library: built-in functions, methods of a dict, paths, the environment, modules loaded by a call."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from typing import Any, Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import PREPARES, Layer, Signature
from ms_perflint.infer import commandline, importing, lists, mappings, sequences, spreads, tables
from ms_perflint.infer.evaluator import Call, Evaluator, Library
from ms_perflint.infer.operations import combine
from ms_perflint.infer.values import NO_CONSTANT, TOP, Alternative, Api, Constant, Value, join

LOOKUP = Signature.named("key", "default")  # of `config.get` and `os.getenv`
_PATHS: tuple[Callable[..., Any], ...] = (os.path.join, os.path.dirname, os.path.basename, os.path.split)


# --- calls that give what they are given


def passed_on(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return what a call is given first, or as the function that it wraps."""
    given = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg in ("fn", "function")), None)
    return evaluator.value(given, scope) if given is not None else None


def unknown(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return that a call may give anything."""
    return TOP


def _itself(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return Value((api.receiver,)) if api.receiver is not None else None


def _list(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return _sequence(evaluator, api, node, scope) if node.args else lists.empty(evaluator, node, scope)


def _sequence(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the sequence that a function of Python makes of others."""
    return sequences.made_by(evaluator, api.name, node, scope)


def _prepared(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return a function, with the arguments that `partial` passes when that is called."""
    if not node.args:
        return None
    value = evaluator.value(node.args[0], scope)
    layer = Layer(node, scope, 1, api.name == "functools.partialmethod")
    return value._replace(
        alternatives=tuple(known._replace(prepared=(*known.prepared, layer)) for known in value.alternatives)
    )


def _next(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return Value(*lists.elements(evaluator, evaluator.value(node.args[0], scope))) if node.args else None


def _computed(function: Callable[..., Any]) -> tuple[Call]:
    """Return what works out a call of a function on constants."""

    def convert(known: tuple[Alternative, ...]) -> object:
        constants = [each.constant for each in known]
        if NO_CONSTANT in constants:
            return NO_CONSTANT
        try:
            found = function(*constants)
        except Exception:
            return NO_CONSTANT
        return NO_CONSTANT if isinstance(found, (list, dict, set)) else found

    def computed(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
        if not node.args or node.keywords:
            return None
        return combine([evaluator.value(arg, scope) for arg in node.args], convert, node, scope)

    return (computed,)


# --- modules


def _module(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return importing.by_call(evaluator, node, scope, api.name == "builtins.__import__") if node.args else None


def _globals(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return evaluator.known(scope.module, scope.module.tree, scope)


# --- members by name


def _getattr(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    if len(node.args) < 2:
        return None
    names = evaluator.value(node.args[1], scope).constants
    if len(names) != 1 or not isinstance(names[0], str):
        return TOP
    holders = evaluator.value(node.args[0], scope)
    found = evaluator.members(holders, names[0], node, scope)
    if any(known.api.startswith("mindspore.") or not (known.api and known.receiver) for known in found.alternatives):
        return found
    default = evaluator.value(node.args[2], scope) if len(node.args) > 2 else None
    return mappings.with_default(evaluator, holders, names[0], default)


def _hasattr(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return whether an object that holds settings has one; None for other objects."""
    if len(node.args) != 2:
        return None
    names = evaluator.value(node.args[1], scope).constants
    if len(names) != 1 or not isinstance(names[0], str):
        return None
    return mappings.membership(evaluator, evaluator.value(node.args[0], scope), names[0], node, scope)


# --- dicts and the environment


def _any(evaluator: Evaluator, receiver: Alternative, node: ast.Call, scope: Scope) -> Optional[Value]:
    """`table.get(key, default)` on a table of functions or classes, of which the key is not known."""
    found = tables.any_entry(evaluator, Value((receiver,)))
    return (
        join([found, *(evaluator.value(default, scope) for default in node.args[1:2])]) if found.alternatives else None
    )


def _get(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """`config.get("key", default)` on something that holds settings."""
    receiver = api.receiver
    if receiver is None or not node.args:
        return None
    key = evaluator.value(node.args[0], scope)
    keys = tuple(dict.fromkeys(known.constant for known in key.by_default)) if not key.open else ()
    if len(keys) != 1 or keys[0] is NO_CONSTANT:
        return _any(evaluator, receiver, node, scope)
    found = evaluator.item(receiver, keys[0])
    if found.alternatives:
        return Value(found.alternatives, found.open, found.overridable or key.overridable or len(key.alternatives) > 1)
    missing = evaluator.known(Constant(None), node, scope)
    default = spreads.passed(evaluator, LOOKUP.bind(Layer(node, scope)).of("default"), missing)
    return mappings.with_default(evaluator, Value((receiver,)), keys[0], default)


def _view(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    is_view = api.receiver is not None and not node.args
    return tables.view(evaluator, api.receiver, api.name.rpartition(".")[2]) if is_view else None  # type: ignore[arg-type]


def _environment(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """A variable of the environment: what all launchers put there, else its default."""
    given = LOOKUP.bind(Layer(node, scope))
    default, names = (
        spreads.passed(evaluator, given.of("default"), TOP),
        spreads.passed(evaluator, given.of("key"), TOP).constants,
    )
    known = len(names) == 1 and isinstance(names[0], str)
    return commandline.variable(evaluator.program.exported(str(names[0])) if known else None, default)


def _variable(evaluator: Evaluator, holder: Alternative, key: object) -> Value:
    """Return `os.environ[key]`."""
    return commandline.variable(evaluator.program.exported(key), TOP) if holder.api and isinstance(key, str) else TOP


LIBRARY = Library(
    calls={
        **dict.fromkeys(
            ("copy.copy", "copy.deepcopy", "builtins.vars", "builtins.iter"),
            (passed_on,),
        ),
        **dict.fromkeys(("builtins.staticmethod", "pathlib.Path"), (passed_on,)),
        **dict.fromkeys(("builtins.dict.copy", "builtins.dict.clone"), (_itself,)),
        **dict.fromkeys(PREPARES, (_prepared,)),
        **dict.fromkeys((f".{name}" for name in tables.VIEWS), (_view,)),
        **dict.fromkeys((".get", ".pop"), (_get,)),
        **dict.fromkeys(("os.getenv", "os.environ.get"), (_environment,)),
        **dict.fromkeys(("importlib.import_module", "builtins.__import__"), (_module,)),
        **dict.fromkeys(("os.path.abspath", "os.path.realpath", "os.path.normpath"), _computed(os.path.normpath)),
        **dict.fromkeys(("ast.literal_eval", "builtins.eval"), _computed(ast.literal_eval)),
        **{f"builtins.{each.__name__}": _computed(each) for each in (bool, int, float, str, max, min)},
        **{f"os.path.{each.__name__}": _computed(each) for each in _PATHS},
        **dict.fromkeys(sequences.MAKERS, (_sequence,)),
        "builtins.list": (_list,),
        "builtins.next": (_next,),
        "builtins.getattr": (_getattr,),
        "builtins.hasattr": (_hasattr,),
        "builtins.globals": (_globals,),
        "builtins.input": (unknown,),
    },
    items={"os.environ": _variable},
    mappings=frozenset({"dict", "OrderedDict", "SimpleNamespace", "Namespace"}),
    closed=("builtins.open",),
)
