"""Layers that a script only calls to look at their results: no optimizer, step, function or other network gets them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import FUNCTIONS, SemanticIndex
from ms_perflint.index.syntax_forms import descendants, word_of
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program

ROW = "SequentialCell"
_INNER = (*FUNCTIONS, ast.ClassDef, ast.Lambda)
_SHOWS = ("print", "len", "type")  # functions that keep nothing of what they get
_HOPS = 8  # rows and names inside one another


def is_only_called(program: Program, call: Call) -> bool:
    """Return whether a layer of the entry script is only called at its top level, also as a part of a row."""
    is_own = call.scope is call.module.scope and call.module.path == program.entry
    return is_own and _is_only_called(call.module, call.node, _HOPS)


def _is_only_called(module: SemanticIndex, node: ast.expr, hops: int) -> bool:
    """Return whether what an expression of the top level makes, or a name stands for, is only called there."""
    around = _around(module)
    holder = around[id(node)]
    while isinstance(holder, (ast.List, ast.Tuple, ast.Starred)):
        node, holder = holder, around[id(holder)]
    if isinstance(holder, ast.Call):
        word = word_of(holder.func)
        is_shown = holder.func is node or word in _SHOWS
        return is_shown or (word == ROW and hops > 0 and _is_only_called(module, holder, hops - 1))
    if not isinstance(holder, ast.Assign):
        return isinstance(holder, (ast.Expr, ast.FormattedValue))
    target = holder.targets[0]
    if not isinstance(target, ast.Name) or len(holder.targets) > 1 or holder.value is not node or not hops:
        return False
    return all(_is_at_top(around, read) and _is_only_called(module, read, hops - 1) for read in _reads(module, target))


def _reads(module: SemanticIndex, target: ast.Name) -> Iterator[ast.Name]:
    """Yield the reads of a name that get what an assignment binds to it."""
    flow = module.scope.flow
    for read in flow.reads(target.id):
        if any(binding.node is target for binding in flow.at(read)):
            yield read


def _is_at_top(around: Mapping[int, ast.AST], node: ast.AST) -> bool:
    """Return whether a node stands in no function or class."""
    outer = around.get(id(node))
    return outer is None or (not isinstance(outer, _INNER) and _is_at_top(around, outer))


@fact
def _around(module: SemanticIndex) -> Mapping[int, ast.AST]:
    """Return the node around each node of a file, by the identity of the inner one."""
    return {id(inner): node for node in descendants(module.tree) for inner in ast.iter_child_nodes(node)}
