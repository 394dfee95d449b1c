"""Settings that come from outside the code: command-line options, YAML and JSON files, with file and line."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING, Optional

from ms_perflint.findings import Place
from ms_perflint.semantics import trees
from ms_perflint.semantics.module import FUNCTIONS, Scope, Site
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

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluate import Evaluator

LOADS = frozenset(
    {
        "yaml.load", "yaml.safe_load", "yaml.full_load", "yaml.unsafe_load", "yaml.load_all", "yaml.safe_load_all",
        "yaml.full_load_all", "json.load", "json.loads", "omegaconf.OmegaConf.load",
        "ruamel.yaml.YAML.load", "ruamel.yaml.load",
    }
)  # fmt: skip
UPDATES = frozenset({"update", "merge", "merge_from_file", "set_defaults", "setdefault"})
FLOW_STEPS = 400  # expressions that the search for the source of a setting looks at
_WORDS = {"true": True, "yes": True, "y": True, "1": True, "false": False, "no": False, "n": False, "0": False}


def parsed(receiver: Known) -> Value:
    """Return what `parse_args()` of a parser gives."""
    if isinstance(receiver.what, Instance):
        return Value((Known(Options(_parser(receiver.what)), receiver.where, receiver.usual),))
    return OPEN


def options_of(known: Known) -> Value:
    """Return the first element of what `parse_known_args()` gives."""
    what = known.what
    receiver = what.type.receiver if isinstance(what, Instance) and isinstance(what.type, Api) else None
    return parsed(receiver) if receiver is not None else OPEN


def _parser(instance: Instance) -> Instance:
    """Return the parser to which a group or sub-parser belongs."""
    while (
        isinstance(instance.type, Api)
        and instance.type.receiver is not None
        and isinstance(instance.type.receiver.what, Instance)
    ):
        instance = instance.type.receiver.what
    return instance


# --- reading one setting


def lookup(evaluator: Evaluator, holder: Known, name: object) -> Value:
    """Return what a key of a tree, or an option of a parser, is."""
    what = holder.what
    if isinstance(what, Tree):
        return _leaf(what, name, holder.usual)
    if isinstance(what, Options) and isinstance(name, str):
        return _option(evaluator, what, name)
    return OPEN


def _leaf(tree: Tree, name: object, usual: bool) -> Value:
    entry = trees.child(tree.data, name)
    if entry is None:
        return OPEN
    place = Place(tree.path, entry.line, entry.column)
    if isinstance(entry.data, (dict, list)):
        return Value((Known(Tree(tree.path, entry.data, entry.line, (*tree.keys, name)), place, usual),), False, True)
    return Value((Known(Constant(entry.data), place, usual),), False, True)


def setting(evaluator: Evaluator, instance: Instance, name: str) -> Value:
    """Return a member of an object that project code or a library made of options or of a config file."""
    if instance.node is None:
        return OPEN
    found = sources(evaluator, instance.node, instance.scope)
    for kind in (Tree, Options):
        values = [lookup(evaluator, source, name) for source in found if isinstance(source.what, kind)]
        values = [value for value in values if value.known]
        if values:
            return union(values)
    return OPEN


# --- command-line options


def _option(evaluator: Evaluator, options: Options, name: str) -> Value:
    added = [site for site in evaluator.program.options(options.parser) if option_names(evaluator, site) & {name}]
    return union([option_default(evaluator, site) for site in added]) if added else OPEN


def option_names(evaluator: Evaluator, site: Site) -> set[str]:
    """Return the attribute that an `add_argument` call makes."""
    assert isinstance(site.node, ast.Call)
    for keyword in site.node.keywords:
        if keyword.arg == "dest":
            return {str(c) for c in evaluator.value(keyword.value, site.scope).constants}
    flags = [arg.value for arg in site.node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    long = [flag for flag in flags if flag.startswith("--")] or flags
    return {flag.lstrip("-").replace("-", "_") for flag in long[:1]}


def option_default(evaluator: Evaluator, site: Site) -> Value:
    """Return what an option gives a user who does not pass it, and what else it can be."""
    assert isinstance(site.node, ast.Call)
    given = {keyword.arg: keyword.value for keyword in site.node.keywords if keyword.arg}
    action = given.get("action")
    kind = action.value if isinstance(action, ast.Constant) else None
    if kind in ("store_true", "store_false"):
        default: object = kind == "store_false"
        if "default" in given:
            constants = evaluator.value(given["default"], site.scope).constants
            default = bool(constants[0]) if len(constants) == 1 else default
        where = (site.module, site.node)
        return Value((Known(Constant(default), where), Known(Constant(not default), where, False)))
    if "default" not in given:
        known = Known(Constant(None), (site.module, site.node))
        return Value((known,), False, True)
    value = evaluator.value(given["default"], site.scope)
    converted = tuple(
        Known(Constant(_as(known.constant, given.get("type"))), known.where, known.usual)
        if isinstance(known.what, Constant)
        else known
        for known in value.known
    )
    choices = given.get("choices")
    if isinstance(choices, (ast.List, ast.Tuple)):
        others = [evaluator.value(choice, site.scope).rarely() for choice in choices.elts]
        return union([Value(converted, value.open), *others])
    return Value(converted, value.open, True)


def _as(constant: object, kind: Optional[ast.expr]) -> object:
    """Convert a default that is text as argparse does: by the option's type."""
    if not isinstance(constant, str) or kind is None:
        return constant
    word = kind.id if isinstance(kind, ast.Name) else kind.attr if isinstance(kind, ast.Attribute) else ""
    try:
        if word in ("int", "float"):
            return int(constant) if word == "int" else float(constant)
        if word == "literal_eval":
            return ast.literal_eval(constant)
    except (ValueError, SyntaxError):
        return constant
    if word == "bool":
        return bool(constant)
    if "bool" in word.lower():
        return _WORDS.get(constant.lower(), constant)
    return constant


