"""Facts that the syntax of a statement or expression tells, without scopes and values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, Optional, Union

TRY: tuple[type[ast.AST], ...] = (ast.Try, ast.TryStar) if hasattr(ast, "TryStar") else (ast.Try,)
PROPERTIES = ("property", "cached_property", "lazy_property")
EXITS = frozenset({"exit", "_exit", "quit"})
_SIGNS = frozenset({"ctx", "op", "ops", "type_ignores"})  # fields with what says nothing by itself
_TEXTS = frozenset({"id", "attr", "arg", "kind", "type_comment", "module", "level", "asname", "simple", "conversion"})
_TEXTS |= {"is_async", "rest", "kwd_attrs", "tag"}
_FIELDS: dict[type, tuple[str, ...]] = {  # those that may hold nodes, by the class of what has them
    kind: tuple(field for field in kind._fields if field not in _SIGNS and field not in _TEXTS)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
_FIELDS.update({ast.Constant: (), ast.Global: (), ast.Nonlocal: ()})
# nodes that may raise an error
FAILING = (ast.Call, ast.Subscript, ast.BinOp, ast.Raise, ast.Assert, ast.Delete, ast.Import, ast.ImportFrom, ast.For)


def children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes right inside of a node, in the order of the source, without signs and contexts."""
    found: list[ast.AST] = []
    for field in _FIELDS.get(type(node), ()):
        value = getattr(node, field, None)
        if type(value) is list:
            found.extend(value if None not in value else [item for item in value if item is not None])
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def descendants(node: ast.AST) -> list[ast.AST]:
    """Return a node and all that are inside of it, the outermost first, without signs and contexts."""
    found = [node]
    for inner in found:  # which grows meanwhile
        found.extend(children(inner))
    return found


def position(node: Any) -> tuple[int, int, int, int]:
    """Return a sort key for the order of the source: where an expression starts, then where it ends."""
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def spelling(node: object) -> str:
    """Return a text that is equal for nodes with the same spelling, and only for these.

    `ast.dump` leaves a cycle of references behind on each call.
    """
    if isinstance(node, ast.AST):
        return f"{type(node).__name__}({', '.join(spelling(getattr(node, field, None)) for field in node._fields)})"
    return f"[{', '.join(map(spelling, node))}]" if isinstance(node, list) else repr(node)


def is_main_guard(node: ast.AST) -> bool:
    """Return whether a statement is `if __name__ == "__main__":`."""
    return isinstance(node, ast.If) and is_main_test(node.test)


def is_main_test(test: ast.expr) -> bool:
    """Return whether a test is `__name__ == "__main__"`."""
    is_equal = isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.Is))
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) and is_equal else []
    return "__name__" in map(name_of, sides) and "__main__" in map(text_of, sides)


class Later(ast.Call):
    """The call of a function that another call leaves for later: `Thread(target=function, args=(1,))`."""

    @staticmethod
    def of(node: ast.Call, word: str) -> Optional[Later]:
        """Return the call that a call of this name leaves for later; None of other calls."""
        slot, name, packed = LEAVE[word]
        words = keywords_of(node)
        function = words.get(name, node.args[slot] if slot < len(node.args) else None)
        if not isinstance(function, (ast.Name, ast.Attribute)):
            return None
        keywords = [each for each in node.keywords if each.arg != name]
        arguments = node.args[slot + 1 :]
        if packed:
            row = words.get("args", next(iter(node.args[packed:]), None))
            named = words.get("kwargs", words.get("kwds", next(iter(node.args[packed + 1 :]), None)))
            shown = [*row.elts] if isinstance(row, (ast.Tuple, ast.List)) else None
            arguments = shown if shown is not None else [ast.Starred(row)] if row is not None else []
            keywords = [ast.keyword(None, named)] if named is not None else []
        return ast.copy_location(Later(function, arguments, keywords), node)


# Calls that call a function later: where they are given it, and which argument holds its own (0: those behind it)
LEAVE = {
    "Thread": (1, "target", 3), "Process": (1, "target", 3), "Timer": (1, "function", 2),
    "start_new_thread": (0, "function", 1), "apply_async": (0, "func", 1), "submit": (0, "fn", 0),
    "callback": (0, "callback", 0), "to_thread": (0, "func", 0), "run_in_executor": (1, "func", 0),
}  # fmt: skip
_LOOKS_UP = ("get", "setdefault")  # methods that give a part of a table


def word_of(node: ast.AST) -> str:
    """Return the last word of a name, an attribute or `x["word"]`; "" for other expressions."""
    kind = type(node)
    if kind is ast.Name:
        return node.id  # type: ignore[attr-defined, no-any-return]
    if kind is ast.Attribute:
        return node.attr  # type: ignore[attr-defined, no-any-return]
    return text_of(node.slice) if isinstance(node, ast.Subscript) else ""


def taken_word(node: ast.AST) -> str:
    """Return `word_of` an expression; of `x.get("word")` and `x.setdefault("word", value)` the key."""
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LOOKS_UP
    return text_of(node.args[0]) if is_call and node.args else word_of(node)  # type: ignore[attr-defined]


