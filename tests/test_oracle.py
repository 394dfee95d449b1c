"""The value of every argument of every call: the same in whatever order they are asked for, and evaluated once."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path

import pytest
from test_work import examples_beside_package, registry, tools_and_package

from ms_perflint.core.files import Disk
from ms_perflint.infer import shared_answers
from ms_perflint.program.program import Program
from ms_perflint.program.target import Target
from ms_perflint.resolve.project import Project

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("oracle", ROOT / "benchmarks" / "oracle.py")
assert SPEC is not None and SPEC.loader is not None
oracle = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(oracle)

# A library whose objects are given to one another, so that what a parameter can be rests on what it is.
ATTACKS = """
from mindspore import nn
from kit.check import check

class Attack:
    def __init__(self, network, bounds=(0.0, 1.0), steps=7):
        self.network = check("network", network)
        self.bounds = check("bounds", bounds)
        self.steps = check("steps", steps)

    def generate(self, inputs, labels):
        return self._batch(check("inputs", inputs), check("labels", labels))

    def _batch(self, inputs, labels):
        for _ in range(self.steps):
            inputs = self._step(inputs, labels)
        return inputs

    def _step(self, inputs, labels):
        return check("step", self.network(inputs, labels))

class Strong(Attack):
    def __init__(self, network, inner=None):
        super().__init__(network, steps=12)
        self.inner = inner or Attack(network)

    def _step(self, inputs, labels):
        return self.inner.generate(super()._step(inputs, labels), labels)

class Strongest(Strong):
    def __init__(self, network):
        super().__init__(network, Strong(network, Attack(network, steps=3)))
"""
CHECK = """
def check(name, value):
    if value is None:
        raise ValueError(name)
    return keep(name, value)

def keep(name, value):
    return check(name, value) if name == "again" else value
"""
USES = """
from mindspore import nn
from kit.attacks import Attack, Strong, Strongest

def attack(kind, network):
    return kind(network).generate(network, kind)

for kind in (Attack, Strong, Strongest):
    attack(kind, nn.Dense(100, 10))
attack(Strong, attack(Attack, nn.Dense(64, 10)))
"""
CIRCLE = {"kit/__init__.py": "", "kit/check.py": CHECK, "kit/attacks.py": ATTACKS, "uses.py": USES}
LIBRARIES = {
    "tools and package": tools_and_package(4),
    "examples beside a package": examples_beside_package(4),
    "registry": registry(4),
    "circle": CIRCLE,
}


def written(files: dict[str, str], folder: Path) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def asked(entry: Path, seed: int | None) -> tuple[dict[str, str], int, int]:
    """Return the answers to all questions of a program, how many evaluations they took, and of how many queries."""
    project = Project(Disk())
    project.parse(str(entry))
    program = Program(project, str(entry), Target())
    answers = oracle.answers(program, seed)
    queries = program.evaluator.queries
    assert not queries.spent
    return answers, queries.evaluations, len(queries.memo)


@pytest.mark.parametrize("name", LIBRARIES)
def test_answers_do_not_depend_on_the_order_of_the_questions(name: str, tmp_path: Path) -> None:
    folder = written(LIBRARIES[name], tmp_path)
    most = 2.1 if name == "circle" else 1.2  # evaluations of a query: all of the circle is one cycle
    for entry in sorted(folder.rglob("*.py")):
        expected, evaluations, queries = asked(entry, None)
        assert evaluations <= most * queries
        for seed in range(4):
            answers, evaluations, queries = asked(entry, seed)
            assert answers == expected
            assert evaluations <= most * queries


# Two scripts that use one library in different ways: by a subclass, a callback, a store, a decorator, other arguments.
KIT = """
from mindspore import nn
from kit.check import keep

SETTINGS = {"width": 64}

class Base:
    def __init__(self, width, make=nn.Dense):
        self.width = keep("width", width)
        self.layer = make(self.width, SETTINGS["width"])

    def hook(self):
        return self.default()

    def run(self, x):
        return self.layer(x, self.hook())

def registered(function):
    return function

def build(options, kind=Base):
    return kind(options.width).run(options.name)
"""
ONE = """
import argparse
from kit import lib
parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=100)
parser.add_argument("--name", default="one")
print(lib.build(parser.parse_args()), lib.Base(3).run(1))
"""
OTHER = """
from types import SimpleNamespace
from mindspore import nn
from kit import lib

