"""Reaching definitions of one scope: the bindings that may give a name its value where it is read."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Optional, Union

from ms_perflint.index.scopes import COMPREHENSIONS, FUNCTIONS, Binding, Scope
from ms_perflint.index.syntax_forms import TRY, breaks, children, descendants, leaves, suppresses, word_of

Bindings = tuple[Binding, ...]
Environment = dict[str, Bindings]
CALLS_AT_ONCE = frozenset({"map", "filter", "sorted", "min", "max", "reduce", "list", "any", "all", "sum"})
INNER = (ast.Lambda, *COMPREHENSIONS)  # what stands inside runs later, or any number of times


class Flow:
    """The reaching definitions of a scope, computed for names with more than one binding."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._at: dict[int, Bindings] = {}  # id of a Name that is read -> what may have bound it
        self._many = {name for name, bindings in scope.bindings.items() if len(bindings) > 1}
        self._many |= scope.declared.keys() & scope.bindings.keys()
        # `mode = mode` in the body of a class reads the name of the module, also inside of a function that has it
        around = scope.module.scope.bindings if scope.is_class else {}
        self._outer = {name: tuple(around[name]) for name in scope.bindings if name in around}
        self._many |= self._outer.keys()
        many = [binding for name in self._many for binding in scope.bindings[name]]
        self._elsewhere: dict[str, list[Binding]] = {}  # what functions bind by `global name` or `nonlocal name`
        for binding in many:
            if binding.scope is not scope and binding.scope.owner is not scope:
                self._elsewhere.setdefault(binding.name, []).append(binding)
        self._setters = self._functions_that_set()
        self._inside = bool(self._setters) or any(isinstance(binding.stmt, ast.NamedExpr) for binding in many)
        self._made: dict[int, Environment] = {}  # id of a function that is made in it -> what holds there
        self._delayed: list[tuple[ast.AST, ast.Name]] = []  # the names that lambdas read, which are called later
        self._reads: Optional[dict[str, list[ast.Name]]] = None
        self._exit: Optional[Environment] = None  # None until a name is asked for that is bound more than once

    def at(self, node: ast.Name) -> Bindings:
        """Return the bindings that reach a read of a name."""
        if node.id not in self._many:
            return tuple(self.scope.bindings.get(node.id, ()))
        self._end()
        found = self._at.get(id(node))
        return self._with_globals(node.id, found) if found is not None else tuple(self.scope.bindings[node.id])

    def at_end(self, name: str) -> Bindings:
        """Return the bindings that reach the end of the scope: those that other scopes and modules see."""
        if name not in self._many:
            return tuple(self.scope.bindings.get(name, ()))
        return self._with_globals(name, self._end().get(name, ())) or tuple(self.scope.bindings[name])

    def before_end(self, name: str, inner: Scope) -> Bindings:
        """Return the bindings that do not reach the end, but may reach an earlier call of an inner function."""
        end = self.at_end(name) if name in self._many else ()
        return tuple(binding for binding in self.early(name, inner) if binding not in end)

    def early(self, name: str, inner: Scope) -> Bindings:
        """Return the bindings that may reach a call of an inner function before the last of them."""
        if name not in self._many:
            return ()
        while inner.parent is not None and not self.scope.runs(inner.parent):
            inner = inner.parent
        made = self._made.get(id(inner.node))
        later = list(self._behind(name, inner.node)) if made is not None else []
        last = max(map(_end_of, later), default=(0, 0))
        calls = ((site.node.lineno, site.node.col_offset) for site in self.scope.calls)
        if made is None or not (name in self._elsewhere or any(_end_of(inner) < call < last for call in calls)):
            return ()  # nothing calls it before
        return tuple(dict.fromkeys((*made.get(name, ()), *later)))

    def is_set_around(self, name: str, inner: Scope) -> bool:
        """Return whether functions bind a name of the scope, or the scope binds it behind an inner function."""
        return name in self._elsewhere or bool(self.before_end(name, inner))

    def _behind(self, name: str, node: ast.AST) -> Iterator[Binding]:
        """Yield the bindings of a name that follow a node of the scope in the source."""
        at = node.lineno, node.col_offset  # type: ignore[attr-defined]
        for binding in self.scope.bindings[name]:
            stands = binding.node if hasattr(binding.node, "lineno") else binding.stmt
            if binding.scope.owner is self.scope and at < (stands.lineno, stands.col_offset):  # type: ignore[attr-defined]
                yield binding

    def reads(self, name: str) -> Sequence[ast.Name]:
        """Return the reads of a name, also by `name += 1`, in the scope and all scopes inside of it."""
        if self._reads is None:
            self._reads = {}
            for node in descendants(self.scope.node):
                read = node.target if isinstance(node, ast.AugAssign) else node
                if isinstance(read, ast.Name) and (read is not node or isinstance(read.ctx, ast.Load)):
                    self._reads.setdefault(read.id, []).append(read)
        return self._reads.get(name, ())

    def _functions_that_set(self) -> dict[str, Scope]:
        """Return the inner functions that bind names of the scope by `global` or `nonlocal`, by name."""
        found: dict[str, Scope] = {}
        for inner in self.scope.defines:
            bindings = self.scope.bindings.get(inner.name, ())
            if len(bindings) == 1 and bindings[0].node is inner.node and self.scope in inner.declared.values():
                found[inner.name] = inner
        return found

    def _with_globals(self, name: str, found: Bindings) -> Bindings:
        """Return the bindings and those by `global name` or `nonlocal name`, which may run at any time."""
        others = self._elsewhere.get(name, ())
        return (*(each for each in others if each not in found), *found) if others else found

    def _end(self) -> Environment:
        """Return the environment at the end of the scope; the first call records what reaches each read."""
        if self._exit is None:
            bindings = self.scope.bindings
            start = {name: tuple(b for b in bindings[name] if b.kind == "parameter") for name in self._many}
            start.update((name, tuple(home.bindings.get(name, ()))) for name, home in self.scope.declared.items())
            start.update(self._outer)
            body = getattr(self.scope.node, "body", None)
            end = self._body(body, start) if isinstance(body, list) else start
            for node, read in self._delayed:
                self._at[id(read)] = tuple(dict.fromkeys((*self._at[id(read)], *self._behind(read.id, node))))
            self._exit = end if end is not None else {name: tuple(bindings[name]) for name in self._many}
            for name, outer in self._outer.items():
                self._exit[name] = tuple(each for each in self._exit.get(name, ()) if each not in outer)
        return self._exit

    # --- statements; None is the environment after which nothing runs

    def _body(self, statements: Sequence[ast.stmt], env: Optional[Environment]) -> Optional[Environment]:
        for stmt in statements:
            if env is None:
                return None
            env = self._statement(stmt, env)
        return env

    def _statement(self, stmt: ast.stmt, env: Environment) -> Optional[Environment]:
        if isinstance(stmt, ast.If):
            return self._if(stmt, env)
        if isinstance(stmt, (ast.For, ast.AsyncFor, ast.While)):
            return self._loop(stmt, env)
        if isinstance(stmt, TRY):
            return self._try(stmt, env)  # type: ignore[arg-type]
        if isinstance(stmt, (ast.With, ast.AsyncWith)):
            for item in stmt.items:
                self._read(item.context_expr, env)
            start = self._bind(stmt, env)
            failed = self._with_all_of(stmt.body, start) if suppresses(stmt) else None
            return join([self._body(stmt.body, start), failed])
        if id(stmt) in self.scope.module.chains:
            if hasattr(stmt, "subject"):
                self._read(stmt.subject, env)
            return self._body(self.scope.module.chains[id(stmt)], env)
        if isinstance(stmt, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._head(stmt, env)
            return self._bind(stmt, env)
        for child in children(stmt):
            self._read(child, env)
        return None if leaves(stmt) else self._bind(stmt, env)

    def _head(self, stmt: ast.AST, env: Environment) -> None:
        """Record the reads before a function or class is bound: in decorators, defaults, the class body."""
        for child in children(stmt):
            if not isinstance(child, ast.stmt):
                self._read(child, env)
            elif not isinstance(stmt, FUNCTIONS):
                self._head(child, env)
        if isinstance(stmt, FUNCTIONS):
            self._made[id(stmt)] = dict(env)

    def _if(self, stmt: ast.If, env: Environment) -> Optional[Environment]:
        """Return the environment behind an `if` with its `elif` chain, without recursion."""
        ends: list[Optional[Environment]] = []
        while True:
            self._read(stmt.test, env)
            ends.append(self._body(stmt.body, dict(env)))
            if len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], ast.If):
                stmt = stmt.orelse[0]
                continue
            ends.append(self._body(stmt.orelse, dict(env)))
            return join(ends)

    def _loop(self, stmt: ast.For | ast.AsyncFor | ast.While, env: Environment) -> Optional[Environment]:
        self._read(stmt.test if isinstance(stmt, ast.While) else stmt.iter, env)
        head = self._with_all_of(stmt.body, env)
        if isinstance(stmt, ast.While):
            self._read(stmt.test, head)
        self._body(stmt.body, self._bind(stmt, dict(head)))
        after = join([head, self._with_all_of([stmt], env) if not isinstance(stmt, ast.While) else head]) or head
        if leaves(stmt):
            return None
        is_left = bool(stmt.orelse) and any(map(breaks, stmt.body))  # past the `else`
        return join([self._body(stmt.orelse, dict(after)), after if is_left else None])

    def _try(self, stmt: ast.Try, env: Environment) -> Optional[Environment]:
        inside = self._body(stmt.body, dict(env))
        if inside is not None:
            inside = self._body(stmt.orelse, inside)
        ends = [inside]
        failed = self._with_all_of(stmt.body, env)
        for handler in stmt.handlers:
            ends.append(self._body(handler.body, self._bind(handler, dict(failed))))
        end = join(ends)
        if stmt.finalbody:
            end, before = self._body(stmt.finalbody, end), self._with_all_of([*stmt.body, *stmt.handlers], env)
            parts = [each for part in (*stmt.body, *stmt.handlers, *stmt.orelse) for each in descendants(part)]
            if end is None or any(isinstance(each, ast.stmt) and leaves(each) for each in parts):
                self._body(stmt.finalbody, before)  # on the way out
        return end

    # --- names

    def _bind(self, stmt: ast.AST, env: Environment) -> Environment:
        for binding in self.scope.binds.get(id(stmt), ()):
            if binding.name in self._many:
                env[binding.name] = (binding,)
        return env

    def _bound(self, node: ast.AST) -> Environment:
        """Return the bindings of an expression: of `(name := value)`, and of calls that bind outer names."""
        if not isinstance(node, ast.Call):
            return self._bind(node, {})
        setter = self._setters.get(node.func.id) if isinstance(node.func, ast.Name) else None
        ends = {name: setter.flow.at_end(name) for name in setter.declared} if setter is not None else {}
        return {name: end for name, end in ends.items() if end and all(each.scope is setter for each in end)}

    def _with_all_of(self, statements: Iterable[ast.AST], env: Environment) -> Environment:
        """Return the environment with all bindings of some statements added to it."""
        out = dict(env)
        stack: list[ast.AST] = list(statements)
        while stack:
            node = stack.pop()
            for binding in self.scope.binds.get(id(node), ()):
                if binding.name in self._many:
                    held = out.get(binding.name, ())
                    if binding not in held:
                        out[binding.name] = (*held, binding)
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if self._inside:
                    stack.extend(child for child in children(node) if isinstance(child, (ast.expr, ast.comprehension)))
                parts = ("body", "orelse", "finalbody", "handlers")
                for part in parts if not isinstance(node, ast.expr) else ():  # a lambda has a body too
                    stack.extend(getattr(node, part, ()))
                stack.extend(self.scope.module.chains.get(id(node), ()))
        return out

    def _read(self, root: ast.AST, env: Environment, always: bool = True) -> None:
        """Record the bindings that reach each name of an expression, also inside of lambdas and comprehensions.

        `(name := value)` changes the environment; where it does not run `always`, the earlier bindings stay.
        """
        stack: list[tuple[ast.AST, bool, bool]] = [(root, always, False)]
        now: set[ast.AST] = set()  # lambdas that are called at once
        while stack:
            node, always, is_read = stack.pop()
            kind = type(node)
            if kind is ast.Name:
                if node.id in self._many:  # type: ignore[attr-defined]
                    self._at[id(node)] = env.get(node.id, ())  # type: ignore[attr-defined]
                continue
            if kind is ast.Lambda and node not in now:
                inside = ast.walk(node.body)  # type: ignore[attr-defined]
                self._delayed += [
                    (node, each) for each in inside if isinstance(each, ast.Name) and each.id in self._many
                ]
            elif kind is ast.Call:
                now |= {node.func, *(node.args if word_of(node.func) in CALLS_AT_ONCE else ())}  # type: ignore[attr-defined]
            if is_read:
                for name, bindings in self._bound(node).items():
                    env[name] = bindings if always else tuple(dict.fromkeys((*env.get(name, ()), *bindings)))
            elif not self._inside:
                stack.extend((child, always, False) for child in children(node))
            else:
                if isinstance(node, (ast.NamedExpr, ast.Call)):
                    stack.append((node, always, True))
                sure = 1 if isinstance(node, (ast.BoolOp, ast.IfExp)) else 0 if isinstance(node, INNER) else None
                for position, part in reversed([*enumerate(children(node))]):
                    stack.append((part, always and (sure is None or position < sure), False))


def _end_of(made: Union[Binding, Scope]) -> tuple[int, int]:
    """Return where a function, or the statement of a binding, ends: row and column."""
    node = made.node if isinstance(made, Scope) else made.stmt
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def join(environments: Sequence[Optional[Environment]]) -> Optional[Environment]:
    """Return the environment behind several arms; None where no arm reaches its end."""
    alive = [env for env in environments if env is not None]
    if len(alive) <= 1:
        return alive[0] if alive else None
    out = alive[0]
    for env in alive[1:]:
        for name, bindings in env.items():
            held = out.get(name, ())
            if held != bindings:
                out[name] = (*held, *(binding for binding in bindings if binding not in held))
    return out
