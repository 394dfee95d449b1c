"""Whether the last batch of an epoch may have fewer rows than the others."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Place
from ms_perflint.core.graphs import reachable
from ms_perflint.core.source import START
from ms_perflint.index.execution_order import root
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.signature import Part
from ms_perflint.index.syntax_forms import descendants, spelling, whole_number, word_of
from ms_perflint.infer.places import APPENDS
from ms_perflint.infer.values import Alternative
from ms_perflint.program.call_site import Call, call_of
from ms_perflint.program.program import Program
from ms_perflint.training import pipelines, training
from ms_perflint.training.factors import has_factor, is_dataset_size
from ms_perflint.training.step_loops import ITERATORS, StepLoop, step_loops

DROP = "drop_remainder"
_SIZES = frozenset({"shape", "size", "len"})
_JOINS = frozenset({"cat", "concat", "concatenate", "hstack", "vstack"})  # join batches, not single numbers
_ARRAYS = frozenset({"array", "asarray"})
_ALL_ROWS = frozenset({"len", "get_dataset_size", "shape"})
_EVALUATIONS = ("mindspore.train.Model.eval", "mindspore.train.Model.fit")


def may_remain(batch: Call) -> bool:
    """Return whether the `batch` feeds a training that is not sunk, and its last batch may be smaller."""
    fed = [each for each in pipelines.pipelines_with(batch.program, batch) if not each.is_sunk]
    return bool(fed) and not any(_remains(batch, each) is False for each in fed)


def is_known(batch: Call) -> bool:
    """Return whether the last batch of a pipeline is known to be smaller; else the number of rows is not known."""
    return any(_remains(batch, each) for each in pipelines.pipelines_with(batch.program, batch))


class Kept(NamedTuple):
    """A `batch` whose last batch stays, and whether that is known to be smaller."""

    batch: Call
    is_smaller: bool


def kept(call: Call) -> Optional[Kept]:
    """Return the `batch` of a training that keeps a smaller last batch, or is told to keep one; None without one.

    In sink mode graph mode needs batches of one shape (documentation of `Dataset.batch`, 2.4.1 and 2.10).
    """
    for batch, each in _batches_of(call):
        if batch.argument(DROP).must_be(False):
            remains = _remains(batch, each)
            if remains or (remains is None and batch.given(DROP) is not None):
                return Kept(batch, remains is True)
    return None


def made_by_function(call: Call) -> Optional[Call]:
    """Return the `batch` of a training whose batches a function makes; None without one."""
    return next((batch for batch, _ in _batches_of(call) if batch.passes("per_batch_map")), None)


def _batches_of(call: Call) -> Iterator[tuple[Call, pipelines.Pipeline]]:
    """Yield the calls that make the batches of a training, each with the pipeline in which they do."""
    read = call.argument("train_dataset").identities
    for each in pipelines.training_pipelines(call.program):
        for stage in each.stages if each.stages[0].identity in read else ():
            made = call_of(call.program, stage)
            batch = pipelines.api_of(made) if made is not None and pipelines.is_batch(stage) else None
            if batch is not None:
                yield batch, each


def is_one_size(batch: Call) -> bool:
    """Return whether all batches have one size: one row, all rows, or one that a function chooses."""
    given, size = batch.given("batch_size"), batch.argument("batch_size")
    only = batch.scope.only(given) if isinstance(given, ast.Name) else None  # `size = len(x)`
    parts = [each for each in (given, only.whole if only is not None else None) if each is not None]
    words = {word_of(each) for part in parts for each in ast.walk(part)}
    is_made = any(known.definition is not None for known in size.alternatives)  # a function chooses the size
    return is_made or 1 in size.constants or not words.isdisjoint(_ALL_ROWS)


def is_treated(batch: Call) -> bool:
    """Return whether the program sees to a smaller batch itself: `set_inputs`, or what a loop does by its size.

    `if len(x) < size: continue`, `missing = size - x.shape[0]`. Another number decides something else: one row.
    """
    program, size = batch.program, set(batch.argument("batch_size").constants)
    if any(map(program.runs, program.sites("set_inputs"))):
        return True
    for each in step_loops(program):
        for one, other in (sides for node in descendants(each.loop) for sides in _compared(node)):
            number = set(program.value(other, each.scope).constants) if _is_rows(each, one) else None
            if number is not None and not (size and number and size.isdisjoint(number)):
                return True
    return False


def _compared(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield both sides of a comparison or a difference, in both orders."""
    sides: tuple[ast.expr, ...] = ()
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
        sides = (node.left, node.right)
    elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
        sides = (node.left, node.comparators[0])
    yield from (sides, sides[::-1]) if sides else ()  # type: ignore[misc]


