"""The page for a meeting: what stands in it, and what a real browser makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import FOUND, Page, browser
from front import run

from ms_perflint.core.files import Nowhere, Overlay
from ms_perflint.core.findings import Edit, Finding, Fix, Gain, Place, Related, Safety
from ms_perflint.core.reports import Problem
from ms_perflint.facts.data import Evidence, Fact, Facts, Origin, Verdict
from ms_perflint.report import Outcome, render
from ms_perflint.report.html.markup import Markup, join, tag
from ms_perflint.report.sources import Sources

HOSTILE = "</code></script><script>console.log('got in')</script><img src=x onerror=console.log(1)>\"'&"
SAMPLES = Path(__file__).parent.parent / "sample_scripts"
needs_browser = pytest.mark.skipif(FOUND is None, reason="no Chromium or Chrome on this machine")


class Reader(HTMLParser):
    """Collects elements with their attributes, and complains where they are not nested."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((name, dict(attributes)))
        if name not in ("meta", "input", "br", "hr", "img"):
            self.open.append(name)

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name


def read(text: str) -> Reader:
    """Return a page that was read to its end."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def hostile() -> Outcome:
    """Return a report in which each text is an attack."""
    path = f"/repo/{HOSTILE.replace('/', '')}.py"
    place, end = Place(path, 1, 1), Place(path, 1, 5)
    fix = Fix(HOSTILE, Safety.SAFE, (Edit(path, 0, 4, HOSTILE),))
    related = (Related(place, HOSTILE),)
    findings = (Finding(place, "MSP301", HOSTILE, HOSTILE, end, (), fix, related),)
    evidence = Evidence(place, HOSTILE, HOSTILE, None, (Origin(place, HOSTILE),), HOSTILE)
    facts = (Fact(HOSTILE, HOSTILE, HOSTILE, (evidence,)), Fact(HOSTILE, None, "", is_there=False))
    verdict = Verdict("MSP301", HOSTILE, (place,), otherwise=((HOSTILE, 1),))
    program = Facts(path, (path,), facts, (), (verdict,))
    return Outcome(
        findings,
        Sources(Overlay(Nowhere(), {path: f"{HOSTILE}\n{HOSTILE}\n".encode()})),
        files=(path,),
        problems=(Problem(path, 1, 1, HOSTILE),),
        gain=lambda code: Gain("large", HOSTILE),
        programs=lambda: (program,),
    )


def test_no_text_becomes_an_element() -> None:
    reader = read(render("html", hostile()))
    names = [name for name, _ in reader.elements]
    assert (names.count("script"), "img" in names) == (1, False)
    assert not [attributes for _, attributes in reader.elements if any(key.startswith("on") for key in attributes)]


def test_what_is_no_markup_is_escaped() -> None:
    assert tag("p", "a<b", Markup("<br>"), None, title='"', hidden=True, id=None) == (
        '<p title="&quot;" hidden>a&lt;b<br></p>'
    )
    assert join(["<", tag("b", "&")], "<") == "&lt;&lt;<b>&amp;</b>"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report on the sample scripts."""
    file = tmp_path_factory.mktemp("report") / "report.html"
    assert run("--isolated", "--no-cache", f"--output-format=html={file}", ".", cwd=SAMPLES).code == 1
    return file


def test_the_page_needs_nothing_from_elsewhere(report: Path) -> None:
    reader = read(report.read_text(encoding="utf-8"))
    assert not [one for one in reader.elements if one[0] in ("link", "img", "iframe") or "src" in one[1]]
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    inner = {str(each["href"])[1:] for name, each in reader.elements if name == "a" and str(each["href"])[0] == "#"}
    assert inner <= set(ids)
    outer = {str(each["href"]) for name, each in reader.elements if name == "a" and str(each["href"])[0] != "#"}
    assert all(address.startswith("https://") for address in outer)


