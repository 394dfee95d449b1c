"""The edits that convert the networks of a custom training step to half precision."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.core.findings import Edit, Related
from ms_perflint.edits.arguments import add_arguments
from ms_perflint.edits.expressions import replace_expression
from ms_perflint.edits.loss_scaling import LossScaling, joined
from ms_perflint.edits.settings import set_value
from ms_perflint.edits.statements import free, insert_after, insert_before
from ms_perflint.index.syntax_forms import spelling
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.training.networks import conversions
from ms_perflint.training.networks.inner_parts import APART
from ms_perflint.training.networks.plans import Inner, Plan, Use, converted
from ms_perflint.training.networks.products import Tied
from ms_perflint.training.networks.train_cells import CONVERT, LEVELS, Training, is_full
from ms_perflint.training.networks.train_cells import trainings as trainings_of
from ms_perflint.training.networks.used_beside import is_used_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ms_perflint.index.semantic_index import Scope
    from ms_perflint.program.call_site import Call

CONVERTS_SINCE = (1, 9)  # mindspore 1.9 train/amp.py:111; not in 1.8
BF16_SINCE = (2, 2)  # the parameter `dtype` of auto_mixed_precision
ON_CPU = Message("FP16 needs loss scaling, which has no place here; a CPU has no BF16")
BESIDE = Message("other outputs of this network would be BF16, which NumPy does not support")
OLD = Message("FP16 needs loss scaling, which has no place here; BF16 needs MindSpore 2.2")


class Rewrite(NamedTuple):
    """The edits, and the dtype of the converted networks."""

    edits: tuple[Edit, ...]
    names: tuple[str, ...] = ()  # spellings of the networks in the code
    dtype: str = "float16"
    has_loss_inside: bool = False
    networks: tuple[Value, ...] = ()  # the converted networks
    inner: tuple[Scope, ...] = ()  # classes whose layers are converted, but not the loss beside them
    is_scaled: bool = False  # whether the loss is scaled already
    beside: tuple[str, ...] = ()  # networks used elsewhere by their old names, which are converted in place
    obstacle: Optional[Related] = None  # why there are no edits


class Writer(LossScaling):
    """Writes the edits that convert the networks of one program, and scale their losses."""

    def converted(self, training: Training) -> Rewrite:
        """Return the edits that convert the networks of a training and of adjacent ones, and scale the losses."""
        trainings = conversions.together(self.program, trainings_of(self.program), training)
        plan = conversions.plan(self.program, trainings)
        found = self._converted(plan, trainings)
        if isinstance(found, Related):
            return Rewrite((), obstacle=found)
        values = tuple(converted(self.program, use) for use in plan.uses)
        is_inside = bool(plan.inner) or any(use.is_part for use in plan.uses)
        inner = tuple(each.cls for each in plan.inner)
        beside = tuple(dict.fromkeys(_called(use) for use in plan.uses if is_used_beside(self.program, use)))
        return found._replace(has_loss_inside=is_inside, networks=values, inner=inner, beside=beside)

    def _converted(self, plan: Plan, trainings: Sequence[Training]) -> Rewrite | Related:
        call = trainings[0].call
        if self.program.version < CONVERTS_SINCE:
            return Related(call.place, Message("`auto_mixed_precision` is in MindSpore 1.9 and later"))
        if plan.obstacles:
            return plan.obstacles[0]
        scaled: Optional[list[Edit]] = []
        for training in trainings:
            edits = self.scaled(training, trainings)
            scaled = [*scaled, *edits] if scaled is not None and edits is not None else None
        dtype = "float16" if scaled is not None else "bfloat16"
        if scaled is None and (self.program.version < BF16_SINCE or self.is_for_cpu):
            return Related(call.place, ON_CPU if self.is_for_cpu else OLD)
        found = list(scaled or ())
        for uses in _by_name(plan.uses):
            network = self._network(uses, dtype)
            if isinstance(network, Related):
                return network
            found += network
        for inner in plan.inner:
            edits = self._inner(inner, dtype)
            if edits is None:
                text = Message("`__init__` of this class cannot be added to")
                return Related(inner.cls.module.place(inner.cls.node), text)
            found += edits
        names = tuple(dict.fromkeys([*map(_called, plan.uses), *(inner.cls.name for inner in plan.inner)]))
        return Rewrite(tuple(dict.fromkeys(found)), names, dtype, is_scaled=scaled == [])

    def _network(self, uses: Sequence[Use], dtype: str) -> list[Edit] | Related:
        """Return the edits that convert the network of one name or expression, or the obstacle."""
        first = uses[0]
        full = self.full_conversion(converted(self.program, first))
        is_beside = is_used_beside(self.program, first)
        if is_beside and dtype != "float16":  # converted in place, beside code with float32 results (run on 2.10)
            return Related(first.place, BESIDE)
        if full is None:
            text = Message("a statement of its own is needed before this one")
            return self._uses(uses, dtype) or Related(first.place, text)
        if is_beside:
            return Related(full.place, APART)
        text = Message("the level of this conversion cannot be set here")
        return self._level(full, first, dtype) or Related(full.place, text)

    def _uses(self, uses: Sequence[Use], dtype: str) -> Optional[list[Edit]]:
        """Return the edits that convert the network of one name or expression."""
        first = min(uses, key=lambda use: use.module.span(use.stmt))
        module, text = first.module, first.module.text(first.node)
        spelling, imports = self.name(first.scope, CONVERT)
        found = list(imports)
        half = ""
        if dtype != "float16":
            half, imports = self.name(first.scope, f"mindspore.{dtype}")
            found += imports
            half = f", {half}"
        if first.is_row and isinstance(first.node, ast.Call):
            cells = first.node.args[0]
            text = f'[{spelling}(each, "O2"{half}) for each in {module.text(cells)}]'
            return joined(found, replace_expression(module, cells, text))
        converted = f'{spelling}({text}, "O2"{half})'
        is_name = isinstance(first.node, (ast.Name, ast.Attribute))
        if first.is_part or not is_name:
            return joined(found, *(replace_expression(use.module, use.node, converted) for use in uses))
        if not first.is_outer and not is_used_beside(self.program, first):
            return joined(found, insert_before(module, first.stmt, f"{text} = {converted}"))
        base, dot, word = text.rpartition(".")
        new = free(module, f"{base}{dot}amp_{word}")
        replaced = [replace_expression(use.module, use.node, new) for use in uses]
        return joined(found, insert_before(module, first.stmt, f"{new} = {converted}"), *replaced)

    def full_conversion(self, network: Value) -> Optional[Call]:
        """Return the call that converts a network already, at level "O0" by default; None without one."""
        identities = network.identities
        for call in self.program.calls(CONVERT):
            values = (self.program.value(call.node, call.scope), call.argument("network"))
            if is_full(call) and any(known.identity in identities for each in values for known in each.alternatives):
                return call
        return None

    def _level(self, call: Call, use: Use, dtype: str) -> Optional[list[Edit]]:
        """Return the edits that set the level of a conversion, and bind its result if unused."""
        words = {LEVELS[CONVERT]: '"O2"'}
        imports: tuple[Edit, ...] = ()
        if dtype != "float16":
            words["dtype"], imports = self.name(call.scope, f"mindspore.{dtype}")
        found: Optional[list[Edit]] = list(imports)
        if call.given(LEVELS[CONVERT]) is not None:
            level, _ = set_value(call, LEVELS[CONVERT], words.pop(LEVELS[CONVERT]), yaml="O2")
            found = joined(found, level)
        if isinstance(call.stmt, ast.Expr):
            given, start = call.given("network"), call.module.span(call.stmt)[0]
            is_same = given is not None and spelling(given) == spelling(use.node)
            is_bound = not isinstance(given, ast.Name) or call.scope.home(given.id) is use.scope.owner
            if not (is_same and is_bound and call.stmt.value is call.node and call.scope.owner is use.scope.owner):
                return None
            found = joined(found, [Edit(call.module.path, start, start, f"{call.module.text(use.node)} = ")])
        return joined(found, add_arguments(call, words, line_length=self.line_length)) if words else found

    def _inner(self, inner: Inner, dtype: str) -> Optional[list[Edit]]:
        """Return the edits that set the layers of a network to half precision, and its loss to float32."""
        init = inner.cls.method("__init__")
        if init is None or not isinstance(init.node, ast.FunctionDef):
            return None
        half, imports = self.name(init, f"mindspore.{dtype}")
        full, others = self.name(init, "mindspore.float32")
        lines = [f"self.{name}.to_float({half})" for name in inner.layers]
        lines += [f"self.{name}.to_float({full})" for name in inner.losses]
        return joined([*imports, *others], insert_after(inner.cls.module, init.node.body[-1], "\n".join(lines)))

    # --- weights used outside of their layer

    def cast(self, products: Iterable[Tied]) -> Optional[list[Edit]]:
        """Return the edits that cast the weight in a product to the dtype of the other operand."""
        found: Optional[list[Edit]] = []
        for module, weight, other in products:
            imports: tuple[Edit, ...] = ()
            dtype = f"{module.text(other)}.dtype"
            if not isinstance(other, ast.Name):
                dtype, imports = self.name(module.scope, "mindspore.float16")
            text = f"{module.text(weight)}.astype({dtype})"
            found = joined(found, imports, replace_expression(module, weight, text))
        return found


def _called(use: Use) -> str:
    """Return the spelling of a network in the code."""
    stmt = use.stmt
    if use.is_part and isinstance(stmt, ast.Assign):
        return ast.unparse(stmt.targets[0])
    return use.module.text(use.node)


def _by_name(uses: Iterable[Use]) -> list[list[Use]]:
    """Return the uses of networks, grouped by name and scope; other expressions stay alone."""
    found: dict[object, list[Use]] = {}
    for use in uses:
        is_name = isinstance(use.node, (ast.Name, ast.Attribute)) and not use.is_part
        key: object = (use.scope.owner, use.module.text(use.node)) if is_name else id(use.node)
        found.setdefault(key, []).append(use)
    return list(found.values())
