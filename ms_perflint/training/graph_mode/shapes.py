"""Batches whose shape varies from step to step, and inputs that grow: graph mode compiles once per shape.

Run on 2.10, CPU: each new shape takes as long as the first step, ten times as long as a step in PyNative; a window
`x[i : i + 4]` has one shape. One that was met before is not compiled again. A cell that writes a text token by token
is compiled again for each length.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import Optional

from ms_perflint.index.semantic_index import LOOPS, Binding, Scope, Site
from ms_perflint.index.syntax_forms import descendants, inside, word_of
from ms_perflint.index.syntax_forms import given as passed
from ms_perflint.infer.bases import method
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.bases import is_cell
from ms_perflint.training.graph_mode.compiled import is_compiled
from ms_perflint.training.graph_mode.counters import Loops
from ms_perflint.training.graph_mode.counters import passed as passed_for
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.training import steps_by_hand

VARYING = Message("batches of varying shape: graph mode compiles once per shape")
_BUCKETS = "bucket_batch_by_length"
_LONGEST = ("max", "pad_sequence")
_LENGTHS = frozenset({"len", "shape", "size"})
_PADS = ("batch", "padded_batch")
_MAP = "per_batch_map"
_SAME = frozenset({"shape", "size", "ndim", "len", "get_dataset_size"})  # of a batch: the same in each step
_NAMES = 8  # names given to one another that are followed
_DRAWN = frozenset({"randint", "randrange", "choice"})
_MAKERS = frozenset({"zeros", "ones", "full", "empty"})  # of a tensor or array of some shape
_JOINS = ("concat", "cat", "concatenate", "hstack", "append")
_WRAPS = frozenset({"Tensor", "tensor", "array", "asarray", "expand_dims", "unsqueeze", "astype", "cast"})
_ROWS = _WRAPS | {"zip", "map", "list", "tuple", "stack", "vstack", "concatenate"}
_READ = frozenset({"max", "amax", "item", "asnumpy"})  # what makes a number of the data of a batch
_FLAGS = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.UnaryOp, ast.BoolOp)


def in_shapes(program: Program) -> Iterator[Obstacle]:
    """Yield the code that makes batches of varying shape, unless `set_inputs` declares it."""
    if program.sites("set_inputs"):
        return
    yield from of_batches(program)
    for site in steps_by_hand(program):
        given = site.node.args if isinstance(site.node, ast.Call) else ()
        sliced = (_varying_slice(program, site, each) for each in given)
        first = next((each for each in sliced if each is not None), None)
        first = first or next((each for each in given if _is_gathered(program, site, each, _NAMES)), None)
        if first is not None:
            sliced_text = Message("slices of varying length: graph mode compiles once per shape")
            yield obstacle(site.module, first, "shapes", sliced_text if isinstance(first, ast.Subscript) else VARYING)


def of_batches(program: Program) -> Iterator[Obstacle]:
    """Yield the code of a data pipeline that makes batches of varying shape."""
    found = [site for site in program.sites(_BUCKETS) if program.runs(site)]
    for word in _PADS:
        found += [site for site in program.sites(word) if _pads_to_longest(site) and program.runs(site)]
    makers = _batch_makers(program)
    for word in _LONGEST:
        found += [site for site in program.sites(word) if _is_per_batch(site, makers) and program.runs(site)]
    for site in found:
        yield obstacle(site.module, site.node, "shapes", VARYING)


def _batch_makers(program: Program) -> set[Scope]:
    """Return the functions and methods that make batches: `data.batch(4, per_batch_map=pad)`."""
    sites = [site for word in _PADS for site in program.sites(word)]
    given = ((word.value, site.scope) for site in sites for word in site.call.keywords if word.arg == _MAP)
    known = [known for node, scope in given for known in program.value(node, scope).alternatives]
    called = (method(program.evaluator, each.cls, "__call__") for each in known if each.cls is not None)
    return {scope for scope in (*(each.definition for each in known), *called) if scope is not None}


def _is_per_batch(site: Site, makers: Collection[Scope]) -> bool:
    """Return whether a call pads the rows of a batch to the longest: `max(len(row) for row in batch)` before `yield`.

    It is in code that makes batches: an iterator, a generator, a function that collates. `makers`: more of them.
    """
    owner = site.scope.owner
    lengths = (word_of(each) for each in ast.walk(site.node) if each is not site.node)
    if site.word == "max" and (_LENGTHS.isdisjoint(lengths) or _is_at_least(site.node)):
        return False
    if not owner.is_function:
        return False
    is_generator = any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in descendants(owner.node))
    is_named = owner.name in ("__next__", "__iter__") or "collate" in owner.name or "batch" in owner.name
    return is_generator or is_named or owner in makers


def _is_at_least(node: ast.expr) -> bool:
    """Return whether `max` keeps a length above a constant, and is not that of several: `max(1, len(row) // 8)`."""
    of = node.args if isinstance(node, ast.Call) else []
    return any(isinstance(each, ast.Constant) for each in of) and not any(isinstance(each, ast.Starred) for each in of)


def _pads_to_longest(site: Site) -> bool:
    """Return whether a batch is padded to its longest row: `pad_info={"tokens": ([None], 0)}`, `pad_info={}`.

    Behind a first axis of some size None mostly stands for one that is the same in all rows: masks of images.
    """
    for each in (each.value for each in site.call.keywords if each.arg == "pad_info"):
        wholes = [binding.whole for binding in site.scope.lookup(each)] if isinstance(each, ast.Name) else [each]
        for whole in wholes:
            columns = list(whole.values) if isinstance(whole, ast.Dict) else None
            if isinstance(whole, ast.Call) and word_of(whole.func) == "dict" and not whole.args:
                columns = [word.value for word in whole.keywords]
            if columns is not None and (not columns or any(_is_open(column) for column in columns)):
                return True
    return False


def _is_open(column: ast.expr) -> bool:
    """Return whether a column is as long as its longest row: None, `(None, 0)`, `([None, 80], 0)`."""
    while isinstance(column, (ast.List, ast.Tuple)) and column.elts:
        column = column.elts[0]
    return isinstance(column, ast.Constant) and column.value is None


def _varying_slice(program: Program, site: Site, given: ast.expr, names: int = _NAMES) -> Optional[ast.expr]:
    """Return the slice in an argument of a step whose length varies from step to step; None without one."""
    if isinstance(given, ast.Name):
        bindings = (each for each in site.scope.lookup(given) if each.block.loops) if names else ()
        values = (each.whole for each in bindings)
        found = (_varying_slice(program, site, value, names - 1) for value in values if value is not None)
        return next((each for each in found if each is not None), None)
    if isinstance(given, ast.Call) and word_of(given.func) in site.module.aliases(*_WRAPS):
        inner = next(iter(passed(given)), None)
        return _varying_slice(program, site, inner, names) if inner is not None else None
    if isinstance(given, ast.Call) and word_of(given.func) in site.module.aliases(*_MAKERS):
        sizes = [*given.args, *(word.value for word in given.keywords)]
        return given if any(_varies(program, site, each) for each in sizes) else None
    if not isinstance(given, ast.Subscript):
        return None
    axes = given.slice.elts if isinstance(given.slice, ast.Tuple) else [given.slice]
    for axis in axes:
        bounds = [axis.lower, axis.upper] if isinstance(axis, ast.Slice) else []
        if sum(_varies(program, site, bound) for bound in bounds if bound is not None) == 1:  # both: it may be a window
            return given
    return None


def _varies(program: Program, site: Site, bound: ast.expr, names: int = _NAMES) -> bool:
    """Return whether the bound of a slice is computed from a number that varies from step to step."""
    if not names or (isinstance(bound, ast.Attribute) and bound.attr in _SAME):
        return False
    if isinstance(bound, ast.Call):
        word = word_of(bound.func)
        if word in _SAME:
            return False
        if word in site.module.aliases(*_DRAWN):
            return bool(site.block.loops)
        if word in _READ and any(_is_of_batch(site, part) for part in ast.walk(bound)):
            return True
    if not isinstance(bound, ast.Name):
        return any(
            _varies(program, site, part, names) for part in ast.iter_child_nodes(bound) if isinstance(part, ast.expr)
        )
    bindings = [each for each in site.scope.lookup(bound) if _is_around(site, each)]
    return any(
        any(True for _ in Loops(program, certain=False).of_number(site, bound))
        if each.kind == "for"
        else (each.kind == "augment" and each.block.owner in site.block.loops)
        or (each.value is not None and not each.path and _varies(program, site, each.value, names - 1))
        for each in bindings
    )


def _is_gathered(program: Program, site: Site, node: ast.expr, hops: int) -> bool:
    """Return whether an argument has a row for each pass of a loop that ends by a flag: the steps of an episode."""
    node = node.value if isinstance(node, ast.Starred) else node
    if isinstance(node, ast.Call) and word_of(node.func) in site.module.aliases(*_ROWS):
        base = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return any(_is_gathered(program, site, each, hops) for each in (*base, *node.args))
    if not isinstance(node, ast.Name) or not hops:
        return False
    if any(_is_gathered(program, caller, part, hops - 1) for caller, part in passed_for(program, node, site)):
        return True
    assigned = [each.value for each in site.scope.lookup(node) if each.kind == "assign" and each.scope is site.scope]
    if assigned and all(isinstance(each, (ast.List, ast.Tuple)) for each in assigned):
        calls = [each for each in site.scope.calls if each.word == "append" and each.base is not None]
        loops = (each.block.loops[:1] for each in calls if word_of(each.base) == node.id)  # type: ignore[arg-type]
        return any(loop not in site.block.loops and _ends_by_flag(loop) for inner in loops for loop in inner)
    return any(isinstance(each, ast.Call) and _is_gathered(program, site, each, hops - 1) for each in assigned)


def _ends_by_flag(loop: ast.AST) -> bool:
    """Return whether a loop runs until a flag is set, not a number of times: `while not done`, `if done: break`."""
    ifs = (each for each in descendants(loop) if isinstance(each, ast.If) and isinstance(each.body[-1], ast.Break))
    tests = [each.test for each in ifs] + ([loop.test] if isinstance(loop, ast.While) else [])
    parts = (part for test in tests for part in ast.walk(test) if isinstance(part, ast.expr))
    return bool(tests) and all(isinstance(part, _FLAGS) for part in parts)


def _is_of_batch(site: Site, node: ast.AST) -> bool:
    """Return whether the innermost loop around a site binds a name, and is no `range`."""
    inner = site.block.loops[:1]
    return isinstance(node, ast.Name) and any(
        isinstance(each.stmt, ast.For)
        and each.stmt in inner
        and not (isinstance(each.stmt.iter, ast.Call) and word_of(each.stmt.iter.func) == "range")
        for each in site.scope.lookup(node)
    )


def _is_around(site: Site, binding: Binding) -> bool:
    """Return whether the innermost loop around a site binds a name."""
    inner = site.block.loops[:1]
    return bool(inner) and (binding.stmt in inner or binding.block.loops[:1] == inner)


# --- inputs that grow


def in_growing(program: Program) -> Iterator[Obstacle]:
    """Yield the first call of a cell, in Python code, in each loop that makes its input longer in each iteration."""
    for module in program.modules:
        if not program.project.contains_any(module.path, _JOINS):
            continue
        met: set[ast.AST] = set()
        for site in module.sites:
            loop = next((each for each in site.block.loops if isinstance(each, LOOPS)), None)
            if loop is None or loop in met or not isinstance(site.node, ast.Call):
                continue
            grown = (each for each in site.node.args if _grows(site, each, loop))
            first = next(grown, None)
            runs = first is not None and program.runs(site) and not is_compiled(program, site.scope)
            if runs and program.evaluator.callees(site).are(lambda known: is_cell(program, known)):
                met.add(loop)
                text = Message("an input that grows with each pass: graph mode compiles once per length")
                yield obstacle(module, site.node, "shapes", text)


def _grows(site: Site, node: ast.expr, loop: ast.AST) -> bool:
    """Return whether an argument is longer in each iteration of a loop."""
    if isinstance(node, ast.Call) and word_of(node.func) in site.module.aliases(*_WRAPS):
        inner = node.func.value if isinstance(node.func, ast.Attribute) and not node.args else None
        return any(_grows(site, each, loop) for each in (*passed(node)[:1], *([inner] if inner is not None else [])))
    if not isinstance(node, ast.Name):
        return False
    own = [each for each in site.scope.lookup(node) if loop in each.block.loops]
    return all(map(_is_joined, own)) if own else _is_appended(site, node.id, loop)  # else it starts again in each pass


def _is_joined(binding: Binding) -> bool:
    """Return whether a name is bound to its value of the iteration before, joined with something."""
    value = inside(binding.whole, *binding.scope.module.aliases(*_WRAPS)) if binding.whole is not None else None
    if not isinstance(value, ast.Call):
        return False
    callee = value.func.func if isinstance(value.func, ast.Call) else value.func  # `ops.Concat(1)((a, b))`
    parts = [each for arg in value.args for each in ast.walk(arg) if isinstance(each, ast.Name)]
    again = (each for each in parts if each.id == binding.name and binding in binding.scope.lookup(each))
    return word_of(callee).lower() in _JOINS and next(again, None) is not None


def _is_appended(site: Site, name: str, loop: ast.AST) -> bool:
    """Return whether a loop appends to a list."""
    appended = (each for each in site.scope.calls if each.word == "append" and loop in each.block.loops)
    return any(each.base is not None and word_of(each.base) == name for each in appended)
