"""How the devices of a data-parallel program add up their gradients, and what groups these sums into AllReduces."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Optional

from ms_perflint.index.predicates import DEVICES
from ms_perflint.index.reachability import Condition
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.signature import Held
from ms_perflint.infer.spreads import keys
from ms_perflint.infer.values import TOP, Alternative, Value
from ms_perflint.program.call_site import Call
from ms_perflint.training.bases import base_apis
from ms_perflint.training.conditions import (
    PathCondition,
    always,
    asks_environment,
    by_default,
    contradict,
    devices,
    path_conditions,
)
from ms_perflint.training.training import MODEL_TRAINS, train_sites
from ms_perflint.training.training_steps import STEP_CELLS, is_step_class

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

SET, RESET, GET, SERVER = (
    "mindspore.set_auto_parallel_context",
    "mindspore.reset_auto_parallel_context",
    "mindspore.get_auto_parallel_context",
    "mindspore.set_ps_context",
)
FUSION, INDICES = "comm_fusion", "all_reduce_fusion_config"
# Calls that set the fusion, by their last word: of the inner context (mindspore 2.10
# parallel/_auto_parallel_context.py), and of cells (nn/cell.py)
INNER = ("set_all_reduce_fusion_split_indices", "set_all_reduce_fusion_split_sizes")
OF_CELLS = ("set_comm_fusion",)
# What adds up gradients where the program takes its steps itself
REDUCERS = (
    "mindspore.nn.DistributedGradReducer",
    "mindspore.ops.AllReduce",
    "mindspore.ops.all_reduce",
    "mindspore.communication.comm_func.all_reduce",
    "mindspore.mint.distributed.all_reduce",
)
# Words of tests that ask whether there are several devices: they hold where gradients are added up
SPREAD = ("distribut", "parallel", "device_num", "group_size", "rank_size", "world_size", "num_devices", "multi")


# --- one call


def settings(call: Call) -> Optional[Mapping[str, Value]]:
    """Return what a call of `set_auto_parallel_context` sets; None where `**` hides a part of it."""
    names: dict[str, None] = {}
    for keyword in call.node.keywords:
        own = keys(call.program.evaluator, Held(keyword.value, call.scope)) if keyword.arg is None else (keyword.arg,)
        if own is None:
            return None
        names.update(dict.fromkeys(own))
    return {name: call.argument(name) for name in names}


def data_parallel(sets: Mapping[str, Value]) -> Optional[Alternative]:
    """Return where a call's `parallel_mode` becomes DATA_PARALLEL; None if that is not among what is known of it."""
    for known in sets.get("parallel_mode", TOP).alternatives:
        if known.constant == "data_parallel":
            return known
    return None


def sets_fusion(sets: Mapping[str, Value], names: Iterable[str]) -> bool:
    """Return whether one of the settings is given, be it to switch fusion off on purpose; a certain None is none."""
    return any(name in sets and sets[name].truth is not False for name in names)


def is_alone(sets: Mapping[str, Value]) -> bool:
    """Return whether a call says that there is one device, which has nothing to add up."""
    return sets.get("device_num", TOP).must_be(1)


def default_modes(sets: Mapping[str, Value]) -> frozenset[object]:
    """Return the parallel modes that a call can set with the options that the program is given."""
    return frozenset(known.constant for known in sets.get("parallel_mode", TOP).by_default)


# --- the program


def reduces(program: Program) -> bool:
    """Return whether gradients are, or may be, added up: by a Model, by a train cell of MindSpore, or by hand.

    A step of the program's own that only takes gradients and hands them to the optimizer adds up nothing.
    """
    if program.calls(*REDUCERS) or program.calls(*sorted(STEP_CELLS)):
        return True
    for model in program.calls("mindspore.train.Model"):
        network = model.argument("network")
        if model.given("optimizer") is not None or model.is_spread or network.open or not _is_seen(network):
            return True
    trains = (program.evaluator.callees(site) for site in program.calls(*MODEL_TRAINS))
    if any(known.receiver is not None and known.receiver.cls for value in trains for known in value.alternatives):
        return True  # a Model of a class of the program
    if not all(_is_seen(program.evaluator.callees(site)) for site in train_sites(program)):
        return True
    return any(_may_reduce(program, scope) for module in program.modules for scope in module.scopes if scope.is_class)


