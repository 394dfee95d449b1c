"""The ways in which a program is run: what follows `--`, `launch` in the configuration, launchers that differ."""

from __future__ import annotations

import json
import re
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from front import run

from ms_perflint import engine
from ms_perflint.check import Check
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk
from ms_perflint.core.findings import Finding
from ms_perflint.core.reports import Report
from ms_perflint.discovery import discover
from ms_perflint.index.semantic_index import Site
from ms_perflint.infer.queries import Queries, Query
from ms_perflint.linting import programs
from ms_perflint.program import sibling_configs
from ms_perflint.program.program import Program
from ms_perflint.resolve.project import Project
from ms_perflint.training import mode

HEAD = """
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
"""
TAIL = """
net = nn.SequentialCell(nn.Flatten(), nn.Dense(784, 128), nn.ReLU(), nn.Dense(128, 10))
optimizer = nn.Adam(net.trainable_params())
model = ms.Model(net, nn.MSELoss(), optimizer, amp_level="O2")
model.train(3, ds.MnistDataset("train").batch(32, drop_remainder=True), dataset_sink_mode=True)
"""
ARGPARSE = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("-m", "--mode", "--run-mode", type=int, default=0)
parser.add_argument("--eager", action="store_true")
parser.add_argument("--no-eager", dest="eager", action="store_false")
parser.add_argument("--device-target", default="Ascend", choices=["Ascend", "GPU", "CPU"])
parser.add_argument("--device-num", type=int, default=1)
parser.add_argument("--sizes", type=int, nargs="+", default=[1])
args = parser.parse_args()
if args.eager:
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target=args.device_target)
else:
    ms.set_context(mode=args.mode, device_target=args.device_target)
"""
TYPED = """
import argparse
import ast
LEVELS = ["O0", "O1"] + ["O2"]
parser = argparse.ArgumentParser()
parser.add_argument("kind", choices=("net", "lenet"))
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--sink", type=ast.literal_eval, default=True)
parser.add_argument("--level", choices=LEVELS)
parser.add_argument("--mode", type=int, choices=range(2))
parser.add_argument("--own", type=lambda text: text, choices=[1])
parser.add_argument("--many", choices=[each for each in open("levels.txt")])
args = parser.parse_args()
"""
YAML = """
import argparse
import yaml
parser = argparse.ArgumentParser()
parser.add_argument("--config", required=True)
args = parser.parse_args()
with open(args.config) as file:
    cfg = yaml.safe_load(file)
ms.set_context(mode=cfg["mode"])
"""
SET_DEFAULTS = """
import argparse
import yaml
first = argparse.ArgumentParser(add_help=False)
first.add_argument("-c", "--config", default="")
parser = argparse.ArgumentParser(parents=[first])
parser.add_argument("--mode", type=int, default=0)

def parse():
    known, rest = first.parse_known_args()
    if known.config:
        with open(known.config) as file:
            parser.set_defaults(**yaml.safe_load(file))
    return parser.parse_args(rest)

args = parse()
ms.set_context(mode=args.mode)
"""
POSITIONAL = """
import argparse
import yaml
parser = argparse.ArgumentParser()
parser.add_argument("name")
parser.add_argument("config")
parser.add_argument("--mode", type=int, default=0)
args = parser.parse_args()
cfg = yaml.safe_load(open(args.config))
ms.set_context(mode=cfg["mode"])
"""
CLICK = """
import click

@click.command()
@click.option("--mode", type=int, default=0)
@click.option("--eager/--no-eager", is_flag=True, default=False)
@click.option("--level", type=click.Choice(["O0", "O2"]), default="O2")
def main(mode, eager, level):
    ms.set_context(mode=1 if eager else mode)
    train()

def train():
{tail}

if __name__ == "__main__":
    main()
""".format(tail="\n".join(f"    {line}" for line in TAIL.strip().splitlines()))
ABSL = """
from absl import app, flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("mode", 0, "the mode")
flags.DEFINE_bool("eager", False, "run operators one by one")

def main(argv):
    ms.set_context(mode=1 if FLAGS.eager else FLAGS.mode)
{tail}

if __name__ == "__main__":
    app.run(main)
""".format(tail="\n".join(f"    {line}" for line in TAIL.strip().splitlines()))
HYDRA = """
import hydra

@hydra.main(config_path="configs", config_name="graph")
def main(cfg):
    ms.set_context(mode=cfg.run.mode)
{tail}

if __name__ == "__main__":
    main()
""".format(tail="\n".join(f"    {line}" for line in TAIL.strip().splitlines()))
DATACLASS = """
from dataclasses import dataclass
from typing import Optional
from transformers import HfArgumentParser

@dataclass
class Arguments:
    mode: int = 0
    eager: bool = False
    level: Optional[int] = None

(args,) = HfArgumentParser(Arguments).parse_args_into_dataclasses()
ms.set_context(mode=1 if args.eager else args.mode)
"""
SET = """
import argparse
import yaml
parser = argparse.ArgumentParser()
parser.add_argument("-c", "--config", required=True)
parser.add_argument("--data", default="")
parser.add_argument("-o", "--opt", {how})
args = parser.parse_args()
with open(args.config) as file:
    config = yaml.safe_load(file)
for text in args.opt or []:
    key, value = text.split("=")
    inner = config
    for name in key.split(".")[:-1]:
        inner = inner[name]
    inner[key.split(".")[-1]] = yaml.safe_load(value)
ms.set_context(mode=config["run"]["mode"])
"""
SET_MANY, SET_EACH = SET.format(how='nargs="+"'), SET.format(how='action="append"')
SET_REST = SET.format(how="nargs=argparse.REMAINDER").replace('"-o", "--opt"', '"opt"')
SET_LAST = SET.format(how='nargs="*"').replace('"-o", "--opt"', '"opt"')
ARGV = """
import sys
mode = 0
if len(sys.argv) == 2:
    mode = int(sys.argv[1])
ms.set_context(mode=mode)
"""
ARGV_LAST = """
from sys import argv as words
ms.set_context(mode=int(words[-1]))
"""
ARGV_COUNT = """
import sys
ms.set_context(mode=1 if len(sys.argv) > 1 else 0)
"""
ARGV_YAML = """
import sys
import yaml
with open(sys.argv[1]) as file:
    cfg = yaml.safe_load(file)
ms.set_context(mode=cfg["mode"])
"""
INI = """
import argparse
import configparser
parser = argparse.ArgumentParser()
parser.add_argument("--ini", default="configs/graph.ini")
args = parser.parse_args()
settings = configparser.ConfigParser()
settings.read(args.ini)
ms.set_context(mode=settings.getint("run", "mode"))
"""
CONFIGS = {
    "configs/graph.yaml": "mode: 0\nrun:\n  mode: 0\n",
    "configs/eager.yaml": "mode: 1\nrun:\n  mode: 1\n",
    "configs/graph.ini": "[run]\nmode = 0\n",
    "configs/eager.ini": "[run]\nmode = 1\n",
    "configs/run.yaml": "seed: 2\nrun:\n  mode: 0\n",
}


def write(folder: Path, program: str, **more: str) -> None:
    """Write a program with its config files."""
    text = HEAD + program + ("" if "model.train" in program else TAIL)
    for name, content in {"train.py": text, **CONFIGS, **more}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def answered(folder: Path) -> tuple[int, Report]:
    """Return how many queries all rules take over a folder, and the report."""
    counts: Counter[str] = Counter()
    answer = Queries._answer

    def counted(self: Queries, query: Query) -> None:
        counts["answered"] += 1
        answer(self, query)

    config = Config(str(folder), select=("ALL",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Queries, "_answer", counted)
        report = engine.lint(discover([str(folder)], config).files, config)
    return counts["answered"], report


def is_reported(folder: Path, *arguments: str) -> bool:
    """Return whether a run is reported as PyNative; nothing may go wrong on the way."""
    ran = run("train.py", "--select", "MSP101", "--output-format", "json", "--", *arguments, cwd=folder)
    assert ran.err == "", ran.err
    found = json.loads(ran.out)
    assert all(each["configurations"] is None for each in found)
    return bool(found)


RUNS = [
    (ARGPARSE, "", False),
    (ARGPARSE, "--mode 1", True),
    (ARGPARSE, "--mode=1", True),
    (ARGPARSE, "-m 1", True),
    (ARGPARSE, "-m1", True),
    (ARGPARSE, "--run-mode 1", True),
    (ARGPARSE, "--run 1", True),  # the beginning of a name is enough
    (ARGPARSE, "--mode 0", False),
    (ARGPARSE, "--eager", True),
    (ARGPARSE, "--no-eager --mode 1", True),
    (ARGPARSE, "--no-eager", False),
    (ARGPARSE, "--mode 1 --device-target CPU", False),  # a run on a CPU
    (ARGPARSE, "--mode 1 --device-target GPU", True),
    (ARGPARSE, "--mode 1 --device-t GPU", True),
    (ARGPARSE, "--sizes 1 2 3 --mode 1", True),
    (ARGPARSE, "--sizes 1 2 3", False),
    (ARGPARSE, "--mode 1 --mode 0", False),  # the last one counts
    (YAML, "--config configs/graph.yaml", False),
    (YAML, "--config configs/eager.yaml", True),
    (YAML, "--conf=configs/eager.yaml", True),
    (SET_DEFAULTS, "", False),
    (SET_DEFAULTS, "--config configs/graph.yaml", False),
    (SET_DEFAULTS, "--config configs/eager.yaml", True),
    (SET_DEFAULTS, "-c configs/eager.yaml --mode 0", False),
    (SET_DEFAULTS, "-c configs/graph.yaml --mode 1", True),
    (POSITIONAL, "one configs/graph.yaml", False),
    (POSITIONAL, "one configs/eager.yaml", True),
    (POSITIONAL, "--mode 0 one configs/eager.yaml", True),
    (CLICK, "", False),
    (CLICK, "--mode 1", True),
    (CLICK, "--eager", True),
    (CLICK, "--no-eager", False),
    (ABSL, "", False),
    (ABSL, "--mode=1", True),
    (ABSL, "--mode 1", True),
    (ABSL, "--eager", True),
    (ABSL, "--noeager", False),
    (ABSL, "--eager=true", True),
    (ABSL, "--eager=false", False),
    (HYDRA, "", False),
    (HYDRA, "run.mode=1", True),
    (HYDRA, "run.mode=0 mode=1", False),
    (HYDRA, "--config-name eager", True),
    (HYDRA, "--config-name=eager.yaml run.mode=0", False),
    (DATACLASS, "", False),
    (DATACLASS, "--mode 1", True),
    (DATACLASS, "--eager", True),
    (DATACLASS, "--eager True", True),
    (DATACLASS, "--eager False", False),
    (INI, "", False),
    (INI, "--ini configs/eager.ini", True),
    (SET_MANY, "-c configs/run.yaml", False),
    (SET_MANY, "-c configs/run.yaml -o run.mode=1", True),
    (SET_MANY, "-c configs/run.yaml --opt seed=3 run.mode=1", True),
    (SET_MANY, "-c configs/run.yaml --opt=run.mode=1", True),
    (SET_MANY, "-c configs/run.yaml -o run.mode=1 run.mode=0", False),  # the last one counts
    (SET_MANY, "-c configs/run.yaml -o seed=1", False),
    (SET_MANY, "-c configs/run.yaml -o other.mode=1 mode=1", False),  # of no file
    (SET_MANY, "-c configs/run.yaml --data s3://a?run.mode=1", False),  # no setting
    (SET_EACH, "-c configs/run.yaml -o seed=3 -o run.mode=1", True),
    (SET_REST, "-c configs/run.yaml", False),
    (SET_REST, "-c configs/run.yaml run.mode=1 --more", True),
    (SET_REST, "-c configs/run.yaml seed 1 run.mode 1", True),
    (SET_REST, "-c configs/run.yaml seed 1 1 run.mode", False),
    (SET_LAST, "-c configs/run.yaml run.mode=1", True),
    (SET_LAST, "run.mode=1 seed=3 -c configs/run.yaml", True),
    (SET_LAST, "-c configs/run.yaml seed=1", False),
    (ARGV, "", False),
    (ARGV, "1", True),
    (ARGV, "0", False),
    (ARGV, "x 1", False),
    (ARGV_LAST, "x 1", True),
    (ARGV_LAST, "1 0", False),
    (ARGV_COUNT, "", False),
    (ARGV_COUNT, "x", True),
    (ARGV_YAML, "configs/graph.yaml", False),
    (ARGV_YAML, "configs/eager.yaml", True),
]
KINDS = {
    ARGPARSE: "argparse", YAML: "yaml", SET_DEFAULTS: "set_defaults", POSITIONAL: "positional", CLICK: "click",
    ABSL: "absl", HYDRA: "hydra", DATACLASS: "dataclass", INI: "ini",
    ARGV: "argv", ARGV_LAST: "argv from its end", ARGV_COUNT: "argv by length", ARGV_YAML: "argv of a file",
    SET_MANY: "set", SET_EACH: "append", SET_LAST: "positional set", SET_REST: "rest",
}  # fmt: skip


@pytest.mark.parametrize(
    ("program", "arguments", "expected"), RUNS, ids=[f"{KINDS[each[0]]} {each[1]}" for each in RUNS]
)
def test_just_the_run_is_judged(program: str, arguments: str, expected: bool, tmp_path: Path) -> None:
    write(tmp_path, program)
    assert is_reported(tmp_path, *arguments.split()) is expected


APART = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--how", default="step")
parser.add_argument("--level", default="O0")
args = parser.parse_args()
def convert(net, level="O0"):
    ms.amp.auto_mixed_precision(net, amp_level=level)
net = nn.SequentialCell(nn.Dense(784, 128), nn.ReLU(), nn.Dense(128, 10))
"""
ASKS = 'if args.how == "cell": convert(net, args.level)'
OUTER = "def outer(net, level):\n    convert(net, level)\n"
CYCLE = """
def one(net, level):
    other(net, level)
def other(net, level):
    convert(net, level)
    one(net, level)
"""
TRAINS = """
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
model.train(3, ds.MnistDataset("train").batch(32, drop_remainder=True), dataset_sink_mode=True)
"""


