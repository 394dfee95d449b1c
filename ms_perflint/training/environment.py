"""Variables of the environment that a program sets in its code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ms_perflint.index.semantic_index import Site
from ms_perflint.program.program import Program


def writes(program: Program, variable: str) -> Iterator[tuple[Site, ast.expr]]:
    """Yield the sites that set a variable of the environment, each with the text."""
    for store in program.code.stores(variable):
        node, stmt, scope = store.node, store.stmt, store.scope
        held = program.value(node.value, scope).alternatives if isinstance(node, ast.Subscript) else ()
        is_variable = any(known.api == "os.environ" for known in held)
        if is_variable and isinstance(stmt, ast.stmt) and store.value is not None:
            yield Site(scope.module, node, "", stmt, store.block, None), store.value  # type: ignore[arg-type]
    for call in program.calls("os.environ.setdefault", "os.putenv"):
        args = call.node.args
        if len(args) == 2 and program.value(args[0], call.scope).must_be(variable):
            yield call, args[1]
    for call in program.calls("os.environ.update"):
        yield from ((call, each.value) for each in call.node.keywords if each.arg == variable)
        shown = call.node.args[0] if call.node.args else None
        pairs = [*zip(shown.keys, shown.values)] if isinstance(shown, ast.Dict) else []
        for key, text in pairs:
            if key is not None and program.value(key, call.scope).must_be(variable):
                yield call, text
