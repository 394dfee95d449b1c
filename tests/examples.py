"""The programs of a rule: the examples on its page, and more of the same form in `tests/checks/CODE.md`.

A page shows one example and its fix. What else is reported, fixed or left alone, and was once worth an example, is kept
beside the tests of the rule, and checked as strictly: see `test_rules.py`.
"""

from __future__ import annotations

from pathlib import Path

from ms_perflint import pages
from ms_perflint.pages import Example, Page

CHECKS = Path(__file__).resolve().parent / "checks"


def sources(code: str) -> tuple[Page, ...]:
    """Return the page of a rule, and the one with its further programs where there is one."""
    further = CHECKS / f"{code}.md"
    page = pages.page(code)
    return (page, pages.parse(further.read_text(encoding="utf-8"), further.name)) if further.exists() else (page,)


def examples(code: str) -> tuple[Example, ...]:
    """Return all programs of a rule."""
    return tuple(example for page in sources(code) for example in page.examples)
