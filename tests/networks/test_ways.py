"""However a network is built, the same is known of its layers, its widths, and what feeds what."""

from __future__ import annotations

import pytest
from network_ways import OTHERS, WAYS, program
from programs import Program


def found(network: str, width: int, code: str) -> list[tuple[int, str]]:
    """Return the widths that the findings of a rule name, and the safety of their fixes."""
    report = Program({"train.py": program(network, width)}).lint(code)
    assert not report.problems
    return [
        (width if f" {width} " in finding.message else 0, finding.fix.safety.value if finding.fix else "")
        for finding in report.findings
    ]


@pytest.mark.parametrize("way", WAYS)
def test_matrix_work_is_found_however_a_network_is_built(way: str) -> None:
    assert len(found(WAYS[way], 512, "MSP201")) == 1


@pytest.mark.parametrize("way", WAYS)
def test_a_hidden_width_is_found_however_a_network_is_built(way: str) -> None:
    assert found(WAYS[way], 500, "MSP202") == [(500, "unsafe")]
    assert found(WAYS[way], 512, "MSP202") == []


@pytest.mark.parametrize("way", OTHERS)
def test_a_width_that_feeds_no_layer_is_left_alone(way: str) -> None:
    assert found(OTHERS[way], 500, "MSP202") == []


@pytest.mark.parametrize("way", WAYS)
def test_the_fix_changes_all_that_has_the_width(way: str) -> None:
    (change,) = Program({"train.py": program(WAYS[way], 500)}).mend("MSP202").changes
    assert b"500" not in change.after
