"""The cache: findings of earlier runs, valid while the fingerprints of all consulted files match.

A cache belongs to one project and one configuration: the rules, the settings and the target, the version of the tool
and its code, the interpreter, the installed packages. It consists of parts: one is loaded at a time, when its files are
needed, and one is written as soon as there are enough files for it, so that little of it is in memory.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import Optional

from ms_perflint.cache.packing import MARKS, UNFINISHED, Parts, Session, StatusOf
from ms_perflint.config.settings import Config, common_parent
from ms_perflint.core.files import Files
from ms_perflint.core.findings import Finding
from ms_perflint.core.fingerprints import Fingerprint, renewed
from ms_perflint.version import __version__

NAME = "ms-perflint"
NO_CACHE, CACHE_DIR = "MS_PERFLINT_NO_CACHE", "MS_PERFLINT_CACHE_DIR"  # in the environment
SUFFIX = ".cache"
PART = 1000  # approximate number of files in a part, whose sessions are in memory at the same time
STATUSES = 20_000  # statuses of files that are kept from one part to the next
KEPT = 30 * 24 * 3600  # seconds after which an unused cache is removed
PACKAGES = (".dist-info", ".egg-info", ".egg-link", ".pth")  # suffixes of the metadata of installed packages
MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg")  # entries of a project's root


class Memory:
    """Sessions that may still be valid: new ones are in memory, all others in the parts of a cache."""

    def __init__(self, parts: Optional[Parts] = None) -> None:
        """Take the parts of a cache; without them, all sessions are in memory."""
        self._parts = parts
        self._where: dict[str, str] = {}  # linted file -> the part with its session
        self._stale: set[str] = set()  # parts with outdated sessions
        self._held: dict[str, Session] = {}  # by linted file, in no part yet; the last one is valid
        self._most = PART if parts is not None else sys.maxsize  # number of files in memory before a part is written
        self._outdated: list[Session] = []  # those that did not match when files were recalled
        self.recalled = 0  # number of files that had not changed when first recalled
        for name, head in parts.heads() if parts is not None else ():
            if head is None:
                self._stale.add(name)
                continue
            for linted, _ in head.files():
                self._stale.update([self._where[path] for path in linted if path in self._where])
                self._where.update(dict.fromkeys(linted, name))

    def apart(self) -> Memory:
        """Return a copy of the memory, which is independent and never saved."""
        other = Memory()
        other._parts, other._where, other._held = self._parts, dict(self._where), dict(self._held)
        return other

    def consulting(self, paths: Iterable[str], asked: Collection[str]) -> dict[str, set[str]]:
        """Return consulted file -> linted files that it was consulted for, or for a file linted with them."""
        found: dict[str, set[str]] = {}
        by_part: dict[str, list[str]] = {}
        for path in paths:
            if path in self._where:
                by_part.setdefault(self._where[path], []).append(path)
            elif path in self._held:
                for consulted in self._held[path].consulted(asked):
                    found.setdefault(consulted, set()).add(path)
        for name, members in by_part.items():
            kept = self._parts.load(name) if self._parts is not None else None
            for one in kept.sessions() if kept is not None else ():
                for consulted in one.consulted(asked):
                    found.setdefault(consulted, set()).update(path for path in members if path in one.findings)
        return found

    def knows(self, path: str) -> bool:
        """Return whether a file has a session, which may be outdated."""
        return path in self._where or path in self._held

    def costs(self, paths: Iterable[str]) -> dict[str, float]:
        """Return the processor time of each file when it was linted last, in seconds, where it is known."""
        asked, known = frozenset(paths), dict[str, float]()
        for _, head in self._parts.heads() if self._parts is not None else ():
            for linted, cost in head.files() if head is not None else ():
                known.update((path, cost / len(linted) / 1e6) for path in linted if cost and path in asked)
        return known

    def recall(self, paths: Sequence[str], files: Files) -> tuple[list[Finding], list[str]]:
        """Return the findings in files with valid sessions, and the paths of the others."""
        held: list[str] = []
        by_part: dict[str, list[str]] = {}
        for path in paths:
            (by_part.setdefault(self._where[path], []) if path in self._where else held).append(path)
        findings, left = self._recall_held(held, files)
        status = lru_cache(STATUSES)(files.status)  # parts share folders, and files above them
        for name, members in by_part.items():
            found, changed = self._recall_part(name, members, files, status)
            findings += found
            left += changed
        self.recalled = self.recalled or len(paths) - len(left)
        unknown = frozenset(left)
        return findings, [path for path in paths if path in unknown] if left else []

    def taken_outdated(self) -> list[Session]:
        """Return the sessions that did not match when files were recalled, and forget them."""
        outdated, self._outdated = self._outdated, []
        return outdated

    def _recall_held(self, paths: Sequence[str], files: Files) -> tuple[list[Finding], list[str]]:
        """Return the same for files in no part; keep their valid sessions, with current fingerprints."""
        findings, left, now = self._looked(paths, self._held, files)
        kept = {path: now.get(id(one), one) for path, one in self._held.items()}
        self._held = {path: one for path, one in kept.items() if one is not None}
        return findings, left

    def _recall_part(
        self, name: str, paths: Sequence[str], files: Files, status: StatusOf
    ) -> tuple[list[Finding], list[str]]:
        """Return the same for files in a part; forget changed files, and learn sessions with new fingerprints."""
        kept = self._parts.load(name) if self._parts is not None else None
        known = kept.recalled(paths, files, status) if kept is not None else None
        if known is not None:
            return known, []
        sessions = kept.sessions() if kept is not None else []
        findings, left, now = self._looked(paths, {path: one for one in sessions for path in one.findings}, files)
        for path in left:
            del self._where[path]
        counting = [one for one in sessions if self._counts(one, name)]
        if len(counting) < len(sessions) or not sessions:
            self._stale.add(name)
        renewed = ((one, now.get(id(one))) for one in counting)
        self.learn([new for one, new in renewed if new is not None and new is not one])
        return findings, left

    def _looked(
        self, paths: Iterable[str], sessions: Mapping[str, Session], files: Files
    ) -> tuple[list[Finding], list[str], dict[int, Optional[Session]]]:
        """Return the findings in files with valid sessions, the other files, and old session's id -> current session.

        Sessions that do not match are kept for `taken_outdated`.
        """
        fingerprints: dict[int, Optional[Fingerprint]] = {}
        now: dict[int, Optional[Session]] = {}
        findings: list[Finding] = []
        left: list[str] = []
        for path in paths:
            session = sessions.get(path)
            if session is not None and id(session) not in now:
                now[id(session)] = _still(session, files, fingerprints)
                self._outdated += [session] if now[id(session)] is None else []
            if session is not None and now[id(session)] is not None:
                findings += session.findings[path]
            else:
                left.append(path)
        return findings, left, now

    def learn(self, sessions: Iterable[Session]) -> None:
        """Add the sessions of a run. Files that several sessions consulted are checked once when they are recalled."""
        shared: dict[Fingerprint, Fingerprint] = {}
        for one in sessions:
            self._hold(
                one._replace(
                    fingerprints=tuple(
                        [shared.setdefault(fingerprint, fingerprint) for fingerprint in one.fingerprints]
                    )
                )
            )

    def save(self) -> bool:
        """Write the sessions in memory, and the valid ones of partly outdated parts; return whether there were any."""
        if self._parts is None or not (self._held or self._stale):
            return False
        sizes = Counter(self._where.values())
        self._stale.update(_to_renew(self._where, sizes, len(self._held), self._stale))
        for name in sorted(self._stale.intersection(sizes)):
            kept = self._parts.load(name)
            for one in kept.sessions() if kept is not None else ():
                if self._counts(one, name):
                    self._hold(one)
        self._write()
        while self._stale and not self._held:  # all valid sessions in them are in another part now
            self._parts.remove(self._stale.pop())
        return True

    def _counts(self, session: Session, name: str) -> bool:
        """Return whether a session in a part is the current one of its files, and these exist."""
        is_last = all(self._where.get(path) == name for path in session.findings)
        return is_last and os.path.exists(next(iter(session.findings)))

    def _hold(self, session: Session) -> None:
        for path in session.findings:
            if path in self._where:
                self._stale.add(self._where.pop(path))
            self._held[path] = session
        if len(self._held) >= self._most:
            self._write()

    def _write(self) -> None:
        """Write the sessions in memory to a part; keep them where that fails."""
        sessions = {id(one): one for one in self._held.values()}.values()
        lasting = [one for one in sessions if os.path.exists(next(iter(one.findings)))]
        try:
            name = self._parts.write(lasting) if lasting and self._parts is not None else ""
        except OSError:
            self._most = sys.maxsize
            return
        self._held.clear()
        self._where.update((path, name) for one in lasting for path in one.findings)


def _still(session: Session, files: Files, now: dict[int, Optional[Fingerprint]]) -> Optional[Session]:
    """Return a session with current fingerprints; None if one does not match.

    `now` has current fingerprints by the identity of the old ones: hashing them would take longer than all the rest.
    """
    fingerprints = []
    for fingerprint in session.fingerprints:
        if id(fingerprint) not in now:
            now[id(fingerprint)] = renewed(fingerprint, files)
        held = now[id(fingerprint)]
        if held is None:
            return None
        fingerprints.append(held)
    return session if (made := tuple(fingerprints)) == session.fingerprints else session._replace(fingerprints=made)


def _to_renew(where: Mapping[str, str], sizes: Mapping[str, int], held: int, stale: Set[str]) -> Iterator[str]:
    """Yield the parts to rewrite although all their sessions are current.

    Those are parts whose files are gone, and the smallest if it fits into the next one, so that there are few.
    """
    members = {name: path for path, name in where.items()}
    yield from (name for name, path in members.items() if not os.path.exists(path))
    written = held + sum(sizes[name] for name in stale & sizes.keys())
    size, smallest = min(((size, name) for name, size in sizes.items() if name not in stale), default=(PART, ""))
    if written + size <= PART:
        yield smallest


class Cache:
    """The directory with the memory of a project, in parts."""

    def __init__(self, directory: str, paths: Sequence[str], config: Config) -> None:
        """Find the place for a run over `paths` (as given) in a cache directory, which need not exist."""
        self._directory = directory
        asked = repr((project_root(common_parent(paths)), _way(config))).encode()
        self._path = os.path.join(directory, f"{zlib.crc32(asked):08x}{zlib.adler32(asked):08x}{SUFFIX}")

    def load(self) -> Memory:
        """Return the memory of earlier runs; an empty one where it cannot be read."""
        return Memory(Parts(self._path))

    def save(self, memory: Memory) -> None:
        """Save a memory, if possible."""
        with contextlib.suppress(OSError):
            if memory.save():
                _sweep(self._directory)
                _sweep(self._path, UNFINISHED)
            os.utime(self._path)  # marks the cache as used


class Memories:
    """The memories of a run, one per configuration; without a cache, they end with the run."""

    def __init__(self, directory: Optional[str], paths: Sequence[str]) -> None:
        """Take the directory of caches, or None for no cache, and the paths of the run as given."""
        self._directory = directory
        self._paths = paths
        self._known: dict[str, tuple[Optional[Cache], Memory]] = {}

    def of(self, config: Config, held: bool = False) -> Optional[Memory]:
        """Return the memory of a configuration; None without a cache, unless it is to be `held` during the run."""
        key = repr(config._replace(baseline=None, change=()))
        if key not in self._known:
            if self._directory is None and not held:
                return None
            cache = Cache(self._directory, self._paths, config) if self._directory is not None else None
            self._known[key] = cache, cache.load() if cache is not None else Memory()
        return self._known[key][1]

    @property
    def recalled(self) -> Optional[int]:
        """Return the number of files that have not changed since the last run; None without a cache."""
        return sum(memory.recalled for _, memory in self._known.values()) if self._directory is not None else None

    def save(self) -> None:
        """Save the memories, if there is a cache."""
        for cache, memory in self._known.values():
            if cache is not None:
                cache.save(memory)


def default_directory() -> str:
    """Return the default directory of caches: the user's cache directory."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
        return os.path.join(base, NAME, "cache")
    if sys.platform == "darwin":
        return os.path.expanduser(f"~/Library/Caches/{NAME}")
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), NAME)


