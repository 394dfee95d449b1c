"""Profiles for an editor, read on demand, and again only after a change."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Union

from ms_perflint.commands import profiled
from ms_perflint.commands.mistakes import UsageError
from ms_perflint.config.per_file import Configurations
from ms_perflint.core.files import Files
from ms_perflint.profile import reader
from ms_perflint.profile.kernels import Profile
from ms_perflint.profile.reader import Fingerprint
from ms_perflint.server.linting import Checked


class _Read(NamedTuple):
    """The content of a folder: a profile, or the reason why it is none."""

    fingerprint: Fingerprint
    found: Union[Profile, str]


class Profiles:
    """The profiles that were read."""

    def __init__(self) -> None:
        self._read: dict[str, _Read] = {}  # by folder

    def told(self, checked: Checked, files: Files) -> Checked:
        """Return the results of a file with the evidence of its configured profile.

        A file of another program than the profile's gets none.
        """
        folder = checked.config.profile_folder
        if folder is None or not checked.findings:
            return checked
        found = self._profile(folder)
        if isinstance(found, str):
            return replace(checked, unread=found)
        try:
            configs = Configurations(checked.config)
            joined = profiled.joined(found, None, checked.findings, [checked.path], configs, files)
        except UsageError:
            return checked
        return replace(checked, profiled=joined.measured)

    def _profile(self, folder: str) -> Union[Profile, str]:
        """Return the current profile in a folder, or the reason why there is none."""
        fingerprint = reader.fingerprint(folder)
        read = self._read.get(folder)
        if read is None or read.fingerprint != fingerprint:
            read = self._read[folder] = _Read(fingerprint, _profile(folder))
        return read.found


def _profile(folder: str) -> Union[Profile, str]:
    try:
        return profiled.read(folder)
    except UsageError as error:
        return str(error.args[0])
