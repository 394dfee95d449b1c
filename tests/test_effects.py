"""The figures on the rule pages: made by `benchmarks/effects.py`, of programs that the tool still fixes.

Nothing here measures time. The test marked `mindspore` runs one effect on the MindSpore of the running interpreter.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import effects
import pytest
import tables
from measured import EFFECTS, Effect
from rounds import SLOW, Case, EffectError, fixed, measure

from ms_perflint import pages
from ms_perflint.codes import previews

CASES = [case for effect in EFFECTS for case in effect.cases]
TABLE = tables.Table(("MindSpore", "before"), ("| 2.7.0 | 2 ms |",), ("- 2.7.0: one round.",))
PROGRAMS = ("import mindspore\n",)
PAGE = (
    "Words.\n\n<!-- effect of MSP999, written by benchmarks/effects.py: none -->\n\n<!-- end of effect -->\n\nMore.\n"
)

each_effect = pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: effect.code)


def test_every_rule_has_an_effect() -> None:
    """All but one: a CPU does not multiply in blocks of 16. A preview rule needs none yet."""
    measured = {effect.code for effect in EFFECTS}
    assert measured <= {*pages.codes()}
    assert {*pages.codes()} - measured <= {"MSP202", *previews()}


@each_effect
def test_a_page_shows_what_the_script_wrote_of_the_present_programs(effect: Effect) -> None:
    """After a change of a program, and instead of a change of the table: `python benchmarks/effects.py --write`."""
    text = effects.page(effect.code).read_text(encoding="utf-8")
    assert tables.genuine(text, effect.programs)
    assert tables.line(("MindSpore", *effect.columns)) in text
    for case in effect.cases:
        assert not case.name or f"| {case.name} |" in text


@pytest.mark.parametrize("case", {case.program: case for case in CASES}.values(), ids=lambda case: case.program)
def test_a_slow_program_is_fixed_by_the_tool(case: Case) -> None:
    texts = {False: (SLOW / case.program).read_text(encoding="utf-8"), True: fixed(case)}
    assert texts[True] != texts[False]
    for variant in (variant for other in CASES if other.program == case.program for variant in other.variants):
        assert variant.instead[0] in texts[variant.fixed]


def test_a_fix_that_no_longer_works_is_an_error() -> None:
    case = Case("", "msp102_sink.py", "MSP501")
    with pytest.raises(EffectError, match=r"msp102_sink\.py: MSP501 is not fixed any more"):
        fixed(case)


def test_a_table_is_known_by_its_text_and_its_programs() -> None:
    page = tables.written(PAGE, "MSP999", TABLE, PROGRAMS)
    assert page.startswith("Words.\n\n<!-- effect of MSP999") and page.endswith("<!-- end of effect -->\n\nMore.\n")
    assert "\n\n| MindSpore | before |\n|---|---|\n| 2.7.0 | 2 ms |\n\n- 2.7.0: one round.\n\n<!--" in page
    assert tables.genuine(page, PROGRAMS)
    assert not tables.genuine(page.replace("2 ms", "1 ms"), PROGRAMS)
    assert not tables.genuine(page, ("another program",))
    assert not tables.genuine("Words.\n", PROGRAMS)


def test_another_version_is_added_and_the_same_one_replaced() -> None:
    page = tables.written(PAGE, "MSP999", TABLE, PROGRAMS)
    newer = tables.Table(TABLE.columns, ("| 2.10.0 | 1 ms |", "| 2.10.0 | 3 ms |"), ("- 2.10.0: one round.",))
    both = tables.merged(page, newer, PROGRAMS)
    assert both.rows == ("| 2.10.0 | 1 ms |", "| 2.10.0 | 3 ms |", "| 2.7.0 | 2 ms |")
    assert both.measured == ("- 2.10.0: one round.", "- 2.7.0: one round.")
    again = tables.Table(TABLE.columns, ("| 2.7.0 | 4 ms |",), ("- 2.7.0: two.",))
    assert tables.merged(page, again, PROGRAMS) == again


def test_figures_of_other_programs_or_columns_do_not_stay() -> None:
    page = tables.written(PAGE, "MSP999", TABLE, PROGRAMS)
    newer = tables.Table(TABLE.columns, ("| 2.10.0 | 1 ms |",), ("- 2.10.0: one round.",))
    assert tables.merged(page, newer, ("another program",)) == newer
    assert tables.merged(page.replace("2 ms", "1 ms"), newer, PROGRAMS) == newer
    other = tables.Table(("MindSpore", "after"), newer.rows, newer.measured)
    assert tables.merged(page, other, PROGRAMS) == other


def test_a_page_without_a_place_is_an_error() -> None:
    with pytest.raises(ValueError, match="the page of MSP999 has no place for its effect"):
        tables.written("Words.\n", "MSP999", TABLE, PROGRAMS)


@pytest.mark.parametrize(
    ("values", "text"),
    [([3.14159], "3.1 ms"), ([12.6, 10.2, 90.0], "13 ms (10-90)"), ([0.5, 0.4], "0.5 ms (0.4-0.5)")],
)
def test_a_spread_is_median_and_range(values: list[float], text: str) -> None:
    assert tables.spread(values, "ms") == text


def test_a_machine_is_told_without_its_name() -> None:
    assert re.fullmatch(r".+, \d+ cores, load average \d+\.\d", tables.machine())


@pytest.mark.mindspore
@pytest.mark.skipif(importlib.util.find_spec("mindspore") is None, reason="MindSpore is not installed (extra `proof`)")
def test_a_removed_round_trip_saves_casts(tmp_path: Path) -> None:
    """The cheapest effect, and one that no load of the machine can change: operators in the compiled graph."""
    (case,) = (case for case in CASES if case.program == "msp203_round_trip.py")
    compiled = tuple(variant for variant in case.variants if not variant.arguments)
    found = measure(
        Case(case.name, case.program, case.code, compiled, environment=case.environment, found=case.found), 1
    )
    (before,), (after,) = found.of("slow", "casts"), found.of("fixed", "casts")
    assert before > after
