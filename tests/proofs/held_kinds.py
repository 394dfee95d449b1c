"""Kinds of code in `construct` that reach cells by what holds them, and libraries of Python on constants.

Run on 2.10, CPU: `cells()`, `name_cells()` and `cells_and_names()` fail in most networks. What a library computes from
weights, or goes through cells by, fails or stops their gradients.
"""

from __future__ import annotations

from proofs.kinds import CHILD, Kind, kind

DENSE = "nn.Dense(4, 4, weight_init='ones')"
SEQUENCE = f"self.l = nn.SequentialCell({DENSE}, nn.ReLU(), {DENSE})"
DICT = f"self.l = nn.CellDict({{'a': {DENSE}, 'b': {DENSE}}})"
WEIGHT = "self.w = ms.Parameter(Tensor([1., 2., 3., 4.], ms.float32), name='w')"
WEIGHTS = "self.ps = ms.ParameterTuple([ms.Parameter(ops.ones(2), name=n) for n in 'ab'])"
THROUGH = "for {0}:\n    x = c(x)\nreturn x.sum()"
OPTIONAL = """class Part(nn.Cell):
    def __init__(self, dim, norm_layer=None):
        super().__init__()
        self.proj = nn.Dense(dim, dim, weight_init="ones")
        self.norm = None
        if norm_layer is not None:
            self.norm = norm_layer((dim,), epsilon=1e-5)

    def construct(self, z):
        z = self.proj(z)
        if self.norm is not None:
            z = self.norm(z)
        return z
"""
SIZES = """class Mask(nn.Cell):
    def construct(self, b, h):
        return ~Tensor(np.zeros((b, h))).astype(ms.bool_)
"""
ROOT = "import math\n\n\nclass Root(nn.Cell):\n    def construct(self, n):\n        return math.sqrt(abs(n))\n"


def _derived(base: str, loop: str) -> str:
    return f"class Row(nn.{base}):\n    def construct(self, z):\n        {loop}\n        return z\n"


CELLS = [
    *(
        kind("same", f"cells of {name}", THROUGH.format(loop), init=init)
        for name, loop, init in (
            ("a SequentialCell", "i, c in enumerate(self.l.cell_list)", SEQUENCE),
            ("a dict of cells", "c in self.l.values()", DICT),
            ("a dict of cells by names", "n, c in self.l.items()", DICT),
            ("the network", "c in self._cells.values()", SEQUENCE),
            ("the network by names", "n, c in self._cells.items()", SEQUENCE),
        )
    ),
    *(
        kind(
            "same",
            f"keys of a dict of cells{name}",
            f"for n in {over}:\n    x = self.l[n](x)\nreturn x.sum()",
            init=DICT,
        )
        for name, over in (("", "self.l"), (", by the method", "self.l.keys()"))
    ),
    *(
        kind(
            "same",
            f"row that goes through {name}",
            "return self.s(x).sum()",
            init=f"self.s = Row({DENSE}, nn.ReLU())",
            before=_derived("SequentialCell", loop),
        )
        for name, loop in (
            ("its cell_list", "for c in self.cell_list:\n            z = c(z)"),
            ("itself", "for c in self:\n            z = c(z)"),
            ("its numbers", "for i in range(len(self)):\n            z = self[i](z)"),
            ("its dict", "for c in self._cells.values():\n            z = c(z)"),
        )
    ),
    kind(
        "same",
        "cells under computed names",
        "return self.q1(self.q0(x)).sum()",
        init=f"for i in range(2):\n    setattr(self, f'q{{i}}', {DENSE})",
    ),
    kind("same", "cell that is inserted", "return self.q(x).sum()", init=f"self.insert_child_to_cell('q', {DENSE})"),
    kind("same", "cell that only an option makes", "return self.p(x).sum()", init="self.p = Part(4)", before=OPTIONAL),
    kind(
        "same",
        "cell that is made as asked",
        "return self.p(x).sum()",
        init="self.p = Part(4, nn.LayerNorm)",
        before=OPTIONAL,
    ),
    *(
        kind(
            "fails",
            f"list of cells that goes through itself, {base}",
            "return self.s(x).sum()",
            init=f"self.s = Row({made})",
            before=_derived(base, loop),
            names="c(...)",
        )
        for base, made, loop in (
            ("CellList", f"[{DENSE}, nn.ReLU()]", "for c in self:\n            z = c(z)"),
            ("CellDict", f"{{'a': {DENSE}}}", "for c in self.values():\n            z = c(z)"),
        )
    ),
    *(
        kind("fails", f"cells of {name}", THROUGH.format(loop), init=init, before=CHILD)
        for name, loop, init in (
            ("a row by a method", "n, c in self.l.name_cells().items()", SEQUENCE),
            ("a part by a method", "c in self.c.cells()", "self.c = C2()"),
            ("a part by names", "c in self.c.name_cells().values()", "self.c = C2()"),
        )
    ),
    kind(
        "fails",
        "all cells by their names",
        "for n, c in self.l.cells_and_names():\n    x = x + 1\nreturn self.d(x).sum()",
        init=SEQUENCE,
    ),
]

