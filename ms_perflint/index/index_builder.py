"""The walk that fills a Module: statements by descent, `elif` chains and expressions without recursion."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Optional, Union

from ms_perflint.core.source import Source
from ms_perflint.index.early_ends import behind
from ms_perflint.index.match_lowering import cases
from ms_perflint.index.semantic_index import (
    COMPREHENSIONS,
    DEAD,
    Binding,
    Block,
    FunctionNode,
    Scope,
    ScopeNode,
    SemanticIndex,
    Site,
)
from ms_perflint.index.signature import Applied, receiver_name
from ms_perflint.index.syntax_forms import TRY, children, given, is_main_guard, table_of, text_of, word_of

DISPLAYS = (ast.Dict, ast.List, ast.Tuple, ast.Set)
OPERATORS: dict[type[ast.operator], str] = {ast.Mult: "*", ast.MatMult: "@"}


def module_of(source: Source, tree: Optional[ast.Module] = None) -> SemanticIndex:
    """Return a parsed file with its scopes, bindings, blocks and sites; SourceError where Python cannot read it."""
    module = SemanticIndex(source, tree)
    _fill(module)
    return module


def _fill(module: SemanticIndex) -> None:
    module.scopes.append(module.scope)
    _IndexBuilder(module).body(module.tree.body, module.scope.block)
    by_word = module.by_word
    for site in module.sites:
        found = by_word.get(site.word)
        if found is None:
            by_word[site.word] = [site]
        else:
            found.append(site)


class _IndexBuilder:
    """The state of one walk: where names that are loaded count, and which function's `self` is meant."""

    def __init__(self, module: SemanticIndex) -> None:
        self.module = module
        self.names: set[str] = module.scope.names
        self.attrs: set[str] = module.scope.attrs

    # --- statements

    def body(self, statements: Sequence[ast.stmt], block: Block) -> None:
        """Walk the statements of one block."""
        for stmt in statements:
            self.statement(stmt, block)
            block = behind(stmt, block)

    def statement(self, stmt: ast.stmt, block: Block) -> None:
        """Walk one statement."""
        self.module.steps.append((stmt, block))
        handler = _STATEMENTS.get(type(stmt))
        if handler is not None:
            handler(self, stmt, block)
            return
        for child in children(stmt):
            if isinstance(child, ast.expr):
                self.expression(child, stmt, block)

    def function(self, stmt: FunctionNode, block: Block) -> None:
        for decorator in stmt.decorator_list:
            self.expression(decorator, stmt, block)
        scope = self._make(stmt, block)
        self.bind(stmt.name, "function", stmt, None, stmt, block)
        self.parameters(stmt.args, stmt, block, scope)
        self._inside(scope, stmt.body)

    def class_(self, stmt: ast.ClassDef, block: Block) -> None:
        for part in (*stmt.decorator_list, *stmt.bases, *(keyword.value for keyword in stmt.keywords)):
            self.expression(part, stmt, block)
        scope = self._make(stmt, block)
        self.bind(stmt.name, "class", stmt, None, stmt, block)
        for base in stmt.bases:
            self.module.derived.setdefault(word_of(base), []).append(scope)
        self._inside(scope, stmt.body)

    def _make(self, stmt: Union[FunctionNode, ast.ClassDef], block: Block) -> Scope:
        scope = self._scope(stmt, block)
        self.module.defined.setdefault(stmt.name, []).append(scope)
        block.scope.owner.defines.append(scope)
        return scope

    def _scope(self, node: ScopeNode, block: Block) -> Scope:
        scope = self.module.scope_of[id(node)] = Scope(self.module, block.scope, node)
        self.module.scopes.append(scope)
        return scope

    def _inside(self, scope: Scope, statements: Sequence[ast.stmt]) -> None:
        outer = self.names, self.attrs
        self.names, self.attrs = scope.names, scope.attrs
        self.body(statements, scope.block)
        self.names, self.attrs = outer

    def parameters(self, args: ast.arguments, stmt: ast.stmt, block: Block, scope: Scope) -> None:
        """Bind the parameters in the new scope; their defaults and annotations are read in the outer one."""
        positional = [*getattr(args, "posonlyargs", []), *args.args]
        defaults: list[Optional[ast.expr]] = [*[None] * (len(positional) - len(args.defaults)), *args.defaults]
        for arg, default in [*zip(positional, defaults), *zip(args.kwonlyargs, args.kw_defaults)]:
            if default is not None:
                self.expression(default, stmt, block)
            self._parameter(arg, default, scope)
        for star in (args.vararg, args.kwarg):
            if star is not None:
                self._parameter(star, None, scope)

    def _parameter(self, arg: ast.arg, default: Optional[ast.expr], scope: Scope) -> None:
        binding = Binding(arg.arg, "parameter", arg, default, (), scope.node, scope.block)
        scope.bindings.setdefault(arg.arg, []).append(binding)

    def assign(self, stmt: ast.Assign, block: Block) -> None:
        self.expression(stmt.value, stmt, block)
        for target in stmt.targets:
            self.target(target, stmt.value, (), stmt, block)
            self._other_name(target, stmt.value)

    def _other_name(self, target: ast.expr, value: ast.expr) -> None:
        """Note `x = name` and `x = name(...)`: under which other words the name, or what it returns, is called."""
        if isinstance(target, ast.Tuple):
            for element in target.elts:
                self._other_name(element, value)
            return
        word = word_of(target)
        if isinstance(value, ast.Dict):  # `TABLE["name"](...)` calls what stands there
            for key, entry in zip(value.keys, value.values):
                if (text := text_of(key)) and word_of(entry) not in ("", text):
                    self.module.renamed.setdefault(word_of(entry), set()).add(text)
        if isinstance(value, ast.IfExp):
            self._other_name(target, value.body)
            value = value.orelse
        while (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and isinstance(value.func.value, ast.Call)
        ):
            self.module.made.setdefault(value.func.attr, set()).add(word)
            value = value.func.value  # `P.Cast().to_float(...)`
        if word and isinstance(value, ast.Call):
            if word_of(value.func) == "partial" and value.args and (source := word_of(value.args[0])):
                self.module.renamed.setdefault(source, set()).add(word)
            self.module.made.setdefault(word_of(value.func), set()).add(word)
        elif word and (source := word_of(value)) and source != word:
            self.module.renamed.setdefault(source, set()).add(word)

    def annotated(self, stmt: ast.AnnAssign, block: Block) -> None:
        self.expression(stmt.annotation, stmt, block)
        if stmt.value is not None:
            self.expression(stmt.value, stmt, block)
            self.target(stmt.target, stmt.value, (), stmt, block)
            self._other_name(stmt.target, stmt.value)

    def augmented(self, stmt: ast.AugAssign, block: Block) -> None:
        self.expression(stmt.value, stmt, block)
        if isinstance(stmt.target, ast.Name):
            self.names.add(stmt.target.id)
            self.bind(stmt.target.id, "augment", stmt.target, None, stmt, block)
        else:
            self.target(stmt.target, None, (), stmt, block, kind="augment")

    def if_(self, stmt: ast.If, block: Block) -> None:
        """An `if` with its whole `elif` chain, which may be longer than the recursion allows."""
        while True:
            self.expression(stmt.test, stmt, block)
            outer = self.names, self.attrs
            if isinstance(block.scope.node, ast.Module) and is_main_guard(stmt):
                main = block.scope.main = block.scope.main or Scope(self.module, block.scope, stmt.test)
                self.names, self.attrs = main.names, main.attrs
            self.body(stmt.body, Block(block.scope, block, stmt, "body"))
            self.names, self.attrs = outer
            block = Block(block.scope, block, stmt, "orelse")
            if len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], ast.If):
                stmt = stmt.orelse[0]
                self.module.steps.append((stmt, block))
                continue
            self.body(stmt.orelse, block)
            return

    def for_(self, stmt: Union[ast.For, ast.AsyncFor], block: Block) -> None:
        self.expression(stmt.iter, stmt, block)
        self.target(stmt.target, stmt.iter, (), stmt, block, kind="for")
        self.body(stmt.body, Block(block.scope, block, stmt, "body"))
        self.body(stmt.orelse, Block(block.scope, block, stmt, "orelse"))

    def while_(self, stmt: ast.While, block: Block) -> None:
        self.expression(stmt.test, stmt, block)
        self.body(stmt.body, Block(block.scope, block, stmt, "body"))
        self.body(stmt.orelse, Block(block.scope, block, stmt, "orelse"))

    def with_(self, stmt: Union[ast.With, ast.AsyncWith], block: Block) -> None:
        for item in stmt.items:
            self.expression(item.context_expr, stmt, block)
            if item.optional_vars is not None:
                self.target(item.optional_vars, item.context_expr, (), stmt, block, kind="with")
        self.body(stmt.body, Block(block.scope, block, stmt, "body"))

    def try_(self, stmt: ast.Try, block: Block) -> None:
        self.body(stmt.body, Block(block.scope, block, stmt, "body"))
        for position, handler in enumerate(stmt.handlers):
            if handler.type is not None:
                self.expression(handler.type, stmt, block)
            arm = Block(block.scope, block, stmt, f"handler {position}")
            self.module.steps.append((handler, arm))
            if handler.name:
                self.bind(handler.name, "except", handler, None, handler, arm)
            self.body(handler.body, arm)
        self.body(stmt.orelse, Block(block.scope, block, stmt, "body"))
        self.body(stmt.finalbody, Block(block.scope, block, stmt, "finalbody"))

    def match(self, stmt: ast.stmt, block: Block) -> None:
        """A `match`, as the `if` chain that it is; its subject is read once."""
        self.expression(stmt.subject, stmt, block)  # type: ignore[attr-defined]
        found, self.module.chains[id(stmt)] = cases(stmt, self.module.text)
        for case in found:
            self.module.steps.extend([] if case.branch is None else [(case.branch, block)])
            for part in case.reads:
                self.expression(part, stmt, block)
            arm = block if case.branch is None else Block(block.scope, block, case.branch, "body")
            for name in case.names:
                self.target(name.targets[0], name.value, (), name, arm)
            self.body(case.body, arm)
            if case.branch is not None:
                self.module.worded[id(case.branch.test)] = case.text
                block = Block(block.scope, block, case.branch, "orelse")

    def import_(self, stmt: ast.Import, block: Block) -> None:
        block.scope.imports.append((stmt, block))
        for alias in stmt.names:
            self.bind(alias.asname or alias.name.split(".")[0], "import", alias, None, stmt, block)
            self.module.imported.setdefault(alias.asname or alias.name.split(".")[0], []).append((stmt, alias))

    def import_from(self, stmt: ast.ImportFrom, block: Block) -> None:
        block.scope.imports.append((stmt, block))
        for alias in stmt.names:
            if alias.name == "*":
                block.scope.stars.append((stmt, block))
            else:
                self.bind(alias.asname or alias.name, "from", alias, None, stmt, block)
                self.module.imported.setdefault(alias.asname or alias.name, []).append((stmt, alias))
                if alias.asname:
                    self.module.renamed.setdefault(alias.name, set()).add(alias.asname)

    def expr(self, stmt: ast.Expr, block: Block) -> None:
        if isinstance(stmt.value, ast.GeneratorExp):  # which nothing runs
            block = Block(block.scope, block, stmt, DEAD)
        self.expression(stmt.value, stmt, block)

    def return_(self, stmt: ast.Return, block: Block) -> None:
        if stmt.value is not None:
            self.expression(stmt.value, stmt, block)
            block.scope.returns.append((stmt.value, block))

    def delete(self, stmt: ast.Delete, block: Block) -> None:
        for target in stmt.targets:
            self.target(target, None, (), stmt, block, kind="delete")

    def declared(self, stmt: Union[ast.Global, ast.Nonlocal], block: Block) -> None:
        """A name declared global or nonlocal: what binds it in the function binds it in the scope around it too."""
        outer = block.scope.parent
        for name in stmt.names:
            self.names.add(name)
            home = outer.home(name) if outer is not None and isinstance(stmt, ast.Nonlocal) else self.module.scope
            if block.scope.is_function and home is not None:
                block.scope.declared[name] = home

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
        """Note that a statement binds a name in the scope of its block."""
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
        """Bind what an assignment's left side names."""
        if isinstance(target, ast.Name):
            self.bind(target.id, kind, target, value, stmt, block, path)
        elif isinstance(target, (ast.Tuple, ast.List)):
            count, star = len(target.elts), False
            for position, element in enumerate(target.elts):
                if isinstance(element, ast.Starred) and kind == "assign":
                    ends = (*path, position, position + 1 - count)
                    self.target(element.value, value, ends, stmt, block, "rest")
                else:
                    self.target(element, value, (*path, position - count if star else position), stmt, block, kind)
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
        """Note `self.x = value` at the class, `name.x = value` and `name["x"] = value` at the module."""
        if isinstance(target, ast.Attribute):
            base, attribute = target.value, target.attr
        elif (
            isinstance(target, ast.Subscript)
            and isinstance(target.slice, ast.Constant)
            and isinstance(target.slice.value, str)
        ):
            base, attribute = target.value, target.slice.value
        else:
            if isinstance(stmt, ast.AugAssign):  # something that is not known
                value = ast.copy_location(ast.Starred(stmt.value, ast.Load()), stmt.value)
            if isinstance(target, ast.Subscript) and value is not None:
                self.module.registered.setdefault(table_of(target.value)[0], []).append((target, value, block))
            return
        if isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name):
            base = ast.Name(id=f"{base.value.id}.{base.attr}")
        binding = Binding(attribute, kind, target, value, path, stmt, block)
        if not isinstance(base, ast.Name):
            self.module.deep.setdefault(attribute, []).append(binding)
            return
        method = block.scope.owner
        owner = method.parent
        if isinstance(target, ast.Attribute) and owner is not None and base.id == receiver_name(method):
            owner.attributes.setdefault(attribute, []).append(binding)
        else:
            self.module.stores.setdefault((base.id, attribute), []).append(binding)
            self.module.stored.setdefault(attribute, []).append(binding)

    # --- expressions

    def expression(self, root: ast.expr, stmt: ast.stmt, block: Block) -> None:
        """Walk an expression without recursion: names that it loads, sites, inner scopes."""
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
                applied = Applied.of(node, block.scope) if word == "map" else None  # type: ignore[arg-type]
                if applied is not None:
                    self.site(Site(module, applied, word_of(applied.func), stmt, block, fstring))
                if word == "getattr" and len(node.args) > 1:  # type: ignore[attr-defined]
                    attrs.add(text_of(node.args[1]))  # type: ignore[attr-defined]
                if word in ("setattr", "update"):
                    self._members_by_name(node, stmt, block)  # type: ignore[arg-type]
                inner = [callee, *given(node)]  # type: ignore[arg-type]
                continue
            if kind is ast.BinOp:
                sign = OPERATORS.get(type(node.op))  # type: ignore[attr-defined]
                if sign is not None:
                    self.site(Site(module, node, sign, stmt, block, fstring))  # type: ignore[arg-type]
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
            elif kind is ast.Yield:
                if node.value is not None:  # type: ignore[attr-defined]
                    block.scope.owner.yields.append((node.value, block))  # type: ignore[attr-defined]
            elif kind is ast.YieldFrom:
                value = ast.copy_location(ast.Starred(node.value, ast.Load()), node)  # type: ignore[attr-defined]
                block.scope.owner.yields.append((value, block))
            elif kind in COMPREHENSIONS:
                block = self._comprehension(node, stmt, block)  # type: ignore[arg-type]
            inner = children(node)

    def _members_by_name(self, node: ast.Call, stmt: ast.stmt, block: Block) -> None:
        """Take `setattr(self, "x", value)` for `self.x = value`; note where names of members are worked out."""
        owner, method = block.scope.owner.parent, block.scope.owner
        if isinstance(node.func, ast.Name) and len(node.args) == 3:
            name, base = text_of(node.args[1]), node.args[0]
            if name:
                target = ast.copy_location(ast.Attribute(base, name, ast.Store()), node)
                self._store(target, node.args[2], (), stmt, block, "assign")
                return
        else:
            holder = node.func.value if isinstance(node.func, ast.Attribute) else node
            if isinstance(holder, ast.Call) and word_of(holder.func) == "vars" and holder.args:
                base = holder.args[0]
            elif isinstance(holder, ast.Attribute) and holder.attr == "__dict__":
                base = holder.value
            else:
                return
        if owner is not None and isinstance(base, ast.Name) and base.id == receiver_name(method):
            owner.any_attributes = True

    def site(self, site: Site) -> None:
        """Note a site at the module and at the function that runs it."""
        self.module.sites.append(site)
        site.block.scope.owner.calls.append(site)

    def _lambda(self, node: ast.Lambda, stmt: ast.stmt, block: Block) -> Block:
        scope = self._scope(node, block)
        scope.block.parent = block  # whose conditions are its own
        self.parameters(node.args, stmt, block, scope)
        scope.returns.append((node.body, scope.block))
        return scope.block

    def _comprehension(
        self, node: Union[ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp], stmt: ast.stmt, block: Block
    ) -> Block:
        scope = self._scope(node, block)
        scope.block.parent = block  # whose conditions are its own
        for generator in node.generators:
            self.target(generator.target, generator.iter, (), stmt, scope.block, kind="for")
        return scope.block


