"""The files that findings stand in, as reporters see them."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from ms_perflint.core.files import Files
from ms_perflint.core.findings import Place
from ms_perflint.core.reports import Problem
from ms_perflint.core.source import Source, SourceError
from ms_perflint.languages import escaped

_PLAIN = r"[\w@%+=:,./-]+"  # signs that mean themselves in a shell; `shlex` quotes Chinese, too


class Sources:
    """Reads files again to show their lines; a few at a time, as findings come sorted by file."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._read = lru_cache(maxsize=8)(self._source)

    def get(self, path: str) -> Source | None:
        """Return the file at `path`; None when it has gone or is no text any more."""
        return self._read(path)

    def in_file(self, place: Place) -> Place:
        """Return where a place is in the file as it is, for programs that show that: in a notebook, in its JSON."""
        source = self.get(place.path) if place.cell else None
        return source.in_file(place) if source is not None else place

    def _source(self, path: str) -> Source | None:
        try:
            return Source(path, self._files.read(path))
        except (OSError, SourceError):
            return None


def shown(path: str) -> str:
    """Return a path for people: relative to the working directory where it lies below it."""
    return _shown_in(os.getcwd(), path)


@lru_cache(maxsize=8)  # of one file many things are said in a row
def _shown_in(folder: str, path: str) -> str:
    here = os.path.join(folder, "")
    below = os.path.normcase(path).startswith(os.path.normcase(here))
    return escaped(path[len(here) :] if below else path)


def argument(path: str) -> str:
    """Return a path as a word of a command that people copy, in quotes where a shell would read it differently."""
    path = shown(path)
    if os.name == "nt":
        return f'"{path}"' if " " in path else path
    path = f"./{path}" if path.startswith("-") else path
    if re.fullmatch(_PLAIN, path):
        return path
    import shlex  # here, because most names are plain

    return shlex.quote(path)


def position(place: Place) -> str:
    """Return `path:row:column`, as terminals and editors know to open it; in a notebook `path:cell 3:row:column`."""
    return f"{shown(place.path)}:{spot(place)}"


def spot(place: Place) -> str:
    """Return `row:column`; in a notebook `cell 3:row:column`."""
    return f"{place.spot}:{place.column}"


def spot_of(problem: Problem) -> str:
    """Return where in its file a problem is, behind a colon, as `spot` says it; "" where it has no position."""
    return f":{spot(Place(problem.path, problem.row, problem.column, problem.cell))}" if problem.row else ""


def said(problem: Problem) -> str:
    """Return what is wrong, in a notebook behind the cell: its place in the file is not known."""
    return f"{spot_of(problem)[1:]}: {problem.message}" if problem.cell else problem.message


def name(place: Place) -> str:
    """Return the path for people of what holds a place: a file, or a cell of it."""
    return f"{shown(place.path)}:cell {place.cell}" if place.cell else shown(place.path)
