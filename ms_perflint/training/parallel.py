"""How the devices of a data-parallel program add up their gradients, and what fuses these sums into AllReduces."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Optional

from ms_perflint.core.graphs import reachable
from ms_perflint.index.predicates import DEVICES, choice
from ms_perflint.index.reachability import Condition
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import given, names_in, text_of, word_of
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Value
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program, fact
from ms_perflint.training import conditions
from ms_perflint.training.bases import base_apis
from ms_perflint.training.conditions import PathCondition
from ms_perflint.training.mode import before_training
from ms_perflint.training.optimizers import is_named_optimizer
from ms_perflint.training.training import MODEL_TRAINS, run_together, train_sites
from ms_perflint.training.training_steps import STEP_CELLS, calls_gradient, is_step_class

SET, RESET, GET, SERVER = (
    "mindspore.set_auto_parallel_context",
    "mindspore.reset_auto_parallel_context",
    "mindspore.get_auto_parallel_context",
    "mindspore.set_ps_context",
)
FUSION, INDICES = "comm_fusion", "all_reduce_fusion_config"
ASKED = ("parallel_mode", "device_num", "enable_parallel_optimizer", FUSION, INDICES)
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
# What calls of these functions, and of objects that these classes make, have as callees
_ADD = frozenset(name if name.endswith("all_reduce") else f"{name}()" for name in REDUCERS)
_GRADIENT = r"(?i)(?<!stop_)grad"  # in names
# Words of tests for several devices: these hold where gradients are added up
COUNTS = ("device_num", "group_size", "rank_size", "world_size", "num_devices")
SEVERAL = ("distribut", "parallel", "multi", *COUNTS)
_ALONE = r"(?:==|<=|is) (?:'?1'?|False|None|'stand_alone')$"  # the end of such a test that holds on one device
_IS_ON = r"distribut\w*\W* == '?1'?$"  # but this is a switch


# --- one call


def settings(call: Call) -> Optional[Mapping[str, Value]]:
    """Return what a call of `set_auto_parallel_context` sets; None where `**` hides a part of it."""
    found = {name: call.passed(name) for name in ASKED}
    if any(value.open and call.given(name) is None for name, value in found.items()):
        return None
    return {name: value for name, value in found.items() if value != BOTTOM}


def data_parallel(sets: Mapping[str, Value]) -> Optional[Alternative]:
    """Return the DATA_PARALLEL among the parallel modes that a call may set, with its place; None without one."""
    for known in sets.get("parallel_mode", TOP).alternatives:
        if known.constant == "data_parallel":
            return known
    return None


def sets_fusion(sets: Mapping[str, Value], names: Iterable[str]) -> bool:
    """Return whether a call gives one of these settings, also to switch fusion off; None counts as absent."""
    return any(name in sets and sets[name].truth is not False for name in names)


def is_alone(sets: Mapping[str, Value]) -> bool:
    """Return whether a call sets one device, which has no gradients to add up."""
    return sets.get("device_num", TOP).must_be(1)


def default_modes(sets: Mapping[str, Value]) -> frozenset[object]:
    """Return the parallel modes that a call can set with the default options."""
    return frozenset(known.constant for known in sets.get("parallel_mode", TOP).by_default)


# --- the program


def reduces(program: Program) -> bool:
    """Return whether the devices may add up their gradients: in a Model, in a train cell of MindSpore, or by hand.

    A training step of the project that passes gradients to the optimizer as they are adds up nothing.
    """
    if program.calls(*sorted(STEP_CELLS)):
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
    classes = (scope for module in program.modules for scope in module.scopes if scope.is_class)
    return any(_may_reduce(program, cls) for cls in classes) or _adds_gradients(program)


@fact
def adding(program: Program) -> tuple[Site, ...]:
    """Return the running calls that add up tensors of all devices."""
    sites = (site for module in program.modules for site in module.sites if site.scope.owner in program.reached)
    return tuple(site for site in sites if not _ADD.isdisjoint(program.apis(site)))


def _adds_gradients(program: Program) -> bool:
    """Return whether code adds up gradients by hand, not only losses or counts, by the names beside its calls.

    An operator that no known call calls is passed on, as to `HyperMap`, and may get gradients.
    """
    made = program.calls(*REDUCERS)
    if any(call.api == REDUCERS[0] for call in made):
        return True
    sites = adding(program) if made else ()
    known = [each for site in sites for each in program.evaluator.callees(site).alternatives]
    called = {*(id(site.node) for site in sites), *(id(each.maker.node) for each in known if each.maker is not None)}
    if any(id(call.node) not in called for call in made):
        return True
    taken = (site.node for module in program.modules for site in module.sites if is_named_optimizer(site))
    names = {name for node in taken if isinstance(node, ast.Call) for part in given(node) for name in names_in(part)}

    def above(site: Site) -> Iterable[Site]:
        callers = program.callers(site.scope.owner) if site.scope.owner.is_function else ()
        return (each for each in callers if not calls_gradient(program, each))  # which adds up a loss in it

    around = reachable(sites, above)
    loops = (loop.iter for site in around for loop in site.block.loops if isinstance(loop, ast.For))
    words = (word_of(node) for part in (*(site.stmt for site in around), *loops) for node in ast.walk(part))
    return any(word in names or re.search(_GRADIENT, word) for word in words)


def _is_seen(value: Value) -> bool:
    """Return whether all that a network or step can be is made by the project or by MindSpore."""
    return value.are(lambda known: (known.type_api or "mindspore.").startswith("mindspore."))


def _may_reduce(program: Program, cls: Scope) -> bool:
    """Return whether a class that runs derives from a train cell of MindSpore, or is one with another base."""
    if cls not in program.reached:
        return False
    bases = base_apis(program, cls)
    is_foreign = any(not base.startswith(("mindspore.", "builtins.", "abc.", "typing.")) for base in bases)
    return bool(bases & STEP_CELLS) or (is_foreign and is_step_class(program, cls))


def uses_parameter_server(program: Program) -> bool:
    """Return whether the default options send gradients to a parameter server.

    A flag of unknown value, `if config.parameter_server`, is taken for an option.
    """
    return any(
        call.given("enable_ps") is not None
        and call.argument("enable_ps").default_truth is not False
        and not conditions.fails(program, call, partial(_is_asked, program))
        for call in program.calls(SERVER)
    )


def _is_asked(program: Program, condition: Condition) -> bool:
    """Return whether a condition needs an option to hold, as far as the program shows."""
    holds = conditions.by_default(program, condition)
    return holds is False or (holds is None and isinstance(condition.test, (ast.Name, ast.Attribute)))


def restores(call: Call) -> bool:
    """Return whether code in the file of a call restores a parallel mode that `get_auto_parallel_context` gave."""
    others = [
        other for other in call.program.calls(SET) if other.module is call.module and other.given("parallel_mode")
    ]
    return any(known.type_api == GET for other in others for known in other.argument("parallel_mode").alternatives)


def shards_optimizer(program: Program) -> bool:
    """Return whether a parallel optimizer, which replaces the AllReduce, may be on with the default options."""
    for call in program.calls(SET):
        sets = settings(call) or {}
        if "enable_parallel_optimizer" in sets and sets["enable_parallel_optimizer"].default_truth is not False:
            return True
    return False


def is_fusion_set_elsewhere(program: Program) -> bool:
    """Return whether cells, parameters, operators or boost set the fusion of the network, whatever the context sets."""
    if any(_uses_boost(call) for call in program.calls("mindspore.train.Model")):
        return True
    if any(program.runs(site) for word in OF_CELLS for site in program.sites(word)):
        return True
    for site in program.sites("add_prim_attr"):
        if text_of(next(iter(site.call.args), None)) == "fusion" and program.runs(site):
            return True
    own = (each for module in program.modules for scope in module.scopes for each in scope.attributes.get(FUSION, ()))
    stores = (each for each in (*program.code.stores_anywhere(FUSION), *own) if isinstance(each.node, ast.Attribute))
    return any(each.scope.owner in program.reached for each in stores)


def _uses_boost(model: Call) -> bool:
    """Return whether a Model is made with a boost level other than O0 (acc_level in 1.3)."""
    given = [name for name in ("boost_level", "acc_level") if model.given(name) is not None]
    return any(not model.argument(name).is_by_default("O0") for name in given)


# --- calls that run on the path of another one


class CallPaths:
    """The paths on which a call runs, and the other calls that run on each of them."""

    def __init__(self, program: Program, call: Site) -> None:
        self.program = program
        self.call = call
        self.path_conditions = conditions.path_conditions(program, call)

    def sets_fusion(self, names: tuple[str, ...], inner: bool) -> bool:
        """Return whether a call with one of these settings runs on every path of the call, or on the default one.

        `inner`: calls of the inner context count, too.
        """
        sites: list[Site] = []
        for other in self.program.calls(SET):
            sets = settings(other) if run_together(self.program, self.call.scope, other.scope) else {}
            if other != self.call and (sets is None or sets_fusion(sets, names)):
                sites.append(other)
        if inner:
            sites.extend(site for word in INNER for site in self.program.sites(word) if self.program.runs(site))
        effective = [site for site in sites if not self._is_undone(site)]
        return self._covers(effective, self._apart, self._is_granted)

    def is_replaced(self) -> bool:
        """Return whether a later call surely sets another parallel mode, or resets the context, before the training."""
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
        later = [site for site in sites if self.program.precedes(self.call, site)] if self._surely(sites) else []
        return self._surely(later) and self._surely(before_training(self.program, later))

    def are_on_one_device(self) -> bool:
        """Return whether the call runs on one device alone, which has no gradients to add up."""
        return all(any(map(_is_for_one, path)) for path in self.path_conditions)

    def _is_undone(self, site: Site) -> bool:
        """Return whether the setting of a site is surely reset before the call, on the paths of both."""
        precedes = self.program.precedes
        resets = [each for each in self.program.calls(RESET) if precedes(site, each) and precedes(each, self.call)]
        return self._surely(resets) and CallPaths(self.program, site)._surely(resets)

    def _surely(self, sites: Iterable[Site]) -> bool:
        """Return whether one of the sites runs on a path of the call, if there are several devices."""
        return self._covers(
            sites,
            conditions.contradict,
            lambda each, mine: mine <= each.devices if (asks := _asks_for_several(each)) is None else asks,
        )

    def _covers(
        self,
        sites: Iterable[Site],
        apart: Callable[[PathCondition, PathCondition], bool],
        is_granted: Callable[[Condition, frozenset[str]], bool],
    ) -> bool:
        """Return whether one of the sites runs on a path of the call: its conditions hold there, or are granted."""
        others = [each for site in sites for each in conditions.path_conditions(self.program, site)]
        for own in self.path_conditions:
            mine = conditions.devices(own)
            left = [
                frozenset(each for each in other if each not in own and not is_granted(each, mine))
                for other in others
                if not apart(own, other)
            ]
            if any(
                all(conditions.by_default(self.program, each) for each in rest) for rest in left
            ) or conditions.always(left):
                return True
        return False

    def _apart(self, own: PathCondition, other: PathCondition) -> bool:
        """Return whether two paths exclude each other; one for an Ascend counts for other devices, too."""
        mine, others = conditions.devices(own), conditions.devices(other)
        if "Ascend" in others and "Ascend" not in mine:
            own = tuple(c for c in own if c.devices == DEVICES)
        return conditions.contradict(own, other)

    def _is_granted(self, condition: Condition, mine: frozenset[str]) -> bool:
        """Return whether a condition holds if gradients are added up, is about the fusion, or is not known."""
        if condition.devices != DEVICES:
            return "Ascend" in condition.devices or mine <= condition.devices
        words = " ".join(condition.words).lower()
        if _asks_for_several(condition) or "fusion" in words or "all_reduce" in words or "allreduce" in words:
            return True
        return conditions.by_default(self.program, condition) is None and not conditions.asks_environment(
            self.program, condition
        )


def _asks_for_several(condition: Condition) -> Optional[bool]:
    """Return whether a condition holds on several devices, where gradients are added up; None if it tests no number."""
    words = " ".join(condition.words).lower()
    if not any(word in words for word in SEVERAL):
        return None
    test = ast.unparse(condition.test)
    return condition.result is (re.search(_ALONE, test) is None or re.search(_IS_ON, test) is not None)


def _is_for_one(condition: Condition) -> bool:
    """Return whether a condition on the number of devices holds for one device alone: `get_group_size() == 1`."""
    asked = choice(condition.test)
    made = condition.scope.sole(asked.node) if isinstance(asked.node, ast.Name) else None
    counted = " ".join(ast.unparse(each).lower() for each in (asked.node, made) if each is not None)
    if not any(word in counted for word in COUNTS) or re.search("[%/*]", counted):  # of several nodes
        return False
    return [asked.holds(number) is condition.result for number in (1, 2, 8)] == [True, False, False]


# --- the network


def is_resnet50(program: Program) -> bool:
    """Return whether each Model of the program trains all parameters of what a function `resnet50` makes."""
    if program.code.stores_anywhere("requires_grad"):
        return False  # a frozen parameter has no gradient: the indices would be beyond the last one
    models = program.calls("mindspore.train.Model")
    return bool(models) and all(_maker(model) == "resnet50" for model in models)


def _maker(model: Call) -> str:
    """Return the name of the only function that can make the network of a Model; "" where there may be others."""
    node, scope = model.given("network"), model.scope
    if isinstance(node, ast.Name):
        node = scope.sole(node)
    known = model.program.value(node.func, scope).only if isinstance(node, ast.Call) else None
    if known is None:
        return ""
    return known.api.rpartition(".")[2] or (known.definition.name if known.definition is not None else "")
