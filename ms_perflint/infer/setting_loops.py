"""Loops over the names of settings: `for key, value in settings.items(): setattr(args, key, value)`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.reachability import path_condition
from ms_perflint.index.semantic_index import Binding, Block, Scope, SemanticIndex
from ms_perflint.index.signature import Held, Layer, receiver_name
from ms_perflint.index.syntax_forms import inside, names_in, spelling, text_of, word_of
from ms_perflint.infer import bases, mappings
from ms_perflint.infer.alternatives import DICT, LIST, TUPLE, ConfigDocument, Constant, Display
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.sequences import whole
from ms_perflint.infer.values import NO_CONSTANT, TOP, Alternative

NAMES = 4  # names given to one another that are followed: `value = settings[key]`
NUMBERS = ("range", "arange", "enumerate")  # calls, by their last words, that give no names of settings
ORDERS = ("reversed", "sample", "tqdm", "zip")  # calls that give, or give first, what their first argument has

_OF_MAPPINGS = frozenset({"keys", "items", "values"})  # attributes that of the built-in types only dicts have


class Loop(NamedTuple):
    """A loop over the keys of a mapping or a list of keys, with the names of its targets."""

    over: ast.expr
    key: str
    value: Optional[str]
    stmt: ast.AST
    is_paired: bool = False  # it goes through pairs of keys and values
    outer: Optional[ast.expr] = None  # a list of keys, for each of which it goes through another mapping


def of_key(key: ast.expr, block: Block) -> Optional[Loop]:
    """Return the loop around a block whose target for keys has this name; None without one."""
    if not isinstance(key, ast.Name):
        return None
    for arm in block.chain():
        if isinstance(arm.owner, ast.For) and arm.arm == "body":
            bound = arm.scope.binds.get(id(arm.owner), ())
            found = [binding for binding in bound if binding.name == key.id]
            if found:
                loop = _loop(found[0], {binding.path: binding.name for binding in bound})
                if loop is None or arm.parent is None or not isinstance(loop.over, ast.Subscript):
                    return loop
                outer = of_key(loop.over.slice, arm.parent)
                return loop._replace(outer=outer.over) if outer is not None else loop
    return None


def _loop(binding: Binding, names: dict[tuple[int, ...], str]) -> Optional[Loop]:
    """Return a loop from its targets and its iterable."""
    over = binding.value
    while isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id in ("list", "sorted"):
        over = over.args[0] if over.args else None
    if over is None:
        return None
    method = over.func.attr if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) else ""
    if method == "items" and binding.path == (0,):
        return Loop(over.func.value, binding.name, names.get((1,)), binding.stmt)  # type: ignore[attr-defined]
    if binding.path:
        value = names.get((1,))
        return Loop(over, binding.name, value, binding.stmt, True) if binding.path == (0,) and value else None
    return Loop(over.func.value if method == "keys" else over, binding.name, None, binding.stmt)  # type: ignore[attr-defined]


def is_over_numbers(loop: Loop, scope: Scope) -> bool:
    """Return whether a loop goes through numbers, by its form alone: its keys are no names of settings then."""
    over: list[Optional[ast.expr]] = [loop.over]
    if isinstance(loop.over, ast.Name) and loop.over.id in scope.bindings:
        over = [each.whole for each in scope.bindings[loop.over.id]]
    return all(each is not None and _gives_numbers(each) for each in over)


def _gives_numbers(node: ast.expr) -> bool:
    first = inside(node, *ORDERS)
    return isinstance(first, ast.Call) and word_of(first.func) in NUMBERS


def has(evaluator: Evaluator, loop: Loop, name: object, scope: Scope) -> Optional[bool]:
    """Return whether a loop reaches a key; None where it is not known.

    One over what stands on the command line comes to what a user, or a launcher, passes.
    """
    if _is_of_command_line(evaluator, loop.over, scope):
        given = evaluator.program.given((f"--{name}", f"--{str(name).replace('_', '-')}"))
        return None if any(given) else False
    if loop.is_paired:
        pairs = _pairs(evaluator, loop, scope)
        keys = [mappings.said(evaluator, key) for key, _ in pairs or ()]
        return True if name in keys else None if pairs is None or NO_CONSTANT in keys else False
    if loop.outer is not None:
        answers = [mappings.held(evaluator, evaluator.read(each), name) for each in _mappings(evaluator, loop, scope)]
        return True if True in answers else None if None in answers or not answers else False
    over = evaluator.value(loop.over, scope)
    if over.are(lambda known: known.is_display and not known.is_mapping):
        found = evaluator.each(over)
        if name in found.constants:
            return True
        is_known = not found.open and all(isinstance(known.constant, str) for known in found.alternatives)
        return False if is_known else None
    answer = mappings.held(evaluator, over, name)
    is_filled = answer is False and any(evaluator.holds(known, name) is None for known in over.alternatives)
    return None if is_filled else answer  # it may get the key before the loop


def _mappings(evaluator: Evaluator, loop: Loop, scope: Scope) -> list[Held]:
    """Return the mappings that a loop goes through one after the other; none where not all are known."""
    if loop.outer is None or not isinstance(loop.over, ast.Subscript):
        return []
    over = evaluator.value(loop.outer, scope)
    what = over.only.what if over.only is not None else None
    keys = TOP if mappings.is_mapping(over) else evaluator.each(over)
    names = [] if keys.open else [known.constant for known in keys.alternatives]
    names = list(what.data) if isinstance(what, ConfigDocument) and not what.open else names
    return [Held(loop.over.value, scope, taken=(name,)) for name in names] if NO_CONSTANT not in names else []


def _part(evaluator: Evaluator, node: ast.expr, loop: Loop, name: object, scope: Scope) -> Held:
    """Return what a mapping, or the one of several that has it, holds under a key."""
    parts = _mappings(evaluator, loop, scope) if spelling(node) == spelling(loop.over) else []
    found = [each for each in parts if mappings.held(evaluator, evaluator.read(each), name)]
    return found[0]._replace(taken=(*found[0].taken, name)) if len(found) == 1 else Held(node, scope, taken=(name,))


def _pairs(evaluator: Evaluator, loop: Loop, scope: Scope) -> Optional[list[tuple[Held, Held]]]:
    """Return the keys and values of a loop; None where not all are known."""
    parts = whole(evaluator, evaluator.value(loop.over, scope))
    rows = [whole(evaluator, evaluator.read(part)) for part in parts or ()]
    found = [(row[0], row[1]) for row in rows if row is not None and len(row) == 2]
    return found if parts is not None and len(found) == len(parts) else None


def _is_of_command_line(evaluator: Evaluator, node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is made of `sys.argv` alone: `sys.argv[1:]`, `names_of(sys.argv)`."""
    for _ in range(NAMES):
        if isinstance(node, ast.Name):
            bound = scope.single(node)
            value = bound.whole if bound is not None else None
        elif isinstance(node, ast.Call):
            value = node.args[0] if len(node.args) == 1 and not node.keywords else None
        elif isinstance(node, ast.Subscript):
            value = node.value
        else:
            return any(known.api == "sys.argv" for known in evaluator.value(node, scope).alternatives)
        if value is None:
            return False
        node = value
    return False


