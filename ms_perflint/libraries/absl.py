"""Flags of absl."""

from __future__ import annotations

import ast

from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import TOP, Value, join
from ms_perflint.libraries.argparse import flags_of

_DEFINES = tuple(f"DEFINE_{kind}" for kind in ("string", "bool", "boolean", "integer", "float", "enum", "list"))


def _flag(evaluator: Evaluator, name: str) -> Value:
    """Return what `FLAGS.name` of absl is: the default that `flags.DEFINE_...(name, default, help)` gives it."""
    values = []
    for word in _DEFINES:
        for site in evaluator.program.sites(word):
            if isinstance(site.node, ast.Call) and len(site.node.args) > 1 and flags_of(site.node)[:1] == [name]:
                value = evaluator.value(site.node.args[1], site.scope)
                values.append(Value(value.alternatives, value.open, True))
    return join(values) if values else TOP


MODEL = Library(attributes={"absl.flags.FLAGS": _flag}, closed=("absl.",))
