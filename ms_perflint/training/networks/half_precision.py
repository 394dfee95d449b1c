"""The half-precision controls that reach a network: one in a metric, or in another network, does not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple, Optional, Union

from ms_perflint.index.semantic_index import FUNCTIONS, Scope, Site
from ms_perflint.index.syntax_forms import children, only_target, word_of
from ms_perflint.infer.values import BOTTOM, Alternative, Value
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import training
from ms_perflint.training.bases import CELLS, is_cell, kin
from ms_perflint.training.dtypes.casts import read_cast
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.dtypes.tensor_ops import PRINTS
from ms_perflint.training.networks import networks, precision
from ms_perflint.training.networks.matmul import is_matmul
from ms_perflint.training.networks.networks import Search, is_loss
from ms_perflint.training.networks.train_cells import LEVELS, MODEL, WRAPPERS, has_optimizer

DTYPES = frozenset({"mindspore.float16", "mindspore.bfloat16"})
NAMES = frozenset({"float16", "bfloat16", "half"})
TEXTS = frozenset({"float16", "bfloat16", "fp16", "bf16"})
CASTS = frozenset({"cast", "Cast", "astype", "to", "half", "bfloat16", "type"})
SORTS = frozenset({"TopK", "topk", "Sort", "sort", "argsort", "top_k", "ArgSort"})
# ascend_config={"precision_mode": ...}, device_context.ascend.op_precision.precision_mode(...)
PRECISION = "precision_mode"
PRECISE = ("dtype", "precision", "compute_type")  # parts of names of parameters that take a dtype by name
MARKS = (*sorted(NAMES), *sorted(TEXTS), PRECISION)
KEEPS = frozenset({"must_keep_origin_dtype", "force_fp32"})

_NAMED_LEVELS = frozenset({"O0", "O1", "O2", "O3"})
_CHECKS = r"(?i)check(?!_?point)|valid"  # of a function
_BESIDE = ("Metric", "Callback", "Loss", "LossBase")  # classes that are no part of a network

Parents = tuple[ast.AST, ...]  # from the outermost to the nearest


class Mention(NamedTuple):
    """A node that names half precision, and the nodes around it in its scope."""

    scope: Scope
    node: ast.AST
    parents: Parents


def mentions(program: Program) -> Iterator[Mention]:
    """Yield where running code names half precision for what may be matmul, or sets a precision mode."""
    for module in program.modules:
        if program.project.contains_any(module.path, MARKS):
            for scope in module.scopes:
                if scope.owner is scope and scope in program.reached and _may_mention(scope):
                    yield from _in_scope(program, scope)


def _may_mention(scope: Scope) -> bool:
    """Return whether the source of a scope contains a word for half precision, or a name that stands for one."""
    module, node = scope.module, scope.node
    if isinstance(node, ast.Module):
        return True
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    start = min(module.span(part)[0] for part in (node, *decorators))
    text = module.source.text[start : module.span(node)[1]]
    return any(mark.encode() in text for mark in MARKS) or any(_is_renamed(scope, name) for name in scope.names)


def _in_scope(program: Program, scope: Scope) -> Iterator[Mention]:
    """Yield where the code of a scope, without inner functions and classes, names half precision."""
    for node, parents in nodes(scope.node):
        if isinstance(node, ast.Constant):
            is_in_method = scope.is_function and scope.cls is not None
            says = node.value in TEXTS and (is_in_method or _is_precision(parents))
            if (node.value == PRECISION and _is_mode(parents, node)) or (
                says and not _is_harmless(program, scope, node, parents)
            ):
                yield Mention(scope, node, parents)
        elif isinstance(node, (ast.Attribute, ast.Name)) and _is_half(program, scope, node, parents):
            if not _is_harmless(program, scope, node, parents):
                yield Mention(scope, node, parents)
        elif isinstance(node, ast.keyword) and node.arg == PRECISION:
            yield Mention(scope, node.value, parents)


def nodes(root: ast.AST) -> Iterator[tuple[ast.AST, Parents]]:
    """Yield the nodes of a scope, each with those around it; functions and classes inside are scopes of their own."""
    stack: list[tuple[ast.AST, Parents]] = [(child, (root,)) for child in children(root)]
    while stack:
        node, parents = stack.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        yield node, parents
        around = (*parents, node)
        stack.extend((child, around) for child in children(node))


def _is_half(program: Program, scope: Scope, node: Union[ast.Attribute, ast.Name], parents: Parents) -> bool:
    """Return whether a name is a dtype of MindSpore in half precision, `x.half()`, or a precision mode that is set."""
    if isinstance(node, ast.Attribute) and node.attr == PRECISION:
        return isinstance(parents[-1], ast.Call) and parents[-1].func is node
    word = node.attr if isinstance(node, ast.Attribute) else node.id
    if word not in NAMES and not (isinstance(node, ast.Name) and _is_renamed(scope, word)):
        return False
    if not isinstance(node.ctx, ast.Load):
        return False
    call = parents[-1]
    if isinstance(call, ast.Call) and call.func is node and isinstance(node, ast.Attribute):
        is_bare = not call.args and not call.keywords  # `x.half()`, `x.bfloat16()`
        return word != "float16" and is_bare and not _is_own(scope, node)
    return any(known.api in DTYPES for known in program.value(node, scope).alternatives)


def _is_own(scope: Scope, node: ast.Attribute) -> bool:
    """Return whether an attribute is one that its class sets: `self.half = ops.Split(axis=1, output_num=2)`."""
    cls = scope.owner.cls
    return isinstance(node.value, ast.Name) and cls is not None and node.attr in cls.attributes


def _is_renamed(scope: Scope, name: str) -> bool:
    """Return whether an import binds a half-precision dtype to a name: `from mindspore import float16 as fp16`."""
    return any(alias.name in NAMES for _, alias in scope.module.imported.get(name, ()))


def _is_mode(parents: Parents, node: ast.AST) -> bool:
    """Return whether `"precision_mode"` is a key with a value that does not keep float32."""
    display = parents[-1]
    if isinstance(display, ast.Dict):
        for key, value in zip(display.keys, display.values):
            if key is node:
                return not (isinstance(value, ast.Constant) and value.value in KEEPS)
    return isinstance(display, ast.Subscript)


def _is_precision(parents: Parents) -> bool:
    """Return whether a text is an argument for a dtype to compute in: `Net(dtype="float16")`."""
    name = parents[-1].arg if isinstance(parents[-1], ast.keyword) else None
    return name is not None and any(part in name for part in PRECISE)


# --- what half precision is used for


def _is_harmless(program: Program, scope: Scope, node: ast.AST, parents: Parents) -> bool:
    """Return whether a mention reaches no matmul or convolution: a comparison, NumPy, a loss, a sort, a print."""
    if any(isinstance(parent, (ast.Compare, ast.Raise, ast.Assert)) for parent in parents):
        return True
    if any(map(partial(_is_other_arm, program, scope), parents, (*parents[1:], node))):
        return True
    call = call_around(parents)
    if call is None:
        return _is_allowed(parents) or _is_unread(program, parents)
    is_numpy = any(known.api.startswith("numpy.") for known in program.value(call.func, scope).alternatives)
    if is_numpy or is_loss(program, scope):  # `np.zeros(n, "float16")`, `np.load(file).astype("float16")`
        return True
    position = parents.index(call)
    if not _is_cast(call):
        return False
    if any(isinstance(each, ast.Call) and word_of(each.func) in PRINTS for each in parents[:position]):
        return True
    return (
        _is_of_whole(program, scope, call)
        or _is_sorted(scope, parents[:position])
        or _is_taken_back(program, scope, parents[:position])
    )


def _is_allowed(parents: Parents) -> bool:
    """Return whether a node is one of several dtypes that a call only checks: `check(x.dtype, [float32, float16])`."""
    several, call = parents[-1], call_around(parents[:-1])
    if call is None or not isinstance(several, (ast.List, ast.Tuple, ast.Set)):
        return False
    is_any = any(word_of(each) not in NAMES for each in several.elts)
    return is_any and re.search(_CHECKS, _called_word(call)) is not None


def _is_other_arm(program: Program, scope: Scope, parent: ast.AST, node: ast.AST) -> bool:
    """Return whether a node is an arm that the default level does not take: `fp32 if level == "O0" else fp16`.

    The call that sets the level is a control of its own. An arm that no run takes counts too, and one for what is in
    half precision already: `if x.dtype == float16: x = x.half()`.
    """
    if not isinstance(parent, (ast.If, ast.IfExp)) or node is parent.test:
        return False
    is_body = any(each is node for each in (parent.body if isinstance(parent.body, list) else [parent.body]))
    if is_body and _asks_for_half(program, scope, parent.test):
        return True
    value = program.value(parent.test, scope)
    is_level = any(isinstance(each, ast.Constant) and each.value in _NAMED_LEVELS for each in ast.walk(parent.test))
    holds = value.default_truth if is_level else value.truth
    return holds is not None and holds is not is_body


def _asks_for_half(program: Program, scope: Scope, test: ast.expr) -> bool:
    """Return whether a test is whether a dtype is half precision: `x.dtype == ms.float16`."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Eq, ast.Is)):
        return False
    values = (program.value(each, scope) for each in (test.left, *test.comparators))
    return any(known.api in DTYPES for value in values for known in value.alternatives)


