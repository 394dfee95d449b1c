"""Objects that get many settings at once: from loops, from documents of a file, from what a constructor is given."""

from __future__ import annotations

import textwrap

import pytest
from reveal import reveal, shown

SECTIONS = """
    import yaml

    with open("c.yaml") as file:
        parts = yaml.safe_load(file)
    shown = {"a": {"x": 1}, "b": {"x": 2, "y": 3}}
    settings = {"x": 0, "z": 9}
    """
IN_SECTIONS = [
    ("for n in parts:\n    for k, v in parts[n].items():\n        settings[k] = v", "x", "2 ?"),
    ("for n in parts.keys():\n    for k in parts[n]:\n        settings[k] = parts[n][k]", "x", "2 ?"),
    ("for n in ['a', 'b']:\n    for k in sorted(parts[n]):\n        settings[k] = parts[n][k]", "y", "3 ?"),
    ("for n in parts:\n    for k, v in parts[n].items():\n        settings[k] = v", "z", "9"),
    ("for n in ['b']:\n    for k, v in parts[n].items():\n        settings[k] = v", "x", "0"),
    ("for n in ['b', unknown()]:\n    for k, v in parts[n].items():\n        settings[k] = v", "x", "0 ..."),
    ("for n in ['a', 'b']:\n    for k, v in shown[n].items():\n        settings[k] = v", "x", "1 2"),
    ("for n in ['b', 'a']:\n    for k, v in shown[n].items():\n        settings[k] = v", "y", "3"),
    ("for n in {'a', 'b'}:\n    for k, v in parts[n].items():\n        settings[k] = v", "x", "2 ?"),
    ("for n in {'a', 'b'}:\n    for k, v in shown[n].items():\n        settings[k] = v", "x", "1 2"),
    ("for n in unknown():\n    for k, v in shown[n].items():\n        settings[k] = v", "x", "0 ..."),
]


@pytest.mark.parametrize(("loops", "name", "expected"), IN_SECTIONS)
def test_loops_over_the_sections_of_a_file(loops: str, name: str, expected: str) -> None:
    text = textwrap.dedent(SECTIONS) + f"{loops}\nreveal(settings['{name}'])"
    assert shown(reveal({"train.py": text, "c.yaml": "a:\n  x: 2\nb:\n  y: 3"})) == expected


STREAM = "x: 1\ny: 1\n---\nx: how many\n---\nx: [1, 2]\nz: 3"
DOCUMENTS = [
    ("config, texts, choices = yaml.load_all(file, Loader=yaml.FullLoader)\nreveal(config['x'])", "1 ?"),
    ("config, texts, choices = yaml.load_all(file, Loader=yaml.FullLoader)\nreveal(texts['x'])", "'how many' ?"),
    ("config, texts, choices = list(yaml.safe_load_all(file))\nreveal(choices['x'][1])", "2 ?"),
    ("all = [each for each in yaml.safe_load_all(file)]\nreveal(all[0]['x'])", "1 ?"),
    ("a, b, c = [each for each in yaml.safe_load_all(file)]\nreveal(b['x'])", "'how many' ?"),
    ("all = [each for each in yaml.safe_load_all(file) if each]\nreveal(all[0]['x'])", "..."),
    ("all = yaml.safe_load_all(file)\nfor _ in data:\n    all = [each for each in all]\nreveal(all[0]['x'])", "1 ?"),
    (
        "class C:\n    def __init__(self, all):\n        self.all = all\n"
        "    def more(self):\n        return C([each for each in self.all])\n"
        "reveal(C(yaml.safe_load_all(file)).more().more().all[0]['x'])",
        "1 ?",
    ),
    ("reveal(list(yaml.safe_load_all(file))[-1]['z'])", "3 ?"),
    ("reveal(list(yaml.safe_load_all(file))[3]['z'])", "..."),
    ("for each in yaml.safe_load_all(file):\n    config.update(each)\nreveal(config['z'])", "3 ?"),
    ("for each in yaml.safe_load_all(file):\n    config.update(each)\nreveal(config['y'])", "1 ?"),
    ("for each in yaml.safe_load_all(file):\n    config.update(each)\nreveal(config['x'][0])", "1 ?"),
    ("for each in yaml.safe_load_all(file):\n    reveal(each['y'])", "1 ... ?"),
]


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS)
def test_documents(text: str, expected: str) -> None:
    start = "import yaml\nconfig = {}\nfile = open('c.yaml')\n"
    assert shown(reveal({"train.py": start + text, "c.yaml": STREAM})) == expected


