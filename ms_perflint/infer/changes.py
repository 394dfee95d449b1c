"""Possible changes of the lists and dicts of a program, by form and by name; the evaluator decides which apply."""

from __future__ import annotations

import ast
from typing import NamedTuple, Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Block, SemanticIndex, Site
from ms_perflint.index.syntax_forms import given, word_of
from ms_perflint.infer.places import GROWS, ORDERS, SHRINKS

CHANGES = GROWS | SHRINKS | ORDERS
# Functions that move the elements of the list that they are given
MOVES = frozenset({"shuffle", "heapify", "heappush", "heappop"})
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

    Changes are stores under computed keys, methods, `+=`, and calls that get the list or dict. The elements that a
    bound method adds, `add = name.append`, are not known.
    """
    found: dict[str, list[Change]] = {}
    for stmt, block in module.steps:
        if type(stmt) is ast.AugAssign and type(stmt.op) is ast.Add:
            found.setdefault(word_of(stmt.target), []).append(Change("extend", stmt.value, block, stmt, stmt.target))
        elif type(stmt) is ast.Assign and type(stmt.value) is ast.Attribute:
            _note_named(found, stmt.value, block)
    for table in module.registered.values():
        for target, value, block in table:
            found.setdefault(word_of(target.value), []).append(Change(STORE, value, block, target, target.value))
    for site in (site for sites in module.by_word.values() for site in sites):
        if not isinstance(site.node, ast.Call):
            continue
        base = (
            site.base if site.word in CHANGES else site.node.args[0] if site.word in MOVES and site.node.args else None
        )
        if base is not None:
            added = site.node.args[-1] if site.word in (*GROWS, "heappush") and site.node.args else None
            change = Change(site.word, added, site.block, site.node, base)
            found.setdefault(word_of(base), []).append(change)
        for each in given(site.node) if site.node.keywords else site.node.args:
            kind = type(each)  # there are many: most are names
            if kind is ast.Attribute:
                _note_named(found, each, site.block)  # type: ignore[arg-type]
            word = each.id if kind is ast.Name else word_of(each) if kind in NAMED else ""  # type: ignore[attr-defined]
            if word and (base is None or word != word_of(base)):
                found.setdefault(word, []).append(Change("", None, site.block, site.node, each, site))
    return found


def _note_named(found: dict[str, list[Change]], node: ast.Attribute, block: Block) -> None:
    """Note a method that code names, to call it later: `name.append`."""
    if node.attr in CHANGES:
        word = "insert" if node.attr in GROWS else node.attr
        found.setdefault(word_of(node.value), []).append(Change(word, node, block, node, node.value))
