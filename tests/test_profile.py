"""`check --profile DIR`: what a profile shows of each finding, in all layouts, and what is refused."""

from __future__ import annotations

import json
import random
import shutil
import textwrap
from collections.abc import Callable
from pathlib import Path

import front
import pytest
from profiles import GRADIENT, LAUNCH, NATIVE, SCOPE, Row, Trace, cpu_layout, old_layout, text_layout

from ms_perflint.check import checks
from ms_perflint.profile import reader, symptoms
from ms_perflint.profile.kernels import named
from ms_perflint.profile.text_layout import ProfileError

TRAIN = """\
import mindspore as ms
from mindspore import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(400, 128)
        self.fc2 = nn.Dense(128, 50)
        self.fc3 = nn.Dense(50, 10)

    def construct(self, x):
        x = ops.relu(self.fc1(x))
        x = ops.cast(x, ms.float32)
        x = ops.cast(x, ms.float32)
        return self.fc3(ops.relu(self.fc2(x)))


def main(dataset):
    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    net = Net()
    model = ms.Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    config = ms.CheckpointConfig(save_checkpoint_steps=4)
    model.train(3, dataset, callbacks=[ms.ModelCheckpoint(config=config)])


if __name__ == "__main__":
    from data import make

    main(make())
"""
MATMUL = Row(f"{LAUNCH}{SCOPE}fc2-Dense/MatMul-op0/aclnnMatmul", "MatMulV2", 300.0, "32,128;50,128")
CAST = Row(f"{LAUNCH}{SCOPE}Cast-op0/aclnnCast", "Cast", 40.0, "32,120")
RELU = Row(f"{LAUNCH}{SCOPE}ReLU-op0/aclnnRelu", "Relu", 20.0, "32,120", "FLOAT")
EVEN = (Trace(500, 0, 10), Trace(500, 0, 10), Trace(500, 0, 10), Trace(500, 0, 3))
IDLE = (Trace(500, 0, 300), Trace(500, 0, 300), Trace(500, 0, 300), Trace(500, 0, 3))

Project = Callable[..., dict[str, dict[str, object]]]


@pytest.fixture
def measured(tmp_path: Path) -> Project:
    """Return a function that lints TRAIN with a profile, and gives what was measured by rule."""

    def asked(folder: Path, *options: str, text: str = TRAIN) -> dict[str, dict[str, object]]:
        (tmp_path / "train.py").write_text(text)
        arguments = ("--isolated", "--no-cache", "--select", "ALL", "--output-format", "json", *options)
        ran = front.run(*arguments, "--profile", str(folder), "train.py", cwd=tmp_path)
        assert not ran.err, ran.err
        return {finding["code"]: finding["measured"] for finding in json.loads(ran.out)}

    return asked


def test_what_takes_time_is_confirmed(measured: Project, tmp_path: Path) -> None:
    """A step of 800 us, of which the device waits 300: bounds are per step, in milliseconds."""
    found = measured(text_layout(tmp_path / "p", [MATMUL, CAST, RELU], IDLE))
    assert found["MSP102"]["verdict"] == "confirmed"
    assert found["MSP102"]["upper_ms"] == 0.3
    assert found["MSP102"]["share"] == 0.375
    assert found["MSP201"] | {"evidence": ""} == {
        "verdict": "confirmed",
        "evidence": "",
        "source": "profile",
        "date": "2026-11-22",
        "device": "Ascend",
        "upper_ms": 0.3,
        "share": 0.375,
        "on_target": True,
    }
    assert (found["MSP202"]["verdict"], found["MSP202"]["upper_ms"]) == ("confirmed", 0.3)
    assert (found["MSP203"]["verdict"], found["MSP203"]["upper_ms"]) == ("confirmed", 0.04)
    assert found["MSP301"]["verdict"] == "not-seen"


def test_what_takes_no_time_is_refuted(measured: Project, tmp_path: Path) -> None:
    """The device does not wait, products take FP16 and whole tiles, and the compiler dropped the cast."""
    half = MATMUL._replace(shapes="32,128;64,128", dtypes="FLOAT16;DT_FLOAT16")
    found = measured(text_layout(tmp_path / "p", [half, RELU], EVEN))
    verdicts = {code: each["verdict"] for code, each in found.items()}
    assert verdicts == {
        "MSP102": "refuted",
        "MSP201": "refuted",
        "MSP202": "refuted",
        "MSP203": "refuted",
        "MSP301": "not-seen",
    }


