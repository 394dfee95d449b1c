"""Why code that is not followed may depend on a width: then its fix is display-only."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import given, only_target, spelling
from ms_perflint.infer.queries import query
from ms_perflint.languages import Message
from ms_perflint.program.call_site import call_of
from ms_perflint.program.program import Program
from ms_perflint.training import training
from ms_perflint.training.bases import is_cell_class
from ms_perflint.training.dtypes.tensor_ops import PRINTS
from ms_perflint.training.networks import feeds, layers, widths
from ms_perflint.training.networks.provenance import Origin
from ms_perflint.training.networks.widths import Hidden

_ASKS = PRINTS | {"format", "len", "isinstance", "type"}
_RATES = frozenset({"learning_rate", "lr", "global_step"})
_WEIGHTS = frozenset({"weight", "bias", "embedding_table", "gamma", "beta"})


def doubt(program: Program, found: Hidden) -> Optional[Message]:
    """Return why code that is not followed may depend on a width; None where its file shows all such code."""
    module, origins = found.producer.call.module, found.origins

    def seen(where: Place) -> Message:
        return where.seen_from(module.path)

    for origin in (*origins, *found.literals, *found.literal_sums):
        if origin.module is not module:
            return Message("{file} sets the width", file=os.path.basename(origin.place.path))
        if origin.optional:
            return Message("an option may set another width")
    if imported := _importer(program, module, origins):
        return Message("{file} imports the width", file=os.path.basename(imported))
    if found.leaves is not None:
        return Message("{place} gives the width to code outside of the network", place=seen(found.leaves))
    if (called := _called_outside(program, found)) is not None:
        return Message("{place} gives the width to code outside of the network", place=seen(called))
    if (other := _other(program, found)) is not None:
        return Message("{place} has the same number; whether that is the width is not known", place=seen(other))
    if (use := _other_use(program, module, origins)) is not None:
        return Message("{place} uses the constant for something else", place=seen(use))
    if (passed := _passed_from_outside(program, found)) is not None:
        return Message("{place} passes tensors of this width from outside", place=seen(passed))
    if (read := _read_weight(program, found)) is not None:
        return Message("{place} computes with a weight of this width", place=seen(read))
    if (weights := _given_weights(program)) is not None:
        return Message("{place} sets weights, which may have the old width", place=seen(weights))
    if not found.consumers and not found.sums:
        return Message("the layer that takes this width as input is not among the files")
    return None


def said_elsewhere(program: Program, found: Hidden) -> Optional[Place]:
    """Return where a script that only uses the trained network has the width in a literal; None without one."""
    project, paths = program.project, {origin.place.path for origin in found.origins}
    for script in project.programs(found.producer.call.module.path)[1:]:
        if paths.isdisjoint(project.closure(script)) and not training.names_training(program, script):
            module = project.module(script)
            for node in _by_value(ast.walk(module.tree)).get(found.width, ()) if module is not None else ():
                return module.place(node)  # type: ignore[union-attr]
    return None


def _importer(program: Program, module: SemanticIndex, origins: Sequence[Origin]) -> Optional[str]:
    """Return a file other than that of a constant that imports its name; None without one."""
    nodes = {id(origin.node) for origin in origins}
    names = {
        name for name, bindings in module.scope.bindings.items() for binding in bindings if id(binding.value) in nodes
    }
    files = [path for path in program.files if any(program.project.contains(path, name) for name in sorted(names))]
    others = [other for path in files if path != module.path and (other := program.module(path)) is not None]
    return next((other.path for other in others if names & set(other.imported)), None)


# --- the same number


def _other(program: Program, found: Hidden) -> Optional[Place]:
    """Return where the network, or a shape elsewhere, has the same number, which may be the width; None without one."""
    module = found.producer.call.module
    flow = feeds.feeds(program, module)
    known = widths.held(program, flow) | {id(origin.node) for origin in (*found.literals, *found.literal_sums)}
    calls = [slot.call for slot in found.slots]
    scopes = dict.fromkeys(
        scope for call in calls for scope in {layers.network(call), *map(layers.around, flow.places.get(call, ()))}
    )
    nodes = [(scope.module, node) for scope in scopes for node in _numbers(program, scope).get(found.width, ())]
    nodes += [(module, node) for node in _shapes(program, module).get(found.width, ())]
    return next((where.place(node) for where, node in nodes if id(node) not in known), None)


@query
def _numbers(program: Program, scope: Scope) -> dict[int, list[ast.Constant]]:
    """Return the literals of a class or function, by their value."""
    is_module = isinstance(scope.node, ast.Module)
    return _by_value(() if is_module else ast.walk(scope.node))


@query
def _shapes(program: Program, module: SemanticIndex) -> dict[int, list[ast.Constant]]:
    """Return the literals at the end of possible shapes, in arguments and displays, by their value."""
    last: list[ast.AST] = []
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) > 1 and isinstance(node.ctx, ast.Load):
            last.append(node.elts[-1])
        elif isinstance(node, ast.Call) and len(node.args) > 1:
            last.append(node.args[-1])
    return _by_value(last)


def _by_value(nodes: Iterable[ast.AST]) -> dict[int, list[ast.Constant]]:
    found: dict[int, list[ast.Constant]] = {}
    for node in nodes:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            found.setdefault(node.value, []).append(node)
    return found


# --- the same constant


def _other_use(program: Program, module: SemanticIndex, origins: Sequence[Origin]) -> Optional[Place]:
    """Return where the name of a constant is loaded outside of networks, and not passed to one; None without one."""
    nodes = {id(origin.node) for origin in origins}
    names = {
        name
        for scope in module.scopes
        if not is_cell_class(program, layers.around(scope))
        for name, bindings in scope.bindings.items()
        for binding in bindings
        if id(binding.value) in nodes
    }
    if not names:
        return None
    calls = (site for scope in module.scopes for site in scope.calls if isinstance(site.node, ast.Call))
    passed = {id(node) for site in calls for node in _passed(program, site)}
    inside = {id(node) for scope in module.scopes if is_cell_class(program, scope) for node in ast.walk(scope.node)}
    for node in ast.walk(module.tree):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        is_load = isinstance(getattr(node, "ctx", None), ast.Load)
        if name in names and is_load and id(node) not in passed and id(node) not in inside:
            return module.place(node)
    return None


def _passed(program: Program, site: Site) -> Iterator[ast.AST]:
    """Yield the arguments that a call passes to a layer, to code of the program, or prints."""
    made = program.evaluator.callees(site).alternatives
    if site.word in _ASKS or any(
        each.definition is not None or each.cls is not None or each.api in layers.LAYERS for each in made
    ):
        for argument in given(site.call):
            yield from ast.walk(argument)


# --- tensors from outside, weights


def _passed_from_outside(program: Program, found: Hidden) -> Optional[Place]:
    """Return where code outside of networks calls a method that takes the width in; None without one."""
    flow = feeds.feeds(program, found.producer.call.module)
    functions = dict.fromkeys(scope for slot in found.consumers for scope in flow.places.get(slot.call, ()))
    for function in functions:
        first = {scope for slot in found.slots if slot.role == layers.OUT for scope in flow.places.get(slot.call, ())}
        for site in program.callers(function) if function not in first else ():
            if not is_cell_class(program, layers.network(site)):
                return site.module.place(site.node)
    return None


def _called_outside(program: Program, found: Hidden) -> Optional[Place]:
    """Return where code outside of networks calls a layer that gives out the width: `net.fc(x)`; None without one."""
    for slot in found.slots:
        target = only_target(slot.call.stmt)
        if slot.role != layers.OUT or not isinstance(target, ast.Attribute):
            continue
        for site in program.sites(target.attr):
            func = site.callee
            if func is None or is_cell_class(program, layers.network(site)) or not program.runs(site):
                continue
            made = (each.creation for each in program.value(func, site.scope).alternatives)
            if any(each is not None and each.call is slot.call.node for each in made):
                return site.place
    return None


def _read_weight(program: Program, found: Hidden) -> Optional[Place]:
    """Return where the functions that call a layer read its weight, which may be tied; None without one."""
    flow = feeds.feeds(program, found.producer.call.module)
    own = {slot.call for slot in found.slots}
    for function in dict.fromkeys(scope for call in own for scope in flow.places.get(call, ())):
        for node in ast.walk(function.node):
            if isinstance(node, ast.Attribute) and node.attr in _WEIGHTS:
                made = (call_of(program, known) for known in program.value(node.value, function).alternatives)
                if not own.isdisjoint(call for call in made if call is not None):
                    return function.module.place(node)
    return None


def _given_weights(program: Program) -> Optional[Place]:
    """Return where a parameter gets a value that is not computed from its own shape; None without one."""
    for site in program.sites("set_data"):
        func = site.callee
        if not isinstance(func, ast.Attribute) or not program.runs(site):
            continue
        name, own = func.value.attr if isinstance(func.value, ast.Attribute) else "", spelling(func.value)
        parts = (part for argument in site.call.args for part in ast.walk(argument))
        if name not in _RATES and not any(isinstance(part, ast.expr) and spelling(part) == own for part in parts):
            return site.module.place(site.node)
    return None
