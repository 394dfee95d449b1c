"""The libraries of the MindSpore family: one row for a library, one column for a fact.

Of a library without a row nothing is known.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable
from typing import NamedTuple

from ms_perflint.index.semantic_index import SemanticIndex


class Library(NamedTuple):
    """A package by its import name, and what is known of it."""

    name: str
    networks: bool = False  # it gives networks and layers that compute in float32 unless they are asked otherwise
    graphs: bool = False  # its training scripts set graph mode, and its networks are written for it
    half: bool = False  # its own recipes train its networks in half precision: of mindcv 155 of 179 set level O2 or O3
    eager: bool = False  # its networks are written as those of PyTorch, and run in PyNative mode
    adapter: bool = False  # it replaces PyTorch, also under the name `torch`
    physics: bool = False  # it solves differential equations: derivatives by inputs, which need float32


FAMILY = (
    Library("mindaudio", networks=True),
    Library("mindcv", networks=True, graphs=True, half=True),
    Library("mindediting", networks=True),
    Library("mindelec", physics=True),
    Library("mindface", networks=True),
    Library("mindflow", physics=True),
    Library("mindflow_ascend", physics=True),
    Library("mindflow_gpu", physics=True),
    Library("mindnlp", networks=True, eager=True),
    Library("mindocr", networks=True),
    Library("mindpose", networks=True),
    Library("mindtorch", eager=True, adapter=True),
    Library("mindvision", networks=True, graphs=True),
    Library("mindyolo", networks=True),
    Library("msadapter", eager=True, adapter=True),
    Library("sciai", physics=True),
    Library("x2ms_adapter", eager=True, adapter=True),
)


def _named(holds: Callable[[Library], bool]) -> frozenset[str]:
    return frozenset(each.name for each in FAMILY if holds(each))


NETWORKS = _named(lambda each: each.networks)
GRAPHS = _named(lambda each: each.graphs)
HALF = _named(lambda each: each.half)
EAGER = _named(lambda each: each.eager)
ADAPTERS = _named(lambda each: each.adapter)
PHYSICS = _named(lambda each: each.physics)


def is_of(name: str, libraries: frozenset[str]) -> bool:
    """Return whether a qualified name belongs to one of some libraries."""
    package, dot, _ = name.partition(".")
    return bool(dot) and package in libraries


def is_part(module: SemanticIndex, libraries: frozenset[str]) -> bool:
    """Return whether a file belongs to a copy of one of some libraries."""
    return not libraries.isdisjoint(module.directory.split(os.sep)[-2:])


# --- what of a library is a network

_FOLDERS = frozenset({"models", "transformers"})  # the parts of these packages that hold networks and their layers
MAKERS = frozenset({"create_model", "build_model"})
LOADERS = frozenset({"from_pretrained", "from_config"})
# What stands among the networks, and is none, or computes no matmul
_OTHERS = (
    r"(?i)token|config|loss|data|process|extract|metric|callback|optim|schedul|adam|norm|drop|pool|identity|activation|relu|"
    r"embedding|pad|regist|util|load|save|list|init|train(?!ing)|argument|pipeline|criteri|stream|output|^is_|^get_|^set_"
)
_GRAPHS = r"^mindspore_gl\.nn\..*Conv\w*$"  # every graph convolution is a product of features and weights


def is_network(name: str) -> bool:
    """Return whether a name of another package makes a network, or a layer, with matmul or convolution."""
    package, *rest = name.split(".")
    if not rest or package not in NETWORKS:
        return re.match(_GRAPHS, name) is not None
    word, folders = rest[-1], rest[:-1]
    if word in MAKERS:
        return True
    if word in LOADERS:
        return bool(folders) and not re.search(_OTHERS, folders[-1])
    return bool(_FOLDERS & set(folders)) and not re.search(_OTHERS, word)


def words(module: SemanticIndex) -> set[str]:
    """Return the words under which a file may call networks of these packages."""
    found = {name for name, imports in module.imported.items() if any(_is_ours(*each) for each in imports)}
    return found | MAKERS | LOADERS if found else found


def _is_ours(stmt: ast.stmt, alias: ast.alias) -> bool:
    """Return whether an import takes something from one of these packages."""
    dotted = (stmt.module or "") if isinstance(stmt, ast.ImportFrom) and not stmt.level else alias.name
    return dotted.partition(".")[0] in NETWORKS or dotted.startswith("mindspore_gl")
