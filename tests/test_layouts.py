"""Every edit helper in every layout: the pages that were read by eye, and what must hold whatever they say."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Callable

import layouts
import pytest
from layout_texts import LAYOUTS, SURROUNDINGS, Section
from layouts import NAMED, PAGE, PAGES, POSITIONAL, arity, write_call

TRUE = ast.Constant(True)


@pytest.mark.parametrize("name", PAGE)
def test_a_page_shows_what_is_made(name: str) -> None:
    """Where it does not: `python tests/layouts.py`, and read the difference."""
    assert not layouts.difference(name)


def test_there_is_no_page_without_a_helper() -> None:
    assert sorted(path.stem for path in PAGES.iterdir()) == sorted(PAGE)


# --- what holds in every section of every page


def comments(text: str) -> list[str]:
    """Return the comments of a text."""
    tokens = tokenize.generate_tokens(io.StringIO(text, newline="").readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def remarks(text: str) -> list[tuple[str, str]]:
    """Return each comment behind code, with the code token it follows; commas do not count."""
    found, last, row = [], "", 0
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        if token.type == tokenize.COMMENT and token.start[0] == row:
            found.append((last, token.string))
        elif token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            row = token.end[0]
            last = last if token.string == "," else token.string
    return found


def call_in(tree: ast.AST) -> ast.Call:
    """Return the call of `f`."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return next(call for call in calls if ast.unparse(call.func).split(".")[-1] == "f")


