"""Layouts: what an edit makes of the text. The goldens are meant to be read by eye."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from ms_perflint.findings import Edit
from ms_perflint.fixing import splice
from ms_perflint.programs.program import Program
from ms_perflint.programs.site import Call
from ms_perflint.programs.target import Target
from ms_perflint.semantics.module import Module
from ms_perflint.semantics.project import Project
from ms_perflint.source import Nowhere, Overlay, Source

PATH = "/program/train.py"


def module_of(text: str) -> Module:
    """Return a module of this text."""
    return Module(Source(PATH, text.encode()))


def call_of(text: str) -> Call:
    """Return the first call of `f`, as a call of CheckpointConfig."""
    program = Program(Project(Overlay(Nowhere(), {PATH: text.encode()})), PATH, Target((2, 10, 0)))
    module = program.module(PATH)
    assert module is not None
    site = next(site for site in module.sites if site.word == "f" and isinstance(site.node, ast.Call))
    return Call(site, program, "mindspore.train.CheckpointConfig")


def after(module: Module, edits: Sequence[Edit] | None) -> str | None:
    """Return the text with the edits made; it must parse."""
    if edits is None:
        return None
    text = splice(module.source, edits).decode()
    ast.parse(text)
    return text


def setting(text: str, *, first: bool = False, line_length: int = 88) -> str | None:
    """Return the text with `async_save=True` set in the call of `f`."""
    call = call_of(text)
    return after(call.module, set_argument(call, "async_save", "True", first=first, line_length=line_length))


ADDED = {
    "empty": ("f()", "f(async_save=True)"),
    "empty with blanks": ("f(  )", "f(async_save=True)"),
    "empty over two lines": ("x = f(\n)\n", "x = f(\n    async_save=True\n)\n"),
    "empty with a comment": ("if a:\n  f(\n    # none\n  )\n", "if a:\n  f(\n    # none\n    async_save=True\n  )\n"),
    "empty with a backslash": ("f(\\\n)", "f(\\\n    async_save=True\n)"),
    "one line": ("f(a, b=1)  # why\n", "f(a, b=1, async_save=True)  # why\n"),
    "no line end": ("f(a)", "f(a, async_save=True)"),
    "trailing comma on one line": ("f(a,)", "f(a, async_save=True,)"),
    "hanging": ("f(\n    a,\n    b=1\n)", "f(\n    a,\n    b=1,\n    async_save=True\n)"),
    "hanging with trailing comma": ("f(\n    a,\n    b=1,\n)", "f(\n    a,\n    b=1,\n    async_save=True,\n)"),
    "hanging, closed on the last line": ("f(\n    a,\n    b=1)", "f(\n    a,\n    b=1,\n    async_save=True)"),
    "hanging, several to a line": ("f(\n    a, b=1\n)", "f(\n    a, b=1, async_save=True\n)"),
    "aligned": ("x = f(a,\n      b=1)", "x = f(a,\n      b=1,\n      async_save=True)"),
    "commas in front": ("f(a\n  , b\n  )", "f(a\n  , b, async_save=True\n  )"),
    "tabs": ("if a:\n\tf(\n\t\ta,\n\t)\n", "if a:\n\tf(\n\t\ta,\n\t\tasync_save=True,\n\t)\n"),
    "tabs, empty": ("if a:\n\tf(\n\t)\n", "if a:\n\tf(\n\t\tasync_save=True\n\t)\n"),
    "comment behind the last": ("f(\n    a,\n    b  # b\n)", "f(\n    a,\n    b,  # b\n    async_save=True\n)"),
    "comment behind the last comma": ("f(\n    a,  # a\n)", "f(\n    a,  # a\n    async_save=True,\n)"),
    "comment below the last": (
        "f(\n    a,  # a\n    # c=1,\n)",
        "f(\n    a,  # a\n    async_save=True,\n    # c=1,\n)",
    ),
    "comment on the line of the bracket": (
        "x = f(a, b  # b\n     )",
        "x = f(a, b,  # b\n      async_save=True\n     )",
    ),
    "comments between": ("f(a,  # a\n  b  # b\n  )", "f(a,  # a\n  b,  # b\n  async_save=True\n  )"),
    "comma below a comment": ("f(\n    a  # a\n    ,\n)", "f(\n    a  # a\n    ,\n    async_save=True,\n)"),
    "backslash": ("f(a, \\\n  b \\\n  )", "f(a, \\\n  b,\n  async_save=True \\\n  )"),
    "last over several lines": (
        "f(a, dict(\n    b=1,\n))\n",
        "f(a, dict(\n    b=1,\n), async_save=True)\n",
    ),
    "own brackets": ("(f)((a), (b) )", "(f)((a), (b), async_save=True )"),
    "brackets with a comment": (
        "f(\n    (a  # a\n    )  # b\n)",
        "f(\n    (a  # a\n    ),  # b\n    async_save=True\n)",
    ),
    "generator in brackets": ("f((a for a in b))", "f((a for a in b), async_save=True)"),
    "inside another call": ("g(f(a), b)", "g(f(a, async_save=True), b)"),
    "call inside": ("f(g(a))", "f(g(a), async_save=True)"),
    "method": ("m.f(a).g()", "m.f(a, async_save=True).g()"),
    "decorator": ("@f(a)\ndef g(): pass", "@f(a, async_save=True)\ndef g(): pass"),
    "lambda": ("g = lambda: f(a)", "g = lambda: f(a, async_save=True)"),
    "semicolons": ("a; f(b); c", "a; f(b, async_save=True); c"),
    "strings with signs": ('f(\'(,#\', """#\n""")', 'f(\'(,#\', """#\n""", async_save=True)'),
    "wide characters before": ("é = '汉字'; f('ü')", "é = '汉字'; f('ü', async_save=True)"),
    "form feed": ("\f\nx = 1\n\f\nf(a)\n", "\f\nx = 1\n\f\nf(a, async_save=True)\n"),
    "starred": ("f(*a)", None),
    "double starred": ("f(a, **b)", None),
    "bare generator": ("f(a for a in b)", None),
    "f-string": ("f'{f(a)}'", None),
}


