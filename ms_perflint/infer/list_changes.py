"""Changes of lists and dicts after they are made, under all the names that they have."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Optional, Union

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import FUNCTIONS, Binding, Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import PROPERTIES, is_decorated, spelling, text_of, word_of, words_in
from ms_perflint.infer import held_names
from ms_perflint.infer.alternatives import COMPREHENSION, TUPLE, YIELDS, Display, Instance
from ms_perflint.infer.call_context import are_made_apart
from ms_perflint.infer.changes import STORE, Change, augmenting, touching
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.places import ADDS, SHRINKS, UPDATES
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import Alternative, Value

FIXED = (TUPLE, YIELDS)  # kinds of displays that get nothing later
BEHIND = frozenset({"append", "extend"})  # methods that leave all elements where they are
KEEPING = frozenset({"builtins", "math", "mindspore", "numpy"})  # packages whose functions change no list that they get
KEEPS = BEHIND | {STORE}  # those that move no element to another place
CHOICES = (ast.BoolOp, ast.IfExp, ast.NamedExpr, ast.Starred)  # expressions that give one of their parts
OWN = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.Constant, ast.BinOp)  # that make something new
HOLDERS = ("argparse.", "collections.", "contextlib.", "dataclasses.", "functools.", "operator.", "types.")


def grows(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether code changes a row of objects after it was made."""
    return isinstance(known.what, Instance) and bool(changed(evaluator, known.what))


def changed(evaluator: Evaluator, what: Union[Display, Instance]) -> frozenset[str]:
    """Return the names of the methods by which code changes a list after it was made."""
    return frozenset(change.word for change in changes(evaluator, what))


def changes(evaluator: Evaluator, what: Union[Display, Instance]) -> tuple[Change, ...]:
    """Return the changes of a list after it was created.

    They are made under the names that it is assigned to there, in functions to which it is passed, and where the
    evaluator finds that an expression is this list.
    """
    if isinstance(what, Instance):
        return _found(evaluator, what)
    bare = Display(what.node, what.scope, what.kind, binding=what.binding)  # what it holds makes no difference
    return _found(evaluator, bare) if what.kind not in FIXED else ()


def added(evaluator: Evaluator, node: ast.expr, scope: Scope) -> list[tuple[ast.expr, Scope]]:
    """Return the elements that code adds to the lists that an expression can be, each with its scope."""
    found: list[tuple[ast.expr, Scope]] = []
    for change in additions(evaluator, node, scope):
        is_shown = change.word == "extend" and isinstance(change.added, (ast.List, ast.Tuple))
        parts = change.added.elts if is_shown else [change.added]  # type: ignore[union-attr]
        found += [(part, change.block.scope) for part in parts]  # type: ignore[misc]
    return found


def additions(evaluator: Evaluator, node: ast.expr, scope: Scope) -> list[Change]:
    """Return the changes that add something to the lists and dicts that an expression can be.

    Where not all of these are known, also those under the same name.
    """
    value = evaluator.value(node, scope)
    made = [known.what for known in value.alternatives if isinstance(known.what, (Display, Instance))]
    several = [change for what in made for change in changes(evaluator, what)]
    for change in evaluator.program.touching(word_of(node)) if value.open or not made else ():
        is_named_so = has_same_name(node, scope, change.about, change.block.scope)
        several += [change] if is_named_so and change not in several else []
    return [each for each in several if each.added is not None]


def has_same_name(node: ast.expr, scope: Scope, other: ast.expr, inner: Scope) -> bool:
    """Return whether two expressions are the same name, attribute or entry, by words and where the name is bound."""
    while isinstance(node, ast.Subscript) and isinstance(other, ast.Subscript):
        if spelling(node.slice) != spelling(other.slice):
            return False
        node, other = node.value, other.value
    words = words_in(node)
    return bool(words) and words == words_in(other) and (len(words) > 1 or scope.bound(node) == inner.bound(other))


