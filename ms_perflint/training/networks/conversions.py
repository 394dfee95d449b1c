"""Where the networks of a training step of one's own are converted to half precision, without their loss."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.parameters import argument as argument_of
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training.networks import networks, packages
from ms_perflint.training.networks.inner_losses import fed_by, gives_losses, is_returned
from ms_perflint.training.networks.networks import is_loss, is_loss_name, multiplies
from ms_perflint.training.networks.train_cells import WRAPPERS, Training, made_at, wraps
from ms_perflint.training.repetition import repeats
from ms_perflint.training.training_steps import STEP_CELLS, is_optimizer

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

DEPTH = 4  # wrappers around a network, or functions between a forward function and the network
INSIDE = Message("the loss is computed inside of a network that is not part of the program")
APART = Message("code beside uses what this part has, and what it would not have when it is converted")
FOREIGN = Message("this network of a library is not converted with the rest")
METHOD = Message("another method of this network than `construct` is called, which stays in FP32")
FED = Message("this cell of a library would be given FP16 or BF16, and its weights stay in float32")
_MEMBERS = frozenset({"training", "phase", "requires_grad"})  # of every cell, beside its methods
_OF_NETWORKS = frozenset({"trainable_params", "set_train", "parameters_dict", "get_parameters"})


class Use(NamedTuple):
    """An expression that is a network, where it goes into its loss or train cell, is called, or is made."""

    module: SemanticIndex
    scope: Scope
    node: ast.expr
    stmt: ast.stmt  # before which it is converted
    is_part: bool = False  # of a network that computes its loss itself: it is converted where it is made
    is_outer: bool = False  # its name belongs to a scope around: it gets another one


class Obstacle(NamedTuple):
    """Why no diff can be shown, and where that stands."""

    module: SemanticIndex
    node: ast.AST
    text: str


class Inner(NamedTuple):
    """A network that computes its loss in a cell of its own.

    Its layers with matmul are set to float16, its normalisations and the loss to float32. Others compute in what they
    are given: an activation in float16 would hand that on to layers whose weights stay in float32.
    """

    cls: Scope
    layers: tuple[str, ...]
    losses: tuple[str, ...]


class Plan(NamedTuple):
    """The networks that are to be converted, or what stands in the way."""

    uses: tuple[Use, ...]
    inner: tuple[Inner, ...]
    obstacles: tuple[Obstacle, ...]


def plan(program: Program, trainings: Iterable[Training]) -> Plan:
    """Return where the networks of some trainings are converted."""
    found = _Finder(program)
    for training in trainings:
        found.training(training)
    return Plan(tuple(found.uses.values()), tuple(found.inner.values()), tuple(found.obstacles))


def together(program: Program, trainings: Sequence[Training], first: Training) -> tuple[Training, ...]:
    """Return the trainings that are stepped beside one, in one function or in two that another one calls.

    They are generator and discriminator of a GAN.
    """
    around = _around(program, first)
    return tuple(
        each for each in trainings if each == first or (each.kind == first.kind and around & _around(program, each))
    )


def _around(program: Program, training: Training) -> set[Scope]:
    """Return the functions that step a training, and those that call them."""
    found = {site.scope.owner for site in training.sites}
    return found | {caller.scope.owner for scope in found if scope.is_function for caller in program.callers(scope)}


class _Finder:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.uses: dict[int, Use] = {}  # identity of the expression -> use
        self.inner: dict[Scope, Inner] = {}
        self.obstacles: list[Obstacle] = []

    def training(self, training: Training) -> None:
        call = training.call
        if training.kind == "gradient":
            for value in training.values:
                for known in value.alternatives:
                    if known.definition is not None and known.definition.is_function:
                        self.function(known.definition, call, DEPTH)
                    elif known.is_object:
                        self.loss(known, DEPTH)
        elif training.kind == "model":
            for known in training.values[0].alternatives:
                self.loss(known, DEPTH)
        else:
            self.cell(call)
        if not self.uses and not self.inner and not self.obstacles:
            self.obstacles.append(Obstacle(call.module, call.node, Message("where its network is made is not known")))

    def cell(self, call: Call) -> None:
        """A train cell: what it is given first is the loss, or the network, where it is given a loss beside it."""
        given = list(self._networks_given(call))
        has_loss = any(self._is_loss(argument, call.scope) for argument in _arguments(call.node))
        for argument in given:
            for known in self.program.value(argument, call.scope).alternatives:
                if (has_loss or call.api not in STEP_CELLS) and not wraps(known) and len(given) + has_loss > 1:
                    self.use(argument, call)
                else:
                    self.loss(known, DEPTH)

    def _networks_given(self, call: Call) -> Iterator[ast.expr]:
        """Yield the arguments of a call that are networks."""
        for argument in _arguments(call.node):
            value = self.program.value(argument, call.scope)
            cells = Value(tuple(known for known in value.alternatives if known.is_object and self._may_be_cell(known)))
            if cells.alternatives and not self._is_optimizer(cells) and multiplies(self.program, [cells]):
                yield argument

    def _may_be_cell(self, known: Alternative) -> bool:
        return known.cls is None or networks.is_cell(self.program, known.cls)

    def _is_optimizer(self, value: Value) -> bool:
        return any(is_optimizer(self.program, known.type_api, known.cls) for known in value.alternatives)

    def _is_loss(self, argument: ast.expr, scope: Scope) -> bool:
        for known in self.program.value(argument, scope).alternatives:
            if known.type_api.endswith("Loss") or known.type_api.endswith("WithLogits"):
                return True
            if known.cls is not None and is_loss(self.program, known.cls) and not self._multiplies(known):
                return True
        return False

    def _multiplies(self, known: Alternative) -> bool:
        return multiplies(self.program, [Value((known,))])

    def loss(self, known: Alternative, depth: int) -> None:
        """A cell that gives the loss: the networks that it is given, else the layers that its class makes."""
        call = made_at(self.program, known)
        if call is None or not depth or not self._multiplies(known):
            return
        if known.type_api in WRAPPERS or known.cls is not None:
            given = list(self._networks_given(call))
            networks_given = [each for each in given if not self._is_loss_alone(each, call.scope)] or given
            for argument in networks_given:
                alternatives = self.program.value(argument, call.scope).alternatives
                inner = [each for each in alternatives if wraps(each) or self._gives_loss(known, each)]
                for each in inner:
                    self.loss(each, depth - 1)
                if not inner:
                    self.use(argument, call)
            if given:
                return
        if known.cls is not None:
            self.parts(known.cls)
        else:
            self.obstacles.append(Obstacle(call.module, call.node, INSIDE))

    def _gives_loss(self, around: Alternative, known: Alternative) -> bool:
        """Return whether a cell returns the loss that the network computes to which it gives the labels too."""
        construct = around.cls.method("construct") if around.cls is not None else None
        for site in construct.calls if construct is not None else ():
            if isinstance(site.node, ast.Call) and len(site.node.args) + len(site.node.keywords) > 1:
                callees = self.program.evaluator.callees(site).alternatives
                if any(each.identity == known.identity for each in callees) and _is_loss_inside(construct, site):
                    return True
        return False

    def _is_loss_alone(self, argument: ast.expr, scope: Scope) -> bool:
        """Return whether an argument is a loss by its name that is given no network."""
        known = self.program.value(argument, scope).alternatives
        made = [
            made_at(self.program, each) for each in known if each.cls is not None and "loss" in each.cls.name.lower()
        ]
        return bool(made) and not any(call is not None and list(self._networks_given(call)) for call in made)

    def parts(self, cls: Scope) -> None:
        """A network that computes its loss itself: in a cell that it holds, else with a function."""
        classes = list(ancestors(self.program.evaluator, cls))
        methods = [method for each in classes for method in each.defines]
        called = {site.word for method in methods for site in method.calls}
        names = {name for method in methods for name in method.attrs}
        layers: list[str] = []
        losses: list[str] = []
        found: list[Use] = []
        foreign: dict[str, Obstacle] = {}
        apart: list[Obstacle] = []
        for name, bindings in (item for each in classes for item in each.attributes.items()):
            for binding in bindings if name in names and len(bindings) == 1 else ():
                value, stmt, scope = binding.value, binding.stmt, binding.scope
                if value is None or binding.path or not isinstance(stmt, ast.stmt) or scope.owner.name != "__init__":
                    continue
                known = tuple(each for each in self.program.value(value, scope).alternatives if each.is_object)
                if not known or not all(self._is_cell(each) for each in known):
                    if name in called and any(_is_of_library(each) for each in known):
                        text = FOREIGN if any(packages.is_network(each.type_api) for each in known) else FED
                        foreign[name] = Obstacle(scope.module, value, text)
                    continue
                if self._is_loss(value, scope) or all("Norm" in each.type_api for each in known):
                    losses.append(name)
                elif self._may_multiply(known):
                    layers.append(name)
                if name in called and multiplies(self.program, [Value(known)]):
                    is_own = partial(_is_self, name=name)
                    if any(_members(self.program, each.node, is_own) or _takes_apart(each, is_own) for each in classes):
                        apart.append(Obstacle(scope.module, value, APART))
                    found.append(Use(scope.module, scope, value, stmt, True))
        self._choose(cls, classes, layers, losses, found, foreign, apart)

    def _choose(
        self,
        cls: Scope,
        classes: Sequence[Scope],
        layers: Sequence[str],
        losses: Sequence[str],
        found: Sequence[Use],
        foreign: Mapping[str, Obstacle],
        apart: Sequence[Obstacle],
    ) -> None:
        """Convert the layers of a network that computes its loss itself in place, else what it is made of."""
        library = [each for each in foreign.values() if each.text == FOREIGN]
        if losses and layers:
            construct = next((each.method("construct") for each in classes if each.method("construct")), None)
            fed = [foreign[name] for name in fed_by(construct, layers, foreign)] if construct is not None else []
            if library or fed:
                self.obstacles.append((library or fed)[0])
                return
            own = next(each for each in classes if each.method("__init__") is not None)
            self.inner[own] = Inner(own, tuple(dict.fromkeys(layers)), tuple(dict.fromkeys(losses)))
        elif foreign or apart:
            self.obstacles.append((library or list(foreign.values()) or apart)[0])
        elif found:
            self.uses.update((id(use.node), use) for use in found)
        else:
            text = Message("the loss is computed in the same cell as the matmul")
            self.obstacles.append(Obstacle(cls.module, cls.node, text))

    def _may_multiply(self, known: tuple[Alternative, ...]) -> bool:
        """Return whether cells may have a matmul, of whatever size; of MindSpore's cells it is known."""
        found = networks.reach(self.program, [Value(known)])
        return found.has_products or (found.is_hidden and any(each.cls is not None for each in known))

    def _is_cell(self, known: Alternative) -> bool:
        if known.cls is not None:
            return networks.is_cell(self.program, known.cls)
        return known.type_api.startswith(("mindspore.nn.", "mindspore.mint.nn."))

    def function(self, function: Scope, gradient: Call, depth: int) -> None:
        """A function that is differentiated: the networks that it calls."""
        for site in function.calls:
            if not isinstance(site.node, ast.Call):
                continue
            known = self.program.evaluator.callees(site).alternatives
            cells = [each for each in known if each.is_object and self._multiplies(each)]
            if any(_is_member(each) and self._multiplies(each.receiver) for each in known if each.receiver):
                self.obstacles.append(Obstacle(function.module, site.node, METHOD))
            for each in cells:
                if each.cls is not None and is_loss(self.program, each.cls) and not wraps(each):
                    continue
                if wraps(each) or (depth == DEPTH and _is_loss_inside(function, site)):
                    self.loss(each, DEPTH)
                else:
                    self.called(site, function, gradient)
            if not cells and not self._is_known_loss(site, known) and _is_network_by_use(site.node, gradient):
                if depth == DEPTH and _is_loss_inside(function, site):
                    self.obstacles.append(Obstacle(function.module, site.node, INSIDE))
                else:
                    self.called(site, function, gradient)
            inner = [each.definition for each in known if each.definition is not None and each.definition.is_function]
            for other in inner if depth > 1 and not cells else ():
                if other is not function and other.name != "construct":
                    self.function(other, gradient, depth - 1)

    def _is_known_loss(self, site: Site, known: Iterable[Alternative]) -> bool:
        """Return whether a loss is called, perhaps one of a library with weights: `AutomaticWeightedLoss(2)`."""
        if any(each.type_api.endswith("Loss") for each in known):
            return True
        classes = (each.cls for each in known if each.is_object and each.cls is not None)
        return is_loss_name(site.word) or any(is_loss(self.program, cls) for cls in classes)

    def called(self, site: Site, function: Scope, gradient: Call) -> None:
        """A network that a differentiated function calls by a name of the function around, or as an attribute."""
        callee = site.node.func if isinstance(site.node, ast.Call) else None
        where = gradient.scope.owner
        if isinstance(callee, ast.Name) and function.module is where.module:
            home = function.home(callee.id)
            is_inside = where in function.enclosing()
            if home is where or (is_inside and home is not None and home is where.home(callee.id)):
                stmt = outside(gradient, callee, gradient.stmt)
                self.add(Use(where.module, where, callee, stmt, is_outer=home is not where))
                return
        is_self = isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name) and callee.value.id == "self"
        if is_self and callee is not None and function.parent is where.parent and function.module is where.module:
            self.add(Use(where.module, where, callee, gradient.stmt))
            return
        text = Message("the network that the gradient function calls is bound in another scope")
        self.obstacles.append(Obstacle(function.module, site.node, text))

    def use(self, argument: ast.expr, call: Call) -> None:
        self.add(Use(call.module, call.scope, argument, outside(call, argument, call.stmt)))

    def add(self, use: Use) -> None:
        """Note where a network is converted: once, also where the step is made anew in each step or epoch."""
        once = _once(self.program, use, DEPTH)
        if once is None:
            text = Message("the training step is created per step or epoch, and would convert its network each time")
            self.obstacles.append(Obstacle(use.module, use.node, text))
        elif _is_read_by_taker(self.program, once):
            text = Message("what computes the loss uses attributes that the converted network does not have")
            self.obstacles.append(Obstacle(use.module, use.node, text))
        else:
            self.uses.setdefault(id(once.node), once)


