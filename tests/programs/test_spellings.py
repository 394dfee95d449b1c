"""No two spellings of one program give two answers: what is decisive is held in each way that Python knows.

A spelling that the linter does not know stands in `spellings/gaps.txt`, and has to fail.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from random import Random
from typing import NamedTuple
from zlib import crc32

import pytest
from executed import run, wrong
from programs import ROOT
from spellings import CALLS, DECOYS, ENTRY, GAPS, HOLDS, IDLE, IMPORTS, SETTINGS, Spelling, nested

from ms_perflint.check import Check
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.core.findings import Finding
from ms_perflint.engine import lint
from ms_perflint.index.semantic_index import Site


class Base(NamedTuple):
    """A program with a hole: SETUP for statements, USE for the expression that is decisive."""

    text: str
    value: str  # is reported
    other: str  # is not
    codes: tuple[str, ...]


HEAD = (
    IMPORTS
    + """\
import mindspore as ms
import numpy as np
from mindspore import dataset as ds, nn, ops
from mindspore.profiler import profile
from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint, TimeMonitor
"""
)
NAMES = {line: {each.asname or each.name for each in ast.parse(line).body[0].names} for line in HEAD.splitlines(True)}
PARTS = """\
train_set = ds.NumpySlicesDataset(dict(np.load("train.npz"))).batch(32)
net = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 10))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Adam(net.trainable_params())
"""
MODEL = PARTS + 'model = Model(net, loss, optimizer, amp_level="O2")\n'
TRAIN = "model.train(10, train_set, dataset_sink_mode=True)\n"
GRAPH = "ms.set_context(mode=ms.GRAPH_MODE)\n"
PYNATIVE = "ms.set_context(mode=ms.PYNATIVE_MODE)\n"
CELL = """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.query = nn.Dense(64, WIDTH)
        self.norm = nn.LayerNorm((WIDTH,))
        self.head = nn.Dense(WIDTH, 10)

    def construct(self, x):
        weights = ops.softmax(ops.cast(self.norm(self.query(x)), ms.float32))
        weights = ops.cast(weights, DTYPE)
        return self.head(ops.cast(weights, x.dtype))
"""
FORWARD = """\
def forward(data, label):
    return loss(net(data), label)
"""
GRADS = "ms.value_and_grad(forward, None, optimizer.parameters)"
LOOP = "for data, label in train_set.create_tuple_iterator():\n"
STEP = f"""\
grad_fn = {GRADS}
def train_step(data, label):
    value, grads = grad_fn(data, label)
    optimizer(grads)
    return value
