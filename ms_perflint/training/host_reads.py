"""Where a training reads the result of each step on the host: `loss.asnumpy()`, `float(loss)`, `print(loss)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Optional

from ms_perflint.index.reachability import Condition, condition_of
from ms_perflint.index.semantic_index import Binding, Block, Scope, Site
from ms_perflint.index.syntax_forms import descendants, given, is_main_test, word_of
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.values import Alternative
from ms_perflint.program.program import Program, fact
from ms_perflint.training import iterations, jit
from ms_perflint.training.bases import is_cell
from ms_perflint.training.conditions import by_default
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.graph_mode.compiled import assigned, compiled
from ms_perflint.training.networks.networks import is_loss, is_loss_api
from ms_perflint.training.pipelines import EVALUATES
from ms_perflint.training.step_loops import StepLoop, step_loops, steps_in_functions

METHODS = tensor_ops.READS
_FUNCTIONS = frozenset({"float", "int", "str", "print", "format"})
_LOGS = frozenset({"info", "debug", "warning", "log", "set_postfix", "set_description", "write"})
TRIGGERS = (*(f".{word}" for word in sorted(METHODS | _LOGS)), *(f"builtins.{word}" for word in sorted(_FUNCTIONS)))
_READS = METHODS | _LOGS | _FUNCTIONS
_KEEPS = frozenset({"mean", "sum", "squeeze", "astype", "reshape", "view", "max", "min", "round", "asnumpy", "item"})
_ARITHMETIC = (ast.BinOp, ast.Subscript, ast.Call, ast.Name)
_WITH_LOSS = r"(?i)loss(?!y)"  # of a cell that gives one, also around the network
_OPERATORS = ("mindspore.ops.", "mindspore.mint.")
SHORT = 20  # steps: a demonstration, whose time does not matter
_EVALUATES = rf"{EVALUATES}|score|accura"


@fact
def reads_of_steps(program: Program) -> tuple[tuple[Site, ...], ...]:
    """Return the reads of each loop of training steps that reads the results of its steps in each iteration.

    Its own reads come before those in the functions that it calls.
    """
    found: dict[int, tuple[Site, ...]] = {}
    for each in step_loops(program):
        reads = tuple(_reads(program, each))
        known = found.get(id(each.loop), ())
        found[id(each.loop)] = tuple(sorted({*known, *reads}, key=lambda site: site.span))
    for own, outer in steps_in_functions(program):
        is_periodic = any(_counts(each.test) for each in condition_of(outer.site))
        if not is_periodic and not _is_short(program, outer) and not _evaluates(program, outer):
            found[id(outer.loop)] = tuple(dict.fromkeys((*found.get(id(outer.loop), ()), *_reads(program, own))))
    for each in step_loops(program):
        found[id(each.loop)] = tuple(dict.fromkeys((*found[id(each.loop)], *_reads_behind(program, each))))
    return tuple(reads for reads in found.values() if reads)


def reads_from(program: Program, site: Site) -> tuple[Site, ...]:
    """Return the reads of a loop of which a call is the first; none for other calls."""
    found = (reads for reads in reads_of_steps(program) if reads[0].node is site.node)
    return next(found, ())


@fact
def removable(program: Program) -> frozenset[ast.AST]:
    """Return the reads of loops that do not wait without them, and whose tensors are kept and not formatted then.

    Run on 2.10: `f"{loss:.4f}"`, `"{:.4f}".format(loss)` and `round(loss, 4)` of a tensor fail, `"%.4f" % loss` works.
    """
    found: set[ast.AST] = set()
    for step in step_loops(program):
        reads = list(_reads(program, step))
        kept = _kept(step.scope.owner, [each.stmt for each in reads])
        inside = (site for site in step.scope.calls if site.block.loops[:1] == [step.loop] and site not in reads)
        is_left = any(_shows(site, kept) and _is_in_each_iteration(program, step, site) for site in inside)
        if all(map(_is_kept, reads)) and not is_left and not _is_formatted(kept):
            found.update(each.node for each in reads)
    return frozenset(found)


def _is_kept(site: Site) -> bool:
    """Return whether the result of a read is assigned, added or appended, and passed to no other call."""
    stmt, node = site.stmt, site.node
    value = assigned(stmt)[1]
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call) and word_of(stmt.value.func) == "append":
        value = stmt.value.args[0] if len(stmt.value.args) == 1 else None
    calls = (each for each in ast.walk(value) if isinstance(each, ast.Call)) if value is not None else ()
    passed = (part for each in calls for part in given(each))
    return value is not None and bool(unread(site)) and not any(node in ast.walk(part) for part in passed)


class _Kept(NamedTuple):
    """What holds a tensor in a function once the reads in some statements are gone."""

    scope: Scope
    words: set[str]
    stmts: set[ast.AST]  # that bind these words to it
    lists: set[str]  # words of what it is added to

    def is_held(self, node: ast.AST) -> bool:
        """Return whether a name or an attribute holds a tensor where it is read."""
        word = word_of(node)
        if word not in self.words or word in self.lists or not isinstance(node, ast.Name):
            return word in self.words
        bound = self.scope.flow.at(node) if self.scope.home(word) is self.scope else ()
        return not bound or any(each.stmt in self.stmts for each in bound)


def _shows(site: Site, kept: _Kept) -> bool:
    """Return whether a call prints, logs or converts a value that is made of a kept tensor."""
    parts = given(site.node) if site.word in _FUNCTIONS | _LOGS and isinstance(site.node, ast.Call) else ()
    inside = (each for part in parts for each in ast.walk(part) if isinstance(each, (ast.Name, ast.Attribute)))
    return any(map(kept.is_held, inside))


def _kept(scope: Scope, stmts: Sequence[ast.AST]) -> _Kept:
    """Return what holds a tensor, or a value made of it, once the reads in some statements are gone."""
    kept = _Kept(scope, set(), set(stmts), set())
    for stmt in stmts:
        call = stmt.value if isinstance(stmt, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            kept.lists.add(word_of(call.func.value))
        kept.words.update(map(word_of, assigned(stmt)[0]))
    kept.words.update(kept.lists)
    made = [(stmt, word_of(target), value) for stmt in descendants(scope.node) for target, value in _pairs(stmt)]
    while new := [(stmt, word) for stmt, word, value in made if stmt not in kept.stmts and _holds(value, kept)]:
        kept.stmts.update(stmt for stmt, _ in new)
        kept.words.update(word for _, word in new)
    kept.words.discard("")
    return kept


def _pairs(stmt: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets of an assignment, each with its value."""
    targets, value = assigned(stmt)
    if value is None:
        return
    for target in targets:
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        shown = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(names) else [value] * len(names)
        yield from zip(names, shown)


