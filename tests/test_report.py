"""What the reporters make of findings."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ms_perflint.config.formats import FORMATS
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.core.findings import Edit, Finding, Fix, Place, Related, Remedy, Safety
from ms_perflint.core.source import Source
from ms_perflint.report import Outcome, render, render_statistics
from ms_perflint.report.sources import Sources, shown
from ms_perflint.report.style import Style

TEXT = """\
import mindspore as ms

config = CheckpointConfig(save_checkpoint_steps=100)  # 一百

ckpt = ModelCheckpoint(
\tprefix="名字",
    config=config,
)
x = f("名字", g(1))
"""


class Files:
    """One or more files in memory, and findings in them by the text they mark."""

    def __init__(self, **texts: str) -> None:
        self.texts = {os.path.abspath(name.replace("_py", ".py")): text.encode() for name, text in texts.items()}
        self.sources = Sources(Overlay(Nowhere(), self.texts))

    def finding(self, marked: str, code: str = "MSP301", fix: Fix | None = None, related: str = "") -> Finding:
        """Return a finding on the first place where `marked` stands."""
        path, text = next((path, text) for path, text in self.texts.items() if marked.encode() in text)
        source = Source(path, text)
        start = text.index(marked.encode())
        place, end = source.place(start), source.place(start + len(marked.encode()))
        others = (Related(source.place(text.index(related.encode())), "made here"),) if related else ()
        return Finding(place, code, f"rule-{code[3:]}", "the device waits: do not let it", end, (), fix, others)

    def fix(self, safety: Safety, *edits: tuple[str, str]) -> Fix:
        """Return a fix that puts a text behind each of some texts."""
        made = []
        for marked, new in edits:
            path, text = next((path, text) for path, text in self.texts.items() if marked.encode() in text)
            at = text.index(marked.encode()) + len(marked.encode())
            made.append(Edit(path, at, at, new))
        return Fix("write in the background", safety, tuple(made))

    def render(self, name: str, *findings: Finding, colour: bool = False) -> str:
        """Return the report on these findings."""
        return render(name, Outcome(findings, self.sources, Style(colour)))


def test_text_marks_the_line_and_shows_the_fix() -> None:
    files = Files(train_py=TEXT)
    fix = files.fix(Safety.SAFE, ("steps=100", ", async_save=True"))
    assert files.render("text", files.finding("CheckpointConfig(save_checkpoint_steps=100)", fix=fix)) == (
        """\
train.py:3:10: MSP301 [*] the device waits: do not let it
  |
1 | import mindspore as ms
2 |
3 | config = CheckpointConfig(save_checkpoint_steps=100)  # 一百
  |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
