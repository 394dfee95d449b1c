"""Which sites of a program can never run on one pass, and on which devices a site runs."""

from __future__ import annotations

import pytest
from programs import Program, analysed, expect, fires, join, quiet

from ms_perflint.index.reachability import condition_of
from ms_perflint.training.conditions import conditions, contradict, devices, path_conditions

EXCLUSIVE = [
    "if x:\n    a()\nelse:\n    b()",
    "if x:\n    a()\nif not x:\n    b()",
    "if x == 1:\n    a()\nif x != 1:\n    b()",
    "if x is None:\n    a()\nif x is not None:\n    b()",
    "if n > 1:\n    a()\nif n <= 1:\n    b()",
    "if n > 1:\n    a()\nif n == 1:\n    b()",
    "if n > 1:\n    a()\nif 1 >= n:\n    b()",
    "if n == -1:\n    a()\nif n >= 0:\n    b()",
    "if args.x:\n    a()\nif not config.x:\n    b()",
    "if args['x']:\n    a()\nif not args.x:\n    b()",
    # chains
    "if x:\n    a()\nelif y:\n    b()",
    "if x:\n    pass\nelif y:\n    a()\nelse:\n    b()",
    "if x == 1:\n    a()\nelif y:\n    pass\nif x == 2:\n    b()",
    # and, or, not
    "if x and y:\n    a()\nif not x:\n    b()",
    "if x and not y:\n    a()\nif y and z:\n    b()",
    "if x or y:\n    a()\nif not x and not y:\n    b()",
    "if not (x or y):\n    a()\nif x:\n    b()",
    "if not (x and y):\n    a()\nif x and y:\n    b()",
    # constants
    "if d == 'Ascend':\n    a()\nif d == 'GPU':\n    b()",
    "if 'Ascend' == d:\n    a()\nif d == 'GPU':\n    b()",
    "if d in ('Ascend',):\n    a()\nif d == 'GPU':\n    b()",
    "if d in ['Ascend', 'GPU']:\n    a()\nif d == 'CPU':\n    b()",
    "if d in ['Ascend', 'GPU']:\n    a()\nif d not in ['Ascend', 'GPU', 'CPU']:\n    b()",
    "if d not in ['Ascend']:\n    a()\nif d == 'Ascend':\n    b()",
    "if d.lower() == 'ascend':\n    a()\nif d == 'GPU':\n    b()",
    "if d.lower() == 'ascend':\n    a()\nif d.upper() == 'GPU':\n    b()",
    "if d.startswith('Asc'):\n    a()\nif d == 'GPU':\n    b()",
    "if d.startswith('Asc'):\n    a()\nif d == 'CPU' or d == 'GPU':\n    b()",
    "if x == 'semi':\n    a()\nif x in ('data', 'auto'):\n    b()",
    "if x == 'true':\n    a()\nif not x:\n    b()",
    # names for tests
    "on = d == 'GPU'\nif on:\n    a()\nif d == 'Ascend':\n    b()",
    "on = x and y\nif on:\n    a()\nif not x:\n    b()",
    # functions and early ends
    "def f():\n    a()\ndef g():\n    b()\nif x:\n    f()\nelse:\n    g()",
    "def f():\n    if x:\n        a()\n        return\n    b()\nf()",
    "def f():\n    if not x:\n        return\n    a()\nf()\nif not x:\n    b()",
    "if x:\n    a()\n    raise SystemExit\nb()",
    "if d == 'Ascend':\n    a()\nelif d != 'GPU':\n    raise ValueError(d)\nelse:\n    b()",
    "if d != 'Ascend':\n    raise ValueError(d)\na()\nif d == 'GPU':\n    b()",
    "def f():\n    if x:\n        a()\ndef g():\n    if not x:\n        b()\nf()\ng()",
    "class A:\n    def f(self):\n        if self.x:\n            a()\n        else:\n            b()\nA().f()",
    # ends inside of one another
    "def f():\n    if x:\n        return\n    elif y:\n        return\n    a()\nf()\nif y:\n    b()",
    "def f():\n    if x:\n        if y:\n            return\n        else:\n            return\n"
    "    a()\nf()\nif x:\n    b()",
    "def f():\n    if x:\n        if y:\n            return\n    a()\nf()\nif x and y:\n    b()",
    "def f():\n    if x:\n        if y:\n            return\n    a()\nf()\nif x:\n    if y:\n        b()",
    "def f():\n    if x:\n        y()\n    elif z:\n        return\n    a()\nf()\nif not x and z:\n    b()",
    "def f():\n    if x:\n        y()\n    else:\n        if z:\n            raise z\n    a()\nf()\n"
    "if z:\n    if not x:\n        b()",
    "def f():\n    if x:\n        return\n    else:\n        assert y\n    a()\nf()\nif not y:\n    b()",
    "def f():\n    if x:\n        if y:\n            return\n        elif z:\n            return\n"
    "    a()\nf()\nif x and not y and z:\n    b()",
    "for i in w:\n    if x:\n        continue\n    elif y:\n        continue\n    a()\nif y:\n    b()",
    "for i in w:\n    if x:\n        a()\n    else:\n        b()",
    "for i in w:\n    if x == 1:\n        a()\n    if x == 2:\n        b()",
]

