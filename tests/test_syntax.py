"""Slices: LibCST nodes at the places where they stand in the file."""

from __future__ import annotations

import ast

import libcst as cst
import pytest

from ms_perflint.core.source import Source
from ms_perflint.index.index_builder import module_of
from ms_perflint.syntax import MAX_DEPTH, Slice, TooDeep, parse, parse_site, reads


def slice_of(text: str, encoding: str = "utf-8") -> Slice:
    """Return the slice of the last expression statement."""
    module = module_of(Source("/program/train.py", text.encode(encoding)))
    stmt = module.tree.body[-1]
    assert isinstance(stmt, ast.Expr)
    return parse(module, stmt.value)


class Spans(cst.CSTVisitor):
    """Notes the text of names, strings and calls."""

    def __init__(self, where: Slice) -> None:
        super().__init__()
        self.where = where
        self.texts: list[str] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.Name, cst.SimpleString, cst.Call)):
            start, end = self.where.span(node)
            self.texts.append(self.where.module.source.text[start:end].decode())
        return True


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("g(a, 'b')", "utf-8"),
        ("x = '汉'\r\n\r\ng(\r\n    a,  # é\r\n    'b')\r\n", "utf-8"),
        ("\ufeffé = 1; g(a, 'b')", "utf-8"),
        ("# coding: gbk\nx = '汉'; g(a, 'b')", "gbk"),
        ("\f\ng(\f\n  a, \\\n 'b')", "utf-8"),
        ("x\rg(a,\r  'b')\r", "utf-8"),
        ("g(  # coding: gbk\n  a, 'b')", "utf-8"),
        ("((g)((a), ('b')))", "utf-8"),
    ],
)
def test_spans_are_offsets_in_the_file(text: str, encoding: str) -> None:
    where = slice_of(text, encoding)
    assert isinstance(where.root, cst.Call)
    assert where.span(where.root) == where.module.span(where.node)
    spans = Spans(where)
    where.visit(spans)
    assert spans.texts[1:] == ["g", "a", "'b'"]


@pytest.mark.parametrize(
    "text", ["f(" * MAX_DEPTH + ")" * MAX_DEPTH, "x" + ".f()" * MAX_DEPTH, "+".join(["x"] * 900), "[" * 90 + "]" * 90]
)
def test_refuses_deep_nesting_before_libcst_sees_it(text: str) -> None:
    with pytest.raises(TooDeep):
        slice_of(text)


def test_overflow_in_libcst_is_too_deep() -> None:
    with pytest.raises(TooDeep):
        slice_of("f(" + "'a' " * 2000 + ")").visit(cst.CSTVisitor())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\n", True),
        ("# coding: gbk\nx = '汉'\r\n", True),
        ("x = (\n", False),
        ("x = " + "+".join(["x"] * 900), True),
    ],
)
def test_reads_whole_files(text: str, expected: bool) -> None:
    assert reads(text.encode()) is expected


def test_slices_of_f_strings_come_from_the_tree() -> None:
    module = module_of(Source("/program/train.py", b"x = f'{g( a )}'\n"))
    (site,) = module.sites
    assert isinstance(parse_site(site).root, cst.Call)
    deep = module_of(Source("/program/train.py", ("x = f'{" + "f(" * 100 + ")" * 100 + "}'\n").encode()))
    with pytest.raises(TooDeep):
        parse_site(max(deep.sites, key=lambda site: len(ast.dump(site.node))))
