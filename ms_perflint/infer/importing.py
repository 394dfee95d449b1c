"""The values of imported names: local modules and their members, star imports, `import_module(name)`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from itertools import product
from typing import Optional, Union

from ms_perflint import mindspore_api
from ms_perflint.index.execution_order import Place, is_always_passed, never_before, place, rank, stored
from ms_perflint.index.reachability import BY_DEFAULT, IMPOSSIBLE
from ms_perflint.index.semantic_index import Binding, Scope, SemanticIndex
from ms_perflint.index.signature import Layer, Signature
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.alternatives import Api
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import TOP, Value, join
from ms_perflint.resolve.import_statements import called
from ms_perflint.resolve.resolver import Namespace

BUILTINS = frozenset({*dir(builtins), "exit", "quit"})


def imported(evaluator: Evaluator, binding: Binding) -> Value:
    """Return the value that an import statement binds to one name."""
    module, alias, stmt = binding.scope.module, binding.node, binding.stmt
    assert isinstance(alias, ast.alias)
    if isinstance(stmt, ast.Import):
        dotted = alias.name if alias.asname else alias.name.split(".")[0]
        return named(evaluator, module, dotted, 0, alias, binding.scope)
    assert isinstance(stmt, ast.ImportFrom)
    source = evaluator.program.import_target(module, stmt.module or "", stmt.level)
    is_submodule = source is module and all(each is binding for each in module.scope.bindings.get(alias.name, ()))
    if isinstance(source, SemanticIndex) and not is_submodule:
        return evaluator.exported(source, alias.name)
    inner = f"{stmt.module}.{alias.name}" if stmt.module else alias.name
    return named(evaluator, module, inner, stmt.level, alias, binding.scope)


def named(evaluator: Evaluator, module: SemanticIndex, dotted: str, level: int, node: ast.AST, scope: Scope) -> Value:
    """Return the value of an imported dotted name: a local module, or a name outside of the project."""
    found = evaluator.program.import_target(module, dotted, level)
    if isinstance(found, str):
        return evaluator.known(Api(mindspore_api.canonical(found)), node, scope)
    return _local(evaluator, found, node, scope)


def _local(evaluator: Evaluator, found: Union[SemanticIndex, Namespace, None], node: ast.AST, scope: Scope) -> Value:
    if isinstance(found, SemanticIndex):
        return evaluator.known(found, found.tree, found.scope)
    return evaluator.known(found, node, scope) if found is not None else TOP


def submodule(evaluator: Evaluator, package: SemanticIndex, name: str) -> Value:
    """Return the module `name` in a package; TOP without one."""
    return _local(evaluator, evaluator.program.names.submodule(package, name), package.tree, package.scope)


def inside(evaluator: Evaluator, namespace: Namespace, name: str, node: ast.AST, scope: Scope) -> Value:
    """Return the member of a local directory without `__init__.py`; without one, of a library of that name."""
    inner = f"{namespace.dotted}.{name}" if namespace.dotted else name
    return named(evaluator, namespace.module, inner, namespace.level, node, scope)


def star(evaluator: Evaluator, name: str, scope: Scope) -> Optional[Value]:
    """Return the value of a name by the star imports of a scope: the last one with it, or each that may run."""
    values = []
    for value, _, is_sure in _from_stars(evaluator, name, scope):
        values.append(value)
        if is_sure:
            break
    return join(values) if values else None


def _from_stars(evaluator: Evaluator, name: str, scope: Scope) -> Iterator[tuple[Value, ast.ImportFrom, bool]]:
    """Yield the value of a name by each star import, the last one first, and whether the import always runs."""
    for stmt, block in reversed(scope.stars):
        reachability = evaluator.reachability(block) if block.parent is not None else BY_DEFAULT
        value = _from_star(evaluator, name, stmt, scope) if reachability != IMPOSSIBLE else None
        if value is not None:
            yield value if reachability == BY_DEFAULT else value.as_non_default(), stmt, block.parent is None


def bound(
    evaluator: Evaluator, name: str, home: Scope, bindings: tuple[Binding, ...], read: Optional[Place] = None
) -> Value:
    """Return the value of a name by bindings and star imports of a scope; `read`: where it is read, in that scope.

    A star import that always runs replaces earlier bindings; a binding that always runs, earlier star imports.
    """
    if not home.stars:
        return evaluator.bindings(bindings, home) if bindings else join(())
    values, first = [], -1
    own = [each for each in bindings if each.scope.owner is home]
    late = [each for each in own if read is not None and never_before(stored(each), read)]
    replacing = [each for each in own if each not in late and is_always_passed(stored(each))]
    for value, stmt, is_sure in _from_stars(evaluator, name, home):
        at = place(stmt, home)
        if at is None or (read is not None and read.rank < at.rank):
            continue
        if any(rank(each) > at.rank for each in replacing):
            break
        values.append(value)
        if is_sure:
            first = at.rank
            break
    left = bindings
    if values:
        left = tuple(each for each in bindings if each not in late and (each not in own or rank(each) > first))
    return join([*values, evaluator.bindings(left, home)]) if left else join(values)


def unbound(evaluator: Evaluator, node: ast.Name, scope: Scope) -> Value:
    """Return the value of a name that the project does not bind: a builtin, or from the one star import left."""
    if node.id in BUILTINS:
        return evaluator.known(Api(f"builtins.{node.id}"), node, scope)
    brought = list(_brought(evaluator, node, scope.module, set())) if not node.id.startswith("_") else []
    return brought[0] if len(brought) == 1 else TOP


def _brought(evaluator: Evaluator, node: ast.Name, module: SemanticIndex, seen: set[SemanticIndex]) -> Iterator[Value]:
    """Yield the values that star imports may give such a name: modules in `__all__`, and names of other packages."""
    seen.add(module)
    for stmt, _ in module.scope.stars:
        source = evaluator.program.import_target(module, stmt.module or "", stmt.level)
        if isinstance(source, SemanticIndex):
            if "__all__" in source.scope.bindings and _is_public(evaluator, source, node.id):
                yield submodule(evaluator, source, node.id)
            yield from _brought(evaluator, node, source, seen) if source not in seen else ()
        elif not isinstance(source, str):
            yield TOP
        elif not mindspore_api.exports(source):
            yield evaluator.known(Api(mindspore_api.canonical(f"{source}.{node.id}")), stmt, module.scope)


def _from_star(evaluator: Evaluator, name: str, stmt: ast.ImportFrom, scope: Scope) -> Optional[Value]:
    if not evaluator.program.names.may_give(scope.module, stmt, name):
        return None
    source = evaluator.program.import_target(scope.module, stmt.module or "", stmt.level)
    if isinstance(source, SemanticIndex):
        value = evaluator.exported(source, name) if _is_public(evaluator, source, name) else TOP
        return value if value.alternatives else None
    if isinstance(source, str) and name in mindspore_api.exports(source):
        return evaluator.known(Api(mindspore_api.canonical(f"{source}.{name}")), stmt, scope)
    return None


def _is_public(evaluator: Evaluator, module: SemanticIndex, name: str) -> bool:
    """Return whether `from module import *` may bind a name: one in `__all__`, or a public one."""
    if "__all__" not in module.scope.bindings:
        return not name.startswith("_")
    if evaluator.program.project.contains(module.path, "__all__."):  # `__all__.extend(...)`
        return True
    found = evaluator.each(evaluator.exported(module, "__all__"))
    return found.open or name in found.constants


def by_call(evaluator: Evaluator, node: ast.Call, scope: Scope, only_top: bool) -> Value:
    """Return the result of `import_module(name, package)`: a module of the program, or a name outside of it.

    `__import__("a.b")` gives `a`: `only_top`.
    """
    given = Signature.named("name", "package").bind(Layer(node, scope)).of("package")
    part = given.part
    own = given.is_default or (part is not None and word_of(part.node) in ("__package__", "__name__"))
    packages = ("",) if own or only_top else evaluator.value(*part).constants if part is not None else ()
    packages = tuple("" if package is None else package for package in packages)
    names = evaluator.value(node.args[0], scope)
    values = [TOP] if names.open or not names.alternatives or not packages else []
    for name, package in product((known.constant for known in names.alternatives), packages):
        if isinstance(name, str) and isinstance(package, str):
            asked = called(name, package)
            dotted = asked.top if only_top else asked.dotted
            values.append(of_program(evaluator, named(evaluator, scope.module, dotted, asked.level, node, scope)))
        else:
            values.append(TOP)
    value = join(values)
    return Value(value.alternatives, value.open, value.overridable or names.overridable)


def of_program(evaluator: Evaluator, value: Value) -> Value:
    """Return a value without modules that the scan for imports missed: their callers are not known."""
    known = tuple(
        k
        for k in value.alternatives
        if not isinstance(k.what, SemanticIndex) or evaluator.program.has_file(k.what.path)
    )
    return Value(known, value.open or len(known) < len(value.alternatives), value.overridable)
