"""The argument that is to blame: its comment is shown with the finding, and a suppression on its line counts."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path

import libcst as cst
import pytest
from front import run
from programs import Program, join
from test_noqa import added, linted
from test_suppressions import PATH, with_call
from test_syntax import slice_of

from ms_perflint.config.settings import Config
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.core.findings import Finding, Safety
from ms_perflint.engine import lint

STEPS = "save_checkpoint_steps=100"


def finding(call: str) -> Finding:
    """Return the only finding of a training program with this checkpoint config."""
    report, _ = linted(with_call(call).encode())
    assert not report.problems
    (found,) = report.findings
    return found


def explanations(call: str) -> list[str]:
    """Return what the related places of the finding say."""
    return [each.message for each in finding(call).related]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (f"CheckpointConfig(\n    {STEPS},\n    async_save=False,  # read at once\n)", ["read at once"]),
        (f"CheckpointConfig(\n    {STEPS},\n    async_save=False  # read at once\n)", ["read at once"]),
        ("CheckpointConfig(\n    100, 0, 5, 0, True,\n    False,  # 马上读取\n    None\n)", ["马上读取"]),
        (f"CheckpointConfig({STEPS},\n    async_save=False,  # read at once\n)", ["read at once"]),
        (f"CheckpointConfig(\n    async_save=(False  # one\n    ),  # two\n    {STEPS})", ["one", "two"]),
        (f"CheckpointConfig(\n    async_save=False  # read at once\n    , {STEPS})", ["read at once"]),
        (f"CheckpointConfig(\n    async_save=False,  ## x  \n    {STEPS})", ["x"]),
        (f"CheckpointConfig(\n    async_save=False,  # noqa: E501 read\n    {STEPS})", ["noqa: E501 read"]),
        (f"CheckpointConfig(\n    async_save=False,  # {'x' * 90}\n    {STEPS})", [f"{'x' * 80}..."]),
    ],
)
def test_its_comment_is_shown(call: str, shown: list[str], newline: str) -> None:
    made = finding(call.replace("\n", newline))
    assert [each.message for each in made.related] == [f"this comment may explain it: {text}" for text in shown]
    assert all(made.place < each.place < made.end for each in made.related)
    assert made.fix is not None and made.fix.safety is Safety.UNSAFE
    assert made.fix.reason == "a comment there may say why not"


@pytest.mark.parametrize(
    "call",
    [
        f"CheckpointConfig(\n    {STEPS},  # of another\n    async_save=False,\n)",
        f"CheckpointConfig(\n    async_save=False,\n    {STEPS},  # of another\n)",
        f"CheckpointConfig(\n    async_save=False,\n    # of another\n    {STEPS})",
        f"CheckpointConfig(\n    async_save=False, {STEPS},  # of another\n)",
        f"CheckpointConfig(  # of the call\n    async_save=False,\n    {STEPS}\n    # of nothing\n)",
        f"CheckpointConfig(\n    async_save=False,  # noqa: E501\n    {STEPS})",
        f"CheckpointConfig(\n    async_save=False,  # type: ignore\n    {STEPS})",
        f"CheckpointConfig(\n    {STEPS},  # it is not passed\n)",
        f"CheckpointConfig({STEPS})  # of the statement",
        f"CheckpointConfig(\n    append_info=['# no comment'],\n    async_save=False,\n    {STEPS})",
    ],
)
def test_another_comment_is_not(call: str) -> None:
    made = finding(call)
    assert not made.related
    assert made.fix is not None and made.fix.safety is Safety.SAFE


@pytest.mark.parametrize(
    ("call", "hidden"),
    [
        (f"CheckpointConfig(\n    {STEPS},\n    async_save=False,  # noqa: MSP301\n)", True),
        (f"CheckpointConfig(\n    {STEPS},\n    async_save=False,  # noqa\n)", True),
        (f"CheckpointConfig(\n    {STEPS},\n    async_save=(  # noqa: MSP301\n        False\n    ),\n)", True),
        (f"CheckpointConfig(\n    {STEPS},\n    async_save=(\n        False\n    ),  # noqa: MSP301\n)", True),
        (f"CheckpointConfig(\n    {STEPS}, async_save=False,  # noqa: MSP301\n)", True),
        ("CheckpointConfig(\n    100, 0, 5, 0, True,\n    False,  # noqa: MSP301\n    None\n)", True),
        (f"CheckpointConfig(\n    async_save=False,  # noqa: MSP102\n    {STEPS}\n)", False),
        (f"CheckpointConfig(\n    async_save=False,\n    {STEPS},  # noqa: MSP301\n)", False),
        (f"CheckpointConfig(\n    async_save=(\n        # noqa: MSP301\n        False\n    ), {STEPS}\n)", False),
        (f"CheckpointConfig(\n    # noqa: MSP301\n    async_save=False,\n    {STEPS},\n)", False),
        (f"CheckpointConfig(\n    {STEPS},  # noqa: MSP301\n)", False),
    ],
)
def test_a_suppression_on_its_line_counts(call: str, hidden: bool) -> None:
    report, _ = linted(with_call(call).encode())
    assert (not report.findings) is hidden


@pytest.mark.parametrize(("row", "unused"), [("async_save=False,", []), (f"{STEPS},", ["MSP901"])])
def test_a_suppression_on_its_line_is_used(row: str, unused: list[str]) -> None:
    text = with_call(f"CheckpointConfig(\n    {STEPS},\n    async_save=False,\n)").replace(
        row, f"{row}  # noqa: MSP301"
    )
    config = Config(root=os.path.dirname(PATH), select=("MSP301", "MSP901"))
    report = lint([PATH], config, Overlay(Nowhere(), {PATH: text.encode()}))
    assert [found.code for found in report.findings if found.code == "MSP901"] == unused
    if not unused:
        assert not report.findings and added(text.encode()) == text.encode()


HEAD = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import Model, nn

    dataset = ds.MindDataset("train.mindrecord").batch(32)
    net = nn.SequentialCell(nn.Dense(64, 64), nn.Dense(64, 16))
    loss = nn.MSELoss()
    opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    """
