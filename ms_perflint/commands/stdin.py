"""A text from the standard input, linted as if it stood in a file: for editors, and for pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from ms_perflint.config.settings import PerDirectory
from ms_perflint.core.files import Disk, Files, Overlay
from ms_perflint.discovery import Found, is_excluded

NAME = "-"  # what stands for it on the command line, and for its name where it has none


@dataclass(frozen=True)
class Typed:
    """What came in, and the file whose place it takes, whether that is there or not."""

    path: str
    raw: bytes

    def files(self) -> Files:
        """Return the files of this machine with the text in its place."""
        return Overlay(Disk(), {self.path: self.raw})

    def found(self, settings: PerDirectory, force_exclude: bool) -> Found:
        """Return the file as the only one of a run; none where it is excluded."""
        config = settings.at(os.path.dirname(self.path))
        return Found(() if force_exclude and is_excluded(self.path, config) else (self.path,), ())

    def print_fixed(self, fixed: Mapping[str, bytes]) -> None:
        """Print the text, byte for byte: as it was fixed, or as it came in."""
        sys.stdout.flush()
        sys.stdout.buffer.write(fixed.get(self.path, self.raw))
        sys.stdout.buffer.flush()


def read(filename: str | None) -> Typed:
    """Return the text, to its end; without a name it stands in the working directory."""
    return Typed(os.path.abspath(filename or NAME), sys.stdin.buffer.read())
