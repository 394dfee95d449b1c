"""The calls that are known to compile in graph mode: of what was run on 2.10, or is written for it.

Run in `construct` and in a function under `value_and_grad` (`tests/proofs/kinds.py`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.execution_order import place
from ms_perflint.index.reachability import BY_DEFAULT
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import (
    descendants,
    given,
    inner_of,
    is_decorated,
    is_own,
    name_of,
    names_in,
    word_of,
)
from ms_perflint.infer.bases import ancestors, lineage, method
from ms_perflint.infer.places import INIT
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.libraries.mindspore import ROWS
from ms_perflint.program.program import Program, fact
from ms_perflint.training.bases import CELLS, is_cell, is_cell_class
from ms_perflint.training.dtypes.dtype_names import dtype_of
from ms_perflint.training.dtypes.tensor_ops import FORMS, words
from ms_perflint.training.family import GRAPHS, is_of
from ms_perflint.training.graph_mode.child_cells import are_children, is_got, is_inserted, rows_of
from ms_perflint.training.graph_mode.compiled import APART, compiled, is_compiled, is_of_step
from ms_perflint.training.graph_mode.compiled_apis import (
    COMPILED_APIS,
    DEPTH,
    DICTS,
    is_compiled_api,
    is_of_mindspore,
    made_outside,
)
from ms_perflint.training.graph_mode.constants import is_constant, is_set, is_whole
from ms_perflint.training.optimizers import names_optimizer
from ms_perflint.training.training_steps import GRADS, is_step_class, root

# The names of functions and methods that are known to compile, or not
_BUILTINS = words(
    """range len zip enumerate isinstance print int float bool str abs max min sum pow round tuple list getattr
    hasattr super map filter any all slice type callable reversed"""
)
# Run in compiled code, on numbers and on shapes: a batch of another size gives its own values
_PYTHON = {
    "math": words(
        """sqrt isqrt exp expm1 log log1p log2 log10 pow hypot fmod gcd comb factorial fsum prod ceil floor trunc fabs
        copysign sin cos tan asin acos atan atan2 sinh cosh tanh degrees radians erf isclose isfinite isinf isnan"""
    ),
    "numpy": words(
        """abs absolute add all allclose amax amin any append arange arccos arcsin arctan arctan2 argmax argmin argsort
        array array_equal asarray atleast_1d bool_ broadcast_to cbrt ceil clip concatenate cos cosh count_nonzero
        cross cumprod cumsum deg2rad degrees diag diff divide dot einsum equal exp exp2 expand_dims eye flip float16
        float32 float64 floor floor_divide fmod full full_like gcd hstack hypot identity indices inner int32 int64
        int8 isclose isnan isscalar linalg.norm linspace log log10 log1p log2 logspace matmul max maximum mean
        median meshgrid min minimum mod moveaxis multiply nan_to_num ndim negative ones ones_like outer power prod
        radians ravel reciprocal remainder repeat reshape rint roll round shape sign sin sinh size sort split sqrt
        square squeeze stack std subtract sum swapaxes tan tanh tile trace transpose tril triu true_divide trunc
        uint8 unique var vstack where zeros zeros_like"""
    ),
    "itertools": words("product combinations permutations chain"),
    "logging": words(
        """debug info warning error critical log getLogger getLogger.debug getLogger.info getLogger.warning
        getLogger.error getLogger.critical getLogger.log"""
    ),
    "warnings": words("warn"),
}
# Methods of arrays of constants
_OF_ARRAYS = words("astype reshape transpose flatten ravel squeeze copy sum prod mean max min cumsum repeat clip round")
_TENSORS = ("mindspore.Tensor", "mindspore.tensor")
_WITH_WEIGHTS = (
    "Dense", "Linear", "Conv", "BatchNorm", "SyncBatchNorm", "LayerNorm", "GroupNorm", "InstanceNorm", "Embedding",
    "LSTM", "GRU", "RNN", "PReLU", "Bi", "Transformer", "Multihead", "CellList", "SequentialCell",
)  # fmt: skip
_ERRORS = ("Error", "Exception", "Warning")
_OF_TENSORS = words("view reshape permute transpose clone dim new_full")
_NOT_OF_TENSORS = words("numpy tolist backward expand set_const_arg from_numpy init_data flush_from_cache")
_NOT_OF_CELLS = words("name_cells cells_and_names")  # run: "The pointer[node] is null", "Unsupported expression"
_ODD_OF_LISTS = words("sort copy pop extend insert")
_OF_CONTAINERS = words("append insert pop reverse clear count index items values keys get update")
_OF_STRINGS = words(
    """format join lower upper split startswith endswith replace strip isdigit title rstrip find rsplit partition
    zfill"""
)
_DRAWS = r"rand|normal|uniform|dropout|bernoulli|multinomial|poisson|gamma|laplace|shuffle"
_HOLDERS = ROWS | {"mindspore.nn.CellDict"}
_HELD = (*_TENSORS, "mindspore.Parameter")


def calls_of(program: Program, function: Scope) -> Iterator[Site]:
    """Yield the calls of a function that may run; of a lambda those in it."""
    for site in function.calls_inside:
        if isinstance(site.node, ast.Call) and program.evaluator.may_run(site):
            yield site


def is_parsed(function: Scope) -> bool:
    """Return whether the compiler parses a lambda that Python made: one that a statement binds or returns."""
    at = place(function.node, function)
    step = at.step if at is not None else None
    return isinstance(step, (ast.Assign, ast.AnnAssign, ast.Return)) and step.value is function.node


def is_call_known(program: Program, function: Scope, site: Site) -> bool:
    """Return whether graph mode is known to compile a call of a function."""
    return _Callee(program, function, site).is_known()


class _Callee:
    """The callee of a site in compiled code."""

    def __init__(self, program: Program, function: Scope, site: Site) -> None:
        self.program = program
        self.function = function
        self.node = site.call
        self.value: Value = program.evaluator.callees(site)

    def is_known(self) -> bool:
        """Return whether all that the callee can be is known to compile."""
        callee = self.node.func
        if self._is_odd_method() or name_of(callee) == "self":
            return False  # `self(x)` in a method that is differentiated: "The object is not callable" (run on 2.10)
        if isinstance(callee, ast.Subscript) and isinstance(callee.slice, ast.Slice):
            return False  # a part of a row of cells, `self.layers[:2](x)`, trains differently (run on 2.10)
        callable_ = (each for each in self.value.alternatives if not each.is_display and each.constant is NO_CONSTANT)
        known = list(callable_)
        if self.value.open and not all(map(is_of_mindspore, known)) and not self._is_in_row():
            return False
        if not known:
            is_dead = bool(self.value.alternatives) and not self.value.open  # `if self.neck:`, where it is None
            if is_dead or self._is_unset() or self._is_method():
                return True
            return self._is_in_row() or is_got(self.function, callee)
        # beside what a class sets, an attribute of `nn.Cell` that it does not have is none
        held = [each for each in known if not each.api.startswith("mindspore.nn.Cell.") or is_listed(each.api)]
        return all(map(self._compiles, held or known))

    def _is_unset(self) -> bool:
        """Return whether the callee is an attribute of the cell that is None by default: only an option sets it."""
        callee, cls = self.node.func, self.function.cls
        if not isinstance(callee, ast.Attribute) or not is_own(callee) or cls is None:
            return False
        if self.program.code.stores_anywhere(callee.attr):
            return False
        evaluator = self.program.evaluator
        classes = dict.fromkeys((*ancestors(evaluator, cls), *self.program.derived(cls)))
        stores = [each for one in classes for each in one.attributes.get(callee.attr, ())]
        usual = [each for each in stores if evaluator.reachability(each.block) == BY_DEFAULT]
        return bool(usual) and all(
            each.whole is not None and self.program.value(each.whole, each.scope).is_by_default(None) for each in usual
        )

    def _is_odd_method(self) -> bool:
        """Return whether the callee is a method that does not compile, or not in this form, though tensors have it."""
        word = word_of(self.node.func)
        if word == "argmax" and isinstance(self.node.func, ast.Attribute) and not self.node.args:
            return not any(each.arg in ("axis", "dim") for each in self.node.keywords)  # run: that of each row
        axes = [ast.unparse(each) for each in self.node.args if is_whole(each)]
        if word == "transpose" and len(axes) == 2:
            return axes != ["1", "0"]  # run: PyNative swaps two axes, graph mode takes them for all
        if word in ("amax", "amin") and any(each.arg == "keepdims" for each in self.node.keywords):
            functions = ("mindspore.ops.", "mindspore.mint.", "mindspore.numpy.")
            return not any(known.api.startswith(functions) for known in self.value.alternatives)  # run: "unexpected"
        if word == "view" and any(dtype_of(self.program.value(each, self.function)) for each in given(self.node)):
            return True  # run: "not impl"
        if not isinstance(self.node.func, ast.Attribute) or word not in _ODD_OF_LISTS:
            return False
        if word == "extend":
            return True
        if word == "pop" and (len(self.node.args) > 1 or not all(is_whole(each) for each in self.node.args)):
            return True
        base = self.node.func.value
        shown = (ast.List, ast.ListComp, ast.Dict, ast.DictComp)
        reaching = self.function.flow.at(base) if isinstance(base, ast.Name) else ()
        return isinstance(base, shown) or any(isinstance(each.value, shown) for each in reaching if not each.path)

    def _is_method(self) -> bool:
        """Return whether the callee is a method of an unknown object that tensors, containers or strings have."""
        callee = self.node.func
        return isinstance(callee, ast.Attribute) and not is_own(callee) and _is_method(callee.attr)

    def _is_in_row(self) -> bool:
        """Return whether the callee is an item of a row of cells, whose classes are compiled."""
        rows = rows_of(self.function, self.node.func)
        if any(are_children(self.program, self.function, each) for each in rows):
            return True
        parts = [each for row in rows for each in ast.walk(row) if isinstance(each, (ast.Name, ast.Attribute))]
        values = (self.program.value(each, self.function).alternatives for each in parts)
        return any(map(self._are_row, values))

    def _are_row(self, known: Sequence[Alternative]) -> bool:
        """Return whether a callee is an item of a row of cells alone, or of the list of which the row is made."""
        known = [each for each in known if each.constant is not None]
        rows = [each for each in known if each.type_api in _HOLDERS]
        lists = [each for each in known if (each.is_display and each.parts) or not rows]
        return (
            bool(known) and all(each in rows or each.is_display for each in known) and all(map(self._are_cells, lists))
        )

    def _are_cells(self, known: Alternative, depth: int = DEPTH) -> bool:
        """Return whether a literal list, or a sum of such, contains only what is known to compile."""
        parts = [self.program.evaluator.read(part) for part in known.parts] if known.is_display and depth else []
        held = [each for part in parts for each in part.alternatives]
        are_known = (self._are_cells(each, depth - 1) if each.is_display else self._compiles(each) for each in held)
        return bool(held) and not any(part.open for part in parts) and all(are_known)

    def _compiles(self, known: Alternative) -> bool:
        if known.prepared:
            return False
        known, _ = root(known)
        if known.api:
            return self._is_api(known.api)
        if known.type_api:
            made = known.creation
            of = (inner_of(made.call), made.scope) if made is not None else (None, self.function)
            is_plain = known.type_api not in GRADS or self._is_plain_gradient(*of)
            return is_compiled_api(known.type_api) and is_plain and made_outside(self.program, known) is None
        if known.cls is not None:
            is_called = method(self.program.evaluator, known.cls, "__call__") is not None
            return not is_called and _is_compiled_class(self.program, known.cls)
        definition = known.definition
        if definition is None:
            return False
        if definition.is_class:
            is_held = _only_holds(self.program, definition) and not any(
                map(_is_set_in, descendants(self.function.node))
            )
            return (is_held or _is_compiled_class(self.program, definition)) and self._is_made_of_constants()
        if isinstance(definition.node, ast.Lambda):
            is_known = is_parsed(definition) and self._is_read(definition)
            return is_known or is_compiled(self.program, definition)
        return is_decorated(definition.node, *APART) or definition in compiled(self.program)

    def _is_read(self, function: Scope) -> bool:
        """Return whether the calls of a lambda from outside of compiled code are known to compile."""
        calls = list(calls_of(self.program, function))
        return not isinstance(self.function.node, ast.Lambda) and all(
            _Callee(self.program, function, each).is_known() for each in calls
        )

    def _is_api(self, api: str) -> bool:
        owner, _, word = api.rpartition(".")
        if api.startswith("mindspore."):
            # what no class sets is one of `nn.Cell`, maybe
            is_named = owner != "mindspore.nn.Cell" or is_listed(api)
            is_there = is_named or is_inserted(self.program, self.function, self.node.func)
            return api.startswith(COMPILED_APIS) and is_there and not self._is_odd_api(api, word)
        if api == "builtins.sorted":  # run: of shapes and of tensors it gives other losses
            parts = (each for part in given(self.node) for each in ast.walk(part))
            is_shape = any(isinstance(each, ast.Attribute) and each.attr in FORMS for each in parts)
            return not is_shape and self._is_made_of_constants()
        if owner == "builtins" and api not in DICTS:
            return word.endswith(_ERRORS) or (word in _BUILTINS and not self._is_odd_builtin(word))
        if api in DICTS:
            return not given(self.node)  # run: `dict(a=x)` loses gradients
        library, _, name = api.partition(".")
        if library in _PYTHON:
            is_known = name in _PYTHON[library] or (library == "numpy" and self._is_of_array(name))
            return is_known and self._is_made_of_constants() and not any(map(self._holds_weights, given(self.node)))
        return is_of(api, GRAPHS) or ((owner.startswith((".", "builtins.")) or not owner) and _is_method(word))

    def _holds_weights(self, node: ast.expr) -> bool:
        """Return whether an argument is a Parameter, a tensor or a cell of the network, or several of them."""
        parts = (each for each in ast.walk(node) if isinstance(each, ast.Attribute) and is_own(each))
        known = (each for part in parts for each in self.program.value(part, self.function).alternatives)
        return any(is_cell(self.program, each) or each.type_api.startswith(_HELD) for each in known)

    def _is_of_array(self, name: str) -> bool:
        """Return whether a method of an array is called that is made of constants: `np.arange(4).reshape(2, 2)`."""
        made, _, word = name.rpartition(".")
        is_made = made in _PYTHON["numpy"] or (word in _OF_ARRAYS and bool(made) and self._is_of_array(made))
        base = self.node.func.value if isinstance(self.node.func, ast.Attribute) else None
        return word in _OF_ARRAYS and is_made and base is not None and is_constant(self.program, self.function, base)

    def _is_odd_builtin(self, word: str) -> bool:
        """Return whether a function of Python is called in a way that does not compile.

        Run: `print(x, end="")`, `sum(x, start=1)`, `max(x, key=f)`; a lambda for `map` that reads a tensor
        around it.
        """
        if self.node.keywords and word != "enumerate":
            return True
        first = self.node.args[0] if word in ("map", "filter") and self.node.args else None
        if not isinstance(first, ast.Lambda):
            return False
        inner = self.function.module.scope_of[id(first)]
        names = names_in(first.body) - {"self"}
        own = (each for name in names if inner.home(name) is self.function for each in self.function.bindings[name])
        return not all(is_set(self.program, self.function, each, hops=4) for each in own)

    def _is_odd_api(self, api: str, word: str) -> bool:
        """Return whether a call of MindSpore does not compile, or computes something else each time or once.

        Run: a tensor made of a tensor, or changed in place; a layer with weights that is made, or one of a tensor; a
        gradient inside of what is differentiated.
        """
        if (
            word in _NOT_OF_CELLS or word in _NOT_OF_TENSORS or word.endswith("_") or word == "apply"
        ):  # of `_Function`: "no attribute"
            return True
        if api in _TENSORS:
            return not self._is_made_of_constants()
        if api.startswith(CELLS) and word[:1].isupper():
            has_weights = api.removesuffix(word) in CELLS and word.startswith(_WITH_WEIGHTS)
            return has_weights or not self._is_made_of_constants()
        return api in GRADS and not self._is_plain_gradient(inner_of(self.node), self.function)

    def _is_plain_gradient(self, of: Optional[ast.expr], scope: Scope) -> bool:
        """Return whether a gradient is that of a function, or in code that is not differentiated itself.

        That is code that steps an optimizer, mostly a train cell, and a cell beside the steps. Run: the gradient of a
        cell does not compile inside of what is differentiated.
        """
        if not is_of_step(self.program, self.function):
            return True
        known = self.program.value(of, scope).alternatives if of is not None else ()
        if known and all(each.definition is not None and not each.definition.is_class for each in known):
            return True
        cls = self.function.cls
        steps_optimizer = names_optimizer(self.function.owner)
        return steps_optimizer or (cls is not None and is_step_class(self.program, cls))

    def _is_made_of_constants(self) -> bool:
        return all(is_constant(self.program, self.function, each) for each in given(self.node))


def _is_method(word: str) -> bool:
    """Return whether a name is a method of tensors, containers or strings that graph mode compiles."""
    if word in _NOT_OF_TENSORS or word.endswith("_"):
        return False  # changed in place, a tensor gives other losses: `x.add_(1)`
    if word in _OF_TENSORS or word in _OF_CONTAINERS or word in _OF_STRINGS:
        return True
    return is_listed(f"mindspore.Tensor.{word}")


def is_listed(api: str) -> bool:
    """Return whether MindSpore has a function or method of that name."""
    return mindspore_api.parameters(api, mindspore_api.newest()) is not None


@fact
def _is_compiled_class(program: Program, cls: Scope) -> bool:
    """Return whether graph mode compiles calls of the objects of a class: a cell, a primitive of MindSpore."""
    return is_cell_class(program, cls) or any(
        is_compiled_api(each.api) for each in lineage(program.evaluator, cls) if each.api
    )


def _is_set_in(node: ast.AST) -> bool:
    """Return whether a node is an attribute of another object than `self` that a statement sets."""
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and not is_own(node)


@fact
def _only_holds(program: Program, cls: Scope) -> bool:
    """Return whether the objects of a class only hold what `__init__` computes: `Mask(rows, columns).mask`.

    Run: of constants and shapes; one that is made of tensors fails, and so does one that changes. One that draws
    numbers does so once, when it compiles.
    """
    node = cls.node
    is_plain = isinstance(node, ast.ClassDef) and not (node.bases or node.keywords or node.decorator_list)
    bodies = [getattr(each.node, "body", ()) for each in cls.defines]
    calls = [(each, site) for each in cls.defines for site in calls_of(program, each)]
    return (
        is_plain
        and all(each.name == INIT or is_decorated(each.node, "property") for each in cls.defines)
        and all(isinstance(stmt, (ast.Assign, ast.Return, ast.Expr)) for body in bodies for stmt in body)
        and all(is_call_known(program, each, site) for each, site in calls)
        and not any(re.search(_DRAWS, site.word, re.IGNORECASE) for _, site in calls)
    )
