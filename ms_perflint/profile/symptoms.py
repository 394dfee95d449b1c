"""Symptoms of findings in a profile: each check names one, and a symptom returns a verdict.

A bound is the largest time per step that a fix can save. Two findings may share a symptom, so that bounds are never
added up. Where a profile lacks the columns, the evidence says how to collect them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from statistics import median
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Finding
from ms_perflint.languages import Message
from ms_perflint.profile.kernels import CPU, GRAPH, PYNATIVE, Kernel, Profile
from ms_perflint.profile.user_code import Spot, UserCode

CONFIRMED, REFUTED, NOT_MEASURABLE, NOT_SEEN = "confirmed", "refuted", "not-measurable", "not-seen"

SMALL = 0.02  # of a step: below this, fixing cannot be noticed
IDLE = 0.2  # of a step: a device that waits that long waits for Python
OUTLIER = 5  # times the median: a step that waits that much longer was interrupted
BLOCK = 16  # the edge of a tile of a matmul
FLOATS = frozenset(("float32", "float64"))
COLLECTIVE = "allreduce"  # in the type of a kernel that adds up gradients


class Seen(NamedTuple):
    """The evidence of a profile for one finding."""

    verdict: str
    evidence: Message
    upper_us: Optional[float] = None  # per step


class Asked(NamedTuple):
    """One finding, and a profile."""

    profile: Profile
    code: UserCode
    finding: Finding
    spot: Spot  # class and attribute of the finding
    numbers: Mapping[str, int]  # keywords with numbers of the call that is reported
    lines: Mapping[str, tuple[str, int]]  # full name of an operator -> file and row, from a saved graph


Symptom = Callable[[Asked], Seen]


def operator_by_operator(asked: Asked) -> Seen:
    """Return whether Python launched each operator, and the device waited for it."""
    profile = asked.profile
    if profile.mode == GRAPH:
        return Seen(REFUTED, Message("a compiled graph ran"), 0.0)
    if profile.mode != PYNATIVE:
        return Seen(NOT_MEASURABLE, Message("the names of the kernels do not tell in which mode they ran"))
    free = profile.free_us
    if free is None:
        return _no_steps(profile)
    message = Message(
        "each operator is started by Python, the device waits {share} of a step", share=_percent(profile, free)
    )
    return Seen(CONFIRMED if profile.share(free) > IDLE else NOT_SEEN, message, free)


def waits_for_data(asked: Asked) -> Seen:
    """Return whether the device waits between the steps."""
    profile, free = asked.profile, asked.profile.free_us
    if free is None or len(profile.steps) < 2:
        return _no_steps(profile)
    message = Message("the device waits {share} of a step", share=_percent(profile, free))
    return Seen(REFUTED if profile.share(free) < SMALL else CONFIRMED, message, free)


def full_precision(asked: Asked) -> Seen:
    """Return whether matmuls and convolutions have FP32 inputs; the bound is the time spent, not the time saved."""
    profile = asked.profile
    known = [kernel for kernel in profile.kernels if kernel.is_product and kernel.dtypes]
    if not known:
        has_products = any(kernel.is_product for kernel in profile.kernels)
        return _no_inputs(profile) if has_products else Seen(NOT_SEEN, Message("no matmul or convolution ran"))
    full = [kernel for kernel in known if FLOATS.issuperset(kernel.dtypes[:2])]
    time, whole = profile.per_step_us(full), profile.device_us
    message = Message(
        "matmuls and convolutions with FP32 inputs take {share} of the kernels' time", share=_percent_of(time, whole)
    )
    return Seen(REFUTED if time < SMALL * whole else CONFIRMED, message, time)


def padded(asked: Asked) -> Seen:
    """Return whether products of the layer that is reported have a dimension that fills no tile."""
    profile = asked.profile
    own = [kernel for kernel in profile.kernels if kernel.is_product and _is_of(asked, kernel)]
    if not own:
        return Seen(NOT_SEEN, Message("no matmul of this layer ran in the profiled steps"))
    if not any(kernel.shapes for kernel in own):
        return _no_inputs(profile)
    flat = [kernel for kernel in own if any(len(shape) == 2 for shape in kernel.shapes)]
    if not flat:
        return Seen(NOT_MEASURABLE, Message("the format of the inputs hides their dimensions"))
    uneven = [kernel for kernel in flat if any(_is_uneven(shape) for shape in kernel.shapes)]
    if not uneven:
        return Seen(REFUTED, Message("the dimensions are multiples of 16 when it runs"), 0.0)
    time = profile.per_step_us(uneven)
    message = Message("its matmuls with such a dimension take {share} of a step", share=_percent(profile, time))
    return Seen(CONFIRMED, message, time)


def casts(asked: Asked) -> Seen:
    """Return whether forward casts of the class that is reported ran.

    A cast of a framework's cell, or of a backward pass, is not in the source: it shows nothing.
    """
    profile = asked.profile
    if not asked.spot.classes or profile.mode != GRAPH:
        return Seen(NOT_MEASURABLE, Message("the names of the kernels do not tell which class they belong to"))
    own = [kernel for kernel in profile.kernels if kernel.is_cast and _is_written_in(asked, kernel)]
    name = asked.code.innermost(asked.finding.place)
    if own:
        time, runs = profile.per_step_us(own), max(1, round(sum(kernel.runs for kernel in own) / profile.window))
        said = Message("{number} casts of {name} ran in each step", number=runs, name=name)
        return Seen(CONFIRMED, Message("1 cast of {name} ran in each step", name=name) if runs == 1 else said, time)
    if any(cell.name in asked.spot.classes for kernel in profile.kernels for cell in kernel.name.cells):
        return Seen(REFUTED, Message("no cast of {name} ran: the compiler removed it", name=name), 0.0)
    return Seen(NOT_SEEN, Message("{name} did not run in the profiled steps", name=name))


def saves(asked: Asked) -> Seen:
    """Return whether a step of the window waited for a checkpoint: one that waits far longer, where a save is due."""
    steps = [step for step in asked.profile.steps if step.free_us is not None]
    cadence = asked.numbers.get("save_checkpoint_steps", 0)
    usual = median(step.free_us or 0.0 for step in steps) if steps else 0.0
    for step in steps:
        gap = (step.free_us or 0.0) - usual
        if cadence > 1 and step.number % cadence == 0 and (step.free_us or 0.0) > OUTLIER * usual:
            message = Message(
                "step {number} waits {ms} ms longer than others", number=step.number, ms=f"{gap / 1000:.1f}"
            )
            return Seen(CONFIRMED, message, gap / cadence)
    return Seen(NOT_SEEN, Message("no profiled step shows a save"))


def all_reduces(asked: Asked) -> Seen:
    """Return whether several AllReduce run in a step that computation does not overlap."""
    profile, alone = asked.profile, asked.profile.communication_us
    runs = sum(kernel.runs for kernel in profile.kernels if COLLECTIVE in kernel.type.lower()) / profile.window
    if not runs:
        return Seen(NOT_MEASURABLE, Message("no AllReduce ran: the profile is of a single device"))
    number = max(1, round(runs))
    if alone is None:
        return _no_steps(profile)
    share = _percent(profile, alone)
    if number == 1:
        return Seen(REFUTED, Message("1 AllReduce runs in each step"), 0.0)
    message = Message(
        "{number} AllReduce in each step; {share} of it is not overlapped by computation", number=number, share=share
    )
    return Seen(REFUTED if profile.share(alone) < SMALL else CONFIRMED, message, alone)


def numbers_of(text: bytes) -> dict[str, int]:
    """Return the keywords with whole numbers of a call; nothing where the text is none."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return {}
    keywords = node.keywords if isinstance(node, ast.Call) else []
    return {
        keyword.arg: keyword.value.value
        for keyword in keywords
        if keyword.arg and isinstance(keyword.value, ast.Constant) and type(keyword.value.value) is int
    }


