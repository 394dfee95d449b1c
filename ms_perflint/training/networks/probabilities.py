"""What a loss does with probabilities that are 0 or 1 in half precision: then there is no fix.

Of a sigmoid or softmax that saturates, the gradient is inf * 0 = nan, and the logarithm infinite; a quotient by
`p + 1e-8` is another one (run on 2.10, CPU).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Optional

from ms_perflint.core.findings import Related
from ms_perflint.core.graphs import reachable
from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.syntax_forms import descendants, word_of
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.bases import is_cell
from ms_perflint.training.networks.known_kinds import plain
from ms_perflint.training.networks.networks import is_loss, multiplies
from ms_perflint.training.networks.read_whole import Read
from ms_perflint.training.networks.train_cells import Training

_LOGARITHMS = ("log", "log2", "log10", "log1p", "xlogy")
_OF_PROBABILITIES = (
    "mindspore.nn.BCELoss",
    "mindspore.mint.nn.BCELoss",
    "mindspore.ops.BinaryCrossEntropy",
    "mindspore.ops.binary_cross_entropy",
    "mindspore.mint.functional.binary_cross_entropy",
    *(f"mindspore.{module}.{name}" for module in ("ops", "mint", "numpy") for name in _LOGARITHMS),
    *("mindspore.ops.Log", "mindspore.ops.Log1p", "mindspore.ops.Xlogy"),
)
_OWN = ("mindspore.", ".")  # of methods of tensors, and of what a cell gives
_PROBABILITIES = frozenset({"Sigmoid", "sigmoid", "HSigmoid", "hsigmoid", "Softmax", "softmax", "Softmax2d"})
# Operators and methods by their plain words, whose gradient at 0 is infinite
_ROOTS = frozenset({"sqrt", "rsqrt", "reciprocal", "inv"})
_POWERS = frozenset({"pow", "float_power"})
_QUOTIENTS = frozenset({"div", "realdiv", "truedivide", "divide"})
# Operators that keep the elements of their first operand
_KEEPS = frozenset(
    {"reshape", "view", "transpose", "permute", "squeeze", "expanddims", "unsqueeze", "flatten", "astype", "cast", "to"}
    | {"float", "gather", "gatherelements", "gatherd", "maskedselect", "neg"}
)
_SUMS = frozenset({"sum", "reducesum"})
_SMALLEST = 2.0**-14  # of float16, but for numbers of fewer digits
_DEPTH = 8  # names, parameters and operators between a network and the place


def saturating(program: Program, training: Training, read: Read, dtype: str) -> Iterator[Related]:
    """Yield where a loss takes the logarithm, the root or the inverse of an output in half precision."""
    if not read.words & _PROBABILITIES:
        return
    text = Message("`nan` where a sigmoid or softmax in {dtype} saturates before this logarithm", dtype=dtype)
    for loss in (*program.calls(*_OF_PROBABILITIES), *_logarithms_of_tensors(program)):
        yield Related(loss.place, text)
    if dtype != "float16":
        return  # bfloat16 holds the small numbers of float32
    outputs = _Outputs(program, training)
    text = Message("`nan`, or another loss, where a sigmoid or softmax in float16 gives 0 to this operator")
    for scope in outputs.scopes:
        for node in descendants(scope.node):
            operand = _steep(program, node, scope)
            if operand is not None and outputs.may_vanish(operand, scope):
                yield Related(scope.module.place(node), text)


def _logarithms_of_tensors(program: Program) -> Iterator[Site]:
    """Yield where running code calls a method of what may be a tensor: `p.log()`, `p.xlogy(q)`; no function."""
    for word in _LOGARITHMS:
        for site in program.sites(word):
            if site.base is not None and program.runs(site):
                found = program.evaluator.callees(site).alternatives
                is_other = any(known.definition or (known.api and not known.api.startswith(_OWN)) for known in found)
                if len(site.call.args) == (word == "xlogy") and not is_other:
                    yield site


def _steep(program: Program, node: ast.AST, scope: Scope) -> Optional[ast.expr]:
    """Return the operand of an operator whose gradient at 0 is infinite: `ops.sqrt(p)`, `p ** 0.5`, `1 / p`."""
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Div):
            return _unshifted(program, node.right, scope)
        is_root = isinstance(node.op, ast.Pow) and _is_below_one(program, node.right, scope)
        return node.left if is_root else None
    word, operands = _called(program, node, scope)
    if word in _ROOTS:
        return operands[0]
    if len(operands) > 1 and word in _QUOTIENTS:
        return _unshifted(program, operands[1], scope)
    is_power = len(operands) > 1 and word in _POWERS
    return operands[0] if is_power and _is_below_one(program, operands[1], scope) else None


def _unshifted(program: Program, node: ast.expr, scope: Scope) -> ast.expr:
    """Return the left side of a sum with a number below those of float16, `p + 1e-8`; another expression as it is."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return node
    numbers = program.value(node.right, scope).constants
    is_small = any(isinstance(number, float) and 0 < number < _SMALLEST for number in numbers)
    return node.left if is_small else node