@pytest.mark.parametrize(("before", "expected"), ADDED.values(), ids=list(ADDED))
def test_adds_an_argument_in_the_layout_of_the_call(before: str, expected: str | None) -> None:
    assert setting(before) == expected


@pytest.mark.parametrize(("before", "expected"), ADDED.values(), ids=list(ADDED))
def test_keeps_the_line_ends_of_windows(before: str, expected: str | None) -> None:
    windows = setting(before.replace("\n", "\r\n"))
    assert windows == (expected and (expected.replace("\n", "\r\n") if "\n" in before else expected))


def test_wraps_under_the_first_argument_when_the_line_would_be_too_long() -> None:
    assert setting("config = f(save_steps, keep_max)\n", line_length=40) == (
        "config = f(save_steps, keep_max,\n           async_save=True)\n"
    )
    assert setting("config = f(save_steps, keep_max)\n", line_length=49) == (
        "config = f(save_steps, keep_max, async_save=True)\n"
    )


def test_wraps_behind_tabs_and_wide_characters() -> None:
    assert setting("if a:\n\tx = f('汉', b)\n", line_length=20) == "if a:\n\tx = f('汉', b,\n\t      async_save=True)\n"
    assert setting("x['汉'] = f(b)\n", line_length=20) == "x['汉'] = f(b,\n            async_save=True)\n"


FIRST = {
    "one line": ("f(a=1)", "f(async_save=True, a=1)"),
    "empty": ("f()", "f(async_save=True)"),
    "hanging": ("f(\n    a=1,\n    b=2\n)", "f(\n    async_save=True,\n    a=1,\n    b=2\n)"),
    "hanging, one": ("f(\n    a=1,\n)", "f(\n    async_save=True,\n    a=1,\n)"),
    "hanging, several to a line": ("f(\n    a=1, b=2\n)", "f(\n    async_save=True, a=1, b=2\n)"),
    "aligned": ("x = f(a=1,\n      b=2)", "x = f(async_save=True, a=1,\n      b=2)"),
    "below a comment": ("f(  # all\n    a=1,\n)", "f(  # all\n    async_save=True,\n    a=1,\n)"),
    "above a comment": ("f(\n    # a\n    a=1,\n)", "f(\n    async_save=True,\n    # a\n    a=1,\n)"),
    "positional": ("f(a)", None),
}


@pytest.mark.parametrize(("before", "expected"), FIRST.values(), ids=list(FIRST))
def test_adds_an_argument_in_front(before: str, expected: str | None) -> None:
    assert setting(before, first=True) == expected


def test_wraps_in_front() -> None:
    assert setting("x = f(alpha=1, beta=2)", first=True, line_length=30) == (
        "x = f(async_save=True,\n      alpha=1, beta=2)"
    )


