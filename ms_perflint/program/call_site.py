"""The calls of APIs in one program, and the values of their arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Optional

from ms_perflint import mindspore_api
from ms_perflint.index.reachability import OPTIONAL, condition_of
from ms_perflint.index.semantic_index import Site
from ms_perflint.index.signature import Argument, Arguments, Layer, Opener, Signature, shown
from ms_perflint.index.syntax_forms import is_spread
from ms_perflint.infer import narrowing, sequences
from ms_perflint.infer.alternatives import Constant
from ms_perflint.infer.values import BOTTOM, TOP, Alternative, Value

if TYPE_CHECKING:
    from ms_perflint.program.program import Program


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
        """Return whether the call has `*args`, `**kwargs` or arguments of a `partial`."""
        return is_spread(self.node) or self._prepared != ()

    @property
    def _prepared(self) -> Optional[tuple[Layer, ...]]:
        """Return the arguments that `partial` passes; None where there may be different ones."""
        known = self.program.evaluator.callees(self).alternatives
        ways = {each.prepared for each in known if each.api == self.api or f"{each.type_api}()" == self.api}
        return ways.pop() if len(ways) == 1 else None if ways else ()

    def _bound(self, prepared: tuple[Layer, ...], opened: Opener) -> Arguments:
        is_of_base = self.word == "__init__" and self.base is not None and not isinstance(self.base, ast.Call)
        signature = signature_of(self.parameters, takes_self=is_of_base)  # `Model.__init__(self, network)`
        return signature.bind(*prepared, Layer(self.node, self.scope), opened=opened)

    def given(self, name: str) -> Optional[ast.expr]:
        """Return the expression in this call for a parameter, by keyword or position; None without one."""
        prepared = self._prepared
        part = self._bound(prepared, shown).of(name).part if prepared is not None else None
        if part is None or not prepared:
            return part.node if part is not None else None
        return part.node if any(part.node is each for each in ast.walk(self.node)) else None

    def argument(self, name: str) -> Value:
        """Return the value of a parameter: what is passed, else the default in the version of the target.

        Where it is not known whether something is passed, the default is no alternative.
        """
        default = self._default(name)
        value = narrowing.allowed(self.program.evaluator, self.passed(name, default), condition_of(self))
        if not value.open or self._argument(name).part is not None:
            return value
        return value._replace(
            alternatives=tuple(each for each in value.alternatives if each not in default.alternatives)
        )

    def passed(self, name: str, default: Value = BOTTOM) -> Value:
        """Return the value that is passed for a parameter; `default` where nothing is."""
        return self.program.evaluator.passed(self._argument(name), default)

    def _argument(self, name: str) -> Argument:
        prepared = self._prepared
        if prepared is None:
            return Argument(name, is_open=True)
        return self._bound(prepared, partial(sequences.opened, self.program.evaluator)).of(name)

    def spread_argument(self, name: str) -> Optional[Alternative]:
        """Return the only value that `*args` or `**kwargs` pass for a parameter; None where there may be others."""
        if not self.is_spread or self.given(name) is not None:
            return None
        only = self.argument(name).only
        return only if only is not None and only.where != (self.module, self.node) else None

    def passes(self, name: str) -> bool:
        """Return whether the call passes a parameter, itself or by `*args` or `**kwargs`."""
        return self.given(name) is not None or self.spread_argument(name) is not None

    def _default(self, name: str) -> Value:
        for parameter in self.parameters:
            if parameter.name == name and not isinstance(parameter.default, type(mindspore_api.REQUIRED)):
                return Value((Alternative(Constant(parameter.default), (self.module, self.node)),))
        return BOTTOM if self.parameters else TOP

    @property
    def is_optional(self) -> bool:
        """Return whether the call runs only with an option."""
        return self.program.evaluator.reachability(self.block) == OPTIONAL

    @property
    def receiver(self) -> Optional[Alternative]:
        """Return the object whose method is called; None for functions."""
        for known in self.program.evaluator.callees(self).alternatives:
            if known.api == self.api or (known.definition is not None and known.receiver is not None):
                return known.receiver
        return None


def signature_of(parameters: Sequence[mindspore_api.Parameter], takes_self: bool = False) -> Signature:
    """Return the signature of an API with these parameters."""
    slots = [*(["self"] if takes_self else []), *(each.name for each in parameters if not each.keyword_only)]
    return Signature.named(*slots, words=[each.name for each in parameters if each.keyword_only])


def call_of(program: Program, known: Optional[Alternative]) -> Optional[Call]:
    """Return the call that makes an instance of an API; None for other objects."""
    return made_at(program, known) if known is not None and known.cls is None else None


def made_at(program: Program, known: Alternative) -> Optional[Call]:
    """Return the call that makes an instance, of an API or of a class of the project (with an empty `api`)."""
    site = known.maker
    return Call(site, program, known.type_api) if site is not None else None


# --- the calls of a program


def calls(program: Program, *apis: str) -> tuple[Call, ...]:
    """Return the calls of some APIs that can run, those of the entry script first, then by file and position."""
    if len(apis) == 1:
        word = apis[0].rpartition(".")[2]
        sites = (*program.sites(word), *program.passed_on(apis[0]))
        return tuple(call for site in sites for call in program.running(apis[0], site))
    return program.in_order([call for api in apis for call in program.calls(api)])


def in_order(program: Program, calls: Iterable[Call]) -> tuple[Call, ...]:
    """Return some calls, those of the entry script first, then by file and position."""
    rank = {path: position for position, path in enumerate(program.files)}
    return tuple(sorted(calls, key=lambda call: (rank.get(call.module.path, 0), call.span)))


def has_calls(program: Program, *apis: str) -> bool:
    """Return whether a call of one of some APIs can run; those under the fewest conditions are asked first.

    Those of the entry script come before all others: they hardly need to know what runs.
    """
    entry = program.module(program.entry)
    words = [(api, api.rpartition(".")[2]) for api in apis]
    own = [(api, site) for api, word in words for site in (entry.sites_of(word) if entry is not None else ())]
    return _runs_any(program, own) or _runs_any(
        program, [(api, site) for api, word in words for site in program.sites(word)]
    )


def _runs_any(program: Program, sites: list[tuple[str, Site]]) -> bool:
    return any(program.running(*each) for each in sorted(sites, key=lambda each: len(each[1].block.chain())))


def running(program: Program, api: str, site: Site) -> tuple[Call, ...]:
    """Return a site as a call of an API, if it is one that can run; else nothing."""
    is_one = isinstance(site.node, ast.Call) and api in program.apis(site) and program.runs(site)
    return (Call(site, program, api),) if is_one else ()


def apis(program: Program, site: Site) -> tuple[str, ...]:
    """Return the canonical names of the callee of a site; `name()` for the result of a call of `name`."""
    names: dict[str, None] = {}
    for known in program.evaluator.callees(site).alternatives:
        if known.api:
            names[known.api] = None
        elif known.type_api:
            names[known.type_api + "()"] = None
    return tuple(names)
