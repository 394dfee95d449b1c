"""The code that runs, forward from the entry script, by the names that running code loads."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.graphs import reachable
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.signature import receiver_name
from ms_perflint.index.syntax_forms import is_decorated, name_of, names_in, only_target, path_of, text_of, word_of
from ms_perflint.infer import config_files, registries
from ms_perflint.infer.commandline import CONFIGS
from ms_perflint.infer.database import Files
from ms_perflint.libraries import mindspore
from ms_perflint.resolve.imports import NOT_LOCAL
from ms_perflint.resolve.outline import ImportWork

HOOKS = frozenset({"construct", "bprop", "forward", "run", *mindspore.HOOKS})  # methods that the framework calls
EXPOSING = frozenset({"Fire", "CLI", "auto_cli"})  # calls that run the methods that the command line names
ANY = "*"  # of the names in a module
COMPUTED = ""  # among the attributes that code loads: one with a computed name
SIZE = 2_000_000  # bytes of running modules, about 50,000 lines, from which on a program is not read any further
ENTRIES = 800_000  # the same, where all entries of its tables run: of more, only those that the run names do


class Reached(NamedTuple):
    """The scopes that run, and whether they are all."""

    scopes: set[Scope]
    is_whole: bool  # no: more than SIZE would have to be read, and only the entry script was
    is_large: bool = False  # more than ENTRIES
    unread: int = 0  # files with entries of its tables of which it is not known which are used
    keys: frozenset[str] = frozenset()  # of tables of which only some entries run
    named: frozenset[str] = frozenset()  # those of them that the run names


def reached(program: Files, words: frozenset[str] = frozenset()) -> Reached:
    """Return the scopes that run: a running scope makes the functions and classes run whose names it loads.

    All functions of the entry script count, also those that `__main__` does not call. A module counts once running
    code loads a name of it, or what its import changes, or if importing it has other effects; others are not parsed.
    Of tables that decorators fill,
    and that running code reads, all entries run. Of large tables, read or not, those run whose keys are named by
    running code, or by the run (`words`: what it passes, and the words of its config files). Where running code gets
    methods by computed names, all methods run that these may be.
    """
    too_large: set[tuple[str, frozenset[str]]] = program.project.shared.setdefault(_TooLarge, set())
    for takes_all in (True, False) if (program.entry, words) not in too_large else ():
        reach = _Reach(program, words, takes_all)
        try:
            scopes, keys = reach.run(), frozenset(reach.keys)
            return Reached(scopes, True, reach.size > ENTRIES, reach.unread, keys, words & keys)
        except _TooLarge:
            if not reach.has_taken_all:
                break
    too_large.add((program.entry, words))
    entry = program.module(program.entry)
    return Reached({scope for scope in entry.scopes if scope.owner is scope} if entry else set(), False)


def is_small(program: Files, most: int = SIZE) -> bool:
    """Return whether all files of a program together have at most `most` bytes, in any encoding."""
    return 2 * sum(len(program.project.raw(path) or b"") for path in program.files) <= most


def runs_at_once(entry: str, site: Site) -> bool:
    """Return whether code of an entry script evaluates a site that always runs: of itself, its functions and classes.

    `entry`: its path.
    """
    scope = site.scope.evaluated_in
    return scope.module.path == entry and (scope.parent is None or scope.parent is scope.module.scope)


def config_words(program: Files, path: str, directory: str) -> frozenset[str]:
    """Return the words of a config file, and of those that it includes, which may be keys of a table."""
    found: set[str] = set()
    todo = [(path, directory)]
    for named, home in todo:
        file = config_files.find(program, named, home)
        if file is not None:
            new = registries.words(program.project.raw(file) or b"") - found
            found |= new
            todo += [(word, os.path.dirname(file)) for word in new if word.endswith(CONFIGS)]
    return frozenset(found)


class _TooLarge(Exception):
    """More code runs than can be read in the time of an edit."""


def _dispatched(scope: Scope) -> Iterator[str]:
    """Yield the words among which are the names of classes with methods that a scope gets by a computed name.

    For `getattr(self, name)` the class around it; for a call `getattr(x, name)()` the classes that its file names, also
    where it is made through a name: `f = getattr(x, name)`.
    """
    module = scope.module
    sites = scope.calls or module.scope.calls  # of a script block, which has none of its own
    called = {site.word for site in sites if site.word}
    for site in sites:
        if site.word != "getattr" or len(site.call.args) < 2 or text_of(site.call.args[1]):
            continue
        base = site.call.args[0]
        word = name_of(base)
        if word and word == receiver_name(site.scope):
            yield from (each.cls.name for each in scope.chain() if each.cls is not None)
        elif (module.calls(site.call) or path_of(only_target(site.stmt)) in called) and word not in module.imported:
            yield from set[str]().union(*(each.names | each.attrs for each in (scope, *module.scopes)))


def _exposed(scope: Scope) -> Iterator[str]:
    """Yield the words among which are the names of classes with methods that the command line may name."""
    for site in scope.calls or scope.module.scope.calls:  # as above
        if site.word not in EXPOSING:
            continue
        if not site.call.args:
            yield from (each.name for each in scope.module.scope.defines)
        given = {name for part in site.call.args for name in names_in(part)}
        values = [each.value for name in given for each in site.scope.bindings.get(name, ()) if each.value is not None]
        yield from given
        yield from (each.id for value in values for each in ast.walk(value) if isinstance(each, ast.Name))


class _ImportEffects(NamedTuple):
    """The files of a program whose import has effects, by their bytes."""

    acting: list[str]
    changing: dict[str, set[str]]  # those that only change what other files define, with the names of that


def _import_effects(program: Files) -> _ImportEffects:
    """Return the files of a program whose import has effects."""
    outlines = {path: found for path in program.files if (found := program.project.outline(path)) is not None}
    files = {path: (found, program.project.imports.taken(path, "mindspore")[1]) for path, found in outlines.items()}
    work, effects = ImportWork(files.values()), _ImportEffects([], {})
    for path, (found, watched) in files.items():
        changed = _changed_of_others(program, path, found.changed) if found.changed else set()
        if work.acts(found, watched) or ANY in changed:
            effects.acting.append(path)
        elif changed:
            effects.changing[path] = changed
    return effects


def _changed_of_others(program: Files, path: str, changed: frozenset[str]) -> set[str]:
    """Return the names of what a file changes of what other files define; ANY for a module, and for another name.

    `changed`: the first words of what it changes.
    """
    imports, directory, found = program.project.imports, os.path.dirname(path), set[str]()
    for each in imports.statements(path):
        parts = each.dotted.split(".")
        located = imports.locate(directory, each, program.names.roots) if not changed.isdisjoint(parts) else NOT_LOCAL
        if located.files:
            is_name = located.module is None and parts[-1] in changed
            found.add(parts[-1] if is_name and not _is_alias(program, path, parts[-1]) else ANY)
    return found


def _is_alias(program: Files, path: str, name: str) -> bool:
    """Return whether a file may import something as a name."""
    return re.search(rb"\bas[ \t]+" + name.encode() + rb"\b", program.project.raw(path) or b"") is not None


class _Reach:
    def __init__(self, program: Files, words: frozenset[str], takes_all: bool) -> None:
        self.program = program
        self.takes_all = takes_all  # entries of tables, where they are not too many
        self.has_taken_all = False
        self.found: set[Scope] = set()
        self.modules: list[SemanticIndex] = []  # those that count
        self.size = 0  # bytes of the modules that count
        self.unread = 0
        self.words = set(words)  # that may be keys of tables
        self.keys: set[str] = set()
        self.texts_of: set[str] = set()  # files whose texts are among the words
        self.todo: list[Scope] = []
        self.names: set[str] = set()  # that running code loads
        self.attrs: set[str] = set()  # attributes that it loads
        self.changing: dict[str, set[str]] = {}  # files that only change what others define, until that is loaded
        self.methods: dict[str, list[Scope]] = {}  # of classes that are reached and wait for their attribute
        self.bases: dict[str, set[str]] = {}  # names of classes that are reached -> last words of their bases
        self.dispatching: set[str] = set()  # names of classes with methods that computed names may give
        self.importing: dict[str, None] = {}  # files whose members computed names may give

    def run(self) -> set[Scope]:
        effects = _import_effects(self.program)
        self.changing = effects.changing
        for path in effects.acting:
            self.touch(self.program.module(path))
        entry = self.program.module(self.program.entry)
        self.touch(entry)
        if entry is not None:
            if entry.scope.main is not None:
                self.load(entry.scope.main)
            for scope in entry.scope.defines:
                self.add(scope)
        while self.todo:
            while self.todo:
                self.load(self.todo.pop())
            self.dispatch()
            self.take_members()
            self.register()
            self.take_changes()
        return self.found

    def dispatch(self) -> None:
        """Add the methods that `getattr(self, name)` may give: of the class, of its bases and of derived classes."""
        if not self.dispatching:
            return
        above = self.line(self.dispatching)
        waiting = [method for methods in self.methods.values() for method in methods]
        owners = {method.cls.name for method in waiting if method.cls is not None}
        given = {own for own in owners if own in above or not self.dispatching.isdisjoint(self.line([own]))}
        for method in waiting:
            if method.cls is not None and method.cls.name in given:
                self.add(method)

    def take_members(self) -> None:
        """Add what texts name in files that a call imports: `getattr(import_module(path), name)`."""
        modules = [module for path in self.importing if (module := self.program.module(path)) is not None]
        left = [scope for module in modules for scope in module.scope.defines if scope not in self.found]
        if not left:
            return
        self.read_texts(self.modules)
        named = {word.rpartition(".")[2] for word in self.words}
        for scope in left:
            if scope.name.lower() in named:
                self.add(scope)

    def take_changes(self) -> None:
        """Add the files whose import changes what running code loads."""
        imports = self.program.project.imports
        loaded = self.names.union(self.attrs, *(imports.words(module.path) for module in self.modules))
        for path in [path for path, names in self.changing.items() if not loaded.isdisjoint(names)]:
            del self.changing[path]
            self.touch(self.program.module(path))

    def line(self, names: Iterable[str]) -> Collection[str]:
        """Return the names of some classes, and of their bases."""
        return reachable(names, lambda each: self.bases.get(each, ()))

    def register(self) -> None:
        """Add what decorators put into the tables of running code, which no code loads by name."""
        words: Collection[str] = {word for module in self.modules for word in registries.registering(module)}
        marked, known = self.marked(words), {module.path for module in self.modules}
        if not marked:
            return
        size = sum(self.length(path) for path in marked if path not in known)
        if self.size + size <= ENTRIES:  # of more, all programs of a project together take minutes: all tables count
            words = registries.read_by(self.running(), self.modules)
            marked = self.marked(words)
        words = tuple(sorted(words))
        left = [path for path in marked if path not in known]
        if not left or (self.takes_all and not self.keys and self.size + sum(map(self.length, left)) <= ENTRIES):
            self.has_taken_all = True
            for path in marked:
                self.enter(path, words)
            return
        self.read_texts(self.modules)
        self.unread = 0
        for word in words:
            self.register_named(word, [path for path in marked if self.program.project.decorates(path, (word,))])

    def marked(self, words: Collection[str]) -> list[str]:
        """Return the files with decorators that have one of these words."""
        files = self.program.files if words else ()
        return [path for path in files if self.program.project.decorates(path, tuple(words))]

    def running(self) -> Iterator[Scope]:
        """Yield all code that runs so far."""
        entry = self.program.module(self.program.entry)
        yield from self.found
        if entry is not None and entry.scope.main is not None:
            yield entry.scope.main

    def register_named(self, word: str, marked: Sequence[str]) -> None:
        """Add what decorators with a word put into a table under keys that the run names."""
        fits = {path: self.program.project.keys(path) for path in marked}
        self.keys.update(*fits.values())
        named = [path for path, keys in fits.items() if not keys.isdisjoint(self.words)]
        added = [path for path in named if self.enter(path, (word,), self.words)]
        if marked and not added:
            self.unread += len(marked)

    def enter(self, path: str, words: Sequence[str], keys: Optional[Container[str]] = None) -> bool:
        """Add what a file defines with decorators of some words, and return whether there is any.

        `keys`: only entries under one of them.
        """
        module = self.program.module(path)
        found = [scope for scope in module.scope.defines if is_decorated(scope.node, *words)] if module else []
        wanted = [each for each in found if keys is None or any(key in keys for key in registries.keys_of(each))]
        for scope in wanted:
            self.add(scope)
        return bool(wanted)

    def read_texts(self, running: Iterable[SemanticIndex]) -> None:
        """Note the texts of running code, and of the config files that it names, which may be keys of a table."""
        for module in running:
            if module.path not in self.texts_of:
                self.texts_of.add(module.path)
                words, configs = registries.texts(module)
                self.words |= words
                for path in configs:
                    self.words |= config_words(self.program, path, module.directory)

    def length(self, path: str) -> int:
        """Return the size of a file in bytes."""
        return len(self.program.project.raw(path) or b"")

    def touch(self, module: Optional[SemanticIndex]) -> None:
        """Add a module that is imported. Raises _TooLarge."""
        if module is not None and module.scope not in self.found:
            self.size += len(module.source.text)
            if self.size > (ENTRIES if self.takes_all and self.has_taken_all else SIZE):
                raise _TooLarge
            self.modules.append(module)
            self.add(module.scope)

    def add(self, scope: Scope) -> None:
        if scope in self.found:
            return
        self.found.add(scope)
        if scope.module.scope not in self.found:
            self.touch(scope.module)
        self.todo.append(scope)
        if not isinstance(scope.node, ast.ClassDef):
            return
        self.bases.setdefault(scope.name, set()).update(map(word_of, scope.node.bases))
        for method in scope.defines:
            is_used = method.is_class or method.name in scope.names  # the body of a class runs with that around it
            if is_used or method.name in HOOKS or method.name.startswith("__") or method.name in self.attrs:
                self.add(method)
            else:
                self.methods.setdefault(method.name, []).append(method)

    def load(self, scope: Scope) -> None:
        """Add what a running scope loads: what its names resolve to, and the modules that bind them."""
        resolved = self.program.names.loaded(scope)
        for module in resolved.modules:
            if module.scope not in self.found:  # mostly it is: asking costs more than this look
                self.touch(module)
        for other in resolved.scopes:
            if other not in self.found:
                self.add(other)
        if COMPUTED in scope.attrs:
            self.dispatching.update(_dispatched(scope))
            if self.program.names.imports_by_call(scope.module):
                self.importing.update(dict.fromkeys(self.program.names.named_by_call(scope.module)))
                self.importing.update(dict.fromkeys(self.program.project.imports.named(self.program.entry)))
        if not EXPOSING.isdisjoint(scope.attrs) or not EXPOSING.isdisjoint(scope.names):
            self.dispatching.update(_exposed(scope))
        new = scope.attrs - self.attrs
        self.attrs |= new
        self.names |= scope.names
        for attr in new & self.methods.keys():
            for method in self.methods.pop(attr):
                self.add(method)
