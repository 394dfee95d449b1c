"""What `object.name = value` and `object["name"] = value` give an object that was made elsewhere."""

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
    place,
    rank,
    stored,
)
from ms_perflint.index.reachability import path_condition
from ms_perflint.index.semantic_index import COMPREHENSIONS, FUNCTIONS, Binding, Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import path_of, word_of
from ms_perflint.infer import bases, lists, mappings, setting_loops, tables
from ms_perflint.infer.bulk_updates import is_never_before, laid_over
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import DICT, NO_CONSTANT, Alternative, Display, Instance, Options, Value

REMOVES = ("pop", "popitem", "clear")  # methods of a dict
CALLS = 6  # calls that are gone back, one behind the other
CALLERS = 20  # of one function


def overlaid(
    evaluator: Evaluator,
    values: Sequence[Value],
    base: Value,
    node: ast.expr,
    name: str,
    scope: Scope,
    holder: Optional[ast.expr],
) -> list[Value]:
    """Return what a setting can be, where `values` is what it was when its object was made.

    `node` is the expression that reads it from an object that `base` is, and `holder` the expression for that. A store
    that surely runs before takes the place of everything that was there.
    """
    if name.startswith("__"):
        return list(values)
    is_held = any(_is_holder(evaluator, known) for known in base.alternatives)
    is_called = isinstance(node, ast.Attribute) and scope.module.calls(node)  # then it is no setting of an update
    found = _stores(evaluator, base, node, name, scope, holder, is_held)
    for binding, is_sure in _of_dicts(evaluator, base, node, name) if is_held else ():
        if not is_never_before(evaluator, stored(binding), base, node, scope):
            found = [*found, binding] if is_sure else found
            values = [*values, evaluator.weighed(binding)] if not is_sure else values
    homes = {_home(known) for known in base.alternatives}
    before = [binding for binding in found if _is_sure(evaluator, binding, node, scope, homes)]
    if before:
        last = before[0]
        for binding in before[1:]:
            last = binding if _is_after(evaluator, binding, last, scope) else last
        read = place(node, scope)
        later = [b for b in found if b is not last and not _is_undone(evaluator, b, last, read)]
        values = [evaluator.binding(last), *(evaluator.weighed(binding) for binding in later)]
        return laid_over(evaluator, values, base, node, name, scope, last) if is_held and not is_called else values
    if is_held and not is_called:
        values = laid_over(evaluator, values, base, node, name, scope)
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
    value = evaluator.value(_receiver(store), store.scope)
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
        return None if _is_taken_from(what) else True
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


# --- a dict under keys that are computed, and what is taken out of it: `name[key] = value`, `name.pop("a")`


def _of_dicts(evaluator: Evaluator, base: Value, node: ast.expr, name: str) -> Iterator[tuple[Binding, bool]]:
    """Yield what changes the entry under a key of some dicts, in the files in which they are made.

    With each, whether it is surely that entry.
    """
    dicts = [known for known in base.alternatives if type(known.what) is Display and known.what.kind == DICT]
    if not dicts:
        return
    holders, is_there = {known.identity for known in dicts}, _is_there(node)
    changes = [change for known in dicts for change in _dict_changes(known.what.scope.module)]  # type: ignore[union-attr]
    for binding in dict.fromkeys(changes):
        is_read = binding.node is not node and not (is_there and isinstance(binding.node, ast.Call))
        answer = _is_about(evaluator, binding, name) if is_read else False
        if answer is not False:
            held = evaluator.value(_receiver(binding), binding.scope).alternatives
            if any(known.identity in holders for known in held):
                yield binding, answer is True


def _is_there(node: ast.expr) -> bool:
    """Return whether an expression fails where its dict does not have the key: nothing has taken that out before."""
    is_pop = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop"
    return isinstance(node, ast.Subscript) or (is_pop and len(node.args) == 1)  # type: ignore[attr-defined]


def _is_taken_from(what: Display) -> bool:
    """Return whether its file takes entries out of a dict, under a name that it got where it was made."""
    names = {holder.name for holder in lists.bindings_of(what)}
    sites = (site for word in REMOVES for site in what.scope.module.by_word.get(word, ()))
    return any(site.base is not None and word_of(site.base) in names for site in sites)


def _receiver(binding: Binding) -> ast.expr:
    """Return the expression of the object that a store or a method changes."""
    node = binding.node.func if isinstance(binding.node, ast.Call) else binding.node
    assert isinstance(node, (ast.Attribute, ast.Subscript))
    return node.value


