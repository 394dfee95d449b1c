"""The cache under random changes: the same answers as without it, and no file linted again where nothing counts.

A small project with all that a finding can hang on, in a folder that others share. Steps create, change, remove and
rename what counts and what does not, in the project, beside it, and in the folders that it puts on `sys.path`.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ms_perflint import engine
from ms_perflint.cache.cache import Cache
from ms_perflint.config.settings import Config
from ms_perflint.core import files
from ms_perflint.core.files import Disk
from ms_perflint.core.reports import Report
from ms_perflint.discovery import discover

HOME = "project"  # where the linted project lies, beside what others have
ADDED = """\
import os
import sys
sys.path.append("..")
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "nowhere"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
"""
OPTIONS = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--debug", action="store_true")
parser.add_argument("--net", default="small")
args = parser.parse_args()
"""
CONFIG = """\
import yaml
with open("conf/train.yaml") as file:
    config = yaml.safe_load(file)
"""
PROFILED = """\
from mindspore.profiler import profile, tensorboard_trace_handler
profiler = profile(data_process=True, on_trace_ready=tensorboard_trace_handler())
"""
NETWORK = """\
from mindspore import nn
from .blocks import WIDTH


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(64, WIDTH)
        self.second = nn.Dense(WIDTH, 100)
        self.third = nn.Dense(100, 64)

    def construct(self, x):
        return self.third(self.second(self.first(x)))
"""
BROKEN = "import mindspore\n(\n"


def script(above: str = "", context: str = "mode=ms.GRAPH_MODE", net: str = "nn.Dense(64, 128)") -> str:
    """Return a training."""
    return f"""\
import mindspore as ms
from mindspore import nn
from mindspore.train import Model
{above}
ms.set_context({context})
net = nn.SequentialCell({net})
model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
model.train(10, make(), dataset_sink_mode=True)
"""


def modes(*prefix: str) -> tuple[str, str]:
    """Return modules that say how to train: operator by operator, and as a graph."""
    before = "".join(prefix)
    return f"import mindspore as ms\n{before}MODE = ms.PYNATIVE_MODE\n", f"{before}MODE = 0\n"


def data(autotune: bool) -> str:
    """Return a module that makes a dataset."""
    return f"import mindspore.dataset as ds\nds.config.set_enable_autotune({autotune})\n\n\ndef make():\n    return 1\n"


def started(text: str) -> str:
    """Return a script that does something only when it is started: others of its kind are not found from afar."""
    return text + 'if __name__ == "__main__":\n    print("done")\n'


def notebook(*cells: str) -> str:
    """Return a notebook."""
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": c} for c in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


MAKES = PROFILED + "from src.data import make\n"
BY_OPTION = "mode=ms.PYNATIVE_MODE if args.debug else ms.GRAPH_MODE"
CHOSEN = "import importlib\nmake = importlib.import_module('models.' + args.net).make\n"
# What counts, by path: contents that make a difference to findings; a file that is not there makes one, too.
RELATED: dict[str, tuple[str, ...]] = {
    "project/train.py": (script(ADDED + "from helper import MODE", "mode=MODE"), script(context="mode=1"), BROKEN),
    "project/lib/helper.py": modes(),
    "project/helper.py": modes()[::-1],
    "project/near.py": (script(ADDED + "from neighbour.level import MODE", "mode=MODE"),),
    "neighbour/level.py": modes(),
    "neighbour.py": ("",),
    "project/lib/neighbour/level.py": modes()[::-1],
    "project/space.py": (script("from parts import heads", "mode=heads.MODE"),),
    "project/parts/heads.py": modes(),
    "project/parts/__init__.py": (modes("class heads:\n    ")[1], modes("class heads:\n    ")[0]),
    "project/inner.py": (script("import namespace.inner.sizes as sizes", "mode=sizes.MODE"),),
    "project/namespace/inner/sizes.py": modes(),
    "project/configured.py": (script(CONFIG, 'mode=config["mode"]'),),
    "project/conf/train.yaml": ("mode: 1\n", "mode: 0\n"),
    "project/conf/other.yaml": ("mode: 0\n",),
    "project/launched.py": (script(OPTIONS, BY_OPTION),),
    "project/scripts/run.sh": ("python ../launched.py --debug\n", "python ../launched.py\n"),
    "project/run.sh": ("python launched.py --net large\n", "python launched.py --debug\n"),
    "project/unsaid.py": (script(context='device_target="Ascend"'),),
    "project/requirements.txt": ("mindspore==2.3\n", "mindspore==1.9\n"),
    "project/pyproject.toml": ("", '[project]\ndependencies = ["mindspore==1.8"]\n'),
    "requirements.txt": ("mindspore==1.8.1\n", "mindspore==2.2\n"),
    "project/play.ipynb": (notebook(script()), notebook("!pip install mindspore==1.9", script(context="mode=1"))),
    "project/chosen.py": (script(OPTIONS + PROFILED + CHOSEN),),
    "project/models/small.py": (data(True), data(False)),
    "project/models/large.py": (data(False), data(True)),
    "project/src/__init__.py": ("", "import mindspore.dataset as ds\nds.config.set_enable_autotune(True)\n"),
    "project/src/data.py": (data(True), data(False)),
    "project/src/network.py": (NETWORK, NETWORK.replace("100", "112")),
    "project/src/blocks.py": ("import mindspore\nWIDTH = 100\n", "WIDTH = 128\n"),
    "project/deep.py": (script("from src.network import Net", net="Net()"), script(context="mode=1")),
    "project/wide.py": (
        script("from src.network import Net", "mode=1", "Net()"),
        script("from src.network import Net\nWIDTH = 100", net="Net()"),
        script("from src import blocks\nblocks.WIDTH = 96\nfrom src.network import Net", net="Net()"),
    ),
    "project/tools/start.py": (started(script(MAKES)), script()),
    "project/tools/run/start.py": (started(script(context="mode=1")), started(script("\n" + MAKES))),
    "project/__init__.py": ("",),
    "start.py": (script("from project.src.blocks import WIDTH", net="nn.Dense(WIDTH, 64), nn.Dense(64, WIDTH)"),),
}
# What counts for nothing, whatever else is there.
UNRELATED = (
    "notes.txt",
    "download/data.bin",
    "download/deep/er/still/script.py",
    "project/notes.txt",
    "project/outputs/log.txt",
    "project/outputs/run_1/log.txt",
    "project/empty",
    "project/.venv/lib/module.py",
    "project/docs/guide/notes.md",
    "project/lib/README.md",
    "project/lib/cache/entry",
    "project/src/__pycache__/network.cpython-311.pyc",
    "project/src/notes.md",
    "project/parts/.heads.py.swp",
    "project/tools/README",
    "project/models/weights/small.ckpt",
    "project/conf/data.csv",
)


