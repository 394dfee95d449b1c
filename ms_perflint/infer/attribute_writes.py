"""Stores in objects from outside: `object.name = value`, `object["name"] = value`, `Class.name = value`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Optional

from ms_perflint.index.execution_order import stored
from ms_perflint.index.reachability import path_condition
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex
from ms_perflint.index.signature import positional
from ms_perflint.index.syntax_forms import path_of, taken_word, word_of
from ms_perflint.infer import bases, held_names, list_changes, mappings, method_writes, narrowing, protocols, tables
from ms_perflint.infer.alternatives import Display, Instance
from ms_perflint.infer.bulk_updates import laid_over, sets_by_name
from ms_perflint.infer.call_context import are_made_apart
from ms_perflint.infer.call_order import is_never_before
from ms_perflint.infer.evaluator import Evaluator, Reading
from ms_perflint.infer.places import INIT, is_drawn
from ms_perflint.infer.queries import query
from ms_perflint.infer.stored_before import is_before, is_undone, last_sure, last_usual
from ms_perflint.infer.tables import ENVIRONMENT, receiver_of
from ms_perflint.infer.values import TOP, Alternative, Value


def overlaid(evaluator: Evaluator, values: Sequence[Value], read: Reading) -> list[Value]:
    """Return the value of a setting where code reads it; `values` is its value when the object was created.

    A store that surely runs before takes the place of everything that was there.
    """
    base, name, node, scope = read.base, read.name, read.node, read.scope
    if isinstance(name, str) and name.startswith("__"):
        return list(values)
    created = list(values)
    of_any = [known.what.type for known in base.alternatives if type(known.what) is Instance and not known.is_made]
    is_held = any(_is_holder(evaluator, known) for known in base.alternatives)
    is_class = any(type(known.what) is Scope and known.what.is_class for known in base.alternatives)
    is_called = isinstance(node, ast.Attribute) and scope.module.calls(node) and _are_methods(evaluator, values, base)
    is_module = any(isinstance(known.what, SemanticIndex) for known in base.alternatives)
    is_updated = not is_called and (is_held or is_class or bool(of_any) or (is_module and not scope.module.calls(node)))
    found = _stores(evaluator, read, is_held or any(known.cls is not None for known in base.alternatives))
    for binding, is_sure in tables.changes(evaluator, base, node, name) if is_held and not is_called else ():
        if not is_never_before(evaluator, stored(binding), read):
            found = [*found, binding] if is_sure else found
            values = [*values, evaluator.weighed(binding)] if not is_sure else values
    if found and any(protocols.replaces(evaluator, known, each) for known in base.alternatives for each in found):
        return [*values, TOP]
    held = {each: evaluator.value(receiver_of(each), each.scope) for each in found if len(found) > 1}
    levels = {each: bases.distance(evaluator, base, held[each]) if held else 0 for each in found}
    last = None
    for level in sorted(set(levels.values())) if found and not _is_run_again(evaluator, base, name) else ():
        last = last or last_sure(evaluator, read, [each for each in found if levels[each] == level])
    if last is not None:
        is_again = method_writes.is_set_again(evaluator, read, last)
        if is_again:
            return list(values)
        nearer = [each for each in found if each is not last and levels[each] <= levels[last]]
        later = [each for each in nearer if levels[each] < levels[last] or not is_undone(evaluator, each, last, read)]
        first = _put(evaluator, last) if last.kind != "delete" else read.absent
        usual = last_usual(evaluator, read, later)
        first = first.as_non_default() if is_before(last, usual, read) else first
        values = [*(values if is_again is None else ()), first, *_given(evaluator, read, later, usual)]
    if is_updated:
        values = laid_over(evaluator, values, read, of_any, last)
    return _beside(evaluator, values, read, found, created) if found and last is None else list(values)


def _beside(
    evaluator: Evaluator, values: Sequence[Value], read: Reading, stores: Sequence[Binding], created: Sequence[Value]
) -> list[Value]:
    """Return the value of a setting with what stores give it that may run or not; `created`: what it had before."""
    usual = last_usual(evaluator, read, stores)
    given = _given(evaluator, read, stores, usual)
    if usual is not None and _is_set_when_made(evaluator, read):
        values = [each.as_non_default() if any(each is one for one in created) else each for each in values]
    is_optional = all(
        any(not each.is_required for each in path_condition(binding.block)) and not narrowing.is_filling(binding)
        for binding in stores
    )
    if is_optional and not (tables.fails_without(read.node) and _is_missing(evaluator, read)):
        given.append(Value((), False, True))  # or the earlier value
    if read.absent is not TOP and not any(value.alternatives for value in values):
        given.append(read.absent)
    return [*(value for value in values if value.alternatives or not _is_missing(evaluator, read)), *given]


def _is_set_when_made(evaluator: Evaluator, read: Reading) -> bool:
    """Return whether objects store a setting themselves in their constructors alone, in no method that runs later."""
    classes = (cls for known in read.base.alternatives if known.cls for cls in bases.ancestors(evaluator, known.cls))
    stores = (store for cls in classes for store in cls.attributes.get(str(read.name), ()))
    return all(store.scope.owner.name == INIT for store in stores)


def _given(evaluator: Evaluator, read: Reading, stores: Sequence[Binding], usual: Optional[Binding]) -> list[Value]:
    """Return what stores give that may run or not: non-default before one that runs with the default options."""
    found = []
    for each in stores:
        value = _put(evaluator, each, True)
        found.append(value.as_non_default() if is_before(each, usual, read) else value)
    return found


def _is_run_again(evaluator: Evaluator, base: Value, name: object) -> bool:
    """Return whether a module among some objects may bind a name again: in a function, or where it is reloaded."""
    modules = [known.what for known in base.alternatives if isinstance(known.what, SemanticIndex)]
    bound = ((module.scope, module.scope.bindings.get(str(name), ())) for module in modules)
    is_global = any(each.scope is not scope for scope, bindings in bound for each in bindings)
    return is_global or (bool(modules) and bool(evaluator.program.sites("reload")))


def _put(evaluator: Evaluator, store: Binding, is_weighed: bool = False) -> Value:
    """Return what a store gives a setting; open where the call graph does not draw it, but for constants."""
    value = evaluator.weighed(store) if is_weighed else evaluator.binding(store)
    return value if value.are_constants or path_of(receiver_of(store)) or is_drawn(store) else TOP


def _are_methods(evaluator: Evaluator, values: Sequence[Value], base: Value) -> bool:
    """Return whether objects have what is called when they are created: then it is no setting of an update.

    An object of no class of the project, `Namespace(run=f)`, has what it was given.
    """
    is_made_by_class = any(known.cls is not None or known.definition is not None for known in base.alternatives)
    own = base.identities

    def is_method(known: Alternative) -> bool:
        receiver = known.receiver
        if receiver is not None and evaluator.libraries.is_mapping(receiver.type_api):
            return False
        return is_made_by_class or (receiver is not None and receiver.identity in own)

    return any(is_method(known) for value in values for known in value.alternatives)


def _is_missing(evaluator: Evaluator, read: Reading) -> bool:
    """Return whether none of some objects has a setting when it is created: each read then gets a stored value."""
    name = read.name

    def has(known: Alternative) -> Optional[bool]:
        if known.cls is not None or known.definition is not None:
            answer = bases.has_by_class(evaluator, known, name) if isinstance(name, str) else None
            return None if answer is False and sets_by_name(evaluator) else answer
        is_dict = isinstance(known.what, Display) and known.is_mapping
        return mappings.shown(evaluator, known.what, name) if is_dict else evaluator.holds(known, name)  # type: ignore[arg-type]

    return read.base.are_only(lambda known: has(known) is False)


def _stores(evaluator: Evaluator, read: Reading, held: bool) -> list[Binding]:
    """Return the stores under a name that may reach a read of a setting; `held`: its object may be used elsewhere."""
    base, name = read.base, read.name
    if not isinstance(name, str):
        return []
    words = path_of(read.holder)
    here = read.scope.module.stores.get((words, name), ()) if words else ()
    if "." in words and here:
        here = [each for each in here if _may_be_of(evaluator, each, base)]
    elif here:
        home = _binding_scope(read.scope, words)
        here = [each for each in here if _binding_scope(each.scope, words) is home]
    found = [*here]
    for binding in (*(_elsewhere(evaluator, base, name) if held else ()), *_of_classes(evaluator, base, name)):
        if binding not in found:
            found.append(binding)
    return [each for each in found if not is_never_before(evaluator, stored(each), read)]


def _binding_scope(scope: Scope, name: str) -> Optional[Scope]:
    """Return the scope that binds a name; of a call context, its function."""
    home = scope.home(name)
    return home.owner if home is not None else None


def _may_be_of(evaluator: Evaluator, store: Binding, base: Value) -> bool:
    """Return whether the object in which a store is made may be one of these: another may have its name by now."""
    value, holders = evaluator.value(receiver_of(store), store.scope), base.identities
    is_unknown = not holders or base.open or value.open or not value.alternatives
    return is_unknown or any(known.identity in holders for known in value.alternatives)


def _elsewhere(evaluator: Evaluator, base: Value, name: str) -> list[Binding]:
    """Return the stores of a name in all files of the program in one of these objects."""
    stores, deep = evaluator.program.all_stores(name)
    if not stores and not deep:
        return []
    found: list[Binding] = []
    holders: dict[object, list[Alternative]] = {}
    for known in base.alternatives:
        holders.setdefault(known.identity, []).append(known)
    classes = {known.cls for known in base.alternatives if known.cls is not None}
    of_any = {known.cls for known in base.alternatives if known.is_any} & classes
    copies = [known.copied for known in base.alternatives if known.copied is not None]

    def may_be_one(known: Alternative) -> bool:
        if not all(are_made_apart(known, each) for each in holders.get(known.identity, ())):
            return True
        if known.cls is None or not classes:
            return False
        is_of_them = known.is_any and (known.copied is None or known.copied in copies)
        is_of_them = is_of_them and any(known.cls in bases.ancestors(evaluator, each) for each in classes)
        return is_of_them or not of_any.isdisjoint(bases.ancestors(evaluator, known.cls))

    made = {id(known.what.node) for known in base.alternatives if type(known.what) is Display}
    is_any = bool(of_any) or (bool(classes and deep) and sets_by_name(evaluator))  # which gives it computed names
    for binding in (*stores, *_named_so(base, deep, is_any)):
        receiver = receiver_of(binding)
        given = receiver.args if isinstance(receiver, ast.Call) else ()  # `settings.setdefault("name", {})["x"] = 1`
        is_one = any(map(may_be_one, evaluator.value(receiver, binding.scope).alternatives))
        found += [binding] if is_one or any(id(each) in made for each in given) else []
    return found


def _named_so(base: Value, deep: Sequence[Binding], is_any: bool) -> Sequence[Binding]:
    """Return those of some stores `a.b.c.name = value` whose object has a name that one of these was given: `c`.

    An object that has no name where it is changed may be each of them: `group[0].name = value`.
    """
    if is_any or not deep:
        return deep
    names = {"", *(name for known in base.alternatives for name in held_names.names_of(known.what))}
    return [each for each in deep if taken_word(receiver_of(each)) in names]


def has(evaluator: Evaluator, known: Alternative, key: object, own: Optional[ast.Call] = None) -> Optional[bool]:
    """Return whether a known dict has a key where code asks for it; None where it is not known.

    `own`: the call of `setdefault` that asks.
    """
    what = known.what
    assert isinstance(what, Display)
    answer = mappings.shown(evaluator, what, key)
    if answer is None or (isinstance(key, str) and _elsewhere(evaluator, Value((known,)), key)):
        return None
    if answer:
        return None if tables.is_taken_from(evaluator, known, key) else True
    return False if list_changes.is_fixed(evaluator, what) and not tables.grows(evaluator, what, key, own) else None


def _of_classes(evaluator: Evaluator, base: Value, name: str) -> Iterator[Binding]:
    """Yield the stores of a name in the classes of these objects, in all files: `Config.name = value`."""
    for known in base.alternatives:
        cls = known.what.type if isinstance(known.what, Instance) else known.what
        if not isinstance(cls, Scope) or not cls.is_class:
            continue
        classes = [*bases.ancestors(evaluator, cls)]
        owner = next((each for each in classes if name in each.bindings), None)
        is_setting = owner is not None and owner.bindings[name][-1].kind == "assign"
        if not is_setting and name not in _set_by_name(evaluator):
            continue
        if evaluator.libraries.has_field(evaluator, known, name):  # which its constructor gives a value
            continue
        above = classes[: classes.index(owner) + 1] if owner is not None else classes
        above += evaluator.program.derived(cls) if known.is_any else ()
        named, deep = evaluator.program.all_stores(name)
        own = (store.scope.owner for each in above for store in each.attributes.get(name, ()))
        is_hidden = any(scope.name == "__init__" for scope in own)  # by what objects store themselves
        for binding in (*named, *deep) if not is_hidden else ():
            if any(
                each.definition in above for each in evaluator.value(receiver_of(binding), binding.scope).alternatives
            ):
                yield binding


@query
def _set_by_name(evaluator: Evaluator) -> frozenset[str]:
    """Return what the program stores in what files define or import under a name, or in classes that it may decorate.

    By words alone: what reads members of classes rests on this, and would be one cycle with all decorators.
    """
    found = set()
    for module in evaluator.program.modules:
        for (words, name), stores in module.stores.items():
            base = words.partition(".")[0]
            is_named = base in module.defined or base in module.imported or words.endswith("__class__")
            if is_named or any(_may_be_decorated(evaluator, store.scope.owner, base) for store in stores):
                found.add(name)
        found.update(name for name, stores in module.deep.items() if any(map(_is_of_type, stores)))
    return frozenset(found)


def _is_of_type(store: Binding) -> bool:
    """Return whether a store is in the class of an object: `type(object).name = value`."""
    return isinstance(holder := receiver_of(store), ast.Call) and word_of(holder.func) == "type"


def _may_be_decorated(evaluator: Evaluator, function: Scope, name: str) -> bool:
    """Return whether a name is that of a class which a function may decorate: one with a decorator of its name."""
    is_first = function.is_function and [each.arg for each in positional(function)[:1]] == [name]
    around = (scope.name for scope in function.chain() if scope.parent is not None)
    return is_first and any(each.is_class for word in around for each in evaluator.program.decorated_by(word))


def _is_holder(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether an object may have settings, and is one object wherever it is used."""
    if known.creation is None:
        return known.is_mapping or bool(known.document) or known.api == ENVIRONMENT
    return known.cls is not None or not known.type_api.startswith(evaluator.libraries.closed)