REPLACED = {
    "keyword": ("f(a, async_save = False, b=1)", "f(a, async_save = True, b=1)"),
    "keyword beside stars": ("f(*a, async_save=False, **b)", "f(*a, async_save=True, **b)"),
    "in brackets": ("f(async_save=(False))", "f(async_save=(True))"),
    "slot": ("f(1, 0, 5, 0, True, False)", "f(1, 0, 5, 0, True, True)"),
    "slot in brackets over lines": ("f(1, 0, 5, 0, True, (\n  False))", "f(1, 0, 5, 0, True, (\n  True))"),
    "with a comment beside": ("f(\n  async_save=False,  # no\n)", "f(\n  async_save=True,  # no\n)"),
    "with a comment inside": ("f(async_save=a or  # no\n  b)", None),
    "f-string": ("f'{f(async_save=False)}'", None),
}


@pytest.mark.parametrize(("before", "expected"), REPLACED.values(), ids=list(REPLACED))
def test_replaces_an_argument_in_place(before: str, expected: str | None) -> None:
    assert setting(before) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a if b else c", "f(x, async_save=a if b else c)"),
        ("a, b", "f(x, async_save=(a, b))"),
        ("a := b", "f(x, async_save=(a := b))"),
        ("{'a': {'b': None}}", "f(x, async_save={'a': {'b': None}})"),
    ],
)
def test_puts_a_new_value_in_brackets_where_it_needs_them(value: str, expected: str) -> None:
    call = call_of("f(x)")
    assert after(call.module, set_argument(call, "async_save", value)) == expected


REMOVED = {
    "only": ("f(b=1)", "f()"),
    "only, with comma": ("f(\n    b=1,\n)", "f()"),
    "only, with a comment": ("f(\n    b=1,  # b\n)", None),
    "last": ("f(a, b=1)", "f(a)"),
    "last, with comma": ("f(a, b=1,)", "f(a,)"),
    "first": ("f(b=1, c=2)", "f(c=2)"),
    "middle": ("f(a, b=1, c=2)", "f(a, c=2)"),
    "own brackets": ("f(a=(1), b=(2), c=(3))", "f(a=(1), c=(3))"),
    "own line": ("f(\n    a,\n    b=1,  # b\n    c=2\n)", "f(\n    a,\n    c=2\n)"),
    "own last line": ("f(\n    a,  # a\n    b=1\n)", "f(\n    a  # a\n)"),
    "last line, closed there": ("f(a,\n  b=1)", "f(a)"),
    "last line below a comment": ("f(a,  # a\n  b=1)", "f(a  # a\n  )"),
    "line end": ("f(a, b=1,\n  c=2)", "f(a,\n  c=2)"),
    "line end with a comment": ("f(a, b=1,  # b?\n  c=2)", None),
    "last before a comment": ("f(a, b=1  # end\n  )", "f(a  # end\n  )"),
    "beside stars": ("f(*a, b=1, **c)", "f(*a, **c)"),
    "absent": ("f(a)", None),
    "f-string": ("f'{f(b=1)}'", None),
}


@pytest.mark.parametrize(("before", "expected"), REMOVED.values(), ids=list(REMOVED))
def test_removes_an_argument(before: str, expected: str | None) -> None:
    call = call_of(before)
    assert after(call.module, remove_argument(call, "b")) == expected


def test_removes_a_slot_only_when_no_other_moves_into_it() -> None:
    last, middle = call_of("f(1, 2, keep_checkpoint_max=3)"), call_of("f(1, 2, 3)")
    assert after(last.module, remove_argument(last, "save_checkpoint_seconds")) == "f(1, keep_checkpoint_max=3)"
    assert remove_argument(middle, "save_checkpoint_seconds") is None


GAPS = st.sampled_from(["", " ", "\n    ", "\n\t", "  # n, (é\n    ", "\n  # own\n  ", "\\\n  ", "\r\n"])
VALUES = st.sampled_from(
    ["1", "(a)", "'é#,('", "g(x, y)", "x if y else z", "lambda: 0", '"""d\n#"""', "[1,\n 2]", "((汉),)"]
)