TOGETHER = [
    "a()\nb()",
    "if x:\n    a()\n    b()",
    "if x:\n    a()\nb()",
    "if x:\n    a()\nif y:\n    b()",
    "if x:\n    a()\nif not y:\n    b()",
    "if x or y:\n    a()\nif not x:\n    b()",
    "if not (x and y):\n    a()\nif x:\n    b()",
    "if x == 1:\n    a()\nif y == 2:\n    b()",
    "if x != 1:\n    a()\nif x != 2:\n    b()",
    "if n > 1:\n    a()\nif n > 4:\n    b()",
    "if n > 1:\n    a()\nif n < 8:\n    b()",
    "if n >= 1:\n    a()\nif n == 1:\n    b()",
    "if n > m:\n    a()\nif n == 1:\n    b()",
    "if d in ('Ascend', 'GPU'):\n    a()\nif d == 'GPU':\n    b()",
    "if d in ('Ascend', 'GPU'):\n    a()\nif d in ('GPU', 'CPU'):\n    b()",
    "if d not in ('CPU',):\n    a()\nif d == 'GPU':\n    b()",
    "if d.lower() == 'ascend':\n    a()\nif d == 'Ascend':\n    b()",
    "if d.startswith('Asc'):\n    a()\nif d == 'Ascend':\n    b()",
    "if d == 'Ascend' or d == 'GPU':\n    a()\nif d == 'GPU':\n    b()",
    "if x in other:\n    a()\nif x == 1:\n    b()",
    "if 'a' in x:\n    a()\nif x == 'b':\n    b()",
    "if x == 'true':\n    a()\nif x:\n    b()",
    "if check(x):\n    a()\nif x == 1:\n    b()",
    "if x == [1]:\n    a()\nif x == [2]:\n    b()",
    "on = d == 'GPU'\non = True\nif on:\n    a()\nif d == 'Ascend':\n    b()",
    "def f():\n    if x:\n        a()\n    b()\nf()",
    "def f():\n    a()\nif x:\n    f()\nelse:\n    f()\n    b()",
    "for i in y:\n    if i:\n        a()\n    if i:\n        b()",
    "try:\n    a()\nexcept ValueError:\n    b()",
    # ends inside of one another
    "def f():\n    if x:\n        if y:\n            return\n    a()\nf()\nif x:\n    b()",
    "def f():\n    if x:\n        if y:\n            return\n    a()\nf()\nif y:\n    b()",
    "def f():\n    if x:\n        if y:\n            z()\n    a()\nf()\nif x and y:\n    b()",
    "def f():\n    if x:\n        y()\n    elif z:\n        return\n    a()\nf()\nif x and z:\n    b()",
    "def f():\n    if x:\n        for i in w:\n            if y:\n                break\n    a()\n"
    "f()\nif x and y:\n    b()",
    "def f():\n    if x:\n        return\n    elif y:\n        z()\n    a()\nf()\nif y:\n    b()",
    # on different passes of a loop
    "for i in w:\n    if i:\n        a()\n    else:\n        b()",
    "for i in w:\n    if i == 1:\n        a()\n    elif i == 2:\n        b()",
    "for i in w:\n    if i > 3:\n        a()\n        continue\n    b()",
    "first = True\nwhile w:\n    if first:\n        a()\n    else:\n        b()\n    first = False",
    "def f():\n    on = False\n    for i in w:\n        if on:\n            a()\n"
    "        if not on:\n            b()\n        on = not on\nf()",
]

