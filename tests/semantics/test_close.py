"""Modules that are closed give back their memory without the garbage collector."""

from __future__ import annotations

import gc
import weakref

from ms_perflint.core.source import Source
from ms_perflint.index.index_builder import module_of

PROGRAM = b"""
import os
from lib import *

class Net(Base):
    def __init__(self, width):
        self.width = width
        self.step = lambda x: [y for y in x if y]

    def run(self, data):
        for row in data:
            yield self.step(row)

def main(net=Net(3)):
    net.width = 4
    table = {}
    table[net.width] = net
    if net:
        return main(net)

if __name__ == "__main__":
    with open(os.path) as file:
        main(file)
"""


def test_a_closed_module_leaves_nothing_to_collect() -> None:
    gc.collect()
    gc.disable()
    try:
        module = module_of(Source("/train.py", PROGRAM))
        assert all(scope.flow.scope is scope for scope in module.scopes)
        function = weakref.ref(module.defined["main"][0].node)
        tree = weakref.ref(module.tree)
        module.close()
        assert function() is None
        del module
        assert tree() is None
        assert gc.collect() == 0
    finally:
        gc.enable()