@query(bottom=())
def _found(evaluator: Evaluator, what: Union[Display, Instance]) -> tuple[Change, ...]:
    found: dict[int, Change] = {}
    todo = held_names.bindings_of(what)
    is_passed_on = not todo
    is_of_any = not todo and type(what.node) is ast.Name  # which a `defaultdict` makes for any key
    modules = evaluator.program.modules if is_of_any else (what.scope.module,)
    if not todo:
        key = held_names.keys_of(what.scope.module).get(id(what.node))
        by_key = (each for module in modules for each in _under_keys(module))
        stored = evaluator.program.touching(key) if key else by_key
        found.update((id(each.node), each) for each in _about(evaluator, what, stored) if each.site is None)
    for holder in todo:  # grows on the way
        own = _changes(holder.scope.module, holder)
        if not is_passed_on:
            names = holder.scope.module.aliases((words_in(holder.node) or (holder.name,))[-1])
            is_passed_on = not names.isdisjoint(_passed_on(holder.scope.module))
        for change in (*own, *_under_other_names(evaluator, what, holder, own)):
            if change.site is None:
                found[id(change.node)] = change
                continue
            parameters = [*held_names.taking(evaluator, change.about, change.site)]
            todo.extend(each for each in parameters if each not in todo)
            is_passed_on = is_passed_on or (not parameters and _is_kept(evaluator, change.site))
    for module in modules:
        nameless, named = _of_others(module)
        others = (each for each in (*nameless, *(named if is_passed_on else ())) if each.node is not what.node)
        found.update((id(each.node), each) for each in _about(evaluator, what, others))
    return tuple(found.values())


@fact
def _passed_on(module: SemanticIndex) -> frozenset[str]:
    """Return the last words of what a file puts into something else, returns, or makes a default."""
    nodes: list[Optional[ast.AST]] = [each for shown in module.displays for each in ast.iter_child_nodes(shown)]
    for scope in module.scopes:
        nodes += [value for value, _ in (*scope.returns, *scope.yields)]
        nodes += [*scope.node.args.defaults, *scope.node.args.kw_defaults] if isinstance(scope.node, FUNCTIONS) else []
    assigned = (stmt for stmt, _ in module.steps if type(stmt) is ast.Assign)
    nodes += [each.value for each in assigned if type(each.value) in CHOICES or type(each.targets[0]) is ast.Subscript]
    parts = (ast.iter_child_nodes(each) if type(each) in CHOICES else (each,) for each in nodes if each is not None)
    return frozenset(word_of(each) for several in parts for each in several)


def _is_kept(evaluator: Evaluator, site: Site) -> bool:
    """Return whether a call may put what it is given into a container or object, or give it to a function."""
    called = evaluator.callees(site).alternatives
    return site.word in ADDS or any(each.definition is not None or each.api.startswith(HOLDERS) for each in called)


@fact
def _under_keys(module: SemanticIndex) -> list[Change]:
    """Return the changes of what a file takes from mappings under texts: `groups["a"].append(1)`."""
    changes = (each for changes in touching(module).values() for each in changes)
    return [each for each in changes if each.site is None and text_of(getattr(each.about, "slice", None))]


@fact
def _of_others(module: SemanticIndex) -> tuple[list[Change], list[Change]]:
    """Return the changes of what a file takes from something else: `group[0].append(1)`; and of names for such."""
    nameless, named = list[Change](), list[Change]()
    for change in (each for changes in touching(module).values() for each in changes if each.site is None):
        about = change.about
        bindings = change.block.scope.bound(about)
        is_number = (
            change.word == "extend"
            and type(change.node) is ast.AugAssign
            and type(change.added) not in (ast.List, ast.Tuple)
        )
        if not word_of(about):
            nameless.append(change)
        elif type(about) is ast.Attribute:
            named += [change] if not isinstance(about.value, ast.Name) or about.value.id != "self" else []
        elif any(each.kind == "for" or not (is_number or type(each.whole) in OWN) for each in bindings):
            named.append(change)
    return nameless, named


