"""The layouts of a place, and the result of each edit helper on them.

A layout is a call, with `{0}`, `{1}`, `{2}` for its arguments; a surrounding is a file, with `{call}` for the call. The
pages in `layouts/` show every layout in a plain surrounding and every surrounding around a plain layout, to be read by
eye; `test_layouts.py` compares them and checks the whole matrix. After a change of `ms_perflint.edits`:

    python tests/layouts.py            # show what would change on the pages
    python tests/layouts.py --write    # take it over, and read it
"""

from __future__ import annotations

import ast
import difflib
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from layout_settings import page_of_set_setting
from layout_texts import (
    CASTS,
    GIVEN,
    HEADS,
    IMPORTS,
    INNERS,
    LAYOUTS,
    POSITIONS,
    SIMPLE,
    SPECIAL,
    STATEMENTS,
    SURROUNDINGS,
    VALUES,
    Make,
    Section,
)

from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.core.findings import Edit
from ms_perflint.core.source import Source
from ms_perflint.edits import (
    delete_statement,
    import_name,
    insert_after_imports,
    insert_before,
    remove_argument,
    replace_expression,
    set_argument,
    unwrap,
)
from ms_perflint.index import index_builder
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.program.target import Target
from ms_perflint.resolve.project import Project

PAGES = Path(__file__).parent / "layouts"
PATH = "/program/train.py"
API = "mindspore.train.CheckpointConfig"


