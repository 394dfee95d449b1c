"""Parsers of argparse, and the calls of their methods: which parser, group or sub-parser a call is about."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Optional

from ms_perflint.core.graphs import reachable
from ms_perflint.index.execution_order import happens_before, place
from ms_perflint.index.semantic_index import Site
from ms_perflint.index.signature import Layer
from ms_perflint.index.syntax_forms import keywords_of
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import Alternative

ADD, SET_DEFAULTS = "add_argument", "set_defaults"
PARSES = ("parse_args", "parse_known_args")


def parser_of(known: Alternative, end: str = "") -> Alternative:
    """Return the parser of a group or sub-parser; with `end`, at most up to the result of a method of this name."""
    while known.origin is not None and known.origin.is_object and not (end and known.type_api.endswith(end)):
        known = known.origin
    return known


def sites_of(evaluator: Evaluator, parser: Alternative, word: str) -> list[Site]:
    """Return the calls of a method of a parser, its parents, groups and sub-parsers."""
    found, members = _by_parser(evaluator), family(evaluator, parser)
    return [site for identity in members for site in (found[0].get((word, identity), ()) if found else ())]


@query(bottom=())
def _by_parser(evaluator: Evaluator) -> tuple[dict[tuple[str, object], list[Site]]]:
    """Return the calls that add options or set their defaults, by the method and the identity of the parser.

    It is a query and no fact, since its answer may grow in a cycle.
    """
    found: dict[tuple[str, object], list[Site]] = {}
    for word in (ADD, SET_DEFAULTS):
        for site in (*evaluator.program.sites(word), *evaluator.program.passed_on(word)):
            for known in receivers(evaluator, site, word):
                found.setdefault((word, parser_of(known).identity), []).append(site)
    return (found,)


def receivers(evaluator: Evaluator, site: Site, word: str) -> list[Alternative]:
    """Return the parser, group or sub-parser whose method a site calls, also under another name.

    A call of `add = partial(parser.add_argument, default=1)` does not show all arguments, and does not count.
    """
    if site.base is not None and site.word == word:
        held: Iterable[Optional[Alternative]] = evaluator.value(site.base, site.scope).alternatives
    else:
        called = evaluator.callees(site).alternatives
        held = (each.receiver for each in called if each.api.endswith(f".{word}") and not each.prepared)
    return [known for known in held if known is not None and known.is_object]


def family(evaluator: Evaluator, parser: Alternative) -> dict[object, Alternative]:
    """Return a parser and its `parents=[...]`, whose options it has, too, by identity."""

    def parents(each: Alternative) -> Iterator[Alternative]:
        made = each.creation
        given = keywords_of(made.call).get("parents") if made is not None else None
        found = evaluator.each(evaluator.value(given, made.scope)).alternatives if made and given else ()
        return (parser_of(known) for known in found if known.is_object)

    return {each.identity: each for each in reachable([parser], parents)}


# --- defaults that are set


def defaults_of(evaluator: Evaluator, parser: Alternative, added: Sequence[Site]) -> Iterator[tuple[Site, bool]]:
    """Yield the calls of `set_defaults` that may change an option of a parser, and whether they are of this parser.

    Parsers with one of `parents=[...]` have its options, and what one of them sets is the default in all.
    """
    own = sites_of(evaluator, parser, SET_DEFAULTS)
    yield from ((site, True) for site in own)
    others = [site for site in evaluator.program.sites(SET_DEFAULTS) if site not in own]
    if others:
        homes = {parser_of(known).identity for site in added for known in receivers(evaluator, site, ADD)}
        for site in others:
            held = [parser_of(known) for known in receivers(evaluator, site, SET_DEFAULTS)]
            if any(not homes.isdisjoint(family(evaluator, each)) for each in held):
                yield site, False


def late_defaults(evaluator: Evaluator, call: Optional[Layer]) -> tuple[ast.AST, ...]:
    """Return the calls of `set_defaults`, of whatever parser, that come behind a call which parses."""
    sites = evaluator.program.sites(SET_DEFAULTS) if call is not None else ()
    here = place(call.call, call.scope) if call is not None and sites else None
    if here is None or here.block.loops:
        return ()
    return tuple(site.node for site in sites if happens_before(here, place(site.node, site.scope)))


def are_changed(evaluator: Evaluator) -> bool:
    """Return whether code stores defaults in the actions of parsers: `parser.add_argument("--x").default = 1`."""
    return bool(evaluator.program.stores("default")) and _are_changed(evaluator)


@query
def _are_changed(evaluator: Evaluator) -> bool:
    for store in evaluator.program.stores("default"):
        if isinstance(store.node, ast.Attribute):
            held = evaluator.value(store.node.value, store.scope)
            nodes = ast.walk(store.scope.owner.node) if not held.alternatives else ()
            is_of_list = any(isinstance(each, ast.Attribute) and each.attr == "_actions" for each in nodes)
            if is_of_list or any(known.type_api.endswith(f".{ADD}") for known in held.alternatives):
                return True
    return False


def resolves_conflicts(evaluator: Evaluator, site: Site) -> bool:
    """Return whether a parser takes an option that replaces another one: `conflict_handler="resolve"`."""
    created = (parser_of(known).creation for known in receivers(evaluator, site, ADD))
    return any("conflict_handler" in keywords_of(made.call) for made in created if made is not None)