@pytest.mark.parametrize(
    ("call", "arguments", "expected"),
    [
        ('if args.how == "cell": convert(net, args.level)', "", True),
        ('if args.how == "cell": convert(net, args.level)', "--level O2", True),
        ('if args.how == "cell": convert(net, args.level)', "--how cell --level O0", True),
        ('if args.how == "cell": convert(net, args.level)', "--how cell --level O2", False),
        (f'{OUTER}if args.how == "cell": outer(net, args.level)', "--level O2", True),
        (f'{CYCLE}if args.how == "cell": one(net, args.level)', "--level O2", True),
        (f'{OUTER}if args.how == "cell": outer(net, args.level)', "--how cell --level O2", False),
        (f'{CYCLE}if args.how == "cell": one(net, args.level)', "--how cell --level O2", False),
        ('if args.how == "cell": convert(net)\nelse: convert(net, args.level)', "--level O2", False),
        # a function under another name, or that nothing calls, may be called by what cannot be seen
        ('kept = {"c": convert}\nif args.how == "cell": convert(net, args.level)', "--level O2", False),
        (f'{OUTER}if args.how == "cell": convert(net, args.level)', "--level O2", False),
        ("list(map(convert, [net], [args.level]))", "--level O2", False),
        # a key of its name is no function, but where names are kept under keys
        (f'print({{"convert": 1}}["convert"])\n{ASKS}', "--level O2", True),
        (
            f'config = {{}}\nconfig["convert"] = {{"size": 1}}\nprint(config["convert"]["size"])\n{ASKS}',
            "--level O2",
            True,
        ),
        (f'config = dict(convert=1)\nprint(config.get("convert"), config.pop("convert"))\n{ASKS}', "--level O2", True),
        (f'globals()["convert"](net, args.level)\n{ASKS}', "--level O2", False),
        (f'names = globals()\nnames["convert"](net, args.level)\n{ASKS}', "--level O2", False),
        (f'names = vars()\nnames.get("convert")(net, args.level)\n{ASKS}', "--level O2", False),
        (f'kept = {{"convert": convert}}\nkept["convert"](net, args.level)\n{ASKS}', "--level O2", False),
    ],
)
def test_a_function_that_the_run_does_not_come_to(call: str, arguments: str, expected: bool, tmp_path: Path) -> None:
    write(tmp_path, f"{APART}{call}{TRAINS}")
    ran = run("train.py", "--select", "MSP201", "--output-format", "json", "--", *arguments.split(), cwd=tmp_path)
    assert (bool(json.loads(ran.out)), ran.err) == (expected, "")


RUNNER = """
class Runner:
    def __init__(self, net):
        self.net = net
    def convert(self, level="O0"):
        ms.amp.auto_mixed_precision(self.net, amp_level=level)
"""
ASKED = '\nrunner = Runner(net)\nif args.how == "cell": runner.convert(args.level)'
GO = 'def go(net, level):\n    Runner(net).convert(level)\nif args.how == "cell": go(net, args.level)'


@pytest.mark.parametrize(
    ("made", "arguments", "expected"),
    [
        (f"{RUNNER}{ASKED}", "--level O2", True),
        (f"{RUNNER}{ASKED}", "--how cell --level O2", False),
        (f"{RUNNER}{GO}", "--level O2", True),
        (f"{RUNNER}{GO}", "--how cell --level O2", False),
        (f"{RUNNER.replace('Runner', 'Runner(object)')}{ASKED}", "--level O2", True),
        (f"class Base:\n    pass\n{RUNNER.replace('Runner', 'Runner(Base)')}{ASKED}", "--level O2", True),
        (f"{RUNNER}    def go(self, level):\n        self.convert(level)\n{ASKED}", "--level O2", True),
        (f"{RUNNER}    def go(self, level):\n        self.convert(level)\n{ASKED}\nrunner.go", "--level O2", False),
        (f"{RUNNER}{ASKED.replace('.convert', '.go')}\nRunner.go = Runner.convert", "--level O2", False),
        # what another library may call, or what is called by a name that is worked out
        (f"import zoo\n{RUNNER.replace('Runner', 'Runner(zoo.Runner)')}{ASKED}", "--level O2", False),
        (f"import zoo\n{RUNNER}class Own(Runner, zoo.Runner):\n    pass{ASKED}", "--level O2", False),
        ((RUNNER + ASKED).replace("convert", "run"), "--level O2", False),
        (f"{RUNNER}{ASKED}\ngetattr(runner, input())(args.level)", "--level O2", False),
        (f"{RUNNER}{ASKED}\nlist(map(runner.convert, [args.level]))", "--level O2", False),
        (
            f"{RUNNER.replace('    def convert', '    @print' + chr(10) + '    def convert')}{ASKED}",
            "--level O2",
            False,
        ),
    ],
)
def test_a_method_that_the_run_does_not_come_to(made: str, arguments: str, expected: bool, tmp_path: Path) -> None:
    write(tmp_path, f"{APART}{made}{TRAINS}")
    ran = run("train.py", "--select", "MSP201", "--output-format", "json", "--", *arguments.split(), cwd=tmp_path)
    assert (bool(json.loads(ran.out)), ran.err) == (expected, "")