def test_documents_beyond_one_that_cannot_be_read() -> None:
    text = "import yaml\nreveal(list(yaml.safe_load_all(open('c.yaml')))[{}]['x'])"
    files = {"c.yaml": "x: 1\n---\nx: [1\n---\nx: 3"}
    assert shown(reveal({"train.py": text.format(0), **files})) == "1 ?"
    assert shown(reveal({"train.py": text.format(2), **files})) == "..."


START = """
    import argparse
    import yaml

    parser = argparse.ArgumentParser()
    parser.add_argument("--x", default=1)
    parser.add_argument("--y", default=1)
    args = parser.parse_args()
    with open("c.yaml") as file:
        settings = yaml.safe_load(file)
    """
LOOPS = [
    ("for k, v in settings.items():\n    setattr(args, k, v)", "2 ?", "1 ?"),
    ("for k in settings:\n    setattr(args, k, settings[k])", "2 ?", "1 ?"),
    ("for k in settings.keys():\n    setattr(args, k, settings.get(k))", "2 ?", "1 ?"),
    ("for k in list(settings):\n    value = settings[k]\n    setattr(args, k, value)", "2 ?", "1 ?"),
    ("for k, v in settings.items():\n    vars(args)[k] = v", "2 ?", "1 ?"),
    ("for k, v in settings.items():\n    args.__dict__[k] = v", "2 ?", "1 ?"),
    ("d = vars(args)\nfor k in settings:\n    d[k] = settings[k]", "2 ?", "1 ?"),
    ("for k in ['x', 'z']:\n    setattr(args, k, settings[k])", "2 ?", "1 ?"),
    ("for k in ['z']:\n    setattr(args, k, settings[k])", "1 ?", "1 ?"),
    ("for k in unknown():\n    setattr(args, k, settings[k])", "2 1 ?", "1 ... ?"),
    ("for k, v in settings.items():\n    setattr(args, k, convert(v))", "1 ... ?", "1 ?"),
    ("for k, v in unknown():\n    setattr(args, k, v)", "1 ... ?", "1 ... ?"),
    ("for k, v in settings.items():\n    setattr(other, k, v)", "1 ?", "1 ?"),
    ("import sys\nfor k in names_of(sys.argv[1:]):\n    setattr(args, k, settings[k])", "1 ?", "1 ?"),
    ("import sys\ngiven = names_of(sys.argv)\nfor k in given:\n    setattr(args, k, 5)", "1 ?", "1 ?"),
    ("import sys\nfor k in names_of(sys.argv, 'x'):\n    setattr(args, k, 5)", "1 5 ?", "1 5 ?"),
    # tests of the name
    ("for k, v in settings.items():\n    if hasattr(args, k):\n        setattr(args, k, v)", "2 (1) ?", "1 ?"),
    ("for k, v in settings.items():\n    if not hasattr(args, k):\n        setattr(args, k, v)", "1 ?", "1 ?"),
    ("for k, v in settings.items():\n    if k in vars(args):\n        setattr(args, k, v)", "2 (1) ?", "1 ?"),
    ("for k, v in settings.items():\n    if k not in vars(args):\n        setattr(args, k, v)", "1 ?", "1 ?"),
    ("for k, v in settings.items():\n    if v is not None:\n        setattr(args, k, v)", "2 (1) ?", "1 ?"),
    ("for k, v in settings.items():\n    if unknown(k):\n        setattr(args, k, v)", "2 1 ?", "1 ?"),
    ("for k, v in settings.items():\n    if isinstance(v, int):\n        setattr(args, k, v)", "2 (1) ?", "1 ?"),
    (
        "for k, v in settings.items():\n    if not isinstance(v, (list, dict)):\n        vars(args)[k] = v",
        "2 (1) ?",
        "1 ?",
    ),
    ("for k, v in settings.items():\n    if isinstance(v, (list, dict)):\n        setattr(args, k, v)", "1 ?", "1 ?"),
    ("for k, v in settings.items():\n    if isinstance(v, Unknown):\n        setattr(args, k, v)", "1 ?", "1 ?"),
    (
        "for k, v in settings.items():\n    if getattr(args, k, None) is None:\n        setattr(args, k, v)",
        "1 ?",
        "1 ?",
    ),
    (
        "args.x = None\nfor k, v in settings.items():\n    if vars(args)[k] is None:\n        args.__dict__[k] = v",
        "2 (None) ?",
        "1 ?",
    ),
    (
        "args.x = None\nfor k, v in settings.items():\n    if vars(args).get(k) is not None:\n        continue\n"
        "    setattr(args, k, v)",
        "2 (None) ?",
        "1 ?",
    ),
    (
        "args.x = None\nfor k, v in settings.items():\n    if other.k is None:\n        setattr(args, k, v)",
        "2 None ?",
        "1 ?",
    ),
    (
        "args.x = unknown()\nfor k, v in settings.items():\n    if getattr(args, k) is None:\n"
        "        setattr(args, k, v)",
        "2 ... ?",
        "1 ?",
    ),
    # the value
    ("for k, v in settings.items():\n    if v == 2:\n        v = 7\n    setattr(args, k, v)", "1 ... ?", "1 ?"),
    ("for k, v in settings.items():\n    if v == 3:\n        v = 7\n    setattr(args, k, v)", "2 ?", "1 ?"),
    (
        "for k, v in settings.items():\n    w = v\n    if v == 2:\n        w = 7\n    elif v == 3:\n        w = 8\n"
        "    setattr(args, k, w)",
        "1 ... ?",
        "1 ?",
    ),
    ("for k, v in settings.items():\n    if unknown(v):\n        v = 7\n    setattr(args, k, v)", "1 ... ?", "1 ?"),
    ("for k, v in settings.items():\n    if hasattr(v, 'keys'):\n        v = 7\n    setattr(args, k, v)", "2 ?", "1 ?"),
    ("def same(v):\n    return v\nfor k, v in settings.items():\n    setattr(args, k, same(v))", "2 ?", "1 ?"),
    (
        "def one(v):\n    return 1 if v else v\nfor k, v in settings.items():\n    setattr(args, k, one(v))",
        "(2) 1 ?",
        "1 ?",
    ),
    # the order
    ("vars(args).update(settings)\nargs.x = 5", "5", "1 ?"),
    ("args.x = 5\nvars(args).update(settings)", "2 ?", "1 ?"),
    ("args.y = 5\nvars(args).update(settings)", "2 ?", "5"),
    ("vars(args).update(settings)\nvars(args).update({'x': 5})", "5", "1 ?"),
    ("vars(args).update({'x': 5})\nvars(args).update(settings)", "2 ?", "1 ?"),
    ("vars(args).update({'y': 5, **settings})", "2 ?", "5"),
]


