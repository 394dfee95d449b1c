"""Every form of every fix is run on a real MindSpore, before and after.

The fix changes just the lines that the form lists, the program takes the same steps, parameters keep the shapes that
are not part of the fix, and the losses differ by no more than the page of the rule says; by nothing, where it says
that: then the parameters and the checkpoints are the same bits as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from proofs import msp101, msp102, msp201, msp201_steps, msp202, msp203, msp301, msp501, msp601, preview_rules
from proofs.proof import Form, MindSpore, fixed, is_offered, on_mindspore, prove

RULES = (msp101, msp102, msp201, msp201_steps, msp202, msp203, msp301, msp501, msp601, preview_rules)
FORMS = [form for rule in RULES for form in rule.FORMS]

VERSIONS = ("2.0.0", "2.4.0", "2.7.0", "2.10.0")


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_fix(form: Form, tmp_path: Path) -> None:
    for version in VERSIONS:
        if is_offered(form, version):
            fixed(form, tmp_path / version, version)


def test_table_has_every_form() -> None:
    told = set()
    for line in Path(__file__).with_name("README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| MSP"):
            code, names, safety = (cell.strip() for cell in line.split("|")[1:4])
            told |= {(code, name, safety) for name in names.split("; ")}
    assert told == {(form.code, form.name, form.safety) for form in FORMS}


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_run(form: Form, mindspore: MindSpore, tmp_path: Path) -> None:
    prove(form, mindspore, tmp_path)