def _is_member(known: Alternative) -> bool:
    """Return whether what is called is a method of an object that a class of the project defines."""
    return known.definition is not None and known.receiver is not None and known.definition.name != "construct"


def _arguments(node: ast.Call) -> list[ast.expr]:
    given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg is not None)]
    return [argument for argument in given if not isinstance(argument, ast.Starred)]


def outside(call: Site, given: ast.expr, stmt: ast.stmt) -> ast.stmt:
    """Return the statement before which a network is converted once: the loop around, if it is made before that."""
    names = {node.id for node in ast.walk(given) if isinstance(node, ast.Name)}
    for loop in reversed(call.block.loops):
        bound = {node.id for node in ast.walk(loop) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        if isinstance(loop, ast.stmt) and not bound & names:
            return loop
    return stmt


def _once(program: Program, use: Use, depth: int) -> Optional[Use]:
    """Return a use that runs once: of the parameter of a function that each epoch calls, what its one caller passes."""
    block = next((block for stmt, block in use.module.steps if stmt is use.stmt), None)
    name = use.node.id if isinstance(use.node, ast.Name) else ""
    bindings = use.scope.owner.bindings.get(name, ())
    given_for = bindings[0] if len(bindings) == 1 and bindings[0].kind == "parameter" else None
    callers = [each for each in program.callers(use.scope.owner) if program.runs(each)]
    is_again = given_for is not None and (len(callers) > 1 or any(each.block.loops for each in callers))
    site = Site(use.module, use.stmt, "", use.stmt, block, None) if block is not None else None  # type: ignore[arg-type]
    if site is None or not (is_again or repeats(program, site, even_once=True)):
        return use
    if not depth or given_for is None or len(callers) != 1:
        return None
    given = argument_of(program.evaluator, given_for, callers[0]).part
    if given is None or given.scope.module is not callers[0].module or not isinstance(given.node, ast.Name):
        return None
    stmt = outside(callers[0], given.node, callers[0].stmt)
    return _once(program, Use(given.scope.module, given.scope, given.node, stmt), depth - 1)


def _is_read_by_taker(program: Program, use: Use) -> bool:
    """Return whether what is made of a network, its loss cell, reads members of it: `self.network.prepare(...)`."""

    def same(node: ast.expr) -> bool:
        return node is use.node

    calls = (site for site in use.scope.owner.calls if isinstance(site.node, ast.Call))
    takers = (site for site in calls if any(map(same, _arguments(site.node))))  # type: ignore[arg-type]
    return any(
        callee.name == "__init__" and _reads_members(program, callee, site.node, same)  # type: ignore[arg-type]
        for site in takers
        for callee in _callees(program, site)
    )


def _is_loss_inside(function: Optional[Scope], site: Site) -> bool:
    return function is not None and (is_returned(function, site) or gives_losses(function, site))


def _is_network_by_use(call: ast.Call, gradient: Call) -> bool:
    """Return whether what is called is used as a network beside a gradient function: `net.set_train()`."""
    if not isinstance(call.func, (ast.Name, ast.Attribute)):
        return False
    name = ast.unparse(call.func)
    members = (node for node in ast.walk(gradient.scope.owner.node) if isinstance(node, ast.Attribute))
    return any(each.attr in _OF_NETWORKS and ast.unparse(each.value) == name for each in members)


# --- what is used beside


def _members(program: Program, root: ast.AST, is_base: Callable[[ast.expr], bool]) -> list[ast.Attribute]:
    """Return the attributes of some expressions that not every cell has."""
    found = [node for node in ast.walk(root) if isinstance(node, ast.Attribute) and is_base(node.value)]
    return [node for node in found if node.attr not in _MEMBERS and not _is_of_all_cells(program, node.attr)]


def _is_of_all_cells(program: Program, name: str) -> bool:
    return mindspore_api.parameters(f"mindspore.nn.Cell.{name}", program.version) is not None


def _takes_apart(scope: Scope, is_base: Callable[[ast.expr], bool]) -> bool:
    """Return whether code loops over an expression, or takes an item of it: what converts it can do neither."""
    for node in ast.walk(scope.node):
        taken: list[ast.expr] = []
        if isinstance(node, (ast.For, ast.comprehension)):
            taken = [node.iter, *(node.iter.args if isinstance(node.iter, ast.Call) else ())]
        elif isinstance(node, ast.Subscript):
            taken = [node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "list"):
            taken = node.args
        if any(map(is_base, taken)):
            return True
    return False


def _is_of_library(known: Alternative) -> bool:
    """Return whether an object is of a class that is neither of the project nor of MindSpore."""
    return known.cls is None and bool(known.type_api) and not known.type_api.startswith("mindspore.")


def _is_self(node: ast.expr, name: str) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr != name:
        return False
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def is_used_beside(program: Program, use: Use) -> bool:
    """Return whether an attribute of a network's own is used in its file, or in a function that it is passed to.

    What `auto_mixed_precision` gives has no such attribute (run on 2.10).
    """
    text = ast.unparse(use.node)

    def same(node: ast.expr) -> bool:
        return type(node) is type(use.node) and ast.unparse(node) == text

    if _members(program, use.module.tree, same):
        return True
    sites = (site for scope in use.module.scopes for site in scope.calls if isinstance(site.node, ast.Call))
    return any(
        _reads_members(program, callee, site.node, same)
        for site in sites
        if isinstance(site.node, ast.Call) and any(same(each) for each in _arguments(site.node))
        for callee in _callees(program, site)
    )


def _callees(program: Program, site: Site) -> Iterator[Scope]:
    for known in program.evaluator.callees(site).alternatives:
        function = known.definition
        if function is not None and function.is_class:
            function = function.method("__init__")
        if function is not None and function.is_function:
            yield function


def _reads_members(program: Program, function: Scope, call: ast.Call, same: Callable[[ast.expr], bool]) -> bool:
    """Return whether a function reads attributes of the parameter that a call passes the network for."""
    names = [arg.arg for arg in function.node.args.args]  # type: ignore[union-attr]
    passed = [name for name, given in zip(names[function.is_method :], call.args) if same(given)]
    passed += [word.arg for word in call.keywords if word.arg is not None and same(word.value)]
    if _members(program, function.node, lambda base: isinstance(base, ast.Name) and base.id in passed):
        return True
    cls = function.parent if function.is_method else None
    kept = [
        name
        for name, bindings in (cls.attributes.items() if cls is not None else ())
        if any(isinstance(binding.value, ast.Name) and binding.value.id in passed for binding in bindings)
    ]
    return cls is not None and bool(_members(program, cls.node, lambda base: any(_is_self(base, n) for n in kept)))
