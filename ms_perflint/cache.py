"""What earlier runs found: kept with the stamps of all that was consulted, and given again while they hold.

A file of the cache belongs to one project and one way of asking: the rules, the settings and the target, the version of
the tool and its code, the interpreter, what is installed. What cannot be read is as if it were not there. Runs side by
side do not disturb each other: files are replaced whole, and what a run did not know of is kept.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Optional

from ms_perflint import __version__
from ms_perflint.config import Config, common_parent
from ms_perflint.findings import Finding
from ms_perflint.packing import Kept, Session, packed
from ms_perflint.source import Files
from ms_perflint.stamps import Stamp, renewed

NAME = "ms-perflint"
SUFFIX = ".cache"
CHECK = 4  # bytes in front of the body that show that it is whole
KEPT = 30 * 24 * 3600  # seconds after which a file that no run has used is removed
MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg")  # of a project's root
TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Findings of earlier runs of ms-perflint; may be removed.\n"


class Memory:
    """Sessions that may still hold."""

    def __init__(self, kept: Optional[Kept] = None) -> None:
        self._kept = kept  # what no run has looked into
        self._sessions: dict[str, Session] = {}  # by linted file; the last one counts
        self.has_learnt = False
        self.recalled = 0  # files of the first run over them that had not changed

    @property
    def sessions(self) -> list[Session]:
        """Return the sessions by the first file that they speak for."""
        self._open()
        return list({id(session): session for session in self._sessions.values()}.values())

    def knows(self, path: str) -> bool:
        """Return whether something was found out about a file; it may not hold any more."""
        return path in (self._sessions if self._kept is None else self._kept.files)

    def recall(self, paths: Sequence[str], files: Files) -> tuple[list[Finding], list[str]]:
        """Return the findings in those of the files of which they are still known, and the paths of the others."""
        known = self._kept.recalled(paths, files) if self._kept is not None else None
        if known is not None:
            self.recalled = self.recalled or len(paths)
            return known, []
        self._open()
        now: dict[int, Optional[Stamp]] = {}
        sound: dict[int, Optional[Session]] = {}
        findings: list[Finding] = []
        left: list[str] = []
        for path in paths:
            session = self._sessions.get(path)
            if session is not None and id(session) not in sound:
                sound[id(session)] = _still(session, files, now)
            if session is not None and sound[id(session)]:
                findings += session.findings[path]
            else:
                left.append(path)
        self._keep(sound)
        self.recalled = self.recalled or len(paths) - len(left)
        return findings, left

    def _keep(self, sound: Mapping[int, Optional[Session]]) -> None:
        """Keep of the sessions that were asked those that hold, as they are now."""
        kept = {path: sound.get(id(one), one) for path, one in self._sessions.items()}
        self.has_learnt |= any(new is not None and new is not self._sessions[path] for path, new in kept.items())
        self._sessions = {path: one for path, one in kept.items() if one is not None}

    def learn(self, sessions: Iterable[Session]) -> None:
        """Take what a run has found. What several sessions consulted is looked at once when they are recalled."""
        self._open()
        self.has_learnt = True
        shared: dict[Stamp, Stamp] = {}
        for one in sessions:
            stamps = tuple([shared.setdefault(stamp, stamp) for stamp in one.stamps])
            self._add([Session(one.findings, stamps)])

    def _open(self) -> None:
        """Take all sessions out of what was kept."""
        kept, self._kept = self._kept, None
        if kept is not None:
            self._add(kept.sessions())

    def _add(self, sessions: Iterable[Session]) -> None:
        for session in sessions:
            self._sessions.update(dict.fromkeys(session.findings, session))


def _still(session: Session, files: Files, now: dict[int, Optional[Stamp]]) -> Optional[Session]:
    """Return a session whose stamps all hold, with those of now; None for others.

    What was looked at is in `now`, by the identity of its stamp: to hash one takes longer than all the rest.
    """
    stamps = []
    for stamp in session.stamps:
        if id(stamp) not in now:
            now[id(stamp)] = renewed(stamp, files)
        held = now[id(stamp)]
        if held is None:
            return None
        stamps.append(held)
    return session if (made := tuple(stamps)) == session.stamps else Session(session.findings, made)


class Cache:
    """The file that keeps the memory of a project between runs."""

    def __init__(self, directory: str, paths: Sequence[str], config: Config) -> None:
        """Find the file for a run over `paths` (as given) in a cache directory, which need not be there."""
        self._directory = directory
        root = project_root(common_parent(paths))
        self._asked = repr((root, _way(config)))
        self._path = os.path.join(directory, _checked(self._asked.encode()).hex() + SUFFIX)

    def load(self) -> Memory:
        """Return what earlier runs found; nothing where that is not to be had."""
        return Memory(self._read())

    def save(self, memory: Memory) -> None:
        """Keep what a memory has learnt, and what others have kept meanwhile; do nothing where nothing can be kept."""
        if not memory.has_learnt:
            return
        known = {path for session in memory.sessions for path in session.findings}
        kept = self._read()
        others = [one for one in (kept.sessions() if kept else ()) if known.isdisjoint(one.findings)]
        lasting = [one for one in (*others, *memory.sessions) if os.path.exists(next(iter(one.findings)))]
        with contextlib.suppress(OSError):
            _make_directory(self._directory)
            _replace(self._path, marshal.dumps((self._asked, packed(lasting))))
            _sweep(self._directory)

    def _read(self) -> Optional[Kept]:
        """Return what the file holds; None when it is not there, or not whole."""
        try:
            with open(self._path, "rb") as file:
                check, body = file.read(CHECK), file.read()
            if _checked(body) != check:
                return None
            asked, body = marshal.loads(body)
            return Kept(body) if asked == self._asked else None
        except (OSError, ValueError, EOFError, TypeError, IndexError):
            return None


def default_directory() -> str:
    """Return where caches are kept when nobody says where: the user's cache directory."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
        return os.path.join(base, NAME, "cache")
    if sys.platform == "darwin":
        return os.path.expanduser(f"~/Library/Caches/{NAME}")
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), NAME)


