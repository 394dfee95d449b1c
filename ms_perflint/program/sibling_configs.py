"""Config files of which one has to be named when a program is started: each makes a run configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Optional

from ms_perflint.core.findings import Place
from ms_perflint.infer.commandline import Given
from ms_perflint.program.arguments import Argument, declared
from ms_perflint.program.run_configurations import RunConfiguration

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

FOLDERS = ("configs", "config", "conf", "cfgs", "cfg", "options", "yaml")  # beside the entry script, and above it
KINDS = ("*.yaml", "*.yml")
NAMED = r"(?i).*(?:conf|cfg|ya?ml|opt\b)"  # names of options that may be about such files
TRIED = 3  # files, before it is given up that the program loads them
KEYS = 20  # of a file, that are looked for in the code
FITTING = 0.5  # of them have to stand there


def runs(program: Program) -> Iterator[RunConfiguration]:
    """Yield the run configurations that config files make for a program that has to be given one."""
    option = _required(program)
    if option is None:
        return
    for base, path in _files(program):
        place = Place(path, 1, 1)
        given = dict.fromkeys(option.flags, Given(path, False, place))
        yield RunConfiguration(os.path.relpath(path, base), place, given, is_rest_open=True)


def _required(program: Program) -> Optional[Argument]:
    """Return the option that names the config file, where the program stops without it."""
    found = declared(program).arguments
    return next((each for each in found if each.is_needed and any(re.match(NAMED, flag) for flag in each.flags)), None)


def _files(program: Program) -> Iterator[tuple[str, str]]:
    """Yield the config files of the nearest folder of them that fit what the program reads, and where that lies."""

    @cache  # the keys of one file are mostly those of the next one
    def stands(key: str) -> bool:
        return any(program.project.contains_any(path, (key,)) for path in program.files)

    for base in program.project.ancestors(os.path.dirname(program.entry)):
        for folder in sorted(program.project.files.named(base, *FOLDERS)):
            home = os.path.join(base, folder)
            names = program.project.files.named(home, *(f"**/{kind}" for kind in KINDS))
            paths = [path for name in sorted(names) if _fits(program, path := os.path.join(home, name), stands)]
            if paths:
                yield from ((base, path) for path in paths)
                return


def _fits(program: Program, path: str, stands: Callable[[str], bool]) -> bool:
    """Return whether a file is a mapping most of whose keys stand in the code of a program, as texts or names."""
    documents = program.project.documents(path)
    data = documents[0].data if documents else None
    keys = [key for key in data if isinstance(key, str)][:KEYS] if isinstance(data, dict) else []
    return bool(keys) and sum(map(stands, keys)) >= FITTING * len(keys)


def loads(program: Program) -> bool:
    """Return whether a program loads the config file of its run configuration."""
    path = program.run.place.path if program.run is not None else ""
    calls = program.calls(*sorted(program.evaluator.libraries.documents))
    return any(known.document == path for call in calls for known in program.value(call.node, call.scope).alternatives)
