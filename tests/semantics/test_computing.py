"""What Python computes of constants, lists and dicts is evaluated as it computes it; what may not end is not."""

from __future__ import annotations

import pytest
from reveal import reveal, shown

KNOWN = (
    "2 ** 32", "2 ** 0.5", "2 ** -1", "10 ** 5 // 7", "1 << 10", "1024 >> 2", "6 & 3", "6 | 3", "6 ^ 3", "~1", "+5",
    "-7 // 2", "-7 % 3", "divmod(7, 2)[0]", "round(2.6)", "round(2.678, 1)", "round(2.678, ndigits=1)",
    "sum([1, 2, 3])",
    "sum((1, 2), 4)", "max([1, 2])", "min((4, 2))", "max(2, 3, key=None)", "abs(-3)", "pow(2, 5)", "len([1, 2])",
    "len('abc')", "len({'a': 1})", "any([False, True])", "all(x > 0 for x in (1, 2))", "ord('a')",
    "sorted([3, 1, 2])[0]", "sorted([3, 1, 2], reverse=True)[0]", "sorted({'b': 1, 'a': 2})[0]", "range(3)[1]",
    "list(range(1, 9, 2))[-1]", "[i * 2 for i in range(3)][2]", "sum(x for x in [1, 2] if x > 1)", "([7] * 3)[2]",
    "(3 * [7, 8])[3]", "sum([1, 2] * 2)", "f'{2:03d}'", "f'{2.5:.2f}'", "f'{2!r}'", "f'{\"O2\"!r:>6}'", "f'{1}{2}'",
    "'%s%d' % ('O', 2)", "'%(a)s' % {'a': 'O2'}", "'{a}{0}'.format(2, a='O')", "'_'.join(['O', '2'])",
    "'a,b'.split(',')[1]",
    "'a b'.split()[0]", "'a.b.c'.rsplit('.', 1)[-1]", "'a.b'.partition('.')[2]", "'abc'.lstrip('a')", "'abc'.find('c')",
    "'abc'.count('c')", "'5'.isdigit()", "'5'.zfill(3)", "'O2'.removeprefix('O')",
    "list(map(int, '1,2'.split(',')))[1]",
    "isinstance(5, int)", "isinstance('a', (list, tuple))", "isinstance([1], list)", "isinstance(None, str)",
    "isinstance(True, int)", "isinstance((1,), (list, tuple))", "'O2' if isinstance('x', str) else 'O0'",
    "{1: 'a'}[len('a')]", "int('ff', 16)", "repr('a')", "[1, 2].index(2)", "('a', 'b', 'a').index('a')",
)  # fmt: skip
OPEN = (
    "9 ** 9 ** 9", "2 ** 100000", "1 << 100000", "[0] * 10 ** 9 == []", "len([0] * 10 ** 9)", "'a' * 10 ** 9",
    "f'{1:100000d}'", "'%100000d' % 1", "'{:100000}'.format(1)", "'a'.zfill(n)", "2 ** n", "sum([1, n])", "max(n, 2)",
    "max([1, n])", "'a'.join(n)", "'a,b'.split(n)[0]", "isinstance(n, int)", "isinstance(5, n)", "isinstance({}, n)",
    "isinstance(5, (n, str))", "[1, n].index(1)", "[1].index(2)", "f'{n:03d}'", "f'{1:{n}}'", "1 / 0", "'a' + 1",
    "~'a'", "'%d' % 'a'",
    "{1: 'a', 2: 'b'}[range(10 ** 9)[3]]", "max([])", "pow(9, 9 ** 9)",
)  # fmt: skip
OPTION = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', default=2)\n"
PROGRAMS = [
    ("import math\nreveal(math.ceil(math.sqrt(17)))", "5"),
    ("import numpy as np\nreveal(int(np.ceil(2.1)) * int(np.prod([2, 3])))", "18"),
    ("import numpy as np\nreveal(np.sqrt([4, 9]))", "numpy.sqrt()"),
    ("def f(v, d):\n    x = max(d, int(v + d / 2) // d * d)\n    return x + d if x < v else x\nreveal(f(30, 8))", "32"),
    ("x = [1]\nx.append(2)\nreveal(sum(x))", "builtins.sum()"),
    ("x = [2, 1]\nx.append(0)\nreveal(sorted(x)[0])", "2 1 0"),
    ("x = [1]\ndef f():\n    x.append(2)\nf()\nreveal(len(x))", "builtins.len()"),
    ("x = []\nreveal(len(x) == 0)", "..."),
    ("import heapq\nx = [1]\nheapq.heappush(x, 2)\nreveal(sum(x))", "builtins.sum()"),
    ("x = [1, 2]\nprint(x, max(x))\nreveal(len(x))", "2"),
    ("x = {'a': 1}\nx['b'] = 2\nreveal(len(x))", "builtins.len()"),
    ("import numpy as np\nreveal(len(np.random.randn(5, 3).astype(np.float32)))", "5"),
    ("import numpy as np\nn = 4\nreveal(len(np.random.normal(size=(n * 2, 3))))", "8"),
    ("import numpy as np\nreveal(len(np.linspace(0, 1, 40).copy().astype(int)))", "40"),
    ("import numpy as np\nreveal(len(np.array([[1], [2], [3]])))", "3"),
    ("from numpy import zeros\nreveal(len(zeros([4, 2])))", "4"),
    ("import numpy as np\nreveal(len(np.arange(9)))", "9"),
    ("from mindspore import Tensor\nreveal(len(Tensor([[1, 2], [3, 4]]).copy().asnumpy()))", "2"),
    ("import numpy as np\nfrom mindspore import Tensor\nreveal(len(Tensor(np.zeros((5, 3)))))", "5"),
    ("from mindspore import Tensor\nreveal(len(Tensor(shape=(2, 3), dtype=float, init=1)))", "builtins.len()"),
    ("import numpy as np\nreveal(len(np.copy([1, 2])))", "builtins.len()"),
    ("import numpy as np\nreveal(len(np.arange(2, 9)))", "builtins.len()"),
    ("import numpy as np\nreveal(len(np.zeros((5, 3)).T))", "builtins.len()"),
    ("import numpy as np\nreveal(len(np.zeros((5, 3))[:2]))", "builtins.len()"),
    ("import numpy as np\nreveal(len(np.zeros((5, 3)).reshape(15)))", "builtins.len()"),
    ("import numpy as np\nx = np.zeros(3)\nreveal(len(np.random.randn(*x.shape)))", "builtins.len()"),
    ("x = 1 if unknown() else 2\nreveal(2 ** x)", "2 4"),
    ("x = 3\nx **= 2\nreveal(x)", "9"),
    ("for i in range(3):\n    reveal(64 * 2 ** i)", "128 256 64"),
    ("for i in range(n):\n    reveal(2 ** i)", "..."),
    (OPTION + "reveal(2 ** p.parse_args().n)", "4 ?"),
    (OPTION + "reveal(sum([1, p.parse_args().n]))", "builtins.sum()"),
    ("class A:\n    pass\nclass B(A):\n    pass\nreveal(isinstance(B(), A))", "True"),
    ("class A:\n    pass\nclass B:\n    pass\nreveal(isinstance(B(), A))", "False"),
    ("class A:\n    pass\nclass B(unknown):\n    pass\nreveal(isinstance(B(), A))", "builtins.isinstance()"),
    ("class A:\n    def f(self):\n        reveal(isinstance(self, B))\nclass B(A):\n    pass", "builtins.isinstance()"),
    ("from mindspore import nn\nreveal(isinstance(nn.Dense(1, 2), nn.Cell))", "True"),
    ("from mindspore import nn\nclass A(nn.Cell):\n    pass\nreveal(isinstance(A(), (str, nn.Cell)))", "True"),
    ("from enum import Enum\nclass A(Enum):\n    X = 1\nreveal(isinstance(A.X, int))", "builtins.isinstance()"),
]  # fmt: skip


@pytest.mark.parametrize("text", KNOWN)
def test_what_python_computes_is_evaluated(text: str) -> None:
    assert shown(reveal(f"reveal({text})")) == repr(eval(text))


@pytest.mark.parametrize("text", OPEN)
def test_what_is_not_known_or_may_not_end_is_open(text: str) -> None:
    value = reveal(f"reveal({text})")
    assert not value.constants


@pytest.mark.parametrize(("text", "expected"), PROGRAMS)
def test_programs(text: str, expected: str) -> None:
    assert shown(reveal(text)) == expected
