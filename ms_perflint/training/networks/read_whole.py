"""Whether all parts of a network are known to work in half precision, and the first part that is not."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.core.facts import fact
from ms_perflint.core.findings import Related
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.signature import Layer, receiver_name
from ms_perflint.index.syntax_forms import descendants, is_own, position, targets, word_of
from ms_perflint.infer import bases
from ms_perflint.infer.places import APPENDS
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.bases import CELLS, base_apis, is_cell_class
from ms_perflint.training.family import HALF, is_of
from ms_perflint.training.networks import known_kinds
from ms_perflint.training.networks.losses import is_loss_api
from ms_perflint.training.networks.networks import added
from ms_perflint.training.networks.plans import NotKnownError, hidden, stop, unknown
from ms_perflint.training.networks.read_code import Code, is_known
from ms_perflint.training.optimizers import OPTIMIZERS
from ms_perflint.training.training_steps import STEP_CELLS

_LIBRARIES = ("mindspore.", "numpy.", "math.", "builtins.", "typing.", "collections.")
_AROUND = STEP_CELLS | {"mindspore.nn.WithLossCell", "mindspore.nn.WithEvalCell"}  # made of a network
_TRAINERS = frozenset({*OPTIMIZERS, "mindspore.nn.learning_rate_schedule.LearningRateSchedule"})
_ROWS = APPENDS | {"SequentialCell", "CellList"}


class Read(NamedTuple):
    """The layers and operators of a network, by their last words, and the first place that is not known."""

    words: frozenset[str]
    not_known: Optional[Related]  # the first place that is not known to work in half precision


def read(program: Program, root: Site, values: Iterable[Value], inner: Collection[Scope], dtype: str) -> Read:
    """Read networks.

    `root`: the call that makes the training. `inner`: classes whose layers are converted, and whose loss is not.
    `dtype`: what they are converted to.
    """
    reader = _Reader(program, root, inner, dtype)
    found: Optional[Related] = None
    try:
        for cls in inner:
            reader.cls(cls)
        for value in values:
            reader.value(value, root)
        reader.code.end()
    except NotKnownError as error:
        found = error.obstacle
    del reader.code.cell  # they refer to one another
    return Read(frozenset(reader.code.words), found)


class _Reader:
    """Reads the code that makes the parts of a network, up to a part that is not known."""

    def __init__(self, program: Program, root: Site, inner: Collection[Scope], dtype: str) -> None:
        self.program = program
        self.evaluator = program.evaluator
        self.root = root
        self.code = Code(program, inner, dtype, self.cell)
        self.seen: set[object] = set()

    def value(self, value: Value, site: Optional[Site]) -> None:
        """Read a network, or a part of one; `site`: where it is."""
        for known in value.alternatives:
            self.cell(known, site)
        if (value.open or not value.alternatives) and site is not None:
            hidden(site.module, site.node)

    def cell(self, known: Alternative, site: Optional[Site]) -> None:
        """Read one alternative of a part of the network."""
        made = known.creation
        self.code.words.add(known.type_api.rpartition(".")[2])
        if known.constant is not NO_CONSTANT or known.is_display or known.definition is not None:
            return self._other(known, site)
        if known.type_api.startswith("builtins."):
            return None  # a number or text: `self.classes = len(labels)`
        if known.cls is not None:
            self.cls(known.cls)
        elif known.type_api in known_kinds.CONTAINERS:
            if made is not None and not self._was_here(known.identity):
                self.row(known, made)
        elif not is_known(self.program, known.type_api) and known.type_api.startswith(CELLS):
            self._layer(*self._place(made, site), known.type_api)
        elif not (known.type_api.startswith("mindspore.") or is_of(known.type_api, HALF)):
            self._foreign(*self._place(made, site), known.type_api)
        return None

    def _layer(self, module: SemanticIndex, node: ast.AST, api: str) -> None:
        """Stop at a layer of MindSpore that is not known, or not in the mode of the program."""
        word = api.rpartition(".")[2]
        if known_kinds.is_cell(api, self.program.version):
            stop(module, node, Message("PyNative mode computes wrong gradients of `{name}` in FP16", name=word))
        unknown(module, node, word)

    def _foreign(self, module: SemanticIndex, node: ast.AST, api: str) -> None:
        """Stop at the result of another library, or at an unknown value."""
        if api:
            unknown(module, node, api.rpartition(".")[2])
        hidden(module, node)

    def _place(self, made: Optional[Layer], site: Optional[Site]) -> tuple[SemanticIndex, ast.AST]:
        """Return where a part of the network is made, else where it is used."""
        if made is not None:
            return made.scope.module, made.call
        return (site or self.root).module, (site or self.root).node

    def _other(self, known: Alternative, site: Optional[Site]) -> None:
        """Read what is no instance: a function, a list of cells."""
        if known.is_display:
            if site is not None:
                stop(site.module, site.node, Message("the cells of a list are not converted with the network"))
        elif known.definition is not None and known.definition.is_class:
            self.cls(known.definition)
        elif known.definition is not None:
            self.code.function(known.definition)

    def _was_here(self, key: object) -> bool:
        if key in self.seen:
            return True
        self.seen.add(key)
        return False

    def cls(self, cls: Scope) -> None:
        """Read a class of the project: the code that makes its layers, and its computation."""
        if self._was_here(cls):
            return
        apis = base_apis(self.program, cls)
        layers = {api for api in apis if is_known(self.program, api)}
        owns = list(bases.ancestors(self.evaluator, cls))
        if apis - known_kinds.CONTAINERS - {"mindspore.nn.Cell"} - layers or (layers and not self._keeps_to_base(owns)):
            unknown(cls.module, cls.node, cls.name)
        if not is_cell_class(self.program, cls) or not all(self._knows_bases(each) for each in owns):
            hidden(cls.module, cls.node)
        for init in filter(None, (each.method("__init__") for each in owns)):
            self.makes(init)
        gradient = bases.method(self.evaluator, cls, "bprop")
        if gradient is not None:
            unknown(gradient.module, gradient.node, "bprop")
        construct = bases.method(self.evaluator, cls, "construct")
        if construct is not None:
            self.code.function(construct)
        elif not apis & known_kinds.CONTAINERS and not layers:
            hidden(cls.module, cls.node)

    def _keeps_to_base(self, owns: Iterable[Scope]) -> bool:
        """Return whether classes that derive from a known layer compute with own cells and the result of the layer.

        The operators of the layer take its weights, as in its `construct`; other code that computes with the
        weights finds them in float32 (both run on 2.10: graph mode refuses the latter). A method that sets the
        weights computes nothing.
        """
        classes = list(owns)
        others = {method.name for cls in classes for method in cls.defines} - {"construct", "__init__"}
        if any(name.startswith("__") for name in others):
            return False
        for cls in classes:
            construct = cls.method("construct")
            if construct is not None:
                settled = _given_to_base(construct)
                loaded = [each.attr for each in _of_self(construct.node) if id(each) not in settled]
                if others & construct.attrs or not all(self._is_own_cell(cls, name) for name in loaded):
                    return False
        return True

    def _is_own_cell(self, cls: Scope, name: str) -> bool:
        """Return whether an attribute is a cell that a class makes, or `training`."""
        values = [self.program.value(each.value, each.scope) for each in cls.attributes.get(name, ()) if each.value]
        known = [each for value in values for each in value.alternatives]
        cells = [each for each in known if each.is_object and (each.cls is not None or each.type_api.startswith(CELLS))]
        return name == "training" or (bool(known) and len(cells) == len(known))

    def _knows_bases(self, cls: Scope) -> bool:
        assert isinstance(cls.node, ast.ClassDef)
        values = [self.program.value(base, cls.parent) for base in cls.node.bases if cls.parent is not None]
        return all(value.alternatives and not value.open for value in values)

    def makes(self, function: Scope) -> None:
        """Read code that makes layers: all cells that it makes have to be known."""
        if ("makes", function) in self.seen:
            return
        self.seen.add(("makes", function))
        kept = _kept(function.module, function)
        for site in sorted(function.calls, key=lambda each: position(each.node)):
            if isinstance(site.node, ast.Call):
                self._made(site, id(site.node) in kept)

    def row(self, known: Alternative, made: Layer) -> None:
        """Read a container: the code that makes its cells, in its arguments or in the function that returns them."""
        owner, cls = made.scope.owner, made.scope.owner.cls
        if is_cell_class(self.program, cls) if cls is not None else owner.is_function and owner.returns:
            self.makes(owner)
            return
        given: list[tuple[ast.expr, Scope]] = [(made.call, made.scope), *added(self.program, known)]
        for argument in made.call.args:
            listed = argument.value if isinstance(argument, ast.Starred) else argument
            for name in self._names(listed, made.scope):
                bindings = [*owner.bindings.get(name.id, ())]
                if cls is not None and name.id == receiver_name(owner):  # `self.block` of a class that is no cell
                    read = {node.attr for node in ast.walk(listed) if isinstance(node, ast.Attribute)}
                    bindings = [each for attr in sorted(read) for each in cls.attributes.get(attr, ())]
                given += [(each.value, each.scope) for each in bindings if each.value is not None]
        for root, scope in given:
            sites = (scope.module.site_at(node) for node in ast.walk(root) if isinstance(node, ast.Call))
            for site in sites:
                if site is not None:
                    self._made(site, True)

    def _names(self, node: ast.AST, scope: Scope, is_in_layer: bool = False) -> Iterator[ast.Name]:
        """Yield the names in the arguments of a container that may be cells.

        A number or text is no cell, `config.width`, nor an argument of a known layer other than its activation.
        """
        if isinstance(node, (ast.Attribute, ast.Subscript)) and (
            is_in_layer or self.program.value(node, scope).are_constants
        ):
            return
        if isinstance(node, ast.Name):
            yield node
        elif isinstance(node, ast.Call):
            known = self.program.value(node.func, scope).alternatives
            is_in_layer = bool(known) and all(is_known(self.program, each.api) for each in known)
        for child in ast.iter_child_nodes(node):
            is_cell = isinstance(child, ast.keyword) and child.arg == "activation"
            yield from self._names(child, scope, is_in_layer and not is_cell)

    def _made(self, site: Site, is_kept: bool) -> None:
        """Read a call in code that makes layers; `is_kept`: its result may be one."""
        value = self.evaluator.callees(site)
        self.code.words.add(site.word)
        for known in value.alternatives:
            api, definition = known.api, known.definition
            self.code.words.add(api.rpartition(".")[2])
            if api.startswith(CELLS):
                named = Call(site, self.program, api).argument("activation").constants
                self.code.words.update(each for each in named if isinstance(each, str))
            if api.startswith(CELLS) and api.rpartition(".")[2][:1].isupper():
                if is_loss_api(api):
                    continue  # it is asked for where it is called
                trains = api in _AROUND or not _TRAINERS.isdisjoint(mindspore_api.ancestors(api))
                if site.scope.owner.cls is None and trains:
                    continue  # a function that makes both a network and its train cell
                if not (is_known(self.program, api) or api in known_kinds.CONTAINERS):
                    self._layer(site.module, site.node, api)
            elif definition is not None and definition.is_class:
                if is_cell_class(self.program, definition):
                    self.cls(definition)
            elif definition is not None and (is_kept or self._gives_cells(site)):
                self.makes(definition)
            elif api and is_kept and api.rpartition(".")[2][:1].isupper() and not api.startswith(_LIBRARIES):
                self._foreign(site.module, site.node, api)
        callee = site.callee
        is_of_result = isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Call)
        if is_kept and not value.alternatives and not is_of_result and site.word not in known_kinds.BUILTINS:
            hidden(site.module, site.node)

    def _gives_cells(self, site: Site) -> bool:
        known = self.program.value(site.call, site.scope).alternatives
        return any(each.cls is not None or each.type_api.startswith(CELLS) or each.is_display for each in known)


def _of_self(root: ast.AST) -> list[ast.Attribute]:
    """Return the attributes of `self` below a node."""
    return [node for node in ast.walk(root) if isinstance(node, ast.Attribute) and is_own(node)]


def _given_to_base(method: Scope) -> set[int]:
    """Return the attributes of `self` that are an operator, its argument, or in a test, by identity."""
    found: set[int] = set()
    for node in descendants(method.node):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and known_kinds.is_layered(node.func.attr)
        ):
            found |= {id(each) for each in _of_self(node.func)}
            found |= {id(each) for each in node.args if isinstance(each, ast.Attribute)}
        elif isinstance(node, (ast.If, ast.IfExp)):
            found |= {id(each) for each in _of_self(node.test)}
    return found


@fact
def _kept(module: SemanticIndex, function: Scope) -> set[int]:
    """Return the calls of a function whose results may be layers: they are stored in `self`, in a row, or returned."""
    found: set[int] = set()
    todo: list[ast.AST] = []
    for node in descendants(function.node):
        if any(isinstance(each, (ast.Attribute, ast.Subscript)) for each in targets(node)):
            todo.append(node.value)  # type: ignore[attr-defined]
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
