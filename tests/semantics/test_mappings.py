"""Mappings that are made of other mappings, and what a key of them is."""

from __future__ import annotations

import pytest
from reveal import reveal, shown

SHOWN = [
    # the last that says it speaks
    ("reveal({**{'x': 1}, 'y': 2}['x'])", "1"),
    ("reveal({'x': 1, **{'x': 2}}['x'])", "2"),
    ("reveal({**{'x': 1}, 'x': 2}['x'])", "2"),
    ("reveal({'x': 1, **unknown()}['x'])", "1 ..."),
    ("reveal({**unknown(), 'x': 1}['x'])", "1"),
    ("reveal({'x': 1, **{'y': 2}}['x'])", "1"),
    ("reveal({'x': 1, **{unknown(): 2}}['x'])", "1 ..."),
    ("reveal(({'x': 1} | {'x': 2})['x'])", "2"),
    ("reveal(({'x': 1} | {'y': 2})['x'])", "1"),
    ("reveal(({'x': 1} | unknown())['x'])", "..."),
    ("reveal(dict({'x': 1}, y=2)['x'])", "1"),
    ("reveal(dict({'x': 1}, x=2)['x'])", "2"),
    ("reveal(dict(**{'x': 1}, y=2)['x'])", "1"),
    ("c = {'x': 1}\nfor i in y:\n    c = {**c, 'z': i}\nreveal(c['x'])", "1 ..."),
    ("a = {'x': 1}\na['x'] = 2\nreveal({**a}['x'])", "2"),
    ("c = {'x': 1}\nfor i in y():\n    if i: c = c.copy()\n    else: c = dict(c)\nreveal(c['x'])", "1 ..."),
    ("c = {'x': 1}\nfor i in y():\n    c = c.copy()\nreveal({'x': 2, **c}['x'])", "1 ..."),
    ("c = {'z': 1}\nfor i in y():\n    c = {'x': 2, **c.copy()}\nreveal(c['x'])", "2 ..."),
    ("c = {'x': 1}\n" + "c = {**c}\n" * 9 + "reveal({'x': 2, **c}['x'])", "1"),
    # objects with these as attributes
    ("import argparse\nreveal(argparse.Namespace(**{'x': 1}).x)", "1 ?"),
    ("from types import SimpleNamespace\nreveal(SimpleNamespace(**{'x': 1}, y=2).x)", "1 ?"),
    ("from easydict import EasyDict\nreveal(EasyDict({'x': 1}, x=2).x)", "2 ?"),
    ("import argparse\nreveal(argparse.Namespace(**unknown()).x)", "... ?"),
]


@pytest.mark.parametrize(("text", "expected"), SHOWN)
def test_mapping(text: str, expected: str) -> None:
    assert shown(reveal(text)) == expected


OVER_OPTIONS = [
    ("argparse.Namespace(**settings).x", "2 ?"),
    ("argparse.Namespace(**{**vars(args), **settings}).x", "2 ?"),
    ("argparse.Namespace(**{**settings, **vars(args)}).x", "1 ?"),
    ("argparse.Namespace(**{**vars(args), **settings}).z", "3 ?"),
    ("argparse.Namespace(**(vars(args) | settings)).x", "2 ?"),
    ("argparse.Namespace(**{**vars(args), **unknown()}).x", "1 ... ?"),
]


@pytest.mark.parametrize(("expression", "expected"), OVER_OPTIONS)
def test_a_file_and_options(expression: str, expected: str) -> None:
    text = f"""
        import argparse
        import yaml

        parser = argparse.ArgumentParser()
        parser.add_argument("--x", default=1)
        parser.add_argument("--z", default=3)
        args = parser.parse_args()
        with open("c.yaml") as file:
            settings = yaml.safe_load(file)
        reveal({expression})
        """
    assert shown(reveal({"train.py": text, "c.yaml": "x: 2"})) == expected


MERGED = [
    # the last on top, on all levels
    ("OmegaConf.merge(base, over).x", "2 ?"),
    ("OmegaConf.merge(over, base).x", "1 ?"),
    ("OmegaConf.merge(base, over).t.x", "4 ?"),
    ("OmegaConf.merge(base, over).t.y", "3 ?"),
    ("OmegaConf.merge(base, {'t': {'y': 5}}).t.y", "5 ?"),
    ("OmegaConf.merge(base, OmegaConf.create({'t': {'y': 5}})).t.x", "3 ?"),
    ("OmegaConf.merge(base, OmegaConf.from_cli()).x", "1 ?"),
    ("OmegaConf.merge(base, OmegaConf.load(unknown())).x", "1 ... ?"),
    ("OmegaConf.merge(base, *more).x", "..."),
    ("OmegaConf.to_container(OmegaConf.merge(base, over), resolve=True)['x']", "2 ?"),
    # a data class says which settings there are, and their defaults
    ("OmegaConf.structured(Settings).x", "6 ?"),
    ("OmegaConf.structured(Settings(x=7)).x", "7"),
    ("OmegaConf.merge(OmegaConf.structured(Settings), base).x", "1 ?"),
    ("OmegaConf.merge(OmegaConf.structured(Settings), base).v", "8 ?"),
]


@pytest.mark.parametrize(("expression", "expected"), MERGED)
def test_merged(expression: str, expected: str) -> None:
    text = f"""
        from dataclasses import dataclass
        from omegaconf import OmegaConf

        @dataclass
        class Settings:
            x: int = 6
            v: int = 8

        base = OmegaConf.load("base.yaml")
        over = OmegaConf.load("over.yaml")
        reveal({expression})
        """
    files = {"train.py": text, "base.yaml": "x: 1\nt: {x: 3, y: 3}", "over.yaml": "x: 2\nt: {x: 4}"}
    assert shown(reveal(files)) == expected


def test_what_a_file_leaves_to_a_default() -> None:
    text = """
        import yaml

        def f(x=1, y=1):
            reveal(y)

        with open("c.yaml") as file:
            f(**yaml.safe_load(file))
        """
    assert shown(reveal({"train.py": text, "c.yaml": "x: 2"})) == "1 ?"
    assert shown(reveal({"train.py": text, "c.yaml": "y: 2"})) == "2 ?"
    assert shown(reveal({"train.py": text})) == "1 ..."
