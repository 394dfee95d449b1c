"""The bounds that leave questions about a program unanswered, as its reason to be judged only in part."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer.queries import BUDGET, DEEPEST, MEMBERS, NESTED, Queries
from ms_perflint.languages import Message


def reached_by(queries: Queries, entry: str, named: Callable[[str], str]) -> Optional[Message]:
    """Return the bound that the queries of a program have reached, with the place of the first; None without one.

    `entry`: the path of the entry script. `named`: returns the name of a file for messages.
    """
    asked = queries.spent_on or queries.wide_on
    if not asked:
        return None
    place = _place(asked, entry, named)
    if queries.spent == NESTED:
        return Message(
            "values depend on one another more than {most} levels deep in {place}", most=f"{DEEPEST:,}", place=place
        )
    if not queries.spent:
        return Message("more than {most} values depend on one another in {place}", most=f"{MEMBERS:,}", place=place)
    return Message("the budget of {most} evaluations was spent in {place}", most=f"{BUDGET:,}", place=place)


def _place(asked: tuple[object, ...], entry: str, named: Callable[[str], str]) -> str:
    """Return where the arguments of a question stand: its file, and its line where it is about code."""
    node = next((each for each in asked if isinstance(each, (ast.expr, ast.stmt))), None)
    module = next((each.module for each in asked if isinstance(each, Scope)), None)
    if module is None:
        return os.path.basename(entry)
    name = named(module.path)
    return f"{name}:{module.place(node).spot}" if node is not None else name
