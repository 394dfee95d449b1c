"""JUnit's XML, which CI servers show as tests: a suite for each file, a failed case for each finding."""

from __future__ import annotations

import os
import re
from itertools import groupby
from xml.etree import ElementTree

from ms_perflint import pages
from ms_perflint.core.findings import Finding
from ms_perflint.core.reports import Problem, Unjudged
from ms_perflint.report import Outcome
from ms_perflint.report.root import below, root_of
from ms_perflint.report.sources import said, spot
from ms_perflint.report.text import block
from ms_perflint.report.unjudged import reason

TOOL = "ms-perflint"
UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 has no way to say


def render(outcome: Outcome) -> str:
    """Return the report as XML, pure ASCII; without findings it is one case that passed."""
    root = root_of(outcome.files)
    found, problems, skipped = len(outcome.findings), len(outcome.problems), len(outcome.unjudged)
    counts = {"tests": str(max(1, found + problems + skipped)), "failures": str(found), "errors": str(problems)}
    counts["skipped"] = str(skipped)
    suites = ElementTree.Element("testsuites", {"name": TOOL, **counts})
    for path, findings in groupby(outcome.findings, key=lambda finding: finding.place.path):
        _suite(suites, below(path, root), list(findings), outcome)
    for problem in outcome.problems:
        _problem(suites, problem, root)
    for each in outcome.unjudged:
        _unjudged(suites, each, root, outcome)
    if not len(suites):
        suite = ElementTree.SubElement(suites, "testsuite", {"name": TOOL, "tests": "1", "failures": "0"})
        ElementTree.SubElement(suite, "testcase", {"name": "No findings", "classname": TOOL})
    ElementTree.indent(suites)
    document: bytes = ElementTree.tostring(suites, "us-ascii", xml_declaration=True)
    return document.decode("ascii") + "\n"


def _suite(suites: ElementTree.Element, path: str, findings: list[Finding], outcome: Outcome) -> None:
    number = str(len(findings))
    suite = ElementTree.SubElement(suites, "testsuite", {"name": _text(path), "tests": number, "failures": number})
    for finding in findings:
        place = outcome.sources.in_file(finding.place)
        where = {"file": _text(path), "line": str(place.row), "column": str(place.column)}
        name = f"{finding.code} {finding.name} ({spot(finding.place)})"
        case = ElementTree.SubElement(suite, "testcase", {"name": name, "classname": _class(path), **where})
        failure = {"message": _text(finding.message), "type": finding.code}
        lines = [*block(finding, outcome), "", pages.reference(finding.code, finding.name)]
        ElementTree.SubElement(case, "failure", failure).text = _text("\n".join(lines))


def _problem(suites: ElementTree.Element, problem: Problem, root: str) -> None:
    path = _text(below(problem.path, root))
    suite = ElementTree.SubElement(suites, "testsuite", {"name": path, "tests": "1", "errors": "1"})
    where = {"file": path, **({"line": str(problem.row)} if problem.row and not problem.cell else {})}
    name = f"cell {problem.cell} can be read" if problem.cell else "can be read"
    case = ElementTree.SubElement(suite, "testcase", {"name": name, "classname": _class(path), **where})
    ElementTree.SubElement(case, "error", {"message": _text(said(problem)), "type": "error"})


def _unjudged(suites: ElementTree.Element, each: Unjudged, root: str, outcome: Outcome) -> None:
    path = _text(below(each.entry, root))
    suite = ElementTree.SubElement(suites, "testsuite", {"name": path, "tests": "1", "skipped": "1"})
    where = {"name": "is judged in full", "classname": _class(path), "file": path}
    case = ElementTree.SubElement(suite, "testcase", where)
    ElementTree.SubElement(case, "skipped", {"message": _text(outcome.say(reason(each)))})


def _class(path: str) -> str:
    """Return a path as servers show it: dots make packages."""
    return _text(os.path.splitext(path)[0].replace("/", ".").strip("."))


def _text(text: str) -> str:
    return UNPRINTABLE.sub("\ufffd", text)
