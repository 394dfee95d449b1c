"""Whether a store in an object has run when code reads the object: surely, or with the default options."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import product
from typing import Optional

from ms_perflint.index.execution_order import has_run, is_always_passed, is_rebound, is_replaced, place, rank, stored
from ms_perflint.index.reachability import conditions_between
from ms_perflint.index.semantic_index import FUNCTIONS, Binding, Scope, SemanticIndex
from ms_perflint.index.syntax_forms import spelling
from ms_perflint.infer import bases, narrowing
from ms_perflint.infer.alternatives import Display, Instance, Options
from ms_perflint.infer.bulk_updates import sets_by_name
from ms_perflint.infer.call_context import are_made_apart
from ms_perflint.infer.call_order import has_run_before, is_done_for, is_made_once, is_result_of
from ms_perflint.infer.evaluator import Evaluator, Reading
from ms_perflint.infer.tables import receiver_of
from ms_perflint.infer.values import Alternative, Value


def last_sure(evaluator: Evaluator, read: Reading, stores: Sequence[Binding]) -> Optional[Binding]:
    """Return the last of some stores that have surely run before a read; None without one."""
    last: Optional[Binding] = None
    for each in stores:
        if _is_sure(evaluator, each, read) and (last is None or _is_after(evaluator, each, last, read.scope)):
            last = each
    return last


def last_usual(evaluator: Evaluator, read: Reading, stores: Sequence[Binding]) -> Optional[Binding]:
    """Return the last of some stores that run before a read with the default options; None without one."""
    return max((each for each in stores if _is_run_by_default(evaluator, each, read)), key=rank, default=None)


def is_before(store: Binding, usual: Optional[Binding], read: Reading) -> bool:
    """Return whether a store stands before one of the function that reads, which runs with the default options."""
    return usual is not None and store.scope.owner is read.scope.owner and rank(store) < rank(usual)


def _is_run_by_default(evaluator: Evaluator, store: Binding, read: Reading) -> bool:
    """Return whether a store of the same function has run by default: under `if args.fast`, which is on."""
    node, scope = read.node, read.scope
    at = place(node, scope) if store.scope.owner is scope.owner and store.value is not None else None
    if at is None or rank(store) >= at.rank or is_rebound(store, node, scope):
        return False
    parts = [part for each in conditions_between(at.block, store.block) for part in each.parts]
    tests = ((evaluator.value(each.test, narrowing.read_in(each.scope, scope)), each.result) for each in parts)
    is_on = bool(parts) and all(value.default_truth is result for value, result in tests)
    return is_on and _is_same(evaluator, store, read.base, read.holder)


def _is_sure(evaluator: Evaluator, binding: Binding, read: Reading) -> bool:
    """Return whether a store has run, on every path, when code reads an object, and is in that object."""
    base, node, scope = read.base, read.node, read.scope
    if binding.value is None and binding.kind != "delete":
        return False
    if binding.scope.owner is scope.owner:
        is_run = has_run(binding, node, scope)
        return is_run and (_is_same(evaluator, binding, base, read.holder) or _is_in(evaluator, binding, base))
    if isinstance(binding.scope.owner.node, ast.Module):
        held = evaluator.value(receiver_of(binding), binding.scope)
        is_same = held.identities == base.identities and held.overridable <= base.overridable
        is_same = is_same and not any(are_made_apart(*each) for each in product(held.alternatives, base.alternatives))
        if not is_same and not all(
            _has_members_of(evaluator, base, known.definition, binding.name) for known in held.alternatives
        ):
            return False
        is_given = {_home(known) for known in base.alternatives} == {binding.scope.module}
        if is_given and is_done_for(evaluator, stored(binding), scope.owner):
            return True
    elif is_always_passed(stored(binding)) and _is_returned(evaluator, binding, read):
        return True
    elif not _is_in(evaluator, binding, base):
        return False
    return has_run_before(evaluator, stored(binding), place(node, scope), scope)


def _is_same(evaluator: Evaluator, binding: Binding, base: Value, holder: Optional[ast.expr]) -> bool:
    """Return whether a store and a read have the same expression, which still denotes the same object."""
    target = receiver_of(binding)
    if holder is not None and spelling(target) != spelling(holder):
        return False
    if holder is None or isinstance(holder, ast.Name):  # which is not bound again
        return True
    if any(isinstance(each, ast.Call) for each in ast.walk(holder)) and not all(
        is_made_once(evaluator, known) for known in base.alternatives
    ):
        return False  # each call makes another one
    return evaluator.value(target, binding.scope).identities == base.identities


def _is_in(evaluator: Evaluator, binding: Binding, base: Value) -> bool:
    """Return whether a store is in the one object that is read, and not in a copy."""
    held = evaluator.value(receiver_of(binding), binding.scope)
    if (only := held.only) is None or held.overridable > base.overridable:  # an option may choose another one
        return False
    if isinstance(only.what, Scope):  # what derives from a class has its attributes
        is_alone = not evaluator.program.derived(only.what) and not sets_by_name(evaluator)
        is_one = is_alone or isinstance(receiver_of(binding), ast.Name)
        return (
            is_one
            and _has_members_of(evaluator, base, only.what, binding.name)
            and not bases.stores_themselves(evaluator, base, binding.name)
        )
    one = only.identity, only.copied
    return all((each.identity, each.copied) == one for each in base.alternatives) and is_made_once(evaluator, only)


def _has_members_of(evaluator: Evaluator, base: Value, cls: Optional[Scope], name: str) -> bool:
    """Return whether some objects surely have what is stored in a class, or are the function in which it is stored."""
    owners = [known.cls or known.definition for known in base.alternatives]
    return cls is not None and all(each is None or each is cls or _takes(evaluator, each, cls, name) for each in owners)


def _takes(evaluator: Evaluator, below: Scope, cls: Scope, name: str) -> bool:
    """Return whether a class has a member of a class above it, which no class between them has, too."""
    above = [*bases.ancestors(evaluator, below)] if below.is_class else []
    return cls in above and not any(name in each.bindings for each in above[: above.index(cls)])


def _is_returned(evaluator: Evaluator, binding: Binding, read: Reading) -> bool:
    """Return whether the function of a store returns the object that is read; no code reads it before."""
    target, owner = receiver_of(binding), binding.scope.owner
    if not isinstance(owner.node, FUNCTIONS) or not isinstance(target, ast.Name):
        return False
    if not is_result_of(evaluator, read.holder, read.scope, owner) and not all(
        known.made_by is owner or is_made_once(evaluator, known) for known in read.base.alternatives
    ):
        return False
    is_own = any(b.kind != "parameter" for b in owner.bindings.get(target.id, ()))
    returned = (value.elts if isinstance(value, ast.Tuple) else [value] for value, _ in owner.returns)
    return is_own and any(isinstance(each, ast.Name) and each.id == target.id for parts in returned for each in parts)


def _is_after(evaluator: Evaluator, binding: Binding, other: Binding, scope: Scope) -> bool:
    """Return whether one of two stores that always run comes after the other; those of the reader are last."""
    if binding.scope.owner is other.scope.owner:
        return rank(binding) > rank(other)
    return binding.scope.owner is scope.owner or has_run_before(
        evaluator, stored(other), stored(binding), binding.scope
    )


def is_undone(evaluator: Evaluator, binding: Binding, last: Binding, read: Reading) -> bool:
    """Return whether another store, which always runs, replaces the value of this one."""
    here = place(read.node, read.scope)
    if binding.scope.owner is last.scope.owner:
        return is_replaced(stored(binding), stored(last), here)
    if not isinstance(binding.scope.owner.node, ast.Module):
        return False
    own = last.scope.owner
    if own.is_function and not own.imports and here is not None and here.owner is own:
        return True  # no module runs meanwhile
    return has_run_before(evaluator, stored(binding), stored(last), own)  # a module runs once


def _home(known: Alternative) -> Optional[SemanticIndex]:
    """Return the module that creates an object with settings."""
    what = known.what.parser.what if isinstance(known.what, Options) else known.what
    return what.scope.module if isinstance(what, (Instance, Display)) else None