def name_of(node: Optional[ast.AST]) -> str:
    """Return the identifier of a name; "" for other expressions."""
    return node.id if isinstance(node, ast.Name) else ""


def path_of(node: Optional[ast.AST]) -> str:
    """Return the dotted name of an object: `name`, `name.attribute`, also for `name["attribute"]`; "" for others.

    Longer names are left out: their objects are rarely known, and evaluating them is expensive.
    """
    words: list[str] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        words.append(word_of(node))
        node = node.value
    words.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(words)) if len(words) <= 2 and all(map(str.isidentifier, words)) else ""


def words_in(node: ast.AST) -> tuple[str, ...]:
    """Return the words of `name.attribute.attribute`; none of other expressions."""
    found: list[str] = []
    while isinstance(node, ast.Attribute):
        found.append(node.attr)
        node = node.value
    return (node.id, *reversed(found)) if isinstance(node, ast.Name) else ()


def names_in(node: ast.AST) -> set[str]:
    """Return the names that stand in a node."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def beginning(node: ast.AST) -> str:
    """Return the text before the first computed part of a text: "layer" of `f"layer{i}"` and `"layer%d" % i`."""
    if isinstance(node, ast.JoinedStr):
        return text_of(node.values[0]) if node.values else ""
    if isinstance(node, ast.BinOp):
        return text_of(node.left).partition("%")[0] if isinstance(node.op, ast.Mod) else beginning(node.left)
    is_format = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format"
    return text_of(node.func.value).partition("{")[0] if is_format else text_of(node)  # type: ignore[attr-defined]


def has_remainder(node: ast.AST) -> bool:
    """Return whether an expression computes a remainder: `i % 100 == 0`."""
    return any(isinstance(each, ast.BinOp) and isinstance(each.op, ast.Mod) for each in ast.walk(node))


def whole_number(node: Optional[ast.AST]) -> Optional[int]:
    """Return the value of a literal whole number; None for other expressions."""
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def object_of(node: ast.AST) -> Optional[ast.expr]:
    """Return the object whose members a mapping is: `x` of `vars(x)` and `x.__dict__`; None for other expressions."""
    if isinstance(node, ast.Attribute):
        return node.value if node.attr == "__dict__" else None
    is_call = isinstance(node, ast.Call) and word_of(node.func) == "vars" and len(node.args) == 1
    return node.args[0] if is_call else None  # type: ignore[attr-defined]


def table_of(node: ast.expr) -> tuple[str, int]:
    """Return the last word of the table in a subscript, and the number of keys: `tables`, 1 for `tables[kind]`."""
    depth = 0
    while True:
        if isinstance(node, ast.Subscript) and not text_of(node.slice):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LOOKS_UP:
            node = node.func.value
        else:
            return word_of(node), depth
        depth += 1


def text_of(node: Optional[ast.AST]) -> str:
    """Return the value of a string literal; "" for other expressions."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def given(call: ast.Call) -> list[ast.expr]:
    """Return all arguments of a call, positional ones first."""
    return [*call.args, *[keyword.value for keyword in call.keywords]]


def keywords_of(call: ast.Call) -> dict[str, ast.expr]:
    """Return the keyword arguments of a call without spread ones, by name."""
    return {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}