def test_the_largest_gain_comes_first(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    sizes = re.findall(r'class="badge (\w+)">\w+ gain<', text)
    assert sizes == sorted(sizes, key=["large", "medium", "small"].index)
    assert len(set(sizes)) == 3


def test_two_runs_make_the_same_page(report: Path) -> None:
    again = run("--isolated", "--no-cache", "-j1", "--output-format=html", ".", cwd=SAMPLES).out
    assert again == report.read_text(encoding="utf-8")


def test_without_findings_the_page_says_so() -> None:
    page = render("html", Outcome((), Sources(Nowhere())))
    read(page)
    assert "Nothing was found that makes training slow." in page


# --- in a browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Give a page of a real browser."""
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


SEEN = "[...document.querySelectorAll('article')].filter(each => each.offsetParent).map(each => each.dataset.rule)"
CHOOSE = """(([name, value]) => {
    const field = document.querySelector('form').elements[name];
    field.value = value;
    field.dispatchEvent(new Event('input', {bubbles: true}));
})(%s)"""


@needs_browser
def test_the_filter_shows_what_is_asked_for(page: Page, report: Path) -> None:
    page.open(report)
    everything = page.value(SEEN)
    assert len(everything) == page.value("document.querySelectorAll('article').length") > 5
    page.value(CHOOSE % "['rule', 'MSP301']")
    assert set(page.value(SEEN)) == {"MSP301"}
    assert page.value("document.querySelector('output').textContent") == f"2 of {len(everything)}"
    page.value(CHOOSE % "['fix', 'safe']")
    assert page.value(SEEN) == ["MSP301"]
    address = page.value("location.hash")
    page.value("document.querySelector('button').click()")
    assert page.value("new Promise(done => setTimeout(() => done(document.querySelector('output').textContent)))") == (
        f"{len(everything)} of {len(everything)}"
    )
    page.value(CHOOSE % "['text', 'DATA_PARALLEL.PY']")
    assert 0 < len(page.value(SEEN)) < len(everything)
    page.open(report, "#rule=MSP203")
    assert page.value(SEEN) == ["MSP203"]
    assert (address, page.said) == ("#rule=MSP301&fix=safe", [])


@needs_browser
def test_a_program_has_its_findings(page: Page, report: Path) -> None:
    page.open(report)
    names = page.value("[...document.querySelector('form').elements.program.options].map(each => each.text)")
    at = next(number for number, name in enumerate(names) if name.endswith("data_parallel.py")) - 1
    page.value(CHOOSE % f"['program', '{at}']")
    assert "MSP601" in page.value(SEEN)
    assert len(page.value(SEEN)) < page.value("document.querySelectorAll('article').length")


@needs_browser
def test_links_open_the_page_of_a_rule_and_printing_opens_all(page: Page, report: Path) -> None:
    page.open(report)
    assert page.value("document.querySelectorAll('details[open]').length") == 0
    page.value("document.querySelector('article a').click()")
    opened = page.value("[...document.querySelectorAll('details[open]')].map(each => each.id)")
    assert opened == [page.value("document.querySelector('article').dataset.rule")]
    page.ask("Emulation.setEmulatedMedia", media="print")
    assert page.value("getComputedStyle(document.querySelector('form')).display") == "none"
    page.value("dispatchEvent(new Event('beforeprint'))")
    assert page.value("document.querySelectorAll('details:not([open])').length") == 0
    page.ask("Emulation.setEmulatedMedia", media="")


@needs_browser
def test_colours_follow_the_system_and_a_narrow_window_holds_the_page(page: Page, report: Path) -> None:
    page.open(report)
    papers = []
    for dark in (False, True):
        page.size(390, dark=dark)
        papers.append(page.value("getComputedStyle(document.body).backgroundColor"))
        assert page.value("document.documentElement.scrollWidth <= innerWidth") is True
        assert page.value(LOWEST_CONTRAST) > 4.5
    assert papers == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]
    page.size(1280)
    assert page.said == []


LOWEST_CONTRAST = """(() => {
    const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(each => each / 255)
        .map(each => each <= .03928 ? each / 12.92 : ((each + .055) / 1.055) ** 2.4)
        .reduce((sum, each, at) => sum + each * [.2126, .7152, .0722][at], 0);
    const paper = (element) => {
        const colour = getComputedStyle(element).backgroundColor;
        return colour === 'rgba(0, 0, 0, 0)' ? paper(element.parentElement) : colour;
    };
    return Math.min(...[...document.querySelectorAll('body *')].filter(each => each.checkVisibility()).map(each => {
        const [high, low] = [light(getComputedStyle(each).color), light(paper(each))].sort((a, b) => b - a);
        return (high + .05) / (low + .05);
    }));
})()"""


@needs_browser
def test_each_field_has_a_name(page: Page, report: Path) -> None:
    page.open(report)
    page.ask("Accessibility.enable")
    nodes = page.ask("Accessibility.getFullAXTree")["nodes"]
    roles = ("combobox", "searchbox", "button", "region", "link", "navigation", "form")
    named = [node for node in nodes if node.get("role", {}).get("value") in roles and not node.get("ignored")]
    assert len(named) > 15  # without addresses there are few links
    assert [node["role"]["value"] for node in named if not node.get("name", {}).get("value")] == []


@needs_browser
def test_an_attack_says_nothing_and_does_nothing(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "hostile.html"
    text = render("html", hostile())
    file.write_text(text, encoding="utf-8")
    page.open(file)
    assert (page.said, page.value("document.querySelectorAll('img, script').length")) == ([], 1)
    # and where escaping would fail, the policy of the page lets nothing run
    file.write_text(text.replace("<main", "<script>console.log('got in')</script><main"), encoding="utf-8")
    page.open(file)
    assert page.said and all("Content Security Policy" in each for each in page.said)
