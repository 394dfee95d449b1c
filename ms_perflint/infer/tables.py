"""Tables of functions and classes, `TRAINERS[name](...)`; views of dicts, and changes of their entries."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
from typing import Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.execution_order import never_before, place, stored
from ms_perflint.index.semantic_index import COMPREHENSIONS, Binding, Scope, SemanticIndex, Site
from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import spelling, text_of, word_of
from ms_perflint.infer import bases, filtered, held_names, list_changes, mappings, sequences, setting_loops
from ms_perflint.infer.alternatives import DICT, LIST, SET, TUPLE, YIELDS, ConfigDocument, Constant, Display
from ms_perflint.infer.changes import CONTAINERS
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.places import UPDATES
from ms_perflint.infer.values import NO_CONSTANT, TOP, Alternative, Value, join

ENVIRONMENT = "os.environ"  # a mapping, though no code makes it
ENTRIES = 50  # of a table, that are looked at
VIEWS = ("keys", "values", "items")  # methods of a dict
_REFERENCES = (ast.Name, ast.Attribute, ast.Lambda, ast.Subscript)  # forms of what may be a function or a class
REMOVES = ("pop", "popitem", "clear")


def any_entry(evaluator: Evaluator, base: Value) -> Value:
    """Return the value of a table for an unknown key: all functions and classes in it.

    Open for other displays: which of several settings is read would be no more than a guess.
    """
    if base.open or not base.alternatives:
        return TOP
    values = [value for known in base.alternatives for value in _entries(evaluator, known)]
    if not all(map(_is_defined, values)):
        return TOP
    later = [value for known in base.alternatives for value in _stored(evaluator, known)[:ENTRIES]]
    values += later if all(map(_is_defined, later)) else [TOP]
    is_open = not values or any(_grows_otherwise(evaluator, known) for known in base.alternatives)
    return join([*values, TOP] if is_open else values)


def _is_defined(value: Value) -> bool:
    return value.are_only(lambda known: bool(known.definition or known.api))


def others(evaluator: Evaluator, base: Value, found: list[Value]) -> list[Value]:
    """Return the entries of a table other than those found, as non-default; nothing for other displays."""
    held = {known.what for value in found for known in value.alternatives}
    left = (known for known in any_entry(evaluator, base).alternatives if known.what not in held)
    return [Value((known.as_non_default(),)) for known in left]


def _entries(evaluator: Evaluator, known: Alternative) -> list[Value]:
    """Return the values of a display; with TOP where not all are known."""
    what = known.what
    if not isinstance(what, Display):
        return [TOP]
    is_whole = what.kind in (LIST, TUPLE, SET, DICT, YIELDS) and None not in what.keys
    if not is_whole or len(what.parts) > ENTRIES or any(part.is_spread for part in what.parts):
        return [TOP]
    return [evaluator.read(part) for part in what.parts]


def _stored(evaluator: Evaluator, known: Alternative) -> list[Value]:
    """Return what the file of a table stores in it by `name["key"] = value`; TOP beside other values."""
    what = known.what
    held = held_names.held_under(evaluator, what) if isinstance(what, Display) and what.kind == DICT else {}
    found = (store for module, names in held.items() for store in _stores(module, names))
    stores = [(store.value, store) for store in found if _is_item(store) and store.value is not None]
    if not all(isinstance(value, _REFERENCES) for value, _ in stores):
        return [TOP]  # and nothing is evaluated for the many dicts of results
    holders = ((each, evaluator.value(receiver_of(each[1]), each[1].scope).alternatives) for each in stores)
    own = (each for each, holder in holders if any(one.identity == known.identity for one in holder))
    return [evaluator.value(value, store.scope) for value, store in own]


def _is_item(binding: Binding) -> bool:
    return isinstance(binding.node, ast.Subscript) and binding.value is not None and not binding.path


def _grows_otherwise(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether code puts more into a table than by `name["key"] = value`."""
    assert isinstance(known.what, Display)
    return any(
        _grows(module, names) or not all(map(_is_item, _stores(module, names)))
        for module, names in held_names.held_under(evaluator, known.what).items()
    )


def _stores(module: SemanticIndex, names: Set[str], key: object = None) -> Iterator[Binding]:
    """Yield the stores of a file in something that has one of these names; under any key for None."""
    for (base, name), bindings in module.stores.items():
        if base.rpartition(".")[2] in names and key in (None, name):
            yield from bindings