def at_key(
    evaluator: Evaluator, node: ast.expr, loop: Loop, name: object, scope: Scope, depth: int = 0
) -> Optional[Held]:
    """Return an expression of the loop body in the iteration of one key; None where it is not known."""
    if isinstance(node, ast.Name):
        return _of_name(evaluator, node, loop, name, scope, depth)
    if isinstance(node, ast.Constant) or names_in(node).isdisjoint(_bound_in(scope.module, loop.stmt)):
        return Held(node, scope)
    if isinstance(node, ast.Subscript) and _is_key(node.slice, loop):
        return _part(evaluator, node.value, loop, name, scope)
    if isinstance(node, ast.Call) and _is_own_class(node.func, scope):
        mapping = [*node.args, *(each.value for each in node.keywords if each.arg is None)]
        is_all = len(mapping) == 1 == len(node.args) + len(node.keywords)
        given = at_key(evaluator, mapping[0], loop, name, scope, depth) if is_all else None
        is_of_itself = word_of(loop.over) == receiver_name(scope.owner)  # an object that converts its own entries
        return (
            given if is_of_itself or not _is_shown(evaluator, given) else _as_object(evaluator, node, loop, name, scope)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_get = node.func.attr == "get" and bool(node.args) and _is_key(node.args[0], loop)
        return Held(node.func.value, scope, taken=(name,)) if is_get else _of_call(evaluator, node, loop, name, scope)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        is_getattr = node.func.id == "getattr" and len(node.args) > 1 and _is_key(node.args[1], loop)
        return Held(node.args[0], scope, taken=(name,)) if is_getattr else _of_call(evaluator, node, loop, name, scope)
    if isinstance(node, ast.IfExp):  # `Config(value) if isinstance(value, dict) else value`
        answer = comes(evaluator, node.test, loop, name, scope)
        is_of_kind = isinstance(node.test, ast.Call) and word_of(node.test.func) == "isinstance"
        arms = [node.orelse, node.body] if answer is None and is_of_kind else [node.body if answer else node.orelse]
        found = (at_key(evaluator, arm, loop, name, scope, depth) for arm in arms)
        return next(filter(None, found), None) if answer is not None or is_of_kind else None
    return None


def _of_name(
    evaluator: Evaluator, node: ast.Name, loop: Loop, name: object, scope: Scope, depth: int
) -> Optional[Held]:
    """Return what the last of the bindings of a name gives that the iteration of one key comes to."""
    inside_loop = _inside(scope.module, loop.stmt)
    found = sorted(scope.flow.at(node), key=lambda each: scope.module.span(each.node), reverse=True)
    for binding in found if depth < NAMES else ():
        if binding.stmt is loop.stmt:
            return _value(evaluator, loop, name, scope) if node.id == loop.value else None
        tests = [each for each in path_condition(binding.block) if each.test in inside_loop]
        answers = [comes(evaluator, each.test, loop, name, scope) for each in tests]
        if not any(answer is not None and answer is not each.result for each, answer in zip(tests, answers)):
            given = binding.whole if None not in answers else None
            is_chosen = isinstance(given, ast.Constant) and bool(tests)  # by what it was: an edit of it is no fix
            return at_key(evaluator, given, loop, name, scope, depth + 1) if given and not is_chosen else None
    return None


def _value(evaluator: Evaluator, loop: Loop, name: object, scope: Scope) -> Optional[Held]:
    """Return the value that a loop gives one key; None where it is not known."""
    if not loop.is_paired:
        return _part(evaluator, loop.over, loop, name, scope)
    pairs = _pairs(evaluator, loop, scope) or ()
    own = [value for key, value in pairs if mappings.said(evaluator, key) == name]
    return own[-1] if own else None


@fact
def _inside(module: SemanticIndex, loop: ast.AST) -> frozenset[ast.AST]:
    """Return a loop and the nodes inside of it."""
    return frozenset(ast.walk(loop))


@fact
def _bound_in(module: SemanticIndex, loop: ast.AST) -> frozenset[str]:
    """Return the names that a loop and its body bind."""
    names = (each for each in _inside(module, loop) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))
    return frozenset(each.id for each in names)


