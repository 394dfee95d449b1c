"""Which scripts may run a file: a walk over the imports of a project, backwards."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING, Any

from ms_perflint.core.facts import fact
from ms_perflint.core.graphs import reachable

if TYPE_CHECKING:
    from ms_perflint.resolve.imports import Imports


class Importers:
    """The files that some scripts reach without a search path, each with those that import it."""

    def __init__(self, imports: Imports, scripts: Sequence[str]) -> None:
        self.imports = imports
        self.facts: dict[tuple[object, ...], Any] = {}
        self._of: dict[str, list[str]] = {}
        self._at: dict[tuple[str, str], list[str]] = {}  # by a word that is imported, and the directory that holds it
        files = reachable(scripts, imports.usual)
        for file in files:
            for each in imports.usual(file):
                self._of.setdefault(each, []).append(file)
            for home in imports.homes_of(file).items():
                self._at.setdefault(home, []).append(file)
        homes = dict.fromkeys(home for script in scripts for home in imports.ancestors(os.path.dirname(script)))
        computing = self._leading_to(filter(imports.computes_names, files))
        configured = self._leading_to(file for file in files if imports.names_modules(file, homes))
        searching = self._leading_to(filter(imports.changes_search_path, files))
        # those that may lead to more than import statements say
        self._open = (computing.keys() & configured.keys()) | searching.keys()
        self._open |= {each for each in scripts if each in self._differing(os.path.dirname(each))}

    def may_run(self, path: str) -> Set[str]:
        """Return the files whose programs may contain a file; all scripts whose programs do are among them."""
        return self._leading_to((path,)).keys() | self._open

    @fact
    def _differing(self, directory: str) -> dict[str, None]:
        """Return the files that lead to one whose imports find something else where a directory is searched first."""
        offered = self.imports.offered_by
        found = (files for (top, home), files in self._at.items() if home != directory and offered(directory, top))
        return self._leading_to(file for files in found for file in files)

    def _leading_to(self, files: Iterable[str]) -> dict[str, None]:
        """Return some files with all that import them, directly or not."""
        return reachable(files, lambda file: self._of.get(file, ()))
