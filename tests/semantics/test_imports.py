"""Where imports lead: what a name is that comes from another file, and which files make a program."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Union

import pytest
from reveal import ROOT, program, reveal, shown

from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.resolve.project import Project
from ms_perflint.resolve.search_path import additions

NET = "class Net: pass"


def path(name: str) -> str:
    """Return the path of a program's file."""
    return os.path.normpath(os.path.join(ROOT, *name.split("/")))


def project(files: Mapping[str, str]) -> Project:
    """Return a project of these files and no others."""
    return Project(Overlay(Nowhere(), {path(name): text.encode() for name, text in files.items()}))


def names(paths: Union[frozenset[str], tuple[str, ...]]) -> list[str]:
    """Return paths as a program names its files, sorted."""
    return sorted(os.path.relpath(each, ROOT).replace(os.sep, "/") for each in paths)


# Where a name comes from: `train.py` has the one `reveal(x)`

FROM = {
    "absolute": ({"train.py": "from src.net import Net\nreveal(Net)", "src/net.py": NET}, "Net"),
    "of-any-script": ({"train.py": "from src.网络 import 网\nreveal(网)", "src/网络.py": "class 网: pass"}, "网"),
    "function-of-any-script": (
        {"train.py": "from 网络 import 造\nreveal(造())", "网络.py": "def 造():\n    return 1"},
        "1",
    ),
    "method-of-any-script": (
        {
            "train.py": "import 网络\nreveal(网络.网().造())",
            "网络.py": "class 网:\n    def 造(self):\n        return 1",
        },
        "1",
    ),
    "package": (
        {"train.py": "import src.net as n\nreveal(n.Net)", "src/__init__.py": "", "src/net.py": NET},
        "Net",
    ),
    "dotted": ({"train.py": "import src.net\nreveal(src.net.Net)", "src/__init__.py": "", "src/net.py": NET}, "Net"),
    "namespace": ({"train.py": "import src.deep.net\nreveal(src.deep.net.Net)", "src/deep/net.py": NET}, "Net"),
    "namespace-member": ({"train.py": "from src import net\nreveal(net.Net)", "src/net.py": NET}, "Net"),
    "namespace-alias": ({"train.py": "import src.deep as d\nreveal(d.net.Net)", "src/deep/net.py": NET}, "Net"),
    "namespace-without": ({"train.py": "import src.net\nreveal(src.other.Net)", "src/net.py": NET}, "src.other.Net"),
    "star-of-mindspore": (
        {"train.py": "from net import *\nreveal(mindspore.context.set_context)", "net.py": "import mindspore\n" + NET},
        "mindspore.set_context",
    ),
    "star-of-its-alias": (
        {"train.py": "from net import *\nreveal(nn.Dense)", "net.py": "import mindspore.nn as nn\n" + NET},
        "mindspore.nn.Dense",
    ),
    "star-of-its-member": (
        {"train.py": "from net import *\nreveal(Dense)", "net.py": "from mindspore.nn import (\n    Dense)\n" + NET},
        "mindspore.nn.Dense",
    ),
    "star-of-its-star": (
        {"train.py": "from net import *\nreveal(Dense)", "net.py": "from mindspore.nn import *\n" + NET},
        "mindspore.nn.Dense",
    ),
    "star-of-star-of-mindspore": (
        {"train.py": "from a import *\nreveal(ms.Model)", "a.py": "from b import *", "b.py": "import mindspore as ms"},
        "mindspore.train.Model",
    ),
    "star-without": (
        {"train.py": "from net import *\nreveal(mindspore)", "net.py": NET},
        "...",
    ),
    "relative": (
        {"train.py": "from src.a import x\nreveal(x)", "src/a.py": "from .b import x", "src/b.py": "x = 1"},
        "1",
    ),
    "relative-up": (
        {
            "train.py": "from src.sub.a import x\nreveal(x)",
            "src/sub/a.py": "from ..b import c\nx = c.y",
            "src/b/c.py": "y = 1",
        },
        "1",
    ),
    "relative-module": (
        {"train.py": "from src.a import x\nreveal(x)", "src/a.py": "from . import b\nx = b.y", "src/b.py": "y = 1"},
        "1",
    ),
    "continued": (
        {"train.py": "from src import a, \\\n    b\nreveal(b.y)", "src/a.py": "", "src/b.py": "y = 1"},
        "1",
    ),
    "continued-before-import": (
        {"train.py": "from src.b \\\n    import y\nreveal(y)", "src/b.py": "y = 1"},
        "1",
    ),
    "missing": ({"train.py": "from src.other import x\nreveal(x)", "src/__init__.py": ""}, "..."),
    "missing-relative": ({"train.py": "from .other import x\nreveal(x)"}, "..."),
    "same-name-as-package": ({"train.py": "from utils.utils import x\nreveal(x)", "utils/__init__.py": "x = 1"}, "..."),
    # re-exports
    "reexport": (
        {"train.py": "from src import Net\nreveal(Net)", "src/__init__.py": "from .net import Net", "src/net.py": NET},
        "Net",
    ),
    "reexport-chain": (
        {
            "train.py": "import src\nreveal(src.Best)",
            "src/__init__.py": "from .nets import Best",
            "src/nets/__init__.py": "from .net import Net as Best",
            "src/nets/net.py": NET,
        },
        "Net",
    ),
    "reexport-star": (
        {
            "train.py": "from src import *\nreveal(Net)",
            "src/__init__.py": "from .nets import *",
            "src/nets/__init__.py": "from .net import *",
            "src/nets/net.py": NET,
        },
        "Net",
    ),
    "reexport-module": (
        {
            "train.py": "from src import n\nreveal(n.Net)",
            "src/__init__.py": "from . import net as n",
            "src/net.py": NET,
        },
        "Net",
    ),
    "reexport-mindspore": (
        {"train.py": "from src import ms\nreveal(ms.Model)", "src/__init__.py": "import mindspore as ms"},
        "mindspore.train.Model",
    ),
    "submodule": (
        {"train.py": "import src\nreveal(src.net.Net)", "src/__init__.py": "", "src/net.py": NET},
        "Net",
    ),
    "name-before-submodule": (
        {"train.py": "from src import net\nreveal(net)", "src/__init__.py": "net = 1", "src/net.py": NET},
        "1",
    ),
    "lazy": (
        {"train.py": "from src import Net\nreveal(Net)", "src/__init__.py": "def __getattr__(name): pass"},
        "...",
    ),
    "cycle": (
        {"train.py": "from a import x\nreveal(x)", "a.py": "from b import y\nx = y", "b.py": "import a\ny = 1"},
        "1",
    ),
    "cycle-of-packages": (
        {
            "train.py": "from src import x\nreveal(x)",
            "src/__init__.py": "from .a import *",
            "src/a.py": "from src import b\nx = b.y",
            "src/b.py": "from src.a import x\ny = 1",
        },
        "1",
    ),
    # star imports
    "star-later": (
        {"train.py": "from a import *\nfrom b import *\nreveal(x)", "a.py": "x = 1", "b.py": "x = 2"},
        "2",
    ),
    "star-not-there": (
        {"train.py": "from a import *\nfrom b import *\nreveal(x)", "a.py": "x = 1", "b.py": "y = 2"},
        "1",
    ),
    "star-all": (
        {"train.py": "from a import *\nfrom b import *\nreveal(x)", "a.py": "x = 1", "b.py": "__all__ = ['y']\nx = 2"},
        "1",
    ),
    "star-all-named": ({"train.py": "from a import *\nreveal(_x)", "a.py": "__all__ = ['_x']\n_x = 1"}, "1"),
    "star-all-unknown": (
        {"train.py": "from a import *\nreveal(x)", "a.py": "__all__ = ['y']\n__all__ += more()\nx = 1"},
        "1",
    ),
    "star-all-extended": (
        {"train.py": "from a import *\nreveal(x)", "a.py": "__all__ = []\n__all__.extend(more())\nx = 1"},
        "1",
    ),
    "star-unbound": ({"train.py": "from a import *\nreveal(x)", "a.py": "y = 1"}, "..."),
    "star-outside-all": ({"train.py": "from a import *\nreveal(x)", "a.py": "__all__ = ['y']\nx = y = 1"}, "..."),
    "star-of-python": ({"train.py": "from a import *\nreveal(len)", "a.py": "y = 1"}, "builtins.len"),
    "star-over-python": ({"train.py": "from a import *\nreveal(max(1, 2))", "a.py": "def max(a, b): return 7"}, "7"),
    "star-of-a-library": ({"train.py": "from math import *\nreveal(ceil(1.5))"}, "2"),
    "star-of-a-library-there": (
        {"train.py": "from a import *\nreveal(ceil(1.5))", "a.py": "from math import *"},
        "2",
    ),
    "star-of-two-libraries": ({"train.py": "from math import *\nfrom numpy import *\nreveal(ceil)"}, "..."),
    "star-of-no-file": ({"src/train.py": "from .gone import *\nreveal(x)"}, "..."),
    "star-names-a-module": (
        {"train.py": "from kit import *\nreveal(a.x)", "kit/__init__.py": "__all__ = ['a']", "kit/a.py": "x = 4"},
        "4",
    ),
    "star-behind-a-name": ({"train.py": "x = 5\nfrom a import *\nreveal(x)", "a.py": "x = 1"}, "1"),
    "star-behind-another-name": ({"train.py": "x = 5\nfrom a import *\nreveal(x)", "a.py": "y = 1"}, "5"),
    "star-behind-a-reading": ({"train.py": "x = 5\nreveal(x)\nfrom a import *", "a.py": "x = 1"}, "5"),
    "star-behind-in-a-function": (
        {"train.py": "x = 5\ndef f():\n    reveal(x)\nfrom a import *\nf()", "a.py": "x = 1"},
        "1",
    ),
    "star-before-a-name": ({"train.py": "from a import *\nx = 5\nreveal(x)", "a.py": "x = 1"}, "5"),
    "star-before-a-choice": (
        {"train.py": "from a import *\nif unknown():\n    x = 5\nreveal(x)", "a.py": "x = 1"},
        "1 5",
    ),
    "star-in-a-choice": (
        {"train.py": "x = 5\nif unknown():\n    from a import *\nreveal(x)", "a.py": "x = 1"},
        "1 5",
    ),
    "star-of-another-behind-a-name": (
        {"train.py": "from b import x\nreveal(x)", "b.py": "x = 5\nfrom a import *", "a.py": "x = 1"},
        "1",
    ),
    "star-private": (
        {"train.py": "from a import *\nfrom b import *\nreveal(_x)", "a.py": "_x = 1", "b.py": ""},
        "...",
    ),
    "star-branches": (
        {
            "train.py": "if unknown():\n    from a import *\nelse:\n    from b import *\nreveal(x)",
            "a.py": "x = 1",
            "b.py": "x = 2",
        },
        "1 2",
    ),
    "star-never": (
        {"train.py": "from a import *\nif False:\n    from b import *\nreveal(x)", "a.py": "x = 1", "b.py": "x = 2"},
        "1",
    ),
    # conditional imports
    "branches": (
        {
            "train.py": "if unknown():\n    from src.gpu import x\nelse:\n    from src.ascend import x\nreveal(x)",
            "src/gpu.py": "x = 1",
            "src/ascend.py": "x = 2",
        },
        "2 1",
    ),
    "branch-of-an-option": (
        {
            "train.py": """
                import argparse
                parser = argparse.ArgumentParser()
                parser.add_argument("--gpu", action="store_true")
                if parser.parse_args().gpu:
                    from src.gpu import x
                else:
                    from src.ascend import x
                reveal(x)
                """,
            "src/gpu.py": "x = 1",
            "src/ascend.py": "x = 2",
        },
        "2 (1)",
    ),
    "branch-never": (
        {
            "train.py": "if False:\n    from a import x\nelse:\n    from b import x\nreveal(x)",
            "a.py": "x = 1",
            "b.py": "x = 2",
        },
        "2",
    ),
    "try": (
        {
            "train.py": "try:\n    from a import x\nexcept ImportError:\n    from b import x\nreveal(x)",
            "a.py": "x = 1",
            "b.py": "x = 2",
        },
        "1 2",
    ),
    "try-none": (
        {"train.py": "try:\n    from a import x\nexcept ImportError:\n    x = None\nreveal(x)", "a.py": "x = 1"},
        "1 None",
    ),
    "in-a-function": (
        {"train.py": "def f():\n    from a import x\n    return x\nreveal(f())", "a.py": "x = 1"},
        "1",
    ),
    # imports by call
    "by-call": (
        {"train.py": "import importlib\nreveal(importlib.import_module('src.net').Net)", "src/net.py": NET},
        "Net",
    ),
    "by-call-alias": (
        {"train.py": "from importlib import import_module\nreveal(import_module('src.net').Net)", "src/net.py": NET},
        "Net",
    ),
    "by-call-relative": (
        {
            "train.py": "from importlib import import_module\nreveal(import_module('.net', package='src').Net)",
            "src/net.py": NET,
        },
        "Net",
    ),
    "by-call-own-package": (
        {
            "train.py": "from src import Net\nreveal(Net)",
            "src/__init__.py": "from importlib import import_module\nNet = import_module('.net', __package__).Net",
            "src/net.py": NET,
        },
        "Net",
    ),
    "by-call-unknown": (
        {
            "train.py": "from importlib import import_module\nreveal(import_module(f'src.{unknown()}').Net)",
            "src/net.py": NET,
        },
        "...",
    ),
    "by-call-worked-out": (
        {
            "train.py": "import importlib, src.net\nreveal(importlib.import_module('src.' + 'net').Net)",
            "src/net.py": NET,
        },
        "Net",
    ),
    "by-call-not-scanned": (
        {
            "train.py": "from importlib import import_module\nn = 'src.'\nreveal(import_module(n + 'net').Net)",
            "src/net.py": NET,
        },
        "...",
    ),
    "by-call-from-a-folder": (
        {
            "train.py": "from importlib import import_module\nname = 'net'\nreveal(import_module('src.' + name).Net)",
            "src/net.py": NET,
        },
        "Net",
    ),
    "by-call-mindspore": (
        {"train.py": "import importlib\nreveal(importlib.import_module('mindspore.nn').Dense)"},
        "mindspore.nn.Dense",
    ),
    "dunder-import": ({"train.py": "reveal(__import__('a').x)", "a.py": "x = 1"}, "1"),
    "dunder-import-top": ({"train.py": "reveal(__import__('src.a').a.x)", "src/a.py": "x = 1"}, "1"),
    # names of libraries
    "library-shadowed": ({"train.py": "import utils\nreveal(utils.x)", "utils.py": "x = 1"}, "1"),
    "standard-library-beside-the-script": (
        {"train.py": "import logging\nreveal(logging.x)", "logging.py": "x = 1"},
        "1",
    ),
    "standard-library-beside-another-file": (
        {
            "train.py": "from src.a import x\nreveal(x)",
            "src/a.py": "import logging\nx = logging.x",
            "src/logging.py": "x = 1",
        },
        "logging.x",
    ),
    "standard-library-loaded-before": ({"train.py": "import os\nreveal(os.sep)", "os.py": "sep = 1"}, "os.sep"),
    "standard-library-folder": ({"train.py": "import json\nreveal(json.load)", "json/x.py": "load = 1"}, "json.load"),
    "mindspore-folder": (
        {
            "train.py": "import mindspore\nfrom mindspore import nn\nreveal(nn.Cell)",
            "mindspore/__init__.py": "nn = 1",
            "mindspore/nn.py": "Cell = 1",
        },
        "mindspore.nn.Cell",
    ),
    "mindspore-file": (
        {"train.py": "import mindspore\nreveal(mindspore.Model)", "mindspore.py": ""},
        "mindspore.train.Model",
    ),
    "entry-before-own-directory": (
        {
            "train.py": "from src.a import x\nreveal(x)",
            "src/a.py": "from config import x",
            "src/config.py": "x = 1",
            "config.py": "x = 2",
        },
        "2",
    ),
    "own-directory-where-nothing-else-has-it": (
        {"train.py": "from src.a import x\nreveal(x)", "src/a.py": "from config import x", "src/config.py": "x = 1"},
        "1",
    ),
    "package-before-namespace": (
        {
            "job/train.py": "import sys\nsys.path.append('..')\nimport common\nreveal(common.x)",
            "job/common/other.py": "",
            "common/__init__.py": "x = 1",
        },
        "1",
    ),
}


