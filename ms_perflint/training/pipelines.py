"""The data pipelines of the trainings of a program: their stages, and how many rows they give."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, Optional

from ms_perflint.index.reachability import condition_of
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.signature import Layer
from ms_perflint.index.syntax_forms import descendants, given, word_of
from ms_perflint.infer.calls import entered_context
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.libraries import iterables
from ms_perflint.program.call_site import Call, call_of
from ms_perflint.program.program import Program, fact
from ms_perflint.training.conditions import by_default, is_unasked
from ms_perflint.training.repetition import repeats
from ms_perflint.training.step_loops import DATA, ITERATORS, StepLoop, datasets_in, is_dataset, step_loops
from ms_perflint.training.training import MODEL_TRAINS

GENERATOR = "mindspore.dataset.GeneratorDataset"
_SLICES = "mindspore.dataset.NumpySlicesDataset"
_BATCHED = ("BatchDataset", "PaddedBatchDataset", "BucketBatchByLengthDataset")
EVALUATES = r"(?i)eval|(?<!in)valid|(?<![a-z])val(?!u)|test|infer|predict"  # of a name; no `value`, no `interval`
_TRAINS = r"(?i)train"
_ROWS = {  # in published training sets
    "mindspore.dataset.MnistDataset": 60000, "mindspore.dataset.FashionMnistDataset": 60000,
    "mindspore.dataset.KMnistDataset": 60000, "mindspore.dataset.Cifar10Dataset": 50000,
    "mindspore.dataset.Cifar100Dataset": 50000,
}  # fmt: skip
PATHS = 64  # on which the stages of one pipeline are made: six choices of two
_SAME = ("MapDataset", "ShuffleDataset", "RenameDataset", "ProjectDataset")  # that give as many rows as they get
_JOINS = ("concat", "zip")  # datasets
_MAY_PASS = (ast.If, ast.Try, ast.Continue, ast.Break, ast.Return)  # a pass may yield nothing


class Pipeline(NamedTuple):
    """The stages of a pipeline that a training reads, the last one first, and whether dataset sinking is possible."""

    stages: tuple[Alternative, ...]
    is_sunk: bool

    def position(self, site: Site) -> int:
        """Return which stage a call makes."""
        return next(at for at, stage in enumerate(self.stages) if _makes(site, stage))


@fact
def training_pipelines(program: Program) -> tuple[Pipeline, ...]:
    """Return the known pipelines that the trainings of a program read."""
    found: dict[object, Pipeline] = {}
    for stage, is_sunk, _ in _read(program):
        paths = _stages(program, (stage,))
        for stages in islice(paths, PATHS):
            found.setdefault((is_sunk, *(each.identity for each in stages)), Pipeline(stages, is_sunk))
        if next(paths, None) is not None:
            program.leave_out(Message("a dataset is made on more than {most} paths", most=PATHS))
    return tuple(found.values())


def pipelines_with(program: Program, site: Site) -> list[Pipeline]:
    """Return the pipelines of trainings of which a call makes a stage."""
    if is_for_evaluation(program, site) or is_unasked(program, site):
        return []
    return [each for each in training_pipelines(program) if any(_makes(site, stage) for stage in each.stages)]


def is_read_anew(program: Program, site: Site) -> bool:
    """Return whether a training goes through a pipeline of which a call makes a stage by several iterators.

    An iterator that is not known counts as one for each epoch.
    """
    last = {each.stages[0].identity for each in pipelines_with(program, site)}
    reads = (by for stage, _, by in _read(program) if stage.identity in last)
    return any(by is None or repeats(program, by) for by in reads)


def _makes(site: Site, stage: Alternative) -> bool:
    return stage.creation is not None and stage.creation.call is site.node


def _read(program: Program) -> Iterator[tuple[Alternative, bool, Optional[Site]]]:
    """Yield the last stages of the pipelines that trainings read, and whether dataset sinking is possible.

    The third is the call that makes the iterator; None where that is not known.
    """
    for call in program.calls(*MODEL_TRAINS):
        is_sunk = call.argument("dataset_sink_mode").default_truth is not False  # what is not known may be true
        found = call.argument("train_dataset").alternatives
        yield from ((known, is_sunk, call) for known in found if is_dataset(known))
    for each in step_loops(program):
        heads = [loop.iter for loop in each.site.block.loops if isinstance(loop, ast.For)]
        for head in (*heads, *_taken(each)):
            for known in datasets_in(program, head, each.site.scope):
                yield known, False, _iterator(program, head, each.site.scope)


def _iterator(program: Program, head: ast.expr, scope: Scope) -> Optional[Site]:
    """Return the call that makes the iterator of a loop: in its head, or before; None where it is not known."""
    for node in descendants(head):
        if isinstance(node, (ast.Name, ast.Call)):
            for known in program.value(node, scope).alternatives:
                if known.type_api.endswith(ITERATORS):
                    return known.maker
    return None


def _taken(step: StepLoop) -> Iterator[ast.expr]:
    """Yield the iterators from which a loop takes the arguments of its step: `x, y = next(rows)`."""
    bindings = [each for several in step.scope.bindings.values() for each in several if step.loop in each.block.loops]
    parts = given(step.site.node) if isinstance(step.site.node, ast.Call) else []
    seen: set[int] = set()
    for part in parts:  # which grows meanwhile
        for node in descendants(part):
            if isinstance(node, ast.Call) and word_of(node.func) == "next" and node.args:
                yield node.args[0]
            made = [each.value for each in bindings if isinstance(node, ast.Name) and each.name == node.id]
            parts += [value for value in made if value is not None and id(value) not in seen]
            seen.update(map(id, made))


def _stages(program: Program, known: tuple[Alternative, ...]) -> Iterator[tuple[Alternative, ...]]:
    """Yield the stages of a pipeline whose last ones are `known`, once for each path on which it is made."""
    last, seen = known[-1], {each.identity for each in known}
    made = last.creation
    callee = made.call.func if made is not None else None
    behind: tuple[Alternative, ...] = (last.origin,) if last.origin is not None else ()
    if made is not None and behind and isinstance(callee, ast.Attribute):
        behind = tuple(filter(is_dataset, program.value(callee.value, made.scope).alternatives)) or behind
    behind += tuple(_joined(program, made)) if made is not None and word_of(made.call.func) in _JOINS else ()
    new = [each for each in behind if each.identity not in seen]  # a loop that adds stages comes back to one
    for each in new:
        yield from _stages(program, (*known, each))
    if not new:
        yield known


def _joined(program: Program, made: Layer) -> Iterator[Alternative]:
    """Yield the datasets that a call joins to its receiver, or to each other: `a.concat(b)`, `ds.zip((a, b))`."""
    for node in given(made.call):
        value = program.value(node, made.scope)
        for each in (value, program.evaluator.each(value)):
            yield from filter(is_dataset, each.alternatives)


def api_of(call: Call) -> Optional[Call]:
    """Return a call as one of a method of a dataset; None for other calls."""
    apis = [api for api in call.program.apis(call) if api.startswith(DATA)]
    return Call(call, call.program, apis[0]) if apis else None


def is_for_evaluation(program: Program, site: Site) -> bool:
    """Return whether a test around a site names evaluation, and may fail with the default options.

    `mode != "train"` names evaluation, `mode != "test"` does not.
    """
    for condition in condition_of(site):
        for each in condition.parts:
            sign = each.test.ops[0] if isinstance(each.test, ast.Compare) else None
            words = EVALUATES if each.result is not isinstance(sign, (ast.NotEq, ast.NotIn, ast.IsNot)) else _TRAINS
            if re.search(words, ast.unparse(each.test)) and by_default(program, each) is not True:
                return True
    return False


def is_batch(stage: Alternative) -> bool:
    """Return whether a stage makes batches."""
    return stage.type_api.endswith(_BATCHED)


# --- rows


def rows(program: Program, stages: Sequence[Alternative]) -> Optional[int]:
    """Return how many rows or batches the last stage of a pipeline gives; None of others, 0 where it never ends."""
    if not stages:
        return None
    stage, before = stages[0], stages[1:]
    site, kind = stage.maker, stage.type_api.rpartition(".")[2]
    if site is None:
        return None
    if before:
        inner = rows(program, before)
        if kind in _SAME:
            return inner
        if is_batch(stage):
            return _batches(program, stage, inner) if inner else None
        if kind == "RepeatDataset":
            times = _count(program, site) if given(site.call) else -1
            return 0 if times == -1 else inner * times if inner and times else None
        if kind == "TakeDataset":
            count = _count(program, site)
            return count if count is not None and count > 0 and (inner is None or inner >= count) else None
        return _largest_part(program, site, inner) if site.word == "split" and inner else None
    source = Call(site, program, stage.type_api)
    asked = source.argument("num_samples")
    if isinstance(asked.constant, int):
        return asked.constant
    shards = source.argument("num_shards")
    if source.given("num_shards") is not None and not (shards.is_by_default(None) or shards.is_by_default(1)):
        return None  # each process has a part of the rows
    if stage.type_api == GENERATOR:
        return _generated(program, source)
    if stage.type_api == _SLICES and source.given("sampler") is None:
        return _sliced(program, source)
    return _ROWS.get(stage.type_api) if source.given("sampler") is None and asked.constant is None else None


def steps(train: Call) -> Optional[int]:
    """Return how many steps each epoch of a `Model.train` or `fit` has; None where that is not known."""
    program, read = train.program, train.argument("train_dataset")
    if not read.are_only(is_dataset) or train.given("sink_size") is not None:
        return None
    found = [each.stages for each in training_pipelines(program) if each.stages[0].identity in read.identities]
    counts = {rows(program, stages) for stages in found}
    return counts.pop() if len(counts) == 1 else None


def _batches(program: Program, stage: Alternative, count: int) -> Optional[int]:
    """Return how many batches a stage makes of `count` rows; None where that is not known."""
    made = call_of(program, stage)
    batch = api_of(made) if made is not None else None
    size = batch.argument("batch_size").constant if batch is not None else None
    drops = batch.argument("drop_remainder").default_truth if batch is not None else None
    if drops is None or not isinstance(size, int) or size < 1:
        return None
    return count // size if drops else -(-count // size)


def taken(program: Program, stage: Alternative) -> Optional[int]:
    """Return how many rows or batches a `take` leaves; None of other stages, and where that is not known."""
    take = stage.maker if stage.type_api.endswith("TakeDataset") else None
    count = _count(program, take) if take is not None else None
    return count if count is not None and count > 0 else None


def _largest_part(program: Program, site: Site, count: int) -> Optional[int]:
    """Return how many of `count` rows the largest part gets of `split([0.8, 0.2])`: it is the one to train on."""
    asked = given(site.node)[:1] if isinstance(site.node, ast.Call) else []
    sizes = [program.evaluator.each(program.value(each, site.scope)) for each in asked]
    numbers = [size for each in sizes for size in each.constants if isinstance(size, (int, float)) and not each.open]
    largest = max(numbers, default=0)
    return (largest if isinstance(largest, int) else round(largest * count)) or None


def _count(program: Program, site: Site) -> Optional[int]:
    """Return the number that a call passes first, as `count`; None where that is not known."""
    words = [word.value for word in site.call.keywords if word.arg == "count"]
    asked = site.call.args[:1] or words
    constant = program.value(asked[0], site.scope).constant if asked else None
    return constant if isinstance(constant, int) else None


def _sliced(program: Program, call: Call) -> Optional[int]:
    """Return the number of rows of arrays, which is that of the first one: `(x, y)`, `{"x": x, "y": y}`."""
    known = call.argument("data").only
    shown = known.shown if known is not None else None
    node = shown.node if shown is not None else None
    columns = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", None)
    if columns and shown is not None and not isinstance(node, ast.List):
        known = program.value(columns[0], shown.scope).only
    return iterables.length(program.evaluator, known) if known is not None else None


def _generated(program: Program, call: Call) -> Optional[int]:
    """Return how many rows a generator, or a source whose `__len__` returns a number, gives."""
    node = call.given("source")
    if isinstance(node, ast.Call) and word_of(node.func) in ("list", "tuple") and node.args:
        node = node.args[0]
    site = call.module.site_at(node) if isinstance(node, ast.Call) else None
    value = program.evaluator.callees(site) if site is not None else None
    found = [each.definition for each in value.alternatives if each.definition is not None] if value is not None else []
    if len(found) == 1 and found[0].is_function and site is not None and isinstance(node, ast.Call):
        layer = Layer(node, site.scope)
        return _yielded(program, found[0], entered_context(program.evaluator, found[0], layer, None) or found[0])
    only = call.argument("source").only
    if only is not None and only.definition is not None and only.definition.is_function:
        return _yielded(program, only.definition, only.definition)
    length = only.cls.method("__len__") if only is not None and only.cls is not None else None
    returned = [each for each in descendants(length.node) if isinstance(each, ast.Return)] if length is not None else []
    constant = program.value(returned[0].value, length).constant if len(returned) == 1 and returned[0].value else None  # type: ignore[arg-type]
    return constant if isinstance(constant, int) else None


def _yielded(program: Program, function: Scope, entered: Scope) -> Optional[int]:
    """Return how often a generator yields that does so once in each pass of a loop over `range(number)`.

    `entered`: the function as the one call enters it.
    """
    loops = [each for each in descendants(function.node) if isinstance(each, (ast.For, ast.While))]
    yields = [each for each in descendants(function.node) if isinstance(each, ast.Yield)]
    if len(loops) != 1 or len(yields) != 1 or not isinstance(loops[0], ast.For):
        return None
    if any(isinstance(each, _MAY_PASS) for each in descendants(function.node)):
        return None
    over = loops[0].iter
    if not isinstance(over, ast.Call) or word_of(over.func) != "range" or len(over.args) != 1:
        return None
    constant = program.value(over.args[0], entered).constant
    return constant if isinstance(constant, int) else None
