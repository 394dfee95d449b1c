"""Text edits for places in the code; the only package that knows layout.

Each function returns edits that belong together, or None where the place cannot be edited cleanly: a starred argument
has unknown contents, a comment would be lost, or the place is in an f-string.

The modules are loaded on first use, as most files have no findings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ms_perflint.edits.arguments import remove_argument as remove_argument
    from ms_perflint.edits.arguments import set_argument as set_argument
    from ms_perflint.edits.asynchronous import pass_config as pass_config
    from ms_perflint.edits.asynchronous import save_in_background as save_in_background
    from ms_perflint.edits.casts import drop_cast as drop_cast
    from ms_perflint.edits.constants import replace_constants as replace_constants
    from ms_perflint.edits.execution_mode import hoist as hoist
    from ms_perflint.edits.expressions import replace_expression as replace_expression
    from ms_perflint.edits.expressions import unwrap as unwrap
    from ms_perflint.edits.gradient_fusion import fuse as fuse
    from ms_perflint.edits.graph_mode import to_graph_mode as to_graph_mode
    from ms_perflint.edits.imports import import_name as import_name
    from ms_perflint.edits.imports import insert_after_imports as insert_after_imports
    from ms_perflint.edits.imports import name_in as name_in
    from ms_perflint.edits.inputs import pass_as_input as pass_as_input
    from ms_perflint.edits.mixed_precision import MixedPrecision as MixedPrecision
    from ms_perflint.edits.profilers import without_conflict as without_conflict
    from ms_perflint.edits.settings import decide as decide
    from ms_perflint.edits.settings import decided as decided
    from ms_perflint.edits.settings import decided_here as decided_here
    from ms_perflint.edits.settings import set_setting as set_setting
    from ms_perflint.edits.settings import set_value as set_value
    from ms_perflint.edits.statements import delete_statement as delete_statement
    from ms_perflint.edits.statements import insert_after as insert_after
    from ms_perflint.edits.statements import insert_before as insert_before
    from ms_perflint.edits.switches import switch_off as switch_off
    from ms_perflint.edits.widths import align_axes as align_axes
    from ms_perflint.edits.widths import align_width as align_width
    from ms_perflint.edits.widths import round_up as round_up

_HOMES = {
    **dict.fromkeys(("remove_argument", "set_argument"), "arguments"),
    **dict.fromkeys(("pass_config", "save_in_background"), "asynchronous"),
    **dict.fromkeys(("drop_cast",), "casts"),
    **dict.fromkeys(("replace_constants",), "constants"),
    **dict.fromkeys(("hoist",), "execution_mode"),
    **dict.fromkeys(("replace_expression", "unwrap"), "expressions"),
    **dict.fromkeys(("fuse",), "gradient_fusion"),
    **dict.fromkeys(("to_graph_mode",), "graph_mode"),
    **dict.fromkeys(("pass_as_input",), "inputs"),
    **dict.fromkeys(("MixedPrecision",), "mixed_precision"),
    **dict.fromkeys(("import_name", "insert_after_imports", "name_in"), "imports"),
    **dict.fromkeys(("without_conflict",), "profilers"),
    **dict.fromkeys(("decide", "decided", "decided_here", "set_setting", "set_value"), "settings"),
    **dict.fromkeys(("switch_off",), "switches"),
    **dict.fromkeys(("align_axes", "align_width", "round_up"), "widths"),
    **dict.fromkeys(("delete_statement", "insert_after", "insert_before"), "statements"),
}


def __getattr__(name: str) -> object:
    """Load one of the functions."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
