"""Words of facts, and how phrases are put together of others: each part can be said in any language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ms_perflint.languages import Message

YES, NO, NONE = Message("yes"), Message("no"), Message("none")
UNKNOWN, DEPENDS = Message("unknown"), Message("it depends")


def also(text: str, more: str) -> str:
    """Return a phrase, and behind it what else is to be said, if anything is."""
    return Message("{text}; {more}", text=text, more=more) if more else text


def either(texts: Sequence[str]) -> str:
    """Return phrases one of which holds."""
    return reduce(lambda some, last: Message("{some} or {last}", some=some, last=last), texts)


def both(texts: Sequence[str]) -> str:
    """Return phrases all of which hold."""
    return reduce(lambda some, last: Message("{some} and {last}", some=some, last=last), texts)


def listed(texts: Sequence[str]) -> str:
    """Return phrases one behind the other."""
    return reduce(lambda some, last: Message("{some}, {last}", some=some, last=last), texts)


def yes_or_no(answers: set[object]) -> tuple[bool | None, str]:
    """Return what answers for several places come to, and the words for it."""
    if None not in answers and len(answers) == 1:
        return (True, YES) if answers == {True} else (False, NO)
    return None, UNKNOWN if len(answers) < 2 else DEPENDS
