"""Where a bound leaves something out, the program says so; else there is no bound."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from examples import examples
from programs import ROOT, analysed

import ms_perflint
from ms_perflint import pages
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.engine import lint
from ms_perflint.infer import queries
from ms_perflint.pages import Example
from ms_perflint.program.program import Program
from ms_perflint.training import conditions, followed, mode, sources, step_loops
from ms_perflint.training.graph_mode import compiled
from ms_perflint.training.networks import feeds, known_networks, signals
from ms_perflint.training.training_steps import is_step_class

DEEP = 120


def test_the_execution_order_goes_into_any_depth() -> None:
    imports = {f"m{n}.py": f"import m{n + 1}\n" for n in range(DEEP)}
    calls = "".join(f"def f{n}():\n    f{n + 1}()\n\n\n" for n in range(DEEP))
    text = f"import m0\n{calls}def f{DEEP}():\n    last()\n\n\nf0()\nlater()\n"
    program = analysed({"train.py": text, **imports, f"m{DEEP}.py": "import mindspore as ms\nms.set_context(mode=0)\n"})
    order = [program.position(site) for word in ("set_context", "last", "later") for site in program.sites(word)]
    assert len(order) == 3 and None not in order and order == sorted(order, key=lambda at: at or 0)


def test_a_call_that_may_enter_many_functions_enters_those_that_it_is_known_to() -> None:
    classes = "".join(f"class C{n}:\n    def run(self):\n        c{n}()\n\n\n" for n in range(8))
    text = f"import mindspore\n\n{classes}def go(each):\n    each.run()\n\n\ngo(C5())\nlater()\n"
    program = analysed({"train.py": text})
    (run,), (later,), (site,) = (program.sites(word) for word in ("run", "later", "c5"))
    assert [each.parent.name for each in program.callees(run) if each.parent is not None] == ["C5"]
    positions = [program.position(each) for each in (run, site, later)]
    assert None not in positions and positions == sorted(positions, key=lambda at: at or 0)


def test_a_path_of_many_pieces_is_known() -> None:
    steps = "".join(f"p{n + 1} = os.path.join(p{n}, '..', 'd{n}')\n" for n in range(60))
    start = "import os, sys\nimport mindspore\np0 = os.path.join(os.path.dirname(__file__), 'd')\n"
    text = f"{start}{steps}sys.path.append(p60)\nimport far\nfar.go()\n"
    program = analysed({"train.py": text, "d59/far.py": "import mindspore\n\n\ndef go():\n    there()\n"})
    assert len(program.sites("there")) == 1


KIT = "NETS = {}\n\n\ndef register(function):\n    NETS[function.__name__] = function\n    return function\n"


def registering(count: int, size: int, train: str, **more: str) -> dict[str, str]:
    """Return a program whose table gets its entries from so many files, each of so many bytes."""
    padding = "#" * size + "\n"
    files = {
        f"kit/n{n}.py": f"from kit.registry import register\n\n\n@register\ndef n{n}():\n    made{n}()\n{padding}"
        for n in range(count)
    }
    names = ", ".join(f"n{n}" for n in range(count))
    init = {"kit/__init__.py": f"from kit import {names}\n", "kit/registry.py": KIT}
    return {"train.py": f"import mindspore\nfrom kit import registry\n{train}", **init, **files, **more}


def entries(files: dict[str, str]) -> list[int]:
    """Return which entries of the table run."""
    program = analysed(files)
    return [n for n in range(40) if program.sites(f"made{n}")]


BY_OPTION = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--net", default={})
args = parser.parse_args()
registry.NETS[args.net]()
"""
BY_FILE = """
import yaml
with open("configs/net.yaml") as file:
    registry.NETS[yaml.safe_load(file)["net"]]()
"""
ASKED = [
    ("registry.NETS['n3']()\n", {}, [3]),
    ("registry.NETS[name]()\n", {}, []),
    (BY_OPTION.format("'n5'"), {}, [5]),
    (BY_OPTION.format("None"), {"run.sh": "python train.py --net n7\n"}, [7]),
    (BY_FILE, {"configs/net.yaml": "net: n9\n"}, [9]),
    (BY_FILE, {"configs/net.yaml": "_base_: base.yaml\n", "configs/base.yaml": "net: n8\n"}, [8]),
    ("import yaml\nregistry.NETS[yaml.safe_load('net.yaml')['net'].lower()]()\n", {"net.yaml": "net: N6\n"}, [6]),
]


