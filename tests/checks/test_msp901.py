"""MSP901: which suppressions are unused, what is left of their comments, and where nobody can know."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from front import TRAIN, environment, run
from test_suppressions import CALL, PATH, with_call

from ms_perflint.config.settings import Config, FileIgnore
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.engine import lint
from ms_perflint.fixes.fixing import settle
from ms_perflint.infer import queries

ROOT = os.path.dirname(PATH)
FAST = "CheckpointConfig(save_checkpoint_steps=100, async_save=True)"
BOTH = Config(root=ROOT, select=("MSP301", "MSP901"))


def settled(files: dict[str, str], config: Config = BOTH) -> tuple[list[tuple[str, int, int]], dict[str, str]]:
    """Return the places of what MSP901 says of all files, and their texts after the fixes."""
    overlay = Overlay(Nowhere(), {os.path.join(ROOT, name): text.encode() for name, text in files.items()})
    paths = sorted(overlay.contents)
    found = [finding for finding in lint(paths, config, overlay).findings if finding.code == "MSP901"]
    made = settle(lambda state: lint(paths, config, state), overlay, config)
    assert not made.problems or any("parse" in problem.message for problem in made.problems)
    after = {os.path.relpath(change.path, ROOT): change.after.decode() for change in made.changes}
    places = [(os.path.relpath(one.place.path, ROOT), one.place.row, one.place.column) for one in found]
    return places, {**files, **after}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x  # noqa: MSP301", "x"),
        ("x  # noqa: MSP301 ", "x"),
        ("x  #noqa:msp301", "x"),
        ("x \t # noqa: MSP301 长 the reason", "x \t # 长 the reason"),
        ("x  # noqa: MSP301, since", "x  # since"),
        ("x  # noqa: MSP301,E501", "x  # noqa: E501"),
        ("x  # noqa: E501,MSP301,W291", "x  # noqa: E501,W291"),
        ("x  # noqa: E501 MSP301  W291 why", "x  # noqa: E501  W291 why"),
        ("x  # noqa: E501, MSP301", "x  # noqa: E501"),
        ("x  # noqa: MSP301, MSP3, E501", "x  # noqa: E501"),
        ("x  # type: ignore  # noqa: MSP301", "x  # type: ignore"),
        ("x  # noqa: MSP301  # type: ignore", "x  # type: ignore"),
        ("x  # 长 # noqa: MSP301 why", "x  # 长 # why"),
        ("x  # noqa: E501  # noqa: MSP301", "x  # noqa: E501"),
        ("x  # noqa: MSP987", "x"),
        ("# noqa: MSP301\nx", "x"),
        ("# noqa: MSP301 why\nx", "# why\nx"),
        ("if x:\n    # noqa: MSP301\n    pass", "if x:\n    pass"),
        ("x = (  # noqa: MSP301\n    1,\n)", "x = (\n    1,\n)"),
        ("# ms-perflint: disable-file=MSP301\nx", "x"),
        ("# ms-perflint: disable-file MSP301 why\nx", "# why\nx"),
        ("# ms-perflint: disable-file=MSP101,MSP301\nx", "# ms-perflint: disable-file=MSP101\nx"),
        ("x  # ms-perflint: disable-file=MSP301, MSP101", "x  # ms-perflint: disable-file=MSP101"),
    ],
)
def test_what_is_left_of_a_comment(before: str, after: str, newline: str) -> None:
    before, after = (f"import mindspore\n{text}\ny\n".replace("\n", newline) for text in (before, after))
    found, texts = settled({"train.py": before})
    assert found and texts == {"train.py": after}
    assert ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))
    assert settled(texts) == ([], texts)


@pytest.mark.parametrize(
    "line",
    [
        "x  # noqa",
        "x  # noqa: E501",
        "x  # noqa: MSP101",  # not selected
        "x  # noqa: MSP",  # means all, as to flake8
        "x  # noqa: MSP000, MSP901",
        "# ms-perflint: disable-file",
        "# ms-perflint: disable-file=MSP101",
        "# ms-perflint: disable-file=MSP",
        "# write # noqa: MSP301 behind it",
        "x  # write `# noqa: MSP301` behind it",
        'x = "# noqa: MSP301"',
        '"""\n# noqa: MSP301\n"""',
        "x  # noqa: MSP301  # noqa",
        "x  # noqa: MSP901, MSP301",
        "# ms-perflint: disable-file=MSP901\nx  # noqa: MSP301",
        "# flake8: noqa\nx  # noqa: MSP301",
    ],
)
def test_not_reported(line: str) -> None:
    files = {"train.py": f"import mindspore\n{line}\n"}
    assert settled(files) == ([], files)


@pytest.mark.parametrize(
    "text",
    [
        with_call(f"{CALL}  # noqa: MSP301"),
        with_call(f"{CALL}  # noqa: MSP3"),
        with_call("CheckpointConfig(  # noqa: MSP301\n        1\n    )  # noqa: MSP301"),
        with_call('CheckpointConfig("""  \n""", 1)  # noqa: MSP301'),
        with_call("\\\n        CheckpointConfig(1)  # noqa: MSP301"),
        "# ms-perflint: disable-file=MSP301\n" + TRAIN,
    ],
)
def test_what_hides_something_is_used(text: str) -> None:
    assert settled({"train.py": text})[0] == []


