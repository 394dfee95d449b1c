"""What launchers give to a program: `reveal(x)` in an entry script, shell scripts around it, and what x can be."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping

import pytest
from programs import ROOT, Program, analysed, case, fires

from ms_perflint.infer.values import Value

OPTIONS = """
import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("-d", "--device-target", default="CPU")
parser.add_argument("--epochs", type=int, default=1)
parser.add_argument("--sink", action="store_true")
parser.add_argument("--graph", type=bool, default=False)
parser.add_argument("--spread", type=str2bool, default=False)
parser.add_argument("--sizes", nargs="+", default=None)
args = parser.parse_args()
"""
TWO = "if [ $# == 1 ]; then\n  python train.py {}\nelse\n  python train.py {}\nfi\n"


def reveal(files: Mapping[str, str], entry: str = "train.py") -> Value:
    """Return what the argument of the one `reveal(...)` in a program can be."""
    made = analysed(files, entry)
    (site,) = made.sites("reveal")
    assert isinstance(site.node, ast.Call)
    return made.value(site.node.args[0], site.scope)


def shown(value: Value) -> str:
    """Return what a user gets who passes nothing more than the launchers do; in brackets what else there is."""
    usual = sorted(repr(known.constant) for known in value.by_default)
    rare = sorted(f"({known.constant!r})" for known in value.alternatives if not known.by_default)
    return " ".join([*usual, *rare, *(["..."] if value.open else [])])


ONE_START = [
    # what a start looks like
    ("python train.py", "'CPU'"),
    ("python train.py --device_target Ascend", "'CPU'"),  # not the flag of the option
    ("python train.py --device-target Ascend", "'Ascend' ('CPU')"),
    ("python train.py --device-target=Ascend", "'Ascend' ('CPU')"),
    ("python train.py -d Ascend", "'Ascend' ('CPU')"),
    ("python3.9 -u ./train.py --device-target 'Ascend' > log.txt 2>&1 &", "'Ascend' ('CPU')"),
    ('nohup /usr/bin/python train.py \\\n    --epochs 3 \\\n    --device-target="Ascend" &> log &', "'Ascend' ('CPU')"),
    ("$PYTHON train.py -d Ascend", "'Ascend' ('CPU')"),
    ("env GLOG_v=3 python train.py -d Ascend", "'Ascend' ('CPU')"),
    ("GLOG_v=3 python train.py -d Ascend", "'Ascend' ('CPU')"),
    ("python -m train -d Ascend", "'Ascend' ('CPU')"),
    ("python -m torch.distributed.launch train.py -d Ascend", "'Ascend' ('CPU')"),
    ("msrun --worker_num=8 --join=True train.py -d Ascend", "'Ascend' ('CPU')"),
    ("mpirun --allow-run-as-root -n 8 \\\n  python train.py -d Ascend", "'Ascend' ('CPU')"),
    ("taskset -c 0-7 python train.py -d Ascend", "'Ascend' ('CPU')"),
    ("cd /somewhere && python train.py -d Ascend || exit 1", "'Ascend' ('CPU')"),
    ("for ((i = 0; i < 8; i++))\ndo\n  python train.py -d Ascend &\ndone", "'Ascend' ('CPU')"),
    ("train() {\n  python train.py -d Ascend\n}\ntrain", "'Ascend' ('CPU')"),
    ("function train {\n  python train.py -d Ascend\n}\ntrain", "'Ascend' ('CPU')"),
    ("case $1 in\n  one) python train.py -d Ascend;;\nesac", "'Ascend' ('CPU')"),
    ("(cd .; python train.py -d Ascend)", "'Ascend' ('CPU')"),
    ("CMD='python train.py -d Ascend'\n$CMD", "'Ascend' ('CPU')"),
    ("python /srv/code/train.py -d Ascend", "'Ascend' ('CPU')"),
    # what is none
    ("# python train.py -d Ascend", "'CPU'"),
    ("echo python train.py -d Ascend", "'CPU'"),
    ("cat << END\npython train.py -d Ascend\nEND", "'CPU'"),
    ("python eval.py -d Ascend", "'CPU'"),
    ("python eval.py --script train.py -d Ascend", "'CPU'"),
    ("python pretrain.py -d Ascend", "'CPU'"),
    ("python tools/train.py -d Ascend", "'CPU'"),
    ("cp train.py -d Ascend", "'CPU'"),
    ("python train.py | tee -d Ascend", "'CPU'"),
    ("python train.py  # -d Ascend", "'CPU'"),
    # variables
    ("D=Ascend\npython train.py -d $D", "'Ascend' ('CPU')"),
    ("D=Ascend; E=${D}; python train.py -d ${E}", "'Ascend' ('CPU')"),
    ("export D='Ascend'\nif [ $1 ]; then python train.py -d \"$D\"; fi", "'Ascend' ('CPU')"),
    ("D=${1:-Ascend}\npython train.py -d $D", "'Ascend' ('CPU')"),
    ("D=${D:-Ascend}\npython train.py -d $D", "'Ascend' ('CPU')"),
    ("FLAGS='--epochs 2 -d Ascend'\npython train.py $FLAGS", "'Ascend' ('CPU')"),
    ("python train.py -d $1", "('CPU') ..."),
    ("python train.py -d $(uname)", "('CPU') ..."),
    ("D=Ascend\n[ $1 ] && D=GPU\npython train.py -d $D", "('CPU') ..."),
    ("if [ $1 ]; then D=Ascend; fi\npython train.py -d $D", "('CPU') ..."),
    ("D=Ascend\nread D\npython train.py -d $D", "('CPU') ..."),
    ("D=Asc\nD+=end\npython train.py -d $D", "('CPU') ..."),
    ("D=(Ascend)\npython train.py -d $D", "('CPU') ..."),
    ("for D in Ascend GPU; do python train.py -d $D; done", "('CPU') ..."),
    ("python train.py -d", "('CPU') ..."),
    ('python train.py "$@"', "'CPU'"),
    ("python train.py -d Asc\\end", "'Ascend' ('CPU')"),
    ('python train.py -d "As\\"c"', "'As\"c' ('CPU')"),
    ("python train.py -d $((1 + 2))", "('CPU') ..."),
    ("python $PWD/train.py -d Ascend", "'Ascend' ('CPU')"),
    # several starts
    (TWO.format("-d Ascend", "--device-target Ascend --epochs 2"), "'Ascend' ('CPU')"),
    (TWO.format("-d Ascend", "-d GPU"), "'Ascend' 'GPU' ('CPU')"),
    (TWO.format("-d Ascend", ""), "'CPU' ('Ascend')"),
    (TWO.format("-d Ascend", "-d $1"), "'Ascend' ('CPU') ..."),
    (TWO.format("-d $1", ""), "'CPU'"),
]


@pytest.mark.parametrize(("script", "expected"), ONE_START)
def test_device_that_launchers_give(script: str, expected: str) -> None:
    files = {"train.py": OPTIONS + "reveal(args.device_target)\n", "run.sh": script + "\n"}
    assert shown(reveal(files)) == expected


TYPES = [
    ("args.epochs", "--epochs 4", "4 (1)"),
    ("args.epochs", "--epochs -4", "-4 (1)"),
    ("args.epochs", "--epochs many", "(1) ..."),
    ("args.sink", "--sink --epochs 4", "True (False)"),
    ("args.sink", "--epochs 4", "False (True)"),
    ("args.graph", "--graph False", "True (False)"),  # bool("False") is True
    ("args.spread", "--spread False", "False"),
    ("args.spread", "--spread true", "True (False)"),
    ("args.sizes", "--sizes 1 2", "(None) ..."),
]


@pytest.mark.parametrize(("asked", "flags", "expected"), TYPES)
def test_flags_mean_what_their_option_makes_of_them(asked: str, flags: str, expected: str) -> None:
    files = {"train.py": f"{OPTIONS}reveal({asked})\n", "scripts/run.sh": f"python ../train.py {flags}\n"}
    assert shown(reveal(files)) == expected


COUNTS = [
    ("nargs='?', default='CPU'", "--kind GPU", "'GPU' ('CPU')"),
    ("nargs='?', default='CPU', const='Ascend'", "--kind", "'Ascend' ('CPU')"),
    ("nargs='?', default='CPU'", "--kind", "None ('CPU')"),
    ("nargs='?', default='CPU'", "", "'CPU'"),
    ("nargs='?', type=int, default=1", "--kind 3", "3 (1)"),
    ("nargs='?', type=int, default=1, const=2", "--kind", "2 (1)"),
    ("nargs='?', default='CPU', const=pick()", "--kind", "('CPU') ..."),
    ("nargs='?', default='CPU', const=pick()", "--kind GPU", "'GPU' ('CPU')"),
    ("nargs='*', default='CPU'", "--kind GPU", "('CPU') ..."),
    ("nargs=1, default='CPU'", "--kind GPU", "('CPU') ..."),  # a list of one
    ("nargs='?', action='append', default='CPU'", "--kind GPU", "('CPU') ..."),
]


@pytest.mark.parametrize(("keywords", "flags", "expected"), COUNTS)
def test_an_option_that_takes_none_or_one(keywords: str, flags: str, expected: str) -> None:
    entry = f"import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--kind', {keywords})\n"
    files = {"train.py": f"{entry}reveal(parser.parse_args().kind)\n", "run.sh": f"python train.py {flags}\n"}
    assert shown(reveal(files)) == expected


PLACES = [
    ("train.py", "run.sh", "python train.py -d Ascend", True),
    ("train.py", "run.bash", "python train.py -d Ascend", True),
    ("train.py", "run.txt", "python train.py -d Ascend", False),
    ("train.py", "scripts/run.sh", "python train.py -d Ascend", True),
    ("train.py", "scripts/run.sh", "python ../train.py -d Ascend", True),
    ("train.py", "script/run.sh", "cd ..\npython train.py -d Ascend", True),
    ("train.py", "scripts/run.sh", "mkdir one$1\ncp ../*.py one$1\ncd one$1\npython train.py -d Ascend", True),
    ("train.py", "scripts/run.sh", 'HERE=$(cd "$(dirname $0)" || exit; pwd)\npython $HERE/../train.py -d Ascend', True),
    ("train.py", "scripts/run.sh", "python ${BASH_SOURCE%/*}/../train.py -d Ascend", True),
    ("train.py", "scripts/run.sh", "ROOT=`dirname $(readlink -f $0)`/..\npython $ROOT/train.py -d Ascend", True),
    ("train.py", "running_scripts/run.sh", "python train.py -d Ascend", True),
    ("train.py", "launch/run.sh", "python ../train.py -d Ascend", True),
    ("train.py", "launchers/run.sh", "python train.py -d Ascend", True),
    ("src/train.py", "run/8p.sh", "python ../src/train.py -d Ascend", True),
    ("train.py", "bin/run.bash", "python ../train.py -d Ascend", True),
    ("train.py", "jobs/run.sh", "python ../train.py -d Ascend", True),
    ("train.py", "slurm/run.sh", "python train.py -d Ascend", True),
    ("train.py", "outputs/run.sh", "python ../train.py -d Ascend", False),
    ("train.py", "launch/run.sh", "python ../other.py -d Ascend", False),
    ("train.py", "scripts/run.sh", "CODE=$(real_path $1)\npython ${CODE}train.py -d Ascend", True),
    ("train.py", "scripts/run.sh", 'python "$(real_path $1)"train.py -d Ascend', True),
    ("train.py", "scripts/run.sh", "python $1train.py -d Ascend", True),
    ("net/train.py", "scripts/run.sh", "python ${1}net/train.py -d Ascend", True),
    ("net/train.py", "scripts/run.sh", "python ${1}other/train.py -d Ascend", False),
    ("train.py", "scripts/run.sh", "python ${1}_train.py -d Ascend", False),
    ("train.py", "scripts/run.sh", "python pre${1}train.py -d Ascend", False),
    ("train.py", "bash/run.sh", "python ../train.py -d Ascend", True),
    ("train.py", "docs/run.sh", "python ../train.py -d Ascend", False),
    ("net/train.py", "scripts/run.sh", "python net/train.py -d Ascend", True),
    ("net/train.py", "scripts/run.sh", "cd net\npython train.py -d Ascend", True),
    ("net/train.py", "run.sh", "python -m net.train -d Ascend", True),
    ("net/train.py", "scripts/run.sh", "python other/train.py -d Ascend", False),
    ("net/train.py", "scripts/run.sh", "python train.py -d Ascend", False),
    ("net/train.py", "other/scripts/run.sh", "python ../train.py -d Ascend", False),
    ("train.py", "examples/scripts/run.sh", "python ../../train.py -d Ascend", True),
    ("train.py", "example/run.sh", "cd ..\npython train.py -d Ascend", True),
    ("net/train.py", "examples/scripts/run.sh", "python net/train.py -d Ascend", True),
    ("examples/train.py", "examples/scripts/run.sh", "python ../train.py -d Ascend", True),
    ("train.py", "samples/scripts/run.sh", "python ../../train.py -d Ascend", False),
    ("train.py", "examples/other/run.sh", "python ../../train.py -d Ascend", False),
    ("net/train.py", "samples/scripts/run.sh", "python net/train.py -d Ascend", False),
    ("net/train.py", "examples/scripts/run.sh", "python other/train.py -d Ascend", False),
]


@pytest.mark.parametrize(("entry", "script", "text", "starts"), PLACES)
def test_scripts_start_the_file_that_they_name(entry: str, script: str, text: str, starts: bool) -> None:
    files = {entry: OPTIONS + "reveal(args.device_target)\n", "other/train.py": "", script: text + "\n"}
    assert shown(reveal(files, entry)) == ("'Ascend' ('CPU')" if starts else "'CPU'")


def test_scripts_of_one_entry_count_together() -> None:
    files = {
        "train.py": OPTIONS + "reveal(args.device_target)\n",
        "scripts/run_standalone.sh": "python ../train.py -d Ascend\n",
        "scripts/run_distribute.sh": "mpirun -n 8 python ../train.py -d Ascend --spread True\n",
        "scripts/run_eval.sh": "python ../eval.py -d GPU\n",
    }
    assert shown(reveal(files)) == "'Ascend' ('CPU')"


def test_value_is_read_where_the_launcher_gives_it() -> None:
    files = {
        "train.py": OPTIONS + "reveal(args.device_target)\n",
        "run.sh": "#!/bin/bash\npython train.py \\\n  --device-target=Ascend\n",
    }
    place = reveal(files).by_default[0].place
    assert (os.path.basename(place.path), place.row, place.column) == ("run.sh", 3, 19)


def test_any_number_of_scripts_is_read() -> None:
    files = {"train.py": OPTIONS, **{f"run{n:02}.sh": f"python train.py --epochs {n}\n" for n in range(60)}}
    assert len(analysed(files).commands.starts) == 60


def test_scripts_that_are_too_long_are_not_read() -> None:
    text = "python train.py -d Ascend\n"
    assert len(analysed({"train.py": OPTIONS, "run.sh": text + "#" * 60_000}).commands.starts) == 1
    assert len(analysed({"train.py": OPTIONS, "run.sh": text + "#" * 70_000}).commands.starts) == 0


@pytest.mark.parametrize(
    "text",
    [
        "python train.py --x 1\r",
        "python\u3000train.py\x0c",
        "a\u2028b",
        "python train.py '",
        'python train.py "',
        "python train.py $(",
        "python train.py ${",
        "if x; fi; fi; }",
        "\0",
    ],
)
def test_scripts_that_no_shell_would_take_do_no_harm(text: str) -> None:
    assert len(analysed({"train.py": OPTIONS, "run.sh": f"{text}\n"}).commands.starts) <= 1


WIDE = "".join(f"{name}={f'${inner}' * 9}\n" for name, inner in zip("ABCDEFGH", "BCDEFGHI"))


@pytest.mark.parametrize("text", [WIDE, "$(" * 2000, "A=$A$A\n" * 50, "${A:-" * 500, "if x; then " * 2000])
def test_deep_scripts_end(text: str) -> None:
    files = {"train.py": OPTIONS + "reveal(args.device_target)\n", "run.sh": f"{text}\npython train.py -d $A\n"}
    assert reveal(files).alternatives


# --- config files

CONFIGURED = """
import argparse
import yaml