@pytest.mark.parametrize("count", [2, 17, 40])
def test_all_entries_of_a_table_may_run(count: int) -> None:
    files = registering(count, 0, "registry.NETS['n0']()\n")
    assert entries(files) == list(range(count))
    assert analysed(files).left_out is None


@pytest.mark.parametrize(("train", "more", "expected"), ASKED)
def test_of_a_large_table_those_entries_run_that_are_asked_for(
    train: str, more: dict[str, str], expected: list[int]
) -> None:
    files = registering(30, 40_000, train, **more)
    assert entries(files) == expected
    program = analysed(files)
    assert program.is_whole
    said = None if expected else "code is registered in 30 files, and it is not known which of it runs"
    assert program.left_out == said


def chains(count: int) -> Program:
    calls = "".join(f"if x.y{n}:\n    f()\n" for n in range(count))
    return analysed({"train.py": f"import mindspore\n\n\ndef f():\n    a()\n\n\n{calls}"})


def test_chains_of_calls_that_are_not_followed_are_said() -> None:
    for count, reason in ((100, None), (101, "more than 100 chains of calls lead to train.py:5")):
        program = chains(count)
        (site,) = program.sites("a")
        assert len(conditions.path_conditions(program, site)) == 100
        assert program.left_out == reason


def test_settings_that_are_not_compared_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode, "MANY", 8)
    for count, reason in ((8, None), (9, "more than 8 calls set the mode")):
        calls = "".join(f"if x.y{n}:\n    ms.set_context(mode=0)\n" for n in range(count))
        program = analysed({"train.py": f"import mindspore as ms\n{calls}"})
        mode.default_mode(program)
        assert program.left_out == reason


def test_layers_that_are_not_told_apart_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (signals, feeds):
        monkeypatch.setattr(name, "SOURCES", 8)
    for count, reason in ((8, None), (9, "more than 8 layers may feed train.py:17")):
        layers = "".join(f"        self.l{n} = nn.Dense(8, 8)\n" for n in range(count))
        calls = ", ".join(f"self.l{n}(x)" for n in range(count))
        text = f"from mindspore import nn\n\n\nclass Net(nn.Cell):\n    def __init__(self):\n{layers}\n"
        text += f"    def construct(self, x):\n        y = [{calls}]\n        return self.l0(y)\n"
        program = analysed({"train.py": text})
        feeds.feeds(program, program.modules[0])
        assert program.left_out == reason


def test_compiled_functions_that_are_not_looked_at_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MANY", 8)
    for count, reason in ((7, None), (8, "graph mode compiles more than 8 functions")):
        functions = "".join(f"def f{n}(x):\n    return x\n\n\n" for n in range(count))
        calls = " + ".join(f"f{n}(x)" for n in range(count))
        cell = f"class Net(nn.Cell):\n    def construct(self, x):\n        return {calls}\n\n\n"
        text = (
            f"import mindspore as ms\nfrom mindspore import nn\n\n\n{functions}{cell}ms.Model(Net()).train(1, data)\n"
        )
        program = analysed({"train.py": text})
        assert len(compiled.compiled(program)) == 8
        assert program.left_out == reason


def test_a_launcher_that_is_too_large_is_said() -> None:
    script = "python train.py --mode 1\n"
    train = "import mindspore\n"
    for start, count, reason in (("", 1, None), ("#" * 65_536 + "\n", 0, "run.sh is larger than 64 KB")):
        program = analysed({"train.py": train, "run.sh": f"{start}{script}"})
        assert len(program.commands.starts) == count
        assert program.left_out == reason


def test_a_folder_of_many_modules_is_part_of_the_program() -> None:
    kit = (
        "import importlib, os\n\n"
        "for name in os.listdir(os.path.dirname(__file__)):\n    importlib.import_module(name)\n"
    )
    files = {f"kit/n{n}.py": "import mindspore\n" for n in range(100)}
    program = analysed({"train.py": "import mindspore\nimport kit\n", "kit/__init__.py": kit, **files})
    assert len(program.files) == 102


