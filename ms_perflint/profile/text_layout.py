"""The text layout of MindSpore 2.5 to 2.10 (mindspore 2.10 profiler/analysis/viewer): CSV files of one rank."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Optional

from ms_perflint.languages import Message
from ms_perflint.profile.kernels import ASCEND, Kernel, Profile, Step, named, steps_of

OUTPUT = "ASCEND_PROFILER_OUTPUT"
KERNELS = "kernel_details.csv"
STEPS = "step_trace_time.csv"
DIFFERENT = 100_000  # largest number of distinct kernels; further ones of a file are grouped by type

_DATE = re.compile(r"_(\d{4})(\d\d)(\d\d)\d{6,9}_ascend_ms")
_RANK = re.compile(r"profiler_info_(\d+)\.json")
_WORDS = re.compile(r"[^a-z0-9]+")
_DTYPES = {"float": "float32", "half": "float16", "bf16": "bfloat16", "double": "float64"}
_SHARED = ("DT_", "NUMBER_TYPE_")


class ProfileError(Exception):
    """The reason why a folder is no profile, or unreadable: a message."""


def read(folder: str) -> Profile:
    """Return the profile of one rank. `folder` is `*_ascend_ms`, or its output folder. May raise ProfileError."""
    kernels, numbered = _kernels(output_of(folder, KERNELS))
    steps = tuple(_steps(output_of(folder, STEPS)))
    info, rank = _info(folder)
    count, even = (numbered, True) if numbered else steps_of(kernels)
    if not numbered and len(steps) > 1:
        count, even = len(steps), True
    if len(steps) == 1 and count > 1:  # without a schedule there is one row for the whole window
        steps = (_split(steps[0], count),)
    level = str(_at(info, "profiler_parameters", "profiler_level") or "")
    return Profile(folder, ASCEND, date_of(folder), kernels, steps, count, even, level, rank)


def output_of(folder: str, name: str) -> str:
    """Return the path of a file of one rank: in the output folder, or beside it."""
    inside = os.path.join(folder, OUTPUT)
    return os.path.join(inside if os.path.isdir(inside) else folder, name)


def rank_of(folder: str) -> int:
    """Return the rank that wrote a folder, by default 0."""
    return _info(folder)[1]


def date_of(folder: str) -> str:
    """Return the date of a profile, by its name or the file system."""
    import time  # here, because most names say it

    match = _DATE.search(folder)
    if match:
        return "-".join(match.groups())
    return time.strftime("%Y-%m-%d", time.gmtime(os.stat(folder).st_mtime))


def mean_step_us(folder: str) -> float:
    """Return the mean time of a step of one rank; 0 where its file is missing."""
    steps = list(_steps(output_of(folder, STEPS)))
    return sum(step.total_us for step in steps) / len(steps) if steps else 0.0


def rows(path: str) -> Iterator[list[str]]:
    """Yield the rows of a CSV file; the first is the head. May raise ProfileError."""
    try:
        with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
            yield from csv.reader(file)
    except (OSError, csv.Error) as error:  # before Python 3.11 also for NUL
        reason = getattr(error, "strerror", None) or str(error)
        raise ProfileError(Message("{file}: cannot be read: {reason}", file=path, reason=reason)) from error


def columns(head: Sequence[str]) -> dict[str, int]:
    """Return column name, in lower case without units and signs -> index."""
    return {_WORDS.sub(" ", name.lower()).strip(): at for at, name in reversed(list(enumerate(head)))}


def number(text: str) -> float:
    """Return the number in a field; 0 without a finite one."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) else 0.0


def dtypes(text: str) -> tuple[str, ...]:
    """Return the dtypes of `FLOAT;DT_BF16;NUMBER_TYPE_FLOAT32` in MindSpore's words."""
    found = []
    for word in text.strip().strip('"').split(";"):
        for start in _SHARED:
            word = word[len(start) :] if word.startswith(start) else word
        found.append(_DTYPES.get(word.lower(), word.lower()))
    return tuple(found) if any(each.isalnum() and not each.isdigit() for each in found) else ()


def shapes(text: str) -> tuple[tuple[int, ...], ...]:
    """Return the shapes of `"32,400;120,400"`."""
    parts = text.strip().strip('"').split(";")
    return tuple(tuple(int(part) for part in shape.split(",") if part.strip().isdigit()) for shape in parts)


def _kernels(path: str) -> tuple[tuple[Kernel, ...], int]:
    """Return the kernels of a file, and in how many steps they ran; 0 where its rows do not tell."""
    read = rows(path)
    at = columns(next(read, []))
    if "name" not in at or "duration us" not in at:
        raise ProfileError(Message("{file}: no columns `Name` and `Duration(us)`: no kernel_details.csv", file=path))
    kind, step = at.get("type", at["name"]), at.get("step id")
    wanted = (at["name"], kind, at.get("input shapes", kind), at.get("input data types", kind))
    has_inputs = "input shapes" in at and "input data types" in at
    key, duration = itemgetter(*wanted), at["duration us"]
    groups: dict[tuple[str, ...], list[float]] = {}
    numbers: set[str] = set()
    for row in read:
        try:
            found, time = key(row), float(row[duration])
        except (IndexError, ValueError):
            continue  # a kernel without a time, or the end of a file that is still written
        if step is not None:
            numbers.add(row[step])
        group = groups.get(found)
        if group is None:
            if len(groups) >= DIFFERENT:
                found = ("", found[1], "", "")
            group = groups.setdefault(found, [0, 0.0])
        group[0] += 1
        group[1] += time
    kernels = tuple(
        Kernel(named(name), kind, dtypes(types) if has_inputs else (), shapes(dims) if has_inputs else (), int(n), time)
        for (name, kind, dims, types), (n, time) in groups.items()
        if math.isfinite(time)
    )
    return kernels, sum(each.strip().isdigit() for each in numbers)


def _steps(path: str) -> Iterator[Step]:
    """Yield the steps of a file; nothing where it is missing.

    The free time of the last of several steps is left out: the profile ends within it.
    """
    if not os.path.exists(path):
        return
    read = rows(path)
    at = columns(next(read, []))
    if "computing" not in at or "free" not in at:
        return
    found = [row for row in read if len(row) >= len(at)]
    alone, free_at = "communication not overlapped", at["free"]
    for place, row in enumerate(found):
        computing = number(row[at["computing"]])
        communication = number(row[at[alone]]) if alone in at else 0.0
        preparing = number(row[at["preparing"]]) if "preparing" in at else 0.0
        free: Optional[float] = number(row[free_at]) + preparing
        if place == len(found) - 1 and place > 0:
            free = None
        total = computing + communication + number(row[free_at]) + preparing
        yield Step(int(number(row[at["step"]])) if "step" in at else place, total, computing, free, communication)


def _split(step: Step, count: int) -> Step:
    """Return the mean of the steps of a window that has one row."""
    free = step.free_us / count if step.free_us is not None else None
    alone = step.communication_us / count if step.communication_us is not None else None
    return step._replace(
        total_us=step.total_us / count, computing_us=step.computing_us / count, free_us=free, communication_us=alone
    )


def _info(folder: str) -> tuple[object, int]:
    """Return the profiler's own metadata, and the rank; empty if missing."""
    folder = os.path.dirname(folder) if os.path.basename(folder) == OUTPUT else folder
    for name in sorted(os.listdir(folder)):
        match = _RANK.fullmatch(name)
        if match:
            try:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    return json.load(file), int(match[1])
            except (OSError, ValueError, RecursionError):
                return None, int(match[1])
    return None, 0


def _at(value: object, *keys: str) -> object:
    """Return the value of nested keys; None if one is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
