"""`ms-perflint rule`: the list of rules, and their pages as text, Markdown or JSON."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence

import click

from ms_perflint import pages
from ms_perflint.codes import previews
from ms_perflint.pages import Page
from ms_perflint.report.page import as_json, markdown, render, render_brief
from ms_perflint.report.style import for_output

WIDEST = 100  # longer lines are hard to read


def explain(code: str | None, everything: bool, full: bool, output_format: str, language: str) -> None:
    """Print the page of a rule, in short or full, all pages, or the list of rules. May raise PageError."""
    foreign = _of_another_package(code) if code else None
    if foreign is not None:
        _print(foreign)
        return
    wanted = [pages.find(code)] if code else pages.codes()
    found = [pages.page(each, language) for each in wanted]
    if output_format == "json":
        _print(_json(found))
    elif not code and not everything:
        _print("".join(f"{page.code}  {page.name}: {page.summary}\n" for page in found))
    elif output_format == "markdown":
        _print("\n".join(map(markdown, found)))
    else:
        columns = min(shutil.get_terminal_size().columns, WIDEST)
        whole = full or everything
        texts = (render(page, for_output(), columns) if whole else _brief(page, language, columns) for page in found)
        _page("\n\n".join(texts))


def _brief(page: Page, language: str, columns: int) -> str:
    """Return a page in short for the terminal."""
    return render_brief(page, page.code in previews(), language, for_output(), columns)


def _of_another_package(code: str) -> str | None:
    """Return a line about a rule of another package; None for rules of this package, and for unknown ones."""
    from ms_perflint.check import checks

    if code.upper() in pages.codes():
        return None
    found = (check for check in checks() if code.upper() == check.code and check.code not in pages.codes())
    return next((f"{check.code}  {check.name}: {(check.__doc__ or '').splitlines()[0]}\n" for check in found), None)


def _json(found: Sequence[Page]) -> str:
    """Return pages as JSON, with data of the checks."""
    from ms_perflint.check import checks

    known = {check.code: check for check in checks()}
    return as_json([(page, known.get(page.code)) for page in found])


def _page(text: str) -> None:
    """Show a text in the pager of the terminal; without a terminal, print it."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        _print(text)
        return
    os.environ.setdefault("LESS", "-FRX")  # colours; a text that fits on the screen stays there
    click.echo_via_pager(text)


def _print(text: str) -> None:
    """Print a text as it is."""
    sys.stdout.write(text)
    sys.stdout.flush()