@pytest.mark.parametrize(("files", "expected"), FROM.values(), ids=FROM)
def test_where_a_name_comes_from(files: Mapping[str, str], expected: str) -> None:
    entry = next(name for name in files if name.endswith("train.py"))
    assert shown(reveal(files, entry)) == expected


# What is added to `sys.path`: the directories of a file `/program/tools/job/train.py`, seen from `/program`

ADDED = [
    ("sys.path.append('../common')", ["tools/common"]),
    ("sys.path.append('..')", ["tools"]),
    ("sys.path.append('.')", ["tools/job"]),
    ("sys.path.append(os.getcwd())", ["tools/job"]),
    ("sys.path.append(os.path.dirname(os.getcwd()))", ["tools"]),
    ("sys.path.append(os.path.abspath('../..'))", ["."]),
    ("sys.path.append(os.path.dirname(sys.path[0]))", ["tools"]),
    ("sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))", ["tools!"]),
    ("sys.path.insert(1, os.path.dirname(os.path.realpath(__file__)))", ["tools/job"]),
    ("sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', '..', 'src'))", ["src!"]),
    ("sys.path.append(os.path.split(os.path.abspath(os.path.dirname(__file__)))[0])", ["tools"]),
    ("sys.path.append(str(Path(__file__).resolve().parents[1]))", ["tools"]),
    ("sys.path.append(str(pathlib.Path(__file__).absolute().parent.parent / 'src'))", ["tools/src"]),
    ("sys.path.append(Path(__file__).parent.joinpath('src').as_posix())", ["tools/job/src"]),
    ("sys.path.append(str(Path.cwd().parent))", ["tools"]),
    ("here = osp.dirname(osp.abspath(__file__))\nroot = osp.join(here, '..')\nsys.path.append(root)", ["tools"]),
    ("here = '..'\nhere = os.path.abspath(here)\nsys.path.append(here)", ["tools", "tools"]),
    ("here = os.path.dirname(__file__)\nsys.path.append(f'{here}/../lib')", ["tools/lib"]),
    ("here = os.path.dirname(__file__)\nsys.path.append(here + '/..')", ["tools"]),
    ("sys.path.append('{}/{}'.format(os.path.dirname(__file__), 'lib'))", ["tools/job/lib"]),
    ("p = os.path.abspath(__file__)\nsys.path.append(p[:p.find('job')] + 'lib')", ["tools/lib"]),
    ("sys.path.append('/'.join(os.path.abspath(__file__).split('/')[:-2]))", ["tools"]),
    ("sys.path.append(os.getcwd().split('tools')[0])", ["."]),
    ("sys.path.extend(['..', '../lib'])", ["tools", "tools/lib"]),
    ("sys.path += ['..']", ["tools"]),
    (
        "def add(path):\n    if path not in sys.path:\n        sys.path.insert(0, path)\nadd('..')\nadd('../lib')",
        ["tools!", "tools/lib!"],
    ),
    ("if __name__ == '__main__':\n    sys.path.append('..')", ["tools"]),
    # in the order in which it runs
    ("def add():\n    sys.path.append(f'{here}/..')\nhere = os.path.dirname(__file__)\nadd()", ["tools"]),
    ("def add():\n    sys.path.append(f'{here}/..')\nadd()\nhere = os.path.dirname(__file__)", []),
    (
        "def main():\n    add()\ndef add():\n    sys.path.append('..')\nsys.path.append('../lib')\nmain()",
        ["tools/lib", "tools"],
    ),
    ("def add():\n    sys.path.append('..')\nadd()\nsys.path.append('../lib')", ["tools", "tools/lib"]),
    ("def add():\n    sys.path.append('..')\nsys.path.append('../lib')", ["tools/lib", "tools"]),
    (
        "try:\n    here = '..'\nexcept OSError:\n    here = '.'\nfinally:\n    sys.path.append(here + '/lib')",
        ["tools/job/lib"],
    ),
    ("for i in y:\n    sys.path.append(here + '/lib')\n    here = '..'", []),
    ("for i in y:\n    here = '..'\n    sys.path.append(here + '/lib')", ["tools/lib"]),
    ("a = '..'; b = a + '/lib'; sys.path.append(b + '/x')", ["tools/lib/x"]),
    # not known
    ("sys.path.append(args.path)", []),
    ("sys.path.append('/home/somebody/lib')", []),
    ("lib = '/home/somebody/lib'\nsys.path.append(lib)", []),
    ("sys.path.append(os.environ['LIB'])", []),
    ("sys.path.append(lib)", []),
    ("lib = lib + '/..'\nsys.path.append(lib)", []),
    ("for lib in ('a', 'b'):\n    sys.path.append(lib)", []),
    ("sys.path.append('{:>99999999}'.format('x'))", []),
    ("sys.path.append(3)", []),
    ("sys.path.remove('..')", []),
    ("print(sys.path)", []),
    ("sys.path.append('..'", []),
]


