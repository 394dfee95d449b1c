"""The documentation site: built strictly, complete, and with nothing from elsewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ms_perflint import pages

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built site."""
    for name in "mkdocs", "material", "mkdocstrings":
        pytest.importorskip(name, reason="the site is built with the extra `docs`")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def html(site: Path, page: str) -> str:
    """Return a page of the site."""
    return (site / page / "index.html").read_text(encoding="utf-8")


def test_each_rule_has_the_page_that_reports_link_to(site: Path) -> None:
    index = html(site, "rules")
    for code in pages.codes():
        rule = pages.page(code)
        place = f"rules/{code}-{rule.name}/"
        assert f'href="{place[len("rules/") :]}">{code} {rule.name}</a>' in index
        assert "<h1 id=" in html(site, place)
        assert rule.title in html(site, place)


def test_examples_are_shown_without_what_only_tests_read(site: Path) -> None:
    shown = html(site, "rules/MSP301-synchronous-checkpoint")
    assert "# !" not in shown
    assert 'class="hll"' in shown  # the reported line is marked
    assert "python bad" not in shown
    assert '<span class="filename">train.py</span>' in html(site, "program")


def test_links_between_files_of_the_repository_lead_to_pages_or_into_it(site: Path) -> None:
    assert '<a href="contributing/">CONTRIBUTING</a>' in html(site, ".")
    assert '<a href="rules/">page</a>' in html(site, ".")
    assert '<a href="../../measurements/">' in html(site, "rules/MSP301-synchronous-checkpoint")


def test_rule_pages_lead_to_the_same_page_in_the_other_language(site: Path) -> None:
    chinese = [path.stem for path in (ROOT / "rules" / "zh").glob("*.md")]
    assert chinese
    for name in chinese:
        assert f'href="../../zh/rules/{name}/">中文</a>' in html(site, f"rules/{name}")
        assert f'href="../../../rules/{name}/">English</a>' in html(site, f"zh/rules/{name}")


def test_the_schemas_are_there(site: Path) -> None:
    for name in "schema.json", "pyproject.schema.json":
        schema = json.loads((site / name).read_text(encoding="utf-8"))
        assert schema["$schema"] and "$id" not in schema  # no site is published
    shipped = (ROOT / "ms_perflint" / "schema.json").read_text(encoding="utf-8")
    assert (site / "schema.json").read_text(encoding="utf-8") == shipped


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    loads = re.compile(
        r'<(?:script|img|iframe|source)[^>]*\ssrc="(?:https?:)?//|<link[^>]*rel="stylesheet"[^>]*"https?://'
    )
    built = list(site.rglob("*.html"))
    assert len(built) > len(pages.codes())
    for page in built:
        assert not loads.search(page.read_text(encoding="utf-8")), page
