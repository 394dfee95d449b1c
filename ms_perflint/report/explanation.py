"""Why rules report something on a line, or nothing: for people and for other programs."""

from __future__ import annotations

import json
import os

from ms_perflint.core.findings import Finding
from ms_perflint.facts.explanation import Asked, Explanation
from ms_perflint.facts.trail import Question
from ms_perflint.languages import ENGLISH, Message, say
from ms_perflint.report.program import in_short
from ms_perflint.report.sources import name, position, shown
from ms_perflint.report.style import PLAIN, Style, visible, width
from ms_perflint.report.text import labelled

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANSWERS = {True: Message("yes"), False: Message("no")}
HEADS = {  # of the questions, by whether there is a finding
    True: Message("checked in this order; these answers lead to the finding:"),
    False: Message("checked in this order; none of these answers decides:"),
}
LONGEST = 90  # characters of an expression
LINES = 12  # about which rules ask, that are named


def render(name: str, found: Explanation, style: Style = PLAIN, language: str = ENGLISH) -> str:
    """Return an explanation in a format."""
    return _json(found, language) if name == "json" else _Text(style, language).explanation(found)


class _Text:
    def __init__(self, style: Style, language: str) -> None:
        self.style = style
        self.language = language

    def say(self, text: str) -> str:
        return say(text, self.language)

    def explanation(self, found: Explanation) -> str:
        """Return the line, its program, and a block for each rule that checks it."""
        place = f"{name(found.place)}:{found.place.line}"
        lines = [f"{self.style(place, 'bold')}  {visible(found.line)}", self.program(found)]
        for asked in found.asked:
            lines += ["", *self.asked(asked, found.program.entry)]
        for finding, said in found.elsewhere:
            lines += ["", *self.elsewhere(finding, said)]
        if not found.asked:
            lines += ["", self.say(Message("no enabled rule checks this line"))]
            lines += [self.near(found)] if found.near else []
        return "".join(f"{line}\n" for line in lines)

    def program(self, found: Explanation) -> str:
        """Return the program in which the rules ran, with its overview."""
        overview = found.program
        file, short = shown(overview.entry), in_short(overview)
        text = Message("in the program {file}: {facts}", file=file, facts=short)
        if found.programs > 1:
            number = found.programs
            text = Message(
                "{number} programs run this file; shown: {file}: {facts}", number=number, file=file, facts=short
            )
        return self.say(text)

    def asked(self, asked: Asked, entry: str) -> list[str]:
        """Return the result of one rule for one expression, with its program where that is another one."""
        said = self.style(self.say(_verdict(asked)), "red" if asked.finding and not asked.hidden else "green")
        lines = [f"{self.style(asked.code, 'bold')} {asked.name}, `{self.code(asked.text)}`: {said}"]
        if asked.entry != entry:
            lines.append(f"  {self.say(Message('in the program {file}', file=shown(asked.entry)))}")
        if asked.finding is not None:
            lines += self.finding(asked.finding)
        if not asked.is_meant:
            resolved = ", ".join(asked.resolved)
            known = Message("it is {names}, which the rule does not check", names=resolved)
            lines.append(
                f"  {self.say(known if resolved else Message('the function that is called here is not known'))}"
            )
        stop = asked.stop
        deciding = [each for each in asked.questions if stop is not None and each.row == stop.place.row]
        leading = [each for each in asked.questions if each not in deciding]
        if leading:
            lines.append(f"  {self.say(HEADS[stop is None])}")
            lines += map(self.question, leading)
        if stop is not None:
            place = f"{_in_package(stop.place.path)}:{stop.place.row}"
            lines.append(f"  {self.say(Message('decided at {place}: {code}', place=place, code=stop.code))}")
            lines += map(self.question, deciding)
        if asked.unjudged is not None:
            lines.append(f"  {self.say(Message('judged in part: {reason}', reason=asked.unjudged))}")
        return lines

    def question(self, question: Question) -> str:
        """Return an answer with its question."""
        answer = self.say(ANSWERS[question.answer])
        wide = max(map(width, map(self.say, ANSWERS.values())))
        return f"    {self.style(answer, 'cyan')}{' ' * (wide - width(answer))}  {question.text}"

    def finding(self, finding: Finding) -> list[str]:
        """Return the message of a finding, its related places, and the grade of its fix."""
        lines = [f"  {visible(self.say(finding.message))}"]
        for related in finding.related:
            lines.append(f"  {position(related.place)}: {visible(self.say(related.message))}")
        fix = finding.fix
        said = labelled(fix) if fix is not None else finding.help or Message("no fix is offered")
        return [*lines, f"  {self.say(Message('help: {text}', text=said))}"]

    def elsewhere(self, finding: Finding, said: str) -> list[str]:
        """Return a finding on another line that depends on this one."""
        rests = Message("this line is evidence of {code} at {place}", code=finding.code, place=position(finding.place))
        return [self.say(rests), f"  {visible(self.say(said))}"]

    def near(self, found: Explanation) -> str:
        """Return the lines of the file that rules check."""
        numbers = [
            f"{name(place).rpartition(':')[2]}:{place.line}" if place.cell else str(place.line) for place in found.near
        ]
        some = ", ".join(numbers[:LINES]) + (", ..." if len(numbers) > LINES else "")
        return self.say(Message("in this file, rules check lines {lines}", lines=some))

    @staticmethod
    def code(text: str) -> str:
        """Return an expression on one line."""
        flat = " ".join(visible(text).split())
        return flat if len(flat) <= LONGEST else f"{flat[:LONGEST]}..."


def _verdict(asked: Asked) -> str:
    """Return whether a rule reports an expression, and in how many programs."""
    if asked.hidden is not None:
        return Message("found, and not reported: {reason}", reason=asked.hidden)
    if asked.finding is None:
        return Message("not reported")
    if asked.programs == 1:
        return Message("reported")
    return Message("reported in {some} of {all} programs", some=asked.reported, all=asked.programs)


def _in_package(path: str) -> str:
    """Return the path of a module of this package, relative to its parent; for another package, the shown path."""
    return os.path.relpath(path, os.path.dirname(PACKAGE)) if path.startswith(PACKAGE + os.sep) else shown(path)


# --- JSON


def _json(found: Explanation, language: str) -> str:
    """Return an object as JSON in pure ASCII, which is the same in every encoding."""
    document = {
        "filename": found.place.path,
        "row": found.place.line,
        "cell": found.place.cell or None,
        "program": found.program.entry,
        "programs": found.programs,
        "rules": [_asked(each, language) for each in found.asked],
        "elsewhere": [
            {
                "code": finding.code,
                "filename": finding.place.path,
                "row": finding.place.line,
                "message": say(said, language),
            }
            for finding, said in found.elsewhere
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _asked(asked: Asked, language: str) -> dict[str, object]:
    finding, stop = asked.finding, asked.stop
    fix = finding.fix if finding is not None else None
    return {
        "code": asked.code,
        "name": asked.name,
        "expression": asked.text,
        "reported": finding is not None and asked.hidden is None,
        "hidden": asked.hidden,
        "message": say(finding.message, language) if finding is not None else None,
        "applicability": fix.safety.value if fix is not None else None,
        "reason": say(fix.reason, language) if fix is not None and fix.reason is not None else None,
        "questions": [{"question": each.text, "answer": each.answer} for each in asked.questions],
        "decided_at": {"filename": stop.place.path, "row": stop.place.row, "code": stop.code} if stop else None,
        "unjudged": asked.unjudged,
    }
