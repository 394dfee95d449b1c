"""The measurements of a program and of its variants, as data and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

from ms_perflint.languages import Message

FASTER, SAME, SLOWER = "faster", "same", "slower"
FAILS, CHANGES_LOSS, NOT_MEASURED = "fails", "changes-loss", "not-measured"


class Measured(NamedTuple):
    """The measurement of one variant, compared with the unchanged program. Times in milliseconds, memory in bytes."""

    rules: tuple[str, ...]
    applicability: str
    verdict: str
    before: Optional[float] = None  # median time of a step
    after: Optional[float] = None
    spread_before: Optional[float] = None  # width of the middle half of these times
    spread: Optional[float] = None
    first_before: Optional[float] = None
    first_after: Optional[float] = None
    loss: Optional[float] = None  # largest difference, relative
    peak_memory: Optional[int] = None
    error: str = ""  # why it failed, or was not measured

    @property
    def change(self) -> Optional[float]:
        """Return the relative change of the step time: -0.38 is 38 % less."""
        return self.after / self.before - 1 if self.before and self.after is not None else None


def changed(change: float) -> Message:
    """Return the change of the step time, in words."""
    percent = f"{abs(change):.0%}".replace("%", " %")
    if change < 0:
        return Message("{percent} less time per step", percent=percent)
    return Message("{percent} more time per step", percent=percent)


class Result(NamedTuple):
    """The measurements of one program."""

    program: str  # absolute
    arguments: tuple[str, ...]
    device: str
    mindspore: str
    steps: int
    rounds: int
    before: Optional[float]  # median time of a step of the unchanged program
    spread: Optional[float]
    first: Optional[float]
    peak_memory: Optional[int]
    own_loss: float  # difference of its losses from run to run
    date: str
    variants: tuple[Measured, ...]
    error: str = ""  # error of the unchanged program
    output: str = ""  # the end of its output


def as_json(result: Result) -> dict[str, Any]:
    """Return a result as the documented object."""
    return {
        "program": result.program,
        "arguments": list(result.arguments),
        "device": result.device,
        "mindspore": result.mindspore,
        "steps": result.steps,
        "rounds": result.rounds,
        "date": result.date,
        "step_ms": {"median": _ms(result.before), "spread": _ms(result.spread)},
        "first_step_ms": _ms(result.first),
        "peak_memory_mb": _mb(result.peak_memory),
        "loss": {"own_difference": _finite(result.own_loss)},
        "error": result.error or None,
        "variants": [_variant(each) for each in result.variants],
    }


def _variant(measured: Measured) -> dict[str, Any]:
    spread = max((each for each in (measured.spread_before, measured.spread) if each is not None), default=None)
    return {
        "rules": list(measured.rules),
        "applicability": measured.applicability,
        "verdict": measured.verdict,
        "step_ms": {"before": _ms(measured.before), "after": _ms(measured.after), "spread": _ms(spread)},
        "first_step_ms": {"before": _ms(measured.first_before), "after": _ms(measured.first_after)},
        "loss": {"largest_difference": _finite(measured.loss)},
        "peak_memory_mb": _mb(measured.peak_memory),
        "error": measured.error or None,
    }


def variant_of(read: Mapping[str, Any]) -> Measured:
    """Return a variant from its object, as far as findings need it. May raise KeyError or TypeError."""
    step, first = read["step_ms"], read["first_step_ms"]
    return Measured(
        tuple(map(str, read["rules"])),
        str(read["applicability"]),
        str(read["verdict"]),
        step["before"],
        step["after"],
        step["spread"],
        step["spread"],
        first["before"],
        first["after"],
        read["loss"]["largest_difference"],
        error=read["error"] or "",
    )


def _ms(time: Optional[float]) -> Optional[float]:
    return None if time is None else round(time, 4)


def _mb(size: Optional[int]) -> Optional[float]:
    return None if size is None else round(size / 1e6, 1)


def _finite(value: Optional[float]) -> Optional[float]:
    """Return a number for JSON; None for NaN and infinity."""
    return value if value is not None and math.isfinite(value) else None
