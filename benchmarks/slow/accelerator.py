"""Runs a program with a CPU profiler that covers the data pipeline as the ones of Ascend and GPU do.

`python accelerator.py PROGRAM`. With `data_process=True` those make the profiling manager of the data pipeline ready
when they are made, and start it when they start: see MindSpore's own profiler/platform/npu_profiler.py.
"""

import runpy
import sys

import mindspore._c_dataengine as cde
from mindspore.profiler.platform.cpu_profiler import CpuProfiler

made, started = CpuProfiler.__init__, CpuProfiler.start


def make(profiler):
    """Make a profiler, and the profiling manager of the data pipeline with it."""
    made(profiler)
    if profiler._prof_ctx.data_process:
        profiler._md_profiler = cde.GlobalContext.profiling_manager()
        profiler._md_profiler.init()


def start(profiler):
    """Start a profiler, and the profiling of the data pipeline with it."""
    started(profiler)
    if profiler._prof_ctx.data_process:
        profiler._md_profiler.start()


CpuProfiler.__init__, CpuProfiler.start = make, start
runpy.run_path(sys.argv[1], run_name="__main__")
