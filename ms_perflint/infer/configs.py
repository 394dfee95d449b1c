"""One setting of an object that comes from outside the code: from the command line or from a config file."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.findings import Place
from ms_perflint.semantics.evaluator import Evaluator
from ms_perflint.semantics.queries import query
from ms_perflint.semantics.settings import commandline, trees
from ms_perflint.semantics.settings.sources import sources
from ms_perflint.semantics.values import (
    NO_CONSTANT,
    OPEN,
    Api,
    Constant,
    Display,
    Instance,
    Known,
    Options,
    Tree,
    Value,
    union,
)


def lookup(evaluator: Evaluator, holder: Known, name: object) -> Value:
    """Return what a key of a tree, or an option of a parser, is."""
    what = holder.what
    if name == "__dict__":
        return Value((holder,))
    if isinstance(what, Tree):
        return _leaf(what, name, holder)
    if isinstance(what, Options) and isinstance(name, str):
        return evaluator.libraries.option(evaluator, what, name)
    return OPEN


def _leaf(tree: Tree, name: object, holder: Known) -> Value:
    if tree.documents and isinstance(name, int):
        return _document(tree, name, holder)
    entry = trees.child(tree.data, name)
    if entry is None or entry.data is trees.UNKNOWN:
        return OPEN
    place = Place(entry.path, entry.line, entry.column)
    if isinstance(entry.data, (dict, list)):
        below = Tree(tree.path, entry.data, entry.line, (*tree.keys, name), tree.open or entry.open)
        return Value((Known(below, place, holder.usual),), False, True)
    return Value((Known(Constant(entry.data), place, holder.usual),), False, True)


def _document(tree: Tree, position: int, holder: Known) -> Value:
    """Return one document of a file that is read as a stream of them."""
    count = len(tree.documents)
    if not -count <= position < count:
        return OPEN
    entry, position = tree.documents[position], position % count
    if position and entry.data is trees.UNKNOWN:
        return OPEN
    data = entry.data if position else tree.data  # the first is laid over the files below it
    what = Tree(tree.path, data, entry.line, open=tree.open, document=position)
    return Value((Known(what, Place(entry.path, entry.line, 1), holder.usual),))


def holds(evaluator: Evaluator, holder: Known, name: object) -> Optional[bool]:
    """Return whether an object has a setting; None where that is not known, also of objects that hold no settings."""
    what = holder.what
    if isinstance(what, Tree) and isinstance(what.data, dict):
        return True if name in what.data else None if what.open else False
    if isinstance(what, Options) and isinstance(name, str):
        return evaluator.libraries.has_option(evaluator, what, name)
    if isinstance(what, Display) and isinstance(what.node, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else NO_CONSTANT for key in what.node.keys]
        return True if name in keys else None
    if isinstance(what, Instance) and what.node is not None:
        if (is_field := evaluator.libraries.has_field(evaluator, holder, name)) is not None:
            return is_field
        found = sources(evaluator, what.node, what.scope)
        answers = {holds(evaluator, source, name) if source.usual else None for source in found}
        return True if True in answers else False if answers == {False} else None
    return None


@query
def setting(evaluator: Evaluator, instance: Instance, name: str) -> Value:
    """Return a member of an object that project code or a library made of options or of a config file."""
    if instance.node is None:
        return OPEN
    special = evaluator.libraries.settings.get(instance.type.name) if isinstance(instance.type, Api) else None
    if special is not None:
        return special(evaluator, instance, name)
    found = sources(evaluator, instance.node, instance.scope)
    in_files, on_line = (_looked_up(evaluator, found, kind, name) for kind in (Tree, Options))
    if not in_files.known:
        return on_line if on_line.known else OPEN
    is_option = any(isinstance(source.what, Options) for source in found)  # the program makes options of its keys
    value = commandline.named(evaluator.program, name, in_files) if is_option else in_files
    defaults = {known.what for known in on_line.usual} - {Constant(None)}
    if defaults - {known.what for known in in_files.known}:
        return union([value, on_line])  # nobody knows which of the two has the last word
    return value


def _looked_up(evaluator: Evaluator, found: tuple[Known, ...], kind: type, name: str) -> Value:
    """Return what the sources of one kind say of a setting."""
    values = [lookup(evaluator, source, name) for source in found if isinstance(source.what, kind)]
    return union([value for value in values if value.known])
