"""Updates of many settings at once: `vars(args).update(settings)`, `setattr(args, key, value)` in a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.execution_order import Place, place, root_name, stored
from ms_perflint.index.reachability import IMPOSSIBLE, OPTIONAL, path_condition
from ms_perflint.index.semantic_index import Binding, Block, Scope, SemanticIndex, Site
from ms_perflint.index.signature import Held, receiver_name
from ms_perflint.index.syntax_forms import name_of, object_of, path_of, word_of
from ms_perflint.infer import bases, config_files, mappings, narrowing, sequences, setting_loops
from ms_perflint.infer.call_context import CallContext
from ms_perflint.infer.call_order import has_run_before, is_made_once, is_never_before
from ms_perflint.infer.changes import CONTAINERS, touching
from ms_perflint.infer.configs import sources
from ms_perflint.infer.evaluator import Evaluator, Reading
from ms_perflint.infer.places import INIT
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import TOP, Alternative, ConfigDocument, Display, Instance, Value, join

SETATTR, UPDATE, SETDEFAULT, ITEM, OWN, EXEC = "setattr", "update", "setdefault", "[]", "__dict__", "exec"
NAMED = "="  # what gives any settings later: `put = object.update`, `partial(setattr, object, "name")`
CLASS = "__class__"
LISTED = "merge_from_list"  # of names and values, in turn
INSIDE = "."  # the same, of the objects inside of an object: `["inner.name", 2]`


class Update(NamedTuple):
    """A place that updates many settings of an object."""

    word: str
    receiver: ast.expr
    node: ast.expr  # the call, or the target `object[key]`
    block: Block
    key: Optional[ast.expr] = None  # of one setting, in a loop over their names
    value: Optional[ast.expr] = None
    first: int = 0  # the argument that is laid over it; those before are the object


def laid_over(
    evaluator: Evaluator,
    values: Sequence[Value],
    read: Reading,
    of_any: Sequence[object],
    store: Optional[Binding] = None,
) -> list[Value]:
    """Return the value of a setting of an object after updates; `values` is its value before.

    `store`: what surely set it, after which only later updates count; `of_any`: the classes of which it may be any
    object, also another one than an update changes. A file that a user names may say anything, also where a user may
    do without it: programs come with files to choose from.
    """
    found, base, name = list(values), read.base, read.name
    updates = _updates_of(evaluator, frozenset([*base.identities, *of_any]))
    if not updates:
        return found
    may_replace = not of_any and not (isinstance(name, str) and _is_set_by_methods(evaluator, base, name))
    for update in updates:
        if store is not None and not _is_later(evaluator, update, store):
            continue
        at = place(update.node, update.block.scope)
        if is_never_before(evaluator, at, read):
            continue
        after = _after(evaluator, update, found, name, _made_in(base, update.block.scope), read.absent)
        is_same = after is found or all(each in after for each in found)
        is_sure = may_replace and _has_come(evaluator, store, update)
        is_sure = is_sure and not (update.word == SETDEFAULT and update.block.loops)
        if is_same or (is_sure and _has_run(evaluator, update, at, read) and _is_one(evaluator, update, base)):
            found = after
        else:
            found = [*found, *(each for each in after if each not in found)]
    return found


def _is_set_by_methods(evaluator: Evaluator, base: Value, name: str) -> bool:
    """Return whether methods of the classes of some objects set an attribute, after an update of it too."""
    classes = (
        cls for known in base.alternatives if known.cls is not None for cls in bases.ancestors(evaluator, known.cls)
    )
    return any(each.scope.owner.name != INIT for cls in classes for each in cls.attributes.get(name, ()))


def _is_one(evaluator: Evaluator, update: Update, base: Value) -> bool:
    """Return whether an update changes the dict that is read, and not another one that the same literal makes."""
    made = [known for known in base.alternatives if known.is_display and isinstance(known.what.node, ast.Dict)]  # type: ignore[union-attr]
    if not made:
        return True
    owner = update.block.scope.owner
    is_same = evaluator.value(update.receiver, update.block.scope).identities == base.identities
    return is_same and all(known.what.scope.owner is owner or is_made_once(evaluator, known) for known in made)  # type: ignore[union-attr]


def _made_in(base: Value, scope: Scope) -> Scope:
    """Return a scope; where it is that of a function which makes the object, the call that made it."""
    what = base.only.what if base.only is not None else None
    made = what.scope if isinstance(what, (Instance, Display)) else None
    return made if isinstance(made, CallContext) and made.function is scope else scope


def _has_run(evaluator: Evaluator, update: Update, at: Optional[Place], read: Reading) -> bool:
    """Return whether the code of an update, whatever conditions are around it, has run where a setting is read.

    One of an object that its own function makes, or gives back, has.
    """
    here = place(read.node, read.scope)
    if at is None or here is None:
        return True
    if at.owner is here.owner:
        return at.rank < here.rank  # else in a loop
    name, owner = root_name(update.receiver), at.owner
    made = owner.bindings.get(name, ()) if owner.is_function else ()
    is_returned = any(isinstance(value, ast.Name) and value.id == name for value, _ in owner.returns)
    is_own = any((each.kind != "parameter" or is_returned) and each.scope.owner is owner for each in made)
    return is_own or has_run_before(evaluator, at._replace(block=at.owner.block), here, read.scope)


@query(bottom=())
def _updates_of(evaluator: Evaluator, holders: frozenset[object]) -> tuple[Update, ...]:
    """Return the updates that may be of some objects, in the order of the files.

    Objects are given by their identities, any of a class by the class.

    What reads a setting rests on these alone: the other updates of a program differ from that of another entry script.
    """
    return tuple(each for each in _updates(evaluator) if not holders.isdisjoint(_receivers(evaluator, each)))


@query(bottom=frozenset())
def _receivers(evaluator: Evaluator, update: Update) -> frozenset[object]:
    """Return the identities of the objects that an update may change, and their classes."""
    found = evaluator.value(update.receiver, update.block.scope).alternatives
    classes = (cls for known in found if known.cls is not None for cls in bases.ancestors(evaluator, known.cls))
    if update.word == INSIDE:
        taken = (Held(update.receiver, update.block.scope, taken=(*path[:-1],)) for path in _paths(evaluator, update))
        return frozenset(known.identity for part in taken for known in evaluator.read(part).alternatives)
    return frozenset([*(known.identity for known in found), *classes])


def _paths(evaluator: Evaluator, update: Update) -> list[list[str]]:
    """Return the names in a list of names and values that are paths to objects inside of an object."""
    assert isinstance(update.node, ast.Call)
    parts = sequences.whole(evaluator, evaluator.value(update.node.args[0], update.block.scope)) or ()
    paths = [str(evaluator.read(part).constant).split(".") for part in parts[::2]]
    return [path for path in paths if len(path) > 1]


def _is_later(evaluator: Evaluator, update: Update, store: Binding) -> bool:
    """Return whether an update may come after a store; in another function: unless it has surely run before."""
    at, other = place(update.node, update.block.scope), stored(store)
    if update.block.scope.owner is store.scope.owner:
        return at is None or other is None or at.rank > other.rank
    return not has_run_before(evaluator, at, other, store.scope)


def _is_behind(evaluator: Evaluator, update: Update, store: Binding) -> bool:
    """Return whether an update comes after a store in the same constructor, or in the one that calls its method."""
    is_same = update.block.scope.owner is store.scope.owner
    return _is_later(evaluator, update, store) if is_same else _has_come(evaluator, store, update)


def _has_come(evaluator: Evaluator, store: Optional[Binding], update: Update) -> bool:
    """Return whether a store has surely run before an update, which is known to come after it in one function."""
    if store is None or update.block.scope.owner is store.scope.owner:
        return True
    at = place(update.node, update.block.scope)
    return has_run_before(evaluator, stored(store), at, update.block.scope)


def own(
    evaluator: Evaluator, constructors: Iterable[Scope], stored: Sequence[Binding], name: str, this: Alternative
) -> Optional[Value]:
    """Return the value of a setting by the constructors of an object; None where they do not set it, or it is unknown.

    `stored`: what they give it by its name. `this`: the object, which methods may have under another name than `self`.
    """
    found: list[Value] = []
    is_set = False
    is_mapping = this.cls is not None and bases.is_mapping(evaluator, this.cls)
    constructors = tuple(constructors)
    entered = {scope.owner: scope for scope in constructors}
    sure = [each for each in stored if each.scope.owner in entered and each.block.parent is None]
    for scope in constructors:
        for update in _updates_in(evaluator, scope, name, is_mapping):
            is_here = update.block.scope.owner is scope.owner and _is_of(evaluator, update, scope, this)
            is_here = is_here and not _converts_itself(evaluator, update, name, scope)
            if is_here and all(_is_behind(evaluator, update, each) for each in sure):
                before = found if is_set else [evaluator.weighed(each, entered[each.scope.owner]) for each in sure]
                after = _after(evaluator, update, before, name, scope, TOP)
                found, is_set = (after, True) if after is not before else (found, is_set)
    value = join(found)
    return value if value.alternatives else None


def _converts_itself(evaluator: Evaluator, update: Update, name: str, scope: Scope) -> bool:
    """Return whether an object makes its own mappings objects: `for k, v in self.items(): self[k] = Config(v)`."""
    loop = setting_loops.of_key(update.key, update.block) if update.key is not None else None
    if loop is None or update.value is None or not _is_own(loop.over):
        return False
    given = setting_loops.at_key(evaluator, update.value, loop, name, scope)
    return given is not None and given.taken == (name,) and _is_own(given.node)


def _updates_in(evaluator: Evaluator, scope: Scope, name: str, is_mapping: bool) -> list[Update]:
    """Return the updates in a method, in source order; for a mapping also those of single items."""
    found = [update for site in scope.calls for update in _of_call(evaluator.libraries.merges, site)]
    cls = scope.owner.parent
    for one in cls.attributes.get(OWN, ()) if cls is not None else ():  # `self.__dict__ = settings`
        node, is_here = one.node, one.scope.owner is scope.owner and not one.path
        is_other = one.value is not None and word_of(one.value) != receiver_name(scope)
        if isinstance(node, ast.Attribute) and is_here and is_other:
            found.append(Update(OWN, node.value, node, one.block, None, one.value))
    if is_mapping:
        found += [update for site in scope.calls for update in _of_base(evaluator, site)]
        stores = [store for each in scope.module.registered.values() for store in each]
        found += [each for store in stores if (each := _of_store(*store)) and each.block.scope.owner is scope.owner]
        for one in scope.module.stored.get(name, ()):
            if isinstance(one.node, ast.Subscript) and one.scope.owner is scope.owner:
                value = one.value if one.kind == "assign" and not one.path else None
                found.append(Update(ITEM, one.node.value, one.node, one.block, one.node.slice, value))
    return sorted(found, key=lambda update: (update.node.lineno, update.node.col_offset))


def _of_base(evaluator: Evaluator, site: Site) -> Iterator[Update]:
    """Yield the update that `super().__init__(settings)` and `dict.update(self, settings)` are of a mapping."""
    node = site.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    receiver, first = node.func.value, 0
    if isinstance(receiver, ast.Name) and evaluator.libraries.is_mapping(receiver.id) and node.args:
        receiver, first = node.args[0], 1
    elif site.word != "__init__" or not _is_own(receiver):
        return
    is_one = len(node.args) == first + 1 or (len(node.args) == first and bool(node.keywords))
    if site.word in ("__init__", UPDATE) and is_one:
        yield Update(UPDATE, receiver, node, site.block, first=first)


def _is_of(evaluator: Evaluator, update: Update, scope: Scope, this: Alternative) -> bool:
    """Return whether an update in a method changes the object of the method."""
    if _is_own(update.receiver):
        return True
    known = evaluator.value(update.receiver, scope).alternatives
    is_self = bool(known) and known[0].cls is this.cls and known[0].creation is None
    return len(known) == 1 and (is_self or known[0].identity == this.identity)


def _after(
    evaluator: Evaluator, update: Update, before: list[Value], name: object, scope: Scope, absent: Value
) -> list[Value]:
    """Return the value of a setting after an update, from its value before."""
    given, reachability = _given(evaluator, update, name, scope), evaluator.reachability(update.block, scope)
    if given is None or reachability == IMPOSSIBLE:
        return before
    is_there = [bool(value.alternatives) and value is not absent for value in before]
    if update.word == SETDEFAULT and any(is_there):
        return before if all(is_there) else [*before, given]
    taken = _is_taken(evaluator, update, name, scope)
    if taken is False:
        return before
    if reachability == OPTIONAL and given.alternatives:
        return [*before, given.as_non_default(), Value((), False, True)]
    if reachability == OPTIONAL and any(each.is_setting for each in before):
        is_flagged = narrowing.is_behind_flag(evaluator, update.block, scope)
        return [*before, Value((), False, True) if is_flagged else given]
    is_lost = not given.alternatives or given.open or taken is None
    if is_lost and not (taken and _is_rewritten(evaluator, update, name, scope)):
        return [*before, given]
    return [given, *(value.as_non_default() for value in before)] if _is_conditional(update) else [given]


def _is_rewritten(evaluator: Evaluator, update: Update, name: object, scope: Scope) -> bool:
    """Return whether a loop surely gives an item of a mapping what is computed, and taken from no other one."""
    loop = setting_loops.of_key(update.key, update.block) if update.key is not None else None
    if update.word != ITEM or loop is None or update.value is None or _is_conditional(update):
        return False
    return setting_loops.at_key(evaluator, update.value, loop, name, scope) is None


@query
def _updates(evaluator: Evaluator) -> tuple[Update, ...]:
    """Return the places whose syntax updates many settings of an object, in the order of the files."""
    merges = evaluator.libraries.merges
    return tuple(update for module in evaluator.program.modules for update in _of_file(module, merges))


@fact
def _of_file(module: SemanticIndex, merges: frozenset[str]) -> list[Update]:
    words = (SETATTR, f"__{SETATTR}__", UPDATE, SETDEFAULT, EXEC, "partial", *merges)
    calls = [site for word in words for site in module.by_word.get(word, ())]
    found = [update for site in calls for update in _of_call(merges, site)]
    stores = (store for stores in module.registered.values() for store in stores)
    found += [update for store in stores if (update := _of_store(*store)) is not None]
    for one in (each for name in (OWN, CLASS) for each in module.stored.get(name, ())):
        if isinstance(one.node, ast.Attribute):
            word, value = (OWN, one.value) if one.name == OWN and not one.path else (NAMED, None)
            found.append(Update(word, one.node.value, one.node, one.block, None, value))
    for stmt, block in module.steps:
        if type(stmt) is ast.AugAssign and type(stmt.op) is ast.BitOr:  # `settings |= {"name": value}`
            found.append(Update(OWN, stmt.target, stmt.target, block, None, stmt.value))
    named = (each for several in touching(module).values() for each in several if each.word == UPDATE)
    found += [Update(NAMED, each.about, each.node, each.block) for each in named]  # type: ignore[arg-type]
    others = (update for update in found if not _is_own(update.receiver))
    return sorted(others, key=lambda update: (update.node.lineno, update.node.col_offset))


@query(bottom=False)
def sets_by_name(evaluator: Evaluator) -> bool:
    """Return whether the program sets attributes with computed names."""
    return any(update.word == SETATTR for update in _updates(evaluator))


def is_updated(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether an object may get attributes with names that are computed."""
    return sets_by_name(evaluator) or bool(_updates_of(evaluator, frozenset([known.identity])))