@pytest.mark.parametrize(("text", "expected"), ADDED)
def test_what_is_added_to_the_search_path(text: str, expected: list[str]) -> None:
    found = additions(path("tools/job/train.py"), text.encode())
    directories = found.directories(path("tools/job"), is_entry=True) if found is not None else ()
    assert [names((each,))[0] + "!" * first for each, first in directories] == expected


def test_the_main_guard_of_an_imported_file_adds_nothing() -> None:
    found = additions(path("lib.py"), b"if __name__ == '__main__':\n    sys.path.append('..')")
    assert found is not None
    assert list(found.directories(ROOT, is_entry=False)) == []


GUARDED = [
    ("def add():\n    sys.path.append('..')\nif __name__ == '__main__':\n    add()", []),
    ("def add():\n    sys.path.append('lib')\nif __name__ == '__main__':\n    add()\nadd()", ["lib"]),
    ("def main():\n    add()\ndef add():\n    sys.path.append('lib')\nif __name__ == '__main__':\n    main()", []),
    ("def add():\n    sys.path.append('lib')", ["lib"]),
    ("def add():\n    sys.path.append('lib')\ndef add():\n    pass", ["lib"]),
    ("if __name__ == '__main__':\n    pass\nelse:\n    sys.path.append('lib')", ["lib"]),
    ("if __name__ != '__main__':\n    sys.path.append('lib')", ["lib"]),
]


