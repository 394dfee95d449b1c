"""Settings from outside the code: options of the command line, config files, and what the program does to them."""

from __future__ import annotations

import os
import textwrap

import pytest
from semantics.test_values import reveal, shown

from ms_perflint.infer.values import Value

PARSER = """
    import argparse
    parser = argparse.ArgumentParser()
    """


def code(text: str) -> str:
    """Return a text at the left margin."""
    return textwrap.dedent(text).strip()


OPTIONS = [
    # defaults
    ("parser.add_argument('--x', default=True)\nreveal(parser.parse_args().x)", "True ?"),
    ("parser.add_argument('--x')\nreveal(parser.parse_args().x)", "None ?"),
    ("parser.add_argument('--x', required=True)\nreveal(parser.parse_args().x)", "..."),
    ("parser.add_argument('--x', default='', required=True)\nreveal(parser.parse_args().x)", "..."),
    ("parser.add_argument('x')\nreveal(parser.parse_args().x)", "..."),
    ("parser.add_argument('x', choices=['a', 'b'])\nreveal(parser.parse_args().x)", "('a') ('b') ..."),
    ("parser.add_argument('x', nargs='?', default=3)\nreveal(parser.parse_args().x)", "3 ?"),
    ("parser.add_argument('--x', default=argparse.SUPPRESS)\nreveal(parser.parse_args().x)", "..."),
    ("parser.add_argument('--x', type=bool, default='')\nreveal(parser.parse_args().x)", "False ?"),
    ("MODES = ('a', 'b')\nparser.add_argument('--x', default='a', choices=MODES)\nreveal(parser.parse_args().x)",
     "('b') 'a'"),
    ("parser.add_argument('--x')\nreveal(parser.parse_args().y)", "..."),
    # actions
    ("parser.add_argument('--x', action='store_false')\nreveal(parser.parse_args().x)", "True (False)"),
    ("parser.add_argument('--x', action='store_true', default=True)\nreveal(parser.parse_args().x)", "True (False)"),
    ("parser.add_argument('--x', action='store_const', const=8, default=4)\nreveal(parser.parse_args().x)", "(8) 4"),
    ("parser.add_argument('--x', action=argparse.BooleanOptionalAction, default=True)\nreveal(parser.parse_args().x)",
     "True ?"),
    # several options of one name
    ("parser.add_argument('--x', dest='x', action='store_true')\n"
     "parser.add_argument('--no-x', dest='x', action='store_false')\nreveal(parser.parse_args().x)",
     "False (True)"),
    ("group = parser.add_mutually_exclusive_group()\ngroup.add_argument('--x', action='store_true')\n"
     "reveal(parser.parse_args().x)", "False (True)"),
    ("subs = parser.add_subparsers()\na = subs.add_parser('a')\na.add_argument('--x', default=1)\n"
     "b = subs.add_parser('b')\nb.add_argument('--x', default=2)\nreveal(parser.parse_args().x)", "1 2 ?"),
    # parsers
    ("base = argparse.ArgumentParser(add_help=False)\nbase.add_argument('--x', default=1)\n"
     "child = argparse.ArgumentParser(parents=[base])\nreveal(child.parse_args().x)", "1 ?"),
    ("def add(p):\n    p.add_argument('--x', default=1)\n    return p\nreveal(add(parser).parse_args().x)", "1 ?"),
    ("parser.add_argument('--x', default=1)\nreveal(vars(parser.parse_args())['x'])", "1 ?"),
    ("parser.add_argument('--x', default=1)\nreveal(parser.parse_args().__dict__['x'])", "1 ?"),
    # set_defaults
    ("parser.add_argument('--x', default=1)\nparser.set_defaults(x=2)\nreveal(parser.parse_args().x)", "2 ?"),
    ("parser.set_defaults(x=2)\nreveal(parser.parse_args().x)", "2 ?"),
    ("parser.add_argument('--x', default=1)\nparser.set_defaults(y=2)\nreveal(parser.parse_args().x)", "1 ?"),
    ("parser.add_argument('--x', default=1)\nparser.set_defaults(**unknown())\nreveal(parser.parse_args().x)",
     "1 ... ?"),
    ("parser.add_argument('--x', default=1)\nif unknown():\n    parser.set_defaults(x=2)\n"
     "reveal(parser.parse_args().x)", "1 2 ?"),
    ("parser.add_argument('--x', default=1)\n"
     "first = argparse.ArgumentParser()\nfirst.add_argument('--c', default='')\n"
     "if first.parse_args().c:\n    parser.set_defaults(**unknown())\n"
     "reveal(parser.parse_args().x)", "1 ... ?"),
    # methods under other names
    ("add = parser.add_argument\nadd('--x', default=1)\nreveal(parser.parse_args().x)", "1 ?"),
    ("add, read = parser.add_argument, parser.parse_args\nadd('--x', default=1)\nreveal(read().x)", "1 ?"),
    ("add = parser.add_argument_group('a').add_argument\nadd('--x', default=1)\nreveal(parser.parse_args().x)", "1 ?"),
    ("def fill(add):\n    add('--x', default=1)\nfill(parser.add_argument)\nreveal(parser.parse_args().x)", "1 ?"),
    ("adders = {'a': parser.add_argument}\nadders['a']('--x', default=1)\nreveal(parser.parse_args().x)", "1 ?"),
    ("class A:\n    def __init__(self):\n        self.add = parser.add_argument\n        self.add('--x', default=1)\n"
     "A()\nreveal(parser.parse_args().x)", "1 ?"),
    ("parser.add_argument('--x', default=1)\nset_defaults = parser.set_defaults\nset_defaults(x=2)\n"
     "reveal(parser.parse_args().x)", "2 ?"),
    ("add = argparse.ArgumentParser().add_argument\nadd('--x', default=1)\nreveal(parser.parse_args().x)", "..."),
    ("from functools import partial\nadd = partial(parser.add_argument, default=1)\nadd('--x')\n"
     "reveal(parser.parse_args().x)", "..."),
    # missing ones
    ("parser.add_argument('--x', default=1)\nreveal(getattr(parser.parse_args(), 'y', 2))", "2 ?"),
    ("for key in unknown():\n    parser.add_argument('--' + key)\nreveal(getattr(parser.parse_args(), 'y', 2))",
     "2 ..."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), OPTIONS)