def clean(directory: str) -> int:
    """Remove the caches in a directory, and the directory when nothing else is in it; return how many there were."""
    try:
        names = os.listdir(directory)
    except OSError:
        return 0
    removed = 0
    for name in names:
        if name.endswith(SUFFIX) or name in (".gitignore", "CACHEDIR.TAG"):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(directory, name))
                removed += name.endswith(SUFFIX)
    with contextlib.suppress(OSError):
        os.rmdir(directory)
    return removed


def project_root(directory: str) -> str:
    """Return the directory of the project that a directory belongs to; itself when it belongs to none."""
    root = directory
    while not any(os.path.exists(os.path.join(root, marker)) for marker in MARKERS):
        if root == os.path.dirname(root):
            return directory
        root = os.path.dirname(root)
    return root


def _way(config: Config) -> tuple[object, ...]:
    """Return all that findings depend on besides the files that are consulted."""
    asked = config._replace(
        root=config.root if config.per_file_ignores or config.extend_per_file_ignores else "",
        baseline=None,
        exclude=(),
        extend_exclude=(),
        unsafe_fixes=False,
        extend_safe_fixes=(),
        lang=None,
        options={code: dict(sorted(options.items())) for code, options in sorted(config.options.items())},
        respect_gitignore=True,
        output_format="",
    )
    return repr(asked), __version__, sys.version, tuple(_code(os.path.dirname(__file__))), tuple(_installed())


def _code(directory: str) -> Iterator[tuple[str, int, int]]:
    """Yield name, time and size of the tool's own files: whoever works on it must not get the answers of yesterday."""
    for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _code(entry.path)
        elif entry.is_file():
            status = entry.stat()
            yield entry.name, status.st_mtime_ns, status.st_size


def _installed() -> Iterator[tuple[str, int]]:
    """Yield the folders of installed packages, and when something was installed there: it may bring checks."""
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder):
            yield folder, os.stat(folder).st_mtime_ns


def _make_directory(directory: str) -> None:
    """Make a cache directory that version control and backups leave out."""
    if not os.path.isdir(directory):
        os.makedirs(directory, mode=0o700)
        for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", TAG)):
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(text)


def _checked(body: bytes) -> bytes:
    """Return what shows that a body is whole; no proof against intent, and much faster to import than one."""
    return zlib.crc32(body).to_bytes(CHECK, "big")


def _replace(path: str, body: bytes) -> None:
    """Write a file in one step."""
    import tempfile  # here, because most runs read only

    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(_checked(body) + body)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _sweep(directory: str) -> None:
    """Remove what no run has written for long."""
    for entry in os.scandir(directory):
        if entry.name not in (".gitignore", "CACHEDIR.TAG") and entry.stat().st_mtime < time.time() - KEPT:
            os.unlink(entry.path)
