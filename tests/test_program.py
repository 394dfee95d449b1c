"""`ms-perflint program`: the facts of a program with their places, as text and as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from front import Ran
from programs import ROOT

from ms_perflint.cli import main
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.facts.collect import facts_of
from ms_perflint.facts.data import Answer, Fact, Facts
from ms_perflint.infer import queries
from ms_perflint.linting.linter import Linter
from ms_perflint.report.program import render

SAMPLES = Path(__file__).resolve().parent.parent / "sample_scripts"
IMPORTS = """\
import mindspore as ms
from mindspore import nn
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint
"""
NETWORK = """\
net = nn.Dense(64, 64)
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
"""
TRAIN = f"{IMPORTS}{NETWORK}model.train(1, dataset, dataset_sink_mode=True)\n"


def told(files: str | dict[str, str], entry: str = "train.py", **settings: object) -> Facts:
    """Return the facts of a small program: one text (it becomes `train.py`), or several by name."""
    texts = {"train.py": files} if isinstance(files, str) else files
    held = {os.path.join(ROOT, *name.split("/")): text.encode() for name, text in texts.items()}
    linter = Linter(Config(root=ROOT, **settings), Overlay(Nowhere(), held))  # type: ignore[arg-type]
    return facts_of(linter, os.path.join(ROOT, entry))


def fact(facts: Facts, name: str) -> Fact:
    """Return the fact of that name."""
    (found,) = [each for each in facts.facts if each.name == name]
    return found


def rows(fact: Fact) -> list[tuple[str, int, str]]:
    """Return file, row and meaning of each place that speaks for a fact."""
    return [(os.path.relpath(e.place.path, ROOT).replace(os.sep, "/"), e.place.row, e.says) for e in fact.evidence]


def origins(fact: Fact) -> list[tuple[str, int, str]]:
    """Return where the values of a fact were decided."""
    found = [origin for evidence in fact.evidence for origin in evidence.origins]
    return [(os.path.relpath(o.place.path, ROOT).replace(os.sep, "/"), o.place.row, o.text) for o in found]


def test_of_a_program_that_is_too_large_only_what_is_certain_is_told() -> None:
    part = "".join(f"# {number:097}\n" for number in range(2_000))
    files = {f"part_{number}.py": f"def go():\n    pass\n{part}" for number in range(12)}
    files["train.py"] = "import mindspore\nfrom mindspore.train import Model\nModel(None).train(1, None)\n" + "".join(
        f"import part_{n}\npart_{n}.go()\n" for n in range(12)
    )
    facts = told(files)
    assert [each.name for each in facts.facts] == ["files", "launchers", "version", "trains", "judged"]
    assert fact(facts, "trains").answer is None
    assert "only the entry script" in fact(facts, "trains").says


class Command:
    """The command in this process, in some directory."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch

    def __call__(self, *arguments: str, cwd: Path) -> Ran:
        """Return what `ms-perflint program` prints without a configuration file, and its exit code."""
        self.monkeypatch.chdir(cwd)
        with pytest.raises(SystemExit) as left:
            main(["program", "--isolated", *arguments])
        printed = self.capsys.readouterr()
        return Ran(int(left.value.code or 0), printed.out, printed.err)


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return the command."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return Command(capsys, monkeypatch)


# --- the samples


@pytest.mark.parametrize(
    ("script", "answers", "findings"),
    [
        (
            "lenet.py",
            {"trains": True, "mode": "graph", "sink mode": False, "precision": "float32", "checkpoints": False},
            {"MSP102": [71], "MSP201": [65], "MSP301": [68]},
        ),
        (
            "custom_loop.py",
            {"trains": True, "mode": "PyNative", "precision": "float32", "checkpoints": False},
            {"MSP101": [73], "MSP201": [48], "MSP301": [61]},
        ),
        (
            "data_parallel.py",
            {"mode": "graph", "sink mode": True, "precision": None, "parallel mode": "data_parallel", "launchers": 1},
            {"MSP601": [58]},
        ),
        (
            "zoo_project/train.py",
            {"files": 5, "config files": 1, "mode": "graph", "sink mode": True, "AutoTune": True, "profiler": True},
            {"MSP201": [28], "MSP202": [13], "MSP203": [21], "MSP501": [12]},
        ),
    ],
)
def test_samples(program: Command, script: str, answers: dict[str, object], findings: dict[str, list[int]]) -> None:
    ran = program("--output-format", "json", script, cwd=SAMPLES)
    assert (ran.code, ran.err) == (0, "")
    (found,) = json.loads(ran.out)["programs"]
    assert {name: found["facts"][name.replace(" ", "_").lower()]["answer"] for name in answers} == answers
    places = {rule["code"]: [place["row"] for place in rule["findings"]] for rule in found["rules"]}
    assert {code: found for code, found in places.items() if found} == findings


