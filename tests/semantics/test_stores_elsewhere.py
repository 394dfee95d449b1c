"""What a store in another function, or deep inside of a config, leaves of what was there before."""

from __future__ import annotations

import pytest
from reveal import reveal, shown

SETTINGS = """\
class Settings:
    def __init__(self):
        self.folder = 'a'


def make():
    return Settings()


def change(args):
    #BODY


"""
RUN = "x = Settings()\nchange(x)\nreveal(x.folder)\n"
DEEP = "cfg = {'a': {'b': 1}, 'd': {'b': 3}}\n"


def settings(code: str, body: str = "args.folder = 'b'") -> str:
    """Return a program with settings, a function that changes them, and some code."""
    return SETTINGS.replace("#BODY", body) + code


SURE = {
    "a call": settings(RUN),
    "a call of a call": settings("def outer(c):\n    change(c)\n\n\n" + RUN.replace("change", "outer")),
    "before a call of the reader": settings(
        "def run(c):\n    reveal(c.folder)\n\n\nx = Settings()\nchange(x)\nrun(x)\n"
    ),
    "beside a call of the reader": settings(
        "def run(c):\n    reveal(c.folder)\n\n\n"
        "def main():\n    x = Settings()\n    x.folder = 'b'\n    run(x)\n\n\nmain()\n"
    ),
    "in a function that makes it": settings("x = make()\nchange(x)\nreveal(x.folder)\n"),
    "under `with`": settings(RUN, "with unknown():\n        args.folder = 'b'"),
    "behind what raises": settings(RUN, "if unknown():\n        raise ValueError\n    args.folder = 'b'"),
}
BOTH = {
    "two objects of one call": settings("x = make()\nother = make()\nchange(other)\nreveal(x.folder)\n"),
    "objects of a loop": settings(
        "for i in range(3):\n    x = Settings()\n    if i:\n        reveal(x.folder)\n    change(x)\n"
    ),
    "objects of a comprehension": settings("x = [Settings() for i in range(3)]\nchange(x[0])\nreveal(x[1].folder)\n"),
    "one of two objects": settings("x = Settings()\ny = Settings()\nchange(x if unknown() else y)\nreveal(x.folder)\n"),
    "an arm": settings("x = Settings()\nif unknown():\n    change(x)\nreveal(x.folder)\n"),
    "a handler": settings("x = Settings()\ntry:\n    change(x)\nexcept ValueError:\n    pass\nreveal(x.folder)\n"),
    "a lambda": settings("x = Settings()\nlater = lambda: change(x)\nreveal(x.folder)\n"),
    "a generator": settings(RUN, "yield 1\n    args.folder = 'b'"),
    "a coroutine": settings(RUN).replace("def change", "async def change"),
    "a read before": settings("def run(c):\n    reveal(c.folder)\n\n\nx = Settings()\nrun(x)\nchange(x)\n"),
    "a read before and behind": settings(
        "def run(c):\n    reveal(c.folder)\n\n\nx = Settings()\nrun(x)\nchange(x)\nrun(x)\n"
    ),
}
DEEP_STORES = [
    ("cfg['a']['b'] = 2\nreveal(cfg['a']['b'])", "2"),
    ("cfg['d']['b'] = 2\nreveal(cfg['a']['b'])", "1"),
    ("def put(c):\n    c['a']['b'] = 2\nput(cfg)\nreveal(cfg['a']['b'])", "2"),
    ("part = cfg['a']\ncfg['a']['b'] = 2\nreveal(part['b'])", "2"),
    ("cfg['a']['b'] = 2\ncfg['a'] = {'b': 3}\nreveal(cfg['a']['b'])", "3"),
    ("if unknown():\n    cfg['a']['b'] = 2\nreveal(cfg['a']['b'])", "1 2 ?"),
]


@pytest.mark.parametrize("text", SURE.values(), ids=SURE)
def test_a_store_that_has_run_takes_the_place_of_what_was_there(text: str) -> None:
    assert shown(reveal(text)) == "'b'"


@pytest.mark.parametrize("text", BOTH.values(), ids=BOTH)
def test_a_store_that_may_not_have_run_takes_no_place(text: str) -> None:
    assert shown(reveal(text)) == "'a' 'b'"


