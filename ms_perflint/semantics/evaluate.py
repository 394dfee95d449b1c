"""The evaluator of one program: names, receivers and settings are one question, "what can this expression be?"."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Optional

from ms_perflint import mindspore_api
from ms_perflint.semantics import apis, configs, operations
from ms_perflint.semantics.module import FUNCTIONS, Binding, Block, Module, Scope, Site
from ms_perflint.semantics.values import (
    NOTHING,
    OPEN,
    Api,
    Bound,
    Constant,
    Display,
    Instance,
    Known,
    Options,
    Tree,
    Value,
    union,
)
from ms_perflint.semantics.walk import word_of

if TYPE_CHECKING:
    from ms_perflint.semantics.program import Program

Key = tuple[int, str]  # identity of a node, binding or scope, and what is asked of it
STEPS = 20_000  # evaluations for one question, before the answer is "open"
DEPTH = 60  # evaluations inside one another, before the answer is "open"
DICT_METHODS = frozenset({"get", "items", "keys", "values", "update", "pop", "setdefault", "copy"})
IMPOSSIBLE, OPTIONAL, USUAL = 0, 1, 2  # how a block is reached


class Evaluator:
    """Evaluates expressions of one program; answers are remembered, and the same in whatever order they are asked."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._memo: dict[Key, Value] = {}
        self._active: dict[Key, int] = {}  # evaluations that are under way, with their depth
        self._cut = DEPTH  # depth of the outermost evaluation that a cycle came back to
        self._provisional: dict[
            Key, tuple[Value, int]
        ] = {}  # answers inside of a cycle, good until its head is answered
        self._steps = 0  # since the outermost question

    # --- the question

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Return what an expression, read in a scope, can be."""
        return self._remember((id(node), ""), self._expression, node, scope)

    def _remember(self, key: Key, work: Callable[..., Value], *arguments: object) -> Value:
        """Return the answer to a question, worked out once.

        A question that comes back to itself adds nothing to its own answer. What was worked out inside of such a cycle
        lacks a part, so it is used until the head of the cycle is answered, and then forgotten: answers do not depend
        on the order of the questions.
        """
        found = self._memo.get(key)
        if found is not None:
            return found
        if key in self._active:
            self._cut = min(self._cut, self._active[key])
            return NOTHING
        if key in self._provisional:
            value, cut = self._provisional[key]
            self._cut = min(self._cut, cut)
            return value
        depth = len(self._active)
        self._steps = 0 if not depth else self._steps + 1
        if depth >= DEPTH or self._steps > STEPS:
            self._cut = 0
            return OPEN
        return self._work(key, depth, work, arguments)

    def _work(self, key: Key, depth: int, work: Callable[..., Value], arguments: tuple[object, ...]) -> Value:
        outer, self._cut = self._cut, DEPTH
        held = len(self._provisional)
        self._active[key] = depth
        try:
            value = work(*arguments)
        finally:
            del self._active[key]
        if self._cut >= depth:  # the head of a cycle, or no cycle at all
            self._memo[key] = value
            while len(self._provisional) > held:
                self._provisional.popitem()
            self._cut = outer
        else:
            self._provisional[key] = (value, self._cut)
            self._cut = min(self._cut, outer)
        return value

    def _expression(self, node: ast.expr, scope: Scope) -> Value:
        if isinstance(node, ast.Constant):
            return self.known(Constant(node.value), node, scope)
        if isinstance(node, ast.Name):
            return self.name(node, scope)
        if isinstance(node, ast.Attribute):
            return self.members(self.value(node.value, scope), node.attr, node, scope)
        if isinstance(node, ast.Call):
            return self.call(node, scope)
        if isinstance(node, (ast.Dict, ast.List, ast.Tuple, ast.Set, ast.ListComp)):
            return self.known(Display(node, scope), node, scope)
        if isinstance(node, ast.Lambda):
            return OPEN
        if isinstance(node, ast.NamedExpr):
            return self.value(node.value, scope)
        if isinstance(node, ast.IfExp):
            return self._conditional(node, scope)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, scope)
        return operations.operation(self, node, scope)

    def known(self, what: object, node: ast.AST, scope: Scope) -> Value:
        """Return the value that is just this, read at this node."""
        return Value((Known(what, (scope.module, node)),))  # type: ignore[arg-type]

    # --- names

    def name(self, node: ast.Name, scope: Scope) -> Value:
        """Return what a name can be where it is read."""
        if node.id == "__name__":
            own = scope.module.path == self.program.entry
            return self.known(Constant("__main__" if own else "module"), node, scope)
        if node.id == "__file__":
            return self.known(Constant(scope.module.path), node, scope)
        current: Optional[Scope] = scope
        first = True
        while current is not None:
            if node.id in current.bindings and (first or not current.is_class):
                inside = current is scope.owner or current is scope
                bindings = current.flow.at(node) if inside else current.flow.at_end(node.id)
                return self.bindings(bindings)
            if current.stars and (star := self._star(node.id, current)):
                return star
            first = first and current is not current.owner
            current = current.parent
        return self.known(Api(f"builtins.{node.id}"), node, scope)

    def _star(self, name: str, scope: Scope) -> Optional[Value]:
        for stmt in reversed(scope.stars):
            target = self.program.import_target(scope.module, stmt.module or "", stmt.level)
            if isinstance(target, Module):
                found = self.exported(target, name)
                if found.known:
                    return found
            elif target and name in mindspore_api.exports(target):
                return self.known(Api(mindspore_api.canonical(f"{target}.{name}")), stmt, scope)
        return None

    def exported(self, module: Module, name: str) -> Value:
        """Return what a name of a module of the project is when the module has run."""
        return self._remember((id(module), name), self._exported, module, name)

    def _exported(self, module: Module, name: str) -> Value:
        if name in module.scope.bindings:
            return self.bindings(module.scope.flow.at_end(name))
        if module.scope.stars and (star := self._star(name, module.scope)):
            return star
        submodule = self.program.submodule(module, name)
        return self.known(submodule, submodule.tree, submodule.scope) if submodule else OPEN

    def bindings(self, bindings: tuple[Binding, ...]) -> Value:
        """Return what any of these bindings can give; those in arms that cannot run are left out."""
        values = []
        for binding in bindings:
            way = self.way(binding.block) if binding.block.parent is not None else USUAL
            if way == IMPOSSIBLE and len(bindings) > 1:
                continue
            value = self.binding(binding)
            values.append(value if way == USUAL or len(bindings) == 1 else value.rarely())
        return union(values) if values else OPEN

    def binding(self, binding: Binding) -> Value:
        """Return what one binding gives its name."""
        return self._remember((id(binding), ""), self._binding, binding)

    def _binding(self, binding: Binding) -> Value:
        module, node = binding.scope.module, binding.node
        if binding.kind in ("function", "class"):
            scope = module.scope_of[id(node)]
            return self.known(scope, node, binding.scope)
        if binding.kind in ("import", "from"):
            return self._imported(binding)
        if binding.kind == "parameter":
            return self._parameter(binding)
        if binding.kind in ("assign", "with", "global") and binding.value is not None:
            return self.element(self.value(binding.value, binding.scope), binding.path)
        if binding.kind == "for" and binding.value is not None:
            elements, is_open = self.elements(self.value(binding.value, binding.scope))
            return self.element(Value(elements, is_open), binding.path)
        return OPEN

    def element(self, value: Value, path: tuple[int, ...]) -> Value:
        """Return the element of a value that `a, (b, c) = value` gives to one name."""
        for index in path:
            value = union(
                [self.item(known, index) for known in value.known] + ([OPEN] if value.open or not value.known else [])
            )
        return value

    def _imported(self, binding: Binding) -> Value:
        module, alias, stmt = binding.scope.module, binding.node, binding.stmt
        assert isinstance(alias, ast.alias)
        if isinstance(stmt, ast.Import):
            dotted = alias.name if alias.asname else alias.name.split(".")[0]
            return self._target(module, dotted, 0, alias, binding.scope)
        assert isinstance(stmt, ast.ImportFrom)
        target = self.program.import_target(module, stmt.module or "", stmt.level)
        if isinstance(target, Module):
            return self.exported(target, alias.name)
        if target is None:
            return self._target(
                module, f"{stmt.module}.{alias.name}" if stmt.module else alias.name, stmt.level, alias, binding.scope
            )
        return self.known(Api(mindspore_api.canonical(f"{target}.{alias.name}")), alias, binding.scope)

    def _target(self, module: Module, dotted: str, level: int, node: ast.AST, scope: Scope) -> Value:
        target = self.program.import_target(module, dotted, level)
        if isinstance(target, Module):
            return self.known(target, target.tree, target.scope)
        return self.known(Api(mindspore_api.canonical(target)), node, scope) if target else OPEN

    # --- parameters

    def _parameter(self, binding: Binding) -> Value:
        function = binding.scope
        if not function.is_function:
            return OPEN
        assert isinstance(function.node, FUNCTIONS)
        args = function.node.args
        positional = [*getattr(args, "posonlyargs", []), *args.args]
        cls = function.parent if function.parent is not None and function.parent.is_class else None
        static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.node.decorator_list)
        if cls is not None and not static and positional and positional[0] is binding.node:
            return self.known(Instance(cls, None, function), binding.node, function)
        if binding.node in (args.vararg, args.kwarg):
            return OPEN
        default = (
            self.value(binding.value, function.parent) if binding.value is not None and function.parent else NOTHING
        )
        return self._passed(function, binding, positional, cls is not None and not static, default)

    def _passed(
        self, function: Scope, binding: Binding, positional: list[ast.arg], method: bool, default: Value
    ) -> Value:
        callers = self.program.callers(function)
        slot = positional.index(binding.node) if binding.node in positional else None
        if slot is not None and method:
            slot -= 1
        values: list[Value] = []
        for site in callers:
            assert isinstance(site.node, ast.Call)
            given = argument_at(site.node, binding.name, slot)
            if given is None and (
                any(k.arg is None for k in site.node.keywords)
                or any(isinstance(a, ast.Starred) for a in site.node.args)
            ):
                values.append(Value(default.known, True))
            else:
                value = self.value(given, site.scope) if given is not None else default
                values.append(value if self.way(site.block) == USUAL else value.rarely())
        option = configs.decorated_option(self, function, binding.name)
        if option is not None:
            return option
        return union(values) if values else Value(default.known, True)

    # --- members, items

    def members(self, base: Value, name: str, node: ast.expr, scope: Scope) -> Value:
        """Return what `base.name` can be; `node` is that expression."""
        values = [self.member(known, name, node, scope) for known in base.known]
        if base.open or not base.known:
            values.append(OPEN)
        stored = self._stored(node, name, scope)
        if stored is not None:
            values = [value for value in values if value.known] + [stored]
        value = union(values)
        return Value(value.known, value.open, True) if base.optional else value

    def _stored(self, node: ast.expr, name: str, scope: Scope) -> Optional[Value]:
        """What `name.attribute = value` elsewhere in the file gives it; None where nothing does."""
        base = node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else None
        if isinstance(base, ast.Name):
            key = base.id
        elif isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name):
            key = f"{base.value.id}.{base.attr}"
        else:
            return None
        stores = [b for b in scope.module.stores.get((key, name), ()) if b.node is not node]
        return (
            union([self.binding(b) if self.way(b.block) == USUAL else self.binding(b).rarely() for b in stores])
            if stores
            else None
        )

    def member(self, known: Known, name: str, node: ast.expr, scope: Scope) -> Value:
        """Return what the member `name` of one known thing is."""
        what = known.what
        if isinstance(what, Module):
            return self.exported(what, name)
        if isinstance(what, Api):
            return self.known(Api(mindspore_api.canonical(f"{what.name}.{name}"), what.receiver), node, scope)
        if isinstance(what, Scope) and what.is_class:
            return self._of_class(what, name, None, node, scope)
        if isinstance(what, Instance):
            return self._of_instance(known, what, name, node, scope)
        if isinstance(what, (Options, Tree)):
            return configs.lookup(self, known, name)
        if isinstance(what, Display):
            if isinstance(what.node, ast.Dict) and name in DICT_METHODS:
                return self.known(Api(f"builtins.dict.{name}", known), node, scope)
            return self.item(known, name)
        return OPEN

    def _of_instance(self, known: Known, what: Instance, name: str, node: ast.expr, scope: Scope) -> Value:
        if isinstance(what.type, Scope):
            found = self._of_class(what.type, name, known, node, scope)
            if found.known or what.node is None:
                return found
            return configs.setting(self, what, name)
        if what.type.name.startswith("mindspore.") or apis.has_members(what.type.name):
            return self.known(Api(mindspore_api.canonical(f"{what.type.name}.{name}"), known), node, scope)
        found = configs.setting(self, what, name)
        return found if found.known else self.known(Api(f"{what.type.name}.{name}", known), node, scope)

    def _of_class(self, cls: Scope, name: str, receiver: Optional[Known], node: ast.expr, scope: Scope) -> Value:
        """A member of a class of the project: set on self, made in the class body, or inherited."""
        key = (id(cls), name)
        found = self._remember(key, self._own_member, cls, name)
        if found.known or found.open:
            return self._take(found, receiver)
        assert isinstance(cls.node, ast.ClassDef) and cls.parent is not None
        for base in cls.node.bases:
            for known in self.value(base, cls.parent).known:
                if isinstance(known.what, Scope) and known.what.is_class and known.what is not cls:
                    inherited = self._of_class(known.what, name, receiver, node, scope)
                elif isinstance(known.what, Api) and known.what.name.startswith("mindspore."):
                    inherited = self.known(
                        Api(mindspore_api.canonical(f"{known.what.name}.{name}"), receiver), node, scope
                    )
                else:
                    continue
                if inherited.known:
                    return inherited
        return OPEN

    def _own_member(self, cls: Scope, name: str) -> Value:
        stored = cls.attributes.get(name, [])
        if stored:
            return union([self.binding(b) if self.way(b.block) == USUAL else self.binding(b).rarely() for b in stored])
        if name in cls.bindings:
            value = self.bindings(cls.flow.at_end(name))
            return Value(value.known, value.open, True) if _is_dataclass(cls) else value
        return NOTHING

    def _take(self, value: Value, receiver: Optional[Known]) -> Value:
        """Take functions from an object: methods are bound, properties are read."""
        if receiver is None or not any(isinstance(k.what, Scope) and k.what.is_function for k in value.known):
            return value
        values = []
        for known in value.known:
            function = known.what
            if isinstance(function, Scope) and isinstance(function.node, FUNCTIONS):
                if any(
                    isinstance(d, ast.Name) and d.id in ("property", "cached_property")
                    for d in function.node.decorator_list
                ):
                    values.append(self.returned(function))
                    continue
                known = Known(Bound(function, receiver), known.where, known.usual)
            values.append(Value((known,)))
        return union([*values, *([OPEN] if value.open else [])])

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        index = node.slice
        base = self.value(node.value, scope)
        keys = self.value(index, scope) if isinstance(index, ast.expr) else OPEN
        if len(keys.constants) != 1 or keys.open:
            return OPEN
        key = keys.constants[0]
        values = [self.item(known, key) for known in base.known]
        if base.open or not base.known:
            values.append(OPEN)
        stored = self._stored(node, key, scope) if isinstance(key, str) else None
        if stored is not None:
            values = [value for value in values if value.known] + [stored]
        return union(values)

    def item(self, known: Known, key: object) -> Value:
        """Return `known[key]`."""
        what = known.what
        if isinstance(what, Display):
            return self._display_item(what, key)
        if isinstance(what, (Tree, Options)):
            return configs.lookup(self, known, key)
        if isinstance(what, Instance) and what.node is not None and isinstance(key, str):
            return configs.setting(self, what, key)
        if (
            isinstance(what, Instance)
            and isinstance(what.type, Api)
            and key == 0
            and what.type.name.endswith(".parse_known_args")
        ):
            return configs.options_of(known)
        if isinstance(what, Api) and what.name == "os.environ" and isinstance(key, str):
            return OPEN
        if isinstance(what, Constant) and isinstance(what.value, (str, tuple)) and isinstance(key, int):
            try:
                return Value((Known(Constant(what.value[key]), known.where, known.usual),))
            except IndexError:
                return OPEN
        return OPEN

    def _display_item(self, display: Display, key: object) -> Value:
        node = display.node
        if isinstance(node, (ast.List, ast.Tuple)) and isinstance(key, int):
            if any(isinstance(e, ast.Starred) for e in node.elts) or not -len(node.elts) <= key < len(node.elts):
                return OPEN
            return self.value(node.elts[key], display.scope)
        if isinstance(node, ast.Dict):
            spread = None in node.keys
            for candidate, value in zip(reversed(node.keys), reversed(node.values)):
                if isinstance(candidate, ast.Constant) and candidate.value == key:
                    return self.value(value, display.scope)
            return OPEN if spread or node.keys else NOTHING
        return OPEN

    def elements(self, value: Value) -> tuple[tuple[Known, ...], bool]:
        """Return what a list can hold, and whether it can hold more. `append` and `+=` are the business of `collected`."""
        values: list[Value] = []
        for known in value.known:
            what = known.what
            if isinstance(what, Display) and isinstance(what.node, (ast.List, ast.Tuple, ast.Set)):
                for element in what.node.elts:
                    if isinstance(element, ast.Starred):
                        inner, more = self.elements(self.value(element.value, what.scope))
                        values.append(Value(inner, more))
                    else:
                        values.append(self.value(element, what.scope))
            elif isinstance(what, Tree) and isinstance(what.data, list):
                values.extend(configs.lookup(self, known, index) for index in range(min(len(what.data), 50)))
            else:
                values.append(OPEN)
        total = union([*values, *([OPEN] if value.open else [])]) if values or value.open else NOTHING
        return total.known, total.open

    # --- calls

    def call(self, node: ast.Call, scope: Scope) -> Value:
        """Return what a call gives."""
        callee = self.value(node.func, scope)
        values = [self._result(known, node, scope) for known in callee.known]
        if callee.open or not callee.known:
            values.append(OPEN)
        return union(values)

    def _result(self, callee: Known, node: ast.Call, scope: Scope) -> Value:
        what = callee.what
        if isinstance(what, Scope) and what.is_class:
            return self.known(Instance(what, node, scope), node, scope)
        if isinstance(what, Scope) and what.is_function:
            return self.returned(what)
        if isinstance(what, Bound):
            return self.returned(what.function)
        if isinstance(what, Api):
            special = apis.result(self, what, node, scope)
            return special if special is not None else self.known(Instance(what, node, scope), node, scope)
        if isinstance(what, Instance) and isinstance(what.type, Scope):
            method = what.type.method("__call__")
            if method is not None:
                return self.returned(method)
        if isinstance(what, Instance):
            return self.known(Instance(Api("", callee), node, scope), node, scope)
        return OPEN

    def returned(self, function: Scope) -> Value:
        """Return what a function can return."""
        return self._remember((id(function), "return"), self._returned, function)

    def _returned(self, function: Scope) -> Value:
        values = []
        for node, block in function.returns:
            way = self.way(block)
            if way != IMPOSSIBLE:
                value = self.value(node, function)
                values.append(value if way == USUAL else value.rarely())
        return union(values) if values else OPEN

    # --- conditions

    def way(self, block: Block) -> int:
        """Return how a block is reached: IMPOSSIBLE, only with an OPTIONAL choice of the user, or USUAL."""
        way = USUAL
        for arm in block.chain():
            if not isinstance(arm.owner, ast.If) or arm.parent is None:
                continue
            test = self.value(arm.owner.test, arm.parent.scope)
            wanted = arm.arm == "body"
            if test.truth is not None and test.truth != wanted:
                return IMPOSSIBLE
            if test.usual_truth is not None and test.usual_truth != wanted:
                way = OPTIONAL
        return way

    def _conditional(self, node: ast.IfExp, scope: Scope) -> Value:
        test = self.value(node.test, scope)
        if test.truth is not None:
            return self.value(node.body if test.truth else node.orelse, scope)
        first, other = self.value(node.body, scope), self.value(node.orelse, scope)
        if test.usual_truth is None:
            return union([first, other])
        usual, rare = (first, other) if test.usual_truth else (other, first)
        return union([Value(usual.known, usual.open, True), Value(rare.rarely().known, False, True)])

    # --- sites

    def callees(self, site: Site) -> Value:
        """Return what the callee of a call site can be."""
        return self.value(site.node.func, site.scope) if isinstance(site.node, ast.Call) else NOTHING


def _is_dataclass(cls: Scope) -> bool:
    """Return whether the values in a class body are only defaults of what its instances get."""
    decorators = getattr(cls.node, "decorator_list", ())
    return any(word_of(d.func if isinstance(d, ast.Call) else d) == "dataclass" for d in decorators)


def argument_at(call: ast.Call, name: str, slot: Optional[int]) -> Optional[ast.expr]:
    """Return the expression that a call passes for a parameter, by keyword or by slot; None where it passes none."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if (
        slot is not None
        and 0 <= slot < len(call.args)
        and not any(isinstance(a, ast.Starred) for a in call.args[: slot + 1])
    ):
        return call.args[slot]
    return None
