"""Which files of a program matter, and that those which do not stay unparsed."""

from __future__ import annotations

import os

import pytest

from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.program.program import Program
from ms_perflint.program.target import Target
from ms_perflint.resolve.entry_points import Importers
from ms_perflint.resolve.project import Project
from ms_perflint.training.training import is_trained

ROOT = os.path.join(os.sep, "program")


def program_of(files: dict[str, str]) -> Program:
    """Return the program of train.py."""
    texts = {os.path.join(ROOT, *name.split("/")): text.encode() for name, text in files.items()}
    return Program(Project(Overlay(Nowhere(), texts)), os.path.join(ROOT, "train.py"), Target())


def relevant(files: dict[str, str]) -> list[str]:
    """Return the files whose code matters to the program of train.py."""
    modules = program_of(files).modules
    return [os.path.relpath(module.path, ROOT).replace(os.sep, "/") for module in modules]


def test_a_file_matters_when_running_code_loads_a_name_of_it() -> None:
    files = {
        "train.py": "from src.model import build\nfrom src.idle import other\nbuild()\n",
        "src/model.py": "from src.layers import layer, unused\ndef build():\n    return layer(1)\n",
        "src/layers.py": "def layer(x):\n    return x\ndef unused(x):\n    return x\n",
        "src/idle.py": "from src.farther import more\ndef other():\n    return more()\n",
        "src/farther.py": "def more():\n    return 1\n",
    }
    assert relevant(files) == ["train.py", "src/layers.py", "src/model.py"]


def test_a_file_matters_when_importing_it_does_something() -> None:
    files = {
        "train.py": "import src.start\n",
        "src/start.py": "import mindspore as ms\nms.set_context(mode=1)\n",
    }
    assert relevant(files) == ["train.py", "src/start.py"]


CHANGED = {
    "src/settings.py": "options = {'mode': 0}\nLAYERS = []\n",
    "src/override.py": "from src.settings import options\noptions['mode'] = 1\n",
    "src/layers.py": "from src.settings import LAYERS\nfrom src.large import part\nLAYERS.append(part)\n",
    "src/large.py": "def part():\n    return 1\n",
    "src/by_module.py": "import src.settings\nsrc.settings.options = {}\n",
    "src/by_alias.py": "from src.settings import options as own\nown['mode'] = 2\n",
    "src/build.py": "from src.settings import LAYERS\ndef build():\n    return LAYERS[0]()\n",
}


@pytest.mark.parametrize(
    ("script", "more"),
    [
        ("import src.override\n", []),
        ("import src.override, src.layers\nprint('options')\n", []),
        ("import src.override\nfrom src.settings import options\nprint(options)\n", ["override", "settings"]),
        ("import src.override\nfrom src.settings import options as o\nprint(o)\n", ["override", "settings"]),
        ("import src.override\nfrom src import settings\nprint(settings.options)\n", ["override", "settings"]),
        ("import src.override\nfrom src.settings import *\nprint(options['mode'])\n", ["override", "settings"]),
        ("import src.layers\nfrom src.settings import options\nprint(options)\n", ["settings"]),
        ("import src.layers\nfrom src.build import build\nbuild()\n", ["build", "large", "layers", "settings"]),
        ("import src.by_module\n", ["by_module"]),
        ("import src.by_alias\n", ["by_alias", "settings"]),
    ],
)
def test_a_file_that_changes_another_one_matters_when_running_code_reads_what_it_changes(
    script: str, more: list[str]
) -> None:
    assert relevant({"train.py": script, **CHANGED}) == ["train.py", *(f"src/{name}.py" for name in more)]


def test_a_value_of_another_file_matters_too() -> None:
    files = {
        "train.py": "from src import config\nprint(config.options.mode)\n",
        "src/config.py": "import argparse\nparser = argparse.ArgumentParser()\noptions = parser.parse_args()\n",
    }
    assert relevant(files) == ["train.py", "src/config.py"]


def test_names_are_followed_through_packages_and_stars() -> None:
    files = {
        "train.py": "import src\nsrc.build()\n",
        "src/__init__.py": "from .models import *\nfrom . import rest\n__all__ = []\n__all__.extend(rest.__all__)\n",
        "src/models/__init__.py": "from src.models.big import *\nfrom src.models.small import *\n",
        "src/models/big.py": "def big():\n    return 1\n",
        "src/models/small.py": "def build():\n    return 2\n",
        "src/rest.py": "__all__ = ['rest']\ndef rest():\n    return 3\n",
    }
    assert relevant(files) == ["train.py", "src/models/small.py"]


