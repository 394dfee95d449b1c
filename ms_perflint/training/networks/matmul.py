"""The layers and products that are matmul or convolution, which the Cube unit or Tensor Cores compute."""

from __future__ import annotations

import ast
import math
from typing import Optional

from ms_perflint.core.findings import Place
from ms_perflint.index.predicates import key
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import targets
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.program.call_site import Call, call_of
from ms_perflint.program.program import Program, fact
from ms_perflint.training import family
from ms_perflint.training.bases import CELLS, PARAMETER, base_apis
from ms_perflint.training.networks.layers import CONVOLUTIONS, DENSE, IN, LAYERS, OUT, RECURRENT, weight

# Layers, primitives and functions of `mindspore` that the Cube unit or Tensor Cores compute, by their last word
# (mindspore 2.10 train/amp.py get_white_list, and their kin in nn, ops, numpy and mint)
MATMUL_CELLS = frozenset(
    {
        "Dense", "Linear", "BiDense", "DenseBnAct", "MatMul",
        "Conv1d", "Conv2d", "Conv3d", "Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose", "ConvTranspose2d",
        "Conv2dBnAct", "SeparableConv2d",
        "RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell",
        "MultiheadAttention", "MultiHeadAttention", "FeedForward", "FixedSparseAttention",
        "Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer", "TransformerDecoderLayer",
    }
)  # fmt: skip
_CONVOLVES = frozenset(
    {
        "Conv2D", "Conv3D", "Conv2DTranspose", "Conv2DBackpropInput", "Conv3DTranspose", "DepthwiseConv2dNative",
        "conv1d", "conv2d", "conv3d", "conv_transpose2d",
    }
)  # fmt: skip
MATMUL_OPS = _CONVOLVES | {
    "MatMul", "BatchMatMul", "Dense", "Einsum", "DynamicRNN", "DynamicGRUV2", "CudnnGRU", "LSTM", "FlashAttentionScore",
    "matmul", "bmm", "mm", "mv", "addmm", "baddbmm", "addbmm", "dense", "linear", "einsum",
    "dot", "batch_dot", "tensor_dot", "tensordot", "flash_attention_score",
}  # fmt: skip
_PRIMITIVES = frozenset({"mindspore.ops.Conv2D", "mindspore.ops.Conv3D"})  # are told the channels that they give
SIDE = 64  # both of the two largest static dimensions of a product: below, half precision gains nothing
_GATES = {"LSTM": 4, "LSTMCell": 4, "GRU": 3, "GRUCell": 3}  # products of a recurrent layer that are one
_METHODS = frozenset({"matmul", "bmm"})  # also of Tensor
_ATTENTION = "mindspore.nn.MultiheadAttention"
_ALL_CELLS = frozenset({"getattr", "cells", "name_cells", "cells_and_names", "_cells"})  # reach attributes by any name


def is_matmul(api: str) -> bool:
    """Return whether a canonical name is matmul or convolution, of MindSpore or of a package made with it.

    An operator of a layer, `self.matmul` of a class derived from `nn.Dense`, counts where the layer is made.
    """
    if not api.startswith("mindspore."):
        return family.is_network(api)
    owner, _, word = api.rpartition(".")
    return word in MATMUL_CELLS or (word in MATMUL_OPS and owner.rpartition(".")[2] not in MATMUL_CELLS)


@fact
def is_matmul_site(program: Program, site: Site) -> bool:
    """Return whether a site is matmul: `nn.Dense(...)`, `ops.matmul(a, b)`, `a @ b`, `x.matmul(y)`."""
    if site.word == "@":
        return is_noticed(program, site, "")
    if site.word not in matmul_words(site.module):
        return False
    apis = program.apis(site)
    if any(api.startswith(CELLS) and api.endswith("()") for api in apis):
        return False  # a layer is called: it counts where it is made
    if any(is_matmul(api[:-2] if api.endswith("()") else api) for api in apis):
        return is_noticed(program, site, apis[0])
    if site.word not in _METHODS or site.scope.owner.name != "construct":
        return False
    base = site.base
    is_other = isinstance(base, ast.Name) and (base.id == "self" or base.id in site.module.imported)
    return base is not None and not is_other and not program.evaluator.callees(site).alternatives


