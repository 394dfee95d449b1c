"""Library model of functions that make sequences of others: `zip`, `map`, `sorted`, `pool.map`, `chain`, ...

Results are displays of all elements in order where these are known; else of one element for all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product, zip_longest
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import EACH, Held, Layer
from ms_perflint.index.syntax_forms import keywords_of
from ms_perflint.infer import bases, calls, commandline, computing, sequences
from ms_perflint.infer.alternatives import LIST, MANY_OF, TUPLE, Api, Constant, Display
from ms_perflint.infer.evaluator import Call, Evaluator, Library
from ms_perflint.infer.sequences import MAPPED, whole
from ms_perflint.infer.values import BOTTOM, NO_CONSTANT, TOP, Alternative, Value, join

POOLS = (
    "concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor", "multiprocessing.Pool",
    "multiprocessing.pool.ThreadPool", "multiprocessing.dummy.Pool",
)  # fmt: skip
SUBMITS = {"submit": "result", "apply_async": "get"}  # with the method of what they give that waits for the result
MAPS = ("map", "imap")
_LAYERS = 4  # methods of an array, one behind the other
_SAME_ROWS = frozenset({"astype", "copy", "clip", "round", "asnumpy"})
_SIZED = {  # what makes an array or a tensor: which argument says the first dimension, or all of them
    **dict.fromkeys(("zeros", "ones", "empty", "full"), (0, "shape")),
    **dict.fromkeys(("randn", "rand", "arange"), (0, "")),
    **dict.fromkeys(("random", "random_sample", "standard_normal"), (0, "size")),
    **dict.fromkeys(("normal", "uniform", "randint", "integers"), (2, "size")),
    **dict.fromkeys(("array", "asarray", "Tensor"), (0, "")),
    "eye": (0, "N"),
    "linspace": (2, "num"),
}
Rows = tuple[str, list[Sequence[Held]]]  # the kind of display in which they are, and what stands in each


def _made(evaluator: Evaluator, node: ast.Call, kind: str, parts: Iterable[Held], scope: Scope) -> Value:
    return evaluator.known(Display(node, scope, kind, tuple(parts)), node, scope)


def _rows(
    evaluator: Evaluator, given: Sequence[ast.expr], scope: Scope, order: Callable[..., Iterable[Sequence[Held]]] = zip
) -> Rows:
    """Return the rows that `order` makes of some sequences; one row for all where they are not known."""
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
    """Return the list of `list(sequence)` and `chain(first, second)`; other arguments unchanged.

    Of `deque(sequence, 3)`, which loses elements, any of them.
    """
    if api.name == "collections.deque" and (len(node.args) > 1 or node.keywords):
        return _made(evaluator, node, MANY_OF, [Held(each, scope, taken=(EACH,)) for each in node.args[:1]], scope)
    value = evaluator.value(node.args[0], scope) if len(node.args) == 1 else BOTTOM
    if not all(known.is_display for known in value.alternatives):
        is_iterable = all(bases.is_iterable(evaluator, known) for known in value.alternatives)
        return _in_any_order(evaluator, api, node, scope) if is_iterable else value
    return _made(evaluator, node, LIST, (Held(argument, scope, is_spread=True) for argument in node.args), scope)


def _zip(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the tuples of `zip`, `zip_longest` and `product`; None for `product(first, repeat=2)`."""
    if api.name == "itertools.zip_longest":
        given = keywords_of(node).get("fillvalue")
        none = Held(node, scope, evaluator.known(Constant(None), node, scope))
        fill = Held(given, scope) if given is not None else none
        rows = _rows(evaluator, node.args, scope, partial(zip_longest, fillvalue=fill))
        return _tuples(evaluator, node, rows, scope) if rows[0] == LIST else None
    is_product = api.name == "itertools.product"
    if is_product and node.keywords:
        return None
    return _tuples(evaluator, node, _rows(evaluator, node.args, scope, product if is_product else zip), scope)