MODEL = "model = Model(net, loss, opt)\n"
TRAINED = "model.train(10, dataset, dataset_sink_mode=True)\n"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (
            "MSP101",
            f"ms.set_context(\n    device_target='Ascend',\n    mode=ms.PYNATIVE_MODE,  # why\n)\n{MODEL}{TRAINED}",
        ),
        ("MSP102", f"{MODEL}model.train(\n    10, dataset,\n    dataset_sink_mode=False,  # why\n)\n"),
        ("MSP201", f'model = Model(\n    net,\n    loss,\n    opt,\n    amp_level="O0",  # why\n)\n{TRAINED}'),
        (
            "MSP202",
            f"net = nn.SequentialCell(nn.Dense(\n    64,\n    100,  # why\n), nn.Dense(100, 16))\n{MODEL}{TRAINED}",
        ),
        (
            "MSP601",
            f"{MODEL}ms.set_auto_parallel_context(\n    parallel_mode='data_parallel',\n"
            f"    all_reduce_fusion_config=[1],  # why\n)\n{TRAINED}",
        ),
    ],
)
def test_rules_that_blame_an_argument(code: str, text: str) -> None:
    mode = "" if code == "MSP101" else "ms.set_context(mode=ms.GRAPH_MODE)\n"
    program, suppressed = (
        Program({"train.py": join(HEAD) + mode + text.replace("# why", why)}, (2, 4), "Ascend")
        for why in ("# why", "# noqa")
    )
    (found,) = program.lint(code).findings
    assert [each.message for each in found.related if "comment" in each.message] == ["this comment may explain it: why"]
    assert not suppressed.lint(code).findings


def test_in_every_output(tmp_path: Path) -> None:
    text = with_call(f"CheckpointConfig(\n        {STEPS},\n        async_save=False,  # read at\tonce\n    )")
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    options = ("check", "--isolated", "--select", "MSP301", "train.py")
    told = run(*options, cwd=tmp_path).out
    assert "note: train.py:10:28: this comment may explain it: read at\\tonce\n" in told
    (found,) = json.loads(run(*options, "--output-format", "json", cwd=tmp_path).out)
    assert found["related"] == [
        {
            "filename": os.path.join(os.path.realpath(tmp_path), "train.py"),
            "location": {"row": 10, "column": 28},
            "message": "this comment may explain it: read at\\tonce",
        }
    ]
    assert "此注释可能说明了原因：read at\\tonce" in run(*options, "--lang", "zh", cwd=tmp_path).out


def test_it_is_left_alone_without_consent(tmp_path: Path) -> None:
    text = with_call(f"CheckpointConfig(\n        {STEPS},\n        async_save=False,  # read at once\n    )")
    path = tmp_path / "train.py"
    path.write_text(text, encoding="utf-8")
    run("check", "--isolated", "--select", "MSP301", "--fix", "--no-interactive", "train.py", cwd=tmp_path)
    assert path.read_text(encoding="utf-8") == text
    run("check", "--isolated", "--select", "MSP301", "--fix", "--unsafe-fixes", "train.py", cwd=tmp_path)
    assert path.read_text(encoding="utf-8") == text.replace("async_save=False", "async_save=True")


def test_a_call_in_an_f_string_has_no_lines_of_its_own() -> None:
    call = "model.train(\n    10, dataset,\n    dataset_sink_mode=False\n)"
    text = f"ms.set_context(mode=0)\n{MODEL}x = f'''{{{call}}}'''\n"
    (found,) = Program({"train.py": join(HEAD) + text}, device="Ascend").lint("MSP102").findings
    assert not found.related and len(found.lines) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("g(\n  a,\n  b=1)", "b=1"),
        ("g(\n  (a),\n  b=((1)))", "b=((1))"),
        ("g(**{'b': 1})", "**{'b': 1}"),
        ("g(*a, b=(2, 1))", "b=(2, 1)"),
        ("é = '汉'; g('汉', b=1)", "b=1"),
    ],
)
def test_an_argument_is_found_by_what_is_passed(text: str, expected: str) -> None:
    where = slice_of(text)
    given = next(each for each in ast.walk(where.node) if isinstance(each, ast.Constant) and each.value == 1)
    found = where.argument(given)
    assert isinstance(found, cst.Arg)
    start, end = where.span(found)
    assert where.module.source.text[start:end].decode() == expected
    assert where.argument(where.node.func) is None  # type: ignore[attr-defined]
