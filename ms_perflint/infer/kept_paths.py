"""The paths in lists, dicts and records: what code keeps of the files that it wrote, to use or remove them later."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Optional

from ms_perflint.index.semantic_index import Binding, Scope
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer import list_changes
from ms_perflint.infer.changes import STORE
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.path_values import Path

DEPTH = 16  # expressions inside of one another
# Calls that give, or give a part of, what they are given first, or last
_GATHERED = frozenset(
    {
        "sorted", "natsorted", "list", "tuple", "set", "reversed", "max", "min", "next", "iter",
        "heappop", "heappushpop", "heapreplace",
    }
)  # fmt: skip
_CHOSEN = frozenset({"nsmallest", "nlargest"})
_VIEWS = frozenset({"items", "keys", "values", "copy"})  # methods that give what a dict or list holds
LISTINGS = {"glob": True, "iglob": True, "rglob": True, "iterdir": False, "scandir": False}  # whether by a pattern


class KeptPaths(ABC):
    """Evaluates an expression to the paths that are kept in it."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.entered: list[Binding] = []  # of the lists that are being read
        self.memo: dict[Hashable, Sequence[Path]] = {}

    def read(self, node: ast.expr, scope: Scope, depth: int) -> Sequence[Path]:
        """Return the paths of a string or path expression, memoised: a name in a loop can be made of itself."""
        key = node, scope.key, depth, tuple(self.entered)
        if key not in self.memo:
            self.memo[key] = self.computed(node, scope, depth)
        return self.memo[key]

    def bound(self, binding: Binding, depth: int) -> Sequence[Path]:
        """Return the paths that a binding gives its name, memoised."""
        key = binding, depth, tuple(self.entered)
        if key not in self.memo:
            self.memo[key] = self.of_binding(binding, depth)
        return self.memo[key]

    @abstractmethod
    def computed(self, node: ast.expr, scope: Scope, depth: int) -> tuple[Path, ...]:
        """Return the paths of an expression, computed."""

    @abstractmethod
    def of_binding(self, binding: Binding, depth: int) -> Sequence[Path]:
        """Return the paths of a binding, computed."""

    @abstractmethod
    def parameter(self, binding: Binding, depth: int, is_list: bool = False) -> Sequence[Path]:
        """Return the arguments for a parameter, each with its call; `is_list`: the paths in them."""

    @abstractmethod
    def listed(self, node: ast.Call, scope: Scope, depth: int) -> Sequence[Path]:
        """Return the paths that a call finds in a folder, or by a pattern."""

    def is_list(self, node: ast.expr, scope: Scope) -> bool:
        """Return whether an expression is a known list."""
        shown = (ast.List, ast.Tuple, ast.Set)
        return any(known.is_display for known in self.evaluator.value(node, scope).alternatives) or isinstance(
            node, shown
        )

    def item(self, node: ast.Subscript, scope: Scope, depth: int) -> Sequence[Path]:
        """Return an element of a list of paths."""
        at = node.slice.value if isinstance(node.slice, ast.Constant) else None
        found = self.recorded(node.value, at, scope, depth) if at is not None else ()
        return found or (self.held(node.value, scope, depth) if not isinstance(at, str) else ())

    def held(self, node: ast.expr, scope: Scope, depth: int) -> Sequence[Path]:
        """Return the paths in a list; none where they are not known."""
        if depth > DEPTH:
            return ()
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [path for each in node.elts for path in self.read(each, scope, depth + 1)]
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            return self.read(node.elt, scope.module.scope_of[id(node)], depth + 1)
        if isinstance(node, ast.Call):
            if word_of(node.func) in LISTINGS:
                return self.listed(node, scope, depth + 1)
            source = _source(node)
            return self.held(source, scope, depth + 1) if source is not None else ()
        if isinstance(node, (ast.BinOp, ast.Name)):
            return self._in_sum(node, scope, depth)
        found = [*self.held(node.value, scope, depth + 1)] if isinstance(node, ast.Subscript) else []
        return [*found, *self._put(node, scope, depth)] if isinstance(node, (ast.Attribute, ast.Subscript)) else found

    def _in_sum(self, node: ast.expr, scope: Scope, depth: int) -> Sequence[Path]:
        """Return the paths in the lists of a name or a sum; each binding counts once: `kept = kept + [path]`."""
        before, given = len(self.entered), list[Binding]()
        parts = [(node, scope)]
        for part, inner in parts:  # which grows
            parts += [(part.left, inner), (part.right, inner)] if isinstance(part, ast.BinOp) else []
            for binding in inner.lookup(part) if isinstance(part, ast.Name) else ():
                value, is_entered = binding.operand, binding in self.entered
                if binding.kind in ("assign", "augment") and value is not None and not binding.path and not is_entered:
                    self.entered.append(binding)
                    parts.append((value, binding.scope))
                elif binding.kind == "parameter" and not is_entered:
                    self.entered.append(binding)
                    given.append(binding)
        found = [path for binding in given for path in self.parameter(binding, depth + 1, is_list=True)]
        for part, inner in parts:
            if not isinstance(part, ast.BinOp):
                read = self._put if isinstance(part, ast.Name) else self.held
                found += read(part, inner, depth + 1)
        del self.entered[before:]
        return found

    def _put(self, node: ast.expr, scope: Scope, depth: int) -> Sequence[Path]:
        """Return the paths that code adds to a list, or stores in it as in a dict."""
        entries = ((key, inner) for key, _, inner in self.entries(node, scope))
        return [*self.contained(self.added(node, scope), depth + 1), *self.contained(entries, depth + 1)]

    def contained(self, parts: Iterable[tuple[ast.expr, Scope]], depth: int) -> Sequence[Path]:
        """Return the paths of parts of a container, which may be from an earlier iteration; of a list, those in it."""
        found: list[Path] = []
        for each, inner in parts:
            node = each.value if isinstance(each, ast.Starred) else each  # `kept[:] = several`, `kept.extend(several)`
            held = self.held(node, inner, depth) if node is not each or self.is_list(node, inner) else ()
            found += (path.kept for path in held or self.read(node, inner, depth))
        return found

    def added(self, node: ast.expr, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        """Return what the program adds to a list, or stores in it, under this or another name."""
        return list_changes.added(self.evaluator, node, scope)

    def entries(self, node: ast.expr, scope: Scope) -> Iterator[tuple[ast.expr, ast.expr, Scope]]:
        """Yield the keys and values that code stores in a dict, with the scope of each: `kept[path] = score`."""
        for change in list_changes.additions(self.evaluator, node, scope):
            key = change.node.slice if change.word == STORE and isinstance(change.node, ast.Subscript) else None
            if key is not None and not isinstance(key, ast.Slice) and change.added is not None:
                yield key, change.added, change.block.scope

    def recorded(self, node: ast.expr, key: object, scope: Scope, depth: int) -> Sequence[Path]:
        """Return the paths under a key of a dict, or of the records in a list: `records.append((score, path))`.

        The entries of a dict are records of a key and a value.
        """
        found = self.stored(node, key, scope) if isinstance(key, str) else []
        bindings = scope.lookup(node) if isinstance(node, ast.Name) else ()
        made = [(each.value, each.scope) for each in bindings if isinstance(each.value, ast.Dict) and not each.path]
        holder = _list_of(node, scope)
        for record, inner in (*self.added(holder, scope), *made):
            if isinstance(record, ast.Dict):
                pairs = zip(record.keys, record.values)
                found += [(part, inner) for name, part in pairs if isinstance(name, ast.Constant) and name.value == key]
            elif isinstance(record, (ast.Tuple, ast.List)) and isinstance(key, int) and key < len(record.elts):
                found.append((record.elts[key], inner))
            elif isinstance(record, ast.Call) and isinstance(key, str):  # `records.append(Record(score, path))`
                named = [each.value for each in record.keywords if each.arg == key]
                found += [(part, inner) for part in named or record.args]
        if key in (0, 1) and holder is not node:  # `for key, value in kept.items()`, not `kept[0]`
            found += [((name, part)[key], inner) for name, part, inner in self.entries(holder, scope)]
        return self.contained(found, depth)

    def stored(self, node: ast.expr, key: str, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        """Return the values that code stores in a dict or namespace under a key, under this or another name."""
        own, found = self.evaluator.value(node, scope).identities, []
        for each in self.evaluator.program.stores(key):
            if each.value is None or each.path or not isinstance(each.node, (ast.Subscript, ast.Attribute)):
                continue
            holder, inner = each.node.value, each.scope
            is_named_so = list_changes.has_same_name(node, scope, holder, inner)
            if is_named_so or not own.isdisjoint(self.evaluator.value(holder, inner).identities):
                found.append((each.value, inner))
        return found


def _list_of(node: ast.expr, scope: Scope) -> ast.expr:
    """Return the list from which a record or slice is taken, also by a name for the record."""
    seen: list[ast.expr] = []  # `for rows in rows.items()` in a loop leads back to itself
    while node not in seen:
        seen.append(node)
        if isinstance(node, ast.Name):
            taken = [each.value for each in scope.lookup(node) if _is_taken(each) and each.value is not None]
            node = taken[0] if taken else node
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call):
            node = _source(node) or _receiver(node) or node
    return node


def _is_taken(binding: Binding) -> bool:
    """Return whether a name is bound to what is in a list: by a loop, `old = kept.pop(0)`, `old = kept[0]`."""
    is_part = isinstance(binding.value, (ast.Call, ast.Subscript))
    return binding.kind == "for" or (binding.kind == "assign" and not binding.path and is_part)


def _source(node: ast.Call) -> Optional[ast.expr]:
    """Return the list or dict of which a call gives what it holds, or a part of that; None for other calls."""
    word = word_of(node.func)
    if word in _VIEWS and isinstance(node.func, ast.Attribute):
        return node.func.value
    if word not in _GATHERED | _CHOSEN or not node.args:
        return None
    return node.args[0] if word in _GATHERED else node.args[-1]


def _receiver(node: ast.Call) -> Optional[ast.expr]:
    """Return the object whose method a call is, or the module of its function; None for a name."""
    return node.func.value if isinstance(node.func, ast.Attribute) else None
