"""What the evaluator says of `reveal(x)` in a small program.

`python tests/reveal.py train.py` says it of each `reveal(...)` that was written into the files of a real one, and where
the way to a value ends that is not known.
"""

from __future__ import annotations

import ast
import os
import sys
import textwrap
from collections.abc import Mapping
from typing import Union

from ms_perflint.core.files import Disk, Nowhere, Overlay
from ms_perflint.infer.alternatives import Instance
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.program.program import Program
from ms_perflint.program.target import Target
from ms_perflint.resolve.project import Project
from ms_perflint.training.followed import end, is_unknown

ROOT = os.path.join(os.sep, "program")


def program(files: Union[str, Mapping[str, str]], entry: str = "train.py") -> Program:
    """Return the program of an entry script, from texts."""
    texts = {entry: files} if isinstance(files, str) else files
    contents = {os.path.join(ROOT, *name.split("/")): textwrap.dedent(text).encode() for name, text in texts.items()}
    return Program(Project(Overlay(Nowhere(), contents)), os.path.join(ROOT, entry), Target())


def reveal(files: Union[str, Mapping[str, str]], entry: str = "train.py") -> Value:
    """Return what the argument of the one `reveal(...)` in a program can be."""
    made = program(files, entry)
    (site,) = made.sites("reveal")
    assert isinstance(site.node, ast.Call)
    return made.value(site.node.args[0], site.scope)


def shown(value: Value) -> str:
    """Return a value in one line: what is known (in brackets: for an option only), `...` for open, `?` for optional."""
    parts = [_shown(known) if known.by_default else f"({_shown(known)})" for known in value.alternatives]
    return " ".join([*parts, *(["..."] if value.open else []), *(["?"] if value.overridable else [])])


def _shown(known: Alternative) -> str:
    if known.api:
        return known.api
    if known.constant is not NO_CONSTANT:
        return repr(known.constant)
    if isinstance(known.what, Instance):
        return f"{known.type_api or getattr(known.what.type, 'name', '')}()"
    return getattr(known.what, "name", "") or type(known.what).__name__


def main(entry: str) -> None:
    """Print what the argument of each `reveal(...)` in the program of a script can be."""
    made = Program(Project(Disk()), os.path.abspath(entry), Target())
    for site in (site for module in made.all_modules for site in module.by_word.get("reveal", ())):
        for node in site.node.args if isinstance(site.node, ast.Call) else ():
            place, value = site.module.place(node), made.value(node, site.scope)
            why = f"  {end(made, node, site.scope).said(made)}" if is_unknown(made, node, site.scope) else ""
            print(f"{place.named}: {site.module.text(node)}: {shown(value)}{why}")


if __name__ == "__main__":
    main(sys.argv[1])
