"""What a list holds: where it is made, and what the code around it adds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Optional, Union

from ms_perflint.index.reachability import IMPOSSIBLE, USUAL
from ms_perflint.index.semantic_index import Binding, Block, Scope, Site
from ms_perflint.index.signature import Layer, Signature
from ms_perflint.infer import bases, sequences, tables
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Bound, Display, Instance, Tree, Value, join

if TYPE_CHECKING:
    from ms_perflint.infer.evaluator import Evaluator

CELLS = frozenset({"mindspore.nn.CellList", "mindspore.nn.SequentialCell"})  # hold the cells that they are given
SEQUENCES = (ast.List, ast.Tuple, ast.Set)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
ADDS = frozenset({"append", "extend", "insert", "add"})  # methods by which a list or set gets more
BEHIND = frozenset({"append", "extend"})  # those that leave all elements where they are
CHANGES = ADDS | {"clear", "pop", "remove", "reverse", "sort"}
STORE = "[]"  # the "word" of `name[index] = value`
ENTRIES = 50  # of a list in a file, that are looked at
GIVEN = 2  # functions that are followed when they are given a list
NESTED = 8  # lists inside one another, before what they hold is open


class Gathered(ast.List):
    """A list as one name has it that did not make it: what it held before, and what is added under the name."""

    before: Value
    binding: Binding


def gathered(evaluator: Evaluator, binding: Binding, scope: Scope, value: Value) -> Value:
    """Return the lists that a name is given, with what is added under this name."""
    before = tuple(known for known in value.alternatives if _is_list(known.what))
    if not any(isinstance(known.what, Display) and binding not in holders(known.what) for known in before):
        return value
    names = _names(binding.node) or (binding.name,)
    by_word, owner = scope.module.by_word, binding.scope.owner
    added = (site for word in ADDS for site in by_word.get(word, ()) if site.scope.owner is owner)
    if not any(_is_addition(site, names) for site in added):
        return value
    rest = tuple(known for known in value.alternatives if known not in before)
    source = binding.value or ast.copy_location(ast.Name(binding.name, ast.Load()), binding.node)
    key = (id(binding), (id(scope), before))
    if key not in evaluator.made:
        made = ast.copy_location(Gathered([ast.Starred(source, ast.Load())], ast.Load()), source)
        made.before, made.binding = Value(before), binding
        evaluator.made[key] = made
    found = evaluator.known(Display(evaluator.made[key], scope), binding.node, scope)
    return Value((*found.alternatives, *rest), value.open, value.overridable)


def empty(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    """Return the list that `list()` makes."""
    made = evaluator.made.setdefault((id(node), "list"), ast.copy_location(ast.List([], ast.Load()), node))
    made.source = node  # type: ignore[attr-defined]
    return evaluator.known(Display(made, scope), node, scope)


def _is_list(what: object) -> bool:
    return isinstance(what, Display) and isinstance(what.node, ast.List)


def elements(evaluator: Evaluator, value: Value) -> tuple[tuple[Alternative, ...], bool]:
    """Return what a list can hold, what is added to it included, and whether it can hold more."""
    found = _Elements(evaluator).of(value, 0)
    return found.alternatives, found.open


class _Elements:
    """A bounded search through lists that are made of lists."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.seen: set[tuple[int, int]] = set()  # displays that were looked at

    def of(self, value: Value, depth: int) -> Value:
        values = [self.known(known, depth) for known in value.alternatives]
        return join([*values, *([TOP] if value.open else [])]) if values or value.open else BOTTOM

    def known(self, known: Alternative, depth: int) -> Value:
        what = known.what
        if isinstance(what, Display) and isinstance(what.node, ast.Dict):
            keys = tables.view(self.evaluator, known, "keys")
            return self.of(keys, depth + 1) if keys is not None else TOP
        if isinstance(what, Display) and depth < NESTED:
            return self.display(what, depth)
        if isinstance(what, Tree) and what.documents:
            return join(self.evaluator.item(known, each) for each in range(len(what.documents)))
        if isinstance(what, Tree) and isinstance(what.data, list):
            return join(self.evaluator.item(known, index) for index in range(min(len(what.data), ENTRIES)))
        if isinstance(what, (Scope, Instance)) and (enum := bases.members(self.evaluator, what)):
            return join(bases.member(self.evaluator, what, name) or TOP for name in enum)
        if isinstance(what, Instance) and isinstance(what.type, Scope) and depth < NESTED:
            return self.iterated(known, depth)
        if known.type_api in CELLS and isinstance(what, Instance) and what.node is not None:
            cells = [
                self.evaluator.value(arg, what.scope) for arg in what.node.args if not isinstance(arg, ast.Starred)
            ]
            lists = [
                cell
                for cell in cells
                if cell.alternatives and all(isinstance(k.what, Display) for k in cell.alternatives)
            ]
            held = [self.of(lists[0], depth + 1)] if lists else [*cells, TOP] if what.node.args else []
            held.extend(self.added(what, depth))
            return join(held) if held else TOP
        return TOP

    def iterated(self, known: Alternative, depth: int) -> Value:
        """Return what a loop over an object of a class of the project goes through."""
        made = self.evaluator.operated(known, "__iter__")
        if made is not None and all(each.what != known.what for each in made.alternatives):
            return self.of(made, depth + 1)
        return self.evaluator.operated(known, "__next__" if made is not None else "__getitem__") or TOP

    def display(self, what: Display, depth: int) -> Value:
        """Return what one list holds where it is made, and what the code around it adds."""
        key = (id(what.node), id(what.scope))
        if key in self.seen:
            return BOTTOM
        self.seen.add(key)
        if isinstance(what.node, COMPREHENSIONS):
            value = self.evaluator.value(what.node.elt, sequences.inside(self.evaluator, what))
            return join([value, *self.added(what, depth)])
        if not isinstance(what.node, SEQUENCES):
            return TOP
        values = []
        if isinstance(what.node, Gathered):
            values.append(self.of(what.node.before, depth + 1))
        for element in what.node.elts if not isinstance(what.node, Gathered) else ():
            if isinstance(element, ast.Starred):
                values.append(self.of(self.evaluator.value(element.value, what.scope), depth + 1))
            else:
                values.append(self.evaluator.value(element, what.scope))
        if isinstance(what.node, (ast.List, ast.Set)):
            values.extend(self.added(what, depth))
        return join(values) if values else BOTTOM

    def added(self, what: Union[Display, Instance], depth: int) -> Iterator[Value]:
        """Yield what is added to a list after it was made, under the name that it got there."""
        for holder in holders(what):
            for word, given, block in self.changes(holder, 0):
                scope = what.scope if block.scope is getattr(what.scope, "function", None) else block.scope
                way = self.evaluator.way(block, scope)
                if way == IMPOSSIBLE or given is None:
                    continue
                value = self.evaluator.value(given, scope)
                if word == "extend":
                    value = self.of(value, depth + 1)
                yield value if way == USUAL else value.as_non_default()

    def changes(self, holder: Binding, depth: int) -> Iterator[tuple[str, Optional[ast.expr], Block]]:
        """Yield what changes a list in the function of a name; of `self.name`, in the methods of its class.

        That is the word, what the list gets by it, and the block. Functions that are given the list may change it too.
        """
        owner, names = holder.scope.owner, _names(holder.node) or (holder.name,)
        scopes = owner.parent.defines if isinstance(holder.node, ast.Attribute) and owner.parent else [owner]
        for target, value, block in owner.module.registered.get(names[-1], ()):
            if block.scope.owner in scopes and _names(target.value) == names:
                yield STORE, value, block
        for site in (site for scope in scopes for site in scope.calls):
            if not isinstance(site.node, ast.Call):
                continue
            given = (*site.node.args, *(keyword.value for keyword in site.node.keywords))
            if site.word in CHANGES and _is_addition(site, names):
                yield site.word, site.node.args[-1] if site.word in ADDS and site.node.args else None, site.block
            elif depth < GIVEN and any(_names(arg) == names for arg in given):
                for parameter in self.given(site, names):
                    yield from self.changes(parameter, depth + 1)

    def given(self, site: Site, names: tuple[str, ...]) -> Iterator[Binding]:
        """Yield the parameters that get a list which a call passes under a name."""
        assert isinstance(site.node, ast.Call)
        for known in self.evaluator.callees(site).alternatives:
            function = known.what.function if isinstance(known.what, Bound) else known.what
            if not isinstance(function, Scope) or not function.is_function:
                continue
            signature = Signature.of(function, known.what is not function and function.is_method)
            arguments = signature.bind(*known.prepared, Layer(site.node, site.scope))
            for name in dict.fromkeys((*signature.slots, *signature.words)):
                part = arguments.of(name).part
                if part is not None and _names(part.node) == names:
                    yield from function.bindings.get(name, ())[:1]


