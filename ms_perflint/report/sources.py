"""The files of findings, for reporters."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from ms_perflint.core.files import Files
from ms_perflint.core.findings import Place
from ms_perflint.core.reports import Problem
from ms_perflint.core.source import Source, SourceError
from ms_perflint.languages import escaped

_PLAIN = r"[\w@%+=:,./-]+"  # characters without a meaning in a shell; `shlex` would quote Chinese, too


class Sources:
    """The sources of reported files, of which a few are kept, as findings are sorted by file."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._read = lru_cache(maxsize=8)(self._source)

    def get(self, path: str) -> Source | None:
        """Return the file at `path`; None if it is missing or no longer a text."""
        return self._read(path)

    def in_file(self, place: Place) -> Place:
        """Return a place in the raw file, for other programs: for a notebook, in its JSON."""
        source = self.get(place.path) if place.cell else None
        return source.in_file(place) if source is not None else place

    def _source(self, path: str) -> Source | None:
        try:
            return Source(path, self._files.read(path))
        except (OSError, SourceError):
            return None


def shown(path: str) -> str:
    """Return a path for people: relative to the working directory if it is below it."""
    return _shown_in(os.getcwd(), path)


@lru_cache(maxsize=8)  # of one file many things are said in a row
def _shown_in(folder: str, path: str) -> str:
    here = os.path.join(folder, "")
    below = os.path.normcase(path).startswith(os.path.normcase(here))
    return escaped(path[len(here) :] if below else path)


def argument(path: str) -> str:
    """Return a path as a word of a command to copy, quoted if a shell needs it."""
    path = shown(path)
    if os.name == "nt":
        return f'"{path}"' if " " in path else path
    path = f"./{path}" if path.startswith("-") else path
    if re.fullmatch(_PLAIN, path):
        return path
    import shlex  # here, because most names are plain

    return shlex.quote(path)


def position(place: Place) -> str:
    """Return `path:row:column`, which terminals and editors can open; in a notebook `path:cell 3:row:column`."""
    return f"{shown(place.path)}:{spot(place)}"


def spot(place: Place) -> str:
    """Return `row:column`; in a notebook `cell 3:row:column`."""
    return f"{place.spot}:{place.column}"


def spot_of(problem: Problem) -> str:
    """Return the place of a problem in its file as by `spot`, behind a colon; "" without a position."""
    return f":{spot(Place(problem.path, problem.row, problem.column, problem.cell))}" if problem.row else ""


def said(problem: Problem) -> str:
    """Return the message of a problem; in a notebook behind the cell, as its place in the file is not known."""
    return f"{spot_of(problem)[1:]}: {problem.message}" if problem.cell else problem.message


def name(place: Place) -> str:
    """Return the shown path of the file, or of the cell, of a place."""
    return f"{shown(place.path)}:cell {place.cell}" if place.cell else shown(place.path)