def _is_seen(value: Value) -> bool:
    """Return whether all that is known of what trains is made by the program or by MindSpore."""
    return bool(value.alternatives) and all(
        (known.type_api or "mindspore.").startswith("mindspore.") for known in value.alternatives
    )


def _may_reduce(program: Program, cls: Scope) -> bool:
    """Return whether a class that runs derives from a train cell, or from something that is not there to be read."""
    if cls not in program.reached:
        return False
    bases = base_apis(program, cls)
    return bool(bases & STEP_CELLS) or (
        is_step_class(program, cls) and any(not base.startswith("mindspore.") for base in bases)
    )


def serves_parameters(program: Program) -> bool:
    """Return whether gradients go to a parameter server with the default options.

    A flag of which nothing is known asks for it: `if config.parameter_server`.
    """
    return any(
        call.given("enable_ps") is not None
        and call.argument("enable_ps").default_truth is not False
        and any(not any(_is_asked(program, condition) for condition in own) for own in path_conditions(program, call))
        for call in program.calls(SERVER)
    )


def _is_asked(program: Program, condition: Condition) -> bool:
    """Return whether a condition holds only for a user who passes an option, as far as the program shows."""
    holds = by_default(program, condition)
    return holds is False or (holds is None and isinstance(condition.test, (ast.Name, ast.Attribute)))


def restores(call: Call) -> bool:
    """Return whether code beside a call puts back a parallel mode that it had asked for before."""
    others = [
        other for other in call.program.calls(SET) if other.module is call.module and other.given("parallel_mode")
    ]
    return any(known.type_api == GET for other in others for known in other.argument("parallel_mode").alternatives)


def shards_optimizer(program: Program) -> bool:
    """Return whether a parallel optimizer, which replaces the AllReduce, is or may be on without any option."""
    for call in program.calls(SET):
        sets = settings(call) or {}
        if "enable_parallel_optimizer" in sets and sets["enable_parallel_optimizer"].default_truth is not False:
            return True
    return False


def portioned_elsewhere(program: Program) -> bool:
    """Return whether cells, parameters, operators or boost set the fusion: that reaches the network on every path."""
    if any(_level(call) for call in program.calls("mindspore.train.Model")):
        return True
    if any(program.runs(site) for word in OF_CELLS for site in program.sites(word)):
        return True
    for site in program.sites("add_prim_attr"):
        assert isinstance(site.node, ast.Call)
        if (
            site.node.args
            and isinstance(site.node.args[0], ast.Constant)
            and site.node.args[0].value == "fusion"
            and program.runs(site)
        ):
            return True
    return any(
        _assigns_portions(scope)
        for module in program.modules
        if FUSION.encode() in module.source.text
        for scope in module.scopes
        if scope in program.reached
    )


def _assigns_portions(scope: Scope) -> bool:
    """Return whether a scope itself sets `parameter.comm_fusion`."""
    todo: list[ast.AST] = list(getattr(scope.node, "body", ()))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Attribute) and node.attr == FUSION and isinstance(node.ctx, ast.Store):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(node))
    return False


def _level(model: Call) -> bool:
    """Return whether a Model is made with a boost level other than O0 (acc_level in 1.3)."""
    given = [name for name in ("boost_level", "acc_level") if model.given(name) is not None]
    return any(not model.argument(name).is_by_default("O0") for name in given)


# --- from one call to others that run on the same path