CASTS = [
    pytest.param(f"{LAUNCH}{SCOPE}fc2-Dense/Cast-op0/aclnnCast", "refuted", id="of a cell of the framework"),
    pytest.param(f"{LAUNCH}{GRADIENT}Cast-op0/aclnnCast", "refuted", id="of the backward pass"),
    pytest.param(f"{LAUNCH}Default/Cast-op0/aclnnCast", "refuted", id="without a class"),
    pytest.param("aclnnCast_CastAiCore_Cast", "refuted", id="without a scope"),
    pytest.param(f"{LAUNCH}{SCOPE}Cast-op7/aclnnCast", "confirmed", id="of the class itself"),
]


@pytest.mark.parametrize(("name", "verdict"), CASTS)
def test_a_cast_that_nobody_wrote_confirms_nothing(measured: Project, tmp_path: Path, name: str, verdict: str) -> None:
    found = measured(text_layout(tmp_path / "p", [MATMUL, CAST._replace(name=name)], EVEN))
    assert found["MSP203"]["verdict"] == verdict


def test_a_class_that_did_not_run_is_not_seen(measured: Project, tmp_path: Path) -> None:
    text = TRAIN + "\n\nclass Loss(nn.Cell):\n    def construct(self, x):\n        return x\n"
    other = MATMUL._replace(name=MATMUL.name.replace("Net/fc2-Dense", "Loss"))
    found = measured(text_layout(tmp_path / "p", [other], EVEN), text=text)
    assert found["MSP202"]["verdict"] == found["MSP203"]["verdict"] == "not-seen"


def test_a_derived_class_runs_the_code_of_its_base(measured: Project, tmp_path: Path) -> None:
    text = TRAIN.replace("net = Net()", "net = Wide()").replace("def main", "class Wide(Net):\n    pass\n\n\ndef main")
    row = CAST._replace(name=CAST.name.replace("backbone-Net", "backbone-Wide"))
    assert measured(text_layout(tmp_path / "p", [row, MATMUL], EVEN), text=text)["MSP203"]["verdict"] == "confirmed"


def test_a_profile_without_shapes_says_how_to_collect_again(measured: Project, tmp_path: Path) -> None:
    found = measured(text_layout(tmp_path / "p", [MATMUL, CAST], EVEN, level="Level0"))
    for code in ("MSP201", "MSP202"):
        assert found[code]["verdict"] == "not-measurable"
        assert "profiler_level=Level1" in str(found[code]["evidence"])
    assert found["MSP203"]["verdict"] == "confirmed"


@pytest.mark.parametrize("steps", [(), (Trace(500, 0, 300),)], ids=["none", "one"])
def test_waiting_is_not_measurable_in_one_step(measured: Project, tmp_path: Path, steps: tuple[Trace, ...]) -> None:
    found = measured(text_layout(tmp_path / "p", [MATMUL], steps, runs=1))
    assert found["MSP102"]["verdict"] == "not-measurable"
    assert "schedule" in str(found["MSP102"]["evidence"])


def test_the_last_step_is_cut_off(measured: Project, tmp_path: Path) -> None:
    """Collecting ends in the middle of its free time, which says nothing."""
    steps = (Trace(500, 0, 1), Trace(500, 0, 1), Trace(500, 0, 9000))
    assert measured(text_layout(tmp_path / "p", [MATMUL], steps))["MSP102"]["verdict"] == "refuted"


def test_a_step_that_waits_where_a_save_is_due_shows_it(measured: Project, tmp_path: Path) -> None:
    """Step 4 of 3 to 6, with a checkpoint every 4 steps: the gap counts once in 4 steps."""
    steps = (Trace(500, 0, 10), Trace(500, 0, 810), Trace(500, 0, 10), Trace(500, 0, 10))
    found = measured(text_layout(tmp_path / "p", [MATMUL], steps))["MSP301"]
    assert (found["verdict"], found["upper_ms"]) == ("confirmed", 0.2)
    off = (steps[1], *steps[2:], steps[0])
    assert measured(text_layout(tmp_path / "q", [MATMUL], off))["MSP301"]["verdict"] == "not-seen"


def test_operators_that_python_starts(measured: Project, tmp_path: Path) -> None:
    text = TRAIN.replace("mode=ms.GRAPH_MODE", "mode=ms.PYNATIVE_MODE")
    native = [Row(f"{NATIVE}aclnnMatmul", "MatMulV2"), Row(f"{NATIVE}aclnnCast", "Cast")]
    found = measured(text_layout(tmp_path / "p", native, IDLE), text=text)
    assert (found["MSP101"]["verdict"], found["MSP101"]["upper_ms"]) == ("confirmed", 0.3)
    assert found["MSP203"]["verdict"] == "not-measurable"
    assert measured(text_layout(tmp_path / "q", native, EVEN), text=text)["MSP101"]["verdict"] == "not-seen"
    assert measured(text_layout(tmp_path / "r", [MATMUL], IDLE), text=text)["MSP101"]["verdict"] == "refuted"


