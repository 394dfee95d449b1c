"""Programs of other frameworks: their code imports PyTorch or another one, and nothing of MindSpore."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ms_perflint.core.graphs import reachable
from ms_perflint.index.syntax_forms import imported_packages, text_of
from ms_perflint.program.program import Program, fact
from ms_perflint.resolve.resolver import BY_CALL
from ms_perflint.training.family import FAMILY
from ms_perflint.training.followed import start_of

MINDSPORE = frozenset({"mindspore", *(each.name for each in FAMILY)})  # packages whose tensors are those of MindSpore
OTHERS = ("jax", "keras", "mxnet", "paddle", "tensorflow", "torch")
_NAMED = r"mind|^ms|_ms$|^tinyms$|^$"  # like packages that are built on MindSpore; or unknown; not `algorithms`
_RUNNING = ("exec", "run_module", "run_path")  # run code by its text or path


@fact
def is_of_another_framework(program: Program) -> bool:
    """Return whether a program certainly uses another framework and not MindSpore, by the imports of code that runs.

    Repositories with an implementation for each framework hold many such programs. False in doubt: where running code
    imports a module of an unknown name.
    """
    if not program.project.one_contains(program.files, OTHERS) or not program.is_whole:
        return False
    packages, files = set[str](), dict[str, None]()
    for module in program.modules:  # the entry script first: mostly it imports MindSpore
        homes = ((scope, scope.evaluated_in) for scope in module.scopes)
        ran = [scope for scope, home in homes if home is module.scope or home in program.reached]
        for stmt in (stmt for scope in ran for stmt, _ in scope.imports):
            packages |= imported_packages(stmt)
            files.update(dict.fromkeys(program.names.imported_files(stmt, module)))
        if _may_be_mindspore(packages):
            return False
    for path in reachable(files, lambda each: program.names.at_import(each)[0]):
        packages |= program.names.at_import(path)[1]
    is_other = not packages.isdisjoint(OTHERS) and not _may_be_mindspore(packages)
    return is_other and not _may_be_mindspore(_imported_by_calls(program))


def _may_be_mindspore(packages: Iterable[str]) -> bool:
    """Return whether one of some packages is MindSpore, or is named like those that are built on it, or unknown."""
    return any(re.search(_NAMED, each) or each in MINDSPORE for each in packages)


def _imported_by_calls(program: Program) -> Iterator[str]:
    """Yield the packages of modules that running code imports by a call; "" for one of the project, or an unknown one.

    The package of `f"gym.{name}.{version}"` is known.
    """
    for site in (site for word in (*BY_CALL, *_RUNNING) for site in program.sites(word) if program.is_live(site)):
        node = site.call.args[0] if site.word in BY_CALL and site.call.args else None
        start = start_of(node.values[0] if isinstance(node, ast.JoinedStr) and node.values else node, site.scope)
        package, dot, _ = start.partition(".")
        is_outside = (dot or package == text_of(node)) and program.import_target(site.module, package, 0) == package
        yield package if is_outside else ""