def _of_store(target: ast.Subscript, value: ast.expr, block: Block) -> Optional[Update]:
    """Return the update that `object[key] = value` is in a loop over names of settings; None elsewhere."""
    loop = setting_loops.of_key(target.slice, block)
    if loop is None or setting_loops.is_over_numbers(loop, block.scope):
        return None
    return Update(ITEM, target.value, target, block, target.slice, value)


def _of_call(merges: frozenset[str], site: Site) -> Iterator[Update]:
    """Yield the update of a call, if its syntax is one."""
    node = site.node
    is_spread = isinstance(node, ast.Call) and any(isinstance(argument, ast.Starred) for argument in node.args)
    if not isinstance(node, ast.Call) or (is_spread and site.word != UPDATE):
        return
    if site.word == "partial" and len(node.args) > 1 and name_of(node.args[0]) == SETATTR:
        yield Update(NAMED, node.args[1], node, site.block, next(iter(node.args[2:]), None))
    if site.word == UPDATE and name_of(site.base or node) == "OmegaConf" and len(node.args) > 2:
        yield Update(NAMED, node.args[0], node, site.block, node.args[1])
    if site.word == UPDATE and name_of(site.base or node) in CONTAINERS and node.args:  # `dict.update(settings, x=1)`
        yield Update(UPDATE, node.args[0], node, site.block, first=1)
    elif isinstance(node.func, ast.Name) and node.func.id == SETATTR and len(node.args) == 3:
        if not isinstance(node.args[1], ast.Constant):
            yield Update(SETATTR, node.args[0], node, site.block, node.args[1], node.args[2])
    elif isinstance(node.func, ast.Attribute) and site.word == f"__{SETATTR}__" and len(node.args) in (2, 3):
        *holder, key, value = node.args
        if not isinstance(key, ast.Constant):
            yield Update(SETATTR, holder[0] if holder else node.func.value, node, site.block, key, value)
    elif isinstance(node.func, ast.Name) and node.func.id == EXEC and len(node.args) > 1:  # the last gets its names
        yield Update(EXEC, node.args[-1], node, site.block)
    elif isinstance(node.func, ast.Attribute) and site.word == SETDEFAULT and len(node.args) == 2:
        if isinstance(node.args[0], ast.Constant):
            yield Update(SETDEFAULT, node.func.value, node, site.block, node.args[0], node.args[1])
    elif isinstance(node.func, ast.Attribute) and len(node.args) <= 1:
        is_text = any(isinstance(argument, ast.Constant) for argument in node.args)  # `hash.update("text")`
        is_given = bool(node.args or node.keywords) and not is_text
        if site.word in merges or (site.word == UPDATE and is_given):
            yield Update(site.word, node.func.value, node, site.block)
        if site.word == LISTED and node.args:
            yield Update(INSIDE, node.func.value, node, site.block)


