"""Read the Python sources of one MindSpore release, without importing them: what each module binds and exports.

A name is followed through imports, star imports and assignments to the place that makes the object, so two spellings
are one API exactly when they end at the same place. Reading instead of importing works for every release on one
Python, also for those whose binary parts do not run here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Union

# What only the framework itself uses: compilers, kernels, gradients, parsers of profiles, protocol buffers.
INTERNAL = re.compile(
    r"mindspore\.(_|bin\b|ccsrc|custom_compiler|graph\._|graph_utils|include|lib\b|lite|ops_generate|run_check"
    r"|ops\.(_grad|_op_impl|_vmap|_utils|_tracefunc|bprop_mindir|vm_impl|deprecated|auto_generate)"
    r"|profiler\.(parser|platform|analysis|common)|scipy\.ops_|parallel\._|parallel\.cluster)|.*_pb2$"
)
# Files that the build of a release writes; a source tree that lacks them borrows those of the next release.
GENERATED = ("mindspore.ops.auto_generate", "mindspore.ops.functional_overload")


@dataclass(frozen=True)
class Origin:
    """Where an object is made: its module and its name there; `node` is None outside the sources (C++, NumPy)."""

    module: str
    name: str
    node: Optional[ast.stmt] = field(compare=False, default=None)


@dataclass(frozen=True)
class Imported:
    """A binding made by an import: `name` of `module`, or the module itself."""

    module: str
    name: str = ""


Binding = Union[Imported, ast.stmt]


class Sources:
    """The `mindspore` package in a folder; `lender` is the folder of a newer release, for the generated files."""

    def __init__(self, folder: Path, lender: Optional[Path] = None) -> None:
        self.files = dict(_files(folder))
        for name, file in _files(lender) if lender else ():
            if name.startswith(GENERATED):
                self.files.setdefault(name, file)
        self._read: dict[str, ModuleNames] = {}

    def module(self, name: str) -> ModuleNames:
        """The names of a module of this release; while it is being read (import cycles): those bound so far."""
        if name not in self._read:
            names = self._read[name] = ModuleNames(name, self.is_package(name))
            names.read(ast.parse(self.files[name].read_bytes()), self)
        return self._read[name]

    def is_package(self, name: str) -> bool:
        return self.files[name].name == "__init__.py"

    def public_modules(self) -> list[str]:
        """All modules but those that only the framework itself uses; modules behind an underscore are there too."""
        return sorted(module for module in self.files if not INTERNAL.match(module))

    def origin(self, module: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()) -> Optional[Origin]:
        """Where `module.name` is made; a module is an Origin with an empty name; None if there is no such name."""
        if module not in self.files or (module, name) in seen:
            return None if module in self.files else Origin(module, name)
        seen = seen | {(module, name)}
        bound = self.module(module).bindings.get(name)
        if bound is None or bound == Imported(module, name):  # `from mindspore import common` in the package itself
            submodule = f"{module}.{name}"
            return Origin(submodule, "") if submodule in self.files else None
        if isinstance(bound, Imported):
            return self.origin(bound.module, bound.name, seen) if bound.name else Origin(bound.module, "")
        other = self._other_name(module, bound, seen)
        return other or Origin(module, name, bound)

    def dotted(self, module: str, node: ast.expr, seen: frozenset[tuple[str, str]] = frozenset()) -> Optional[Origin]:
        """Where the object that `a` or `a.b.c` spells in `module` is made; None for other expressions and built-ins."""
        if isinstance(node, ast.Name):
            return self.origin(module, node.id, seen)
        if isinstance(node, ast.Attribute):
            base = self.dotted(module, node.value, seen)
            if base and not base.name:
                return self.origin(base.module, node.attr, seen)
            return Origin(base.module, f"{base.name}.{node.attr}") if base else None
        return None

    def _other_name(self, module: str, bound: ast.stmt, seen: frozenset[tuple[str, str]]) -> Optional[Origin]:
        """`half = float16` makes nothing: it is another name of float16."""
        value = getattr(bound, "value", None) if isinstance(bound, (ast.Assign, ast.AnnAssign)) else None
        return self.dotted(module, value, seen) if value is not None else None


class ModuleNames:
    """What one module binds, in order, and what it exports."""

    def __init__(self, name: str, package: bool) -> None:
        self.name, self.package = name, package
        self.bindings: dict[str, Binding] = {}
        self.lists: dict[str, list[str]] = {}  # lists of strings: __all__ and what it is made of

    def exports(self) -> list[str]:
        """The names that `from <module> import *` brings."""
        if "__all__" in self.lists:
            return sorted(set(self.lists["__all__"]))
        return sorted(name for name in self.bindings if not name.startswith("_"))

    def read(self, tree: ast.Module, sources: Sources) -> None:
        for stmt in _flat(tree.body):
            if isinstance(stmt, ast.Import):
                self._import(stmt)
            elif isinstance(stmt, ast.ImportFrom):
                self._import_from(stmt, sources)
            elif isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
                self.bindings[stmt.name] = stmt
            elif isinstance(stmt, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                self._assign(stmt, sources)
            elif isinstance(stmt, ast.Expr):
                self._call(stmt.value, sources)

    def _import(self, stmt: ast.Import) -> None:
        for name in stmt.names:
            self.bindings[name.asname or name.name.partition(".")[0]] = Imported(
                name.name if name.asname else name.name.partition(".")[0]
            )

    def _import_from(self, stmt: ast.ImportFrom, sources: Sources) -> None:
        module = stmt.module or ""
        if stmt.level:
            parts = self.name.split(".")
            parts = parts[: len(parts) - stmt.level + self.package]
            module = ".".join([*parts, *module.split(".")] if module else parts)
        for name in stmt.names:
            if name.name != "*":
                self.bindings[name.asname or name.name] = Imported(module, name.name)
            elif module in sources.files:
                self.bindings.update({n: Imported(module, n) for n in sources.module(module).exports()})

    def _assign(self, stmt: Union[ast.Assign, ast.AnnAssign, ast.AugAssign], sources: Sources) -> None:
        strings = self._strings(stmt.value, sources) if stmt.value else None
        for target in stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]:
            if not isinstance(target, ast.Name):
                continue
            if isinstance(stmt, ast.AugAssign):
                self.lists.setdefault(target.id, []).extend(strings or ())
                continue
            self.bindings[target.id] = stmt
            if strings is not None:
                self.lists[target.id] = strings

    def _call(self, node: ast.expr, sources: Sources) -> None:
        """`__all__.extend(other.__all__)` and its kin; `mark_deprecated(__name__, "a.b")` takes all names of a.b."""
        if not isinstance(node, ast.Call) or not node.args:
            return
        last = node.args[-1]
        text = last.value if isinstance(last, ast.Constant) and isinstance(last.value, str) else None
        if isinstance(node.func, ast.Name) and node.func.id == "mark_deprecated" and text:
            moved = sources.module(text)
            self.bindings.update({name: Imported(text, name) for name in moved.bindings})
            self.lists.update({"__all__": moved.lists["__all__"]} if "__all__" in moved.lists else {})
        elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            strings = self.lists.get(node.func.value.id, [])
            if node.func.attr == "extend":
                strings.extend(self._strings(last, sources) or ())
            elif node.func.attr == "append" and text:
                strings.append(text)
            elif node.func.attr == "remove":
                strings[:] = [one for one in strings if one != text]

    def _strings(self, node: ast.expr, sources: Sources) -> Optional[list[str]]:
        """A list of strings as far as it can be read; None for anything else."""
        if isinstance(node, (ast.List, ast.Tuple)):
            found: list[str] = []
            for item in node.elts:
                if isinstance(item, ast.Starred):
                    found.extend(self._strings(item.value, sources) or ())
                elif isinstance(item, ast.Constant) and isinstance(item.value, str):
                    found.append(item.value)
            return found
        if isinstance(node, ast.Name):
            bound = self.bindings.get(node.id)
            if node.id not in self.lists and isinstance(bound, Imported) and bound.module in sources.files:
                return list(sources.module(bound.module).lists.get(bound.name, []))
            return list(self.lists[node.id]) if node.id in self.lists else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return (self._strings(node.left, sources) or []) + (self._strings(node.right, sources) or [])
        if isinstance(node, ast.Attribute) and node.attr == "__all__":
            owner = sources.dotted(self.name, node.value)
            if owner and not owner.name and owner.module in sources.files:
                return sources.module(owner.module).exports()
        if isinstance(node, ast.ListComp) and ast.unparse(node.generators[0].iter) == "dir()":
            return [name for name in self.bindings if not name.startswith("_")]
        return None


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.rglob("*.py")):
        parts = ["mindspore", *file.relative_to(folder).with_suffix("").parts]
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those in if, try and with blocks too."""
    for stmt in body:
        yield stmt
        if isinstance(stmt, (ast.If, ast.Try, ast.With)):
            for inner in ("body", "handlers", "orelse", "finalbody"):
                for part in getattr(stmt, inner, ()):
                    yield from _flat(part.body if isinstance(part, ast.ExceptHandler) else [part])
