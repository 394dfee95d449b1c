"""MSP101: programs that end themselves in graph mode, by a test of the mode."""

from __future__ import annotations

import textwrap

import pytest
from programs import Program, case, expect, join
from readiness import START

CODE = "MSP101"
NETWORK = """
    import sys


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            CHECK
            self.dense = nn.Dense(8, 4)

        def construct(self, x):
            return self.dense(x)


    """
TRAIN = """
    net = Net()
    ms.Model(net, loss_fn, nn.SGD(net.trainable_params(), 0.1)).train(1, dataset)
    """
MODE = 'ms.get_context("mode")'
RAISE = 'raise TypeError("not supported in graph mode")'

BLOCKED = [
    f"if {MODE} != ms.PYNATIVE_MODE:\n    {RAISE}",
    f"if {MODE} == ms.GRAPH_MODE:\n    {RAISE}",
    f"if {MODE} == 0:\n    print('stop')\n    sys.exit(1)",
    f"if ms.PYNATIVE_MODE != {MODE}:\n    {RAISE}",
    f"if not {MODE} == ms.PYNATIVE_MODE:\n    {RAISE}",
    f"if {MODE} is not ms.PYNATIVE_MODE:\n    {RAISE}",
    f"if {MODE} not in (ms.PYNATIVE_MODE,):\n    {RAISE}",
    f"if not {MODE}:\n    {RAISE}",
    f"if {MODE} == ms.PYNATIVE_MODE:\n    print('fine')\nelse:\n    {RAISE}",
    f"if len(sys.argv) > 1 and {MODE} == ms.GRAPH_MODE:\n    {RAISE}",
    f"assert {MODE} == ms.PYNATIVE_MODE",
    f"assert {MODE}, 'only PyNative'",
    f"mode = {MODE}\nif mode != ms.PYNATIVE_MODE:\n    {RAISE}",
    f"mode = {MODE}\nprint(mode)\nassert mode == 1",
]
READY = [
    f"if {MODE} != ms.GRAPH_MODE:\n    print('slow')",
    f"if {MODE} == ms.GRAPH_MODE:\n    print('graphs')",
    f"if {MODE} == ms.GRAPH_MODE:\n    self.flag = True\nelse:\n    self.flag = False",
    f"if {MODE} not in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):\n    {RAISE}",
    f"assert {MODE} in (0, 1)",
    f"assert {MODE} is not None or True",
    f"if {MODE} == ms.GRAPH_MODE and False:\n    {RAISE}",
    f"if {MODE} != ms.PYNATIVE_MODE and ms.__version__ is None:\n    print('old')",
    f"def check():\n    if {MODE} == ms.GRAPH_MODE:\n        {RAISE}",
    f"def check(strict=False):\n    if strict and {MODE} == ms.GRAPH_MODE:\n        {RAISE}\ncheck()",
    f"mode = {MODE}\nmode = 1\nif mode != ms.PYNATIVE_MODE:\n    {RAISE}",
    f"mode = 1\nprint({MODE})\nif mode != ms.PYNATIVE_MODE:\n    {RAISE}",
    f"if ms.get_context('device_target') == 'CPU':\n    {RAISE}",
    f"if ms.get_context('max_call_depth') == 0:\n    {RAISE}",
    f"if {MODE} == ms.GRAPH_MODE:\n    for _ in range(1):\n        print('graphs')",
    "if sys.version_info < (3,):\n    raise TypeError",
    f"try:\n    print({MODE})\nexcept TypeError:\n    raise",
]


def _programs(checks: list[str], safety: str) -> list[object]:
    network = join(NETWORK)
    return [
        case(
            check,
            join(START).replace("# !SAFETY", f"# ! {safety}"),
            network.replace("        CHECK\n", textwrap.indent(check, " " * 8) + "\n"),
            TRAIN,
        )
        for check in checks
    ]


@pytest.mark.parametrize("program", _programs(BLOCKED, "display-only"))
def test_a_test_that_ends_the_program_in_graph_mode_is_named(program: Program) -> None:
    expect(CODE, program)
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None and "ends here in graph mode" in str(finding.fix.reason)


@pytest.mark.parametrize("program", _programs(READY, "unsafe"))
def test_a_test_of_the_mode_that_ends_nothing_keeps_the_fix(program: Program) -> None:
    expect(CODE, program)
