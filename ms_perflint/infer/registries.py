"""Registries: tables that decorators such as `@register` fill with functions and classes by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Optional

from ms_perflint.core.facts import fact
from ms_perflint.core.source import LETTERS
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.index.signature import positional
from ms_perflint.index.syntax_forms import given, table_of, text_of, word_of
from ms_perflint.infer import held_names
from ms_perflint.infer.alternatives import Display
from ms_perflint.infer.commandline import CONFIGS
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import TOP, Value, join

SELF = "self"
CHOICES = 8  # keys that are looked up
TEXT = rb"[\"']([" + LETTERS + rb"./@-]{1,200})[\"']"  # a text in code that may be a key, or the path of a config file
WORD = rb"[" + LETTERS + rb"./-]+"


def registered(evaluator: Evaluator, table: ast.expr, keys: Value, scope: Scope) -> Optional[Value]:
    """Return the value of a registry under some keys; None for other tables."""
    home, word, depth = _home(evaluator, table, scope)
    if home is None or not keys.alternatives or len(keys.alternatives) > CHOICES:
        return None
    decorators = _decorators(home, word, depth)
    if not decorators or not all(isinstance(constant, str) for constant in keys.constants):
        return None
    found: list[Value] = []
    for known in keys.alternatives:
        values = [
            evaluator.known(each, each.node, each)
            for each in _decorated(evaluator, str(known.constant), decorators, _lowers(home, word))
            if _is_by(each, str(known.constant), decorators, depth)
        ]
        values += [evaluator.known(each, each.node, each) for each in _derived(evaluator, home, word, known.constant)]
        found.extend(value if known.by_default else value.as_non_default() for value in values)
    if not found:
        return None
    value = join([*found, *([TOP] if keys.open else [])])
    return Value(value.alternatives, value.open, keys.overridable)


def _home(evaluator: Evaluator, table: ast.expr, scope: Scope) -> tuple[Optional[SemanticIndex], str, int]:
    """Return the module of a registry, its name there, and the number of keys before the last one.

    None where no code fills it under keys that are computed.
    """
    word, depth = table_of(table)
    module = scope.module
    if word in module.registered:
        return module, word, depth
    root = table
    while isinstance(root, ast.Subscript):
        root = root.value
    first = root.value if isinstance(root, ast.Attribute) else root
    if not isinstance(first, ast.Name):
        return None, word, depth
    known = evaluator.value(root, scope).only
    if known is not None and known.cls is not None and SELF in known.cls.module.registered:
        return known.cls.module, SELF, depth  # a mapping that its own methods fill
    if first.id not in module.imported:
        return None, word, depth
    holders = held_names.bindings_of(known.what) if known is not None and isinstance(known.what, Display) else []
    own = (holder for holder in holders if holder.name in holder.scope.module.registered)
    return next(((holder.scope.module, holder.name, depth) for holder in own), (None, word, depth))


@fact
def registering(module: SemanticIndex) -> frozenset[str]:
    """Return the names of the functions of a module that register what they decorate."""
    return frozenset(name for table in module.registered for name in _decorators(module, table))


def read_by(running: Iterable[Scope], modules: Sequence[SemanticIndex]) -> frozenset[str]:
    """Return those names of `registering` whose tables running code reads: others only fill tables."""
    words = {table for module in modules for table in module.registered}
    renamed = {module: words & module.renamed.keys() for module in modules}
    readers: dict[str, list[Scope]] = {}
    for scope in running:
        loaded = words & scope.names | words & scope.attrs
        for word in renamed[scope.module]:
            if not scope.module.aliases(word).isdisjoint(scope.names):
                loaded.add(word)
        for word in loaded:
            readers.setdefault(word, []).append(scope)
    return frozenset(
        name
        for module in modules
        for table in module.registered
        if table == SELF or any(not _only_fills(module, table, scope) for scope in readers.get(table, ()))
        for name in _decorators(module, table)
    )


@fact
def _only_fills(module: SemanticIndex, table: str, scope: Scope) -> bool:
    """Return whether code stores into a table, and loads it only for that and for `key in table`."""
    if all(block.scope.owner is not scope for _, _, block in module.registered[table]):
        return False
    filling: set[int] = set()
    for node in ast.walk(scope.node):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            filling.update(map(id, ast.walk(node.value)))
        elif isinstance(node, ast.Compare) and all(isinstance(each, (ast.In, ast.NotIn)) for each in node.ops):
            filling.update(id(inner) for each in node.comparators for inner in ast.walk(each))
    return all(id(node) in filling for node in ast.walk(scope.node) if word_of(node) == table)


def looked_up(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `table.get(name)` for a registry; None for other calls."""
    callee = node.func
    if not isinstance(callee, ast.Attribute) or callee.attr != "get" or not node.args:
        return None
    if _home(evaluator, callee.value, scope)[0] is None:
        return None
    return registered(evaluator, callee.value, evaluator.value(node.args[0], scope), scope)