def _is_shown(evaluator: Evaluator, given: Optional[Held]) -> bool:
    """Return whether a part is a mapping that code shows."""
    return given is not None and evaluator.read(given).are(lambda known: known.is_mapping and known.is_display)


def _as_object(evaluator: Evaluator, node: ast.Call, loop: Loop, name: object, scope: Scope) -> Held:
    """Return a mapping under a key, as the object that a class makes of it: a copy, in which stores are made apart."""
    part = Held(loop.over, scope, taken=(name,))
    made = Display(node, scope, DICT, (part,), (None,), is_deep=True)
    return Held(node, scope, evaluator.known(made, node, scope))


def _of_call(evaluator: Evaluator, node: ast.Call, loop: Loop, name: object, scope: Scope) -> Optional[Held]:
    """Return the result of a function of the program for the value of one key: `converted(value)`; None of others."""
    is_plain = len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred)
    is_again = word_of(node.func) == scope.owner.name
    is_plain = is_plain and (is_again or _is_function(evaluator, node.func, scope))
    given = at_key(evaluator, node.args[0], loop, name, scope, 1) if is_plain else None
    if given is None:
        return None
    found = Held(node, scope, taken=(Layer(node, scope, row=(given,), callee=node.func),))
    # a function that another one returns is no setting: the assignment graph does not draw it under this name
    return found if is_again or not any(known.definition for known in evaluator.read(found).alternatives) else None


def _is_function(evaluator: Evaluator, callee: ast.expr, scope: Scope) -> bool:
    """Return whether a callee is known to be functions of the program."""
    return evaluator.value(callee, scope).are(
        lambda known: known.definition is not None and known.definition.is_function
    )


def _is_own_class(callee: ast.expr, scope: Scope) -> bool:
    """Return whether a method calls its own class: by its name, as `type(self)`, `self.__class__` or `cls`."""
    cls = scope.owner.parent
    names = (cls.name, "cls", "type(self)", "self.__class__") if cls is not None and cls.is_class else ()
    return ast.unparse(callee) in names


