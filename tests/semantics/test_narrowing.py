"""What the tests on the way to a place leave of what can be there."""

from __future__ import annotations

from textwrap import indent

import pytest
from reveal import reveal, shown

OPTIONS = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--x')\np.add_argument('--y', default=3)\n"
OPTIONS += "args = p.parse_args()\n"
CHOICE = "if unknown():\n    m = 1\nelse:\n    m = 2\nreveal(m)"
A = "class A:\n    m = None\na = A()\n"
CASES = [
    # where the program ends in an error with the other result, all who run it come by
    ("if args.x is None:\n    raise ValueError\n" + CHOICE, "1 2"),
    ("if not args.x:\n    raise ValueError\n" + CHOICE, "1 2"),
    ("assert args.x\n" + CHOICE, "1 2"),
    ("assert args.x is not None, 'which?'\n" + CHOICE, "1 2"),
    ("if args.x:\n    m = 1\n    k = 1\nelse:\n    raise ValueError\nif unknown():\n    m = 2\nreveal(m)", "1 2"),
    # where it goes another way, only who asks for it does
    ("if args.x is None:\n    raise SystemExit\nelif args.y == 4:\n    m = 1\nelse:\n    m = 2\nreveal(m)", "(1) 2"),
    ("if args.y == 4:\n    m = 1\nelif args.y == 3:\n    m = 2\nelse:\n    raise ValueError\nreveal(m)", "(1) 2"),
    ("if args.x:\n    m = 1\nelse:\n    m = 2\nreveal(m)", "(1) 2"),
    ("def f():\n    if args.x is None:\n        return 1\n    return 2\nreveal(f())", "(2) 1"),
    # bindings that others take the place of
    ("m = None\nif m is None:\n    m = 2\nreveal(m)", "2"),
    ("m = 1\nif unknown():\n    m = None\nif m is None:\n    m = 2\nreveal(m)", "1 2"),
    ("m = 1\nif unknown():\n    m = None\nif m is not None:\n    pass\nelse:\n    m = 2\nreveal(m)", "1 2"),
    ("m = 'a'\nif unknown():\n    m = 'b'\nif m == 'b':\n    m = 'c'\nreveal(m)", "'a' 'c'"),
    ("m = 'a'\nif unknown():\n    m = 'b'\nif m in ('b', 'x'):\n    m = 'c'\nreveal(m)", "'a' 'c'"),
    ("m = 'a'\nif unknown():\n    m = 'B'\nif m.lower() == 'b':\n    m = 'c'\nreveal(m)", "'a' 'c'"),
    ("m = 1\nif unknown():\n    m = 0\nif not m:\n    m = 2\nreveal(m)", "1 2"),
    ("m = 1\nif unknown():\n    m = 5\nif m > 3:\n    m = 2\nreveal(m)", "1 2"),
    ("m = 1\nif unknown():\n    m = None\nif m is None and unknown():\n    m = 2\nreveal(m)", "1 2 None"),
    ("m = 1\nif unknown():\n    m = None\nif m is None:\n    with y:\n        m = 2\nreveal(m)", "1 2"),
    ("m = 1\nif unknown():\n    m = None\nif m is None:\n    for i in y:\n        m = 2\nreveal(m)", "1 2 None"),
    ("m = True\nif unknown():\n    m = 1\nif m is True:\n    m = 2\nreveal(m)", "1 2"),
    ("m = 1; m = m if unknown() else None\nif m is None: m = 2\nreveal(m)", "1 2"),
    ("m = 1\nif unknown():\n    m = None\nif y:\n    raise ValueError\nif m is None:\n    m = 2\nreveal(m)", "1 2"),
    ("for i in y:\n    m = 1\n    if i:\n        m = None\nif m is None:\n    m = 2\nreveal(m)", "1 2"),
    ("for i in y:\n    if i:\n        m = None\n    reveal(m)\n    if m is None:\n        m = 2", "2 None"),
    ("m = 3\nif m is None:\n    m = 1\nelif unknown():\n    m = 4\nelif m == 4:\n    m = 2\nreveal(m)", "3 4"),
    ("if unknown():\n    m = 1\nelif m == 1:\n    m = 2\nreveal(m)", "1 2"),
    (
        "m = 1\ntry:\n    m = None\n    unknown()\nexcept ValueError:\n    if m is None:\n        m = 2\nreveal(m)",
        "1 2 None",
    ),
    (
        "m = 1\nif unknown():\n    m = None\ntry:\n    if m is None:\n        m = 2\nfinally:\n    pass\nreveal(m)",
        "1 2 None",
    ),
    ("for i in y:\n    m = None\n    if m is None:\n        m = 2\nreveal(m)", "2"),
    ("for i in y:\n    if unknown():\n        m = 2\n    reveal(m)\n    m = None", "2 None"),
    # what is filled where it is missing, and what may be emptied again
    ("m = 1\nif unknown():\n    m = None\nreveal(m)", "1 None"),
    ("m = None if unknown() else 'O2'\nreveal(m)", "'O2' None"),
    (A + "a.m = 3\nreveal(a.m)", "3"),
    (A + "if a.m is None:\n    a.m = 3\nreveal(a.m)", "3"),
    (A + "if a.m is None and unknown():\n    a.m = 3\nreveal(a.m)", "3 ? None"),
    (A + "if unknown():\n    a.m = 3\nreveal(a.m)", "3 ? None"),
    (A + "a.m = 3\nif unknown():\n    a.m = None\nreveal(a.m)", "3 None"),
    (A + "a.m = None if unknown() else 3\nreveal(a.m)", "3 None"),
]


