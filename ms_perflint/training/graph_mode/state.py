"""State that Python and compiled code share by names and attributes, and that graph mode does not pass on.

Run on 2.10, CPU. A name, an attribute of any object, a list, dict or array of NumPy that Python changes between steps
keeps its first value in compiled code: a number, a Tensor, a cell, `requires_grad`; only a Parameter is read again.
What compiled code assigns to an attribute reaches Python once, from the first step; what it puts into a list or dict,
or gives to a global, never does; tuples, lists and dicts that are assigned do. An attribute that is None is None in the
rest of the
graph too. Whole numbers that compiled code counts in an attribute are right, in tests and for Python; as a factor
they stop the gradient, or compile to an unknown type. An attribute that is a Parameter is right everywhere.
`set_train` of a cell that is called itself is right; under `value_and_grad` the mode of the first step stays, which
programs that switch around an evaluation do not meet.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional, Union

from ms_perflint.index.execution_order import never_before, place
from ms_perflint.index.semantic_index import COMPREHENSIONS, FUNCTIONS, Binding, Block, Scope, Site
from ms_perflint.index.syntax_forms import descendants, is_own, object_of, text_of, word_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.list_changes import identities
from ms_perflint.infer.places import ADDS
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import is_cell, is_parameter
from ms_perflint.training.dtypes.tensor_ops import gives_tensor
from ms_perflint.training.graph_mode import set_by_calls
from ms_perflint.training.graph_mode.branches import root_of
from ms_perflint.training.graph_mode.compiled import (
    assigned,
    compiled,
    filled,
    is_compiled,
    is_making,
    own_nodes,
    steps,
)
from ms_perflint.training.graph_mode.constants import is_constant
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.graph_mode.recreated import is_recompiled_after
from ms_perflint.training.optimizers import names_optimizer
from ms_perflint.training.repetition import repeats

_BOUND = frozenset({"assign", "rest", "augment", "for", "with"})
_CONTAINERS = frozenset(
    {"builtins.list", "builtins.dict", "builtins.set", "collections.defaultdict", "collections.deque"}
)
_MADE = ("__init__", "__new__")
_STOPS = "stop_gradient"
_PRODUCTS = frozenset({"mul", "div", "matmul", "bmm", "dense"})


def in_state(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the state that a compiled function reads and Python changes between steps, or the reverse."""
    yield from _names_changed(program, function)
    yield from _attributes_changed(program, function)
    yield from _written(program, function)
    yield from _filled(program, function)
    yield from _reassigned(program, function)


# --- read in compiled code, changed by Python


def _names_changed(program: Program, function: Scope) -> Iterator[Obstacle]:
    loads: dict[str, ast.Name] = {}
    for node in free(function.node, frozenset()):
        loads.setdefault(node.id, node)
    for name, node in sorted(loads.items()):
        home = function.home(name)
        if home is None or home is function:
            continue
        by_calls = set_by_calls.stored_globals(program, home.module, name) if home is home.module.scope else []
        is_rebound = any(_is_changed(program, each) for each in (*home.bindings[name], *by_calls))
        if is_rebound or _has_changed_items(program, node, function):
            message = Message("graph mode keeps the first value of `{name}`, which changes between steps", name=name)
            yield obstacle(function.module, node, "changed", message)


def _has_changed_items(program: Program, node: ast.Name, function: Scope) -> bool:
    """Return whether a name is a container of an outer scope whose items Python changes between steps."""
    changes = _changed_containers(program)
    own = _identities(program.value(node, function)) if changes else frozenset()
    entries = (each for each in descendants(function.node) if isinstance(each, ast.Subscript) and each.value is node)
    entry = next(entries, None) if own else None
    return any(own & identities and not _is_other_item(change, entry) for change, identities in changes)


@fact
def _changed_containers(program: Program) -> tuple[tuple[Binding, frozenset[object]], ...]:
    """Return the changes of items in containers of outer scopes between steps, each with its containers."""
    changes = [each for each in set_by_calls.changed_names(program) if _is_changed(program, each)]
    values = [program.value(each.node, each.scope) for each in changes if isinstance(each.node, ast.expr)]
    return tuple((each, _identities(value)) for each, value in zip(changes, values))


def _identities(value: Value) -> frozenset[object]:
    """Return the identities of the containers that a value can be."""
    made = (each.identity for each in value.alternatives if each.type_api in _CONTAINERS or _is_array(each))
    return frozenset({*identities(value), *made})


