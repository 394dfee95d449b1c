"""Code that is not known to compile in graph mode.

The fix is offered where all that graph mode would compile is of a kind that was run on 2.10
(CPU, in `construct` and in a function under `value_and_grad`; `tests/proofs/kinds.py`), with the losses of PyNative.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Optional

from ms_perflint.core.source import flat, short
from ms_perflint.index.semantic_index import LOOPS, Scope, Site
from ms_perflint.index.signature import Held, receiver_name
from ms_perflint.index.syntax_forms import descendants, targets, word_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.values import NO_CONSTANT, Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import CELL, is_cell_class, is_parameter, kin
from ms_perflint.training.graph_mode.branches import Tensors
from ms_perflint.training.graph_mode.compiled import MANY, assigned, compiled, is_compiled, own_nodes, steps, trained
from ms_perflint.training.graph_mode.compiled_apis import is_seen, made_outside
from ms_perflint.training.graph_mode.in_place import in_place
from ms_perflint.training.graph_mode.known_calls import calls_of, is_call_known
from ms_perflint.training.graph_mode.masks import odd_masks
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.graph_mode.paddings import in_paddings
from ms_perflint.training.graph_mode.sizes import odd_reversals, odd_sizes

_PASSES = 64  # of loops, with a test on a tensor in each: of those that were run, 100 compile and 200 do not
_SHOWN = 50  # characters of code in a reason
_DECORATORS = frozenset({"staticmethod", "property", "abstractmethod", "override", "overload", "setter"})
_FORMS: tuple[type[ast.AST], ...] = (ast.ClassDef, ast.AsyncFunctionDef)


@fact
def unknown_networks(program: Program) -> tuple[Obstacle, ...]:
    """Return the trained networks and functions that the files do not show, or not in full."""
    values = ((part, program.evaluator.read(part)) for part in trained(program))
    known = ((part, value) for part, value in values if _is_partly_known(value))
    return tuple(_not_in_files(program, part, value) for part, value in known if not is_seen(program, value))


@fact
def is_training_unknown(program: Program) -> bool:
    """Return whether the trained network is unknown: a parameter that no caller passes, an unbound name."""
    parts = trained(program)
    return not parts or not all(_is_partly_known(program.evaluator.read(part)) for part in parts)


def _is_partly_known(value: Value) -> bool:
    """Return whether an alternative of a network or function is known."""
    return any(each.constant is NO_CONSTANT for each in value.alternatives)


def _not_in_files(program: Program, part: Held, value: Value) -> Obstacle:
    """Return an obstacle at what makes a network that the files do not show, or at an unknown callee."""
    outside = (made_outside(program, each) for each in value.alternatives)
    made = next((each.creation for each in outside if each is not None), None)
    home = part.scope.home(part.node.id) if isinstance(part.node, ast.Name) else part.scope
    is_shown = any(known.cls or known.definition for known in value.alternatives)
    if is_shown or (made is None and home is not None and not any(known.api for known in value.alternatives)):
        return _named(part.scope, part.node)
    node, scope = (made.call.func, made.scope) if made is not None else (part.node, part.scope)
    text = Message(
        "`{code}` is not in these files, so it may not compile", code=short(flat(_text(scope, node)), _SHOWN)
    )
    return obstacle(scope.module, node, "unproven", text)


@fact
def unproven(program: Program) -> Optional[Obstacle]:
    """Return the first code that graph mode is not known to compile, that of the entry script first; None if none."""
    found = list(unknown_networks(program))
    for site in program.sites("construct"):  # Python runs it op by op; the effect of graph mode was not measured
        if not is_compiled(program, site.scope) and program.runs(site) and not _is_of_plain_class(program, site):
            found.append(_named(site.scope, site.node))
    if len(compiled(program)) >= MANY:
        found.append(_named(compiled(program)[-1], compiled(program)[-1].node, compiled(program)[-1].name))
    for function in compiled(program):
        found += _in_function(program, function)
        found += in_place(program, function)
        found += in_paddings(program, function)
        odd = (*odd_masks(program, function), *odd_sizes(program, function), *odd_reversals(program, function))
        found += [_named(function, node) for node in odd]
    return min(found, key=lambda each: (each.place.path != program.entry, each.place)) if found else None


def _is_of_plain_class(program: Program, site: Site) -> bool:
    """Return whether a method named `construct` is known to be of classes that are no cells."""
    known = program.evaluator.callees(site)
    classes = [each.definition.cls if each.definition is not None else None for each in known.alternatives]
    are_plain = all(cls is not None and CELL not in kin(program, "", cls) for cls in classes)
    return bool(classes) and not known.open and are_plain


def _named(scope: Scope, node: ast.AST, code: str = "") -> Obstacle:
    text = Message("graph mode is not known to compile `{code}`", code=short(flat(code or _text(scope, node)), _SHOWN))
    return obstacle(scope.module, node, "unproven", text)


def _text(scope: Scope, node: ast.AST) -> str:
    """Return the source text of a node; of a loop and a class its first line, without a comment."""
    text = scope.module.text(node)
    is_long = isinstance(node, (*LOOPS, ast.ClassDef))
    return text.partition("\n")[0].partition("#")[0].rstrip().rstrip(":") if is_long else text


def _in_function(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the code of a compiled function that is not known to compile."""
    cls = function.cls
    if cls is not None:
        odd = _oddity(program, cls)
        if odd is not None:
            yield _named(cls.parent or cls, odd, f"class {cls.name}")
        receiver = receiver_name(function)
        if receiver not in ("self", ""):
            yield _named(function, function.node, f"def {function.name}({receiver}, ...)")
    for decorator in getattr(function.node, "decorator_list", ()):
        if word_of(decorator) not in _DECORATORS and not _is_flag(decorator):
            yield _named(function, decorator, f"@{ast.unparse(decorator)}")
    for step in steps(program, function):
        for node in own_nodes(step):
            if (
                isinstance(node, _FORMS)
                or _is_odd_store(program, function, node)
                or _goes_through_keywords(function, node)
                or _is_kept(program, function, node)
                or _is_at_tensor(program, function, node)
                or _is_part_of_row(program, function, node)
                or (node is step.stmt and _is_deep(program, function, step))
            ):
                yield _named(function, node)
    for site in calls_of(program, function):
        if not is_call_known(program, function, site):
            value, callee = program.evaluator.callees(site), site.node.func  # type: ignore[attr-defined]
            if any(made_outside(program, each) is not None for each in value.alternatives):
                yield _not_in_files(program, Held(callee, function), value)
            else:
                yield _named(function, site.node, f"{ast.unparse(callee)}(...)")