@pytest.mark.parametrize(("text", "x", "y"), LOOPS)
def test_loop(text: str, x: str, y: str) -> None:
    for name, expected in (("x", x), ("y", y)):
        made = f"{textwrap.dedent(START)}\n{text}\nreveal(args.{name})"
        assert shown(reveal({"train.py": made, "c.yaml": "x: 2"})) == expected


ADDED = [
    ("for k in settings:\n    parser.add_argument('--' + k, default=settings[k])", "2 ?"),
    ("for k, v in settings.items():\n    parser.add_argument(f'--{k}', type=type(v), default=v)", "2 ?"),
    ("for k, v in settings.items():\n    parser.add_argument('--{}'.format(k), default=convert(v))", "..."),
    ("for k in unknown():\n    parser.add_argument('--' + k, default=settings[k])", "2 ?"),
    ("for k in ['y']:\n    parser.add_argument('--' + k, default=settings[k])", "..."),
]


@pytest.mark.parametrize(("text", "expected"), ADDED)
def test_options_that_a_loop_adds(text: str, expected: str) -> None:
    start = (
        "import argparse\nimport yaml\nparser = argparse.ArgumentParser()\nsettings = yaml.safe_load(open('c.yaml'))"
    )
    made = f"{start}\n{text}\nargs = parser.parse_args()\nreveal(args.x)"
    assert shown(reveal({"train.py": made, "c.yaml": "x: 2"})) == expected
    shell = {"train.py": made, "c.yaml": "x: 2", "run.sh": "python train.py --x 7"}
    assert expected != "2 ?" or shown(reveal(shell)) == "(2) 7 ?"


