"""The baseline: what it survives, what it does not, and that it only gets shorter unless asked."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from front import SAFE, TRAIN, Ran, environment, run
from test_suppressions import CALL, with_call

from ms_perflint.baseline import normalised

FILE = "known.json"
QUIET = "No findings in 1 file.\nThe baseline has 1 more.\n"
BASELINE = (*SAFE, "--baseline", FILE)
TWICE = TRAIN + TRAIN[TRAIN.index("def train") :].replace("train(n", "again(n").replace("train(None", "again(None")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a directory with a program whose one finding is in the baseline."""
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    done = run(*BASELINE, "--write-baseline", ".", cwd=tmp_path)
    assert (done.code, done.out) == (0, QUIET)
    assert done.err == "known.json: 1 in total (1 added, 0 removed)\n"
    return tmp_path


def known(folder: Path) -> list[tuple[str, int]]:
    """Return path and occurrence of the entries, in the order of the file."""
    document = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return [(entry["path"], entry["occurrence"]) for entry in document["findings"]]


def linted(folder: Path, *arguments: str) -> Ran:
    return run(*BASELINE, *arguments, cwd=folder)


def write(folder: Path, text: str, name: str = "train.py") -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        TRAIN,
        f"# moved\n\n\n{TRAIN}",
        TRAIN.replace("10, dataset", "20, dataset"),  # an edit elsewhere
        with_call("CheckpointConfig(\n        save_checkpoint_steps = 100,  # often\n    )"),
        with_call("(CheckpointConfig(save_checkpoint_steps=0x64))"),
        TRAIN.replace("\n", "\r\n"),
    ],
)
def test_what_an_entry_survives(here: Path, text: str) -> None:
    write(here, text)
    ran = linted(here, ".")
    assert (ran.code, ran.out, ran.err) == (0, QUIET, "")


@pytest.mark.parametrize(
    "text", [with_call("CheckpointConfig(save_checkpoint_steps=200)"), with_call(f"other = {CALL}")]
)
def test_an_edited_statement_is_reported_and_its_entry_is_gone(here: Path, text: str) -> None:
    write(here, text)
    ran = linted(here, "--output-format", "concise", ".")
    assert ran.code == 1 and ran.out.startswith("train.py:8:")
    gone = "known.json: 1 of 1 findings are gone (train.py MSP301); `--write-baseline` removes what is gone\n"
    assert ran.err == gone
    assert "gone" not in linted(here, "--quiet", ".").err


def test_one_more_of_the_same_is_new(here: Path) -> None:
    write(here, TWICE)
    ran = linted(here, ".")
    assert ran.code == 1 and ran.out.endswith("The baseline has 1 more.\n")


def test_it_gets_shorter_and_longer_only_when_asked(here: Path) -> None:
    write(here, TWICE)
    write(here, TRAIN, "other.py")
    before = (here / FILE).read_bytes()
    assert linted(here, "--write-baseline", ".").code == 1
    assert (here / FILE).read_bytes() == before
    extended = linted(here, "--extend-baseline", ".")
    assert (extended.code, extended.err) == (0, "known.json: 3 in total (2 added, 0 removed)\n")
    assert known(here) == [("other.py", 1), ("train.py", 1), ("train.py", 2)]
    write(here, TRAIN)
    (here / "other.py").unlink()
    assert "2 of 3 findings are gone (other.py MSP301, train.py MSP301)" in linted(here, ".").err
    assert linted(here, "--write-baseline", ".").err == "known.json: 1 in total (0 added, 2 removed)\n"
    assert known(here) == [("train.py", 1)]


def test_a_run_says_nothing_about_what_it_did_not_look_at(here: Path) -> None:
    write(here, TRAIN, "src/other.py")
    assert linted(here, "--extend-baseline", ".").code == 0
    write(here, "import mindspore\nModelCheckpoint(\n", "src/other.py")
    write(here, "", "train.py")
    before = (here / FILE).read_bytes()
    for arguments in (["src"], ["--ignore", "MSP301", "train.py"], ["--per-file-ignores", "train.py:ALL", "train.py"]):
        ran = linted(here, *arguments, "--write-baseline")
        assert "0 added, 0 removed" in ran.err
        assert (here / FILE).read_bytes() == before


