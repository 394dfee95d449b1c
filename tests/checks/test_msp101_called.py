"""MSP101: cells that Python functions call in each step, which graph mode compiles, too: optimizers, probes.

Each form was run on MindSpore 2.10, CPU, in PyNative and in graph mode: the forms of `READY` give the same losses,
those of `BLOCKED` fail in graph mode.
"""

from __future__ import annotations

import pytest
from programs import Program, case, expect
from readiness import LOOP, program

CODE = "MSP101"
FORWARD = """
    def forward(x, y):
        return loss_fn(net(x), y)


    """
KEYED = """
    class Momentum(nn.Optimizer):
        def __init__(self, params):
            super().__init__(0.1, params)
            self.moments = {each: ops.zeros_like(each) for each in self.parameters}

        def construct(self, grads):
            for each, grad in zip(self.parameters, grads):
                ops.assign(each, each - 0.1 * (0.9 * self.moments[each] + grad))
            return True


    opt = Momentum(net.trainable_params())


    """
PLAIN = """
    class Descent(nn.Optimizer):
        def __init__(self, params):
            super().__init__(0.1, params)

        def construct(self, grads):
            for each, grad in zip(self.parameters, grads):
                ops.assign(each, each - 0.1 * grad)
            return True


    opt = Descent(net.trainable_params())


    """
PROBE = """
    class Probe(nn.Cell):
        def construct(self, x):
            try:
                return x.mean()
            except ValueError:
                return x


    probe = Probe()
    opt = nn.SGD(net.trainable_params(), 0.1)


    """
UPDATE = """
    def update(grads):
        return opt(grads)


    """
OUTER = """
    def outer(grads):
        update(grads)


    """
UPDATER = """
    class Updater:
        def __init__(self, optimizer):
            self.optimizer = optimizer

        def step(self, grads):
            self.optimizer(grads)


    updater = Updater(opt)
    """
LOOKS = """
    def look(x):
        return probe(x)


    """


def called(name: str, update: str, *before: str, hook: str = "pass") -> tuple[str, tuple[str, ...]]:
    """Return a program whose loop updates the network by a call."""
    return program(name, FORWARD, *before, LOOP.replace("opt(grads)", update).replace("HOOK", hook))


BLOCKED = [
    called("an optimizer in a function", "update(grads)", KEYED, UPDATE),
    called("an optimizer two functions deep", "outer(grads)", KEYED, UPDATE, OUTER),
    called("an optimizer that an object holds", "updater.step(grads)", KEYED, UPDATER),
    called("a cell that is looked at in each step", "opt(grads)", PROBE, LOOKS, hook="look(x)"),
    called(
        "a cell that is looked at before", "opt(grads)", PROBE, LOOKS, "look(Tensor(np.ones((4, 8)), ms.float32))\n"
    ),
]
READY = [
    called("an optimizer without an obstacle", "update(grads)", PLAIN, UPDATE),
    called("an optimizer without an obstacle that an object holds", "updater.step(grads)", PLAIN, UPDATER),
    called("an optimizer of MindSpore", "update(grads)", "opt = nn.SGD(net.trainable_params(), 0.1)\n\n\n", UPDATE),
    called("a function that nothing calls", "opt(grads)", PROBE, LOOKS),
    called("a call that never runs", "opt(grads)", PROBE, LOOKS, hook="if False:\n                look(x)"),
]


@pytest.mark.parametrize("program", [case(name, *texts) for name, texts in BLOCKED])
def test_what_a_called_cell_does_is_an_obstacle(program: Program) -> None:
    text = program.files["train.py"]
    program.files["train.py"] = text.replace("SAFETY", " display-only")
    expect(CODE, program)


@pytest.mark.parametrize("program", [case(name, *texts) for name, texts in READY])
def test_a_called_cell_that_graph_mode_compiles_keeps_the_fix(program: Program) -> None:
    program.files["train.py"] = program.files["train.py"].replace("SAFETY", " unsafe")
    expect(CODE, program)
