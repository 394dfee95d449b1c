"""Paths in a program, computed from literals, `__file__` and the working directory."""

from __future__ import annotations

import ast
import operator
import os
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, Optional

from ms_perflint.index.syntax_forms import word_of
from ms_perflint.resolve.search_path import is_search_path

LONGEST = 4096  # characters of a path, or parts of one


class Arithmetic:
    """Computes one path as of one step; it calls only pure functions of strings."""

    def __init__(
        self, file: str, assigned: Mapping[str, tuple[tuple[int, ast.expr], ...]], start: str, at: int
    ) -> None:
        self.file = file
        self.assigned = assigned
        self.start = start
        self.at = at
        self.is_anchored = False  # whether it rests on where the file lies, or where the program is started
        self.known: dict[int, Any] = {}  # what was assigned, by the expression: a name can stand in many others

    def path(self, node: ast.expr) -> Optional[str]:
        """Return the path of an expression; None when it is not known."""
        try:
            value = self.value(node)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            return None
        return str(value) if isinstance(value, (str, PurePath)) else None

    def value(self, node: Optional[ast.AST]) -> Any:
        """Return the string, path, number or list of an expression. Raises any error where it is not known."""
        value = _HANDLERS[type(node)](self, node)
        if isinstance(value, (str, list, tuple)) and len(value) > LONGEST:
            raise ValueError("too long")
        return value

    def anchored(self, path: str) -> str:
        self.is_anchored = True
        return path

    def name(self, node: ast.Name) -> Any:
        if node.id == "__file__":
            return self.anchored(self.file)
        before = [each for each in self.assigned[node.id] if each[0] < self.at]
        now, (self.at, value) = self.at, before[-1]
        if id(value) not in self.known:
            self.known[id(value)] = self.value(value)
        self.at = now
        return self.known[id(value)]

    def joined(self, node: ast.JoinedStr) -> str:
        return "".join(str(self.value(part)) for part in node.values)

    def formatted(self, node: ast.FormattedValue) -> Any:
        return self.value(node.value)

    def sum(self, node: ast.BinOp) -> Any:
        return _OPERATORS[type(node.op)](self.value(node.left), self.value(node.right))

    def sign(self, node: ast.UnaryOp) -> Any:
        return _OPERATORS[type(node.op)](self.value(node.operand))

    def attribute(self, node: ast.Attribute) -> Any:
        base = self.value(node.value)
        if isinstance(base, PurePath) and node.attr in ("parent", "parents"):
            return getattr(base, node.attr)
        raise TypeError("not known")

    def item(self, node: ast.Subscript) -> Any:
        if is_search_path(node.value):  # `sys.path[0]` is the directory of the entry script
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
            raise TypeError("not known")
        if word == "format" and ":" in receiver:  # a width could be any number
            raise TypeError("not known")
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
_OF_TEXTS = frozenset(
    {"find", "format", "index", "join", "replace", "rfind", "rindex", "rsplit", "rstrip", "split", "strip"}
)
_OPERATORS: Mapping[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Div: operator.truediv, ast.USub: operator.neg,
}  # fmt: skip
_HANDLERS: Mapping[type, Callable[[Arithmetic, Any], Any]] = {
    ast.Attribute: Arithmetic.attribute,
    ast.BinOp: Arithmetic.sum,
    ast.Call: Arithmetic.call,
    ast.Constant: lambda _, node: node.value,
    ast.FormattedValue: Arithmetic.formatted,
    ast.JoinedStr: Arithmetic.joined,
    ast.Name: Arithmetic.name,
    ast.Slice: Arithmetic.slice,
    ast.Subscript: Arithmetic.item,
    ast.UnaryOp: Arithmetic.sign,
}
