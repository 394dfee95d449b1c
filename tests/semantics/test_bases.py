"""Classes and what they derive from, circles among them too: those run in Python, or stop it; neither may stop us."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from programs import Program
from reveal import reveal, shown

TRAIN = """
import mindspore as ms
from mindspore import nn
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint
{imports}
def main(net, data):
    config = CheckpointConfig(save_checkpoint_steps=100)
    model = Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    model.train(10, data, callbacks=[ModelCheckpoint(config=config), {last}])

{code}
main({last}, {last}.data())
"""
CODES = ("MSP101", "MSP102", "MSP201", "MSP203", "MSP301", "MSP601")
CIRCLES: dict[str, Mapping[str, str]] = {
    "redefined": {"code": "class Base: pass\nclass Net(Base): pass\nclass Base(Net): pass", "last": "Base()"},
    "from itself": {"code": "class Net(Net): pass", "last": "Net()"},
    "from what it replaces": {"imports": "from net import Net", "code": "class Net(Net): pass", "last": "Net()"},
    "in an if": {
        "code": "class Base: pass\nif main:\n    class Net(Base): pass\n    class Base(Net): pass",
        "last": "Base()",
    },
    "in a function": {
        "code": "def make():\n    global A, B\n    class A(B): pass\n    class B(A): pass\nmake()",
        "last": "B()",
    },
    "of three": {"code": "class A(C): pass\nclass B(A): pass\nclass C(B): pass", "last": "A()"},
    "through an alias": {"code": "Old = New\nclass Net(Old): pass\nNew = Net", "last": "Net()"},
    "over two modules": {
        "imports": "import a",
        "last": "a.Net()",
        "a.py": "import b\nclass Net(b.Net): pass",
        "b.py": "import a\nclass Net(a.Net): pass",
    },
    "over three modules": {
        "imports": "from a import Net",
        "last": "Net()",
        "a.py": "from b import Net as Base\nclass Net(Base): pass",
        "b.py": "import c\nclass Net(c.Net): pass",
        "c.py": "from a import *\nclass Net(Net): pass",
    },
    "with a diamond": {
        "code": "class A(D): pass\nclass B(A): pass\nclass C(A): pass\nclass D(B, C, nn.Cell): pass",
        "last": "D()",
    },
    "with type parameters": {
        "imports": "from typing import Generic, TypeVar\nT = TypeVar('T')",
        "code": "class A(B[T], Generic[T]): pass\nclass B(A[int]): pass\nclass C(A, B, metaclass=type(A)): pass",
        "last": "C()",
    },
    "in super": {
        "code": "class A(B):\n    def data(self):\n        return super().data()\n    def trainable_params(self):\n"
        "        return super().data()\nclass B(A):\n    def data(self):\n        return super().data()",
        "last": "B()",
    },
    "in constructors": {
        "code": "class A(B):\n    def __init__(self, x=1):\n        super().__init__(x)\n        self.net = B(x)\n"
        "class B(A):\n    def __init__(self, x=1):\n        super().__init__(x)\n        self.net = A(x)\n",
        "last": "B().net.net",
    },
    "in what attributes are made of": {
        "code": "class A:\n    def __init__(self):\n        self.other = B(self).other\nclass B:\n"
        "    def __init__(self, a):\n        self.other = a.other.make()\n"
        "    def make(self):\n        return A().other",
        "last": "A().other",
    },
    "of callbacks": {
        "imports": "from mindspore.train import Callback",
        "code": "class A(B): pass\nclass B(A, Callback): pass",
        "last": "A()",
    },
    "of train cells": {
        "code": "class A(B):\n    def construct(self, x):\n        return self.step(x)\n"
        "class B(A, nn.TrainOneStepCell): pass",
        "last": "A()",
    },
    "of data classes": {
        "imports": "from dataclasses import dataclass",
        "code": "@dataclass\nclass A(B):\n    x: int = 1\n@dataclass\nclass B(A):\n    y: int = 2",
        "last": "B(x=3)",
    },
    "of a hundred": {
        "code": "class C0(C99): pass\n" + "".join(f"class C{n + 1}(C{n}): pass\n" for n in range(99)),
        "last": "C99()",
    },
}


@pytest.mark.parametrize("name", CIRCLES)
def test_a_circle_of_classes_silences_nothing(name: str) -> None:
    parts = {"imports": "", "code": "", **CIRCLES[name]}
    files = {file: text for file, text in parts.items() if file.endswith(".py")}
    program = Program({"train.py": TRAIN.format(**parts), "net.py": "class Net: pass", **files})
    reports = {code: program.lint(code) for code in CODES}
    assert [problem for report in reports.values() for problem in report.problems] == []
    assert [finding.code for finding in reports["MSP301"].findings] == ["MSP301"]


MEMBERS = [
    # a base is what its name means where the class is made
    ("class A:\n    x = 1\nclass B(A): pass\nclass A(B):\n    x = 2\nreveal(B.x)", "1"),
    ("class A:\n    x = 1\nclass A(A):\n    y = 2\nreveal(A.x)", "1"),
    ("def a(f):\n    return 1\n@a\ndef a(): pass\nreveal(a)", "1"),
    ("x = 1\ndef x(y=x):\n    return y\nreveal(x())", "1"),
    # what several classes derive from comes behind these
    ("class A:\n    x = 1\nclass B(A): pass\nclass C(A):\n    x = 2\nclass D(B, C): pass\nreveal(D.x)", "2"),
    ("class A(B): pass\nclass B(A):\n    x = 2\nreveal(A.x)", "2"),
    ("class C0:\n    x = 1\n" + "".join(f"class C{n + 1}(C{n}): pass\n" for n in range(50)) + "reveal(C50.x)", "1"),
    ("class A:\n    def __init__(self):\n        self.x = 3\nclass B(A): pass\nclass C(B): pass\nreveal(C().x)", "3"),
]


@pytest.mark.parametrize(("text", "expected"), MEMBERS)
def test_members_of_bases(text: str, expected: str) -> None:
    assert shown(reveal(text)) == expected


# What a method of a base reads is what the class of the object makes of it
READS = """
class Base:
{base}
    @classmethod
    def made(cls):
        return cls()
    @classmethod
    def of_class(cls):
        return cls.inner()
    @classmethod
    def inner(cls):
        return cls.held
    @staticmethod
    def of_base():
        return Base.held
    @property
    def read(self):
        return self.held
    def get(self):
        return self.held
    def passed_on(self, given):
        return self.get()