def test_what_stands_on_the_command_line_over_a_file() -> None:
    text = """
        for k in names_of(sys.argv):
            settings[k] = getattr(args, k)
        vars(args).update(settings)
        reveal(args.x)
        """
    files = {"train.py": f"import sys\n{textwrap.dedent(START)}\n{textwrap.dedent(text)}", "c.yaml": "x: 2"}
    assert shown(reveal(files)) == "2 ?"
    assert shown(reveal({**files, "run.sh": "python train.py --x 7"})) == "2 '7' (1) ?"


ADDS = [
    (
        "def add(parser, name, default):\n    parser.add_argument('--' + name, default=default)",
        "add(parser, {!r}, {!r})",
    ),
    (
        "class Group:\n    def __init__(self, parser):\n        self.group = parser.add_argument_group('x')\n"
        "    def add(self, name, kind, default, **kwargs):\n"
        "        self.group.add_argument(f'--{name}', default=default, type=kind, **kwargs)\n"
        "group = Group(parser)",
        "group.add({!r}, str, {!r})",
    ),
]


@pytest.mark.parametrize(("function", "call"), ADDS)
def test_options_that_a_function_adds(function: str, call: str) -> None:
    start = f"import argparse\nparser = argparse.ArgumentParser()\n{function}\n"
    calls = "\n".join(call.format(f"x{position}", position) for position in range(20))
    made = f"{start}{calls}\nargs = parser.parse_args()\n"
    assert shown(reveal(f"{made}reveal(args.x7)")) == "7 ?"
    assert shown(reveal(f"{made}reveal(args.x70)")) == "..."
    assert shown(reveal(f"{made}reveal(hasattr(args, 'x7'))")) == "True"
    assert shown(reveal(f"{made}reveal(hasattr(args, 'x70'))")) == "False"
    assert shown(reveal({"train.py": f"{made}reveal(args.x7)", "run.sh": "python train.py --x7 8"})) == "8 (7) ?"


DEFAULTS = [
    ("parser.set_defaults(**settings)", "2 ?", "1 ?"),
    ("if unknown():\n    parser.set_defaults(**settings)", "2 1 ?", "1 ?"),
    ("parser.set_defaults(**unknown())", "1 ... ?", "1 ... ?"),
]


@pytest.mark.parametrize(("text", "x", "y"), DEFAULTS)
def test_defaults(text: str, x: str, y: str) -> None:
    for name, expected in (("x", x), ("y", y)):
        made = f"{textwrap.dedent(START)}\n{text}\nreveal(parser.parse_args().{name})"
        assert shown(reveal({"train.py": made, "c.yaml": "x: 2"})) == expected