ON = "def f({}):\n    if on:\n        a()\n"
STATIC = "class A:\n    @staticmethod\n    def f({}):\n        if on:\n            a()\n"
METHOD = "class A:\n    def f({}):\n        if on:\n            a()\n"
ASCEND = "\nif d == 'Ascend':\n    b()"
EXCLUSIVE += [  # where the condition is what a call passes
    ON.format("on") + "f(d == 'GPU')" + ASCEND,
    ON.format("on") + "f(*(d == 'GPU',))" + ASCEND,
    ON.format("on") + "f(**{'on': d == 'GPU'})" + ASCEND,
    ON.format("*, on") + "f(on=d == 'GPU')" + ASCEND,
    STATIC.format("on") + "A.f(d == 'GPU')" + ASCEND,
    STATIC.format("on") + "A().f(d == 'GPU')" + ASCEND,
    STATIC.format("x, on") + "A.f(x, d == 'GPU')" + ASCEND,
    STATIC.replace("static", "class").format("cls, on") + "A.f(d == 'GPU')" + ASCEND,
    METHOD.format("self, on") + "A().f(d == 'GPU')" + ASCEND,
    METHOD.format("self, on") + "A.f(A(), d == 'GPU')" + ASCEND,
    "from functools import partial\n" + ON.format("on") + "g = partial(f, d == 'GPU')\ng()" + ASCEND,
    "from functools import partial\n" + ON.format("x, on") + "g = partial(f, x)\ng(d == 'GPU')" + ASCEND,
    "from functools import partial\n" + ON.format("on") + "g = partial(f, on=x)\ng(on=d == 'GPU')" + ASCEND,
]
TOGETHER += [
    ON.format("x, on") + "f(d == 'GPU', y)" + ASCEND,
    ON.format("on") + "f(*y)" + ASCEND,
    STATIC.format("x, on") + "A.f(d == 'GPU', y)" + ASCEND,
    METHOD.format("self, on") + "A.f(d == 'GPU', y)" + ASCEND,
    "from functools import partial\n" + ON.format("x, on") + "g = partial(f, y)\ng(y, d == 'GPU')" + ASCEND,
    "from functools import partial\n" + ON.format("on") + "g = partial(f, on=d == 'GPU')\ng(on=x)" + ASCEND,
]
EXCLUSIVE += [  # in one statement, and behind `assert`
    "x and a()\nif not x:\n    b()",
    "x or a()\nif x:\n    b()",
    "y = a() if x else None\nif not x:\n    b()",
    "y = None if x else a()\nif x:\n    b()",
    "y = z or (a() if x else None)\nif z:\n    b()",
    "y = [a() for i in z if x]\nif not x:\n    b()",
    "y = {i: a() for i in z if i if x}\nif not x:\n    b()",
    "y = [i for i in z if x if a()]\nif not x:\n    b()",
    "y = [a() for i in z if x for j in i]\nif not x:\n    b()",
    "f = lambda: a() if x else None\nf()\nif not x:\n    b()",
    "assert x\na()\nif not x:\n    b()",
    "assert d == 'Ascend', d\na()\nif d == 'GPU':\n    b()",
    "def f():\n    assert not x\n    a()\nf()\nif x:\n    b()",
]
TOGETHER += [
    "y = a() or x\nif not x:\n    b()",
    "y = [i for i in a() if x]\nif not x:\n    b()",
    "y = [i for i in z if a() if x]\nif not x:\n    b()",
    "y = [a() for i in z if i]\nif not x:\n    b()",
    "y = x if a() else z\nif not x:\n    b()",
    "def f():\n    assert x\nf()\na()\nif not x:\n    b()",
]
ASKS = "def f(m, n=1):\n    if {}:\n        a()\n"
TWO = "if x:\n    f({})\nelse:\n    f({})\nif not x:\n    b()"
RUNS = "def g():\n    a()\ndef h():\n    pass\ndef run(step):\n    step()\n"
CALLS = "if x:\n    run({})\nelse:\n    run({})\nif not x:\n    b()"
EXCLUSIVE += [  # by what each call passes
    ASKS.format("m == 't'") + TWO.format("'t'", "'e'"),
    ASKS.format("m != 'e'") + TWO.format("'t'", "'e'"),
    ASKS.format("m in ('t', 'u')") + TWO.format("m='u'", "m='e'"),
    ASKS.format("m is not None") + TWO.format("1", "None"),
    ASKS.format("m > 1 and y") + TWO.format("2", "1"),
    ASKS.format("n == 2") + TWO.format("1, 2", "1"),
    "def f(m):\n    on = m == 't'\n    if on:\n        a()\n" + TWO.format("'t'", "'e'"),
    "def f(m):\n    if m == 'e':\n        return\n    a()\n" + TWO.format("'t'", "'e'"),
    "def f(m):\n    assert m == 't'\n    a()\n" + TWO.format("'t'", "'e'"),
    "def f(m):\n    y = a() if m else None\n" + TWO.format("1", "0"),
    ASKS.replace("def f(m", "def g(m").format("m == 't'") + "def f(m):\n    g(m)\n" + TWO.format("'t'", "'e'"),
    RUNS + CALLS.format("g", "h"),
    RUNS + CALLS.format("step=g", "step=h"),
    RUNS + CALLS.format("g", "print"),
    RUNS.replace("step()", "other(step)").replace("def run", "def other(s):\n    s()\ndef run")
    + CALLS.format("g", "h"),
]
TOGETHER += [
    ASKS.format("m == 't'") + TWO.format("'t'", "'t'"),
    ASKS.format("m == 't'") + TWO.format("'t'", "y"),
    ASKS.format("m == 't'") + TWO.format("'e'", "'t'"),
    ASKS.format("m > 1 or y") + TWO.format("2", "1"),
    RUNS + CALLS.format("g", "g"),
    RUNS + CALLS.format("h", "g"),
    RUNS + CALLS.format("g", "g if y else h"),
]


