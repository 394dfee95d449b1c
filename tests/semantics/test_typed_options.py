"""Options that are the fields of data classes, and the config file that a decorator gives."""

from __future__ import annotations

import textwrap

import pytest
from reveal import reveal, shown

TYPES = """
    from dataclasses import dataclass, field
    from typing import Optional

    @dataclass
    class Common:
        seed: int = 1
        mode: str = "EAGER"

    @dataclass
    class Model(Common):
        mode: str = field(default="GRAPH", metadata={"help": "how it runs"})
        path: str = field(metadata={"help": "required"})
        level: Optional[str] = None
        sizes: list = field(default_factory=list)

    @dataclass
    class Data:
        sink: bool = False
    """
IMPORTS = [
    "from transformers import HfArgumentParser",
    "from mindnlp.transformers import HfArgumentParser",
    "from mindformers.tools import HfArgumentParser",
    "class HfArgumentParser(ArgumentParser):\n    def __init__(self, dataclass_types, **kwargs):\n        pass",
    "from transformers import HfArgumentParser as Base\nclass HfArgumentParser(Base):\n    pass",
]


@pytest.mark.parametrize("imports", IMPORTS)
def test_parser(imports: str) -> None:
    text = f"{imports}\n{textwrap.dedent(TYPES)}\nparser = HfArgumentParser((Model, Data))\n"
    assert shown(reveal(f"{text}model, data = parser.parse_args_into_dataclasses()\nreveal(model.mode)")) == "'GRAPH' ?"
    assert shown(reveal(f"{text}model, data = parser.parse_args_into_dataclasses()\nreveal(data.sink)")) == "False ?"


FIELDS = [
    ("a, b = HfArgumentParser((Model, Data)).parse_args_into_dataclasses()", "a.level", "None ?"),
    ("a, b = HfArgumentParser((Model, Data)).parse_args_into_dataclasses()", "a.seed", "1 ?"),
    ("a, b = HfArgumentParser((Model, Data)).parse_args_into_dataclasses()", "a.path", "... ?"),
    ("a, b = HfArgumentParser((Model, Data)).parse_args_into_dataclasses()", "a.sizes", "... ?"),
    ("a, b = HfArgumentParser([Data, Model]).parse_args_into_dataclasses()", "b.mode", "'GRAPH' ?"),
    ("a, = HfArgumentParser(Model).parse_args_into_dataclasses()", "a.mode", "'GRAPH' ?"),
    ("a = HfArgumentParser(Model).parse_args_into_dataclasses()[0]", "a.mode", "'GRAPH' ?"),
    ("a = HfArgumentParser(dataclass_types=[Model]).parse_args_into_dataclasses()[0]", "a.mode", "'GRAPH' ?"),
    ("ALL = (Model, Data)\na, b = HfArgumentParser(ALL).parse_args_into_dataclasses()", "b.sink", "False ?"),
    ("a, rest = HfArgumentParser(Data).parse_args_into_dataclasses(True)", "a.sink", "False ?"),
    ("a, b = HfArgumentParser((Model, *more)).parse_args_into_dataclasses()", "a.mode", "..."),
    ("a, b = HfArgumentParser(unknown()).parse_args_into_dataclasses()", "a.mode", "..."),
    ("a, b = HfArgumentParser((Model, Data)).parse_json_file('a.json')", "a.mode", "..."),
    ("a, = HfArgumentParser(Data).parse_args_into_dataclasses()\na.sink = True", "a.sink", "True"),
]


@pytest.mark.parametrize(("text", "expression", "expected"), FIELDS)
def test_field(text: str, expression: str, expected: str) -> None:
    start = f"from transformers import HfArgumentParser\n{textwrap.dedent(TYPES)}"
    assert shown(reveal(f"{start}\n{text}\nreveal({expression})")) == expected


def test_launchers_replace_the_default_of_a_field() -> None:
    start = f"from transformers import HfArgumentParser\n{textwrap.dedent(TYPES)}"
    text = f"{start}\na, b = HfArgumentParser((Model, Data)).parse_args_into_dataclasses()\nreveal(SETTING)"
    shell = {"run.sh": "python train.py --mode EAGER --sink"}
    assert shown(reveal({"train.py": text.replace("SETTING", "a.mode"), **shell})) == "'EAGER' ('GRAPH') ?"
    assert shown(reveal({"train.py": text.replace("SETTING", "b.sink"), **shell})) == "True (False) ?"
    assert shown(reveal({"train.py": text.replace("SETTING", "a.seed"), **shell})) == "1 ?"


MAINS = [
    ('config_path="conf", config_name="config"', "x: 1", "cfg.x", "1 ?"),
    ('config_path="conf", config_name="config.yaml", version_base=None', "t: {x: 1}", "cfg.t.x", "1 ?"),
    ('"conf", "config"', "x: 1", "cfg['x']", "1 ?"),
    ('config_path="./conf", config_name=NAME', "x: 1", "cfg.x", "1 ?"),
    ('config_path="conf", config_name="other"', "x: 1", "cfg.x", "..."),
    ('config_path="conf"', "x: 1", "cfg.x", "..."),
    ('config_path=unknown(), config_name="config"', "x: 1", "cfg.x", "..."),
    # groups of settings
    ('config_path="conf", config_name="config"', "defaults: [_self_, model: small]\nx: 1", "cfg.x", "1 ?"),
    ('config_path="conf", config_name="config"', "defaults: [_self_, model: small]\nx: 1", "cfg.model.width", "16 ?"),
    ('config_path="conf", config_name="config"', "defaults: [_self_, model: large]\nx: 1", "cfg.model.width", "..."),
    (
        'config_path="conf", config_name="config"',
        "defaults: [model: small]\nmodel: {width: 2}",
        "cfg.model.width",
        "...",
    ),
    ('config_path="conf", config_name="config"', "defaults: [model: moved]\nx: 1", "cfg.model.width", "..."),
    ('config_path="conf", config_name="config"', "defaults: [base]\nx: 1", "cfg.x", "..."),
    ('config_path="conf", config_name="config"', "defaults: [override model: small]\nx: 1", "cfg.x", "..."),
]


@pytest.mark.parametrize(("arguments", "content", "expression", "expected"), MAINS)
def test_main(arguments: str, content: str, expression: str, expected: str) -> None:
    text = f"""
        import hydra

        NAME = "config"

        @hydra.main({arguments})
        def main(cfg):
            reveal({expression})

        if __name__ == "__main__":
            main()
        """
    files = {
        "train.py": text,
        "conf/config.yaml": content,
        "conf/base.yaml": "x: 2",
        "conf/model/small.yaml": "width: 16",
        "conf/model/moved.yaml": "# @package _global_\nwidth: 16",
    }
    assert shown(reveal(files)) == expected


COMPOSED = [
    ('with initialize(config_path="conf"):\n    cfg = compose(config_name="config")', "1 ?"),
    ('initialize(config_path="conf")\ncfg = compose("config")', "1 ?"),
    ('initialize(config_path="conf")\ncfg = compose("config", overrides=["x=2"])', "..."),
    ('initialize(config_path="conf")\ncfg = compose("other")', "..."),
    ('cfg = compose("config")', "..."),
]


@pytest.mark.parametrize(("text", "expected"), COMPOSED)
def test_composed(text: str, expected: str) -> None:
    files = {
        "train.py": f"from hydra import compose, initialize\n{text}\nreveal(cfg.x)",
        "conf/config.yaml": "x: 1",
    }
    assert shown(reveal(files)) == expected
