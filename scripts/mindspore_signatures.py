"""Read the parameters of functions, classes and calls of instances from the sources of one MindSpore release.

A signature is a tuple of (name, keyword_only, default); a default is None (required), ("value", text of a literal),
("name", module, name) for an object of MindSpore, or ("other",) for what only a run can tell.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Optional

from mindspore_sources import Origin, Sources

Default = Optional[tuple[str, ...]]
Signature = tuple[tuple[str, bool, Default], ...]
GENERIC = ("mindspore.ops.primitive", "mindspore.nn.cell", "mindspore.common._stub_tensor", "builtins")

SELF = Origin("", "self")
RETURNS = re.compile(r"^Returns:\s+(?:A |An |The |a )?`*([A-Z]\w+)`*(?: instance| object)?\s*(?:[,.:]|$)", re.MULTILINE)


class Signatures:
    """The signatures of one release."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources

    def of(self, origin: Origin) -> Optional[Signature]:
        """What a call of this object takes; None where the sources do not say."""
        if isinstance(origin.node, ast.FunctionDef):
            return self._function(origin.module, origin.node)
        if isinstance(origin.node, ast.ClassDef):
            return self._constructor(origin)
        value = getattr(origin.node, "value", None)
        if isinstance(value, ast.Call):  # cast = P.Cast(): a call of `cast` is a call of an instance
            made = self.sources.dotted(origin.module, value.func)
            return self.of_call(made) if made and isinstance(made.node, ast.ClassDef) else None
        return None

    def of_call(self, origin: Origin) -> Optional[Signature]:
        """What a call of an *instance* of this class takes: `ops.Cast()(x, dtype)`, `nn.Dense(3, 4)(x)`."""
        for owner in self.lineage(origin):
            assert isinstance(owner.node, ast.ClassDef)
            methods = {stmt.name: stmt for stmt in owner.node.body if isinstance(stmt, ast.FunctionDef)}
            for name in ("construct", "__call__"):
                if name in methods and owner.module not in GENERIC:
                    return self._function(owner.module, methods[name], bound=True)
            if "__init__" in methods and (names := _input_names(methods["__init__"])):
                return tuple((name, False, None) for name in names)
        return None

    def methods(self, origin: Origin) -> Iterator[tuple[str, Signature]]:
        """The public methods that the class itself defines."""
        assert isinstance(origin.node, ast.ClassDef)
        for stmt in origin.node.body:
            if isinstance(stmt, ast.FunctionDef) and not stmt.name.startswith("_"):
                decorators = [ast.unparse(item) for item in stmt.decorator_list]
                if any(re.search(r"property|setter|deleter", text) for text in decorators):
                    continue
                signature = self._function(origin.module, stmt, bound="staticmethod" not in decorators)
                if signature is not None:
                    yield stmt.name, signature

    def returned(self, origin: Origin) -> Iterator[tuple[str, Origin]]:
        """What a function ("") or the public methods of a class give, where that is one class; `self` of a method."""
        if isinstance(origin.node, ast.FunctionDef):
            found = self._returned(origin.module, origin.node, {})
            if found is not None:
                yield "", found
        if isinstance(origin.node, ast.ClassDef):
            methods = {stmt.name: stmt for stmt in origin.node.body if isinstance(stmt, ast.FunctionDef)}
            for name, stmt in methods.items():
                found = self._returned(origin.module, stmt, methods) if not name.startswith("_") else None
                if found is not None:
                    yield name, found

    def _returned(self, module: str, node: ast.FunctionDef, methods: dict[str, ast.FunctionDef]) -> Optional[Origin]:
        """The class that all `return` statements make; else the one that the docstring begins `Returns:` with."""
        values = [part.value for part in _own_parts(node) if isinstance(part, ast.Return)]
        if _is_self(values, methods):
            return SELF
        made = {self.sources.dotted(module, v.func) if isinstance(v, ast.Call) else None for v in values} or {None}
        if len(made) == 1 and (only := made.pop()) is not None and isinstance(only.node, ast.ClassDef):
            return only
        word = RETURNS.search(ast.get_docstring(node) or "")
        said = self.sources.origin(module, word.group(1)) if word is not None else None
        return said if said is not None and isinstance(said.node, ast.ClassDef) else None

    def lineage(self, origin: Origin) -> list[Origin]:
        """The class and its ancestors, nearest first, as far as they are MindSpore's own."""
        found: list[Origin] = []
        queue = [origin]
        while queue:
            one = queue.pop(0)
            if isinstance(one.node, ast.ClassDef) and one not in found:
                found.append(one)
                queue += self.parents(one)
        return found

    def parents(self, origin: Origin) -> list[Origin]:
        """The direct base classes that are MindSpore's own."""
        assert isinstance(origin.node, ast.ClassDef)
        bases = (self.sources.dotted(origin.module, base) for base in origin.node.bases)
        return [base for base in bases if base and isinstance(base.node, ast.ClassDef)]

    def _constructor(self, origin: Origin) -> Optional[Signature]:
        passed = 0  # slots that a subclass fills itself: `super().__init__("LSTM", *args, **kwargs)`
        for owner in self.lineage(origin):
            assert isinstance(owner.node, ast.ClassDef)
            methods = {stmt.name: stmt for stmt in owner.node.body if isinstance(stmt, ast.FunctionDef)}
            for name in ("__init__", "__new__"):
                if name in methods:
                    if owner is not origin and owner.module == "mindspore.ops.primitive":
                        return ()  # the base class takes the name of the operator, which the subclass gives
                    signature = self._function(owner.module, methods[name], bound=True)
                    if signature is not None:
                        return signature[passed:]
                    passed += _filled_slots(methods[name])
        return None

    def _function(self, module: str, node: ast.FunctionDef, bound: bool = False) -> Optional[Signature]:
        slots = [*node.args.posonlyargs, *node.args.args]
        defaults: list[Optional[ast.expr]] = [None] * (len(slots) - len(node.args.defaults)) + list(node.args.defaults)
        pairs = list(zip(slots, defaults))[bound:]
        if not pairs and not node.args.kwonlyargs and node.args.vararg:
            return self._documented(module, node)
        if not pairs and node.args.kwarg and (checked := _checked_keywords(node)):
            return tuple((name, True, ("other",)) for name in checked)
        return tuple(
            [(arg.arg, False, self._default(module, default)) for arg, default in pairs]
            + [(a.arg, True, self._default(module, d)) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults)]
        )

    def _documented(self, module: str, node: ast.FunctionDef) -> Optional[Signature]:
        """Functions bound in C++ take `*args, **kwargs`; the first line of their docstring has the signature."""
        line = (ast.get_docstring(node) or "").partition("\n")[0]
        match = re.match(rf"{re.escape(node.name)}(\(.*\))(?: -> .*)?$", line)
        try:
            tree = ast.parse(f"def f{match.group(1)}: ...") if match else None
        except SyntaxError:
            return None
        made = tree.body[0] if tree else None
        return self._function(module, made) if isinstance(made, ast.FunctionDef) and not made.args.vararg else None

    def _default(self, module: str, node: Optional[ast.expr]) -> Default:
        if node is None:
            return None
        try:
            return ("value", repr(_constant(node)))
        except ValueError:
            origin = self.sources.dotted(module, node)
            known = origin is not None and origin.module.startswith("mindspore") and origin.name
            return ("name", origin.module, origin.name) if origin and known else ("other",)