def _is_rows(step: StepLoop, node: ast.expr) -> bool:
    """Return whether an expression is the number of rows of what a loop binds: `len(x)`, `batch["x"].shape[0]`."""
    only = step.scope.only(node) if isinstance(node, ast.Name) else None
    if only is not None and only.whole is not None and step.loop in only.block.loops:
        node = only.whole  # `count = len(x)`
    name: Optional[ast.Name] = None
    if isinstance(node, ast.Call) and word_of(node.func) == "len" and node.args:
        name = root(node.args[0])
    elif isinstance(node, ast.Subscript) and whole_number(node.slice) == 0 and word_of(node.value) == "shape":
        name = root(node.value)
    bindings = step.scope.bindings.get(name.id, ()) if name is not None else ()
    is_bound = any(each.stmt is step.loop or step.loop in each.block.loops for each in bindings)
    return is_bound and word_of(name) not in _filled(step, APPENDS)  # type: ignore[arg-type]


def is_shared(batch: Call) -> bool:
    """Return whether the `batch` is made for several callers, or for one in a script that does not train.

    These are the callers of the function around it, and of its only caller unless that trains.
    """
    program, owner = batch.program, batch.scope.owner
    seen = set(training.training_scopes(program)) - {owner}
    while owner.is_function and owner not in seen:
        seen.add(owner)
        callers = training.callers(program, owner)
        if len(callers) > 1 or _serves_others(program, owner):
            return True
        owner = next((site.scope.owner for site in callers), owner)
    return False


def is_evaluated(batch: Call) -> bool:
    """Return whether the training set is also one on which a Model is evaluated."""
    fed = pipelines.pipelines_with(batch.program, batch)
    read = {stage.identity for each in fed for stage in each.stages[: each.position(batch) + 1]}
    given = (call.argument("valid_dataset") for call in batch.program.calls(*_EVALUATIONS))
    return any(known.identity in read for value in given for known in value.alternatives) or _is_read_beside(batch, fed)


def _is_read_beside(batch: Call, fed: Sequence[pipelines.Pipeline]) -> bool:
    """Return whether a loop that takes no training step goes through all batches of a pipeline, too."""
    program, last = batch.program, {each.stages[0].identity for each in fed}
    training_loops = {id(loop) for each in step_loops(program) for loop in (each.loop, *each.site.block.loops)}
    for site in (site for word in ITERATORS for site in program.sites(word)):
        over = site.stmt.iter if isinstance(site.stmt, ast.For) and id(site.stmt) not in training_loops else None
        if over is not None and site.base is not None and any(node is site.node for node in descendants(over)):
            known = program.value(site.base, site.scope).alternatives
            if any(each.identity in last for each in known) and program.runs(site):
                return True
    return False


