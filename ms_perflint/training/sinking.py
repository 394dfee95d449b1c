"""Whether `Model.train` sinks its dataset, whether it can, and whether the code shows a reason not to."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.predicates import choice
from ms_perflint.index.reachability import excludes, path_condition
from ms_perflint.index.signature import Part
from ms_perflint.index.syntax_forms import inner_of
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import conditions, followed, mode
from ms_perflint.training.callbacks import Cadence, cadences
from ms_perflint.training.factors import is_dataset_size
from ms_perflint.training.training import MODEL_TRAINS

SINK, SIZE = "dataset_sink_mode", "sink_size"
_GRAPH_CELLS = frozenset({"mindspore.nn.GraphCell"})  # mindspore 2.10 train/model.py:1364 raises for it
ON = frozenset({"true", "yes", "on"})  # what a switch is compared with
_DEBUG = "mindspore.dataset.config.set_debug_mode"  # mindspore 2.10 train/model.py:1407 raises for it


def is_off_by_default(call: Call) -> bool:
    """Return whether the call trains without dataset sinking with the default options."""
    if is_on_for_cpu(call):
        return True
    given, value = call.given(SINK), call.argument(SINK)
    if given is not None and not value.must_be(False) and _is_decided(call, given):
        return False
    return value.is_by_default(False)


def can_sink(call: Call) -> bool:
    """Return whether MindSpore can sink the dataset here."""
    receiver = call.receiver
    made = receiver.creation if receiver is not None else None
    inner = inner_of(made.call) if made is not None else None
    if made is not None and inner is not None:
        network = call.program.value(inner, made.scope)
        if any(known.type_api in _GRAPH_CELLS for known in network.alternatives):
            return False
    return not any(debug.argument("debug_mode_flag").may_be(True) for debug in call.program.calls(_DEBUG))


def is_before_the_mode(call: Call) -> bool:
    """Return whether the training runs before any call sets the mode, in a version whose default is PyNative."""
    program = call.program
    setting = mode.settings(program)
    if not setting or mindspore_api.default_mode(program.version) != mode.PYNATIVE:
        return False
    return all(program.precedes(call, each) for each in setting)


def is_pynative_by_default(program: Program) -> bool:
    """Return whether all calls that set the mode with the default options set PyNative mode."""
    modes = set()
    for call in mode.settings(program):
        if not conditions.fails(program, call, lambda each: conditions.by_default(program, each) is not True):
            modes.add(mode.default_mode_set(call))
    return modes == {mode.PYNATIVE}


def is_deliberate(call: Call) -> bool:
    """Return whether the code shows why `dataset_sink_mode=False`: step callbacks, single epochs, another branch."""
    if asks_for_a_size(call) or not _is_false(call):
        return False
    if _acts_by_step(call):
        return True
    if call.argument("epoch").must_be(1) and (call.block.loops or not set(cadences(call)) <= {Cadence.EPOCH}):
        return True
    others = [other for other in call.program.calls(*MODEL_TRAINS) if excludes(other.block, call.block)]
    if any(other.argument(SINK).may_be(True) for other in others):
        return True
    by_rank = [other for other in others if _differ_by_rank(call, other)]
    return any(_is_false(other) and _acts_by_step(other) for other in by_rank)


def is_built(call: Call) -> bool:
    """Return whether the Model was compiled for sinking by `Model.build`."""
    receiver = call.receiver
    builds = call.program.calls("mindspore.train.Model.build") if receiver is not None else ()
    return any(build.receiver == receiver for build in builds)


def is_on_for_cpu(call: Call) -> bool:
    """Return whether sinking is switched on only for the CPU, which has none: `dataset_sink_mode=device == "CPU"`."""
    given = call.given(SINK)
    if isinstance(given, ast.Name):
        only = call.scope.only(given)
        given = only.value if only is not None and only.kind == "assign" else None
    asked = choice(given) if isinstance(given, (ast.Compare, ast.Call)) else None
    return asked is not None and asked.devices(True) == {"CPU"}


def asks_for_a_size(call: Call) -> bool:
    """Return whether the call passes a `sink_size` other than -1, the whole dataset: it is meant to sink."""
    sizes = {known.constant for known in call.argument(SIZE).by_default}
    return call.passes(SIZE) and sizes != {-1}


def counts_other_steps(call: Call) -> bool:
    """Return whether an epoch has other steps in sink mode: `sink_size` of them, which acts in no other mode."""
    size = call.given(SIZE)
    return asks_for_a_size(call) and not (size is not None and is_dataset_size(call.program, Part(size, call.scope)))


def _differ_by_rank(call: Call, other: Call) -> bool:
    """Return whether the rank alone decides which of two calls runs."""
    own, theirs = (set(conditions.conditions(call.program, path_condition(each.block))) for each in (call, other))
    return own != theirs and all("rank" in each.text.lower() for each in own ^ theirs)


def _is_decided(call: Call, given: ast.expr) -> bool:
    """Return whether the device or another setting decides the sink mode: `device != "CPU"`, `not sparse`.

    Of several values behind a name, each counts in a run, whose arguments are known.
    """
    bindings = call.scope.lookup(given) if isinstance(given, ast.Name) else ()
    own, shared = call.scope.owner, path_condition(call.block)
    around = (one for each in bindings if each.scope.owner is own for one in path_condition(each.block))
    asked = (one for one in around if one not in shared and not one.is_required)
    if not all(_is_switch(part.test) for one in asked for part in one.parts):
        return True
    behind = [binding.value for binding in bindings if binding.kind == "assign" and binding.value is not None]
    if len(bindings) > 1 and call.program.run is None:
        behind = []
    sources = behind or [given]
    if all(_is_switched_off(call, each) for each in sources):
        return False
    deciding = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.IfExp)
    is_computed = any(isinstance(each, deciding) and not _is_switched_off(call, each) for each in sources)
    return is_computed or followed.asks_for_device(call.program, given, call.scope)


def _is_switched_off(call: Call, node: ast.expr) -> bool:
    """Return whether a switch of sinking alone makes an expression false by default: `args.sink and on_ascend`."""
    program = call.program
    if isinstance(node, ast.BoolOp):
        found = (_is_switched_off(call, each) for each in node.values)
        return any(found) if isinstance(node.op, ast.And) else all(found)
    if isinstance(node, ast.IfExp):
        test = program.value(node.test, call.scope).default_truth if _is_switch(node.test) else None
        arms = (node.body, node.orelse) if test is None else (node.body,) if test else (node.orelse,)
        return all(_is_switched_off(call, arm) for arm in arms)
    if isinstance(node, ast.Constant):
        return node.value is False
    is_off = _is_switch(node) and program.value(node, call.scope).default_truth is False
    return is_off and not followed.asks_for_device(program, node, call.scope)


def _is_switch(node: ast.expr) -> bool:
    """Return whether an expression reads a switch: `not args.no_sink`, `args.feed == "true"`, not `device_num == 1`."""
    if isinstance(node, ast.UnaryOp):
        return _is_switch(node.operand)
    if isinstance(node, ast.Compare):
        constants = [each.value for each in node.comparators if isinstance(each, ast.Constant)]
        is_flag = isinstance(node.ops[0], (ast.Eq, ast.Is)) and all(str(each).lower() in ON for each in constants)
        if len(node.ops) == 1 and is_flag and constants:
            return True
    return not isinstance(node, (ast.BoolOp, ast.IfExp, ast.BinOp)) and "sink" in ast.unparse(node).lower()


def _is_false(call: Call) -> bool:
    """Return whether the call passes a False that is written in its file."""
    spread = call.spread_argument(SINK)
    is_shown = _is_literal(call, call.given(SINK)) if spread is None else isinstance(spread.where[1], ast.Constant)
    return is_shown and call.argument(SINK).must_be(False)


def _acts_by_step(call: Call) -> bool:
    """Return whether a callback of a training may act after every step."""
    return bool({Cadence.STEP, Cadence.UNKNOWN} & set(cadences(call)))


def _is_literal(call: Call, given: Optional[ast.expr]) -> bool:
    """Return whether a value is a literal of the call or of a variable in its file, not of a config file."""
    if not isinstance(given, ast.Name):
        return isinstance(given, ast.Constant)
    scope = call.scope.home(given.id)
    return scope is not None and all(binding.kind != "from" for binding in scope.bindings[given.id])
