"""Words of facts, and phrases composed of others, each of which can be translated."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ms_perflint.languages import Message

YES, NO, NONE = Message("yes"), Message("no"), Message("none")
UNKNOWN, DEPENDS = Message("unknown"), Message("it depends")


def also(text: str, more: str) -> str:
    """Return a phrase, followed by another one if it is not empty."""
    return Message("{text}; {more}", text=text, more=more) if more else text


def either(texts: Sequence[str]) -> str:
    """Return phrases joined by "or"."""
    return reduce(lambda some, last: Message("{some} or {last}", some=some, last=last), texts)


def both(texts: Sequence[str]) -> str:
    """Return phrases joined by "and"."""
    return reduce(lambda some, last: Message("{some} and {last}", some=some, last=last), texts)


def listed(texts: Sequence[str]) -> str:
    """Return phrases joined by commas."""
    return reduce(lambda some, last: Message("{some}, {last}", some=some, last=last), texts)


def yes_or_no(answers: set[object]) -> tuple[bool | None, str]:
    """Return the joint answer for several places, with its word."""
    if None not in answers and len(answers) == 1:
        return (True, YES) if answers == {True} else (False, NO)
    return None, UNKNOWN if len(answers) < 2 else DEPENDS
