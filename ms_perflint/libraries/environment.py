"""Library model of what surrounds a program: `os.environ`, `sys.argv`, `sys.modules`."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Layer, Signature
from ms_perflint.infer import attribute_writes, commandline, importing, tables
from ms_perflint.infer.alternatives import Api
from ms_perflint.infer.evaluator import Evaluator, Library, Reading
from ms_perflint.infer.values import TOP, Alternative, Value, join

OWN_NAMES = ("__main__", "module")  # what `__name__` is taken for
VARIABLE = Signature.named("key", "default")  # of `os.getenv`


def _environment(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return a variable of the environment: what code sets, the value that all launchers export, else the default."""
    given = VARIABLE.bind(Layer(node, scope))
    default = evaluator.passed(given.of("default"), TOP)
    names = evaluator.passed(given.of("key"), TOP).constants
    if len(names) != 1 or not isinstance(names[0], str):
        return commandline.variable(None, default)
    value = commandline.variable(evaluator.program.exported(names[0]), default)
    holder = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "get" else None
    base = evaluator.known(Api(tables.ENVIRONMENT), node, scope)
    return join(attribute_writes.overlaid(evaluator, [value], Reading(base, names[0], node, scope, holder, default)))


def _variable(evaluator: Evaluator, holder: Alternative, key: object) -> Value:
    """Return `os.environ[key]`."""
    return commandline.variable(evaluator.program.exported(key), TOP) if holder.api and isinstance(key, str) else TOP


def _word(evaluator: Evaluator, holder: Alternative, key: object) -> Value:
    """Return `sys.argv[key]`."""
    return commandline.of_index(evaluator.program, key) if holder.api and isinstance(key, int) else TOP


def _loaded_module(evaluator: Evaluator, holder: Alternative, key: object) -> Value:
    """Return `sys.modules[name]`: the module of the expression for `__name__`, or another one of the program."""
    if isinstance(holder.where, Place) or not isinstance(key, str):
        return TOP
    own, node = holder.where
    if key in OWN_NAMES:
        return Value((holder._replace(what=own),))
    return importing.of_program(evaluator, importing.named(evaluator, own, key, 0, node, own.scope))


MODEL = Library(
    calls=dict.fromkeys(("os.getenv", "os.environ.get"), (_environment,)),
    items={"os.environ": _variable, "sys.argv": _word, "sys.modules": _loaded_module},
)
