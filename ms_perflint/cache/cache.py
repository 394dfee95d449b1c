"""What earlier runs found: kept with the fingerprints of all that was consulted, and given again while they hold.

A cache belongs to one project and one way of asking: the rules, the settings and the target, the version of the tool
and its code, the interpreter, what is installed. It lies in parts: one is loaded at a time, when its files are asked
for, and one is written as soon as there are enough files for it. So little of it is ever in memory.
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
PART = 1000  # files in a part, about: so many have their sessions in memory at the same time
STATUSES = 20_000  # of files that are remembered from one part to the next
KEPT = 30 * 24 * 3600  # seconds after which a cache that no run has used is removed
PACKAGES = (".dist-info", ".egg-info", ".egg-link", ".pth")  # what tells of an installed package, and its version
MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg")  # of a project's root


class Memory:
    """Sessions that may still hold: those learnt lately are held here, all others are in the parts of a cache."""

    def __init__(self, parts: Optional[Parts] = None) -> None:
        """Take the parts of a cache; without, everything is held here."""
        self._parts = parts
        self._where: dict[str, str] = {}  # linted file -> the part with its session
        self._stale: set[str] = set()  # parts with sessions that do not count any more
        self._held: dict[str, Session] = {}  # by linted file, in no part yet; the last one counts
        self._most = PART if parts is not None else sys.maxsize  # files that are held before they are written
        self.recalled = 0  # files of the first run over them that had not changed
        for name, head in parts.heads() if parts is not None else ():
            if head is None:
                self._stale.add(name)
                continue
            for linted, _ in head.files():
                self._stale.update([self._where[path] for path in linted if path in self._where])
                self._where.update(dict.fromkeys(linted, name))

    def apart(self) -> Memory:
        """Return a memory that knows the same, and forgets and learns by itself: nothing of that is kept."""
        other = Memory()
        other._parts, other._where, other._held = self._parts, dict(self._where), dict(self._held)
        return other

    def consulting(self, paths: Iterable[str], asked: Collection[str]) -> dict[str, set[str]]:
        """Return each of some files that was consulted, and for which of the linted: itself or one linted with it."""
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
        """Return whether something was found out about a file; it may not hold any more."""
        return path in self._where or path in self._held

    def costs(self, paths: Iterable[str]) -> dict[str, float]:
        """Return the seconds of processor time that each file took when it was linted last, where that is known."""
        asked, known = frozenset(paths), dict[str, float]()
        for _, head in self._parts.heads() if self._parts is not None else ():
            for linted, cost in head.files() if head is not None else ():
                known.update((path, cost / len(linted) / 1e6) for path in linted if cost and path in asked)
        return known

    def recall(self, paths: Sequence[str], files: Files) -> tuple[list[Finding], list[str]]:
        """Return the findings in those of the files of which they are still known, and the paths of the others."""
        held: list[str] = []
        by_part: dict[str, list[str]] = {}
        for path in paths:
            (by_part.setdefault(self._where[path], []) if path in self._where else held).append(path)
        findings, left = self._recall_held(held, files)
        status = lru_cache(STATUSES)(files.status)  # parts share folders, and what is looked for above them
        for name, members in by_part.items():
            found, changed = self._recall_part(name, members, files, status)
            findings += found
            left += changed
        self.recalled = self.recalled or len(paths) - len(left)
        unknown = frozenset(left)
        return findings, [path for path in paths if path in unknown] if left else []

    def _recall_held(self, paths: Sequence[str], files: Files) -> tuple[list[Finding], list[str]]:
        """Return the same of files that are in no part; keep of their sessions those that hold, as they are now."""
        findings, left, now = _looked(paths, self._held, files)
        kept = {path: now.get(id(one), one) for path, one in self._held.items()}
        self._held = {path: one for path, one in kept.items() if one is not None}
        return findings, left

    def _recall_part(
        self, name: str, paths: Sequence[str], files: Files, status: StatusOf
    ) -> tuple[list[Finding], list[str]]:
        """Return the same of files in a part; forget those that changed, and learn what has to be kept otherwise."""
        kept = self._parts.load(name) if self._parts is not None else None
        known = kept.recalled(paths, files, status) if kept is not None else None
        if known is not None:
            return known, []
        sessions = kept.sessions() if kept is not None else []
        findings, left, now = _looked(paths, {path: one for one in sessions for path in one.findings}, files)
        for path in left:
            del self._where[path]
        counting = [one for one in sessions if self._counts(one, name)]
        if len(counting) < len(sessions) or not sessions:
            self._stale.add(name)
        renewed = ((one, now.get(id(one))) for one in counting)
        self.learn([new for one, new in renewed if new is not None and new is not one])
        return findings, left

    def learn(self, sessions: Iterable[Session]) -> None:
        """Take what a run has found. What several sessions consulted is looked at once when they are recalled."""
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
        """Write what is held, with all that counts in parts of which not all does; return whether there was any."""
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
        while self._stale and not self._held:  # all that counted in them is in another part
            self._parts.remove(self._stale.pop())
        return True

    def _counts(self, session: Session, name: str) -> bool:
        """Return whether a session in a part is still the one of its files, and these are still there."""
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
        """Put what is held into a part; go on holding it where the disk does not take it."""
        sessions = {id(one): one for one in self._held.values()}.values()
        lasting = [one for one in sessions if os.path.exists(next(iter(one.findings)))]
        try:
            name = self._parts.write(lasting) if lasting and self._parts is not None else ""
        except OSError:
            self._most = sys.maxsize
            return
        self._held.clear()
        self._where.update((path, name) for one in lasting for path in one.findings)


def _looked(
    paths: Iterable[str], sessions: Mapping[str, Session], files: Files
) -> tuple[list[Finding], list[str], dict[int, Optional[Session]]]:
    """Return the findings in the files whose sessions hold, the other files, and by identity the sessions of now."""
    fingerprints: dict[int, Optional[Fingerprint]] = {}
    now: dict[int, Optional[Session]] = {}
    findings: list[Finding] = []
    left: list[str] = []
    for path in paths:
        session = sessions.get(path)
        if session is not None and id(session) not in now:
            now[id(session)] = _still(session, files, fingerprints)
        if session is not None and now[id(session)] is not None:
            findings += session.findings[path]
        else:
            left.append(path)
    return findings, left, now


def _still(session: Session, files: Files, now: dict[int, Optional[Fingerprint]]) -> Optional[Session]:
    """Return a session whose fingerprints all hold, with those of now; None for others.

    What was looked at is in `now`, by the identity of its fingerprint: to hash one takes longer than all the rest.
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
    """Yield the parts that are to be written again though all of them counts: what they know may be of no use any more.

    Those are parts whose files are gone; and the smallest where it fits into the next one, so that there are few.
    """
    members = {name: path for path, name in where.items()}
    yield from (name for name, path in members.items() if not os.path.exists(path))
    written = held + sum(sizes[name] for name in stale & sizes.keys())
    size, smallest = min(((size, name) for name, size in sizes.items() if name not in stale), default=(PART, ""))
    if written + size <= PART:
        yield smallest


