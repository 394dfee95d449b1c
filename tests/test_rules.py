"""Every block of every rule page is run, and every page agrees with its check.

What the blocks of a page (`rules/*.md`; further programs in `tests/checks/*.md`; read by `ms_perflint.pages`) promise:

- `bad`: the rule of the page, and no other, reports exactly the lines that end in `# !`. What follows says what
  becomes of it: a `good` block, the program after `--fix --unsafe-fixes`, byte for byte (with `file=` only the files
  that change); a `diff` block, the lines that a display-only fix shows; neither, and then there is no fix.
- `good`, `ok`: no rule reports anything, and fixing changes nothing.
- `mindspore-version=` and `device=` are the target of a block; without them it is the default target.
- Everything parses. The bold word that opens **Fix safety** is the safety of the check.
"""

from __future__ import annotations

import ast
import difflib
import os
import re
from dataclasses import dataclass

import pytest
import yaml
from examples import examples, sources
from programs import MARKER, ROOT

from ms_perflint import pages
from ms_perflint.check import checks
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.core.findings import Finding, Safety
from ms_perflint.core.reports import Report
from ms_perflint.core.source import Source
from ms_perflint.engine import lint
from ms_perflint.fixes.fixing import settle
from ms_perflint.pages import Example, Page

CODES = pages.codes()
CHECKS = {check.code: check for check in checks()}
DIFF = re.compile(r"^```diff\n(?P<lines>.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = (
    "Why it is slow",
    "Evidence",
    "Example",
    "After the fix",
    "Fix safety",
    "When it is fine",
    "Options",
    "Versions and devices",
    "References",
)
OPTIONAL = {"Evidence", "Options", "Versions and devices"}
LONGEST = 120  # lines of a page, without what scripts write into it
WRITTEN = re.compile(r"\n?<!-- (?P<what>[a-z]+) of [^\n]*-->\n.*?<!-- end of (?P=what) -->\n", re.DOTALL)

Texts = dict[str, str]  # file name -> text


@dataclass(frozen=True, repr=False)
class Case:
    """One program of a page, and what the page says becomes of it."""

    page: Page
    example: Example
    marked: frozenset[tuple[str, int]]  # (file name, row) of each `# !`
    texts: tuple[tuple[str, str], ...]  # without the markers
    fixed: tuple[tuple[str, str], ...] | None = None  # what the `good` block behind it makes of it
    shown: tuple[str, ...] | None = None  # the lines of the `diff` block behind it

    @property
    def config(self) -> Config:
        """Return the configuration with every rule on, for the target that the block names."""
        version = self.example.options.get("mindspore-version")
        return Config(
            root=ROOT,
            mindspore_version=tuple(int(part) for part in version.split(".")) if version else None,
            device=self.example.options.get("device"),
            extend_select=tuple(CODES),
        )

    def lint(self) -> Report:
        """Return what the engine reports for the whole program."""
        return lint(_paths(dict(self.texts)), self.config, _files(dict(self.texts)))


def _path(name: str) -> str:
    """Return where a file of a program lies."""
    return os.path.join(ROOT, *name.split("/"))


def _paths(texts: Texts) -> list[str]:
    """Return the Python files of a program, sorted."""
    return sorted(_path(name) for name in texts if name.endswith(".py"))


def _files(texts: Texts) -> Overlay:
    """Return a disk that holds this program and nothing else."""
    return Overlay(Nowhere(), {_path(name): text.encode() for name, text in texts.items()})


def _name(path: str) -> str:
    """Return the name of a file as the page spells it."""
    return os.path.relpath(path, ROOT).replace(os.sep, "/")


def _case(page: Page, example: Example, base: Texts) -> Case:
    """Return the case of one example; a `good` one stands on the files of the `bad` one before it."""
    marked = {
        (name, row)
        for name, text in example.files
        for row, line in enumerate(text.splitlines(), start=1)
        if MARKER.search(line)
    }
    texts = {**base, **{name: MARKER.sub("", text) for name, text in example.files}}
    return Case(page, example, frozenset(marked), tuple(texts.items()))


def _cases(page: Page) -> list[Case]:
    """Return all cases of a page in its order."""
    diffs = {page.text.count("\n", 0, match.start()) + 1: match["lines"] for match in DIFF.finditer(page.text)}
    ends = [example.row for example in page.examples[1:]] + [len(page.text)]
    found: list[Case] = []
    before: Example | None = None
    for example, end in zip(page.examples, ends):
        pair = example.kind == "good" and before is not None and before.kind == "bad"
        case = _case(page, example, dict(found[-1].texts) if pair else {})
        if pair:
            bad = found.pop()
            fixed = case.texts if bad.shown is None else None  # a fix that is only shown is made by hand
            found.append(Case(bad.page, bad.example, bad.marked, bad.texts, fixed=fixed, shown=bad.shown))
        shown = [lines for row, lines in diffs.items() if example.row < row < end]
        if shown:
            case = Case(page, example, case.marked, case.texts, shown=tuple(shown[0].splitlines()))
        found.append(case)
        before = example
    return found


CASES = [case for code in CODES for page in sources(code) for case in _cases(page)]


def _over(cases: list[Case]) -> pytest.MarkDecorator:
    """Return the parametrization over these cases, named by page and row; `+` is the page in `tests/checks/`."""
    names = [f"{case.page.code}{'' if 'Example' in case.page.sections else '+'}:{case.example.row}" for case in cases]
    return pytest.mark.parametrize("case", cases, ids=names)


