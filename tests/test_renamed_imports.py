"""Findings depend on no name that a program gives to what it imports, and on no script of names."""

from __future__ import annotations

import ast
import re

import pytest
from examples import examples
from programs import Line, Program

from ms_perflint import pages
from ms_perflint.pages import Example


def renamed(text: str) -> str:
    """Return a program that gives each name which it imports, and does not bind itself, another name."""
    tree = ast.parse(text)
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    names: dict[str, str] = {}
    lines = text.splitlines(keepends=True)
    imports = (node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))
    for node in imports:
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for alias in node.names:
            own = alias.asname or ("" if "." in alias.name or is_future or alias.name == "*" else alias.name)
            if own and own not in bound:
                names.setdefault(own, f"other{len(names)}")
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if (alias.asname or alias.name) in names:
                    alias.asname = names[alias.asname or alias.name]
            end = node.end_lineno or node.lineno
            rest = "\n" * (end - node.lineno)  # all else stays on its row
            before = lines[node.lineno - 1].encode()[: node.col_offset].decode()
            behind = lines[end - 1].encode()[node.end_col_offset :].decode()
            lines[node.lineno - 1 : end] = [f"{before}{ast.unparse(node)}{behind}{rest}", *[""] * (end - node.lineno)]
    loads = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in names]
    for load in sorted(loads, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        line = lines[load.lineno - 1].encode()
        changed = line[: load.col_offset] + names[load.id].encode() + line[load.end_col_offset :]
        lines[load.lineno - 1] = changed.decode()
    return "".join(lines)


def found(code: str, program: Program) -> set[tuple[Line, object]]:
    """Return where a rule reports a program, and how safe its fixes are."""
    findings = program.lint(code).findings
    return {((each.place.path, each.place.row), each.fix and each.fix.safety) for each in findings}


CASES = [
    pytest.param(code, example, id=f"{code}-{example.row}-{number}")
    for code in pages.codes()
    if code != "MSP901"
    for number, example in enumerate(examples(code))
    if example.kind in ("bad", "ok")
]


@pytest.mark.parametrize(("code", "example"), CASES)
def test_other_names_give_the_same_findings(code: str, example: Example) -> None:
    files = dict(example.files)
    others = {name: renamed(text) if name.endswith(".py") else text for name, text in files.items()}
    assert found(code, Program(others)) == found(code, Program(files))


def test_names_are_given_other_ones() -> None:
    text = "import os\nfrom a import (\n    b,\n    c as d,\n)\n\nos.x(b, d)  # b\n"
    other = "import os as other0\nfrom a import b as other1, c as other2\n\n\n\n\nother0.x(other1, other2)  # b\n"
    assert renamed(text) == other


NAMES = {"Block": "网络块", "blocks": "모델", "shapes": "формы", "build": "构建", "wide": "宽"}
TRAIN = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
{imports}

ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
net = {made}
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
model.train(3, ds.MindDataset("rows"), dataset_sink_mode=True)
"""
BLOCK = """
from mindspore import nn, ops
import mindspore as ms


class Block(nn.Cell):
    def __init__(self, wide):
        super().__init__()
        self.shapes = nn.Dense(wide, wide){half}

    def construct(self, rows):
        return self.shapes(rows)
"""
BUILD = "def build(wide):\n    return Block(wide)\n"
NET = "Block(768)"
SPELLED = {
    "imported": {"train.py": ("from blocks import Block", "Block(768)"), "blocks.py": BLOCK},
    "by a star": {"train.py": ("from blocks import *", "Block(768)"), "blocks.py": BLOCK},
    "by an alias": {"train.py": ("from blocks import Block as build", "build(768)"), "blocks.py": BLOCK},
    "handed on": {
        "train.py": ("from shapes import Block", "Block(768)"),
        "shapes/__init__.py": "from .blocks import *\n",
        "shapes/blocks.py": BLOCK,
    },
    "made in a function": {"train.py": ("import blocks", "blocks.build(768)"), "blocks.py": f"{BLOCK}\n\n{BUILD}"},
    "a method": {
        "train.py": ("from blocks import build", "build().wide()"),
        "blocks.py": f"{BLOCK}\n\nclass build:\n    def wide(self):\n        return Block(768)\n",
    },
    "derived": {
        "train.py": ("from shapes import build", "build(768)"),
        "shapes.py": "from blocks import Block\n\n\nclass build(Block):\n    pass\n",
        "blocks.py": BLOCK,
    },
    "registered": {
        "train.py": ("from shapes import build\nimport blocks", 'build["Block"](768)'),
        "shapes.py": "build = {}\n\n\ndef wide(made):\n    build[made.__name__] = made\n    return made\n",
        "blocks.py": BLOCK.replace("class Block", "@wide\nclass Block").replace(
            "import mindspore as ms", "import mindspore as ms\nfrom shapes import wide"
        ),
    },
    "by name": {
        "train.py": ("from importlib import import_module", 'import_module("blocks").Block(768)'),
        "blocks.py": BLOCK,
    },
    "stored at import": {
        "train.py": ("from shapes import wide", "wide[0]"),
        "shapes.py": f"from blocks import Block\n\nwide = []\n\n\ndef build():\n    wide.append({NET})\n\n\nbuild()\n",
        "blocks.py": BLOCK,
    },
}


@pytest.mark.parametrize("half", ["", ".to_float(ms.float16)"], ids=["reported", "not reported"])
@pytest.mark.parametrize("files", SPELLED.values(), ids=SPELLED)
def test_findings_do_not_depend_on_the_script_of_names(files: dict[str, object], half: str) -> None:
    texts: dict[str, str] = {}
    for name, text in files.items():
        filled = TRAIN.format(imports=text[0], made=text[1]) if isinstance(text, tuple) else str(text)
        texts[name] = filled.replace("{half}", half)
    expected = {row for (_, row), _ in found("MSP201", Program(texts))}
    assert bool(expected) is not bool(half)
    other = {_in_other_scripts(name): _in_other_scripts(text) for name, text in texts.items()}
    assert {row for (_, row), _ in found("MSP201", Program(other))} == expected


def _in_other_scripts(text: str) -> str:
    return re.sub(r"\w+", lambda word: NAMES.get(word.group(), word.group()), text)
