"""Draws the pictures of README.md: `python scripts/pictures.py --write`; without `--write` it names the stale ones.

The terminal is drawn as SVG from what the command really prints on `sample_scripts`. The HTML report is photographed by
a Chromium without a screen; the hash of the report stands beside the picture: no two browsers draw the same bytes.
Of the report there is one picture, in English: a browser needs Chinese fonts for another.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
PICTURE, HASH = "report.png", "report.sha256"  # of the HTML report
TERMINALS = {"terminal.svg": "en", "terminal.zh.svg": "zh"}  # picture -> language
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
COMMAND = ("--select", "MSP201,MSP203")  # in sample_scripts/zoo_project
COLUMNS, CELL, ROW, EDGE, SIZE = 116, 8.4, 19, 18, 14  # characters in a line; pixels
BACKGROUND, PLAIN = "#0d1117", "#e6edf3"
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "36": "#56d4dd", "90": "#8b949e"}
SGR = re.compile(r"\x1b\[([0-9;]*)m")
WIDE = re.compile(r"([\u2e80-\ufaff\uff00-\uffef]+)")  # what takes two columns a character


class Run(NamedTuple):
    """Characters of one line that are set alike."""

    column: int
    text: str
    codes: frozenset[str]


def printed(arguments: tuple[str, ...], language: str, colour: str, folder_name: str = "") -> str:
    """Return what the command prints in a folder of the samples, in a copy that lies in no repository."""
    with tempfile.TemporaryDirectory() as folder:
        samples = Path(folder) / "sample_scripts"
        shutil.copytree(ROOT / "sample_scripts", samples, ignore=shutil.ignore_patterns("__pycache__"))
        steering = {"MS_PERFLINT_LANG": language, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
        command = (sys.executable, "-m", "ms_perflint", "--isolated", "--no-cache", "--color", colour, *arguments)
        done = subprocess.run(
            command,
            cwd=samples / folder_name,
            env={**os.environ, **steering},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    if done.returncode != 1:  # findings are left
        raise RuntimeError(done.stderr)
    return done.stdout


def report() -> str:
    """Return the HTML report on the samples."""
    return printed(("--output-format", "html", "."), "en", "never")


def terminal(language: str) -> str:
    """Return the SVG of a terminal in which the command has run."""
    shown = f"$ \x1b[1mms-perflint {' '.join(COMMAND)}\x1b[0m\n{printed(COMMAND, language, 'always', 'zoo_project')}"
    lines = [list(_runs(line)) for text in shown.splitlines() for line in _folded(text)]
    width, height = round(COLUMNS * CELL) + 2 * EDGE, len(lines) * ROW + 2 * EDGE
    texts = [_text(run, EDGE + row * ROW + SIZE) for row, runs in enumerate(lines) for run in runs if run.text.strip()]
    fonts = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            f' font-family="{fonts}" font-size="{SIZE}" fill="{PLAIN}">',
            f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
            *texts,
            "</svg>\n",
        ]
    )


def _folded(line: str) -> Iterator[str]:
    """Yield the rows that a line takes on a terminal, each with the styles that it begins with."""
    row, used, active = "", 0, ""
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if SGR.fullmatch(part):
            active = "" if part == "\x1b[0m" else active + part
            row += part
            continue
        for character in part:
            if used + _cells(character) > COLUMNS:
                yield row
                row, used = active, 0
            row, used = row + character, used + _cells(character)
    yield row


def _runs(line: str) -> Iterator[Run]:
    """Yield the runs of a line, each with the column in which it starts."""
    column, codes = 0, frozenset[str]()
    for index, part in enumerate(SGR.split(line)):
        if index % 2:
            codes = codes | {*part.split(";")} if part not in ("", "0") else frozenset()
        for text in WIDE.split(part) if index % 2 == 0 else ():
            if text:
                yield Run(column, text, codes)
                column += _cells(text)


def _cells(text: str) -> int:
    from ms_perflint.report.style import width

    return width(text)


def _text(run: Run, y: int) -> str:
    """Return a run as an element that takes exactly its columns, whatever the font."""
    text = run.text.strip(" ")
    column = run.column + len(run.text) - len(run.text.lstrip(" "))
    colour = next((f' fill="{COLOURS[code]}"' for code in sorted(run.codes) if code in COLOURS), "")
    bold = ' font-weight="bold"' if "1" in run.codes else ""
    place = f'x="{EDGE + column * CELL:.1f}" y="{y}" textLength="{_cells(text) * CELL:.1f}"'
    return f'<text {place}{colour}{bold} xml:space="preserve">{escape(text)}</text>'


def digest(text: str) -> str:
    """Return the hash that stands beside the picture of a report."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def photograph(page: str, picture: Path) -> None:
    """Write the picture of a page. Raises RuntimeError where there is no browser."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise RuntimeError(f"no browser for {picture.name}: one of {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        file.write_text(page, encoding="utf-8")
        flags = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,1230")
        command = (browser, *flags, f"--screenshot={picture}", file.as_uri())
        subprocess.run(command, capture_output=True, timeout=120, check=True)


def drawn() -> dict[str, str]:
    """Return what the texts of the folder should be: the terminals, and the hash of the report."""
    return {HASH: f"{digest(report())}\n", **{name: terminal(language) for name, language in TERMINALS.items()}}


def stale() -> list[str]:
    """Return the names of the files that are not what they should be."""
    wanted = drawn()
    present = {each: (IMAGES / each).read_text(encoding="utf-8") for each in wanted if (IMAGES / each).is_file()}
    return [each for each in wanted if present.get(each) != wanted[each]]


def write() -> None:
    """Draw what is out of date."""
    IMAGES.mkdir(exist_ok=True)
    for each in stale():
        if each == HASH:
            photograph(report(), IMAGES / PICTURE)
        (IMAGES / each).write_text(drawn()[each], encoding="utf-8")


def main() -> int:
    """Draw the pictures, or say which are out of date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="draw what is out of date")
    if parser.parse_args().write:
        write()
        return 0
    found = stale()
    print("\n".join(f"docs/images/{each} is out of date" for each in found) or "all pictures are up to date")
    return 1 if found else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
