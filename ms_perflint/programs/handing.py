"""Sites that may call a function which the program hands on as a value: by names alone, across its files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Optional

from ms_perflint.semantics.files.handed import BY_NAME, NAMESPACES, RESULT, TABLE, Holder, called, computed, handed
from ms_perflint.semantics.module import Scope, Site
from ms_perflint.semantics.signature import positional

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program

NAMES = 60  # under which one function is followed
SITES = 60  # that may call it, and are looked at


class Handing:
    """What one program hands on. Questions are answered when they are asked, once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._sites: dict[str, tuple[Site, ...]] = {}
        self._next: dict[str, tuple[str, ...]] = {}

    def sites(self, name: str) -> tuple[Site, ...]:
        """Return the sites that may call what has this name under another one, or out of a table or list."""
        if name not in self._sites:
            holders = dict.fromkeys((*self._holders(name), BY_NAME, *self._holders(BY_NAME)))
            found = (site for holder in holders for site in self._under(holder))
            self._sites[name] = tuple(site for site, _ in zip(dict.fromkeys(found), range(SITES)))
        return self._sites[name]

    def _holders(self, name: str) -> list[str]:
        """Return the names to which one is handed on, the nearest first."""
        found, todo = {name}, [name]
        for word in todo:
            if word not in self._next:
                self._next[word] = tuple(dict.fromkeys(self._holding(word)))
            for other in self._next[word]:
                if other not in found and len(found) < NAMES:
                    found.add(other)
                    todo.append(other)
        return todo[1:]

    def _holding(self, name: str) -> Iterator[str]:
        """Yield the names to which one is handed on directly, and of the parameters for which it is passed."""
        for holder in self._holders_in_files(name):
            if isinstance(holder, str):
                yield holder
                continue
            callee, slot = holder
            for function in self._functions(callee):
                slots = [arg.arg for arg in positional(function)[int(function.is_method) :]]
                if isinstance(slot, str):
                    yield slot
                elif slot < len(slots):
                    yield slots[slot]

    def _holders_in_files(self, name: str) -> list[Holder]:
        """Return what holds a name; of what a function returns, also what a holder of the function returns."""
        found: set[Holder] = set(self._handed(name))
        if name.endswith(RESULT):
            found |= {each + RESULT for each in self._handed(name[: -len(RESULT)]) if isinstance(each, str)}
        return sorted(found, key=str)

    def _handed(self, name: str) -> Iterator[Holder]:
        """Yield what holds a name directly; files in which its word does not stand are not looked through."""
        words = _words(name)
        for module in self.program.modules:
            if module.handed is not None or any(word in module.source.text for word in words):
                yield from handed(module).get(name, ())

    @cached_property
    def _defined(self) -> dict[str, list[Scope]]:
        found: dict[str, list[Scope]] = {}
        for module in self.program.modules:
            for name, scopes in module.defined.items():
                found.setdefault(name, []).extend(scopes)
        return found

    def _functions(self, callee: str) -> list[Scope]:
        """Return the functions that have a name; for what a function returns, those that are made in it."""
        word = callee.rstrip(RESULT)
        found = self._defined.get(word, [])
        if callee != word:
            return [inner for scope in found if scope.is_function for inner in scope.defines if inner.is_function]
        inits = [scope.method("__init__") if scope.is_class else scope for scope in found]
        return [scope for scope in inits if scope is not None]

    @cached_property
    def _decorated(self) -> dict[str, list[Scope]]:
        found: dict[str, list[Scope]] = {}
        for scope in (scope for module in self.program.modules for scope in module.scopes):
            for decorator in getattr(scope.node, "decorator_list", ()):
                found.setdefault(called(decorator).rstrip(RESULT), []).append(scope)
        return found

    def decorated(self, decorator: Scope) -> Iterator[Scope]:
        """Yield what a function, or one that a function around it returns, decorates."""
        scope: Optional[Scope] = decorator
        while scope is not None and (scope.is_function or scope.is_class):
            for each in self._decorated.get(scope.name, ()):
                if any(self._is(node, each, decorator) for node in each.node.decorator_list):  # type: ignore[union-attr]
                    yield each
            scope = scope.parent

    def _is(self, node: ast.expr, scope: Scope, decorator: Scope) -> bool:
        assert scope.parent is not None
        wanted = decorator.parent if decorator.name == "__init__" else decorator
        return any(known.what is wanted for known in self.program.value(node, scope.parent).known)

    def _under(self, holder: str) -> list[Site]:
        """Return the sites that call what has a name, or what is computed in this way."""
        is_name = holder != TABLE and not holder.endswith(RESULT)
        return self.program.sites(holder) if is_name else self._computed.get(holder, [])

    @cached_property
    def _computed(self) -> dict[str, list[Site]]:
        found: dict[str, list[Site]] = {}
        for module in self.program.modules:
            for name, sites in computed(module).items():
                found.setdefault(name, []).extend(sites)
        return found


def _words(name: str) -> tuple[bytes, ...]:
    """Return words of which one stands in each file that hands on what has a name."""
    if name == BY_NAME:
        return tuple(word.encode() for word in (BY_NAME.rstrip(RESULT), *sorted(NAMESPACES)))
    word = name.rstrip(RESULT)
    return (word.encode() if word.isascii() and name != TABLE else b"",)  # Python reads some letters as others
