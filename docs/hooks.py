"""The site: pages of docs/, and those that are written elsewhere, each taken from there when the site is built.

README.md is the start, `rules/` has the rule pages, the table of options makes their reference. The navigation lists
what is there: a page that is new in docs/ needs no entry, only a better place if it wants one.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from ms_perflint import pages, published
from ms_perflint.check import checks
from ms_perflint.config.options import OPTIONS, example, toml, whole
from ms_perflint.core.findings import Safety

ROOT = Path(__file__).parent.parent
TAKEN = {  # page of the site -> file of the repository
    "index.md": "README.md",
    "zh/readme.md": "README.zh-CN.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "measurements.md": "benchmarks/README.md",
}
COSTS = {  # first digits of a code -> where the time goes
    "MSP1": "The device waits for Python",
    "MSP2": "The device computes more than it has to",
    "MSP3": "The device waits for the disk",
    "MSP4": "The device waits for data",
    "MSP5": "Tuning that does nothing, debugging that goes on",
    "MSP6": "The devices wait for each other",
    "MSP9": "Comments that switch rules off",
}
NAVIGATION: list[Any] = [
    {"Start": "index.md"},
    {"Guide": "guide.md"},
    {"Rules": ["rules/index.md", "rules/*"]},
    {
        "Use": [
            {"Fixes and safety": "fixes.md"},
            {"Suppressions and baseline": "adoption.md"},
            {"Configuration": "configuration.md"},
            {"Facts of a program": "program.md"},
            {"Why a line is reported, or not": "explain.md"},
            {"Measured on your device": "verify.md"},
            {"With a profile": "profile.md"},
            {"Reports": "reports.md"},
            {"Notebooks": "notebooks.md"},
            {"Standard input and watching": "stdin.md"},
        ]
    },
    {
        "Where it runs": [
            {"Editors": "editors.md"},
            {"CI and pre-commit": "ci.md"},
            {"Shells": "shells.md"},
            {"flake8": "flake8.md"},
            {"Clusters": "cluster.md"},
            {"Python": "api.md"},
        ]
    },
    {
        "About": [
            "*",
            {"How it works": "how-it-works.md"},
            {"Limits": "limits.md"},
            {"Writing rules": "writing-rules.md"},
            {"Measurements": "measurements.md"},
            {"Contributing": "contributing.md"},
            {"Changelog": "changelog.md"},
            {"Release checklist": "release.md"},
        ]
    },
    {"中文": ["zh/index.md", "zh/*"]},
]
OPTIONS_HERE = "<!-- options -->"
SAFETY = {Safety.SAFE: "safe", Safety.UNSAFE: "unsafe", Safety.DISPLAY: "display-only"}
_LINK = re.compile(r"(!?\[[^\]\n]*\])\(([^)\s#:]+)(#[^)\s]*)?\)")
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(?P<info>[^\n`]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"\s*# !$")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Return the configuration with the addresses of the project, as far as it is published."""
    config.site_url = published.SITE or None
    config.repo_url = published.REPOSITORY or None
    if published.REPOSITORY:
        config.repo_name = published.REPOSITORY.rstrip("/").rpartition("/")[2]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are written elsewhere, and make the navigation of what is there."""
    written = _written()
    homes = _homes(files)
    for page, source in written.items():
        text = _linked((ROOT / source).read_text(encoding="utf-8"), source, page, homes, config.repo_url)
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "rules/index.md", content=_index()))
    table = (ROOT / "ms_perflint" / "schema.json").read_text(encoding="utf-8")
    files.append(File.generated(config, "schema.json", content=table))
    files.append(
        File.generated(config, "pyproject.schema.json", content=json.dumps(whole(json.loads(table)), indent=2))
    )
    if any(page.startswith("zh/") for page in written) and not any(file.src_uri == "zh/index.md" for file in files):
        files.append(File.generated(config, "zh/index.md", content=_chinese_index(written)))
    present = sorted(file.src_uri for file in files if file.is_documentation_page())
    config.nav = _navigation(NAVIGATION, present)
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, config: MkDocsConfig, **_: Any) -> str:
    """Return a page with what the site adds to it: options, the other language, examples as it shows them."""
    name = page.file.src_uri
    if name not in _written() and (ROOT / "docs" / name).is_file():
        markdown = _linked(markdown, f"docs/{name}", name, _homes(files), config.repo_url)
    options = _options("../" if name.startswith("zh/") else "")
    return _examples(_with_language(markdown.replace(OPTIONS_HERE, options), name, files))


def _homes(files: Files) -> dict[str, str]:
    """Return file of the repository -> page or file of the site."""
    homes = {source: page for page, source in _written().items()}
    homes |= {f"docs/{file.src_uri}": file.src_uri for file in files}
    return {**homes, "rules": "rules/index.md", "rules/zh": "zh/index.md", "ms_perflint/schema.json": "schema.json"}


def _with_language(markdown: str, page: str, files: Files) -> str:
    """Return a page with a link to the same page in the other language below its title."""
    chinese = page.startswith("zh/")
    other = page[len("zh/") :] if chinese else f"zh/{page}"
    if "index.md" in page or files.get_file_from_path(other) is None:
        return markdown
    title, rest = markdown.split("\n", 1)
    link = posixpath.relpath(other, posixpath.dirname(page))
    return f"{title}\n\n[{'English' if chinese else '中文'}]({link}){{ .language }}\n{rest}"


def _examples(markdown: str) -> str:
    """Return a page with its examples as the site shows them: file names as titles, reported lines marked."""

    def shown(match: re.Match[str]) -> str:
        language, *words = match["info"].split()
        options = dict(word.split("=", 1) for word in words if "=" in word)
        lines = match["text"].splitlines()
        marked = [str(row) for row, line in enumerate(lines, start=1) if _MARK.search(line)]
        title = f' title="{options["file"]}"' if "file" in options else ""
        mark = f' hl_lines="{" ".join(marked)}"' if marked else ""
        body = "".join(_MARK.sub("", line) + "\n" for line in lines)
        return f"```{language}{title}{mark}\n{body}```"

    return _BLOCK.sub(shown, markdown)


def _written() -> dict[str, str]:
    """Return page of the site -> file of the repository, for all that is written outside of docs/."""
    found = {page: source for page, source in TAKEN.items() if (ROOT / source).is_file()}
    for path in sorted((ROOT / "rules").rglob("*.md")):
        source = path.relative_to(ROOT).as_posix()
        language, _, name = source[len("rules/") :].rpartition("/")
        found[posixpath.join(language, "rules", name)] = source
    return found


def _linked(text: str, source: str, page: str, homes: dict[str, str], repository: str | None) -> str:
    """Return a text whose links lead where they lead from its own file: to a page, else into the repository."""

    def target(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), match[2]))
        home = homes.get(path) or homes.get(f"{path}.md")
        if home:
            return f"{match[1]}({posixpath.relpath(home, posixpath.dirname(page) or '.')}{match[3] or ''})"
        if (ROOT / path).exists():
            return f"{match[1]}({repository}/blob/main/{path})" if repository else match[1][1:-1]
        return match[0]

    parts = []
    end = 0
    for fence in _FENCED.finditer(text):
        parts += [_LINK.sub(target, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, _LINK.sub(target, text[end:])])


def _index() -> str:
    """Return the table of all rules, by where the time goes."""
    lines = ["# Rules", "", "What each rule finds, and how far its [fix](../fixes.md) can be trusted.", ""]
    found = {check.code: check for check in checks()}
    for prefix, cost in COSTS.items():
        lines += [f"## {cost}", "", "| Rule | What it costs | Fix |", "|---|---|---|"]
        for code in (code for code in pages.codes() if code.startswith(prefix)):
            rule = pages.page(code)
            name = f"[{code} {rule.name}]({code}-{rule.name}.md)"
            lines.append(f"| {name} | {rule.summary} | {SAFETY[found[code].safety]} |")
        lines.append("")
    return "\n".join(lines)


def _options(home: str) -> str:
    """Return the reference of all options, in English, for a page from which `home` leads to the English ones."""
    parts = []
    for option in OPTIONS:
        flag = f"\n\nOn the command line: `{option.flag}`." if option.flag else ""
        default = f"`{option.default_text}`" if option.default is not None else f"not set: {option.unset}"
        rows = f"*Type:* {option.takes}  \n*Default:* {default}"
        parts.append(f"### `{option.key}`\n\n{option.help}\n\n{rows}{flag}\n\n```toml\n{example(option)}\n```\n")
    lines = ["| Rule | Option | Default |", "|---|---|---|"]
    for check in checks():
        place = f"[{check.code} {check.name}]({home}rules/{check.code}-{check.name}.md#options)"
        lines += [f"| {place} | `{key}` | `{toml(value)}` |" for key, value in check.options.items()]
    return "\n".join([*parts, *lines])


def _chinese_index(written: dict[str, str]) -> str:
    """Return the table of the rule pages in Chinese."""
    lines = ["# 规则", "", "| 规则 | 说明 |", "|---|---|"]
    for page, source in written.items():
        if page.startswith("zh/rules/"):
            rule = pages.parse((ROOT / source).read_text(encoding="utf-8"), source)
            lines.append(f"| [{rule.code} {rule.name}]({page[len('zh/') :]}) | {rule.summary} |")
    return "\n".join([*lines, ""])


def _navigation(wanted: list[Any], present: list[str]) -> list[Any]:
    """Return the part of a navigation that is there; `*` stands for the pages that it does not name."""
    named = set(_names(NAVIGATION))
    found: list[Any] = []
    for entry in wanted:
        if isinstance(entry, dict):
            (title, value), *_ = entry.items()
            below = _navigation(value, present) if isinstance(value, list) else value if value in present else None
            found += [{title: below}] if below else []
        elif entry.endswith("*"):
            rest = [page for page in present if _stands_for(entry, page) and page not in named]
            found += [{_rule_title(page): page} if "rules/" in page else page for page in rest]
        elif entry in present:
            found.append(entry)
    return found


def _stands_for(pattern: str, page: str) -> bool:
    """Return whether a page lies where the pattern looks: in its folder, for `zh/*` also below."""
    folder = pattern[:-1]
    return page.startswith(folder) and (folder == "zh/" or "/" not in page[len(folder) :])


def _rule_title(page: str) -> str:
    """Return what the navigation calls a rule page."""
    return posixpath.basename(page)[: -len(".md")].replace("-", " ", 1)


def _names(wanted: list[Any]) -> list[str]:
    """Return the pages that a navigation names."""
    found: list[str] = []
    for entry in wanted:
        value = next(iter(entry.values())) if isinstance(entry, dict) else entry
        found += _names(value) if isinstance(value, list) else [value]
    return found
