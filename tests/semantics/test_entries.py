"""Which scripts' programs a file belongs to, where very many files import one another."""

from __future__ import annotations

import os

import pytest

from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.resolve import project
from ms_perflint.resolve.imports import Imports
from ms_perflint.resolve.project import Project

ROOT = os.path.join(os.sep, "project")


def programs(texts: dict[str, str], name: str) -> list[str]:
    """Return the entry scripts of the programs of a file, itself left out."""
    contents = {os.path.join(ROOT, *file.split("/")): text.encode() for file, text in texts.items()}
    first, *others = Project(Overlay(Nowhere(), contents)).programs(os.path.join(ROOT, *name.split("/")))
    assert first == os.path.join(ROOT, *name.split("/"))
    return [os.path.relpath(path, ROOT) for path in others]


def test_of_many_scripts_all_are_asked() -> None:
    texts = {f"train_{number:02}.py": "import common\nif __name__ == '__main__':\n    pass\n" for number in range(40)}
    texts["common.py"] = "def f():\n    pass\n"
    assert programs(texts, "common.py") == [f"train_{number:02}.py" for number in range(40)]


def test_modules_of_a_package_are_no_scripts() -> None:
    texts = {f"package/m{number}.py": f"from . import m{(number + 1) % 50}\n" for number in range(50)}
    texts.update({"package/__init__.py": "from .m1 import *\n", "train.py": "import package\n"})
    assert programs(texts, "package/m7.py") == ["train.py"]


def test_a_script_that_another_imports_is_none_of_its_own() -> None:
    texts = {
        "all.py": "import train\nimport other\n",
        "train.py": "import common\n",
        "other.py": "import common\n",
        "common.py": "x = 1\n",
        "separate.py": "import common\n",
        "started.py": "import common\nif __name__ == '__main__':\n    pass\n",
        "starts.py": "import started\nif __name__ == '__main__':\n    pass\n",
    }
    assert programs(texts, "common.py") == ["all.py", "separate.py", "started.py", "starts.py"]


def test_bytes_that_were_read_to_be_scanned_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "HELD_RAW", 100)
    contents = {os.path.join(ROOT, f"script{number}.py"): b"import os\n" + b"x = 1\n" * 10 for number in range(20)}
    held, first = Project(Overlay(Nowhere(), contents)), os.path.join(ROOT, "script0.py")
    held.parse(first)
    counts = []
    for path, raw in contents.items():
        assert held.lines(path) == held.raw(path) == raw
        counts.append(len(held._raw))
    assert max(counts) < 5
    assert first in held._raw, "a scan must not tell anything else than the module that is held"


GIVES = [
    "import sys\nsys.path.append('../kit')\nimport part\n",
    "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'kit'))\nfrom part import f\n",
    "import sys\nsys.path.append('..')\nfrom kit import part\n",
    "import sys\nsys.path.append('..')\nimport kit.part as used\n",
]
NAMES_ONLY = [
    '"""Trains what kit has."""\nimport os\n',
    "import os\nprint('a kit')\n",
    "import toolkit\n",
    "from mindspore import nn\nkit = nn.Dense(1, 1)\n",
    "import argparse\nkits = argparse.ArgumentParser()\n",
    "import os\nos.path.exists('../kit/part.py')\n",
]


