"""The walk over expressions, without recursion: names that are loaded or bound, call sites, the scopes inside."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Optional, Union

from ms_perflint.index.scopes import COMPREHENSIONS, Binding, Block, Scope, ScopeNode, Site
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.index.signature import Applied, receiver_name
from ms_perflint.index.syntax_forms import LEAVE, Later, children, given, object_of, path_of, table_of, text_of, word_of

DISPLAYS = (ast.Dict, ast.List, ast.Tuple, ast.Set)
OPERATORS: dict[type[ast.operator], str] = {ast.Mult: "*", ast.MatMult: "@"}
ITEM_SETTERS = ("__setitem__", "setitem")
SETTERS = frozenset({"setattr", "__setattr__", "update", "delattr", *ITEM_SETTERS})


def _yielded(node: Union[ast.Yield, ast.YieldFrom]) -> ast.expr:
    """Return the expression that a generator yields: None of a bare `yield`, `*x` of `yield from x`."""
    if isinstance(node, ast.YieldFrom):
        return ast.copy_location(ast.Starred(node.value, ast.Load()), node)
    return node.value or ast.copy_location(ast.Constant(None), node)


class ExpressionWalk:
    """The state of one walk over a file: the scope of loaded names, and the method whose `self` is in use."""

    def __init__(self, module: SemanticIndex) -> None:
        self.module = module
        self.names: set[str] = module.scope.names
        self.attrs: set[str] = module.scope.attrs

    def expression(self, root: ast.expr, stmt: ast.stmt, block: Block) -> None:
        """Index an expression without recursion: the names that it loads, its sites and inner scopes."""
        stack: list[tuple[ast.AST, Block, Optional[ast.expr]]] = []
        names, attrs, module = self.names, self.attrs, self.module
        fstring: Optional[ast.expr] = None
        inner: Sequence[ast.AST] = (root,)
        while True:
            for node in reversed(inner):
                kind = type(node)
                while kind is ast.Attribute:
                    attrs.add(node.attr)  # type: ignore[attr-defined]
                    node = node.value  # type: ignore[attr-defined]
                    kind = type(node)
                if kind is ast.Name:
                    names.add(node.id)  # type: ignore[attr-defined]
                elif kind is not ast.Constant:
                    stack.append((node, block, fstring))
            if not stack:
                return
            node, block, fstring = stack.pop()
            kind = type(node)
            if kind is ast.Call:
                callee = node.func  # type: ignore[attr-defined]
                word = callee.attr if type(callee) is ast.Attribute else word_of(callee)
                self.site(Site(module, node, word, stmt, block, fstring))  # type: ignore[arg-type]
                if word == "map" or word in LEAVE:
                    made = Applied.of(node, block.scope) if word == "map" else Later.of(node, word)  # type: ignore[arg-type]
                    if made is not None:
                        self.site(Site(module, made, word_of(made.func), stmt, block, fstring))
                if word == "getattr" and len(node.args) > 1:  # type: ignore[attr-defined]
                    attrs.add(text_of(node.args[1]))  # type: ignore[attr-defined]
                elif word == "methodcaller" and node.args:  # type: ignore[attr-defined]
                    attrs.add(text_of(node.args[0]))  # type: ignore[attr-defined]
                if word in SETTERS:
                    self._members_by_name(node, stmt, block)  # type: ignore[arg-type]
                inner = [callee, *given(node)]  # type: ignore[arg-type]
                continue
            if kind is ast.BinOp:
                sign = OPERATORS.get(type(node.op))  # type: ignore[attr-defined]
                if sign is not None:
                    self.site(Site(module, node, sign, stmt, block, fstring))  # type: ignore[arg-type]
            elif kind is ast.Subscript and word_of(node.value) == "__dict__":  # type: ignore[attr-defined]
                attrs.add(text_of(node.slice))  # type: ignore[attr-defined]
            elif kind in DISPLAYS:
                module.displays.append(node)  # type: ignore[arg-type]
            elif kind is ast.JoinedStr:
                fstring = fstring or node  # type: ignore[assignment]
            elif kind is ast.Lambda:
                block = self._lambda(node, stmt, block)  # type: ignore[arg-type]
                inner = (node.body,)  # type: ignore[attr-defined]
                continue
            elif kind is ast.NamedExpr:
                # it binds when it is evaluated, not at the end of its statement
                self.bind(node.target.id, "assign", node.target, node.value, node, block)  # type: ignore[attr-defined]
            elif kind is ast.Yield or kind is ast.YieldFrom:
                block.scope.owner.yields.append((_yielded(node), block))  # type: ignore[arg-type]
            elif kind in COMPREHENSIONS:
                block = self._comprehension(node, stmt, block)  # type: ignore[arg-type]
            inner = children(node)

    def _members_by_name(self, node: ast.Call, stmt: ast.stmt, block: Block) -> None:
        """Index `setattr(self, "x", value)` as `self.x = value`; mark classes with computed names of attributes.

        `delattr(self, "x")` is `del self.x`.
        """
        method = block.scope.owner
        args = node.args
        word = word_of(node.func)
        if isinstance(node.func, ast.Attribute) and word.startswith("__") and len(args) == 2:
            is_above = isinstance(node.func.value, ast.Call) and word_of(node.func.value.func) == "super"
            own = ast.copy_location(ast.Name(receiver_name(method), ast.Load()), node)  # `super().__setattr__("x", v)`
            args = [own if is_above else node.func.value, *args]
        is_deleted = word == "delattr"
        if word in ITEM_SETTERS:
            if len(args) == 3:
                item = ast.copy_location(ast.Subscript(args[0], args[1], ast.Store()), node)
                self._store(item, args[2], (), stmt, block, "assign")
            return
        if word != "update" and len(args) == 3 - is_deleted:
            key: Optional[ast.expr] = args[1]
            name, base = text_of(args[1]), args[0]
            if name:
                target = ast.copy_location(ast.Attribute(base, name, ast.Store()), node)
                value = None if is_deleted else args[2]
                self._store(target, value, (), stmt, block, "delete" if is_deleted else "assign")
                return
        else:
            holder = object_of(node.func.value) if isinstance(node.func, ast.Attribute) else None
            if holder is None:
                return
            key, base = None, holder
        self._sets(base, key, block)

    @staticmethod
    def _sets(node: Optional[ast.expr], key: Optional[ast.expr], block: Block) -> None:
        """Add a computed name of an attribute to the class of a method whose object gets it; None for any name."""
        method = block.scope.owner
        if method.parent is not None and isinstance(node, ast.Name) and node.id == receiver_name(method):
            method.parent.computed.append((key, method))

    def site(self, site: Site) -> None:
        """Add a site to the module and to the function that runs it."""
        self.module.sites.append(site)
        site.block.scope.owner.calls.append(site)

    # --- scopes

    def inner_scope(self, node: ScopeNode, block: Block) -> Scope:
        scope = self.module.scope_of[id(node)] = Scope(self.module, block.scope, node)
        if isinstance(node, ast.expr):  # it runs with the block that it stands in, whose conditions it has
            scope.block.parent, scope.block.is_dead = block, block.is_dead
        self.module.scopes.append(scope)
        return scope

    def parameters(self, args: ast.arguments, stmt: ast.stmt, block: Block, scope: Scope) -> None:
        """Bind the parameters in the new scope, and index their defaults and annotations in the outer one."""
        positional = [*args.posonlyargs, *args.args]
        defaults: list[Optional[ast.expr]] = [*[None] * (len(positional) - len(args.defaults)), *args.defaults]
        stars = [(star, None) for star in (args.vararg, args.kwarg) if star is not None]
        for arg, default in [*zip(positional, defaults), *zip(args.kwonlyargs, args.kw_defaults), *stars]:
            if default is not None:
                self.expression(default, stmt, block)
            binding = Binding(arg.arg, "parameter", arg, default, (), scope.node, scope.block)
            scope.bindings.setdefault(arg.arg, []).append(binding)

    def _lambda(self, node: ast.Lambda, stmt: ast.stmt, block: Block) -> Block:
        scope = self.inner_scope(node, block)
        self.parameters(node.args, stmt, block, scope)
        scope.returns.append((node.body, scope.block))
        return scope.block

    def _comprehension(
        self, node: Union[ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp], stmt: ast.stmt, block: Block
    ) -> Block:
        scope = self.inner_scope(node, block)
        for generator in node.generators:
            self.target(generator.target, generator.iter, (), stmt, scope.block, kind="for")
        return scope.block

    # --- names

    def bind(
        self,
        name: str,
        kind: str,
        node: ast.AST,
        value: Optional[ast.expr],
        stmt: ast.AST,
        block: Block,
        path: tuple[int, ...] = (),
    ) -> None:
        """Add the binding of a name by a statement to the scope of its block."""
        binding = Binding(name, kind, node, value, path, stmt, block)
        scope = block.scope
        while isinstance(stmt, ast.NamedExpr) and isinstance(scope.node, COMPREHENSIONS):
            scope = scope.parent or scope
        scope.bindings.setdefault(name, []).append(binding)
        scope.binds.setdefault(id(stmt), []).append(binding)
        if name in scope.declared:
            scope.declared[name].bindings.setdefault(name, []).append(binding)

    def target(
        self,
        target: ast.expr,
        value: Optional[ast.expr],
        path: tuple[int, ...],
        stmt: ast.stmt,
        block: Block,
        kind: str = "assign",
    ) -> None:
        """Bind the targets of an assignment; in `x, y = a, b` each name to its own expression."""
        if isinstance(target, ast.Name):
            self.bind(target.id, kind, target, value, stmt, block, path)
        elif isinstance(target, (ast.Tuple, ast.List)):
            count, star = len(target.elts), False
            row = _row(target.elts, value) if kind == "assign" and not path else ()
            for position, element in enumerate(target.elts):
                at = position - count if star else position
                if isinstance(element, ast.Starred) and kind == "assign":
                    ends = (*path, position, position + 1 - count)
                    self.target(element.value, value, ends, stmt, block, "rest")
                    star = True
                elif row:
                    self.target(element, row[at], (), stmt, block, kind)
                else:
                    self.target(element, value, (*path, at), stmt, block, kind)
                    star = star or isinstance(element, ast.Starred)
        elif isinstance(target, ast.Starred):
            self.target(target.value, None, (), stmt, block, kind)
        else:
            self._store(target, value, path, stmt, block, kind)
            for child in children(target):
                if isinstance(child, ast.expr):
                    self.expression(child, stmt, block)

    def _store(
        self,
        target: ast.expr,
        value: Optional[ast.expr],
        path: tuple[int, ...],
        stmt: ast.stmt,
        block: Block,
        kind: str,
    ) -> None:
        """Add `self.x = value` to the class, `name.x = value` and `name["x"] = value` to the module."""
        if isinstance(target, ast.Attribute):
            base, attribute = target.value, target.attr
        elif (
            isinstance(target, ast.Subscript)
            and isinstance(target.slice, ast.Constant)
            and isinstance(target.slice.value, str)
        ):
            base, attribute = target.value, target.slice.value
        else:
            is_part = isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)
            if isinstance(stmt, (ast.AugAssign, ast.Delete)) or is_part or path or kind in ("for", "with"):  # not known
                known = value or ast.copy_location(ast.Constant(None), target)
                value = ast.copy_location(ast.Starred(known, ast.Load()), known)
            if isinstance(target, ast.Subscript) and value is not None:
                self._sets(object_of(target.value), target.slice, block)
                self.module.registered.setdefault(table_of(target.value)[0], []).append((target, value, block))
            return
        held = object_of(base) if isinstance(base, ast.Call) else None
        words = path_of(base) if held is None else f"{path_of(held)}.__dict__"
        if words:
            base = ast.Name(id=words)
        binding = Binding(attribute, kind, target, value, path, stmt, block)
        if not isinstance(base, ast.Name):
            self.module.deep.setdefault(attribute, []).append(binding)
            return
        method = block.scope.owner
        owner = method.parent
        if isinstance(target, ast.Attribute) and owner is not None and base.id == receiver_name(method):
            owner.attributes.setdefault(attribute, []).append(binding)
            if attribute == "__dict__":
                owner.computed.append((None, method))
        else:
            self.module.stores.setdefault((base.id, attribute), []).append(binding)
            self.module.stored.setdefault(attribute, []).append(binding)
            if owner is not None and base.id == f"{receiver_name(method)}.__dict__":
                owner.attributes.setdefault(attribute, []).append(binding)


def _row(targets: Sequence[ast.expr], value: Optional[ast.expr]) -> Sequence[ast.expr]:
    """Return the elements of a tuple or list display, where they match the targets of an unpacking one by one."""
    elements = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
    stars = [each for each in targets if isinstance(each, ast.Starred)]
    fits = len(elements) >= len(targets) - 1 if stars else len(elements) == len(targets)
    return elements if fits and not any(isinstance(each, ast.Starred) for each in elements) else ()
