"""The cells that a cell holds in a row, or under names that code computes, and the calls of them."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import is_own, name_of, word_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.program.program import Program
from ms_perflint.training.bases import is_cell, kin

_ROW = "mindspore.nn.SequentialCell"
_INSERTS = "insert_child_to_cell"


def rows_of(function: Scope, callee: ast.expr) -> list[ast.expr]:
    """Return the expressions of which a callee is an item: `blocks` in `for block in blocks: x = block(x)`."""
    rows: list[ast.expr] = [callee.value] if isinstance(callee, ast.Subscript) else []
    if isinstance(callee, ast.Name) and function.home(callee.id) is function:
        bound = function.flow.at(callee)
        rows += [each.stmt.iter for each in bound if isinstance(each.stmt, ast.For)]
        rows += [each.value.value for each in bound if isinstance(each.value, ast.Subscript)]
    return rows


def are_children(program: Program, function: Scope, node: ast.expr) -> bool:
    """Return whether an expression is the cells of a SequentialCell, or those that the cell has by their names.

    Run: `for cell in self.blocks.cell_list`, `self._cells.values()`; of a class that derives from SequentialCell
    also `for cell in self`, `self[0](x)`; from CellList or CellDict that does not compile.
    """
    while isinstance(node, (ast.Subscript, ast.Call)):
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node.func, ast.Attribute) and node.func.attr in ("items", "values"):
            node = node.func.value
        elif word_of(node.func) in ("enumerate", "zip") and node.args:
            node = node.args[0]
        else:
            return False
    if isinstance(node, ast.Attribute) and node.attr == "_cells":
        return name_of(node.value) == "self"
    row = node.value if isinstance(node, ast.Attribute) and node.attr == "cell_list" else node
    if row is node and name_of(node) != "self":
        return False
    known = program.value(row, function).alternatives
    return any(_ROW in kin(program, each.type_api, each.cls) for each in known)


def is_got(function: Scope, callee: ast.expr) -> bool:
    """Return whether the callee is a cell by its name, `getattr(self, f"layer{i}")(x)`: its classes compile."""
    if isinstance(callee, ast.Name) and function.home(callee.id) is function:
        values = [each.value for each in function.flow.at(callee)]
        return bool(values) and all(map(_takes_by_name, values))
    return _takes_by_name(callee)


def _takes_by_name(node: Optional[ast.expr]) -> bool:
    """Return whether an expression takes an attribute of the cell by its name."""
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr"
    holder = node.args[0] if is_call and len(node.args) == 2 else None  # type: ignore[union-attr]
    while isinstance(holder, ast.Attribute):
        holder = holder.value
    return holder is not None and name_of(holder) == "self"


def is_inserted(program: Program, function: Scope, callee: ast.expr) -> bool:
    """Return whether the callee is an attribute of a class that gives itself cells under names that code computes.

    Run: `self.insert_child_to_cell(name, cell)`, `setattr(self, f"layer{i}", cell)`.
    """
    cls = function.cls if is_own(callee) or _takes_by_name(callee) else None
    classes = ancestors(program.evaluator, cls) if cls is not None else ()
    calls = (site for each in classes for method in each.defines for site in method.calls)
    return any(site.word == _INSERTS or (site.word == "setattr" and _sets_cell(program, site)) for site in calls)


def _sets_cell(program: Program, site: Site) -> bool:
    """Return whether `setattr(self, name, value)` gives a cell."""
    known = program.value(site.call.args[-1], site.scope).alternatives if site.call.args else ()
    return bool(known) and all(is_cell(program, each) for each in known)