def test_text_of_a_project(program: Command) -> None:
    ran = program("--mindspore-version", "2.10", "train.py", cwd=SAMPLES / "zoo_project")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        """\
program train.py

files          5
  src/__init__.py
  src/config.py
  src/dataset.py
  src/network.py
config files   1
  default_config.yaml:1  loaded in config.py:34
    src/config.py:30     --config_path, default default_path
version        2.10, as asked for
device         is not set: taken for an accelerator
trains         yes
  train.py:40  model.train(...): in train
mode           graph
  train.py:14  ms.set_context(mode=ms.GRAPH_MODE): graph
sink mode      yes
  train.py:40               model.train(dataset_sink_mode=config.dataset_sink_mode, ...): True by default; callbacks print per step
    default_config.yaml:12  dataset_sink_mode: True
precision      float32
  train.py:28               Model(amp_level=config.amp_level, ...): amp_level 'O0' by default
    default_config.yaml:11  amp_level: "O0"
checkpoints    none is known to be written while training goes on
  train.py:48  ms.save_checkpoint(...): no repetition is known
profiler       yes
  train.py:36  profile(data_process=True, ...): data pipeline True
AutoTune       yes
  src/dataset.py:12  ds.config.set_enable_autotune(enable=True): True; meets the profiler in train.py:36
without        launchers, parallel mode

rules
  MSP201  1 finding: train.py:28
  MSP202  1 finding: src/network.py:13
  MSP203  1 finding: src/network.py:21
  MSP501  1 finding: src/dataset.py:12
  no finding  MSP101, MSP102, MSP301, MSP601
"""  # noqa: E501
    )


# --- facts


SETUP = """\
import mindspore as ms

def prepare(args):
    ms.set_context(mode=args.mode)
"""
RUN = f"""\
{IMPORTS}
def run():
    net = nn.Dense(64, 64)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    model.train(1, dataset)
"""
ENTRY = """\
import argparse
from src.context import prepare
from src.run import run

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", type=int, default=1)
    args = parser.parse_args()
    prepare(args)
    run()
"""
PROJECT = {"train.py": ENTRY, "src/__init__.py": "", "src/context.py": SETUP, "src/run.py": RUN}


def test_where_a_mode_comes_from() -> None:
    facts = told({**PROJECT, "run.sh": "python train.py\n"})
    assert fact(facts, "mode").answer == "PyNative"
    assert rows(fact(facts, "mode")) == [("src/context.py", 4, "PyNative")]
    assert origins(fact(facts, "mode")) == [("train.py", 7, "--mode, default 1")]
    assert [(each.place.row, each.text) for each in facts.settings] == [(7, "--mode, default 1")]
    assert rows(fact(facts, "trains")) == [("src/run.py", 8, "in run")]
    assert [name for name, _, _ in rows(fact(facts, "launchers"))] == ["run.sh"]


def test_a_mode_that_no_one_knows_says_why() -> None:
    entry = ENTRY.replace("type=int, default=1", "type=int, required=True")
    facts = told({**PROJECT, "train.py": entry})
    assert (fact(facts, "mode").answer, fact(facts, "mode").says) == (None, "unknown")
    assert rows(fact(facts, "mode")) == [("src/context.py", 4, "unknown: `--mode` has no default")]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("ms.set_context(mode=choose())", "unknown: the result of `choose` is not known"),
        ("ms.set_context(mode=config.mode)", "unknown: `config` is not known"),
        ("ms.set_context(**settings)", "unknown: `settings` is not known"),
        (
            "def prepare(mode):\n    ms.set_context(mode=mode)\nhooks = [prepare]",
            "unknown: no call that gives the parameter `mode` is known",
        ),
        (
            "def prepare(mode):\n    ms.set_context(mode=mode)\nprepare(choose())",
            "unknown: the result of `choose` is not known",
        ),
        (
            'config = yaml.safe_load(open("train.yaml"))\nms.set_context(mode=config["mode"])',
            "unknown: no `mode` in train.yaml",
        ),
    ],
)
def test_why_a_value_is_unknown(lines: str, why: str) -> None:
    facts = told({"train.py": f"import yaml\n{TRAIN}{lines}\n", "train.yaml": "epochs: 3\n"})
    assert fact(facts, "mode").answer is None
    assert [says for _, _, says in rows(fact(facts, "mode"))] == [why]