def _columns(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the tuples of `zip(*rows)` for known rows; None for other calls."""
    if len(node.args) != 1 or not isinstance(node.args[0], ast.Starred):
        return None
    parts = whole(evaluator, evaluator.value(node.args[0].value, scope)) or ()
    rows = [row for row in (whole(evaluator, evaluator.read(part)) for part in parts) if row is not None]
    is_whole = 0 < len(rows) == len(parts) <= MAPPED
    return _tuples(evaluator, node, (LIST, list(zip(*rows))), scope) if is_whole else None


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


def _sliced(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the elements of `islice(sequence, stop)` or `islice(sequence, start, stop, step)`."""
    bounds = [evaluator.value(each, scope).constant for each in node.args[1:]]
    is_known = (
        0 < len(bounds) <= 3 and all(isinstance(each, (int, type(None))) for each in bounds) and 0 not in bounds[2:]
    )
    return sequences.sliced(
        evaluator, node, evaluator.value(node.args[0], scope), slice(*bounds) if is_known else None, scope
    )


def _in_any_order(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the elements of `sorted(sequence)` or `set(sequence)`, in unknown order."""
    return _made(evaluator, node, MANY_OF, [Held(node.args[-1], scope, taken=(EACH,))], scope)


def _filtered(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the elements of `filter(function, sequence)`: with the default options, and any where others count."""
    function, parts = node.args[0], whole(evaluator, evaluator.value(node.args[-1], scope))
    whatever = _in_any_order(evaluator, api, node, scope)
    if parts is None or len(node.args) != 2 or len(parts) > MAPPED:
        return whatever
    is_none = evaluator.value(function, scope).constant is None
    layers = (Layer(node, scope, row=(part,), callee=function) for part in parts)
    tests = [evaluator.read(Held(node, scope, taken=(layer,))) for layer in layers] if not is_none else []
    tests = tests or [evaluator.read(part) for part in parts]
    if all(test.truth is not None for test in tests):
        return _made(evaluator, node, LIST, (part for part, test in zip(parts, tests) if test.truth), scope)
    if whatever is None or any(test.default_truth is None for test in tests):
        return whatever
    kept = (part for part, test in zip(parts, tests) if test.default_truth)
    usual = _made(evaluator, node, LIST, kept, scope)
    return join([usual, whatever.as_non_default()])._replace(overridable=True)


def _one_after_another(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the list of `chain.from_iterable(lists)`; None where not all lists are known."""
    parts = whole(evaluator, evaluator.value(node.args[0], scope))
    if parts is None:
        return None
    return _made(evaluator, node, LIST, (part._replace(is_spread=True) for part in parts), scope)


def _added(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the list of `sum(lists, first)`; None for sums of numbers, and where not all lists are known."""
    if len(node.args) != 2 or not evaluator.value(node.args[1], scope).are(lambda known: known.is_display):
        return None
    parts = whole(evaluator, evaluator.value(node.args[0], scope))
    first = Held(node.args[1], scope)
    each = (part._replace(is_spread=True) for part in (first, *parts)) if parts is not None else None
    return _made(evaluator, node, LIST, each, scope) if each is not None else None


def _reduced(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `reduce(function, sequence, first)`; None where the elements are not known."""
    parts = whole(evaluator, evaluator.value(node.args[1], scope)) if len(node.args) > 1 else None
    first = [Held(argument, scope) for argument in node.args[2:3]]
    if not (parts := [*first, *parts] if parts is not None else None):
        return None
    result = parts[0]
    for part in parts[1:]:
        result = Held(node, scope, taken=(Layer(node, scope, row=(result, part)),))
    return evaluator.read(result)


def _gathered(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the results of `asyncio.gather(first(), second())` as a list."""
    return _made(evaluator, node, LIST, (Held.of(argument, scope) for argument in node.args), scope)


def _repeated(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return _made(evaluator, node, MANY_OF, [Held(node.args[0], scope)], scope)


def _next(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `next`: the first element of a new iterator, any element of others, or the default."""
    value = evaluator.value(node.args[0], scope)
    is_new = isinstance(node.args[0], (ast.GeneratorExp, ast.Call))
    parts = whole(evaluator, value) if is_new else None
    if parts:
        return evaluator.read(parts[0])
    default = evaluator.value(node.args[1], scope) if len(node.args) == 2 else None
    if parts is not None and default is not None:
        return default
    found = evaluator.each(value)
    found = join([found, default]) if default is not None else found
    usual = sequences.usual(evaluator, value.only) if value.only is not None and is_new else None
    if usual is None or not (usual or default is not None):
        return found
    first = evaluator.read(usual[0]) if usual else default or TOP
    return join([first, found.as_non_default()])._replace(overridable=True)


def _length(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `len`; None where it is not known."""
    value = evaluator.value(node.args[0], scope)
    if value.only is not None and value.only.api == "sys.argv":
        return computing.if_known(commandline.of_index(evaluator.program, commandline.COUNT))

    def count(known: tuple[Alternative, ...]) -> object:
        number = length(evaluator, known[0])
        return number if number is not None else NO_CONSTANT

    return computing.if_known(computing.combine(evaluator, [value], count, node, scope))


def length(evaluator: Evaluator, known: Alternative) -> Optional[int]:
    """Return the number of elements of a sequence, mapping or NumPy array; None where it is not known."""
    if isinstance(known.constant, (str, bytes, tuple)):
        return len(known.constant)
    parts = computing.held(evaluator, known)
    return len(parts) if parts is not None else _rows_of_array(evaluator, known)


def _below_layers(evaluator: Evaluator, known: Alternative) -> Optional[Alternative]:
    """Return the array or tensor below methods that keep its rows: `np.zeros(3)` of `np.zeros(3).copy()`."""
    for _ in range(_LAYERS):
        owner, _, word = known.type_api.rpartition(".")
        if known.creation is None or not known.type_api.startswith(("numpy.", "mindspore.Tensor")):
            return None
        if word not in _SAME_ROWS or owner in ("numpy", "numpy.random"):
            return known
        callee, scope = known.creation.call.func, known.creation.scope
        inner = evaluator.value(callee.value, scope).only if isinstance(callee, ast.Attribute) else None
        if inner is None:
            return None
        known = inner
    return None


def _rows_of_array(evaluator: Evaluator, known: Alternative) -> Optional[int]:
    """Return the first dimension of an array or tensor: `np.zeros((5, 3))`, `np.random.randn(5, 3).astype(float)`."""
    array = _below_layers(evaluator, known)
    made, word = (array.creation, array.type_api.rpartition(".")[2]) if array is not None else (None, "")
    if made is None or word not in _SIZED:
        return None
    slot, keyword = _SIZED[word]
    named = keywords_of(made.call).get(keyword)
    given = named if named is not None else next(iter(made.call.args[slot:]), None)
    if given is None or any(isinstance(each, ast.Starred) for each in made.call.args):
        return None
    size = evaluator.value(given, made.scope).only
    if word in ("array", "asarray", "Tensor"):
        return length(evaluator, size) if size is not None else None
    if word == "arange" and (len(made.call.args) != 1 or named is not None):
        return None
    if size is not None and not isinstance(size.constant, int):
        size = evaluator.item(size, 0).only
    return size.constant if size is not None and type(size.constant) is int else None


def _range(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the numbers of a short `range`; None for others."""
    found = computing.called(evaluator, _numbers, [Held(each, scope) for each in node.args], (), node, scope)
    return found if found is not None and found.only is not None else None


def _numbers(*bounds: int) -> list[int]:
    numbers = range(*bounds)
    if len(numbers) > MAPPED:
        raise ValueError("too long")
    return list(numbers)


def _sorted(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the list of `sorted(sequence)`, in order where that can be computed."""
    found = computing.called(evaluator, sorted, (Held(node.args[0], scope),), node.keywords, node, scope)
    if found is not None and not found.open:
        return found
    is_down = keywords_of(node).get("reverse")
    down = evaluator.value(is_down, scope).constant if is_down is not None else False
    parts = _by_key(evaluator, node, scope, down) if isinstance(down, bool) else None
    return _made(evaluator, node, LIST, parts, scope) if parts else _in_any_order(evaluator, api, node, scope)


def _by_key(evaluator: Evaluator, node: ast.Call, scope: Scope, is_down: bool) -> Optional[list[Held]]:
    """Return the elements of a sequence in the order of `key=function`; None where it is not known."""
    function = keywords_of(node).get("key")
    parts = whole(evaluator, evaluator.value(node.args[0], scope)) if function and len(node.args) == 1 else None
    if function is None or parts is None:
        return None
    layers = (Layer(node, scope, row=(part,), callee=function) for part in parts)
    keys = [evaluator.read(Held(node, scope, taken=(layer,))).constant for layer in layers]
    try:
        order = sorted(range(len(parts)), key=keys.__getitem__, reverse=is_down)  # type: ignore[arg-type]
    except TypeError:  # NO_CONSTANT, or of several kinds
        return None
    return [parts[index] for index in order] if NO_CONSTANT not in keys else None


def _extreme(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the element with the least or greatest `key=function`, or any of some objects; None for other calls."""
    parts = _by_key(evaluator, node, scope, api.name == "builtins.max")
    if parts:
        return evaluator.read(parts[0])
    given = [evaluator.value(each, scope) for each in node.args]
    found = evaluator.each(given[0]) if len(given) == 1 else join(given)
    return found if found.are(lambda known: known.is_object) else None


def _waited(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `pool.submit(function, argument).result()`; None for other calls."""
    made = api.receiver.creation if api.receiver is not None else None
    if made is None or not made.call.args or made.call.keywords:
        return None
    function, *given = made.call.args
    if api.name.endswith("get"):
        given = given[0].elts if given and isinstance(given[0], (ast.Tuple, ast.List)) else []
    row = tuple(Held.of(each, made.scope) for each in given)
    return calls.applied(evaluator, made._replace(row=row, callee=function))


def _of_some(maker: Call) -> tuple[Call]:
    """Return a model for calls with at least one argument, none of them a `*sequence`."""

    def made(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
        is_shown = bool(node.args) and not any(isinstance(argument, ast.Starred) for argument in node.args)
        return maker(evaluator, api, node, scope) if is_shown or (maker is _copied and not node.args) else None

    return (made,)


_MAKERS: dict[Call, tuple[str, ...]] = {
    _copied: ("builtins.list", "builtins.tuple", "collections.deque", "itertools.chain"),
    _zip: ("builtins.zip", "itertools.zip_longest", "itertools.product"),
    _enumerate: ("builtins.enumerate",),
    _map: ("builtins.map",),
    _reversed: ("builtins.reversed",),
    _sliced: ("itertools.islice",),
    _in_any_order: (
        "builtins.frozenset", "builtins.set", "itertools.cycle",
    ),
    _filtered: ("builtins.filter",),
    _length: ("builtins.len",),
    _range: ("builtins.range",),
    _sorted: ("builtins.sorted",),
    _extreme: ("builtins.max", "builtins.min"),
    _one_after_another: ("itertools.chain.from_iterable",),
    _reduced: ("functools.reduce",),
    _added: ("builtins.sum",),
    _repeated: ("itertools.repeat",),
    _gathered: ("asyncio.gather",),
    _next: ("builtins.next",),
}  # fmt: skip
_CALLS = {name: _of_some(maker) for maker, names in _MAKERS.items() for name in names}
MODEL = Library(
    calls={
        **_CALLS,
        "builtins.zip": (_columns, *_CALLS["builtins.zip"]),
        **{f"{pool}.{word}.{waits}": (_waited,) for pool in POOLS for word, waits in SUBMITS.items()},
        **{f"{pool}.{word}": _CALLS["builtins.map"] for pool in POOLS for word in MAPS},
    }
)
