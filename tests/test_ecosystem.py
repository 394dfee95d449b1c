"""The script that proves fixes on real code: it finds nothing in the samples, and notices what is broken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import ecosystem
import linting
import pytest
from notebook_properties import unlike
from notebooks import notebook, written
from properties import Moved, Text, differences, spliced
from variants import VARIANTS, varied

from ms_perflint.config.settings import Config
from ms_perflint.core.files import Files
from ms_perflint.core.findings import Edit, Finding, Fix, Safety
from ms_perflint.core.reports import Report
from ms_perflint.core.source import Source
from ms_perflint.fixes import fixing
from ms_perflint.fixes.writing import Change

SAMPLES = Path(__file__).resolve().parent.parent / "sample_scripts"
TEXT = "def run(a):\n    b = f(a)  # why\n    return b + f(1) * 2\n\n\nrun(2)\n"
TRAIN = """\
import mindspore as ms
from mindspore import nn
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint
from data import batches

network = nn.Dense(3, 4)
model = Model(network, nn.MSELoss(), nn.SGD(network.trainable_params()))  # 训练
ms.profiler.Profiler(data_process=True)
model.train(9, batches(), callbacks=[ModelCheckpoint("x", config=CheckpointConfig(9))])
"""
DATA = """\
import mindspore.dataset as ds


def batches():
    ds.config.set_enable_autotune(True)
    return ds.GeneratorDataset([1, 2], ["x"])
