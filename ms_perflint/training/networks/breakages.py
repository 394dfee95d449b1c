"""What keeps a training from half precision, as far as that is seen or not known: then no fix is offered."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer.values import Value
from ms_perflint.languages import Message
from ms_perflint.training.networks import networks, read_whole
from ms_perflint.training.networks.conversions import Obstacle
from ms_perflint.training.networks.train_cells import Training

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

# Losses of probabilities: of a sigmoid in FP16 that saturates, the gradient is inf * 0 = nan (run on 2.10, CPU)
_OF_PROBABILITIES = (
    "mindspore.nn.BCELoss",
    "mindspore.mint.nn.BCELoss",
    "mindspore.ops.BinaryCrossEntropy",
    "mindspore.ops.binary_cross_entropy",
    "mindspore.mint.nn.functional.binary_cross_entropy",
)
_PROBABILITIES = frozenset({"Sigmoid", "sigmoid", "HSigmoid", "hsigmoid", "Softmax", "softmax", "Softmax2d"})


def first(
    program: Program, training: Training, values: Sequence[Value], dtype: str, cast: Collection[int]
) -> Optional[Obstacle]:
    """Return the first thing that is not known to work when some networks of a training compute in a dtype.

    `cast`: the operands that the fix casts, by their identity.
    """
    found = read_whole.not_known(program, values, cast)
    return found if found is not None else next(_breakages(program, values, dtype), None)


def _breakages(program: Program, values: Sequence[Value], dtype: str) -> Iterator[Obstacle]:
    """Yield the losses and outputs that do not suit a dtype."""
    reached = networks.reach(program, values).scopes
    losses = program.calls(*_OF_PROBABILITIES) if dtype == "float16" else ()
    if losses and any(_gives_probabilities(scope) for scope in reached):
        text = Message("`nan` where a sigmoid in float16 saturates before this loss; `BCEWithLogitsLoss` has none")
        yield Obstacle(losses[0].module, losses[0].node, text)


def _gives_probabilities(scope: Scope) -> bool:
    """Return whether code of a network computes probabilities."""
    return any(site.word in _PROBABILITIES for site in scope.calls)
