"""Notebooks: what is seen of them, where it is reported, and that a fix changes its lines of the JSON only."""

from __future__ import annotations

import ast
import difflib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import nbformat
import pytest
from front import SAFE, run
from hypothesis import given, settings
from hypothesis import strategies as st
from notebooks import CELLS, IMPORTS, NETWORK, OUTPUT, TRAINING, codes, notebook, worksheets, written
from programs import join
from proofs.width_programs import SHOWN

from ms_perflint.core.findings import Edit
from ms_perflint.core.source import Source, SourceError
from ms_perflint.notebooks.magics import blanked, hidden, is_python

ALL = ("--isolated", "--no-cache", "--select", "MSP101,MSP301")
JSON = ("--output-format", "json")
MACHINE = ("github", "gitlab", "grouped", "junit", "sarif")
LAYOUTS: dict[str, dict[str, Any]] = {
    "jupyter": {},
    "four spaces": {"indent": 4},
    "tabs": {"indent": "\t"},
    "one line": {"indent": None},
    "compact": {"indent": None, "separators": (",", ":")},
    "ascii": {"ensure_ascii": True},
    "sorted": {"sort_keys": True},
}


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("%matplotlib inline\nx = 1", "0                 \nx = 1"),
        ("!pip install \\\n  mindspore\nx", "0             \n           \nx"),
        ("if x:\n    !ls '\ny", "if x:\n    0    \ny"),
        ("files = !ls *.ckpt", "files = _1        "),
        ("a: list = %sql select", "a: list = _1         "),
        ("%time f(x)", "0;    f(x)"),
        ("%timeit -n 10 -r 3 f(x)\ny", "0;                 f(x)\ny"),
        ("  %time y = f(x,\n  1)", "  0;    y = f(x,\n  1)"),
        ("%time for i in x: f(i)", "0                     "),
        ("%time", "0    "),
        ("%time %run x.py", "0              "),
        ("pip install -q mindspore==2.2\nx", "0                            \nx"),
        ("if x:\n  ls -la /data\ncd ..\ncp a.py b", "if x:\n  0           \n0    \n0        "),
        ("ls = [1]\nls - 1\ncat in ls\nrm.x\ncd (1)", "ls = [1]\nls - 1\ncat in ls\nrm.x\ncd (1)"),
        ("?print\nprint??\nx.y?  \n*.z?", "0     \n0      \n0     \n0   "),
        (",f a b\n;f a\n/f a\n!!ls", "0     \n0   \n0   \n0   "),
        ("!echo é\r\nx", "0       \r\nx"),
        ("x = '''\n%y\n!z\nw?\n'''\n", "x = '''\n%y\n!z\nw?\n'''\n"),
        ("x = (1\n%y)\nz = '?'\n", "x = (1\n%y)\nz = '?'\n"),
        ("x = a \\\n% b\n# why?\n", "x = a \\\n% b\n# why?\n"),
        ("f(a=1) != b; x %= 2; y = 3 % 2", "f(a=1) != b; x %= 2; y = 3 % 2"),
        ("x = f'{y!r}' '= !' # = !x", "x = f'{y!r}' '= !' # = !x"),
    ],
)
def test_blanks_out_what_python_does_not_know(cell: str, python: str) -> None:
    found = blanked(cell.encode())
    assert found.decode() == python
    assert len(found) == len(cell.encode())


@settings(deadline=None)
@given(st.text(alphabet="%!?x=1 \n\\'\"(#)\té;/", max_size=60))
def test_blanks_out_without_moving_anything(cell: str) -> None:
    before = cell.encode()
    after = blanked(before)
    assert len(after) == len(before)
    assert [row.endswith(b"\n") for row in after.split(b"\n")] == [row.endswith(b"\n") for row in before.split(b"\n")]


@pytest.mark.parametrize(
    ("magic", "kept"), [("time", True), ("capture out", True), ("bash", False), ("writefile x.py", False)]
)
def test_takes_cells_that_run_as_python(magic: str, kept: bool) -> None:
    cell = f"%%{magic}\nx = 1".encode()
    assert is_python(cell) is kept
    assert cell[hidden(cell) :] == b"x = 1"


