"""The commands in a shell script, and their words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, Optional, Union

Blocks = tuple[int, ...]  # the arms of `if`, loops, functions and cases around a command, outermost first


class Variable(NamedTuple):
    """`$NAME` or `${NAME:-default}`; `quoted` where it stays one word."""

    name: str
    default: Optional[Word] = None
    quoted: bool = False


class Substitution(NamedTuple):
    """`$(...)` or its older spelling with backquotes."""

    text: str


class Unknown:
    """An unknown part of a word: `${NAME%.py}`, `$((1 + 2))`."""

    def __init__(self, text: str = "") -> None:
        self.text = text  # in which words stand that it may become


Word = tuple[Union[str, Variable, Substitution, Unknown], ...]


class Command(NamedTuple):
    """A simple command: its words, where it starts, and the blocks around it."""

    name: str  # the first word where it is literal, else ""
    words: tuple[tuple[Word, int], ...]  # each with its offset in the script
    blocks: Blocks


def literal(word: Word) -> Optional[str]:
    """Return the text of a word without variables; None for others."""
    if len(word) == 1:
        return word[0] if isinstance(word[0], str) else None
    return "".join(map(str, word)) if all(isinstance(part, str) for part in word) else None


# --- words

_PLAIN = r"(?:[^ \t\r\n'\"\\$`;|&()<>]+|\r(?!\n))+"  # other blanks than these are letters for a shell
_SPACE = r"(?:[ \t]|\\\r?\n)+"
_COMMENT = r"#[^\n]*"
_HERE = r"<<-?[ \t]*\\?(['\"]?)(\w+)\1"
_REDIRECTION = r"\d*(?:&>>?|<<<|<>|[<>]&|>>|>\||[<>])[ \t]*"
_END = r"\r?\n|;;&?|;&|&&|\|\||\|&|[;|&()]"
_NAME = r"[A-Za-z_]\w*|[0-9@*#?$!-]"
_BRACED = r"([A-Za-z_]\w*|[0-9@*])(?:\[[0@*]\])?(?::?-((?:[^{}]|\{[^{}]*\})*))?$"


class _Lexer:
    """Splits a script into words and the operators between commands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._awaited: list[str] = []  # ends of here-documents that start at the next line

    def tokens(self) -> Iterator[tuple[Union[str, Word], int]]:
        """Yield words, and the operators that end commands as plain text, each with its offset."""
        text, redirected = self.text, False
        while self.at < len(text):
            sign = text[self.at]
            if match := _match(_SPACE, text, self.at) if sign in " \t\\" else None:
                self.at = match.end()
            elif sign == "#":
                self.at = _end(_COMMENT, text, self.at)
            elif match := _match(_HERE, text, self.at) if sign == "<" else None:
                self._awaited.append(match.group(2))
                self.at = match.end()
            elif match := _match(_REDIRECTION, text, self.at) if sign in "<>&" or sign.isdigit() else None:
                self.at, redirected = match.end(), True
            elif match := _match(_END, text, self.at) if sign in "\r\n;&|()" else None:
                yield match.group().strip() or "\n", self.at
                self.at = match.end()
                redirected = False
                if match.group().endswith("\n"):
                    self._skip_documents()
            else:
                start, word = self.at, self.word()
                if not redirected:
                    yield word, start
                redirected = False

    def _skip_documents(self) -> None:
        for end in self._awaited:
            match = re.compile(rf"^[ \t]*{end}[ \t]*\r?$", re.MULTILINE).search(self.text, self.at)
            self.at = match.end() if match else len(self.text)
        self._awaited.clear()

    def word(self) -> Word:
        """Return the word that starts here."""
        parts: list[Union[str, Variable, Substitution, Unknown]] = []
        text = self.text
        while self.at < len(text):
            sign = text[self.at]
            if match := _match(_PLAIN, text, self.at):
                parts.append(match.group())
                self.at = match.end()
            elif sign == "'":
                end = text.find("'", self.at + 1)
                end = len(text) if end < 0 else end
                parts.append(text[self.at + 1 : end])
                self.at = end + 1
            elif sign == '"':
                self.at += 1
                parts.extend(self._quoted())
            elif sign == "\\":
                following = text[self.at + 1 : self.at + 2]
                parts.append("" if following == "\n" else following)
                self.at += 2
            elif sign in "$`":
                parts.append(self._expansion(False))
            elif sign == "(" and parts and str(parts[-1]).endswith("="):
                start, self.at = self.at, _closing(text, self.at)  # `NAME=(...)`: an array
                parts.append(Unknown(text[start : self.at]))
            else:
                break
        return tuple(parts) or ("",)

    def _quoted(self) -> Iterator[Union[str, Variable, Substitution, Unknown]]:
        """Yield the parts of a text in double quotes, behind the first quote."""
        text = self.text
        yield ""
        while self.at < len(text) and text[self.at] != '"':
            if text[self.at] in "$`":
                yield self._expansion(True)
            elif text[self.at] == "\\":
                following = text[self.at + 1 : self.at + 2]
                yield following if following in '"\\$`' else "" if following == "\n" else "\\" + following
                self.at += 2
            else:
                start = self.at
                self.at = _end(_INSIDE, text, start)
                yield text[start : self.at]
        self.at += 1

    def _expansion(self, quoted: bool) -> Union[str, Variable, Substitution, Unknown]:
        text, start = self.text, self.at
        if text[start] == "`":
            end = text.find("`", start + 1)
            self.at = len(text) if end < 0 else end + 1
            return Substitution(text[start + 1 : self.at - 1])
        if text.startswith("$((", start):
            self.at = _closing(text, start + 1)
            return Unknown()
        if text.startswith("$(", start):
            self.at = _closing(text, start + 1)
            return Substitution(text[start + 2 : self.at - 1])
        if text.startswith("${", start):
            self.at = _closing(text, start + 1)
            return _braced(text[start + 2 : self.at - 1], quoted)
        match = _match(_NAME, text, start + 1)
        self.at = match.end() if match else start + 1
        return Variable(match.group(), None, quoted) if match else "$"


