"""Graph mode for a training: edits of the mode, and of objects that graph mode would compile in every step."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.core.findings import Edit, Related, Remedy, Safety
from ms_perflint.edits.arguments import set_argument
from ms_perflint.edits.execution_mode import also_decided, cause_of_default, cause_of_mode, hoist
from ms_perflint.edits.expressions import replace_expression
from ms_perflint.edits.imports import import_name, imports_inside, insert_after_imports, name_in
from ms_perflint.edits.settings import DECIDED, written
from ms_perflint.edits.statements import insert_after, insert_before
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.index.signature import Part
from ms_perflint.index.syntax_forms import is_main_guard
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import mode, unset_mode
from ms_perflint.training.graph_mode import readiness
from ms_perflint.training.graph_mode.recreated import recreated, recreated_per_epoch
from ms_perflint.training.graph_mode.unproven import is_training_unknown, unknown_networks, unproven
from ms_perflint.training.graph_mode.varying import varying_per_epoch

COMPILE = Message("compile the whole step")
PER_EPOCH = Message("made again in each epoch: graph mode compiles it each time")
NUMBER = Message("another `{name}` in each epoch: graph mode compiles it each time, for a Tensor once")
EPOCHS = Message("each epoch compiles again, and results differ in the last digits")
UNTOLD = Message("the network that is trained is not known, so graph mode may not compile it")
COMPILES = Message("the first step takes longer, and results differ in the last digits")
IMPORTED = Message("other programs import this file, and would get the mode too")
JIT = Message("`@jit` on this function compiles the step alone, in either mode")
MOST = 8  # obstacles shown beside a finding; `ms-perflint program` lists all


class Change(NamedTuple):
    """The cause of PyNative mode ("given", "setting", "unset", "optional", "unused", "shared"), and the edits."""

    origin: str
    remedy: Remedy
    obstacles: int = 0  # obstacles to graph mode that no edit removes
    recreated: str = ""  # objects that each step creates, and graph mode would compile each time
    is_unproven: bool = False  # whether some code is not known to compile in graph mode


def to_graph_mode(call: Call, line_length: int) -> Change:
    """Return the change to graph mode at a `set_context`, or at the call that trains."""
    is_unset = call.api != mode.SET_CONTEXT or mode.given(call) is None
    graph = [each for each in mode.optional_settings(call.program) if mode.default_mode_set(each) == mode.GRAPH]
    if is_unset and graph:
        return _optional(call.program, graph[0])
    if call.api != mode.SET_CONTEXT:
        return _insert(call, line_length)
    if mode.given(call) is None:
        return _add(call, line_length)
    given = call.given("mode")
    if given is None:  # unpacked from a dict, which other calls may use
        return _ready("given", call.program, None)
    cause = cause_of_mode(call, given)
    if cause is None:
        return _ready("given", call.program, _replaced(call.program, _definitions(call, given), line_length))
    advice = Message("change the setting that decides the mode")
    places = [Related(place, Message("the mode is decided here")) for place in cause.places]
    others = [Related(place, Message("the same setting decides this too")) for place in also_decided(call)]
    return _shown("setting", call.program, cause.edits, advice, DECIDED, (*places, *others[:MOST]))


def _optional(program: Program, graph: Call) -> Change:
    """Return the change of the option behind the `set_context` that sets graph mode, and is off by default."""
    cause = cause_of_default(graph)
    related = tuple(Related(place, Message("the mode is decided here")) for place in cause.places)
    advice = Message("change the setting that decides the mode")
    return _shown("optional", program, cause.edits, advice, DECIDED, related)


def _add(call: Call, line_length: int) -> Change:
    """Return the change of a `set_context` without a mode."""
    option = mode.unused_option(call.program, call.module)
    if option is not None:
        return _passed_on(call, option, set_argument(call, "mode", option.text, first=True, line_length=line_length))
    callee = call.node.func
    imports: tuple[Edit, ...] = ()
    if isinstance(callee, ast.Attribute):
        name = f"{call.module.text(callee.value)}.GRAPH_MODE"
    else:
        name, imports = name_in(call.program, call.scope, "mindspore.GRAPH_MODE", line_length)
    added = set_argument(call, "mode", name, first=True, line_length=line_length)
    return _ready("unset", call.program, (*imports, *added) if added is not None else None)


def _passed_on(call: Call, option: mode.Unused, edits: Optional[Iterable[Edit]]) -> Change:
    """Return the change by which an unused option for the mode decides it."""
    related = (Related(option.place, Message("this option is never used")),)
    advice, reason = Message("pass the option on"), Message("it makes the option decide")
    return _shown("unused", call.program, edits, advice, reason, related)


def _insert(call: Call, line_length: int) -> Change:
    """Return the change where no `set_context` has a mode, or where several scripts share its file."""
    context, imports = name_in(call.program, call.scope, mode.SET_CONTEXT, line_length)
    option = mode.unused_option(call.program, call.module)
    if option is not None and unset_mode.first_context(call.program) is None:
        after = insert_after(call.module, option.parsed, f"{context}(mode={option.text})")
        return _passed_on(call, option, (*imports, *after) if after is not None else None)
    if not mindspore_api.is_in(mode.SET_CONTEXT, call.program.version):
        line = "from mindspore import context\ncontext.set_context(mode=context.GRAPH_MODE)"
    elif imports or "." not in context:
        line = "import mindspore\nmindspore.set_context(mode=mindspore.GRAPH_MODE)"
    else:
        line = f"{context}(mode={context.rpartition('.')[0]}.GRAPH_MODE)"
    alone = _at_start(call, line)
    edits = alone or _below_imports(call, line)
    if unset_mode.first_context(call.program) is not None:
        reason = Message("the scripts share a `set_context` that sets other options")
        return _shown("shared", call.program, edits, COMPILE, reason)
    change = _ready("unset", call.program, edits)
    if alone is not None or change.remedy.safety is Safety.DISPLAY:
        return change
    return change._replace(remedy=change.remedy._replace(safety=Safety.DISPLAY, reason=IMPORTED))


def _below_imports(call: Call, lines: str) -> tuple[Edit, ...]:
    """Return the edits that insert lines below the imports of the file, or of the function that imports MindSpore."""
    inside = imports_inside(call.module, call.scope)
    apart = "" if lines.startswith("import ") else "\n"
    added = insert_after(call.module, inside[-1], f"{apart}{lines}") if inside else None
    return added or insert_after_imports(call.module, lines)


def _at_start(call: Call, lines: str) -> Optional[tuple[Edit, ...]]:
    """Return the edits that insert lines before the training of a script, so that no other program runs them.

    Code below the imports runs in each program that imports the file: then the lines go under the `__main__`
    guard. None where the training does not wait for one.
    """
    module, program = call.module, call.program
    if program.project.programs(module.path) == (module.path,):
        return _below_imports(call, lines)
    guarded = {stmt: stmt.body[0] for stmt in module.tree.body if isinstance(stmt, ast.If) and is_main_guard(stmt)}
    at = program.position(call) or 0
    for site in module.sites:
        first = next(
            (guarded[arm.owner] for arm in site.block.chain() if arm.arm == "body" and arm.owner in guarded), None
        )
        passed = program.position(site)
        if first is not None and passed is not None and passed <= at:
            *imported, line = lines.split("\n")
            added = insert_before(module, first, line)
            return (*(insert_after_imports(module, imported[0]) if imported else ()), *added) if added else None
    return None


def _shown(
    origin: str,
    program: Program,
    edits: Optional[Iterable[Edit]],
    advice: Message,
    reason: Message,
    related: tuple[Related, ...] = (),
) -> Change:
    """Return a display-only change; an obstacle to graph mode is the first reason."""
    named = _obstacles(program)
    made = tuple(edits) if edits is not None else None
    why = named[0].message if named else reason
    return Change(origin, Remedy(made, advice, Safety.DISPLAY, why, (*related, *named)))


def _ready(origin: str, program: Program, edits: Optional[Iterable[Edit]]) -> Change:
    """Return the change of one edit of the mode; objects created in every step are hoisted in the same fix.

    With another obstacle to graph mode, or where some of the code is not known to compile, the fix is
    display-only.
    """
    made, found = recreated(program), readiness.obstacles(program)
    moves = [None if each.is_stateful else hoist(each.site, each.once) for each in made]
    steps = readiness.step_functions(program) if program.version >= (2, 0) else ()
    named = (*_obstacles(program), *(Related(each.place, each.message) for each in unknown_networks(program)[:1]))
    related = (*named, *(Related(place, JIT) for place in steps))
    changed = tuple(edits) if edits is not None else None
    if found or None in moves:
        first = (*found, *(each.obstacle for each, moved in zip(made, moves) if moved is None))[0]
        advice = Message("remove the obstacles named here, then change the mode")
        remedy = Remedy(changed, advice, Safety.DISPLAY, first.message, related)
        return Change(origin, remedy, obstacles=len(found) + moves.count(None))
    advice = Message("make `{name}` once, and compile the whole step", name=made[0].name) if made else COMPILE
    both = (*(one for moved in moves for one in moved or ()), *changed) if changed is not None else None
    doubt = unproven(program)
    if doubt is not None and not mode.is_graph_in_another_arm(program):
        first_named = Related(doubt.place, doubt.message)
        others = (each for each in related if each != first_named)
        remedy = Remedy(both, advice, Safety.DISPLAY, doubt.message, (first_named, *others))
        return Change(origin, remedy, is_unproven=True)
    again = recreated_per_epoch(program)
    if again is not None:
        place = again.place
        related = (*related, Related(place, PER_EPOCH))
    varying = varying_per_epoch(program)
    if varying is not None:
        text = NUMBER.filled(name=varying.name) if varying.is_number else PER_EPOCH
        related = (*related, Related(varying.obstacle.place, text))
    is_once = again is None and varying is None
    reason = UNTOLD if is_training_unknown(program) else COMPILES if is_once else EPOCHS
    return Change(origin, Remedy(both, advice, None, reason, related), recreated=made[0].name if made else "")


def _obstacles(program: Program) -> tuple[Related, ...]:
    return tuple(Related(each.place, each.message) for each in readiness.all_obstacles(program)[:MOST])


def _definitions(call: Call, given: ast.expr) -> tuple[Part, ...]:
    """Return the expressions to change: the argument, the value of its name if bound once, or what callers pass."""
    if not isinstance(given, ast.Name):
        return (Part(given, call.scope),)
    bindings = call.scope.owner.bindings.get(given.id) or call.module.scope.bindings.get(given.id, [])
    values = [binding.whole for binding in bindings if binding.whole is not None]
    if len(bindings) == 1 and values:
        return (Part(values[0], call.scope),)
    return () if values else written(call.program, given, call.scope) or (Part(given, call.scope),)


def _replaced(program: Program, parts: Sequence[Part], line_length: int) -> Optional[tuple[Edit, ...]]:
    """Return the edits that change values to graph mode, each in the spelling of its file."""
    edits = [_exchanged(program, part.scope.module, part.node, line_length) for part in parts]
    return tuple(edit for made in edits for edit in made or ()) if edits and all(edits) else None


def _exchanged(program: Program, module: SemanticIndex, node: ast.expr, line_length: int) -> Optional[tuple[Edit, ...]]:
    if isinstance(node, ast.Constant):
        return replace_expression(module, node, "False" if node.value is True else "0")
    if isinstance(node, ast.Attribute) and node.attr == "PYNATIVE_MODE":
        return replace_expression(module, node, module.text(node.value) + ".GRAPH_MODE")
    if isinstance(node, ast.Name) and all(each.kind == "from" for each in module.scope.bindings.get(node.id, ())):
        spelling, imports = import_name(
            module, "mindspore.GRAPH_MODE", instead=node.id, version=program.version, line_length=line_length
        )
        changed = replace_expression(module, node, spelling)
        return (*imports, *changed) if changed is not None else None
    return None
