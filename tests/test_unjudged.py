"""Programs that were judged in part: every front end and report says so, from the cache too; nothing else is silent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Optional
from xml.etree import ElementTree

import pytest
from front import environment, run, run_process

from ms_perflint.config.settings import Config
from ms_perflint.core import reports
from ms_perflint.core.files import Disk
from ms_perflint.languages import Message
from ms_perflint.linting.linter import Linter
from ms_perflint.program.program import Program
from ms_perflint.program.target import Target
from ms_perflint.resolve.project import Project
from ms_perflint.training import followed

SCRIPT = """\
import mindspore as ms
from mindspore import nn
from mindspore.train import Model
from src.net import Net

ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
model.train(10, None, dataset_sink_mode=True)
"""
NET = "import mindspore\nfrom mindspore import nn\n\nclass Net(nn.Cell):\n    pass\n"
BROKEN = NET.replace("(nn.Cell)", "(nn.Cell]")
TOLD = (
    "train.py: not judged for MSP101, MSP102, MSP201, MSP202: syntax error: "
    "closing parenthesis ']' does not match opening parenthesis '(' in src/net.py:4; "
    "see `ms-perflint program train.py`\n"
)
RUNS = ("a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml")
LAST = "1 of 1 training programs was not judged for 4 rules: see `ms-perflint program train.py`.\n"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a directory with a program that imports a file which does not parse."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "net.py").write_text(BROKEN)
    (tmp_path / "train.py").write_text(SCRIPT)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("train copy.py", "'train copy.py'"),
        ("lesson 1/train.py", "'lesson 1/train.py'"),
        ("it's.py", "'it'\"'\"'s.py'"),
        ("train(1).py", "'train(1).py'"),
        ("$HOME.py", "'$HOME.py'"),
        ("a&b.py", "'a&b.py'"),
        ("-train.py", "./-train.py"),
        ("训练_v1.0-2.py", "训练_v1.0-2.py"),
        ("sub/train.py", "sub/train.py"),
    ],
)
def test_the_command_can_be_copied_into_a_shell(name: str, word: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("\n".join(HIDDEN))
    ran = run("--isolated", "-n", ".", cwd=tmp_path)
    assert ran.err.startswith(f"{name}: not judged for ") and ran.err.endswith(f"see `ms-perflint program {word}`\n")
    assert ran.out.endswith(f": see `ms-perflint program {word}`.\n")
    if os.name != "nt":
        assert subprocess.run(["sh", "-c", f"printf %s {word}"], capture_output=True, check=True).stdout.decode() == (
            word if name == "-train.py" else name
        )


@pytest.mark.parametrize(
    ("imported", "files", "is_told"),
    [
        ("from src import Net", {"src/__init__.py": "from .net import Net\n"}, True),
        ("from src import Net", {"src/__init__.py": "from src.net import *\n"}, True),
        ("from src import Own as Net", {"src/__init__.py": "from .net import Net as Own\n"}, True),
        (
            "from src import Net",
            {"src/__init__.py": "from .nets import Net\n", "src/nets/__init__.py": "from ..net import Net\n"},
            True,
        ),
        ("import src\nNet = src.Net", {"src/__init__.py": "from .net import Net\n"}, True),
        # what hands on something else, or nothing
        ("from src import Other as Net", {"src/__init__.py": "from .own import Other\n", "src/own.py": NET}, False),
        ("from other import Net", {"other.py": NET, "src/__init__.py": "from .net import Net\n"}, False),
    ],
)
def test_a_broken_file_behind_a_name_that_is_handed_on(
    imported: str, files: dict[str, str], is_told: bool, here: Path
) -> None:
    for name, text in {"train.py": SCRIPT.replace("from src.net import Net", imported), **files}.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(text)
    ran = run("--isolated", "-n", "--strict", "train.py", cwd=here)
    assert ("in src/net.py:4" in ran.err) is is_told


def test_it_is_said_with_and_without_a_cache(here: Path) -> None:
    cache = ("--isolated", "--cache-dir", str(here / "cache"))
    for options in (("--isolated", "-n"), cache, cache):
        ran = run(*options, "train.py", cwd=here)
        assert (ran.code, ran.out, ran.err) == (0, f"No findings in 1 file.\n{LAST}", TOLD)
        assert run(*options, "--strict", "train.py", cwd=here).code == 1
    (here / "src" / "net.py").write_text(NET)
    for options in (("-n",), cache):
        ran = run("--isolated", *options, "--strict", "train.py", cwd=here)
        assert (ran.code, ran.out, ran.err) == (0, "No findings in 1 file.\n", "")


NOT_READ = "no program was judged with {}config.yaml: `launch` in [tool.ms-perflint] can name a run\n"


@pytest.mark.parametrize("cache", [True, False])
def test_a_config_file_that_is_named_is_about_the_programs_that_may_read_it(here: Path, cache: bool) -> None:
    (here / "setup.cfg").write_text("")
    (here / "app").mkdir()
    for name in ("train.py", "src"):
        (here / name).rename(here / "app" / name)
    for folder in (here, here / "app"):
        (folder / "config.yaml").write_text("a: 1\n")
    how = ("--cache-dir", str(here / "cache")) if cache else ("-n",)
    unread = run("--isolated", *how, "config.yaml", cwd=here / "app")
    assert (unread.code, unread.out, unread.err) == (0, "", NOT_READ.format(""))
    (here / "app" / "train.py").write_text("import yaml\n" + SCRIPT)
    for _ in range(2):
        told = run("--isolated", *how, "config.yaml", cwd=here / "app")
        assert (told.code, told.out, told.err) == (0, "", TOLD)
        other = run("--isolated", *how, "../config.yaml", cwd=here / "app")
        assert (other.code, other.out, other.err) == (0, "", NOT_READ.format(f"{here}{os.sep}"))


def test_several_processes_say_the_same(here: Path) -> None:
    (here / "src" / "more.py").write_text(NET)
    for number in range(150):
        text = SCRIPT if number % 50 else SCRIPT.replace("src.net", "src.more")
        (here / f"train_{number}.py").write_text(text)
    (here / "pad.py").write_text("\n" * 100_000)
    ran = run_process("--isolated", "-n", "-j", "1", ".", cwd=here)
    assert ran.code == 2 and "148 of 151 training programs were not judged for 4 rules" in ran.out
    assert ran.err.count(": not judged for ") == 10 and "138 more programs were not judged in full" in ran.err
    assert run_process("--isolated", "-n", "-j", "3", ".", cwd=here) == ran
    assert run("--isolated", "-n", "-j", "1", "-v", ".", cwd=here).err.count(": not judged for ") == 148


def test_quiet_says_it_only_where_it_is_why_the_run_fails(here: Path) -> None:
    assert run("--isolated", "-n", "-q", "train.py", cwd=here).err == ""
    ran = run("--isolated", "-n", "-q", "--strict", "--exit-zero", "train.py", cwd=here)
    assert (ran.code, ran.out, ran.err) == (1, "", TOLD)


def test_each_format_has_it(here: Path) -> None:
    def report(name: str, *options: str) -> str:
        return run("--isolated", "-n", "--output-format", name, *options, "train.py", cwd=here).out

    for name in ("text", "concise", "grouped"):
        assert report(name).endswith(LAST) and report(name, "--statistics").endswith(LAST)
    (row,) = json.loads(report("json", "--statistics"))
    assert row == {"count": 1, "code": None, "name": "not-judged", "fixable": 0}
    (invocation,) = json.loads(report("sarif"))["runs"][0]["invocations"]
    (said,) = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] and said["properties"]["rules"] == ["MSP101", "MSP102", "MSP201", "MSP202"]
    assert said["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "train.py"
    suites = ElementTree.fromstring(report("junit"))
    assert (suites.attrib["tests"], suites.attrib["skipped"]) == ("1", "1")
    (skipped,) = suites.iter("skipped")
    assert "src/net.py:4" in skipped.attrib["message"]
    assert report("github").startswith("::notice title=ms-perflint,file=train.py,line=1::train.py: not judged for ")
    (issue,) = json.loads(report("gitlab"))
    assert (issue["check_name"], issue["severity"], issue["location"]["path"]) == ("not-judged", "info", "train.py")
    assert "not judged for MSP101, MSP102, MSP201, MSP202" in report("html")


def test_the_program_command_says_which_rules(here: Path) -> None:
    said = run("program", "--isolated", "train.py", cwd=here).out
    assert (
        "in part: syntax error: closing parenthesis ']' does not match opening parenthesis '(' in src/net.py:4" in said
    )
    assert "  not judged  MSP101, MSP102, MSP201, MSP202\n" in said
    (found,) = json.loads(run("program", "--isolated", "--output-format", "json", "train.py", cwd=here).out)["programs"]
    judged = {rule["code"]: rule["judged"] for rule in found["rules"]}
    assert not judged["MSP201"] and judged["MSP501"]
    assert found["facts"]["judged"]["answer"] is False


def test_flake8_says_it_beside_its_report(here: Path) -> None:
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "MSP", "--ms-perflint-no-cache", "train.py"]
    done = subprocess.run(command, cwd=here, env=environment(), capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("", TOLD)


def test_what_starts_nothing_is_no_program_that_was_not_judged(here: Path) -> None:
    """Modules of a library define things; no one starts them, and scripts that import them are asked about them."""
    (here / "train.py").write_text(
        f"import logging\nlogging.getLogger().setLevel(1)\ndef start():\n{_indented(SCRIPT)}"
    )
    ran = run("--isolated", "-n", "--strict", "train.py", cwd=here)
    assert (ran.code, ran.err) == (0, "")
    for end in ("start()\n", "if __name__ == '__main__':\n    start()\n", "for _ in range(3):\n    x = start()\n"):
        (here / "started.py").write_text(f"import mindspore\nfrom train import start\n{end}")
        ran = run("--isolated", "-n", "--strict", "started.py", cwd=here)
        assert (ran.code, ran.err.startswith("started.py: not judged for ")) == (1, True), end


@pytest.mark.parametrize("read", ["float(loss)", "loss.item()", "loss.asnumpy()"])
def test_a_training_without_mindspore_is_no_program_that_was_not_judged(read: str, here: Path) -> None:
    """The rule about tensors that Python reads looks at files that do not name MindSpore, in programs that do."""
    other = f"from other.nn import Net\nmodel = Net().to(0)\nmodel.train()\nfor loss in model(1):\n    x = {read}\n"
    (here / "other.py").write_text(other)
    ran = run("--isolated", "-n", "--strict", "--extend-select", "MSP106", "other.py", cwd=here)
    assert (ran.code, ran.err) == (0, "")
    (here / "beside.py").write_text(f"import mindspore\n{other}")
    ran = run("--isolated", "-n", "--strict", "--extend-select", "MSP106", "beside.py", cwd=here)
    assert (ran.code, ran.err.startswith("beside.py: not judged for ")) == (1, True)


def test_a_rule_that_reports_is_not_told(here: Path) -> None:
    (here / "train.py").write_text(SCRIPT.replace("GRAPH", "PYNATIVE"))
    ran = run("--isolated", "-n", "train.py", cwd=here)
    assert "MSP101" in ran.out and ran.err.startswith("train.py: not judged for MSP102, MSP201, MSP202: ")


def test_a_rule_that_reports_and_may_miss_more_judged_in_part(here: Path) -> None:
    (here / "train.py").write_text(SCRIPT.replace("GRAPH", "PYNATIVE"))
    ran = run("--isolated", "-n", "--select", "MSP101", "train.py", cwd=here)
    assert ran.err.startswith("train.py: judged in part for MSP101: ") and "MSP101" in ran.out
    assert "training programs judged in part for 1 rule: 1 of 1; see `ms-perflint program train.py`." in ran.out
    assert "not judged" not in ran.out + ran.err


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


@pytest.mark.parametrize("choices, is_said", [(6, False), (7, True)])
def test_a_dataset_that_is_made_on_too_many_paths_is_said(choices: int, is_said: bool, tmp_path: Path) -> None:
    maps = "".join(
        f"if len(sys.argv) > {each}:\n    data = data.shuffle({each + 2})\nelse:\n    data = data.repeat({each + 2})\n"
        for each in range(choices)
    )
    text = (
        "import sys\nimport mindspore as ms\nfrom mindspore import dataset as ds, nn\n\n"
        "ms.set_context(mode=ms.GRAPH_MODE)\nnet = nn.Dense(32, 10)\ndata = ds.TFRecordDataset('rows')\n"
        f"{maps}data = data.batch(32)\n"
        "model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))\nmodel.train(2, data)\n"
    )
    (tmp_path / "train.py").write_text(text)
    ran = run("--isolated", "--no-cache", "--select", "MSP402", "train.py", cwd=tmp_path)
    assert ("judged in part for MSP402: a dataset is made on more than 64 paths" in ran.err) is is_said


def test_what_was_too_much_is_said_of_the_script_alone(here: Path) -> None:
    (here / "src" / "net.py").write_text(NET + "".join(f"x{n} = '{n:0200}'\n" for n in range(10_000)))
    ran = run_process("--isolated", "-n", ".", cwd=here)
    assert ran.code == 0 and "more than 2000 KB of code may run" in ran.err
    assert [line.partition(":")[0] for line in ran.err.splitlines()] == ["train.py"]
    assert os.path.getsize(here / "src" / "net.py") > 2_000_000


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (("x = (\nmodel.train(10, data)", "print(1)"), "trains: unknown: syntax error"),
        (("x = (\nmodel.train(10, data)",), "trains: unknown: syntax error"),
        (("x = (\nms.set_context(mode=1)", "Model(net).train(10, data)"), "trains, "),
        (("x = (", "print(1)"), "does not train"),
        (("print(1)", "model.train(10, data"), "trains: unknown: syntax error"),
        (("def train():\n  Model(net).train(1, data)", "train("), "trains, "),
    ],
)
def test_a_cell_that_does_not_parse_is_no_silent_no(cells: tuple[str, ...], says: str, tmp_path: Path) -> None:
    first = "import mindspore as ms\nfrom mindspore import nn\nfrom mindspore.train import Model\nnet = nn.Dense(3, 4)"
    made = [{"cell_type": "code", "source": [cell], "metadata": {}, "outputs": []} for cell in (first, *cells)]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    listed = run("program", "--isolated", ".", cwd=tmp_path)
    assert (listed.code, listed.out.startswith(f"a.ipynb  {says}")) == (0, True)
    ran = run("--isolated", "-n", "a.ipynb", cwd=tmp_path)
    assert ran.code == 2 and "a.ipynb:cell " in ran.err
    assert ("a.ipynb: not judged for MSP" in ran.err) is (says != "does not train")


HIDDEN = (
    "import mindspore as ms\nfrom mindspore import nn\nfrom mindspore.train import Model\n",
    """\
