"""Fixes as a patch for `git apply`, with fixes that need consent in comments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ms_perflint.core.source import Source
from ms_perflint.languages import ENGLISH, Message, say
from ms_perflint.report.sources import position, shown
from ms_perflint.report.style import Style, visible

if TYPE_CHECKING:
    from ms_perflint.config.settings import Trust
    from ms_perflint.core.findings import Finding
    from ms_perflint.fixes.fixing import Settled


def patch(
    settled: Settled, asked: Sequence[tuple[Finding, str]], config: Trust, style: Style, language: str = ENGLISH
) -> str:
    """Return a patch of all changes for `git apply`; fixes that need consent follow in comments."""
    from ms_perflint.fixes.writing import unified_diff

    parts = [f"# {_marked(finding, config, language)}\n" for finding in sorted(settled.fixed)]
    for change in settled.changes:
        before, after = (Source(change.path, raw).whole.decode() for raw in (change.before, change.after))
        parts.append(coloured(unified_diff(before, after, shown(change.path)), style))
    for finding, diff in asked:
        fix = _marked(finding, config, language)
        left_out = Message("{fix} -- not part of the patch, `--unsafe-fixes` applies it", fix=fix)
        parts.append(f"# {say(left_out, language)}\n")
        parts += [f"# {row}\n" for row in coloured(diff, style).splitlines()]
    return "".join(parts)


def _marked(finding: Finding, config: Trust, language: str) -> str:
    """Return the description of a fix with its grade."""
    trust = config.trust(finding)
    message = say(finding.fix.message, language) if finding.fix else ""
    return f"{trust.value if trust else ''}: {position(finding.place)}: {finding.code} {message}"


def would_fix(fixed: int, number: int, more: int) -> Message:
    """Return the summary of a patch."""
    if more == 0:
        return Message("Would fix {fixed} of {number} findings.", fixed=fixed, number=number)
    if fixed == 0:
        return Message("Would fix 0 of {number} findings ({more} with `--unsafe-fixes`).", number=number, more=more)
    return Message(
        "Would fix {fixed} of {number} findings ({more} more with `--unsafe-fixes`).",
        fixed=fixed,
        number=number,
        more=more,
    )


def coloured(diff: str, style: Style) -> str:
    """Return a unified diff, coloured for a terminal; elsewhere as it is, for `git apply`.

    On a terminal, carriage returns at line ends are left out, as fixes keep the line ends of a file.
    """
    names = {"-": "removed", "+": "green", "@": "blue"}
    lines = diff.split("\n")
    if style.colour or style.terminal:
        lines = [visible(line.removesuffix("\r")) for line in lines]
    return "\n".join(style(line, names[line[0]]) if line[:1] in names else line for line in lines)
