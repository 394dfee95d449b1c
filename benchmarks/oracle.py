#!/usr/bin/env python3
"""Print what the evaluator says of every argument of every call: for changes that must not change any answer.

usage: oracle.py [--shuffle SEED | --lost] [--programs N] FOLDER...

Each line is a program, the number of its questions, and a digest of all answers. Two builds that print the same lines
give the same answers; so do two orders of the questions, which `--shuffle` draws at random. With `--programs N` only
N entry scripts of each folder are asked, drawn by a fixed seed. `--verbose` prints each question with its answer.

With `--lost` it prints the findings that a program of an entry script in a folder gives, and a check of the folder does
not report: there should be none.
"""

from __future__ import annotations

import ast
import os
import random
from collections.abc import Iterator

import click

from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk, Files
from ms_perflint.core.fingerprints import digest
from ms_perflint.core.stacks import with_room
from ms_perflint.discovery import discover
from ms_perflint.engine import lint
from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer.alternatives import Instance
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.linting.linter import HELD_AT_MOST, Linter
from ms_perflint.linting.prefilter import MARK
from ms_perflint.program.program import Program
from ms_perflint.program.target import Target
from ms_perflint.resolve.project import Project

Question = tuple[str, ast.expr, Scope]  # where it stands, what it asks about


def questions(program: Program) -> list[Question]:
    """Return a question for each argument of each call in the files of a program, in the order of the source."""
    found: list[Question] = []
    for module in program.modules:
        for site in module.sites:
            if isinstance(site.node, ast.Call):
                for value in (*site.node.args, *(keyword.value for keyword in site.node.keywords)):
                    node = value.value if isinstance(value, ast.Starred) else value
                    found.append((f"{module.path}:{node.lineno}:{node.col_offset}", node, site.scope))
    return found


def answers(program: Program, seed: int | None = None) -> dict[str, str]:
    """Return the answer to each question of a program, asked in the order of the source or in a random one."""
    asked = questions(program)
    if seed is not None:
        random.Random(seed).shuffle(asked)
    found = {place: shown(program.value(node, scope)) for place, node, scope in asked}
    return dict(sorted(found.items()))


def shown(value: Value) -> str:
    """Return a value as a text that tells it from all others."""
    known = sorted(map(_shown, value.alternatives))
    return " | ".join([*known, *(["..."] if value.open else []), *(["?"] if value.overridable else [])])


def _shown(known: Alternative) -> str:
    place = known.place
    what = repr(known.constant) if known.constant is not NO_CONSTANT else known.api or type(known.what).__name__
    if isinstance(known.what, Instance):
        what = f"{known.type_api or getattr(known.what.type, 'name', '')}()"
    by_default = "" if known.by_default else "~"
    return f"{by_default}{what}@{os.path.basename(place.path)}:{place.row}:{place.column}"


def programs(folder: str, files: Files, most: int | None, only_marked: bool = True) -> Iterator[str]:
    """Yield the files of a folder, or those that speak of MindSpore, each as the entry script of a program."""
    paths = [path for path in discover([folder], Config(folder)).files if not only_marked or MARK in files.read(path)]
    yield from paths if most is None or len(paths) <= most else sorted(random.Random(0).sample(paths, most))


def lost(folder: str, most: int | None) -> Iterator[str]:
    """Yield the findings that programs of a folder give, and a check of the folder does not report."""
    config, files = Config(folder), Disk()
    told = {
        (each.place, each.code)
        for each in lint(discover([folder], config).files, config, jobs=os.cpu_count() or 1).findings
    }
    linter = Linter(config, files)
    count = 0
    for entry in programs(folder, files, most, only_marked=False):
        if linter.project.entries.is_entry(entry):
            found = with_room(lambda: list(linter.of_program(entry)))  # noqa: B023 it is called at once
            for finding, is_hidden in found:
                if not is_hidden and (finding.place, finding.code) not in told:
                    place = f"{os.path.relpath(finding.place.path, folder)}:{finding.place.row}:{finding.place.column}"
                    yield f"{place} {finding.code} by {os.path.relpath(entry, folder)}"
            count += 1
            if linter.project.size > HELD_AT_MOST:
                linter.close()
    yield f"{folder}: {count} programs, {len(told)} findings"


@click.command(help=__doc__)
@click.option("--shuffle", type=int, help="Ask in the random order of this seed.")
@click.option("--lost", "asks_lost", is_flag=True, help="Print what a check of a folder does not report.")
@click.option("--programs", "most", type=int, help="Ask so many programs of each folder.")
@click.option("--verbose", is_flag=True, help="Print each question with its answer.")
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True))
def main(shuffle: int | None, asks_lost: bool, most: int | None, verbose: bool, folders: tuple[str, ...]) -> None:
    """Print a line for each program."""
    files = Disk()
    for folder in map(os.path.abspath, folders):
        for line in lost(folder, most) if asks_lost else ():
            click.echo(line)
        for entry in programs(folder, files, most) if not asks_lost else ():
            project = Project(files)
            try:
                project.parse(entry)
            except Exception:  # no Python
                continue
            program = Program(project, entry, Target())
            found = with_room(lambda: answers(program, shuffle))  # noqa: B023 it is called at once
            told = "\n".join(f"{place.replace(folder, '')} {answer}" for place, answer in found.items())
            click.echo(f"{os.path.relpath(entry, folder)} {len(found)} {digest(told.encode('utf-8', 'replace')).hex()}")
            if verbose and told:
                click.echo(told)
            project.close()


if __name__ == "__main__":
    main()
