"""Library model of hydra: the config document of `@hydra.main(config_path="conf", config_name="config")`."""

from __future__ import annotations

import ast
import os
from typing import Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import FUNCTIONS, Binding, Scope
from ms_perflint.index.signature import Layer, Signature, positional
from ms_perflint.infer.alternatives import Api, ConfigDocument
from ms_perflint.infer.commandline import ABSENT
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Value
from ms_perflint.resolve import config_documents
from ms_perflint.resolve.config_documents import Entry

MAIN = "hydra.main"
FILE = Signature.named("config_path", "config_name")  # of that decorator
COMPOSED = Signature.named("config_name")
PATHS, NAMES = ("--config-path", "-cp"), ("--config-name", "-cn")  # options that come before the decorator
DEFAULTS = "defaults"  # key that names the files from which groups of settings come
OWN = "_self_"  # the file itself, in that list


def _given(evaluator: Evaluator, binding: Binding, function: Scope) -> Optional[Value]:
    """Return the value of a parameter by the hydra decorator of its function; None without one."""
    if not isinstance(function.node, FUNCTIONS) or function.parent is None:
        return None
    if positional(function)[:1] != [binding.node]:
        return None
    for decorator in function.node.decorator_list:
        if isinstance(decorator, ast.Call):
            callee = evaluator.value(decorator.func, function.parent)
            if any(known.api == MAIN for known in callee.alternatives):
                return _loaded(evaluator, decorator, function.parent)
    return None


def _loaded(evaluator: Evaluator, decorator: ast.Call, scope: Scope) -> Value:
    """Return the config document that a decorator names, composed with its groups."""
    folder, name = (_text(evaluator, decorator, each, scope) for each in FILE.slots)
    return _whole(evaluator, _asked(evaluator, PATHS, folder), _asked(evaluator, NAMES, name), scope)


def _compose(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the config document of `compose(config_name="config")`, in the folder of `initialize`."""
    sites = [site for site in scope.module.by_word.get("initialize", ()) if isinstance(site.node, ast.Call)]
    if len(sites) != 1 or len(node.args) > 1 or any(word.arg != "config_name" for word in node.keywords):
        return TOP
    return _whole(
        evaluator,
        _text(evaluator, sites[0].call, "config_path", sites[0].scope),
        _text(evaluator, node, "config_name", scope, COMPOSED),
        scope,
    )


def _whole(evaluator: Evaluator, folder: str, name: str, scope: Scope) -> Value:
    """Return the config document of a name in a folder, composed with its groups."""
    if not name:
        return TOP
    directory = os.path.normpath(os.path.join(scope.module.directory, folder or ""))
    tree = _tree(evaluator, directory, name, scope)
    whole = _composed(evaluator, tree, directory, scope) if tree is not None else None
    if whole is None:
        return TOP
    groups = _groups(tree)
    overrides = evaluator.program.overrides()
    whole = whole._replace(given=tuple((key, text) for key, text, _ in overrides))
    entry = Entry(whole.data, whole.path, whole.line, 1, whole.open)
    for key, text, place in overrides:
        entry = config_documents.overridden(entry, key, text, place) if key not in groups else entry
    whole = whole._replace(data=entry.data)
    return Value((Alternative(whole, Place(whole.path, 1, 1)),))


def _asked(evaluator: Evaluator, flags: tuple[str, ...], otherwise: str) -> str:
    """Return the value that all launchers pass for an option of hydra, else that of the decorator."""
    texts = {each.text for each in evaluator.program.given(flags) if each is not None and each != ABSENT}
    return texts.pop() or "" if len(texts) == 1 else otherwise


def _groups(tree: Optional[ConfigDocument]) -> set[object]:
    """Return the config groups in the list of defaults whose file a run may replace."""
    listed = tree.data.get(DEFAULTS) if tree is not None and isinstance(tree.data, dict) else None
    each = listed.data if listed is not None and isinstance(listed.data, list) else []
    return {group for entry in each if isinstance(entry.data, dict) for group in entry.data}


def _text(evaluator: Evaluator, call: ast.Call, name: str, scope: Scope, signature: Signature = FILE) -> str:
    constants = evaluator.passed(signature.bind(Layer(call, scope)).of(name), BOTTOM).constants
    return constants[0] if len(constants) == 1 and isinstance(constants[0], str) else ""


def _tree(evaluator: Evaluator, directory: str, name: str, scope: Scope) -> Optional[ConfigDocument]:
    file = name if name.endswith((".yaml", ".yml")) else f"{name}.yaml"
    return evaluator.program.config_document(os.path.join(directory, file), scope.module)


def _composed(evaluator: Evaluator, tree: ConfigDocument, directory: str, scope: Scope) -> Optional[ConfigDocument]:
    """Return a document composed with the groups of its list; None where a file of the list may replace any key."""
    if not isinstance(tree.data, dict) or DEFAULTS not in tree.data:
        return tree
    listed = tree.data[DEFAULTS].data
    data = {key: entry for key, entry in tree.data.items() if key != DEFAULTS}
    is_open = tree.open
    chosen = {key: (text, place) for key, text, place in evaluator.program.overrides()}
    for each in listed if isinstance(listed, list) else []:
        if each.data == OWN:
            continue
        if not isinstance(each.data, dict) or len(each.data) != 1:
            return None
        ((group, option),) = each.data.items()
        if not isinstance(group, str) or not group.replace("_", "").isalnum():
            return None  # `override group`, `group@package`
        if group in chosen:
            option = option._replace(data=chosen[group][0])
        found = _group(evaluator, directory, group, option, scope)
        if found is None or group in data:
            is_open = True
            data.pop(group, None)
        else:
            data[group] = found
    return tree._replace(data=data, open=is_open)


def _group(evaluator: Evaluator, directory: str, group: str, option: Entry, scope: Scope) -> Optional[Entry]:
    """Return the settings of a config group; None where its file is missing, or has another package."""
    tree = _tree(evaluator, os.path.join(directory, group), str(option.data), scope)
    if tree is None or DEFAULTS in (tree.data or {}) or evaluator.program.project.contains(tree.path, "@package"):
        return None
    return Entry(tree.data, tree.path, 1, 1, tree.open)


MODEL = Library(calls={"hydra.compose": (_compose,)}, parameters=(_given,))