class Own(lib.Base):
    def default(self):
        return 7

@lib.registered
def conv(width, other):
    return nn.Conv2d(width, other, 3)

lib.SETTINGS["width"] = 128
options = SimpleNamespace(width=12, name="other")
print(lib.build(options, Own), Own(5, conv).run(options))
"""
USED = {"kit/__init__.py": "", "kit/check.py": CHECK, "kit/lib.py": KIT, "one.py": ONE, "other.py": OTHER}

# Two scripts that give a library the same, each in a place of its own, and methods of objects of their own.
STEPS = """
from mindspore import nn
from kit.check import keep

class Step:
    def __init__(self, network):
        self.network = network
        self.call = network.construct

    def run(self, rate):
        return self.call(keep("rate", rate), keep("network", self.network), keep("call", self.call))

def make(network, rate):
    step = Step(network)
    keep("parameters", network.trainable_params())
    keep("call", step.call)
    return step.run(rate)
"""
FIRST = """
from mindspore import nn
from kit import steps, nets

network = nets.Net(nn.Dense(10, 20))
print(steps.make(network, 0.5))
"""
SECOND = """
from mindspore import nn
from kit import steps, nets

if __name__ == "__main__":
    layer = nn.Dense(10, 20)
    mine = nets.Net(layer)
    print(steps.make(mine, 0.5))
"""
NETS = """
from mindspore import nn

class Net(nn.Cell):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def construct(self, *values):
        return self.layer(values[0])
"""
ALIKE = {
    "kit/__init__.py": "", "kit/check.py": CHECK, "kit/steps.py": STEPS, "kit/nets.py": NETS,
    "first.py": FIRST, "second.py": SECOND,
}  # fmt: skip


@pytest.mark.parametrize("files", [*LIBRARIES.values(), CIRCLE, USED, ALIKE])
def test_programs_that_share_answers_give_those_that_each_gives_alone(files: dict[str, str], tmp_path: Path) -> None:
    entries = sorted(written(files, tmp_path).rglob("*.py"))
    alone = {entry: asked(entry, None)[0] for entry in entries}
    taken = 0
    for seed in range(6):
        project = Project(Disk())
        for entry in random.Random(seed).sample(entries, len(entries)) * 2:
            program = Program(project, str(entry), Target())
            assert oracle.answers(program, seed) == alone[entry]
            taken += program.queries.taken
            program.close()
    assert taken > 100


@pytest.mark.parametrize("files", [CIRCLE, USED, ALIKE])
def test_programs_that_forget_what_none_takes_over_give_the_same(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = sorted(written(files, tmp_path).rglob("*.py"))
    alone = {entry: asked(entry, None)[0] for entry in entries}
    monkeypatch.setattr(shared_answers, "KEPT", 20)
    project, held, taken = Project(Disk()), set(), 0
    for seed in range(3):
        for entry in random.Random(seed).sample(entries, len(entries)):
            program = Program(project, str(entry), Target())
            assert oracle.answers(program, seed) == alone[entry]
            held.add(id(program.shared))
            taken += program.queries.taken
            program.close()
    assert taken > 20 and len(held) > 1


def test_a_program_evaluates_nothing_anew_that_another_has_found(tmp_path: Path) -> None:
    folder, project = written(USED, tmp_path), Project(Disk())
    (folder / "same.py").write_text(ONE.replace("print", "print_all = print\nprint"), encoding="utf-8")
    work = []
    for name in ("one.py", "same.py"):
        program = Program(project, str(folder / name), Target())
        program.code.call_graph.sites(project.parse(str(folder / "kit/check.py")).defined["keep"][0])
        for module in program.modules[1:]:
            for site in module.sites:
                program.evaluator.callees(site)
        work.append(program.queries.evaluations)
    assert work[1] < work[0] / 2


def test_the_samples_answer_in_any_order() -> None:
    for entry in sorted((ROOT / "sample_scripts").rglob("*.py")):
        expected = asked(entry, None)[0]
        assert all(asked(entry, seed)[0] == expected for seed in range(3))


def test_what_is_asked_is_not_all_unknown(tmp_path: Path) -> None:
    answers = asked(written(CIRCLE, tmp_path) / "uses.py", None)[0]
    assert any("100@uses.py" in answer for answer in answers.values())
    assert any("7@attacks.py" in answer and "3@attacks.py" in answer for answer in answers.values())
