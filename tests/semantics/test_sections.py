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
    place = reveal(files).known[0].place
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
