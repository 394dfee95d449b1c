"""Where the literal stands that a fix changes: in the call that passes it, or in the call of MindSpore."""

from __future__ import annotations

from pathlib import Path

import pytest
from front import run
from programs import Program, join

START = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import nn
    from mindspore.train import Model


    def make(level="O2"):
        net = nn.SequentialCell(nn.Dense(784, 512), nn.ReLU(), nn.Dense(512, 10))
        return Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9), amp_level=level)

    """
GRAPH = "ms.set_context(mode=ms.GRAPH_MODE)\n"
DATA = 'data = ds.MindDataset("train.mindrecord").batch(32, drop_remainder=True)\n'
FIT = "def fit(data, sink):\n    make().train(3, data, dataset_sink_mode=sink)\n\n\n"
SETUP = "def setup(mode, device):\n    ms.set_context(mode=mode, device_target=device)\n\n\n"
TRAIN = "make().train(3, data, dataset_sink_mode=True)\n"

# The rule, the program, and the lines that its fix writes
CASES = {
    "by position": ("MSP102", GRAPH + FIT + DATA + "fit(data, False)\n", ["fit(data, True)"]),
    "by keyword": ("MSP102", GRAPH + FIT + DATA + "fit(data, sink=False)\n", ["fit(data, sink=True)"]),
    "by each caller": (
        "MSP102",
        GRAPH + FIT + DATA + "fit(data, False)\nfit(data, sink=False)\n",
        ["fit(data, True)", "fit(data, sink=True)"],
    ),
    "through a function": (
        "MSP102",
        GRAPH + FIT + "def run(data, sink):\n    fit(data, sink)\n\n\n" + DATA + "run(data, False)\n",
        ["run(data, True)"],
    ),
    "through a name": ("MSP102", GRAPH + FIT + DATA + "off = False\nfit(data, off)\n", ["off = True"]),
    "in a display": ("MSP102", GRAPH + FIT + DATA + "fit(*(data, False))\n", ["fit(*(data, True))"]),
    "by partial": (
        "MSP102",
        "import functools\n\n" + GRAPH + FIT + DATA + "functools.partial(fit, data, False)()\n",
        ["functools.partial(fit, data, True)()"],
    ),
    "of a method": (
        "MSP102",
        GRAPH
        + "class Trainer:\n    def fit(self, data, sink):\n        make().train(3, data, dataset_sink_mode=sink)\n\n\n"
        + DATA
        + "Trainer().fit(data, False)\n",
        ["Trainer().fit(data, True)"],
    ),
    "of a constructor": (
        "MSP201",
        GRAPH
        + "class Trainer:\n    def __init__(self, level):\n        self.model = make(level)\n\n\n"
        + DATA
        + 'Trainer("O0").model.train(3, data, dataset_sink_mode=True)\n',
        ['Trainer("O2").model.train(3, data, dataset_sink_mode=True)'],
    ),
    "of a mode": (
        "MSP101",
        SETUP + DATA + 'setup(ms.PYNATIVE_MODE, "Ascend")\n' + TRAIN,
        ['setup(ms.GRAPH_MODE, "Ascend")'],
    ),
    "of a mode by number": (
        "MSP101",
        SETUP + DATA + 'setup(device="GPU", mode=1)\n' + TRAIN,
        ['setup(device="GPU", mode=0)'],
    ),
    "of a level": ("MSP201", GRAPH + DATA + 'make("O0").train(3, data)\n', ['make("O2").train(3, data)']),
    # in the call of MindSpore: the literal decides more than that, or there are others
    "read twice": (
        "MSP102",
        GRAPH + FIT.replace("    make", "    print(sink)\n    make") + DATA + "fit(data, False)\n",
        ["    make().train(3, data, dataset_sink_mode=True)"],
    ),
    "a name that is read twice": (
        "MSP102",
        GRAPH + FIT + DATA + "off = False\nprint(off)\nfit(data, off)\n",
        ["    make().train(3, data, dataset_sink_mode=True)"],
    ),
    "bound again": (
        "MSP102",
        GRAPH + FIT.replace("    make", "    sink = bool(sink)\n    make") + DATA + "fit(data, False)\n",
        ["    make().train(3, data, dataset_sink_mode=True)"],
    ),
    "from an expression": (
        "MSP102",
        GRAPH + FIT + DATA + "fit(data, not True)\n",
        ["    make().train(3, data, dataset_sink_mode=True)"],
    ),
    "out of a display with a name": (
        "MSP102",
        GRAPH + FIT + DATA + "given = (data, False)\nprint(given)\nfit(*given)\n",
        ["    make().train(3, data, dataset_sink_mode=True)"],
    ),
    "for two functions": (
        "MSP102",
        GRAPH
        + FIT
        + "def show(data, sink):\n    print(sink)\n\n\n"
        + DATA
        + "for each in (fit, show):\n    each(data, False)\n",
        ["    make().train(3, data, dataset_sink_mode=True)"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_fix_changes(name: str) -> None:
    code, text, lines = CASES[name]
    program = Program({"train.py": join(START, text)})
    assert _written(program, code) == {"train.py": lines}


SHARED = join(START) + SETUP + FIT
SCRIPT = "from shared import fit, setup, ds, ms\n\n" + DATA + 'setup({}, "Ascend")\nfit(data, {})\n'


def test_each_script_passes_its_own() -> None:
    """A shared function is left as it is: a script that passes something else keeps it, too."""
    scripts = {"a.py": ("ms.GRAPH_MODE", "False"), "b.py": ("0", "sink=False"), "c.py": ("0", "True")}
    program = Program({"shared.py": SHARED, **{name: SCRIPT.format(*each) for name, each in scripts.items()}})
    assert _written(program, "MSP102") == {"a.py": ["fit(data, True)"], "b.py": ["fit(data, sink=True)"]}


def test_the_changed_files_are_named(tmp_path: Path) -> None:
    scripts = {"a.py": SCRIPT.format(0, "False"), "b.py": SCRIPT.format(0, "False")}
    for name, text in {"shared.py": SHARED, **scripts}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    ran = run("--isolated", "--select", "MSP102", "--fix", ".", cwd=tmp_path)
    assert ran.out == "Fixed a.py: MSP102\nFixed b.py: MSP102\nFound 1 finding (1 fixed, 0 remaining).\n"
    assert (tmp_path / "shared.py").read_text(encoding="utf-8") == SHARED


def test_scripts_that_need_different_edits_of_one_file_get_none() -> None:
    """One of them passes what is computed: it would need an edit of the shared function, that of the other none."""
    shared = SHARED + "def off():\n    return False\n\n\ndef run(data):\n    fit(data, False)\n"
    run = SCRIPT.replace("fit(data", "shared.run(data").replace("from", "import shared\nfrom")
    program = Program(
        {"shared.py": shared, "a.py": run.replace(", {})", ")").format(0), "b.py": SCRIPT.format(0, "sink=not True")}
    )
    assert _written(program, "MSP102") == {}


def _written(program: Program, code: str) -> dict[str, list[str]]:
    """Return the lines that the fixes of a rule write, by file; a second run fixes nothing."""
    settled = program.fix(code)
    assert not settled.problems, settled.problems
    return {
        change.path.rpartition("/")[2]: [
            line
            for line, old in zip(change.after.decode().splitlines(), change.before.decode().splitlines())
            if line != old
        ]
        for change in settled.changes
    }
