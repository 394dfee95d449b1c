"""Argument binding: which expression of a call is for which parameter, however the function is called."""

from __future__ import annotations

import ast
import textwrap

import pytest
from reveal import program, shown

from ms_perflint.index.signature import Layer, Signature
from ms_perflint.program.call_site import Call

PARTIAL = "from functools import partial, partialmethod\n"


def revealed(text: str) -> str:
    """Return what the argument of `reveal(...)` can be, in one line."""
    made = program(text)
    (site,) = made.sites("reveal")
    assert isinstance(site.node, ast.Call)
    return shown(made.value(site.node.args[0], site.scope))


def cls(method: str, *calls: str) -> str:
    """Return a class with one method, of which the text is given without indentation, and calls below it."""
    return "class A:\n" + textwrap.indent(method, "    ") + "\n" + "\n".join(calls)


STATIC = "@staticmethod\ndef f(x, y=0):\n    reveal(y)"
CLASS = "@classmethod\ndef f(cls, x, y=0):\n    reveal(y)"
METHOD = "def f(self, x, y=0):\n    reveal(y)"
METHODS = [
    (cls(STATIC, "A.f(1, 2)"), "2"),
    (cls(STATIC, "A().f(1, 2)"), "2"),
    (cls(STATIC, "A.f(x=1, y=2)"), "2"),
    (cls(STATIC, "class B(A):\n    pass\nB.f(1, 2)"), "2"),
    (cls(STATIC + "\ndef g(self):\n    self.f(1, 2)", "A().g()"), "2"),
    (cls("def f(x, y=0):\n    reveal(y)\nf = staticmethod(f)", "A.f(1, 2)"), "2"),
    (cls(STATIC, "g = A.f\ng(1, 2)"), "2"),
    (cls(STATIC, "A.f(1)"), "0 ?"),
    (cls(CLASS, "A.f(1, 2)"), "2"),
    (cls(CLASS, "A().f(1, 2)"), "2"),
    (cls(CLASS, "class B(A):\n    pass\nB.f(1, y=2)"), "2"),
    (cls(CLASS + "\n@classmethod\ndef g(cls):\n    cls.f(1, 2)", "A.g()"), "2"),
    (cls(CLASS + "\ndef g(self):\n    self.f(1, 2)", "A().g()"), "2"),
    (cls(CLASS, "A.f(1)"), "0 ?"),
    (cls(METHOD, "A().f(1, 2)"), "2"),
    (cls(METHOD, "A.f(A(), 1, 2)"), "2"),
    (cls(METHOD, "A.f(A(), 1)"), "0 ?"),
    (cls(METHOD, "A.f(self=A(), x=1, y=2)"), "2"),
    (cls(METHOD, "g = A().f\ng(1, 2)"), "2"),
    (cls(METHOD, "g = A.f\ng(A(), 1, 2)"), "2"),
    (cls(METHOD, "class B(A):\n    def f(self, x):\n        super().f(x, 2)\nB().f(1)"), "2"),
    (cls(METHOD, "class B(A):\n    def f(self, x):\n        A.f(self, x, 2)\nB().f(1)"), "2"),
    (cls("def __init__(self, x, y=0):\n    reveal(y)", "A(1, 2)"), "2"),
    (cls("def __init__(self, x, y=0):\n    reveal(y)", "class B(A):\n    pass\nB(1, 2)"), "2"),
    (cls("def __call__(self, x, y=0):\n    reveal(y)", "a = A()\na(1, 2)"), "2"),
    (cls("def f(*args):\n    reveal(args[1])", "A().f(1, 2)"), "..."),  # the object is among them
    ("def f(x, y=0):\n    reveal(y)\nclass A:\n    def __init__(self):\n        self.f = f\nA().f(1, 2)", "2"),
]
TRAIN = PARTIAL + "def train(x, epochs=1):\n    reveal(epochs)\n"
BOUND = PARTIAL + cls(METHOD, "")
PARTIALS = [
    (TRAIN + "partial(train, epochs=3)(0)", "3"),
    (TRAIN + "run = partial(train, epochs=3)\nrun(0)", "3"),
    (TRAIN + "run = partial(train, 0, 3)\nrun()", "3"),
    (TRAIN + "run = partial(train, 0)\nrun(3)", "3"),
    (TRAIN + "run = partial(train, 0)\nrun()", "1 ?"),
    (TRAIN + "run = partial(train)\nrun(0, 3)", "3"),
    (TRAIN + "run = partial(train, **{'epochs': 3})\nrun(0)", "3"),
    (TRAIN + "run = partial(train, *(0, 3))\nrun()", "3"),
    (TRAIN + "def main():\n    run = partial(train, epochs=3)\n    run(0)\nmain()", "3"),
    # keywords of the call replace those of `partial`
    (TRAIN + "partial(train, epochs=3)(0, epochs=5)", "5"),
    (TRAIN + "run = partial(train, epochs=3)\nrun(0, epochs=5)", "5"),
    (TRAIN + "run = partial(train, epochs=3)\nrun(0, **{'epochs': 5})", "5"),
    (TRAIN + "options = {'epochs': 5}\nrun = partial(train, epochs=3)\nrun(0, **options)", "5"),
    (TRAIN + "run = partial(train, epochs=3)\nrun(0)\nrun(0, epochs=5)", "3 5"),
    (TRAIN + "run = partial(train, epochs=3)\nrun(0, **unknown())", "3 ..."),
    # again and again
    (TRAIN + "run = partial(partial(train, 0), 3)\nrun()", "3"),
    (TRAIN + "one = partial(train, 0)\nrun = partial(one, 3)\nrun()", "3"),
    (TRAIN + "one = partial(train, epochs=2)\nrun = partial(one, epochs=3)\nrun(0)", "3"),
    (TRAIN + "one = partial(train, epochs=2)\nrun = partial(one, 0)\nrun()", "2"),
    (TRAIN + "one = partial(train, epochs=2)\nrun = partial(one, 0)\nrun(epochs=4)", "4"),
    # methods and classes
    (BOUND + "run = partial(A().f, 1)\nrun(4)", "4"),
    (BOUND + "run = partial(A.f, A(), 1)\nrun(4)", "4"),
    (BOUND + "run = partial(A().f, y=4)\nrun(1)", "4"),
    (PARTIAL + cls(STATIC, "run = partial(A.f, 1)\nrun(4)"), "4"),
    (PARTIAL + cls(CLASS, "run = partial(A.f, 1)\nrun(4)"), "4"),
    (PARTIAL + cls("def __init__(self, x, y=0):\n    self.y = y", "make = partial(A, 1)\nreveal(make(4).y)"), "4"),
    (
        PARTIAL + cls("def __init__(self, x, y=0):\n    self.y = y", "make = partial(A, y=3)\nreveal(make(1, y=4).y)"),
        "4",
    ),
    (PARTIAL + cls("def __init__(self):\n    self.g = partial(self.f, 1)\n" + METHOD, "A().g(4)"), "4"),
    (PARTIAL + cls(METHOD + "\ng = partialmethod(f, y=4)", "A().g(1)"), "4"),
    (PARTIAL + cls(METHOD + "\ng = partialmethod(f, 1)", "A().g(4)"), "4"),
    # called where it is not seen
    (TRAIN + "unknown(partial(train, 0))", "1 ..."),
    (TRAIN + "run = partial(train, 0)\nunknown(run)\nrun(3)", "1 3 ..."),
    (TRAIN + "def make():\n    return partial(train, 0)\nunknown(make())", "1 ..."),
    (TRAIN + "TABLE = {'run': partial(train, 0)}", "1 ..."),
    (TRAIN + "run = partial(train, *unknown())\nrun()", "1 ..."),
    (TRAIN + "run = partial(train, 0) if unknown() else train\nrun(7, 8)", "1 7 8 ..."),
]
TIMED = """\
import functools
def timed(function):
    @functools.wraps(function)
    def wrapper({parameters}):
        return function({arguments})
    return wrapper
"""


