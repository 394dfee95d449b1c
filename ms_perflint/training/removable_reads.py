"""Which reads of the results of a step can go, and what they read then."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import descendants, given, word_of
from ms_perflint.infer.places import APPENDS
from ms_perflint.program.program import Program, fact
from ms_perflint.training.graph_mode.compiled import assigned, filled
from ms_perflint.training.host_reads import FUNCTIONS, KEEPS, LOGS, METHODS, is_in_each_iteration, reads
from ms_perflint.training.step_loops import step_loops

_CELLS = ("loc", "iloc", "at", "iat")  # attributes of a pandas table, to set a part of it
_FORMATS = ("format", "round", "dump", "dumps")


@fact
def removable(program: Program) -> frozenset[ast.AST]:
    """Return the reads of loops that do not wait without them, and whose tensors are kept and not formatted then.

    Run on 2.10: `f"{loss:.4f}"`, `"{:.4f}".format(loss)`, `round(loss, 4)` and `json.dump(losses)` of tensors fail,
    `"%.4f" % loss`, `math.exp(loss)` and functions of NumPy on a list of them work.
    """
    found: set[ast.AST] = set()
    for step in step_loops(program):
        own = list(reads(program, step))
        kept = _kept(step.scope.owner, [each.stmt for each in own])
        inside = (site for site in step.scope.calls if site.block.loops[:1] == [step.loop] and site not in own)
        is_left = any(_shows(site, kept) and is_in_each_iteration(program, step, site) for site in inside)
        are_kept = all(_is_kept(each) and not _is_in_array(program, each) for each in own)
        if are_kept and not is_left and not _is_formatted(kept):
            found.update(each.node for each in own)
    return frozenset(found)


def _is_kept(site: Site) -> bool:
    """Return whether the result of a read is assigned, added or appended, and passed to no other call."""
    stmt, node = site.stmt, site.node
    value = assigned(stmt)[1]
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call) and word_of(stmt.value.func) == "append":
        value = stmt.value.args[0] if len(stmt.value.args) == 1 else None
    calls = (each for each in ast.walk(value) if isinstance(each, ast.Call)) if value is not None else ()
    passed = (part for each in calls for part in given(each))
    return value is not None and bool(unread(site)) and not any(node in ast.walk(part) for part in passed)


def _is_in_array(program: Program, site: Site) -> bool:
    """Return whether the result of a read goes into an array or a number of NumPy, which reads a tensor itself.

    Run on 2.10: `losses[i] = loss` and `total += loss` call `asnumpy` where they are of `np.zeros`. With pandas,
    `frame.at[i] = loss` fails where the column is of numbers.
    """
    stmt = site.stmt
    holders = filled(stmt, ())
    if any(word_of(each) in _CELLS for each in holders):
        return True
    is_sum = isinstance(stmt, ast.AugAssign) or isinstance(assigned(stmt)[1], ast.BinOp)
    names = [each for each in descendants(stmt) if isinstance(each, ast.Name)] if is_sum else []
    bindings = (each for name in names for each in site.scope.lookup(name)) if not holders else ()
    holders += [each.whole for each in bindings if each.stmt is not stmt and each.whole is not None]
    known = (each for holder in holders for each in program.value(holder, site.scope).alternatives)
    return any(each.type_api.startswith("numpy.") for each in known)


class _Kept(NamedTuple):
    """What holds a tensor in a function once the reads in some statements are gone."""

    scope: Scope
    words: set[str]
    stmts: set[ast.AST]  # that bind these words to it
    lists: set[str]  # words of what it is added to

    def is_held(self, node: ast.AST) -> bool:
        """Return whether a name or an attribute holds a tensor where it is read."""
        word = word_of(node)
        if word not in self.words or word in self.lists or not isinstance(node, ast.Name):
            return word in self.words
        bound = self.scope.flow.at(node) if self.scope.home(word) is self.scope else ()
        return not bound or any(each.stmt in self.stmts for each in bound)


def _shows(site: Site, kept: _Kept) -> bool:
    """Return whether a call prints, logs or converts a value that is made of a kept tensor."""
    parts = given(site.call) if site.word in FUNCTIONS | LOGS else ()
    inside = (each for part in parts for each in ast.walk(part) if isinstance(each, (ast.Name, ast.Attribute)))
    return any(map(kept.is_held, inside))


def _kept(scope: Scope, stmts: Sequence[ast.AST]) -> _Kept:
    """Return what holds a tensor, or a value made of it, once the reads in some statements are gone."""
    kept = _Kept(scope, set(), set(stmts), set())
    for stmt in stmts:
        kept.lists.update(word_of(target) for target, _ in _appended(stmt))
        kept.words.update(map(word_of, assigned(stmt)[0]))
    kept.words.update(kept.lists)
    made = [(stmt, word_of(target), value) for stmt in descendants(scope.node) for target, value in _pairs(stmt)]
    while new := [(stmt, word) for stmt, word, value in made if stmt not in kept.stmts and _holds(value, kept)]:
        kept.stmts.update(stmt for stmt, _ in new)
        kept.words.update(word for _, word in new)
        kept.lists.update(word_of(target) for stmt, _ in new for target, _ in _appended(stmt))
    kept.words.discard("")
    return kept


def _appended(stmt: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the list or dict to which a statement adds, `losses.append(loss)`, with each value that it adds."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    added = call.args if isinstance(call, ast.Call) else [assigned(stmt)[1]]
    yield from ((holder, value) for holder in filled(stmt, APPENDS) for value in added if value is not None)


def _pairs(stmt: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets of an assignment, or of what adds to a list, each with its value."""
    yield from _appended(stmt)
    targets, value = assigned(stmt)
    if value is None:
        return
    for target in targets:
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        shown = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(names) else [value] * len(names)
        yield from zip(names, shown)


