"""Suggestions for misspelled words."""

from __future__ import annotations

from collections.abc import Iterable

from ms_perflint.languages import Message

FARTHEST = 2  # slips of the hand between a word and what may have been meant


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `, did you mean "..."?` for the closest known word; "" when none is as close as a slip of the hand."""
    most = min(FARTHEST, len(word) // 2)
    by_distance = sorted((_distance(word.upper(), name.upper()), name) for name in known)
    is_close = bool(by_distance) and by_distance[0][0] <= most
    return Message(', did you mean "{name}"?', name=by_distance[0][1]) if is_close else ""


def _distance(one: str, other: str) -> int:
    """Return the edit distance with transpositions; FARTHEST + 1 beyond the bound."""
    if abs(len(one) - len(other)) > FARTHEST:
        return FARTHEST + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for at, character in enumerate(one, 1):
        row = [at]
        for to, wanted in enumerate(other, 1):
            cost = min(last[to] + 1, row[-1] + 1, last[to - 1] + (character != wanted))
            if at > 1 and to > 1 and (character, one[at - 2]) == (other[to - 2], wanted):
                cost = min(cost, before[to - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
