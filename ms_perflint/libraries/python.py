"""Python's own library: built-in functions, methods of a dict, paths, sequences, modules loaded by a call."""

from __future__ import annotations

import ast
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import EACH, PREPARES, Held, Layer, Signature
from ms_perflint.infer import commandline, computing, importing, mappings, spreads, tables
from ms_perflint.infer.bases import is_instance
from ms_perflint.infer.computing import combine
from ms_perflint.infer.evaluator import Call, Evaluator, Library
from ms_perflint.infer.sequences import MAPPED, whole
from ms_perflint.infer.values import (
    LIST,
    MANY_OF,
    NO_CONSTANT,
    TOP,
    TUPLE,
    Alternative,
    Api,
    Constant,
    Display,
    Value,
    join,
)

LOOKUP = Signature.named("key", "default")  # of `config.get` and `os.getenv`
_PATHS: tuple[Callable[..., Any], ...] = (
    os.path.join,
    os.path.dirname,
    os.path.basename,
    os.path.split,
    os.path.splitext,
)
_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    bool,
    int,
    float,
    str,
    repr,
    max,
    min,
    sum,
    abs,
    round,
    divmod,
    any,
    all,
    ord,
    chr,
)
_MATH: tuple[Callable[..., Any], ...] = (
    math.ceil,
    math.floor,
    math.trunc,
    math.sqrt,
    math.log,
    math.log2,
    math.log10,
    math.exp,
    math.pow,
    math.fabs,
    math.cos,
    math.sin,
    math.gcd,
    math.prod,
)
_NUMPY: Mapping[str, Callable[..., Any]] = {
    "ceil": lambda given: float(math.ceil(given)), "floor": lambda given: float(math.floor(given)),
    "sqrt": math.sqrt, "log": math.log, "log2": math.log2, "log10": math.log10, "exp": math.exp,
    "prod": math.prod, "sum": sum, "max": max, "min": min, "abs": abs, "round": round,
}  # fmt: skip


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