def test_it_speaks_where_the_gate_looks_no_further() -> None:
    assert settled({"a.py": "x  # noqa: MSP301\n"})[0] == [("a.py", 1, 12)]
    assert settled({"a.py": "x = (  # noqa: MSP301\n"})[0] == []
    assert settled({"a.py": "x  # noqa: MSP301\n"}, Config(root=ROOT))[0] == []
    ignored = Config(root=ROOT, select=("MSP301", "MSP901"), per_file_ignores=(FileIgnore("a.py", ("MSP301",)),))
    assert settled({"a.py": "x  # noqa: MSP301\n"}, ignored)[0] == []


SAVE = """\
from mindspore import save_checkpoint


def save(net):
    save_checkpoint(net, "a.ckpt")  # noqa: MSP301


def other():
    pass  # noqa: MSP501
"""
MAIN = "from save import save\n\nif __name__ == '__main__':\n    save(1)\n"
ALL = Config(root=ROOT, select=("ALL", "MSP901"))


def test_what_another_fix_brings_up_stays_suppressed() -> None:
    """Sinking concerns graph mode only: its suppression is unused until the fix of MSP101."""
    mode = "\nms.set_context(mode=ms.PYNATIVE_MODE)\n"
    text = TRAIN.replace("\n\n", f"\n{mode}\n", 1).replace("=config)])", "=config)])  # noqa: MSP102, MSP501")
    overlay = Overlay(Nowhere(), {PATH: text.encode()})
    config = Config(root=ROOT, select=("MSP101", "MSP102", "MSP501", "MSP901"))
    made = settle(lambda state: lint([PATH], config, state), overlay, config, unsafe=True)
    assert made.changes[0].after.decode() == text.replace("PYNATIVE", "GRAPH").replace(", MSP501", "")


def test_a_rule_that_could_not_see_all_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {"save.py": SAVE, "train.py": MAIN}
    assert [row for _, row, _ in settled(whole, ALL)[0]] == [5, 9]
    # MSP501 has nothing to find in this file, whatever its programs do
    assert [row for _, row, _ in settled({**whole, "train.py": f"{MAIN}\nx = (\n"}, ALL)[0]] == [9]
    many = {f"train_{number}.py": MAIN for number in range(20)}
    assert [row for _, row, _ in settled({**whole, **many}, ALL)[0]] == [5, 9]
    loop = "import mindspore as ms\nfrom save import save\nmodel = ms.Model(net)\n"
    loop += "for epoch in range(9):\n    model.train(1, data)\n"
    trained = {"save.py": SAVE, "train.py": loop}
    assert 5 in [row for path, row, _ in settled(trained, ALL)[0] if path.endswith("save.py")]
    monkeypatch.setattr(queries, "BUDGET", 0)
    assert 5 not in [row for path, row, _ in settled(trained, ALL)[0] if path.endswith("save.py")]


def test_on_the_command_line_from_comment_to_mend(tmp_path: Path) -> None:
    train = tmp_path / "train.py"
    (tmp_path / "plain.py").write_text("x = 1  # noqa: MSP301\n")
    train.write_text(TRAIN)
    both = ("--isolated", "--select", "MSP301,MSP901", "--output-format", "concise")
    assert "1 finding in 1 file" in run(*both, "--add-noqa", ".", cwd=tmp_path).err
    assert run(*both, "train.py", cwd=tmp_path).code == 0
    train.write_text(train.read_text().replace("steps=100", "steps=100, async_save=True"))
    for _ in range(2):  # the second time from memory
        ran = run(*both, ".", cwd=tmp_path)
        assert [line.split(":")[0] for line in ran.out.splitlines()[:-1]] == ["plain.py", "train.py"]
        assert "MSP901 [*] nothing here for MSP301 to suppress: later findings would be hidden" in ran.out
    assert run(*both, "plain.py", cwd=tmp_path).code == 1
    assert run("--isolated", "--select", "MSP301", ".", cwd=tmp_path).code == 0
    fixed = run(*both, "--fix", ".", cwd=tmp_path)
    assert (fixed.code, train.read_text()) == (0, with_call(FAST))
    assert (tmp_path / "plain.py").read_text() == "x = 1\n"


def test_in_flake8_it_is_off_until_it_is_selected(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(with_call(f"{FAST}  # noqa: MSP301"))
    (tmp_path / "plain.py").write_text("x = 1  # noqa: MSP301\n")
    (tmp_path / "used.py").write_text(with_call(f"{CALL}  # noqa: MSP301"))

    def found(*arguments: str) -> list[str]:
        command = [sys.executable, "-m", "flake8", "--isolated", *arguments, "."]
        done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
        assert not done.stderr
        return sorted(line.split()[0] for line in done.stdout.splitlines() if " MSP901 " in line)

    assert found() == []
    assert found("--extend-select", "MSP901") == ["./plain.py:1:16:", "./train.py:8:84:"]
    assert found("--extend-select", "MSP901", "--disable-noqa") == []
