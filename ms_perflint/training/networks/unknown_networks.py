"""The networks that a program trains and of which no layer is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import CELLS, is_cell_class
from ms_perflint.training.devices import target_of
from ms_perflint.training.followed import end, is_unknown
from ms_perflint.training.networks import networks
from ms_perflint.training.networks.matmul import is_matmul_site
from ms_perflint.training.networks.train_cells import Training, any_order
from ms_perflint.training.training import is_trained

# What a file says that may compute in half precision
HALVES = (
    "float16", "fp16", "bf16", "FP16", "BF16", ".half(", "mixed_precision", "amp_level", "to_float", "precision_mode",
)  # fmt: skip
NOWHERE = Message("where the network gets its optimizer is not known")


@fact
def are_unknown(program: Program) -> bool:
    """Return whether no layer of the networks that are trained on an accelerator is known."""
    if not is_trained(program) or target_of(program).is_cpu:
        return False
    return not any_order(program) or why_unknown(program, any_order(program)) is not None


def unknown(program: Program) -> Optional[Message]:
    """Return the unknown expression from which the networks of a program come."""
    return why_unknown(program, any_order(program)) if any_order(program) else NOWHERE


def why_unknown(program: Program, trainings: Sequence[Training]) -> Optional[Message]:
    """Return the unknown expression from which the networks of some trainings come; None if a layer is known."""
    values = tuple(value for each in trainings for value in each.values)
    if networks.multiplies(program, values):
        return None
    given = ((each.given, each.call.scope) for each in trainings)
    firsts = tuple(value for each in trainings for value in each.values[:1])  # no loss
    part = networks.searched(program, firsts).foreign or networks.searched(program, values).hidden
    part = part or next(
        ((node, scope) for node, scope in given if node is not None and is_unknown(program, node, scope)), None
    )
    return end(program, *part).said(program) if part is not None else None


def has_unknown_part(program: Program, values: Iterable[Value]) -> bool:
    """Return whether no matmul or convolution of a network is known, and a part of it is not in the program."""
    values = tuple(values)
    search = networks.searched(program, values)
    known = [each for value in values for each in value.alternatives if each.type_api]
    is_foreign = any(not each.type_api.startswith("mindspore.") for each in known)
    return not search.found and (search.is_hidden or is_foreign)


def is_of_library(program: Program, values: Iterable[Value]) -> bool:
    """Return whether another library makes a network, and nothing is hidden that may compute in half precision."""
    search = networks.searched(program, tuple(values))
    return not search.found and not search.is_hidden and search.foreign is not None


def may_multiply(program: Program, values: Iterable[Value]) -> bool:
    """Return whether a network that a registry or a caller hides very probably has matmul.

    A program that trains has its layers in the cells of its files. As these are not known, no file may name half
    precision.
    """
    search = networks.searched(program, tuple(values))
    if not search.is_hidden or any(program.project.contains_any(path, HALVES) for path in program.files):
        return False
    classes = (scope for module in program.all_modules for scope in module.scopes if scope.is_class)
    return any(_is_network(program, cls) for cls in classes)


def _is_network(program: Program, cls: Scope) -> bool:
    """Return whether a class is a cell with layers that multiply; an operator alone may serve other purposes."""
    if networks.is_loss(program, cls) or not is_cell_class(program, cls):
        return False
    sites = [site for scope in (cls, *cls.defines) for site in scope.calls if is_matmul_site(program, site)]
    return any(api.startswith(CELLS) for site in sites for api in program.apis(site))
