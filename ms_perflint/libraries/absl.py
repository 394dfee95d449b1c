"""Library model of absl: the values of flags."""

from __future__ import annotations

import ast

from ms_perflint.index.semantic_index import Site
from ms_perflint.infer import commandline
from ms_perflint.infer.commandline import read
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import NO_CONSTANT, TOP, Alternative, Value, join
from ms_perflint.libraries.argparse import flags_of

_TYPES = {"string": "str", "bool": "bool", "boolean": "bool", "integer": "int", "float": "float", "enum": "str"}
_DEFINES = tuple(f"DEFINE_{kind}" for kind in (*_TYPES, "list"))


def _given(evaluator: Evaluator, declared: Value, site: Site, name: str) -> Value:
    """Return the value of a flag with the arguments of launchers: `--name=value`, `--noname`."""
    kind, where = _TYPES.get(site.word.partition("_")[2]), (site.module, site.node)
    on = (f"--{name}", f"-{name}")
    if kind == "bool":
        return commandline.switched(evaluator.program, declared, on, (f"--no{name}", f"-no{name}"), where)
    given = evaluator.program.given(on)
    return commandline.overridden(
        declared, given, lambda each: NO_CONSTANT if not kind or each.text is None else read(each.text, kind), where
    )


def _flag(evaluator: Evaluator, name: str) -> Value:
    """Return the value of `FLAGS.name`: the default of `flags.DEFINE_...(name, default, help)`."""
    values = []
    for word in _DEFINES:
        for site in evaluator.program.sites(word):
            if isinstance(site.node, ast.Call) and len(site.node.args) > 1 and flags_of(site.node)[:1] == [name]:
                value = evaluator.value(site.node.args[1], site.scope)
                values.append(_given(evaluator, Value(value.alternatives, value.open, True), site, name))
    return join(values) if values else TOP


def _held(evaluator: Evaluator, holder: Alternative, name: str) -> Value:
    """Return the value of the flag behind `holder.value`, for `holder = flags.DEFINE_...(name, default, help)`."""
    made = holder.creation
    flags = flags_of(made.call) if made is not None and name == "value" else []
    return _flag(evaluator, flags[0]) if flags else TOP


MODEL = Library(
    attributes={"absl.flags.FLAGS": _flag},
    settings=dict.fromkeys((f"absl.flags.{name}" for name in _DEFINES), _held),
    closed=("absl.",),
)
