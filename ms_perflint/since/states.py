"""Files in another state of a git repository: the current ones, with the differences that git reports."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

from ms_perflint.config.settings import PerDirectory, inside
from ms_perflint.core.files import Disk, Files, Status
from ms_perflint.core.source import PYTHON
from ms_perflint.discovery import Found, is_excluded
from ms_perflint.infer.commandline import CONFIGS
from ms_perflint.languages import Message
from ms_perflint.since.readers import are_configs
from ms_perflint.since.repository import LINK, NOTHING, SUBMODULE, Difference, GitError, Repository

MADE = "__pycache__"  # a folder with only files of Python's cache does not exist in the repository
COUNTING = (*PYTHON, *CONFIGS, ".pyi", ".sh", ".bash", ".cfg", ".ini", ".conf", ".txt")  # files that programs read
LINKS = 40  # that lead from one to the other


class Content(NamedTuple):
    """The content of a file in a state."""

    repository: Repository
    oid: str
    is_link: bool = False

    def read(self) -> bytes:
        """Return the bytes. Raises OSError if git does not have them."""
        return self.repository.blob(self.oid)


class State(Files):
    """The files of `base`, of which some have other contents, and some are missing."""

    def __init__(self, base: Files, contents: dict[str, Content], hidden: Iterable[str]) -> None:
        """Take both by their absolute paths without links; a hidden directory has a separator behind."""
        self.base = base
        self.contents = contents
        self.hidden = frozenset(hidden)
        self._folders = tuple(path for path in self.hidden if path.endswith(os.sep))
        self._laid = _names(contents)
        self._covered = _names(self.hidden)
        self._gone: dict[str, bool] = {}
        links = (path for path, content in contents.items() if content.is_link)
        self._relinked = any(links) or any(map(os.path.islink, (*contents, *self.hidden)))  # links that differ

    def has(self, path: str) -> bool:
        """Return whether a file is not hidden."""
        return not self._is_hidden(self._real(path))

    def differs(self, path: str) -> bool:
        """Return whether a file has another content here, is missing here, or exists only here."""
        real = self._real(path)
        return real in self.contents or self._is_hidden(real)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raises OSError for an unreadable one."""
        real = self._real(path)
        content = self.contents.get(real)
        if content is not None:
            return content.read()
        if self._is_hidden(real):
            raise FileNotFoundError(2, Message("no such file or directory"), path)
        return self.base.read(path if os.path.realpath(path) == real else real)

    def _listing(self, directory: str) -> frozenset[str]:
        """Return the names in a directory."""
        real = self._real(directory)
        covered = self._covered.get(real, frozenset())
        names = self.base._listing(directory if os.path.realpath(directory) == real else real)
        gone = {name for name in names & covered if self._is_gone(os.path.join(real, name))}
        return (names - gone) | self._laid.get(real, frozenset())

    def status(self, path: str) -> Optional[Status]:
        """Return None for a difference, also in a directory; otherwise the status in the base."""
        real = self._real(path)
        is_same = not (self.differs(path) or real in self._laid or real in self._covered)
        return self.base.status(path) if is_same else None

    def _is_hidden(self, real: str) -> bool:
        return real in self.hidden or (real + os.sep).startswith(self._folders)

    def _is_gone(self, real: str) -> bool:
        """Return whether a path is missing; a directory without remaining files is."""
        if real not in self._gone:
            is_folder = real in self._covered and not self._is_hidden(real)
            self._gone[real] = self._is_empty(real) if is_folder else self._is_hidden(real)
        return self._gone[real]

    def _is_empty(self, real: str) -> bool:
        left = self.base._listing(real) - {MADE}
        return real not in self._laid and all(self._is_gone(os.path.join(real, name)) for name in left)

    def _real(self, path: str) -> str:
        """Return a path without links, as they are in this state."""
        if not self._relinked:
            return os.path.realpath(path)
        steps, real = os.path.abspath(path).split(os.sep), ""
        followed = 0
        while steps:
            real = f"{real}{os.sep}{step}" if (step := steps.pop(0)) else real
            target = self._target(real) if followed < LINKS else None
            if target is not None:
                followed += 1
                whole = os.path.normpath(os.path.join(os.path.dirname(real), target))
                steps, real = [*whole.split(os.sep), *steps], ""
        return real or os.sep

    def _target(self, real: str) -> Optional[str]:
        """Return the target of a link; None for other paths in this state."""
        content = self.contents.get(real)
        if content is not None:
            return os.fsdecode(content.read()) if content.is_link else None
        try:
            return None if self._is_hidden(real) or not os.path.islink(real) else os.readlink(real)
        except OSError:
            return None


