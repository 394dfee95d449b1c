"""Measure what the fixes do, on the MindSpore and the machine at hand, and put the figures on the pages of the rules.

python benchmarks/effects.py                       all rules; prints Markdown
python benchmarks/effects.py --only MSP101 MSP203  these rules
python benchmarks/effects.py --write               also into rules/, beside the figures of other versions
"""

from __future__ import annotations

import argparse
import importlib.metadata
import sys
from collections.abc import Sequence
from pathlib import Path

import tables
from chinese import in_chinese
from measured import EFFECTS, Effect
from rounds import ROOT, EffectError, measure

RULES = ROOT / "rules"
ROUNDS = 5


def table(effect: Effect, rounds: int) -> tables.Table:
    """Return the table of an effect, measured now. May raise EffectError."""
    version = importlib.metadata.version("mindspore")
    how = tables.machine()  # the load before this script adds its own
    count = 1 if effect.once else rounds
    rows = [tables.line((version, *_shown(effect, count, index))) for index in range(len(effect.cases))]
    told = "one round" if count == 1 else f"median (range) of {count} rounds"
    columns = ("MindSpore", *effect.columns)
    return tables.Table(columns, tuple(rows), (f"- {version}: {told}; {how}.",))


def _shown(effect: Effect, rounds: int, index: int) -> tuple[str, ...]:
    """Return the cells of one case of an effect."""
    case = effect.cases[index]
    print(f"{effect.code}: {case.program}, {rounds} x {len(case.variants)} runs", file=sys.stderr, flush=True)
    return effect.cells(measure(case, rounds))


def page(code: str) -> Path:
    """Return the page of a rule."""
    (found,) = RULES.glob(f"{code}-*.md")
    return found


def chinese_page(code: str) -> Path:
    """Return the page of a rule in Chinese."""
    return RULES / "zh" / page(code).name


def write(effect: Effect, new: tables.Table) -> None:
    """Put a table on both pages of its rule; rows of other versions stay if their programs were the same."""
    path = page(effect.code)
    whole = tables.merged(path.read_text(encoding="utf-8"), new, effect.programs)
    _put(effect, path, whole)
    _put(effect, chinese_page(effect.code), in_chinese(whole))


def _put(effect: Effect, path: Path, whole: tables.Table) -> None:
    """Replace the table on a page."""
    text = path.read_text(encoding="utf-8")
    path.write_text(tables.written(text, effect.code, whole, effect.programs), encoding="utf-8", newline="\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write as the command line says; return the exit code."""
    codes = [effect.code for effect in EFFECTS]
    parser = argparse.ArgumentParser(description="Measure what the fixes of ms-perflint do.")
    parser.add_argument("--only", nargs="+", choices=codes, default=codes, metavar="CODE", help="these rules alone")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"runs of each program (default: {ROUNDS})")
    parser.add_argument("--write", action="store_true", help="put the tables on the pages in rules/")
    chosen = parser.parse_args(arguments)
    failed = False
    for effect in EFFECTS:
        if effect.code in chosen.only:
            try:
                new = table(effect, chosen.rounds)
            except EffectError as error:
                print(f"{effect.code}: {error}", file=sys.stderr)
                failed = True
                continue
            print(f"## {effect.code}\n\n{new.markdown}", flush=True)
            if chosen.write:
                write(effect, new)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
