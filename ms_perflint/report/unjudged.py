"""Programs judged in part, in words: without findings they are not known to be clean."""

from __future__ import annotations

from collections.abc import Sequence

from ms_perflint.core.reports import Unjudged
from ms_perflint.languages import Message
from ms_perflint.report.sources import argument, shown

NAME = "not-judged"  # the name in place of a rule, in formats that need one
MOST = 10  # largest number of programs with a line of their own


def reason(each: Unjudged) -> Message:
    """Return the rules for which a program was not judged, with the reason."""
    rules = ", ".join(each.codes)
    if each.has_findings:
        return Message("judged in part for {rules}: {reason}", rules=rules, reason=each.reason)
    return Message("not judged for {rules}: {reason}", rules=rules, reason=each.reason)


def line(each: Unjudged) -> Message:
    """Return the line about a program, with the command that shows more."""
    if each.has_findings:
        return Message(
            "{file}: judged in part for {rules}: {reason}; see `ms-perflint program {argument}`",
            file=shown(each.entry), argument=argument(each.entry), rules=", ".join(each.codes), reason=each.reason,
        )  # fmt: skip
    return Message(
        "{file}: not judged for {rules}: {reason}; see `ms-perflint program {argument}`",
        file=shown(each.entry), argument=argument(each.entry), rules=", ".join(each.codes), reason=each.reason,
    )  # fmt: skip


def lines(found: Sequence[Unjudged], is_verbose: bool) -> list[Message]:
    """Return a line for each program, up to a maximum, then the number of others."""
    told = found if is_verbose else found[:MOST]
    said = [line(each) for each in told]
    if len(told) < len(found):
        number = len(found) - len(told)
        rest = Message("{number} more programs were not judged in full; `--verbose` names them", number=number)
        return [*said, rest]
    return said


def sentence(found: Sequence[Unjudged], trained: int) -> Message:
    """Return the number of training programs judged in part, for the summary."""
    codes = {code for each in found for code in each.codes}
    number, most, entry = len(found), max(trained, len(found)), argument(found[0].entry)
    rules = Message("1 rule") if len(codes) == 1 else Message("{number} rules", number=len(codes))
    if all(each.has_findings for each in found):
        return Message(
            "training programs judged in part for {rules}: {number} of {all}; see `ms-perflint program {argument}`.",
            number=number, all=most, rules=rules, argument=entry,
        )  # fmt: skip
    if number == 1:
        return Message(
            "{number} of {all} training programs was not judged for {rules}: see `ms-perflint program {argument}`.",
            number=number, all=most, rules=rules, argument=entry,
        )  # fmt: skip
    return Message(
        "{number} of {all} training programs were not judged for {rules}: see `ms-perflint program {argument}`.",
        number=number, all=most, rules=rules, argument=entry,
    )  # fmt: skip
