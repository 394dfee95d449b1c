"""What a list holds where code reads it: `append`, `insert`, `pop` and the like before that, one after the other."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.execution_order import Place, happens_before, made_in, never_before, place
from ms_perflint.index.semantic_index import COMPREHENSIONS, Scope
from ms_perflint.index.signature import Held
from ms_perflint.infer import lists, sequences
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import LIST, Alternative, Display, Value

TAKES = {"pop": -1, "popleft": 0}  # methods that take an element, and which one without an argument


def item(evaluator: Evaluator, known: Alternative, key: object, node: ast.expr, scope: Scope) -> Optional[Value]:
    """Return the element of a list that an expression reads; None where the changes before it are not all known."""
    if not isinstance(key, int) or type(known.what) is not Display or known.what.kind != LIST:
        return None
    parts = _at(evaluator, known.what, node, scope)
    return evaluator.read(parts[key]) if parts is not None and -len(parts) <= key < len(parts) else None


def taken(evaluator: Evaluator, known: Alternative, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return what `list.pop()` and its kin take from a list; None where that is not known."""
    index = _index(evaluator, node, scope)
    return item(evaluator, known, index, node, scope) if index is not None else None


def _index(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[int]:
    """Return which element a call of `pop` or `popleft` takes; None where that is not known."""
    if not node.args:
        return TAKES[node.func.attr]  # type: ignore[attr-defined]
    constant = evaluator.value(node.args[0], scope).constant
    return constant if isinstance(constant, int) else None


def _at(evaluator: Evaluator, what: Display, node: ast.expr, scope: Scope) -> Optional[list[Held]]:
    holders = lists.bindings_of(what)
    if len(holders) != 1:
        return None
    read, is_own = made_in(holders[0].scope.owner, node, scope)
    if read is None:
        return None
    parts, loops = sequences.in_order(evaluator, what), holders[0].block.loops
    found: list[tuple[int, lists.Change]] = []
    for change in lists.changes(evaluator, what):
        at = place(change.node, change.block.scope)
        if is_own and (change.node is node or never_before(at, read)):
            continue
        if not _is_plainly_before(at, read) or change.block.loops != loops:
            return None
        found.append((at.rank, change))  # type: ignore[union-attr]
    for _, change in sorted(found, key=lambda each: each[0]):
        parts = _changed(evaluator, parts, change, what.scope) if parts is not None else None
    return parts


def _is_plainly_before(at: Optional[Place], read: Place) -> bool:
    """Return whether a change always runs before a read, and once for it."""
    return happens_before(at, read) and not isinstance(at.block.scope.node, COMPREHENSIONS)  # type: ignore[union-attr]


def _changed(evaluator: Evaluator, parts: list[Held], change: lists.Change, made_in: Scope) -> Optional[list[Held]]:
    """Return what a list holds after a change; None where that is not known."""
    scope = made_in if change.block.scope is getattr(made_in, "function", None) else change.block.scope
    word, added = change.word, [Held.of(change.added, scope)] if change.added is not None else []
    if word == "extend" and added:
        more = sequences.whole(evaluator, evaluator.read(added[0]))
        return [*parts, *more] if more is not None else None
    if word in ("append", "appendleft") and added:
        return [*parts, *added] if word == "append" else [*added, *parts]
    if word in ("reverse", "clear"):
        return parts[::-1] if word == "reverse" else []
    index, is_deleted = _position(evaluator, change, scope), isinstance(getattr(change.node, "ctx", None), ast.Del)
    if index is None or not -len(parts) <= index < len(parts) + (word == "insert"):
        return None
    if any(each.is_spread for each in added) and not is_deleted:  # something that is not known
        return None
    index = index + len(parts) if index < 0 else index
    return [*parts[:index], *([] if is_deleted else added), *parts[index + (word != "insert") :]]


def _position(evaluator: Evaluator, change: lists.Change, scope: Scope) -> Optional[int]:
    """Return which element a change is about: `insert(0, x)`, `pop()`, `name[1] = x`; None of other changes."""
    node, shown = change.node, None
    if isinstance(node, ast.Call):
        if change.word in TAKES:
            return _index(evaluator, node, scope)
        shown = node.args[0] if change.word == "insert" and len(node.args) == 2 else None
    elif isinstance(node, ast.Subscript):
        shown = node.slice
    constant = evaluator.value(shown, scope).constant if isinstance(shown, ast.expr) else None
    return constant if isinstance(constant, int) else None
