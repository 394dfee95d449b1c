"""Signals of the data flow as numbers give what sets of sources give."""

from __future__ import annotations

import random
from typing import cast

import pytest

from ms_perflint.infer.values import Alternative
from ms_perflint.training.networks import signals
from ms_perflint.training.networks.signals import FLAT, JOINED, LOST, PART, WHOLE, Signal, Source, Sources, union

HOWS = (WHOLE, JOINED, FLAT, PART, LOST)
CELLS = [cast(Alternative, name) for name in ("one", "other")]
UNKNOWN = Source(None, LOST)


def drawn(draw: random.Random) -> Signal:
    """Return some sources: the same layers come in many ways."""
    count = draw.randrange(12)
    return frozenset(Source(draw.randrange(6), draw.choice(HOWS), draw.choice([None, *CELLS])) for _ in range(count))


@pytest.mark.parametrize("seed", range(20))
def test_what_is_done_to_a_number_is_done_to_each_of_its_sources(seed: int) -> None:
    draw, sources = random.Random(seed), Sources()
    for _ in range(20):
        found, other = drawn(draw), drawn(draw)
        bits, others = (union(map(sources.bit, each)) for each in (found, other))
        assert sources.signal(bits) == found and sources.signal(bits | others) == found | other
        for how in HOWS:
            changed = {each._replace(how=LOST if each.how == LOST else how) for each in found}
            assert sources.signal(sources.changed(bits, how)) == changed
        given_out = sources.given_out(bits, CELLS[0])
        assert sources.signal(given_out) == {each._replace(made=each.made or CELLS[0]) for each in found}
        origins = {each.origin for each in other}
        assert sources.signal(bits & sources.alike(others)) == {each for each in found if each.origin in origins}


def test_what_may_come_from_anywhere_stays_that() -> None:
    sources = Sources()
    bits = sources.bit(UNKNOWN) | sources.bit(Source(1))
    assert sources.signal(sources.widened(bits)) == {UNKNOWN}
    assert sources.changed(sources.UNKNOWN, FLAT) == sources.given_out(sources.UNKNOWN, CELLS[0]) == sources.UNKNOWN


def test_too_many_sources_are_not_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "SOURCES", 3)
    sources = Sources()
    bits = [sources.bit(Source(number)) for number in range(4)]
    assert sources.widened(union(bits[1:])) == union(bits[1:])
    assert sources.widened(union(bits)) == sources.UNKNOWN
