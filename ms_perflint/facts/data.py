"""The data types of facts: answers with their evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Union

from ms_perflint.core.findings import Place
from ms_perflint.languages import ENGLISH, say

Plain = Union[bool, int, float, str, None]  # JSON data; None: unknown, or nothing there


@dataclass(frozen=True)
class Origin:
    """The origin of a value: a key of a config file, a command-line option, a constant."""

    place: Place
    text: str
    is_setting: bool = False  # an option or a key of a file, which a user sets
    is_given: bool = False  # by the one run that is judged


@dataclass(frozen=True)
class Evidence:
    """One place with evidence for a fact."""

    place: Place
    code: str  # the code there, cut short
    says: str = ""  # its meaning
    value: Plain = None
    origins: tuple[Origin, ...] = ()
    when: str = ""  # the conditions under which it runs


@dataclass(frozen=True)
class Fact:
    """One thing that the program shows."""

    name: str  # in English also a key of the JSON
    answer: Plain
    says: str  # the answer for people, with the reason where there is no evidence
    evidence: tuple[Evidence, ...] = ()
    is_there: bool = True  # False: the program has nothing of the kind


@dataclass(frozen=True)
class Verdict:
    """The result of one rule for a program."""

    code: str
    name: str
    places: tuple[Place, ...] = ()  # of its findings
    hidden: tuple[Place, ...] = ()  # places of findings that a comment or the configuration suppresses
    is_on: bool = True
    is_judged: bool = True  # False: it ran, found nothing, and may have missed something
    otherwise: tuple[tuple[str, int], ...] = ()  # if it does not report: a setting with which it does, and its findings


@dataclass(frozen=True)
class Overview:
    """A program on one line."""

    entry: str
    facts: tuple[Fact, ...]  # trains, mode, version, device


@dataclass(frozen=True)
class Way:
    """The facts of a program in one of its run configurations."""

    name: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Facts:
    """The facts of one program; with several run configurations, those of the first."""

    entry: str
    files: tuple[str, ...]
    facts: tuple[Fact, ...]
    settings: tuple[Origin, ...]
    verdicts: tuple[Verdict, ...]
    ways: tuple[Way, ...] = ()  # of a program with several run configurations, each of them


@dataclass(frozen=True)
class Answer:
    """The facts of a path: its first program in full, the others on one line each."""

    path: str
    facts: tuple[Facts, ...]
    others: tuple[Overview, ...] = ()
    is_cut: bool = False  # there are more
    is_directory: bool = False
    unknown: tuple[Overview, ...] = ()  # in a directory: programs that may train
    idle: tuple[Overview, ...] = ()  # and those that do not
    defining: int = 0  # files that use MindSpore and start nothing


def in_language(fact: Fact, language: str) -> Fact:
    """Return a fact with answer and evidence in a language; its name, a key in JSON, stays as it is."""
    if language == ENGLISH:
        return fact
    evidence = tuple(
        replace(
            each,
            says=say(each.says, language),
            when=say(each.when, language),
            origins=tuple(replace(origin, text=say(origin.text, language)) for origin in each.origins),
        )
        for each in fact.evidence
    )
    return replace(fact, says=say(fact.says, language), evidence=evidence)
