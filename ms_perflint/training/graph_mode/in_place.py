"""Tensors that compiled code changes in place: `x += y`, where PyNative makes a new one.

Run on 2.10, CPU (2.7 makes a new one in both modes): what an attribute or a global holds keeps the sum from step to
step; another name of the tensor, also one that a function gives back, a list, tuple, dict or slice that holds it, and
the argument of the caller change too; gradients are wrong where the operator before it needs its own output (`sigmoid`,
`relu`, `exp`), and where two operators have read the tensor before: `x * x`, `q(x)` and `k(x)`. Right are sums on the
output of layers and of rows that end in one, on what an addition or an operator that makes tensors gave, on slices and
columns of a tensor, and on numbers. Lists take no tuple there (`TypeError`), and tuples are made anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint.index.execution_order import happens_before, never_before, place
from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.syntax_forms import children, descendants, given, word_of
from ms_perflint.infer import list_changes, sequences
from ms_perflint.infer.places import APPENDS, UPDATES
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.bases import function_of, is_parameter
from ms_perflint.training.dtypes.tensor_ops import FORMS, NO_TENSOR, PARTS, words
from ms_perflint.training.graph_mode.compiled import steps
from ms_perflint.training.graph_mode.constants import is_constant
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.networks.losses import is_loss_api

_SINCE = (2, 8)
_READS = 2  # operators that read a tensor before it is changed; with one the results are right (run)
# Operators that read their input twice themselves, or give it back
_READ_TWICE = words("gelu leaky_relu LeakyReLU std var identity Identity cosine_similarity")
# Operators that give their input back: `cast` to the same dtype, `Dropout` behind `set_train(False)`
_PASSES = words("cast Cast dropout Dropout")
_FRESH = (ast.List, ast.Tuple, ast.ListComp, ast.Constant, ast.JoinedStr, ast.Compare)
_SUMS = (ast.Add, ast.Sub, ast.Mult, ast.MatMult, ast.FloorDiv, ast.Mod)
_LAYERS = ("Conv", "Dense", "BatchNorm", "LayerNorm", "GroupNorm", "BiasAdd", "MatMul", "BatchMatMul")
_MAKERS = words(
    """zeros ones zeros_like ones_like full full_like Zeros Ones ZerosLike OnesLike add sub mul matmul bmm dense
    bias_add sum mean ReduceSum rand randn uniform normal standard_normal UniformReal StandardNormal
    interpolate gelu silu leaky_relu GELU SiLU LeakyReLU PReLU div abs ReduceMean stack Stack
    concat Concat cat len int float acos ACos cos Cos sin Sin log Log square Square neg Neg erf Erf minimum
    Minimum maximum Maximum clamp clip_by_value cumsum CumSum one_hot OneHot gather Gather where select Select
    masked_fill MaskedFill cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss
    binary_cross_entropy_with_logits
    equal eq not_equal ne greater gt greater_equal ge less lt less_equal le isclose isnan isfinite Equal NotEqual
    Greater GreaterEqual Less LessEqual logical_and logical_or logical_not LogicalAnd LogicalOr LogicalNot
    argmax argmin Argmax Argmin"""
)
_NUMBERS = frozenset({"shape", "ndim"})
_TUPLES = PARTS | {"meshgrid", "tuple"}  # last words of what gives a tuple
_HOPS = 2  # functions of the project that call one another


def in_place(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the augmented assignments of a compiled function that graph mode refuses or may compute in place."""
    for step in steps(program, function):
        stmt = step.stmt
        if not isinstance(stmt, ast.AugAssign):
            continue
        is_list = _is_shown(program, stmt.target, step, ast.List, ast.ListComp)
        if is_list and isinstance(stmt.op, ast.Add) and _may_be_tuple(program, stmt.value, step):
            text = Message("graph mode adds no tuple to a list: add `list(...)` of it")
            yield obstacle(function.module, stmt, "list", text)
        elif program.version < _SINCE or not isinstance(stmt.target, ast.Name):
            continue
        elif (is_list or not isinstance(stmt.value, ast.Tuple)) and not _is_own(program, function, stmt.target):
            name = stmt.target.id
            text = Message("graph mode may change `{name}` in place: write `{name} = {name} ...`", name=name)
            yield obstacle(function.module, stmt, "in place", text)


def _is_shown(program: Program, node: ast.expr, step: Site, *kinds: type[ast.expr]) -> bool:
    """Return whether an expression may be a display of some kinds."""
    shown = (known.shown for known in program.value(node, step.scope).alternatives)
    return any(each is not None and isinstance(each.node, kinds) for each in shown)


