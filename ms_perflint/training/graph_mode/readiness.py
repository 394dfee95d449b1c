"""The obstacles to graph mode in a program, each with its place: see the modules beside this one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import inner_of, position
from ms_perflint.languages import Message
from ms_perflint.program.program import Program, fact
from ms_perflint.training import jit
from ms_perflint.training.conditions import is_on_request
from ms_perflint.training.family import ADAPTERS, EAGER
from ms_perflint.training.graph_mode.aliases import in_aliases
from ms_perflint.training.graph_mode.batch_tests import in_batch_tests
from ms_perflint.training.graph_mode.between_steps import between_steps
from ms_perflint.training.graph_mode.branches import in_arms, root_of
from ms_perflint.training.graph_mode.closures import in_closures
from ms_perflint.training.graph_mode.compiled import compiled, is_compiled
from ms_perflint.training.graph_mode.gradients import in_bprops, in_gradients
from ms_perflint.training.graph_mode.identities import in_identities
from ms_perflint.training.graph_mode.known_calls import is_parsed
from ms_perflint.training.graph_mode.masks import in_masks
from ms_perflint.training.graph_mode.mode_checks import in_mode_checks
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.graph_mode.recreated import made_inside, recreated
from ms_perflint.training.graph_mode.second_derivatives import in_loss_means, in_second_derivatives
from ms_perflint.training.graph_mode.set_names import in_set_names
from ms_perflint.training.graph_mode.shapes import in_growing, in_shapes
from ms_perflint.training.graph_mode.shared_names import in_containers, in_names
from ms_perflint.training.graph_mode.state import in_state
from ms_perflint.training.graph_mode.statements import in_statements
from ms_perflint.training.graph_mode.supers import in_supers
from ms_perflint.training.graph_mode.train_flags import in_train_flags
from ms_perflint.training.graph_mode.varying import in_arguments
from ms_perflint.training.optimizers import names_optimizer
from ms_perflint.training.training import train_sites, training_scopes
from ms_perflint.training.training_steps import calls_gradient

_IN_FUNCTIONS = (
    in_statements, in_arms, in_state, in_names, in_containers, in_bprops, in_masks, in_aliases, in_closures,
    in_second_derivatives, in_supers, in_identities, in_set_names,
    in_batch_tests, in_loss_means,
)  # fmt: skip
_IN_PROGRAM = (
    in_shapes, in_growing, between_steps, in_gradients, in_train_flags, in_arguments, in_mode_checks,
)  # fmt: skip
_CHANGES = frozenset({"changed", "flag", "frozen", "random", "weights", "written"})  # kinds of obstacles


@fact
def obstacles(program: Program) -> tuple[Obstacle, ...]:
    """Return what graph mode refuses or runs differently, in the entry script first, without what is recreated."""
    found: dict[Obstacle, None] = {}
    for function in compiled(program):
        if isinstance(function.node, ast.Lambda) and not is_compiled(program, function.owner):
            found.update(dict.fromkeys(_inline(function)))
        for of_function in _IN_FUNCTIONS:
            found.update(dict.fromkeys(of_function(program, function)))
    for of_program in (*_IN_PROGRAM, _libraries):
        found.update(dict.fromkeys(of_program(program)))
    found.update(dict.fromkeys(each.obstacle for each in made_inside(program)))
    return tuple(sorted(found, key=lambda each: (each.place.path != program.entry, each.place)))


def all_obstacles(program: Program) -> tuple[Obstacle, ...]:
    """Return the obstacles, first those that a fix can remove: what each step makes again."""
    return (*(each.obstacle for each in recreated(program)), *obstacles(program))


def change_between_steps(program: Program, made: Site) -> Optional[Obstacle]:
    """Return the first change between steps that what a call makes would not see if it were made once; None if none.

    Run on 2.10, CPU: a `value_and_grad` that is made in each step sees them, and draws new numbers of NumPy and Python;
    one that is made once does not.
    """
    inner = inner_of(made.call)
    known = program.value(inner, made.scope).alternatives if inner is not None else ()
    functions = (each.definition for each in known if each.definition is not None and each.definition.is_function)
    own = (each for function in functions for of in (in_state, in_statements) for each in of(program, function))
    found = (*obstacles(program), *own)
    return next((each for each in found if each.kind in _CHANGES), None)


def step_functions(program: Program) -> tuple[Place, ...]:
    """Return the functions that take a step by hand, with a gradient function and an optimizer, without `@jit`."""
    gradients = dict.fromkeys(
        site.scope.owner for site in train_sites(program) if calls_gradient(program, site) and not site.block.loops
    )
    steps = [
        scope
        for scope in gradients
        if scope.is_function and names_optimizer(scope) and not recreated(program)
        if not jit.is_decorated(program, scope)
    ]
    return tuple(dict.fromkeys(scope.module.place(scope.node) for scope in steps))


def _inline(function: Scope) -> Iterator[Obstacle]:
    """Yield a lambda that is an argument of a call: the compiler cannot parse its source (run on 2.10, CPU).

    `value_and_grad(lambda x: ..., None, weights)` fails; `forward = lambda x: ...` on a line of its own does not.
    """
    if not is_parsed(function):
        text = Message("graph mode does not parse a lambda inside of a call; bind it to a name first")
        yield obstacle(function.module, function.node, "lambda", text)


def _libraries(program: Program) -> Iterator[Obstacle]:
    """Yield the first call in compiled code of a network or method of a library that is written for PyNative mode."""
    adapter = _adapter(program)
    if adapter is not None:
        yield adapter
    scopes = [
        scope for scope in (*compiled(program), *training_scopes(program)) if not isinstance(scope.node, ast.Lambda)
    ]
    for site in (site for scope in scopes for site in scope.calls if isinstance(site.node, ast.Call)):
        if _is_backward(program, site) and program.runs(site) and not is_on_request(program, site):
            text = Message("`backward()` of a loss works in PyNative only")
            yield obstacle(site.module, site.node, "library", text)
            return
        for known in program.evaluator.callees(site).alternatives:
            library = known.type_api.partition(".")[0]
            if library in EAGER and adapter is None and program.runs(site):
                yield obstacle(site.module, site.node, "library", _written(library))
                return


def _adapter(program: Program) -> Optional[Obstacle]:
    """Return the import of an adapter of PyTorch in a file that trains; None without one."""
    for module in sorted({scope.module for scope in training_scopes(program)}, key=lambda each: each.path):
        running = (each for each in module.scopes if each in program.reached and each is not module.scope)
        imports = [each for scope in (module.scope, *running) for each, _ in scope.imports]
        for statement in sorted(imports, key=position):
            names = [each.name for each in statement.names]
            for name in [statement.module or ""] if isinstance(statement, ast.ImportFrom) else names:
                if name.partition(".")[0] in ADAPTERS:
                    return obstacle(module, statement, "library", _written(name.partition(".")[0]))
    return None


def _written(library: str) -> Message:
    return Message("networks of `{library}` are written for PyNative", library=library)


def _is_backward(program: Program, site: Site) -> bool:
    """Return whether a call differentiates as PyTorch does, and as its adapters do: `loss.backward()`."""
    if site.base is None or site.word != "backward" or _is_of_torch(program, site.base, site):
        return False
    return not any(known.definition for known in program.evaluator.callees(site).alternatives)


def _is_of_torch(program: Program, loss: ast.expr, site: Site) -> bool:
    """Return whether a loss is one of PyTorch, by its origin, or in the arm beside that of MindSpore."""
    roots = [root_of(each) for each in program.value(loss, site.scope).alternatives]
    if any(roots):
        return any(each.startswith("torch.") for each in roots)
    if "torch" not in site.module.imported:
        return False
    if b"mindspore" not in site.module.source.text:
        return True
    optimizers = [each.base for each in site.scope.owner.calls if each.word == "step" and each.base is not None]
    made = (root_of(known) for each in optimizers for known in program.value(each, site.scope).alternatives)
    return any(each.startswith("torch.") for each in made) or _is_beside_step(program, site)


def _is_beside_step(program: Program, site: Site) -> bool:
    """Return whether the other arm of a test around a site takes the training step."""
    tests = {id(arm.owner): arm.arm for arm in site.block.chain() if isinstance(arm.owner, ast.If)}
    steps = (each for each in train_sites(program) if each.scope.owner is site.scope.owner and each.word != "step")
    arms = (arm for each in steps for arm in each.block.chain())
    return any(tests.get(id(arm.owner), arm.arm) != arm.arm for arm in arms)
