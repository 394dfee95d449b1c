"""From a semantic place to text edits: the one place that knows layout.

Each function returns the edits that belong together, or None where the place cannot be edited cleanly: a starred
argument would have to be guessed at, a comment would be lost, or the text stands in an f-string.
"""

from ms_perflint.edits.arguments import remove_argument, set_argument
from ms_perflint.edits.constants import replace_constants
from ms_perflint.edits.expressions import replace_expression, unwrap
from ms_perflint.edits.imports import import_name, insert_after_imports
from ms_perflint.edits.settings import set_setting, set_value
from ms_perflint.edits.statements import delete_statement, insert_before

__all__ = [
    "delete_statement",
    "import_name",
    "insert_after_imports",
    "insert_before",
    "remove_argument",
    "replace_constants",
    "replace_expression",
    "set_argument",
    "set_setting",
    "set_value",
    "unwrap",
]