def _holds(node: ast.expr, kept: _Kept) -> bool:
    """Return whether an expression is a kept tensor, or computed from one."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            return node.func.attr in _KEEPS - METHODS and _holds(node.func.value, kept)
        return word_of(node.func) in ("sum", "max", "min", "abs") and any(_holds(each, kept) for each in node.args)
    if isinstance(node, ast.BinOp):
        is_text = isinstance(node.op, ast.Mod) and isinstance(node.left, (ast.Constant, ast.JoinedStr))
        return not is_text and (_holds(node.left, kept) or _holds(node.right, kept))
    if isinstance(node, (ast.Name, ast.Attribute)):
        return kept.is_held(node)
    return isinstance(node, ast.Subscript) and _holds(node.value, kept)


def _is_formatted(kept: _Kept) -> bool:
    """Return whether a function formats or returns a kept tensor."""
    for node in descendants(kept.scope.node):
        parts: list[ast.expr] = []
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            parts.append(node.value)
        elif isinstance(node, ast.Return) and node.value is not None:
            parts += node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        elif isinstance(node, ast.Call) and word_of(node.func) in ("format", "round"):
            parts += given(node)
        if any(_holds(each, kept) for each in parts):
            return True
    return False


def _reads(program: Program, step: StepLoop) -> Iterator[Site]:
    """Yield the reads of the results of a step in each iteration; none where the results decide what the loop does."""
    beside = _shown(step)
    if beside and not _is_short(program, step) and not _evaluates(program, step):
        yield from _reads_of(program, step, beside, _step_results(program, step))


def _shown(step: StepLoop) -> list[Site]:
    """Return the calls in the innermost loop of a step that may read a tensor, by their last words."""
    return [each for each in step.scope.calls if each.word in _READS and _is_in_same_loop(step, each.block)]


def _reads_of(program: Program, step: StepLoop, beside: Sequence[Site], tensors: set[str]) -> Iterator[Site]:
    """Yield those of some calls that read some tensors in each iteration."""
    if _decides(program, step, tensors):
        return
    inner: set[int] = set()
    for site in sorted(beside, key=lambda each: (each.span[0], -each.span[1])):
        if id(site.node) in inner:
            continue
        if _is_read(program, site, tensors, step) and _is_in_each_iteration(program, step, site):
            inner.update(map(id, ast.walk(site.node)))
            yield site


def _reads_behind(program: Program, step: StepLoop) -> Iterator[Site]:
    """Yield the reads in the functions to which each iteration passes a result of its step."""
    entered = [(site, entry) for site in step.scope.calls if (entry := _entered(program, step, site)) is not None]
    if not entered or _is_short(program, step) or _evaluates(program, step):
        return
    tensors = _step_results(program, step)
    if not tensors or _decides(program, step, tensors):
        return
    for site, entry in entered:
        passed = _passed(program, step, site, entry.scope, tensors)
        if passed and _is_in_each_iteration(program, step, site):
            yield from _reads_of(program, entry, _shown(entry), passed | _computed(program, entry, passed))


def _entered(program: Program, step: StepLoop, site: Site) -> Optional[StepLoop]:
    """Return the body of the function that a call in the loop of a step enters, if it may read what it gets.

    None for a compiled one, and for a call whose result is used: what takes part in a computation may need the numbers.
    """
    is_statement = isinstance(site.stmt, (ast.Expr, ast.AugAssign)) and isinstance(site.node, ast.Call)
    if (
        not is_statement
        or site.node is step.site.node
        or not given(site.call)
        or not _is_in_same_loop(step, site.block)
    ):
        return None
    only = program.evaluator.callees(site).only
    function = only.definition if only is not None else None
    if function is None or not function.is_function:
        return None
    entry = StepLoop(function.node, Site.of(function.node, function.block), function)
    is_compiled = not _shown(entry) or function in compiled(program) or jit.is_decorated(program, function)
    return None if is_compiled else entry


def _passed(program: Program, step: StepLoop, site: Site, function: Scope, tensors: set[str]) -> set[str]:
    """Return the parameters of a function that get some tensors from a call."""
    parameters = [each for bindings in function.bindings.values() for each in bindings if each.kind == "parameter"]
    parts = ((each.name, argument(program.evaluator, each, site).part) for each in parameters)
    return {name for name, part in parts if part is not None and _is_tensor(program, part.node, tensors, step)}


def _is_in_same_loop(step: StepLoop, block: Block) -> bool:
    """Return whether a block has the innermost loop of the step; none for both, in a function that each step calls."""
    return block.loops[:1] == step.site.block.loops[:1]


def _is_short(program: Program, step: StepLoop) -> bool:
    """Return whether the loops of a function around a step have fewer than SHORT iterations in all, as far as known."""
    total = 1
    for loop in step.site.block.loops:
        over = loop.iter if isinstance(loop, ast.For) else None
        if not isinstance(over, ast.Call) or word_of(over.func) != "range" or not over.args:
            return False
        found = program.value(over.args[-1 if len(over.args) < 3 else 1], step.site.scope).constants
        counts = [count for count in found if isinstance(count, int)]
        if not counts:
            return False
        total *= min(counts)
    return bool(step.site.block.loops) and total < SHORT


def _step_results(program: Program, step: StepLoop) -> set[str]:
    """Return the names that hold results of the step in its loop, or a loss that is computed beside it."""
    bindings = step.site.scope.binds.get(id(step.site.stmt), ())
    values = [(each.name, each.value) for each in bindings if each.value is not None]
    names = {name for name, value in values if _is_tensor(program, value, set(), step) and not _is_on_host(value)}
    names |= {each.name for each in _around(step) if each.kind == "assign" and _is_loss(program, step, each)}
    return names | _computed(program, step, names) if names else names


def _is_loss(program: Program, step: StepLoop, binding: Binding) -> bool:
    """Return whether a binding in a loop gets what a loss gives: a cell of it, or what is differentiated."""
    made = binding.value
    site = binding.scope.module.site_at(made) if isinstance(made, ast.Call) else None
    if site is None or not _is_in_same_loop(step, binding.block):
        return False
    return program.evaluator.callees(site).are_only(lambda known: _gives_loss(program, known))


def _gives_loss(program: Program, known: Alternative) -> bool:
    function = known.definition
    if known.cls is not None:
        return is_loss(program, known.cls) or re.search(_WITH_LOSS, known.cls.name) is not None
    if function is not None:
        return function in compiled(program) and not jit.is_decorated(program, function)
    return is_loss_api(known.type_api) or re.search(_WITH_LOSS, known.type_api) is not None


def _computed(program: Program, step: StepLoop, names: set[str]) -> set[str]:
    """Return the names of what the device computes from results of the step: `loss = loss_a + loss_b`."""
    values = [
        (name, each.value)
        for name, bindings in step.scope.bindings.items()
        for each in bindings
        if isinstance(each.value, _ARITHMETIC) and _is_in_same_loop(step, each.block) and not _is_on_host(each.value)
    ]
    found: set[str] = set()
    while new := {name for name, value in values if _is_tensor(program, value, names | found, step)} - names - found:
        found |= new
    return found


def _is_on_host(node: ast.expr) -> bool:
    """Return whether an expression contains a read."""
    return any(isinstance(each, ast.Attribute) and each.attr in METHODS for each in ast.walk(node))


def _is_read(program: Program, site: Site, tensors: set[str], step: StepLoop) -> bool:
    """Return whether a call reads a tensor on the host."""
    node = site.node
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        if site.word in METHODS:
            return _is_tensor(program, node.func.value, tensors, step)
        return site.word in _LOGS and any(_is_shown(program, each, tensors, step) for each in given(node))
    if site.word not in _FUNCTIONS or program.callees(site):
        return False
    return any(_is_shown(program, each, tensors, step) for each in given(node))


def _is_tensor(program: Program, node: ast.expr, tensors: set[str], step: StepLoop) -> bool:
    """Return whether an expression is a result of the step, or what the device makes of one: `loss[0].mean()`."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)) and node is not step.site.node:
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Attribute) or node.func.attr not in _KEEPS:
                return _is_on_device(program, node, tensors, step)
            node = node.func
        elif isinstance(node, ast.Attribute) and node.attr not in _KEEPS:
            return False
        node = node.value
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mod):
        return any(_is_tensor(program, side, tensors, step) for side in (node.left, node.right))
    return node is step.site.node or (isinstance(node, ast.Name) and node.id in tensors)