def test_option(text: str, expected: str) -> None:
    assert shown(reveal(code(PARSER) + "\n" + text)) == expected


LIBRARIES = [
    ("from absl import flags\nflags.DEFINE_bool('x', True, 'help')\nFLAGS = flags.FLAGS\nreveal(FLAGS.x)", "True ?"),
    ("from absl import flags\nflags.DEFINE_bool('x', True, 'help')\nreveal(flags.FLAGS.y)", "..."),
    ("from absl import flags\nX = flags.DEFINE_bool('x', True, 'help')\nreveal(X.value)", "True ?"),
    (
        "from absl import flags\nY = flags.DEFINE_bool('y', False, '')\n"
        "X = flags.DEFINE_bool('x', True, '')\nreveal(X.value)",
        "True ?",
    ),
    ("from absl import flags\nX = flags.DEFINE_bool('x', True, 'help')\nreveal(X.name)", "absl.flags.DEFINE_bool.name"),
    *(
        (f"import {call.partition('.')[0]}\n@dataclass\nclass Args:\n    x: int = 1\nreveal({call}(Args).x)", "1 ?")
        for call in ("tyro.cli", "jsonargparse.CLI", "simple_parsing.parse")
    ),
    ("import typer\ndef main(x: int = typer.Option(1, '--x')):\n    reveal(x)\ntyper.run(main)", "1 ?"),
    ("import typer\ndef main(x: int = typer.Argument(default=1)):\n    reveal(x)\ntyper.run(main)", "1 ?"),
    ("import typer\ndef main(x: int = typer.Option(...)):\n    reveal(x)\ntyper.run(main)", "... ?"),
    (
        "import typer\napp = typer.Typer()\n@app.command('run')\ndef main(x: int = typer.Option(1)):\n    reveal(x)",
        "1 ?",
    ),
    (
        "import typer\napp = typer.Typer()\n@app.command()\ndef main(x: Annotated[int, typer.Option()] = 1):\n"
        "    reveal(x)\napp()",
        "1 ?",
    ),
    (
        "import other\napp = other.Typer()\n@app.command()\ndef main(x=other.Option(1)):\n    reveal(x)",
        "other.Option() ...",
    ),
    ("import click\n@click.command()\n@click.option('--x', required=True)\ndef main(x):\n    reveal(x)", "..."),
    (
        "import click\n@click.command()\n@click.option('--x/--no-x', default=True)\ndef main(x):\n    reveal(x)",
        "True ?",
    ),
    # what the call of a command passes is its command line
    (
        "import click\n@click.command()\n@click.option('--x', default=1)\ndef main(x):\n    reveal(f(x))\n"
        "def f(y):\n    return y\nmain()",
        "1 ?",
    ),
    (
        "import click\n@click.command()\n@click.option('--x', is_flag=True)\ndef f(x):\n    reveal(x)\nf(['--x'])",
        "False ?",
    ),
    ("from easydict import EasyDict\nc = EasyDict()\nc.a = 1\nreveal(c.a)", "1"),
    ("from yacs.config import CfgNode as CN\nc = CN()\nc.a = CN()\nc.a.b = 1\nreveal(c.a.b)", "1"),
    ("import ml_collections\nc = ml_collections.ConfigDict({'a': 1})\nreveal(c.a)", "1 ?"),
    ("from addict import Dict\nc = Dict({'a': {'b': 1}})\nreveal(c.a.b)", "1 ?"),
    ("from munch import munchify\nc = munchify({'a': 1})\nreveal(c.a)", "1 ?"),
    ("from omegaconf import OmegaConf\nc = OmegaConf.create({'a': 1})\nreveal(c.a)", "1 ?"),
    ("from box import Box\nc = Box({'a': {'b': 1}}, default_box=True)\nreveal(c.a.b)", "1 ?"),
    ("from gym.spaces import Box\nc = Box({'a': 1})\nreveal(c.a)", "gym.spaces.Box.a"),
    ("from types import SimpleNamespace\nc = SimpleNamespace(a=1)\nreveal(c.a)", "1 ?"),
]


