"""The sites that call a function: by its name, through its class, and through classes derived from it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Optional, Union

from ms_perflint.core.facts import fact
from ms_perflint.core.graphs import reachable
from ms_perflint.core.source import LETTER, START
from ms_perflint.index.execution_order import is_keyed_before
from ms_perflint.index.reachability import is_of_script
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.signature import PREPARES, Signature
from ms_perflint.index.syntax_forms import only_target, word_of
from ms_perflint.infer import bases
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.places import INIT
from ms_perflint.infer.queries import query
from ms_perflint.infer.wrappers import changes_own
from ms_perflint.program.call_graph import INSTANCE_METHODS
from ms_perflint.program.live_code import HOOKS

if TYPE_CHECKING:
    from ms_perflint.program.inputs import Inputs
    from ms_perflint.program.program import Program

PREPARING = ("partial", "partialmethod")  # the last words of PREPARES
BY_KEY = frozenset({"__getitem__", "__setitem__", "__class_getitem__"})
METHODS = frozenset({"staticmethod", "classmethod"})  # decorators that leave a function as it is
FEW = 3  # functions of one name: of more, it does not tell which a call enters, and the call is evaluated


@query(bottom=())
def callers(program: Inputs, function: Scope) -> tuple[Site, ...]:
    """Return the sites that pass arguments to a function; `partial(function, x)` too, if it may be called elsewhere."""
    cls = function.cls if function.name == "__init__" else None
    made = (site for site in program.partials_of((cls or function).name) if _prepares(program, site, cls or function))
    escaping = (site for site in made if program.partial_escapes(site))
    return tuple(dict.fromkeys((*entering(program, function), *escaping)))


def entering(program: Inputs, function: Scope) -> tuple[Site, ...]:
    """Return the sites that call a function; of a method `__init__`, those that make an object with it.

    A module has no callers.
    """
    if function.parent is None:
        return ()
    cls = function.cls
    if cls is None or function.name != "__init__":
        found = [site for site in _called_at(program, function) if not _passes_on(site, function)]
        if cls is not None and function.name in INSTANCE_METHODS:
            is_other = function.name == "forward" and bases.method(program.evaluator, cls, "__call__") is not None
            found.extend(() if is_other else _instance_calls(program, cls))
    else:
        found = list(_constructions(program, function, cls))
    return tuple(dict.fromkeys(found))


@fact
def is_left_out(program: Program, function: Scope) -> bool:
    """Return whether a run configuration alone leads to no call of a function that is only called by its name."""
    graph, ways = program.code.call_graph, [function]
    for each in ways:  # which grows
        if not each.is_function or graph.is_held(each) or _is_for_others(program, each):
            return False
        calls = graph.direct_sites(each)
        if not calls:
            return False
        sites = (*calls, *(site for name in graph.groups(each) for site in graph.group(name)))
        owners = dict.fromkeys(site.scope.owner for site in sites if program.evaluator.may_run(site))
        ways += [owner for owner in owners if owner not in ways]
    return True


def _is_for_others(program: Program, function: Scope) -> bool:
    """Return whether external code may call a method: a hook, or one of a class with an external base."""
    cls = function.cls
    if cls is None:
        return False
    if function.name in HOOKS or function.name.startswith("__"):
        return True
    classes = {base: base.node for each in (cls, *program.derived(cls)) for base in ancestors(program.evaluator, each)}
    written = ((each, node.bases) for each, node in classes.items() if isinstance(node, ast.ClassDef))
    bases = [program.value(base, each.parent or each) for each, found in written for base in found]
    known = (each for value in bases for each in value.alternatives if each.definition is None)
    return any(value.open for value in bases) or any(each.api not in ("builtins.object", "abc.ABC") for each in known)


def _called_at(program: Inputs, wanted: Scope) -> Iterator[Site]:
    """Yield the sites that call a function, or make an object of just this class."""
    by_object = _by_object(program) if wanted.is_class else ()
    yield from (site for site in (*program.call_sites(wanted), *by_object) if _calls(program, site, wanted))
    for name in program.groups(wanted):
        for called, site in _of_group(program, name):
            if called is wanted and not _is_of_keyed_object(program, site, wanted):
                yield site


@query(bottom=())
def _by_object(program: Inputs) -> tuple[Site, ...]:
    """Return the calls of the class of some object: `type(object)(1)`, `object.__class__(1)`."""
    asked = [(site.node, site.module.by_word.get("", ())) for site in program.sites("type")]
    made = (each for node, sites in asked for each in sites if each.callee is node)
    return (*made, *program.sites("__class__"))


@query(bottom=())
def _of_group(program: Inputs, name: Union[str, int]) -> tuple[tuple[Scope, Site], ...]:
    """Return the callees of a group of sites, each with its site."""
    return tuple(
        (called, site)
        for site in program.group(name)
        for called in dict.fromkeys(known.definition for known in program.evaluator.callees(site).alternatives)
        if called is not None and _runs(program, site)
    )


def _calls(program: Inputs, site: Site, wanted: Scope) -> bool:
    """Return whether a site calls a function, or makes an object of a class."""
    if not isinstance(site.node, ast.Call) or _is_of_keyed_object(program, site, wanted):
        return False
    return program.evaluator.callees(site).denotes(wanted) and _runs(program, site)


def _runs(program: Inputs, site: Site) -> bool:
    """Return whether a site may run in this program: no script block of another entry script contains it."""
    return not is_of_script(site.block) or program.is_entry(site.module.path)


def _is_of_keyed_object(program: Inputs, site: Site, method: Scope) -> bool:
    """Return whether a call is of an object that was subscripted before, which no object of the class can be."""
    base = site.base
    if not isinstance(base, ast.Name) or not method.is_method or not is_keyed_before(site.module, base, site.scope):
        return False
    cls = method.parent
    assert cls is not None and isinstance(cls.node, ast.ClassDef)
    more = (
        *cls.node.keywords,
        *cls.node.decorator_list,
        *(each for each in cls.node.bases if word_of(each) != "object"),
    )
    return not more and BY_KEY.isdisjoint(cls.bindings) and not program.bases_named(cls)


def _passes_on(site: Site, function: Scope) -> bool:
    """Return whether a site, in the result of a decorator, passes on the arguments of the decorated function."""
    wrapper, call = site.scope.owner, site.node
    decorators = {word_of(each) for each in getattr(function.node, "decorator_list", ())}
    if not decorators - METHODS or not isinstance(call, ast.Call) or not wrapper.is_function:
        return False
    if (isinstance(call.func, ast.Name) and call.func.id == function.name) or changes_own(wrapper):
        return False
    return bool(call.args or call.keywords) and passes_parameters_on(call, Signature.of(wrapper, wrapper.is_method))


def passes_parameters_on(call: ast.Call, own: Signature) -> bool:
    """Return whether a call passes parameters of the function around it, each in its own position."""
    slots = [*own.slots, f"*{own.rest}"]
    given = [f"*{word_of(each.value)}" if isinstance(each, ast.Starred) else word_of(each) for each in call.args]
    words = [(word.arg or own.mapping, word_of(word.value)) for word in call.keywords]
    return given == slots[: len(given)] and all(name and name == word for name, word in words)


def _constructions(program: Inputs, init: Scope, cls: Scope) -> Iterator[Site]:
    """Yield the sites that run a constructor: of its class, of classes that inherit it, and `super().__init__()`.

    A class below one with a constructor of its own inherits that one, but may call this by name: `Base.__init__(self)`.
    """
    yield from _called_at(program, cls)
    seen: set[tuple[Scope, bool]] = {(cls, True)}
    todo = [(each, True) for each in reversed(_derived(program, cls))]
    while todo:
        derived, inherits = found = todo.pop()
        if found in seen:
            continue
        seen.add(found)
        inner = derived.method("__init__")
        if inner is not None:
            yield from (site for site in inner.calls if site.word == "__init__" and _calls(program, site, init))
        elif inherits:
            yield from _called_at(program, derived)
        todo += [(each, inherits and inner is None) for each in reversed(_derived(program, derived))]


@query(bottom=())
def derived(program: Inputs, cls: Scope) -> tuple[Scope, ...]:
    """Return the classes of the program that derive from a class, directly or not."""
    return tuple(reachable(_derived(program, cls), lambda each: _derived(program, each)))


def _derived(program: Inputs, cls: Scope) -> list[Scope]:
    """Return the classes of the program with a class as a base."""
    return [
        derived
        for derived, bases in program.bases_named(cls)
        if any(program.evaluator.value(base, derived.parent or derived).denotes(cls) for base in bases)
    ]


def bases_named(program: Program, cls: Scope) -> list[tuple[Scope, list[ast.expr]]]:
    """Return the other classes of a program with bases that have the name of a class, and these bases."""
    found = []
    for module in program.code.deriving.get(cls.name, ()):
        if not program.project.may_derive(module.path, cls.name):
            continue
        for word in sorted(module.aliases(cls.name)):
            for derived in module.derived.get(word, ()):
                assert isinstance(derived.node, ast.ClassDef) and derived.parent is not None
                if derived is not cls:
                    found.append((derived, [base for base in derived.node.bases if word_of(base) == word]))
    return found


def decorated(program: Inputs, decorator: Scope) -> Iterator[Scope]:
    """Yield the functions and classes that a function, or one that a function around it returns, decorates."""
    wanted = decorator.parent if decorator.name == INIT else decorator
    for scope in takewhile(lambda scope: scope.is_function or scope.is_class, decorator.chain()):
        for each in program.decorated_by(scope.name):
            assert wanted is not None and each.parent is not None
            nodes: list[ast.expr] = each.node.decorator_list  # type: ignore[union-attr]
            if any(program.evaluator.value(node, each.parent).denotes(wanted) for node in nodes):
                yield each


def _instance_calls(program: Inputs, cls: Scope) -> Iterator[Site]:
    """Yield the sites that call an object of a class."""
    for site in program.instance_sites(cls):
        if any(known.cls is cls for known in program.evaluator.callees(site).alternatives):
            yield site
    for number in program.instance_groups(cls):
        yield from _of_instance_group(program, number).get(cls, ())


@query(bottom={})
def _of_instance_group(program: Inputs, number: int) -> dict[Scope, tuple[Site, ...]]:
    """Return the sites of a group that call an object, by the class of this object."""
    found: dict[Scope, dict[Site, None]] = {}
    for site in program.instance_group(number):
        for known in program.evaluator.callees(site).alternatives:
            if known.cls is not None:
                found.setdefault(known.cls, {})[site] = None
    return {cls: tuple(sites) for cls, sites in found.items()}


def callees(program: Program, site: Site) -> tuple[Scope, ...]:
    """Return the functions of the project that a call enters: by its name, else by the value of the callee."""
    written = _named(program, site)
    named = _entered(program, written) if written else ()
    graph = program.code.call_graph
    if 0 < len(named) <= FEW or not (named or graph.is_indirect(site) or graph.calls_object(site)):
        return named
    known = program.evaluator.callees(site).alternatives
    return _entered(program, (bases.entered_by(program.evaluator, each) for each in known))


def _entered(program: Program, called: Iterable[Optional[Scope]]) -> tuple[Scope, ...]:
    """Return the functions among some callees; of a class, its constructor, which it may inherit."""
    inits = (
        bases.method(program.evaluator, each, INIT) if each is not None and each.is_class else each for each in called
    )
    return tuple(dict.fromkeys(each for each in inits if each is not None and each.is_function))


def _named(program: Program, site: Site) -> list[Scope]:
    """Return the functions and classes with the name of a callee."""
    callee = site.callee
    found = program.code.call_graph.named(site)
    if isinstance(callee, ast.Name) and len(found) != 1:
        return list(program.names.resolve(site.module, callee.id).scopes)
    if not isinstance(callee, ast.Attribute) or (callee.attr == INIT and found):  # of bases: `super().__init__()`
        return found
    if isinstance(callee.value, ast.Name) and callee.value.id == "self" and site.scope.owner.parent is not None:
        own = site.scope.owner.parent.method(callee.attr)
        if own is not None:
            return [own]
    methods = [each for each in found if each.is_function and each.cls is not None]
    return methods if len(methods) == 1 else [*methods, *program.names.resolve_member(site.module, callee.attr).scopes]


# --- `partial`


def _prepares(program: Inputs, site: Site, wanted: Scope) -> bool:
    """Return whether a site is `partial(function, ...)`."""
    given = prepared(site)
    is_partial = any(known.api in PREPARES for known in program.evaluator.callees(site).alternatives)
    return is_partial and given is not None and program.evaluator.value(given, site.scope).denotes(wanted)


class Partials:
    """The uses of `partial` in one program, by names."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """Return the calls that may be of `partial`."""
        found = (site for word in PREPARING for site in self.program.sites(word))
        return tuple(site for site in found if prepared(site) is not None)

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the names that may hold the result of `partial`."""
        modules = self.program.modules if self.sites else ()
        return frozenset(name for module in modules for word in PREPARING for name in module.result_names(word))

    def of(self, name: str) -> list[Site]:
        """Return the calls of `partial` whose function may have a name, or be the result of another `partial`."""
        found = []
        for site in self.sites:
            given = prepared(site)
            words = {name, *self.names, *site.module.aliases(name)}
            if isinstance(given, ast.Call) or (given is not None and word_of(given) in words):
                found.append(site)
        return found

    def escapes(self, site: Site) -> bool:
        """Return whether the result of `partial` may be called elsewhere than in code of the program.

        It is not, if it is called or prepared again in place, or if its name is only called.
        """
        if site.module.calls(site.node) or any(node is site.node for node in map(prepared, self.sites)):
            return False
        target = only_target(site.stmt) if getattr(site.stmt, "value", None) is site.node else None
        name = word_of(target) if target is not None else ""
        return not name or any(self._is_mentioned(name, module, site) for module in self.program.modules)

    def _is_mentioned(self, name: str, module: SemanticIndex, site: Site) -> bool:
        """Return whether a name is used elsewhere than in calls, in imports and in its binding at a site."""
        text = START + re.escape(name.encode()) + rb"(?!%s)" % LETTER
        known = len(module.by_word.get(name, ())) + len(module.imported.get(name, ())) + (module is site.module)
        for each in self.sites:
            given = prepared(each) if each.module is module else None
            known += given is not None and word_of(given) == name
        return len(re.findall(text, module.source.text)) > known


def prepared(site: Site) -> Optional[ast.expr]:
    """Return the function that a call of `partial` gets; None for other sites."""
    return site.node.args[0] if isinstance(site.node, ast.Call) and site.node.args else None
