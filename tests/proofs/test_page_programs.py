"""The programs on the rule pages are programs: each of them runs on a real MindSpore.

They are written for an accelerator; here the device, the mixed-precision level and bfloat16 are changed to what a CPU
takes. Programs for several processes are left out (the forms of MSP601 stand for them), and those that import what
the MindSpore at hand does not have yet.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest
from examples import sources
from page_programs import DATA, SEVERAL_PROCESSES, on_cpu
from proofs.proof import MindSpore, on_mindspore, version

from ms_perflint import pages
from ms_perflint.mindspore_api import added_in, parse_version


def _programs(code: str) -> dict[str, Mapping[str, str]]:
    """Return the programs of a rule that one process can run, each with its files, by page and row."""
    found: dict[str, Mapping[str, str]] = {}
    files: dict[str, str] = {}
    for number, page in enumerate(sources(code)):
        for example in page.examples:
            files = {**(files if example.kind == "good" else {}), **dict(example.files)}
            if not any(SEVERAL_PROCESSES in text for text in files.values()):
                found[f"page_{number}_row_{example.row}"] = files
    return found


def _is_there(text: str) -> bool:
    """Return whether MindSpore has everything that a file imports from it."""
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    names = [f"{node.module}.{alias.name}" for node in imports for alias in node.names]
    return all((added_in(name) or (0,)) <= parse_version(version()) for name in names)


def _write(files: Mapping[str, str], folder: Path) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(on_cpu(text), encoding="utf-8")
    return folder


@pytest.mark.mindspore
@on_mindspore
@pytest.mark.parametrize("code", [code for code in pages.codes() if _programs(code)])
def test_page_runs(code: str, mindspore: MindSpore, tmp_path: Path) -> None:
    programs = {
        row: files
        for row, files in _programs(code).items()
        if all(_is_there(text) for name, text in files.items() if name.endswith(".py"))
    }
    folders = [tmp_path / row for row in programs]
    mindspore.run(*(_write({"train.py": DATA.read_text(encoding="utf-8")}, folder) for folder in folders))
    for row, files in programs.items():
        mindspore.run(_write(files, tmp_path / row))