@pytest.mark.parametrize(("text", "expected"), LIBRARIES)
def test_library(text: str, expected: str) -> None:
    assert shown(reveal(text)) == expected


STORES = [
    # a store that surely runs before takes the place of what was there
    ("a = parser.parse_args()\na.x = 2\nreveal(a.x)", "2"),
    ("a = parser.parse_args()\nreveal(a.x)\na.x = 2", "1 ?"),
    ("a = parser.parse_args()\nif unknown():\n    a.x = 2\nreveal(a.x)", "1 2 ?"),
    ("a = parser.parse_args()\na.x = 2\nif unknown():\n    a.x = 3\nreveal(a.x)", "2 3"),
    ("a = parser.parse_args()\nif unknown():\n    a.x = 3\na.x = 2\nreveal(a.x)", "2"),
    ("a = parser.parse_args()\na.x = a.x + 1\nreveal(a.x)", "2 ?"),
    ("a = parser.parse_args()\nif a.x == 5:\n    a.x = 2\nreveal(a.x)", "1 (2) ?"),
    # a whole object is laid over it
    ("a = parser.parse_args()\nvars(a).update({'x': 2})\nreveal(a.x)", "2"),
    ("a = parser.parse_args()\nvars(a).update({'y': 2})\nreveal(a.x)", "1 ?"),
    ("a = parser.parse_args()\na.__dict__.update(unknown())\nreveal(a.x)", "1 ... ?"),
    ("a = parser.parse_args()\nif a.x == 5:\n    vars(a).update(unknown())\nreveal(a.x)", "1 ... ?"),
    ("a = parser.parse_args()\nfor k, v in unknown().items():\n    setattr(a, k, v)\nreveal(a.x)", "1 ... ?"),
    ("a = parser.parse_args()\nfor k, v in unknown().items():\n    setattr(b, k, v)\nreveal(a.x)", "1 ?"),
    ("a = parser.parse_args()\nfor i in unknown():\n    reveal(a.x)\n    a.x = 2", "1 2 ?"),
    # ... also under another name, and in another function
    (
        "def get():\n    a = parser.parse_args()\n    a.x = 2\n    return a\nb = get()\ndef main():\n    reveal(b.x)",
        "2",
    ),
    ("a = parser.parse_args()\na.x = 2\ndef main(b):\n    reveal(b.x)\nmain(a)", "2"),
    ("def change(c):\n    c.x = 2\na = parser.parse_args()\nchange(a)\nreveal(a.x)", "2"),
    # ... but not in another object
    ("other = make()\nother.x = 2\na = parser.parse_args()\nreveal(a.x)", "1 ?"),
]


@pytest.mark.parametrize(("text", "expected"), STORES)
def test_store(text: str, expected: str) -> None:
    made = code(PARSER) + "\nparser.add_argument('--x', default=1)\n"
    assert shown(reveal(made + text)) == expected


def test_a_store_in_another_file() -> None:
    files = {
        "train.py": "from conf import args\n\ndef main():\n    reveal(args.x)",
        "conf.py": code(PARSER) + "\nparser.add_argument('--x', default=1)\nargs = parser.parse_args()\nargs.x = 2",
    }
    assert shown(reveal(files)) == "2"