@pytest.mark.parametrize(("count", "is_open"), [(50, False), (51, True)])
def test_what_a_long_list_of_a_file_holds_is_open(count: int, is_open: bool) -> None:
    train = "import mindspore\nimport yaml\n\nfor each in yaml.safe_load(open('list.yaml'))['sizes']:\n    use(each)\n"
    program = analysed({"train.py": train, "list.yaml": f"sizes: {[n % 7 for n in range(count)]}\n"})
    ((site,),) = (program.sites("use"),)
    assert isinstance(site.node, ast.Call)
    value = program.value(site.node.args[0], site.scope)
    assert value.open is is_open
    assert set(value.constants) == (set() if is_open else set(range(7)))


# --- walks that end where they have been, in any depth

FAR = 30


def chain(count: int, last: str, parameters: str = "") -> str:
    """Return functions of which each calls the next one and, in a circle, the one before it."""
    text = f"def f{count}({parameters}):\n    {last}\n\n\n"
    for n in reversed(range(count)):
        back = f"    if {n} > len('x'):\n        f{max(n - 1, 0)}({parameters})\n"
        text += f"def f{n}({parameters}):\n    f{n + 1}({parameters})\n{back}\n\n"
    return text


def test_the_conditions_of_a_far_call_are_found() -> None:
    text = f"import sys\nimport mindspore\n\n\n{chain(FAR, 'end()')}if sys.argv[1] == 'x':\n    f0()\n"
    program = analysed({"train.py": text})
    (site,) = program.sites("end")
    found = conditions.path_conditions(program, site)
    assert program.left_out is None
    assert any("argv" in condition.text for each in found for condition in each)


def test_chains_that_part_and_meet_again_take_as_long_as_those_that_are_said() -> None:
    levels = "".join(f"def f{n}():\n    f{n + 1}()\n    f{n + 1}()\n\n\n" for n in range(FAR))
    program = analysed({"train.py": f"import mindspore\n\n\n{levels}def f{FAR}():\n    end()\n\n\nf0()\n"})
    (site,) = program.sites("end")
    before = program.evaluator.queries.evaluations
    conditions.path_conditions(program, site)
    assert program.evaluator.queries.evaluations - before < 100 * FAR
    assert program.left_out == f"more than 100 chains of calls lead to train.py:{5 * FAR + 5}"


STEPS = """
import mindspore as ms
from mindspore import nn

net = nn.TrainOneStepCell(nn.WithLossCell(model, loss), optimizer)


{chain}for data in train_set:
    f0(data)
"""


def test_the_loop_around_a_far_step_is_found() -> None:
    program = analysed({"train.py": STEPS.format(chain=chain(FAR, "net(data)", "data"))})
    found = step_loops.step_loops(program)
    assert [ast.unparse(each.site.node) for each in found] == ["f0(data)"]


def test_what_a_source_calls_far_below_is_found() -> None:
    text = f"import mindspore\n\n\nclass Source:\n    pass\n\n\n{chain(FAR, 'end()')}f0()\n"
    program = analysed({"train.py": text})
    (module,) = program.modules
    found = sources._functions(program, module.defined["Source"][0], module.defined["f0"][0])
    assert {each.name for each in found} == {f"f{n}" for n in range(FAR + 1)} and len(found) == FAR + 1


def made_by(outer: str, again: str = "") -> Program:
    """Return a program in which a layer is part of many classes inside one another, of which `outer` is the last."""
    text = "import mindspore\nfrom mindspore import nn\n\n\n"
    text += f"class Part0(nn.Cell):\n    def __init__(self):\n        self.layer = nn.Dense(120, 84)\n{again}\n\n"
    for n in range(1, FAR):
        text += f"class Part{n}(nn.Cell):\n    def __init__(self):\n        self.part = Part{n - 1}()\n\n\n"
    text += f"class {outer}(nn.Cell):\n    def __init__(self):\n        self.part = Part{FAR - 1}()\n\n\n{outer}()\n"
    return analysed({"train.py": text})


@pytest.mark.parametrize("outer, is_one", [("LeNet5", True), ("Another", False)])
@pytest.mark.parametrize("again", ["", "        self.other = Part0()\n"])
def test_a_far_layer_of_a_published_network_is_part_of_it(outer: str, is_one: bool, again: str) -> None:
    program = made_by(outer, again)
    (site,) = program.sites("Dense")
    assert known_networks.is_made_for_published(program, site) is is_one


def test_what_only_makes_itself_is_no_part_of_a_published_network() -> None:
    text = "import mindspore\nfrom mindspore import nn\n\n\ndef one():\n    nn.Dense(120, 84)\n    one()\n\n\none\n"
    program = analysed({"train.py": text})
    (site,) = program.sites("Dense")
    assert not known_networks.is_made_for_published(program, site)


