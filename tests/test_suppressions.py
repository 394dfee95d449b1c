"""Comments that switch findings off: their forms, the rows on which they count, and whole files."""

from __future__ import annotations

import ast
import os
import sys

import pytest
from front import TRAIN

from ms_perflint.config.settings import Config
from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.core.source import Source
from ms_perflint.engine import lint
from ms_perflint.index.index_builder import module_of
from ms_perflint.index.suppression_ranges import rows
from ms_perflint.suppressions import Suppressions

PATH = os.path.join(os.sep, "program", "train.py")
CALL = "CheckpointConfig(save_checkpoint_steps=100)"
HIDING = [
    "# noqa",
    "#noqa",
    "# NoQA",
    "# noqa: MSP301",
    "# noqa:MSP301",
    "# noqa: msp301",
    "# noqa: MSP3",
    "# noqa: MSP",  # a code has digits: without, it says "all", as to flake8
    "# noqa: E501, MSP301",
    "# noqa: E501,MSP301,W291",
    "# noqa: E501 MSP301",
    "# noqa: MSP301 the file is read right after",
    "# noqa because the file is read right after",
    "# noqa: MSP301, since we wait",
    "# type: ignore  # noqa: MSP301",
    "# noqa: E501  # noqa: MSP301",
]
OTHERS = [
    "# noqa: E501",
    "# noqa: MSP302",
    "# noqa: MSP3010",
    "# noqa: E501 saves 5 ms",
    "# noqa: E501, M",
    "# see noqa",
    "# flake8: noqa",  # counts on a line of its own
    "# MSP301",
]


def found(text: str) -> list[int]:
    """Return the rows of the findings in a program."""
    report = lint(
        [PATH], Config(root=os.path.dirname(PATH), select=("MSP301",)), Overlay(Nowhere(), {PATH: text.encode()})
    )
    assert not report.problems
    return [finding.place.row for finding in report.findings]


def with_call(text: str, head: str = "") -> str:
    """Return a training program with its checkpoint config written in another way."""
    assert CALL in TRAIN
    return head + TRAIN.replace(CALL, text)


def test_there_is_something_to_hide() -> None:
    assert found(TRAIN) == [8]


@pytest.mark.parametrize("comment", HIDING)
def test_forms_that_hide(comment: str) -> None:
    assert found(with_call(f"{CALL}  {comment}")) == []


@pytest.mark.parametrize("comment", OTHERS)
def test_forms_that_do_not(comment: str) -> None:
    assert found(with_call(f"{CALL}  {comment}")) == [8]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("CheckpointConfig(  # noqa\n        save_checkpoint_steps=1,\n    )", True),
        ("CheckpointConfig(\n        save_checkpoint_steps=1,  # noqa\n    )", False),
        ("CheckpointConfig(\n        save_checkpoint_steps=1,\n    )  # noqa", True),
        ("CheckpointConfig(\n        # noqa\n        save_checkpoint_steps=1)", False),
        ("CheckpointConfig(\n        save_checkpoint_steps=1)  # noqa: MSP301", True),
        ("CheckpointConfig(\n        save_checkpoint_steps=1)  # noqa: E501", False),
        ("(  # noqa\n        CheckpointConfig(\n            save_checkpoint_steps=1\n        )\n    )", True),
        ("(\n        CheckpointConfig(  # noqa\n            save_checkpoint_steps=1\n        )\n    )", True),
        ("(\n        CheckpointConfig(\n            save_checkpoint_steps=1\n        )  # noqa\n    )", False),
        ("(\n        CheckpointConfig(\n            save_checkpoint_steps=1\n        )\n    )  # noqa", True),
        ("\\\n        CheckpointConfig()  # noqa", True),
        ("CheckpointConfig(save_checkpoint_steps=\\\n        1,  # noqa\n        async_save=False)", True),
        ("CheckpointConfig()\n    # noqa", False),
        ("CheckpointConfig()  # noqa\n    other = 1", True),
        ("CheckpointConfig(); other = (1,\n    2)  # noqa", False),
        ("1; config = CheckpointConfig()  # noqa", True),
    ],
)
def test_rows_of_one_statement(text: str, hidden: bool, newline: str) -> None:
    assert (found(with_call(text).replace("\n", newline)) == []) is hidden


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ('CheckpointConfig(exception_save=print("# noqa"))', True),  # flake8 looks at the text of the row too
        ('CheckpointConfig(append_info=["""\n# noqa\n"""])', True),  # ... and at all rows that a string joins
        ('CheckpointConfig(append_info=["""\n""",\n        "# noqa", 1,\n    ])', False),
        ('CheckpointConfig(append_info=[f"""\n{1 +\n1}"""])  # noqa', True),
        ('"""\n# noqa\n"""; config = CheckpointConfig()', True),
        ('"""\n# noqa\n"""\n    config = CheckpointConfig()', False),
    ],
)
def test_strings_count_as_their_rows_do_in_flake8(text: str, hidden: bool) -> None:
    assert (found(with_call(text)) == []) is hidden


