"""The functions whose operators run in every training step, on tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ms_perflint.core.graphs import reachable
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.program.program import Program, fact
from ms_perflint.training import jit
from ms_perflint.training.bases import is_cell_class

_GRAPH = "mindspore.ops.MultitypeFuncGraph"


def in_cell(program: Program, scope: Scope) -> bool:
    """Return whether a scope belongs to a method of a cell, whose parameters are tensors."""
    function = scope.owner
    while function.parent is not None and function.parent.owner.is_function:
        function = function.parent.owner
    is_method = function.is_function and function.name != "__init__"
    return is_method and is_cell_class(program, function.cls)


@fact
def compiled_scopes(program: Program, module: SemanticIndex) -> set[Scope]:
    """Return the functions of a file that run in every step: `construct`, compiled ones, and those they call."""
    functions = (each for each in module.scopes if each.is_function)
    compiled = (
        each
        for each in functions
        if _is_compiled(program, each) or (each.name == "construct" and in_cell(program, each))
    )

    def called(caller: Scope) -> Iterator[Scope]:
        callees = (each for site in caller.calls for each in program.callees(site))
        return (each for each in callees if each.module is module and each.name != "__init__")

    return set(reachable(compiled, called))


def _is_compiled(program: Program, scope: Scope) -> bool:
    """Return whether a decorator compiles a function: `@jit`, `@graph.register("Tensor")` of what `HyperMap` runs."""
    decorators = getattr(scope.node, "decorator_list", ())
    callees = (each.func if isinstance(each, ast.Call) else each for each in decorators)
    graphs = (each.value for each in callees if isinstance(each, ast.Attribute) and each.attr == "register")
    made = (known for each in graphs for known in program.value(each, scope.parent or scope).alternatives)
    return jit.is_decorated(program, scope) or any(known.type_api == _GRAPH for known in made)