def _prepared(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return a function, with the arguments that `partial` passes when that is called."""
    if not node.args:
        return None
    value = evaluator.value(node.args[0], scope)
    layer = Layer(node, scope, 1, api.name == "functools.partialmethod")
    return value._replace(
        alternatives=tuple(known._replace(prepared=(*known.prepared, layer)) for known in value.alternatives)
    )


# --- functions that are computed: ValueError, or any other error, where that is left to the run


def _if_known(value: Optional[Value]) -> Optional[Value]:
    """Return what is computed; None where nothing of it is known: then it is just what the function gives."""
    return value if value is not None and (value.alternatives or not value.open) else None


def _run(function: Callable[..., Any]) -> tuple[Call]:
    """Return what knows what a function gives that can just be run."""

    def made(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
        given = [Held.of(argument, scope) for argument in node.args]
        return _if_known(computing.called(evaluator, function, given, node.keywords, node, scope))

    return (made,)


def _whole(number: Any) -> Any:
    """Return a number as an element of an array is computed."""
    if not isinstance(number, (int, float)):
        raise TypeError("an array")
    return number


def _of_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of numpy on a number, or on a list of numbers that it makes one of."""
    return lambda given: _whole(function(given))


def _length(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return how many elements a sequence or mapping has that is shown; None where that is not known."""
    value = evaluator.value(node.args[0], scope)

    def count(known: tuple[Alternative, ...]) -> object:
        if isinstance(known[0].constant, (str, bytes, tuple)):
            return len(known[0].constant)
        table = tables.view(evaluator, known[0], "keys") if known[0].is_mapping else None
        parts = whole(evaluator, table or Value(known))
        return len(parts) if parts is not None else NO_CONSTANT

    return _if_known(combine(evaluator, [value], count, node, scope))


def _sorted(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    found = computing.called(evaluator, sorted, (Held(node.args[0], scope),), node.keywords, node, scope)
    return found if found is not None and not found.open else _in_any_order(evaluator, api, node, scope)


def _range(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the numbers of a short `range`; None of others."""
    found = computing.called(evaluator, _numbers, [Held(each, scope) for each in node.args], (), node, scope)
    return found if found is not None and found.only is not None else None


def _numbers(*bounds: int) -> list[int]:
    numbers = range(*bounds)
    if len(numbers) > MAPPED:
        raise ValueError("too long")
    return list(numbers)


def _isinstance(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return whether an object is one of some classes; None where that is not known."""
    if len(node.args) != 2:
        return None
    named = evaluator.value(node.args[1], scope)
    parts = whole(evaluator, named)
    classes = [evaluator.read(part) for part in parts] if parts is not None else [named]
    wanted = [value.only for value in classes]

    def is_one(known: tuple[Alternative, ...]) -> object:
        answers = {is_instance(evaluator, known[0], cls) if cls is not None else None for cls in wanted}
        return True if True in answers else NO_CONSTANT if None in answers else False

    return _if_known(combine(evaluator, [evaluator.value(node.args[0], scope)], is_one, node, scope))


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


# --- sequences of others: displays of all that they hold, in its order, where that is shown; else of one for all

Rows = tuple[str, list[Sequence[Held]]]  # the kind of display in which they are, and what stands in each


def _made(evaluator: Evaluator, node: ast.Call, kind: str, parts: Iterable[Held], scope: Scope) -> Value:
    return evaluator.known(Display(node, scope, kind, tuple(parts)), node, scope)


def _rows(
    evaluator: Evaluator, given: Sequence[ast.expr], scope: Scope, order: Callable[..., Iterable[Sequence[Held]]] = zip
) -> Rows:
    """Return a row for each of what an order makes of some sequences; one for all where they are not known."""
    columns = [whole(evaluator, evaluator.value(argument, scope)) for argument in given]
    rows = list(order(*columns)) if None not in columns else []
    if None not in columns and len(rows) <= MAPPED:
        return LIST, rows
    return MANY_OF, [[Held(argument, scope, taken=(EACH,)) for argument in given]]


def _tuples(evaluator: Evaluator, node: ast.Call, rows: Rows, scope: Scope) -> Value:
    kind, found = rows
    tuples = (Held(node, scope, _made(evaluator, node, TUPLE, row, scope)) for row in found)
    return _made(evaluator, node, kind, tuples, scope)


def _copied(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the list that `list(sequence)` and `chain(first, second)` make; of other things just the thing."""
    values = [evaluator.value(argument, scope) for argument in node.args]
    if len(values) == 1 and not all(known.is_display for known in values[0].alternatives):
        return values[0]
    return _made(evaluator, node, LIST, (Held(argument, scope, is_spread=True) for argument in node.args), scope)


def _zip(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return _tuples(evaluator, node, _rows(evaluator, node.args, scope), scope)


def _product(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    rows = _rows(evaluator, node.args, scope, product) if not node.keywords else None
    return _tuples(evaluator, node, rows, scope) if rows is not None else None


def _enumerate(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    first = node.args[1] if len(node.args) > 1 else next((word.value for word in node.keywords), None)
    start = evaluator.value(first, scope).constant if first is not None else 0
    kind, rows = _rows(evaluator, node.args[:1], scope)
    is_known = kind == LIST and isinstance(start, int)
    numbers = (
        evaluator.known(Constant(start + index), node, scope) if is_known else TOP  # type: ignore[operator]
        for index in range(len(rows))
    )
    numbered: list[Sequence[Held]] = [(Held(node, scope, number), *row) for number, row in zip(numbers, rows)]
    return _tuples(evaluator, node, (kind, numbered), scope)


def _map(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    kind, rows = _rows(evaluator, node.args[1:], scope)
    results = (Held(node, scope, taken=(Layer(node, scope, row=tuple(row)),)) for row in rows)
    return _made(evaluator, node, kind, results, scope)


def _reversed(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    kind, rows = _rows(evaluator, node.args, scope, lambda parts: zip(reversed(parts)))
    return _made(evaluator, node, kind, (row[0] for row in rows), scope)


def _in_any_order(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return what `sorted(sequence)` or `filter(function, sequence)` makes: it is not known in which order."""
    return _made(evaluator, node, MANY_OF, [Held(node.args[-1], scope, taken=(EACH,))], scope)


def _repeated(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return _made(evaluator, node, MANY_OF, [Held(node.args[0], scope)], scope)


def _next(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return Value(*evaluator.elements(evaluator.value(node.args[0], scope)))


def _of_some(maker: Call) -> tuple[Call]:
    """Return the same for calls that are given something, and show what."""

    def made(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
        is_shown = bool(node.args) and not any(isinstance(argument, ast.Starred) for argument in node.args)
        return maker(evaluator, api, node, scope) if is_shown or (maker is _copied and not node.args) else None

    return (made,)


_MAKERS: dict[Call, tuple[str, ...]] = {
    _copied: ("builtins.list", "builtins.tuple", "itertools.chain"),
    _zip: ("builtins.zip", "itertools.zip_longest"),
    _product: ("itertools.product",),
    _enumerate: ("builtins.enumerate",),
    _map: ("builtins.map",),
    _reversed: ("builtins.reversed",),
    _in_any_order: (
        "builtins.filter", "builtins.frozenset", "builtins.set", "itertools.cycle",
    ),
    _length: ("builtins.len",),
    _range: ("builtins.range",),
    _sorted: ("builtins.sorted",),
    _repeated: ("itertools.repeat",),
    _next: ("builtins.next",),
}  # fmt: skip
MODEL = Library(
    computed={
        **dict.fromkeys(("os.path.abspath", "os.path.realpath", "os.path.normpath"), os.path.normpath),
        **dict.fromkeys(("ast.literal_eval", "builtins.eval"), ast.literal_eval),
        **{f"builtins.{each.__name__}": each for each in (bool, int, float, str, max, min)},
        **{f"os.path.{each.__name__}": each for each in _PATHS},
    },
    calls={
        **{f"builtins.{each.__name__}": _run(each) for each in _FUNCTIONS},
        **{f"math.{each.__name__}": _run(each) for each in _MATH},
        **{f"numpy.{name}": _run(_of_numbers(function)) for name, function in _NUMPY.items()},
        "builtins.pow": _run(computing.power),
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
        **{name: _of_some(maker) for maker, names in _MAKERS.items() for name in names},
        "builtins.getattr": (_getattr,),
        "builtins.hasattr": (_hasattr,),
        "builtins.isinstance": (_isinstance,),
        "builtins.globals": (_globals,),
        "builtins.input": (unknown,),
    },
    items={"os.environ": _variable},
    mappings=frozenset({"dict", "OrderedDict", "SimpleNamespace", "Namespace"}),
    closed=("builtins.open",),
)
