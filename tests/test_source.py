"""Bytes, text and positions of a file."""

from __future__ import annotations

import ast
import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ms_perflint
from ms_perflint.config.settings import Config
from ms_perflint.core.files import FOLDERS, Disk, Nowhere, Overlay
from ms_perflint.core.findings import Edit, Place
from ms_perflint.core.fingerprints import Recorder, renewed
from ms_perflint.core.source import Source, SourceError
from ms_perflint.engine import lint
from ms_perflint.fixes.fixing import settle
from ms_perflint.resolve.project import Project

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


LINE_ENDS = [
    (b"a\r\nb\n", 0, "x\r\n"),
    (b"a\r\nb\n", 3, "x\n"),
    (b"a\nb\r\n", 0, "x\n"),
    (b"a\nb\r\n", 2, "x\r\n"),
    (b"a\rb\nc\n", 0, "x\r"),
    (b"a\rb\nc\n", 2, "x\n"),
    (b"a\nb\rc\n", 2, "x\r"),
    (b"a\rb\r", 2, "x\r"),
    (b"a\rb\r", 4, "x\r"),  # below the last line
    (b"a\r\nb", 3, "x\r\n"),  # a line without an end: as the one above
    (b"a\rb", 3, "x\r"),
    (b"a", 0, "x\n"),
    (b"", 0, "x\n"),
    (b"\n", 0, "x\n"),
    (b"\r\n", 0, "x\r\n"),
]


@pytest.mark.parametrize(("raw", "offset", "expected"), LINE_ENDS)
def test_what_is_inserted_has_the_line_end_of_its_line(raw: bytes, offset: int, expected: str) -> None:
    source = Source("/a.py", raw)
    assert source.worded(Edit("/a.py", offset, offset, "x\n")) == expected
    assert source.worded(Edit("/a.py", offset, offset, "x")) == "x"


JOINING = [
    (b"a\rb\n", 2, 2, "\nx", b"a\r\rxb\n"),  # `\r` and `\n` would be one line end
    (b"a\nb\rc\n", 2, 5, "x\n", b"a\nx\n\n"),
    (b"a\rb\n\n", 2, 3, "x\n", b"a\rx\n\n\n"),
]


@pytest.mark.parametrize(("raw", "start", "end", "text", "expected"), JOINING)
def test_no_new_kind_of_line_end_comes_to_be(raw: bytes, start: int, end: int, text: str, expected: bytes) -> None:
    assert Source("/a.py", raw).edited([Edit("/a.py", start, end, text)]) == expected


@pytest.mark.parametrize("first", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("then", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("at", range(1, 7))
def test_fixes_of_mixed_files_make_no_new_kind_of_line_end(first: str, then: str, at: int) -> None:
    lines = [
        "import mindspore as ms", "from mindspore import nn, ops", "class Net(nn.Cell):", "    def construct(self, x):",
        "        y = ops.cast(x, ms.float32)", "        y = ops.cast(y, ms.float32)", "", "        return y", "",
        "ms.Model(Net()).train(1, [])", "",
    ]  # fmt: skip
    text = "".join(line + (first if number < at else then) for number, line in enumerate(lines))
    path = os.path.join(os.sep, "program", "train.py")
    files = Overlay(Nowhere(), {path: text.encode()})
    config = Config(os.path.dirname(path), select=("ALL",))
    settled = settle(lambda over: lint([path], config, over), files, config, unsafe=True)
    after = settled.changes[0].after.decode()
    assert {finding.code for finding in settled.fixed} >= {"MSP101", "MSP203"}
    assert {*re.findall("\r\n|\n|\r", after)} <= {*re.findall("\r\n|\n|\r", text)}


def test_a_cell_of_a_notebook_keeps_its_line_ends() -> None:
    cells = [{"cell_type": "code", "source": ["a = 1\r\n", "b = 2"]}, {"cell_type": "code", "source": "c = 3\nd = 4"}]
    source = Source("/a.ipynb", json.dumps({"cells": cells}).encode())
    ends = [source.worded(Edit("/a.ipynb", source.text.index(name), 0, "x\n")) for name in (b"a", b"b", b"c", b"d")]
    assert ends == ["x\r\n", "x\r\n", "x\n", "x\n"]


COOKIES = [
    "ascii", "us-ascii", "ASCII", "US_ASCII", "646", "ansi_x3.4-1968", "iso646-us", "ascii-unix", "latin-1", "L1",
    "iso-8859-1-dos", "cp1252", "utf-8", "utf8", "utf_8-sig", "utf-8-unix", "gbk", "utf-16", "utf-16-le", "utf-32",
    "hex", "klingon",
]  # fmt: skip


@pytest.mark.parametrize("cookie", COOKIES)
@pytest.mark.parametrize("above", ["", "#!/usr/bin/python\n", "\ufeff", "\ufeff# first\n", "\n\n"])
@pytest.mark.parametrize("line", ["x = 1", "x = 'é'", "x = '\udce9'"])
def test_reads_what_python_reads(cookie: str, above: str, line: str) -> None:
    raw = f"{above}# -*- coding: {cookie} -*-\n{line}\n".encode(errors="surrogateescape")
    try:
        compile(raw, "a.py", "exec")
    except (SyntaxError, ValueError, LookupError):
        with pytest.raises(SourceError):
            Source("/a.py", raw)
    else:
        assert Source("/a.py", raw).edited(()) == raw


def test_says_where_a_text_is_no_ascii() -> None:
    with pytest.raises(SourceError) as error:
        Source("/a.py", "# coding: us-ascii\nx = 'é'\n".encode())
    assert str(error.value) == "the file is not valid us-ascii: bad byte at offset 24"
    assert (error.value.row, error.value.column) == (2, 6)


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


NAMES = frozenset(
    {"a.py", "b.py", "requirements.txt", "dev-requirements-gpu.txt", "notes.txt", "tools", ".git", "__pycache__"}
)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (("a.py", "c.py", "tools"), {"a.py", "tools"}),
        (("*.py",), {"a.py", "b.py"}),
        (("*.py", "*.txt", "a.py"), {"a.py", "b.py", "requirements.txt", "dev-requirements-gpu.txt", "notes.txt"}),
        (("*requirements*.txt",), {"requirements.txt", "dev-requirements-gpu.txt"}),
        (("*requirements.txt",), {"requirements.txt"}),
        (("*.txt*.txt", "*.p*.py"), set()),
        ((), set()),
        (("*/*.py",), {"tools/c.py"}),
        (("*/*.sh", "*/*/*.py"), {"tools/run.sh", "tools/inner/d.py"}),
        (("*/c.py", "b.py"), {"tools/c.py", "b.py"}),
    ],
)
def test_names_are_asked_for(asked: tuple[str, ...], found: set[str], tmp_path: Path) -> None:
    inside = (
        "tools/c.py",
        "tools/run.sh",
        "tools/inner/d.py",
        "tools/inner/deep/e.py",
        ".git/f.py",
        "__pycache__/g.py",
    )
    for name in (*(name for name in NAMES if "." in name[1:]), *inside):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert Disk().named(str(tmp_path), *asked) == {name.replace("/", os.sep) for name in found}