FILE_ACTS = ("put", "remove", "rename", "link", "folder")
FOLDER_ACTS = ("empty", "gone", "file", "link folder")


class Step(NamedTuple):
    """One change of the disk. A number chooses among contents, or among other paths."""

    act: str
    path: str
    choice: int = 0

    @property
    def other(self) -> str:
        """Return another path that a step speaks of."""
        return sorted(RELATED)[self.choice % len(RELATED)]


class World:
    """A folder with a project. Changes get times of their own, however fast they follow each other."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.clock = 10**18
        (top / ".git").mkdir()  # what lies above is none of its business
        (top / HOME).mkdir()
        self.config = Config(str(top / HOME), exclude=("docs", ".venv"))
        self.cache = Cache(str(top / ".git" / "cache"), [str(top / HOME)], self.config)

    # --- changes

    def take(self, step: Step) -> None:
        """Make a change, where it is one."""
        path, folder, other = self.top / step.path, self.top / os.path.dirname(step.path), self.top / step.other
        if step.path in UNRELATED and not all(map(os.path.isdir, self._shared(step.path))):
            return  # its folder would count
        if step.act == "put":
            self._put(path, step.choice)
        elif step.act == "remove":
            _remove(path)
        elif step.act == "rename" and path.is_file() and other != path:
            self._clear(other)
            path.rename(other)
        elif step.act == "link":  # to something else, which need not be there
            self._clear(path)
            path.symlink_to(other)
        elif step.act == "folder":  # without anything in it
            self._clear(path)
            path.mkdir()
        elif step.act in FOLDER_ACTS and folder not in (self.top, self.top / HOME):
            self._clear(folder)
            if step.act == "empty":
                folder.mkdir()
            elif step.act == "file":
                folder.write_text("")
            elif step.act == "link folder":
                folder.symlink_to(other.parent)
        self._date(path, other)

    def _shared(self, path: str) -> list[str]:
        """Return the folders of a path in which there are files that count."""
        folders = map(str, Path(path).parents)
        return [str(self.top / each) for each in folders if any(other.startswith(f"{each}/") for other in RELATED)]

    def _put(self, path: Path, choice: int) -> None:
        self._clear(path)
        contents = RELATED.get(str(path.relative_to(self.top)), ("one", "two"))
        if path.name == "empty":
            path.mkdir()
        else:
            path.write_text(contents[choice % len(contents)], encoding="utf-8")

    def _clear(self, path: Path) -> None:
        """Make the folder of a path, with nothing of its name in it."""
        for folder in reversed(path.relative_to(self.top).parents):
            if not (self.top / folder).is_dir():
                _remove(self.top / folder)
                (self.top / folder).mkdir()
        _remove(path)

    def _date(self, *paths: Path) -> None:
        """Give what changed a time that nothing else has; what did not keeps its own."""
        self.clock += 1_000_000
        for each in {folder for path in paths for folder in (path, *path.parents)}:
            if os.path.lexists(each) and each.is_relative_to(self.top) and each.lstat().st_mtime_ns > self.clock:
                os.utime(each, ns=(self.clock, self.clock), follow_symlinks=False)

    # --- answers

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that are linted."""
        return discover([str(self.top / HOME)], self.config).files

    def anew(self) -> Report:
        """Return what a run finds that knows nothing."""
        return engine.lint(self.paths, self.config)

    def remembered(self) -> Report:
        """Return what a run with the cache finds, and keep it."""
        memory = self.cache.load()
        report = engine.lint(self.paths, self.config, memory=memory)
        self.cache.save(memory)
        return report

    def check(self, step: Step, before: Report) -> Report:
        """Take a step; check that the cache changes no answer, and that all of it holds where nothing counts."""
        self.take(step)
        if step.path in UNRELATED:
            broken = {problem.path for problem in before.problems}  # of these nothing is kept
            left = set(self.cache.load().recall(self.paths, Disk())[1])
            assert left <= broken, f"{step}: linted again"
        anew = self.anew()
        assert repr(self.remembered()) == repr(anew), f"{step}: another answer"
        assert step.path not in UNRELATED or repr(anew) == repr(before), f"{step}: counts"
        return anew