class Derived(Base):
{derived}
class Third(Derived):
    other = 3
"""
BODY, SET = "    held = {}", "    def __init__(self):\n        super().__init__()\n        self.held = {}"
WAYS = {
    "in the body": (BODY, BODY),
    "on self": (SET, SET),
    "on self over the body": (BODY, SET),
    "in the body over None": (BODY, BODY),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ("Derived().get()", "2"),
        ("Third().get()", "2"),
        ("Derived().read", "2"),
        ("Derived().passed_on(1)", "2"),
        ("Derived.made().held", "2"),
        ("Base().get()", "1"),
        ("Base().read", "1"),
        ("Base.made().held", "1"),
    ],
)
def test_an_object_has_what_its_class_makes_of_a_member(way: str, read: str, expected: str) -> None:
    base, derived = WAYS[way]
    first = "None" if "None" in way else "1"
    text = READS.format(base=base.format(first), derived=derived.format(2))
    assert shown(reveal(f"{text}reveal({read})")) == expected.replace("1", first)


@pytest.mark.parametrize(
    ("read", "expected"),
    [("Derived.of_class()", "2"), ("Third.of_class()", "2"), ("Base.of_class()", "1"), ("Derived.of_base()", "1")],
)
def test_a_class_method_has_what_its_class_makes_of_a_member(read: str, expected: str) -> None:
    text = READS.format(base=BODY.format(1), derived=BODY.format(2))
    assert shown(reveal(f"{text}reveal({read})")) == expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("Derived().run()", "2"),  # no object is made of the base itself
        ("Base().run()\nDerived().run()", "1 2"),
        ("Base().run()", "1 2"),
        ("", "1 2"),  # code elsewhere may make objects of both
    ],
)
def test_a_method_of_a_base_reads_what_objects_there_are(made: str, expected: str) -> None:
    text = (
        "class Base:\n    held = 1\n    def run(self):\n        reveal(self.held)\nclass Derived(Base):\n    held = 2\n"
    )
    assert shown(reveal(text + made)) == expected


CLASS = """
{imports}class Base:
    {held}
    def get(self):
        return self.held
    @classmethod
    def of_class(cls):
        return cls.held