def exchanged(tree: ast.Module, old: ast.AST, new: ast.AST) -> ast.Module:
    """Return the tree with one node in the place of another."""

    class Exchange(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else self.generic_visit(node)

    return ast.fix_missing_locations(Exchange().visit(tree))


def with_argument(text: str, title: str, place: int | None = None) -> ast.Module:
    """Return the tree with `new=True` in the call of `f`, behind its keywords or at a place among them."""
    tree = ast.parse(text)
    call = call_in(tree)
    given = [word for word in call.keywords if word.arg == "new"]
    if given:
        given[0].value = TRUE
    else:
        call.keywords.insert(len(call.keywords) if place is None else place, ast.keyword("new", TRUE))
    return tree


def without_argument(text: str, title: str) -> ast.Module:
    """Return the tree without the argument that the title ends with."""
    tree = ast.parse(text)
    call = call_in(tree)
    call.keywords = [word for word in call.keywords if word.arg != title.split()[-1]]
    return tree


def with_value(text: str, title: str) -> ast.Module:
    """Return the tree with the value that the title is for the name `old`."""
    tree = ast.parse(text)
    old = next(node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "old")
    return exchanged(tree, old, ast.parse(f"({title})", mode="eval").body)


def without_cast(text: str, title: str) -> ast.Module:
    """Return the tree with what the cast casts in its place."""
    tree = ast.parse(text)
    return exchanged(tree, *layouts.cast_in(tree))


def block_of(tree: ast.Module) -> tuple[ast.AST, list[ast.stmt], int]:
    """Return the statement with the assignment to `x` in its block, the block, and its index there."""
    stmt = layouts.statement_in(tree)
    for parent in ast.walk(tree):
        for _, value in ast.iter_fields(parent):
            if isinstance(value, list) and any(each is stmt for each in value):
                return parent, value, value.index(stmt)
    raise AssertionError


def without_statement(text: str, title: str) -> ast.Module:
    """Return the tree without the assignment to `x`, with `pass` where it was alone."""
    tree = ast.parse(text)
    parent, block, index = block_of(tree)
    block[index : index + 1] = [ast.Pass()] if len(block) == 1 and parent is not tree else []
    return tree


def with_statement(text: str, title: str) -> ast.Module:
    """Return the tree with the inserted lines in front of the assignment to `x`."""
    tree = ast.parse(text)
    _, block, index = block_of(tree)
    block[index:index] = ast.parse("new()" if title == "after" else layouts.TWO_LINES).body
    return tree


WANTED: dict[str, Callable[[str, str], ast.Module]] = {
    "set_argument": with_argument,
    "set_argument_first": lambda text, title: with_argument(text, title, 0),
    "set_argument_given": with_argument,
    "remove_argument": without_argument,
    "replace_expression": with_value,
    "unwrap": without_cast,
    "delete_statement": without_statement,
    "insert_before": with_statement,
}


@pytest.mark.parametrize("name", WANTED)
def test_the_tree_is_what_it_should_be(name: str) -> None:
    for section in PAGE[name]():
        for title, make in section.made:
            made = make(section.before)
            if made is not None:
                wanted = WANTED[name](section.before, title)
                assert ast.dump(ast.parse(made)) == ast.dump(wanted), (section.title, title)


@pytest.mark.parametrize("name", [name for name in PAGE if name != "set_setting"])  # that is no Python
def test_comments_stay_behind_what_they_speak_of(name: str) -> None:
    for section in PAGE[name]():
        for title, make in section.made:
            made = make(section.before)
            if made is None:
                continue
            if name == "remove_argument":
                lost = without_argument_rows(section.before, title)
            elif name == "delete_statement":
                lost = ["# c", "# c1"]  # at its end
            elif name in ("set_argument_given", "import_name"):  # behind what was changed: they stay where they are
                lost = []
            else:
                assert remarks(made) == remarks(section.before), section.title
                lost = []
            before, left = Counter(comments(section.before)), Counter(comments(made))
            assert not left - before, section.title
            assert set(before - left) <= set(lost), (section.title, title)


def without_argument_rows(text: str, title: str) -> list[str]:
    """Return the comments on the lines of the argument that the title ends with."""
    word = next(word for word in call_in(ast.parse(text)).keywords if word.arg == title.split()[-1])
    rows = text.split("\n")[word.value.lineno - 1 : word.value.end_lineno]
    return [row[row.index("#") :] for row in rows if "#" in row]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("name", PAGE)
def test_the_line_ends_of_the_file_are_kept(name: str, end: str) -> None:
    if (name, end) == ("set_setting", "\r"):
        return  # a shell does not end lines there
    for section in PAGE[name]():
        for title, make in section.made:
            made = make(section.before)
            other = make(section.before.replace("\n", end))
            if "\n" in section.before.rstrip("\n") or made is None:
                assert other == (made and made.replace("\n", end)), (section.title, title)


@pytest.mark.parametrize("name", PAGE)
def test_no_line_ends_in_new_blanks(name: str) -> None:
    for section in PAGE[name]():
        before = {line for line in section.before.split("\n") if line != line.rstrip(" \t")}
        for title, make in section.made:
            made = make(section.before) or ""
            assert {line for line in made.split("\n") if line != line.rstrip(" \t")} <= before, (section.title, title)


@pytest.mark.parametrize("name", ["set_argument", "set_argument_first", "set_argument_given", "import_name"])
def test_what_is_there_is_not_made_again(name: str) -> None:
    for section in PAGE[name]():
        for title, make in section.made:
            made = make(section.before)
            if made is not None:
                assert make(made) == made, (section.title, title)


@pytest.mark.parametrize("name", ["insert_after_imports", "import_name"])
def test_all_that_was_there_stays_in_its_order(name: str) -> None:
    for section in PAGE[name]():
        ((title, make),) = section.made
        made = make(section.before) or ""
        left = [stmt for stmt in ast.parse(made).body if ast.unparse(stmt) not in NEW]
        for stmt in left:
            if isinstance(stmt, ast.ImportFrom) and "CheckpointConfig" not in section.before:
                stmt.names = [alias for alias in stmt.names if alias.name != "CheckpointConfig"]
        assert [ast.dump(stmt) for stmt in left] == [ast.dump(stmt) for stmt in old_body(section)], section.title
        if name == "import_name":
            first = title.split("`")[1].split(".")[0]
            assert first in made or "import *" in made


NEW = ("new()", "from mindspore.train import CheckpointConfig", "import mindspore")


def old_body(section: Section) -> list[ast.stmt]:
    """Return the statements that were there; an import that was there before does not count as new."""
    return [stmt for stmt in ast.parse(section.before).body if ast.unparse(stmt) not in NEW]


# --- the whole matrix


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_call_can_stand_anywhere(layout: str) -> None:
    """What becomes of a call does not depend on what is around it; all else stays byte for byte."""
    for name, surrounding in SURROUNDINGS.items():
        head, tail = surrounding.split("{call}")
        text = write_call(LAYOUTS[layout], POSITIONAL, surrounding)
        try:
            ast.parse(text)
        except SyntaxError:
            assert name == "f-string"  # before Python 3.12 without comments and backslashes
            continue
        made = layouts.appended(text)
        if name == "f-string":
            assert made is None
            continue
        assert made is not None, name
        assert ast.dump(ast.parse(made)) == ast.dump(with_argument(text, "")), name
        assert made.startswith(head) and made.endswith(tail), name
        assert comments(made) == comments(text) and remarks(made) == remarks(text), name
        assert layouts.appended(made) == made, name


@pytest.mark.parametrize("layout", [name for name, layout in LAYOUTS.items() if arity(layout)])
def test_an_argument_can_be_taken_from_a_call_anywhere(layout: str) -> None:
    possible = {}
    for name, surrounding in SURROUNDINGS.items():
        head, tail = surrounding.split("{call}")
        text = write_call(LAYOUTS[layout], NAMED, surrounding)
        try:
            ast.parse(text)
        except SyntaxError:
            continue
        for each in "abc"[: arity(LAYOUTS[layout])]:
            made = layouts.without(text, each)
            if name == "f-string":
                assert made is None
                continue
            assert possible.setdefault(each, made is not None) == (made is not None), name
            if made is not None:
                assert ast.dump(ast.parse(made)) == ast.dump(without_argument(text, each)), name
                assert made.startswith(head) and made.endswith(tail), name
                assert layouts.without(made, each) is None, name
