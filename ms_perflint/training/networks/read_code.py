"""Whether the code of a network works in half precision, operator by operator, and the first place that may not."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from functools import partial
from typing import Optional

from ms_perflint.core.source import short
from ms_perflint.index.reachability import BY_DEFAULT
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.syntax_forms import is_decorated, is_own, plainly_given, spelling, word_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.values import BOTTOM, NO_CONSTANT, Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.program.callers import derived
from ms_perflint.program.program import Program, fact
from ms_perflint.training import jit
from ms_perflint.training.bases import CELLS, is_cell, is_parameter
from ms_perflint.training.dtypes.dtype_names import DTYPE_CALLS, dtype_of, name_of_callee
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.dtypes.tensor_ops import INTEGERS
from ms_perflint.training.followed import attribute_values
from ms_perflint.training.networks import known_kinds, losses, raised
from ms_perflint.training.networks.networks import is_loss
from ms_perflint.training.networks.plain_numbers import Numbers, is_held
from ms_perflint.training.networks.plans import hidden, stop, unknown
from ms_perflint.training.networks.whole_numbers import is_rounded

_STATEMENTS = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.If, ast.For, ast.While, ast.Pass, ast.Raise,
    ast.Assert, ast.Break, ast.Continue,
)  # fmt: skip
_EXPRESSIONS = (
    ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Constant, ast.Name, ast.Attribute,
    ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp, ast.Starred, ast.JoinedStr,
    ast.FormattedValue, ast.NamedExpr,
)  # fmt: skip
LONGEST = 40  # characters of code in a message
RAISES = Message("`{name}` gives FP32, and an operator here takes tensors of one dtype")
OUTSIDE = Message("this number is out of the range of FP16")
ROUNDED = Message("FP16 or BF16 rounds large whole numbers before this cast")
ASKS = Message("this asks for a dtype, which would be another one")
_FOLLOWED = frozenset({"dtype", "int32", "int64", "bool_"})
_RAISED = frozenset({"float32"})
_CONSTANT = ("constexpr", "_primexpr", "primexpr")  # decorators


def is_known(program: Program, api: str) -> bool:
    """Return whether a layer of MindSpore is one of a known kind, for a program."""
    is_for_graphs = api.rpartition(".")[2] in known_kinds.OF_GRAPHS
    return known_kinds.is_cell(api, program.version) and (not is_for_graphs or jit.is_in_graphs(program))


class Code:
    """Reads functions of a network up to a place that is not known; `cell`: reads a called part of the network."""

    def __init__(
        self,
        program: Program,
        inner: Collection[Scope],
        dtype: str,
        cell: Callable[[Alternative, Optional[Site]], None],
    ) -> None:
        self.program = program
        self.dtype = dtype
        self.evaluator = program.evaluator
        self.numbers = Numbers(program)
        self.dtypes = Dtypes(program)
        self.inner = inner
        self.cell = cell
        self.words: set[str] = set()
        self.seen: set[Scope] = set()
        self.raised: Optional[tuple[Site, str]] = None  # the first cast to float32, and its name
        self.joins = False  # whether an operator takes tensors of one dtype only
        self.told: set[int] = set()  # nodes that are read with their call, by identity: the callee, the dtype of a cast

    def end(self) -> None:
        """Stop at a cast to float32 whose result an operator joins with a tensor in half precision."""
        if self.raised is not None and self.joins:
            site, name = self.raised
            stop(site.module, site.node, RAISES.filled(name=name))

    def function(self, function: Scope) -> None:
        """Read a function that computes in half precision."""
        if function in self.seen:
            return
        self.seen.add(function)
        module = function.module
        if not (_is_attribute(function) if isinstance(function.node, ast.Lambda) else function.is_function):
            hidden(module, function.node)
        body = function.node.body  # type: ignore[union-attr]
        for statement in body if isinstance(body, list) else [body]:  # else of a lambda
            for node, is_test in _nodes(module, statement):
                if isinstance(node, (ast.stmt, ast.expr)) and not isinstance(node, (*_STATEMENTS, *_EXPRESSIONS)):
                    name = getattr(node, "name", "")  # of an inner function or class
                    unknown(module, node, name or short(ast.unparse(node).partition("\n")[0], LONGEST))
                if not is_test:
                    self._node(node, function)

    def _node(self, node: ast.AST, function: Scope) -> None:
        module = function.module
        if id(node) in self.told and isinstance(node, ast.BinOp):
            return
        if isinstance(node, ast.Call):
            self._call(node, function)
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            stop(module, node, Message("a tensor that is stored here may stay in FP32"))
        elif isinstance(node, ast.Attribute):
            self._attribute(node, function)
        elif isinstance(node, ast.Constant) and isinstance(node.value, float):
            self._operand(node, node, function)
        elif isinstance(node, (ast.BinOp, ast.AugAssign)):
            self._operation(node, function)
        elif isinstance(node, ast.Compare):
            for operand in (node.left, *node.comparators):
                self._range(operand, function)

    def _attribute(self, node: ast.Attribute, function: Scope) -> None:
        """Read an attribute that is loaded: of the network, a layer or number; of a tensor, its shape."""
        if id(node) in self.told:
            return
        if not is_own(node):
            if node.attr == "dtype":
                stop(function.module, node, ASKS)
            return
        for known in self.program.value(node, function).alternatives:
            dtype = self.dtypes.of(node, function) if known.type_api == "mindspore.Tensor" else None
            if known.type_api == "mindspore.Tensor" and (dtype is None or not dtype.is_whole):  # else it keeps that
                self._tensor(known, node, function)
            if known.is_object and not is_parameter(known):
                self.cell(known, function.module.site_at(node))

    def _tensor(self, known: Alternative, node: ast.Attribute, function: Scope) -> None:
        """Read a tensor of the network, which is cast with it (run on 2.10, in both modes)."""
        if function.parent in self.inner:
            stop(function.module, node, Message("this tensor of the network stays in FP32"))
        made = known.creation
        values = (getattr(each, "value", None) for each in ast.walk(made.call)) if made is not None else ()
        if not all(is_held(each) for each in values if isinstance(each, (int, float))):
            stop(function.module, node, OUTSIDE)

    # --- calls

    def _call(self, node: ast.Call, function: Scope) -> None:
        site = function.module.site_at(node)
        if site is None:
            hidden(function.module, node)
            return
        self.told.add(id(node.func))
        self._note_numbers(node)
        is_followed = self._follows(node, site.word, site)
        is_filled = known_kinds.plain(site.word) in known_kinds.FILLS
        for each in plainly_given(node):
            self._range(each, function, (int, float) if is_filled else (float,))
        is_builtin = isinstance(node.func, ast.Name) and node.func.id in known_kinds.BUILTINS
        taken = self.evaluator.value(node, function) if site.word == "getattr" else BOTTOM
        if is_builtin or taken.are_only(partial(is_cell, self.program)) or _is_infinity(node):
            return
        self.words.add(site.word)
        if self._is_listed(node.func, function):
            stop(site.module, node, Message("the cells of a list are not converted with the network"))
        value = self.evaluator.callees(site)
        found = [
            known
            for known in value.alternatives
            if not _is_uncalled(known) and not (known.api and known.receiver is not None and known.receiver.is_object)
        ]  # no method of the output of a layer or operator, or of an array
        if value.are_only(_is_uncalled):
            return  # `self.pool = None` that no call replaces
        for known in found:
            self._callee(known, site)
        if (found and not value.open) or self._is_held(node.func, function):
            return
        if found and all(each.api or each.type_api for each in found):
            return  # `self.dropout = flag`, and then `nn.Dropout`: it is called where it is the layer
        is_method = isinstance(node.func, ast.Attribute) and not is_own(node.func) and not found
        if is_method and (known_kinds.is_operator(site.word) or site.word in ("append", "extend")):
            self.joins |= known_kinds.joins(site.word)
            return
        if known_kinds.is_layered(site.word) and not found and self._is_inherited(node.func, function):
            return
        if not found and (self._is_of_derived(node.func, function) or self._is_left_out(node.func, function)):
            return
        if not is_followed and not _is_of_base(node.func):
            unknown(site.module, node, site.word or ast.unparse(node.func)[:30])

    def _is_inherited(self, func: ast.expr, function: Scope) -> bool:
        """Return whether a callee is an attribute of `self` that a layer of MindSpore makes."""
        is_of_class = is_own(func) and function.cls is not None
        return is_of_class and not attribute_values(self.program, func, function)

    def _is_of_derived(self, func: ast.expr, function: Scope) -> bool:
        """Return whether a callee is a cell that derived classes make, which are read with their `__init__`."""
        classes = derived(self.program.inputs, function.cls) if is_own(func) and function.cls is not None else ()
        bindings = [each for cls in classes for each in cls.attributes.get(word_of(func), ())]
        values = [self.program.value(each.value, each.scope) for each in bindings if each.value is not None]
        known = [each for value in values for each in value.alternatives if each.constant is NO_CONSTANT]
        found = (losses.is_loss_api(each.type_api) or (each.cls and is_loss(self.program, each.cls)) for each in known)
        return bool(known) and not any(found) and all(is_cell(self.program, each) for each in known)

    def _is_left_out(self, func: ast.expr, function: Scope) -> bool:
        """Return whether a callee is an attribute that is None, unless an option that no caller passes is given."""
        classes = list(ancestors(self.evaluator, function.cls)) if is_own(func) and function.cls is not None else []
        bindings = [each for cls in classes for each in cls.attributes.get(word_of(func), ())]
        made = [each for each in bindings if self.evaluator.reachability(each.block) == BY_DEFAULT]
        values = [self.program.value(each.value, each.scope) for each in made if each.value is not None]
        return bool(values) and all(value.must_be(None) for value in values)

    def _callee(self, known: Alternative, site: Site) -> None:
        """Read one alternative of a callee."""
        api = known.api or known.type_api
        word = api.rpartition(".")[2]
        self.words.add(word)
        if known.definition is not None or known.cls is not None:
            if known.definition is not None and is_decorated(known.definition.node, *_CONSTANT):
                self._constant(known.definition, site)
            elif known.cls is not None and is_loss(self.program, known.cls):
                self._loss(site)
            else:
                self.cell(known, site)
            return
        if known.is_object and api.startswith(CELLS):
            self.joins |= word in known_kinds.STATEFUL
            self._follows(site.call, word, site)
            if losses.is_loss_api(api):
                self._loss(site)
            else:
                self.cell(known, site)
        elif api.startswith(CELLS) and not known.is_object:
            is_base = word == "construct" and is_known(self.program, api.rpartition(".")[0])
            if not is_base and not (is_known(self.program, api) and self._is_made_of_numbers(site)):
                unknown(site.module, site.node, word)
        elif api.startswith("math."):
            return
        elif not api.startswith("mindspore."):
            unknown(site.module, site.node, site.word)
        elif name_of_callee(known) in DTYPE_CALLS:
            if id(site.node) not in self.told:
                stop(site.module, site.node, ASKS)
        elif known.is_object or not word[:1].isupper():  # else a primitive is made, to be called
            self.joins |= known_kinds.joins(word)
            is_followed = self._follows(site.call, word, site)
            is_mixed = known_kinds.joins(word) and site.scope.owner.parent in self.inner
            if (not known_kinds.is_operator(word) or is_mixed) and not is_followed:
                unknown(site.module, site.node, word)

    def _constant(self, function: Scope, site: Site) -> None:
        """Read a function that Python runs while graph mode compiles: it gives numbers, or a tensor of its dtype."""
        if not all(self.numbers.is_number(given, function) for given, _ in function.returns):
            self.raised = self.raised or (site, function.name)

    def _is_made_of_numbers(self, site: Site) -> bool:
        """Return whether a layer that compiled code makes is given numbers alone."""
        return all(self.numbers.is_number(each, site.scope.owner) for each in plainly_given(site.call))

    def _follows(self, node: ast.Call, word: str, site: Site) -> bool:
        """Return whether a call makes a value of the dtype of a tensor, of whole numbers, or of float32.

        Layers cast float32 back to their own dtype.
        """
        said, given = known_kinds.dtype_of(node, word)
        if given is not None and said not in _FOLLOWED | _RAISED:
            callee = self.program.value(given.func, site.scope) if isinstance(given, ast.Call) else BOTTOM
            asks = callee.are(lambda known: name_of_callee(known) in DTYPE_CALLS)
            said = "dtype" if asks else dtype_of(self.program.value(given, site.scope))
        if said not in _FOLLOWED | _RAISED:
            return False
        is_held_dtype = said == "dtype" and given is not None and raised.is_held(given)
        if given is not None:
            self.told.add(id(given))
            if said in INTEGERS and is_rounded(self.program, node, given, site.scope.owner, self.dtype):
                stop(site.module, site.node, ROUNDED)
        if (said in _RAISED or is_held_dtype) and not raised.is_taken_back(self.program, site):
            self.raised = self.raised or (site, word)
        return True

    def _note_numbers(self, node: ast.Call) -> None:
        """Note the operations in the shape that a call is given as operations with numbers."""
        if known_kinds.plain(word_of(node.func)) in known_kinds.OF_SHAPES:
            is_method = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
            parts = node.args[1:] if not is_method else node.args
            shapes = [each for each in parts if isinstance(each, (ast.Tuple, ast.List))]
            self.told.update(id(part) for each in shapes for part in ast.walk(each) if isinstance(part, ast.BinOp))

    def _loss(self, site: Site) -> None:
        """Read a loss, which is in float32 where the layers of its class are converted one by one."""
        if site.scope.owner.parent not in self.inner:
            stop(site.module, site.node, Message("the loss is computed inside of the network"))

    def _rows(self, func: ast.expr, function: Scope) -> list[ast.expr]:
        """Return the rows of cells of which a callee is an item, in a loop or by its index."""
        if isinstance(func, ast.Subscript):
            return [func.value]
        bindings = function.bindings.get(func.id, ()) if isinstance(func, ast.Name) else ()
        found: list[ast.expr] = []
        for row in (binding.value for binding in bindings if binding.kind == "for"):
            is_through = isinstance(row, ast.Call) and word_of(row.func) in ("enumerate", "zip", "reversed")
            found += row.args if is_through else [row] if row is not None else []  # type: ignore[union-attr]
        return found

    def _is_listed(self, func: ast.expr, function: Scope) -> bool:
        """Return whether a callee is an item of a list of the network, whose cells are not cells of it."""
        rows = [self.program.value(each, function) for each in self._rows(func, function) if is_own(each)]
        listed = [value for value in rows if any(known.is_display for known in value.alternatives)]
        return not all(map(self._is_container, listed))

    def _is_held(self, func: ast.expr, function: Scope) -> bool:
        """Return whether a callee is one of the cells of a container."""
        rows = (each.value if isinstance(each, ast.Subscript) else each for each in self._rows(func, function))
        return any(self._is_container(self.program.value(each, function)) for each in rows)

    def _is_container(self, value: Value) -> bool:
        """Return whether a row is a container, also one that was the list of its cells before."""
        made = [known for known in value.alternatives if not known.is_display]
        if not made or value.open or any(known.type_api not in known_kinds.CONTAINERS for known in made):
            return False
        for known in made:
            self.cell(known, None)
        return True

    def _operation(self, node: ast.BinOp | ast.AugAssign, function: Scope) -> None:
        """Read an operation: with numbers that float16 holds, or of tensors."""
        left, right = (node.target, node.value) if isinstance(node, ast.AugAssign) else (node.left, node.right)
        if isinstance(node, ast.BinOp) and self.numbers.is_number(node, function):
            self._range(node, function, (float,))
            return
        if self.numbers.is_number(left, function) and self.numbers.is_number(right, function):
            return
        self.joins |= isinstance(node.op, ast.MatMult)
        is_other = not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult))
        is_quotient = isinstance(node.op, ast.Div) and not self.numbers.is_number(right, function)
        is_square = isinstance(node.op, ast.Mult) and spelling(left) == spelling(right)
        if is_other or is_quotient or is_square:
            unknown(function.module, node, ast.unparse(node)[:LONGEST])
        for operand in (left, right):
            self._operand(operand, node, function)

    def _operand(self, operand: ast.expr, node: ast.AST, function: Scope) -> None:
        """Read an operand: a number that float16 holds, or a computed value."""
        while isinstance(operand, ast.UnaryOp):
            operand = operand.operand
        if not isinstance(operand, (ast.Name, ast.Attribute, ast.Constant)):
            return
        is_known = self._range(operand, function)
        is_local = isinstance(operand, ast.Name) and operand.id in function.bindings
        if not is_local and not is_known and not self.numbers.is_number(operand, function):
            unknown(function.module, node, ast.unparse(node)[:LONGEST])

    def _range(self, operand: ast.expr, function: Scope, kinds: tuple[type[float], ...] = (int, float)) -> bool:
        """Return whether an operand is known, and no number of some kinds that float16 does not hold."""
        value = self.program.value(operand, function)
        numbers = [each for each in value.constants if isinstance(each, kinds)]
        if not all(map(is_held, numbers)):
            stop(function.module, operand, OUTSIDE)
        return bool(value.alternatives)


def _is_attribute(function: Scope) -> bool:
    """Return whether a lambda is the value of an attribute: graph mode may not find the source of another one."""
    cls = function.parent.cls if function.parent is not None else None
    bindings = (each for row in cls.attributes.values() for each in row) if cls is not None else ()
    return any(each.value is function.node for each in bindings)


def _is_infinity(node: ast.Call) -> bool:
    """Return whether a call is `float("-inf")`, which float16 holds too; `float("1e9")` it does not."""
    text = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    return word_of(node.func) == "float" and isinstance(text, str) and text.strip().lower().lstrip("+-") == "inf"


def _is_of_base(func: ast.expr) -> bool:
    """Return whether a call is one of the `construct` of a base class: `super().construct(x)`."""
    is_super = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call) and func.attr == "construct"
    return is_super and word_of(func.value.func) == "super"  # type: ignore[attr-defined]


def _is_uncalled(known: Alternative) -> bool:
    """Return whether a value cannot be called: a constant, or the list of which a container is made."""
    return known.constant is not NO_CONSTANT or known.is_display


@fact
def _nodes(module: SemanticIndex, root: ast.AST) -> tuple[tuple[ast.AST, bool], ...]:
    """Return the nodes of a statement of a file; those in messages, and in tests of types, are marked."""
    found, stack = [], [(root, False)]
    while stack:
        node, is_message = stack.pop()
        found.append((node, is_message))
        told = is_message or isinstance(node, (ast.Raise, ast.Assert))
        stack += [(child, told) for child in reversed(list(ast.iter_child_nodes(node)))]
    return tuple(found)
