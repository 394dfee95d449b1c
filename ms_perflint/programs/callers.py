"""Which sites of a program call a function: by its name, through its class and classes derived from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ms_perflint.programs.partials import prepared
from ms_perflint.semantics.forms import is_decorated, word_of
from ms_perflint.semantics.module import Scope, Site
from ms_perflint.semantics.signature import PREPARES, Signature, is_method, receiver_name
from ms_perflint.semantics.values import Bound, Instance, Known, Value

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program

INSTANCE_METHODS = ("construct", "__call__", "forward")  # run when an object is called


def callers(program: Program, function: Scope) -> tuple[Site, ...]:
    """Return the sites that call a function; of a method `__init__`, those that make an object with it."""
    cls = function.parent if function.parent is not None and function.parent.is_class else None
    if cls is None or function.name != "__init__":
        sites = (*program.sites(function.name), *program.handing.sites(function.name))
        found = [site for site in sites if _calls(program, site, function) and not _passes_on(site, function)]
        if cls is not None and function.name in INSTANCE_METHODS:
            found.extend(_instance_calls(program, cls))
    else:
        found = list(_constructions(program, function, cls))
    found.extend(_partials(program, function if cls is None or function.name != "__init__" else cls))
    return tuple(dict.fromkeys(found))


def _calls(program: Program, site: Site, wanted: Scope) -> bool:
    """Return whether a site calls a function, or makes an object of a class."""
    return isinstance(site.node, ast.Call) and _is(program.evaluator.callees(site), wanted)


def _passes_on(site: Site, function: Scope) -> bool:
    """Return whether a site, in what a decorator makes of a function, hands on what that was called with."""
    wrapper, call = site.scope.owner, site.node
    if not getattr(function.node, "decorator_list", ()) or not isinstance(call, ast.Call) or not wrapper.is_function:
        return False
    if isinstance(call.func, ast.Name) and call.func.id == function.name:
        return False
    return bool(call.args or call.keywords) and _hands_on(call, Signature.of(wrapper, is_method(wrapper)))


def _hands_on(call: ast.Call, own: Signature) -> bool:
    """Return whether a call passes parameters of the function around it, each in its own place."""
    slots = [*own.slots, f"*{own.rest}"]
    given = [f"*{word_of(each.value)}" if isinstance(each, ast.Starred) else word_of(each) for each in call.args]
    words = [(word.arg or own.mapping, word_of(word.value)) for word in call.keywords]
    return given == slots[: len(given)] and all(name and name == word for name, word in words)


def _is(value: Value, wanted: Scope) -> bool:
    return any(_function(known) is wanted for known in value.known)


def _function(known: Known) -> object:
    return known.what.function if isinstance(known.what, Bound) else known.what


def _constructions(program: Program, init: Scope, cls: Scope) -> Iterator[Site]:
    """Yield the sites that run a constructor: of its class, of classes that inherit it, and `super().__init__()`."""
    yield from _made(program, cls)
    seen, levels = {cls}, [iter(_derived(program, cls))]
    while levels:
        derived = next(levels[-1], None)
        if derived is None:
            levels.pop()
            continue
        if derived in seen:
            continue
        seen.add(derived)
        inner = derived.method("__init__")
        if inner is None:
            yield from _made(program, derived)
            levels.append(iter(_derived(program, derived)))
        else:
            yield from (site for site in inner.calls if site.word == "__init__" and _calls(program, site, init))


def _made(program: Program, cls: Scope) -> Iterator[Site]:
    """Yield the sites that make an object of just this class."""
    for site in (*program.sites(cls.name), *program.handing.sites(cls.name)):
        if _calls(program, site, cls):
            yield site
    for method in cls.defines:
        if is_decorated(method.node, "classmethod"):
            own = receiver_name(method)
            yield from (site for site in method.calls if site.word == own and _calls(program, site, cls))


def _derived(program: Program, cls: Scope) -> list[Scope]:
    """Return the classes of the program that have this class as a base."""
    found = []
    for module in program.modules:
        spellings = sorted(module.spelled(cls.name)) if cls.name in module.renamed else (cls.name,)
        words = [word for word in spellings if word in module.derived]
        if not words or not program.project.may_derive(module.path, cls.name):
            continue
        for word in words:
            for derived in module.derived[word]:
                assert isinstance(derived.node, ast.ClassDef) and derived.parent is not None
                bases = [base for base in derived.node.bases if word_of(base) == word]
                if derived is not cls and any(_is(program.value(base, derived.parent), cls) for base in bases):
                    found.append(derived)
    return found


def _partials(program: Program, wanted: Scope) -> Iterator[Site]:
    """Yield the calls of what `partial(function, ...)` makes, and `partial` itself where it may have others."""
    made = [site for site in program.partials.of(wanted.name) if _prepares(program, site, wanted)]
    for site in program.partials.calls if made else ():
        if any(_function(known) is wanted and known.prepared for known in program.evaluator.callees(site).known):
            yield site
    yield from (site for site in made if program.partials.escapes(site))


def _prepares(program: Program, site: Site, wanted: Scope) -> bool:
    """Return whether a site is `partial(function, ...)`."""
    given = prepared(site)
    is_partial = any(known.api in PREPARES for known in program.evaluator.callees(site).known)
    return is_partial and given is not None and _is(program.value(given, site.scope), wanted)


def _instance_calls(program: Program, cls: Scope) -> Iterator[Site]:
    """Yield the sites that call an object of a class."""
    for module in program.modules:
        for name in sorted(module.holders(cls.name)):
            for site in module.by_word.get(name, ()):
                for known in program.evaluator.callees(site).known:
                    if isinstance(known.what, Instance) and known.what.type is cls:
                        yield site
                        break
