"""MSP101: a mode that a program looks up: by a loop, `next`, `filter`, in a `try`, under a name that it computes."""

from __future__ import annotations

import pytest
from checks.test_msp101 import IMPORTS, TRAIN
from programs import Program, fires, join, quiet

CODE = "MSP101"
OPTIONS = """
    import argparse
    import sys

    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="{}", choices=["eager", "graph"])
    args = parser.parse_args()
    MODES = {{"graph": ms.GRAPH_MODE, "eager": ms.PYNATIVE_MODE}}
    """
# What sets `mode` to what the name in braces says
LOOK_UPS = [
    "for name, mode in MODES.items():\n    if name == {}:\n        break\n",
    "mode = None\nfor name, value in MODES.items():\n    if name == {}:\n        mode = value\n        break\n",
    "for name, value in MODES.items():\n    if name != {}:\n        continue\n    mode = value\n",
    "for name, value in MODES.items():\n    if name == {}:\n        mode = value\n        break\n"
    "else:\n    raise ValueError(name)\n",
    "def find(wanted):\n    for name, value in MODES.items():\n        if name == wanted:\n            return value\n"
    "    return None\n\n\nmode = find({})\n",
    "try:\n    mode = MODES[{}]\nexcept KeyError:\n    mode = ms.GRAPH_MODE\n",
    "try:\n    mode = MODES[{}]\nexcept KeyError:\n    mode = ms.PYNATIVE_MODE\n",
    "mode = next(value for name, value in MODES.items() if name == {})\n",
    "mode = next((value for name, value in MODES.items() if name == {}), None)\n",
    "mode = [value for name, value in MODES.items() if name == {}][0]\n",
    "mode = list(filter(lambda row: row[0] == {}, MODES.items()))[0][1]\n",
    "mode = [ms.GRAPH_MODE, ms.PYNATIVE_MODE][['graph', 'eager'].index({})]\n",
    "globals().update(mode=MODES[{}])\n",
]
# The same, where it is not known what is found, or something else is
OTHERS = [
    "mode = None\nfor name, value in MODES.items():\n    if name == {} and unknown():\n        mode = value\n",
    "mode = 0\nfor name, value in MODES.items():\n    if unknown():\n        break\n"
    "    if name == {}:\n        mode = value\n",
    "for name, value in MODES.items():\n    mode = value\n    if unknown(name == {}):\n        break\n",
    "try:\n    check({})\n    mode = MODES[{}]\nexcept KeyError:\n    mode = ms.GRAPH_MODE\n",
    "MODES.pop('eager', unknown({}))\ntry:\n    mode = MODES[{}]\nexcept KeyError:\n    mode = ms.GRAPH_MODE\n",
    "mode = next(value for name, value in MODES.items() if name == {} or unknown())\n",
    "mode = 1\nsetattr(sys.modules[__name__], unknown({}), 0)\n",
    "mode = 1\nfor name in unknown({}):\n    setattr(sys.modules[__name__], name, 0)\n",
]


def program(text: str, wanted: str, default: str, mark: str = "") -> Program:
    set_up = join(IMPORTS, OPTIONS.format(default))
    setting = f"ms.set_context(mode=mode){mark}\n"
    return Program({"train.py": set_up + text.replace("{}", wanted) + setting + TRAIN})


@pytest.mark.parametrize("text", LOOK_UPS)
@pytest.mark.parametrize(("wanted", "default"), [("args.mode", "eager"), ("'eager'", "graph")])
def test_reported(text: str, wanted: str, default: str) -> None:
    fires(CODE, program(text, wanted, default, "  # !"))


@pytest.mark.parametrize("text", LOOK_UPS)
@pytest.mark.parametrize(("wanted", "default"), [("args.mode", "graph"), ("'graph'", "eager")])
def test_not_reported_where_graph_mode_is_found(text: str, wanted: str, default: str) -> None:
    quiet(CODE, program(text, wanted, default))


@pytest.mark.parametrize("text", OTHERS)
@pytest.mark.parametrize("wanted", ["args.mode", "'eager'"])
def test_not_reported_where_it_is_not_known_what_is_found(text: str, wanted: str) -> None:
    quiet(CODE, program(text, wanted, "eager"))