def _is_unread(program: Program, parents: Parents) -> bool:
    """Return whether a dtype is stored in an attribute that no code reads: `self.dtype = float16`."""
    stmt = parents[-1]
    target = only_target(stmt)
    if not isinstance(target, ast.Attribute):
        return False
    return not any(target.attr in scope.attrs for module in program.modules for scope in module.scopes)


def _is_of_whole(program: Program, scope: Scope, cast: ast.Call) -> bool:
    """Return whether a cast is one of a mask or of whole numbers."""
    dtypes = Dtypes(program)
    found = read_cast(dtypes, cast, scope)
    dtype = dtypes.of(found.value, scope) if found is not None else None
    return dtype is not None and dtype.is_whole


def call_around(parents: Parents) -> Optional[ast.Call]:
    """Return the call of which a mention is an argument or the callee; None without one."""
    for parent in reversed(parents):
        if isinstance(parent, ast.Call):
            return parent
        if not isinstance(parent, ast.keyword):
            return None
    return None


def _is_cast(call: ast.Call) -> bool:
    return _called_word(call) in CASTS


def _called_word(call: ast.Call) -> str:
    """Return the last word of a callee, or of the call that made it: `P.Cast()(x, t)`."""
    return word_of(call.func.func if isinstance(call.func, ast.Call) else call.func)