def test_a_return_before_a_store_leaves_what_was_there() -> None:
    body = "if unknown():\n        return\n    args.folder = 'b'"
    assert shown(reveal(settings(RUN, body))) == "'a' 'b' ?"


@pytest.mark.parametrize("code, expected", DEEP_STORES)
def test_a_store_deep_inside_is_one_of_the_object_there(code: str, expected: str) -> None:
    assert shown(reveal(DEEP + code + "\n")) == expected


def test_the_one_of_a_function_comes_behind_that_of_the_module() -> None:
    text = (
        "c = Holder()\nc.x = 1\n\n\ndef main():\n    c.x = 2\n    run()\n\n\ndef run():\n    reveal(c.x)\n\n\nmain()\n"
    )
    assert shown(reveal("class Holder:\n    pass\n\n\n" + text)) == "2"


NET = """\
class Net:
    def __init__(self):
        self.scale = 1

    def set_scale(self, x):
        #EARLY
        self.scale = x

    def reset(self):
        self.scale = 0


"""
PREPARE = "def prepare(n, x):\n    n.set_scale(x)\n\n\n"
READ = "def read(n):\n    reveal(n.scale)\n\n\n"
METHODS = [
    ("net = Net()\nprepare(net, 2)\nreveal(net.scale)", "2"),
    ("net = Net()\nprepare(net, 5)\nreveal(net.scale)", "5"),
    ("def outer(n):\n    prepare(n, 2)\n\n\nnet = Net()\nouter(net)\nreveal(net.scale)", "2"),
    ("def make():\n    n = Net()\n    prepare(n, 2)\n    return n\n\n\nnet = make()\nreveal(net.scale)", "2"),
    (READ + "net = Net()\nprepare(net, 2)\nread(net)", "2"),
    (READ + "net = Net()\nread(net)\nprepare(net, 2)", "0 1 2"),
    ("net = Net()\nif unknown():\n    prepare(net, 2)\nreveal(net.scale)", "0 1 2"),
    ("net = Net()\nreveal(net.scale)\nprepare(net, 2)", "0 1 2"),
    ("for i in range(3):\n    net = Net()\n    if i:\n        reveal(net.scale)\n    prepare(net, 2)", "0 1 2"),
    ("def make():\n    return Net()\n\n\na = make()\nb = make()\nprepare(b, 2)\nreveal(a.scale)", "0 1 2"),
    ("net = Net()\nprepare(net, 2)\nnet.reset()\nreveal(net.scale)", "0 1 2"),
]
RETURNS = [
    ("if unknown():\n            return", "1 2"),
    ("if x is None:\n            return", "2"),
    ("if unknown():\n            raise ValueError", "2"),
    ("f = lambda: 3", "2"),
]
PUT = """\
class C:
    def __init__(self):
        self.x = 1
        self.put()

    def put(self):
        #BODY


"""


@pytest.mark.parametrize("code, expected", METHODS)
def test_a_method_that_another_function_calls_gives_an_attribute(code: str, expected: str) -> None:
    assert " ".join(sorted(shown(reveal(NET + PREPARE + code + "\n")).split())) == expected


@pytest.mark.parametrize("early, expected", RETURNS)
def test_a_method_that_may_return_before_it_stores_leaves_what_was_there(early: str, expected: str) -> None:
    code = NET.replace("#EARLY", early) + "net = Net()\nnet.set_scale(2)\nreveal(net.scale)\n"
    assert " ".join(sorted(shown(reveal(code)).split())) == expected


@pytest.mark.parametrize(
    "body, expected",
    [
        ("try:\n            return\n        finally:\n            self.x = 2", "2"),
        ("try:\n            self.x = 2\n        finally:\n            print(1)", "2"),
        ("if unknown():\n            return\n        self.x = 2", "1 2"),
        ("self.x = 2\n        if unknown():\n            return\n        print(1)", "2"),
    ],
)
def test_a_method_of_the_constructor_replaces_what_it_surely_stores(body: str, expected: str) -> None:
    text = PUT.replace("#BODY", body) + "reveal(C().x)\n"
    assert " ".join(sorted(shown(reveal(text)).split())) == expected