4 |
5 | ckpt = ModelCheckpoint(
  |
help: write in the background (safe fix)
   3 - config = CheckpointConfig(save_checkpoint_steps=100)  # 一百
   3 + config = CheckpointConfig(save_checkpoint_steps=100, async_save=True)  # 一百

Found 1 finding. [*] 1 fixable with `--fix`.
"""
    )


def test_text_holds_several_lines_together() -> None:
    files = Files(train_py=TEXT)
    marked = TEXT[TEXT.index("ModelCheckpoint") : TEXT.index("\nx =")]
    fix = files.fix(Safety.UNSAFE, ("as ms", "\nfrom mindspore import X"), ("config=config,", "\n    async_save=X,"))
    assert files.render("text", files.finding(marked, fix=fix, related="config = ")) == (
        """\
train.py:5:8: MSP301 the device waits: do not let it
  |
3 |   config = CheckpointConfig(save_checkpoint_steps=100)  # 一百
4 |
5 | / ckpt = ModelCheckpoint(
6 | |     prefix="名字",
7 | |     config=config,
8 | | )
  | |_^
9 |   x = f("名字", g(1))
  |
note: train.py:3:1: made here
help: write in the background (unsafe fix)
   1   import mindspore as ms
   2 + from mindspore import X
   7       config=config,
   9 +     async_save=X,

Found 1 finding. 1 fixable with `--fix --unsafe-fixes`.
"""
    )


def frame(text: str, marked: str) -> list[str]:
    """Return the lines of the frame around `marked`, without edges."""
    files = Files(train_py=text)
    return files.render("text", files.finding(marked)).splitlines()[2:-3]


def test_marks_stand_below_wide_characters_and_tabs() -> None:
    assert frame('\tx = f("名字", g(1))\n', "g(1)") == ['1 |     x = f("名字", g(1))', "  |" + " " * 19 + "^^^^"]


def test_characters_that_a_terminal_obeys_are_shown_as_pictures() -> None:
    assert frame("x = '\x1b[31m\u202e\x9b'; f()\n", "f()")[0] == "1 | x = '\u241b[31m\ufffd\ufffd'; f()"


def test_long_lines_are_cut_around_the_mark() -> None:
    shown_line, mark = frame("x = [" + "1, " * 100_000 + "f(y), " + "2, " * 100_000 + "]\n", "f(y)")
    assert len(shown_line) < 200
    assert shown_line[mark.index("^") : mark.rindex("^") + 1] == "f(y)"
    assert shown_line[4:7] == shown_line[-3:] == "..."


def test_long_ranges_are_cut_in_the_middle() -> None:
    lines = frame("f(\n" + "    1,\n" * 50 + ")\n", "f(\n" + "    1,\n" * 50 + ")")
    assert [line.split("|")[0].strip() for line in lines] == ["1", "2", "3", "4", "5", "...", "51", "52", ""]


def test_the_last_line_without_line_end_and_an_empty_mark() -> None:
    assert frame("a\nf()", "f()") == ["1 | a", "2 | f()", "  | ^^^"]
    assert frame("f()\n", "") == ["1 | f()", "  | ^"]


def test_lone_carriage_returns_and_crlf() -> None:
    files = Files(train_py="a = 1\r\nf(x)\r\n")
    text = files.render("text", files.finding("f(x)", fix=files.fix(Safety.DISPLAY, ("f(x", ",\n  y"))))
    assert "\r" not in text
    head, *lines = text.splitlines()[6:10]
    assert head == "help: write in the background (display-only, to be applied by hand)"
    assert lines == ["   2 - f(x)", "   2 + f(x,", "   3 +   y)"]


def test_a_fix_in_another_file_says_where() -> None:
    files = Files(train_py="f(x)\n", config_py="y = 1\n")
    text = files.render("text", files.finding("f(x)", fix=files.fix(Safety.DISPLAY, ("y = 1", "6"))))
    assert text.splitlines()[-5:-2] == ["--> config.py", "   1 - y = 1", "   1 + y = 16"]


def test_a_fix_in_several_files_says_where_each_change_is() -> None:
    files = Files(train_py="f(x)\n", config_py="y = 1\n")
    text = files.render("text", files.finding("f(x)", fix=files.fix(Safety.DISPLAY, ("y = 1", "6"), ("f(x", ", y"))))
    assert text.splitlines()[-8:-2] == [
        *("--> config.py", "   1 - y = 1", "   1 + y = 16"),
        *("--> train.py", "   1 - f(x)", "   1 + f(x, y)"),
    ]


def test_a_file_that_has_gone_or_shrunk_still_gives_its_line() -> None:
    files = Files(train_py="a\nb\nf(x)\n")
    finding = files.finding("f(x)", fix=files.fix(Safety.SAFE, ("f(x", ", y")))
    for rest in ({}, {finding.place.path: b"a\n"}):
        outcome = Outcome((finding,), Sources(Overlay(Nowhere(), dict(rest))))
        for name in FORMATS:
            assert finding.message in render(name, outcome)


def test_concise_is_one_line_each() -> None:
    files = Files(train_py=TEXT)
    fix = files.fix(Safety.SAFE, ("g(1", "6"))
    unsafe = files.fix(Safety.UNSAFE, ("g(1", "6"))
    findings = (files.finding("g(1)", fix=fix), files.finding("x = f"), files.finding("1)", fix=unsafe))
    assert files.render("concise", *findings) == (
        "train.py:9:13: MSP301 [*] the device waits: do not let it\n"
        "train.py:9:1: MSP301 the device waits: do not let it\n"
        "train.py:9:15: MSP301 the device waits: do not let it\n"
        "Found 3 findings. [*] 1 fixable with `--fix` (1 more with `--unsafe-fixes`).\n"
    )


@pytest.mark.parametrize("name", ["text", "concise"])
def test_without_findings_one_line_says_so(name: str) -> None:
    assert Files().render(name) == "No findings.\n"


def test_after_fixing_the_summary_says_what_was_done_and_what_more_could_be() -> None:
    files = Files(train_py=TEXT, other_py="f(x)\n")
    unsafe = files.fix(Safety.UNSAFE, ("g(1", "6"))
    left = (files.finding("g(1)", fix=unsafe), files.finding("ckpt", fix=unsafe), files.finding("prefix"))
    fixed = tuple(files.finding(*found) for found in [("ckpt",), ("x = f",), ("x = f", "MSP101"), ("f(x)",)])
    outcome = Outcome(left, files.sources, fixed=fixed)
    assert render("concise", outcome).splitlines()[3:] == [
        "Fixed other.py: MSP301",
        "Fixed train.py: MSP101, MSP301 (2x)",
        "Found 7 findings (4 fixed, 3 remaining).",
        "2 more with `--unsafe-fixes`, to be checked by you: 2x MSP301 (write in the background).",
    ]
    assert render("concise", Outcome((), files.sources, fixed=())) == "No findings.\n"
    assert render("concise", Outcome((), files.sources, fixed=fixed[3:])).splitlines()[-1] == (
        "Found 1 finding (1 fixed, 0 remaining)."
    )


def test_the_summary_says_that_fixes_of_a_rule_differ() -> None:
    files = Files(train_py=TEXT)
    fix = files.fix(Safety.UNSAFE, ("g(1", "6"))
    left = (files.finding("g(1)", fix=fix), files.finding("ckpt", fix=fix._replace(message="write later")))
    last = render("concise", Outcome(left, files.sources, fixed=())).splitlines()[-1]
    assert last.endswith("to be checked by you: 2x MSP301 (write in the background, ...).")


def test_what_the_configuration_trusts_counts() -> None:
    files = Files(train_py=TEXT)
    finding = files.finding("g(1)", fix=files.fix(Safety.UNSAFE, ("g(1", "6")))
    promoted = Outcome((finding,), files.sources, trust=lambda _: Safety.SAFE)
    assert "MSP301 [*]" in render("concise", promoted)
    assert json.loads(render("json", promoted))[0]["fix"]["applicability"] == "safe"
    assert "(safe fix)" in render("text", promoted)
    allowed = Outcome((finding,), files.sources, unsafe=True)
    assert "MSP301 [*]" in render("concise", allowed)
    assert "(unsafe fix)" in render("text", allowed)


def test_a_fix_says_why_it_is_not_safe() -> None:
    files = Files(train_py=TEXT)
    unsafe = files.fix(Safety.UNSAFE, ("g(1", "6"))._replace(reason="files are written later")
    shown = unsafe._replace(safety=Safety.DISPLAY)
    for fix, words in (
        (unsafe, "(unsafe fix: files are written later)"),
        (shown, "(display-only: files are written later)"),
    ):
        finding = files.finding("g(1)", fix=fix)
        assert f"help: write in the background {words}" in files.render("text", finding)
        assert json.loads(files.render("json", finding))[0]["fix"]["reason"] == "files are written later"
        (result,) = json.loads(files.render("sarif", finding))["runs"][0]["results"]
        assert result["fixes"][0]["properties"]["reason"] == "files are written later"
        assert words in result["fixes"][0]["description"]["text"]
        assert words in files.render("html", finding)
    promoted = Outcome((files.finding("g(1)", fix=unsafe),), files.sources, trust=lambda _: Safety.SAFE)
    assert "files are written later" not in render("text", promoted)


@pytest.mark.parametrize("safety", [Safety.SAFE, Safety.UNSAFE])
def test_a_fix_that_a_run_only_shows_says_why(safety: Safety) -> None:
    files = Files(train_py=TEXT)
    fix = files.fix(safety, ("g(1", "6"))._replace(reason="files are written later")
    finding = files.finding("g(1)", fix=fix)
    (changed,) = {edit.path for edit in fix.edits}
    for given, words in (
        ((changed,), "the configuration makes fixes of this rule display-only"),
        ((changed + "x",), "it changes train.py too, which was not given"),
    ):
        outcome = Outcome((finding,), files.sources, trust=lambda _: Safety.DISPLAY, files=given)
        for name in ("text", "html", "sarif"):
            assert f"(display-only: {words})" in render(name, outcome)
        assert json.loads(render("json", outcome))[0]["fix"]["reason"] == words
    shown = files.finding("g(1)", fix=fix._replace(safety=Safety.DISPLAY))
    outcome = Outcome((shown,), files.sources, trust=lambda _: Safety.DISPLAY, files=("other.py",))
    assert "(display-only: files are written later)" in render("text", outcome)


def test_what_to_do_stands_where_there_is_no_fix() -> None:
    files = Files(train_py=TEXT)
    remedy = Remedy(None, "make the width 112", Safety.DISPLAY, "net.py sets the width")
    words = "make the width 112 (no fix: net.py sets the width)"
    finding = files.finding("g(1)")._replace(help=remedy.by_hand)
    assert f"\nhelp: {words}\n" in files.render("text", finding)
    assert json.loads(files.render("json", finding))[0]["help"] == words
    assert json.loads(files.render("sarif", finding))["runs"][0]["results"][0]["properties"]["help"] == words
    assert words in files.render("html", finding)
    assert f"%0Ahelp: {words}%0A" in files.render("github", finding)
    unsafe = remedy._replace(safety=Safety.UNSAFE, reason="the numbers change")  # says why not safe, not why no fix
    assert unsafe.by_hand == "make the width 112"


def test_colour_only_where_it_is_wanted() -> None:
    files = Files(train_py=TEXT)
    finding = files.finding("g(1)", fix=files.fix(Safety.SAFE, ("g(1", "6")))
    for name in ("text", "concise"):
        assert "\x1b[" not in files.render(name, finding)
        assert "\x1b[31;1mMSP301\x1b[0m" in files.render(name, finding, colour=True)
    assert "\x1b" not in files.render("json", finding, colour=True)


def test_json_is_a_list_of_findings() -> None:
    files = Files(train_py=TEXT)
    fix = files.fix(Safety.UNSAFE, ("g(1", "6"))
    (found,) = json.loads(files.render("json", files.finding("g(1)", fix=fix, related="config = ")))
    path = os.path.abspath("train.py")
    assert found == {
        "code": "MSP301",
        "name": "rule-301",
        "message": "the device waits: do not let it",
        "filename": path,
        "location": {"row": 9, "column": 13},
        "end_location": {"row": 9, "column": 17},
        "fix": {
            "applicability": "unsafe",
            "message": "write in the background",
            "reason": None,
            "edits": [
                {
                    "filename": path,
                    "content": "6",
                    "location": {"row": 9, "column": 16},
                    "end_location": {"row": 9, "column": 16},
                }
            ],
        },
        "related": [{"filename": path, "location": {"row": 3, "column": 1}, "message": "made here"}],
        "url": None,
        "measured": None,
        "configurations": None,
        "help": None,
    }


def test_json_of_nothing_and_of_names_that_are_no_text() -> None:
    assert Files().render("json") == "[]\n"
    path = os.path.abspath("b\udcff\n.py")
    finding = Finding(Place(path, 1, 1), "MSP301", "n", "m", Place(path, 1, 2), ())
    text = Files().render("json", finding)
    assert text.isascii()
    assert json.loads(text)[0]["filename"] == path


def test_statistics_count_by_rule() -> None:
    files = Files(train_py=TEXT)
    fix = files.fix(Safety.SAFE, ("g(1", "6"))
    findings = (files.finding("g(1)"), *[files.finding(part, "MSP101", fix) for part in ("x", "ckpt", "ms")])
    outcome = Outcome(findings, files.sources)
    assert render_statistics("text", outcome) == (
        "3  MSP101  [*]  rule-101\n1  MSP301  [ ]  rule-301\nFound 4 findings. [*] 3 fixable with `--fix`.\n"
    )
    assert json.loads(render_statistics("json", outcome))[1] == {
        "count": 1,
        "code": "MSP301",
        "name": "rule-301",
        "fixable": 0,
    }


def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown(str(tmp_path / "a" / "b.py")) == os.path.join("a", "b.py")
    assert shown(str(tmp_path.parent / "b.py")) == str(tmp_path.parent / "b.py")
    assert shown(str(tmp_path / "..b.py")) == "..b.py"
    assert shown(str(tmp_path / "a\n\x1b[31m\udcff.py")) == "a\\n\\x1b[31m\\udcff.py"
    assert shown(str(tmp_path / "训练.py")) == "训练.py"