def wrapped(parameters: str, arguments: str, function: str = "@timed\ndef f(x, y=0):\n    reveal(y)\nf(1, 2)") -> str:
    """Return a program with a decorator, and a function that it decorates."""
    return TIMED.format(parameters=parameters, arguments=arguments) + function


WRAPPERS = [
    (wrapped("*args, **kwargs", "*args, **kwargs"), "2"),
    (wrapped("*a, **k", "*a, **k"), "2"),
    (wrapped("x, *args, **kwargs", "x, *args, **kwargs"), "2"),
    (wrapped("x, y=0", "x, y=y"), "2"),
    (wrapped("x, **kwargs", "x, **kwargs", "@timed\ndef f(x, y=0):\n    reveal(y)\nf(1, y=2)"), "2"),
    (wrapped("self, *args, **kwargs", "self, *args, **kwargs", cls("@timed\n" + METHOD, "A().f(1, 2)")), "2"),
    (wrapped("*args, **kwargs", "*args, **kwargs", cls("@timed\n" + METHOD, "A().f(1, y=2)")), "2"),
    (wrapped("*args, **kwargs", "*args, **kwargs", "def f(x, y=0):\n    reveal(y)\ng = timed(f)\ng(1, 2)"), "2"),
    (wrapped("*args, **kwargs", "*args, **kwargs", "def f(x, y=0):\n    reveal(y)\ng = timed(f)\ng(1, y=2)"), "2"),
    (wrapped("*args, **kwargs", "*args, **kwargs", "def f(x, y=0):\n    reveal(y)\ng = timed(f)\ng(1)"), "0 ?"),
    # a wrapper that passes something of its own
    (wrapped("*args", "*args, y=5"), "5"),
    (wrapped("x, y", "x, 5"), "5"),
    (wrapped("*args, **kwargs", "*args, **kwargs, **unknown()"), "2"),  # of two, Python makes an error
    (wrapped("y, x", "x, y"), "2 ..."),
    (wrapped("*args", "0, *args", "def f(x, y=0):\n    reveal(y)\ng = timed(f)\ng(2)"), "2"),
]
KINDS = [
    ("def f(x, /, y=0):\n    reveal(x)\nf(1)", "1"),
    ("def f(x, /, **options):\n    reveal(x)\nf(1, x=2)", "1"),
    ("def f(x, /, **options):\n    reveal(options['x'])\nf(1, x=2)", "2"),
    ("def f(x=3, /, **options):\n    reveal(x)\nf(x=2)", "3 ?"),
    ("def f(x=3, /, y=4):\n    reveal(y)\nf(y=2)", "2"),
    ("def f(x, /, y, *, z):\n    reveal(y)\nf(1, 2, z=3)", "2"),
    ("def f(x, *, y=4):\n    reveal(y)\nf(1)", "4 ?"),
    ("def f(x, *, y=4):\n    reveal(y)\nf(1, y=2)", "2"),
    ("def f(x, *rest, y=4):\n    reveal(y)\nf(1, 2, 3)", "4 ?"),
    ("def f(x, *rest, y=4):\n    reveal(rest[1])\nf(1, 2, 3)", "3"),
    ("def f(x, *, y=4):\n    reveal(y)\nf(*unknown())", "4 ?"),
    ("def f(x, *, y=4):\n    reveal(y)\nf(1, **unknown())", "4 ..."),
    (cls("def f(self, /, x, *, y=0):\n    reveal(y)", "A().f(1, y=2)"), "2"),
    (cls("@staticmethod\ndef f(x, /, *, y=0):\n    reveal(x)", "A.f(1, y=2)"), "1"),
]
F = "def f(x=1, y=0):\n    reveal(y)\n"
SPREADS = [
    (F + "f(*(1, 2))", "2"),
    (F + "f(1, *(2,))", "2"),
    (F + "f(*[1], *[2])", "2"),
    (F + "f(*(*(1,), 2))", "2"),
    (F + "pair = (1, 2)\nf(*pair)", "2"),
    (F + "f(**{'y': 2})", "2"),
    (F + "f(**{'x': 1, **{'y': 2}})", "2"),
    (F + "f(**{'y': 1, **{'y': 2}})", "2"),
    (F + "options = {'y': 2}\nf(**options)", "2"),
    (F + "options = {'y': 1}\noptions['y'] = 2\nf(**options)", "2"),
    # nothing is passed
    (F + "f(*())", "0 ?"),
    (F + "f(**{})", "0 ?"),
    (F + "f(*(), **{})", "0 ?"),
    (F + "empty = ()\nf(*empty)", "0 ?"),
    (F + "empty = []\nf(1, *empty)", "0 ?"),
    (F + "f(*(1,))", "0 ?"),
    (F + "f(**{'x': 1})", "0 ?"),
    (F + "options = dict(x=1)\nf(**options)", "0 ?"),
    # what is not known reaches all parameters behind it, and no others
    (F + "f(*unknown())", "0 ..."),
    (F + "f(1, *unknown())", "0 ..."),
    (F + "f(1, 2, *unknown())", "2"),
    (F + "f(*unknown(), y=2)", "2"),
    (F + "f(**unknown())", "0 ..."),
    (F + "f(y=2, **unknown())", "2"),
    (F + "f(*unknown(), 2)", "0 ..."),
    (F + "f(*range(2))", "1"),
    (F + "f(*range(size))", "0 ..."),
    (F + "values = [1]\nvalues.append(2)\nf(*values)", "0 ..."),
    (F + "def make():\n    for each in unknown():\n        yield each\nf(*make())", "0 ..."),
    (F + "options = {}\noptions.update(unknown())\nf(**options)", "0 ..."),
    (F + "key = unknown()\nf(**{key: 2})", "0 ..."),
    # a mapping of the same name elsewhere is another one
    (
        F + "def g():\n    options = {}\n    options['y'] = 3\ndef h():\n    options = {'y': 2}\n    f(**options)\nh()",
        "2",
    ),
    # `**options` never holds what another parameter gets
    (F + "def g(y, **options):\n    f(**options)\ng(**{'y': 5})", "0 ?"),
    (F + "def g(y, **options):\n    f(**options)\npassed = {'y': 5}\ng(**passed)", "0 ?"),
    (F + "def g(*args, **options):\n    f(*args, **options)\ng(1, 2)", "2"),
    (F + "def g(first, *args):\n    f(*args)\ng(9, 1, 2)", "2"),
    (F + "def g(first, *args):\n    f(*args)\ng(*(9, 1, 2))", "2"),
]