def _names(paths: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the names of paths, and of the directories above them, by directory."""
    found: dict[str, set[str]] = {}
    for path in paths:
        directory, name = os.path.split(path.rstrip(os.sep))
        while name and name not in found.get(directory, ()):
            found.setdefault(directory, set()).add(name)
            directory, name = os.path.split(directory)
    return {directory: frozenset(names) for directory, names in found.items()}


class States(NamedTuple):
    """A repository before and after a change."""

    before: State
    after: Files
    renamed: dict[str, str]  # new path -> old path, absolute
    top: str
    repositories: tuple[Repository, ...]

    @property
    def is_same(self) -> bool:
        """Return whether nothing changed."""
        return not (self.before.contents or self.before.hidden)

    @property
    def different(self) -> frozenset[str]:
        """Return the files that differ, by new and old names."""
        return frozenset((*self.before.contents, *self.before.hidden, *self.renamed.values()))

    @property
    def are_configs(self) -> bool:
        """Return whether only config files changed, which exist before and after.

        Files that no program reads do not count.
        """
        if self.renamed or any(path.endswith((*COUNTING, os.sep)) for path in self.before.hidden):
            return False
        counting = [path for path in self.before.contents if path.endswith(COUNTING)]
        return are_configs(counting) and all(is_there(path, self.after) for path in counting)

    def close(self) -> None:
        """End what reads the objects."""
        for each in self.repositories:
            each.close()


def is_there(path: str, files: Files) -> bool:
    """Return whether a file exists in a state."""
    directory, name = os.path.split(path)
    return name in files.named(directory, name)


def states(directory: str, revision: str, staged: bool = False) -> States:
    """Return the state of the merge base with a revision, and the current one. Raises GitError.

    The current state is the work tree with uncommitted changes, or the index.
    """
    repository = Repository(directory)
    found = _Collected([repository])
    after: Files = State(Disk(), *_staged(repository)) if staged else Disk()
    found.collect(repository, repository.base(revision), staged)
    return States(State(after, found.contents, found.hidden), after, found.renamed, repository.top, tuple(found.all))


def staged(found: Found, compared: States, paths: Sequence[str], settings: PerDirectory) -> Found:
    """Return the files of a run that are in the index: without those that are not staged, with those gone from disk."""
    after = compared.after
    if not isinstance(after, State):
        return found
    roots = [os.path.realpath(path) for path in paths]
    gone = [path for path in sorted(after.contents) if path.endswith(PYTHON) and not os.path.lexists(path)]
    wanted = [path for path in gone if any(inside(path, root) for root in roots)]
    more = [path for path in wanted if not is_excluded(path, settings.at(os.path.dirname(path)))]
    problems = tuple(each for each in found.problems if each.path not in after.contents)
    return found._replace(files=(*(path for path in found.files if after.has(path)), *more), problems=problems)


def _staged(repository: Repository) -> tuple[dict[str, Content], set[str]]:
    """Return the files that are staged in another form than in the work tree, and those that are not staged."""
    contents = {}
    for each in repository.unstaged():
        if each.old_mode not in (NOTHING, SUBMODULE):
            path = os.path.join(repository.top, each.path)
            contents[path] = Content(repository, each.oid, each.old_mode == LINK)
    return contents, set(_untracked(repository))


def _untracked(repository: Repository) -> Iterator[str]:
    return (os.path.join(repository.top, name) for name in repository.untracked())


class _Collected:
    """The differences in a repository and its submodules."""

    def __init__(self, repositories: list[Repository]) -> None:
        self.all = repositories
        self.contents: dict[str, Content] = {}
        self.hidden: set[str] = set()
        self.renamed: dict[str, str] = {}

    def collect(self, repository: Repository, commit: str, staged: bool) -> None:
        """Add the differences of a commit and the current state. May raise GitError."""
        for each in repository.differences(commit, staged):
            path = os.path.join(repository.top, each.path)
            if SUBMODULE in (each.old_mode, each.new_mode):
                self._submodule(each, path)
            elif each.old_mode == NOTHING:
                self.hidden.add(path)
            if each.old_mode not in (NOTHING, SUBMODULE):
                self.contents[path] = Content(repository, each.oid, each.old_mode == LINK)
        for new, old in repository.renames(commit, staged):
            self.renamed[os.path.join(repository.top, new)] = os.path.join(repository.top, old)
        if not staged:
            self.hidden.update(_untracked(repository))
        self.hidden -= self.contents.keys()

    def _submodule(self, each: Difference, path: str) -> None:
        """Add the differences in a submodule with another or no old commit; one that is not checked out has none."""
        if each.old_mode != SUBMODULE:
            self.hidden.add(path + os.sep)
        elif os.path.lexists(os.path.join(path, ".git")):
            inner = Repository(path, is_outer=False)
            self.all.append(inner)
            try:
                commit = inner.commit(each.oid)
            except GitError as error:
                missing = Message(
                    "--since: submodule {path} has no commit {oid}: `git -C {path} fetch` may bring it",
                    path=each.path,
                    oid=each.oid[:12],
                )
                raise GitError(missing) from error
            self.collect(inner, commit, staged=False)
