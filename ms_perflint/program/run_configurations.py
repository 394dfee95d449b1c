"""The run configurations of a program: each gives its options other values, and is judged on its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Protocol

from ms_perflint.core.files import CHANGE
from ms_perflint.core.findings import Place
from ms_perflint.infer import config_files, values
from ms_perflint.infer.commandline import ABSENT, CONFIGS, NOWHERE, Given, Setting
from ms_perflint.infer.queries import Queries
from ms_perflint.program import live_code
from ms_perflint.resolve import watched
from ms_perflint.resolve.config_documents import Entry
from ms_perflint.resolve.watched import Keys

if TYPE_CHECKING:
    from ms_perflint.infer.database import Files
    from ms_perflint.program.launchers import Start

Same = tuple[Optional[tuple[Optional[str], bool]], ...]


class Judged(Protocol):
    """A program in one run configuration."""

    watched: dict[str, dict[Keys, None]]

    @property
    def queries(self) -> Queries:
        """Return the answers of the program, with what was asked of the run configuration."""

    def config(self, path: str) -> Optional[Entry]:
        """Return a config file; None without it."""


class RunConfiguration(NamedTuple):
    """A run configuration of a program."""

    name: str  # as people know it: the launcher, the config file, the arguments
    place: Place  # where it is said
    flags: Mapping[str, Given]  # what it gives, by flag; without dashes: by the name of what is given by position
    overrides: tuple[Setting, ...] = ()  # `key=value` among its arguments, as hydra takes them
    settings: tuple[Setting, ...] = ()  # `key=value` behind an option, for config files: `-o key=value`
    start: Optional[Start] = None  # the command that it is, in a launcher
    is_all: bool = False  # no more is passed than it says
    is_rest_open: bool = False  # what it does not say is as launchers give it

    def given(self, flags: Iterable[str]) -> Optional[Given]:
        """Return what the run passes for an option with these flags; None where a user may pass it, too."""
        found = next((self.flags[flag] for flag in flags if flag in self.flags), None)
        return found if found is not None or not self.is_all else ABSENT


def of_starts(starts: Sequence[Start], root: str) -> tuple[RunConfiguration, ...]:
    """Return the commands of launchers as run configurations, without repeated ones; none where all are the same.

    Each has all that its command passes, with unknown parts. Runs that pass the same for the options that are asked
    for, or of which rules learn the same, are judged once: see `Program.is_run_as` and `is_answered_as`.
    """
    found: dict[object, RunConfiguration] = {}
    for start in starts:
        if not _is_for_debugging(start):
            place = start.script.place(start.command.words[0][1])
            known = {flag: each for flag, each in start.flags.items() if each.is_bare or each.text is not None}
            told = frozenset((flag, each.text, each.is_bare) for flag, each in known.items())
            name, own = os.path.relpath(start.script.path, root), start.settings
            found.setdefault((told, said(own)), RunConfiguration(name, place, start.flags, own, own, start))
    return told_apart(found.values()) if len(found) > 1 else ()


def said(settings: Iterable[Setting]) -> tuple[tuple[str, Optional[str]], ...]:
    """Return settings without their places."""
    return tuple((key, text) for key, text, _ in settings)


def _is_for_debugging(start: Start) -> bool:
    """Return whether a command asks for debugging, which is no training."""
    asked = (given for flag, given in start.flags.items() if "debug" in flag.lower())
    return any(given.is_bare or (given.text or "").lower() in ("1", "true", "yes", "on") for given in asked)


def has_changed(program: Files, run: RunConfiguration, names: Sequence[str] = ()) -> bool:
    """Return whether a changed file defines a run configuration, or is one of its config files.

    Also whether one of its config files contains one of some `names` of files.
    """
    named = [each.text for each in run.flags.values() if each.text is not None and each.text.endswith(CONFIGS)]
    found = [run.start.script.path] if run.start is not None else []
    for text in named:
        path = config_files.find(program, text, os.path.dirname(program.entry))
        found += (path, *config_files.below(program, path)) if path is not None else ()
    is_one = bool(program.project.files.named(CHANGE, *map(os.path.realpath, found)))
    return is_one or (bool(names) and program.project.one_contains(found, tuple(names)))


def words(program: Files, run: Optional[RunConfiguration], starts: Sequence[Start]) -> frozenset[str]:
    """Return the texts that a run passes, and the words of its config files, in lower case; None: the default run."""
    texts = [text for _, text, _ in (*run.overrides, *run.settings) if text is not None] if run is not None else []
    given = [each for start in starts for each in start.flags.values()] if run is None or run.is_rest_open else []
    texts += [each.text for each in (*(run.flags.values() if run is not None else ()), *given) if each.text is not None]
    found = {text.lower() for text in texts}
    for text in dict.fromkeys(texts):
        if text.endswith(CONFIGS):
            found |= live_code.config_words(program, text, os.path.dirname(program.entry))
    return frozenset(found)


def shortened(
    given: Mapping[str, Given], flags: Sequence[str], declared: Callable[[], frozenset[str]]
) -> Optional[Given]:
    """Return what is passed for an option by the beginning of a flag, or joined with its letter; None without it.

    `declared`: the flags of all options. A beginning of several flags has an unknown value.
    """
    for flag, each in given.items():
        is_joined = len(flag) > 2 and flag[:2] in flags  # `-j4`
        is_begin = len(flag) > 2 and any(name.startswith(flag) for name in flags)
        if (is_joined or is_begin) and flag not in declared():
            if is_joined:
                return Given(flag[2:], False, each.place)
            others = {name for name in declared() if name.startswith(flag)}.difference(flags)
            return Given(None, False, each.place) if others else each
    return None


def told_apart(runs: Iterable[RunConfiguration]) -> tuple[RunConfiguration, ...]:
    """Return run configurations with unique names: several commands of one script get their lines."""
    each = tuple(runs)
    names = [run.name for run in each]
    return tuple(run._replace(name=f"{run.name}:{run.place.row}") if names.count(run.name) > 1 else run for run in each)


class Compared:
    """How far a run configuration was compared with another one, which is not judged if it gives the same answers."""

    def __init__(self) -> None:
        self.is_apart = False
        self.done = 0  # questions
        self.files: dict[tuple[str, str], int] = {}  # keys, by the config files of the two

    def is_same(self, own: Judged, other: Judged) -> bool:
        """Return whether a program answers as this one did; a config file with other parts counts as the same.

        A difference stays, and only questions since the last comparison are compared.
        """
        self.is_apart = self.is_apart or not self._says_the_same(own, other)
        return not self.is_apart

    def _says_the_same(self, own: Judged, other: Judged) -> bool:
        asked = own.queries.of_run
        for question, known in islice(asked.items(), self.done, None):
            plain = _PLAIN.get(question.name)
            if plain is not None:
                one, two = plain(known), plain(attrgetter(question.name)(other)(*question.arguments))
                if one != two and not (plain is same and self._are_files(own, one, two)):
                    return False
        self.done = len(asked)
        return all(self._is_same_file(own, other, *files) for files in self.files)

    def _are_files(self, own: Judged, a: Same, b: Same) -> bool:
        """Return whether two answers may name config files, of which this one was read; then these are compared."""
        if len(a) != 1 or len(b) != 1 or a[0] is None or b[0] is None or a[0][1] != b[0][1]:
            return False
        one, two = a[0][0], b[0][0]
        if one is None or two is None or one not in own.watched:
            return False
        self.files.setdefault((one, two), 0)
        return True

    def _is_same_file(self, own: Judged, other: Judged, one: str, two: str) -> bool:
        """Return whether two config files are the same in what was read of this one since the last comparison."""
        asked = own.watched[one]
        new = islice(asked, self.files[one, two], None)
        self.files[one, two] = len(asked)
        return watched.is_same(new, own.config(one), other.config(two))


def is_alike(answer: object, other: object) -> bool:
    """Return whether two answers to a question are the same, wherever in launchers and config files they were read."""
    if type(answer) is type(other) is tuple:
        return _unplaced(answer) == _unplaced(other)
    return values.is_same(answer, other, anywhere=True)


def _unplaced(answer: tuple[object, ...]) -> tuple[object, ...]:
    placed = (each._replace(place=NOWHERE) if isinstance(each, Given) else each for each in answer)
    return tuple(NOWHERE if isinstance(each, Place) else each for each in placed)


def same(answer: Sequence[Optional[Given]]) -> Same:
    """Return the values that commands pass for an option, each once."""
    return tuple(dict.fromkeys((each.text, each.is_bare) if each is not None else None for each in answer))


def _text(exported: Optional[tuple[str, Place]]) -> Optional[str]:
    return exported[0] if exported is not None else None


_PLAIN: Mapping[str, Callable[[Any], Any]] = {"commands.given": same, "commands.exported": _text}  # without places