def test_launchers_speak_for_options() -> None:
    scripts = {
        "run.sh": "python train.py --mode=0 --verbose\n",
        "run_more.sh": "cd .\npython train.py --mode 0 > log\n",
    }
    agreed = told({**PROJECT, **scripts})
    assert [(each.place.row, each.code) for each in fact(agreed, "launchers").evidence] == [
        (1, "train.py --mode=0 --verbose"),
        (2, "train.py --mode=0"),
    ]
    assert fact(agreed, "mode").answer == "graph"
    assert origins(fact(agreed, "mode"))[0] == ("run.sh", 1, "python train.py --mode=0 --verbose")
    differing = fact(told({**PROJECT, **scripts, "run_more.sh": "python train.py --mode=1\n"}), "mode")
    assert (differing.answer, rows(differing)[0][2]) == (None, "0 or 1 by default")
    (untold,) = rows(fact(told({**PROJECT, "run.sh": "python train.py --mode=$1\n"}), "mode"))
    assert untold[2] == "unknown: the value of `--mode` in run.sh:1 is not known"


def test_several_modes_have_their_roles_and_conditions() -> None:
    facts = told(
        f"""\
import argparse
{IMPORTS}
parser = argparse.ArgumentParser()
parser.add_argument("--debug", action="store_true")
parser.add_argument("--device", default="Ascend", choices=["Ascend", "CPU"])
args = parser.parse_args()
ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device)
if args.debug:
    ms.set_context(mode=ms.PYNATIVE_MODE)
{NETWORK}
model.train(1, dataset)
"""
    )
    first, last, debug = fact(facts, "mode").evidence
    assert fact(facts, "mode").answer == "graph"
    assert (first.says, last.says, debug.says) == ("PyNative, overridden later", "graph", "PyNative, only on request")
    assert (last.when, debug.when) == ("", "args.debug (not by default)")
    assert [(origin.place.row, origin.text) for origin in debug.origins] == [(7, "--debug")]
    (device,) = fact(facts, "device").evidence
    assert fact(facts, "device").says == "Ascend or CPU"
    assert device.says == "'Ascend', 'CPU' on request"


def test_nothing_says_a_mode() -> None:
    assert fact(told(TRAIN), "mode").says == "PyNative, the default of 2.10: nothing sets it"
    old = fact(told(TRAIN, mindspore_version=(1, 9, 0)), "mode")
    assert (old.answer, old.says) == ("graph", "graph, the default of 1.9: nothing sets it")


def test_a_setting_in_a_config_file() -> None:
    facts = told(
        {
            "train.py": f"""\
import argparse
import yaml
{IMPORTS}
parser = argparse.ArgumentParser()
parser.add_argument("--config", default="config/base.yaml")
with open(parser.parse_args().config) as file:
    config = yaml.safe_load(file)
net = nn.Dense(64, 64)
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), amp_level=config["amp_level"])
model.train(1, dataset, dataset_sink_mode=config["sink"])
""",
            "config/base.yaml": 'amp_level: "O2"\nsink: false\n',
        }
    )
    assert rows(fact(facts, "config files")) == [("config/base.yaml", 1, "loaded in train.py:10")]
    assert origins(fact(facts, "config files")) == [("train.py", 8, '--config, default "config/base.yaml"')]
    assert origins(fact(facts, "precision")) == [("config/base.yaml", 1, 'amp_level: "O2"')]
    assert (fact(facts, "precision").answer, fact(facts, "sink mode").answer) == (None, False)
    assert origins(fact(facts, "sink mode")) == [("config/base.yaml", 2, "sink: false")]


