"""The variables of a shell script, and the expansion of its words."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, Optional, Union

from ms_perflint.core.findings import Place
from ms_perflint.program.shell import Blocks, Command, Substitution, Unknown, Variable, Word, commands, literal

HELD = 128  # scripts that are remembered: those of one folder may start each of its programs
STEPS = 200  # variables and substitutions that are looked at for one word
DEPTH = 20  # of them inside one another
GAP = "\0"  # in a text: a part that cannot be told
_FLAG = r"(?<![^\s\"'(])--?[A-Za-z][\w-]*"
_ASSIGNMENT = r"([A-Za-z_]\w*)(\+?)="
_DECLARES = frozenset({"export", "declare", "local", "readonly", "typeset"})
_TAKES = frozenset({"read", "unset", "for", "select", "let", "getopts"})


class Assignment(NamedTuple):
    """An assignment to a variable."""

    word: Word
    start: int  # its offset
    blocks: Blocks


@lru_cache(maxsize=HELD)
def read(path: str, raw: bytes) -> Script:
    """Return a script, parsed once for all programs that it may start."""
    return Script(path, raw)


class Script:
    """A script with its variables."""

    def __init__(self, path: str, raw: bytes) -> None:
        self.path = path
        self.code = raw.decode("utf-8", "replace")
        self.commands = tuple(commands(self.code))
        self.assigned: dict[str, list[Assignment]] = {}
        self.exported: set[str] = set()
        for command in self.commands:
            self._note(command)

    def place(self, start: int) -> Place:
        """Return the place of an offset."""
        line = self.code.rfind("\n", 0, start) + 1
        return Place(self.path, self.code.count("\n", 0, start) + 1, start - line + 1)

    def _note(self, command: Command) -> None:
        """Note the variables that a command changes."""
        if command.name in _TAKES:
            taken = command.words[1:2] if command.name in ("for", "select") else command.words[1:]
            for word, start in taken:
                self._assign(literal(word) or "", (Unknown(),), start, command)
            return
        declares = command.name in _DECLARES
        if not declares and assignment(command.words[0][0]) is None:
            return
        found = [(assignment(word), word, start) for word, start in command.words[declares:]]
        for assigned, word, start in found:
            if assigned is not None and (declares or all(other for other, _, _ in found)):
                self._assign(*assigned, start, command)
            if command.name == "export":
                self.exported.add(assigned[0] if assigned is not None else literal(word) or "")

    def _assign(self, name: str, word: Word, start: int, command: Command) -> None:
        self.assigned.setdefault(name, []).append(Assignment(word, start, command.blocks))

    def texts(self, word: Word, blocks: Blocks) -> list[str]:
        """Return the words of an expanded word: several for a variable without quotes that holds several."""
        text = self.text(word, blocks)
        return text.split() if len(word) == 1 and isinstance(word[0], Variable) and not word[0].quoted else [text]

    def text(self, word: Word, blocks: Blocks) -> str:
        """Return an expanded word, with GAP in place of unknown parts."""
        return literal(word) or _Expansion(self).text(word, blocks)

    def possible_flags(self, word: Word) -> Iterator[str]:
        """Yield the flags in the possible values of the variables of a word."""
        todo, seen = list(word), set[str]()
        for part in islice(todo, STEPS):  # which gets more on the way
            if isinstance(part, Variable) and part.name not in seen:
                seen.add(part.name)
                held = [assigned.word for assigned in self.assigned.get(part.name, ())]
                for inner in (*held, part.default or ()):
                    yield from (flag for each in inner for flag in re.findall(_FLAG, _written(each)))
                    todo.extend(inner)

    def variable(self, name: str, blocks: Blocks) -> str:
        """Return the value of a variable in some blocks; GAP where it is not known."""
        return _Expansion(self).variable(name, blocks)


class _Expansion:
    """Expands the variables in a word, in a bounded number of steps."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.steps = 0
        self.within: list[str] = []  # the variables that are being looked at

    def text(self, word: Word, blocks: Blocks) -> str:
        return "".join(part if isinstance(part, str) else self._part(part, blocks) for part in word)

    def _part(self, part: Union[Variable, Substitution, Unknown], blocks: Blocks) -> str:
        self.steps += 1
        if self.steps > STEPS or len(self.within) > DEPTH or isinstance(part, Unknown):
            return GAP
        if isinstance(part, Substitution):
            return self._inside("", self._substitution, part, blocks)
        text = self.variable(part.name, blocks)
        if GAP not in text or part.default is None:
            return text
        is_unset = part.name not in self.script.assigned or part.name in self.within
        return self._inside(part.name, self.text, part.default, blocks) if is_unset else text

    def _inside(self, name: str, work: Callable[..., str], *arguments: object) -> str:
        self.within.append(name)
        try:
            return work(*arguments)
        finally:
            self.within.pop()

    def variable(self, name: str, blocks: Blocks) -> str:
        """Return the value of a variable in some blocks, if all assignments agree and one of them has run; else GAP."""
        if name in ("0", "BASH_SOURCE"):
            return self.script.path
        if name == "PWD":
            return os.curdir
        found = self.script.assigned.get(name, [])
        if name in self.within or not any(blocks[: len(each.blocks)] == each.blocks for each in found):
            return GAP
        texts = {self._inside(name, self.text, each.word, each.blocks) for each in found}
        return texts.pop() if len(texts) == 1 else GAP

    def _substitution(self, part: Substitution, blocks: Blocks) -> str:
        """Return the result of the common idioms for the folder of a script."""
        text = ""
        for command in commands(part.text):
            last = self.text(command.words[-1][0], blocks) if len(command.words) > 1 else GAP
            if command.name == "dirname":
                text = os.path.dirname(last) or (GAP if last == GAP else os.curdir)
            elif command.name in ("cd", "readlink", "realpath", "echo"):
                text = last
            elif command.name == "pwd":
                text = text or os.curdir
            elif command.name != "exit":
                return GAP
        return text


def assignment(word: Word) -> Optional[tuple[str, Word]]:
    """Return the variable and the value of `NAME=value`; of `NAME+=value` an unknown one. None for other words."""
    first = word[0]
    match = re.match(_ASSIGNMENT, first) if isinstance(first, str) and "=" in first else None
    if match is None or not isinstance(first, str):
        return None
    value: Word = (first[match.end() :], *word[1:])
    return match.group(1), (Unknown(" ".join(map(_written, value))),) if match.group(2) else value


def _written(part: Union[str, Variable, Substitution, Unknown]) -> str:
    """Return the literal text in a part of a word."""
    return part if isinstance(part, str) else part.text if isinstance(part, Unknown) else ""
