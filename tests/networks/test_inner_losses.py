"""What a network gives is followed by what reaches a name where it is read, not by the lines of its bindings."""

from __future__ import annotations

import pytest

from ms_perflint.core.source import Source
from ms_perflint.index.index_builder import module_of
from ms_perflint.training.networks.inner_parts import fed_by, gives_losses

FED = [
    "y = self.dense(x)\nreturn self.head(y)",
    "y = self.dense(x); return self.head(y)",
    "y = x\nfor _ in range(3):\n    z = self.head(y)\n    y = self.dense(z)\nreturn z",
    "y = x\ny += self.dense(x)\nreturn self.head(y)",
    "y = self.dense(x)\ny += x\nreturn self.head(y)",
    "y = z = self.dense(x)\nreturn self.head(z)",
]
NOT_FED = [
    "y = self.head(x)\nx = self.dense(y)\nreturn x",
    "y = self.head(x); x = self.dense(y); return x",
    "y = self.dense(x)\ny = x\nreturn self.head(y)",
    "y = self.dense(x); y = x; return self.head(y)",
    "z = self.dense(x)\nreturn self.head(x) + z",
    "for _ in range(3):\n    y = x\n    z = self.head(y)\n    y = self.dense(z)\nreturn z",
]
LOSS = [
    "_, loss = net(x)\nreturn loss",
    "_, loss = net(x); return loss",
    "out = net(x)\nreturn out['loss_a'] + out.loss_b",
    "_, loss = net(x)\ntotal = 0\ntotal += loss\nreturn total",
    "_, loss = net(x)\nloss += 1\nreturn loss",
    "total = 0\nfor _ in range(2):\n    _, loss = net(x)\n    total = total + loss\nreturn total",
]
NO_LOSS = [
    "_, loss = net(x)\nloss = criterion(_)\nreturn loss",
    "_, loss = net(x); loss = criterion(_); return loss",
    "logits, loss = net(x)\nreturn criterion(logits)",
    "out = net(x)\nreturn out['logits']",
    "out = net(x)\nout = criterion(x)\nreturn out.loss",
    "loss = 0\n_, aux = net(x)\nreturn loss",
    "_, lossy = net(x)\nreturn lossy",
]


def _function(body: str):
    text = "def construct(self, x, net=None, criterion=None):\n" + "\n".join(f"    {row}" for row in body.split("\n"))
    return module_of(Source("net.py", text.encode())).scope.method("construct")


@pytest.mark.parametrize("body, is_fed", [(body, True) for body in FED] + [(body, False) for body in NOT_FED])
def test_a_part_is_fed_by_what_reaches_its_argument(body, is_fed):
    assert bool(fed_by(_function(body), {"dense"}, {"head"})) is is_fed


@pytest.mark.parametrize("body, is_loss", [(body, True) for body in LOSS] + [(body, False) for body in NO_LOSS])
def test_a_loss_is_returned_where_it_reaches_the_return(body, is_loss):
    function = _function(body)
    site = next(site for site in function.calls if site.word == "net")
    assert gives_losses(function, site) is is_loss
