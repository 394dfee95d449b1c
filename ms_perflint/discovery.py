"""Which files to look at: the paths given, without what is excluded or ignored by git."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING

from ms_perflint.config import Config, Patterns, inside, relative
from ms_perflint.findings import Problem
from ms_perflint.languages import Message
from ms_perflint.records import NamedTuple
from ms_perflint.source import PYTHON

if TYPE_CHECKING:
    import pathspec

_SPECIAL = frozenset("*?[]!\\/# ")  # a pattern without these is a plain name
SHARES = 8  # parts for each worker: some take longer than others
PART = 250_000  # bytes of files in a part, at least: each reads what its files import for itself


class Found(NamedTuple):
    """The files of a run, absolute, those of one directory side by side; and the paths that led nowhere."""

    files: tuple[str, ...]
    problems: tuple[Problem, ...]
    skipped: tuple[tuple[str, str], ...] = ()  # files and directories that were passed over, and why


class _Ignores(NamedTuple):
    """The .gitignore files that speak for a directory, the outermost first; none outside of a repository."""

    repository: bool = False
    chain: tuple[tuple[str, pathspec.GitIgnoreSpec], ...] = ()

    def ignores(self, path: str, directory: bool) -> bool:
        """Return what the innermost file that mentions the path says."""
        for root, spec in reversed(self.chain):
            verdict = spec.check_file(relative(path, root) + ("/" if directory else "")).include
            if verdict is not None:
                return verdict
        return False

    def below(self, directory: str, names: Set[str]) -> _Ignores:
        """Return what speaks inside of `directory`, which holds `names`; a repository in it starts anew."""
        if ".gitignore" not in names and ".git" not in names:
            return self
        chain = self.chain
        if ".git" in names:
            chain = _spec(directory, os.path.join(directory, ".git", "info", "exclude"))
        repository = self.repository or ".git" in names
        if repository and ".gitignore" in names:
            chain += _spec(directory, os.path.join(directory, ".gitignore"))
        return _Ignores(repository, chain)


def discover(paths: Sequence[str], config: Config, force_exclude: bool = False) -> Found:
    """Return the files at `paths`: a file given by name always, of a directory those that count.

    With `force_exclude` what the configuration excludes is also left out where it was given by name.
    """
    files: dict[str, set[str]] = {}  # names by directory
    problems: set[Problem] = set()
    skipped: set[tuple[str, str]] = set()
    for given in paths:
        path = os.path.abspath(given)
        if force_exclude and is_excluded(path, config):
            continue
        if os.path.isdir(path):
            for directory, names in _walk(path, config, problems, skipped):
                files.setdefault(directory, set()).update(names)
        elif os.path.isfile(path):
            directory, name = os.path.split(path)
            files.setdefault(directory, set()).add(name)
        else:
            problems.add(Problem(path, 0, 0, _why(path)))
    return Found(_ordered(files), tuple(sorted(problems)), tuple(sorted(skipped)))


def is_excluded(path: str, config: Config) -> bool:
    """Return whether the configuration excludes a path, or a folder above it in the project."""
    patterns = (*config.exclude, *config.extend_exclude)
    return Patterns(config.root, patterns)(path, directory=os.path.isdir(path))


def grouped(path: str) -> tuple[list[str], str]:
    """Return a sort key that keeps the files of a directory, and its subdirectories, together."""
    directory, name = os.path.split(path)
    return directory.split(os.sep), name


def _ordered(files: Mapping[str, Set[str]]) -> tuple[str, ...]:
    """Return the paths of files by directory as `grouped` sorts them: there are fewer directories than files."""
    found: list[str] = []
    for directory in sorted(files, key=lambda directory: directory.split(os.sep)):
        start = os.path.join(directory, "")
        found += [start + name for name in sorted(files[directory])]
    return tuple(found)


def _why(path: str) -> Message:
    """Return why a path that was given is no file to lint."""
    try:
        os.stat(path)
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            return Message("no such file or directory")
        return Message("{reason}", reason=str(error.strerror).lower())
    return Message("not a regular file")


def _walk(
    start: str, config: Config, problems: set[Problem], skipped: set[tuple[str, str]]
) -> Iterator[tuple[str, list[str]]]:
    """Yield each directory below `start` with the names of the Python files and notebooks in it.

    Links to directories are not followed: loops.
    """
    excludes = _Excludes(start, config)
    stack = [(start, _ignores_above(start) if config.respect_gitignore else None)]
    while stack:
        directory, ignores = stack.pop()
        try:
            with os.scandir(directory) as listing:
                entries = list(listing)
        except OSError as error:
            problems.add(
                Problem(directory, 0, 0, Message("cannot be listed: {reason}", reason=error.strerror or error))
            )
            continue
        if ignores is not None:
            ignores = ignores.below(directory, {entry.name for entry in entries})
        names: list[str] = []
        for entry in entries:
            is_directory = entry.is_dir(follow_symlinks=False)
            if not is_directory and not (entry.name.endswith(PYTHON) and _is_file(entry)):
                continue
            if excludes(entry, is_directory):
                skipped.add((entry.path, Message("excluded by the settings")))
            elif ignores is not None and ignores.ignores(entry.path, is_directory):
                skipped.add((entry.path, Message("ignored by git")))
            elif is_directory:
                stack.append((entry.path, ignores))
            else:
                names.append(entry.name)
        if names:
            yield directory, names


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a regular file, also through a link."""
    try:
        return entry.is_file()
    except OSError:  # a link that leads to itself
        return False