@pytest.mark.parametrize(("text", "expected"), GUARDED)
def test_what_an_imported_file_adds(text: str, expected: list[str]) -> None:
    found = additions(path("lib.py"), text.encode())
    assert found is not None
    assert [names((each,))[0] for each, _ in found.directories(ROOT, is_entry=False)] == expected


# The files of a program

IN_FOLDER = [
    (
        "import os, importlib\nfor name in os.listdir(os.path.dirname(__file__)):\n"
        "    importlib.import_module('nets.' + name)",
        1,
    ),
    (
        "import os\nfrom importlib import import_module\nhere = os.path.dirname(os.path.abspath(__file__))\n"
        "for name in os.listdir(here):\n    if name.endswith('.py'):\n        import_module(f'.{name[:-3]}', __name__)",
        1,
    ),
    (
        "import pkgutil, importlib\nfor _, name, _ in pkgutil.iter_modules(__path__):\n"
        "    importlib.import_module(__name__ + '.' + name)",
        1,
    ),
    (
        "from pathlib import Path\nfor path in Path(__file__).parent.glob('*.py'):\n"
        "    __import__('nets.%s' % path.stem)",
        1,
    ),
    (
        "import glob\nfrom os.path import basename, dirname\n"
        "__all__ = [basename(path)[:-3] for path in glob.glob(dirname(__file__) + '/*.py')]\nfrom . import *",
        1,
    ),
    ("import os, importlib\nfor name in os.listdir('data'):\n    importlib.import_module(name)", 0),
    ("import os\nhere = os.path.dirname(__file__)\nnames = os.listdir(here)", 0),
    (
        "import os, importlib\nhere = os.path.dirname(__file__)\nfor name in os.listdir('data'):\n"
        "    importlib.import_module(name)",
        0,
    ),
]
CLOSURES: list[tuple[str, Mapping[str, str], str, list[str]]] = [
    *(
        (
            f"looks through a folder, {number}",
            {"train.py": "import nets", "nets/__init__.py": text, "nets/a.py": "", "nets/b.py": "", "nets/c.txt": ""},
            "train.py",
            [*(["nets/__init__.py", "nets/a.py", "nets/b.py"] if whole else ["nets/__init__.py"]), "train.py"],
        )
        for number, (text, whole) in enumerate(IN_FOLDER)
    ),
    (
        "one of a folder",
        {
            "train.py": "import importlib\nnet = importlib.import_module(f'nets.{args.net}')",
            "nets/a.py": "",
            "nets/b.py": "",
            "eval.py": "",
        },
        "train.py",
        ["nets/a.py", "nets/b.py", "train.py"],
    ),
    *(
        (
            f"one of a folder, named by a caller: {text}",
            {
                "train.py": "import importlib\ndef load(name):\n    return importlib.import_module(name)\n"
                f"net = load({text})",
                "nets/a.py": "",
                "nets/b.py": "",
            },
            "train.py",
            [*(["nets/a.py", "nets/b.py"] if is_found else []), "train.py"],
        )
        for text, is_found in (
            ("f'nets.{args.net}'", True),
            ("'nets.' + args.net", True),
            ("'nets.%s' % args.net", True),
            ("args.net", False),
            ("f'others.{args.net}'", False),
        )
    ),
    (
        "a script that looks through its own folder",
        {
            "train.py": "import os, importlib\nfor name in os.listdir(os.path.dirname(__file__)):\n"
            "    importlib.import_module(name)\nif __name__ == '__main__':\n    pass",
            "eval.py": "",
        },
        "train.py",
        ["train.py"],
    ),
    (
        "a folder with many choices",
        {
            "train.py": "import importlib\nnet = importlib.import_module(f'nets.{args.net}')",
            **{f"nets/n{number}.py": "" for number in range(100)},
        },
        "train.py",
        sorted([*(f"nets/n{number}.py" for number in range(100)), "train.py"]),
    ),
    (
        "appended",
        {"job/train.py": "import sys\nsys.path.append('../common')\nimport util", "common/util.py": ""},
        "job/train.py",
        ["common/util.py", "job/train.py"],
    ),
    (
        "not appended",
        {"job/train.py": "import util", "common/util.py": ""},
        "job/train.py",
        ["job/train.py"],
    ),
    (
        "appended by an imported file, and imported by another one",
        {
            "job/train.py": "import paths\nimport net",
            "job/paths.py": "import sys\nsys.path.append('../common')",
            "job/net.py": "import util",
            "common/util.py": "import more",
            "common/more.py": "",
        },
        "job/train.py",
        ["common/more.py", "common/util.py", "job/net.py", "job/paths.py", "job/train.py"],
    ),
    (
        "appended by a file that was found on the appended path",
        {
            "job/train.py": "import sys\nsys.path.append('../common')\nimport util\nimport deep",
            "common/util.py": "import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), 'more'))",
            "common/more/deep.py": "",
        },
        "job/train.py",
        ["common/more/deep.py", "common/util.py", "job/train.py"],
    ),
    (
        "inserted before the own directory",
        {"job/train.py": "import sys\nsys.path.insert(0, '..')\nimport util", "job/util.py": "", "util.py": ""},
        "job/train.py",
        ["job/train.py", "util.py"],
    ),
    (
        "appended behind the own directory",
        {"job/train.py": "import sys\nsys.path.append('..')\nimport util", "job/util.py": "", "util.py": ""},
        "job/train.py",
        ["job/train.py", "job/util.py"],
    ),
    (
        "of two programs that share a file, each has its own search path",
        {
            "one/train.py": "import sys\nsys.path.append('..')\nfrom common import load",
            "one/config.py": "",
            "two/train.py": "import sys\nsys.path.append('..')\nfrom common import load",
            "two/config.py": "",
            "common/load.py": "import config",
        },
        "two/train.py",
        ["common/load.py", "two/config.py", "two/train.py"],
    ),
    (
        "below a byte order mark",
        {"train.py": "\ufefffrom src import net\n", "src/net.py": "\ufeffimport src.ops", "src/ops.py": ""},
        "train.py",
        ["src/net.py", "src/ops.py", "train.py"],
    ),
    (
        "in lines that end with a carriage return",
        {"train.py": "import os\rfrom src import net\rimport ops  # why\r", "src/net.py": "", "ops.py": ""},
        "train.py",
        ["ops.py", "src/net.py", "train.py"],
    ),
    (
        "behind a form feed",
        {"train.py": "\fimport os\n\ffrom src import net\n", "src/net.py": ""},
        "train.py",
        ["src/net.py", "train.py"],
    ),
    (
        "by text",
        {"train.py": "from importlib import import_module\nimport_module('src.net')", "src/net.py": ""},
        "train.py",
        ["src/net.py", "train.py"],
    ),
    *(
        (f"spelled {text!r}", {"src/train.py": text, "src/net.py": ""}, "src/train.py", ["src/net.py", "src/train.py"])
        for text in (
            "from .import net",
            "from.import net",
            "from . \\\n import net",
            "from . net import Net",
            "from\\\n .net import*",
            "import os; from .net import Net",
            "try: from .net import Net\nexcept ImportError: pass",
            "if True: x = 1; from . import(net)",
            "import\\\n os, net as n",
            "import os\tas o, net\tas n",
        )
    ),
    *(
        (f"of any script {text!r}", {"train.py": text, "src/网络.py": ""}, "train.py", ["src/网络.py", "train.py"])
        for text in ("from src.网络 import Net", "from src import 网络", "import src.网络 as net")
    ),
    *(
        (f"no import {text!r}", {"src/train.py": text, "src/net.py": ""}, "src/train.py", ["src/train.py"])
        for text in (
            "x = 1  # see: from .import net",
            "print('usage: import net')",
            "importnet = 1",
            "from os import path; net = 1",
        )
    ),
    (
        "never a local mindspore",
        {
            "train.py": "import mindspore\nfrom mindspore.nn import Cell",
            "mindspore/__init__.py": "",
            "mindspore/nn.py": "",
        },
        "train.py",
        ["train.py"],
    ),
]