def counted(program: Program) -> Optional[Place]:
    """Return where a training ends with an error unless an epoch has so many rows or batches; None without such code.

    `seen += x.shape[0]` in the loop, and `assert seen == len(rows)` behind it.
    """
    for each in step_loops(program):
        names = {
            word_of(stmt.target)
            for stmt in descendants(each.loop)
            if isinstance(stmt, ast.AugAssign) and isinstance(stmt.op, ast.Add) and _is_size(stmt.value)
        }
        names |= _filled(each, APPENDS)
        for node in descendants(each.scope.node) if names else ():
            if _fails(node) and any(_compares(test, names) for test in ast.walk(node.test)):  # type: ignore[attr-defined]
                return each.scope.module.place(node)
    return None


def _filled(step: StepLoop, by: Collection[str]) -> set[str]:
    """Return the words of the lists that some methods fill in a loop."""
    sites = (site for site in step.scope.calls if site.word in by and step.loop in site.block.loops)
    return {word_of(site.base) for site in sites if site.base is not None}


def expected(batch: Call) -> Optional[Place]:
    """Return code that takes as many batches of each epoch as there are with the last one; None without such code.

    `math.ceil(len(rows) / size)` and the like, `next(batches)` in a loop with a number of passes of its own, or
    `np.concatenate(outputs)` of what the batches of an epoch gave: there is one for each row. Also `np.array(outputs)`
    of a list to which each batch adds its rows.
    """
    program, size = batch.program, batch.argument("batch_size").constants
    for module in program.modules if size else ():
        for stmt, block in module.steps if program.project.contains_any(module.path, ("ceil", "//")) else ():
            if hasattr(stmt, "body") or re.search(pipelines.EVALUATES, ast.unparse(stmt)):
                continue
            found = ((node, by) for node in descendants(stmt) if (by := _rounded_up(node)) is not None)
            for node, by in found if program.runs(Site.of(stmt, block)) else ():
                if program.value(by, block.scope).constants == size:
                    return module.place(node)
    for each in step_loops(program):
        if _takes(program, each):
            return each.scope.module.place(each.loop)
        batches, rows = _filled(each, ("append",)), _filled(each, ("extend",))
        for site in each.scope.calls if batches or rows else ():
            filled = batches if site.word in _JOINS else rows if site.word in _ARRAYS else set()
            if isinstance(site.node, ast.Call) and any(word_of(part) in filled for part in site.node.args[:1]):
                return site.place
    return None


def _rounded_up(node: ast.AST) -> Optional[ast.expr]:
    """Return the divisor of `ceil(a / b)`, `-(-a // b)`, `(a + b - 1) // b`, `a // b + 1`, ...; None of others."""
    if isinstance(node, ast.Call) and word_of(node.func) == "ceil" and len(node.args) == 1:
        return _divisor(node.args[0], ast.Div)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        by = _divisor(node.operand, ast.FloorDiv)
        return by if by is not None and isinstance(node.operand.left, ast.UnaryOp) else None  # type: ignore[attr-defined]
    if not isinstance(node, ast.BinOp):
        return None
    if isinstance(node.op, ast.Add) and isinstance(node.right, ast.Constant) and node.right.value == 1:
        return _divisor(node.left, ast.FloorDiv)
    if isinstance(node.op, ast.Add) and (by := _divisor(node.left, ast.FloorDiv)) is not None:
        rests = (_divisor(each, ast.Mod) for each in ast.walk(node.right) if isinstance(each, ast.BinOp))
        return by if any(each is not None and spelling(each) == spelling(by) for each in rests) else None
    by = _divisor(node, ast.FloorDiv)
    parts = map(spelling, ast.walk(node.left)) if by is not None else ()
    return by if isinstance(node.left, ast.BinOp) and spelling(by) in parts else None


def _divisor(node: ast.expr, kind: type[ast.operator]) -> Optional[ast.expr]:
    return node.right if isinstance(node, ast.BinOp) and isinstance(node.op, kind) else None


