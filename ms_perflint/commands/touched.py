"""Config files and launch scripts given by name, each in place of the files of the programs that read it.

A hook gets the changed files. If only a YAML file changes, a program that reads it may have become slower.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence

from ms_perflint.cache.cache import Memory, project_root
from ms_perflint.config.per_file import Configurations, Group
from ms_perflint.config.settings import TABLE, Config, inside
from ms_perflint.core.files import Disk
from ms_perflint.core.reports import Report
from ms_perflint.discovery import Found, discover, is_excluded
from ms_perflint.languages import Message
from ms_perflint.program import requirements
from ms_perflint.program.program import Program
from ms_perflint.program.target import Target
from ms_perflint.report.sources import shown
from ms_perflint.since.readers import SHELL, Readers, are_configs


class Touched:
    """The files of a run: the given ones, and those of programs that read given ones."""

    def __init__(self, paths: Sequence[str], others: Collection[str], configs: Configurations, force: bool) -> None:
        """Find the files of programs that may read the others; only programs that do are reported."""
        self._others = [path for path in sorted(others) if not (force and is_excluded(path, configs.of(path)))]
        named = discover([path for path in paths if os.path.abspath(path) not in others], configs, force)
        roots = {project_root(os.path.dirname(path)) for path in self._others}
        around = discover(sorted(roots), configs)
        self._given = frozenset(named.files)
        self._readers = Readers(Disk(), list(map(os.path.realpath, self._others)))
        more = (path for path in around.files if path not in self._given and self._readers.may_touch(path))
        self.found = Found((*named.files, *more), named.problems, named.skipped)
        self._kept: frozenset[str] | None = None
        self._unread: list[str] = []  # the others that no result depends on
        self._alone: dict[str, bool] = {}  # whether one of the others is read when a file is linted alone

    @property
    def others(self) -> tuple[str, ...]:
        """Return the given files that are no Python, absolute."""
        return tuple(self._others)

    @property
    def are_configs(self) -> bool:
        """Return whether only config files are given: then programs are checked in the runs with these."""
        return not self._given and are_configs(self._others)

    def only(self, report: Report, groups: Sequence[Group], memories: dict[int, Memory]) -> Report:
        """Return the report on these files only; the memories, by number of the group, have the consulted files."""
        if self._kept is None:
            with_findings = {finding.place.path for finding in report.findings} - self._given
            kept = set(self._given)
            read = set(filter(self._starts_a_program, self._others))
            for number, (config, paths) in enumerate(groups):
                near = memories[number].consulting(paths, self._others)
                read.update(other for other in near if not other.endswith(SHELL))
                files = {path for other in read.intersection(near) for path in near[other]}
                kept |= files - with_findings
                kept |= {path for path in sorted(files & with_findings) if self._is_read_for(path, config)}
            self._kept = frozenset(kept)
            self._unread = [path for path in self._others if path not in read and not requirements.is_one(path)]
        return report.only(self._kept, {each.entry for each in report.unjudged if self._may_be_read_by(each.entry)})

    def said(self, report: Report) -> Iterator[Message]:
        """Yield lines about files that no result depends on."""
        scripts = [shown(path) for path in self._unread if path.endswith(SHELL)]
        if scripts:
            yield Message("no program is found that {files} starts", files=", ".join(scripts))
        configs = [shown(path) for path in self._unread if not path.endswith(SHELL)]
        if configs and not report.unjudged:
            names = ", ".join(configs)
            yield Message(
                "no program was judged with {files}: `launch` in [{table}] can name a run", files=names, table=TABLE
            )

    def _starts_a_program(self, path: str) -> bool:
        """Return whether a file is a script that starts one of the programs."""
        entries = filter(self._readers.may_read, self.found.files) if path.endswith(SHELL) else ()
        project = self._readers.project
        return any(
            start.script.path == path
            for entry in entries
            for start in Program(project, entry, Target()).commands.starts
        )

    def _may_be_read_by(self, entry: str) -> bool:
        """Return whether a program judged in part may read one of the others, in or below the folder of its script."""
        is_below = any(inside(path, os.path.dirname(entry)) for path in self._others)
        return is_below and self._readers.may_read(entry)

    def _is_read_for(self, path: str, config: Config) -> bool:
        """Return whether one of the others is read for a program of a file: sessions also contain other programs."""
        entries = filter(self._readers.may_read, reversed(self._readers.project.programs(path)))
        return any(self._is_read_alone(entry, config) for entry in entries) or self._is_read_alone(path, config)

    def _is_read_alone(self, path: str, config: Config) -> bool:
        """Return whether one of the others is read when a file is linted alone; memoised."""
        from ms_perflint.engine import lint

        if path not in self._alone:
            memory = Memory()
            lint([path], config._replace(baseline=None), memory=memory)
            self._alone[path] = bool(memory.consulting([path], self._others))
        return self._alone[path]