@pytest.mark.parametrize(("files", "entry", "expected"), [case[1:] for case in CLOSURES], ids=[c[0] for c in CLOSURES])
def test_the_files_of_a_program(files: Mapping[str, str], entry: str, expected: list[str]) -> None:
    assert names(project(files).closure(path(entry))) == expected


def test_the_files_of_a_program_do_not_depend_on_what_was_asked_before() -> None:
    for _, files, entry, expected in CLOSURES:
        asked = project(files)
        for other in files:
            asked.closure(path(other))
        assert names(asked.closure(path(entry))) == expected


# The programs of a file

START = "from pkg import data\nif __name__ == '__main__':\n    run()\n"
PKG = {"pkg/__init__.py": "", "pkg/data.py": ""}

PROGRAMS: list[tuple[str, Mapping[str, str], str, list[str]]] = [
    ("scripts above", {**PKG, "train.py": START, "eval.py": START}, "pkg/data.py", ["eval.py", "train.py"]),
    ("no scripts", PKG, "pkg/data.py", []),
    ("a script that imports something else", {**PKG, "train.py": "from pkg import other"}, "pkg/data.py", []),
    ("a script in a folder beside", {**PKG, "tools/train.py": START}, "pkg/data.py", ["tools/train.py"]),
    ("two folders beside", {**PKG, "examples/mnist/train.py": START}, "pkg/data.py", ["examples/mnist/train.py"]),
    ("three folders beside", {**PKG, "examples/a/b/train.py": START}, "pkg/data.py", ["examples/a/b/train.py"]),
    (
        "above and beside",
        {**PKG, "train.py": START, "tools/eval.py": START},
        "pkg/data.py",
        ["tools/eval.py", "train.py"],
    ),
    (
        "a module of the package that tests itself is not enough",
        {**PKG, "pkg/other.py": START, "tools/train.py": START},
        "pkg/data.py",
        ["pkg/other.py", "tools/train.py"],
    ),
    (
        "a script needs no guard",
        {**PKG, "tools/train.py": "from pkg import data"},
        "pkg/data.py",
        ["tools/train.py"],
    ),
    ("what pytest collects is no script", {**PKG, "tests/test_data.py": "from pkg import data"}, "pkg/data.py", []),
    (
        "deep in a package",
        {
            "pkg/__init__.py": "",
            "pkg/a/__init__.py": "",
            "pkg/a/b.py": "",
            "tools/train.py": "import pkg.a.b\n" + START,
        },
        "pkg/a/b.py",
        ["tools/train.py"],
    ),
    (
        "a package in a folder",
        {
            "src/pkg/__init__.py": "",
            "src/pkg/data.py": "",
            "tools/train.py": "import sys\nsys.path.append('../src')\n" + START,
        },
        "src/pkg/data.py",
        ["tools/train.py"],
    ),
    (
        "a project that is itself a package",
        {"p/__init__.py": "", "p/pkg/__init__.py": "", "p/pkg/data.py": "", "p/tools/train.py": START, "setup.py": ""},
        "p/pkg/data.py",
        ["p/tools/train.py"],
    ),
    (
        "no package, found by a search path",
        {"job/train.py": "import sys\nsys.path.append('../common')\nimport data\n" + START, "common/data.py": ""},
        "common/data.py",
        ["job/train.py"],
    ),
    (
        "a collection of projects",
        {**PKG, "tools/train.py": START, **{f"project{number}/x.py": "" for number in range(40)}},
        "pkg/data.py",
        [],
    ),
    (
        "a script has its own program",
        {"one/train.py": START, "two/train.py": "import one.train\n" + START},
        "one/train.py",
        [],
    ),
    (
        "a script whose lines end with a carriage return",
        {"train.py": ("import one.net\n" + START).replace("\n", "\r"), "one/net.py": ""},
        "one/net.py",
        ["train.py"],
    ),
]


