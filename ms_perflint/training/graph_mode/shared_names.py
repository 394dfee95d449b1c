"""Networks that stand side by side in one compiled function, or in a list of Python, with Parameters of the same name.

Run on 2.10, CPU: graph mode refuses them ("its name 'fc.weight' already exists"), PyNative does not. A cell that holds
them gives each a prefix, also a `SequentialCell`, a `CellList` or a `WithLossCell`, not one of a class with
`super().__init__(auto_prefix=False)`; so does `update_parameters_name`, and a loop over the Parameters that gives each
another `name`. A network of the module that a `construct` calls has no prefix, beside one that the cell holds.
An object of Python that holds them does not, and optimizers rename only what they train, no statistics.
A cell that keeps cells in a list, tuple or dict of Python does not hold them: they have no prefix and are not among
`trainable_params()`. `CellList`, `SequentialCell`, `setattr` and attributes name them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product

from ms_perflint.index.execution_order import root_name
from ms_perflint.index.reachability import BY_DEFAULT
from ms_perflint.index.semantic_index import COMPREHENSIONS, Scope, Site
from ms_perflint.index.syntax_forms import descendants, given, is_own, name_of, word_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.bases import CELLS, is_cell_class, is_parameter
from ms_perflint.training.graph_mode.compiled import gone_through
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.optimizers import PARAMETERS, is_optimizer_word

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
_HOLDS = ("CellList", "SequentialCell", "CellDict", "insert_child_to_cell", "setattr")
_HOPS = 3  # cells that are given to one another
UNHELD = Message("cells in a list have Parameters of the same names: `nn.CellList` tells them apart")
_Named = tuple[Alternative, frozenset[str]]  # a network, and the names of its Parameters
_RENAMES = ("update_parameters_name", "param_prefix")


def in_names(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the calls of networks in a function whose Parameters have names of those of an earlier one.

    What a `construct` calls of its own cell has a prefix, or stands beside networks that the cell does not hold.
    """
    if not function.is_function:
        return
    cls = function.cls if is_cell_class(program, function.cls) else None
    inside = [] if cls is None else [site for site in function.calls if is_own(getattr(site.node, "func", site.node))]
    are_weights_renamed = renames(program)
    if are_weights_renamed and not _renames_optimizers(program):
        return
    met: dict[object, _Named] = {}
    # by a name of the function it is a cell of its own, too: `for block in self.blocks: x = block(x)`
    free = [
        site for site in function.calls if cls is None or root_name(site.callee or site.node) not in function.bindings
    ]
    for site in (*free, *(inside if cls is not None and _keeps_names(program, cls) else ())):
        own: dict[object, _Named] = {}
        for known in program.evaluator.callees(site).alternatives:
            identity = known.identity, known.copied  # a copy has the names of Parameters, too: `copy.deepcopy(net)`
            if known.creation is not None and identity not in met:
                names = names_of(program, known)
                left = (each for each in names if not are_weights_renamed or each.rpartition(".")[2] == "gamma")
                own[identity] = known, frozenset(left)
        shared = next(_shared(program, own.values(), met.values()), None)
        met.update(own if site not in inside else {})
        if shared is not None:
            text = Message(
                "two networks here have a Parameter `{name}`: graph mode needs one cell that contains both", name=shared
            )
            yield obstacle(function.module, site.node, "names", text)


def _shared(program: Program, called: Iterable[_Named], met: Iterable[_Named]) -> Iterator[str]:
    """Yield the names that Parameters of networks share with those of others, where no cell around tells them apart."""
    for (known, names), (other, theirs) in product(called, met):
        both = sorted(names & theirs)
        if both and not _is_held(program, known) and not _is_held(program, other):
            yield both[0]


def _renames_optimizers(program: Program) -> bool:
    """Return whether only optimizers rename their Parameters: the weights, not the statistics of a BatchNorm."""
    if any(program.project.contains_any(module.path, _RENAMES[1:]) for module in program.modules):
        return False
    if _renames_each(program):
        return False
    owners = [site.base for site in program.sites(_RENAMES[0]) if site.base is not None]
    return bool(owners) and all(is_optimizer_word(word_of(each)) for each in owners)


def renames(program: Program) -> bool:
    """Return whether the program may rename Parameters itself."""
    is_renamed = any(program.project.contains_any(module.path, _RENAMES) for module in program.modules)
    return is_renamed or _renames_each(program)


def _renames_each(program: Program) -> bool:
    """Return whether a loop over Parameters gives each another name: `p.name = "teacher." + p.name`."""
    stores = [each for each in program.code.stores_anywhere("name") if not isinstance(each.value, ast.Constant)]
    bases = ((each.node.value, each.scope) for each in stores if isinstance(each.node, ast.Attribute))
    bound = (each for base, scope in bases if isinstance(base, ast.Name) for each in scope.lookup(base))
    over = (each for binding in bound if (each := gone_through(binding)[0]) is not None)
    return any(isinstance(each, ast.Call) and word_of(each.func) in PARAMETERS for each in over)


def names_of(program: Program, known: Alternative, around: tuple[object, ...] = ()) -> Iterator[str]:
    """Yield the names of the Parameters of a cell with known layers; `around`: the cells that hold it."""
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
        if is_parameter(known) and isinstance(node, ast.Call):
            named = [word.value for word in node.keywords if word.arg == "name"] or node.args[1:2]
            own = program.value(named[0], scope).constants if named else (name,)
            yield from (each for each in own[:1] if isinstance(each, str))
        for inner in names_of(program, known, around):
            yield f"{name}.{inner}"