def _is_on_device(program: Program, call: ast.Call, tensors: set[str], step: StepLoop) -> bool:
    """Return whether an operator or a cell gets a result of the step: `ops.sqrt(loss)`, `all_reduce(loss)`."""
    site = step.scope.module.site_at(call)
    if site is None or not any(_is_tensor(program, each, tensors, step) for each in given(call)):
        return False
    callees = program.evaluator.callees(site)
    return callees.are_only(
        lambda known: is_cell(program, known) or (known.api or known.type_api).startswith(_OPERATORS)
    )


def _is_shown(program: Program, node: ast.expr, tensors: set[str], step: StepLoop) -> bool:
    """Return whether an expression shows a tensor: itself, in an f-string, behind `%`, in a `format`, in a list."""
    if isinstance(node, ast.JoinedStr):
        return any(
            _is_shown(program, part.value, tensors, step)
            for part in node.values
            if isinstance(part, ast.FormattedValue)
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _is_shown(program, node.right, tensors, step)
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(_is_shown(program, each, tensors, step) for each in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return any(_is_shown(program, each, tensors, step) for each in given(node))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):  # of texts
        return any(_is_shown(program, side, tensors, step) for side in (node.left, node.right))
    return _is_tensor(program, node, tensors, step)


def _is_in_each_iteration(program: Program, step: StepLoop, site: Site) -> bool:
    """Return whether a read runs in each iteration that takes the step: it has no further condition."""
    known = condition_of(step.site)
    for each in condition_of(site):
        if _counts(each.test):  # every 100 steps
            return False
        if each in known or is_main_test(each.test) or by_default(program, each) is True or _is_of_tensor(each):
            continue
        if not iterations.is_behind(program, step.loop, each, SHORT) or _leaves(site.block):
            return False
    return program.runs(site)


def _leaves(block: Block) -> bool:
    """Return whether a block is an arm that ends the loop."""
    following = getattr(block.owner, block.arm, []) if isinstance(block.owner, ast.If) else []
    return bool(following) and isinstance(following[-1], (ast.Break, ast.Return, ast.Raise))


def _counts(test: ast.expr) -> bool:
    return any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) for node in ast.walk(test))


