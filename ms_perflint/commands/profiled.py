"""`check --profile DIR`: the findings of a run, joined with a profile."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from ms_perflint.check import checks
from ms_perflint.commands.mistakes import UsageError
from ms_perflint.config.per_file import Configurations
from ms_perflint.core.files import Files
from ms_perflint.core.findings import ACCELERATORS, Finding
from ms_perflint.core.source import Source, SourceError
from ms_perflint.linting.linter import Linter
from ms_perflint.mindspore_api import exports
from ms_perflint.profile import graphs, reader, symptoms
from ms_perflint.profile.joined import Joined, join
from ms_perflint.profile.kernels import Profile
from ms_perflint.profile.text_layout import ProfileError
from ms_perflint.training.devices import measured_devices, target_of

FRAMEWORK = ("mindspore.nn", "mindspore.mint.nn", "mindspore.train")  # modules with classes in every profile


def read(folder: str) -> Profile:
    """Return the profile in a folder. Raises UsageError without one."""
    try:
        return reader.read(folder)
    except ProfileError as error:
        raise UsageError(error.args[0]) from error


def joined(
    profile: Profile,
    graph_folder: str | None,
    findings: Sequence[Finding],
    files: Sequence[str],
    configs: Configurations,
    disk: Files,
) -> Joined:
    """Return findings with evidence of a profile. Raises UsageError for the profile of another program."""
    sources = _sources(files, configs, disk)
    try:
        lines = graphs.read(graph_folder, [source.path for source in sources]) if graph_folder else {}
        found = join(profile, findings, sources, _symptom, lines, _is_known)
    except ProfileError as error:
        raise UsageError(error.args[0]) from error
    targets = Targets(configs, disk)
    measured = {finding: told.on(targets.of(finding.place.path)) for finding, told in found.measured.items()}
    return found._replace(measured=measured)


class Targets:
    """The target devices of programs."""

    def __init__(self, configs: Configurations, disk: Files) -> None:
        self._configs = configs
        self._disk = disk
        self._known: dict[str, tuple[str, ...]] = {}  # by file

    def of(self, path: str) -> tuple[str, ...]:
        """Return the target devices of a file's programs: accelerators if one of them is for these."""
        if path not in self._known:
            linter = Linter(self._configs.of(path), self._disk)
            programs = map(linter.program, linter.project.programs(path))
            found = {each for program in programs for each in measured_devices(target_of(program))}
            self._known[path] = tuple(each for each in ACCELERATORS if each in found) or tuple(found)
        return self._known[path]


def _sources(files: Sequence[str], configs: Configurations, disk: Files) -> list[Source]:
    """Return the readable files among some files and their imports."""
    found: dict[str, Source] = {}
    for config, members in configs.groups(files):
        linter = Linter(config, disk)
        for path in (path for file in members for path in (file, *sorted(linter.project.closure(file)))):
            with suppress(OSError, SourceError):
                found[path] = found.get(path) or Source(path, disk.read(path))
    return list(found.values())


def _symptom(code: str) -> symptoms.Symptom | None:
    """Return the symptom of a rule; None without one."""
    name = next((check.symptom for check in checks() if check.code == code), "")
    found: symptoms.Symptom | None = getattr(symptoms, name) if name else None
    return found


def _is_known(name: str) -> bool:
    """Return whether a class in a scope belongs to the framework."""
    return name.startswith("_") or any(name in exports(module) for module in FRAMEWORK)
