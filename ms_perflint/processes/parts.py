"""The files of a run in parts, one for a worker at a time.

Each part judges the programs of its files, and files of one project are in the same programs. Where several workers
share a project, its programs are therefore judged before, each by one of them: see `hands`.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import sub
from types import MappingProxyType
from typing import NamedTuple

from ms_perflint.core.files import read_regular
from ms_perflint.resolve.import_statements import Import, imports

SHARES = 8  # parts per worker, as some take longer than others
CHEAPEST = 0.3  # smallest cost of a part in seconds, as each part reads the imports of its files again
MOST = 1000  # largest number of files in a part, whose findings are returned together
RATE = 1.2e-6  # assumed cost of a byte in seconds
OF_PROJECT = 8  # most parts of one project: of more, each takes hardly less time, as each parses what all import
MAIN = b"__main__"  # in most files that are run by themselves
NEIGHBOURS = 4  # most files of a folder next to one another in one hand: they import the same


class Shares(NamedTuple):
    """The files of a run in parts, and those of the projects that are in several parts."""

    parts: list[Sequence[str]]
    divided: list[Sequence[str]]


def shares(paths: Sequence[str], workers: int, costs: Mapping[str, float] = MappingProxyType({})) -> Shares:
    """Return the paths, in order, in parts of about the same cost, the most expensive first.

    `costs` are the known costs of files in seconds. The files of a folder, and of those below it, are in one part
    unless they cost more than a part may. Those of one project are in at most one part for each worker.
    """
    sums = [0.0, *accumulate(_prices(paths, costs))]
    most = max(CHEAPEST, sums[-1] / (workers * SHARES))
    parts: list[tuple[int, int]] = []
    divided: list[Sequence[str]] = []
    is_open = False  # whether the next piece may join the last part
    for piece in _pieces(paths, sums, most):
        start, end = piece.start, piece.end
        if piece.is_project:
            parts += _even(sums, start, end, min(workers, OF_PROJECT))
            divided.append(paths[start:end])
        elif is_open and _fits(sums, parts[-1][0], end, most):
            parts[-1] = parts[-1][0], end
        else:
            parts.append((start, end))
        is_open = not piece.is_project
    parts.sort(key=lambda part: sums[part[0]] - sums[part[1]])
    return Shares([paths[start:end] for start, end in parts], divided)


def hands(project: Sequence[str], workers: int) -> list[Sequence[str]]:
    """Return the files of a project dealt to workers, a few neighbours at a time, each with about as many scripts."""
    neighbours: list[list[str]] = []
    for path in project:
        last = neighbours[-1] if neighbours else []
        if last and len(last) < NEIGHBOURS and os.path.dirname(last[0]) == os.path.dirname(path):
            last.append(path)
        else:
            neighbours.append([path])
    dealt = [_Hand() for _ in range(min(workers, OF_PROJECT))]
    for group in neighbours:
        min(dealt, key=_Hand.size).take(group)
    return [hand.paths for hand in dealt if hand.paths]


class _Hand:
    """Files for one worker."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.scripts = 0  # files among them that are run by themselves

    def size(self) -> tuple[int, int]:
        """Return the numbers of scripts and of files."""
        return self.scripts, len(self.paths)

    def take(self, paths: Sequence[str]) -> None:
        self.paths += paths
        self.scripts += sum(MAIN in _raw(path) for path in paths)


class _Piece(NamedTuple):
    """Adjacent files, which fit into a part or are of one project."""

    start: int
    end: int
    is_project: bool = False


def _fits(sums: Sequence[float], start: int, end: int, most: float) -> bool:
    """Return whether adjacent files fit into one part."""
    return sums[end] - sums[start] <= most and end - start <= MOST