class Cache:
    """The directory that keeps the memory of a project between runs, in parts."""

    def __init__(self, directory: str, paths: Sequence[str], config: Config) -> None:
        """Find the place for a run over `paths` (as given) in a cache directory, which need not be there."""
        self._directory = directory
        asked = repr((project_root(common_parent(paths)), _way(config))).encode()
        self._path = os.path.join(directory, f"{zlib.crc32(asked):08x}{zlib.adler32(asked):08x}{SUFFIX}")

    def load(self) -> Memory:
        """Return what earlier runs found; nothing where that is not to be had."""
        return Memory(Parts(self._path))

    def save(self, memory: Memory) -> None:
        """Keep what a memory has learnt; do nothing where nothing can be kept."""
        with contextlib.suppress(OSError):
            if memory.save():
                _sweep(self._directory)
                _sweep(self._path, UNFINISHED)
            os.utime(self._path)  # it was used


class Memories:
    """What is known of the files of a run, apart for each configuration; without a cache it ends with the run."""

    def __init__(self, directory: Optional[str], paths: Sequence[str]) -> None:
        """Take the directory of caches, None for no cache, and the paths of the run as given."""
        self._directory = directory
        self._paths = paths
        self._known: dict[str, tuple[Optional[Cache], Memory]] = {}

    def of(self, config: Config, held: bool = False) -> Optional[Memory]:
        """Return the memory of a configuration; without a cache None, unless it is to be `held` while the run lasts."""
        key = repr(config._replace(baseline=None, change=()))
        if key not in self._known:
            if self._directory is None and not held:
                return None
            cache = Cache(self._directory, self._paths, config) if self._directory is not None else None
            self._known[key] = cache, cache.load() if cache is not None else Memory()
        return self._known[key][1]

    @property
    def recalled(self) -> Optional[int]:
        """Return how many files had not changed since the last run; None without a cache."""
        return sum(memory.recalled for _, memory in self._known.values()) if self._directory is not None else None

    def save(self) -> None:
        """Keep what was learnt where there is a cache."""
        for cache, memory in self._known.values():
            if cache is not None:
                cache.save(memory)


def default_directory() -> str:
    """Return where caches are kept by default: the user's cache directory."""
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
        if name.endswith(SUFFIX) or name in MARKS:
            is_gone = _remove(os.path.join(directory, name))
            removed += is_gone and name.endswith(SUFFIX)
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
        change=(),  # what a finding depends on of it is noted
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
    """Return what tells the tool's own files from those of yesterday: of an installed one, what was installed.

    That is the same on all machines and in each new environment: in CI a cache outlives them.
    """
    record = os.path.join(os.path.dirname(directory), f"ms_perflint-{__version__}.dist-info", "RECORD")
    with contextlib.suppress(OSError), open(record, "rb") as file:
        return zlib.crc32(b"".join(sorted(line for line in file if line.startswith(b"ms_perflint/"))))
    return tuple(_files(directory))


def _files(directory: str) -> Iterator[tuple[str, int, int]]:
    """Yield name, time and size of the files of who works on the tool."""
    for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _files(entry.path)
        elif entry.is_file():
            status = entry.stat()
            yield entry.name, status.st_mtime_ns, status.st_size


def _installed() -> Iterator[tuple[str, ...]]:
    """Yield the names and versions of the packages in each folder of them: one may bring checks."""
    for folder in sys.path:
        if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder):
            yield tuple(sorted(name for name in os.listdir(folder) if name.endswith(PACKAGES)))


def _remove(path: str) -> bool:
    """Remove a file, or a directory of files; return whether it is gone."""
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
    """Remove of the entries whose names end so those that no run has used for long."""
    oldest = time.time() - KEPT
    for entry in os.scandir(directory):
        if entry.name.endswith(end) and entry.name not in MARKS and entry.stat().st_mtime < oldest:
            _remove(entry.path)
