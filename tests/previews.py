"""Requirements of rules outside of preview: a Chinese page, translated messages, a measured effect."""

from __future__ import annotations

from pathlib import Path

from ms_perflint import pages
from ms_perflint.codes import previews
from ms_perflint.languages import CHINESE


def _codes(folder: Path) -> frozenset[str]:
    return frozenset(path.name.partition("-")[0] for path in folder.glob("*.md"))


TRANSLATED = _codes(Path(pages.folder()) / CHINESE)  # rules with a page in Chinese
IN_ENGLISH = frozenset(previews()) - TRANSLATED  # rules that need none yet
