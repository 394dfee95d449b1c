"""What functions and methods of MindSpore give."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Scope
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import TOP, Alternative, Api, Instance, Value, join
from ms_perflint.libraries.python import passed_on, unknown

ROWS = frozenset({"mindspore.nn.CellList", "mindspore.nn.SequentialCell"})
# packages of arrays, images and tables, which hold no settings, whatever file they are made of
DATA = ("numpy.", "cv2.", "PIL.", "imageio.", "skimage.", "scipy.", "pandas.", "nibabel.", "librosa.", "soundfile.")


def _returned(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return what a method gives; what a function gives is told by the name of the function, which says more."""
    owner = api.name.rpartition(".")[0].rpartition(".")[2]
    kind = mindspore_api.returned(api.name) if api.receiver is not None or owner[:1].isupper() else ""
    if kind == "self":
        return Value((api.receiver,)) if api.receiver is not None else None
    return evaluator.known(Instance(Api(kind, api.receiver), node, scope), node, scope) if kind else None


def _in_row(evaluator: Evaluator, row: Alternative, key: object) -> Value:
    """Return an element of a row of cells: any of them."""
    return Value(*evaluator.elements(Value((row,))))


def _in_dict(evaluator: Evaluator, cells: Alternative, key: object) -> Value:
    """Return what stands under a key in a dict of cells, as in what it is made of."""
    made = cells.creation
    given = evaluator.value(made.call.args[0], made.scope) if made is not None and made.call.args else TOP
    return join([*(evaluator.item(known, key) for known in given.alternatives), *evaluator.rest(given)])


MODEL = Library(
    calls={
        "mindspore.": (_returned,),
        **dict.fromkeys(
            ("mindspore.jit", "mindspore.ms_function", "mindspore.common.api.jit", "mindspore.data_sink"), (passed_on,)
        ),
        "mindspore.get_context": (unknown,),
    },
    items={**dict.fromkeys(ROWS, _in_row), "mindspore.nn.CellDict": _in_dict},
    rows=ROWS,
    closed=("mindspore.", *DATA),
)
