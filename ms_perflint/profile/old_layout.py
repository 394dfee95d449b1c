"""The layout of MindSpore 1.x to 2.3 that MindInsight reads: three files per device, and their traps.

Both spellings of the columns occur: `full_kernel_name` and `full_op_name`, `kernel_type` and `op_type`; times of
kernels are milliseconds, those of `step_trace_raw` units of 10 ns (mindinsight profiler/analyser, in its own tests).
"""

from __future__ import annotations

import json
import os
import re

from ms_perflint.languages import Message
from ms_perflint.profile.kernels import ASCEND, Kernel, Profile, Step, named
from ms_perflint.profile.text_layout import ProfileError, columns, date_of, dtypes, number, rows

TIMES = re.compile(r"aicore_intermediate_(\d+)_detail\.csv")
KINDS = "framework_raw_{rank}.csv"
STEPS = "step_trace_raw_{rank}_detail_time.csv"
TICK_US = 0.01


def ranks(folder: str) -> list[int]:
    """Return the devices of which a folder of this layout has kernels."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [int(match[1]) for name in names if (match := TIMES.fullmatch(name))]


def read(folder: str, rank: int) -> Profile:
    """Return what one device measured. May raise ProfileError."""
    kinds = _kinds(os.path.join(folder, KINDS.format(rank=rank)))
    path = os.path.join(folder, f"aicore_intermediate_{rank}_detail.csv")
    read = rows(path)
    at = columns(next(read, []))
    name = next((at[word] for word in NAMES if word in at), None)
    time = next((at[word] for word in ("execution time", "task duration") if word in at), None)
    if name is None or time is None:
        raise ProfileError(Message("{file}: its columns are not those of MindSpore 1.x", file=path))
    kernels = []
    for row in read:
        if len(row) >= len(at):
            kind, types, dims = kinds.get(row[name], (named(row[name]).operator.rpartition("/")[2], (), ()))
            kernels.append(Kernel(named(row[name]), kind, types, dims, 1, number(row[time]) * 1000))
    steps = _steps(os.path.join(folder, STEPS.format(rank=rank)))
    return Profile(folder, ASCEND, date_of(folder), tuple(kernels), steps, 1, True, "", rank)


NAMES = ("full kernel name", "full op name", "full kernel time")  # the last one is a slip that was released

Inputs = tuple[str, tuple[str, ...], tuple[tuple[int, ...], ...]]  # of a kernel: type, dtypes, shapes


def _kinds(path: str) -> dict[str, Inputs]:
    """Return type, dtypes and shapes of the inputs of each kernel by its full name."""
    if not os.path.exists(path):
        return {}
    read = rows(path)
    at = columns(next(read, []))
    name = next((at[word] for word in NAMES if word in at), None)
    kind = next((at[word] for word in ("kernel type", "op type") if word in at), None)
    if name is None or kind is None or "op info" not in at:
        return {}
    return {row[name]: (row[kind], *_inputs(row[at["op info"]])) for row in read if len(row) >= len(at)}


def _inputs(text: str) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Return dtypes and shapes of the inputs in the description of a kernel."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return (), ()
    inputs = [told[key] for key in sorted(told) if key.startswith("input")] if isinstance(told, dict) else []
    inputs = [each for each in inputs if isinstance(each, dict)]
    types = tuple(word for each in inputs for word in dtypes(str(each.get("data_type", ""))))
    return types, tuple(_shape(each) for each in inputs)


def _shape(told: dict[str, object]) -> tuple[int, ...]:
    """Return the shape of an input; () where its format hides the dimensions."""
    shape = told.get("shape")
    if "default" not in str(told.get("format", "")).lower() and told.get("format") not in ("ND", "NCHW"):
        return ()
    dims = shape if isinstance(shape, list) else str(shape).split(",")
    return tuple(int(each) for each in map(str, dims) if each.strip().isdigit())


def _steps(path: str) -> tuple[Step, ...]:
    """Return the steps of a file without the row of averages; () where it is missing."""
    if not os.path.exists(path):
        return ()
    read = rows(path)
    at = columns(next(read, []))
    if not {"step num", "total", "iteration interval", "fp and bp"} <= set(at):
        return ()
    found = []
    for row in read:
        step = row[at["step num"]] if len(row) > at["fp and bp"] else ""
        if step.isdigit() and int(step) > 0:
            total, interval = (number(row[at[name]]) * TICK_US for name in ("total", "iteration interval"))
            found.append(Step(int(step), total, total - interval, interval))
    return tuple(found[1:] if len(found) > 2 else found)  # the first one has nothing before it
