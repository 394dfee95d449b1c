"""The kinds of alternatives, one class each: their attributes, items, elements and results of calls."""

from __future__ import annotations

import ast
from pathlib import PurePath
from typing import Any, Optional, TypeVar, Union

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import FUNCTIONS, Scope, SemanticIndex
from ms_perflint.index.signature import Held, Layer, receiver_name
from ms_perflint.index.syntax_forms import is_decorated
from ms_perflint.infer import (
    attribute_writes,
    bases,
    calls,
    computing,
    configs,
    dispatching,
    importing,
    lists,
    mappings,
    members,
    namespaces,
    protocols,
    sequences,
    tables,
)
from ms_perflint.infer.alternatives import Api, Bound, ConfigDocument, Constant, Display, Instance, Member, Options
from ms_perflint.infer.evaluator import Kind, Search
from ms_perflint.infer.values import TOP, Alternative, Value, join
from ms_perflint.resolve import config_documents
from ms_perflint.resolve.resolver import Namespace

T = TypeVar("T")
ASKED = frozenset({"open", "read_text", "exists", "is_file"})  # methods of a path, which may be a text here
DICT_METHODS = frozenset({"update", "setdefault", "copy", "clone"})  # and those whose results libraries know
OWN_ITEMS = frozenset({"__getitem__", "__missing__"})  # methods of a mapping that answer for keys
ENTRIES = 50  # of a list in a file: what a longer one holds is open


class OfConstant(Kind[Constant]):
    """Constants of Python."""

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
        constant = self.known.constant
        if isinstance(constant, PurePath) and name in computing.PARTS_OF_PATH:
            made = Constant(computing.PARTS_OF_PATH[name](constant))
            return Value((Alternative(made, self.known.where, self.known.by_default),))
        is_path = isinstance(constant, (str, PurePath)) and name in ASKED
        return self.evaluator.known(Api(f"pathlib.Path.{name}", self.known), node, scope) if is_path else TOP

    def item(self, key: object) -> Value:
        constant = self.known.constant
        if isinstance(constant, (str, tuple)) and isinstance(key, int) and -len(constant) <= key < len(constant):
            return Value((Alternative(Constant(constant[key]), self.known.where, self.known.by_default),))
        return TOP


class OfMember(Kind[Member]):
    """Members of enumerations."""

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
        own, owner = bases.of_member(self.evaluator, self.what, name, self.known), self.what.owner
        if own is None and isinstance(owner, Scope):
            return members.of_class(self.evaluator, owner, name, self.known, node, scope)
        return own or TOP

    def call(self, layer: Layer) -> Value:
        owner = self.what.owner
        method = bases.method(self.evaluator, owner, "__call__") if isinstance(owner, Scope) else None
        return calls.entered(self.evaluator, method, layer, self.known) if method is not None else TOP


class OfApi(Kind[Api]):
    """Names outside of the project."""

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
        special = self.evaluator.libraries.attributes.get(self.known.api)
        if special is not None:
            return special(self.evaluator, name)
        return members.outside(self.evaluator, self.known.api, name, self.known.receiver, node, scope)

    def item(self, key: object) -> Value:
        special = self.evaluator.libraries.subscripted(self.known.api)
        return special(self.evaluator, self.known, key) if special is not None else TOP

    def call(self, layer: Layer) -> Value:
        reader = self.evaluator.libraries.readers.get(self.what.name)
        is_known = layer.row is not None or self.what.name not in self.evaluator.libraries.calls
        if reader is not None and is_known and len(tuple(layer.args)) == 2 and not layer.keywords:
            return reader(self.evaluator, layer)
        value = self._computed(layer)
        if layer.row is None and (value is None or value == TOP):
            value = self._of_library(layer) or value
        return value if value is not None else calls.made(self.evaluator, self.what, layer)

    def _computed(self, layer: Layer) -> Optional[Value]:
        """Return the result of a pure function on constants, also where `map` calls it; None for others."""
        libraries, name = self.evaluator.libraries, self.what.name
        function, given = libraries.computed.get(name), tuple(layer.args)
        value = None
        if function is not None and given:
            words = layer.keywords
            value = computing.called(self.evaluator, function, given, words, layer.call, layer.scope)
        return TOP if value is None and layer.row is not None and libraries.called(name) else value

    def _of_library(self, layer: Layer) -> Optional[Value]:
        """Return the result of a call by its library model; None where it is an instance."""
        libraries, name = self.evaluator.libraries, self.what.name
        for handler in libraries.called(name):
            value = handler(self.evaluator, self.what, layer.call, layer.scope)
            if value is not None:
                return value
        is_own = libraries.is_mapping(name) and not name.startswith("mindspore.")
        return mappings.called(self.evaluator, layer.call, layer.scope) if is_own else None


