"""What programs have found is taken over where nothing has changed that it rests on, and nowhere else."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Optional

import pytest

from ms_perflint import engine
from ms_perflint.cache.cache import Memory
from ms_perflint.config.settings import Config
from ms_perflint.core.reports import Report
from ms_perflint.discovery import discover
from ms_perflint.linting.check_runner import CheckRunner
from ms_perflint.resolve.project import Project, consulting

FILES = {
    ".git/HEAD": "",
    "kit/__init__.py": "",
    "kit/run.py": """
        import mindspore as ms
        from mindspore import nn

        def run(data, mode, sink=True):
            ms.set_context(mode=mode)
            net = nn.Dense(16, 16)
            model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
            model.train(3, data, dataset_sink_mode=sink)
        """,
    "kit/words.py": "NAMES = 1\n",
    "examples/dense/train.py": """
        from kit.run import run
        from data import make

        run(make(), 0)
        """,
    "examples/eager/train.py": """
        from kit.run import run
        from data import make

        run(make(), 1)
        """,
    "examples/other/train.py": """
        import kit.words
        from kit.run import run
        from data import make

        run(make(), 0, True)
        """,
}


class Folder:
    """A project that is linted repeatedly, with a memory."""

    def __init__(
        self,
        top: Path,
        monkeypatch: pytest.MonkeyPatch,
        files: Mapping[str, str] = FILES,
        options: Optional[Mapping[str, Mapping[str, object]]] = None,
    ) -> None:
        self.top, self.memory, self.log = top, Memory(), top / ".git" / "judged.log"
        self.config = Config(str(top), options=options or {})
        for name, text in files.items():
            self.put(name, text)
        judge = CheckRunner._judge

        def noted(runner: CheckRunner, entry: str) -> None:
            with self.log.open("a", encoding="utf-8") as log:
                log.write(f"{os.path.relpath(entry, top)}\n")
            judge(runner, entry)

        monkeypatch.setattr(CheckRunner, "_judge", noted)  # the workers are forks

    @property
    def judged(self) -> set[str]:
        """Return the programs that the last run judged, in any process."""
        return set(self.log.read_text("utf-8").splitlines())

    def put(self, name: str, text: str) -> None:
        (self.top / name).parent.mkdir(parents=True, exist_ok=True)
        (self.top / name).write_text(dedent(text), encoding="utf-8")

    def lint(self, jobs: int = 1) -> Report:
        """Lint with the memory; check that the answer is that of a run without one."""
        paths = discover([str(self.top)], self.config).files
        anew = engine.lint(paths, self.config)
        self.log.write_text("", encoding="utf-8")
        report = engine.lint(paths, self.config, jobs=jobs, memory=self.memory)
        assert report == anew
        return report


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    made = Folder(tmp_path, monkeypatch)
    assert any(finding.code == "MSP101" for finding in made.lint().findings)
    assert {"examples/dense/train.py", "examples/eager/train.py"} <= made.judged
    return made


def test_each_question_about_a_file_is_noted() -> None:
    """A program rests on the files that its project was asked about; the import graph has digests of its own."""
    noting = consulting(print).__code__
    about = {
        name
        for name, method in vars(Project).items()
        if inspect.isfunction(method) and not name.startswith("_") and "path" in inspect.signature(method).parameters
    }
    noted = {name for name in about if vars(Project)[name].__code__ is noting}
    assert {"module", "raw", "contains", "matches"} <= noted
    assert about - noted == {"is_parsed", "evict", "programs"}


SCRIPT = "examples/dense/train.py"
CHANGED = FILES[SCRIPT].replace("run(make(), 0)", "run(make(), 1)")
# changes of one script, after which only its program is judged
OWN: dict[str, str] = {
    "another mode": CHANGED,
    "a comment": f"{FILES[SCRIPT]}\n# later\n",
    "broken": f"{dedent(FILES[SCRIPT])}\n(\n",
    "a width": FILES[SCRIPT].replace("make()", "make(100)"),
}


@pytest.mark.parametrize("how", OWN)
def test_after_a_change_of_one_script_only_its_program_is_judged(how: str, folder: Folder) -> None:
    folder.put(SCRIPT, OWN[how])
    folder.lint()
    assert folder.judged <= {SCRIPT}
    folder.lint()
    assert not folder.judged


def test_what_was_taken_over_is_taken_over_again(folder: Folder) -> None:
    for text in (CHANGED, FILES[SCRIPT], CHANGED):
        folder.put(SCRIPT, text)
        folder.lint()
        assert folder.judged == {SCRIPT}
    folder.put("examples/eager/train.py", FILES["examples/eager/train.py"].replace("1", "0"))
    folder.lint()
    assert folder.judged == {"examples/eager/train.py"}


def test_it_is_taken_over_by_several_processes(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ms_perflint.processes.parts.CHEAPEST", 0)
    for text in (CHANGED, FILES[SCRIPT]):
        folder.put(SCRIPT, text)
        folder.lint(jobs=2)
        assert folder.judged == {SCRIPT}


def _imports_another(folder: Folder) -> None:
    folder.put(SCRIPT, f"import kit.words\n{dedent(FILES[SCRIPT])}")


def _is_imported(folder: Folder) -> None:
    folder.put(SCRIPT, f"import examples.eager.train\n{dedent(FILES[SCRIPT])}")


def _library(folder: Folder) -> None:
    folder.put("kit/run.py", FILES["kit/run.py"].replace("sink=True", "sink=False"))


def _appears(folder: Folder) -> None:
    folder.put("kit/data.py", "def make():\n    return 1\n")


def _launcher(folder: Folder) -> None:
    folder.put("examples/run.sh", "python dense/train.py\n")


def _config(folder: Folder) -> None:
    folder.put("requirements.txt", "mindspore==1.8\n")


@pytest.mark.parametrize(
    "change",
    [_imports_another, _is_imported, _library, _appears, _launcher, _config],
    ids=lambda change: change.__name__,
)
def test_where_more_has_changed_all_that_rests_on_it_is_judged(
    change: Callable[[Folder], None], folder: Folder
) -> None:
    change(folder)
    folder.lint()
    assert folder.judged > {SCRIPT}


OUTSIDE = {
    ".git/HEAD": "",
    "net.py": """
        from mindspore import nn


        class Net(nn.Cell):
            def __init__(self, width=64):
                super().__init__()
                self.fc = nn.Dense(64, width)
                self.out = nn.Dense(width, 16)

            def construct(self, x):
                return self.out(self.fc(x))
        """,
    "train.py": """
        import mindspore as ms
        from mindspore import nn
        from data import make
        from net import Net

        ms.set_context(mode=ms.GRAPH_MODE)
        net = Net(100)
        model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), amp_level="O2")
        model.train(3, make(), dataset_sink_mode=True)
        """,
    "show.py": "from net import Net\n\nnet = Net(128)\n",
}


def test_a_program_that_a_file_outside_of_it_decides_is_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A width that another script has in a literal gets no fix: that script is none of the program."""
    folder = Folder(tmp_path, monkeypatch, OUTSIDE, {"MSP202": {"min-waste": 0}})
    (before,) = (finding for finding in folder.lint().findings if finding.code == "MSP202")
    assert before.fix is not None
    folder.put("show.py", OUTSIDE["show.py"].replace("128", "100"))
    (after,) = (finding for finding in folder.lint().findings if finding.code == "MSP202")
    assert after.fix is None
    assert "train.py" in folder.judged
