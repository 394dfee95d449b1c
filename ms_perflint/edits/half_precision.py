"""The edits that move a training step of one's own to half precision: networks are converted, the loss is scaled."""

from __future__ import annotations

import ast
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.core.findings import Edit
from ms_perflint.edits.arguments import add_arguments, set_argument
from ms_perflint.edits.expressions import replace_expression
from ms_perflint.edits.imports import import_name
from ms_perflint.edits.settings import set_value
from ms_perflint.edits.statements import insert_after, insert_before
from ms_perflint.index.signature import Signature
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.call_site import made_at
from ms_perflint.training.bases import base_apis
from ms_perflint.training.networks import conversions
from ms_perflint.training.networks.inner_parts import APART
from ms_perflint.training.networks.plans import Inner, Obstacle, Plan, Use, converted
from ms_perflint.training.networks.products import Tied
from ms_perflint.training.networks.train_cells import CONVERT, FIXED, LEVELS, Training, is_full
from ms_perflint.training.networks.train_cells import trainings as trainings_of
from ms_perflint.training.networks.used_beside import arguments, is_used_beside
from ms_perflint.training.optimizers import is_optimizer
from ms_perflint.training.training_steps import is_step_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ms_perflint.index.semantic_index import Scope, SemanticIndex
    from ms_perflint.program.call_site import Call
    from ms_perflint.program.program import Program

SCALE = "1024.0"
CONVERTS_SINCE = (1, 9)  # mindspore 1.9 train/amp.py:111; not in 1.8
SCALER = "mindspore.amp.StaticLossScaler"
SCALER_SINCE = (2, 0)
BF16_SINCE = (2, 2)  # the parameter `dtype` of auto_mixed_precision
DYNAMIC = "mindspore.amp.DynamicLossScaleManager"
ON_CPU = Message("FP16 needs loss scaling, which has no place here; a CPU has no BF16")
BESIDE = Message("what this network gives elsewhere would be BF16, with which NumPy does not compute")
OLD = Message("FP16 needs loss scaling, which has no place here; BF16 needs MindSpore 2.2")
_FIXED_CELL = "FixedLossScaleUpdateCell"
_CLIPS = r"(?i)clip(?!_?(?:param|weight))"  # by norm or value; WGAN clips its weights


class Rewrite(NamedTuple):
    """The edits, and the dtype in which the networks compute then."""

    edits: tuple[Edit, ...]
    names: tuple[str, ...] = ()  # of the networks, as the code calls them
    dtype: str = "float16"
    has_loss_inside: bool = False
    networks: tuple[Value, ...] = ()  # that are converted
    inner: tuple[Scope, ...] = ()  # classes of which layers are converted, without the loss beside them
    is_scaled: bool = False  # the loss is scaled already
    beside: tuple[str, ...] = ()  # networks that are used elsewhere by their old names: they are converted in place
    obstacle: Optional[Obstacle] = None  # why there are no edits