def _under_other_names(
    evaluator: Evaluator, what: Union[Display, Instance], holder: Binding, own: Sequence[Change]
) -> Iterator[Change]:
    """Yield the changes of a list under other names, and in other functions and files than that of its name."""
    module, word = holder.scope.module, (words_in(holder.node) or (holder.name,))[-1]
    owner = holder.scope.owner
    is_local = isinstance(holder.node, (ast.Name, ast.arg)) and owner.is_function
    words = module.aliases(word)
    if is_local and any(isinstance(node, ast.Name) and node.id == word for node, _ in owner.returns):
        words |= module.result_names(owner.name)
    for name in _properties(module).get(word, ()):
        yield from _about(evaluator, what, (each for each in touching(module).get(name, ()) if each.site is None))
    for name in sorted(words):
        changes = touching(module).get(name, ()) if is_local else evaluator.program.touching(name)
        asked = (each for each in changes if each not in own and _may_be_of(holder, each, name == word))
        yield from _about(evaluator, what, asked)
    for other in evaluator.program.naming(word) if holder.scope.parent is None else ():
        for name in sorted(other.aliases(word) - words):  # `from module import rows as others`
            yield from _about(evaluator, what, touching(other).get(name, ()))


@fact
def _properties(module: SemanticIndex) -> dict[str, list[str]]:
    """Return the names of the properties that return an attribute, by the name of that."""
    found: dict[str, list[str]] = {}
    for scope in (each for each in module.scopes if each.cls is not None and is_decorated(each.node, *PROPERTIES)):
        for value, _ in scope.returns:
            found.setdefault(word_of(value), []).append(scope.name)
    return found


def _about(evaluator: Evaluator, what: Union[Display, Instance], changes: Iterable[Change]) -> Iterator[Change]:
    """Return those of some changes that change a list, according to the evaluator."""
    one = Alternative(what, (what.scope.module, what.node))  # type: ignore[arg-type]
    return (each for each in changes if _can_be(evaluator.value(each.about, each.block.scope), one))


def _can_be(value: Value, one: Alternative) -> bool:
    """Return whether a value can be an object, also under a name under which it grows later."""
    for known in _also_grown(value):
        what = known.what
        is_made = (type(what) is Display or type(what) is Instance) and what.node is one.what.node  # type: ignore[union-attr]
        if is_made and known.identity == one.identity and not are_made_apart(known, one):
            return True
    return False


def _also_grown(value: Value) -> Sequence[Alternative]:
    """Return the alternatives of a value, and the lists among them by the names under which they were made."""
    found, taken = [*value.alternatives], {id(value)}
    for known in found:
        if type(known.what) is Display and known.what.binding is not None:
            for part in known.what.parts:
                if part.is_spread and part.known is not None and id(part.known) not in taken:
                    taken.add(id(part.known))
                    found += part.known.alternatives
    return found


def identities(value: Value) -> set[object]:
    """Return the identities of the lists that a value can be, with those that grow under a later name."""
    return {known.identity for known in _also_grown(value) if known.is_display}


def _may_be_of(holder: Binding, change: Change, is_named_so: bool) -> bool:
    """Return whether the changed object may be the object of a name, by the bindings of its own name."""
    about, scope = change.about, change.block.scope
    if not isinstance(about, ast.Name):
        return True
    home = scope.home(about.id)
    if home is None or not is_named_so:
        return home is not None or bool(scope.module.scope.stars)
    if isinstance(change.node, ast.AugAssign) and scope.owner is holder.scope.owner:
        return False  # which binds the name again
    if isinstance(holder.node, ast.Attribute) or holder.scope.is_class:
        return any(each.path or word_of(each.value) == about.id for each in home.bindings[about.id] if each.value)
    return home.owner is holder.scope.owner if holder.scope.owner.is_function else home.parent is None


def is_fixed(evaluator: Evaluator, what: Display) -> bool:
    """Return whether a list or dict is never changed after it is made, as far as its file shows.

    An empty one is filled later, wherever that is; one that is given to a function of another library may be, too.
    """
    if what.kind in FIXED:
        return True
    if what.kind != COMPREHENSION and not what.parts:
        return False
    named = (
        (module, name) for module, names in held_names.held_under(evaluator, what).items() for name in sorted(names)
    )
    changes = (change for module, name in named for change in touching(module).get(name, ()))
    return not any(change.word != STORE and _may_change(evaluator, change) for change in changes)


