"""Which programs a file is judged in: each that reaches it, however it is started and wherever its script stands."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Mapping

import pytest

from ms_perflint.config.settings import Config
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.core.reports import Report
from ms_perflint.core.source import PYTHON
from ms_perflint.discovery import grouped
from ms_perflint.engine import lint
from ms_perflint.infer import queries
from ms_perflint.linting.linter import Linter

ROOT = os.path.join(os.sep, "home", "me", "project")
START = """
import mindspore as ms

def start(mode=ms.PYNATIVE_MODE):
    ms.set_context(mode=mode)
"""
TRAINER = """
from mindspore import nn
from mindspore.train import Model

def run(net=None, data=None):
    Model(net, nn.MSELoss(), nn.Adam([])).train(10, data)
"""
KIT = {"kit/__init__.py": "", "kit/start.py": START, "kit/trainer.py": TRAINER}
SCRIPT = "from kit import start, trainer\nstart.start()\ntrainer.run()\n"
GUARDED = "from kit import start, trainer\nif __name__ == '__main__':\n    start.start()\n    trainer.run()\n"
IDLE = "from kit import start\nif __name__ == '__main__':\n    start.start()\n"
COMMAND = "from kit import start, trainer\ndef main():\n    start.start()\n    trainer.run()\n"
LOADING = SCRIPT.replace(
    "from kit import start, trainer", "import importlib as i\nstart = i.import_module('kit.start')"
)
NOTEBOOK = json.dumps(
    {"cells": [{"cell_type": "code", "source": SCRIPT, "metadata": {}, "outputs": []}], "metadata": {}, "nbformat": 4}
)
TREES: dict[str, Mapping[str, str]] = {
    "a script": {"run.py": SCRIPT},
    "a script with a guard": {"run.py": GUARDED},
    "a script deep in other folders": {"work/a/b/c/d/run.py": SCRIPT, "work/run.py": IDLE},
    "a package that is started": {"app/__init__.py": "", "app/__main__.py": SCRIPT},
    "a command that is installed": {
        "pyproject.toml": "[project.scripts]\napp = 'app.cli:main'\n",
        "app/__init__.py": "from app.cli import main\n",
        "app/cli.py": COMMAND,
    },
    "a command of setup.py": {
        "setup.py": "setup(entry_points={'console_scripts': ['app=app.cli:main']})\n",
        "app/__init__.py": "from app.cli import main\n",
        "app/cli.py": COMMAND,
    },
    "a notebook": {"notebooks/run.ipynb": NOTEBOOK},
    "a launcher": {"app/__init__.py": "", "app/train.py": SCRIPT, "run.sh": "python -m app.train\n"},
    "a module that is loaded by its name": {"run.py": "import kit.trainer as trainer\n" + LOADING},
    "the last of many": {**{f"tools/idle_{n:02}.py": IDLE for n in range(40)}, "tools/run.py": GUARDED},
    "beside a module that starts itself": {"kit/check.py": IDLE, "tools/run.py": GUARDED},
}


def contents(tree: Mapping[str, str]) -> dict[str, bytes]:
    return {os.path.join(ROOT, *name.split("/")): text.encode() for name, text in tree.items()}


def checked(tree: Mapping[str, str], *names: str) -> Report:
    """Return the report on some files of a tree; on all of them if none is named."""
    files = Overlay(Nowhere(), contents(tree))
    paths = [os.path.join(ROOT, *name.split("/")) for name in names or tree if name.endswith(PYTHON)]
    return lint(paths, Config(ROOT), files)


def places(report: Report) -> list[tuple[str, int, str]]:
    found = ((each.place.path, each.place.row, each.code) for each in report.findings)
    return [(os.path.relpath(path, ROOT).replace(os.sep, "/"), row, code) for path, row, code in found]


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())
def test_a_program_is_asked_however_it_is_started(tree: Mapping[str, str]) -> None:
    found = [row for row in places(checked({**KIT, **tree}, "kit/start.py")) if row[2] == "MSP101"]
    assert len(found) == 1


def test_without_such_a_program_there_is_no_finding() -> None:
    assert places(checked({**KIT, "run.py": IDLE}, "kit/start.py")) == []


def test_a_script_that_does_not_name_mindspore_is_judged_too() -> None:
    trains = {"run.py": SCRIPT.replace("start.start()\n", ""), "kit/__init__.py": "", "kit/trainer.py": TRAINER}
    assert [row for row in places(checked({**KIT, **trains})) if row[0] == "run.py"] == [("run.py", 2, "MSP101")]


def trees() -> Iterator[Mapping[str, str]]:
    """Yield projects of scripts and modules that import one another at random."""
    for seed in range(12):
        draw = random.Random(seed)
        modules = [f"kit/m{number}.py" for number in range(6)]
        tree = dict(KIT)
        for name in modules:
            used = draw.sample(["start", "trainer", *(each[4:-3] for each in modules)], 3)
            calls = "".join(f"    {each}.go()\n" for each in used if each[0] == "m")
            start = "    start.start()\n" if "start" in used else ""
            run = "    trainer.run()\n" if "trainer" in used else ""
            tree[name] = f"from kit import {', '.join(used)}\ndef go():\n    pass\n{start}{run}{calls}"
        for number in range(draw.randrange(1, 25)):
            folder = draw.choice(["", "tools/", "examples/a/", "examples/a/b/c/", "kit/"])
            used = draw.sample([each[4:-3] for each in modules], 2)
            guard = draw.choice(["if True:\n", "if __name__ == '__main__':\n", "def main():\n"])
            calls = "".join(f"    {each}.go()\n" for each in used)
            tree[f"{folder}s{number}.py"] = f"from kit import {', '.join(used)}\n{guard}{calls}"
        yield tree


@pytest.mark.parametrize("tree", list(trees()))
def test_a_check_reports_what_each_program_reports(tree: Mapping[str, str]) -> None:
    """And the findings of a file are the same, whatever other files are given."""
    report = checked(tree)
    told = set(places(report))
    linter = Linter(Config(ROOT), Overlay(Nowhere(), contents(tree)))
    for entry in map(str, contents(tree)):
        if linter.project.entries.is_entry(entry):
            shown = [finding for finding, is_hidden in linter.of_program(entry) if not is_hidden]
            assert set(places(Report(tuple(shown), (), ()))) <= told, entry
    for name in tree:
        assert places(checked(tree, name)) == [row for row in places(report) if row[0] == name]
    assert list(report.findings) == sorted(report.findings)
    assert report.files == tuple(sorted(contents(tree), key=grouped))


def test_what_a_budget_leaves_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """And does not depend on the other files that the same program was asked about."""
    assert checked({**KIT, "run.py": SCRIPT}).unjudged == ()
    monkeypatch.setattr(queries, "BUDGET", 6)
    report = checked({**KIT, "run.py": SCRIPT})
    (left,) = [each for each in report.unjudged if each.entry == os.path.join(ROOT, "run.py")]
    assert "MSP101" in left.codes and "the budget of 200,000 evaluations was spent in " in left.reason
    for name in (*KIT, "run.py"):
        assert places(checked({**KIT, "run.py": SCRIPT}, name)) == [row for row in places(report) if row[0] == name]
