"""Settings of TOML and INI files."""

from __future__ import annotations

import os

import pytest
from reveal import reveal, shown

TOML = """\
top = 1

[train]
mode = "GRAPH"
sink = false
sizes = [1, 2]

[train.more]
x = 2
"""
LOADS = [
    ("import tomllib\nwith open('c.toml', 'rb') as file:\n    cfg = tomllib.load(file)", "cfg['top']", "1 ?"),
    ("import tomli\ncfg = tomli.loads(open('c.toml').read())", "cfg['train']['mode']", "'GRAPH' ?"),
    ("import toml\ncfg = toml.load('c.toml')", "cfg['train']['sink']", "False ?"),
    ("import toml\ncfg = toml.load('c.toml')", "cfg['train']['sizes'][1]", "2 ?"),
    ("import toml\ncfg = toml.load('c.toml')", "cfg['train']['more']['x']", "2 ?"),
    ("import toml\ncfg = toml.load('c.toml')", "cfg['train'].get('y', 3)", "3 ?"),
    ("import toml\ncfg = toml.load('other.toml')", "cfg['top']", "..."),
    ("import toml\ncfg = toml.load('wrong.toml')", "cfg['top']", "..."),
    (
        "try:\n    import tomllib\nexcept ImportError:\n    import tomli as tomllib\n"
        "cfg = tomllib.load(open('c.toml', 'rb'))",
        "cfg['top']",
        "1 ?",
    ),
]


@pytest.mark.parametrize(("text", "expression", "expected"), LOADS)
def test_toml(text: str, expression: str, expected: str) -> None:
    files = {"train.py": f"{text}\nreveal({expression})", "c.toml": TOML, "wrong.toml": "top = \n"}
    assert shown(reveal(files)) == expected


PLACES = [("cfg['top']", 1), ("cfg['train']['sink']", 5), ("cfg['train']['more']['x']", 9)]


@pytest.mark.parametrize(("expression", "row"), PLACES)
def test_the_row_of_a_key(expression: str, row: int) -> None:
    files = {"train.py": f"import toml\ncfg = toml.load('c.toml')\nreveal({expression})", "c.toml": TOML}
    place = reveal(files).alternatives[0].place
    assert (os.path.basename(place.path), place.row) == ("c.toml", row)


INI = """\
[DEFAULT]
device = Ascend

[train]
Mode = GRAPH
sink = yes
steps = 3
rate = 1e-3
"""
GETS = [
    ("cfg['train']['mode']", "'GRAPH' ?"),
    ("cfg['train']['device']", "'Ascend' ?"),
    ("cfg['train'].getboolean('sink')", "True ?"),
    ("cfg.get('train', 'mode')", "'GRAPH' ?"),
    ("cfg.get('train', 'Mode')", "'GRAPH' ?"),
    ("cfg.getboolean('train', 'sink')", "True ?"),
    ("cfg.getboolean('train', 'mode')", "... ?"),
    ("cfg.getint('train', 'steps')", "3 ?"),
    ("cfg.getfloat('train', 'rate')", "0.001 ?"),
    ("cfg.getint('train', 'other', fallback=4)", "4 ?"),
    ("cfg.getint('train', 'other')", "..."),
    ("cfg.getint('test', 'steps')", "..."),
    ("cfg.getint(unknown(), 'steps')", "..."),
]


@pytest.mark.parametrize(("expression", "expected"), GETS)
def test_ini(expression: str, expected: str) -> None:
    text = f"import configparser\ncfg = configparser.ConfigParser()\ncfg.read('c.ini')\nreveal({expression})"
    assert shown(reveal({"train.py": text, "c.ini": INI})) == expected


READS = ["", "cfg.read('other.ini')", "cfg.read(unknown())", "cfg.read('c.ini')\ncfg.read('more.ini')"]


@pytest.mark.parametrize("read", READS)
def test_a_parser_of_files_that_are_not_known(read: str) -> None:
    text = f"import configparser\ncfg = configparser.ConfigParser()\n{read}\nreveal(cfg.getint('train', 'steps'))"
    assert shown(reveal({"train.py": text, "c.ini": INI, "more.ini": "[train]\nsteps = 4"})) == "..."


