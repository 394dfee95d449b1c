"""Where a training reads the result of each step on the host: `loss.asnumpy()`, `float(loss)`, `print(loss)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

from ms_perflint.index.reachability import Condition, condition_of
from ms_perflint.index.semantic_index import Binding, Block, Scope, Site
from ms_perflint.index.syntax_forms import Later, descendants, given, has_remainder, is_main_test, names_in, word_of
from ms_perflint.infer.parameters import parameters_given
from ms_perflint.infer.values import Alternative
from ms_perflint.program.program import Program, fact
from ms_perflint.training import iterations, jit
from ms_perflint.training.bases import is_cell
from ms_perflint.training.conditions import by_default, with_definitions
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.graph_mode.compiled import compiled, trained
from ms_perflint.training.networks.losses import NAMED_LOSS, is_loss_api
from ms_perflint.training.networks.networks import is_loss
from ms_perflint.training.pipelines import EVALUATES
from ms_perflint.training.step_loops import LEAVES, StepLoop, step_loops, steps_in_functions

METHODS = tensor_ops.READS
FUNCTIONS = frozenset({"float", "int", "str", "print", "format"})
LOGS = frozenset({"info", "debug", "warning", "log", "set_postfix", "set_description", "write"})
TRIGGERS = (*(f".{word}" for word in sorted(METHODS | LOGS)), *(f"builtins.{word}" for word in sorted(FUNCTIONS)))
_READS = METHODS | LOGS | FUNCTIONS
KEEPS = frozenset(
    {
        "mean", "sum", "squeeze", "astype", "reshape", "view", "max", "min", "round", "asnumpy", "numpy", "item",
        "abs", "exp", "log", "sqrt", "square", "pow", "float", "flatten", "ravel", "copy", "detach",
    }
)  # fmt: skip
_ARITHMETIC = (ast.BinOp, ast.Subscript, ast.Call, ast.Name)
_TEXTS = (ast.JoinedStr, ast.BinOp, ast.Call)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)  # of a tensor, they give a tensor
_OPERATORS = ("mindspore.ops.", "mindspore.mint.")
_RANK = (
    r"(?i)not [\w.]*rank(_id)?(\(\))?|[\w.]*rank(_id)?(\(\))? == 0"
    r"|([\w.]*[._])?(is_|(?=\w+_))(main|master|chief)(_(process|device|rank|node))?(\(\))?"
)
SHORT = 20  # steps: a demonstration, whose time does not matter
_EVALUATES = rf"{EVALUATES}|score|accura"
_CHOICES = (ast.If, ast.While, ast.IfExp, ast.Assert)


@fact
def reads_of_steps(program: Program) -> tuple[tuple[Site, ...], ...]:
    """Return the reads of each loop of training steps that reads the results of its steps in each iteration.

    Its own reads come before those in the functions that it calls.
    """
    found: dict[int, tuple[Site, ...]] = {}
    guarded = {id(outer.site.node) for own, outer in steps_in_functions(program) if _waits(program, own)}
    for each in (each for each in step_loops(program) if id(each.site.node) not in guarded):
        known = {*found.get(id(each.loop), ()), *reads(program, each)}
        found[id(each.loop)] = tuple(sorted(known, key=lambda site: site.span))
    for own, outer in steps_in_functions(program):
        is_periodic = any(_is_periodic(outer, each) for each in condition_of(outer.site))
        is_guarded = id(outer.site.node) in guarded
        if not is_periodic and not is_guarded and not _is_short(program, outer) and not _evaluates(program, outer):
            found[id(outer.loop)] = tuple(dict.fromkeys((*found.get(id(outer.loop), ()), *reads(program, own))))
    for each in (each for each in step_loops(program) if id(each.loop) in found):
        found[id(each.loop)] = tuple(dict.fromkeys((*found[id(each.loop)], *_reads_behind(program, each))))
    return tuple(filter(None, found.values()))


def _waits(program: Program, step: StepLoop) -> bool:
    """Return whether the function of a step waits for what it returns: Python branches on it, not on gradients only."""
    is_compiled = step.scope in compiled(program) or jit.is_decorated(program, step.scope)
    returned = {name for value, _ in step.scope.owner.returns for name in names_in(value)}
    found = _results(program, step)
    return not is_compiled and found._replace(names=found.names & returned).guard()


def reads_from(program: Program, site: Site) -> tuple[Site, ...]:
    """Return the reads of a loop of which a call is the first; none for other calls."""
    return next((found for found in reads_of_steps(program) if found[0].node is site.node), ())


def reads(program: Program, step: StepLoop) -> Iterator[Site]:
    """Yield the reads of the results of a step in each iteration; none where the results decide what the loop does."""
    beside = _shown(step)
    if beside and not _is_short(program, step) and not _evaluates(program, step):
        yield from _results(program, step).reads(beside)


def _shown(step: StepLoop) -> list[Site]:
    """Return the calls in the innermost loop of a step that may read a tensor, by their last words."""
    return [each for each in step.scope.calls if each.word in _READS and _is_in_same_loop(step, each.block)]


def _reads_behind(program: Program, step: StepLoop) -> Iterator[Site]:
    """Yield the reads in the functions to which each iteration passes a result of its step."""
    entered = [(site, entry) for site in step.scope.calls if (entry := _entered(program, step, site)) is not None]
    if not entered or _is_short(program, step) or _evaluates(program, step):
        return
    results = _results(program, step)
    if results.decide():
        return
    for site, entry in entered:
        passed = parameters_given(program.evaluator, entry.scope, site, results.is_one)
        if passed and is_in_each_iteration(program, step, site):
            yield from _with_computed(program, entry, passed).reads(_shown(entry))


def _entered(program: Program, step: StepLoop, site: Site) -> Optional[StepLoop]:
    """Return the body of the function that a call in the loop of a step enters, if it may read what it gets.

    None for a compiled one, and for a call whose result is used: what takes part in a computation may need the numbers.
    And for a call in another thread.
    """
    is_statement = isinstance(site.stmt, (ast.Expr, ast.AugAssign)) and isinstance(site.node, ast.Call)
    if (
        not is_statement
        or type(site.node) is Later
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


def _results(program: Program, step: StepLoop) -> _Results:
    """Return the results of a step in its loop, with a loss that is computed beside it."""
    bindings, none = step.site.scope.binds.get(id(step.site.stmt), ()), _Results(program, step)
    values = [(each.name, each.value) for each in bindings if each.value is not None]
    names = {name for name, value in values if none.is_one(value) and not _is_on_host(value)}
    names |= {each.name for each in _around(step) if each.kind == "assign" and _is_loss(program, step, each)}
    return _with_computed(program, step, names)


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
        return is_loss(program, known.cls) or re.search(NAMED_LOSS, known.cls.name) is not None
    if function is not None:
        return function in _differentiated(program) and not jit.is_decorated(program, function)
    return is_loss_api(known.type_api) or re.search(NAMED_LOSS, known.type_api) is not None


@fact
def _differentiated(program: Program) -> frozenset[Scope]:
    """Return the functions that are trained, without those that they call: a size, a mask."""
    known = (each for part in trained(program) for each in program.evaluator.read(part).alternatives)
    return frozenset(each.definition for each in known if each.definition is not None)


def _with_computed(program: Program, step: StepLoop, names: Iterable[str]) -> _Results:
    """Return results of a step, with what the device computes from them: `loss = loss_a + loss_b`."""
    found = _Results(program, step, frozenset(names))
    values = [
        (name, value)
        for name, bindings in (step.scope.bindings.items() if found.names else ())
        for each in bindings
        if isinstance(value := each.operand, _ARITHMETIC)
        and _is_in_same_loop(step, each.block)
        and not _is_on_host(value)
    ]
    while new := {name for name, value in values if found.is_one(value)} - found.names:
        found = found._replace(names=found.names | new)
    return found


def _is_on_host(node: ast.expr) -> bool:
    """Return whether an expression contains a read."""
    return any(isinstance(each, ast.Attribute) and each.attr in METHODS for each in ast.walk(node))


class _Results(NamedTuple):
    """The results of a step in its loop, and the names that hold them."""

    program: Program
    step: StepLoop
    names: frozenset[str] = frozenset()

    def reads(self, beside: Sequence[Site]) -> Iterator[Site]:
        """Yield those of some calls that read them in each iteration; none where they decide what the loop does."""
        if self.decide():
            return
        inner: set[int] = set()
        for site in sorted(beside, key=lambda each: (each.span[0], -each.span[1])):
            if id(site.node) in inner:
                continue
            if self._are_read(site) and is_in_each_iteration(self.program, self.step, site):
                inner.update(map(id, ast.walk(site.node)))
                yield site

    def _are_read(self, site: Site) -> bool:
        """Return whether a call reads one on the host."""
        node = site.node
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Attribute):
            if site.word in METHODS:
                return self.is_one(node.func.value)
            # what `debug` is given is formatted only where that level is shown
            parts = [each for each in given(node) if site.word != "debug" or not self.is_one(each)]
            return site.word in LOGS and any(map(self._are_shown, parts))
        if site.word not in FUNCTIONS or self.program.callees(site):
            return False
        return any(map(self._are_shown, given(node)))

    def is_one(self, node: ast.expr) -> bool:
        """Return whether an expression is one, or what the device makes of one: `loss[0].mean()`."""
        own = self.step.site.node
        while isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)) and node is not own:
            if isinstance(node, ast.Call):
                method = node.func if isinstance(node.func, ast.Attribute) and node.func.attr in KEEPS else None
                return (method is not None and self.is_one(method.value)) or self._is_on_device(node)
            if isinstance(node, ast.Attribute) and node.attr not in KEEPS:
                return False
            node = node.value
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mod):
            return self.is_one(node.left) or self.is_one(node.right)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], _ORDERS):
            return self.is_one(node.left) or self.is_one(node.comparators[0])
        return node is own or (isinstance(node, ast.Name) and node.id in self.names)

    def _is_on_device(self, call: ast.Call) -> bool:
        """Return whether an operator or a cell gets one: `ops.sqrt(loss)`, `all_reduce(loss)`."""
        site = self.step.scope.module.site_at(call)
        if site is None or not any(map(self.is_one, given(call))):
            return False
        callees = self.program.evaluator.callees(site)
        return callees.are_only(
            lambda known: is_cell(self.program, known) or (known.api or known.type_api).startswith(_OPERATORS)
        )

    def _are_shown(self, node: ast.expr) -> bool:
        """Return whether an expression shows one: itself, in an f-string, behind `%`, in a `format`, in a list."""
        parts: list[ast.expr] = []
        if isinstance(node, ast.JoinedStr):
            parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.Add)):  # of texts
            parts = [node.right] if isinstance(node.op, ast.Mod) else [node.left, node.right]
        elif isinstance(node, (ast.Tuple, ast.List)):
            parts = node.elts
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            parts = given(node)
        else:
            return self.is_one(node) or self._is_text(node)
        return any(map(self._are_shown, parts))

    def _is_text(self, node: ast.expr) -> bool:
        """Return whether a name is a text that each iteration makes of one: `text = f"{i} {loss}"`."""
        made = self.step.scope.only(node)
        if made is None or not _is_in_same_loop(self.step, made.block) or not isinstance(made.whole, _TEXTS):
            return False
        return self._are_shown(made.whole) and is_in_each_iteration(self.program, self.step, made.site)

    def decide(self) -> bool:
        """Return whether one decides what follows: a guard, what the next step is given or reads."""
        step, made = self.step, self.derived() - self.names
        parts = given(step.site.node) if isinstance(step.site.node, ast.Call) else ()
        if self.guard() or any(not names_in(part).isdisjoint(made) for part in parts):
            return True  # else the code that the training differentiates may read one
        functions = compiled(self.program)
        return any(function.home(name) is step.scope for function in functions for name in function.names & made)

    def guard(self) -> bool:
        """Return whether Python branches on one, or on what is computed of one."""
        names = self.derived()
        choices = (node for node in descendants(self.step.loop) if isinstance(node, _CHOICES))
        tests = [
            node.test for node in choices if not has_remainder(node.test)
        ]  # of a counter, though a step returns it
        return any(not names.isdisjoint(names_in(test)) and not _asks_kind(test) for test in tests)

    def derived(self) -> set[str]:
        """Return the names that hold one, or what is computed of one, also where the step is read: `float(step(x))`."""
        step, names = self.step, set(self.names)
        own = ((each.name, each.value) for each in step.scope.binds.get(id(step.site.stmt), ()))
        read = ((name, value) for name, value in own if value is not None and step.site.node in ast.walk(value))
        names |= {name for name, value in read if _is_on_host(value) or not self.is_one(value)}
        bound = [(each.name, names_in(value)) for each in _around(step) if (value := getattr(each.stmt, "value", None))]
        while new := {name for name, read in bound if not names.isdisjoint(read)} - names:
            names |= new
        return names


def is_in_each_iteration(program: Program, step: StepLoop, site: Site) -> bool:
    """Return whether a read runs in each iteration that takes the step: it has no further condition."""
    known = [part for each in condition_of(step.site) for part in each.parts]
    for each in (part for condition in condition_of(site) for part in condition.parts):
        if _is_periodic(step, each) and not _is_each_time(program, each):
            return False
        if each in known or is_main_test(each.test) or _is_of_tensor(each) or _is_each_time(program, each):
            continue
        if any(re.fullmatch(_RANK, part.text) for part in with_definitions((each,))):  # others wait for the first one
            continue
        if by_default(program, each) is True:
            continue
        if not iterations.is_behind(program, step.loop, each, SHORT) or iterations.ends(site.block, *LEAVES):
            return False
    return program.runs(site)


def _is_each_time(program: Program, condition: Condition) -> bool:
    """Return whether a condition counts to 1: `i % 1 == 0`, `i % args.every == 0` where that is 1 by default."""
    test = condition.test
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.BinOp) or not isinstance(test.ops[0], ast.Eq):
        return False
    is_one = program.value(test.left.right, condition.scope).is_by_default(1)
    return condition.result and isinstance(test.left.op, ast.Mod) and is_one


def _is_periodic(step: StepLoop, condition: Condition) -> bool:
    """Return whether a condition in a loop counts: `i % 100 == 0`, and not `assert size % 8 == 0` before the loop."""
    return has_remainder(condition.test) and any(node is condition.test for node in ast.walk(step.loop))


def _evaluates(program: Program, step: StepLoop) -> bool:
    """Return whether the loop evaluates in each iteration, which waits for the device anyway."""
    beside = [site for site in step.scope.calls if _is_in_same_loop(step, site.block) and _is_evaluation(site)]
    results = _results(program, step).derived() if beside else set()
    others = (site for site in beside if site.node is not step.site.node and not _is_metric(site, results))
    return any(is_in_each_iteration(program, step, site) for site in others)


def _is_evaluation(site: Site) -> bool:
    first = site.node.args[:1] if isinstance(site.node, ast.Call) else []
    is_off = any(isinstance(each, ast.Constant) and each.value is False for each in first)
    return bool(re.search(_EVALUATES, site.word)) or (site.word == "set_train" and is_off)


def _is_metric(site: Site, results: set[str]) -> bool:
    """Return whether a call is given a result of the step: `accuracy(out, y)`, and no network or dataset."""
    parts = given(site.node) if isinstance(site.node, ast.Call) else ()
    return any(not names_in(part).isdisjoint(results) for part in parts)


def _asks_kind(test: ast.expr) -> bool:
    """Return whether a test asks what kind of object something is, which reads no tensor: `total is None`."""
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], (ast.Is, ast.IsNot))
    return isinstance(test, ast.Call) and word_of(test.func) in ("isinstance", "hasattr")


def _is_of_tensor(condition: Condition) -> bool:
    """Return whether a condition is that something is a tensor: `isinstance(x, Tensor)`, `hasattr(x, "asnumpy")`."""
    test = condition.test
    if not condition.result or not isinstance(test, ast.Call) or not _asks_kind(test):
        return False
    asked = test.args[-1]
    return word_of(asked) == "Tensor" or (isinstance(asked, ast.Constant) and asked.value in METHODS)


def _around(step: StepLoop) -> Iterator[Binding]:
    """Yield the bindings of the scope of a step, without those before and behind its loop."""
    for bindings in step.scope.bindings.values():
        yield from (each for each in bindings if step.loop in each.block.loops or not step.site.block.loops)


def written(site: Site) -> str:
    """Return the text of a read in a message: `.asnumpy()`, `print(...)`."""
    return f".{site.word}()" if site.word in METHODS else f"{site.word}(...)"