ms.set_context(mode=ms.GRAPH_MODE)

net = nn.SequentialCell(eval(input()))
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
model.train(10, None, dataset_sink_mode=True)
""",
)


@pytest.mark.parametrize(("name", "place"), [("a.py", "a.py:7"), ("a.ipynb", "a.ipynb:cell 2:3")])
def test_what_hides_a_network_from_one_rule(name: str, place: str, tmp_path: Path) -> None:
    """All commands say the same of it; in a notebook, they name the cell."""
    cells = [{"cell_type": "code", "source": [cell], "metadata": {}, "outputs": []} for cell in HIDDEN]
    book = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    (tmp_path / name).write_text(book if name.endswith("ipynb") else "\n".join(HIDDEN))
    reason = f"`eval(input())` cannot be followed in {place}"
    told = f"{name}: not judged for MSP201, MSP202: {reason}; see `ms-perflint program {name}`\n"
    ran = run("--isolated", "-n", "--strict", name, cwd=tmp_path)
    assert (ran.code, ran.err) == (1, told)
    said = run("program", "--isolated", name, cwd=tmp_path).out
    assert f"in part: {reason}\n" in said and "  not judged  MSP201, MSP202\n" in said
    (found,) = json.loads(run("program", "--isolated", "--output-format", "json", name, cwd=tmp_path).out)["programs"]
    assert [rule["code"] for rule in found["rules"] if not rule["judged"]] == ["MSP201", "MSP202"]
    path = str(tmp_path / name)
    linter = Linter(Config(root=str(tmp_path)), Disk())
    left = [each for each in linter.file(path) if each.code == ""]  # one file alone, as an editor asks
    assert reason in str([each.message for each in left])


def test_a_library_that_may_set_the_mode(tmp_path: Path) -> None:
    given, network = HIDDEN
    called = network.replace("ms.set_context(mode=ms.GRAPH_MODE)", "from zoo import init_env\n\ninit_env(0)")
    (tmp_path / "a.py").write_text(given + called.replace("nn.SequentialCell(eval(input()))", "nn.ReLU()"))
    ran = run("--isolated", "-n", "a.py", cwd=tmp_path)
    reason = "`init_env(0)` cannot be followed in a.py:6"
    assert ran.err == f"a.py: not judged for MSP101: {reason}; see `ms-perflint program a.py`\n"


REGISTERED = """\
import importlib
import mindspore as ms

