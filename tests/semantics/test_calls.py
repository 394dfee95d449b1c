"""Calls across files: what reaches a parameter, what a call gives, what lists hold that code puts together."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from typing import Union

import pytest
from semantics.test_values import program, shown

from ms_perflint.infer.alternatives import Display

Text = Union[str, Mapping[str, str]]


def revealed(text: Text) -> str:
    """Return what the argument of `reveal(...)` can be, in one line; of a list, what it holds, in brackets."""
    files = {"train.py": text} if isinstance(text, str) else text
    made = program({name: textwrap.dedent(content) for name, content in files.items()})
    (site,) = made.sites("reveal")
    assert isinstance(site.node, ast.Call)
    value = made.value(site.node.args[0], site.scope)
    if value.alternatives and all(isinstance(known.what, Display) for known in value.alternatives):
        return f"[{shown(made.evaluator.each(value)._replace(overridable=False))}]"
    return shown(value)


PARAMETERS = [
    ("def f(a, b=2, *, c=3):\n    reveal(b)\nf(1, 5)", "5"),
    ("def f(a, b=2, *, c=3):\n    reveal(c)\nf(1, c=4)", "4"),
    ("def f(a, b=2, *, c=3):\n    reveal(b)\nf(1)", "2 ?"),
    ("def f(**options):\n    g(**options)\ndef g(x=1):\n    reveal(x)\nf(x=2)", "2"),
    ("def f(**options):\n    g(**options)\ndef g(x=1):\n    reveal(x)\nf(y=2)", "1 ?"),
    ("def f(y, **options):\n    g(**options)\ndef g(x=1, y=5):\n    reveal(y)\nf(y=2)", "5 ?"),
    ("def f(**options):\n    g(**options)\ndef g(x=1):\n    reveal(x)\nf(**unknown())", "1 ..."),
    ("def f(**options):\n    options.pop('x')\n    g(**options)\ndef g(x=1):\n    reveal(x)\nf(x=2)", "1 ?"),
    ("def f(**options):\n    options['x'] = 3\n    g(**options)\ndef g(x=1):\n    reveal(x)\nf(y=2)", "3"),
    ("def f(*args):\n    g(*args)\ndef g(x=1, y=2):\n    reveal(y)\nf(3, 4)", "4"),
    ("def f(*args):\n    g(*args)\ndef g(x=1, y=2):\n    reveal(y)\nf(3)", "2 ?"),
    ("def f(*args):\n    g(0, *args)\ndef g(x=1, y=2):\n    reveal(y)\nf(3)", "3"),
    ("def f(x, *args):\n    reveal(args)\nf(1, 2, 3)", "[2 3]"),
    ("def f(*, x):\n    reveal(x)\nf(**{'x': 7})", "7"),
    ("def f(x=1):\n    reveal(x)\nf(**dict(x=7))", "7"),
    ("from functools import partial\ndef f(x, y=0):\n    reveal(x)\ng = partial(f, 3)\ng()", "3"),
    ("from functools import partial\ndef f(x, y=0):\n    reveal(y)\ng = partial(f, y=3)\ng(1)", "3"),
    ("from functools import partial\ndef f(x, y=0):\n    reveal(y)\ng = partial(f, 3)\ng(1)", "1"),
    ("def f(x=None):\n    if x is None:\n        x = True\n    reveal(x)\nf()", "True ?"),
    ("def f(x=None):\n    if x is None:\n        x = True\n    reveal(x)\nf(False)", "False"),
    ("class A:\n    pass\ndef f(x=None):\n    if x is None:\n        x = 1\n    reveal(x)\nf(A())", "A()"),
    ("class A:\n    pass\ndef f(x=None):\n    return 1 if x is not None else 2\nreveal(f(A()))", "1"),
    ("def f(x=None):\n    if x is None:\n        x = True\n    reveal(x)\nf(False)\nf()", "True False"),
    ("def f(x=None):\n    if not x:\n        x = 8\n    reveal(x)\nf(0)\nf(4)", "8 4"),
    ("f = lambda x: x\nreveal(f(2))", "2"),
    ("f = lambda x, y=3: y\nreveal(f(2))", "3"),
    ("f = lambda: 4\nreveal(f())", "4"),
    ("class A:\n    @staticmethod\n    def f(x):\n        reveal(x)\nA.f(1)\nA().f(2)", "1 2"),
    ("class A:\n    @classmethod\n    def f(cls, x):\n        reveal(x)\nA.f(1)\nA().f(2)", "1 2"),
    ("class A:\n    def f(self, x):\n        reveal(x)\nA.f(A(), 1)", "1"),
    ("class A:\n    def f(self, x):\n        self.g(x)\n    def g(self, x):\n        reveal(x)\nA().f(1)", "1"),
    ("class A:\n    def __call__(self, x):\n        reveal(x)\na = A()\na(6)", "6"),
    ("def f(x):\n    reveal(x)\nclass A:\n    def __init__(self):\n        self.g = f\nA().g(3)\nf(4)", "3 4"),
]
CHECKED = "".join(f"check('{name}', {number})\n" for number, name in enumerate("abcdefghij"))
GIVEN_BACK = [  # by a function that very many calls enter
    ("def check(name, value):\n    return value\nreveal(check('x', 20))", "20"),
    ("def check(name, value=30):\n    if name:\n        return value\n    return value\nreveal(check('x'))", "30"),
    (
        "def check(name, value):\n    value = value or 5\n    return value\nreveal(check('x', 20))",
        "20 1 2 3 4 5 6 7 8 9",
    ),
    ("def check(name, value):\n    value.append(7)\n    return value\nreveal(check('x', [1]))", "[7 1]"),
]


@pytest.mark.parametrize("text, expected", GIVEN_BACK)
def test_what_a_function_gives_back_is_what_the_call_passes(text: str, expected: str) -> None:
    assert revealed(f"{text}\n{CHECKED}") == expected


DECORATORS = """\
import functools

