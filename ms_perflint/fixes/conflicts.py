"""Conflicts of fixes: which edits can be applied in one pass."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable

from ms_perflint.core.findings import Edit
from ms_perflint.core.source import Source


class Taken:
    """The edits of one pass."""

    def __init__(self, read: Callable[[str], Source]) -> None:
        self.read = read
        self.sources: dict[str, Source] = {}
        self.edits: dict[str, list[Edit]] = {}
        self.starts: set[tuple[str, int]] = set()  # path and row of edits that lengthen a line
        self.ends: set[tuple[str, int]] = set()

    def admits(self, edits: Iterable[Edit]) -> bool:
        """Return whether edits equal taken ones, or do not conflict with them.

        Adjacent edits conflict: in `cast(cast(a + b)) * 2` either cast can go without brackets, but not both. So do two
        that lengthen a line: each of two arguments may fit on a line on which both do not.
        """
        for edit in edits:
            taken = self.edits.get(edit.path, [])
            at = bisect.bisect_left(taken, edit)
            if taken[at : at + 1] == [edit]:
                continue
            if not all(_clear(edit, other) for other in taken[max(0, at - 1) : at + 1]):
                return False
            start, end = self._rows(edit)
            if _lengthens(edit) and (start in self.ends or end in self.starts):
                return False
        return True

    def add(self, edits: Iterable[Edit]) -> None:
        """Add edits."""
        for edit in edits:
            bisect.insort(self.edits.setdefault(edit.path, []), edit)
            if _lengthens(edit):
                start, end = self._rows(edit)
                self.starts.add(start)
                self.ends.add(end)

    def _rows(self, edit: Edit) -> tuple[tuple[str, int], tuple[str, int]]:
        """Return path and row of an edit's start and end."""
        if edit.path not in self.sources:
            self.sources[edit.path] = self.read(edit.path)
        source = self.sources[edit.path]
        return (edit.path, source.row(edit.start)), (edit.path, source.row(edit.end))


def _lengthens(edit: Edit) -> bool:
    """Return whether an edit inserts more than it removes."""
    return len(edit.text.encode()) > edit.end - edit.start


def _clear(one: Edit, other: Edit) -> bool:
    """Return whether two edits do not touch."""
    return one.end < other.start or other.end < one.start


def is_sound(edits: Iterable[Edit]) -> bool:
    """Return whether the edits of one fix can all be applied, in one way only."""
    ordered = sorted(set(edits))
    pairs = [pair for pair in zip(ordered, ordered[1:]) if pair[0].path == pair[1].path]
    return all(one.end <= other.start and one.start < other.end for one, other in pairs)
