"""A Model of a class of the program is one: MSP102, MSP201 and MSP601 read what its constructor and methods hand on."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, join, quiet

START = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import nn
    from mindspore.communication import init
    from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint

    ms.set_context(mode=ms.GRAPH_MODE)
    """

PARTS = """
    network = nn.SequentialCell(nn.Dense(784, 128), nn.ReLU(), nn.Dense(128, 64))
    loss = nn.MSELoss()
    optimizer = nn.Adam(network.trainable_params())
    dataset = ds.MindDataset("train.mindrecord").batch(32, drop_remainder=True)
    saver = ModelCheckpoint(config=CheckpointConfig(save_checkpoint_steps=100, async_save=True))
    """

PLAIN = "class Trainer(Model):\n    def close(self):\n        self.is_closed = True\n\n\n"
HANDS_ON = (
    "class Trainer(Model):\n    def __init__(self, *args, **kwargs):\n        super().__init__(*args, **kwargs)\n"
    "        self.history = []\n\n\n"
)
BY_NAME = (
    "class Trainer(Model):\n    def __init__(self, network, loss_fn, optimizer, **kwargs):\n"
    "        super(Trainer, self).__init__(network, loss_fn, optimizer, **kwargs)\n\n\n"
)
FIRST = (
    "class Trainer(Model):\n    def __init__(self, network, **kwargs):\n"
    "        super().__init__(network, **kwargs)\n\n\n"
)
OWN_STEP = (
    "class Trainer(Model):\n    def _build_train_network(self):\n"
    "        return Guarded(self._network, self._optimizer)\n\n\n"
)
NAMED = (
    "class Trainer(Model):\n    def __init__(self, net, rate, **kwargs):\n"
    "        loss = nn.MSELoss()\n        optimizer = nn.Adam(net.trainable_params(), rate)\n"
    "        super().__init__(net, loss, optimizer, **kwargs){mark}\n\n\n"
)
TWO = (
    "class Base(Model):\n    def __init__(self, net, rate):\n"
    "        super().__init__(net, nn.MSELoss(), nn.Adam(net.trainable_params(), rate)){mark}\n\n\n"
    "class Trainer(Base):\n    def __init__(self, net, rate=0.1):\n        super().__init__(net, rate)\n\n\n"
)
BY_CLASS = TWO.replace("super().__init__(net, nn", "Model.__init__(self, net, nn").replace(
    "super().__init__(net, rate)", "Base.__init__(self, net, rate)"
)
SUNK = "model.train(10, dataset, dataset_sink_mode=True)\n"


def trainer(cls: str, made: str, train: str = SUNK) -> str:
    """Return a program that trains a Model of its own class."""
    return join(START, cls, PARTS, f"model = {made}\n", train)


def overriding(body: str, call: str, start: str = START) -> str:
    """Return a program whose class hands on what its `train` is given."""
    cls = f"class Trainer(Model):\n    def train(self, *args, **kwargs):\n        print('start')\n        {body}\n\n\n"
    return join(start, cls, PARTS, 'model = Trainer(network, loss, optimizer, amp_level="O2")\n', f"{call}\n")


ALL = "super().train(*args, **kwargs)"
OWN_STEPS = [
    case(name, trainer(OWN_STEP.replace("_build_train_network", name), "Trainer(network, loss, optimizer)"))
    for name in ("_build_train_network", "_train", "_train_process", "_train_dataset_sink_process")
]
# Given a train cell, a class with a loop of its own trains with that
STEP = "step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer){mark}\nmodel = {made}\n"
RESUMES = (
    "class Trainer(Model):\n    def __init__(self, network, metrics=None, start=0):\n"
    "        super().__init__(network, metrics=metrics)\n        self.start = start\n\n"
    "    def _train_process(self, *args, **kwargs):\n        print(self.start)\n\n\n"
)
LOOPS = OWN_STEP.replace("_build_train_network", "_train_dataset_sink_process")


def stepping(cls: str, made: str, mark: str = "  # ! display-only") -> str:
    """Return a program that gives a Model of its own class a train cell."""
    return join(START, cls, PARTS, STEP.format(made=made, mark=mark), SUNK)