def decorated_option(evaluator: Evaluator, function: Scope, name: str) -> Optional[Value]:
    """Return what `@click.option("--name", default=...)` gives a parameter; None where no option is meant."""
    if not isinstance(function.node, FUNCTIONS) or function.parent is None:
        return None
    for decorator in function.node.decorator_list:
        if (
            not isinstance(decorator, ast.Call)
            or not isinstance(decorator.func, ast.Attribute)
            or decorator.func.attr != "option"
        ):
            continue
        flags = [arg.value for arg in decorator.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if name not in flags and name not in {flag.lstrip("-").replace("-", "_").split("/")[0] for flag in flags}:
            continue
        given = {keyword.arg: keyword.value for keyword in decorator.keywords if keyword.arg}
        if "default" in given:
            value = evaluator.value(given["default"], function.parent)
            return Value(value.known, value.open, True)
        default = Constant(False) if "is_flag" in given else Constant(None)
        return Value((Known(default, (function.module, decorator)),), False, True)
    return None


# --- where settings flow from


def sources(evaluator: Evaluator, node: ast.expr, scope: Scope) -> tuple[Known, ...]:
    """Return the config files and parsers that an expression is made of, in the order of their places."""
    cache = evaluator.program.config_sources
    key = id(node)
    if key not in cache:
        cache[key] = ()  # a search that comes back to itself finds nothing new
        cache[key] = _Search(evaluator).run(node, scope)
    return cache[key]


class _Search:
    """A bounded walk against the flow of data, until it meets a file that is loaded or a parser."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.found: dict[object, Known] = {}
        self.seen: set[int] = set()
        self.behind: list[tuple[ast.expr, Scope]] = []  # what the defaults of options are made of

    def run(self, node: ast.expr, scope: Scope) -> tuple[Known, ...]:
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
        """Return the expressions that this one is made of."""
        if isinstance(node, ast.Call):
            return self._call(node, scope)
        if isinstance(node, ast.Name):
            return self._name(node, scope)
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
            value = self.evaluator.value(node, scope) if not isinstance(node, ast.Starred) else OPEN
            self._note(value)
            own = [self._bound(b) for b in self._members(node, scope)]
            return [(node.value, scope), *(o for o in own if o is not None)]
        if isinstance(node, ast.IfExp):
            return [(node.body, scope), (node.orelse, scope)]
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.DictComp)):
            return [(generator.iter, scope) for generator in node.generators]
        if isinstance(node, ast.Dict):
            return [(value, scope) for key, value in zip(node.keys, node.values) if key is None]
        return [(child, scope) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]

    def _note(self, value: Value) -> None:
        for known in value.known:
            if isinstance(known.what, (Options, Tree)) and known.what not in self.found:
                self.found[known.what] = known
                if isinstance(known.what, Options):
                    self.behind.extend(_made_of(self.evaluator, known.what))

    def _members(self, node: ast.expr, scope: Scope) -> list[object]:
        """What `self.x` was set to."""
        if not isinstance(node, ast.Attribute):
            return []
        found: list[object] = []
        for known in self.evaluator.value(node.value, scope).known:
            if isinstance(known.what, Instance) and isinstance(known.what.type, Scope):
                found.extend(known.what.type.attributes.get(node.attr, ()))
        return found

    def _bound(self, binding: object) -> Optional[tuple[ast.expr, Scope]]:
        value = getattr(binding, "value", None)
        return (value, binding.scope) if value is not None else None  # type: ignore[attr-defined]

    def _name(self, node: ast.Name, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        out: list[tuple[ast.expr, Scope]] = []
        current: Optional[Scope] = scope
        while current is not None and node.id not in current.bindings:
            current = current.parent
        if current is None:
            return out
        self._note(self.evaluator.value(node, scope))
        for binding in current.bindings[node.id]:
            if binding.kind == "parameter":
                out.extend(self._arguments(current, binding.name))
            elif binding.value is not None:
                out.append((binding.value, binding.scope))
            elif binding.kind == "from":
                out.extend(self._imported(node, scope))
        for site in current.owner.calls:
            if site.word in UPDATES and isinstance(site.node, ast.Call) and _root(site.node.func) == node.id:
                out.extend(
                    (argument, site.scope) for argument in (*site.node.args, *(k.value for k in site.node.keywords))
                )
        return out

    def _imported(self, node: ast.Name, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        """Objects that another module made: go on where they were made."""
        return [
            (known.what.node, known.what.scope)
            for known in self.evaluator.value(node, scope).known
            if isinstance(known.what, Instance) and known.what.node is not None
        ]

    def _arguments(self, function: Scope, name: str) -> list[tuple[ast.expr, Scope]]:
        out: list[tuple[ast.expr, Scope]] = []
        for site in self.evaluator.program.callers(function)[:20]:
            assert isinstance(site.node, ast.Call)
            out.extend((argument, site.scope) for argument in (*site.node.args, *(k.value for k in site.node.keywords)))
        return out

    def _call(self, node: ast.Call, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        out: list[tuple[ast.expr, Scope]] = [
            (argument, scope) for argument in (*node.args, *(k.value for k in node.keywords))
        ]
        if isinstance(node.func, ast.Attribute):
            out.append((node.func.value, scope))
        self._note(self.evaluator.value(node, scope))
        for known in self.evaluator.value(node.func, scope).known:
            what = known.what
            if isinstance(what, Api) and what.name in LOADS:
                for tree in _files(self.evaluator, node, scope):
                    self.found.setdefault(tree.what, tree)
                return []
            function = what.function if isinstance(what, Bound) else what
            if isinstance(function, Scope) and function.is_function:
                out.extend((value, function) for value, _ in function.returns)
            elif isinstance(what, Api) and what.name.endswith("parse_known_args") and what.receiver is not None:
                self._note(parsed(what.receiver))
        return out


def _made_of(evaluator: Evaluator, options: Options) -> list[tuple[ast.expr, Scope]]:
    """Return the defaults of options whose names code makes: `for key in settings: add_argument(f"--{key}", ...)`."""
    found: list[tuple[ast.expr, Scope]] = []
    for site in evaluator.program.options(options.parser):
        assert isinstance(site.node, ast.Call)
        if site.node.args and not isinstance(site.node.args[0], ast.Constant):
            found.extend((keyword.value, site.scope) for keyword in site.node.keywords if keyword.arg == "default")
    return found


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def loaded(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    """Return what `yaml.safe_load(...)` and its kin give: the tree of the file that is loaded by default."""
    files = _files(evaluator, node, scope)
    return Value(files, False, True) if files else OPEN


def _files(evaluator: Evaluator, node: ast.Call, scope: Scope) -> tuple[Known, ...]:
    """Return the trees that a load reads, as far as the path is known and the file is there."""
    if not node.args:
        return ()
    found = []
    for known in _paths(evaluator, node.args[0], scope).usual:
        path = known.constant
        if isinstance(path, str) and path:
            tree = evaluator.program.tree(path, scope.module)
            if tree is not None:
                found.append(Known(tree, Place(tree.path, 1, 1)))
    return tuple(found)


def _paths(evaluator: Evaluator, node: ast.expr, scope: Scope) -> Value:
    """Return the path behind the first argument of a load: a path, an open file, or what was read from one."""
    value = evaluator.value(node, scope)
    if value.constants:
        return value
    for known in value.known:
        what = known.what
        if not isinstance(what, Instance) or what.node is None or not isinstance(what.type, Api):
            continue
        if what.type.name in ("builtins.open", "io.open", "codecs.open") and what.node.args:
            return evaluator.value(what.node.args[0], what.scope)
        if what.type.name.endswith((".read", ".open", ".read_text")) and isinstance(what.node.func, ast.Attribute):
            return _paths(evaluator, what.node.func.value, what.scope)
    return NOTHING


def resolve(path: str, module_directory: str, entry_directory: str) -> list[str]:
    """Return where a relative path may lie: from the entry script (where it is usually run), then from the module."""
    if os.path.isabs(path):
        return [os.path.normpath(path)]
    return list(
        dict.fromkeys(os.path.normpath(os.path.join(base, path)) for base in (entry_directory, module_directory))
    )


__all__ = ["Display", "decorated_option", "loaded", "lookup", "options_of", "parsed", "setting", "sources"]
