"""Run `ms-perflint verify` on all samples and all examples of the rule pages, and keep what came out.

python benchmarks/verified.py                       programs that are new or have changed; prints the table
python benchmarks/verified.py --all                 all programs
python benchmarks/verified.py --only MSP201 lenet   programs whose name begins with, or holds, one of these words
python benchmarks/verified.py --write               also into verified.json, README.md and the pages in rules/
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import evidence
from page_programs import DATA, ON_CPU, Tried, free_port, programs
from tables import processor_model

from ms_perflint.commands.verify import Asked, program_of
from ms_perflint.config.settings import ALL, Config
from ms_perflint.mindspore_api import parse_version
from ms_perflint.verify.measure import measure
from ms_perflint.verify.results import as_json
from ms_perflint.verify.variants import Variant, variants_of
from ms_perflint.verify.verdicts import processor

STEPS, ROUNDS, SECONDS = 20, 3, 180.0
NO_FIX = "no fix is offered"
NO_EFFECT = "the fix changes a comment, and nothing that runs"


def tried(program: Tried, data: Path, rounds: int) -> dict[str, Any]:
    """Return what `verify` says of a program, as verified.json keeps it."""
    told = {"name": program.name, "code": program.code, "key": program.key, "machine": processor_model()}
    kept: dict[str, Any] = {**told, "adapted": []}
    with _folder(program, data) as folder:
        launch = program.launch.format(port=free_port())
        asked = Asked(STEPS, rounds, each=True, launch=launch, seconds=SECONDS)
        version = parse_version(program.version) if program.version else None
        select = (program.code or ALL,)
        config = Config(root=str(folder), device="Ascend", mindspore_version=version, select=select)
        run = program_of(str(folder / program.entry), config, asked)._replace(clock=processor)
        variants, adapted = _for_cpu(variants_of(run.files, config, each=True).variants)
        reason = _reason(variants)
        if reason:
            return {**kept, "reason": reason}
        print(f"{program.name}: {rounds} x {1 + len(variants)} runs", file=sys.stderr, flush=True)
        result = as_json(measure(run, variants, rounds, lambda rules, number, total: None))
        return {**kept, "adapted": adapted, "result": {**result, "program": program.name}}


def _for_cpu(found: Sequence[Variant]) -> tuple[list[Variant], list[bool]]:
    """Return the variants, each that a CPU may refuse also as it takes it, and which of them were adapted so."""
    variants, adapted = [], []
    for each in found:
        taken = {path: _taken(Path(path).read_text(encoding="utf-8"), text) for path, text in each.contents.items()}
        variants += [each] if taken == each.contents else [each, each._replace(contents=taken)]
        adapted += [False] if taken == each.contents else [False, True]
    return variants, adapted


def _taken(before: str, after: bytes) -> bytes:
    """Return what a fix makes of a file, with what it brings that a CPU refuses replaced."""
    text = after.decode("utf-8")
    for accelerator, cpu in ON_CPU:
        if text.count(accelerator) > before.count(accelerator):
            text = text.replace(accelerator, cpu)
    return text.encode("utf-8")


def _reason(variants: Sequence[Variant]) -> str:
    """Return why there is nothing to measure; "" where there is."""
    changed = [(path, content) for each in variants for path, content in each.contents.items()]
    if not changed:
        return next((str(each.reason) for each in variants if each.reason), NO_FIX)
    return "" if any(_meaning(Path(path).read_bytes()) != _meaning(content) for path, content in changed) else NO_EFFECT


def _meaning(content: bytes) -> str:
    """Return what a Python file says without its comments; of another file its text."""
    try:
        return ast.dump(ast.parse(content))
    except (SyntaxError, ValueError):
        return content.decode("utf-8", "replace")


@contextmanager
def _folder(program: Tried, data: Path) -> Iterator[Path]:
    """Give a folder with a program and its data, as the working directory; it goes afterwards."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="verified-") as name:
        folder = Path(name).resolve() / "program"
        shutil.copytree(data, folder)
        for path, text in program.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


@contextmanager
def _data() -> Iterator[Path]:
    """Give a folder with what the programs of the pages read."""
    with tempfile.TemporaryDirectory(prefix="verified-data-") as folder:
        subprocess.run([sys.executable, str(DATA)], cwd=folder, check=True, capture_output=True)
        yield Path(folder)


def _kept() -> dict[str, dict[str, Any]]:
    """Return what is known of programs as they are now, by their names: a program may have got another number."""
    known = {(each["code"], each["key"]): each for each in evidence.load()}
    return {
        each.name: {**known[each.code, each.key], "name": each.name}
        for each in programs()
        if (each.code, each.key) in known
    }


def _wanted(chosen: argparse.Namespace, kept: Mapping[str, object]) -> list[Tried]:
    """Return the programs to run."""
    named = [each for each in programs() if not chosen.only or any(word in each.name for word in chosen.only)]
    return named if chosen.all or chosen.only else [each for each in named if each.name not in kept]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write as the command line says; return the exit code."""
    parser = argparse.ArgumentParser(description="Run verify on all samples and all examples of the rule pages.")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="programs with this word in their name")
    parser.add_argument("--all", action="store_true", help="also programs that have not changed")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"runs of each variant (default: {ROUNDS})")
    parser.add_argument("--write", action="store_true", help="keep the results, and put them on the pages")
    chosen = parser.parse_args(arguments)
    kept = _kept()
    with _data() as data:
        for program in _wanted(chosen, kept):
            kept[program.name] = tried(program, data, chosen.rounds)
            if chosen.write:  # after each one: a run of all takes half an hour
                evidence.save([kept[each.name] for each in programs() if each.name in kept])
    found = [kept[each.name] for each in programs() if each.name in kept]
    print(evidence.table(found))
    if chosen.write:
        evidence.save(found)
        evidence.write(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