def _explain(report: Report) -> list[str]:
    """Return findings and problems as lines, for a failing test."""
    found = [f"{_name(it.place.path)}:{it.place.row}: {it.code} {it.message}" for it in report.findings]
    return found + [f"{_name(it.path)}:{it.row}: {it.message}" for it in report.problems]


def _fixed(case: Case, texts: Texts) -> Texts:
    """Return the program after `--fix --unsafe-fixes`."""
    settled = settle(lambda files: lint(_paths(texts), case.config, files), _files(texts), case.config, unsafe=True)
    assert not settled.problems, [problem.message for problem in settled.problems]
    return {**texts, **{_name(change.path): change.after.decode() for change in settled.changes}}


def _shown(case: Case, finding: Finding) -> list[str]:
    """Return the lines that the fix of a finding takes away (-) and brings (+)."""
    assert finding.fix is not None
    lines: list[str] = []
    for name, text in case.texts:
        here = [edit for edit in finding.fix.edits if edit.path == _path(name)]
        after = Source(_path(name), text.encode()).spliced(here)
        diff = difflib.unified_diff(text.splitlines(), after.decode().splitlines(), lineterm="", n=0)
        lines += [line for line in diff if not line.startswith(("---", "+++", "@@"))]
    return lines


@_over([case for case in CASES if case.example.kind == "bad"])
def test_bad_is_reported(case: Case) -> None:
    """Only the rule of the page speaks, at the marked lines and nowhere else."""
    assert case.marked, "mark the reported lines with `# !`"
    report = case.lint()
    found = [(it.code, _name(it.place.path), it.place.row) for it in report.findings]
    assert found == [(case.page.code, *line) for line in sorted(case.marked)], _explain(report)
    assert not report.problems, _explain(report)


@_over([case for case in CASES if case.example.kind != "bad"])
def test_good_and_ok_are_quiet(case: Case) -> None:
    """No rule says anything, and so fixing has nothing to do."""
    assert not case.marked
    report = case.lint()
    assert not report.findings and not report.problems, _explain(report)


@_over([case for case in CASES if case.fixed is not None])
def test_fix_makes_the_good_of_the_bad(case: Case) -> None:
    """The page shows what `--fix --unsafe-fixes` writes, to the byte; a second run changes nothing."""
    fixed = _fixed(case, dict(case.texts))
    for name, text in case.fixed or ():
        assert fixed[name] == text
    assert _fixed(case, fixed) == fixed


@_over([case for case in CASES if case.shown is not None])
def test_shown_fix_is_never_made(case: Case) -> None:
    """The page shows the lines of the display-only fix, and `--unsafe-fixes` leaves the program as it is."""
    for finding in case.lint().findings:
        assert finding.fix is not None and finding.fix.safety is Safety.DISPLAY
        assert _shown(case, finding) == list(case.shown or ())
    assert _fixed(case, dict(case.texts)) == dict(case.texts)


@_over([case for case in CASES if case.example.kind == "bad" and case.fixed is None and case.shown is None])
def test_bad_without_fix_has_none(case: Case) -> None:
    """A page that shows no fix behind a bad program means it."""
    assert [finding.fix for finding in case.lint().findings] == [None] * len(case.marked)
    assert _fixed(case, dict(case.texts)) == dict(case.texts)


@_over(CASES)
def test_everything_parses(case: Case) -> None:
    for name, text in case.texts:
        if name.endswith(".py"):
            assert ast.parse(text).body
        else:
            assert yaml.safe_load(text)


def test_pages_and_checks_are_one_to_one() -> None:
    names = {page.code: page.name for page in map(pages.page, CODES)}
    assert names == {code: check.name for code, check in CHECKS.items()}
    found = [name for name in os.listdir(pages.folder()) if name.endswith(".md")]
    assert sorted(found) == [f"{code}-{name}.md" for code, name in sorted(names.items())]


@pytest.mark.parametrize("code", CODES)
def test_page_speaks_like_its_check(code: str) -> None:
    """Name, summary, safety and options are written twice, in the page and in the check; they are the same."""
    page, check = pages.page(code), CHECKS[code]
    assert page.title == f"{check.name} ({check.code})"
    assert page.summary == (check.__doc__ or "").splitlines()[0]
    word = re.match(r"\*\*([a-z-]+)\*\*", page.sections["Fix safety"])
    assert word is not None and word[1] == check.safety.value
    described = re.findall(r"^([a-z-]+) = ", page.sections.get("Options", ""), re.MULTILINE)
    assert described == list(check.options)


@pytest.mark.parametrize("code", CODES)
def test_page_is_complete(code: str) -> None:
    """A page has its sections in their order, one example and its fix; programs that are fine are run beside it."""
    page = pages.page(code)
    assert list(page.sections) == [name for name in SECTIONS if name in page.sections]
    assert set(SECTIONS) - set(page.sections) <= OPTIONAL
    assert [example.kind for example in page.examples[:2]] == ["bad", "good"]
    assert sum(example.kind == "ok" for example in examples(code)) >= 2


@pytest.mark.parametrize("code", CODES)
def test_page_is_short(code: str) -> None:
    """More examples go into `tests/checks/CODE.md`."""
    assert len(WRITTEN.sub("", pages.page(code).text).splitlines()) <= LONGEST


def test_default_rules_are_pinned() -> None:
    """What runs when nobody chooses is a promise to the users: it changes with a line here and in CHANGELOG.md."""
    assert sorted(Config(root=ROOT).codes) == [
        "MSP101",
        "MSP102",
        "MSP201",
        "MSP202",
        "MSP203",
        "MSP301",
        "MSP501",
        "MSP601",
    ]
