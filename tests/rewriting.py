"""A program written in another way that means the same: in a function, in a class, with other assignments.

A way returns the text that a script becomes, and None where the script cannot be written so.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Optional, Union

DEFINED = (ast.FunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
INNER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)


def bound(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that statements bind, without those inside of functions and classes."""
    found: set[str] = set()
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if isinstance(node, DEFINED):
            found.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif not isinstance(node, INNER):
            todo += ast.iter_child_nodes(node)
    return found


def read(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that statements load."""
    return {
        each.id
        for node in nodes
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }


def _parts(text: str) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Return the imports of a script, and its other statements."""
    body = ast.parse(text).body
    return [each for each in body if isinstance(each, IMPORTS)], [
        each for each in body if not isinstance(each, IMPORTS)
    ]


def _text(*parts: Union[str, Sequence[ast.stmt]]) -> str:
    return "\n".join(
        part if isinstance(part, str) else "\n".join(ast.unparse(ast.fix_missing_locations(each)) for each in part)
        for part in parts
    )


def _function(name: str, parameters: Sequence[str], body: Sequence[ast.stmt]) -> ast.stmt:
    (made,) = ast.parse(f"def {name}({', '.join(parameters)}):\n    pass").body
    assert isinstance(made, ast.FunctionDef)
    made.body = list(body)
    return made


def _is_plain(text: str) -> bool:
    return "__name__" not in text and "global " not in text and "__file__" not in text


def in_a_function(text: str) -> Optional[str]:
    """All in `main`, below the guard."""
    imports, rest = _parts(text)
    guarded = 'if __name__ == "__main__":\n    main()\n'
    return _text(imports, [_function("main", (), rest)], guarded) if _is_plain(text) else None


class _Members(ast.NodeTransformer):
    """Takes names for attributes of `self`, but for those that a function binds itself."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.names:
            return node
        return ast.copy_location(ast.Attribute(ast.Name("self", ast.Load()), node.id, node.ctx), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        own = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)} | bound(node.body)
        inner = _Members(self.names - own)
        node.body = [inner.visit(each) for each in node.body]
        node.args.args.insert(0, ast.arg("self"))
        return node


def in_a_class(text: str) -> Optional[str]:
    """What is made in the constructor of a class, the functions as methods, what trains in another method."""
    imports, rest = _parts(text)
    made = [each for each in rest if not isinstance(each, DEFINED)]
    at = next((at for at, each in enumerate(made) if isinstance(each, ast.For) or ".train(" in ast.unparse(each)), 0)
    functions = [each for each in rest if isinstance(each, ast.FunctionDef)]
    classes = [each for each in rest if isinstance(each, ast.ClassDef)]
    names = bound(made[:at]) | {each.name for each in functions}
    is_read = read(classes) & names or read(functions) & (bound(made[at:]) - names)
    if not at or is_read or not _is_plain(text) or any(isinstance(each, INNER) for each in ast.walk(ast.parse(text))):
        return None
    members = _Members(names)
    methods = [members.visit(each) for each in functions]
    parts = [[members.visit(each) for each in part] for part in (made[:at], made[at:])]
    constructor, training = (_function(name, ("self",), part) for name, part in zip(("__init__", "do"), parts))
    cls = ast.parse("class WholeRun:\n    pass").body
    assert isinstance(cls[0], ast.ClassDef)
    cls[0].body = [constructor, *methods, training]
    return _text(imports, classes, cls, "whole = WholeRun()\nwhole.do()\n")


class _Blocks(ast.NodeTransformer):
    """Changes each list of statements, but those of class bodies."""

    def __init__(self, change: Callable[[list[ast.stmt]], list[ast.stmt]]) -> None:
        self.change = change

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block and not isinstance(node, ast.ClassDef):
                setattr(node, field, self.change(block))
        return node


def _one_name(node: ast.AST) -> str:
    """Return the name or attribute that an assignment gives a value; "" for others."""
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    return ast.unparse(target) if isinstance(target, (ast.Name, ast.Attribute)) else ""


def _unpacked(block: list[ast.stmt]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for stmt in block:
        name, last = _one_name(stmt), found[-1] if found else stmt
        before = _one_name(last) if found else ""
        reads = {ast.unparse(node) for node in ast.walk(stmt)}
        if name and before and before not in reads and name not in {ast.unparse(node) for node in ast.walk(last)}:
            pair = ast.parse(f"{before}, {name} = {ast.unparse(last.value)}, {ast.unparse(stmt.value)}")  # type: ignore[attr-defined]
            found[-1:] = pair.body
        else:
            found.append(stmt)
    return found


def unpacked(text: str) -> Optional[str]:
    """Two assignments as one: `net, loss = Net(), nn.MSELoss()`."""
    return _text(_Blocks(_unpacked).visit(ast.parse(text)).body)


def _annotated(block: list[ast.stmt]) -> list[ast.stmt]:
    names = [_one_name(stmt) for stmt in block]
    changed = [f"{name}: 'object' = {ast.unparse(stmt.value)}" for name, stmt in zip(names, block) if name]  # type: ignore[attr-defined]
    made = iter(ast.parse("\n".join(changed)).body)
    return [next(made) if name else stmt for name, stmt in zip(names, block)]


def annotated(text: str) -> Optional[str]:
    """Each assignment with a type."""
    return _text(_Blocks(_annotated).visit(ast.parse(text)).body) if "global " not in text else None


def made_by_functions(text: str) -> Optional[str]:
    """Each object made by a function that is given what it needs."""
    imports, rest = _parts(text)
    names = bound(each for each in rest if not isinstance(each, DEFINED))
    found: list[ast.stmt] = []
    for stmt in rest:
        name = _one_name(stmt)
        value = stmt.value if isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.Call) else None
        if value is not None and name.isidentifier() and not any(isinstance(each, INNER) for each in ast.walk(value)):
            given = sorted(read([value]) & names)
            found.append(_function(f"make_{name}", given, [ast.Return(value)]))
            stmt = ast.parse(f"{name} = make_{name}({', '.join(given)})").body[0]
        found.append(stmt)
    return _text(imports, found)


WAYS: Mapping[str, Callable[[str], Optional[str]]] = {
    "in a function": in_a_function,
    "in a class": in_a_class,
    "unpacked": unpacked,
    "annotated": annotated,
    "made by functions": made_by_functions,
}
