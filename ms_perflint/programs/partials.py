"""What a program makes of functions with `partial`, and the sites that call it: by names alone."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING, Optional

from ms_perflint.semantics.forms import word_of
from ms_perflint.semantics.module import Module, Site

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program

WORDS = ("partial", "partialmethod")


class Partials:
    """The `partial(function, ...)` of one program. Questions are answered when they are asked, once."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """Return the calls that may be of `partial`."""
        found = (site for word in WORDS for site in self.program.sites(word))
        return tuple(site for site in found if prepared(site) is not None)

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the names that may hold what `partial` makes."""
        modules = self.program.modules if self.sites else ()
        return frozenset(name for module in modules for word in WORDS for name in module.holders(word))

    @cached_property
    def calls(self) -> tuple[Site, ...]:
        """Return the calls that may be of what `partial` makes: under its names, and `partial(function, ...)(...)`."""
        modules = self.program.modules if self.sites else ()
        made = {id(site.node) for site in self.sites}
        named = [site for module in modules for name in sorted(self.names) for site in module.by_word.get(name, ())]
        return (*named, *(s for module in modules for s in module.by_word.get("", ()) if id(_callee(s)) in made))

    def of(self, name: str) -> list[Site]:
        """Return the calls of `partial` that may be given what has a name elsewhere, or what `partial` made."""
        found = []
        for site in self.sites:
            given = prepared(site)
            words = {name, *self.names, *site.module.spelled(name)}
            if isinstance(given, ast.Call) or (given is not None and word_of(given) in words):
                found.append(site)
        return found

    def escapes(self, site: Site) -> bool:
        """Return whether what `partial` makes may be called elsewhere than at `calls`.

        It is not where it is called, or prepared again, on the spot, or has a name that stands nowhere but in calls.
        """
        used = (*map(_callee, self.calls), *map(prepared, self.sites))
        if any(node is site.node for node in used):
            return False
        targets = site.stmt.targets if isinstance(site.stmt, ast.Assign) and site.stmt.value is site.node else []
        name = word_of(targets[0]) if len(targets) == 1 else ""
        return not name or any(self._is_mentioned(name, module, site) for module in self.program.modules)

    def _is_mentioned(self, name: str, module: Module, site: Site) -> bool:
        """Return whether a name stands elsewhere than in calls, in imports and where a site binds it."""
        text = rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)"
        known = len(module.by_word.get(name, ())) + len(module.imported.get(name, ())) + (module is site.module)
        for each in self.sites:
            given = prepared(each) if each.module is module else None
            known += given is not None and word_of(given) == name
        return len(re.findall(text, module.source.text)) > known


def prepared(site: Site) -> Optional[ast.expr]:
    """Return the function that a call of `partial` is given; None for other sites."""
    return site.node.args[0] if isinstance(site.node, ast.Call) and site.node.args else None


def _callee(site: Site) -> Optional[ast.expr]:
    return site.node.func if isinstance(site.node, ast.Call) else None
