"""Workflow commands: GitHub shows each finding at its line of a pull request.

Of the values `%`, line ends, and in properties also `:` and `,` are escaped, as the runner reads them.
"""

from __future__ import annotations

from ms_perflint import pages
from ms_perflint.core.findings import Finding
from ms_perflint.core.reports import Problem, Unjudged
from ms_perflint.report import Outcome
from ms_perflint.report.root import below, root_of
from ms_perflint.report.sources import spot, spot_of
from ms_perflint.report.text import HELP
from ms_perflint.report.unjudged import reason

IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTY = {**IN_TEXT, ":": "%3A", ",": "%2C"}


def render(outcome: Outcome) -> str:
    """Return one command for each finding, each file that could not be read, and each program judged in part."""
    root = root_of(outcome.files)
    lines = [_finding(finding, outcome, root) for finding in outcome.findings]
    lines += [_problem(problem, root) for problem in outcome.problems]
    lines += [_unjudged(each, outcome, root) for each in outcome.unjudged]
    return "".join(f"{line}\n" for line in lines)


def _finding(finding: Finding, outcome: Outcome, root: str) -> str:
    path = below(finding.place.path, root)
    place, end = map(outcome.sources.in_file, (finding.place, finding.end))
    where = {"file": path, "line": str(place.row)}
    if place.row == end.row:  # columns of several lines mean nothing to GitHub
        where.update(col=str(place.column), endColumn=str(end.column))
    else:
        where.update(endLine=str(end.row))
    text = f"{path}:{spot(finding.place)}: {finding.code} {finding.message}"
    advice = finding.fix.message if finding.fix else finding.help
    help_text = f"\n{outcome.say(HELP)}: {advice}" if advice else ""
    page = f"\n{pages.reference(finding.code, finding.name)}"
    return command("warning", f"ms-perflint ({finding.code})", where, f"{text}{help_text}{page}")


def _problem(problem: Problem, root: str) -> str:
    path = below(problem.path, root)
    where = {"file": path, **({"line": str(problem.row)} if problem.row and not problem.cell else {})}
    return command("error", "ms-perflint", where, f"{path}{spot_of(problem)}: {problem.message}")


def _unjudged(each: Unjudged, outcome: Outcome, root: str) -> str:
    path = below(each.entry, root)
    return command("notice", "ms-perflint", {"file": path, "line": "1"}, f"{path}: {outcome.say(reason(each))}")


def command(name: str, title: str, where: dict[str, str], text: str) -> str:
    """Return a workflow command."""
    properties = ",".join(f"{key}={_escaped(value, IN_PROPERTY)}" for key, value in {"title": title, **where}.items())
    return f"::{name} {properties}::{_escaped(text, IN_TEXT)}"


def _escaped(text: str, characters: dict[str, str]) -> str:
    return "".join(characters.get(character, character) for character in text)
