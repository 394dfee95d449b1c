"""Statements and calls of compiled code that graph mode refuses, or runs once instead of at each step.

Run on 2.10, CPU, each inside of `construct` and of a function under `value_and_grad`, in graph mode and in PyNative.
The compiler refuses `try`, `with` (also `_no_grad()`), `yield`, `nonlocal`, `import`, `del`, `match`, `:=`, sets,
comprehensions of sets or over two sequences, `while ... else`, `for ... else`, `Parameter(...)`,
`Parameter.set_data`, `Parameter.requires_grad`, `trainable_params()` and its kin, a dict with Parameters as keys, a
list or tuple that grows in a `while` over a tensor, the fields of a dataclass or named tuple that is made there, and
`ones`, `full`, `eye` and `identity` of NumPy 2 (those of 1.26 compile). `tolist()` is refused, or spoils the tensor.
`extend`, `insert`, `pop` and `reverse` of a list cut the gradients of the tensors in it; `append` and `+=` do not.
All gradients are 0, without a warning, where Python's `max` or `min` gets a tensor, or a number that is read from one,
and a number, and where `all` or `any` gets one, or a list or tuple of Python is indexed by one, also behind
`stop_gradient`; a test on the result, `range`, `max` of tensors only and an index `int(tensor)` are right. The same
holds for `float`, `int` and `len` of a text with a tensor in it, if they compile. `tensor in [1, 3]` does not hold for
any tensor, and of its `item()` it does not compile; `int(tensor) in [1, 3]` is right. `abs` and `round` of a number
that is read from a tensor do not compile, nor does a comprehension in `all` or `any` that reads another name.
It runs once, while it compiles: random numbers of Python and NumPy, assignments to globals; what NumPy and `math`
compute from tensors enters the loss as a constant.
Same losses as PyNative: `.item()`, `float(tensor)`, `int(tensor.sum())`, `print`, logging, f-strings, `assert`,
`raise`, `isinstance`, lambdas, comprehensions, generator expressions, `*args`, `Tensor(...)` of constants, cells and
primitives that are made there, `np.sqrt`, `np.prod` and `math.sqrt` of shapes and constants, `np.array`, `np.arange`,
`np.zeros`, `ops.assign`, `Parameter +=`, assigning to a Parameter or to its elements, and `.asnumpy()` that is printed
or tested.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Optional

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import TRY, children, descendants, given, is_decorated, is_own, targets, word_of
from ms_perflint.infer.places import APPENDS
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.training.bases import PARAMETER, is_parameter
from ms_perflint.training.dtypes.host_values import is_computed
from ms_perflint.training.dtypes.tensor_ops import FORMS, PRINTS
from ms_perflint.training.graph_mode.branches import Tensors, in_arms
from ms_perflint.training.graph_mode.compiled import gone_through, nodes, own_nodes, steps
from ms_perflint.training.graph_mode.constants import is_constant, is_whole
from ms_perflint.training.graph_mode.known_calls import calls_of
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.graph_mode.sizes import widens
from ms_perflint.training.optimizers import PARAMETERS

_REFUSED: Mapping[type[ast.AST], str] = {
    **dict.fromkeys(TRY, "try"),
    **dict.fromkeys((ast.With, ast.AsyncWith), "with"),
    **dict.fromkeys((ast.Import, ast.ImportFrom), "import"),
    **dict.fromkeys((ast.Yield, ast.YieldFrom), "yield"),
    ast.AsyncFor: "async for", ast.Nonlocal: "nonlocal", ast.Delete: "del", ast.Await: "await", ast.NamedExpr: ":=",
    **({ast.Match: "match"} if hasattr(ast, "Match") else {}),
}  # fmt: skip
# Of cells: what they hold, by name
_OF_CELLS = (*PARAMETERS, "untrainable_params", "cells")
_ROWS = ("trainable_params", "untrainable_params", "get_parameters")  # that give Parameters one by one
_OF_PARAMETERS = ("name", "requires_grad")
_RANDOM = ("numpy.random.", "random.")
_ARRAYS = frozenset({"ones", "full", "eye", "identity"})
_SEEDED = frozenset({"RandomState", "default_rng", "seed"})
_PYTHON = ("numpy.", "math.", "scipy.", "cv2.", "sklearn.")
_HOPS = 3  # names that stand for one another
_CUTS = frozenset({"extend", "insert", "pop", "reverse"})  # methods of lists
_PRINTS = PRINTS | {"log", "write"}
_CHOOSES = frozenset({"builtins.max", "builtins.min"})  # Python runs it, unless all that it gets are tensors
_RANGE = "builtins.range"
_TRUTHS = frozenset({"builtins.all", "builtins.any"})
_OF_TENSORS = frozenset({"builtins.abs", "builtins.round"})  # in compiled code, functions of tensors and constants
_OF_TEXTS = frozenset({"builtins.float", "builtins.int", "builtins.len"})
_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp)


def in_statements(program: Program, function: Scope) -> Iterator[Obstacle]:
    """Yield the code of a compiled function that graph mode refuses or runs once."""
    module = function.module
    for _, node in nodes(program, function):
        word = _refused(function, node)
        if word:
            yield obstacle(module, node, word, Message("graph mode does not compile `{name}`", name=word))
    values = _Tensors(program, function)
    for site in calls_of(program, function):
        found = _of_call(program, site, values)
        if found is not None:
            yield obstacle(module, site.node, *found)
    for step in steps(program, function):
        yield from _of_containers(program, step, values)


def wanting_numbers(program: Program, function: Scope, given: frozenset[str]) -> Iterator[Obstacle]:
    """Yield the code of a compiled function in which some parameters have to be numbers of Python, not tensors.

    Run on 2.10: as a factor, power, shape, bound of a slice, index of a tensor, or in a test a tensor does as well.
    """
    yield from in_arms(program, function, given)
    values = _Tensors(program, function, given)
    for site in calls_of(program, function):
        found: Optional[tuple[str, Message]] = None
        for api in sorted(known.api for known in program.evaluator.callees(site).alternatives):
            if api in _CHOOSES | _TRUTHS | {_RANGE}:
                found = _of_library(program, api, site, values)
        ends = [each for each in site.call.args[-1:] if not isinstance(each, ast.Call) or word_of(each.func) != "int"]
        if site.word == "dropout" and any(map(values.is_computed, ends)):
            found = "number", Message("graph mode takes no tensor in `{name}`", name=f"{site.word}()")
        if found is not None:
            yield obstacle(function.module, site.node, *found)
    for step in steps(program, function):
        yield from _of_containers(program, step, values)


def _refused(function: Scope, node: ast.AST) -> str:
    """Return the word of a statement or expression that the compiler does not know; "" for others."""
    if isinstance(node, ast.Global):
        names = (each for each in descendants(function.node) if isinstance(each, ast.Name))
        stored = {each.id for each in names if isinstance(each.ctx, ast.Store)}
        return "global" if stored.intersection(node.names) else ""
    if isinstance(node, (ast.While, ast.For)) and node.orelse:
        return "while ... else" if isinstance(node, ast.While) else "for ... else"
    if isinstance(node, (ast.SetComp, ast.Set)):
        return "{... for ...}" if isinstance(node, ast.SetComp) else "{...}"
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and len(node.generators) > 1:
        return "... for ... for ..."
    return _REFUSED.get(type(node), "")


def _of_call(program: Program, site: Site, values: _Tensors) -> Optional[tuple[str, Message]]:
    """Return the kind and message of an obstacle in a call of compiled code; None without one."""
    is_method = isinstance(site.call.func, ast.Attribute)
    if is_method and site.word == "set_data":
        return "set_data", Message("graph mode does not compile `set_data`; `ops.assign` does the same")
    if is_method and site.word in _OF_CELLS:
        return site.word, Message("graph mode does not compile `{name}`", name=f"{site.word}()")
    if is_method and site.word == "asnumpy":
        text = Message("`asnumpy()` gives graph mode a constant: the loss may stay as it is")
        return ("asnumpy", text) if not values.is_only_shown(site.call) else None
    if is_method and site.word == "tolist" and not site.call.args:
        return "tolist", Message("graph mode does not compile `tolist()`, or computes other values after it")
    if is_method and site.word == "register_hook" and any(isinstance(each, ast.Lambda) for each in site.call.args):
        return "lambda", Message("graph mode does not parse a lambda inside of a call; bind it to a name first")
    known = program.evaluator.callees(site).alternatives
    if any(map(_has_fields, known)):
        text = Message("graph mode does not read the fields of an object that is made in compiled code")
        return "dataclass", text
    apis = {each.api for each in known if each.api}
    if is_method and site.word in _CUTS and _holds_tensors(program, site, known):
        return "list", Message("graph mode loses gradients by `{name}` of a list", name=site.word)
    if PARAMETER in apis:
        return "Parameter", Message("graph mode does not make a `Parameter`; make it in `__init__`")
    found = (_of_library(program, api, site, values) for api in sorted(apis))
    return next((each for each in found if each is not None), None)


def _holds_tensors(program: Program, site: Site, known: Sequence[Alternative]) -> bool:
    """Return whether a method is called on a list that may hold tensors, and not only numbers or shapes."""
    function, base = site.scope, site.base
    if base is None or is_own(site.call.func) or not all(each.api.startswith((".", "builtins.")) for each in known):
        return False  # a function of a module, a method of the project, a cell
    arguments = given(site.call)
    if site.word == "pop" and not all(map(is_whole, arguments)):
        return False  # of a dict
    same = (each for each in function.owner.calls if isinstance(each.base, ast.Name) and each.base.id == word_of(base))
    puts = (each.node for each in same if each.word in APPENDS)
    parts = [base, *arguments, *(part for each in puts for part in given(each))]  # type: ignore[arg-type]
    return not (isinstance(base, ast.Name) and all(is_constant(program, function, each) for each in parts))


def _has_fields(known: Alternative) -> bool:
    """Return whether something makes an object with fields: a dataclass or a named tuple."""
    if known.definition is None or not known.definition.is_class:
        return known.type_api == "collections.namedtuple"
    node = known.definition.node
    bases = [word_of(base) for base in getattr(node, "bases", ())]
    return is_decorated(node, "dataclass") or "NamedTuple" in bases


def _of_library(program: Program, api: str, site: Site, values: _Tensors) -> Optional[tuple[str, Message]]:
    """Return the kind and message of an obstacle in a call of Python's own libraries, NumPy or others."""
    name, node = api.rpartition(".")[2], site.call
    is_made_here = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call)
    if api.startswith(_RANDOM) and name not in _SEEDED and not is_made_here:
        return "random", Message("graph mode draws `{name}` once, when it compiles", name=ast.unparse(node.func))
    if api.startswith("numpy.") and name in _ARRAYS and api.count(".") == 1:
        return "numpy", Message("graph mode does not compile `{name}` of NumPy 2", name=ast.unparse(node.func))
    if api in _CHOOSES | _TRUTHS and _cuts(api, node, values):
        return "gradients", Message("graph mode loses all gradients by `{name}` of a tensor in Python", name=name)
    if api in _TRUTHS and any(map(values.reads_around, node.args)):
        return "names", Message("graph mode gives a comprehension in `{name}` no other names", name=name)
    if api in _OF_TENSORS and any(values.is_computed(each) and values.known.is_number(each) for each in node.args):
        return "number", Message("graph mode does not compile `{name}` of a number read from a tensor", name=name)
    if api in _OF_TEXTS and any(map(values.is_text, node.args)):
        return "text", Message("graph mode computes nothing from the text of a tensor")
    if api == _RANGE and any(values.is_computed(each) and not values.known.is_number(each) for each in node.args):
        return "number", Message("graph mode takes no tensor in `{name}`", name="range()")
    if api.startswith(_PYTHON) and any(map(values.reads_tensor, given(node))):
        return "numpy", Message("`{name}` of a tensor is a constant in graph mode", name=ast.unparse(node.func))
    return None