CLASSES = [
    ("for k, v in d.items():\n            setattr(self, k, v)", "Config({'x': 3}).x", "3"),
    (
        "for k, v in d.items():\n            setattr(self, k, Config(v) if isinstance(v, dict) else v)",
        "Config({'t': {'x': 4}}).t.x",
        "4 ?",
    ),
    (
        "for k, v in d.items():\n            if hasattr(v, 'keys'):\n                v = Config(v)\n"
        "            self.__dict__[k] = v",
        "Config({'t': {'x': 4}}).t.x",
        "4 ?",
    ),
    (
        "for k in d:\n            v = d[k]\n            if isinstance(v, dict):\n                v = Config(v)\n"
        "            setattr(self, k, v)",
        "Config({'t': {'x': 4}}).t.x",
        "4 ?",
    ),
    (
        "for k, v in d.items():\n            vars(self)[k] = self.made(v)\n"
        "    def made(self, v):\n        return Config(v) if isinstance(v, dict) else v",
        "Config({'t': {'x': 4}}).t.x",
        "4",
    ),
    ("for k, v in d.items():\n            self.__dict__[k] = v\n    x = 1", "Config(settings).x", "2 ?"),
    ("for k, v in d.items():\n            self.__dict__[k] = unknown(v)\n    x = 1", "Config({'x': 3}).x", "1 ..."),
    ("for k in d:\n            setattr(self, k, d[k])", "Config(settings).x", "2 ?"),
    ("self.__dict__.update(d)", "Config(settings).x", "2 ?"),
    ("self.__dict__.update(d)", "Config({'x': 5, **settings}).x", "2 ?"),
    ("vars(self).update(d)", "Config({'x': 3}).x", "3"),
    ("vars(self).update(unknown())", "Config({'x': 3}).x", "..."),
]


@pytest.mark.parametrize(("body", "expression", "expected"), CLASSES)
def test_attributes_that_a_constructor_makes(body: str, expression: str, expected: str) -> None:
    text = f"class Config:\n    def __init__(self, d):\n        {body}\n"
    made = f"{textwrap.dedent(START)}\n{text}\nreveal({expression})"
    assert shown(reveal({"train.py": made, "c.yaml": "x: 2"})) == expected


NAMED = "for i in range(2):\n            setattr(self, {}, 7)\n        self.y = 5"
MADE = [
    (NAMED.format("f'x{i}'"), "x1", "7"),
    (NAMED.format("'x%d' % i"), "x0", "7"),
    (NAMED.format("'x{}'.format(i)"), "y", "5"),
    (NAMED.format("'x' + str(i)"), "x2", "..."),
    (NAMED.format("str(i) + 'x'"), "y", "5"),
    (NAMED.format("unknown() + 'x'"), "y", "5"),
    ("self.y = 5\n        setattr(self, unknown() + 'x', 7)", "y", "5 7 ..."),
    ("for i in unknown():\n            setattr(self, f'x{i}', 7)\n        self.y = 5", "y", "5"),
    ("self.x3 = 5\n        for i in unknown():\n            setattr(self, f'x{i}', 7)", "x3", "5 7 ..."),
    ("for i in range(2):\n            name = f'x{i}'\n            setattr(self, name, 7)", "x1", "7"),
    ("for name in ('x', 'z'):\n            setattr(self, name, max(3, 4))", "z", "4"),
    ("for name in ('x', 'z'):\n            setattr(self, name, unknown(name))", "z", "..."),
    ("for i in range(2):\n            self.__dict__[f'x{i}'] = 7\n        self.y = 5", "y", "5"),
    ("for i in range(2):\n            vars(self)[f'x{i}'] = 7\n    x1 = 5", "x1", "7"),
    ("self.__dict__[unknown()] = 7\n    x1 = 5", "x1", "5 ..."),
]


@pytest.mark.parametrize(("body", "name", "expected"), MADE)
def test_attributes_with_names_that_are_put_together(body: str, name: str, expected: str) -> None:
    text = f"class Config:\n    def __init__(self):\n        {body}\n"
    assert shown(reveal(f"{text}\nreveal(Config().{name})")) == expected


DICTS = [
    ("class Config(dict):\n    __getattr__ = dict.__getitem__", "Config({'x': 3}).x", "3 ?"),
    ("class Config(dict):\n    def __getattr__(self, k):\n        return self[k]", "Config(x=3).x", "3 ?"),
    ("class Config:\n    def __getattr__(self, k):\n        return getattr(self.kept, k)", "Config().x", "..."),
    ("class Config(dict):\n    def __init__(self, path):\n        load(self, path)", "Config({'x': 3}).x", "..."),
]


@pytest.mark.parametrize(("text", "expression", "expected"), DICTS)
def test_a_dict_of_its_own(text: str, expression: str, expected: str) -> None:
    assert shown(reveal(f"{text}\nreveal({expression})")) == expected


