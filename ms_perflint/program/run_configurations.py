"""The ways in which a program is run: each gives its options other values, and is judged like a program of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.core.files import CHANGE
from ms_perflint.core.findings import Place
from ms_perflint.infer import config_files
from ms_perflint.infer.commandline import ABSENT, CONFIGS, Given, Setting
from ms_perflint.program import live_code
from ms_perflint.resolve import watched
from ms_perflint.resolve.config_documents import Entry
from ms_perflint.resolve.watched import Keys

if TYPE_CHECKING:
    from ms_perflint.infer.database import Files
    from ms_perflint.program.launchers import Start

Document = Callable[[str], Optional[Entry]]
Same = tuple[Optional[tuple[Optional[str], bool]], ...]


class Answers(NamedTuple):
    """What a run configuration answers; nothing of that is noted."""

    given: Callable[[tuple[str, ...]], Sequence[Optional[Given]]]
    exported: Callable[[str], Optional[tuple[str, Place]]]
    config: Document


class RunConfiguration(NamedTuple):
    """One way in which a program is run."""

    name: str  # as people know it: the launcher, the config file, the arguments
    place: Place  # where it is said
    flags: Mapping[str, Given]  # what it gives, by flag; without dashes: by the name of what is given by position
    overrides: tuple[Setting, ...] = ()  # `key=value` among its arguments, as hydra takes them
    settings: tuple[Setting, ...] = ()  # `key=value` behind an option, for config files: `-o key=value`
    start: Optional[Start] = None  # the command that it is, in a launcher
    is_all: bool = False  # no more is passed than it says
    is_rest_open: bool = False  # what it does not say is as launchers give it

    def given(self, flags: Iterable[str]) -> Optional[Given]:
        """Return what it gives to an option that has these flags; None where a user may still give it."""
        found = next((self.flags[flag] for flag in flags if flag in self.flags), None)
        return found if found is not None or not self.is_all else ABSENT


def of_starts(starts: Sequence[Start], root: str) -> tuple[RunConfiguration, ...]:
    """Return the commands of launchers as run configurations, those that give the same as one; none where all do.

    Each has all that its command gives. What cannot be told stays unknown in its run. Which options count is known only
    when they are asked for: runs that give the same to those are judged once, see `Program.is_run_as`.
    """
    found: dict[object, RunConfiguration] = {}
    for start in starts:
        if not _is_for_debugging(start):
            place = start.script.place(start.command.words[0][1])
            told = frozenset((flag, *given[:2]) for flag, given in start.flags.items() if _is_told(given))
            name, own = os.path.relpath(start.script.path, root), start.settings
            found.setdefault((told, said(own)), RunConfiguration(name, place, start.flags, own, own, start))
    return told_apart(found.values()) if len(found) > 1 else ()


def said(settings: Iterable[Setting]) -> tuple[tuple[str, Optional[str]], ...]:
    """Return settings without their places."""
    return tuple((key, text) for key, text, _ in settings)


def _is_told(given: Given) -> bool:
    return given.is_bare or given.text is not None


def _is_for_debugging(start: Start) -> bool:
    """Return whether a command asks for debugging: that is no training."""
    asked = (given for flag, given in start.flags.items() if "debug" in flag.lower())
    return any(given.is_bare or (given.text or "").lower() in ("1", "true", "yes", "on") for given in asked)


def has_changed(program: Files, run: RunConfiguration, names: Sequence[str] = ()) -> bool:
    """Return whether a run configuration stands in a file that changed, or has one as a config file or below it.

    Also whether one of its config files names one of these `names` of files.
    """
    named = [each.text for each in run.flags.values() if each.text is not None and each.text.endswith(CONFIGS)]
    found = [run.start.script.path] if run.start is not None else []
    ancestors = program.project.ancestors(os.path.dirname(program.entry))
    for text in named:
        for path in config_files.resolve(text, os.path.dirname(program.entry), ancestors):
            if program.project.raw(path) is not None:
                found += (path, *config_files.below(program, path))
                break
    is_one = bool(program.project.files.named(CHANGE, *map(os.path.realpath, found)))
    return is_one or (bool(names) and program.project.one_contains(found, tuple(names)))


def words(program: Files, run: Optional[RunConfiguration], starts: Sequence[Start]) -> frozenset[str]:
    """Return what a run gives, with the words of its config files, in small letters; None: a run with the defaults."""
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
    """Return what is given to an option by the beginning of its name, or behind its letter; None where nothing is.

    `declared`: the flags of all options. Of a beginning that may be one of several, it is not known what it gives.
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
    """Return run configurations with names of their own: several commands of one script get their lines."""
    each = tuple(runs)
    names = [run.name for run in each]
    return tuple(run._replace(name=f"{run.name}:{run.place.row}") if names.count(run.name) > 1 else run for run in each)


