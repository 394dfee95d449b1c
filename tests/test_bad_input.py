"""Input that cannot be read, understood or written: one clear line each, exit code 2, the other files still done."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from front import FIXED, SAFE, TRAIN, Ran, run, run_process

posix = pytest.mark.skipif(os.name != "posix", reason="needs file modes")
IMPORT = b"import mindspore\nfrom mindspore.train import CheckpointConfig\n"


def beside_a_good_file(root: Path, *paths: str, options: tuple[str, ...] = (), run: Callable[..., Ran] = run) -> Ran:
    """Lint these paths and a good program; assert that the good one is reported all the same."""
    (root / "good.py").write_text(TRAIN, encoding="utf-8")
    ran = run(*SAFE, "--output-format", "concise", *options, *paths, "good.py", cwd=root)
    assert "Traceback" not in ran.err
    if "--fix" in options:
        assert (root / "good.py").read_text(encoding="utf-8") == FIXED
    else:
        assert ran.out.startswith("good.py:8:14: MSP301 [*]")
        assert ran.out.count("MSP301") == 1
    return ran


@pytest.mark.parametrize("path", ["bad.py", "missing.py"])
def test_where_nothing_could_be_linted_nothing_is_said_to_be_fine(tmp_path: Path, path: str) -> None:
    (tmp_path / "bad.py").write_bytes(IMPORT + b"x = (\n")
    ran = run(*SAFE, path, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"{path}:")
    assert json.loads(run(*SAFE, "--output-format", "json", path, cwd=tmp_path).out) == []


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        pytest.param(IMPORT + b"x = (\n", "bad.py:3:", id="unclosed"),
        pytest.param(IMPORT + b"  x = 1\n", "bad.py:3:", id="indented"),
        pytest.param(
            IMPORT + b"x = '\xff'\n", "bad.py:3:6: error: the file is not valid utf-8: bad byte at offset 67", id="utf8"
        ),
        pytest.param(
            b"# coding: gbk\n" + IMPORT + b"x = '\xff'\n",
            "bad.py:4:6: error: the file is not valid gbk: bad byte",
            id="gbk",
        ),
        pytest.param(b"# coding: klingon\n" + IMPORT, "bad.py:1:1: error: ", id="codec"),
        pytest.param(IMPORT + b"x = 1\0\n", "bad.py:3:1: error: the file contains a NUL byte", id="nul"),
        pytest.param(IMPORT + b"print 'x'\n", "bad.py:3:", id="python2"),
    ],
)
def test_text_that_is_no_python(tmp_path: Path, raw: bytes, error: str) -> None:
    (tmp_path / "bad.py").write_bytes(raw)
    ran = beside_a_good_file(tmp_path, "bad.py")
    assert ran.code == 2
    assert ran.err.startswith(error)
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("gone.py", "gone.py: error: no such file or directory\n"),
        ("self.py", "self.py: error: too many levels of symbolic links\n"),
        ("pipe.py", "pipe.py: error: not a regular file\n"),
        ("a\x1b[31m\n.py", "a\\x1b[31m\\n.py: error: no such file or directory\n"),
    ],
)
def test_paths_that_lead_nowhere(tmp_path: Path, path: str, error: str) -> None:
    (tmp_path / "self.py").symlink_to("self.py")
    os.mkfifo(tmp_path / "pipe.py")
    ran = beside_a_good_file(tmp_path, path)
    assert (ran.code, ran.err) == (2, error)


def run_as_nobody(*arguments: str, cwd: Path) -> Ran:
    """Run the tool as a user who may not do everything: as nobody, where this is root."""
    script = (
        "import contextlib, io, os, sys\n"
        "from ms_perflint.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):\n"
        "    with contextlib.suppress(SystemExit): main(['--diff', *sys.argv[1:]])  # nobody may not import\n"
        "if os.geteuid() == 0: os.setegid(65534); os.seteuid(65534)\n"
        "main(sys.argv[1:])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60, check=False
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def public() -> Iterator[Path]:
    """Return a directory that every user may enter."""
    above = Path(tempfile.gettempdir()).resolve()
    if not all(folder.stat().st_mode & 0o001 for folder in (above, *above.parents)):
        pytest.skip("other users may not enter the temporary directory")
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


@posix
def test_a_file_that_may_not_be_read(public: Path) -> None:
    (public / "secret.py").write_bytes(IMPORT)
    (public / "secret.py").chmod(0)
    (public / "good.py").write_text(TRAIN, encoding="utf-8")
    ran = run_as_nobody(*SAFE, "--output-format", "concise", ".", cwd=public)
    assert (ran.code, ran.err) == (2, "secret.py: error: cannot be read: Permission denied\n")
    assert ran.out.startswith("good.py:8:14: MSP301 [*]")


@posix
def test_a_directory_that_may_not_be_listed(public: Path) -> None:
    (public / "closed").mkdir(mode=0)
    (public / "good.py").write_text(TRAIN, encoding="utf-8")
    ran = run_as_nobody(*SAFE, "--output-format", "concise", ".", cwd=public)
    assert (ran.code, ran.err) == (2, "closed: error: cannot be listed: Permission denied\n")
    assert ran.out.startswith("good.py:8:14: MSP301 [*]")


@posix
@pytest.mark.parametrize("mode", [0o555, 0o755])
def test_a_file_that_cannot_be_written(public: Path, mode: int) -> None:
    for name in "closed", "open":
        (public / name).mkdir()
        (public / name / "train.py").write_text(TRAIN, encoding="utf-8")
        (public / name / "train.py").chmod(0o444 if name == "closed" else 0o666)
    (public / "open").chmod(0o777)
    (public / "closed").chmod(mode)
    ran = run_as_nobody(*SAFE, "--fix", "--output-format", "concise", ".", cwd=public)
    assert ran.code == 2
    assert ran.err.startswith(f"{os.path.join('closed', 'train.py')}: error: cannot write the fixed file: ")
    assert ran.err.count("\n") == 1
    assert (public / "closed" / "train.py").read_text(encoding="utf-8") == TRAIN
    assert (public / "open" / "train.py").read_text(encoding="utf-8") == FIXED
    assert os.listdir(public / "closed") == os.listdir(public / "open") == ["train.py"]
    assert ran.out.splitlines()[-1] == "Found 2 findings (1 fixed, 1 remaining)."


BROKEN = {
    "other.py": b"x = (\n\xff",
    "utf8.py": b"x = '\xff'\n",
    "comment.py": b"x = 1  # caf\xe9\n",  # Python reads it as bytes, and not as a file
    "codec.py": b"# coding: klingon\n",
    "old.py": b"print 'x'\n",
    "nul.py": b"x = 1\0\n",
    "unasked.py": b"import mindspore\ndef f(:\n",  # no rule looks at a name in it
    "importing.py": b"from train import train\ndef f(:\n",
    "other.ipynb": b"{",
    "cell.ipynb": b'{"cells": [{"cell_type": "code", "source": ["x = ("]}], "nbformat": 4, "nbformat_minor": 5}',
}


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize("is_alone", [False, True])
def test_files_in_a_folder_have_to_be_python_as_those_that_are_named(
    tmp_path: Path, is_known: bool, is_alone: bool
) -> None:
    """Whether they speak of MindSpore or not: with and without a training program, and a cache that knows the rest."""
    (tmp_path / "fine.py").write_text("import os\n")
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\nx = '\xe9'\n")
    (tmp_path / "bom.py").write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    (tmp_path / "fine.ipynb").write_text('{"cells": [], "nbformat": 4, "nbformat_minor": 5}')
    if not is_alone:
        (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    options = ("--isolated", "--cache-dir", "cache")
    if is_known:
        assert run(*options, ".", cwd=tmp_path).err == ""
    for name, raw in BROKEN.items():
        (tmp_path / name).write_bytes(raw)
    for asked in ((*options, "."), (*options, "."), ("--isolated", "-n", *BROKEN)):
        ran = run(*asked, cwd=tmp_path)
        assert (ran.code, sorted(re.findall(r"(?m)^[\w.]+", ran.err))) == (2, sorted(BROKEN))
    assert run(*options, "--exit-zero", ".", cwd=tmp_path).code == 0
    ran = run(*options, "--exclude", ",".join(BROKEN), ".", cwd=tmp_path)
    assert (ran.code, ran.err) == (0 if is_alone else 1, "")


def test_an_import_of_a_broken_file_is_said_where_only_the_program_is_asked(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("def f(:\n")
    text = TRAIN.replace("import mindspore as ms", "import mindspore as ms\nfrom net import Net")
    (tmp_path / "train.py").write_text(text.replace("train(None, ", "train(Net(), "))
    ran = run("--isolated", "-n", ".", cwd=tmp_path)
    assert ran.code == 2 and "net.py:1:7: error: syntax error: invalid syntax\n" in ran.err
    alone = run("--isolated", "-n", "train.py", cwd=tmp_path)
    assert alone.code == 1 and "train.py: not judged for " in alone.err and " in net.py:1; see" in alone.err


EVAL = """import mindspore as ms
from steps import go
{imports}
ms.set_context(mode=ms.GRAPH_MODE)
net.set_train(False)
model.eval(None)
"""
STEPS = "import mindspore\ndef go(model):\n    model.train(1)\n"


@pytest.mark.parametrize(
    ("imports", "steps", "raw", "is_said"),
    [
        ("from conf import model, net", STEPS, b"# '\xff'\n", True),
        ("from conf import model, net", STEPS, b"def f(:\n", True),
        ("from conf import model, net", STEPS, b"x = 1\0\n", True),
        ("import conf\nmodel = net = conf.model", STEPS, b"def f(:\n", True),
        ("from far.near import model, net", STEPS, b"def f(:\n", True),
        ("from conf import model, net", STEPS, b"", False),
        ("from conf import model, net", STEPS.replace(".train(1)", ".eval(1)"), b"def f(:\n", False),  # nothing trains
        ("model = net = None", STEPS, b"def f(:\n", False),
    ],
)
def test_an_entry_without_a_place_for_a_rule_tells_of_a_broken_import(
    imports: str, steps: str, raw: bytes, is_said: bool, tmp_path: Path
) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "near.py").write_text("import conf\nmodel, net = conf.model, conf.net\n")
    (tmp_path / "steps.py").write_text(steps)
    (tmp_path / "conf.py").write_bytes(b"model = net = None\n" + raw)
    (tmp_path / "eval.py").write_text(EVAL.format(imports=imports))
    ran = run("--isolated", "-n", "--strict", "eval.py", cwd=tmp_path)
    assert (ran.code, "eval.py: not judged for " in ran.err and " in conf.py:2; see" in ran.err) == (
        int(is_said),
        is_said,
    )


@pytest.mark.parametrize("raw", [b"", b"\n", b"\xef\xbb\xbf", b"# mindspore CheckpointConfig", IMPORT + b"\f"], ids=str)
def test_empty_files_are_fine(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "empty.py").write_bytes(raw)
    ran = beside_a_good_file(tmp_path, "empty.py")
    assert (ran.code, ran.err) == (1, "")


def test_a_directory_without_python_is_fine(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = run(*SAFE, "empty", cwd=tmp_path)
    assert (ran.code, ran.out, ran.err) == (0, "", "no Python files found\n")
    in_json = run(*SAFE, "--output-format", "json", "empty", cwd=tmp_path)
    assert (in_json.code, in_json.out) == (0, "[]\n")


def nested(number: int) -> dict[str, bytes]:
    """Return texts in which something is nested `number` times."""
    return {
        "brackets": b"x = " + b"(" * number + b")" * number,
        "lists": b"x = CheckpointConfig(" + b"[" * number + b"]" * number + b")",
        "calls": b"CheckpointConfig" + b"(x)" * number,
        "calls_inside": b"x = " + b"CheckpointConfig(" * number + b")" * number,
        "attributes": b"CheckpointConfig(x" + b".a" * number + b")",
        "operators": b"CheckpointConfig(" + b"-" * number + b"1)",
        "sums": b"CheckpointConfig(" + b"1+" * number + b"1)",
        "arms": b"if x: pass\n" + b"elif x: CheckpointConfig()\n" * number,
        "blocks": b"".join(b" " * depth + b"if x:\n" for depth in range(min(number, 5000))) + b" " * 5000 + b"pass",
    }


@pytest.mark.parametrize("kind", list(nested(1)))
def test_deep_nesting_takes_nobody_down(tmp_path: Path, kind: str) -> None:
    text = IMPORT + nested(5000)[kind] + b"\n"
    (tmp_path / "deep.py").write_bytes(text)
    ran = beside_a_good_file(tmp_path, "deep.py", run=run_process)  # with the whole stack of a process
    assert ran.code in (1, 2)
    assert (ran.code == 2) == bool(ran.err)
    assert all(line.startswith("deep.py:") and ": error: " in line for line in ran.err.splitlines())
    assert ran.err.count("\n") <= 1
    assert (tmp_path / "deep.py").read_bytes() == text


def test_a_very_long_file_and_very_long_lines(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_bytes(IMPORT + b"x = mindspore.Tensor(1)\n" * 50_000)
    (tmp_path / "wide.py").write_bytes(IMPORT + b"x = [" + b"'\xe4\xb8\x80', " * 200_000 + b"]\n")
    ran = beside_a_good_file(tmp_path, "long.py", "wide.py")
    assert (ran.code, ran.err) == (1, "")


def test_fixing_does_not_touch_what_cannot_be_parsed(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(TRAIN + "x = (\n", encoding="utf-8")
    ran = beside_a_good_file(tmp_path, "bad.py", options=("--fix",))
    assert ran.code == 2
    assert ran.out == "Fixed good.py: MSP301\nFound 1 finding (1 fixed, 0 remaining).\n"
    assert (tmp_path / "bad.py").read_text(encoding="utf-8") == TRAIN + "x = (\n"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--select", "MSP999"), '--select: unknown rule "MSP999"'),
        (("--ignore", "MSP301,MSPX"), '--ignore: unknown rule "MSPX"'),
        (("--extend-ignore", "MSPX", "--ignore", "MSP301"), '--extend-ignore: unknown rule "MSPX"'),
        (("--extend-select", "MSPX"), '--extend-select: unknown rule "MSPX"'),
        (("--fixable", "MSPX"), '--fixable: unknown rule "MSPX"'),
        (("--unfixable", "MSPX"), '--unfixable: unknown rule "MSPX"'),
        (("--extend-exclude", "["), '--extend-exclude: "[" is not a pattern'),
        (("--output-format", "xml"), "Invalid value for '--output-format': unknown format \"xml\"; choose from"),
        (("--mindspore-version", "new"), '--mindspore-version: expected a version like "2.4" or "2.4.1", got "new"'),
        (("--device", "TPU"), '--device: expected one of Ascend, GPU, CPU, got "TPU"'),
        (("--jobs", "0"), "Invalid value for '-j' / '--jobs': 0 is not in the range"),
        (("--config", "gone.toml"), "gone.toml: cannot be read: No such file or directory"),
        (("--fixx",), "No such option"),
        (
            ("-o", "train.py/report.txt"),
            "cannot write train.py/report.txt: ",
        ),
    ],
)
def test_options_that_make_no_sense(tmp_path: Path, arguments: tuple[str, ...], error: str) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    ran = run(*arguments, "train.py", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"ms-perflint: error: {error}")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(("variable", "option"), [("MS_PERFLINT_LANG", "--lang"), ("MS_PERFLINT_NO_CACHE", "-n")])
def test_a_variable_that_makes_no_sense_is_named(tmp_path: Path, variable: str, option: str) -> None:
    ran = run(".", cwd=tmp_path, env={variable: "maybe"})
    assert (ran.code, ran.out) == (2, "") and ran.err.count("\n") == 1
    assert ran.err.startswith(f"ms-perflint: error: Invalid value for {variable}: 'maybe' is not ")
    assert option not in ran.err


@pytest.mark.parametrize("version", ["9", "new", "3.x"])
def test_a_version_that_makes_no_sense_is_none_of_any_command(tmp_path: Path, version: str) -> None:
    said = [run(command, "--mindspore-version", version, cwd=tmp_path) for command in ("check", "profile")]
    assert said[0].code == said[1].code == 2
    assert said[0].err == said[1].err != ""


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[tool.ms-perflint\n", "pyproject.toml:1:18: is not valid TOML: "),
        (
            "[tool.ms-perflint]\nselct = []\n",
            'pyproject.toml:2: [tool.ms-perflint] selct: unknown key, did you mean "s',
        ),
    ],
)
def test_a_broken_configuration_stops_the_run(tmp_path: Path, text: str, error: str) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    ran = run("--fix", "train.py", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"ms-perflint: error: {error}")
    assert (tmp_path / "train.py").read_text(encoding="utf-8") == TRAIN


def test_no_paths_and_unknown_rules_to_explain(tmp_path: Path) -> None:
    assert run("--fix", cwd=tmp_path).err == "no Python files found\n"  # the path is the current folder
    ran = run("rule", "MSP31", cwd=tmp_path)
    assert (ran.code, ran.err) == (2, 'ms-perflint: error: unknown rule "MSP31", did you mean "MSP301"?\n')


def test_names_and_texts_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    if sys.platform == "darwin":
        pytest.skip("file names are text here")
    name = os.fsencode(tmp_path) + b"/\xff\xe4\xb8\x80.py"
    with open(name, "w", encoding="utf-8") as file:
        file.write(TRAIN.replace("steps=100)", "steps=100)  # 一百"))
    ascii_only = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    ran = run_process(*SAFE, ".", cwd=tmp_path, env=ascii_only)
    assert ran.code == 1
    assert ran.out.startswith("\\udcff\\u4e00.py:8:14: MSP301")
    assert "# \\u4e00\\u767e" in ran.out


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_report_that_cannot_be_printed(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ms_perflint", *SAFE, "."],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        2,
        b"ms-perflint: error: cannot write the report: No space left on device\n",
    )


def test_an_internal_error_is_one_line(tmp_path: Path) -> None:
    script = (
        "import ms_perflint.commands.requests as requests\n"
        "def broken(*_): raise ValueError('this\\nshould not happen')\n"
        "requests.discover = broken\n"
        "from ms_perflint.cli import main\n"
        "main(['.'])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ms-perflint: error: internal error, please report it: ValueError: this should not")
    assert done.stderr.count("\n") == 1
