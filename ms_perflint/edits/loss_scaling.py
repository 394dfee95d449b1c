"""Loss scaling of a training in half precision: by a manager, in a train cell, or by hand."""

from __future__ import annotations

import ast
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Optional

from ms_perflint.core.findings import Edit
from ms_perflint.edits.arguments import add_arguments, set_argument
from ms_perflint.edits.expressions import wrap
from ms_perflint.edits.imports import name_in
from ms_perflint.edits.statements import free, insert_after, insert_before
from ms_perflint.index.signature import Signature
from ms_perflint.index.syntax_forms import given as all_given
from ms_perflint.index.syntax_forms import plainly_given
from ms_perflint.program.call_site import made_at
from ms_perflint.training.networks.train_cells import FIXED, LEVELS, LOSS_SCALERS, Training, is_scaling_cell
from ms_perflint.training.optimizers import is_optimizer
from ms_perflint.training.training_steps import is_step_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ms_perflint.index.semantic_index import Scope
    from ms_perflint.program.call_site import Call
    from ms_perflint.program.program import Program

SCALE = "1024.0"
SCALER = "mindspore.amp.StaticLossScaler"
SCALER_SINCE = (2, 0)
DYNAMIC = "mindspore.amp.DynamicLossScaleManager"
_FIXED_CELL = "FixedLossScaleUpdateCell"
_SCALES = frozenset(f"{api}.scale" for api in LOSS_SCALERS)
_CLIPS = r"(?i)clip(?!_?(?:param|weight))"  # by norm or value; WGAN clips its weights