parser = argparse.ArgumentParser()
parser.add_argument("--config", default="one.yaml")
args = parser.parse_args()
with open(args.config) as file:
    settings = yaml.safe_load(file)
reveal(settings["device"])
"""
CONFIGS = {"one.yaml": "device: CPU\n", "two.yaml": "device: GPU\n", "three.yaml": "device: Ascend\n"}

LOADED = [
    ("python train.py", "'CPU'"),
    ("python train.py --config two.yaml", "'GPU'"),
    ("python train.py --config $1", "'CPU'"),  # which one is not said
    ("python train.py --config two.yaml\npython train.py --config three.yaml", "'Ascend' 'GPU'"),
    ("python train.py --config two.yaml\npython train.py", "'CPU'"),
    ("python train.py --config /path/to/your.yaml", "'CPU'"),
]


@pytest.mark.parametrize(("script", "expected"), LOADED)
def test_config_file_that_launchers_give_is_loaded(script: str, expected: str) -> None:
    files = {"train.py": CONFIGURED, "run.sh": script + "\n", **CONFIGS}
    assert shown(reveal(files)) == expected


@pytest.mark.parametrize(
    "path",
    [
        "../two.yaml",
        "./two.yaml",
        "$HERE/../two.yaml",
        "$UNKNOWN/two.yaml",
        "$(pwd)/../two.yaml",
        "./`dirname $0`/../two.yaml",
    ],
)
def test_config_file_is_seen_from_the_launcher(path: str) -> None:
    script = f"HERE=$(cd $(dirname $0); pwd)\npython ../train.py --config={path}\n"
    assert shown(reveal({"train.py": CONFIGURED, "scripts/run.sh": script, **CONFIGS})) == "'GPU'"


def test_toml_file_is_seen_from_the_launcher() -> None:
    code = CONFIGURED.replace("yaml.safe_load", "toml.load").replace("yaml", "toml")
    configs = {f"{name}.toml": f'device = "{device}"\n' for name, device in (("one", "CPU"), ("two", "GPU"))}
    script = "python ../train.py --config ../two.toml\n"
    assert shown(reveal({"train.py": code, "scripts/run.sh": script, **configs})) == "'GPU'"


MERGED = """
import argparse
import yaml