DERIVED = [
    ("reveal(not args.flag)", "True (False)"),
    ("reveal(bool(args.one))", "True ?"),
    ("reveal(args.name == 'GRAPH')", "True ?"),
    ("reveal(args.name.lower() == 'graph')", "True ?"),
    ("reveal(args.name.startswith('GR'))", "True ?"),
    ("reveal('{}_{}.yaml'.format(args.name, 1))", "'GRAPH_1.yaml' ?"),
    ("reveal('%s.yaml' % args.name)", "'GRAPH.yaml' ?"),
    ("reveal(args.name.unknown())", "..."),
    ("reveal(args.none or 'x')", "'x' ?"),
    ("reveal(args.one or 'x')", "1 ('x') ?"),
    ("reveal(args.none or args.one or 'x')", "1 ('x') ?"),
    ("reveal(args.flag or args.none)", "(True) None ?"),
    ("reveal(args.flag and 'x')", "False ('x')"),
    ("reveal(args.one and args.flag)", "False (True) ?"),
    ("reveal(unknown() or 'x')", "'x' ..."),
    ("reveal(unknown() and False)", "False"),
    ("reveal(args.none is None)", "True ?"),
    ("reveal(args is None)", "False"),
    ("reveal(args.none is not None)", "False ?"),
    ("reveal(0 < args.one < 3)", "True ?"),
    ("reveal(0 < args.one < unknown())", "... ?"),
    ("MODES = ['GRAPH', 'EAGER']\nreveal(args.name in MODES)", "True ?"),
    ("reveal(args.name in {'GRAPH': 0})", "True ?"),
    ("import ast\nreveal(ast.literal_eval(args.text))", "False ?"),
    ("reveal(eval(args.text))", "False ?"),
    ("reveal(args.text == 'True')", "False ?"),
    ("reveal({'GRAPH': 0, 'EAGER': 1}[args.name])", "0 ?"),
    ("reveal({'GRAPH': 0, 'EAGER': 1}.get(args.name, 1))", "0 ?"),
    ("reveal(hasattr(args, 'name'))", "True"),
    ("reveal(hasattr(args, 'other'))", "False"),
    ("reveal('name' in args)", "True"),
    ("reveal('other' in vars(args))", "False"),
]


@pytest.mark.parametrize(("text", "expected"), DERIVED)
def test_derived(text: str, expected: str) -> None:
    made = """
        parser.add_argument('--flag', action='store_true')
        parser.add_argument('--one', type=int, default=1)
        parser.add_argument('--none')
        parser.add_argument('--name', default='GRAPH')
        parser.add_argument('--text', default='False')
        args = parser.parse_args()
        """
    assert shown(reveal("\n".join([code(PARSER), code(made), text]))) == expected


FILES = [
    # kinds of values
    ("x: True", "cfg['x']", "True ?"),
    ("x: yes", "cfg['x']", "True ?"),
    ("x: 'True'", "cfg['x']", "'True' ?"),
    ("x: !!str True", "cfg['x']", "'True' ?"),
    ("x: !!int '3'", "cfg['x']", "3 ?"),
    ("x: !include other.yaml", "cfg['x']", "..."),
    ("x: !!python/object:a.B {y: 1}", "cfg['x']", "..."),
    ("x: ${y}", "cfg['x']", "..."),
    ("x:", "cfg['x']", "None ?"),
    ("x: [1, 2]", "cfg['x'][1]", "2 ?"),
    ("x: 1\nx: 2", "cfg['x']", "2 ?"),
    ('{\n\t"x": 1e-3\n}', "cfg['x']", "'1e-3' ?"),
    # anchors and merge keys
    ("b: &b {x: 1}\na: *b", "cfg['a']['x']", "1 ?"),
    ("b: &b {x: 1}\na:\n  x: 2\n  <<: *b", "cfg['a']['x']", "2 ?"),
    ("b: &b {x: 1}\nc: &c {x: 2, y: 3}\na:\n  <<: [*b, *c]", "cfg['a']['x']", "1 ?"),
    # keys that are missing
    ("y: 1", "cfg['x']", "..."),
    ("y: 1", "cfg.get('x', 2)", "2 ?"),
    ("y: 1", "cfg.get('x')", "None ?"),
    ("x: 1", "cfg.get('x', 2)", "1 ?"),
    ("y: {z: 1}", "cfg['y'].get('x', 2)", "2 ?"),
    ("y: 1", "'x' in cfg", "False ?"),
    # several documents: the first
    ("x: 1\n---\nx: a help text", "cfg['x']", "1 ?"),
    # what is no mapping, or no YAML
    ("[1, 2", "cfg['x']", "..."),
    ("text", "cfg['x']", "..."),
]


@pytest.mark.parametrize(("content", "expression", "expected"), FILES)
def test_file(content: str, expression: str, expected: str) -> None:
    text = f"import yaml\nwith open('c.yaml') as file:\n    cfg = yaml.safe_load(file)\nreveal({expression})"
    assert shown(reveal({"train.py": text, "c.yaml": content})) == expected


