"""Shell scripts that start a program, and what they put into its environment."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from ms_perflint.findings import Place

if TYPE_CHECKING:
    from ms_perflint.programs.program import Program

FOLDERS = ("", "scripts", "script", "shell", os.path.join(os.pardir, "scripts"))  # seen from the entry script


@dataclass(frozen=True)
class Launcher:
    """A shell script that names the entry script of a program."""

    path: str
    text: str

    def exported(self, variable: str) -> Optional[tuple[str, Place]]:
        """Return what it always puts into a variable, and where; None if it does so on a condition, or unsets it."""
        name = re.escape(variable)
        quoted = re.compile(rf"^(?:export[ \t]+)?{name}=(?:'([^']*)'|\"((?:\\.|[^\"\\])*)\"|(\S+))", re.MULTILINE)
        found = quoted.search(self.text)
        if found is None or re.search(rf"^\s*unset[ \t]+{name}\b", self.text, re.MULTILINE):
            return None
        single, double, bare = found.groups()
        value = single if single is not None else re.sub(r"\\(.)", r"\1", double) if double is not None else bare
        return value, Place(self.path, self.text.count("\n", 0, found.start()) + 1, 1)


def launchers(program: Program) -> tuple[Launcher, ...]:
    """Return the shell scripts beside the entry script, and in its folder for scripts, that name it."""
    directory, name = os.path.split(program.entry)
    named = re.compile(rf"(?<![\w.-]){re.escape(name)}\b")
    found: dict[str, Launcher] = {}
    for folder in FOLDERS:
        home = os.path.normpath(os.path.join(directory, folder))
        for script in sorted(program.project.files.names(home)):
            raw = program.project.raw(os.path.join(home, script)) if script.endswith(".sh") else None
            text = raw.decode("utf-8", "replace") if raw is not None else ""
            if named.search(text):
                path = os.path.join(home, script)
                found[path] = Launcher(path, text)
    return tuple(found.values())


def agreed(program: Program, variable: str) -> Optional[tuple[str, Place]]:
    """Return what all launchers of a program put into a variable, and where one does; None where they differ."""
    values = [launcher.exported(variable) for launcher in launchers(program)]
    first = values[0] if values else None
    return first if first is not None and all(value is not None and value[0] == first[0] for value in values) else None
