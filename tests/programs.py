"""Small training programs as text, with the lines that a rule reports.

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Union

import pytest

from ms_perflint.config.settings import Config
from ms_perflint.core.files import Files, Nowhere, Overlay
from ms_perflint.core.findings import Finding
from ms_perflint.core.reports import Report
from ms_perflint.engine import lint
from ms_perflint.fixes.fixing import Settled, settle
from ms_perflint.program.program import Program as Analysed
from ms_perflint.program.target import Target
from ms_perflint.resolve.project import Project

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
        """Return the number of findings on each marked line, and the grades of their fixes if given."""
        found = {}
        for name, text in self.files.items():
            for row, line in enumerate(text.splitlines(), 1):
                if marker := MARKER.search(line):
                    found[name, row] = len(marker["findings"]), marker["safety"]
        return found

    def lint(self, code: str) -> Report:
        """Return the findings of the rule `code`, with all files in an overlay over an empty disk."""
        return self._lint(code)(self._overlay())

    def fix(self, code: str) -> Settled:
        """Return the program after all fixes of the rule `code` that may be applied."""
        return settle(self._lint(code), self._overlay(), self._config(code), unsafe=True)

    def _lint(self, code: str) -> Callable[[Files], Report]:
        """Return the question what the engine reports of the rule `code` in some state of the files."""
        paths = sorted(_path(name) for name in self.files if name.endswith(PYTHON))
        return lambda files: lint(paths, self._config(code), files)

    def _overlay(self) -> Overlay:
        """Return the files without their markers, as an overlay over an empty disk."""
        return Overlay(Nowhere(), {_path(name): MARKER.sub("", text).encode() for name, text in self.files.items()})

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
    return pytest.param(Program(files, version, device, options or {}), id=re.sub(r"[^\w.]+", "-", name))


def expect(code: str, program: Program) -> None:
    """Compare the findings of the rule `code` with the marked lines; nothing may go wrong on the way."""
    __tracebackhide__ = True
    report = program.lint(code)
    assert not report.problems, [problem.message for problem in report.problems]
    assert {finding.code for finding in report.findings} <= {code}
    assert all(finding.fix is not None or finding.help for finding in report.findings), "without a word on what to do"
    found: dict[Line, list[Finding]] = {}
    for finding in report.findings:
        found.setdefault((_name(finding.place.path), finding.place.row), []).append(finding)
    expected = program.expected()
    wrong = []
    for file, row in sorted({*expected, *found}):
        here = found.get((file, row), [])
        count, safety = expected.get((file, row), (0, None))
        if len(here) != count or (safety is not None and _safeties(here) != {safety}):
            wanted = f"{count} finding(s)" + (f", {safety}" if safety else "")
            wrong.append(f"{file}:{row}: expected {wanted}; found {_explain(here)}")
    assert not wrong, "\n" + "\n".join(wrong)


def analysed(files: Mapping[str, str], entry: str = "train.py", target: Target = Target()) -> Analysed:  # noqa: B008
    """Return the program of an entry script among several files, to ask it what it does."""
    contents = {_path(name): _flush(text).encode() for name, text in files.items()}
    return Analysed(Project(Overlay(Nowhere(), contents)), _path(entry), target)


def fires(code: str, program: Program) -> None:
    """Like `expect`, for a program that has something to report; what can be fixed is fixed, and stays so."""
    __tracebackhide__ = True
    assert program.expected(), "mark the reported lines"
    expect(code, program)
    settled = program.fix(code)
    assert not settled.problems, [problem.message for problem in settled.problems]
    left = [finding for finding in settled.report.findings if not _safeties([finding]) <= {"display-only", "no fix"}]
    assert not left, f"not fixed: {_explain(left)}"


def quiet(code: str, program: Program) -> None:
    """Like `expect`, for a program in which the rule keeps silent."""
    __tracebackhide__ = True
    assert not program.expected(), "a quiet program has no marked lines"
    expect(code, program)


def _safeties(findings: Sequence[Finding]) -> set[str]:
    """Return the safety words of the findings' fixes, "no fix" where there is none."""
    return {finding.fix.safety.value if finding.fix else "no fix" for finding in findings}


def _path(name: str) -> str:
    """Return the path of a program's file."""
    return os.path.join(ROOT, *name.split("/"))


def _name(path: str) -> str:
    """Return the name under which a program holds the file at `path`."""
    return os.path.relpath(path, ROOT).replace(os.sep, "/")


def _explain(findings: Sequence[Finding]) -> str:
    """Return the findings on one line, for a failing test."""
    found = [f"{finding.message!r} ({', '.join(_safeties([finding]))})" for finding in findings]
    return ", ".join(found) or "nothing"


def _flush(text: str) -> str:
    """Return a text written as an indented block string, moved to the left margin."""
    return textwrap.dedent(text).lstrip("\n")