"""

VALUES: Mapping[str, Base] = {
    "mode": Base(f"SETUP\nms.set_context(mode=USE)\n{MODEL}{TRAIN}", "ms.PYNATIVE_MODE", "ms.GRAPH_MODE", ("MSP101",)),
    "sink mode": Base(
        f"SETUP\n{GRAPH}{MODEL}model.train(10, train_set, dataset_sink_mode=USE)\n", "False", "True", ("MSP102",)
    ),
    "precision": Base(
        f"SETUP\n{GRAPH}{PARTS}model = Model(net, loss, optimizer, amp_level=USE)\n{TRAIN}",
        '"O0"',
        '"O2"',
        ("MSP201",),
    ),
    "width": Base(
        f"SETUP\n{GRAPH}{CELL.replace('WIDTH', 'USE').replace('DTYPE', 'ms.float16')}"
        f"{MODEL.replace('net = ', 'net = Net()  #')}{TRAIN}",
        "100",
        "112",
        ("MSP202",),
    ),
    "dtype": Base(
        f"SETUP\n{GRAPH}{CELL.replace('WIDTH', '128').replace('DTYPE', 'USE')}"
        f"{MODEL.replace('net = ', 'net = Net()  #')}{TRAIN}",
        "ms.float32",
        "ms.float16",
        ("MSP203",),
    ),
    "asynchronous save": Base(
        f"SETUP\n{GRAPH}{MODEL}config = CheckpointConfig(train_set.get_dataset_size(), async_save=USE)\n"
        'model.train(10, train_set, [ModelCheckpoint("net", "checkpoints", config)], dataset_sink_mode=True)\n',
        "False",
        "True",
        ("MSP301",),
    ),
    "autotune": Base(
        f"SETUP\n{GRAPH}ds.config.set_enable_autotune(USE)\n{MODEL}with profile(data_process=True):\n    {TRAIN}",
        "True",
        "False",
        ("MSP501",),
    ),
    "parallel mode": Base(
        f"from mindspore.communication import init\nSETUP\n{GRAPH}init()\n"
        f"ms.set_auto_parallel_context(parallel_mode=USE, gradients_mean=True)\n{MODEL}{TRAIN}",
        "ms.ParallelMode.DATA_PARALLEL",
        "ms.ParallelMode.STAND_ALONE",
        ("MSP601",),
    ),
}
CALLABLES: Mapping[str, Base] = {
    "train cell": Base(
        f"{PYNATIVE}{PARTS}SETUP\n{LOOP}    USE(data, label)\n",
        "nn.TrainOneStepCell(net, optimizer)",
        "nn.WithEvalCell(net, loss)",
        ("MSP101", "MSP201"),
    ),
    "gradients": Base(
        f"{PYNATIVE}{PARTS}{FORWARD}SETUP\n{LOOP}    value, grads = USE(data, label)\n    optimizer(grads)\n",
        GRADS,
        "nn.WithEvalCell(net, loss)",
        ("MSP101", "MSP201"),
    ),
    "step": Base(
        f"{PARTS}{FORWARD}{STEP}SETUP\n{LOOP}    USE(data, label)  # here\n",
        "train_step",
        "forward",
        ("MSP101 here",),
    ),
    "training": Base(
        f"{PYNATIVE}{MODEL}SETUP\nUSE(10, train_set)\n",
        "model.train",
        "model.eval",
        ("MSP101",),
    ),
    "sunk step": Base(
        f"{PYNATIVE}{PARTS}{FORWARD}{STEP}SETUP\nsunk = ms.data_sink(USE, train_set)\n"
        "for _ in range(10):\n    sunk()\n"
        '    ms.save_checkpoint(net, "net.ckpt")  # here\n',
        "train_step",
        "forward",
        ("MSP301 here",),
    ),
    "save": Base(
        f'{GRAPH}{PARTS}{FORWARD}{STEP}def save():\n    ms.save_checkpoint(net, "net.ckpt")\n'
        f"def nothing():\n    pass\nSETUP\n{LOOP}    train_step(data, label)\n    USE()\n",
        "save",
        "nothing",
        ("MSP301",),
    ),
}
CALLED: Mapping[str, Base] = {
    "call of a train cell": Base(
        f"{PYNATIVE}{PARTS}SETUP\n{LOOP}    USE\n",
        "nn.TrainOneStepCell(net, optimizer)",
        "nn.WithEvalCell(net, loss)",
        ("MSP101", "MSP201"),
    ),
    "call of a training": Base(
        f"{PYNATIVE}{MODEL}data, label = 10, train_set\nSETUP\nfor _ in range(2):\n    USE\n",
        "model.train",
        "model.eval",
        ("MSP101",),
    ),
    "call of gradients": Base(
        f"{PYNATIVE}{PARTS}{FORWARD}SETUP\n{LOOP}    USE\n    optimizer(label)\n",
        GRADS,
        "nn.WithEvalCell(net, loss)",
        ("MSP101", "MSP201"),
    ),
    "call of a save": Base(
        f'{GRAPH}{PARTS}{FORWARD}{STEP}def save(data, label):\n    ms.save_checkpoint(net, "net.ckpt")\n'
        f"def nothing(data, label):\n    pass\nSETUP\n{LOOP}    train_step(data, label)\n    USE\n",
        "save",
        "nothing",
        ("MSP301",),
    ),
}
BASES = {**VALUES, **CALLABLES, **CALLED}
# Bases that read what is held by one mechanism stand in one row: a spelling is tried in one of them.
READ = (
    ("mode",),
    ("sink mode",),
    ("precision", "asynchronous save", "autotune", "parallel mode"),  # an argument of a call, as the two above
    ("width",),
    ("dtype",),
    ("train cell", "gradients"),  # an object of MindSpore that is called
    ("step",),
    ("sunk step", "save"),  # a function of the program that is passed on, or called
    ("training",),
)
ALONE = tuple((name,) for name in CALLED)
PAGES = {"holds": (READ, HOLDS), "decoys": (READ, DECOYS), "calls": (ALONE, CALLS), "idle": (ALONE, IDLE)}


def filled(base: Base, spelling: Spelling, value: str) -> dict[str, str]:
    """Return the files of a program in a spelling, which imports what it names."""
    use = spelling.use.replace("\n", "\n    ")
    text = base.text.replace("SETUP", spelling.setup).replace("USE", use)
    text = text.replace("VALUE", value).replace("OTHER", base.other)
    words = set(re.findall(r"\w+", text))
    imports = (line for line, names in NAMES.items() if not names.isdisjoint(words))
    return {ENTRY: f"{''.join(imports)}{text}", **spelling.files}


@cache
def selecting(codes: tuple[str, ...]) -> Config:
    """Return a configuration that selects some rules; the same object for the same rules, which it looks up once."""
    return Config(root=ROOT, select=codes)


def found(base: Base, files: Mapping[str, str]) -> Counter[str]:
    """Return the codes of the findings of the rules of a base; `here` behind those on a line that is marked so."""
    contents = {f"{ROOT}/{name}": text.encode() for name, text in files.items()}
    config = selecting(tuple(sorted({code.split()[0] for code in base.codes})))
    report = lint([f"{ROOT}/{ENTRY}"], config, Overlay(Nowhere(), contents))
    assert not report.problems, [problem.message for problem in report.problems]
    lines = files[ENTRY].splitlines()
    return Counter(
        f"{finding.code} here" if "# here" in lines[finding.place.row - 1] else finding.code
        for finding in report.findings
    )


def unfixed(check: Check, site: Site) -> list[Finding]:
    """Return the finding at a suspect without its fix, which often costs more than the question whether it is one."""
    return [Finding(site.place, check.code, check.name, "", site.place, ())]


@cache
def is_syntax(text: str) -> bool:
    """Return whether the Python that runs the tests can read a text: `match` is there since 3.10."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def tried(rows: Sequence[Sequence[str]], name: str) -> list[str]:
    """Return the bases in which a spelling is tried, of each row one; only the first where all are known to miss it."""
    bases = [row[crc32(name.encode()) % len(row)] for row in rows]
    return bases[:1] if name in GAPS["every program"] else bases


