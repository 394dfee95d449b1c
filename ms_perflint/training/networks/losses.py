"""What is a loss: by what its class derives from, else by its name."""

from __future__ import annotations

import re

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Scope
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import base_apis

LOSS_BASE = "mindspore.nn.LossBase"
NAMED_LOSS = r"(?i)loss(?!y)"  # a part of names of losses, and of what gives one
_LOSS = rf"{NAMED_LOSS}|criteri(?:on|a)"
_AROUND_LOSS = r"(?i)with_?loss|loss_?(cell|net|block|wrap)|_?net_?loss"


@fact
def is_named_loss(program: Program, scope: Scope) -> bool:
    """Return whether a class has the bases of a loss, or a class or function has the name of one."""
    return is_loss_name(scope.name) or any(map(is_loss_api, base_apis(program, scope)))


def is_loss_api(api: str) -> bool:
    """Return whether a class of a library is a loss: by what it derives from, else by its name."""
    return api.endswith(("Loss", "WithLogits")) or LOSS_BASE in (api, *mindspore_api.ancestors(api))


def is_loss_name(name: str) -> bool:
    """Return whether a name is that of a loss, and not of a cell with a network and its loss."""
    return re.search(_LOSS, name) is not None and re.search(_AROUND_LOSS, name) is None
