"""Optimizers: whether a program steps one, and the calls that pass one to external code.

External code is in no file of the program, and not of MindSpore or another library with a model.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.signature import Part
from ms_perflint.index.syntax_forms import descendants, given, word_of
from ms_perflint.infer.assignments import graph_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.nodes import CALL, ELEMENT, joined
from ms_perflint.infer.places import JOINS, MAKES, PASSES
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.program.moves import AT, Held, Key
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import base_apis, kin

# Methods that give the parameters of a network, which every optimizer takes
PARAMETERS = ("trainable_params", "get_parameters", "parameters_dict", "parameters_and_names")
OPTIMIZERS = ("mindspore.nn.Optimizer", "mindspore.experimental.optim.Optimizer")  # which others derive from
# Packages whose functions show, store or copy their arguments, and train no network of MindSpore
BYSTANDERS = frozenset(
    {
        "builtins", "mindspore", "collections", "copy", "functools", "inspect", "itertools", "json", "logging",
        "operator", "os", "pickle", "pprint", "sys", "time", "typing", "warnings", "numpy", "torch", "tqdm", "yaml",
        "wandb",
    }
)  # fmt: skip
CONTAINERS = MAKES | PASSES  # calls whose result is, or holds, their arguments
_STEPS = ("construct", "step")  # methods that step an optimizer: `optimizer.construct(grads)`


def names(apis: Iterable[str]) -> list[str]:
    """Return the names of some APIs in the assignment graph: in full, and their last words."""
    return sorted({name for api in apis for name in (api, api.rpartition(".")[2])})


def is_optimizer_word(word: str) -> bool:
    """Return whether the name of a callee is that of an optimizer, which a call steps."""
    word = word.lower()
    return "optim" in word or word == "opt" or word.startswith("opt_") or word.endswith("_opt")


def is_named_optimizer(site: Site) -> bool:
    """Return whether a callee has the name of an optimizer, or is an item of what has: `self.optimizers[i](grads)`."""
    item = site.callee
    return is_optimizer_word(site.word or (word_of(item.value) if isinstance(item, ast.Subscript) else ""))


def names_optimizer(function: Scope) -> bool:
    """Return whether a function calls, by its name, an optimizer: it takes the step, and is not differentiated."""
    return any(map(is_named_optimizer, function.calls))


def optimizers() -> list[str]:
    """Return the optimizers of MindSpore."""
    return sorted(set().union(*map(mindspore_api.descendants, OPTIMIZERS)))


def _made() -> list[tuple[str, str]]:
    """Return the places of the assignment graph that hold an optimizer of MindSpore: results of these names."""
    return [(name, CALL) for name in names((*OPTIMIZERS, *optimizers()))]


def is_optimizer(program: Program, api: str, cls: Optional[Scope]) -> bool:
    """Return whether an instance of an API, or of a class of the project, is an optimizer."""
    return any(
        name in OPTIMIZERS or (name.startswith("mindspore.nn.") and is_optimizer_word(name))
        for name in kin(program, api, cls)
    )


@fact
def steps_optimizer(program: Program) -> bool:
    """Return whether a call of the program steps an optimizer, also one that a library wraps.

    A wrapper, `Accumulator(optimizer, 4)`, and an optimizer under another name, `self.inner(grads)`, come last.
    """
    return (
        any(_steps_optimizer(program, module) for module in program.modules)
        or any(
            _calls_any(program, site.module, site.module.result_names(site.word)) for site in given_optimizers(program)
        )
        or any(_calls_optimizer(program, site) for site in _calling_held(program))
    )


def _calling_held(program: Program) -> Iterator[Site]:
    """Yield the calls with an argument that contain a name under which an optimizer is held."""
    held = program.code.call_graph.reach(_made(), {})
    sites = (site for module in program.modules for site in _naming(module, held, False))
    return (site for site in sites if isinstance(site.node, ast.Call) and site.node.args)


def _calls_optimizer(program: Program, site: Site) -> bool:
    """Return whether running code calls an optimizer."""
    known = program.evaluator.callees(site).alternatives if program.runs(site) else ()
    return any(each.is_made and is_optimizer(program, each.type_api, each.cls) for each in known)


def _steps_optimizer(program: Program, module: SemanticIndex) -> bool:
    """Return whether a call of a module steps an optimizer: `optimizer(grads)`, `optimizer.construct(grads)`."""
    held = set().union(*(module.result_names(kind.rpartition(".")[2]) for kind in optimizers()))
    names = held | {word for word in module.by_word if is_optimizer_word(word)}
    items = (site for site in module.by_word.get("", ()) if is_named_optimizer(site))
    if _calls_any(program, module, names) or any(_runs_with_argument(program, site) for site in items):
        return True
    sites = [site for word in _STEPS for site in module.by_word.get(word, ())]
    bases = ((site, word_of(site.base)) for site in sites if isinstance(site.base, (ast.Name, ast.Attribute)))
    return any((base in held or is_optimizer_word(base)) and program.runs(site) for site, base in bases)


def _calls_any(program: Program, module: SemanticIndex, names: set[str]) -> bool:
    """Return whether running code calls one of some names with an argument."""
    sites = (site for name in sorted(names) for site in module.by_word.get(name, ()))
    return any(_runs_with_argument(program, site) for site in sites)


def _runs_with_argument(program: Program, site: Site) -> bool:
    return bool(site.call.args) and program.runs(site)


# --- optimizers that are passed to external code


@fact
def given_optimizers(program: Program) -> Mapping[Site, tuple[Alternative, ...]]:
    """Return the running calls that pass an optimizer to external code, with the objects that each is given.

    What external code makes of an optimizer, or of the parameters of a network, may be an optimizer, too.
    """
    held: Held = {}
    made: set[ast.AST] = set()

    def is_parameters(known: Alternative) -> bool:
        return known.type_api.rpartition(".")[2] in PARAMETERS

    def is_own(known: Alternative) -> bool:
        by = known.creation
        return by is not None and (by.call in made or is_optimizer(program, known.type_api, known.cls))

    new = program.code.call_graph.reach([(name, CALL) for name in PARAMETERS], held)
    makers = [site for site in _external_calls(program, new) if _is_given(program, site, held, is_parameters)]
    seeds, with_optimizing = _made(), True
    found: dict[Site, tuple[Alternative, ...]] = {}
    held = {}
    while seeds or makers:
        made.update(site.node for site in makers)
        new = program.code.call_graph.reach([*seeds, *_results(makers)], held)
        sites = [site for site in _external_calls(program, new, with_optimizing) if site not in found]
        makers = [site for site in sites if _is_given(program, site, held, is_own, is_optimizer_word)]
        found.update((site, tuple(_objects(program, site))) for site in makers)
        seeds, with_optimizing = [], False
    return found


def storing_optimizers(program: Program) -> Iterator[Part]:
    """Yield what makes the external objects, or the external bases of objects, that store an optimizer."""
    held = program.code.call_graph.reach(_made(), {})
    for module in program.modules:
        classes = [bindings for scope in module.scopes if scope.is_class for bindings in scope.attributes.values()]
        for store in (store for bindings in (*module.stored.values(), *classes) for store in bindings):
            if not isinstance(store.node, ast.Attribute) or store.node.attr not in held:
                continue
            if store.scope.owner not in program.reached:
                continue
            given = program.value(store.value, store.scope).alternatives if store.value is not None else ()
            if any(known.is_made and is_optimizer(program, known.type_api, known.cls) for known in given):
                for known in program.value(store.node.value, store.scope).alternatives:
                    yield from _external(program, known)


def _external(program: Program, known: Alternative) -> Iterator[Part]:
    """Yield the call that makes an external object, or the external bases of the class of an object."""
    if known.creation is not None and is_outside(known.type_api):
        yield Part(known.creation.call, known.creation.scope)
    for cls in ancestors(program.evaluator, known.cls) if known.cls is not None else ():
        assert isinstance(cls.node, ast.ClassDef) and cls.parent is not None
        for base in cls.node.bases:
            if any(is_outside(each.api) for each in program.value(base, cls.parent).alternatives):
                yield Part(base, cls.parent)


def is_outside(api: str) -> bool:
    """Return whether an API belongs to a library that may train."""
    return bool(api) and api.partition(".")[0] not in BYSTANDERS


def _results(sites: Iterable[Site]) -> Iterator[tuple[Key, str]]:
    """Yield the places of the results of calls in the assignment graph."""
    for site in sites:
        for node, path in graph_of(site.module).callees.get(id(site.node), ()):
            yield node.key, joined(path, CALL)


def _external_calls(program: Program, held: Held, with_optimizing: bool = False) -> list[Site]:
    """Return the running calls of external code that contain a name under which a value is held.

    `with_optimizing`: also those that contain the name of an optimizer.
    """
    sites = (site for module in program.modules for site in _naming(module, held, with_optimizing))
    return [site for site in sites if program.runs(site) and _is_external(program, site)]


def _naming(module: SemanticIndex, held: Held, with_optimizing: bool) -> list[Site]:
    """Return the calls of a module that contain such a name, in the order of the source."""
    named, optimizing = _names_in_calls(module)
    at = {position for key in named.keys() & held.keys() for position in named[key]}.union(
        optimizing if with_optimizing else ()
    )
    return [module.sites[position] for position in sorted(at)]


@fact
def _names_in_calls(module: SemanticIndex) -> tuple[Mapping[Key, Sequence[int]], frozenset[int]]:
    """Return the positions of the calls of a module that contain each name, and of those that contain an optimizer's.

    Names are keys of the assignment graph. The answer is the same in all programs.
    """
    graph, named, optimizing = graph_of(module), dict[Key, list[int]](), set[int]()
    for position, site in enumerate(module.sites):
        words: dict[Key, str] = {}
        for part in descendants(site.node) if isinstance(site.node, ast.Call) else ():
            if isinstance(part, ast.Name):
                words[graph.name(part.id, site.scope).key] = part.id
            elif isinstance(part, ast.Attribute):
                words[part.attr] = part.attr
        for key in words:
            named.setdefault(key, []).append(position)
        if any(map(is_optimizer_word, words.values())):
            optimizing.add(position)
    return named, frozenset(optimizing)


def _is_external(program: Program, site: Site) -> bool:
    """Return whether a call enters external code: not the project, MindSpore, or a library that does not train."""
    callee = program.evaluator.callees(site).alternatives
    if not callee:
        held = program.value(site.base, site.scope).alternatives if site.base is not None else ()
        is_of_python = any(known.is_display or known.constant is not NO_CONSTANT for known in held)
        return not is_of_python and not program.callees(site)
    classes = [known.definition for known in callee if known.definition is not None]
    apis = {api for cls in classes if cls.method("__init__") is None for api in base_apis(program, cls)}
    return any(map(is_outside, apis | set(program.apis(site))))


def _is_given(
    program: Program,
    site: Site,
    held: Held,
    is_one: Callable[[Alternative], bool],
    may_optimize: Callable[[str], bool] = lambda word: False,
) -> bool:
    """Return whether a call is given an object of some kind, a container of one, or an unknown value named like one."""
    for node, scope in _leaves(program, site):
        value = program.value(node, scope)
        if any(map(is_one, value.alternatives)) or (
            (value.open or not value.alternatives) and may_optimize(word_of(node))
        ):
            return True
        if any(known.is_display or known.type_api.rpartition(".")[2] in CONTAINERS for known in value.alternatives):
            places = graph_of(scope.module).places(node, scope)
            ways = [(place.key, joined(path, more)) for place, path in places for more in ("", ELEMENT)]
            if any(held.get(key, 0) >> AT[way] & 1 for key, way in ways) or any(map(is_one, _parts(program, value))):
                return True
    return False


def _objects(program: Program, site: Site) -> Iterator[Alternative]:
    """Yield the objects that a call is given."""
    for node, scope in _leaves(program, site):
        value = program.value(node, scope)
        yield from (known for known in (*value.alternatives, *_parts(program, value)) if known.is_object)


def _parts(program: Program, value: Value) -> Iterator[Alternative]:
    """Yield the elements of displays."""
    for part in (part for known in value.alternatives for part in known.parts):
        yield from program.evaluator.read(part).alternatives


def _leaves(program: Program, site: Site) -> Iterator[Part]:
    """Yield the expressions that a call is given, also by `partial`; of displays their elements."""
    layers = [layer for known in program.evaluator.callees(site).alternatives for layer in known.prepared]
    calls = [(site.node, site.scope), *((layer.call, layer.scope) for layer in layers)]
    todo = [Part(each, scope) for call, scope in calls if isinstance(call, ast.Call) for each in given(call)]
    for node, scope in todo:  # grows on the way
        inner: list[ast.expr] = []
        if isinstance(node, ast.Starred):
            inner = [node.value]
        elif isinstance(node, ast.Call) and word_of(node.func) in CONTAINERS:
            inner = given(node)
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            inner = node.elts
        elif isinstance(node, ast.Dict):
            inner = node.values
        elif isinstance(node, ast.BinOp) and isinstance(node.op, JOINS):
            inner = [node.left, node.right]
        else:
            yield Part(node, scope)
        todo.extend(Part(each, scope) for each in inner)
