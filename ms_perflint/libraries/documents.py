"""Library model of YAML, JSON and TOML: the functions that load documents, and their paths."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held
from ms_perflint.infer import computing, config_files
from ms_perflint.infer.alternatives import Api
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Value, join
from ms_perflint.resolve import config_documents

STREAMS = frozenset(
    {"yaml.load_all", "yaml.safe_load_all", "yaml.full_load_all", "yaml.unsafe_load_all", "ruamel.yaml.YAML.load_all"}
)
LOADS = STREAMS | {
    "yaml.load", "yaml.safe_load", "yaml.full_load", "yaml.unsafe_load", "json.load", "json.loads",
    "tomllib.load", "tomllib.loads", "tomli.load", "tomli.loads", "toml.load", "toml.loads",
    "omegaconf.OmegaConf.load", "ruamel.yaml.YAML.load", "ruamel.yaml.load", "ruamel.yaml.safe_load",
}  # fmt: skip
OPENS = frozenset({"builtins.open", "io.open", "codecs.open"})


def _loaded(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the config document that `yaml.safe_load(...)` and similar functions load by default."""
    shown = _shown(evaluator, api, node, scope)
    if shown is not None and shown.alternatives:
        return shown
    files = _trees(evaluator, node, scope)
    return Value(files, not any(known.by_default for known in files), True) if files else TOP


def _shown(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the value of a string in the code: `yaml.safe_load("mode: 0")`; None without a string."""

    def parsed(text: str) -> object:
        from ms_perflint.resolve import toml_ini  # here, because few programs hold such texts

        name = "text.toml" if api.name.startswith("tom") else ""
        found = [_plain(each) for each in toml_ini.documents(text.encode(), name)]
        if api.name in STREAMS:
            return found
        if len(found) != 1 or not isinstance(found[0], (dict, list)):
            raise ValueError("the path of a file")
        return found[0]

    return computing.called(evaluator, parsed, [Held(each, scope) for each in node.args[:1]], (), node, scope)


def _plain(entry: config_documents.Entry) -> object:
    """Return an entry as plain Python data. Raises ValueError for an unknown value."""
    if isinstance(entry.data, dict):
        return {key: _plain(each) for key, each in entry.data.items()}
    if isinstance(entry.data, list):
        return [_plain(each) for each in entry.data]
    if entry.data is config_documents.UNKNOWN:
        raise ValueError("what only the program reads")
    return entry.data


def _trees(evaluator: Evaluator, node: ast.Call, scope: Scope) -> tuple[Alternative, ...]:
    """Return the config documents of a load, where the path is known and the file exists.

    Where other files are possible that are not known, they are non-default.
    """
    if not node.args:
        return ()
    is_stream = any(known.api in STREAMS for known in evaluator.value(node.func, scope).alternatives)
    found = config_files.trees(evaluator, paths(evaluator, node.args[0], scope), scope, is_stream)
    return found.as_non_default().alternatives if found.open else found.alternatives


def paths(evaluator: Evaluator, node: ast.expr, scope: Scope) -> Value:
    """Return the path of the first argument of a load: a path, an open file, or the content of one."""
    value = evaluator.value(node, scope)
    if value.constants:
        return value
    found = [_path_of(evaluator, known) for known in value.alternatives if known.is_object]
    return join(found) if found else BOTTOM


def _path_of(evaluator: Evaluator, file: Alternative) -> Value:
    """Return the path of an open file, or of the file from which a content was read."""
    made = file.creation
    if made is not None and file.type_api in OPENS and made.call.args:
        return config_files.path_at(evaluator, made.call.args[0], made.scope)
    is_read = made is not None and file.type_api.endswith((".read", ".open", ".read_text"))
    if is_read and made is not None and isinstance(made.call.func, ast.Attribute):
        found = paths(evaluator, made.call.func.value, made.scope)
        return found if found.alternatives else config_files.path_at(evaluator, made.call.func.value, made.scope)
    return BOTTOM


MODEL = Library(calls=dict.fromkeys(LOADS, (_loaded,)), documents=dict.fromkeys(LOADS, _trees))
