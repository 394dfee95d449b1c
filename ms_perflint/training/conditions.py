"""Under which conditions a site runs, along the calls that lead to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.core.records import equal_by
from ms_perflint.index.semantic_index import Block, Scope, Site
from ms_perflint.index.signature import Part
from ms_perflint.index.syntax_forms import around
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.values import truth
from ms_perflint.program.predicates import DEVICES, FLIPPED, choice, key, possible
from ms_perflint.training.training import callers

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

PASSES = 24  # chains of calls that are followed for one site
DEPTH = 8  # calls in one chain
ASKED = frozenset({"os.environ", "sys.argv"})


@equal_by("key", "wanted")
class Condition(NamedTuple):
    """A test that must come out one way; tests that read alike are equal, `args.x` and `config.x` too."""

    key: str
    wanted: bool
    test: ast.expr
    scope: Scope
    result: bool  # what the test as it stands must give: `a != b` has the key of `a == b`

    @property
    def opposite(self) -> Condition:
        """Return the same test coming out the other way."""
        return Condition(self.key, not self.wanted, self.test, self.scope, not self.result)

    @property
    def text(self) -> str:
        """Return how to say it, in the words of the source."""
        text = " ".join(self.scope.module.text(self.test).split())
        return text if self.result else f"not {text}"

    @property
    def words(self) -> Iterator[str]:
        """Yield the names, attributes and texts of the test."""
        for node in ast.walk(self.test):
            if isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.Attribute):
                yield node.attr
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value

    def usually(self, program: Program) -> Optional[bool]:
        """Return whether it holds for a user who passes no option; None when that is not known."""
        found = program.value(self.test, self.scope).default_truth
        return None if found is None else found is self.result

    def is_switch(self, program: Program) -> bool:
        """Return whether it fails for a user who passes no option, or for some of those who use a launcher."""
        value = program.value(self.test, self.scope)
        return not value.open and any(truth(known) is (not self.result) for known in value.by_default)

    def asks_environment(self, program: Program) -> bool:
        """Return whether it rests on a variable of the environment or an argument that has no default."""
        todo = [self.test]
        for node in ast.walk(self.test):
            if isinstance(node, ast.Name):
                bindings = self.scope.bindings.get(node.id, ())
                todo.extend(binding.value for binding in bindings if binding.value is not None)
        return any(
            known.api in ASKED
            for root in todo
            for node in ast.walk(root)
            if isinstance(node, (ast.Attribute, ast.Name))
            for known in program.value(node, self.scope).alternatives
        )

    def devices(self, program: Program) -> frozenset[str]:
        """Return the devices for which it can hold: all, unless it compares something with their names."""
        asked = choice(self.test)
        return asked.devices(self.result) if asked is not None else DEVICES


Pass = tuple[Condition, ...]  # what must hold on one chain of calls


def passes(program: Program, site: Site, also: Pass = ()) -> tuple[Pass, ...]:
    """Return the conditions of a site, once for each chain of calls that leads to it; what always holds is left out.

    `also` are more conditions of the site. What a function asks of a parameter is asked of what its callers pass.
    """
    return tuple(dict.fromkeys(_passes(program, site, also, (), 0)))[:PASSES]


def _passes(program: Program, site: Site, also: Pass, seen: tuple[Scope, ...], depth: int) -> list[Pass]:
    own = (*conditions(program, site.block), *_inside(program, site), *also)
    function = site.scope.owner
    if not function.is_function or depth >= DEPTH:
        return [own]
    found: list[Pass] = []
    for caller in callers(program, function):
        if len(found) < PASSES and caller.scope.owner not in (*seen, function) and program.runs(caller):
            moved = _moved(program, own, caller, function)
            if moved is not None:
                found.extend(_passes(program, caller, moved, (*seen, function), depth + 1))
    return found or [own]


def _moved(program: Program, own: Pass, caller: Site, function: Scope) -> Optional[Pass]:
    """Return the conditions of a function as its caller has them; None where they cannot hold for this caller."""
    found: list[Condition] = []
    for condition in own:
        given = _given(program, condition, caller, function)
        if given is None:
            found.append(condition)
            continue
        for part in parts(given.node, condition.result, given.scope):
            truth = program.value(part.test, part.scope).truth
            if truth is None:
                found.append(part)
            elif truth is not part.result:
                return None
    return tuple(found)


def _given(program: Program, condition: Condition, caller: Site, function: Scope) -> Optional[Part]:
    """Return what a caller passes for the parameter that a condition is about; None where it is no such condition."""
    test = condition.test
    bindings = function.bindings.get(test.id, []) if isinstance(test, ast.Name) and condition.scope is function else []
    if len(bindings) != 1 or bindings[0].kind != "parameter":
        return None
    return argument(program.evaluator, bindings[0], caller).part


def conditions(program: Program, block: Block) -> Iterator[Condition]:
    """Yield what must hold in its own function for a block to run, outermost first; what always holds is left out."""
    for arm in reversed(block.chain()):
        if isinstance(arm.owner, ast.If) and arm.parent is not None:
            for condition in parts(arm.owner.test, arm.arm == "body", arm.parent.scope):
                if program.value(condition.test, condition.scope).truth is not condition.result:
                    yield condition


def _inside(program: Program, site: Site) -> Iterator[Condition]:
    """Yield what must hold in its own statement for a site to run: `make() if wanted else None`."""
    for outer, inner in around(site.stmt, site.node):
        tests: list[tuple[ast.expr, bool]] = []
        if isinstance(outer, ast.IfExp) and inner is not outer.test:
            tests = [(outer.test, inner is outer.body)]
        elif isinstance(outer, ast.BoolOp):
            before = outer.values[: outer.values.index(inner)] if inner in outer.values else []
            tests = [(value, isinstance(outer.op, ast.And)) for value in before]
        for test, wanted in tests:
            for condition in parts(test, wanted, site.scope):
                if program.value(condition.test, condition.scope).truth is not condition.result:
                    yield condition


def parts(test: ast.expr, wanted: bool, scope: Scope) -> Iterator[Condition]:
    """Yield the conditions that a test is made of: `a and not b` holds when `a` does and `b` does not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from parts(test.operand, not wanted, scope)
    elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) is wanted:
        for value in test.values:
            yield from parts(value, wanted, scope)
    else:
        flipped = isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in FLIPPED
        yield Condition(key(test), wanted is not flipped, test, scope, wanted)


