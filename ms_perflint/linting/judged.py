"""Programs that were judged in part, with the reasons that a run reports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.core.files import unreadable
from ms_perflint.core.findings import Place
from ms_perflint.core.source import SourceError
from ms_perflint.index.semantic_index import ImportStatement, SemanticIndex
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.languages import Message
from ms_perflint.program.program import Program, fact
from ms_perflint.resolve.outline import BUILTIN, LOGGING
from ms_perflint.training import followed, training
from ms_perflint.training.other_frameworks import is_of_another_framework

HARMLESS = frozenset(word.decode() for word in BUILTIN | LOGGING) | {"filterwarnings", "simplefilter", "warn"}
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def unjudged(program: Program) -> Optional[Message]:
    """Return why rules may have missed findings in a program; None where they have not.

    None also for a program that certainly does not train.
    """
    reason = (program.left_out or _unread(program)) if may_train(program) else None
    return reason or not_followed(program)


@fact
def not_followed(program: Program) -> Optional[Message]:
    """Return the call that may train and cannot be followed; None where it is known whether a program trains."""
    if training.is_unit_test(program) or not is_started(program) or not followed.may_hold_trainer(program):
        return None
    if not program.is_whole or is_of_another_framework(program) or training.is_trained(program):
        return None
    call = followed.trainer(program)
    return call.said(program) if call is not None else None


def may_train(program: Program) -> bool:
    """Return whether a program may train: its entry script does something, and a file names something that trains."""
    return training.may_train(program) and is_started(program)


def is_trained(program: Program) -> bool:
    """Return whether a program is known to train."""
    return may_train(program) and training.is_trained(program)


def is_started(program: Program) -> bool:
    """Return whether running the entry script does something: by a main guard, or a call or loop at the top level.

    Files of a library only define things. A cell that does not parse may do something.
    """
    module, entries = program.module(program.entry), program.project.entries
    if module is None or not entries.is_entry(program.entry):
        return False
    return entries.has_main(program.entry) or bool(module.source.lost) or _acts(module)


def _acts(module: SemanticIndex) -> bool:
    """Return whether a file calls something for its effect, or loops, outside of functions."""
    left: list[ast.AST] = list(module.tree.body)
    while left:
        node = left.pop()
        if isinstance(node, (ast.For, ast.While, ast.With)):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.Await)):
            call = node.value if isinstance(node.value, ast.Call) else node.value.value
            if not isinstance(call, ast.Call) or word_of(call.func) not in HARMLESS:
                return True
        elif not isinstance(node, (*_INNER, ast.expr)):
            left.extend(ast.iter_child_nodes(node))
    return False


def _unread(program: Program) -> Optional[Message]:
    """Return the unreadable file that running code imports, or the cell of the entry script; None without one."""
    project, entry = program.project, program.module(program.entry)
    for lost in entry.source.lost if entry is not None else ():
        place = Place(program.entry, lost.row, lost.column, lost.cell)
        return Message("{reason} in {place}", reason=lost.message, place=place.seen_from(program.entry))
    modules = program.modules  # first: which files are broken is known when they have been read
    broken = program.paths & project.broken
    for scope in (scope for module in modules if broken for scope in module.scopes if scope in program.reached):
        for stmt, _ in scope.imports:
            for path in _behind(program, stmt, scope.module, set()):
                if path in broken:
                    return _why(program, path)
    return None


def _behind(program: Program, stmt: ImportStatement, module: SemanticIndex, seen: set[str]) -> Iterator[str]:
    """Yield the files that an import statement runs, and those whose names they re-export."""
    wanted = {alias.name for alias in stmt.names} if isinstance(stmt, ast.ImportFrom) else module.words
    for path in program.names.imported_files(stmt, module):
        yield path
        other = program.module(path) if path not in seen else None
        seen.add(path)
        for inner, _ in other.scope.imports if other is not None else ():
            names = {(alias.asname or alias.name).partition(".")[0] for alias in inner.names}
            if "*" in names or "*" in wanted or not names.isdisjoint(wanted):
                yield from _behind(program, inner, other, seen)  # type: ignore[arg-type]


def _why(program: Program, path: str) -> Message:
    """Return why a file could not be read, and where."""
    where = program.named(path)
    reason: str = Message("it could not be read")
    try:
        program.project.parse(path)
    except SourceError as error:
        where, reason = f"{where}:{error.row}" if error.row else where, error.message
    except OSError as error:
        reason = unreadable(error)
    return Message("{reason} in {place}", reason=reason, place=where)
