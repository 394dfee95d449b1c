"""Separation of AutoTune and a profiler of the data pipeline: by a flag, or by removing one of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Optional

from ms_perflint.core.findings import Edit, Related, Remedy, Safety
from ms_perflint.edits.arguments import remove_argument, set_argument
from ms_perflint.edits.settings import set_value
from ms_perflint.edits.statements import delete_statement
from ms_perflint.index.syntax_forms import descendants
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training.conditions import PathCondition
from ms_perflint.training.profiling import Profiling, is_read, made_by, switch

OFF = Message("turn AutoTune off while a profiler is on, or remove a profiler that is no longer needed")
REMOVED = Message("remove the profiler, or turn AutoTune off with `set_enable_autotune(False)` for runs that profile")
# Why a fix is display-only
LEFT_OFF = Message("AutoTune stays off once profiling is over")
UNSEEN = Message("nothing here reads the profile, but you may want to look at it")


def without_conflict(call: Call, found: Sequence[tuple[Profiling, PathCondition]], line_length: int) -> Remedy:
    """Return the remedy that separates a call of `set_enable_autotune` from the profilers that are on beside it."""
    given, (first, own) = call.given("enable"), found[0]
    related = tuple(Related(each.place, Message("the data pipeline is profiled from here")) for each, _ in found)
    flag = switch(call, first, own) if len(found) == 1 else None
    if flag is not None and isinstance(given, ast.Constant):
        edits = set_argument(call, "enable", f"not {flag.text}", line_length=line_length)
        advice = Message("turn AutoTune off when `{flag}` is set", flag=flag.text)
        reason = Message("runs with `{flag}` are no longer tuned", flag=flag.text)
        return Remedy(edits, advice, Safety.UNSAFE, reason, related)
    profiler = made_by(call.program, first) if len(found) == 1 else None
    removed = _remove(profiler) if profiler is not None and not is_read(profiler) else None
    if removed is not None:
        return Remedy(removed, REMOVED, Safety.DISPLAY, UNSEEN, related)
    changed, places = set_value(call, "enable", "False", yaml="false", line_length=line_length)
    if changed is not None and isinstance(given, ast.Constant):
        changed = (*changed, *(remove_argument(call, "filepath_prefix") or ()))
    return Remedy(changed, OFF, Safety.DISPLAY, LEFT_OFF, (*related, *places))


def _remove(call: Call) -> Optional[tuple[Edit, ...]]:
    """Return the edits that delete a profiler and all its uses.

    None where it has more than one name, where that is bound more than once or read elsewhere, or where a result of its
    methods is used.
    """
    stmt = call.stmt
    statements = [stmt]
    if isinstance(stmt, ast.Assign) and stmt.value is call.node:
        target = stmt.targets[0]
        home = call.scope.home(target.id) if isinstance(target, ast.Name) else None
        if home is None or len(stmt.targets) != 1 or len(home.bindings[target.id]) != 1:  # type: ignore[attr-defined]
            return None
        name = target.id  # type: ignore[attr-defined]
        reads = [each for each in descendants(call.module.tree) if isinstance(each, ast.Name) and each.id == name]
        uses = [site for site in call.module.sites if _is_method_of(site.node, name)]
        is_plain = all(isinstance(site.stmt, ast.Expr) and site.stmt.value is site.node for site in uses)
        if not is_plain or len(reads) != len(uses) + 1 or any(site.scope.home(name) is not home for site in uses):
            return None
        statements += [site.stmt for site in uses]
    elif not isinstance(stmt, ast.Expr) or stmt.value is not call.node:
        return None
    found: list[Edit] = []
    for each in statements:
        deleted = delete_statement(call.module, each) if isinstance(each, ast.stmt) else None
        if deleted is None:
            return None
        found += deleted
    return tuple(found)


def _is_method_of(node: ast.AST, name: str) -> bool:
    """Return whether an expression calls a method of the object with a name."""
    callee = node.func if isinstance(node, ast.Call) else None
    return isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name) and callee.value.id == name
