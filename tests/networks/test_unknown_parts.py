"""Which part of a network that the program does not show is named."""

from __future__ import annotations

import pytest
from programs import analysed, join

from ms_perflint.training.networks import undecided_precision

SCRIPT = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import Model, nn
    from src.loss import WithLossCell

    ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")
    net = {made}
    step = nn.TrainOneStepCell(WithLossCell(net), nn.SGD(net.trainable_params()))
    Model(step).train(3, ds.MindDataset("rows"), dataset_sink_mode=True)
    """
LOSS = """
    from mindspore import nn


    class Assigner:
        def assign(self, rows):
            if rows.shape[0] == 0:
                return {call}
            return rows


    class WithLossCell(nn.Cell):
        def __init__(self, model):
            super().__init__()
            self.model = model
            self.assigner = Assigner()

        def construct(self, rows):
            return self.assigner.assign(self.model(rows)).sum()
    """
IMPORTED = "from src.network import Detector\n"  # of a file that is not there
NET = "Detector(80)"


def unknown(made: str, call: str, before: str = "", script: str = IMPORTED) -> str:
    """Return the message about the unknown part of the network; "" without one."""
    files = {
        "train.py": join(script, SCRIPT.format(made=made)),
        "src/loss.py": join(before, LOSS.format(call=call)),
    }
    found = undecided_precision.hidden(analysed(files))
    return str(found) if found is not None else ""


@pytest.mark.parametrize(
    ("call", "before"),
    [
        ("Result(rows)", ""),
        ("rows + Result(0, labels=None)", ""),
        ("[Result(each) for each in rows]", ""),
        ("Result(rows)(rows)", ""),
        ("build(rows)", "def build(x):\n    return Result(x)\n\n\n"),
        ("(lambda x: Result(x))(rows)", ""),
    ],
)
def test_the_network_is_named_before_what_is_unknown_inside(call: str, before: str) -> None:
    assert f"`{NET}` cannot be followed in train.py" in unknown(NET, call, before)
    assert f"`{NET}` cannot be followed in train.py" in unknown(f"{NET}.set_train()", call, before)
    assert "`Result` cannot be followed in src" in unknown("nn.ReLU()", call, before, "")


@pytest.mark.parametrize("call", ["rows", "len(rows)", "rows.sum()", "print(rows)"])
def test_a_network_without_an_unknown_part(call: str) -> None:
    assert not unknown("nn.ReLU()", call, script="")


@pytest.mark.parametrize(
    "made",
    [
        NET,
        f"{NET}.set_train()",
        f"{NET}.set_grad().set_train(True)",
        f"{NET}.to_float(ms.float32)",
        f"nn.SequentialCell({NET}, nn.ReLU())",
        f"nn.SequentialCell({NET}.set_train(), nn.ReLU())",
    ],
)
def test_a_network_of_a_file_that_is_not_there(made: str) -> None:
    assert f"`{NET}` cannot be followed in train.py" in unknown(made, "rows")
