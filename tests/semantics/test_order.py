"""What settings are, by the order in which code runs: which stores have surely run, may have run, or come later."""

from __future__ import annotations

import pytest
from reveal import reveal, shown

START = "class C:\n    pass\nc = C()\nc.x = 1\n"
READS = "def f():\n    reveal(c.x)\n"
CASES = [
    # one scope
    ("c.x = 2\nreveal(c.x)", "2"),
    ("reveal(c.x)\nc.x = 2", "1"),
    ("c.x = 2; reveal(c.x)", "2"),
    ("if unknown():\n    c.x = 2\nreveal(c.x)", "1 2"),
    ("if unknown():\n    c.x = 2\n    reveal(c.x)", "2"),
    ("if unknown():\n    c.x = 2\nelse:\n    reveal(c.x)", "1"),
    ("for i in y:\n    if i:\n        c.x = 2\n    else:\n        reveal(c.x)", "1 2"),
    ("for i in y:\n    reveal(c.x)\n    c.x = 2", "1 2"),
    ("for i in y:\n    c.x = 2\n    reveal(c.x)", "2"),
    ("for i in y:\n    c.x = 2\nreveal(c.x)", "1 2"),
    ("reveal(c.x)\nfor i in y:\n    c.x = 2", "1"),
    ("while reveal(c.x):\n    c.x = 2", "1 2"),
    ("with y:\n    c.x = 2\nreveal(c.x)", "2"),
    ("try:\n    c.x = 2\nfinally:\n    pass\nreveal(c.x)", "2"),
    ("try:\n    c.x = 2\nfinally:\n    reveal(c.x)", "1 2"),
    ("try:\n    pass\nfinally:\n    c.x = 2\nreveal(c.x)", "2"),
    ("try:\n    c.x = 2\nexcept ValueError:\n    reveal(c.x)", "1 2"),
    ("try:\n    c.x = 2\nexcept ValueError:\n    pass\nreveal(c.x)", "1 2"),
    ("try:\n    c.x = 2\nexcept ValueError:\n    raise\nreveal(c.x)", "2"),
    ("if unknown():\n    raise SystemExit\nelse:\n    c.x = 2\nreveal(c.x)", "2"),
    ("g = lambda: reveal(c.x)\nc.x = 2\ng()", "1 2"),
    ("c.x = 2\nc = C()\nc.x = 3\nreveal(c.x)", "3"),
    ("c.x = 2\nc = C()\nreveal(c.x)", "1 2"),
    # a function, and where it is called
    (READS + "c.x = 2\nf()", "2"),
    ("c.x = 2\n" + READS, "2"),
    ("c.x = 2\nclass D:\n    def f(self):\n        reveal(c.x)", "2"),
    ("if unknown():\n    c.x = 2\n" + READS, "1 2"),
    (READS + "f()\nc.x = 2", "1 2"),
    (READS + "f()\nc.x = 2\nf()", "1 2"),
    (READS + "c.x = 2", "1 2"),
    (READS + "def g():\n    f()\nc.x = 2\ng()", "2"),
    (READS + "def g():\n    f()\ng()\nc.x = 2", "1 2"),
    (READS + "for i in y:\n    f()\n    c.x = 2", "1 2"),
    (READS + "for i in y:\n    c.x = 2\n    f()", "2"),
    (READS + "with y:\n    c.x = 2\n    f()", "2"),
    (READS + "try:\n    c.x = 2\nfinally:\n    f()", "1 2"),
    (READS + "try:\n    c.x = 2\nfinally:\n    pass\nf()", "2"),
    (READS + "if unknown():\n    c.x = 2\nelse:\n    f()", "1 2"),
    (READS + "if __name__ == '__main__':\n    c.x = 2\n    f()", "2"),
    ("def f():\n    c.x = 2\ndef g():\n    return reveal(c.x)\nf()\ng()", "2"),
    ("for i in y:\n    c.x = 2\n    reveal(c.x)\n    c.x = 3", "2"),
    ("c.x = 2\nfor i in y:\n    reveal(c.x)\n    c.x = 3", "2 3"),
    ("for j in y:\n    c.x = 2\n    for i in y:\n        reveal(c.x)\n        c.x = 3", "2 3"),
]
STORES = "def f():\n    c.x = 2\n"
CASES += [  # a function that another one always calls, and others that may not
    (STORES + "def g():\n    f()\ndef h():\n    g()\nh()\nreveal(c.x)", "2"),
    (STORES + "def g():\n    if unknown():\n        f()\ndef h():\n    g()\nh()\nreveal(c.x)", "1 2"),
    (STORES + "def g():\n    f()\ndef h():\n    if unknown():\n        g()\nh()\nreveal(c.x)", "1 2"),
    (STORES + "def g():\n    h()\ndef h():\n    f()\n    g()\ng()\nreveal(c.x)", "2"),
    (STORES + "def g():\n    h()\ndef h():\n    g()\n    if unknown():\n        f()\ng()\nreveal(c.x)", "1 2"),
    (STORES + "def g():\n    f()\n    yield 1\ng()\nreveal(c.x)", "1 2"),
    (STORES + "def g():\n    f()\n    yield\ng()\nreveal(c.x)", "1 2"),
    (STORES + "def g():\n    f()\n    y = yield\ng()\nreveal(c.x)", "1 2"),
    (STORES + "def g():\n    f()\n    if y:\n        yield\ng()\nreveal(c.x)", "1 2"),
    (STORES + "def g():\n    f()\n    yield from y\ng()\nreveal(c.x)", "1 2"),
    (STORES + "def g():\n    f()\n    def h():\n        yield\ng()\nreveal(c.x)", "2"),
    (STORES + "async def g():\n    f()\ng()\nreveal(c.x)", "1 2"),
    ("def f():\n    if unknown():\n        c.x = 2\ndef g():\n    f()\ng()\nreveal(c.x)", "1 2"),
    (STORES + "def g():\n    f()\ndef h():\n    g()\nreveal(c.x)\nh()", "1 2"),
    (STORES + "def g():\n    pass\nk = f if unknown() else g\ndef h():\n    k()\nh()\nreveal(c.x)", "1 2"),
]
LATER = "def f({}):\n    reveal(c.x)\n    c.x = 2\n"
CASES += [  # a function that stores after it reads
    (LATER.format("") + "f()", "1"),
    (LATER.format("") + "f()\nf()", "1 2"),
    (LATER.format("") + "for i in y:\n    f()", "1 2"),
    (LATER.format("") + "[f() for i in y]", "1 2"),
    (LATER.format("") + "if y:\n    f()\nelse:\n    f()", "1"),
    (LATER.format("") + "if y:\n    f()\n    f()", "1 2"),
    (LATER.format("") + "def g():\n    f()\ng()", "1"),
    (LATER.format("") + "def g():\n    f()\ng()\ng()", "1 2"),
    (LATER.format("") + "def g():\n    f()\nfor i in y:\n    g()", "1 2"),
    (LATER.format("") + "    if y:\n        f()\nf()", "1 2"),
    (LATER.format("") + "while y:\n    try:\n        f()\n    finally:\n        pass", "1 2"),
    (LATER.format("") + "if __name__ == '__main__':\n    f()", "1"),
    (LATER.format("c") + "f(c)", "1"),
    (LATER.format("c") + "f(c)\nf(c)", "1 2"),
    (LATER.format("c") + "f(c)\nf(C())", "1"),
    (LATER.format("c") + "f(c=c)\nf(c=c)", "1 2"),
    ("def f():\n    c = C()\n    c.x = 1\n    reveal(c.x)\n    c.x = 2\nf()\nf()", "1"),
    ("def f():\n    c.x = 3\n    reveal(c.x)\n    c.x = 2\nf()\nf()", "3"),
    ("def f():\n    if y:\n        c.x = 3\n    reveal(c.x)\n    c.x = 2\nf()\nf()", "1 2 3"),
    ("class D:\n    def f(self):\n        reveal(c.x)\n        c.x = 2\nD().f()", "1"),
    ("class D:\n    def f(self):\n        reveal(c.x)\n        c.x = 2\nd = D()\nd.f()\nd.f()", "1 2"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_order_in_one_file(text: str, expected: str) -> None:
    assert " ".join(sorted(shown(reveal(START + text)).split())) == expected


CONFIG = "c = {'x': 1}\n"
BOTH = {
    "late.py": "from config import c\nc['x'] = d = 3",
    "m.py": "from config import c\ndef setup():\n    c['x'] = 4",
}
FILES = [
    ("from config import c\nreveal(c['x'])", {}, "2"),
    (
        "from config import c\nfrom m import f\nf()",
        {"m.py": "from config import c\n" + READS.replace("c.x", "c['x']")},
        "2",
    ),
    ("from config import c\nfrom m import f\nf(c)", {"m.py": "def f(c):\n    reveal(c['x'])"}, "2"),
    (
        "from config import c\nfrom m import f\nc['x'] = 3\nf()",
        {"m.py": "from config import c\n" + READS.replace("c.x", "c['x']")},
        "3",
    ),
    (
        "from config import c\nfrom m import f\nf()\nc['x'] = 3",
        {"m.py": "from config import c\n" + READS.replace("c.x", "c['x']")},
        "2 3",
    ),
    (
        "from config import c\nreveal(c['x'])\nfrom late import d\nprint(d)",
        {"late.py": "from config import c\nc['x'] = d = 3"},
        "2 3",
    ),
    (
        "from config import c\nfrom late import d\nreveal((c['x'], d)[0])",
        {"late.py": "from config import c\nc['x'] = d = 3"},
        "3",
    ),
    ("from late import d\nfrom m import setup, c\nsetup()\nreveal((c['x'], d)[0])", BOTH, "4"),
    ("from m import setup, c\nsetup()\nfrom late import d\nreveal((c['x'], d)[0])", BOTH, "3 4"),
    ("from m import setup, c\nif unknown():\n    setup()\nfrom late import d\nreveal((c['x'], d)[0])", BOTH, "3 4"),
]


@pytest.mark.parametrize(("text", "files", "expected"), FILES)
def test_order_over_files(text: str, files: dict[str, str], expected: str) -> None:
    found = reveal({"train.py": text, "config.py": CONFIG + "c['x'] = 2\n", **files})
    assert " ".join(sorted(shown(found).split())) == expected


SPREADS = [
    ("d['x'] = 2\ng(**d)", "2"),
    ("g(**d)\nd['x'] = 2", "1"),
    ("if unknown():\n    d['x'] = 2\n    g(**d)", "2"),
    ("if unknown():\n    d['x'] = 2\ng(**d)", "1 2 ?"),
    ("try:\n    d['x'] = 2\nfinally:\n    pass\ng(**d)", "2"),
    ("for i in y:\n    g(**d)\n    d['x'] = 2", "1 2"),
]


@pytest.mark.parametrize(("text", "expected"), SPREADS)
def test_order_of_what_is_spread(text: str, expected: str) -> None:
    found = reveal("def g(x=0):\n    reveal(x)\nd = {'x': 1}\n" + text)
    assert " ".join(sorted(shown(found).split())) == expected


UPDATES = [
    ("c.x = 2\nvars(c).update(s)\nreveal(c.x)", "3"),
    ("vars(c).update(s)\nc.x = 2\nreveal(c.x)", "2"),
    ("if unknown():\n    vars(c).update(s)\nc.x = 2\nreveal(c.x)", "2"),
    ("reveal(c.x)\nvars(c).update(s)", "1"),
    ("while reveal(c.x):\n    vars(c).update(s)", "1 3"),
    ("for i in y:\n    reveal(c.x)\n    vars(c).update(s)", "1 3"),
]


@pytest.mark.parametrize(("text", "expected"), UPDATES)
def test_order_of_updates(text: str, expected: str) -> None:
    start = "import argparse\nc = argparse.Namespace()\nc.x = 1\ns = {'x': 3}\n"
    assert " ".join(sorted(shown(reveal(start + text)).split())) == expected
