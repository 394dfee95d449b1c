"""The import statements of a file, found by a scan of its bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ms_perflint.core.source import LETTER, LETTERS, NAME

WORD = b"import"  # in every statement: looking for it is faster than a pattern at the start of each line
GAP = rb"(?:[ \t\f]|\\\r?\n)*"
DOTTED = NAME + rb"(?:" + GAP + rb"\." + GAP + NAME + rb")*"
MODULE = rb"((?:\." + GAP + rb")+(?:" + DOTTED + rb")?|" + DOTTED + rb")"
STATEMENT = (
    GAP + rb"(?:from\b" + GAP + MODULE + GAP + rb"\bimport\b[ \t]*(\([^)]*\)|(?:\\\r?\n|[^\n#;])*)"
    rb"|import\b((?:\\\r?\n|[^\n#;])+))"
)  # fmt: skip
PLAIN = GAP + rb"(" + DOTTED + rb")"  # what stands in front of `as`
CALL = rb"""\([ \t\r\n]*["']([%s.]+)["'](?:[^)"']*["'](%s[%s.]*)["'])?""" % (LETTERS, LETTER, LETTERS)
COMPUTED = rb"\([ \t\r\n]*" + NAME
ALIAS = rb"\bimport_module[ \t]+as[ \t]+(" + LETTER + rb"+)"
QUOTED = rb"""["'](""" + NAME + rb"(?:\." + NAME + rb""")+)["']"""

Statement = tuple[bytes, bytes, bytes]  # `from [0] import [1]`, or `import [2]`


class Import(NamedTuple):
    """One name that is imported."""

    level: int  # dots in front of it
    dotted: str

    @staticmethod
    def of(name: str) -> Import:
        """Return the import of a name with the dots in front of it."""
        inner = name.lstrip(".")
        return Import(len(name) - len(inner), inner)

    @property
    def top(self) -> str:
        """Return the first word of an absolute name; "" of a relative one."""
        return "" if self.level else self.dotted.partition(".")[0]


def statements(raw: bytes) -> Iterator[Statement]:
    """Yield the import statements in the bytes of a file."""
    end, at, match = 0, raw.find(WORD), re.compile(STATEMENT).match
    while at >= 0:
        for start in _starts(raw, at):
            found = match(raw, start) if start >= end else None
            if found is not None:
                dotted, names, plain = found.groups(b"")
                yield _closed_up(dotted), names, plain
                end = found.end()
                break
        at = raw.find(WORD, max(end, at + len(WORD)))


def _starts(raw: bytes, at: int) -> list[int]:
    """Return the offsets at which a statement around an offset may start, in order.

    They are the start of the line, of lines before it that end in a backslash, and behind `;` or `:`.
    """
    starts = [raw.rfind(b"\n", 0, at) + 1]
    before = raw[starts[0] : at]
    parts = max(before.rfind(b";"), before.rfind(b":"))
    while starts[0] and raw[max(starts[0] - 3, 0) : starts[0]].endswith((b"\\\n", b"\\\r\n")):
        starts.insert(0, raw.rfind(b"\n", 0, starts[0] - 1) + 1)
    is_in_text = b"#" in before or before.count(b'"') % 2 or before.count(b"'") % 2
    if parts >= 0 and not is_in_text:
        starts.append(at - len(before) + parts + 1)
    return starts


def _closed_up(dotted: bytes) -> bytes:
    """Return a dotted name without blanks around its dots."""
    return b"".join(dotted.replace(b"\\", b" ").split())


def _plain(names: bytes) -> Iterator[bytes]:
    """Yield the dotted names of an `import` statement."""
    for part in names.split(b","):
        found = re.match(PLAIN, part)
        if found is not None:
            yield _closed_up(found.group(1))


def imports(raw: bytes) -> Iterator[Import]:
    """Yield the imports in the bytes of a file: of statements, and of `import_module("name")`.

    Where that name is computed, each dotted name in quotes counts: `path = "models.net.Net"`.
    """
    for dotted, names, plain in statements(raw):
        if plain:
            for part in _plain(plain):
                yield Import(0, text(part))
            continue
        level, name = module = Import.of(text(dotted))
        yield module
        if not level and name.partition(".")[0] == "mindspore":
            continue
        prefix = f"{name}." if name else ""
        for word in re.findall(NAME, names):
            yield Import(level, prefix + text(word))
    callee = _importing(raw)
    if callee:
        for dotted, package in re.findall(callee + CALL, raw):
            yield called(text(dotted), text(package))
        if re.search(callee + COMPUTED, raw) is not None:
            for dotted in dict.fromkeys(re.findall(QUOTED, raw)):
                yield Import(0, text(dotted.rpartition(b".")[0]))
                yield Import(0, text(dotted))


def _importing(raw: bytes) -> bytes:
    """Return a pattern for the functions by which a file imports modules; nothing without one."""
    is_called = b"import_module" in raw or b"__import__(" in raw
    names = [b"import_module", b"__import__", *re.findall(ALIAS, raw)] if is_called else []
    return rb"\b(?:" + b"|".join(names) + rb")" if names else b""


def is_computing(raw: bytes) -> bool:
    """Return whether a file imports a module by a computed name."""
    callee = _importing(raw)
    return bool(callee) and re.search(callee + COMPUTED, raw) is not None


def taken(raw: bytes, package: str) -> tuple[frozenset[str], frozenset[bytes]]:
    """Return the full names that a file may import from a package, and the names that it may bind to them."""
    imported: set[str] = set()
    bound: set[bytes] = set()
    for dotted, names, plain in statements(raw) if package.encode() in raw else ():
        for module in (dotted, *_plain(plain)):
            if module.partition(b".")[0] == package.encode():
                words = re.findall(NAME, names or plain)
                bound.update(words)
                imported.add(text(module))
                imported.update(f"{text(module)}.{text(word)}" for word in words if names)
    return frozenset(imported), frozenset(bound)


def called(name: str, package: str = "") -> Import:
    """Return the import of `import_module(name, package)`; without `package`, relative to the package of the file."""
    asked, parts = Import.of(name), package.split(".")
    if not asked.level or not package:
        return asked
    return Import(0, ".".join([*parts[: len(parts) - asked.level + 1], asked.dotted]))


def text(raw: bytes) -> str:
    """Return a name as a string."""
    return raw.decode("utf-8", "replace")
