"""Updates of many settings at once: `vars(args).update(settings)`, `setattr(args, key, value)` in a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Optional

from ms_perflint.index.execution_order import Place, place, root_name, stored
from ms_perflint.index.reachability import IMPOSSIBLE, OPTIONAL, path_condition
from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import name_of, object_of, spelling
from ms_perflint.infer import bases, method_writes, narrowing, setting_loops, update_values
from ms_perflint.infer import update_forms as forms
from ms_perflint.infer.alternatives import Display, Instance
from ms_perflint.infer.call_context import CallContext
from ms_perflint.infer.call_order import has_run_before, is_made_once, is_never_before
from ms_perflint.infer.evaluator import Evaluator, Reading
from ms_perflint.infer.places import INIT
from ms_perflint.infer.queries import query
from ms_perflint.infer.update_forms import Update
from ms_perflint.infer.values import TOP, Alternative, Value, join

UNTOLD = Value((), True, True)  # what an update may set to something that is not known


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
    classes = [
        (each, known.is_made)
        for known in base.alternatives
        for each in (bases.ancestors(evaluator, known.cls) if known.cls is not None else ())
    ]
    own = [(forms.CLASS, each) for each, _ in classes] + [each for each in classes if each[0].may_set(name)]
    copies = [known.copied for known in base.alternatives if known.copied is not None]
    updates = _updates_of(evaluator, frozenset([*base.identities, *of_any, *own, *copies]))
    if not updates:
        return found
    may_replace = not of_any and not (isinstance(name, str) and _is_set_by_methods(evaluator, base, name))
    for update in updates:
        at = place(update.node, update.block.scope)
        is_early = store is not None and not _is_later(evaluator, update, store)
        if is_early or is_never_before(evaluator, at, read):
            continue
        scope = _made_in(base, update)
        after = _after(evaluator, update, found, name, scope, read.absent)
        is_same = after is found or all(each in after for each in found)
        is_sure = may_replace and not forms.is_own(update.receiver) and _has_come(evaluator, store, update)
        is_sure = is_sure and not (update.word == forms.SETDEFAULT and update.block.loops)
        is_sure = is_sure and not (forms.takes_parameter(update, scope) and len(evaluator.program.callers(scope)) > 1)
        if is_same or (is_sure and _has_run(evaluator, update, at, read) and _is_one(evaluator, update, base)):
            found = after
        else:
            found = [*found, *(each for each in after if each not in found)]
    return found


def _is_set_by_methods(evaluator: Evaluator, base: Value, name: str) -> bool:
    """Return whether methods of the classes of some objects set an attribute, after an update of it too."""
    own = [known.cls for known in base.alternatives if known.cls is not None]
    classes = (cls for each in own for cls in bases.ancestors(evaluator, each))
    return any(each.scope.owner.name != INIT for cls in classes for each in cls.attributes.get(name, ()))


def _is_one(evaluator: Evaluator, update: Update, base: Value) -> bool:
    """Return whether an update changes the object that is read, whatever the options.

    So not one that an option chooses, and not another dict that the same literal makes.
    """
    held = evaluator.value(update.receiver, update.block.scope)
    if held.overridable > base.overridable:
        return False
    made = [known for known in base.alternatives if known.is_display and isinstance(known.what.node, ast.Dict)]  # type: ignore[union-attr]
    if not made:
        return True
    owner = update.block.scope.owner
    is_same = held.identities == base.identities
    return is_same and all(known.what.scope.owner is owner or is_made_once(evaluator, known) for known in made)  # type: ignore[union-attr]


def _made_in(base: Value, update: Update) -> Scope:
    """Return the scope of an update; where it is that of a function which makes the object, the call that made it.

    A function that gives the object to itself may change it in another call.
    """
    scope, name = update.block.scope, root_name(update.receiver)
    again = (site.call for site in scope.calls if site.word == scope.name)
    if any(name_of(each) == name for node in again for each in (*node.args, *(word.value for word in node.keywords))):
        return scope
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

    Objects are given by their identities, any of a class by the class; what is stored in a class, or by its methods in
    their object, by the class and what tells it apart.

    What reads a setting rests on these alone: the other updates of a program differ from that of another entry script.
    """
    by_receiver, updates = _by_receiver(evaluator), _updates(evaluator)
    return tuple(updates[at] for at in sorted({at for each in holders for at in by_receiver.get(each, ())}))