TRAINERS = {}
for line in open("plugins.txt"):
    importlib.import_module(line.strip())


def register(cls):
    TRAINERS[cls.__name__] = cls
    return cls


def main(names):
"""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("for name, cls in TRAINERS.items():\n        cls().train()", "`cls` cannot be followed in train.py:16"),
        ("for cls in TRAINERS.values():\n        trainer = cls()\n        trainer.fit()", "`cls` cannot be followed"),
        ("TRAINERS[names[0]]().train()", "cannot be followed in train.py:15"),
        ("trainer = TRAINERS[names[0]](names)\n    trainer.train(epochs=3)", "cannot be followed in train.py:15"),
        ("TRAINERS.get(names[0])(names).train()", "`TRAINERS.get(names[0])(names)` cannot be followed in train.py:15"),
        ("{}.get(names[0])(names).fit()", "cannot be followed in train.py:15"),
        (
            "made = TRAINERS[names[0]](names) if names else {'names': names}\n    made.train()",
            "cannot be followed in train.py:15",
        ),
        (
            "made = []\n    if names:\n        made = TRAINERS[names[0]](names)\n    made.fit()",
            "cannot be followed in train.py:17",
        ),
        ("importlib.import_module(names[0]).Trainer().train()", "cannot be followed in train.py:15"),
        ("getattr(importlib.import_module(names[0]), 'fit')()", "cannot be followed in train.py:15"),
        (
            "module = importlib.import_module(names[0])\n    module.Runner(names).go()",
            "cannot be followed in train.py:15",
        ),
        ("go = getattr(__import__(names[0]), 'go')\n    go()", "cannot be followed in train.py:15"),
        (
            "for name in names:\n        importlib.import_module(f'zoo.{name}').main()",
            "cannot be followed in train.py:16",
        ),
        # of a module that nothing is called of, only data is read
        ("cfg = importlib.import_module(names[0])\n    print(cfg.lr, cfg.size + 1)\n    ms.set_seed(cfg.seed)", ""),
        ("importlib.import_module(names[0])", ""),
        ("cfg = importlib.import_module(names[0])\n    print(dict(cfg.__dict__.items()))", ""),
        ("cfg = importlib.import_module(names[0])\n    print({k: v for k, v in vars(cfg).items()})", ""),
        (
            "class Switch:\n        def train(self):\n            self.on = True\n    Switch().train()",
            "",
        ),  # is followed
        ("print(TRAINERS)", ""),
    ],
)
def test_classes_of_a_registry_that_is_filled_elsewhere(body: str, told: str, tmp_path: Path) -> None:
    """Whether they train is unknown: `program` does not say no, and every report says that nothing was judged."""
    text = f"{REGISTERED}    {body}\n\n\nmain([])\n"
    (tmp_path / "train.py").write_text(text)
    ran = run("--isolated", "-n", "--strict", ".", cwd=tmp_path)
    assert (ran.code, told in ran.err, bool(ran.err)) == (int(bool(told)), True, bool(told))
    listed = run("program", "--isolated", ".", cwd=tmp_path).out
    assert listed.startswith("train.py  trains: unknown: " if told else "train.py  does not train")
    for form in ("sarif", "junit", "html", "github", "gitlab"):
        assert ("not judged for" in run("--isolated", "-n", "--output-format", form, ".", cwd=tmp_path).out) is bool(
            told
        )


COMPUTED = "import importlib\nimport mindspore as ms\n\n\ndef main(name):\n    print(name.trainable_params)\n"
PRINTS = "def main():\n    print('ran')\n"
FITS = "from work import model\n\n\ndef main():\n    model.fit(1)\n"


@pytest.mark.parametrize(
    ("called", "files"),
    [
        ("f'zoo.{name}'", {"zoo/__init__.py": "", "zoo/small.py": PRINTS}),
        ("'zoo.' + name", {"zoo/__init__.py": "", "zoo/small.py": PRINTS}),
        ("'.'.join(['zoo', 'nets', name])", {"zoo/__init__.py": "", "zoo/nets/__init__.py": PRINTS}),
        ("'zoo.{}'.format(name)", {"zoo/__init__.py": PRINTS}),
        ("'zoo.%s' % name", {"zoo/__init__.py": "import common\n", "common.py": PRINTS}),
    ],
)
def test_a_computed_import_from_a_folder_without_training(called: str, files: dict[str, str], tmp_path: Path) -> None:
    """It does not train: no module of the folder does, nor what these import."""
    assert _computed(called, files, tmp_path) == ""


@pytest.mark.parametrize(
    ("called", "files"),
    [
        ("f'zoo.{name}'", {"zoo/__init__.py": "", "zoo/small.py": FITS}),
        ("f'zoo.{name}'", {"zoo/__init__.py": FITS, "zoo/small.py": PRINTS}),
        ("'zoo.%s' % name", {"zoo/__init__.py": "", "zoo/small.py": "import common\n", "common.py": FITS}),
        ("'zoo.' + name", {"zoo/small.py": PRINTS}),  # other packages may add to a folder without `__init__.py`
        ("'zoo' + name", {"zoo/__init__.py": PRINTS}),
        ("'zoo.{}.{}'.format(name, name)", {"zoo/__init__.py": PRINTS, "zoo/nets/small.py": FITS}),
        ("'zoo.' + name + '.small'", {"zoo/__init__.py": PRINTS, "zoo/nets/small.py": FITS}),
        ("f'zoo.{name}.{name}'", {"zoo/__init__.py": PRINTS, "zoo/nets/small.py": FITS}),
        ("'.'.join(['zoo', name, 'small'])", {"zoo/__init__.py": PRINTS, "zoo/nets/small.py": FITS}),
        ("name + '.zoo'", {"zoo/__init__.py": PRINTS}),
        ("'other.' + name", {"zoo/__init__.py": PRINTS}),
        ("'zoo.' + name if name else name", {"zoo/__init__.py": PRINTS}),
    ],
)
def test_a_computed_import_that_may_train(called: str, files: dict[str, str], tmp_path: Path) -> None:
    assert "cannot be followed in train.py" in _computed(called, files, tmp_path)


def _computed(called: str, files: dict[str, str], folder: Path) -> str:
    """Return what a run says of a program that calls a function of a module with a computed name."""
    text = f"{COMPUTED}    importlib.import_module({called}).main()\n\n\nmain(input())\n"
    for name, content in {"train.py": text, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return run("--isolated", "-n", "train.py", cwd=folder).err


HANDED = """\
import mindspore as ms
from mindspore import nn
from mindspore.experimental import optim

