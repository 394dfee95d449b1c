"""Code of which it is not known that graph mode compiles it: what is not in the tables of this module.

The burden of proof is turned: the fix stays where all that graph mode would compile is of a kind that was run on 2.10
(CPU, in `construct` and in a function under `value_and_grad`; `tests/proofs/kinds.py`), with the losses of PyNative.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import LOOPS, Binding, Scope, Site
from ms_perflint.index.signature import receiver_name
from ms_perflint.index.syntax_forms import children, descendants, is_decorated, word_of
from ms_perflint.infer.bases import ancestors, lineage, method
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.libraries.mindspore import ROWS
from ms_perflint.program.program import Program, fact
from ms_perflint.training.graph_mode.compiled import (
    APART,
    MANY,
    Step,
    class_of,
    compiled,
    is_compiled,
    own_nodes,
    steps,
    trained,
)
from ms_perflint.training.graph_mode.in_place import in_place
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.training_steps import GRADS, is_optimizer_word, is_step_class


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMPILED_APIS = (
    "mindspore.nn.",
    "mindspore.ops.",
    "mindspore.mint.",
    "mindspore.numpy.",
    "mindspore.scipy.",
    "mindspore.amp.",
    "mindspore.boost.",
    "mindspore.experimental.optim.",
    "mindspore.parallel.",
    "mindspore.Tensor",
    "mindspore.Parameter.",
    "mindspore.tensor",
    "mindspore.grad",
    "mindspore.value_and_grad",
    "mindspore.common.",
    "mindspore.jit",
)
_WRITTEN_FOR_GRAPHS = ("mindcv.", "mindvision.")  # libraries whose training scripts set graph mode
_BUILTINS = _words(
    """range len zip enumerate isinstance print int float bool str abs max min sum pow round tuple list getattr
    hasattr super map filter any all slice type"""
)
_PYTHON = _words(
    """math.sqrt math.log math.log2 math.log10 math.exp math.pow math.ceil math.floor math.sin math.cos math.prod
    numpy.sqrt numpy.log numpy.log2 numpy.exp numpy.prod numpy.power numpy.ceil numpy.floor numpy.array numpy.arange
    numpy.zeros"""
)
_TENSORS = ("mindspore.Tensor", "mindspore.tensor")
_WITH_WEIGHTS = (
    "Dense", "Conv", "BatchNorm", "SyncBatchNorm", "LayerNorm", "GroupNorm", "InstanceNorm", "Embedding", "LSTM", "GRU",
    "RNN", "PReLU", "Bi", "Transformer", "Multihead", "CellList", "SequentialCell",
)  # fmt: skip
_ERRORS = ("Error", "Exception", "Warning")
_OF_TENSORS = _words("view reshape permute transpose clone dim new_full")
_NOT_OF_TENSORS = _words("numpy tolist backward register_hook set_const_arg from_numpy init_data flush_from_cache")
_OF_CONTAINERS = _words("append extend insert pop reverse clear count index items values keys get update")
_OF_STRINGS = _words("format join lower upper split startswith endswith replace strip")
_DECORATORS = _words("staticmethod property abstractmethod override overload setter")
_FORMS: tuple[type[ast.AST], ...] = (ast.ClassDef, ast.AsyncFunctionDef)
_SIZES = _words("shape dtype ndim size itemsize")


@fact
def unproven(program: Program) -> Optional[Obstacle]:
    """Return the first code that graph mode is not known to compile, that of the entry script first; None if none."""
    parts = [each for each in trained(program) if not _is_seen(program.evaluator.read(each))]
    found = [_named(part.scope, part.node) for part in parts]
    for site in program.sites("construct"):  # Python runs it, op by op: what graph mode makes of that was not measured
        if not is_compiled(program, site.scope) and program.runs(site):
            found.append(_named(site.scope, site.node))
    if len(compiled(program)) >= MANY:
        found.append(_named(compiled(program)[-1], compiled(program)[-1].node, compiled(program)[-1].name))
    for function in compiled(program):
        found += _in_function(program, function)
        found += in_place(program, function)
    return min(found, key=lambda each: (each.place.path != program.entry, each.place)) if found else None


def _is_seen(value: Value) -> bool:
    """Return whether all that a network or function can be is of the project, of MindSpore, or of a library for it."""
    known = [_root(each) for each in value.alternatives if each.constant is NO_CONSTANT]
    if not known or (value.open and not all(map(_is_of_mindspore, known))):
        return False
    return all(each.cls or each.definition or _is_cell_api(each.api or each.type_api) for each in known)


def _root(known: Alternative) -> Alternative:
    """Return what was called to make something of no class of its own: `self.grad(self.network, weights)`."""
    while not known.api and not known.type_api and known.origin is not None:
        known = known.origin
    return known


def _named(scope: Scope, node: ast.AST, code: str = "") -> Obstacle:
    shown = code or " ".join(scope.module.text(node).split())
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."
    return obstacle(scope.module, node, "unproven", Message("graph mode is not known to compile `{code}`", code=shown))


_SHOWN = 50


def _in_function(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield what a compiled function holds that is of no kind that is known to compile."""
    cls = class_of(function)
    if cls is not None:
        odd = _oddity(program, cls)
        if odd is not None:
            yield _named(cls.parent or cls, odd, f"class {cls.name}")
        receiver = receiver_name(function)
        if receiver not in ("self", ""):
            yield _named(function, function.node, f"def {function.name}({receiver}, ...)")
    for decorator in getattr(function.node, "decorator_list", ()):
        if word_of(decorator) not in _DECORATORS:
            yield _named(function, decorator, f"@{ast.unparse(decorator)}")
    if not isinstance(function.node, ast.Lambda):
        for step in steps(program, function):
            for node in own_nodes(step):
                if (
                    isinstance(node, _FORMS)
                    or _is_odd_store(program, function, node)
                    or _goes_through_keywords(function, node)
                    or _is_kept(program, function, node)
                    or (node is step.stmt and _is_deep(step))
                ):
                    yield _named(function, node)
    for site in _calls(program, function):
        if not _Callee(program, function, site).is_known():
            yield _named(function, site.node, f"{ast.unparse(site.node.func)}(...)")  # type: ignore[attr-defined]