@query(bottom={})
def _by_receiver(evaluator: Evaluator) -> Mapping[object, Sequence[int]]:
    """Return the positions of the updates of a program by what they may change: see `_receivers`."""
    found: dict[object, list[int]] = {}
    for at, update in enumerate(_updates(evaluator)):
        for each in _receivers(evaluator, update):
            found.setdefault(each, []).append(at)
    return found


@query(bottom=frozenset())
def _receivers(evaluator: Evaluator, update: Update) -> frozenset[object]:
    """Return the identities of the objects that an update may change, and their classes."""
    if forms.is_own(update.receiver):
        method = update.block.scope.owner
        is_of_all = not method_writes.is_of_constructor(evaluator, method)  # else it counts where the object is made
        return frozenset((method.parent, is_made) for is_made in (False, is_of_all))
    held = evaluator.value(update.receiver, update.block.scope).alternatives
    found = [known for known in held if not method_writes.is_called(evaluator, update, known)]
    classes = (cls for known in found if known.cls is not None for cls in bases.ancestors(evaluator, known.cls))
    if update.word == forms.INSIDE:
        paths = update_values.paths(evaluator, update)
        taken = (Held(update.receiver, update.block.scope, taken=(*path[:-1],)) for path in paths)
        return frozenset(known.identity for part in taken for known in evaluator.read(part).alternatives)
    own = ((forms.CLASS, known.what) for known in found if known.definition is not None)
    copies = (known.copied for known in found if known.copied is not None)
    return frozenset([*(known.identity for known in found), *classes, *own, *copies])


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
    """Return the value of a setting by the constructors of an object; None where they do not set it by an update.

    UNTOLD where an update may set it, to what is not known.
    `stored`: what they give it by its name. `this`: the object, which methods may have under another name than `self`.
    """
    found: list[Value] = []
    later: dict[Binding, Value] = {}  # what they store behind an update
    is_set = False
    is_mapping = this.cls is not None and bases.is_mapping(evaluator, this.cls)
    constructors = tuple(constructors)
    entered = {scope.owner: scope for scope in constructors}
    kept = [each for each in stored if each.scope.owner in entered and not narrowing.is_for_missing(each)]
    sure = [each for each in kept if each.block.parent is None]
    for scope in constructors:
        for update in forms.updates_in(evaluator.libraries, scope, name, is_mapping):
            is_here = update.block.scope.owner is scope.owner and _is_of(evaluator, update, scope, this)
            is_here = is_here and not _converts_itself(evaluator, update, name, scope)
            behind = [each for each in kept if is_here and not _is_behind(evaluator, update, each)]
            later.update((each, evaluator.weighed(each, entered[each.scope.owner])) for each in behind)
            if is_here and not any(each in sure for each in behind):
                before = found if is_set else [evaluator.weighed(each, entered[each.scope.owner]) for each in sure]
                after = _after(evaluator, update, before, name, scope, TOP)
                found, is_set = (after, True) if after is not before else (found, is_set)
    value = join([*found, *later.values()])
    return value if value.alternatives else TOP if later else UNTOLD if is_set else None


def _converts_itself(evaluator: Evaluator, update: Update, name: str, scope: Scope) -> bool:
    """Return whether an object makes its own mappings objects: `for k, v in self.items(): self[k] = Config(v)`."""
    loop = update.loop
    if loop is None or update.value is None or not forms.is_own(loop.over):
        return False
    given = setting_loops.at_key(evaluator, update.value, loop, name, scope)
    return given is not None and given.taken == (name,) and forms.is_own(given.node)


def _is_of(evaluator: Evaluator, update: Update, scope: Scope, this: Alternative) -> bool:
    """Return whether an update in a method changes the object of the method."""
    if forms.is_own(update.receiver):
        return True
    known = evaluator.value(update.receiver, scope).alternatives
    is_self = bool(known) and known[0].cls is this.cls and known[0].creation is None
    return len(known) == 1 and (is_self or known[0].identity == this.identity)