def _is_about(evaluator: Evaluator, binding: Binding, name: str) -> Optional[bool]:
    """Return whether a change is one of the entry under a key; None where that is not known."""
    node = binding.node
    key = next(iter(node.args), None) if isinstance(node, ast.Call) else node.slice  # type: ignore[attr-defined]
    if not isinstance(key, ast.expr):
        return True if node.func.attr == "clear" else None  # type: ignore[attr-defined]
    value = evaluator.value(key, binding.scope)
    if value.constant is not NO_CONSTANT and not value.overridable:
        return bool(value.constant == name)
    return False if value.alternatives and not value.open and name not in value.constants else None


@fact
def _dict_changes(module: SemanticIndex) -> list[Binding]:
    """Return what, by its form, stores in a dict of a file under a key that is computed, or takes entries out."""
    found = []
    for target, value, block in (store for stores in module.registered.values() for store in stores):
        if setting_loops.of_key(target.slice, block) is None and not _is_given(value, block.scope):
            known = value if not isinstance(value, ast.Starred) else None
            found.append(Binding("", "assign" if known is not None else "delete", target, known, (), target, block))
    for site in (site for word in REMOVES for site in module.by_word.get(word, ())):
        is_of_dict = isinstance(site.node, ast.Call) and (site.node.args or site.word != "pop")
        if is_of_dict and site.base is not None:
            found.append(Binding("", "delete", site.node, None, (), site.stmt, site.block))
    return found


def _is_given(value: ast.expr, scope: Scope) -> bool:
    """Return whether a function stores what it is given, and gives it back, as a decorator that registers it does."""
    bindings = scope.owner.bindings.get(value.id, ()) if isinstance(value, ast.Name) else ()
    returned = (node.id for node, _ in scope.owner.returns if isinstance(node, ast.Name))
    return any(binding.kind == "parameter" for binding in bindings) and value.id in returned  # type: ignore[attr-defined]


# --- order


def _is_sure(
    evaluator: Evaluator, binding: Binding, node: ast.expr, scope: Scope, homes: set[Optional[SemanticIndex]]
) -> bool:
    """Return whether a store has run, on every path, when an expression is evaluated."""
    if binding.value is None and binding.kind != "delete":
        return False
    if binding.scope.owner is scope.owner:
        return has_run(binding, node, scope)
    if isinstance(binding.scope.owner.node, ast.Module):
        return _is_behind(evaluator, binding, node, scope, homes == {binding.scope.module})
    if is_always_passed(stored(binding)) and _is_returned(binding, binding.scope.owner):
        return True
    only = evaluator.value(_receiver(binding), binding.scope).only
    is_one = only is not None and _is_made_once(evaluator, only)
    return is_one and _has_run_elsewhere(evaluator, binding, place(node, scope), scope.owner, CALLS)


