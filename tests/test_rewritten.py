"""Findings do not depend on how a program is written: in functions, in a class, with other assignments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from examples import examples
from programs import Program
from rewriting import WAYS

from ms_perflint import pages

GAPS = {  # of rules, by the number of the program: what is not known yet
    ("MSP201", 9, "made by functions"),  # no diff is shown where another function binds what it would change
}


def cases() -> Iterator[object]:
    """Yield the programs of all rules, each in all ways in which it can be written."""
    for code in pages.codes():
        for number, example in enumerate(examples(code)):
            scripts = [name for name, _ in example.files if name.endswith(".py")]
            entry = scripts[0] if len(scripts) == 1 else "train.py"
            if code == "MSP901" or example.kind not in ("bad", "ok") or entry not in scripts:
                continue
            files = dict(example.files)
            for way, rewritten in WAYS.items():
                text = rewritten(files[entry])
                if text is not None:
                    name = f"{code}-{example.row}-{number}-{way}".replace(" ", "-")
                    is_gap = (code, number, way) in GAPS
                    marks = [pytest.mark.xfail(strict=True, reason="a known gap")] if is_gap else []
                    programs = Program(files), Program({**files, entry: text})
                    yield pytest.param(code, *programs, id=name, marks=marks)


def found(code: str, program: Program) -> Counter[object]:
    """Return how safe the fixes of the findings of a rule in a program are."""
    report = program.lint(code)
    assert not report.problems
    return Counter(each.fix and each.fix.safety for each in report.findings)


@pytest.mark.parametrize(("code", "program", "other"), list(cases()))
def test_a_program_that_is_written_in_another_way_has_the_same_findings(
    code: str, program: Program, other: Program
) -> None:
    assert found(code, other) == found(code, program)
