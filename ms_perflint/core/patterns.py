"""Patterns in the language of .gitignore, matched as git matches them, in a time that is bounded.

A pattern becomes a regular expression that tries each wildcard at one place after the other and, once what follows it
fits, never again: what comes first is as good as what comes later, since the next wildcard takes up the difference. A
match so takes at most as many steps as the pattern has characters times those of the path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ms_perflint.languages import Message

LONGEST = 4096  # characters of a pattern, as of a path
SPECIAL = frozenset("*?[\\")
ANY, SLASH = "[^/]", "/"
STAR, FOLDERS, REST = "*", "**/", ".*"  # the tokens that stand for more than one character
CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \t",
    "cntrl": "\0-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \t-\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class Pattern(NamedTuple):
    """One pattern, and whether it includes or re-includes paths."""

    takes: bool
    only_folders: bool
    by_name: bool  # the name alone has to fit, in whatever folder
    literal: str | None  # what fits; None where the expression says it
    expression: re.Pattern[str] | None

    def fits(self, path: str, name: str) -> bool:
        """Return whether a relative path, or its last name, matches."""
        text = name if self.by_name else path
        return text == self.literal if self.expression is None else self.expression.match(text) is not None


class Spec:
    """Patterns; the last one that matches decides."""

    def __init__(self, patterns: Iterable[Pattern | None]) -> None:
        """Parse the patterns of some lines."""
        self._patterns = tuple(pattern for pattern in patterns if pattern is not None)[::-1]

    def __call__(self, path: str, folder: bool) -> bool | None:
        """Return whether a relative path with slashes is included; None where no pattern matches."""
        name = path.rpartition(SLASH)[2]
        for pattern in self._patterns:
            if (folder or not pattern.only_folders) and pattern.fits(path, name):
                return pattern.takes
        return None


def parse(line: str) -> Pattern | None:
    """Return the pattern of a line; None for an empty line or a comment. Raises ValueError for what can fit nothing."""
    if not line or line.startswith("#"):
        return None
    text = _stripped(line)
    if not text:
        return None
    body = text.removeprefix("!")
    place = body.removesuffix(SLASH)
    names = place.removeprefix(SLASH)
    if not names:
        raise ValueError(Message("it names nothing"))
    if len(names) > LONGEST:
        raise ValueError(Message("it has more than {most} characters", most=LONGEST))
    by_name = SLASH not in place
    is_literal = SPECIAL.isdisjoint(names)
    expression = None if is_literal else _Expressions().whole(_tokens(names, not by_name))
    return Pattern(body == text, body != place, by_name, names if is_literal else None, expression)


def parsed(line: str) -> Pattern | None:
    """Return the pattern of a line; None also for one that can fit nothing."""
    try:
        return parse(line)
    except ValueError:
        return None


def _stripped(line: str) -> str:
    """Return a line without the spaces at its end, but for one behind a backslash."""
    text = line.rstrip(" ")
    backslashes = len(text) - len(text.rstrip("\\"))
    return text + " " if backslashes % 2 and len(text) < len(line) else text


def _tokens(text: str, folders: bool) -> list[str]:
    """Return expressions of one character each, and wildcards; `folders` where two stars may stand for folders."""
    tokens: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        if character == "*":
            found, at = _stars(text, at, folders)
        elif character == "[":
            found, at = _set(text, at + 1)
        elif character == "\\":
            if at + 1 == len(text):
                raise ValueError(Message("nothing follows its backslash"))
            found, at = [re.escape(text[at + 1])], at + 2
        else:
            found, at = [ANY if character == "?" else re.escape(character)], at + 1
        tokens += found
    return tokens


def _stars(text: str, at: int, folders: bool) -> tuple[list[str], int]:
    """Return the tokens of the stars that begin here, and where they end.

    To git two stars stand for folders between slashes, and also behind a start that has no wildcard: `a/b**/c`.
    """
    rest = text[at:].lstrip("*")
    end = len(text) - len(rest)
    begins = SPECIAL.isdisjoint(text[:at]) or text[at - 1] == SLASH
    if not folders or end - at == 1 or not begins:
        return [STAR], end
    if rest.startswith(SLASH):
        return [FOLDERS], end + 1
    if rest.startswith("\\/"):  # at least one
        return [STAR, SLASH, FOLDERS], end + 2
    return [STAR if rest else REST], end


def _set(text: str, at: int) -> tuple[list[str], int]:
    """Return the token of a set of characters that begins here, behind its bracket, and where it ends."""
    negated = text[at : at + 1] in ("!", "^")
    first = at = at + negated
    parts: list[str] = []
    low = ""  # the character before, where a range may begin with it
    while at == first or text[at : at + 1] != "]":
        character, at = text[at : at + 1], at + 1
        close = text.find("]", at + 1) if text[at - 1 : at + 1] == "[:" else -1
        if close > at + 1 and text[close - 1] == ":":
            parts.append(_named(text[at + 1 : close - 1]))
            low, at = "", close + 1
        elif character == "-" and low and text[at : at + 1] not in ("", "]"):
            high, at = _character(text, at)
            parts += [f"{re.escape(low)}-{re.escape(high)}"] if low <= high else []
            low = ""
        else:
            low, at = _character(text, at - 1)
            parts.append(re.escape(low))
    return [f"(?!/)[{'^' if negated else ''}{''.join(parts)}]"], at + 1


def _character(text: str, at: int) -> tuple[str, int]:
    """Return a character of a set, and where it ends; behind a backslash it stands for itself."""
    at += text[at : at + 1] == "\\"
    if at >= len(text):
        raise ValueError(Message("its [ has no ]"))
    return text[at], at + 1


def _named(name: str) -> str:
    """Return the characters of a class, as they stand in a set of a regular expression."""
    if name not in CLASSES:
        raise ValueError(Message('"{name}" is no class of characters', name=name))
    return CLASSES[name]


class _Expressions:
    """Makes the regular expression of a pattern, and counts the groups in it."""

    def __init__(self) -> None:
        self._groups = 0

    def whole(self, tokens: list[str]) -> re.Pattern[str]:
        """Return the expression of all tokens."""
        first, *others = [self._block(block) for block in _split(tokens, FOLDERS)]
        parts = [first, *(self._once(f"(?:.*?/)??{block}") for block in others[:-1])]
        parts += [f"(?:.*?/)??{block}" for block in others[-1:]]
        return re.compile("".join(parts) + r"\Z", re.DOTALL)

    def _block(self, tokens: list[str]) -> str:
        """Return the expression of the tokens between two wildcards for folders."""
        segments = []
        for segment in _split(tokens, SLASH):
            first, *others = ["".join(piece) for piece in _split(segment, STAR)]
            parts = [first, *(self._once(f"[^/]*?{piece}") for piece in others[:-1] if piece)]
            segments.append("".join(parts + [f"[^/]*{piece}" for piece in others[-1:]]))
        return SLASH.join(segments)

    def _once(self, expression: str) -> str:
        """Return an atomic group: `(?>...)`, which Python knows from 3.11 on."""
        self._groups += 1
        return f"(?=(?P<g{self._groups}>{expression}))(?P=g{self._groups})"


def _split(tokens: list[str], at: str) -> list[list[str]]:
    """Return what stands between certain tokens."""
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == at:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
