"""The kinds of alternatives that hold settings or elements, one class each: objects, displays, options, documents."""

from __future__ import annotations

import ast
from typing import Optional, TypeVar, Union

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held, Layer
from ms_perflint.infer import attribute_writes, bases, calls, configs, lists, mappings, members, sequences, tables
from ms_perflint.infer.alternatives import Api, ConfigDocument, Constant, Display, Instance, Options
from ms_perflint.infer.evaluator import Evaluator, Kind
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Value, join
from ms_perflint.resolve import config_documents

T = TypeVar("T")
DICT_METHODS = frozenset({"update", "setdefault", "copy", "clone"})  # and those whose results libraries know
ENTRIES = 50  # of a list in a file: what a longer one holds is open


class Settings(Kind[T]):
    """Objects with settings under names, and methods of a dict."""

    def method(self, name: str, node: ast.expr, scope: Scope) -> Optional[Value]:
        """Return a method of a dict; None where it has none of this name."""
        is_method = name in DICT_METHODS or f".{name}" in self.evaluator.libraries.calls
        return self.evaluator.known(Api(f"builtins.dict.{name}", self.known), node, scope) if is_method else None

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
        if name == "__dict__":
            return Value((self.known,))
        found = self.item(name)
        return found if found.alternatives else self.method(name, node, scope) or found


class OfInstance(Settings[Instance]):
    """Objects that calls create, and `self`."""

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
        if name == "__dict__":
            return Value((self.known,))
        if name == "__class__" and isinstance(self.what.type, Scope):
            return Value((Alternative(self.what.type, self.known.where, self.known.by_default),))
        enum = bases.member(self.evaluator, self.what, name)
        found = enum or self.evaluator.libraries.field(self.evaluator, self.known, name)
        if found is not None:
            return found
        if isinstance(self.what.type, Scope):
            method = self.method(name, node, scope) if scope.module.calls(node) else None
            if method and self._is_mapping and bases.method(self.evaluator, self.what.type, name) is None:
                return method
            return members.of_object(self.evaluator, self.known, name, node, scope)
        made = self._made_by_type(name)
        if made is not None:
            return made
        if self.known.type_api == "builtins.super":
            return members.above(self.evaluator, self.what, name, node, scope)
        setting = members.setting(self.evaluator, self.known, name, node, scope)
        if setting.alternatives:
            return setting
        return members.outside(self.evaluator, self.known.type_api, name, self.known, node, scope)

    def _made_by_type(self, name: str) -> Optional[Value]:
        """Return a member of `type("Name", bases, members)`, or of an object of it; None where it has none of it."""
        for known in (self.known, self.known.origin):
            made = known.creation if known is not None and known.type_api == "builtins.type" else None
            if made is None or len(made.call.args) != 3:
                continue
            found = self.evaluator.read(Held(made.call.args[2], made.scope, taken=(name,)))
            functions = (each.definition for each in found.alternatives if each.definition is not None)
            is_method = known is not self.known and not all(each.name for each in functions)  # of a lambda
            return TOP if is_method else found if found.alternatives else None
        return None

    def item(self, key: object) -> Value:
        made = self.known.creation
        word = self.evaluator.known(Constant(key), made.call, made.scope) if made is not None else None
        layer = made._replace(row=(Held(made.call, made.scope, word),), is_word=True) if made is not None else None
        found = bases.member(self.evaluator, self.what, key) or self.evaluator.operated(
            self.known, "__getitem__", layer
        )
        if found is not None:
            return found
        special = self.evaluator.libraries.subscripted(self.known.type_api)
        if special is not None:
            return special(self.evaluator, self.known, key)
        if self.what.node is None or not isinstance(key, str):
            return (
                self.evaluator.libraries.field(self.evaluator, self.known, key) if type(key) is int else None
            ) or TOP
        if self._is_mapping:
            own = members.updated(self.evaluator, self.known, self.what, key)
            if own.alternatives:
                return own
        field = self.evaluator.libraries.field(self.evaluator, self.known, key)
        setting = field if field is not None else configs.setting(self.evaluator, self.known, key)
        if setting.alternatives or self.known.cls is None:
            return setting
        return members.of_class(self.evaluator, self.known.cls, key, self.known, self.what.node, self.what.scope)

    def elements(self) -> Value:
        if isinstance(self.what.type, Scope):
            return _iterated(self.evaluator, self.known)
        if self.what.node is None or self.known.type_api not in self.evaluator.libraries.rows:
            return TOP
        shown = (each for each in self.what.node.args if not isinstance(each, ast.Starred))
        given = [self.evaluator.value(each, self.what.scope) for each in shown]
        rows = (each for each in given if each.are(lambda known: known.is_display))
        first = next(rows, None)
        rest = [*given, TOP] if self.what.node.args else []
        held = [lists.each(self.evaluator, first)] if first is not None else rest
        held.extend(lists.added(self.evaluator, self.what))
        return join(held) if held else TOP

    def call(self, layer: Layer) -> Value:
        value = self.evaluator.operated(self.known, "__call__", layer)
        if value is None and layer.row is None:
            value = bases.called(self.evaluator, self.what, layer.call, layer.scope)
            name = f"{self.known.type_api}()"
            for handler in self.evaluator.libraries.calls.get(name, ()) if value is None else ():
                value = handler(self.evaluator, Api(name, self.known), layer.call, layer.scope)
        if value is None and self.known.type_api == "builtins.type" and len(self.what.node.args) == 1:  # type: ignore[union-attr]
            return TOP  # `type(number)(text)`
        return value if value is not None else calls.made(self.evaluator, Api("", self.known), layer)

    @property
    def _is_mapping(self) -> bool:
        """Return whether its class derives from dict, so that it has items, too."""
        return self.known.cls is not None and bases.is_mapping(self.evaluator, self.known.cls)

    def contains(self, key: object) -> Optional[bool]:
        if self.what.node is None:
            return None
        is_field = self.evaluator.libraries.has_field(self.evaluator, self.known, key)
        is_held = is_field if is_field is not None else configs.holds(self.evaluator, self.known, key)
        if is_held is not None or not self._is_mapping:
            return is_held
        value = self.item(key)  # that its constructor stores
        is_there = bool(value.alternatives) and not value.open and isinstance(key, str)
        is_taken = is_there and tables.is_taken_from(self.evaluator, self.known, key)
        return True if is_there and not is_taken else None


