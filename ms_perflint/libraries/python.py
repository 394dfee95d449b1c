"""Library model of Python: built-in functions, paths, and modules loaded by a call."""

from __future__ import annotations

import ast
import math
import os
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import PREPARES, Held, Layer, Signature
from ms_perflint.index.syntax_forms import keywords_of
from ms_perflint.infer import (
    bases,
    calls,
    commandline,
    computing,
    importing,
    mappings,
    members,
    method_writes,
    namespaces,
    tables,
)
from ms_perflint.infer.alternatives import Api, Constant
from ms_perflint.infer.bases import classes_asked, is_instance
from ms_perflint.infer.computing import combine, if_known
from ms_perflint.infer.evaluator import Call, Evaluator, Library
from ms_perflint.infer.values import BOTTOM, NO_CONSTANT, TOP, Alternative, Value, join

_PASSING = (
    "builtins.iter", "builtins.staticmethod",
    "asyncio.run", "types.MappingProxyType", "contextlib.nullcontext", "contextlib.closing",
)  # fmt: skip
_PATHS: tuple[Callable[..., Any], ...] = (
    os.path.join, os.path.dirname, os.path.basename, os.path.split, os.path.splitext, os.path.normpath,
)  # fmt: skip
_FUNCTIONS: tuple[Callable[..., Any], ...] = (repr, sum, abs, round, divmod, any, all, ord, chr)
_MATH: tuple[Callable[..., Any], ...] = (
    math.ceil, math.floor, math.trunc, math.sqrt, math.log, math.log2, math.log10, math.exp, math.pow, math.fabs,
    math.cos, math.sin, math.gcd, math.prod,
)  # fmt: skip
_NUMPY: Mapping[str, Callable[..., Any]] = {
    "ceil": lambda given: float(math.ceil(given)), "floor": lambda given: float(math.floor(given)),
    "sqrt": math.sqrt, "log": math.log, "log2": math.log2, "log10": math.log10, "exp": math.exp,
    "prod": math.prod, "sum": sum, "max": max, "min": min, "abs": abs, "round": round,
}  # fmt: skip


# --- calls that give what they are given


