"""Library model of OmegaConf, and of other mappings whose keys are attributes."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held
from ms_perflint.infer import mappings
from ms_perflint.infer.alternatives import Api
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import TOP, Value
from ms_perflint.libraries.dataclasses import structured
from ms_perflint.libraries.python import passed_on

OMEGACONF = "omegaconf.OmegaConf"
MAPPINGS = frozenset(
    {
        "EasyDict", "edict", "AttrDict", "DotDict", "Munch", "ConfigDict", "Dict", "DefaultMunch", "munchify",
        "CfgNode", "CN",
    }
)  # fmt: skip


def _merged(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    is_shown = not any(isinstance(argument, ast.Starred) for argument in node.args)
    return mappings.merged(evaluator, node, [Held(layer, scope) for layer in node.args], scope) if is_shown else TOP


def _created(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return mappings.called(evaluator, node, scope, is_deep=True)


def _contained(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `OmegaConf.to_container(config)`: a copy of a known dict."""
    value = passed_on(evaluator, api, node, scope)
    copied = mappings.copied(evaluator, node, Held(node.args[0], scope), value, True) if value and node.args else None
    return copied or value


def _selected(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `OmegaConf.select(config, "group.key")`; TOP where it may be missing."""
    key = evaluator.value(node.args[1], scope).constant if len(node.args) == 2 and not node.keywords else None
    if not isinstance(key, str):
        return TOP
    return evaluator.read(Held(node.args[0], scope, taken=tuple(key.split("."))))


MODEL = Library(
    calls={
        **dict.fromkeys((f"{OMEGACONF}.to_container", f"{OMEGACONF}.to_object"), (_contained,)),
        **dict.fromkeys((f"{OMEGACONF}.create", "box.Box"), (_created,)),
        f"{OMEGACONF}.merge": (_merged,),
        f"{OMEGACONF}.select": (_selected,),
        f"{OMEGACONF}.structured": (structured,),
    },
    command_line=frozenset({f"{OMEGACONF}.from_cli"}),
    mappings=MAPPINGS,
    merges=frozenset({"merge_from_file", "merge_from_list"}),
)
