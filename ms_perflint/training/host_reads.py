"""Where the loop of a training reads a tensor of each step on the host: `loss.asnumpy()`, `float(loss)`, `print(loss)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ms_perflint.index.reachability import condition_of
from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.syntax_forms import descendants, is_main_test, word_of
from ms_perflint.program.program import Program, fact
from ms_perflint.training.conditions import usually
from ms_perflint.training.step_loops import StepLoop, step_loops

METHODS = frozenset({"asnumpy", "item", "tolist"})
_FUNCTIONS = frozenset({"float", "int", "str", "print", "format"})
_LOGS = frozenset({"info", "debug", "warning", "log", "set_postfix", "set_description", "write"})
_KEEPS = frozenset({"mean", "sum", "squeeze", "astype", "reshape", "view", "max", "min", "round", "asnumpy", "item"})
_EVALUATES = re.compile(r"(?i)eval|valid|test|infer|predict")
_WRAPS = frozenset({"numpy", "array", "asarray"})


@fact
def reads_of_steps(program: Program) -> tuple[tuple[Site, ...], ...]:
    """Return for each loop that takes steps the calls that read what a step gave, in each pass; none for other loops."""
    found: dict[int, tuple[Site, ...]] = {}
    for each in step_loops(program):
        reads = tuple(_reads(program, each))
        known = found.get(id(each.loop), ())
        found[id(each.loop)] = tuple(sorted({*known, *reads}, key=lambda site: site.span))
    return tuple(reads for reads in found.values() if reads)


def _reads(program: Program, step: StepLoop) -> Iterator[Site]:
    """Yield the unguarded reads of what a step gave, unless what is read decides what the loop does next."""
    tensors = _given(step)
    if not tensors or _evaluates(step):
        return
    if _decides(step, tensors):
        return
    for site in step.scope.calls:
        if site.block.loops[:1] == [step.loop] and _is_read(program, site, tensors) and _is_each(program, step, site):
            yield site


def _given(step: StepLoop) -> set[str]:
    """Return the names that hold what the step gives, in the loop."""
    names: set[str] = set()
    if isinstance(step.site.stmt, ast.Assign) and step.site.stmt.value is step.site.node:
        for target in step.site.stmt.targets:
            names |= {node.id for node in descendants(target) if isinstance(node, ast.Name)} | _own(target)
    return names


def _own(target: ast.AST) -> set[str]:
    return {target.id} if isinstance(target, ast.Name) else set()


def _is_read(program: Program, site: Site, tensors: set[str]) -> bool:
    """Return whether a call brings a tensor to the host."""
    node = site.node
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        if site.word in METHODS:
            return _is_tensor(node.func.value, tensors)
        return site.word in _LOGS and any(_is_shown(each, tensors) for each in _arguments(node))
    if site.word not in _FUNCTIONS or program.callees(site):
        return False
    return any(_is_shown(each, tensors) for each in _arguments(node))


def _arguments(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(word.value for word in node.keywords)]


def _is_tensor(node: ast.expr, tensors: set[str]) -> bool:
    """Return whether an expression is what the step gave, or is made of it on the device: `loss[0].mean()`."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Attribute) or node.func.attr not in _KEEPS:
                return False
            node = node.func
        elif isinstance(node, ast.Attribute) and node.attr not in _KEEPS:
            return False
        node = node.value
    return isinstance(node, ast.Name) and node.id in tensors


def _is_shown(node: ast.expr, tensors: set[str]) -> bool:
    """Return whether a text is made of a tensor: itself, in an f-string, behind `%`, or in a list."""
    if isinstance(node, ast.JoinedStr):
        return any(_is_shown(part.value, tensors) for part in node.values if isinstance(part, ast.FormattedValue))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _is_shown(node.right, tensors)
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(_is_shown(each, tensors) for each in node.elts)
    return _is_tensor(node, tensors)


def _is_each(program: Program, step: StepLoop, site: Site) -> bool:
    """Return whether a read is made in each pass in which the step is taken: under no condition of its own."""
    known = condition_of(step.site)
    own = [each for each in condition_of(site) if each not in known and not is_main_test(each.test)]
    return all(usually(program, each) is True and not _counts(each.test) for each in own) and program.runs(site)


def _counts(test: ast.expr) -> bool:
    return any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) for node in ast.walk(test))


def _evaluates(step: StepLoop) -> bool:
    """Return whether the loop evaluates in each pass, which waits for the device anyway."""
    beside = (site for site in step.scope.calls if site.block.loops[:1] == [step.loop])
    return any(_EVALUATES.search(site.word) and site.node is not step.site.node for site in beside)


def _decides(step: StepLoop, tensors: set[str]) -> bool:
    """Return whether what a step gave, or what is read of it, decides what Python does: a guard, an early stop."""
    names = set(tensors)
    for name, bindings in _bindings(step.scope).items():
        for each in bindings:
            value = each.value
            if value is not None and _stands_in(step, each) and not names.isdisjoint(_names(value)):
                names.add(name)
    for node in descendants(step.loop):
        if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)) and not names.isdisjoint(_names(node.test)):
            return True
    return False


def _bindings(scope: Scope) -> dict[str, list[Binding]]:
    return scope.bindings


def _stands_in(step: StepLoop, binding: Binding) -> bool:
    return step.loop in binding.block.loops


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def loss_word(site: Site) -> str:
    """Return how a read is written: `loss.asnumpy()`, `print`."""
    node = site.node
    assert isinstance(node, ast.Call)
    if isinstance(node.func, ast.Attribute) and site.word in METHODS:
        return f"{word_of(node.func.value)}.{site.word}()" if word_of(node.func.value) else f"{site.word}()"
    return f"{site.word}(...)"
