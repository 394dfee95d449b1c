"""What a list holds: where it is made, and what the code around it adds."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from typing import NamedTuple, Optional, Union

from ms_perflint.core.facts import fact
from ms_perflint.index.reachability import BY_DEFAULT, IMPOSSIBLE
from ms_perflint.index.semantic_index import Binding, Block, Scope, SemanticIndex, Site
from ms_perflint.index.signature import Held, Layer, Signature
from ms_perflint.index.syntax_forms import given, word_of
from ms_perflint.infer import sequences
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.places import GROWS, ORDERS, SHRINKS
from ms_perflint.infer.values import (
    BOTTOM,
    COMPREHENSION,
    LIST,
    TOP,
    TUPLE,
    YIELDS,
    Alternative,
    Display,
    Instance,
    Value,
    join,
)

FIXED = (TUPLE, YIELDS)  # kinds of displays that get nothing later
BEHIND = frozenset({"append", "extend"})  # methods that leave all elements where they are
KEEPING = frozenset({"builtins", "math", "mindspore", "numpy"})  # packages whose functions change no list that they get
CHANGES = GROWS | SHRINKS | ORDERS
STORE = "[]"  # the "word" of `name[index] = value`
KEEPS = BEHIND | {STORE}  # those that move no element to another place
NESTED = 8  # lists inside one another, before what they hold is open


class Change(NamedTuple):
    """What changes a list: the word of a method, `+=` as one of `extend`, or a call that is given the list."""

    word: str
    added: Optional[ast.expr]  # what the list gets by it
    block: Block
    node: ast.AST
    site: Optional[Site] = None  # the call that is given the list


def gathered(evaluator: Evaluator, binding: Binding, scope: Scope, value: Value) -> Value:
    """Return the lists that a name is given, which are made elsewhere, with what is added under this name."""
    before = tuple(known for known in value.alternatives if isinstance(known.what, Display) and known.what.kind == LIST)
    if not any(isinstance(known.what, Display) and binding not in bindings_of(known.what) for known in before):
        return value
    names = _names(binding.node) or (binding.name,)
    by_word, owner = scope.module.by_word, binding.scope.owner
    added = (site for word in GROWS for site in by_word.get(word, ()) if site.scope.owner is owner)
    if not any(_is_addition(site, names) for site in added):
        return value
    rest = tuple(known for known in value.alternatives if known not in before)
    held = Held(binding.node, scope, Value(before), is_spread=True)  # type: ignore[arg-type]
    made = Alternative(Display(binding.node, scope, LIST, (held,), binding=binding), (scope.module, binding.node))
    return Value((made, *rest), value.open, value.overridable)


def elements(evaluator: Evaluator, value: Value) -> tuple[tuple[Alternative, ...], bool]:
    """Return what a list can hold, what is added to it included, and whether it can hold more."""
    found = _Elements(evaluator).of(value, 0)
    return found.alternatives, found.open


class _Elements:
    """A bounded search through lists that are made of lists."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.seen: set[Display] = set()  # that were looked at

    def of(self, value: Value, depth: int) -> Value:
        values = [self.evaluator.kind(known).elements(self, depth) for known in value.alternatives]
        return join([*values, *([TOP] if value.open else [])]) if values or value.open else BOTTOM

    def display(self, what: Display, depth: int) -> Value:
        """Return what one list holds where it is made, and what the code around it adds."""
        if what in self.seen:
            return BOTTOM
        self.seen.add(what)
        if what.kind == COMPREHENSION:
            inner = sequences.inside(self.evaluator, what.node, what.scope)  # type: ignore[arg-type]
            values = [self.evaluator.value(what.parts[0].node, inner)]
        else:
            read = ((part, self.evaluator.read(part)) for part in what.parts)
            values = [self.of(value, depth + 1) if part.is_spread else value for part, value in read]
        if what.kind not in FIXED:
            values.extend(self.added(what, depth))
        return join(values) if values else BOTTOM

    def added(self, what: Union[Display, Instance], depth: int) -> Iterator[Value]:
        """Yield what is added to a list after it was made, under the name that it got there."""
        for holder in bindings_of(what):
            for word, added, block, *_ in self.changes(holder):
                scope = what.scope if block.scope is getattr(what.scope, "function", None) else block.scope
                reachability = self.evaluator.reachability(block, scope)
                if reachability == IMPOSSIBLE or added is None:
                    continue
                value = self.evaluator.value(added, scope)
                if word in ("extend", "extendleft"):
                    value = self.of(value, depth + 1)
                yield value if reachability == BY_DEFAULT else value.as_non_default()

    def changes(self, holder: Binding) -> Iterator[Change]:
        """Yield what changes a list in the function of a name; of `self.name`, in the methods of its class.

        Functions that are given the list may change it too.
        """
        todo = [holder]
        for each in todo:  # grows on the way
            for change in _changes(each.scope.module, each):
                if change.site is None:
                    yield change
                    continue
                parameters = self.parameters(change.site, _names(each.node) or (each.name,))
                todo.extend(parameter for parameter in parameters if parameter not in todo)

    def parameters(self, site: Site, names: tuple[str, ...]) -> Iterator[Binding]:
        """Yield the parameters that get a list which a call passes under a name."""
        for known in self.evaluator.callees(site).alternatives:
            function = known.definition
            if function is None or not function.is_function:
                continue
            signature = Signature.of(function, known.what is not function and function.is_method)
            arguments = signature.bind(*known.prepared, Layer(site.call, site.scope))
            for name in dict.fromkeys((*signature.slots, *signature.words)):
                part = arguments.of(name).part
                if part is not None and _names(part.node) == names:
                    yield from function.bindings.get(name, ())[:1]


