"""What functions and methods of MindSpore give."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Optional

from ms_perflint.libraries.python import passed_on, unknown
from ms_perflint.semantics.evaluator import Library
from ms_perflint.semantics.module import Scope
from ms_perflint.semantics.values import Api, Instance, Value

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluator import Evaluator


# Methods of a Cell or Primitive that return itself
# (mindspore 2.10 nn/cell.py: to_float, set_train, ...; ops/primitive.py: shard, ...)
FLUENT = (
    "to_float", "set_train", "shard", "add_prim_attr", "set_grad", "add_flags", "add_flags_recursive",
    "update_parameters_name", "set_comm_fusion", "to", "set_boost",
)  # fmt: skip
# Methods that give a thing of another type than their own name: last word -> type
RETURNS: Mapping[str, str] = {"convert_to_thor_model": "mindspore.train.Model"}


def _itself(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    return Value((api.receiver,)) if api.receiver is not None and api.name.startswith("mindspore.") else None


def _another(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    word = api.name.rpartition(".")[2]
    is_own = api.name.startswith("mindspore.")
    return evaluator.known(Instance(Api(RETURNS[word]), node, scope), node, scope) if is_own else None


LIBRARY = Library(
    calls={
        **dict.fromkeys((f".{name}" for name in FLUENT), (_itself,)),
        **dict.fromkeys((f".{name}" for name in RETURNS), (_another,)),
        **dict.fromkeys(
            ("mindspore.jit", "mindspore.ms_function", "mindspore.common.api.jit", "mindspore.data_sink"), (passed_on,)
        ),
        "mindspore.get_context": (unknown,),
    },
    closed=("mindspore.", "numpy."),
)
