"""SARIF 2.1.0: for GitHub code scanning, and for the editors and servers that show it."""

from __future__ import annotations

import json
import os
from itertools import groupby

from ms_perflint import pages, published
from ms_perflint.config.settings import inside
from ms_perflint.core.findings import Edit, Finding, Fix, Place
from ms_perflint.core.reports import Problem, Unjudged
from ms_perflint.report import Outcome
from ms_perflint.report.fingerprints import fingerprints
from ms_perflint.report.page import markdown
from ms_perflint.report.root import absolute_uri, root_of, uri
from ms_perflint.report.sources import said
from ms_perflint.report.text import labelled
from ms_perflint.report.unjudged import NAME, reason
from ms_perflint.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE = "%SRCROOT%"
RANKS = {"large": 90.0, "medium": 60.0, "small": 30.0}  # what a fix may gain, as a priority of 0 to 100
Json = dict[str, object]


def render(outcome: Outcome) -> str:
    """Return the run as a SARIF log, pure ASCII."""
    return json.dumps(_Log(outcome).log(), indent=2) + "\n"


class _Log:
    """The parts of a log; paths are relative to the root where they lie below it."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.root = root_of(outcome.files)
        names = {finding.code: finding.name for finding in outcome.findings}
        self.rules = dict(sorted(names.items()))

    def log(self) -> Json:
        """Return the whole log: one run."""
        marks = fingerprints(self.outcome, self.root)
        results = [self.result(finding, mark) for finding, mark in zip(self.outcome.findings, marks)]
        run = {
            "tool": {"driver": self.driver()},
            "invocations": [self.invocation()],
            "originalUriBaseIds": {BASE: {"uri": absolute_uri(self.root).rstrip("/") + "/"}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }
        return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}

    def driver(self) -> Json:
        """Return the tool and the rules of its results."""
        return {
            "name": "ms-perflint",
            **({"informationUri": published.REPOSITORY} if published.REPOSITORY else {}),
            "version": __version__,
            "semanticVersion": __version__,
            "rules": [self.rule(code, name) for code, name in self.rules.items()],
        }

    def rule(self, code: str, name: str) -> Json:
        """Return what is said of a rule; its page where it has one."""
        gain = self.outcome.gain(code)
        expected = self.outcome.say(gain.text)
        page_url = pages.url(code, name)
        known: Json = {
            "id": code,
            "name": name,
            **({"helpUri": page_url} if page_url is not None else {}),
            "defaultConfiguration": {"level": "warning", "rank": RANKS[gain.size]},
            "properties": {"tags": ["performance", "mindspore"], "precision": "high", "expectedGain": expected},
        }
        try:
            page = pages.page(code, self.outcome.language)
        except pages.PageError:  # a rule of another package
            return {**known, "shortDescription": {"text": name}}
        texts = {"text": page.summary, "markdown": markdown(page)}
        return {
            **known,
            "shortDescription": {"text": page.summary},
            "fullDescription": {"text": page.summary},
            "help": texts,
        }

    def invocation(self) -> Json:
        """Return whether all could be read, and what could not."""
        problems = [self.notification(problem) for problem in self.outcome.problems]
        unjudged = [self.unjudged(each) for each in self.outcome.unjudged]
        return {"executionSuccessful": not problems, "toolExecutionNotifications": [*problems, *unjudged]}

    def unjudged(self, each: Unjudged) -> Json:
        """Return that a program was judged in part, for which rules, and why."""
        place = {"physicalLocation": {"artifactLocation": self.artifact(each.entry)}}
        text = self.outcome.say(reason(each))
        known = {"rules": list(each.codes), "reason": self.outcome.say(each.reason)}
        return {
            "level": "warning",
            "descriptor": {"id": NAME},
            "message": {"text": text},
            "locations": [place],
            "properties": known,
        }

    def notification(self, problem: Problem) -> Json:
        place: Json = {"artifactLocation": self.artifact(problem.path)}
        if problem.row and not problem.cell:
            place["region"] = {"startLine": problem.row, "startColumn": max(1, problem.column)}
        return {"level": "error", "message": {"text": said(problem)}, "locations": [{"physicalLocation": place}]}

    def result(self, finding: Finding, fingerprint: str) -> Json:
        """Return one finding."""
        found: Json = {
            "ruleId": finding.code,
            "ruleIndex": list(self.rules).index(finding.code),
            "level": "warning",
            "rank": RANKS[self.outcome.gain(finding.code).size],
            "message": {"text": finding.message},
            "locations": [{"physicalLocation": self.physical(finding.place, finding.end)}],
            "partialFingerprints": {"msPerflint/v1": fingerprint, "primaryLocationLineHash": fingerprint},
        }
        if finding.related:
            found["relatedLocations"] = [
                {"id": number, "physicalLocation": self.physical(each.place), "message": {"text": each.message}}
                for number, each in enumerate(finding.related, start=1)
            ]
        properties: Json = {}
        if finding.place.cell:  # people know no rows of the file
            properties["cell"] = {"number": finding.place.cell, "row": finding.place.line}
        if finding.configurations:
            properties["configurations"] = list(finding.configurations)
        if finding.help:
            properties["help"] = finding.help
        if (measured := self.outcome.measured(finding)) is not None:
            properties["measured"] = measured._asdict()
        if properties:
            found["properties"] = properties
        trusted = self.outcome.fix(finding)
        fix = self.fix(trusted) if trusted is not None else None
        return {**found, "fixes": [fix]} if fix else found

    def fix(self, fix: Fix) -> Json | None:
        """Return the fix of a finding; None when one of its files cannot be read any more."""
        changes = [self.change(path, list(edits)) for path, edits in groupby(sorted(fix.edits), lambda edit: edit.path)]
        if not all(changes):
            return None
        return {
            "description": {"text": self.outcome.say(labelled(fix))},
            "artifactChanges": changes,
            "properties": {
                "applicability": fix.safety.value,
                "reason": self.outcome.say(fix.reason) if fix.reason is not None else None,
            },
        }

    def change(self, path: str, edits: list[Edit]) -> Json | None:
        """Return what changes in one file."""
        source = self.outcome.sources.get(path)
        if source is None or source.cells:  # in a notebook it would have to be JSON
            return None
        replacements = [
            {
                "deletedRegion": _region(source.place(edit.start), source.place(edit.end)),
                "insertedContent": {"text": source.worded(edit)},
            }
            for edit in edits
        ]
        return {"artifactLocation": self.artifact(path), "replacements": replacements}

    def physical(self, place: Place, end: Place | None = None) -> Json:
        return {
            "artifactLocation": self.artifact(place.path),
            "region": _region(*map(self.outcome.sources.in_file, [place, *([end] if end else [])])),
        }

    def artifact(self, path: str) -> Json:
        based = {"uriBaseId": BASE} if inside(path, self.root) else {}
        return {"uri": uri(os.path.abspath(path), self.root), **based}


def _region(place: Place, end: Place | None = None) -> Json:
    region: Json = {"startLine": place.row, "startColumn": place.column}
    return {**region, "endLine": end.row, "endColumn": end.column} if end else region