def clean(directory: str) -> int:
    """Remove the caches in a directory, and the directory if it is then empty; return the number of caches."""
    try:
        names = os.listdir(directory)
    except OSError:
        return 0
    removed = 0
    for name in names:
        if name.endswith(SUFFIX) or name in MARKS:
            is_gone = _remove(os.path.join(directory, name))
            removed += is_gone and name.endswith(SUFFIX)
    with contextlib.suppress(OSError):
        os.rmdir(directory)
    return removed


def project_root(directory: str) -> str:
    """Return the project directory of a directory, by default itself."""
    root = directory
    while not any(os.path.exists(os.path.join(root, marker)) for marker in MARKERS):
        if root == os.path.dirname(root):
            return directory
        root = os.path.dirname(root)
    return root


def _way(config: Config) -> tuple[object, ...]:
    """Return everything that findings depend on besides the consulted files."""
    asked = config._replace(
        root=config.root if config.per_file_ignores or config.extend_per_file_ignores else "",
        baseline=None,
        change=(),  # findings record which settings they depend on
        exclude=(),
        extend_exclude=(),
        others=(),
        unsafe_fixes=False,
        extend_safe_fixes=(),
        lang=None,
        options={code: dict(sorted(options.items())) for code, options in sorted(config.options.items())},
        respect_gitignore=True,
        output_format="",
    )
    return repr(asked), __version__, sys.version, _code(os.path.dirname(os.path.dirname(__file__))), tuple(_installed())


