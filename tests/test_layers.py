"""Imports point downwards: no larger group of modules imports itself, also not for annotations or in functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import get_args

import grimp

import ms_perflint
from ms_perflint.infer.alternatives import What
from ms_perflint.infer.kinds import KINDS

MOST = 4  # modules that may import one another
PACKAGE = Path(ms_perflint.__file__).parent
INFER = sorted((PACKAGE / "infer").rglob("*.py"))
OTHERS = sorted(
    path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in ("index", "infer", "resolve")
)


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


def found(paths: Iterable[Path], wanted: Callable[[ast.AST], bool]) -> list[str]:
    """Return where the code of some modules has a node that is wanted."""
    return [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"  # type: ignore[attr-defined]
        for path in paths
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if wanted(node)
    ]


def test_only_the_evaluator_tells_the_kinds_of_values_apart() -> None:
    """All others, libraries too, ask a value what they want to know: `known.definition`, `known.creation`."""
    assert found(OTHERS, lambda node: isinstance(node, ast.Attribute) and node.attr == "what") == []


def test_each_kind_of_value_has_one_class_that_says_what_it_gives() -> None:
    assert set(KINDS) == set(get_args(What))
    assert len(set(KINDS.values())) == len(KINDS)


def test_no_value_is_represented_by_syntax_that_stands_in_no_file() -> None:
    """The evaluator and the libraries make no nodes, and have no classes of nodes."""

    def is_node(node: ast.AST) -> bool:
        is_of_ast = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ast"
        return is_of_ast and (node.attr[0].isupper() or node.attr == "copy_location")  # type: ignore[attr-defined]

    def makes(node: ast.AST) -> bool:
        return (isinstance(node, ast.Call) and is_node(node.func)) or (
            isinstance(node, ast.ClassDef) and any(map(is_node, node.bases))
        )

    assert found([*INFER, *(PACKAGE / "libraries").rglob("*.py")], makes) == []


def test_no_query_answers_with_none() -> None:
    """Such an answer would count as none: it would be computed each time, and twice."""

    def may_be_none(node: ast.AST) -> bool:
        asked = isinstance(node, ast.FunctionDef) and any("query" in ast.unparse(each) for each in node.decorator_list)
        return asked and ast.unparse(node.returns).startswith(("Optional", "None"))  # type: ignore[attr-defined]

    assert found([path for path in PACKAGE.rglob("*.py") if "data" not in path.parts], may_be_none) == []


def test_nothing_that_is_asked_repeatedly_dumps_trees() -> None:
    """`ast.dump` leaves a cycle of references behind on each call, and no collector runs meanwhile: see `spelling`."""

    def dumps(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and ast.unparse(node.func) == "ast.dump"

    once = PACKAGE / "fixes" / "noqa.py"  # of a file that is changed
    assert found([path for path in PACKAGE.rglob("*.py") if path != once], dumps) == []


def test_nothing_goes_through_what_runs_in_the_order_of_a_set() -> None:
    """Scopes are told apart by identity: what is asked first, and so what a budget leaves out, would change by run."""
    loops = (
        (path, node.iter)
        for path in Path(ms_perflint.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.For, ast.comprehension))
    )
    over_sets = {
        path.name
        for path, each in loops
        for part in (each, getattr(each, "body", None))  # `program.reached if keys else ()`
        if isinstance(part, ast.Attribute) and part.attr == "reached"
    }
    assert over_sets == {"running_code.py"}  # paths, which are taken into a set
