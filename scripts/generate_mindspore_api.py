"""Write ms_perflint/mindspore_api/data/ from the Python sources of MindSpore releases.

    python scripts/generate_mindspore_api.py 2.10.0=FOLDER 2.9.0=FOLDER ... 1.0.1=FOLDER

FOLDER is a `mindspore` package: in site-packages, in an unpacked wheel, or in a checkout of a release tag (there:
`mindspore/` up to 1.5, `mindspore/python/mindspore/` from 1.6). Nothing is imported, so any Python 3.9+ can read any
release. The same folders give the same bytes. Use the last patch of every minor release.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from mindspore_signatures import Signature, Signatures
from mindspore_sources import Origin, Sources

DATA = Path(__file__).resolve().parent.parent / "ms_perflint" / "mindspore_api" / "data"
Spelling = tuple[str, str]  # module, name

# Other names of data types; the canonical one is the name with the width.
OTHER_DTYPES = re.compile(
    r"(byte|short|int|intc|long|intp|ubyte|ushort|uintc|uintp|half|float|single|double|bool|cfloat|cdouble)$"
)
# Objects made in these modules have their home there, though shorter spellings exist.
HOMES = (
    (r"mindspore\.train\.(model|callback|metrics|summary)\b", "mindspore.train"),
    (r"mindspore\.(train\.amp|train\.loss_scale_manager|amp)$", "mindspore.amp"),
)
# Interfaces of their own, also where they share an object with another one.
OWN = ("mindspore.mint", "mindspore.numpy")
# Classes whose methods are called by name in training programs; all classes of mindspore.nn and .ops would be 1 MB.
WITH_METHODS = re.compile(
    r"mindspore\.(train|amp|profiler|dataset|communication|boost|Profiler|Tensor|Parameter|ParameterTuple"
    r"|common\.tensor|common\.parameter|nn\.Cell|nn\.Optimizer|nn\.TrainOneStep|runtime|parallel\.auto_parallel)"
)
# Modules that all releases have, also where the folder that was read for one lacks their file.
# log.py, in the layout before 1.6 too; version.py, which the build writes
ALWAYS = frozenset({("mindspore", "log"), ("mindspore", "version")})
# Kernels behind the functions: written by the build, many, and in no program.
NOISE = re.compile(r"pyboost_|.*(_op|_impl|Prim_?|_prim)$")
NO_SIGNATURES = re.compile(r"mindspore\.(scipy|rewrite|log|hal|mindrecord|ops\.(op_info|auto_generate|signature))\b")


@dataclass
class Release:
    """What one release says, in plain data."""

    version: str
    modules: list[str]
    links: dict[str, str]  # other names of modules: mindspore.dtype -> mindspore.common.dtype
    objects: dict[Spelling, dict[Spelling, bool]]  # origin -> its spellings, and whether each is public
    kinds: dict[Spelling, str]
    exports: dict[str, list[str]]
    packages: frozenset[str] = frozenset()
    signatures: dict[Spelling, Signature] = field(default_factory=dict)
    calls: dict[Spelling, Signature] = field(default_factory=dict)
    methods: dict[Spelling, dict[str, Signature]] = field(default_factory=dict)
    parents: dict[Spelling, list[Spelling]] = field(default_factory=dict)
    returned: dict[Spelling, dict[str, Spelling]] = field(default_factory=dict)


def is_public(module: str) -> bool:
    return not any(part.startswith("_") for part in module.split("."))


def read_release(version: str, folder: Path, lender: Optional[Path]) -> Release:
    sources = Sources(folder, lender)
    modules = sources.public_modules()
    packages = frozenset(module for module in modules if sources.is_package(module))
    release = Release(version, modules, {}, defaultdict(dict), {}, {}, packages)
    made: dict[Spelling, Origin] = {}
    for module in modules:
        names = sources.module(module)
        listed = "__all__" in names.lists
        exports = set(names.exports())
        ours = _submodules(sources, module)
        for name in sorted(names.bindings):
            origin = sources.origin(module, name)
            if origin is None or name.startswith("_") or not origin.module.startswith("mindspore"):
                continue
            if origin.module.startswith("mindspore.ops.auto_generate") and NOISE.match(name):
                continue
            ours.add(name)
            if not origin.name:
                same = origin.module.endswith(f".{name}") and origin.module != f"{module}.{name}"
                if names.package and same and is_public(f"{module}.{origin.module}") and origin.module in modules:
                    release.links[f"{module}.{name}"] = origin.module
                continue
            key = (origin.module, origin.name)
            made[key] = origin
            own = listed or names.package or key == (module, name)
            public = module == "mindspore" or (name in exports and own)
            release.objects[key][module, name] = public and is_public(module)
        release.exports[module] = sorted(exports & ours)
    _spell_through_links(release, sources)
    _read_signatures(release, Signatures(sources), made)
    return release


def _spell_through_links(release: Release, sources: Sources) -> None:
    """What a module exports can also be spelled through a shorter name of the module: mindspore.dataset.config."""
    for other, module in release.links.items():
        for name in release.exports.get(module, ()) if other.count(".") < module.count(".") else ():
            origin = sources.origin(module, name)
            if origin and (origin.module, origin.name) in release.objects:
                release.objects[origin.module, origin.name][other, name] = True


def _submodules(sources: Sources, module: str) -> set[str]:
    depth = module.count(".") + 1
    return {m.rpartition(".")[2] for m in sources.files if m.startswith(module + ".") and m.count(".") == depth}


def _read_signatures(release: Release, signatures: Signatures, made: dict[Spelling, Origin]) -> None:
    queue = [made[key] for key, spellings in release.objects.items() if any(spellings.values())]
    while queue:
        origin = queue.pop()
        key = (origin.module, origin.name)
        if key in release.kinds:
            continue
        release.kinds[key] = type(origin.node).__name__
        release.returned[key] = {method: (kind.module, kind.name) for method, kind in signatures.returned(origin)}
        if (signature := signatures.of(origin)) is not None:
            release.signatures[key] = signature
        if isinstance(origin.node, ast.ClassDef):
            parents = signatures.parents(origin)
            queue += parents
            release.parents[key] = [(parent.module, parent.name) for parent in parents]
            release.methods[key] = dict(signatures.methods(origin))
            if (signature := signatures.of_call(origin)) is not None:
                release.calls[key] = signature


class Resolver:
    """The canonical name of every spelling, over all releases; the newest release that has a spelling decides."""

    def __init__(self, releases: Iterable[Release]) -> None:
        self.canonical: dict[Spelling, Spelling] = {}
        for release in releases:
            for origin, spellings in sorted(release.objects.items()):
                for group in self._split(spellings, release.kinds.get(origin)):
                    self._add(origin, group)
        for spelling in self.canonical:
            self.canonical[spelling] = self._settled(spelling)

    def of(self, spelling: Spelling) -> str:
        return ".".join(self.canonical.get(spelling, spelling))

    def made(self, release: Release, origin: Spelling) -> str:
        """The canonical name of an object, by where it is made."""
        return self.of(min((s for s in release.objects.get(origin, ()) if s in self.canonical), default=origin))

    def _split(self, spellings: dict[Spelling, bool], kind: Optional[str]) -> list[dict[Spelling, bool]]:
        groups: dict[str, dict[Spelling, bool]] = defaultdict(dict)
        for (module, name), public in spellings.items():
            own = next((o for o in OWN if (module + ".").startswith(o + ".")), "")
            shared = not public or kind not in ("FunctionDef", "ClassDef")
            groups["" if shared else own][module, name] = public
        return list(groups.values())

    def _add(self, origin: Spelling, group: dict[Spelling, bool]) -> None:
        ranked = sorted((s for s, public in group.items() if public), key=lambda s: self._rank(origin, s))
        if not ranked:
            return
        decided = [self.canonical[s] for s in ranked if s in self.canonical]
        best = decided[0] if decided else ranked[0]
        for spelling in group:
            self.canonical.setdefault(spelling, best)

    def _rank(self, origin: Spelling, spelling: Spelling) -> tuple[object, ...]:
        module, name = spelling
        home = next((home for pattern, home in HOMES if re.match(pattern, origin[0])), None)
        return (module != home, bool(OTHER_DTYPES.match(name)), module.count("."), len(module) + len(name), spelling)

    def _settled(self, spelling: Spelling) -> Spelling:
        seen = {spelling}
        while (other := self.canonical.get(spelling, spelling)) not in seen:
            seen.add(other)
            spelling = other
        return spelling


def minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def names_data(releases: list[Release], names: Resolver) -> dict[str, object]:
    aliases: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for (module, name), (home, true) in names.canonical.items():
        if (module, name) != (home, true):
            aliases[module][home].append(name if name == true else f"{name}={true}")
    links: dict[str, str] = {}
    for release in reversed(releases):
        links.update(release.links)
    modules = {m for release in releases for m in release.modules}
    packed = {m: {h: " ".join(sorted(n)) for h, n in sorted(homes.items())} for m, homes in sorted(aliases.items())}
    links = {other: module for other, module in sorted(links.items()) if other not in modules}
    shadowed = sorted(module for module in modules if _split(module) in names.canonical)
    return {"aliases": packed, "links": links, "modules": " ".join(sorted(modules)), "shadowed": " ".join(shadowed)}


def exports_data(releases: list[Release]) -> dict[str, str]:
    found: dict[str, set[str]] = defaultdict(set)
    for release in releases:
        for module, names in release.exports.items():
            if is_public(module):
                found[module] |= set(names)
    return {module: " ".join(sorted(names)) for module, names in sorted(found.items()) if names}


def versions_data(releases: list[Release], packages: frozenset[str]) -> dict[str, dict[str, str]]:
    """Public names that were not there from the first release to the last: module -> {"added-removed": names}.

    Modules that are no packages say only what was removed, as much of what they bind comes and goes unseen.
    """
    have: dict[Spelling, list[int]] = defaultdict(list)
    public = set()
    for index, release in enumerate(releases):  # newest first
        spelled = {s for group in release.objects.values() for s in group}
        modules = {_split(module) for module in [*release.modules, *release.links] if is_public(module)}
        for spelling in spelled | modules:
            have[spelling].append(index)
        public |= modules | {s for group in release.objects.values() for s, is_one in group.items() if is_one}
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for (module, name), indices in sorted((spelling, have[spelling]) for spelling in public - ALWAYS):
        added = "" if indices[-1] == len(releases) - 1 else minor(releases[indices[-1]].version)
        removed = "" if indices[0] == 0 else minor(releases[indices[0] - 1].version)
        if removed or (added and module in packages):
            found[module][f"{added}-{removed}"].append(name)
    return {module: {span: " ".join(names) for span, names in spans.items()} for module, spans in found.items()}


def _split(module: str) -> Spelling:
    parent, _, name = module.rpartition(".")
    return parent, name


def signatures_data(releases: list[Release], names: Resolver) -> dict[str, dict[str, dict[str, str]]]:
    """By part of MindSpore: canonical name -> {first release: signature}, a new entry where the signature changed."""
    found: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)

    def add(api: str, release: Release, signature: Signature) -> None:
        text = _text(signature, release, names)
        part = api.split(".")[1] if api.count(".") > 1 else "mindspore"
        known = found[part].setdefault(api, {})
        if not known or list(known.values())[-1] != text:
            known[minor(release.version)] = text

    for release in reversed(releases):
        for origin in sorted(release.kinds):
            api = names.made(release, origin)
            if NO_SIGNATURES.match(api) or not is_public(api):
                continue
            apis = {api} | {names.of(s) for s, public in release.objects.get(origin, {}).items() if public}
            for one in sorted(apis):
                if origin in release.signatures:
                    add(one, release, release.signatures[origin])
                if origin in release.calls:
                    add(f"{one}.__call__", release, release.calls[origin])
                if WITH_METHODS.match(one):
                    for method, signature in sorted(release.methods.get(origin, {}).items()):
                        add(f"{one}.{method}", release, signature)
    return found


def parents_data(releases: list[Release], names: Resolver) -> dict[str, str]:
    found: dict[str, str] = {}
    for release in reversed(releases):
        for origin, parents in sorted(release.parents.items()):
            for api in {names.of(origin)} | {names.of(s) for s, p in release.objects.get(origin, {}).items() if p}:
                found[api] = " ".join(names.of(parent) for parent in parents)
    return {api: parents for api, parents in sorted(found.items()) if parents}


def returns_data(release: Release, names: Resolver) -> dict[str, str]:
    """What functions and methods of a release give: canonical name -> a class, or "self"; tensors are left out."""
    found: dict[str, str] = {}
    for origin, methods in sorted(release.returned.items()):
        public = {names.of(spelling) for spelling, is_one in release.objects.get(origin, {}).items() if is_one}
        for api in public if not NO_SIGNATURES.match(names.made(release, origin)) else ():
            for method, (module, name) in methods.items():
                found[f"{api}.{method}".rstrip(".")] = names.made(release, (module, name)) if module else name
    return {api: kind for api, kind in sorted(found.items()) if kind != "mindspore.Tensor"}


def _text(signature: Signature, release: Release, names: Resolver) -> str:
    parts = []
    for name, keyword_only, default in signature:
        if keyword_only and "*" not in parts:
            parts.append("*")
        if default is None:
            parts.append(name)
        elif default[0] == "name":
            parts.append(f"{name}={names.made(release, (default[1], default[2]))}")
        else:
            parts.append(f"{name}={default[1] if default[0] == 'value' else '...'}")
    return ", ".join(parts)


def write(file: Path, data: object) -> None:
    """One entry per line, so that a change of one name is a change of one line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(data, indent=0, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("releases", nargs="+", metavar="VERSION=FOLDER")
    parser.add_argument("--out", type=Path, default=DATA)
    arguments = parser.parse_args()
    folders = [(version, Path(folder)) for version, _, folder in (r.partition("=") for r in arguments.releases)]
    folders.sort(key=lambda item: tuple(map(int, item[0].split("."))), reverse=True)
    lenders = [None, *(folder if folder.joinpath("ops", "auto_generate").exists() else None for _, folder in folders)]
    for index in range(1, len(lenders)):
        lenders[index] = lenders[index] or lenders[index - 1]
    with ProcessPoolExecutor(2) as pool:
        versions, paths = zip(*folders)
        releases = list(pool.map(read_release, versions, paths, lenders[: len(folders)]))
    names = Resolver(releases)
    shutil.rmtree(arguments.out, ignore_errors=True)
    write(arguments.out / "names.json", names_data(releases, names))
    write(arguments.out / "exports.json", exports_data(releases))
    write(arguments.out / "returns.json", returns_data(releases[0], names))
    packages = frozenset(package for release in releases for package in release.packages)
    write(arguments.out / "versions.json", versions_data(releases, packages))
    write(arguments.out / "parents.json", parents_data(releases, names))
    for part, data in signatures_data(releases, names).items():
        write(arguments.out / "signatures" / f"{part}.json", data)


if __name__ == "__main__":
    main()
