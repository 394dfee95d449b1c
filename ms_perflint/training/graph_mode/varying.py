"""Arguments for which a compiled callee is compiled again: numbers that change, containers of tensors.

Run on 2.10, CPU, a network of two layers, ms per call behind the first: an int that changes 215 to 490, the same as
a tensor 0.4 to 10; a tuple of tensors 148 to 515, inside of `mutable` 0.6 to 8.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.signature import positional
from ms_perflint.index.syntax_forms import descendants, inner_of, is_decorated, plainly_given, text_of, word_of
from ms_perflint.infer import list_changes
from ms_perflint.infer.bases import method
from ms_perflint.infer.parameters import parameters_given
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.program import Program, fact
from ms_perflint.training import jit, mode
from ms_perflint.training.bases import function_of, is_cell
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.graph_mode.compiled import is_compiled, steps
from ms_perflint.training.graph_mode.counters import HOPS, Loops, passed
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.graph_mode.statements import wanting_numbers
from ms_perflint.training.optimizers import is_optimizer
from ms_perflint.training.repetition import repeats
from ms_perflint.training.step_loops import is_each_step, is_step_loop, scopes_of_steps
from ms_perflint.training.training import is_trained, steps_by_hand, train_sites
from ms_perflint.training.training_steps import GRADS

AGAIN = Message("graph mode compiles again in each step for a new list, tuple or dict: pass tensors one by one")
_APART = ("jit_class", "ms_class")  # decorators of classes whose objects Python calls
_KEYWORDS = frozenset({"fn", "function", "hash_args", "jit_config", "jit_level", "backend", "mode", "compile_once"})
_AST = ("PSJit", "ast")  # what `jit` compiles by default: the syntax tree, not bytecode


class Compiled(NamedTuple):
    """The name of a compiled callee, and whether the elements of containers become inputs of their own."""

    name: str
    takes_apart: bool


class Varying(NamedTuple):
    """An argument for which a callee is compiled again: a container, or a number that counts in loops.

    `inner` is the call of the callee, with the argument as it stands there: another one if a function passes it on.
    `is_of_epoch`: a container that each epoch makes, for many steps.
    """

    site: Site
    node: ast.expr
    callee: Compiled
    loops: tuple[ast.AST, ...]
    inner: tuple[Site, ast.expr]
    is_of_epoch: bool

    @property
    def is_number(self) -> bool:
        """Return whether it is a number."""
        return bool(self.loops)

    @property
    def kind(self) -> Optional[type]:
        """Return whether a number is an `int` or a `float`; None where that is not certain."""
        bindings = self.site.scope.lookup(self.node) if isinstance(self.node, ast.Name) else ()
        if bindings and all(each.kind in ("for", "augment") for each in bindings):
            return int
        return float if any(isinstance(each, ast.Div) for each in ast.walk(self.node)) else None

    @property
    def name(self) -> str:
        """Return its source text."""
        return ast.unparse(self.node)

    @property
    def obstacle(self) -> Obstacle:
        """Return it as an obstacle to graph mode."""
        number = Message("graph mode compiles again for each value of `{name}`: pass a Tensor", name=self.name)
        kind, text = ("number", number) if self.is_number else ("container", AGAIN)
        return obstacle(self.site.module, self.node, kind, text)


@fact
def varying_arguments(program: Program) -> tuple[Varying, ...]:
    """Return the arguments for which a callee is compiled again in each step."""
    if not is_trained(program):
        return ()
    found: dict[int, Varying] = {}
    for scope in scopes_of_steps(program):
        if not is_compiled(program, scope) and not jit.is_in_jit(program, scope):
            for site in scope.calls:
                for each in _of_call(program, site, certain=True):
                    found.setdefault(id(each.node), each)
    return tuple(found.values())


def wanting_number(program: Program, each: Varying) -> Optional[Obstacle]:
    """Return the first code of the compiled callee in which a number cannot be a tensor; None without one."""
    site, node = each.inner
    for function in given_functions(program, site):
        given = parameters_given(program.evaluator, function, site, lambda part: part is node)
        for found in wanting_numbers(program, function, given) if given else ():
            return found
    return None


def in_arguments(program: Program) -> Iterator[Obstacle]:
    """Yield the arguments of training steps for which graph mode would compile again in each step."""
    for each in _would_vary(program):
        if not _is_per_epoch(program, each):
            yield each.obstacle
    containers = {id(each.site.node) for each in _would_vary(program) if not each.is_number}
    for site in train_sites(program):
        for function in given_functions(program, site) if id(site.node) not in containers else ():
            read = _read_by_key(function)
            if read is not None:
                yield obstacle(function.module, read, "container", AGAIN)


def varying_per_epoch(program: Program) -> Optional[Varying]:
    """Return the first argument that varies per epoch, and not per step; None if none."""
    return next((each for each in _would_vary(program) if _is_per_epoch(program, each)), None)


def _is_per_epoch(program: Program, each: Varying) -> bool:
    is_of_steps = any(is_step_loop(program, loop) for loop in each.loops)
    return each.is_of_epoch or (each.is_number and not is_of_steps)


@fact
def _would_vary(program: Program) -> tuple[Varying, ...]:
    """Return the arguments of training steps for which graph mode would compile again, in each step or epoch."""
    return tuple(each for site in steps_by_hand(program) for each in _of_call(program, site, certain=False))


def _of_call(program: Program, site: Site, certain: bool) -> Iterator[Varying]:
    """Yield the arguments of a call that vary; also what callers pass for a parameter that the function passes on.

    `certain`: of a compiled callee that runs in each step; else of a training step that would be compiled.
    """
    given = plainly_given(site.node) if isinstance(site.node, ast.Call) else []
    given = [each for each in given if _may_vary(each, certain)]
    callee = _compiled_callee(program, site, would_be=not certain) if given else None
    if callee is None or (certain and not is_each_step(program, site)):
        return
    loops, containers = Loops(program, certain), _Containers(program, certain)
    for node in given:
        for where, part in _passed_on(program, site, node, HOPS):
            if certain and not is_each_step(program, where):
                continue
            at = (where, part) if certain else (site, node)
            counted = tuple(loops.of_number(where, part))
            if counted or (not callee.takes_apart and containers.is_one(where, part)):
                is_of_epoch = not counted and containers.is_of_epoch(where, part)
                yield Varying(*at, callee, counted, (site, node), is_of_epoch)
                if not certain:
                    break


def _may_vary(node: ast.expr, certain: bool) -> bool:
    """Return whether an argument may vary, by its form; one item of a row may, unless that has to be certain."""
    is_part = certain and isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice)
    return not is_part and not isinstance(node, (ast.Constant, ast.Lambda, ast.Compare))


def _passed_on(program: Program, site: Site, node: ast.expr, hops: int) -> Iterator[tuple[Site, ast.expr]]:
    """Yield the origins of an argument: the calls that pass it, where it is a parameter; else the call itself."""
    given = list(passed(program, node, site)) if hops else []
    for caller, part in given:
        yield from _passed_on(program, caller, part, hops - 1)
    if not given:
        yield site, node


def given_functions(program: Program, site: Site) -> Iterator[Scope]:
    """Yield the functions of the project that a step calls: what it differentiates, the `construct` of a cell."""
    for known in program.evaluator.callees(site).alternatives:
        made = known.creation
        inner = inner_of(made.call) if made is not None and known.type_api in GRADS else None
        called = program.value(inner, made.scope).alternatives if made is not None and inner is not None else (known,)
        yield from filter(None, (function_of(program, each) for each in called))


def _read_by_key(function: Scope) -> Optional[ast.Subscript]:
    """Return where a function reads an entry of a parameter by a text: `batch["image"]`; None without one."""
    given = {each.arg for each in positional(function)}
    for node in descendants(function.node):
        is_entry = isinstance(node, ast.Subscript) and bool(text_of(node.slice))
        if is_entry and isinstance(node.value, ast.Name) and node.value.id in given:  # type: ignore[attr-defined]
            return node  # type: ignore[return-value]
    return None


class _Containers:
    """Which expressions are containers of tensors that each step makes: graph mode takes them as constants.

    Run on 2.10, CPU: a train cell and a gradient function that are given `[x, y]`, `(x, y)` or `{"x": x}` compile again
    in each step, which takes 5 to 10 times as long as the step in PyNative. `step(*batch)` and a list that is made in
    compiled code are compiled once. The same tuple in many steps is compiled for the first of them.

    `certain`: only of what is known to be a tensor, for what is compiled; else also of what is no constant.
    """

    def __init__(self, program: Program, certain: bool) -> None:
        self.program = program
        self.certain = certain
        self.loops = Loops(program, certain)
        self.dtypes = Dtypes(program)

    def is_one(self, site: Site, node: ast.expr) -> bool:
        """Return whether an expression is a tuple, list or dict that each step makes, with a tensor of the step."""
        if self._is_slice(site, node) or self._is_numbers(site, node):
            return True
        bindings = site.scope.lookup(node) if isinstance(node, ast.Name) else ()
        # also of a slice of a whole batch, a list too: `inputs, label = batch[:-1], batch[-1]`
        if any(self._is_batch(each) or self._is_slice(site, each.whole) for each in bindings):
            return True
        if any(self._is_numbers(site, each.whole) for each in bindings):
            return True
        known = self.program.value(node, site.scope)
        shown = [each for each in known.alternatives if each.is_display]
        is_known = not known.open and len(shown) == len(known.alternatives)
        added = [] if self.certain and not is_known else self._added(site, node)
        return (is_known or not self.certain) and any(self._is_made_again(each, added) for each in shown)

    def is_of_epoch(self, site: Site, node: ast.expr) -> bool:
        """Return whether each display that an expression can be is made in a loop around those that take the steps."""
        made = [self._statement(known) for known in self.program.value(node, site.scope).alternatives]
        return bool(made) and all(each is not None and self._is_around_steps(each) for each in made)

    def _is_around_steps(self, site: Site) -> bool:
        loop = next(iter(site.block.loops), None)  # the innermost one
        if loop is None or is_step_loop(self.program, loop):
            return False
        return any(is_step_loop(self.program, each) for each in descendants(loop))

    def _added(self, site: Site, node: ast.expr) -> list[tuple[Site, ast.expr]]:
        """Return what code adds to the lists and dicts that an expression can be, with the statements that do."""
        changes = list_changes.additions(self.program.evaluator, node, site.scope)
        return [(Site.of(each.node, each.block), each.added) for each in changes if each.added is not None]

    def _is_made_again(self, known: Alternative, added: Sequence[tuple[Site, ast.expr]]) -> bool:
        """Return whether each step makes a display with a tensor again, or adds one to it."""
        here = self._statement(known)
        if here is None:
            return False
        if self.certain:
            parts = [*((here, part.node) for part in known.parts if not part.is_spread), *added]
            copied = (self.program.value(part.node, part.scope) for part in known.parts if part.is_spread)
            is_copy = any(self._is_made_again(each, ()) for value in copied for each in value.alternatives)
            return is_each_step(self.program, here) and (is_copy or any(self._is_tensor(*part, HOPS) for part in parts))
        if not repeats(self.program, here):
            return False
        values = [*map(self.program.evaluator.read, known.parts), *(self.program.value(n, s.scope) for s, n in added)]
        return not all(each.are_constants for each in values)

    def _statement(self, known: Alternative) -> Optional[Site]:
        """Return the innermost statement that makes a display."""
        node = known.shown.node if known.shown is not None else None
        found = steps(self.program, known.shown.scope.owner) if known.shown is not None else ()
        inside = (step for step in reversed(found) if any(each is node for each in descendants(step.stmt)))
        return next(inside, None)

    def _is_slice(self, site: Site, value: Optional[ast.expr]) -> bool:
        """Return whether an expression is `batch[1:]`, `list(batch)` or `tuple(batch)` of a whole batch."""
        whole: Optional[ast.expr] = None
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
            whole = value.value
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("list", "tuple"):
            whole = value.args[0] if len(value.args) == 1 else None
        return isinstance(whole, ast.Name) and any(map(self._is_batch, site.scope.lookup(whole)))

    def _is_numbers(self, site: Site, value: Optional[ast.expr]) -> bool:
        """Return whether an expression is likely a list of numbers of the step: `y.asnumpy().tolist()`."""
        if self.certain or not isinstance(value, ast.Call) or word_of(value.func) != "tolist":
            return False
        bound = (each for node in descendants(value) if isinstance(node, ast.Name) for each in site.scope.lookup(node))
        return any(each.scope is site.scope and self.loops.is_in_pass(site, each) for each in bound)

    def _is_batch(self, binding: Binding) -> bool:
        """Return whether a loop over a dataset binds a name to a batch: `for batch in data.create_dict_iterator()`."""
        over = binding.stmt.iter if isinstance(binding.stmt, ast.For) else None
        return over is not None and binding.path == (1,) * _is_counted(over) and self._gives_tensors(binding, over)

    def _gives_tensors(self, binding: Binding, over: ast.expr) -> bool:
        return self.loops.gives_data(binding.site, over, arrays=not self.certain)

    def _is_tensor(self, site: Site, node: ast.expr, hops: int) -> bool:
        """Return whether an expression is a tensor that each step makes or reads."""
        if not hops:
            return False
        if isinstance(node, ast.Name):
            bindings = [each for each in site.scope.lookup(node) if each.scope is site.scope]
            binding = bindings[0] if len(bindings) == 1 and self.loops.is_in_pass(site, bindings[0]) else None
            if binding is None or binding.value is None:
                given = passed(self.program, node, site)
                return any(self._is_tensor(caller, part, hops - 1) for caller, part in given)
            if binding.kind == "for":
                is_row = binding.path[:1] == (1,) or not (_is_counted(binding.value) or len(binding.path) > 1)
                return is_row and self._gives_tensors(binding, binding.value)
            return binding.kind == "assign" and self._is_tensor(site, binding.value, hops - 1)
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Name) and self._is_tensor(site, node.value, hops - 1)
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
        if any(self._is_tensor(site, side, hops - 1) for side in sides):
            return True
        if isinstance(node, ast.Call):
            maker = site.scope.module.site_at(node)
            if maker is not None and self.program.evaluator.callees(maker).are_only(partial(is_cell, self.program)):
                return True
            is_method = isinstance(node.func, ast.Attribute) and node.func.attr != "asnumpy"
            if is_method and self._is_tensor(site, node.func.value, hops - 1):  # type: ignore[attr-defined]
                return True
        return isinstance(node, (ast.Call, ast.BinOp)) and self.dtypes.is_tensor(node, site.scope)


def _is_counted(over: ast.expr) -> bool:
    """Return whether a loop goes through what `enumerate` gives."""
    return isinstance(over, ast.Call) and word_of(over.func) == "enumerate"


# --- compiled callees


def _compiled_callee(program: Program, site: Site, would_be: bool = False) -> Optional[Compiled]:
    """Return the callee of a call if all that it can be is compiled; None for other calls.

    Where the program calls `set_inputs`, which tells the compiler what may vary, cells do not count. `would_be`: also
    what graph mode would compile, as an unknown callee of a training step.
    """
    callee = site.callee
    if callee is None:
        return None
    value = program.evaluator.callees(site)
    if would_be and (value.open or not value.alternatives):
        return Compiled(site.word, False)
    if value.open or not value.alternatives:
        return None
    if isinstance(callee, ast.Name) and _is_made_by_jit(program, callee, site.scope):
        return Compiled(site.word, False)
    in_graph = would_be or mode.is_graph_at(program, site)
    if not all(_is_compiled_when_called(program, known, in_graph) for known in value.alternatives):
        return None
    takes_apart = any(is_optimizer(program, known.type_api, known.cls) for known in value.alternatives)
    return Compiled(site.word or "value_and_grad", takes_apart or bool(program.naming("enable_tuple_broaden")))


def _is_compiled_when_called(program: Program, known: Alternative, in_graph: bool) -> bool:
    """Return whether a callee is compiled, in graph mode or by `jit`."""
    if known.definition is not None:
        return _is_jit_function(program, known.definition)
    construct = method(program.evaluator, known.cls, "construct") if known.cls is not None else None
    if construct is not None and _is_jit_function(program, construct):
        return True
    if not in_graph:
        return False
    made_by = known.origin
    if known.type_api in GRADS - {"mindspore.ops.GradOperation"}:
        return True
    if made_by is not None and not known.type_api:
        return made_by.type_api == "mindspore.ops.GradOperation"
    if known.cls is not None and is_decorated(known.cls.node, *_APART):
        return False
    calls = known.cls is not None and method(program.evaluator, known.cls, "__call__") is not None
    return is_cell(program, known) and not calls and not program.sites("set_inputs")


def _is_jit_function(program: Program, function: Scope) -> bool:
    """Return whether `jit` decorates a function and compiles it for each kind of arguments."""
    calls = (each for each in getattr(function.node, "decorator_list", ()) if isinstance(each, ast.Call))
    return jit.is_decorated(program, function) and all(_is_plain(program, call, function) for call in calls)


def _is_made_by_jit(program: Program, name: ast.Name, scope: Scope) -> bool:
    """Return whether the only value of a name is the result of `jit(function)`."""
    binding = scope.only(name)
    call = binding.whole if binding is not None else None
    made = binding.scope.module.site_at(call) if binding is not None and isinstance(call, ast.Call) else None
    is_jit = made is not None and any(api in jit.JITS for api in program.apis(made))
    return is_jit and made is not None and _is_plain(program, made.call, made.scope)


def _is_plain(program: Program, call: ast.Call, scope: Scope) -> bool:
    """Return whether a call of `jit` compiles for each kind of arguments: no `input_signature`, no bytecode."""
    for word in call.keywords:
        if word.arg not in _KEYWORDS and word.arg != "capture_mode":
            return False
        if word.arg in ("capture_mode", "mode"):
            known = program.value(word.value, scope)
            if not any(known.must_be(each) for each in _AST):
                return False
        if word.arg == "compile_once" and program.value(word.value, scope).truth is not False:
            return False
    return True
