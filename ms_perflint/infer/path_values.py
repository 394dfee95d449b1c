"""Abstract paths: known strings with holes for unknown parts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, Union

from ms_perflint.core.records import equal_by
from ms_perflint.index.semantic_index import Scope, Site

LONGEST = 400  # pieces and characters of a path that are compared
_EXTENSION = re.compile(r"\.\w*$")
_WORDS = re.compile(r"\w{2}")
_GAPS = re.compile(r"[\s\"'`;&|<>,()]+")
_ROUND = re.compile(r"(?<=/)(?:\.?/)+")  # `//` and `/./`


@equal_by("key")
class Hole(NamedTuple):
    """An unknown part of a path; two holes with one key are the same string."""

    key: object
    loops: frozenset[int] = frozenset()  # identities of the loops that give it another text on each pass


Piece = Union[str, Hole]
Pieces = tuple[Piece, ...]
ANY = Hole("*")  # of a glob pattern
DEEP = Hole("**")  # folders at any depth, or none


class Path(NamedTuple):
    """One alternative of a path; `calls`: the calls of the functions around it for which it holds."""

    pieces: Pieces
    calls: frozenset[tuple[Scope, Site]] = frozenset()

    def added(self, other: Path, between: str = "") -> Path:
        """Return this path with another one appended."""
        return Path(_plain((*self.pieces, between, *other.pieces)), self.calls | other.calls)

    def is_one_with(self, other: Path) -> bool:
        """Return whether both can hold at once: no function is entered by two different calls."""
        entered = dict(self.calls)
        return all(entered.get(function, site) is site for function, site in other.calls)

    @property
    def is_rooted(self) -> bool:
        """Return whether it is absolute."""
        return bool(self.pieces) and isinstance(self.pieces[0], str) and self.pieces[0].startswith("/")

    def loops_with(self, other: Path) -> frozenset[int]:
        """Return the loops in which each iteration changes the same part of two paths: not `i` and `i - 1`."""
        known = {piece.key: piece.loops for piece in other.pieces if isinstance(piece, Hole)}
        holes = (piece for piece in self.pieces if isinstance(piece, Hole))
        return frozenset(loop for hole in holes for loop in hole.loops & known.get(hole.key, frozenset()))

    @property
    def kept(self) -> Path:
        """Return this path as of a later iteration of its loops."""
        pieces = (piece._replace(loops=frozenset()) if isinstance(piece, Hole) else piece for piece in self.pieces)
        return self._replace(pieces=tuple(pieces))

    def cut(self) -> tuple[Path, Path]:
        """Return the folder and the last component of a path."""
        *folder, last = components(self.pieces)
        joined: list[Piece] = ["/"] if folder == [()] else []  # of a file right below the root
        for at, component in enumerate(folder):
            joined += ["/", *component] if at else component
        return Path(_plain(joined), self.calls), Path(last, self.calls)


def _plain(pieces: Iterable[Piece]) -> Pieces:
    """Return pieces with adjacent strings joined."""
    found: list[Piece] = []
    for piece in pieces:
        last = found[-1] if found else None
        if isinstance(piece, str) and isinstance(last, str):
            found[-1] = last + piece
        elif piece != "":
            found.append(piece)
    return tuple(found)


def components(pieces: Pieces) -> tuple[Pieces, ...]:
    """Return the components of a path; the first is empty for an absolute one."""
    found: list[list[Piece]] = [[]]
    for at, piece in enumerate(pieces):
        if isinstance(piece, Hole):
            found[-1].append(piece)
            continue
        text = _ROUND.sub("", piece)
        if at == 0 and text.startswith("./"):
            text = re.sub(r"^(?:\./+)+", "", text) or ("." if len(pieces) == 1 else "")
        text = text.rstrip("/") or text[:1] if at == len(pieces) - 1 and len(pieces) > 1 else text
        first, *others = text.split("/")
        found[-1] += [first] if first else []
        found += [[each] if each else [] for each in others]
    while len(found) > 1 and not found[-1]:
        found.pop()
    return tuple(tuple(each) for each in found if each != ["."] or len(found) == 1)


def words(path: Path) -> tuple[Path, ...]:
    """Return the words of a command; for `--file=name` also `name`."""
    found: list[list[Piece]] = [[]]
    for piece in path.pieces:
        if isinstance(piece, Hole):
            found[-1].append(piece)
            continue
        first, *others = _GAPS.split(piece)
        found[-1] += [first] if first else []
        found += [[each] if each else [] for each in others]
    for word in [*found]:
        at = next((at for at, piece in enumerate(word) if isinstance(piece, str) and "=" in piece), None)
        if at is not None:
            found.append([*filter(None, [str(word[at]).partition("=")[2]]), *word[at + 1 :]])
    return tuple(Path(tuple(each), path.calls) for each in found if each)


def is_same_file(written: Path, used: Path) -> bool:
    """Return whether two paths denote one file, as far as they are known.

    Both have to be able to be one text, and what is known of them has to speak for it: the name of the file is the
    same, or its beginning in a folder that can be the same, or the folder is the same. Nothing is known of a path of
    which nothing is known. A pattern with `**` is for all files below the folder in front of it.
    """
    if DEEP in used.pieces:
        top = used._replace(pieces=used.pieces[: used.pieces.index(DEEP)] or (".",))
        return is_folder_of(top, written) and _may_be_same(written.cut()[1].pieces, used.cut()[1].pieces)
    (own_folder, own), (folder, other) = written.cut(), used.cut()
    if not own.pieces or not other.pieces:
        return False
    has_folders = own_folder.pieces and folder.pieces  # else a hole in the name may be that of a folder too
    pairs = ((own_folder, folder), (own, other)) if has_folders else ((written, used),)
    if not all(first.pieces == then.pieces or _may_be_same(first.pieces, then.pieces) for first, then in pairs):
        return False
    if own.pieces == other.pieces:
        return any(isinstance(piece, Hole) or _EXTENSION.sub("", piece) for piece in own.pieces)
    if own_folder.pieces == folder.pieces:  # a name that is not known may be one of those that differ from save to save
        return _is_known(other) or (bool(folder.pieces) and (ANY in other.pieces or _is_open(own.pieces)))
    return _shares_a_word(own.pieces, other.pieces)


def _is_known(name: Path) -> bool:
    """Return whether a part of the name of a file is known."""
    return any(isinstance(piece, str) for piece in name.pieces)


def _shares_a_word(own: Pieces, other: Pieces) -> bool:
    first, second = own[0], other[0]
    if not isinstance(first, str) or not isinstance(second, str):
        return False
    return _WORDS.match(first) is not None and (first.startswith(second) or second.startswith(first))


def is_folder_of(folder: Path, file: Path) -> bool:
    """Return whether a path denotes a folder around a file, at any depth, as far as both are known."""
    outer, inner = components(folder.pieces), components(file.pieces)
    if outer == ((".",),):
        return not file.is_rooted and _is_below(inner) and _is_known(file)
    if not folder.pieces or len(outer) >= len(inner):
        return False
    pairs = [*zip(outer, inner)]
    known = any(a == b and a for a, b in pairs)
    return known and all(a == b or (_is_open(a) and _is_open(b) and _may_be_same(a, b)) for a, b in pairs)


def _is_below(inner: tuple[Pieces, ...]) -> bool:
    """Return whether a relative path lies in the working directory."""
    return len(inner) == 1 or (inner[0] != ("..",) and not _is_open(inner[0]))


def _is_open(component: Pieces) -> bool:
    return any(isinstance(piece, Hole) for piece in component)


def _may_be_same(first: Pieces, second: Pieces) -> bool:
    """Return whether two paths can be equal; a hole matches any string, and a relative path may be an absolute one."""
    own, other = (_letters(components(each)) for each in (first, second))
    if len(own) + len(other) > LONGEST:
        return first == second
    if own[:1] == ["/"] and other[:1] != ["/"]:
        other = [ANY, "/", *other]
    elif other[:1] == ["/"] and own[:1] != ["/"]:
        own = [ANY, "/", *own]
    return _meet(own, other)


def _letters(parts: Iterable[Pieces]) -> list[Piece]:
    found: list[Piece] = []
    for at, part in enumerate(parts):
        found += ["/"] if at else []
        for piece in part:
            found += [piece] if isinstance(piece, Hole) else list(piece)
    return found


def _meet(own: list[Piece], other: list[Piece]) -> bool:
    """Return whether two patterns match a common string; their ends are compared first, then their beginnings."""
    while own and other and isinstance(own[-1], str) and isinstance(other[-1], str):
        if own.pop() != other.pop():
            return False
    same = 0
    for left, right in zip(own, other):
        if not (isinstance(left, str) and isinstance(right, str)):
            break
        if left != right:
            return False
        same += 1
    own, other = own[same:], other[same:]
    row = [True, *[False] * len(other)]  # whether what comes before in both can be one text
    holes = [isinstance(each, Hole) for each in other]
    for at, is_hole in enumerate(holes):
        row[at + 1] = row[at] and is_hole
    for left in own:
        is_open = isinstance(left, Hole)
        before, row = row, [row[0] and is_open, *[False] * len(other)]
        for at, right in enumerate(other):
            if is_open or holes[at]:
                row[at + 1] = before[at] or before[at + 1] or row[at]
            else:
                row[at + 1] = before[at] and left == right
        if not any(row):
            return False
    return row[-1]