class Writer:
    """Writes the edits for one program."""

    def __init__(self, program: Program, is_for_cpu: bool, line_length: int) -> None:
        self.program = program
        self.is_for_cpu = is_for_cpu
        self.line_length = line_length

    def name(self, module: SemanticIndex, api: str) -> tuple[str, tuple[Edit, ...]]:
        """Return how a file spells an API, and the edits that import it."""
        return import_name(module, api, version=self.program.version, line_length=self.line_length)

    def converted(self, training: Training) -> Rewrite:
        """Return the edits that convert the networks of a training, and of those beside it, and scale the losses."""
        trainings = conversions.together(self.program, trainings_of(self.program), training)
        plan = conversions.plan(self.program, trainings)
        found = self._converted(plan, trainings)
        if isinstance(found, Obstacle):
            return Rewrite((), obstacle=found)
        values = tuple(converted(self.program, use) for use in plan.uses)
        is_inside = bool(plan.inner) or any(use.is_part for use in plan.uses)
        inner = tuple(each.cls for each in plan.inner)
        beside = tuple(dict.fromkeys(_called(use) for use in plan.uses if is_used_beside(self.program, use)))
        return found._replace(has_loss_inside=is_inside, networks=values, inner=inner, beside=beside)

    def _converted(self, plan: Plan, trainings: Sequence[Training]) -> Rewrite | Obstacle:
        call = trainings[0].call
        if self.program.version < CONVERTS_SINCE:
            return Obstacle(call.module, call.node, Message("`auto_mixed_precision` is in MindSpore 1.9 and later"))
        if plan.obstacles:
            return plan.obstacles[0]
        scaled: Optional[list[Edit]] = []
        for training in trainings:
            edits = self.scaled(training, trainings)
            scaled = [*scaled, *edits] if scaled is not None and edits is not None else None
        dtype = "float16" if scaled is not None else "bfloat16"
        if scaled is None and (self.program.version < BF16_SINCE or self.is_for_cpu):
            return Obstacle(call.module, call.node, ON_CPU if self.is_for_cpu else OLD)
        found = list(scaled or ())
        for uses in _by_name(plan.uses):
            network = self._network(uses, dtype)
            if isinstance(network, Obstacle):
                return network
            found += network
        for inner in plan.inner:
            edits = self._inner(inner, dtype)
            if edits is None:
                text = Message("`__init__` of this class cannot be added to")
                return Obstacle(inner.cls.module, inner.cls.node, text)
            found += edits
        names = tuple(dict.fromkeys([*map(_called, plan.uses), *(inner.cls.name for inner in plan.inner)]))
        return Rewrite(tuple(dict.fromkeys(found)), names, dtype, is_scaled=scaled == [])

    def _network(self, uses: Sequence[Use], dtype: str) -> list[Edit] | Obstacle:
        """Return the edits that convert what goes by one name, or one expression; else what stands in the way."""
        first = uses[0]
        full = self.full_conversion(converted(self.program, first))
        is_beside = is_used_beside(self.program, first)
        if is_beside and dtype != "float16":  # it is converted in place, beside what gives float32 (run on 2.10)
            return Obstacle(first.module, first.node, BESIDE)
        if full is None:
            text = Message("a statement of its own is needed before this one")
            return self._uses(uses, dtype) or Obstacle(first.module, first.node, text)
        if is_beside:
            return Obstacle(full.module, full.node, APART)
        text = Message("the level of this conversion cannot be set here")
        return self._level(full, first, dtype) or Obstacle(full.module, full.node, text)

    def _uses(self, uses: Sequence[Use], dtype: str) -> Optional[list[Edit]]:
        """Return the edits that convert what goes by one name, or one expression."""
        first = min(uses, key=lambda use: use.module.span(use.stmt))
        module, text = first.module, first.module.text(first.node)
        spelling, imports = self.name(module, CONVERT)
        found = list(imports)
        half = ""
        if dtype != "float16":
            half, imports = self.name(module, f"mindspore.{dtype}")
            found += imports
            half = f", {half}"
        if first.is_row and isinstance(first.node, ast.Call):
            cells = first.node.args[0]
            text = f'[{spelling}(each, "O2"{half}) for each in {module.text(cells)}]'
            return _joined(found, replace_expression(module, cells, text))
        converted = f'{spelling}({text}, "O2"{half})'
        is_name = isinstance(first.node, (ast.Name, ast.Attribute))
        if first.is_part or not is_name:
            return _joined(found, *(replace_expression(use.module, use.node, converted) for use in uses))
        if not first.is_outer and not is_used_beside(self.program, first):
            return _joined(found, insert_before(module, first.stmt, f"{text} = {converted}"))
        base, dot, word = text.rpartition(".")
        new = _free(module, f"{base}{dot}amp_{word}")
        replaced = [replace_expression(use.module, use.node, new) for use in uses]
        return _joined(found, insert_before(module, first.stmt, f"{new} = {converted}"), *replaced)

    def full_conversion(self, network: Value) -> Optional[Call]:
        """Return the call that converts a network already, at the level "O0" by default; None where there is none."""
        identities = {known.identity for known in network.alternatives}
        for call in self.program.calls(CONVERT):
            values = (self.program.value(call.node, call.scope), call.argument("network"))
            if is_full(call) and any(known.identity in identities for each in values for known in each.alternatives):
                return call
        return None

    def _level(self, call: Call, use: Use, dtype: str) -> Optional[list[Edit]]:
        """Return the edits that set the level of a conversion, and bind what it gives where that is dropped."""
        words = {LEVELS[CONVERT]: '"O2"'}
        imports: tuple[Edit, ...] = ()
        if dtype != "float16":
            words["dtype"], imports = self.name(call.module, f"mindspore.{dtype}")
        found: Optional[list[Edit]] = list(imports)
        if call.given(LEVELS[CONVERT]) is not None:
            level, _ = set_value(call, LEVELS[CONVERT], words.pop(LEVELS[CONVERT]), yaml="O2")
            found = _joined(found, level)
        if isinstance(call.stmt, ast.Expr):
            given, start = call.given("network"), call.module.span(call.stmt)[0]
            is_same = given is not None and ast.dump(given) == ast.dump(use.node)
            is_bound = not isinstance(given, ast.Name) or call.scope.home(given.id) is use.scope.owner
            if not (is_same and is_bound and call.stmt.value is call.node and call.scope.owner is use.scope.owner):
                return None
            found = _joined(found, [Edit(call.module.path, start, start, f"{call.module.text(use.node)} = ")])
        return _joined(found, add_arguments(call, words, line_length=self.line_length)) if words else found

    def _inner(self, inner: Inner, dtype: str) -> Optional[list[Edit]]:
        """Return the edits that set the layers of a network to half precision, and its loss to float32."""
        init = inner.cls.method("__init__")
        if init is None or not isinstance(init.node, ast.FunctionDef):
            return None
        half, imports = self.name(inner.cls.module, f"mindspore.{dtype}")
        full, others = self.name(inner.cls.module, "mindspore.float32")
        lines = [f"self.{name}.to_float({half})" for name in inner.layers]
        lines += [f"self.{name}.to_float({full})" for name in inner.losses]
        return _joined([*imports, *others], insert_after(inner.cls.module, init.node.body[-1], "\n".join(lines)))

    # --- loss scaling

    def scaled(self, training: Training, trainings: Sequence[Training]) -> Optional[list[Edit]]:
        """Return the edits that scale the loss of a training, none where it is scaled; None where that has no place."""
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
        if fixed is not None or self.is_for_cpu:  # it runs on every device, and what a step gives stays one loss
            return fixed
        spelling, imports = self.name(model.module, DYNAMIC)
        return _joined(list(imports), self._set(model, "loss_scale_manager", f"{spelling}()"))

    def fixed(self, model: Call, also: Mapping[str, str] = MappingProxyType({})) -> Optional[list[Edit]]:
        """Return the edits that give a Model a fixed loss scale, and its optimizer the same one; `also`: more words."""
        spelling, imports = self.name(model.module, FIXED)
        words = {**also, "loss_scale_manager": f"{spelling}({SCALE}, drop_overflow_update=False)"}
        added = add_arguments(model, words, line_length=self.line_length)
        return _joined(list(imports), self._unscaled_by_optimizer(model), added)

    def _set(self, call: Call, name: str, text: str) -> Optional[tuple[Edit, ...]]:
        return set_argument(call, name, text, line_length=self.line_length)

    def _unscaled_by_optimizer(self, call: Call) -> Optional[tuple[Edit, ...]]:
        """Return the edit that gives the loss scale to the optimizer of a call; None where it takes none."""
        found = self._optimizers(call)
        optimizer = found.pop() if len(found) == 1 else None
        if optimizer is None or all(each.name != "loss_scale" for each in optimizer.parameters):
            return None
        if optimizer.given("loss_scale") is not None or self._steps_elsewhere(optimizer, call):
            return None
        return self._set(optimizer, "loss_scale", SCALE)

    def _optimizers(self, call: Call) -> set[Optional[Call]]:
        """Return the calls that make the optimizers which a call is given; with None where one is not known."""
        values = (self.program.value(each, call.scope) for each in arguments(call.node))
        known = (each for value in values for each in value.alternatives)
        optimizers = (each for each in known if is_optimizer(self.program, each.type_api, each.cls))
        return {made_at(self.program, each) for each in optimizers}

    def _is_scaled(self, call: Call) -> bool:
        """Return whether a train cell is given the number by which its optimizer unscales: the cell scales its loss."""
        scales = [each.argument("loss_scale").constants for each in self._optimizers(call) if each is not None]
        given = [self.program.value(each, call.scope).constants for each in arguments(call.node)]
        return any(each and each in given and all(scale != 1 for scale in each) for each in scales)

    def _steps_elsewhere(self, optimizer: Call, call: Call) -> bool:
        """Return whether another Model or train cell is given the same optimizer: its loss would not be scaled."""
        stmt = optimizer.stmt
        names = {ast.unparse(target) for target in stmt.targets} if isinstance(stmt, ast.Assign) else set()
        for site in (site for scope in optimizer.module.scopes for site in scope.calls):
            if not isinstance(site.node, ast.Call) or site.node is call.node:
                continue
            given = (*site.node.args, *(keyword.value for keyword in site.node.keywords))
            if names & {ast.unparse(each) for each in given if isinstance(each, (ast.Name, ast.Attribute))}:
                made = self.program.value(site.node, site.scope).alternatives
                if any(known.type_api in LEVELS or is_step_object(self.program, known) for known in made):
                    return True
        return False

    def _scaled_cell(self, training: Training) -> Optional[list[Edit]]:
        """A train cell takes the scale as `sens`; one that scales its loss is left as it is."""
        call = training.call
        classes = [known.cls for value in training.values for known in value.alternatives if known.cls is not None]
        names = [call.api, *(name for cls in classes for name in (cls.name, *base_apis(self.program, cls)))]
        if any("WithLossScale" in name for name in names):
            return None if self._scales_by_one(call) else []
        if self._is_scaled(call):
            return []
        if call.api:
            given = call.given("sens") if any(each.name == "sens" for each in call.parameters) else call.node
        else:
            given = next((_sens_given(call, cls) for cls in classes), call.node)
        if given is not None:
            return None
        return _joined([], self._unscaled_by_optimizer(call), self._set(call, "sens", SCALE))

    def _scales_by_one(self, call: Call) -> bool:
        """Return whether the scale that a train cell is given is 1, which scales nothing."""
        given = (*call.node.args, *(keyword.value for keyword in call.node.keywords))
        values = [known for each in given for known in self.program.value(each, call.scope).alternatives]
        made = [made_at(self.program, known) for known in values if known.type_api.endswith(_FIXED_CELL)]
        scales = [each.argument("loss_scale_value") for each in made if each is not None]
        return any(scale.must_be(1) or scale.must_be(1.0) for scale in scales)

    def _scaled_function(self, training: Training, beside: Sequence[Call]) -> Optional[list[Edit]]:
        """A gradient function: what is differentiated scales its loss, what calls it unscales loss and gradients.

        The first one of a scope makes the loss scaler, before all those of that scope.
        """
        gradient = training.call
        functions = {known.definition for value in training.values for known in value.alternatives}
        function = functions.pop() if len(functions) == 1 else None
        is_new = gradient.word == "value_and_grad" and self.program.version >= SCALER_SINCE
        if function is None or not function.is_function or not function.returns or not is_new:
            return None
        name = _free(gradient.module, "loss_scaler")
        target = gradient.stmt.targets[0] if isinstance(gradient.stmt, ast.Assign) else None
        if isinstance(target, ast.Attribute):
            name = f"{ast.unparse(target.value)}.{name}"
        elif not _is_seen(gradient, function) or any(not _is_seen(gradient, site.scope) for site in training.sites):
            return None
        spelling, imports = self.name(gradient.module, SCALER)
        line = f"{name} = {spelling}({SCALE})"
        made = insert_before(gradient.module, _before_all(beside), line) if gradient == beside[0] else ()
        found = _joined(list(imports), made)
        has_aux = gradient.argument("has_aux").must_be(True)
        for given, _ in function.returns:
            if isinstance(given, ast.Tuple) != has_aux or not (
                loss := given.elts[0] if isinstance(given, ast.Tuple) else given
            ):
                return None
            text = f"{name}.scale({function.module.text(loss)})"
            found = _joined(found, replace_expression(function.module, loss, text))
        for site in training.sites:
            names = _results(site.stmt, site.node)
            if not names:
                return None
            lines = "\n".join(f"{each} = {name}.unscale({each})" for each in names)
            found = _joined(found, insert_after(site.module, site.stmt, lines))
        return found

    # --- weights that are used beside their layer

    def cast(self, products: Iterable[Tied]) -> Optional[list[Edit]]:
        """Return the edits that cast the weight in a product to the dtype of the other operand."""
        found: Optional[list[Edit]] = []
        for module, weight, other in products:
            imports: tuple[Edit, ...] = ()
            dtype = f"{module.text(other)}.dtype"
            if not isinstance(other, ast.Name):
                dtype, imports = self.name(module, "mindspore.float16")
            text = f"{module.text(weight)}.astype({dtype})"
            found = _joined(found, imports, replace_expression(module, weight, text))
        return found


