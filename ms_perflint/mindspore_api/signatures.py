"""What a call takes: the parameters of functions, classes, methods and instances, by version."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from typing import Optional

from ms_perflint.mindspore_api.kept import KEYWORDS
from ms_perflint.mindspore_api.names import ancestors, canonical, read_data, returned
from ms_perflint.mindspore_api.parameter import REQUIRED, UNKNOWN, Named, Parameter
from ms_perflint.mindspore_api.versions import Version


@cache
def parameters(api: str, version: Version) -> Optional[tuple[Parameter, ...]]:
    """The parameters of a canonical API in order, without `self`, as the version has them; None if not known.

    A method of a class is `mindspore.train.Model.train` (inherited ones too), a call of an instance is
    `mindspore.ops.Cast.__call__` (for a cell: of its `construct`). `*args` and `**kwargs` are left out.
    """
    for candidate in _candidates(api):
        found = _generated(candidate, version)
        since = (k for k in KEYWORDS.get(candidate, ()) if k.since <= (*version, 0, 0))
        kept = {k.name: k.default for k in since if k.until is None or version < k.until}
        if found is not None or kept:
            known = [p._replace(default=kept.pop(p.name)) if p.name in kept else p for p in found or ()]
            return tuple(known + [Parameter(name, True, default) for name, default in kept.items()])
    return None


def _candidates(api: str) -> list[str]:
    """Under which names the parameters may be known: the method of the class, else of a class above it."""
    owner, _, method = api.rpartition(".")
    if method == "construct":
        return [api, f"{owner}.__call__"]
    if method == "__call__":
        return [api]
    kind = returned(owner) or owner  # `mindspore.dataset.zip(...)` is a ZipDataset
    return [api, *(f"{each}.{method}" for each in (kind, *ancestors(kind)))]


def _generated(api: str, version: Version) -> Optional[tuple[Parameter, ...]]:
    by_release = _signatures(api)
    if not by_release:
        return None
    fitting = [text for since, text in by_release if since <= (*version, 0, 0)]
    return _parse(fitting[-1] if fitting else by_release[0][1])


@cache
def _signatures(api: str) -> tuple[tuple[Version, str], ...]:
    """(first release, signature), oldest first."""
    parts = api.split(".")
    part = parts[1] if len(parts) > 2 else "mindspore"
    by_release: Mapping[str, str] = _part(part).get(api, {})
    return tuple(sorted((tuple(map(int, since.split("."))), text) for since, text in by_release.items()))


@cache
def _part(name: str) -> Mapping[str, Mapping[str, str]]:
    part: Mapping[str, Mapping[str, str]] = read_data(f"signatures/{name}")
    return part


@cache
def _parse(text: str) -> tuple[Parameter, ...]:
    """`a, b=1, *, c=mindspore.float32, d=...` -> its parameters; `...` is a default that is not known."""
    function = ast.parse(f"def f({text}): ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    slots = function.args.args
    defaults: list[Optional[ast.expr]] = [None] * (len(slots) - len(function.args.defaults))
    positional = zip(slots, [*defaults, *function.args.defaults])
    keywords = zip(function.args.kwonlyargs, function.args.kw_defaults)
    return tuple(
        [Parameter(arg.arg, False, _default(default)) for arg, default in positional]
        + [Parameter(arg.arg, True, _default(default)) for arg, default in keywords]
    )


def _default(node: Optional[ast.expr]) -> object:
    if node is None:
        return REQUIRED
    if isinstance(node, (ast.Attribute, ast.Name)):
        return Named(canonical(ast.unparse(node)))
    value = ast.literal_eval(node)
    return UNKNOWN if value is Ellipsis else value
