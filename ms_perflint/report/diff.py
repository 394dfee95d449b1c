"""The changes of a fix, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ms_perflint.core.findings import Edit, Fix, Place
from ms_perflint.core.source import Source
from ms_perflint.report.frame import cut
from ms_perflint.report.sources import Sources, name
from ms_perflint.report.style import Style

LONGEST = 40  # changed lines that are shown


def changes(fix: Fix, home: Place, sources: Sources, style: Style) -> list[str]:
    """Return the changed lines of a fix, with a header for each file or cell.

    That of the finding (`home`) has none where it comes first.
    """
    lines: list[str] = []
    for path, group in groupby(sorted(fix.edits), key=lambda edit: edit.path):
        source = sources.get(path)
        if source is None:
            return []
        for place, edits in _by_cell(source, group):
            if lines or (path, place.cell) != (home.path, home.cell):
                lines.append(style(f"--> {name(place)}", "blue"))
            changed = [_styled(sign, row - place.above, text, style) for sign, row, text in _changed(source, edits)]
            lines += changed[:LONGEST]
            if len(changed) > LONGEST:
                lines.append(style("...", "blue"))
    return lines


def _by_cell(source: Source, edits: Iterable[Edit]) -> list[tuple[Place, list[Edit]]]:
    """Return the edits by cell, with a place in it; for a file without cells, all."""
    cells: dict[int, tuple[Place, list[Edit]]] = {}
    for edit in edits:
        place = source.place(edit.start)
        cells.setdefault(place.cell, (place, []))[1].append(edit)
    return list(cells.values())


def _styled(sign: str, row: int, text: str, style: Style) -> str:
    """Return one line of the diff; the row is that in the old or new file, by the sign."""
    line = f"{row:>4} {sign} {cut(text, 0)[0]}".rstrip()
    return line if sign == " " else style(line, "green" if sign == "+" else "removed")


def _changed(source: Source, edits: list[Edit]) -> Iterator[tuple[str, int, str]]:
    """Yield (sign, row, text) of each removed and each added line, and of the line above a mere addition."""
    import difflib  # here, because few reports show changes

    shift = 0  # number of rows added so far
    for first, last, group in _clusters(source, edits):
        begin, end = source.starts[first - 1], source.starts[min(last, len(source.starts) - 1)]
        text, at = b"", begin
        for edit in group:
            text += source.written[at : edit.start] + edit.text.encode()
            at = edit.end
        text += source.written[at:end]
        old, new = _lines(source.written[begin:end]), _lines(text)
        for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag == "insert" and i1:
                yield " ", first + i1 - 1, old[i1 - 1]  # only as context
            if tag != "equal":
                yield from (("-", first + i, old[i]) for i in range(i1, i2))
                yield from (("+", first + shift + j, new[j]) for j in range(j1, j2))
        shift += len(new) - len(old)


def _clusters(source: Source, edits: list[Edit]) -> list[tuple[int, int, list[Edit]]]:
    """Return (first row, last row, edits) of the places that the edits touch with a row above, top down, disjoint."""
    clusters: list[tuple[int, int, list[Edit]]] = []
    for edit in edits:
        row = source.row(edit.start)
        first, last = max(source.rows(row).start, row - 1), source.row(edit.end)
        if clusters and first <= clusters[-1][1]:
            before = clusters.pop()
            clusters.append((before[0], max(before[1], last), [*before[2], edit]))
        else:
            clusters.append((first, last, [edit]))
    return clusters


def _lines(text: bytes) -> list[str]:
    return [line.decode("utf-8", "replace") for line in text.splitlines()]
