"""The line of each kernel, from graphs that MindSpore saved in the same run (`MS_DEV_SAVE_GRAPHS=1`).

Each node has its full name with scope, and below it the frames of the code that made it, outermost first (run on 2.10).
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection

from ms_perflint.languages import Message
from ms_perflint.profile.text_layout import ProfileError

BUILT = re.compile(r"(?:rank_\d+_)?graph_build_.*\.ir")  # the graphs as they are executed
_NAME = re.compile(r"# Fullname with scope: \((.+)\)\s*$")
_FRAME = re.compile(r"# In file (.+?):(\d+), \d+~\d+/")  # of an expression; a function has `rows` instead: 9~13


def read(folder: str, files: Collection[str]) -> dict[str, tuple[str, int]]:
    """Return file and row by full name, of the innermost frame inside of `files`. May raise ProfileError."""
    found: dict[str, tuple[str, int]] = {}
    real = {os.path.realpath(file): file for file in files}
    graphs = [
        os.path.join(at, name) for at, _, names in os.walk(folder) for name in sorted(names) if BUILT.fullmatch(name)
    ]
    if not graphs:
        message = Message(
            "{folder}: no `graph_build_*.ir` in it: run once with `MS_DEV_SAVE_GRAPHS=1` and "
            "`MS_DEV_SAVE_GRAPHS_PATH` set to a folder",
            folder=folder,
        )
        raise ProfileError(message)
    for graph in graphs:
        try:
            with open(graph, encoding="utf-8", errors="replace") as file:
                name = ""
                for line in file:
                    if line.lstrip().startswith("%"):
                        name = ""
                    match = _NAME.search(line)
                    frame = _FRAME.search(line) if name and not match else None
                    name = match[1] if match else name
                    path = real.get(os.path.realpath(frame[1])) if frame else None
                    if frame and path:
                        found[name] = (path, int(frame[2]))  # a later frame is further inside
        except OSError as error:
            reason = error.strerror or str(error)
            raise ProfileError(Message("{file}: cannot be read: {reason}", file=graph, reason=reason)) from error
    return found
