"""The effects: which programs are run, and what the table on the page of the rule says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rounds import FIXED_PROGRAM, GRAPHS, SLOW, SLOW_PROGRAM, Case, Figures, Ran, Rounds, Variant, operators
from tables import spread, times

_SAVE_GRAPHS = (("MS_DEV_SAVE_GRAPHS", "2"), ("MS_DEV_SAVE_GRAPHS_PATH", GRAPHS))


@dataclass(frozen=True)
class Effect:
    """What the fixes of a rule do: some cases, and how a row of the table is made of each."""

    code: str
    columns: tuple[str, ...]  # behind the version of MindSpore
    cases: tuple[Case, ...]
    cells: Callable[[Rounds], tuple[str, ...]]
    once: bool = False  # what is found out is no time: one round is enough

    @property
    def programs(self) -> tuple[str, ...]:
        """Return the texts that the figures depend on."""
        names = {name for case in self.cases for name in (case.program, case.wrapper) if name}
        return tuple((SLOW / name).read_text(encoding="utf-8") for name in sorted(names))


def _steps(rounds: Rounds, slow: str = "slow", fixed: str = "fixed") -> tuple[str, str]:
    """Return the time of a step in two variants."""
    return spread(rounds.of(slow, "step_ms"), "ms"), spread(rounds.of(fixed, "step_ms"), "ms")


def _compiled(rounds: Rounds) -> tuple[str, ...]:
    """Return a row of MSP101."""
    faster = times(rounds.of("slow", "step_ms"), rounds.of("fixed", "step_ms"))
    first = [milliseconds / 1000 for milliseconds in rounds.of("fixed", "first_step_ms")]
    return rounds.case.name, *_steps(rounds), faster, spread(first, "s")


def _sunk(rounds: Rounds) -> tuple[str, ...]:
    """Return a row of MSP102."""
    slow, fixed = (rounds.figures[name][0] for name in ("slow", "fixed"))
    return "yes" if slow["sunk"] else "no", "yes" if fixed["sunk"] else "no", f"{fixed['steps']:.0f}"


def _casts(ran: Ran) -> Figures:
    """Return how many casts the compiled step has; none is compiled in PyNative mode."""
    compiled = any(ran.folder.rglob("hwopt_*.ir"))
    return {"casts": operators(ran, "Cast")} if compiled else {}


def _cast(rounds: Rounds) -> tuple[str, ...]:
    """Return a row of MSP203."""
    counts = [f"{rounds.of(variant, 'casts')[0]:.0f}" for variant in ("slow", "fixed")]
    return rounds.case.name, *counts, *_steps(rounds), *_steps(rounds, "slow PyNative", "fixed PyNative")


def _saving(rounds: Rounds) -> tuple[str, ...]:
    """Return a row of MSP301."""
    slow, fixed = rounds.of("slow", "call_ms"), rounds.of("fixed", "call_ms")
    return spread(slow, "ms"), spread(fixed, "ms"), times(slow, fixed)


_CANNOT = "Cannot enable AutoTune for the current data pipeline as Dataset Profiling is already enabled"
_STOP = "Stop MD Autotune before initializing the MD Profiler."


def _said(ran: Ran) -> Figures:
    """Return which message a run printed, and which of the two tools left its files."""
    return {
        "cannot": float(_CANNOT in ran.output),
        "stop": float(_STOP in ran.output),
        "tuned": float(any(ran.folder.glob("tuned*.json"))),
        "profile": float(any(ran.folder.glob("profile/*/ASCEND_PROFILER_OUTPUT/*"))),
    }


def _conflict(rounds: Rounds) -> tuple[str, ...]:
    """Return a row of MSP501."""
    slow, fixed = (rounds.figures[name][0] for name in ("slow", "fixed"))
    said = f"`WARNING` *{_begins(_CANNOT)} ...*" if slow["cannot"] else ""
    if slow["stop"]:
        said = f"`{'RuntimeError' if slow['exit_code'] else 'ERROR'}` *{_begins(_STOP)} ...*"
    return rounds.case.name, said or "nothing", *_outcome(slow), ", ".join(_outcome(fixed))


def _begins(text: str) -> str:
    """Return the words by which a message of MindSpore is known."""
    return " ".join(text.split()[:3])


def _outcome(figures: Figures) -> tuple[str, ...]:
    """Return what became of the training, of AutoTune and of the profile."""
    return (
        "the training ends with the error" if figures["exit_code"] else f"{figures['steps']:.0f} steps trained",
        "tuned" if figures["tuned"] else "not tuned",
        "profile" if figures["profile"] else "no profile",
    )


def _reductions(ran: Ran) -> Figures:
    """Return how many AllReduce the compiled step has."""
    return {"reductions": operators(ran, "AllReduce")}


def _fused(rounds: Rounds) -> tuple[str, ...]:
    """Return a row of MSP601."""
    return tuple(f"{rounds.of(name, 'reductions')[0]:.0f}" for name in ("slow", "fixed", "split"))


_PYNATIVE = ("--mode", "1")
_IN_BOTH_MODES = (
    SLOW_PROGRAM,
    FIXED_PROGRAM,
    Variant("slow PyNative", fixed=False, arguments=_PYNATIVE),
    Variant("fixed PyNative", fixed=True, arguments=_PYNATIVE),
)
_ON_CPU = ("--device", "CPU")
_SPLIT = ("gradients_mean=True", "gradients_mean=True, all_reduce_fusion_config=[2, 5]")

EFFECTS = (
    Effect(
        "MSP101",
        ("network", "a step in PyNative", "in graph mode", "speed-up", "first step in graph mode (compiles)"),
        (
            Case("LeNet, 32 images", "msp101_lenet.py", "MSP101"),
            Case("2 transformer blocks, 8 x 64 tokens", "msp101_transformer.py", "MSP101"),
        ),
        _compiled,
    ),
    Effect(
        "MSP102",
        ("sunk before the fix", "after the fix", "calls of `on_train_step_end` for 40 steps"),
        (Case("", "msp102_sink.py", "MSP102"),),
        _sunk,
        once=True,
    ),
    Effect(
        "MSP201",
        ("a step in float32", 'with `amp_level="O3"`'),
        (
            Case(
                "",
                "msp201_dense.py",
                "MSP201",
                (Variant("slow", fixed=False, arguments=_ON_CPU), Variant("fixed", fixed=True, arguments=_ON_CPU)),
            ),
        ),
        _steps,
    ),
    Effect(
        "MSP203",
        ("cast", "casts in the graph", "fixed", "a step in graph mode", "fixed", "a step in PyNative", "fixed"),
        tuple(
            Case(name, program, "MSP203", _IN_BOTH_MODES, environment=_SAVE_GRAPHS, found=_casts)
            for name, program in (
                ("float32 to float32", "msp203_same_dtype.py"),
                ("float16 to float32 and back around `transpose`", "msp203_round_trip.py"),
            )
        ),
        _cast,
    ),
    Effect(
        "MSP301",
        ("`save_checkpoint` returns after", "with `async_save=True`", "speed-up"),
        (Case("", "msp301_call.py", "MSP301"),),
        _saving,
    ),
    Effect(
        "MSP501",
        ("first on", "MindSpore says", "training", "AutoTune", "profiler", "after the fix"),
        tuple(
            Case(name, program, "MSP501", wrapper="accelerator.py", found=_said, may_fail=True)
            for name, program in (
                ("the profiler", "msp501_profiler_first.py"),
                ("the pipeline with AutoTune", "msp501_pipeline_first.py"),
            )
        ),
        _conflict,
        once=True,
    ),
    Effect(
        "MSP601",
        ("AllReduce a step", "with `comm_fusion` auto", "with `all_reduce_fusion_config=[2, 5]`"),
        (
            Case(
                "",
                "msp601_data_parallel.py",
                "MSP601",
                (SLOW_PROGRAM, FIXED_PROGRAM, Variant("split", fixed=False, instead=_SPLIT)),
                processes=2,
                environment=_SAVE_GRAPHS,
                found=_reductions,
            ),
        ),
        _fused,
        once=True,
    ),
)
