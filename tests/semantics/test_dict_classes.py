"""Objects of classes that derive from dict: what fills them in their constructors, and how it is read."""

from __future__ import annotations

import textwrap

import pytest
from reveal import reveal, shown

START = """
    import yaml
    from collections import OrderedDict, UserDict

    def read(path):
        with open(path) as file:
            return yaml.safe_load(file)
    """
FILLED = [
    "def __init__(self, path):\n    self.update(read(path))",
    "def __init__(self, path):\n    super().__init__(read(path))",
    "def __init__(self, path):\n    super(Config, self).__init__(read(path))",
    "def __init__(self, path):\n    dict.__init__(self, read(path))",
    "def __init__(self, path):\n    super().__init__()\n    super().update(read(path))",
    "def __init__(self, path):\n    for k, v in read(path).items():\n        self[k] = v",
    "def __init__(self, path):\n    d = read(path)\n    for k in d:\n        self[k] = d[k]",
    "def __init__(self, path):\n    super().__init__()\n    self.update(**read(path))",
    "def __init__(self, path):\n    self.load(path)\ndef load(self, path):\n    self.update(read(path))",
    "def __init__(self, path):\n    Config.fill(self, path)\n@staticmethod\n"
    "def fill(config, path):\n    config.update(read(path))",
    "def __init__(self, path):\n    Config.fill(self, read(path))\n@staticmethod\n"
    "def fill(config, d):\n    for k, v in d.items():\n        config[k] = v",
    "def __init__(self, path):\n    self.update(Config.parsed(path))\n@staticmethod\n"
    "def parsed(path):\n    with open(path) as file:\n        return yaml.safe_load(file)",
    "def __init__(self, path):\n    self.update(self.parsed(path))\n@staticmethod\n"
    "def parsed(path):\n    return read(path)",
    "def __init__(self, path):\n    self.update(self.parsed(path))\n@classmethod\n"
    "def parsed(cls, path):\n    return read(path)",
    "def __init__(self, *paths):\n    for path in paths:\n        self.update(read(path))",
    "def __init__(self, path):\n    whole = {}\n    whole.update(read(path))\n    super().__init__(whole)",
]
READ = ["config['x']", "config.get('x')", "config.get('x', 5)", "Config('c.yaml')['x']"]


def of(body: str, read: str, base: str = "dict") -> str:
    """Return what is read from an object of a class with this body."""
    cls = f"class Config({base}):\n{textwrap.indent(body, '    ')}\n"
    code = textwrap.dedent(START) + cls + "config = Config('c.yaml')\n" + f"reveal({read})\n"
    return shown(reveal({"train.py": code, "c.yaml": "x: 2\ny: 3\n"}))


@pytest.mark.parametrize("body", FILLED)
def test_what_a_constructor_fills_in_is_read(body: str) -> None:
    assert of(body, "config['x']").startswith("2")
    assert not of(body, "config['z']").startswith(("2", "3"))


@pytest.mark.parametrize("read", READ)
def test_ways_to_read(read: str) -> None:
    assert of(FILLED[0], read).startswith("2")


@pytest.mark.parametrize("base", ["OrderedDict", "UserDict", "Base"])
def test_bases(base: str) -> None:
    body = FILLED[0]
    if base == "Base":
        body, base = f"{body}\nclass Other(dict): pass", "dict"
    assert of(body, "config['x']", base).startswith("2")


@pytest.mark.parametrize(
    "method",
    [
        "def __getattr__(self, name):\n    return self[name]",
        "def __getattr__(self, name):\n    return self.get(name)",
        "def __getattr__(self, name):\n    if name in self:\n        return self[name]\n    return None",
        "def __getattr__(self, name):\n    try:\n        return self[name]\n"
        "    except KeyError:\n        raise AttributeError(name)",
    ],
)
def test_attributes(method: str) -> None:
    assert of(f"{FILLED[0]}\n{method}", "config.x").startswith("2")


@pytest.mark.parametrize(
    ("body", "later", "expected"),
    [
        (FILLED[0], "config['x'] = 7\n", "7"),
        (FILLED[0], "config.update({'x': 7})\n", "7"),
        (FILLED[0], "config.update(x=7)\n", "7"),
        (FILLED[0], "config['y'] = 7\n", "2"),
        (FILLED[0] + "\n    self.update({'x': 7})", "", "7"),
        (FILLED[0] + "\n    self['x'] = 7", "", "7"),
        (FILLED[0] + "\n    self['x'] += 7", "", "2 ..."),
        (FILLED[0] + "\n    self['x'], b = unknown()", "", "2 ..."),
        (FILLED[0] + "\n    self['y'] = 7", "", "2"),
    ],
)
def test_what_comes_later_is_on_top(body: str, later: str, expected: str) -> None:
    code = f"{later}reveal(config['x'])"
    cls = f"class Config(dict):\n{textwrap.indent(body, '    ')}\n"
    whole = textwrap.dedent(START) + cls + "config = Config('c.yaml')\n" + code
    assert shown(reveal({"train.py": whole, "c.yaml": "x: 2\ny: 3\n"})).startswith(expected)


@pytest.mark.parametrize(
    "body",
    [
        "def __init__(self, path):\n    self.other = {}\n    self.other.update(read(path))",
        "def __init__(self, path):\n    read(path)",
        "def __init__(self, path):\n    for k in range(3):\n        self[k] = read(path)['x']",
        "def __init__(self, path):\n    pass\ndef load(self, path):\n    self.update(read(path))",
        "def __init__(self, path):\n    Config.fill({}, path)\n@staticmethod\n"
        "def fill(config, path):\n    config.update(read(path))",
        FILLED[0] + "\ndef __getitem__(self, key):\n    return unknown(key)",
    ],
)
def test_what_fills_something_else_is_not_read(body: str) -> None:
    assert not of(body, "config['x']").startswith("2 ?") and of(body, "config['x']") != "2"


def test_two_objects_of_a_class_hold_their_own() -> None:
    cls = f"class Config(dict):\n{textwrap.indent(FILLED[0], '    ')}\n"
    code = textwrap.dedent(START) + cls + "a, b = Config('c.yaml'), Config('d.yaml')\nreveal(b['x'])\n"
    assert shown(reveal({"train.py": code, "c.yaml": "x: 2\n", "d.yaml": "x: 4\n"})).startswith("4")


@pytest.mark.parametrize("made", ["Config(self.c)", "Config(Config(self.c))", "Config(**self.c)"])
@pytest.mark.parametrize("read", ["self.c['x']", "self.c.x", "self.c['x']['y']"])
def test_an_object_around_what_it_takes_the_place_of_is_not_known(made: str, read: str) -> None:
    config = "class Config(dict):\n    def __init__(self, given=(), **more):\n        super().__init__(given)\n"
    holder = f"class Model:\n    def __init__(self):\n        self.c = load()\n        self.c = {made}\n"
    assert shown(reveal(f"{config}        self.update(more)\n{holder}        reveal({read})\nModel()\n")) == "..."