def _remove(path: Path) -> None:
    """Remove a file, a link, or a folder with all that is in it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()


@contextmanager
def world(state: Mapping[str, int]) -> Iterator[World]:
    """Give a world in which there is a version of some files that count."""
    with tempfile.TemporaryDirectory() as folder:
        made = World(Path(folder).resolve())
        for path, choice in state.items():
            made.take(Step("put", path, choice))
        yield made


@contextmanager
def time_tells(at_once: bool) -> Iterator[None]:
    """Let the time of a file tell that it is unchanged; if not, only its content does, as of files just written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "SETTLED", 0 if at_once else 10**12)
        yield


changes = st.one_of(
    st.builds(Step, st.sampled_from(FILE_ACTS), st.sampled_from(sorted(RELATED)), st.integers(0, len(RELATED) - 1)),
    st.builds(Step, st.sampled_from(FOLDER_ACTS), st.sampled_from(sorted(RELATED)), st.integers(0, len(RELATED) - 1)),
    st.builds(Step, st.sampled_from(("put", "remove")), st.sampled_from(UNRELATED), st.integers(0, 1)),
)
HIDING = frozenset(
    {
        "project/__init__.py",
        "project/lib/neighbour/level.py",
        "project/parts/__init__.py",
        "project/run.sh",
        "neighbour.py",
    }
)
USUAL = {path: 0 for path in RELATED if path not in HIDING}  # without what would hide others


@settings(max_examples=16, derandomize=True, database=None, deadline=None, phases=[Phase.generate])
@given(
    st.sets(st.sampled_from(sorted(RELATED)), max_size=10),
    st.lists(st.tuples(changes, st.booleans()), min_size=3, max_size=8),
)
def test_any_changes(others: set[str], steps: list[tuple[Step, bool]]) -> None:
    with world(dict.fromkeys(sorted(USUAL.keys() ^ others), 0)) as here:
        before = here.remembered()
        for step, at_once in steps:
            with time_tells(at_once):
                before = here.check(step, before)


@pytest.mark.parametrize("without", [(), ("project/pyproject.toml", "project/requirements.txt")], ids=["own", "shared"])
def test_each_change_and_back(without: Collection[str]) -> None:
    """From a project in which all is there, which has a root or is part of what lies around it."""
    with world({path: 0 for path in USUAL if path not in without}) as here, time_tells(at_once=True):
        before = here.remembered()
        for path in RELATED:
            is_there = (here.top / path).exists()
            here.check(Step("put", path, 1 if is_there else 0), before)
            if is_there:
                here.check(Step("remove", path), before)
            here.take(Step("put" if is_there else "remove", path))
            assert repr(here.remembered()) == repr(before), f"{path}: not as before"


@pytest.mark.parametrize("at_once", [True, False])
def test_what_does_not_count(at_once: bool) -> None:
    with world(USUAL) as here, time_tells(at_once):
        before = here.remembered()
        assert before.findings
        for act, choice in (("put", 0), ("put", 1), ("remove", 0)):
            for path in UNRELATED:
                here.take(Step(act, path, choice))
            here.check(Step(act, UNRELATED[0], choice), before)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize("folder", ["project/fresh", "project/fresh/er", "project/tools/fresh"])
def test_what_comes_into_a_folder(folder: str, is_new: bool, at_once: bool) -> None:
    """A folder without code changes no answer; one that came later is known to nothing that was found before."""
    with world(dict.fromkeys(USUAL.keys() - {"project/tools/start.py"}, 0)) as here:
        with time_tells(at_once and not is_new):
            if not is_new:
                (here.top / folder).mkdir(parents=True)
            before = here.remembered()
        with time_tells(at_once):
            (here.top / folder).mkdir(parents=True, exist_ok=True)
            for name in ("notes.txt", "log.txt"):
                (here.top / folder / name).write_text("")
                assert not here.cache.load().recall(here.paths, Disk())[1] and here.remembered() == before
            (here.top / folder / "a.py").write_text(started(script(MAKES)))
            assert here.remembered() == here.anew()
            assert len(here.anew().findings) > len(before.findings)
