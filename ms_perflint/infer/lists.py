"""Elements of lists: of their displays, and those that code adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from ms_perflint.index.reachability import BY_DEFAULT, IMPOSSIBLE
from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import words_in
from ms_perflint.infer import sequences
from ms_perflint.infer.alternatives import COMPREHENSION, LIST, Display, Instance
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.held_names import bindings_of
from ms_perflint.infer.list_changes import FIXED, changes
from ms_perflint.infer.places import GROWS
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Value, join


def gathered(binding: Binding, scope: Scope, value: Value) -> Value:
    """Return lists that are made elsewhere and bound to a name, with the elements that are added under this name."""
    lists = [known.what for known in value.alternatives if type(known.what) is Display and known.what.kind == LIST]
    if all(binding in bindings_of(what) for what in lists):  # as most often
        return value
    names = words_in(binding.node) or (binding.name,)
    by_word, owner = scope.module.by_word, binding.scope.owner
    added = (site for word in GROWS for site in by_word.get(word, ()) if site.scope.owner is owner)
    is_added = any(site.base is not None and words_in(site.base) == names for site in added)
    return under_name(binding, scope, value) if is_added else value


def under_name(binding: Binding, scope: Scope, value: Value) -> Value:
    """Return lists that are made elsewhere and bound to a name, as one list that changes under this name."""
    before = tuple(known for known in value.alternatives if type(known.what) is Display and known.what.kind == LIST)
    if not before:
        return value
    rest = tuple(known for known in value.alternatives if known not in before)
    held = Held(binding.node, scope, Value(before), is_spread=True)  # type: ignore[arg-type]
    made = Alternative(Display(binding.node, scope, LIST, (held,), binding=binding), (scope.module, binding.node))
    return Value((made, *rest), value.open, value.overridable)


def each(evaluator: Evaluator, value: Value) -> Value:
    """Return what any element of a list is, added ones included."""
    values = [value.of_part(known, evaluator.kind(known).elements()) for known in value.alternatives]
    found = join([*values, *([TOP] if value.open else [])]) if values or value.open else BOTTOM
    return found.overridden_with(value)


def elements(evaluator: Evaluator, what: Display) -> Value:
    """Return the elements of one list: those of its display, and those that code adds."""
    if what.kind in FIXED and not any(part.is_spread for part in what.parts):
        return join(map(evaluator.read, what.parts)) if what.parts else BOTTOM  # cheaper than a query
    return _elements(evaluator, what)


@query(bottom=BOTTOM, top=TOP)
def _elements(evaluator: Evaluator, what: Display) -> Value:
    if what.kind == COMPREHENSION:
        inner = sequences.inside(evaluator, what.node, what.scope)  # type: ignore[arg-type]
        values = [evaluator.value(what.parts[0].node, inner)]
    else:
        read = ((part, evaluator.read(part)) for part in what.parts)
        values = [each(evaluator, value) if part.is_spread else value for part, value in read]
    if what.kind not in FIXED:
        values.extend(added(evaluator, what))
    return join(values) if values else BOTTOM


def added(evaluator: Evaluator, what: Union[Display, Instance]) -> Iterator[Value]:
    """Yield what is added to a list after it was made, under whatever name."""
    for word, node, block, *_ in changes(evaluator, what):
        scope = what.scope if block.scope is getattr(what.scope, "function", None) else block.scope
        reachability = evaluator.reachability(block, scope)
        if reachability == IMPOSSIBLE or node is None:
            continue
        value = evaluator.value(node, scope)
        if word in ("extend", "extendleft"):
            value = each(evaluator, value)
        yield value if reachability == BY_DEFAULT else value.as_non_default()