net = nn.Dense(3, 4)
data = ms.dataset.MnistDataset("x").batch(32)
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
"""


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("from zoo import Step\nstep = Step(net, opt)\nfor x in data:\n    step(x)", "Step(net, opt)"),
        ("import zoo\nzoo.run(net, data, opt)", "zoo.run(net, data, opt)"),
        ("import zoo\nzoo.build('x').launch(net, optimizer=opt)", "zoo.build('x').launch(net, optimizer=opt)"),
        ("import zoo\ngiven = dict(net=net, optimizer=opt)\nzoo.run(**given)", "zoo.run(**given)"),
        ("import zoo\nzoo.run({'net': net, 'optimizer': opt})", "zoo.run({'net': net, 'optimizer': opt})"),
        ("import zoo\nzoo.run(*(net, opt))", "zoo.run(*(net, opt))"),
        ("import zoo\no = zoo.adam(net.trainable_params())\nzoo.run(net, o)", "zoo.run(net, o)"),
        ("import zoo\no = optim.Adam(net.trainable_params(), 0.1)\nzoo.run(net, o)", "zoo.run(net, o)"),
        ("import zoo\nclass O(nn.Optimizer):\n    pass\no = O(net.trainable_params())\nzoo.run(o)", "zoo.run(o)"),
        ("import zoo\nclass T(zoo.Engine):\n    pass\nT(net, opt).go()", "T(net, opt)"),
        (
            "import zoo\nclass T(zoo.Engine):\n    def __init__(self, o):\n        super().__init__(o)\nT(opt).go()",
            "super().__init__(o)",
        ),
        ("import zoo\nclass T(zoo.Engine):\n    def go(self):\n        self.loop(opt)\nT().go()", "self.loop(opt)"),
        (
            "import zoo\nclass T:\n    def __init__(self):\n        self.engine = zoo.Engine(1)\n"
            "    def go(self):\n        self.engine.launch(net, opt)\nT().go()",
            "self.engine.launch(net, opt)",
        ),
        ("STEPS = {}\nSTEPS[input()](net, opt)", "STEPS[input()](net, opt)"),
        ("import zoo\nkw = {'net': net}\nkw['optimizer'] = opt\nzoo.run(**kw)", "zoo.run(**kw)"),
        ("import zoo\nkw = {}\nkw['optimizer'] = opt\nzoo.run(kw)", "zoo.run(kw)"),
        ("import zoo\nkw = dict(net=net)\nkw.update({'o': opt})\nzoo.run(**kw)", "zoo.run(**kw)"),
        ("import zoo\nkw = dict(net=net)\nkw.setdefault('o', opt)\nzoo.run(**kw)", "zoo.run(**kw)"),
        ("import zoo\nkw = dict(net=net, o=opt)\nzoo.run(**{**kw, 'x': 1})", "zoo.run(**{**kw, 'x': 1})"),
        ("import zoo\nargs = [net]\nargs.append(opt)\nzoo.run(*args)", "zoo.run(*args)"),
        ("import zoo\nargs = [net]\nargs += [opt]\nzoo.run(args)", "zoo.run(args)"),
        ("import zoo\nargs = (net,) + (opt,)\nzoo.run(*args)", "zoo.run(*args)"),
        ("import zoo\no = tuple(nn.SGD(p) for p in [net.trainable_params()])\nzoo.run(o)", "zoo.run(o)"),
        ("import zoo\nzoo.run(zip([net], [opt]))", "zoo.run(zip([net], [opt]))"),
        (
            "import zoo\nclass C:\n    def __init__(self, o):\n        self.kw = {}\n        self.kw['o'] = o\n"
            "    def go(self):\n        zoo.run(**self.kw)\nC(opt).go()",
            "zoo.run(**self.kw)",
        ),
        ("import zoo, functools\ngo = functools.partial(zoo.run, optimizer=opt)\ngo()", "go()"),
        ("import zoo\nfrom functools import partial\npartial(zoo.run, net)(opt)", "partial(zoo.run, net)(opt)"),
        (
            "import zoo\nfrom functools import partial\ndef start(f):\n    f()\nstart(partial(zoo.run, net, opt))",
            "f()",
        ),
        # what makes something of an optimizer is not what trains with it
        ("import zoo\ns = zoo.schedule(optimizer=opt)\nzoo.Engine(net, (opt, s)).go()", "zoo.Engine(net, (opt, s))"),
        ("import zoo\ns = zoo.schedule(optimizer=opt)\nzoo.run(net, opt)", "zoo.run(net, opt)"),
        ("import zoo\no = zoo.wrap(zoo.Accumulate(opt))\nzoo.run(net, o)", "zoo.run(net, o)"),
        ("import zoo\ngroups = [{'params': net.trainable_params()}]\no = zoo.adam(groups)\nzoo.run(o)", "zoo.run(o)"),
        ("import zoo\noptimizer = input()()\nzoo.run(net, optimizer)", "zoo.run(net, optimizer)"),
        # an object of code that is not there gets it as an attribute
        ("import zoo\nt = zoo.Engine(net)\nt.optimizer = opt\nt.go()", "zoo.Engine(net)"),
        ("from zoo import Engine\nt = Engine(net)\nt.solver = opt\nt.go()", "Engine(net)"),
        ("import zoo\nt = zoo.Engine(net)\ndef setup(t, o):\n    t.o = o\nsetup(t, opt)\nt.go()", "zoo.Engine(net)"),
        ("import zoo\nclass T(zoo.Engine):\n    def __init__(self, o):\n        self.o = o\nT(opt).go()", "zoo.Engine"),
        ("import zoo\nclass T(zoo.Engine):\n    pass\nt = T()\nt.o = opt\nt.go()", "zoo.Engine"),
    ],
)
def test_an_optimizer_that_goes_to_code_that_is_not_there(body: str, code: str, tmp_path: Path) -> None:
    """Whether that trains is unknown, by whatever name it is called."""
    text = f"{HANDED}{body}\n"
    (tmp_path / "a.py").write_text(text)
    row = next(at for at, line in reversed(list(enumerate(text.splitlines(), 1))) if code in line)
    reason = f"`{code}` cannot be followed in a.py:{row}"
    assert run("program", "--isolated", ".", cwd=tmp_path).out.startswith(f"a.py  trains: unknown: {reason}")
    ran = run("--isolated", "-n", "--strict", ".", cwd=tmp_path)
    assert (ran.code, reason in ran.err) == (1, True)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "import zoo\no = zoo.Adam(net.trainable_params())",
        "import zoo\nlr = zoo.cosine(0.1)\no = nn.SGD(net.trainable_params(), lr)",
        "s = optim.lr_scheduler.StepLR(optim.SGD(net.trainable_params(), 0.1), 2)\ns.step()",
        "print(opt, str(opt), isinstance(opt, nn.Cell))",
        "import zoo\nclass H:\n    pass\nh = H()\nh.optimizer = opt\nzoo.show(net)",
        "import zoo\nclass N(nn.Cell):\n    def __init__(self, o):\n        self.o = o\nN(opt)\nzoo.show(net)",
        "import zoo\nt = zoo.Engine(net)\nt.rate = 0.1\nt.go()",
        "import zoo, argparse\na = argparse.Namespace()\na.optimizer = opt\nzoo.show(net)",
        "import pickle\npickle.dump({'net': net, 'opt': opt}, open('a', 'wb'))",
        "import logging\nlogging.getLogger('a').info('%s', opt)",
        "import numpy as np\nnp.save('a', opt)",
        "import copy\nother = copy.deepcopy(opt)",
        "ms.save_checkpoint(opt, 'a.ckpt')\nms.load_param_into_net(opt, ms.load_checkpoint('a.ckpt'))",
        "def show(o):\n    return o.get_lr()\nshow(opt)",
        "class Keep:\n    def __init__(self, o):\n        self.o = o\nkept = [Keep(opt)]",
        "import zoo\nfor x in data:\n    zoo.show(net(x))",
        "import zoo\nzoo.report(sum(each.size for each in net.trainable_params()))",
        "import zoo\nzoo.plot(opt.learning_rate)",
        "import zoo\nif False:\n    zoo.run(net, opt)",
        "ms.train.Model(net, None, opt, metrics={'loss'}).eval(data)",
        "class T:\n    def run_training(self):\n        pass\nT().run_training()",
        "import zoo\nzoo.measure(ms.train.Model(net, None, metrics={'loss'}), data)",
        "import zoo\nzoo.show(ms.train.Model(net, None, opt).predict(data))",
        "import zoo\nkw = {'net': net}\nkw['lr'] = 1\nzoo.run(**kw)",
        "import zoo\nkw = {'net': net, 'optimizer': opt}\nzoo.run(kw['net'])",
        "import zoo\nargs = [net]\nother = [opt]\nother.append(opt)\nzoo.run(*args)",
        "import zoo, functools\ngo = functools.partial(zoo.run, optimizer=opt)",
        "import zoo, functools\ngo = functools.partial(zoo.run, optimizer=None)\ngo()",
        "import functools\ngo = functools.partial(print, opt)\ngo()",
        "import functools\ndef show(f, o):\n    return f(o)\nfunctools.partial(show, str)(opt)",
        "import zoo\nopt = 'adam'\nzoo.run(net, opt)",
        "import zoo\nfrom argparse import ArgumentParser as P\np = P()\nopt = p.parse_args()\nzoo.run(opt)",
    ],
)
def test_an_optimizer_that_is_only_made_or_goes_to_what_trains_nothing(body: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"{HANDED}{body}\ndata.save('x')\n")
    assert run("program", "--isolated", ".", cwd=tmp_path).out.startswith("a.py  does not train")
    ran = run("--isolated", "-n", "--strict", ".", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")


BEGIN = """\
import pickle
import mindspore as ms
from mindspore import nn
from mindspore.train import Model
from nets import make, NETS

