"""The layers of a network, and the widths that they take in and give out, class by class."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.core.graphs import reachable
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.signature import Layer, Signature
from ms_perflint.index.syntax_forms import position, word_of
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import Alternative
from ms_perflint.program.call_site import Call, call_of
from ms_perflint.program.program import Program
from ms_perflint.training.bases import PARAMETER
from ms_perflint.training.dtypes.tensor_ops import words
from ms_perflint.training.networks.provenance import Number, number, numbers

IN, OUT, ALONG = "in", "out", "along"  # along: the width goes through (normalisation), or comes from a table
_DENSE = ("Dense", "DenseBnAct")
_LINEAR = ("mindspore.nn.Linear", "mindspore.mint.nn.Linear")
_CONVS = ("Conv1d", "Conv2d", "Conv3d", "Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose", "Conv2dBnAct")
_MINT_CONVS = ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d")
_RECURRENT = ("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell")
_NORMS = sorted(words("BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d"))

DENSE = frozenset({*(f"mindspore.nn.{word}" for word in _DENSE), *_LINEAR})
CONVOLUTIONS = frozenset(
    {*(f"mindspore.nn.{word}" for word in _CONVS), *(f"mindspore.mint.nn.{word}" for word in _MINT_CONVS)}
)
RECURRENT = frozenset(f"mindspore.nn.{word}" for word in _RECURRENT)
WIDE = DENSE | CONVOLUTIONS | RECURRENT  # layers that give out a width of their own
# API -> (parameter, what it says)
LAYERS: dict[str, tuple[tuple[str, str], ...]] = {
    **dict.fromkeys(sorted(DENSE | CONVOLUTIONS), (("in_channels", IN), ("out_channels", OUT))),
    **dict.fromkeys(_LINEAR, (("in_features", IN), ("out_features", OUT))),
    **dict.fromkeys((f"mindspore.nn.{word}" for word in _RECURRENT), (("input_size", IN), ("hidden_size", OUT))),
    **dict.fromkeys((f"mindspore.nn.{word}" for word in _NORMS), (("num_features", ALONG),)),
    **dict.fromkeys((f"mindspore.mint.nn.{word}" for word in _NORMS), (("num_features", ALONG),)),
    **dict.fromkeys(("mindspore.nn.GroupNorm", "mindspore.mint.nn.GroupNorm"), (("num_channels", ALONG),)),
    **dict.fromkeys(("mindspore.nn.LayerNorm", "mindspore.nn.LayerNormExt"), (("normalized_shape", ALONG),)),
    "mindspore.nn.PReLU": (("channel", ALONG),),
    "mindspore.nn.Embedding": (("embedding_size", ALONG),),
    "mindspore.nn.EmbeddingExt": (("embedding_dim", ALONG),),
    "mindspore.nn.MultiheadAttention": (("embed_dim", ALONG),),
}
PASSING = frozenset({"mindspore.nn.MultiheadAttention", "mindspore.nn.GroupNorm", "mindspore.mint.nn.GroupNorm"})
TABLES = frozenset({"mindspore.nn.Embedding", "mindspore.nn.EmbeddingExt"}) | PASSING
PRODUCTS = frozenset(
    {
        "mindspore.ops.matmul", "mindspore.ops.mm", "mindspore.ops.bmm",
        "mindspore.ops.MatMul()", "mindspore.ops.BatchMatMul()",
        "mindspore.mint.matmul", "mindspore.mint.mm", "mindspore.mint.bmm",
    }
)  # fmt: skip
# Operators that keep or repeat the last axis of what they are given
ELEMENTWISE = frozenset(
    {
        "mindspore.ops.tile", "mindspore.ops.Tile()", "mindspore.mint.tile", "mindspore.ops.div", "mindspore.ops.Div()",
        "mindspore.ops.RealDiv()", "mindspore.mint.div",
    }
)  # fmt: skip
_MADE = words("ones zeros randn rand standard_normal normal uniform empty full random StandardNormal UniformReal")
_RANDOM = ("randn", "rand")  # take the axes as arguments


class Slot:
    """A place in a layer that gives a width."""

    def __init__(self, call: Call, role: str, node: ast.expr, number: Number) -> None:
        self.call = call
        self.role = role
        self.node = node
        self.number = number

    @property
    def width(self) -> int:
        """Return the width."""
        return self.number.value

    @property
    def is_grouped(self) -> bool:
        """Return whether the layer is a convolution that is not known to have just one group."""
        name = "groups" if self.call.api.startswith("mindspore.mint.") else "group"
        return self.call.api in CONVOLUTIONS and not self.call.argument(name).must_be(1)


def network(site: Site) -> Scope:
    """Return the code that makes the layers around a site: the class, else the function or module.

    A static method of a class without bases, which is no cell, counts as a function.
    """
    return around(site.scope.owner)


def around(scope: Scope) -> Scope:
    """Return the code that holds the layers around a function."""
    cls = next((each for each in scope.chain() if each.is_class), None)
    is_static = scope.cls is cls and scope.is_function and not scope.is_method
    bases = cls.node.bases if cls is not None and isinstance(cls.node, ast.ClassDef) else []
    return scope if cls is None or (is_static and all(word_of(base) == "object" for base in bases)) else cls


@query
def sites(program: Program, scope: Scope) -> list[Site]:
    """Return the call sites of a class, function or module in source order; of a module those outside of functions."""
    inside = reachable([scope], lambda inner: inner.defines if inner.is_class or inner.is_function else ())
    calls = (site for inner in inside for site in inner.calls if isinstance(site.node, ast.Call))
    return sorted(calls, key=lambda site: position(site.node))


def slots(call: Call) -> tuple[Slot, ...]:
    """Return the widths of a layer, or of the weight of a product; several for a layer in a loop."""
    return _slots(call.program, call)


@query
def _slots(program: Program, call: Call) -> tuple[Slot, ...]:
    return weight(call) if call.api == PARAMETER else slots_in(call, call.scope)


def slots_in(call: Call, scope: Scope) -> tuple[Slot, ...]:
    """Return the widths of a layer in one call of the function that makes it."""
    given = [(role, node) for name, role in LAYERS.get(call.api, ()) for node in _each(call.given(name))]
    return tuple(
        Slot(call, role, node, found) for role, node in given for found in numbers(call.program.inputs, node, scope)
    )


def width_given(call: Call) -> Optional[ast.expr]:
    """Return the expression of the width that a layer gives out; None without one."""
    return next((_last(call.given(name)) for name, role in LAYERS.get(call.api, ()) if role == OUT), None)


def are_made(call: ast.Call) -> bool:
    """Return whether the operands of the call may be created in it, with literal shapes."""
    return len(call.args) > 1 and isinstance(call.args[0], ast.Call)


def _each(node: Optional[ast.expr]) -> list[ast.expr]:
    """Return the axes of a normalised shape; an expression itself."""
    return node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node] if node is not None else []


def _last(node: Optional[ast.expr]) -> Optional[ast.expr]:
    """Return the last axis of a normalised shape; an expression itself."""
    return node.elts[-1] if isinstance(node, (ast.Tuple, ast.List)) and node.elts else node


# --- weights of products


def weight(call: Call) -> tuple[Slot, ...]:
    """Return the two widths of a `Parameter` of literal shape."""
    given = call.given("default_input")
    shape = literal_shape(call.program, given, call.scope) if given is not None else None
    if shape is None or len(shape) != 2:
        return ()
    found = [number(call.program.inputs, node, where) for node, where in shape]
    if found[0] is None or found[1] is None:
        return ()
    return Slot(call, IN, shape[0][0], found[0]), Slot(call, OUT, shape[1][0], found[1])


def transposes(program: Program, known: Alternative) -> bool:
    """Return whether a product may transpose its right operand."""
    made = call_of(program, known)
    return made is not None and made.argument("transpose_b").may_be(True)


def literal_shape(program: Program, node: ast.expr, scope: Scope) -> Optional[list[tuple[ast.expr, Scope]]]:
    """Return the axes of a tensor that is created with a literal shape: `ops.ones((64, 100))`; None for others."""
    if not isinstance(node, ast.Call):
        return None
    if not any(
        True
        for each in ast.walk(node)
        if isinstance(each, (ast.Tuple, ast.List)) or (isinstance(each, ast.Call) and word_of(each.func) in _MADE)
    ):
        return None  # cheaper than its value
    names = {known.type_api for known in program.value(node, scope).alternatives}
    word = word_of(node.func)
    shape: Optional[ast.expr] = None
    if names & {"mindspore.common.initializer.initializer"}:
        given = Signature.named("init", "shape").bind(Layer(node, scope)).of("shape").part
        shape = given.node if given is not None else None
    elif names & {"mindspore.Tensor"} and node.args:
        return literal_shape(program, node.args[0], scope)
    elif word in ("astype", "to") and isinstance(node.func, ast.Attribute):
        return literal_shape(program, node.func.value, scope)
    elif word in _MADE:
        shape = next((k.value for k in node.keywords if k.arg in ("shape", "size")), None)
        tuples = [arg for arg in node.args if isinstance(arg, (ast.Tuple, ast.List))]
        shape = shape or (tuples[0] if tuples else None)
        if shape is None and word in _RANDOM and len(node.args) >= 2:
            return [(arg, scope) for arg in node.args]
        if shape is None and node.args and number(program.inputs, node.args[0], scope) is not None:
            return [(node.args[0], scope)]
    return [(axis, scope) for axis in shape.elts] if isinstance(shape, (ast.Tuple, ast.List)) else None


def inner_axes(call: Call) -> tuple[Number, ...]:
    """Return the axis over which a product sums, of both operands, if their shapes are literal."""
    operands = call.node.args[:2]
    if len(operands) != 2 or not all(isinstance(operand, ast.Call) for operand in operands):
        return ()
    shapes = [literal_shape(call.program, operand, call.scope) for operand in operands]
    if any(shape is None or len(shape) < 2 for shape in shapes):
        return ()
    left, right = (shape or [] for shape in shapes)
    found = [number(call.program.inputs, *left[-1]), number(call.program.inputs, *right[-2])]
    numbers = tuple(each for each in found if each is not None)
    return numbers if len(numbers) == 2 and numbers[0].value == numbers[1].value else ()


def outer_axis(call: Call) -> Optional[Number]:
    """Return the last axis of the result of Tile or Div of tensors with literal shapes; None for others."""
    if len(call.node.args) != 2:
        return None
    first, second = call.node.args
    shapes = [literal_shape(call.program, first, call.scope)]
    if call.api.lower().rpartition(".")[2].startswith("tile"):
        last = second.elts[-1] if isinstance(second, (ast.Tuple, ast.List)) and second.elts else None
        if not isinstance(last, ast.Constant) or last.value != 1:
            return None
    else:
        shapes.append(literal_shape(call.program, second, call.scope))
    axes = [number(call.program.inputs, *shape[-1]) if shape else None for shape in shapes]
    found = axes[0]
    if found is None or any(axis is None or axis.value != found.value for axis in axes):
        return None
    return found
