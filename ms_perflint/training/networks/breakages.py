"""What half precision breaks in a training, although its networks compute in it: such a fix is only shown."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import position
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.training.mode import PYNATIVE, usual_mode
from ms_perflint.training.networks import networks

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

# Losses of probabilities: of a sigmoid in FP16 that saturates, the gradient is inf * 0 = nan (run on 2.10, CPU)
_OF_PROBABILITIES = (
    "mindspore.nn.BCELoss",
    "mindspore.mint.nn.BCELoss",
    "mindspore.ops.BinaryCrossEntropy",
    "mindspore.ops.binary_cross_entropy",
    "mindspore.mint.nn.functional.binary_cross_entropy",
)
_PROBABILITIES = frozenset({"Sigmoid", "sigmoid", "HSigmoid", "hsigmoid", "Softmax", "softmax", "Softmax2d"})
_EXPS = frozenset({"mindspore.ops.exp", "mindspore.ops.Exp()", "mindspore.mint.exp", "mindspore.numpy.exp"})
_CUSTOM = "mindspore.ops.Custom"


class Breakage(NamedTuple):
    """What breaks, and where that stands."""

    module: SemanticIndex
    node: ast.AST
    text: Message


def breakages(program: Program, values: Iterable[Value], dtype: str) -> Iterator[Breakage]:
    """Yield what breaks when networks compute in a dtype: the operators and outputs that it does not suit."""
    values = tuple(values)
    reached = networks.reach(program, values).scopes
    for call in program.calls(_CUSTOM):
        if call.scope.owner in reached:
            text = Message("a custom operator in the network would be given {dtype}", dtype=dtype)
            yield Breakage(call.module, call.node, text)
    losses = program.calls(*_OF_PROBABILITIES) if dtype == "float16" else ()
    if losses and any(_gives_probabilities(scope) for scope in reached):
        text = Message("`nan` where a sigmoid in float16 saturates before this loss; `BCEWithLogitsLoss` has none")
        yield Breakage(losses[0].module, losses[0].node, text)
    if usual_mode(program) == PYNATIVE:
        for value in values:
            for known in value.alternatives:
                construct = known.cls.method("construct") if known.cls is not None and known.is_object else None
                found = next(_dictionaries(construct), None) if construct is not None else None
                if construct is not None and found is not None:
                    text = Message("in PyNative, the outputs in this dictionary stay in {dtype}", dtype=dtype)
                    yield Breakage(construct.module, found, text)


def overflows(program: Program, values: Iterable[Value]) -> Iterator[Breakage]:
    """Yield where a network computes `exp`, which may overflow in float16."""
    methods = [scope for scope in networks.reach(program, tuple(values)).scopes if scope.is_method]
    for scope in sorted(methods, key=lambda each: (each.module.path, position(each.node))):
        for site in scope.calls:
            if _is_exp(program, site):
                text = Message("`exp` in float16 is infinite above 11; keep it in float32 where that is reached")
                yield Breakage(site.module, site.node, text)


def _is_exp(program: Program, site: Site) -> bool:
    apis = program.apis(site) if site.word.lower() in ("exp", "") else ()
    return any(api in _EXPS for api in apis)


def _gives_probabilities(scope: Scope) -> bool:
    """Return whether code of a network computes probabilities."""
    return any(site.word in _PROBABILITIES for site in scope.calls)


def _dictionaries(construct: Scope) -> Iterator[ast.expr]:
    """Yield the dictionaries that a network returns."""
    for given, _ in construct.returns:
        bindings = construct.bindings.get(given.id, ()) if isinstance(given, ast.Name) else ()
        for value in (given, *(binding.value for binding in bindings)):
            is_made = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict"
            if value is not None and (isinstance(value, ast.Dict) or is_made):
                yield value
