"""What stores give an object: code elsewhere by `object.name = value` and `object["name"] = value`, and its methods."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.execution_order import (
    Place,
    happens_before,
    has_run,
    is_always_passed,
    is_replaced,
    made_in,
    never_before,
    place,
    rank,
    stored,
)
from ms_perflint.index.reachability import path_condition
from ms_perflint.index.semantic_index import FUNCTIONS, Binding, Scope, SemanticIndex, Site
from ms_perflint.index.signature import Layer, receiver_name
from ms_perflint.index.syntax_forms import path_of
from ms_perflint.infer import bases, calls, lists, mappings, tables
from ms_perflint.infer.bulk_updates import laid_over
from ms_perflint.infer.call_context import CallContext
from ms_perflint.infer.call_order import (
    CALLERS,
    has_run_before,
    is_done_for,
    is_made_once,
    is_never_before,
)
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.tables import receiver_of
from ms_perflint.infer.values import TOP, Alternative, Display, Instance, Options, Value

INIT = "__init__"


def overlaid(
    evaluator: Evaluator,
    values: Sequence[Value],
    base: Value,
    node: ast.expr,
    name: str,
    scope: Scope,
    holder: Optional[ast.expr],
    absent: Value = TOP,
) -> list[Value]:
    """Return what a setting can be, where `values` is what it was when its object was made.

    `node` is the expression that reads it from an object that `base` is, and `holder` the expression for that. A store
    that surely runs before takes the place of everything that was there. `absent`: what a reader gets without it.
    """
    if name.startswith("__"):
        return list(values)
    is_held = any(_is_holder(evaluator, known) for known in base.alternatives)
    is_called = isinstance(node, ast.Attribute) and scope.module.calls(node)  # then it is no setting of an update
    found = _stores(evaluator, base, node, name, scope, holder, is_held)
    for binding, is_sure in tables.changes(evaluator, base, node, name) if is_held else ():
        if not is_never_before(evaluator, stored(binding), base, node, scope):
            found = [*found, binding] if is_sure else found
            values = [*values, evaluator.weighed(binding)] if not is_sure else values
    before = [binding for binding in found if _is_sure(evaluator, binding, base, node, scope, holder)]
    if before:
        last = before[0]
        for binding in before[1:]:
            last = binding if _is_after(evaluator, binding, last, scope) else last
        if _is_set_again(evaluator, base, last, name, node, scope):
            return list(values)
        read = place(node, scope)
        later = [b for b in found if b is not last and not _is_undone(evaluator, b, last, read)]
        first = evaluator.binding(last) if last.kind != "delete" else absent
        values = [first, *(evaluator.weighed(binding) for binding in later)]
        is_updated = is_held and not is_called
        return laid_over(evaluator, values, base, node, name, scope, absent, last) if is_updated else values
    if is_held and not is_called:
        values = laid_over(evaluator, values, base, node, name, scope, absent)
    if not found:
        return list(values)
    given = [evaluator.weighed(binding) for binding in found]
    if all(any(not each.is_required for each in path_condition(binding.block)) for binding in found):
        given.append(Value((), False, True))  # it may as well be what it was before
    return [*(value for value in values if value.alternatives), *given]


def _stores(
    evaluator: Evaluator, base: Value, node: ast.expr, name: str, scope: Scope, holder: Optional[ast.expr], held: bool
) -> list[Binding]:
    """Return the stores that this reading of a setting can see; `held`: its object may be met elsewhere."""
    words = path_of(holder)
    here = scope.module.stores.get((words, name), ()) if words else ()
    if "." in words and here:
        here = [each for each in here if _may_be_of(evaluator, each, base)]
    elif here:
        home = _binding_scope(scope, words)
        here = [each for each in here if _binding_scope(each.scope, words) is home]
    found = [binding for binding in here if binding.node is not node]
    if held:
        found.extend(binding for binding in _elsewhere(evaluator, base, name) if binding not in found)
    found.extend(binding for binding in _of_classes(evaluator, base, name) if binding not in found)
    return [each for each in found if not is_never_before(evaluator, stored(each), base, node, scope)]


def _binding_scope(scope: Scope, name: str) -> Optional[Scope]:
    """Return the scope that binds a name where it is read; the function where that is entered by one call."""
    home = scope.home(name)
    return home.owner if home is not None else None


def _may_be_of(evaluator: Evaluator, store: Binding, base: Value) -> bool:
    """Return whether the object in which a store is made may be one of these: another may have its name by now."""
    value = evaluator.value(receiver_of(store), store.scope)
    holders = {known.identity for known in base.alternatives}
    is_unknown = not holders or base.open or value.open or not value.alternatives
    return is_unknown or any(known.identity in holders for known in value.alternatives)


def _elsewhere(evaluator: Evaluator, base: Value, name: str) -> list[Binding]:
    """Return the stores of a name, in all files of the program, whose object is one of these."""
    holders = {known.identity for known in base.alternatives}
    found = []
    for binding in evaluator.program.stores(name):
        target = binding.node
        assert isinstance(target, (ast.Attribute, ast.Subscript))
        if any(known.identity in holders for known in evaluator.value(target.value, binding.scope).alternatives):
            found.append(binding)
    return found


def has(evaluator: Evaluator, known: Alternative, key: object, own: Optional[ast.Call] = None) -> Optional[bool]:
    """Return whether a dict that the program shows has a key, wherever it is asked for; None where that is not known.

    `own`: the call of `setdefault` that asks.
    """
    what = known.what
    assert isinstance(what, Display)
    answer = mappings.shown(evaluator, what, key)
    if answer is None or (isinstance(key, str) and _elsewhere(evaluator, Value((known,)), key)):
        return None
    if answer:
        return None if tables.is_taken_from(what) else True
    return False if lists.is_fixed(evaluator, what) and not tables.grows(what, key, own) else None


def _of_classes(evaluator: Evaluator, base: Value, name: str) -> Iterator[Binding]:
    """Yield the stores of a name, in all files, in the classes of these objects: `Config.name = value`."""
    for known in base.alternatives:
        cls = known.what.type if isinstance(known.what, Instance) else known.what
        if not isinstance(cls, Scope) or not cls.is_class or name not in _set_by_name(evaluator):
            continue
        above = list(bases.ancestors(evaluator, cls))
        for binding in evaluator.program.stores(name) if not any(name in each.attributes for each in above) else ():
            holder = binding.node.value if isinstance(binding.node, ast.Attribute) else None
            stored = evaluator.value(holder, binding.scope).only if isinstance(holder, ast.Name) else None
            if stored is not None and stored.definition in above:
                yield binding


@query
def _set_by_name(evaluator: Evaluator) -> frozenset[str]:
    """Return what the program stores in what files define or import under a name: in classes, and in modules."""
    stores = ((module, base, name) for module in evaluator.program.modules for base, name in module.stores)
    return frozenset(name for module, base, name in stores if base in module.defined or base in module.imported)


def _home(known: Alternative) -> Optional[SemanticIndex]:
    """Return the module in which an object that holds settings is made."""
    what = known.what.parser.what if isinstance(known.what, Options) else known.what
    return what.scope.module if isinstance(what, (Instance, Display)) else None


def _is_holder(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether an object may hold settings, and is the same object wherever it is met."""
    if known.creation is None:
        return known.is_mapping or bool(known.document)
    if known.cls is not None:
        return _is_record(known.cls) or bases.is_mapping(evaluator, known.cls)
    return not known.type_api.startswith(evaluator.libraries.closed)