def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        result = function(*args, **kwargs)
        return result
    return wrapper

def logged(level):
    def decorate(function):
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)
        return wrapper
    return decorate

"""
CLASSES = [
    ("class A:\n    def __init__(self, x):\n        reveal(x)\nclass B(A):\n    pass\nA(1)\nB(2)", "1 2"),
    (
        "class A:\n    def __init__(self, x=0):\n        reveal(x)\n"
        "class B(A):\n    def __init__(self):\n        super().__init__(3)\nB()",
        "3",
    ),
    (
        "class A:\n    def __init__(self, x=0):\n        reveal(x)\n"
        "class B(A):\n    def __init__(self):\n        super(B, self).__init__(x=3)\nB()\nA(4)",
        "3 4",
    ),
    (
        "class A:\n    def __init__(self, x=0):\n        reveal(x)\n"
        "class B(A):\n    def __init__(self):\n        A.__init__(self, 5)\nB()",
        "5",
    ),
    (
        "class A:\n    def __init__(self, x):\n        self.x = x\n"
        "class B(A):\n    def __init__(self):\n        super().__init__(3)\nreveal(B().x)",
        "3",
    ),
    (
        "class A:\n    def __init__(self, x):\n        self.x = x\n"
        "    @classmethod\n    def make(cls):\n        return cls(5)\nreveal(A.make().x)",
        "5",
    ),
    (
        "class A:\n    def __init__(self, x):\n        self.x = x\n"
        "    @staticmethod\n    def make(x):\n        return A(x)\nreveal(A.make(4).x)",
        "4",
    ),
    ("class A:\n    def f(self):\n        return 1\nclass B(A):\n    def f(self):\n        reveal(super().f())", "1"),
    (
        "from mindspore import Model\nclass Mine(Model):\n    def train(self, *args):\n        reveal(super().train)",
        "mindspore.train.Model.train",
    ),
    ("class A:\n    def __init__(self):\n        setattr(self, 'x', 3)\nreveal(A().x)", "3"),
    (
        "class A:\n    def __init__(self, **kwargs):\n        self.x = 1\n        self.__dict__.update(kwargs)\n"
        "reveal(A(x=2).x)",
        "2",
    ),
    (
        "class A:\n    def __init__(self, **kwargs):\n        self.__dict__.update(kwargs)\n        self.x = 1\n"
        "reveal(A(x=2).x)",
        "1",
    ),
    ("class A:\n    def __init__(self, **kwargs):\n        vars(self).update(kwargs)\nreveal(A(x=2).x)", "2"),
    ("class A:\n    def __enter__(self):\n        return 5\nwith A() as x:\n    reveal(x)", "5"),
    ("class A:\n    def __enter__(self):\n        return self\nwith A() as x:\n    reveal(x)", "A()"),
    ("class A:\n    def __call__(self):\n        return 5\nclass B(A):\n    pass\nreveal(B()())", "5"),
]
RECORDS = [
    ("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: bool = True\nreveal(A(x=False).x)", "False"),
    ("from dataclasses import dataclass\n@dataclass\nclass A:\n    y: int\n    x: int = 1\nreveal(A(2, 3).x)", "3"),
    ("from dataclasses import dataclass as record\n@record\nclass A:\n    x: int\nreveal(A(3).x)", "3"),
    ("import attrs\nrecord = attrs.define\n@record\nclass A:\n    x: int\nreveal(A(3).x)", "3"),
    ("from typing import NamedTuple as Row\nclass A(Row):\n    x: int\nreveal(A(3).x)", "3"),
    ("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\nreveal(A().x)", "1 ?"),
    ("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\nreveal(parsed(A)[0].x)", "..."),
    ("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\nreveal(A(**unknown()).x)", "1 ... ?"),
    (
        "from dataclasses import dataclass, field\n@dataclass\nclass A:\n    x: int = field(default=4)\nreveal(A().x)",
        "4 ?",
    ),
    (
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\n"
        "def main(args):\n    reveal(args.x)\nmain(A(x=2))",
        "2",
    ),
    ("from collections import namedtuple\nA = namedtuple('A', ['x', 'y'])\nreveal(A(1, y=2).y)", "2"),
    ("from collections import namedtuple\nA = namedtuple('A', 'x y')\nreveal(A(1, 2).x)", "1"),
    ("from typing import NamedTuple\nclass A(NamedTuple):\n    x: int = 1\nreveal(A(x=4).x)", "4"),
]
CALL_BY_CALL = [
    ("class A:\n    def __init__(self, x):\n        self.x = x\na, b = A(1), A(2)\nreveal(a.x)", "1"),
    ("class A:\n    def __init__(self, x):\n        self.x = x\na, b = A(1), A(2)\nreveal(b.x)", "2"),
    (
        "class A:\n    def __init__(self, x):\n        self.x = x\n    def get(self):\n        return self.x\n"
        "a, b = A(1), A(2)\nreveal(b.get())",
        "2",
    ),
    (
        "class A:\n    def __init__(self, x):\n        self.x = x\n    def get(self):\n        reveal(self.x)\n"
        "a, b = A(1), A(2)",
        "1 2",
    ),
    (
        "class A:\n    def __init__(self, x):\n        self._x = x\n    @property\n    def x(self):\n"
        "        return self._x\na, b = A(1), A(2)\nreveal(a.x)",
        "1",
    ),
    (
        "class A:\n    def __init__(self, x):\n        self.x = x\nclass B(A):\n    def __init__(self, x, y):\n"
        "        super().__init__(x)\n        self.y = y\na, b = B(1, 2), B(3, 4)\nreveal(b.x)",
        "3",
    ),
    ("def f(mode):\n    if mode == 'a':\n        return 1\n    return 2\nf('b')\nreveal(f('a'))", "1"),
    ("def f(mode):\n    if mode == 'a':\n        return 1\n    return 2\nf('b')\nreveal(f(unknown()))", "1 2"),
    ("def f(mode):\n    return 1 if mode == 'a' else 2\nf('a')\nreveal(f('b'))", "2"),
    ("def f(mode):\n    x = {'a': 1, 'b': 2}[mode]\n    return x\nf('a')\nreveal(f('b'))", "2"),
    ("def f(x):\n    return g(x)\ndef g(x):\n    return x\nf(1)\ng(3)\nreveal(f(2))", "2"),
    ("def f(x):\n    y = x\n    y += 1\n    return y\nf(1)\nreveal(f(2))", "3"),
    ("def f(n):\n    return f(n - 1) if n else 0\nf(3)\nreveal(f(2))", "0"),
    (
        "class A:\n    def __init__(self, x):\n        self.x = x\ndef make(x):\n    return A(x)\nmake(1)\n"
        "reveal(make(2).x)",
        "2",
    ),
]
TWO = "def a(x):\n    return x\ndef b(x):\n    return x + 1\n"
OPTION = """\
from argparse import ArgumentParser
parser = ArgumentParser()
parser.add_argument('--name', default='a')
args = parser.parse_args()
"""
ONE_OF = OPTION.replace("default='a'", "default='a', choices=['a', 'b']")
HANDED = [
    ("def f(x):\n    reveal(x)\ndef g(): pass\n{'f': f, 'g': g}[unknown()](5)", "5"),
    ("def f(x):\n    reveal(x)\ntable = dict(f=f)\ntable[unknown()](5)", "5"),
    ("def f(x):\n    reveal(x)\ndef g(): pass\n{'f': f}.get(unknown(), g)(5)", "5"),
    ("def f(x):\n    reveal(x)\ndef g(): pass\nrun = {'f': f}.get(unknown(), g)\nrun(5)", "5"),
    ("def f(x):\n    reveal(x)\ndef g(): pass\nfor each in [f, g]:\n    each(5)", "5"),
    ("def f(x):\n    reveal(x)\ndef g(): pass\nfor name, each in [('f', f), ('g', g)]:\n    each(5)", "5"),
    ("def f(x):\n    reveal(x)\nfor name, each in {'f': f}.items():\n    each(5)", "5"),
    ("def f(x):\n    reveal(x)\ndef run(work):\n    work(5)\nrun(f)", "5"),
    ("def f(x):\n    reveal(x)\ndef run(work):\n    again(work)\ndef again(do):\n    do(5)\nrun(work=f)", "5"),
    (
        "def f(x):\n    reveal(x)\nclass A:\n    def __init__(self, work):\n        self.work = work\n"
        "    def run(self):\n        self.work(5)\nA(f).run()",
        "5",
    ),
    ("def f(x):\n    reveal(x)\nrun = f if unknown() else None\nrun(5)", "5"),
    ("def f(x):\n    reveal(x)\ndef run(work):\n    work(5)\nrun(print)\nf(6)", "6"),
    ("def f(x):\n    reveal(x)\nglobals()['f'](5)", "5"),
    ("name = 'f'\ndef f(x):\n    reveal(x)\nglobals()[name](5)", "5"),
    ("def f(x):\n    reveal(x)\nmake = globals()['f']\nmake(5)", "5"),
    ("def ｆ(x):\n    reveal(x)\nmake = f\nmake(5)", "5"),
    ("class A:\n    def f(self, x):\n        reveal(x)\n    def run(self):\n        getattr(self, 'f')(5)", "5"),
    (
        "class A:\n    def f(self, x):\n        reveal(x)\n    def g(self): pass\n"
        "    def run(self, name):\n        {'f': self.f, 'g': self.g}[name](5)",
        "5",
    ),
    ("class A:\n    def __init__(self, x):\n        reveal(x)\nclass B: pass\n{'a': A, 'b': B}[unknown()](5)", "5"),
    ({"train.py": "import nets\ngetattr(nets, 'f')(5)", "nets.py": "def f(x):\n    reveal(x)"}, "5"),
    ({"train.py": "import nets\nmake = getattr(nets, 'f')\nmake(5)", "nets.py": "def f(x):\n    reveal(x)"}, "5"),
]
TABLES = [
    ("def a():\n    return 1\ndef b():\n    return 2\nreveal({'a': a, 'b': b}['b']())", "2"),
    ("class A: pass\nclass B: pass\nreveal({'a': A, 'b': B}[unknown()]())", "A() B()"),
    ("reveal({'a': 1, 'b': 2}[unknown()])", "..."),
    (TWO + "reveal({'a': a, 'b': b}.get(unknown(), a)(3))", "3 4"),
    (TWO + "table = {'a': a, 'b': b}\ntable[unknown()] = elsewhere\nreveal(table[unknown()](3))", "3 4 ..."),
    (TWO + "table = {'a': a, 'b': b}\ntable.update(unknown())\nreveal(table[unknown()](3))", "3 4 ..."),
    (TWO + "table = {}\ntable['a'] = a\ntable['b'] = b\nreveal(table[unknown()](3))", "3 4"),
    (TWO + "table = dict()\ntable['a'], table['b'] = a, b\nreveal(table[unknown()](3))", "3 4"),
    (TWO + "table = {'a': a}\ntable['b'] = b\nreveal(table[unknown()](3))", "3 4"),
    (TWO + "table = {}\ntable['a'] = a\ntable['b'] = 2\nreveal(table[unknown()])", "..."),
    (TWO + "table = {}\ntable['a'] = a\ntable.update(unknown())\nreveal(table[unknown()](3))", "3 ..."),
    (TWO + "table = {}\ndef f(table):\n    table['b'] = b\ntable['a'] = a\nreveal(table[unknown()](3))", "3"),
    ("table = {}\nreveal(table[unknown()])", "..."),
    (TWO + "reveal((a, b)[unknown()](3))", "3 4"),
    (OPTION + TWO + "reveal({'a': a, 'b': b}[args.name](3))", "3 (4) ?"),
    ("for name in {'a': 1, 'b': 2}:\n    reveal(name)", "'a' 'b'"),
    ("for name, x in {'a': 1, 'b': 2}.items():\n    reveal(x)", "1 2"),
    ("for x in {'a': 1, 'b': 2}.values():\n    reveal(x)", "1 2"),
    ("table = {'a': 1}\ntable['b'] = 2\nfor x in table.values():\n    reveal(x)", "..."),
    ("for x in {**unknown(), 'b': 2}.values():\n    reveal(x)", "..."),
    ("def a():\n    return 1\nreveal(globals()['a']())", "1"),
    ({"train.py": "import nets\nreveal(getattr(nets, 'a')())", "nets.py": "def a():\n    return 1"}, "1"),
    ({"train.py": ONE_OF + "import nets\nreveal(getattr(nets, args.name)(3))", "nets.py": TWO}, "3 (4)"),
    ("class A:\n    a = 1\n    b = 2\nreveal(getattr(A(), 'a' if unknown() else 'b'))", "1 2"),
    ("class A:\n    a = 1\n    b = 2\nfor name in ('a', 'b'):\n    reveal(getattr(A, name))", "1 2"),
    (ONE_OF + "import math\nreveal(getattr(math, args.name))", "math.a (math.b)"),
    ("class A:\n    a = 1\nreveal(getattr(A(), unknown()))", "..."),
    ("class A:\n    a = 1\nreveal(getattr(A(), 'a' if unknown() else 5))", "..."),
    ("class A:\n    a = 1\n    b = 2\nreveal(getattr(A(), 'a' if unknown() else 'b', 3))", "..."),
    (
        {
            "train.py": "from nets import create\nreveal(create('small'))",
            "nets/__init__.py": "from .factory import create\nfrom . import small",
            "nets/registry.py": """
                _made_by = {}

                def register(function):
                    name = function.__name__
                    _made_by[name] = function
                    return function

                def maker(name):
                    return _made_by[name]
                """,
            "nets/factory.py": """
                from .registry import maker

                def create(name, **kwargs):
                    make = maker(name)
                    return make(**kwargs)
                """,
            "nets/small.py": """
                from .registry import register

                class Small:
                    pass

                @register
                def small(**kwargs):
                    return Small()

                @register
                def other(**kwargs):
                    return 0
                """,
        },
        "Small()",
    ),
    (
        """
        TABLE = {}
        def register(name):
            def decorate(cls):
                TABLE[name] = cls
                return cls
            return decorate

        @register("a")
        class A: pass

        @register("b")
        class B: pass

        reveal(TABLE["b"]())
        """,
        "B()",
    ),
    (
        "from mindspore import nn\nclass A(nn.Cell): pass\nlayers = nn.CellList([A(), A()])\nfor layer in layers:\n"
        "    reveal(layer)",
        "A() A()",
    ),
    ("from mindspore import nn\nclass A(nn.Cell): pass\nreveal(nn.CellList([A()])[0])", "A()"),
]
FACTORIES = [
    ("def f():\n    return 1, 2\na, b = f()\nreveal(b)", "2"),
    ("def f():\n    return {'a': 1, 'b': 2}\nreveal(f()['b'])", "2"),
    ("def f():\n    yield 1\n    yield 2\nfor x in f():\n    reveal(x)", "1 2"),
    ("def f():\n    yield 1\n    yield\nfor x in f():\n    reveal(x)", "1 None"),
    ("def f():\n    yield\n    return 3\nfor x in f():\n    reveal(x)", "None"),
    (
        "from contextlib import contextmanager\n@contextmanager\ndef f(x):\n    yield\nwith f(3) as x:\n    reveal(x)",
        "None",
    ),
    (
        "from contextlib import contextmanager\n"
        "@contextmanager\ndef f(x):\n    yield x\nwith f(3) as x:\n    reveal(x)",
        "3",
    ),
    (DECORATORS + "@timed\ndef f(x):\n    return x\nreveal(f(3))", "3"),
    (DECORATORS + "@logged('info')\ndef f(x):\n    reveal(x)\nf(3)", "3"),
    (DECORATORS + "def f(x):\n    reveal(x)\ng = timed(f)\ng(3)", "3"),
    (DECORATORS + "def f(x):\n    return x\ng = timed(f)\nreveal(g(3))", "3"),
    (DECORATORS + "def f(x):\n    reveal(x)\nlogged('info')(f)(3)", "3"),
    (DECORATORS + "def f(x):\n    reveal(x)\ng = logged('info')(f)\ng(3)", "3"),
    (DECORATORS + "@timed\ndef f(x):\n    reveal(x)\n@timed\ndef g(x): pass\nf(3)\ng(4)", "3"),
    ("def given(f):\n    def inner():\n        f(5)\n    return inner\n@given\ndef f(x):\n    reveal(x)\nf()", "5"),
    (
        "def given(x):\n    def decorate(f):\n        def inner():\n            f(x)\n        return inner\n"
        "    return decorate\n@given(5)\ndef f(x):\n    reveal(x)\nf()",
        "5",
    ),
    (
        "def around(before):\n    def decorate(f):\n        def inner(*args):\n            before(5)\n"
        "            return f(*args)\n        return inner\n    return decorate\n"
        "def prepare(x):\n    reveal(x)\n@around(before=prepare)\ndef main():\n    pass\nmain()",
        "5",
    ),
    (
        "class Timed:\n    def __init__(self, f):\n        self.f = f\n    def __call__(self, *args):\n"
        "        return self.f(*args)\n@Timed\ndef f(x):\n    reveal(x)\nf(3)",
        "3",
    ),
    ("from elsewhere import traced\n@traced\ndef f(x):\n    return x\nreveal(f(3))", "3"),
    (
        {
            "train.py": "from build import Builder\nmodel = Builder(True).model\nreveal(model.train)",
            "build.py": """
                from mindspore import Model

                class Builder:
                    def __init__(self, amp):
                        self.amp = amp

                    @property
                    def model(self):
                        return Model(net, amp_level=self.amp)
                """,
        },
        "mindspore.train.Model.train",
    ),
]
LISTS = [
    ("x = []\nx.append(1)\nreveal(x)", "[1]"),
    ("x = [1]\nx += [2]\nreveal(x)", "[1 2]"),
    ("x = [1]\nx.extend([2, 3])\nreveal(x)", "[1 2 3]"),
    ("from collections import deque\nx = deque([1])\nx.appendleft(2)\nfor y in x:\n    reveal(y)", "1 2"),
    ("from collections import deque\nx = deque([1])\nx.extendleft([2, 3])\nfor y in x:\n    reveal(y)", "1 2 3"),
    ("x = [1, 2]\nx.popleft()\nreveal(x[0])", "2"),
    ("x = [1]\nx = x + [2]\nreveal(x)", "[1 2]"),
    ("x = [1] + [2]\nreveal(x)", "[1 2]"),
    ("x = [1]\nx = [0, *x]\nreveal(x)", "[1 0]"),
    ("x = [1] + unknown()\nreveal(x)", "[1 ...]"),
    ("x = []\nif unknown():\n    x.append(1)\nreveal(x)", "[1]"),
    ("x = []\nif False:\n    x.append(1)\nreveal(x)", "[]"),
    ("x = []\nfor i in y:\n    x += [1]\nreveal(x)", "[1]"),
    ("x = []\nfor i in y:\n    x.append(i)\nreveal(x)", "[...]"),
    ("class A: pass\nreveal([A() for i in y])", "[A()]"),
    ("reveal([i + 1 for i in (1, 2)])", "[2 3]"),
    ("x = (1,)\nx += (2,)\nreveal(x)", "[1 2]"),
    ("def f():\n    x = [1]\n    x.append(2)\n    return x\nreveal(f())", "[1 2]"),
    ("def f():\n    x = []\n    if unknown():\n        x += [1]\n    return x\nreveal(f())", "[1]"),
    ("class A:\n    def __init__(self):\n        self.x = [1]\n        self.x.append(2)\nreveal(A().x)", "[1 2]"),
    (
        "class A:\n    def __init__(self):\n        self.x = []\n    def add(self):\n        self.x.append(2)\n"
        "    def run(self):\n        reveal(self.x)",
        "[2]",
    ),
    ("def f(x):\n    reveal(x)\ny = [1]\ny.append(2)\nf(y)", "[1 2]"),
    ("def f(x):\n    x.append(2)\ny = [1]\nf(y)\nreveal(y)", "[2 1]"),
    ("def f():\n    return [1]\nx = f()\nx.append(2)\nreveal(x)", "[1 2]"),
    ("def f():\n    return [1]\nx = f()\ny = x\ny.append(2)\nreveal(y)", "[1 2]"),
    ("def f(x):\n    x.append(2)\n    reveal(x)\nf([1])", "[2 1]"),
    ("def f(x):\n    x.append(2)\n    reveal(x)\nf(x=[1])", "[2 1]"),
    ("def f(x=None):\n    x = x if x else []\n    reveal(x)\ny = []\ny.append(1)\nf(y)", "[1]"),
    ("x = list()\nx.append(1)\nreveal(x)", "[1]"),
    ("class A:\n    def __init__(self, x):\n        self.x = x\n        self.x.append(2)\nreveal(A([1]).x)", "[2 1]"),
    ("import elsewhere\ny = [1]\nelsewhere.add(y)\nreveal(y)", "[1]"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [*PARAMETERS, *CLASSES, *RECORDS, *CALL_BY_CALL, *HANDED, *TABLES, *FACTORIES, *LISTS],
)
def test_call(text: Text, expected: str) -> None:
    assert revealed(text) == expected


def asked(text: str, names: Sequence[str]) -> dict[str, list[int]]:
    """Return the rows of the calls of some functions, asked in this order."""
    made = program(text)
    module = made.module(made.entry)
    assert module is not None
    found = {name: made.callers(module.defined[name][0]) for name in names}
    return {name: sorted(site.stmt.lineno for site in found[name]) for name in sorted(names)}


def test_calls_do_not_depend_on_what_was_asked_before() -> None:
    text = "def f(k):\n    k(f)\ndef h(k):\n    k(h)\nf(h)\nh(f)\n"
    assert asked(text, ["f", "h"]) == asked(text, ["h", "f"]) == {"f": [4, 5], "h": [2, 6]}


GUARDED = "def size(number):\n    reveal(number)\n\n\nif __name__ == '__main__':\n    size(2)\n"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [({"train.py": "from net import size\nsize(1)\n", "net.py": GUARDED}, "1"), ({"train.py": GUARDED}, "2")],
)
def test_what_a_module_does_as_a_script_does_not_run_where_it_is_imported(entry: dict[str, str], expected: str) -> None:
    assert revealed(entry) == expected
