"""`ms-perflint verify`: the measured effects of a script's fixes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

from ms_perflint.commands.mistakes import UsageError
from ms_perflint.commands.outputs import Output, tell, write
from ms_perflint.commands.run import line
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk
from ms_perflint.core.source import NOTEBOOK, PYTHON
from ms_perflint.facts.reader import Reader
from ms_perflint.facts.surroundings import config_files
from ms_perflint.languages import Message, say
from ms_perflint.linting.linter import Linter
from ms_perflint.report.sources import shown
from ms_perflint.report.style import PLAIN, for_output
from ms_perflint.report.verify import render
from ms_perflint.training.devices import measured_devices, target_of
from ms_perflint.verify.kept import keep
from ms_perflint.verify.lookup import NAME
from ms_perflint.verify.measure import Program, has_mindspore, measure, where
from ms_perflint.verify.results import Result
from ms_perflint.verify.variants import Variant, variants_of

LINES = 20  # shown lines of the output of a failed program


class Asked(NamedTuple):
    """The options of the command line."""

    steps: int = 20
    rounds: int = 3
    each: bool = False
    launch: str = ""
    seconds: float = 600.0
    python: str = sys.executable
    arguments: tuple[str, ...] = ()
    output: Output = Output("text")
    quiet: bool = False


def verify(path: str, config: Config, asked: Asked, language: str) -> int:
    """Measure a program, print the effects of its fixes; return the exit code: 0, or 2 if the program fails."""
    entry = os.path.abspath(path)
    if not os.path.isfile(entry) or not entry.endswith(PYTHON) or entry.endswith(NOTEBOOK):
        raise UsageError(Message("{path}: no Python script: name the one that starts the program", path=path))
    _check_python(asked)
    program = program_of(entry, config, asked)
    found = variants_of(program.files, config, asked.each)
    for problem in found.problems:
        tell(line(problem, language))
    if not any(variant.contents for variant in found.variants):
        said = Message("{file}: nothing to measure: no fix is offered", file=shown(entry))
        if found.variants:
            said = Message("{file}: nothing to measure: all fixes are display-only; try --each", file=shown(entry))
        tell(say(said, language))
        return 0

    def progress(rules: str, number: int, total: int) -> None:
        if not asked.quiet:
            what = Message("with the fixes of {rules}", rules=rules) if rules else Message("as it is")
            said = Message("run {number} of {total}: {what}", number=number, total=total, what=what)
            tell(say(said, language))

    result = measure(program, found.variants, asked.rounds, progress)
    if result.error:
        _tell_failure(result, language)
        return 2
    _keep(program, result, found.variants, language)
    style = for_output() if asked.output.file is None else PLAIN
    write(render(asked.output.format, result, style, language), asked.output.file)
    return 0


def _check_python(asked: Asked) -> None:
    """Raise UsageError where the interpreter has no MindSpore."""
    has = has_mindspore(asked.python)
    if has is None:
        raise UsageError(Message("{python} cannot be run: name another interpreter with --python", python=asked.python))
    if not has:
        text = Message("{python} has no MindSpore: name the interpreter that trains with --python", python=asked.python)
        raise UsageError(text)


def program_of(entry: str, config: Config, asked: Asked) -> Program:
    """Return the program of a script, with the way to run it."""
    read = Linter(config, Disk()).program(entry)
    documents = tuple({each.place.path for each in config_files(Reader(read)).evidence} - set(read.files))
    files, python = read.files, asked.python
    devices = measured_devices(target_of(read))
    return Program(
        entry, files, documents, asked.arguments, asked.launch, python, asked.steps, asked.seconds, devices=devices
    )


def _keep(program: Program, result: Result, variants: Sequence[Variant], language: str) -> None:
    """Store a result in its project for later runs of `check`."""
    project = where(program).project
    files = [*program.files, *program.documents, *([program.launch] if os.path.isfile(program.launch) else [])]
    try:
        keep(project, files, result, variants, program.devices)
    except OSError as error:
        place = shown(os.path.join(project, NAME))
        tell(say(Message("{file} was not written: {reason}", file=place, reason=error.strerror), language))


def _tell_failure(result: Result, language: str) -> None:
    """Print the error of the unchanged program, and the end of its output."""
    for row in result.output.rstrip().splitlines()[-LINES:]:
        tell(f"  {row}")
    reason = say(result.error, language)
    said = Message("{file}: error: the unchanged program: {reason}", file=shown(result.program), reason=reason)
    tell(say(said, language))
