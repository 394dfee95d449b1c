"""The kinds of layers and operators that are known to work in half precision.

Most of them were run on 2.10 (CPU, graph mode and PyNative, `amp_level="O2"` and `auto_mixed_precision`): the losses of
three steps are within 5 % of those in float32, but for layers that draw. Other spellings of one kind, as
`mint.nn.Linear` beside `nn.Dense`, `ops.addmm` or `ops.conv2d`, are taken to do the same. What is not named here is not
known, and a network that holds it gets no fix.
"""

from __future__ import annotations

import ast
import re
from typing import Optional

Version = tuple[int, ...]

CONTAINERS = frozenset({"mindspore.nn.SequentialCell", "mindspore.nn.CellList", "mindspore.mint.nn.Sequential"})
# Layers of `mindspore.nn` and `mindspore.mint.nn`, by their last word
_CELLS = frozenset(
    {
        "Dense", "Linear", "Embedding", "Flatten", "Identity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d",
        "DropPath",
        "Conv1d", "Conv2d", "Conv3d", "Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose",
        "Conv2dBnAct", "DenseBnAct",
        "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "LayerNorm",
        "MaxPool1d", "MaxPool2d", "AvgPool1d", "AvgPool2d",
        "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "Softmax2d",
        "AvgPool3d", "MaxPool3d", "AdaptiveAvgPool3d", "LRN", "ResizeBilinear",
        "ReLU", "ReLU6", "LeakyReLU", "ELU", "CELU", "SeLU", "GELU", "SiLU", "Sigmoid", "LogSigmoid", "Tanh", "PReLU",
        "HSwish", "HSigmoid", "Hardswish", "Hardsigmoid", "Mish", "Softsign", "Hardtanh", "Softmax", "LogSoftmax",
        "Upsample", "Pad", "ReflectionPad2d", "ZeroPad2d", "ConstantPad2d", "PixelShuffle",
        "RNN", "LSTM", "GRU", "MultiheadAttention",
        "SoftShrink", "HShrink", "Tanhshrink", "Threshold", "GLU", "FastGelu", "Softmin",
        "PixelUnshuffle", "ChannelShuffle", "ReplicationPad2d", "Unflatten",
    }
)  # fmt: skip
# Layers whose gradients in float16 are wrong in PyNative mode (run on 2.10, CPU; in graph mode they are right)
OF_GRAPHS = frozenset({"LSTM"})
# Layers that summed in half precision or differed in old versions -> first version with the behaviour that was run
_SINCE = {"GroupNorm": (2, 7), "TransformerEncoder": (2, 0), "TransformerEncoderLayer": (2, 0)}
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
        "biasadd", "interpolate", "upsample", "clamp", "clip", "clipbyvalue", "gather", "gatherv2", "maskedfill",
        "pad", "maxpool3d", "softmax2d", "tensormul", "gatherelements", "gatherd",
        "expandas", "topk", "sort", "tril", "triu", "diag", "unfold", "meshgrid",
        "spacetodepth", "depthtospace", "addn", "repeatelements", "gathernd", "newzeros", "fulllike", "softplus",
        "amin", "min", "reducemin", "dropout3d", "avgpool3d", "range", "reverse", "reversev2", "rot90",
        "floor", "round", "sign", "sin", "cos", "erf", "celu", "glu", "hardtanh", "softmin", "softsign", "tanhshrink",
        "greater", "greaterequal", "less", "lessequal", "equal", "notequal", "gt", "ge", "lt", "le", "eq", "ne",
        "logicaland", "logicalor", "logicalnot", "reduceany", "reduceall", "any", "all",
    }
)  # fmt: skip
# Operators that take tensors of one dtype only
_JOINING = frozenset(
    {
        "matmul", "batchmatmul", "bmm", "mm", "dense", "concat", "cat", "concatenate", "addmm", "stack", "where",
        "select", "conv2d",
    }
)  # fmt: skip
_OF_LAYERS = frozenset({"conv2d", "conv2dtranspose", "matmul", "biasadd", "layernorm"})
STATEFUL = frozenset({"RNN", "LSTM", "GRU"})  # layers that take a state in their own dtype only
# Functions that make a tensor, of float32 unless they are asked for something else
_MADE = frozenset(
    {"zeros", "ones", "full", "arange", "eye", "onehot", "randn", "randnlike", "standardnormal", "tupletoarray"}
)
# Operators whose numbers become numbers of the tensor
FILLS = frozenset({"maskedfill", "fill", "full", "fulllike", "where", "select", "clamp", "clip", "clipbyvalue"})
# Operators whose result some devices give in float32, whatever they are given
_RAISE = frozenset({"resizebilinear", "resizebilinearv2"})
_CASTS = frozenset({"cast", "astype", "to"})
OF_SHAPES = frozenset({"reshape", "view", "broadcastto", "tile", "stridedslice", "slice", "zeros", "ones", "pad"})
_DTYPES = frozenset({"float16", "bfloat16", "half", "float64", "double", "complex64"})
BUILTINS = frozenset(
    {
        "range", "len", "enumerate", "zip", "reversed", "isinstance", "int", "tuple", "list", "str", "print", "bool",
        "super", "format", "hasattr", "ValueError", "TypeError", "NotImplementedError", "RuntimeError",
    }
)  # fmt: skip


def is_cell(api: str, version: Version) -> bool:
    """Return whether a layer of MindSpore is one of a known kind, in a version of it."""
    package, _, word = api.rpartition(".")
    if package not in ("mindspore.nn", "mindspore.mint.nn"):
        return False
    return word in _CELLS or (word in _SINCE and version >= _SINCE[word])


def is_operator(word: str) -> bool:
    """Return whether an operator, a function or a method of a tensor is one of a known kind."""
    return plain(word) in _OPERATORS | _JOINING


def is_layered(word: str) -> bool:
    """Return whether an operator is one of those to which layers pass their weights."""
    return plain(word) in _OF_LAYERS


def joins(word: str) -> bool:
    """Return whether an operator takes tensors of one dtype only."""
    return plain(word) in _JOINING


def dtype_of(call: ast.Call, word: str) -> tuple[str, Optional[ast.expr]]:
    """Return the last word of the dtype that a call casts to, or makes a tensor of, and where that stands.

    "" where it does neither, or the dtype has no such word.
    """
    kind = plain(word)
    given = next((each.value for each in call.keywords if each.arg == "dtype"), call.args[-1] if call.args else None)
    named = given.attr if isinstance(given, ast.Attribute) else ""
    if kind in _CASTS:
        return named, given
    if kind == "float" and not call.args and isinstance(call.func, ast.Attribute):
        return "float32", None
    if kind in _RAISE:
        return "float32", None
    if kind in _MADE:
        is_dtype = named in _DTYPES or named == "dtype" or named.startswith(("int", "bool", "float"))
        return (named, given) if is_dtype else ("float32", None)
    if kind == "typeas":
        return "dtype", given
    asked = [each.value for each in call.keywords if each.arg == "dtype"]  # `ops.softmax(x, dtype=ms.float32)`
    return (named, asked[0]) if asked and kind in _OPERATORS else ("", None)


def plain(word: str) -> str:
    """Return a word without underscores, in lower case."""
    return re.sub(r"_|\(\)$", "", word).lower()
