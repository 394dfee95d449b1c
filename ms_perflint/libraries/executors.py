"""Pools of threads and processes: `pool.submit(make).result()`, `pool.map(make, settings)`."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held
from ms_perflint.infer import calls
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import Api, Value
from ms_perflint.libraries import iterables

POOLS = (
    "concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor", "multiprocessing.Pool",
    "multiprocessing.pool.ThreadPool", "multiprocessing.dummy.Pool",
)  # fmt: skip
SUBMITS = {"submit": "result", "apply_async": "get"}  # with the method of what they give that waits for the result
MAPS = ("map", "imap")


def _waited(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return what `pool.submit(function, argument).result()` gives; None of other calls."""
    made = api.receiver.creation if api.receiver is not None else None
    if made is None or not made.call.args or made.call.keywords:
        return None
    function, *given = made.call.args
    if api.name.endswith("get"):
        given = given[0].elts if given and isinstance(given[0], (ast.Tuple, ast.List)) else []
    row = tuple(Held.of(each, made.scope) for each in given)
    return calls.applied(evaluator, made._replace(row=row, callee=function))


MODEL = Library(
    calls={
        **{f"{pool}.{word}.{waits}": (_waited,) for pool in POOLS for word, waits in SUBMITS.items()},
        **{f"{pool}.{word}": iterables.MODEL.calls["builtins.map"] for pool in POOLS for word in MAPS},
    }
)
