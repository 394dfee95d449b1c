"""The paths that an expression can be: through names, attributes, parameters, `os.path`, `pathlib` and formats."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import PurePath
from typing import Optional

from ms_perflint.index.semantic_index import LOOPS, Binding, Scope, SemanticIndex
from ms_perflint.index.syntax_forms import spelling, word_of
from ms_perflint.infer import bases
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.kept_paths import DEPTH, LISTINGS, KeptPaths
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.path_values import ANY, DEEP, Hole, Path, Piece
from ms_perflint.infer.values import Value

FEW = 8  # callers of one function, and defaults
MOST = 32  # paths that one expression can be
_MADE = (ast.JoinedStr, ast.FormattedValue, ast.BinOp, ast.Call)  # texts that are made of others
_ITSELF = frozenset(
    {
        "str", "fspath", "Path", "PurePath", "PosixPath", "PurePosixPath", "abspath", "realpath", "normpath",
        "expanduser", "expandvars", "resolve", "absolute", "as_posix", "strip", "rstrip", "copy", "deepcopy",
    }
)  # fmt: skip
_PLACES = re.compile(r"%(?:\((?P<name>\w+)\))?[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]|%%")
_FIELDS = re.compile(r"\{\{|\}\}|\{(?P<name>\w*)(?P<more>[^{}]*)\}")
_HERE = Path((".",))
TEMPORARY = "TemporaryDirectory"  # of `tempfile`, whose value, or `name`, is the path
_MAGIC = re.compile(r"\*+|\?|\[[^\]]*\]")


def paths(evaluator: Evaluator, node: ast.expr, scope: Scope) -> tuple[Path, ...]:
    """Return the paths that an expression in a scope can be; for a list, the paths in it."""
    reader = _Reader(evaluator)
    return _few(reader.held(node, scope, 0) if reader.is_list(node, scope) else reader.read(node, scope, 0))


def listed(evaluator: Evaluator, node: ast.Call, scope: Scope) -> tuple[Path, ...]:
    """Return the folders that a call lists, or the paths that match its pattern."""
    reader, word = _Reader(evaluator), word_of(node.func)
    if LISTINGS.get(word):
        return _few(reader.listed(node, scope, 0))
    given = [*reader.base(node, scope), *node.args, *(each.value for each in node.keywords)]
    return _few(reader.read(given[0], scope, 0)) if given else (_HERE,)


def patterns(found: Iterable[Path]) -> tuple[Path, ...]:
    """Return paths with holes for `*`."""
    return tuple(Path(tuple(part for piece in path.pieces for part in _parts(piece)), path.calls) for path in found)


def _parts(piece: Piece) -> list[Piece]:
    if isinstance(piece, Hole):
        return [piece]
    first, *others = _MAGIC.split(piece)
    marks = (DEEP if mark == "**" else ANY for mark in _MAGIC.findall(piece))
    found = [first, *(part for mark, other in zip(marks, others) for part in (mark, other))]
    return [part for part in found if part != ""]


def _few(found: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(found))[:MOST]


class _Reader(KeptPaths):
    """Evaluates one expression to paths."""

    def computed(self, node: ast.expr, scope: Scope, depth: int) -> tuple[Path, ...]:
        """Return the paths of a string or path expression."""
        texts = None if isinstance(node, _MADE) else _choices(self.evaluator.value(node, scope))
        if texts is not None and (len(texts) < 2 or not isinstance(node, ast.Name)):
            return tuple(Path((text,) if text else ()) for text in texts)
        if depth > DEPTH:
            return (self.unknown(node, scope),)
        found: Optional[Sequence[Path]] = None
        if isinstance(node, ast.Name):
            for binding in scope.lookup(node):
                is_older = binding.scope is scope and getattr(binding.stmt, "lineno", 0) > node.lineno  # by a loop
                bound = self.bound(binding, depth + 1)
                found = [*(found or ()), *((path.kept for path in bound) if is_older else bound)]
        elif isinstance(node, ast.Attribute):
            found = self.attribute(node, scope, depth + 1)
        elif isinstance(node, ast.JoinedStr):
            found = self.joined(node.values, scope, "", depth + 1)
        elif isinstance(node, ast.FormattedValue):
            found = self.formatted(node.value, scope, spelling(node.format_spec) if node.format_spec else "", depth + 1)
        elif isinstance(node, ast.BinOp):
            found = self.operation(node, scope, depth + 1)
        elif isinstance(node, ast.Call):
            found = self.call(node, scope, depth + 1)
        elif isinstance(node, (ast.IfExp, ast.BoolOp)):
            arms = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
            found = [path for arm in arms for path in self.read(arm, scope, depth + 1)]
        elif isinstance(node, ast.Subscript):
            found = self.item(node, scope, depth + 1)
        if not found and isinstance(node, ast.Call) and (texts := _texts(self.evaluator.value(node, scope))):
            return tuple(Path((text,)) for text in texts)
        return _few(found) if found else (self.unknown(node, scope),)

    # --- names and attributes

    def of_binding(self, binding: Binding, depth: int) -> Sequence[Path]:
        """Return the paths that a binding gives its name."""
        if binding.whole is not None and depth < DEPTH:
            return self.read(binding.whole, binding.scope, depth)
        taken = binding.path[0] if binding.kind == "assign" and len(binding.path) == 1 else None
        if binding.value is not None and taken is not None:
            value, inner = binding.value, binding.scope
            part = self.part(value, taken, inner, depth + 1) or self.recorded(value, taken, inner, depth + 1)
            part = part or self.held(value, inner, depth + 1)
            if part:
                return part
        stmt = binding.stmt
        if binding.kind == "augment" and isinstance(stmt, ast.AugAssign) and isinstance(stmt.target, ast.Name):
            before = [each for each in binding.scope.flow.at(stmt.target) if each is not binding and depth < DEPTH]
            first = [path for each in before for path in self.bound(each, depth + 1)]
            if first and isinstance(stmt.op, ast.Add):
                return self.behind([first, self.read(stmt.value, binding.scope, depth + 1)], "")
        if binding.kind == "parameter" and depth < DEPTH:
            return self.parameter(binding, depth)
        if binding.kind == "with" and isinstance(binding.value, ast.Call):
            if word_of(binding.value.func) == TEMPORARY:
                return self.read(binding.value, binding.scope, depth)
            if found := self.managed(binding.value, binding.scope, depth):
                return found
        if binding.kind == "for" and binding.value is not None and len(binding.path) < 2:
            over, inner = binding.value, binding.scope
            found = (
                self.recorded(over, binding.path[0], inner, depth) if binding.path else self.held(over, inner, depth)
            )
            if found:
                return found
        if binding.kind == "from" and isinstance(stmt, ast.ImportFrom) and isinstance(binding.node, ast.alias):
            program = self.evaluator.program
            source = program.import_target(binding.scope.module, stmt.module or "", stmt.level)
            if isinstance(source, SemanticIndex):
                return self.exported(source, binding.node.name, depth)
        return (Path((Hole(("binding", id(binding)), _loops(binding)),)),)

    def exported(self, module: SemanticIndex, name: str, depth: int) -> Sequence[Path]:
        """Return the paths of a name of a module after the module ran."""
        bindings = module.scope.flow.at_end(name) if depth < DEPTH and name in module.scope.bindings else ()
        return [path for binding in bindings for path in self.bound(binding, depth + 1)]

    def parameter(self, binding: Binding, depth: int, is_list: bool = False) -> Sequence[Path]:
        """Return the arguments for a parameter, each with its call; `is_list`: the paths in them."""
        function, read = binding.scope, self.held if is_list else self.read
        unknown = () if is_list else (Path((Hole(("binding", id(binding))),)),)
        sites = self.evaluator.program.callers(function) if function.is_function else ()
        default = (
            read(binding.value, function.parent, depth)
            if binding.value is not None and function.parent is not None
            else unknown
        )
        if not sites:
            return default
        if len(sites) > FEW:
            return unknown
        found: list[Path] = []
        for site in sites:
            given = argument(self.evaluator, binding, site)
            each = unknown if given.part is None else read(given.part.node, given.part.scope, depth)
            each = default if given.is_default else each
            found += [path._replace(calls=path.calls | {(function, site)}) for path in each]
        return found

    def attribute(self, node: ast.Attribute, scope: Scope, depth: int) -> Sequence[Path]:
        """Return the paths in an attribute of an object or module, or a part of a path."""
        base = self.evaluator.value(node.value, scope)
        for known in base.alternatives:
            if isinstance(known.what, SemanticIndex):
                return self.exported(known.what, node.attr, depth)
            if known.cls is not None:
                stores = self.stores(known.cls, node.attr)
                if 0 < len(stores) <= FEW:
                    return [path for store in stores for path in self.bound(store, depth)]
        if node.attr == "curdir":
            return (_HERE,)
        if node.attr in ("parent", "name"):
            return [path.cut()[node.attr == "name"] for path in self.read(node.value, scope, depth)]
        found, value = self.recorded(node.value, node.attr, scope, depth), self.evaluator.value(node, scope)
        is_replaced = value.open and bool(self.evaluator.program.stores(node.attr))
        texts = (known.constant for known in value.alternatives if is_replaced)
        told = [Path((text,)) for text in texts if isinstance(text, str) and text]
        # else it is the same object elsewhere, in any case
        return [*(told or [self.unknown(node, scope)]), *found] if found or told else ()

    def stores(self, cls: Scope, name: str) -> Sequence[Binding]:
        """Return the stores of an attribute of a class."""
        for each in bases.ancestors(self.evaluator, cls):
            found = [*each.attributes.get(name, ()), *each.bindings.get(name, ())]
            if found:
                return found
        return ()

    # --- texts

    def joined(self, parts: Sequence[ast.expr], scope: Scope, between: str, depth: int) -> Sequence[Path]:
        """Return joined parts; with a slash between them, an absolute one starts again."""
        return self.behind([self.read(part, scope, depth) for part in parts], between)

    def behind(self, parts: Sequence[Sequence[Path]], between: str) -> Sequence[Path]:
        found: list[Path] = []
        for chosen in product(*parts) if parts else ():
            whole = chosen[0]
            for path in chosen[1:]:
                if not whole.is_one_with(path):
                    break
                is_new = between == "/" and (path.is_rooted or not whole.pieces)
                whole = path._replace(calls=whole.calls | path.calls) if is_new else whole.added(path, between)
            else:
                found.append(whole)
            if len(found) >= MOST:
                break
        return found

    def formatted(self, node: ast.expr, scope: Scope, how: str, depth: int) -> Sequence[Path]:
        """Return a formatted value; unknown with a width or a precision."""
        inner = self.read(node, scope, depth)
        holes = ((Hole((how, each.pieces), each.loops_with(each)), each.calls) for each in inner)
        return tuple(Path((hole,), calls) for hole, calls in holes) if how else inner

    def operation(self, node: ast.BinOp, scope: Scope, depth: int) -> Sequence[Path]:
        if any(isinstance(side, ast.Constant) and not isinstance(side.value, str) for side in (node.left, node.right)):
            return ()
        if isinstance(node.op, (ast.Add, ast.Div)):
            between = "/" if isinstance(node.op, ast.Div) else ""
            return self.joined([node.left, node.right], scope, between, depth)
        if not isinstance(node.op, ast.Mod):
            return ()
        values = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return self.template(node.left, _PLACES, values, {}, scope, depth)

    def template(
        self,
        node: ast.expr,
        places: re.Pattern[str],
        values: Sequence[ast.expr],
        words: dict[str, ast.expr],
        scope: Scope,
        depth: int,
    ) -> Sequence[Path]:
        """Return a template with values in its places."""
        templates = _texts(self.evaluator.value(node, scope))
        if templates is None or len(templates) != 1:
            return ()
        text, end, parts, left = templates[0], 0, [], list(values)
        for match in places.finditer(text):
            parts.append([Path((text[end : match.start()],))])
            end, name = match.end(), match.groupdict().get("name") or ""
            if match[0] in ("%%", "{{", "}}"):
                parts.append([Path((match[0][0],))])
                continue
            value = values[int(name)] if name.isdigit() and int(name) < len(values) else words.get(name)
            value = left.pop(0) if value is None and not name and left else value
            if value is None:
                return ()
            how = match[0] if match.groupdict().get("more", "") or re.search(r"[-+ #0.\d]\w$", match[0]) else ""
            parts.append([*self.formatted(value, scope, "" if name and match[0] == f"{{{name}}}" else how, depth)])
        return self.behind([*parts, [Path((text[end:],))]], "")

    # --- calls

    def base(self, node: ast.Call, scope: Scope) -> list[ast.expr]:
        """Return the object whose method a call is; none for a function, also of a module."""
        known = self.evaluator.value(node.func, scope).alternatives
        is_method = isinstance(node.func, ast.Attribute) and not any(each.api and not each.receiver for each in known)
        return [node.func.value] if is_method else []  # type: ignore[attr-defined]

    def call(self, node: ast.Call, scope: Scope, depth: int) -> Sequence[Path]:
        """Return the paths of the result of a call."""
        if any(isinstance(each, ast.Starred) for each in node.args):
            return ()
        word, callee = word_of(node.func), self.evaluator.value(node.func, scope)
        functions = [each.definition for each in callee.alternatives if each.definition is not None]
        if functions:
            return self.returned(functions[0], node, depth) if len(functions) == 1 else ()
        base = node.func.value if isinstance(node.func, ast.Attribute) else None
        own = self.base(node, scope)
        is_method, given = bool(own), [*own, *node.args]
        if word in ("join", "joinpath", "Path", "PurePath") and given:
            if word == "join" and is_method:
                between = _texts(self.evaluator.value(given[0], scope)) or ("/",)
                listed = node.args[0] if node.args else None
                parts = listed.elts if isinstance(listed, (ast.List, ast.Tuple)) else []
                return self.joined(parts, scope, between[0], depth)
            return self.joined(given, scope, "/", depth)
        if word in ("getcwd", "cwd") and not node.args:
            return (_HERE,)
        if word in _ITSELF and given:
            return self.read(given[0], scope, depth)
        if word == "enter_context" and node.args:  # of an ExitStack
            return self.read(node.args[0], scope, depth)
        if word in ("dirname", "basename") and given:
            return [path.cut()[word == "basename"] for path in self.read(given[0], scope, depth)]
        if word in ("with_name", "with_suffix") and len(given) == 2:
            return self.renamed(word, given, scope, depth)
        if word == "format" and is_method and base is not None:
            words = {each.arg: each.value for each in node.keywords if each.arg is not None}
            return self.template(base, _FIELDS, node.args, words, scope, depth)
        if word in ("pop", "popleft", "get") and base is not None:
            key = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
            return self.recorded(base, key, scope, depth) if isinstance(key, str) else self.held(base, scope, depth)
        return self.held(node, scope, depth)

    def renamed(self, word: str, given: Sequence[ast.expr], scope: Scope, depth: int) -> Sequence[Path]:
        """Return paths with another name or suffix in the same folder."""
        found = []
        for path, other in product(self.read(given[0], scope, depth), self.read(given[1], scope, depth)):
            folder, name = path.cut()
            if word == "with_suffix":
                last = name.pieces[-1] if name.pieces else ""
                stem = re.sub(r"\.\w*$", "", last) if isinstance(last, str) else last
                other = Path((*name.pieces[:-1], stem), name.calls).added(other)
            found.append(folder.added(other, "/") if folder.pieces else other)
        return found

    def part(self, node: ast.expr, at: int, scope: Scope, depth: int) -> Sequence[Path]:
        """Return the element of a tuple at an index, also of one that a function returns."""
        if isinstance(node, (ast.Tuple, ast.List)) and at < len(node.elts):
            return self.read(node.elts[at], scope, depth)
        known = self.evaluator.value(node.func, scope).only if isinstance(node, ast.Call) else None
        if depth > DEPTH or not isinstance(node, ast.Call) or known is None or known.definition is None:
            return ()
        return self.returned(known.definition, node, depth, at)

    def managed(self, node: ast.Call, scope: Scope, depth: int) -> Sequence[Path]:
        """Return what a generator of the project yields to a `with`, or the `__enter__` of a class of it returns."""
        known = self.evaluator.value(node.func, scope).only
        entered = known.definition if known is not None else None
        if entered is not None and entered.is_class:
            entered = bases.method(self.evaluator, entered, "__enter__")
        return self.returned(entered, node, depth) if entered is not None and depth < DEPTH else ()

    def returned(self, function: Scope, node: ast.Call, depth: int, at: Optional[int] = None) -> Sequence[Path]:
        """Return what a function of the project gives for one call: returns or yields; with an index, that element."""
        read = self.read if at is None else lambda each, scope, depth: self.part(each, at, scope, depth)
        given = [each for each, _ in (*function.returns, *function.yields)][:FEW]
        found = [path for each in given for path in read(each, function, depth)]
        own = [path for path in found if all(f is not function or s.node is node for f, s in path.calls)]
        return [path._replace(calls=frozenset(each for each in path.calls if each[0] is not function)) for path in own]

    # --- listings

    def listed(self, node: ast.Call, scope: Scope, depth: int) -> Sequence[Path]:
        """Return the paths that a call finds in a folder, or by a pattern."""
        base = self.base(node, scope)
        found: list[Sequence[Path]] = [self.read(each, scope, depth) for each in (*base, *node.args[:1])]
        if word_of(node.func) == "rglob":
            found.insert(len(base), [Path(("**",))])
        if LISTINGS[word_of(node.func)]:
            return patterns(self.behind(found, "/"))
        return self.behind([*found[:1], [Path((ANY,))]], "/")

    # --- what is not known

    def unknown(self, node: ast.expr, scope: Scope) -> Path:
        """Return an unknown path, identified by its expression."""
        if isinstance(node, ast.Attribute):
            alternatives = self.evaluator.value(node.value, scope).alternatives
            if len(alternatives) == 1 and alternatives[0].constant is not None:
                known = alternatives[0]
                return Path((Hole(("attribute", id(known.cls) if known.cls else known.identity, node.attr)),))
        homes, loops = [], frozenset[int]()
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and (home := scope.home(part.id)) is not None:
                is_self = home.is_method and home.parent is not None and part.id in ("self", "cls")
                homes.append(id(home.parent if is_self else home))
                loops |= frozenset(loop for binding in scope.lookup(part) for loop in _loops(binding))
        return Path((Hole(("expression", spelling(node), tuple(homes)), loops),))


def _texts(value: Value) -> Optional[tuple[str, ...]]:
    """Return the strings that a value is by default; None where it may be something else."""
    defaults = [known.constant for known in value.by_default or value.alternatives]
    kinds = (str, int, float, PurePath, type(None))
    if value.open or not defaults or not all(isinstance(each, kinds) for each in defaults):
        return None
    if value.overridable and defaults == [None]:  # an option without a default
        return None
    return tuple(dict.fromkeys(str(each) for each in defaults if each is not None))[:FEW]


def _choices(value: Value) -> Optional[tuple[str, ...]]:
    """Return the strings that a value can be with known options; else those by default."""
    found = _texts(value)
    others = [str(known.constant) for known in value.alternatives if isinstance(known.constant, (str, PurePath))]
    return found if found is None else tuple(dict.fromkeys((*found, *others)))[:MOST]


def _loops(binding: Binding) -> frozenset[int]:
    """Return the loops that rebind a name in each iteration."""
    found = {id(block.owner) for block in binding.block.chain() if isinstance(block.owner, LOOPS)}
    return frozenset({*found, id(binding.stmt)}) if isinstance(binding.stmt, LOOPS) else frozenset(found)
