"""One parameter of a call, and what its default can be."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Missing(enum.Enum):
    """Why a parameter has no constant default."""

    REQUIRED = "required"
    UNKNOWN = "unknown"  # there is a default, but it depends on device, package, level or environment


REQUIRED, UNKNOWN = Missing.REQUIRED, Missing.UNKNOWN


class Named(NamedTuple):
    """A default that is an object of MindSpore: `dtype=mindspore.float32`."""

    api: str


class Parameter(NamedTuple):
    """One parameter; `default` is a Python constant, a Named, REQUIRED or UNKNOWN."""

    name: str
    keyword_only: bool = False
    default: object = REQUIRED