def _is_sorted(scope: Scope, parents: Parents) -> bool:
    """Return whether the result of a cast is sorted, directly or by its name, which avoids missing kernels."""
    parent = parents[-1] if parents else None
    if isinstance(parent, ast.Call) and _sorts(scope, parent):
        return True
    target = only_target(parent)
    if not isinstance(target, ast.Name):
        return False
    sorting = [s.node for s in scope.owner.calls if isinstance(s.node, ast.Call) and _sorts(scope, s.node)]
    return any(isinstance(arg, ast.Name) and arg.id == target.id for call in sorting for arg in call.args)


def _is_taken_back(program: Program, scope: Scope, parents: Parents) -> bool:
    """Return whether an operator without matmul gets the result of a cast, and its own is cast to float32.

    `self.pool(x.astype(float16)).astype(float32)` avoids a missing kernel.
    """
    around = [parent for parent in parents[-4:] if isinstance(parent, ast.Call)]
    if len(around) < 2 or not _is_cast(around[-2]) or parents[-1] is not around[-1]:
        return False
    word = word_of(around[-2].args[-1]) if around[-2].args else ""
    made = program.value(around[-1].func, scope)
    names = [known.api or known.type_api for known in made.alternatives]
    plain = not made.open and all(name.startswith("mindspore.") and not is_matmul(name) for name in names)
    return bool(names) and plain and word in ("float32", "dtype")


def _sorts(scope: Scope, call: ast.Call) -> bool:
    word = _called_word(call)
    return any(word in {sort, *scope.module.result_names(sort)} for sort in SORTS)


# --- which network a control reaches


def controls(program: Program, values: Iterable[Value]) -> Iterator[Union[Site, Mention]]:
    """Yield the half-precision controls that may reach a network; where parts of it are unknown, all of the program."""
    found: Iterator[Union[Site, Mention]] = chain(precision.switches(program), mentions(program))
    first = next(found, None)
    if first is None:
        return
    network = networks.reach(program, values)
    for control in chain([first], found):
        if training.sets_nothing(program, control.scope):
            continue
        if isinstance(control, Mention):
            if _is_reached_by_mention(program, network, control):
                yield control
        elif _is_reached_by_switch(program, network, control):
            yield control


