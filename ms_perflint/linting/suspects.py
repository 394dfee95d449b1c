"""Suspects: the sites of a file that may have a finding of a check, first by words, then by evaluation."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from typing import Optional

from ms_perflint.check import Check, last_word, trigger_words
from ms_perflint.index.semantic_index import SemanticIndex, Site
from ms_perflint.index.syntax_forms import position, word_of
from ms_perflint.program.call_graph import passed_on
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import training

OPERATORS = ("*", "@")  # triggers that are no names
EVERY = "()"  # the trigger that every call is: for checks that know by the program which calls are meant


def candidates(check: type[Check], module: SemanticIndex) -> list[Site]:
    """Return the sites whose last word may be a trigger of a check, in the order of the source.

    Sites that the code around them excludes are left out.
    """
    if EVERY in check.triggers:
        return [site for site in module.sites if isinstance(site.node, ast.Call)]
    words, made = trigger_words(check.triggers, module)
    methods = {word for trigger in check.triggers if trigger.startswith(".") for word in module.aliases(trigger[1:])}
    found = {id(site): site for word in words | methods for site in module.by_word.get(word, ())}
    found.update((id(site), site) for site in module.by_word.get("", ()) if _made_at_once(site) in made)
    return sorted(check.prefilter_sites(module, found.values()), key=lambda site: position(site.node))


def all_candidates(check: Check, module: SemanticIndex, named: list[Site]) -> list[Site]:
    """Return the sites that may have a finding in one program: candidates, and calls of a trigger by another name.

    The latter are calls of a parameter, an element or a `partial`: only a program shows what these hold.
    """
    program, found = check.program, {id(site.node): site for site in named}
    for api in _functions(check.triggers) if training.may_train(program) else ():
        for site in program.passed_on(api):
            if site.module is module and id(site.node) not in found and _is_only(program, site, api):
                found[id(site.node)] = site
    return sorted(found.values(), key=lambda site: position(site.node)) if len(found) > len(named) else named


def passes_triggers_on(check: type[Check], module: SemanticIndex) -> bool:
    """Return whether a file may call a trigger by another name: it passes one on, or calls it in another form."""
    said = [(api, word) for api, word in _functions(check.triggers).items() if word.encode() in module.source.text]
    return any(not passed_on(module).isdisjoint(names) for names in said)


@cache
def _functions(triggers: tuple[str, ...]) -> Mapping[str, str]:
    """Return those triggers that are functions and methods of MindSpore, with their last words."""
    named = (trigger for trigger in triggers if "." in trigger[1:] and not trigger.endswith("()"))
    return {api: last_word(api) for api in named}


def _is_only(program: Program, site: Site, api: str) -> bool:
    """Return whether a call calls one API for sure."""
    only = program.evaluator.callees(site).only
    return only is not None and only.api == api


def _made_at_once(site: Site) -> Optional[str]:
    """Return the last word of `name` in `name()(x)`; None for other sites."""
    made = site.callee
    return word_of(made.func) if isinstance(made, ast.Call) else None


def suspect(check: Check, site: Site) -> Optional[Site]:
    """Return the call that a check sees at a site, if it may have to be reported; else None."""
    program = check.program
    if site.word in OPERATORS:
        return site if check.suspect(site) else None  # type: ignore[arg-type]
    if EVERY in check.triggers:
        call = Call(site, program, "")
        return call if check.suspect(call) else None
    method = f".{site.word}" if isinstance(getattr(site.node, "func", None), ast.Attribute) else ""
    if method not in check.triggers:
        apis = program.apis(site)
    elif site.word in trigger_words(check.triggers, site.module)[0]:
        apis = (*program.apis(site), method)
    else:
        apis = (method,)
    for api in apis:
        if api in check.triggers:
            call = Call(site, program, api)
            return call if check.suspect(call) else None
    return None
