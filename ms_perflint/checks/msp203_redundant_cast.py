"""MSP203: a cast that changes nothing. Checked bit for bit, forward and gradients, on mindspore 2.0, 2.7 and 2.10."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Optional

from ms_perflint import edits as edit
from ms_perflint.check import Check
from ms_perflint.core.findings import Edit, Gain, Related, Safety
from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.arrays import compares_arrays
from ms_perflint.training.dtypes.bindings import sole_value
from ms_perflint.training.dtypes.casts import FUNCTIONS, Cast, by_method, read_cast
from ms_perflint.training.dtypes.creations import Creation, compiled_scopes, creation, may_run_each_step
from ms_perflint.training.dtypes.dtype import Dtype
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.dtypes.round_trips import is_changed_in_place, widening

if TYPE_CHECKING:
    import libcst as cst

COMPARED = Message("a comparison is bool_ already: the cast changes nothing")


class RedundantCast(Check):
    """A tensor is cast to the dtype it already has, or to another dtype and back."""

    code = "MSP203"
    name = "redundant-cast"
    safety = Safety.SAFE
    symptom = "casts"
    gain = Gain("small", Message("one or two passes over a tensor less"))
    triggers = (*FUNCTIONS, *(f".{method}" for method in tensor_ops.CAST_METHODS))
    looks_inside = False
    per_program = False

    def __init__(self, program: Program, options: Optional[Mapping[str, object]] = None, line_length: int = 88) -> None:
        super().__init__(program, options, line_length)
        self._dtypes = Dtypes(program)
        self._compiled: dict[str, set[Scope]] = {}

    def suspect(self, call: Call) -> bool:
        """By meaning: the value has the dtype already, is made on the spot, or was widened from it."""
        form = by_method(self._dtypes, call.node, call.scope) if _runs_often(call) else None
        if form is not None and (form.dtype is None or not self._changes_nothing(form, call.scope)):
            return False  # whatever it is a method of, which takes longer to tell
        cast = self._cast(call)
        return cast is not None and self._changes_nothing(cast, call.scope)

    def _changes_nothing(self, cast: Cast, scope: Scope) -> bool:
        return (
            self._has_dtype(cast, scope)
            or self._compares(cast, scope)
            or self._creation(cast, scope) is not None
            or widening(self._dtypes, cast, scope) is not None
        )

    def visit_Call(self, node: cst.Call) -> None:
        """By form: which of the three it is, and how it is mended."""
        call = self.call(node)
        cast = self._cast(call) if call is not None else None
        if call is None or cast is None or cast.dtype is None:
            return
        first = widening(self._dtypes, cast, call.scope)
        made = self._creation(cast, call.scope)
        if self._has_dtype(cast, call.scope):
            self._needless(node, call, cast)
        elif self._compares(cast, call.scope):
            reason = Message("a class that overloads the comparison may give another dtype")
            self.report(node, COMPARED, self._without(call, [cast]), safety=Safety.UNSAFE, reason=reason)
        elif made is not None:
            self._late(node, call, cast, made)
        elif first is not None:
            self._back(node, call, cast, first)

    def _cast(self, call: Call) -> Optional[Cast]:
        """Return the cast that a call is, with its dtype; None where it runs once, before training."""
        if not _runs_often(call):
            return None
        cast = read_cast(self._dtypes, call.node, call.scope)
        return cast if cast is not None and cast.dtype is not None else None

    def _has_dtype(self, cast: Cast, scope: Scope) -> bool:
        """Return whether a value has the dtype it is cast to; not of one that is made on the spot, and once."""
        if self._dtypes.of(cast.value, scope) != cast.dtype:
            return False
        made = isinstance(cast.value, ast.Call) and self._dtypes.operator(cast.value, scope)[0] in tensor_ops.CREATIONS
        return not made or scope.owner in self._each_step(scope.module)

    def _compares(self, cast: Cast, scope: Scope) -> bool:
        """Return whether a comparison of arrays is cast to bool by an operator, which takes nothing but tensors."""
        if cast.dtype is None or cast.dtype.name != "bool_":
            return False
        is_method = isinstance(cast.node.func, ast.Attribute) and cast.node.func.value is cast.value
        value = sole_value(cast.value, scope) if isinstance(cast.value, ast.Name) else cast.value
        in_step = not is_method and scope.owner in self._each_step(scope.module)
        return in_step and compares_arrays(self.program, value, scope)

    def _creation(self, cast: Cast, scope: Scope) -> Optional[Creation]:
        """Return the creation right inside of a cast, in code that runs in every step."""
        if cast.dtype is None or not cast.dtype.name or not isinstance(cast.value, (ast.Call, ast.Name)):
            return None
        if not may_run_each_step(scope.module):
            return None
        made = creation(self._dtypes, cast.value, scope, cast.dtype)
        return made if made is not None and scope.owner in self._each_step(scope.module) else None

    def _each_step(self, module: SemanticIndex) -> set[Scope]:
        """Return the functions of a file that run in every step."""
        if module.path not in self._compiled:
            self._compiled[module.path] = compiled_scopes(self._dtypes, module.scope)
        return self._compiled[module.path]

    def _needless(self, node: cst.Call, call: Call, cast: Cast) -> None:
        """The value has that dtype on all paths."""
        dtype = self._dtypes.of(cast.value, call.scope)
        assert dtype is not None
        if dtype.name:
            message = Message(
                "this value is {dtype} already: the cast changes nothing, and is one more operator to "
                "launch or compile",
                dtype=dtype.name,
            )
        else:
            message = Message(
                "this value has the dtype `{dtype}` already: the cast changes nothing, and is one more operator to "
                "launch or compile",
                dtype=dtype.spelling,
            )
        risky = is_changed_in_place(call, cast.value)
        edits = self._without(call, [cast])
        safety, reason = _grade(risky)
        advice, related = Message("drop the cast"), _decided(call, dtype)
        self.report(node, message, edits, advice=advice, safety=safety, reason=reason, related=related)

    def _late(self, node: cst.Call, call: Call, cast: Cast, made: Creation) -> None:
        """A tensor is made in one dtype and cast to another at once."""
        assert cast.dtype is not None
        wanted = cast.dtype.name
        if made.dtype is not None and made.dtype.name:
            message = Message(
                "this tensor is made in {first} and then cast to {wanted}, an operator that copies it: "
                "make it in {wanted}",
                first=made.dtype.name,
                wanted=wanted,
            )
        else:
            message = Message(
                "this tensor is made and then cast to {wanted}, an operator that copies it: make it in {wanted}",
                wanted=wanted,
            )
        spelling, imports = self._spelling(call.module, cast, call.scope)
        edits = self._without(call, [cast])
        room = sum(one.end - one.start for one in edits or ())  # that the cast leaves on the line
        given = edit.set_argument(made.call, made.parameter, spelling, line_length=self.line_length + room)
        fix = (*imports, *given, *edits) if given is not None and edits is not None else None
        safety = Safety.SAFE if made.exact else Safety.UNSAFE
        reason = None if made.exact else Message("values are rounded once, not twice")
        self.report(node, message, fix, advice=Message("make it in that dtype"), safety=safety, reason=reason)

    def _back(self, node: cst.Call, call: Call, cast: Cast, first: Cast) -> None:
        """A value is widened, moved about, and narrowed again."""
        assert cast.dtype is not None and first.dtype is not None
        there, back = first.dtype.name, cast.dtype.name
        message = Message(
            "this value is cast to {there} and back to {back} around operators that only move data: "
            "two casts, and twice the memory to move, for nothing",
            there=there,
            back=back,
        )
        place = call.module.source.place(call.module.span(first.node)[0])
        related = [Related(place, Message("it is cast to {dtype} here", dtype=there))]
        safety, reason = _grade(is_changed_in_place(call, first.value))
        edits, advice = self._without(call, [cast, first]), Message("drop both casts")
        self.report(node, message, edits, advice=advice, safety=safety, reason=reason, related=related)

    def _spelling(self, module: SemanticIndex, cast: Cast, scope: Scope) -> tuple[str, tuple[Edit, ...]]:
        """Return how to write the dtype of a cast as one of MindSpore's, and the edits that import it."""
        assert cast.dtype is not None
        if isinstance(cast.target, (ast.Name, ast.Attribute)):
            names = [known.api for known in self.program.value(cast.target, scope).alternatives]
            if not any(name.startswith(("numpy.", "builtins.")) for name in names):
                return module.text(cast.target), ()
        return edit.import_name(
            module, f"mindspore.{cast.dtype.name}", version=self.target.version, line_length=self.line_length
        )

    def _without(self, call: Call, casts: Sequence[Cast]) -> Optional[tuple[Edit, ...]]:
        """Return the edits that take casts away: `x = cast(x, t)` as a whole, of others all but the value."""
        from ms_perflint.training.dtypes.attributes import (
            unused_definition,  # here, because most files have nothing to fix
        )

        edits: list[Edit] = []
        for cast in casts:
            site = call.module.site_at(cast.node)
            assert site is not None
            if _only_casts(site.stmt, cast):
                found = edit.delete_statement(call.module, site.stmt)
            else:
                found = edit.unwrap(call.module, cast.node, cast.value)
            if found is None:
                return None
            edits.extend(found)
        unused = unused_definition(self.program, call.scope, [cast.node.func for cast in casts])
        return (*edits, *((edit.delete_statement(call.module, unused) or ()) if unused is not None else ()))


def _grade(risky: bool) -> tuple[Safety, Optional[Message]]:
    """Return how far a fix may be trusted that leaves out a cast, and why it is not safe."""
    if risky:
        return Safety.UNSAFE, Message("the value is changed in place later, which may then reach another name")
    return Safety.SAFE, None


def _runs_often(call: Call) -> bool:
    """Return whether a call stands in a function that may run more than once."""
    function = call.scope.owner
    return function.is_function and function.name != "__init__"


def _only_casts(stmt: ast.stmt, cast: Cast) -> bool:
    """Return whether a statement is `x = cast(x, t)`."""
    if not isinstance(stmt, ast.Assign) or stmt.value is not cast.node or len(stmt.targets) != 1:
        return False
    target, value = stmt.targets[0], cast.value
    return isinstance(target, ast.Name) and isinstance(value, ast.Name) and target.id == value.id


def _decided(call: Call, dtype: Dtype) -> list[Related]:
    """Return the place that decides the dtype, if it lies elsewhere."""
    module, node = dtype.where
    place = module.source.place(module.span(node)[0])
    own = call.module.source.place(call.span[0])
    if (place.path, place.row) == (own.path, own.row):
        return []
    return [Related(place, Message("its dtype is decided here"))]