loss = nn.MSELoss()
data = ms.dataset.MnistDataset("x").batch(32)
"""
UNKNOWN = {
    "of a table": ("net = NETS[input()]()", "NETS[input()]", 9),
    "of a dict": ("NETS = {}\nnet = NETS[input()]()", "NETS[input()]", 10),
    "of a file that is not there": ("net = make()", "make()", 9),
    "read": ("net = pickle.load(open('x', 'rb'))", "pickle.load(open('x', 'rb'))", 9),
    "of code": ("net = eval(input())", "eval(input())", 9),
    "unbound": ("", "net", 0),
}
TRAINED = {
    "model": "Model(net, loss, opt).train(10, data)",
    "cell": "step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)\nfor x, y in data:\n    step(x, y)",
    "function": "def forward(x, y):\n    return loss(net(x), y)\n"
    "step = ms.value_and_grad(forward, None, opt.parameters)\nfor x, y in data:\n    opt(step(x, y)[1])",
    "gradient": "step = ms.value_and_grad(net, None, opt.parameters)\nfor x, y in data:\n    opt(step(x, y)[1])",
}


@pytest.mark.parametrize("trained", TRAINED)
@pytest.mark.parametrize("unknown", UNKNOWN)
def test_a_network_that_is_unknown_as_a_whole(unknown: str, trained: str, tmp_path: Path) -> None:
    made, code, row = UNKNOWN[unknown]
    text = f"{BEGIN}{made}\nopt = nn.SGD(net.trainable_params())\n{TRAINED[trained]}\n"
    (tmp_path / "a.py").write_text(text)
    row = row or next(at for at, line in enumerate(text.splitlines(), 1) if "net" in line and at > 10)
    reason = f"`{code}` cannot be followed in a.py:{row}"
    for selected, told in (("MSP", "MSP201, MSP202"), ("MSP201", "MSP201"), ("MSP202", "MSP202")):
        ran = run("--isolated", "-n", "--select", selected, "a.py", cwd=tmp_path)
        assert ran.err == f"a.py: not judged for {told}: {reason}; see `ms-perflint program a.py`\n"
    said = run("program", "--isolated", "a.py", cwd=tmp_path).out
    assert f"in part: {reason}\n" in said and "MSP201, MSP202\n" in said


@pytest.mark.parametrize(
    ("made", "model", "widths"),
    [
        ("net = make()", 'Model(net, loss, opt, amp_level="O0")', "make()"),  # which is reported
        ("net = make()", 'Model(net, loss, opt, amp_level="O2")', "make()"),
        ("net = nn.Dense(32, 512)", "Model(net, make(), opt)", ""),
        ("net = nn.Dense(32, 512)", "Model(nn.WithLossCell(net, make()), None, opt)", ""),
        ("net = nn.ReLU()", "Model(nn.WithLossCell(net, loss), None, make(net))", ""),
    ],
)
def test_a_network_whose_precision_is_decided(made: str, model: str, widths: str, tmp_path: Path) -> None:
    """Its widths are unknown all the same, where the network is."""
    text = f"{BEGIN}{made}\nopt = nn.SGD(net.trainable_params())\n{model}.train(10, data)\n"
    (tmp_path / "a.py").write_text(text)
    assert "not judged" not in run("--isolated", "-n", "--select", "MSP201", "a.py", cwd=tmp_path).err
    err = run("--isolated", "-n", "--select", "MSP202", "a.py", cwd=tmp_path).err
    assert f"not judged for MSP202: `{widths}` cannot be followed" in err if widths else err == ""


REGISTRY = """\
CLASSES = {}


