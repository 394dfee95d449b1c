"""The rule pages: one Markdown file per rule, `rules/CODE-name.md`, read by people and executed by the tests.

The Chinese page of a rule is `rules/zh/CODE-name.md`, with the same sections and the same examples.

A page starts with `# name (CODE)` and a paragraph of one sentence, the summary. Sections start with `## `.
Fenced blocks whose info line has the word `bad`, `good` or `ok` behind the language are examples:

    ```python bad                       one program, in a file named train.py
    ```python bad file=src/dataset.py   one file of a program
    ```yaml bad file=default.yaml       a config file of the same program
    ```python ok device=GPU             words with `=` other than file= are options of the example

Blocks of one kind with file=, separated by blank lines only, are one program, until a file name is repeated. A block
without file= is a program of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ms_perflint import published
from ms_perflint.languages import ENGLISH, Message

KINDS = ("bad", "good", "ok")
FILE = "train.py"  # the file name of an example without file=

_FILE_NAME = re.compile(r"(?P<code>[A-Z]+[0-9]+)-(?P<name>[a-z0-9-]+)\.md")
_TITLE = re.compile(r"# (?P<name>[a-z0-9-]+) \((?P<code>[A-Z]+[0-9]+)\)")
_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")


class PageError(Exception):
    """A rule page that is missing or malformed."""


@dataclass(frozen=True)
class Example:
    """An example program of a page: `bad` is reported, `good` is its fixed text, `ok` is not reported."""

    kind: str
    files: tuple[tuple[str, str], ...]  # (relative file name, text), in the order of the page
    options: Mapping[str, str]
    row: int  # row of the page at which its first block starts


@dataclass(frozen=True)
class Page:
    """The page of one rule."""

    code: str
    name: str
    summary: str
    text: str  # the whole page
    sections: Mapping[str, str]  # heading -> text of the section
    examples: tuple[Example, ...]

    @property
    def title(self) -> str:
        """Return the heading: "synchronous-checkpoint (MSP301)"."""
        return f"{self.name} ({self.code})"

    @property
    def url(self) -> str | None:
        """Return the address of the page on the web; None until the site is published."""
        return url(self.code, self.name)


@dataclass(frozen=True)
class _Block:
    """A fenced block: its info words, its text, the rows of its fences."""

    info: tuple[str, ...]
    text: str
    row: int
    end: int

    @property
    def kind(self) -> str | None:
        return self.info[1] if len(self.info) > 1 and self.info[1] in KINDS else None

    @property
    def words(self) -> dict[str, str]:
        return dict(word.split("=", 1) for word in self.info[2:] if "=" in word)


def url(code: str, name: str) -> str | None:
    """Return the address of the page of a rule; None until the site is published. Works without the pages."""
    return f"{published.SITE}rules/{code}-{name}/" if published.SITE else None


def reference(code: str, name: str) -> str:
    """Return the address of the page of a rule, or the command that prints it."""
    return url(code, name) or f"ms-perflint rule {code}"


def folder() -> str:
    """Return the directory of the pages: in the installed package, else beside it (checkout). May raise PageError."""
    package = os.path.dirname(os.path.abspath(__file__))
    for directory in (os.path.join(package, "rules"), os.path.join(os.path.dirname(package), "rules")):
        if os.path.isdir(directory):
            return directory
    raise PageError(Message("this installation has no rule pages; reinstall ms-perflint"))


def codes() -> tuple[str, ...]:
    """Return the codes of all pages, sorted. May raise PageError."""
    return tuple(sorted(_files()))


def find(rule: str) -> str:
    """Return the code of a rule by its code or name. May raise PageError."""
    known = {**{match["name"]: code for code, match in _files().items()}, **{code: code for code in codes()}}
    word = rule.upper() if rule.upper() in known else rule.lower()
    if word not in known:
        from ms_perflint.core.slips import suggestion  # here, because pages are read without a configuration

        raise PageError(Message('unknown rule "{rule}"{hint}', rule=rule, hint=suggestion(rule, known)))
    return known[word]


def page(code: str, language: str = ENGLISH) -> Page:
    """Return the page of a rule in a language, by default in English. May raise PageError."""
    match = _files().get(code)
    if match is None:
        raise PageError(Message("there is no page for {code}", code=code))
    path = os.path.join(folder(), language, match[0])  # the folder of a language, beside the English pages
    if not os.path.isfile(path):
        path = os.path.join(folder(), match[0])
    with open(path, encoding="utf-8") as file:
        return parse(file.read(), match[0])


def parse(text: str, file_name: str) -> Page:
    """Return the page in a text. Raises PageError for a malformed one."""
    lines = text.splitlines()
    title = _TITLE.fullmatch(lines[0].rstrip()) if lines else None
    if not title:
        raise PageError(f"{file_name}: the first line is not `# name (CODE)`")
    summary = _paragraph(lines[1:])
    if not summary:
        raise PageError(f"{file_name}: no sentence below the title")
    blocks = _blocks(lines, file_name)
    sections = _sections(lines, blocks)
    return Page(title["code"], title["name"], summary, text, sections, _examples(lines, blocks))


def _files() -> dict[str, re.Match[str]]:
    """Return code -> match of the file name, for all pages."""
    matches = (_FILE_NAME.fullmatch(name) for name in os.listdir(folder()))
    return {match["code"]: match for match in matches if match}


def _paragraph(lines: list[str]) -> str:
    """Return the first paragraph as one line; "" where a heading or fence comes first."""
    found: list[str] = []
    for line in lines:
        if line.startswith("#") or _FENCE.match(line) or (found and not line.strip()):
            break
        if line.strip():
            found.append(line.strip())
    return " ".join(found)


def _blocks(lines: list[str], file_name: str) -> list[_Block]:
    """Return the fenced blocks; rows count from 1."""
    blocks: list[_Block] = []
    opened: re.Match[str] | None = None
    start = 0
    for row, line in enumerate(lines, start=1):
        match = _FENCE.fullmatch(line.rstrip())
        if not match:
            continue
        if opened is None:
            opened, start = match, row
        elif match["fence"].startswith(opened["fence"]) and not match["info"].strip():
            body = "".join(f"{inner}\n" for inner in lines[start : row - 1])
            blocks.append(_Block(tuple(opened["info"].split()), body, start, row))
            opened = None
    if opened is not None:
        raise PageError(f"{file_name}:{start}: this block is not closed")
    return blocks


def _sections(lines: list[str], blocks: list[_Block]) -> dict[str, str]:
    """Return heading -> text for each `## ` heading outside of blocks."""
    fenced = {row for block in blocks for row in range(block.row, block.end + 1)}
    heads = [row for row, line in enumerate(lines, start=1) if line.startswith("## ") and row not in fenced]
    ends = [row - 1 for row in heads[1:]] + [len(lines)]
    return {lines[head - 1][3:].strip(): "\n".join(lines[head:end]).strip("\n") for head, end in zip(heads, ends)}


def _examples(lines: list[str], blocks: list[_Block]) -> tuple[Example, ...]:
    """Return the example programs of blocks, in the order of the page."""
    groups: list[list[_Block]] = []
    for block in (block for block in blocks if block.kind):
        if groups and _belongs(block, groups[-1], lines):
            groups[-1].append(block)
        else:
            groups.append([block])
    return tuple(_example(group) for group in groups)


def _belongs(block: _Block, group: list[_Block], lines: list[str]) -> bool:
    """Return whether a block is another file of the program of the blocks before it."""
    last = group[-1]
    if block.kind != last.kind or "file" not in block.words or "file" not in last.words:
        return False
    if block.words["file"] in {other.words["file"] for other in group}:
        return False
    return not any(line.strip() for line in lines[last.end : block.row - 1])


def _example(group: list[_Block]) -> Example:
    """Return the example program of some blocks."""
    files = tuple((block.words.get("file", FILE), block.text) for block in group)
    options = {key: value for block in group for key, value in block.words.items() if key != "file"}
    return Example(group[0].kind or "", files, options, group[0].row)
