"""Arguments for which a compiled callee is compiled again: numbers that change, containers of tensors.

Run on 2.10, CPU, a network of two layers, ms per call behind the first: an int that changes 215 to 490, the same as
a tensor 0.4 to 10; a tuple of tensors 148 to 515, inside of `mutable` 0.6 to 8.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.signature import Held
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.values import NO_CONSTANT, Alternative
from ms_perflint.program.program import Program, fact
from ms_perflint.training import mode
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.dtypes.scalars import scalar
from ms_perflint.training.graph_mode.compiled import is_compiled
from ms_perflint.training.graph_mode.compiled_callees import Compiled, compiled_callee, is_cell
from ms_perflint.training.step_loops import is_each_step, scopes_of_steps
from ms_perflint.training.training import callers, is_trained

MANY = 20  # values: each of them is compiled once
_HOPS = 6  # names on the way to a value
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)  # `%` and `//` leave few values
_KEEP = frozenset(
    {
        "builtins.float", "numpy.float32", "numpy.float64", "numpy.int32", "numpy.int64", "math.exp", "math.cos",
        "math.sin", "math.sqrt", "math.log", "numpy.exp", "numpy.cos", "numpy.sin", "numpy.sqrt", "numpy.log",
    }
)  # fmt: skip
_RANDOM = frozenset({"random.random", "random.uniform", "random.gauss"})
_RANDOM_ARRAYS = frozenset({"numpy.random.rand", "numpy.random.randn", "numpy.random.random"})  # numbers without a size
_ITERATORS = ("create_tuple_iterator", "create_dict_iterator")
_SIZES = ("get_dataset_size",)
_BARS = frozenset({"tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm"})


class Varying(NamedTuple):
    """An argument of a call for which something is compiled at each step, and whether it is a number."""

    site: Site
    node: ast.expr
    callee: Compiled
    is_number: bool
    kind: Optional[type] = None  # of a number, where that is known


@fact
def varying_arguments(program: Program) -> tuple[Varying, ...]:
    """Return the arguments given in each step for which something is compiled at each step."""
    if not is_trained(program):
        return ()
    found: dict[int, Varying] = {}
    for scope in scopes_of_steps(program):
        for each in _in_scope(program, scope):
            found.setdefault(id(each.node), each)
    return tuple(found.values())


def _in_scope(program: Program, scope: Scope) -> Iterator[Varying]:
    for site in scope.calls:
        given = [each for each in _arguments(site) if _may_vary(each)]
        callee = compiled_callee(program, site) if given else None
        if callee is None or is_compiled(program, scope) or mode.is_in_jit(program, scope):
            continue
        if is_each_step(program, site):
            for node in given:
                yield from _found(program, site, node, callee, _HOPS)


def _arguments(site: Site) -> list[ast.expr]:
    """Return what a call passes, each on its own."""
    if not isinstance(site.node, ast.Call):
        return []
    plain = [each for each in site.node.args if not isinstance(each, ast.Starred)]
    return [*plain, *(word.value for word in site.node.keywords if word.arg is not None)]


def _may_vary(node: ast.expr) -> bool:
    """Return whether it is worth a look, by its form."""
    return not isinstance(node, (ast.Constant, ast.Attribute, ast.Lambda, ast.Compare, ast.Subscript))


def _found(program: Program, site: Site, node: ast.expr, callee: Compiled, hops: int) -> Iterator[Varying]:
    """Yield an argument that varies, or what the callers of the function pass that hands it on unchanged."""
    values = _Values(program, site)
    if values.is_counter(node, _HOPS):
        yield Varying(site, node, callee, True, values.kind(node))
    elif values.holds_tensors(node, _HOPS):
        if not callee.takes_apart:
            yield Varying(site, node, callee, False)
    elif isinstance(node, ast.Name) and hops:
        for caller, part in _given(program, node, site.scope):
            if part.scope is caller.scope and is_each_step(program, caller):
                yield from _found(program, caller, part.node, callee, hops - 1)


def _given(program: Program, name: ast.Name, scope: Scope) -> Iterator[tuple[Site, Held]]:
    """Yield the calls of a function, and what they pass for the parameter that a name is."""
    bindings = scope.lookup(name)
    if len(bindings) != 1 or bindings[0].kind != "parameter" or bindings[0].scope is not scope:
        return
    for caller in callers(program, scope):
        part = argument(program.evaluator, bindings[0], caller).part if program.runs(caller) else None
        if part is not None and part.node is not bindings[0].value:
            yield caller, Held(part.node, part.scope)


class _Values:
    """What expressions are where a site stands."""

    def __init__(self, program: Program, site: Site) -> None:
        self.program = program
        self.site = site
        self.scope = site.scope
        self.dtypes = Dtypes(program)

    def is_counter(self, node: ast.expr, hops: int) -> bool:
        """Return whether an expression is a number with many values over the run, one for each step or epoch."""
        if not hops:
            return False
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self.is_counter(node.operand, hops - 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
            sides = (node.left, node.right)
            counts = [self.is_counter(side, hops - 1) for side in sides]
            return any(counts) and all(is_one or self._is_number(side) for is_one, side in zip(counts, sides))
        if isinstance(node, ast.Call):
            return self._is_counted(node, hops)
        return isinstance(node, ast.Name) and self._counts(node, hops)

    def kind(self, node: ast.expr) -> Optional[type]:
        """Return whether a number that counts is an `int` or a `float`, where that is plain."""
        if isinstance(node, ast.Name) and all(each.kind in ("for", "augment") for each in self.scope.lookup(node)):
            return int
        return float if any(isinstance(each, ast.Div) for each in ast.walk(node)) else None

    def _is_number(self, node: ast.expr) -> bool:
        return scalar(self.program, node, self.scope) is not None or self._is_size(node, _HOPS)

    def _is_counted(self, node: ast.Call, hops: int) -> bool:
        apis = self._apis(node)
        if not apis or node.keywords:
            return False
        if apis <= _RANDOM or (apis <= _RANDOM_ARRAYS and not node.args):
            return True
        return apis <= _KEEP and len(node.args) == 1 and self.is_counter(node.args[0], hops - 1)

    def _counts(self, name: ast.Name, hops: int) -> bool:
        """Return whether a name counts: the variable of a loop, what each step adds to, what is worked out of these."""
        bindings = self.scope.lookup(name)
        if any(each.scope is not self.scope for each in bindings):
            return False
        if any(each.kind == "augment" for each in bindings):
            return all(self._is_start(each) or self._is_added(each) for each in bindings)
        if len(bindings) != 1 or not self._is_in_loop(bindings[0]):
            return False
        binding = bindings[0]
        if binding.kind == "for":
            return binding.value is not None and self._is_many(binding.value, binding.path, hops)
        is_plain = binding.kind == "assign" and not binding.path and binding.value is not None
        return is_plain and binding.value is not None and self.is_counter(binding.value, hops - 1)

    def _is_in_loop(self, binding: Binding) -> bool:
        """Return whether a loop around the site, or the function that is called in each step, binds a name."""
        inside = [loop for loop in self.site.block.loops if loop in binding.block.loops or loop is binding.stmt]
        return bool(inside) or (not self.site.block.loops and self.scope.is_function)

    def _is_start(self, binding: Binding) -> bool:
        return binding.kind == "assign" and not binding.path and isinstance(binding.value, ast.Constant)

    def _is_added(self, binding: Binding) -> bool:
        """Return whether it is `step += 1` in a loop that has many passes."""
        stmt = binding.stmt
        if not isinstance(stmt, ast.AugAssign) or not isinstance(stmt.op, (ast.Add, ast.Sub)):
            return False
        loops = [loop for loop in binding.block.loops if loop in self.site.block.loops]
        heads = (loop.iter for loop in loops[:1] if isinstance(loop, (ast.For, ast.AsyncFor)))
        is_many = any(self._is_many(head, None, _HOPS) for head in heads)
        return is_many and binding.block.owner is loops[0] and scalar(self.program, stmt.value, self.scope) is not None

    def _is_many(self, head: ast.expr, path: Optional[tuple[int, ...]], hops: int) -> bool:
        """Return whether a loop has many passes; with the path of its variable, whether that counts them."""
        if not isinstance(head, ast.Call) or not hops:
            return path is None and self._is_data(head, hops, arrays=True)
        apis = self._apis(head)
        if (apis & _BARS or head.func in _named(head, "tqdm")) and head.args:
            return self._is_many(head.args[0], path, hops - 1)
        if apis == {"builtins.enumerate"} and head.args:
            return path in (None, (0,)) and self._is_many(head.args[0], None, hops - 1)
        if apis == {"builtins.range"}:
            return path in (None, ()) and self._is_long(head)
        return path is None and self._is_data(head, hops, arrays=True)

    def _is_long(self, head: ast.Call) -> bool:
        """Return whether a `range` has many numbers with the default options."""
        if any(self._is_size(each, _HOPS) for each in head.args[:2]):
            return True
        bounds: list[int] = []
        for each in head.args:
            known = self.program.value(each, self.scope)
            constants = {alternative.constant for alternative in known.by_default}
            constant = constants.pop() if len(constants) == 1 and not known.open else NO_CONSTANT
            if not isinstance(constant, int):
                return False
            bounds.append(constant)
        return bool(bounds) and 0 not in bounds[2:] and len(range(*bounds)) >= MANY

    def _is_size(self, node: ast.expr, hops: int) -> bool:
        """Return whether an expression is the number of batches of a dataset."""
        if isinstance(node, ast.Name) and hops:
            bindings = self.scope.lookup(node)
            value = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
            return value is not None and bindings[0].kind == "assign" and self._is_size(value, hops - 1)
        return isinstance(node, ast.Call) and bool(_named(node, *_SIZES))

    def _is_data(self, head: ast.expr, hops: int, arrays: bool = False) -> bool:
        """Return whether a loop goes over the batches of a dataset, as tensors, with `arrays` as arrays too."""
        if isinstance(head, ast.Call):
            inside = self._apis(head) == {"builtins.enumerate"} or self._apis(head) & _BARS or _named(head, "tqdm")
            if inside and head.args:
                return self._is_data(head.args[0], hops, arrays)
            if _named(head, *_ITERATORS):
                return arrays or not any(word.arg == "output_numpy" for word in head.keywords)
        if isinstance(head, ast.Name) and hops:
            bindings = self.scope.lookup(head)
            value = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
            if isinstance(value, ast.Call) and not bindings[0].path and bindings[0].scope is self.scope:
                return self._is_data(value, hops - 1, arrays)
        known = self.program.value(head, self.scope)
        return not known.open and bool(known.alternatives) and all(map(_is_data_set, known.alternatives))

    def _apis(self, node: ast.Call) -> frozenset[str]:
        value = self.program.value(node.func, self.scope)
        return frozenset() if value.open else frozenset(known.api for known in value.alternatives)

    # --- containers

    def holds_tensors(self, node: ast.expr, hops: int) -> bool:
        """Return whether an expression is a tuple, list or dict, made in each step, that holds a tensor of it."""
        if isinstance(node, (ast.Tuple, ast.List)):
            return any(self._is_tensor(each, hops) for each in node.elts)
        if isinstance(node, ast.Dict):
            return any(self._is_tensor(each, hops) for each in node.values)
        if isinstance(node, ast.Name) and hops:
            binding = self._bound(node)
            is_plain = binding is not None and binding.kind == "assign" and not binding.path
            value = binding.value if binding is not None and is_plain else None
            return value is not None and self.holds_tensors(value, hops - 1)
        return False

    def _bound(self, name: ast.Name) -> Optional[Binding]:
        """Return the one binding of a name in the loops around the site."""
        bindings = self.scope.lookup(name)
        only = bindings[0] if len(bindings) == 1 and bindings[0].scope is self.scope else None
        return only if only is not None and self._is_in_loop(only) else None

    def _is_tensor(self, node: ast.expr, hops: int) -> bool:
        """Return whether an expression is a tensor, made or read in each step."""
        if not hops:
            return False
        if isinstance(node, ast.Name):
            binding = self._bound(node)
            if binding is None:
                return False
            if binding.kind == "for":
                is_row = not binding.path or len(binding.path) == 1 or binding.path[0] == 1
                return is_row and binding.value is not None and self._is_data(binding.value, _HOPS)
            if binding.kind == "parameter":
                given = _given(self.program, node, self.scope)
                return any(_Values(self.program, site)._is_tensor(part.node, hops - 1) for site, part in given)
            return binding.kind == "assign" and binding.value is not None and self._is_tensor(binding.value, hops - 1)
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Name) and self._is_tensor(node.value, hops - 1)
        if isinstance(node, ast.Call):
            site = self.scope.module.site_at(node)
            value = self.program.evaluator.callees(site) if site is not None else None
            callees = value.alternatives if value is not None and not value.open else ()
            if callees and all(is_cell(self.program, known) for known in callees):
                return True
            is_method = isinstance(node.func, ast.Attribute) and node.func.attr != "asnumpy"
            if is_method and self._is_tensor(node.func.value, hops - 1):  # type: ignore[attr-defined]
                return True
        return isinstance(node, (ast.Call, ast.BinOp)) and self.dtypes.is_tensor(node, self.scope)


def _named(node: ast.Call, *words: str) -> tuple[ast.expr, ...]:
    """Return the callee where its last word is one of these."""
    word = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return (node.func,) if word in words else ()


def _is_data_set(known: Alternative) -> bool:
    """Return whether an expression is a dataset, also one that was made of another: `data.map(...).batch(32)`."""
    while not known.type_api and known.origin is not None:
        known = known.origin
    return known.type_api.startswith("mindspore.dataset.") and not known.type_api.endswith(_ITERATORS)