ADD = "{}def add({}):\n    held.append(2)\n"
LISTS = [  # what a function adds to a list that it is given; `for` goes through it
    (ADD.format("", "held") + "x = [1]\nadd(x)", "2 1"),
    (ADD.format("", "held") + "x = [1]\nadd(held=x)", "2 1"),
    (ADD.format("", "name, *, held") + "x = [1]\nadd('a', held=x)", "2 1"),
    (ADD.format("", "name, held") + "x = [1]\nadd(*('a',), x)", "2 1"),
    (cls(ADD.format("@staticmethod\n", "held"), "x = [1]\nA.add(x)"), "2 1"),
    (cls(ADD.format("@staticmethod\n", "held"), "x = [1]\nA().add(x)"), "2 1"),
    (cls(ADD.format("@classmethod\n", "cls, held"), "x = [1]\nA.add(x)"), "2 1"),
    (cls(ADD.format("", "self, held"), "x = [1]\nA().add(x)"), "2 1"),
    (cls(ADD.format("", "self, held"), "x = [1]\nA.add(A(), x)"), "2 1"),
    (PARTIAL + ADD.format("", "name, held") + "x = [1]\nrun = partial(add, 'a')\nrun(x)", "2 1"),
    (ADD.format("", "other, held") + "x = [1]\nadd(x, [])", "1"),
    (cls(ADD.format("", "self, held"), "x = [1]\nA.add(x, [])"), "1"),
    (ADD.format("", "held=()") + "x = [1]\nadd()", "1"),
]