@st.composite
def calls(draw: st.DrawFn) -> str:
    """Return a program with one call of `f`, in any layout."""
    values = draw(st.lists(VALUES, max_size=3))
    names = draw(st.lists(st.sampled_from(["b", "c", "d"]), max_size=3, unique=True))
    items = values + [f"{name}{draw(GAPS)}={draw(GAPS)}{draw(VALUES)}" for name in names]
    inside = draw(GAPS)
    for position, item in enumerate(items):
        comma = position + 1 < len(items) or draw(st.booleans())
        inside += item + draw(GAPS) + ("," if comma else "") + draw(GAPS)
    front = draw(st.sampled_from(["", "é = '汉'; ", "if a:\n\t", "\f\nif a:\n   x = ", "# c\r\n"]))
    return f"{front}f({inside})  # end\n"


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


@settings(max_examples=300, deadline=None)
@given(text=calls(), first=st.booleans())
def test_adds_exactly_one_argument_and_steals_no_comment(text: str, first: bool) -> None:
    made = setting(text, first=first)
    expected = ast.parse(text)
    call = next(node for node in ast.walk(expected) if isinstance(node, ast.Call) and ast.unparse(node.func) == "f")
    if first and call.args:
        assert made is None
        return
    call.keywords.insert(0 if first else len(call.keywords), ast.keyword("async_save", ast.Constant(True)))
    assert made is not None
    assert ast.dump(ast.parse(made)) == ast.dump(expected)
    assert remarks(made) == remarks(text)


@settings(max_examples=300, deadline=None)
@given(text=calls(), name=st.sampled_from(["b", "c", "d"]))
def test_removes_exactly_one_argument(text: str, name: str) -> None:
    call = call_of(text)
    made = after(call.module, remove_argument(call, name))
    expected = ast.parse(text)
    node = next(node for node in ast.walk(expected) if isinstance(node, ast.Call) and ast.unparse(node.func) == "f")
    node.keywords = [word for word in node.keywords if word.arg != name]
    if made is not None:
        assert ast.dump(ast.parse(made)) == ast.dump(expected)
    elif call.given(name) is not None:
        assert "#" in text  # only a comment may stand in the way


def replaced(text: str, value: str, name: str = "old") -> str | None:
    """Return the text with `value` for the first name `old`."""
    module = module_of(text)
    nodes = [node for node in ast.walk(module.tree) if isinstance(node, ast.Name) and node.id == name]
    return after(module, replace_expression(module, nodes[0], value))


@pytest.mark.parametrize(
    ("before", "value", "expected"),
    [
        ("x = old", "a + b", "x = a + b"),
        ("x = old * 2", "a + b", "x = (a + b) * 2"),
        ("x = old.y", "1", "x = (1).y"),
        ("x = -old ** 2", "-a", "x = -(-a) ** 2"),
        ("x = old if y else z", "a if b else c", "x = (a if b else c) if y else z"),
        ("x = not old", "not a", "x = not not a"),
        ("f(old)", "a for a in b", "f(a for a in b)"),
        ("f(old, c)", "a for a in b", "f((a for a in b), c)"),
        ("f(old)", "a, b", "f((a, b))"),
        ("f(*old)", "a or b", "f(*a or b)"),
        ("x[old]", "a, b", "x[a, b]"),
        ("return_ = [old for y in z]", "a, b", "return_ = [(a, b) for y in z]"),
        ("def g():\n    return(old)if y else 1", "a", "def g():\n    return(a)if y else 1"),
        ("class A(B):\n\tx = 1 if(old)else 2", "a", "class A(B):\n\tx = 1 if(a)else 2"),
        (
            "if a:\n  pass\nelif old == 1:\n  pass\nelse:\n  pass",
            "b == c",
            "if a:\n  pass\nelif (b == c) == 1:\n  pass\nelse:\n  pass",
        ),
        ("if a:\n  @old.g\n  class C: pass", "b", "if a:\n  @b.g\n  class C: pass"),
        ("f'{old}'", "a", None),
        ("old = 1", "a", None),
        ("x = old", "a +", None),
    ],
)
def test_replaces_an_expression_with_brackets_where_it_needs_them(
    before: str, value: str, expected: str | None
) -> None:
    assert replaced(before, value) == expected


