"""What a file adds to `sys.path`, worked out from its text: literals, `__file__` arithmetic, the working directory."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Optional

from ms_perflint.semantics.forms import is_main_guard, word_of
from ms_perflint.semantics.module import parse
from ms_perflint.source import Source, SourceError

ADDS = re.compile(rb"\bsys\.path\s*(?:\.\s*(?:append|insert|extend)\b|\+=)")  # a file without it is not parsed
STEPS = 200  # expressions that are looked at for one directory
LONGEST = 4096  # characters of a path


@dataclass(frozen=True)
class Addition:
    """One directory that is added, as an expression."""

    node: ast.expr
    first: bool  # searched before all others
    is_guarded: bool  # only if the file is the entry script


@dataclass(frozen=True)
class Additions:
    """All that a file adds, in the order of the source, with the assignments that its expressions may rest on."""

    path: str
    found: tuple[Addition, ...]
    assigned: Mapping[str, tuple[ast.expr, ...]]

    def directories(self, start: str, is_entry: bool) -> Iterator[tuple[str, bool]]:
        """Yield each directory, and whether it comes first, for a program that is started in the directory `start`.

        A path that is written out from the root of the disk belongs to somebody's machine and is left out.
        """
        for addition in self.found:
            if addition.is_guarded and not is_entry:
                continue
            for node in self.assigned.get(_name(addition.node), (addition.node,)):
                arithmetic = _Arithmetic(self, start)
                path = arithmetic.path(node)
                if path is not None and (arithmetic.is_anchored or not os.path.isabs(path)):
                    yield os.path.normpath(os.path.join(start, path)), addition.first


def additions(path: str, raw: bytes) -> Optional[Additions]:
    """Return what a file with these bytes adds to `sys.path`; None for nothing."""
    if b"sys.path" not in raw or not ADDS.search(raw):
        return None
    try:
        tree = parse(Source(path, raw))
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
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_search_path(node.func.value):
            method, args = node.func.attr, node.args
            if method == "insert" and len(args) == 2:
                yield args[1], isinstance(args[0], ast.Constant) and args[0].value == 0
            elif method == "append" and args:
                yield args[0], False
            elif method == "extend" and args:
                yield from ((element, False) for element in getattr(args[0], "elts", ()))
        elif isinstance(node, ast.AugAssign) and _is_search_path(node.target):
            yield from ((element, False) for element in getattr(node.value, "elts", ()))


def _is_search_path(node: ast.AST) -> bool:
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


class _Unknown(Exception):
    """The text of the file alone does not show it."""


class _Arithmetic:
    """Works out one path; nothing is called but pure functions of texts."""

    def __init__(self, additions: Additions, start: str) -> None:
        self.additions = additions
        self.start = start
        self.is_anchored = False  # whether it rests on where the file lies, or where the program is started
        self.steps = 0

    def path(self, node: ast.expr) -> Optional[str]:
        """Return the path that an expression gives; None when it is not known."""
        try:
            value = self.value(node)
        except (_Unknown, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return None
        return str(value) if isinstance(value, (str, PurePath)) else None

    def value(self, node: Optional[ast.AST]) -> Any:
        """Return the text, path, number or list that an expression gives; raises _Unknown."""
        self.steps += 1
        handler = _HANDLERS.get(type(node))
        if handler is None or self.steps > STEPS:
            raise _Unknown
        value = handler(self, node)
        if isinstance(value, str) and len(value) > LONGEST:
            raise _Unknown
        return value

    def anchored(self, path: str) -> str:
        self.is_anchored = True
        return path

    def name(self, node: ast.Name) -> Any:
        if node.id == "__file__":
            return self.anchored(self.additions.path)
        assigned = self.additions.assigned.get(node.id, ())
        before = [value for value in assigned if value.lineno < node.lineno]
        if not before:
            raise _Unknown
        return self.value(before[-1])

    def joined(self, node: ast.JoinedStr) -> str:
        return "".join(str(self.value(part)) for part in node.values)

    def formatted(self, node: ast.FormattedValue) -> Any:
        return self.value(node.value)

    def sum(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Div) and isinstance(left, PurePath):
            return left / right
        if isinstance(node.op, ast.Add) and isinstance(left, (str, int)):
            return left + right
        raise _Unknown

    def sign(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.USub):
            return -self.value(node.operand)
        raise _Unknown

    def attribute(self, node: ast.Attribute) -> Any:
        base = self.value(node.value)
        if isinstance(base, PurePath) and node.attr in ("parent", "parents"):
            return getattr(base, node.attr)
        raise _Unknown

    def item(self, node: ast.Subscript) -> Any:
        if _is_search_path(node.value):  # `sys.path[0]` is the directory of the entry script
            return self.anchored(self.start)
        return self.value(node.value)[self.value(node.slice)]

    def slice(self, node: ast.Slice) -> slice:
        return slice(*(None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)))

    def call(self, node: ast.Call) -> Any:
        word = word_of(node.func)
        if word in ("getcwd", "cwd"):
            return (PurePath if word == "cwd" else str)(self.anchored(self.start))
        base = node.func.value if isinstance(node.func, ast.Attribute) else None
        if base is None or word_of(base) in _MODULES:
            if word in ("abspath", "realpath"):
                return self.absolute(self.value(node.args[0]))
            return _FUNCTIONS[word](*map(self.value, node.args))
        receiver = self.value(base)
        if isinstance(receiver, PurePath) and word in ("absolute", "resolve"):
            return PurePath(self.absolute(str(receiver)))
        if word not in (_OF_PATHS if isinstance(receiver, PurePath) else _OF_TEXTS):
            raise _Unknown
        if word == "format" and ":" in receiver:  # a width could be any number
            raise _Unknown
        return getattr(receiver, word)(*map(self.value, node.args))

    def absolute(self, path: str) -> str:
        return os.path.normpath(path if os.path.isabs(path) else os.path.join(self.anchored(self.start), path))


_MODULES = frozenset({"os", "path", "osp", "pathlib", "op"})
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "Path": PurePath,
    "PurePath": PurePath,
    "basename": os.path.basename,
    "dirname": os.path.dirname,
    "fspath": os.fspath,
    "join": os.path.join,
    "normpath": os.path.normpath,
    "split": os.path.split,
    "str": str,
}
_OF_PATHS = frozenset({"as_posix", "joinpath"})
_OF_TEXTS = frozenset({"find", "format", "index", "replace", "rfind", "rindex", "rsplit", "rstrip", "split", "strip"})
_HANDLERS: Mapping[type, Callable[[_Arithmetic, Any], Any]] = {
    ast.Attribute: _Arithmetic.attribute,
    ast.BinOp: _Arithmetic.sum,
    ast.Call: _Arithmetic.call,
    ast.Constant: lambda _, node: node.value,
    ast.FormattedValue: _Arithmetic.formatted,
    ast.JoinedStr: _Arithmetic.joined,
    ast.Name: _Arithmetic.name,
    ast.Slice: _Arithmetic.slice,
    ast.Subscript: _Arithmetic.item,
    ast.UnaryOp: _Arithmetic.sign,
}
