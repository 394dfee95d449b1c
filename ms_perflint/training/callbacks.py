"""The callbacks of a training, and whether each acts after every step or after every epoch."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Part
from ms_perflint.index.syntax_forms import descendants, word_of
from ms_perflint.infer.bases import lineage
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.program.call_site import Call, call_of
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import is_member_of_cells
from ms_perflint.training.factors import has_factor, is_dataset_size
from ms_perflint.training.repetition import STEP_HOOKS
from ms_perflint.training.training import words_called

# Callbacks of MindSpore by when they act
EPOCH_APIS = frozenset(
    f"mindspore.train.{name}" for name in ("TimeMonitor", "EarlyStopping", "ReduceLROnPlateau", "History")
)
LOG_APIS = frozenset({"mindspore.train.LossMonitor"})
STEP_APIS = frozenset(
    f"mindspore.train.{name}"
    for name in ("SummaryCollector", "LearningRateScheduler", "LambdaCallback", "OnRequestExit")
)
CHECKPOINT = "mindspore.train.ModelCheckpoint"
ACTS = ("save", "eval", "profil", "stop", "analyse", "assign", "load_", "export", "set_", "update", "start")
# Calls that give all weights of a network
WEIGHTS = "parameters_and_names", "get_parameters", "parameters_dict", "trainable_params"

UPDATED = r"(?i)ema|weight|param|model|net|optim"
# Calls in a hook of a step that change the training
CHANGES = "assign|set_data|request_stop|(?:set|adjust|update|decay)_(?:lr|learning_rate)"
SCHEDULES = "mindspore.train.LearningRateScheduler"
NETWORK = "train_network"  # a parameter of callbacks; in sink mode a cell around the network
ELEMENT = "train_dataset_element"  # a parameter of callbacks, the batch of the step
_READERS = ("getattr", "hasattr")


class Cadence(enum.Enum):
    """When a callback acts."""

    EPOCH = "epoch"  # at the end of an epoch, or never
    LOG = "log"  # after every step, but it only prints or notes
    STEP = "step"  # after every step, and it does something
    UNKNOWN = "unknown"


def cadences(train: Call) -> list[Cadence]:
    """Return when each callback of a `Model.train` or `fit` acts; UNKNOWN also where there may be others."""
    known, more = collected(train)
    return [cadence(train.program, each) for each in known] + ([Cadence.UNKNOWN] if more else [])


def changes_by_step(train: Call) -> Optional[Alternative]:
    """Return a callback of a training that changes the learning rate or weights, or stops, after a step."""
    return next((each for each in collected(train)[0] if _changes(train.program, each)), None)


def _changes(program: Program, known: Alternative) -> bool:
    """Return whether a callback changes the training in a hook of a step."""
    if known.type_api == SCHEDULES:
        return True
    hooks, api = _acting(program, known.cls) if known.cls is not None else ([], None)
    words = {word.lower() for hook in hooks for word in words_called(program, hook)}
    return api == SCHEDULES or any(re.search(CHANGES, word) for word in words) or any(map(_updates, hooks))


def _acting(program: Program, cls: Scope) -> tuple[list[Scope], Optional[str]]:
    """Return the hooks of a step in the first base of a callback class that has any, or the first API among the bases.

    None of neither.
    """
    for known in lineage(program.evaluator, cls):
        hooks = [each for each in known.definition.defines if each.name in STEP_HOOKS] if known.definition else []
        if hooks or known.definition is None:
            return hooks, None if hooks else known.api
    return [], None


def inside_network(train: Call) -> Optional[Place]:
    """Return where a callback reads an attribute of the network: `cb_params.train_network.optimizer`.

    In sink mode that is another cell.
    """
    return _first_in_classes(train, partial(_inside_network, train.program))


def batch_read(train: Call) -> Optional[Place]:
    """Return where a callback reads the batch of a step, which Python does not see in sink mode.

    There `cb_params.train_dataset_element` is `()` (mindspore 2.10 train/model.py:1167).
    """
    return _first_in_classes(train, lambda cls: next(_loads_of(cls, ELEMENT), None))


def _first_in_classes(train: Call, find: Callable[[Scope], Optional[Place]]) -> Optional[Place]:
    """Return what is found in the first class of a callback; one that asks for `dataset_sink_mode` handles both."""
    for each in collected(train)[0]:
        for known in lineage(train.program.evaluator, each.cls) if each.cls is not None else ():
            cls = known.definition
            if cls is not None and not any("dataset_sink_mode" in method.attrs for method in cls.defines):
                found = find(cls)
                if found is not None:
                    return found
    return None


def _loads_of(cls: Scope, attribute: str) -> Iterator[Place]:
    """Yield where the methods of a class read an attribute of that name."""
    for method in cls.defines:
        for node in ast.walk(method.node) if attribute in method.attrs else ():
            if isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.ctx, ast.Load):
                yield cls.module.place(node)


def _inside_network(program: Program, cls: Scope) -> Optional[Place]:
    """Return where a class first reads an attribute of `train_network`."""
    for method in cls.defines:
        for node in ast.walk(method.node) if NETWORK in method.attrs else ():
            read = _read(node)
            if read is None or is_member_of_cells(program, read[1]):
                continue
            if _is_network(read[0], method):
                return cls.module.place(node)
    return None


def _read(node: ast.AST) -> Optional[tuple[ast.expr, str]]:
    """Return the object and the attribute that is read: `net.optimizer`, `getattr(net, "optimizer", None)`."""
    if isinstance(node, ast.Attribute):
        return node.value, node.attr
    if isinstance(node, ast.Call) and word_of(node.func) in _READERS and len(node.args) > 1:
        name = node.args[1]
        return node.args[0], str(name.value) if isinstance(name, ast.Constant) else ""
    return None


def _is_network(node: ast.expr, method: Scope) -> bool:
    """Return whether an expression is `cb_params.train_network`, or a name for it."""
    bindings = method.lookup(node) if isinstance(node, ast.Name) else ()
    behind = [node] if isinstance(node, ast.Attribute) else [each.value for each in bindings]
    return bool(behind) and all(isinstance(each, ast.Attribute) and each.attr == NETWORK for each in behind)


def collected(train: Call) -> tuple[list[Alternative], bool]:
    """Return the callbacks of a `Model.train` or `fit`, and whether there may be more.

    What is added to a list of callbacks later counts; `callbacks` may also be a callback.
    """
    value = train.argument("callbacks")
    lists = tuple(known for known in value.alternatives if known.is_display)
    single = (known for known in value.alternatives if known not in lists)
    held = train.program.evaluator.each(Value(lists))
    known_once = {each.identity: each for each in (*held.alternatives, *single) if each.constant is not None}
    return list(known_once.values()), held.open or value.open


def cadence(program: Program, known: Alternative) -> Cadence:
    """Return when one callback acts."""
    api = known.type_api
    if api in EPOCH_APIS:
        return Cadence.EPOCH
    if api in LOG_APIS:
        return Cadence.LOG
    if api in STEP_APIS:
        return Cadence.STEP
    if api == CHECKPOINT:
        call = call_of(program, known)
        return Cadence.EPOCH if call is not None and saves_by_epoch(call) else Cadence.STEP
    return _of_class(program, known.cls) if known.cls is not None else Cadence.UNKNOWN


def _of_class(program: Program, cls: Scope) -> Cadence:
    """Return when a callback class of the project acts, by the first of its bases with a hook of a step."""
    hooks, api = _acting(program, cls)
    if not hooks and api is None:
        return Cadence.UNKNOWN
    if not hooks:
        is_step = api in STEP_APIS or api == CHECKPOINT
        return Cadence.LOG if api in LOG_APIS else Cadence.STEP if is_step else Cadence.EPOCH
    words = {word.lower() for hook in hooks for word in words_called(program, hook) if word != "update"}
    acts = any(act in word for word in words for act in ACTS) or any(_updates(hook) for hook in hooks)
    return Cadence.STEP if acts else Cadence.LOG


def _updates(hook: Scope) -> bool:
    """Return whether a hook updates weights or their average; `loss_meter.update(loss)` updates a record."""
    updates = (site.base for site in hook.calls if site.word == "update" and site.base is not None)
    if any(re.search(UPDATED, word_of(base)) for base in updates):
        return True
    loops = (node for node in descendants(hook.node) if isinstance(node, ast.For) and _goes_through_weights(node))
    stored = (part for loop in loops for part in ast.walk(loop) if isinstance(part, (ast.Attribute, ast.Subscript)))
    return any(isinstance(part.ctx, ast.Store) for part in stored)


def _goes_through_weights(loop: ast.For) -> bool:
    return any(isinstance(part, ast.Call) and word_of(part.func) in WEIGHTS for part in ast.walk(loop.iter))


def saves_by_epoch(callback: Call) -> bool:
    """Return whether each config that a ModelCheckpoint can have saves after a whole number of epochs."""
    is_given = callback.given("config") is not None
    return is_given and callback.argument("config").are_only(partial(_is_of_epochs, callback.program))


def _is_of_epochs(program: Program, known: Alternative) -> bool:
    config = call_of(program, known)
    return config is not None and config.given("save_checkpoint_seconds") is None and is_by_epoch(config)


def is_by_epoch(config: Call) -> bool:
    """Return whether the steps between two checkpoints of a config are a whole number of epochs."""
    steps = config.given("save_checkpoint_steps")
    if steps is None:
        return False
    return has_factor(config.program, Part(steps, config.scope), partial(is_dataset_size, config.program), alone=True)


# --- the result of a step

_OUTPUTS = "net_outputs"
_OF_NUMBERS = frozenset({"float", "int", "round", "abs", "isnan", "isinf", "isfinite", "mean", "sum", "append"})
_ASKS = ("isinstance", "type", "hasattr", "len")  # a callback that looks first takes both


@fact
def read_as_loss(program: Program) -> Optional[Place]:
    """Return where running code uses `net_outputs`, the result of a step, as the loss; None without such code.

    With an adaptive loss scale, which "O2" sets, it is a tuple: loss, overflow, scale (mindspore 2.10 train/amp.py:766,
    nn/wrap/loss_scale.py). With a fixed one that drops no update it is the loss (run on 2.10, CPU).
    """
    for module in program.modules:
        for scope in module.scopes:
            if scope.is_function and _OUTPUTS in scope.attrs and scope in program.reached:
                node = _first_read(scope)
                if node is not None:
                    return module.place(node)
    return None


def _first_read(scope: Scope) -> Optional[ast.expr]:
    if not scope.names.isdisjoint(_ASKS):
        return None
    nodes = list(descendants(scope.node))
    if any(isinstance(node, ast.Subscript) and _is_outputs(node.value, scope) for node in nodes):
        return None  # it takes the tuple apart
    used = (part for node in nodes for part in _numbers(node) if _is_outputs(part, scope))
    return next(used, None)


def _is_outputs(node: ast.expr, scope: Scope) -> bool:
    if isinstance(node, ast.Name):
        given = scope.bindings.get(node.id, ())
        return any(isinstance(each.value, ast.Attribute) and _is_outputs(each.value, scope) for each in given)
    return isinstance(node, ast.Attribute) and node.attr == _OUTPUTS


def _numbers(node: ast.AST) -> list[ast.expr]:
    """Return the operands of a node that have to be a number or a Tensor."""
    if isinstance(node, ast.Attribute):
        return [node.value]
    if isinstance(node, ast.Call):
        return node.args if word_of(node.func) in _OF_NUMBERS else []
    if isinstance(node, ast.Compare):
        is_order = any(isinstance(each, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for each in node.ops)
        return [node.left, *node.comparators] if is_order else []
    if isinstance(node, ast.BinOp):
        return [node.left, node.right] if not isinstance(node.op, ast.Mod) else []
    if isinstance(node, ast.AugAssign):
        return [node.value]
    if isinstance(node, ast.FormattedValue):
        return [node.value] if node.format_spec is not None else []
    return []