def grows(evaluator: Evaluator, what: object, key: object = None, own: Optional[ast.Call] = None) -> bool:
    """Return whether code puts more into a table, under the names that it has in its file or gets as an argument.

    `key`: whether this is a part of it. `own`: a call that is left out, with those that read alike.
    """
    assert isinstance(what, Display)
    if not held_names.bindings_of(what) and list_changes.is_entry_changed(evaluator, what, key, own):
        return True
    held = (*held_names.held_under(evaluator, what).items(), *held_names.imported_under(evaluator, what))
    return any(any(_stores(module, names, key)) or _grows(module, names, key, own) for module, names in held)


def _grows(module: SemanticIndex, names: Set[str], key: object = None, own: Optional[ast.Call] = None) -> bool:
    """Return whether a file puts more into a table that has one of these names, but by `name["key"] = value`."""
    left_out = spelling(own) if own is not None else ""
    others = (site for site, spelt in _adding(module) if spelt != left_out)
    own_sites = [site for site in others if not names.isdisjoint(map(word_of, _changed_by(site)))]
    return not names.isdisjoint(module.registered) or any(key is None or _may_add(site, key) for site in own_sites)


@fact
def _adding(module: SemanticIndex) -> list[tuple[Site, str]]:
    """Return the calls of a file that may put more into a dict, with their spelling."""
    words = (*UPDATES, "move_to_end")
    return [(site, spelling(site.node)) for word in words for site in module.by_word.get(word, ())]


def _changed_by(site: Site) -> list[ast.expr]:
    """Return the expression of the dict that a call changes, by its form: also `dict.update(settings, a=1)`."""
    is_by_class = site.base is not None and word_of(site.base) in CONTAINERS
    return site.call.args[:1] if is_by_class else [site.base] if site.base is not None else []


def _may_add(site: Site, key: object) -> bool:
    """Return whether a call may add a key to a table: `setdefault("a", 1)` only adds its own."""
    text = text_of(site.call.args[0]) if site.word == "setdefault" and site.call.args else ""
    return not text or text == key


def view(evaluator: Evaluator, receiver: Alternative, name: str) -> Optional[Value]:
    """Return the result of `keys`, `values` and `items` of a dict as a tuple; None where not all of it is known."""
    what = receiver.what
    flat = _flat(evaluator, what)
    if flat is None or not isinstance(what, Display):
        return None
    made = Display(what.node, what.scope, TUPLE, _viewed(evaluator, name, flat))
    return Value((Alternative(made, receiver.where, receiver.by_default),))