def register(cls):
    CLASSES[cls.__name__] = cls
    return cls
"""
NETWORKS = """\
from mindspore import nn
from registry import register


@register
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(64, 100)
        self.head = nn.Dense(100, 10)

    def construct(self, x):
        return self.head(self.fc(x))
"""


@pytest.mark.parametrize(
    ("imports", "made", "told"),
    [
        ("import networks\nfrom registry import CLASSES", "CLASSES[input()]()", False),
        ("import networks", "getattr(networks, input())()", True),
        ("from networks import Net", "{'net': Net}[input()]()", False),
        ("from networks import Net\nfrom others import Head", "nn.SequentialCell(Net(), Head())", False),
    ],
)
def test_widths_of_classes_that_may_be_the_network(imports: str, made: str, told: bool, tmp_path: Path) -> None:
    """Where the class is one of some in these files, each of them was asked about."""
    (tmp_path / "registry.py").write_text(REGISTRY)
    (tmp_path / "networks.py").write_text(NETWORKS)
    text = BEGIN.replace("from nets import make, NETS", imports)
    text += f"net = {made}\nModel(net, loss, nn.SGD(net.trainable_params()), amp_level='O2').train(10, data)\n"
    (tmp_path / "a.py").write_text(text)
    ran = run("--isolated", "-n", "--select", "MSP202", ".", cwd=tmp_path)
    assert ("MSP202 the hidden width 100" in ran.out, "not judged for MSP202: " in ran.err) == (not told, told)


@pytest.mark.parametrize(
    ("use", "answer"),
    [
        ("ms.train.Model(step, eval_network=net, metrics={}).eval(data)", "a.py  does not train"),
        ("model = ms.train.Model(network=step)\nmodel.predict(1)", "a.py  does not train"),
        ("ms.train.Model(net, metrics={'loss'}).eval(data)", "a.py  trains: unknown: `nn.TrainOneStepCell(net, opt)`"),
        ("kept = [step]", "a.py  trains: unknown: `nn.TrainOneStepCell(net, opt)`"),
        ("def learn():\n    one = nn.TrainOneStepCell(net, opt)\n    return one\nlearn()", "a.py  trains: unknown: "),
        ("ms.train.Model(step).train(1, data)", "a.py  trains, "),
        ("step(1)", "a.py  trains, "),
    ],
)
def test_a_step_that_is_made_for_a_model(use: str, answer: str, tmp_path: Path) -> None:
    """Whether the Model trains with it is known."""
    (tmp_path / "a.py").write_text(f"{HANDED}step = nn.TrainOneStepCell(net, opt)\n{use}\ndata.save('x')\n")
    assert run("program", "--isolated", ".", cwd=tmp_path).out.startswith(answer)


@pytest.mark.parametrize(
    ("base", "use", "answer"),
    [
        ("nn.Cell", "both.set_train(False)", "does not train"),
        ("nn.Cell", "ms.load_checkpoint('a.ckpt', Both(other=step))", "does not train"),
        ("nn.Cell", "print(both.step.network)", "does not train"),
        ("nn.Cell", "both(1)", "trains, "),
        ("nn.Cell", "keep(step)", "trains: unknown: "),
        ("nn.Cell", "kept = [step]", "trains: unknown: "),
        ("object", "data.show()", "trains: unknown: "),
    ],
)
def test_a_step_that_is_part_of_a_cell(base: str, use: str, answer: str, tmp_path: Path) -> None:
    """What calls the cell is known."""
    called = "construct" if base == "nn.Cell" else "work"
    body = "    def __init__(self, step=None, other=None):\n        super().__init__()\n        self.step = step\n\n"
    cls = f"class Both({base}):\n{body}    def {called}(self, x):\n        return self.step(x)\n\n\n"

    text = f"from keepers import keep\n{HANDED}{cls}"
    (tmp_path / "a.py").write_text(
        f"{text}step = nn.TrainOneStepCell(net, opt)\nboth = Both(step)\n{use}\ndata.save('x')\n"
    )
    assert run("program", "--isolated", ".", cwd=tmp_path).out.startswith(f"a.py  {answer}")


@pytest.mark.parametrize(
    ("use", "trains"),
    [
        ("", "does not train"),
        ("net.set_train()", "does not train"),
        ("other = 1\n    del other", "does not train"),
        ("global kept\n    kept = step", "trains: unknown: "),
        ("return lambda: step", "trains: unknown: "),
        ("net.helper = step", "trains: unknown: "),
    ],
)
def test_a_step_that_is_made_for_a_local_name(use: str, trains: str, tmp_path: Path) -> None:
    """One that nothing reads is not called."""
    learn = f"def learn():\n    step = nn.TrainOneStepCell(net, opt)\n    {use or 'pass'}\n\n\nlearn()\n"
    (tmp_path / "a.py").write_text(HANDED + learn)
    assert run("program", "--isolated", ".", cwd=tmp_path).out.startswith(f"a.py  {trains}")


BACKWARD = """\
import mindspore as ms
from mindspore import nn
from zoo import make

