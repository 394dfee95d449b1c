"""The names of functions and methods that graph mode is known to compile, or not: run on 2.10, or written for it."""

from __future__ import annotations

from ms_perflint.training.dtypes.tensor_ops import words

COMPILED_APIS = tuple(
    f"mindspore.{name}"
    for name in (
        "nn.", "ops.", "mint.", "numpy.", "scipy.", "amp.", "boost.", "experimental.optim.", "parallel.", "common.",
        "Tensor", "Parameter.", "tensor", "grad", "value_and_grad", "jit",
    )
)  # fmt: skip
BUILTINS = words(
    """range len zip enumerate isinstance print int float bool str abs max min sum pow round tuple list getattr
    hasattr super map filter any all slice type"""
)
# Run in compiled code, on numbers and on shapes: a batch of another size gives its own values
PYTHON = {
    "math": words("sqrt log log2 log10 exp pow ceil floor sin cos prod"),
    "numpy": words(
        """abs absolute add all allclose amax amin any append arange arccos arcsin arctan arctan2 argmax argmin argsort
        array array_equal asarray atleast_1d bool_ broadcast_to cbrt ceil clip concatenate cos cosh count_nonzero
        cross cumprod cumsum deg2rad degrees diag diff divide dot einsum equal exp exp2 expand_dims eye flip float16
        float32 float64 floor floor_divide fmod full full_like gcd hstack hypot identity indices inner int32 int64
        int8 isclose isnan isscalar linalg.norm linspace log log10 log1p log2 logspace matmul max maximum mean
        median meshgrid min minimum mod moveaxis multiply nan_to_num ndim negative ones ones_like outer power prod
        radians ravel reciprocal remainder repeat reshape rint roll round shape sign sin sinh size sort split sqrt
        square squeeze stack std subtract sum swapaxes tan tanh tile trace transpose tril triu true_divide trunc
        uint8 unique var vstack where zeros zeros_like"""
    ),
    "itertools": words("product combinations permutations chain"),
    "logging": words(
        """debug info warning error critical log getLogger getLogger.debug getLogger.info getLogger.warning
        getLogger.error getLogger.critical getLogger.log"""
    ),
    "warnings": words("warn"),
}
# Methods of arrays of constants
OF_ARRAYS = words("astype reshape transpose flatten ravel squeeze copy sum prod mean max min cumsum repeat clip round")
TENSORS = ("mindspore.Tensor", "mindspore.tensor")
WITH_WEIGHTS = (
    "Dense", "Linear", "Conv", "BatchNorm", "SyncBatchNorm", "LayerNorm", "GroupNorm", "InstanceNorm", "Embedding",
    "LSTM", "GRU", "RNN", "PReLU", "Bi", "Transformer", "Multihead", "CellList", "SequentialCell",
)  # fmt: skip
ERRORS = ("Error", "Exception", "Warning")
OF_TENSORS = words("view reshape permute transpose clone dim new_full")
NOT_OF_TENSORS = words("numpy tolist backward expand set_const_arg from_numpy init_data flush_from_cache")
NOT_OF_CELLS = words("name_cells cells_and_names")  # run: "The pointer[node] is null", "Unsupported expression 'Yield'"
ODD_OF_LISTS = words("sort copy pop extend insert")
OF_CONTAINERS = words("append insert pop reverse clear count index items values keys get update")
OF_STRINGS = words("format join lower upper split startswith endswith replace strip")
