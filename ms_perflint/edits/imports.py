"""The spelling of an API by the imports of a file, and the place of new imports."""

from __future__ import annotations

import ast
import re
from itertools import takewhile
from typing import TYPE_CHECKING

from ms_perflint import mindspore_api
from ms_perflint.core.findings import Edit
from ms_perflint.core.source import LETTER, START
from ms_perflint.edits.expressions import first_row
from ms_perflint.edits.layout import fits, indent, is_joined, pad
from ms_perflint.edits.listing import Listing, items
from ms_perflint.edits.statements import insert_after, insert_below, is_future
from ms_perflint.index.semantic_index import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ms_perflint.index.semantic_index import Scope, SemanticIndex
    from ms_perflint.program.program import Program

_IMPORTS = (ast.Import, ast.ImportFrom)
_WORD = re.compile(rb"(?P<skip>\#[^\r\n]*|\\\r?\n?|\s+)|(?P<mark>[(),])|(?P<word>[^\s#(),\\]+)")
_SETUP = frozenset(("os", "sys", "warnings", "logging", "random", "np", "numpy", "matplotlib", "plt"))


def import_name(
    module: SemanticIndex,
    api: str,
    *,
    version: mindspore_api.Version | None = None,
    instead: str = "",
    scope: Scope | None = None,
    line_length: int = 88,
) -> tuple[str, tuple[Edit, ...]]:
    """Return the spelling of `api` in this file, and the edits that import it if needed.

    Existing imports are used: `ms.CheckpointConfig`, `context.GRAPH_MODE`. Otherwise a `from` import of a module that
    has it gets one more name, or a new import goes below those of MindSpore. `instead` is a name that will be
    replaced: where the file imports it for this one use, the new name replaces it in the import, too. `scope`: where
    the name will stand. In a file that imports MindSpore in its functions only, the import goes there.
    `version` is the MindSpore version: before 1.6 there is no `ms.GRAPH_MODE`.
    """
    version = version or mindspore_api.newest()
    api = mindspore_api.canonical(api)
    bound = _bound(module)
    inside = imports_inside(module, scope)
    body = [each for stmt in module.tree.body for each in (stmt.body if isinstance(stmt, ast.Try) else [stmt])]
    known = _spelled([*inside, *body], api, bound, version)
    name = api.rpartition(".")[2]
    exchanged = _exchanged(module, instead, api, version) if instead and name not in bound else None
    if exchanged is not None:
        return name, (exchanged,)
    if known is not None:
        return known, ()
    api = mindspore_api.spelling(api, version)
    parts = api.split(".")
    depth = max(n for n in range(1, len(parts)) if n == 1 or mindspore_api.is_module(".".join(parts[:n])))
    home, name = ".".join(parts[:depth]), parts[depth]
    wanted = mindspore_api.canonical(f"{home}.{name}")
    if any(mindspore_api.canonical(target) != wanted for target in bound.get(name, ())):
        return api, _new_import(module, "import mindspore", inside)
    spelling = ".".join(parts[depth:])
    for stmt in inside or module.tree.body:
        if isinstance(stmt, ast.ImportFrom) and _offers(stmt, wanted, name, version):
            return spelling, _extend(module, stmt, name, line_length)
    return spelling, _new_import(module, f"from {home} import {name}", inside)


def name_in(program: Program, scope: Scope, api: str, line_length: int) -> tuple[str, tuple[Edit, ...]]:
    """Return the spelling of an API in a scope of a program, and the edits that import it."""
    return import_name(scope.module, api, version=program.version, scope=scope, line_length=line_length)


def imports_inside(module: SemanticIndex, scope: Scope | None) -> list[ast.stmt]:
    """Return the first imports of MindSpore in a `try` of the file, or in the function around a scope, in run.

    None for a file that imports MindSpore otherwise. A script may parse its arguments first: the import of MindSpore
    takes seconds. Or it may run without MindSpore: an import outside of the `try` would end it.
    """
    on_top = [stmt for stmt in module.tree.body if _names_mindspore(stmt)]
    if scope is None or not all(map(_is_guard, on_top)):
        return []
    around: Sequence[ast.AST] = on_top or [each.node for each in scope.chain()]
    for body in (node.body for node in around if isinstance(node, (ast.Try, *FUNCTIONS))):
        at = next((n for n, stmt in enumerate(body) if isinstance(stmt, _IMPORTS) and _names_mindspore(stmt)), None)
        if at is not None:
            return list(takewhile(lambda stmt: isinstance(stmt, _IMPORTS), body[at:]))
    return []


def insert_after_imports(module: SemanticIndex, line: str) -> tuple[Edit, ...]:
    """Return the edit that inserts a line below the imports at the top, or below the docstring.

    A line that uses a name imported further below goes below that import.
    """
    body = module.tree.body
    index = max(_head(body), _last_needed(body, line))
    for position in range(index + 1, len(body)):
        if _imports(body[position]):
            index = position
        elif not _sets_up(body[position]):
            break
    if index < 0:
        return (_on_top(module, line),)
    joins = _is_import(line) and _imports(body[index]) and not is_future(body[index])
    return (insert_below(module, index, line if joins else f"\n{line}{_space(module, index + 1, line)}"),)


