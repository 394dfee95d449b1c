"""Bytes, text and positions of a file."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ms_perflint.findings import Place
from ms_perflint.source import Nowhere, Overlay, Source, SourceError

CYRILLIC = "#!python\n# vim: set fileencoding=koi8-r :\n'ж'\r"


@pytest.mark.parametrize(
    ("raw", "text", "encoding"),
    [
        (CYRILLIC.encode("koi8-r"), CYRILLIC, "koi8-r"),
        (b"", "", "utf-8"),
        ("é = '汉'\r\n".encode(), "é = '汉'\r\n", "utf-8"),
        (b"\xef\xbb\xbf" + "é = 1".encode(), "é = 1", "utf-8"),
        (b"\xef\xbb\xbf# coding: utf-8\na = 1", "# coding: utf-8\na = 1", "utf-8"),
        ("# -*- coding: gbk -*-\n'汉'\n".encode("gbk"), "# -*- coding: gbk -*-\n'汉'\n", "gbk"),
        ("a = 1\nb = 2\n# coding: gbk\n'汉'".encode(), "a = 1\nb = 2\n# coding: gbk\n'汉'", "utf-8"),
    ],
)
def test_decodes_and_encodes_to_the_same_bytes(raw: bytes, text: str, encoding: str) -> None:
    source = Source("/a.py", raw)
    assert (source.text.decode(), source.encoding) == (text, encoding)
    assert source.encode(source.text) == raw


@pytest.mark.parametrize(
    ("raw", "row", "column", "words"),
    [
        (b"a = 1\nb = '\0'\n", 2, 1, "NUL"),
        (b"a = 1\r\nb = '\xff'\n", 2, 6, "not valid utf-8"),
        ("# coding: gbk\n'é'".encode("latin-1"), 2, 2, "not valid gbk"),
        (b"# coding: nonsense\n", 1, 1, "nonsense"),
        (b"\xef\xbb\xbf# coding: gbk\n", 1, 1, "utf-8"),
        (b"\xff\xfea\0", 1, 1, "NUL"),
        (b"# coding: rot13\n", 1, 1, "rot13"),
        (b"# coding: utf-7\n'+2AA-'\n", 1, 1, "utf-7"),
        (b"# coding: undefined\n", 1, 1, "undefined"),
    ],
)
def test_says_where_a_file_cannot_be_decoded(raw: bytes, row: int, column: int, words: str) -> None:
    with pytest.raises(SourceError) as error:
        Source("/a.py", raw)
    assert (error.value.row, error.value.column) == (row, column)
    assert words in error.value.message
    assert "\n" not in error.value.message


def test_says_when_a_text_does_not_fit_the_encoding() -> None:
    with pytest.raises(SourceError, match="cannot be written as iso-8859-1"):
        Source("/a.py", b"# coding: latin-1\n").encode("汉".encode())


@pytest.mark.parametrize(
    ("raw", "newline"),
    [
        (b"a\r\nb\n", "\r\n"),
        (b"a\nb\r\n", "\n"),
        (b"a\rb\r", "\r"),
        (b"a", "\n"),
        (b"", "\n"),
        (b"\n", "\n"),
        (b"\r\n", "\r\n"),
    ],
)
def test_knows_the_newline_of_the_first_line(raw: bytes, newline: str) -> None:
    assert Source("/a.py", raw).newline == newline


def test_counts_columns_in_characters_and_rows_as_python_does() -> None:
    source = Source("/a.py", "é = 1\r\n\f汉 = 2\rx = '\u2028'; y".encode())
    assert source.place(source.text.index(b"=")) == Place("/a.py", 1, 3)
    assert source.place(source.text.index(b"2")) == Place("/a.py", 2, 6)
    assert source.place(source.text.index(b"y")) == Place("/a.py", 3, 10)
    assert source.place(len(source.text)) == Place("/a.py", 3, 11)
    assert [source.line(row) for row in (0, 1, 3, 4)] == [b"", "é = 1".encode(), "x = '\u2028'; y".encode(), b""]


PIECES = ["x = 1", "'é汉'", '"""a\n\r\n😀"""', "# é", "\f", " ", ";", "(\r\n1)", "y"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(["\n", "\r\n", "\r", "; "])), max_size=8))
def test_offsets_agree_with_ast(pieces: list[tuple[str, str]]) -> None:
    text = "".join(piece + end for piece, end in pieces)
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    source = Source("/a.py", text.encode())
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.Name)):
            start = source.offset(node.lineno, node.col_offset)
            end = source.offset(node.end_lineno or 0, node.end_col_offset or 0)
            found = ast.parse(source.text[start:end].decode(), mode="eval").body
            assert ast.dump(found) == ast.dump(node) or isinstance(node, ast.Name)
            assert source.row(start) == node.lineno


@settings(max_examples=300, deadline=None)
@given(
    st.text(alphabet="aé汉😀e\u0301 \t\f\n\r\u2028\x85#", max_size=40),
    st.sampled_from(["", "\ufeff", "# coding: gbk\n", "# coding: utf-8\n"]),
)
def test_every_offset_is_found_again_by_its_place(text: str, head: str) -> None:
    if "gbk" in head:
        text = text.encode("gbk", "ignore").decode("gbk")
    raw = (head + text).encode("gbk" if "gbk" in head else "utf-8")
    source = Source("/a.py", raw)
    assert source.encode(source.text) == raw
    shown = source.text.decode()
    places = []
    for position in range(len(shown) + 1):
        if shown[position - 1 : position + 1] == "\r\n":
            continue  # nothing stands between the two
        offset = len(shown[:position].encode())
        place = source.place(offset)
        assert source.at(place) == offset
        assert source.row(offset) == min(place.row, max(1, len(source.starts) - 1))  # rows end with the last line
        places.append(place)
    assert places == sorted(places)


def test_an_overlay_stands_in_front() -> None:
    files = Overlay(Nowhere(), {"/a/b/c.py": b"1"})
    assert files.read("/a/b/c.py") == b"1"
    assert files.names("/a") == {"b"}
    with pytest.raises(FileNotFoundError):
        files.read("/a/d.py")
