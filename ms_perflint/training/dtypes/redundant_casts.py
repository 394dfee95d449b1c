"""Casts that change nothing: of a value that has the dtype, behind its creation, or there and back."""

from __future__ import annotations

import ast
from typing import NamedTuple, Optional

from ms_perflint.index.execution_order import root_name
from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import receiver_name
from ms_perflint.index.syntax_forms import position, targets, word_of
from ms_perflint.infer.queries import query
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.casts import Cast, by_method, read_cast
from ms_perflint.training.dtypes.creations import Creation, creation, only_value
from ms_perflint.training.dtypes.dtype import Dtype
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.dtypes.graph_scopes import compiled_scopes
from ms_perflint.training.dtypes.host_values import compares_arrays


class Redundant(NamedTuple):
    """A cast that changes nothing, with one of the reasons."""

    cast: Cast
    dtype: Dtype  # to which it casts
    same: Optional[Dtype] = None  # the value has it already
    is_compared: bool = False  # a comparison gives bool already
    made: Optional[Creation] = None  # the value is made on the spot, and could be made in the dtype
    first: Optional[Cast] = None  # the cast that was made before, and is undone


class RedundantCasts:
    """The casts in one program that change nothing."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._dtypes = Dtypes(program)

    def find(self, call: Call) -> Optional[Redundant]:
        """Return the redundant cast that a call is; None for other calls, and where it runs before training."""
        function = call.scope.owner
        if not function.is_function or function.name == "__init__":
            return None
        form = by_method(self._dtypes, call.node, call.scope)
        if form is not None and self._redundant(form, call.scope) is None:
            return None  # whatever it is a method of, which takes longer to tell
        cast = read_cast(self._dtypes, call.node, call.scope)
        return self._redundant(cast, call.scope) if cast is not None else None

    def _redundant(self, cast: Cast, scope: Scope) -> Optional[Redundant]:
        if cast.dtype is None:
            return None
        if self._has_dtype(cast, scope):
            return Redundant(cast, cast.dtype, same=self._dtypes.of(cast.value, scope))
        if self._compares(cast, scope):
            return Redundant(cast, cast.dtype, is_compared=True)
        if (made := self._creation(cast, scope)) is not None:
            return Redundant(cast, cast.dtype, made=made)
        first = widening(self._dtypes, cast, scope)
        return Redundant(cast, cast.dtype, first=first) if first is not None else None

    def _has_dtype(self, cast: Cast, scope: Scope) -> bool:
        """Return whether a value has the dtype of a cast; not a value that is created in place and once."""
        if self._dtypes.of(cast.value, scope) != cast.dtype:
            return False
        made = isinstance(cast.value, ast.Call) and self._dtypes.operator(cast.value, scope)[0] in tensor_ops.CREATIONS
        return not made or self._runs_each_step(scope)

    def _compares(self, cast: Cast, scope: Scope) -> bool:
        """Return whether an operator, which takes only tensors, casts a comparison of arrays to bool."""
        if cast.dtype is None or cast.dtype.name != "bool_":
            return False
        is_method = isinstance(cast.node.func, ast.Attribute) and cast.node.func.value is cast.value
        value = scope.sole(cast.value) if isinstance(cast.value, ast.Name) else cast.value
        return not is_method and self._runs_each_step(scope) and compares_arrays(self.program, value, scope)

    def _creation(self, cast: Cast, scope: Scope) -> Optional[Creation]:
        """Return the creation in a cast, in code that runs in every step; None without one."""
        if cast.dtype is None or not isinstance(cast.value, (ast.Call, ast.Name)):
            return None
        if not cast.dtype.name and not _is_of_tensor(cast, cast.dtype):
            return None
        return creation(self._dtypes, cast.value, scope, cast.dtype) if self._runs_each_step(scope) else None

    def _runs_each_step(self, scope: Scope) -> bool:
        return scope.owner in compiled_scopes(self.program, scope.module)


def _is_of_tensor(cast: Cast, dtype: Dtype) -> bool:
    """Return whether the result of a creation is cast on the spot to the dtype of a tensor: `ops.ones(4).to(x.dtype)`.

    Behind a name, that tensor may be another one than where the creation stands.
    """
    target = cast.target
    is_read = isinstance(target, ast.Attribute) and target.attr == "dtype" and isinstance(target.value, ast.Name)
    return is_read and dtype.certain and isinstance(cast.value, ast.Call)


# --- there and back


def widening(dtypes: Dtypes, back: Cast, scope: Scope) -> Optional[Cast]:
    """Return the cast to a wider float that `back` undoes; None without one, or where the wide value has other uses."""
    node = back.value
    names: list[ast.Name] = []
    if back.dtype is None or not back.dtype.is_float:
        return None
    while True:
        if isinstance(node, ast.Name):
            value = scope.sole(node) if node not in names else None
            if value is None:
                return None
            names.append(node)
            node = value
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call):
            cast = read_cast(dtypes, node, scope)
            if cast is not None:
                is_alone = _widens(dtypes, cast, back, scope) and all(only_value(name, scope) for name in names)
                return cast if is_alone else None
            word, first = dtypes.operator(node, scope)
            if word not in tensor_ops.MOVES or first is None:
                return None
            node = first
        else:
            return None


def _widens(dtypes: Dtypes, cast: Cast, back: Cast, scope: Scope) -> bool:
    before = dtypes.of(cast.value, scope)
    if before is None or cast.dtype is None or before != back.dtype:
        return False
    return (before.name, cast.dtype.name) in tensor_ops.WIDER


def is_changed_in_place(call: Call, first: Cast) -> bool:
    """Return whether the result of a cast, or the value in place of it, is changed in place behind `first`.

    `first`: the cast itself, or the one that it undoes.
    """
    value = first.value
    if not isinstance(value, (ast.Name, ast.Subscript, ast.Attribute)):
        return False  # something new, that nothing else holds
    if _is_consumed(call):
        return False
    roots = {root_name(node) for node in (value, *targets(call.stmt))}
    made = call.module.site_at(first.node) or call
    again = {id(node) for loop in made.block.loops for node in ast.walk(loop)}
    owner = call.scope.owner
    kept = {receiver_name(owner)} | (roots - set(owner.bindings))  # what the next call of the function finds again
    for root, node in _changes(call.program, owner):
        is_behind = node is None or position(node)[2:] > position(made.stmt)[:2]
        if root in roots and (is_behind or root in kept or id(node) in again):
            return True
    return False


def _is_consumed(call: Call) -> bool:
    """Return whether an operator computes another value from the result of a cast, which has no name."""
    outer = next((each for each in ast.walk(call.stmt) if call.node in ast.iter_child_nodes(each)), None)
    if isinstance(outer, (ast.BinOp, ast.Compare, ast.UnaryOp)):
        return True
    if not isinstance(outer, ast.Call):
        return False
    known = call.program.value(outer.func, call.scope).alternatives
    words = {tensor_ops.known_word(each.api or each.type_api) for each in known}
    return bool(words) and words.isdisjoint({"", *tensor_ops.KEEP})


@query
def _changes(program: Program, function: Scope) -> tuple[tuple[str, Optional[ast.AST]], ...]:
    """Return the names of the values that a function changes in place, with the node; None in inner functions."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    inner = [node for node in ast.walk(function.node) if isinstance(node, functions) and node is not function.node]
    apart = {id(node) for each in inner for node in ast.walk(each)}
    found = ((_changed(node), node) for node in ast.walk(function.node))
    return tuple((root, None if id(node) in apart else node) for root, node in found if root)


def _changed(node: ast.AST) -> str:
    """Return the name of the value that a node changes in place; "" without one."""
    if isinstance(node, ast.AugAssign):
        return root_name(node.target)
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return root_name(node)
    if isinstance(node, ast.Call):
        func, word = node.func, word_of(node.func)
        is_in_place = word.endswith("_") and not word.startswith("_") and not word.endswith("__")  # `x.add_(y)`
        if isinstance(func, ast.Attribute) and (is_in_place or word in ("assign_value", "set_data", "itemset")):
            return root_name(func.value)
        if word.lower().startswith(("assign", "scatter")) and node.args:
            return root_name(node.args[0])
    return ""
