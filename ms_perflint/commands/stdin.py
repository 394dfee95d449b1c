"""A text from the standard input, linted in place of a file: for editors, and for pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from ms_perflint.config.settings import PerDirectory
from ms_perflint.core.files import Disk, Files, Overlay
from ms_perflint.discovery import Found, is_excluded

NAME = "-"  # stands for it on the command line, and for its missing file name


@dataclass(frozen=True)
class Typed:
    """The text, and the file that it replaces, which need not exist."""

    path: str
    raw: bytes

    def files(self) -> Files:
        """Return an overlay of the text over the disk."""
        return Overlay(Disk(), {self.path: self.raw})

    def found(self, settings: PerDirectory, force_exclude: bool) -> Found:
        """Return the file as the only one of a run; none if it is excluded."""
        config = settings.at(os.path.dirname(self.path))
        return Found(() if force_exclude and is_excluded(self.path, config) else (self.path,), ())

    def print_fixed(self, fixed: Mapping[str, bytes]) -> None:
        """Print the bytes of the text, fixed or unchanged."""
        sys.stdout.flush()
        sys.stdout.buffer.write(fixed.get(self.path, self.raw))
        sys.stdout.buffer.flush()


def read(filename: str | None) -> Typed:
    """Read the text to its end; without a file name, it belongs to the working directory."""
    return Typed(os.path.abspath(filename or NAME), sys.stdin.buffer.read())