@query(bottom=BOTTOM, top=TOP)
def _iterated(evaluator: Evaluator, known: Alternative) -> Value:
    """Return the elements of an iteration over an object of a class of the project."""
    made = evaluator.operated(known, "__iter__")
    if made is not None and all(each.what != known.what for each in made.alternatives):
        return lists.each(evaluator, made)
    return evaluator.operated(known, "__next__" if made is not None else "__getitem__") or TOP


class OfDisplay(Settings[Display]):
    """Lists, tuples, sets, dicts and comprehensions."""

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
        method = self.method(name, node, scope) if self.known.is_mapping else None
        if method is not None:
            return method
        if name == "__dict__" and self.known.is_mapping:
            return Value((self.known,))
        if (name in sequences.TAKES or name == "index") and not self.known.is_mapping:
            return self.evaluator.known(Api(f"builtins.list.{name}", self.known), node, scope)
        found = self.item(name)
        is_shown = mappings.shown(self.evaluator, self.what, name) is not False  # else it was stored in it later
        return found.as_setting() if is_shown or not self.known.is_mapping else found  # of an `EasyDict`

    def item(self, key: object) -> Value:
        if self.known.is_mapping:
            return mappings.entry(self.evaluator, self.what, key)
        copied = sequences.copied(self.evaluator, self.known)
        if copied is not None:
            return join(self.evaluator.item(each, key) for each in copied)
        return sequences.item(self.evaluator, self.known, key) if isinstance(key, int) else TOP

    def elements(self) -> Value:
        if not self.known.is_mapping:
            return lists.elements(self.evaluator, self.what)
        keys = tables.view(self.evaluator, self.known, "keys")
        return lists.each(self.evaluator, keys) if keys is not None else TOP

    def contains(self, key: object) -> Optional[bool]:
        return attribute_writes.has(self.evaluator, self.known, key) if self.known.is_mapping else None


class OfOptions(Settings[Options]):
    """Results of command-line parsers."""

    def item(self, key: object) -> Value:
        found = self.evaluator.libraries.option(self.evaluator, self.what, key) if isinstance(key, str) else TOP
        given = self.what.namespace
        is_own = given is None or given.are_only(lambda known: self.evaluator.holds(known, key) is False)
        return found if is_own else found._replace(open=True)

    def contains(self, key: object) -> Optional[bool]:
        parser = self.what.parser
        return self.evaluator.libraries.has_option(self.evaluator, parser, key) if isinstance(key, str) else None


class OfConfigDocument(Settings[ConfigDocument]):
    """Mappings and lists in config documents."""

    def item(self, key: object) -> Value:
        tree = self.what
        if tree.documents and isinstance(key, int):
            return self._document(key)
        entry = config_documents.child(tree.data, key)
        if entry is None or entry.data is config_documents.UNKNOWN:
            return TOP
        held: Union[Constant, ConfigDocument] = Constant(entry.data)
        if isinstance(entry.data, (dict, list)):
            keys, is_open = (*tree.keys, key), tree.open or entry.open
            held = ConfigDocument(tree.path, entry.data, entry.line, keys, is_open, given=tree.given)
        place = Place(entry.path, entry.line, entry.column)
        return Value((Alternative(held, place, self.known.by_default),), False, True)

    def _document(self, position: int) -> Value:
        """Return one document of a file that is read as a stream of documents."""
        tree, count = self.what, len(self.what.documents)
        if not -count <= position < count:
            return TOP
        entry, position = tree.documents[position], position % count
        if position and entry.data is config_documents.UNKNOWN:
            return TOP
        data = entry.data if position else tree.data  # the first is laid over the files below it
        document = ConfigDocument(tree.path, data, entry.line, open=tree.open, document=position)
        return Value((Alternative(document, Place(entry.path, entry.line, 1), self.known.by_default),))

    def elements(self) -> Value:
        data = self.what.data
        count = len(self.what.documents) or (len(data) if isinstance(data, list) else None)
        return join(map(self.item, range(count))) if count is not None and count <= ENTRIES else TOP

    def contains(self, key: object) -> Optional[bool]:
        if not isinstance(self.what.data, dict):
            return None
        return True if key in self.what.data else None if self.what.open else False