@fact
def matmul_words(module: SemanticIndex) -> set[str]:
    """Return the words under which a module may call matmul."""
    return module.aliases(*MATMUL_CELLS, *MATMUL_OPS) | family.words(module)


def is_noticed(program: Program, site: Site, api: str) -> bool:
    """Return whether a layer or product may be large enough for the Cube unit or Tensor Cores, and is called."""
    if not isinstance(site.node, ast.Call):
        operands = [site.node.left, site.node.right] if isinstance(site.node, ast.BinOp) else []
        return not any(_is_small_weight(program, operand, site.scope) for operand in operands)
    side = _side(Call(site, program, api))
    if side is not None and side < SIDE:
        return False
    uses = [site] if api.startswith(CELLS) else _uses(site)  # a cell has its weight, a primitive is given it
    given = [[(each, use.scope) for each in getattr(use.node, "args", ())[:2]] for use in uses]
    return not (
        all(any(_is_small_weight(program, *each) for each in operands) for operands in given)
        or _is_left(program, site)
        or _has_constant_kernel(program, site, api)
    )


def is_small_base(program: Program, cls: Scope, api: str) -> bool:
    """Return whether a class derives from a layer whose products are too small, in all calls that make its objects."""
    sites: list[Site] = []
    for each in (cls,) if cls.method("__init__") is not None else (cls, *program.derived(cls)):
        init = each.method("__init__")
        made = [site for site in init.calls if site.word == "__init__"] if init is not None else program.callers(each)
        sites.extend(made)
    sides = [_side(Call(site, program, api)) for site in sites if api.startswith(CELLS) and is_matmul(api)]
    return bool(sides) and all(side is not None and side < SIDE for side in sides)


def _side(call: Call) -> Optional[int]:
    """Return the smaller one of the two largest static dimensions of the products of a layer; None if not known."""
    if call.api == _ATTENTION:
        return _number(call, "embed_dim")
    if call.api in _PRIMITIVES:
        channels = _number(call, "out_channel")
        return channels if channels is not None and channels < SIDE else None  # of the smaller one, as below
    given = {role: _number(call, name) for name, role in LAYERS.get(call.api, ())}
    into, out = given.get(IN), given.get(OUT)
    wide = out * _GATES.get(call.api.rpartition(".")[2], 1) if out is not None else None
    if into is None or out is None:
        most = wide if call.api in RECURRENT else into or out  # of the smaller one, whatever the other is
        return most if most is not None and most < SIDE and call.api in DENSE | RECURRENT else None
    if wide is not None and call.api in RECURRENT:
        return max(min(into, wide), out)
    if call.api in CONVOLUTIONS:
        kernel = _kernel(call)
        group = _number(call, "groups" if call.api.startswith("mindspore.mint.") else "group")
        is_transposed = "Transpose" in call.api
        if kernel is None or not group:
            most = into if is_transposed else out  # of the smaller one, whatever the kernel is
            return most if most < SIDE else None
        into = into * (1 if is_transposed else kernel) // group
        out = out * (kernel if is_transposed else 1) // group
    elif call.block.loops or call.scope is not call.scope.owner:
        return _side_in_a_loop(call, min(into, out))
    return min(into, out)


def _side_in_a_loop(call: Call, side: int) -> int:
    """Return the smaller width of a dense layer that is made in a loop over widths: none of these follows itself."""
    names = [name for name, _ in LAYERS[call.api]]
    spelled = {key(node) for node in map(call.given, names) if node is not None}
    inputs, outputs = (call.argument(name).by_default for name in names)
    if len(spelled) == 1 or len(outputs) == 1:
        return side
    pairs = [(each, out) for each in inputs for out in outputs if each.where != out.where or _is_repeated(out)]
    sides = ([width.constant for width in pair if isinstance(width.constant, int)] for pair in pairs)
    return max(map(min, sides), default=side)