class LossScaling:
    """The edits that scale the losses of one program."""

    def __init__(self, program: Program, is_for_cpu: bool, line_length: int) -> None:
        self.program = program
        self.is_for_cpu = is_for_cpu
        self.line_length = line_length

    def name(self, scope: Scope, api: str) -> tuple[str, tuple[Edit, ...]]:
        """Return the spelling of an API in a scope, and the edits that import it."""
        return name_in(self.program, scope, api, self.line_length)

    def scaled(self, training: Training, trainings: Sequence[Training]) -> Optional[list[Edit]]:
        """Return the edits that scale the loss of a training, none if it is scaled; None where they have no place."""
        if training.kind == "model":
            return self._scaled_by_manager(training.call)
        if training.kind == "cell":
            return self._scaled_cell(training)
        here = [each.call for each in trainings if each.call.scope.owner is training.call.scope.owner]
        return self._scaled_function(training, sorted(here, key=lambda call: call.span))

    def _scaled_by_manager(self, model: Call) -> Optional[list[Edit]]:
        if model.given("loss_scale_manager") is not None:
            return []
        fixed = self.fixed(model)
        if fixed is not None or self.is_for_cpu:  # it runs on every device, and the result of a step stays one loss
            return fixed
        spelling, imports = self.name(model.scope, DYNAMIC)
        return joined(list(imports), self._set(model, "loss_scale_manager", f"{spelling}()"))

    def fixed(self, model: Call, also: Mapping[str, str] = MappingProxyType({})) -> Optional[list[Edit]]:
        """Return the edits that pass a fixed loss scale to a Model and its optimizer; `also`: more keywords."""
        spelling, imports = self.name(model.scope, FIXED)
        words = {**also, "loss_scale_manager": f"{spelling}({SCALE}, drop_overflow_update=False)"}
        added = add_arguments(model, words, line_length=self.line_length)
        return joined(list(imports), self._unscaled_by_optimizer(model), added)

    def _set(self, call: Call, name: str, text: str) -> Optional[tuple[Edit, ...]]:
        return set_argument(call, name, text, line_length=self.line_length)

    def _unscaled_by_optimizer(self, call: Call) -> Optional[tuple[Edit, ...]]:
        """Return the edit that passes the loss scale to the optimizer of a call; None if it takes none."""
        found = self._optimizers(call)
        optimizer = found.pop() if len(found) == 1 else None
        if optimizer is None or all(each.name != "loss_scale" for each in optimizer.parameters):
            return None
        if optimizer.given("loss_scale") is not None or self._steps_elsewhere(optimizer, call):
            return None
        return self._set(optimizer, "loss_scale", SCALE)

    def _optimizers(self, call: Call) -> set[Optional[Call]]:
        """Return the calls that create the optimizers of a call; None for an unknown one."""
        values = (self.program.value(each, call.scope) for each in plainly_given(call.node))
        known = (each for value in values for each in value.alternatives)
        optimizers = (each for each in known if is_optimizer(self.program, each.type_api, each.cls))
        return {made_at(self.program, each) for each in optimizers}

    def _is_scaled(self, call: Call) -> bool:
        """Return whether a train cell gets the number by which its optimizer unscales, so that it scales its loss."""
        scales = [each.argument("loss_scale").constants for each in self._optimizers(call) if each is not None]
        given = [self.program.value(each, call.scope).constants for each in plainly_given(call.node)]
        return any(each and each in given and all(scale != 1 for scale in each) for each in scales)

    def _steps_elsewhere(self, optimizer: Call, call: Call) -> bool:
        """Return whether another Model or train cell, whose loss would not be scaled, has the same optimizer."""
        stmt = optimizer.stmt
        names = {ast.unparse(target) for target in stmt.targets} if isinstance(stmt, ast.Assign) else set()
        for site in (site for scope in optimizer.module.scopes for site in scope.calls):
            if not isinstance(site.node, ast.Call) or site.node is call.node:
                continue
            given = all_given(site.node)
            if names & {ast.unparse(each) for each in given if isinstance(each, (ast.Name, ast.Attribute))}:
                made = self.program.value(site.node, site.scope).alternatives
                if any(known.type_api in LEVELS or is_step_object(self.program, known) for known in made):
                    return True
        return False

    def _scaled_cell(self, training: Training) -> Optional[list[Edit]]:
        """A train cell takes the scale as `sens`; one that scales its loss is left as it is."""
        call = training.call
        if is_scaling_cell(self.program, training):
            return None if self._scales_by_one(call) else []
        if self._is_scaled(call):
            return []
        if call.api:
            given = call.given("sens") if any(each.name == "sens" for each in call.parameters) else call.node
        else:
            known = (known for value in training.values for known in value.alternatives)
            given = next((_sens_given(call, each.cls) for each in known if each.cls is not None), call.node)
        if given is not None:
            return None
        return joined([], self._unscaled_by_optimizer(call), self._set(call, "sens", SCALE))

    def _scales_by_one(self, call: Call) -> bool:
        """Return whether the scale of a train cell is 1, which has no effect."""
        given = all_given(call.node)
        values = [known for each in given for known in self.program.value(each, call.scope).alternatives]
        made = [made_at(self.program, known) for known in values if known.type_api.endswith(_FIXED_CELL)]
        scales = [each.argument("loss_scale_value") for each in made if each is not None]
        return any(scale.must_be(1) or scale.must_be(1.0) for scale in scales)

    def _scaled_function(self, training: Training, beside: Sequence[Call]) -> Optional[list[Edit]]:
        """A gradient function: what is differentiated scales its loss, what calls it unscales loss and gradients.

        The first one of a scope creates the loss scaler, before all others of that scope.
        """
        gradient = training.call
        functions = {known.definition for value in training.values for known in value.alternatives}
        function = functions.pop() if len(functions) == 1 else None
        is_new = gradient.word == "value_and_grad" and self.program.version >= SCALER_SINCE
        if function is None or not function.is_function or not function.returns or not is_new:
            return None
        scaling = [site for site in function.calls_inside if not _SCALES.isdisjoint(self.program.apis(site))]
        if scaling:  # by a scaler of the project
            values = [self.program.value(site.base, site.scope) for site in scaling if site.base is not None]
            scalers = [made_at(self.program, known) for value in values for known in value.alternatives]
            scales = [each.argument("scale_value") for each in scalers if each is not None]
            return None if any(scale.must_be(1) or scale.must_be(1.0) for scale in scales) else []
        name = free(gradient.module, "loss_scaler")
        target = gradient.stmt.targets[0] if isinstance(gradient.stmt, ast.Assign) else None
        if isinstance(target, ast.Attribute):
            name = f"{ast.unparse(target.value)}.{name}"
        elif not _is_seen(gradient, function) or any(not _is_seen(gradient, site.scope) for site in training.sites):
            return None
        spelling, imports = self.name(gradient.scope, SCALER)
        line = f"{name} = {spelling}({SCALE})"
        made = insert_before(gradient.module, _before_all(beside), line) if gradient == beside[0] else ()
        found = joined(list(imports), made)
        has_aux = gradient.argument("has_aux").must_be(True)
        for given, _ in function.returns:
            if isinstance(given, ast.Tuple) != has_aux or not (
                loss := given.elts[0] if isinstance(given, ast.Tuple) else given
            ):
                return None
            found = joined(found, wrap(function.module, loss, f"{name}.scale"))
        for site in training.sites:
            names = _results(site.stmt, site.node)
            if not names:
                return None
            lines = "\n".join(f"{each} = {name}.unscale({each})" for each in names)
            found = joined(found, insert_after(site.module, site.stmt, lines))
        return found


