"""Edits of the values that decide the execution mode, and hoisting of statements out of loops."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.core.findings import Edit, Place
from ms_perflint.edits.expressions import replace_expression
from ms_perflint.edits.settings import decided, set_setting
from ms_perflint.edits.statements import delete_statement, insert_after, insert_before
from ms_perflint.index.reachability import Condition, condition_of, path_condition
from ms_perflint.index.semantic_index import Site
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer import tables
from ms_perflint.infer.values import Alternative
from ms_perflint.training import conditions, mode

if TYPE_CHECKING:
    from ms_perflint.index.semantic_index import Binding, Scope
    from ms_perflint.program.call_site import Call
    from ms_perflint.program.program import Program
    from ms_perflint.training.graph_mode.made_once import Once

_EAGER = re.compile(r"(?i)pynative|eager|dynamic|\bpy\b")


class Cause(NamedTuple):
    """The place outside of a `set_context` that decides its mode, and the edits that make it graph mode."""

    places: tuple[Place, ...]
    edits: Optional[tuple[Edit, ...]]


def cause_of_mode(call: Call, given: ast.expr) -> Optional[Cause]:
    """Return the cause of a `set_context`'s mode: an option, a config key, a launcher, or a test on one of these.

    None where the call decides it, or a name that only the call uses. The branch of a test is never changed.
    """
    tests = [*_ternaries(call, given), *mode.tests_of_mode(call.program, call)]
    for condition in tests:
        found = _of_test(call.program, condition.test, condition.scope, not condition.result)
        if found is not None:
            return found
    setting = decided(call.argument("mode"))
    if tests:
        return Cause((), None)
    named = _named(call.program, setting) if setting is not None else None
    if named is not None:
        return Cause((named.place,), _set(call.program, named, _opposite(named.constant)))
    chosen = _chosen(call, given)
    if chosen is not None:
        return chosen
    setting = setting or _held(call, given)
    if setting is not None and _is_one_of_both(call, setting):
        return Cause((setting.place,), None)
    return Cause((setting.place,), _of_setting(call.program, setting)) if setting is not None else None


def cause_of_default(call: Call) -> Cause:
    """Return the option behind a `set_context` that does not run by default, with the edits that make it run."""
    program = call.program
    failing = (each for path in conditions.path_conditions(program, call) for each in path)
    for condition in (each for each in failing if conditions.by_default(program, each) is False):
        found = _of_test(program, condition.test, condition.scope, condition.result)
        if found is not None:
            return found
    return Cause((call.place,), None)


def _chosen(call: Call, given: ast.expr) -> Optional[Cause]:
    """Return the option that chooses the mode out of a table: `MODES[args.mode]`, `MODES.get(args.mode)`.

    It is set to the key of graph mode, without an edit where there is not one such key. None for other expressions.
    """
    if isinstance(given, ast.Subscript):
        table, key = given.value, given.slice
    elif isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and word_of(given.func) == "get":
        table, key = given.func.value, given.args[0] if given.args else given
    else:
        return None
    program, evaluator = call.program, call.program.evaluator
    setting, known = decided(program.value(key, call.scope)), program.value(table, call.scope).only
    if setting is None or known is None:
        return None
    shown = tables.view(evaluator, known, "keys")
    told = evaluator.each(shown).alternatives if shown is not None else ()
    keys = [each.constant for each in told] if shown is not None else range(len(known.parts))
    found = [each for each in keys if mode.default_mode_of(evaluator.item(known, each)) == mode.GRAPH]
    return Cause((setting.place,), _set(program, setting, found[0]) if len(found) == 1 else None)


def _is_one_of_both(call: Call, setting: Alternative) -> bool:
    """Return whether code chooses a `PYNATIVE_MODE` that stands in it, with graph mode as the other choice."""
    if isinstance(setting.where, Place) or not isinstance(setting.where[1], ast.Attribute):
        return False
    return any(mode.mode_of(known) == mode.GRAPH for known in call.argument("mode").alternatives)


def _held(call: Call, given: ast.expr) -> Optional[Alternative]:
    """Return the constant behind an attribute or dict entry that is the mode: `Config.mode`; None for others."""
    known = call.argument("mode").only if isinstance(given, (ast.Attribute, ast.Subscript)) else None
    return known if known is not None and known.where != (call.module, given) else None


def _named(program: Program, setting: Alternative) -> Optional[Alternative]:
    """Return the option with the name of the mode in `getattr(context, args.mode)`; None for others."""
    if isinstance(setting.where, Place):
        return None
    module, node = setting.where
    site = module.site_at(node) if isinstance(node, ast.Call) and word_of(node.func) == "getattr" else None
    return decided(program.value(node.args[1], site.scope)) if site is not None else None  # type: ignore[attr-defined]


def also_decided(call: Call) -> Iterator[Place]:
    """Yield other tests of the option behind the mode of a `set_context`: `if cfg.graph_mode:` around a network."""
    program = call.program
    tests = [condition.test for condition in mode.tests_of_mode(program, call)]
    read = {ast.unparse(node) for test in tests for node in ast.walk(test) if isinstance(node, ast.Attribute)}
    own = {id(each.test) for site in program.sites("set_context") for each in condition_of(site)}
    for module in program.modules if read else ():
        for stmt, block in module.steps:
            if not isinstance(stmt, ast.If) or id(stmt.test) in own:
                continue
            parts = (node for node in ast.walk(stmt.test) if isinstance(node, ast.Attribute))
            is_read = any(ast.unparse(node) in read for node in parts)
            if is_read and program.runs(Site(module, stmt.test, "", stmt, block, None)):
                yield module.place(stmt.test)


def _ternaries(call: Call, given: ast.expr) -> Iterator[Condition]:
    """Yield the conditions of expressions and `if` statements that select the mode, and their values by default."""
    node: Optional[ast.expr] = given
    if isinstance(given, ast.Name):
        bindings = call.scope.lookup(given)
        node = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
        eager = [each for each in bindings if _mode_of(call, each) == mode.PYNATIVE]
        others = {_mode_of(call, each) for each in bindings if each not in eager}
        if len(eager) == 1 and others == {mode.GRAPH}:
            tests = [each for each in path_condition(eager[0].block) if each not in condition_of(call)]
            yield from tests if len(tests) == 1 else ()
    if isinstance(node, ast.IfExp):
        truth = call.program.value(node.test, call.scope).default_truth
        if truth is not None:
            yield Condition(node.test, truth, call.scope)


def _mode_of(call: Call, binding: Binding) -> Optional[int]:
    """Return the mode that an assignment binds a name to; None where it is not known."""
    return mode.default_mode_of(call.program.value(binding.whole, binding.scope)) if binding.whole is not None else None


def _of_setting(program: Program, setting: Alternative) -> Optional[tuple[Edit, ...]]:
    """Return the edits that set an option or a config key to graph mode, in the spelling of its value."""
    if not isinstance(setting.where, Place):
        module, node = setting.where
        if isinstance(node, ast.Attribute) and node.attr == "PYNATIVE_MODE":
            return replace_expression(module, node, module.text(node.value) + ".GRAPH_MODE")
    return set_setting(program, setting, "0", "0") if type(setting.constant) is int else None


def _of_test(program: Program, test: ast.expr, scope: Scope, wanted: bool) -> Optional[Cause]:
    """Return the cause of a test, with the edits that make it true or false by default as wanted."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _of_test(program, test.operand, scope, not wanted)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.NotEq, ast.Is)):
        for side, other in ((test.left, test.comparators[0]), (test.comparators[0], test.left)):
            setting = decided(program.value(side, scope))
            if setting is not None:
                constants = [each.constant for each in program.value(other, scope).alternatives]
                is_same = wanted is not isinstance(test.ops[0], ast.NotEq)
                new = constants[0] if is_same and len(constants) == 1 else _opposite(setting.constant)
                return Cause((setting.place,), _set(program, setting, new))
        return None
    setting = decided(program.value(test, scope))
    if setting is None:
        return None
    new = wanted if isinstance(setting.constant, bool) else int(wanted) if type(setting.constant) is int else None
    return Cause((setting.place,), _set(program, setting, new))


def _opposite(constant: object) -> object:
    """Return the value of an option for graph mode, derived from the one for PyNative; None where it is not clear."""
    if isinstance(constant, bool):
        return not constant
    if isinstance(constant, int):
        return 0
    if isinstance(constant, str) and _EAGER.search(constant):
        return _EAGER.sub(lambda found: "GRAPH" if found[0].isupper() else "graph", constant)
    return None


def _set(program: Program, setting: Alternative, constant: object) -> Optional[tuple[Edit, ...]]:
    if not isinstance(constant, (bool, int, str)):
        return None
    text = f'"{constant}"' if isinstance(constant, str) else str(constant)
    return set_setting(program, setting, text, str(constant).lower() if isinstance(constant, bool) else str(constant))


def hoist(site: Site, once: Optional[Once]) -> Optional[tuple[Edit, ...]]:
    """Return the edits that move the statement of a call to another place; None where it cannot be moved."""
    if once is None:
        return None
    text = site.module.text(site.stmt)
    insert = insert_after if once.is_below else insert_before
    inserted = insert(site.module, once.stmt, text if "\n" not in text else ast.unparse(site.stmt))
    deleted = delete_statement(site.module, site.stmt)
    return (*inserted, *deleted) if inserted is not None and deleted is not None else None