def _is_repeated(width: Alternative) -> bool:
    """Return whether a constant stands twice in the list in which it is written."""
    if isinstance(width.where, Place):
        return False
    module, node = width.where
    lists = (each.elts for each in module.displays if isinstance(each, (ast.List, ast.Tuple)))
    written = next((each for each in lists if node in each), [])
    return sum(isinstance(each, ast.Constant) and each.value == width.constant for each in written) > 1


def _number(call: Call, name: str) -> Optional[int]:
    return max(_numbers(call.argument(name)), default=None)


def _numbers(value: Value) -> tuple[int, ...]:
    """Return the whole numbers that a value is with the default options; none where it may be something else."""
    found = [known.constant for known in value.by_default]
    known = tuple(number for number in found if isinstance(number, int))
    return known if not value.open and len(known) == len(found) else ()


def _kernel(call: Call) -> Optional[int]:
    """Return the size of the kernel of a convolution: `3` or `(3, 3)`."""
    value = call.argument("kernel_size")
    dimensions = next((number for number in (1, 2, 3) if f"Conv{number}d" in call.api), 2)
    if known := _numbers(value):
        return int(max(known) ** dimensions)
    if value.open or len(value.alternatives) != 1:
        return None
    sizes = [_numbers(call.program.evaluator.read(part)) for part in value.alternatives[0].parts]
    return math.prod(max(size) for size in sizes) if sizes and all(sizes) else None


def _is_small_weight(program: Program, operand: ast.expr, scope: Scope) -> bool:
    """Return whether an operand of a product is a weight of known shape that is too small."""
    value = program.value(operand, scope)
    made = [call_of(program, known) for known in value.alternatives if known.type_api == PARAMETER]
    slots = [weight(call) for call in made if call is not None]
    is_known = bool(slots) and len(slots) == len(value.alternatives) and not value.open and all(slots)
    return is_known and all(min(slot.width for slot in each) < SIDE for each in slots)


def _is_left(program: Program, site: Site) -> bool:
    """Return whether a cell is never called: no code loads its attribute."""
    cls = site.scope.owner.cls
    attributes = cls.attributes.items() if cls is not None else ()
    attr = next((name for name, stores in attributes for each in stores if each.value is site.node), "")
    if not attr or cls is None:
        return False
    if site.scope.owner not in program.reached:
        return False  # code without a known caller
    words = set().union(*(method.names | method.attrs for method in cls.defines))
    if words & _ALL_CELLS or base_apis(program, cls) != {"mindspore.nn.Cell"}:
        return False
    return attr not in _loaded(program)


@fact
def _loaded(program: Program) -> frozenset[str]:
    """Return all attributes that the code of a program loads."""
    scopes = (scope for module in program.modules for scope in module.scopes)
    return frozenset().union(*(scope.attrs | (scope.main.attrs if scope.main else set()) for scope in scopes))


def _uses(site: Site) -> list[Site]:
    """Return the calls of the result of a call: of `self.conv = ops.Conv2D(...)`, of `ops.MatMul()`; else itself."""
    target = next(iter(targets(site.stmt)), None)
    cls = site.scope.owner.parent
    calls = [each for each in site.scope.calls if isinstance(each.node, ast.Call)]
    found = [each for each in calls if each.node.func is site.node]  # type: ignore[attr-defined]
    if not found and isinstance(target, ast.Attribute) and cls is not None:
        found = [use for method in cls.defines for use in method.calls if use.word == target.attr]
    return found or [site]


def _has_constant_kernel(program: Program, site: Site, api: str) -> bool:
    """Return whether a convolution has a constant kernel: finite differences, a filter."""
    if api.rstrip("()").rpartition(".")[2] not in _CONVOLVES:
        return False
    uses = _uses(site)
    given = [use.node.args[1:2] for use in uses if isinstance(use.node, ast.Call)]
    kernels = [program.value(kernel, use.scope) for use, args in zip(uses, given) for kernel in args]
    return bool(kernels) and not any(
        value.open or {each.type_api for each in value.alternatives} != {"mindspore.Tensor"} for value in kernels
    )
