"""Names of MindSpore: which spellings are one API, what a module exports, a class derives from, a method gives.

The data is read from the sources of the releases 1.0 to 2.10 by `scripts/generate_mindspore_api.py`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ms_perflint.mindspore_api.kept import RETURNS

DATA = os.path.join(os.path.dirname(__file__), "data")


@lru_cache(maxsize=1 << 16)
def canonical(name: str) -> str:
    """The one name of the object that `name` spells: `mindspore.context.set_context` -> `mindspore.set_context`.

    Attributes of a known object follow it (`mindspore.Model.train` -> `mindspore.train.Model.train`); unknown names
    come back unchanged.
    """
    if not name.startswith("mindspore."):
        return name
    names = _names()
    module, _, attributes = name.rpartition(".")
    while module not in names.modules and module not in names.links:
        module, _, last = module.rpartition(".")
        attributes = f"{last}.{attributes}"
    first, _, rest = attributes.partition(".")
    known = _aliases(names.links.get(module, module)).get(first)
    if known is None:
        return name
    return f"{known}.{rest}" if rest else known


@cache
def spellings(api: str) -> tuple[str, ...]:
    """The other names of the object that is called `api`, as they end in the same word; the shortest first."""
    last = api.rpartition(".")[2]
    found = {f"{module}.{last}" for module in _names().aliases if _aliases(module).get(last) == api}
    return tuple(sorted(found, key=lambda name: (name.count("."), name)))


def is_module(name: str) -> bool:
    """True where an attribute of `name` is a name of a module; False for an object that hides a module of its name."""
    names = _names()
    return (name in names.modules or name in names.links) and name not in names.shadowed


@cache
def exports(module: str) -> frozenset[str]:
    """The names that `from <module> import *` brings, over all releases; empty for what is no public module."""
    return frozenset(_exports().get(_names().links.get(module, module), "").split())


@cache
def ancestors(api: str) -> tuple[str, ...]:
    """The classes of MindSpore that a class derives from, nearest first: `mindspore.nn.Dense` -> Cell."""
    parents = _parents()
    found: list[str] = []
    queue = parents.get(canonical(api), "").split()
    while queue:
        one = queue.pop(0)
        if one not in found:
            found.append(one)
            queue += parents.get(one, "").split()
    return tuple(found)


@cache
def descendants(api: str) -> frozenset[str]:
    """The classes of MindSpore that derive from a class."""
    children = _children().get(api, ())
    return frozenset(children).union(*map(descendants, children))


@cache
def returned(api: str) -> str:
    """The class of what a function or method gives, "self" for the object of the method; "" where that is not known.

    A method of what a function gives is spelled like a method of the function.
    """
    owner, _, method = api.rpartition(".")
    kind = _returns().get(owner, owner)
    found = (_returns().get(f"{each}.{method}") for each in (kind, *ancestors(kind)))
    return _returns().get(api) or next((each for each in found if each is not None), "")


def read_data(name: str) -> Any:
    """One file of the generated data; {} if there is none of that name."""
    import json  # here, because many files name nothing that has to be looked up

    try:
        with open(os.path.join(DATA, f"{name}.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


class _Names(NamedTuple):
    modules: frozenset[str]
    links: Mapping[str, str]  # a module under another name: mindspore.dtype
    shadowed: frozenset[str]  # a package binds an object to the name of its submodule: mindspore.train.data_sink
    aliases: Mapping[str, Mapping[str, str]]  # module -> home -> names that are at home there, "old=new" if renamed


@cache
def _names() -> _Names:
    data = read_data("names")
    return _Names(
        frozenset(data["modules"].split()), data["links"], frozenset(data["shadowed"].split()), data["aliases"]
    )


@cache
def _aliases(module: str) -> Mapping[str, str]:
    """What is at home elsewhere, of the names in `module`: name -> canonical name."""
    found: dict[str, str] = {}
    for home, names in _names().aliases.get(module, {}).items():
        for name in names.split():
            spelled, _, true = name.partition("=")
            found[spelled] = f"{home}.{true or spelled}"
    return found


@cache
def _exports() -> Mapping[str, str]:
    exports: Mapping[str, str] = read_data("exports")
    return exports


@cache
def _returns() -> Mapping[str, str]:
    return {**read_data("returns"), **RETURNS}


@cache
def _parents() -> Mapping[str, str]:
    parents: Mapping[str, str] = read_data("parents")
    return parents


@cache
def _children() -> Mapping[str, list[str]]:
    """The classes that derive from a class directly, by its name."""
    children: dict[str, list[str]] = {}
    for each, parents in _parents().items():
        for parent in parents.split():
            children.setdefault(parent, []).append(each)
    return children
