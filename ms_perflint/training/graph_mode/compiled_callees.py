"""The calls in Python code of what is compiled for each kind of arguments."""

from __future__ import annotations

import ast
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import is_decorated
from ms_perflint.infer.bases import method
from ms_perflint.infer.values import Alternative
from ms_perflint.program.program import Program
from ms_perflint.training import jit, mode
from ms_perflint.training.bases import is_cell
from ms_perflint.training.optimizers import is_optimizer
from ms_perflint.training.training_steps import GRADS

_APART = ("jit_class", "ms_class")  # decorators of classes whose objects Python calls
_KEYWORDS = frozenset({"fn", "function", "hash_args", "jit_config", "jit_level", "backend", "mode", "compile_once"})
_AST = ("PSJit", "ast")  # what `jit` compiles by default: the syntax tree, not bytecode


class Compiled(NamedTuple):
    """The name of a compiled callee, and whether the elements of containers become inputs of their own."""

    name: str
    takes_apart: bool


def compiled_callee(program: Program, site: Site, would_be: bool = False) -> Optional[Compiled]:
    """Return the callee of a call if all that it can be is compiled; None for other calls.

    Where the program calls `set_inputs`, which tells the compiler what may vary, cells do not count. `would_be`: also
    what graph mode would compile, as an unknown callee of a training step.
    """
    callee = site.callee
    if callee is None:
        return None
    value = program.evaluator.callees(site)
    if would_be and (value.open or not value.alternatives):
        return Compiled(site.word, False)
    if value.open or not value.alternatives:
        return None
    if isinstance(callee, ast.Name) and _is_made_by_jit(program, callee, site.scope):
        return Compiled(site.word, False)
    in_graph = would_be or mode.is_graph_at(program, site)
    if not all(_is_compiled(program, known, in_graph) for known in value.alternatives):
        return None
    takes_apart = any(is_optimizer(program, known.type_api, known.cls) for known in value.alternatives)
    return Compiled(site.word or "value_and_grad", takes_apart or bool(program.naming("enable_tuple_broaden")))


def _is_compiled(program: Program, known: Alternative, in_graph: bool) -> bool:
    """Return whether a callee is compiled, in graph mode or by `jit`."""
    if known.definition is not None:
        return _is_jit_function(program, known.definition)
    construct = method(program.evaluator, known.cls, "construct") if known.cls is not None else None
    if construct is not None and _is_jit_function(program, construct):
        return True
    if not in_graph:
        return False
    made_by = known.origin
    if known.type_api in GRADS - {"mindspore.ops.GradOperation"}:
        return True
    if made_by is not None and not known.type_api:
        return made_by.type_api == "mindspore.ops.GradOperation"
    if known.cls is not None and is_decorated(known.cls.node, *_APART):
        return False
    calls = known.cls is not None and method(program.evaluator, known.cls, "__call__") is not None
    return is_cell(program, known) and not calls and not program.sites("set_inputs")


def _is_jit_function(program: Program, function: Scope) -> bool:
    """Return whether `jit` decorates a function and compiles it for each kind of arguments."""
    calls = (each for each in getattr(function.node, "decorator_list", ()) if isinstance(each, ast.Call))
    return jit.is_decorated(program, function) and all(_is_plain(program, call, function) for call in calls)


def _is_made_by_jit(program: Program, name: ast.Name, scope: Scope) -> bool:
    """Return whether the only value of a name is the result of `jit(function)`."""
    binding = scope.only(name)
    call = binding.whole if binding is not None else None
    made = binding.scope.module.site_at(call) if binding is not None and isinstance(call, ast.Call) else None
    is_jit = made is not None and any(api in jit.JITS for api in program.apis(made))
    return is_jit and made is not None and _is_plain(program, made.call, made.scope)


def _is_plain(program: Program, call: ast.Call, scope: Scope) -> bool:
    """Return whether a call of `jit` compiles for each kind of arguments: no `input_signature`, no bytecode."""
    for word in call.keywords:
        if word.arg not in _KEYWORDS and word.arg != "capture_mode":
            return False
        if word.arg in ("capture_mode", "mode"):
            known = program.value(word.value, scope)
            if not any(known.must_be(each) for each in _AST):
                return False
        if word.arg == "compile_once" and program.value(word.value, scope).truth is not False:
            return False
    return True