def _cuts(api: str, node: ast.Call, values: _Tensors) -> bool:
    """Return whether Python itself chooses by the values of tensors, for a result that is not only shown or tested."""
    parts = node.args
    if api in _CHOOSES and len(parts) == 1:
        parts = [values.held(parts[0])]
    if len(parts) == 1 and isinstance(parts[0], (ast.List, ast.Tuple)):
        parts = parts[0].elts
    are_truths = api in _TRUTHS
    if are_truths and any(isinstance(each, _COMPREHENSIONS) and values.is_of_tensors(each) for each in parts):
        return not values.is_only_shown(node)
    tensors = [each for each in parts if values.is_computed(each) or (are_truths and values.known.is_tested(each))]
    return bool(tensors) and (are_truths or len(tensors) < len(parts)) and not values.is_only_shown(node)


def _of_containers(program: Program, step: Site, values: _Tensors) -> Iterator[Obstacle]:
    """Yield dicts with Parameters as keys, and lists that grow in a loop over a tensor."""
    module = step.block.scope.module
    for node in own_nodes(step):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and values.picks(node):
            text = Message("graph mode loses all gradients where a tensor is the index of a list in Python")
            yield obstacle(module, node, "gradients", text)
        if isinstance(node, ast.Compare) and (message := values.misses(node)) is not None:
            yield obstacle(module, node, "test", message)
        field = node.attr if isinstance(node, ast.Attribute) and node.attr in _OF_PARAMETERS else ""
        if field and _is_parameter(program, node.value, step):  # type: ignore[attr-defined]
            text = Message("graph mode does not compile `{name}` of a Parameter", name=field)
            yield obstacle(module, node, field, text)
        keys = [key for key in node.keys if key is not None] if isinstance(node, ast.Dict) else []
        keys += [node.key] if isinstance(node, ast.DictComp) else []
        keys += [node.slice] if isinstance(node, ast.Subscript) and values.is_mapping(node.value) else []
        if any(_is_parameter(program, key, step) for key in keys):
            yield obstacle(module, node, "dict", Message("graph mode takes no Parameter as the key of a dict"))
    if isinstance(step.stmt, ast.While) and values.passed.is_tested(step.stmt.test):
        for node in filter(_grows, descendants(step.stmt)):
            message = Message("graph mode does not compile a list that grows in a `while` over a tensor")
            yield obstacle(module, node, "list", message)
        for node in filter(widens, descendants(step.stmt)):
            message = Message("graph mode does not compile a tensor that grows in a `while` over a tensor")
            yield obstacle(module, node, "shape", message)


