"""The directories that a file adds to `sys.path`: from literals, `__file__` arithmetic, the working directory."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Optional

from ms_perflint.core.source import Source, SourceError
from ms_perflint.index.parsing import parse
from ms_perflint.index.semantic_index import FUNCTIONS
from ms_perflint.index.syntax_forms import children, is_main_guard, name_of, word_of

MATTER = (ast.Assign, ast.AugAssign, ast.Call, ast.FunctionDef)
ADDS = rb"\bsys\.path\s*(?:\.\s*(?:append|insert|extend)\b|\+=)"  # a file without it is not parsed


class Addition(NamedTuple):
    """The expression of one directory that is added."""

    node: ast.expr
    first: bool  # searched before all others
    is_guarded: bool  # only if the file is the entry script
    at: int  # when it is added


class Additions(NamedTuple):
    """The additions of a file in execution order, with the assignments that their expressions may depend on."""

    path: str
    found: tuple[Addition, ...]
    assigned: Mapping[str, tuple[tuple[int, ast.expr], ...]]

    def directories(self, start: str, is_entry: bool) -> Iterator[tuple[str, bool]]:
        """Yield each directory, and whether it is put first, for a program that is started in the directory `start`.

        Absolute paths belong to one machine and are left out.
        """
        from ms_perflint.resolve.path_arithmetic import Arithmetic

        for addition in self.found:
            if addition.is_guarded and not is_entry:
                continue
            for at, node in self.assigned.get(name_of(addition.node), ((addition.at, addition.node),)):
                arithmetic = Arithmetic(self.path, self.assigned, start, at)
                path = arithmetic.path(node)
                if path is not None and (arithmetic.is_anchored or not os.path.isabs(path)):
                    yield os.path.normpath(os.path.join(start, path)), addition.first


def additions(path: str, raw: bytes) -> Optional[Additions]:
    """Return the additions of a file with these bytes to `sys.path`; None without any."""
    if b"sys.path" not in raw or not re.search(ADDS, raw):
        return None
    try:
        tree = parse(Source("", raw))
    except SourceError:
        return None
    steps = _steps(tree)
    found = [
        Addition(node, first, step.is_guarded, step.at) for each, step in steps.items() for node, first in _added(each)
    ]
    found.sort(key=lambda addition: addition.at)
    return Additions(path, tuple(found), _assigned(steps)) if found else None


class _Step(NamedTuple):
    """The rank at which a node runs first, and whether it runs only in the entry script."""

    at: int
    is_guarded: bool


def _steps(tree: ast.Module) -> dict[ast.AST, _Step]:
    """Return the steps of a file in execution order: a function at its first call, one without a call at the end."""
    functions: dict[str, list[ast.stmt]] = {}
    for function in ast.walk(tree):
        if isinstance(function, FUNCTIONS):
            functions.setdefault(function.name, []).extend(function.body)
    steps: dict[ast.AST, _Step] = {}
    found: dict[ast.AST, _Step] = {}  # of the statements
    for body in (tree.body, *functions.values()):
        todo: list[tuple[ast.AST, bool]] = [(each, False) for each in reversed(body) if each not in found]
        while todo:
            stmt, is_guarded = todo.pop()
            known = found.get(stmt)
            if known is not None and (is_guarded or not known.is_guarded):
                continue
            found[stmt] = step = _Step(known.at if known is not None else len(found), is_guarded)
            parts: list[ast.AST] = [stmt]
            inner: list[ast.AST] = []
            called: list[ast.stmt] = []
            for node in parts:  # which grows meanwhile
                if isinstance(node, MATTER):
                    steps[node] = step
                called.extend(functions.get(name_of(node.func), ()) if isinstance(node, ast.Call) else ())
                for child in children(node):
                    is_inner = isinstance(child, ast.stmt) or (
                        hasattr(child, "body") and not isinstance(child, ast.expr)
                    )
                    (inner if is_inner else parts).append(child)
            main = stmt.body if is_main_guard(stmt) else ()  # type: ignore[attr-defined]
            if not isinstance(stmt, FUNCTIONS):
                todo.extend((each, is_guarded or each in main) for each in reversed(inner))
            todo.extend((each, is_guarded) for each in reversed(called))
    return steps


def _added(node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Yield each expression that a node adds, and whether it is put first."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_search_path(node.func.value):
        method, args = node.func.attr, node.args
        if method == "insert" and len(args) == 2:
            yield args[1], isinstance(args[0], ast.Constant) and args[0].value == 0
        elif method == "append" and args:
            yield args[0], False
        elif method == "extend" and args:
            yield from ((element, False) for element in getattr(args[0], "elts", ()))
    elif isinstance(node, ast.AugAssign) and is_search_path(node.target):
        yield from ((element, False) for element in getattr(node.value, "elts", ()))


def is_search_path(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "path" and word_of(node.value) == "sys"


def _assigned(steps: Mapping[ast.AST, _Step]) -> dict[str, tuple[tuple[int, ast.expr], ...]]:
    """Return the assignments of each name with their steps; for a parameter, the arguments of the calls in the file."""
    found: dict[str, list[tuple[int, ast.expr]]] = {}
    functions = {each.name: [arg.arg for arg in each.args.args] for each in steps if isinstance(each, ast.FunctionDef)}
    for node, step in steps.items():
        if isinstance(node, ast.Assign):
            for target in node.targets:
                found.setdefault(name_of(target), []).append((step.at, node.value))
        elif isinstance(node, ast.Call):
            for name, value in zip(functions.get(name_of(node.func), ()), node.args):
                found.setdefault(name, []).append((step.at, value))
    found.pop("", None)
    return {name: tuple(sorted(values, key=lambda each: each[0])) for name, values in found.items()}