@pytest.mark.parametrize(("text", "expected"), LISTS)
def test_list_that_is_given(text: str, expected: str) -> None:
    assert revealed(f"{text}\nfor each in x:\n    reveal(each)") == expected


LIBRARIES = [
    ("import os\nreveal(os.getenv('X', '1'))", "'1' ?"),
    ("import os\nreveal(os.getenv('X', default='1'))", "'1' ?"),
    ("import os\nreveal(os.getenv(key='X', default='1'))", "'1' ?"),
    ("import os\nreveal(os.environ.get('X', *('1',)))", "'1' ?"),
    ("import os\nreveal(os.getenv('X', **unknown()))", "..."),
    ("import os\nreveal(os.getenv('X'))", "..."),
    (
        "from collections import namedtuple\nA = namedtuple(typename='A', field_names=['x', 'y'])\nreveal(A(1, y=2).y)",
        "2",
    ),
    ("from collections import namedtuple\nA = namedtuple('A', ['x', 'y'])\nreveal(A(*(1, 2)).y)", "2"),
    ("from collections import namedtuple\nA = namedtuple('A', ['x', 'y'])\npair = (1, 2)\nreveal(A(*pair).y)", "2"),
    ("from collections import namedtuple\nA = namedtuple('A', ['x', 'y'])\nreveal(A(*unknown()).y)", "..."),
    (PARTIAL + "from collections import namedtuple\nA = namedtuple('A', ['x', 'y'])\nreveal(partial(A, 1)(2).y)", "2"),
    (
        PARTIAL + "from collections import namedtuple\nA = namedtuple('A', ['x', 'y'])\n"
        "make = partial(A, 1) if unknown() else A\nreveal(make(2).x)",
        "...",
    ),
    (cls("def set(self, x):\n    self.x = x", "a = A()\na.set(3)\nreveal(a.x)"), "3"),
    (cls("x = 1\n@staticmethod\ndef set(other):\n    other.x = 3", "reveal(A().x)"), "1"),  # of another object
]