def plainly_given(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call without spread ones, positional ones first."""
    plain = [each for each in call.args if not isinstance(each, ast.Starred)]
    return [*plain, *keywords_of(call).values()]


def is_spread(call: ast.Call) -> bool:
    """Return whether a call has `*args` or `**kwargs`."""
    return any(isinstance(each, ast.Starred) for each in call.args) or any(word.arg is None for word in call.keywords)


def targets(stmt: ast.AST) -> Sequence[ast.expr]:
    """Return the targets of an assignment, annotated or not; none for other statements."""
    if isinstance(stmt, ast.AnnAssign):
        return [stmt.target] if stmt.value is not None else []
    return stmt.targets if isinstance(stmt, ast.Assign) else []


def only_target(stmt: Optional[ast.AST]) -> Optional[ast.expr]:
    """Return the target of an assignment with a single one; None for others."""
    found = targets(stmt) if stmt is not None else []
    return found[0] if len(found) == 1 else None


def imported_module(stmt: ast.stmt, alias: ast.alias) -> tuple[str, int]:
    """Return the module that an import statement binds to a name, if it is one: its name, and the dots in front."""
    if not isinstance(stmt, ast.ImportFrom):
        return alias.name, 0
    return f"{stmt.module}.{alias.name}" if stmt.module else alias.name, stmt.level


def run_at_import(tree: ast.Module) -> list[Union[ast.Import, ast.ImportFrom]]:
    """Return the import statements of a file outside of its functions."""
    found: list[Union[ast.Import, ast.ImportFrom]] = []
    todo: list[ast.AST] = [tree]
    for node in todo:  # which grows meanwhile
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found.append(node)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.expr)):
            todo.extend(children(node))
    return found


def imported_packages(stmt: ast.stmt) -> set[str]:
    """Return the first words of the modules that an import statement names; none of a relative one."""
    if isinstance(stmt, ast.ImportFrom):
        return {stmt.module.partition(".")[0]} if stmt.module and not stmt.level else set()
    return {alias.name.partition(".")[0] for alias in stmt.names} if isinstance(stmt, ast.Import) else set()


def imported_name(stmt: ast.AST, alias: ast.alias) -> str:
    """Return the full name of what an import statement binds to a name; "" for a relative one."""
    if isinstance(stmt, ast.ImportFrom):
        return "" if stmt.level else f"{stmt.module}.{alias.name}"
    return alias.name if alias.asname else alias.name.partition(".")[0]


INNER = ("fn", "network", "backbone")  # what the gradient functions and cells of MindSpore call what they are made of


def inner_of(call: ast.Call) -> Optional[ast.expr]:
    """Return the function or network that a call wraps in a gradient function or a cell; None for others."""
    if call.args:
        return None if isinstance(call.args[0], ast.Starred) else call.args[0]
    return next((word.value for word in call.keywords if word.arg in INNER), None)


def inside(node: ast.expr, *words: str) -> ast.expr:
    """Return the first argument inside of nested calls with these last words: `x` of `tqdm(enumerate(x))`."""
    while isinstance(node, ast.Call) and word_of(node.func) in words and node.args:
        node = node.args[0]
    return node


def is_own(node: ast.AST, name: str = "") -> bool:
    """Return whether an expression is an attribute of `self`, with this name if one is given."""
    is_attribute = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return is_attribute and (not name or node.attr == name)  # type: ignore[attr-defined]


def is_decorated(node: ast.AST, *words: str) -> bool:
    """Return whether a function or class has a decorator whose last word is one of these."""
    decorators = getattr(node, "decorator_list", ())
    return any(word_of(each.func if isinstance(each, ast.Call) else each) in words for each in decorators)


def accessed(node: ast.AST) -> Optional[ast.expr]:
    """Return the property to which a function adds an accessor: `x` of `@x.setter`; None for other functions."""
    for decorator in getattr(node, "decorator_list", ()):
        if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter"):
            return decorator.value
    return None


def is_enumeration(node: ast.AST) -> bool:
    """Return whether a class may be an enumeration, by the names of its bases."""
    return any("Enum" in word_of(base) or "Flag" in word_of(base) for base in getattr(node, "bases", ()))


def suppresses(stmt: ast.AST) -> bool:
    """Return whether a `with` may suppress an error of its body: `with suppress(OSError):`.

    A body of names and constants alone raises none.
    """
    managers = (item.context_expr for item in getattr(stmt, "items", ()))
    if not any(isinstance(each, ast.Call) and word_of(each.func) == "suppress" for each in managers):
        return False
    return any(isinstance(node, FAILING) for inner in stmt.body for node in ast.walk(inner))  # type: ignore[attr-defined]


def never_loops(stmt: Union[ast.For, ast.AsyncFor, ast.While]) -> bool:
    """Return whether a loop shows that its body never runs: `while False:`, `for each in []:`."""
    if isinstance(stmt, ast.While):
        return isinstance(stmt.test, ast.Constant) and not stmt.test.value
    return isinstance(stmt.iter, (ast.List, ast.Tuple)) and not stmt.iter.elts


def leaves(stmt: ast.stmt) -> bool:
    """Return whether control never reaches the statement after this one."""
    if isinstance(stmt, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
        return True
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
        return word_of(stmt.value.func) in EXITS
    if isinstance(stmt, ast.If) and stmt.orelse:
        return leaves(stmt.body[-1]) and leaves(stmt.orelse[-1])
    if isinstance(stmt, ast.While):
        return isinstance(stmt.test, ast.Constant) and bool(stmt.test.value) and not any(map(breaks, stmt.body))
    if isinstance(stmt, TRY):
        arms = [stmt.orelse or stmt.body, *(handler.body for handler in stmt.handlers)]  # type: ignore[attr-defined]
        return all(leaves(arm[-1]) for arm in arms) or any(map(leaves, stmt.finalbody[-1:]))  # type: ignore[attr-defined]
    return False


def breaks(stmt: ast.AST) -> bool:
    """Return whether a statement leaves the loop around it by `break`."""
    if isinstance(stmt, (ast.For, ast.AsyncFor, ast.While)):
        return any(map(breaks, stmt.orelse))
    inner = (child for child in children(stmt) if not isinstance(child, ast.expr))
    return isinstance(stmt, ast.Break) or any(map(breaks, inner))


def around(stmt: ast.stmt, node: ast.expr) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield each expression of a statement around a node, outermost first, with its part that holds the node."""
    outer: ast.AST = stmt
    while outer is not node:
        inner = next((part for part in ast.iter_child_nodes(outer) if is_inside(node, part)), None)
        if inner is None:
            return
        yield outer, inner
        outer = inner


def is_inside(node: ast.AST, part: ast.AST) -> bool:
    """Return whether a node stands in the source of a part."""
    if not hasattr(part, "lineno"):
        return any(is_inside(node, inner) for inner in ast.iter_child_nodes(part))
    first, last = position(part), position(node)
    return first[:2] <= last[:2] and last[2:] <= first[2:]
