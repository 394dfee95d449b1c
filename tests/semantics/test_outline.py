"""What the bytes of a file say: which names it may have, and whether importing it does something."""

from __future__ import annotations

import pytest

from ms_perflint.resolve.outline import ImportWork, outline

HELPERS = """
import os

def set_up():
    configure(1)

def is_ready():
    return import_module("ready") and set_up()

def _has_device():
    return os.environ.get("DEVICE") is not None

def get_rank():
    return configure(0)

def configure(level):
    os.environ["LEVEL"] = str(level)

def scaled(values, by=2):
    return [value * by for value in values]

def first():
    return second()

def second():
    return first()

class Config:
    def load_all(self):
        configure(2)
"""


def acts(text: str, watched: frozenset[bytes] = frozenset()) -> bool:
    """Return whether importing a file with this text, beside the helpers, does something."""
    file = outline(text.encode())
    return ImportWork([(file, watched), (outline(HELPERS.encode()), frozenset())]).acts(file, watched)


@pytest.mark.parametrize(
    "text",
    [
        "set_up()",
        "helpers.set_up()",
        "rank = set_up()",
        "for level in range(3):\n    configure(level)",
        "try:\n    import a\nexcept ImportError:\n    set_up()",
        "table = {\n    'a': set_up(),\n}",
        "config = Config()\nconfig.load_all()",
        "import os\nos.environ['A'] = '1'",
        "if os.environ.get('A'):\n    LEVEL = 1",
        "ms.set_context(mode=0)",
        "def own():\n    set_up()\n\nown()",
        "exec(text)",
        "x = 1 # '''\nset_up()\n# '''",
        "if is_ready():\n    set_up()",
        "ms.zero_dim(2)",
        "isolate = set_up()",
        "get_rank()",  # of the project
    ],
)
def test_acts(text: str) -> None:
    assert acts(text, frozenset({b"ms"}))


@pytest.mark.parametrize(
    "text",
    [
        "first()",  # goes in a circle, and does nothing else
        "",
        "import helpers\nfrom helpers import (\n    set_up,\n    configure,\n)",
        '"""\nset_up()\n"""',
        "'''a \\''' set_up()'''",
        "# set_up()",
        "def later():\n    set_up()",
        "async def later(\n    a,\n):\n    set_up()",
        "class Later(\n    Base,\n):\n    def go(self):\n        set_up()",
        "if __name__ == '__main__':\n    set_up()",
        "LOGGER = logging.getLogger(__name__)\nLOGGER.info('set_up()')",
        "NAMES = scaled([1, 2])\n__all__ = ['set_up']\n__all__.extend(other.__all__)",
        "CONFIG = Config()",
        "CAST = ms.Cast()",
        "READY = is_ready()",
        "if _has_device() and not helpers.is_ready():\n    import other",
        "if ms.is_available('Ascend'):\n    RANK = ms.get_rank()",
        "MODE = ms.get_context('mode')",
        "ZERO, ONE = ms.tensor(0), ms.ones((1, 2))",
        "@register('name')\nclass Net:\n    pass",
        "TABLE = {'set_up': set_up}",
    ],
)
def test_does_not_act(text: str) -> None:
    assert not acts(text, frozenset({b"ms"}))


def test_names_of_the_module() -> None:
    file = outline(
        b"import a.b as c\nfrom d import (e as f,\n    g)\nh = i = 1\nif x:\n    j: int = 2\n"
        b"def k(l):\n    m = 1\nclass N:\n    o = 1\n"
    )
    assert all(name in file.binds for name in "cfghijkN")
    assert not any(name in file.binds for name in "lmo")


def test_stars() -> None:
    file = outline(b"from a import *\nif x:\n    from ..b.c import (*)\n# from d import *\nfrom e import f\n")
    assert file.stars == ("a", "..b.c")
    assert outline(b"from .a import*\nfrom .import *\nfrom. b import(*)\nx = 1; from c import *\n").stars == (
        ".a", ".", ".b", "c"
    )  # fmt: skip
    assert "whatever" not in file.binds


@pytest.mark.parametrize(
    "text",
    [
        "settings.mode = 1",
        "settings['a b']['mode'] = 1",
        "settings.inner.mode += 1",
        "settings[key]: int = value(1)",
        "settings.update(mode=1)",
        "settings['rows'].append({'mode': 1})",
        "if flag == 1:\n    settings.mode = 1",
        "try:\n    import a\nexcept ImportError:\n    settings.mode = 1",
    ],
)
def test_changed(text: str) -> None:
    assert outline(text.encode()).changed == {"settings"}


@pytest.mark.parametrize(
    "text",
    [
        "mode = settings.mode",
        "settings = {}",
        "flag = settings.mode == 1",
        "settings.run(mode=1)",
        "print(settings.mode, end='')",
        "# settings.mode = 1",
        "def run():\n    settings.mode = 1",
        "if __name__ == '__main__':\n    settings.mode = 1",
    ],
)
def test_not_changed(text: str) -> None:
    assert not outline(text.encode()).changed