class OfScope(Kind[Scope]):
    """Functions and classes of the project."""

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
        if name == "__name__" and self.what.name:
            return self.evaluator.known(Constant(self.what.name), node, scope)
        if not self.what.is_class:
            return TOP
        if name == "__dict__":
            return namespaces.of_class(self.evaluator, self.known, node, scope) or TOP
        enum = bases.member(self.evaluator, self.what, name)
        if enum is not None:
            return enum
        return members.of_class(self.evaluator, self.what, name, None, node, scope, met=self.known)

    def item(self, key: object) -> Value:
        return bases.member(self.evaluator, self.what, key) or TOP

    def elements(self, search: Search, depth: int) -> Value:
        return bases.listed(self.evaluator, self.what) or TOP

    def call(self, layer: Layer) -> Value:
        if not self.what.is_class:
            if is_decorated(self.what.node, *dispatching.DECORATORS):
                return dispatching.called(self.evaluator, self.what, layer)
            return calls.entered(self.evaluator, self.what, layer, None, self.known.outer)
        value = bases.called(self.evaluator, self.what, layer.call, layer.scope) if layer.row is None else None
        if value is None and layer.row is None and self._is_plain_mapping():
            value = mappings.called(self.evaluator, layer.call, layer.scope)
            if value is not None and "__getattr__" in self.what.bindings and len(layer.call.args) == 1:
                held = Held(layer.call.args[0], layer.scope)  # no plain dict, even of a literal
                value = mappings.laid(self.evaluator, layer.call, [(None, held)], layer.scope)
        if value is None and protocols.is_kept(self.evaluator, self.what):
            return self.evaluator.known(Instance(self.what, None, self.what), layer.call, layer.scope)
        return value if value is not None else calls.made(self.evaluator, self.what, layer)

    def _is_plain_mapping(self) -> bool:
        """Return whether a class is a dict whose keys are attributes, without members of its own."""
        cls = self.what
        above = cls.node.bases if isinstance(cls.node, ast.ClassDef) else []
        init = cls.method("__init__")
        is_plain = len(above) == 1 and all(name.startswith("__") and name not in OWN_ITEMS for name in cls.bindings)
        is_plain = is_plain and (init is None or _is_own_dict(init))
        setters = (cls.method(name) for name in ("__setitem__", "__setattr__"))
        is_plain = is_plain and all(each is None or protocols.puts_as_given(each, 1) for each in setters)
        if not is_plain or cls.parent is None:
            return False
        found = self.evaluator.value(above[0], cls.parent).alternatives
        return bool(found) and all(self.evaluator.libraries.is_mapping(each.api) for each in found)


def _is_own_dict(init: Scope) -> bool:
    """Return whether a constructor forwards its arguments, and makes items attributes: `self.__dict__ = self`."""
    assert isinstance(init.node, FUNCTIONS) and init.parent is not None
    args, stores = init.node.args, init.parent.attributes.get("__dict__", ())
    is_same = len(stores) == 1 and isinstance(stores[0].value, ast.Name) and stores[0].value.id == receiver_name(init)
    passes_parameters_on = len(args.args) == 1 and args.vararg is not None and args.kwarg is not None
    is_above = {"__init__", "super"} >= {site.word for site in init.calls} >= {"__init__"}
    return is_same and passes_parameters_on and is_above and len(init.node.body) == 2