NONE = "ms.set_context(mode=0)\n"
HELD = """
import argparse


def fill(add):
    add("--level", default="O2")


parser = argparse.ArgumentParser()
add = parser.add_argument
add("--mode", type=int, default=0)
fill(parser.add_argument)
args = parser.parse_args()
ms.set_context(mode=args.mode)
"""
WRONG = [
    (ARGPARSE, "--sink", "the program has no option `--sink`\n"),
    (ARGPARSE, "--egaer", 'the program has no option `--egaer`, did you mean "--eager"?\n'),
    (ARGPARSE, "--mode", "`--mode` needs a value\n"),
    (ARGPARSE, "--mode --eager", "`--mode` needs a value\n"),
    (CLICK, "--mode", "`--mode` needs a value\n"),
    (ARGPARSE, "--mode abc", "`--mode` takes an integer, not `abc`\n"),
    (ARGPARSE, "-mabc", "`-m` takes an integer, not `abc`\n"),
    (ARGPARSE, "--mode=1.5", "`--mode` takes an integer, not `1.5`\n"),
    (ARGPARSE, "--sizes 1 x", "`--sizes` takes an integer, not `x`\n"),
    (ARGPARSE, "--device-target TPU", "`--device-target` takes one of Ascend, GPU, CPU, not `TPU`\n"),
    (TYPED, "--lr fast net", "`--lr` takes a number, not `fast`\n"),
    (TYPED, "--sink maybe net", "`--sink` takes a Python literal, not `maybe`\n"),
    (TYPED, "--level O9 net", "`--level` takes one of O0, O1, O2, not `O9`\n"),
    (TYPED, "--mode 2 net", "`--mode` takes one of 0, 1, not `2`\n"),
    (TYPED, "other", "`kind` takes one of net, lenet, not `other`\n"),
    (CLICK, "--mode abc", "`--mode` takes an integer, not `abc`\n"),
    (CLICK, "--level O9", "`--level` takes one of O0, O2, not `O9`\n"),
    (ARGPARSE, "more", "the program takes no argument `more`\n"),
    (NONE, "more", "the program takes no argument `more`\n"),
    (NONE, "--mode 1", "the program has no option `--mode`\n"),
    # that speaks of what reads the command line, but does not read it, or takes nothing
    (f"# see argparse, sys.argv and config.yaml\n{NONE}", "--mode 1", "the program has no option `--mode`\n"),
    (f"import argparse\n{NONE}", "--mode 1", "the program has no option `--mode`\n"),
    (f'print("--mode of the config")\n{NONE}', "--mode 1", "the program has no option `--mode`\n"),
    (
        f"import argparse\nparser = argparse.ArgumentParser()\nargs = parser.parse_args()\n{NONE}",
        "--mode 1",
        "the program has no option `--mode`\n",
    ),
    (YAML, "", "the program needs `--config`\n"),
    (YAML, "--config configs/none.yaml", "there is no file `configs/none.yaml`\n"),
    (POSITIONAL, "one", "the program needs `config`\n"),
    (HELD, "--sink", "the program has no option `--sink`\n"),
    (HELD, "--mode abc", "`--mode` takes an integer, not `abc`\n"),
]


@pytest.mark.parametrize(("program", "arguments", "said"), WRONG)
def test_arguments_that_the_program_does_not_take(program: str, arguments: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, program)
    ran = run("train.py", "--no-cache", "--", *arguments.split(), cwd=tmp_path)
    assert (ran.code, ran.out, ran.err) == (2, "", f"ms-perflint: error: train.py: {said}")


TAKEN = [
    (ARGPARSE, "--mode -1"),
    (ARGPARSE, "--mode 0 --sizes 1 2"),
    (TYPED, "--lr 1e-3 --sink False --level O2 --mode 1 --own x --many O9 lenet"),
    (CLICK, "--mode 1 --level O0"),
    (CLICK.replace('@click.option("--mode"', '@click.argument("rest", nargs=-1)\n@click.option("--mode"'), "--mode 1"),
    (HELD, "--mode 1 --level O0"),
    # what may read the command line in a way that is not known
    ("import sys\nms.set_context(mode=int(sys.argv[1]))\n", "--mode 1"),
    ("from zoo import get_args\nms.set_context(mode=get_args().mode)\n", "--mode 1"),
    ("import zoo\nms.set_context(mode=zoo.CONFIG.mode)\n", "--mode 1"),
    ("import argparse\nargs = argparse.ArgumentParser().parse_known_args()\nms.set_context(mode=1)\n", "--mode 1"),
    ("from zoo import parser\nargs = parser.parse_args()\nms.set_context(mode=args.mode)\n", "--mode 1"),
    ("import zoo\n@zoo.main\ndef main(cfg):\n    ms.set_context(mode=cfg.mode)\nmain()\n", "--mode 1"),
]


@pytest.mark.parametrize(("program", "arguments"), TAKEN)
def test_arguments_of_the_right_type(program: str, arguments: str, tmp_path: Path) -> None:
    write(tmp_path, program)
    assert run("train.py", "--no-cache", "--", *arguments.split(), cwd=tmp_path).err == ""


def test_an_option_of_two_parsers_is_wrong_where_both_refuse_it(tmp_path: Path) -> None:
    write(tmp_path, ARGPARSE.replace("args =", 'argparse.ArgumentParser().add_argument("--mode")\nargs ='))
    assert run("train.py", "--no-cache", "--", "--mode", "abc", cwd=tmp_path).err == ""


@pytest.mark.parametrize("paths", [(".",), ("train.py", "other.py"), ("configs/graph.yaml",)])
def test_arguments_are_those_of_one_program(paths: tuple[str, ...], tmp_path: Path) -> None:
    write(tmp_path, ARGPARSE, **{"other.py": ""})
    ran = run(*paths, "--", "--mode", "1", cwd=tmp_path)
    assert ran.code == 2 and "name the script that starts it" in ran.err and "`launch`" in ran.err


def test_arguments_are_those_of_a_script_that_starts_something(tmp_path: Path) -> None:
    write(tmp_path, ARGPARSE, **{"model.py": "import mindspore as ms\n\n\ndef net():\n    return ms.nn.Dense(1, 1)\n"})
    for command in (["model.py"], ["program", "model.py"], ["explain", "model.py:5"]):
        ran = run(*command, "--", "--mode", "1", cwd=tmp_path)
        said = "model.py starts nothing: name the script that starts the program"
        assert (ran.code, ran.out, ran.err) == (2, "", f"ms-perflint: error: {said}\n")


