"""What the GitHub action needs besides the linter: `words` splits its arguments, `summary FILE` shows a run."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

MOST = 100  # findings in a summary


def words(text: str) -> str:
    """Return the words of a text as a shell reads them, each with a NUL behind. Raises ValueError."""
    return "".join(f"{word}\0" for word in shlex.split(text))


def summary(log: Mapping[str, Any]) -> str:
    """Return a run as Markdown, from its SARIF log: a table with the first findings, and what was not judged."""
    (run,) = log["runs"]
    found = run["results"]
    number = "1 finding" if len(found) == 1 else f"{len(found) or 'no'} findings"
    urls = {rule["id"]: rule.get("helpUri") for rule in run["tool"]["driver"]["rules"]}
    table = ["", "| Where | Rule | What |", "|---|---|---|", *(_row(each, urls) for each in found[:MOST])]
    more = ["", f"{len(found) - MOST} more are in the log."] if len(found) > MOST else []
    told = run["invocations"][0]["toolExecutionNotifications"]
    untold = [f"- {len(told) - MOST} more are in the log."] if len(told) > MOST else []
    unjudged = ["", "Not judged:", "", *(_item(each) for each in told[:MOST]), *untold] if told else []
    return "\n".join([f"### ms-perflint: {number}", *(table if found else []), *more, *unjudged, ""])


def _row(finding: Mapping[str, Any], urls: Mapping[str, str | None]) -> str:
    """Return the row of a finding."""
    code = _plain(finding["ruleId"])
    url = urls[finding["ruleId"]]
    return f"| {_where(finding)} | {f'[{code}]({url})' if url else code} | {_plain(finding['message']['text'])} |"


def _item(notification: Mapping[str, Any]) -> str:
    """Return the line of a file that could not be read, or of a program that was judged in part."""
    return f"- {_where(notification)}: {_plain(notification['message']['text'])}"


def _where(result: Mapping[str, Any]) -> str:
    """Return the file and the line of a result; the line where there is one, of a notebook that of the cell."""
    place = result["locations"][0]["physicalLocation"]
    cell = result.get("properties", {}).get("cell")
    if cell:
        return _plain(f"{unquote(place['artifactLocation']['uri'])}:cell {cell['number']}:{cell['row']}")
    row = f":{place['region']['startLine']}" if "region" in place else ""
    return _plain(unquote(place["artifactLocation"]["uri"]) + row)


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
        sys.stdout.buffer.write(summary(json.load(file)).encode("utf-8", "backslashreplace"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