def _even(sums: Sequence[float], start: int, end: int, count: int) -> list[tuple[int, int]]:
    """Return the start and end of parts of about the same cost, for adjacent files."""
    count = max(count, -(-(end - start) // MOST))
    price = (sums[end] - sums[start]) / count
    cuts = {start, *(bisect_left(sums, sums[start] + price * at, start, end) for at in range(1, count)), end}
    places = sorted(cuts)
    return list(zip(places, places[1:]))


def _pieces(paths: Sequence[str], sums: Sequence[float], most: float) -> Iterator[_Piece]:
    """Yield the largest folders that fit into a part or are one project; for larger ones, what they contain."""
    read: dict[str, frozenset[Import]] = {}
    stack = [(0, len(paths))]
    while stack:
        start, end = stack.pop()
        if end - start <= 1 or _fits(sums, start, end, most):
            yield _Piece(start, end)
        elif _is_project(paths, sums, start, end, read):
            yield _Piece(start, end, is_project=True)
        else:
            stack += reversed(_children(paths, start, end))


def _below(paths: Sequence[str], start: int, end: int) -> int:
    """Return the offset, in the paths of some adjacent files, behind the innermost folder with all of them."""
    first, last = paths[start], paths[end - 1]
    differ = next((at for at, (one, other) in enumerate(zip(first, last)) if one != other), len(first))
    return first.rfind(os.sep, 0, differ) + 1


def _children(paths: Sequence[str], start: int, end: int) -> list[tuple[int, int]]:
    """Return the start and end of each entry in the innermost folder of some files."""
    below = _below(paths, start, end)
    entries = [path[below:].partition(os.sep)[0] for path in paths[start:end]]
    starts = [start + at for at in range(end - start) if at == 0 or entries[at] != entries[at - 1]]
    return list(zip(starts, [*starts[1:], end]))


def _is_project(
    paths: Sequence[str], sums: Sequence[float], start: int, end: int, read: dict[str, frozenset[Import]]
) -> bool:
    """Return whether half of the files in a folder, by cost, are in one package there, or import it.

    That is the folder itself, or a folder or module in it, also one level deeper. Of the files outside of the package,
    a quarter has to import it. `read`: the imports of files.
    """
    below, total = _below(paths, start, end), sums[end] - sums[start]
    root = os.path.basename(paths[start][: below - 1])
    packages = _packages(path[below:] for path in paths[start:end])
    inside: dict[str, float] = {}  # cost of the files in a package
    importing: dict[str, float] = {}  # of others that import it
    for path, cost in zip(paths[start:end], map(sub, sums[start + 1 :], sums[start:])):
        if path not in read:
            read[path] = _imports(path)
        inner = path[below:].split(os.sep)
        own = {name for name in _names(inner) if packages[_word(name)] == name}
        others = {"" for each in read[path] if each.top == root or each.level >= len(inner)}
        others |= {name for each in read[path] if (name := packages.get(each.top)) and name not in own}
        for costs, names in ((inside, own), (importing, others)):
            for name in names:
                costs[name] = costs.get(name, 0.0) + cost
    return any(
        cost >= (total - inside.get(name, 0.0)) / 4 and cost + inside.get(name, 0.0) >= total / 2
        for name, cost in importing.items()
    )


def _packages(paths: Iterable[str]) -> dict[str, str]:
    """Return the folders and modules of which some relative paths begin with one or two, by name; "" for the same name.

    A name that several of them have tells nothing.
    """
    found: dict[str, str] = {}
    for name in dict.fromkeys(name for path in paths for name in _names(path.split(os.sep))):
        word = _word(name)
        found[word] = "" if word in found else name
    return found


def _names(inner: Sequence[str]) -> list[str]:
    """Return the outermost folder or file of a relative path, and what is in it."""
    return [os.sep.join(inner[:depth]) for depth in (1, 2) if depth <= len(inner)]


def _word(name: str) -> str:
    """Return the name under which a folder or module is imported."""
    return os.path.basename(name).partition(".")[0]


def _imports(path: str) -> frozenset[Import]:
    """Return the imports of a file; none of one that cannot be read."""
    return frozenset(imports(_raw(path)))


def _raw(path: str) -> bytes:
    """Return the bytes of a file; none of one that cannot be read."""
    try:
        return read_regular(path)
    except OSError:
        return b""


def _prices(paths: Sequence[str], costs: Mapping[str, float]) -> list[float]:
    """Return the costs of files in seconds, estimated by size where they are not known."""
    sizes = [_size(path) for path in paths]
    known = sum(size for path, size in zip(paths, sizes) if path in costs)
    rate = sum(map(costs.__getitem__, filter(costs.__contains__, paths))) / known if known else RATE
    return [costs.get(path, size * rate) for path, size in zip(paths, sizes)]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
