"""The inputs of edits of settings: config files, options and launchers, as people write them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from layout_texts import Section
from reveal import program

from ms_perflint.core.source import Source
from ms_perflint.edits import set_setting
from ms_perflint.edits.settings import decided

LOADS = {
    "c.yaml": "import yaml\nconfig = yaml.safe_load(open('c.yaml'))\nreveal({})\n",
    "c.json": "import json\nconfig = json.load(open('c.json'))\nreveal({})\n",
}
PARSED = "import argparse\np = argparse.ArgumentParser()\n{}args = p.parse_args()\nreveal(args.x)\n"
SCRIPT = PARSED.format("p.add_argument('--x', type=eval, default=True)\np.add_argument('--y')\n")

CONFIGS = {
    "plain": ("x: false\n", "config['x']"),
    "no line end": ("x: false", "config['x']"),
    "comment behind": ("x: False  # false\n", "config['x']"),
    "comment right behind": ("x: false #c\n", "config['x']"),
    "blanks": ("x  :   false\n", "config['x']"),
    "another word": ("x: off\n", "config['x']"),
    "another word, capital": ("x: No\n", "config['x']"),
    "capitals": ("x: FALSE\n", "config['x']"),
    "quoted key": ('"x": false\n', "config['x']"),
    "between others": ("a: false\nx: false\nb: false\n", "config['x']"),
    "nested": ("a:\n  b: false\n  x: false  # c\n", "config['a']['x']"),
    "flow mapping": ("a: {x: no, y: 1}\n", "config['a']['x']"),
    "last of a flow mapping": ("a: {y: false, x: false}\n", "config['a']['x']"),
    "flow mapping over lines": ("a: {\n  x: false,\n  y: 1\n}\n", "config['a']['x']"),
    "wide characters in front": ("a: {'汉é': 1, x: false}\n", "config['a']['x']"),
    "document": ("%YAML 1.1\n---\nx: false\n...\n", "config['x']"),
    "comments in front": ("# x: true\n\n# c\nx: false\n", "config['x']"),
    "line separator above": ("a: 'b\u2028c'\nx: false\n", "config['x']"),
    "value below its key": ("x:\n  false\n", "config['x']"),
    "tag": ("x: !!bool false\n", "config['x']"),
    "alias": ("a: &a false\nx: *a\n", "config['x']"),
    "turned round": ("x: true\n", "not config['x']"),
}
JSON = {
    "one line": '{"y": false, "x": false}\n',
    "indented": '{\n    "x": false,\n    "y": false\n}\n',
    "indented by tabs": '{\n\t"x": false,\n\t"y": false\n}\n',
    "no blanks": '{"y":false,"x":false}',
    "wide characters in front": '{"汉": "é", "x": false}\n',
}
OPTIONS = {
    "default": "p.add_argument('--x', default=False)\n",
    "help behind": "p.add_argument('--x', type=bool, default=False, help='x, False')\n",
    "hanging": "p.add_argument(\n    '--x',\n    default=False,  # c\n    help='x',\n)\n",
    "text that the type reads": "p.add_argument('--x', type=eval, default='False')\n",
    "flag": "p.add_argument('--x', action='store_true')\n",
    "flag, double quotes": 'p.add_argument("--x", action="store_true")\n',
    "flag, aligned": "p.add_argument('--x',\n               action='store_true',  # c\n               help='x')\n",
    "flag with its default": "p.add_argument('--x', action='store_true', default=False)\n",
    "flag, short too": "p.add_argument('-x', '--x', action='store_true', help='x')\n",
    "flag without a long name": "p.add_argument('-x', action='store_true')\n",
    "flag that turns off": "p.add_argument('--no-x', dest='x', action='store_true')\n",
    "pair": "p.add_argument('--x', action=argparse.BooleanOptionalAction, default=False)\n",
    "nothing given": "p.add_argument('--x')\n",
}
CLICKED = "import click\n@click.command()\n{}def main(x):\n    reveal(x)\nmain()\n"
CLICK = {
    "flag": "@click.option('--x', is_flag=True, default=False)\n",
    "flag without a default": "@click.option('--x', is_flag=True)\n",
    "pair": "@click.option('--x/--no-x', default=False)\n",
    "flag, short alone": "@click.option('-x', is_flag=True, default=False)\n",
    "value": "@click.option('--x', type=bool, default=False)\n",
}
ABSL = "from absl import flags\nflags.DEFINE_bool('x', False, 'x')\nFLAGS = flags.FLAGS\nreveal(FLAGS.x)\n"
LAUNCHERS = {
    "behind a blank": "python train.py --x False --y 1\n",
    "behind =": "python train.py --x=False --y=False\n",
    "last": "cd ..; python train.py --y 1 --x False\n",
    "over lines": "python train.py \\\n    --y 1 \\\n    --x False > log 2>&1 &\n",
    "quoted": "python train.py --x 'False'\n",
    "wide characters in front": "echo '汉'; python train.py --x False\n",
    "variable": "python train.py --x $X\n",
}


def changed(text: str, name: str, script: str | None = None) -> str | None:
    """Return the text of the file that decides what is revealed with `True` in it; None where nothing can be set."""
    made = program({name: text} if script is None else {"train.py": script, name: text})
    (site,) = made.sites("reveal")
    setting = decided(made.value(site.node.args[0], site.scope))  # type: ignore[attr-defined]
    edits = set_setting(made, setting, "True", "true") if setting is not None else None
    if edits is None:
        return None
    (path,) = {edit.path for edit in edits}
    return Source(path, made.project.raw(path) or b"").spliced(sorted(edits)).decode()


def page_of_set_setting() -> Iterator[Section]:
    """A setting that is false becomes true where it is decided."""
    for name, (text, expression) in CONFIGS.items():
        script = LOADS["c.yaml"].format(expression)
        yield Section(f"YAML: {name}", text, (("after", partial(changed, name="c.yaml", script=script)),))
    for name, text in JSON.items():
        script = LOADS["c.json"].format("config['x']")
        yield Section(f"JSON: {name}", text, (("after", partial(changed, name="c.json", script=script)),))
    for name, text in OPTIONS.items():
        yield Section(f"option: {name}", PARSED.format(text), (("after", partial(changed, name="train.py")),))
    for name, text in CLICK.items():
        yield Section(f"click: {name}", CLICKED.format(text), (("after", partial(changed, name="train.py")),))
    yield Section("absl", ABSL, (("after", partial(changed, name="train.py")),))
    for name, text in LAUNCHERS.items():
        yield Section(f"launcher: {name}", text, (("after", partial(changed, name="run.sh", script=SCRIPT)),))
