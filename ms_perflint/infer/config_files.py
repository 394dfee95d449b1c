"""Config files that a program loads by a known path, merged with the files that they are based on."""

from __future__ import annotations

import ast
import os
from typing import Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import FUNCTIONS, Scope, Site
from ms_perflint.index.syntax_forms import given, word_of
from ms_perflint.infer import commandline, parameters
from ms_perflint.infer.database import Files
from ms_perflint.infer.entered_once import entered_once, runs_once_in_call
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import TOP, Alternative, Value, join
from ms_perflint.resolve import config_documents

BASES = ("_BASE_", "__BASE__", "_base_", "__base__", "BASE", "base_config")  # keys that name the files below a file
YAML = {".yaml": ".yml", ".yml": ".yaml"}
# calls that give the path which they are given
SAME_PATH = frozenset({"realpath", "abspath", "normpath", "expanduser", "fspath", "str", "Path"})
FILES = 10  # files in one chain of bases


# --- loading


def named(evaluator: Evaluator, node: ast.Call, scope: Scope) -> tuple[Alternative, ...]:
    """Return the config documents whose paths a call passes to a library: `load_config("x.yaml")`."""
    found: list[Alternative] = []
    for argument in given(node):
        defaults = evaluator.value(argument, scope).by_default
        if defaults and all(commandline.names_config(known.constant) for known in defaults):
            found.extend(at(evaluator, argument, scope).alternatives)
    return tuple(found)


def path_at(evaluator: Evaluator, node: ast.expr, scope: Scope) -> Value:
    """Return the value of a path.

    In a recursive loader of files that name others, the path is that of the first call.
    """
    value = evaluator.value(node, scope)
    while isinstance(node, ast.Call) and len(node.args) == 1 and word_of(node.func) in SAME_PATH:
        if value.constants and not value.open:
            break
        node = node.args[0]
        value = evaluator.value(node, scope)
    bindings = scope.bindings.get(node.id, []) if isinstance(node, ast.Name) else []
    if not value.open or len(bindings) != 1 or bindings[0].kind != "parameter":
        return value
    function = bindings[0].scope
    callers = evaluator.program.callers(function)
    others = [site for site in callers if site.scope.owner is not function]
    if len(others) == len(callers) or not isinstance(function.node, FUNCTIONS):
        return value
    passed = (parameters.argument(evaluator, bindings[0], site) for site in others)
    return join([evaluator.passed(each, TOP) for each in passed])


def at(evaluator: Evaluator, node: ast.expr, scope: Scope) -> Value:
    """Return the config documents at a path."""
    return trees(evaluator, path_at(evaluator, node, scope), scope)


def trees(evaluator: Evaluator, paths: Value, scope: Scope, is_stream: bool = False) -> Value:
    """Return the config documents at some paths; with `is_stream`, each is a stream of documents."""
    program = evaluator.program
    trees_at = [program.config_document(str(known.constant), scope.module) for known in paths.by_default]
    found = [tree for tree in trees_at if tree is not None]
    if is_stream:
        found = [tree._replace(documents=program.project.documents(tree.path)) for tree in found]
    known = tuple(Alternative(tree, Place(tree.path, 1, 1)) for tree in found)
    return Value(known, paths.open or len(found) != len(trees_at) or not found)


@query(bottom=True, top=True)
def is_loaded_once(evaluator: Evaluator, path: str) -> bool:
    """Return whether a program loads a config file at most once, as far as the calls of loaders show."""
    loaders = (site for word in evaluator.libraries.loaders for site in evaluator.program.sites(word))
    outside = (site for site in loaders if all(k.definition is None for k in evaluator.callees(site).alternatives))
    sites = [site for site in outside if path in _given_by(evaluator, site)]
    if len(sites) != 1 or not runs_once_in_call(sites[0].node, sites[0].scope):
        return not sites

    def leading(function: Scope) -> list[Site]:
        callers = (each for each in evaluator.program.callers(function) if each.scope.owner is not function)
        found = ((each, _given_by(evaluator, each)) for each in callers)
        return [each for each, paths in found if path in paths or not paths]

    last = entered_once(sites[0].scope.owner, leading)[-1]
    return not last.is_function or not leading(last)


def _given_by(evaluator: Evaluator, site: Site) -> frozenset[str]:
    """Return the paths of the config documents that a call gives; none where it may also make something of one."""
    found = evaluator.value(site.node, site.scope).alternatives if isinstance(site.node, ast.Call) else ()
    return frozenset(known.document for known in found if known.document)


# --- finding


def resolve(path: str, module_directory: str, entry_directories: tuple[str, ...]) -> list[str]:
    """Return the files that a relative path may denote.

    It is relative to the entry script, where a program is mostly run, the module, or a directory above the script.
    """
    if os.path.isabs(path):
        return [os.path.normpath(path)]
    bases = (*entry_directories[:1], module_directory, *entry_directories[1:])
    return list(dict.fromkeys(os.path.normpath(os.path.join(base, path)) for base in bases))


def find(program: Files, path: str, directory: str) -> Optional[str]:
    """Return the file that a path in a file of a directory denotes in a program; None without one."""
    found = resolve(path, directory, program.project.ancestors(os.path.dirname(program.entry)))
    return next((each for each in found if program.project.raw(each) is not None), None)


def respelled(path: str) -> list[str]:
    """Return the path of a YAML file with its other suffix: `.yaml`, `.yml`."""
    stem, suffix = os.path.splitext(path)
    return [stem + YAML[suffix]] if suffix in YAML else []


def read(program: Files, path: str) -> Optional[config_documents.Entry]:
    """Return a config document merged with its base files, where the code uses such a key; None without the file."""
    return _chain(program, path, [])


def below(program: Files, path: str) -> tuple[str, ...]:
    """Return the base files of a config file."""
    seen: list[str] = []
    _chain(program, path, seen)
    return tuple(seen[1:])


def _chain(program: Files, path: str, seen: list[str]) -> Optional[config_documents.Entry]:
    seen.append(path)
    documents = program.project.documents(path)
    entry = documents[0] if documents else None
    if entry is None or not isinstance(entry.data, dict):
        return entry
    for key in BASES:
        if key in entry.data and _is_named(program, key):
            own = {name: each for name, each in entry.data.items() if name != key}
            return _based(program, entry._replace(data=own), entry.data[key], seen)
    return entry


def _based(
    program: Files, entry: config_documents.Entry, named: config_documents.Entry, seen: list[str]
) -> config_documents.Entry:
    """Return a mapping merged over the base files that it names, later over earlier ones."""
    below: Optional[config_documents.Entry] = None
    is_open = False
    for each in named.data if isinstance(named.data, list) else [named]:
        if each.data in (None, ""):
            continue
        path = os.path.normpath(os.path.join(os.path.dirname(entry.path), str(each.data)))
        base = _chain(program, path, seen) if path not in seen and len(seen) < FILES else None
        if base is None or not isinstance(base.data, dict):
            is_open = True
        else:
            below = config_documents.merged(below, base) if below is not None else base
    whole = config_documents.merged(below, entry) if below is not None else entry
    return whole._replace(open=whole.open or is_open)


def _is_named(program: Files, key: str) -> bool:
    """Return whether code of the program contains a key as a string literal."""
    return any(program.project.contains(path, quote + key + quote) for path in program.files for quote in "'\"")
