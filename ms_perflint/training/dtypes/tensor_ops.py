"""The dtypes that operators of MindSpore give, by the last word of functions, primitives and methods alike.

Mixed precision decides what is known. Lists of mindspore 2.10 train/amp.py:39-139: an operator in the white lists may
be given half-precision inputs, with (level O1) or without (level auto) a cast of its result back to float32; one in the
black list computes in float32 under level auto.
"""

from __future__ import annotations

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = frozenset({*FLOATS, *INTEGERS, "bool_"})
# NumPy's and Python's names of dtypes, as `Tensor.astype` takes them; what `int` and `float` are depends on the version
OTHER_NAMES = {"bool": "bool_", "half": "float16", "single": "float32", "double": "float64"}
# Casts by method -> the dtype they give; None where it is an argument
CAST_METHODS = {
    "astype": None, "to": None, "type": None, "type_as": None,
    "half": "float16", "float": "float32", "double": "float64", "bfloat16": "bfloat16",
    "int": "int32", "long": "int64", "bool": "bool_",
}  # fmt: skip


def words(text: str) -> frozenset[str]:
    """Return the words of a table."""
    return frozenset(text.split())


# (narrow, wide): there and back gives every value again
WIDER = frozenset(
    (narrow, wide)
    for narrow, wides in {
        "float16": "float32 float64",
        "bfloat16": "float32 float64",
        "float32": "float64",
        "int8": "int16 int32 int64",
        "int16": "int32 int64",
        "int32": "int64",
        "uint8": "int16 int32 int64",
    }.items()
    for wide in words(wides)
)

# Operators that only move data
MOVES = words(
    """reshape Reshape transpose Transpose permute swapaxes swapdims expand_dims ExpandDims unsqueeze squeeze
    Squeeze flatten Flatten ravel view view_as reshape_as broadcast_to BroadcastTo expand expand_as tile
    Tile repeat_interleave slice Slice strided_slice StridedSlice roll flip narrow contiguous moveaxis
    movedim diagonal gather Gather GatherV2 gather_nd GatherNd gather_elements GatherD gather_d
    index_select identity Identity"""
)
# ... and others whose result has the dtype of their first argument, whatever that is
KEEP = MOVES | words(
    """masked_fill MaskedFill zeros_like ones_like full_like ZerosLike OnesLike new_zeros new_ones new_full
    stop_gradient depend Depend copy clone deepcopy tril triu Tril Triu pad Pad
    AllReduce AllGather Broadcast take fill"""
)
# ... where that is a number of any kind
KEEP_NUMBER = words(
    "abs Abs absolute neg Neg negative amax amin ReduceMax ReduceMin max min reduce_max reduce_min square Square"
)
# ... where that is a float of any kind
KEEP_FLOAT = words(
    """tanh Tanh sigmoid Sigmoid gelu GeLU elu Elu selu silu SiLU relu6 ReLU6 hsigmoid HSigmoid hswish HSwish
    hardswish hardsigmoid hardtanh leaky_relu LeakyReLU mish Mish sqrt Sqrt floor Floor ceil Ceil round
    Round sin Sin cos Cos erf Erf mean ReduceMean reduce_mean ReduceSum reduce_sum dropout L2Normalize
    atan Atan sign Sign tanhshrink logsigmoid"""
)
# ... where that is float32: half precision is computed in float32 under some levels, and may come out as such
KEEP_FLOAT32 = words(
    """exp Exp expm1 Expm1 log Log log1p Log1p log2 log10 pow Pow rsqrt Rsqrt reciprocal Reciprocal softmax
    Softmax log_softmax LogSoftmax softplus Softplus cumsum CumSum cumprod CumProd prod ReduceProd sum
    norm std var logsumexp relu ReLU acos ACos asin Asin cosh Cosh sinh Sinh tan Tan
    clip_by_value clamp clip"""
)
NORM = "mindspore.nn.Norm"  # the cell that came before `ops.norm`
BOOLEAN = words(
    """equal Equal not_equal NotEqual ne eq greater Greater gt greater_equal GreaterEqual ge less Less lt
    less_equal LessEqual le logical_and LogicalAnd logical_or LogicalOr logical_not LogicalNot
    logical_xor isnan IsNan isinf IsInf isfinite IsFinite all any ReduceAll ReduceAny isclose"""
)
ADDITION = words("add Add TensorAdd sub Sub subtract mul Mul multiply maximum Maximum minimum Minimum")
DIVISION = words("div Div RealDiv true_divide divide DivNoNan")
CHOICE = words("select Select where Where")  # the second and third argument decide
JOINED = words("concat Concat cat stack Stack")  # the elements of the first argument decide
PARTS = words("split Split chunk unbind unstack Unstack tensor_split")  # a tuple of parts, of one dtype
# Results of several dtypes: "" is the dtype of the first argument
RESULTS = {"TopK": ("", "int32"), "Sort": ("", "int32")}
# Results that are no tensors
NO_TENSOR = words("shape Shape size Size rank Rank dtype DType ndim tuple_to_array is_tensor numel")
# Attributes of a tensor that tell its form, and not its values
FORMS = words("shape dtype ndim size itemsize")
# Methods that give an array of NumPy; then also those that give other values of Python
ARRAYS = words("asnumpy numpy")
READS = ARRAYS | words("item tolist")
PRINTS = words("print debug info warning error")  # show what they are given, and give nothing
# Operators that make a tensor in a dtype of choice -> the dtype they make without one; "" where that differs
CREATIONS = {
    **dict.fromkeys(words("Tensor Zeros Ones full arange eye Eye initializer Fill fill"), ""),
    **dict.fromkeys(words("zeros ones scalar_to_tensor rand randn standard_normal"), "float32"),
    **dict.fromkeys(words("StandardNormal UniformReal"), "float32"),
    "linspace": "float32",  # between numbers: between tensors it has the dtype of these
    "tuple_to_array": "float32",  # of floats: where the first is an integer it is int32
}
_MADE = ("mindspore.Tensor", "mindspore.common.initializer.initializer")
FAMILIES = ("mindspore.ops.", "mindspore.numpy.", "mindspore.mint.")
DTYPE_PARAMETERS = ("dtype", "type", "t", "rtype")
# Under the same word in these modules other things are meant: `mint.equal` gives a Python bool, `mint.max` a pair
_ELSEWHERE = {
    "mint": words("equal max min topk sort where"),
    "numpy": KEEP_NUMBER | KEEP_FLOAT | KEEP_FLOAT32 | ADDITION | DIVISION | words("all any"),
    "ops": words("max min copy"),
}


def computes(api: str) -> bool:
    """Return whether an operator, or a method of its result, computes a tensor or a number: `x.mean().item()`."""
    word = api.rpartition(".")[2]
    return api.startswith(FAMILIES) and word not in NO_TENSOR and word not in PARTS


def gives_tensor(api: str) -> bool:
    """Return whether the result of an operator is a tensor, or a pair of them."""
    is_on_host = api == "mindspore.mint.equal" or api.rpartition(".")[2] in READS
    return api in _MADE or (computes(api) and not is_on_host)


def known_word(api: str) -> str:
    """Return the word of an operator in the tables; "" for other names."""
    module, _, word = api.rpartition(".")
    root, _, family = module.partition(".")
    if api in _MADE:
        return word
    if root != "mindspore" or family not in ("ops", "numpy", "mint"):
        return ""
    return "" if word in _ELSEWHERE[family] and word not in CREATIONS else word
