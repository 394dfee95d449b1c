"""What MindSpore is, by version: canonical names, exports, parameters and their defaults, what is
returned, removals, constants.

Names and signatures are generated (`data/`, see `scripts/generate_mindspore_api.py`); what no signature shows is kept
by hand in `kept.py` and `versions.py`, each entry with its source. Files of the data are read on first use.
"""

from __future__ import annotations

from ms_perflint.mindspore_api.kept import CONSTANTS
from ms_perflint.mindspore_api.names import ancestors, canonical, descendants, exports, is_module, returned
from ms_perflint.mindspore_api.parameter import REQUIRED, UNKNOWN, Missing, Named, Parameter
from ms_perflint.mindspore_api.signatures import parameters
from ms_perflint.mindspore_api.versions import (
    Version,
    added_in,
    default_mode,
    departed,
    is_in,
    newest,
    parse_version,
    removed_in,
    spelling,
)

__all__ = [
    "REQUIRED", "UNKNOWN", "Missing", "Named", "Parameter", "Version", "added_in", "ancestors", "canonical",
    "constant", "default_mode", "departed", "descendants", "exports", "is_in", "is_module", "newest", "parameters",
    "parse_version", "removed_in", "returned", "spelling",
]  # fmt: skip


def constant(name: str, default: object = None) -> object:
    """The value of a constant of MindSpore (`mindspore.GRAPH_MODE` -> 0), `default` where the name is none."""
    return CONSTANTS.get(canonical(name), default)