def comes(evaluator: Evaluator, test: ast.expr, loop: Loop, name: object, scope: Scope) -> Optional[bool]:
    """Return the truth of a test in the loop body for one key; None if it does not depend on the key."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        answer = comes(evaluator, test.operand, loop, name, scope)
        return None if answer is None else not answer
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "hasattr":
        if len(test.args) == 2 and text_of(test.args[1]) in _OF_MAPPINGS:
            return _is_kind(evaluator, test.args[0], frozenset({"dict"}), loop, name, scope)
        if len(test.args) != 2 or not _is_key(test.args[1], loop):
            return None
        holders = evaluator.value(test.args[0], scope)
        is_there = all(bases.has(evaluator, each, str(name)) for each in holders.alternatives)
        is_known = is_there and bool(holders.alternatives) and not holders.open
        return True if is_known else mappings.held(evaluator, holders, name)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance":
        return _is_of_kind(evaluator, test.args, loop, name, scope)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    sign, other = test.ops[0], test.comparators[0]
    if isinstance(test.left, ast.Call) and word_of(test.left.func) == "type":  # `type(value) is dict`
        answer = _is_of_kind(evaluator, [*test.left.args, other], loop, name, scope, False)
        is_known = answer is not None and isinstance(sign, (ast.Eq, ast.Is, ast.NotEq, ast.IsNot))
        return answer is isinstance(sign, (ast.Eq, ast.Is)) if is_known else None
    if isinstance(sign, (ast.In, ast.NotIn)) and _is_key(test.left, loop):
        answer = has(evaluator, Loop(_of_keys(other), loop.key, None, loop.stmt), name, scope)
        return None if answer is None else answer is isinstance(sign, ast.In)
    if isinstance(sign, (ast.Eq, ast.NotEq)) and _is_key(test.left, loop) and text_of(other):
        return (text_of(other) == name) is isinstance(sign, ast.Eq)
    if isinstance(sign, (ast.Eq, ast.NotEq)) and isinstance(other, ast.Constant):
        answer = _is_value(evaluator, test.left, other, loop, name, scope)
        return None if answer is None else answer is isinstance(sign, ast.Eq)
    if isinstance(sign, (ast.Is, ast.IsNot)) and isinstance(other, ast.Constant) and other.value is None:
        asked = at_key(evaluator, test.left, loop, name, scope)
        constants = evaluator.read(asked).constants if asked is not None else ()
        answers = {(constant is None) is isinstance(sign, ast.Is) for constant in constants}
        return answers.pop() if len(answers) == 1 else None
    return None


def _is_value(
    evaluator: Evaluator, node: ast.expr, other: ast.Constant, loop: Loop, name: object, scope: Scope
) -> Optional[bool]:
    """Return whether the value under one key is a constant; what the loop itself puts there does not count at first."""
    asked = at_key(evaluator, node, loop, name, scope)
    value = evaluator.read(asked) if asked is not None else TOP
    if evaluator.is_pending(value):
        return False
    known = value.alternatives
    if value.open or not known or any(each.constant is NO_CONSTANT for each in known):
        return None
    answers = {each.constant == other.value for each in known}
    return answers.pop() if len(answers) == 1 else None


def _is_of_kind(
    evaluator: Evaluator, given: Sequence[ast.expr], loop: Loop, name: object, scope: Scope, derives: bool = True
) -> Optional[bool]:
    """Return what `isinstance(value, (list, dict))` gives for one key; `derives`: a bool is an int, too."""
    types = given[1].elts if len(given) == 2 and isinstance(given[1], ast.Tuple) else given[1:]
    words = frozenset(each.id for each in types if isinstance(each, ast.Name))
    if len(given) != 2 or len(words) != len(types):
        return None
    return _is_kind(evaluator, given[0], words | {"bool"} if derives and "int" in words else words, loop, name, scope)


def _is_kind(
    evaluator: Evaluator, node: ast.expr, words: frozenset[str], loop: Loop, name: object, scope: Scope
) -> Optional[bool]:
    """Return whether an expression is of one of some built-in types, in the iteration of one key."""
    asked = at_key(evaluator, node, loop, name, scope)
    value = evaluator.read(asked) if asked is not None else TOP
    if value.open or not value.alternatives:
        return None
    kinds = {_kind(known) for known in value.alternatives}
    answers = {kind in words for kind in kinds}
    return answers.pop() if len(answers) == 1 and "" not in kinds else None


def _kind(known: Alternative) -> str:
    """Return the name of the built-in type of an alternative; "" if that is not known."""
    what = known.what
    if isinstance(what, Constant):
        return type(what.value).__name__
    if isinstance(what, ConfigDocument):
        return "dict" if isinstance(what.data, dict) else type(what.data).__name__
    return what.kind if isinstance(what, Display) and what.kind in (DICT, LIST, TUPLE) else ""


def _of_keys(node: ast.expr) -> ast.expr:
    """Return `settings` for `settings.keys()`."""
    is_keys = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "keys"
    return node.func.value if is_keys else node  # type: ignore[attr-defined]


def _is_key(node: ast.expr, loop: Loop) -> bool:
    return isinstance(node, ast.Name) and node.id == loop.key