def write_call(layout: str, arguments: Sequence[str], surrounding: str = "x = {call}\n") -> str:
    """Return a file with a call in this layout and surrounding, indented as it is."""
    head, tail = surrounding.split("{call}")
    lead = head[head.rfind("\n") + 1 :]
    margin = lead[: len(lead) - len(lead.lstrip())]
    first, *rest = layout.split("\n")
    column = lead + first[: first.index("(") + 1]
    aligned = margin + " " * (_width(column) - _width(margin))
    unit = "\t" if "\t" in margin else "    "
    lines = [first]
    for line in rest:
        own = line[len(line) - len(line.lstrip()) :]
        depth = len(line) - len(own)
        if line.startswith("^"):
            lines.append(aligned + line[1:])
        else:
            lines.append((margin + unit * (depth // 4) + " " * (depth % 4) + own) if line else "")
    text = "\n".join(lines)
    for index, argument in enumerate(arguments):
        text = text.replace(f"{{{index}}}", argument)
    return head + text + tail


def _width(text: str) -> int:
    """Return how many columns a text takes."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text.expandtabs(4)
    )


def arity(layout: str) -> int:
    """Return how many arguments a layout has."""
    return sum(f"{{{index}}}" in layout for index in range(3))


def module_of(text: str | bytes) -> SemanticIndex:
    """Return a module of this text."""
    return index_builder.module_of(Source(PATH, _raw(text)))


def call_of(text: str | bytes) -> Call:
    """Return the first call of `f`, as a call of CheckpointConfig."""
    program = Program(Project(Overlay(Nowhere(), {PATH: _raw(text)})), PATH, Target((2, 10, 0)))
    module = program.module(PATH)
    assert module is not None
    site = next(site for site in module.sites if site.word == "f" and isinstance(site.node, ast.Call))
    return Call(site, program, API)


def _raw(text: str | bytes) -> bytes:
    """Return the bytes of a file."""
    return text if isinstance(text, bytes) else text.encode()


def after(module: SemanticIndex, edits: Sequence[Edit] | None) -> str | None:
    """Return the text with the edits made; it must parse."""
    if edits is None:
        return None
    text = module.source.spliced(edits).decode()
    ast.parse(text)
    return text


def appended(text: str, line_length: int = 88) -> str | None:
    """Return the text with `new=True` set in the call of `f`."""
    call = call_of(text)
    return after(call.module, set_argument(call, "new", "True", line_length=line_length))


def prepended(text: str, line_length: int = 88) -> str | None:
    """Return the text with `new=True` set in front of the other arguments."""
    call = call_of(text)
    return after(call.module, set_argument(call, "new", "True", first=True, line_length=line_length))


def without(text: str, name: str) -> str | None:
    """Return the text without the argument `name` of `f`."""
    call = call_of(text)
    return after(call.module, remove_argument(call, name))


TWO_LINES = "if new:\n    new()"
POSITIONAL = ("1", "b=2", "c=3")
NAMED = ("a=1", "b=2", "c=3")
SHOWN = ("one line", "hanging, comma at the end")


def longest(text: str) -> int:
    """Return the width of the longest line."""
    return max(map(_width, text.split("\n")))


def full(make: Callable[[str, int], str | None], text: str) -> Make:
    """Return how an argument is added where the longest line is full."""
    return partial(make, line_length=longest(text))


def page_of_set_argument() -> Iterator[Section]:
    """An argument is added at the end."""
    for name, layout in LAYOUTS.items():
        yield Section(name, write_call(layout, POSITIONAL), (("after", appended),))
    for name, text in SPECIAL.items():
        yield Section(name, text, (("after", appended),))
    for name, layout in LAYOUTS.items():
        text = write_call(layout, POSITIONAL)
        if full(appended, text)(text) != appended(text):
            yield Section(f"{name}: the line is full", text, (("after", full(appended, text)),))
    for name, surrounding in SURROUNDINGS.items():
        for shown in SHOWN:
            yield Section(
                f"{name}: {shown}", write_call(LAYOUTS[shown], POSITIONAL, surrounding), (("after", appended),)
            )
        text = write_call(LAYOUTS["one line"], POSITIONAL, surrounding)
        yield Section(f"{name}: the line is full", text, (("after", full(appended, text)),))


def page_of_set_argument_first() -> Iterator[Section]:
    """An argument is added in front; not in front of positional ones."""
    yield Section("positional", write_call(LAYOUTS["one line"], POSITIONAL), (("after", prepended),))
    for name, layout in LAYOUTS.items():
        yield Section(name, write_call(layout, NAMED), (("after", prepended),))
    for name, layout in LAYOUTS.items():
        text = write_call(layout, NAMED)
        if full(prepended, text)(text) != prepended(text):
            yield Section(f"{name}: the line is full", text, (("after", full(prepended, text)),))


def page_of_set_argument_given() -> Iterator[Section]:
    """An argument that is given gets another value."""
    for name, layout in LAYOUTS.items():
        if arity(layout) == 3:
            yield Section(name, write_call(layout, ("1", "b=2", "new=False")), (("after", appended),))
    for name, text in GIVEN.items():
        yield Section(name, text, (("after", appended),))


def page_of_remove_argument() -> Iterator[Section]:
    """An argument is taken away."""
    for name, layout in LAYOUTS.items():
        made = tuple((f"without {each}", partial(without, name=each)) for each in "abc"[: arity(layout)])
        if made:
            yield Section(name, write_call(layout, NAMED), made)
    for name, text in SPECIAL.items():
        yield Section(name, text, (("without b", partial(without, name="b")),))
    for name, surrounding in SURROUNDINGS.items():
        for shown in SHOWN:
            text = write_call(LAYOUTS[shown], NAMED, surrounding)
            yield Section(f"{name}: {shown}", text, (("without c", partial(without, name="c")),))


def position(text: str, old: str) -> str:
    """Return a file with an expression in a position, indented as its line."""
    head, tail = text.split("{old}")
    line = head[head.rfind("\n") + 1 :]
    margin = line[: len(line) - len(line.lstrip())]
    return head + old.replace("\n", f"\n{margin}") + tail


def replaced(text: str, value: str, name: str = "old") -> str | None:
    """Return the text with `value` for the first name `old`."""
    module = module_of(text)
    nodes = [node for node in ast.walk(module.tree) if isinstance(node, ast.Name) and node.id == name]
    return after(module, replace_expression(module, nodes[0], value))


def cast_in(tree: ast.AST) -> tuple[ast.Call, ast.expr]:
    """Return the first cast, and what it casts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("cast"):
            return node, node.func.value if isinstance(node.func, ast.Attribute) else node.args[0]
    raise AssertionError("no cast")


def unwrapped(text: str) -> str | None:
    """Return the text with what the first cast casts in the place of the cast."""
    module = module_of(text)
    return after(module, unwrap(module, *cast_in(module.tree)))


def statement_in(tree: ast.Module) -> ast.stmt:
    """Return the assignment to `x`."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    return next(stmt for stmt in found if ast.unparse(stmt.targets[0]) == "x")


def deleted(text: str) -> str | None:
    """Return the text without the assignment to `x`."""
    module = module_of(text)
    return after(module, delete_statement(module, statement_in(module.tree)))


def inserted(text: str, line: str = "new()") -> str | None:
    """Return the text with a line in front of the assignment to `x`."""
    module = module_of(text)
    return after(module, insert_before(module, statement_in(module.tree), line))


def below_imports(text: str, line: str = "new()") -> str | None:
    """Return the text with a line below the imports."""
    module = module_of(text)
    return after(module, insert_after_imports(module, line))


def imported(text: str, api: str = API) -> tuple[str, str | None]:
    """Return how an API is written in a file, and the file with the import that this needs."""
    module = module_of(text)
    spelling, edits = import_name(module, api)
    return spelling, after(module, edits)


def statement(place: str, stmt: str) -> str:
    """Return a file with a statement in a place, indented as its line."""
    return position(place.replace("{stmt}", "{old}"), stmt)


def page_of_replace_expression() -> Iterator[Section]:
    """An expression is replaced by another one, in parentheses where it needs them."""
    for name, text in POSITIONS.items():
        values = [value for value in VALUES.values() if (name, value) != ("subscript", "y := z")]  # as of Python 3.10
        made = tuple((value, partial(replaced, value=value)) for value in values)
        yield Section(name, position(text, "old"), made)


def page_of_unwrap() -> Iterator[Section]:
    """Of a cast, what it casts is left."""
    for name, cast in CASTS.items():
        for inner_name, inner in list(INNERS.items())[: 1 if "#" in cast else None]:
            text = position("x = {old} * 2\n", cast.replace("{inner}", inner))
            yield Section(f"{name}: {inner_name}", text, (("after", unwrapped),))
    for name, place in POSITIONS.items():
        for inner in ("y", "y + z"):
            text = position(place, f"cast({inner}, t)")
            yield Section(f"{name}: {inner}", text, (("after", unwrapped),))


def page_of_delete_statement() -> Iterator[Section]:
    """A statement is deleted."""
    for name, place in STATEMENTS.items():
        text = statement(place, SIMPLE["one line"])
        yield Section(name, text, (("after", deleted),))
    for name, stmt in SIMPLE.items():
        for where in ("between", "only statement of a block", "comment behind", "between semicolons"):
            text = statement(STATEMENTS[where], stmt)
            yield Section(f"{name}: {where}", text, (("after", deleted),))


def page_of_insert_before() -> Iterator[Section]:
    """A line is inserted in front of a statement."""
    for name, place in STATEMENTS.items():
        text = statement(place, SIMPLE["one line"])
        yield Section(name, text, (("after", inserted), ("two lines", partial(inserted, line=TWO_LINES))))


def page_of_insert_after_imports() -> Iterator[Section]:
    """A line is inserted below the imports."""
    for name, text in HEADS.items():
        yield Section(name, text, (("after", below_imports),))


def page_of_import_name() -> Iterator[Section]:
    """CheckpointConfig is imported."""
    for name, text in [*IMPORTS.items(), *((f"head: {name}", text) for name, text in HEADS.items())]:
        yield Section(name, text, ((f"after, written `{imported(text)[0]}`", lambda text: imported(text)[1]),))


PAGE: Mapping[str, Callable[[], Iterator[Section]]] = {
    "set_argument": page_of_set_argument,
    "set_argument_first": page_of_set_argument_first,
    "set_argument_given": page_of_set_argument_given,
    "remove_argument": page_of_remove_argument,
    "replace_expression": page_of_replace_expression,
    "unwrap": page_of_unwrap,
    "delete_statement": page_of_delete_statement,
    "insert_before": page_of_insert_before,
    "set_setting": page_of_set_setting,
    "insert_after_imports": page_of_insert_after_imports,
    "import_name": page_of_import_name,
}


def page(name: str) -> str:
    """Return a page as it is read: what cannot be seen in a text has a sign, ⇥ ␌ ␍, and ␃ where no line end is."""
    parts = [f"# {name}: {(PAGE[name].__doc__ or '').strip()}\n"]
    for section in PAGE[name]():
        parts.append(f"\n== {section.title}\n{_visible(section.before)}")
        for title, make in section.made:
            text = make(section.before)
            parts.append(f"-- {title}\n{_visible(text)}" if text is not None else f"-- {title}: no edit\n")
    return "".join(parts)


def _visible(text: str) -> str:
    """Return a text with signs for what cannot be seen, ending with a line end."""
    for char, sign in (("\t", "⇥\t"), ("\f", "␌"), ("\r", "␍")):
        text = text.replace(char, sign)
    return text if text.endswith("\n") else f"{text}␃\n"


def difference(name: str) -> str:
    """Return what would change on a page; "" where nothing would."""
    path = PAGES / f"{name}.txt"
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = old.split("\n"), page(name).split("\n")
    return "\n".join(difflib.unified_diff(*lines, f"{path.name} now", "then", lineterm=""))


def main(write: bool) -> int:
    """Show what changes on the pages, or write them; return the exit code."""
    changed = {name: shown for name in PAGE if (shown := difference(name))}
    for name, shown in changed.items():
        if write:
            (PAGES / f"{name}.txt").write_text(page(name), encoding="utf-8")
        else:
            print(shown)
    return 1 if changed and not write else 0


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv[1:]))
