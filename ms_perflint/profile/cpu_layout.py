"""The layout of profiles on a CPU: kernels without dtypes, and no steps (mindspore 2.10, run)."""

from __future__ import annotations

import os

from ms_perflint.languages import Message
from ms_perflint.profile.kernels import CPU, Kernel, Profile, named, steps_of
from ms_perflint.profile.text_layout import ProfileError, columns, date_of, number, rows

FRAMEWORK = "FRAMEWORK"
KERNELS = "cpu_op_detail_info_{rank}.csv"


def is_here(folder: str) -> bool:
    """Return whether a folder is a profile of a CPU."""
    return _file(folder) is not None


def read(folder: str) -> Profile:
    """Return the profile. May raise ProfileError."""
    path = _file(folder)
    assert path is not None
    read = rows(path)
    at = columns(next(read, []))
    if not {"full op name", "op type", "op occurrences", "op total time ms"} <= set(at):
        raise ProfileError(Message("{file}: its columns are not those of a CPU profile", file=path))
    name, kind, runs, time = at["full op name"], at["op type"], at["op occurrences"], at["op total time ms"]
    kernels = tuple(
        Kernel(named(row[name]), row[kind], (), (), int(number(row[runs])), number(row[time]) * 1000)
        for row in read
        if len(row) >= len(at)
    )
    count, even = steps_of(kernels)
    return Profile(folder, CPU, date_of(folder), kernels, (), count, even)


def _file(folder: str) -> str | None:
    framework = os.path.join(folder, FRAMEWORK)
    names = sorted(os.listdir(framework)) if os.path.isdir(framework) else []
    start, end = KERNELS.split("{rank}")
    found = [name for name in names if name.startswith(start) and name.endswith(end)]
    return os.path.join(framework, found[0]) if found else None