PARALLEL = TRAIN.replace(
    "    net = Net()",
    "    ms.communication.init()\n"
    '    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)\n'
    "    net = Net()",
)


def test_all_reduces(measured: Project, tmp_path: Path) -> None:
    """Two of them, of which nothing hides 200 us of a step of 710."""
    row = Row("hcom_allReduce__101_0_1", "hcom_allReduce_", 100.0, "N/A", "N/A")
    steps = tuple(Trace(500, 200, 10) for _ in range(3))
    several = [MATMUL, row, row._replace(name="hcom_allReduce__101_1_1")]
    found = measured(text_layout(tmp_path / "p", several, steps), text=PARALLEL)["MSP601"]
    assert (found["verdict"], found["upper_ms"]) == ("confirmed", 0.2)
    assert "2 AllReduce" in str(found["evidence"])
    one = measured(text_layout(tmp_path / "q", [MATMUL, row], steps), text=PARALLEL)["MSP601"]
    hidden = measured(text_layout(tmp_path / "r", several, EVEN), text=PARALLEL)["MSP601"]
    alone = measured(text_layout(tmp_path / "s", [MATMUL], EVEN), text=PARALLEL)["MSP601"]
    assert [each["verdict"] for each in (one, hidden, alone)] == ["refuted", "refuted", "not-measurable"]


def test_the_layout_of_1_x(measured: Project, tmp_path: Path) -> None:
    rows = [MATMUL._replace(name=f"{SCOPE}fc2-Dense/MatMul-op0", type="MatMul", dtypes="FLOAT32;FLOAT32")]
    for spelling in ("kernel", "op"):
        found = measured(old_layout(tmp_path / spelling, rows, [0, 3000, 3000, 3000], spelling))
        assert (found["MSP102"]["verdict"], found["MSP102"]["upper_ms"]) == ("confirmed", 3.0)
        assert (found["MSP201"]["verdict"], found["MSP202"]["verdict"]) == ("confirmed", "confirmed")
        assert found["MSP203"]["verdict"] == "refuted"


def test_a_cpu(measured: Project, tmp_path: Path) -> None:
    rows = [Row(f"{SCOPE}Cast-op0", "Cast", 40.0), Row(f"{SCOPE}fc2-Dense/MatMul-op0", "MatMul", 300.0)]
    found = measured(cpu_layout(tmp_path / "p", rows))
    assert (found["MSP203"]["verdict"], found["MSP203"]["upper_ms"]) == ("confirmed", 0.04)
    assert found["MSP203"]["device"] == "CPU"
    assert found["MSP202"]["verdict"] == found["MSP102"]["verdict"] == "not-measurable"


def test_the_largest_bound_comes_first(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    folder = text_layout(tmp_path / "p", [MATMUL, CAST], IDLE)
    ran = front.run("--isolated", "--no-cache", "--select", "ALL", "--profile", str(folder), "train.py", cwd=tmp_path)
    table = ran.out[ran.out.index("profile  ") :].splitlines()
    bounds = [line.split()[0] for line in table if " confirmed " in line]
    assert bounds == sorted(bounds, key=float, reverse=True)
    assert table[0] == "profile  Ascend, 2026-11-22, 4 steps: 0.800 ms a step, computing 62 %, waiting 38 %"
    assert any("Net.fc2 (MatMulV2)  train.py:9  MSP202" in line for line in table)


def test_refuted_findings_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    folder = text_layout(tmp_path / "p", [RELU], EVEN)
    arguments = ("--isolated", "--no-cache", "--profile", str(folder), "train.py")
    assert front.run("--select", "MSP102,MSP203", *arguments, cwd=tmp_path).code == 0
    assert front.run("--select", "MSP102,MSP203,MSP301", *arguments, cwd=tmp_path).code == 1


@pytest.mark.parametrize("options", [(), ("--device", "Ascend")])
def test_a_cpu_refutes_nothing_for_an_accelerator(tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "train.py").write_text(TRAIN.replace(', device_target="Ascend"', "") if options else TRAIN)
    folder = cpu_layout(tmp_path / "p", [RELU])
    arguments = ("--isolated", "--no-cache", "--select", "MSP203", *options, "--profile", str(folder), "train.py")
    ran = front.run(*arguments, cwd=tmp_path)
    assert ran.code == 1 and "does not count" not in ran.out
    said = "refuted on CPU: no cast of Net ran: the compiler removed it; the program is for another device"
    assert f"measured: {said}, and the finding counts\n" in ran.out


def test_the_configuration_names_a_profile(tmp_path: Path) -> None:
    """It is that of one program: with another one it is left out, and where it is gone the run goes on."""
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "other.py").write_text(TRAIN.replace("Net", "Other"))
    text_layout(tmp_path / "p", [RELU], EVEN)
    (tmp_path / "pyproject.toml").write_text('[tool.ms-perflint]\nprofile = "p"\nselect = ["MSP203"]\n')
    ran = front.run("--no-cache", "train.py", cwd=tmp_path)
    assert (ran.code, "measured: refuted: no cast of Net ran" in ran.out, ran.err) == (0, True, "")
    ran = front.run("--no-cache", "other.py", cwd=tmp_path)
    assert ran.code == 1 and "measured" not in ran.out
    assert ran.err.startswith("profile not used: ") and "the profile of another program" in ran.err
    assert front.run("--no-cache", "--profile", "p", "other.py", cwd=tmp_path).code == 2
    shutil.rmtree(tmp_path / "p")
    ran = front.run("--no-cache", "train.py", cwd=tmp_path)
    assert ran.code == 1 and "no folder: name the one that the profiler wrote" in ran.err


