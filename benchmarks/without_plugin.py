"""flake8 as it is where `ms-perflint` is not installed: the plugin is not found, everything else is the same."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterable

from flake8.main.cli import main  # type: ignore[import-untyped, unused-ignore]

OWN = "ms-perflint"
found = importlib.metadata.distributions


def _others() -> Iterable[importlib.metadata.Distribution]:
    """Yield the installed distributions but for this one."""
    return (one for one in found() if one.metadata["name"] != OWN)


if __name__ == "__main__":
    importlib.metadata.distributions = _others  # type: ignore[assignment]
    sys.exit(main(sys.argv[1:]))
