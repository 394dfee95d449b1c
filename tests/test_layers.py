"""Imports point downwards: no larger group of modules imports itself, also not for annotations or in functions."""

from __future__ import annotations

import ast
from pathlib import Path

import grimp

import ms_perflint

MOST = 4  # modules that may import one another
PACKAGE = Path(ms_perflint.__file__).parent
EVALUATOR = ("index", "infer", "libraries", "resolve")
ABOVE = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in EVALUATOR]


def components() -> list[set[str]]:
    """Return the groups of modules that import one another, directly or not."""
    graph = grimp.build_graph("ms_perflint", cache_dir=None)
    left, found = set(graph.modules), []
    while left:
        module = left.pop()
        above, below = graph.find_downstream_modules(module), graph.find_upstream_modules(module)
        found.append({module} | (above & below))
        left -= found[-1]
    return found


def test_no_large_group_of_modules_imports_itself() -> None:
    groups = [sorted(group) for group in components() if len(group) > MOST]
    assert groups == []


def test_only_the_evaluator_tells_the_kinds_of_values_apart() -> None:
    """All others ask a value what they want to know: `known.definition`, `known.creation`."""
    asked = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in ABOVE
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "what"
    ]
    assert asked == []
