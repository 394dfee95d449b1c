"""Possible changes of the lists and dicts of a program, by form and by name; the evaluator decides which apply."""

from __future__ import annotations

import ast
from typing import NamedTuple, Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Block, SemanticIndex, Site
from ms_perflint.index.syntax_forms import given, text_of, word_of
from ms_perflint.infer.places import GROWS, ORDERS, SHRINKS

CHANGES = GROWS | SHRINKS | ORDERS | {"__iadd__", "put"}
LATER = CHANGES | {"update"}  # methods that count where code only names them
# Functions that change the list that they are given first, and those of them that add their last argument
PUTS = frozenset({"heappush", "heappushpop", "heapreplace", "insort", "insort_left", "insort_right", "iadd"})
MOVES = PUTS | {"shuffle", "heapify", "heappop"}
CONTAINERS = frozenset({"list", "dict", "set", "deque", "OrderedDict"})  # `list.append(rows, 1)`
ADDED = {ast.Add: "extend", ast.BitOr: "extend"}  # operators of assignments, by the methods that do the same
NAMED = (ast.Attribute, ast.Subscript)
STORE = "[]"  # the "word" of `name[index] = value`


class Change(NamedTuple):
    """What changes a list: the word of a method, `+=` as one of `extend`, or a call that is given the list."""

    word: str
    added: Optional[ast.expr]  # what the list gets by it
    block: Block
    node: ast.AST
    about: ast.expr  # the expression of the list
    site: Optional[Site] = None  # the call that is given the list


@fact
def touching(module: SemanticIndex) -> dict[str, list[Change]]:
    """Return the changes of lists and dicts in a file, by the last word of the changed expression; "" without one.

    Changes are stores under computed keys, methods, `+=`, `*= 2`, and calls that get the list or dict. The elements
    that a bound method adds, `add = name.append`, are not known.
    """
    found: dict[str, list[Change]] = {}
    for stmt, block in module.steps:
        if type(stmt) is ast.AugAssign and _may_be_of_list(stmt):
            found.setdefault(word_of(stmt.target), []).append(augmenting(stmt, block))
        elif type(stmt) is ast.Assign and type(stmt.value) is ast.Attribute:
            _note_named(found, stmt.value.value, stmt.value.attr, stmt.value, block)
    for table in module.registered.values():
        for target, value, block in table:
            found.setdefault(word_of(target.value), []).append(Change(STORE, value, block, target, target.value))
    for site in (site for sites in module.by_word.values() for site in sites):
        if not isinstance(site.node, ast.Call):
            continue
        base, args, word = site.base if site.word in CHANGES else None, site.node.args, site.word
        if args and (word in MOVES or (type(base) is ast.Name and base.id in CONTAINERS)):
            base = args[0]
        if base is not None:
            added = args[-1] if args and (word in PUTS or word in GROWS or word in ("__iadd__", "put")) else None
            word = "extend" if word in ("iadd", "__iadd__") else word
            found.setdefault(word_of(base), []).append(Change(word, added, site.block, site.node, base))
        elif word == "getattr" and len(args) > 1 and text_of(args[1]) in LATER:
            _note_named(found, args[0], text_of(args[1]), site.node, site.block)
        for each in given(site.node) if site.node.keywords else site.node.args:
            kind = type(each)  # there are many: most are names
            if kind is ast.Attribute:
                _note_named(found, each.value, each.attr, each, site.block)  # type: ignore[attr-defined]
            word = each.id if kind is ast.Name else word_of(each) if kind in NAMED else ""  # type: ignore[attr-defined]
            if word and (base is None or word != word_of(base)):
                found.setdefault(word, []).append(Change("", None, site.block, site.node, each, site))
    return found


def _may_be_of_list(stmt: ast.AugAssign) -> bool:
    """Return whether an assignment may change a list: `rows += more`, `rows *= 2`; `n += 1` and `n *= m` do not."""
    is_constant = type(stmt.value) is ast.Constant
    return is_constant if type(stmt.op) is ast.Mult else not is_constant


def augmenting(stmt: ast.AugAssign, block: Block) -> Change:
    """Return the change that `name += values` is of a list, and `name *= 2`."""
    word = ADDED.get(type(stmt.op), "")
    return Change(word or "*=", stmt.value if word else None, block, stmt, stmt.target)


def _note_named(found: dict[str, list[Change]], about: ast.expr, name: str, node: ast.expr, block: Block) -> None:
    """Note a method that code names, to call it later: `name.append`."""
    if name in LATER:
        word = "insert" if name in GROWS else name
        found.setdefault(word_of(about), []).append(Change(word, node, block, node, about))