class Config:
    def __init__(self, values):
        for key, value in values.items():
            setattr(self, key, value)

with open("one.yaml") as file:
    settings = yaml.safe_load(file)
parser = argparse.ArgumentParser()
for key in settings:
    parser.add_argument("--" + key, type=type(settings[key]), default=settings[key])
args = parser.parse_args()
config = Config(vars(args))
reveal(config.spread)
"""


@pytest.mark.parametrize(
    ("flags", "expected"),
    [("", "False"), ("--spread=True", "True (False)"), ("--spread=$1", "(False) ..."), ("--other=True", "False")],
)
def test_flags_replace_keys_that_become_options(flags: str, expected: str) -> None:
    files = {"train.py": MERGED, "one.yaml": "spread: False\n", "run.sh": f"python train.py {flags}\n"}
    assert shown(reveal(files)) == expected


def test_click_options_are_given_too() -> None:
    code = """
    import click

    @click.command()
    @click.option("--mode", default=1, type=int)
    def main(mode):
        reveal(mode)
    """
    assert shown(reveal({"train.py": code, "run.sh": "python train.py --mode 0\n"})) == "0 (1)"


# --- environment

EXPORTS = [
    ("export RANK_SIZE=8\npython train.py", "'8'"),
    ("RANK_SIZE=8\nexport RANK_SIZE\npython train.py", "'8'"),
    ("RANK_SIZE=8 python train.py", "'8'"),
    ("env RANK_SIZE=8 python train.py", "'8'"),
    ("export DEVICE_NUM=8 RANK_SIZE=8\npython train.py", "'8'"),
    ("export DEVICE_NUM=8\nexport RANK_SIZE=$DEVICE_NUM\npython train.py", "'8'"),
    ("RANK_SIZE=8\npython train.py", "..."),
    ("export RANK_SIZE=$1\npython train.py", "..."),
    ("export RANK_SIZE=8\nunset RANK_SIZE\npython train.py", "..."),
    ("if [ $1 ]; then export RANK_SIZE=8; fi\npython train.py", "..."),
    ("export RANK_SIZE=8\npython eval.py", "..."),
    ("RANK_SIZE=8 python train.py\nRANK_SIZE=1 python train.py", "..."),
    ("RANK_SIZE=8 python train.py\npython train.py", "..."),
]


@pytest.mark.parametrize(("script", "expected"), EXPORTS)
def test_environment_is_what_all_launchers_export(script: str, expected: str) -> None:
    files = {"train.py": "import os\nreveal(os.getenv('RANK_SIZE'))\n", "run.sh": script + "\n"}
    assert shown(reveal(files)) == expected


def test_environment_is_read_as_a_mapping_too() -> None:
    files = {
        "train.py": "import os\nreveal(int(os.environ['RANK_SIZE']) > 1)\n",
        "run.sh": "export RANK_SIZE=8\npython train.py\n",
    }
    assert shown(reveal(files)) == "True"


def test_default_of_a_variable_is_rare_where_launchers_export_it() -> None:
    files = {
        "train.py": "import os\nreveal(os.environ.get('RANK_SIZE', '1'))\n",
        "run.sh": "export RANK_SIZE=8\npython train.py\n",
    }
    assert shown(reveal(files)) == "'8' ('1')"


# --- what rules make of it

TRAIN = """
import argparse
import mindspore as ms
from mindspore import nn

