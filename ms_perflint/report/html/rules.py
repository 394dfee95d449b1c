"""The pages of the rules on the page."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping

from ms_perflint import pages, published
from ms_perflint.languages import Message
from ms_perflint.report import Outcome
from ms_perflint.report.html.markup import Markup, tag
from ms_perflint.report.page import markdown
from ms_perflint.version import __version__

TITLE = re.compile(r"\A# [^\n]*\n")
# A link from a page to what stands beside the folder of pages, and one to another page.
OUT = re.compile(r"\[([^\]\n]*)\]\((?:\.\./)+([^)\s]*)\)")
ACROSS = re.compile(r"\[([^\]\n]*)\]\(([A-Z]+[0-9]+)-([a-z0-9-]+)\.md(?:#[^)\s]*)?\)")
EVIDENCE = re.compile(r"^<!-- evidence of \w+ on (?P<devices>[^\n]+), written by [^\n]+ -->$", re.MULTILINE)
NOWHERE = "no device"


def section(names: Mapping[str, str], outcome: Outcome) -> Markup | None:
    """Return the pages of these rules, folded up."""
    if not names:
        return None
    rules = [_rule(code, name, outcome) for code, name in sorted(names.items())]
    return tag("section", tag("h2", outcome.say(Message("Rules"))), *rules, id="rules")


def evidence(code: str, outcome: Outcome, is_short: bool = False) -> Markup | None:
    """Return a badge that says where the effect of a rule was measured; None where its page tells nothing."""
    try:
        found = EVIDENCE.search(pages.page(code).text)
    except pages.PageError:
        return None
    if found is None:
        return None
    devices = found["devices"]
    said = Message("on {devices}", devices=devices)
    if devices == NOWHERE:
        said = Message("not measured")
    elif "Ascend" not in devices:
        said = Message("on {devices}, not on Ascend", devices=devices)
    whole = said if is_short else Message("effect measured: {where}", where=said)
    return tag("span", outcome.say(whole), class_="badge small")


def _rule(code: str, name: str, outcome: Outcome) -> Markup:
    """Return the page of one rule; a link where a rule of another package brings none."""
    try:
        page = pages.page(code, outcome.language)
    except pages.PageError:
        return tag("p", f"{code} {name}", id=code)
    where = tag("a", page.url, href=page.url) if page.url else tag("code", pages.reference(code, name))
    says = Message("Read it on the web") if page.url else Message("Read it in the terminal")
    foot = tag("p", f"{outcome.say(says)}: ", where)
    summary = tag("summary", tag("strong", f"{code} {name}"), f" {page.summary}")
    return tag("details", summary, _text(page), foot, id=code, class_="page")


def tool() -> Markup:
    """Return the name and version of the linter, as a link to its source code where that is published."""
    name = f"ms-perflint {__version__}"
    return tag("a", name, href=published.REPOSITORY) if published.REPOSITORY else tag("span", name)


def _text(page: pages.Page) -> Markup:
    """Return the text of a page; as Markdown, where the extra `html` is not installed."""
    plain = TITLE.sub("", markdown(page)).strip()
    if importlib.util.find_spec("markdown_it") is None:
        return tag("pre", plain)
    from markdown_it import MarkdownIt

    whole = ACROSS.sub(_across, OUT.sub(_out, plain))
    made = MarkdownIt("commonmark", {"html": False}).enable("table").render(whole)
    return tag("div", Markup(_lower(made)))


def _out(link: re.Match[str]) -> str:
    """Return a link into the repository; its text alone until that is published."""
    return f"[{link[1]}]({published.REPOSITORY}/blob/main/{link[2]})" if published.REPOSITORY else link[1]


def _across(link: re.Match[str]) -> str:
    """Return a link to the page of another rule; its text alone until the site is published."""
    page = pages.url(link[2], link[3])
    return f"[{link[1]}]({page})" if page else link[1]


def _lower(made: str) -> str:
    """Return the page with its headings two steps further down, below those of the report."""
    return re.sub(r"<(/?)h([1-4])>", lambda match: f"<{match[1]}h{int(match[2]) + 1}>", made)
