"""Edits where a setting is decided outside of the call: in an option's default, or in a config file."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import pytest
from semantics.test_values import program

from ms_perflint.edits import set_setting
from ms_perflint.edits.settings import decided

PARSER = (
    "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--x', {})\nargs = parser.parse_args()\n"
)
LOADER = "import json, yaml\nconfig = {}\n"


def changed(files: Mapping[str, str], text: str, yaml: str) -> str:
    """Return the text that setting the argument of `reveal(...)` changes, as it is then; "" where nothing can be."""
    made = program(files)
    (site,) = made.sites("reveal")
    setting = decided(made.value(site.node.args[0], site.scope))  # type: ignore[attr-defined]
    assert setting is not None
    edits = set_setting(made, setting, text, yaml)
    if edits is None:
        return ""
    (edit,) = edits
    raw = (made.project.raw(edit.path) or b"").decode()
    line = raw.count("\n", 0, edit.start)
    return (raw[: edit.start] + edit.text + raw[edit.end :]).splitlines()[line]


@pytest.mark.parametrize(
    ("option", "expression", "expected"),
    [
        ("default=False", "args.x", "parser.add_argument('--x', default=True)"),
        ("type=eval, default='False'", "args.x", "parser.add_argument('--x', type=eval, default='True')"),
        (
            "action='store_true'",
            "args.x",
            "parser.add_argument('--x', action=argparse.BooleanOptionalAction, default=True)",
        ),
        # worked out from what stands there: nobody knows what to write
        ("default=True", "not args.x", ""),
        ("action='store_true'", "not args.x", ""),
        ("default='EAGER'", "args.x == 'GRAPH'", ""),
        ("default=0", "bool(args.x)", ""),
    ],
)
def test_default(option: str, expression: str, expected: str) -> None:
    assert changed({"train.py": f"{PARSER.format(option)}reveal({expression})"}, "True", "true") == expected


def test_a_flag_means_what_its_name_says() -> None:
    text = f"{PARSER.format('action=' + repr('store_true'))}reveal(args.x)"
    line = changed({"train.py": text}, "True", "true")
    parser = argparse.ArgumentParser()
    exec(line, {"argparse": argparse, "parser": parser})
    assert [parser.parse_args(given).x for given in ([], ["--x"], ["--no-x"])] == [True, True, False]


@pytest.mark.parametrize(
    ("name", "content", "expression", "expected"),
    [
        ("c.yaml", "x: False  # no", "config['x']", "x: True  # no"),
        ("c.yaml", "a: {x: no, y: 1}", "config['a']['x']", "a: {x: yes, y: 1}"),
        ("c.yaml", "x: True", "not config['x']", ""),
        ("c.yaml", "x: EAGER", "config['x'] == 'GRAPH'", ""),
        ("c.json", '{"x": false}', "config['x']", '{"x": true}'),
    ],
)
def test_config_file(name: str, content: str, expression: str, expected: str) -> None:
    load = "json.load" if name.endswith(".json") else "yaml.safe_load"
    text = LOADER.format(f"{load}(open('{name}'))") + f"reveal({expression})"
    assert changed({"train.py": text, name: content}, "True", "true") == expected


def test_quotes_are_kept() -> None:
    files = {"train.py": LOADER.format("json.load(open('c.json'))") + "reveal(config['x'])", "c.json": '{"x": "O0"}'}
    assert changed(files, '"O2"', "O2") == '{"x": "O2"}'
