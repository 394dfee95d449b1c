"""The page of `ms-perflint verify`: a table of the variants, with a bar for the time of a step."""

from __future__ import annotations

from ms_perflint.languages import Message, say
from ms_perflint.report.html import head
from ms_perflint.report.html.markup import Markup, tag
from ms_perflint.report.html.rules import tool
from ms_perflint.report.verify import headline, notes, table
from ms_perflint.verify.results import Result

BADGES = {"faster": "large", "changes-loss": "medium", "slower": "medium", "fails": "medium"}  # classes of the style


def page(result: Result, language: str) -> str:
    """Return the whole page; it needs nothing from elsewhere."""
    title = say(Message("What the fixes do, measured"), language)
    body = tag(
        "main",
        tag("p", say(headline(result), language)),
        tag("div", _table(result, language), class_="wide", tabindex="0", role="region", aria_label=title),
        *(tag("p", say(note, language)) for note in notes(result)),
        tag("p", say(Message("Measured on {date}.", date=result.date), language)),
        id="main",
    )
    made = say(Message("Made by"), language)
    foot = tag("footer", tag("p", made, " ", tool()))
    document = tag("html", head(title), tag("body", tag("header", tag("h1", title)), body, foot), lang=language)
    return f"<!doctype html>\n{document}\n"


def _table(result: Result, language: str) -> Markup:
    """Return a row for the unchanged program, and one for each variant."""
    names, *rows = table(result)
    head_row = tag("tr", *(tag("th", say(name, language), scope="col") for name in (*names[:2], "", *names[2:])))
    times = [result.before, *(each.after for each in result.variants)]
    longest = max((time for time in times if time is not None), default=0.0)
    verdicts = ["", *(each.verdict for each in result.variants)]
    lines = [
        tag(
            "tr",
            tag("th", say(row[0], language), scope="row"),
            tag("td", row[1], class_="number"),
            tag("td", _bar(time, longest)),
            *(tag("td", say(cell, language), class_="number") for cell in row[2:-1]),
            tag("td", _badge(verdict, say(row[-1], language))),
        )
        for row, time, verdict in zip(rows, times, verdicts)
    ]
    return tag("table", tag("thead", head_row), tag("tbody", *lines))


def _bar(time: float | None, longest: float) -> Markup | None:
    """Return a bar as long as a step takes, beside the longest one."""
    if time is None or not longest:
        return None
    return tag("meter", max=f"{longest:.4f}", value=f"{time:.4f}", aria_hidden="true")


def _badge(verdict: str, said: str) -> Markup | str:
    return tag("span", said, class_=f"badge {BADGES.get(verdict, 'small')}") if verdict else said
