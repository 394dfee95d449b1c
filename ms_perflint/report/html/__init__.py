"""One page for a meeting about performance: it needs nothing from elsewhere, and reads without scripts too.

Findings come with the largest expected gain first, then the programs with their facts, then the pages of the rules.
"""

from __future__ import annotations

import base64
import hashlib
import os
from functools import cache

from ms_perflint.core.findings import SIZES
from ms_perflint.languages import Message
from ms_perflint.report import Outcome
from ms_perflint.report.html.findings import Ranked, article, ranked
from ms_perflint.report.html.markup import Markup, tag
from ms_perflint.report.html.programs import section as program_section
from ms_perflint.report.html.rules import evidence, tool
from ms_perflint.report.html.rules import section as rule_section
from ms_perflint.report.root import below, root_of
from ms_perflint.report.sources import spot_of
from ms_perflint.report.summary import statistics
from ms_perflint.report.unjudged import reason

SIZES_SAID = {"large": Message("large"), "medium": Message("medium"), "small": Message("small")}
FIXES = {  # by the word that an article carries
    "safe": Message("safe"),
    "unsafe": Message("not safe"),
    "display-only": Message("display-only"),
    "none": Message("none"),
}


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
        _measured(found, outcome, root),
        _unjudged(outcome, root),
        _rules_table(outcome),
        _findings(found, entries, outcome, root),
        program_section(programs, root, outcome),
        rule_section({each.finding.code: each.finding.name for each in found}, outcome),
        id="main",
    )
    title = outcome.say(Message("{project}: what makes training slow", project=os.path.basename(root) or root))
    skip = tag("a", outcome.say(Message("To the findings")), href="#findings", class_="skip")
    page = [skip, _head_line(title, outcome), body, _foot(outcome)]
    script = tag("script", Markup(_part("script.js")))
    document = tag("html", head(title), tag("body", *page, script), lang=outcome.language)
    return f"<!doctype html>\n{document}\n"


def head(title: str) -> Markup:
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


def _head_line(title: str, outcome: Outcome) -> Markup:
    parts = (("findings", Message("Findings")), ("programs", Message("Programs")), ("rules", Message("Rules")))
    links = [tag("a", outcome.say(name), href=f"#{part}") for part, name in parts]
    return tag("header", tag("h1", title), tag("nav", *links, aria_label=outcome.say(Message("Parts of the report"))))


def _foot(outcome: Outcome) -> Markup:
    return tag("footer", tag("p", outcome.say(Message("Made by")), " ", tool()))


def _numbers(outcome: Outcome, programs: int) -> Markup:
    """Return what was found, in numbers."""
    numbers = [
        (Message("findings"), len(outcome.findings)),
        (Message("fixed by --fix"), sum(map(outcome.will_fix, outcome.findings))),
        (Message("more by --unsafe-fixes"), sum(map(outcome.could_fix, outcome.findings))),
        (Message("training programs"), programs),
        (Message("files read"), len(outcome.files)),
    ]
    if outcome.fixed is not None:
        numbers.insert(1, (Message("fixed in this run"), len(outcome.fixed)))
    rows = (tag("div", tag("dd", str(count)), tag("dt", outcome.say(name))) for name, count in numbers)
    return tag("dl", *rows, class_="numbers")


def _problems(outcome: Outcome, root: str) -> Markup | None:
    """Return what could not be done."""
    if not outcome.problems:
        return None
    places = (f"{below(each.path, root)}{spot_of(each)}" for each in outcome.problems)
    rows = [tag("li", tag("code", place), f": {each.message}") for place, each in zip(places, outcome.problems)]
    head = tag("h2", outcome.say(Message("Could not be read")))
    return tag("section", head, tag("ul", *rows), class_="problems")


def _measured(found: list[Ranked], outcome: Outcome, root: str) -> Markup | None:
    """Return what a profile shows of the run."""
    if outcome.profiled is None:
        return None
    from ms_perflint.report.html.measured import section  # here, because most runs measure nothing

    return section(found, outcome.profiled, outcome, root)