def _calls(program: Program, function: Scope) -> Iterator[Site]:
    """Yield the calls of a function that may run; of a lambda its own."""
    is_lambda = isinstance(function.node, ast.Lambda)
    for site in function.owner.calls:
        is_own = not is_lambda or site.scope is function or function in site.lambdas
        if is_own and isinstance(site.node, ast.Call) and program.evaluator.may_run(site):
            yield site


def _is_deep(step: Step) -> bool:
    """Return whether a loop inside of a loop is left, or depends on a `while` around it: each pass compiles apart.

    Run: some hundred passes exceed the depth of calls of the compiler.
    """
    if isinstance(step.stmt, (ast.Break, ast.Continue)):
        return len(step.block.loops) > 1
    return isinstance(step.stmt, ast.While) and any(isinstance(node, LOOPS) for node in descendants(step.stmt)[1:])


def _goes_through_keywords(function: Scope, node: ast.AST) -> bool:
    """Return whether a loop goes through the `**keywords` of the function: what they are differs from call to call."""
    rest = getattr(getattr(function.node, "args", None), "kwarg", None)
    over = node.iter if isinstance(node, (ast.For, ast.comprehension)) else None
    return over is not None and rest is not None and any(word_of(each) == rest.arg for each in ast.walk(over))


def _is_kept(program: Program, function: Scope, node: ast.AST) -> bool:
    """Return whether an attribute is given what is computed there, other than a Parameter or a count.

    Run: a tensor that compiled code keeps in an attribute and reads there gives other gradients in graph mode.
    """
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        targets = [node.target]
    value = node.value if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) else None
    if value is None or not any(isinstance(each, ast.Call) or _is_other(each) for each in ast.walk(value)):
        return False
    held = [each for target in targets for each in ast.walk(target) if isinstance(each, ast.Attribute)]
    for each in (each for each in held if isinstance(each.ctx, ast.Store)):
        known = program.value(each, function).alternatives
        if each.attr in _read(program) and not any(one.type_api == "mindspore.Parameter" for one in known):
            return True
    return False


@fact
def _read(program: Program) -> frozenset[str]:
    """Return the attributes that compiled code reads."""
    nodes = (node for function in compiled(program) for node in descendants(function.node))
    return frozenset(node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load))