def _no_steps(profile: Profile) -> Seen:
    """Return the reason why the time between kernels is not known."""
    message = Message("the profile has no steps: collect again with `schedule` and the NPU activity")
    return Seen(NOT_MEASURABLE, Message("a CPU profile has no steps") if profile.device == CPU else message)


def _no_inputs(profile: Profile) -> Seen:
    """Return the reason why the inputs of kernels are not known."""
    message = Message("shapes and dtypes of kernels are missing: collect again with `profiler_level=Level1`")
    on_cpu = Message("a CPU profile has no shapes and dtypes")
    return Seen(NOT_MEASURABLE, on_cpu if profile.device == CPU else message)


def _is_of(asked: Asked, kernel: Kernel) -> bool:
    """Return whether a kernel is of the layer that is reported, forward or backward."""
    row = asked.lines.get(kernel.name.operator)
    if row is not None and row == (asked.finding.place.path, asked.finding.place.row):
        return True
    owner = asked.code.owner(kernel)
    if owner is None or owner[0] not in asked.spot.classes:
        return False
    return not asked.spot.attribute or owner[1] == asked.spot.attribute


def _is_written_in(asked: Asked, kernel: Kernel) -> bool:
    """Return whether a kernel of the forward pass stands in the code of the class itself, not in a cell of it."""
    cells = kernel.name.cells
    if not cells or cells[-1].name not in asked.spot.classes or kernel.name.is_gradient:
        return False
    place = asked.finding.place
    return not asked.lines or asked.lines.get(kernel.name.operator) == (place.path, place.row)


def _is_uneven(shape: tuple[int, ...]) -> bool:
    return len(shape) == 2 and any(dim > BLOCK and dim % BLOCK for dim in shape)


def _percent(profile: Profile, time: float) -> str:
    return _percent_of(time, profile.step_us)


def _percent_of(part: float, whole: float) -> str:
    """Return a share in percent: whole numbers, and tenths below 10."""
    share = 100 * min(1.0, part / whole) if whole else 0.0
    return f"{share:.0f} %" if share >= 10 else f"{share:.1f} %"
