"""The parts of a network: its classes and functions, and their matmul and convolution."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.core.graphs import reachable
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import given as all_given
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer import list_changes
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.places import ADDS
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import is_cell_class
from ms_perflint.training.networks.called_values import called_values
from ms_perflint.training.networks.losses import LOSS_BASE, is_named_loss
from ms_perflint.training.networks.matmul import is_matmul, is_matmul_site, is_noticed, is_small_base, matmul_words
from ms_perflint.training.networks.train_cells import any_order
from ms_perflint.training.optimizers import OPTIMIZERS
from ms_perflint.training.training_steps import is_step_class

CONTAINERS = frozenset({"mindspore.nn.SequentialCell", "mindspore.nn.CellList", "mindspore.nn.CellDict"})


def _is_loss(program: Program, scope: Scope, with_loss: Collection[Scope]) -> bool:
    """Return whether a class is a loss, or a function belongs to one; `with_loss`: the networks named like one."""
    return any(each not in with_loss and is_named_loss(program, each) for each in scope.chain())


@fact
def is_loss(program: Program, scope: Scope) -> bool:
    """Return whether a class is a loss, or a function belongs to one: by its bases, else by its name.

    A cell that is named like a loss and holds the network that is trained is none, nor is a function that calls it.
    """
    return _is_loss(program, scope, ()) and _is_loss(program, scope, _with_loss(program))


@fact
def _with_loss(program: Program) -> frozenset[Scope]:
    """Return what is named like a loss and holds or calls what is trained: without these, nothing of it multiplies."""
    found: set[Scope] = set()
    for training in any_order(program):
        values = training.values[:1] if training.kind == "model" else training.values  # no `loss_fn`
        inner: dict[Scope, Optional[Alternative]] = {}
        search = Search(program, with_loss=inner).values(values)
        while search.losses and not (search.found or search.is_hidden or search.foreign is not None):
            inner.update(search.losses)
            search = Search(program, with_loss=inner).values(values)
        if search.found:
            holding = [scope for scope, known in inner.items() if _holds_network(program, scope, known, inner)]
            found.update(scope for scope in holding if not scope.is_class)
            classes = (scope for scope in holding if scope.is_class)
            found.update(kin for cls in classes for kin in ancestors(program.evaluator, cls))
    return frozenset(found)


def _holds_network(program: Program, scope: Scope, known: Optional[Alternative], with_loss: Collection[Scope]) -> bool:
    """Return whether an object of a class multiplies, or what a function calls: a loss may multiply itself."""
    search = Search(program, with_loss=with_loss)
    if scope.is_class:
        return search.cls(scope, known).found
    functions = reachable((scope,), lambda each: filter(attrgetter("is_function"), loaded(program, each)))
    return search.values([Value(called_values(program, each)) for each in functions]).found


def multiplies(program: Program, values: Iterable[Value]) -> bool:
    """Return whether a network has matmul or convolution: in an instance, a container or a function."""
    return searched(program, tuple(values)).found


def layer(program: Program, values: Iterable[Value]) -> Optional[Site]:
    """Return a layer or product of a network that the Cube unit or Tensor Cores compute; None where none is."""
    return searched(program, tuple(values)).layer


@fact
def searched(program: Program, values: tuple[Value, ...]) -> Search:
    """Return a search that ends at the first matmul or convolution."""
    return Search(program).values(values)


def reach(program: Program, values: Iterable[Value]) -> Search:
    """Return a search of all parts of a network."""
    return _whole(program, tuple(values))


@fact
def _whole(program: Program, values: tuple[Value, ...]) -> Search:
    return Search(program, whole=True).values(values)


def _from_elsewhere(known: Alternative) -> Optional[tuple[ast.expr, Scope]]:
    """Return the call of another library that makes a part, with its scope; None for other parts.

    `Net().set_train()` is made by `Net()`.
    """
    while known.origin is not None and known.cls is None:
        known = known.origin
    made, api = known.creation, known.type_api
    is_own = not api or known.cls is not None or api.startswith("mindspore.")
    if made is None or is_own or re.search("loss", api, re.IGNORECASE):
        return None
    return made.call, made.scope


def _network_of(known: Alternative, call: ast.Call) -> Optional[ast.expr]:
    """Return the network among the arguments of a call of MindSpore, or of a class that calls one; None without one."""
    if known.cls is None and not known.type_api.startswith("mindspore."):
        return None
    named = [keyword.value for keyword in call.keywords if keyword.arg in ("network", "backbone")]
    if known.cls is not None and not _calls_what_it_is_given(known.cls):
        return None
    return next(iter((*named, *call.args)), None)


def _making(program: Program, known: Alternative) -> list[tuple[ast.Call, Scope]]:
    """Return the calls that make an object; of `self` of a train cell all calls of its class."""
    if known.creation is not None:
        return [(known.creation.call, known.creation.scope)]
    init = known.cls.method("__init__") if known.cls is not None and not known.is_made else None
    if init is None or known.cls is None or not is_step_class(program, known.cls):
        return []
    return [(site.node, site.scope) for site in program.callers(init) if isinstance(site.node, ast.Call)]


class Search:
    """A search of the code of some values for matmul or convolution; `whole`: it does not end at the first."""

    def __init__(self, program: Program, whole: bool = False, with_loss: Optional[Collection[Scope]] = None) -> None:
        """Search beside all that is named like a loss, but for the classes of `with_loss`, if these are given."""
        self.program = program
        self.whole = whole
        self.with_loss = with_loss
        self.losses: dict[Scope, Optional[Alternative]] = {}  # what was passed over; of a class with an instance
        self.found = False
        self.has_products = False  # also ones that are too small to count
        self.layer: Optional[Site] = None  # the first that was found, if it is in the program
        self.is_hidden = False  # a part of the network is not known
        self.hidden: Optional[tuple[ast.expr, Scope]] = None  # the first unknown part, if it has a place
        self.foreign: Optional[tuple[ast.expr, Scope]] = None  # the first call of another library that makes a part
        self.seen: set[object] = set()  # its classes and functions, and the identities of the objects in it
        # Functions whose calls by names of values come last, and classes whose bases do: these are mostly of a library,
        # and load much that is no network
        self.last: list[Scope] = []

    @property
    def is_done(self) -> bool:
        return self.found and not self.whole

    @cached_property
    def scopes(self) -> frozenset[Scope]:
        """Return the classes and functions of the network."""
        return frozenset(each for each in self.seen if isinstance(each, Scope))

    def find(self, site: Optional[Site]) -> None:
        self.found = self.has_products = True
        self.layer = self.layer or site

    def is_loss(self, scope: Scope) -> bool:
        if self.with_loss is None:
            return is_loss(self.program, scope)
        return _is_loss(self.program, scope, self.with_loss)

    def cls(self, cls: Scope, known: Optional[Alternative]) -> Search:
        """Search a class, or an instance of it."""
        self.scope(cls)
        return self.values((Value((known,)),) if known is not None else ())

    def values(self, values: Iterable[Value]) -> Search:
        """Search all that some networks can be."""
        for value in values:
            self.value(value, is_network=True)
        for scope in self.last:  # which grows meanwhile
            if not self.is_done:
                (self._bases if scope.is_class else self._called_by_value)(scope)
        return self

    def value(
        self, value: Value, node: Optional[ast.expr] = None, scope: Optional[Scope] = None, is_network: bool = False
    ) -> None:
        """Search a value that may be a part of the network, or certainly is one."""
        if value.open or not value.alternatives:
            self.hide(node, scope)
        for known in value.alternatives:
            self.known(known, is_network)

    def hide(self, node: Optional[ast.expr], scope: Optional[Scope]) -> None:
        """Note an unknown part of the network: an expression in a scope."""
        self.is_hidden = True
        if self.hidden is None and node is not None and scope is not None:
            self.hidden = node, scope

    def known(self, known: Alternative, is_network: bool = False) -> None:
        if is_network and self.foreign is None:
            self.foreign = _from_elsewhere(known)
        if self.is_done or ((known.is_object or known.is_display) and self._was_here(known.identity)):
            return
        if known.is_object:
            self.instance(known)
        elif known.definition is not None:
            self.scope(known.definition)
            if known.receiver is not None:
                self.known(known.receiver)
        elif known.api and is_matmul(known.api):
            self.find(None)
        for part in known.parts:
            self.value(self.program.evaluator.read(part), part.node, part.scope, is_network)

    def _was_here(self, key: object) -> bool:
        if key in self.seen:
            return True
        self.seen.add(key)
        return False

    def instance(self, known: Alternative) -> None:
        """Search the class of an instance, and the arguments of its call: `WithLossCell(backbone, loss)`."""
        made = known.creation
        if known.cls is not None:
            if not self.is_loss(known.cls):  # else only the network that it may be given
                self.scope(known.cls)
            elif self.with_loss is not None:
                self.losses[known.cls] = known
                return
        elif is_matmul(known.type_api):
            self.has_products = True
            site = known.maker
            if site is None or is_noticed(self.program, site, known.type_api):
                self.find(site)
        elif is_no_network(known.type_api):
            return
        elif known.origin is not None:
            self.known(known.origin)
        for call, place in _making(self.program, known):
            before = self.is_hidden
            network = _network_of(known, call)
            for argument in all_given(call):
                given = argument.value if isinstance(argument, ast.Starred) else argument
                if not self.is_done:
                    self.value(self.program.value(given, place), given, place, given is network)
            for given, scope in added(self.program, known) if made is not None else ():
                if not self.is_done:
                    self.value(self.program.value(given, scope), given, scope, True)
            if self.whole and known.cls is not None and not _calls_what_it_is_given(known.cls):
                self.is_hidden = before  # by a number, not by a network

    def scope(self, scope: Scope) -> None:
        """Search a class with its methods and bases, or a function, and what they load by name."""
        if self.is_done or self._was_here(scope):
            return
        self.last.append(scope)
        for part in _parts(self.program, scope, is_cell_class(self.program, scope.cls)):
            if not self.is_done:
                self.part(part)
        for inner in _loaded(self.program, scope):
            if inner in self.seen or self.is_done:
                continue
            if not (is_named_loss(self.program, inner) if inner.parent is scope else self.is_loss(inner)):
                self.scope(inner)
            elif inner.is_class or inner.cls is None:
                self.losses.setdefault(inner, None)

    def _bases(self, cls: Scope) -> None:
        assert isinstance(cls.node, ast.ClassDef)
        for base in cls.node.bases:
            if cls.parent is not None:
                value = self.program.value(base, cls.parent)
                if any(known.api and is_small_base(self.program, cls, known.api) for known in value.alternatives):
                    self.has_products = True
                else:
                    self.value(value, base, cls.parent)

    def _called_by_value(self, function: Scope) -> None:
        for known in called_values(self.program, function):
            self.known(known, True)

    def part(self, part: _Part) -> None:
        """Search a call or `@`."""
        if part.is_product:
            self.find(part.site)
        if part.is_hidden:
            self.hide(part.site.node.func, part.site.scope)  # type: ignore[attr-defined]
        for known in part.called:
            self.known(known, True)


class _Part(NamedTuple):
    """A call or `@` in a class or function, as a part of a network."""

    site: Site
    is_product: bool = False
    is_hidden: bool = False  # it calls what is not known
    called: tuple[Alternative, ...] = ()


@fact
def _parts(program: Program, scope: Scope, in_cell: bool) -> tuple[_Part, ...]:
    """Return the calls of a class or function that are parts of a network."""
    words = matmul_words(scope.module)
    calls = scope.calls_inside
    sites = (site for site in calls if site.word in words or site.word == "@" or not (in_cell and _by_name(site)))
    found = (_part(program, site, in_cell) for site in sites)
    return tuple(part for part in found if part is not None)


def _part(program: Program, site: Site, in_cell: bool) -> Optional[_Part]:
    """Return a site as a part: matmul, convolution, and in a function a call of a cell; None for other sites."""
    if is_matmul_site(program, site):
        return _Part(site, is_product=True)
    if not isinstance(site.node, ast.Call) or (in_cell and _by_name(site)):
        return None
    found = program.evaluator.callees(site).alternatives
    called = [each for each in found if in_cell or each.is_object or _is_nameless(each)]
    is_hidden = isinstance(site.node.func, ast.Name) and not found
    return _Part(site, False, is_hidden, tuple(called)) if called or is_hidden else None


def _is_nameless(known: Alternative) -> bool:
    """Return whether something is a method or a lambda, which no name of the code leads to."""
    function = known.definition
    return function is not None and (known.receiver is not None or isinstance(function.node, ast.Lambda))


def _by_name(site: Site) -> bool:
    """Return whether the callee of a site is a name or an attribute."""
    return isinstance(site.node, ast.Call) and isinstance(site.node.func, (ast.Name, ast.Attribute))


@fact
def _loaded(program: Program, scope: Scope) -> tuple[Scope, ...]:
    """Return the parts of a network that a class or function loads by name, and the methods of a class."""
    return tuple(dict.fromkeys((*loaded(program, scope), *(scope.defines if scope.is_class else ()))))


def loaded(program: Program, scope: Scope) -> Iterator[Scope]:
    """Yield the functions and classes that a class or function loads by name, in the order of the names."""
    for name in sorted(scope.names):
        yield from program.names.resolve(scope.module, name).scopes
    for attr in sorted(scope.attrs):
        yield from program.names.resolve_member(scope.module, attr).scopes


def added(program: Program, known: Alternative) -> Iterator[tuple[ast.expr, Scope]]:
    """Yield the cells that are added to a container, or to the list that is passed to it: `net.append(nn.ReLU())`."""
    made = known.creation
    if made is None or known.type_api not in CONTAINERS:
        return
    for argument in made.call.args:
        listed = argument.value if isinstance(argument, ast.Starred) else argument
        if isinstance(listed, ast.Name):
            yield from list_changes.added(program.evaluator, listed, made.scope)
    module = made.scope.module
    names = module.result_names(word_of(made.call.func))
    for word in sorted(ADDS):
        for site in module.by_word.get(word, ()):
            if site.base is not None and word_of(site.base) in names:
                holders = program.value(site.base, site.scope).alternatives
                if any(each.is_object and each.identity == known.identity for each in holders):
                    yield from ((given, site.scope) for given in site.call.args)


def _calls_what_it_is_given(cls: Scope) -> bool:
    """Return whether a class calls an attribute that holds an argument: `self.backbone = backbone`."""
    called = {site.word for method in cls.defines for site in method.calls}
    return any(
        name in called and any(isinstance(binding.value, ast.Name) for binding in bindings)
        for name, bindings in cls.attributes.items()
    )


def is_no_network(api: str) -> bool:
    """Return whether a class of a library holds no network: a tensor, an optimizer, a loss.

    A class of another library than MindSpore may wrap one.
    """
    if not api:
        return False
    if not api.startswith("mindspore."):
        return not api.rpartition(".")[2][:1].isupper()
    kin = {api, *mindspore_api.ancestors(api)}
    return bool(kin & {"mindspore.Tensor", LOSS_BASE, "mindspore.train.Metric", *OPTIMIZERS})
