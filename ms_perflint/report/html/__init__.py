"""One page for a meeting about performance: it needs nothing from elsewhere, and reads without scripts too.

Findings come with the largest expected gain first, then the programs with their facts, then the pages of the rules.
"""

from __future__ import annotations

import base64
import hashlib
import os
from functools import cache

from ms_perflint import __version__
from ms_perflint.findings import SIZES
from ms_perflint.report import Outcome
from ms_perflint.report.html.findings import Ranked, article, ranked
from ms_perflint.report.html.markup import Markup, tag
from ms_perflint.report.html.programs import section as program_section
from ms_perflint.report.html.rules import HOME
from ms_perflint.report.html.rules import section as rule_section
from ms_perflint.report.root import below, root_of
from ms_perflint.report.summary import statistics


def render(outcome: Outcome) -> str:
    """Return the whole page."""
    root = root_of(outcome.files)
    programs = tuple(outcome.programs())
    found = ranked(outcome, programs, root)
    entries = [below(facts.entry, root) for facts in programs]
    body = tag(
        "main",
        _numbers(outcome, len(programs)),
        _problems(outcome, root),
        _rules_table(outcome),
        _findings(found, entries, outcome, root),
        program_section(programs, root),
        rule_section({each.finding.code: each.finding.name for each in found}, outcome.language),
        id="main",
    )
    title = f"{os.path.basename(root) or root}: what makes training slow"
    page = [tag("a", "To the findings", href="#findings", class_="skip"), _head_line(title), body, _foot()]
    script = tag("script", Markup(_part("script.js")))
    document = tag("html", _head(title), tag("body", *page, script), lang=outcome.language)
    return f"<!doctype html>\n{document}\n"


def _head(title: str) -> Markup:
    """Return the head: nothing but the style and the script below may have an effect, whatever a file's text is."""
    allowed = f"style-src {_hash('style.css')}; script-src {_hash('script.js')}"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Markup(_part("style.css"))),
    )


def _head_line(title: str) -> Markup:
    return tag("header", tag("h1", title), tag("nav", *_links(), aria_label="Parts of the report"))


def _links() -> list[Markup]:
    return [tag("a", name, href=f"#{name.lower()}") for name in ("Findings", "Programs", "Rules")]


def _foot() -> Markup:
    return tag("footer", tag("p", "Made by ", tag("a", f"ms-perflint {__version__}", href=HOME), "."))


def _numbers(outcome: Outcome, programs: int) -> Markup:
    """Return what was found, in numbers."""
    numbers = [
        ("findings", len(outcome.findings)),
        ("mended by --fix", sum(map(outcome.mends, outcome.findings))),
        ("more by --unsafe-fixes", sum(map(outcome.could_mend, outcome.findings))),
        ("training programs", programs),
        ("files read", len(outcome.files)),
    ]
    if outcome.fixed is not None:
        numbers.insert(1, ("fixed in this run", len(outcome.fixed)))
    return tag("dl", *(tag("div", tag("dd", str(count)), tag("dt", name)) for name, count in numbers), class_="numbers")


def _problems(outcome: Outcome, root: str) -> Markup | None:
    """Return what could not be done."""
    if not outcome.problems:
        return None
    rows = [tag("li", tag("code", below(each.path, root)), f": {each.message}") for each in outcome.problems]
    return tag("section", tag("h2", "Could not be read"), tag("ul", *rows), class_="problems")


def _rules_table(outcome: Outcome) -> Markup | None:
    """Return what was found by rule, the largest gain first."""
    rows = sorted(statistics(outcome), key=lambda row: (SIZES.index(outcome.gain(row[1]).size), -row[0], row[1]))
    if not rows:
        return tag("p", "Nothing was found that makes training slow.", id="findings")
    names = ("Rule", "Findings", "--fix", "Expected gain")
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in names)))
    lines = [
        tag(
            "tr",
            tag("th", tag("a", code, href=f"#{code}"), f" {name}", scope="row"),
            tag("td", str(count), class_="number"),
            tag("td", str(mended), class_="number"),
            tag("td", badge(outcome.gain(code).size), f" {outcome.say(outcome.gain(code).text)}"),
        )
        for count, code, name, mended in rows
    ]
    table = tag("table", tag("caption", "By rule"), head, tag("tbody", *lines))
    return tag("div", table, class_="wide", tabindex="0", role="region", aria_label="Findings by rule")


def badge(size: str) -> Markup:
    """Return the size of a gain, set off."""
    return tag("span", size, class_=f"badge {size}")


def _findings(found: list[Ranked], entries: list[str], outcome: Outcome, root: str) -> Markup | None:
    """Return the filter and all findings."""
    if not found:
        return None
    rules = sorted({f"{each.finding.code} {each.finding.name}" for each in found})
    choices = [
        _choice("rule", "Rule", [(rule.split()[0], rule) for rule in rules]),
        _choice("program", "Program", [(str(number), entry) for number, entry in enumerate(entries)]),
        _choice("fix", "Fix", [(name, name) for name in ("safe", "unsafe", "display-only", "none")]),
        tag("label", "Text ", tag("input", type="search", name="text", autocomplete="off")),
        tag("button", "Show all", type="reset"),
        tag("output", f"{len(found)} of {len(found)}", aria_live="polite"),
    ]
    return tag(
        "section",
        tag("h2", "Findings, the largest gain first"),
        tag("form", *choices, hidden=True, aria_label="Filter the findings"),
        *(article(each, outcome, entries, root) for each in found),
        id="findings",
    )


def _choice(name: str, label: str, values: list[tuple[str, str]]) -> Markup:
    options = [tag("option", "all", value=""), *(tag("option", text, value=value) for value, text in values)]
    return tag("label", f"{label} ", tag("select", *options, name=name))


@cache
def _part(name: str) -> str:
    """Return a file beside this one."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _hash(name: str) -> str:
    """Return a part as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(_part(name).encode()).digest()).decode()}'"