def _grows(node: ast.AST) -> bool:
    """Return whether a list or tuple gets longer: `rows.append(x)`, `rows += (x,)`; dicts do compile."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in APPENDS and isinstance(node.func.value, ast.Name)
    return isinstance(node, ast.AugAssign) and isinstance(node.value, (ast.List, ast.Tuple))


def _is_parameter(program: Program, node: ast.expr, step: Site) -> bool:
    """Return whether an expression is a Parameter, also the variable of a loop or comprehension over Parameters."""
    scope = step.block.scope
    if isinstance(node, ast.Name):
        passes = map(gone_through, scope.lookup(node))
        sources = [over for over, part in passes if over is not None and not part]
        within = (each for each in descendants(step.stmt) if isinstance(each, ast.comprehension))
        sources += [each.iter for each in within if word_of(each.target) == node.id]
        if any(_are_parameters(program, source, scope) for source in sources):
            return True
    return program.value(node, scope).are(is_parameter)


def _are_parameters(program: Program, node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression is the Parameters of a cell or an optimizer."""
    if word_of(node) == "parameters" or (isinstance(node, ast.Call) and word_of(node.func) in _ROWS):
        return True
    known = program.value(node, scope).alternatives
    return any(each.type_api.endswith((*_ROWS, "ParameterTuple")) for each in known)