"""


def test_samples_and_their_variants_hold() -> None:
    counts = ecosystem.check(str(SAMPLES), variants=1)
    assert counts.failures == []
    assert counts.files == 8
    shown = sum(number for (_, safety), number in counts.offered.items() if safety == "display-only")
    assert sum(counts.applied.values()) == sum(counts.offered.values()) - shown and shown == 3
    assert sum(counts.shapes.values()) >= 4


def test_files_in_all_shapes_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_bytes(b"# coding: gbk\r\n" + TRAIN.replace("\n", "\r\n").encode("gbk"))
    (tmp_path / "train.py").chmod(0o751)
    (tmp_path / "data.py").write_bytes(DATA.rstrip().encode())
    (tmp_path / "data.csv").write_bytes(b"\0")
    before = ecosystem.snapshot(str(tmp_path))
    assert ecosystem.main([str(tmp_path), "--variants", str(len(VARIANTS)), "--json", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "MSP101 unsafe       offered     1, applied     1" in out
    assert "0 failures" in out
    assert '"MSP101 unsafe": 1' in (tmp_path / "out").read_text()
    (tmp_path / "out").unlink()
    assert ecosystem.snapshot(str(tmp_path)) == before


def test_notebooks_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.ipynb").write_text(written(notebook([TRAIN.replace("from data import batches\n", "")])))
    (tmp_path / "flat.ipynb").write_text(written(notebook(["!ls", TRAIN], as_lists=False), indent=None))
    assert ecosystem.main([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "2 notebooks\n" in out and "MSP301 safe         applied     2" in out


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (lambda raw: raw.replace(b"stdout", b"stderr"), "something else than code has changed"),
        (lambda raw: raw.replace(b'"nbformat": 4,', b'"nbformat":4,'), "the JSON around the code is laid out"),
        (lambda raw: raw.replace(b'as ms\\n",\n', b'as ms\\n", \n'), "the code is laid out in another way"),
        (lambda raw: raw.replace(b'"import mindspore as ms\\n"', b'""'), "a line is empty"),
        (lambda raw: raw.replace(b"%time f(1)", b"%time f(1,\\n2)"), "code behind a magic goes on"),
        (lambda raw: re.sub(rb'\[\s*"# Train"\s*\]', b"1", raw), "nbformat refuses it"),
    ],
)
def test_a_notebook_that_breaks_is_noticed(broken: Callable[[bytes], bytes], why: str) -> None:
    raw = written(notebook(["# Train", TRAIN, "%time f(1)"])).encode()
    assert broken(raw) != raw and list(unlike(raw, raw)) == []
    assert any(each.startswith(why) for each in unlike(raw, broken(raw)))


# --- what is broken is noticed: rules of the tests' own stand in for the engine

Rule = Callable[[Source], Iterator[Finding]]


def finding(source: Source, start: int, edits: list[Edit], code: str) -> Finding:
    """Return a finding at an offset with a safe fix."""
    place = source.place(start)
    return Finding(place, code, "example", "an example", place, (place.row,), Fix("example", Safety.SAFE, tuple(edits)))


def replacing(old: str, new: str, code: str = "MSP301", reach: int = 0) -> Rule:
    """Return a rule that reports each `old` and puts `new` in its place, and in that of the bytes behind it."""

    def rule(source: Source) -> Iterator[Finding]:
        for match in re.finditer(re.escape(old.encode()), source.text):
            edit = Edit(source.path, match.start(), match.end() + reach, new)
            yield finding(source, match.start(), [edit], code)

    return rule


def failures(folder: Path, monkeypatch: pytest.MonkeyPatch, *rules: Rule, text: str = TEXT) -> list[str]:
    """Return what the script says of a folder with one file under these rules."""

    def lint(paths: list[str], config: Config, files: Files) -> Report:
        found = [each for path in paths for rule in rules for each in rule(Source(path, files.read(path)))]
        return Report(tuple(sorted(each for each in found if each.code in config.codes)), (), tuple(paths))

    monkeypatch.setattr(linting, "lint", lint)
    monkeypatch.setattr(ecosystem.Folder, "again", lambda *_: None)  # it runs the real rules
    (folder / "a.py").write_text(text)
    return [failure.why for failure in ecosystem.check(str(folder)).failures]


def test_a_good_fix_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert failures(tmp_path, monkeypatch, replacing("f(a)", "a")) == []


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ([replacing("f(a)", "a)")], "alone: does not parse"),
        ([replacing("f(1)", "1 + 1")], "alone: read in another way: row 3"),
        ([replacing("f(1)", "1 #")], "alone: not there any more: row 3: '2'"),
        ([replacing("    b = f(a)", "    b = 1\nif 1:")], "alone: not there any more: row 3"),
        ([replacing("f(a)", "f(a, 1)"), replacing("f(a", "f(a", "MSP101")], "alone: row 2: reported again"),
        ([replacing("f(a)", "(f(a))")], "alone: row 2: reported again"),
        ([replacing("f(a)", "g(a)"), replacing("g(a)", "a", "MSP202")], "reported only after the fix of MSP301"),
        ([replacing("f(a)", "g(a)"), replacing("g(a)", "f(a)", "MSP202")], "do not come to an end"),
        ([replacing("f(a)", "(a", reach=1)], "alone: does not parse"),
    ],
)
def test_a_broken_fix_is_noticed(rules: list[Rule], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = failures(tmp_path, monkeypatch, *rules)
    assert any(re.search(why, failure) for failure in found), found


@pytest.mark.parametrize(
    "broken",
    [
        lambda made: made.rstrip() + b"\n",
        lambda made: made.replace(b"# why", b"#"),
        lambda made: made.replace(b"\n", b"\r\n"),
    ],
    ids=["end", "comment", "line ends"],
)
def test_bytes_outside_of_the_edits_are_noticed(
    broken: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Source.edited
    monkeypatch.setattr(
        Source, "edited", lambda source, edits: broken(real(source, edits)) if edits else real(source, ())
    )
    found = failures(tmp_path, monkeypatch, replacing("f(a)", "a"), text=TEXT + "\n")
    assert "bytes differ outside of the reported edits" in found


def test_what_reaches_the_disk_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = fixing.write

    def write(changes: list[Change]) -> object:
        done = real(changes)
        for change in changes:
            Path(change.path).chmod(0o777)
            Path(change.path).with_name("left.tmp").touch()
        return done

    monkeypatch.setattr(fixing, "write", write)
    found = failures(tmp_path, monkeypatch, replacing("f(a)", "a"))
    assert sorted(found) == [
        "changed although nothing was fixed in it",
        "what was written is not what was made, or has another mode",
    ]


def test_a_second_run_that_finds_more_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "data.py").write_text(DATA)
    real = ecosystem.fix
    monkeypatch.setattr(ecosystem, "fix", lambda lint, files, config, unsafe: real(lint, files, config))
    found = [failure.why for failure in ecosystem.check(str(tmp_path)).failures]
    assert "a second run changes files" in found
    assert "could still be fixed at the end" in found


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_differ_and_parse(name: str) -> None:
    raw = (SAMPLES / "lenet.py").read_bytes()
    made = varied(raw, name)
    assert made is not None
    assert made != raw
    assert differences(made, made, []) == []


@pytest.mark.parametrize(
    ("before", "text", "differs"),
    [
        ("\n\nrun(2)", "    more()\n", False),
        ("\n\nrun(2)", "\n\nmore()\n", False),
        ("run(2)", "if more:\n  ", True),
    ],
    ids=["a statement at the end of a function", "behind it", "around the next"],
)
def test_what_comes_at_the_end_of_a_block_is_of_the_block_or_not(before: str, text: str, differs: bool) -> None:
    at = TEXT.index(before)
    made = spliced(TEXT.encode(), [(at, at, text)])
    assert bool(differences(TEXT.encode(), made, [(at, at, text)])) is differs


def test_edits_are_spliced_into_the_bytes_of_any_encoding() -> None:
    text = "# coding: gbk\r\n# 训练\r\nx = 1\r\n"
    at = Text.of(text.encode("gbk")).offset(3, 5)
    made = spliced(text.encode("gbk"), [(at, at + 1, "2\ny = '训'")])
    assert made.decode("gbk") == text.replace("1", "2\r\ny = '训'")
    moved = Moved(text.encode("gbk"), [(at, at + 1, "2\ny = '训'")])
    assert [moved.back(at - 1), moved.back(at), moved.back(at + 11), moved.back(at + 12)] == [
        at - 1,
        None,
        None,
        at + 1,
    ]
    with pytest.raises(ValueError, match="overlap"):
        spliced(b"abc", [(0, 2, ""), (1, 3, "")])
