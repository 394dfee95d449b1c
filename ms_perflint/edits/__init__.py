"""From a semantic place to text edits: the one place that knows layout.

Each function returns the edits that belong together, or None where the place cannot be edited cleanly: a starred
argument would have to be guessed at, a comment would be lost, or the text stands in an f-string.
"""

from ms_perflint.edits.arguments import set_argument
from ms_perflint.edits.expressions import replace_expression, unwrap

__all__ = [
    "replace_expression",
    "set_argument",
    "unwrap",
]
