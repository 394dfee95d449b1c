"""Whether a number is a product with a factor of some kind, through names, attributes, functions and arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.signature import Part
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.parameters import argument
from ms_perflint.program.program import Program
from ms_perflint.training.followed import attribute_values

DEPTH = 8  # names, attributes and calls on the way to a factor


def has_factor(
    program: Program, part: Part, is_one: Callable[[Part], bool], alone: bool = False, depth: int = DEPTH
) -> bool:
    """Return whether all values of an expression are products with such a factor; `alone`: or that factor itself."""
    node, scope = part.node, part.scope
    if alone and is_one(part):
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return any(has_factor(program, Part(side, scope), is_one, True, depth) for side in (node.left, node.right))
    if isinstance(node, ast.Call) and word_of(node.func) == "int" and len(node.args) == 1:
        return has_factor(program, Part(node.args[0], scope), is_one, alone, depth)
    given = _given(program, node, scope) if depth else []
    return bool(given) and all(has_factor(program, each, is_one, alone, depth - 1) for each in given)


def is_dataset_size(program: Program, part: Part) -> bool:
    """Return whether an expression is the number of batches of a dataset: what `get_dataset_size()` gives."""
    if isinstance(part.node, ast.Call) and word_of(part.node.func) == "get_dataset_size":
        return True
    value = program.value(*part)
    return not value.overridable and value.are_only(lambda known: known.type_api.endswith(".get_dataset_size"))


def _given(program: Program, node: ast.expr, scope: Scope) -> list[Part]:
    """Return the expressions from which the value of an expression comes; none if there may be others."""
    if isinstance(node, ast.Call):
        return _returned(program, node, scope)
    if isinstance(node, ast.Name):
        home = scope.home(node.id)
        found = [_bound(program, each) for each in home.bindings[node.id]] if home is not None else []
        return [part for parts in found for part in parts] if all(found) else []
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        stores = scope.module.stores.get((node.value.id, node.attr), ())
        own = [Part(each.value, each.scope) for each in stores if each.value is not None]
        return [Part(each.node, each.scope) for each in attribute_values(program, node, scope)] or own
    return []


def _bound(program: Program, binding: Binding) -> list[Part]:
    """Return the expressions that a binding can give its name; none where that is not known."""
    if binding.kind == "parameter":
        passed = [argument(program.evaluator, binding, site).part for site in program.callers(binding.scope)]
        known = [part for part in passed if part is not None]
        return known if len(known) == len(passed) else []
    value = binding.value if binding.kind == "assign" else None
    if value is None:
        return []
    found = _returned(program, value, binding.scope) if binding.path else [Part(value, binding.scope)]
    for index in binding.path:
        shown = [(part.node.elts, part.scope) for part in found if isinstance(part.node, ast.Tuple)]
        elements = [Part(elts[index], scope) for elts, scope in shown if index < len(elts)]
        found = elements if len(elements) == len(found) else []
    return found


def _returned(program: Program, node: ast.expr, scope: Scope) -> list[Part]:
    """Return the results of the functions of the project that a call enters; none if it may enter another one."""
    found: list[Part] = []
    for known in program.value(node.func, scope).alternatives if isinstance(node, ast.Call) else ():
        function = known.definition
        if function is None or not function.is_function or known.receiver is not None:
            return []
        found.extend(Part(value, function) for value, _ in function.returns)
    return found
