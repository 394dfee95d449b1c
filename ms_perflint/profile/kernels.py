"""A profile in memory: kernels in groups, and the steps they ran in.

Memory depends on the number of different kernels, never on the number of rows of a file.
"""

from __future__ import annotations

import re
from collections import Counter
from statistics import median
from typing import NamedTuple, Optional

PRODUCTS = ("matmul", "conv", "gemm", "linear", "flashattention")  # text in the type of a matmul kernel
GRAPH, PYNATIVE = "graph", "pynative"
ASCEND, CPU = "Ascend", "CPU"

_CELL = re.compile(r"(?P<attribute>\w+)-(?P<name>[A-Za-z_]\w*)")  # `fc1-Dense` of a scope
_OPERATOR = re.compile(r"[A-Za-z_]\w*-op\d+")  # `MatMul-op0`, the last word of a full name
_NATIVE = "PynativeFramework::"


class Cell(NamedTuple):
    """One cell of a scope: the attribute that holds it, and the name of its class."""

    attribute: str
    name: str


class Named(NamedTuple):
    """The data in the name of a kernel."""

    cells: tuple[Cell, ...] = ()  # outermost first
    operator: str = ""  # the full name with scope, as in the intermediate representation; "" where there is none
    is_gradient: bool = False
    mode: str = ""  # GRAPH, PYNATIVE, or "" if not known


def named(name: str) -> Named:
    """Return the data in the name of a kernel, in the spelling of any layout.

    `Kernel::KernelLaunch::Default/network-TrainOneStepCell/fc1-Dense/MatMul-op0/aclnnMatmul`: a kernel of a graph.
    """
    if _NATIVE in name:
        return Named(mode=PYNATIVE)
    parts = name.rpartition("::")[2].split("/")
    last = next((at for at in range(len(parts) - 1, -1, -1) if _OPERATOR.fullmatch(parts[at])), None)
    if last is None:
        return Named()
    parts = parts[: last + 1]
    cells = tuple(Cell(match["attribute"], match["name"]) for part in parts[:-1] if (match := _CELL.fullmatch(part)))
    mode = GRAPH if cells else ""
    return Named(cells, "/".join(parts), parts[0] == "Gradients", mode)


class Kernel(NamedTuple):
    """All runs of one kernel on inputs of the same shapes and dtypes."""

    name: Named
    type: str
    dtypes: tuple[str, ...]  # of the inputs, like "float16"; () where the profile has none
    shapes: tuple[tuple[int, ...], ...]  # of the inputs; () where the profile has none
    runs: int
    total_us: float

    @property
    def is_product(self) -> bool:
        """Return whether it is a matmul or a convolution."""
        kind = self.type.lower()
        return any(word in kind for word in PRODUCTS)

    @property
    def is_cast(self) -> bool:
        """Return whether it only changes a dtype."""
        return self.type.lower() in ("cast", "castext")


class Step(NamedTuple):
    """One training step, in microseconds; None for times that the profile does not have."""

    number: int
    total_us: float
    computing_us: float
    free_us: Optional[float] = None  # the device waits
    communication_us: Optional[float] = None  # that nothing overlaps


class Profile(NamedTuple):
    """The profile of one device."""

    folder: str
    device: str  # ASCEND or CPU
    date: str  # of the measurement, like "2026-11-22"
    kernels: tuple[Kernel, ...]
    steps: tuple[Step, ...] = ()  # in order; the free time of the last one is left out where it is cut off
    window: int = 1  # steps that were collected, from the rows of the kernels where `steps` is empty
    is_even: bool = True  # False: the numbers of runs differ between kernels, and `window` is the most frequent one
    level: str = ""  # "Level0", "Level1", ...; "" if not known
    rank: int = 0
    ranks: int = 1

    @property
    def device_us(self) -> float:
        """Return the time of all kernels in one step."""
        return sum(kernel.total_us for kernel in self.kernels) / self.window

    @property
    def step_us(self) -> float:
        """Return the time of one step: the median of the steps, else that of its kernels."""
        return median(step.total_us for step in self.steps) if self.steps else self.device_us

    @property
    def free_us(self) -> Optional[float]:
        """Return the time that the device waits in one step (median); None if not measured."""
        free = [step.free_us for step in self.steps if step.free_us is not None]
        return median(free) if free else None

    @property
    def communication_us(self) -> Optional[float]:
        """Return the time with communication alone in one step (median); None if not measured."""
        known = [step.communication_us for step in self.steps if step.communication_us is not None]
        return median(known) if known else None

    @property
    def mode(self) -> str:
        """Return the mode with most of the kernels' time; "" if the names do not tell."""
        time = {GRAPH: 0.0, PYNATIVE: 0.0}
        for kernel in self.kernels:
            if kernel.name.mode:
                time[kernel.name.mode] += kernel.total_us
        return max(time, key=lambda mode: time[mode]) if any(time.values()) else ""

    def per_step_us(self, kernels: list[Kernel]) -> float:
        """Return the time of some kernels in one step."""
        return sum(kernel.total_us for kernel in kernels) / self.window

    def share(self, part_us: float) -> float:
        """Return a time relative to the step, at most 1."""
        return min(1.0, part_us / self.step_us) if self.step_us else 0.0


def steps_of(kernels: tuple[Kernel, ...]) -> tuple[int, bool]:
    """Return the number of steps by the kernels of graphs, which run once per step, and whether they agree."""
    runs = Counter[str]()
    for kernel in kernels:
        if kernel.name.operator and kernel.name.mode == GRAPH:
            runs[kernel.name.operator] += kernel.runs
    numbers = Counter(runs.values())
    if not numbers:
        return 1, False
    count, agreeing = numbers.most_common(1)[0]
    return count, agreeing >= 0.95 * sum(numbers.values())
