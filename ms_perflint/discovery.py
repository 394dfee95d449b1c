"""The files of a run: those at the given paths, without files that are excluded or ignored by git."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from ms_perflint.config.settings import Config, ConfigError, Patterns, PerDirectory, inside, relative
from ms_perflint.core.files import read_regular, unreadable
from ms_perflint.core.reports import Problem
from ms_perflint.core.source import PYTHON
from ms_perflint.languages import Message

if TYPE_CHECKING:
    from ms_perflint.core.patterns import Spec

_SPECIAL = frozenset("*?[]!\\/# ")  # characters of a pattern; without them it is a plain name
LARGEST = 1_000_000  # largest size of a file of patterns, in bytes


class Found(NamedTuple):
    """The files of a run, absolute and grouped by directory, and problems with paths."""

    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    skipped: tuple[tuple[str, str], ...] = ()  # skipped files and directories, with reasons


class _Ignores(NamedTuple):
    """The .gitignore files that apply to a directory, outermost first; none outside of a repository."""

    repository: bool = False
    chain: tuple[tuple[str, Spec], ...] = ()

    def ignores(self, path: str, directory: bool) -> bool:
        """Return the decision of the innermost file with a pattern for the path."""
        for root, spec in reversed(self.chain):
            verdict = spec(relative(path, root), directory)
            if verdict is not None:
                return verdict
        return False

    def below(self, directory: str, names: Set[str], problems: set[Problem]) -> _Ignores:
        """Return the patterns that apply inside `directory`, which contains `names`; a nested repository starts afresh.

        What cannot be read is added to `problems`.
        """
        if ".gitignore" not in names and ".git" not in names:
            return self
        chain = self.chain
        if ".git" in names:
            chain = _spec(directory, os.path.join(directory, ".git", "info", "exclude"), problems)
        repository = self.repository or ".git" in names
        if repository and ".gitignore" in names:
            chain += _spec(directory, os.path.join(directory, ".gitignore"), problems)
        return _Ignores(repository, chain)


def discover(paths: Sequence[str], settings: PerDirectory, force_exclude: bool = False) -> Found:
    """Return the files at `paths`: files given by name, and the files to lint in directories.

    With `force_exclude`, the excludes of the configuration also apply to files given by name. Files whose
    configuration is broken are left out.
    """
    files: dict[str, set[str]] = {}  # names by directory
    problems: set[Problem] = set()
    skipped: set[tuple[str, str]] = set()
    for given in paths:
        path = os.path.abspath(given)
        if os.path.isdir(path):
            config = _config_at(path, settings, problems)
            if config is not None and not (force_exclude and is_excluded(path, config)):
                for directory, names in _walk(path, settings, problems, skipped):
                    files.setdefault(directory, set()).update(names)
        elif os.path.isfile(path):
            directory, name = os.path.split(path)
            config = _config_at(directory, settings, problems)
            if config is not None and not (force_exclude and is_excluded(path, config)):
                files.setdefault(directory, set()).add(name)
        else:
            problems.add(Problem(path, 0, 0, _why(path)))
    return Found(_ordered(files), tuple(sorted(problems)), tuple(sorted(skipped)))


def is_excluded(path: str, config: Config) -> bool:
    """Return whether the configuration excludes a path, or a folder above it in the project."""
    directory = os.path.isdir(path)
    return any(Patterns(each.root, each.patterns)(path, directory) for each in config.excluded)


def _config_at(directory: str, settings: PerDirectory, problems: set[Problem]) -> Config | None:
    """Return the configuration of the files in a directory; None for a broken one, with a new entry in `problems`."""
    try:
        return settings.at(directory)
    except ConfigError as error:
        reason = Message("its files were not linted: {reason}", reason=error.args[0])
        problems.add(Problem(directory, 0, 0, reason))
        return None


def grouped(path: str) -> tuple[list[str], str]:
    """Return a sort key that groups the files of a directory and of its subdirectories."""
    directory, name = os.path.split(path)
    return directory.split(os.sep), name


def _ordered(files: Mapping[str, Set[str]]) -> tuple[str, ...]:
    """Return the paths of files as sorted by `grouped`, which is computed per directory only."""
    found: list[str] = []
    for directory in sorted(files, key=lambda directory: directory.split(os.sep)):
        start = os.path.join(directory, "")
        found += [start + name for name in sorted(files[directory])]
    return tuple(found)


def _why(path: str) -> Message:
    """Return why a given path is not a file to lint."""
    try:
        os.stat(path)
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            return Message("no such file or directory")
        return Message("{reason}", reason=str(error.strerror).lower())
    return Message("not a regular file")


def _walk(
    start: str, settings: PerDirectory, problems: set[Problem], skipped: set[tuple[str, str]]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the directories below `start`, with the names of their Python files and notebooks.

    Links to directories are not followed, as they may form loops.
    """
    first = _config_at(start, settings, problems)
    ignored = _ignores_above(start, problems) if first is not None and first.respect_gitignore else _Ignores()
    stack: list[tuple[str, _Ignores, Config | None, _Excludes | None]] = [(start, ignored, None, None)]
    while stack:
        directory, ignores, above, excludes = stack.pop()
        config = _config_at(directory, settings, problems)
        if config is None:
            continue
        if excludes is None or config is not above:
            excludes = _Excludes(directory, config)
        try:
            with os.scandir(directory) as listing:
                entries = list(listing)
        except OSError as error:
            problems.add(
                Problem(directory, 0, 0, Message("cannot be listed: {reason}", reason=error.strerror or error))
            )
            continue
        if config.respect_gitignore:
            ignores = ignores.below(directory, {entry.name for entry in entries}, problems)
        names: list[str] = []
        for entry in entries:
            is_directory = entry.is_dir(follow_symlinks=False)
            if not is_directory and not (entry.name.endswith(PYTHON) and _is_file(entry)):
                continue
            if excludes(entry, is_directory):
                skipped.add((entry.path, Message("excluded by the configuration")))
            elif config.respect_gitignore and ignores.ignores(entry.path, is_directory):
                skipped.add((entry.path, Message("ignored by git")))
            elif is_directory:
                stack.append((entry.path, ignores, config, excludes))
            else:
                names.append(entry.name)
        if names:
            yield directory, names


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a regular file, or a link to one."""
    try:
        return entry.is_file()
    except OSError:  # a link that leads to itself
        return False


class _Excludes:
    """The excludes of a configuration below a directory."""

    def __init__(self, start: str, config: Config) -> None:
        """Take the patterns that apply below `start`; one that matches `start` itself is ignored, as it was named."""
        self._names: set[str] = set()
        self._others: list[Patterns] = []
        for root, patterns in config.excluded:
            plain = not any(pattern.startswith("!") for pattern in patterns)  # a "!" negates the patterns before it
            names = {pattern for pattern in patterns if plain and not _SPECIAL & set(pattern)}
            others = tuple(pattern for pattern in patterns if pattern not in names)
            inner = relative(start, root).split("/") if inside(start, root) else []
            if not inner or not names.isdisjoint(inner) or (others and Patterns(root, others)(start, directory=True)):
                root = start
            self._names |= names
            self._others += [Patterns(root, others)] if others else []

    def __call__(self, entry: os.DirEntry[str], directory: bool) -> bool:
        """Return whether an entry is excluded."""
        return entry.name in self._names or any(matches(entry.path, directory) for matches in self._others)


def _ignores_above(start: str, problems: set[Problem]) -> _Ignores:
    """Return the .gitignore files above `start`, up to the root of its repository; none outside of one.

    Where they ignore `start` itself, none applies, as it was given by name.
    """
    folders = [start]
    while not os.path.lexists(os.path.join(folders[-1], ".git")):
        parent = os.path.dirname(folders[-1])
        if parent == folders[-1]:
            return _Ignores()
        folders.append(parent)
    ignores = _Ignores()
    for directory, inner in zip(folders[:0:-1], folders[-2::-1]):
        names = {name for name in (".git", ".gitignore") if os.path.lexists(os.path.join(directory, name))}
        ignores = ignores.below(directory, names, problems)
        if ignores.ignores(inner, directory=True):
            return _Ignores()
    return ignores


def _spec(root: str, path: str, problems: set[Problem]) -> tuple[tuple[str, Spec], ...]:
    """Return the patterns of one ignore file, relative to `root`; None without any.

    An unreadable file is added to `problems`; invalid patterns are ignored, as by git.
    """
    try:
        raw = read_regular(path, LARGEST)
    except (FileNotFoundError, NotADirectoryError):  # `.git` may be a file, and most have nothing in `info`
        return ()
    except OSError as error:
        problems.add(Problem(path, 0, 0, unreadable(error)))
        return ()
    text = raw.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")  # as the names of files
    lines = [line.removesuffix("\r") for line in text.split("\n") if line.strip() and not line.startswith("#")]
    if not lines:
        return ()
    from ms_perflint.core.patterns import Spec, parsed

    return ((root, Spec(map(parsed, lines))),)
