"""What no signature shows, kept by hand: keywords and defaults behind `**kwargs`, what is returned, and constants.

Each entry names its source, as `file:line` of the `mindspore` package of a release.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Optional

from ms_perflint.mindspore_api.parameter import UNKNOWN


class Keyword(NamedTuple):
    """A keyword with the default it has in the releases from `since` up to, but not including, `until`."""

    name: str
    default: object
    since: tuple[int, ...] = (1, 0)
    until: Optional[tuple[int, ...]] = None


KEYWORDS: Mapping[str, tuple[Keyword, ...]] = {
    # `mode`: see versions.default_mode. The others: docstring of set_context, 1.0 context.py:485, 2.10 context.py:1366.
    # enable_auto_mixed_precision is taken but ignored from 1.8 (1.8 context.py:932, 2.10 context.py:1552);
    # enable_profiling is gone from 1.8 (1.7 context.py:747 has it).
    "mindspore.set_context": (
        Keyword("mode", 1, until=(1, 3)),
        Keyword("mode", 0, since=(1, 3), until=(2,)),
        Keyword("mode", 1, since=(2,)),
        Keyword("device_id", 0),
        Keyword("enable_graph_kernel", False),
        Keyword("enable_auto_mixed_precision", False),
        Keyword("enable_profiling", False, until=(1, 8)),
        Keyword("save_graphs", False),
        Keyword("pynative_synchronize", False, since=(1, 5)),
        Keyword("check_bprop", False),
        Keyword("max_call_depth", 1000),
        Keyword("deterministic", "OFF", since=(2,)),
    ),
    # Docstring of set_auto_parallel_context, 2.10 context.py:961. comm_fusion exists from 1.6 (1.6 context.py:391).
    # What happens when neither fusion setting is given differs by version and is no default of these keywords.
    "mindspore.set_auto_parallel_context": (
        Keyword("device_num", 1),
        Keyword("global_rank", 0),
        Keyword("gradients_mean", False),
        Keyword("gradient_fp32_sync", True),
        Keyword("loss_repeated_mean", True, since=(1, 1)),
        Keyword("parallel_mode", "stand_alone"),
        Keyword("parameter_broadcast", False),
        Keyword("full_batch", False),
        Keyword("dataset_strategy", "data_parallel", since=(1, 5)),
        Keyword("enable_parallel_optimizer", False),
        Keyword("all_reduce_fusion_config", None),
        Keyword("comm_fusion", None, since=(1, 6)),
        Keyword("pipeline_stages", 1, since=(1, 2)),
    ),
    # Model._check_kwargs: 1.0 train/model.py:144, 2.0 train/model.py:243, 2.10 train/model.py:661. The defaults of the
    # first two follow from amp_level (amp.py `_config_level`).
    "mindspore.train.Model": (
        Keyword("loss_scale_manager", UNKNOWN),
        Keyword("keep_batchnorm_fp32", UNKNOWN),
        Keyword("boost_config_dict", None, since=(1, 5)),
    ),
    # Docstring of build_train_network: the defaults follow from `level` (2.10 train/amp.py `_config_level`).
    "mindspore.amp.build_train_network": (
        Keyword("cast_model_type", UNKNOWN),
        Keyword("keep_batchnorm_fp32", UNKNOWN),
        Keyword("loss_scale_manager", UNKNOWN),
    ),
    # 1.0 profiler/profiling.py:82, 1.3 profiling.py:159, 1.6 profiling.py:175, 2.0 profiling.py:630-684 and 1367,
    # 2.3 profiling.py:1973 (data_process True), 2.4 profiling.py:1133 and 1892 (both False),
    # 2.10 profiler/common/profiler_parameters.py:36. Before 2.0 datasets are always profiled (1.10 profiling.py:435).
    "mindspore.Profiler": (
        Keyword("output_path", "./data"),
        Keyword("start_profile", True, since=(1, 6)),
        Keyword("profile_communication", False, since=(1, 3), until=(2, 5)),
        Keyword("profile_memory", False, since=(1, 3)),
        Keyword("data_process", True, until=(2, 4)),
        Keyword("data_process", False, since=(2, 4)),
        Keyword("parallel_strategy", True, since=(2,), until=(2, 4)),
        Keyword("parallel_strategy", False, since=(2, 4)),
        Keyword("sync_enable", True, since=(2,)),
        Keyword("l2_cache", False, since=(2,)),
        Keyword("aicore_metrics", 0, since=(2,), until=(2, 5)),
        Keyword("hbm_ddr", False, since=(2, 3)),
        Keyword("pcie", False, since=(2, 3)),
        Keyword("data_simplification", True, since=(2, 3)),
        Keyword("with_stack", False, since=(2, 4)),
        Keyword("profiler_level", UNKNOWN, since=(2, 3)),
        Keyword("activities", UNKNOWN, since=(2, 5)),
        Keyword("aic_metrics", UNKNOWN, since=(2, 5)),
        Keyword("schedule", None, since=(2, 5)),
        Keyword("on_trace_ready", None, since=(2, 5)),
        Keyword("record_shapes", False, since=(2, 7)),
    ),
    # Docstrings of Dataset.map and Dataset.batch, 2.0 dataset/engine/datasets.py; in 1.x they are plain parameters.
    "mindspore.dataset.engine.datasets.Dataset.map": (
        Keyword("python_multiprocessing", False, since=(2,)),
        Keyword("max_rowsize", UNKNOWN, since=(2,)),
        Keyword("cache", None, since=(2,)),
        Keyword("callbacks", None, since=(2,)),
        Keyword("offload", None, since=(2,)),
    ),
    "mindspore.dataset.engine.datasets.Dataset.batch": (
        Keyword("per_batch_map", None, since=(2,)),
        Keyword("input_columns", None, since=(2,)),
        Keyword("output_columns", None, since=(2,)),
        Keyword("python_multiprocessing", False, since=(2,)),
        Keyword("max_rowsize", UNKNOWN, since=(2,)),
    ),
}

# `build_train_network` gives one of two cells, the second of which derives from the first (2.10 train/amp.py:775-790);
# `convert_to_thor_model` gives the model, or a kind of it (2.10 train/train_thor/convert_utils.py:258-267).
RETURNS: Mapping[str, str] = {
    "mindspore.amp.build_train_network": "mindspore.nn.TrainOneStepCell",
    "mindspore.ConvertModelUtils.convert_to_thor_model": "mindspore.train.Model",
}

# 2.10 context.py:44 and class ParallelMode, context.py:1661; the same values since 1.0.
CONSTANTS: Mapping[str, object] = {
    "mindspore.GRAPH_MODE": 0,
    "mindspore.PYNATIVE_MODE": 1,
    "mindspore.STRICT": 0,  # of `jit_syntax_level`
    "mindspore.ParallelMode.STAND_ALONE": "stand_alone",
    "mindspore.ParallelMode.DATA_PARALLEL": "data_parallel",
    "mindspore.ParallelMode.HYBRID_PARALLEL": "hybrid_parallel",
    "mindspore.ParallelMode.SEMI_AUTO_PARALLEL": "semi_auto_parallel",
    "mindspore.ParallelMode.AUTO_PARALLEL": "auto_parallel",
}