@fact
def texts(module: SemanticIndex) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the string literals in code that may be keys of a registry, and those that are paths of config files."""
    found = [text.decode("utf-8", "replace") for text in dict.fromkeys(re.findall(TEXT, module.source.text))]
    return frozenset(text.lower() for text in found), tuple(text for text in found if text.endswith(CONFIGS))


def words(raw: bytes) -> frozenset[str]:
    """Return the words of a config file that may be keys of a registry."""
    return frozenset(text.decode("utf-8", "replace").lower() for text in re.findall(WORD, raw))


def keys_of(scope: Scope) -> Iterator[str]:
    """Yield the keys under which decorators may register a function or class."""
    yield scope.name.lower()
    for decorator in getattr(scope.node, "decorator_list", ()):
        for node in ast.walk(decorator) if isinstance(decorator, ast.Call) else ():
            if text := text_of(node):
                yield text.lower()


def _decorators(module: SemanticIndex, table: str, depth: Optional[int] = None) -> frozenset[str]:
    """Return the names of the functions, and of those around them, that store into a table what they are given.

    `depth`: how many keys lie before the last one, `tables[kind][name] = given`; None for any.
    """
    found: set[str] = set()
    for target, value, block in module.registered[table]:
        below = table_of(target.value)[1]
        if isinstance(value, ast.Dict) and len(value.values) == 1:  # `tables[kind] = {name: given}`
            value, below = value.values[0], below + 1
        if isinstance(value, ast.Name) and _may_be_decorated(value.id, block.scope) and depth in (None, below):
            found.update(each.name for each in takewhile(lambda each: each.is_function, block.scope.chain()))
    return frozenset(found)


def _may_be_decorated(name: str, scope: Scope) -> bool:
    """Return whether a name of a function may hold what it decorates: a decorator is called with one argument."""
    if name not in scope.bindings or not scope.is_function:
        return name in scope.bindings
    parameters = positional(scope)[scope.is_method :]
    needed = parameters[: len(parameters) - len(scope.node.args.defaults)]  # type: ignore[union-attr]
    return len(needed) < 2 or name not in [each.arg for each in needed]


def _derived(evaluator: Evaluator, module: SemanticIndex, table: str, key: object) -> Iterator[Scope]:
    """Yield the classes that `__init_subclass__` puts into a table under a key: their name, or a text given."""
    for target, _, block in module.registered[table]:
        base = block.scope.owner.parent if block.scope.owner.name == "__init_subclass__" else None
        for cls in evaluator.program.derived(base) if base is not None else ():
            assert isinstance(cls.node, ast.ClassDef)
            texts = [text for word in cls.node.keywords if (text := text_of(word.value))]
            own = cls.bindings.get(word_of(target.slice), ()) if isinstance(target.slice, ast.Attribute) else ()
            texts += [text for each in own if (text := text_of(each.value))]
            if key in (texts or (cls.name, cls.name.lower())):
                yield cls


@fact
def _lowers(module: SemanticIndex, table: str) -> bool:
    """Return whether the keys of a table are made lower case where something is stored in it."""
    parts = (part for target, _, _ in module.registered[table] for part in ast.walk(target.slice))
    return any(isinstance(part, ast.Attribute) and part.attr == "lower" for part in parts)


def _decorated(evaluator: Evaluator, key: str, decorators: frozenset[str], are_lowering: bool) -> list[Scope]:
    """Return the decorated functions and classes that may be registered under a key that is in their file.

    `are_lowering`: whether the decorators register also what has the key as its name in lower case.
    """
    found = [
        scope
        for module in evaluator.program.decorating(key, decorators)
        for scopes in module.defined.values()
        for scope in scopes
        if getattr(scope.node, "decorator_list", ())
    ]
    named = (
        scope for word in (sorted(decorators) if are_lowering else ()) for scope in evaluator.program.decorated_by(word)
    )
    return [*dict.fromkeys([*found, *(scope for scope in named if scope.name.lower() == key)])]


def _is_by(scope: Scope, key: str, decorators: frozenset[str], depth: int) -> bool:
    """Return whether one of these decorators registers a function or class under a key: its name, or a text given.

    Of a table of tables, a text that is given may be the key of the outer one.
    """
    for decorator in getattr(scope.node, "decorator_list", ()):
        callee = decorator.func if isinstance(decorator, ast.Call) else decorator
        if not (scope.module.aliases(word_of(callee)) | {word_of(callee)}) & decorators:
            continue
        texts = [text for text in map(text_of, given(decorator)) if text] if isinstance(decorator, ast.Call) else []
        if key in (texts or [scope.name, scope.name.lower()]) or (depth and key == scope.name):
            return True
    return False