LOADS = [
    ("import yaml\ncfg = yaml.load(open('c.yaml'), Loader=yaml.FullLoader)", "1 ?"),
    ("import yaml\ncfg = list(yaml.safe_load_all(open('c.yaml')))[0]", "1 ?"),
    ("import yaml\nfrom pathlib import Path\ncfg = yaml.safe_load(Path('c.yaml').read_text())", "1 ?"),
    ("from omegaconf import OmegaConf\ncfg = OmegaConf.load('c.yaml')", "1 ?"),
    ("import yaml\nfrom easydict import EasyDict\ncfg = EasyDict(yaml.safe_load(open('c.yaml')))", "1 ?"),
    ("import yaml\nfrom addict import Dict\ncfg = Dict(yaml.safe_load(open('c.yaml')))", "1 ?"),
    ("import json\ncfg = json.load(open('c.json'))", "0.001 ?"),
    ("import yaml\ncfg = yaml.safe_load(open('conf/c.yaml'))", "..."),
    ("import yaml\ncfg = yaml.safe_load(open(unknown()))", "..."),
    ("import yaml\ncfg = yaml.safe_load(open('c.yaml' if unknown() else other()))", "(1) ... ?"),
    ("import yaml\ncfg = yaml.safe_load(open('c.yaml'))\ncfg['x'] = 5", "5"),
    ("import yaml\ncfg = yaml.safe_load(open('c.yaml'))\ncfg.update(unknown())", "1 ... ?"),
]


AGAIN = """
    from types import SimpleNamespace
    import yaml
    cfg = yaml.safe_load(open("c.yaml"))
    """
# the body of a class whose constructor is given a config file with `x: 1`, what reads it, and what that is
STORED = [
    ("def __init__(self, c, x):\n    self.x = x", "A(config, unknown()).x", "..."),
    ("def __init__(self, c):\n    self.set()\ndef set(self):\n    self.x = unknown()", "A(config).x", "..."),
    ("def __init__(self, c):\n    self.x, self.y = unknown()", "A(config).x", "..."),
    ("def __init__(self, c, x):\n    self.x = x", "B(config, unknown()).x", "..."),
    ("def __init__(self, c, x):\n    self.x = float(x)", "A(config, unknown().st_size).x", "..."),
    ("def __init__(self, c):\n    self.x = c['x']", "A(config).x", "1 ?"),
    ("def __init__(self, c):\n    self.__dict__.update(c)", "A(config).x", "1 ?"),
    ("def __init__(self, c):\n    self.x = unknown()\n    for k, v in c.items():\n        setattr(self, k, v)",
     "A(config).x", "1 ?"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "read", "expected"), STORED)
def test_what_a_class_stores_is_no_key_of_a_file_that_it_is_given(body: str, read: str, expected: str) -> None:
    text = f"""class A:\n{textwrap.indent(body, "    ")}\nclass B(A):\n    pass\n"""
    load = "import yaml\nconfig = yaml.safe_load(open('config.yaml'))\n"
    assert shown(reveal({"train.py": f"{load}{text}reveal({read})", "config.yaml": "x: 1\n"})) == expected


NESTED = [
    # what functions make of a mapping, that call themselves for the mappings in it
    (
        "def f(v):\n    return {k: f(w) if isinstance(w, dict) else w for k, w in v.items()}\nreveal(f(cfg)['a']['x'])",
        "1 ?",
    ),
    (
        "def f(v):\n    return SimpleNamespace(**{k: f(w) if isinstance(w, dict) else w for k, w in v.items()})\n"
        "reveal(f(cfg).y)",
        "2 (Display) ?",
    ),
    (
        "def f(v):\n    if isinstance(v, dict):\n        return {k: f(w) for k, w in v.items()}\n    return v\n"
        "reveal(f({'a': {'b': {'c': 1}}})['a']['b']['c'])",
        "1",
    ),
    (
        "def f(v):\n    if not isinstance(v, dict):\n        return v\n"
        "    return SimpleNamespace(**{k: f(w) for k, w in v.items()})\n"
        "reveal(f({'a': {'x': 1}, 'b': {'x': 2}}).b.x)",
        "2 ?",
    ),
    # of the file itself
    ("reveal({k: v for k, v in cfg.items()}['y'])", "2 ?"),
    ("reveal({k.upper(): v for k, v in cfg['a'].items()}['X'])", "1 ?"),
    ("for k, v in cfg.items():\n    reveal(v)", "..."),
    ("reveal({k: v for k, v in cfg.items() if k != 'y'}['y'])", "..."),
    ("reveal({k: v for k, v in cfg.items()}['z'])", "... ?"),
    # also where code changes it
    ("cfg['y'] = 5\nreveal({k: v for k, v in cfg.items()}['y'])", "5"),
    ("cfg.update(unknown())\nreveal({k: v for k, v in cfg.items()}['y'])", "2 ... ?"),
    # nor where it may never end, or is too deep
    ("def f(v):\n    return f(v)\nreveal(f(cfg))", ""),
    ("def f(v):\n    return {k: f(v) for k in v.items()}\nreveal(f(cfg)['a'])", "..."),
    (
        "def f(v):\n    return {k: f(w) if isinstance(w, dict) else w for k, w in v.items()}\n"
        "reveal(f({'a': {'b': {'c': {'d': {'e': 1}}}}})['a']['b']['c']['d']['e'])",
        "...",
    ),
]