def exclusive(code: str) -> bool:
    """Return whether no pass leads to both `a()` and `b()`."""
    program = analysed({"train.py": code})
    (first,), (other,) = program.sites("a"), program.sites("b")
    return all(
        contradict(some, others)
        for some in path_conditions(program, first)
        for others in path_conditions(program, other)
    )


@pytest.mark.parametrize("code", EXCLUSIVE)
def test_sites_exclude_each_other(code: str) -> None:
    assert exclusive(code)


@pytest.mark.parametrize("code", TOGETHER)
def test_sites_may_run_together(code: str) -> None:
    assert not exclusive(code)


DEVICES = [
    ("a()", "Ascend CPU GPU"),
    ("if x:\n    a()", "Ascend CPU GPU"),
    ("if d == 'Ascend':\n    a()", "Ascend"),
    ("if d != 'Ascend':\n    a()", "CPU GPU"),
    ("if d.lower() == 'ascend':\n    a()", "Ascend"),
    ("if d == 'ascend':\n    a()", "Ascend"),
    ("if d.lower() != 'ascend':\n    a()", "CPU GPU"),
    ("if d.startswith('Asc'):\n    a()", "Ascend"),
    ("if not d.startswith('Asc'):\n    a()", "CPU GPU"),
    ("if d in ('Ascend', 'GPU'):\n    a()", "Ascend GPU"),
    ("if d not in ('Ascend', 'GPU'):\n    a()", "CPU"),
    ("if d == 'Ascend':\n    pass\nelif d == 'GPU':\n    pass\nelse:\n    a()", "CPU"),
    ("if d in ('Ascend', 'GPU', 'CPU'):\n    a()", "Ascend CPU GPU"),
    ("if d in ['ascend', 'gpu', 'cpu', 'none']:\n    a()", "Ascend CPU GPU"),
    ("if d not in {'ASCEND', 'GPU', 'CPU'}:\n    raise ValueError\na()", "Ascend CPU GPU"),
    ("assert d.lower() in ('ascend', 'gpu', 'cpu')\na()", "Ascend CPU GPU"),
    ("assert d in ('Ascend', 'GPU', 'CPU')\nif d == 'GPU':\n    a()", "GPU"),
    ("if d == 'Ascend' and x:\n    a()", "Ascend"),
    ("if d == 'other':\n    a()", "Ascend CPU GPU"),
    ("if d == '':\n    a()", "Ascend CPU GPU"),
    ("if d != 'CPU':\n    raise ValueError\na()", "CPU"),
]