def test_tables_of_functions_run_what_they_name() -> None:
    files = {
        "train.py": "from src.tables import MODELS\nMODELS['a']()\n",
        "src/tables.py": "from src.nets import a, b\nMODELS = {'a': a}\n",
        "src/nets.py": "from src.parts import part\ndef a():\n    return part()\ndef b():\n    pass\n",
        "src/parts.py": "def part():\n    pass\n",
    }
    assert relevant(files) == ["train.py", "src/nets.py", "src/parts.py", "src/tables.py"]


REGISTRY = """
TABLE = {}

def register(name):
    def decorate(cls):
        TABLE[name] = cls
        return cls
    return decorate

def build(name):
    return TABLE[name]()
"""


def registered(count: int, size: int = 0) -> dict[str, str]:
    """Return a program with a table, that decorators in so many files of this size fill."""
    names = [f"net{number}" for number in range(count)]
    padding = "#" * size
    nets = {
        f"src/{name}.py": f"from .registry import register\n@register('{name}')\nclass Net: pass\n{padding}"
        for name in names
    }
    return {
        "train.py": "from src import build\nbuild('net0')\n",
        "src/__init__.py": f"from .registry import build\nfrom . import {', '.join(names)}\n",
        "src/registry.py": REGISTRY,
        **nets,
    }


def test_decorators_that_fill_a_table_run_what_they_decorate() -> None:
    assert relevant(registered(2)) == ["train.py", "src/net0.py", "src/net1.py", "src/registry.py"]


def test_of_a_table_that_is_too_large_the_entries_run_that_are_named() -> None:
    assert len(relevant(registered(40))) == 42
    assert relevant(registered(40, 30_000)) == ["train.py", "src/net0.py", "src/registry.py"]


def test_members_of_a_module_that_is_imported_by_a_call_run() -> None:
    files = {
        "train.py": "import importlib\nimportlib.import_module('nets.' + args.net).build()\n",
        "nets/small.py": "def build():\n    pass\n",
        "nets/large.py": "def other():\n    pass\n",
    }
    assert relevant(files) == ["train.py", "nets/small.py"]


def test_imports_may_go_in_circles() -> None:
    files = {
        "train.py": "from a import f\nf()\n",
        "a.py": "from b import g\ndef f():\n    g()\n",
        "b.py": "from a import f\nfrom a import *\ndef g():\n    f()\n",
    }
    assert relevant(files) == ["train.py", "a.py", "b.py"]


def test_of_a_program_that_is_too_large_only_the_entry_script_is_read() -> None:
    filler = "".join(f"# {number:097}\n" for number in range(2_000))
    files = {"train.py": "import mindspore as ms\n" + "".join(f"import part_{n}\npart_{n}.go()\n" for n in range(12))}
    part = f"def go():\n    model.train(1, data)\n{filler}"
    files.update((f"part_{number}.py", part) for number in range(12))
    program = program_of(files)
    assert not program.is_whole
    assert [os.path.basename(module.path) for module in program.modules] == ["train.py"]
    assert not is_trained(program)
    small = program_of({**files, "train.py": "import part_1\npart_1.go()\n"})
    assert small.is_whole
    assert len(small.modules) == 2


TABLE = """\
TABLE = {}
def register(name):
    def wrap(cls):
        if name in TABLE:
            raise KeyError(name)
        TABLE[name] = cls
        return cls
    return wrap
def build(name):
    return TABLE[name]()
"""
MARKED = "from table import register\n@register('net')\nclass Net:\n    pass\n"


def reaches_net(train: str, table: str = TABLE, **more: str) -> bool:
    """Return whether what a decorator puts into a table runs."""
    files = {"train.py": f"import nets\n{train}", "table.py": table, "nets.py": MARKED, **more}
    return "Net" in {scope.name for scope in program_of(files).reached}


def test_entries_run_where_running_code_reads_their_table() -> None:
    assert reaches_net("import table\ntable.build('net')\n")
    assert reaches_net("from table import TABLE\nTABLE['net']()\n")
    assert reaches_net("from table import TABLE as nets\nnets['net']()\n")
    assert reaches_net("from table import TABLE\nif __name__ == '__main__':\n    TABLE['net']()\n")
    assert reaches_net("import table\nfor each in table.TABLE.values():\n    each()\n")


