"""The kinds of alternatives, one class each: their attributes, items, elements and results of calls."""

from __future__ import annotations

import ast
from pathlib import PurePath
from typing import Any, Optional

from ms_perflint.index.semantic_index import FUNCTIONS, Scope, SemanticIndex
from ms_perflint.index.signature import Held, Layer, receiver_name
from ms_perflint.index.syntax_forms import is_decorated
from ms_perflint.infer import (
    bases,
    calls,
    computing,
    dispatching,
    importing,
    mappings,
    members,
    namespaces,
    protocols,
    tables,
)
from ms_perflint.infer.alternatives import Api, Bound, ConfigDocument, Constant, Display, Instance, Member, Options
from ms_perflint.infer.evaluator import Kind
from ms_perflint.infer.holding_kinds import OfConfigDocument, OfDisplay, OfInstance, OfOptions, Settings
from ms_perflint.infer.values import TOP, Alternative, Value
from ms_perflint.resolve.resolver import Namespace

ASKED = frozenset({"open", "read_text", "exists", "is_file"})  # methods of a path, which may be a text here
OWN_ITEMS = frozenset({"__getitem__", "__missing__"})  # methods of a mapping that answer for keys


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
        return mappings.called(self.evaluator, layer.call, layer.scope, is_deep=True) if is_own else None


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

    def elements(self) -> Value:
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


class OfBound(Kind[Bound]):
    """Bound methods."""

    def call(self, layer: Layer) -> Value:
        return calls.entered(self.evaluator, self.what.function, layer, self.what.receiver)


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
