"""`ms-perflint explain FILE:LINE`: why rules report something at a place, or nothing."""

from __future__ import annotations

import os
import re
import sys

from ms_perflint.codes import codes
from ms_perflint.commands.mistakes import UsageError
from ms_perflint.commands.outputs import tell
from ms_perflint.commands.progress import waiting
from ms_perflint.commands.run import line
from ms_perflint.config.per_file import Configurations
from ms_perflint.core.files import Disk, unreadable
from ms_perflint.core.reports import Problem
from ms_perflint.core.source import PYTHON, SourceError
from ms_perflint.facts.explanation import explain
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.languages import Message, say
from ms_perflint.linting.linter import Linter
from ms_perflint.report.explanation import render
from ms_perflint.report.sources import shown
from ms_perflint.report.style import for_output

PLACE = r"(?P<file>.+?):(?:cell (?P<cell>\d+):)?(?P<line>\d+)(?::\d+)?:?"  # as reports print it


def file_of(place: str) -> str:
    """Return the file of `FILE:LINE`. Raises UsageError for other texts."""
    return _parts(place)["file"]


def explain_line(place: str, configs: Configurations, output_format: str, language: str) -> int:
    """Print why rules report something on a line, or nothing; return the exit code: 0, or 2 for an unreadable file."""
    parts = _parts(place)
    path = os.path.abspath(parts["file"])
    if not path.endswith(PYTHON):
        raise UsageError(Message("{file}: not a Python file: rules check calls in Python files", file=shown(path)))
    linter = Linter(configs.of(path), Disk())
    try:
        module = linter.project.parse(path)
    except SourceError as error:
        linter.problems.append(error.problem(path))
    except OSError as error:
        linter.problems.append(Problem(path, 0, 0, unreadable(error)))
    else:
        row = _row(module, parts)
        with waiting(say(Message("Reading programs"), language)):
            found = explain(linter, module, row)
        sys.stdout.write(render(output_format, found, for_output(), language))
        sys.stdout.flush()
    for problem in linter.problems:
        tell(line(problem, language))
    return 2 if linter.problems else 0


def _parts(place: str) -> dict[str, str]:
    """Return the file, the cell and the line of a place."""
    match = re.fullmatch(PLACE, place)
    if match is None and place.upper() in codes():
        raise UsageError(Message("{code} is a rule: `ms-perflint rule {code}` explains it", code=place.upper()))
    if match is None:
        raise UsageError(Message('"{place}" is not a place: write FILE:LINE, like train.py:14', place=place))
    return match.groupdict("")


def _row(module: SemanticIndex, parts: dict[str, str]) -> int:
    """Return the row of a place in the text of its module. Raises UsageError for a missing line."""
    number, cells = int(parts["line"]), module.source.cells
    if not cells and 1 <= number < max(2, len(module.source.starts)) and not parts["cell"]:
        return number
    for cell in cells:
        if str(cell.number) == parts["cell"] and 1 <= number <= cell.rows:
            return cell.above + number
    file = shown(module.path)
    if cells and not parts["cell"]:
        raise UsageError(Message("{file} is a notebook: write {file}:cell NUMBER:LINE", file=file))
    raise UsageError(Message("{file} has no such line: {place}", file=file, place=parts["line"]))
