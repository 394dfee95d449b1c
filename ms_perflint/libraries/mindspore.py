"""Library model of MindSpore: the results of functions and methods, and the networks of a training."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.signature import Layer, Signature, positional
from ms_perflint.index.syntax_forms import inner_of
from ms_perflint.infer.alternatives import Api, Instance
from ms_perflint.infer.bases import lineage
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Value, join
from ms_perflint.libraries.python import passed_on, unknown

ROWS = frozenset({"mindspore.nn.CellList", "mindspore.nn.SequentialCell"})
# packages of arrays, images and tables, which hold no settings, whatever file they are made of
DATA = ("numpy.", "cv2.", "PIL.", "imageio.", "skimage.", "scipy.", "pandas.", "nibabel.", "librosa.", "soundfile.")
_MODEL = Signature.named("network", "loss_fn", "optimizer")
HOOKS = frozenset(  # of callbacks
    f"{when}{of}{which}"
    for when in ("", "on_train_", "on_eval_")
    for of in ("", "epoch_", "step_")
    for which in ("begin", "end")
)
_RUN = "mindspore.train.RunContext"  # what a hook of a callback gets
_SCALED = "mindspore.nn.TrainOneStepWithLossScaleCell"
_STEP, _WITH_LOSS = "mindspore.nn.TrainOneStepCell", "mindspore.nn.WithLossCell"


def _returned(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of a method; that of a function is an instance named after the function, which tells more."""
    owner = api.name.rpartition(".")[0].rpartition(".")[2]
    kind = mindspore_api.returned(api.name) if api.receiver is not None or owner[:1].isupper() else ""
    if kind == "self":
        return Value((api.receiver,)) if api.receiver is not None else None
    return evaluator.known(Instance(Api(kind, api.receiver), node, scope), node, scope) if kind else None


def _in_row(evaluator: Evaluator, row: Alternative, key: object) -> Value:
    """Return an element of a SequentialCell or CellList: any of its cells."""
    return evaluator.each(Value((row,)))


def _in_dict(evaluator: Evaluator, cells: Alternative, key: object) -> Value:
    """Return the cell under a key of a CellDict, by the dict that it is made of."""
    made = cells.creation
    given = evaluator.value(made.call.args[0], made.scope) if made is not None and made.call.args else TOP
    return join([*(evaluator.item(known, key) for known in given.alternatives), *evaluator.rest(given)])


def _part(evaluator: Evaluator, parts: Alternative, key: object) -> Value:
    """Return a dataset that `split` makes of another one: like what `skip` gives, it has fewer rows."""
    made, kind = parts.creation, mindspore_api.returned(f"{parts.type_api.rpartition('.')[0]}.skip")
    if made is None or not kind or not isinstance(key, int):
        return TOP
    return evaluator.known(Instance(Api(kind, parts.origin), made.call, made.scope), made.call, made.scope)


# --- the networks of a training: what its callbacks get, and what is in the cells around them


def _of_hook(evaluator: Evaluator, binding: Binding, function: Scope) -> Optional[Value]:
    """Return the RunContext that `Model.train` passes to a hook of a callback; None for other parameters."""
    cls = function.parent
    is_hook = function.name in HOOKS and function.is_method and positional(function)[1:2] == [binding.node]
    if not is_hook or cls is None or evaluator.program.callers(function):
        return None
    is_callback = any(known.api.startswith("mindspore.train.") for known in lineage(evaluator, cls))
    return evaluator.known(Instance(Api(_RUN), None, function), binding.node, function) if is_callback else None


def _of_run(evaluator: Evaluator, run: Alternative, name: object) -> Value:
    """Return an argument of the Models of a program, as callbacks read it: mindspore 2.10 train/model.py:1059.

    `network` and `loss_fn` are the arguments, `train_network` is the network with the loss and optimizer around it.
    """
    found: list[Value] = []
    for site in evaluator.program.sites("Model") if name in (*_MODEL.slots, "train_network") else ():
        if any(known.api == "mindspore.train.Model" for known in evaluator.callees(site).alternatives):
            given = _MODEL.bind(Layer(site.call, site.scope))
            parts = {each: given.of(each).part for each in _MODEL.slots}
            values: dict[object, Value] = {
                each: evaluator.value(*part) for each, part in parts.items() if part is not None
            }
            found.append(_around(site, values) if name == "train_network" else values.get(name, BOTTOM))
    return join(found or [TOP])


def _around(model: Site, given: Mapping[object, Value]) -> Value:
    """Return a network in the cells that a Model wraps around it, for a loss and an optimizer."""
    network = given.get("network", TOP)
    for api, name in ((_WITH_LOSS, "loss_fn"), (_STEP, "optimizer")):
        if name in given and not given[name].must_be(None):
            made = (Instance(Api(api, each), model.call, model.scope) for each in network.alternatives)
            network = Value(tuple(Alternative(each, (model.module, model.node)) for each in made), network.open)
    return network


def _inside(evaluator: Evaluator, cell: Alternative, name: str) -> Value:
    """Return the network in a cell that wraps one: mindspore 2.10 nn/wrap/cell_wrapper.py:117, 381."""
    if name not in (("_backbone", "backbone_network") if cell.type_api == _WITH_LOSS else ("network",)):
        return TOP
    made = cell.creation
    if cell.origin is not None:  # of a Model
        return Value((cell.origin,))
    inner = inner_of(made.call) if made is not None else None
    return evaluator.value(inner, made.scope) if made is not None and inner is not None else TOP


MODEL = Library(
    calls={
        "mindspore.": (_returned,),
        **dict.fromkeys(("mindspore.jit", "mindspore.ms_function", "mindspore.data_sink"), (passed_on,)),
        "mindspore.get_context": (unknown,),
    },
    parameters=(_of_hook,),
    settings={f"{_RUN}.original_args": _of_run, **dict.fromkeys((_STEP, _SCALED, _WITH_LOSS), _inside)},
    items={
        f"{_RUN}.original_args": _of_run,
        **dict.fromkeys(ROWS, _in_row),
        "mindspore.nn.CellDict": _in_dict,
        ".split": _part,
    },
    rows=ROWS,
    closed=("mindspore.", *DATA),
)
