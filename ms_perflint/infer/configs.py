"""Settings of objects whose data flow starts at a config file or a parser."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.execution_order import root_name
from ms_perflint.index.reachability import IMPOSSIBLE
from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.syntax_forms import given
from ms_perflint.infer import commandline
from ms_perflint.infer.alternatives import ConfigDocument, Constant, Options
from ms_perflint.infer.config_files import named
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import TOP, Alternative, Value, join

UPDATES = frozenset({"update", "merge", "merge_from_file", "merge_from_list", "set_defaults", "setdefault"})
PYTHON = ("builtins.", "os.", "argparse.", "mindspore.")  # what these make of a path holds no settings
CALLERS = 20  # of one function, whose arguments are followed
FLOW_STEPS = 150  # expressions that the search for the source of a setting looks at; found ones stand within 100


def holds(evaluator: Evaluator, known: Alternative, name: object) -> Optional[bool]:
    """Return whether an object that a call creates has a setting; None where it is not known."""
    made = known.creation
    if made is None or _is_closed(evaluator, known):
        return None
    found = sources(evaluator, made.call, made.scope)
    answers = {evaluator.holds(source, name) if source.by_default else None for source in found}
    return True if True in answers else False if answers == {False} else None


def setting(evaluator: Evaluator, known: Alternative, name: str) -> Value:
    """Return a setting of an object that code creates from options or a config file."""
    is_known = known.type_api in evaluator.libraries.settings
    return _setting(evaluator, known, name) if is_known or not _is_closed(evaluator, known) else TOP


def _is_closed(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether an object belongs to a library whose objects have no settings."""
    return known.type_api.startswith(evaluator.libraries.closed)


@query
def _setting(evaluator: Evaluator, known: Alternative, name: str) -> Value:
    """Return a setting of an object that may hold some."""
    made, special = known.creation, evaluator.libraries.settings.get(known.type_api)
    if made is None or special is not None:
        return special(evaluator, known, name) if special is not None else TOP
    found = sources(evaluator, made.call, made.scope)
    in_files, on_line = (_looked_up(evaluator, found, kind, name) for kind in (ConfigDocument, Options))
    if not in_files.alternatives:
        return on_line if on_line.alternatives else TOP
    is_option = any(isinstance(source.what, Options) for source in found)  # the program makes options of its keys
    value = commandline.named(evaluator.program, name, in_files) if is_option else in_files
    defaults = {known.what for known in on_line.by_default} - {Constant(None)}
    if defaults - {known.what for known in in_files.alternatives}:
        return join([value, on_line])  # which of the two comes last is not known
    return value


def _looked_up(evaluator: Evaluator, found: tuple[Alternative, ...], kind: type, name: str) -> Value:
    """Return the value of a setting in the sources of one kind."""
    values = [evaluator.item(source, name) for source in found if isinstance(source.what, kind)]
    return join([value for value in values if value.alternatives])


# --- where settings flow from


@query(bottom=())
def sources(evaluator: Evaluator, node: ast.expr, scope: Scope) -> tuple[Alternative, ...]:
    """Return the config documents and parsers from which data flows into an expression, by place."""
    return _Search(evaluator).run(node, scope)