def test_several_ranks(tmp_path: Path) -> None:
    """The slowest one is read."""
    text_layout(tmp_path / "p", [RELU], EVEN, rank=0)
    text_layout(tmp_path / "p", [MATMUL], IDLE, rank=1)
    profile = reader.read(str(tmp_path / "p"))
    assert (profile.rank, profile.ranks, profile.kernels[0].type) == (1, 2, "MatMulV2")


def test_the_output_folder_itself(tmp_path: Path) -> None:
    top = text_layout(tmp_path / "p", [MATMUL], EVEN)
    inner = reader.read(str(top / "ASCEND_PROFILER_OUTPUT"))
    assert inner._replace(folder="") == reader.read(str(top))._replace(folder="")


def test_steps_without_numbers(tmp_path: Path) -> None:
    """Each kernel of a graph runs once per step; one that runs more often does not decide."""
    often = [MATMUL._replace(name=MATMUL.name.replace("op0", f"op{at}")) for at in range(30)]
    profile = reader.read(str(text_layout(tmp_path / "p", [*often, CAST, CAST], numbered=False, runs=5)))
    assert (profile.window, profile.is_even) == (5, True)
    assert profile.device_us == 30 * 300 + 2 * 40


NAMES = [
    (f"{LAUNCH}{SCOPE}fc2-Dense/MatMul-op0/aclnnMatmul", "graph", "Dense", False),
    (f"{SCOPE}fc2-Dense/MatMul-op0", "graph", "Dense", False),
    (f"{GRADIENT}fc2-Dense/gradMatMul/MatMul-op52", "graph", "Dense", True),
    (f"{SCOPE}0-Block/Cast-op3", "graph", "Block", False),
    ("recompute_Default/network-Net/fc-Dense/MatMul-op1", "graph", "Dense", False),
    ("PynativeFramework::aclnnMatmul", "pynative", "", False),
    ("aclnnMatmul_MatMulCommon_MatMulV2", "", "", False),
    ("MaskedFill", "", "", False),
    ("Default/Cast-op168", "", "", False),
    ("", "", "", False),
    ("Default/a-B/c-", "", "", False),
]


@pytest.mark.parametrize(("name", "mode", "cell", "is_gradient"), NAMES)
def test_names_of_kernels(name: str, mode: str, cell: str, is_gradient: bool) -> None:
    found = named(name)
    assert (found.mode, found.cells[-1].name if found.cells else "", found.is_gradient) == (mode, cell, is_gradient)