def _may_be_tuple(program: Program, node: ast.expr, step: Site) -> bool:
    """Return whether an expression may be a tuple: also what a function gives, `tuple(rows)`, `ops.split(x, 1)`."""
    is_made = isinstance(node, ast.Call) and word_of(node.func) in _TUPLES
    return is_made or _is_shown(program, node, step, ast.Tuple)


def _is_own(program: Program, function: Scope, target: ast.Name, hops: int = _HOPS) -> bool:
    """Return whether a name is a number, or a tensor that no other name and no gradient needs."""
    reaching = function.flow.at(target)
    if not all(_is_made(program, function, each, hops) for each in reaching if each.kind != "augment"):
        return False
    if all(_is_count(program, function, each) for each in function.bindings[target.id]):
        return True
    others = _others(function, target)
    read = [each for each in others if not never_before(place(each, function), place(target, function))]
    parts = [*descendants(function.node)]
    forms = {id(each) for node in parts for each in _of_form(node)}
    kept = {id(each) for node in parts for each in _kept(program, function, node)}
    is_free = len([each for each in read if id(each) not in forms]) < _READS and kept.isdisjoint(map(id, read))
    return is_free and not any(_is_read_later(program, function, each, target) for each in reaching)


def _is_read_later(program: Program, function: Scope, first: Binding, target: ast.Name) -> bool:
    """Return whether a binding adds a tensor to zero, which gives that tensor, and code reads it behind a target."""
    stmt = first.stmt
    if not isinstance(stmt, ast.AugAssign) or not isinstance(stmt.target, ast.Name) or not isinstance(stmt.op, ast.Add):
        return False
    held = stmt.value
    while isinstance(held, ast.Subscript):  # a row
        held = held.value
    is_zero = any(known.constant == 0 for known in program.value(stmt.target, function).alternatives)
    if not is_zero or not isinstance(held, ast.Name):
        return False
    loops = (each.stmt for each in function.flow.at(held) if isinstance(each.stmt, ast.For))
    rows = (part for loop in loops for part in descendants(loop.iter) if isinstance(part, ast.Name))
    is_read = any(_is_read_behind(function, each, target) for each in _others(function, held))
    return is_read or any(
        _is_read_behind(function, each, target) for row in rows for each in (row, *_others(function, row))
    )


def _others(function: Scope, name: ast.Name) -> Iterator[ast.Name]:
    """Yield the other reads of what a name is bound to."""
    same = frozenset(map(id, function.flow.at(name)))
    reads = (each for each in function.flow.reads(name.id) if each is not name)
    yield from (each for each in reads if not same.isdisjoint(map(id, function.flow.at(each))))


def _is_read_behind(function: Scope, read: ast.Name, target: ast.expr) -> bool:
    """Return whether a read may run behind an expression."""
    return not never_before(place(target, function), place(read, function))