def _holds(node: ast.expr, kept: _Kept) -> bool:
    """Return whether an expression is a kept tensor, or computed from one."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            return node.func.attr in KEEPS - METHODS and _holds(node.func.value, kept)
        return word_of(node.func) in ("sum", "max", "min", "abs") and any(_holds(each, kept) for each in node.args)
    if isinstance(node, ast.BinOp):
        is_text = isinstance(node.op, ast.Mod) and isinstance(node.left, (ast.Constant, ast.JoinedStr))
        return not is_text and (_holds(node.left, kept) or _holds(node.right, kept))
    if isinstance(node, (ast.Name, ast.Attribute)):
        return kept.is_held(node)
    if isinstance(node, (ast.List, ast.Tuple, ast.Dict)):
        return any(_holds(each, kept) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
    return isinstance(node, ast.Subscript) and _holds(node.value, kept)


def _is_formatted(kept: _Kept) -> bool:
    """Return whether a function formats, dumps or returns a kept tensor."""
    for node in descendants(kept.scope.node):
        parts: list[ast.expr] = []
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            parts.append(node.value)
        elif isinstance(node, ast.Return) and node.value is not None:
            parts += node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        elif isinstance(node, ast.Call) and word_of(node.func) in _FORMATS:
            parts += given(node)
        if any(_holds(each, kept) for each in parts):
            return True
    return False


def unread(site: Site) -> list[tuple[ast.expr, ast.expr]]:
    """Return the reads in an expression, each with the tensor that can take its place; none in a `print`.

    `float(loss.asnumpy()[0])` has two. A read of the result of another one counts as one with it.
    """
    found: list[tuple[ast.expr, ast.expr]] = []
    node = site.node
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        inner = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Call) and word_of(inner) in METHODS and isinstance(inner, ast.Attribute):
            inner = inner.value
        elif isinstance(node, ast.Call) and isinstance(inner, ast.Name):
            if inner.id not in ("float", "int") or len(node.args) != 1:
                break
            inner = node.args[0]
        else:
            node = inner
            continue
        outer = found.pop()[0] if found and found[-1][1] is node else node
        found.append((outer, inner))
        node = inner
    return found
