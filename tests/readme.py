"""Runs the README and pages of docs/: `python tests/readme.py` writes what their commands really print into them.

Blocks with `file=` are files in an otherwise empty directory; lines of `console` blocks that start with `$ ` are run
there, in order. A console block with `answers=y,n` is run in a pseudo-terminal with these answers. A block with
`from=docs/profile.md start=profile` is the paragraph of that page that begins with this word.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from front import environment, on_terminal

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
EXECUTED = (README, ROOT / "README.zh.md", ROOT / "docs" / "program.md", ROOT / "docs" / "profile.md")
_BLOCK = re.compile(r"^```(?P<info>[^\n]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def executed(page: str) -> str:
    """Return a page with the output that its commands have now."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name).resolve()
        return _BLOCK.sub(lambda block: _executed(block, home), page)


def _executed(block: re.Match[str], home: Path) -> str:
    language, *words = block["info"].split()
    options = dict(word.split("=", 1) for word in words)
    if "file" in options:
        (home / options["file"]).parent.mkdir(parents=True, exist_ok=True)
        (home / options["file"]).write_text(block["text"], encoding="utf-8")
    if "from" in options:
        return f"```{block['info']}\n{_paragraph(ROOT / options['from'], options['start'])}```"
    if language != "console":
        return block[0]
    commands = [line[2:] for line in block["text"].splitlines() if line.startswith("$ ")]
    shown = [f"$ {command}\n{_output(command, options.get('answers', ''), home)}" for command in commands]
    return f"```{block['info']}\n{''.join(shown)}```"


def _paragraph(page: Path, start: str) -> str:
    """Return the lines of a page from the first one that begins with a word to the next empty one."""
    found = re.search(
        rf"^{re.escape(start)} .*?\n(?=\n|```)", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert found is not None, f"{page.name}: no paragraph begins with {start}"
    return found[0]


def _output(command: str, answers: str, home: Path) -> str:
    program, *arguments = command.split()
    if answers:
        return on_terminal(*arguments, cwd=home, answers=answers.split(","), env={"NO_COLOR": "1"}).out
    path = os.path.join(os.path.dirname(sys.executable), program)
    done = subprocess.run(
        [path, *arguments],
        cwd=home,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode("utf-8")


if __name__ == "__main__":
    for shown in EXECUTED:
        shown.write_text(executed(shown.read_text(encoding="utf-8")), encoding="utf-8")
