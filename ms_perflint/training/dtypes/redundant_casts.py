"""Casts that change nothing: of a value that has the dtype, behind its creation, or there and back."""

from __future__ import annotations

import ast
from typing import NamedTuple, Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.casts import Cast, by_method, read_cast
from ms_perflint.training.dtypes.creations import Creation, compiled_scopes, creation, may_run_each_step
from ms_perflint.training.dtypes.dtype import Dtype
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.dtypes.host_values import compares_arrays
from ms_perflint.training.dtypes.round_trips import widening


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
        if cast.dtype is None or not cast.dtype.name or not isinstance(cast.value, (ast.Call, ast.Name)):
            return None
        if not may_run_each_step(scope.module):
            return None
        made = creation(self._dtypes, cast.value, scope, cast.dtype)
        return made if made is not None and self._runs_each_step(scope) else None

    def _runs_each_step(self, scope: Scope) -> bool:
        return scope.owner in compiled_scopes(self.program, scope.module)