parser = argparse.ArgumentParser()
parser.add_argument("--sink", type=str2bool, default=True)
args = parser.parse_args()
ms.set_context(mode=ms.GRAPH_MODE)
net = nn.Dense(64, 16)
model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
model.train(10, ms.dataset.MindDataset("train.mindrecord"), dataset_sink_mode=args.sink){}
"""
FIXED = [
    ("python train.py --sink False", "python train.py --sink True"),
    ("python train.py --sink=false", "python train.py --sink=true"),
    ('python train.py --epochs 3 --sink "False"', 'python train.py --epochs 3 --sink "True"'),
    ("SINK=False\npython train.py --sink $SINK", None),
]


@pytest.mark.parametrize(("script", "changed"), FIXED)
def test_a_fix_is_shown_at_the_flag_of_the_launcher(script: str, changed: str | None) -> None:
    (finding,) = Program({"train.py": TRAIN.format(""), "run.sh": script}).lint("MSP102").findings
    place = finding.related[0].place
    assert (os.path.relpath(place.path, ROOT), place.row) == ("run.sh", script.count("\n") + 1)
    if changed is None:
        assert finding.fix is None
        return
    assert finding.fix is not None
    assert finding.fix.safety.value == "display-only"
    (edit,) = finding.fix.edits
    assert script[: edit.start] + edit.text + script[edit.end :] == changed


@pytest.mark.parametrize(
    "program",
    [case("launcher", {"train.py": TRAIN.format("  # ! display-only"), "run.sh": "python train.py --sink False"})],
)
def test_a_launcher_decides_like_a_default(program: Program) -> None:
    fires("MSP102", program)