@pytest.mark.parametrize(("code", "expected"), DEVICES)
def test_devices_of_a_site(code: str, expected: str) -> None:
    program = analysed({"train.py": code})
    (site,) = program.sites("a")
    assert " ".join(sorted(devices(conditions(program, condition_of(site))))) == expected


# --- branches of one program, seen by rules that ask about them

SETUP = """
    import argparse
    import mindspore as ms
    from mindspore import nn
    from mindspore.communication import init

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="Ascend", choices=["Ascend", "GPU", "CPU"])
    parser.add_argument("--distribute", action="store_true")
    parser.add_argument("--server", action="store_true")
    parser.add_argument("--debug", action="store_true")
    args = parser.parse_args()
    """
TRAIN = """
    net = nn.Dense(64, 16)
    dataset = ms.dataset.MindDataset("train.mindrecord")
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    model.train(10, dataset, dataset_sink_mode=True)
    """
GRAPH = "ms.set_context(mode=ms.GRAPH_MODE)\n"
SPREAD = "ms.set_auto_parallel_context(parallel_mode='data_parallel')"
FUSED = "ms.set_auto_parallel_context(parallel_mode='data_parallel', all_reduce_fusion_config=[2])"
SINGLE = "ms.set_auto_parallel_context(parallel_mode='stand_alone')"

REPORTED = [
    ("MSP601", "distributed branch", GRAPH, f"if args.distribute:\n    init()\n    {SPREAD}  # !\n"),
    (
        "MSP601",
        "branches judged one by one",
        GRAPH,
        f"if args.distribute:\n    if args.device == 'Ascend':\n        {SPREAD}  # !\n    elif args.device == 'GPU':\n"
        f"        {FUSED}\n",
    ),
    (
        "MSP601",
        "fused in the other branch of the same name in small letters",
        GRAPH,
        f"if args.device.lower() == 'ascend':\n    {SPREAD}  # !\nif args.device.startswith('G'):\n    {FUSED}\n",
    ),
    (
        "MSP601",
        "alone in the other branch",
        GRAPH,
        f"if args.distribute:\n    {SPREAD}  # !\nelse:\n    {SINGLE}\n",
    ),
    (
        "MSP101",
        "distributed branch",
        "if args.distribute:\n    ms.set_context(mode=ms.PYNATIVE_MODE)  # !\nelse:\n    " + GRAPH,
    ),
    (
        "MSP101",
        "default device",
        "if args.device in ('Ascend', 'GPU'):\n    ms.set_context(mode=ms.PYNATIVE_MODE)  # !\nelse:\n    " + GRAPH,
    ),
    (
        "MSP101",
        "mode of a branch through a function",
        "def set_up(device):\n    if device == 'Ascend':\n        ms.set_context(mode=ms.PYNATIVE_MODE)  # !\n"
        "        return\n    ms.set_context(mode=ms.GRAPH_MODE)\n\n\nset_up(args.device)\n",
    ),
    (
        "MSP101",
        "a function that debugging calls, and others too",
        "def slow():\n    ms.set_context(mode=ms.PYNATIVE_MODE)  # !\n\n\n"
        "if args.debug:\n    slow()\nif args.distribute:\n    slow()\n",
    ),
    (
        "MSP101",
        "a function that is asked for it",
        "def set_up(debug):\n    if debug:\n        ms.set_context(mode=ms.PYNATIVE_MODE)  # !\n\n\nset_up(True)\n",
    ),
]

