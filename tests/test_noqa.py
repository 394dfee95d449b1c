"""`--add-noqa`: where the comments go, what they leave as it is, and that nothing but comments changes."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from examples import examples
from front import SAFE, TRAIN, run
from test_suppressions import CALL, PATH, with_call
from variants import VARIANTS, varied

from ms_perflint import pages
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.core.source import Source
from ms_perflint.engine import Report, lint
from ms_perflint.fixes import noqa

ROOT = os.path.dirname(PATH)


def linted(raw: bytes, select: str = "MSP301") -> tuple[Report, Overlay]:
    files = Overlay(Nowhere(), {PATH: raw})
    return lint([PATH], Config(root=ROOT, select=(select,)), files), files


def added(raw: bytes, reason: str = "", select: str = "MSP301") -> bytes:
    """Return a file after `--add-noqa`: it means what it meant, nothing is left, and a second time nothing changes."""
    report, files = linted(raw, select)
    made = noqa.add(report.findings, files, reason)
    assert not made.problems and made.hidden == report.findings
    after = made.changes[0].after if made.changes else raw
    before, now = Source(PATH, raw), Source(PATH, after)
    assert ast.dump(ast.parse(before.text.decode())) == ast.dump(ast.parse(now.text.decode()))
    assert (before.bom, before.encoding) == (now.bom, now.encoding)
    assert len(before.starts) == len(now.starts)
    again, _ = linted(after, select)
    assert not again.findings and again.problems == report.problems
    return after


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("call", "suppressed"),
    [
        (CALL, f"{CALL}  # noqa: MSP301"),
        (f"{CALL}  \t", f"{CALL}  # noqa: MSP301"),
        (f"{CALL}  # why", f"{CALL}  # why  # noqa: MSP301"),
        (f"{CALL} # type: ignore", f"{CALL} # type: ignore  # noqa: MSP301"),
        (f"{CALL}  # noqa: E501", f"{CALL}  # noqa: E501, MSP301"),
        (f"{CALL}  # noqa:E501,W291", f"{CALL}  # noqa:E501,W291, MSP301"),
        (f"{CALL}  # noqa: E501 长 and why", f"{CALL}  # noqa: E501, MSP301 长 and why"),
        (f"{CALL}  # 长 # noqa: E501 ", f"{CALL}  # 长 # noqa: E501, MSP301"),
        (f"{CALL}  # noqa: E501  # type: ignore", f"{CALL}  # noqa: E501, MSP301  # type: ignore"),
        ("CheckpointConfig(\n        1,\n    )", "CheckpointConfig(  # noqa: MSP301\n        1,\n    )"),
        ("(\n        CheckpointConfig(1)\n    )", "(\n        CheckpointConfig(1)  # noqa: MSP301\n    )"),
        ("\\\n        CheckpointConfig(1)", "\\\n        CheckpointConfig(1)  # noqa: MSP301"),
        ("CheckpointConfig(\\\n        1)", "CheckpointConfig(\\\n        1)  # noqa: MSP301"),
        ('CheckpointConfig("""\n# noqa: A1\n""")', 'CheckpointConfig("""\n# noqa: A1\n""")  # noqa: MSP301'),
        ('CheckpointConfig(f"""\n{1 +\n1}\n""")', 'CheckpointConfig(f"""\n{1 +\n1}\n""")  # noqa: MSP301'),
        ("CheckpointConfig('# noqa: E501')", "CheckpointConfig('# noqa: E501')  # noqa: MSP301"),
        (f"{CALL}; x = 1", f"{CALL}; x = 1  # noqa: MSP301"),
    ],
)  # fmt: skip
def test_where_a_comment_goes(call: str, suppressed: str, newline: str) -> None:
    before, after = (with_call(text).replace("\n", newline).encode() for text in (call, suppressed))
    assert added(before) == after


def test_a_reason_stands_behind_the_codes_unless_there_is_one() -> None:
    assert added(with_call(CALL).encode(), "它") == with_call(f"{CALL}  # noqa: MSP301 它").encode()
    merged = added(with_call(f"{CALL}  # noqa: E501").encode(), "legacy")
    assert merged == with_call(f"{CALL}  # noqa: E501, MSP301 legacy").encode()
    kept = with_call(f"{CALL}  # noqa: E501 long").encode()
    assert added(kept, "legacy") == with_call(f"{CALL}  # noqa: E501, MSP301 long").encode()


