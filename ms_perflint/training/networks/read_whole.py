"""Whether a network is read whole and is made of kinds that work in half precision; else where it is not known."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.signature import Layer
from ms_perflint.index.syntax_forms import position, word_of
from ms_perflint.infer import bases
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.training.networks import known_kinds
from ms_perflint.training.networks.conversions import Obstacle
from ms_perflint.training.networks.networks import added, is_cell, is_loss
from ms_perflint.training.training_steps import base_apis

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

LARGEST, SMALLEST = 60000, 1e-4  # of a number that float16 holds with some room
_STATEMENTS = (
    ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.If, ast.For, ast.While, ast.Pass, ast.Raise,
    ast.Assert, ast.Break, ast.Continue,
)  # fmt: skip
_EXPRESSIONS = (
    ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Constant, ast.Name, ast.Attribute,
    ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp, ast.Starred, ast.JoinedStr,
    ast.FormattedValue, ast.NamedExpr,
)  # fmt: skip
_SHAPES = frozenset({"shape", "size", "ndim"})


class Read(NamedTuple):
    """What was found in a network: its layers and operators by their last words, and what is not known of it."""

    words: frozenset[str]
    not_known: Optional[Obstacle]  # the first place that is not known to work in half precision


def read(program: Program, root: Site, values: Iterable[Value], inner: Collection[Scope] = ()) -> Read:
    """Read networks whole.

    `root`: what makes the training. `inner`: classes of which the layers are converted, and the loss is not.
    """
    reader = _Reader(program, root, inner)
    found: Optional[Obstacle] = None
    try:
        for cls in inner:
            reader.cls(cls)
        for value in values:
            reader.value(value, root)
        reader.end()
    except _NotKnownError as error:
        found = error.obstacle
    return Read(frozenset(reader.words), found)


class _NotKnownError(Exception):
    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(obstacle.text)
        self.obstacle = obstacle


class _Reader:
    """Reads code until something is not known."""

    def __init__(self, program: Program, root: Site, inner: Collection[Scope]) -> None:
        self.program = program
        self.evaluator = program.evaluator
        self.root = root
        self.inner = inner
        self.words: set[str] = set()
        self.seen: set[object] = set()
        self.raised: Optional[Site] = None  # the first cast to float32
        self.joins = False  # whether an operator takes tensors of one dtype only
        self.told: set[int] = set()  # what a call says for itself, by identity: what it calls, the dtype of a cast

    def stop(self, module: SemanticIndex, node: ast.AST, text: str) -> None:
        raise _NotKnownError(Obstacle(module, node, text))

    def hidden(self, module: SemanticIndex, node: ast.AST) -> None:
        self.stop(module, node, Message("what this part of the network is, is not known"))

    def unknown(self, module: SemanticIndex, node: ast.AST, name: str) -> None:
        self.stop(module, node, Message("`{name}` is not known to work in FP16 or BF16", name=name))

    def end(self) -> None:
        """A cast to float32 is known where no operator joins what it gives with a tensor in half precision."""
        if self.raised is not None and self.joins:
            self.unknown(self.raised.module, self.raised.node, self.raised.word)

    # --- cells

    def value(self, value: Value, site: Optional[Site]) -> None:
        """A network, or a part of one, with the site where it stands."""
        for known in value.alternatives:
            self.cell(known, site)
        if (value.open or not value.alternatives) and site is not None:
            self.hidden(site.module, site.node)

    def cell(self, known: Alternative, site: Optional[Site]) -> None:
        """One thing that may be a part of the network."""
        made = known.creation
        self.words.add(known.type_api.rpartition(".")[2])
        if known.constant is not NO_CONSTANT or known.is_display or known.definition is not None:
            return self._other(known, site)
        if known.cls is not None:
            self.cls(known.cls)
        elif known.type_api in known_kinds.CONTAINERS:
            if made is not None and not self._was_here(known.identity):
                self.row(known, made)
        elif not known_kinds.is_cell(known.type_api) and known.type_api.startswith(_LAYERS):
            self.unknown(*self._place(made, site), known.type_api.rpartition(".")[2])
        elif not known.type_api.startswith(("mindspore.", *known_kinds.PACKAGES)):
            self.hidden(*self._place(made, site))
        return None

    def _place(self, made: Optional[Layer], site: Optional[Site]) -> tuple[SemanticIndex, ast.AST]:
        """Return where a part of the network is made, else where it stands."""
        if made is not None:
            return made.scope.module, made.call
        return (site or self.root).module, (site or self.root).node

    def _other(self, known: Alternative, site: Optional[Site]) -> None:
        """What is no instance: a function, a list of cells."""
        if known.is_display:
            if site is not None:
                self.stop(site.module, site.node, Message("the cells of a list are not converted with the network"))
        elif known.definition is not None and known.definition.is_class:
            self.cls(known.definition)
        elif known.definition is not None:
            self.function(known.definition)

    def _was_here(self, key: object) -> bool:
        if key in self.seen:
            return True
        self.seen.add(key)
        return False

    def cls(self, cls: Scope) -> None:
        """A class of the project: what makes its layers, and what it computes."""
        if self._was_here(cls):
            return
        apis = base_apis(self.program, cls)
        if apis - known_kinds.CONTAINERS - {"mindspore.nn.Cell"}:
            self.unknown(cls.module, cls.node, cls.name)
        owns = list(bases.ancestors(self.evaluator, cls))
        if not is_cell(self.program, cls) or not all(self._knows_bases(each) for each in owns):
            self.hidden(cls.module, cls.node)
        for init in filter(None, (each.method("__init__") for each in owns)):
            self.makes(init)
        gradient = bases.method(self.evaluator, cls, "bprop")
        if gradient is not None:
            self.unknown(gradient.module, gradient.node, "bprop")
        construct = bases.method(self.evaluator, cls, "construct")
        if construct is not None:
            self.function(construct)
        elif not apis & known_kinds.CONTAINERS:
            self.hidden(cls.module, cls.node)

    def _knows_bases(self, cls: Scope) -> bool:
        assert isinstance(cls.node, ast.ClassDef)
        values = [self.program.value(base, cls.parent) for base in cls.node.bases if cls.parent is not None]
        return all(value.alternatives and not value.open for value in values)

    def makes(self, function: Scope) -> None:
        """Code that makes layers: all cells that it makes are known."""
        if ("makes", function) in self.seen:
            return
        self.seen.add(("makes", function))
        kept = _kept(function)
        for site in sorted(function.calls, key=lambda each: position(each.node)):
            if isinstance(site.node, ast.Call):
                self._made(site, id(site.node) in kept)

    def row(self, known: Alternative, made: Layer) -> None:
        """A container: what makes its cells, in the function that returns it, or in what it is given."""
        owner = made.scope.owner
        if owner.is_function and (owner.is_method or owner.returns):
            self.makes(owner)
            return
        given: list[tuple[ast.expr, Scope]] = [(made.call, made.scope), *added(self.program, known)]
        for argument in made.call.args:
            listed = argument.value if isinstance(argument, ast.Starred) else argument
            for name in (node for node in ast.walk(listed) if isinstance(node, ast.Name)):
                bindings = owner.bindings.get(name.id, ())
                given += [(each.value, each.scope) for each in bindings if each.value is not None]
        for root, scope in given:
            sites = (scope.module.site_at(node) for node in ast.walk(root) if isinstance(node, ast.Call))
            for site in sites:
                if site is not None:
                    self._made(site, True)

    def _made(self, site: Site, is_kept: bool) -> None:
        """A call in code that makes layers; `is_kept`: what it gives may be one of them."""
        value = self.evaluator.callees(site)
        self.words.add(site.word)
        for known in value.alternatives:
            api, definition = known.api, known.definition
            self.words.add(api.rpartition(".")[2])
            if api.startswith(_LAYERS) and api.rpartition(".")[2][:1].isupper():
                if api.endswith(("Loss", "WithLogits")):
                    continue  # it is asked for where it is called
                if not (known_kinds.is_cell(api) or api in known_kinds.CONTAINERS):
                    self.unknown(site.module, site.node, api.rpartition(".")[2])
            elif definition is not None and definition.is_class:
                if is_cell(self.program, definition):
                    self.cls(definition)
            elif definition is not None and (is_kept or self._gives_cells(site)):
                self.makes(definition)
            elif api and is_kept and api.rpartition(".")[2][:1].isupper() and not api.startswith(_LIBRARIES):
                self.hidden(site.module, site.node)
        callee = site.node.func if isinstance(site.node, ast.Call) else None
        is_of_result = isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Call)
        if is_kept and not value.alternatives and not is_of_result and site.word not in known_kinds.BUILTINS:
            self.hidden(site.module, site.node)

    def _gives_cells(self, site: Site) -> bool:
        assert isinstance(site.node, ast.Call)
        known = self.program.value(site.node, site.scope).alternatives
        return any(each.cls is not None or each.type_api.startswith(_LAYERS) or each.is_display for each in known)

    # --- what is computed

    def function(self, function: Scope) -> None:
        """Code that computes in half precision."""
        if self._was_here(function):
            return
        module = function.module
        if not function.is_function or isinstance(function.node, ast.Lambda):
            self.hidden(module, function.node)
        for statement in function.node.body:  # type: ignore[union-attr]
            for node, is_test in _nodes(statement):
                if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
                    self.unknown(module, node, type(node).__name__.lower())
                if isinstance(node, ast.expr) and not isinstance(node, _EXPRESSIONS):
                    self.unknown(module, node, type(node).__name__.lower())
                if not is_test:
                    self._node(node, function)

    def _node(self, node: ast.AST, function: Scope) -> None:
        module = function.module
        if isinstance(node, ast.Call):
            self._call(node, function)
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            self.stop(module, node, Message("what is stored here may stay in FP32"))
        elif isinstance(node, ast.Attribute):
            self._attribute(node, function)
        elif isinstance(node, ast.Constant) and isinstance(node.value, float):
            self._operand(node, node, function)
        elif isinstance(node, (ast.BinOp, ast.AugAssign)):
            self._operation(node, function)
        elif isinstance(node, ast.Compare) and not self._compares_numbers(node, function):
            self.unknown(module, node, ast.unparse(node)[:30])

    def _attribute(self, node: ast.Attribute, function: Scope) -> None:
        """An attribute that is loaded: of the network, a layer or number; of a tensor, its shape."""
        if id(node) in self.told:
            return
        if not (isinstance(node.value, ast.Name) and node.value.id == "self"):
            if node.attr == "dtype":
                self.stop(function.module, node, Message("this asks for a dtype, which would be another one"))
            return
        for known in self.program.value(node, function).alternatives:
            if known.type_api == "mindspore.Tensor":
                self.stop(function.module, node, Message("this tensor of the network stays in FP32"))
            if known.is_object and known.type_api != _PARAMETER:
                self.cell(known, function.module.site_at(node))

    # --- calls

    def _call(self, node: ast.Call, function: Scope) -> None:
        site = function.module.site_at(node)
        if site is None:
            self.hidden(function.module, node)
            return
        self.told.add(id(node.func))
        if self._follows(site):
            self.told.add(id(node.args[-1]))
            self.raised = self.raised or (site if _dtype(site) in _RAISED else None)
        if isinstance(node.func, ast.Name) and node.func.id in known_kinds.BUILTINS:
            return
        self.words.add(site.word)
        if self._is_listed(node.func, function):
            self.stop(site.module, node, Message("the cells of a list are not converted with the network"))
        value = self.evaluator.callees(site)
        found = [known for known in value.alternatives if known.constant is NO_CONSTANT and not _is_of_tensor(known)]
        for known in found:
            self._callee(known, site)
        if found and (not value.open or self._is_held(node.func, function)):
            return
        if found and all(each.api or each.type_api for each in found):
            return
        if self._is_held(node.func, function):
            return
        is_method = isinstance(node.func, ast.Attribute) and not self._is_own(node.func) and not found
        if is_method and (known_kinds.is_operator(site.word) or site.word in ("append", "extend")):
            self.joins |= known_kinds.joins(site.word)
            return
        if not self._follows(site):
            self.unknown(site.module, node, site.word or ast.unparse(node.func)[:30])

    def _is_own(self, func: ast.Attribute) -> bool:
        return isinstance(func.value, ast.Name) and func.value.id == "self"

    def _callee(self, known: Alternative, site: Site) -> None:
        """One thing that a call may call."""
        api = known.api or known.type_api
        self.words.add(api.rpartition(".")[2])
        if known.definition is not None or known.cls is not None:
            if known.cls is not None and is_loss(self.program, known.cls):
                self._loss(site)
            else:
                self.cell(known, site)
            return
        word = api.rpartition(".")[2]
        if known.is_object and api.startswith(_LAYERS):
            if api.endswith(("Loss", "WithLogits")):
                self._loss(site)
            else:
                self.cell(known, site)
        elif api.startswith("math.") or (api.startswith(_LAYERS) and not known.is_object):
            if api.startswith(_LAYERS) and not (known_kinds.is_cell(api) and self._is_made_of_numbers(site)):
                self.unknown(site.module, site.node, word)
        elif not api.startswith("mindspore."):
            self.unknown(site.module, site.node, site.word)
        elif known.is_object or not word[:1].isupper():  # else a primitive is made, to be called
            self.joins |= known_kinds.joins(word)
            is_mixed = known_kinds.joins(word) and site.scope.owner.parent in self.inner
            if (not known_kinds.is_operator(word) or is_mixed) and not self._follows(site):
                self.unknown(site.module, site.node, word)

    def _is_made_of_numbers(self, site: Site) -> bool:
        """Return whether a layer that is made where a network computes is given numbers alone, and no tensor."""
        given = (
            (*site.node.args, *(word.value for word in site.node.keywords)) if isinstance(site.node, ast.Call) else ()
        )
        return all(self._is_number(each, site.scope.owner) for each in given)

    def _follows(self, site: Site) -> bool:
        """Return whether a cast is to the dtype of a tensor, whole numbers, or float32, which layers cast back."""
        return _dtype(site) in _FOLLOWED | _RAISED

    def _loss(self, site: Site) -> None:
        """A loss is computed: in float32, where the layers of its class are converted one by one."""
        if site.scope.owner.parent not in self.inner:
            self.stop(site.module, site.node, Message("the loss is computed inside of the network"))

    def _is_held(self, func: ast.expr, function: Scope) -> bool:
        """Return whether what is called is one of the cells of a container: of a loop, or by its index."""
        if isinstance(func, ast.Subscript):
            return self._is_container(func.value, function)
        bindings = function.bindings.get(func.id, ()) if isinstance(func, ast.Name) else ()
        loops = [binding.value for binding in bindings if binding.kind == "for"]
        return bool(loops) and all(self._goes_through_cells(each, function) for each in loops)

    def _is_listed(self, func: ast.expr, function: Scope) -> bool:
        """Return whether what is called is an item of a list of the network, whose cells are not cells of it."""
        bindings = function.bindings.get(func.id, ()) if isinstance(func, ast.Name) else ()
        rows = [each.value for each in bindings if each.kind == "for" and each.value is not None]
        rows += [func.value] if isinstance(func, ast.Subscript) else []
        values = [self.program.value(row, function) for row in rows if isinstance(row, ast.Attribute)]
        return any(known.is_display for value in values for known in value.alternatives)

    def _goes_through_cells(self, node: Optional[ast.expr], function: Scope) -> bool:
        if isinstance(node, ast.Call) and word_of(node.func) in ("enumerate", "zip", "reversed"):
            return any(self._is_container(each, function) for each in node.args)
        return node is not None and self._is_container(node, function)

    def _is_container(self, node: ast.expr, function: Scope) -> bool:
        if isinstance(node, ast.Subscript):
            node = node.value
        value = self.program.value(node, function)
        if not value.alternatives or value.open:
            return False
        for known in value.alternatives:
            if known.type_api not in known_kinds.CONTAINERS:
                return False
            self.cell(known, None)
        return True

    # --- numbers

    def _operation(self, node: ast.BinOp | ast.AugAssign, function: Scope) -> None:
        """An operation with numbers that float16 holds, or of tensors."""
        left, right = (node.target, node.value) if isinstance(node, ast.AugAssign) else (node.left, node.right)
        if self._is_number(left, function) and self._is_number(right, function):
            return
        text = ast.unparse(node)[:40]
        if isinstance(node.op, ast.MatMult):
            self.joins = True
        if not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult)):
            self.unknown(function.module, node, text)
        if isinstance(node.op, ast.Div) and not self._is_number(right, function):
            self.unknown(function.module, node, text)
        if isinstance(node.op, ast.Mult) and ast.dump(left) == ast.dump(right):
            self.unknown(function.module, node, text)
        for operand in (left, right):
            self._operand(operand, node, function)

    def _operand(self, operand: ast.expr, node: ast.AST, function: Scope) -> None:
        """A number that float16 holds, or what is computed."""
        if not isinstance(operand, (ast.Name, ast.Attribute, ast.Constant, ast.UnaryOp)):
            return
        value = self.program.value(operand, function)
        numbers = [each for each in value.constants if isinstance(each, (int, float))]
        if any(each and not SMALLEST <= abs(each) <= LARGEST for each in numbers):
            self.stop(function.module, operand, Message("this number is out of the range of FP16"))
        is_local = isinstance(operand, ast.Name) and operand.id in function.bindings
        if not is_local and not value.alternatives and not self._is_number(operand, function):
            self.unknown(function.module, node, ast.unparse(node)[:40])

    def _compares_numbers(self, node: ast.Compare, function: Scope) -> bool:
        if all(isinstance(each, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for each in node.ops):
            return True
        return all(self._is_number(each, function) for each in (node.left, *node.comparators))

    def _is_number(self, node: Optional[ast.expr], function: Scope, depth: int = 6) -> bool:
        """Return whether an expression is a number or text, and no tensor: of shapes, and of constants."""
        if node is None or not depth:
            return False
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            return True
        parts: list[ast.expr] = []
        if isinstance(node, ast.Attribute) and node.attr in _SHAPES:
            return True
        if isinstance(node, ast.Subscript):
            return self._is_number(node.value, function, depth - 1)
        if isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp):
            parts = [node.operand]
        elif isinstance(node, (ast.Tuple, ast.List)):
            parts = node.elts
        elif isinstance(node, ast.Call):
            return self._gives_number(node, function, depth)
        elif isinstance(node, ast.Name) and (bindings := function.bindings.get(node.id)):
            if any(binding.kind == "parameter" for binding in bindings):
                return self._is_constant(node, function)
            parts = [binding.value for binding in bindings if binding.value is not None]
        if parts:
            return all(self._is_number(each, function, depth - 1) for each in parts)
        return self._is_constant(node, function)

    def _gives_number(self, node: ast.Call, function: Scope, depth: int) -> bool:
        word = word_of(node.func)
        if word in ("len", "int", "range", "shape", "size", "Shape", "dim", "ndimension", "numel", "isinstance"):
            return True
        site = function.module.site_at(node)
        apis = self.program.apis(site) if site is not None else ()
        if any(api.startswith("mindspore.ops.Shape") for api in apis):
            return True
        is_math = bool(apis) and all(api.startswith("math.") for api in apis)
        return is_math and all(self._is_number(each, function, depth - 1) for each in node.args)

    def _is_constant(self, node: ast.expr, function: Scope) -> bool:
        value = self.program.value(node, function)
        return (
            bool(value.alternatives)
            and not value.open
            and all(each.constant is not NO_CONSTANT or each.is_display for each in value.alternatives)
        )


_LIBRARIES = ("mindspore.", "numpy.", "math.", "builtins.", "typing.", "collections.")
_LAYERS = ("mindspore.nn.", "mindspore.mint.nn.")
_CASTS = frozenset({"cast", "astype"})
_FOLLOWED = frozenset({"dtype", "int32", "int64", "bool_"})
_RAISED = frozenset({"float32"})
_ROWS = frozenset({"append", "extend", "insert", "SequentialCell", "CellList"})
_PARAMETER = "mindspore.Parameter"


def _dtype(site: Site) -> str:
    """Return the last word of what a cast is to; "" where it is no cast, or the dtype has no such word."""
    given = site.node.args[-1:] if isinstance(site.node, ast.Call) and site.word.lower() in _CASTS else []
    return next((each.attr for each in given if isinstance(each, ast.Attribute)), "")


def _is_of_tensor(known: Alternative) -> bool:
    """Return whether what is called is a method of what a layer or an operator gives, or of an array."""
    return bool(known.api) and known.receiver is not None and known.receiver.is_object


def _kept(function: Scope) -> set[int]:
    """Return the calls of a function whose results may be layers: given to `self`, a row of cells, or returned."""
    found: set[int] = set()
    todo: list[ast.AST] = []
    for node in ast.walk(function.node):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            todo += [node.value] if any(isinstance(each, (ast.Attribute, ast.Subscript)) for each in targets) else []
        elif (isinstance(node, ast.Return) and node.value is not None) or isinstance(node, ast.AugAssign):
            todo += [node.value] if node.value is not None else []
        elif isinstance(node, ast.Call) and word_of(node.func) in _ROWS:
            todo += node.args
    seen: set[str] = set()
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Call):
            found.add(id(node))
        elif isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            todo += [each.value for each in function.bindings.get(node.id, ()) if each.value is not None]
        elif isinstance(
            node, (ast.List, ast.Tuple, ast.IfExp, ast.ListComp, ast.Starred, ast.BoolOp, ast.BinOp, ast.Dict)
        ):
            todo += list(ast.iter_child_nodes(node))
        elif isinstance(node, (ast.Subscript, ast.comprehension)):
            todo.append(node.value if isinstance(node, ast.Subscript) else node.iter)
    return found


def _nodes(root: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """Yield the nodes of a statement; those of a message to people, or of a test of a type, are marked."""
    stack = [(root, False)]
    while stack:
        node, is_message = stack.pop()
        yield node, is_message
        told = is_message or isinstance(node, (ast.Raise, ast.Assert))
        stack += [(child, told) for child in reversed(list(ast.iter_child_nodes(node)))]