def _is_array(known: Alternative) -> bool:
    """Return whether something is an array of NumPy that a call makes: compiled code keeps its first items."""
    return known.is_made and known.type_api.startswith("numpy.")


def free(node: ast.AST, bound: frozenset[str]) -> Iterator[ast.Name]:
    """Yield the names that a function reads, without those that its comprehensions and lambdas bind."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in bound:
            yield node
        return
    if isinstance(node, COMPREHENSIONS):
        targets = (target for each in node.generators for target in ast.walk(each.target))
        bound |= {target.id for target in targets if isinstance(target, ast.Name)}
    elif isinstance(node, ast.Lambda):
        bound |= {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, FUNCTIONS):
            yield from free(child, bound)


def _is_changed(program: Program, binding: Binding) -> bool:
    """Return whether Python gives a name or attribute another value between training steps."""
    scope = binding.scope
    if binding.kind not in _BOUND or is_compiled(program, scope) or _is_made_again(program, binding):
        return False
    if scope.owner.name in _MADE and scope.owner.cls is not None:
        return False
    if is_own(binding.node) and is_making(program, scope.owner):
        return False
    block = binding.block
    if binding.kind == "for":
        block = Block(scope, block, binding.stmt, "body")
    site = Site.of(binding.stmt, block)
    return program.runs(site) and repeats(program, site, even_once=True) and not is_recompiled_after(program, site)


def _is_made_again(program: Program, binding: Binding) -> bool:
    """Return whether a binding gives the same cell, optimizer or constant again: `net = net.set_train()`."""
    value = binding.value
    if binding.kind != "assign" or value is None:
        return False
    if isinstance(value, ast.Constant):
        beside = binding.scope.owner.bindings.get(binding.name, ())
        return len([each for each in beside if each.kind != "parameter"]) == 1
    made = program.value(value, binding.scope)
    return made.are(lambda known: known.type_api.startswith("mindspore.ops.") or is_cell(program, known))


def _attributes_changed(program: Program, function: Scope) -> Iterator[Obstacle]:
    module = function.module
    entries = {id(node.value): node for node in descendants(function.node) if isinstance(node, ast.Subscript)}
    keys = {_key(node) for node in entries.values()} - {""}
    named: set[int] = set()
    for attr in (*sorted(keys), *sorted(function.attrs - keys)):
        stores = [each for each in set_by_calls.all_stores(program, attr) if _is_changed(program, each)]
        items = [each for each in set_by_calls.changed_items(program, attr) if _is_changed(program, each)]
        for node in _loads(function, attr) if stores or items else ():
            value = program.value(node, function)
            if id(node) in named or any(map(is_parameter, value.alternatives)):
                continue
            scope = module.scope_of.get(id(node), function)
            inside = [each for each in items if not _is_other_item(each, entries.get(id(node)))]
            is_held = value.are(_is_array) or (
                _is_container(program, node, function) and not any(map(_is_tensor, value.alternatives))
            )
            changes = stores + (inside if is_held else [])  # items of a tensor do arrive (run on 2.10, CPU)
            if any(_same_object(program, each, node.value, scope) for each in changes):
                name = ast.unparse(node)
                message = Message(
                    "graph mode keeps the first value of `{name}`, which changes between steps", name=name
                )
                named.add(id(node.value))
                yield obstacle(module, node, "changed", message)
                break


def _is_other_item(change: Binding, entry: Optional[ast.Subscript]) -> bool:
    """Return whether a change leaves the item that is read as it is, or is a store that counts by its key."""
    changed = set_by_calls.keys_of(change)
    if entry is None or not changed or not isinstance(entry.slice, ast.Constant):
        return False
    return (_key(entry) != "" and set_by_calls.is_store(change)) or entry.slice.value not in changed


def _key(node: ast.AST) -> str:
    """Return the text of a subscript; "" for other nodes."""
    return text_of(node.slice) if isinstance(node, ast.Subscript) else ""


def _loads(scope: Scope, attr: str) -> list[Union[ast.Attribute, ast.Subscript]]:
    return [
        node
        for node in descendants(scope.node)
        if isinstance(node, (ast.Attribute, ast.Subscript)) and word_of(node) == attr and isinstance(node.ctx, ast.Load)
    ]


def _same_object(program: Program, store: Binding, base: ast.expr, scope: Scope) -> bool:
    """Return whether a store may be in the object from which an attribute is read."""
    target = store.node.value if isinstance(store.node, (ast.Attribute, ast.Subscript)) else None
    if target is None:
        return False
    return bool(_kin(program, object_of(target) or target, store.scope) & _kin(program, base, scope))


def _kin(program: Program, node: ast.expr, scope: Scope) -> set[object]:
    """Return the possible classes of an object, with their bases; of objects of other classes the identity."""
    owner = scope.owner.cls
    found: set[object] = set()
    if owner is not None and isinstance(node, ast.Name) and node.id == "self":
        return {owner, *ancestors(program.evaluator, owner)}
    for known in program.value(node, scope).alternatives:
        if known.cls is not None:
            found.update(ancestors(program.evaluator, known.cls))
        else:
            found.add(known.identity)
    return found


# --- a Parameter, read and then assigned in compiled code


def _reassigned(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the reads of a Parameter that the function assigns later, where the two modes take different values.

    Run on 2.10, CPU: `stop_gradient(self.scale)` gives the new value in graph mode, and PyNative differentiates a
    product with the new one. Both modes are right with `self.scale * 1.0`, in a sum, and in a function of it.
    """
    is_step = names_optimizer(function.owner)
    running = steps(program, function)
    assigning = [(each.stmt, place(each.stmt, each.scope), set(_assigned_of(each.stmt))) for each in running]
    assigning = [each for each in assigning if each[2]]
    for step in running if assigning else ():
        at = place(step.stmt, step.scope)
        behind = (names for stmt, later, names in assigning if stmt is not step.stmt and not never_before(at, later))
        later = set().union(*behind)
        for node in own_nodes(step) if later else ():
            is_stop = isinstance(node, ast.Call) and word_of(node.func) == _STOPS
            parts = _operands(node) if is_stop or not is_step else []
            if not is_stop and all(is_constant(program, function, each) for each in parts):
                continue  # no gradient goes through it: `self.mean * 0.9`
            for read in (each for each in parts if isinstance(each, ast.Attribute) and is_own(each)):
                if read.attr in later and any(map(is_parameter, program.value(read, function).alternatives)):
                    name = ast.unparse(read)
                    text = Message("graph mode gives `{name}` as it is assigned after this", name=ast.unparse(node))
                    if not is_stop:
                        text = Message(
                            "PyNative differentiates this with the `{name}` that is assigned later", name=name
                        )
                    yield obstacle(function.module, node, "order", text)


