"""What findings say: short, in the words of the field, and what is wrong apart from its remedy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from forbidden_words import forbidden
from test_languages import fields, templates

from ms_perflint import pages
from ms_perflint.api import lint_source
from ms_perflint.check import Check, checks
from ms_perflint.core.findings import Finding

LONGEST = 100
ROWS = {"row", "line"}  # fields of what `Place` says, and of what is said of settings
OF_FINDINGS = ("checks/msp",)
OF_PROGRAMS = ("checks/", "edits/", "training/", "facts/", "check.py")
VALUES = {  # the longest of what real code gives: names, numbers and places as people write them
    "name": "value_and_grad",
    "file": "train_and_eval.py",
    "place": "train_and_eval.py:1234",
    "dtype": "self.compute_type",
    "first": "bfloat16",
    "wanted": "bfloat16",
    "there": "bfloat16",
    "back": "bfloat16",
    "read": "set_description(...)",
    "condition": " (when `config.run_distribute`)",
    "codes": "MSP101, MSP201, MSP301",
}
NUMBERS = {"row": 1234, "width": 4000, "multiple": 16, "waste": 47, "size": 16, "count": 12}


def of_findings() -> Iterator[str]:
    """Yield the templates that rules report: no gains, which reports put into a column of their own."""
    for place, template in templates():
        if place.startswith(OF_FINDINGS):
            yield template


@pytest.mark.parametrize("template", sorted(set(of_findings())))
def test_a_message_is_short_with_what_real_code_gives(template: str) -> None:
    filled = template.format(**VALUES, **NUMBERS)
    assert len(filled) <= LONGEST, f"{len(filled)}: {filled}"


def found_on_pages() -> Iterator[Finding]:
    """Yield the findings of the examples of all pages that stand in one file."""
    for check in checks():
        for example in pages.page(check.code).examples:
            if example.kind == "bad" and len(example.files) == 1:
                ((_, text),) = example.files
                yield from lint_source(text, select=[check.code]).findings


def test_what_is_reported_on_pages_is_short_and_leaves_the_remedy_to_the_fix() -> None:
    found = list(found_on_pages())
    assert len(found) > 10
    assert [each.message for each in found if len(each.message) > LONGEST] == []
    without = [each for each in found if each.fix is not None and not each.fix.message]
    assert without == []


def test_words_of_the_field() -> None:
    """Say it in the words of the glossary: `forbidden_words.py` has them."""
    spoken = (each for each in templates() if each[0].startswith(OF_PROGRAMS))
    assert [wrong for place, text in spoken for wrong in forbidden(place, text)] == []


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.code)
def test_summaries_and_gains_have_them_too(check: type[Check]) -> None:
    assert forbidden(check.code, f"{check.__doc__} {check.gain.text}") == []


def test_a_place_in_a_message_is_a_place() -> None:
    """Use `Place.seen_from` or `Place.named`, which name the cell of a notebook too."""
    counting = {place.partition(":")[0] for place, text in templates() if ROWS.intersection(fields(text))}
    assert counting == {"core/findings.py", "config/files.py"}
