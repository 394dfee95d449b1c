"""The sites that train, and the calls that lead to them."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from typing import Optional

from ms_perflint.core.graphs import reachable
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.signature import Layer, Signature
from ms_perflint.index.syntax_forms import is_main_guard, word_of
from ms_perflint.infer.bases import entered_by
from ms_perflint.infer.values import Value
from ms_perflint.program.callers import entering
from ms_perflint.program.live_code import EXPOSING
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import kin
from ms_perflint.training.optimizers import is_optimizer_word
from ms_perflint.training.other_frameworks import MINDSPORE, is_of_another_framework
from ms_perflint.training.training_steps import is_of_inputs_only, is_step, step_flow

_STEPS = (
    ".backward(", "TrainOneStep", "value_and_grad", "GradOperation", "build_train_network", "WithGradCell",
    "ForwardValueAndGrad",
)  # fmt: skip
_GRAD = rb"grad\b(?<!\wgrad)"  # the function, by whatever name its module goes: it is looked for as one text
# `model.train` and `getattr(model, "train")`, not `from mindspore.train import Model`
_TRAIN = rb"""\.\s*(?:train|fit)\b(?!\s*\.|[ \t]+import\b)|(?:getter|getattr|caller)\([^\n]*['"](?:train|fit)['"]"""
RUNNERS = ("pytest", "unittest")  # what runs unit tests, also from their own main guard
_STEP_WORDS = ("TrainOneStepCell", "TrainOneStepWithLossScaleCell", "build_train_network")
MODEL_TRAINS = ("mindspore.train.Model.train", "mindspore.train.Model.fit")
_BY_NAME = EXPOSING | {"eval", "exec", "globals", "locals", "modules"}  # call functions by computed names
RANDOM = frozenset({"rand", "randn", "randint", "random", "normal", "uniform", "ones", "zeros", "StandardNormal"})


@fact
def train_sites(program: Program) -> tuple[Site, ...]:
    """Return the sites that train: `Model.train` and `fit`, then calls of training steps."""
    return tuple(_train_sites(program))


@fact
def steps_by_hand(program: Program) -> tuple[Site, ...]:
    """Return the sites that take a step of the training: those of `Model.train` and `fit` are taken by MindSpore."""
    models = {id(call.node) for call in program.calls(*MODEL_TRAINS)}
    return tuple(site for site in train_sites(program) if id(site.node) not in models)


def trains_between(program: Program, first: Site, second: Site) -> bool:
    """Return whether something may train between two sites; those of a callback are none of the execution order."""
    at, then = program.position(first), program.position(second)
    trained = [program.position(site) for site in train_sites(program)]
    if at is None or then is None:
        return at is not then or first.scope.owner is not second.scope.owner or None in trained
    return any(each is None or at < each < then for each in trained)


def _train_sites(program: Program) -> Iterator[Site]:
    if program.is_whole and not is_unit_test(program) and not is_of_another_framework(program):
        yield from program.calls(*MODEL_TRAINS)
        if any(_names_step(program, module.path) for module in program.modules):
            yield from _step_sites(program)


@fact
def is_trained(program: Program) -> bool:
    """Return whether a training step runs: it looks for the first one only."""
    return may_train(program) and any(True for _ in _train_sites(program))


def may_train(program: Program) -> bool:
    """Return whether the files allow a training step of MindSpore: by their bytes, and what running code imports."""
    return mentions_training(program) and not is_unit_test(program) and not is_of_another_framework(program)


@fact
def mentions_training(program: Program) -> bool:
    """Return whether the bytes of a file of the program name something that trains."""
    return any(names_training(program, path) for path in program.files)


def names_training(program: Program, path: str) -> bool:
    """Return whether the bytes of a file name something that trains."""
    return program.project.matches(path, _TRAIN) or _names_step(program, path)


@fact
def mentions_step(program: Program) -> bool:
    """Return whether the bytes of a file of the program name what makes a training step."""
    return any(_names_step(program, path) for path in program.files)


def _names_step(program: Program, path: str) -> bool:
    return program.project.contains_any(path, _STEPS) or program.project.matches(path, _GRAD)


def is_unit_test(program: Program) -> bool:
    """Return whether the entry script holds unit tests: it has `test_` functions, which pytest or unittest runs."""
    entry = program.module(program.entry)
    if entry is None:
        return False
    tests = any(name.startswith("test") and scopes[-1].is_function for name, scopes in entry.defined.items())
    named = os.path.basename(program.entry).startswith("test_") or program.entry.endswith("_test.py")
    return tests and not _runs_itself(entry) and (named or any(name in entry.imported for name in RUNNERS))


def is_demonstration(program: Program) -> bool:
    """Return whether the module trains under its `__main__` guard only, on random data."""
    entry = program.module(program.entry)
    main = entry.scope.main if entry is not None else None
    if (
        entry is None
        or main is None
        or main.attrs.isdisjoint(RANDOM)
        or not any(s.is_class for s in entry.scope.defines)
    ):
        return False
    if program.project.raw(os.path.join(entry.directory, "__init__.py")) is None:
        return False
    sites = train_sites(program)
    return bool(sites) and all(
        site.module is entry and any(is_main_guard(arm.owner) for arm in site.block.chain() if arm.owner is not None)
        for site in sites
    )


def _runs_itself(entry: SemanticIndex) -> bool:
    """Return whether the `__main__` guard of a script does more than to run tests."""
    main = entry.scope.main
    if main is None or not main.names.isdisjoint(RUNNERS):
        return False
    own = main.names & entry.defined.keys()
    return not own or not all(name.startswith("test_") for name in own)


def sets_nothing(program: Program, scope: Scope) -> bool:
    """Return whether a scope is in a function to which no code leads by name, and running the entry script trains."""
    return any(each in _unnamed_functions(program) for each in scope.chain()) and trains_by_entry(program)


def run_together(program: Program, one: Scope, other: Scope) -> bool:
    """Return whether two scopes may run in one training: not where code leads by name to one of them only."""
    return sets_nothing(program, one) is sets_nothing(program, other)


@fact
def _unnamed_functions(program: Program) -> frozenset[Scope]:
    """Return the functions of the entry script whose names no running code loads: their calls are commented out.

    None where something else may call them: a decorator, a module that imports the script, a computed name.
    """
    entry = program.module(program.entry)
    if entry is None or any(not _BY_NAME.isdisjoint(scope.names | scope.attrs) for scope in entry.scopes):
        return frozenset()
    if any(program.entry in program.project.imports.usual(path) for path in program.files):
        return frozenset()
    functions = {scope.name: scope for scope in entry.scope.defines if scope.is_function}
    loaded: dict[Optional[Scope], set[str]] = {None: set(entry.scope.main.names) if entry.scope.main else set()}
    for scope in entry.scopes:
        around = next((each for each in scope.chain() if functions.get(each.name) is each), None)
        loaded.setdefault(around, set()).update(scope.names)
    decorated = (scope for scope in functions.values() if getattr(scope.node, "decorator_list", ()))
    named = reachable((None, *decorated), lambda scope: filter(None, map(functions.get, loaded.get(scope, ()))))
    return frozenset(functions.values()) - named.keys()


@fact
def trains_by_entry(program: Program) -> bool:
    """Return whether running the entry script trains: it looks for the first site only."""
    if any(program.is_run_by_entry(call) for call in program.calls(*MODEL_TRAINS)):
        return True
    return any(True for _ in _step_sites(program, only_by_entry=True))


def _step_sites(program: Program, only_by_entry: bool = False) -> Iterator[Site]:
    """Yield the calls of training steps outside of `construct` and `bprop` of cells."""
    candidates = step_flow(program).sites
    for module in program.modules:
        holders = {name for word in _STEP_WORDS for name in module.result_names(word)}
        for scope in module.scopes:
            is_of_cell = scope.name in ("construct", "bprop") and scope.parent is not None and scope.parent.is_class
            if scope.owner is not scope or scope not in program.reached or is_of_cell:
                continue
            for site in scope.calls:
                if only_by_entry and not program.is_run_by_entry(site):
                    continue
                is_optimizer = site.word == "step" and _may_be_backward(site)
                is_held = site.word == "step" and site.word in holders
                if (id(site.node) in candidates or is_optimizer or is_held) and program.runs(site):
                    callee = program.evaluator.callees(site)
                    is_backward = is_optimizer and _is_of_mindspore(program, site)
                    # `phase["network"](batch)`: an unknown callee in a loop, by the name of a container of steps
                    is_in_container = not callee.alternatives and site.word in holders and site.block.loops
                    is_one = is_step(program, callee) and not _is_forward(program, site, callee)
                    if is_one or is_in_container or is_backward:
                        yield site


def _is_forward(program: Program, site: Site, callee: Value) -> bool:
    """Return whether a gradient by inputs is part of what is differentiated: no script or class body leads to it.

    `gradient_penalty(real, fake)` in a function that is given to `value_and_grad` is called by that alone.
    """
    is_of_inputs = is_of_inputs_only(program, callee)
    return is_of_inputs and all(scope.is_function for scope in scopes_above(program, [site]))


def _may_be_backward(site: Site) -> bool:
    """Return whether a site may be the `optimizer.step()` behind a `loss.backward()`, in the style of PyTorch."""
    callee = site.callee
    if not isinstance(callee, ast.Attribute) or not is_optimizer_word(word_of(callee.value)):
        return False
    return any(other.word == "backward" for other in site.scope.owner.calls)


def _is_of_mindspore(program: Program, site: Site) -> bool:
    """Return whether the optimizer whose `step` is called, and the loss beside it, may be those of MindSpore.

    They are not those of another library, nor of classes of the project that differentiate themselves.
    """
    callee: ast.Attribute = site.node.func  # type: ignore[attr-defined]
    losses = (program.evaluator.callees(each) for each in site.scope.owner.calls if each.word == "backward")
    if any(known.definition is not None for loss in losses for known in loss.alternatives):
        return False
    optimizers = program.value(callee.value, site.scope).alternatives
    apis = [known.type_api for known in optimizers if known.type_api]
    if apis:
        return any(api.partition(".")[0] in MINDSPORE for api in apis)
    modules = [known.cls.module for known in optimizers if known.cls is not None] or [site.module]
    module = site.module
    is_of_torch = "torch" in module.imported or any("torch" in scope.names for scope in module.scopes)  # not imported
    return not is_of_torch and any(program.project.contains_any(m.path, tuple(MINDSPORE)) for m in modules)


def is_library(program: Program) -> bool:
    """Return whether the entry script only defines what users of a distributed package train with."""
    entries = program.project.entries
    return not entries.has_main(program.entry) and entries.is_distributed(program.entry)


def is_callback(program: Program, cls: Scope) -> bool:
    """Return whether a class is a callback, whose hooks `Model.train` calls."""
    return any(api.endswith("Callback") for api in kin(program, "", cls))


@fact
def training_scopes(program: Program) -> set[Scope]:
    """Return the scopes that train, directly or through calls."""
    return scopes_above(program, train_sites(program))


def scopes_above(program: Program, sites: Iterable[Site]) -> set[Scope]:
    """Return the scopes of some sites, and those of the calls that lead to these."""

    def above(scope: Scope) -> Iterator[Scope]:
        return (site.scope.owner for site in (callers(program, scope) if scope.is_function else ()))

    return set(reachable((site.scope.owner for site in sites), above))


@fact
def training_calls(program: Program) -> dict[int, list[Scope]]:
    """Return the scopes that train which calls enter, by the identities of the calls."""
    return calls_into(program, training_scopes(program))


def calls_into(program: Program, scopes: Iterable[Scope]) -> dict[int, list[Scope]]:
    """Return which of some scopes calls enter, by the identities of the calls."""
    found: dict[int, list[Scope]] = {}
    for scope in scopes:
        for site in callers(program, scope) if scope.is_function else ():
            found.setdefault(id(site.node), []).append(scope)
    return found


@fact
def callers(program: Program, function: Scope) -> list[Site]:
    """Return the sites that call a function, also wrapped, and those of unknown callees with its name."""
    sites = list(entering(program.inputs, function))
    name = function.parent.name if function.name == "__init__" and function.parent is not None else function.name
    sites.extend(site for site in program.sites(name) if site not in sites and function in _by_name(program, site))
    return sites


def running_callers(program: Program, function: Scope) -> list[Site]:
    """Return the sites that call a function, also by its name alone, and can run; none of a module or class."""
    if function.is_class or function.parent is None:
        return []
    return [site for site in callers(program, function) if program.runs(site)]


def _by_name(program: Program, site: Site) -> tuple[Scope, ...]:
    """Return the functions that an unknown callee may be, by its name; none of a known callee."""
    value = program.evaluator.callees(site)
    named = program.callees(site) if value.open or not value.alternatives else ()
    return tuple(each for each in named if _gets_all(each, site))


def _gets_all(function: Scope, site: Site) -> bool:
    """Return whether a call may pass all that a plain method needs: not `model.train()` for `train(self, epochs)`."""
    is_plain = function.is_method and not getattr(function.node, "decorator_list", True)
    if site.base is None or type(site.node) is not ast.Call or not is_plain:
        return True
    signature = Signature.of(function, is_bound=True)
    given = signature.bind(Layer(site.node, site.scope))
    needed = (each for each in (*signature.slots, *signature.words) if function.bindings[each][0].value is None)
    return not any(given.of(each).is_default for each in needed)


def callees(program: Program, site: Site) -> list[Scope]:
    """Return the functions of the project that a call enters."""
    known = program.evaluator.callees(site).alternatives
    found = [entered_by(program.evaluator, each) for each in known]
    return [scope for scope in found if scope is not None] + list(_by_name(program, site))


def words_called(program: Program, function: Scope, depth: int = 3) -> set[str]:
    """Return the last words of the calls in a function and, `depth` levels deep, in the functions that it calls."""
    words = {site.word for site in function.calls}
    if depth:
        for site in function.calls:
            for callee in program.callees(site):
                if callee is not function:
                    words |= words_called(program, callee, depth - 1)
    return words