# what is made with settings of a config file `x: 1`, and whether its member `x` may be the one of that file
GIVEN = [
    ("make(config).x", "1 ?"),
    ("make('config.yaml').x", "1 ?"),
    ("make(config['x']).x", "library.make.x"),
    ("make(one=config['x']).x", "library.make.x"),
    ("make([config['x']]).x", "library.make.x"),
    ("logging.getLogger(config['x']).x", "logging.getLogger.x"),
    ("make(float(config['x'])).x", "library.make.x"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), GIVEN)
def test_one_setting_brings_no_other_one_along(text: str, expected: str) -> None:
    load = "import logging, yaml\nfrom library import make\nconfig = yaml.safe_load(open('config.yaml'))\n"
    assert shown(reveal({"train.py": f"{load}reveal({text})", "config.yaml": "x: 1\n"})) == expected


@pytest.mark.parametrize(("text", "expected"), NESTED)
def test_a_mapping_that_is_gone_through(text: str, expected: str) -> None:
    files = {"train.py": f"{textwrap.dedent(AGAIN)}{text}", "c.yaml": "a:\n  x: 1\ny: 2"}
    assert shown(reveal(files)) == expected


TEXTS = [
    ("import yaml\nreveal(yaml.safe_load('a: {x: 1}')['a']['x'])", "1"),
    ('import yaml\nTEXT = """\na: 1\nb: 2\n"""\nreveal(yaml.load(TEXT, Loader=yaml.FullLoader)[\'b\'])', "2"),
    ("import yaml\nreveal(list(yaml.safe_load_all('x: 1\\n---\\nx: 2'))[1]['x'])", "2"),
    ("import json\nreveal(json.loads('{\"x\": [1, 2]}')['x'][1])", "2"),
    ("import tomllib\nreveal(tomllib.loads('[a]\\nx = 1')['a']['x'])", "1"),
    ("import toml\nreveal(toml.loads('x = 1')['x'])", "1"),
    ("import yaml\nreveal(yaml.safe_load('a: 1')['x'])", "..."),
    ("import yaml\nreveal(yaml.safe_load('x: ${y}')['x'])", "..."),
    ("import yaml\nreveal(yaml.safe_load('x: [1')['x'])", "..."),
    ("import yaml\nreveal(yaml.safe_load(unknown() + 'x: 1')['x'])", "..."),
    ("import json\nreveal(json.loads('x = 1')['x'])", "..."),
]


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_a_text_of_the_code(text: str, expected: str) -> None:
    assert shown(reveal(text)) == expected


@pytest.mark.parametrize(("text", "expected"), LOADS)
def test_load(text: str, expected: str) -> None:
    files = {"train.py": f"{text}\nreveal(cfg['x'])", "c.yaml": "x: 1", "c.json": '{\n\t"x": 1e-3\n}'}
    assert shown(reveal(files)) == expected


OVERLAID = """
    with open("c.yaml") as file:
        cfg = yaml.safe_load(file)
    args = parser.parse_args()
    """


@pytest.mark.parametrize(
    "text",
    [
        "vars(args).update(cfg)",
        "args.__dict__.update(cfg)",
        "for key, value in cfg.items():\n    setattr(args, key, value)",
        "for key in cfg:\n    setattr(args, key, cfg[key])",
    ],
)
def test_a_file_over_options(text: str) -> None:
    made = "import yaml\nparser.add_argument('--x', default=1)\nparser.add_argument('--y', default=1)"
    start = "\n".join([code(PARSER), made, code(OVERLAID), text])
    assert shown(reveal({"train.py": f"{start}\nreveal(args.x)", "c.yaml": "x: 2"})) == "2 ?"
    assert shown(reveal({"train.py": f"{start}\nreveal(args.y)", "c.yaml": "x: 2"})) == "1 ?"
    assert shown(reveal({"train.py": f"{start}\nreveal(args.x)"})) == "1 ... ?"