def grows(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether code changes a row of objects after it was made."""
    return isinstance(known.what, Instance) and bool(changed(evaluator, known.what))


def changed(evaluator: Evaluator, what: Union[Display, Instance]) -> frozenset[str]:
    """Return the words by which code changes a list after it was made, under the name that it got there."""
    return frozenset(change.word for change in changes(evaluator, what))


def changes(evaluator: Evaluator, what: Union[Display, Instance]) -> Iterator[Change]:
    """Yield what changes a list after it was made, under the names that it got there."""
    found = _Elements(evaluator)
    for holder in bindings_of(what) if not isinstance(what, Display) or what.kind not in FIXED else ():
        yield from found.changes(holder)


def is_fixed(evaluator: Evaluator, what: Display) -> bool:
    """Return whether a list or dict is for good what it is where it is made, as far as its file shows.

    An empty one is filled later, wherever that is; one that is given to a function of another library may be, too.
    """
    if what.kind in FIXED:
        return True
    module, names = what.scope.module, {holder.name for holder in bindings_of(what)}
    if what.kind != COMPREHENSION and not what.parts:
        return False
    sites = (site for name in sorted(names) for site in _touching(module).get(name, ()))
    return not any(_may_change(evaluator, site, names) for site in sites)


@fact
def _touching(module: SemanticIndex) -> dict[str, list[Site]]:
    """Return the calls of a file that may change a list or dict, by the last words of what they are about."""
    found: dict[str, list[Site]] = {}
    for site in (site for sites in module.by_word.values() for site in sites):
        about = {word_of(argument) for argument in site.node.args} if isinstance(site.node, ast.Call) else set()
        if site.word in CHANGES and site.base is not None:
            about.add(word_of(site.base))
        for word in about - {""}:
            found.setdefault(word, []).append(site)
    return found


def _may_change(evaluator: Evaluator, site: Site, names: Container[str]) -> bool:
    """Return whether a call that is about one of these names may change its list or dict."""
    if site.word in CHANGES and site.base is not None and word_of(site.base) in names:
        return True
    called = evaluator.callees(site)
    packages = {known.api.partition(".")[0] for known in called.alternatives if known.definition is None}
    return called.open or not packages <= KEEPING


def bindings_of(what: Union[Display, Instance]) -> list[Binding]:
    """Return the names and attributes to which a list is given where it is made."""
    if isinstance(what, Display) and what.binding is not None:
        return [what.binding]
    owner = what.scope.owner
    groups = list(owner.bindings.values())
    if owner.parent is not None and owner.parent.is_class:
        groups.extend(owner.parent.attributes.values())
    return [each for group in groups for each in group if each.value is not None and each.value is what.node]


@fact
def _changes(module: SemanticIndex, holder: Binding) -> list[Change]:
    """Return what changes a list under one name, and the calls that are given the list: the same in all programs."""
    owner, names = holder.scope.owner, _names(holder.node) or (holder.name,)
    scopes = owner.parent.defines if isinstance(holder.node, ast.Attribute) and owner.parent else [owner]
    found = [
        Change(STORE, value, block, target)
        for target, value, block in module.registered.get(names[-1], ())
        if block.scope.owner in scopes and _names(target.value) == names
    ]
    found += [Change("extend", value, block, value) for value, block in _grown(holder)]
    for site in (site for scope in scopes for site in scope.calls):
        if not isinstance(site.node, ast.Call):
            continue
        if site.word in CHANGES and _is_addition(site, names):
            added = site.node.args[-1] if site.word in GROWS and site.node.args else None
            found.append(Change(site.word, added, site.block, site.node))
        elif any(_names(arg) == names for arg in given(site.node)):
            found.append(Change("", None, site.block, site.node, site))
    return found


def _grown(holder: Binding) -> Iterator[tuple[ast.expr, Block]]:
    """Yield what `+=` adds to an attribute, or to a name in a loop: elsewhere a name is what it is where it is read."""
    owner, names = holder.scope.owner, _names(holder.node)
    is_attribute = isinstance(holder.node, ast.Attribute) and owner.parent is not None
    group = owner.parent.attributes if is_attribute else owner.bindings  # type: ignore[union-attr]
    for each in group.get(names[-1] if names else holder.name, ()):
        stmt, is_held = each.stmt, is_attribute or each.block.loops
        if is_held and isinstance(stmt, ast.AugAssign) and isinstance(stmt.op, ast.Add):
            yield stmt.value, each.block


def _is_addition(site: Site, names: tuple[str, ...]) -> bool:
    """Return whether a call is of a method of what has this name."""
    return site.base is not None and _names(site.base) == names


def _names(node: ast.AST) -> tuple[str, ...]:
    """Return `("name",)` or `("self", "name")`; empty for other expressions."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return (node.value.id, node.attr)
    return ()
