"""Stores of methods in attributes of their object: which store reaches a read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from typing import Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.execution_order import (
    happens_before,
    is_always_passed,
    made_in,
    never_before,
    place,
    rank,
    stored,
)
from ms_perflint.index.reachability import path_condition
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex, Site
from ms_perflint.index.signature import Layer, receiver_name
from ms_perflint.index.syntax_forms import given, object_of
from ms_perflint.infer import bases, calls
from ms_perflint.infer import update_forms as forms
from ms_perflint.infer.call_context import CallContext
from ms_perflint.infer.call_order import CALLERS, has_run_before, is_made_once
from ms_perflint.infer.evaluator import Evaluator, Reading
from ms_perflint.infer.places import INIT
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import TOP, Alternative


def kept(cls: Scope, name: str) -> list[Binding]:
    """Return the stores of an attribute in the methods of a class that a constructor does not replace itself."""
    stores = cls.attributes.get(name, [])
    return stores if len(stores) < 2 else _kept(cls.module, cls, name)


@fact
def _kept(module: SemanticIndex, cls: Scope, name: str) -> list[Binding]:
    init, stores = cls.method(INIT), cls.attributes[name]
    if init is None or name in init.attrs:
        return stores
    own = [each for each in stores if each.scope.owner is init]
    replacing = [each for each in stores if each.kind != "augment" and is_always_passed(stored(each))]
    called = [(at, method) for site in init.calls if (method := _own_method(cls, init, site)) and (at := _rank(site))]
    sure = [rank(each) for each in replacing if each.scope.owner is init]
    given = {each.scope.owner for each in replacing}
    sure += [at for at, method in called if method in given]
    replaced = [each for each in own if rank(each) < max(sure, default=-1) and not each.block.loops]
    if not replaced:
        return stores
    firsts = {each.scope.owner: rank(each) for each in reversed(replacing)}
    between = (method for at, method in called if rank(replaced[0]) < at <= max(sure))
    if any(_reads(cls, method, name, firsts.get(method)) for method in between):
        return stores
    return [each for each in stores if each not in replaced]


def _reads(cls: Scope, method: Scope, name: str, last: Optional[int], seen: Set[Scope] = frozenset()) -> bool:
    """Return whether a method, or one that it calls on its object, reads an attribute; before its step `last`."""
    for node in ast.walk(method.node):
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        is_own = isinstance(node.value, ast.Name) and node.value.id == receiver_name(method)
        at = method.module.rank(node) if is_own else None
        if not is_own or (last is not None and at is not None and at > last):
            continue
        inner = cls.method(node.attr)
        is_new = inner is not None and inner is not method and inner not in seen
        if node.attr == name or (is_new and _reads(cls, inner, name, None, {*seen, method})):  # type: ignore[arg-type]
            return True
    return False


def _own_method(cls: Scope, init: Scope, site: Site) -> Optional[Scope]:
    """Return the method that a call in a constructor always runs on the same object; None for other calls."""
    return cls.method(site.word) if _is_own_call(init, site) else None


def _is_own_call(init: Scope, site: Site) -> bool:
    """Return whether a site of a constructor always calls a method of the same object."""
    return isinstance(site.base, ast.Name) and site.base.id == receiver_name(init) and site.block.parent is None


def _rank(site: Site) -> int:
    at = place(site.node, site.scope)
    return at.rank if at is not None else 0


def set_by_bases(evaluator: Evaluator, cls: Scope, owner: Scope, name: str) -> list[Scope]:
    """Return the bases of a class whose methods set an attribute that the class sets, too.

    `cls`: the class of the object. Left out are those whose stores the constructor of the class replaces, whose methods
    are overridden, or never called.
    """
    classes = list(bases.ancestors(evaluator, cls))
    above = [each for each in classes[classes.index(owner) + 1 :] if name in each.attributes]
    init = owner.method(INIT) if above else None
    own = [each for each in owner.attributes.get(name, ()) if each.scope.owner is init]
    last = max((rank(each) for each in own if is_always_passed(stored(each))), default=-1)
    is_made_later = init is None or any(_rank(site) > last for site in init.calls if site.word == INIT)
    always = [each for each in owner.attributes.get(name, ()) if is_always_passed(stored(each))]
    firsts = {each.scope.owner: rank(each) for each in reversed(always)}

    def is_replaced(setter: Scope, at: int) -> bool:
        """Return whether a constructor always calls a method that replaces its store at `at`, before a read of it."""
        later = [site for site in setter.calls if _rank(site) > at and _is_own_call(setter, site)]
        for site in sorted(later, key=_rank):
            method = bases.method(evaluator, cls, site.word)
            if name in setter.attrs or (method is not None and _reads(owner, method, name, firsts.get(method))):
                return False
            if method in firsts:
                return True
        return False

    def counts(store: Binding) -> bool:
        setter = store.scope.owner
        if setter.name == INIT:
            return is_made_later and not is_replaced(setter, rank(store))
        for site in evaluator.program.callers(setter):
            caller = site.scope.owner
            is_later = _rank(site) > last if caller is init else is_made_later
            if is_later or caller.name != INIT:
                return True
        return False

    return [each for each in above if any(map(counts, each.attributes[name]))]


def is_set_when_made(evaluator: Evaluator, cls: Scope, owner: Scope, name: str) -> bool:
    """Return whether the constructor of a class always sets an attribute."""
    init = owner.method(INIT)
    is_run = init is not None and bases.method(evaluator, cls, INIT) is init
    return is_run and any(
        each.scope.owner is init and is_always_passed(stored(each)) for each in owner.attributes[name]
    )


@query(bottom=True)
def is_of_constructor(evaluator: Evaluator, method: Scope) -> bool:
    """Return whether a method is a constructor, or only constructors call it."""
    if method.name == INIT or not method.is_method:
        return method.name == INIT
    callers = [site.scope.owner for site in evaluator.program.callers(method)]
    return bool(callers) and all(is_of_constructor(evaluator, each) for each in callers)


def is_set_later(evaluator: Evaluator, cls: Scope, owner: Scope, name: str) -> bool:
    """Return whether a class sets an attribute only in methods that its constructor does not call.

    `cls`: the class of the object, which may derive from `owner`, that sets the attribute.
    """
    methods = {store.scope.owner.name for store in owner.attributes.get(name, ())}
    if not methods or name in owner.bindings or INIT in methods:
        return False
    classes = bases.ancestors(evaluator, cls)
    return all(methods.isdisjoint(method.attrs) for each in classes for method in each.defines)


def counting(
    evaluator: Evaluator, known: Alternative, name: str, node: ast.expr, scope: Scope
) -> Optional[list[tuple[Binding, Optional[Scope]]]]:
    """Return the stores of an attribute that reach a read, and the call context of each.

    Those of the method that was called on the object last; of the constructor, where none was. None where that is not
    known, or where only one method sets it.
    """
    cls, before = known.cls, _setting_calls(evaluator, known, name, node, scope)
    if cls is None or before is None:
        return None
    stores = kept(cls, name)
    counted: list[tuple[Binding, Optional[Scope]]] = []
    for site in before:
        (callee,) = evaluator.callees(site).alternatives
        function = callee.definition
        if function is None:
            return None
        context = calls.entered_context(evaluator, function, Layer(site.call, site.scope), known)
        own = [each for each in stores if each.scope.owner is function]
        counted.extend((each, context) for each in own)
        if any(_has_run(evaluator, each, context or function) for each in own):
            return counted
    return [*counted, *((each, None) for each in stores if each.scope.owner.name == INIT or _is_started(cls, each))]


def is_unset(evaluator: Evaluator, known: Alternative, name: str, node: ast.expr, scope: Scope) -> bool:
    """Return whether an object certainly lacks an attribute where code reads it.

    Only methods of its class set it, of which none has been called.
    """
    cls = known.cls
    if cls is None or not known.is_made or name not in cls.attributes or any(evaluator.program.stores(name)):
        return False
    others = [each for each in bases.ancestors(evaluator, cls) if each is not cls]
    is_own = name not in cls.bindings and not cls.may_set(name)
    is_own = is_own and not any(name in each.bindings or name in each.attributes for each in others)
    return is_own and counting(evaluator, known, name, node, scope) == []


def may_be_unset(evaluator: Evaluator, known: Alternative, name: str, node: ast.expr, scope: Scope) -> bool:
    """Return whether an object may lack an attribute that its methods set, of which is not known which were called."""
    classes = [*bases.ancestors(evaluator, known.cls)] if known.cls is not None else []
    stores = [store for cls in classes for store in cls.attributes.get(name, ())]
    is_given = any(name in cls.bindings for cls in classes) or any(map(bases.is_always_stored, stores))
    return bool(stores) and not is_given and not counting(evaluator, known, name, node, scope)


def is_set_again(evaluator: Evaluator, read: Reading, store: Binding) -> Optional[bool]:
    """Return whether a method that sets an attribute is called between a store in it and a read; None: not known."""
    only, name = read.base.only, read.name
    if only is None or only.cls is None or not only.is_made or not isinstance(name, str):
        return False
    if all(each.scope.owner.name == INIT for each in kept(only.cls, name)):
        return False
    calls_of = _setting_calls(evaluator, only, name, read.node, read.scope)
    at = ((site, place(site.node, site.scope)) for site in calls_of or ())
    later = [site for site, here in at if has_run_before(evaluator, stored(store), here, site.scope)]
    if not later or calls_of is None:
        return False if calls_of is not None else None
    again = (
        each for each in kept(only.cls, name) for site in later if evaluator.callees(site).denotes(each.scope.owner)
    )
    return True if any(_has_run(evaluator, each, each.scope) for each in again) else None


def _setting_calls(
    evaluator: Evaluator, known: Alternative, name: str, node: ast.expr, scope: Scope
) -> Optional[list[Site]]:
    """Return the calls of methods that set an attribute before a read of it, the last one first."""
    cls = known.cls
    stores = kept(cls, name) if cls is not None else []
    methods = list(dict.fromkeys(each.scope.owner for each in stores))
    if cls is None or len(methods) < 1 + (bool(methods) and methods[0].name == INIT):
        return None
    while isinstance(scope, CallContext) and scope.call is not None and scope.call.row is None:
        if scope.receiver is None or scope.receiver.identity != known.identity or scope.function in methods:
            break
        node, scope = scope.call.call, scope.caller
    if scope.owner in methods or not _is_called_by_code(evaluator, cls, methods):
        return None
    before: list[Site] = []
    for method in methods:
        found = _calls_before(evaluator, cls, method, known, node, scope) if method.name != INIT else []
        if found is None:
            return None
        before.extend(found)
    if len({site.scope.owner for site in before}) > 1:
        return None
    return sorted(before, key=lambda site: (_rank(site), site.span[1]), reverse=True)


def _has_run(evaluator: Evaluator, store: Binding, scope: Scope) -> bool:
    """Return whether a store runs in a call of its method."""
    conditions = path_condition(store.block)
    is_sure = (evaluator.value(each.test, scope).truth is each.result for each in conditions)
    return is_always_passed(stored(store)) or (bool(conditions) and not store.block.loops and all(is_sure))


def _is_called_by_code(evaluator: Evaluator, cls: Scope, methods: Sequence[Scope]) -> bool:
    """Return whether only code of the program calls some methods, and no operator or library."""
    is_own = all(known.definition is not None or known.api in bases.PLAIN for known in bases.lineage(evaluator, cls))
    return is_own and not any(
        getattr(each.node, "decorator_list", ()) or (each.name.startswith("__") and each.name != INIT)
        for each in methods
    )


def _is_started(cls: Scope, store: Binding) -> bool:
    """Return whether the constructor of a class calls the method of a store."""
    init = cls.method(INIT)
    return init is not None and any(_own_method(cls, init, site) is store.scope.owner for site in init.calls)


def _calls_before(
    evaluator: Evaluator, cls: Scope, method: Scope, known: Alternative, node: ast.expr, scope: Scope
) -> Optional[list[Site]]:
    """Return the calls of a method on an object that run before a read; None where they are not known."""
    sites = evaluator.program.sites(method.name)
    if len(sites) > CALLERS or len(sites) < len(evaluator.program.callers(method)):
        return None
    found, classes = [], [*bases.ancestors(evaluator, cls)]
    chains = [[*_chain(node)]]
    if scope.owner.is_method:  # that reads: `object.set(1).run()`
        chains.append(_in_all_chains(evaluator, scope.owner))
    for site in sites:
        held = evaluator.value(site.base, site.scope) if site.base is not None else TOP
        if any(each.what in classes for each in held.alternatives):  # `Class.set(object, 1)`
            return None
        if held.open or any(each.is_any and each.cls in classes for each in held.alternatives):
            if held.open or site.scope.owner is not cls.method(INIT):
                return None
            continue
        if all(each.identity != known.identity for each in held.alternatives):
            continue
        if any(each.copied is not known.copied for each in held.alternatives):
            return None
        at = place(site.node, site.scope)
        read, is_own = made_in(site.scope.owner, node, scope)
        is_in_chain = any(part is site.node for chain in chains for part in chain)
        if is_own and not is_in_chain and never_before(at, read):
            continue
        if held.only is None or len(evaluator.callees(site).alternatives) != 1:
            return None
        is_called = is_in_chain or happens_before(at, read)  # else another function has to, on every path
        here = place(node, scope)
        if not is_called and not (is_made_once(evaluator, known) and has_run_before(evaluator, at, here, scope)):
            return None
        found.append(site)
    return found


def is_called(evaluator: Evaluator, update: forms.Update, known: Alternative) -> bool:
    """Return whether `agent.update(batch)` calls a method of a class that sets no attributes by computed names."""
    if update.word != forms.UPDATE or update.first or object_of(update.receiver) or known.cls is None:
        return False
    own = None if bases.is_mapping(evaluator, known.cls) else bases.method(evaluator, known.cls, forms.UPDATE)
    if own is None or any(map(forms.updates_itself, bases.ancestors(evaluator, known.cls))):
        return False
    calls_inside = (site.node for site in own.calls_inside if isinstance(site.node, ast.Call))
    return not any(forms.is_own(each) for node in calls_inside for each in given(node))  # `merge(self, batch)`


def _in_all_chains(evaluator: Evaluator, method: Scope) -> list[ast.expr]:
    """Return the expressions in the receivers of all calls of a method."""
    chains = [[*_chain(site.node)] for site in evaluator.program.callers(method) if isinstance(site.node, ast.expr)]
    return [part for part in chains[0] if all(part in chain for chain in chains)] if chains else []


def _chain(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the receivers of an expression, outermost first: `a.b()` and `a` of `a.b().c`."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
        yield node