def _evaluates(program: Program, step: StepLoop) -> bool:
    """Return whether the loop evaluates in each iteration, which waits for the device anyway."""
    beside = (site for site in step.scope.calls if _is_in_same_loop(step, site.block) and _is_evaluation(site))
    return any(site.node is not step.site.node and _is_in_each_iteration(program, step, site) for site in beside)


def _is_evaluation(site: Site) -> bool:
    first = site.node.args[:1] if isinstance(site.node, ast.Call) else []
    is_off = any(isinstance(each, ast.Constant) and each.value is False for each in first)
    return bool(re.search(_EVALUATES, site.word)) or (site.word == "set_train" and is_off)


def _decides(program: Program, step: StepLoop, tensors: set[str]) -> bool:
    """Return whether a result of the step decides what follows: a guard, what the next step is given or reads."""
    names = set(tensors)
    bound = [(each.name, _names(value)) for each in _around(step) if (value := getattr(each.stmt, "value", None))]
    while new := {name for name, read in bound if not names.isdisjoint(read)} - names:
        names |= new
    choices = (node for node in descendants(step.loop) if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)))
    if any(not names.isdisjoint(_names(node.test)) and not _asks_kind(node.test) for node in choices):
        return True
    parts = given(step.site.node) if isinstance(step.site.node, ast.Call) else ()
    made = names - tensors
    if any(not _names(part).isdisjoint(made) for part in parts):
        return True  # else the code that the training differentiates may read one
    return any(function.home(name) is step.scope for function in compiled(program) for name in function.names & made)


