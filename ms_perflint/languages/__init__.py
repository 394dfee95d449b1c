"""What the linter says, in the language of those who read it.

English stands in the code, where it is said, as the template of a `Message`. `zh.json` has the Chinese of each
template, with the same fields in whatever order Chinese wants them. It is read when something is said in Chinese.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache

ENGLISH = "en"
CHINESE = "zh"
LANGUAGES = (ENGLISH, CHINESE)
VARIABLE = "MS_PERFLINT_LANG"


class Message(str):
    """A text in English that knows of what it was made: a template, and the values of its fields.

    To most of the code it is a text like any other, on one line: what does not print in a value, which may come from a
    file of the repository, is escaped. Values may be messages themselves.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Message:
        """Return the message; a template without values is taken as it is."""
        message = super().__new__(cls, escaped(template.format(**values)) if values else template)
        message.template = template
        message.values = values
        return message

    def filled(self, **values: object) -> Message:
        """Return the message with values in its fields: for templates that stand in a table."""
        return type(self)(self.template, **values)

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        """Return what makes this message again in another process."""
        return (self.template,), dict(self.values)


def say(text: str, language: str) -> str:
    """Return a message in a language; English where that has no words for it, or where the text is no message."""
    if language == ENGLISH or not isinstance(text, Message):
        return text
    template = catalogue(language).get(text.template)
    if template is None or not text.values:
        return template or text
    values = {name: say(value, language) if isinstance(value, str) else value for name, value in text.values.items()}
    return escaped(template.format(**values))


def escaped(text: str) -> str:
    """Return a text on one line: what does not print, also bytes that are no text, as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return the templates of a language by their English."""
    import json  # here, because English does without

    with open(os.path.join(os.path.dirname(__file__), f"{language}.json"), encoding="utf-8") as file:
        topics: dict[str, dict[str, str]] = json.load(file)
    return {template: said for topic in topics.values() for template, said in topic.items()}


def chosen(asked: str | None, setting: str | None = None) -> str:
    """Return the language to speak: what was asked for, else the setting of the project, else that of the locale.

    Unless it was asked for, Chinese is chosen only if the output can encode it.
    """
    if asked is not None:
        return asked
    language = setting or of_locale()
    return language if language == ENGLISH or _shows("中文") else ENGLISH


def of_environment() -> str | None:
    """Return the language that the environment variable asks for; None where it names none that we speak."""
    name = os.environ.get(VARIABLE, "").lower()
    return name if name in LANGUAGES else None


def of_locale() -> str:
    """Return Chinese where the locale of messages is Chinese, else English."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return CHINESE if next(filter(None, names), "").lower().startswith("zh") else ENGLISH


def _shows(text: str) -> bool:
    """Return whether the output has signs for a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