def test_entries_wait_where_running_code_only_fills_their_table() -> None:
    assert not reaches_net("import table\nprint(table.register)\n")
    assert not reaches_net(
        "from table import TABLE as nets\nprint(1)\n", more="from table import build\nbuild('net')\n"
    )
    kept = TABLE.replace(
        "        TABLE[name] = cls\n", "        TABLE.setdefault(name, cls)\n        TABLE[name] = cls\n"
    )
    assert reaches_net("import table\nprint(table.register)\n", kept)  # it may read it


def test_a_table_that_gives_what_it_has_is_read() -> None:
    train = "import table\nprint(table.register)\n"
    gives = "TABLE = {}\ndef register(name):\n    def wrap(cls):\n        TABLE[name] = cls\n        return TABLE\n"
    assert reaches_net(train, f"{gives}    return wrap\n")
    assert not reaches_net(train, f"{gives}    return wrap\n".replace("return TABLE", "return cls"))
    inner = """\
def registry():
    held = {}
    def register(name):
        def wrap(cls):
            held[name] = cls
            return cls
        return wrap
    return register, held
register, TABLE = registry()
"""
    assert reaches_net(train, inner)


OTHER = """\
HELD = {}
def register(key, value):
    HELD[key] = value
def look(key):
    return HELD[key]
"""


def test_a_function_with_two_arguments_decorates_nothing() -> None:
    two = TABLE + "OTHER = {}\ndef add(key, register):\n    OTHER[key] = register\nprint(OTHER['x'])\n"
    assert not reaches_net("import table\nprint(table.register)\n", two.replace("def add", "def register_two"))
    named = {
        "train.py": "import nets, other\nother.look('x')\n",
        "table.py": TABLE,
        "nets.py": MARKED,
        "other.py": OTHER,
    }
    assert "Net" not in {scope.name for scope in program_of(named).reached}
    named["other.py"] = named["other.py"].replace("def register(key, value)", "def register(value, key=0)")
    assert "Net" in {scope.name for scope in program_of(named).reached}  # it may be the decorator


TASK = """\
class Base:
    def run(self, name):
        {run}
class Task(Base):
    def do_train(self):
        pass
    @classmethod
    def make(cls, name):
        {make}
class Other:
    def do_train(self):
        pass
"""


def trained(run: str = "pass", make: str = "pass", train: str = "Task().run('train')\n") -> set[str]:
    """Return the classes whose `do_train` runs."""
    files = {
        "train.py": f"from tasks import Task, Other\nOther()\n{train}",
        "tasks.py": TASK.format(run=run, make=make),
    }
    reached = program_of(files).reached
    return {scope.cls.name for scope in reached if scope.name == "do_train" and scope.cls is not None}


def test_methods_of_an_object_under_a_computed_name_run() -> None:
    assert trained("getattr(self, 'do_' + name)()") == {"Task"}
    assert trained("job = getattr(self, f'do_{name}')\n        job()") == {"Task"}
    assert trained("(lambda: getattr(self, 'do_' + name)())()") == {"Task"}
    assert trained(make="return getattr(cls, name)", train="Task.make('do_train')\n") == {"Task"}
    assert trained(train="import sys\ngetattr(Task(), sys.argv[1])()\n") == {"Task", "Other"}
    assert trained(train="import sys\nif __name__ == '__main__':\n    getattr(Task(), sys.argv[1])()\n") == {
        "Task",
        "Other",
    }


def test_methods_that_the_command_line_may_name_run() -> None:
    assert trained(train="import fire\nfire.Fire(Task)\n") == {"Task"}
    assert trained(train="from fire import Fire\nif __name__ == '__main__':\n    Fire(Task())\n") == {"Task"}
    assert trained(train="import fire\ndef main():\n    task = Task()\n    fire.Fire(task)\nmain()\n") == {"Task"}
    assert trained(train="import fire\nfire.Fire({'task': Task, 'main': print})\n") == {"Task"}
    assert trained(train="import jsonargparse\njsonargparse.CLI(Task)\n") == {"Task"}
    assert trained(train="import fire\nclass Mine(Task):\n    pass\nfire.Fire()\n") == {"Task"}
    assert trained(train="import fire\ndef main():\n    Task()\nfire.Fire(main)\n") == set()