class _Search:
    """A bounded walk against the data flow, up to loads of config files and parsers."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.found: dict[object, Alternative] = {}
        self.seen: set[int] = set()
        self.behind: list[tuple[ast.expr, Scope]] = []  # what the defaults of options are made of

    def run(self, node: ast.expr, scope: Scope) -> tuple[Alternative, ...]:
        stack: list[tuple[ast.expr, Scope]] = [(node, scope)]
        while stack and len(self.seen) < FLOW_STEPS:
            node, scope = stack.pop()
            if id(node) not in self.seen:
                self.seen.add(id(node))
                stack.extend(self._before(node, scope))
                stack.extend(self.behind)
                self.behind.clear()
        return tuple(sorted(self.found.values(), key=lambda known: known.place))

    def _before(self, node: ast.expr, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        """Return the expressions from which data flows into this one."""
        if isinstance(node, ast.Call):
            return self._call(node, scope)
        if isinstance(node, ast.Name):
            return self._name(node, scope)
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            value = self.evaluator.value(node, scope) if not isinstance(node, ast.Starred) else TOP
            if value.are_constants:  # one setting, which holds no other one
                return []
            self._note(value)
            return [(node.value, scope), *self._members(node, scope)]
        if isinstance(node, ast.IfExp):
            return [(node.body, scope), (node.orelse, scope)]
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.DictComp)):
            return [(generator.iter, scope) for generator in node.generators]
        if isinstance(node, ast.Dict):
            return [(value, scope) for key, value in zip(node.keys, node.values) if key is None]
        return [(child, scope) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]

    def _note(self, value: Value) -> None:
        for known in value.alternatives:
            if isinstance(known.what, (Options, ConfigDocument)) and known.what not in self.found:
                self.found[known.what] = known
                if isinstance(known.what, Options):
                    self.behind.extend(self.evaluator.libraries.behind(self.evaluator, known.what.parser))

    def _members(self, node: ast.expr, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        """Return the values that are stored in `self.x`."""
        holders = self.evaluator.value(node.value, scope).alternatives if isinstance(node, ast.Attribute) else ()
        found = (b for known in holders if known.cls is not None for b in known.cls.attributes.get(node.attr, ()))  # type: ignore[attr-defined]
        return [(binding.value, binding.scope) for binding in found if binding.value is not None]

    def _name(self, node: ast.Name, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        out: list[tuple[ast.expr, Scope]] = []
        current = scope.home(node.id)
        if current is None:
            return out
        self._note(self.evaluator.value(node, scope))
        for binding in current.bindings[node.id]:
            if binding.kind == "parameter":
                out.extend(self._arguments(current))
            elif binding.value is not None:
                out.append((binding.value, binding.scope))
            elif binding.kind == "from":
                made = (known.creation for known in self.evaluator.value(node, scope).alternatives)
                out.extend((layer.call, layer.scope) for layer in made if layer is not None)
        for site in current.owner.calls:
            if site.word in UPDATES and site.base is not None and root_name(site.base) == node.id:
                out.extend((argument, site.scope) for argument in given(site.call))
        return out

    def _arguments(self, function: Scope) -> list[tuple[ast.expr, Scope]]:
        """Return the arguments of the first calls of a function."""
        sites = (site for site in self.evaluator.program.callers(function)[:CALLERS])
        running = (site for site in sites if self.evaluator.reachability(site.block) != IMPOSSIBLE)
        return [(argument, site.scope) for site in running for argument in given(site.call)]

    def _call(self, node: ast.Call, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        out: list[tuple[ast.expr, Scope]] = [(argument, scope) for argument in given(node)]
        if isinstance(node.func, ast.Attribute):
            out.append((node.func.value, scope))
        made = self.evaluator.value(node, scope)
        self._note(made)
        for known in self.evaluator.value(node.func, scope).alternatives:
            load = self.evaluator.libraries.documents.get(known.api)
            if load is not None:
                self._trees(load(self.evaluator, node, scope))
                return []
            if known.api and not known.api.startswith(PYTHON):
                self._trees(named(self.evaluator, node, scope))
            function = known.definition
            if function is not None and function.is_class:
                self._made(function)
            if function is not None and function.is_function:
                out.extend((value, function) for value, _ in function.returns)
        for known in made.alternatives:
            if known.type_api:
                self._note(self.evaluator.item(known, 0))
        return out

    def _trees(self, trees: tuple[Alternative, ...]) -> None:
        for tree in trees:
            self.found.setdefault(tree.what, tree)

    def _made(self, cls: Scope) -> None:
        """Add the files that a constructor or a method of a class loads to fill its attributes."""
        init = cls.method("__init__")
        if init is None or not ("setattr" in init.names or "__dict__" in init.attrs or cls.method("__getattr__")):
            return
        loading = (method for site in init.calls if (method := cls.method(site.word)) is not None)
        for site in (site for each in dict.fromkeys((init, *loading)) for site in each.calls):
            for known in self.evaluator.callees(site).alternatives:
                if (load := self.evaluator.libraries.documents.get(known.api)) is not None:
                    self._trees(load(self.evaluator, site.call, site.scope))