def test_options_that_code_makes_from_a_config_file() -> None:
    text = f"""\
import argparse
import yaml
{IMPORTS}
parser = argparse.ArgumentParser()
parser.add_argument("--config")
args, _ = parser.parse_known_args()
with open(args.config) as file:
    settings = yaml.safe_load(file.read())
for key, value in settings.items():
    parser.add_argument(f"--{{key}}", default=value)
args = parser.parse_args()
ms.set_context(mode=args.mode)
{NETWORK}model.train(1, dataset)
"""
    facts = told(text)
    (load,) = fact(facts, "config files").evidence
    assert (load.place.row, load.says) == (11, "no file by default")
    assert origins(fact(facts, "config files")) == [("train.py", 8, "--config")]
    why = "code makes the options, and whether `--mode` is one of them is not known"
    assert [says for _, _, says in rows(fact(facts, "mode"))] == [f"unknown: {why}"]


def test_a_config_file_that_is_not_there() -> None:
    facts = told(f'import yaml\n{TRAIN}config = yaml.safe_load(open("config.yaml"))\n')
    assert [says for _, _, says in rows(fact(facts, "config files"))] == ["'config.yaml', and no such file is there"]
    assert fact(facts, "config files").answer == 0


def test_checkpoints() -> None:
    facts = told(
        f"""\
{IMPORTS}
{NETWORK}
used = CheckpointConfig(save_checkpoint_steps=100, async_save=True)
unused = CheckpointConfig()
model.train(9, dataset, callbacks=[ModelCheckpoint("a", config=used), ModelCheckpoint("b")])
ms.save_checkpoint(net, "last.ckpt")
"""
    )
    assert [(row, says) for _, row, says in rows(fact(facts, "checkpoints"))] == [
        (8, "async_save True"),
        (9, "async_save False by default; no ModelCheckpoint is known to get it"),
        (10, "no config: training waits, after every step"),
        (11, "no repetition is known"),
    ]
    assert [each.value for each in fact(facts, "checkpoints").evidence] == [True, "once", False, "once"]
    assert (fact(facts, "checkpoints").answer, fact(facts, "checkpoints").says) == (None, "it depends")


def test_precision_says_where_the_training_is_made_and_what_halves_it() -> None:
    step = f"""\
{IMPORTS}
net = nn.Dense(64, 64)
optimizer = nn.SGD(net.trainable_params())
def forward(x):
    return net(x)
grad = ms.value_and_grad(forward, None, optimizer.parameters)
for batch in dataset:
    loss, grads = grad(batch)
    optimizer(grads)
"""
    plain = fact(told(step), "precision")
    assert (plain.answer, [(row, says) for _, row, says in rows(plain)]) == (
        "float32",
        [(9, "makes the gradients")],
    )
    without = fact(told(f"{IMPORTS}Model(make()).train(1, dataset)\n"), "precision")
    assert (without.answer, without.evidence) == (None, ())
    halved = fact(told(step.replace("64, 64)", "64, 64).to_float(ms.float16)")), "precision")
    assert (halved.answer, halved.says) == (None, "FP16 or BF16 may reach it")
    assert [(each.place.row, each.says) for each in halved.evidence[1:]] == [(5, "may switch it on")]
    full = fact(told(step.replace("return net(x)", "return ms.grad(net)(x)")), "precision")
    assert (full.answer, full.says) == ("float32", "FP32, which it needs")
    # an attack is no part of the loss; a second training, whose network is not known, decides nothing
    attack = f"{TRAIN}print(ms.grad(net)(data))\nModel(make(), nn.MSELoss(), nn.SGD(some)).train(1, dataset)\n"
    facts = told(attack)
    found = {verdict.code for verdict in facts.verdicts if verdict.places}
    assert (fact(facts, "precision").says, "MSP201" in found) == ("float32", True)
    assert [(each.place.row, each.says) for each in full.evidence[1:]] == [(8, "derivatives with respect to inputs")]


def test_parallel_mode_and_portions() -> None:
    facts = told(
        f"""\
{IMPORTS}
import sys
if len(sys.argv) > 1:
    ms.set_auto_parallel_context(parallel_mode="data_parallel", all_reduce_fusion_config=[85, 160])
{TRAIN}
"""
    )
    (evidence,) = fact(facts, "parallel mode").evidence
    assert (fact(facts, "parallel mode").answer, evidence.value) == ("data_parallel", "data_parallel")
    assert evidence.says == "'data_parallel'; all_reduce_fusion_config"
    assert evidence.when == "len(sys.argv) > 1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            f"{IMPORTS}{NETWORK}model.eval(dataset)\n",
            "no: nothing that runs calls Model.train, Model.fit or a training step",
        ),
        ("import torch\n", "no: it does not use MindSpore"),
        (f"import pytest\n{IMPORTS}\ndef test_it():\n    Model(net).train(1, data)\n", "no: it is a unit test"),
    ],
)
def test_a_script_that_does_not_train(text: str, says: str) -> None:
    facts = told(text)
    assert (fact(facts, "trains").answer, fact(facts, "trains").says) == (False, says)
    assert not any(verdict.places for verdict in facts.verdicts)


