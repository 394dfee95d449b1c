"""Small training programs as text, and the question which of their lines a rule reports.

A program is one text (it becomes `train.py`) or several files by name. Expected lines carry a marker at their end:

    model.train(10, dataset)  # !            one finding starts on this line
    y = cast(cast(x, t), t)  # !!            two findings start on it
    model.train(10, dataset)  # ! unsafe     ... and its fix has this safety: safe, unsafe, display-only, or "no fix"

Markers are taken off before the program is linted, so they can never speak for themselves.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Union

import pytest

from ms_perflint.config import Config
from ms_perflint.engine import Report, lint
from ms_perflint.findings import Finding
from ms_perflint.source import Nowhere, Overlay

ROOT = os.path.join(os.sep, "program")
MARKER = re.compile(r"[ \t]*# (?P<findings>!+)(?: (?P<safety>safe|unsafe|display-only|no fix))?[ \t]*$", re.MULTILINE)
PYTHON = (".py", ".ipynb")

Text = Union[str, Mapping[str, str]]
Line = tuple[str, int]  # name of the file, row from 1


@dataclass(frozen=True)
class Program:
    """What is linted (file name -> text with markers) and for which target."""

    files: Mapping[str, str]
    version: tuple[int, ...] | None = None
    device: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)

    def expected(self) -> dict[Line, tuple[int, str | None]]:
        """Return how many findings start on each marked line, and the safety of their fix where it is named."""
        found = {}
        for name, text in self.files.items():
            for row, line in enumerate(text.splitlines(), 1):
                if marker := MARKER.search(line):
                    found[name, row] = len(marker["findings"]), marker["safety"]
        return found

    def lint(self, code: str) -> Report:
        """Return what the engine reports of the rule `code`, with every file laid over an empty disk."""
        contents = {os.path.join(ROOT, *name.split("/")): MARKER.sub("", text) for name, text in self.files.items()}
        paths = sorted(path for path in contents if path.endswith(PYTHON))
        overlay = Overlay(Nowhere(), {path: text.encode() for path, text in contents.items()})
        return lint(paths, self._config(code), overlay)

    def _config(self, code: str) -> Config:
        """Return a configuration that selects only `code`, for this program's target."""
        return Config(
            root=ROOT,
            select=(code,),
            mindspore_version=self.version,
            device=self.device,
            options={code: dict(self.options)},
        )


def join(*texts: str) -> str:
    """Return texts written as indented block strings as one text at the left margin."""
    return "".join(_flush(text) for text in texts)


def case(
    name: str,
    *text: Text,
    version: tuple[int, ...] | None = None,
    device: str | None = None,
    options: Mapping[str, object] | None = None,
) -> object:
    """Return a named parameter for a list of programs.

    Several texts are one `train.py`, joined in their order, so that cases can share a beginning;
    one mapping is a program of several files.
    """
    files: Mapping[str, str]
    if len(text) == 1 and isinstance(text[0], Mapping):
        files = {file: _flush(content) for file, content in text[0].items()}
    else:
        files = {"train.py": join(*(part for part in text if isinstance(part, str)))}
    return pytest.param(Program(files, version, device, options or {}), id=name.replace(" ", "-"))


def expect(code: str, program: Program) -> None:
    """Compare the findings of the rule `code` with the marked lines; nothing may go wrong on the way."""
    report = program.lint(code)
    assert not report.problems, [problem.message for problem in report.problems]
    found: dict[Line, list[Finding]] = {}
    for finding in report.findings:
        assert finding.code == code
        found.setdefault((_name(finding.place.path), finding.place.row), []).append(finding)
    expected = program.expected()
    counts = {line: len(findings) for line, findings in found.items()}
    assert counts == {line: count for line, (count, _) in expected.items()}, _explain(report.findings)
    for line, (_, safety) in expected.items():
        if safety is not None:
            assert _safeties(found[line]) == {safety}, _explain(found[line])


def fires(code: str, program: Program) -> None:
    """Like `expect`, for a program that has something to report."""
    assert program.expected(), "mark the reported lines"
    expect(code, program)


def quiet(code: str, program: Program) -> None:
    """Like `expect`, for a program in which the rule keeps silent."""
    assert not program.expected(), "a quiet program has no marked lines"
    expect(code, program)


def _safeties(findings: Sequence[Finding]) -> set[str]:
    """Return the safety words of the findings' fixes, "no fix" where there is none."""
    return {finding.fix.safety.value if finding.fix else "no fix" for finding in findings}


def _name(path: str) -> str:
    """Return the name under which a program holds the file at `path`."""
    return os.path.relpath(path, ROOT).replace(os.sep, "/")


def _explain(findings: Sequence[Finding]) -> str:
    """Return what was found, one line each, for a failing test."""
    lines = [
        f"{_name(finding.place.path)}:{finding.place.row}: {finding.code} {finding.message}"
        f" ({', '.join(sorted(_safeties([finding])))})"
        for finding in findings
    ]
    return "found:\n" + "\n".join(lines or ["nothing"])


def _flush(text: str) -> str:
    """Return a text written as an indented block string, moved to the left margin."""
    return textwrap.dedent(text).lstrip("\n")
