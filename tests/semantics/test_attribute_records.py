"""What functions store in objects of classes that only hold attributes."""

from __future__ import annotations

import textwrap

import pytest
from reveal import reveal, shown

HELD = """
    class Settings:
        folder = "a"


    class Own:
        def __init__(self):
            self.folder = "a"


    class Bare:
        pass


    def change(args):
        args.folder = "b"


    def other(args):
        args.path = "b"


    """

STORED = [
    ("x = Settings()\nchange(x)\nreveal(x.folder)", "'b'"),
    ("x = Own()\nchange(x)\nreveal(x.folder)", "'b'"),
    ("x = Bare()\nchange(x)\nreveal(x.folder)", "'b'"),
    ("def main():\n    x = Settings()\n    change(x)\n    reveal(x.folder)\n\n\nmain()", "'b'"),
    ("def main(x):\n    change(x)\n    reveal(x.folder)\n\n\nmain(Own())", "'b'"),
    ("x = Settings()\nchange(args=x)\nreveal(x.folder)", "'b'"),
    ("x = [Settings()]\nchange(x[0])\nreveal(x[0].folder)", "'b'"),
    ("x = Settings()\nx.folder = 'c'\nreveal(x.folder)", "'c'"),
]
NOT_STORED = [
    ("x = Settings()\nother(x)\nreveal(x.folder)", "'a'"),
    ("x, y = Settings(), Own()\nchange(y)\nreveal(x.folder)", "'a'"),
    ("x = Settings()\nreveal(x.folder)", "'a'"),
    ("x = Own()\nreveal(x.folder)", "'a'"),
]


@pytest.mark.parametrize(("text", "expected"), [*STORED, *NOT_STORED])
def test_what_a_record_holds(text: str, expected: str) -> None:
    assert shown(reveal(textwrap.dedent(HELD) + text)) == expected
