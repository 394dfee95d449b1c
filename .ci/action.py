"""What the GitHub action needs besides the linter: `words` splits its arguments, `summary FILE` shows findings."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Mapping
from typing import Any

MOST = 100  # findings in a summary


def words(text: str) -> str:
    """Return the words of a text as a shell reads them, each with a NUL behind. Raises ValueError."""
    return "".join(f"{word}\0" for word in shlex.split(text))


def summary(found: list[Mapping[str, Any]], root: str) -> str:
    """Return findings as Markdown: a table with the first ones."""
    if not found:
        return "### ms-perflint\n\nNo findings.\n"
    number = "1 finding" if len(found) == 1 else f"{len(found)} findings"
    rows = [_row(each, root) for each in found[:MOST]]
    more = [f"\n{len(found) - MOST} more are in the log."] if len(found) > MOST else []
    return "\n".join([f"### ms-perflint: {number}", "", "| Where | Rule | What |", "|---|---|---|", *rows, *more, ""])


def _row(finding: Mapping[str, Any], root: str) -> str:
    name = os.path.relpath(finding["filename"], root).replace(os.sep, "/")
    where = f"{name}:{finding['location']['row']}"
    code = _plain(finding["code"])
    rule = f"[{code}]({finding['url']})" if finding["url"] else code
    return f"| {_plain(where)} | {rule} | {_plain(finding['message'])} |"


def _plain(text: str) -> str:
    """Return a text that Markdown and HTML take as it is: names of files may hold anything."""
    return re.sub(r"[^\w ./:,;-]", lambda sign: f"&#{ord(sign[0])};", text)


def main() -> int:
    """Do what the first argument says; return the exit code."""
    if sys.argv[1] == "words":
        try:
            sys.stdout.write(words(os.environ["ARGS"]))
        except ValueError as error:
            print(f"ms-perflint: error: the input `args` cannot be split: {error}", file=sys.stderr)
            return 2
        return 0
    with open(sys.argv[2], encoding="utf-8") as file:
        sys.stdout.buffer.write(summary(json.load(file), os.getcwd()).encode("utf-8", "backslashreplace"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