SILENT = [
    (
        "MSP601",
        "fused later on the same condition",
        GRAPH,
        f"if args.distribute:\n    {SPREAD}\nif args.distribute and args.device == 'Ascend':\n    {FUSED}\n",
    ),
    ("MSP601", "fused on the default device", GRAPH, f"{SPREAD}\nif args.device.lower() == 'ascend':\n    {FUSED}\n"),
    (
        "MSP601",
        "fused by a name for a test",
        GRAPH,
        f"on_npu = args.device == 'Ascend'\nif on_npu:\n    {FUSED}\nif args.device == 'GPU':\n    {SPREAD}\n",
    ),
    (
        "MSP601",
        "parameter server",
        GRAPH,
        f"ms.set_ps_context(enable_ps=True)\nif args.distribute:\n    {SPREAD}\n",
    ),
    (
        "MSP101",
        "debugging",
        "if args.debug:\n    ms.set_context(mode=ms.PYNATIVE_MODE)\nelse:\n    " + GRAPH,
    ),
    (
        "MSP101",
        "a function that only debugging calls",
        "def slow():\n    ms.set_context(mode=ms.PYNATIVE_MODE)\n\n\nif args.debug:\n    slow()\n",
    ),
    (
        "MSP101",
        "a function that only debugging calls, by another one",
        "def slow():\n    ms.set_context(mode=ms.PYNATIVE_MODE)\n\n\ndef set_up():\n    if args.debug:\n"
        "        slow()\n"
        "        return\n    " + GRAPH + "\n\nset_up()\n",
    ),
    (
        "MSP101",
        "a function that is asked for debugging",
        "def set_up(debug):\n    if debug:\n        ms.set_context(mode=ms.PYNATIVE_MODE)\n    else:\n        "
        + GRAPH
        + "\n\nset_up(args.debug)\n",
    ),
    (
        "MSP101",
        "CPU alone",
        "if args.device.lower() == 'cpu':\n    ms.set_context(mode=ms.PYNATIVE_MODE)\nelse:\n    " + GRAPH,
    ),
    (
        "MSP101",
        "CPU alone, after the others left",
        "def set_up():\n    if args.device != 'CPU':\n        ms.set_context(mode=ms.GRAPH_MODE)\n        return\n"
        "    ms.set_context(mode=ms.PYNATIVE_MODE)\n\n\nset_up()\n",
    ),
]


@pytest.mark.parametrize(
    ("code", "text"), [pytest.param(c, join(SETUP, *t, TRAIN), id=f"{c} {n}") for c, n, *t in REPORTED]
)
def test_branches_are_reported(code: str, text: str) -> None:
    fires(code, Program({"train.py": text}))


@pytest.mark.parametrize(
    ("code", "text"), [pytest.param(c, join(SETUP, *t, TRAIN), id=f"{c} {n}") for c, n, *t in SILENT]
)
def test_branches_are_left_alone(code: str, text: str) -> None:
    quiet(code, Program({"train.py": text}))


# --- launchers choose branches

BY_OPTION = join(
    SETUP,
    "if args.debug:\n    ms.set_context(mode=ms.PYNATIVE_MODE)  # !\nelse:\n    ms.set_context(mode=ms.GRAPH_MODE)\n",
    TRAIN,
)


@pytest.mark.parametrize(
    ("script", "reported"),
    [
        ("python train.py", False),
        ("python train.py --debug", True),
        ("python train.py --debug\npython train.py --device GPU --debug", True),
        ("python train.py --debug\npython train.py", False),
        ("python eval.py --debug", False),
    ],
)
def test_launchers_decide_which_branch_is_usual(script: str, reported: bool) -> None:
    text = BY_OPTION if reported else BY_OPTION.replace("  # !", "")
    expect("MSP101", Program({"train.py": text, "run.sh": script}))