def test_a_cell_around_many_train_cells_is_one() -> None:
    text = "import mindspore\nfrom mindspore import nn\n\n\n"
    text += "class Cell0(nn.TrainOneStepCell):\n    pass\n\n\n"
    for n in range(1, FAR):
        text += f"class Cell{n}(nn.Cell):\n    def __init__(self, net, optimizer):\n        super().__init__()\n"
        text += f"        self.cell = Cell{n - 1}(net, optimizer)\n\n"
        text += "    def construct(self, x):\n        return self.cell(x)\n\n\n"
    program = analysed({"train.py": f"{text}step = Cell{FAR - 1}(net, optimizer)\nstep(data)\n"})
    (module,) = program.modules
    assert is_step_class(program, module.defined[f"Cell{FAR - 1}"][0])


def test_a_value_is_followed_to_its_end() -> None:
    names = "".join(f"x{n + 1} = x{n}\n" for n in range(FAR))
    program = analysed({"train.py": f"import mindspore\nx0 = read()\n{names}use(x{FAR})\n"})
    (site,) = program.sites("use")
    assert isinstance(site.node, ast.Call)
    assert followed.end(program, site.node.args[0], site.scope).code == "read"


# --- all bounds there are: `bounds.txt` says what is beyond each

PACKAGE = Path(ms_perflint.__file__).parent
LAYERS = ("index", "resolve", "infer", "libraries", "program", "training")


def listed() -> dict[tuple[str, str], str]:
    """Return what `bounds.txt` says of each bound, by file and name."""
    text = Path(__file__).with_name("bounds.txt").read_text(encoding="utf-8")
    found: dict[tuple[str, str], str] = {}
    for part in text.split("\n## ")[1:]:
        kind, *lines = part.splitlines()
        for file, *names in map(str.split, filter(None, lines)):
            for name in names:
                assert (file, name) not in found
                found[file, name] = kind
    return found


def constants() -> Iterator[tuple[str, str]]:
    """Yield the numbers that modules name: each may be a bound."""
    for path in sorted(each for layer in LAYERS for each in (PACKAGE / layer).rglob("*.py")):
        for stmt in ast.parse(path.read_text(encoding="utf-8")).body:
            target = stmt.targets[0] if isinstance(stmt, ast.Assign) else None
            if isinstance(stmt, ast.Assign) and isinstance(target, ast.Name) and is_number(stmt.value):
                yield path.relative_to(PACKAGE).as_posix(), target.id