def _operands(node: ast.AST) -> list[ast.expr]:
    """Return the parts of a product, or the arguments of a function that is one or stops a gradient."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right] if isinstance(node.op, (ast.Mult, ast.Div, ast.MatMult)) else []
    return node.args if isinstance(node, ast.Call) and word_of(node.func) in _PRODUCTS | {_STOPS} else []


def _assigned_of(stmt: ast.AST) -> Iterator[str]:
    """Yield the attributes of the cell that a statement assigns, also by `ops.assign(self.scale, ...)`."""
    call = stmt.value if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call) else None
    by_call = call.args[:1] if call is not None and word_of(call.func).startswith("assign") else []
    yield from (
        each.attr for each in (*assigned(stmt)[0], *by_call) if isinstance(each, ast.Attribute) and is_own(each)
    )


# --- written in compiled code, read by Python


def _written(program: Program, function: Scope) -> Iterator[Obstacle]:
    for step in steps(program, function):
        for target in (node for each in assigned(step.stmt)[0] for node in ast.walk(each)):
            if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store):
                found = _of_attribute(program, function, step.stmt, target)
                if found is not None:
                    yield found


def _of_attribute(program: Program, function: Scope, stmt: ast.AST, target: ast.Attribute) -> Optional[Obstacle]:
    """Return the obstacle in an assignment to an attribute in compiled code; None without one."""
    load = ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    if any(map(is_parameter, program.value(load, function).alternatives)):  # before compiled code assigns to it
        return None
    if isinstance(getattr(stmt, "value", None), (ast.Tuple, ast.List, ast.Dict, ast.ListComp)):
        return None  # they do reach Python
    name = ast.unparse(load)
    if _counts(stmt, target):
        own = [each for each in compiled(program) if each.cls is function.cls is not None]
        if any(_is_factor(node, each) for each in own for node in _loads(each, target.attr)):
            text = Message("a number counted in compiled code stops the gradient: `{name}`", name=name)
            return obstacle(function.module, target, "written", text)
        return None
    for scope in (scope for module in program.modules for scope in module.scopes):
        is_reader = target.attr in scope.attrs and scope.owner is scope and not is_compiled(program, scope)
        if not is_reader or scope.name in _MADE or scope not in program.reached:
            continue
        for node in _loads(scope, target.attr):
            if _kin(program, node.value, scope) & _kin(program, target.value, function):
                text = Message("Python reads `{name}` of the first step only; return it instead", name=name)
                return obstacle(function.module, target, "written", text)
    return None


def _counts(stmt: ast.AST, target: ast.Attribute) -> bool:
    """Return whether a statement adds a whole number to an attribute: `self.n += 1`, `self.n = self.n + 1`."""
    if isinstance(stmt, ast.AugAssign):
        return isinstance(stmt.value, ast.Constant)
    value = getattr(stmt, "value", None)
    sides = [value.left, value.right] if isinstance(value, ast.BinOp) else []
    return any(isinstance(side, ast.Constant) for side in sides) and any(
        isinstance(side, ast.Attribute) and side.attr == target.attr for side in sides
    )


def _is_factor(node: ast.AST, function: Scope) -> bool:
    """Return whether a counted attribute is an operand of other values: not compared, and not only counted on."""
    for outer in descendants(function.node):
        if isinstance(outer, ast.BinOp) and node in (outer.left, outer.right) and not isinstance(outer.op, ast.Mod):
            other = outer.right if node is outer.left else outer.left
            is_count = isinstance(outer.op, ast.Add) and isinstance(other, ast.Constant)
            return not is_count or _is_factor(outer, function)  # `x / (self.n + 1)`
    return False


def _filled(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the lists, dicts and tensors of Python that compiled code fills: they stay as they were.

    Run on 2.10, CPU: `self.log[0] = loss` and `self.log[0] += loss` of a tensor are lost in graph mode, also for other
    compiled functions and the next step. Of an attribute that is a list or dict the same function loses them too.
    """
    for holder in (each for step in steps(program, function) for each in filled(step.stmt, ADDS)):
        if _is_lost(program, holder, function) and _is_container(program, holder, function):
            message = Message("what compiled code stores in `{name}` is lost", name=ast.unparse(holder))
            yield obstacle(function.module, holder, "filled", message)


