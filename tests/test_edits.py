"""Edits: what the pages of `layouts` do not show, and layouts that nobody thought of."""

from __future__ import annotations

import ast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from layouts import after, call_of, deleted, inserted, module_of, replaced, unwrapped
from test_layouts import remarks

from ms_perflint.edits import (
    delete_statement,
    import_name,
    insert_after_imports,
    insert_before,
    remove_argument,
    set_argument,
)


def setting(text: str, *, first: bool = False) -> str | None:
    """Return the text with `async_save=True` set in the call of `f`."""
    call = call_of(text)
    return after(call.module, set_argument(call, "async_save", "True", first=first))


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("f(1, 0, 5, 0, True, False)", "f(1, 0, 5, 0, True, True)"),
        ("f(1, 0, 5, 0, True, (\n  False))", "f(1, 0, 5, 0, True, (\n  True))"),
    ],
)
def test_replaces_an_argument_in_its_slot(before: str, expected: str) -> None:
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


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("f(a='b')", "f(a='b', async_save={'c': 'd'})"),
        ("f(a='b', c=\"d\")", 'f(a=\'b\', c="d", async_save={"c": "d"})'),
        ("\"\"\"About.\n\n'a' 'b'.\"\"\"\nf(a='b')", "\"\"\"About.\n\n'a' 'b'.\"\"\"\nf(a='b', async_save={'c': 'd'})"),
        ('x = "a", "b"\nf(async_save=\'b\')', "x = \"a\", \"b\"\nf(async_save={'c': 'd'})"),
        ("f()", 'f(async_save={"c": "d"})'),
    ],
)
def test_writes_the_quotes_of_the_file(before: str, expected: str) -> None:
    call = call_of(before)
    assert after(call.module, set_argument(call, "async_save", '{"c": "d"}')) == expected


def test_removes_a_slot_only_when_no_other_moves_into_it() -> None:
    last, middle = call_of("f(1, 2, keep_checkpoint_max=3)"), call_of("f(1, 2, 3)")
    assert after(last.module, remove_argument(last, "save_checkpoint_seconds")) == "f(1, keep_checkpoint_max=3)"
    assert remove_argument(middle, "save_checkpoint_seconds") is None


@pytest.mark.parametrize(
    ("before", "name", "expected"),
    [
        ("f(**{'b': 1})", "b", None),
        ("f(a, **{'b': 1})", "b", None),
        ("f(a=1\n    ,\n  b=[2]\n)\n", "b", "f(a=1\n)\n"),
        ("f(a=1  # a\n  ,\n  b=2\n  # c\n)\n", "b", "f(a=1  # a\n  # c\n)\n"),
        ("f(a=1\n  ,  # c\n  b=2\n)\n", "b", "f(a=1\n    # c\n)\n"),
        ("f(a=1 ,\n  b=2\n)\n", "b", "f(a=1\n)\n"),
        ("f(a=1 , # c\n  b=2\n)\n", "b", "f(a=1  # c\n)\n"),
        ("f(a=1 , # c\n  b=2,\n)\n", "b", "f(a=1 , # c\n)\n"),
        ("f(\n  a=1 ,\n)\n", "a", "f()\n"),
        ("f(a=1 , b=2\n)\n", "b", "f(a=1\n)\n"),
    ],
)
def test_removes_no_more_and_no_less_than_an_argument(before: str, name: str, expected: str | None) -> None:
    call = call_of(before)
    assert after(call.module, remove_argument(call, name)) == expected


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
@example(text="f(a, c=1\\\n  , d=1)  # end\n", name="d")
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