def _is_own(receiver: ast.expr) -> bool:
    """Return whether an object updates itself: `self`, `super()`, `self.__dict__`, `vars(self)`."""
    if isinstance(receiver, ast.Name):
        return receiver.id == "self"
    if isinstance(receiver, ast.Call) and name_of(receiver.func) == "super":
        return True
    return name_of(object_of(receiver) or receiver) == "self"


# --- whether it runs


def _is_conditional(update: Update) -> bool:
    return any(not condition.is_required for condition in path_condition(update.block))


def _is_taken(evaluator: Evaluator, update: Update, name: object, scope: Scope) -> Optional[bool]:
    """Return whether an update of a setting runs with the default options; False where it never runs."""
    loop = setting_loops.of_key(update.key, update.block) if update.key is not None else None
    answers = [True if loop is None else setting_loops.has(evaluator, loop, name, scope)]
    for condition in path_condition(update.block):
        answer = setting_loops.comes(evaluator, condition.test, loop, name, scope) if loop is not None else None
        if answer is not None:
            answers.append(answer is condition.result)
        else:
            holds = evaluator.value(condition.test, scope).default_truth
            answers.append(True if holds is condition.result or condition.is_required else None)
    return False if False in answers else None if None in answers else True


# --- what is laid over it


def _given(evaluator: Evaluator, update: Update, name: object, scope: Scope) -> Optional[Value]:
    """Return the value that an update gives a setting; None where it does not change it."""
    key = getattr(update.key, "value", name)
    if (update.word == SETDEFAULT and key != name) or (update.word == NAMED and str(key).partition(".")[0] != name):
        return None
    if update.word in (EXEC, NAMED):
        return TOP
    if update.word == INSIDE:
        return TOP if any(path[-1] == name for path in _paths(evaluator, update)) else None
    if isinstance(update.key, ast.Constant):
        value = evaluator.value(update.value, scope) if update.value is not None else TOP
        is_given = update.word == SETDEFAULT and path_of(update.receiver) == "os.environ"
        return value._replace(overridable=True) if is_given else value
    if update.key is not None and update.value is not None:
        return _in_loop(evaluator, update, update.key, update.value, name, scope)
    if update.word == OWN:
        return _in_mapping(evaluator, Held(update.value, scope), name) if update.value is not None else TOP
    node = update.node
    assert isinstance(node, ast.Call)
    if update.word == LISTED and node.args:
        return _in_list(evaluator, node.args[0], name, scope)
    if update.word in evaluator.libraries.merges:
        return _of_holders(evaluator, config_files.at(evaluator, node.args[0], scope), name) if node.args else TOP
    for keyword in node.keywords:
        if keyword.arg == name:
            return evaluator.value(keyword.value, scope)
    spread = [Held(keyword.value, scope) for keyword in node.keywords if keyword.arg is None]
    for argument in node.args[update.first :]:
        part = Held.of(argument, scope)
        opened = sequences.opened(evaluator, part) if part.is_spread else [part]
        spread += opened if opened is not None else [Held(argument, scope, TOP)]
    parts = [_in_mapping(evaluator, each, name) for each in spread]
    given = [part for part in parts if part is not None]
    return join(given) if given else None