@pytest.mark.parametrize("code", ["import argparse", ARGPARSE, "import sys\nmode = sys.argv"])
def test_a_notebook_takes_no_arguments(code: str, tmp_path: Path) -> None:
    """Nothing but its server starts one: what it does with `sys.argv` is not what follows `--`."""
    cells = [{"cell_type": "code", "source": HEAD + code + TAIL}]
    (tmp_path / "train.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5}))
    for command in (["train.ipynb"], ["program", "train.ipynb"]):
        ran = run(*command, "--", "--mode", "1", cwd=tmp_path)
        said = "ms-perflint: error: train.ipynb: a notebook takes no arguments\n"
        assert (ran.code, ran.out, ran.err) == (2, "", said)
        assert run(*command, "--isolated", cwd=tmp_path).err == ""
        assert run(*command, "--", cwd=tmp_path).err == ""


def test_without_a_path_what_follows_are_paths(tmp_path: Path) -> None:
    write(tmp_path, ARGPARSE)
    assert run("check", "--select", "MSP101", "--", "train.py", cwd=tmp_path).code == 0


# --- several


def configurations(folder: Path, *options: str) -> list[list[str] | None]:
    """Return for which run configurations the findings of MSP101 hold."""
    ran = run("train.py", "--select", "MSP101", "--output-format", "json", *options, cwd=folder)
    assert ran.err == "", ran.err
    return [each["configurations"] for each in json.loads(ran.out)]


ONE = "train.py -c configs/run.yaml"
LAUNCHES = [
    (YAML, ["train.py --config configs/*.yaml"], [["configs/eager.yaml"]]),
    (YAML, ["train.py --config configs/gr*.yaml"], []),
    (YAML, ["train.py --config configs/e?ger.yaml"], [None]),
    (YAML, ["train.py --config=**/*.yaml"], [["configs/eager.yaml"]]),
    (YAML, ["msrun --worker_num 8 train.py --config configs/eager.yaml"], [None]),
    (ARGPARSE, ["train.py", "train.py --mode 1"], [["--mode 1"]]),
    (ARGPARSE, ["train.py --mode 0", "train.py --mode 0 --device-target GPU"], []),
    (ARGPARSE, ["train.py --mode 1", "train.py --mode 1 --device-num 8"], [None]),
    (ARGPARSE, ["train.py --mode 1 --device-target CPU", "train.py --mode 1"], [["--mode 1"]]),
    (HYDRA, ["train.py run.mode=1", "train.py"], [["run.mode=1"]]),
    (SET_MANY, [f"{ONE} -o run.mode=1", ONE], [["-c configs/run.yaml -o run.mode=1"]]),
    (SET_MANY, [f"{ONE} -o seed=1", ONE], []),
]


@pytest.mark.parametrize(("program", "launch", "expected"), LAUNCHES)
def test_launch(program: str, launch: list[str], expected: list[list[str] | None], tmp_path: Path) -> None:
    table = f"[tool.ms-perflint]\nlaunch = {json.dumps(launch)}\n"
    write(tmp_path, program, **{"pyproject.toml": table})
    assert configurations(tmp_path) == expected


REFUSED = [
    ('launch = "train.py"', "pyproject.toml:2: [tool.ms-perflint] launch: expected a list"),
    ('launch = ["--mode 1"]', "pyproject.toml:2: [tool.ms-perflint] launch: expected a script with its arguments"),
    ('launch = ["test.py"]', "pyproject.toml:2: [tool.ms-perflint] launch: there is no file `test.py`"),
    ('launch = ["train.py -c c/*.yaml"]', "pyproject.toml:2: [tool.ms-perflint] launch: there is no file `c/*.yaml`"),
    ('launch = ["train.py \'a"]', "pyproject.toml:2: [tool.ms-perflint] launch: "),
]


@pytest.mark.parametrize(("line", "said"), REFUSED)
def test_launch_that_makes_no_sense(line: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, YAML, **{"pyproject.toml": f"[tool.ms-perflint]\n{line}\n"})
    ran = run("train.py", cwd=tmp_path)
    assert ran.code == 2 and said in ran.err, ran.err


def test_launch_with_arguments_that_are_wrong(tmp_path: Path) -> None:
    write(tmp_path, ARGPARSE, **{"pyproject.toml": '[tool.ms-perflint]\nlaunch = ["train.py --sink"]\n'})
    ran = run("train.py", "--no-cache", cwd=tmp_path)
    assert (ran.code, ran.err) == (2, "pyproject.toml:2:1: error: the program has no option `--sink`\n")


LAUNCHERS = [
    ({"run.sh": "python train.py --mode 1"}, [None]),
    ({"run.sh": "python train.py --mode 1", "scripts/run_gpu.sh": "python train.py --device-target GPU"}, [["run.sh"]]),
    ({"run.sh": "MODE=1\npython train.py --mode $MODE\n", "graph.sh": "python train.py --mode 0"}, [["run.sh"]]),
    ({"run.sh": "msrun --worker_num=8 train.py --mode 1", "graph.sh": "python train.py --mode 0"}, [["run.sh"]]),
    ({"run.sh": "mpirun -n 8 python train.py --mode 1", "graph.sh": "python train.py --mode 0"}, [["run.sh"]]),
    ({"run.sh": "python train.py --mode 0", "scripts/run_gpu.sh": "python train.py --device-target GPU"}, []),
    ({"run.sh": "python train.py --mode 1\npython train.py --mode 0\n"}, [["run.sh:1"]]),
    ({"run.sh": "python train.py --mode $1", "graph.sh": "python train.py --mode 0"}, []),
    ({"debug.sh": "python train.py --debug --mode 1", "graph.sh": "python train.py --mode 0"}, []),
]

SHORTENED = [
    ("--mod 1", [None]),
    ("--mod=1", [None]),
    ("--mod 0", []),
    ("-m1", [None]),
    ("--eag", [None]),
    ("--no-e", []),
    ("--device-n 8", []),
    ("--run-m 1", [None]),
    ("--device 1", []),  # which may be one of two
]


@pytest.mark.parametrize(("words", "expected"), SHORTENED)
def test_a_launcher_may_shorten_an_option(words: str, expected: list[None], tmp_path: Path) -> None:
    write(tmp_path, ARGPARSE, **{"run.sh": f"python train.py {words}\n"})
    assert configurations(tmp_path) == expected


UNTOLD = [
    "python train.py --mode $(cat mode)",
    "python train.py --mode=`cat mode`",
    "python train.py --mod $MODE",
    'ARGS=(--mode "$MODE")\npython train.py "${ARGS[@]}"',
    'ARGS=""\nif [ $1 -gt 1 ]; then\n  ARGS="$ARGS --mode 0"\nfi\npython train.py $ARGS',
    'ARGS="--epochs 3"\n[ -n "$X" ] && ARGS+=" --mode 0"\npython train.py $ARGS',
    'if [ $1 -gt 1 ]; then\n  MORE="--graph"\nelse\n  MORE=""\nfi\npython train.py $MORE',
]
PYNATIVE = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--mode", type=int, default=1)
parser.add_argument("--epochs", type=int, default=1)
parser.add_argument("--graph", action="store_true")
args = parser.parse_args()
ms.set_context(mode=0 if args.graph else args.mode)
"""


@pytest.mark.parametrize("script", UNTOLD)
def test_what_a_launcher_works_out_is_not_the_default(script: str, tmp_path: Path) -> None:
    write(tmp_path, PYNATIVE)
    assert configurations(tmp_path) == [None]
    (tmp_path / "run.sh").write_text(script + "\n", encoding="utf-8")
    assert configurations(tmp_path) == []


LAUNCHED_SETTINGS = [
    (SET_MANY, "-c configs/run.yaml -o run.mode=1", [None]),
    (SET_MANY, "-c configs/run.yaml --opt seed=3 run.mode=1", [None]),
    (SET_MANY, "-c configs/run.yaml --opt=run.mode=1", [None]),
    (SET_MANY, "-c configs/run.yaml -o seed=3", [["configs/eager.yaml"]]),
    (SET_MANY, "-c configs/run.yaml -o run.mode=$MODE", []),
    (SET_REST, "-c configs/run.yaml run.mode 1", [None]),
    (SET_REST, "-c configs/run.yaml seed 1", [["configs/eager.yaml"]]),
    (HYDRA, "run.mode=1", [None]),
    (HYDRA, "run.mode=$1", []),
    (HYDRA, "seed=1", []),
]


@pytest.mark.parametrize(("program", "words", "expected"), LAUNCHED_SETTINGS)
def test_a_launcher_may_set_what_a_config_file_says(
    program: str, words: str, expected: list[list[str] | None], tmp_path: Path
) -> None:
    write(tmp_path, program, **{"run.sh": f"python train.py {words}\n"})
    assert configurations(tmp_path) == expected


def test_launchers_may_set_different_things(tmp_path: Path) -> None:
    write(tmp_path, HYDRA, **{"a.sh": "python train.py run.mode=1\n", "b.sh": "python train.py run.mode=0\n"})
    assert configurations(tmp_path) == [["a.sh"]]


BRANCHES = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="Ascend")
args = parser.parse_args()
if args.device == "CPU":
    ms.set_context(device_target="CPU")
else:
    ms.set_context(device_target=args.device)
ms.set_context(mode=0 if args.device == "Ascend" else 1)
"""
CHOSEN = YAML.replace("required=True", 'default="configs/graph.yaml"')
LAUNCHED = [
    (BRANCHES, {"run.sh": "--device CPU", "graph.sh": "--device Ascend"}, []),
    (BRANCHES, {"run.sh": "--device GPU", "graph.sh": "--device Ascend"}, [["run.sh"]]),
    (BRANCHES, {"run.sh": "--device $1", "graph.sh": "--device Ascend"}, []),
    (BRANCHES, {"cpu.sh": "--device CPU", "gpu.sh": "--device GPU", "graph.sh": ""}, [["gpu.sh"]]),
    (CHOSEN, {"run.sh": "--config configs/eager.yaml", "graph.sh": ""}, [["run.sh"]]),
    (
        CHOSEN,
        {"run.sh": "--config configs/graph.yaml", "scripts/run.sh": "--config=../configs/eager.yaml"},
        [["scripts/run.sh"]],
    ),
    (BRANCHES, {"run.sh": "--device GPU", "more.sh": "--device GPU --epochs 3"}, [None]),
    (CHOSEN, {"run.sh": "--config $1", "graph.sh": "--config configs/graph.yaml"}, []),
    (CHOSEN, {"run.sh": "--config configs/graph.yaml", "graph.sh": "--config configs/none.yaml"}, []),
]


@pytest.mark.parametrize(("program", "scripts", "expected"), LAUNCHED)
def test_each_launcher_is_judged_with_all_that_it_gives(
    program: str, scripts: dict[str, str], expected: list[list[str] | None], tmp_path: Path
) -> None:
    write(tmp_path, program, **{name: f"python train.py {words}\n" for name, words in scripts.items()})
    assert configurations(tmp_path) == expected


STEPS = """
import argparse
from mindspore.train import CheckpointConfig, ModelCheckpoint
parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=32)
parser.add_argument("--width", type=int, default=64)
parser.add_argument("--in_background", type=int, default=1)
parser.add_argument("--keep", type=int, default=5)
parser.add_argument("--data_url", default="data")
parser.add_argument("--run_eval", action="store_true")
args = parser.parse_args()
ms.set_context(mode=1 if args.run_eval else 0)
net = nn.Dense(args.width, 10)
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), amp_level="O2")
config = CheckpointConfig(keep_checkpoint_max=args.keep, async_save=bool(args.in_background))
model.train(10, None, callbacks=[ModelCheckpoint("net", config=config)], dataset_sink_mode=True)
"""
OPTIONS = [
    ({"a.sh": "--data_url /a", "b.sh": "--data_url /b --batch_size 30"}, {}),
    ({"a.sh": "", "b.sh": "--run_eval"}, {"MSP101": ["b.sh"]}),
    ({"a.sh": "--in_background 1", "b.sh": "--in_background 0"}, {"MSP301": ["b.sh"]}),
    (
        {"a.sh": "--in_background 0 --data_url /a", "b.sh": "--in_background 0 --keep 9", "c.sh": "--keep 3"},
        {"MSP301": ["a.sh", "b.sh"]},
    ),
    (
        {"a.sh": "--in_background=0", "b.sh": "--width 64", "c.sh": "--in_background 0 --width 3"},
        {"MSP301": ["a.sh", "c.sh"]},
    ),
    ({"a.sh": "--keep $1", "b.sh": "--keep $2", "c.sh": "--keep 3"}, {}),
]


@pytest.mark.parametrize(("scripts", "expected"), OPTIONS)
def test_any_option_tells_launchers_apart(
    scripts: dict[str, str], expected: dict[str, list[str]], tmp_path: Path
) -> None:
    write(tmp_path, STEPS, **{name: f"python train.py {words}\n" for name, words in scripts.items()})
    ran = run("train.py", "--select", "MSP101,MSP301", "--output-format", "json", "--no-cache", cwd=tmp_path)
    assert {found["code"]: found["configurations"] for found in json.loads(ran.out)} == expected


def test_launchers_that_answer_alike_cost_little(tmp_path: Path) -> None:
    """Many that differ in an option that no rule asks for: each is named, and one of them is evaluated."""
    counts = []
    for folder, number in ((tmp_path / "two", 2), (tmp_path / "many", 58)):
        scripts = {f"run_{each:02}.sh": f"python train.py --mode 1 --epochs {each}\n" for each in range(number)}
        write(folder, ARGPARSE, **scripts, **{"graph.sh": "python train.py --mode 0\n"})
        number, report = answered(folder)
        (found,) = [each for each in report.findings if each.code == "MSP101"]
        assert found.configurations == tuple(sorted(scripts))
        counts.append(number)
    assert counts[1] <= 1.2 * counts[0], counts


def test_launchers_whose_values_say_the_same_are_judged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many that differ in an option that a condition reads, with one answer: one of them is judged."""
    judged: list[Program] = []
    begin = Check.__init__

    def noted(self: Check, program: Program, *settings: Any) -> None:
        judged.append(program)
        begin(self, program, *settings)

    monkeypatch.setattr(Check, "__init__", noted)
    guarded = ARGPARSE.replace("if args.eager", "if args.device_num > 1:\n    print(args.sizes)\nif args.eager")
    scripts = {f"run_{each:02}.sh": f"python train.py --mode 1 --device-num {each}\n" for each in range(9)}
    write(tmp_path, guarded, **scripts)
    config = Config(str(tmp_path), select=("MSP101",))
    report = engine.lint(discover([str(tmp_path)], config).files, config)
    (found,) = report.findings
    assert found.configurations == () and found.fix is not None
    runs = {program.run.name for program in judged if program.run is not None}
    assert runs == {"run_00.sh", "run_02.sh"}


@pytest.mark.parametrize(("scripts", "expected"), LAUNCHERS)
def test_launchers_that_differ(scripts: dict[str, str], expected: list[list[str] | None], tmp_path: Path) -> None:
    write(tmp_path, ARGPARSE, **scripts)
    assert configurations(tmp_path) == expected


# --- config files of which one has to be named

REQUIRED = 'parser.add_argument("--config", required=True)'
FILES = {f"configs/net_{number}.yaml": f"mode: {number % 2}\nwidth: {number}\n" for number in range(6)}
SIBLINGS = [
    (REQUIRED, {}, [["configs/net_1.yaml", "configs/net_3.yaml", "configs/net_5.yaml"]]),
    ('parser.add_argument("config")', {}, [["configs/net_1.yaml", "configs/net_3.yaml", "configs/net_5.yaml"]]),
    ('parser.add_argument("--config", default="configs/net_0.yaml")', {}, []),
    (
        'parser.add_argument("--config", default=None)',
        {},
        [["configs/net_1.yaml", "configs/net_3.yaml", "configs/net_5.yaml"]],
    ),
    (
        'parser.add_argument("--config", default="")',
        {},
        [["configs/net_1.yaml", "configs/net_3.yaml", "configs/net_5.yaml"]],
    ),
    ('parser.add_argument("--config", type=float)', {}, []),
    (REQUIRED, {"configs/other.yaml": "services:\n  web:\n    image: x\n"}, [[*sorted(FILES)[1::2]]]),
    (REQUIRED, {"configs/more/net_9.yaml": "mode: 1\n"}, [["configs/more/net_9.yaml", *sorted(FILES)[1::2]]]),
    (REQUIRED, dict.fromkeys(FILES, "mode: 1\n"), [None]),
    (REQUIRED, dict.fromkeys(FILES, "mode: 0\n"), []),
]


@pytest.mark.parametrize(("option", "files", "expected"), SIBLINGS)
def test_each_config_file_that_may_be_named_is_a_run(
    option: str, files: dict[str, str], expected: list[list[str] | None], tmp_path: Path
) -> None:
    write(tmp_path, YAML.replace(REQUIRED, option), **{**FILES, **files})
    for name in CONFIGS:
        (tmp_path / name).unlink()
    assert configurations(tmp_path) == expected


WIDTH = "width: 3\n"
BESIDE = [
    ({"a.yaml": "mode: 1\n" + WIDTH, "b.yml": "mode: 0\n" + WIDTH}, [["a.yaml"]]),
    ({"a.yaml": "mode: 1\n" + WIDTH}, [None]),
    # they come before those of folders above the entry script, and behind those of folders beside it
    ({"a.yaml": "mode: 1\n" + WIDTH, "../configs/b.yaml": "mode: 0\n" + WIDTH}, [None]),
    ({"a.yaml": "mode: 1\n" + WIDTH, "configs/b.yaml": "mode: 0\n" + WIDTH}, []),
    # those of a folder above are not beside it
    ({"../a.yaml": "mode: 1\n" + WIDTH}, []),
    # files of tools, and those that do not fit
    ({"environment.yml": "mode: 1\n" + WIDTH}, []),
    ({"a.yaml": "mode: 1\nservices: 2\nother: 3\n"}, []),
    ({"a.yaml": "mode: 1\nservices: 2\nother: 3\n", "../configs/b.yaml": "mode: 1\n"}, [None]),
]


@pytest.mark.parametrize(("files", "expected"), BESIDE)
def test_config_files_beside_the_entry_script(
    files: dict[str, str], expected: list[list[str] | None], tmp_path: Path
) -> None:
    folder = tmp_path / "example"
    folder.mkdir()
    write(folder, YAML, **files)
    (tmp_path / "setup.cfg").touch()
    for name in CONFIGS:
        (folder / name).unlink()
    assert configurations(folder) == expected


NEEDLESS = """
import argparse
import yaml
parser = argparse.ArgumentParser()
parser.add_argument("--config", default="")
parser.add_argument("--mode", type=int, default=0)
parser.add_argument("--width", type=int, default=0)

def parse():
    known, _ = parser.parse_known_args()
    {guard}
        with open(known.config) as file:
            parser.set_defaults(**yaml.safe_load(file))
    return parser.parse_args()

def main(args):
    ms.set_context(mode=args.mode)
    net = {net}
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
    model.train(args.width, ds.MnistDataset("train").batch(32, drop_remainder=True), dataset_sink_mode=True)

main(parse())
"""
EACH = [["configs/net_1.yaml", "configs/net_3.yaml", "configs/net_5.yaml"]]
EMPTY = [
    ("if known.config:", "nn.Dense(16, args.width)", []),  # all that the files say has a default
    ("if known.config:", "nn.Dense(16, args.depth)", EACH),  # without a file, there is no `depth`
    ("if known.config:", 'nn.Dense(16, getattr(args, "depth", 16))', []),
]


@pytest.mark.parametrize(("guard", "net", "expected"), EMPTY)
def test_config_files_of_an_option_that_is_empty_by_default(
    guard: str, net: str, expected: list[list[str]], tmp_path: Path
) -> None:
    """They are taken where the program ends in an error without one; one that runs without is judged so."""
    files = {name: f"{text}depth: 3\n" for name, text in FILES.items()}
    write(tmp_path, NEEDLESS.format(guard=guard, net=net), **files)
    for name in CONFIGS:
        (tmp_path / name).unlink()
    assert configurations(tmp_path) == expected


PASSED = [
    ({"scripts/run.sh": "python train.py --config $1\n"}, EACH),
    ({"scripts/run.sh": "python train.py --config=$1 --width 3\n", "run.sh": "python train.py --config $CONF\n"}, EACH),
    ({"scripts/run.sh": "python train.py --config $1\n", "run.sh": "python train.py\n"}, []),
    ({"scripts/run.sh": "python train.py --config configs/net_0.yaml\n"}, []),
    ({"scripts/run.sh": "python train.py --width $1\n"}, []),
    ({"scripts/run.sh": "python other.py --config $1\n"}, []),
]


@pytest.mark.parametrize(("scripts", "expected"), PASSED)
def test_config_files_of_an_option_that_each_launcher_gives(
    scripts: dict[str, str], expected: list[list[str]], tmp_path: Path
) -> None:
    program = NEEDLESS.format(guard="if known.config:", net="nn.Dense(16, args.width)")
    write(tmp_path, program, **FILES, **scripts)
    for name in CONFIGS:
        (tmp_path / name).unlink()
    assert configurations(tmp_path) == expected


PACKAGE = """
import os
import yaml

class Config(dict):
    def __init__(self, *names, **more):
        super().__init__()
        settings = dict(more)
        for name in names:
            settings.update({loaded})
        Config._set(self, settings)

    def __getattr__(self, key):
        return self[key] if key in self else None

    def __setattr__(self, key, value):
        self[key] = value

    @staticmethod
    def _load(name=None):
        if not name:
            raise NameError(name)
        with open({path}) as file:
            settings = yaml.safe_load(file)
        if "_BASE_" in settings:
            settings = {{**Config._load(os.path.join(os.path.dirname(name), settings.pop("_BASE_"))), **settings}}
        return settings

    @staticmethod
    def _set(config, settings):
        for key, value in settings.items():
            config[key] = value
"""
BY_CLASS = """
import argparse
from kit.config import Config
parser = argparse.ArgumentParser()
parser.add_argument("--config", default="")
cfg = Config(parser.parse_args().config)
ms.set_context(mode=cfg.mode)
"""
LOADED = [
    ("Config._load(name)", "os.path.realpath(name)"),
    ("self._load(name)", "os.path.abspath(os.path.expanduser(name))"),
    ("Config._load(name)", "str(name)"),
    ("Config._load(name) if isinstance(name, str) else name", "name"),
    ("self._load(name) or {}", "os.fspath(name)"),
]


@pytest.mark.parametrize(("loaded", "path"), LOADED)
@pytest.mark.parametrize("folder", ["kit/config", "kit/configs", "configs"])
def test_config_files_in_the_package_that_a_program_imports(
    loaded: str, path: str, folder: str, tmp_path: Path
) -> None:
    files = {f"{folder}/{Path(name).name}": text for name, text in FILES.items()}
    files["kit/__init__.py"] = ""
    files["kit/config.py"] = PACKAGE.format(loaded=loaded, path=path)
    files["kit/configs/labels.yaml"] = "cat: 1\ndog: 2\n"  # of no such program
    write(tmp_path, BY_CLASS, **files)
    for name in CONFIGS:
        (tmp_path / name).unlink()
    assert configurations(tmp_path) == [[f"{folder}/net_1.yaml", f"{folder}/net_3.yaml", f"{folder}/net_5.yaml"]]


@pytest.mark.parametrize("folder", ["src/config", "src/utils/conf", "src/deep/cfgs"])
def test_config_files_around_the_packages_that_a_program_imports(folder: str, tmp_path: Path) -> None:
    files = {f"{folder}/{Path(name).name}": text for name, text in FILES.items()}
    files["src/utils/read.py"] = PACKAGE.format(loaded="Config._load(name)", path="name")
    write(tmp_path, BY_CLASS.replace("kit.config", "src.utils.read"), **files)
    for name in CONFIGS:
        (tmp_path / name).unlink()
    found = [[f"{folder}/net_1.yaml", f"{folder}/net_3.yaml", f"{folder}/net_5.yaml"]]
    assert configurations(tmp_path) == ([] if "deep" in folder else found)


def test_a_new_config_file_is_seen_by_a_run_with_a_cache(tmp_path: Path) -> None:
    write(tmp_path, YAML)
    cache = ("--cache-dir", str(tmp_path / "cache"))
    assert configurations(tmp_path, *cache) == [["configs/eager.yaml"]]
    (tmp_path / "configs" / "more.yaml").write_text("mode: 1\n", encoding="utf-8")
    assert configurations(tmp_path, *cache) == [["configs/eager.yaml", "configs/more.yaml"]]
    (tmp_path / "configs" / "graph.yaml").write_text("mode: 1\n", encoding="utf-8")
    assert configurations(tmp_path, *cache) == [None]


def test_a_fix_of_what_one_config_file_decides_is_shown_there(tmp_path: Path) -> None:
    level = '"O2"'
    write(tmp_path, YAML + TAIL.replace(level, 'cfg["level"]'), **{
        "configs/graph.yaml": "mode: 0\nlevel: O2\n", "configs/eager.yaml": "mode: 0\nlevel: O0\n",
    })  # fmt: skip
    ran = run("train.py", "--select", "MSP201", "--output-format", "json", cwd=tmp_path)
    (found,) = json.loads(ran.out)
    assert found["configurations"] == ["configs/eager.yaml"]
    assert found["message"].endswith(", with 1 of 2 run configurations: configs/eager.yaml")
    assert found["fix"]["applicability"] == "display-only"
    assert [Path(edit["filename"]).name for edit in found["fix"]["edits"]] == ["eager.yaml"]


def test_a_fix_that_differs_between_config_files_is_shown_with_the_reason(tmp_path: Path) -> None:
    text = YAML.replace('mode=cfg["mode"]', 'device_target=cfg["device"]') + TAIL.replace("128", "50")
    write(tmp_path, text, **{"configs/graph.yaml": "device: GPU\n", "configs/eager.yaml": "device: Ascend\n"})
    (found,) = json.loads(run("train.py", "--select", "MSP202", "--output-format", "json", cwd=tmp_path).out)
    assert found["configurations"] is None
    assert found["fix"]["applicability"] == "display-only"
    assert found["fix"]["reason"] == "the run configurations need different fixes"


def test_a_program_that_trains_with_no_file_is_judged_as_it_is(tmp_path: Path) -> None:
    text = YAML.replace("required=True", "required=True, help='x'")
    write(tmp_path, text)
    for name in CONFIGS:
        (tmp_path / name).unlink()
    assert configurations(tmp_path) == []


# --- what they cost

LAYERS = """
from mindspore import nn, ops

class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.dense = nn.Dense(width, 2 * width)
        self.back = nn.Dense(2 * width, width)
        self.norm = nn.LayerNorm((width,))

    def construct(self, x):
        return x + self.back(ops.relu(self.dense(self.norm(x))))
"""
NETWORK = """
from mindspore import nn
{imports}

class Net(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.blocks = nn.SequentialCell([{blocks}])
        self.head = nn.Dense(width, 10)

    def construct(self, x):
        return self.head(self.blocks(x))
"""
MANY = """
import mindspore.dataset as ds
from network import Net
net = Net({width})
optimizer = nn.Adam(net.trainable_params(), cfg["lr"])
model = ms.Model(net, nn.MSELoss(), optimizer, amp_level=cfg["level"])
data = ds.MnistDataset(cfg["root"]).batch(cfg["batch"], drop_remainder=True)
model.train(cfg["epochs"], data, dataset_sink_mode=cfg["sink"])
"""


def evaluations(folder: Path, number: int, width: str, are_all: bool = True) -> tuple[int, int]:
    """Return how many queries are answered where there are so many config files, and how many findings there are."""
    layers = range(10)
    imports = "".join(f"from layers_{each} import Block as Block{each}\n" for each in layers)
    blocks = ", ".join(f"Block{each}(width)" for each in layers)
    files = {f"layers_{each}.py": LAYERS for each in layers}
    files["network.py"] = NETWORK.format(imports=imports, blocks=blocks)
    for each in range(number):
        level, sink = ("O0", "O2")[each % 2], ("true", "false")[each % 3 == 0]
        files[f"configs/net_{each:02}.yaml"] = (
            f"mode: 0\nlr: 0.{each + 1}\nlevel: {level}\nroot: data/{each}\nbatch: {each + 8}\nepochs: {each}\n"
            f"sink: {sink}\nwidth: {16 * each + 16}\n"
        )
    write(folder, YAML + MANY.format(width=width), **files)
    for name in CONFIGS:
        (folder / name).unlink()
    number, report = answered(folder)
    assert not report.problems and bool(report.unjudged) is not are_all
    return number, len(report.findings)


def test_fifty_config_files_cost_at_most_three_times_one(tmp_path: Path) -> None:
    one, _ = evaluations(tmp_path / "one", 1, "512")
    fifty, findings = evaluations(tmp_path / "fifty", 50, "512")
    assert findings == 2 and fifty <= 3 * one, (one, fifty)


def test_what_depends_on_a_config_file_alone_is_evaluated_for_each(tmp_path: Path) -> None:
    one, _ = evaluations(tmp_path / "one", 1, 'cfg["width"]')
    ten, findings = evaluations(tmp_path / "ten", 10, 'cfg["width"]')
    assert findings == 2 and ten - one <= 9 * 0.4 * one, (one, ten)


REGISTRY = """
class Registry:
    def __init__(self):
        self.known = {}

    def get(self, key):
        return self.known.get(key)

    def add(self, cls):
        self.known[cls.__name__] = cls
        return cls

NETWORKS = Registry()
"""
READING = """
import mindspore.dataset as ds
from registry import NETWORKS

class Images:
    def __init__(self, steps):
        self.steps = steps

    def __getitem__(self, index):
        sample = {"image": index, "label": index}
        for step in self.steps:
            if step["name"]:
                sample = getattr(self, step["name"])(sample)
        KEYED
        return sample.get("image"), sample.get("label")

    def flip(self, sample):
        sample["image"] = sample["image"][::-1]
        return sample

    def crop(self, sample):
        sample["image"] = sample["image"][1:]
        return sample

@NETWORKS.add
class Net(nn.Cell):
    def construct(self, x):
        return x

net = NETWORKS.get(cfg["network"])()
optimizer = nn.Adam(net.trainable_params())
data = ds.GeneratorDataset(Images(cfg["steps"]), ["image", "label"]).batch(8, drop_remainder=True)
ms.Model(net, nn.MSELoss(), optimizer).train(2, data)
"""


def readings(folder: Path, number: int, keyed: str) -> int:
    """Return how many queries are answered for a program whose dataset is read as its config file says."""
    steps = ("flip", "crop")
    files = {
        f"configs/net_{each:02}.yaml": f"mode: 1\nnetwork: Net\nsteps:\n- name: {steps[each % 2]}\n"
        + each * "- name: flip\n"
        for each in range(number)
    }
    write(folder, YAML + READING.replace("KEYED", keyed), **{"registry.py": REGISTRY}, **files)
    for name in CONFIGS:
        (folder / name).unlink()
    return answered(folder)[0]


@pytest.mark.parametrize(
    "keyed, is_told",
    [
        ('sample["image"] = 0', True),
        ('if sample["image"] > 0:\n            pass', True),
        ('print(sample["image"])', True),
        ('print(len(sample["image"]) > 0 and index)', True),
        ("print(sample)", False),
        ('print(index and sample["image"])', False),
        ('if index:\n            sample["image"] = 0', False),
        ('sample["image"] = 0\n        sample = self.crop(sample)', False),
    ],
)
def test_a_method_is_not_that_of_an_object_that_was_read_by_key(keyed: str, is_told: bool, tmp_path: Path) -> None:
    usual = readings(tmp_path / "b", 8, "print(index)")
    assert (readings(tmp_path / "a", 8, keyed) < 0.9 * usual) is is_told


def test_what_is_skipped_is_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, YAML, **{f"configs/net_{mode}.yaml": f"mode: {mode}\n" for mode in range(8)})
    for name in CONFIGS:
        (tmp_path / name).unlink()
    monkeypatch.setattr(programs.Runs, "_is_too_much", lambda runs, asked: len(asked) == 3)
    ran = run("train.py", "--select", "MSP101", "--no-cache", cwd=tmp_path)
    assert "with 1 of 8 run configurations: configs/net_1.yaml" in ran.out
    assert "5 more run configurations were not judged" in ran.err


def test_what_the_others_may_take_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free, _ = evaluations(tmp_path / "free", 50, 'cfg["width"]')
    monkeypatch.setattr(programs, "BUDGET", 0)
    bounded, findings = evaluations(tmp_path / "bounded", 50, 'cfg["width"]', are_all=False)
    assert findings and bounded <= free / 2, (free, bounded)


def test_what_the_others_have_taken_over_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone: list[int] = []

    def counted(runs: programs.Runs, asked: list[Program]) -> bool:
        alone.append(sum(program.queries.evaluations for program in asked))
        return False

    with monkeypatch.context() as patched:
        patched.setattr(programs.Runs, "_is_too_much", counted)
        evaluations(tmp_path / "free", 50, 'cfg["width"]')
    monkeypatch.setattr(programs, "BUDGET", max(alone))
    evaluations(tmp_path / "bounded", 50, 'cfg["width"]', are_all=False)


def test_what_run_configurations_take_from_other_programs_counts_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which of them are judged does not depend on the programs that were asked before."""
    spent: list[tuple[int, int]] = []

    def noted(runs: programs.Runs, asked: list[Program]) -> bool:
        if asked:
            queries = [program.queries for program in asked]
            spent.append((sum(each.spent_first for each in queries), sum(each.repeated for each in queries)))
        return False

    monkeypatch.setattr(programs.Runs, "_is_too_much", noted)
    alone = evaluations(tmp_path / "alone", 6, 'cfg["width"]')[0]
    expected, spent[:] = list(spent), []
    (tmp_path / "beside").mkdir()
    other = TAIL.replace("net = nn.SequentialCell(", "from network import Net\nnet = nn.SequentialCell(Net(512), ")
    (tmp_path / "beside/another.py").write_text(HEAD + other, encoding="utf-8")
    beside = evaluations(tmp_path / "beside", 6, 'cfg["width"]')[0]
    assert spent == expected and expected[-1][1] > 0, (spent, expected)
    assert beside < 1.5 * alone, (beside, alone)


def test_what_is_skipped_later_holds_no_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And where a later file takes more, fewer are asked about it."""
    write(tmp_path, YAML, **{f"configs/net_{mode}.yaml": f"mode: {mode}\n" for mode in range(8)})
    for name in CONFIGS:
        (tmp_path / name).unlink()
    project = Project(Disk())
    held = programs.Programs(Config(str(tmp_path))).of(str(tmp_path / "train.py"), project)
    most = [8]
    monkeypatch.setattr(programs.Runs, "_is_too_much", lambda runs, asked: len(asked) == most[0])

    def ask(program: Program) -> dict[tuple[object, ...], Finding]:
        asked.append(program)
        mode.default_mode(program)
        return {}

    for most[0], number in ((8, 8), (3, 3), (8, 3)):
        asked: list[Program] = []
        held.ask(ask, lambda finding: None, lambda program, site: True)
        assert len(asked) == len(held.asked) == len(held.kept) == number
        assert sum(bool(program.queries.memo) for program in held.programs) == number
        assert len(held.unasked) == 8 - number


def test_those_that_give_the_same_are_not_asked_whether_they_come_to_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
import mindspore.dataset as ds
data = ds.NumpySlicesDataset({"x": [1]}).batch(8, drop_remainder=True)
net = nn.Dense(16, 16)
model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
model.train(2, data, dataset_sink_mode=cfg["sink"])
"""
    sinks = {f"configs/net_{n:02}.yaml": f"mode: 0\nsink: {'true' if n % 2 else 'false'}\n" for n in range(40)}
    write(tmp_path, YAML + text, **sinks)
    for name in CONFIGS:
        (tmp_path / name).unlink()
    runs, asked = Program.runs, set()

    def noted(program: Program, site: Site) -> bool:
        asked.add(program)
        return runs(program, site)

    monkeypatch.setattr(Program, "runs", noted)
    ran = run("train.py", "--select", "MSP102", "--no-cache", cwd=tmp_path)
    assert "with 20 of 40 run configurations" in ran.out
    assert 2 <= len(asked) <= 4  # one of each kind, what has the defaults, and what is tried first


def test_what_a_bound_leaves_out_is_said(tmp_path: Path) -> None:
    texts = {f"configs/net_{each:03}.yaml": f"mode: {each}\n" for each in range(70)}
    write(tmp_path, YAML, **texts)
    for name in CONFIGS:
        (tmp_path / name).unlink()
    ran = run("train.py", "--no-cache", cwd=tmp_path)
    assert "10 more run configurations were not judged" in ran.err


@pytest.mark.parametrize(("size", "left_out"), [(700_000, 0), (900_000, 7)])
def test_few_run_configurations_of_a_large_program_are_judged(size: int, left_out: int, tmp_path: Path) -> None:
    texts = {f"configs/net_{each}.yaml": f"mode: {each % 2}\n" for each in range(8)}
    write(tmp_path, YAML + "import big\nprint(big.x1)\n", **texts)
    (tmp_path / "big.py").write_text("".join(f"x{number} = '{number:090}'\n" for number in range(size // 100)))
    for name in CONFIGS:
        (tmp_path / name).unlink()
    ran = run("train.py", "--select", "MSP101", "--no-cache", cwd=tmp_path)
    assert (f"{left_out} more run configurations were not judged" in ran.err) is bool(left_out)
    assert ("with 4 of 8 run configurations" in ran.out) is (not left_out)


def test_a_config_file_that_a_program_loads_is_found_behind_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {f"configs/net_{each}.yaml": f"mode: {int(each == 9)}\n" for each in range(10)}
    write(tmp_path, YAML, **texts)
    for name in CONFIGS:
        (tmp_path / name).unlink()
    loads = sibling_configs.loads
    tried: list[int | None] = []

    def loads_for_one(program: Program) -> bool:
        tried.append(mode.default_mode(program))
        return loads(program) and tried[-1] == 1

    monkeypatch.setattr(sibling_configs, "loads", loads_for_one)
    assert configurations(tmp_path) == [["configs/net_9.yaml"]]
    assert tried == [0, 1]  # those in which all that is asked is the same are one
    monkeypatch.setattr(programs, "EVALUATIONS", 0)
    assert "not all of 10 config files were tried" in run("train.py", "--no-cache", cwd=tmp_path).err


TRANSFORMS = """
import cv2
import numpy as np

class Images:
    def __init__(self, root, transforms):
        self.names = open(root).read().splitlines()
        self.transforms = transforms
        self.table = np.load(root).item()

    def __getitem__(self, index):
        sample = {{"image": cv2.imread(self.names[index]), "size": self.table["sizes"][index]}}
        for each in self.transforms:
            sample = {call}
        return sample["image"], sample["size"]

    def __len__(self):
        return len(self.names)

{methods}
"""
METHOD = """
    def step_{at}(self, sample, scale=1.0):
        image, size = sample["image"], sample["size"]
        height, width = image.shape[:2]
        if height * scale < self.table["lowest"] or size > width:
            return getattr(self, "step_{next}")(sample, scale / 2)
        sample["image"] = cv2.resize(image, (int(width * scale), height)) / np.mean(sample["image"])
        sample["size"] = sample["image"].shape[0]
        return sample
"""
NAMED = """
import argparse
import mindspore.dataset as ds
import yaml
from transforms import Images

def merged(config, base):
    new = dict(base)
    for key, value in config.items():
        new[key] = merged(value, new[key]) if key in new and isinstance(new[key], dict) else value
    return new

def load(path):
    with open(path) as file:
        return merged(yaml.safe_load(file), {"mode": 0})

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    cfg = load(parser.parse_args().config)
    ms.set_context(mode=cfg["mode"])
    net = nn.SequentialCell(nn.Dense(784, 128), nn.ReLU(), nn.Dense(128, 10))
    optimizer = nn.Adam(net.trainable_params(), cfg["lr"])
    model = ms.Model(net, nn.MSELoss(), optimizer, amp_level=cfg["level"])
    images = Images(cfg["root"], cfg["steps"])
    data = ds.GeneratorDataset(images, ["image", "size"]).batch(cfg["batch"], drop_remainder=True)
    model.train(cfg["epochs"], data, dataset_sink_mode=cfg["sink"])

if __name__ == "__main__":
    main()
"""
BY_NAME = [
    "getattr(self, each['name'])(sample)",
    "getattr(self, each.pop('name'))(sample, **each)",
    "getattr(self, each['name'], self.step_0)(sample, each['scale'])",
    "getattr(self, 'step_' + each['name'])(sample)",
    "getattr(self, f\"step_{each['name']}\".lower())(sample)",
    "{name: getattr(self, name) for name in self.transforms}[each['name']](sample)",
]


@pytest.mark.parametrize("call", BY_NAME)
def test_what_a_config_names_is_asked_of_what_may_have_that_name(call: str, tmp_path: Path) -> None:
    taken = []
    for number in (1, 50):
        folder = tmp_path / str(number)
        methods = "".join(METHOD.format(at=at, next=(at + 1) % 12) for at in range(12))
        texts = {f"configs/net_{each:02}.yaml": _steps(each) for each in range(number)}
        write(folder, NAMED, **texts, **{"transforms.py": TRANSFORMS.format(call=call, methods=methods)})
        for name in CONFIGS:
            (folder / name).unlink()
        evaluations, report = answered(folder)
        assert not report.unjudged
        taken.append(evaluations)
    one, fifty = taken
    assert fifty <= 3 * one, (one, fifty)


def _steps(number: int) -> str:
    """Return a config file that says which methods are called."""
    rows = "".join(f"  - name: step_{(number + at) % 12}\n    scale: 0.{at + 1}\n" for at in range(3))
    return f"steps:\n{rows}mode: 0\nlr: 0.{number}\nroot: data/{number}\nbatch: 8\nepochs: 3\nlevel: O2\nsink: true\n"


NEEDING_A_FILE = """
    import argparse

    import mindspore as ms
    import yaml
    from mindspore import nn

    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    args = parser.parse_args()
    with open(args.config) as file:
        config = yaml.safe_load(file)
    ms.set_context(mode=config["mode"])
    net = nn.Dense(64, 128)
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
    model.train(10, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=config["sink"])
    """


def written(folder: Path, **configs: str) -> Path:
    """Return a folder with a program whose config file is required, and these config files."""
    (folder / "train.py").write_text(textwrap.dedent(NEEDING_A_FILE).lstrip(), encoding="utf-8")
    for name, text in configs.items():
        (folder / "configs").mkdir(exist_ok=True)
        (folder / "configs" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def test_a_table_shows_in_which_facts_configurations_differ(tmp_path: Path) -> None:
    folder = written(tmp_path, a="mode: 0\nsink: true\n", b="mode: 1\nsink: true\n", c="mode: 0\nsink: false\n")
    shown = run("program", "--isolated", "train.py", cwd=folder).out.splitlines()
    start = next(at for at, line in enumerate(shown) if line.startswith("run configurations"))
    assert [line.split() for line in shown[start : start + 4]] == [
        ["run", "configurations", "mode", "sink", "mode"],
        ["configs/a.yaml", "graph", "yes"],
        ["configs/b.yaml", "PyNative", "yes"],
        ["configs/c.yaml", "graph", "no"],
    ]
    told = json.loads(run("program", "--isolated", "--output-format", "json", "train.py", cwd=folder).out)
    found = {each["name"]: each["facts"]["mode"]["answer"] for each in told["programs"][0]["configurations"]}
    assert found == {"configs/a.yaml": "graph", "configs/b.yaml": "PyNative", "configs/c.yaml": "graph"}


def test_a_table_shows_what_is_parallel_in_which_configuration(tmp_path: Path) -> None:
    text = """
        import argparse

        import mindspore as ms
        from mindspore import nn

        parser = argparse.ArgumentParser()
        parser.add_argument("--many", default="no")
        args = parser.parse_args()


        def fused():
            ms.set_auto_parallel_context(all_reduce_fusion_config=[10, 20])


        ms.set_context(mode=ms.GRAPH_MODE)
        if args.many == "yes":
            ms.set_auto_parallel_context(parallel_mode="data_parallel")
            fused()
        net = nn.Dense(64, 128)
        ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
        """
    write(
        tmp_path,
        textwrap.dedent(text),
        **{"one.sh": "python train.py --many no\n", "many.sh": "python train.py --many yes\n"},
    )
    shown = run("program", "--isolated", "train.py", cwd=tmp_path).out.splitlines()
    start = next(at for at, line in enumerate(shown) if line.startswith("run configurations"))
    rows = [re.split("  +", line.strip()) for line in shown[start : start + 4]]
    assert rows[0] == ["run configurations", "parallel mode"]
    assert dict(rows[1:])["many.sh"] == "data_parallel"
    assert dict(rows[1:])["one.sh"] == "data_parallel on request"
    alone = run("program", "--isolated", "train.py", "--", "--many", "no", cwd=tmp_path).out
    assert re.search("^without .* parallel mode", alone, re.MULTILINE), alone  # nor does it come to what fuses


def test_facts_name_the_setting_that_a_run_gives(tmp_path: Path) -> None:
    write(tmp_path, SET_MANY)
    told = run("program", "train.py", "--", "-c", "configs/run.yaml", "-o", "run.mode=1", cwd=tmp_path).out
    assert re.search(r"configs/run.yaml:3 +run.mode=1, as given\n", told)
    told = run("program", "train.py", "--", "-c", "configs/run.yaml", "-o", "seed=1", cwd=tmp_path).out
    assert re.search(r"configs/run.yaml:3 +mode: 0\n", told)


def test_facts_say_which_configurations_were_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "BUDGET", 0)
    texts = {name: f"mode: 0\nsink: {sink}\n" for name, sink in zip("abc", ("true", "true", "false"))}
    folder = written(tmp_path, **texts)
    reason = re.compile("[0-9]+ more run configurations? (was|were) not judged")
    linted = reason.search(run("train.py", "--no-cache", cwd=folder).err)
    shown = run("program", "--isolated", "train.py", cwd=folder).out
    said = reason.search(shown)
    assert linted is not None and said is not None, shown
    assert linted[0] == said[0]
    assert re.search("^judged +in part: ", shown, re.MULTILINE) and "  not judged  " in shown
    assert "configs/c.yaml" not in shown


def test_a_finding_that_needs_a_condition_in_some_holds_in_the_others(tmp_path: Path) -> None:
    text = """
        import argparse

        import mindspore as ms
        import yaml
        from mindspore import nn
        from mindspore.communication import init

        parser = argparse.ArgumentParser()
        parser.add_argument("--config", required=True)
        args = parser.parse_args()
        with open(args.config) as file:
            config = yaml.safe_load(file)
        ms.set_context(mode=ms.GRAPH_MODE)
        if config["many"]:
            init()
            ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
        net = nn.Dense(64, 128)
        model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
        model.train(10, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=True)
        """
    (tmp_path / "train.py").write_text(textwrap.dedent(text), encoding="utf-8")
    (tmp_path / "configs").mkdir()
    for name, many in {"a": "false", "b": "true", "c": "true"}.items():
        (tmp_path / "configs" / f"{name}.yaml").write_text(f"many: {many}\n", encoding="utf-8")
    ran = run("train.py", "--isolated", "--select", "MSP601", "--output-format", "json", cwd=tmp_path)
    (found,) = json.loads(ran.out)
    assert found["configurations"] == ["configs/b.yaml", "configs/c.yaml"]
    assert "(when" not in found["message"] and "with 2 of 3 run configurations" in found["message"]


def test_one_run_has_no_table(tmp_path: Path) -> None:
    folder = written(tmp_path, a="mode: 0\nsink: true\n", b="mode: 1\nsink: true\n")
    shown = run("program", "--isolated", "train.py", "--", "--config", "configs/b.yaml", cwd=folder)
    assert "run configurations" not in shown.out
    assert "PyNative" in shown.out


def test_facts_of_one_run_say_what_it_was_given(tmp_path: Path) -> None:
    write(tmp_path, ARGPARSE)
    for arguments, said in (
        ("--mode 1", "--mode 1, as given"),
        ("-m1", "--mode 1, as given"),
        ("", "--mode, default 0"),
    ):
        shown = run("program", "--isolated", "train.py", "--", *arguments.split(), cwd=tmp_path)
        assert any(line.split("  ")[-1].strip() == said for line in shown.out.splitlines()), (arguments, shown.out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [("--device-target GPU", "'GPU'\n"), ("", "'Ascend' by default\n"), ("--mode 1", "'Ascend' by default\n")],
)
def test_what_is_given_is_no_default(arguments: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, ARGPARSE)
    shown = run("program", "--isolated", "train.py", "--", *arguments.split(), cwd=tmp_path).out
    assert f": {said}" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--mode $1", "one more flag has a value"),
        ("--mode $1 --level $2", "2 more flags have values"),
        ("--mode 1", ""),
    ],
)
def test_flags_of_a_launcher_that_cannot_be_told(words: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, ARGPARSE, **{"run.sh": f"python train.py {words}\n"})
    shown = run("program", "--isolated", "train.py", cwd=tmp_path).out
    assert (f"{said} that cannot be told" in shown) if said else ("cannot be told" not in shown)


# --- fixes of what some of them run

ARMS = """
    import argparse

    import mindspore as ms
    from mindspore import nn
    from mindspore.communication import init

    parser = argparse.ArgumentParser()
    parser.add_argument("--many", action="store_true")
    parser.add_argument("--device", default="Ascend")
    parser.add_argument("--mode", type=int, default=0)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--kind", default="data_parallel")
    args = parser.parse_args()
    FUSED = {"allreduce": {"mode": "size", "config": 32}}
    ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device)
    START
    net = nn.Dense(64, 128)
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
    model.train(10, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=True)
    """
PLAIN = 'ms.set_auto_parallel_context(parallel_mode="data_parallel")'
OF_KIND = "ms.set_auto_parallel_context(parallel_mode=kind)"
IN_ARM = f"if args.many:\n    init()\n    {PLAIN}"
IN_COUNT = f"if args.count:\n    init()\n    {PLAIN}"
BY_DEVICE = f"""if args.many and args.device == "Ascend":
    {PLAIN}
elif args.many and args.device == "GPU":
    {PLAIN}"""
DISTRIBUTED, ON_GPU, EAGER_MODE = "--many", "--many --device GPU", "--mode 1"
STARTS = [
    (f"def set_up():\n    {PLAIN}\n\n\nif args.many:\n    set_up()", ["", DISTRIBUTED], [(["1.sh"], "unsafe")]),
    (IN_ARM, ["", DISTRIBUTED], [(["1.sh"], "unsafe")]),
    (IN_ARM, ["", DISTRIBUTED, ON_GPU], [(["1.sh", "2.sh"], "unsafe")]),
    (IN_ARM.replace("many", "device == 'GPU'"), [DISTRIBUTED, ON_GPU], [(["1.sh"], "unsafe")]),
    (f"if not args.many:\n    print()\nelse:\n    {PLAIN}", ["", DISTRIBUTED], [(["1.sh"], "unsafe")]),
    (BY_DEVICE, ["", DISTRIBUTED, ON_GPU], [(["1.sh"], "unsafe"), (["2.sh"], "unsafe")]),
    (f"ms.set_context(mode=args.mode)\n{PLAIN}", ["", EAGER_MODE], [(["defaults", "0.sh"], "unsafe")]),
    (
        f"kind = 'stand_alone'\nif args.many:\n    kind = 'data_parallel'\n{OF_KIND}",
        ["", DISTRIBUTED],
        [(["1.sh"], "unsafe")],
    ),
    (
        f"kind = 'data_parallel' if args.many else 'stand_alone'\n{OF_KIND}",
        ["", DISTRIBUTED, EAGER_MODE],
        [(["1.sh"], "unsafe")],
    ),
    (OF_KIND.replace("kind)", "args.kind)"), ["", "--kind stand_alone"], [(["defaults", "0.sh"], "unsafe")]),
    (OF_KIND.replace("kind)", "args.kind)"), ["", "--kind auto_parallel"], [(["defaults", "0.sh"], "display-only")]),
    (
        f"ms.set_context(mode=args.mode)\n{OF_KIND}".replace("kind)", "args.kind)"),
        ["", "--mode 1 --kind auto_parallel"],
        [(["defaults", "0.sh"], "unsafe")],
    ),
    (
        f"if args.many:\n    {PLAIN}\nif args.device == 'GPU':\n    ms.set_auto_parallel_context(comm_fusion=FUSED)",
        ["", DISTRIBUTED, ON_GPU],
        [(["1.sh"], "display-only")],
    ),
    (
        "if args.mode == 0 and args.device != 'Ascend':\n    raise ValueError(args.mode)\n" + IN_ARM,
        ["", ON_GPU, DISTRIBUTED],
        [(["1.sh", "2.sh"], "unsafe")],
    ),
    # each launcher passes the option, with values that differ
    (IN_COUNT, ["--count 0", "--count 1"], [(["1.sh"], "unsafe")]),
    (IN_COUNT, ["--count 0", "--count 1", "--count 8"], [(["1.sh", "2.sh"], "unsafe")]),
    (IN_COUNT, ["--count 2", "--count 1"], [(None, "unsafe")]),
    (IN_COUNT, ["", "--count 1"], [(["1.sh"], "unsafe")]),
    (f"flag = 0\nif init():\n    flag = 1\nif flag:\n    {PLAIN}", ["", "--device GPU"], [(None, "unsafe")]),
    (IN_COUNT.replace("args.count", "args.count > 1"), ["--count 1", "--count 8"], [(["1.sh"], "unsafe")]),
    (
        f"def set_up(many):\n    if many:\n        {PLAIN}\n\n\nset_up(args.count)",
        ["--count 0", "--count 1"],
        [(["1.sh"], "unsafe")],
    ),
]


@pytest.mark.parametrize(("start", "given", "expected"), STARTS)
def test_a_fix_that_no_other_run_comes_to_is_made(
    start: str, given: list[str], expected: list[tuple[list[str] | None, str]], tmp_path: Path
) -> None:
    write(tmp_path, textwrap.dedent(ARMS).replace("START", start))
    for at, words in enumerate(given):
        (tmp_path / f"{at}.sh").write_text(f"python train.py {words}\n", encoding="utf-8")
    ran = run("train.py", "--isolated", "--select", "MSP601", "--output-format", "json", cwd=tmp_path)
    found = json.loads(ran.out)
    assert [(each["configurations"], each["fix"]["applicability"]) for each in found] == expected, ran.out
    assert not any("(when" in each["message"] for each in found)


# --- config files of which one has to be named

TO_NAME = YAML.replace("required=True", 'default=""').replace("import yaml", "import os\nimport yaml")
OPENED = [  # how the file is opened, and whether one has to be named
    ("args.config", True),
    ("os.path.realpath(args.config)", True),
    ("os.path.abspath(args.config)", True),
    ('os.path.join("configs", args.config)', True),
    ('os.path.join(os.path.dirname(__file__), "configs", args.config)', True),
    ('args.config or "configs/graph.yaml"', False),
    ('os.path.join("configs", args.config, "graph.yaml")', False),
]


@pytest.mark.parametrize(("opened", "is_needed"), OPENED)
def test_a_config_file_has_to_be_named(opened: str, is_needed: bool, tmp_path: Path) -> None:
    write(tmp_path, TO_NAME.replace("open(args.config)", f"open({opened})"))
    assert configurations(tmp_path) == ([["configs/eager.yaml"]] if is_needed else [])


def test_a_config_file_has_to_be_named_where_the_program_says_so(tmp_path: Path) -> None:
    named = 'assert args.config\nwith open(args.config or "configs/graph.yaml")'
    write(tmp_path, TO_NAME.replace("with open(args.config)", named))
    assert configurations(tmp_path) == [["configs/eager.yaml"]]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--device-target GPU", "--mode 0"], "with 2 of 3 run configurations, for example --device-target GPU\n"),
        (["--mode 0"], "with 1 of 2 run configurations: defaults\n"),
    ],
)
def test_the_example_of_run_configurations_has_a_name(more: list[str], said: str, tmp_path: Path) -> None:
    launch = ["train.py", *(f"train.py {each}" for each in more)]
    program = ARGPARSE.replace("type=int, default=0", "type=int, default=1")
    write(tmp_path, program, **{"pyproject.toml": f"[tool.ms-perflint]\nlaunch = {json.dumps(launch)}\n"})
    assert said in run("train.py", "--select", "MSP101", cwd=tmp_path).out
