"""What `verify` measured of the samples and of the examples on the rule pages: kept as data, and written onto pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tables import line

from ms_perflint import pages
from ms_perflint.core.findings import ACCELERATORS
from ms_perflint.languages import CHINESE, ENGLISH
from ms_perflint.report.verify import verdict as worded
from ms_perflint.verify.results import CHANGES_LOSS, FAILS, FASTER, NOT_MEASURED, SAME, SLOWER, Measured, variant_of

HERE = Path(__file__).resolve().parent
KEPT = HERE / "verified.json"
TABLE = HERE / "README.md"
RULES = HERE.parent / "rules"
LONGEST = 90  # characters of an error in a table

Row = Mapping[str, Any]
_BLOCK = re.compile(
    r"<!-- evidence of (?P<code>\w+) on (?P<devices>[\w, -]+), written by benchmarks/verified\.py -->\n"
    r".*?<!-- end of evidence -->\n",
    re.DOTALL,
)
_START = "<!-- what verify measured, written by benchmarks/verified.py -->"
_TABLE = re.compile(f"{re.escape(_START)}\n.*?<!-- end of what verify measured -->\n", re.DOTALL)


class Told(NamedTuple):
    """One variant of one program."""

    program: str
    measured: Measured
    adapted: bool  # what the fix brings and a CPU refuses was replaced


def load() -> list[dict[str, Any]]:
    """Return what is kept of each program."""
    if not KEPT.exists():
        return []
    kept: list[dict[str, Any]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return kept


def save(rows: Sequence[Row]) -> None:
    """Keep what was measured."""
    KEPT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8", newline="\n")


def write(rows: Sequence[Row]) -> None:
    """Put what was measured on the pages of the rules, and the table of all programs into the README beside this."""
    text = TABLE.read_text(encoding="utf-8")
    TABLE.write_text(with_table(text, rows), encoding="utf-8", newline="\n")
    measured = {row["code"] for row in rows}
    for path, code, language in (each for each in all_pages() if each[1] in measured):
        text = path.read_text(encoding="utf-8")
        path.write_text(with_block(text, code, rows, language), encoding="utf-8", newline="\n")


def all_pages() -> list[tuple[Path, str, str]]:
    """Return the pages of all rules, with their codes and languages; a rule may have no Chinese one yet."""
    found = []
    for code in pages.codes():
        (path,) = RULES.glob(f"{code}-*.md")
        found += [(path, code, ENGLISH), (RULES / CHINESE / path.name, code, CHINESE)]
    return [each for each in found if each[0].exists()]


# --- the table of all programs


def table(rows: Sequence[Row]) -> str:
    """Return a line for each variant of each program, and for each program without one."""
    lines = [line(("program", "fixes of", "step before", "after", "spread", "verdict")), "|" + "---|" * 6]
    for row in rows:
        lines += [_line(row, told) for told in _variants(row)]
        if "reason" in row:
            lines.append(line((row["name"], row["code"], "", "", "", f"not measured: {row['reason']}")))
        elif row["result"]["error"]:
            lines.append(line((row["name"], row["code"], "", "", "", f"the program itself fails: {_short(row)}")))
    return "\n".join([*lines, "", *_how(rows)]) + "\n"


def with_table(text: str, rows: Sequence[Row]) -> str:
    """Return the README with its table replaced. Raises ValueError where it has no place for one."""
    if not _TABLE.search(text):
        raise ValueError("the README has no place for the table of verified programs")
    return _TABLE.sub(lambda _: f"{_START}\n\n{table(rows)}\n<!-- end of what verify measured -->\n", text)


def _variants(row: Row) -> list[Told]:
    """Return the variants that were measured of a program."""
    variants = row["result"]["variants"] if "result" in row else []
    return [Told(row["name"], variant_of(each), adapted) for each, adapted in zip(variants, row.get("adapted", ()))]


def _line(row: Row, told: Told) -> str:
    measured = told.measured
    rules = ", ".join(measured.rules) + f" ({measured.applicability})" + (", for a CPU" if told.adapted else "")
    spread = "" if measured.spread is None else f"± {_ms(measured.spread / 2)}"
    verdict = str(worded(measured._replace(error=_plain(measured.error))))
    return line((row["name"], rules, _ms(measured.before), _ms(measured.after), spread, verdict))


def _how(rows: Sequence[Row]) -> list[str]:
    """Return how the figures were measured, a line for each device and version."""
    results = [row["result"] for row in rows if "result" in row]
    how = {
        (each["mindspore"], each["device"], each["steps"], each["rounds"], each["date"], row["machine"]): None
        for row, each in zip((row for row in rows if "result" in row), results)
    }
    return [
        f"- MindSpore {version} on {device}, {date}: {steps} steps, {rounds} runs of each variant in turn; {machine}."
        for version, device, steps, rounds, date, machine in sorted(how)
    ]


def _ms(time: float | None) -> str:
    return "" if time is None else f"{time:.0f} ms" if time >= 10 else f"{time:.2g} ms"


def _plain(error: str) -> str:
    """Return the begin of an error as a cell of a table takes it."""
    said = " ".join(error.replace("|", "/").replace("`", "").split())
    return said if len(said) <= LONGEST else said[: LONGEST - 3] + "..."


def _short(row: Row) -> str:
    return _plain(str(row["result"]["error"]))


# --- the block on the page of a rule


def with_block(text: str, code: str, rows: Sequence[Row], language: str = ENGLISH) -> str:
    """Return a page with what was measured of its rule: where it stood, else at the end of the evidence.

    A rule that was not measured, as its fix changes nothing that runs, needs no such section.
    """
    devices = ", ".join(sorted({row["result"]["device"] for row in rows if _is_about(row, code)})) or "no device"
    block = (
        f"<!-- evidence of {code} on {devices}, written by benchmarks/verified.py -->\n\n"
        f"{_said(code, rows, language)}\n\n<!-- end of evidence -->\n"
    )
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: block, text)
    before, heading, after = text.partition(WORDS[language]["heading"])
    if not heading and not _of_rule(code, rows):
        return text
    if not heading:
        raise ValueError(f"the page of {code} has no section for its evidence")
    section, following, rest = after.partition("\n## ")
    return f"{before}{heading}{section}\n{block}{following}{rest}"


def _is_about(row: Row, code: str) -> bool:
    return any(told.measured.rules == (code,) and told.measured.after is not None for told in _variants(row))


def _of_rule(code: str, rows: Sequence[Row]) -> list[Told]:
    """Return what was measured of a rule alone; where a CPU refuses the fix, as it takes it."""
    found: dict[str, Told] = {}
    for told in (told for row in rows for told in _variants(row)):
        if told.measured.rules != (code,) or told.measured.verdict == NOT_MEASURED:
            continue
        if told.program not in found or told.adapted:
            found[told.program] = told
    return list(found.values())


def _by_verdict(told: Iterable[Told]) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {}
    for each in told:
        found.setdefault(each.measured.verdict, []).append(each.measured)
    return found


def _range(measured: Sequence[Measured], words: Mapping[str, str]) -> str:
    """Return by how much the time of a step changed: "38 %", "12 to 38 %"."""
    changes = sorted(abs(each.change or 0.0) for each in measured)
    low, high = f"{100 * changes[0]:.0f}", f"{100 * changes[-1]:.0f}"
    return f"{low} %" if low == high else f"{low}{words['to']}{high} %"


def _elsewhere(rows: Sequence[Row], code: str) -> list[str]:
    """Return the accelerators on which nothing was measured of a rule."""
    devices = {row["result"]["device"] for row in rows if _is_about(row, code)}
    return [each for each in ACCELERATORS if not any(device.startswith(each) for device in devices)]


def _reasons(code: str, rows: Sequence[Row]) -> list[str]:
    return sorted({row["reason"] for row in rows if row["code"] == code and "reason" in row})


def _said(code: str, rows: Sequence[Row], language: str) -> str:
    """Return what was measured of a rule, and what was not."""
    words, told = WORDS[language], _of_rule(code, rows)
    if not told:
        reasons = [words.get(each, each) for each in _reasons(code, rows)]
        return words["none"].format(reasons=words["and"].join(reasons) or words["unknown"])
    found = _by_verdict(told)
    parts = [
        _worded(verdict, code, language).format(number=len(found[verdict]), part=_range(found[verdict], words))
        for verdict in SHOWN
        if verdict in found
    ]
    devices, versions, steps = _where(rows, told)
    one = words["one program"]
    said = words["measured"].format(
        programs=one if len(told) == 1 else words["programs"].format(number=len(told)),
        devices=words["and"].join(devices),
        versions=words["and"].join(versions),
        steps=steps,
        verdicts=words["comma"].join(parts),
    )
    missing = _elsewhere(rows, code)
    return said + (words["missing"].format(devices=words["or"].join(missing)) if missing else "")


SHOWN = (FASTER, SAME, SLOWER, CHANGES_LOSS, FAILS)
WORDS = {
    ENGLISH: {
        "heading": "\n## Evidence\n",
        "measured": "**Measured** on {devices} with `ms-perflint verify` (MindSpore {versions}, "
        "processor time of {steps} steps; "
        "[figures](../benchmarks/README.md#what-verify-measured)), with the fix in {programs}: {verdicts}.",
        "one program": "1 program",
        "programs": "{number} programs",
        FASTER: "{number} faster ({part} less time per step)",
        SAME: "{number} neither faster nor slower",
        SLOWER: "{number} slower ({part} more time per step)",
        CHANGES_LOSS: "{number} not comparable: another loss",
        FAILS: "{number} not able to run",
        "missing": " Not measured on {devices}.",
        "none": "**Not measured** with `ms-perflint verify`: {reasons}.",
        "unknown": "it was not run",
        "to": " to ",
        "or": " or ",
        "and": " and ",
        "comma": ", ",
    },
    CHINESE: {
        "heading": "\n## 实测数据\n",
        "measured": "**实测**：用 `ms-perflint verify` 在 {devices} 上测量"
        "（MindSpore {versions}，{steps} 步的处理器时间；[数据](../../benchmarks/README.md#what-verify-measured)），"
        "对 {programs}应用修复：{verdicts}。",
        "one program": "1 个程序",
        "programs": "{number} 个程序",
        FASTER: "{number} 个变快（每步耗时减少 {part}）",
        SAME: "{number} 个的差异在噪声范围之内",
        SLOWER: "{number} 个变慢（每步耗时增加 {part}）",
        CHANGES_LOSS: "{number} 个不可比：loss 有变化",
        FAILS: "{number} 个无法运行",
        "missing": "未在 {devices} 上测量。",
        "none": "**未实测**：没有用 `ms-perflint verify` 测量，{reasons}。",
        "unknown": "尚未运行",
        "to": " 至 ",
        "or": " 和 ",
        "and": "、",
        "comma": "，",
        "no fix is offered": "没有提供修复",
        "the fix changes a comment, and nothing that runs": "修复只改动注释，不影响运行",
        "the fix is shown only: it would not run as it is": "修复仅供展示，不能直接运行",
    },
}

WIDER = {  # why the losses of MSP202 cannot be compared
    ENGLISH: "{number} not comparable: the wider network has other weights",
    CHINESE: "{number} 个不可比：变宽的网络权重不同",
}


def _worded(verdict: str, code: str, language: str) -> str:
    """Return how a page says what came out for some programs."""
    return WIDER[language] if (verdict, code) == (CHANGES_LOSS, "MSP202") else WORDS[language][verdict]


def _where(rows: Sequence[Row], told: Sequence[Told]) -> tuple[list[str], list[str], int]:
    """Return on which devices a rule was measured, with which versions of MindSpore, and over how many steps."""
    names = {each.program for each in told}
    results = [row["result"] for row in rows if row["name"] in names]
    devices, versions = (sorted({each[key] for each in results}) for key in ("device", "mindspore"))
    return devices, versions, max(each["steps"] for each in results)
