"""How code comes to handlers and to the `else` of loops: not to a handler where the body raises no error.

`try: mode = TABLE[args.mode] except KeyError: mode = 0`.
"""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.reachability import BY_DEFAULT, IMPOSSIBLE, OPTIONAL
from ms_perflint.index.semantic_index import Block, Scope
from ms_perflint.infer import attribute_writes, members, narrowing, search_loops
from ms_perflint.infer.alternatives import DICT, Display, Member
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.sequences import whole
from ms_perflint.infer.values import Alternative, Value

# What gives a constant of constants, or raises an error: the evaluator computes it
COMPUTED = frozenset(
    f"builtins.{name}" for name in ("int", "float", "str", "bool", "len", "list.index", "abs", "round")
)
TESTS = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)


def of_arms(evaluator: Evaluator, block: Block, scope: Optional[Scope]) -> int:
    """Return how the handlers around a block, and the `else` of loops, let come to it."""
    found = BY_DEFAULT
    for arm in block.chain():
        outer = narrowing.read_in(arm.scope.owner, scope)
        if arm.arm == "orelse" and isinstance(arm.owner, ast.For):
            found = min(found, search_loops.at_end(evaluator, arm.owner, outer))
        elif arm.arm.startswith("handler") and isinstance(arm.owner, ast.Try):
            found = min(found, _reached(evaluator, arm.owner, outer))
    return found


def _reached(evaluator: Evaluator, stmt: ast.Try, scope: Scope) -> int:
    """Return how the handlers of a `try` are reached: IMPOSSIBLE where its body certainly raises no error.

    OPTIONAL where only a value that an option gives makes it raise one.
    """
    found = IMPOSSIBLE
    for each in stmt.body:
        if isinstance(each, (ast.Assign, ast.AnnAssign)):
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            if each.value is None or not all(isinstance(target, ast.Name) for target in targets):
                return BY_DEFAULT
        elif not isinstance(each, (ast.Return, ast.Break, ast.Continue, ast.Pass)):
            return BY_DEFAULT
        value = getattr(each, "value", None)
        found = max(found, _raises(evaluator, value, scope) if value is not None else IMPOSSIBLE)
        if found == BY_DEFAULT:
            return found
    return found


def _raises(evaluator: Evaluator, node: ast.expr, scope: Scope) -> int:
    """Return how the evaluation of an expression comes to an error, as far as it shows."""
    if isinstance(node, ast.Constant):
        return IMPOSSIBLE
    if isinstance(node, ast.Name):
        home = scope.home(node.id)
        return IMPOSSIBLE if home is not None and home.reaching(node, scope) else BY_DEFAULT
    parts = _parts(node)
    found = max((_raises(evaluator, each, scope) for each in parts), default=BY_DEFAULT)
    if found == BY_DEFAULT or isinstance(node, (ast.Compare, ast.IfExp, ast.BoolOp, ast.Tuple, ast.List, ast.Dict)):
        return found
    if isinstance(node, ast.Subscript):
        return max(found, _of_item(evaluator, node, scope))
    own = _of_member if isinstance(node, ast.Attribute) else _of_call
    return max(found, own(evaluator, node, scope))  # type: ignore[arg-type]


def _parts(node: ast.expr) -> list[ast.expr]:
    """Return the expressions that an expression evaluates first; none of those that are not looked at."""
    if isinstance(node, ast.Subscript):
        return [node.value, node.slice]
    if isinstance(node, ast.Attribute):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [node.test, node.body, node.orelse]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, (ast.Tuple, ast.List)):
        return node.elts
    if isinstance(node, ast.Dict):
        return [*filter(None, node.keys), *node.values] if None not in node.keys else []
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators] if all(isinstance(each, TESTS) for each in node.ops) else []
    if isinstance(node, ast.Call) and not node.keywords:
        return [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    return []


def _of_member(evaluator: Evaluator, node: ast.Attribute, scope: Scope) -> int:
    """Return how `base.name` raises an error."""
    base = evaluator.value(node.value, scope)
    if evaluator.is_pending(base):
        return IMPOSSIBLE
    if not base.are_only(lambda known: _has(evaluator, known, node.attr)):
        return BY_DEFAULT
    return OPTIONAL if base.overridable else IMPOSSIBLE


def _of_call(evaluator: Evaluator, node: ast.expr, scope: Scope) -> int:
    """Return how the call of a function that is computed raises an error: an unknown result may be one."""
    value = evaluator.value(node, scope)
    if evaluator.is_pending(value):
        return IMPOSSIBLE
    if value.open or not value.are_constants or not _is_computed(evaluator, node, scope):
        return BY_DEFAULT
    return OPTIONAL if value.overridable else IMPOSSIBLE


def _has(evaluator: Evaluator, known: Alternative, name: str) -> bool:
    """Return whether a member is certainly there: an option, what a class of the project has, `member.value`."""
    is_member = isinstance(known.what, Member) and name in ("name", "value")
    is_option = known.is_options and evaluator.holds(known, name) is True
    return is_member or is_option or members.has(evaluator, known, name) is True


def _of_item(evaluator: Evaluator, node: ast.Subscript, scope: Scope) -> int:
    """Return how `base[key]` raises an error."""
    base, keys = evaluator.value(node.value, scope), evaluator.value(node.slice, scope)
    if evaluator.is_pending(base) or evaluator.is_pending(keys):
        return IMPOSSIBLE
    if base.open or base.overridable or keys.open or not base.alternatives or not keys.are_constants:
        return BY_DEFAULT
    missing = [key for key in keys.alternatives for known in base.alternatives if not _holds(evaluator, known, key)]
    if any(key.by_default for key in missing):
        return BY_DEFAULT
    return OPTIONAL if missing or keys.overridable else IMPOSSIBLE


def _holds(evaluator: Evaluator, known: Alternative, key: Alternative) -> bool:
    """Return whether a dict, list or class of constants that code shows certainly has an item."""
    what = known.what
    if isinstance(what, Display) and what.kind == DICT:
        return attribute_writes.has(evaluator, known, key.constant) is True
    if isinstance(what, Display):
        parts = whole(evaluator, Value((known,))) or ()
        return isinstance(key.constant, int) and -len(parts) <= key.constant < len(parts)
    found = evaluator.item(known, key.constant) if known.definition is not None else None
    return found is not None and found.are_only(lambda each: each.is_member)


def _is_computed(evaluator: Evaluator, node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is the call of a function that is computed, or of a method of a text."""
    if not isinstance(node, ast.Call):
        return False
    if evaluator.value(node.func, scope).are_only(lambda known: known.api in COMPUTED):
        return True
    base = evaluator.value(node.func.value, scope) if isinstance(node.func, ast.Attribute) else None
    return base is not None and base.are_only(lambda known: isinstance(known.constant, str))