def view_of_file(evaluator: Evaluator, receiver: Alternative, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the same of a mapping in a config file, for a comprehension; None where the code changes the mapping.

    For the body of a loop it would be any of all that a file holds, in each run something else.
    """
    what, name = receiver.what, word_of(node.func)
    data = what.data if isinstance(what, ConfigDocument) and not what.open else None
    base = node.func.value if isinstance(node.func, ast.Attribute) else None
    if not isinstance(data, dict) or base is None or not 0 < len(data) <= ENTRIES:
        return None
    if any(_stores(scope.module, {word_of(base)})) or _grows(scope.module, {word_of(base)}):
        return None
    if not _is_gone_through(node, scope):
        return None
    keys = ((key, evaluator.known(Constant(key), node, scope)) for key in data)
    pairs = [(Held(node, scope, known), Held(node, scope, evaluator.item(receiver, key))) for key, known in keys]
    made = Display(node, scope, TUPLE, _viewed(evaluator, name, pairs))
    return Value((Alternative(made, receiver.where, receiver.by_default),))


def _is_gone_through(node: ast.Call, scope: Scope) -> bool:
    """Return whether a comprehension iterates over the result of a call."""
    site = scope.module.site_at(node)
    made = (each for each in ast.walk(site.stmt) if isinstance(each, COMPREHENSIONS)) if site is not None else ()
    return any(generator.iter is node for each in made for generator in each.generators)


def _flat(evaluator: Evaluator, what: object, depth: int = 0) -> Optional[list[tuple[Held, Held]]]:
    """Return the keys and values of a dict, also of those that it is laid over; None where not all of that is shown."""
    is_dict = isinstance(what, Display) and what.kind == DICT and (not what.is_deep or len(what.keys) == 1)
    if not isinstance(what, Display) or not is_dict or depth > sequences.NESTED or grows(evaluator, what):
        return None
    if filtered.is_one(what):
        return None
    if None not in what.keys:
        return [(key, part) for key, part in zip(what.keys, what.parts) if key is not None]
    found: dict[object, tuple[Held, Held]] = {}
    for key, part in zip(what.keys, what.parts):
        below = evaluator.read(part).only if key is None else None
        layer = [(key, part)] if key is not None else _flat(evaluator, below and below.what, depth + 1)
        constants = [evaluator.read(each).constant for each, _ in layer or ()]
        if layer is None or NO_CONSTANT in constants:
            return None
        found.update(zip(constants, layer))
    return list(found.values())


def _viewed(evaluator: Evaluator, name: str, pairs: Sequence[tuple[Held, Held]]) -> tuple[Held, ...]:
    if name != "items":
        return tuple(pair[name == "values"] for pair in pairs)
    rows = ((key, Display(key.node, key.scope, TUPLE, (key, part))) for key, part in pairs)
    return tuple(Held(key.node, key.scope, evaluator.known(row, key.node, key.scope)) for key, row in rows)


# --- changes under keys that are computed, and what is taken out: `name[key] = value`, `name.pop("a")`


def changes(evaluator: Evaluator, base: Value, node: ast.expr, name: object) -> Iterator[tuple[Binding, bool]]:
    """Yield what changes the entry under a key of some mappings: of dicts, in the files in which they are made.

    Of config documents and options, what takes out this very key; of the environment, what any file does. With each,
    whether it is surely that entry.
    """
    dicts = [known for known in base.alternatives if type(known.what) is Display and known.what.kind == DICT]
    is_there, is_text, changes = fails_without(node), isinstance(name, str), list[Binding]()
    made_in = {known.what.scope.module for known in dicts}  # type: ignore[union-attr]
    is_environment = not dicts and any(known.api == ENVIRONMENT for known in base.alternatives)
    for module in made_in | {*(evaluator.program.naming("environ") if is_environment else ())}:
        changes += _dict_changes(module, is_text)
    imported = (held_names.imported_under(evaluator, each.what) for each in dicts)  # type: ignore[arg-type]
    for other, names in {(other, frozenset(names)) for several in imported for other, names in several}:
        changes += [change for change in _dict_changes(other, is_text) if word_of(receiver_of(change)) in names]
    rest = [known for known in base.alternatives if known not in dicts] if changes or not is_there else []
    others = [known for known in rest if _is_mapping(evaluator, known)]
    if not is_there and others:
        sites = [site for site in evaluator.program.sites("pop") if name in [*map(text_of, site.call.args[:1])]]
        sites += evaluator.program.sites("clear")
        changes += [change for site in sites if (change := _removal(site)) is not None]
    holders = {known.identity for known in (*dicts, *others)} if changes else ()
    is_kept = bool(dicts) and not others and _is_kept(evaluator, dicts, changes, node, name)
    for binding in dict.fromkeys(changes):
        is_call = isinstance(binding.node, ast.Call)
        is_idle = is_kept  # a call that leaves the entry as it is
        if binding.kind == "delete":
            is_idle = is_there and not (is_call and _is_added_again(evaluator, name))
        is_other = binding.node is not node or binding.kind == "delete"  # `pop` in a function that is called twice
        is_read = is_other and not (is_call and is_idle)
        answer = _is_about(evaluator, binding, name) if is_read else False
        if answer is not False:
            held = evaluator.value(receiver_of(binding), binding.scope).alternatives
            if any(known.identity in holders for known in held):
                yield binding, answer is True and (not is_call or binding.kind == "delete")


def _is_added_again(evaluator: Evaluator, name: object) -> bool:
    """Return whether `setdefault` may put an entry under a key after it was taken out."""
    return any(name in [*map(text_of, site.call.args[:1])] for site in evaluator.program.sites("setdefault"))


def _is_kept(
    evaluator: Evaluator, dicts: list[Alternative], changes: list[Binding], node: ast.expr, name: object
) -> bool:
    """Return whether dicts have a key from the start, which nothing takes out: `setdefault` leaves it as it is."""
    if not any(each.kind != "delete" and isinstance(each.node, ast.Call) for each in changes):
        return False
    if not all(mappings.shown(evaluator, each.what, name) for each in dicts):  # type: ignore[arg-type]
        return False
    taken = (each for each in changes if each.kind == "delete" and each.node is not node)
    return all(_is_about(evaluator, each, name) is False for each in taken)


def _is_mapping(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether something is a mapping, also as an object of a class of the project."""
    is_shown = known.is_mapping or known.api == ENVIRONMENT
    return is_shown or (known.cls is not None and bases.is_mapping(evaluator, known.cls))


def fails_without(node: ast.expr) -> bool:
    """Return whether an expression fails where its dict does not have the key: nothing has taken that out before."""
    is_pop = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop"
    return isinstance(node, (ast.Subscript, ast.Attribute)) or (is_pop and len(node.args) == 1)  # type: ignore[attr-defined]


def receiver_of(binding: Binding) -> ast.expr:
    """Return the expression of the object that a store or a method changes."""
    node = binding.node.func if isinstance(binding.node, ast.Call) else binding.node
    assert isinstance(node, (ast.Attribute, ast.Subscript))
    return node.value


def _is_about(evaluator: Evaluator, binding: Binding, name: object) -> Optional[bool]:
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
def _dict_changes(module: SemanticIndex, is_text: bool) -> list[Binding]:
    """Return what, by its form, stores in a dict of a file under a key that is computed, or takes entries out.

    `is_text`: the key that is read is a text, which no loop over numbers gives.
    """
    found = []
    for target, value, block in (store for stores in module.registered.values() for store in stores):
        loop = setting_loops.of_key(target.slice, block) if type(target.ctx) is not ast.Del else None
        is_bulk = loop is not None and (is_text or not setting_loops.is_over_numbers(loop, block.scope))
        if not is_bulk and not _is_given(value, block.scope):
            known = value if not isinstance(value, ast.Starred) else None
            found.append(Binding("", "assign" if known is not None else "delete", target, known, (), target, block))
    sites = (site for word in REMOVES for site in module.by_word.get(word, ()))
    found += [change for site in sites if (change := _removal(site)) is not None]
    for site in module.by_word.get("setdefault", ()):
        args = site.call.args if site.base is not None else []
        if len(args) == 2 and not isinstance(args[0], ast.Constant):  # else it is a bulk update
            found.append(Binding("", "assign", site.node, args[1], (), site.stmt, site.block))
    return found


def is_taken_from(evaluator: Evaluator, known: Alternative, key: object) -> bool:
    """Return whether code may take the entry under a key out of a dict."""
    found = changes(evaluator, Value((known,)), known.what.node, key)  # type: ignore[union-attr, arg-type]
    return any(change.kind == "delete" for change, _ in found)


def membership(evaluator: Evaluator, holders: Value, names: Value, node: ast.expr, scope: Scope) -> Optional[Value]:
    """Return the result of `name in holder` and `hasattr(holder, name)`; None where it is not known."""
    if len(names.constants) != 1 or names.open or holders.open:
        return None
    answers = {evaluator.holds(known, names.constants[0]) for known in holders.by_default}
    if len(answers) != 1 or None in answers:
        return None
    if True in answers and is_deleted(evaluator, holders, names.constants[0], node):
        return None
    if False in answers and not holders.are(lambda known: known.is_display):
        stores, deep = evaluator.program.all_stores(str(names.constants[0]))
        here = place(node, scope)
        if any(not never_before(stored(each), here) for each in (*stores, *deep)):
            return None
    is_fixed = all(known.is_options or filtered.is_shown(known) for known in holders.alternatives)
    is_fixed = is_fixed and not holders.overridable and not names.overridable
    return Value((Alternative(Constant(answers.pop()), (scope.module, node)),), False, not is_fixed)


def is_deleted(evaluator: Evaluator, holders: Value, name: object, node: ast.expr) -> bool:
    """Return whether code may delete an attribute of some objects, or take out an entry of that name."""
    named, deep = evaluator.program.all_stores(name) if isinstance(name, str) else ((), ())
    is_named = any(store.kind == "delete" for store in (*named, *deep))
    return is_named or any(change.kind == "delete" for change, _ in changes(evaluator, holders, node, name))


def _removal(site: Site) -> Optional[Binding]:
    """Return what a call takes out of a dict, by its form; None for others."""
    is_one = site.base is not None and (site.call.args or site.word != "pop")
    return Binding("", "delete", site.node, None, (), site.stmt, site.block) if is_one else None


def _is_given(value: ast.expr, scope: Scope) -> bool:
    """Return whether a function stores its argument and returns it, as a registering decorator does."""
    bindings = scope.owner.bindings.get(value.id, ()) if isinstance(value, ast.Name) else ()
    returned = (node.id for node, _ in scope.owner.returns if isinstance(node, ast.Name))
    return any(binding.kind == "parameter" for binding in bindings) and value.id in returned  # type: ignore[attr-defined]
