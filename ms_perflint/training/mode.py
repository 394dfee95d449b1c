"""The execution mode in which a program trains: which `set_context` sets it last, and where training starts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.core.findings import Place
from ms_perflint.index.reachability import Condition, condition_of, excludes
from ms_perflint.index.semantic_index import SemanticIndex, Site
from ms_perflint.index.syntax_forms import TRY, is_main_test, targets, word_of
from ms_perflint.infer.direct_imports import outside
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.libraries import argparse
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program, fact
from ms_perflint.training import conditions, training
from ms_perflint.training.repetition import repeats

GRAPH, PYNATIVE = 0, 1
SET_CONTEXT = "mindspore.set_context"
_WORD = "set_context"
_BY_NAME = rb"""['"](?:[\w.]+\.)?set_context(?:['"]|\()"""  # of a function in a text, or a call in one
PATHS = r"(?i)device|target|platform|distribut|parallel|rank|data|modelarts|cloud"
MANY = 64  # settings of the mode that are compared with one another
ABOUT_MODE = r"(?i)mode(?!l)|pynative|graph|eager|debug|jit|static|dynamic"
# Names of options for the mode; `data_sink_mode`, `eval_mode` and others choose something else
OPTION = r"(?i)(?:(?:ms|mindspore|context|ctx|exec|execution|run|running|graph)_?)?mode"
# Names of functions that set up the context, as `build_context` of MindFormers and `init_env` of MindONE do
OF_CONTEXT = (
    r"(?i)^_*(?:init|build|set|create|prepare|config)\w*(?:context|ctx)$|^(?:context|ctx)_(?:init|set|build)"
    r"|^_*(?:init|set|prepare|config)\w*(?:env|environment|runtime)$"
)
SETS_UP = r"^_?(?:init|set|prepare|config|start|launch)"  # the same, of calls that are given a mode, or of a module
_INSIDE = ("mindspore.", "builtins.", "multiprocessing.")  # what sets no mode under such names
_MODULES = r"\.(?:context|ctx)\."  # for the context: `sciai.context.init_project`
# Texts with which an option named `mode` chooses what the script does, not how it executes
TASK = r"(?i)train|eval|test|val|infer|predict|export|finetune"


def given(call: Call) -> Optional[Value]:
    """Return the mode that a `set_context` call passes; None where it passes none."""
    if call.given("mode") is not None:
        return call.argument("mode")
    if not call.is_spread:
        return None
    value = call.argument("mode")
    passed = tuple(known for known in value.alternatives if known.where != (call.module, call.node))  # no default
    is_open = value.open or 0 < len(passed) < len(value.alternatives)
    return value._replace(alternatives=passed, open=is_open) if passed or is_open else None


def is_mode_written(call: Call) -> bool:
    """Return whether the mode is a constant in the call itself, or the call sets none."""
    node = call.given("mode")
    if node is None:
        return not call.is_spread
    return isinstance(node, ast.Constant) or outside(node, call.scope) is not None


def mode_of(known: Alternative) -> Optional[int]:
    """Return the mode that a value stands for, GRAPH or PYNATIVE; None for other values. MindSpore takes True for 1."""
    constant = known.constant
    return int(constant) if isinstance(constant, int) and constant in (GRAPH, PYNATIVE) else None


def default_mode_of(value: Value) -> Optional[int]:
    """Return the mode that a value is with the default options; None where that is not known."""
    modes = {mode_of(known) for known in value.by_default}
    return modes.pop() if len(modes) == 1 and not value.open else None


@fact
def settings(program: Program) -> tuple[Call, ...]:
    """Return the `set_context` calls that run and set the mode."""
    return tuple(_settings(program, (*program.sites(_WORD), *program.passed_on(SET_CONTEXT))))


def are_too_many(program: Program) -> bool:
    """Return whether too many calls set the mode to compare them."""
    if len(settings(program)) > MANY:
        program.leave_out(Message("more than {most} calls set the mode", most=MANY))
    return len(settings(program)) > MANY


@fact
def is_set(program: Program) -> bool:
    """Return whether a `set_context` that runs sets the mode; calls under the fewest conditions are asked first."""
    nearest = sorted(program.sites(_WORD), key=lambda site: len(site.block.chain()))
    found = (call for calls in (_settings(program, nearest), settings(program)) for call in calls)
    return not all(training.sets_nothing(program, call.scope) for call in found) or _is_set_by_name(program)


@fact
def optional_settings(program: Program) -> tuple[Call, ...]:
    """Return the calls that set the mode, if some set graph mode, and all need an option that is off; else none."""
    found = [call for call in settings(program) if not training.sets_nothing(program, call.scope)]
    if are_too_many(program) or all(default_mode_set(call) != GRAPH for call in found) or _is_set_by_name(program):
        return ()
    return tuple(found) if all(is_under_untaken_mode_test(program, call) for call in found) else ()


def _is_set_by_name(program: Program) -> bool:
    """Return whether a text may be the name of a `set_context` that sets the mode: `vars(ms)["set_context"](mode=0)`.

    Not if such a call is resolved: its mode is known then.
    """
    if any(program.apis(site) == (SET_CONTEXT,) for site in program.passed_on(SET_CONTEXT)):
        return False
    return any(program.project.matches(path, _BY_NAME) for path in program.files)


@fact
def setup_by_library(program: Program) -> Optional[Site]:
    """Return a running call of another library that may set the mode, `init_env(...)`; None where there is none."""
    spoken = (word for module in program.modules for word in (*module.by_word, *module.renamed))
    for word in sorted({word for word in spoken if re.search(f"{OF_CONTEXT}|{SETS_UP}", word)}):
        for site in program.sites(word):
            outside = [api for api in program.apis(site) if not api.startswith(_INSIDE)]
            may_say = re.search(OF_CONTEXT, word) or any(re.search(_MODULES, api) for api in outside)
            if outside and (may_say or _is_given_mode(program, site)) and program.runs(site):
                return site
    return None


def _is_given_mode(program: Program, site: Site) -> bool:
    """Return whether a call is given an argument named `mode` that is no text: `mode="bilinear"` is one."""
    given = [argument for argument in site.call.args if word_of(argument) == "mode"]
    given += [keyword.value for keyword in site.call.keywords if keyword.arg == "mode"]
    return any(
        not any(isinstance(constant, str) for constant in program.value(argument, site.scope).constants)
        for argument in given
    )


def is_set_by_entry(program: Program) -> bool:
    """Return whether the entry script sets the mode under no condition: a cheap first answer."""
    entry = program.module(program.entry)
    sites = [site for word in entry.aliases(_WORD) for site in entry.by_word.get(word, ())] if entry is not None else []
    passing = (site for site in sites if any(keyword.arg == "mode" for keyword in site.call.keywords))
    return any(_is_sure(program, site) for site in passing)


def _settings(program: Program, sites: Sequence[Site]) -> Iterator[Call]:
    for site in sites:
        sets_others = not site.call.args and all(word.arg not in ("mode", None) for word in site.call.keywords)
        for call in program.running(SET_CONTEXT, site) if site.word != _WORD or not sets_others else ():
            if given(call) is not None:
                yield call


def _is_sure(program: Program, site: Site) -> bool:
    """Return whether a call in the entry script is a `set_context` under no condition, in a function called so."""
    owner, module = site.scope.owner, site.module
    if owner is not module.scope and not (owner.is_function and owner.parent is module.scope):
        return False
    called = module.by_word.get(owner.name, ()) if owner.is_function else ()
    is_certain = all(is_main_test(condition.test) for each in (site, *called) for condition in condition_of(each))
    is_certain = is_certain and SET_CONTEXT in program.apis(site) and program.evaluator.may_run(site)
    return is_certain and not training.sets_nothing(program, site.scope)


def is_opt_in(program: Program, site: Site) -> bool:
    """Return whether the call needs an option for the mode or for debugging, which is off by default.

    Conditions on the device, on distribution and on the dataset are no such options.
    """
    return conditions.fails(
        program, site, lambda each: _is_on_mode(program, site, each) and not conditions.by_default(program, each)
    )


def tests_of_mode(program: Program, site: Site) -> Iterator[Condition]:
    """Return the conditions around a site that test the mode or debugging."""
    return (each for each in condition_of(site) if _is_on_mode(program, site, each))


def _is_on_mode(program: Program, site: Site, condition: Condition) -> bool:
    """Return whether a condition of a site tests the mode or debugging."""
    return _is_about_mode(condition.test) or _chooses_mode(program, site, condition)


def is_under_untaken_mode_test(program: Program, site: Site) -> bool:
    """Return whether a condition on the mode or debugging fails with the default options, on all ways to a site."""
    return conditions.fails(
        program, site, lambda each: _is_on_mode(program, site, each) and conditions.by_default(program, each) is False
    )


def is_graph_at(program: Program, site: Site) -> bool:
    """Return whether a site runs in graph mode with the default options: not where only PyNative mode leads to it."""
    return default_mode(program) == GRAPH and not is_under_untaken_mode_test(program, site)


def _is_about_mode(test: ast.expr) -> bool:
    """Return whether a test names the execution mode or debugging; `args.mode == "train"` names a task."""
    words = re.findall(ABOUT_MODE, ast.unparse(test))
    if {word.lower() for word in words} == {"mode"}:
        nodes = list(ast.walk(test))
        constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
        named = [word for node in nodes if "mode" in (word := word_of(node)).lower()]
        return not any(isinstance(value, str) and re.search(TASK, value) for value in constants) and not any(
            re.search(PATHS, name) for name in named
        )
    return bool(words)


def _chooses_mode(program: Program, site: Site, condition: Condition) -> bool:
    """Return whether the arms of a test set two modes: `if args.context == "py":`, and graph mode in the `else`.

    A test of the device, of distribution or of the dataset does not choose a mode, nor one whose arms set two devices.
    """
    if re.search(PATHS, ast.unparse(condition.test)):
        return False
    own = [call for call in settings(program) if call.node is site.node]
    mine = {default_mode_set(call) for call in own}
    others = [call for call in settings(program) if condition.opposite in condition_of(call)]
    if own and others and all(_differ_by_device(call, other) for call in own for other in others):
        return False
    return bool(mine) and any(default_mode_set(call) not in mine for call in others)


def is_graph_in_another_arm(program: Program) -> bool:
    """Return whether one arm of a test sets graph mode, and another PyNative mode."""
    by_mode = {
        wanted: [call for call in settings(program) if default_mode_set(call) == wanted] for wanted in (GRAPH, PYNATIVE)
    }
    return any(excludes(one.block, other.block) for one in by_mode[GRAPH] for other in by_mode[PYNATIVE])


def _differ_by_device(call: Call, other: Call) -> bool:
    """Return whether two calls set different devices, which are known."""
    one, two = (set(each.argument("device_target").constants) for each in (call, other))
    return bool(one) and bool(two) and one.isdisjoint(two)


def default_mode_set(call: Call) -> Optional[int]:
    """Return the mode that a call sets with the default options; None where that is not known."""
    value = given(call)
    return default_mode_of(value) if value is not None else None


def is_fallback(program: Program, call: Call) -> bool:
    """Return whether a call sets the mode where another setting fails.

    It is in a handler of the `try` around that one, or behind a `try` whose body ends with a `return`.
    """
    return any(_fails_into(program, other, call) for other in settings(program) if other != call)


def _fails_into(program: Program, tried: Call, call: Call) -> bool:
    """Return whether a call runs where another one fails, and not after it."""
    around = {block.owner: block.arm for block in call.block.chain()}
    for block in tried.block.chain():
        if isinstance(block.owner, TRY) and block.arm == "body":
            if block.owner in around:
                return around[block.owner].startswith("handler")
            is_ended = isinstance(block.owner.body[-1], ast.Return)  # type: ignore[attr-defined]
            if is_ended and tried.scope.owner is call.scope.owner and program.precedes(tried, call):
                return all(conditions.by_default(program, each) for each in condition_of(tried))
    return False


def is_overridden(program: Program, call: Call) -> bool:
    """Return whether a later `set_context` always sets the mode again before the training, or before it goes on."""
    known = condition_of(call)
    for other in settings(program):
        if other == call or excludes(call.block, other.block):
            continue
        if is_opt_in(program, other) or is_fallback(program, other):
            continue
        more = (condition for condition in condition_of(other) if condition not in known)
        if not all(conditions.by_default(program, each) for each in more):
            continue
        start, later = training_starts(program), program.position(other)
        if program.precedes(call, other) and (start is None or later is None or later <= start):
            return True
        is_behind = call.scope.owner is other.scope.owner and call.span < other.span
        if is_behind and not training.trains_between(program, call, other):
            return True
    return False


def before_training(program: Program, sites: Iterable[Site]) -> list[Site]:
    """Return those of some sites that run before the training starts; none if the start is not known."""
    start = training_starts(program)
    at = ((site, program.position(site)) for site in sites)
    return [site for site, position in at if start is not None and position is not None and position < start]


def training_starts(program: Program) -> Optional[int]:
    """Return the position of the first site that trains in the execution order; None where none is known."""
    positions = [program.position(site) for site in training.train_sites(program)]
    known = [position for position in positions if position is not None]
    return min(known) if known else None


def is_without_training(program: Program, call: Call) -> bool:
    """Return whether no training follows the call: it is behind all, not between epochs, or in an arm that has none."""
    sites = training.train_sites(program)
    position, trained = program.position(call), [program.position(site) for site in sites]
    is_behind = position is not None and all(each is not None and position > each for each in trained)
    if not sites or (is_behind and not repeats(program, call)):
        return bool(sites)
    if not condition_of(call) and not call.scope.owner.is_function:
        return False
    return conditions.are_exclusive(program, call, sites)


@fact
def default_mode(program: Program) -> Optional[int]:
    """Return the mode in which a program trains with the default options; None where that is not known."""
    found = [call for call in settings(program) if not training.sets_nothing(program, call.scope)]
    if are_too_many(program) or not program.is_whole:
        return None
    if not found or optional_settings(program):
        return None if setup_by_library(program) is not None else mindspore_api.default_mode(program.version)
    usual = [call for call in found if not is_opt_in(program, call) and not is_fallback(program, call)]
    by_call = {call: default_mode_set(call) for call in usual}
    modes = set(by_call.values())
    if usual and all(conditions.is_on_request(program, call) for call in usual):
        modes.add(mindspore_api.default_mode(program.version))
        return modes.pop() if len(modes) == 1 else None
    if len(modes) > 1:  # else it makes no difference which of them is the last one
        modes = {
            wanted
            for call, wanted in by_call.items()
            if not is_overridden(program, call) and not is_without_training(program, call)
        }
    return modes.pop() if len(modes) == 1 else None


# --- where training is reached


def anchor(program: Program) -> Optional[Site]:
    """Return the call in the entry script that leads to the training; None where none is known.

    `Model.train` or `fit` comes first, then a call in the loop of the training step, then one that leads to such a
    loop.
    """
    entry = program.module(program.entry)
    if entry is None:
        return None
    trains = {id(site.node) for site in training.train_sites(program)}
    leading: list[Site] = []
    for site in entry.sites:
        position = program.position(site)
        if position is None or not isinstance(site.node, ast.Call):
            continue
        if id(site.node) in trains or any(  # callers are not known of what has a name in a text: `methodcaller("step")`
            callee in training.training_scopes(program) for callee in training.callees(program, site)
        ):
            leading.append(site)
    models = [site for site in leading if id(site.node) in trains and site.word in ("train", "fit")]
    looping = [site for site in leading if site.block.loops]
    first = models or _innermost(program, looping) or _innermost(program, leading) or leading
    return min(first, key=lambda site: program.position(site) or 0) if first else None


def _innermost(program: Program, sites: list[Site]) -> list[Site]:
    """Return the sites that do not call the function of another one."""
    owners = {site.scope.owner for site in sites}
    return [site for site in sites if not any(callee in owners for callee in training.callees(program, site))]


class Unused(NamedTuple):
    """An option for the mode that no code reads, and whose default is graph mode."""

    text: str  # the expression that would read it: `args.mode`
    place: Place  # the call that adds it
    parsed: ast.stmt  # the statement that parses the options


def unused_option(program: Program, module: SemanticIndex) -> Optional[Unused]:
    """Return an option of a file for the mode that no code reads, and whose default is graph mode; None without one."""
    parsed = [site.stmt for site in module.by_word.get("parse_args", ())]
    holders = [(stmt, ast.unparse(target)) for stmt in parsed for target in targets(stmt)]
    holders = [each for each in holders if each[1] in module.made.get("parse_args", ())]
    for site in program.sites("add_argument"):
        if site.module is not module or not holders:
            continue
        for name in sorted(argparse.option_names(program.evaluator, site)):
            read = any(name in scope.attrs for scope in module.scopes) or name in (
                module.scope.main.attrs if module.scope.main else ()
            )
            if read or not re.fullmatch(OPTION, name):
                continue
            default = argparse.option_default(program.evaluator, site)
            is_switch = any(isinstance(each, bool) for each in default.constants)
            if default_mode_of(default) == GRAPH and not is_switch:
                stmt, holder = holders[0]
                return Unused(f"{holder}.{name}", site.place, stmt)
    return None
