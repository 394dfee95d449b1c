"""The facts of programs, for people and for other programs."""

from __future__ import annotations

import json

from ms_perflint.facts.data import Answer, Evidence, Fact, Facts, Origin, Overview, Verdict
from ms_perflint.findings import Place
from ms_perflint.report.sources import name, shown
from ms_perflint.report.style import PLAIN, Style, visible, width

FORMATS = ("text", "json")
LABEL = 14  # columns of the name of a fact
WIDEST = 48  # columns of a place, beyond which the rest moves
LINES = 6  # of evidence for one fact
FILES = 12  # that are listed without being asked for


def render(name: str, answer: Answer, style: Style = PLAIN, verbose: bool = False) -> str:
    """Return the facts in the format of that name."""
    return _json(answer) if name == "json" else _Text(style, verbose).answer(answer)


class _Text:
    """Text in columns, each fact with the places that show it."""

    def __init__(self, style: Style, verbose: bool) -> None:
        self.style = style
        self.verbose = verbose

    def answer(self, answer: Answer) -> str:
        lines = [line for facts in answer.facts for line in self.facts(facts, answer.path)]
        if answer.others and answer.facts:
            lines += ["", f"{shown(answer.path)} is part of these programs too:"]
        lines += self.overviews(answer.others)
        if not lines:
            lines.append("no program that trains is in this folder")
        if answer.is_cut:
            lines.append("... and more: name a folder further down")
        return "".join(f"{line}\n" for line in lines)

    def facts(self, facts: Facts, asked: str) -> list[str]:
        """Return the lines of one program."""
        lines = [self.style(f"program {shown(facts.entry)}", "bold"), ""]
        if asked != facts.entry:
            lines.insert(1, f"{shown(asked)} is a part of it")
        for fact in facts.facts:
            if fact.is_there:
                lines += self.fact(fact)
            if fact.name == "files" and (self.verbose or len(facts.files) <= FILES):
                lines += [f"  {shown(path)}" for path in facts.files[1:]]
        absent = [fact.name for fact in facts.facts if not fact.is_there]
        if absent:
            lines.append(f"{self.style('without'.ljust(LABEL), 'cyan')} {', '.join(absent)}")
        return [*lines, "", self.style("rules", "bold"), *self.verdicts(facts.verdicts)]

    def fact(self, fact: Fact) -> list[str]:
        """Return a fact, and the places that show it below, each with the settings that it rests on."""
        kept = fact.evidence if self.verbose else fact.evidence[:LINES]
        rows: list[tuple[str, str]] = []
        told: set[Origin] = set()
        for evidence in kept:
            rows.append((f"  {self.place(evidence.place)}", _said(evidence)))
            rows += [("", f"  if {visible(evidence.when)}")] if evidence.when else []
            fresh = [origin for origin in evidence.origins if origin not in told]
            rows += [(f"    {self.place(origin.place)}", visible(origin.text)) for origin in fresh]
            told.update(fresh)
        wide = max((width(place) for place, _ in rows if width(place) <= WIDEST), default=0)
        lines = [f"{self.style(fact.name.ljust(LABEL), 'cyan')} {visible(fact.says)}"]
        lines += [f"{place}{' ' * max(0, wide - width(place))}  {text}".rstrip() for place, text in rows]
        more = len(fact.evidence) - len(kept)
        return [*lines, f"  ... and {more} more, with --verbose"] if more else lines

    def verdicts(self, verdicts: tuple[Verdict, ...]) -> list[str]:
        """Return a line for each rule that speaks, or would with another target; and one for the others."""
        lines = []
        for verdict in verdicts:
            if verdict.places or verdict.hidden or verdict.otherwise:
                lines.append(f"  {self.style(verdict.code, 'red' if verdict.places else 'grey')}  {_verdict(verdict)}")
        quiet = [verdict.code for verdict in verdicts if verdict.is_on and not _speaks(verdict)]
        off = [verdict.code for verdict in verdicts if not verdict.is_on]
        lines += [f"  quiet   {', '.join(quiet)}"] if quiet else []
        return [*lines, *([f"  off     {', '.join(off)}"] if off else [])]

    def overviews(self, overviews: tuple[Overview, ...]) -> list[str]:
        """Return one line for each program."""
        wide = max((width(shown(each.entry)) for each in overviews), default=0)
        return [f"{shown(each.entry)}{' ' * (wide - width(shown(each.entry)))}  {in_short(each)}" for each in overviews]

    @staticmethod
    def place(place: Place) -> str:
        return f"{name(place)}:{place.line}"


