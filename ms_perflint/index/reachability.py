"""How a block of code is reached."""

from __future__ import annotations

IMPOSSIBLE = 0  # a condition around it is always false
OPTIONAL = 1  # only a user who passes an option, or sets a key, gets there
USUAL = 2
