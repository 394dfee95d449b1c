"""How each version fuses the AllReduce of gradients, and whether a data-parallel program fuses them."""

from __future__ import annotations

from ms_perflint.index.predicates import DEVICES
from ms_perflint.index.semantic_index import Site
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import conditions, jit, mode, parallel
from ms_perflint.training.conditions import is_switch

BY_BUCKETS = (1, 8)  # `comm_fusion` acts under data parallelism (RELEASE.md 1.7, cc@v1.8.0 parallel_context.cc:91)
UNFUSED = (2, 4)  # fusion is off by default (cc@v2.4.0 utils/parallel_context.cc:56)
_WRAPPER = "mindspore.parallel.auto_parallel.AutoParallel"  # has a mode of its own, never data parallelism
INDICES_ACT_AGAIN = (2, 5)  # indices alone switch the fusion on (cc@v2.5.0 utils/parallel_context.cc:242)


def is_data_parallel(call: Call) -> bool:
    """Return whether the call sets data-parallel training on several devices."""
    sets = parallel.settings(call)
    if sets is None or parallel.data_parallel(sets) is None or parallel.is_alone(sets):
        return False
    by_default = parallel.default_modes(sets)
    return not by_default or not by_default.isdisjoint({"data_parallel", "stand_alone"})


def is_missing(call: Call) -> bool:
    """Return whether no gradient fusion is set for the AllReduce of the gradients."""
    program = call.program
    names = (parallel.FUSION,) if indices_do_nothing(program) else (parallel.FUSION, parallel.INDICES)
    if parallel.sets_fusion(parallel.settings(call) or {}, names):
        return False
    if parallel.uses_parameter_server(program) or parallel.shards_optimizer(program) or parallel.restores(call):
        return False
    if program.calls(_WRAPPER) or parallel.is_fusion_set_elsewhere(program) or not parallel.reduces(program):
        return False
    paths = parallel.CallPaths(program, call)
    is_set = paths.sets_fusion(names, not indices_do_nothing(program)) or paths.is_replaced()
    return not is_set and not paths.are_on_one_device()


def switch(call: Call) -> str:
    """Return the option without which a call does not run; "" where there is none."""
    for condition in parallel.CallPaths(call.program, call).path_conditions[0]:
        if is_switch(call.program, condition) and condition.devices == DEVICES:
            return condition.text
    return ""


def indices_do_nothing(program: Program) -> bool:
    """Return whether `all_reduce_fusion_config` alone has no effect in the target's version."""
    return UNFUSED <= program.version < INDICES_ACT_AGAIN


def may_compile(program: Program, site: Site) -> bool:
    """Return whether the gradients of a `set_auto_parallel_context` are added up in graph mode by default, or may be.

    Or in what `jit` compiles. Where several modes are set, those count that a pass through the call may set.
    """
    by_default = mode.default_mode(program)
    if by_default is not None:
        return by_default == mode.GRAPH or _reduces_in_jit(program)
    calls = (call for call in mode.settings(program) if not conditions.are_exclusive(program, site, [call]))
    values = map(mode.given, calls)
    return any(mode.mode_of(known) == mode.GRAPH for value in values if value is not None for known in value.by_default)


def _reduces_in_jit(program: Program) -> bool:
    """Return whether `jit` compiles each training step, and each call that adds up gradients."""
    if not jit.is_compiled(program):
        return False
    return all(jit.is_in_jit(program, site.scope.owner) for site in parallel.adding(program))
