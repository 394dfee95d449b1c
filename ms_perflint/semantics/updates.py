"""What code lays over an object as a whole: `vars(args).update(settings)`, `setattr(args, key, value)` in a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Optional

from ms_perflint.semantics import config_files, configs
from ms_perflint.semantics.module import Block, Scope, Site
from ms_perflint.semantics.sources import sources
from ms_perflint.semantics.values import OPEN, Value, identity, union
from ms_perflint.semantics.ways import IMPOSSIBLE, OPTIONAL

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program
    from ms_perflint.semantics.evaluate import Evaluator

SETATTR, UPDATE, MERGE = "setattr", "update", "merge_from_file"
SITES = 40  # updates of one program that are looked at


def laid_over(
    evaluator: Evaluator, values: Sequence[Value], base: Value, node: ast.expr, name: str, scope: Scope
) -> list[Value]:
    """Return what a setting of an object can be, where `values` is what it was when the object was made.

    `node` is the expression that reads it from an object that `base` is. A file that a user names may say anything,
    also where a user may do without it: programs come with files to choose from.
    """
    found = list(values)
    holders = {identity(known.what) for known in base.known}
    for site, receiver in evaluator.program.updates:
        if site.scope.owner is scope.owner and node.lineno < _starts(site):
            continue
        if not any(identity(known.what) in holders for known in evaluator.value(receiver, site.scope).known):
            continue
        given, way = _given(evaluator, site, name), evaluator.way(site.block)
        if given is None or way == IMPOSSIBLE:
            continue
        if way == OPTIONAL and given.known:
            found.extend([given.rarely(), Value((), False, True)])
        elif given.known and not given.open and not any(isinstance(b.owner, ast.If) for b in _around(site)):
            found = [given]
        else:
            found.append(given)
    return found


def candidates(program: Program) -> tuple[tuple[Site, ast.expr], ...]:
    """Return the sites that, by their form, update an object as a whole, each with the expression of that object."""
    found: list[tuple[Site, ast.expr]] = []
    for word in (SETATTR, UPDATE, MERGE):
        for site in program.sites(word):
            receiver = _receiver(site)
            if receiver is not None and len(found) < SITES:
                found.append((site, receiver))
    return tuple(found)


def _receiver(site: Site) -> Optional[ast.expr]:
    """Return the object that a site updates; None for other calls, and for an object that updates itself."""
    node = site.node
    if not isinstance(node, ast.Call) or len(node.args) > 3:
        return None
    if isinstance(node.func, ast.Name):
        is_setattr = node.func.id == SETATTR and len(node.args) == 3 and not isinstance(node.args[1], ast.Constant)
        receiver: ast.expr = node.args[0] if is_setattr else node.func
    elif isinstance(node.func, ast.Attribute) and len(node.args) <= 1:
        receiver = node.func.value
    else:
        return None
    root = receiver.value if isinstance(receiver, ast.Attribute) and receiver.attr == "__dict__" else receiver
    is_own = isinstance(root, ast.Name) and root.id == "self"
    return (
        None if receiver is node.func or is_own or any(isinstance(a, ast.Constant) for a in node.args[:1]) else receiver
    )


def _starts(site: Site) -> int:
    """Return the row in which an update, or the outermost loop around it, starts."""
    loops = [block.owner for block in _around(site) if isinstance(block.owner, (ast.For, ast.AsyncFor, ast.While))]
    return loops[-1].lineno if loops else site.node.lineno


def _around(site: Site) -> Iterator[Block]:
    return (block for block in site.block.chain() if block.owner is not None)


# --- what is laid over it


def _given(evaluator: Evaluator, site: Site, name: str) -> Optional[Value]:
    """Return what an update gives a setting; None where it leaves it alone."""
    node = site.node
    assert isinstance(node, ast.Call)
    if site.word == SETATTR or isinstance(node.func, ast.Name):
        found = sources(evaluator, node.args[2], site.scope)
        return _of_holders(evaluator, Value(found, not found), name)
    if site.word == MERGE:
        return _of_holders(evaluator, config_files.at(evaluator, node.args[0], site.scope), name) if node.args else OPEN
    for keyword in node.keywords:
        if keyword.arg == name:
            return evaluator.value(keyword.value, site.scope)
    spread = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg is None)]
    parts = [_of_holders(evaluator, evaluator.value(each, site.scope), name) for each in spread]
    given = [part for part in parts if part is not None]
    return union(given) if given else None


def _of_holders(evaluator: Evaluator, holders: Value, name: str) -> Optional[Value]:
    """Return the setting of what is laid over an object; None where it does not have it."""
    values = []
    for known in holders.known:
        answer = configs.holds(evaluator, known, name)
        if answer is not False:
            values.append(evaluator.item(known, name) if answer else OPEN)
    if holders.open or not holders.known:
        values.append(OPEN)
    return union(values) if values else None