def grows(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether code changes a row of cells after it was made."""
    return isinstance(known.what, Instance) and bool(changed(evaluator, known.what))


def changed(evaluator: Evaluator, what: Union[Display, Instance]) -> frozenset[str]:
    """Return the words by which code changes a list after it was made, under the name that it got there."""
    if isinstance(what.node, ast.Tuple):
        return frozenset()
    found = _Elements(evaluator)
    return frozenset(word for holder in holders(what) for word, *_ in found.changes(holder, 0))


def holders(what: Union[Display, Instance]) -> list[Binding]:
    """Return the names and attributes to which a list is given where it is made."""
    if isinstance(what.node, Gathered):
        return [what.node.binding]
    owner = what.scope.owner
    groups = list(owner.bindings.values())
    if owner.parent is not None and owner.parent.is_class:
        groups.extend(owner.parent.attributes.values())
    return [binding for group in groups for binding in group if _is_value(binding.value, what.node)]


def _is_value(value: Optional[ast.expr], node: Optional[ast.expr]) -> bool:
    """Return whether a display is what stands there, or is made by the call that does: `list()`."""
    return value is not None and (value is node or value is getattr(node, "source", None))


def _is_addition(site: Site, names: tuple[str, ...]) -> bool:
    """Return whether a call is of a method of what has this name."""
    callee = site.node.func if isinstance(site.node, ast.Call) else None
    return isinstance(callee, ast.Attribute) and _names(callee.value) == names


def _names(node: ast.AST) -> tuple[str, ...]:
    """Return `("name",)` or `("self", "name")`; empty for other expressions."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return (node.value.id, node.attr)
    return ()
