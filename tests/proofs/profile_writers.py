"""Lets MindSpore's own writers make the files of an Ascend profile, without an Ascend: `profile_writers.py FOLDER`.

One folder for each level, level of `jit` and way to collect; what the rows hold is what `tests/profiles.py` writes.
"""

from __future__ import annotations

import sys
from decimal import Decimal
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from mindspore.profiler.analysis.viewer.ascend_kernel_details_viewer import AscendKernelDetailsViewer
from mindspore.profiler.analysis.viewer.ascend_step_trace_time_viewer import AscendStepTraceTimeViewer
from mindspore.profiler.common.constant import OpSummaryHeaders

SCOPE = "Kernel::KernelLaunch::Default/network-TrainOneStepCell/network-WithLossCell/_backbone-Net/"
KERNELS = [  # name, type, scope, shapes, dtypes, microseconds
    ("aclnnMatmul_MatMulV2", "MatMulV2", f"{SCOPE}fc2-Dense/MatMul-op0", "32,128;50,128", "FLOAT;FLOAT", "300.0"),
    ("aclnnCast_Cast", "Cast", f"{SCOPE}Cast-op0", "32,128", "FLOAT", "40.0"),
]
STEPS = 3


def main(top: Path) -> None:
    """Write all variants."""
    for level, jit_level, scheduled in product(("Level0", "Level1"), ("O0", "O2"), (True, False)):
        folder = top / f"{level}-{jit_level}-{'schedule' if scheduled else 'window'}"
        folder.mkdir(parents=True)
        heads = [head.value for head in OpSummaryHeaders if head.value != "Model Name"]
        rows = np.empty(STEPS * len(KERNELS), dtype=[(head, object) for head in heads])
        events, pool = [], {}
        for at, (step, kernel) in enumerate(product(range(STEPS), KERNELS)):
            name, kind, scope, shapes, dtypes, duration = kernel
            start = f"{100 * step + at}.5"
            for head in heads:
                rows[head][at] = "0"
            for head, value in (
                ("Op Name", name),
                ("OP Type", kind),
                ("Task Start Time(us)", f"{start}\t"),
                ("Task Duration(us)", duration),
                ("Input Shapes", f'"{shapes}"'),
                ("Input Data Types", dtypes),
            ):
                rows[head][at] = value
            launch = SimpleNamespace(name=scope, ts=Decimal(start) - 1)
            events.append(SimpleNamespace(name=name, ts=Decimal(start), parent=launch, step_id=None))
        pool[1] = events
        spans = {step: (Decimal(100 * step), Decimal(100 * step + 100)) for step in range(STEPS)}
        container = SimpleNamespace(hardware_op_event=pool, get_step_id_time_dict=lambda spans=spans: spans)
        about = {
            "ascend_profiler_output_path": str(folder),
            "ascend_ms_dir": str(folder),
            "is_set_schedule": scheduled,
            "jit_level": jit_level,
            "profiler_level": level,
            "activities": ["CPU", "NPU"],
        }
        data = {"trace_view_container": container, "op_summary": rows, "op_summary_headers": heads}
        AscendKernelDetailsViewer(**about).save(data)
        steps = AscendStepTraceTimeViewer(**about)
        words = ("Computing", "Communication(Not Overlapped)", "Free", "Preparing")
        each = dict(zip(words, ("500.0", "0.0", "300.0", "0.0")))
        whole = dict(zip(words, (f"{500.0 * STEPS}", "0.0", f"{300.0 * STEPS}", "0.0")))
        traced = [{"Step": step, **each} for step in range(STEPS)] if scheduled else [{"Step": "", **whole}]
        steps.step_trace_time_data_list = traced
        steps._write_data()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