class _Compared:
    """How much of what was asked of one run configuration was compared with another one."""

    def __init__(self) -> None:
        self.is_apart = False
        self.given = self.exported = 0  # answers
        self.files: dict[tuple[str, str], int] = {}  # keys, by the config files of the two


class Asked:
    """What was asked of one run configuration, with its answers: another one that gives the same is not judged."""

    def __init__(self, documents: dict[str, dict[Keys, None]]) -> None:
        self.given: dict[tuple[str, ...], Same] = {}
        self.exported: dict[str, Optional[str]] = {}
        # which keys were asked for by any program, by the path of a config file: programs share answers
        self.documents = documents
        self._compared: dict[Answers, _Compared] = {}

    def is_same(self, other: Answers, own: Document) -> bool:
        """Return whether a program answers as this one did; another config file may say the same, in what counts.

        What was distinguished once stays so, and only what was asked since they were compared last is compared.
        """
        done = self._compared.setdefault(other, _Compared())
        done.is_apart = done.is_apart or not self._says_the_same(other, own, done)
        return not done.is_apart

    def _says_the_same(self, other: Answers, own: Document, done: _Compared) -> bool:
        for flags, known in islice(self.given.items(), done.given, None):
            found = same(other.given(flags))
            if found != known and not self._are_files(known, found, done):
                return False
        for variable, text in islice(self.exported.items(), done.exported, None):
            if _text(other.exported(variable)) != text:
                return False
        done.given, done.exported = len(self.given), len(self.exported)
        return all(self._is_same_file(one, two, own, other.config, done) for one, two in done.files)

    def _are_files(self, a: Same, b: Same, done: _Compared) -> bool:
        """Return whether two answers may name config files, this one's being read: these are compared then."""
        if len(a) != 1 or len(b) != 1 or a[0] is None or b[0] is None or a[0][1] != b[0][1]:
            return False
        one, two = a[0][0], b[0][0]
        if one is None or two is None or one not in self.documents:
            return False
        done.files.setdefault((one, two), 0)
        return True

    def _is_same_file(self, one: str, two: str, own: Document, other: Document, done: _Compared) -> bool:
        """Return whether two config files say the same where this one was read since they were compared last."""
        asked = self.documents[one]
        new = islice(asked, done.files[one, two], None)
        done.files[one, two] = len(asked)
        return watched.is_same(new, own(one), other(two))

    def note_given(self, flags: tuple[str, ...], answer: Sequence[Optional[Given]]) -> None:
        """Note what is given to an option."""
        self.given[flags] = same(answer)

    def note_exported(self, variable: str, answer: Optional[tuple[str, Place]]) -> None:
        """Note what a variable of the environment holds."""
        self.exported[variable] = _text(answer)


def same(answer: Sequence[Optional[Given]]) -> Same:
    """Return what counts of what commands give to an option: not where, and not how often."""
    return tuple(dict.fromkeys((each.text, each.is_bare) if each is not None else None for each in answer))


def _text(exported: Optional[tuple[str, Place]]) -> Optional[str]:
    return exported[0] if exported is not None else None
