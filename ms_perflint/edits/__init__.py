"""From a semantic place to text edits: the one place that knows layout.

Each function returns the edits that belong together, or None where the place cannot be edited cleanly: a starred
argument would have to be guessed at, a comment would be lost, or the text stands in an f-string.

They are loaded on first use: most files have no findings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ms_perflint.edits.arguments import remove_argument, set_argument
    from ms_perflint.edits.constants import replace_constants
    from ms_perflint.edits.execution_mode import cause_of_mode, hoist
    from ms_perflint.edits.expressions import replace_expression, unwrap
    from ms_perflint.edits.half_precision import Writer
    from ms_perflint.edits.imports import import_name, insert_after_imports
    from ms_perflint.edits.profilers import remove_profiler
    from ms_perflint.edits.settings import decided, set_setting, set_value
    from ms_perflint.edits.statements import delete_statement, insert_after, insert_before

_HOMES = {
    **dict.fromkeys(("remove_argument", "set_argument"), "arguments"),
    **dict.fromkeys(("replace_constants",), "constants"),
    **dict.fromkeys(("cause_of_mode", "hoist"), "execution_mode"),
    **dict.fromkeys(("replace_expression", "unwrap"), "expressions"),
    **dict.fromkeys(("Writer",), "half_precision"),
    **dict.fromkeys(("import_name", "insert_after_imports"), "imports"),
    **dict.fromkeys(("remove_profiler",), "profilers"),
    **dict.fromkeys(("decided", "set_setting", "set_value"), "settings"),
    **dict.fromkeys(("delete_statement", "insert_after", "insert_before"), "statements"),
}

__all__ = [
    "Writer",
    "cause_of_mode",
    "decided",
    "delete_statement",
    "hoist",
    "import_name",
    "insert_after",
    "insert_after_imports",
    "insert_before",
    "remove_argument",
    "remove_profiler",
    "replace_constants",
    "replace_expression",
    "set_argument",
    "set_setting",
    "set_value",
    "unwrap",
]


def __getattr__(name: str) -> object:
    """Return one of the functions, loaded now."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
