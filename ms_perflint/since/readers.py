"""A prefilter by bytes: which programs may read changed files.

It may return programs that read none of them, and misses none that does.
"""

from __future__ import annotations

import os
from collections.abc import Collection

from ms_perflint.config.settings import inside
from ms_perflint.core.files import Files
from ms_perflint.core.source import PYTHON
from ms_perflint.infer.commandline import CONFIGS
from ms_perflint.program import requirements
from ms_perflint.resolve.project import Project

SHELL = (".sh", ".bash")
# text in the code of every program that reads such a file; for other suffixes nothing is known
YAML, SECTIONS = rb"ya?ml|hydra|OmegaConf", rb"[Cc]onfig[Pp]arser"
WORDS = {
    ".yaml": YAML,
    ".yml": YAML,
    ".json": rb"json|OmegaConf",
    ".toml": rb"toml",
    ".cfg": SECTIONS,
    ".ini": SECTIONS,
    ".conf": SECTIONS,
    ".txt": rb"(?!)",
}


class Readers:
    """The programs that may read one of some files, given by paths without links."""

    def __init__(self, files: Files, changed: Collection[str]) -> None:
        self.project = Project(files)
        self._python = frozenset(path for path in changed if path.endswith(PYTHON))
        self._others = tuple(sorted(frozenset(changed) - self._python))

    def may_read(self, entry: str) -> bool:
        """Return whether the program of an entry script may read one of the files."""
        if self._python and not self._python.isdisjoint(map(os.path.realpath, self.project.closure(entry))):
            return True
        return any(self._may_ask_for(entry, path) for path in self._others)

    def may_touch(self, path: str) -> bool:
        """Return whether a program of a Python file may read one of them."""
        return any(map(self.may_read, self.project.programs(path)))

    def _may_ask_for(self, entry: str, path: str) -> bool:
        """Return whether a program may read, or be started by, a file that is not its code."""
        kind = os.path.splitext(path)[1]
        if requirements.is_one(path) and inside(entry, os.path.dirname(path)):
            return True
        if kind in SHELL:
            stem = os.path.splitext(os.path.basename(entry))[0]
            return self.project.contains(path, stem) or not self.project.files.named(*os.path.split(path))
        words = WORDS.get(kind)
        return words is None or any(self.project.matches(each, words) for each in self.project.closure(entry))


def are_configs(paths: Collection[str]) -> bool:
    """Return whether files are config files, and none of them may name a version of MindSpore."""
    return bool(paths) and all(path.endswith(CONFIGS) and not requirements.is_one(path) for path in paths)