def _joined(found: Optional[list[Edit]], *parts: Optional[Iterable[Edit]]) -> Optional[list[Edit]]:
    """Return all edits; None where a part cannot be made."""
    if found is None or any(part is None for part in parts):
        return None
    return [*found, *(each for part in parts for each in part or ())]


def _called(use: Use) -> str:
    """Return what the code calls a network."""
    stmt = use.stmt
    if use.is_part and isinstance(stmt, ast.Assign):
        return ast.unparse(stmt.targets[0])
    return use.module.text(use.node)


def _by_name(uses: Iterable[Use]) -> list[list[Use]]:
    """Return the uses of each name of each scope; other expressions alone."""
    found: dict[object, list[Use]] = {}
    for use in uses:
        is_name = isinstance(use.node, (ast.Name, ast.Attribute)) and not use.is_part
        key: object = (use.scope.owner, use.module.text(use.node)) if is_name else id(use.node)
        found.setdefault(key, []).append(use)
    return list(found.values())


def _free(module: SemanticIndex, name: str) -> str:
    """Return a name that no scope of a file binds yet."""
    taken = {bound for scope in module.scopes for bound in (*scope.bindings, *scope.attributes)}
    while name.rpartition(".")[2] in taken:
        name += "_"
    return name


def _before_all(calls: Sequence[Call]) -> ast.stmt:
    """Return the statement before which something stands that all calls of a scope need: out of loops and arms."""
    first = calls[0]
    top = first.stmt
    for block in first.block.chain():
        is_around_all = all(block in call.block.chain() for call in calls)
        if isinstance(block.owner, ast.stmt) and (not is_around_all or block.loops):
            top = block.owner
    return top


def _is_seen(gradient: Call, scope: Scope) -> bool:
    """Return whether a name that is bound beside a gradient function is seen in a scope."""
    return gradient.scope.owner in (scope, *scope.enclosing())


def _sens_given(call: Call, cls: Scope) -> Optional[ast.expr]:
    """Return what a train cell of the project is given as `sens`; the call itself where it takes none.

    One that clips gradients takes none either: they are scaled still, and would be cut to nothing.
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
