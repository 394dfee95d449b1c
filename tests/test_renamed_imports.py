"""Findings do not depend on what a program calls the modules, classes and functions that it imports."""

from __future__ import annotations

import ast

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