_STATEMENTS: dict[type[ast.AST], Callable[..., None]] = {
    ast.FunctionDef: _IndexBuilder.function,
    ast.AsyncFunctionDef: _IndexBuilder.function,
    ast.ClassDef: _IndexBuilder.class_,
    ast.Assign: _IndexBuilder.assign,
    ast.AnnAssign: _IndexBuilder.annotated,
    ast.AugAssign: _IndexBuilder.augmented,
    ast.If: _IndexBuilder.if_,
    ast.For: _IndexBuilder.for_,
    ast.AsyncFor: _IndexBuilder.for_,
    ast.While: _IndexBuilder.while_,
    ast.With: _IndexBuilder.with_,
    ast.AsyncWith: _IndexBuilder.with_,
    **dict.fromkeys(TRY, _IndexBuilder.try_),
    ast.Import: _IndexBuilder.import_,
    ast.ImportFrom: _IndexBuilder.import_from,
    ast.Expr: _IndexBuilder.expr,
    ast.Return: _IndexBuilder.return_,
    ast.Delete: _IndexBuilder.delete,
    ast.Global: _IndexBuilder.declared,
    ast.Nonlocal: _IndexBuilder.declared,
}
if hasattr(ast, "Match"):
    _STATEMENTS[ast.Match] = _IndexBuilder.match
