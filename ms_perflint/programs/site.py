"""A call of a known API in one program: what it is given, and what that can be."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Optional

from ms_perflint import mindspore_api
from ms_perflint.semantics.forms import word_of
from ms_perflint.semantics.module import Site
from ms_perflint.semantics.values import NOTHING, OPEN, Api, Bound, Constant, Display, Instance, Known, Value
from ms_perflint.semantics.ways import OPTIONAL

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program


class Call(Site):
    """A call site whose callee is the API `api` in `program`."""

    __slots__ = ("api", "program")

    node: ast.Call

    def __init__(self, site: Site, program: Program, api: str) -> None:
        super().__init__(site.module, site.node, site.word, site.stmt, site.block, site.fstring)
        self.program = program
        self.api = api

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Site) and self.node is other.node

    def __hash__(self) -> int:
        return id(self.node)

    @property
    def parameters(self) -> tuple[mindspore_api.Parameter, ...]:
        """Return the parameters of the API in the target's version; empty when they are not known."""
        return mindspore_api.parameters(self.api, self.program.version) or ()

    @property
    def is_spread(self) -> bool:
        """Return whether `*args` or `**kwargs` hide what is passed."""
        return any(isinstance(a, ast.Starred) for a in self.node.args) or any(k.arg is None for k in self.node.keywords)

    def given(self, name: str) -> Optional[ast.expr]:
        """Return the expression that is passed for a parameter, by keyword or by slot; None where none is."""
        for keyword in self.node.keywords:
            if keyword.arg == name:
                return keyword.value
        for slot, parameter in enumerate(self.parameters):
            if parameter.keyword_only:
                break
            if slot < len(self.node.args) and isinstance(self.node.args[slot], ast.Starred):
                return None
            if parameter.name == name:
                return self.node.args[slot] if slot < len(self.node.args) else None
        return None

    def argument(self, name: str) -> Value:
        """Return what a parameter can be: what is passed, else its default in the target's version."""
        given = self.given(name)
        if given is not None:
            return self.program.value(given, self.scope)
        if self.is_spread and not self._is_left_out(name):
            return self._spread(name)
        for parameter in self.parameters:
            if parameter.name == name and not isinstance(parameter.default, type(mindspore_api.REQUIRED)):
                return Value((Known(Constant(parameter.default), (self.module, self.node)),))
        return NOTHING if self.parameters else OPEN

    def _spread(self, name: str) -> Value:
        """Look for the key in what `**kwargs` spreads."""
        for keyword in self.node.keywords:
            if keyword.arg is None:
                value = self.program.value(keyword.value, self.scope)
                found = [self.program.evaluator.item(known, name) for known in value.known]
                if len(found) == 1 and found[0].known:
                    return found[0]
        return OPEN

    def _is_left_out(self, name: str) -> bool:
        """Return whether all that the call spreads are dicts shown key by key, none of which has this key."""
        if any(isinstance(argument, ast.Starred) for argument in self.node.args):
            return False
        spread = [keyword.value for keyword in self.node.keywords if keyword.arg is None]
        return all(name not in (_keys(self, node) or (name,)) for node in spread)

    @property
    def is_optional(self) -> bool:
        """Return whether only a user who asks for it gets here."""
        return self.program.evaluator.way(self.block) == OPTIONAL

    @property
    def receiver(self) -> Optional[Known]:
        """Return the object whose method this is; None for functions."""
        for known in self.program.evaluator.callees(self).known:
            if isinstance(known.what, Api) and known.what.name == self.api:
                return known.what.receiver
            if isinstance(known.what, Bound):
                return known.what.receiver
        return None


def _keys(call: Call, node: ast.expr) -> Optional[tuple[str, ...]]:
    """Return the keys of a dict that is shown in the file and never changed; None for any other."""
    value = call.program.value(node, call.scope)
    what = value.known[0].what if len(value.known) == 1 and not value.open else None
    if not isinstance(what, Display) or not isinstance(what.node, ast.Dict):
        return None
    names = [key.value for key in what.node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    name = node.id if isinstance(node, ast.Name) else ""
    changed = any(base == name for base, _ in call.module.stores) or any(
        isinstance(site.node, ast.Call)
        and isinstance(site.node.func, ast.Attribute)
        and word_of(site.node.func.value) == name
        for word in ("update", "setdefault", "pop")
        for site in call.module.by_word.get(word, ())
    )
    return tuple(names) if len(names) == len(what.node.keys) and not (name and changed) else None


def call_of(program: Program, known: Optional[Known]) -> Optional[Call]:
    """Return the call that made an instance of an API; None for anything else."""
    if (
        known is None
        or not isinstance(known.what, Instance)
        or known.what.node is None
        or not isinstance(known.what.type, Api)
    ):
        return None
    site = known.what.scope.module.site_at(known.what.node)
    return Call(site, program, known.what.type.name) if site is not None else None
