"""How far a fix is trusted can be read: two findings of one rule with different grades never say the same."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
from examples import examples
from programs import PYTHON, Program

from ms_perflint import pages
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk
from ms_perflint.core.findings import Finding
from ms_perflint.engine import lint
from ms_perflint.languages import Message

TESTS = Path(__file__).resolve().parent
SAMPLES = TESTS.parent / "sample_scripts"
CODES = [code for code in pages.codes() if (TESTS / "checks" / f"test_{code.lower()}.py").exists()]


@pytest.mark.parametrize("code", CODES)
def test_findings_of_different_grades_differ_in_what_they_say(code: str) -> None:
    texts: dict[tuple[str, str], dict[str, Finding]] = {}
    findings = [finding for program in programs(code) for finding in program.lint(code).findings]
    config = Config(root=str(SAMPLES), select=(code,))
    findings += lint([str(path) for path in SAMPLES.rglob("*.py")], config, Disk()).findings
    assert findings
    for finding in findings:
        fix = finding.fix
        # The words that stay, whatever the fields say, and without the label: "(safe fix)" tells nobody why
        said = "" if fix is None else f"{words(fix.message)}; {words(fix.reason or '')}"
        grade = "no fix" if fix is None else fix.safety.value
        texts.setdefault((words(finding.message), said), {}).setdefault(grade, finding)
    alike = {text: grades for text, grades in texts.items() if len(grades) > 1}
    assert not alike, "\n".join(f"{sorted(grades)}: {text}" for text, grades in alike.items())


def words(text: str) -> str:
    """Return what a message always says: its template, with those of the messages in its fields."""
    if not isinstance(text, Message):
        return text
    inner = (words(value) for value in text.values.values() if isinstance(value, Message))
    return " | ".join([text.template, *inner])


def programs(code: str) -> Iterator[Program]:
    """Yield the programs of the tests of a rule, and those of its page."""
    for path in sorted((TESTS / "checks").glob(f"test_{code.lower()}*.py")):
        for test in (value for name, value in runpy.run_path(str(path)).items() if name.startswith("test_")):
            for mark in getattr(test, "pytestmark", ()):
                cases = mark.args[1] if mark.name == "parametrize" else ()
                values = (value for each in cases for value in getattr(each, "values", ()))
                yield from (value for value in values if isinstance(value, Program))
    for example in examples(code):
        if any(name.endswith(PYTHON) for name, _ in example.files):
            yield Program(dict(example.files))
