"""Profiles in tests, laid out as MindSpore does; `tests/proofs/test_profiles.py` holds them against its own writers."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

SCOPE = "Default/network-TrainOneStepCell/network-WithLossCell/_backbone-Net/"
GRADIENT = f"Gradients/{SCOPE}"
LAUNCH = "Kernel::KernelLaunch::"
NATIVE = "PynativeFramework::"
HEAD = (
    "Model ID,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Num,"
    "Mix Block Num,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,"
    "Output Formats,Context ID"
)
LEVEL0 = 10  # columns
STEPS = (
    "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
    "Communication(Not Overlapped and Exclude Receive),Preparing"
)


class Row(NamedTuple):
    """One kernel."""

    name: str
    type: str
    us: float = 100.0
    shapes: str = "32,400;120,400"
    dtypes: str = "FLOAT;FLOAT"


class Trace(NamedTuple):
    """One step."""

    computing: float
    alone: float = 0.0  # communication that nothing overlaps
    free: float = 0.0
    preparing: float = 0.0


def text_layout(
    folder: Path,
    kernels: Sequence[Row],
    steps: Sequence[Trace] = (),
    level: str = "Level1",
    numbered: bool = True,
    runs: int = 3,
    rank: int = 0,
) -> Path:
    """Write what MindSpore 2.5 to 2.10 writes for a rank, each kernel once per step; return its folder."""
    top = folder / f"host_{100 + rank}_20261122101112345_ascend_ms"
    output = top / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    info = {"profiler_parameters": {"profiler_level": level, "is_set_schedule": numbered}, "ms_version": "2.10.0"}
    (top / f"profiler_info_{rank}.json").write_text(json.dumps(info))
    head = _columns(HEAD) if level != "Level0" else _columns(HEAD)[:LEVEL0]
    rows = []
    for step in range(runs):
        for row in kernels:
            quoted = f'"{row.shapes}"'
            values = ("0", "0", "0", row.name, row.type, "AI_CORE", "10.5\t", f"{row.us}", "0", "20")
            values = (*values, "0", "NO", quoted, row.dtypes, "ND", "N/A", "N/A", "N/A", "N/A")[: len(head)]
            rows.append([*([str(step + 3)] if numbered else []), *values])
    _csv(output / "kernel_details.csv", [*(["Step ID"] if numbered else []), *head], rows)
    if steps:
        traced = [
            [str(at + 3), each.computing, each.alone, 0, each.alone, each.free, 0, 0, each.alone, each.preparing]
            for at, each in enumerate(steps)
        ]
        _csv(output / "step_trace_time.csv", _columns(STEPS), traced)
    return top


def old_layout(folder: Path, kernels: Sequence[Row], intervals: Sequence[float], spelling: str = "kernel") -> Path:
    """Write what MindSpore 1.x writes for device 0, times of steps in microseconds; return the folder."""
    folder.mkdir(parents=True)
    name, kind = f"full_{spelling}_name", f"{spelling}_type"
    raw, times = [], []
    for at, row in enumerate(kernels):
        dims, types = row.shapes.split(";"), row.dtypes.split(";")
        inputs = {
            f"input_{number}": {"format": "DefaultFormat", "data_type": f"NUMBER_TYPE_{word}", "shape": shape}
            for number, (shape, word) in enumerate(zip(dims, types))
        }
        raw.append([at, 0, 1, row.name, row.type, "Default", json.dumps(inputs)])
        times.append([row.name, row.us / 1000])
    _csv(folder / "framework_raw_0.csv", ["task_id", "stream_id", "block_dim", name, kind, "subgraph", "op_info"], raw)
    _csv(folder / "aicore_intermediate_0_detail.csv", [name, "execution_time"], times)
    head = _columns("step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp_and_bp,tail")
    steps = [[at + 1, 0, 0, 1_000_000, 0, 0, time * 100, 600_000, 0] for at, time in enumerate(intervals)]
    _csv(folder / "step_trace_raw_0_detail_time.csv", head, [*steps, ["-", *steps[-1][1:]]] if steps else [])
    return folder


def cpu_layout(folder: Path, kernels: Sequence[Row], runs: int = 3) -> Path:
    """Write what MindSpore 2.10 writes on a CPU; return the folder."""
    framework = folder / "vm_1_20261122101112345_ascend_ms" / "FRAMEWORK"
    framework.mkdir(parents=True)
    head = "op_side,op_type,op_name,full_op_name,op_occurrences,op_total_time(ms),op_avg_time(ms),total_proportion,pid"
    rows = [
        [
            "Host",
            row.type,
            row.name.rpartition("/")[2],
            row.name,
            runs,
            row.us * runs / 1000,
            row.us / 1000,
            0,
            1,
        ]
        for row in kernels
    ]
    _csv(framework / "cpu_op_detail_info_0.csv", _columns(head), rows)
    return folder


def _columns(head: str) -> list[str]:
    return head.split(",")


def _csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
