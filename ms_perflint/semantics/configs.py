"""One setting of an object that comes from outside the code: from the command line or from a config file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms_perflint.findings import Place
from ms_perflint.semantics import commandline, trees
from ms_perflint.semantics.options import option
from ms_perflint.semantics.sources import sources
from ms_perflint.semantics.values import OPEN, Constant, Instance, Known, Options, Tree, Value, union

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluate import Evaluator


def lookup(evaluator: Evaluator, holder: Known, name: object) -> Value:
    """Return what a key of a tree, or an option of a parser, is."""
    what = holder.what
    if isinstance(what, Tree):
        return _leaf(what, name, holder.usual)
    if isinstance(what, Options) and isinstance(name, str):
        return option(evaluator, what, name)
    return OPEN


def _leaf(tree: Tree, name: object, usual: bool) -> Value:
    entry = trees.child(tree.data, name)
    if entry is None:
        return OPEN
    place = Place(tree.path, entry.line, entry.column)
    if isinstance(entry.data, (dict, list)):
        return Value((Known(Tree(tree.path, entry.data, entry.line, (*tree.keys, name)), place, usual),), False, True)
    return Value((Known(Constant(entry.data), place, usual),), False, True)


def setting(evaluator: Evaluator, instance: Instance, name: str) -> Value:
    """Return a member of an object that project code or a library made of options or of a config file."""
    if instance.node is None:
        return OPEN
    found = sources(evaluator, instance.node, instance.scope)
    for kind in (Tree, Options):
        values = [lookup(evaluator, source, name) for source in found if isinstance(source.what, kind)]
        values = [value for value in values if value.known]
        if values:
            return _launched(evaluator, found, name, union(values)) if kind is Tree else union(values)
    return OPEN


def _launched(evaluator: Evaluator, found: tuple[Known, ...], name: str, value: Value) -> Value:
    """Return a key of a config file, of which the program makes an option, as launchers give that option."""
    if len(value.constants) != 1 or not any(isinstance(source.what, Options) for source in found):
        return value
    given = evaluator.program.given((f"--{name}", f"--{name.replace('_', '-')}"))
    return commandline.overridden(value, given, commandline.like(value.constants[0]))
