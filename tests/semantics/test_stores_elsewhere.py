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