FLAG = "p.add_argument('--flag', action='store_true')\np.add_argument('--off', type=bool, default=False)\n"
FLAG = OPTIONS.replace("args = ", FLAG + "args = ")
BEHIND_FLAGS = [
    # without the flag the setting is known
    ("m = 1\nif args.flag:\n    m = unknown()\nreveal(m)", "1 ?"),
    ("if args.flag:\n    m = unknown()\nelse:\n    m = args.y\nreveal(m)", "3 ?"),
    ("if not args.flag:\n    m = 1\nelse:\n    m = unknown()\nreveal(m)", "1 ?"),
    ("if args.flag or args.off:\n    m = unknown()\nelse:\n    m = {'a': 1}\nreveal(m['a'])", "1 ?"),
    ("def f():\n    if args.off:\n        return unknown()\n    return 1\nreveal(f())", "1 ?"),
    ("m = {'a': 1}\nif args.flag:\n    m.update(unknown())\nreveal(m['a'])", "1 ?"),
    ("if args.flag:\n    for k, v in unknown().items():\n        setattr(args, k, v)\nreveal(args.y)", "3 ?"),
    ("m = {'a': 1}\nif args.flag:\n    m = unknown()\nm['a'] = 2\nreveal(m['a'])", "1 2 ?"),
    ("def f(m={}):\n    m['a'] = 1\n    return m['a']\nreveal(f())", "1"),
    # a file that an option names may say anything, and so may what runs without an option, or is no setting
    ("m = 1\nif args.x:\n    m = unknown()\nreveal(m)", "... 1"),
    ("m = 1\nif args.x is not None:\n    m = unknown()\nreveal(m)", "... 1"),
    ("m = {'a': 1}\nif args.x:\n    m.update(unknown())\nreveal(m['a'])", "... 1"),
    ("m = 1\nif unknown():\n    m = unknown()\nreveal(m)", "... 1"),
    ("m = 1\nif not args.flag:\n    m = unknown()\nreveal(m)", "(1) ..."),
    ("if args.flag:\n    m = unknown()\nelse:\n    m = unknown(1)\nreveal(m)", "..."),
    ("class A:\n    pass\nm = A()\nif args.flag:\n    m = unknown(m)\nreveal(m)", "... A()"),
    ("m = len\nif args.flag:\n    m = unknown()\nreveal(m)", "... builtins.len"),
    ("m = {}\nif args.flag:\n    m.update(unknown())\nreveal(m['a'])", "..."),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
@pytest.mark.parametrize("is_inside", [False, True], ids=["module", "function"])
def test_what_is_left(text: str, expected: str, is_inside: bool) -> None:
    code = f"def main():\n{indent(text, '    ')}\nmain()" if is_inside else text
    assert " ".join(sorted(shown(reveal(OPTIONS + code)).split())) == expected


@pytest.mark.parametrize(("text", "expected"), BEHIND_FLAGS)
def test_what_a_flag_replaces(text: str, expected: str) -> None:
    assert " ".join(sorted(shown(reveal(FLAG + text)).split())) == expected
