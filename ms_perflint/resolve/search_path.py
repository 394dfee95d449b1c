"""What a file adds to `sys.path`, worked out from its text: literals, `__file__` arithmetic, the working directory."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.source import Source, SourceError
from ms_perflint.index.semantic_index import parse
from ms_perflint.index.syntax_forms import is_main_guard, word_of

ADDS = rb"\bsys\.path\s*(?:\.\s*(?:append|insert|extend)\b|\+=)"  # a file without it is not parsed


class Addition(NamedTuple):
    """One directory that is added, as an expression."""

    node: ast.expr
    first: bool  # searched before all others
    is_guarded: bool  # only if the file is the entry script


class Additions(NamedTuple):
    """All that a file adds, in the order of the source, with the assignments that its expressions may rest on."""

    path: str
    found: tuple[Addition, ...]
    assigned: Mapping[str, tuple[ast.expr, ...]]

    def directories(self, start: str, is_entry: bool) -> Iterator[tuple[str, bool]]:
        """Yield each directory, and whether it comes first, for a program that is started in the directory `start`.

        A path that is written out from the root of the disk belongs to somebody's machine and is left out.
        """
        from ms_perflint.resolve.path_arithmetic import Arithmetic

        for addition in self.found:
            if addition.is_guarded and not is_entry:
                continue
            for node in self.assigned.get(_name(addition.node), (addition.node,)):
                arithmetic = Arithmetic(self.path, self.assigned, start)
                path = arithmetic.path(node)
                if path is not None and (arithmetic.is_anchored or not os.path.isabs(path)):
                    yield os.path.normpath(os.path.join(start, path)), addition.first


def additions(path: str, raw: bytes) -> Optional[Additions]:
    """Return what a file with these bytes adds to `sys.path`; None for nothing."""
    if b"sys.path" not in raw or not re.search(ADDS, raw):
        return None
    try:
        tree = parse(Source("", raw))
    except SourceError:
        return None
    nodes = list(ast.walk(tree))
    guards = [(stmt.lineno, stmt.end_lineno or 0) for stmt in tree.body if is_main_guard(stmt)]
    found = []
    for node, first in _added(nodes):
        found.append(Addition(node, first, any(start <= node.lineno <= end for start, end in guards)))
    found.sort(key=lambda addition: addition.node.lineno)
    return Additions(path, tuple(found), _assigned(nodes)) if found else None


def _added(nodes: Sequence[ast.AST]) -> Iterator[tuple[ast.expr, bool]]:
    """Yield each expression that is added, and whether it comes first."""
    for node in nodes:
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


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _assigned(nodes: Sequence[ast.AST]) -> dict[str, tuple[ast.expr, ...]]:
    """Return what each name is assigned; for a parameter of a function, what the calls in the file give for it."""
    found: dict[str, list[ast.expr]] = {}
    functions: dict[str, list[str]] = {}
    calls = []
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                found.setdefault(_name(target), []).append(node.value)
        elif isinstance(node, ast.FunctionDef):
            functions[node.name] = [arg.arg for arg in node.args.args]
        elif isinstance(node, ast.Call):
            calls.append(node)
    for call in calls:
        for name, value in zip(functions.get(_name(call.func), ()), call.args):
            found.setdefault(name, []).append(value)
    found.pop("", None)
    return {name: tuple(sorted(values, key=lambda value: value.lineno)) for name, values in found.items()}
