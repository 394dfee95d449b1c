"""The file with the valid `[tool.ms-perflint]`: that of `--config`, or the nearest pyproject.toml with that table.

Patterns are relative to the directory of a file that was found, to the working directory for a file that was named
(`root`). A table may extend another one, which may be in a file above.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional

from ms_perflint.config.settings import (
    TABLE,
    Config,
    ConfigError,
    Excluded,
    Launch,
    common_parent,
    is_anchored,
    laid,
    rooted,
)
from ms_perflint.config.values import EXTEND, Spot, file_name, read
from ms_perflint.core.files import Disk, read_regular
from ms_perflint.languages import Message

TABLE_NAME = TABLE.rpartition(".")[2]
LARGEST = 10_000_000  # bytes of a file with settings
PYPROJECT = "pyproject.toml"
OWN_FILES = ("ms-perflint.toml", ".ms-perflint.toml")  # files that users may expect to be read
NAMED = rb"(?i)ms[-_]?perf[-_]?lint"  # text in every file with the table, or with a misspelt one


class Ruling(NamedTuple):
    """A table with settings of files."""

    table: Mapping[str, object]
    where: str  # its file, as in messages
    root: str
    text: str = ""  # of its file
    base: Optional[Ruling] = None  # the table that it extends

    @property
    def config(self) -> Config:
        """Return its configuration, over the tables that it extends. May raise ConfigError."""
        values = read(self.table, self.where, self.text)
        for launch in values.get("launch", ()):
            _check(launch)
        return _extended(self.base.config, values, self.root) if self.base else Config(root=self.root, **values)

    def origin(self, key: str) -> Optional[Ruling]:
        """Return the table that sets a key: this one, or the nearest that it extends; None without one."""
        if key in self.table:
            return self
        return self.base.origin(key) if self.base is not None else None


def _check(launch: Launch) -> None:
    """Raise ConfigError where a command names missing files."""
    from ms_perflint.core.globs import is_pattern, matching  # here, because few tables have commands

    patterns = [word.rpartition("=")[2] for word in launch.words if is_pattern(word)]
    missing = [each for each in patterns if not matching(Disk(), launch.base, each)]
    if not os.path.isfile(launch.entry):
        missing = [launch.script]
    if missing:
        raise ConfigError(Message("{place}: there is no file `{name}`", place=launch.said, name=missing[0]))


class _Found(NamedTuple):
    """The table of a file, or None, and a hint."""

    table: Optional[Mapping[str, object]]
    text: str = ""
    hint: Optional[Message] = None


def load(paths: Sequence[str], file: str | None = None, isolated: bool = False) -> Config:
    """Return the configuration for a run over `paths`. Raises ConfigError for a broken file."""
    found = ruling(paths, file, isolated)
    return found.config if found else Config(root=common_parent(paths))


def ruling(paths: Sequence[str], file: str | None = None, isolated: bool = False) -> Ruling | None:
    """Return the table for a run over `paths`; None without one. Raises ConfigError for a broken file."""
    if file is not None:
        path = os.path.abspath(file)
        found = _found(path)
        if found.table is None:
            raise ConfigError(found.hint or Message("{file}: no table [{table}] in it", file=file, table=TABLE))
        return _extending(Ruling(found.table, file, os.getcwd(), found.text), path)
    if isolated:
        return None
    return next(filter(None, map(own, upward(common_parent(paths)))), None)


def upward(directory: str) -> Iterator[str]:
    """Yield a directory and its parents."""
    yield directory
    while directory != os.path.dirname(directory):
        directory = os.path.dirname(directory)
        yield directory


def own(directory: str) -> Ruling | None:
    """Return the table in the pyproject.toml of a directory; None without one. Raises ConfigError for a broken file."""
    path = os.path.join(directory, PYPROJECT)
    found = _found(path) if os.path.isfile(path) else None
    if found is None or found.table is None:
        return None
    return _extending(Ruling(found.table, _relative(path), directory, found.text), path)


def hints(directory: str) -> Iterator[Message]:
    """Yield hints on settings of a directory that are not read. May raise ConfigError."""
    path = os.path.join(directory, PYPROJECT)
    found = _found(path) if os.path.isfile(path) else None
    if found is not None and found.hint is not None:
        yield found.hint
    for name in OWN_FILES:
        other = os.path.join(directory, name)
        if os.path.isfile(other):
            yield Message(
                "{file}: is not read: put it into [{table}] of pyproject.toml, or name it with `--config`",
                file=_relative(other), table=TABLE,
            )  # fmt: skip


def _extending(found: Ruling, path: str) -> Ruling:
    """Return a table with those that it extends. Raises ConfigError, also for a cycle."""
    chain, files, real = [found], [path], [os.path.realpath(path)]
    while EXTEND in chain[-1].table:
        last = chain[-1]
        spot = Spot(last.where, (EXTEND,), last.text)
        name = os.path.expanduser(file_name(last.table[EXTEND], spot))
        path = os.path.normpath(os.path.join(os.path.dirname(files[-1]), name))
        if os.path.realpath(path) in real:
            circle = " -> ".join(map(_relative, (*files[real.index(os.path.realpath(path)) :], path)))
            raise ConfigError(Message("{place}: cycle: {circle}", place=spot, circle=circle))
        try:
            read_from = _found(path)
        except ConfigError as error:
            raise ConfigError(Message("{place}: {reason}", place=spot, reason=error.args[0])) from error
        if read_from.table is None:
            message = Message("{place}: no table [{table}] in {file}", place=spot, table=TABLE, file=_relative(path))
            raise ConfigError(message)
        chain.append(Ruling(read_from.table, _relative(path), os.path.dirname(path), read_from.text))
        files.append(path)
        real.append(os.path.realpath(path))
    whole = chain.pop()
    while chain:
        whole = chain.pop()._replace(base=whole)
    return whole


def _found(path: str) -> _Found:
    """Return the linter's table of a TOML file. Raises ConfigError for an unreadable file."""
    where = _relative(path)
    try:
        raw = read_regular(path, LARGEST)
        if re.search(NAMED, raw) is None:
            return _Found(None)  # a file without settings of this tool, which need not be well formed
        text = raw.decode("utf-8-sig")
        document = _parsed(text)
    except OSError as error:
        raise ConfigError(
            Message("{file}: cannot be read: {reason}", file=where, reason=error.strerror or error)
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            Message("{file}: is not UTF-8: bad byte at offset {offset}", file=where, offset=error.start)
        ) from error
    except (ValueError, RecursionError) as error:
        reason, _, position = str(error).splitlines()[0].partition(" (at line ")
        place = ":".join([where, *re.findall(r"\d+", position)])
        raise ConfigError(Message("{file}: is not valid TOML: {reason}", file=place, reason=reason)) from error
    tool = document.get("tool") if isinstance(document, dict) else None
    if not isinstance(tool, dict) or TABLE_NAME not in tool:
        return _Found(None, hint=_misspelt(document, where, text))
    if not isinstance(tool[TABLE_NAME], dict):
        raise ConfigError(Message("{file}: {table} must be a table", file=where, table=TABLE))
    return _Found(tool[TABLE_NAME], text)