PYTHON = [
    *(
        kind(
            "same",
            f"array of {name}",
            f"return (self.d(x) * self.q({given})).sum()",
            init="self.q = Mask()",
            before=SIZES,
        )
        for name, given in (("sizes", "x.shape[0], x.shape[1]"), ("numbers", "4, 4"))
    ),
    kind(
        "same", "root of a size", "return (self.d(x) * self.q(x.shape[1])).sum()", init="self.q = Root()", before=ROOT
    ),
    kind("differs", "root of a sum", "return (self.d(x) * self.q(x.sum())).sum()", init="self.q = Root()", before=ROOT),
    *(
        kind(
            "same",
            f"array method, {name}",
            f"return (self.d(x) * Tensor({made}, ms.float32)).sum()",
            init="self.a = np.arange(4)",
        )
        for name, made in (
            ("dtype", "np.arange(4).astype(np.float32)"),
            ("shape", "np.arange(x.shape[1]).reshape(1, 4)"),
            ("of an attribute", "self.a.astype(np.float32)"),
            ("several", "np.arange(8).reshape(2, 4).transpose(1, 0).flatten().clip(0, 3).round()[:4]"),
            ("others", "np.arange(4).ravel().squeeze().cumsum().repeat(2)[:4]"),
            ("a sum", "np.arange(8).reshape(2, 4).sum(0)"),
        )
    ),
    kind(
        "differs",
        "root of a weight",
        "return (self.d(x) * float(np.sqrt(self.w.sum()))).sum()",
        init=WEIGHT,
        names="np.sqrt(...)",
    ),
    *(
        kind(
            "same",
            f"pairs of {name}",
            f"s = 0\nz = self.d(x)\nfor i, j in {over}:\n    s = s + z[i, j]\nreturn s",
            before="import itertools",
            init="self.k = [0, 1]",
        )
        for name, over in (
            ("numbers", "itertools.product(range(2), (0, 1))"),
            ("a number", "itertools.product(range(2), repeat=2)"),
            ("a size", "itertools.product(range(x.shape[0]), range(2))"),
            ("an attribute", "itertools.product(self.k, self.k)"),
            ("different numbers", "itertools.combinations(range(z.shape[0]), 2)"),
        )
    ),
    kind(
        "differs",
        "pairs of tensors",
        "s = 0\nfor a, b in itertools.combinations([self.d(x), x, x], 2):\n    s = s + (a * b).sum()\nreturn s",
        before="import itertools",
        names="itertools.combinations(...)",
    ),
    kind(
        "fails",
        "pairs of weights",
        "s = 0\nfor p, q in itertools.product(self.ps, self.ps):\n    s += (p * q).sum()\nreturn self.d(x).sum() + s",
        before="import itertools",
        init=WEIGHTS,
        names="itertools.product(...)",
    ),
    kind(
        "fails",
        "chain of cells",
        THROUGH.format("c in itertools.chain(self.l, self.l)"),
        before="import itertools",
        init=f"self.l = nn.CellList([{DENSE}, {DENSE}])",
        names="itertools.chain(...)",
    ),
    *(
        kind(
            "same",
            f"log of {name}",
            f"{call}\nreturn self.d(x).sum()",
            before="import logging\nimport warnings\n\nlog = logging.getLogger(__name__)",
        )
        for name, call in (
            ("a shape", "log.info('shape %s', x.shape)"),
            ("a text", "logging.info(f'of {x.shape[0]}')"),
            ("a warning", "warnings.warn(f'no {x.shape}', DeprecationWarning)"),
        )
    ),
]

INSIDE = [
    kind("differs", "list that holds a tensor", "z = self.d(x)\nl = [z]\nl[0][0] = 0\nreturn z.sum()"),
    kind("differs", "dict that holds a tensor", "z = self.d(x)\nd = {'a': z}\nd['a'][0] = 0\nreturn z.sum()"),
    kind("differs", "list that holds a list", "z = [x]\nl = [z]\nl[0].append(self.d(x))\nreturn z[-1].sum()"),
    kind("fails", "tuple that holds tensors", "z = self.d(x)\nl = (z, z)\nl[1][:, 0] = 0\nreturn l[0].sum()"),
    kind(
        "same", "list that holds a tensor, read by its name", "z = self.d(x)\nl = [z]\nl[0][0] = 0\nreturn l[0].sum()"
    ),
    kind("same", "list that holds a new tensor", "l = [self.d(x)]\nl[0][0] = 0\nreturn l[0].sum()"),
    kind("same", "element of a row", "z = self.d(x)\nz[0][1] = 0\nreturn z.sum()"),
]

HELD_KINDS: list[Kind] = [*CELLS, *PYTHON, *INSIDE]