def test_several_codes_of_a_row_are_one_comment() -> None:
    (both,) = (
        example.files[0][1].replace("  # !", "")
        for example in pages.page("MSP203").examples
        if example.row == pages.page("MSP203").examples[0].row
    )
    text = both.replace('Model(net, loss, optimizer, amp_level="O2")', "Model(net, loss, optimizer)")
    text = text.replace("ms.set_context(mode=ms.GRAPH_MODE)\n", "")
    assert added(text.encode(), select="ALL").count(b"# noqa: ") == 3


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("code", pages.codes())
def test_nothing_but_comments_changes_in_any_shape_of_a_file(code: str, name: str) -> None:
    for example in examples(code):
        for file, text in example.files:
            raw = varied(text.encode(), name) if file.endswith(".py") else None
            if raw is not None:
                added(raw, select="ALL")


def test_a_reason_that_the_encoding_lacks_is_a_problem() -> None:
    report, files = linted(b"# -*- coding: latin-1 -*-\n" + TRAIN.encode())
    made = noqa.add(report.findings, files, "它")
    assert not made.changes and not made.hidden
    assert [problem.message.split(":")[0] for problem in made.problems] == ["no comment was written"]


def test_the_command_line_writes_counts_and_exits_with_0(tmp_path: Path) -> None:
    train = tmp_path / "train.py"
    train.write_text(TRAIN)
    (tmp_path / "other.py").write_text(TRAIN)
    shown = run(*SAFE, "--add-noqa", "--diff", ".", cwd=tmp_path)
    assert (shown.code, shown.err) == (0, "Would add `# noqa` for 2 findings in 2 files.\n")
    assert "+    config = CheckpointConfig(save_checkpoint_steps=100)  # noqa: MSP301\n" in shown.out
    assert train.read_text() == TRAIN
    done = run(*SAFE, "--add-noqa=since 2019", "train.py", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, "", "Added `# noqa` for 1 finding in 1 file.\n")
    assert train.read_text() == with_call(f"{CALL}  # noqa: MSP301 since 2019")
    assert run(*SAFE, "train.py", cwd=tmp_path).code == 0
    again = run(*SAFE, "train.py", "--add-noqa", cwd=tmp_path)
    assert (again.code, again.err) == (0, "Added `# noqa` for 0 findings in 0 files.\n")
    assert train.read_text() == with_call(f"{CALL}  # noqa: MSP301 since 2019")
    (tmp_path / "broken.py").write_text("import mindspore\nModelCheckpoint(\n")
    assert run(*SAFE, "--add-noqa", ".", cwd=tmp_path).code == 2
    assert (tmp_path / "other.py").read_text() == with_call(f"{CALL}  # noqa: MSP301")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--add-noqa=two\nlines"], "a reason is one line of text"),
        (["--add-noqa=H100 only"], '"H100" at the start of a reason would be read as one more code'),
        (["--add-noqa", "--fix"], "--fix and --add-noqa: what is fixed needs no comment"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    ran = run(*SAFE, *arguments, "train.py", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "") and message in ran.err
    assert (tmp_path / "train.py").read_text() == TRAIN


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("pyproject.toml", "[tool.ruff]\nline-length = 100\n", True),
        ("pyproject.toml", '[tool.ruff.lint]\nexternal = ["V",\n  "MSP"]\n', False),
        ("pyproject.toml", "[tool.black]\n", False),
        ("ruff.toml", '[lint]\nselect = ["ALL"]\n', True),
        (".ruff.toml", "lint.external = ['MSP']\n", False),
    ],
)
def test_who_uses_ruff_is_told_to_let_our_codes_stand(tmp_path: Path, name: str, text: str, told: bool) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").write_text(TRAIN)
    ran = run("--select", "MSP301", "-n", "--add-noqa", ".", cwd=tmp_path / "src")
    assert ("lint.external" in ran.err) is told and "Added `# noqa` for 1 finding in 1 file." in ran.err
    assert "lint.external" not in run("--select", "MSP301", "-n", "--add-noqa", ".", cwd=tmp_path / "src").err
