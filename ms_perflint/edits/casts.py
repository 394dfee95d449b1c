"""Removal of casts, and creation of tensors in the dtype to which they are cast."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Optional

from ms_perflint.core.findings import Edit, Related, Remedy, Safety
from ms_perflint.edits.arguments import set_argument
from ms_perflint.edits.expressions import unwrap
from ms_perflint.edits.imports import name_in
from ms_perflint.edits.statements import delete_statement
from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import receiver_name
from ms_perflint.index.syntax_forms import only_target, word_of
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes.casts import Cast
from ms_perflint.training.dtypes.creations import Creation
from ms_perflint.training.dtypes.dtype import Dtype
from ms_perflint.training.dtypes.redundant_casts import Redundant, is_changed_in_place

DROP, BOTH = Message("drop the cast"), Message("drop both casts")
OVERLOADED = Message("a class that overloads the comparison may give another dtype")
ALIASED = Message("the value is changed in place later, which may then reach another name")


def drop_cast(call: Call, found: Redundant, line_length: int) -> Remedy:
    """Return the remedy that removes a cast."""
    cast, first = found.cast, found.first
    if found.made is not None:
        return _made_in_dtype(call, found, found.made, line_length)
    if found.is_compared:
        return Remedy(_without(call, [cast]), DROP, Safety.UNSAFE, OVERLOADED)
    risky = is_changed_in_place(call, first or cast)
    safety, reason = Safety.UNSAFE if risky else Safety.SAFE, ALIASED if risky else None
    if first is not None and first.dtype is not None:
        here = Message("it is cast to {dtype} here", dtype=first.dtype.name)
        there = Related(call.module.place(first.node), here)
        return Remedy(_without(call, [cast, first]), BOTH, safety, reason, (there,))
    related = _decided(call, found.same) if found.same is not None else ()
    return Remedy(_without(call, [cast]), DROP, safety, reason, related)


def _made_in_dtype(call: Call, found: Redundant, made: Creation, line_length: int) -> Remedy:
    """Return the remedy that creates a tensor in the dtype to which it is cast."""
    spelling, imports = _spelling(call, found, line_length)
    edits = _without(call, [found.cast])
    room = sum(one.end - one.start for one in edits or ())  # the width left on the line without the cast
    given = set_argument(made.call, made.parameter, spelling, line_length=line_length + room)
    fix = (*imports, *given, *edits) if given is not None and edits is not None else None
    safety = Safety.SAFE if made.exact else Safety.UNSAFE
    reason = None if made.exact else Message("values are rounded once, not twice")
    return Remedy(fix, Message("make it in that dtype"), safety, reason)


def _spelling(call: Call, found: Redundant, line_length: int) -> tuple[str, tuple[Edit, ...]]:
    """Return the spelling of a cast's dtype as one of MindSpore's, and the edits that import it."""
    target = found.cast.target
    if isinstance(target, (ast.Name, ast.Attribute)):
        names = [known.api for known in call.program.value(target, call.scope).alternatives]
        if not any(name.startswith(("numpy.", "builtins.")) for name in names):
            return call.module.text(target), ()
    return name_in(call.program, call.scope, f"mindspore.{found.dtype.name}", line_length)


def _without(call: Call, casts: Sequence[Cast]) -> Optional[tuple[Edit, ...]]:
    """Return the edits that remove casts: `x = cast(x, t)` as a whole; others are replaced by their value."""
    edits: list[Edit] = []
    for cast in casts:
        site = call.module.site_at(cast.node)
        assert site is not None
        if _only_casts(site.stmt, cast):
            found = delete_statement(call.module, site.stmt)
        else:
            found = unwrap(call.module, cast.node, cast.value)
        if found is None:
            return None
        edits.extend(found)
    unused = _unused_definition(call.program, call.scope, [cast.node.func for cast in casts])
    return (*edits, *((delete_statement(call.module, unused) or ()) if unused is not None else ()))


def _only_casts(stmt: ast.stmt, cast: Cast) -> bool:
    """Return whether a statement is `x = cast(x, t)`, or `cast(x, t)` alone."""
    if isinstance(stmt, ast.Expr) and stmt.value is cast.node:
        return isinstance(cast.value, (ast.Name, ast.Attribute))  # its result is not used
    target, value = only_target(stmt), cast.value
    is_given = getattr(stmt, "value", None) is cast.node
    return is_given and isinstance(target, ast.Name) and isinstance(value, ast.Name) and target.id == value.id


def _decided(call: Call, dtype: Dtype) -> tuple[Related, ...]:
    """Return the place that decides the dtype, if it is elsewhere."""
    module, node = dtype.where
    place, own = module.place(node), call.place
    if (place.path, place.row) == (own.path, own.row):
        return ()
    return (Related(place, Message("its dtype is decided here")),)


def _unused_definition(program: Program, scope: Scope, gone: Sequence[ast.expr]) -> Optional[ast.stmt]:
    """Return the `self.x = ...` in `__init__` that is unused once the expressions `gone`, all `self.x`, are removed.

    Other files that mention both the class and the attribute may read it, such as a subclass.
    """
    cls, own = scope.owner.parent, receiver_name(scope)
    names = {node.attr for node in gone if isinstance(node, ast.Attribute) and word_of(node.value) == own}
    if cls is None or not own or len(names) != 1 or len(gone) != sum(isinstance(n, ast.Attribute) for n in gone):
        return None
    name = names.pop()
    stored = cls.attributes.get(name, [])
    if len(stored) != 1 or only_target(stored[0].stmt) is not stored[0].node:
        return None
    read = {id(node) for node in ast.walk(scope.module.tree) if _reads(node, name)}
    if read != {id(node) for node in gone} or stored[0].block.scope.name != "__init__":
        return None
    return None if _elsewhere(program, scope.module.path, cls.name, name) else stored[0].stmt  # type: ignore[return-value]


def _reads(node: ast.AST, name: str) -> bool:
    """Return whether a node reads an attribute of that name, or names it in a string."""
    if isinstance(node, ast.Attribute):
        return node.attr == name and isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Constant) and node.value == name


def _elsewhere(program: Program, path: str, cls: str, name: str) -> bool:
    """Return whether another file of the programs that hold this one mentions both the class and the attribute."""
    project = program.project
    files = {file for entry in project.programs(path) for file in project.closure(entry)}
    return any(file != path and project.contains(file, cls) and project.contains(file, name) for file in files)
