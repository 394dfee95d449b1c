"""What the protocols of Python give for a member: bound methods, properties, descriptors, `Class[key]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.reachability import path_condition
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex
from ms_perflint.index.signature import Held, Layer, Signature, positional
from ms_perflint.index.syntax_forms import is_decorated, is_enumeration, text_of, word_of
from ms_perflint.infer import calls
from ms_perflint.infer.alternatives import Bound, Constant
from ms_perflint.infer.bases import ancestors, lineage, method
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import TOP, Alternative, Value, join

_MAKES = ("__new__", "__init__", "__call__")  # methods of a meta class that make classes, and their objects
GENERIC = frozenset({"typing.Generic", "typing.Protocol"})


def by_key(evaluator: Evaluator, known: Alternative, node: ast.Subscript, scope: Scope) -> Optional[Value]:
    """Return `Class[key]` by a method of the class or of its meta class; the class itself where it is generic.

    None for enumerations, and for what is no class of the project.
    """
    cls = known.what
    if known.api in GENERIC:
        return Value((known,))
    if not isinstance(cls, Scope) or not isinstance(cls.node, ast.ClassDef) or is_enumeration(cls.node):
        return None
    getter = method(evaluator, cls, "__class_getitem__")
    for meta in _metas(evaluator, cls) if getter is None else ():
        getter = method(evaluator, meta, "__getitem__")
    if getter is None:
        is_generic = any(each.api in GENERIC for each in lineage(evaluator, cls))
        return Value((known,)) if is_generic else None
    layer = Layer(node, scope, row=(Held(node.slice, scope),), callee=node.value)  # type: ignore[arg-type]
    return calls.entered(evaluator, getter, layer, known)


def _metas(evaluator: Evaluator, cls: Scope) -> Iterator[Scope]:
    """Yield the meta class that a class names, where it is one of the project."""
    for word in cls.node.keywords if isinstance(cls.node, ast.ClassDef) else ():
        meta = evaluator.value(word.value, cls.parent or cls).only if word.arg == "metaclass" else None
        if meta is not None and isinstance(meta.what, Scope):
            yield meta.what


def is_replaced(evaluator: Evaluator, cls: Scope, name: str, value: Value) -> bool:
    """Return whether something else may be read than a class has under a name: a meta class may put it there.

    So may the `__init_subclass__` of a base; and `__getattribute__` what an object has, but for its methods.
    """
    for each in ancestors(evaluator, cls):
        if each.method("__getattribute__") is not None and not value.are(lambda known: known.definition is not None):
            return True
        makers = [each.method("__init_subclass__")] if each is not cls else []
        makers += [method(evaluator, meta, word) for meta in _metas(evaluator, each) for word in _MAKES]
        if any(maker is not None and _may_set(maker.module, maker, name) for maker in makers):
            return True
    return False


@fact
def _may_set(module: SemanticIndex, function: Scope, name: str) -> bool:
    """Return whether a function may store under a name: it names it, or computes names that it stores under."""
    for node in ast.walk(function.node):
        is_named = getattr(node, "attr", None) == name or getattr(node, "value", None) == name
        is_computed = isinstance(node, ast.Call) and word_of(node.func) in ("setattr", "update")
        is_computed = is_computed and not any(text_of(each) for each in node.args)  # type: ignore[attr-defined]
        is_stored = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and not text_of(node.slice)
        if is_named or is_computed or (is_stored and isinstance(node.value, ast.Name)):  # type: ignore[attr-defined]
            return True
    return False


def is_kept(evaluator: Evaluator, cls: Scope) -> bool:
    """Return whether a call of a class may give an object that was made before, as that of a singleton does."""
    if not any(map(_may_keep, ancestors(evaluator, cls))):
        return False
    makers = [method(evaluator, cls, "__new__")]
    for each in ancestors(evaluator, cls):
        makers += [method(evaluator, meta, "__call__") for meta in _metas(evaluator, each)]
    named = (each for each in getattr(cls.node, "decorator_list", ()) if isinstance(each, (ast.Name, ast.Attribute)))
    for decorator in named:
        only = evaluator.value(decorator, cls.parent or cls).only
        made = only.definition if only is not None else None
        makers += [] if made is None else [method(evaluator, made, "__call__")] if made.is_class else made.defines
    return any(maker is not None and _gives_kept(maker) for maker in makers)


def _may_keep(cls: Scope) -> bool:
    """Return whether something else than `__init__` may make the objects of a class, by its form."""
    node = cls.node
    return "__new__" in cls.bindings or (isinstance(node, ast.ClassDef) and bool(node.keywords or node.decorator_list))


def _gives_kept(function: Scope) -> bool:
    """Return whether a function may return what it stored before: in an attribute, a table or an outer name."""
    returned = [value for value, _ in function.returns]
    for name in [value.id for value in returned if isinstance(value, ast.Name)]:
        home = function.declared.get(name) or function.home(name)
        bindings = home.bindings[name] if home is not None else []
        if home is not function and bindings and bindings[0].kind != "parameter":
            return True
        returned += [each.value for each in bindings if each.value is not None and home is function]
    return any(isinstance(value, (ast.Attribute, ast.Subscript)) for value in returned)


def replaces(evaluator: Evaluator, known: Alternative, store: Binding) -> bool:
    """Return whether a store in an object calls a method of its class, which may put another value elsewhere."""
    cls, is_item = known.cls, isinstance(store.node, ast.Subscript)
    if cls is None or not isinstance(store.node, (ast.Subscript, ast.Attribute)):
        return False
    setter = method(evaluator, cls, "__setitem__" if is_item else "__setattr__")
    if setter is not None and not puts_as_given(setter, 1):
        return True
    owner = next((each for each in ancestors(evaluator, cls) if store.name in each.bindings), None)
    if is_item or owner is None:
        return False
    binding = owner.bindings[store.name][-1]
    if binding.kind == "function":
        function = owner.module.scope_of[id(binding.node)]
        is_kept = puts_as_given(function, 1) and _gives_as_kept(owner.bindings[store.name][0])
        return is_decorated(function.node, "setter") and not is_kept
    held = evaluator.binding(binding).alternatives if binding.kind == "assign" else ()
    setters = (method(evaluator, each.cls, "__set__") for each in held if each.cls is not None)
    return any(each is not None and not puts_as_given(each, 2) for each in setters)


def _gives_as_kept(getter: Binding) -> bool:
    """Return whether a property gives what is kept somewhere, and computes nothing of it."""
    function = getter.scope.module.scope_of.get(id(getter.node))
    returned = function.returns if function is not None else ()
    return all(isinstance(value, (ast.Attribute, ast.Subscript)) for value, _ in returned)


def puts_as_given(setter: Scope, first: int) -> bool:
    """Return whether a method puts a value somewhere as it is, under the key that it gets: `self.data[key] = value`.

    `first`: which of its parameters is the key, or else the value.
    """
    names = {each.arg for each in positional(setter)[first:]}
    bound = [each for name in names for each in setter.bindings[name] if each.kind != "parameter"]
    if not all(map(_is_of_container, bound)):
        return False
    for node in ast.walk(setter.node):
        parts: list[Optional[ast.expr]] = [*node.args] if isinstance(node, ast.Call) else []
        if isinstance(node, ast.Assign):
            parts = [getattr(node.targets[0], "slice", None), node.value]
        elif isinstance(node, ast.Dict):
            parts = [*node.keys, *node.values]
        if names <= {each.id for each in parts if isinstance(each, ast.Name)}:
            return True
    return False


def _is_of_container(store: Binding) -> bool:
    """Return whether only a mapping or a list is made something else: `if isinstance(value, dict): value = ...`."""
    asked = [node for each in path_condition(store.block) for node in ast.walk(each.test)]
    names = {node.id for node in asked if isinstance(node, ast.Name)}
    return not names.isdisjoint(("isinstance", "type")) and names.isdisjoint(("str", "int", "float", "bool"))


def read(evaluator: Evaluator, value: Value, receiver: Alternative, from_object: bool, is_stored: bool) -> Value:
    """Return a value as read from an object or class: methods bound, properties and descriptors asked.

    `is_stored`: code stores it in the object, which is then no descriptor.
    """
    classes = [known.cls if not is_stored and not known.is_any else None for known in value.alternatives]
    getters = [method(evaluator, cls, "__get__") if cls is not None else None for cls in classes]
    is_method = any((isinstance(k.what, Scope) and not k.what.is_class) or _is_property(k) for k in value.alternatives)
    if not is_method and not any(getters):
        return value
    values = []
    for known, getter in zip(value.alternatives, getters):
        function = known.what
        if getter is not None:
            values.append(_got(evaluator, known, getter, receiver if from_object else None))
            continue
        if isinstance(function, Scope) and not function.is_class and _binds(known, function):
            if from_object and is_decorated(function.node, "property", "cached_property", "lazy_property"):
                values.append(calls.entered(evaluator, function, None, receiver))
                continue
            if _is_in_descriptor(evaluator, function):
                values.append(TOP)
                continue
            if from_object or is_decorated(function.node, "classmethod"):
                known = known._replace(what=Bound(function, receiver))
        made = known.creation if from_object and _is_property(known) else None
        values.append(Value((known,)) if made is None else _of_property(evaluator, made, receiver))
    return join([*values, *([TOP] if value.open else [])])


def _is_in_descriptor(evaluator: Evaluator, function: Scope) -> bool:
    """Return whether a class of the project with `__get__` decorates a method: `@lazy`."""
    for each in getattr(function.node, "decorator_list", ()):
        only = evaluator.value(each, function.parent or function).only
        cls = only.definition if only is not None else None
        if cls is not None and cls.is_class and method(evaluator, cls, "__get__") is not None:
            return True
    return False


def _got(evaluator: Evaluator, known: Alternative, getter: Scope, holder: Optional[Alternative]) -> Value:
    """Return what a descriptor, an object with `__get__` in the body of a class, gives for an object."""
    made = known.creation
    if made is None:
        return TOP
    given = Value((holder,)) if holder is not None else evaluator.known(Constant(None), made.call, made.scope)
    row = (Held(made.call, made.scope, given), Held(made.call, made.scope, TOP))
    return calls.entered(evaluator, getter, made._replace(row=row, is_word=True), known)


def _is_property(known: Alternative) -> bool:
    """Return whether something is a property that a call makes: `name = property(getter)`."""
    return known.type_api == "builtins.property"


def _of_property(evaluator: Evaluator, made: Layer, receiver: Alternative) -> Value:
    """Return the value of a property that a call makes, where it is read from an object."""
    getter = Signature.named("fget").bind(made).of("fget").part
    value = evaluator.value(*getter) if getter is not None else TOP
    functions = [known.definition for known in value.alternatives]
    values = [calls.entered(evaluator, each, None, receiver) if each is not None else TOP for each in functions]
    return join([*values, *([TOP] if value.open else [])])


def _binds(known: Alternative, function: Scope) -> bool:
    """Return whether a function gets the object from which it is read as its first argument; a `partial` does not."""
    return function.is_method and all(layer.is_method for layer in known.prepared)