def _after(
    evaluator: Evaluator, update: Update, before: list[Value], name: object, scope: Scope, absent: Value
) -> list[Value]:
    """Return the value of a setting after an update, from its value before."""
    reachability = evaluator.reachability(update.block, scope)
    values = update_values.given(evaluator, update, name, scope)
    if not values or reachability == IMPOSSIBLE:
        return before
    given = join(values)
    is_there = [bool(value.alternatives) and value is not absent for value in before]
    if update.word == forms.SETDEFAULT and any(is_there):
        return before if all(is_there) else [*before, given]
    taken = _is_taken(evaluator, update, name, scope, join(before))
    if taken is False:
        return before
    if reachability == OPTIONAL and given.alternatives:
        return [*before, given.as_non_default(), Value((), False, True)]
    if reachability == OPTIONAL and any(each.is_setting for each in before):
        is_flagged = narrowing.is_behind_flag(evaluator, update.block, scope)
        return [*before, Value((), False, True) if is_flagged else given]
    lacking = update_values.without(evaluator, update, name, scope) if given.alternatives else ()
    if lacking:
        is_kept = taken is None or any(each.by_default for each in lacking)
        return [*(before if is_kept else map(Value.as_non_default, before)), given]
    is_lost = not given.alternatives or given.open or taken is None
    if is_lost and not (taken and _is_rewritten(evaluator, update, name, scope)):
        return [*before, given]
    return [given, *(value.as_non_default() for value in before)] if _is_conditional(update) else [given]


def _is_rewritten(evaluator: Evaluator, update: Update, name: object, scope: Scope) -> bool:
    """Return whether a loop surely gives an item of a mapping what is computed, and taken from no other one."""
    loop = update.loop
    if update.word != forms.ITEM or loop is None or update.value is None or _is_conditional(update):
        return False
    return setting_loops.at_key(evaluator, update.value, loop, name, scope) is None


@query
def _updates(evaluator: Evaluator) -> tuple[Update, ...]:
    """Return the places whose syntax updates many settings of an object, in the order of the files."""
    merges = evaluator.libraries.merges
    return tuple(update for module in evaluator.program.modules for update in forms.of_file(module, merges))


@query(bottom=False)
def sets_by_name(evaluator: Evaluator) -> bool:
    """Return whether the program sets attributes with computed names."""
    return any(update.word == forms.SETATTR for update in _updates(evaluator))


def is_updated(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether an object may get attributes with names that are computed."""
    return sets_by_name(evaluator) or bool(_updates_of(evaluator, frozenset([known.identity])))


# --- whether it runs


def _is_conditional(update: Update) -> bool:
    return any(not condition.is_required for condition in path_condition(update.block))


def _is_taken(evaluator: Evaluator, update: Update, name: object, scope: Scope, before: Value) -> Optional[bool]:
    """Return whether an update of a setting, with its value before, runs with the default options; False if never."""
    loop = update.loop
    answers = [True if loop is None else setting_loops.has(evaluator, loop, name, scope)]
    for condition in path_condition(update.block):
        answer = _is_unset(evaluator, condition.test, update, name, scope, before)
        if answer is None and loop is not None:
            answer = setting_loops.comes(evaluator, condition.test, loop, name, scope)
        if answer is not None:
            answers.append(answer is condition.result)
        else:
            holds = evaluator.value(condition.test, scope).default_truth
            answers.append(True if holds is condition.result or condition.is_required else None)
    return False if False in answers else None if None in answers else True


def _is_unset(
    evaluator: Evaluator, test: ast.expr, update: Update, name: object, scope: Scope, before: Value
) -> Optional[bool]:
    """Return the truth of a test whether the setting that an update gives is None before: `getattr(args, k) is None`.

    None for other tests, and where it is not known.
    """
    if update.loop is None or not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    sign, other = test.ops[0], test.comparators[0]
    is_none = isinstance(other, ast.Constant) and other.value is None
    if not is_none or not isinstance(sign, (ast.Is, ast.IsNot)):
        return None
    asked = setting_loops.at_key(evaluator, test.left, update.loop, name, scope)
    holder = object_of(update.receiver) or update.receiver
    if asked is None or spelling(object_of(asked.node) or asked.node) != spelling(holder) or asked.taken != (name,):
        return None
    answers = {known.constant is None for known in before.alternatives}
    is_known = len(answers) == 1 and not before.open
    return answers.pop() is isinstance(sign, ast.Is) if is_known else None
