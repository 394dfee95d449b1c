"""Networks that stand side by side in one compiled function and have Parameters of the same name.

Run on 2.10, CPU: graph mode refuses them ("its name 'fc.weight' already exists"), PyNative does not. A cell that holds
them gives each a prefix, also a `SequentialCell`, a `CellList` or a `WithLossCell`; so does `update_parameters_name`.
An object of Python that holds them does not, and optimizers rename only what they train, no statistics.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.bases import ancestors, method
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.compiled import class_of
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.training_steps import is_optimizer_word

_NAMES = {  # of the first Parameter of layers
    re.compile(rf"mindspore\.(?:mint\.)?nn\.(?:{layers})$"): name
    for layers, name in (
        (r"Dense|Linear|Conv\dd\w*", "weight"),
        (r"BatchNorm\dd|LayerNorm|GroupNorm|InstanceNorm\dd", "gamma"),
        (r"Embedding(?:Lookup)?", "embedding_table"),
        (r"LSTM|GRU|RNN", "weight_ih_l0"),
        (r"PReLU", "w"),
    )
}
_ROW = "mindspore.nn.SequentialCell"
_PARAMETER = "mindspore.Parameter"
_RENAMES = ("update_parameters_name", "param_prefix", "auto_prefix")


def in_names(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the calls of networks in a function that has met one with the same names of Parameters before."""
    if _is_cell(program, class_of(function)) or not function.is_function:
        return
    are_weights_renamed = renames(program)
    if are_weights_renamed and not _renames_optimizers(program):
        return
    met: dict[object, tuple[Alternative, frozenset[str]]] = {}
    for site in function.calls:
        known = program.evaluator.callees(site).alternatives
        identity = (known[0].identity, _copied(site)) if known else None
        if len(known) != 1 or known[0].creation is None or identity in met:
            continue
        own = frozenset(name for name in names_of(program, known[0]) if not are_weights_renamed or _is_fixed(name))
        others = [(other, sorted(own & names)) for other, names in met.values() if own & names]
        met[identity] = known[0], own
        shared = next((names for other, names in others if not _is_held(program, other)), None)
        if shared is not None and not _is_held(program, known[0]):
            text = Message(
                "two networks here have a Parameter `{name}`: graph mode wants one cell around", name=shared[0]
            )
            yield obstacle(function.module, site.node, "names", text)


def _copied(site: Site) -> Optional[ast.AST]:
    """Return the call that copies what a site calls, with the names of its Parameters: `copy.deepcopy(net)`."""
    callee = site.node.func if isinstance(site.node, ast.Call) else None
    bindings = site.scope.lookup(callee) if isinstance(callee, ast.Name) else ()
    made = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
    return made if isinstance(made, ast.Call) and word_of(made.func) in ("copy", "deepcopy") else None


def _renames_optimizers(program: Program) -> bool:
    """Return whether only optimizers rename what they hold: the weights, but not the statistics of a BatchNorm."""
    if any(program.project.contains_any(module.path, _RENAMES[1:]) for module in program.modules):
        return False
    calls = (site.node for site in program.sites(_RENAMES[0]))
    owners = [node.func.value for node in calls if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    return bool(owners) and all(is_optimizer_word(word_of(each)) for each in owners)


def _is_fixed(name: str) -> bool:
    return name.rpartition(".")[2] == "gamma"


def _is_cell(program: Program, cls: Scope | None) -> bool:
    return cls is not None and method(program.evaluator, cls, "construct") is not None


def renames(program: Program) -> bool:
    """Return whether the program may give Parameters other names itself."""
    return any(program.project.contains_any(module.path, _RENAMES) for module in program.modules)


def names_of(program: Program, known: Alternative, around: tuple[object, ...] = ()) -> Iterator[str]:
    """Yield the names of Parameters of a cell, as far as its layers are known; `around`: the cells that hold it."""
    made = known.creation
    if known.identity in around or made is None:
        return
    around = (*around, known.identity)
    own = next((name for layers, name in _NAMES.items() if layers.match(known.type_api)), None)
    if own is not None:
        yield own
    elif known.type_api == _ROW:
        parts = [(each, made.scope) for each in made.call.args]
        if len(parts) == 1:
            shown = [part for one in program.value(*parts[0]).alternatives for part in one.parts]
            parts = [(part.node, part.scope) for part in shown] or parts
        for at, (node, scope) in enumerate(parts):
            yield from _below(program, str(at), node, scope, around)
    elif known.cls is not None:
        for cls in ancestors(program.evaluator, known.cls):
            for name, bindings in cls.attributes.items():
                for binding in bindings:
                    if isinstance(binding.value, ast.Call) and not binding.path:
                        yield from _below(program, name, binding.value, binding.scope, around)


def _below(program: Program, name: str, node: ast.expr, scope: Scope, around: tuple[object, ...]) -> Iterator[str]:
    for known in program.value(node, scope).alternatives:
        if known.type_api == _PARAMETER and isinstance(node, ast.Call):
            given = [word.value for word in node.keywords if word.arg == "name"] or node.args[1:2]
            own = program.value(given[0], scope).constants if given else (name,)
            yield from (each for each in own[:1] if isinstance(each, str))
        for inner in names_of(program, known, around):
            yield f"{name}.{inner}"


def _is_held(program: Program, known: Alternative) -> bool:
    """Return whether a cell is made in another one, or given to one: that gives its Parameters a prefix."""
    made = known.creation
    assert made is not None
    if _is_cell(program, class_of(made.scope.owner)):
        return True
    return any(_takes(program, site, known) for module in program.modules for site in module.sites)


def _takes(program: Program, site: Site, known: Alternative) -> bool:
    """Return whether a call makes a cell of a network."""
    if not isinstance(site.node, ast.Call) or not site.word[:1].isupper():
        return False
    given = [*site.node.args, *(keyword.value for keyword in site.node.keywords)]
    inner = [part for node in given for part in (node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node])]
    held = (part for part in inner if isinstance(part, (ast.Name, ast.Attribute)))
    if not any(
        each.identity == known.identity for part in held for each in program.value(part, site.scope).alternatives
    ):
        return False
    makers = program.evaluator.callees(site).alternatives
    return any(each.api.startswith("mindspore.nn.") or _is_cell(program, each.definition) for each in makers)
