"""What MindSpore is, by version: canonical names, parameters and their defaults, removals, constants."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Dict, FrozenSet, Mapping, Optional, Tuple

Version = Tuple[int, ...]


class Required:
    """The default of a parameter that has none."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = Required()


@dataclass(frozen=True)
class Parameter:
    """One parameter of an API, without `self`; `default` is a constant, an api name as text in `Name`, or REQUIRED."""

    name: str
    keyword_only: bool = False
    default: object = REQUIRED


def newest() -> Version:
    """The newest MindSpore that is known here."""
    return (2, 10, 0)


def parse_version(text: str) -> Version:
    """`2.0.0-alpha` -> (2, 0, 0), `1.9` -> (1, 9); pre-releases count as their release."""
    match = re.match(r"\s*v?(\d+(?:\.\d+)*)", text)
    if match is None:
        raise ValueError(f"{text!r} is no MindSpore version: write it like 2.4.1")
    return tuple(int(part) for part in match.group(1).split("."))


def default_mode(version: Version) -> int:
    """0 (GRAPH) or 1 (PYNATIVE): the execution mode of a program that sets none."""
    return 0 if (1, 3) <= version < (2,) else 1


@lru_cache(maxsize=None)
def _names() -> Tuple[FrozenSet[str], Mapping[str, Mapping[str, str]]]:
    data = json.loads(Path(__file__).with_name("names.json").read_text("utf-8"))
    return frozenset(data["modules"]), data["aliases"]


@lru_cache(maxsize=None)
def _exports() -> Mapping[str, str]:
    data: Mapping[str, str] = json.loads(Path(__file__).with_name("exports.json").read_text("utf-8"))
    return data


@lru_cache(maxsize=None)
def _aliases(module: str) -> Mapping[str, str]:
    found: Dict[str, str] = {}
    for home, names in _names()[1].get(module, {}).items():
        for name in names.split():
            old, _, new = name.partition("=")
            found[old] = f"{home}.{new or old}"
    return found


def is_module(name: str) -> bool:
    """True where attribute access goes on inside a module of MindSpore."""
    return name in _names()[0] or name == "mindspore.dtype"


def exports(module: str) -> FrozenSet[str]:
    """The names that `from <module> import *` brings."""
    return frozenset(_exports().get(module, "").split())


@lru_cache(maxsize=65536)
def canonical(name: str) -> str:
    """The one name of the object that `name` spells; unknown names come back unchanged."""
    if not name.startswith("mindspore."):
        return name
    if name.startswith("mindspore.dtype"):
        name = "mindspore.common" + name[len("mindspore") :]
    head, rest = name, ""
    while "." in head and not is_module(head):
        head, _, last = head.rpartition(".")
        rest = f"{last}.{rest}" if rest else last
    if not rest:
        return name
    first, _, more = rest.partition(".")
    known = _aliases(head).get(first)
    if known is None and head == "mindspore.context":
        known = f"mindspore.{first}"
    if known is None:
        return name
    return f"{known}.{more}" if more else known


_CONSTANTS: Mapping[str, object] = {
    "mindspore.GRAPH_MODE": 0,
    "mindspore.PYNATIVE_MODE": 1,
    "mindspore.ParallelMode.STAND_ALONE": "stand_alone",
    "mindspore.ParallelMode.DATA_PARALLEL": "data_parallel",
    "mindspore.ParallelMode.HYBRID_PARALLEL": "hybrid_parallel",
    "mindspore.ParallelMode.SEMI_AUTO_PARALLEL": "semi_auto_parallel",
    "mindspore.ParallelMode.AUTO_PARALLEL": "auto_parallel",
}


def constant(name: str, default: object = None) -> object:
    """The value of a constant of MindSpore, `default` where the name is none."""
    return _CONSTANTS.get(canonical(name), default)


def _slots(*names: str, **defaults: object) -> Tuple[Parameter, ...]:
    return tuple(Parameter(n) for n in names) + tuple(Parameter(n, default=v) for n, v in defaults.items())


def parameters(api: str, version: Version) -> Optional[Tuple[Parameter, ...]]:
    """The parameters of a canonical API in order, without `self`, with the defaults of that version; None if unknown."""
    sink = version < (2,)
    known = {
        "mindspore.train.Model": lambda: _slots(
            "network",
            loss_fn=None,
            optimizer=None,
            metrics=None,
            eval_network=None,
            eval_indexes=None,
            amp_level="O0",
            boost_level="O0",
        ),
        "mindspore.train.Model.train": lambda: _slots(
            "epoch", "train_dataset", callbacks=None, dataset_sink_mode=sink, sink_size=-1, initial_epoch=0
        ),
        "mindspore.train.Model.fit": lambda: _slots(
            "epoch",
            "train_dataset",
            valid_dataset=None,
            valid_frequency=1,
            callbacks=None,
            dataset_sink_mode=sink,
            valid_dataset_sink_mode=sink,
            sink_size=-1,
            initial_epoch=0,
        ),
        "mindspore.train.Model.eval": lambda: _slots("valid_dataset", callbacks=None, dataset_sink_mode=sink),
        "mindspore.train.CheckpointConfig": lambda: _slots(
            save_checkpoint_steps=1,
            save_checkpoint_seconds=0,
            keep_checkpoint_max=5,
            keep_checkpoint_per_n_minutes=0,
            integrated_save=True,
            async_save=False,
        ),
        "mindspore.train.ModelCheckpoint": lambda: _slots(prefix="CKP", directory=None, config=None),
        "mindspore.save_checkpoint": lambda: _slots(
            "save_obj", "ckpt_file_name", integrated_save=True, async_save=False, append_dict=None
        ),
        "mindspore.ops.cast": lambda: _slots("input", "dtype"),
        "mindspore.dataset.config.set_enable_autotune": lambda: _slots("enable", filepath_prefix=None),
    }.get(api)
    return known() if known else None