def _is_other(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id not in ("self", "True", "False", "None")


def _is_odd_store(program: Program, function: Scope, node: ast.AST) -> bool:
    """Return whether a statement fills or changes a dict, other than with a tensor under a constant key.

    A dict whose entries are of several types does not compile once one is added (run: strings, None).
    """
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Subscript) and _is_mapping(program, function, node.target)
    if not isinstance(node, ast.Assign):
        return False
    for target in (each for one in node.targets for each in ast.walk(one) if isinstance(each, ast.Subscript)):
        if isinstance(target.ctx, ast.Store) and _is_mapping(program, function, target):
            is_plain = isinstance(target.slice, ast.Constant) and isinstance(node.value, (ast.Call, ast.BinOp))
            if not is_plain or isinstance(function.node, ast.Lambda):
                return True
    return False


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
    """Return what makes a class behave in its own way: a metaclass, a method of Python's protocol; None for others."""
    for each in ancestors(program.evaluator, cls):
        node = each.node
        if isinstance(node, ast.ClassDef) and any(keyword.arg == "metaclass" for keyword in node.keywords):
            return node
        for name in ("__call__", "__getattr__", "__getattribute__", "__setattr__"):
            own = each.method(name)
            if own is not None:
                return own.node
    return None


class _Callee:
    """What is called at a site of compiled code."""

    def __init__(self, program: Program, function: Scope, site: Site) -> None:
        assert isinstance(site.node, ast.Call)
        self.program = program
        self.function = function
        self.node = site.node
        self.value: Value = program.evaluator.callees(site)

    def is_known(self) -> bool:
        """Return whether all that the callee can be is known to compile."""
        if self._is_odd_method():
            return False
        callable_ = (each for each in self.value.alternatives if not each.is_display and each.constant is NO_CONSTANT)
        known = list(callable_)
        if self.value.open and not all(map(_is_of_mindspore, known)):
            return False
        if not known:
            is_dead = bool(self.value.alternatives) and not self.value.open  # `if self.neck:`, where it is None
            return is_dead or self._is_method() or self._is_in_row()
        return all(map(self._compiles, known))

    def _is_odd_method(self) -> bool:
        """Return whether a method is one of lists and dicts that does not compile, though tensors have it too."""
        word = word_of(self.node.func)
        if not isinstance(self.node.func, ast.Attribute) or word not in ("sort", "copy", "pop"):
            return False
        if word == "pop":
            return len(self.node.args) > 1 or not all(_is_whole(each) for each in self.node.args)
        base = self.node.func.value
        shown = (ast.List, ast.ListComp, ast.Dict, ast.DictComp)
        reaching = self.function.flow.at(base) if isinstance(base, ast.Name) else ()
        return isinstance(base, shown) or any(isinstance(each.value, shown) for each in reaching if not each.path)

    def _is_method(self) -> bool:
        """Return whether a method of what is not known is one of tensors, containers or strings."""
        callee = self.node.func
        return (
            isinstance(callee, ast.Attribute) and not _is_self(callee.value, self.function) and _is_method(callee.attr)
        )

    def _is_in_row(self) -> bool:
        """Return whether an element of a `CellList` is called: of these the classes were read, if not their order."""
        node = self.node.func
        places: list[ast.AST] = [node.value] if isinstance(node, ast.Subscript) else []
        if isinstance(node, ast.Name) and self.function.home(node.id) is self.function:
            bound = (each.stmt for each in self.function.flow.at(node))
            places += [each.iter for each in bound if isinstance(each, ast.For)]
        parts = [each for place in places for each in ast.walk(place) if isinstance(each, (ast.Name, ast.Attribute))]
        values = (self.program.value(each, self.function).alternatives for each in parts)
        return any(known and all(each.type_api in ROWS for each in known) for known in values)

    def _compiles(self, known: Alternative) -> bool:
        if known.prepared:
            return False
        known = _root(known)
        if known.api:
            return self._is_api(known.api)
        if known.type_api:
            made = known.creation
            given = (made.call.args[:1], made.scope) if made is not None else ([], self.function)
            is_gradient = known.type_api in GRADS
            return _is_cell_api(known.type_api) and (not is_gradient or self._is_plain_gradient(*given))
        if known.cls is not None:
            is_called = method(self.program.evaluator, known.cls, "__call__") is not None
            has_construct = method(self.program.evaluator, known.cls, "construct") is not None
            return not is_called and (has_construct or _is_cell(self.program, known.cls))
        definition = known.definition
        if definition is None:
            return False
        if definition.is_class:
            return _is_cell(self.program, definition)
        if isinstance(definition.node, ast.Lambda):
            return is_compiled(self.program, definition) or self._is_read(definition)
        return is_decorated(definition.node, *APART) or definition in compiled(self.program)

    def _is_read(self, function: Scope) -> bool:
        """Return whether the calls of a lambda that is made outside of compiled code are known to compile."""
        calls = list(_calls(self.program, function))
        return not isinstance(self.function.node, ast.Lambda) and all(
            _Callee(self.program, function, each).is_known() for each in calls
        )

    def _is_api(self, api: str) -> bool:
        owner, _, word = api.rpartition(".")
        if api.startswith("mindspore."):
            is_there = owner != "mindspore.nn.Cell" or _is_listed(api)  # what no class sets is one of `nn.Cell`, maybe
            return api.startswith(_COMPILED_APIS) and is_there and not self._is_odd_api(api, word)
        if owner == "builtins":
            return word in _BUILTINS or word.endswith(_ERRORS)
        if api.startswith(("math.", "numpy.", "functools.")):
            return api in _PYTHON and all(map(self._is_constant, self._arguments()))
        return api.startswith(_WRITTEN_FOR_GRAPHS) or (
            (owner.startswith((".", "builtins.")) or not owner) and _is_method(word)
        )

    def _is_odd_api(self, api: str, word: str) -> bool:
        """Return whether a call of MindSpore does not compile, or computes something else each time or once.

        Run: a tensor made of a tensor, or changed in place; a layer with weights that is made; a gradient inside of
        what is differentiated.
        """
        if word in _NOT_OF_TENSORS or word.endswith("_"):
            return True
        if api in _TENSORS:
            return not all(map(self._is_constant, self._arguments()))
        if api.startswith("mindspore.nn.") and api.count(".") == 2:
            return word.startswith(_WITH_WEIGHTS)
        return api in GRADS and not self._is_plain_gradient(self.node.args[:1], self.function)

    def _is_plain_gradient(self, given: list[ast.expr], scope: Scope) -> bool:
        """Return whether a gradient is that of a function, or stands in what steps an optimizer: a train cell, mostly.

        Run: the gradient of a cell inside of what is differentiated itself does not compile.
        """
        known = [each for one in given for each in self.program.value(one, scope).alternatives]
        if known and all(each.definition is not None and not each.definition.is_class for each in known):
            return True
        cls = class_of(self.function)
        steps_one = any(is_optimizer_word(each.word) for each in self.function.owner.calls)
        return steps_one or (cls is not None and is_step_class(self.program, cls))

    def _arguments(self) -> list[ast.expr]:
        return [*self.node.args, *(keyword.value for keyword in self.node.keywords)]

    def _is_constant(self, node: ast.AST, hops: int = 4) -> bool:
        """Return whether an expression is made of constants, shapes and what the network holds."""
        if isinstance(node, ast.Attribute):
            return node.attr in _SIZES or _is_self(node.value, self.function) or self._is_constant(node.value, hops)
        if isinstance(node, ast.Name) and hops:
            home = self.function.home(node.id)
            if home is not self.function:
                return True
            return all(self._is_set(each, hops - 1) for each in self.function.flow.at(node))
        if isinstance(node, ast.Call) and word_of(node.func) == "len":
            return True
        return not isinstance(node, ast.Name) and all(self._is_constant(each, hops) for each in children(node))

    def _is_set(self, binding: Binding, hops: int) -> bool:
        return binding.kind == "assign" and binding.value is not None and self._is_constant(binding.value, hops)