def test_a_module_that_does_not_parse_is_left_out() -> None:
    facts = told({**PROJECT, "src/context.py": "def prepare(:\n"})
    (broken,) = rows(fact(facts, "files"))
    assert broken[:2] == ("src/context.py", 1)
    assert broken[2].startswith("left out: ")
    assert (len(facts.files), fact(facts, "files").answer) == (4, 4)


# --- what the rules say


def test_a_rule_that_is_quiet_because_of_the_target() -> None:
    text = f"{IMPORTS}ms.set_context(mode=ms.PYNATIVE_MODE, device_target='CPU')\n{NETWORK}model.train(1, dataset)\n"
    facts = told(text)
    verdicts = {verdict.code: verdict for verdict in facts.verdicts}
    assert fact(facts, "device").says == "CPU, and nothing else is possible"
    assert verdicts["MSP101"].places == ()
    assert verdicts["MSP101"].otherwise == (("--device Ascend", 1),)
    assert verdicts["MSP102"].otherwise == ()  # PyNative does not sink, whatever the device
    told_so = {verdict.code: verdict for verdict in told(text, device="Ascend").verdicts}
    assert (len(told_so["MSP101"].places), told_so["MSP101"].otherwise) == (1, ())


def test_a_rule_that_is_quiet_because_of_an_option() -> None:
    epochs = "for epoch in range(9):\n    model.train(1, dataset, dataset_sink_mode=False)\n"
    text = f"{IMPORTS}ms.set_context(mode=ms.GRAPH_MODE)\n{NETWORK}{epochs}"
    verdicts = {verdict.code: verdict for verdict in told(text).verdicts}
    assert (verdicts["MSP102"].places, verdicts["MSP102"].otherwise) == ((), (("report-deliberate = true", 1),))
    on = {verdict.code: verdict for verdict in told(text, options={"MSP102": {"report-deliberate": True}}).verdicts}
    assert (len(on["MSP102"].places), on["MSP102"].otherwise) == (1, ())


def test_an_import_that_caps_the_version() -> None:
    version = fact(told(f"from mindspore import ms_function\n{TRAIN}"), "version")
    assert (version.answer, version.says) == ("2.5", "2.5, the newest that has what the code uses")
    assert [(each.place.row, each.code) for each in version.evidence] == [(1, "from mindspore import ms_function")]


def test_a_rule_that_is_quiet_because_of_the_version() -> None:
    facts = told({"train.py": f"{IMPORTS}{NETWORK}model.train(1, dataset)\n", "requirements.txt": "mindspore==1.9.0\n"})
    verdicts = {verdict.code: verdict.otherwise for verdict in facts.verdicts}
    version = fact(facts, "version")
    assert (version.answer, version.says) == ("1.9", "1.9, the newest that the requirements allow")
    assert [(each.place.row, each.code) for each in version.evidence] == [(1, "mindspore==1.9.0")]
    assert verdicts["MSP101"] == (("--mindspore-version 2.10", 1),)


def test_rules_that_are_suppressed_or_off() -> None:
    text = TRAIN.replace("trainable_params()))", "trainable_params()))  # noqa: MSP201")
    verdicts = {verdict.code: verdict for verdict in told(text, ignore=("MSP101",)).verdicts}
    assert ([place.row for place in verdicts["MSP201"].hidden], verdicts["MSP201"].places) == ([5], ())
    assert (verdicts["MSP101"].is_on, verdicts["MSP102"].is_on) == (False, True)
    shown = render("text", Answer(os.path.join(ROOT, "train.py"), (told(text, ignore=("MSP101",)),)))
    assert "  MSP201  1 finding suppressed: " in shown
    assert shown.splitlines()[-1] == "  off         MSP101"