def _is_held(program: Program, known: Alternative) -> bool:
    """Return whether a cell is made in another one, or passed to one, which gives its Parameters a prefix."""
    made = known.creation
    assert made is not None
    if is_cell_class(program, made.scope.owner.cls):
        return True
    return any(_takes(program, site, known) for module in program.modules for site in module.sites)


def _takes(program: Program, site: Site, known: Alternative) -> bool:
    """Return whether a call makes a cell of a network."""
    if not isinstance(site.node, ast.Call) or not site.word[:1].isupper():
        return False
    shown = (ast.List, ast.Tuple)
    inner = [part for node in given(site.node) for part in (node.elts if isinstance(node, shown) else [node])]
    held = (part for part in inner if isinstance(part, (ast.Name, ast.Attribute)))
    if not any(
        each.identity == known.identity for part in held for each in program.value(part, site.scope).alternatives
    ):
        return False
    makers = program.evaluator.callees(site).alternatives
    classes = [known.definition for known in makers if is_cell_class(program, known.definition)]
    return any(each.api.startswith(CELLS) for each in makers) or any(
        cls is not None and not _keeps_names(program, cls) for cls in classes
    )


def _keeps_names(program: Program, cls: Scope) -> bool:
    """Return whether a cell gives what it holds no prefix: `super().__init__(auto_prefix=False)`."""
    inits = (init for each in ancestors(program.evaluator, cls) if (init := each.method("__init__")) is not None)
    calls = (site.call for init in inits for site in init.calls if site.word == "__init__")
    said = (word.value for call in calls for word in call.keywords if word.arg == "auto_prefix")
    return any(isinstance(each, ast.Constant) and each.value is False for each in said)


# --- cells in a container of Python


def in_containers(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the containers of a compiled method with cells whose Parameters have the same names."""
    cls = function.cls
    if cls is None or not function.is_function or renames(program):
        return
    for name, node in sorted(_own_attributes(function).items()):
        if not program.value(node, function).are_only(lambda known: known.is_display):
            continue
        counts: Counter[str] = Counter()
        for value, scope, times in _elements(program, cls, name):
            for known in program.value(value, scope).alternatives[:1]:
                counts.update(dict.fromkeys(_names(program, known, _HOPS), times))
        if any(times > 1 for times in counts.values()):
            yield obstacle(function.module, node, "names", UNHELD)


def _names(program: Program, known: Alternative, hops: int) -> Iterator[str]:
    """Yield the names of the Parameters of a cell, and those of the cells that it is given, without their prefix."""
    yield from names_of(program, known)
    made = known.creation
    for argument in made.call.args if made is not None and hops and known.cls is not None else ():
        for each in program.value(argument, made.scope).alternatives:  # type: ignore[union-attr]
            yield from _names(program, each, hops - 1)


def _own_attributes(function: Scope) -> dict[str, ast.Attribute]:
    """Return where a method first reads each attribute of its object, by name."""
    found: dict[str, ast.Attribute] = {}
    for node in descendants(function.node) if function.attrs else ():
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and is_own(node):
            found.setdefault(node.attr, node)
    return found


def _elements(program: Program, cls: Scope, name: str) -> Iterator[tuple[ast.expr, Scope, int]]:
    """Yield the calls that make the elements of a container of an object, and how often each runs at least."""
    for owner in ancestors(program.evaluator, cls):
        for binding in owner.attributes.get(name, ()):
            scope, value = binding.scope, binding.value
            if program.evaluator.reachability(binding.block) != BY_DEFAULT:
                continue  # `if batch_norm:`, which is off
            if value is None or _is_given_to_cell(scope, value, name):
                return
            local = name_of(value)
            for known in program.value(value, scope).alternatives:
                many = 2 if known.shown is not None and isinstance(known.shown.node, COMPREHENSIONS) else 1
                yield from ((part.node, part.scope, many) for part in known.parts if isinstance(part.node, ast.Call))
            for site in scope.owner.calls:
                if site.word == "append" and site.base is not None and len(site.call.args) == 1:
                    added = site.call.args[0]
                    is_made = isinstance(added, ast.Call) or _is_made_there(added, site)
                    if is_made and _is_container(site.base, local, name):
                        yield added, site.scope, 2 if site.block.loops else 1


def _is_made_there(node: ast.expr, site: Site) -> bool:
    """Return whether a name is bound to a call in the same iteration of a loop."""
    made = site.scope.lookup(node) if isinstance(node, ast.Name) else []
    return bool(made) and all(isinstance(each.value, ast.Call) and each.block.loops for each in made)


def _is_container(node: ast.AST, local: str, name: str) -> bool:
    """Return whether an expression is a container that has a local name, or is in an attribute of a name."""
    if isinstance(node, ast.Name):
        return node.id == local
    return isinstance(node, ast.Attribute) and node.attr == name


def _is_given_to_cell(scope: Scope, value: ast.expr, name: str) -> bool:
    """Return whether the function that fills a container passes it, or its elements, to a cell that names them."""
    calls = (site.node for site in scope.owner.calls if isinstance(site.node, ast.Call))
    held = [node for node in calls if word_of(node.func) in _HOLDS]
    local = name_of(value)
    inside = (each for node in held for each in ast.walk(node) if isinstance(each, (ast.Name, ast.Attribute)))
    is_given = any(_is_container(each, local, name) for each in inside)
    return is_given or any(word_of(node.func) in _HOLDS[3:] for node in held)