def _is_below_one(program: Program, node: ast.expr, scope: Scope) -> bool:
    numbers = program.value(node, scope).constants
    return any(isinstance(number, (int, float)) and number < 1 for number in numbers)


def _called(program: Program, node: ast.AST, scope: Scope) -> tuple[str, list[ast.expr]]:
    """Return the plain word and the operands of an operator: of `ops.pow(p, 2)` and `p.pow(2)` the same.

    Without operands, "" and none, as for other nodes.
    """
    if not isinstance(node, ast.Call):
        return "", []
    known = program.value(node.func, scope).alternatives
    api = next((each.api or each.type_api for each in known), "")
    is_method = isinstance(node.func, ast.Attribute) and not api.startswith("mindspore.")
    operands = [*([node.func.value] if is_method else []), *node.args]  # type: ignore[attr-defined]
    return (plain(api.rpartition(".")[2] or word_of(node.func)), operands) if operands else ("", [])


def _functions(values: Iterable[Value]) -> Iterator[Scope]:
    """Yield the functions of the project that some values can be."""
    known = (each.definition for value in values for each in value.alternatives)
    return (each for each in known if each is not None and each.is_function)


class _Outputs:
    """The code that computes losses, and which expressions of it are outputs of a network."""

    def __init__(self, program: Program, training: Training) -> None:
        self.program = program
        self.forward = list(_functions(training.values if training.kind == "gradient" else ()))
        self.given = list(_functions([training.call.argument("loss_fn")] if training.kind == "model" else ()))
        self.scopes = tuple(dict.fromkeys((*self._losses(), *self.given, *reachable(self.forward, self._called))))

    def _losses(self) -> Iterable[Scope]:
        for module in self.program.modules:
            for scope in module.scopes:
                if scope.is_function and scope in self.program.reached and is_loss(self.program, scope):
                    yield scope

    def _called(self, scope: Scope) -> Iterator[Scope]:
        """Yield the functions that the code of a loss calls; no cells."""
        return _functions(map(self.program.evaluator.callees, scope.calls))

    def may_vanish(self, node: Optional[ast.expr], scope: Scope, depth: int = _DEPTH) -> bool:
        """Return whether an expression is a probability that a network gives, 1 less one, or a product of one."""
        if node is None or not depth:
            return False
        if isinstance(node, (ast.Subscript, ast.UnaryOp)):
            return self.may_vanish(node.value if isinstance(node, ast.Subscript) else node.operand, scope, depth - 1)
        if isinstance(node, ast.BinOp):
            is_rest = isinstance(node.op, ast.Sub) and isinstance(node.left, ast.Constant) and node.left.value == 1
            sides = [node.right] if is_rest else [node.left, node.right] if isinstance(node.op, ast.Mult) else []
            return any(self.may_vanish(side, scope, depth - 1) for side in sides)
        if isinstance(node, ast.Name):
            return any(self._is_bound(each, depth - 1) for each in scope.lookup(node))
        if isinstance(node, ast.Call) and self._is_network(self.program.value(node.func, scope)):
            return True
        word, operands = _called(self.program, node, scope)
        is_kept = word in _KEEPS or (word in _SUMS and isinstance(operands[0], ast.BinOp))
        return is_kept and self.may_vanish(operands[0], scope, depth - 1)

    def _is_bound(self, binding: Binding, depth: int) -> bool:
        own = binding.scope
        if binding.kind != "parameter":
            return self.may_vanish(binding.value, own, depth)
        if own in self.forward:
            return False
        sites = self.program.callers(own)
        parts = [argument(self.program.evaluator, binding, site).part for site in sites]
        if any(part is not None and self.may_vanish(part.node, part.scope, depth) for part in parts):
            return True
        first = [each for each in own.node.args.args if each.arg != "self"][:1]  # type: ignore[union-attr]
        return not sites and first == [binding.node] and (own in self.given or is_loss(self.program, own))

    def _is_network(self, value: Value) -> bool:
        cells = [each for each in value.alternatives if each.is_object and is_cell(self.program, each)]
        return bool(cells) and multiplies(self.program, [Value(tuple(cells))])
