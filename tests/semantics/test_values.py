"""What an expression can be: `reveal(x)` in a small program, and what the evaluator says of it."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from reveal import main, program, reveal, shown

DISPATCHED = (
    "import functools\n@functools.singledispatch\ndef f(x):\n    return 1\n@f.register(int)\ndef g(x):\n    return 2\n"
)
CASES = [
    # constants, names, reaching definitions
    ("reveal(1)", "1"),
    ("x = 1\nx = 2\nreveal(x)", "2"),
    ("x = 1\nreveal(x)\nx = 2", "1"),
    ("x = 1\nif unknown():\n    x = 2\nreveal(x)", "1 2"),
    ("if unknown():\n    x = 1\nelse:\n    x = 2\nreveal(x)", "1 2"),
    ("if unknown():\n    x = 1\nelse:\n    raise SystemExit\nreveal(x)", "1"),
    ("x = 1\nfor i in y:\n    x = 2\nreveal(x)", "1 2"),
    ("x = 1\nwhile True:\n    reveal(x)\n    x = 2", "1 2"),
    ("try:\n    x = 1\n    unknown()\nexcept ValueError:\n    x = 2\nreveal(x)", "1 2"),
    ("try:\n    x = 1\nexcept ValueError:\n    x = 2\nreveal(x)", "1"),
    ("x = 1\ntry:\n    x = 2\nfinally:\n    pass\nreveal(x)", "2"),
    ("x = 1\nx += 1\nreveal(x)", "2"),
    ("x = 1\nfor i in y:\n    x += 1\nreveal(x)", "1 ..."),
    ("x = 1\nx = x + 1\nreveal(x)", "2"),
    ("x = 0\nwhile unknown():\n    x = x + 1\n    reveal(x > 90)", "..."),
    ("x = 0\nfor i in y:\n    x = x + 1\nreveal(x)", "0 ..."),
    ("a, (b, c) = 1, (2, 3)\nreveal(c)", "3"),
    ("for x in (1, 2):\n    reveal(x)", "1 2"),
    ("def f():\n    global x\n    x = 2\nx = 1\ndef g():\n    reveal(x)", "2 1"),
    ("x = 1\ndef f():\n    x = 2\ndef g():\n    reveal(x)", "1"),
    ("class A:\n    x = 1\n    def f(self):\n        reveal(x)", "..."),
    ("print([reveal(x) for x in (1, 2)])", "1 2"),
    ("if (x := 3) > 2:\n    reveal(x)", "3"),
    ("x = 1\nfor i in y:\n    z = (2 if i else 3), lambda: i\n    if (x := 5):\n        pass\nreveal(x)", "1 5"),
    # conditions
    ("x = 1\nif True:\n    x = 2\nreveal(x)", "2"),
    ("x = 1\nif False:\n    pass\nelif True:\n    x = 2\nreveal(x)", "2"),
    ("x = 1\nif True:\n    for i in y:\n        x = 2\nreveal(x)", "1 2"),
    ("x = 1\nfor i in y:\n    if True:\n        x = 2\nreveal(x)", "1 2"),
    ("for i in y:\n    if i:\n        reveal(x)\n    x = 1\n    if True:\n        x = 2", "2"),
    ("x = 1\nif False:\n    x = 2\nreveal(x)", "1"),
    ("reveal(1 if True else 2)", "1"),
    ("DEBUG = False\nreveal(1 if DEBUG else 2)", "2"),
    ("reveal(not 0)", "True"),
    ("reveal('a' == 'b' or 3 in (3, 4))", "True"),
    ("reveal(2 * 3 + 1)", "7"),
    ("reveal(f'{1}-a')", "'1-a'"),
    ("x = 1\nif unknown():\n    return_ = x\nelse:\n    exit()\nreveal(return_)", "1"),
    # sequences that are made of others
    ("a, *b = 1, 2, 3\nreveal(b[1])", "3"),
    ("*a, b = 1, 2, 3\nreveal(b)", "3"),
    ("reveal([1, 2, 3][::2][1])", "3"),
    ("reveal([1, 2][:unknown()][0])", "1 2"),
    ("reveal('abc'[1:])", "'bc'"),
    ("y = [a for a in y]\ndef f(x):\n    reveal(x)\nf(*y)", "..."),
    (
        "class A:\n    def __init__(self):\n        self.k = [a for a in self.k]\ndef f(x):\n    reveal(x)\nf(*A().k)",
        "...",
    ),
    ("import os\nreveal(os.path.expanduser('a/b.yaml'))", "'a/b.yaml'"),
    ("import os\nreveal(os.path.expanduser('~/b.yaml'))", "..."),
    ("from pathlib import Path\nreveal(Path('a/b.yaml').expanduser().name)", "'b.yaml'"),
    ("y = [b for b in [a for a in [1, 2]]]\nreveal(y[1])", "2"),
    ("reveal(unknown()[1:])", "..."),
    ("x = [1]\nx[0] = 2\nreveal(x[0])", "2"),
    ("x = [1]\nx[0] += 2\nreveal(x[0])", "..."),
    # what moves elements leaves open which one stands where
    ("x = [2, 1]\nx.sort()\nreveal(x[0])", "1"),
    ("x = [2, 1]\nx.sort()\nfor y in x:\n    reveal(y)", "2 1"),
    ("x = [1, 2]\nx.reverse()\nreveal(x[0])", "2"),
    ("x = [1, 2]\nx.insert(0, 3)\nreveal(x[0])", "3"),
    ("x = [1, 2]\nx.remove(1)\nreveal(x[0])", "2"),
    ("x = [1, 2]\nx.pop(0)\nreveal(x[0])", "2"),
    ("x = [1, 1]\nx.insert(0, 1)\nreveal(x[0])", "1"),
    ("x = [1, 2]\ndel x[0]\nreveal(x[0])", "2"),
    ("x = [1, 2]\ndel x[1:]\nreveal(x[0])", "1"),
    ("x = [1, 2]\nx[0:1] = [3]\nreveal(x[0])", "3"),
    ("x = [1, 2]\nx[:] = [3, 4]\nreveal(x[0])", "3"),
    ("x = {'a': 1, 'b': 2}\nk = input()\ndel x[k]\nfor y in x.values():\n    reveal(y)", "..."),
    ("x = [1, 2]\nx.append(3)\nreveal(x[0])", "1"),
    ("x = [1, 2]\nx.append(3)\nreveal(x[-1])", "3"),
    ("for i, x in enumerate([7, 8], 1):\n    reveal(i)", "1 2"),
    ("for i, x in enumerate([7], unknown()):\n    reveal(i)", "..."),
    ("for i, x in enumerate(zip([7], [8])):\n    reveal(x[1])", "8"),
    ("reveal({k: v for k, v in zip(['a', 'b'], [3, 4])}['b'])", "4"),
    ("reveal({k: 3 for k in unknown()}['b'])", "..."),
    ("reveal([x for x in [1, 2] if x > 1][0])", "2"),
    ("reveal([x for x in [1, 2] if unknown(x)][0])", "..."),
    ("reveal([x + y for x in [1, 2] for y in [10]][1])", "12"),
    ("x = [4]\nreveal([x for x in x][0])", "4"),
    ("reveal(list(map(lambda x: x + 1, [1, 2]))[1])", "3"),
    ("reveal(list(map(lambda x, y=5: x + y, [1, 2]))[0])", "6"),
    ("reveal(list(map(lambda x, y: x * y, [1, 2], [3, 4]))[1])", "8"),
    ("reveal(list(map(lambda *all: all[1], [1, 2], [3, 4]))[0])", "3"),
    ("def f(x):\n    return x\nreveal(list(map(f, [1, 2]))[1])", "2"),
    ("class A:\n    def __init__(self, w):\n        self.w = w\nreveal([a.w for a in map(A, [1, 2])][1])", "2"),
    ("class A:\n    def f(self, w):\n        return w\nreveal(list(map(A().f, [1, 2]))[0])", "1"),
    (
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    w: int = 9\n"
        "reveal([a.w for a in map(A, [1, 2])][1])",
        "2",
    ),
    ("reveal(list(map(int, ['1', '2']))[0])", "1"),
    ("reveal(list(map(int, unknown()))[0])", "..."),
    ("class A:\n    def __call__(self, w):\n        return w\nreveal(list(map(A(), [1, 2]))[1])", "2"),
    ("def f(x):\n    reveal(x)\nlist(map(f, [1, 2]))", "1 2"),
    ("def f(*a):\n    reveal(a[1])\nf(*[x for x in (1, 2)])", "2"),
    ("def f(x):\n    return [y for y in x]\nf([5])\nreveal(f([6])[0])", "6"),
    # names, in the order of evaluation
    ("x = 1\nif (x := 2) is None:\n    pass\nreveal(x)", "2"),
    ("x = 1\nif unknown() and (x := 2):\n    pass\nreveal(x)", "1 2"),
    ("x = 1\nf = lambda: (x := 2)\nreveal(x)", "1"),
    ("def f():\n    global x\n    x = 2\nx = 1\nf()\nreveal(x)", "2"),
    ("def f(y):\n    global x\n    if y:\n        x = 2\nx = 1\nf(unknown())\nreveal(x)", "2 1"),
    ("def f():\n    global x\n    x += 1\nx = 1\nf()\nreveal(x)", "..."),
    ("def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n    g()\n    return x\nreveal(f())", "2"),
    ("def f():\n    return 1\n    return 2\nreveal(f())", "1"),
    ("def f():\n    while True:\n        if unknown():\n            return 1\n    return 2\nreveal(f())", "1"),
    ("def f():\n    while True:\n        if unknown():\n            break\n    return 2\nreveal(f())", "2"),
    # functions that functions make
    ("def f(n):\n    return lambda x: x + n\ng = f(1)\nh = f(2)\nreveal(h(2))", "4"),
    ("def f(n):\n    def g():\n        return n\n    return g\nh = f(1)\nreveal(f(2)())", "2"),
    ("def f(*a):\n    return g(*a)\ndef g(x):\n    return x\nf(1)\nreveal(f(2))", "2"),
    # enumerations
    ("import enum\nclass E(enum.Enum):\n    A = 5\nreveal(E.A)", "E.A"),
    ("import enum\nclass E(enum.Enum):\n    A = 5\n    B = 6\nreveal(E(6).name)", "'B'"),
    ("import enum\nclass E(enum.Enum):\n    A = 5\nreveal(E.A == 5)", "False"),
    ("import enum\nclass E(enum.IntEnum):\n    A = 5\nreveal(E.A == 5)", "True"),
    ("import enum\nclass E(enum.Enum):\n    A = enum.auto()\n    B = enum.auto()\nreveal(E.B.value)", "2"),
    ("import enum\nclass E(enum.Enum):\n    A = 5\nreveal(E(unknown()))", "..."),
    *(
        (f"import enum\nclass E(enum.Enum):\n    A = 5\n    B = 6\n{method}reveal({read})", expected)
        for method in (
            "    @property\n    def is_a(self):\n        return 1 if self is E.A else 2\n",
            "    @property\n    def is_a(self):\n        if self == E.A:\n            return 1\n        return 2\n",
        )
        for read, expected in (("E.A.is_a", "1"), ("E.B.is_a", "2"), ("E(6).is_a", "2"))
    ),
    # which function runs depends on the type of what it is given
    ("import functools\n@functools.singledispatch\ndef f(x):\n    return 1\nreveal(f(3))", "1"),
    ("from functools import singledispatch\n@singledispatch\ndef f(x):\n    return 1\nreveal(f([]))", "1"),
    (DISPATCHED + "reveal(f(3))", "2"),
    (DISPATCHED + "reveal(f('a'))", "1"),
    (DISPATCHED + "reveal(f(unknown()))", "..."),
    (DISPATCHED + "f.register(str, lambda x: 3)\nreveal(f('a'))", "..."),
    (DISPATCHED + "@f.register(bool)\ndef h(x):\n    return 3\nreveal(f(True))", "..."),  # which is more special
    (DISPATCHED + "@f.register(other)\ndef h(x):\n    return 3\nreveal(f(3))", "..."),
    ("import enum\nE = enum.Enum('E', 'A B')\nreveal(E.B.value)", "2"),
    # functions, parameters, call sites
    ("def f(x):\n    reveal(x)\nf(1)\nf(x=2)", "1 2"),
    ("def f(x=3):\n    reveal(x)\nf()", "3 ?"),
    ("def f(x=3):\n    reveal(x)", "3 ..."),
    ("def f(*, x):\n    reveal(x)\nf(**options)", "..."),
    ("def f():\n    return 1\nreveal(f())", "1"),
    ("def f(n):\n    return f(n) if unknown() else 1\nreveal(f(3))", "1"),
    ("def f(x):\n    return x\ndef g(x):\n    return f(x)\nreveal(g(5))", "5"),
    ("import functools\ndef f():\n    return 1\ng = functools.partial(f)\nreveal(g())", "1"),
    ("from mindspore import nn\nreveal(nn.Dense(1, 2).to_float(x).set_train())", "mindspore.nn.Dense()"),
    (
        "import mindspore.dataset as ds\nreveal(ds.MnistDataset('').map(f).batch(2).shuffle)",
        "mindspore.dataset.engine.datasets.BatchDataset.shuffle",
    ),
    # classes and objects
    ("class A:\n    def __init__(self, x):\n        self.x = x\nreveal(A(4).x)", "4"),
    ("class A:\n    x = 1\nclass B(A):\n    pass\nreveal(B().x)", "1"),
    ("class A:\n    @property\n    def x(self):\n        return 6\nreveal(A().x)", "6"),
    ("class A:\n    def f(self, x):\n        reveal(x)\nA().f(7)", "7"),
    ("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\nreveal(A().x)", "1 ?"),
    ("class A: pass\na = A()\na.x = 8\nreveal(a.x)", "8"),
    # containers
    ("reveal({'a': 1}['a'])", "1"),
    ("reveal([1, 2][-1])", "2"),
    ("def f(x=0):\n    reveal(x)\nd = {'x': 1}\nfor i in y:\n    d = {**d, 'z': i}\nf(**d)", "0 1 ..."),
    # a setting that has a name of its own may be set in another way: it is a default
    ("from easydict import EasyDict\nc = EasyDict({'a': {'b': 1}})\nreveal(c.a.b)", "1 ?"),
    ("c = {'a': 1}\nreveal(c['a'])", "1"),
    # set on a condition only: perhaps not set
    ("def f(c):\n    if unknown():\n        c.a = 1\n    reveal(c.a)", "1 ... ?"),
    ("def f(c):\n    c.a = 1\n    reveal(c.a)", "1"),
    # None has no members: what was None is set by the time it is asked
    (
        """
        from argparse import ArgumentParser

        args = None

        def parse():
            global args
            parser = ArgumentParser()
            parser.add_argument("--mode", default=0)
            args = parser.parse_args()

        parse()
        reveal(args.mode)
        """,
        "0 ?",
    ),
    ("c = None\nreveal(c.a)", "..."),
    ("import os\nreveal({'a': 1, 'b': 2}[os.getenv('X', 'a')])", "1 ?"),
    (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', default='a', choices=['a', 'b'])\n"
        "reveal({'a': 1, 'b': 2}[p.parse_args().x])",
        "1 (2)",
    ),
    # methods of texts
    ("x = 'Graph'\nreveal(x.lower())", "'graph'"),
    ("x = ' GRAPH '\nreveal(x.strip().lower().startswith('graph'))", "True"),
    ("x = 'a' if unknown() else 'b'\nreveal(x.upper())", "'A' 'B'"),
    ("def f(x):\n    reveal(x.upper())", "..."),
    ("x = 'a'\nreveal(x.startswith(unknown()))", "..."),
    ("c = dict(a=1)\nreveal(c.get('a', 2))", "1"),
    ("def f(c):\n    reveal(getattr(c, 'a', 2))", "2 ..."),
    # MindSpore
    ("import mindspore as ms\nreveal(ms.context.GRAPH_MODE)", "mindspore.GRAPH_MODE"),
    ("from mindspore import context\nreveal(context.set_context)", "mindspore.set_context"),
    ("from mindspore.ops import operations as P\nreveal(P.Cast())", "mindspore.ops.Cast()"),
    ("import mindspore.ops.operations as P\nreveal(P.Cast)", "mindspore.ops.Cast"),
    ("from mindspore.nn import *\nreveal(Dense)", "mindspore.nn.Dense"),
    ("import mindspore\nreveal(mindspore.nn.Dense(1, 2).to_float(x))", "mindspore.nn.Dense()"),
    (
        "try:\n    from mindspore.train import Model\nexcept ImportError:\n    from mindspore import Model\n"
        "reveal(Model)",
        "mindspore.train.Model",
    ),
    ("def f():\n    from mindspore import Model\n    reveal(Model(net).train)", "mindspore.train.Model.train"),
    ("from mindspore import Model\nclass Mine(Model):\n    pass\nreveal(Mine(net).fit)", "mindspore.train.Model.fit"),
    # options
    (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', type=int, default='3')\n"
        "reveal(p.parse_args().x)",
        "3 ?",
    ),
    (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x-y', action='store_true')\n"
        "a = p.parse_args()\nreveal(a.x_y)",
        "False (True)",
    ),
    (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', default='a', choices=['a', 'b'])\n"
        "a, _ = p.parse_known_args()\nreveal(a.x)",
        "'a' ('b')",
    ),
    (
        "import argparse\np = argparse.ArgumentParser()\ng = p.add_argument_group()\ng.add_argument('--x', default=1)\n"
        "a = p.parse_args()\nx = 2 if a.x else 3\nreveal(x)",
        "2 (3) ?",
    ),
    ("import click\n@click.command()\n@click.option('--x', default=5)\ndef main(x):\n    reveal(x)", "5 ?"),
    ("from click import command, option\n@command()\n@option('--x', default=5)\ndef main(x):\n    reveal(x)", "5 ?"),
    ("from click import argument, command\n@command()\n@argument('x')\ndef main(x):\n    reveal(x)", "..."),
    ("import os\nreveal(int(os.getenv('N', '2')))", "2 ?"),
    ("import os\nreveal(os.environ['N'])", "..."),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_value(text: str, expected: str) -> None:
    assert shown(reveal(text)) == expected


ZOO = {
    "train.py": """
        from src.model_utils.config import config

        def main():
            reveal(config.train.sink)

        if __name__ == "__main__":
            main()
        """,
    "src/__init__.py": "",
    "src/model_utils/__init__.py": "",
    "src/model_utils/config.py": """
        import argparse
        import os
        import yaml

        class Config:
            def __init__(self, entries):
                for key, value in entries.items():
                    setattr(self, key, Config(value) if isinstance(value, dict) else value)

        def read(path):
            with open(path) as file:
                documents = [each for each in yaml.load_all(file.read(), Loader=yaml.FullLoader)]
            return documents[0]

        def merged(args, entries):
            for key, value in vars(args).items():
                entries[key] = value
            return entries

        def make():
            parser = argparse.ArgumentParser()
            here = os.path.dirname(os.path.abspath(__file__))
            parser.add_argument("--config_path", default=os.path.join(here, "../../default_config.yaml"))
            args, _ = parser.parse_known_args()
            return Config(merged(args, read(args.config_path)))

        config = make()
        """,
    "default_config.yaml": "epochs: 3\ntrain:\n  sink: False\n",
}


def test_config_of_the_model_zoo() -> None:
    value = reveal(ZOO)
    assert shown(value) == "False ?"
    place = value.alternatives[0].place
    assert (os.path.basename(place.path), place.row, place.column) == ("default_config.yaml", 3, 3)


def test_a_config_that_is_not_there_says_nothing() -> None:
    assert shown(reveal({name: text for name, text in ZOO.items() if name != "default_config.yaml"})) == "..."


def test_names_of_other_files() -> None:
    files = {
        "train.py": "from pkg import size\nimport pkg.sub as s\nreveal(size + s.more)",
        "pkg/__init__.py": "from .sub import size",
        "pkg/sub.py": "from pkg.base import *\nmore = 2",
        "pkg/base.py": "size = 40",
    }
    assert shown(reveal(files)) == "42"


def test_an_import_cycle_ends() -> None:
    files = {"train.py": "from a import *\nreveal(x)", "a.py": "from b import *", "b.py": "from a import *\nx = 1"}
    assert shown(reveal(files)) == "1"


def test_answers_do_not_depend_on_the_order_of_questions() -> None:
    text = """
        def a(n):
            return b(n) if n else 1

        def b(n):
            return a(n) if n else 2

        reveal(a(x))
        other(b(x))
        """
    answers = []
    for words in (("reveal", "other"), ("other", "reveal")):
        made = program(text)
        found = {}
        for word in words:
            (site,) = made.sites(word)
            assert isinstance(site.node, ast.Call)
            found[word] = shown(made.value(site.node.args[0], site.scope))
        answers.append(found)
    assert answers[0] == answers[1] == {"reveal": "1 2", "other": "1 2"}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'x' * 3_000_000_000", "..."),
        ("3_000_000_000 * 'x'", "..."),
        ("'{:>3000000000}'.format(1)", "..."),
        ("'{:>{}}'.format(1, 3_000_000_000)", "..."),
        ("'%3000000000d' % 1", "..."),
        ("'%*d' % 3_000_000_000", "..."),
        ("b'x' * 3_000_000_000", "..."),
        ("'x' * 3", "'xxx'"),
        ("2 * 5_000", "10000"),
        ("'{:>3}'.format(1)", "'  1'"),
        ("'%3d' % 100_000", "'100000'"),
        ("100_000 % 7", "5"),
    ],
)
def test_no_text_is_made_that_takes_all_memory(expression: str, expected: str) -> None:
    assert shown(reveal(f"reveal({expression})")) == expected


def test_reveal_prints_what_is_known_in_a_real_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text("import settings\n")
    (tmp_path / "settings.py").write_text("import mindspore\nrate = 2 * 5\nreveal(rate, input())\n")
    main(str(tmp_path / "train.py"))
    assert capsys.readouterr().out.splitlines() == [
        "settings.py:3: rate: 10",
        "settings.py:3: input(): ...  `input()` cannot be followed in settings.py:3",
    ]