def _is_made_once(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether what is known is one object in a run: made in no loop, and in no function that is called again."""
    what, node = known.what, known.where[1]
    if not isinstance(what, (Instance, Display)) or not isinstance(node, ast.AST):
        return True
    scope = what.scope
    for _ in range(CALLS):
        here = place(node, scope)
        if here is None or here.block.loops or isinstance(scope.node, COMPREHENSIONS):
            return False
        if not scope.owner.is_function:
            return True
        sites = evaluator.program.callers(scope.owner)
        if len(sites) != 1:
            return False
        node, scope = sites[0].node, sites[0].scope
    return False


def _has_run_elsewhere(evaluator: Evaluator, store: Binding, here: Optional[Place], scope: Scope, calls: int) -> bool:
    """Return whether a store of another function has run, on every path, when a place is reached.

    A call before it makes it, or all calls of the function around come after it.
    """
    own = store.scope.owner
    if own is scope:
        return happens_before(stored(store), here)
    if any(
        happens_before(place(site.node, site.scope), here) and _makes(evaluator, site, store, calls)
        for site in scope.calls
    ):
        return True
    sites = evaluator.program.callers(scope) if scope.is_function and calls else ()
    return 0 < len(sites) <= CALLERS and all(
        site.scope.owner is scope
        or _has_run_elsewhere(evaluator, store, place(site.node, site.scope), site.scope.owner, calls - 1)
        for site in sites
    )


def _makes(evaluator: Evaluator, site: Site, store: Binding, calls: int) -> bool:
    """Return whether a call makes a store, on every path: the function that it enters, or one that this calls."""
    if not calls:
        return False
    only = evaluator.callees(site).only
    function = only.definition if only is not None else None
    if function is None or function.yields or not isinstance(function.node, ast.FunctionDef):
        return False
    if function is store.scope.owner:
        return _always_runs(stored(store))
    return any(
        _always_runs(place(each.node, each.scope)) and _makes(evaluator, each, store, calls - 1)
        for each in function.calls
    )


def _always_runs(here: Optional[Place]) -> bool:
    """Return whether a place has run whenever its function has returned: there is no `return` before it."""
    if here is None or not is_always_passed(here):
        return False
    start = here.owner.module.rank(here.owner.node) or 0
    before = here.owner.module.steps[start + 1 : here.rank]
    return not any(isinstance(step, ast.Return) and block.scope.owner is here.owner for step, block in before)


def _is_returned(binding: Binding, owner: Scope) -> bool:
    """Return whether the function that stores returns the object, which nothing reads before."""
    target = _receiver(binding)
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
    if binding.scope.owner is scope.owner or _is_imported(evaluator, other, stored(binding), binding.scope):
        return True
    return _has_run_elsewhere(evaluator, other, stored(binding), binding.scope.owner, CALLS)


def _is_undone(evaluator: Evaluator, binding: Binding, last: Binding, read: Optional[Place]) -> bool:
    """Return whether another store, which is sure, takes the place of what this one gave."""
    if binding.scope.owner is last.scope.owner:
        return is_replaced(stored(binding), stored(last), read)
    if not isinstance(binding.scope.owner.node, ast.Module):
        return False
    own = last.scope.owner
    is_inside = (
        own.is_function and not own.imports and read is not None and read.owner is own
    )  # no module runs meanwhile
    if is_inside or _is_imported(evaluator, binding, stored(last), last.scope):
        return True
    return _has_run_elsewhere(evaluator, binding, stored(last), own, CALLS)  # a module runs once


# --- a store at module level, and code elsewhere


def _is_behind(evaluator: Evaluator, store: Binding, node: ast.expr, scope: Scope, is_own: bool) -> bool:
    """Return whether a store at the level of a module has run, on every path, when code of another scope is evaluated.

    Code of another file runs behind it where that file has imported the module to its end, or is given what only the
    module makes (`is_own`); a function where all of its calls do. Of a function without a known call, it is not
    known.
    """
    own = scope.owner
    if own.module is not store.scope.module:
        is_given = is_own and _is_done_for(evaluator, store, own)
        if is_given or _is_imported(evaluator, store, place(node, scope), own):
            return True
    return _is_defined_behind(store, own) or (own.is_function and _is_called_behind(evaluator, store, own, CALLS))


def _is_defined_behind(store: Binding, scope: Scope) -> bool:
    """Return whether the function or class that code stands in, at the level of the module, is only made then."""
    outer: Optional[Scope] = scope
    while outer is not None and outer.parent is not store.scope.owner:
        outer = outer.parent
    return outer is not None and happens_before(stored(store), place(outer.node, store.scope))


def _is_called_behind(evaluator: Evaluator, store: Binding, function: Scope, calls: int) -> bool:
    """Return whether all calls of a function come after a store."""
    sites = evaluator.program.callers(function)
    if not sites or len(sites) > CALLERS or not calls:
        return False
    at = stored(store)
    for site in sites:
        own, here = site.scope.owner, place(site.node, site.scope)
        if own is store.scope.owner:
            if not happens_before(at, here):
                return False
            continue
        is_later = _is_imported(evaluator, store, here, own) or _is_defined_behind(store, own) or own is function
        if not is_later and not (own.is_function and _is_called_behind(evaluator, store, own, calls - 1)):
            return False
    return True


def _is_imported(evaluator: Evaluator, store: Binding, here: Optional[Place], scope: Scope) -> bool:
    """Return whether the file of a place has, before it, imported the module of a store, which goes on to its end."""
    home, own = store.scope.module, scope.owner
    if own.module is home or not _is_done_for(evaluator, store, own):
        return False
    for scope in (own.module.scope, own):
        for stmt, block in scope.imports:
            at = place(stmt, block.scope)
            is_done = is_always_passed(at) if scope is not own else happens_before(at, here)
            if is_done and any(
                path == home.path or home.path in _behind(evaluator, path)
                for path in evaluator.program.names.imported_files(stmt, own.module)
            ):
                return True
    return False


def _is_done_for(evaluator: Evaluator, store: Binding, own: Scope) -> bool:
    """Return whether code that has got hold of a module finds it at its end: it does not call that code before."""
    home = store.scope.module
    if not is_always_passed(stored(store)) or evaluator.program.is_entry(home.path):
        return False
    return own.module.path not in _behind(evaluator, home.path)


@query
def _behind(evaluator: Evaluator, path: str) -> frozenset[str]:
    """Return the files that importing a file may run."""
    found: set[str] = set()
    todo = [path]
    while todo:
        for other in evaluator.program.project.imports.imported(todo.pop(), evaluator.program.names.roots):
            if other in evaluator.program.paths and other not in found:
                found.add(other)
                todo.append(other)
    return frozenset(found)
