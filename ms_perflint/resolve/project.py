"""The files around a file: their bytes and modules, and the programs that a file belongs to."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from typing import Any, Optional, TypeVar

from ms_perflint.core.facts import fact
from ms_perflint.core.files import Files
from ms_perflint.core.graphs import reachable
from ms_perflint.core.internal import Errors
from ms_perflint.core.source import BOM, LETTER, LETTERS, NAME, NOTEBOOK, START, Source, SourceError
from ms_perflint.index.index_builder import module_of
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.resolve import config_documents
from ms_perflint.resolve.entry_points import Entries
from ms_perflint.resolve.import_statements import text
from ms_perflint.resolve.imports import Imports, Roots
from ms_perflint.resolve.outline import Outline, outline
from ms_perflint.resolve.parsed import Parsed
from ms_perflint.resolve.resolver import Resolver

BASES = re.compile(rb"class[ \t]+" + LETTER + rb"+[ \t]*\(([^)]*)\)")  # starts with letters: that is looked for fastest
DECORATOR = rb"\n@(" + LETTER + rb"+(?:\." + LETTER + rb"+)*)"  # of what stands in no block
INNER_DECORATOR = DECORATOR.replace(rb"\n", rb"\n[ \t]*", 1)  # of anything
# what stands in no block: the first text of a decorator, or the name of a definition
ENTRY = rb"(?m)^(?:@[^\n]*?[\"']([" + LETTERS + rb"./-]+)[\"']|(?:def|class|async def)[ \t]+(" + LETTER + rb"+))"
RENAMED = re.compile(rb"[ \t]as[ \t]+" + LETTER)
WORD = re.compile(NAME)
MEMBER = START + rb"(" + LETTER + rb"+)\.(" + LETTER + rb"+)\("
SCANNED = 500  # files of which the imports are kept when all else is evicted
SEARCH_PATHS = 4  # of programs, of which it is kept what names mean: those of one directory follow one another
HELD_RAW = 4_000_000  # bytes that are read before those of files that are no held modules are evicted
Work = TypeVar("Work", bound=Callable[..., Any])


def consulting(work: Work) -> Work:
    """Return a method about a file that notes that it was asked, also where its answer is memoised."""

    @wraps(work)
    def asked(project: Project, path: str, *more: Any) -> Any:
        project.consulted.add(path)
        return work(project, path, *more)

    return asked  # type: ignore[return-value]


class Project:
    """The files and modules that were read. Files that are not linted are read, but not reported."""

    def __init__(
        self,
        files: Files,
        parsed: Optional[Parsed] = None,
        entries: Optional[Entries] = None,
        errors: Optional[Errors] = None,
    ) -> None:
        self.files = files
        self.errors = errors or Errors()  # internal errors in files that were read for others
        self.parsed = parsed  # where modules are kept that are to outlast this project
        self.size = 0  # bytes of parsed source that are held
        self._raw: dict[str, Optional[bytes]] = {}
        self._raw_size = 0  # bytes read since some were evicted
        self._lines: dict[str, bytes] = {}
        self._modules: dict[str, Optional[SemanticIndex]] = {}
        self.consulted: set[str] = set()  # files that were asked about, since it was emptied; not for the import graph
        self.broken: set[str] = set()  # files that were asked for, and could not be read or parsed
        self.entries = entries or Entries(Imports(files))
        self.imports = self.entries.imports
        self.imports.raw, self.imports.errors = self._normalised, self.errors
        self._names: dict[Roots, Resolver] = {}
        self._contains: dict[tuple[str, ...], dict[str, bool]] = {}
        self.facts: dict[tuple[object, ...], Any] = {}
        self.shared: dict[type, Any] = {}  # what its programs share, by its type

    def close(self) -> None:
        """Cut the reference cycles, so that memory is released without the garbage collector."""
        for module in self._modules.values():
            if module is not None and self.parsed is None:
                module.close()
        for names in self._names.values():
            names.close()
        self.__dict__.clear()

    def renewed(self) -> Project:
        """Return a new project for the same files without modules; this one is closed.

        The new one keeps the import graph, unless that is too large.
        """
        files, parsed, entries, errors = self.files, self.parsed, self.entries, self.errors
        self.close()
        return Project(files, parsed, entries if len(entries.imports.scanned) <= SCANNED else None, errors)

    # --- files

    def holds_any(self, paths: frozenset[str]) -> bool:
        """Return whether one of these files is held as a module."""
        return not paths.isdisjoint(self._modules)

    def is_parsed(self, path: str) -> bool:
        """Return whether the module of a file is held, with all of its code."""
        module = self._modules.get(path)
        return module is not None and not module.source.lost

    def holds(self, module: SemanticIndex) -> bool:
        """Return whether a module is the one that is held for its file."""
        return self._modules.get(module.path) is module

    @consulting
    def read(self, path: str) -> bytes:
        """Return the bytes of a file, from memory if held. Raises OSError when it cannot be read."""
        held = self._raw.get(path)
        return held if held is not None else self.files.read(path)

    @consulting
    def raw(self, path: str) -> Optional[bytes]:
        """Return the bytes of a file, and hold them for a limited time; None when it cannot be read."""
        return self._bytes(path)

    def _bytes(self, path: str) -> Optional[bytes]:
        if path not in self._raw:
            raw = self.errors.guard(path, partial(self._contents, path), None)
            if self._raw_size > HELD_RAW:  # most was read to know what it imports, and is of no program that is asked
                self._raw = {each: held for each, held in self._raw.items() if each in self._modules}
                self._lines.clear()
                self._raw_size = 0
            self._raw[path] = raw
            self._raw_size += len(raw or b"")
        return self._raw[path]

    def _contents(self, path: str) -> Optional[bytes]:
        try:
            return self.files.read(path)
        except OSError:
            return None

    @consulting
    def lines(self, path: str) -> Optional[bytes]:
        """Return the bytes of a Python file normalised for scans: lines end with `\\n` and start with code."""
        return self._normalised(path)

    def _normalised(self, path: str) -> Optional[bytes]:
        raw = self._bytes(path)
        if raw is None:
            return None
        if path not in self._lines:
            self._lines[path] = self.errors.guard(path, partial(_lines, path, raw), b"")
        return self._lines[path]

    @consulting
    def contains(self, path: str, word: str) -> bool:
        """Return whether the bytes of a file contain a word."""
        raw = self.raw(path)
        return raw is not None and word.encode() in raw

    @consulting
    def contains_any(self, path: str, words: tuple[str, ...]) -> bool:
        """Return whether the bytes of a file contain one of these words; memoised."""
        held = self._contains.setdefault(words, {})
        found = held.get(path)
        if found is None:
            raw = self.raw(path) or b""
            found = held[path] = any(word.encode() in raw for word in words)
        return found

    def one_contains(self, paths: Iterable[str], words: tuple[str, ...]) -> bool:
        """Return whether one of these files contains one of these words."""
        held = self._contains.setdefault(words, {})
        for path in paths:
            self.consulted.add(path)
            found = held.get(path)
            if found or (found is None and self.contains_any(path, words)):
                return True
        return False

    @consulting
    def decorates(self, path: str, words: tuple[str, ...]) -> bool:
        """Return whether a file has a decorator with one of these words in its name, by a scan of its bytes."""
        return not self._decorators(path).isdisjoint(words)

    @fact
    def _decorators(self, path: str) -> frozenset[str]:
        return self._words_of(DECORATOR, path)

    @consulting
    @fact
    def decorators(self, path: str) -> frozenset[str]:
        """Return the words in the names of all decorators of a file, those of methods too, by a scan of its bytes."""
        return self._words_of(INNER_DECORATOR, path) if b"@" in (self.raw(path) or b"") else frozenset()

    def _words_of(self, pattern: bytes, path: str) -> frozenset[str]:
        names = re.findall(pattern, b"\n" + (self.lines(path) or b""))
        return frozenset(text(word) for name in names for word in name.split(b"."))

    @consulting
    @fact
    def members(self, path: str, words: frozenset[str]) -> frozenset[str]:
        """Return the calls `x.word(...)` of a file with one of these words, as `x.word`, by a scan of its bytes."""
        found = re.findall(MEMBER, self.raw(path) or b"")
        return frozenset(text(b".".join(each)) for each in found if text(each[1]) in words)

    @consulting
    @fact
    def keys(self, path: str) -> frozenset[str]:
        """Return the keys, in lower case, under which decorators may register the definitions of a file.

        They are names of definitions and string arguments of decorators, by a scan of its bytes.
        """
        found = re.findall(ENTRY, self.lines(path) or b"")
        return frozenset(text(string or name).lower() for string, name in found)

    @consulting
    @fact
    def matches(self, path: str, pattern: bytes) -> bool:
        """Return whether a pattern is found in the bytes of a file; memoised."""
        return re.compile(pattern, re.MULTILINE).search(self.lines(path) or b"") is not None

    @consulting
    @fact
    def documents(self, path: str) -> tuple[config_documents.Entry, ...]:
        """Return the documents of a config file; none where it cannot be read."""
        from ms_perflint.resolve import toml_ini

        raw = self.raw(path)
        nothing: tuple[config_documents.Entry, ...] = ()
        self.size += len(raw or b"")
        read = partial(toml_ini.documents, raw or b"", path)
        return self.errors.guard(path, read, nothing) if raw is not None else nothing

    @consulting
    @fact
    def outline(self, path: str) -> Optional[Outline]:
        """Return the outline of a file; None when it cannot be read."""
        raw = self.lines(path)
        return self.errors.guard(path, partial(outline, raw), None) if raw is not None else None

    @consulting
    def may_derive(self, path: str, name: str) -> bool:
        """Return whether a file may have a class with a base of this name, by a scan of its bytes."""
        return name.encode() in self._bases(path)

    @fact
    def _bases(self, path: str) -> frozenset[bytes]:
        return frozenset(_bases(self.lines(path) or b""))

    @consulting
    def parse(self, path: str, raw: Optional[bytes] = None) -> SemanticIndex:
        """Return the module of a file, which is read unless its bytes are given. Raises OSError or SourceError."""
        held = self._modules.get(path)
        if held is not None:
            return held
        raw = self._raw[path] = self.read(path) if raw is None else raw
        module = module_of(Source(path, raw)) if self.parsed is None else self.parsed.module(path, raw)
        self._modules[path] = module
        self.broken.discard(path)
        self.size += len(module.source.text)
        return module

    def take(self, source: Source, tree: ast.Module) -> SemanticIndex:
        """Return the module of a source and tree from elsewhere; the one that is held for the file, if any."""
        held = self._modules.get(source.path)
        if held is None:
            held = self._modules[source.path] = module_of(source, tree)
            self.broken.discard(source.path)
            self.size += len(source.text)
        return held

    def differs(self, source: Source) -> bool:
        """Return whether the module that is held for a file has another source; line ends do not count."""
        if source.path not in self._modules:
            return False
        held = self._modules[source.path]
        return held is None or held.source.text.splitlines() != source.text.splitlines()

    @consulting
    def module(self, path: str) -> Optional[SemanticIndex]:
        """Return the module of a file; None when it cannot be read or parsed."""
        if path not in self._modules:
            module = self._modules[path] = self.errors.guard(path, partial(self._parsed_or_none, path), None)
            if module is None:
                self.broken.add(path)
        return self._modules[path]

    def _parsed_or_none(self, path: str) -> Optional[SemanticIndex]:
        try:
            return self.parse(path)
        except (OSError, SourceError):
            return None

    def evict(self, path: str, entries: Iterable[str] = ()) -> None:
        """Evict the module of a file that no other file imports; it is created again when it is needed.

        A module that another held one imports, directly or not, stays: resolvers refer to it. `entries`: the entry
        scripts of the programs that are held.
        """
        module = self._modules.get(path)
        if module is None or self.parsed is not None:
            return
        if any(path in self.closure(entry) for entry in entries if entry != path) or self._is_imported(path):
            return
        del self._modules[path]
        self.size -= len(module.source.text)
        for names in self._names.values():
            names.evict(module)
        module.close()

    def _is_imported(self, path: str) -> bool:
        """Return whether another module that is held imports a file, directly or not, as some resolver finds it."""
        others = [other for other in self._modules if other != path]
        found = (reachable(others, partial(self._imported, roots)) for roots in ((), *filter(None, self._names)))
        return any(path in each for each in found)

    def _imported(self, roots: Roots, path: str) -> tuple[str, ...]:
        return self.imports.imported(path, roots)

    # --- imports and programs

    def names(self, roots: Roots) -> Resolver:
        """Return the resolver of programs with a search path; the last few are kept."""
        found = self._names.pop(roots, None) or Resolver(self, roots)
        if len(self._names) >= SEARCH_PATHS:
            del self._names[next(iter(self._names))]
        self._names[roots] = found
        return found

    def ancestors(self, directory: str) -> tuple[str, ...]:
        """Return a directory and those above it, up to the project's root."""
        return self.imports.ancestors(directory)

    def closure(self, entry: str) -> frozenset[str]:
        """Return a file and all local files that it imports, directly or not."""
        return self.imports.closure(entry)

    def programs(self, path: str) -> tuple[str, ...]:
        """Return the entry scripts of the programs of a file: itself, and scripts that import it."""
        return self.entries.programs(path)


def _lines(path: str, raw: bytes) -> bytes:
    """Return the bytes of a Python file without BOM, form feeds and other ends of lines than `\\n`."""
    if path.endswith(NOTEBOOK):
        raw = _cells(path, raw)
    raw = raw[len(BOM) :] if raw.startswith(BOM) else raw
    raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in raw else raw
    return raw.replace(b"\n\f", b"\n").lstrip(b"\f") if b"\f" in raw else raw


def _bases(raw: bytes) -> Iterator[bytes]:
    """Yield the last words of base classes, and names with an alias by `as`."""
    for bases in BASES.findall(raw):
        yield from WORD.findall(bases)
    for found in RENAMED.finditer(raw):
        before = raw[raw.rfind(b"\n", 0, found.start()) + 1 : found.start()].rstrip()
        yield from (name for name in WORD.findall(before)[-1:] if before.endswith(name))


def _cells(path: str, raw: bytes) -> bytes:
    """Return the code of a notebook; b"" where it cannot be read."""
    try:
        return Source(path, raw).text
    except SourceError:
        return b""