def _takes(program: Program, step: StepLoop) -> bool:
    """Return whether a loop with a number of passes of its own takes a batch in each, and does not expect their end."""
    loop = step.loop
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call) or word_of(loop.iter.func) != "range":
        return False
    taken = (node for node in descendants(loop) if isinstance(node, ast.Call) and word_of(node.func) == "next")
    is_plain = any(len(node.args) == 1 for node in taken)
    if not is_plain or any(isinstance(node, ast.Try) for node in descendants(step.scope.node)):
        return False
    bound = Part(loop.iter.args[-1 if len(loop.iter.args) < 3 else 1], step.scope)
    return not has_factor(program, bound, partial(is_dataset_size, program), alone=True)


def _is_size(node: ast.expr) -> bool:
    """Return whether an expression is a number, or a size of a batch."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    return any(word_of(part) in _SIZES for part in ast.walk(node))


def _fails(node: ast.AST) -> bool:
    """Return whether a statement raises an error by its test."""
    return isinstance(node, ast.Assert) or (isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise))


def _compares(test: ast.AST, names: Collection[str]) -> bool:
    """Return whether a test compares one of some numbers, or the length of one of some lists."""
    if not isinstance(test, ast.Compare):
        return False
    sides = (test.left, *test.comparators)
    return any(
        word_of(side.args[0] if isinstance(side, ast.Call) and word_of(side.func) == "len" and side.args else side)
        in names
        for side in sides
    )


def is_unshuffled(batch: Call) -> bool:
    """Return whether the same rows come last in each epoch: neither the source nor a stage behind it shuffles."""
    fed = pipelines.pipelines_with(batch.program, batch)
    return bool(fed) and all(_keeps_order(batch.program, each.stages[each.position(batch) + 1 :]) for each in fed)


def _keeps_order(program: Program, before: Sequence[Alternative]) -> bool:
    """Return whether a source and the stages behind it give rows in the same order in each epoch."""
    made = call_of(program, before[-1]) if before else None
    if made is None or any(stage.type_api.endswith("ShuffleDataset") for stage in before):
        return False
    return made.argument("shuffle").must_be(False)


def _serves_others(program: Program, function: Scope) -> bool:
    """Return whether a script that does not train may call a function, or one that calls its name in its file."""

    def above(scope: Scope) -> Iterator[Scope]:  # also those that this program does not run
        callers = (site.scope.owner for site in function.module.sites_of(scope.name))
        return (each for each in callers if each.is_function)

    names = {scope.name for scope in reachable([function], above)}
    trained = {scope.name for scope in training.training_scopes(program)}  # `main()` trains in the other script too
    endings = {name: r"(?![ \t]*\))" if name in trained else "" for name in sorted(names)}
    called = [name + r"[ \t]*\(" + ending for name, ending in endings.items()]
    pattern = START + rb"(?:%s)" % "|".join(called).encode()
    scripts = set(program.project.programs(function.module.path)) - {program.entry, function.module.path}
    return any(
        program.project.matches(script, pattern) and not training.names_training(program, script)
        for script in sorted(scripts)
    )


def _remains(batch: Call, pipeline: pipelines.Pipeline) -> Optional[bool]:
    """Return whether a `batch` leaves a smaller batch; None where that is not known."""
    at = pipeline.position(batch)
    before = pipeline.stages[at + 1 :]
    rows, sizes = pipelines.rows(batch.program, before), batch.argument("batch_size").constants
    if set(sizes) == {1} or any(pipelines.is_batch(stage) for stage in (*pipeline.stages[:at], *before)):
        return False  # batches of one row, or of batches
    numbers = [size for size in sizes if isinstance(size, int) and size > 0]
    if rows is None or len(numbers) < len(sizes):
        return None
    counts = [pipelines.taken(batch.program, stage) for stage in pipeline.stages[:at]]
    if any(count is not None and all(count <= rows // n for n in numbers) for count in counts):
        return False  # `take` ends before the last one
    # of fewer rows than a batch, all epochs have the same: without the last batch there is none
    left = [rows > n and rows % n > 0 for n in numbers]
    return (True if all(left) else None) if any(left) else False
