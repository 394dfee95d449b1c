"""The calls that create a tensor, and whether they could create it in another dtype."""

from __future__ import annotations

import ast
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import only_target, whole_number, word_of
from ms_perflint.infer.values import NO_CONSTANT
from ms_perflint.program.call_site import Call
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.dtype import Dtype
from ms_perflint.training.dtypes.dtypes import Dtypes

_FILLED = frozenset({"zeros", "ones", "eye"})  # 0 and 1 are the same in every dtype
_NOT_BFLOAT16 = frozenset({"eye", "full"})  # on a CPU; those of `mindspore.numpy` on no device (run on 2.10)
_DATA = {"full": 1, "Tensor": 0, "scalar_to_tensor": 0, "initializer": 0}  # the slot of what it is filled with
_INITIAL = {"zeros": 0, "ones": 1}  # what `initializer` calls them


class Creation(NamedTuple):
    """A call that creates a tensor, and could do so in the dtype of a cast."""

    call: Call
    parameter: str  # which takes the dtype
    dtype: Optional[Dtype]  # which it is made in now
    exact: bool  # every value is the same bit for bit


def creation(dtypes: Dtypes, node: ast.expr, scope: Scope, wanted: Dtype) -> Optional[Creation]:
    """Return the creation of an expression or name, if it could make the same values in a dtype; None if none."""
    made = scope.sole(node) if isinstance(node, ast.Name) else node
    if not isinstance(made, ast.Call) or word_of(made.func) in tensor_ops.ARRAYS:
        return None
    site = scope.module.site_at(made)
    if site is None:
        return None
    found = _call(dtypes, site)
    if found is None or (isinstance(node, ast.Name) and only_value(node, scope) is None):
        return None
    call, word = found
    names = {parameter.name for parameter in call.parameters}
    parameter = next((name for name in tensor_ops.DTYPE_PARAMETERS if name in names), "")
    if not parameter or call.is_spread:
        return None
    dtype = dtypes.of(made, scope)
    exact = _exact(word, call, dtypes, dtype, wanted)
    return Creation(call, parameter, dtype, exact) if exact is not None else None


def _call(dtypes: Dtypes, site: Site) -> Optional[tuple[Call, str]]:
    """Return the call of a creation and its word; None for other calls."""
    apis = dtypes.program.apis(site)
    word = tensor_ops.known_word(apis[0]) if len(apis) == 1 else ""
    known = word in _FILLED or word in _DATA or word == "arange"
    return (Call(site, dtypes.program, apis[0]), word) if known else None


def _exact(word: str, call: Call, dtypes: Dtypes, made: Optional[Dtype], wanted: Dtype) -> Optional[bool]:
    """Return whether values are the same in a dtype: True bit for bit, False but for rounding, None if not known."""
    given = next((given for name in tensor_ops.DTYPE_PARAMETERS if (given := call.given(name)) is not None), None)
    if given is not None and (made is None or not (made.name or "type" in made.spelling)):
        return None  # no dtype, as the second size in `ones(2, 3)` of other libraries
    if wanted.name in ("", "bfloat16") and (word in _NOT_BFLOAT16 or call.api.startswith("mindspore.numpy.")):
        return None
    if word in _FILLED:
        return True
    if not wanted.name:
        return None  # whole or not, which decides for other values
    if word == "arange":
        return _arange(call, wanted)
    if given is None and word == "full":
        return None
    names = [p.name for p in call.parameters]
    data = call.given(names[_DATA[word]])
    values = _constants(data, dtypes, call.scope) if data is not None else None
    if made is not None and made.is_float and wanted.is_float:
        return values is not None and all(_is_half(value) for value in values)
    if values is None:
        return None
    whole = all(type(value) is int for value in values)
    if whole:
        return True if wanted.is_number and (made is None or made.is_number) else None
    return all(_is_half(value) for value in values) if made is None and wanted.is_float else None


def _arange(call: Call, wanted: Dtype) -> Optional[bool]:
    """Return True where the steps of a range are whole; None for others.

    Whole steps are the same in every dtype of numbers (tried on mindspore 2.7 and 2.10, float16 above 2048 too).
    """
    if not wanted.is_number:
        return None
    arguments = [
        *call.node.args,
        *(word.value for word in call.node.keywords if word.arg not in tensor_ops.DTYPE_PARAMETERS),
    ]
    given = call.given("dtype")
    for argument in arguments:
        if argument is given:
            continue
        for part in ast.walk(argument):
            broken = isinstance(part, ast.Constant) and isinstance(part.value, float)
            if broken or (isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div)):
                return None
    step = call.given("step")
    return None if step is not None and whole_number(step) is None else True


def _constants(node: ast.expr, dtypes: Dtypes, scope: Scope) -> Optional[list[object]]:
    """Return the numbers of a display, or of an expression; None where they are not known."""
    if isinstance(node, (ast.List, ast.Tuple)):
        parts = [_constants(element, dtypes, scope) for element in node.elts]
        return None if None in parts else [value for part in parts if part is not None for value in part]
    value = dtypes.program.value(node, scope)
    constants = [_INITIAL.get(known.constant, known.constant) for known in value.alternatives]  # type: ignore[call-overload]
    if value.open or value.overridable or len(constants) != 1 or constants[0] is NO_CONSTANT:
        return None
    return constants if type(constants[0]) in (int, float) else None


def _is_half(value: object) -> bool:
    """Return whether float16 holds a number without rounding."""
    if not isinstance(value, (int, float)):
        return False
    import struct  # here, because few casts are of numbers

    try:
        return bool(struct.unpack("<e", struct.pack("<e", value))[0] == value)
    except (OverflowError, struct.error):
        return False


def only_value(node: ast.Name, scope: Scope) -> Optional[ast.expr]:
    """Return the only value of a name that is read only once; None for others."""
    only = scope.only(node) if scope.sole(node) is not None else None
    if only is None or only_target(only.stmt) is None:
        return None
    flow = only.scope.flow  # also of inner functions
    reads = [each for each in flow.reads(only.name) if not isinstance(each.ctx, ast.Load) or only in flow.at(each)]
    return only.value if reads == [node] else None
