"""Tests whose two arms differ in a way that graph mode does not compile: it makes one value of both.

Run on 2.10, CPU, in `construct` under a train cell. It fails where an arm of an `if` on a tensor puts into a list,
tuple or dict what the other arm does not, by `update` and `setdefault` too; where only one arm binds a name that is
used after it, also of an `if` on an attribute of another object, `self.config.swish`; where a name, a result or a
conditional expression is a tensor after one of the arms, and a number or None after the other; and where a test on a
tensor stands ahead of one on a constant, `x.sum() > 0 and self.training` (the other way round it compiles), or beside
one of another type,
`x.sum() > 0 and x.max()`, where `bool(x)` and `x.item()` are of other types than tensors. Same losses as PyNative:
the same number of elements put in by both arms, a tensor that stays one (also in another shape), a number that stays
one, `break` and `return` under such a test, and a conditional expression of two tensors.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Optional, Union

from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.syntax_forms import descendants, is_decorated, targets, word_of
from ms_perflint.infer.places import ADDS
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.bases import PARAMETER, is_cell, is_parameter
from ms_perflint.training.dtypes.host_values import is_computed
from ms_perflint.training.dtypes.tensor_ops import BOOLEAN, NO_TENSOR, PARTS
from ms_perflint.training.graph_mode.compiled import own_nodes, steps
from ms_perflint.training.graph_mode.constants import is_constant
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle

_MADE = frozenset({"list", "tuple", "dict"})
_REDUCES = frozenset({"sum", "mean", "max", "min", "any", "all", "prod", "norm"})  # methods of tensors and arrays
_IDENTITY = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_NUMBERS = frozenset({"int", "float", "bool"})
_TYPES = _NUMBERS | {"str", "Tensor"}  # that graph mode compares with `type(x)`
_LOOPED = (ast.Continue, ast.Break)
_LEAVES = (ast.Return, ast.Raise, *_LOOPED)
_HOPS = 4  # names that stand for one another
_FILLED = Message("graph mode does not compile a list that is filled as often as a tensor says")
_BY_TENSOR = Message("graph mode needs `{name}` bound in both branches of a test on a tensor")
_BY_ATTRIBUTE = Message("graph mode needs `{name}` bound in both branches of a test on an attribute of another object")


def in_arms(program: Program, function: Scope, given: frozenset[str] = frozenset()) -> Iterator[Obstacle]:
    """Yield the differences between the arms of a test in a compiled function, if graph mode compiles both.

    `given`: the parameters that are tensors.
    """
    tensors = Tensors(program, function, given)
    for node in _of_two_types(program, function, tensors):
        text = Message("graph mode needs values of one type in both branches of a test on a tensor")
        yield obstacle(function.module, node, "arms", text)
    for step in steps(program, function):
        for node in own_nodes(step):
            message = _mixed(program, step, node, tensors) if isinstance(node, (ast.BoolOp, ast.Compare)) else None
            if message is not None:
                yield obstacle(function.module, node, "test", message)
            of = node.generators[0] if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.DictComp)) else None
            if of is not None and (_is_counted(tensors, of.iter) or any(map(tensors.is_tested, of.ifs))):
                yield obstacle(function.module, node, "list", _FILLED)
        found: Optional[_Found] = None
        if isinstance(step.stmt, (ast.For, ast.While)):
            found = _of_loop(function, step.stmt, tensors)
        elif isinstance(step.stmt, ast.If) and tensors.is_tested(step.stmt.test):
            found = _grown(function, step.stmt) or _bound(function, step.stmt, _BY_TENSOR, tensors)
        elif isinstance(step.stmt, ast.If) and _asks_another(program, function, step.stmt.test):
            found = _bound(function, step.stmt, _BY_ATTRIBUTE)
        if found is not None:
            yield obstacle(function.module, *found)


def _of_two_types(program: Program, function: Scope, tensors: Tensors) -> Iterator[ast.AST]:
    """Yield conditional expressions and results that are of one type where a test on a tensor holds, else of another.

    Run: 1 and 0.5 fail too; `float(x.sum())` and 1.0 do not.
    """
    returned: list[ast.expr] = []
    found: list[ast.AST] = []
    is_left = False  # what a test on a constant leaves out is compiled in no case
    for step in steps(program, function):
        test = step.block.owner.test if isinstance(step.block.owner, (ast.If, ast.While)) else None
        is_tested = test is not None and tensors.is_tested(test)
        if isinstance(step.stmt, ast.Return) and step.stmt.value is not None and (is_tested or test is None):
            returned.append(step.stmt.value)
            is_left |= is_tested
        for node in own_nodes(step):
            if isinstance(node, ast.IfExp) and tensors.is_tested(node.test) and tensors.differ(node.body, node.orelse):
                found.append(node)
    if is_left:
        found += [each for each in returned[1:] if tensors.differ(returned[0], each)][:1]
    yield from found


_Found = tuple[ast.AST, str, Message]


def _mixed(program: Program, step: Site, test: Union[ast.BoolOp, ast.Compare], tensors: Tensors) -> Optional[Message]:
    """Return why a test does not compile: a tensor ahead of a constant, or one that asks for a class by `type`."""
    if isinstance(test, ast.Compare):
        sides = (test.left, *test.comparators)
        asks = any(isinstance(each, ast.Call) and word_of(each.func) == "type" for each in sides)
        is_known = isinstance(test.ops[0], (ast.In, ast.NotIn)) or any(word_of(each) in _TYPES for each in sides)
        return Message("graph mode does not compare the result of `type`") if asks and not is_known else None
    is_again = isinstance(step.stmt, ast.While)  # where constants are counted
    for at, value in enumerate(test.values):
        others = test.values if is_again else test.values[at + 1 :]
        plain = (each for each in others if each is not value and not tensors.is_tested(each))
        if tensors.is_tested(value, False) and any(
            is_again or is_constant(program, tensors.function, each) for each in plain
        ):
            return Message("graph mode does not compile a test on a tensor ahead of one on a constant")
    tested = [each for each in test.values if tensors.is_tested(each)]
    if len({(tensors.is_truth(each), tensors.is_number(each)) for each in tested}) > 1:
        return Message("graph mode does not compile `and` or `or` between values of different types")
    return None


def _grown(function: Scope, test: ast.If) -> Optional[_Found]:
    """Return a node that adds to a container to which the other arm of a test adds less; None without one.

    One that is made and read in an arm alone compiles.
    """
    inside, later = set(map(id, ast.walk(test))), {each.id for each in _after(function, test)}

    def is_left(name: str) -> bool:
        return name in later or not all(id(each.stmt) in inside for each in function.bindings[name])

    found = [[put for stmt in arm for put in _puts(function, stmt)] for arm in (test.body, test.orelse)]
    arms = [[put for put in puts if is_left(put[0].id)] for puts in found]
    counts = [Counter(name.id for name, _ in puts) for puts in arms]
    for name, node in (*arms[0], *arms[1]):
        if counts[0][name.id] != counts[1][name.id]:
            text = Message(
                "graph mode needs `{name}` to grow equally in both branches of a test on a tensor", name=name.id
            )
            return node, "arms", text
    return None


def _puts(function: Scope, stmt: ast.stmt) -> Iterator[tuple[ast.Name, ast.AST]]:
    """Yield the containers of a function that a statement fills, each with the node that does."""
    for node in ast.walk(stmt):
        if isinstance(node, ast.AugAssign) and isinstance(node.value, (ast.Tuple, ast.List)):
            if isinstance(node.target, ast.Name):
                yield node.target, node
            continue
        held: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ADDS:
            held.append(node.func.value)
        else:
            held += [each.value for each in targets(node) if isinstance(each, ast.Subscript)]
        for each in held:
            if isinstance(each, ast.Name) and function.home(each.id) is function:
                made = function.flow.at(each)
                if made and all(map(_is_container, made)):
                    yield each, node


def _is_container(binding: Binding, hops: int = _HOPS) -> bool:
    """Return whether a name is a list, tuple or dict of the function."""
    if binding.kind == "augment":
        return True
    value = binding.whole
    if isinstance(value, ast.Name) and hops:
        behind = binding.scope.lookup(value)
        return bool(behind) and all(_is_container(each, hops - 1) for each in behind)
    is_made = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _MADE
    return is_made or isinstance(value, (ast.List, ast.Tuple, ast.Dict, ast.ListComp))


def _bound(function: Scope, test: ast.If, unbound: Message, tensors: Optional[Tensors] = None) -> Optional[_Found]:
    """Return a name that is used behind a test, and that only one arm of the test binds; None if none.

    With `tensors`, for a test on a tensor, it may also be a constant that is a tensor after one arm, or a number of
    another type: `k = 0.0` stays one of the same type by `k = float(x.sum())`, and not by `int(x.sum())`.
    """
    for name, before, made in _bound_in_one(function, test):
        if not before:
            return made[0].stmt, "arms", unbound.filled(name=name)
        is_plain = all(isinstance(each.whole, ast.Constant) for each in before)  # None, or a number that is written
        types = {type(each.whole.value).__name__ for each in before if isinstance(each.whole, ast.Constant)}
        new = (each for each in made if not isinstance(each.value, ast.Call) or types != {word_of(each.value.func)})
        is_changed = tensors is not None and _turns_constant(tensors, before, made)
        if is_changed or (tensors is not None and is_plain and any(map(tensors.is_given, new))):
            text = Message("graph mode needs `{name}` to be a tensor before this test on a tensor, too", name=name)
            return made[0].stmt, "arms", text
    return None


def _of_loop(function: Scope, loop: Union[ast.For, ast.While], tensors: Tensors) -> Optional[_Found]:
    """Return what a loop of which a tensor decides the length makes of a name or container; None if it compiles."""
    is_counted = isinstance(loop, ast.For) and _is_counted(tensors, loop.iter)
    inside = set(map(id, ast.walk(loop)))
    if not is_counted and not (isinstance(loop, ast.While) and tensors.is_tested(loop.test)):
        tests = (each for each in ast.walk(loop) if isinstance(each, ast.If))
        left = (each for each in tests if any(isinstance(arm[-1], _LOOPED) for arm in (each.body, each.orelse) if arm))
        if not any(tensors.is_tested(each.test) for each in left):
            return None
    for node in (node for stmt in loop.body if is_counted for _, node in _puts(function, stmt)):
        return node, "list", _FILLED
    for load in _after(function, loop):
        reaching = function.flow.at(load)
        before = [each for each in reaching if id(each.stmt) not in inside]
        made = [each for each in reaching if id(each.stmt) in inside]
        if before and all(isinstance(each.whole, ast.Constant) for each in before) and any(map(tensors.is_given, made)):
            text = Message("graph mode needs `{name}` to be a tensor before a loop that a tensor ends", name=load.id)
            return made[0].stmt, "arms", text
    return None


def _is_counted(tensors: Tensors, node: ast.expr) -> bool:
    """Return whether an expression is a range that a tensor ends."""
    is_range = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
    return is_range and any(map(tensors.is_one, node.args))  # type: ignore[attr-defined]


def _turns_constant(tensors: Tensors, before: list[Binding], made: list[Binding]) -> bool:
    """Return whether a name holds a tensor before a test, and a constant after one of its arms."""
    are_tensors = all(each.whole is not None and tensors.is_given(each) for each in before)
    new = [each.value for each in made if isinstance(each.value, ast.Constant)]
    return are_tensors and any(tensors.differ(each.whole, value) for each in before for value in new if each.whole)


def _asks_another(program: Program, function: Scope, test: ast.expr) -> bool:
    """Return whether a test reads an attribute or entry of what a cell holds: `if self.config.swish`.

    Graph mode decides a test on an attribute of the cell itself when it compiles. Of other objects (what argparse
    gives, a dict, one of a class of the project, another cell) it compiles both arms. Run on 2.10, CPU.
    """
    read = (node.value for node in ast.walk(test) if isinstance(node, (ast.Attribute, ast.Subscript)))
    held = (program.value(each, function) for each in read if isinstance(each, ast.Attribute))
    return any(value.are_only(partial(_is_another, program)) for value in held)


def _is_another(program: Program, known: Alternative) -> bool:
    """Return whether something is a mapping, a cell, or an object of a class that graph mode does not compile."""
    if known.cls is None:
        return known.is_mapping or bool(known.document) or is_cell(program, known)
    return not is_decorated(known.cls.node, "jit_class", "ms_class")


def _bound_in_one(function: Scope, test: ast.If) -> Iterator[tuple[str, list[Binding], list[Binding]]]:
    """Yield the names used behind a test that only one arm binds, with the bindings before it, and in the arm."""
    if any(isinstance(arm[-1], _LEAVES) for arm in (test.body, test.orelse) if arm):
        return
    arms = [{id(each) for stmt in arm for each in ast.walk(stmt)} for arm in (test.body, test.orelse)]
    inside = {id(test)}.union(*arms)
    for load in _after(function, test):
        reaching = function.flow.at(load)
        given = [[each for each in reaching if id(each.stmt) in arm] for arm in arms]
        made = [each for side in given for each in side]
        if made and not all(given):
            yield load.id, [each for each in reaching if id(each.stmt) not in inside], made


def _after(function: Scope, test: ast.stmt) -> list[ast.Name]:
    """Return the first load of each name of a function behind a test or loop."""
    loads: dict[str, ast.Name] = {}
    end = test.end_lineno or test.lineno
    for node in descendants(function.node):
        is_load = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.lineno > end
        if is_load and function.home(node.id) is function:  # type: ignore[attr-defined]
            loads.setdefault(node.id, node)  # type: ignore[attr-defined, arg-type]
    return list(loads.values())


class Tensors:
    """Which expressions of a compiled function are tensors, or numbers that are read from one."""

    def __init__(self, program: Program, function: Scope, given: frozenset[str] = frozenset()) -> None:
        self.program = program
        self.function = function
        self.given = given  # parameters that are tensors

    def is_tested(self, test: ast.expr, numbers: bool = True) -> bool:
        """Return whether a test depends on the values of a tensor; without `numbers`, whether it is a tensor itself."""
        if isinstance(test, ast.BoolOp):
            return any(self.is_tested(each, numbers) for each in test.values)
        if isinstance(test, ast.UnaryOp):
            return self.is_tested(test.operand, numbers)
        sides = (test.left, *test.comparators) if isinstance(test, ast.Compare) else (test,)
        if isinstance(test, ast.Compare) and isinstance(test.ops[0], _IDENTITY):
            return False
        return any(self.is_one(each) and (numbers or not self.is_number(each)) for each in sides)

    def is_truth(self, node: ast.expr, hops: int = _HOPS) -> bool:
        """Return whether a test on a tensor is a comparison or gives a tensor of truth values."""
        if isinstance(node, ast.BoolOp):
            return all(self.is_truth(each, hops) for each in node.values)
        if isinstance(node, ast.Name) and hops:
            made = [each.whole for each in self.function.flow.at(node)]
            return all(each is not None and self.is_truth(each, hops - 1) for each in made)
        if isinstance(node, ast.Call):
            return word_of(node.func) in BOOLEAN | {"bool"}
        return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))

    def is_number(self, node: ast.expr, hops: int = _HOPS) -> bool:
        """Return whether what is read from a tensor in an expression is a value of Python: `x.item() * 2`."""
        if isinstance(node, ast.UnaryOp):
            return self.is_number(node.operand, hops)
        if isinstance(node, (ast.BinOp, ast.BoolOp, ast.Compare)):
            parts = (each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
            return all(self.is_number(each, hops) for each in parts if self.is_tested(each))
        if isinstance(node, ast.Name) and hops:
            reaching = self.function.flow.at(node)
            read = [each.whole for each in reaching if each.whole is not None]
            is_given = node.id in self.given and any(each.kind == "parameter" for each in reaching)
            return not is_given and all(self.is_number(each, hops - 1) for each in read)
        return isinstance(node, ast.Call) and word_of(node.func) in _NUMBERS | {"item"}

    def differ(self, one: ast.expr, other: ast.expr) -> bool:
        """Return whether two values are certainly of different types."""
        kinds = [self._kind(one), self._kind(other)]
        return all(kinds) and kinds[0] != kinds[1]

    def _kind(self, node: ast.expr) -> str:
        """Return "Tensor", "float", "int", or the name of another type; "" for a value that may be of any."""
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return self._kind(node.operand)
        if isinstance(node, ast.Constant):
            return type(node.value).__name__
        if not self.is_one(node) or isinstance(node, ast.BoolOp):
            return ""
        if self.is_number(node):
            return word_of(node.func) if isinstance(node, ast.Call) and word_of(node.func) != "item" else ""
        return "Tensor"

    def is_given(self, binding: Binding) -> bool:
        """Return whether a binding gives a tensor, or adds one."""
        value = binding.operand
        return value is not None and not binding.path and (self.is_one(value) or self.is_tested(value, False))

    def is_one(self, node: ast.expr, hops: int = _HOPS) -> bool:
        """Return whether an expression is a tensor, or a number that is read from one."""
        if not hops:
            return False
        if isinstance(node, ast.Name):
            return self._is_bound_to_one(node, hops)
        if isinstance(node, ast.Subscript):
            return self.is_one(node.value, hops)
        if isinstance(node, ast.Attribute):
            return any(map(is_parameter, self.program.value(node, self.function).alternatives))
        if isinstance(node, ast.BinOp):
            return self.is_one(node.left, hops) or self.is_one(node.right, hops)
        if isinstance(node, ast.Call):
            return self._is_made(node, hops)
        return False

    def _is_bound_to_one(self, node: ast.Name, hops: int) -> bool:
        if self.function.home(node.id) is not self.function:
            return False
        reaching = self.function.flow.at(node)
        if node.id in self.given and any(each.kind == "parameter" for each in reaching):
            return True
        plain = [each.whole for each in reaching if each.whole is not None]
        first = [whole for whole in plain if not any(word_of(each) == node.id for each in ast.walk(whole))]
        return bool(first) and all(self.is_one(each, hops - 1) for each in first)  # `i = i + 1` says nothing new

    def _is_made(self, node: ast.Call, hops: int) -> bool:
        word = word_of(node.func)
        if isinstance(node.func, ast.Attribute) and word in _REDUCES and self._is_no_array(node.func.value):
            return True
        if isinstance(node.func, ast.Attribute) and word == "item":
            return self.is_one(node.func.value, hops)
        if isinstance(node.func, ast.Name) and word in _NUMBERS and len(node.args) == 1:
            return self.is_one(node.args[0], hops - 1) or self.is_tested(node.args[0])
        made = self.program.value(node.func, self.function)
        if made.only is not None and made.only.definition is not None and made.only.definition.is_function:
            inner = Tensors(self.program, made.only.definition)
            returned = [value for value, _ in inner.function.returns]
            return bool(returned) and all(inner.is_one(each, hops - 1) for each in returned)
        return made.are(lambda known: is_computed(known) or is_cell(self.program, known) or _is_of_weight(known))

    def _is_no_array(self, node: ast.expr) -> bool:
        """Return whether an expression that compiled code reduces is no array or module, and so a tensor."""
        if isinstance(node, (ast.Call, ast.BinOp, ast.Compare, ast.Subscript)):
            return True
        known = self.program.value(node, self.function).alternatives
        roots = [root_of(each) for each in known]
        return not any(each.api for each in known) and all(not each or each.startswith("mindspore.") for each in roots)


def _is_of_weight(known: Alternative) -> bool:
    """Return whether a method of a Parameter gives a tensor: `self.scale.exp()`."""
    owner, _, word = known.api.rpartition(".")
    return owner == PARAMETER and word not in NO_TENSOR and word not in PARTS


def root_of(known: Alternative) -> str:
    """Return the API from whose result something comes; "" where none is known."""
    while known.type_api[:1] in ("", ".") and known.origin is not None:
        known = known.origin
    return "" if known.type_api.startswith(".") else known.type_api