def _is_flag(decorator: ast.expr) -> bool:
    """Return whether a decorator keeps the order of operators alone: `@ops.add_flags(has_effect=True)`."""
    is_call = isinstance(decorator, ast.Call) and word_of(decorator.func) == "add_flags"
    return is_call and [word.arg for word in decorator.keywords] == ["has_effect"]  # type: ignore[attr-defined]


def _is_deep(program: Program, function: Scope, step: Site) -> bool:
    """Return whether compiled loops nest too many calls: each pass with a test on a tensor is one level deeper.

    Run: 100 passes compile, 200 exceed the depth of calls of the compiler; a loop in a `while` is in all its passes.
    """
    loops = step.block.loops
    if isinstance(step.stmt, (ast.Break, ast.Continue)):
        return len(loops) > 1
    if isinstance(step.stmt, ast.If) and loops and Tensors(program, function).is_tested(step.stmt.test):
        return _passes(program, function, loops) > _PASSES
    return isinstance(step.stmt, ast.While) and any(isinstance(node, LOOPS) for node in descendants(step.stmt)[1:])


def _passes(program: Program, function: Scope, loops: Sequence[ast.AST]) -> int:
    """Return how often the body of nested loops runs; more than _PASSES if that is not known."""
    passes = 1
    for loop in loops:
        over = loop.iter if isinstance(loop, ast.For) else None
        end = over.args[-1] if isinstance(over, ast.Call) and word_of(over.func) == "range" and over.args else None
        known = program.value(end, function).constants if end is not None else ()
        passes *= max((each for each in known if isinstance(each, int)), default=_PASSES + 1)
    return passes


def _goes_through_keywords(function: Scope, node: ast.AST) -> bool:
    """Return whether a loop goes through the `**keywords` of the function: what they are differs from call to call."""
    rest = getattr(getattr(function.node, "args", None), "kwarg", None)
    over = node.iter if isinstance(node, (ast.For, ast.comprehension)) else None
    return over is not None and rest is not None and any(word_of(each) == rest.arg for each in ast.walk(over))


def _is_part_of_row(program: Program, function: Scope, node: ast.AST) -> bool:
    """Return whether an expression is a part of a `SequentialCell`, which trains differently; of a `CellList` not.

    Run: `for layer in self.layers[1:]: x = layer(x)`.
    """
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return False
    return any(
        each.type_api == "mindspore.nn.SequentialCell" for each in program.value(node.value, function).alternatives
    )


