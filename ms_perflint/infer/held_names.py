"""The names of lists, dicts and objects: those that they are given where they are made, and in other files."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from typing import Union

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex, Site
from ms_perflint.index.signature import Layer, Signature
from ms_perflint.index.syntax_forms import text_of, words_in
from ms_perflint.infer.alternatives import ConfigDocument, Display, Instance
from ms_perflint.infer.changes import touching
from ms_perflint.infer.evaluator import Evaluator


def bindings_of(what: Union[Display, Instance]) -> list[Binding]:
    """Return the names and attributes to which a list is given where it is made."""
    if isinstance(what, Display) and what.binding is not None:
        return [what.binding]
    return [*_given_names(what.scope.module, what.scope.owner).get(id(what.node), ())]


def names_of(what: object) -> set[object]:
    """Return the names, attributes and keys that an object is given in the file that makes it.

    Of a part of a config document, and of a copy of a part of a mapping, also the key of that.
    """
    if not isinstance(what, (Display, Instance)):
        return {*what.keys[-1:]} if isinstance(what, ConfigDocument) else set()
    module = what.scope.module
    key = keys_of(module).get(id(what.node))
    names = module.aliases(*(binding.name for binding in bindings_of(what)), *((key,) if key else ()))
    return {*names, *(what.parts[0].taken[-1:] if isinstance(what, Display) and what.parts else ())}


@fact
def _given_names(module: SemanticIndex, owner: Scope) -> dict[int, list[Binding]]:
    """Return the names and attributes that code of a scope binds, by the identity of the node that gives the value."""
    groups = [*owner.bindings.values()]
    if owner.parent is not None and owner.parent.is_class:
        groups.extend(owner.parent.attributes.values())
    found: dict[int, list[Binding]] = {}
    for binding in (each for group in groups for each in group):
        node = binding.value if binding.kind != "augment" else binding.stmt
        found.setdefault(id(node), []).append(binding)
    return found


@fact
def keys_of(module: SemanticIndex) -> dict[int, str]:
    """Return the keys and attributes that lists, dicts and objects are given, by the identity of their nodes.

    By literal dicts, `setdefault`, and stores in other objects.
    """
    dicts = (node for node in module.displays if isinstance(node, ast.Dict))
    found = {id(value): text for node in dicts for key, value in zip(node.keys, node.values) if (text := text_of(key))}
    calls = (site.call.args for site in module.by_word.get("setdefault", ()))
    found.update((id(args[1]), text_of(args[0])) for args in calls if len(args) == 2)
    stores = (each for held in (module.stored, module.deep) for stores in held.values() for each in stores)
    named = (each for each in stores if isinstance(each.node, ast.Attribute) or isinstance(each.value, ast.List))
    found.update((id(each.value), each.name) for each in named if each.whole is not None)
    return found


def held_under(evaluator: Evaluator, what: Display) -> dict[SemanticIndex, set[str]]:
    """Return the names that an object gets where it is made, and in functions to which it is passed, by file."""
    found: dict[SemanticIndex, set[str]] = {}
    todo = bindings_of(what)
    for holder in todo:  # grows on the way
        module = holder.scope.module
        names = module.aliases((words_in(holder.node) or (holder.name,))[-1])
        found.setdefault(module, set()).update(names)
        passed = (change for name in names for change in touching(module).get(name, ()) if change.site is not None)
        for change in passed:
            todo += [each for each in taking(evaluator, change.about, change.site) if each not in todo]  # type: ignore[arg-type]
    return found


def taking(evaluator: Evaluator, node: ast.expr, site: Site) -> Iterator[Binding]:
    """Yield the parameters that get an expression which a call passes."""
    for known in evaluator.callees(site).alternatives:
        function, is_bound = known.definition, known.definition is not known.what
        if function is not None and function.is_class:
            function, is_bound = function.method("__init__"), True
        if function is None or not function.is_function:
            continue
        signature = Signature.of(function, is_bound and function.is_method)
        arguments = signature.bind(*known.prepared, Layer(site.call, site.scope))
        for name in dict.fromkeys((*signature.slots, *signature.words)):
            part = arguments.of(name).part
            if part is not None and part.node is node:
                yield from function.bindings.get(name, ())[:1]


def imported_under(evaluator: Evaluator, what: Display) -> Iterator[tuple[SemanticIndex, set[str]]]:
    """Yield the other files that may change a list or dict of a module, each with the names that it may have there."""
    home = what.scope.module
    for name in (each.name for each in bindings_of(what) if each.scope.parent is None):
        for other in evaluator.program.importing(name, module_names(home)):
            names = other.aliases(name)
            if may_import(other, home, names):
                yield other, names


def may_import(other: SemanticIndex, home: SemanticIndex, names: Iterable[str] = ()) -> bool:
    """Return whether a file may import another one, or one of some names of it."""
    modules = module_names(home)
    if other is home or other.scope.stars or not other.imported.keys().isdisjoint((*names, *modules)):
        return other is not home
    return not _imported_modules(other).isdisjoint(modules)


@fact
def module_names(module: SemanticIndex) -> tuple[str, str]:
    """Return the names under which a file may be imported: its own one, and for a package that of its folder."""
    folder, file = os.path.split(module.path)
    return os.path.splitext(file)[0], os.path.basename(folder)


@fact
def _imported_modules(module: SemanticIndex) -> frozenset[str]:
    """Return the last words of the modules from which a file imports names."""
    stmts = (stmt for several in module.imported.values() for stmt, _ in several if isinstance(stmt, ast.ImportFrom))
    return frozenset((stmt.module or "").rpartition(".")[2] for stmt in stmts)