def _last_needed(body: Sequence[ast.stmt], line: str) -> int:
    """Return the index of the last import that a line needs; -1 without any."""
    missing = {node.id for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Name)}
    last = -1
    for index, stmt in enumerate(body):
        if missing and isinstance(stmt, _IMPORTS):
            found = missing & {name for name, _ in _aliases(stmt)}
            if found:
                last, missing = index, missing - found
    return last


def _bound(module: SemanticIndex) -> dict[str, set[str]]:
    """Return name -> imported modules and APIs, "" for other bindings, of all bindings in the file."""
    bound: dict[str, set[str]] = {}
    for scope in module.scopes:
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                imported = _aliases(binding.stmt) if isinstance(binding.node, ast.alias) else [(name, "")]
                bound.setdefault(name, set()).update(target for other, target in imported if other == name)
    return bound


def _aliases(stmt: ast.AST) -> list[tuple[str, str]]:
    """Return the names that an import binds, each with its module or API; "*" stands for a star import."""
    if isinstance(stmt, ast.Import):
        return [(alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2 for alias in stmt.names]
    if not isinstance(stmt, ast.ImportFrom):
        return []
    home = "." * stmt.level + (stmt.module or "")
    return [(alias.asname or alias.name, f"{home}.{alias.name}") for alias in stmt.names]


def _spelled(
    body: Sequence[ast.stmt], api: str, bound: dict[str, set[str]], version: mindspore_api.Version
) -> str | None:
    """Return the spelling of `api` by some imports, through the closest module that they bind."""
    found: list[tuple[tuple[int, bool, int], str]] = []
    last = api.rpartition(".")[2]
    for name, target in (pair for stmt in body for pair in _aliases(stmt)):
        if name == "*" and last not in bound and last in mindspore_api.exports(target[:-2]):
            name, target = last, f"{target[:-1]}{last}"
        elif bound.get(name) != {target}:
            continue
        if mindspore_api.canonical(target) == api:
            found.append(((0, False, 0), name))
        rest = _below(target, api) if target.split(".")[0] == "mindspore" else None
        if rest is not None and mindspore_api.is_in(f"{target}.{rest}", version):
            is_own = last in mindspore_api.exports(target) or "." in rest  # otherwise it is only imported there
            found.append(((rest.count(".") + 1, not is_own, -target.count(".")), f"{name}.{rest}"))
    return min(found, key=lambda entry: entry[0])[1] if found else None


def _below(target: str, api: str) -> str | None:
    """Return the shortest attribute of a module or class that is `api`; None where it has none."""
    parts = api.split(".")
    for count in range(1, len(parts)):
        rest = parts[-count:]
        there = count == 1 or rest[0] in mindspore_api.exports(target) or mindspore_api.is_module(f"{target}.{rest[0]}")
        if there and mindspore_api.canonical(".".join([target, *rest])) == api:
            return ".".join(rest)
    return None


def _offers(stmt: ast.ImportFrom, api: str, name: str, version: mindspore_api.Version) -> bool:
    """Return whether a `from` import is of a MindSpore module with the API, and can take one more name."""
    if stmt.level or not stmt.module or any(alias.name == "*" for alias in stmt.names):
        return False
    spelled = f"{stmt.module}.{name}"
    return (
        mindspore_api.canonical(spelled) == api
        and stmt.module.startswith("mindspore")
        and mindspore_api.is_in(spelled, version)
    )


def _extend(module: SemanticIndex, stmt: ast.ImportFrom, name: str, line_length: int) -> tuple[Edit, ...]:
    """Return the edits that add a name to a `from` import, in parentheses where its line would become too long."""
    source = module.source
    start, end = module.span(stmt)
    names, bracket = _names(source.text, start, end)
    if bracket is not None:
        close = end - 1
        listing = Listing(source, bracket + 1, close, items(source.text, bracket + 1, close, names))
        return listing.append(name, line_length)
    comma = "," if re.search(rb",\w", source.text[start:end]) else ", "
    if fits(source, end, f"{comma}{name}", line_length):
        return (Edit(module.path, end, end, f"{comma}{name}"),)
    if source.row(start) != source.row(end):
        return (Edit(module.path, end, end, f", \\\n{indent(source, end)}{name}"),)
    first = names[0][0]
    return (
        Edit(module.path, first, first, "("),
        Edit(module.path, end, end, f",\n{pad(source, first)} {name})"),
    )


def _exchanged(module: SemanticIndex, old: str, api: str, version: mindspore_api.Version) -> Edit | None:
    """Return the edit that replaces an imported name, which the file uses once, by an API; None where it cannot."""
    source, name = module.source, api.rpartition(".")[2]
    if len(re.findall(START + re.escape(old.encode()) + rb"(?!%s)" % LETTER, source.text)) != 2:
        return None
    for stmt in module.tree.body:
        if isinstance(stmt, ast.ImportFrom) and _offers(stmt, api, name, version):
            names, _ = _names(source.text, *module.span(stmt))
            for alias, span in zip(stmt.names, names):
                if alias.name == old and alias.asname is None:
                    return Edit(module.path, *span, name)
    return None


def _names(text: bytes, start: int, end: int) -> tuple[list[tuple[int, int]], int | None]:
    """Return the spans of the names of a `from` import, and its bracket (`ast` has positions since 3.10)."""
    names: list[tuple[int, int]] = []
    bracket, inside, fresh = None, False, True
    for token in _WORD.finditer(text, start, end):
        mark, word = token["mark"], token["word"]
        if not inside:
            inside = word == b"import"
        elif mark == b"(":
            bracket = token.start()
        elif mark == b",":
            fresh = True
        elif word and fresh:
            names.append(token.span())
            fresh = False
        elif word:
            names[-1] = names[-1][0], token.end()
    return names, bracket


def _new_import(module: SemanticIndex, line: str, inside: Sequence[ast.stmt]) -> tuple[Edit, ...]:
    """Return the edit that adds an import below the first run of imports with MindSpore, or at the top.

    `inside`: imports in a function, below which it goes.
    """
    if inside and (added := insert_after(module, inside[-1], line)) is not None:
        return added
    body = module.tree.body
    index = next((n for n, stmt in enumerate(body) if _imports(stmt) and _names_mindspore(stmt)), -1)
    while 0 <= index < len(body) - 1 and isinstance(body[index + 1], _IMPORTS):
        index += 1
    if index < 0:
        return insert_after_imports(module, line)
    return (insert_below(module, index, line),)


def _is_guard(stmt: ast.stmt) -> bool:
    """Return whether a statement imports from MindSpore where that can be, and nothing from it where it cannot."""
    if not isinstance(stmt, ast.Try) or not any(map(_names_mindspore, stmt.body)):
        return False
    return not any(_names_mindspore(each) for handler in stmt.handlers for each in handler.body)


def _names_mindspore(stmt: ast.stmt) -> bool:
    """Return whether a statement imports from MindSpore."""
    if isinstance(stmt, (*FUNCTIONS, ast.ClassDef)):
        return False
    return any(target.split(".")[0] == "mindspore" for node in ast.walk(stmt) for _, target in _aliases(node))


def _imports(stmt: ast.stmt) -> bool:
    """Return whether a statement only imports, also in `try` or `if`."""
    if isinstance(stmt, (ast.Try, ast.If)):
        return all(isinstance(inner, _IMPORTS) for inner in stmt.body)
    return isinstance(stmt, _IMPORTS)


def _sets_up(stmt: ast.stmt) -> bool:
    """Return whether a statement between imports only sets up paths, the environment, logs or seeds."""
    names = {node.id for node in ast.walk(stmt) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return isinstance(stmt, (ast.Expr, ast.Assign)) and names <= _SETUP


def _head(body: Sequence[ast.stmt]) -> int:
    """Return the index of the last statement that must stay on top: the docstring or a `__future__` import; or -1."""
    index = -1
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        index = 0 if isinstance(body[0].value.value, str) else -1
    while index + 1 < len(body) and is_future(body[index + 1]):
        index += 1
    return index


def _is_import(line: str) -> bool:
    """Return whether a line is an import."""
    return line.startswith(("import ", "from "))


def _on_top(module: SemanticIndex, line: str) -> Edit:
    """Return the edit that inserts a line above the first statement, below comments; without any, at the end."""
    source, body = module.source, module.tree.body
    if not body:
        end = len(source.text)
        ended = not end or source.text.endswith((b"\n", b"\r"))
        return Edit(module.path, end, end, f"{line}\n" if ended else f"\n{line}")
    row = first_row(body[0])
    while is_joined(source, row):  # `@ \`
        row -= 1
    start = source.starts[row - 1]
    return Edit(module.path, start, start, f"{line}{_space(module, 0, line)}\n")


def _space(module: SemanticIndex, index: int, line: str) -> str:
    """Return the line ends between a new line and the statement below it; none if there is a blank line.

    Two blank lines precede functions and classes, one separates imports and other code.
    """
    source, body = module.source, module.tree.body
    if index >= len(body):
        return ""
    row = first_row(body[index])
    above = source.line(row - 1).strip()
    if index and (row == body[index - 1].end_lineno or not above or above.startswith(b"#")):
        return ""
    if isinstance(body[index], (*FUNCTIONS, ast.ClassDef)):
        return "\n\n"
    return "\n" if _is_import(line) and not _imports(body[index]) else ""
