"""What `verify` measured of samples and pages: kept as data, and shown on the pages as the data has it.

Nothing is measured here: `python benchmarks/verified.py --write` runs what is new or has changed, and writes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import evidence
import pytest
import verified
from examples import examples
from front import TRAIN, run
from page_programs import ON_CPU, Tried, on_cpu, programs

from ms_perflint import pages
from ms_perflint.codes import previews
from ms_perflint.core.findings import Safety
from ms_perflint.languages import CHINESE, ENGLISH
from ms_perflint.verify.variants import Variant

ROWS = evidence.load()
WITHOUT = set(previews()) - {each["code"] for each in ROWS}
PAGE = "# some-rule (MSP301)\n\nIt is slow.\n\n## Evidence\n\nFor a reason.\n\n## Example\n\nText.\n"


def row(name: str, *variants: dict[str, Any], adapted: tuple[bool, ...] = (False,), **more: Any) -> dict[str, Any]:
    """Return what is kept of a program."""
    none = {"before": None, "after": None, "spread": None}
    whole = [
        {
            "rules": ["MSP301"],
            "applicability": "safe",
            "step_ms": none,
            "first_step_ms": none,
            "loss": {"largest_difference": None},
            "error": None,
            **variant,
        }
        for variant in variants
    ]
    result = {"device": "CPU", "mindspore": "2.10.0", "steps": 20, "rounds": 3, "date": "2026-11-23", "error": None}
    found = {"name": name, "code": "MSP301", "key": "k", "machine": "a machine", "adapted": list(adapted)}
    return {**found, "result": {**result, "variants": whole, **more}}


def ms(before: float, after: float) -> dict[str, float]:
    return {"before": before, "after": after, "spread": 0.2}


FAST = row("MSP301 1", {"verdict": "faster", "step_ms": ms(10, 6.2)})
FASTER = row("MSP301 2", {"verdict": "faster", "step_ms": ms(10, 4)})
SAME = row("MSP301 3", {"verdict": "same", "step_ms": ms(10, 10)})
REFUSED = row(
    "MSP301 4",
    {"verdict": "fails", "error": "ValueError: `a | b`"},
    {"verdict": "slower", "step_ms": ms(10, 12)},
    adapted=(False, True),
)


# --- the data


def test_all_samples_and_all_examples_were_tried() -> None:
    """After a change of one of them: `python benchmarks/verified.py --write`. A preview rule needs no evidence yet."""
    wanted = {each.name: each.key for each in programs() if each.code not in WITHOUT}
    assert {each["name"]: each["key"] for each in ROWS} == wanted


def test_each_program_was_measured_or_says_why_not() -> None:
    for each in ROWS:
        assert ("result" in each) != ("reason" in each), each["name"]
        if "result" in each:
            assert not each["result"]["error"], each["name"]
            assert len(each["adapted"]) == len(each["result"]["variants"])


def test_the_programs_are_those_of_the_rules() -> None:
    by_code: dict[str, list[Tried]] = {}
    for each in programs():
        by_code.setdefault(each.code, []).append(each)
    assert len(by_code.pop("")) == 4  # the samples
    for code, tried in by_code.items():
        bad = [example for example in examples(code) if example.kind == "bad"]
        assert [each.name for each in tried] == [f"{code} {number}" for number in range(1, len(bad) + 1)]
    assert "MSP301" in by_code and set(by_code) - set(previews())


def test_a_program_for_a_cpu() -> None:
    text = 'ms.set_context(device_target="Ascend")\nm = Model(net, amp_level="O2")\nnet.to_float(ms.bfloat16)\n'
    assert not any(accelerator in on_cpu(text) for accelerator, _ in ON_CPU)


def test_what_a_fix_brings_and_a_cpu_refuses_is_tried_both_ways(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text('DEVICES = ["Ascend", "CPU"]\n')
    plain = Variant(("MSP102",), Safety.SAFE, {str(path): b'DEVICES = ["Ascend", "CPU"]\nsink = True\n'}, ())
    half = plain._replace(contents={str(path): b'DEVICES = ["Ascend", "CPU"]\nlevel = "O2"\n'})
    variants, adapted = verified._for_cpu([plain, half])
    assert adapted == [False, False, True] and variants[:2] == [plain, half]
    assert variants[2].contents == {str(path): b'DEVICES = ["Ascend", "CPU"]\nlevel = "O3"\n'}


@pytest.mark.parametrize(
    ("after", "reason"),
    [(b"x = 1\n", verified.NO_EFFECT), (b"x = 2\n", ""), (None, verified.NO_FIX)],
)
def test_what_changes_nothing_that_runs_is_not_measured(tmp_path: Path, after: bytes | None, reason: str) -> None:
    path = tmp_path / "train.py"
    path.write_text("x = 1  # noqa\n")
    variant = Variant(("MSP901",), Safety.SAFE, {} if after is None else {str(path): after}, ())
    assert verified._reason([variant]) == reason


# --- the pages


@pytest.mark.parametrize("path, code, language", evidence.all_pages(), ids=lambda each: getattr(each, "name", each))
def test_a_page_says_what_was_measured_and_where(path: Path, code: str, language: str) -> None:
    text = path.read_text(encoding="utf-8")
    if code in WITHOUT:
        assert "<!-- evidence of" not in text
        return
    assert evidence.with_block(text, code, ROWS, language) == text, "run: python benchmarks/verified.py --write"


def test_the_table_is_that_of_the_data() -> None:
    text = evidence.TABLE.read_text(encoding="utf-8")
    assert evidence.with_table(text, ROWS) == text, "run: python benchmarks/verified.py --write"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([FAST], "with the fix in 1 program: 1 faster (38 % less time per step). Not measured on Ascend or GPU."),
        ([FAST, FASTER, SAME], "in 3 programs: 2 faster (38 to 60 % less time per step), 1 neither faster nor slower"),
        ([REFUSED], "with the fix in 1 program: 1 slower (20 % more time per step). Not measured on Ascend or GPU."),
        ([{**FAST, "result": {**FAST["result"], "device": "Ascend910B"}}], "**Measured** on Ascend910B with"),
        ([], "**Not measured** with `ms-perflint verify`: it was not run."),
        ([{"name": "MSP301 1", "code": "MSP301", "reason": "no fix is offered"}], "verify`: no fix is offered."),
    ],
)
def test_a_sentence_for_a_page(rows: list[dict[str, Any]], said: str) -> None:
    page = evidence.with_block(PAGE, "MSP301", rows)
    assert said in page
    assert page.index("For a reason.") < page.index("<!-- evidence of MSP301") < page.index("## Example")
    assert evidence.with_block(page, "MSP301", rows) == page
    device = rows[0].get("result", {}).get("device", "no device") if rows else "no device"
    assert f"<!-- evidence of MSP301 on {device}, written by" in page


def test_the_sentence_in_chinese_has_the_same_figures() -> None:
    rows = [FAST, FASTER, SAME, REFUSED]
    english, chinese = (
        evidence.with_block(page, "MSP301", rows, language)
        for page, language in ((PAGE, ENGLISH), (PAGE.replace("## Evidence", "## 实测数据"), CHINESE))
    )
    assert "**实测**：用 `ms-perflint verify` 在 CPU 上测量" in chinese
    assert re.findall(r"\d+", english) == re.findall(r"\d+", chinese)


def test_a_page_without_the_section_is_an_error() -> None:
    with pytest.raises(ValueError, match="the page of MSP301 has no section for its evidence"):
        evidence.with_block(PAGE.replace("## Evidence", "## Others"), "MSP301", [FAST])


def test_a_table_of_all_programs() -> None:
    table = evidence.table([FAST, REFUSED, {"name": "MSP901 1", "code": "MSP901", "reason": "no fix is offered"}])
    assert "| MSP301 1 | MSP301 (safe) | 10 ms | 6.2 ms | ± 0.1 ms | faster: 38 % less time per step |" in table
    assert "| MSP301 4 | MSP301 (safe) |  |  |  | fails: ValueError: a / b |" in table
    assert "| MSP301 4 | MSP301 (safe), for a CPU | 10 ms | 12 ms | ± 0.1 ms | slower: 20 % more time" in table
    assert "| MSP901 1 | MSP901 |  |  |  | not measured: no fix is offered |" in table
    assert "- MindSpore 2.10.0 on CPU, 2026-11-23: 20 steps, 3 runs of each variant in turn; a machine." in table


# --- the report


@pytest.mark.parametrize(
    ("devices", "badge"),
    [
        ("CPU", "on CPU, not on Ascend"),
        ("Ascend910B, CPU", "on Ascend910B, CPU"),
        ("no device", "not measured"),
    ],
)
def test_badges_say_where_an_effect_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, devices: str, badge: str
) -> None:
    marker = f"<!-- evidence of MSP301 on {devices}, written by benchmarks/verified.py -->"
    page = pages.parse(PAGE.replace("For a reason.", f"{marker}\n\nFor a reason."), "MSP301-some-rule.md")
    monkeypatch.setattr(pages, "page", lambda code, language=ENGLISH: page)
    (tmp_path / "train.py").write_text(TRAIN)
    shown = run("train.py", "--isolated", "--select", "MSP301", "--output-format", "html", cwd=tmp_path).out
    assert shown.count(f'<span class="badge small">{badge}</span>') == 1  # in the table of rules
    assert shown.count(f'<span class="badge small">effect measured: {badge}</span>') == 1  # of the finding
    assert "<!-- evidence" not in shown