@pytest.mark.parametrize(
    ("before", "value", "expected"),
    [
        ("return_ = [old for y in z]", "a, b", "return_ = [(a, b) for y in z]"),
        ("x = -old ** 2", "-a", "x = -(-a) ** 2"),
        ("old = 1", "a", None),
        ("x = old", "a +", None),
    ],
)
def test_replaces_an_expression(before: str, value: str, expected: str | None) -> None:
    assert replaced(before, value) == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("x = cast(1, t).real", "x = (1).real"),
        ("x = y if cast(a, t)else z", "x = y if (a)else z"),
        ("x = g(cast(\n    a +\n    b, t))", "x = g(a +\n    b)"),
    ],
)
def test_unwraps_an_expression(before: str, expected: str | None) -> None:
    assert unwrapped(before) == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        # the end of a string is no comment, and what speaks of the file stays on top
        ('a = """\n# b"""\nx = 1\n', 'a = """\n# b"""\nnew()\nx = 1\n'),
        ('if g("""\n# b"""): \\\n  x = 1\n', 'if g("""\n# b"""): \\\n  new(); x = 1\n'),
        ("#!/usr/bin/python\n# about\nx = 1\n", "#!/usr/bin/python\n# about\nnew()\nx = 1\n"),
        ("a\n# one\n\n# two\n# three\nx = 1\n", "a\n# one\n\nnew()\n# two\n# three\nx = 1\n"),
        ("if a:\n    b\n# a\n    # b\n    x = 1\n", "if a:\n    b\n# a\n    new()\n    # b\n    x = 1\n"),
        ("if a:\n    b\n    # b\nx = 1\n", "if a:\n    b\n    # b\nnew()\nx = 1\n"),
    ],
)
def test_inserts_above_the_comments_of_a_statement(before: str, expected: str) -> None:
    assert inserted(before) == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("def g():\n    x = 1\n\n    a\n", "def g():\n    a\n"),
        ("def g():\n    # c\n    x = 1\n\n    a\n", "def g():\n    # c\n\n    a\n"),
        ("a\n\n\nx = 1\n\nb\n", "a\n\n\nb\n"),
        ("a\n\nx = 1", "a"),
        ("if a:\n    b\n\n    x = 1\n\nc\n", "if a:\n    b\n\nc\n"),
    ],
)
def test_deletes_the_blank_lines_that_would_be_too_many(before: str, expected: str) -> None:
    assert deleted(before) == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("a; x = (1,  # c\n  2)\n", "a\n"),  # there is no line for it
        ("if a: x = (1,  # c\n  2)\n", "if a: pass\n"),
        ("if a:\n  x = (1,  # c\n  2)\n", "if a:\n  # c\n  pass\n"),
        ("if a: x = (1,  # noqa\n  2)\n", "if a: pass\n"),
        ("a\n\fx = (1,\n\f  2\n  # c\n )\nb\n", "a\n\f# c\nb\n"),
        ("a\nx = (1, '\u2028', # c\n )\nb\n", "a\n# c\nb\n"),
    ],
)
def test_comments_in_a_statement_that_is_deleted_get_its_lines(before: str, expected: str | None) -> None:
    assert deleted(before) == expected


def test_puts_a_line_above_a_decorator_that_a_backslash_parts_from_its_sign() -> None:
    module = module_of("# c\n@ \\\n a\ndef g(): pass\n")
    assert after(module, insert_after_imports(module, "y")) == "# c\ny\n\n\n@ \\\n a\ndef g(): pass\n"


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


def _inside(before: str) -> tuple[str, str | None]:
    """Return the spelling of `CheckpointConfig` in the last function of a text, and the text with the import."""
    module = module_of(before)
    scope = [each for each in module.scopes if each.is_function][-1]
    spelled, edits = import_name(module, "mindspore.train.CheckpointConfig", scope=scope)
    return spelled, after(module, edits)


@pytest.mark.parametrize(
    ("before", "spelled", "expected"),
    [
        ("def f():\n    import mindspore as ms\n    g()\n", "ms.CheckpointConfig", ""),
        ("def f():\n    import os\n    import mindspore\n    g()\n", "mindspore.CheckpointConfig", ""),
        (
            "def f():\n    from mindspore.train import Model\n    g()\n",
            "CheckpointConfig",
            "def f():\n    from mindspore.train import Model, CheckpointConfig\n    g()\n",
        ),
        (
            "def f():\n    a = 1\n    from mindspore.nn import Dense\n    import os\n\n    g()\n",
            "CheckpointConfig",
            "def f():\n    a = 1\n    from mindspore.nn import Dense\n    import os\n"
            "    from mindspore.train import CheckpointConfig\n\n    g()\n",
        ),
        ("def f():\n    import mindspore as ms\n\n    def g():\n        h()\n", "ms.CheckpointConfig", ""),
        ("class C:\n    def f(self):\n        import mindspore as ms\n        g()\n", "ms.CheckpointConfig", ""),
        # in a `try` without which the file can do, too, and not where the file imports MindSpore in another way then
        (
            "try:\n    import mindspore.nn as nn\n    a = 1\nexcept ImportError:\n    a = 0\ndef f():\n    g()\n",
            "CheckpointConfig",
            "try:\n    import mindspore.nn as nn\n    from mindspore.train import CheckpointConfig\n    a = 1\n"
            "except ImportError:\n    a = 0\ndef f():\n    g()\n",
        ),
        (
            "try:\n    from mindspore import nn\nexcept ImportError:\n    from mindspore import nn\n"
            "def f():\n    g()\n",
            "CheckpointConfig",
            "try:\n    from mindspore import nn\nexcept ImportError:\n    from mindspore import nn\n"
            "from mindspore.train import CheckpointConfig\ndef f():\n    g()\n",
        ),
        # elsewhere as at the top
        ("import mindspore as ms\ndef f():\n    import mindspore\n    g()\n", "ms.CheckpointConfig", ""),
        (
            "from mindspore import nn\ndef f():\n    from mindspore.train import Model\n    g()\n",
            "CheckpointConfig",
            "from mindspore import nn, CheckpointConfig\ndef f():\n    from mindspore.train import Model\n    g()\n",
        ),
        (
            "import os\ndef e():\n    from mindspore import nn\ndef f():\n    g()\n",
            "CheckpointConfig",
            "import os\nfrom mindspore.train import CheckpointConfig\ndef e():\n    from mindspore import nn\n"
            "def f():\n    g()\n",
        ),
        (
            "import os\ndef f():\n    if x:\n        from mindspore import nn\n    g()\n",
            "CheckpointConfig",
            "import os\nfrom mindspore.train import CheckpointConfig\ndef f():\n    if x:\n"
            "        from mindspore import nn\n    g()\n",
        ),
    ],
)
def test_imports_in_the_function_that_imports_mindspore(before: str, spelled: str, expected: str) -> None:
    assert _inside(before) == (spelled, expected or before)


