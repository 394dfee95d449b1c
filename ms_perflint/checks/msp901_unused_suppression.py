"""MSP901: a comment suppresses a rule that reports nothing there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from ms_perflint.check import Check, checks
from ms_perflint.core.findings import Finding, Fix, Gain, Safety
from ms_perflint.core.source import Source
from ms_perflint.edits.named_suppressions import Code, Named, named, without
from ms_perflint.languages import Message
from ms_perflint.suppressions import Suppressions

OURS = r"MSP[0-9]+"
PROBLEM = "MSP000"  # flake8's code for a file that could not be read
HERE = Message("nothing here for {codes} to suppress: later findings would be hidden")
IN_FILE = Message("nothing in this file for {codes} to suppress: later findings would be hidden")


class UnusedSuppression(Check):
    """A suppression comment names a rule that reports nothing there."""

    code = "MSP901"
    name = "unused-suppression"
    safety = Safety.SAFE
    triggers = ()
    preview = True  # a suppression unused for one MindSpore version or device may be needed for another
    per_program = False
    reviews = True
    gain = Gain("small", Message("none; later findings are not hidden"))

    @classmethod
    def review(
        cls, source: Source, suppressions: Suppressions, found: Sequence[Finding], judged: Collection[str]
    ) -> Iterator[Finding]:
        """Yield a finding for each comment with codes that suppress nothing."""
        for each in named(source, suppressions):
            rows = None if each.in_file else suppressions.joined(each.comment.row)
            codes = {one.code for one in found if rows is None or not set(rows).isdisjoint(one.lines)}
            unused = [code for code in each.codes if _is_unused(code.text.upper(), codes, judged)]
            if unused:
                yield cls._finding(source, each, unused)

    @classmethod
    def _finding(cls, source: Source, each: Named, unused: Sequence[Code]) -> Finding:
        text, start = each.comment.text, each.comment.start
        place = source.place(start + len(text[: unused[0].start].encode()))
        end = source.place(start + len(text[: unused[-1].end].encode()))
        says = (IN_FILE if each.in_file else HERE).filled(codes=", ".join(code.text for code in unused))
        fix = Fix(Message("remove what suppresses nothing"), cls.safety, (without(source, each, unused),))
        return Finding(place, cls.code, cls.name, says, end, (each.comment.row,), fix)


def _is_unused(code: str, found: Collection[str], judged: Collection[str]) -> bool:
    """Return whether a code, or prefix of codes, names only rules that ran and found nothing."""
    named = {check.code for check in checks() if check.code.startswith(code)}
    if not named:
        return re.fullmatch(OURS, code) is not None and code != PROBLEM
    return named <= set(judged) and named.isdisjoint(found)
