"""Where the networks of a training step of the project are converted to half precision, without their loss."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Optional

from ms_perflint.core.findings import Related
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import is_own, names_in, plainly_given
from ms_perflint.infer.parameters import argument as argument_of
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call, made_at
from ms_perflint.program.program import Program
from ms_perflint.training.bases import is_cell, is_cell_class
from ms_perflint.training.networks import networks
from ms_perflint.training.networks.inner_parts import gives_losses, is_loss_value, is_returned, parts
from ms_perflint.training.networks.losses import is_loss_api, is_loss_name
from ms_perflint.training.networks.networks import is_loss, multiplies
from ms_perflint.training.networks.plans import Inner, Plan, Use, converted
from ms_perflint.training.networks.train_cells import WRAPPERS, Training, wraps
from ms_perflint.training.networks.used_beside import is_read_by_taker
from ms_perflint.training.optimizers import is_optimizer
from ms_perflint.training.repetition import repeats
from ms_perflint.training.training_steps import STEP_CELLS

DEPTH = 4  # wrappers around a network, or functions between a forward function and the network
INSIDE = Message("the loss is computed inside of a network that is not part of the program")
METHOD = Message("a method of this network other than `construct` is called, and stays in FP32")
_OF_NETWORKS = frozenset({"trainable_params", "set_train", "parameters_dict", "get_parameters"})


def plan(program: Program, trainings: Iterable[Training]) -> Plan:
    """Return where the networks of some trainings are converted, and the obstacles."""
    found = _Finder(program)
    for training in trainings:
        found.training(training)
    uses = tuple(found.uses.values())
    return Plan(uses, tuple(found.inner.values()), (*found.obstacles, *_twice(program, uses)))


def _twice(program: Program, uses: Sequence[Use]) -> Iterator[Related]:
    """Yield an obstacle for each part of a network that is also converted as a whole."""
    parts = [use for use in uses if use.is_part]
    wholes = [converted(program, use) for use in uses if not use.is_part] if parts else []
    scopes = networks.reach(program, wholes).scopes if wholes else frozenset()
    for use in parts:
        if use.scope.owner.parent in scopes:
            text = Message(
                "this part belongs to a network that another loss takes as a whole: it would be converted twice"
            )
            yield Related(use.place, text)


def together(program: Program, trainings: Sequence[Training], first: Training) -> tuple[Training, ...]:
    """Return the trainings that are stepped beside one, in its function or in one with the same caller.

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
    """Collects the networks of some trainings, where they are converted, and the obstacles."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.uses: dict[int, Use] = {}  # identity of the expression -> use
        self.inner: dict[Scope, Inner] = {}
        self.obstacles: list[Related] = []

    def training(self, training: Training) -> None:
        call = training.call
        if training.kind == "gradient":
            for value in training.values:
                for known in value.alternatives:
                    if known.definition is not None and not known.definition.is_class:
                        self.function(known.definition, call, DEPTH)
                    elif known.is_object:
                        self.loss(known, DEPTH)
        elif training.kind == "model":
            for known in training.values[0].alternatives:
                self.loss(known, DEPTH)
        else:
            self.cell(call)
        if not self.uses and not self.inner and not self.obstacles:
            self.obstacles.append(Related(call.place, Message("where its network is made is not known")))

    def cell(self, call: Call) -> None:
        """Add the networks of a train cell: its first argument is the loss, or the network beside a loss."""
        given = list(self._networks_given(call))
        has_loss = any(is_loss_value(self.program, argument, call.scope) for argument in plainly_given(call.node))
        for argument in given:
            for known in self.program.value(argument, call.scope).alternatives:
                if (has_loss or call.api not in STEP_CELLS) and not wraps(known) and len(given) + has_loss > 1:
                    self.use(argument, call)
                else:
                    self.loss(known, DEPTH)

    def _networks_given(self, call: Call) -> Iterator[ast.expr]:
        """Yield the arguments of a call that are networks."""
        for argument in plainly_given(call.node):
            value = self.program.value(argument, call.scope)
            objects = (each for each in value.alternatives if each.is_object)
            cells = tuple(each for each in objects if each.cls is None or is_cell_class(self.program, each.cls))
            is_stepped = any(is_optimizer(self.program, each.type_api, each.cls) for each in cells)
            if cells and not is_stepped and multiplies(self.program, [Value(cells)]):
                yield argument

    def _multiplies(self, known: Alternative) -> bool:
        return multiplies(self.program, [Value((known,))])

    def loss(self, known: Alternative, depth: int) -> None:
        """Add the networks that a cell with a loss is given, else the layers that its class makes."""
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
            self.obstacles.append(Related(call.place, INSIDE))

    def _gives_loss(self, around: Alternative, known: Alternative) -> bool:
        """Return whether a cell returns the loss of a network that it calls with the labels."""
        construct = around.cls.method("construct") if around.cls is not None else None
        for site in construct.calls if construct is not None else ():
            if isinstance(site.node, ast.Call) and len(site.node.args) + len(site.node.keywords) > 1:
                callees = self.program.evaluator.callees(site).alternatives
                if any(each.identity == known.identity for each in callees) and _is_loss_inside(construct, site):
                    return True
        return False

    def _is_loss_alone(self, argument: ast.expr, scope: Scope) -> bool:
        """Return whether an argument is a loss, by its name, that is given no network."""
        known = self.program.value(argument, scope).alternatives
        made = [
            made_at(self.program, each) for each in known if each.cls is not None and "loss" in each.cls.name.lower()
        ]
        return bool(made) and not any(call is not None and list(self._networks_given(call)) for call in made)

    def parts(self, cls: Scope) -> None:
        """Add the parts of a network that computes its loss itself."""
        plan = parts(self.program, cls)
        self.uses.update((id(use.node), use) for use in plan.uses)
        self.inner.update((inner.cls, inner) for inner in plan.inner)
        self.obstacles += plan.obstacles

    def function(self, function: Scope, gradient: Call, depth: int) -> None:
        """Add the networks that a differentiated function calls."""
        for site in function.calls_inside:
            if not isinstance(site.node, ast.Call):
                continue
            known = self.program.evaluator.callees(site).alternatives
            cells = [each for each in known if each.is_object and self._multiplies(each)]
            methods = [each for each in known if each.definition is not None and each.definition.name != "construct"]
            owners = (each.receiver for each in methods if each.receiver is not None)
            if any(is_cell(self.program, each) and self._multiplies(each) for each in owners):
                self.obstacles.append(Related(site.place, METHOD))
            for each in cells:
                if each.cls is not None and is_loss(self.program, each.cls) and not wraps(each):
                    continue
                if wraps(each) or (depth == DEPTH and _is_loss_inside(function, site)):
                    self.loss(each, DEPTH)
                else:
                    self.called(site, function, gradient)
            if not cells and not self._is_known_loss(site, known) and _is_network_by_use(site.node, gradient):
                if depth == DEPTH and _is_loss_inside(function, site):
                    self.obstacles.append(Related(site.place, INSIDE))
                else:
                    self.called(site, function, gradient)
            inner = [each.definition for each in known if each.definition is not None and not each.definition.is_class]
            for other in inner if depth > 1 and not cells else ():
                if other is not function and other.name != "construct":
                    self.function(other, gradient, depth - 1)

    def _is_known_loss(self, site: Site, known: Iterable[Alternative]) -> bool:
        """Return whether a call is one of a loss, also of a library with weights: `AutomaticWeightedLoss(2)`."""
        if any(is_loss_api(each.type_api) for each in known):
            return True
        classes = (each.cls for each in known if each.is_object and each.cls is not None)
        return is_loss_name(site.word) or any(is_loss(self.program, cls) for cls in classes)

    def called(self, site: Site, function: Scope, gradient: Call) -> None:
        """Add a network that a differentiated function calls by a name of the function around, or as an attribute."""
        callee = site.callee
        where = gradient.scope.owner
        if isinstance(callee, ast.Name) and function.module is where.module:
            home = function.home(callee.id)
            is_inside = where in function.enclosing()
            if home is where or (is_inside and home is not None and home is where.home(callee.id)):
                stmt = outside(gradient, callee, gradient.stmt)
                self.add(Use(where.module, where, callee, stmt, is_outer=home is not where))
                return
        if (
            callee is not None
            and is_own(callee)
            and function.parent is where.parent
            and function.module is where.module
        ):
            self.add(Use(where.module, where, callee, gradient.stmt))
            return
        text = Message("the network that the gradient function calls is bound in another scope")
        self.obstacles.append(Related(site.place, text))

    def use(self, argument: ast.expr, call: Call) -> None:
        self.add(Use(call.module, call.scope, argument, outside(call, argument, call.stmt)))

    def add(self, use: Use) -> None:
        """Add the place where a network is converted once, also where each step or epoch makes the training step."""
        once = _once(self.program, use, DEPTH)
        if once is None:
            text = Message("the training step is created per step or epoch, and would convert its network each time")
            self.obstacles.append(Related(use.place, text))
        elif is_read_by_taker(self.program, once):
            text = Message("the code that takes the network uses attributes that a converted network lacks")
            self.obstacles.append(Related(use.place, text))
        else:
            self.uses.setdefault(id(once.node), once)


def outside(call: Site, given: ast.expr, stmt: ast.stmt) -> ast.stmt:
    """Return the statement before which a network is converted once: the outermost loop that does not bind it."""
    names = names_in(given)
    for loop in reversed(call.block.loops):
        bound = {node.id for node in ast.walk(loop) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        if isinstance(loop, ast.stmt) and not bound & names:
            return loop
    return stmt


def _once(program: Program, use: Use, depth: int) -> Optional[Use]:
    """Return a use that runs once; of a parameter of a function that each epoch calls, the argument of its caller."""
    block = next((block for stmt, block in use.module.steps if stmt is use.stmt), None)
    only = use.scope.owner.single(use.node)
    given_for = only if only is not None and only.kind == "parameter" else None
    callers = [each for each in program.callers(use.scope.owner) if program.runs(each)]
    is_again = given_for is not None and (len(callers) > 1 or any(each.block.loops for each in callers))
    site = Site.of(use.stmt, block) if block is not None else None
    if site is None or not (is_again or repeats(program, site, even_once=True)):
        return use
    if not depth or given_for is None or len(callers) != 1:
        return None
    given = argument_of(program.evaluator, given_for, callers[0]).part
    if given is None or given.scope.module is not callers[0].module or not isinstance(given.node, ast.Name):
        return None
    stmt = outside(callers[0], given.node, callers[0].stmt)
    return _once(program, Use(given.scope.module, given.scope, given.node, stmt), depth - 1)


def _is_loss_inside(function: Optional[Scope], site: Site) -> bool:
    return function is not None and (is_returned(function, site) or gives_losses(function, site))


def _is_network_by_use(call: ast.Call, gradient: Call) -> bool:
    """Return whether the code around a gradient function uses a callee as a network: `net.set_train()`."""
    if not isinstance(call.func, (ast.Name, ast.Attribute)):
        return False
    name = ast.unparse(call.func)
    members = (node for node in ast.walk(gradient.scope.owner.node) if isinstance(node, ast.Attribute))
    return any(each.attr in _OF_NETWORKS and ast.unparse(each.value) == name for each in members)