class Settings(Kind[T]):
    """Objects with settings under names, and methods of a dict."""

    def method(self, name: str, node: ast.expr, scope: Scope) -> Optional[Value]:
        """Return a method of a dict; None where it has none of this name."""
        is_method = name in DICT_METHODS or f".{name}" in self.evaluator.libraries.calls
        return self.evaluator.known(Api(f"builtins.dict.{name}", self.known), node, scope) if is_method else None

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
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

    def elements(self, search: Search, depth: int) -> Value:
        enum = bases.listed(self.evaluator, self.what)
        if enum is not None:
            return enum
        if isinstance(self.what.type, Scope):
            return self._iterated(search, depth) if depth < lists.NESTED else TOP
        if self.what.node is None or self.known.type_api not in self.evaluator.libraries.rows:
            return TOP
        shown = (each for each in self.what.node.args if not isinstance(each, ast.Starred))
        given = [self.evaluator.value(each, self.what.scope) for each in shown]
        rows = (each for each in given if each.are(lambda known: known.is_display))
        first = next(rows, None)
        held = [search.of(first, depth + 1)] if first is not None else [*given, TOP] if self.what.node.args else []
        held.extend(search.added(self.what, depth))
        return join(held) if held else TOP

    def _iterated(self, search: Search, depth: int) -> Value:
        """Return the elements of an iteration over an object of a class of the project."""
        made = self.evaluator.operated(self.known, "__iter__")
        if made is not None and all(each.what != self.what for each in made.alternatives):
            return search.of(made, depth + 1)
        return self.evaluator.operated(self.known, "__next__" if made is not None else "__getitem__") or TOP

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


class OfBound(Kind[Bound]):
    """Bound methods."""

    def call(self, layer: Layer) -> Value:
        return calls.entered(self.evaluator, self.what.function, layer, self.what.receiver)


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

    def elements(self, search: Search, depth: int) -> Value:
        if not self.known.is_mapping:
            return search.display(self.what, depth) if depth < lists.NESTED else TOP
        keys = tables.view(self.evaluator, self.known, "keys")
        return search.of(keys, depth + 1) if keys is not None else TOP

    def contains(self, key: object) -> Optional[bool]:
        return attribute_writes.has(self.evaluator, self.known, key) if self.known.is_mapping else None


class OfOptions(Settings[Options]):
    """Results of command-line parsers."""

    def item(self, key: object) -> Value:
        if key == "__dict__":
            return Value((self.known,))
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
        if key == "__dict__":
            return Value((self.known,))
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

    def elements(self, search: Search, depth: int) -> Value:
        data = self.what.data
        count = len(self.what.documents) or (len(data) if isinstance(data, list) else None)
        return join(map(self.item, range(count))) if count is not None and count <= ENTRIES else TOP

    def contains(self, key: object) -> Optional[bool]:
        if not isinstance(self.what.data, dict):
            return None
        return True if key in self.what.data else None if self.what.open else False


class OfModule(Settings[SemanticIndex]):
    """Modules of the project, and `globals()`."""

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
        if name == "__dict__":
            return Value((self.known,))
        found = self.evaluator.exported(self.what, name)
        is_of_names = not found.alternatives and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call)
        viewed = is_of_names and name in tables.VIEWS
        held = namespaces.of_module(self.evaluator, self.what, node, scope) if viewed else None
        if held is not None:
            return self.evaluator.kind(held.alternatives[0]).attribute(name, node, scope)
        return (self.method(name, node, scope) if is_of_names else None) or found

    def item(self, key: object) -> Value:
        return self.evaluator.exported(self.what, key) if isinstance(key, str) else TOP  # `globals()[key]`


class OfNamespace(Kind[Namespace]):
    """Folders of the project without `__init__.py`."""

    def attribute(self, name: str, node: ast.expr, scope: Scope) -> Value:
        return importing.inside(self.evaluator, self.what, name, node, scope)


KINDS: dict[type, type[Kind[Any]]] = {
    Constant: OfConstant,
    Member: OfMember,
    Api: OfApi,
    Scope: OfScope,
    Instance: OfInstance,
    Bound: OfBound,
    Display: OfDisplay,
    Options: OfOptions,
    ConfigDocument: OfConfigDocument,
    SemanticIndex: OfModule,
    Namespace: OfNamespace,
}