# --- the command


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a directory that holds the project, and a script that does not train."""
    for name, text in {**PROJECT, "eval.py": "from src.context import prepare\nprepare(None)\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_json_is_the_same_twice_and_holds_places(program: Command, here: Path) -> None:
    asked = ("--output-format", "json", "train.py")
    ran = program(*asked, cwd=here)
    assert program(*asked, cwd=here) == ran
    document = json.loads(ran.out)
    (only,) = document["programs"]
    assert list(document) == ["path", "programs", "others", "complete"]
    assert list(only) == ["entry", "files", "facts", "settings", "rules", "configurations"]
    (evidence,) = only["facts"]["mode"]["evidence"]
    assert evidence == {
        "filename": str(here / "src" / "context.py"),
        "row": 4,
        "column": 5,
        "code": "ms.set_context(mode=args.mode)",
        "says": "PyNative",
        "value": "PyNative",
        "when": "",
        "from": [{"filename": str(here / "train.py"), "row": 7, "column": 5, "text": "--mode, default 1"}],
    }
    assert only["settings"] == evidence["from"]


def test_a_module_gives_the_program_that_trains_and_names_the_others(program: Command, here: Path) -> None:
    ran = program(os.path.join("src", "context.py"), cwd=here)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("program train.py\nsrc/context.py is a part of it\n")
    assert ran.out.endswith("\nsrc/context.py is part of these programs too:\neval.py  does not train\n")


def test_a_folder_gives_one_line_for_each_program_that_trains(program: Command, here: Path) -> None:
    line = "train.py  trains, PyNative, MindSpore 2.10, any device\n"
    assert program(".", cwd=here).out == f"{line}eval.py   does not train\n"
    assert program("src", cwd=here).out == "no program that trains is in this folder\n"
    for number, said in (
        (1, "1 file more that starts nothing: does not train"),
        (2, "2 files more that start nothing: do not"),
    ):
        (here / "src" / f"net{number}.py").write_text(
            "from mindspore import nn\n\n\ndef net():\n    return nn.ReLU()\n"
        )
        assert said in program("src", cwd=here).out


def test_more_than_a_screen_is_cut_unless_asked_for(program: Command, here: Path) -> None:
    lines = "".join(f"ms.set_context(mode={number % 2})\n" for number in range(20))
    (here / "many.py").write_text(f"{IMPORTS}{lines}{NETWORK}model.train(1, dataset)\n", encoding="utf-8")
    assert "  ... and 14 more, with --verbose\n" in program("many.py", cwd=here).out
    assert program("-v", "many.py", cwd=here).out.count("ms.set_context") == 20


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("gone.py", "gone.py: error: no such file or directory\n"),
        ("notes.txt", "notes.txt: error: no Python file: name the script that starts the program\n"),
        ("bad.py", "bad.py:1:5: error: syntax error: "),
    ],
)
def test_what_cannot_be_read_is_one_line(program: Command, here: Path, path: str, error: str) -> None:
    (here / "notes.txt").write_text("epochs\n", encoding="utf-8")
    (here / "bad.py").write_text("def (\n", encoding="utf-8")
    ran = program(path, cwd=here)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(error)
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("import mindspore\ndef (\n", True),
        ("from train import net\ndef (\n", True),
        ("import torch\ndef (\n", False),
        ("import mindspore\n", False),
    ],
)
def test_a_script_in_a_directory_that_cannot_be_read_is_told(
    program: Command, here: Path, text: str, is_told: bool
) -> None:
    (here / "bad.py").write_text(text, encoding="utf-8")
    ran = program(".", cwd=here)
    assert "train.py" in ran.out
    assert (ran.code, ran.err.startswith("bad.py:2:5: error: syntax error: ")) == ((2, True) if is_told else (0, False))
    assert ran.err.count("\n") == is_told


def test_options_of_the_target(program: Command, here: Path) -> None:
    ran = program("--device", "cpu", "--mindspore-version", "2.4", "train.py", cwd=here)
    assert "version        2.4, as asked for\ndevice         CPU, as asked for\n" in ran.out
    assert program("--device", "tpu", "train.py", cwd=here).code == 2


def test_a_program_that_takes_too_much_is_judged_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not [fact for fact in told(TRAIN).facts if fact.name == "judged"]
    monkeypatch.setattr(queries, "BUDGET", 3)
    fact = told(TRAIN).facts[-1]
    assert (fact.name, fact.answer) == ("judged", False)
    assert fact.says.startswith("in part: the budget of 200,000 evaluations was spent in train.py:")