def _is_record(cls: Scope) -> bool:
    """Return whether a class only holds attributes, each written out: others store in its objects by name too."""
    is_derived = bool(getattr(cls.node, "bases", ()))
    return not is_derived and all(map(_only_stores, cls.defines))


def _only_stores(function: Scope) -> bool:
    """Return whether a method is one of Python's, and takes no attributes from a mapping: `setattr`, `__dict__`."""
    is_special = function.is_function and function.name.startswith("__")
    return is_special and "__dict__" not in function.attrs and all(site.word != "setattr" for site in function.calls)


# --- order


def _is_sure(
    evaluator: Evaluator, binding: Binding, base: Value, node: ast.expr, scope: Scope, holder: Optional[ast.expr]
) -> bool:
    """Return whether a store has run, on every path, when an expression is evaluated, and in the object that is read.

    `base`: what that can be, `holder`: the expression for it.
    """
    if binding.value is None and binding.kind != "delete":
        return False
    if binding.scope.owner is scope.owner:
        is_named_so = holder is None or ast.dump(receiver_of(binding)) == ast.dump(holder)
        return has_run(binding, node, scope) and (is_named_so or _is_in(evaluator, binding, base))
    if isinstance(binding.scope.owner.node, ast.Module):
        is_given = {_home(known) for known in base.alternatives} == {binding.scope.module}
        if is_given and is_done_for(evaluator, stored(binding), scope.owner):
            return True
    elif is_always_passed(stored(binding)) and _is_returned(binding, binding.scope.owner):
        return True
    elif not _is_in(evaluator, binding, base):
        return False
    return has_run_before(evaluator, stored(binding), place(node, scope), scope)


