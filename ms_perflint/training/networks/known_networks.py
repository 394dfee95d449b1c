"""Published networks, by their names, and numbers that the task fixes: their widths cannot be chosen."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from ms_perflint.core.facts import fact
from ms_perflint.core.graphs import reachable
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import descendants
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program

# Parts of names of published networks, whose widths are part of their definition
_LONG = (
    "alex_?net|vgg|inception|goog_?le_?net|google_?net|xception|res_?net|res_?next|res_?nest|res_?2_?net|dense_?net|mobile_?net|"
    "mobile_?vit|efficient_?net|efficient_?det|shuffle_?net|shuffle_?v|squeeze_?net|squeeze_?excit|ghost_?net|ghost_?module|"
    "ghost_?bottleneck|mnas_?net|proxyless|rep_?vgg|conv_?next|dark_?net|yolo|center_?net|r2_?plus_?1|point_?net|fast_?text|"
    "inverted_?residual|mb_?conv|wide_?resnet|hourglass|open_?pose|deep_?lab|psp_?net|fair_?mot|retina_?face|face_?net|"
    "sphere_?face|text_?cnn|transformer|wav_?2_?vec|conformer|tacotron|wave_?net|fast_?speech|deep_?speech"
)
# Short ones stand at the start of a word: SimpleNet is no LeNet
_SHORT = (
    "le_?net|hr_?net|reg_?net|p?nas_?net|mix_?net|fb_?net|tiny_?net|sk_?net|se_?net|u_?net|v_?net|ic_?net|mtcnn|c3d|i3d|crnn|bert|"
    "swin|deit|jasper|gpt|dpn|dla|pvt|vit|ssd|t5|(?:fire|pnet|rnet|onet|rcnn)(?:_|\\d|$)"
)
PUBLISHED = f"{_LONG}|(?:^|_)(?:{_SHORT})"  # of lower-case names
# Parts of names of numbers that the task or the data fixes
FIXED = (
    r"(?i)class(?!_(?:name|path))|num_cls|n_cls|label|vocab|anchor|landmark|offset|coord|box|categor|action|joint|keypoint|"
    r"(num|n)_(points|nodes|tokens|users|items|outputs?|targets?)|out(put)?_(dim|size|num)|image|pixel|seq_?len|max_len"
)
HIDDEN = r"(?i)hid|bottleneck|inner|inter|ffn|feed|width|units|neurons"
_CASES = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
_PAPER = (
    r"(?i)arxiv|\bpaper\b|et al\.?|proceedings|"
    r"\b(?:CVPR|ICCV|ECCV|NeurIPS|ICML|ICLR|AAAI|ACL|EMNLP|KDD|SIGIR|WSDM)\b"
)
_TESTS = frozenset({"test", "tests", "ut", "st", "unittest", "unittests", "testing"})


# Widths of published networks, layer by layer: LeNet-5, its version of Caffe, AlexNet, R-Net of MTCNN
CHAINS = ((6, 16, 120, 84), (20, 50, 500), (96, 256, 384, 384, 256), (28, 48, 64, 128))


def words(name: str) -> str:
    """Return a name with underscores at its changes of case."""
    return re.sub(_CASES, "_", name)


def is_published(site: Site) -> bool:
    """Return whether the call is part of a published network, by a name around it, of its file, or of its callers."""
    return _is_published(site.module, site.scope.owner)


@fact
def _is_published(module: SemanticIndex, function: Scope) -> bool:
    around = list(_around(function))
    names = [os.path.basename(module.path)[: -len(".py")], *(scope.name for scope in around)]
    if any(_published(name) for name in names):
        return True
    bases = [base for scope in around if isinstance(scope.node, ast.ClassDef) for base in scope.node.bases]
    if any(_published(ast.unparse(base)) for base in bases):
        return True
    outer = around[-1].name if around else ""
    return bool(outer) and outer in _loaded_by_published(module)


def is_made_for_published(program: Program, site: Site) -> bool:
    """Return whether only published networks, or their parts, make the class or function around a site."""
    seen: set[Scope] = set()
    todo, is_one = [site], False
    while todo:
        site = todo.pop()
        if is_published(site):
            is_one = True
            continue
        around = list(_around(site.scope.owner))
        outer = around[-1] if around else None
        if outer in seen:
            continue
        function = outer.method("__init__") if outer is not None and outer.is_class else outer
        makers = program.callers(function) if function is not None else ()
        if outer is None or not makers:
            return False
        seen.add(outer)
        todo.extend(makers)
    return is_one


@lru_cache(maxsize=1 << 16)
def _published(name: str) -> bool:
    return bool(re.search(PUBLISHED, name.lower()) or re.search(PUBLISHED, words(name).lower()))


def _around(scope: Scope) -> Iterator[Scope]:
    """Yield the functions and classes around a site, innermost first."""
    return (each for each in scope.chain() if each.name)


@fact
def _loaded_by_published(module: SemanticIndex) -> frozenset[str]:
    """Return the names that the published networks of a module load, in their methods too."""
    published = (scope for scope in module.scope.defines if _published(scope.name))
    return frozenset(name for scope in reachable(published, lambda scope: scope.defines) for name in scope.names)


def from_paper(call: Call) -> bool:
    """Return whether the class says that it follows a paper."""
    around = list(_around(call.scope.owner))
    return bool(around) and re.search(_PAPER, call.module.text(around[-1].node)) is not None


def in_tests(program: Program, site: Site) -> bool:
    """Return whether a site is part of a unit test."""
    return is_test(program, site.module.path) or any(
        scope.name.startswith(("test_", "Test")) for scope in _around(site.scope.owner)
    )


def is_test(program: Program, path: str) -> bool:
    """Return whether a file is one of unit tests: by its name, and those of folders of its project."""
    root = program.project.ancestors(os.path.dirname(path))[-1]
    is_marked = program.project.imports.is_root(root)
    name = os.path.relpath(path, root) if is_marked else program.named(path)
    *folders, file = name.split(os.sep)
    stem = file.rpartition(".")[0]
    return stem.startswith("test_") or stem.endswith("_test") or stem in _TESTS or bool(_TESTS & set(folders[-3:]))


def is_in_chain(rows: Sequence[tuple[bool, int]]) -> bool:
    """Return whether the marked one of some widths is part of a published network, in whose order they are."""
    for chain in CHAINS:
        for start in range(len(rows) - len(chain) + 1):
            part = rows[start : start + len(chain)]
            if tuple(width for _, width in part) == chain and any(marked for marked, _ in part):
                return True
    return False


def names_in(node: ast.AST) -> list[str]:
    """Return the names and attributes that an expression loads."""
    return [
        found.id if isinstance(found, ast.Name) else found.attr
        for found in descendants(node)
        if isinstance(found, (ast.Name, ast.Attribute))
    ]


def is_fixed(node: ast.expr) -> bool:
    """Return whether the task fixes a number, by its name; names in the case of classes name what makes it."""
    named = (name for name in names_in(node) if not name[:1].isupper() or name.isupper())
    return any(re.search(FIXED, words(name)) for name in named)


def is_class_count(node: ast.expr, value: int, heads: Iterable[int]) -> bool:
    """Return whether a number may be ImageNet's classes, with or without the background, going on to these widths.

    1000 is a hidden width too where its name says so, or where something else comes out behind it.
    """
    if value == 1000:
        hidden = any(re.search(HIDDEN, words(name)) for name in names_in(node))
        return not hidden and all(head in (1000, 1001) for head in heads)
    return value == 1001
