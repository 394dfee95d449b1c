"""Code that collects a detailed profile, for a version of MindSpore."""

from __future__ import annotations

from collections.abc import Sequence

NEW = (2, 6)  # `mindspore.profiler.profile`, tensorboard_trace_handler (mindspore 2.6 profiler/__init__.py)
SCHEDULED = (2, 5)  # `schedule`, tensor_board_trace_handler (mindspore 2.5 profiler/__init__.py)

_NEW = """\
import mindspore as ms
from mindspore.profiler import (
    ProfilerActivity, ProfilerLevel, _ExperimentalConfig, profile, schedule, tensorboard_trace_handler,
)

with profile(
    activities=[ProfilerActivity.CPU, ProfilerActivity.NPU],  # CPU: the names of the cells
    schedule=schedule(wait=10, warmup=1, active=5, repeat=1),  # steps 11 to 15
    on_trace_ready=tensorboard_trace_handler("profile"),
    experimental_config=_ExperimentalConfig(profiler_level=ProfilerLevel.Level1),  # shapes and dtypes
) as prof:
    for batch in dataset:
        step(*batch)
        prof.step()
"""

_SCHEDULED = """\
from mindspore import Profiler
from mindspore.profiler import (
    ProfilerActivity, ProfilerLevel, schedule, tensor_board_trace_handler,
)

profiler = Profiler(
    profiler_level=ProfilerLevel.Level1,  # shapes and dtypes
    activities=[ProfilerActivity.CPU, ProfilerActivity.NPU],  # CPU: the names of the cells
    schedule=schedule(wait=10, warmup=1, active=5, repeat=1),  # steps 11 to 15
    on_trace_ready=tensor_board_trace_handler("profile"),
)
for batch in dataset:
    step(*batch)
    profiler.step()
profiler.stop()
"""

_OLD = """\
from mindspore import Profiler

profiler = Profiler(output_path="profile")
model.train(1, dataset)  # or the loop of a few steps
profiler.analyse()
"""

_CALLBACK = """\

# With Model.train: call `prof.step()` in the `step_end` of a callback, with dataset_sink_mode=False or sink_size=1.
"""

_GRAPHS = """\

# For `--ir graphs`, the exact line of each kernel, set this in the environment of the same run:
#   MS_DEV_SAVE_GRAPHS=1 MS_DEV_SAVE_GRAPHS_PATH=graphs
"""


def snippet(version: Sequence[int]) -> str:
    """Return the code that collects a profile with a version of MindSpore."""
    at = tuple(version[:2])
    if at >= NEW:
        return _NEW + _CALLBACK + _GRAPHS
    return _SCHEDULED + _CALLBACK + _GRAPHS if at >= SCHEDULED else _OLD