class Reach:
    """Asks which other calls take effect on the passes of one call."""

    def __init__(self, program: Program, call: Site) -> None:
        self.program = program
        self.call = call
        self.path_conditions = path_conditions(program, call)

    def portioned(self, names: tuple[str, ...], inner: bool) -> bool:
        """Return whether calls with one of these settings reach the call: on every path, or on that of the defaults."""
        sites: list[Site] = []
        for other in self.program.calls(SET):
            sets = settings(other)
            if other != self.call and (sets is None or sets_fusion(sets, names)):
                sites.append(other)
        if inner:
            sites.extend(site for word in INNER for site in self.program.sites(word) if self.program.runs(site))
        return self.effective([site for site in sites if not self._is_undone(site)])

    def replaced(self) -> bool:
        """Return whether a later call surely sets another parallel mode, or resets the context."""
        sites: list[Site] = [*self.program.calls(RESET)]
        for other in self.program.calls(SET):
            sets = settings(other) or {}
            if (
                "parallel_mode" in sets
                and other != self.call
                and data_parallel(sets) is None
                and not sets["parallel_mode"].open
            ):
                sites.append(other)
        first = min((at for at in map(self._at, train_sites(self.program)) if at is not None), default=None)
        return self._surely([site for site in sites if self._between(self.call, site, first)])

    def _is_undone(self, site: Site) -> bool:
        """Return whether what a site sets is surely reset before the call, on the pass of either."""
        at = self._at(self.call)
        resets = [reset for reset in self.program.calls(RESET) if self._between(site, reset, at)]
        return bool(resets) and self._surely(resets) and Reach(self.program, site)._surely(resets)

    def _between(self, site: Site, middle: Site, end: Optional[int]) -> bool:
        start, at = self._at(site), self._at(middle)
        return start is not None and at is not None and end is not None and start < at < end

    def _at(self, site: Site) -> Optional[int]:
        return self.program.position(site)

    def effective(self, sites: Iterable[Site]) -> bool:
        """Return whether on some pass of the call one of the sites runs: whatever the tests give, or by default."""
        return self._covers(sites, self._apart, self._is_granted)

    def _surely(self, sites: Iterable[Site]) -> bool:
        """Return whether on some pass of the call one of the sites runs, with nothing granted but several devices."""
        return self._covers(
            sites, partial(contradict, self.program), lambda each, mine: _is_about_spread(each) or mine <= each.devices
        )

    def _covers(
        self,
        sites: Iterable[Site],
        apart: Callable[[PathCondition, PathCondition], bool],
        is_granted: Callable[[Condition, frozenset[str]], bool],
    ) -> bool:
        """Return whether one of the sites runs on some pass of the call, where what holds there and more is granted."""
        others = [each for site in sites for each in path_conditions(self.program, site)]
        for own in self.path_conditions:
            mine = devices(own)
            left = [
                frozenset(each for each in other if each not in own and not is_granted(each, mine))
                for other in others
                if not apart(own, other)
            ]
            if any(all(by_default(self.program, each) for each in rest) for rest in left) or always(left):
                return True
        return False

    def _apart(self, own: PathCondition, other: PathCondition) -> bool:
        """Return whether two passes exclude each other; one for an Ascend counts for another device beside it."""
        mine, others = devices(own), devices(other)
        if "Ascend" in others and "Ascend" not in mine:
            own = tuple(c for c in own if c.devices == DEVICES)
        return contradict(self.program, own, other)

    def _is_granted(self, condition: Condition, mine: frozenset[str]) -> bool:
        """Return whether a condition holds where gradients are added up, is about the fusion, or cannot be known."""
        if condition.devices != DEVICES:
            return "Ascend" in condition.devices or mine <= condition.devices
        words = " ".join(condition.words).lower()
        if _is_about_spread(condition) or "fusion" in words or "all_reduce" in words or "allreduce" in words:
            return True
        return by_default(self.program, condition) is None and not asks_environment(self.program, condition)


def _is_about_spread(condition: Condition) -> bool:
    """Return whether a condition asks for several devices: it holds where gradients are added up."""
    words = " ".join(condition.words).lower()
    return any(word in words for word in SPREAD)


# --- the network


def is_resnet50(program: Program) -> bool:
    """Return whether every Model of the program certainly trains all of what a function `resnet50` makes."""
    if program.stores_anywhere("requires_grad"):
        return False  # a frozen parameter has no gradient: the indices would be beyond the last one
    models = program.calls("mindspore.train.Model")
    return bool(models) and all(_maker(model) == "resnet50" for model in models)


def _maker(model: Call) -> str:
    """Return the name of the one function that makes the network of a Model; "" if there may be others."""
    node, scope = model.given("network"), model.scope
    if isinstance(node, ast.Name):
        node = scope.sole(node)
    known = model.program.value(node.func, scope).only if isinstance(node, ast.Call) else None
    if known is None:
        return ""
    return known.api.rpartition(".")[2] or (known.definition.name if known.definition is not None else "")