def test_a_path_may_start_above_the_script() -> None:
    files = {
        "tools/train.py": "import yaml\nreveal(yaml.safe_load(open('configs/c.yaml'))['x'])",
        "configs/c.yaml": "x: 1",
    }
    assert shown(reveal(files, "tools/train.py")) == "1 ?"


def test_options_without_a_default_name_no_file() -> None:
    text = """
        parser.add_argument('--config', required=True)
        import yaml
        reveal(yaml.safe_load(open(parser.parse_args().config))['x'])
        """
    assert shown(reveal({"train.py": "\n".join([code(PARSER), code(text)]), "config.yaml": "x: 1"})) == "..."


def test_a_function_that_does_not_run_gives_no_options() -> None:
    files = {
        "train.py": "from test import get\nfrom conf import read\nargs = read(get(2))\nreveal(args.x)",
        "test.py": """
            from argparse import ArgumentParser
            from conf import read

            def get(default):
                parser = ArgumentParser()
                parser.add_argument("--x", default=default)
                return parser

            if __name__ == "__main__":
                parser = ArgumentParser()
                parser.add_argument("--x", default=1)
                read(parser)
            """,
        "conf.py": """
            class Config:
                def __init__(self, entries):
                    self.__dict__.update(entries)

            def read(parser):
                return Config(vars(parser.parse_args()))
            """,
    }
    assert shown(reveal(files)) == "2 ?"


def test_a_library_loads_a_file() -> None:
    text = "from library import load_config\ncfg = load_config('c.yaml')\nreveal(cfg.x)"
    assert shown(reveal({"train.py": text, "c.yaml": "x: 1"})) == "1 ?"
    assert shown(reveal({"train.py": text})) == "library.load_config.x"


def test_a_class_makes_attributes_of_a_file() -> None:
    text = """
        import yaml

        class Config:
            def __init__(self, path):
                with open(path) as file:
                    for key, value in yaml.safe_load(file).items():
                        setattr(self, key, value)

        cfg = Config("c.yaml")
        reveal(cfg.x)
        """
    assert shown(reveal({"train.py": text, "c.yaml": "x: 1"})) == "1 ?"
    assert shown(reveal({"train.py": text})) == "..."


def test_an_option_and_a_key_that_differ() -> None:
    text = """
        import yaml

        class Config:
            def __init__(self, entries):
                self.__dict__.update(entries)

        def merged(args, entries):
            for key, value in vars(args).items():
                entries[key] = value
            return entries

        args = parser.parse_args()
        with open("c.yaml") as file:
            config = Config(merged(args, yaml.safe_load(file)))
        reveal(config.x)
        """
    for default, expected in (("2", "2 ?"), ("1", "1 ?"), ("None", "None ?")):
        made = f"parser.add_argument('--x', default={default})"
        files = {"train.py": "\n".join([code(PARSER), made, code(text)]), "c.yaml": "x: 1"}
        assert shown(reveal(files)) == expected


BASED = """
    import os
    import yaml

    def load(path):
        with open(path) as file:
            config = yaml.safe_load(file)
        if "_BASE_" in config:
            base = load(os.path.join(os.path.dirname(path), config.pop("_BASE_")))
            base.update(config)
            return base
        return config

    config = load("configs/c.yaml")
    reveal({})
    """


def based(expression: str, **files: str) -> str:
    """Return what an expression usually is in a program that loads `configs/c.yaml` with the files below it."""
    paths = {f"configs/{name}.yaml": content for name, content in files.items()}
    value = reveal({"train.py": BASED.replace("{}", expression), **paths})
    return shown(Value(value.by_default, value.open))


@pytest.mark.parametrize(
    "wanted, files, expected",
    [
        ("c.yaml", {"c.yml": "x: 1"}, "1"),
        ("c.yml", {"c.yaml": "x: 1"}, "1"),
        ("c.yaml", {"c.yaml": "x: 1", "c.yml": "x: 2"}, "1"),
        ("configs/c.yaml", {"c.yml": "x: 1"}, "..."),
        ("c.yaml", {"c.json": '{"x": 1}'}, "..."),
        ("c.json", {"c.yaml": "x: 1"}, "..."),
    ],
)
def test_the_other_suffix_of_a_yaml_file_that_is_missing(wanted: str, files: dict[str, str], expected: str) -> None:
    text = f"import yaml\nreveal(yaml.safe_load(open('{wanted}'))['x'])"
    value = reveal({"train.py": text, **files})
    assert shown(Value(value.by_default, value.open)) == expected