def joined(found: Optional[list[Edit]], *parts: Optional[Iterable[Edit]]) -> Optional[list[Edit]]:
    """Return all edits; None where a part is missing."""
    if found is None or any(part is None for part in parts):
        return None
    return [*found, *(each for part in parts for each in part or ())]


def _before_all(calls: Sequence[Call]) -> ast.stmt:
    """Return the statement in front of all calls of a scope, outside of loops and branches, for what they share."""
    first = calls[0]
    top = first.stmt
    for block in first.block.chain():
        is_around_all = all(block in call.block.chain() for call in calls)
        if isinstance(block.owner, ast.stmt) and (not is_around_all or block.loops):
            top = block.owner
    return top


def _is_seen(gradient: Call, scope: Scope) -> bool:
    """Return whether a name that is bound next to a gradient function is visible in a scope."""
    return gradient.scope.owner in (scope, *scope.enclosing())


def _sens_given(call: Call, cls: Scope) -> Optional[ast.expr]:
    """Return the argument of a train cell for `sens`; the call itself where it has no such parameter.

    One that clips gradients counts as such, too: its gradients are still scaled, and would be clipped to nothing.
    """
    init = cls.method("__init__")
    signature = Signature.of(init, True) if init is not None else None
    if signature is None or "sens" not in signature.words or init is None or _clips(cls):
        return call.node
    passes = "sens" in init.names or any("sens" in method.attrs for method in cls.defines)
    index = signature.slots.index("sens") if "sens" in signature.slots else len(call.node.args)
    if not passes or len(call.node.args) > index or call.is_spread:
        return call.node
    return next((word.value for word in call.node.keywords if word.arg == "sens"), None)


def _clips(cls: Scope) -> bool:
    """Return whether a train cell clips its gradients."""
    words = {word for method in cls.defines for word in (*method.names, *method.attrs)}
    return any(re.search(_CLIPS, word) for word in words)


def _results(stmt: ast.stmt, call: ast.AST) -> tuple[str, ...]:
    """Return the names of the loss and of the gradients in `(loss, _), grads = grad_fn(...)`; none in other forms."""
    target = stmt.targets[0] if isinstance(stmt, ast.Assign) and stmt.value is call and len(stmt.targets) == 1 else None
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
        return ()
    loss, grads = target.elts
    while isinstance(loss, (ast.Tuple, ast.List)) and loss.elts:
        loss = loss.elts[0]
    if not isinstance(loss, ast.Name) or not isinstance(grads, ast.Name):
        return ()
    return (grads.id,) if loss.id == "_" else (loss.id, grads.id)