def _of_form(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what code reads only the form of: `x.shape`, `len(x)`."""
    if isinstance(node, ast.Attribute) and node.attr in FORMS:
        yield node.value
    elif isinstance(node, ast.Call) and word_of(node.func) in NO_TENSOR | {"len"}:
        yield from given(node)


def _kept(program: Program, function: Scope, node: ast.AST) -> Iterator[ast.expr]:
    """Yield what code keeps under another name, in a container or view, for a gradient, or as what a function gives."""
    todo: list[ast.expr] = []
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        todo += [node.value] if node.value is not None else []
    elif isinstance(node, ast.AugAssign):
        todo += [node.value] if isinstance(node.value, (ast.List, ast.Tuple)) else []
    elif isinstance(node, ast.Subscript) and any(isinstance(each, ast.Slice) for each in ast.walk(node.slice)):
        todo += [node.value]
    elif isinstance(node, ast.Call):
        is_filled = isinstance(node.func, ast.Attribute) and node.func.attr in APPENDS | UPDATES
        known = program.value(node.func, function).alternatives
        todo += given(node) if is_filled or any(_gives_argument(program, each) for each in known) else []
        if any((each.api or each.type_api).rpartition(".")[2] in _READ_TWICE for each in known):
            todo += [*given(node), *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    for each in todo:  # which grows
        if isinstance(each, (ast.IfExp, ast.Starred, ast.Dict, ast.List, ast.Tuple)):
            todo += [part for part in children(each) if isinstance(part, ast.expr)]
    yield from todo


def _is_count(program: Program, function: Scope, binding: Binding) -> bool:
    """Return whether a binding gives a number of Python, or adds one."""
    if binding.kind == "augment":
        return is_constant(program, function, binding.stmt.value)  # type: ignore[attr-defined]
    known = program.evaluator.binding(binding, function)
    return known.are_constants and not known.open


def _gives_argument(program: Program, known: Alternative) -> bool:
    """Return whether a function of the project may return what it gets."""
    body = function_of(program, known)
    if body is None:
        return False
    named = (value for value, _ in body.returns if isinstance(value, ast.Name))
    return any(each.kind == "parameter" for value in named for each in body.flow.at(value))


def _is_made(program: Program, function: Scope, binding: Binding, hops: int) -> bool:
    known = program.evaluator.binding(binding, function)
    if known.are_constants and not known.open:
        return True  # a number
    if isinstance(binding.stmt, ast.Assign) and len(binding.stmt.targets) > 1:
        return False  # `a = b = x * 2`
    value = binding.whole
    if value is None:
        over = binding.stmt.iter if isinstance(binding.stmt, ast.For) else None
        return isinstance(over, ast.Call) and word_of(over.func) == "range"
    return _is_fresh(program, function, value, hops)


def _is_fresh(program: Program, function: Scope, value: ast.expr, hops: int) -> bool:
    """Return whether an expression makes a tensor or number, of which no gradient needs the value."""
    if isinstance(value, ast.BinOp):
        nothing = 1 if isinstance(value.op, ast.Mult) else 0  # `x + 0` is `x` itself
        sides = (each for each in (value.left, value.right) if isinstance(each, ast.Constant))
        return isinstance(value.op, _SUMS) and not any(each.value == nothing for each in sides)
    if isinstance(value, ast.Subscript):  # a row, `x[0]`, may be an element of a list; `x[...]` is `x` itself
        if isinstance(value.slice, (ast.Slice, ast.Tuple)) or word_of(value.value) in _NUMBERS:
            return True
        is_whole = isinstance(value.slice, ast.Constant) and not isinstance(value.slice.value, int)
        return not is_whole and program.value(value.value, function).are_only(is_parameter)
    if isinstance(value, ast.Call):
        known = program.value(value.func, function).alternatives
        names = {each.api or each.type_api for each in known} or {word_of(value.func)}
        if value.args and all(name.rpartition(".")[2] in _PASSES for name in names):
            return _is_passed(program, function, value.args[0], hops)
        return all(_makes(program, each, hops) for each in known) if known else _is_maker(word_of(value.func))
    return isinstance(value, _FRESH)


def _is_passed(program: Program, function: Scope, held: ast.expr, hops: int) -> bool:
    """Return whether an operator that gives its input back gets a tensor that nothing else reads."""
    if not isinstance(held, ast.Name):
        return _is_fresh(program, function, held, hops)
    reaching = function.flow.at(held)
    is_made = hops > 0 and all(_is_made(program, function, each, hops - 1) for each in reaching)
    return is_made and not any(_is_read_behind(function, each, held) for each in _others(function, held))


def _makes(program: Program, known: Alternative, hops: int) -> bool:
    """Return whether a callee gives a tensor of its own."""
    body = function_of(program, known)
    if body is not None:
        return hops > 0 and _gives_fresh(program, body, hops - 1)
    if known.type_api == "mindspore.nn.SequentialCell":
        last = _last_of(program, known)
        return last is not None and hops > 0 and last.are_only(lambda each: _makes(program, each, hops - 1))
    return _is_maker(known.api or known.type_api)


def _is_maker(name: str) -> bool:
    word = name.rpartition(".")[2]
    return word in _MAKERS or word.startswith(_LAYERS) or is_loss_api(name)


def _last_of(program: Program, row: Alternative) -> Optional[Value]:
    """Return the last cell of a `SequentialCell`; None where that is not known."""
    made = row.creation
    if made is None or not made.call.args or list_changes.grows(program.evaluator, row):
        return None
    node = made.call.args[-1]
    held = node.value if isinstance(node, ast.Starred) else node
    value, added = program.value(held, made.scope), list_changes.additions(program.evaluator, held, made.scope)
    if added:
        last = max(added, key=lambda each: made.scope.module.rank(each.node) or 0)
        always = happens_before(place(last.node, last.block.scope), place(made.call, made.scope))
        is_last = always and all(each.block.scope.owner is made.scope.owner for each in added)
        return program.value(last.added, last.block.scope) if is_last and last.added and last.word == "append" else None
    if not any(known.is_display for known in value.alternatives):
        return value if held is node else None
    parts = sequences.whole(program.evaluator, value)
    return program.evaluator.read(parts[-1]) if parts else None


def _gives_fresh(program: Program, function: Scope, hops: int) -> bool:
    """Return whether all that a function of the project returns is its own."""
    return bool(function.returns) and all(
        _is_own(program, function, value, hops)
        if isinstance(value, ast.Name)
        else _is_fresh(program, function, value, hops)
        for value, _ in function.returns
    )
