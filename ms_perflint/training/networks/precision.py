"""The half-precision controls of a program, what it forces to float32, and what needs float32."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator
from typing import Optional

from ms_perflint.core.findings import Related
from ms_perflint.core.graphs import reachable
from ms_perflint.index.predicates import DEVICES
from ms_perflint.index.reachability import path_condition
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.infer.places import ADDS
from ms_perflint.infer.values import BOTTOM, Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.bases import is_cell_class
from ms_perflint.training.dtypes.casts import by_method, read_cast
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.family import PHYSICS
from ms_perflint.training.followed import asks_for_device
from ms_perflint.training.networks.losses import is_loss_api
from ms_perflint.training.networks.matmul import is_matmul
from ms_perflint.training.networks.network_calls import is_result
from ms_perflint.training.networks.networks import Search, is_loss, multiplies, reach
from ms_perflint.training.networks.train_cells import CONVERT, LEVELS, derived_models, is_full, trained
from ms_perflint.training.step_loops import scopes_of_steps
from ms_perflint.training.training import is_callback, running_callers, scopes_above, training_scopes
from ms_perflint.training.training_steps import GRADS, is_of_inputs

FULL = frozenset({"mindspore.float32", "mindspore.float64"})
# Cells that stay in float32 for good reasons
_EXEMPT = r"(?i)softmax|norm|embedding|activation|relu|gelu|sigmoid|tanh|optim|pool|metric"
_CAST = "mixed_precision_cast"
FLAGS = ("add_flags", "add_flags_recursive")
# Derivatives with respect to inputs, of any order: they need float32
INPUTS = Message("derivatives with respect to inputs")
DERIVATIVES = tuple(
    f"mindspore.{name}" for name in ("jacfwd", "jacrev", "jvp", "vjp", "ops.derivative", "nn.Jvp", "nn.Vjp")
)


def switches(program: Program) -> Iterator[Site]:
    """Yield the running calls that may switch half precision on: a level, a conversion, a flag, `to_float`."""
    for call in (*program.calls(*LEVELS), *derived_models(program)):
        given = call.given(LEVELS[call.api])
        if not is_full(call) or asks_for_device(program, given, call.scope) or _is_chosen_by_device(call, given):
            yield call
    yield from (site for site in _running(program, "mixed_precision") if _is_conversion(program, site))
    yield from (site for site in _to_float(program) if not is_float32(program, site, by_default=True))
    yield from (site for word in FLAGS for site in program.sites(word) if _sets_flag(program, site))


def _is_chosen_by_device(call: Call, given: Optional[ast.expr]) -> bool:
    """Return whether branches for devices alone set the level, one to another than O0: `if gpu: level = "O0"`."""
    bindings = call.scope.lookup(given) if isinstance(given, ast.Name) else ()
    own, program = path_condition(call.block), call.program
    paths = [each for binding in bindings for each in path_condition(binding.block) if each not in own]
    if not paths or any(each.devices == DEVICES for each in paths):
        return False
    values = [program.value(each.value, each.scope) for each in bindings if each.value is not None]
    return not all(value.is_by_default("O0") for value in values)


def _running(program: Program, part: str) -> Iterator[Site]:
    """Yield the running calls with `part` in their last word, also under other names."""
    for module in program.modules:
        named = [word for word in (*module.by_word, *module.renamed) if part in word]
        words = module.aliases(*named)
        for word, sites in module.by_word.items() if words else ():
            yield from (site for site in sites if word in words and program.runs(site))


def _to_float(program: Program) -> Iterator[Site]:
    return (site for site in _running(program, "to_float") if site.word == "to_float")


def _is_conversion(program: Program, site: Site) -> bool:
    """Return whether a call of a function named like `auto_mixed_precision` may convert the network.

    `F.mixed_precision_cast(mstype.float32, x)` makes a tensor float32.
    """
    apis = program.apis(site)
    if any(api.endswith(_CAST) for api in (site.word, *apis)):
        return not is_float32(program, site)
    return CONVERT not in apis


def is_float32(program: Program, site: Site, by_default: bool = False) -> bool:
    """Return whether a `to_float` call names float32, always or with the default options."""
    given = _dtype(site.call)
    if given is None:
        return True  # some function of the project
    value = program.value(given, site.scope)
    if value.open or (value.overridable and not by_default):
        return False
    named = value.by_default if by_default else value.alternatives
    return bool(named) and all(known.api in FULL for known in named)


def _dtype(call: ast.Call) -> Optional[ast.expr]:
    named = (keyword.value for keyword in call.keywords if keyword.arg == "dst_type")
    return next(named, None) or next(iter(call.args), None)


def _sets_flag(program: Program, site: Site) -> bool:
    flags = [keyword.value for keyword in site.call.keywords if keyword.arg in ("fp16", "bf16", None)]
    return program.runs(site) and any(program.value(flag, site.scope).truth is not False for flag in flags)


def is_beside_training(program: Program, network: Search, function: Scope, call: ast.Call) -> bool:
    """Return whether a call casts for a callback, or a result of the network in a function that no training calls."""
    dtypes = Dtypes(program)
    found = by_method(dtypes, call, function) or read_cast(dtypes, call, function)
    if found is None or function in network.scopes or function in training_scopes(program):
        return False
    is_beside = function not in scopes_of_steps(program) and is_result(program, network.seen, found.value, function)
    return is_beside or _is_for_hooks(program, function)


def _is_for_hooks(program: Program, function: Scope) -> bool:
    """Return whether only methods of callbacks lead to a function: nothing trains on what it computes."""

    def is_hook(scope: Scope) -> bool:
        return scope.cls is not None and scope.name != "__init__" and is_callback(program, scope.cls)

    def before(scope: Scope) -> list[Scope]:
        return [] if is_hook(scope) else [site.scope.owner for site in running_callers(program, scope)]

    return all(is_hook(scope) or before(scope) for scope in reachable([function], before))


# --- what is forced to float32


def forced_networks(program: Program) -> tuple[tuple[Call, ...], ...]:
    """Return the `to_float` calls that force matmul to float32: the outermost, each alone; else all layers."""
    wholes: list[Call] = []
    layers: list[Call] = []
    for call in _forced(program):
        known = _cells(call)
        if any(is_exempt(program, cell) for cell in known) or not known:
            continue
        is_whole = any(cell.cls is not None for cell in known) or call.scope.owner.cls is None
        if is_whole and multiplies(program, [Value(known)]):
            wholes.append(call)
        elif not is_whole and all(is_matmul(cell.type_api) for cell in known):
            layers.append(call)
    if wholes:
        return tuple((call,) for call in wholes if call.scope.owner.cls is None) or ((wholes[0],),)
    noticed = [call for call in layers if multiplies(program, [Value(_cells(call))])]
    return ((*noticed, *(call for call in layers if call not in noticed)),) if noticed else ()


def is_exempt(program: Program, cell: Alternative) -> bool:
    """Return whether a cell stays in float32 for a good reason: a loss, a norm, an activation, an optimizer."""
    if cell.cls is not None:
        return is_loss(program, cell.cls) or re.search(_EXEMPT, cell.cls.name) is not None
    return is_loss_api(cell.type_api) or re.search(_EXEMPT, cell.type_api.rpartition(".")[2]) is not None


def _forced(program: Program) -> Iterator[Call]:
    """Yield the running `to_float` calls with a literal float32, those of the entry script first."""
    for site in _to_float(program):
        if written_dtype(site.node) is not None and is_float32(program, site):
            yield Call(site, program, "")


def _cells(call: Call) -> tuple[Alternative, ...]:
    """Return the cells on which `to_float` is called."""
    base = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
    value = call.program.value(base, call.scope) if base is not None else BOTTOM
    return tuple(known for known in value.alternatives if known.is_object)


def written_dtype(call: ast.AST) -> Optional[ast.expr]:
    """Return the literal dtype of a `to_float` call, `ms.float32` or `float32`; None for other expressions."""
    given = _dtype(call) if isinstance(call, ast.Call) else None
    if isinstance(given, ast.Attribute) and given.attr in ("float32", "single"):
        return given
    return given if isinstance(given, ast.Name) and given.id in ("float32", "single") else None


# --- what needs float32


def needs_float32(program: Program, values: Iterable[Value]) -> Optional[Related]:
    """Return why a program needs float32: derivatives with respect to inputs (PINN, PDE), quantization; else None.

    `values`: what the training in question differentiates. A derivative counts in all trainings that are known.
    """
    return _imports_full(program) or _differentiates_inputs(program, values)


def _imports_full(program: Program) -> Optional[Related]:
    """Return where the program imports a name of a module for physics or quantization that a running scope loads."""
    for module in program.modules:
        found = {
            name: each for name, imports in module.imported.items() for each in imports if _is_full(_origin(*each))
        }
        for scope in _scopes(program, module) if found else ():
            for name in sorted(found.keys() & scope.names):
                stmt, alias = found[name]
                return Related(module.place(stmt), Message("`{name}` computes in FP32", name=alias.name))
    return None


def _scopes(program: Program, module: SemanticIndex) -> Iterator[Scope]:
    yield from (scope for scope in module.scopes if scope in program.reached)
    if module.scope.main is not None and module.path == program.entry:
        yield module.scope.main


def _origin(stmt: ast.stmt, alias: ast.alias) -> str:
    if isinstance(stmt, ast.ImportFrom):
        return "" if stmt.level else f"{stmt.module}.{alias.name}"
    return alias.name


def _is_full(name: str) -> bool:
    first, *rest = name.lower().split(".")
    is_quantization = first in ("mindspore", "mindspore_gs") and any("quant" in part for part in rest)
    return is_quantization or (name.partition(".")[0] in PHYSICS and rest[:1] != ["utils"])  # settings, logs, plots


def _differentiates_inputs(program: Program, values: Iterable[Value]) -> Optional[Related]:
    """Return where derivatives with respect to inputs are a part of the loss.

    Adversarial attacks and sampling take them before the loss is computed.
    """
    taken = (call for call in program.calls(*DERIVATIVES, *sorted(GRADS)) if is_of_inputs(call))
    derivatives = [call for call in taken if not _is_for_itself(program, call.scope.owner)]
    if not derivatives:
        return None
    found = reach(program, trained(program)).scopes & program.reached
    known = {scope for scope in found if scope.name != "__init__"}  # which makes them
    forward = [scope for module in program.modules for scope in module.scopes if scope.name == "construct"]
    known |= {scope for scope in forward if is_loss(program, scope) and scope in program.reached}
    inside = [call for call in derivatives if call.scope.owner in known or _is_of_loss(program, call)]
    if not inside and not reach(program, values).is_hidden:
        made = {id(call.node) for call in derivatives}
        sites = (site for scope in known for site in scope.calls if isinstance(site.node, ast.Call))
        called = (each for site in sites for each in program.evaluator.callees(site).alternatives)
        if not any(_comes_from(each, made) for each in called):
            return None
    return Related((inside or derivatives)[0].place, INPUTS)


def _is_for_itself(program: Program, scope: Scope) -> bool:
    """Return whether nothing takes what a method of a cell gives: cells call it in statements alone, and it keeps none.

    A sampler that moves its latent variables by their derivatives: `self.move(x)`.
    """
    if not is_cell_class(program, scope.cls) or scope.name in ("__init__", "construct"):
        return False
    sites = program.callers(scope)
    is_dropped = all(isinstance(each.stmt, ast.Expr) and each.stmt.value is each.node for each in sites)
    is_inside = all(is_cell_class(program, each.scope.owner.cls) for each in sites)
    stores = (node for node in ast.walk(scope.node) if isinstance(node, ast.Attribute))
    keeps = any(isinstance(node.ctx, ast.Store) or node.attr in ADDS for node in stores)
    return bool(sites) and is_dropped and is_inside and not keeps


def _is_of_loss(program: Program, derivative: Call) -> bool:
    """Return whether a loss takes derivatives, or a function that it calls, or a cell that it makes."""
    above = scopes_above(program, (derivative,))
    return is_loss(program, derivative.scope.owner) or any(
        scope.cls is not None and is_loss(program, scope.cls) for scope in above
    )


def _comes_from(known: Optional[Alternative], calls: Container[int]) -> bool:
    """Return whether one of some calls made an object, or what made it."""
    while known is not None:
        if known.creation is not None and id(known.creation.call) in calls:
            return True
        known = known.origin
    return False