GIVEN_STEPS = [
    case("a loop of its own", stepping(LOOPS, "Trainer(step)")),
    case("a loop and a constructor", stepping(RESUMES, "Trainer(step, start=3)")),
    case("by keyword", stepping(RESUMES, "Trainer(network=step)")),
    case("a class between", stepping(f"{LOOPS}class Own(Trainer):\n    pass\n\n\n", "Own(step)")),
    case("all of Model", stepping(PLAIN, "Trainer(step)")),
]
PRECISION = [
    *GIVEN_STEPS,
    case("no constructor", trainer(PLAIN, "Trainer(network, loss, optimizer)  # ! unsafe")),
    case("a constructor that hands on", trainer(HANDS_ON, "Trainer(network, loss, optimizer)  # ! unsafe")),
    case(
        "another method of its own",
        trainer(OWN_STEP.replace("_build_train_network", "_trace"), "Trainer(network, loss, optimizer)  # ! unsafe"),
    ),
    case("by keyword", trainer(HANDS_ON, "Trainer(network, loss_fn=loss, optimizer=optimizer)  # ! unsafe")),
    case("a constructor of the same names", trainer(BY_NAME, "Trainer(network, loss, optimizer)  # ! unsafe")),
    case("its first name", trainer(FIRST, "Trainer(network, loss_fn=loss, optimizer=optimizer)  # ! unsafe")),
    case("a constructor of its own", trainer(NAMED.format(mark="  # ! no fix"), "Trainer(network, 0.1)")),
    case("a class between", trainer(TWO.format(mark="  # ! unsafe"), "Trainer(network)")),
    case("constructors by their classes", trainer(BY_CLASS.format(mark="  # ! unsafe"), "Trainer(network)")),
    case(
        "a method that trains",
        trainer(
            PLAIN.replace("self.is_closed = True", "super().train(10, dataset, dataset_sink_mode=True)"),
            "Trainer(network, loss, optimizer)  # ! unsafe",
            "model.close()\n",
        ),
    ),
]
HALF = [
    case(
        "a step in half precision",
        stepping(LOOPS, "Trainer(step)", "").replace("step = ", "network.to_float(ms.float16)\nstep = "),
    ),
    case("a network in a class with a loop of its own", stepping(LOOPS, "Trainer(network, loss, optimizer)", "")),
    case("a level", trainer(PLAIN, 'Trainer(network, loss, optimizer, amp_level="O2")')),
    case("a level that is handed on", trainer(HANDS_ON, 'Trainer(network, loss, optimizer, amp_level="O2")')),
    case("a level beside others", trainer(NAMED.format(mark=""), 'Trainer(network, 0.1, amp_level="O3")')),
    case("no optimizer", trainer(PLAIN, "Trainer(network, loss)", "model.eval(dataset)\n")),
    case("another class", trainer(PLAIN.replace("(Model)", ""), "Trainer()", "model.close()\n")),
]
SINKING = [
    case(
        "passed by a caller",
        overriding(f"{ALL}  # ! display-only", "model.train(10, dataset, dataset_sink_mode=False)"),
    ),
    case(
        "passed by a caller, with callbacks",
        overriding(f"{ALL}  # ! display-only", "model.train(10, dataset, [LossMonitor()], dataset_sink_mode=False)"),
    ),
    case(
        "in a dict",
        join(START, PARTS, "options = {'dataset_sink_mode': False}\n"),
        "Model(network, loss, optimizer, amp_level='O2').train(10, dataset, **options)  # ! display-only\n",
    ),
    case("absent", overriding(f"{ALL}  # !", "model.train(10, dataset)")),
]
SINKS = [
    case("on", overriding(ALL, "model.train(10, dataset, dataset_sink_mode=True)")),
    case(
        "off beside a callback of steps",
        overriding(ALL, "model.train(10, dataset, callbacks=[saver], dataset_sink_mode=False)"),
    ),
    case(
        "on in a dict",
        join(START, PARTS, "options = {'dataset_sink_mode': True}\n"),
        "Model(network, loss, optimizer, amp_level='O2').train(10, dataset, **options)\n",
    ),
]


@pytest.mark.parametrize("program", PRECISION)
def test_what_a_derived_model_computes_in_is_reported(program: Program) -> None:
    fires("MSP201", program)


@pytest.mark.parametrize("program", HALF)
def test_a_derived_model_with_half_precision_is_not_reported(program: Program) -> None:
    quiet("MSP201", program)


@pytest.mark.parametrize("program", OWN_STEPS)
def test_a_derived_model_that_builds_its_own_step_is_not_known(program: Program) -> None:
    quiet("MSP201", program)


@pytest.mark.parametrize("program", SINKING)
def test_what_is_handed_on_to_train_is_reported(program: Program) -> None:
    fires("MSP102", program)


@pytest.mark.parametrize("program", SINKS)
def test_what_is_handed_on_to_train_may_sink(program: Program) -> None:
    quiet("MSP102", program)


def test_what_a_caller_passes_is_not_called_absent() -> None:
    text = overriding(ALL, "model.train(10, dataset, dataset_sink_mode=False)")
    (finding,) = Program({"train.py": text}).lint("MSP102").findings
    assert str(finding.message).endswith("`dataset_sink_mode` is False")
    assert [each.place.row for each in finding.related] == [len(text.splitlines())]


def test_a_derived_model_adds_up_gradients() -> None:
    parallel = "init()\nms.set_auto_parallel_context(parallel_mode='data_parallel', gradients_mean=True)  # !\n"
    made = "model = Trainer(network, loss, optimizer)\n"
    fires("MSP601", Program({"train.py": join(START, parallel, HANDS_ON, PARTS, made, SUNK)}))