def _is_in(evaluator: Evaluator, binding: Binding, base: Value) -> bool:
    """Return whether a store is in the one object of a run that is read, and not in a copy."""
    only = evaluator.value(receiver_of(binding), binding.scope).only
    is_one = only is not None and all(known.copied is only.copied for known in base.alternatives)
    return is_one and is_made_once(evaluator, only)  # type: ignore[arg-type]


def _is_returned(binding: Binding, owner: Scope) -> bool:
    """Return whether the function that stores returns the object, which nothing reads before."""
    target = receiver_of(binding)
    if not isinstance(owner.node, FUNCTIONS) or not isinstance(target, ast.Name):
        return False
    is_own = any(b.kind != "parameter" for b in owner.bindings.get(target.id, ()))
    returned = {part for value, _ in owner.returns for part in _parts(value)}
    return is_own and target.id in returned


def _parts(value: ast.expr) -> list[str]:
    """Return the names that a `return` gives back: `args`, `args, config`."""
    elements = value.elts if isinstance(value, ast.Tuple) else [value]
    return [element.id for element in elements if isinstance(element, ast.Name)]


def _is_after(evaluator: Evaluator, binding: Binding, other: Binding, scope: Scope) -> bool:
    """Return whether, of two stores that have surely run, one comes after the other; those of the reader are last."""
    if binding.scope.owner is other.scope.owner:
        return rank(binding) > rank(other)
    return binding.scope.owner is scope.owner or has_run_before(
        evaluator, stored(other), stored(binding), binding.scope
    )


def _is_undone(evaluator: Evaluator, binding: Binding, last: Binding, read: Optional[Place]) -> bool:
    """Return whether another store, which is sure, takes the place of what this one gave."""
    if binding.scope.owner is last.scope.owner:
        return is_replaced(stored(binding), stored(last), read)
    if not isinstance(binding.scope.owner.node, ast.Module):
        return False
    own = last.scope.owner
    if own.is_function and not own.imports and read is not None and read.owner is own:
        return True  # no module runs meanwhile
    return has_run_before(evaluator, stored(binding), stored(last), own)  # a module runs once


# --- the stores of its own methods


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
    called = [(at, method) for site in init.calls if (method := _own_method(cls, init, site)) and (at := _rank(site))]
    sure = [rank(each) for each in own if is_always_passed(stored(each))]
    given = {each.scope.owner for each in stores if is_always_passed(stored(each))}
    sure += [at for at, method in called if method in given]
    replaced = [each for each in own if rank(each) < max(sure, default=-1) and not each.block.loops]
    if not replaced or any(name in method.attrs for at, method in called if rank(replaced[0]) < at < max(sure)):
        return stores
    return [each for each in stores if each not in replaced]


