"""YAML and JSON files that a program loads by a path that it shows."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING

from ms_perflint.findings import Place
from ms_perflint.semantics.module import Scope
from ms_perflint.semantics.values import NOTHING, OPEN, Api, Instance, Known, Value

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluate import Evaluator

LOADS = frozenset(
    {
        "yaml.load", "yaml.safe_load", "yaml.full_load", "yaml.unsafe_load", "yaml.load_all", "yaml.safe_load_all",
        "yaml.full_load_all", "json.load", "json.loads", "omegaconf.OmegaConf.load",
        "ruamel.yaml.YAML.load", "ruamel.yaml.load",
    }
)  # fmt: skip


def loaded(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    """Return what `yaml.safe_load(...)` and its kin give: the tree of the file that is loaded by default."""
    files = trees_of(evaluator, node, scope)
    return Value(files, False, True) if files else OPEN


def trees_of(evaluator: Evaluator, node: ast.Call, scope: Scope) -> tuple[Known, ...]:
    """Return the trees that a load reads, as far as the path is known and the file is there."""
    if not node.args:
        return ()
    found = []
    for known in _paths(evaluator, node.args[0], scope).usual:
        path = known.constant
        if isinstance(path, str) and path:
            tree = evaluator.program.tree(path, scope.module)
            if tree is not None:
                found.append(Known(tree, Place(tree.path, 1, 1)))
    return tuple(found)


def _paths(evaluator: Evaluator, node: ast.expr, scope: Scope) -> Value:
    """Return the path behind the first argument of a load: a path, an open file, or what was read from one."""
    value = evaluator.value(node, scope)
    if value.constants:
        return value
    for known in value.known:
        what = known.what
        if not isinstance(what, Instance) or what.node is None or not isinstance(what.type, Api):
            continue
        if what.type.name in ("builtins.open", "io.open", "codecs.open") and what.node.args:
            return evaluator.value(what.node.args[0], what.scope)
        if what.type.name.endswith((".read", ".open", ".read_text")) and isinstance(what.node.func, ast.Attribute):
            return _paths(evaluator, what.node.func.value, what.scope)
    return NOTHING


def resolve(path: str, module_directory: str, entry_directory: str) -> list[str]:
    """Return where a relative path may lie: from the entry script (where it is usually run), then from the module."""
    if os.path.isabs(path):
        return [os.path.normpath(path)]
    return list(
        dict.fromkeys(os.path.normpath(os.path.join(base, path)) for base in (entry_directory, module_directory))
    )
