"""Shell scripts that start a program: the flags that they pass, and the variables that they export."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Place
from ms_perflint.infer.commandline import OVERRIDE, Given, Setting, names_config
from ms_perflint.infer.database import Files
from ms_perflint.languages import Message
from ms_perflint.program import shell_variables
from ms_perflint.program.shell import Blocks, Command
from ms_perflint.program.shell_variables import GAP, Script, assignment

OUTER = ("example", "examples")  # beside the entry script, or above it, with such folders in them
FOLDERS = (  # beside the entry script, and the folders above it
    "*scripts", "script", "shell", "sh", "bash", "tools", "launch", "launcher", "launchers", "run", "bin",
    "job", "jobs", "slurm",
)  # fmt: skip
SIZE = 1 << 16  # bytes of a script that is read
# Commands that start what follows them; python3.7 and the like count by their beginning
RUNNERS = frozenset(
    {
        "msrun", "mpirun", "mpiexec", "orterun", "srun", "torchrun", "accelerate", "deepspeed",
        "nohup", "env", "taskset", "numactl", "exec", "sudo", "eval", "timeout", "setsid", "nice", "stdbuf",
    }
)  # fmt: skip
FLAG = r"--?[A-Za-z][\w.-]*$"
_DOTTED = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$"


class Start(NamedTuple):
    """A command that starts the entry script of a program, with the flags that it passes."""

    script: Script
    command: Command
    flags: dict[str, Given]
    settings: tuple[Setting, ...] = ()  # `key=value`, and `key.in.file value`, among its words

    def given(self, flags: Iterable[str]) -> Optional[Given]:
        """Return what the command passes for an option with these flags; None without one."""
        return next((self.flags[flag] for flag in flags if flag in self.flags), None)

    def exported(self, variable: str) -> Optional[tuple[str, Place]]:
        """Return the value that the command exports for a variable, with its place; None where it is not known."""
        blocks = self.command.blocks
        for word, start in self.command.words:
            found = assignment(word)
            if found is not None and found[0] == variable:
                return self._told(self.script.text(found[1], blocks), start)
        if variable not in self.script.exported or variable not in self.script.assigned:
            return None
        return self._told(self.script.variable(variable, blocks), self.script.assigned[variable][0].start)

    def _told(self, text: str, start: int) -> Optional[tuple[str, Place]]:
        return (text, self.script.place(start)) if GAP not in text else None


# --- what starts a program


def starts(program: Files) -> tuple[Start, ...]:
    """Return the commands in shell scripts near the entry script that start it."""
    scripts = [shell_variables.read(path, program.project.raw(path) or b"") for path in _scripts(program)]
    found = (_start(program, script, started) for script in scripts for started in _starting(script))
    return tuple(start for start in found if start is not None)


def _scripts(program: Files) -> list[str]:
    """Return the shell scripts that may start the entry script: they contain its name."""
    directory, name = os.path.split(program.entry)
    stem = name.rpartition(".")[0].encode("utf-8", "surrogateescape")
    found = []
    for home in dict.fromkeys(_homes(program, directory)):  # the folder of the entry script may be such a one
        for script in sorted(program.project.files.named(home, "*.sh", "*.bash")):
            raw = program.project.raw(os.path.join(home, script)) or b""
            if stem in raw and len(raw) <= SIZE:
                found.append(os.path.join(home, script))
            elif stem in raw:
                program.leave_out(Message("{file} is larger than {most} KB", file=script, most=SIZE // 1024))
    return found


def _homes(program: Files, directory: str) -> Iterator[str]:
    """Yield the folders with launchers, the nearest first."""
    files = program.project.files
    for base in program.project.ancestors(directory):
        for home in (base, *(os.path.join(base, outer) for outer in sorted(files.named(base, *OUTER)))):
            yield home
            names = files.named(home, *FOLDERS)
            yield from (os.path.join(home, folder) for folder in sorted(names) if "." not in folder)


def _start(program: Files, script: Script, started: Started) -> Optional[Start]:
    """Return a command as a start of the program; None for other commands."""
    name = os.path.basename(program.entry)
    for text, position in started.files:
        if os.path.basename(text) == name:
            folders = _Folders(program, script, started.command)
            if folders.find(text) == program.entry:
                words = started.words[position + 1 :]
                flags = {**_possible(script, started, position), **dict(_flags(folders, words))}
                return Start(script, started.command, flags, tuple(_settings(script, words)))
    return None


def _possible(script: Script, started: Started, position: int) -> dict[str, Given]:
    """Return the flags in variables that a command may pass, with unknown values."""
    begin = started.words[position][1]
    words = [(word, start) for word, start in started.command.words if start > begin]
    unsure = ((word, start) for word, start in words if GAP in script.text(word, started.command.blocks))
    return {
        flag: Given(None, False, script.place(start)) for word, start in unsure for flag in script.possible_flags(word)
    }


class Started(NamedTuple):
    """A command that starts Python files: its words, and the positions of the files among them."""

    command: Command
    words: Sequence[tuple[str, int]]
    files: Sequence[tuple[str, int]]


@lru_cache(maxsize=shell_variables.HELD)
def _starting(script: Script) -> tuple[Started, ...]:
    """Return the commands of a script that start Python files of any program."""
    found = (_started(script, command) for command in script.commands)
    return tuple(started for started in found if started is not None and started.files)


def _started(script: Script, command: Command) -> Optional[Started]:
    """Return a command with the Python files that it may start; None for other commands."""
    if command.name and not _is_runner(command.name) and not assignment(command.words[0][0]):
        return None
    words = [(text, start) for word, start in command.words for text in script.texts(word, command.blocks)]
    while words and assignment((words[0][0],)):
        words.pop(0)
    if not words or not _is_runner(words[0][0]):
        return None
    files = []
    for position, (text, _) in enumerate(words):
        is_module = text == "-m" and position + 1 < len(words)
        if is_module:
            text, position = words[position + 1][0].replace(".", os.sep) + ".py", position + 1
        if text.endswith(".py"):
            files.append((_apart(text), position))
            if not is_module:  # `python -m launcher train.py` goes on
                break
    return Started(command, words, files)


def _is_runner(name: str) -> bool:
    """Return whether a command starts programs: Python, a process launcher, or an unknown `$PYTHON`."""
    word = os.path.basename(name)
    return name == GAP or word in RUNNERS or word.startswith("python") or word.endswith(".py")


def _flags(folders: _Folders, words: Sequence[tuple[str, int]]) -> Iterator[tuple[str, Given]]:
    """Yield the flags behind the entry script."""
    for position, (text, start) in enumerate(words):
        flag, sign, value = text.partition("=")
        if not re.match(FLAG, flag):
            continue
        place = folders.script.place(start + len(flag + sign))
        if not sign and position + 1 < len(words):
            following, start = words[position + 1]
            if not re.match(FLAG, following.partition("=")[0]):
                sign, value, place = " ", following, folders.script.place(start)
        yield flag, Given(folders.told(value) if sign else None, not sign, place)


def _settings(script: Script, words: Sequence[tuple[str, int]]) -> Iterator[Setting]:
    """Yield the settings of config files in words: `mode=1`, `--opt=mode=1`, and of two words `run.mode 1`."""
    before = ""
    for word, start in words:
        flag, sign, value = word.partition("=")
        is_flag = re.match(FLAG, flag) is not None
        found = re.match(OVERRIDE, value if is_flag and sign else word)
        key, text = (found[1], found[2]) if found is not None else (before, word)
        if key and not (is_flag and found is None):
            yield key, text if GAP not in text else None, script.place(start)
        before = word if found is None and not is_flag and re.match(_DOTTED, word) else ""


class _Folders:
    """The folders to which a path in a command may be relative."""

    def __init__(self, program: Files, script: Script, command: Command) -> None:
        self.program = program
        self.script = script
        home = os.path.dirname(script.path)
        above = os.path.dirname(home)
        self.homes: tuple[str, ...] = (home, above)  # scripts are started in their folder, or in that above
        if os.path.basename(above) in OUTER:
            self.homes = (home, above, os.path.dirname(above))
        self.steps = list(_steps(script, command))

    def find(self, path: str, *others: str) -> Optional[str]:
        """Return the file of a path, also relative to further folders; None without one.

        Scripts often make a folder and copy into it what they start: then the path is relative to the copied
        folder.
        """
        for home in self.homes:
            seen = os.path.normpath(os.path.join(home, *self.steps, _whole(path)))
            if self._is_there(seen):
                return seen
        rest = [part for part in os.path.normpath(path).split(os.sep) if part and part != os.pardir]
        is_certain = GAP not in path and not os.path.isabs(path)  # else its first parts may be those of one machine
        for start in range(1 if is_certain else len(rest)):
            for home in (*self.homes, *others):
                seen = os.path.join(home, *rest[start:])
                if self._is_there(seen):
                    return seen
        return None

    def told(self, value: str) -> Optional[str]:
        """Return the value of a flag, of a config file the full path; None where it is not known."""
        if names_config(value):
            return self.find(_apart(value), os.path.dirname(self.program.entry))
        return value if GAP not in value else None

    def _is_there(self, path: str) -> bool:
        directory, name = os.path.split(path)
        return GAP not in path and bool(self.program.project.files.named(directory, name))


def _steps(script: Script, command: Command) -> Iterator[str]:
    """Yield the folders into which a script changes before a command, each relative to the one before."""
    blocks: Blocks = command.blocks
    for other in script.commands:
        if other is command:
            return
        if other.name == "cd" and len(other.words) > 1 and blocks[: len(other.blocks)] == other.blocks:
            yield _whole(script.text(other.words[1][0], other.blocks))


def _apart(path: str) -> str:
    """Return a path with unknown folders apart from names: the value in `${FOLDER}train.py` ends with a slash."""
    parts = ((part, part.lstrip(GAP)) for part in path.split("/"))
    return "/".join(f"{GAP}/{name}" if name and name != part else part for part, name in parts)


def _whole(path: str) -> str:
    """Return a path without what scripts write before an absolute one: `./$(dirname $0)`."""
    return path[2:] if path.startswith(".//") else path