def _is_self(values: list[Optional[ast.expr]], methods: dict[str, ast.FunctionDef]) -> bool:
    """Whether all that a method returns is `self`, also through one more method of its class: `self._apply(...)`."""
    for value in values:
        if isinstance(value, ast.Call) and ast.unparse(value.func).startswith("self."):
            other = methods.get(ast.unparse(value.func)[len("self.") :])
            inner = [part.value for part in _own_parts(other) if isinstance(part, ast.Return)] if other else []
            if not _is_self(inner, {}):
                return False
        elif not isinstance(value, ast.Name) or value.id != "self":
            return False
    return bool(values)


def _own_parts(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function, but for those of functions in it."""
    queue: list[ast.AST] = [*function.body]
    while queue:
        part = queue.pop()
        yield part
        if not isinstance(part, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            queue += ast.iter_child_nodes(part)


def _constant(node: ast.expr) -> object:
    """The value of a literal, or of a power of two literals (`2**24`); ValueError for anything else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, exponent = ast.literal_eval(node.left), ast.literal_eval(node.right)
        if 0 <= exponent < 64:
            return base**exponent
    return ast.literal_eval(node)


def _checked_keywords(node: ast.FunctionDef) -> list[str]:
    """`@args_type_check(mode=int, device_id=int)` over a function that takes only `**kwargs` names its keywords."""
    calls = [item for item in node.decorator_list if isinstance(item, ast.Call)]
    return [k.arg for c in calls if ast.unparse(c.func) == "args_type_check" for k in c.keywords if k.arg]


def _filled_slots(node: ast.FunctionDef) -> int:
    """How many arguments stand before `*args` in the call of the constructor above."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "__init__":
            kinds = [isinstance(arg, ast.Starred) for arg in call.args]
            return kinds.index(True) if True in kinds else 0
    return 0


def _input_names(node: ast.FunctionDef) -> list[str]:
    """The names in `self.init_prim_io_names(inputs=["x", "y"], outputs=[...])`."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "init_prim_io_names":
            given = {k.arg: k.value for k in call.keywords}
            inputs = given.get("inputs") or (call.args[0] if call.args else None)
            if isinstance(inputs, (ast.List, ast.Tuple)):
                return [str(item.value) for item in inputs.elts if isinstance(item, ast.Constant)]
    return []