class Config(Base):
    pass
{store}
reveal({read})
"""


@pytest.mark.parametrize("read", ["Config.held", "Config().held", "Config().get()", "Config.of_class()", "Base.held"])
@pytest.mark.parametrize(
    ("held", "store", "expected"),
    [
        ("held = 1", "Base.held = 2", "2"),
        ("held = 1", "def run():\n    Base.held = 2\nrun()", "2"),
        ("other = 1", "Base.held = 2", "2"),
        ("held = 1", "class Other:\n    held = 3\nOther.held = 2", "1"),
        ("held = 1", "base = Base()\nbase.held = 2", "1"),
    ],
)
def test_a_class_gets_attributes_from_outside(held: str, store: str, read: str, expected: str) -> None:
    assert shown(reveal(CLASS.format(imports="", held=held, store=store, read=read))) == expected


def test_a_class_of_another_file_gets_attributes_from_outside() -> None:
    config = "class Config:\n    held = 1\n    def get(self):\n        return self.held\n"
    train = "from config import Config as C\nC.held = 2\nreveal(C().get())"
    assert shown(reveal({"config.py": config, "train.py": train})) == "2"


def test_what_an_object_stores_itself_comes_before_its_class() -> None:
    text = "class Config:\n    def __init__(self):\n        self.held = 1\nConfig.held = 2\nreveal(Config().held)"
    assert shown(reveal(text)) == "1"


AGENTS = """
class Agent:
    def __init__(self, device):
        reveal(device)


class One(Agent):
    def __init__(self):
        Agent.__init__(self, "GPU")


class Two(One):
    INIT


class Three(Two):
    pass


"""


@pytest.mark.parametrize(
    ("init", "made", "expected"),
    [
        ('def __init__(self):\n        Agent.__init__(self, "CPU")', "One()\nTwo()", "'GPU' 'CPU'"),
        ('def __init__(self):\n        Agent.__init__(self, "CPU")', "One()\nThree()", "'GPU' 'CPU'"),
        ('def __init__(self):\n        super(One, self).__init__("CPU")', "One()\nTwo()", "'GPU' 'CPU'"),
        ('def __init__(self):\n        super(One, self).__init__(device="CPU")', "Three()", "'GPU' 'CPU'"),
        ("def __init__(self):\n        super(Two, self).__init__()", "Two()", "'GPU'"),
        ("def __init__(self):\n        super(type(self), self).__init__()", "Two()", "'GPU'"),
        ("def __init__(self):\n        super().__init__()", "Two()", "'GPU'"),
        ("pass", "Three()", "'GPU'"),
        ("def __init__(self):\n        One.__init__(self)", "Three()", "'GPU'"),
        ("def __init__(self, device):\n        Agent.__init__(self, device)", "Two('CPU')", "'GPU' 'CPU'"),
        (
            "def __init__(self, device):\n        Agent.__init__(self, device)",
            "Two(eval(input()))",
            "'GPU' builtins.eval()",
        ),
    ],
)
def test_a_constructor_below_another_one_calls_that_of_the_first_class(init: str, made: str, expected: str) -> None:
    assert shown(reveal(AGENTS.replace("INIT", init) + made + "\n")) == expected


HOLDERS = """
class Config:
    def __init__(self):
        self.device = None


def read(config):
    reveal(config.device)


config = Config()
config.device = "CPU"
read(config)
"""
CALLED = HOLDERS.replace("config = Config()", "def call(config):\n    read(config)\n\n\nconfig = Config()")


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", "'CPU'"),
        ("other = Config()\nread(other)\n", "None 'CPU'"),
        ("other = Config()\nother.device = 'GPU'\nread(other)\n", "None 'CPU' 'GPU'"),
        ("read(config)\n", "'CPU'"),
    ],
)
def test_a_store_in_one_object_says_nothing_of_others(more: str, expected: str) -> None:
    assert shown(reveal(HOLDERS + more)) == expected


def test_a_store_in_one_object_says_nothing_of_unknown_ones() -> None:
    assert shown(reveal(CALLED)) == "None 'CPU' ..."
