"""Which sites train, and through which calls they are reached."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Optional

from ms_perflint.programs.step_names import StepNames, step_names
from ms_perflint.programs.wrapped import calls_of_wrapped
from ms_perflint.semantics.forms import word_of
from ms_perflint.semantics.module import Module, Scope, Site
from ms_perflint.semantics.values import Api, Bound, Instance, Known, Value

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program

STEP_CELLS = frozenset(
    {
        "mindspore.nn.TrainOneStepCell", "mindspore.nn.TrainOneStepWithLossScaleCell", "mindspore.nn.WithGradCell",
        "mindspore.amp.build_train_network", "mindspore.nn.transformer.PipelineCell",
        "mindspore.boost.BoostTrainOneStepCell", "mindspore.boost.BoostTrainOneStepWithLossScaleCell",
        "mindspore.boost.boost_cell_wrapper.BoostTrainOneStepCell",
    }
)  # fmt: skip
GRADS = frozenset(
    {
        "mindspore.value_and_grad",
        "mindspore.grad",
        "mindspore.ops.GradOperation",
        "mindspore.ops.value_and_grad",
        "mindspore.ops.grad",
    }
)
_MARKS = (
    ".backward(",
    "TrainOneStep",
    "value_and_grad",
    "GradOperation",
    "build_train_network",
    "ops.grad",
    "ms.grad",
    "import grad",
    "F.grad",
    "mindspore.grad",
    "WithGradCell",
)
_TRAIN = rb"\.\s*(?:train|fit)\b(?!\s*\.|\s+import\b)"  # `model.train`, not `from mindspore.train import Model`
RUNNERS = ("pytest", "unittest")  # what runs unit tests, also from their own main guard
_WORDS = (
    *(api.rpartition(".")[2] for api in sorted(STEP_CELLS | GRADS)),
    "ForwardValueAndGrad",
)
_TAKES = ("GradOperation", "value_and_grad", "grad")
_STEP_WORDS = ("TrainOneStepCell", "TrainOneStepWithLossScaleCell", "build_train_network")
MODEL_TRAINS = ("mindspore.train.Model.train", "mindspore.train.Model.fit")
CALLBACKS = frozenset(
    {
        "mindspore.train.LossMonitor", "mindspore.train.TimeMonitor", "mindspore.train.ModelCheckpoint",
        "mindspore.train.EarlyStopping", "mindspore.train.History", "mindspore.train.SummaryCollector",
        "mindspore.train.LearningRateScheduler", "mindspore.train.ReduceLROnPlateau",
    }
)  # fmt: skip


def train_sites(program: Program) -> Iterator[Site]:
    """Yield the sites that train, those of `Model.train` and `fit` first."""
    if program.is_whole and not is_unit_test(program):
        yield from program.calls(*MODEL_TRAINS)
        if any(program.project.contains_any(module.path, _MARKS) for module in program.modules):
            yield from _step_sites(program)


def trains(program: Program) -> bool:
    """Return whether there are such sites; the first one will do."""
    return program.speaks_of_training and any(True for _ in train_sites(program))


def is_spoken_of(program: Program) -> bool:
    """Return whether a file of the program has a word of training in it: by its bytes, before anything is parsed."""
    project = program.project
    return any(project.matches(path, _TRAIN) or project.contains_any(path, _MARKS) for path in program.files)


def is_unit_test(program: Program) -> bool:
    """Return whether the entry script is there for pytest or unittest to run: `test_` functions, and one of the two."""
    entry = program.module(program.entry)
    if entry is None:
        return False
    tests = any(name.startswith("test") and scopes[-1].is_function for name, scopes in entry.defined.items())
    named = os.path.basename(program.entry).startswith("test_") or program.entry.endswith("_test.py")
    return tests and not _runs_itself(entry) and (named or any(name in entry.imported for name in RUNNERS))


def _runs_itself(entry: Module) -> bool:
    """Return whether the main guard of a script does more than run tests: by a runner, or one by one."""
    main = entry.scope.main
    if main is None or not main.names.isdisjoint(RUNNERS):
        return False
    own = main.names & entry.defined.keys()
    return not own or not all(name.startswith("test_") for name in own)


def names_of_steps(program: Program) -> StepNames:
    """Return the names under which the program may hold a training step, or what makes one."""
    return step_names(program, _WORDS)


def may_train_by_entry(program: Program) -> bool:
    """Return whether running the entry script may train: by the words of the calls that it passes."""
    return not is_unit_test(program) and program.is_whole and program.may_train


def trains_by_entry(program: Program) -> bool:
    """Return whether running the entry script trains: cheaper than all training sites of a large program."""
    if not may_train_by_entry(program):
        return False
    if any(program.is_run_by_entry(call) for call in program.calls(*MODEL_TRAINS)):
        return True
    return any(True for _ in _step_sites(program, only_by_entry=True))


def _step_sites(program: Program, only_by_entry: bool = False) -> Iterator[Site]:
    """Yield the calls of training steps in driver code (not those inside of a cell's `construct`)."""
    names = program.step_names
    for module in program.modules:
        if b"mindspore" not in module.source.text and module.path != program.entry:
            continue
        holders = {name for word in _STEP_WORDS for name in module.holders(word)}
        for scope in module.scopes:
            if scope.owner is not scope or scope not in program.reached or _is_construct(scope):
                continue
            for site in scope.calls:
                if only_by_entry and not program.is_run_by_entry(site):
                    continue
                if _may_be_step(site, names) and program.runs(site):
                    callee = program.evaluator.callees(site)
                    if is_step(program, callee) or _held_step(site, callee, holders) or _is_backward(program, site):
                        yield site


def _held_step(site: Site, callee: Value, holders: set[str]) -> bool:
    """Return whether a step comes out of a container, where only its name speaks for it: `phase["network"](batch)`."""
    return not callee.known and site.word in holders and bool(loops(site))


def _is_backward(program: Program, site: Site) -> bool:
    """Return whether it is the `optimizer.step()` behind a `loss.backward()`, in the style of PyTorch."""
    callee = site.node.func if isinstance(site.node, ast.Call) else None
    if not isinstance(callee, ast.Attribute) or callee.attr != "step" or not is_optimizer_word(word_of(callee.value)):
        return False
    if not any(other.word == "backward" for other in site.scope.owner.calls):
        return False
    made = [known.type_api for known in program.value(callee.value, site.scope).known if known.type_api]
    return "torch" not in site.module.imported if not made else not any(api.startswith("torch.") for api in made)


def _is_construct(scope: Scope) -> bool:
    return scope.name in ("construct", "bprop") and scope.parent is not None and scope.parent.is_class


def _may_be_step(site: Site, names: StepNames) -> bool:
    """Return whether the callee is a name or attribute that may hold a step, or the result of a call."""
    callee = site.node.func if isinstance(site.node, ast.Call) else None
    if isinstance(callee, ast.Call):
        word = word_of(callee.func)
        return word in names.makers or word in names.held or isinstance(callee.func, ast.Call)
    if site.word not in names.held and site.word != "step":
        return False
    if isinstance(callee, ast.Subscript):
        return True
    if isinstance(callee, ast.Name):
        return _may_be_variable(callee.id, site)
    return (
        isinstance(callee, ast.Attribute)
        and isinstance(callee.value, ast.Name)
        and callee.value.id not in site.module.imported
        and (callee.attr in names.members or callee.attr == "step")
    )


def _may_be_variable(name: str, site: Site) -> bool:
    """Return whether a name may be more than a function or class of the file, an import or a builtin."""
    if name in site.scope.bindings:
        return True
    scope, module = site.scope.parent, site.module
    if name in module.imported or name in module.defined:
        return False
    while scope is not None:
        if name in scope.bindings or scope.stars:
            return True
        scope = scope.parent
    return bool(site.scope.stars)


def is_step(program: Program, callee: Value) -> bool:
    """Return whether a callee is a training step: a train cell, or a gradient function beside an optimizer."""
    for known in callee.known:
        if not isinstance(known.what, Instance):
            continue
        root, calls = _root(known)
        if isinstance(root, Scope):
            if calls == 0 and is_step_class(program, root):
                return True
        elif root.name in STEP_CELLS:
            if calls == 0:
                return True
        elif root.name in GRADS and calls == root.name.endswith("GradOperation") and program.steps_optimizer:
            return True  # `GradOperation()(network)(x)`, but `value_and_grad(function)(x)`
    return False


def _root(known: Known) -> tuple[Scope | Api, int]:
    """Return what an instance goes back to, and how many calls of instances lie between."""
    calls = 0
    while (
        isinstance(known.what, Instance)
        and isinstance(known.what.type, Api)
        and not known.what.type.name
        and known.what.type.receiver
    ):
        known = known.what.type.receiver
        calls += 1
    assert isinstance(known.what, Instance)
    return known.what.type, calls


def is_step_class(program: Program, cls: Scope, depth: int = 0) -> bool:
    """Return whether a class is a train cell: by its bases, or since it takes gradients and steps an optimizer.

    One whose optimizer stands under a flag that nobody sets only adapts what it evaluates.
    """
    if cls.module.scope in program.reached and cls.name not in program.step_names.makers:
        return False  # by its words alone
    if base_apis(program, cls) & STEP_CELLS:
        return True
    if depth < 4 and _wraps_step(program, cls, depth):
        return True
    sites = [site for scope in cls.defines for site in scope.calls]
    optimizers = [site for site in sites if is_optimizer_word(site.word)]
    if not optimizers or not (any(site.word in _TAKES for site in sites) or _holds_gradients(program, cls)):
        return False
    return any(program.evaluator.may_run(site) for site in optimizers)


def _holds_gradients(program: Program, cls: Scope) -> bool:
    """Return whether an attribute of a class is what gives gradients."""
    return any(
        isinstance(b.value, ast.Call) and any(api in GRADS for api in _api_names(program, b.value, b.scope))
        for name, bs in cls.attributes.items()
        if _may_hold_step(program, cls, name)
        for b in bs
    )


def _may_hold_step(program: Program, cls: Scope, name: str) -> bool:
    """Return whether an attribute of a class may hold a step, or what makes one, by its name alone."""
    return name in program.step_names.members or cls.module.scope not in program.reached


def _wraps_step(program: Program, cls: Scope, depth: int) -> bool:
    """Return whether `construct` of a class calls a train cell that it holds."""
    construct = cls.method("construct")
    for site in construct.calls if construct is not None else ():
        is_member = isinstance(site.node, ast.Call) and isinstance(site.node.func, ast.Attribute)
        if is_member and _may_hold_step(program, cls, site.word) and not _holds_methods(cls, site.word):
            for known in program.evaluator.callees(site).known:
                kind = known.what.type if isinstance(known.what, Instance) else None
                if isinstance(kind, Api) and kind.name in STEP_CELLS:
                    return True
                if isinstance(kind, Scope) and kind is not cls and is_step_class(program, kind, depth + 1):
                    return True
    return False


def _holds_methods(cls: Scope, name: str) -> bool:
    """Return whether an attribute of a class holds its own methods, chosen when it is made, and so no cell."""
    values = [binding.value for binding in cls.attributes.get(name, ())]
    return bool(values) and all(
        isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and cls.method(value.attr) is not None
        for value in values
    )


def _api_names(program: Program, node: ast.Call, scope: Scope) -> set[str]:
    return {known.type_api for known in program.value(node, scope).known if known.type_api}


def base_apis(program: Program, cls: Scope, depth: int = 0) -> set[str]:
    """Return the canonical names of the classes outside of the project that a class derives from."""
    found: set[str] = set()
    if depth > 10 or not isinstance(cls.node, ast.ClassDef) or cls.parent is None:
        return found
    for base in cls.node.bases:
        for known in program.value(base, cls.parent).known:
            if known.api:
                found.add(known.api)
            elif isinstance(known.what, Scope) and known.what is not cls:
                found |= base_apis(program, known.what, depth + 1)
    return found


def is_callback(program: Program, cls: Scope) -> bool:
    """Return whether `Model.train` calls the hooks of a class: it derives from Callback, or from one of its kin."""
    return any(api.endswith("Callback") or api in CALLBACKS for api in base_apis(program, cls))


def is_optimizer_word(word: str) -> bool:
    """Return whether a callee's name says that an optimizer takes a step."""
    word = word.lower()
    return "optim" in word or word == "opt" or word.startswith("opt_") or word.endswith("_opt")


def steps_optimizer(program: Program) -> bool:
    """Return whether some call of the program steps an optimizer."""
    for module in program.modules:
        for word, sites in module.by_word.items():
            if is_optimizer_word(word) and any(
                isinstance(s.node, ast.Call) and s.node.args and program.runs(s) for s in sites
            ):
                return True
    return any(_calls_optimizer(program, module.path) for module in program.modules)


def _calls_optimizer(program: Program, path: str) -> bool:
    module = program.module(path)
    if module is None:
        return False
    for word in ("Adam", "AdamWeightDecay", "Momentum", "SGD", "AdamW", "RMSProp", "Lamb", "Adagrad", "LARS"):
        for name in module.holders(word):
            sites = module.by_word.get(name, ())
            if any(isinstance(s.node, ast.Call) and s.node.args and program.runs(s) for s in sites):
                return True
    return False


def training_scopes(program: Program) -> set[Scope]:
    """Return the scopes that train, themselves or through functions that they call."""
    return scopes_above(program, program.train_sites)


def scopes_above(program: Program, sites: Iterable[Site]) -> set[Scope]:
    """Return the scopes in which sites stand, and those of the calls that lead there."""
    found: set[Scope] = set()
    todo = [site.scope.owner for site in sites]
    while todo:
        scope = todo.pop()
        if scope in found:
            continue
        found.add(scope)
        if scope.is_function:
            todo.extend(site.scope.owner for site in callers(program, scope))
    return found


def callers(program: Program, function: Scope) -> list[Site]:
    """Return the sites that call a function: as what a wrapper made of it too, or by the name of a method alone."""
    sites = list(dict.fromkeys([*program.callers(function), *calls_of_wrapped(program, function)]))
    name = function.parent.name if function.name == "__init__" and function.parent is not None else function.name
    sites.extend(site for site in program.sites(name) if site not in sites and function in _by_name(program, site))
    return sites


def _by_name(program: Program, site: Site) -> tuple[Scope, ...]:
    """Return the functions that a call may enter by its name; none where it is known to enter a library."""
    value = program.evaluator.callees(site)
    if value.known and not value.open and all(known.api.startswith("mindspore.") for known in value.known):
        return ()
    return program.cheap_callees(site)


def loops(site: Site) -> list[ast.AST]:
    """Return the loops in whose bodies a site stands, innermost first."""
    found: list[ast.AST] = []
    for block in site.block.chain():
        if isinstance(block.owner, (ast.For, ast.AsyncFor, ast.While)) and block.arm == "body":
            found.append(block.owner)
    return found


def callees(program: Program, site: Site) -> list[Scope]:
    """Return the functions of the project that a call enters."""
    found = [_entered(known) for known in program.evaluator.callees(site).known]
    return [scope for scope in found if scope is not None] + list(_by_name(program, site))


def _entered(known: Known) -> Optional[Scope]:
    what = known.what
    if isinstance(what, Bound):
        return what.function
    if isinstance(what, Instance) and isinstance(what.type, Scope):
        return what.type.method("__call__")
    return what if isinstance(what, Scope) else None


def words_called(program: Program, function: Scope, depth: int = 3) -> set[str]:
    """Return the last words of what a function calls, itself or through functions of the project."""
    words = {site.word for site in function.calls}
    if depth:
        for site in function.calls:
            for callee in program.cheap_callees(site):
                if callee is not function:
                    words |= words_called(program, callee, depth - 1)
    return words