def contradict(program: Program, some: Pass, others: Pass) -> bool:
    """Return whether two passes can never be one: a test would have to come out both ways, or a thing be two things."""
    both = (*_spelled_out(some), *_spelled_out(others))
    return _clash(program, both) or any(
        all(_clash(program, (*both, *way)) for way in ways) for ways in map(_ways, both) if ways
    )


def _spelled_out(conditions: Pass) -> Iterator[Condition]:
    """Yield conditions, and those behind a name for a test: `on_gpu = device == "GPU"`."""
    for condition in conditions:
        yield condition
        name = condition.test.id if isinstance(condition.test, ast.Name) else ""
        bindings = condition.scope.bindings.get(name, [])
        for value in [
            each.value for each in bindings if len(bindings) == 1 and each.kind == "assign" and not each.path
        ]:
            if isinstance(value, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
                yield from parts(value, condition.result, condition.scope)


def _clash(program: Program, conditions: Pass) -> bool:
    """Return whether conditions, each taken as one test, can never hold together."""
    held = set(conditions)
    if any(condition.opposite in held for condition in conditions) or not devices(program, conditions):
        return True
    asked = [(choice(condition.test), condition.result) for condition in conditions]
    return not possible((each, result) for each, result in asked if each is not None)


def _ways(condition: Condition) -> list[Pass]:
    """Return the ways in which a condition can hold where it has several: `a or b`, `not (a and b)`."""
    test = condition.test
    if not isinstance(test, ast.BoolOp) or isinstance(test.op, ast.And) is condition.result:
        return []
    return [tuple(parts(value, condition.result, condition.scope)) for value in test.values]


def devices(program: Program, conditions: Pass) -> frozenset[str]:
    """Return the devices on which a pass can run."""
    found = DEVICES
    for condition in conditions:
        found &= condition.devices(program)
    return found


def always(alternatives: Sequence[frozenset[Condition]]) -> bool:
    """Return whether, however the tests come out, one of the alternatives holds."""
    if not alternatives:
        return False
    first = min(alternatives, key=len)
    if not first:
        return True
    condition = min(first, key=lambda each: (each.key, each.wanted))
    both = (condition, condition.opposite)
    return len(alternatives) > 1 and all(
        always([a - {given} for a in alternatives if given.opposite not in a]) for given in both
    )


def is_for_cpu_only(program: Program, site: Site) -> bool:
    """Return whether the conditions around a site leave nothing but the CPU: `if device == "CPU":`."""
    devices = DEVICES
    for condition in conditions(program, site.block):
        devices = devices & condition.devices(program)
    return devices == {"CPU"}