@pytest.mark.parametrize(
    ("inside", "is_part"),
    [
        ("other/setup.cfg", True),
        ("other/pyproject.toml", True),
        ("other/.gitignore", True),
        ("other/.git", False),  # of a work tree
        ("other/.git/HEAD", False),
        ("other/pyvenv.cfg", False),
        ("other/conda-meta/history", False),
    ],
)
def test_what_is_below_does_not_hold_other_clones_and_environments(inside: str, is_part: bool, tmp_path: Path) -> None:
    files = Recorder(Disk())
    for name in ("src/a.py", "other/lib/b.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    both = {os.path.join("src", "a.py"), os.path.join("other", "lib", "b.py")}
    assert files.named(str(tmp_path), "**/*.py") == both
    (tmp_path / inside).parent.mkdir(exist_ok=True)
    (tmp_path / inside).touch()
    assert all(renewed(each, Disk()) for each in files.fingerprints) is is_part
    assert (Disk().named(str(tmp_path), "**/*.py") == both) is is_part


@pytest.mark.parametrize(
    ("leads_to", "is_part"),
    [
        ("gitdir: ../.git/modules/other\n", True),
        ("gitdir: /src/.git/modules/lib/modules/other\n", True),
        ("gitdir: /src/.git/worktrees/other\n", False),
        ("../.git/modules/other\n", False),
        ("", False),
    ],
)
def test_submodules_are_part_of_what_is_around(leads_to: str, is_part: bool, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".git").write_text(leads_to, encoding="utf-8")
    (tmp_path / "other" / "b.py").touch()
    assert Disk().named(str(tmp_path), "**/*.py") == ({os.path.join("other", "b.py")} if is_part else set())
    assert Project(Disk()).imports.is_root(str(tmp_path / "other")) is not is_part


def test_a_collection_of_folders_is_not_searched(tmp_path: Path) -> None:
    for number in range(FOLDERS + 1):
        assert len(Disk().named(str(tmp_path), "*/*.py")) == number
        (tmp_path / f"part{number}").mkdir()
        (tmp_path / f"part{number}" / "a.py").touch()
    assert not Disk().named(str(tmp_path), "*/*.py")
    assert Disk().named(str(tmp_path), "part1") == {"part1"}


@pytest.mark.parametrize("folder", ["src", "v1.0", "yolo-5.1", "r1.8_final", "1.10", "model.v2"])
@pytest.mark.parametrize("asked", ["*/*.py", "**/*.py"])
def test_folders_may_have_a_version_in_their_names(folder: str, asked: str, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "train.py").touch()
    (tmp_path / "weights.h5").touch()  # a file, which has none in it
    assert Disk().named(str(tmp_path), asked) == {os.path.join(folder, "train.py")}


def test_files_with_a_number_make_no_collection(tmp_path: Path) -> None:
    for number in range(FOLDERS + 1):
        (tmp_path / f"rows.tfrecord-{number}").touch()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").touch()
    assert Disk().named(str(tmp_path), "*/*.py", "*/") == {os.path.join("src", "a.py")}


def test_nothing_asks_for_all_names_of_a_directory() -> None:
    """An answer that hangs on them would not outlast a file that appears beside the project."""
    package = Path(ms_perflint.__file__).parent
    asking = {path for path in package.rglob("*.py") if "._listing(" in path.read_text(encoding="utf-8")}
    assert asking == {
        package / name
        for name in (
            "core/files.py",
            "core/fingerprints.py",
            "server/linting.py",
            "since/states.py",
        )
    }


def test_an_overlay_stands_in_front() -> None:
    files = Overlay(Nowhere(), {"/a/b/c.py": b"1"})
    assert files.read("/a/b/c.py") == b"1"
    assert files.named("/a", "b", "c.py", "*/*.py") == {"b", os.path.join("b", "c.py")}
    with pytest.raises(FileNotFoundError):
        files.read("/a/d.py")
