"""What `object[key]` can be."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint.semantics import lists, records, registries, tables
from ms_perflint.semantics.module import Module, Scope
from ms_perflint.semantics.settings import commandline, configs, mappings, options, stores
from ms_perflint.semantics.values import (
    NOTHING,
    OPEN,
    Api,
    Constant,
    Display,
    Instance,
    Known,
    Options,
    Tree,
    Value,
    union,
)

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluator import Evaluator

CELL_DICT = "mindspore.nn.CellDict"


def subscript(evaluator: Evaluator, node: ast.Subscript, scope: Scope) -> Value:
    """Return what `base[key]` can be."""
    index = node.slice
    base = evaluator.value(node.value, scope)
    keys = evaluator.value(index, scope) if isinstance(index, ast.expr) else OPEN
    registered = registries.registered(evaluator, node, keys, scope)
    if registered is not None:
        return registered
    if evaluator.is_pending(keys) or evaluator.is_pending(base):
        return NOTHING
    if keys.open or not keys.known or len(keys.constants) != len(keys.known):
        return tables.any_entry(evaluator, base)
    values = [_at(evaluator, known, key) for known in base.known for key in keys.known]
    if base.open or not base.known:
        values.append(OPEN)
    names = list(dict.fromkeys(key for key in keys.constants if isinstance(key, str)))
    if len(names) == 1:
        values = stores.overlaid(evaluator, values, base, node, names[0], scope)
    else:
        values.extend(v for name in names for v in stores.overlaid(evaluator, [], base, node, name, scope))
    if keys.optional:
        values.extend(tables.others(evaluator, base, values))
    value = union(values)
    return Value(value.known, value.open, value.optional or keys.optional)


def _at(evaluator: Evaluator, known: Known, key: Known) -> Value:
    """Return what one key gives: as something rare where the key is."""
    value = item(evaluator, known, key.constant)
    return value if key.usual else value.rarely()


def item(evaluator: Evaluator, known: Known, key: object) -> Value:
    """Return `known[key]`."""
    what = known.what
    if isinstance(what, Display):
        return _display_item(evaluator, what, key)
    if isinstance(what, (Tree, Options)):
        return configs.lookup(evaluator, known, key)
    if isinstance(what, Module):
        return evaluator.exported(what, key) if isinstance(key, str) else OPEN  # `globals()["name"]`
    if known.type_api == CELL_DICT and isinstance(what, Instance) and what.node is not None and what.node.args:
        return union(item(evaluator, each, key) for each in evaluator.value(what.node.args[0], what.scope).known)
    if isinstance(what, Instance) and what.node is not None and isinstance(key, str):
        field = records.field(evaluator, known, key)
        if field is not None:
            return field
        return configs.setting(evaluator, what, key)
    if known.type_api in lists.CELLS:
        elements, is_open = lists.elements(evaluator, Value((known,)))
        return Value(elements, is_open)
    if (
        isinstance(what, Instance)
        and isinstance(what.type, Api)
        and key == 0
        and what.type.name.endswith(".parse_known_args")
    ):
        return options.options_of(known)
    if isinstance(what, Api) and what.name == "os.environ" and isinstance(key, str):
        return commandline.variable(evaluator.program.exported(key), OPEN)
    if isinstance(what, Constant) and isinstance(what.value, (str, tuple)) and isinstance(key, int):
        try:
            return Value((Known(Constant(what.value[key]), known.where, known.usual),))
        except IndexError:
            return OPEN
    return OPEN


def _display_item(evaluator: Evaluator, display: Display, key: object) -> Value:
    node = display.node
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(key, int):
        elements = _in_order(evaluator, display)
        if elements is None or not -len(elements) <= key < len(elements):
            return OPEN
        return evaluator.value(*elements[key])
    if isinstance(node, ast.ListComp) and _is_copy(node):
        inner = display.scope
        return union(evaluator.item(known, key) for known in evaluator.value(node.generators[0].iter, inner).known)
    if isinstance(node, ast.Dict):
        return mappings.entry(evaluator, display, key)
    return OPEN


def _in_order(evaluator: Evaluator, display: Display, depth: int = 0) -> Optional[list[tuple[ast.expr, Scope]]]:
    """Return the elements of a list or tuple with the scopes to read them in; None where not all are shown."""
    found: list[tuple[ast.expr, Scope]] = []
    for element in display.node.elts:  # type: ignore[attr-defined]
        if not isinstance(element, ast.Starred):
            found.append((element, display.scope))
            continue
        value = evaluator.value(element.value, display.scope)
        what = value.known[0].what if len(value.known) == 1 and not value.open and depth < lists.NESTED else None
        if not isinstance(what, Display) or type(what.node) not in (ast.List, ast.Tuple):
            return None
        inner = _in_order(evaluator, what, depth + 1)
        if inner is None:
            return None
        found.extend(inner)
    return found


def _is_copy(node: ast.ListComp) -> bool:
    """Return whether it only makes a list of something: `[each for each in documents]`."""
    each = node.generators[0]
    names = [part.id for part in (node.elt, each.target) if isinstance(part, ast.Name)]
    return len(node.generators) == 1 and not each.ifs and len(names) == 2 and names[0] == names[1]
