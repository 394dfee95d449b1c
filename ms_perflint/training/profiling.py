"""When a program profiles its data pipeline, by a profiler in its code or by a variable of the environment."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.execution_order import happens_before, never_before, place, rank, root, stored
from ms_perflint.index.reachability import Condition, path_condition
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.signature import receiver_name
from ms_perflint.index.syntax_forms import path_of
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.conditions import PathCondition, by_default, conditions, contradict, path_conditions
from ms_perflint.training.environment import writes
from ms_perflint.training.mode import training_starts
from ms_perflint.training.training import run_together

AUTOTUNE = "mindspore.dataset.config.set_enable_autotune"
PROFILERS = ("mindspore.Profiler", "mindspore.profiler.profile")
STOPS = ("stop", "analyse", "finalize")
VARIABLE = "MS_PROFILER_OPTIONS"
CODE, ENVIRONMENT, LAUNCHER = "code", "environment", "launcher"  # where a profiler is switched on
COUNTED = r"(?i)step|epoch|iter|batch|count"
ON_REQUEST = (2, 4)  # data_process is False by default (2.3 profiler/profiling.py:1972, 2.4 :1888)


class Profiling(NamedTuple):
    """A profiler of the data pipeline: its place, what switches it on, and on which paths."""

    place: Place
    by: str
    path_conditions: tuple[PathCondition, ...] = ((),)
    at: Optional[int] = None  # the position in the execution order at which it is made


def conflicts(call: Call) -> list[tuple[Profiling, PathCondition]]:
    """Return the profilers that are on when a call switches AutoTune on, each with a path of the call.

    Two options that are both off by default do not count: few users set two at once.
    """
    program = call.program
    mine = [(*own, *_implied(program, own)) for own in path_conditions(program, call, _asks(program, call))]
    found = []
    for profiling in profilings(program, call):
        for own in mine:
            if any(
                _can_be_on_together(program, own, other) and not _turned_off(call, (*own, *other), profiling.at)
                for other in profiling.path_conditions
            ):
                found.append((profiling, own))
                break
    return found


def _can_be_on_together(program: Program, own: PathCondition, other: PathCondition) -> bool:
    """Return whether two paths may both be taken, without an option for each."""
    if contradict(own, other):
        return False
    rare = [
        [c for c in some if c not in others and by_default(program, c) is False]
        for some, others in ((own, other), (other, own))
    ]
    return not (rare[0] and rare[1])


def _implied(program: Program, own: PathCondition) -> Iterator[Condition]:
    """Yield the conditions that failed before if a flag is still true: of `if profile: autotune = False`, `profile`."""
    for condition in own:
        test, scope = condition.test, condition.scope
        bindings = scope.bindings.get(test.id, []) if isinstance(test, ast.Name) else []
        if isinstance(test, ast.Attribute):
            bindings = scope.module.stores.get((path_of(test.value), test.attr), [])
            if scope.owner.cls is not None and path_of(test.value) == receiver_name(scope.owner):
                bindings = scope.owner.cls.attributes.get(test.attr, [])
        for binding in bindings if condition.result else ():
            before = conditions(program, path_condition(binding.block))
            is_set = binding.scope.owner is scope.owner and rank(binding) < (scope.module.rank(test) or 0)
            is_held = not isinstance(test, ast.Name) or binding in scope.flow.at(test)
            is_off = binding.value is not None and program.value(binding.value, scope).truth is False
            if len(before) == 1 and is_set and is_held and is_off:
                yield before[0].opposite


def _asks(program: Program, call: Call) -> tuple[Condition, ...]:
    """Return the conditions under which a call switches AutoTune on: `not args.profile`."""
    node, scope = call.given("enable"), call.scope
    if isinstance(node, ast.Name):
        node = scope.sole(node) or node
    if isinstance(node, ast.IfExp):
        arms = [program.value(arm, scope).truth for arm in (node.body, node.orelse)]
        return (Condition(node.test, bool(arms[0]), scope),) if arms in ([True, False], [False, True]) else ()
    return (Condition(node, True, scope),) if node is not None and not isinstance(node, ast.Constant) else ()


def _turned_off(call: Call, both: PathCondition, at: Optional[int]) -> bool:
    """Return whether a later call turns AutoTune off again where some conditions hold.

    It runs before training starts, or before the profiler is made, at the position `at`.
    """
    program = call.program
    mine, limits = program.position(call), [p for p in (training_starts(program), at) if p is not None]
    for other in program.calls(AUTOTUNE):
        later = program.position(other)
        if mine is None or later is None or later <= mine or (limits and later > max(limits)):
            continue
        if other.argument("enable").default_truth is False and any(
            _follows(program, both, each) for each in path_conditions(program, other)
        ):
            return True
    return False


def _follows(program: Program, both: PathCondition, later: PathCondition) -> bool:
    """Return whether a later path is taken where some conditions hold, with the default options."""
    return not contradict(both, later) and not any(by_default(program, c) is False for c in later if c not in both)


def made_by(program: Program, profiling: Profiling) -> Optional[Call]:
    """Return the call that makes a profiler; None where a variable or `set_context` switches it on."""
    calls = (call for call in program.calls(*PROFILERS) if profiling.by == CODE)
    return next((call for call in calls if call.place == profiling.place), None)


def is_read(call: Call) -> bool:
    """Return whether the program uses files of the folder of a profiler."""
    from ms_perflint.infer.path_values import Path, is_folder_of, is_same_file  # here, because few programs profile
    from ms_perflint.infer.paths import paths
    from ms_perflint.training.file_uses import uses

    given = call.given("output_path")
    folders = paths(call.program.evaluator, given, call.scope) if given is not None else (Path(("data",)),)
    return any(
        use.is_of(folder) or is_same_file(folder, use.path) or is_folder_of(folder, use.path)
        for use in uses(call.program)
        for folder in folders
    )


# --- what profiles the data pipeline


def profilings(program: Program, tuned: Site) -> Iterator[Profiling]:
    """Yield the profilers of the data pipeline that are on when the site `tuned` runs, or later."""
    for call in program.calls(*PROFILERS):
        if _covers_data(call) and run_together(program, call.scope, tuned.scope) and not _is_over(call, tuned):
            alive = _passes_alive(call)
            if alive:
                yield Profiling(call.place, CODE, alive, program.position(call))
    for call in program.calls("mindspore.set_context"):  # `enable_profiling` is a parameter in 1.x alone
        is_on = call.given("enable_profiling") is not None and call.argument("enable_profiling").default_truth is True
        if is_on and run_together(program, call.scope, tuned.scope):
            yield Profiling(call.place, CODE, path_conditions(program, call))
    if program.version < (2,):
        return
    yield from _from_environment(program)
    exported = program.inputs.exported(VARIABLE)
    if exported is not None and _asks_for_data(program, exported[0]):
        yield Profiling(exported[1], LAUNCHER)


def _covers_data(call: Call) -> bool:
    """Return whether a profiler covers the data pipeline, in the version of the target."""
    version = call.program.version
    if version < (2,):
        return True
    if call.argument("data_process").default_truth is not True:
        return False
    return version < ON_REQUEST or call.given("schedule") is None or call.argument("schedule").must_be(None)


def _passes_alive(call: Call) -> tuple[PathCondition, ...]:
    """Return the paths on which a profiler is started, when it is made or by `start()`."""
    program, made = call.program, path_conditions(call.program, call)
    if call.argument("start_profile").default_truth is True:
        return made
    starts = [
        tuple(condition for condition in each if not _counts_iterations(program, condition))
        for site in _uses(call, "start")
        for each in path_conditions(program, site)
    ]
    both = (tuple(dict.fromkeys((*first, *then))) for first in made for then in starts if not contradict(first, then))
    return tuple(dict.fromkeys(both))


def _counts_iterations(program: Program, condition: Condition) -> bool:
    """Return whether a condition counts steps or epochs: it holds at some time of the training."""
    counts = isinstance(condition.test, ast.Compare) and by_default(program, condition) is None
    return counts and any(re.search(COUNTED, word) for word in condition.words)


def _uses(call: Call, method: str) -> list[Site]:
    """Return the calls of a method of the object that a call makes."""
    found = []
    for site in filter(call.program.runs, call.program.sites(method)):
        known = call.program.evaluator.callees(site).alternatives
        made = [each.receiver.creation for each in known if each.api and each.receiver is not None]
        if any(each is not None and each.call is call.node for each in made):
            found.append(site)
    return found


def _is_over(call: Call, tuned: Site) -> bool:
    """Return whether a profiler has ended when AutoTune is switched on: its `with` block, or by `stop()`."""
    stmt, position = call.stmt, call.program.position
    at, places = position(tuned), [place(each.node, each.scope) for each in (tuned, call)]
    if tuned.scope.owner is call.scope.owner and not never_before(*places):
        return False  # in a loop the profiler comes again
    if isinstance(stmt, (ast.With, ast.AsyncWith)) and any(item.context_expr is call.node for item in stmt.items):
        if tuned.scope.owner is call.scope.owner:
            return _is_behind(tuned, call)
        left = _left(call.program, call)
        return at is not None and left is not None and at >= left
    stops = [position(site) for word in STOPS for site in _uses(call, word)]
    start = position(call)
    return start is not None and at is not None and any(stop is not None and start < stop < at for stop in stops)


def _is_behind(site: Site, other: Site) -> bool:
    """Return whether a site runs behind the statement of another one of its function, and never before it."""
    at, start = place(site.node, site.scope), place(other.node, other.scope)
    is_inside = any(arm.owner is other.stmt for arm in site.block.chain()) or site.stmt is other.stmt
    return not is_inside and at is not None and start is not None and at.rank > start.rank and never_before(at, start)


def _left(program: Program, site: Site, seen: tuple[Scope, ...] = ()) -> Optional[int]:
    """Return the position of the code behind the statement of a site, or behind the call of its function."""
    function = site.scope.owner
    later = (program.position(other) for other in function.calls if _is_behind(other, site))
    first = min((at for at in later if at is not None), default=None)
    callers = program.callers(function) if first is None and function.is_function and function not in seen else []
    return _left(program, callers[0], (*seen, function)) if len(callers) == 1 else first


# --- MS_PROFILER_OPTIONS


def _from_environment(program: Program) -> Iterator[Profiling]:
    """Yield the profilers that the program switches on by the variable, before it imports MindSpore, which reads it.

    Source: mindspore 2.10 profiler/envprofiler.py:193.
    """
    for site, text in (each for each in writes(program, VARIABLE) if program.runs(each[0])):
        at, imported = program.position(site), program.framework_position
        is_in_time = at is not None and (imported is None or at < imported)
        if is_in_time and _text_asks(program, text, site.scope):
            place = site.module.place(site.stmt)
            yield Profiling(place, ENVIRONMENT, path_conditions(program, site))


def _text_asks(program: Program, node: ast.expr, scope: Scope) -> bool:
    """Return whether a text, or a dict in `json.dumps`, requests a profile of the data pipeline."""
    value = program.value(node, scope)
    texts = [known.constant for known in value.by_default if isinstance(known.constant, str)]
    for known in value.by_default:
        if known.type_api == "json.dumps" and (made := known.creation) is not None and made.call.args:
            texts.extend(_dumped(program, made.call.args[0], made.scope))
    return len(texts) == 1 and not value.open and _asks_for_data(program, texts[0])


def _dumped(program: Program, node: ast.expr, scope: Scope) -> Iterator[str]:
    """Yield the JSON text of a dict, with the options that count."""
    import json  # here, because few programs are profiled

    for known in program.value(node, scope).by_default:
        if known.is_mapping:
            found = {}
            for name in ("start", "data_process"):
                value = program.evaluator.item(known, name)
                if value.alternatives:
                    found[name] = value.default_truth is True
            yield json.dumps(found)


def _asks_for_data(program: Program, text: str) -> bool:
    """Return whether options start a profiler of the data pipeline.

    `start` is false by default: mindspore 2.10 profiler/envprofiler.py:123.
    """
    import json

    try:
        options = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(options, dict) or options.get("start") is not True:
        return False
    return options.get("data_process", program.version < ON_REQUEST) is True


# --- the switch of a profiler


def switch(call: Call, profiling: Profiling, own: PathCondition) -> Optional[Condition]:
    """Return the flag that switches a profiler on, if code at a call can read it; None without one."""
    shared = [set(each) for each in profiling.path_conditions]
    for condition in profiling.path_conditions[0]:
        if condition in own or not condition.result or not all(condition in each for each in shared):
            continue
        if isinstance(condition.test, (ast.Name, ast.Attribute)) and _is_visible(call, condition):
            return condition
    return None


def _is_visible(call: Call, condition: Condition) -> bool:
    """Return whether a flag is the same variable at a call, is bound there, and does not change behind it."""
    name = root(condition.test)
    there, here = (scope.home(name.id) if name is not None else None for scope in (condition.scope, call.scope))
    if name is None or there is None or here is None:
        return False
    if there is here:
        at, attribute = place(call.node, call.scope), getattr(condition.test, "attr", "")
        own = [*here.bindings[name.id], *call.program.code.stores(attribute)]
        own = [each for each in own if each.scope.owner is call.scope.owner]
        is_bound = any(b.kind == "parameter" or happens_before(stored(b), at) for b in own)
        is_kept = at is not None and all(rank(each) < at.rank for each in own)
        return is_kept and (here is not call.scope.owner or is_bound)
    evaluator = call.program.evaluator
    theirs, mine = (evaluator.bindings(tuple(scope.bindings[name.id])) for scope in (there, here))
    alone = len(mine.alternatives) == len(theirs.alternatives) == 1 and not mine.open and not theirs.open
    return alone and mine.alternatives[0].identity == theirs.alternatives[0].identity