def _code(directory: str) -> object:
    """Return the identity of the tool's own code; for an installed one, of the installed distribution.

    It is equal on all machines and in each new environment, so that CI can reuse a cache.
    """
    record = os.path.join(os.path.dirname(directory), f"ms_perflint-{__version__}.dist-info", "RECORD")
    with contextlib.suppress(OSError), open(record, "rb") as file:
        return zlib.crc32(b"".join(sorted(line for line in file if line.startswith(b"ms_perflint/"))))
    return tuple(_files(directory))


def _files(directory: str) -> Iterator[tuple[str, int, int]]:
    """Yield name, time and size of the files in a checkout of the tool."""
    for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry.path)
        elif entry.is_file():
            status = entry.stat()
            yield entry.name, status.st_mtime_ns, status.st_size


def _installed() -> Iterator[tuple[str, ...]]:
    """Yield the names and versions of installed packages, which may have checks."""
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder):
            yield tuple(sorted(name for name in os.listdir(folder) if name.endswith(PACKAGES)))


def _remove(path: str) -> bool:
    """Remove a file, or a directory of files; return whether that succeeded."""
    with contextlib.suppress(OSError):
        if not os.path.isdir(path):
            os.unlink(path)
            return True
        for name in os.listdir(path):
            os.unlink(os.path.join(path, name))
        os.rmdir(path)
        return True
    return False


def _sweep(directory: str, end: str = "") -> None:
    """Remove entries with a suffix that no run has used for long."""
    oldest = time.time() - KEPT
    for entry in os.scandir(directory):
        if entry.name.endswith(end) and entry.name not in MARKS and entry.stat().st_mtime < oldest:
            _remove(entry.path)
