"""Functions of a program that lay one mapping over another on all levels: `merge(settings, others)`."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.reachability import path_condition
from ms_perflint.index.semantic_index import Block, Scope, SemanticIndex
from ms_perflint.index.signature import Layer, Signature, positional
from ms_perflint.index.syntax_forms import name_of, word_of
from ms_perflint.infer import mappings, setting_loops
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import Value

_COPIES = frozenset({"dict", "copy", "deepcopy"})  # calls that give what is changed in place of the first mapping
_ASKS = frozenset({"isinstance", "get", "keys", "type"})  # calls that only ask what is there under a key


def merged(evaluator: Evaluator, function: Scope, layer: Optional[Layer], is_bound: bool) -> Optional[Value]:
    """Return the result of a call of a function that merges two known mappings; None for others."""
    names = _merging(function.module, function) if layer is not None and layer.row is None else None
    if layer is None or names is None:
        return None
    arguments = Signature.of(function, is_bound and function.is_method).bind(layer)
    given = [arguments.of(name).given for name in names]
    layers = [each for each in given if each is not None and mappings.is_mapping(evaluator.read(each))]
    return mappings.merged(evaluator, layer.call, layers, layer.scope) if len(layers) == 2 else None


@fact
def _merging(module: SemanticIndex, function: Scope) -> Optional[tuple[str, str]]:
    """Return the parameters for a mapping and for what a function lays over it; None for other functions.

    By its form: it goes through the keys of the second, stores each value in the first or a copy of it, or calls itself
    for what both have under a key, and returns what it has changed.
    """
    if not any(site.word == function.name and len(getattr(site.node, "args", ())) > 1 for site in function.calls):
        return None
    names = [each.arg for each in positional(function)]
    stores = [store for several in module.registered.values() for store in several if store[2].scope.owner is function]
    changed = {name_of(target.value) for target, *_ in stores} | {name_of(value) for value, _ in function.returns}
    loops = [setting_loops.of_key(target.slice, block) for target, _, block in stores]
    if len(changed) != 1 or not function.returns or not loops or len({*loops}) != 1 or loops[0] is None:
        return None
    into, second = changed.pop(), name_of(loops[0].over)
    bindings = function.bindings.get(into, ())
    first = into if into in names else _copied(bindings[0].value) if len(bindings) == 1 else ""
    own = [(value, block) for _, value, block in stores if not _calls(value, function.name)]
    whole = (loops[0].value, f"{second}[{loops[0].key}]")
    if first == second or not {first, second} <= {*names} or any(ast.unparse(value) not in whole for value, _ in own):
        return None
    return (first, second) if any(map(_replaces, (block for _, block in own))) else None


def _calls(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and word_of(node.func) == name


def _replaces(block: Block) -> bool:
    """Return whether a store is made where there is a value, too, and tests ask for no more than what is there."""
    for part in (part for condition in path_condition(block) for part in condition.parts):
        compares = [each for each in ast.walk(part.test) if isinstance(each, ast.Compare)]
        if any(not isinstance(op, (ast.In, ast.NotIn)) for each in compares for op in each.ops):
            return False
        if any(isinstance(each, ast.Call) and word_of(each.func) not in _ASKS for each in ast.walk(part.test)):
            return False
        if part.test in compares and isinstance(part.test.ops[0], ast.NotIn) is part.result:
            return False
    return True


def _copied(value: Optional[ast.expr]) -> str:
    """Return the name of which a call makes a copy: `dict(name)`, `name.copy()`; "" for others."""
    if not isinstance(value, ast.Call) or word_of(value.func) not in _COPIES:
        return ""
    return name_of(value.args[0] if value.args else getattr(value.func, "value", value))