def _said(evidence: Evidence) -> str:
    """Return what one place says."""
    return visible(": ".join(part for part in (evidence.code, evidence.says) if part))


def _verdict(verdict: Verdict) -> str:
    """Return what a rule says of the program."""
    parts = []
    if verdict.places:
        parts.append(f"{_findings(len(verdict.places))}: {_listed(verdict.places)}")
    if verdict.hidden:
        parts.append(f"{_findings(len(verdict.hidden))} suppressed: {_listed(verdict.hidden)}")
    parts += [f"quiet; {_findings(number)} with {setting}" for setting, number in verdict.otherwise]
    return "; ".join(parts)


def _listed(places: tuple[Place, ...]) -> str:
    found = [f"{name(place)}:{place.line}" for place in places[:3]]
    return ", ".join([*found, *([f"and {len(places) - 3} more"] if len(places) > 3 else [])])


def _speaks(verdict: Verdict) -> bool:
    return bool(verdict.places or verdict.hidden or verdict.otherwise)


def _findings(number: int) -> str:
    return f"{number} finding" if number == 1 else f"{number} findings"


def in_short(overview: Overview) -> str:
    """Return what is said of a program behind its name."""
    trains, mode, version, device = overview.facts
    if not trains.answer:
        return "does not train"
    return f"trains, {mode.answer or 'mode unknown'}, MindSpore {version.answer}, {device.answer or 'any device'}"


# --- JSON


def _json(answer: Answer) -> str:
    """Return an object, pure ASCII, so that no encoding can spoil it."""
    document = {
        "path": answer.path,
        "programs": [_program(facts) for facts in answer.facts],
        "others": [{"entry": each.entry, "facts": _facts(each.facts)} for each in answer.others],
        "complete": not answer.is_cut,
    }
    return json.dumps(document, indent=2) + "\n"


def _program(facts: Facts) -> dict[str, object]:
    return {
        "entry": facts.entry,
        "files": list(facts.files),
        "facts": _facts(facts.facts),
        "settings": [_origin(each) for each in facts.settings],
        "rules": [_rule(each) for each in facts.verdicts],
    }


def _facts(facts: tuple[Fact, ...]) -> dict[str, object]:
    return {fact.name.replace(" ", "_").lower(): _fact(fact) for fact in facts}


def _fact(fact: Fact) -> dict[str, object]:
    return {"answer": fact.answer, "says": fact.says, "evidence": [_evidence(each) for each in fact.evidence]}


def _evidence(evidence: Evidence) -> dict[str, object]:
    return {
        **_place(evidence.place),
        "code": evidence.code,
        "says": evidence.says,
        "value": evidence.value,
        "when": evidence.when,
        "from": [_origin(each) for each in evidence.origins],
    }


def _origin(origin: Origin) -> dict[str, object]:
    return {**_place(origin.place), "text": origin.text}


def _rule(verdict: Verdict) -> dict[str, object]:
    return {
        "code": verdict.code,
        "name": verdict.name,
        "enabled": verdict.is_on,
        "findings": [_place(place) for place in verdict.places],
        "suppressed": [_place(place) for place in verdict.hidden],
        "otherwise": [{"with": setting, "findings": number} for setting, number in verdict.otherwise],
    }


def _place(place: Place) -> dict[str, object]:
    cell = {"cell": place.cell} if place.cell else {}
    return {"filename": place.path, **cell, "row": place.line, "column": place.column}