ms.set_context(mode=ms.GRAPH_MODE)
net = make()
optimizer = nn.SGD(net.trainable_params())
for x, y in ms.dataset.MnistDataset("x").batch(32):
    loss = net(x)
    loss.backward()
    optimizer.step()
"""
CELL = """\
import mindspore as ms
from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(64, 64)

    def construct(self, x):
        return self.fc(x)


class Trainer({base}):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.loss = nn.MSELoss()
        self.opt = nn.SGD(net.trainable_params())
        self.grad = ms.value_and_grad(self.forward, None, self.opt.parameters)

    def forward(self, x, y):
        return self.loss(self.net(x), y)

    def {step}(self, x, y):
        loss, grads = self.grad(x, y)
        self.opt(grads)
        return loss

    def fit(self, data):
        for x, y in data:
            self.{step}(x, y)


ms.set_context(mode=ms.GRAPH_MODE)
Trainer({net}).fit(ms.dataset.MnistDataset("x").batch(32))
"""


def test_a_training_of_which_no_network_is_known(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BACKWARD)
    ran = run("--isolated", "-n", "--strict", "train.py", cwd=tmp_path)
    told = "train.py: not judged for MSP201, MSP202: where the network gets its optimizer is not known; see `"
    assert (ran.code, ran.err.startswith(told)) == (1, True)
    shown = run("program", "--isolated", "train.py", cwd=tmp_path).out
    assert "precision      unknown: where the network gets its optimizer is not known\n" in shown
    assert "  not judged  MSP201, MSP202\n" in shown
    (tmp_path / "train.py").write_text(f"{BACKWARD}ms.set_context(device_target='CPU')\n")
    assert run("--isolated", "-n", "--strict", "train.py", cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    ("base", "step", "net", "code"),
    [
        ("nn.Cell", "step", "Net()", "MSP201"),
        ("object", "step", "Net()", "MSP201"),
        ("nn.Cell", "step", "nn.ReLU()", ""),
        ("nn.Cell", "step", "Net().to_float(ms.float16)", ""),
        ("object", "step", "Net().to_float(ms.float16)", ""),
    ],
)
def test_a_trainer_that_is_a_cell_and_steps_in_a_method(
    base: str, step: str, net: str, code: str, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(CELL.format(base=base, step=step, net=net))
    ran = run("--isolated", "-n", "--output-format", "concise", "train.py", cwd=tmp_path)
    assert [line.split()[1] for line in ran.out.splitlines()[:-1]] == [code] * bool(code)
    assert ran.err == ""


@pytest.mark.parametrize("order", [1, -1])
def test_the_reason_counts_all_run_configurations_that_are_left_out(order: int) -> None:
    gaps = [reports.Gap(Message("{more} more were not judged", more=more), RUNS[:more]) for more in (2, 5, 3)]
    said = [reports.unjudged("train.py", f"{at}.py", ["MSP101"], gap) for at, gap in enumerate(gaps[::order])]
    (found,) = reports.reported(said, [], ["train.py"]).unjudged
    assert (found.reason, found.runs) == ("5 more were not judged", frozenset(RUNS))


UNKNOWN_OBJECT = """\
import mindspore as ms
from mindspore.train.serialization import load_checkpoint
from zoo import TABLE