def _in_list(evaluator: Evaluator, listed: ast.expr, name: object, scope: Scope) -> Optional[Value]:
    """Return the value of a setting in a list of names and values; None where it has none. A text is parsed again."""
    value = evaluator.value(listed, scope)
    parts = sequences.whole(evaluator, value) if value.default_truth is not False else []
    given: Optional[Value] = TOP if parts is None or len(parts) % 2 else None
    for key, part in zip(parts[::2], parts[1::2]) if parts and given is None else ():
        word = evaluator.read(key).constant
        if not isinstance(word, str) or word.partition(".")[0] == name:
            read = evaluator.read(part)
            is_text = any(isinstance(constant, str) for constant in read.constants)
            given = TOP if word != name or is_text else read
    return join([given or Value(()), Value((), False, True)]) if value.overridable else given


def _in_mapping(evaluator: Evaluator, mapping: Held, name: object) -> Optional[Value]:
    """Return the value of a setting in a mapping of an update; None where it has none."""
    holders = evaluator.read(mapping)
    if any(
        isinstance(known.what, ConfigDocument) and known.what.document is not None for known in holders.alternatives
    ):
        return _of_holders(evaluator, holders, name)
    found = evaluator.read(mapping._replace(taken=(*mapping.taken, name)))
    if found.alternatives:
        return found
    return None if mappings.held(evaluator, holders, name) is False else _of_holders(evaluator, holders, name)