@pytest.mark.parametrize("text", [*GIVES, *NAMES_ONLY])
def test_scripts_beside_a_project_are_followed_where_one_may_import_it(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: list[str] = []
    closure = Imports.closure
    monkeypatch.setattr(Imports, "closure", lambda self, path: followed.append(path) or closure(self, path))
    texts = {"kit/part.py": "import os\ndef f():\n    pass\n", "other/train.py": text, "other/data.py": "import os\n"}
    assert programs(texts, "kit/part.py") == (["other/train.py"] if text in GIVES else [])
    assert bool(followed) is (text in GIVES)


GUARDED = "\nif __name__ == '__main__':\n    pass\n"
LEADING = [  # the files of a project, and the script whose program contains `pkg/part/a.py`
    ({"pkg/__init__.py": "", "tools/train.py": f"from pkg.part import a{GUARDED}"}, "tools/train.py"),
    (
        {"pkg/__init__.py": "", "pkg/part/b.py": f"import os{GUARDED}", "tools/go.py": "from pkg.part.a import x\n"},
        "tools/go.py",
    ),
    ({"top/pkg/__init__.py": "", "top/run/train.py": f"from pkg.part import a{GUARDED}"}, "top/run/train.py"),
    ({"pkg/b.py": "from .part import a\n", "run/train.py": f"from pkg import b{GUARDED}"}, "run/train.py"),
    (
        {
            "pkg/part/__init__.py": "from .a import x\n",
            "pkg/other.py": "import os\n",
            "examples/cls/train.py": f"import pkg.part{GUARDED}",
        },
        "examples/cls/train.py",
    ),
    (
        {
            "pkg/use.py": "from part import a\n",
            "net/src/train.py": f"import sys\nsys.path.append('../..')\nfrom pkg import use{GUARDED}",
        },
        "net/src/train.py",
    ),
]
APART = [
    {"pkg/part/b.py": f"from part import a{GUARDED}", "run/train.py": f"import os{GUARDED}"},
    {"pkg/__init__.py": "", "tools/train.py": f"from pkg.part import c{GUARDED}", "pkg/part/c.py": "x = 1\n"},
    {"pkg/part/b.py": "import os\n", "run/train.py": f"import os\npkg = 1{GUARDED}"},
    {"pkg/__init__.py": "", "pkg/part/b.py": "import os\n", "tools/train.py": f"import pkg{GUARDED}"},
    {"pkg/__init__.py": "", "tools/part/train.py": f"from part import a{GUARDED}", "tools/part/a.py": "x = 1\n"},
    {"pkg/part/b.py": "import os\n", "run/part/a.py": "x = 1\n", "run/train.py": f"from part import a{GUARDED}"},
    {"pkg/part/b.py": "import os\n", "run/train.py": f"from other.pkg import part{GUARDED}"},
]


PLAIN = [  # folders without `__init__.py`, and without scripts in between
    {"tools/train.py": f"from a.b import part{GUARDED}"},
    {"tools/train.py": "import a.b.part\n"},
    {"tools/cls/train.py": f"import sys\nsys.path.append('../..')\nfrom a.b import part{GUARDED}"},
    {"tools/train.py": f"import sys\nsys.path.append('../a')\nfrom b import part{GUARDED}"},
    {"tools/train.py": "from a.b.part import x\n", "setup.py": "import os\n"},
    {"tools/train.py": f"from a.b import part{GUARDED}", "a/tools.py": "import os\n"},
]
UNNAMED = [
    {"tools/train.py": f"from a.c import part{GUARDED}"},
    {"tools/train.py": f"import os\nprint('a.b'){GUARDED}"},
    {"tools/train.py": f"from a.b import part{GUARDED}", "a/b/run.py": f"import os{GUARDED}"},  # a project of its own
    {"tools/cls/deep/train.py": f"from a.b import part{GUARDED}"},
    {"tools/train.py": f"from b import part{GUARDED}", "tools/b/part.py": "x = 1\n"},
    {"tools/train.py": f"from b import part{GUARDED}"},
    {"tools/train.py": f"import sys\nsys.path.append('../b')\nimport part{GUARDED}"},
]


@pytest.mark.parametrize("texts", [*PLAIN, *UNNAMED])
def test_a_script_elsewhere_leads_to_a_module_in_plain_folders(texts: dict[str, str]) -> None:
    found = programs({"a/b/part.py": "import os\nx = 1\n", "pyproject.toml": "", **texts}, "a/b/part.py")
    (script,) = (name for name in texts if name.endswith("train.py"))
    assert (script in found) is (texts in PLAIN)


@pytest.mark.parametrize(("texts", "script"), LEADING)
def test_a_script_in_another_folder_of_a_project_leads_to_a_module(texts: dict[str, str], script: str) -> None:
    (package,) = {name.rpartition("pkg/")[0] + "pkg/part/a.py" for name in texts if "pkg/" in name}
    assert programs({package: "import os\nx = 1\n", **texts}, package) == [script]


@pytest.mark.parametrize("texts", APART)
def test_a_script_that_imports_nothing_of_a_module_does_not_lead_to_it(texts: dict[str, str]) -> None:
    found = programs({"pkg/part/a.py": "import os\nx = 1\n", **texts}, "pkg/part/a.py")
    assert not any("train.py" in each for each in found)


def test_a_collection_with_an_init_is_no_package() -> None:
    texts = {f"models/net{number}/train.py": f"import os{GUARDED}" for number in range(40)}
    texts |= {"models/__init__.py": "", "run/all.py": f"from models.net1 import part{GUARDED}"}
    assert programs({"models/net1/part.py": "import os\n", **texts}, "models/net1/part.py") == []
