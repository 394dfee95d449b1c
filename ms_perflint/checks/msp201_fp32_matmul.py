"""MSP201: matrix work in float32, where the matrix unit is made for half precision. [seed 000], [seed 004]."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Related, Safety
from ms_perflint.index.semantic_index import SemanticIndex, Site
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import training
from ms_perflint.training.conditions import is_for_cpu_only
from ms_perflint.training.devices import is_cpu_by_default
from ms_perflint.training.followed import end
from ms_perflint.training.networks import half_precision, networks, precision, train_cells
from ms_perflint.training.networks.train_cells import Training
from ms_perflint.training.step_outputs import read_as_loss

if TYPE_CHECKING:
    import libcst as cst

PLAIN = Message("matmul and convolution run in FP32, several times slower than half precision on a matrix unit")
SCALED = Message("the loss is scaled, but matmul and convolution run in FP32, several times slower than FP16")
FORCED = Message("matmul and convolution are forced to FP32, several times slower than half precision")
LEVEL = Message("compute in FP16, with a scaled loss")
# Why a fix is not safe
ROUNDS = Message("FP16 changes the numbers; compare the loss curve")
UNSCALED = Message("FP16 changes the numbers, and small gradients become 0, as nothing here can scale the loss")
UNNAMED = Message("FP16 changes the numbers, and a CPU refuses this loss scale; compare the loss curve")
ON_CPU = Message("the device is a CPU by default, which computes FP16 more slowly")
TIED = Message("the network multiplies by the weight of a layer, which stays in FP32 unless it is cast")
INSIDE = Message("the network computes its loss itself, which has to stay in FP32: check where it starts")
OWN = Message("the training step is written by hand: what else uses its loss and gradients has to be checked")
TUPLE = Message("`net_outputs` becomes a tuple of loss, overflow and scale, and a callback takes it for the loss")
FIXED = Message(
    "FP16 changes the numbers; a scale that adapts would make `net_outputs` a tuple, which a callback reads"
)
ATLAS = Message("FP16 would need a loss scale that has no place here, and BF16 needs Atlas A2 or a newer device")


class Way(NamedTuple):
    """How the training comes to compute in half precision; without edits, the related places say why not."""

    edits: tuple[Edit, ...]
    advice: str
    safety: Safety
    reason: Optional[str]
    related: tuple[Related, ...] = ()


class Suspect(NamedTuple):
    """A call that is reported: what makes the training, or a `to_float` that forces float32."""

    call: Call
    training: Optional[Training]
    others: Sequence[Call] = ()  # layers that are forced beside this one

    @property
    def is_forced(self) -> bool:
        """Return whether it is a `to_float`."""
        return self.training is None or self.call != self.training.call


class Fp32Matmul(Check):
    """Training computes its matmuls and convolutions in FP32 instead of in mixed precision."""

    code = "MSP201"
    name = "fp32-matmul"
    safety = Safety.UNSAFE
    symptom = "full_precision"
    gain = Gain("large", Message("the matrix work of each step takes a fraction of the time"))
    triggers = ("()",)  # a custom train cell has any name
    blames = tuple(precision.LEVELS.values())
    looks_inside = False

    def among(self, sites: Sequence[Site]) -> Sequence[Site]:
        """Return the calls that by their words alone may make what is trained, or force float32; none in a library."""
        if not sites or not training.may_train(self.program) or not train_cells.is_script(self.program):
            return ()
        words = self._words(sites[0].module)
        return [site for site in sites if site.word in words or site.word == "to_float"]

    def suspect(self, call: Call) -> bool:
        """By meaning: the one call of the program at which its precision is decided."""
        spells = call.word == "to_float" and precision.spelled(call.node) is not None
        return (spells or call.word in self._words(call.module)) and id(call.node) in self._suspects

    def _words(self, module: SemanticIndex) -> frozenset[str]:
        """Return the words of the calls of a module that are worth a closer look."""
        if module.path not in self._making:
            self._making[module.path] = train_cells.making_words(self.program, module)
        return self._making[module.path]

    @cached_property
    def _making(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _suspects(self) -> dict[int, Suspect]:
        """Return what is reported in this program, by the identity of the call; nothing unless all of it is certain."""
        program = self.program
        if not training.is_trained(program) or self.target.is_cpu:
            return {}
        trainings = train_cells.trainings(program)
        first = self._first(trainings)
        forced = precision.forced_networks(program)
        values = first.values if first is not None else tuple(value for each in trainings for value in each.values)
        if (first is None and not forced) or any(True for _ in half_precision.controls(program, values)):
            return {}
        if precision.needs_float32(program, values):
            return {}
        if forced:
            return {id(call.node): Suspect(call, first, others) for call, *others in forced}
        return {id(first.call.node): Suspect(first.call, first)} if first is not None else {}

    def gap(self) -> Optional[Message]:
        """Return what hides the networks that are trained, where nothing says that they compute in half precision."""
        program = self.program
        if not training.is_trained(program) or self.target.is_cpu or self._suspects:
            return None
        trainings = train_cells.trainings(program)
        values = tuple(value for each in trainings for value in each.values)
        if networks.multiplies(program, values) or any(True for _ in half_precision.controls(program, values)):
            return None
        part = networks.hidden(program, values) if not precision.needs_float32(program, values) else None
        return end(program, *part).said(program) if part is not None else None

    def _first(self, trainings: Sequence[Training]) -> Optional[Training]:
        """Return the training that runs first of those with matmul; else one that asks for float32, else a hidden one.

        A branch that only a CPU can take is none.
        """
        program = self.program
        reached = [each for each in trainings if not is_for_cpu_only(program, each.call)]
        for each in reached:
            if networks.multiplies(program, each.values):
                return each
        for each in reached:
            if train_cells.asks_float32(program, each) and networks.is_unknown(program, each.values):
                return each
        run = (each for each in reached if program.is_run_by_entry(each.call))
        return next((each for each in run if networks.may_multiply(program, each.values)), None)

    def visit_Call(self, node: cst.Call) -> None:
        """By form: where the training or the forced layer stands, and how it comes to compute in half precision."""
        call = self.call(node)
        if call is None:
            return
        suspect = self._suspects[id(call.node)]
        made = suspect.training
        if made is None:
            way = Way((), LEVEL, Safety.DISPLAY, Message("what trains the network is not known"))
        elif made.call.api in train_cells.LEVELS and not self._has_loss_inside(made):
            way = self._level(made)
        else:
            way = self._custom(made)
        if suspect.is_forced:
            way = self._halved(suspect, way)
        self.report(
            node,
            FORCED if suspect.is_forced else SCALED if made is not None and self._scales(made) else PLAIN,
            way.edits,
            advice=way.advice,
            safety=way.safety,
            reason=way.reason,
            related=(*way.related, *self._places(suspect)),
        )

    @staticmethod
    def _has_loss_inside(training: Training) -> bool:
        """Return whether the network of a Model computes its loss itself, so that a level would halve the loss."""
        call = training.call
        return not call.is_spread and (call.given("loss_fn") is None or call.argument("loss_fn").must_be(None))

    @staticmethod
    def _scales(training: Training) -> bool:
        call = training.call
        return call.given("loss_scale_manager") is not None and not call.argument("loss_scale_manager").must_be(None)

    @cached_property
    def _writer(self) -> edit.Writer:
        return edit.Writer(self.program, "CPU" in self.target.devices, self.line_length)

    def _level(self, training: Training) -> Way:
        """A level of mixed precision: a CPU refuses "O2" unless the loss scale is fixed and drops no update."""
        call = training.call
        name = train_cells.LEVELS[call.api]
        is_cpu = "CPU" in self.target.devices and not self._scales_without_drops(call)
        level = "O3" if is_cpu else "O2"
        edits, related = edit.set_value(call, name, f'"{level}"', yaml=level, line_length=self.line_length)
        if edits is None:
            return _none(related, call, Message("`{name}` cannot be set here", name=name))
        advice = Message("compute in FP16 with `{argument}`", argument=f'{name}="{level}"')
        way = Way(tuple(edits), advice, Safety.UNSAFE, ROUNDS, related)
        if related:
            way = way._replace(safety=Safety.DISPLAY, reason=Message("an option or a config file decides the level"))
        elif is_cpu and call.given("loss_scale_manager") is None:
            absent = {name: f'"{level}"'} if call.given(name) is None else {}
            scaled = self._writer.fixed(call, absent) if call.api == train_cells.MODEL else None
            level_edits = () if absent and scaled else edits
            way = way._replace(edits=(*level_edits, *(scaled or ())), reason=ROUNDS if scaled else UNSCALED)
        elif not is_cpu:
            if not self.target.devices and not self._scales_without_drops(call):
                way = way._replace(reason=UNNAMED)
            way = self._with_one_output(call, way)
        if way.edits and is_cpu_by_default(self.program):
            way = way._replace(safety=Safety.DISPLAY, reason=ON_CPU)
        return self._with_casts(training, way)

    def _with_one_output(self, call: Call, way: Way) -> Way:
        """The scale that "O2" brings along makes a tuple of what callbacks may read as the loss; a fixed one does not.

        A manager that is given decides that already today.
        """
        is_given = call.is_spread or call.given("loss_scale_manager") is not None
        read = read_as_loss(self.program) if call.api == train_cells.MODEL and not is_given else None
        if read is None:
            return way
        related = (*way.related, _related(read.module, read.node, Message("this takes `net_outputs` for the loss")))
        scaled = self._writer.fixed(call, {"amp_level": '"O2"'}) if call.given("amp_level") is None else None
        if scaled is None or way.safety is Safety.DISPLAY:
            return way._replace(safety=Safety.DISPLAY, reason=way.reason if way.related else TUPLE, related=related)
        advice = Message("compute in FP16 with `{argument}` and a fixed loss scale", argument='amp_level="O2"')
        return way._replace(edits=tuple(scaled), advice=advice, reason=FIXED, related=related)

    def _with_casts(self, training: Training, way: Way) -> Way:
        """Weights that are used beside their layer stay in float32: they are cast."""
        tied = self._writer.tied(training.values)
        if not tied or not way.edits:
            return way
        places = tuple(_related(each.module, each.weight, Message("this weight stays in FP32")) for each in tied)
        casts = self._writer.cast(tied)
        if casts is None:
            first = tied[0]
            return _none((), training.call, TIED, (first.module, first.weight))
        reason = TIED if way.safety is Safety.UNSAFE or way.reason is None else way.reason
        return Way((*way.edits, *casts), way.advice, Safety.DISPLAY, reason, (*way.related, *places))

    @staticmethod
    def _scales_without_drops(call: Call) -> bool:
        """Return whether the loss scale is one that "O2" takes on a CPU (mindspore 2.10 train/amp.py:772)."""
        managers = (
            call.argument("loss_scale_manager").alternatives if call.given("loss_scale_manager") is not None else ()
        )
        for manager in managers:
            made = train_cells.made_at(call.program, manager)
            if (
                made is None
                or made.api != train_cells.FIXED
                or not made.argument("drop_overflow_update").must_be(False)
            ):
                return False
        return bool(managers)

    def _custom(self, training: Training) -> Way:
        """A step of one's own: its networks are converted without their loss, and the loss is scaled."""
        found = self._writer.converted(training)
        if found.obstacle is not None:
            return _none((), training.call, found.obstacle.text, (found.obstacle.module, found.obstacle.node))
        names = ", ".join(f"`{name}`" for name in found.names)
        advice = Message("convert {names}, and scale the loss", names=names)
        reason = INSIDE if training.kind == "model" or found.has_loss_inside else OWN
        if found.dtype != "float16":
            advice, reason = Message("convert {names} to BF16, which needs no loss scaling", names=names), ATLAS
        return self._with_casts(training, Way(found.edits, advice, Safety.DISPLAY, reason))

    def _halved(self, suspect: Suspect, way: Way) -> Way:
        """What is forced to float32 gets float16 as its dtype, beside what the training needs."""
        found: list[Edit] = []
        for call in (suspect.call, *suspect.others):
            dtype = precision.spelled(call.node)
            imports: tuple[Edit, ...] = ()
            if isinstance(dtype, ast.Attribute):
                spelling = f"{call.module.text(dtype.value)}.float16"
            else:
                spelling, imports = self._writer.name(call.module, "mindspore.float16")
            made = edit.replace_expression(call.module, dtype, spelling) if dtype is not None else None
            if made is None:
                return _none(way.related, call, Message("the dtype cannot be replaced here"))
            found += [each for each in (*imports, *made) if each not in found]
        return way._replace(edits=tuple(dict.fromkeys((*found, *way.edits))), advice=way.advice)

    def _places(self, suspect: Suspect) -> tuple[Related, ...]:
        """Return where the network is made, and a layer of it."""
        training = suspect.training
        if training is None:
            return ()
        plan = self._writer.plan(training) if training.kind != "model" else None
        values = training.values[:1] if training.kind == "model" else training.values
        if plan is not None and plan.uses:
            values = tuple(self.program.value(use.node, use.scope) for use in plan.uses)
        made = (train_cells.made_at(self.program, known) for value in values for known in value.alternatives)
        found = [_related(call.module, call.node, Message("the network")) for call in made if call is not None]
        inner = plan.inner if plan is not None else ()
        found += [_related(each.cls.module, each.cls.node, Message("the network")) for each in inner]
        layer = networks.layer(self.program, values)
        if layer is not None:
            found.append(_related(layer.module, layer.node, Message("a layer of it that runs in FP32")))
        own = suspect.call.module.source.place(suspect.call.span[0])
        return tuple(each for each in found if each.place != own)


def _related(module: SemanticIndex, node: ast.AST, message: str) -> Related:
    return Related(module.source.place(module.span(node)[0]), message)


def _none(
    related: tuple[Related, ...], call: Call, text: str, where: Optional[tuple[SemanticIndex, ast.AST]] = None
) -> Way:
    """Return that there is no fix, and why."""
    module, node = where or (call.module, call.node)
    told = _related(module, node, Message("no fix is shown: {obstacle}", obstacle=text))
    return Way((), LEVEL, Safety.DISPLAY, None, (*related, told))
