"""How a network that computes its loss itself is converted: all its layers without the loss, or nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import combinations

from ms_perflint.core.facts import fact
from ms_perflint.core.findings import Related
from ms_perflint.core.graphs import reachable
from ms_perflint.index.reachability import excludes
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import is_own, word_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training import family
from ms_perflint.training.bases import is_cell
from ms_perflint.training.networks import loads, networks
from ms_perflint.training.networks.losses import NAMED_LOSS, is_loss_api
from ms_perflint.training.networks.networks import added, is_loss, multiplies
from ms_perflint.training.networks.plans import Inner, Plan, Use
from ms_perflint.training.networks.used_beside import members, takes_apart

Known = tuple[Alternative, ...]

_ROWS = frozenset({"mindspore.nn.CellList", "mindspore.nn.SequentialCell"})

APART = Message("other code uses attributes of this part, which a converted network lacks")
FOREIGN = Message("this network of a library is not converted with the rest")
FED = Message("this cell of a library would be given FP16 or BF16, and its weights stay in FP32")
STAYS = Message("this part of the network would stay in FP32")
LOADED = Message("weights are loaded here by their names, which are other ones in parts that are converted")
ALONE = Message("the loss is computed in the same cell as the matmul")


def parts(program: Program, cls: Scope) -> Plan:
    """Return how a network that computes its loss itself is converted: its layers in place, else with a function.

    All parts with matmul are converted, or none: a diff that leaves most of the work as it is promises too much.
    """
    return _Parts(program, cls).plan()


def is_loss_value(program: Program, argument: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is a loss, and no network that computes one."""
    for known in program.value(argument, scope).alternatives:
        if is_loss_api(known.type_api):
            return True
        if known.cls is not None and is_loss(program, known.cls) and not multiplies(program, [Value((known,))]):
            return True
    return False


class _Parts:
    """The attributes of a class, by their part in its conversion."""

    def __init__(self, program: Program, cls: Scope) -> None:
        self.program = program
        self.cls = cls
        self.classes = list(ancestors(program.evaluator, cls))
        methods = [method for each in self.classes for method in each.defines]
        self.called = {site.word for method in methods for site in method.calls}
        self.names = {name for method in methods for name in method.attrs}
        self.layers: list[str] = []
        self.losses: list[str] = []
        self.uses: list[Use] = []  # what is converted where it is made
        self.foreign: dict[str, Related] = {}
        self.stays: dict[str, Related] = {}  # parts that cannot be converted where they are made

    def plan(self) -> Plan:
        for name, bindings in (item for each in self.classes for item in each.attributes.items()):
            if name in self.names:
                self._attribute(name, bindings)
        library = [each for each in self.foreign.values() if each.message == FOREIGN]
        if self.losses and self.layers:
            return self._in_place(library)
        obstacles = [*library, *self.foreign.values(), *self.stays.values()]
        if not obstacles and self.uses:
            # the names are those of the parameters, which are other ones when the parts are made converted
            loaded = loads.loads(self.program, self.classes)
            obstacles = [Related(call.place, LOADED) for call in loaded]
        if not obstacles and not self.uses:
            obstacles = [Related(self.cls.module.place(self.cls.node), ALONE)]
        return Plan((), (), tuple(obstacles[:1])) if obstacles else Plan(tuple(self.uses), (), ())

    def _in_place(self, library: Sequence[Related]) -> Plan:
        """Return the plan that sets the layers to half precision, and the cell of the loss to float32."""
        construct = next((each.method("construct") for each in self.classes if each.method("construct")), None)
        fed = [self.foreign[name] for name in fed_by(construct, self.layers, self.foreign)] if construct else []
        left = [each for name, each in self.stays.items() if name not in self.layers]
        obstacles = [*library, *fed, *left]
        if obstacles:
            return Plan((), (), (obstacles[0],))
        own = next(each for each in self.classes if each.method("__init__") is not None)
        return Plan((), (Inner(own, tuple(dict.fromkeys(self.layers)), tuple(dict.fromkeys(self.losses))),), ())

    def _attribute(self, name: str, bindings: Sequence[Binding]) -> None:
        """Note whether an attribute is layers, a loss, a part of a library, or a part that stays as it is."""
        is_one = all(excludes(first.block, then.block) for first, then in combinations(bindings, 2))
        for binding in bindings:
            value, stmt, scope = binding.value, binding.stmt, binding.scope
            if value is None or binding.path:
                continue
            known = tuple(each for each in self.program.value(value, scope).alternatives if each.is_object)
            if not known or not all(is_cell(self.program, each) for each in known):
                if name in self.called and any(_is_of_library(each) for each in known):
                    text = FOREIGN if any(family.is_network(each.type_api) for each in known) else FED
                    self.foreign[name] = Related(scope.module.place(value), text)
                continue
            if is_loss_value(self.program, value, scope) or all("Norm" in each.type_api for each in known):
                self.losses.append(name)
            elif self._may_multiply(known):
                self.layers.append(name)
            if multiplies(self.program, [Value(known)]):
                is_made_here = is_one and isinstance(stmt, ast.stmt) and scope.owner.name == "__init__"
                use = self._use(name, binding, known) if is_made_here else None
                if isinstance(use, Use):
                    self.uses.append(use)
                else:
                    self.stays.setdefault(name, use or Related(scope.module.place(value), STAYS))

    def _use(self, name: str, binding: Binding, known: Known) -> Use | Related | None:
        """Return a part that is converted where it is made, or the obstacle; None where neither is known."""
        value, stmt, scope = binding.value, binding.stmt, binding.scope
        assert value is not None and isinstance(stmt, ast.stmt)
        is_part = partial(is_own, name=name)
        if name in self.called:
            if any(members(self.program, each.node, is_part) or takes_apart(each, is_part) for each in self.classes):
                return Related(scope.module.place(value), APART)
            return Use(scope.module, scope, value, stmt, True)
        is_row = all(each.type_api in _ROWS and not list(added(self.program, each)) for each in known)
        given = value.args if isinstance(value, ast.Call) and not value.keywords else []
        if not is_row or len(given) != 1 or not _is_list(given[0], scope):
            return None
        if any(not _goes_through(self.program, each, name) for each in self.classes):
            return Related(scope.module.place(value), APART)
        return Use(scope.module, scope, value, stmt, True, is_row=True)

    def _may_multiply(self, known: Known) -> bool:
        """Return whether cells may have a matmul of any size; of a cell of MindSpore that is known."""
        found = networks.reach(self.program, [Value(known)])
        return found.has_products or (found.is_hidden and any(each.cls is not None for each in known))


