"""The dtype of a tensor, from the reaching definitions of one function.

An answer is a dtype of MindSpore, or the unknown dtype of an expression ("that of `x`", "what `self.dtype` says"), or
None. What mixed precision may change is None: results of cells and of matmuls, `Parameter`s.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import cached_property
from typing import Optional

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import FUNCTIONS, Binding, Scope, Site
from ms_perflint.index.signature import Layer, Signature, receiver_name
from ms_perflint.index.syntax_forms import given, is_spread, whole_number
from ms_perflint.infer.evaluate import ProgramEvaluator
from ms_perflint.infer.queries import Queries, query
from ms_perflint.infer.values import Alternative, Value
from ms_perflint.program.call_site import signature_of
from ms_perflint.program.inputs import Inputs
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes import tensor_ops
from ms_perflint.training.dtypes.casts import read_cast
from ms_perflint.training.dtypes.dtype import Dtype, combined, concrete, kept, same, with_scalar
from ms_perflint.training.dtypes.dtype_names import home_of, named, only_local
from ms_perflint.training.dtypes.graph_scopes import in_cell
from ms_perflint.training.dtypes.host_values import array_dtype, compared, scalar


class OpenCalls(Inputs):
    """A program whose functions other programs call too, so that no function has only known callers."""

    def callers(self, function: Scope) -> tuple[Site, ...]:
        """Return no caller: there may be others."""
        return ()

    def decorated(self, decorator: Scope) -> Iterator[Scope]:
        """Yield nothing: there may be others."""
        return iter(())

    def stores(self, name: str) -> tuple[Binding, ...]:
        """Return the stores of all code under a name: other programs run what this one does not."""
        return tuple(store for module in self.modules for store in module.stored.get(name, ()))

    def all_stores(self, name: str) -> tuple[tuple[Binding, ...], tuple[Binding, ...]]:
        """Return these, and apart the stores in what is reached over more steps."""
        return self.stores(name), tuple(store for module in self.modules for store in module.deep.get(name, ()))


class Dtypes:
    """Queries of one program, answered by its evaluator; the dtype of an expression in a cycle is not known."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def of(self, node: ast.expr, scope: Scope) -> Optional[Dtype]:
        """Return the dtype of a tensor; None where it is not known, and for other expressions."""
        found = self._found(node, scope)
        return found[0] if len(found) == 1 else None

    @property
    def queries(self) -> Queries:
        """Return the answers of the program."""
        return self.program.queries

    @query(bottom=())
    def _found(self, node: ast.expr, scope: Scope) -> tuple[Dtype, ...]:
        found = self._expression(node, scope)
        return (found,) if found is not None else ()

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Return what an expression is in every program that runs it."""
        return (self._open or self.program.evaluator).value(node, scope)

    @cached_property
    def _open(self) -> Optional[ProgramEvaluator]:
        """Return an evaluator that knows no caller of a function; None for a script, which has one program only."""
        project, entry = self.program.project, self.program.entry
        if len(project.programs(entry)) == 1 and not project.imports.is_package(os.path.dirname(entry)):
            return None
        return ProgramEvaluator(OpenCalls(self.program), self.program.evaluator.libraries)

    # --- expressions

    def _expression(self, node: ast.expr, scope: Scope) -> Optional[Dtype]:
        if isinstance(node, ast.Name):
            return self._name(node, scope)
        if isinstance(node, ast.Call):
            return self._call(node, scope)
        if isinstance(node, ast.Attribute):
            return self.of(node.value, scope) if node.attr == "T" else self._constant(node, scope)
        if isinstance(node, ast.Subscript):
            return self._item(node, scope)
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node.op, node.left, node.right, scope)
        if isinstance(node, ast.UnaryOp):
            dtype = self.of(node.operand, scope)
            fits = dtype is not None and (
                dtype.is_number if isinstance(node.op, ast.USub) else not dtype.is_float and dtype.name
            )
            return dtype if fits and not isinstance(node.op, ast.Not) else None
        if isinstance(node, ast.Compare):  # of tensors it gives bool, of numbers not
            is_of_tensors = any(self.is_tensor(side, scope) for side in compared(node))
            return concrete("bool_", node, scope) if is_of_tensors else None
        if isinstance(node, ast.IfExp):
            return same(self.of(part, scope) for part in (node.body, node.orelse))
        return self.of(node.value, scope) if isinstance(node, ast.NamedExpr) else None

    def _name(self, node: ast.Name, scope: Scope) -> Optional[Dtype]:
        home = home_of(node.id, scope)
        if home is None:
            return self._constant(node, scope)
        return same(self._binding(binding) for binding in home.flow.at(node))

    def _binding(self, binding: Binding) -> Optional[Dtype]:
        if binding.kind == "augment" and isinstance(binding.stmt, ast.AugAssign):
            return self._augmented(binding.stmt, binding.scope)
        if binding.kind == "parameter":
            return self._own(binding)
        if binding.kind != "assign" or binding.value is None:
            return None
        if not binding.path:
            return self.of(binding.value, binding.scope) or self._own(binding)
        return self.part(binding.value, binding.path, binding.scope) or self._own(binding)

    def _augmented(self, stmt: ast.AugAssign, scope: Scope) -> Optional[Dtype]:
        """Return the dtype of `x` behind `x += y`, if it is the same in place or not; else None."""
        before = self.of(stmt.target, scope)
        behind = self._arithmetic(stmt.op, stmt.target, stmt.value, scope) if before is not None else None
        return before if behind == before else None

    def _own(self, binding: Binding) -> Optional[Dtype]:
        """Return the dtype of the value of a binding, under the name of that; None where the value changes."""
        scope, node = binding.scope, binding.node
        if binding.block.loops or not scope.is_function:
            return None
        if binding.kind == "parameter":
            assert isinstance(scope.node, FUNCTIONS)
            args = scope.node.args
            if binding.name == receiver_name(scope) or node in (args.vararg, args.kwarg):
                return None
        elif isinstance(binding.value, (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.JoinedStr)):
            return None
        certain = binding.kind == "parameter" and in_cell(self.program, scope)
        return Dtype((id(binding), "dtype"), f"{binding.name}.dtype", (scope.module, node), certain)

    def _constant(self, node: ast.expr, scope: Scope) -> Optional[Dtype]:
        """Return the dtype of a constant tensor in an attribute or a module; None of a Parameter, which may change."""
        value = self.program.value(node, scope)
        if value.open or value.overridable or not value.alternatives:
            return None
        return same(self._made(known) for known in value.alternatives)

    def _made(self, known: Alternative) -> Optional[Dtype]:
        made, word = known.creation, tensor_ops.known_word(known.type_api)
        if made is None or word not in tensor_ops.CREATIONS:
            return None
        if word == "Tensor" and _is_passed_on(_first(made.call), made.scope):
            return None
        dtype = self.of(made.call, made.scope)
        return dtype if dtype is not None and dtype.name else None

    def _item(self, node: ast.Subscript, scope: Scope) -> Optional[Dtype]:
        dtype = self.of(node.value, scope)
        if dtype is not None and (dtype.name or isinstance(node.slice, ast.Tuple)):
            return dtype
        index = whole_number(node.slice)
        return self.part(node.value, (index,), scope) if index is not None else None

    def part(self, node: ast.expr, path: tuple[int, ...], scope: Scope) -> Optional[Dtype]:
        """Return the dtype of an element of the value of an expression, as in `a, (b, c) = node`."""
        if isinstance(node, ast.Name):
            only = only_local(node, scope)
            if only is not None and isinstance(only.whole, ast.Call):
                return self.part(only.whole, path, only.scope)
        if not isinstance(node, ast.Call) or len(path) != 1:
            return None
        word, first = self.operator(node, scope)
        if first is None:
            return None
        if word in tensor_ops.PARTS:
            return self.of(first, scope)
        results = tensor_ops.RESULTS.get(word, ())
        if not 0 <= path[0] < len(results):
            return None
        return concrete(results[path[0]], node, scope) if results[path[0]] else self.of(first, scope)

    # --- operators

    def _arithmetic(self, op: ast.operator, left: ast.expr, right: ast.expr, scope: Scope) -> Optional[Dtype]:
        if isinstance(op, ast.MatMult):
            return None
        first, second = self.of(left, scope), self.of(right, scope)
        if first is None or second is None:
            dtype, other = (first, right) if first is not None else (second, left)
            kind = scalar(self.program, other, scope) if dtype is not None else None
            return with_scalar(op, dtype, kind) if dtype is not None and kind is not None else None
        return combined(op, first, second)

    def is_tensor(self, node: ast.expr, scope: Scope) -> bool:
        """Return whether an expression is certainly a tensor, of any dtype."""
        dtype = self.of(node, scope)
        if dtype is not None and dtype.certain:
            return True
        if isinstance(node, ast.BinOp):
            return self.is_tensor(node.left, scope) or self.is_tensor(node.right, scope)
        if isinstance(node, ast.Name) and (home := home_of(node.id, scope)) is not None:
            values = home.wholes(node)
            return bool(values) and all(isinstance(each, ast.Call) and self.is_tensor(each, home) for each in values)
        if not isinstance(node, ast.Call):
            return False
        known = self._callee(node, scope)
        if known is not None and tensor_ops.gives_tensor(known[0]):
            return True
        is_moved = isinstance(node.func, ast.Attribute) and node.func.attr in tensor_ops.MOVES
        return is_moved and self.is_tensor(node.func.value, scope)  # type: ignore[attr-defined]

    # --- calls

    def _callee(self, node: ast.Call, scope: Scope) -> Optional[tuple[str, bool]]:
        """Return the API of a callee, and whether an instance of it is called; None where it is not known."""
        value = self.program.value(node.func, scope)
        names = {(k.api, False) if k.api else (k.type_api, True) for k in value.alternatives}
        name = names.pop() if len(names) == 1 and not value.open else ("", False)
        return name if name[0] else None

    def operator(self, node: ast.Call, scope: Scope) -> tuple[str, Optional[ast.expr]]:
        """Return the word of the operator that a call runs, and its first tensor; ("", None) for other calls."""
        func = node.func
        known = self._callee(node, scope)
        word = tensor_ops.known_word(known[0]) if known is not None else ""
        if known == (tensor_ops.NORM, True) and not in_cell(self.program, scope):
            return "norm", _first(node)  # no part of a network, so mixed precision does not convert it
        if known is not None and word:
            made = word[:1].isupper() and word not in ("Tensor", "Cast")
            return (word, _first(node)) if known[1] == made or word == "Tensor" else ("", None)
        if isinstance(func, ast.Attribute) and self.of(func.value, scope) is not None:
            bare = not node.args and all(word.arg in ("axis", "keepdims") for word in node.keywords)
            return ("", None) if func.attr in ("max", "min") and not bare else (func.attr, func.value)
        return "", None

    def _call(self, node: ast.Call, scope: Scope) -> Optional[Dtype]:
        if isinstance(node.func, ast.Attribute) and node.func.attr in tensor_ops.ARRAYS:
            return None
        cast = read_cast(self, node, scope)
        if cast is not None:
            return cast.dtype
        word, first = self.operator(node, scope)
        if not word:
            return None
        method = isinstance(node.func, ast.Attribute) and node.func.value is first
        if word in tensor_ops.CREATIONS and not method:
            return self._creation(word, node, scope)
        given = next((k.value for k in node.keywords if k.arg == "dtype"), None)
        if given is not None:
            return named(self, given, scope)
        if first is None or is_spread(node):
            return None
        if word == "Argmax":
            return self._index(node, scope)
        args = [first, *(node.args if method else node.args[1:])]
        if word in tensor_ops.CHOICE:
            chosen = [args[0], *args[2:]] if method else args[1:]
            return same(self.of(arg, scope) for arg in chosen) if len(chosen) == 2 else None
        return self._result(word, args, node, scope)

    def _result(self, word: str, args: list[ast.expr], node: ast.Call, scope: Scope) -> Optional[Dtype]:
        """Return the dtype of the result of an operator."""
        first = args[0]
        if word in tensor_ops.BOOLEAN:
            tensors = word[:1].isupper() or any(self.is_tensor(arg, scope) for arg in args)
            return concrete("bool_", node, scope) if tensors else None
        if word in ("OneHot", "one_hot"):
            hot = next((k.value for k in node.keywords if k.arg == "on_value"), args[2] if len(args) > 3 else None)
            return self.of(hot, scope) if hot is not None else None
        if word in tensor_ops.JOINED:
            return same(self.of(e, scope) for e in first.elts) if isinstance(first, (ast.Tuple, ast.List)) else None
        if word in tensor_ops.ADDITION or word in tensor_ops.DIVISION:
            op: ast.operator = ast.Mult() if word in tensor_ops.ADDITION else ast.Div()
            return self._arithmetic(op, args[0], args[1], scope) if len(args) == 2 else None
        if word in ("sum", "prod", "cumsum", "cumprod") and len(args) > 2:
            return None  # a dtype may be among them
        dtype = self.of(first, scope)
        return dtype if dtype is not None and kept(word, dtype) else None

    def _creation(self, word: str, node: ast.Call, scope: Scope) -> Optional[Dtype]:
        given = self.creation_dtype(node, scope)
        if given is not None:
            return named(self, given, scope)
        default = tensor_ops.CREATIONS[word]
        if word == "Tensor" and len(node.args) == 1:
            default = array_dtype(self.program, node.args[0], scope)
        if word == "linspace" and not all(scalar(self.program, each, scope) for each in listed(node)):
            return None
        if word == "tuple_to_array" and not all(self._is_float(each, scope) for each in listed(node)):
            return None
        return concrete(default, node, scope) if default and not is_spread(node) else None

    def _is_float(self, node: ast.expr, scope: Scope) -> bool:
        """Return whether an expression is a Python float in every program."""
        value = self.value(node, scope)
        kinds = {type(known.constant) for known in value.alternatives}
        return kinds == {float} and not value.open and not value.overridable

    def creation_dtype(self, node: ast.Call, scope: Scope) -> Optional[ast.expr]:
        """Return the argument for the dtype of a creation; None without one."""
        known = self._callee(node, scope) or ("", False)
        api = f"{known[0]}.__call__" if known[1] and known[0] != "mindspore.Tensor" else known[0]
        signature = signature_of(mindspore_api.parameters(api, self.program.version) or ())
        given = (signature.bind(Layer(node, scope)).of(name).part for name in tensor_ops.DTYPE_PARAMETERS)
        return next((part.node for part in given if part is not None), None)

    def _index(self, node: ast.Call, scope: Scope) -> Optional[Dtype]:
        """Return the dtype of `P.Argmax(axis, output_type)(x)`: int32, or its argument."""
        made = self.program.value(node.func, scope).alternatives[0].creation
        if made is None or is_spread(made.call):
            return None
        given = Signature.named("axis", "output_type").bind(made).of("output_type").part
        return named(self, *given) if given is not None else concrete("int32", node, scope)


def _is_passed_on(data: Optional[ast.expr], scope: Scope) -> bool:
    """Return whether a tensor consists of a parameter of the function: it is no constant."""
    bindings = scope.flow.at(data) if isinstance(data, ast.Name) and data.id in scope.bindings else ()
    return any(binding.kind == "parameter" for binding in bindings)


def _first(node: ast.Call) -> Optional[ast.expr]:
    """Return the first argument, positional or by keyword; None without one."""
    first = next(iter(given(node)), None)
    return first if not isinstance(first, ast.Starred) else None


def listed(node: ast.Call) -> list[ast.expr]:
    """Return all arguments, of a tuple its elements."""
    return [part for each in given(node) for part in (each.elts if isinstance(each, ast.Tuple) else [each])]