def is_entry_changed(evaluator: Evaluator, what: Display, key: object, own: Optional[ast.Call]) -> bool:
    """Return whether code changes a dict without a name where it is made: an entry of another one, a result, a default.

    `key`: whether it may change this part of it, None for any. `own`: a call that is left out.
    """
    home, one = what.scope.module, Alternative(what, (what.scope.module, what.node))
    names = held_names.module_names(home)
    others = (each for each in evaluator.program.importing(names[0], names) if held_names.may_import(each, home))
    return any(
        node is not own and (key is None or told in ("", key)) and _can_be(evaluator.value(about, scope), one)
        for module in (home, *others)
        for node, about, scope, told in _changed_entries(module)
    )


@fact
def _changed_entries(module: SemanticIndex) -> list[tuple[ast.AST, ast.expr, Scope, str]]:
    """Return what changes dicts in a file, with the expression of the dict, and the key; "" for any key.

    What is new there, and names that only new lists and dicts are bound to, are left out.
    """
    stores = (each for held in (module.stored, module.deep) for several in held.values() for each in several)
    found: list[tuple[ast.AST, ast.expr, Scope, str]] = [
        (each.node, each.node.value, each.scope, each.name) for each in stores if isinstance(each.node, ast.Subscript)
    ]
    for table in module.registered.values():
        found += [(target, target.value, block.scope, "") for target, _, block in table]
    for site in (site for word in (*UPDATES, *SHRINKS, "__setitem__") for site in module.by_word.get(word, ())):
        if site.base is not None:
            key = text_of(site.call.args[0]) if site.call.args and site.word != "update" else ""
            found.append((site.node, site.base, site.scope, key))

    def is_new(about: ast.expr, scope: Scope) -> bool:
        bindings = scope.bound(about)
        is_bound = bool(bindings) and all(each.kind == "assign" and type(each.whole) in OWN for each in bindings)
        return is_bound or type(about) in OWN

    return [each for each in found if not is_new(*each[1:3])]


def _may_change(evaluator: Evaluator, change: Change) -> bool:
    """Return whether a method changes its list or dict, or a call may change one that it is given."""
    if change.site is None:
        return True
    called = evaluator.callees(change.site)
    packages = {known.api.partition(".")[0] for known in called.alternatives if known.definition is None}
    return called.open or not packages <= KEEPING or any(known.api == "builtins.exec" for known in called.alternatives)


@fact
def _changes(module: SemanticIndex, holder: Binding) -> list[Change]:
    """Return the changes of a list under one name, and the calls that get the list: the same in all programs."""
    owner, names = holder.scope.owner, words_in(holder.node) or (holder.name,)
    scopes = owner.parent.defines if isinstance(holder.node, ast.Attribute) and owner.parent else [owner]
    found = list(_grown(holder))
    for change in touching(module).get(names[-1], ()):
        scope, about = change.block.scope, change.about
        if not isinstance(change.node, ast.AugAssign) and scope.owner in scopes and words_in(about) == names:
            is_other = isinstance(about, ast.Name) and holder not in scope.lookup(about)
            found += [] if is_other else [change]
    return found


def _grown(holder: Binding) -> Iterator[Change]:
    """Yield the elements that `+=` adds to an attribute or parameter, or in a loop; elsewhere it rebinds a name."""
    owner, names = holder.scope.owner, words_in(holder.node)
    is_attribute = isinstance(holder.node, ast.Attribute) and owner.parent is not None
    group = owner.parent.attributes if is_attribute else owner.bindings  # type: ignore[union-attr]
    for each in group.get(names[-1] if names else holder.name, ()):
        stmt, is_held = each.stmt, is_attribute or holder.kind == "parameter" or each.block.loops
        if is_held and isinstance(stmt, ast.AugAssign):
            yield augmenting(stmt, each.block)