def _is_of_library(known: Alternative) -> bool:
    """Return whether an object is of a class that is neither of the project nor of MindSpore."""
    return known.cls is None and bool(known.type_api) and not known.type_api.startswith("mindspore.")


# --- rows of cells


def _is_list(node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is a literal list of cells, or a name of one."""
    bindings = scope.lookup(node) if isinstance(node, ast.Name) else ()
    values = [each.value for each in bindings] if isinstance(node, ast.Name) else [node]
    return bool(values) and all(isinstance(each, (ast.List, ast.Tuple, ast.ListComp)) for each in values)


def _goes_through(program: Program, cls: Scope, name: str) -> bool:
    """Return whether code only loops over a row of cells, or takes items of it, and only calls these."""
    is_row = partial(is_own, name=name)
    rows = {id(node) for node in ast.walk(cls.node) if isinstance(node, ast.Attribute) and is_row(node)}
    rows -= {id(node) for node in ast.walk(cls.node) if isinstance(getattr(node, "ctx", None), ast.Store)}
    allowed: set[int] = set()
    items: set[str] = set()
    for node in ast.walk(cls.node):
        if isinstance(node, (ast.For, ast.comprehension)):
            for row, target in _passes(node.iter, node.target):
                if is_row(row) and isinstance(target, ast.Name):
                    allowed.add(id(row))
                    items.add(target.id)
        elif isinstance(node, ast.Subscript) and is_row(node.value):
            allowed.add(id(node.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            allowed.update(id(each) for each in node.args if is_row(each))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript) and is_row(node.value.value):
            items.update(each.id for each in ast.walk(node) if isinstance(each, ast.Name) and each.id != "self")

    def is_item(node: ast.expr) -> bool:
        if isinstance(node, ast.Subscript):
            return is_row(node.value)
        return isinstance(node, ast.Name) and node.id in items

    calls = (node for node in ast.walk(cls.node) if isinstance(node, ast.Call))
    is_passed = any(is_item(each) for call in calls for each in call.args)
    return (
        rows <= allowed and not is_passed and not members(program, cls.node, is_item) and not takes_apart(cls, is_item)
    )


def _passes(over: ast.expr, target: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the iterables of a loop, each with the target of its items: `for i, (a, b) in enumerate(zip(x, y))`."""
    word = over.func.id if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) else ""
    elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    if not isinstance(over, ast.Call) or not word:
        yield over, target
    elif word == "enumerate" and over.args:
        yield from _passes(over.args[0], elements[1] if len(elements) == 2 else target)
    elif word == "reversed" and over.args:
        yield from _passes(over.args[0], target)
    elif word == "zip":
        for at, row in enumerate(over.args):
            yield from _passes(row, elements[at] if len(elements) == len(over.args) else target)


