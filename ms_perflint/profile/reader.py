"""The reader of a profile's folder: it selects the layout and the rank."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ms_perflint.languages import Message
from ms_perflint.profile import cpu_layout, old_layout, text_layout
from ms_perflint.profile.kernels import Profile
from ms_perflint.profile.text_layout import KERNELS, OUTPUT, ProfileError

DEEP = 3  # largest number of folders below the given one
MOST = 2 << 30  # bytes of kernel_details.csv: a window of a few steps is far below


Fingerprint = tuple[tuple[str, int, int], ...]  # path, time and size of each file


def fingerprint(folder: str) -> Fingerprint:
    """Return the fingerprint of a profile; empty for an unreadable folder."""
    try:
        entries = [entry for each in _below(folder, DEEP) for entry in os.scandir(each)]
        told = [(entry.path, entry.stat()) for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return ()
    return tuple(sorted((path, stat.st_mtime_ns, stat.st_size) for path, stat in told))


def read(folder: str) -> Profile:
    """Return the profile in a folder, of several ranks that of the slowest. May raise ProfileError."""
    if not os.path.isdir(folder):
        raise ProfileError(Message("{folder}: no folder: name the one that the profiler wrote", folder=folder))
    try:
        return _read(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ProfileError(Message("{file}: cannot be read: {reason}", file=folder, reason=reason)) from error


def _read(folder: str) -> Profile:
    below = list(_below(folder, DEEP))
    inside = [each for each in below if os.path.isfile(os.path.join(each, OUTPUT, KERNELS))]
    outputs = inside or [each for each in below if os.path.isfile(os.path.join(each, KERNELS))]
    if outputs:
        newest: dict[int, str] = {}
        for each in sorted(outputs, key=lambda each: (text_layout.date_of(each), each)):
            newest[text_layout.rank_of(each)] = each
        slowest = max(newest.values(), key=text_layout.mean_step_us)
        size = os.path.getsize(text_layout.output_of(slowest, KERNELS))
        if size > MOST:
            message = Message(
                "{folder}: more than 2 GB of kernels: collect fewer steps with `schedule`", folder=slowest
            )
            raise ProfileError(message)
        return text_layout.read(slowest)._replace(ranks=len(newest))
    for each in below:
        found = old_layout.ranks(each)
        if found:
            slowest_of = max((old_layout.read(each, rank) for rank in found), key=lambda one: one.step_us)
            return slowest_of._replace(ranks=len(found))
    on_cpu = [each for each in below if cpu_layout.is_here(each)]
    if on_cpu:
        return cpu_layout.read(max(on_cpu, key=lambda each: (text_layout.date_of(each), each)))
    raise ProfileError(
        Message(
            "{folder}: no profile of MindSpore: neither `kernel_details.csv`, `aicore_intermediate_*_detail.csv` nor "
            "`cpu_op_detail_info_*.csv` is in it; `ms-perflint profile --how` says how to collect one",
            folder=folder,
        )
    )


def _below(folder: str, depth: int) -> Iterator[str]:
    """Yield a folder and those below it; links are not followed."""
    yield folder
    if depth:
        for entry in sorted(os.scandir(folder), key=lambda each: each.name):
            if entry.is_dir(follow_symlinks=False):
                yield from _below(entry.path, depth - 1)
