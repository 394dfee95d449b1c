"""The walk that fills the semantic index of a file: statements by descent, `elif` chains without recursion."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Optional, Union

from ms_perflint.core.source import Source
from ms_perflint.index.early_ends import behind
from ms_perflint.index.expression_walk import ExpressionWalk
from ms_perflint.index.match_lowering import cases, choice
from ms_perflint.index.scopes import DEAD, Block, FunctionNode, ImportStatement, Scope
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.index.syntax_forms import TRY, children, is_main_guard, never_loops, targets, text_of, word_of


def module_of(source: Source, tree: Optional[ast.Module] = None) -> SemanticIndex:
    """Return a parsed file with its scopes, bindings, blocks and sites; SourceError where Python cannot read it."""
    module = SemanticIndex(source, tree)
    module.scopes.append(module.scope)
    _IndexBuilder(module).body(module.tree.body, module.scope.block)
    for site in module.sites:
        module.by_word.setdefault(site.word, []).append(site)
    return module


class _IndexBuilder(ExpressionWalk):
    """The walk over the statements of a file, and over the expressions in each."""

    def body(self, statements: Sequence[ast.stmt], block: Block) -> None:
        """Index the statements of one block."""
        for stmt in statements:
            self.statement(stmt, block)
            block = behind(stmt, block)

    def statement(self, stmt: ast.stmt, block: Block) -> None:
        """Index one statement."""
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
        scope = self.inner_scope(stmt, block)
        self.module.defined.setdefault(stmt.name, []).append(scope)
        block.scope.owner.defines.append(scope)
        return scope

    def _inside(self, scope: Scope, statements: Sequence[ast.stmt]) -> None:
        outer = self.names, self.attrs
        self.names, self.attrs = scope.names, scope.attrs
        self.body(statements, scope.block)
        self.names, self.attrs = outer

    def assign(self, stmt: Union[ast.Assign, ast.AnnAssign], block: Block) -> None:
        if isinstance(stmt, ast.AnnAssign):
            self.expression(stmt.annotation, stmt, block)
        if stmt.value is not None:
            self.expression(stmt.value, stmt, block)
            for target in targets(stmt):
                self.target(target, stmt.value, (), stmt, block)
                self._other_name(target, stmt.value)

    def _other_name(self, target: ast.expr, value: ast.expr) -> None:
        """Add the other names that `x = name` gives an object, and `x = name(...)` the result of a call."""
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

    def augmented(self, stmt: ast.AugAssign, block: Block) -> None:
        self.expression(stmt.value, stmt, block)
        if isinstance(stmt.target, ast.Name):
            self.names.add(stmt.target.id)
            self.bind(stmt.target.id, "augment", stmt.target, None, stmt, block)
        else:
            self.target(stmt.target, None, (), stmt, block, kind="augment")

    def if_(self, stmt: ast.If, block: Block) -> None:
        """Index an `if` with its `elif` chain, which may be longer than the recursion limit."""
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

    def loop(self, stmt: Union[ast.For, ast.AsyncFor, ast.While], block: Block) -> None:
        self.expression(stmt.test if isinstance(stmt, ast.While) else stmt.iter, stmt, block)
        if not isinstance(stmt, ast.While):
            self.target(stmt.target, stmt.iter, (), stmt, block, kind="for")
        inner = Block(block.scope, block, stmt, "body")
        inner.is_dead = inner.is_dead or never_loops(stmt)
        self.body(stmt.body, inner)
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
        """Index a `match` as an `if` chain; its subject is evaluated once."""
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

    def import_(self, stmt: ImportStatement, block: Block) -> None:
        block.scope.imports.append((stmt, block))
        kind = "from" if isinstance(stmt, ast.ImportFrom) else "import"
        for alias in stmt.names:
            if alias.name == "*" and isinstance(stmt, ast.ImportFrom):
                block.scope.stars.append((stmt, block))
                continue
            name = alias.asname or alias.name.partition(".")[0]
            self.bind(name, kind, alias, None, stmt, block)
            self.module.imported.setdefault(name, []).append((stmt, alias))
            if alias.asname and kind == "from":
                self.module.renamed.setdefault(alias.name, set()).add(alias.asname)

    def expr(self, stmt: ast.Expr, block: Block) -> None:
        branch = choice(stmt)
        if branch is not None:
            self.module.chains[id(stmt)] = [branch]
            if isinstance(branch.test, ast.UnaryOp) and branch.test.col_offset == branch.test.operand.col_offset:
                self.module.worded[id(branch.test)] = f"not {self.module.text(branch.test.operand)}"
            self.statement(branch, block)
            return
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
        """Index `global` and `nonlocal`: what the function binds, it binds in the scope around it, too."""
        outer = block.scope.parent
        for name in stmt.names:
            self.names.add(name)
            home = outer.home(name) if outer is not None and isinstance(stmt, ast.Nonlocal) else self.module.scope
            if block.scope.is_function and home is not None:
                block.scope.declared[name] = home


_STATEMENTS: dict[type[ast.AST], Callable[..., None]] = {
    ast.FunctionDef: _IndexBuilder.function,
    ast.AsyncFunctionDef: _IndexBuilder.function,
    ast.ClassDef: _IndexBuilder.class_,
    ast.Assign: _IndexBuilder.assign,
    ast.AnnAssign: _IndexBuilder.assign,
    ast.AugAssign: _IndexBuilder.augmented,
    ast.If: _IndexBuilder.if_,
    ast.For: _IndexBuilder.loop,
    ast.AsyncFor: _IndexBuilder.loop,
    ast.While: _IndexBuilder.loop,
    ast.With: _IndexBuilder.with_,
    ast.AsyncWith: _IndexBuilder.with_,
    **dict.fromkeys(TRY, _IndexBuilder.try_),
    ast.Import: _IndexBuilder.import_,
    ast.ImportFrom: _IndexBuilder.import_,
    ast.Expr: _IndexBuilder.expr,
    ast.Return: _IndexBuilder.return_,
    ast.Delete: _IndexBuilder.delete,
    ast.Global: _IndexBuilder.declared,
    ast.Nonlocal: _IndexBuilder.declared,
}
if hasattr(ast, "Match"):
    _STATEMENTS[ast.Match] = _IndexBuilder.match