@pytest.mark.parametrize(
    ("before", "version", "spelled", "added"),
    [
        ("import mindspore as ms\n", (1, 8), "ms.CheckpointConfig", ""),
        (
            "import mindspore as ms\n",
            (1, 7),
            "CheckpointConfig",
            "from mindspore.train.callback import CheckpointConfig\n",
        ),
        ("import mindspore.train.callback as C\n", (1, 7), "C.CheckpointConfig", ""),
        ("from mindspore.train import Model", (1, 8), "CheckpointConfig", ", CheckpointConfig"),
        (
            "from mindspore.train import Model\nfrom mindspore.train.callback import LossMonitor",
            (1, 7),
            "CheckpointConfig",
            ", CheckpointConfig",
        ),
    ],
)
def test_spells_a_name_as_the_version_has_it(before: str, version: tuple[int, ...], spelled: str, added: str) -> None:
    module = module_of(before)
    name, edits = import_name(module, "mindspore.train.CheckpointConfig", version=version)
    assert (name, after(module, edits)) == (spelled, before + added)


@pytest.mark.parametrize(
    ("before", "spelled", "expected"),
    [
        (
            "from mindspore import PYNATIVE_MODE, nn\nf(PYNATIVE_MODE)\n",
            "GRAPH_MODE",
            "from mindspore import GRAPH_MODE, nn\n",
        ),
        (
            "import mindspore as m\nfrom mindspore.context import (\n    PYNATIVE_MODE,  # c\n)\nf(PYNATIVE_MODE)\n",
            "GRAPH_MODE",
            "import mindspore as m\nfrom mindspore.context import (\n    GRAPH_MODE,  # c\n)\n",
        ),
        # the name is used again, has another name, or the new one is there
        (
            "from mindspore import PYNATIVE_MODE\nf(PYNATIVE_MODE)\ng(PYNATIVE_MODE)\n",
            "GRAPH_MODE",
            "from mindspore import PYNATIVE_MODE, GRAPH_MODE\n",
        ),
        (
            "from mindspore import PYNATIVE_MODE as P\nf(P)\n",
            "GRAPH_MODE",
            "from mindspore import PYNATIVE_MODE as P, GRAPH_MODE\n",
        ),
        (
            "from mindspore import GRAPH_MODE, PYNATIVE_MODE\nf(PYNATIVE_MODE)\n",
            "GRAPH_MODE",
            "from mindspore import GRAPH_MODE, PYNATIVE_MODE\n",
        ),
    ],
)
def test_imports_a_name_in_the_place_of_another(before: str, spelled: str, expected: str) -> None:
    module = module_of(before)
    old = "P" if " as P" in before else "PYNATIVE_MODE"
    name, edits = import_name(module, "mindspore.GRAPH_MODE", instead=old)
    made = after(module, edits)
    assert (name, made) == (spelled, expected + before[before.index("f(") :])


LONG = f"f({'a' * 80})\n"  # 83 columns, 100 with an argument more
WIDE = "parser.add_argument('--a', help='%s')\n"  # 35 columns more


@pytest.mark.parametrize(
    ("beside", "is_kept"),
    [
        ("", False),
        (WIDE % ("x" * 65), True),
        (WIDE % ("x" * 64), False),
        (WIDE % ("x" * 400), True),  # counts as 120
        (f"# {'x' * 110}\n", False),  # a comment alone
        (f"a = 1  # {'x' * 100}\n", True),
        (f"a = '{'汉' * 48}'\n", True),  # two columns each
    ],
)
def test_a_line_may_become_as_long_as_the_longest_of_its_file(beside: str, is_kept: bool) -> None:
    changed = setting(LONG + beside)
    assert changed is not None
    assert changed.startswith(LONG.replace(")", ", async_save=True)")) is is_kept