def _unjudged(outcome: Outcome, root: str) -> Markup | None:
    """Return the programs that were judged in part, and why."""
    if not outcome.unjudged:
        return None
    rows = [
        tag("li", tag("code", below(each.entry, root)), f": {outcome.say(reason(each))}") for each in outcome.unjudged
    ]
    head = tag("h2", outcome.say(Message("Not judged in full")))
    return tag("section", head, tag("ul", *rows), class_="problems unjudged")


def _rules_table(outcome: Outcome) -> Markup | None:
    """Return what was found by rule, the largest gain first."""
    rows = sorted(statistics(outcome), key=lambda row: (SIZES.index(outcome.gain(row[1]).size), -row[0], row[1]))
    if not rows:
        return tag("p", outcome.say(Message("Nothing was found that makes training slow.")), id="findings")
    names = (Message("Rule"), Message("Findings"), "--fix", Message("Expected gain"), Message("Effect measured"))
    head = tag("thead", tag("tr", *(tag("th", outcome.say(name), scope="col") for name in names)))
    lines = [
        tag(
            "tr",
            tag("th", tag("a", code, href=f"#{code}"), f" {name}", scope="row"),
            tag("td", str(count), class_="number"),
            tag("td", str(fixed), class_="number"),
            tag("td", _badge(outcome.gain(code).size, outcome), f" {outcome.say(outcome.gain(code).text)}"),
            tag("td", evidence(code, outcome, is_short=True)),
        )
        for count, code, name, fixed in rows
    ]
    table = tag("table", tag("caption", outcome.say(Message("By rule"))), head, tag("tbody", *lines))
    name = outcome.say(Message("Findings by rule"))
    return tag("div", table, class_="wide", tabindex="0", role="region", aria_label=name)


def _badge(size: str, outcome: Outcome) -> Markup:
    """Return the size of a gain, set off."""
    return tag("span", outcome.say(SIZES_SAID[size]), class_=f"badge {size}")


def _findings(found: list[Ranked], entries: list[str], outcome: Outcome, root: str) -> Markup | None:
    """Return the filter and all findings."""
    if not found:
        return None
    first = Message("Findings, the largest gain first")
    if outcome.profiled is not None:
        first = Message("Findings, the largest bound first")
    rules = sorted({f"{each.finding.code} {each.finding.name}" for each in found})
    fixes = [(value, outcome.say(name)) for value, name in FIXES.items()]
    count = Message("{shown} of {all}", shown="{shown}", all=len(found))  # the script fills in the other number
    choices = [
        _choice("rule", Message("Rule"), [(rule.split()[0], rule) for rule in rules], outcome),
        _choice("program", Message("Program"), [(str(at), entry) for at, entry in enumerate(entries)], outcome),
        _choice("fix", Message("Fix"), fixes, outcome),
        tag("label", f"{outcome.say(Message('Text'))} ", tag("input", type="search", name="text", autocomplete="off")),
        tag("button", outcome.say(Message("Show all")), type="reset"),
        tag("output", data_count=outcome.say(count), aria_live="polite"),
    ]
    return tag(
        "section",
        tag("h2", outcome.say(first)),
        tag("form", *choices, hidden=True, aria_label=outcome.say(Message("Filter the findings"))),
        *(article(each, outcome, entries, root) for each in found),
        id="findings",
    )


def _choice(name: str, label: str, values: list[tuple[str, str]], outcome: Outcome) -> Markup:
    options = [tag("option", text, value=value) for value, text in (("", outcome.say(Message("all"))), *values)]
    return tag("label", f"{outcome.say(label)} ", tag("select", *options, name=name))


@cache
def _part(name: str) -> str:
    """Return a file beside this one."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _hash(name: str) -> str:
    """Return a part as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(_part(name).encode()).digest()).decode()}'"
