"""Numbers that count in a loop: graph mode compiles again for each value of such an argument.

Run on 2.10, CPU. In each step this is slower than PyNative. In each epoch it is a compilation, of 0.7 s for LeNet and
3.8 s for two transformer blocks (PyNative loses as much in four steps), and a graph that stays, of 7 and 46 MB.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Optional, Union

from ms_perflint.index.semantic_index import Binding, Site
from ms_perflint.index.signature import Part
from ms_perflint.index.syntax_forms import descendants, given, word_of
from ms_perflint.infer.computing import OPERATORS
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.values import NO_CONSTANT
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes.host_values import scalar
from ms_perflint.training.factors import has_factor, is_dataset_size
from ms_perflint.training.graph_mode.branches import root_of
from ms_perflint.training.step_loops import DATA, ITERATORS, is_each_step
from ms_perflint.training.training import callers, running_callers

LONG = 1000  # steps
FEW = 20  # values: each is compiled once
HOPS = 6  # names and functions on the way to a value
_STEPS = re.compile(r"(?i)epoch|step|iter|batch")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)  # `%` and `//` give few values
_COMPUTED: dict[type[ast.operator], Callable[..., Any]] = {kind: OPERATORS[kind] for kind in _OPERATORS}
# Functions of two or more numbers, which may give few
_LIMITS: dict[str, Callable[..., float]] = {
    "builtins.min": min, "builtins.max": max, "numpy.minimum": min, "numpy.maximum": max, "builtins.round": round,
    "numpy.clip": lambda number, low, high: min(max(number, low), high),
}  # fmt: skip
_CURVES = ("exp", "cos", "sin", "sqrt", "log")
# Functions of one number that give as many
_KEEP: dict[str, Callable[..., float]] = {
    "builtins.float": float, "numpy.float32": float, "numpy.float64": float, "numpy.int32": int, "numpy.int64": int,
    **{f"math.{word}": getattr(math, word) for word in _CURVES},
    **{f"numpy.{word}": getattr(math, word) for word in _CURVES},
}  # fmt: skip
# Functions that give numbers for numbers
_NUMBERS = ("math.", "numpy.", *(f"builtins.{name}" for name in ("min", "max", "abs", "round", "pow", "float", "int")))
_FORMS = frozenset({"shape", "size", "ndim", "len"})  # mostly the same in each step
_GENERATOR = r"numpy\.random\.((RandomState|default_rng)\.)?"
_PYTHON = r"random\.(Random\.)?"
_RANDOM = rf"{_PYTHON}(random|uniform|gauss|betavariate|normalvariate|triangular)"
_ALONE = rf"{_GENERATOR}(rand|randn|random|random_sample|standard_normal)"  # numbers where no size is given
_BY_NUMBERS = rf"{_GENERATOR}(beta|gamma|normal|uniform)"  # of one or two numbers
_INTEGERS = rf"{_GENERATOR}(randint|integers)|{_PYTHON}(randint|randrange)"
_BARS = frozenset({"tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm"})
_RANGES = ("range", "trange")


def passed(program: Program, name: ast.expr, site: Site) -> Iterator[tuple[Site, ast.expr]]:
    """Yield the arguments that running calls pass for a parameter, which a name at a site is, with the calls."""
    bindings = site.scope.lookup(name) if isinstance(name, ast.Name) else ()
    for binding in (each for each in bindings if each.kind == "parameter" and each.scope is site.scope):
        for caller in running_callers(program, site.scope):
            part = argument(program.evaluator, binding, caller).part
            if part is not None and part.node is not binding.value and part.scope is caller.scope:
                yield caller, part.node


class Loops:
    """Expressions that are numbers which count in loops, and loops over data.

    `certain`: only what is known; else also what is likely.
    """

    def __init__(self, program: Program, certain: bool) -> None:
        self.program = program
        self.certain = certain

    def of_number(self, site: Site, node: ast.expr, hops: int = HOPS) -> Iterator[ast.AST]:
        """Yield the loops in which an expression takes more than a few numbers, also in the code of callers.

        Such is a number, too, that is computed from one that counts: `t = i / steps`.
        """
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            node = node.operand
        if not hops:
            return
        if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
            sides = {side: list(self.of_number(site, side, hops)) for side in (node.left, node.right)}
            rest = [side for side, loops in sides.items() if not loops]
            sizes = (self._is_size(site, side) for side in rest)
            if all(is_size or scalar(self.program, side, site.scope) for side, is_size in zip(rest, sizes)):
                yield from (loop for loops in sides.values() for loop in loops)
        elif isinstance(node, ast.Call):
            apis = frozenset() if node.keywords else self._apis(site, node)
            if apis and self._is_drawn(site, node, apis):
                yield from self._around(site)
            keeps = apis and (apis <= _KEEP.keys() or (apis == {"builtins.int"} and not self.certain))
            if keeps and len(node.args) == 1:
                yield from self.of_number(site, node.args[0], hops)
            if not self.certain:
                yield from self._of_result(site, node, hops)
            elif apis and apis <= _LIMITS.keys():
                yield from self._of_limited(site, node, hops)
            elif not any(apis):
                yield from self._of_returned(site, node, hops)
        elif isinstance(node, (ast.IfExp, ast.Subscript)) and not self.certain:
            is_number = isinstance(node, ast.IfExp) or self._holds_numbers(site, node.value)
            parts = (node.body, node.orelse) if isinstance(node, ast.IfExp) else (node.slice,) if is_number else ()
            yield from (loop for part in parts for loop in self.of_number(site, part, hops - 1))
        elif isinstance(node, ast.Name):
            yield from self._of_name(site, node, hops)
        elif isinstance(node, ast.Attribute):
            yield from self._of_attribute(site, node)

    def _is_drawn(self, site: Site, node: ast.Call, apis: frozenset[str]) -> bool:
        """Return whether a call draws a number, of many values."""

        def are(kind: str) -> bool:
            return all(re.fullmatch(kind, api) for api in apis)

        if are(_INTEGERS):
            drawn = self._range(site, node.args)
            return len(node.args) < 3 and (not self.certain if drawn is None else len(drawn) >= FEW)
        are_numbers = all(scalar(self.program, each, site.scope) for each in node.args)
        return (
            are(_RANDOM) or (not node.args and are(_ALONE)) or (len(node.args) < 3 and are_numbers and are(_BY_NUMBERS))
        )

    def _is_size(self, site: Site, node: ast.expr) -> bool:
        """Return whether an expression is the number of batches of a dataset, or of some epochs of it."""
        return has_factor(self.program, Part(node, site.scope), partial(is_dataset_size, self.program), alone=True)

    def _of_limited(self, site: Site, node: ast.Call, hops: int) -> list[ast.AST]:
        """Return the loops in which a function of numbers gives more than a few: `min(1.0, i / 100)`."""
        loops = [loop for each in node.args for loop in self.of_number(site, each, hops)]
        heads = [loop.iter for loop in loops if isinstance(loop, ast.For)]
        ranges = (self._range(site, each.args) for each in heads if isinstance(each, ast.Call) and each.args)
        steps = min((len(each) for each in ranges if each), default=LONG)
        is_known = bool(loops) and len(node.args) > 1 and self._at(site, node, 1) is not None
        found = {self._at(site, node, step) for step in range(min(steps, LONG))} if is_known else set()
        return loops if None not in found and len(found) >= FEW else []

    def _of_returned(self, site: Site, node: ast.Call, hops: int) -> Iterator[ast.AST]:
        """Yield the loops in which a function of the project, that returns one expression, gives many for a counter."""
        only = self.program.value(node.func, site.scope).only
        returns = only.definition.returns if only is not None and only.definition is not None else ()
        counted = (loop for each in given(node) for loop in self.of_number(site, each, hops - 1))
        if len(returns) == 1 and (not given(node) or any(counted)):
            value, block = returns[0]
            yield from self.of_number(Site.of(value, block), value, hops - 1)

    def _at(self, site: Site, node: ast.expr, step: float, hops: int = HOPS, own: str = "") -> Optional[float]:
        """Return what a number is where all counters, or the name `own`, are at `step`; None where it is not known."""
        if isinstance(node, ast.Name) and node.id == own:
            return step
        if isinstance(node, (ast.BinOp, ast.Call)):
            parts = [node.left, node.right] if isinstance(node, ast.BinOp) else node.args
            values = [self._at(site, each, step, hops, own) for each in parts]
            if isinstance(node, ast.Call) and self._is_drawn(site, node, self._apis(site, node)):
                return (step * 0.618) % 1
            return _computed(self._function(site, node), *values)
        if isinstance(node, (ast.Name, ast.Attribute)) and hops and any(self.of_number(site, node)):
            only = site.scope.only(node)
            whole = only.whole if only is not None and only.kind == "assign" else None
            return self._at(site, whole, step, hops - 1) if whole is not None else step
        constants = self.program.value(node, site.scope).constants
        constant = next(iter(constants)) if len(constants) == 1 else None
        if isinstance(constant, (int, float)):
            return constant
        return LONG if self._is_size(site, node) else None

    def _function(self, site: Site, node: Union[ast.BinOp, ast.Call]) -> Optional[Callable[..., Any]]:
        """Return the function of numbers that an operator or a call computes; None for others."""
        if isinstance(node, ast.BinOp):
            return _COMPUTED.get(type(node.op))
        apis = frozenset() if node.keywords else self._apis(site, node)
        return next(({**_KEEP, **_LIMITS}.get(api) for api in apis), None) if len(apis) == 1 else None

    def _of_result(self, site: Site, call: ast.Call, hops: int) -> Iterator[ast.AST]:
        """Yield the loops in which a call likely gives many numbers: `min(1.0, step / 50)`, `float(loss)`.

        A function of the project counts by what it returns.
        """
        counted = [loop for each in given(call) for loop in self.of_number(site, each, hops - 1)]
        if self._gives_number(site, call):
            yield from counted
        known = self.program.value(call.func, site.scope).alternatives
        if word_of(call.func) == "item" or any(each.api == "builtins.float" for each in known):
            parts = descendants(call)
            made = (each for part in parts if isinstance(part, ast.Name) for each in site.scope.lookup(part))
            is_anew = any(each.kind != "parameter" and self.is_in_pass(site, each) for each in made)
            yield from self._around(site) if is_anew and _FORMS.isdisjoint(map(word_of, parts)) else ()
        for function in (each.definition for each in known if each.definition is not None):
            returned = ((Site.of(value, block), value) for value, block in function.returns)
            inside = [loop for where, value in returned for loop in self.of_number(where, value, hops - 1)]
            yield from counted if inside and given(call) else inside

    def _gives_number(self, site: Site, call: ast.Call) -> bool:
        apis = self._apis(site, call)
        return bool(apis) and all(each.startswith(_NUMBERS) for each in apis)

    def _holds_numbers(self, site: Site, node: ast.expr) -> bool:
        """Return whether an expression is a list of numbers, or an array that NumPy makes of numbers."""
        known = self.program.value(node, site.scope).alternatives
        rows = [[self.program.evaluator.read(part) for part in each.parts] for each in known if each.is_display]
        are_numbers = all(row and all(each.are_constants for each in row) for row in rows)
        return bool(known) and are_numbers and all(k.is_display or k.type_api.startswith("numpy.") for k in known)

    def _of_name(self, site: Site, name: ast.Name, hops: int) -> Iterator[ast.AST]:
        bindings = site.scope.lookup(name)
        if self.certain and not (len(bindings) == 1 or all(map(self._is_start_or_sum, bindings))):
            return
        for binding in bindings:
            if self.certain and binding.scope is not site.scope:
                continue
            loops = binding.block.loops
            if not self.certain and loops and any(map(self._is_number, bindings)) and self._goes_on(binding):
                yield loops[0]
            elif (
                loops
                and binding.kind != "for"
                and not isinstance(binding.whole, ast.Constant)
                and self._is_start_or_sum(binding)
            ):
                loop, is_around = loops[0], loops[0] in site.block.loops and binding.block.owner is loops[0]
                over = loop.iter if is_around and isinstance(loop, ast.For) else None
                if not self.certain or (over is not None and self._is_long(site, over, "")):
                    yield loop
            elif binding.kind == "parameter":
                for caller, node in passed(self.program, name, site):
                    yield from self.of_number(caller, node, hops - 1)
            elif not self.is_in_pass(site, binding):
                continue
            elif isinstance(binding.stmt, ast.For) and self._counts_passes(site, binding.stmt.iter, binding):
                yield binding.stmt
            elif binding.whole is not None:
                yield from self.of_number(site, binding.whole, hops - 1)

    def _of_attribute(self, site: Site, node: ast.Attribute) -> Iterator[ast.AST]:
        """Yield the loops in which a method of the class of an object counts an attribute: `self.step += 1`."""
        own = site.scope.owner.cls if word_of(node.value) == "self" else None
        known = (each.cls for each in self.program.value(node.value, site.scope).alternatives)
        owners = (own,) if own is not None else dict.fromkeys(each for each in known if each is not None)
        bindings = [each for owner in owners for each in owner.attributes.get(node.attr, ())]
        for binding in bindings if not self.certain or all(map(self._is_start_or_sum, bindings)) else ():
            is_each = not self.certain or is_each_step(self.program, binding.site)
            if isinstance(binding.stmt, ast.AugAssign) and is_each and self._goes_on(binding):
                yield from binding.block.loops[:1] or self._around(site)

    def _around(self, site: Site) -> list[ast.AST]:
        """Return the innermost loop around a site, or around the calls of its function."""
        called = callers(self.program, site.scope.owner) if not site.block.loops else ()
        return site.block.loops[:1] or [loop for caller in called for loop in caller.block.loops[:1]]

    def is_in_pass(self, site: Site, binding: Binding) -> bool:
        """Return whether a loop around a site binds a name, or the function of the site does, outside of loops."""
        inside = [loop for loop in site.block.loops if loop in binding.block.loops or loop is binding.stmt]
        return bool(inside) or (not site.block.loops and site.scope.is_function)

    def _is_number(self, binding: Binding) -> bool:
        whole = binding.whole if binding.kind == "assign" else None
        return whole is not None and scalar(self.program, whole, binding.scope) is not None

    def _goes_on(self, binding: Binding) -> bool:
        """Return whether a binding computes a number from the one before: `beta = max(beta * 0.9, 0)`."""
        stmt = binding.stmt
        if isinstance(stmt, ast.AugAssign):
            is_number = scalar(self.program, stmt.value, binding.scope) is not None
            return isinstance(stmt.op, _OPERATORS) and is_number
        return binding.kind == "assign" and binding.whole is not None and self._is_next(binding, binding.whole)

    def _is_next(self, binding: Binding, node: ast.expr) -> bool:
        if isinstance(node, ast.BinOp):
            sides = [side for side in (node.left, node.right) if not self._is_next(binding, side)]
            return len(sides) < 2 and all(scalar(self.program, side, binding.scope) is not None for side in sides)
        if isinstance(node, ast.Call):
            return self._gives_number(binding.site, node) and any(self._is_next(binding, each) for each in given(node))
        return isinstance(node, ast.Name) and node.id == binding.name

    def _is_start_or_sum(self, binding: Binding) -> bool:
        """Return whether a binding gives a constant, or the next number: `step = 0`, `t = max(0.1, t * 0.9)`."""
        stmt, whole = binding.stmt, binding.whole
        if isinstance(stmt, ast.AugAssign):
            return self._moves_on(binding, stmt.value, stmt.op)
        if isinstance(whole, ast.BinOp) and isinstance(whole.left, ast.Name) and whole.left.id == binding.name:
            return binding.kind == "assign" and self._moves_on(binding, whole.right, whole.op)
        return isinstance(whole, ast.Constant) or (isinstance(whole, ast.Call) and self._moves_on(binding, whole))

    def _moves_on(self, binding: Binding, node: ast.expr, by: Optional[ast.operator] = None) -> bool:
        """Return whether the next number, an expression or `by` an operator, takes many values: not `sign *= -1`."""
        if isinstance(by, (ast.Add, ast.Sub)):
            return scalar(self.program, node, binding.scope) is not None
        bound = (each.whole for each in binding.scope.bindings.get(binding.name, ()))
        starts = [each.value for each in bound if isinstance(each, ast.Constant)]
        return bool(starts) and all(self._many_from(binding, start, node, by) for start in starts)

    def _many_from(self, binding: Binding, number: object, node: ast.expr, by: Optional[ast.operator]) -> bool:
        found: set[float] = set()
        while isinstance(number, (int, float)) and number not in found and len(found) < FEW:
            found.add(number)
            other = self._at(binding.site, node, number, 0, binding.name)
            number = other if by is None else _computed(_COMPUTED.get(type(by)), float(number), other)
        return len(found) >= FEW

    def _counts_passes(self, site: Site, head: ast.expr, binding: Binding) -> bool:
        """Return whether the variable of a loop counts its iterations, and there are many."""
        head = self._behind_bar(site, head)
        word = word_of(head.func) if isinstance(head, ast.Call) and head.args else ""
        if binding.path != {"enumerate": (0,), "range": (), "trange": ()}.get(word):
            return False
        return (word == "enumerate" and not self.certain) or self._is_long(site, head, binding.name)

    def _behind_bar(self, site: Site, head: ast.expr) -> ast.expr:
        """Return the iterable inside of a progress bar: `range(n)` of `tqdm(range(n))`."""
        while isinstance(head, ast.Call) and head.args:
            if word_of(head.func) != "tqdm" and not self._apis(site, head) & _BARS:
                break
            head = head.args[0]
        return head

    def _is_long(self, site: Site, head: ast.expr, name: str) -> bool:
        """Return whether a loop has many iterations: over a dataset, or over a `range` with the default options.

        An unknown `range` has many if its variable is named so, unless that has to be certain.
        """
        head = self._behind_bar(site, head)
        if isinstance(head, ast.Call) and head.args and word_of(head.func) == "enumerate":
            return self._is_long(site, head.args[0], name)
        if not isinstance(head, ast.Call) or word_of(head.func) not in _RANGES:
            return self.gives_data(site, head, arrays=True)
        if any(is_dataset_size(self.program, Part(each, site.scope)) for each in head.args[:2]):
            return True
        passes = self._range(site, head.args)
        return not self.certain and bool(_STEPS.search(name)) if passes is None else len(passes) >= FEW

    def _range(self, site: Site, arguments: Sequence[ast.expr]) -> Optional[range]:
        """Return the numbers that arguments of `range` or `randint` give; None where they are not known."""
        bounds: list[int] = []
        for each in arguments:
            known = self.program.value(each, site.scope)
            constants = {alternative.constant for alternative in known.by_default}
            constant = constants.pop() if len(constants) == 1 and not known.open else NO_CONSTANT
            if not isinstance(constant, int):
                return None
            bounds.append(constant)
        return range(*bounds) if bounds and 0 not in bounds[2:] and len(bounds) < 4 else range(0)

    def _named(self, site: Site, node: ast.expr, hops: int = HOPS) -> ast.expr:
        """Return the value of a name that has one binding; other expressions as they are."""
        only = site.scope.only(node) if hops else None
        return node if only is None or only.whole is None else self._named(site, only.whole, hops - 1)

    def gives_data(self, site: Site, head: ast.expr, arrays: bool) -> bool:
        """Return whether a loop goes over the batches of a dataset, as tensors, with `arrays` as arrays too."""
        head = self._named(site, self._behind_bar(site, head))
        if isinstance(head, ast.Call) and word_of(head.func) == "enumerate" and head.args:
            return self.gives_data(site, head.args[0], arrays)
        if isinstance(head, ast.Call) and word_of(head.func) in ITERATORS:
            return arrays or not any(word.arg == "output_numpy" for word in head.keywords)
        known = self.program.value(head, site.scope)
        roots = [root_of(each) for each in known.alternatives]  # also of one made of another: `data.map(...).batch(32)`
        are_data = bool(roots) and not known.open and all(each.startswith(DATA) for each in roots)
        return are_data and (arrays or not any(each.endswith(ITERATORS) for each in roots))

    def _apis(self, site: Site, node: ast.Call) -> frozenset[str]:
        value = self.program.value(node.func, site.scope)
        return frozenset() if value.open else frozenset(known.api for known in value.alternatives)


def _computed(function: Optional[Callable[..., Any]], *values: Optional[float]) -> Optional[float]:
    """Return the result of a function of numbers; None where it, or one of them, is not known."""
    try:
        return float(function(*values)) if function is not None and None not in values else None
    except (ArithmeticError, TypeError, ValueError):  # also a complex number, and one that is too large
        return None