_INSIDE = r"[^\"\\$`]+"
_compiled = lru_cache(maxsize=None)(re.compile)  # compiled when the first script is read, and never looked for again


def _match(pattern: str, text: str, start: int) -> Optional[re.Match[str]]:
    """Return the match of a pattern that begins at an offset."""
    return _compiled(pattern).match(text, start)


def _end(pattern: str, text: str, start: int) -> int:
    match = _match(pattern, text, start)
    return match.end() if match else start + 1


def _closing(text: str, start: int) -> int:
    """Return the offset behind the bracket that closes the one at `start`."""
    opens, closes = ("{", "}") if text[start] == "{" else ("(", ")")
    depth = 0
    for at in range(start, len(text)):
        if text[at] == opens:
            depth += 1
        elif text[at] == closes:
            depth -= 1
            if not depth:
                return at + 1
    return len(text)


def _braced(inside: str, quoted: bool) -> Union[Variable, Unknown]:
    match = re.match(_BRACED, inside)
    if match is None:
        return Unknown()
    default = match.group(2)
    return Variable(match.group(1), _Lexer(default).word() if default is not None else None, quoted)


# --- commands

_OPENS = frozenset({"if", "for", "while", "until", "case", "select", "{"})
_CLOSES = frozenset({"fi", "done", "esac", "}"})
_ARMS = frozenset({"else", "elif"})
_KEYWORDS = frozenset({*_OPENS, *_CLOSES, *_ARMS, "then", "do", "!", "time"})
_PREFIXES = frozenset({"then", "do", "else", "elif", "if", "while", "until", "{", "!", "time"})


def commands(text: str) -> Iterator[Command]:
    """Yield the simple commands of a script, in their order."""
    blocks = _Blocks()
    words: list[tuple[Word, int]] = []
    for token, start in (*_Lexer(text).tokens(), ("\n", 0)):
        if not isinstance(token, str):
            words.append((token, start))
            continue
        if words and literal(words[0][0]) == "function":
            del words[:2]
        blocks.enter(words)
        while words and literal(words[0][0]) in _PREFIXES:
            words.pop(0)
        if words:
            yield Command(literal(words[0][0]) or "", tuple(words), blocks.open)
        blocks.leave(token)
        words = []


class _Blocks:
    """The blocks around the command that is being read."""

    def __init__(self) -> None:
        self._stack: list[tuple[str, int]] = []
        self._made = 0

    @property
    def open(self) -> Blocks:
        return tuple(number for _, number in self._stack)

    def enter(self, words: list[tuple[Word, int]]) -> None:
        """Note the keywords at the beginning of a command."""
        for word, _ in words:
            text = literal(word)
            if text not in _KEYWORDS:
                return
            if text in _CLOSES or text in _ARMS:
                del self._stack[-1:]
            if text in _ARMS:
                self._push("if")
            if text in _OPENS:
                self._push(str(text))
            if text not in _PREFIXES:
                break

    def leave(self, sign: str) -> None:
        """Note the operator that ends a command."""
        if sign == "(":
            self._push("(")
        elif sign == ")" and self._stack and self._stack[-1][0] == "(":
            self._stack.pop()
        elif sign.startswith(";;") and self._stack:
            self._push(self._stack.pop()[0])

    def _push(self, kind: str) -> None:
        self._made += 1
        self._stack.append((kind, self._made))