def _is_reached_by_switch(program: Program, network: Search, site: Site) -> bool:
    """Return whether a level, a conversion, a flag or `to_float` may reach the network."""
    if isinstance(site, Call) and site.api in LEVELS:
        if site.api == MODEL and not site.is_spread and not has_optimizer(site):
            return False  # without an optimizer there is no training
        given = site.given("network")
    elif site.base is not None and "mixed_precision" not in site.word:
        given = site.base
    else:
        given = next(iter(site.call.args), None)
        given_out = (each for each in program.value(site.node, site.scope).alternatives if each.creation is not None)
        if any(known.identity in network.seen for known in given_out):
            return True  # what a function of a library gives, which is not in the files
    return given is None or _may_hold(program, network, program.value(given, site.scope))


def _may_hold(program: Program, network: Search, value: Value) -> bool:
    """Return whether a value may be the network, or a part of it that multiplies."""
    if value.open or not value.alternatives or not all(known.is_object for known in value.alternatives):
        return True
    return any(_holds(program, network, known) for known in value.alternatives)


def _holds(program: Program, network: Search, known: Alternative) -> bool:
    """Return whether an object is a part of the network that multiplies, or may be the part that is not known."""
    if _is_beside_networks(program, known):
        return False
    made = known.creation
    if made is None:  # `self`
        return known.cls is None or known.cls in network.scopes or network.is_hidden
    within = made.scope.owner in network.scopes or made.scope.owner.parent in network.scopes
    return known.identity in network.seen or within or network.is_hidden


def _is_beside_networks(program: Program, known: Alternative) -> bool:
    """Return whether an object is a metric, a callback, a loss, or a layer that stays in float32 on purpose."""
    if known.cls is not None:
        inner = networks.reach(program, [Value((known,))])  # a loss may be given a network
        is_other = any(base.endswith(_BESIDE) for base in kin(program, "", known.cls))
        return is_other and not inner.has_products and not inner.is_hidden
    names = kin(program, known.type_api, None)
    is_exempt = precision.is_exempt(program, known)
    return known.type_api not in WRAPPERS and (is_exempt or any(name.endswith(_BESIDE) for name in names))


def _is_reached_by_mention(program: Program, network: Search, mention: Mention) -> bool:
    """Return whether code that names half precision may be a part of the network, or give it the dtype."""
    call = call_around(mention.parents)
    site = mention.scope.module.site_at(call) if call is not None else None
    if site is not None and (site.word in ("to_float", *precision.FLAGS) or "mixed_precision" in site.word):
        return False  # that call is asked for itself
    if call is not None and precision.is_beside_training(program, network, mention.scope.owner, call):
        return False
    for scope in mention.scope.chain():
        if scope in network.scopes:
            return True
        if scope.is_class:
            return _is_reached_in_class(program, network, scope)
    if call is None:
        return not _is_unselected(program, mention)
    made = program.value(call, mention.scope)
    are_cells = not made.open and bool(made.alternatives) and all(is_cell(program, each) for each in made.alternatives)
    return not are_cells or _may_hold(program, network, made)


def _is_reached_in_class(program: Program, network: Search, cls: Scope) -> bool:
    """Return whether a class may be a part of the network that is not known, or hold its settings."""
    bases = kin(program, "", cls)
    if any(base.endswith(_BESIDE) for base in bases):
        return False
    return network.is_hidden or not any(base.startswith(CELLS) for base in bases)


def _is_unselected(program: Program, mention: Mention) -> bool:
    """Return whether a dtype is in a table of which the program takes other entries: `DTYPES["fp32"]`."""
    table, stmt = (mention.parents[-1], mention.parents[-2]) if len(mention.parents) > 1 else (None, None)
    target = only_target(stmt)
    module = mention.scope.module
    if not isinstance(table, ast.Dict) or not isinstance(target, ast.Name):
        return False
    if any(target.id in other.imported for other in program.all_modules if other is not module):
        return False
    for scope in (scope for scope in module.scopes if scope.owner is scope):
        for node, parents in nodes(scope.node):
            if isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Load):
                taken = _taken(parents)
                value = program.value(taken, scope) if taken is not None else BOTTOM
                if value.open or value.overridable or not value.alternatives:
                    return False
                if any(known.api in DTYPES for known in value.alternatives):
                    return False
    return True


def _taken(parents: Parents) -> Optional[ast.expr]:
    """Return the expression that takes a value out of a table: `table[key]`, `table.get(key)`; None for others."""
    parent = parents[-1]
    if isinstance(parent, ast.Subscript):
        return parent
    is_get = isinstance(parent, ast.Attribute) and parent.attr == "get" and len(parents) > 1
    return parents[-2] if is_get and isinstance(parents[-2], ast.Call) else None