@pytest.mark.parametrize(("files", "asked", "expected"), [case[1:] for case in PROGRAMS], ids=[c[0] for c in PROGRAMS])
def test_the_programs_of_a_file(files: Mapping[str, str], asked: str, expected: list[str]) -> None:
    assert [os.path.relpath(each, ROOT).replace(os.sep, "/") for each in project(files).programs(path(asked))] == [
        asked,
        *expected,
    ]


def test_scripts_of_other_projects_are_not_read_for_their_imports() -> None:
    others = {
        f"repos/other/part{number}/train.py": "import torch\n" + START.replace("pkg", "net") for number in range(9)
    }
    files = {"x.py": "import os", **others, **{f"repos/one/{name}": text for name, text in PKG.items()}}
    asked = project({**files, "repos/one/train.py": START})
    assert asked.programs(path("repos/one/pkg/data.py"))[1:] == (path("repos/one/train.py"),)
    alone = project(files)
    assert alone.programs(path("repos/one/pkg/data.py"))[1:] == ()
    scanned = {name for name in files if path(name) in alone.entries.imports._statements}
    assert not scanned & set(others)


@pytest.mark.parametrize("text", ["sys.path.append('src')\nimport pkg.data", "import src.pkg.data"])
def test_a_script_above_a_folder_without_scripts_is_asked_where_it_names_it(text: str) -> None:
    files = {f"src/{name}": each for name, each in PKG.items()}
    asked = project({**files, "train.py": f"import sys\n{text}\n"})
    assert asked.programs(path("src/pkg/data.py"))[1:] == (path("train.py"),)