def passed_on(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the first argument of a call, or the function that it wraps."""
    words = keywords_of(node)
    given = node.args[0] if node.args else words.get("fn", words.get("function"))
    return evaluator.value(given, scope) if given is not None else None


def unknown(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return TOP: the result is not known."""
    return TOP


def _prepared(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the function in `partial(function, ...)`, with the arguments to pass."""
    if not node.args:
        return None
    value = evaluator.value(node.args[0], scope)
    layer = Layer(node, scope, 1, api.name == "functools.partialmethod")
    is_same = len(node.args) == 1  # however often a loop does it again
    made = [
        known if is_same and layer in known.prepared else known._replace(prepared=(*known.prepared, layer))
        for known in value.alternatives
    ]
    return value._replace(alternatives=tuple(dict.fromkeys(made)))


def _cast(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `typing.cast(type, value)`: the value."""
    return evaluator.value(node.args[1], scope) if len(node.args) == 2 else None


# --- functions that are computed: ValueError, or any other error, where that is left to the run


def _run(function: Callable[..., Any]) -> tuple[Call]:
    """Return a model of a pure function, which is run on constants."""

    def made(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
        given = [Held.of(argument, scope) for argument in node.args]
        return if_known(computing.called(evaluator, function, given, node.keywords, node, scope))

    return (made,)


def _of_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of NumPy for numbers, or for lists that it reduces to a number; TypeError for an array."""

    def made(given: Any) -> Any:
        number = function(given)
        if not isinstance(number, (int, float)):
            raise TypeError("an array")
        return number

    return made


def _isinstance(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `isinstance`; None where it is not known."""
    if len(node.args) != 2:
        return None
    wanted = classes_asked(evaluator, node, scope)

    def is_one(known: tuple[Alternative, ...]) -> object:
        answers = {is_instance(evaluator, known[0], cls) if cls is not None else None for cls in wanted}
        return True if True in answers else NO_CONSTANT if None in answers else False

    return if_known(combine(evaluator, [evaluator.value(node.args[0], scope)], is_one, node, scope))


# --- modules


def _module(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return importing.by_call(evaluator, node, scope, api.name == "builtins.__import__") if node.args else None


def _globals(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the module for `globals()`, or the names of a function for `locals()`; None for another call."""
    if node.args:
        return None
    if scope.parent is None or api.name == "builtins.globals":
        return evaluator.known(scope.module, scope.module.tree, scope)
    return _locals(evaluator, node, scope) if scope.owner.is_function else None


def _of_class(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `vars(Class)`; None for others."""
    only = evaluator.value(node.args[0], scope).only if len(node.args) == 1 else None
    return namespaces.of_class(evaluator, only, node, scope) if only is not None else None


def _locals(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    """Return the mapping of the names of a function; only parameters have known values."""
    parts = []
    for name, bindings in scope.owner.bindings.items():
        is_given = len(bindings) == 1 and bindings[0].kind == "parameter"
        parts.append((name, Held(node, scope, evaluator.binding(bindings[0], scope) if is_given else TOP)))
    return mappings.laid(evaluator, node, parts, scope)


def _evaluated(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `eval(text)` for a literal, a name of the module, or an attribute of one."""
    told = evaluator.value(node.args[0], scope) if len(node.args) == 1 else TOP
    literal = computing.called(
        evaluator, ast.literal_eval, [Held.of(each, scope) for each in node.args], (), node, scope
    )
    if literal is not None and literal.alternatives:
        return literal
    found = [(each, _meant(evaluator, each.constant, node, scope)) for each in told.alternatives]
    values = [value if each.by_default else value.as_non_default() for each, value in found if value is not None]
    if told.open or not values or len(values) < len(found):
        return None
    value = join(values)
    return value._replace(overridable=value.overridable or told.overridable)


def _meant(evaluator: Evaluator, text: object, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return what a text means as code: a name of the module, or an attribute of one; None for other code."""
    first, *members_of = text.split(".") if isinstance(text, str) else [""]
    if first not in scope.module.scope.bindings or scope.home(first) is not scope.module.scope:
        return None
    value = evaluator.exported(scope.module, first)
    for name in members_of:
        value = evaluator.members(value, name, node, scope) if name.isidentifier() else TOP
    return value


# --- members by name


def _getattr(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    if len(node.args) < 2:
        return None
    told, holders = evaluator.value(node.args[1], scope), evaluator.value(node.args[0], scope)
    names = [name for name in told.constants if isinstance(name, str)]
    if not names or len(names) < len(told.constants):
        return TOP
    if len(names) > 1:  # one of several, as an option says
        if told.open or len(names) < len(told.alternatives) or len(node.args) > 2:
            return TOP
        values = zip(told.alternatives, (evaluator.members(holders, name, node, scope) for name in names))
        value = join(given if each.by_default else given.as_non_default() for each, given in values)
        return value._replace(overridable=value.overridable or told.overridable)
    only = holders.only if len(node.args) > 2 else None
    if only is not None and method_writes.is_unset(evaluator, only, names[0], node, scope):
        return evaluator.value(node.args[2], scope)
    default = evaluator.value(node.args[2], scope) if len(node.args) > 2 else None
    found = evaluator.members(holders, names[0], node, scope, default or TOP)
    found = found._replace(overridable=found.overridable or told.overridable)
    if default is not None and any(
        method_writes.may_be_unset(evaluator, known, names[0], node, scope) for known in holders.alternatives
    ):
        found = join([found, default])
    if any(known.api.startswith("mindspore.") or not (known.api and known.receiver) for known in found.alternatives):
        return found
    is_own = all(members.has(evaluator, known, names[0]) is not None for known in holders.alternatives)
    has = (lambda known, name: members.has(evaluator, known, name)) if is_own else None
    value = mappings.with_default(evaluator, holders, names[0], default, has)
    return value._replace(open=value.open or any(bases.has_any(evaluator, known) for known in holders.alternatives))


def _type(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `type(object)` for an object of a class of the project; None for others."""
    value = evaluator.value(node.args[0], scope) if len(node.args) == 1 else BOTTOM
    is_known = not value.open and all(known.cls is not None for known in value.alternatives)
    return evaluator.members(value, "__class__", node, scope) if value.alternatives and is_known else None


def _signature(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `inspect.signature(function)` for a function of the project: `parameters` by name."""
    only = evaluator.value(node.args[0], scope).only if len(node.args) == 1 else None
    function = only.definition if only is not None else None
    if only is None or function is None or not (function.is_function or function.is_class):
        return None
    init = function.method("__init__") if function.is_class else function
    if init is None:
        return None
    own = Signature.of(init, init.is_method and (function.is_class or only.receiver is not None))
    names = [(name, Held(node, scope, TOP)) for name in dict.fromkeys((*own.slots, *own.words))]
    parameters = Held(node, scope, mappings.laid(evaluator, node, names, scope))
    return mappings.laid(evaluator, node, [("parameters", parameters)], scope)


def _hasattr(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `hasattr`; None where it is not known."""
    if len(node.args) != 2:
        return None
    holders, names = (evaluator.value(argument, scope) for argument in node.args)
    name = names.constant
    answers = (
        {members.has(evaluator, known, name) for known in holders.alternatives} if isinstance(name, str) else set()
    )
    is_deleted = True in answers and tables.is_deleted(evaluator, holders, name, node)
    if len(answers) == 1 and None not in answers and not holders.open and not is_deleted:
        return evaluator.known(Constant(answers.pop()), node, scope)
    answer = tables.membership(evaluator, holders, names, node, scope)
    is_any = answer is not None and any(bases.has_any(evaluator, known) for known in holders.alternatives)
    return answer if not is_any or answer.constant is True else None  # type: ignore[union-attr]


def _entered(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `stack.enter_context(manager)`."""
    return calls.managed(evaluator, node.args[0], scope) if len(node.args) == 1 else None


def _is_there(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return whether a config file exists: one of the project does for all users; None for other files."""
    told = Value((api.receiver,)) if api.receiver is not None else passed_on(evaluator, api, node, scope)
    path = told.constant if told is not None else NO_CONSTANT
    if told is None or not commandline.names_config(path):
        return None
    found = evaluator.program.config_document(str(path), scope.module)
    answer = evaluator.known(Constant(found is not None), node, scope)
    return answer._replace(overridable=found is None or told.overridable)


MODEL = Library(
    computed={
        **dict.fromkeys(("os.path.abspath", "os.path.realpath", "os.path.normpath"), os.path.normpath),
        "ast.literal_eval": ast.literal_eval,
        **dict.fromkeys(("pathlib.Path", "pathlib.PurePath"), PurePath),
        "os.fspath": os.fspath,
        "os.path.expanduser": computing.expanded,
        **{f"builtins.{each.__name__}": each for each in (bool, int, float, str, max, min)},
        **{f"builtins.str.{name}": method for name, method in computing.OF_TEXT.items()},
        **{f"os.path.{each.__name__}": each for each in _PATHS},
    },
    calls={
        **{f"builtins.{each.__name__}": _run(each) for each in _FUNCTIONS},
        **{f"math.{each.__name__}": _run(each) for each in _MATH},
        **{f"numpy.{name}": _run(_of_numbers(function)) for name, function in _NUMPY.items()},
        "builtins.pow": _run(computing.power),
        **dict.fromkeys(_PASSING, (passed_on,)),
        **dict.fromkeys(PREPARES, (_prepared,)),
        "typing.cast": (_cast,),
        **dict.fromkeys(("importlib.import_module", "builtins.__import__"), (_module,)),
        "builtins.getattr": (_getattr,),
        "builtins.hasattr": (_hasattr,),
        "inspect.signature": (_signature,),
        **dict.fromkeys((f"os.path.{name}" for name in ("exists", "isfile")), (_is_there,)),
        **dict.fromkeys((f"pathlib.Path.{name}" for name in ("exists", "is_file")), (_is_there,)),
        "builtins.type": (_type,),
        ".enter_context": (_entered,),
        "builtins.isinstance": (_isinstance,),
        **dict.fromkeys(("builtins.globals", "builtins.locals"), (_globals,)),
        "builtins.vars": (_globals, _of_class, passed_on),
        "builtins.eval": (_evaluated,),
        **dict.fromkeys(("builtins.input", "types.MethodType"), (unknown,)),
    },
    closed=("builtins.open",),
)
