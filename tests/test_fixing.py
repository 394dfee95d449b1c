"""Fixing: which fixes are made, what becomes of the text, what reaches the disk."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ms_perflint import engine
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk, Files, Nowhere, Overlay
from ms_perflint.core.findings import Edit, Finding, Fix, Safety
from ms_perflint.core.reports import Report
from ms_perflint.core.source import Source
from ms_perflint.fixes.fixing import Lint, Settled, fix, moved, settle
from ms_perflint.fixes.writing import unified_diff

CONFIG = Config(root="/program")
Rule = Callable[[Source], Iterator[Finding]]


def finding(source: Source, start: int, edits: list[Edit], code: str, trust: Safety) -> Finding:
    """Return a finding at an offset with this fix."""
    place = source.place(start)
    return Finding(place, code, "example", "an example", place, (place.row,), Fix("example", trust, tuple(edits)))


def replacing(old: str, new: str, code: str = "MSP301", trust: Safety = Safety.SAFE) -> Rule:
    """Return a rule that reports each `old` and replaces it."""

    def rule(source: Source) -> Iterator[Finding]:
        for match in re.finditer(re.escape(old.encode()), source.text):
            yield finding(source, match.start(), [Edit(source.path, *match.span(), new)], code, trust)

    return rule


def linting(paths: list[str], *rules: Rule) -> Lint:
    """Return a linter of these files with these rules."""

    def lint(files: Files) -> Report:
        sources = [Source(path, files.read(path)) for path in paths]
        for source in sources:
            ast.parse(source.text.decode())
        found = sorted(each for source in sources for rule in rules for each in rule(source))
        return Report(tuple(found), (), tuple(paths))

    return lint


def settled(text: str, *rules: Rule, **options: object) -> tuple[str, Settled]:
    """Return what fixing makes of a text."""
    path = "/program/train.py"
    config = options.pop("config", CONFIG)
    outcome = settle(linting([path], *rules), Overlay(Nowhere(), {path: text.encode()}), config, **options)  # type: ignore[arg-type]
    made = [change.after.decode() for change in outcome.changes]
    return (made[0] if made else text), outcome


def test_makes_safe_fixes_only_unless_told() -> None:
    rules = [
        replacing("a", "A", "MSP301"),
        replacing("b", "B", "MSP101", Safety.UNSAFE),
        replacing("c", "C", "MSP202", Safety.DISPLAY),
    ]
    text, outcome = settled("a, b, c\n", *rules)
    assert text == "A, b, c\n"
    assert [found.code for found in outcome.fixed] == ["MSP301"]
    assert [found.code for found in outcome.report.findings] == ["MSP101", "MSP202"]
    assert settled("a, b, c\n", *rules, unsafe=True)[0] == "A, B, c\n"
    trusting = CONFIG._replace(extend_safe_fixes=("MSP1", "MSP2"))
    assert settled("a, b, c\n", *rules, config=trusting)[0] == "A, B, c\n"
    assert [trusting.trust(found) for found in outcome.report.findings] == [Safety.SAFE, Safety.DISPLAY]


def unwrapping(source: Source) -> Iterator[Finding]:
    """A rule that takes each `g(...)` away from around what it holds."""
    for match in re.finditer(rb"g\(", source.text):
        depth, end = 1, match.end()
        while depth:
            depth += {b"(": 1, b")": -1}.get(source.text[end : end + 1], 0)
            end += 1
        edits = [Edit(source.path, *match.span(), ""), Edit(source.path, end - 1, end, "")]
        yield finding(source, match.start(), edits, "MSP203", Safety.SAFE)


def test_repeats_until_nothing_is_left() -> None:
    text, outcome = settled("x = g(g(g(g(g(a))))) + g(b)\n", unwrapping)
    assert text == "x = a + b\n"
    assert (len(outcome.fixed), outcome.report.findings, outcome.problems) == (6, (), ())


def test_makes_an_edit_that_two_fixes_share_once() -> None:
    def rule(source: Source) -> Iterator[Finding]:
        for match in re.finditer(rb"Config\(\)", source.text):
            edits = [Edit(source.path, *match.span(), "Config(1)"), Edit(source.path, 0, 0, "import Config\n")]
            yield finding(source, match.start(), edits, "MSP301", Safety.SAFE)

    text, outcome = settled("Config()\nConfig()\n", rule)
    assert text == "import Config\nConfig(1)\nConfig(1)\n"
    assert len(outcome.fixed) == 2


def test_takes_back_what_does_not_come_to_an_end() -> None:
    paths = ["/program/a.py", "/program/b.py"]
    rules = replacing("on", "off", "MSP101"), replacing("off", "on", "MSP102"), replacing("c", "C", "MSP301")
    files = Overlay(Nowhere(), {paths[0]: b"on = c\n", paths[1]: b"c\n"})
    outcome = settle(linting(paths, *rules), files, CONFIG)
    assert [(change.path, change.after) for change in outcome.changes] == [(paths[1], b"C\n")]
    (problem,) = outcome.problems
    assert problem.path == paths[0]
    assert "the fixes of MSP101, MSP102 do not come to an end" in problem.message
    assert [found.place.path for found in outcome.fixed] == [paths[1]]
    assert [found.code for found in outcome.report.findings] == ["MSP101", "MSP301"]


def across(first: str, second: str) -> Rule:
    """Return a rule whose fix changes two files: `one` in the first, `two` in the second."""

    def rule(source: Source) -> Iterator[Finding]:
        if source.path == first and source.text.startswith(b"one"):
            yield finding(source, 0, [Edit(first, 0, 3, "ONE"), Edit(second, 0, 3, "TWO")], "MSP501", Safety.SAFE)

    return rule


def test_takes_back_all_files_through_which_fixes_go_in_circles() -> None:
    first, second, third = (f"/program/{name}.py" for name in "abc")
    circle = [("1", "1"), ("2", "1"), ("2", "2"), ("1", "2")]  # what the first two files hold

    def lint(files: Files) -> Report:
        """Find in the first two files what leads from one state to the next, and something else in the third."""
        a, b, c = (Source(path, files.read(path)) for path in (first, second, third))
        at = circle.index((a.text.decode()[4], b.text.decode()[4]))
        new = circle[(at + 1) % 4][at % 2]
        moving = (a, b)[at % 2]
        found = finding(moving, 0, [Edit(moving.path, 4, 5, new)], f"MSP90{at}", Safety.SAFE)
        return Report((found, *replacing("c", "C", "MSP301")(c)), (), (first, second, third))

    contents = {first: b"x = 1\n", second: b"x = 1\n", third: b"c = x\n"}
    outcome = settle(lint, Overlay(Nowhere(), contents), CONFIG)
    assert {change.path: change.after for change in outcome.changes} == {third: b"C = x\n"}
    assert [problem.path for problem in outcome.problems] == [first, second]
    assert "the fixes of MSP900, MSP902 do not come to an end" in outcome.problems[0].message
    assert "the fixes of MSP901, MSP903 do not come to an end" in outcome.problems[1].message
    assert [found.code for found in outcome.fixed] == ["MSP301"]
    assert [found.code for found in outcome.report.findings] == ["MSP900"]


def test_what_rests_on_a_fix_that_is_taken_back_is_not_made() -> None:
    paths = ["/program/a.py", "/program/b.py"]

    def lint(files: Files) -> Report:
        """Find `eager` in the first file, then `slow` in the second, then something in the first that breaks it."""
        first, second = (Source(path, files.read(path)) for path in paths)
        graph = first.text.startswith(b"graph")
        mode = replacing("eager", "graph", "MSP101")(first)
        sink = replacing("slow", "fast", "MSP102")(second) if graph else iter(())
        broken = replacing("1", "(", "MSP201")(first) if graph and b"fast" in second.text else iter(())
        return Report(tuple(sorted([*mode, *sink, *broken])), (), tuple(paths))

    files = Overlay(Nowhere(), {paths[0]: b"eager = 1\n", paths[1]: b"slow = 1\n"})
    outcome = settle(lint, files, CONFIG)
    assert (outcome.changes, outcome.fixed) == ((), ())
    assert [(problem.path, "MSP201" in problem.message) for problem in outcome.problems] == [(paths[0], True)]
    assert [found.code for found in outcome.report.findings] == ["MSP101"]


def test_a_fix_that_another_makes_needless_is_not_made() -> None:
    rules = [replacing("ab", "c", "MSP101"), replacing("b", "d", "MSP102")]
    text, outcome = settled("x = ab, b\n", *rules)
    assert text == "x = c, d\n"
    assert [found.code for found in outcome.fixed] == ["MSP101", "MSP102"]


def test_a_refusal_takes_what_would_follow_from_it_along() -> None:
    def following(source: Source) -> Iterator[Finding]:
        if source.text.startswith(b"graph"):
            yield from replacing("slow", "fast", "MSP102", Safety.UNSAFE)(source)

    asked: list[str] = []

    def consent(found: Finding, diff: str, following: Sequence[Finding]) -> bool:
        asked.append(found.code)
        return found.code != "MSP101"

    rules = [
        replacing("eager", "graph", "MSP101", Safety.UNSAFE),
        following,
        replacing("b", "B", "MSP201", Safety.UNSAFE),
    ]
    text, outcome = settled("eager; slow; b\n", *rules, consent=consent)
    assert (text, asked) == ("eager; slow; B\n", ["MSP101", "MSP201"])
    assert [found.code for found in outcome.report.findings] == ["MSP101"]


def test_of_two_fixes_of_one_text_the_other_is_made_when_one_is_refused() -> None:
    rules = [replacing("ab", "AB", code, Safety.UNSAFE) for code in ("MSP101", "MSP102")]
    rules[1] = replacing("b", "c", "MSP102", Safety.UNSAFE)
    text, outcome = settled("ab\n", *rules, consent=lambda found, diff, following: found.code == "MSP102")
    assert text == "ac\n"
    assert [found.code for found in outcome.fixed] == ["MSP102"]
    assert settled("ab\n", *rules, unsafe=True)[0] == "AB\n"


def test_nobody_is_asked_twice_about_the_same_change() -> None:
    def joint(source: Source) -> Iterator[Finding]:
        found = [match.start() for match in re.finditer(rb"500", source.text)]
        for start in found:
            edits = [Edit(source.path, each, each + 3, "512") for each in found]
            yield finding(source, start, edits, "MSP202", Safety.UNSAFE)

    asked: list[int] = []

    def consent(found: Finding, diff: str, following: Sequence[Finding]) -> bool:
        asked.append(found.place.row)
        return True

    text, outcome = settled("a = 500\nb = 500\n", joint, consent=consent)
    assert text == "a = 512\nb = 512\n"
    assert (asked, len(outcome.fixed)) == ([1], 2)


def test_two_fixes_over_the_same_files_are_made_together_or_one_after_the_other() -> None:
    first, second = "/program/a.py", "/program/b.py"

    def other(source: Source) -> Iterator[Finding]:
        at = source.text.find(b"far")
        if source.path == first and at >= 0:
            yield finding(source, at, [Edit(first, at, at + 3, "FAR"), Edit(second, 3, 4, ";")], "MSP502", Safety.SAFE)

    files = Overlay(Nowhere(), {first: b"one, far\n", second: b"two\n1\n"})  # the edits touch in the second file
    outcome = settle(linting([first, second], across(first, second), other), files, CONFIG)
    assert {change.path: change.after for change in outcome.changes} == {first: b"ONE, FAR\n", second: b"TWO;1\n"}
    assert [found.code for found in outcome.fixed] == ["MSP501", "MSP502"]
    assert {change.together for change in outcome.changes} == {(first, second)}


def test_takes_back_what_would_not_parse() -> None:
    text, outcome = settled("a = b\n", replacing("b", "(", "MSP301"), replacing("a", "A", "MSP101"))
    assert text == "a = b\n"
    assert outcome.fixed == ()
    (problem,) = outcome.problems
    assert "MSP101, MSP301" in problem.message


def test_refuses_a_fix_with_overlapping_edits() -> None:
    def rule(source: Source) -> Iterator[Finding]:
        if source.text.startswith(b"a"):
            yield finding(
                source, 0, [Edit(source.path, 0, 1, "b"), Edit(source.path, 0, 3, "c")], "MSP301", Safety.SAFE
            )

    text, outcome = settled("abc\n", rule)
    assert text == "abc\n"
    assert [(problem.row, "MSP301" in problem.message) for problem in outcome.problems] == [(1, True)]


def test_changes_several_files_together_or_not_at_all() -> None:
    first, second = "/program/a.py", "/program/b.py"
    files = Overlay(Nowhere(), {first: b"one\n", second: b"two\n"})
    both = settle(linting([first, second], across(first, second)), files, CONFIG)
    assert {change.path: change.after for change in both.changes} == {first: b"ONE\n", second: b"TWO\n"}
    assert {change.together for change in both.changes} == {(first, second)}
    alone = settle(linting([first], across(first, second)), files, CONFIG)
    assert (alone.changes, alone.fixed, len(alone.report.findings)) == ((), (), 1)


@pytest.mark.parametrize("texts", [(b"one = x\n", b"two\n"), (b"one\n", b"two = x\n")])
def test_takes_back_all_files_of_a_fix(texts: tuple[bytes, bytes]) -> None:
    first, second = "/program/a.py", "/program/b.py"
    files = Overlay(Nowhere(), dict(zip((first, second), texts)))
    outcome = settle(linting([first, second], across(first, second), replacing("x", "(")), files, CONFIG)
    assert (outcome.changes, outcome.fixed) == ((), ())
    assert [problem.path for problem in outcome.problems] == [first, second]


def test_asks_once_about_each_unsafe_fix_when_the_safe_ones_are_made() -> None:
    asked: list[tuple[int, str]] = []

    def consent(found: Finding, diff: str, following: Sequence[Finding]) -> bool:
        asked.append((found.place.column, diff))
        return len(asked) != 3

    rules = [replacing("é", "e", "MSP301"), replacing("x", "xx".upper(), "MSP101", Safety.UNSAFE)]
    text, outcome = settled("é\nx1\nx2; x3\n", *rules, consent=consent)
    assert text == "e\nXX1\nXX2; x3\n"
    assert [column for column, _ in asked] == [1, 1, 6]  # x3 has moved when its turn comes
    assert asked[0][1] == ("--- a/program/train.py\n+++ b/program/train.py\n@@ -1,3 +1,3 @@\n e\n-x1\n+XX1\n x2; x3\n")
    assert [found.place.column for found in outcome.report.findings] == [6]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"a\r\nb\r\n", b"A\r\n# new\r\nb\r\n"),
        (b"\xef\xbb\xbfa\nb", b"\xef\xbb\xbfA\n# new\nb"),
        ("# coding: gbk\n'汉'\na\n".encode("gbk"), "# coding: gbk\n'汉'\nA\n# new\n".encode("gbk")),
        (b"a\rb\r", b"A\r# new\rb\r"),
        (b"\x0c\na\n\x0c\nb\n", b"\x0c\nA\n# new\n\x0c\nb\n"),
    ],
)
def test_keeps_encoding_mark_and_newlines(tmp_path: Path, raw: bytes, expected: bytes) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(raw)
    after = "A\n# new"
    outcome = fix(
        linting([str(path)], replacing("a", after) if b"coding" not in raw else replacing("\na", "\n" + after)),
        Disk(),
        CONFIG,
    )
    assert outcome.problems == ()
    assert path.read_bytes() == expected


def test_says_when_the_encoding_cannot_hold_the_fix() -> None:
    path = "/program/train.py"
    files = Overlay(Nowhere(), {path: b"# coding: latin-1\nx\n"})
    outcome = settle(linting([path], replacing("x", "'汉'")), files, CONFIG)
    assert outcome.changes == ()
    assert "iso-8859-1" in outcome.problems[0].message


def test_leaves_a_file_whose_encoding_has_several_ways_to_write_the_same() -> None:
    path = "/program/train.py"
    files = Overlay(Nowhere(), {path: b"# coding: utf-7\n+AGE- = x\n"})
    outcome = settle(linting([path], replacing("x", "y")), files, CONFIG)
    assert (outcome.changes, len(outcome.problems)) == ((), 1)
    assert "utf-7" in outcome.problems[0].message


TEXTS = st.text(alphabet="aé汉😀 \n\t\f\r#", max_size=30)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str]]]:
    """Return a text and changes in characters."""
    text = draw(TEXTS)
    spans = draw(st.lists(st.tuples(st.integers(0, len(text)), st.integers(0, 3), TEXTS), max_size=6))
    return text, [(start, min(start + size, len(text)), new.replace("\r", "")) for start, size, new in spans]


def touch(source: Source, one: Edit, other: Edit) -> bool:
    """Return whether two edits have to do with each other."""
    first, second = sorted((one, other))
    longer = all(len(edit.text.encode()) > edit.end - edit.start for edit in (one, other))
    return first.end >= second.start or (longer and source.row(first.end) == source.row(second.start))


@settings(max_examples=300, deadline=None)
@given(edited())
def test_makes_what_does_not_touch_and_nothing_else(case: tuple[str, list[tuple[int, int, str]]]) -> None:
    text, spans = case
    path = "/program/train.py"
    body = "'''" + text + "'''\n"  # any text parses as a string
    source = Source(path, body.encode())
    offsets = [len(body[:position].encode()) for position in range(len(body) + 1)]
    found = [
        finding(
            source,
            offsets[start + 3],
            [Edit(path, offsets[start + 3], offsets[end + 3], new)],
            f"MSP{number}",
            Safety.SAFE,
        )
        for number, (start, end, new) in enumerate(spans)
    ]
    reports = iter([Report(tuple(found), (), (path,))])
    outcome = settle(
        lambda files: next(reports, Report((), (), (path,))), Overlay(Nowhere(), {path: body.encode()}), CONFIG
    )
    made = {each.fix.edits[0] for each in outcome.fixed if each.fix}
    expected = body
    for edit in sorted(made, reverse=True):
        start, end = offsets.index(edit.start), offsets.index(edit.end)
        expected = expected[:start] + source.worded(edit) + expected[end:]
    assert (outcome.changes[0].after.decode() if outcome.changes else body) == expected
    assert source.spliced(made).decode() == expected
    for each in found:
        assert each.fix is not None
        (edit,) = each.fix.edits
        touching = [other for other in made if touch(source, edit, other)]
        assert touching == [edit] if each in outcome.fixed else touching


@settings(max_examples=300, deadline=None)
@given(edited(), st.sampled_from(["utf-8", "gbk"]))
def test_edits_that_do_not_touch_can_be_made_in_any_order(
    case: tuple[str, list[tuple[int, int, str]]], encoding: str
) -> None:
    text, spans = case
    path = "/program/train.py"
    body = f"# coding: {encoding}\n" + (text.encode(encoding, "ignore").decode(encoding) if encoding == "gbk" else text)
    source = Source(path, body.encode(encoding))
    edits: list[Edit] = []
    for start, end, new in spans:
        first, last = (len(body[: min(at + 16, len(body))].encode()) for at in (start, end))
        if all(edit.end < first or last < edit.start for edit in edits):
            edits.append(Edit(path, first, last, new))
    at_once = source.spliced(edits)
    for order in (edits, edits[::-1]):
        now, made = source, list[Edit]()
        for edit in order:
            start, end = (moved(source, offset, made) for offset in (edit.start, edit.end))
            wanted = Edit(path, start, end, source.worded(edit))
            after = now.text[:start] + wanted.text.encode() + now.text[end:]
            now = Source(path, f"# coding: {encoding}\n".encode())
            now.text = after
            made.append(edit)
        assert now.text == at_once


# --- writing


def test_reports_what_is_left_when_a_file_could_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"a = 1\n")

    def consent(found: Finding, diff: str, following: Sequence[Finding]) -> bool:
        path.write_bytes(b"a = 2\n")  # another program writes while the person thinks
        return True

    outcome = fix(linting([str(path)], replacing("a", "A", trust=Safety.UNSAFE)), Disk(), CONFIG, consent=consent)
    assert path.read_bytes() == b"a = 2\n"
    assert (outcome.fixed, outcome.changes) == ((), ())
    assert len(outcome.report.findings) == len(outcome.problems) == 1


# --- diffs

LINES = st.lists(st.sampled_from(["a", "b", "\f", "é\u2028c", "d\r", "e\x85", ""]), max_size=6)


@settings(max_examples=25, deadline=None)
@given(before=LINES, after=LINES, ends=st.tuples(st.booleans(), st.booleans()))
def test_diffs_apply(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str], ends: tuple[bool, bool]
) -> None:
    old, new = ("\n".join(lines) + "\n" * end for lines, end in zip((before, after), ends))
    directory = tmp_path_factory.mktemp("diff")
    (directory / "a.py").write_bytes(old.encode())
    diff = unified_diff(old, new, "a.py")
    assert bool(diff) == (old != new)
    if diff:
        command = ["git", "apply", "--whitespace=nowarn", "-p1", "-"]
        subprocess.run(
            command, input=diff.encode(), cwd=directory, check=True, env={**os.environ, "GIT_DIR": "/nowhere"}
        )
    assert (directory / "a.py").read_bytes() == new.encode()


# --- with the real engine

TRAIN = """\
import mindspore as ms
from mindspore import nn
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint

net = nn.Dense(16, 16)
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
config = CheckpointConfig(
    save_checkpoint_steps=100,  # twice an epoch
)
model.train(1, ms.dataset.GeneratorDataset([], "x"), callbacks=[ModelCheckpoint(config=config)])
"""


def test_fixes_a_file_on_disk_once_and_for_all(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(TRAIN)
    config = Config(root=str(tmp_path), select=("MSP301",))

    def lint(files: Files) -> Report:
        return engine.lint([str(path)], config, files)

    outcome = fix(lint, Disk(), config, unsafe=True)
    assert outcome.problems == ()
    assert "  # twice an epoch\n    async_save=True,\n)\n" in path.read_text()
    assert fix(lint, Disk(), config, unsafe=True).changes == ()