def _misspelt(document: object, where: str, text: str) -> Optional[Message]:
    """Return a hint on a table for the linter with a misspelt name; None without one."""
    from ms_perflint.resolve.toml_ini import row

    tables = document if isinstance(document, dict) else {}
    inner = tables.get("tool")
    names = [("tool", name) for name in inner] if isinstance(inner, dict) else []
    for keys in (*names, *((name,) for name in tables)):
        if re.fullmatch(NAMED, keys[-1].encode()):
            return Message(
                "{file}:{line}: [{name}] is not read: the table is [{table}]",
                file=where, line=row(text, keys), name=".".join(keys), table=TABLE,
            )  # fmt: skip
    return None


def _parsed(text: str) -> object:
    """Return the data of a TOML text. Raises ValueError for invalid TOML."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _relative(path: str) -> str:
    """Return a path as in messages, relative to the working directory."""
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive
        return path


def _extended(base: Config, values: dict[str, Any], root: str) -> Config:
    """Return a configuration, overridden by the values of a table in `root`.

    Patterns and files stay relative to the folder of the table that names them.
    """
    given = dict(values)
    exclude = () if "exclude" in given else base.exclude
    inherited = (*exclude, *base.extend_exclude)
    if any(map(is_anchored, inherited)):
        given.setdefault("exclude", ())
        others = (*base.others, Excluded(base.root, inherited))
    else:
        given["extend_exclude"] = (*base.extend_exclude, *given.get("extend_exclude", ()))
        others = base.others
    rules = {code: {**base.options.get(code, {}), **options} for code, options in given.get("options", {}).items()}
    config = base._replace(
        root=root,
        baseline=base.baseline_file,
        profile=base.profile_folder,
        per_file_ignores=rooted(base.per_file_ignores, base.root),
        extend_per_file_ignores=rooted(base.extend_per_file_ignores, base.root),
        extend_exclude=(),
        others=others,
    )
    extending = (*base.extend_safe_fixes, *given.get("extend_safe_fixes", ()))
    return laid(config, {**given, "options": {**base.options, **rules}, "extend_safe_fixes": extending})
