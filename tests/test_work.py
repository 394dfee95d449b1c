"""How much work a run does, counted: time is noise on a shared machine, counts are not.

The project is small and made here: two entry scripts, a package of networks that both use, and modules that nobody has
to parse. A change that makes a count grow beyond its budget makes every run slower; raise a budget only on purpose.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ms_perflint import engine, syntax
from ms_perflint.config.settings import Config
from ms_perflint.core.facts import fact
from ms_perflint.core.files import Disk
from ms_perflint.core.source import Source
from ms_perflint.discovery import discover
from ms_perflint.index import execution_order, semantic_index
from ms_perflint.index.index_builder import _IndexBuilder
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.infer import parameters
from ms_perflint.infer.nodes import Node
from ms_perflint.infer.queries import Queries
from ms_perflint.infer.update_forms import Update
from ms_perflint.linting import linter, programs
from ms_perflint.program import live_code, run_order, target, value_flow
from ms_perflint.program.program import Program
from ms_perflint.program.target import Target
from ms_perflint.program.value_flow import ValueFlow
from ms_perflint.resolve import project
from ms_perflint.resolve.entry_points import BESIDE
from ms_perflint.resolve.imports import Imports
from ms_perflint.resolve.project import Project
from ms_perflint.training import optimizers
from ms_perflint.training.networks import data_flow, layers

LAYERS = 12
TRAIN = """
import argparse
import mindspore as ms
from mindspore import nn
from src.networks import make
from src.data import load
from src.tools import log

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="Ascend")
parser.add_argument("--epochs", type=int, default=3)
args = parser.parse_args()

def main():
    ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device)
    net = make(64)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    model = ms.Model(net, loss, nn.Momentum(net.trainable_params(), 0.1, 0.9), amp_level="O2")
    log("start")
    model.train(args.epochs, load("train"), dataset_sink_mode=False)

if __name__ == "__main__":
    main()
"""
EVAL = """
import mindspore as ms
from src.networks import make
from src.data import load

if __name__ == "__main__":
    ms.set_context(mode=ms.GRAPH_MODE)
    print(ms.Model(make(64), metrics={"acc"}).eval(load("test")))
"""
NETWORKS = """
from mindspore import nn
{imports}
def make(width):
    return nn.SequentialCell([{blocks}])
""".format(
    imports="".join(f"from src.layers_{number} import Block{number}\n" for number in range(LAYERS)),
    blocks=", ".join(f"Block{number}(width)" for number in range(LAYERS)),
)
LAYER = """
from mindspore import nn, ops

