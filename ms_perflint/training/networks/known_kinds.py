"""The kinds of layers and operators that are known to work in half precision.

Most of them were run on 2.10 (CPU, graph mode and PyNative, `amp_level="O2"` and `auto_mixed_precision`): the losses of
three steps are within 5 % of those in float32, but for layers that draw. Other spellings of one kind, as
`mint.nn.Linear` beside `nn.Dense`, `ops.addmm` or `ops.conv2d`, are taken to do the same. What is not named here is not
known, and a network that holds it gets no fix.
"""

from __future__ import annotations

import re

CONTAINERS = frozenset({"mindspore.nn.SequentialCell", "mindspore.nn.CellList", "mindspore.mint.nn.Sequential"})
# Packages whose own recipes train their networks so: of mindcv 155 of 179 set level O2 or O3
PACKAGES = ("mindcv.",)
# Layers of `mindspore.nn` and `mindspore.mint.nn`, by their last word
_CELLS = frozenset(
    {
        "Dense", "Linear", "Embedding", "Flatten", "Identity", "Dropout", "Dropout2d", "DropPath",
        "Conv1d", "Conv2d", "Conv3d", "Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose",
        "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm",
        "MaxPool1d", "MaxPool2d", "AvgPool1d", "AvgPool2d",
        "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool2d",
        "ReLU", "ReLU6", "LeakyReLU", "ELU", "CELU", "SeLU", "GELU", "SiLU", "Sigmoid", "LogSigmoid", "Tanh", "PReLU",
        "HSwish", "HSigmoid", "Hardswish", "Hardsigmoid", "Mish", "Softsign", "Hardtanh", "Softmax", "LogSoftmax",
        "Upsample", "Pad", "ReflectionPad2d", "ZeroPad2d", "ConstantPad2d", "PixelShuffle",
        "RNN", "LSTM", "GRU",
    }
)  # fmt: skip
# Operators, functions and methods of tensors by their last word, without underscores and in lower case: `Reshape`,
# `reshape`; what they give is of the dtype that they are given
_OPERATORS = frozenset(
    {
        "reshape", "view", "viewas", "transpose", "permute", "swapaxes", "swapdims", "expanddims", "unsqueeze",
        "squeeze", "flatten", "tile", "split", "chunk", "broadcastto", "repeatinterleave", "flip", "narrow",
        "stridedslice", "slice", "unbind", "unstack", "contiguous", "identity", "stopgradient", "depend",
        "shape", "size", "dim", "rank", "ndimension", "numel",
        "relu", "relu6", "leakyrelu", "elu", "selu", "gelu", "silu", "sigmoid", "logsigmoid", "tanh", "hswish", "mish",
        "hsigmoid", "hardswish", "hardsigmoid", "softmax", "logsoftmax", "prelu", "dropout", "dropout2d",
        "add", "tensoradd", "sub", "mul", "neg", "abs", "maximum", "minimum",
        "mean", "reducemean", "amax", "max", "reducemax", "argmax", "zeroslike", "oneslike",
        "maxpool", "maxpool2d", "avgpool", "avgpool2d", "adaptiveavgpool2d", "resizenearestneighbor",
        "conv2d", "biasadd", "interpolate", "clamp", "clip", "clipbyvalue", "gather", "maskedfill",
    }
)  # fmt: skip
# Operators that take tensors of one dtype only
_JOINING = frozenset(
    {"matmul", "batchmatmul", "bmm", "mm", "dense", "concat", "cat", "addmm", "stack", "where", "select"}
)
BUILTINS = frozenset(
    {
        "range", "len", "enumerate", "zip", "reversed", "isinstance", "int", "tuple", "list", "str", "print", "bool",
        "super", "format", "hasattr", "ValueError", "TypeError", "NotImplementedError", "RuntimeError",
    }
)  # fmt: skip


def is_cell(api: str) -> bool:
    """Return whether a layer of MindSpore is one of a known kind."""
    package, _, word = api.rpartition(".")
    return package in ("mindspore.nn", "mindspore.mint.nn") and word in _CELLS


def is_operator(word: str) -> bool:
    """Return whether an operator, a function or a method of a tensor is one of a known kind."""
    return _plain(word) in _OPERATORS | _JOINING


def joins(word: str) -> bool:
    """Return whether an operator takes tensors of one dtype only."""
    return _plain(word) in _JOINING


def _plain(word: str) -> str:
    return re.sub(r"_|\(\)$", "", word).lower()
