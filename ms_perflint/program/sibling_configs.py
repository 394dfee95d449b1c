"""Config files of which a command has to name one: each is a run configuration."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Container, Iterator
from functools import cache

from ms_perflint.core.findings import Place
from ms_perflint.index.reachability import BY_DEFAULT, path_condition
from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer import config_files
from ms_perflint.infer.commandline import Given
from ms_perflint.libraries import documents
from ms_perflint.program.arguments import Argument, declared
from ms_perflint.program.program import Program
from ms_perflint.program.run_configurations import RunConfiguration

FOLDERS = ("configs", "config", "conf", "cfgs", "cfg", "options", "yaml")  # beside the entry script, and above it
KINDS = ("*.yaml", "*.yml")
OTHERS = frozenset({"environment.yml", "environment.yaml", "mkdocs.yml", "docker-compose.yml"})  # of tools
NAMED = r"(?i).*(?:conf|cfg|ya?ml|opt\b)"  # names of options that may be about such files
FITTING = 0.5  # of them have to stand there


def runs(program: Program) -> Iterator[RunConfiguration]:
    """Yield the run configurations of the config files of a program that requires one."""
    options = _options(program)
    files = tuple(_files(program)) if options else ()
    if not files:
        return
    asked = (each for each in options if _is_always_passed(program, each) or _stops_without(program, files[0][1]))
    option = next(asked, None)
    if option is None:
        return
    for base, path in files:
        place = Place(path, 1, 1)
        given = dict.fromkeys(option.flags, Given(path, False, place))
        yield RunConfiguration(os.path.relpath(path, base), place, given, is_rest_open=True)


def _options(program: Program) -> list[Argument]:
    """Return the options that name a config file: a required one, else those that are empty by default."""
    found = [each for each in declared(program).arguments if any(re.match(NAMED, flag) for flag in each.flags)]
    return [each for each in found if each.is_needed][:1] or [each for each in found if each.is_empty]


def _is_always_passed(program: Program, option: Argument) -> bool:
    """Return whether a program needs an option, or each of its launchers passes it a text that is not known."""
    passed = [start.given(option.flags) for start in program.commands.starts]
    return option.is_needed or (bool(passed) and all(each is not None and each.text is None for each in passed))


# --- programs whose parser does not ask for the file that they need


def _stops_without(program: Program, path: str) -> bool:
    """Return whether a program ends in an error without a config file."""
    return _loads_none(program) or _refuses_none(program) or _reads_more(program, path)


def _refuses_none(program: Program) -> bool:
    """Return whether a program loads a file under a test, and fails without it, as by default."""
    for word in program.evaluator.libraries.loaders:
        for site in program.sites(word):
            needed = [each for each in path_condition(site.block) if each.is_required]
            if needed and site.scope.owner in program.reached:
                fails = (program.value(each.test, each.scope).default_truth is (not each.result) for each in needed)
                if any(fails) and not program.evaluator.libraries.documents.keys().isdisjoint(program.apis(site)):
                    return True
    return False


def _loads_none(program: Program) -> bool:
    """Return whether a program loads a file without a name by default."""
    for call in program.calls(*sorted(program.evaluator.libraries.documents)):
        if call.node.args and program.evaluator.reachability(call.block) == BY_DEFAULT:
            paths = documents.paths(program.evaluator, call.node.args[0], call.scope)
            names_file = any(_names_file(known.constant) for known in paths.by_default)
            if paths.by_default and not paths.open and not names_file:
                return True
    return False


def _names_file(path: object) -> bool:
    """Return whether a path may be that of a file: not "", `realpath("")` or `join(root, "")`."""
    return path is not None and os.path.basename(str(path)) not in ("", ".")


def _reads_more(program: Program, path: str) -> bool:
    """Return whether a program reads an undeclared key of its options, which a config file has."""
    entry = program.config(path)
    options = frozenset(name for each in declared(program).arguments for name in each.names)
    keys = {key for key in entry.data if isinstance(key, str)} - options if entry is not None else set()
    scopes = (scope for module in program.modules for scope in module.scopes if scope in program.reached)
    for scope in scopes if keys else ():
        if not (keys.isdisjoint(scope.attrs) or options.isdisjoint(scope.attrs)):
            read = list(_members(scope, keys | options))
            held = {name for name, node in read if node.attr in options and program.value(node, scope).by_default}
            for name, node in read:
                if node.attr in keys and name in held and not program.value(node, scope).alternatives:
                    return True
    return False


def _members(scope: Scope, words: Container[str]) -> Iterator[tuple[str, ast.Attribute]]:
    """Yield the `x.word` in a function, with `x`."""
    for node in ast.walk(scope.node):
        is_read = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in words
        if is_read and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield node.value.id, node


# --- the files


def _files(program: Program) -> Iterator[tuple[str, str]]:
    """Yield the config files in the nearest folder with fitting ones, and the folder from which they are named.

    Those that others include are parts.
    """

    @cache  # the keys of one file are mostly those of the next one
    def stands(key: str) -> bool:
        return any(program.project.contains_any(path, (key,)) for path in program.files)

    for base, inside in _folders(program):
        paths = [path for path in inside if _fits(program, path, stands)]
        if paths:
            parts = {part for path in paths for part in config_files.below(program, path)}
            yield from ((base, path) for path in paths if path not in parts)
            return


def _folders(program: Program) -> Iterator[tuple[str, list[str]]]:
    """Yield the YAML files of each folder for config files, and the folder from which they are named, nearest first.

    The folder of the entry script is one itself, behind those beside the script.
    """
    for base, inside in _homes(program):
        for folder in sorted(program.project.files.named(inside, *FOLDERS)):
            home = os.path.join(inside, folder)
            names = program.project.files.named(home, *(f"**/{kind}" for kind in KINDS))
            if names:
                yield base, [os.path.join(home, name) for name in sorted(names)]
        if inside == os.path.dirname(program.entry):
            beside = program.project.files.named(inside, *KINDS).difference(OTHERS)
            yield base, [os.path.join(inside, name) for name in sorted(beside)]


def _homes(program: Program) -> Iterator[tuple[str, str]]:
    """Yield the folders that may hold config files, the nearest first, and the folders from which they are named.

    Behind those above the entry script come those of the packages that it imports, and those around them.
    """
    above = program.project.ancestors(os.path.dirname(program.entry))
    yield from ((base, base) for base in above)
    around = (program.project.ancestors(folder) for folder in {os.path.dirname(path) for path in program.files})
    inside = {folder for folders in around for folder in folders if folder.startswith(os.path.join(above[-1], ""))}
    for folder in sorted(inside.difference(above), key=lambda each: (each.count(os.sep), each)):
        base = next((base for base in above if folder.startswith(os.path.join(base, ""))), folder)
        yield base, folder


def _fits(program: Program, path: str, stands: Callable[[str], bool]) -> bool:
    """Return whether a file is a mapping most of whose keys are texts or names in the code of a program."""
    documents = program.project.documents(path)
    data = documents[0].data if documents else None
    keys = [key for key in data if isinstance(key, str)] if isinstance(data, dict) else []
    return bool(keys) and sum(map(stands, keys)) >= FITTING * len(keys)


def loads(program: Program) -> bool:
    """Return whether a program loads the config file of its run configuration."""
    path = program.run.place.path if program.run is not None else ""
    calls = program.calls(*sorted(program.evaluator.libraries.documents))
    return any(known.document == path for call in calls for known in program.value(call.node, call.scope).alternatives)
