"""The calls that make what a program trains: Models, train cells, gradient functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

from ms_perflint.index.execution_order import steps_of
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.signature import Signature
from ms_perflint.index.syntax_forms import inner_of, word_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.mindspore_api.signatures import parameters
from ms_perflint.program.call_site import Call, made_at
from ms_perflint.program.callers import derived, passes_parameters_on
from ms_perflint.program.program import Program, fact
from ms_perflint.training import training_steps
from ms_perflint.training.bases import base_apis, is_cell_class
from ms_perflint.training.training import MODEL_TRAINS, mentions_step, train_sites

MODEL = "mindspore.train.Model"
BUILD = "mindspore.amp.build_train_network"
CONVERT = "mindspore.amp.auto_mixed_precision"
# The parameter that sets the level of mixed precision; "O0" is its default in all of them
LEVELS = {MODEL: "amp_level", BUILD: "level", CONVERT: "amp_level"}
FIXED = "mindspore.amp.FixedLossScaleManager"
LOSS_SCALERS = ("mindspore.amp.DynamicLossScaler", "mindspore.amp.StaticLossScaler")
_INIT = f"{MODEL}.__init__"
# Methods of a Model by which it builds and runs its step [mindspore 2.10 train/model.py]
_STEPS = ("_build_train_network", "_train", "_train_process", "_train_dataset_sink_process")
_CONVERTED = "convert_to_thor_model"
_NAMES = frozenset(api.rpartition(".")[2] for api in (MODEL, *training_steps.STEP_CELLS, *training_steps.GRADS))


def is_script(program: Program) -> bool:
    """Return whether the entry script is run by itself: it is started, or no script imports it."""
    return program.module(program.entry) is not None and program.project.entries.is_entry(program.entry)


def making_words(program: Program, module: SemanticIndex) -> frozenset[str]:
    """Return the last words of the calls of a module that may make what is trained."""
    found = module.aliases(*_NAMES, *_model_words(program)).intersection(module.by_word)
    if mentions_step(program):
        found |= training_steps.step_flow(program).words.get(module, set())
    return frozenset(found)


def trained_models(program: Program) -> tuple[Call, ...]:
    """Return the `Model(...)` calls on whose result `train` or `fit` is called."""
    found: list[Call] = []
    for site in program.calls(*MODEL_TRAINS):
        for known in receivers(program, site):
            found.extend(_models(program, known))
    return _in_order(program, found)


def receivers(program: Program, site: Site) -> Iterator[Alternative]:
    """Yield the objects of whose method a site is a call."""
    if site.base is not None and not (isinstance(site.base, ast.Call) and word_of(site.base.func) == "super"):
        yield from program.value(site.base, site.scope).alternatives
        return
    for known in program.evaluator.callees(site).alternatives:
        if known.api and known.receiver is not None:
            yield known.receiver


def is_given(call: Call, name: str) -> bool:
    """Return whether a call passes a value other than None for a parameter."""
    return call.passes(name) and not call.argument(name).must_be(None)


def has_optimizer(model: Call) -> bool:
    """Return whether a Model has an optimizer, and so builds the training step itself."""
    return is_given(model, "optimizer")


def _models(program: Program, known: Alternative) -> list[Call]:
    """Return the `Model(...)` calls of a model, also through the conversion to a THOR model."""
    if known.cls is not None:
        return _derived_models(program, known)
    call = made_at(program, known)
    if call is None:
        return []
    if call.word == _CONVERTED:
        given = call.given("model") or next(iter(call.node.args), None)
        inner = program.value(given, call.scope).alternatives if given is not None else ()
        return [model for one in inner for model in _models(program, one)]
    return [call] if call.api == MODEL else []


@fact
def _model_words(program: Program) -> frozenset[str]:
    """Return the names under which a Model of a class of the program may be made."""
    found, todo = set[str](), [MODEL.rpartition(".")[2]]
    while todo:
        word = todo.pop()
        for module in program.modules:
            classes = (cls for alias in module.aliases(word) for cls in module.derived.get(alias, ()))
            new = {cls.name for cls in classes if cls.name} - found
            found |= new
            todo += sorted(new)
    return frozenset({*found, "__init__"} if found else found)


@fact
def derived_models(program: Program) -> tuple[Call, ...]:
    """Return the calls that make the Models of classes of the project whose `train` or `fit` is called."""
    own = own_models(program) if _model_words(program) else ()
    return tuple(call for known in own for call in _derived_models(program, known))


def own_models(program: Program) -> list[Alternative]:
    """Return the objects of classes of the project whose `train` or `fit` is that of a Model."""
    sites = program.calls(*MODEL_TRAINS)
    return [known for site in sites for known in receivers(program, site) if known.cls is not None]


def _derived_models(program: Program, known: Alternative) -> list[Call]:
    """Return the calls that make a Model of a class of the project, or its `super().__init__(...)`.

    The latter where the class has other parameters than a Model; none of a class that builds its own step, of which
    it is not known what it trains.
    """
    return [] if _builds_step(program, known) else _makers(program, known)


def _builds_step(program: Program, known: Alternative) -> bool:
    """Return whether an object is of a class that builds and runs its training step itself."""
    classes = tuple(ancestors(program.evaluator, known.cls)) if known.cls is not None else ()
    return any(each.method(name) is not None for each in classes for name in _STEPS)


def _makers(program: Program, known: Alternative) -> list[Call]:
    """Return the calls that pass the network to a Model of a class of the project."""
    if known.cls is None or MODEL not in base_apis(program, known.cls):
        return []
    classes = tuple(ancestors(program.evaluator, known.cls))
    made, inits = known.maker, [each.method("__init__") for each in classes]
    inside = [site for init in inits if init is not None for site in init.calls if _INIT in program.apis(site)]
    sites = [made] if made is not None else program.callers(known.cls)
    if not all(_takes_the_same(program, init) for init in inits if init is not None):
        sites = inside
    return [Call(site, program, MODEL) for site in sites]


def _takes_the_same(program: Program, init: Scope) -> bool:
    """Return whether an `__init__` has the parameters of that of a Model, and passes them on.

    `super().__init__(*args, **kwargs)`, `super().__init__(network, **kwargs)`.
    """
    own = Signature.of(init, True)
    names = tuple(each.name for each in parameters(MODEL, program.version) or ())
    if not own.mapping or own.words != own.slots or own.slots != names[: len(own.slots)]:
        return False
    taken = len(own.slots) + bool(own.rest)
    calls = [site.call for site in init.calls if site.word == "__init__"]
    return any(len(call.args) == taken > 0 and call.keywords and passes_parameters_on(call, own) for call in calls)


class Training(NamedTuple):
    """A training of a program: the call that makes what is trained, and the sites of its steps."""

    kind: str  # model: with an optimizer; cell: a train cell; gradient: what makes a gradient function
    call: Call
    values: tuple[Value, ...]  # what is trained
    sites: tuple[Site, ...]  # that take the steps

    @property
    def given(self) -> Optional[ast.expr]:
        """Return the networks and losses that a call trains."""
        return self.call.given("network") if self.kind == "model" else next(iter(self.call.node.args), None)


@fact
def trainings(program: Program) -> tuple[Training, ...]:
    """Return the trainings of a program, in execution order.

    Of those with a step at one site, a Model with an optimizer comes first.
    """
    stepped = _stepped(program)
    if len(stepped) < 2:
        return any_order(program)
    if steps := _steps_of_one(program, [site for site, _ in stepped]):
        return _merged(program, sorted(stepped, key=lambda each: steps[id(each[0].node)]))
    return _merged(program, sorted(stepped, key=lambda each: _rank(program, each[0])))


@fact
def any_order(program: Program) -> tuple[Training, ...]:
    """Return the trainings of a program in any order: the execution order needs all that runs."""
    return _merged(program, _stepped(program))


@fact
def _stepped(program: Program) -> list[tuple[Site, list[Training]]]:
    """Return the sites that train, each with its trainings."""
    return [(site, here) for site in train_sites(program) if (here := list(_trainings_at(program, site)))]


def _merged(program: Program, stepped: Iterable[tuple[Site, list[Training]]]) -> tuple[Training, ...]:
    """Return each training once, with all networks and all sites of its steps."""
    found: dict[Call, Training] = {}
    for _, here in stepped:
        for each in sorted(here, key=lambda each: each.kind != "model"):
            if program.runs(each.call):
                old = found.get(each.call, each._replace(values=(), sites=()))
                found[each.call] = each._replace(values=old.values + each.values, sites=old.sites + each.sites)
    return tuple(found.values())


def trained(program: Program) -> tuple[Value, ...]:
    """Return the networks that a program trains, in any order."""
    return tuple(value for each in any_order(program) for value in each.values)


def sets_float32(training: Training) -> bool:
    """Return whether a training is given the level "O0"."""
    call = training.call
    return call.api in LEVELS and call.given(LEVELS[call.api]) is not None and is_full(call)


def scales_loss(program: Program, training: Training) -> bool:
    """Return whether a training scales its loss, which FP16 needs and float32 does not."""
    call = training.call
    if call.api in LEVELS:
        return is_given(call, "loss_scale_manager")
    if training.kind == "gradient":
        return program.has_calls(*LOSS_SCALERS)
    return is_scaling_cell(program, training)


def is_scaling_cell(program: Program, training: Training) -> bool:
    """Return whether a training is a train cell that scales its loss, by the name of its class or of a base."""
    classes = [known.cls for value in training.values for known in value.alternatives if known.cls is not None]
    names = (name for cls in classes for name in (cls.name, *base_apis(program, cls)))
    return any("WithLossScale" in name for name in (training.call.api, *names))


def is_full(call: Call) -> bool:
    """Return whether a call leaves mixed precision off, or sets "O0", by default or always."""
    level = call.argument(LEVELS[call.api])
    return level.is_by_default("O0") or (not level.open and set(level.constants) == {"O0"})


def _rank(program: Program, site: Site) -> tuple[int, int, tuple[int, int]]:
    position, path = program.position(site), site.module.path
    later = len(program.files)
    return (
        1 << 32 if position is None else position,
        program.files.index(path) if path in program.files else later,
        site.span,
    )


def _steps_of_one(program: Program, sites: Sequence[Site]) -> dict[int, int]:
    """Return the indexes of the steps of the one function that evaluates all of some calls; {} where none does.

    Their order is the execution order, whatever else runs.
    """
    owner = sites[0].scope.owner
    steps = steps_of(owner) if all(site.scope.owner is owner for site in sites) else []
    is_own = owner.module.path == program.entry
    at_once = [step for step, is_of_script in steps if isinstance(step, Site) and (is_own or not is_of_script)]
    found = {id(step.node): at for at, step in enumerate(at_once)}
    return found if all(id(site.node) in found for site in sites) else {}


def _trainings_at(program: Program, site: Site) -> Iterator[Training]:
    """Yield the trainings of one call."""
    if isinstance(site, Call) and site.api in MODEL_TRAINS:
        for model in _in_order(program, [m for each in receivers(program, site) for m in _models(program, each)]):
            if has_optimizer(model):
                given = ("network", "loss_fn") if model.given("loss_fn") is not None else ("network",)  # it may hold it
                yield Training("model", model, tuple(map(model.argument, given)), (site,))
            else:
                yield from _cells(program, model, site)
        for each in receivers(program, site):
            for model in _makers(program, each) if _builds_step(program, each) else ():
                yield from _cells(program, model, site)  # it has its own loop, and is given the step
        return
    for known in program.evaluator.callees(site).alternatives:
        yield from _cell(program, known, site)
        call, values = _gradient(program, known)
        if call is not None and not training_steps.is_of_inputs(call) and not _in_train_cell(program, call):
            yield Training("gradient", call, tuple(values), (site,))


def _cells(program: Program, model: Call, site: Site) -> Iterator[Training]:
    """Yield the train cells that are the network of a Model."""
    for known in model.argument("network").alternatives:
        yield from _cell(program, known, site)


def _cell(program: Program, known: Alternative, site: Site) -> Iterator[Training]:
    call = made_at(program, known) if training_steps.is_step_object(program, known) else None
    if call is not None:
        yield Training("cell", call, (Value((known,)),), (site,))


def _gradient(program: Program, known: Alternative) -> tuple[Optional[Call], list[Value]]:
    """Return the call that makes a gradient function: `value_and_grad(f)`, `GradOperation(...)(f, weights)`."""
    values: list[Value] = []
    while (made := known.creation) is not None:
        inner = inner_of(made.call)
        if inner is not None:
            values.append(program.value(inner, made.scope))
        if known.type_api in training_steps.GRADS:
            return made_at(program, known), values
        if known.origin is None:
            break
        known = known.origin
    return None, values


def _in_train_cell(program: Program, call: Call) -> bool:
    """Return whether a call is in a train cell of which an object, or one of a derived class, may be called."""
    around = (
        each
        for each in call.scope.chain()
        if is_cell_class(program, each) and training_steps.is_step_class(program, each)
    )
    cls = next(around, None)
    kin = (*ancestors(program.evaluator, cls), *derived(program.inputs, cls)) if cls is not None else ()
    return any(each.method("construct") is not None for each in kin)


def _in_order(program: Program, calls: Iterable[Call]) -> tuple[Call, ...]:
    """Return the calls that can run, each once, those of the entry script first."""
    return program.in_order(dict.fromkeys(call for call in calls if program.runs(call)))


# --- where the network stands in the code

PIPELINES = (
    *("mindspore.nn.PipelineCell", "mindspore.nn.MicroBatchInterleaved"),
    *(f"mindspore.parallel.nn.{word}" for word in ("Pipeline", "PipelineCell", "MicroBatchInterleaved")),
)
WRAPPERS = training_steps.STEP_CELLS | {"mindspore.nn.WithLossCell", *PIPELINES}


def wraps(known: Alternative) -> bool:
    """Return whether a cell computes a loss or takes a step with the network of which it is made."""
    return known.type_api in WRAPPERS if known.cls is None else "loss" in known.cls.name.lower()
