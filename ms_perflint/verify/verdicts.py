"""Verdicts on runs before and after a fix, beyond the noise."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from typing import NamedTuple, Optional

from ms_perflint.verify.records import Run
from ms_perflint.verify.results import FASTER, NOT_MEASURED, SAME, SLOWER

SCALED = 16.0  # smallest factor that counts as loss scaling
LEAST = 1e-6  # milliseconds: shortest time of a step
LOSS = 0.01  # relative to the losses: above rounding, and below the difference of another training

Times = Callable[[Run], Sequence[float]]


class Middle(NamedTuple):
    """The middle half of some times."""

    low: float
    median: float
    high: float

    @property
    def spread(self) -> float:
        """Return the width of the middle half."""
        return self.high - self.low


def wall(run: Run) -> Sequence[float]:
    """Return the wall times of the steps of a run."""
    return run.steps


def processor(run: Run) -> Sequence[float]:
    """Return the processor time of the steps of a run, of all threads: what other work on the machine changes least."""
    return run.cpu


def quartiles(runs: Sequence[Run], times: Times = wall) -> Optional[Middle]:
    """Return the middle half of the times of all steps of some runs; None without any."""
    found = [time for run in runs for time in times(run)]
    if len(found) < 2:
        return Middle(found[0], found[0], found[0]) if found else None
    return Middle(*statistics.quantiles(found, n=4, method="inclusive"))


def speed(before: Sequence[Run], after: Sequence[Run]) -> str:
    """Return whether steps became faster or slower, or show no difference.

    They differ if the middle halves of their times do not overlap, and if the runs of the two, each by
    its median, lie further apart than runs of the same program do: as ratios, for a busy machine slows all steps down.
    """
    first, second = quartiles(before), quartiles(after)
    if first is None or second is None:
        return NOT_MEASURED
    slow, fast = (after, before) if second.median > first.median else (before, after)
    apart = max(first.low, second.low) > min(first.high, second.high)
    medians = [[statistics.median(run.steps) for run in runs if run.steps] for runs in (slow, fast)]
    gap = min(medians[0]) / max(*medians[1], LEAST)
    noise = max(max(of_one) / max(min(of_one), LEAST) for of_one in medians)
    if not apart or gap <= noise:
        return SAME
    return SLOWER if slow is after else FASTER


def loss_difference(before: Sequence[Run], after: Sequence[Run]) -> Optional[float]:
    """Return the largest difference of the losses at one step, relative to the largest loss; None without losses."""
    differences = [found for one in before for other in after if (found := _difference(one, other)) is not None]
    return min(differences) if differences else None


def own_difference(runs: Sequence[Run]) -> float:
    """Return the difference of the losses in runs of one program: 0 for equal runs."""
    found = [_difference(one, other) or 0.0 for index, one in enumerate(runs) for other in runs[index + 1 :]]
    return max(found, default=0.0)


def changes_loss(before: Sequence[Run], after: Sequence[Run]) -> bool:
    """Return whether the losses differ by more than rounding and by more than from run to run."""
    difference = loss_difference(before, after)
    return difference is not None and difference > max(LOSS, 2 * own_difference(before))


def _difference(before: Run, after: Run) -> Optional[float]:
    """Return the largest difference of two runs at one step, relative to the largest loss."""
    both = [(one, two) for one, two in zip(before.losses, after.losses) if one is not None and two is not None]
    pairs = [(one, _unscaled(one, two)) for one, two in both]
    finite = [abs(one) for one, _ in pairs if math.isfinite(one)]
    if not pairs:
        return None
    size = max(finite, default=0.0) or 1.0
    return max(_gap(one, two) / size for one, two in pairs)


def _unscaled(one: float, two: float) -> float:
    """Return a loss without loss scaling: a power of two that a fix brings, and that changes no training."""
    if not one or not math.isfinite(two / one) or two / one < SCALED:
        return two
    scale: float = 2.0 ** round(math.log2(two / one))
    return two / scale


def _gap(one: float, two: float) -> float:
    """Return the difference of two losses; two NaN are equal."""
    if one == two or (math.isnan(one) and math.isnan(two)):
        return 0.0
    gap = abs(two - one)
    return math.inf if math.isnan(gap) else gap