def unwrapped(text: str) -> str | None:
    """Return the text with the first `cast(x, t)` replaced by its `x`."""
    module = module_of(text)
    nodes = [node for node in ast.walk(module.tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "cast"]
    return after(module, unwrap(module, nodes[0], nodes[0].args[0]))


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("x = cast(a, t)", "x = a"),
        ("x = cast(a + b, t) * 2", "x = (a + b) * 2"),
        ("x = cast((a + b), t) * 2", "x = (a + b) * 2"),
        ("x = cast((a + b) * c, t)", "x = (a + b) * c"),
        ("x = cast(\n    a +\n    b, t)", "x = (a +\n    b)"),
        ("x = g(cast(\n    a +\n    b, t))", "x = g(a +\n    b)"),
        ("x = cast(g(a,  # a\n  b), t)", "x = g(a,  # a\n  b)"),
        ("x = cast(a,  # a\n  t)", None),
        ("x = cast(1, t).real", "x = (1).real"),
        ("x = y if cast(a, t)else z", "x = y if (a)else z"),
        ("x = f'{cast(a, t)}'", None),
    ],
)
def test_unwraps_an_expression(before: str, expected: str | None) -> None:
    assert unwrapped(before) == expected


def target(module: Module) -> ast.stmt:
    """Return the assignment to `x`."""
    found = [node for node in ast.walk(module.tree) if isinstance(node, ast.Assign)]
    return next(stmt for stmt in found if ast.unparse(stmt.targets[0]) == "x")


@pytest.mark.parametrize(
    ("before", "deleted", "inserted"),
    [
        ("a\nx = 1  # x\nb\n", "a\nb\n", "a\ny\nx = 1  # x\nb\n"),
        ("a\r\nx = 1\r\n", "a\r\n", "a\r\ny\r\nx = 1\r\n"),
        ("a\nx = 1", "a", "a\ny\nx = 1"),
        ("x = 1", "", "y\nx = 1"),
        ("x = (1,  # one\n     2)\nb\n", "b\n", "y\nx = (1,  # one\n     2)\nb\n"),
        ("if a:\n\tx = 1  # x\n", "if a:\n\tpass\n", "if a:\n\ty\n\tx = 1  # x\n"),
        (
            "if a:\n    b\n    x = 1;\nelse:\n    c\n",
            "if a:\n    b\nelse:\n    c\n",
            "if a:\n    b\n    y\n    x = 1;\nelse:\n    c\n",
        ),
        ("if a: x = 1\n", "if a: pass\n", "if a: y; x = 1\n"),
        ("if a: x = 1; b  # b\n", "if a: b  # b\n", "if a: y; x = 1; b  # b\n"),
        ("a; x = 1  # both\n", "a  # both\n", "a; y; x = 1  # both\n"),
        ("a; x = 1; b\n", "a; b\n", "a; y; x = 1; b\n"),
        ("a; \\\n  x = 1\nb\n", "a\nb\n", "a; \\\n  y; x = 1\nb\n"),
        ("try:\n  a\nexcept E:\n  x = 1\n", "try:\n  a\nexcept E:\n  pass\n", "try:\n  a\nexcept E:\n  y\n  x = 1\n"),
        (
            "def f():\n    'd'\n    # why\n    x = 1\n",
            "def f():\n    'd'\n    # why\n",
            "def f():\n    'd'\n    # why\n    y\n    x = 1\n",
        ),
    ],
)
def test_deletes_and_inserts_statements(before: str, deleted: str, inserted: str) -> None:
    module = module_of(before)
    assert after(module, delete_statement(module, target(module))) == deleted
    assert after(module, insert_before(module, target(module), "y")) == inserted


def test_leaves_compound_statements_and_elif_alone() -> None:
    module = module_of("if a:\n    b\nelif c:\n    d\n")
    first = module.tree.body[0]
    assert isinstance(first, ast.If)
    assert delete_statement(module, first) is None
    assert insert_before(module, first.orelse[0], "y") is None


def test_inserts_above_decorators() -> None:
    module = module_of("if a:\n    @b\n    def f(): pass\n")
    first = module.tree.body[0]
    assert isinstance(first, ast.If)
    assert after(module, insert_before(module, first.body[0], "y")) == "if a:\n    y\n    @b\n    def f(): pass\n"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("'''d'''\nimport a\nb = 1\n", "'''d'''\nimport a\n\ny()\nb = 1\n"),
        ("'''d'''\nb = 1\n", "'''d'''\n\ny()\nb = 1\n"),
        ("from __future__ import annotations\nb = 1", "from __future__ import annotations\n\ny()\nb = 1"),
        ("#!/usr/bin/python\nb = 1\n", "#!/usr/bin/python\ny()\nb = 1\n"),
        ("import a", "import a\n\ny()"),
        ("# c", "# c\ny()"),
        ("", "y()\n"),
        (
            "import a\nimport sys\nsys.path.append('.')\nimport b  # b\n\n\ndef f(): pass\nimport c\n",
            "import a\nimport sys\nsys.path.append('.')\nimport b  # b\n\ny()\n\n\ndef f(): pass\nimport c\n",
        ),
        (
            "try:\n    import a\nexcept ImportError:\n    a = None\nb\n",
            "try:\n    import a\nexcept ImportError:\n    a = None\n\ny()\nb\n",
        ),
        ("import a; b(\n)\nc\n", "import a; b(\n)\n\ny()\nc\n"),
        ("import a; \\\nimport b\nc\n", "import a; \\\nimport b\n\ny()\nc\n"),
    ],
)
def test_inserts_below_the_imports(before: str, expected: str) -> None:
    module = module_of(before)
    assert after(module, insert_after_imports(module, "y()")) == expected


