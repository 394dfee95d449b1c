"""MSP201: matrix work in float32, where the matrix unit is made for half precision. [seed 000], [seed 004]."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Safety
from ms_perflint.index.semantic_index import SemanticIndex, Site
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training import training
from ms_perflint.training.conditions import is_for_cpu_only
from ms_perflint.training.networks import networks, precision, train_cells

if TYPE_CHECKING:
    import libcst as cst

FIXED = "mindspore.amp.FixedLossScaleManager"
CONVERT = "mindspore.amp.auto_mixed_precision"
CONVERTS_SINCE = (1, 9)  # mindspore 1.9 train/amp.py:111; not in 1.8
FORCED = Message(
    "this matrix work is forced to float32, which takes the matrix unit several times as long as half precision; "
    "name float16 here"
)
LEVEL = Message("compute in half precision; compare the loss curve")


class Suspect(NamedTuple):
    """A call that is reported: a `Model`, what makes a train cell or a gradient function, or a forced `to_float`."""

    call: Call
    kind: str  # model, cell, gradient, forced
    use: Optional[train_cells.Use] = None  # where the network of a custom step stands
    also: Sequence[Call] = ()  # other layers that are forced beside this one


class Fp32Matmul(Check):
    """The matrix work of the training runs in float32, and the matrix unit is made for half precision."""

    code = "MSP201"
    name = "fp32-matmul"
    safety = Safety.UNSAFE
    gain = Gain("large", Message("the matrix work of each step takes a fraction of the time"))
    triggers = ("()",)  # a custom train cell has any name
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
        if not training.is_trained(program) or precision.names_half(program):
            return {}
        forced = precision.forced_networks(program)
        found = tuple(Suspect(first, "forced", None, rest) for first, *rest in forced) or self._entry()
        if not found or precision.sets_half(program) or precision.needs_float32(program) or self.target.is_cpu:
            return {}
        return {id(suspect.call.node): suspect for suspect in found}

    def _entry(self) -> tuple[Suspect, ...]:
        """Return where the training is made: the Model with an optimizer, else the train cell, else the gradients."""
        program = self.program
        trained = [model for model in train_cells.trained_models(program) if train_cells.has_optimizer(model)]
        if trained:
            return self._first(("model", model, self._values(model)) for model in trained)
        cells = [(cell, (program.value(cell.node, cell.scope),)) for cell in train_cells.train_cells(program)]
        return self._first(
            [
                *(("cell", cell, values) for cell, values in cells),
                *(("gradient", gradient, values) for gradient, values in train_cells.gradients(program)),
            ]
        )

    def _first(self, entries_made: Iterable[tuple[str, Call, tuple[Value, ...]]]) -> tuple[Suspect, ...]:
        """Return the first with matrix work that an accelerator can come to, else the first whose network is hidden."""
        reached = [made for made in entries_made if not is_for_cpu_only(self.program, made[1])]
        run = [made for made in reached if self.program.is_run_by_entry(made[1])]
        for multiplies, candidates in ((networks.multiplies, reached), (networks.may_multiply, run)):
            for kind, call, values in candidates:
                if multiplies(self.program, values):
                    return (Suspect(call, kind, self._use(kind, call, values)),)
        return ()

    @staticmethod
    def _values(model: Call) -> tuple[Value, ...]:
        """Return the network of a Model, and the loss that may hold it."""
        given = ("network", "loss_fn") if model.given("loss_fn") is not None else ("network",)
        return tuple(model.argument(name) for name in given)

    def _use(self, kind: str, call: Call, values: tuple[Value, ...]) -> Optional[train_cells.Use]:
        """Return where the network of a custom step stands."""
        if kind == "cell":
            return train_cells.network_in(self.program, call)
        uses = (train_cells.network_called(self.program, call, value) for value in values if kind == "gradient")
        return next((use for use in uses if use is not None), None)

    def visit_Call(self, node: cst.Call) -> None:
        """By form: which of the kinds it is, and how it is mended."""
        call = self.call(node)
        if call is None:
            return
        suspect = self._suspects[id(call.node)]
        if suspect.kind == "model" or suspect.call.api == precision.BUILD:
            self._level(node, suspect.call)
        elif suspect.kind == "forced":
            self.report(node, FORCED, self._halved(suspect), advice=LEVEL)
        else:
            self._custom(node, suspect)

    def _level(self, node: cst.Call, call: Call) -> None:
        """A level of mixed precision: a CPU refuses "O2" unless the loss scale is fixed and drops no update."""
        name = precision.LEVELS[call.api]
        level = "O3" if "CPU" in self.target.devices and not self._scales_without_drops(call) else "O2"
        text = f'"{level}"'
        edits, related = edit.set_value(call, name, text, yaml=level, line_length=self.line_length)
        scaled = call.given("loss_scale_manager") is not None and not call.argument("loss_scale_manager").must_be(None)
        argument = f"{name}={text}"
        self.report(
            node,
            Message(
                "the loss is scaled, but the matrix work of this training runs in float32, which takes the matrix unit "
                "several times as long as half precision; `{argument}` computes it in half precision",
                argument=argument,
            )
            if scaled
            else Message(
                "the matrix work of this training runs in float32, which takes the matrix unit several times as long "
                "as half precision; `{argument}` computes it in half precision",
                argument=argument,
            ),
            edits,
            advice=LEVEL,
            safety=Safety.DISPLAY if related else Safety.UNSAFE,
            related=related,
        )

    @staticmethod
    def _scales_without_drops(call: Call) -> bool:
        """Return whether the loss scale is one that "O2" takes on a CPU (mindspore 2.10 train/amp.py:772)."""
        managers = (
            call.argument("loss_scale_manager").alternatives if call.given("loss_scale_manager") is not None else ()
        )
        for manager in managers:
            made = train_cells.made_at(call.program, manager)
            if made is None or made.api != FIXED or not made.argument("drop_overflow_update").must_be(False):
                return False
        return bool(managers)

    def _custom(self, node: cst.Call, suspect: Suspect) -> None:
        """A step of one's own: the network is converted before its loss cell is made."""
        is_old = self.target.version < CONVERTS_SINCE
        name = "to_float(mindspore.float16)" if is_old else "auto_mixed_precision"
        edits = self._conversion(suspect.use, is_old) if suspect.use is not None else None
        self.report(
            node,
            Message(
                "the matrix work of this training runs in float32, which takes the matrix unit several times as long "
                "as half precision; `{name}` on the network computes it in half precision",
                name=name,
            ),
            edits,
            advice=Message("convert the network; scale the loss"),
            safety=Safety.DISPLAY,
        )

    def _conversion(self, use: train_cells.Use, is_old: bool) -> Optional[tuple[Edit, ...]]:
        text = use.module.text(use.node)
        wanted = "mindspore.float16" if is_old else CONVERT
        spelling, imports = edit.import_name(
            use.module, wanted, version=self.target.version, line_length=self.line_length
        )
        converted = f"{text}.to_float({spelling})" if is_old else f'{spelling}({text}, "O2")'
        if isinstance(use.node, (ast.Name, ast.Attribute)):
            made = edit.insert_before(use.module, use.stmt, f"{text} = {converted}")
        else:
            made = edit.replace_expression(use.module, use.node, converted)
        return (*imports, *made) if made is not None else None

    def _halved(self, suspect: Suspect) -> Optional[tuple[Edit, ...]]:
        """Return the edits that name float16 instead of float32, in all forced layers of the network."""
        edits: list[Edit] = []
        for call in (suspect.call, *suspect.also):
            dtype = precision.spelled(call.node)
            if isinstance(dtype, ast.Attribute):
                made = edit.replace_expression(call.module, dtype, f"{call.module.text(dtype.value)}.float16")
            elif dtype is not None:
                spelling, imports = edit.import_name(
                    call.module, "mindspore.float16", version=self.target.version, line_length=self.line_length
                )
                made = edit.replace_expression(call.module, dtype, spelling)
                made = (*imports, *made) if made is not None else None
            else:
                made = None
            if made is None:
                return None
            edits.extend(one for one in made if one not in edits)
        return tuple(edits)
