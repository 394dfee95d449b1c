"""The MindSpore version that a program is for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.core.facts import fact
from ms_perflint.core.findings import Place
from ms_perflint.core.source import LETTER, START
from ms_perflint.index.semantic_index import Block, SemanticIndex, Site
from ms_perflint.index.syntax_forms import TRY, imported_name, is_main_guard, word_of, words_in

if TYPE_CHECKING:
    from ms_perflint.infer.database import Files
    from ms_perflint.resolve.project import Project

Version = tuple[int, ...]
RELEASES: tuple[Version, ...] = tuple((major, minor, 0) for major in (1, 2) for minor in range(11))
# What an API took once, and the first version that refuses it (signatures of the releases; refused by 2.10: run)
_OLD: dict[str, tuple[Version, tuple[str, ...]]] = {
    "mindspore.set_auto_parallel_context": (RELEASES[0], ("mirror_mean",)),
    "mindspore.dataset.MindDataset": ((1, 6), ("dataset_file",)),
    "mindspore.ops.argmax": ((2, 0), ("output_type",)),  # not `axis`: programs for 2.x pass it too, by mistake
    "mindspore.ops.grid_sample": ((2, 0), ("interpolation_mode",)),
    "mindspore.ops.interpolate": ((2, 0), ("scales", "sizes", "coordinate_transformation_mode")),
    "mindspore.ops.logsumexp": ((2, 6), ("axis", "keep_dims")),
    "mindspore.ops.multinomial": ((2, 0), ("inputs", "num_sample")),
    "mindspore.ops.norm": ((2, 0), ("keep_dims", "input_x")),
    "mindspore.ops.split": ((2, 0), ("output_num",)),
    **dict.fromkeys(
        (f"mindspore.nn.Transformer{part}" for part in ("", "Encoder", "EncoderLayer", "Decoder", "DecoderLayer")),
        ((2, 0), ("ffn_hidden_size",)),
    ),
    "mindspore.nn.EmbeddingLookup": ((2, 8), ("vocab_cache_size",)),
    # its documentation of 1.5 is the first read
    "mindspore.nn.SoftmaxCrossEntropyWithLogits": ((1, 5), ("is_grad", "smooth_factor")),
}
# Names of MindSpore 0.x that no known version has: `from mindspore.nn.optim import AdamWeightDecayDynamicLR`
_OLD_NAMES = (
    *("AdamWeightDecayDynamicLR", "mindspore.model_zoo", "mindspore.train.parallel_utils"),
    *("check_int_positive", "check_int_non_negative", "ParamValidator"),  # of mindspore._checkparam, up to 1.0
)
# Names of internal modules that many programs import: 1.7 has them, 2.0.0 has none of them (sources read)
_INTERNAL = {"mindspore._checkparam.Rel": (2, 0), "mindspore._checkparam.Validator": (2, 0)}
# The errors of a version that lacks a name or parameter, and those above them
_MISSING = frozenset(
    {
        "ImportError", "ModuleNotFoundError", "AttributeError", "NameError", "TypeError", "ValueError", "RuntimeError",
        "Exception", "BaseException",
    }
)  # fmt: skip
OPTION, PIN, IMPORT, NEWEST = "option", "pin", "import", "newest"  # what says the version


class Target(NamedTuple):
    """The version and devices that a program is for."""

    version: Version = (0,)
    devices: tuple[str, ...] = ()  # those that the program names; empty: unknown
    is_cpu: bool = False  # nothing but the CPU is possible
    places: tuple[Place, ...] = ()  # where the device was read
    oldest: Version = (0,)  # the version that it may be as well: below `version` where the code only caps it
    source: str = OPTION  # what says the version
    version_places: tuple[Place, ...] = ()  # where it says so

    @property
    def is_gpu(self) -> bool:
        """Return whether a GPU is the only accelerator that the program names."""
        return "GPU" in self.devices and "Ascend" not in self.devices


def versions_of(program: Files, asked: Target) -> Target:
    """Return the target of a program without its devices, which need all running code; `asked`: by the command line."""
    return asked._replace(oldest=asked.version) if asked.version != (0,) else _version(program)


# --- version


def _version(program: Files) -> Target:
    """Return the newest version that the requirement files and imports of a program allow."""
    from ms_perflint.program.requirements import pin  # here, because programs with nothing to report are not asked

    pinned = pin(program)
    places: tuple[Place, ...] = (pinned.place,) if pinned is not None else ()
    version, source = mindspore_api.newest(), NEWEST
    if pinned is not None and pinned.version is not None:
        version, source = pinned.version, PIN
    elif pinned is not None and pinned.below is not None and pinned.below <= version:
        version, source = _before(pinned.below), PIN
    oldest, cap, place = _imports(program, is_pinned=pinned is not None)
    if cap is not None and cap <= version:
        version, source, places = _before(cap), IMPORT, (place,) if place is not None else ()
    if source == NEWEST:
        places = ()
    return Target(
        version, oldest=min(oldest, version) if source == IMPORT else version, source=source, version_places=places
    )


def _before(version: Version) -> Version:
    return max((release for release in RELEASES if release < version), default=RELEASES[0])


def _imports(program: Files, is_pinned: bool) -> tuple[Version, Optional[Version], Optional[Place]]:
    """Return the first version with all names that a program imports, the first that lacks one, and the place.

    A call counts like an import where no requirement restricts the version: the code around it may never run. It says
    nothing where an import needs a version from 2.0 on without its callee.
    """
    oldest: Version = RELEASES[0]
    gone: list[tuple[Version, Place]] = []
    for path in program.files:
        some_went, newest = _changes(program.project.imports.taken(path, "mindspore")[0])
        module = program.module(path) if some_went or newest > oldest else None  # others say nothing new
        for name, stmt, alias in _imported(module) if module is not None else ():
            added, removed = mindspore_api.added_in(name), _removed_in(name)
            if (added or removed) and module is not None and not _is_guarded(module, alias):
                oldest = max(oldest, added or oldest)
                if removed is not None:
                    gone.append((removed, _place(module, stmt, alias)))
    needed = oldest if oldest >= (2,) else (0,)  # programs for 1.x still call what the release before had
    for path in program.files if not is_pinned else ():
        gone += _old_calls(program.project, path, needed)
    cap, place = min(gone, key=lambda each: each[0], default=(None, None))
    return oldest, cap, place


@fact
def _old_calls(project: Project, path: str, needed: Version) -> tuple[tuple[Version, Place], ...]:
    """Return where a file calls what later versions lack, with the first of these: `nn.ResizeBilinear()`, a keyword.

    `needed`: the version that the imports of the program need; what it lacks is left out.
    """
    words = _departed(project, path, needed)
    for api, (version, keywords) in _OLD.items():
        word = api.rpartition(".")[2]
        if version > needed and project.contains_any(path, (word,)) and project.contains_any(path, keywords):
            words |= {word}
    module = project.module(path) if words else None
    return tuple(each for each in _calls_in(module, words) if each[0] > needed) if module is not None else ()


def _calls_in(module: SemanticIndex, words: frozenset[str]) -> Iterator[tuple[Version, Place]]:
    for site in (site for word in sorted(words) for site in module.by_word.get(word, ())):
        given = {each.arg: each for each in site.call.keywords}
        for name in _called(site) if not _is_for_another(site.block) else ():
            removed = mindspore_api.removed_in(name)
            if removed is not None:
                yield removed, module.place(site.node)
            version, old = _OLD.get(mindspore_api.canonical(name), (RELEASES[0], ()))
            for keyword in (given[word] for word in old if word in given):
                yield version, module.source.place(module.span(keyword)[0])


def _departed(project: Project, path: str, needed: Version) -> frozenset[str]:
    """Return the last words of possible calls in the bytes of a file that versions behind a needed one lack."""
    names = project.imports.taken(path, "mindspore")[0]
    members = project.members(path, mindspore_api.departed()) if names else frozenset()
    ways = ((member, part) for member in members for part in (member, member.partition(".")[2]))
    return frozenset(
        member.partition(".")[2]
        for member, part in ways
        if any((mindspore_api.removed_in(f"{name}.{part}") or needed) > needed for name in names)
    )


def _called(site: Site) -> Iterator[str]:
    """Yield the full names of a callee, by the imports of its file."""
    first, *words = words_in(site.callee or site.node) or [""]
    for stmt, alias in site.module.imported.get(first, ()):
        yield ".".join([imported_name(stmt, alias), *words])


@lru_cache(maxsize=256)  # asked in each program of a file
def _changes(names: frozenset[str]) -> tuple[bool, Version]:
    """Return whether some version lacks one of these names, and the first version with all of them."""
    some_went = any(_removed_in(name) is not None for name in names)
    return some_went, max((mindspore_api.added_in(name) or RELEASES[0] for name in names), default=RELEASES[0])


def _removed_in(name: str) -> Optional[Version]:
    """Return the first version without a name that is imported: the first known one for a name of 0.x."""
    is_old = any(f".{old}." in f".{name}." for old in _OLD_NAMES)
    return RELEASES[0] if is_old else _INTERNAL.get(name) or mindspore_api.removed_in(name)


def _place(module: SemanticIndex, stmt: ast.stmt, alias: ast.alias) -> Place:
    """Return where an import statement names what it imports; before Python 3.10 where it starts."""
    start, end = module.span(stmt)
    text = module.source.text[start:end]
    behind = text.find(b" import") if isinstance(stmt, ast.ImportFrom) else 0
    found = re.compile(START + re.escape(alias.name.encode()) + rb"(?!%s)" % LETTER).search(text, max(behind, 0))
    return module.source.place(start + found.start() if found is not None else start)


def _imported(module: SemanticIndex) -> Iterator[tuple[str, ast.stmt, ast.alias]]:
    """Yield the full names that a module imports from MindSpore, with the statement that does."""
    for imports in module.imported.values():
        for stmt, alias in imports:
            if isinstance(stmt, ast.ImportFrom):
                if not stmt.level and (stmt.module or "").partition(".")[0] == "mindspore":
                    yield f"{stmt.module}.{alias.name}", stmt, alias
            elif alias.name.partition(".")[0] == "mindspore":
                yield alias.name, stmt, alias


def _is_guarded(module: SemanticIndex, alias: ast.alias) -> bool:
    """Return whether an import is optional: `try: from mindspore import jit`, `if version < ...:`."""
    name = alias.asname or alias.name.partition(".")[0]
    bindings = (binding for scope in module.scopes for binding in scope.bindings.get(name, ()))
    owners = [arm.owner for each in bindings if each.node is alias for arm in each.block.chain()]
    return any(_tries(each) or (isinstance(each, ast.If) and not is_main_guard(each)) for each in owners)


def _is_for_another(block: Block) -> bool:
    """Return whether a block tries whether something exists, or tests the version."""
    owners = [arm.owner for arm in block.chain()]
    tests = [ast.unparse(owner.test) for owner in owners if isinstance(owner, ast.If)]
    return any(map(_tries, owners)) or re.search("version|hasattr", " ".join(tests)) is not None


def _tries(owner: Optional[ast.AST]) -> bool:
    """Return whether a `try` catches what a name or parameter raises that a version lacks."""
    if not isinstance(owner, TRY):
        return False
    caught = [each.type for each in owner.handlers]  # type: ignore[attr-defined]
    types = [part for each in caught for part in (each.elts if isinstance(each, ast.Tuple) else [each])]
    return any(each is None or word_of(each) in _MISSING for each in types)
