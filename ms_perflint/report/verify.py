"""The results of `ms-perflint verify`, for people and for other programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Optional

from ms_perflint.languages import ENGLISH, Message, say
from ms_perflint.report.sources import shown
from ms_perflint.report.style import PLAIN, Style, visible, width
from ms_perflint.verify.results import (
    CHANGES_LOSS,
    FAILS,
    FASTER,
    NOT_MEASURED,
    SAME,
    SLOWER,
    Measured,
    Result,
    as_json,
    changed,
)

FORMATS = ("text", "json", "html")
COLOURS = {FASTER: "green", SLOWER: "red", FAILS: "red", CHANGES_LOSS: "yellow"}
LONGEST = 200  # characters of an error that are shown
GAP = "  "

SAID = {
    SAME: Message("same: no difference within the noise"),
    NOT_MEASURED: Message("not measured"),
    CHANGES_LOSS: Message("changes the loss"),
    FAILS: Message("fails"),
    FASTER: Message("faster"),
    SLOWER: Message("slower"),
}
GRADES = {"safe": Message("safe"), "unsafe": Message("unsafe"), "display-only": Message("display-only")}


def render(name: str, result: Result, style: Style = PLAIN, language: str = ENGLISH) -> str:
    """Return the result in a format."""
    if name == "json":
        return json.dumps(as_json(result), indent=2, allow_nan=False) + "\n"
    if name == "html":
        from ms_perflint.report.html.verify import page  # here, because few ask for it

        return page(result, language)
    return _text(result, style, language)


def _text(result: Result, style: Style, language: str) -> str:
    """Return a table with a line per variant, and notes."""
    lines = [style(say(headline(result), language), "bold"), ""]
    rows = [[say(each, language) for each in row] for row in table(result)]
    used = [column for column in range(len(rows[0])) if any(row[column] for row in rows[1:])]
    wide = {column: max(width(row[column]) for row in rows) for column in used}
    for number, row in enumerate(rows):
        cells = [row[column] + " " * (wide[column] - width(row[column])) for column in used]
        if number > 1:
            colour = COLOURS.get(result.variants[number - 2].verdict)
            cells[-1] = style(cells[-1].rstrip(), colour) if colour is not None else cells[-1]
        lines.append(GAP.join(cells).rstrip())
    lines += ["", *(say(note, language) for note in notes(result))] if notes(result) else []
    return "".join(f"{line}\n" for line in lines)


def headline(result: Result) -> Message:
    """Return the program, device and number of steps."""
    return Message(
        "{program}: MindSpore {version} on {device}, {steps} steps, {rounds} runs of each variant in turn",
        program=shown(result.program), version=result.mindspore, device=result.device, steps=result.steps,
        rounds=result.rounds,
    )  # fmt: skip


def table(result: Result) -> list[tuple[str, ...]]:
    """Return rows of texts: the head, the unchanged program, and the variants."""
    head = ("", Message("step"), Message("first step"), Message("loss"), Message("peak memory"), "")
    spread = _ms(result.before, result.spread)
    first = (Message("as it is"), spread, _seconds(result.first), "", _memory(result.peak_memory), "")
    return [head, first, *(_row(each) for each in result.variants)]


def _row(measured: Measured) -> tuple[str, ...]:
    return (
        Message("{rules} ({grade})", rules=", ".join(measured.rules), grade=GRADES[measured.applicability]),
        _ms(measured.after, measured.spread) if measured.after is not None else "",
        _seconds(measured.first_after),
        _loss(measured.loss),
        _memory(measured.peak_memory),
        verdict(measured),
    )


def verdict(measured: Measured) -> Message:
    """Return the verdict on a variant, with its reason."""
    said = SAID[measured.verdict]
    if measured.verdict in (FASTER, SLOWER) and measured.change is not None:
        return Message("{verdict}: {change}", verdict=said, change=changed(measured.change))
    if measured.error:
        reason = measured.error
        if not isinstance(reason, Message):
            reason = visible(reason if len(reason) <= LONGEST else reason[: LONGEST - 3] + "...")
        return Message("{verdict}: {reason}", verdict=said, reason=reason)
    if measured.verdict == CHANGES_LOSS and measured.change is not None:
        return Message("{verdict}; {change}", verdict=said, change=changed(measured.change))
    return said


def notes(result: Result) -> Sequence[Message]:
    """Return notes below the table."""
    if not result.own_loss:
        return ()
    own = _percent(result.own_loss)
    return (Message("the losses of the unchanged program differ from run to run by up to {percent}", percent=own),)


def _loss(difference: Optional[float]) -> str:
    """Return the difference of the losses from those of the unchanged program."""
    if difference is None:
        return ""
    return Message("the same") if difference == 0 else f"± {_percent(difference)}"


def _percent(part: float) -> str:
    return f"{100 * part:.2g} %"


def _ms(time: Optional[float], spread: Optional[float]) -> str:
    """Return the median time of a step, with the spread of the middle half of all steps."""
    if time is None:
        return ""
    digits = 1 if time >= 10 else 2 if time >= 1 else 3
    return f"{time:.{digits}f} ms ± {(spread or 0.0) / 2:.{digits}f}"


def _seconds(time: Optional[float]) -> str:
    return "" if time is None else f"{time / 1000:.2f} s"


def _memory(size: Optional[int]) -> str:
    return "" if size is None else f"{size / 1e6:.0f} MB"