def test_the_profile_of_another_program(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    other = MATMUL._replace(name=MATMUL.name.replace("backbone-Net", "backbone-BertModel"))
    folder = text_layout(tmp_path / "p", [other], EVEN)
    ran = front.run("--isolated", "--no-cache", "--profile", str(folder), "train.py", cwd=tmp_path)
    assert ran.code == 2
    assert "the profile of another program: no class like BertModel" in ran.err


@pytest.mark.parametrize("folder", ["missing", "empty"])
def test_a_folder_without_a_profile(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "train.py").write_text(TRAIN)
    ran = front.run("--isolated", "--no-cache", "--profile", folder, "train.py", cwd=tmp_path)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert folder in ran.err


def test_saved_graphs_give_the_line(tmp_path: Path) -> None:
    """Two casts in one class: with the graphs only the one that ran on that line is confirmed."""
    (tmp_path / "train.py").write_text(TRAIN)
    folder = text_layout(tmp_path / "p", [MATMUL, CAST], EVEN)
    (tmp_path / "ir").mkdir()
    for row, verdict in ((14, "refuted"), (15, "confirmed")):
        graph = f"""\
        %4(equiv_8) = PrimFunc_Cast(%3)
            # Fullname with scope: ({SCOPE}Cast-op0)
            # In file site-packages/mindspore/nn/wrap/cell_wrapper.py:122, 14~28/        out = self._backbone(data)/
            # In file {tmp_path}/train.py:12~16, 4~26/    def construct(self, x):/
            # In file {tmp_path}/train.py:{row}, 12~36/        x = ops.cast(x, ms.float32)/
            # In file site-packages/mindspore/ops/auto_generate/gen_ops_def.py:8835, 11~32/    return cast_op(input)/
        %5(CNode_951) = PrimFunc_Cast(%4)
            # In file {tmp_path}/train.py:16, 12~36/        return/
        """
        (tmp_path / "ir" / "graph_build_0_0094.ir").write_text(textwrap.dedent(graph))
        arguments = ("--isolated", "--no-cache", "--select", "MSP203", "--output-format", "json", "--ir", "ir")
        ran = front.run(*arguments, "--profile", str(folder), "train.py", cwd=tmp_path)
        assert [each["measured"]["verdict"] for each in json.loads(ran.out)] == [verdict]


def test_graphs_need_a_profile(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    ran = front.run("--isolated", "--no-cache", "--ir", ".", "train.py", cwd=tmp_path)
    assert ran.code == 2
    assert "--profile" in ran.err


def test_all_formats_carry_it(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    folder = text_layout(tmp_path / "p", [MATMUL, CAST], IDLE)
    arguments = ("--isolated", "--no-cache", "--select", "ALL", "--profile", str(folder), "train.py")
    sarif = json.loads(front.run("--output-format", "sarif", *arguments, cwd=tmp_path).out)
    first = sarif["runs"][0]["results"][0]
    assert first["properties"]["measured"]["verdict"] == "confirmed"
    page = front.run("--output-format", "html", *arguments, cwd=tmp_path).out
    assert page.count("<rect ") == 2 * len(IDLE)
    assert "confirmed, at most 0.300 ms (38 %) of a step" in page
    chinese = front.run("--lang", "zh", *arguments, cwd=tmp_path).out
    assert "confirmed" not in chinese


def test_how_to_collect() -> None:
    for version, words in (("2.10", "profile("), ("2.5", "tensor_board_trace_handler"), ("1.9", "analyse()")):
        ran = front.run("profile", "--how", "--mindspore-version", version, cwd=Path())
        assert (ran.code, words in ran.out) == (0, True)
        compile(ran.out, "how", "exec")


def test_each_symptom_exists() -> None:
    for check in checks():
        assert not check.symptom or callable(getattr(symptoms, check.symptom))


def test_spoilt_profiles_end_in_one_line(tmp_path: Path) -> None:
    """300 spoilt profiles of all layouts: an answer, or an error that says which file; never a traceback."""
    chance = random.Random(7)
    made = [
        text_layout(tmp_path / "a", [MATMUL, CAST, RELU], IDLE),
        text_layout(tmp_path / "b", [MATMUL, CAST], EVEN, level="Level0", numbered=False),
        old_layout(tmp_path / "c", [MATMUL, CAST], [0, 10, 10]),
        cpu_layout(tmp_path / "d", [MATMUL, CAST]),
    ]
    answered = 0
    for round_ in range(300):
        folder = made[round_ % len(made)]
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        spoilt = chance.choice(files)
        before = spoilt.read_bytes()
        spoilt.write_bytes(_spoilt(before, chance))
        try:
            profile = reader.read(str(folder))
            assert profile.step_us >= 0 or profile.step_us < 0  # a number, whatever was read
            answered += 1
        except ProfileError as error:
            assert str(folder) in str(error)
        spoilt.write_bytes(before)
    assert answered > 100


def _spoilt(raw: bytes, chance: random.Random) -> bytes:
    """Return bytes with something cut, doubled, swapped or replaced."""
    start, end = sorted(chance.randrange(len(raw) + 1) for _ in range(2))
    words = (b"", b"\0", b"N/A", b"-1e999", b"nan", b'"', b",,,", b"\xff\xfe", b"\n\n", b"[" * 2000, "表".encode())
    return chance.choice(
        (
            raw[:start],
            raw[:start] + chance.choice(words) + raw[end:],
            raw[:start] + raw[start:end] * 2 + raw[end:],
            raw[end:],
        )
    )
