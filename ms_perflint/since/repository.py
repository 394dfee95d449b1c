"""A git repository: its revisions, differences of two states, and the contents of its objects.

Nothing is checked out, and nothing is written, not even git's index.
"""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from typing import IO, NamedTuple, Optional

from ms_perflint.core.files import LARGEST
from ms_perflint.core.source import PYTHON
from ms_perflint.infer.commandline import CONFIGS
from ms_perflint.languages import Message

SUBMODULE, LINK = "160000", "120000"  # modes of entries
NOTHING = "000000"  # the mode of a missing entry
# Variables by which a hook gets its repository. A submodule is another one.
STEERING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX")
INDEX = "GIT_INDEX_FILE"
RAW = ("--raw", "-z", "--no-abbrev", "--no-ext-diff", "--no-textconv")  # how differences are printed


class GitError(Exception):
    """An error of git: the reason, and the remedy."""


class Difference(NamedTuple):
    """A path that differs in two states of a repository, relative to it."""

    path: str
    old_mode: str
    new_mode: str
    oid: str  # of the old content
    old_path: str  # differs from the new path for a rename, if renames are searched


class Repository:
    """The repository around a directory."""

    def __init__(self, directory: str, is_outer: bool = True) -> None:
        """Find the repository. Raises GitError without one."""
        environment = {name: value for name, value in os.environ.items() if name not in STEERING}
        index = environment.pop(INDEX, None)
        if index is not None and is_outer:  # of a commit of some files only, git makes one of its own
            environment[INDEX] = os.path.abspath(index)
        self._environment = {**environment, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
        self._reader: Optional[subprocess.Popen[bytes]] = None
        self.top = directory
        found = self._run("rev-parse", "--show-toplevel")
        if found.returncode:
            reason = _reason(found.stderr)
            raise GitError(Message("--since needs a git repository: {reason}", reason=reason))
        self.top = os.path.realpath(os.fsdecode(found.stdout.rstrip(b"\r\n")))

    def close(self) -> None:
        """End the process that reads objects."""
        if self._reader is not None:
            self._reader.communicate()
            self._reader = None

    def base(self, revision: str) -> str:
        """Return the merge base of the current branch and a revision. Raises GitError."""
        commit = self.commit(revision)
        found = self._run("merge-base", commit, "HEAD")
        if found.returncode == 0:
            return found.stdout.decode().split()[0]
        if self.is_shallow:
            raise GitError(
                Message(
                    "--since {revision}: this shallow clone does not reach back to where the branch left it: "
                    "`git fetch --unshallow`, or `git fetch --depth N` with a larger N",
                    revision=revision,
                )
            )
        raise GitError(Message("--since {revision}: it has no commit in common with HEAD", revision=revision))

    def commit(self, revision: str) -> str:
        """Return the commit that a revision names. Raises GitError."""
        found = self._run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        if found.returncode == 0 and not revision.startswith("-"):
            return found.stdout.decode().strip()
        if self.is_shallow:
            raise GitError(
                Message(
                    "--since {revision}: this shallow clone has no such revision: "
                    "`git fetch --depth N origin BRANCH` or `git fetch --unshallow` brings it",
                    revision=revision,
                )
            )
        raise GitError(
            Message("--since {revision}: no such revision; `git fetch` brings those of the server", revision=revision)
        )

    @property
    def is_shallow(self) -> bool:
        """Return whether the history is cut off."""
        return self._run("rev-parse", "--is-shallow-repository").stdout.strip() == b"true"

    def differences(self, commit: str, staged: bool = False) -> tuple[Difference, ...]:
        """Return the differences of a commit and the work tree, or the index. Raises GitError."""
        cached = ("--cached",) if staged else ()
        how = (*RAW, "--no-renames", "--ignore-submodules=none")
        return tuple(_differences(self.git("diff", *how, *cached, commit, "--")))

    def renames(self, commit: str, staged: bool = False) -> tuple[tuple[str, str], ...]:
        """Return the new and old names of Python and config files that were renamed; none where git lacks a content."""
        cached = ("--cached",) if staged else ()
        names = [f"*{end}" for end in (*PYTHON, *CONFIGS)]
        try:
            found = _differences(self.git("diff", *RAW, "-M", *cached, commit, "--", *names))
            return tuple((each.path, each.old_path) for each in found if each.path != each.old_path)
        except GitError:
            return ()

    def unstaged(self) -> tuple[Difference, ...]:
        """Return the differences of the index, as the old state, and the work tree. Raises GitError."""
        return tuple(_differences(self.git("diff", *RAW, "--no-renames", "--ignore-submodules=all", "--")))

    def untracked(self) -> tuple[str, ...]:
        """Return the files, and nested repositories with a slash behind, that git neither knows nor ignores."""
        found = self.git("ls-files", "--others", "--exclude-standard", "-z")
        return tuple(os.fsdecode(name) for name in found.split(b"\0") if name)

    def git(self, *arguments: str) -> bytes:
        """Return what a git command prints. Raises GitError."""
        found = self._run(*arguments)
        if found.returncode:
            reason = _reason(found.stderr)
            raise GitError(Message("git {command}: {reason}", command=arguments[0], reason=reason))
        return found.stdout

    def blob(self, oid: str) -> bytes:
        """Return the content of an object. Raises OSError if git does not have it."""
        stdin, stdout = self._pipes()
        stdin.write(f"{oid}\n".encode())
        stdin.flush()
        _, _, size = stdout.readline().decode().rpartition(" ")
        if not size.strip().isdigit():
            raise OSError(errno.ENOENT, Message("git has no object {oid}", oid=oid))
        content = stdout.read(int(size) + 1)[:-1]
        if len(content) > LARGEST:
            raise OSError(errno.EFBIG, Message("larger than {most} MB", most=LARGEST // 1_000_000))
        return content

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """Return the ends of a process that answers questions for objects."""
        if self._reader is None:
            self._reader = subprocess.Popen(
                ["git", "cat-file", "--batch"],
                cwd=self.top,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        if self._reader.stdin is None or self._reader.stdout is None:
            raise OSError(errno.EPIPE, Message("git does not answer"))
        return self._reader.stdin, self._reader.stdout

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """Run a git command in the repository. Raises GitError where there is no git."""
        try:
            return subprocess.run(
                ["git", "-c", "core.fsmonitor=false", *arguments],
                cwd=self.top,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
            )
        except OSError as error:
            reason = error.strerror or error
            raise GitError(Message("--since needs git, which cannot be started: {reason}", reason=reason)) from error


def _differences(raw: bytes) -> Iterator[Difference]:
    """Yield the entries of `git diff --raw -z`."""
    fields = iter(raw.split(b"\0"))
    for head in fields:
        if not head:
            return
        old_mode, new_mode, oid, _, status = head.decode()[1:].split(" ")
        old_path = path = os.fsdecode(next(fields))
        if status[0] in "RC":
            path = os.fsdecode(next(fields))
        yield Difference(path, old_mode, new_mode, oid, old_path)


def _reason(stderr: bytes) -> str:
    """Return git's error in one line."""
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else "git failed"
