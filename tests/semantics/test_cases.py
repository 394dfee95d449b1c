"""`match` statements: what a name is behind them, and what their tests are called."""

from __future__ import annotations

import sys
import textwrap

import pytest
from programs import case, fires, quiet
from reveal import program, reveal, shown

from ms_perflint.index.reachability import path_condition

pytestmark = pytest.mark.skipif(sys.version_info < (3, 10), reason="match statements came with Python 3.10")

MATCH = """
    x = 0
    match {subject}:
        case "GRAPH" | "graph":
            x = 1
        case None:
            x = 2
        case {last}:
            x = 3
    reveal(x)
    """

SUBJECTS = [
    ("'GRAPH'", "'EAGER'", "1"),
    ("'graph'", "_", "1"),
    ("None", "_", "2"),
    ("'EAGER'", "_", "3"),
    ("'EAGER'", "'OTHER'", "0"),
    ("unknown()", "_", "1 2 3"),
    ("unknown()", "'EAGER'", "0 1 2 3"),
    ("'EAGER'", "str()", "0 3"),
    ("'EAGER'", "[first, *rest]", "0 3"),
    ("'EAGER'", "{'key': value, **rest}", "0 3"),
    ("'EAGER'", "_ if unknown()", "0 3"),
    ("True", "False | True", "3"),
    ("'EAGER'", "False | True", "0"),
    ("'EAGER'", "other if False", "0"),
]


@pytest.mark.parametrize(("subject", "last", "expected"), SUBJECTS)
def test_subject(subject: str, last: str, expected: str) -> None:
    assert shown(reveal(textwrap.dedent(MATCH).format(subject=subject, last=last))) == expected


NAMES = [
    ("match 1:\n    case other:\n        reveal(other)", "1"),
    ("match 1:\n    case 1 as other:\n        reveal(other)", "1"),
    ("match [1]:\n    case [other]:\n        reveal(other)", "1"),
    ("match {}:\n    case {'x': other}:\n        reveal(other)", ""),
    ("other = 2\nmatch 1:\n    case other:\n        pass\nreveal(other)", "1"),
    (
        "other = 2\nmatch f():\n    case 3:\n        pass\n    case other:\n        pass\nreveal(other)",
        "2 ...",
    ),
]


@pytest.mark.parametrize(("text", "expected"), NAMES)
def test_name(text: str, expected: str) -> None:
    assert shown(reveal(text)) == expected


def test_a_subject_is_read_once() -> None:
    text = """
        def f(x):
            reveal(x)
            return x

        match f(1):
            case 1:
                pass
            case 2:
                pass
        """
    assert shown(reveal(text)) == "1"


TOLD = [
    ('match x:\n    case "a" | "b":\n        reveal(1)', 'x in ("a", "b")'),
    ("match x:\n    case 1:\n        reveal(1)", "x == 1"),
    ("match x:\n    case None:\n        reveal(1)", "x is None"),
    ("match x:\n    case [1, y] if y > 1:\n        reveal(1)", "match x: case [1, y] and y > 1"),
    ("x or reveal(1)", "not x"),
    ("def f():\n    if x:\n        if y:\n            return\n    reveal(1)\nf()", "not (x and y)"),
]


@pytest.mark.parametrize(("text", "expected"), TOLD)
def test_a_test_that_stands_in_no_source_has_words(text: str, expected: str) -> None:
    (site,) = program(text).sites("reveal")
    assert [each.text for each in path_condition(site.block)] == [expected]


PROGRAM = """
    from argparse import ArgumentParser

    import mindspore as ms
    from network import make

    parser = ArgumentParser()
    parser.add_argument("--mode", default={default!r})
    args = parser.parse_args()
    match args.mode:
        case "GRAPH":
            ms.set_context(mode=ms.GRAPH_MODE)
        case _:
            ms.set_context(mode=ms.PYNATIVE_MODE){mark}
    model = ms.Model(make(), None, None)
    model.train(1, None)
    """
CHOSEN = case("a-user-who-passes-nothing", PROGRAM.format(default="PYNATIVE", mark="  # !"))
LEFT = case("a-user-has-to-ask-for-it", PROGRAM.format(default="GRAPH", mark=""))


@pytest.mark.parametrize("chosen", [CHOSEN])
def test_the_usual_case_speaks(chosen: object) -> None:
    fires("MSP101", chosen)  # type: ignore[arg-type]


@pytest.mark.parametrize("left", [LEFT])
def test_other_cases_are_opt_in(left: object) -> None:
    quiet("MSP101", left)  # type: ignore[arg-type]
