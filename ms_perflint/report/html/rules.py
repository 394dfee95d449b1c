"""The pages of the rules on the page."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping

from ms_perflint import pages
from ms_perflint.languages import Message
from ms_perflint.report import Outcome
from ms_perflint.report.html.markup import Markup, tag
from ms_perflint.report.page import markdown

HOME = "https://github.com/mindspore-lab/ms-perflint"
TITLE = re.compile(r"\A# [^\n]*\n")
OUT = re.compile(r"\]\((?:\.\./)+")  # a link from a page to what stands beside the folder of pages
ACROSS = re.compile(r"\]\(([A-Z]+[0-9]+)-([a-z0-9-]+)\.md\)")  # from one page to another
EVIDENCE = re.compile(r"^<!-- evidence of \w+ on (?P<devices>[^\n]+), written by [^\n]+ -->$", re.MULTILINE)
NOWHERE = "no device"


def section(names: Mapping[str, str], outcome: Outcome) -> Markup | None:
    """Return the pages of these rules, folded up."""
    if not names:
        return None
    rules = [_rule(code, name, outcome) for code, name in sorted(names.items())]
    return tag("section", tag("h2", outcome.say(Message("Rules"))), *rules, id="rules")


def evidence(code: str, outcome: Outcome) -> Markup | None:
    """Return a badge that says where the effect of a rule was measured; None where its page tells nothing."""
    try:
        found = EVIDENCE.search(pages.page(code).text)
    except pages.PageError:
        return None
    if found is None:
        return None
    devices = found["devices"]
    said = Message("effect measured on {devices}", devices=devices)
    if devices == NOWHERE:
        said = Message("effect not measured")
    elif "Ascend" not in devices:
        said = Message("effect measured on {devices}, not on Ascend", devices=devices)
    return tag("span", outcome.say(said), class_="badge small")


def _rule(code: str, name: str, outcome: Outcome) -> Markup:
    """Return the page of one rule; a link where a rule of another package brings none."""
    try:
        page = pages.page(code, outcome.language)
    except pages.PageError:
        return tag("p", f"{code} {name}", id=code)
    web = tag("p", f"{outcome.say(Message('Read it on the web'))}: ", tag("a", page.url, href=page.url))
    summary = tag("summary", tag("strong", f"{code} {name}"), f" {page.summary}")
    return tag("details", summary, _text(page), web, id=code, class_="page")


def _text(page: pages.Page) -> Markup:
    """Return the text of a page; as Markdown, where nobody has installed what makes HTML of it (extra `html`)."""
    plain = TITLE.sub("", markdown(page)).strip()
    if importlib.util.find_spec("markdown_it") is None:
        return tag("pre", plain)
    from markdown_it import MarkdownIt

    whole = OUT.sub(f"]({HOME}/blob/main/", plain)
    whole = ACROSS.sub(lambda match: f"]({pages.url(match[1], match[2])})", whole)
    made = MarkdownIt("commonmark", {"html": False}).enable("table").render(whole)
    return tag("div", Markup(_lower(made)))


def _lower(made: str) -> str:
    """Return the page with its headings two steps further down, below those of the report."""
    return re.sub(r"<(/?)h([1-4])>", lambda match: f"<{match[1]}h{int(match[2]) + 1}>", made)
