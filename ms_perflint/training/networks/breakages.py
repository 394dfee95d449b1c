"""What may keep a training from half precision: then no fix is offered."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.core.findings import Related
from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.syntax_forms import descendants, given, word_of
from ms_perflint.infer import bases
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call, call_of
from ms_perflint.program.program import Program
from ms_perflint.training.bases import is_cell_class
from ms_perflint.training.networks import known_kinds, read_whole
from ms_perflint.training.networks.probabilities import saturating
from ms_perflint.training.networks.train_cells import MODEL, PIPELINES, Training, is_scaling_cell
from ms_perflint.training.optimizers import is_optimizer

# Their sum over a batch, scaled by 1024, gives gradients that FP16 does not hold (run on 2.10, CPU: weights are nan)
_LOSSES = ("mindspore.nn", "mindspore.mint.nn", "mindspore.mint.nn.functional", "mindspore.ops")
_LOSS = r"(?i)loss$|_loss|cross_?entropy|kl_div"
JOINED = Message("this output of the network would be in FP16, and an operator here takes tensors of one dtype")
_SCALES = r"(?i)accum|loss_?scal|scal\w*_sens|grad_scal|overflow"  # names in a train cell that scales or sums by hand


class Half(NamedTuple):
    """The networks that a fix converts to half precision."""

    networks: tuple[Value, ...]
    dtype: str = "float16"
    inner: tuple[Scope, ...] = ()  # classes of which layers are converted, without the loss beside them


def first(program: Program, training: Training, half: Half) -> Optional[Related]:
    """Return the first place of a training that is not known to work in half precision."""
    read = read_whole.read(program, training.call, half.networks, half.inner, half.dtype)
    if read.not_known is not None:
        return read.not_known
    kinds = (
        _by_step(program, training),
        _by_loss(program, training),
        saturating(program, training, read, half.dtype),
        _by_sum(program) if half.dtype == "float16" else (),
    )
    return next((each for kind in kinds for each in kind), None)


def _by_loss(program: Program, training: Training) -> Iterator[Related]:
    """Yield an unknown loss of a Model, and other uses of the network, which would compute in half precision."""
    call = training.call
    if training.kind != "model" or call.is_spread:
        return
    node, loss = call.given("loss_fn"), call.argument("loss_fn")
    is_loss = all(each.is_object or each.definition is not None for each in loss.alternatives)
    if node is not None and (loss.open or not loss.alternatives or not is_loss):
        yield Related(call.module.place(node), Message("the loss is not known"))
    for cell in program.calls(*PIPELINES):
        yield Related(cell.place, Message("`{name}` is not known to work in FP16 or BF16", name=cell.word))
    losses = [call_of(program, known) for known in loss.alternatives]
    if not losses or not all(each is not None and each.argument("reduction").must_be("mean") for each in losses):
        text = Message("a loss scale needs the shape of the loss, which is dynamic by these inputs")
        yield from (Related(site.place, text) for site in program.sites("set_inputs") if program.runs(site))
    trained = call.argument("network").identities
    for export in program.calls("mindspore.export"):
        if any(known.identity in trained for known in export.argument("net").alternatives):
            yield Related(export.place, Message("the network that is exported here would compute in FP16"))
    yield from _by_calls(program, training)
    other = call.given("eval_network") if call.api == MODEL else None
    if other is not None and not call.argument("eval_network").must_be(None):
        yield Related(call.module.place(other), Message("the network for evaluation would compute its loss in FP16"))


def _by_calls(program: Program, training: Training) -> Iterator[Related]:
    """Yield calls of the network outside of it, whose output meets another tensor in an operator of one dtype."""
    for known in training.values[0].alternatives:
        construct = bases.method(program.evaluator, known.cls, "construct") if known.cls is not None else None
        calls = program.callers(construct) if construct is not None else ()
        results = frozenset(id(site.node) for site in calls)
        for site in calls:
            function = site.scope.owner
            if not is_cell_class(program, function.cls) and program.runs(site) and _joins(function, results):
                yield Related(site.place, JOINED)


def _joins(function: Scope, calls: frozenset[int]) -> bool:
    """Return whether a function gives the result of one of some calls to an operator, together with another tensor."""

    def is_result(node: ast.AST) -> bool:
        bound = function.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
        return id(node) in calls or any(id(each.value) in calls for each in bound)

    def holds_result(node: ast.expr) -> bool:
        parts = list(ast.walk(node))
        return any(map(is_result, parts)) and not any(getattr(each, "attr", "") == "asnumpy" for each in parts)

    for node in descendants(function.node):
        joined: list[ast.expr] = []
        if isinstance(node, ast.Call) and known_kinds.joins(word_of(node.func)):
            rows = [each.elts for each in node.args[:1] if isinstance(each, (ast.Tuple, ast.List))]
            base = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            joined = rows[0] if rows else [*filter(holds_result, base), *node.args[:2]]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            joined = [node.left, node.right]
        results = [each for each in joined if holds_result(each)]
        if results and any(
            isinstance(each, (ast.Name, ast.Attribute, ast.Call)) for each in joined if each not in results
        ):
            return True
    return False


def _by_step(program: Program, training: Training) -> Iterator[Related]:
    """Yield what a training step of the project does with its loss and gradients beside a standard step."""
    call = training.call
    for value in training.values:
        for known in value.alternatives:
            if training.kind == "gradient" and known.definition is not None and known.definition.is_function:
                for site in program.callers(known.definition):
                    if isinstance(site.node, ast.Call) and program.runs(site) and site not in training.sites:
                        text = Message("the function that is differentiated is called here too, where its loss is used")
                        yield Related(site.place, text)
            if training.kind == "cell" and known.cls is not None and not is_scaling_cell(program, training):
                yield from _by_train_cell(program, known.cls, call)


def _by_train_cell(program: Program, cls: Scope, call: Call) -> Iterator[Related]:
    """Yield what a train cell of the project has beside one network, one optimizer and its gradients."""
    words = {word for method in cls.defines for word in (*method.names, *method.attrs)}
    if any(re.search(_SCALES, word) for word in words):
        yield Related(cls.module.place(cls.node), Message("this step scales or accumulates gradients in its own way"))
    values = [program.value(each, call.scope) for each in given(call.node) if not isinstance(each, ast.Starred)]
    known = (value.alternatives for value in values)
    if sum(any(is_optimizer(program, each.type_api, each.cls) for each in some) for some in known) > 1:
        yield Related(call.place, Message("this step has several optimizers"))


def _by_sum(program: Program) -> Iterator[Related]:
    """Yield a loss that is the sum over a batch."""
    words = ((module, word) for module in _LOSSES for word in mindspore_api.exports(module) if re.search(_LOSS, word))
    for call in program.calls(*sorted({mindspore_api.canonical(".".join(name)) for name in words})):
        if call.given("reduction") is not None and call.argument("reduction").must_be("sum"):
            yield Related(call.place, Message("gradients of a loss that is a sum may exceed FP16"))
