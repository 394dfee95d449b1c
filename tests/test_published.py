"""Nothing leads to an address or a package that does not exist; once the project is published, everything does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from front import SAFE, TRAIN, run

from ms_perflint import pages, published

ROOT = Path(__file__).parent.parent
SITE, REPOSITORY = "https://site.example/docs/", "https://code.example/ms-perflint"
PAGE = f"{SITE}rules/MSP301-synchronous-checkpoint/"
COMMAND = "ms-perflint rule MSP301"
FORMATS = ("text", "concise", "grouped", "json", "sarif", "github", "gitlab", "junit", "html")
# Hosts that texts and programs name: documentation of others, formats, and services that a recipe is for.
HOSTS = {
    *("www.mindspore.cn", "gitee.com", "github.com", "docs.oasis-open.org", "json-schema.org", "www.w3.org"),
    *("jupytext.readthedocs.io", "nbqa.readthedocs.io", "libcst.readthedocs.io", "distributed.dask.org"),
    *("marketplace.visualstudio.com", "plugins.jetbrains.com", "taplo.tamasfe.dev", "pre-commit.ci"),
    *(
        "flake8.pycqa.org",
        "docs.astral.sh",
        "www.apache.org",
        "keepachangelog.com",
        "theia-ide.org",
        "www.hiascend.com",
    ),
}
SUFFIXES = (".py", ".md", ".json", ".toml", ".yml", ".yaml", ".js", ".mjs", ".ts", ".html")
OWN = re.compile(r"https?://[^\s\"'<>)`]*ms[-_]perflint|\bmindspore-lab(?:\.github\.io)?/ms-perflint\b", re.IGNORECASE)
ADDRESS = re.compile(r"https?://([\w.-]+\.[a-z]{2,})")
INSTALL = re.compile(r"\b(?:pip3?|pipx|uv|uvx|conda)\b[^\n|;&]*\s[\"']?ms[-_]perflint\b(?![-_/]|\.git)", re.IGNORECASE)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a directory with one program that has one finding."""
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


@pytest.fixture
def on_the_web(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publish the project."""
    monkeypatch.setattr(published, "SITE", SITE)
    monkeypatch.setattr(published, "REPOSITORY", REPOSITORY)


def reported(form: str, here: Path) -> str:
    """Return the report on the program."""
    return run(*SAFE, "--no-cache", "--output-format", form, "train.py", cwd=here).out


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_has_no_address_until_there_is_one(form: str, here: Path) -> None:
    hosts = set(ADDRESS.findall(reported(form, here)))
    assert hosts <= {"docs.oasis-open.org", "www.mindspore.cn", "gitee.com"}  # the schema of SARIF, sources of a page


def test_keys_of_reports_without_an_address(here: Path) -> None:
    assert json.loads(reported("json", here))[0]["url"] is None
    (issue,) = json.loads(reported("gitlab", here))
    assert "url" not in issue
    driver = json.loads(reported("sarif", here))["runs"][0]["tool"]["driver"]
    assert "informationUri" not in driver and "helpUri" not in driver["rules"][0]
    for form in "github", "junit", "html":
        assert COMMAND in reported(form, here)
    assert json.loads(run("rule", "MSP301", "--output-format", "json", cwd=here).out)["url"] is None


@pytest.mark.usefixtures("on_the_web")
def test_keys_of_reports_with_an_address(here: Path) -> None:
    assert json.loads(reported("json", here))[0]["url"] == PAGE
    assert json.loads(reported("gitlab", here))[0]["url"] == PAGE
    driver = json.loads(reported("sarif", here))["runs"][0]["tool"]["driver"]
    assert (driver["informationUri"], driver["rules"][0]["helpUri"]) == (REPOSITORY, PAGE)
    for form in "github", "junit", "html":
        assert PAGE in reported(form, here) and COMMAND not in reported(form, here)
    assert run("rule", "MSP301", "--full", cwd=here).out.endswith(f"\n\n{PAGE}\n")
    assert f'href="{REPOSITORY}"' in reported("html", here)
    assert json.loads(run("config", "--schema", cwd=here).out)["$id"] == f"{SITE}schema.json"


def test_how_to_read_a_page() -> None:
    assert pages.url("MSP301", "synchronous-checkpoint") is None
    assert pages.reference("MSP301", "synchronous-checkpoint") == COMMAND


def texts() -> Iterator[tuple[str, str]]:
    """Yield (name, text) of all that is shipped or read: the package, the pages, the recipes."""
    folders = ("ms_perflint", "docs", "rules", "sample_scripts", "benchmarks", "scripts", "editors", ".ci")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    files += [path for path in ROOT.iterdir() if path.name != "LICENSE"]
    for path in sorted(files):
        if (
            path.suffix in (".py", ".md", ".json", ".toml", ".yml", ".yaml", ".js", ".mjs", ".ts", ".html")
            and path.is_file()
        ):
            name = path.relative_to(ROOT).as_posix()
            if not re.search(r"mindspore_api/data|node_modules|package-lock", name):
                yield name, path.read_text(encoding="utf-8")


def found(pattern: re.Pattern[str]) -> list[str]:
    """Return where a pattern matches, outside of the list of what to do at a release."""
    return [
        f"{name}:{row}: {line.strip()[:120]}"
        for name, text in texts()
        if not name.endswith("release.md")
        for row, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


def test_no_text_names_an_address_of_the_project() -> None:
    assert (published.SITE, published.REPOSITORY) == ("", ""), "published: docs/release.md says what to do here"
    assert found(OWN) == []


def test_no_text_installs_a_package_that_is_not_registered() -> None:
    assert found(INSTALL) == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("pip install ms-perflint", True),
        ("`pip install 'ms-perflint[dask]'`", True),
        ("python -m pip install --quiet ms-perflint==0.1.0", True),
        ("uvx ms-perflint .", True),
        ("pip install . && .venv/bin/ms-perflint sample_scripts", False),
        ("pip install git+URL-OF-THE-REPOSITORY", False),
        ("pip install ../ms-perflint", False),
    ],
)
def test_lines_that_install(line: str, wrong: bool) -> None:
    assert bool(INSTALL.search(line)) == wrong


def test_every_address_is_on_a_known_host() -> None:
    unknown = {host for _, text in texts() for host in ADDRESS.findall(text)} - HOSTS
    assert unknown == set()