def _is_kept(program: Program, function: Scope, node: ast.AST) -> bool:
    """Return whether compiled code stores a computed value in an attribute, other than a Parameter or a count.

    Run: a tensor that compiled code keeps in an attribute and reads there gives other gradients in graph mode.
    """
    targets, value = assigned(node)
    parts = ast.walk(value) if value is not None else ()
    if not any(isinstance(each, ast.Call) or (isinstance(each, ast.Name) and each.id != "self") for each in parts):
        return False
    held = [each for target in targets for each in ast.walk(target) if isinstance(each, ast.Attribute)]
    for each in (each for each in held if isinstance(each.ctx, ast.Store)):
        known = program.value(each, function).alternatives
        if each.attr in _read(program) and not any(map(is_parameter, known)):
            return True
    return False


def _is_at_tensor(program: Program, function: Scope, node: ast.AST) -> bool:
    """Return whether a statement assigns to a slice from or to a tensor: `x[at : at + 1] = ...` (run: it fails)."""
    stored = [each for target in assigned(node)[0] for each in ast.walk(target) if isinstance(each, ast.Subscript)]
    slices = (part for each in stored if isinstance(each.ctx, ast.Store) for part in ast.walk(each.slice))
    bounds = [end for each in slices if isinstance(each, ast.Slice) for end in (each.lower, each.upper)]
    if not any(bounds):
        return False
    tensors = Tensors(program, function)
    return any(tensors.is_one(end) for end in bounds if end is not None)


@fact
def _read(program: Program) -> frozenset[str]:
    """Return the attributes that compiled code reads."""
    nodes = (node for function in compiled(program) for node in descendants(function.node))
    return frozenset(node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load))


def _is_odd_store(program: Program, function: Scope, node: ast.AST) -> bool:
    """Return whether a statement fills or changes a dict, other than with a tensor under a known key.

    A dict whose entries are of several types does not compile once one is added (run: strings, None).
    """
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Subscript) and _is_mapping(program, function, node.target)
    for target in (each for one in targets(node) for each in ast.walk(one) if isinstance(each, ast.Subscript)):
        if isinstance(target.ctx, ast.Store) and _is_mapping(program, function, target):
            is_plain = _is_text(target.slice) and _is_computed(function, node.value)  # type: ignore[attr-defined]
            if not is_plain:
                return True
    return False


def _is_text(key: ast.expr) -> bool:
    """Return whether a key is a constant, or a text that is put together: `"loss/" + name`."""
    sides = (key.left, key.right) if isinstance(key, ast.BinOp) and isinstance(key.op, ast.Add) else (key,)
    return any(isinstance(side, ast.Constant) and (side is key or isinstance(side.value, str)) for side in sides)


def _is_computed(function: Scope, node: ast.expr) -> bool:
    """Return whether an expression is computed or passed in: a tensor, as far as can be seen."""
    if isinstance(node, ast.Name) and function.home(node.id) is function:
        made = [each for each in function.flow.at(node) if not each.path]
        values = [each.value for each in made if each.kind == "assign"]
        is_given = all(each.kind == "assign" or (each.kind == "parameter" and each.value is None) for each in made)
        return bool(made) and is_given and all(isinstance(each, (ast.Call, ast.BinOp)) for each in values)
    return isinstance(node, (ast.Call, ast.BinOp))


def _is_mapping(program: Program, function: Scope, target: ast.Subscript) -> bool:
    """Return whether a subscript is one of a dict: by its key, or by what its base is known to be."""
    if isinstance(target.slice, ast.JoinedStr) or isinstance(getattr(target.slice, "value", None), str):
        return True
    known = program.value(target.value, function).alternatives
    if any(each.is_mapping for each in known):
        return True
    reaching = function.flow.at(target.value) if isinstance(target.value, ast.Name) else ()
    return any(isinstance(each.value, (ast.Dict, ast.DictComp)) for each in reaching if not each.path)


@fact
def _oddity(program: Program, cls: Scope) -> Optional[ast.AST]:
    """Return the metaclass or the method of Python's protocol of a class that changes how it behaves; None if none.

    `__call__` changes how cells behave, not other objects (run).
    """
    methods = (
        "__getattr__",
        "__getattribute__",
        "__setattr__",
        *(("__call__",) if is_cell_class(program, cls) else ()),
    )
    for each in ancestors(program.evaluator, cls):
        node = each.node
        if isinstance(node, ast.ClassDef) and any(keyword.arg == "metaclass" for keyword in node.keywords):
            return node
        for name in methods:
            own = each.method(name)
            if own is not None:
                return own.node
    return None
