"""The functions for other programs; `import ms_perflint` names them all and loads them on first use."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypedDict, Union

from ms_perflint.config import values as config_values
from ms_perflint.config.per_file import Configurations, configurations
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Disk, Files, Nowhere, Overlay
from ms_perflint.core.findings import Finding
from ms_perflint.core.reports import Report, joined
from ms_perflint.core.source import Source, SourceError, encoded
from ms_perflint.discovery import discover
from ms_perflint.engine import lint
from ms_perflint.fixes.fixing import settle

if TYPE_CHECKING:
    from typing_extensions import Unpack

Path = Union[str, "os.PathLike[str]"]
UNNAMED = "text.py"  # the file name of a text without one


class Settings(TypedDict, total=False):
    """The settings of a call, as on the command line and in `[tool.ms-perflint]`; all are optional."""

    select: Sequence[str]  # codes, prefixes, names, "ALL"
    ignore: Sequence[str]
    extend_select: Sequence[str]
    extend_safe_fixes: Sequence[str]
    mindspore_version: str  # "2.4"
    device: str  # "Ascend", "GPU" or "CPU"
    line_length: int
    rules: Mapping[str, Mapping[str, object]]  # rule -> option -> value
    config: Path  # the file that holds [tool.ms-perflint], instead of the nearest pyproject.toml
    isolated: bool  # read no such file


@dataclass(frozen=True)
class Fixed:
    """A text after its fixes."""

    text: str
    fixed: tuple[Finding, ...]  # the fixed findings, each in the text as it was then
    report: Report  # the findings left in `text`; `problems` also give reasons why fixes were not applied


def lint_source(text: str, filename: Path | None = None, **settings: Unpack[Settings]) -> Report:
    """Return the findings in the text of a Python file.

    With a file name, the text replaces that file, which need not exist: the files around it are read as parts of its
    programs, and the nearest pyproject.toml for its settings. Without one, no file is read.
    A text that does not parse is in `problems` of the report. Raises ConfigError for an invalid setting.
    """
    path, config = _path(filename), _config(settings, None if filename is None else [filename])
    try:
        return lint([path], config, _files(path, text, filename))
    except SourceError as error:
        return _unreadable(path, error)


def lint_paths(
    paths: Path | Iterable[Path], jobs: int = 1, scheduler: str | None = None, **settings: Unpack[Settings]
) -> Report:
    """Return the findings in files and directories, as the command line does; `jobs` processes share many files.

    With the address of a Dask scheduler, its workers lint. Unreadable files are in `problems` of the report.
    Raises ConfigError for an invalid setting, and ClusterError for a cluster that does not work.
    """
    given = [os.fspath(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]
    configs = _configs(settings, given)
    found = discover(given, configs)
    if scheduler is None:
        report = joined(lint(paths, config, jobs=jobs) for config, paths in configs.groups(found.files))
    else:
        from ms_perflint.processes.cluster import connected  # needs the extra `dask`

        with connected(scheduler) as cluster:
            report = joined(lint(paths, config, cluster=cluster) for config, paths in configs.groups(found.files))
    return report._replace(problems=tuple(sorted({*found.problems, *report.problems})))


def fix_source(text: str, filename: Path | None = None, unsafe: bool = False, **settings: Unpack[Settings]) -> Fixed:
    """Return the text of a Python file with its safe fixes applied; with `unsafe`, also the unsafe ones.

    Nothing is written. Fixes that also change another file are not applied. Otherwise as `lint_source`.
    """
    path, config = _path(filename), _config(settings, None if filename is None else [filename])
    try:
        files = _files(path, text, filename)
    except SourceError as error:
        return Fixed(text, (), _unreadable(path, error))
    settled = settle(lambda state: lint([path], config, state), files, config, unsafe=unsafe)
    for change in settled.changes:
        source = Source(path, change.after)
        text = ("\ufeff" if source.bom else "") + source.whole.decode("utf-8")
    report = settled.report
    problems = tuple(sorted({*report.problems, *settled.problems}))
    return Fixed(text, settled.fixed, report._replace(problems=problems))


def _path(filename: Path | None) -> str:
    return os.path.abspath(UNNAMED if filename is None else filename)


def _files(path: str, text: str, filename: Path | None) -> Files:
    """Return an overlay with the text over the disk; over no files where it has no name. May raise SourceError."""
    return Overlay(Nowhere() if filename is None else Disk(), {path: encoded(text)})


def _unreadable(path: str, error: SourceError) -> Report:
    return Report((), (error.problem(path),), (path,))


def _config(settings: Settings, paths: Sequence[Path] | None) -> Config:
    """Return the configuration of one text, overridden by the settings of a call. May raise ConfigError."""
    return _configs(settings, paths).run


def _configs(settings: Settings, paths: Sequence[Path] | None) -> Configurations:
    """Return the configurations of paths, overridden by the settings of a call. May raise ConfigError."""
    unknown = sorted(settings.keys() - Settings.__annotations__)
    if unknown:
        raise TypeError(f"unknown setting {unknown[0]!r}; known are {', '.join(sorted(Settings.__annotations__))}")
    file, isolated = settings.get("config"), settings.get("isolated", False) or paths is None
    names = [os.fspath(path) for path in paths or ()]
    on_top = partial(_on_top, settings)
    return configurations(names, on_top, None if file is None else os.fspath(file), isolated)


def _on_top(settings: Settings, config: Config) -> Config:
    """Return a configuration, overridden by the settings of a call. May raise ConfigError."""
    named = ("select", "ignore", "extend_select", "extend_safe_fixes", "mindspore_version", "device", "line_length")
    given: dict[str, object] = {name: value for name, value in settings.items() if name in named}
    config = config_values.override(config, "", **given)
    if "rules" in settings:
        options = config_values.parse({"rules": settings["rules"]}, "rules", config.root).options
        config = config._replace(options={**config.options, **options})
    return config
