"""Outlines: facts about a file from a scan of its bytes, so that most files of a large program are not parsed."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Mapping, Set
from functools import cached_property
from typing import NamedTuple

from ms_perflint.core.source import LETTER, NAME, START
from ms_perflint.resolve.import_statements import statements, text

LITERAL = (
    rb"(?s)#[^\n]*"
    rb'|"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
    rb"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
    rb'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
    rb"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
)
STATEMENT = rb"\n(?=[^\s)\]}])"  # in front of what may be a statement of the module itself
DEFINITION = re.compile(rb"(?:async[ \t]+)?(?:def|class)[ \t]+(" + LETTER + rb"+)")
METHOD = rb"\n[ \t]+def[ \t]+(" + LETTER + rb"+)"  # one pattern for both would be five times as slow
COROUTINE = rb"\n[ \t]+async[ \t]+def[ \t]+(" + LETTER + rb"+)"
FUNCTION = re.compile(rb"(?:async[ \t]+)?def\b")
WORD = re.compile(NAME)
PASSIVE = re.compile(rb"(?:class|import|from)\b|@|\"\"|if[ \t(]+__name__")  # what runs of it at import does not matter
OUTSIDE = re.compile(rb"(?:from|import)[ \t]+mindspore\b")  # what it binds leads to no file of a project
CALL = START + rb"(" + LETTER + rb"+)((?:\s*\.\s*" + LETTER + rb"+)*)\s*\("
CHANGE = (  # `settings.mode = 1`, `settings["mode"] = 1`, `settings.update(mode=1)`
    rb"(?:^|[\n;])[ \t]*(" + LETTER + rb"+)(?:[.\[][^\n=()]*=(?!=)"
    rb"|[^\n=()]*\.(?:update|setdefault|append|extend|insert|add|pop|clear|remove)\()"
)
ENVIRONMENT = rb"\benviron\b"
ALL = rb"import[ \t]*\(?[ \t]*\*"
DYNAMIC = frozenset({b"exec", b"import_module", b"__import__"})
LOGGING = frozenset({b"debug", b"info", b"warning", b"error", b"exception", b"setLevel", b"addHandler"})
ASKING = rb"_*(?:is|has)_"  # names of functions that do nothing else
# names in a watched package that make a value: classes, `get_rank`, `ops.zeros`
MAKING = (
    rb"[A-Z]|get_|(?:arange|array|concat|eye|from_numpy|full|linspace|ones|ones_like|rand|randn|stack|tensor|zeros"
    rb"|zeros_like)$"
)
BUILTIN = frozenset(name.encode() for kind in (builtins, dict, list, set, str) for name in dir(kind)) - DYNAMIC


class Code(NamedTuple):
    """The calls in some statements, by first and last word, and whether they use the environment."""

    calls: frozenset[tuple[bytes, bytes]]
    environment: bool


class Function:
    """A function, whose calls are scanned when it is called."""

    def __init__(self, text: bytes) -> None:
        self.text = text  # without the contents of its literals

    @cached_property
    def code(self) -> Code:
        """Return the calls in its body."""
        return _code(self.text)


class Outline(NamedTuple):
    """The names that a file defines, and what runs when it is imported."""

    binds: frozenset[str]  # names of the module itself, and other words of the statements that bind them
    outside: frozenset[str]  # the words of its imports from MindSpore, which another module may have by a star
    stars: tuple[str, ...]  # the modules of which it imports all names, with the dots in front
    methods: frozenset[bytes]  # functions that are defined in a class or function
    functions: Mapping[bytes, Function]  # those of the module itself
    changed: frozenset[str]  # first words of what its other statements change, imported or its own
    code: Code  # the other statements of the module itself, imports and classes left out


class ImportWork:
    """Finds the files of a program with an effect when they are imported.

    Such a file reads or sets the environment, or calls something that does, or a function of a watched package.
    Making an object has no effect, and asking `is_available()` has none.
    """

    def __init__(self, files: Iterable[tuple[Outline, Set[bytes]]]) -> None:
        """`files`: the outline of each file, and its names from the watched package."""
        self.methods: set[bytes] = set()
        self.functions: dict[bytes, list[tuple[Function, Set[bytes]]]] = {}
        for each, watched in files:
            self.methods |= each.methods
            for name, function in each.functions.items():
                self.functions.setdefault(name, []).append((function, watched))

    def acts(self, file: Outline, watched: Set[bytes]) -> bool:
        """Return whether the import of a file has an effect; `watched`: its names from the watched package."""
        codes, called = [(file.code, watched)], set[bytes]()
        for code, watched in codes:  # grows by that of functions that are called
            if code.environment:
                return True
            for first, last in code.calls:
                if last in BUILTIN or last in LOGGING:  # what a project defines of these names is hardly meant
                    continue
                if re.match(ASKING, last) or (first in watched and re.match(MAKING, last)):
                    continue
                if last in DYNAMIC or first in watched:
                    return True
                if last in self.functions:
                    if last not in called:
                        called.add(last)
                        codes += [(each.code, names) for each, names in self.functions[last]]
                elif first != last and last in self.methods:
                    return True
        return False


def outline(raw: bytes) -> Outline:
    """Return the outline of a Python file; in doubt, its import has an effect."""
    bare = re.sub(LITERAL, b'""', raw)
    functions: dict[bytes, Function] = {}
    binds: set[bytes] = set()
    outside: set[bytes] = set()
    calls: set[tuple[bytes, bytes]] = set()
    environment = False
    changed: set[bytes] = set()
    for statement in re.split(STATEMENT, bare):
        definition = DEFINITION.match(statement)
        if definition is None:
            (outside if OUTSIDE.match(statement) else binds).update(WORD.findall(statement))
        else:
            binds.add(definition.group(1))
        if definition is not None and FUNCTION.match(statement):
            functions[definition.group(1)] = Function(statement[statement.find(b"(") + 1 :])
        elif not PASSIVE.match(statement):
            code = _code(statement)
            calls |= code.calls
            changed.update(re.findall(CHANGE, statement))
            environment = environment or code.environment
    lines = b"\n" + bare
    methods = frozenset((*re.findall(METHOD, lines), *(re.findall(COROUTINE, lines) if b"async" in lines else ())))
    names = (text(dotted) for dotted, names, _ in statements(bare) if names.lstrip(b"( \t").startswith(b"*"))
    stars = tuple(dict.fromkeys(names)) if re.search(ALL, bare) else ()
    code = Code(frozenset(calls), environment)
    return Outline(_words(binds), _words(outside), stars, methods, functions, _words(changed), code)


def _words(found: set[bytes]) -> frozenset[str]:
    return frozenset(text(b" ".join(found)).split())


def _code(statements: bytes) -> Code:
    calls = re.findall(CALL, statements) if b"(" in statements else ()
    found = frozenset((first, rest.rpartition(b".")[2].strip() or first) for first, rest in calls)
    return Code(found, b"environ" in statements and re.search(ENVIRONMENT, statements) is not None)
