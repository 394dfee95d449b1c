"""One setting of an object that comes from outside the code: from the command line or from a config file."""

from __future__ import annotations

from typing import Optional

from ms_perflint.core.findings import Place
from ms_perflint.infer import commandline, mappings
from ms_perflint.infer.config_sources import sources
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import (
    DICT,
    TOP,
    Alternative,
    Constant,
    Display,
    Instance,
    Options,
    Tree,
    Value,
    join,
)
from ms_perflint.resolve import config_documents


def lookup(evaluator: Evaluator, holder: Alternative, name: object) -> Value:
    """Return what a key of a tree, or an option of a parser, is."""
    what = holder.what
    if name == "__dict__":
        return Value((holder,))
    if isinstance(what, Tree):
        return _leaf(what, name, holder)
    if isinstance(what, Options) and isinstance(name, str):
        return evaluator.libraries.option(evaluator, what.parser, name)
    return TOP


def _leaf(tree: Tree, name: object, holder: Alternative) -> Value:
    if tree.documents and isinstance(name, int):
        return _document(tree, name, holder)
    entry = config_documents.child(tree.data, name)
    if entry is None or entry.data is config_documents.UNKNOWN:
        return TOP
    place = Place(entry.path, entry.line, entry.column)
    if isinstance(entry.data, (dict, list)):
        below = Tree(tree.path, entry.data, entry.line, (*tree.keys, name), tree.open or entry.open, given=tree.given)
        return Value((Alternative(below, place, holder.by_default),), False, True)
    return Value((Alternative(Constant(entry.data), place, holder.by_default),), False, True)


def _document(tree: Tree, position: int, holder: Alternative) -> Value:
    """Return one document of a file that is read as a stream of them."""
    count = len(tree.documents)
    if not -count <= position < count:
        return TOP
    entry, position = tree.documents[position], position % count
    if position and entry.data is config_documents.UNKNOWN:
        return TOP
    data = entry.data if position else tree.data  # the first is laid over the files below it
    what = Tree(tree.path, data, entry.line, open=tree.open, document=position)
    return Value((Alternative(what, Place(entry.path, entry.line, 1), holder.by_default),))


def holds(evaluator: Evaluator, holder: Alternative, name: object) -> Optional[bool]:
    """Return whether an object has a setting; None where that is not known, also of objects that hold no settings."""
    what = holder.what
    if isinstance(what, Tree) and isinstance(what.data, dict):
        return True if name in what.data else None if what.open else False
    if isinstance(what, Options) and isinstance(name, str):
        return evaluator.libraries.has_option(evaluator, what.parser, name)
    if isinstance(what, Display) and what.kind == DICT:
        return any(mappings.said(evaluator, key) == name for key in what.keys if key is not None) or None
    if isinstance(what, Instance) and what.node is not None:
        if (is_field := evaluator.libraries.has_field(evaluator, holder, name)) is not None:
            return is_field
        found = sources(evaluator, what.node, what.scope)
        answers = {holds(evaluator, source, name) if source.by_default else None for source in found}
        return True if True in answers else False if answers == {False} else None
    return None


@query
def setting(evaluator: Evaluator, known: Alternative, name: str) -> Value:
    """Return a member of an object that project code or a library made of options or of a config file."""
    made, special = known.creation, evaluator.libraries.settings.get(known.type_api)
    if made is None or special is not None:
        return special(evaluator, known, name) if special is not None else TOP
    found = sources(evaluator, made.call, made.scope)
    in_files, on_line = (_looked_up(evaluator, found, kind, name) for kind in (Tree, Options))
    if not in_files.alternatives:
        return on_line if on_line.alternatives else TOP
    is_option = any(isinstance(source.what, Options) for source in found)  # the program makes options of its keys
    value = commandline.named(evaluator.program, name, in_files) if is_option else in_files
    defaults = {known.what for known in on_line.by_default} - {Constant(None)}
    if defaults - {known.what for known in in_files.alternatives}:
        return join([value, on_line])  # which of the two comes last is not known
    return value


def _looked_up(evaluator: Evaluator, found: tuple[Alternative, ...], kind: type, name: str) -> Value:
    """Return what the sources of one kind say of a setting."""
    values = [lookup(evaluator, source, name) for source in found if isinstance(source.what, kind)]
    return join([value for value in values if value.alternatives])