def gaps(name: str, bases: Iterable[str]) -> set[str]:
    """Return the bases that are known to miss a spelling."""
    return {base for base in bases if name in GAPS["every program"] or name in GAPS.get(base, ())}


@lru_cache
def plain(name: str) -> Mapping[str, int]:
    """Return what is reported of a program in its plain spelling."""
    base = BASES[name]
    use = "VALUE(data, label)" if name in CALLED else "VALUE"
    counted = found(base, filled(base, Spelling("", use), base.value))
    return {code: counted[code] for code in base.codes}


@pytest.mark.parametrize("name", BASES)
def test_a_plain_program_is_reported(name: str) -> None:
    base = BASES[name]
    assert all(plain(name).values())
    use = "OTHER(data, label)" if name in CALLED else "OTHER"
    assert not set(base.codes) & set(found(base, filled(base, Spelling("", use), base.value)))


@pytest.mark.parametrize("page, name", [(page, name) for page in ("holds", "calls") for name in PAGES[page][1]])
def test_each_spelling_gives_the_same_answer(page: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one of its programs, the fixes are computed, too."""
    rows, spellings = PAGES[page]
    if not is_syntax(spellings[name].setup):
        pytest.skip("syntax of a later Python")
    bases = [base for base in tried(rows, name) if name not in SETTINGS.get(base, ())]
    fixed = bases[crc32(page.encode() + name.encode()) % len(bases)]
    missed = {}
    for kind in bases:
        base = BASES[kind]
        with monkeypatch.context() as patch:
            if kind != fixed:
                patch.setattr(Check, "examine", unfixed)
            counted = found(base, filled(base, spellings[name], base.value))
        if {code: counted[code] for code in base.codes} != plain(kind):
            missed[kind] = counted
    assert missed.keys() == gaps(name, bases), missed


@pytest.mark.parametrize("page, name", [(page, name) for page in ("decoys", "idle") for name in PAGES[page][1]])
def test_another_value_is_not_reported(page: str, name: str) -> None:
    rows, spellings = PAGES[page]
    if not is_syntax(spellings[name].setup):
        pytest.skip("syntax of a later Python")
    for kind in tried(rows, name):
        base = BASES[kind]
        counted = found(base, filled(base, spellings[name], base.value))
        assert not set(base.codes) & set(counted), kind


@pytest.mark.parametrize("name, spelling", [(base, name) for base, names in SETTINGS.items() for name in sorted(names)])
def test_what_a_user_may_set_is_not_reported_where_that_needs_proof(name: str, spelling: str) -> None:
    base = BASES[name]
    assert not set(base.codes) & set(found(base, filled(base, HOLDS[spelling], base.value)))


@pytest.mark.parametrize("name", sorted({*HOLDS, *DECOYS}))
def test_a_spelling_that_is_run_holds_what_is_said_of_it(name: str) -> None:
    spelling = HOLDS.get(name) or DECOYS[name]
    if not is_syntax(spelling.setup) or "Pool" in spelling.setup:
        pytest.skip("syntax of a later Python, or threads and processes of its own")
    text = f"{IMPORTS}{spelling.setup}\nreveal({spelling.use})\n".replace("VALUE", "11").replace("OTHER", "12")
    files = {ENTRY: text, **spelling.files}
    assert not wrong(files, [run(files)])


def drawn(random: Random, outer: Mapping[str, Spelling], value: int) -> Spelling:
    """Return a spelling in another one that gives a value when it is run; of VALUE is 11, of OTHER 12."""
    needs_proof = frozenset[str]().union(*SETTINGS.values())
    inner = sorted(name for name in HOLDS.keys() - needs_proof if "Pool" not in HOLDS[name].setup)
    others = sorted(name for name in outer.keys() - needs_proof if "Pool" not in outer[name].setup)
    while True:
        found = nested(HOLDS[random.choice(inner)], outer[random.choice(others)])
        if found is None or not is_syntax(found.setup):
            continue
        text = f"{IMPORTS}{found.setup}\nreveal({found.use})\n".replace("VALUE", "11").replace("OTHER", "12")
        done = run({ENTRY: text, **found.files})
        if not done.error and {each.value for seen in done.revealed.values() for each in seen} == {value}:
            return found


@pytest.mark.parametrize("number", range(60))
def test_a_spelling_in_another_one_gives_the_same_answer(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random, kind = Random(number), ("sink mode", "step")[number % 2]
    base, expected = BASES[kind], plain(kind)
    monkeypatch.setattr(Check, "examine", unfixed)
    held = drawn(random, HOLDS, 11)
    counted = found(base, filled(base, held, base.value))
    assert {code: counted[code] for code in base.codes} == expected, held
    other = drawn(random, DECOYS, 12)
    assert not set(base.codes) & set(found(base, filled(base, other, base.value))), other