# When imported code runs


def test_imported_modules_run_where_they_are_imported() -> None:
    made = program(
        {
            "train.py": "first()\nimport a\nsecond()\ndef f():\n    import b\n    third()\nf()\nlast()",
            "a.py": "import mindspore as ms\nms.in_a()\nif __name__ == '__main__':\n    never()",
            "b.py": "import mindspore as ms\nms.in_b()",
        }
    )
    words = ["first", "in_a", "second", "f", "in_b", "third", "last"]
    sites = [made.sites(word)[0] for word in words]
    assert sorted(sites, key=lambda site: made.position(site) or 0) == sites
    assert made.position(made.sites("never")[0]) is None


ORDER = [
    ("last(first())", ["first", "last"]),
    ("last(x, first(), y=then())", ["first", "then", "last"]),
    ("first()(then())", ["first", "then"]),
    ("def f(x):\n    last()\nf(first())", ["first", "f", "last"]),
    ("y = [last(x) for x in first()]", ["first", "last"]),
    ("y = {first(): then() for x in z if last(x)}", ["last", "first"]),
    ("y = then() if first() else last()", ["first", "then", "last"]),
    ("a = first(); b = last()", ["first", "last"]),
    ("first()\nimport m\nlast()", ["first", "in_m", "last"]),
]


