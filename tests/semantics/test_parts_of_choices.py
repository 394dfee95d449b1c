"""What is taken of a thing that an option chooses is by default that of the default: `(b if fast else a).level`."""

from __future__ import annotations

import textwrap

import pytest
from reveal import reveal, shown

START = """
    import argparse
    import enum
    import types
    from dataclasses import dataclass

    parser = argparse.ArgumentParser()
    parser.add_argument("--fast", type=bool, default=False)
    parser.add_argument("--tuned", type=bool, default=True)
    parser.add_argument("--kind", default="slow", choices=["slow", "quick"])
    args = parser.parse_args()

    class Slow:
        v = 1

        def level(self):
            return 1

    class Quick:
        v = 2

        def level(self):
            return 2

    @dataclass
    class Settings:
        v: int = 1

    class Kind(enum.Enum):
        slow = 1
        quick = 2

    slow = {"v": 1}
    quick = {"v": 2}
    """
INIT = "class Config:\n    def __init__(self, tuned):\n        {}\nConfig(args.tuned).v"
CHOSEN = [
    "(Quick if args.fast else Slow).v",
    "(Quick() if args.fast else Slow()).v",
    "(Quick if args.fast else Slow)().level()",
    "getattr(Quick if args.fast else Slow, 'v')",
    "(Kind.quick if args.fast else Kind.slow).value",
    "Kind[args.kind].value",
    "(quick if args.fast else slow)['v']",
    "(quick if args.fast else slow).get('v')",
    "dict(quick if args.fast else slow)['v']",
    "{**slow, **(quick if args.fast else {})}['v']",
    "dict(slow, **(quick if args.fast else {}))['v']",
    "Settings(**(quick if args.fast else {})).v",
    "types.SimpleNamespace(**(quick if args.fast else slow)).v",
    "((2, 2) if args.fast else (1,))[0]",
    "list((2,) if args.fast else (1,))[0]",
    "[x for x in ((2,) if args.fast else (1,))][0]",
    "config = dict(slow)\nconfig.update(quick if args.fast else slow)\nconfig['v']",
    "config = dict(slow)\nconfig.update(quick if args.fast else {})\nconfig['v']",
    "config = dict(slow)\nconfig |= quick if args.fast else {}\nconfig['v']",
    "config = types.SimpleNamespace(v=1)\nconfig.__dict__.update(quick if args.fast else {})\nconfig.v",
    "config = Slow\nif args.fast:\n    config = Quick\nconfig.v",
    "v, _ = (2, 3) if args.fast else (1, 4)\nv",
    "v, *_ = (2, 3) if args.fast else (1, 4)\nv",
    "(v, _), c = ((2, 3), 1) if args.fast else ((1, 4), 1)\nv",
]
REPLACED = [
    # what comes before a store that runs by default needs an option
    "v = 1\nif args.tuned:\n    v = 2\nv",
    "config = {'v': 1}\nif args.tuned:\n    config['v'] = 2\nconfig['v']",
    "config = {'v': 1}\nif not args.fast:\n    config['v'] = 2\nconfig['v']",
    "config = {'v': 1}\nif args.kind == 'slow':\n    config['v'] = 2\nconfig['v']",
    "config = {'v': 1}\nif args.tuned:\n    config.update(v=2)\nconfig['v']",
    "config = {**slow, **(quick if args.tuned else {})}\nconfig['v']",
    "config = dict(slow, **(quick if args.tuned else {}))\nconfig['v']",
    "config = slow\nif args.tuned:\n    config = quick\nconfig['v']",
    "config = Slow()\nif args.tuned:\n    config.v = 2\nconfig.v",
    "if args.tuned:\n    Slow.v = 2\nSlow.v",
    "config = types.SimpleNamespace(v=1)\nif args.tuned:\n    config.v = 2\nconfig.v",
    "config = types.SimpleNamespace(v=0)\nif args.tuned:\n    config.v = 2\nelse:\n    config.v = 1\nconfig.v",
    INIT.format("self.v = 1\n        if tuned:\n            self.v = 2"),
    INIT.format("self.v = 1\n        if tuned:\n            self.w = 1\n            self.v = 2"),
    INIT.format("if tuned:\n            self.v = 2\n        else:\n            self.v = 1"),
]
BOTH = [
    # no option chooses
    "(Quick if unknown() else Slow).v",
    "v, _ = (2, 3) if unknown() else (1, 4)\nv",
    "config = dict(slow)\nconfig.update(quick if unknown() else {})\nconfig['v']",
    "config = dict(quick)\nconfig.update({} if unknown() else slow)\nconfig['v']",
    "config = dict(slow)\nconfig.update(**(quick if unknown() else {}))\nconfig['v']",
    "config = {'v': 1}\nif unknown():\n    config['v'] = 2\nconfig['v']",
    "config = {'v': 1}\nif args.tuned and unknown():\n    config['v'] = 2\nconfig['v']",
    INIT.format("self.v = 1\n        if unknown():\n            self.v = 2"),
]
OTHERWISE = [
    # what is there only with an option has what it has
    ("config = None\nif args.fast:\n    config = Quick\nconfig.v", "2"),
    ("config = None\nif args.fast:\n    config = quick\nconfig['v']", "2 ..."),
    # the update leaves what was there only with the option
    ("config = dict(quick)\nconfig.update({} if args.fast else slow)\nconfig['v']", "1 (2) ?"),
    ("config = dict(slow)\nconfig.update({'w': 2} if args.fast else {})\nconfig['v']", "1"),
    # a store that runs by default behind the read, in a loop or in another object replaces nothing
    ("config = {'v': 1}\nfound = config['v']\nif args.tuned:\n    config['v'] = 2\nfound", "1"),
    ("config = {'v': 1}\nfor i in unknown():\n    if args.tuned:\n        config['v'] = 2\nconfig['v']", "1 2 ?"),
    ("config, other = {'v': 1}, {'v': 0}\nif args.tuned:\n    other['v'] = 2\nconfig['v']", "1"),
]


def value(text: str) -> str:
    """Return what the last line of a program can be."""
    *before, last = text.split("\n")
    return shown(reveal("\n".join([textwrap.dedent(START), *before, f"reveal({last})"])))


@pytest.mark.parametrize("text", CHOSEN)
def test_a_part_is_by_default_that_of_the_default(text: str) -> None:
    assert set(value(text).split()) - {"?"} == {"1", "(2)"}


@pytest.mark.parametrize("text", REPLACED)
def test_a_store_that_runs_by_default_gives_the_default(text: str) -> None:
    assert {"2", "(1)"} <= set(value(text).split()) <= {"2", "(1)", "(0)", "?"}


@pytest.mark.parametrize("text", BOTH)
def test_a_part_of_two_things_is_either(text: str) -> None:
    assert set(value(text).split()) - {"?"} == {"1", "2"}


@pytest.mark.parametrize(("text", "expected"), OTHERWISE)
def test_what_only_an_option_gives(text: str, expected: str) -> None:
    assert value(text) == expected