class _Tensors:
    """What a compiled function does with tensors; `passed`: with those that it may be given, too."""

    def __init__(self, program: Program, function: Scope, given: frozenset[str] = frozenset()) -> None:
        self.program = program
        self.function = function
        self.known = Tensors(program, function, given)
        is_forward = function.name in ("construct", "forward", "forward_fn")
        self.passed = Tensors(program, function, frozenset(function.bindings) if is_forward else given)
        self.parents: dict[int, ast.AST] = {}
        for node in descendants(function.node):
            self.parents.update((id(part), node) for part in ast.iter_child_nodes(node))
        self.asked: set[str] = set()  # names: what is made of itself says nothing new

    def is_computed(self, node: ast.expr) -> bool:
        """Return whether an expression is computed from a tensor that is no constant."""
        if not self.known.is_one(node):
            return False
        own = (each for each in ast.walk(node) if isinstance(each, ast.Attribute) and is_own(each))
        are_weights = (self.program.value(each, self.function).are(is_parameter) for each in own)
        return any(are_weights) or not is_constant(self.program, self.function, node)

    def is_of_tensors(self, node: ast.expr) -> bool:
        """Return whether a comprehension goes through tensors, or through what is known as it compiles: `x.shape`."""
        over = [each.iter for each in node.generators]  # type: ignore[attr-defined]
        parts = (part for each in over for part in ast.walk(each))
        is_shape = any(isinstance(part, ast.Attribute) and part.attr in FORMS for part in parts)
        return is_shape or not all(is_constant(self.program, self.function, each) for each in over)

    def held(self, node: ast.expr) -> ast.expr:
        """Return what a comprehension goes through, and what a name or `*name` stands for; others as they are."""
        node = node.value if isinstance(node, ast.Starred) else node
        node = node.generators[0].iter if isinstance(node, _COMPREHENSIONS) else node
        whole = self.function.wholes(node) if isinstance(node, ast.Name) else []
        return whole[0] if len(whole) == 1 and isinstance(whole[0], (ast.List, ast.Tuple)) else node

    def reads_around(self, node: ast.expr) -> bool:
        """Return whether a comprehension reads a name of the function elsewhere than in what it goes through first."""
        if not isinstance(node, _COMPREHENSIONS):
            return False
        read = (node.elt, *(one for of in node.generators for one in of.ifs))
        bound = [of.target for of in node.generators]
        nodes = ([each for part in row for each in ast.walk(part)] for row in (read, bound))
        names, own = ({each.id for each in row if isinstance(each, ast.Name)} for row in nodes)
        return any(name in self.function.bindings for name in names - own)

    def is_text(self, node: ast.expr) -> bool:
        """Return whether an expression is a text with a tensor in it."""
        parts: list[ast.expr] = []
        if isinstance(node, ast.JoinedStr):
            parts = [each.value for each in node.values if isinstance(each, ast.FormattedValue)]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
            parts = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        elif isinstance(node, ast.Call) and word_of(node.func) in ("str", "format"):
            parts = node.args
        return any(map(self.is_computed, parts))

    def misses(self, test: ast.Compare) -> Optional[Message]:
        """Return why a comparison does not hold in graph mode where it does in Python, or does not compile."""
        if any(isinstance(each, ast.JoinedStr) and self.is_text(each) for each in (test.left, *test.comparators)):
            return Message("graph mode computes nothing from the text of a tensor")
        right = test.comparators[0]
        is_among = isinstance(test.ops[0], (ast.In, ast.NotIn)) and isinstance(right, (ast.List, ast.Tuple))
        held = [each.value for each in getattr(right, "elts", ()) if isinstance(each, ast.Constant)]
        are_whole = any(type(each) is int for each in held)
        word = word_of(test.left.func) if isinstance(test.left, ast.Call) else ""
        is_read = word in ("int", "float") or (word == "item" and not are_whole)
        is_one = self.is_computed(test.left) or (isinstance(test.left, ast.Subscript) and self.passed.is_one(test.left))
        if not is_among or is_read or not is_one or not (are_whole or any(type(each) is float for each in held)):
            return None
        return Message("graph mode finds no tensor in a list of numbers; write `int(...)`")

    def reads_tensor(self, node: ast.AST, hops: int = _HOPS) -> bool:
        """Return whether an expression is computed from the values of a tensor, not only from its shape."""
        if is_constant(self.program, self.function, node) or (isinstance(node, ast.Name) and not hops):
            return False
        if isinstance(node, ast.expr) and self.passed.is_one(node):
            return True
        parts = self.function.wholes(node) if isinstance(node, ast.Name) else children(node)
        return any(self.reads_tensor(each, hops - isinstance(node, ast.Name)) for each in parts)

    def picks(self, node: ast.Subscript) -> bool:
        """Return whether a tensor is the index of a list or tuple of Python."""
        is_one = isinstance(node.slice, (ast.Name, ast.Call, ast.Subscript, ast.BinOp)) and self.is_computed(node.slice)
        if not is_one or self.known.is_number(node.slice):
            return False
        return self.program.value(node.value, self.function).are(lambda known: known.is_display)

    def is_mapping(self, node: ast.AST) -> bool:
        """Return whether an expression may be a dict: a name that holds no tensor."""
        return isinstance(node, (ast.Name, ast.Attribute)) and not self.passed.is_one(node)

    def is_only_shown(self, node: ast.AST) -> bool:
        """Return whether a value is only printed, logged or tested, or not used."""
        inner, outer = node, self.parents.get(id(node))
        while outer is not None:
            if isinstance(outer, ast.Call) and word_of(outer.func) in _PRINTS:
                return not self.program.value(outer.func, self.function).are(is_computed)  # `ops.log(x)`
            if isinstance(outer, (ast.If, ast.While, ast.IfExp)) and outer.test is inner:
                return True
            if found := targets(outer):
                names = [target.id for target in found if isinstance(target, ast.Name)]
                return len(names) == len(found) and all(map(self._is_only_shown, names))
            if isinstance(outer, ast.stmt):
                calls = (each for each in ast.walk(outer) if isinstance(each, ast.Call))
                is_passed_on = any(node in ast.walk(argument) for call in calls for argument in given(call))
                return isinstance(outer, (ast.Expr, ast.Assert)) and not is_passed_on
            inner, outer = outer, self.parents.get(id(outer))
        return False

    def _is_only_shown(self, name: str) -> bool:
        if name in self.asked:
            return True
        self.asked.add(name)
        reads = self.function.flow.reads(name)
        is_shown = all(self.is_only_shown(each) for each in reads if isinstance(each.ctx, ast.Load))
        self.asked.discard(name)
        return is_shown
