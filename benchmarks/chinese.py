"""The table of an effect in Chinese, made from the one in English: the figures are the same, to the digit."""

from __future__ import annotations

import re

import tables

WORDS = {
    # columns
    "network": "网络",
    "a step in PyNative": "PyNative 模式单步耗时",
    "in graph mode": "图模式单步耗时",
    "speed-up": "提速倍数",
    "first step in graph mode (compiles)": "图模式首步耗时（含编译）",
    "sunk before the fix": "修复前是否下沉",
    "after the fix": "修复后",
    "calls of `on_train_step_end` for 40 steps": "40 个 step 中 `on_train_step_end` 的调用次数",
    "a step in float32": "float32 单步耗时",
    'with `amp_level="O3"`': '使用 `amp_level="O3"`',
    "cast": "类型转换",
    "casts in the graph": "图中的 Cast 数",
    "fixed": "修复后",
    "a step in graph mode": "图模式单步耗时",
    "`save_checkpoint` returns after": "`save_checkpoint` 调用耗时",
    "with `async_save=True`": "使用 `async_save=True`",
    "first on": "先开启的一方",
    "MindSpore says": "MindSpore 的提示",
    "training": "训练",
    "profiler": "Profiler",
    "AllReduce a step": "每个 step 的 AllReduce 数",
    "with `comm_fusion` auto": "`comm_fusion` 为 auto",
    "with `all_reduce_fusion_config=[2, 5]`": "使用 `all_reduce_fusion_config=[2, 5]`",
    # cells
    "LeNet, 32 images": "LeNet，32 张图像",
    "2 transformer blocks, 8 x 64 tokens": "2 个 Transformer 块，8 x 64 个 token",
    "yes": "是",
    "no": "否",
    "float32 to float32": "float32 转 float32",
    "float16 to float32 and back around `transpose`": "`transpose` 前后 float16 转 float32 再转回",
    "the profiler": "Profiler",
    "the pipeline with AutoTune": "开启 AutoTune 的数据处理流水线",
    "nothing": "无",
    "the training ends with the error": "训练报错退出",
    "tuned": "已调优",
    "not tuned": "未调优",
    "profile": "有性能数据",
    "no profile": "无性能数据",
}
PATTERNS = (
    (re.compile(r"(\d+) steps trained"), r"训练了 \1 个 step"),
    (re.compile(r"- (\S+): one round; (.*)\."), r"- \1：运行一轮；\2。"),
    (re.compile(r"- (\S+): median \(range\) of (\d+) rounds; (.*)\."), r"- \1：\2 轮的中位数（范围）；\3。"),
    (re.compile(r"(.*), (\d+) cores, load average (\S+)"), r"\1，\2 核，平均负载 \3"),
)


def in_chinese(table: tables.Table) -> tables.Table:
    """Return a table of which everything but the figures is said in Chinese."""
    rows = (tables.line(map(_cell, row.strip("| ").split(" | "))) for row in table.rows)
    return tables.Table(tuple(map(_cell, table.columns)), tuple(rows), tuple(map(_told, table.measured)))


def _cell(text: str) -> str:
    """Return a cell in Chinese: as a whole, else part by part; figures and names are the same."""
    if text in WORDS:
        return WORDS[text]
    return "，".join(WORDS.get(part) or _told(part) for part in text.split(", ")) if "`" not in text else text


def _told(text: str) -> str:
    """Return a phrase with figures in it."""
    for pattern, said in PATTERNS:
        text = pattern.sub(said, text)
    return text
