"""Networks that other packages of the MindSpore family make: what they hold is known by what they are."""

from __future__ import annotations

import ast
import re

from ms_perflint.index.semantic_index import SemanticIndex

# Packages of networks and layers that compute in float32 unless they are asked for something else
_PACKAGES = frozenset(
    {"mindaudio", "mindcv", "mindediting", "mindface", "mindnlp", "mindocr", "mindpose", "mindvision", "mindyolo"}
)
_FOLDERS = frozenset({"models", "transformers"})  # the parts of these packages that hold networks and their layers
MAKERS = frozenset({"create_model", "build_model"})
LOADERS = frozenset({"from_pretrained", "from_config"})
# What stands among the networks, and is none, or has no matrix work
_OTHERS = (
    r"(?i)token|config|loss|data|process|extract|metric|callback|optim|schedul|adam|norm|drop|pool|identity|activation|relu|"
    r"embedding|pad|regist|util|load|save|list|init|train(?!ing)|argument|pipeline|criteri|stream|output|^is_|^get_|^set_"
)
_GRAPHS = r"^mindspore_gl\.nn\..*Conv\w*$"  # every graph convolution is a product of features and weights


def is_network(name: str) -> bool:
    """Return whether a name of another package makes a network, or a layer, with matrix work in it."""
    package, *rest = name.split(".")
    if not rest or package not in _PACKAGES:
        return re.match(_GRAPHS, name) is not None
    word, folders = rest[-1], rest[:-1]
    if word in MAKERS:
        return True
    if word in LOADERS:
        return bool(folders) and not re.search(_OTHERS, folders[-1])
    return bool(_FOLDERS & set(folders)) and not re.search(_OTHERS, word)


def words(module: SemanticIndex) -> set[str]:
    """Return the words under which a file may call what these packages make."""
    found = {name for name, imports in module.imported.items() if any(_is_ours(*each) for each in imports)}
    return found | MAKERS | LOADERS if found else found


def _is_ours(stmt: ast.stmt, alias: ast.alias) -> bool:
    """Return whether an import takes something from one of these packages."""
    dotted = (stmt.module or "") if isinstance(stmt, ast.ImportFrom) and not stmt.level else alias.name
    return dotted.partition(".")[0] in _PACKAGES or dotted.startswith("mindspore_gl")
