"""Mixed precision for a training: by a level, converted networks, scaled losses, or the dtype of forced layers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Optional

from ms_perflint.core.findings import Edit, Place, Related, Remedy, Safety
from ms_perflint.edits.expressions import replace_expression
from ms_perflint.edits.half_precision import Writer
from ms_perflint.edits.settings import decided, decided_here, set_value
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call, made_at
from ms_perflint.program.program import Program
from ms_perflint.training.callbacks import read_as_loss
from ms_perflint.training.devices import is_cpu_by_default, target_of
from ms_perflint.training.networks import breakages, conversions, networks, precision, products, train_cells
from ms_perflint.training.networks.breakages import Half
from ms_perflint.training.networks.plans import converted
from ms_perflint.training.networks.train_cells import Training
from ms_perflint.training.networks.undecided_precision import Suspect

LEVEL = Message("compute in FP16, with loss scaling")
# Why a fix is not safe
ROUNDS = Message("FP16 changes the numbers; compare the loss curve")
UNSCALED = Message("on a CPU, `O2` needs a fixed loss scale in `Model` and optimizer, which has no place here")
UNNAMED = Message("FP16 changes the numbers; on a CPU, `O2` raises `ValueError`, as its loss scaling is dynamic")
ON_CPU = Message("the device is a CPU by default, which computes FP16 more slowly")
TIED = Message("the network multiplies by the weight of a layer, which stays in FP32 unless it is cast")
INSIDE = Message("the network computes its loss itself, which has to stay in FP32; check where it starts")
OWN = Message("custom training step; check every other use of the loss and the gradients")
BESIDE = Message("custom training step; other uses of {names} compute in FP16 as well")  # in place, run on 2.10
TUPLE = Message("`net_outputs` becomes a tuple of loss, overflow and scale, and a callback takes it for the loss")
FIXED = Message("FP16 changes the numbers; a dynamic scale would make `net_outputs` a tuple, which a callback reads")
DECIDED = Message("an option or a config file decides the level")
ATLAS = Message("FP16 would need a loss scale that has no place here, and BF16 needs Atlas A2 or a newer device")


class MixedPrecision:
    """The ways to half precision in one program; without edits, the related places give the reason."""

    def __init__(self, program: Program, line_length: int) -> None:
        self.program = program
        self.line_length = line_length
        self._is_cpu = "CPU" in target_of(program).devices
        self._writer = Writer(program, self._is_cpu, line_length)

    def remedy(self, suspect: Suspect) -> Remedy:
        """Return the remedy that makes the training compute in half precision."""
        made = suspect.training
        if made is None:
            way = Remedy((), LEVEL, Safety.DISPLAY, Message("the code that trains the network is not known"))
        elif made.call.api in train_cells.LEVELS and (
            made.call.is_spread or train_cells.is_given(made.call, "loss_fn")
        ):
            way = self._level(made)
        else:  # also for a network that computes its loss itself: a level would halve the loss
            way = self._custom(made)
        if suspect.is_forced:
            way = self._halved(suspect, way)
        return way._replace(related=(*way.related, *self._places(suspect)))

    def _level(self, training: Training) -> Remedy:
        """Set a level of mixed precision: a CPU refuses "O2" unless the loss scale is fixed and drops no update.

        With such a scale "O2" runs on all devices, and keeps normalisation in FP32 (run on 2.7 and 2.10, CPU).
        """
        call = training.call
        conversion = self._writer.full_conversion(training.values[0])
        if conversion is not None and decided(conversion.argument(train_cells.LEVELS[train_cells.CONVERT])) is not None:
            return self._by_conversion(training, conversion)
        name = train_cells.LEVELS[call.api]
        is_cpu = self._is_cpu and not self._scales_without_drops(call)
        absent = {name: '"O2"'} if call.given(name) is None else {}
        is_unscaled = is_cpu and call.api == train_cells.MODEL and call.given("loss_scale_manager") is None
        scaled = self._writer.fixed(call, absent) if is_unscaled else None
        if is_cpu and scaled is None and call.api == train_cells.MODEL:
            return _none((), call, UNSCALED)
        level = "O3" if is_cpu and scaled is None else "O2"
        edits, related = set_value(call, name, f'"{level}"', yaml=level, line_length=self.line_length)
        if edits is None:
            return _none(related, call, Message("`{name}` cannot be set here", name=name))
        if _was_taken_out(call, name):
            return _none(related, call, Message("a comment here holds `{name}`, which was taken out", name=name))
        advice = Message("compute in FP16 with `{argument}`", argument=f'{name}="{level}"')
        way = Remedy(tuple(edits), advice, Safety.UNSAFE, ROUNDS, related)
        if related:
            way = way._replace(safety=Safety.DISPLAY, reason=DECIDED)
        elif scaled is not None:
            way = way._replace(edits=(*(() if absent else edits), *scaled))
        elif not is_cpu:
            if not target_of(self.program).devices and not self._scales_without_drops(call):
                way = way._replace(reason=UNNAMED)
            way = self._with_one_output(call, way)
        if way.edits and is_cpu_by_default(self.program):
            way = way._replace(safety=Safety.DISPLAY, reason=ON_CPU)
        return self._unless_unknown(training, self._with_casts(training, way), Half(training.values[:1]))

    def _by_conversion(self, training: Training, conversion: Call) -> Remedy:
        """Give no fix beside a conversion that an option switches off: the option would convert the network twice."""
        name = train_cells.LEVELS[train_cells.CONVERT]
        edits, related = set_value(conversion, name, '"O2"', yaml="O2", line_length=self.line_length)
        scaled = self._writer.scaled(training, [training])
        if edits is None or scaled is None:
            return _none(related, conversion, Message("`{name}` cannot be set here", name=name))
        advice = Message("compute in FP16 with `{argument}`", argument=f'{name}="O2"')
        way = Remedy((*edits, *scaled), advice, Safety.DISPLAY, DECIDED, related)
        return self._unless_unknown(training, self._with_casts(training, way), Half(training.values[:1]))

    def _unless_unknown(self, training: Training, way: Remedy, half: Half) -> Remedy:
        """Give no fix where some code is not known to work in half precision."""
        if not way.edits:
            return way
        found = breakages.first(self.program, training, half)
        return way if found is None else _none(way.related, training.call, found.message, found.place)

    def _with_one_output(self, call: Call, way: Remedy) -> Remedy:
        """Add a fixed loss scale: the one of "O2" makes `net_outputs` a tuple, which callbacks may read as the loss.

        A manager that is passed already has this effect today.
        """
        is_given = call.is_spread or call.given("loss_scale_manager") is not None
        read = read_as_loss(self.program) if call.api == train_cells.MODEL and not is_given else None
        if read is None:
            return way
        related = (*way.related, Related(read, Message("this takes `net_outputs` for the loss")))
        scaled = self._writer.fixed(call, {"amp_level": '"O2"'}) if call.given("amp_level") is None else None
        if scaled is None or way.safety is Safety.DISPLAY:
            return _none(way.related, call, TUPLE, read)
        advice = Message("compute in FP16 with `{argument}` and a fixed loss scale", argument='amp_level="O2"')
        return way._replace(edits=tuple(scaled), advice=advice, reason=FIXED, related=related)

    def _with_casts(self, training: Training, way: Remedy) -> Remedy:
        """Cast weights that are used outside of their layer, as they stay in float32."""
        tied = products.tied(self.program, training.values) if way.edits else ()
        if not tied or not way.edits:
            return way
        places = tuple(Related(each.module.place(each.weight), Message("this weight stays in FP32")) for each in tied)
        casts = self._writer.cast(tied)
        if casts is None:
            return _none((), training.call, TIED, places[0].place)
        reason = TIED if way.safety is Safety.UNSAFE or way.reason is None else way.reason
        return Remedy((*way.edits, *casts), way.advice, Safety.DISPLAY, reason, (*way.related, *places))

    @staticmethod
    def _scales_without_drops(call: Call) -> bool:
        """Return whether the loss scale is one that "O2" takes on a CPU (mindspore 2.10 train/amp.py:772)."""
        managers = (
            call.argument("loss_scale_manager").alternatives if call.given("loss_scale_manager") is not None else ()
        )
        for manager in managers:
            made = made_at(call.program, manager)
            if (
                made is None
                or made.api != train_cells.FIXED
                or not made.argument("drop_overflow_update").must_be(False)
            ):
                return False
        return bool(managers)

    def _custom(self, training: Training) -> Remedy:
        """Convert the networks of a custom step without their loss, and scale the loss."""
        found = self._writer.converted(training)
        if found.obstacle is not None:
            return _none((), training.call, found.obstacle.message, found.obstacle.place)
        names = ", ".join(f"`{name}`" for name in found.names)
        advice = Message("convert {names} to FP16, and scale the loss", names=names)
        if found.is_scaled:
            advice = Message("convert {names} to FP16; the loss is scaled already", names=names)
        reason = INSIDE if training.kind == "model" or found.has_loss_inside else OWN
        if reason is OWN and found.beside:
            reason = BESIDE.filled(names=", ".join(f"`{name}`" for name in found.beside))
        if found.dtype != "float16":
            advice, reason = Message("convert {names} to BF16, which needs no loss scaling", names=names), ATLAS
        way = Remedy(found.edits, advice, Safety.DISPLAY, reason, self._deciding(found.networks))
        return self._unless_unknown(
            training, self._with_casts(training, way), Half(found.networks, found.dtype, found.inner)
        )

    def _deciding(self, values: Sequence[Value]) -> tuple[Related, ...]:
        """Return the options and config keys that decide the levels at which networks are converted already."""
        name = train_cells.LEVELS[train_cells.CONVERT]
        found = filter(None, map(self._writer.full_conversion, values))
        settings = filter(None, (decided(call.argument(name)) for call in found))
        return tuple(decided_here(setting, name) for setting in settings)

    def _halved(self, suspect: Suspect, way: Remedy) -> Remedy:
        """Give layers that are forced to float32 the dtype float16, and add what the training needs, if known."""
        if not way.edits and way.reason is None:
            return way
        found: list[Edit] = []
        for call in (suspect.call, *suspect.others):
            dtype = precision.written_dtype(call.node)
            imports: tuple[Edit, ...] = ()
            if isinstance(dtype, ast.Attribute):
                spelling = f"{call.module.text(dtype.value)}.float16"
            else:
                spelling, imports = self._writer.name(call.scope, "mindspore.float16")
            made = replace_expression(call.module, dtype, spelling) if dtype is not None else None
            if made is None:
                return _none(way.related, call, Message("the dtype cannot be replaced here"))
            found += [each for each in (*imports, *made) if each not in found]
        return way._replace(edits=tuple(dict.fromkeys((*found, *(way.edits or ())))), advice=way.advice)

    def _places(self, suspect: Suspect) -> tuple[Related, ...]:
        """Return the places of the network and of a layer of it."""
        training = suspect.training
        if training is None:
            return ()
        plan = conversions.plan(self.program, [training]) if training.kind != "model" else None
        values = training.values[:1] if training.kind == "model" else training.values
        if plan is not None and plan.uses:
            values = tuple(converted(self.program, use) for use in plan.uses)
        made = (made_at(self.program, known) for value in values for known in value.alternatives)
        found = [Related(call.place, Message("the network")) for call in made if call is not None]
        inner = plan.inner if plan is not None else ()
        found += [Related(each.cls.module.place(each.cls.node), Message("the network")) for each in inner]
        layer = networks.layer(self.program, values)
        if layer is not None:
            found.append(Related(layer.place, Message("a layer that runs in FP32")))
        own = suspect.call.place
        return tuple(each for each in found if each.place != own)


def _was_taken_out(call: Call, name: str) -> bool:
    """Return whether comments before or in a statement contain an argument, which was thus tried."""
    line_of, first, last = call.module.source.line, call.stmt.lineno, call.stmt.end_lineno or call.stmt.lineno
    while first > 1 and line_of(first - 1).lstrip().startswith(b"#"):
        first -= 1
    lines = map(line_of, range(first, last + 1))
    return any(b"%s=" % name.encode() in line.partition(b"#")[2].replace(b" ", b"") for line in lines)


def _none(related: tuple[Related, ...], call: Call, text: str, where: Optional[Place] = None) -> Remedy:
    """Return a remedy without a fix, with the reason."""
    told = Related(where or call.place, Message("no fix is shown: {obstacle}", obstacle=text))
    return Remedy((), LEVEL, Safety.DISPLAY, None, (*related, told))
