"""Which of two places of one function, class or module runs first."""

from __future__ import annotations

import ast
from collections import Counter
from typing import NamedTuple, Optional, Union

from ms_perflint.core.facts import fact
from ms_perflint.index.reachability import excludes, is_of_script
from ms_perflint.index.scopes import COMPREHENSIONS, DEAD, OWNERS, Binding, Block, ImportStatement, Scope, Site
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.index.syntax_forms import TRY, Later, children, leaves, name_of, suppresses

PLAIN = (ast.Assign, ast.AugAssign, ast.Expr, ast.If)
LATER = (ast.Lambda, ast.GeneratorExp)  # what stands inside is evaluated at any time from there on

Step = Union[ImportStatement, Site, Binding]


class Place(NamedTuple):
    """A position in the execution order: the index of a step of the file, and its block."""

    rank: int  # its position among the steps of the file
    step: ast.AST
    block: Block

    @property
    def owner(self) -> Scope:
        """Return the function, class or module whose code it is part of."""
        return self.block.scope.owner


def place(node: ast.AST, scope: Scope) -> Optional[Place]:
    """Return the step that evaluates a node of a scope; None for a node that stands in no source, or runs later."""
    rank = scope.module.rank(node) if type(node) is not Later else None
    if rank is None:
        return None
    step, block = scope.module.steps[rank]
    return Place(rank, step, block if isinstance(scope.node, OWNERS) else scope.block)


def made_in(owner: Scope, node: ast.AST, scope: Scope) -> tuple[Optional[Place], bool]:
    """Return the step of a function, class or module that evaluates a node, and True where its own code does.

    With False, the step defines the function or class that holds the node; None where that is defined elsewhere.
    """
    is_own = scope.owner is owner
    while scope.owner is not owner:
        if scope.owner.parent is None:
            return None, False
        node, scope = scope.owner.node, scope.owner.parent
    return place(node, scope), is_own


def stored(binding: Binding) -> Optional[Place]:
    """Return the step of a store in an object."""
    return place(binding.node if hasattr(binding.node, "lineno") else binding.stmt, binding.scope)


def evaluated(stmt: ast.AST) -> list[ast.AST]:
    """Return the expressions of a statement in evaluation order, without inner statements: of `f(g())` first `g()`."""
    found: list[ast.AST] = []
    todo: list[tuple[ast.AST, bool]] = [(stmt, False)]
    while todo:
        node, is_done = todo.pop()
        if is_done:
            found.append(node)
            continue
        parts = [part for part in children(node) if not isinstance(part, ast.stmt)]
        if isinstance(node, COMPREHENSIONS):
            parts.sort(key=lambda part: not isinstance(part, ast.comprehension))
        todo.append((node, True))
        todo.extend((part, False) for part in reversed(parts))
    return found


def steps_of(scope: Scope) -> list[tuple[Step, bool]]:
    """Return the imports, calls and stores of a function, class or module, in execution order.

    With each, whether it runs only where its file is the script.
    """
    return _steps_of(scope.module, scope)


@fact
def _steps_of(module: SemanticIndex, scope: Scope) -> list[tuple[Step, bool]]:
    several = {stmt for stmt, number in Counter(site.stmt for site in scope.calls).items() if number > 1}
    order = {id(node): at for stmt in several for at, node in enumerate(evaluated(stmt), 1)}
    rank = module.rank
    stores = (each for stores in module.stores.values() for each in stores if each.scope.owner is scope)
    steps: list[tuple[int, int, Step, Block]] = [
        *((rank(stmt) or 0, 0, stmt, block) for stmt, block in scope.imports),
        *((rank(site.stmt) or 0, order.get(id(site.node), 1), site, site.block) for site in scope.calls),
        *((rank(each.node) or 0, len(order) + 2, each, each.block) for each in stores),
    ]
    guarded = {block: is_of_script(block) for *_, block in steps}
    return [(step, guarded[block]) for _, _, step, block in sorted(steps, key=lambda step: step[:2])]


def rank(binding: Binding) -> int:
    """Return the index of the step of a binding, or of a store in an object, in its file."""
    at = stored(binding)
    return -1 if at is None else at.rank


def happens_before(first: Optional[Place], second: Optional[Place]) -> bool:
    """Return whether the first place runs before the second on every path; False for places of two functions."""
    if first is None or second is None or first.owner is not second.owner or first.rank >= second.rank:
        return False
    arms = {_arm(block) for block in second.block.chain()}
    owners = {id(block.owner) for block in second.block.chain() if block.owner is not None}
    for block in first.block.chain():
        if _arm(block) in arms:
            return True
        is_around = id(block.owner) in owners and block.arm != "finalbody"
        if is_around or not _is_passed(block):
            return False
    return False


def is_rebound(store: Binding, node: ast.expr, scope: Scope) -> bool:
    """Return whether the name of an object may be rebound between a store in the object and a read of it."""
    name, other = root(node), root(store.node)
    made = scope.lookup(name) if name is not None and other is not None and name.id == other.id else ()
    own = [each for each in made if each.scope.owner is scope.owner and each.kind != "parameter"]
    return not all(happens_before(stored(each), stored(store)) for each in own)


