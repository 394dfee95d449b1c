"""Prefilter of a run: answers from the cache, and from the bytes of files.

Most runs are about files that did not change, or that have nothing to do with MindSpore. They are answered here, and
the engine is not loaded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Optional

from ms_perflint.cache.cache import Memory
from ms_perflint.config.settings import Config
from ms_perflint.core.files import Files, with_change
from ms_perflint.core.reports import Report, reported
from ms_perflint.linting.unparsable import unparsable

MARK = b"mindspore"  # a file without it, in itself and in all that it imports, has no findings ...
# ... but those of the rule about tensors that Python reads, where it has one of these
READS, READ = "MSP106", (b".asnumpy", b".item(", b"float(")
IMPORT = rb"(?m)^[ \t]*(?:from|import)[ \t]+(\.|[\w\x80-\xff]+)"  # the first word of what is imported
OTHERWISE = (b"sys.path", b"import_module", b"__import__")  # by what else a file may import others
REVIEW, COMMENTS = "MSP901", (b"noqa", b"NOQA", b"disable-file")  # the rule about comments, and what these hold


def answered(
    paths: Sequence[str], files: Files, memory: Optional[Memory] = None, config: Optional[Config] = None
) -> Optional[Report]:
    """Return the report on files that are all cached or do not name MindSpore; None where the engine has to run."""
    asked = (*config.select, *config.extend_select) if config else ()
    marks = (MARK, *(COMMENTS if REVIEW in asked else ()), *(READ if READS in asked else ()))
    unknown = [path for path in paths if memory is None or not memory.knows(path)]
    if any(_has_to_be_read(path, files, marks) for path in unknown):
        return None
    if memory is None or len(unknown) == len(paths):
        return Report((), (), tuple(paths))
    skipped = frozenset(unknown)
    now = with_change(files, config.change if config is not None else ())
    found, changed = memory.recall([path for path in paths if path not in skipped], now)
    return None if changed else reported(found, (), paths)


def _has_to_be_read(path: str, files: Files, marks: Sequence[bytes]) -> bool:
    """Return whether a file names MindSpore, has suppression comments to check, or is no Python."""
    try:
        raw = files.read(path)
        return any(mark in raw for mark in marks) or imports_local(path, raw, files) or any(unparsable(path, raw))
    except Exception:  # the engine says why
        return True


def imports_local(path: str, raw: bytes, files: Files) -> bool:
    """Return whether a file may import local files, which may import MindSpore."""
    words = {word.decode("utf-8", "replace") for word in re.findall(IMPORT, raw)} if b"import" in raw else set()
    if "." in words or any(word in raw for word in OTHERWISE):
        return True
    while words and path != os.path.dirname(path):
        path = os.path.dirname(path)
        if files.named(path, *words, *[f"{word}.py" for word in words]):
            return True
    return False


def left_out(report: Report, config: Config, files: Files) -> Report:
    """Return a report without the findings in the baseline."""
    if config.baseline_file is None:
        return report
    from ms_perflint import baseline

    return baseline.load(config.baseline_file).divided(report, files)