@pytest.mark.parametrize(("text", "words"), ORDER)
def test_calls_run_as_they_are_evaluated(text: str, words: list[str]) -> None:
    made = program({"train.py": text, "m.py": "import mindspore as ms\nms.in_m()"})
    sites = [made.sites(word)[0] for word in words]
    assert sorted(sites, key=lambda site: made.position(site) or 0) == sites


def test_a_cycle_of_star_imports_is_told_the_same_in_any_order() -> None:
    files = {
        "train.py": "import a, b",
        "a.py": "from b import *\ndef f(): pass",
        "b.py": "from a import *\ndef g(): pass",
    }
    found = []
    for order in (("a", "b"), ("b", "a")):
        made = program(files)
        modules = {name: made.module(path(f"{name}.py")) for name in order}
        found.append(
            {
                (m, n): [s.name for s in made.names.resolve(modules[m], n).scopes]
                for m in order
                for n in "fg"
                if modules[m]
            }
        )
    assert found[0] == found[1]
    assert all(found[0].values())


def test_a_module_stays_while_another_at_hand_imports_it() -> None:
    session, decoder = path("pkg/session.py"), path("pkg/Deep/decoder.py")
    files = {"pkg/session.py": "from pkg.Deep.decoder import Decoder\n", "pkg/Deep/decoder.py": "class Decoder: ...\n"}
    held = project(files)
    before = held.module(session), held.module(decoder)
    held.evict(decoder)
    assert held.module(decoder) is before[1]
    held.evict(session)
    assert held.module(session) is not before[0]