# `hit()` is what is reported; the marked rows are those on which a comment speaks about it.
STATEMENTS = {
    "decorator": """
        @hit(  # !
            1,
        )  # !
        def f():
            pass
    """,
    "second decorator": """
        @first
        @hit()  # !
        @last(
            1
        )
        class A:
            pass
    """,
    "with": """
        with open(  # !
            "x",
        ) as x, hit(  # !
            1,
        ) as y:  # !
            # a comment: of the body
            pass
    """,
    "with in parentheses, a comment behind": """
        with (  # !
            hit()  # ! first: this one
            # then: nothing
        ):  # !
            pass
    """,
    "body on the same row": """
        if hit(): pass  # !
    """,
    "if": """
        if (  # !
            a
            or hit()  # !
            # : not here
        ):  # !
            pass
        else:
            pass
    """,
    "elif": """
        if a:
            pass
        elif hit(  # !
            {1: 2}
        ):  # !
            pass
    """,
    "while": """
        while hit(a[1:2]):  # !
            pass
    """,
    "for": """
        for x in hit(  # !
            lambda: 1
        ):  # !
            pass
        else:
            pass
    """,
    "default": """
        def f(  # !
            a: int,
            b: int = hit(),  # !
        ) -> int:  # !
            return 1
    """,
    "base": """
        @other
        class A(  # !
            hit(),  # !
            metaclass=B
        ):  # !
            pass
    """,
    "except": """
        try:
            pass
        except a:
            pass
        except (  # !
            hit(),  # !
            b
        ) as error:  # !
            pass
    """,
    "in the body of a try": """
        try:
            hit()  # !
        finally:
            pass
    """,
    "lambda": """
        x = [  # !
            lambda: hit(),  # !
        ]  # !
    """,
    "async": """
        async def f():
            async with a, hit(  # !
            ):  # !
                pass
    """,
}
MATCH = {
    "subject": """
        match hit(  # !
            1
        ):  # !
            case 1:
                pass
    """,
    "guard": """
        match a:
            case 1:
                pass
            case {"a": 1} if (  # !
                hit()  # !
            ):  # !
                pass
    """,
}


@pytest.mark.parametrize(
    "text",
    [pytest.param(text, id=name) for name, text in STATEMENTS.items()]
    + [
        pytest.param(text, id=name, marks=pytest.mark.skipif(sys.version_info < (3, 10), reason="needs match"))
        for name, text in MATCH.items()
    ],
)
def test_a_header_and_a_decorator_stand_for_themselves(text: str) -> None:
    text = "if True:\n" + text
    module = module_of(Source(PATH, text.encode()))
    (site,) = module.by_word["hit"]
    marked = [row for row, line in enumerate(text.splitlines(), 1) if "# !" in line]
    assert rows(module, site.stmt, site.node.lineno) == tuple(marked)
    module.close()


def test_a_class_without_a_base_ends_at_its_colon() -> None:
    module = module_of(Source(PATH, b"class A: # :\n    x = [\n        hit()\n    ]\n"))
    (stmt,) = module.tree.body
    assert isinstance(stmt, ast.ClassDef)
    assert rows(module, stmt, 1) == (1,)


@pytest.mark.parametrize(
    ("line", "hidden"),
    [
        ("# ms-perflint: disable-file", True),
        ("# ms-perflint: disable-file=MSP301", True),
        ("# ms-perflint: disable-file = MSP301", True),
        ("# ms-perflint: disable-file: MSP301", True),
        ("# ms-perflint: disable-file MSP301", True),
        ("#ms-perflint:disable-file=msp3", True),
        ("# MS-PERFLINT: Disable-File=MSP", True),
        ("# ms-perflint: disable-file=MSP101,MSP301", True),
        ("# ms-perflint: disable-file=MSP101, MSP301 as M. says", True),
        ("# ms-perflint: disable-file=MSP101 MSP301", True),
        ("# ms-perflint: disable-file because nothing is trained", True),
        ("    # ms-perflint: disable-file", True),
        ("x = 1  # ms-perflint: disable-file", True),
        ("# ms-perflint: disable-file=MSP101", False),
        ("# ms-perflint: disable-file=MSP101 as M. says", False),
        ("# ms-perflint: disable-file MSP101", False),
        ("# ms-perflint: disable-file=", False),  # a slip of the pen hides nothing
        ("# ms-perflint: disable-file=synchronous", False),
        ("# ms-perflint: disable-files", False),
        ("# ms-perflint: disable", False),
        ('x = "# ms-perflint: disable-file"', False),
        ('"""\n# ms-perflint: disable-file\n"""', False),
        ("# write `# ms-perflint: disable-file` to hide all", False),
        ("# flake8: noqa", True),
        ("# flake8:noqa", True),
        ("# FLAKE8=NOQA", True),
        ("# flake8: noqa: E501", True),  # flake8 passes such a file over as a whole
        ("if True:\n    # flake8: noqa\n    pass", True),
        ("x = 1  # flake8: noqa", False),
        ('x = "# flake8: noqa"', False),
        ('"""\n# flake8: noqa\n"""', True),  # flake8 looks at lines, not at comments
    ],
)
def test_comments_on_the_whole_file(line: str, hidden: bool) -> None:
    assert (found(TRAIN + line + "\n") == []) is hidden
    assert (found(line.lstrip() + "\n" + TRAIN) == []) is hidden


def test_a_file_that_cannot_be_read_to_its_end_keeps_its_comments() -> None:
    suppressions = Suppressions(Source(PATH, b"# ms-perflint: disable-file=MSP301\nx = 1  # noqa: MSP101\nx = (\n"))
    assert suppressions.hides_file("MSP301")
    assert not suppressions.hides_file("MSP101")
    assert suppressions.on_row(2, "MSP101")
    assert not suppressions.on_row(3, "MSP101")
    assert not suppressions.on_row(99, "MSP101")