class _Excludes:
    """Which entries below `start` the configuration excludes."""

    def __init__(self, start: str, config: Config) -> None:
        patterns = (*config.exclude, *config.extend_exclude)
        plain = not any(pattern.startswith("!") for pattern in patterns)  # a "!" speaks about the ones before it
        names = [pattern for pattern in patterns if plain and not _SPECIAL & set(pattern)]
        self._names = frozenset(names)
        others = tuple(pattern for pattern in patterns if pattern not in self._names)
        root = config.root
        inner = relative(start, root).split("/") if inside(start, root) else []
        named = not self._names.isdisjoint(inner)
        if not inner or named or (others and Patterns(root, others)(start, directory=True)):
            root = start  # who names an excluded directory wants it
        self._others = Patterns(root, others) if others else None

    def __call__(self, entry: os.DirEntry[str], directory: bool) -> bool:
        """Return whether this entry is one of them."""
        if entry.name in self._names:
            return True
        return self._others is not None and self._others(entry.path, directory)


def _ignores_above(start: str) -> _Ignores:
    """Return what the .gitignore files above `start` say, up to the root of its repository; none without one."""
    above = []
    directory = start
    while not os.path.lexists(os.path.join(directory, ".git")):
        parent = os.path.dirname(directory)
        if parent == directory:
            return _Ignores()
        directory = parent
        above.append(directory)
    ignores = _Ignores()
    for directory in reversed(above):
        ignores = ignores.below(directory, frozenset(os.listdir(directory)))
    return _Ignores() if ignores.ignores(start, directory=True) else ignores


def _spec(root: str, path: str) -> tuple[tuple[str, pathspec.GitIgnoreSpec], ...]:
    """Return the patterns of one ignore file, relative to `root`; nothing when it has none, or cannot be used."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return ()
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return ()
    import pathspec

    try:
        return ((root, pathspec.GitIgnoreSpec.from_lines(lines)),)
    except ValueError:
        return ()


def shares(paths: Sequence[str], workers: int) -> list[Sequence[str]]:
    """Return the paths as runs of neighbours of about the same size; one run where more would not pay."""
    sizes = [_size(path) for path in paths]
    total = sum(sizes)
    count = max(1, min(workers * SHARES, total // PART)) if workers > 1 else 1
    parts: list[list[str]] = [[]]
    passed = 0
    for path, size in zip(paths, sizes):
        if passed * count >= total * len(parts) and len(parts) < count:
            parts.append([])
        parts[-1].append(path)
        passed += size
    return list(parts)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