unknown = TABLE["network"](1)
"""


def trainer(line: str, folder: Path) -> Optional[str]:
    """Return the call that may train of a script with one more line; None where its bytes rule one out."""
    (folder / "eval.py").write_text(f"{UNKNOWN_OBJECT}{line}\n")
    program = Program(Project(Disk()), str(folder / "eval.py"), Target((0,), ()))
    found = followed.trainer(program) if followed.may_hold_trainer(program) else None
    assert (found is None) == (followed.trainer(program) is None)
    assert found is not None or "modules" not in vars(program)  # what runs was not worked out for a no
    return found.code if found is not None else None


@pytest.mark.parametrize(
    "line",
    [
        "unknown.run_training()",
        "unknown.train_one_epoch(1)",
        "def train_model():\n    pass\nunknown.train_model()",
        "class T:\n    def do_train(self):\n        pass\nunknown.do_train()",
        "unknown.train()",
        "unknown.fit(1)",
        "unknown.finetune()",
        "unknown . train()",
        "unknown.\\\n    train()",
        "(unknown.train)()",
        "unknown.train\\\n()",
        "print(unknown.train().loss)",
        "(unknown\n .train)(\n)",
        "import mindspore.train.callback; unknown.train()",
    ],
)
def test_a_call_of_an_unknown_object_that_may_train(line: str, tmp_path: Path) -> None:
    assert trainer(line, tmp_path) == 'TABLE["network"]'


@pytest.mark.parametrize(
    "line",
    [
        "from mindspore.train import Model",
        "from mindspore.train.callback import LossMonitor",
        "from mindspore . train import Model",
        "from mindspore.train \\\n    .callback import LossMonitor",
        "import mindspore.train.callback",
        "import mindspore.train.callback as callback; callback.Callback()",
        "unknown.train.steps()",
        "unknown.train\\\n.steps()",
        "unknown.training()",
        "unknown.fitted()",
        "unknown.trainer()",
        "unknown.retrain()",
        "unknown.set_train_model()",
        "unknown.test()",
        "unknown['train']()",
        "path = 'a.train.b'",
    ],
)
def test_an_import_or_another_member_does_not_train(line: str, tmp_path: Path) -> None:
    assert trainer(line, tmp_path) is None


@pytest.mark.parametrize(
    ("base", "call", "is_told"),
    [
        ("zoo.Trainer", "train()", True),
        ("zoo.core.Trainer", "run_training(1)", True),
        ("zoo.Trainer", "evaluate()", False),
        ("torch.nn.Module", "train()", False),
        ("msadapter.pytorch.nn.Module", "train()", False),
        ("ms.nn.Cell", "train()", False),
        ("object", "train()", False),
    ],
)
def test_a_method_that_external_code_may_have(base: str, call: str, is_told: bool, tmp_path: Path) -> None:
    line = f"import msadapter, torch, zoo\nclass Base({base}):\n    pass\nclass Own(Base):\n    pass\nOwn().{call}"
    assert trainer(line, tmp_path) == (f"Own().{call}" if is_told else None)