def _asks_kind(test: ast.expr) -> bool:
    """Return whether a test asks what kind of object something is, which reads no tensor."""
    return isinstance(test, ast.Call) and word_of(test.func) in ("isinstance", "hasattr")


def _is_of_tensor(condition: Condition) -> bool:
    """Return whether a condition is that something is a tensor: `isinstance(loss, Tensor)`."""
    test = condition.test
    return condition.result and isinstance(test, ast.Call) and _asks_kind(test) and word_of(test.args[-1]) == "Tensor"


def _around(step: StepLoop) -> Iterator[Binding]:
    """Yield the bindings of the scope of a step, without those before and behind its loop."""
    for bindings in step.scope.bindings.values():
        yield from (each for each in bindings if step.loop in each.block.loops or not step.site.block.loops)


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def written(site: Site) -> str:
    """Return the text of a read in a message: `.asnumpy()`, `print(...)`."""
    return f".{site.word}()" if site.word in METHODS else f"{site.word}(...)"


def unread(site: Site) -> list[tuple[ast.expr, ast.expr]]:
    """Return the reads in an expression, each with the tensor that can take its place; none in a `print`.

    `float(loss.asnumpy()[0])` has two. A read of the result of another one counts as one with it.
    """
    found: list[tuple[ast.expr, ast.expr]] = []
    node = site.node
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        inner = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Call) and word_of(inner) in METHODS and isinstance(inner, ast.Attribute):
            inner = inner.value
        elif isinstance(node, ast.Call) and isinstance(inner, ast.Name):
            if inner.id not in ("float", "int") or len(node.args) != 1:
                break
            inner = node.args[0]
        else:
            node = inner
            continue
        outer = found.pop()[0] if found and found[-1][1] is node else node
        found.append((outer, inner))
        node = inner
    return found
