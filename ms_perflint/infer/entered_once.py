"""Functions that only one call enters, in no loop, and the code that therefore runs once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ms_perflint.index.execution_order import place
from ms_perflint.index.semantic_index import COMPREHENSIONS, Scope, Site
from ms_perflint.infer.evaluator import Evaluator


def entered_once(function: Scope, callers: Callable[[Scope], Sequence[Site]]) -> list[Scope]:
    """Return a function, its caller, the caller of that one, ..., as far as one call, in no loop, enters each."""
    found = [function]
    while found[-1].is_function:
        sites = callers(found[-1])
        if len(sites) != 1 or not runs_once_in_call(sites[0].node, sites[0].scope) or sites[0].scope.owner in found:
            break
        found.append(sites[0].scope.owner)
    return found


def runs_once(evaluator: Evaluator, node: ast.AST, scope: Scope) -> bool:
    """Return whether code runs at most once in a run: in no loop, and in no function that runs twice."""
    return runs_once_in_call(node, scope) and not entered_once(scope.owner, evaluator.program.callers)[-1].is_function


def runs_once_in_call(node: ast.AST, scope: Scope) -> bool:
    """Return whether code runs at most once in each call of the function around it."""
    here = place(node, scope)
    return here is not None and not here.block.loops and not isinstance(scope.node, (*COMPREHENSIONS, ast.Lambda))