def has_run(store: Binding, node: ast.expr, scope: Scope) -> bool:
    """Return whether a store in an object runs on every path before an expression that reads the object."""
    return happens_before(stored(store), place(node, scope)) and not is_rebound(store, node, scope)


def root(node: ast.AST) -> Optional[ast.Name]:
    """Return the name at the root of an expression: `cfg` of `cfg.train["rate"]`; None without one."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def root_name(node: ast.AST) -> str:
    """Return the identifier at the root of an expression; "" without one."""
    return name_of(root(node))


@fact
def is_keyed_before(module: SemanticIndex, name: ast.Name, scope: Scope) -> bool:
    """Return whether `name[key]` runs on every path before a name is read, for the same object."""
    read, owner = place(name, scope), scope.owner
    start = module.rank(owner.node) if owner.parent is not None else -1
    if read is None or start is None:
        return False
    made = [stored(each) for each in scope.lookup(name) if each.kind != "parameter"]
    for rank, (step, block) in enumerate(module.steps[start + 1 : read.rank], start + 1):
        at = Place(rank, step, block)
        if isinstance(step, PLAIN) and happens_before(at, read) and all(never_before(at, each) for each in made):
            keyed = (each.value for each in _always_evaluated(step) if isinstance(each, ast.Subscript))
            if any(isinstance(each, ast.Name) and each.id == name.id for each in keyed):
                return True
    return False


def _always_evaluated(step: ast.AST) -> list[ast.AST]:
    """Return a statement and the expressions in it that are always evaluated, without those of inner statements."""
    found = [step]
    for node in found:  # which grows meanwhile
        parts = children(node)
        if isinstance(node, (ast.BoolOp, ast.IfExp)):
            parts = [node.values[0] if isinstance(node, ast.BoolOp) else node.test]
        elif isinstance(node, ast.Compare):
            parts = [node.left, node.comparators[0]]
        found.extend(part for part in parts if not isinstance(part, (ast.stmt, ast.Lambda, *COMPREHENSIONS)))
    return found


def is_replaced(first: Optional[Place], last: Optional[Place], read: Optional[Place]) -> bool:
    """Return whether another store of the function replaces the value of a store on every path to a read."""
    if first is None or last is None or first.rank < last.rank:
        return first is None or last is not None
    if read is None or first.owner is not read.owner or first.rank <= read.rank or _is_delayed(read):
        return False
    return _loops(first) & _loops(read) <= _loops(last)


def is_always_passed(place: Optional[Place]) -> bool:
    """Return whether a place runs on every path through its function, class or module."""
    if place is None or not all(block.parent is None or _is_passed(block) for block in place.block.chain()):
        return False
    owner, module = place.owner, place.owner.module
    start = module.rank(owner.node) if owner.is_function else None
    before = module.steps[start + 1 : place.rank] if start is not None else ()
    finals = {id(block.owner) for block in place.block.chain() if block.arm == "finalbody"}
    returns = (block for step, block in before if isinstance(step, ast.Return) and block.scope.owner is owner)
    return all(any(id(block.owner) in finals for block in each.chain()) for each in returns)


def never_before(first: Optional[Place], second: Optional[Place]) -> bool:
    """Return whether the first place never runs before the second in one call of the function that holds both."""
    if first is None or second is None or first.owner is not second.owner:
        return False
    around = {_arm(block) for block in second.block.chain()}
    apart = [block for block in first.block.chain() if _arm(block) not in around]
    if any(block.arm == DEAD for block in apart):
        return True
    if _is_delayed(second) or _loops(first) & _loops(second):
        return False
    return first.rank >= second.rank or excludes(first.block, second.block)


def _arm(block: Block) -> object:
    """Return a key that the blocks of one arm share; the statements behind `if a: return` are its other arm."""
    return id(block) if block.owner is None else (id(block.owner), block.arm)


def _is_delayed(place: Place) -> bool:
    return any(isinstance(block.scope.node, LATER) for block in place.block.chain())


def _is_passed(block: Block) -> bool:
    """Return whether every path past a compound statement runs an arm of it to its end."""
    owner = block.owner
    if isinstance(owner, (ast.With, ast.AsyncWith, ast.Assert)):
        return not suppresses(owner)
    if isinstance(owner, TRY):
        is_body = block.arm == "body" and all(leaves(handler.body[-1]) for handler in owner.handlers)  # type: ignore[attr-defined]
        return is_body or block.arm == "finalbody"
    if isinstance(owner, ast.If):
        other = owner.orelse if block.arm == "body" else owner.body
        return bool(other) and leaves(other[-1])
    return False


def _loops(place: Place) -> set[int]:
    """Return the loops whose iterations may run a place again; the test of a `while` is part of its iterations."""
    found = set(map(id, place.block.loops))
    found.update(id(block) for block in place.block.chain() if isinstance(block.scope.node, COMPREHENSIONS))
    return found | {id(place.step)} if isinstance(place.step, ast.While) else found