class Block{number}(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.dense = nn.Dense(width, width)
        self.wide = nn.Dense(width, 128)
        self.back = nn.Dense(128, width)
        self.cast = ops.Cast()

    def construct(self, x):
        x = ops.relu(self.dense(x))
        return self.back(self.wide(x))
"""
DATA = """
import mindspore.dataset as ds

def load(kind):
    return ds.MnistDataset(kind).batch(32, drop_remainder=True)
"""
TOOLS = "def log(text):\n    print(text)\n"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def make_project(root: Path) -> None:
    files = {"train.py": TRAIN, "eval.py": EVAL, "src/__init__.py": "", "src/networks.py": NETWORKS}
    files.update({f"src/layers_{number}.py": LAYER.format(number=number) for number in range(LAYERS)})
    files.update({f"src/tools_{number}.py": TOOLS for number in range(LAYERS)})  # nobody imports them
    files.update({"src/data.py": DATA, "src/tools.py": TOOLS, "setup.py": ""})
    write(root, files)


def count(monkeypatch: pytest.MonkeyPatch, counts: Counter[str], owner: Any, name: str, label: str) -> None:
    """Count the calls of a function while the test runs."""
    function: Callable[..., Any] = getattr(owner, name)

    def counted(*args: Any, **keywords: Any) -> Any:
        counts[label] += 1
        return function(*args, **keywords)

    monkeypatch.setattr(owner, name, counted)


# One program for each file that imports something of MindSpore, and one for each script: what runs is asked of the two
# scripts alone, as no other file has a word of training in it.
BUDGET = {
    "read": 31,
    "parsed": 17,
    "outlined": 18,
    "expressions": 162,
    "reached": 2,
    "evaluated": 233,
    "sliced": 1,
}


def test_the_work_of_a_run_stays_in_its_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_project(tmp_path)
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, Disk, "read", "read")
    count(monkeypatch, counts, semantic_index, "parse", "parsed")
    count(monkeypatch, counts, project, "outline", "outlined")
    count(monkeypatch, counts, _IndexBuilder, "expression", "expressions")
    count(monkeypatch, counts, live_code, "reached", "reached")
    count(monkeypatch, counts, Queries, "_answer", "evaluated")
    count(monkeypatch, counts, syntax, "parse_site", "sliced")
    config = Config(str(tmp_path))
    report = engine.lint(discover([str(tmp_path)], config).files, config)
    assert [(finding.code, Path(finding.place.path).name) for finding in report.findings] == [("MSP102", "train.py")]
    assert {label: counts[label] for label in BUDGET if counts[label] > BUDGET[label]} == {}
    assert all(counts[label] for label in BUDGET), counts


def test_a_program_is_hardly_parsed_again_where_nothing_is_kept_for_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(tmp_path / "one")
    make_project(tmp_path / "other")
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, semantic_index, "parse", "parsed")
    monkeypatch.setattr(linter, "HELD", 0)
    config = Config(str(tmp_path))
    engine.lint(discover([str(tmp_path)], config).files, config)
    assert counts["parsed"] <= 2 * (BUDGET["parsed"] + 1)  # one script each shares nothing


def test_what_runs_is_not_asked_of_a_script_that_cannot_train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_project(tmp_path)
    (tmp_path / "train.py").unlink()
    text = EVAL.replace("GRAPH_MODE", "PYNATIVE_MODE").replace("make(64)", "make(100)")
    load = '    print(ms.load_checkpoint("net.ckpt"))\n'
    (tmp_path / "eval.py").write_text(text + load, encoding="utf-8")
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, live_code, "reached", "reached")
    config = Config(str(tmp_path))
    engine.lint(discover([str(tmp_path)], config).files, config)
    assert counts["reached"] == 0


def test_scripts_beside_a_project_are_looked_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {f"kit/part_{number}.py": f"import os\n{TOOLS}" for number in range(LAYERS)})
    write(tmp_path, {"other/train.py": "import sys\nsys.path.append('../kit')\nimport part_0\n", "setup.py": ""})
    asked: Counter[tuple[str, ...]] = Counter()
    named = Disk.named

    def counted(self: Disk, directory: str, *patterns: str) -> frozenset[str]:
        asked[(directory, *patterns)] += 1
        return named(self, directory, *patterns)

    monkeypatch.setattr(Disk, "named", counted)
    entries = Project(Disk()).entries
    for number in range(LAYERS):
        entries.programs(str(tmp_path / "kit" / f"part_{number}.py"))
    assert asked[(str(tmp_path), *BESIDE)] == 1


PADDING = "# a library of the size of real ones\n" * 1000  # bytes that are held, and cost nothing to parse
SCRIPT = """
import mindspore as ms
{imports}

def main(net, data):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = make(net)
    model = ms.Model(net, None, ms.nn.Momentum(net.trainable_params(), 0.1, 0.9), amp_level="O2")
    model.train(3, data, dataset_sink_mode=True)

if __name__ == "__main__":
    main(64, None)
"""
MAKER = "from mindspore import nn\n{imports}\ndef make(width):\n    return {made}\n"


def tools_and_package(number: int) -> dict[str, str]:
    """Return a package in three folders, and scripts in `tools` that each use one module of each folder."""
    files = {"setup.py": "", "kit/__init__.py": ""}
    for folder in ("layers", "models", "optim"):
        files[f"kit/{folder}/__init__.py"] = ""
        for at in range(number):
            imports = f"from kit.layers.part_{(at + 1) % number} import make as inner" if folder != "layers" else ""
            made = "nn.SequentialCell([inner(width)])" if imports else "nn.Dense(width, 128)"
            files[f"kit/{folder}/part_{at}.py"] = MAKER.format(imports=imports, made=made) + PADDING
    for at in range(number):
        files[f"tools/train_{at}.py"] = SCRIPT.format(imports=f"from kit.models.part_{at} import make") + PADDING
    return files


def examples_beside_package(number: int) -> dict[str, str]:
    """Return a package whose `__init__` imports all of it, and a folder with a script for each example."""
    inner = "".join(f"from kit.part_{at} import make as make_{at}\n" for at in range(number))
    files = {"setup.py": "", "kit/__init__.py": f"{inner}make = make_0\n"}
    for at in range(number):
        files[f"kit/part_{at}.py"] = MAKER.format(imports="", made="nn.Dense(width, 128)") + PADDING
        files[f"examples/one_{at}/train.py"] = SCRIPT.format(imports="from kit import make") + PADDING
        files[f"examples/one_{at}/helper.py"] = MAKER.format(imports="", made="nn.Dense(width, 64)") + PADDING
    return files


def registry(number: int) -> dict[str, str]:
    """Return one script that finds its networks in a table, and tests beside each module that fills it."""
    files = {"setup.py": "", "kit/__init__.py": "TABLE = {}\n\ndef make(width):\n    return TABLE['net_0'](width)\n"}
    imports = "from kit import make\n" + "".join(f"import kit.nets.net_{at}\n" for at in range(number))
    files["train.py"] = SCRIPT.format(imports=imports) + PADDING
    files["kit/nets/__init__.py"] = ""
    for at in range(number):
        net = f"from kit import TABLE\nTABLE['net_{at}'] = lambda width: nn.Dense(width, 128)\n"
        files[f"kit/nets/net_{at}.py"] = MAKER.format(imports=net, made="nn.Dense(width, 128)") + PADDING
        files[f"tests/test_net_{at}.py"] = SCRIPT.format(imports=f"from kit.nets.net_{at} import make") + PADDING
    return files


WIDTHS = """
from mindspore import nn

def width(kind, scale):
    return {"wide": 128, "small": 64}[kind] * scale

def make(given):
    kinds = [("wide", 1), ("small", 2), ("wide", 3)]
    return nn.SequentialCell([nn.Dense(width("small", 1), width(kind, scale)) for kind, scale in kinds])
"""


SETS = "    ms.set_context(mode=ms.GRAPH_MODE)\n"
TWICE = SCRIPT.replace(SETS, SETS.replace("GRAPH", "PYNATIVE") + SETS)  # the execution order tells which one is last


def calls_of_a_package(number: int, script: str = SCRIPT) -> dict[str, str]:
    """Return scripts that use the same functions of a package, which it enters by several calls."""
    files = {"setup.py": "", "kit/__init__.py": "", "kit/widths.py": WIDTHS + PADDING}
    for at in range(number):
        files[f"train_{at}.py"] = script.format(imports="from kit.widths import make") + PADDING
    return files


@pytest.mark.parametrize("shape", [tools_and_package, examples_beside_package, registry])
def test_each_file_of_a_library_is_parsed_once(
    shape: Callable[[int], dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, shape(12))
    parsed: Counter[str] = Counter()
    make = semantic_index.SemanticIndex.__init__

    def counted(self: semantic_index.SemanticIndex, source: Source, *arguments: Any) -> None:
        parsed[source.path] += 1
        make(self, source, *arguments)

    monkeypatch.setattr(semantic_index.SemanticIndex, "__init__", counted)
    config = Config(str(tmp_path), select=("ALL",))
    report = engine.lint(discover([str(tmp_path)], config).files, config)
    assert not report.problems
    assert len(parsed) > 20 and set(parsed.values()) == {1}


# Evaluations, and how often values are followed through the assignment graphs of a program
LIBRARIES = {
    tools_and_package: (312, 12),
    examples_beside_package: (175, 12),
    registry: (251, 1),  # what hides a network is asked once for MSP202; files that fill the table are of the program
    calls_of_a_package: (140, 0),
}


@pytest.mark.parametrize("shape", LIBRARIES)
def test_each_program_of_a_library_is_made_once(
    shape: Callable[[int], dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, shape(12))
    made: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    make = Program.__init__

    def counted(self: Program, project: Project, entry: str, *arguments: Any) -> None:
        made[entry] += 1
        make(self, project, entry, *arguments)

    monkeypatch.setattr(Program, "__init__", counted)
    monkeypatch.setattr(programs, "ANSWERS", 0)
    count(monkeypatch, counts, Queries, "_answer", "evaluated")
    count(monkeypatch, counts, ValueFlow, "_run", "flows")
    config = Config(str(tmp_path), select=("ALL",))
    assert not engine.lint(discover([str(tmp_path)], config).files, config).problems
    assert len(made) > 12 and set(made.values()) == {1}
    evaluated, flows = LIBRARIES[shape]
    assert counts["evaluated"] <= evaluated and counts["flows"] <= flows, counts


CHECKED = """
class Attack{number}:
    def __init__(self, network, scale={number}):
        self._network = check("network", network)
        self._scale = check("scale", scale)

    def run(self, x):
        return self._network(x * self._scale)
"""


@pytest.mark.parametrize("number", [5, 50])
def test_a_check_does_not_lead_to_all_that_is_checked(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = "def check(name, value):\n    if value is None:\n        raise ValueError(name)\n    return value\n"
    classes = "".join(CHECKED.format(number=each) for each in range(number))
    made = "".join(f"Attack{each}(net, scale={each}).run(1)\n" for each in range(number))
    write(tmp_path, {"train.py": f"{checks}{classes}net = object()\n{made}"})
    program = Program(Project(Disk()), str(tmp_path / "train.py"), Target((0,), ()))
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, Queries, "_answer", "evaluated")
    (semantic_index,) = program.modules
    value = program.evaluator.callees(semantic_index.by_word["_network"][0])
    assert [known.type_api for known in value.alternatives] == ["builtins.object"]
    assert counts["evaluated"] < 30


def test_the_steps_of_a_function_are_put_into_order_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, calls_of_a_package(6, TWICE))
    ordered: Counter[Scope] = Counter()
    order = execution_order._steps_of.__wrapped__  # type: ignore[attr-defined]

    def counted(module: SemanticIndex, scope: Scope) -> list[Any]:
        ordered[scope] += 1
        return order(module, scope)  # type: ignore[no-any-return]

    monkeypatch.setattr(execution_order, "_steps_of", fact(counted))
    config = Config(str(tmp_path), select=("ALL",))
    assert not engine.lint(discover([str(tmp_path)], config).files, config).problems
    assert len(ordered) > 12 and set(ordered.values()) == {1}


STEPS = """
class Trainer:
    def __init__(self, step):
        self.step = step

    def go(self, x):
        return self.step(x)

def halved(x):
    return x / 2

trainer = Trainer(halved)
"""


def test_what_a_file_hands_on_is_worked_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = calls_of_a_package(6, TWICE)
    scripts = {name: f"{text}\nfrom kit.widths import trainer\ntrainer.go(1)\n" for name, text in files.items()}
    write(tmp_path, {**scripts, "setup.py": "", "kit/__init__.py": "", "kit/widths.py": WIDTHS + STEPS + PADDING})
    handed: list[Node] = []  # keeps the nodes, so that no two are the same object
    work = value_flow._own_edges

    def counted(node: Node) -> Any:
        handed.append(node)
        return work(node)

    monkeypatch.setattr(value_flow, "_own_edges", counted)
    config = Config(str(tmp_path), select=("ALL",))
    assert not engine.lint(discover([str(tmp_path)], config).files, config).problems
    assert handed and len(handed) == len(set(map(id, handed)))


@pytest.mark.parametrize(
    ("given", "is_evaluated"),
    [
        ("Tensor(manager.get_loss_scale(), ms.float32)", False),
        ("initializer('normal', shape)", False),
        ("Tensor(np.load(path))", False),
        ("Tensor(np.zeros((64, 100)))", True),
        ("initializer('normal', [64, 100])", True),
        ("Tensor(np.random.randn(64, 100))", True),
    ],
)
def test_a_weight_whose_axes_do_not_stand_there_is_not_evaluated(
    given: str, is_evaluated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imports = "import numpy as np\nimport mindspore as ms\nfrom mindspore import Parameter, Tensor\n"
    more = "from mindspore.common.initializer import initializer\n"
    write(tmp_path, {"train.py": f"{imports}{more}def weight(manager, shape, path):\n    return Parameter({given})\n"})
    program = Program(Project(Disk()), str(tmp_path / "train.py"), Target((0,), ()))
    (call,) = program.calls(layers.PARAMETER)
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, Queries, "_answer", "evaluated")
    assert bool(layers.weight(call)) is is_evaluated
    assert bool(counts["evaluated"]) is is_evaluated


RESIDUAL = """
from mindspore import nn, ops

class Block(nn.Cell):
    def __init__(self, width, inner):
        super().__init__()
        self.inner = nn.Dense(width, inner)
        self.back = nn.Dense(inner, width)

    def construct(self, x):
        return x + self.back(ops.relu(self.inner(x)))

class Net(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Dense(64, width)
        self.blocks = nn.SequentialCell([Block(width, 4 * 128) for _ in range(6)])
        self.one = Block(width, 256)
        self.two = Block(width, 512)
        self.last = nn.Dense(width, 16)

    def construct(self, x):
        return self.last(self.two(self.blocks(self.one(self.first(x)))))
"""
MAKING = "from src.residual import Net\n\ndef make(width):\n    return Net(40)\n"


def test_what_feeds_what_is_found_once_and_again_only_where_something_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = SCRIPT.format(imports="from src.making import make")
    library = {"src/__init__.py": "", "src/residual.py": RESIDUAL, "src/making.py": MAKING}
    write(tmp_path, {**library, **{f"train_{at}.py": script for at in range(5)}})
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, data_flow._Solver, "solve", "flows")
    count(monkeypatch, counts, data_flow._Solver, "_find", "found")
    nodes: set[int] = set()
    find = data_flow._Solver._expression

    def counted(self: data_flow._Solver, node: ast.expr, scope: Scope) -> Any:
        nodes.add(id(node))
        return find(self, node, scope)

    monkeypatch.setattr(data_flow._Solver, "_expression", counted)
    config = Config(str(tmp_path), select=("MSP202",))
    report = engine.lint(discover([str(tmp_path)], config).files, config)
    assert len(report.findings) == 1 and not report.problems
    assert counts["flows"] == 1
    assert counts["found"] <= 3 * len(nodes), (counts, len(nodes))


def test_answers_about_evicted_modules_are_dropped_many_at_once(tmp_path: Path) -> None:
    names = [f"part_{number}.py" for number in range(64)]
    write(tmp_path, dict.fromkeys(names, "import mindspore as ms\n\ndef make():\n    return ms.nn\n"))
    project = Project(Disk())
    resolver = project.names(project.imports.roots(str(tmp_path / names[0])))
    drops, asked = 0, 0
    for name in names:
        module = project.module(str(tmp_path / name))
        assert module is not None
        for scope in module.scopes:
            resolver.loaded(scope)
    for name in names:
        held = resolver.facts
        asked = max(asked, len(held))
        project.evict(str(tmp_path / name))
        drops += resolver.facts is not held
    assert asked > 64 and len(resolver.facts) < 8
    assert 0 < drops < 32


STORES = """
import trainlib
from mindspore import nn

class Trainer(trainlib.Base):
    def __init__(self, net, path):
        super().__init__()
        self.settings = read(path)
        self.optimizer = make(net)

def make(net):
    return nn.SGD(net.trainable_params())

def read(path):
    return open(path)
"""


def test_what_stores_no_optimizer_is_not_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"train.py": STORES})
    program = Program(Project(Disk()), str(tmp_path / "train.py"), Target((0,), ()))
    asked: list[str] = []
    value = Program.value

    def noted(self: Program, node: ast.expr, scope: Scope) -> Any:
        asked.append(ast.unparse(node))
        return value(self, node, scope)

    monkeypatch.setattr(Program, "value", noted)
    assert [ast.unparse(each.node) for each in optimizers.storing_optimizers(program)] == ["trainlib.Base"]
    assert "make(net)" in asked and "read(path)" not in asked


MADE_TWICE = """
import config
from mindspore import nn

class Net(nn.Cell):
    def __init__(self, width, inner):
        super().__init__()
        self.first = nn.Dense(width, {inner})
        self.last = nn.Dense({inner}, width)

    def construct(self, x):
        return self.last(self.first(x))

def make(width):
    return nn.SequentialCell(Net(config.width, {one}), Net(config.width, {other}))
"""


@pytest.mark.parametrize(
    ("inner", "one", "other", "flows"),
    [
        ("inner", "config.inner", "config.inner", 0),
        ("inner", "256", "config.inner", 0),
        ("4 * inner", "64", "config.inner", 0),
        ("inner", "40", "config.inner", 1),
        ("4 * inner", "20", "config.inner", 1),
        ("inner", "128 if config.wide else 40", "config.inner", 1),
    ],
)
def test_what_feeds_what_is_not_asked_for_a_width_that_no_call_shows(
    inner: str, one: str, other: str, flows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = MADE_TWICE.format(inner=inner, one=one, other=other)
    script = SCRIPT.format(imports="from src.making import make")
    write(tmp_path, {"train.py": script, "src/__init__.py": "", "src/making.py": network})
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, data_flow._Solver, "solve", "flows")
    config = Config(str(tmp_path), select=("MSP202",))
    assert not engine.lint(discover([str(tmp_path)], config).files, config).problems
    assert counts["flows"] == flows


@pytest.mark.parametrize(
    ("wanted", "is_evaluated"),
    [
        ("np.ndarray", False),
        ("(tuple, np.ndarray)", False),
        ("(list, unknown)", False),
        ("tuple", True),
        ("Tensor", True),
        ("Own", True),
    ],
)
@pytest.mark.parametrize("refused", ["not isinstance(data, {})", "not (isinstance(data, {}))"])
def test_what_is_no_instance_of_a_class_of_another_library_is_not_asked(
    refused: str, wanted: str, is_evaluated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = "import numpy as np\nfrom mindspore import Tensor\nclass Own: ...\ndef load(at):\n    return [at]\n"
    check = f"def check(data):\n    if {refused.format(wanted)}:\n        raise TypeError\n    return np.copy(data)\n"
    write(tmp_path, {"train.py": head + check + "".join(f"check(load({at}))\n" for at in range(9))})
    program = Program(Project(Disk()), str(tmp_path / "train.py"), Target((0,), ()))
    (copied,) = program.sites("copy")
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, parameters, "arguments", "passed")
    program.evaluator.may_run(copied)
    assert bool(counts["passed"]) is is_evaluated


CUT = """
import argparse
import numpy as np

def cut(lines, settings):
    order = np.arange(9)
    for {over}:
        lines[key] = settings[key]

def shown(bar):
    bar.update({given})

parser = argparse.ArgumentParser()
parser.add_argument("--fuse", type=int, default=1)
args = parser.parse_args()
cut(open("lines"), dict(fuse=2))
shown(open("bar"))
print(args.fuse)
"""


@pytest.mark.parametrize(
    ("over", "given", "asked"),
    [
        ("key in range(9)", "", set()),
        ("key in np.arange(9)", "'text'", set()),
        ("key in order", "", set()),
        ("key, line in enumerate(lines)", "", set()),
        ("key, line in tqdm(enumerate(lines))", "", set()),
        ("key, line in zip(range(9), lines)", "", set()),
        ("key in reversed(range(9))", "", set()),
        ("key in settings", "", {"lines"}),
        ("key, line in zip(settings, lines)", "", {"lines"}),
        ("key in sorted(settings)", "", {"lines"}),
        ("key, value in tqdm(settings.items())", "", {"lines"}),
        ("key in settings.keys()", "settings", {"lines", "bar"}),
        ("key in range(9)", "fuse=2", {"bar"}),
    ],
)
def test_what_fills_an_array_or_counts_is_no_update_of_settings(
    over: str, given: str, asked: set[str], tmp_path: Path
) -> None:
    write(tmp_path, {"train.py": CUT.format(over=over, given=given)})
    program = Program(Project(Disk()), str(tmp_path / "train.py"), Target((0,), ()))
    (module,) = program.modules
    site = module.by_word["print"][-1]
    assert isinstance(site.node, ast.Call)
    assert program.value(site.node.args[0], site.scope).constants == (1,)
    receivers = (key[1] for key in program.queries.memo if isinstance(key, tuple) and isinstance(key[-1], Update))
    names = {update.receiver.id for update in receivers if isinstance(update.receiver, ast.Name)}
    assert names == asked


LEARNER = """
import mindspore as ms
from mindspore import nn

class Learner:
    def __init__(self, actor, critic, rate):
        {layer}
        self.actor_train = nn.TrainOneStepCell(actor, nn.Adam(actor.trainable_params(), rate))
        self.critic_train = nn.TrainOneStepCell(critic, nn.Adam(critic.trainable_params(), rate))

    {steps}
"""
TOGETHER = "def learn(self, x):\n        return self.actor_train(x), self.critic_train(x)"
APART = """def learn(self, x):
        return self.judge(x), self.actor_train(x)

    def judge(self, x):
        return self.critic_train(x)"""
LEARNS = """
import json
import mindspore as ms
from kit.learner import Learner

ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
given = json.load(open("params.json"))
learner = Learner(given["actor"], given["critic"], 0.1)
for batch in given["data"]:
    learner.learn(batch)
"""


@pytest.mark.parametrize(
    ("layer", "steps", "lines", "orders"),
    [
        ("half = ms.float16", APART, [], 0),
        ("actor, critic = nn.Dense(64, 64), nn.Dense(64, 32)", TOGETHER, [8], 0),  # the steps of one function
        ("actor, critic = nn.Dense(64, 64), nn.Dense(64, 32)", APART, [8], 1),
    ],
)
def test_which_training_runs_first_is_asked_where_functions_compete_that_have_matmul(
    layer: str, steps: str, lines: list[int], orders: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"setup.py": "", "kit/__init__.py": "", "kit/learner.py": LEARNER.format(layer=layer, steps=steps)}
    write(tmp_path, {**files, "train.py": LEARNS})
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, run_order.Order, "__init__", "ordered")
    config = Config(str(tmp_path), select=("MSP201",))
    report = engine.lint([str(tmp_path / "train.py"), str(tmp_path / "kit/learner.py")], config)
    assert not report.problems
    found = [(finding.code, finding.place.line) for finding in report.findings if finding.code]
    assert found == [("MSP201", line) for line in lines]
    assert counts["ordered"] == orders


SHARED = """import mindspore as ms
from mindspore import nn
{modes}
ms.reset_auto_parallel_context()
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
ms.Model(nn.Dense(64, 64), nn.MSELoss(), nn.Momentum([], 0.1, 0.9)).train(3, [])
"""
PYNATIVE, GRAPH = (f"ms.set_context(mode=ms.{mode}_MODE)" for mode in ("PYNATIVE", "GRAPH"))


@pytest.mark.parametrize(
    ("modes", "codes", "orders"),
    [
        (GRAPH, ["MSP601"], 0),
        (f"{GRAPH}; {GRAPH}", ["MSP601"], 0),
        (f"{PYNATIVE}; {GRAPH}", ["MSP601"], 1),
        (f"{GRAPH}; {PYNATIVE}", [], 1),
    ],
)
def test_the_execution_order_is_asked_where_it_makes_a_difference(
    modes: str, codes: list[str], orders: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"train.py": SHARED.format(modes=modes)})
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, run_order.Order, "__init__", "ordered")
    report = engine.lint([str(tmp_path / "train.py")], Config(str(tmp_path), select=("MSP601",)))
    assert [finding.code for finding in report.findings if finding.code] == codes
    assert counts["ordered"] == orders


@pytest.mark.parametrize(
    ("before", "after", "entered"),
    [
        ("", "", 1),
        ("prepare()", "", 3),  # with `inner`
        ("", "prepare()", 1),
        ("", "prepare(); inner()", 1),
        ("inner()", "prepare()", 2),
        ("if False: prepare()", "", 1),
    ],
)
def test_the_execution_order_is_followed_as_far_as_it_is_asked_for(
    before: str, after: str, entered: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = "def inner():\n    print(1)\n\n\ndef prepare():\n    inner()\n\n\n"
    script = f"{functions}{SHARED.format(modes=f'{PYNATIVE}; {GRAPH}')}{after}\n"
    write(tmp_path, {"train.py": script.replace("ms.reset_auto", f"{before}\nms.reset_auto", 1)})
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, run_order.Order, "_runs", "entered")
    report = engine.lint([str(tmp_path / "train.py")], Config(str(tmp_path), select=("MSP601",)))
    assert [finding.code for finding in report.findings if finding.code] == ["MSP601"]
    assert counts["entered"] == entered


def test_what_stands_in_one_file_is_found_once_for_all_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = calls_of_a_package(6)
    old = "\ndef grown(x):\n    return nn.ResizeBilinear()(x)\n"
    write(tmp_path, {**files, "kit/widths.py": files["kit/widths.py"] + old})
    seen: Counter[str] = Counter()
    work = target._calls_in

    def counted(module: SemanticIndex, *arguments: Any) -> Any:
        seen[module.path] += 1
        return work(module, *arguments)

    monkeypatch.setattr(target, "_calls_in", counted)
    config = Config(str(tmp_path), select=("ALL",))
    assert not engine.lint(discover([str(tmp_path)], config).files, config).problems
    assert seen == {str(tmp_path / "kit/widths.py"): 1}


def test_scripts_with_a_search_path_are_followed_only_where_it_may_lead_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "setup.py": "",
        "kit/__init__.py": "import kit.paths\n",
        "kit/paths.py": "import sys\nsys.path.append('lib')",
    }
    files.update((f"kit/part_{number}.py", "import kit\n") for number in range(LAYERS))
    files.update((f"tools/run_{number}.py", f"import kit.part_{number}\nimport sys\n") for number in range(LAYERS))
    write(tmp_path, files)
    counts: Counter[str] = Counter()
    count(monkeypatch, counts, Imports, "_closed", "closures")
    Project(Disk()).programs(str(tmp_path / "kit" / "part_3.py"))
    assert 0 < counts["closures"] <= 2