def test_reports_cell_row_and_column_in_it(tmp_path: Path) -> None:
    (tmp_path / "train.ipynb").write_text(written(notebook()), encoding="utf-8")
    told = run(*ALL, "--output-format", "concise", "train.ipynb", cwd=tmp_path)
    assert [line.split(" ")[:4] for line in told.out.splitlines()[:2]] == [
        ["train.ipynb:cell", "5:2:10:", "MSP301", "[*]"],
        ["train.ipynb:cell", "5:3:7:", "MSP101", "no"],
    ]
    found = json.loads(run(*ALL, *JSON, "train.ipynb", cwd=tmp_path).out)
    assert [(each["cell"], each["location"]) for each in found] == [
        (5, {"row": 2, "column": 10}),
        (5, {"row": 3, "column": 7}),
    ]
    assert [edit["cell"] for each in found for edit in each["fix"]["edits"]] == [5, 2]
    assert told.code == 1


SAVED = """
    import os
    import mindspore as ms
    from mindspore import nn
    from mindspore.train import CheckpointConfig, Model, ModelCheckpoint

    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    model = Model(net, loss, nn.SGD(net.trainable_params()))
    """
REMOVED = """
    for _ in range(9):
        model.train(1, d)
        ms.save_checkpoint(net, "a.ckpt")
        os.remove("a.ckpt")
    """