def test_one_entry_is_one_line(here: Path) -> None:
    write(here, TWICE)
    linted(here, "--extend-baseline", ".")
    lines = (here / FILE).read_text(encoding="utf-8").splitlines()
    assert lines[0] == '{"version": 1, "findings": [' and lines[-1] == "]}"
    entries = [json.loads(line.rstrip(",")) for line in lines[1:-1]]
    assert [list(entry) for entry in entries] == [["path", "code", "statement", "occurrence"]] * 2


def test_pyproject_names_it_from_where_it_stands(here: Path) -> None:
    (here / "pyproject.toml").write_text(f'[tool.ms-perflint]\nselect = ["MSP301"]\nbaseline = "{FILE}"\n')
    (here / "src").mkdir()
    assert run("../train.py", cwd=here / "src").code == 0
    assert run("--no-baseline", "../train.py", cwd=here / "src").code == 1
    flake8 = [sys.executable, "-m", "flake8", "--select", "MSP301", "train.py"]
    assert not subprocess.run(flake8, cwd=here, env=environment(), capture_output=True, check=True).stdout


def test_fixing_leaves_alone_what_is_known_also_where_it_changes_the_statement(here: Path) -> None:
    text = TRAIN.replace('ModelCheckpoint("net", config=config)', 'ModelCheckpoint("net", config=CheckpointConfig(1))')
    text = text.replace(f"    config = {CALL}\n", "")
    assert text.count("CheckpointConfig(") == 1
    write(here, text.replace("mindspore as ms", "mindspore as ms\nms.set_context(mode=0)"))
    assert run(*BASELINE, "--extend-baseline", ".", cwd=here).code == 0
    select = ("--isolated", "--select", "MSP301,MSP102", "--baseline", FILE, "--unsafe-fixes", "--fix")
    fixed = run(*select, ".", cwd=here)
    after = (here / "train.py").read_text(encoding="utf-8")
    assert "dataset_sink_mode=True" in after and "async_save" not in after
    assert fixed.code == 1  # its statement is another now


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is no baseline of ms-perflint: Expecting value"),
        ("[]", "is no baseline of ms-perflint: "),
        ('{"version": 1, "findings": [{}]}', "is no baseline of ms-perflint: "),
        ('{"version": 2, "findings": []}', "was written by another version of ms-perflint"),
        (None, "there is no such baseline; `--write-baseline` writes it"),
    ],
)
def test_a_broken_one_is_one_clear_line(here: Path, content: str | None, message: str) -> None:
    (here / FILE).unlink()
    if content is not None:
        (here / FILE).write_text(content)
    ran = linted(here, ".")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"ms-perflint: error: known.json: {message}") and ran.err.count("\n") == 1


def test_options_that_do_not_go_together(here: Path) -> None:
    for other in ("--fix", "--diff", "--add-noqa", "--no-baseline"):
        ran = linted(here, "--write-baseline", other, ".")
        assert (ran.code, ran.err) == (
            2,
            f"ms-perflint: error: --write-baseline and {other}: run one after the other\n",
        )
    ran = run(*SAFE, "--extend-baseline", ".", cwd=here)
    assert ran.code == 2 and "no baseline to write: name it with `--baseline FILE`" in ran.err


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x = f(1, 'a', b=2)", 'x = (f(\n    1,\n    "a",\n    b = 2,\n))  # why', True),
        ("with f(1) as x:\n    pass", "with (f(1)) as x:\n    y = 2\n    z = 3", True),
        ("with f(1) as x:\n    pass", "with f(2) as x:\n    pass", False),
        ("if f(1): pass\nelse: g()", "if f(1):\n    h()", True),
        ("x = a if b else c", "x = a if c else b", False),
        ("x = lambda: 1", "x = lambda: 2", False),
        ("f(a, b)", "f(b, a)", False),
        ("f(a=b)", "f(b=a)", False),
        ("f([a], b)", "f([a, b])", False),
        ("f(1)", "f(1.0)", False),
        ("f('1')", "f(1)", False),
        ("@f(1)\ndef g(x): pass", "@f(1)\ndef g(x):\n    return x", True),
        ("@f(1)\ndef g(x): pass", "@f(2)\ndef g(x): pass", False),
    ],
)
def test_the_meaning_of_a_statement_counts(one: str, other: str, same: bool) -> None:
    assert (normalised(ast.parse(one).body[0]) == normalised(ast.parse(other).body[0])) is same