def is_number(node: ast.expr) -> bool:
    """Return whether an expression is a number, or made of numbers and names."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult, ast.LShift)):
        sides = (node.left, node.right)
        return any(map(is_number, sides)) and all(is_number(each) or isinstance(each, ast.Name) for each in sides)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def test_each_bound_is_listed() -> None:
    assert set(constants()) == set(listed())


def test_no_bound_has_no_name() -> None:
    unnamed = rb"\b(?:depth|hops|steps)\b *(?:[<>]=?) *[1-9]|\blen\(seen\) *[<>]=? *[0-9]"
    files = (path for layer in LAYERS for path in (PACKAGE / layer).rglob("*.py"))
    assert {path.name for path in files if re.search(unnamed, path.read_bytes())} <= UNNAMED


UNNAMED = {"callbacks.py", "conversions.py", "host_values.py"}  # open: nothing is said of more than so many operators


def holders(file: str, name: str) -> list[ModuleType]:
    """Return the modules that hold a bound: its own, and those that import it."""
    owner = importlib.import_module(f"ms_perflint.{file[:-3].replace('/', '.')}")
    imports = re.compile(rf"from {re.escape(owner.__name__)} import (?:\([^)]*|[^\n]*)\b{name}\b")
    loaded = [each for key, each in sys.modules.items() if key.startswith("ms_perflint") and name in vars(each)]
    return [each for each in loaded if each is owner or imports.search(Path(str(each.__file__)).read_text("utf-8"))]


def found(example: Example) -> set[tuple[str, str, int]]:
    """Return what is found in an example: file, code and row of each finding."""
    contents = {f"{ROOT}/{name}": text.encode() for name, text in example.files}
    scripts = [path for path in contents if path.endswith(".py")]
    report = lint(scripts, Config(root=ROOT, select=("ALL",)), Overlay(Nowhere(), contents))
    assert not report.problems
    return {(each.place.path, each.code, each.place.row) for each in report.findings}


def test_no_finding_rests_on_an_open_bound() -> None:
    """With each of them at 1 less is known, and nothing is found that is not found otherwise."""
    programs = [each for code in pages.codes() for each in examples(code) if not each.options]
    whole = [found(each) for each in programs]
    with pytest.MonkeyPatch.context() as patched:
        for (file, name), kind in listed().items():
            for module in holders(file, name) if kind == "open" else ():
                patched.setattr(module, name, 1)
        left = [found(each) for each in programs]
    assert all(few <= many for few, many in zip(left, whole))
    assert 0 < sum(map(len, left)) < sum(map(len, whole))


def test_a_parser_has_the_options_of_any_number_of_parents() -> None:
    text = "import argparse\nimport mindspore\np0 = argparse.ArgumentParser()\np0.add_argument('--size', default=7)\n"
    text += "".join(f"p{n + 1} = argparse.ArgumentParser(parents=[p{n}])\n" for n in range(FAR))
    program = analysed({"train.py": f"{text}use(p{FAR}.parse_args().size)\n"})
    (site,) = program.sites("use")
    assert isinstance(site.node, ast.Call)
    assert set(program.value(site.node.args[0], site.scope).constants) == {7}


def constants_of(program: Program, word: str = "use") -> set[object]:
    """Return the constants that the first argument of a call can be."""
    (site,) = program.sites(word)
    assert isinstance(site.node, ast.Call)
    return set(program.value(site.node.args[0], site.scope).constants)


def test_a_list_is_known_that_many_functions_hand_on() -> None:
    calls = "".join(f"def f{n}(held):\n    f{n + 1}(held)\n\n\n" for n in range(FAR))
    text = f"import mindspore\n\n\n{calls}def f{FAR}(held):\n    held.append(7)\n    f0(held)\n\n\n"
    text += "held = []\nf0(held)\nfor each in held:\n    use(each)\n"
    assert constants_of(analysed({"train.py": text})) == {7}


def test_any_number_of_stores_of_a_name_is_known() -> None:
    text = "import mindspore\nfrom easydict import EasyDict\n"
    text += "".join(f"c{n} = EasyDict()\ndef f{n}():\n    c{n}.name = {n}\nf{n}()\n" for n in range(FAR))
    assert constants_of(analysed({"train.py": f"{text}last = c{FAR - 1}\nuse(last.name)\n"})) == {FAR - 1}


def test_any_number_of_updates_is_known() -> None:
    text = "import mindspore\nfrom easydict import EasyDict\n"
    text += "".join(f"c{n} = EasyDict({{'size': 0}})\nc{n}.update({{'size': {n}}})\n" for n in range(50))
    assert constants_of(analysed({"train.py": f"{text}use(c49.size)\n"})) == {49}


def test_any_number_of_documents_of_a_file_is_read() -> None:
    train = "import mindspore\nimport yaml\nuse(list(yaml.safe_load_all(open('c.yaml')))[14]['size'])\n"
    documents = "---\n".join(f"size: {n}\n" for n in range(15))
    assert constants_of(analysed({"train.py": train, "c.yaml": documents})) == {14}


@pytest.mark.parametrize(("members", "is_said"), [(200, False), (5, True)])
def test_values_that_rest_on_too_many_others_are_unknown(
    members: int, is_said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what rests on none of them is known."""
    monkeypatch.setattr(queries, "MEMBERS", members)
    functions = "".join(
        f"def f{n}():\n    if other():\n        return f{(n + 1) % 9}()\n    return 1\n\n\n" for n in range(9)
    )
    calls = "width = 16 * 4\nms.set_context(mode=f3())\nms.Model(width)\n"
    text = f"import mindspore as ms\nfrom lib import other\n\n\n{functions}{calls}"
    program = analysed({"train.py": text})
    (mode_of,), (model,) = program.calls("mindspore.set_context"), program.calls("mindspore.train.Model")
    given = [call.node.keywords[0].value if call.node.keywords else call.node.args[0] for call in (mode_of, model)]
    values = [program.value(node, program.module(program.entry).scope) for node in given]  # type: ignore[union-attr]
    assert [value.constants for value in values] == [() if is_said else (1,), (64,)]
    reason = re.compile("more than 8,000 values depend on one another in train.py(:[0-9]+)?")
    assert bool(program.left_out and reason.fullmatch(str(program.left_out))) is is_said
    assert not program.is_spent
