"""The files around a file: local imports by ancestor search, closures, and the programs that a file belongs to."""

from __future__ import annotations

import ast
import os
import re
from typing import Optional

from ms_perflint.semantics.module import Module
from ms_perflint.source import Files, Source, SourceError

LEVELS = 6  # directories upward that are searched for scripts and packages
MARKERS = frozenset({".git", "pyproject.toml", "setup.py", "setup.cfg"})  # of a project's root
IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#;]+))", re.MULTILINE
)
MAIN = re.compile(rb"^if[ \t(]+.*__name__", re.MULTILINE)
NAME = re.compile(rb"[A-Za-z_]\w*")


class Project:
    """Everything read so far. Files that were not asked about are read, never reported."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.size = 0  # bytes of parsed source that are held
        self._raw: dict[str, Optional[bytes]] = {}
        self._modules: dict[str, Optional[Module]] = {}
        self._imports: dict[str, tuple[str, ...]] = {}
        self._closures: dict[str, frozenset[str]] = {}
        self._ancestors: dict[str, tuple[str, ...]] = {}
        self._located: dict[tuple[str, str], tuple[str, ...]] = {}

    def forget(self) -> None:
        """Give back the memory of all modules; what files import is kept."""
        for module in self._modules.values():
            if module is not None:
                module.close()
        self._modules.clear()
        self._raw.clear()
        self._closures.clear()
        self.size = 0

    # --- files

    def holds_any(self, paths: frozenset[str]) -> bool:
        """Return whether one of these files is held as a module."""
        return not paths.isdisjoint(self._modules)

    def raw(self, path: str) -> Optional[bytes]:
        """Return the bytes of a file; None when it cannot be read."""
        if path not in self._raw:
            try:
                self._raw[path] = self.files.read(path)
            except OSError:
                self._raw[path] = None
        return self._raw[path]

    def contains(self, path: str, word: str) -> bool:
        """Return whether the bytes of a file contain a word: if not, nothing of that name is in it."""
        raw = self.raw(path)
        return raw is not None and word.encode() in raw

    def parse(self, path: str) -> Module:
        """Return the module of a file; OSError or SourceError where there is none."""
        held = self._modules.get(path)
        if held is not None:
            return held
        module = Module(Source(path, self.files.read(path)))
        self._modules[path] = module
        self.size += len(module.source.text)
        return module

    def take(self, source: Source, tree: ast.Module) -> Module:
        """Return the module of a file that was read and parsed elsewhere; the one that is held for it, if any."""
        held = self._modules.get(source.path)
        if held is None:
            held = self._modules[source.path] = Module(source, tree)
            self.size += len(source.text)
        return held

    def differs(self, source: Source) -> bool:
        """Return whether something else than this source is held for its file; line ends do not count."""
        if source.path not in self._modules:
            return False
        held = self._modules[source.path]
        return held is None or held.source.text.splitlines() != source.text.splitlines()

    def module(self, path: str) -> Optional[Module]:
        """Return the module of a file; None when it cannot be read or parsed."""
        if path not in self._modules:
            try:
                return self.parse(path)
            except (OSError, SourceError):
                self._modules[path] = None
        return self._modules[path]

    # --- imports

    def ancestors(self, directory: str) -> tuple[str, ...]:
        """Return a directory and those above it, up to the project's root."""
        if directory not in self._ancestors:
            found, current = [], directory
            for _ in range(LEVELS):
                found.append(current)
                parent = os.path.dirname(current)
                if parent == current or self.files.names(current) & MARKERS:
                    break
                current = parent
            self._ancestors[directory] = tuple(found)
        return self._ancestors[directory]

    def locate(self, directory: str, dotted: str, level: int = 0) -> tuple[str, ...]:
        """Return the local files that importing `dotted` runs, packages first; empty when it is no local module.

        The last file is the module itself only if its name ends the path; see `target`.
        """
        key = (directory, "." * level + dotted)
        if key not in self._located:
            self._located[key] = self._locate(directory, dotted, level)
        return self._located[key]

    def _locate(self, directory: str, dotted: str, level: int) -> tuple[str, ...]:
        parts = dotted.split(".") if dotted else []
        if level:
            base = directory
            for _ in range(level - 1):
                base = os.path.dirname(base)
            start = os.path.join(base, "__init__.py") if "__init__.py" in self.files.names(base) else None
            below = self._descend(base, parts)
            return (*([start] if start else []), *below)
        for base in self.ancestors(directory):
            found = self._descend(base, parts)
            if found:
                return found
        return ()

    def _descend(self, base: str, parts: list[str]) -> tuple[str, ...]:
        """Return the files of `a.b.c` under a directory, as far as they are there; nothing unless the first is."""
        found: list[str] = []
        for position, part in enumerate(parts):
            names = self.files.names(base)
            inner = os.path.join(base, part)
            if part in names and "__init__.py" in self.files.names(inner):
                found.append(os.path.join(inner, "__init__.py"))
            elif part + ".py" in names:
                found.append(os.path.join(base, part + ".py"))
                break
            elif part not in names or not self._is_package(inner, parts[position + 1 :]):
                break
            base = inner
        return tuple(found)

    def _is_package(self, directory: str, rest: list[str]) -> bool:
        """Return whether a directory without `__init__` serves as a namespace for the rest of the name."""
        names = self.files.names(directory)
        if not rest:
            return any(name.endswith(".py") for name in names)
        return (
            rest[0] in names
            or rest[0] + ".py" in names
            or (len(rest) == 1 and any(name.endswith(".py") for name in names))
        )

    def target(self, directory: str, dotted: str, level: int = 0) -> Optional[str]:
        """Return the file that is the module `dotted` itself; None when it is not local, or only a namespace."""
        files = self.locate(directory, dotted, level)
        if not files:
            return None
        last, name = files[-1], dotted.rpartition(".")[2]
        stem = os.path.basename(os.path.dirname(last)) if last.endswith("__init__.py") else os.path.basename(last)[:-3]
        return last if not dotted or stem == name else None

    def imports(self, path: str) -> tuple[str, ...]:
        """Return the local files that a file imports, found by a scan of its bytes."""
        if path not in self._imports:
            raw = self.raw(path)
            found: dict[str, None] = {}
            if raw is not None:
                for dotted, names, plain in IMPORT.findall(raw):
                    self._scan(path, dotted, names, plain, found)
            found.pop(path, None)
            self._imports[path] = tuple(found)
        return self._imports[path]

    def _scan(self, path: str, dotted: bytes, names: bytes, plain: bytes, found: dict[str, None]) -> None:
        directory = os.path.dirname(path)
        if plain:
            for part in plain.split(b","):
                name = part.split(b" as ")[0].strip()
                found.update(dict.fromkeys(self.locate(directory, name.decode("utf-8", "replace"))))
            return
        text = dotted.decode("utf-8", "replace")
        level = len(text) - len(text.lstrip("."))
        text = text.lstrip(".")
        if not level and text.partition(".")[0] == "mindspore":
            return
        found.update(dict.fromkeys(self.locate(directory, text, level)))
        for name in NAME.findall(names):
            inner = f"{text}.{name.decode()}" if text else name.decode()
            found.update(dict.fromkeys(self.locate(directory, inner, level)))

    def closure(self, entry: str) -> frozenset[str]:
        """Return a file and all local files that it imports, directly or not."""
        if entry not in self._closures:
            seen, todo = {entry}, [entry]
            while todo:
                for path in self.imports(todo.pop()):
                    if path not in seen:
                        seen.add(path)
                        todo.append(path)
            self._closures[entry] = frozenset(seen)
        return self._closures[entry]

    # --- programs

    def programs(self, path: str) -> tuple[str, ...]:
        """Return the entry scripts of the programs of a file: itself, and scripts above it that import it."""
        scripts = []
        for directory in self.ancestors(os.path.dirname(path)):
            for name in sorted(self.files.names(directory)):
                script = os.path.join(directory, name)
                if name.endswith(".py") and script != path and self._mentions(script) and path in self.closure(script):
                    scripts.append(script)
        entries = [script for script in scripts if self._is_entry(script, scripts)]
        return (path, *sorted(entries))

    def _mentions(self, script: str) -> bool:
        raw = self.raw(script)
        return raw is not None and b"import" in raw

    def _is_entry(self, script: str, scripts: list[str]) -> bool:
        raw = self.raw(script)
        if raw is not None and MAIN.search(raw):
            return True
        return not any(script in self.closure(other) for other in scripts if other != script)