def _is_container(program: Program, node: ast.expr, function: Scope) -> bool:
    if isinstance(node, ast.Name):
        home = function.home(node.id)
        if home is None or home.owner is function.owner:
            return False
    elif not isinstance(node, ast.Attribute):
        return False
    value = program.value(node, function)
    return value.are(lambda known: known.is_display or known.type_api in _CONTAINERS or _is_tensor(known))


def _is_tensor(known: Alternative) -> bool:
    """Return whether something is a tensor of MindSpore that a call makes, and no Parameter."""
    api = root_of(known)
    return api in ("mindspore.Tensor", "mindspore.tensor") or (known.is_made and gives_tensor(api))


def _is_lost(program: Program, holder: ast.expr, function: Scope) -> bool:
    """Return whether code loads a container that a compiled function fills, and does not see that: Python, mostly."""
    owners = (each for module in program.modules for each in (*module.scopes, module.scope) if each.owner is each)
    python = (each for each in owners if each.name not in _MADE and not is_compiled(program, each))
    if any(True for scope in python for _ in _reads_in(program, scope, holder, function)):
        return True
    if isinstance(holder, ast.Name):
        others = (each for each in compiled(program) if each is not function)
        return any(True for scope in others for _ in _reads_in(program, scope, holder, function))

    def is_seen(scope: Scope, node: ast.expr) -> bool:
        is_behind = scope is function and node.lineno > holder.lineno
        return is_behind and any(map(_is_tensor, program.value(holder, function).alternatives))

    reads = ((scope, node) for scope in compiled(program) for node in _reads_in(program, scope, holder, function))
    return any(node is not holder and not is_seen(scope, node) for scope, node in reads)


def _reads_in(program: Program, scope: Scope, holder: ast.expr, function: Scope) -> Iterator[ast.expr]:
    """Yield the loads of a container of a function in another scope; for one under a name the name itself."""
    if isinstance(holder, ast.Name):
        if holder.id in scope.names and scope.home(holder.id) is function.home(holder.id):
            yield holder
    elif isinstance(holder, ast.Attribute) and holder.attr in scope.attrs:
        own = _kin(program, holder.value, function)
        yield from (node for node in _loads(scope, holder.attr) if _kin(program, node.value, scope) & own)