def _in_loop(
    evaluator: Evaluator, update: Update, key: ast.expr, value: ast.expr, name: object, scope: Scope
) -> Optional[Value]:
    """Return the value that a loop over names of settings gives one of them; None where it does not reach it."""
    loop = setting_loops.of_key(key, update.block)
    if loop is None:
        found = sources(evaluator, value, scope)
        return _of_holders(evaluator, Value(found, not found), name)
    if setting_loops.has(evaluator, loop, name, scope) is False:
        return None
    given = setting_loops.at_key(evaluator, value, loop, name, scope)
    return evaluator.read(given) if given is not None else TOP


def _of_holders(evaluator: Evaluator, holders: Value, name: object) -> Optional[Value]:
    """Return the setting of what is laid over an object; None where it does not have it."""
    values = []
    for known in _last_documents(evaluator, holders.alternatives, name):
        answer = evaluator.holds(known, name)
        if answer is not False:
            values.append(evaluator.item(known, name) if answer else TOP)
    if holders.open or not holders.alternatives:
        values.append(TOP)
    return join(values) if values else None


def _last_documents(evaluator: Evaluator, holders: Sequence[Alternative], name: object) -> list[Alternative]:
    """Return what is laid over an object; of the documents of one file only the last that holds the setting."""
    found: dict[object, Alternative] = {}
    for known in holders:
        what = known.what
        key = (what.path, what.keys) if isinstance(what, ConfigDocument) and what.document is not None else id(known)
        if key not in found or evaluator.holds(known, name):
            found[key] = known
    return list(found.values())
