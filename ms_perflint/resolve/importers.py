"""Which scripts may run a file: a walk over the imports of a project, backwards."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING

from ms_perflint.core.graphs import reachable

if TYPE_CHECKING:
    from ms_perflint.resolve.imports import Imports


class Importers:
    """The files that some scripts reach without a search path, each with those that import it."""

    def __init__(self, imports: Imports, scripts: Sequence[str]) -> None:
        self.imports = imports
        self._of: dict[str, list[str]] = {}
        self._at: dict[tuple[str, str], list[str]] = {}  # by a word that is imported, and the directory that holds it
        files = reachable(scripts, imports.usual)
        for file in files:
            for each in imports.usual(file):
                self._of.setdefault(each, []).append(file)
            for home in imports.homes_of(file).items():
                self._at.setdefault(home, []).append(file)
        computing = self._leading_to(filter(imports.computes_names, files))
        homes = {home for each in scripts if each in computing for home in imports.ancestors(os.path.dirname(each))}
        configured = (file for file in reachable(computing, imports.usual) if imports.names_modules(file, homes))
        # those that may lead to more than import statements say
        self._open = computing.keys() & self._leading_to(configured).keys()
        self._open |= self._leading_to(filter(imports.changes_search_path, files)).keys()
        self._open |= set(self._differing(frozenset(scripts)))

    def may_run(self, path: str) -> Set[str]:
        """Return the files whose programs may contain a file; all scripts whose programs do are among them."""
        return self._leading_to((path,)).keys() | self._open

    def _differing(self, scripts: Set[str]) -> Iterator[str]:
        """Yield the scripts that lead to a file whose imports find something else where the script stands."""
        for (top, home), files in self._at.items():
            for script in scripts & self._leading_to(files).keys():
                directory = os.path.dirname(script)
                if directory != home and self.imports.offered_by(directory, top):
                    yield script

    def _leading_to(self, files: Iterable[str]) -> dict[str, None]:
        """Return some files with all that import them, directly or not."""
        return reachable(files, lambda file: self._of.get(file, ()))