def test_a_statement_is_written_the_same_by_every_python() -> None:
    text = "x: int = f'{a!r:>{b}} c' + g(*d, e=None, **{'é': ...})[1:2, ~h]"
    assert normalised(ast.parse(text).body[0]) == (
        "=AnnAssign(target=Name(id='x',)annotation=Name(id='int',)value=BinOp(left=JoinedStr(values=FormattedValue("
        "value=Name(id='a',)conversion=114,format_spec=JoinedStr(values=Constant(value='>',)values=FormattedValue("
        "value=Name(id='b',)conversion=-1,)))values=Constant(value=' c',))op=Add()right=Subscript(value=Call(func=Name("
        "id='g',)args=Starred(value=Name(id='d',))keywords=keyword(arg='e',value=Constant())keywords=keyword(value=Dict("
        "keys=Constant(value='\\xe9',)values=Constant(value=Ellipsis,))))slice=Tuple(elts=Slice(lower=Constant(value=1,)"
        "upper=Constant(value=2,))elts=UnaryOp(op=Invert()operand=Name(id='h',)))))simple=1,)"
    )


def test_empty_text_of_an_f_string_is_left_out_and_no_other() -> None:
    (stmt,) = ast.parse("x = f'{a}'").body
    assert isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.JoinedStr)
    before = normalised(stmt)
    stmt.value.values.append(ast.Constant(""))
    assert normalised(stmt) == before
    assert normalised(ast.parse("{1: ''}").body[0]) != normalised(ast.parse("{1: None}").body[0])
    assert normalised(ast.parse("a or ''").body[0]) != normalised(ast.parse("a or b").body[0])


# --- where it may be written


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with one finding, with links that lead out of it and one that does not."""
    root = tmp_path / "project"
    (root / "inner").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    write(root, TRAIN)
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "dangling.json").symlink_to(tmp_path / "outside" / "new.json")
    (root / "chain").symlink_to("out")
    (root / "in").symlink_to("inner")
    return root


def configured(root: Path, baseline: str) -> None:
    """Let the configuration of a project name a baseline."""
    (root / "pyproject.toml").write_text(f"[tool.ms-perflint]\nselect = ['MSP301']\nbaseline = '{baseline}'\n")


OUTSIDE = (
    "../outside/new.json",
    "../new.json",
    "inner/../../new.json",
    "out/new.json",
    "chain/new.json",
    "dangling.json",
)


@pytest.mark.parametrize("option", ["--write-baseline", "--extend-baseline"])
@pytest.mark.parametrize("name", [*OUTSIDE, "{parent}/outside/new.json"])
def test_a_configuration_names_no_file_to_write_outside_of_its_project(project: Path, name: str, option: str) -> None:
    parent = project.parent
    configured(project, name.format(parent=parent))
    before = sorted(parent.rglob("*"))
    for folder in (project, parent):
        ran = run(option, "--no-cache", str(project), cwd=folder)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert f"outside of {project}: name it with `--baseline` to write it" in ran.err
    assert sorted(parent.rglob("*")) == before


@pytest.mark.parametrize(
    "name", ["known.json", "inner/known.json", "in/known.json", "inner/../known.json", "{root}/known.json"]
)
def test_a_configuration_names_a_file_to_write_inside_of_its_project(project: Path, name: str) -> None:
    configured(project, name.format(root=project))
    for folder in (project, project.parent):
        ran = run("--write-baseline", str(project), cwd=folder)
        assert (ran.code, ran.out) == (0, QUIET)
    assert len([path for path in project.rglob("known.json") if not path.is_symlink()]) == 1


@pytest.mark.parametrize("name", OUTSIDE)
def test_the_command_line_names_any_file(project: Path, name: str) -> None:
    configured(project, "../elsewhere.json")
    ran = run("--baseline", name, "--write-baseline", ".", cwd=project)
    assert (ran.code, ran.out) == (0, QUIET)
    assert len(json.loads((project / name).read_text())["findings"]) == 1


def test_a_baseline_outside_of_the_project_is_read(project: Path) -> None:
    run("--baseline", "../known.json", "--write-baseline", ".", cwd=project)
    configured(project, "../known.json")
    assert run(".", cwd=project).out == QUIET