def _own_method(cls: Scope, init: Scope, site: Site) -> Optional[Scope]:
    """Return the method of its own object that a constructor always calls by a call; None of other calls."""
    is_own = isinstance(site.base, ast.Name) and site.base.id == receiver_name(init) and site.block.parent is None
    return cls.method(site.word) if is_own else None


def _rank(site: Site) -> int:
    at = place(site.node, site.scope)
    return at.rank if at is not None else 0


def is_set_later(evaluator: Evaluator, cls: Scope, owner: Scope, name: str) -> bool:
    """Return whether a class sets an attribute only in methods that nothing calls while an object is made.

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
    """Return the stores of an attribute that count where code reads it from an object, and the call that runs each.

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
    """Return whether an object surely does not have an attribute where code asks for it.

    Only methods of its class set it, of which none has been called.
    """
    cls = known.cls
    if cls is None or not known.is_made or name not in cls.attributes or any(evaluator.program.stores(name)):
        return False
    others = [each for each in bases.ancestors(evaluator, cls) if each is not cls]
    is_own = name not in cls.bindings and not cls.any_attributes
    is_own = is_own and not any(name in each.bindings or name in each.attributes for each in others)
    return is_own and counting(evaluator, known, name, node, scope) == []


def _is_set_again(evaluator: Evaluator, base: Value, store: Binding, name: str, node: ast.expr, scope: Scope) -> bool:
    """Return whether a method that sets an attribute of an object is called after a store in it, and before a read."""
    only = base.only
    if only is None or only.cls is None or not only.is_made or name not in only.cls.attributes:
        return False
    calls_of = _setting_calls(evaluator, only, name, node, scope) or ()
    at = ((site, place(site.node, site.scope)) for site in calls_of)
    return any(has_run_before(evaluator, stored(store), here, site.scope) for site, here in at)


def _setting_calls(
    evaluator: Evaluator, known: Alternative, name: str, node: ast.expr, scope: Scope
) -> Optional[list[Site]]:
    """Return the calls of methods that set an attribute, before code reads it from an object, the last one first."""
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
    """Return whether only code of the program calls some methods: no operator, and no library."""
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
    """Return the calls of a method on an object that have run where code reads it; None where that is not known."""
    sites = evaluator.program.sites(method.name)
    if len(sites) > CALLERS or len(sites) < len(evaluator.program.callers(method)):
        return None
    found, classes = [], [*bases.ancestors(evaluator, cls)]
    chains = [[*_chain(node)]]
    if scope.owner.is_method:  # that reads: `object.set(1).run()`
        chains.append(_in_all_chains(evaluator, scope.owner))
    for site in sites:
        held = evaluator.value(site.base, site.scope) if site.base is not None else TOP
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
        is_only = held.only is not None and len(evaluator.callees(site).alternatives) == 1
        if not is_only or not (
            is_in_chain or happens_before(at, read) or _has_been_called(evaluator, known, at, node, scope)
        ):
            return None
        found.append(site)
    return found


def _has_been_called(
    evaluator: Evaluator, known: Alternative, site: Optional[Place], node: ast.expr, scope: Scope
) -> bool:
    """Return whether another function has called a method on an object, on every path, where code reads from it."""
    is_one = is_made_once(evaluator, known)
    return is_one and has_run_before(evaluator, site, place(node, scope), scope)


def _in_all_chains(evaluator: Evaluator, method: Scope) -> list[ast.expr]:
    """Return the expressions on which all calls of a method are."""
    chains = [[*_chain(site.node)] for site in evaluator.program.callers(method) if isinstance(site.node, ast.expr)]
    return [part for part in chains[0] if all(part in chain for chain in chains)] if chains else []


def _chain(node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression and those on which it is called or read: of `a.b().c` also `a.b()`."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
        yield node
