"""What functions put into tables runs where running code takes it out of them."""

from __future__ import annotations

import pytest
from programs import analysed

REGISTRY = """
NETS = {}


class Registry:
    held = {}

    @classmethod
    def put(cls, kind, net, alias=None):
        name = alias or net.__name__
        if name in cls.held:
            raise KeyError(cls.held[name])
        cls.held[name] = net

    @classmethod
    def get(cls, name):
        return cls.held[name]

    @classmethod
    def knows(cls, name):
        return name in cls.held


def register(net):
    NETS[net.__name__] = net
    return net


def made(name):
    return NETS[name]()


def known(name):
    return name in NETS


def started(net):
    NETS[net.__name__] = net
    net()


def kept(net):
    NETS[net.__name__] = net
    ALL.append(net)
"""
NET = """
from kit.registry import register


@register
class Net:
    def __init__(self):
        made_here()
"""
PLAIN = "class Net:\n    def __init__(self):\n        made_here()\n"
DECORATED = {"kit/__init__.py": "from kit import net\n", "kit/registry.py": REGISTRY, "kit/net.py": NET}
TAKEN = {
    "by a key": "from kit.registry import NETS\nNETS['Net']()\n",
    "by get": "from kit.registry import NETS\nNETS.get('Net')()\n",
    "under another name": "from kit.registry import NETS as nets\nnets['Net']()\n",
    "from a module": "from kit import registry\nregistry.NETS['Net']()\n",
    "all of them": "from kit.registry import NETS\nfor net in NETS.values():\n    net()\n",
    "in a comprehension": "from kit.registry import NETS\nall = [NETS[name]() for name in names]\n",
    "behind a look for the key": "from kit.registry import NETS\nif 'Net' in NETS:\n    NETS['Net']()\n",
    "by a function": "from kit import registry\nregistry.made('Net')\n",
    "by a function of the script": "from kit import registry\n\n\ndef main():\n    registry.made('Net')\n",
    "in the guard": "from kit.registry import NETS\nif __name__ == '__main__':\n    NETS['Net']()\n",
    "held": "from kit.registry import NETS\nnets = NETS\n",
}
UNTAKEN = {
    "nothing": "from kit import registry\n",
    "whether it is there": "from kit.registry import NETS\nprint('Net' in NETS)\n",
    "whether a function finds it": "from kit import registry\nregistry.known('Net')\n",
    "put": "from kit.registry import NETS\n\n\ndef one():\n    pass\n\n\nNETS['one'] = one\n",
    "another table": "from kit import registry\nregistry.Registry.get('Net')\n",
}


@pytest.mark.parametrize("script", TAKEN.values(), ids=TAKEN)
def test_what_decorators_put_into_a_table_runs_where_it_is_taken(script: str) -> None:
    assert analysed({"train.py": f"import mindspore\n{script}", **DECORATED}).sites("made_here")


@pytest.mark.parametrize("script", UNTAKEN.values(), ids=UNTAKEN)
def test_what_decorators_put_into_a_table_does_not_run_where_nothing_takes_it(script: str) -> None:
    assert not analysed({"train.py": f"import mindspore\n{script}", **DECORATED}).sites("made_here")


IMPORTS = """
import mindspore
from kit import registry
from kit.net import Net
from kit.registry import Registry
"""
RUNNER = """

class Runner:
    def __init__(self):
        starts(self)

    def register(self, net):
        net()


"""


def called(statement: str, more: str = "") -> bool:
    """Return whether a class runs that a script puts into a table by a call."""
    files = {"kit/__init__.py": "", "kit/registry.py": REGISTRY, "kit/net.py": PLAIN}
    return bool(analysed({"train.py": f"{IMPORTS}{statement}\n{more}\n", **files}).sites("made_here"))


@pytest.mark.parametrize(
    ("statement", "takes"),
    [
        ("Registry.put('net', Net)", "Registry.get('Net')()"),
        ("Registry.put('net', net=Net, alias='n')", "Registry.get('n')()"),
        ("Registry().put('net', Net)", "Registry.get('Net')()"),
        ("registry.register(Net)", "registry.made('Net')"),
        ("def fill():\n    registry.register(Net)\n\n\nfill()", "registry.NETS['Net']()"),
    ],
)
def test_what_calls_put_into_a_table_runs_where_it_is_taken(statement: str, takes: str) -> None:
    assert called(statement, takes)
    assert not called(statement)
    assert not called(statement, "Registry.knows('Net')\nregistry.known('Net')")


@pytest.mark.parametrize(
    "statement",
    [
        "Net()",
        "registry.started(Net)",
        "registry.kept(Net)",
        "registry.register(Net)()",
        "first = registry.register(Net)",
        "Registry.put('net', Net)\nregistry.started(Net)",
        "registry.register(Net)\nfirst = Net",
        "registry.put(Net)",
        "Registry.put(Net, None)",
        "Registry.put(*parts, Net)",
    ],
)
def test_what_calls_do_more_with_runs(statement: str) -> None:
    assert called(statement)


def test_a_function_of_the_same_name_that_runs_later_counts() -> None:
    assert called(f"{RUNNER}registry.register(Net)")


def test_what_a_library_made_fills_no_table_of_the_project() -> None:
    net = NET.replace(
        "from kit.registry import register", "from mindspore.ops import MultitypeFuncGraph\ng = MultitypeFuncGraph('g')"
    )
    files = {**DECORATED, "kit/net.py": net.replace("@register", "@g.register('Tensor')")}
    script = "import mindspore\nfrom kit.registry import NETS\nNETS['Net']()\n"
    assert not analysed({"train.py": script, **files}).sites("made_here")