@pytest.mark.parametrize(("text", "expected"), [*METHODS, *PARTIALS, *WRAPPERS, *KINDS, *SPREADS, *LIBRARIES])
def test_parameter(text: str, expected: str) -> None:
    assert revealed(text) == expected


IMPORTS = "import mindspore as ms\nfrom mindspore import nn\nfrom functools import partial\n"
DENSE = "mindspore.nn.Dense"
APIS = [
    ("nn.Dense(8, 16)", "out_channels", "16"),
    ("nn.Dense(8, out_channels=16)", "out_channels", "16"),
    ("nn.Dense(*(8, 16))", "out_channels", "16"),
    ("nn.Dense(8, *(16,), *())", "out_channels", "16"),
    ("nn.Dense(8, **{'out_channels': 16})", "out_channels", "16"),
    ("sizes = (8, 16)\nnn.Dense(*sizes)", "out_channels", "16"),
    ("options = {'out_channels': 16}\nnn.Dense(8, **options)", "out_channels", "16"),
    ("nn.Dense(*())", "has_bias", "True"),
    ("nn.Dense(8, 16, **{})", "has_bias", "True"),
    ("options = {}\nnn.Dense(8, 16, **options)", "has_bias", "True"),
    ("more = unknown()\nnn.Dense(8, 16, **more)", "has_bias", "..."),
    ("more = unknown()\nnn.Dense(8, *more)", "in_channels", "8"),
    ("more = unknown()\nnn.Dense(8, *more)", "out_channels", "..."),
    ("dense = partial(nn.Dense, 8)\ndense(16)", "out_channels", "16"),
    ("dense = partial(nn.Dense, 8)\ndense(16)", "in_channels", "8"),
    ("dense = partial(nn.Dense, has_bias=False)\ndense(8, 16)", "has_bias", "False"),
    ("dense = partial(nn.Dense, has_bias=False)\ndense(8, 16, has_bias=True)", "has_bias", "True"),
    ("dense = partial(nn.Dense, has_bias=False)\ndense(8, 16)", "in_channels", "8"),
    ("dense = partial(nn.Dense, 8) if unknown() else nn.Dense\ndense(16)", "in_channels", "..."),
]


@pytest.mark.parametrize(("text", "name", "expected"), APIS)
def test_parameter_of_mindspore(text: str, name: str, expected: str) -> None:
    made = program(IMPORTS + text)
    site = made.modules[0].sites[-1]
    assert DENSE in made.apis(site)
    assert shown(Call(site, made, DENSE).argument(name)) == expected


GIVEN = [
    ("f(1, 2)", "b", "2"),
    ("f(1, b=2)", "b", "2"),
    ("f(1)", "b", ""),
    ("f(*(1, 2))", "b", "2"),
    ("f(**{'b': 2})", "b", "2"),
    ("f(**{'b': 2, **more})", "b", "?"),
    ("f(**{**more, 'b': 2})", "b", "2"),
    ("f(**{name: 2})", "b", "?"),
    ("f(*more)", "b", "?"),
    ("f(*more, b=2)", "b", "2"),
    ("f(**more)", "b", "?"),
    ("f(1, 2, **more)", "b", "2"),
    ("f(1, *more)", "a", "1"),
    ("f(*more, 1)", "a", "?"),
    ("f(c=3)", "c", "3"),
    ("f(1, 2, 3)", "c", ""),
]


@pytest.mark.parametrize(("text", "name", "expected"), GIVEN)
def test_syntax(text: str, name: str, expected: str) -> None:
    made = program(text)
    (site,) = made.sites("f")
    assert isinstance(site.node, ast.Call)
    argument = Signature.named("a", "b", words=["c"]).bind(Layer(site.node, site.scope)).of(name)
    part = argument.part
    assert (ast.unparse(part.node) if part is not None else "" if argument.is_default else "?") == expected
