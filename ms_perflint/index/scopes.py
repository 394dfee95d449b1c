"""The scopes of a file: functions, classes, lambdas and comprehensions, with their blocks, bindings and sites."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Optional, Union

from ms_perflint.core.findings import Place
from ms_perflint.core.source import Span
from ms_perflint.index.syntax_forms import accessed, beginning, is_decorated, word_of

if TYPE_CHECKING:
    from ms_perflint.index.reaching_definitions import Flow
    from ms_perflint.index.semantic_index import SemanticIndex

FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef]
ScopeNode = Union[ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.For, ast.expr]
ImportStatement = Union[ast.Import, ast.ImportFrom]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
STATIC = "staticmethod"
DEAD = "dead"  # the arm of what stands behind a statement that leaves the block
LOOPS = (ast.For, ast.AsyncFor, ast.While)
OWNERS = (ast.Module, ast.ClassDef, *FUNCTIONS)  # what runs the lambdas and comprehensions in it


class Block:
    """One arm of a compound statement; after `if a: return` the rest of the block is the other arm of that `if`.

    The same holds for the rest of a block after `assert a`.
    """

    __slots__ = ("arm", "conditions", "is_dead", "owner", "parent", "scope")

    def __init__(self, scope: Scope, parent: Optional[Block], owner: Optional[ast.AST], arm: str) -> None:
        self.scope = scope
        self.parent = parent  # None for the outermost block of a function, class or module
        self.owner = owner  # the compound statement; None for the outermost block
        self.arm = (
            arm  # "body", "orelse", "handler", "finalbody", DEAD; the position of a case or handler is part of it
        )
        self.is_dead: bool = arm == DEAD or (parent is not None and parent.is_dead)
        self.conditions: Any = None  # see `reachability.path_condition`, which fills it

    def chain(self) -> list[Block]:
        """Return this block and the blocks around it up to the function, class or module, innermost first."""
        found: list[Block] = []
        block: Optional[Block] = self
        while block is not None:
            found.append(block)
            block = block.parent
        return found

    @property
    def loops(self) -> list[ast.AST]:
        """Return the loops whose bodies hold it, innermost first."""
        return [each.owner for each in self.chain() if isinstance(each.owner, LOOPS) and each.arm == "body"]


class Binding:
    """One place that binds a name, or stores in an attribute of `self` or of a named object."""

    __slots__ = ("block", "kind", "name", "node", "path", "scope", "stmt", "value")

    def __init__(
        self,
        name: str,
        kind: str,
        node: ast.AST,
        value: Optional[ast.expr],
        path: tuple[int, ...],
        stmt: ast.AST,
        block: Block,
    ) -> None:
        self.name = name
        self.kind = kind  # assign, rest, augment, import, from, function, class, parameter, for, with, except, delete
        # `rest`: of `first, *rest = value`; its path ends with the bounds of that slice
        self.node = node  # the target, alias, def or argument
        self.value = value  # the expression on the right, where there is one
        self.path = path  # which element of the value, for `a, (b, c) = value`
        self.stmt = stmt  # of `(name := value)` that expression
        self.block = block
        self.scope = block.scope  # in which the value is evaluated

    @property
    def whole(self) -> Optional[ast.expr]:
        """Return the value of an assignment without unpacking; None for unpacking and for other bindings."""
        return self.value if self.kind == "assign" and not self.path else None

    @property
    def operand(self) -> Optional[ast.expr]:
        """Return what a name gets, or what is added to it: `total += loss`."""
        return self.stmt.value if isinstance(self.stmt, ast.AugAssign) else self.value

    @property
    def site(self) -> Site:
        """Return its statement as a site."""
        return Site.of(self.stmt, self.block)


class Scope:
    """A module, class, function, lambda or comprehension, with its bindings and the names that it loads."""

    key = ""  # of a call context: what tells it from the function for all of its calls

    __slots__ = (
        "_flow", "_owner", "attributes", "attrs", "bindings", "binds", "block", "calls", "computed", "declared",
        "defines", "imports", "is_class", "is_function", "main", "module", "name", "names", "node", "parent",
        "returns", "stars", "yields",
    )  # fmt: skip

    def __init__(self, module: SemanticIndex, parent: Optional[Scope], node: ScopeNode) -> None:
        self.module = module
        self.parent = parent
        self.node = node
        self.name: str = getattr(node, "name", "")  # of the function or class; "" for others
        self.is_function = isinstance(node, FUNCTIONS)
        self.is_class = isinstance(node, ast.ClassDef)
        self.block = Block(self, None, None, "body")
        self.bindings: dict[str, list[Binding]] = {}
        self.binds: dict[int, list[Binding]] = {}  # id of a statement -> what it binds in this scope
        self.attributes: dict[str, list[Binding]] = {}  # of a class: `self.x = ...` in its methods
        self.declared: dict[str, Scope] = {}  # names that it binds in scopes around it, by `global` and `nonlocal`
        # Of a class: names under which its methods set attributes, `setattr(self, name, ...)`, and these methods; None
        # for any name: `self.__dict__.update(...)`
        self.computed: list[tuple[Optional[ast.expr], Scope]] = []
        self.names: set[str] = set()  # all names that it loads
        self.attrs: set[str] = set()  # all attributes that it loads
        self.main: Optional[Scope] = None  # of a module: what `if __name__ == "__main__"` loads, as a scope of its own
        self.calls: list[Site] = []  # in source order, nested lambdas and comprehensions included
        self.defines: list[Scope] = []  # functions and classes made in it
        self.imports: list[tuple[ImportStatement, Block]] = []  # in source order
        self.stars: list[tuple[ast.ImportFrom, Block]] = []
        self.returns: list[tuple[ast.expr, Block]] = []  # of a function or lambda
        self.yields: list[tuple[ast.expr, Block]] = []  # of a generator
        self._flow: Optional[Flow] = None
        self._owner: Optional[Scope] = None  # None: itself
        if parent is not None and not isinstance(node, OWNERS):
            self._owner = parent.owner

    @property
    def cls(self) -> Optional[Scope]:
        """Return the class whose body defines it; None for others."""
        return self.parent if self.parent is not None and self.parent.is_class else None

    @property
    def is_method(self) -> bool:
        """Return whether it is a function whose first parameter is the object or the class."""
        cls = self.parent
        if cls is None or not cls.is_class or is_decorated(self.node, STATIC):
            return False
        if isinstance(self.node, ast.Lambda):
            return any(_makes_method(each.value, self.node) for bindings in cls.bindings.values() for each in bindings)
        others = [each.value for each in cls.bindings.get(self.name, ())]
        is_static = any(isinstance(each, ast.Call) and word_of(each.func) == STATIC for each in others)
        return len(others) < 2 or not is_static

    @property
    def owner(self) -> Scope:
        """Return the function, class or module around a lambda or comprehension; for other scopes the scope itself."""
        return self if self._owner is None else self._owner

    @property
    def evaluated_in(self) -> Scope:
        """Return the function or module that evaluates its code; the body of a class runs with the code around it."""
        scope = self.owner
        while scope.is_class and scope.parent is not None:
            scope = scope.parent.owner
        return scope

    @property
    def calls_inside(self) -> list[Site]:
        """Return the calls in a function or class; of a lambda its own among those of the function around it."""
        if not isinstance(self.node, ast.Lambda):
            return self.owner.calls
        return [site for site in self.owner.calls if any(each.node is self.node for each in site.lambdas)]

    @property
    def flow(self) -> Flow:
        """Return the reaching definitions of this scope, computed on first use."""
        if self._flow is None:
            from ms_perflint.index.reaching_definitions import Flow

            self._flow = Flow(self)
        return self._flow

    def chain(self) -> Iterator[Scope]:
        """Yield this scope and all scopes around it, innermost first, whether their names are visible here or not."""
        scope: Optional[Scope] = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def enclosing(self) -> Iterator[Scope]:
        """Yield the scopes in which a name of this scope is looked up, innermost first.

        The body of a class is visible to its own statements, and to the first iterable of a comprehension in it, which
        is one of these; not to functions and comprehensions inside of it.
        """
        scope = self
        while True:
            if scope is self or not scope.is_class:
                yield scope
            if scope.parent is None:
                return
            scope = scope.parent

    def home(self, name: str) -> Optional[Scope]:
        """Return the scope that binds a name of this scope; None for builtins and names of star imports."""
        if name in self.bindings:  # as most often
            return self
        for scope in self.enclosing():
            if name in scope.bindings:
                return scope
        return None

    def lookup(self, node: ast.Name) -> tuple[Binding, ...]:
        """Return the bindings that reach a name of this scope; none for names that no scope binds."""
        home = self.home(node.id)
        return home.reaching(node, self) if home is not None else ()

    def reaching(self, node: ast.Name, scope: Scope) -> tuple[Binding, ...]:
        """Return the bindings of this scope that reach a name of another scope, which looks it up here."""
        return self.flow.at(node) if self is scope or self.runs(scope) else self.flow.at_end(node.id)

    def bound(self, node: Optional[ast.AST]) -> Sequence[Binding]:
        """Return all bindings of a name of this scope, in the scope that binds it; none of other expressions."""
        if not isinstance(node, ast.Name) or (home := self.home(node.id)) is None:
            return ()
        return home.bindings[node.id]

    def runs(self, scope: Scope) -> bool:
        """Return whether the code of another scope runs as part of this one: its own, and that of class bodies.

        The code of an inner function runs when it is called.
        """
        owner = scope.owner
        while owner is not self and owner.is_class and owner.parent is not None:
            owner = owner.parent.owner
        return owner is self

    def only(self, node: Optional[ast.AST]) -> Optional[Binding]:
        """Return the one binding that reaches a name; None for several, and for other expressions."""
        bindings = self.lookup(node) if isinstance(node, ast.Name) else ()
        return bindings[0] if len(bindings) == 1 else None

    def single(self, node: Optional[ast.AST]) -> Optional[Binding]:
        """Return the one binding that this scope has for a name; None for several, and for other expressions."""
        bindings = self.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
        return bindings[0] if len(bindings) == 1 else None

    def sole(self, node: ast.Name) -> Optional[ast.expr]:
        """Return the one expression assigned to a name of this scope where it is read; None for other bindings."""
        only = self.only(node) if node.id in self.bindings else None
        return only.whole if only is not None else None

    def stood_for(self, node: ast.expr) -> ast.expr:
        """Return the expression that is assigned to a name of this scope, where it is the only one; else the node."""
        only = self.single(node)
        return only.whole if only is not None and only.whole is not None else node

    def wholes(self, node: ast.Name) -> list[ast.expr]:
        """Return the expressions assigned to a name where it is read; none where other bindings reach it."""
        bindings = self.lookup(node)
        found = [each.whole for each in bindings if each.whole is not None]
        return found if len(found) == len(bindings) else []

    def may_set(self, name: object) -> bool:
        """Return whether methods of a class set an attribute under a computed name that may be this one."""
        return any(
            key is None or str(name).startswith(beginning(method.stood_for(key))) for key, method in self.computed
        )

    def method(self, name: str) -> Optional[Scope]:
        """Return the last function of a name that is defined in it; None without one."""
        for scope in reversed(self.defines):
            if scope.name == name and scope.is_function and accessed(scope.node) is None:
                return scope
        return None


class Site:
    """An expression that checks look at: a call, or an operation such as `a * b` and `a @ b`."""

    __slots__ = ("block", "fstring", "module", "node", "scope", "stmt", "word")

    def __init__(
        self,
        module: SemanticIndex,
        node: ast.expr,
        word: str,
        stmt: ast.stmt,
        block: Block,
        fstring: Optional[ast.expr],
    ) -> None:
        self.module = module
        self.node = node
        self.word = word  # last word of the callee; the operator's sign
        self.stmt = stmt
        self.block = block
        self.scope = block.scope  # in which it is evaluated
        self.fstring = fstring  # the f-string around it: positions inside are not reliable before Python 3.12

    @staticmethod
    def of(stmt: ast.AST, block: Block) -> Site:
        """Return a statement as a site, so that its conditions and its loops can be asked."""
        return Site(block.scope.module, stmt, "", stmt, block, None)  # type: ignore[arg-type]

    @property
    def call(self) -> ast.Call:
        """Return the node of a site that is a call."""
        assert isinstance(self.node, ast.Call)
        return self.node

    @property
    def callee(self) -> Optional[ast.expr]:
        """Return the callee of a call; None for operations."""
        return self.node.func if isinstance(self.node, ast.Call) else None

    @property
    def base(self) -> Optional[ast.expr]:
        """Return the expression before the last dot of its callee; None for other callees, and for operations."""
        callee = self.callee
        return callee.value if isinstance(callee, ast.Attribute) else None

    @property
    def lambdas(self) -> Iterator[Scope]:
        """Yield the lambdas around it in its function, innermost first."""
        inner = takewhile(lambda scope: scope is not scope.owner, self.scope.chain())
        return (scope for scope in inner if isinstance(scope.node, ast.Lambda))

    @property
    def span(self) -> Span:
        """Return its byte offsets in the source."""
        return self.module.span(self.node)

    @property
    def place(self) -> Place:
        """Return where it starts."""
        return self.module.place(self.node)


def _makes_method(value: Optional[ast.expr], node: ast.Lambda) -> bool:
    """Return whether what stands for a name in a class makes a lambda a method: it is the lambda, or a property."""
    is_wrapped = isinstance(value, ast.Call) and word_of(value.func) in ("property", "classmethod")
    return value is node or (is_wrapped and node in (*value.args, *(word.value for word in value.keywords)))  # type: ignore[union-attr]
