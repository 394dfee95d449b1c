"""The programs that `verify` is run on: all samples, and each program that a rule reports, as a CPU takes them.

The first program of a rule is the example on its page, the others stand in `tests/checks/CODE.md`.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ms_perflint import pages

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "sample_scripts"
FURTHER = ROOT / "tests" / "checks"
DATA = Path(__file__).with_name("slow") / "page_data.py"  # writes what the programs of the pages read
ON_CPU = (('"Ascend"', '"CPU"'), ('"O2"', '"O3"'), ("bfloat16", "float16"))  # what a CPU does not take
SEVERAL_PROCESSES = "init()"


class Tried(NamedTuple):
    """A training program, in a folder of its own."""

    name: str  # "MSP301 2": the second program of the rule; "sample_scripts/lenet.py"
    code: str  # the rule whose fixes are made; "" for all rules that are on
    entry: str  # path in the folder
    files: Mapping[str, str]  # by path in the folder
    version: str = ""  # of MindSpore that the example is for
    launch: str = ""  # a script of the folder; "{port}" in it stands for a port

    @property
    def key(self) -> str:
        """Return what tells the text of this program from every other one."""
        texts = (part for item in sorted(self.files.items()) for part in item)
        return hashlib.sha256("\0".join([self.entry, *texts]).encode()).hexdigest()[:12]


def programs() -> tuple[Tried, ...]:
    """Return all programs, the samples first."""
    return (*_samples(), *(each for code in pages.codes() for each in of_rule(code)))


def of_rule(code: str) -> Iterator[Tried]:
    """Yield the programs of a rule that are reported."""
    further = FURTHER / f"{code}.md"
    more = pages.parse(further.read_text(encoding="utf-8"), further.name).examples if further.exists() else ()
    bad = (example for example in (*pages.page(code).examples, *more) if example.kind == "bad")
    for number, example in enumerate(bad, start=1):
        files = {name: on_cpu(text) for name, text in example.files}
        launch = _msrun() if any(SEVERAL_PROCESSES in text for text in files.values()) else ""
        version = example.options.get("mindspore-version", "")
        yield Tried(f"{code} {number}", code, "train.py", files, version, launch)


def on_cpu(text: str) -> str:
    """Return a program with the device, the level of mixed precision and the dtype that a CPU takes."""
    for accelerator, cpu in ON_CPU:
        text = text.replace(accelerator, cpu)
    return text


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port


def _msrun() -> str:
    return "msrun --worker_num=2 --local_worker_num=2 --join=True --log_dir=log --master_port={port}"


def _samples() -> Iterator[Tried]:
    """Yield the sample programs, each with the files beside it."""
    for name, launch in (("custom_loop.py", ""), ("data_parallel.py", "run_data_parallel.sh"), ("lenet.py", "")):
        files = {each: (SAMPLES / each).read_text(encoding="utf-8") for each in (name, launch) if each}
        yield Tried(f"sample_scripts/{name}", "", name, files, launch=launch)
    project = SAMPLES / "zoo_project"
    kept = [path for path in sorted(project.rglob("*")) if path.suffix in (".py", ".yaml") and path.is_file()]
    files = {path.relative_to(project).as_posix(): path.read_text(encoding="utf-8") for path in kept}
    yield Tried("sample_scripts/zoo_project", "", "train.py", files)