METHODS = [
    ("self.seen = d", "c.update(unknown())", "0"),
    ("self.seen = d", "c.update({'x': 1})", "0"),
    ("self.seen = d", "vars(c).update({'x': 1})", "1"),
    ("self.x = 4", "c.update(unknown())", "0 4"),
    ("self.__dict__.update(d)", "c.update({'x': 1})", "1"),
    ("self.__dict__ = d", "c.update({'x': 1})", "1"),
    ("for k, v in d.items():\n            setattr(self, k, v)", "c.update(unknown())", "0 ..."),
    ("fill(self, d)", "c.update(unknown())", "0 ..."),
]


@pytest.mark.parametrize(("body", "call", "expected"), METHODS)
def test_a_method_of_the_name_of_an_update(body: str, call: str, expected: str) -> None:
    text = "def fill(o, d):\n    vars(o).update(d)\nclass Config:\n    def __init__(self):\n        self.x = 0\n"
    made = f"{text}    def update(self, d):\n        {body}\nc = Config()\n{call}\nreveal(c.x)"
    assert shown(reveal(made)) == expected


GIVES = """
    class Config:
        def __init__(self, *args, **kw):
            pass

        def __getattr__(self, key):
            return {"x": 1, "y": 2}[key]


    class Named:
        def __init__(self, name, size=4):
            self.name = name

        def __getattr__(self, key):
            return key + "!"


    def load(path):
        return 3


    """


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("Config().x", "1"),
        ("Config(**load('a')).y", "2"),
        ("Config(*load('a')).x", "1"),
        ("Config(x=5).x", "1"),
        ("Config(load).x", "1"),
        ("Named('a').size", "'size!'"),
        ("Named(load, 5).other", "'other!'"),
        ("Named(name='a').name", "'a'"),
    ],
)
def test_what_a_class_gives_for_members_that_it_does_not_have(expression: str, expected: str) -> None:
    assert shown(reveal(f"{textwrap.dedent(GIVES)}\nreveal({expression})")) == expected


NODES = """
    from yacs.config import CfgNode

    _C = CfgNode()
    _C.x = 1
    _C.y = 1
    _C.t = CfgNode()
    _C.t.x = 1
    """
OPTS = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--opts', nargs=argparse.REMAINDER"
MERGES = [
    ("cfg = _C\ncfg.merge_from_file('c.yaml')", "x", "2 ?"),
    ("cfg = _C.clone()\ncfg.merge_from_file('c.yaml')", "x", "2 ?"),
    ("cfg = _C.clone()\ncfg.merge_from_file('c.yaml')", "y", "1"),
    ("cfg = _C.clone()\ncfg.merge_from_file('c.yaml')", "t.x", "3 ?"),
    ("cfg = _C.clone()\ncfg.merge_from_file(unknown())", "x", "1 ..."),
    ("cfg = _C.clone()", "t.x", "1"),
    ("cfg = _C\ncfg.merge_from_list(['x', 5])", "x", "5"),
    ("cfg = _C\ncfg.merge_from_list(['y', 7, 'x', 5])", "x", "5"),
    ("cfg = _C\ncfg.merge_from_list(('x', 5, 'x', 6))", "x", "6"),
    ("cfg = _C\ncfg.merge_from_list(['x', '5'])", "x", "1 ..."),  # a text, that is parsed
    ("cfg = _C\ncfg.merge_from_list([str(unknown()), 5])", "x", "1 ..."),
    ("cfg = _C\ncfg.merge_from_list(unknown())", "x", "1 ..."),
    ("cfg = _C.clone()\ncfg.merge_from_list(unknown())", "x", "1 ..."),
    (f"{OPTS}, default=None)\n_C.merge_from_list(p.parse_args().opts)\ncfg = _C", "x", "1 ?"),
    (f"{OPTS}, default=[])\ncfg = _C.clone()\ncfg.merge_from_list(p.parse_args().opts)", "x", "1 ?"),
    (f"{OPTS})\ncfg = _C\nif p.parse_args().opts:\n    cfg.merge_from_list(p.parse_args().opts)", "x", "1 ?"),
    # what is about something else
    ("cfg = _C\ncfg.merge_from_list(['y', 5])", "x", "1"),
    ("cfg = _C\ncfg.merge_from_list(['t.x', 5])", "x", "1"),
    ("cfg = _C\ncfg.merge_from_list([])", "x", "1"),
    ("cfg = _C\n_C.clone().merge_from_list(['x', 5])", "x", "1"),
    ("cfg = _C\ncfg.merge_from_list(['x', 5])\ncfg.x = 6", "x", "6"),
]


