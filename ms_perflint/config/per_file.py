"""The configuration of each file of a run: that of the nearest pyproject.toml with the table, upward from it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple, Optional

from ms_perflint.config.files import hints, load, own, upward
from ms_perflint.config.settings import Config, ConfigError, common_parent
from ms_perflint.core.findings import Finding, Safety
from ms_perflint.languages import Message

OnTop = Callable[[Config], Config]  # overrides the configuration of a table, by the command line or a caller


class Group(NamedTuple):
    """Files of a run that have the same configuration."""

    config: Config
    paths: tuple[str, ...]


class Configurations:
    """The configuration of a run, and those of its files. Each directory is read once."""

    def __init__(self, run: Config, on_top: Optional[OnTop] = None, directory: str = "") -> None:
        """Take the configuration of a run over `directory`; without a function for others, it applies to all files."""
        self.run = run
        self._on_top = on_top
        self._held: dict[str, Config] = {directory: run} if on_top is not None else {}
        self._broken: dict[str, ConfigError] = {}
        self._all = [run]

    def at(self, directory: str) -> Config:
        """Return the configuration of the files in a directory (absolute). Raises ConfigError."""
        if self._on_top is None:
            return self.run
        if directory not in self._held:
            self._held[directory] = self._nearest(directory, self._on_top)
        return self._held[directory]

    def _nearest(self, directory: str, on_top: OnTop) -> Config:
        """Return the configuration of the nearest table, upward from a directory."""
        for each in upward(directory):
            if each in self._broken:
                raise self._broken[each]
            if each in self._held:
                return self._held[each]
            try:
                table = own(each)
                if table is not None:
                    self._held[each] = on_top(table.config)
                    self._all.append(self._held[each])
                    return self._held[each]
            except ConfigError as error:
                self._broken[each] = error
                raise
        return self.run

    def of(self, path: str) -> Config:
        """Return the configuration of a file (absolute). Raises ConfigError."""
        return self.at(os.path.dirname(path))

    def groups(self, paths: Iterable[str]) -> tuple[Group, ...]:
        """Return files (absolute), in order, by their configurations. Raises ConfigError."""
        found: dict[int, tuple[Config, list[str]]] = {}
        for path in paths:
            config = self.of(path)
            found.setdefault(id(config), (config, []))[1].append(path)
        return tuple(Group(config, tuple(members)) for config, members in found.values())

    def selects(self, code: str, path: str) -> bool:
        """Return whether a rule is on in a file (absolute)."""
        return self.of(path).selects(code, path)

    @property
    def unsafe_fixes(self) -> bool:
        """Return whether unsafe fixes are applied without asking, unless the table of a part of the run differs."""
        return all(config.unsafe_fixes for config in self._all)

    def trust(self, finding: Finding) -> Safety | None:
        """Return the grade of a finding's fix in its file; None without a fix."""
        config = self.of(finding.place.path)
        trust = config.trust(finding)
        return Safety.SAFE if trust is Safety.UNSAFE and config.unsafe_fixes and not self.unsafe_fixes else trust


def configurations(
    paths: Sequence[str], on_top: OnTop, file: Optional[str] = None, isolated: bool = False
) -> Configurations:
    """Return the configurations of a run over paths, each with overrides. Raises ConfigError.

    With a named file, or isolated, all files have the same one.
    """
    run = on_top(load(paths, file, isolated))
    is_one = file is not None or isolated
    return Configurations(run, None if is_one else on_top, common_parent(paths))


def unread(paths: Sequence[str]) -> Iterator[Message]:
    """Yield hints on settings near the paths that are not read."""
    for directory in takewhile(lambda each: own(each) is None, upward(common_parent(paths))):
        yield from hints(directory)