def _is_method(word: str) -> bool:
    """Return whether a name is a method of tensors, containers or strings that graph mode compiles."""
    if word in _NOT_OF_TENSORS or word.endswith("_"):
        return False  # changed in place, a tensor gives other losses: `x.add_(1)`
    if word in _OF_TENSORS or word in _OF_CONTAINERS or word in _OF_STRINGS:
        return True
    return _is_listed(f"mindspore.Tensor.{word}")


def _is_listed(api: str) -> bool:
    """Return whether MindSpore has a function or method of that name."""
    return mindspore_api.parameters(api, mindspore_api.newest()) is not None


def _is_whole(node: ast.expr) -> bool:
    """Return whether an expression is a whole number that is written there."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and type(inner.value) is int


def _is_self(node: ast.AST, function: Scope) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_cell_api(api: str) -> bool:
    return api.startswith(_COMPILED_APIS) or api.startswith(_WRITTEN_FOR_GRAPHS)


def _is_of_mindspore(known: Alternative) -> bool:
    """Return whether something is of MindSpore, or a method of what some call gave, a tensor mostly."""
    return (known.api or known.type_api).startswith(("mindspore.", "."))


@fact
def _is_cell(program: Program, cls: Scope) -> bool:
    """Return whether a class is a cell of MindSpore, or one of its primitives."""
    return any(_is_cell_api(each.api) for each in lineage(program.evaluator, cls) if each.api)