def test_bases() -> None:
    files = {"c": "_BASE_: [a.yaml, b.yaml]\nt: {x: 1}", "a": "t: {y: 2, z: 2}", "b": "t: {x: 3, y: 3}"}
    assert based("config['t']['x']", **files) == "1"
    assert based("config['t']['y']", **files) == "3"
    assert based("config['t']['z']", **files) == "2"
    assert based("config['t'].get('v', 0)", **files) == "0"


def test_a_base_is_where_a_key_of_it_stands() -> None:
    files = {
        "train.py": BASED.replace("{}", "config['x']"),
        "configs/c.yaml": "_BASE_: a.yaml",
        "configs/a.yaml": "x: 1",
    }
    place = reveal(files).alternatives[0].place
    assert (os.path.basename(place.path), place.row) == ("a.yaml", 1)


def test_a_base_that_is_missing_leaves_open_what_it_says() -> None:
    assert based("config['x']", c="_BASE_: a.yaml\nx: 1") == "1"
    assert based("config.get('y', 0)", c="_BASE_: a.yaml\nx: 1") == "0 ..."


def test_bases_in_a_circle() -> None:
    assert based("config['x']", c="_BASE_: a.yaml\nx: 1", a="_BASE_: c.yaml\nx: 2") == "1"


def test_a_key_that_the_code_does_not_know_is_no_base() -> None:
    text = "import yaml\nreveal(yaml.safe_load(open('c.yaml')).get('x', 0))"
    assert shown(reveal({"train.py": text, "c.yaml": "_BASE_: a.yaml", "a.yaml": "x: 1"})) == "0 ?"


def test_files_beyond_the_bounds_say_nothing() -> None:
    text = "import yaml\nreveal(yaml.safe_load(open('c.yaml'))['x'])"
    assert shown(reveal({"train.py": text, "c.yaml": "x: 1\ny: " + "[" * 101 + "]" * 101})) == "..."
    assert shown(reveal({"train.py": text, "c.yaml": "x: 1\n" + "#" * (1 << 20)})) == "..."


NO_VALUE = [
    "1" + ":00" * 200 + ".5",  # too large for a float
    "1" + ":59" * 150_000,
    "9" * 10_000,
    "-" + "9" * 10_000,
    "0x" + "f" * 10_000,
    "0b" + "1" * 10_000,
    "0" + "7" * 10_000,
    "1." + "0" * 10_000,
    "1.0e+999",
    ".inf",
    "-.inf",
    ".nan",
    "0x_",
    "2001-99-99",
    "2001-12-14",
    "!!int many",
    "!!int ''",
    "!!bool maybe",
    "!!timestamp 2001-99-99",
    "!!binary AAAA",
]


@pytest.mark.parametrize("scalar", NO_VALUE, ids=lambda scalar: scalar[:20])
def test_a_scalar_without_a_value_is_unknown_and_the_rest_of_the_file_is_known(scalar: str) -> None:
    text = "import yaml\ncfg = yaml.safe_load(open('c.yaml'))\nreveal([cfg['x'], cfg['y']][{}])"
    files = {"c.yaml": f"x: {scalar}\ny: 1\n"}
    assert shown(reveal({"train.py": text.format(0), **files})) == "..."
    assert shown(reveal({"train.py": text.format(1), **files})) == "1 ?"


@pytest.mark.parametrize("scalar", ["9" * 10_000, "-" + "9" * 10_000, "1e999", "NaN", "Infinity", "1." + "0" * 10_000])
def test_a_number_without_a_value_in_json(scalar: str) -> None:
    text = "import json\ncfg = json.load(open('c.json'))\nreveal(cfg['{}'])"
    content = f'{{"x": {scalar}, "y": 0, "y": 1}}'
    assert shown(reveal({"train.py": text.format("x"), "c.json": content})) == "..."
    assert shown(reveal({"train.py": text.format("y"), "c.json": content})) == "1 ?"


def test_a_long_plain_text_is_a_text() -> None:
    text = "import yaml\nreveal(yaml.safe_load(open('c.yaml'))['x'] == 'a' * 300)"
    assert shown(reveal({"train.py": text, "c.yaml": "x: " + "a" * 300})) == "True ?"


def test_keys_that_are_copied_without_end_are_not_read() -> None:
    base = "a: &a {" + ", ".join(f"b{number}: 1" for number in range(1_000)) + "}\n"
    text = "import yaml\nreveal(yaml.safe_load(open('c.yaml'))['c0']['b1'])"
    few, many = ("".join(f"c{number}: {{<<: *a}}\n" for number in range(count)) for count in (5, 1_000))
    assert shown(reveal({"train.py": text, "c.yaml": base + few})) == "1 ?"
    assert shown(reveal({"train.py": text, "c.yaml": base + many})) == "..."