# --- the loss of a network

DEPTH = 4  # names behind one another


def is_returned(function: Scope, site: Site) -> bool:
    """Return whether a function returns the result of a call as it is."""
    return any(_is_part_of(_first(given), site.node, function, DEPTH) for given, _ in function.returns)


def gives_losses(function: Scope, site: Site) -> bool:
    """Return whether a function returns a value computed from a loss in the result of a call, by its name.

    `_, loss = net(x, y)`; `out = net(x, y)` and `out["loss_a"] + out.loss_b`.
    """
    return any(_is_loss_of(node, function, site) for node in _returned(function.module, function))


@fact
def _returned(module: SemanticIndex, function: Scope) -> tuple[ast.AST, ...]:
    """Return the names and members from which the results of a function of a file are computed."""
    made_of = (node for given, _ in function.returns for node in _behind(_first(given), function))
    return tuple(node for node in made_of if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)))


def _is_loss_of(node: ast.AST, function: Scope, site: Site) -> bool:
    """Return whether an expression reads the result of a call, or a part of it, under the name of a loss."""
    if isinstance(node, ast.Name):
        given = [binding for binding in function.lookup(node) if binding.value is site.node]
        return bool(given) and re.search(NAMED_LOSS, node.id) is not None
    if not isinstance(node, (ast.Attribute, ast.Subscript)) or not isinstance(node.value, ast.Name):
        return False
    given = [each for each in function.lookup(node.value) if each.value is site.node and not each.path]
    return bool(given) and re.search(NAMED_LOSS, word_of(node)) is not None


def fed_by(construct: Scope, layers: Collection[str], others: Collection[str]) -> list[str]:
    """Return the attributes of `self` that a network calls with the output of some of its layers."""
    found = []
    for site in construct.calls:
        if site.word in others:
            nodes = (node for given in site.call.args for node in _behind(given, construct))
            if any(isinstance(node, ast.Call) and word_of(node.func) in layers for node in nodes):
                found.append(site.word)
    return found


def _first(given: ast.expr) -> ast.expr:
    """Return the loss of a returned expression: the first of several values."""
    return given.elts[0] if isinstance(given, ast.Tuple) and given.elts else given


def _behind(value: ast.expr, function: Scope) -> Iterator[ast.AST]:
    """Return the expressions from which a value of a function is computed."""

    def before(value: ast.expr) -> Iterator[ast.expr]:
        names = (node for node in ast.walk(value) if isinstance(node, ast.Name))
        own = (binding for name in names for binding in function.lookup(name) if binding.scope is function)
        return (part for binding in own for part in _parts(binding))

    return (node for each in reachable([value], before) for node in ast.walk(each))


def _parts(binding: Binding) -> Sequence[ast.expr]:
    """Return the expressions that give a binding its value; for `x += y` the earlier value of `x` is one."""
    if isinstance(binding.stmt, ast.AugAssign):
        return binding.stmt.target, binding.stmt.value
    return (binding.value,) if binding.value is not None else ()


def _is_part_of(value: ast.expr, call: ast.AST, function: Scope, depth: int) -> bool:
    """Return whether an expression is the result of a call, or a part of it: `output.loss`, `loss, _ = net(x)`."""
    while isinstance(value, (ast.Attribute, ast.Subscript)):
        value = value.value
    if value is call:
        return True
    bindings = function.bindings.get(value.id, ()) if isinstance(value, ast.Name) and depth else ()
    values = [binding.value for binding in bindings if binding.value is not None]
    return bool(values) and all(_is_part_of(each, call, function, depth - 1) for each in values)