CONFIG = "mindspore.train.CheckpointConfig"


@pytest.mark.parametrize(
    ("before", "api", "spelled"),
    [
        ("import mindspore as ms", CONFIG, "ms.CheckpointConfig"),
        ("import mindspore.nn", CONFIG, "mindspore.CheckpointConfig"),
        ("from mindspore.train.callback import CheckpointConfig as CC", CONFIG, "CC"),
        ("from mindspore.train import callback", CONFIG, "callback.CheckpointConfig"),
        ("from mindspore.train.callback import *", CONFIG, "CheckpointConfig"),
        ("import mindspore as ms\nfrom mindspore import context", "mindspore.GRAPH_MODE", "context.GRAPH_MODE"),
        ("from mindspore.context import ParallelMode as P", "mindspore.ParallelMode.DATA_PARALLEL", "P.DATA_PARALLEL"),
        ("try:\n    import mindspore as ms\nexcept ImportError:\n    raise", CONFIG, "ms.CheckpointConfig"),
    ],
)
def test_spells_a_name_with_the_imports_there_are(before: str, api: str, spelled: str) -> None:
    assert import_name(module_of(before), api) == (spelled, ())


@pytest.mark.parametrize(
    ("before", "spelled", "expected"),
    [
        (
            "from mindspore.train.callback import LossMonitor  # l\n",
            "CheckpointConfig",
            "from mindspore.train.callback import LossMonitor, CheckpointConfig  # l\n",
        ),
        (
            "from mindspore.train import (\n    Model,  # m\n    LossMonitor as LM,\n)\n",
            "CheckpointConfig",
            "from mindspore.train import (\n    Model,  # m\n    LossMonitor as LM,\n    CheckpointConfig,\n)\n",
        ),
        (
            "from mindspore.train import (Model)\n",
            "CheckpointConfig",
            "from mindspore.train import (Model, CheckpointConfig)\n",
        ),
        (
            "from mindspore.train import Model, \\\n    LossMonitor\n",
            "CheckpointConfig",
            "from mindspore.train import Model, \\\n    LossMonitor, CheckpointConfig\n",
        ),
        (
            "from mindspore.train.callback import ModelCheckpoint, LossMonitor, TimeMonitor, Callback\n",
            "CheckpointConfig",
            "from mindspore.train.callback import (ModelCheckpoint, LossMonitor, TimeMonitor, Callback,\n"
            "                                      CheckpointConfig)\n",
        ),
        (
            "import os\nimport mindspore.nn as nn\nimport src\nos.x()\n",
            "CheckpointConfig",
            "import os\nimport mindspore.nn as nn\nimport src\nfrom mindspore.train import CheckpointConfig\nos.x()\n",
        ),
        (
            "import mindspore as ms\ndef f(ms): pass\n",
            "CheckpointConfig",
            "import mindspore as ms\nfrom mindspore.train import CheckpointConfig\ndef f(ms): pass\n",
        ),
        (
            "from mindspore import nn\nclass CheckpointConfig: pass\n",
            "mindspore.train.CheckpointConfig",
            "from mindspore import nn\nimport mindspore\nclass CheckpointConfig: pass\n",
        ),
        ("'''d'''\nx = 1\n", "CheckpointConfig", "'''d'''\n\nfrom mindspore.train import CheckpointConfig\nx = 1\n"),
    ],
)
def test_imports_a_name(before: str, spelled: str, expected: str) -> None:
    module = module_of(before)
    name, edits = import_name(module, CONFIG)
    assert (name, after(module, edits)) == (spelled, expected)