TUNED = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore.train import Model

    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    profiler = ms.Profiler(data_process=True)
    ds.config.set_enable_autotune(True)
    Model(net, loss, optimizer).train(10, dataset)
    """
NAMING = [  # a program, the rule, the version, and what is said of the line that holds a text
    *(
        ("MSP202", "2.10", each.text, each.place, re.sub(r"line \d+", "{place}", each.reason))
        for each in SHOWN
        if "line " in each.reason
    ),
    (
        "MSP301",
        "2.10",
        join(SAVED, "config = CheckpointConfig(save_checkpoint_steps=100)\n", "model.train(9, d, ModelCheckpoint())\n"),
        "config = ",
        "saving blocks training after every step: the config in {place} goes to no callback",
    ),
    (
        "MSP301",
        "2.10",
        join(SAVED, REMOVED),
        "os.remove",
        "saving blocks training each time; no fix, since {place} uses the file",
    ),
    (
        "MSP501",
        "2.10",
        join(TUNED),
        "Profiler",
        "AutoTune or the profiler fails, or the run stops: {place} profiles the data pipeline",
    ),
    (
        "MSP501",
        "2.2",
        join(TUNED),
        "Profiler",
        "AutoTune or the profiler fails, or the run stops: up to 2.3 {place} profiles data too",
    ),
]


@pytest.mark.parametrize(("code", "version", "text", "marked", "says"), NAMING)
def test_a_message_names_the_cell_and_the_line_in_it(
    code: str, version: str, text: str, marked: str, says: str, tmp_path: Path
) -> None:
    """In every format, and in Chinese, as the position of the finding itself."""
    imports, _, rest = text.partition("\n\n")
    row = next(row for row, line in enumerate(rest.splitlines(), 1) if marked in line)
    (tmp_path / "train.ipynb").write_text(written(notebook(["# Train", imports, rest])), encoding="utf-8")
    options = ("--isolated", "--no-cache", "--select", code, "--mindspore-version", version, "train.ipynb")
    english, chinese = says.format(place=f"cell 3, line {row}"), f"单元格 3 第 {row} 行"
    for name in ("json", "text", "html", *(["sarif"] if code != "MSP202" else [])):  # SARIF has no fix for notebooks
        for lang, said in (("en", english), ("zh", chinese)):
            out = run(*options, "--output-format", name, "--lang", lang, cwd=tmp_path).out
            assert said in out or json.dumps(said)[1:-1] in out, name


def test_shows_the_lines_of_the_cell_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "train.ipynb").write_text(written(notebook()), encoding="utf-8")
    shown = run(*ALL, "train.ipynb", cwd=tmp_path).out
    assert '1 | found = !ls -la "logs\n2 | config = CheckpointConfig(save_checkpoint_steps=100)\n' in shown
    assert "\n--> train.ipynb:cell 2\n   4   from" in shown
    assert "\n   5 +\n   6 + ms.set_context(mode=ms.GRAPH_MODE)\n" in shown


def test_each_change_has_the_header_of_its_cell_once_one_has_a_header(tmp_path: Path) -> None:
    cells = [
        "import mindspore as ms\nfrom mindspore import nn",
        "net = nn.Dense(64, 64)\nloss = nn.MSELoss()\nopt = nn.Adam(net.trainable_params())",
        "def forward(x, y):\n    return loss(net(x), y)",
        "grad_fn = ms.value_and_grad(forward, None, opt.parameters)",
        "def step(x, y):\n    value, grads = grad_fn(x, y)\n    opt(grads)\n    return value",
        "for x, y in data:\n    step(x, y)",
    ]
    (tmp_path / "train.ipynb").write_text(written(notebook(cells)), encoding="utf-8")
    shown = run("--isolated", "--no-cache", "--select", "MSP201", "train.ipynb", cwd=tmp_path).out
    heads = [line for line in shown.splitlines() if line.startswith("--> ")]
    assert heads == [f"--> train.ipynb:cell {number}" for number in (3, 4, 5)]


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("as_lists", [True, False])
def test_a_fix_changes_its_lines_of_the_json_only(tmp_path: Path, layout: dict[str, Any], as_lists: bool) -> None:
    path = tmp_path / "train.ipynb"
    before = written(notebook(as_lists=as_lists), **layout)
    path.write_bytes(before.encode())
    told = run(*ALL, "--fix", "--unsafe-fixes", "train.ipynb", cwd=tmp_path)
    after = path.read_bytes().decode()
    assert told.code == 0, told.out
    expected = notebook(
        [
            "# Train",
            f"{IMPORTS}\n\nms.set_context(mode=ms.GRAPH_MODE)",
            *CELLS[2:4],
            TRAINING.replace("=100)", "=100, async_save=True)"),
        ],
        as_lists=as_lists,
    )
    assert after == written(expected, **layout)
    nbformat.validate(nbformat.reads(after, 4))
    assert run(*ALL, "--fix", "--unsafe-fixes", "train.ipynb", cwd=tmp_path).out == "No findings in 1 file.\n"
    assert path.read_bytes().decode() == after


def test_code_behind_a_magic_stays_on_its_line(tmp_path: Path) -> None:
    timed = '%time model.train(10, dataset, callbacks=[ModelCheckpoint("resnet50_imagenet", config=config)])'
    plain = timed[len("%time ") :]
    setup = [IMPORTS, "ms.set_context(mode=ms.GRAPH_MODE)\nconfig = CheckpointConfig(100)", NETWORK]
    (tmp_path / "a.ipynb").write_text(written(notebook([*setup, timed])), encoding="utf-8")
    (tmp_path / "b.ipynb").write_text(written(notebook([*setup, plain])), encoding="utf-8")
    sink = ("--isolated", "--select", "MSP102", "--mindspore-version", "2.2", "--fix", "--unsafe-fixes")
    run(*sink, "--device", "Ascend", "a.ipynb", "b.ipynb", cwd=tmp_path)
    after = [codes(json.loads((tmp_path / name).read_text(encoding="utf-8")))[-1] for name in ("a.ipynb", "b.ipynb")]
    assert after[0] == f"{timed[:-1]}, dataset_sink_mode=True)"
    assert after[1].endswith("config=config)],\n            dataset_sink_mode=True)")


def test_only_the_lines_concerned_differ(tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    before = written(notebook()).replace("\n", "\r\n").removesuffix("\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + before.encode())
    run(*SAFE, "--fix", "train.ipynb", cwd=tmp_path)
    after = path.read_bytes().decode("utf-8-sig")
    lines = difflib.ndiff(before.splitlines(True), after.splitlines(True))
    assert [line for line in lines if line[0] in "+-"] == [
        '-     "config = CheckpointConfig(save_checkpoint_steps=100)\\n",\r\n',
        '+     "config = CheckpointConfig(save_checkpoint_steps=100, async_save=True)\\n",\r\n',
    ]


def test_fixes_notebooks_of_format_3(tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    path.write_text(written(worksheets([IMPORTS, NETWORK, TRAINING])), encoding="utf-8")
    told = run(*ALL, "--fix", "--unsafe-fixes", "train.ipynb", cwd=tmp_path)
    assert told.out.startswith("Fixed train.ipynb: MSP101, MSP301\n")
    after = json.loads(path.read_text(encoding="utf-8"))
    nbformat.validate(nbformat.reads(json.dumps(after), 3))
    assert codes(after)[2] == TRAINING.replace("=100)", "=100, async_save=True)")


def test_prints_a_patch_that_git_takes(tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    path.write_text(written(notebook()), encoding="utf-8")
    patch = run(*SAFE, "--diff", "train.ipynb", cwd=tmp_path).out
    assert '-    "config = CheckpointConfig(save_checkpoint_steps=100)\\n",' in patch.splitlines()
    subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=tmp_path, check=True, timeout=60)
    applied = path.read_bytes()
    path.write_text(written(notebook()), encoding="utf-8")
    run(*SAFE, "--fix", "train.ipynb", cwd=tmp_path)
    assert path.read_bytes() == applied


def test_comments_suppress_in_cells(tmp_path: Path) -> None:
    noted = TRAINING.replace("=100)", "=100)  # noqa: MSP301").replace("%time", "%time  # noqa\n%time")
    (tmp_path / "train.ipynb").write_text(written(notebook([IMPORTS, NETWORK, noted])), encoding="utf-8")
    assert run(*SAFE, "train.ipynb", cwd=tmp_path).out == "No findings in 1 file.\n"
    everywhere = [IMPORTS, NETWORK, "# ms-perflint: disable-file=MSP101\n", TRAINING]
    (tmp_path / "train.ipynb").write_text(written(notebook(everywhere)), encoding="utf-8")
    assert [each["code"] for each in json.loads(run(*ALL, *JSON, "train.ipynb", cwd=tmp_path).out)] == ["MSP301"]


def test_folders_are_searched_for_notebooks(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / ".ipynb_checkpoints").mkdir()
    for name in ("a/train.ipynb", ".ipynb_checkpoints/train-checkpoint.ipynb"):
        (tmp_path / name).write_text(written(notebook()), encoding="utf-8")
    told = run(*SAFE, "--output-format", "concise", ".", cwd=tmp_path)
    assert [line.split(" ")[0] for line in told.out.splitlines()] == ["a/train.ipynb:cell", "Found"]
    (tmp_path / "pyproject.toml").write_text("[tool.ms-perflint]\nextend-exclude = ['*.ipynb']\n")
    assert run("--no-cache", ".", cwd=tmp_path).err == "no Python files found\n"


def test_a_notebook_is_the_entry_script_of_what_it_imports(tmp_path: Path) -> None:
    module = (
        "import mindspore as ms\nfrom mindspore.train import CheckpointConfig\n\n\n"
        "def config():\n    return CheckpointConfig(save_checkpoint_steps=100)\n"
    )
    (tmp_path / "settings.py").write_text(module)
    training = TRAINING.replace("CheckpointConfig(save_checkpoint_steps=100)", "settings.config()")
    assert run(*SAFE, "settings.py", cwd=tmp_path).out == "No findings in 1 file.\n"
    (tmp_path / "train.ipynb").write_text(written(notebook([IMPORTS, "import settings", NETWORK, training])))
    assert run(*SAFE, "settings.py", cwd=tmp_path).out.startswith("settings.py:6:12: MSP301 [*]")
    (tmp_path / "settings.py").write_text(f"{module}\nms.set_context(mode=ms.GRAPH_MODE)\n")
    assert "MSP101" not in run(*ALL, "train.ipynb", cwd=tmp_path).out
    told = run("program", "--isolated", "train.ipynb", cwd=tmp_path).out
    assert "train.ipynb:cell 4:3  model.train(...)" in told


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("import mindspore", ":1:1: error: the notebook is not valid JSON: Expecting value"),
        ('["mindspore ms.train.Model"]', ":1:1: error: the file is no notebook: it has no list of cells"),
        ('{"cells": 1, "x": "mindspore"}', ":1:1: error: the file is no notebook: it has no list of cells"),
        ("[" * 100_000 + " mindspore", ": error: the notebook is nested too deeply, or holds what cannot be read"),
        (written(notebook([IMPORTS, "x = 1\n  y = 2"])), ":cell 2:2:2: error: syntax error: unexpected indent"),
        (written(notebook([IMPORTS, "# \n x = '\0'"])), ":cell 2:2:1: error: the cell contains a NUL character"),
    ],
    ids=["python", "list", "no cells", "deep", "syntax", "nul"],
)
def test_says_what_is_wrong_in_one_line(tmp_path: Path, raw: str, says: str) -> None:
    (tmp_path / "a.ipynb").write_text(raw + "\n" * raw.startswith("["), encoding="utf-8")
    told = run("--isolated", "--no-cache", "a.ipynb", cwd=tmp_path)
    assert told.code == 2
    assert told.err.startswith(f"a.ipynb{says}")
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    "content",
    [
        notebook([]),
        notebook(["", "  ", "%%bash\nmindspore", "# mindspore\n"]),
        notebook([IMPORTS, "(mindspore"], language_info={"name": "R"}),
        notebook([IMPORTS, "(mindspore"], kernelspec={"language": "julia", "name": "mindspore"}),
        {**notebook(), "cells": [1, None, {"cell_type": "code"}, {"cell_type": "code", "source": None}, "mindspore"]},
    ],
    ids=["empty", "blank", "R", "julia", "odd"],
)
def test_is_quiet_about_what_holds_no_python(tmp_path: Path, content: dict[str, Any]) -> None:
    (tmp_path / "a.ipynb").write_text(written(content), encoding="utf-8")
    told = run("--isolated", "--no-cache", "--select", "ALL", "a.ipynb", cwd=tmp_path)
    assert (told.code, told.out, told.err) == (0, "No findings in 1 file.\n", "")


def test_await_on_top_is_no_error(tmp_path: Path) -> None:
    cells = [IMPORTS, "await model\nasync for x in y:\n    pass", NETWORK, TRAINING]
    (tmp_path / "a.ipynb").write_text(written(notebook(cells)), encoding="utf-8")
    assert run(*SAFE, "a.ipynb", cwd=tmp_path).out.startswith("a.ipynb:cell 4:2:10: MSP301")


# --- edits


def edited(cells: list[str], change: tuple[str, str], *, as_lists: bool = True) -> list[str]:
    """Return the code of the cells after the first of two texts, which stands once in them, becomes the other."""
    raw = written(notebook(cells, as_lists=as_lists)).encode()
    source = Source("/a.ipynb", raw)
    start = source.text.index(change[0].encode())
    after = json.loads(source.edited([Edit("/a.ipynb", start, start + len(change[0].encode()), change[1])]))
    assert nbformat.validate(nbformat.from_dict(after)) is None
    for cell in after["cells"] if as_lists else ():
        assert all(line.endswith("\n") and "\n" not in line[:-1] for line in cell["source"][:-1])
    return codes(after)


@pytest.mark.parametrize("as_lists", [True, False])
@pytest.mark.parametrize(
    ("cells", "change", "expected"),
    [
        (["a\nb", "c"], ("a\n", ""), ["b", "c"]),
        (["a\nb", "c"], ("b\n", ""), ["a", "c"]),
        (["a\nb", "c"], ("b\n", "x\ny\n"), ["a\nx\ny", "c"]),
        (["a\nb\n", "c"], ("b\n", "x\n"), ["a\nx\n", "c"]),
        (["a\nb", "c"], ("c", "x\nc"), ["a\nb", "x\nc"]),
        (["é汉\n🙂b", "c"], ("b", "ü\n"), ["é汉\n🙂ü\n", "c"]),
        (["a", "b"], ("a\n", ""), ["", "b"]),
        (["%%time\na\nb", "c"], ("a\n", "x\na\n"), ["%%time\nx\na\nb", "c"]),
    ],
)
def test_edits_reach_their_cell(cells: list[str], change: tuple[str, str], expected: list[str], as_lists: bool) -> None:
    assert edited(cells, change, as_lists=as_lists) == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [(1, ["new\na\nb", "c\n"]), (2, ["a\nnew\nb", "c\n"]), (3, ["a\nb\nnew", "c\n"]), (4, ["a\nb", "new\nc\n"])],
)
def test_a_new_line_goes_below_one_cell_or_on_top_of_the_next(row: int, expected: list[str]) -> None:
    source = Source("/a.ipynb", written(notebook(["a\nb", "c\n"])).encode())
    at = [*source.starts[:3], source.starts[3]][row - 1]
    edit = Edit("/a.ipynb", at, at, "new\n")
    assert codes(json.loads(source.edited([edit]))) == expected


def test_no_edit_joins_cells() -> None:
    source = Source("/a.ipynb", written(notebook(["a", "b"])).encode())
    with pytest.raises(SourceError, match="join two cells"):
        source.edited([Edit("/a.ipynb", 0, source.text.index(b"b"), "")])


def test_what_is_not_edited_comes_back_as_it_was() -> None:
    raw = rb'{"cells":[{"cell_type":"code","source":["x = \"\u00e9\ud83d\ude42\/\"\n","y"]}],"nbformat":4}'
    source = Source("/a.ipynb", raw)
    assert source.edited(()) == raw
    at = source.text.index(b"y")
    assert source.edited([Edit("/a.ipynb", at, at + 1, "z")]) == raw.replace(b'"y"', b'"z"')


def test_outputs_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(written(notebook(), ensure_ascii=True), encoding="utf-8")
    run(*SAFE, "--fix", "a.ipynb", cwd=tmp_path)
    after = json.loads(path.read_text(encoding="utf-8"))
    assert [cell["outputs"] for cell in after["cells"][1:]] == [[OUTPUT]] * 4
    assert ast.parse(codes(after)[0].partition("\n")[2])


def test_other_programs_are_told_the_line_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "train.ipynb").write_text(
        written(notebook(["%%time\n" + IMPORTS, NETWORK, TRAINING])), encoding="utf-8"
    )
    lines = (tmp_path / "train.ipynb").read_text(encoding="utf-8").splitlines()
    row = next(number for number, line in enumerate(lines, 1) if "config = Checkpoint" in line)
    column = lines[row - 1].index("CheckpointConfig") + 1
    formats = {each: run(*SAFE, "--output-format", each, "train.ipynb", cwd=tmp_path).out for each in MACHINE}
    assert json.loads(formats["gitlab"])[0]["location"]["positions"]["begin"] == {"line": row, "column": column}
    result = json.loads(formats["sarif"])["runs"][0]["results"][0]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (row, column)
    assert "fixes" not in result
    assert f"line={row},col={column}," in formats["github"]
    assert "::train.ipynb:cell 3:2:10: MSP301" in formats["github"]
    assert f'line="{row}" column="{column}"' in formats["junit"]
    assert "\n  cell 3:2:10  MSP301" in formats["grouped"]


def test_suppresses_what_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    path.write_text(written(notebook()), encoding="utf-8")
    run(*ALL, "--add-noqa", "train.ipynb", cwd=tmp_path)
    after = codes(json.loads(path.read_text(encoding="utf-8")))
    noted = TRAINING.replace("=100)", "=100)  # noqa: MSP301").replace(
        "config=config)])", "config=config)])  # noqa: MSP101"
    )
    assert after == [*codes(notebook())[:-1], noted]
    assert run(*ALL, "train.ipynb", cwd=tmp_path).out == "No findings in 1 file.\n"


def test_a_cell_that_does_not_parse_costs_no_other(tmp_path: Path) -> None:
    """It is told, the others are linted and fixed, and no fix may break one more."""
    path = tmp_path / "train.ipynb"
    broken = ["%%time\nx = 1\n  y = 2", "for", "print(├)\n"]
    path.write_text(written(notebook([broken[0], *CELLS, *broken[1:]])), encoding="utf-8")
    whole = run(*SAFE, "--no-cache", *JSON, "train.ipynb", cwd=tmp_path)
    assert (whole.code, [found["code"] for found in json.loads(whole.out)]) == (2, ["MSP301"])
    last = len(CELLS) + 2
    judged, *errors = whole.err.splitlines()
    assert judged.startswith("train.ipynb: judged in part for MSP301: syntax error: ")
    lines = [line.split(": error: syntax error: ")[0] for line in errors]
    assert [line.rpartition(":")[0] for line in lines] == [
        "train.ipynb:cell 1:3", f"train.ipynb:cell {last}:1", f"train.ipynb:cell {last + 1}:1"
    ]  # fmt: skip
    assert run(*SAFE, "--no-cache", ".", cwd=tmp_path).err == whole.err
    fixed = run(*SAFE, "--fix", "train.ipynb", cwd=tmp_path)
    assert (fixed.code, "1 fixed, 0 remaining" in fixed.out) == (2, True)
    after = codes(json.loads(path.read_bytes()))
    assert [after[0], *after[-2:]] == broken and sum("async_save=True" in code for code in after) == 1


@pytest.mark.parametrize("form", ["github", "sarif", "junit", "html"])
def test_each_format_says_which_cells_cannot_be_read(form: str, tmp_path: Path) -> None:
    sources = ["x = 1\ny = = 2", "import mindspore", "z = 3", "a b\n"]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    (tmp_path / "train.ipynb").write_text(nbformat.writes(made), encoding="utf-8")
    ran = run("--isolated", "--no-cache", "--output-format", form, ".", cwd=tmp_path)
    assert ran.code == 2
    assert re.findall("cell ([0-9]:[0-9]+):[0-9]+", ran.out) == ["1:2", "4:1"]
    if form == "junit":
        assert re.findall('name="([^"]+ can be read)"', ran.out) == ["cell 1 can be read", "cell 4 can be read"]