def test_other_computed_names_make_no_method_run() -> None:
    assert trained() == set()
    assert trained("getattr(self, 'run')(name)") == set()
    assert trained("getattr(self, name, None)", train="Other().run('train')\n") == set()
    assert trained("getattr(name, name)") == set()
    assert trained("print(getattr(Other, name))") == set()
    assert trained(train="import tasks, sys\ngetattr(tasks, sys.argv[1])()\n") == set()


# a project whose scripts reach `kit/net.py` in several ways, or do not reach it
LEADS = {
    "plain.py": "from kit.net import Net\n",
    "chain.py": "import middle\n",
    "middle.py": "from kit import net\n",
    "package.py": "import kit\n",
    "kit/__init__.py": "from .net import Net\n",
    "kit/net.py": "from mindspore import nn\nclass Net(nn.Cell):\n    pass\n",
    "kit/alone.py": "import os\n",
    "other.py": "import tools.shown\n",
    "tools/shown.py": "import os\n",
    "tools/by_path.py": "import sys\nsys.path.append('..')\nfrom kit.net import Net\n",
    "tools/deep/found.py": "import sys\nsys.path.insert(0, '../../hidden')\nimport behind\n",
    "hidden/behind.py": "import kit.net\n",
    "tools/chain/steps.py": "import sys\nsys.path.append('../../lib')\nimport step\n",
    "lib/step.py": "import sys\nsys.path.append('../../extra')\nimport next_step\n",
    "extra/next_step.py": "import kit.net\n",
    "tools/own/back.py": "import sys\nsys.path.append('../../lib')\nimport lead\n",
    "lib/lead.py": "import back_here\n",
    "tools/own/back_here.py": "import kit.net\n",
    "tools/main/guarded.py": "import sys\nif __name__ == '__main__':\n    sys.path.append('../../lib')\n"
    "    import step\n",
    "tools/main/starts.py": "import guarded\n",
    "tools/idle/elsewhere.py": "import sys\nsys.path.append('../../unused')\nimport nothing_of_it\n",
    "unused/nothing_of_it.py": "import os\n",
    "tools/shadow/kit.py": "import os\n",
    "tools/shadow/shadowed.py": "from kit import Net\n",
    "tools/near/nearer.py": "import far.lead\n",
    "far/lead.py": "import given\n",
    "tools/near/given.py": "import kit.net\n",
    "computed.py": "import importlib, yaml\nname = yaml.safe_load(open('run.yaml'))['net']\n"
    "module = importlib.import_module(name.rpartition('.')[0])\n",
    "run.yaml": "net: kit.net.Net\n",
    "folder.py": "import glob, importlib\nfor path in glob.glob('kit/*.py'):\n    importlib.import_module(path)\n",
}


def test_a_search_path_that_hides_what_leads_to_it_is_searched_last() -> None:
    files = {
        "train.py": "from utils.options import parse\nimport kit.inner\nparse()\n",
        "utils/options.py": "import sys, kit.inner\nsys.path.insert(0, 'kit/own')\ndef parse():\n    return 1\n",
        "kit/__init__.py": "",
        "kit/inner.py": "import deep\n",
        "kit/own/utils/__init__.py": "",
        "kit/own/deep.py": "import os\n",
    }
    imports = program_of(files).project.imports
    train, *rest = (os.path.join(ROOT, *name.split("/")) for name in files)
    assert imports.closure(train) == {train, rest[0], rest[1], rest[2], rest[4]}
    assert imports.roots(train) == (ROOT, os.path.join(ROOT, "kit", "own"))


def test_no_script_that_may_run_a_file_is_left_out() -> None:
    """A walk over the imports backwards finds at least the scripts whose programs contain a file."""
    texts = {os.path.join(ROOT, *name.split("/")): text.encode() for name, text in LEADS.items()}
    entries = Project(Overlay(Nowhere(), {**texts, os.path.join(ROOT, ".git"): b""})).entries
    scripts = tuple(path for path in texts if path.endswith(".py"))
    importers, closure = Importers(entries.imports, scripts), entries.imports.closure
    for path in scripts:
        assert importers.may_run(path) >= {script for script in scripts if path in closure(script)}, path
    net = os.path.join(ROOT, "kit", "net.py")
    ways = {os.path.basename(script) for script in scripts if net in closure(script)}
    assert ways >= {"plain.py", "by_path.py", "found.py", "nearer.py", "computed.py"}
    assert ways >= {"steps.py", "back.py", "guarded.py"}
    assert importers.may_run(net).isdisjoint(
        os.path.join(ROOT, *name.split("/")) for name in ("other.py", "tools/idle/elsewhere.py")
    )
