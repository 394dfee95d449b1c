"""MSP106 host-sync-each-step: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, quiet

CODE = "MSP106"

IMPORTS = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import nn

    """
TRAIN = """
    train_set = ds.MindDataset("train.mindrecord").batch(32)
    net = nn.Dense(64, 16)
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
    model.train(10, train_set, dataset_sink_mode=True)
    """
FIRES = [
    case("a literal", IMPORTS, "ds.config.set_prefetch_size(1)  # ! unsafe\n", TRAIN),
    case("a constant", IMPORTS, "AHEAD = 1\nds.config.set_prefetch_size(size=AHEAD)  # ! unsafe\n", TRAIN),
]
QUIET = [
    case("more than one", IMPORTS, "ds.config.set_prefetch_size(4)\n", TRAIN),
    case("nothing trains", IMPORTS, "ds.config.set_prefetch_size(1)\n"),
    case("a number that is not known", IMPORTS, "ds.config.set_prefetch_size(int(input()))\n", TRAIN),
]


@pytest.mark.parametrize("program", FIRES)
def test_reported(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)