NO_VALUE = [
    ("c.toml", "x = inf"),
    ("c.toml", "x = -inf"),
    ("c.toml", "x = nan"),
    ("c.toml", "x = 1e999"),
    ("c.toml", "x = 1979-05-27"),
    ("c.toml", "x = 07:32:00"),
    ("c.toml", "x = 0x" + "f" * 1_000),
    ("c.toml", "x = " + "9" * 4_000),
    ("c.toml", "x = [inf]"),
]
BEYOND = [
    ("c.toml", "x = " + "9" * 10_000),  # tomllib refuses these
    ("c.toml", "x = 1979-13-99"),
    ("c.toml", "y = 2"),
    ("c.toml", "z = " + "[" * 100_000 + "]" * 100_000),
    ("c.toml", ".".join("a" * 150) + " = 1"),
    ("c.toml", ".".join("a" * 200_000) + " = 1"),
    ("c.toml", ".".join(["'a b'"] * 50_000) + " = 1"),
    ("c.toml", "[" + ".".join("a" * 200_000) + "]"),
    ("c.ini", "a" + " " * 400_000 + "b"),
    ("c.ini", "y = 1\ny" + " " * 400_000 + "b"),
    (
        "c.ini",
        "".join(f"b{number} = 1\n" for number in range(1_000)) + "".join(f"[s{number}]\n" for number in range(1_000)),
    ),
]
FINE = [
    ("c.toml", 'text = """\n[' + " " * 400_000 + 'x\n"""'),  # no header, though it begins like one
    ("c.toml", "text = '" + "a" * 400_000 + "'"),
    ("c.toml", "values = [" + "0.1, " * 50_000 + "]"),
    ("c.toml", "z = " + "[" * 90 + "]" * 90),
    ("c.ini", "text = " + "a" * 400_000),
    ("c.ini", "\n".join(f"a{number} = {'9' * 5_000}" for number in range(50))),
    ("c.ini", "[" + "a." * 100_000 + "]\n" + "\n".join(f"b{number} = 1" for number in range(20_000))),
]


def _of_file(path: str, expression: str, content: str) -> str:
    loads = {
        "c.toml": "import toml\ncfg = toml.load('c.toml')",
        "c.ini": "import configparser\nconfig = configparser.ConfigParser()\nconfig.read('c.ini')\ncfg = config['top']",
    }
    return shown(reveal({"train.py": f"{loads[path]}\nreveal({expression})", path: content}))


@pytest.mark.parametrize(("path", "line"), NO_VALUE, ids=lambda part: part[:20])
def test_a_value_that_is_no_number_is_unknown_and_the_rest_of_the_file_is_known(path: str, line: str) -> None:
    content = f"{line}\ny = 1\n"
    assert _of_file(path, "cfg['x'][0]" if "[" in line else "cfg['x']", content) == "..."
    assert _of_file(path, "cfg['y']", content) == "1 ?"


@pytest.mark.parametrize(("path", "lines"), BEYOND, ids=lambda part: part[:20])
def test_a_file_beyond_the_bounds_is_no_config(path: str, lines: str) -> None:
    top = {"c.ini": "[top]\ny = 1\n[DEFAULT]\n", "c.toml": "y = 1\n"}[path]
    assert _of_file(path, "cfg['y']", f"{top}{lines}\n") == "..."


@pytest.mark.parametrize(("path", "lines"), FINE, ids=lambda part: part[:20])
def test_a_large_file_within_the_bounds_is_read(path: str, lines: str) -> None:
    top, expected = {"c.ini": ("[top]\ny = 1\n", "'1' ?"), "c.toml": ("y = 1\n", "1 ?")}[path]
    assert _of_file(path, "cfg['y']", f"{top}{lines}\n") == expected


@pytest.mark.parametrize(
    ("getter", "text", "expected"),
    [
        ("getint", "9" * 10_000, "... ?"),
        ("getint", "inf", "... ?"),
        ("getint", "1e999", "... ?"),
        ("getfloat", "many", "... ?"),
        ("getboolean", "9" * 10_000, "... ?"),
        ("getint", "0x_", "... ?"),
    ],
    ids=lambda part: part[:20],
)
def test_a_text_that_is_no_number(getter: str, text: str, expected: str) -> None:
    assert _of_file("c.ini", f"cfg.{getter}('x')", f"[top]\nx = {text}\ny = 1\n") == expected
    assert _of_file("c.ini", "cfg.getint('y')", f"[top]\nx = {text}\ny = 1\n") == "1 ?"