@pytest.mark.parametrize(("text", "name", "expected"), MERGES)
def test_a_file_over_nodes(text: str, name: str, expected: str) -> None:
    made = f"{textwrap.dedent(NODES)}\n{text}\nreveal(cfg.{name})"
    assert shown(reveal({"train.py": made, "c.yaml": "x: 2\nt: {x: 3}"})) == expected


REWRITTEN = "cfg = {{'a': 1, 'b': 2}}\n{loop}\nreveal(cfg['a'])"


READ = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--flag", default=False)
p.add_argument("--name", default="x")
p.add_argument("--text", default="True")
p.add_argument("--none", default=None)
p.add_argument("--must", required=True)
args = p.parse_args()
{loop}
reveal(args.{name})
"""
TRUE = "for k in vars(args):\n    if {test}:\n        {store} = True\n"
FALSE = "    elif {test}:\n        {store} = False\n"


@pytest.mark.parametrize(
    ("store", "test"),
    [
        ("vars(args)[k]", "vars(args)[k] == {text}"),
        ("args.__dict__[k]", "args.__dict__[k] == {text}"),
        ("args.__dict__[k]", "not vars(args)[k] != {text}"),
        ("vars(args)[k]", "getattr(args, k) == {text}"),
    ],
)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("flag", "False ?"),  # which is no text
        ("name", "'x' ?"),
        ("none", "None ?"),
        ("text", "'True' True ?"),  # in what order the loop reads and writes is not known
        ("must", "True False ..."),
    ],
)
def test_a_loop_over_options_that_compares_their_values(store: str, test: str, name: str, expected: str) -> None:
    loop = TRUE.format(test=test.format(text='"True"'), store=store) + FALSE.format(
        test=test.format(text='"False"'), store=store
    )
    assert shown(reveal(READ.format(loop=loop, name=name))) == expected


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("for k in cfg:\n    if cfg[k] == 2:\n        cfg[k] = 5", "1"),
        ("for k, v in cfg.items():\n    if v == 2:\n        cfg[k] = 5", "1"),
        ("for k, v in cfg.items():\n    if v != 1:\n        cfg[k] = 5", "1"),
        ("for k, v in cfg.items():\n    if v == True:\n        cfg[k] = 5", "(1) 5"),
        ("for k, v in cfg.items():\n    if v == unknown():\n        cfg[k] = 5", "1 5"),
        ("for k in list(cfg):\n    cfg[k] = unknown(k)", "..."),
        ("for k in cfg:\n    cfg[k] = cfg[k] + 10", "..."),
        ("for k in cfg.keys():\n    cfg[k] = 5", "5"),
        ("for k in ('a', 'b'):\n    cfg[k] = unknown(k)", "..."),
        ("for k in sorted(cfg):\n    cfg[k] = 5 if k == 'a' else cfg[k]", "5"),
        ("for k in cfg:\n    cfg[k] = 5 if k != 'a' else cfg[k]", "1"),
        ("for k in cfg:\n    cfg[k] = 5 if input() else 6", "5 6"),
        ("for k in cfg:\n    if k == 'a':\n        cfg[k] = 5", "(1) 5"),
        # what comes to other keys only, or only where a user asks for it
        ("for k in cfg:\n    if k == 'b':\n        cfg[k] = 5", "1"),
        ("for k in ('b', 'c'):\n    cfg[k] = unknown(k)", "1"),
        ("for k in cfg:\n    if input():\n        cfg[k] = unknown(k)", "1 ..."),
    ],
)
def test_a_loop_that_writes_a_mapping_anew(loop: str, expected: str) -> None:
    assert shown(reveal(REWRITTEN.format(loop=loop))) == expected
