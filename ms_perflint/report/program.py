"""The facts of programs, for people and for other programs."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import reduce

from ms_perflint.core.findings import Place
from ms_perflint.facts.data import Answer, Evidence, Fact, Facts, Origin, Overview, Verdict, Way, in_language
from ms_perflint.facts.words import also, listed
from ms_perflint.languages import ENGLISH, Message, say
from ms_perflint.report.sources import name, shown
from ms_perflint.report.style import PLAIN, Style, visible, width
from ms_perflint.report.summary import files_of, findings_of

FORMATS = ("text", "json")
LABEL = 14  # columns of the name of a fact
STATE = 6  # columns of the state of rules that say nothing
WIDEST = 48  # columns of a place, beyond which the rest moves
LINES = 6  # of evidence for one fact
FILES = 12  # that are listed without being asked for


def render(name: str, answer: Answer, style: Style = PLAIN, verbose: bool = False, language: str = ENGLISH) -> str:
    """Return the facts in the format of that name."""
    return _json(answer, language) if name == "json" else Text(style, verbose, language).answer(answer)


class Text:
    """Text in columns, each fact with the places that show it."""

    def __init__(self, style: Style, verbose: bool, language: str) -> None:
        self.style = style
        self.verbose = verbose
        self.language = language

    def answer(self, answer: Answer) -> str:
        lines = [line for facts in answer.facts for line in self.facts(facts, answer.path)]
        if answer.others and answer.facts:
            lines += ["", self.say(Message("{file} is part of these programs too:", file=shown(answer.path)))]
        lines += self.overviews((*answer.others, *answer.unknown, *answer.idle))
        if not lines:
            lines.append(self.say(Message("no program that trains is in this folder")))
        if answer.defining:
            one = Message("1 file more that starts nothing: does not train")
            said = Message("{files} more that start nothing: do not train", files=files_of(answer.defining))
            lines.append(self.say(one if answer.defining == 1 else said))
        if answer.is_cut:
            lines.append(self.say(Message("... and more: name a folder further down")))
        return "".join(f"{line}\n" for line in lines)

    def facts(self, facts: Facts, asked: str) -> list[str]:
        """Return the lines of one program."""
        lines = [self.style(self.say(Message("program {file}", file=shown(facts.entry))), "bold"), ""]
        if asked != facts.entry:
            lines.insert(1, self.say(Message("{file} is a part of it", file=shown(asked))))
        for fact in facts.facts:
            if fact.is_there:
                lines += self.fact(in_language(fact, self.language))
            if fact.name == "files" and (self.verbose or len(facts.files) <= FILES):
                lines += [f"  {shown(path)}" for path in facts.files[1:]]
        absent = [fact.name for fact in facts.facts if not fact.is_there]
        if absent:
            lines.append(f"{self.label(Message('without'))} {self.say(listed(absent))}")
        lines += self.ways(facts.ways)
        return [*lines, "", self.style(self.say(Message("rules")), "bold"), *self.verdicts(facts.verdicts)]

    def ways(self, ways: tuple[Way, ...]) -> list[str]:
        """Return a table of the run configurations, by facts that are not the same in all; [] where there is one."""
        if not ways:
            return []
        names = list(dict.fromkeys(fact.name for way in ways for fact in way.facts))
        said = [{fact.name: visible(self.say(fact.says)) for fact in way.facts} for way in ways]
        differ = [name for name in names if len({each.get(name) for each in said}) > 1]
        alike = Message("run configurations, which are all alike in these facts")
        head = [self.say(Message("run configurations") if differ else alike), *map(self.say, differ)]
        rows = [[f"  {shown(way.name)}", *(each.get(name, "-") for name in differ)] for way, each in zip(ways, said)]
        wide = [max(width(row[at]) for row in (head, *rows)) for at in range(len(head))]
        lines = ["  ".join(cell + " " * (most - width(cell)) for cell, most in zip(row, wide)) for row in (head, *rows)]
        return ["", self.style(lines[0].rstrip(), "bold"), *(line.rstrip() for line in lines[1:])]

    def say(self, text: str) -> str:
        return say(text, self.language)

    def label(self, name: str) -> str:
        """Return the name of a fact, as wide as all of them."""
        said = self.say(name)
        return self.style(said + " " * (LABEL - width(said)), "cyan")

    def fact(self, fact: Fact) -> list[str]:
        """Return a fact, and the places that show it below, each with the settings that it rests on."""
        kept = fact.evidence if self.verbose else fact.evidence[:LINES]
        rows: list[tuple[str, str]] = []
        told: set[Origin] = set()
        for evidence in kept:
            rows.append((f"  {self.place(evidence.place)}", said_at(evidence)))
            when = self.say(Message("if {condition}", condition=evidence.when))
            rows += [("", f"  {visible(when)}")] if evidence.when else []
            fresh = [origin for origin in evidence.origins if origin not in told]
            rows += [(f"    {self.place(origin.place)}", visible(origin.text)) for origin in fresh]
            told.update(fresh)
        wide = max((width(place) for place, _ in rows if width(place) <= WIDEST), default=0)
        lines = [f"{self.label(fact.name)} {visible(fact.says)}"]
        lines += [f"{place}{' ' * max(0, wide - width(place))}  {text}".rstrip() for place, text in rows]
        more = len(fact.evidence) - len(kept)
        rest = self.say(Message("... and {number} more, with --verbose", number=more))
        return [*lines, f"  {rest}"] if more else lines

    def verdicts(self, verdicts: tuple[Verdict, ...]) -> list[str]:
        """Return a line for each rule that reports, or would with another target; and one for the others."""
        lines = []
        for verdict in verdicts:
            if verdict.places or verdict.hidden or verdict.otherwise:
                lines.append(
                    f"  {self.style(verdict.code, 'red' if verdict.places else 'grey')}  {self.verdict(verdict)}"
                )
        silent = [verdict for verdict in verdicts if verdict.is_on and not _reports(verdict)]
        quiet = [verdict.code for verdict in silent if verdict.is_judged]
        gaps = [verdict.code for verdict in silent if not verdict.is_judged]
        off = [verdict.code for verdict in verdicts if not verdict.is_on]
        states = ((Message("not judged"), gaps), (Message("no finding"), quiet), (Message("off"), off))
        wide = max(STATE, *(width(self.say(state)) for state, codes in states if codes), 0)
        for state, codes in states:
            said = self.say(state)
            lines += [f"  {said}{' ' * (wide - width(said))}  {', '.join(codes)}"] if codes else []
        return lines

    def verdict(self, verdict: Verdict) -> str:
        """Return what a rule says of the program."""
        parts: list[str] = []
        if verdict.places:
            found, places = findings_of(len(verdict.places)), self.places(verdict.places)
            parts.append(Message("{findings}: {places}", findings=found, places=places))
        if verdict.hidden:
            hidden, places = findings_of(len(verdict.hidden)), self.places(verdict.hidden)
            parts.append(Message("{findings} suppressed: {places}", findings=hidden, places=places))
        parts += [
            Message("no finding; {findings} with {setting}", findings=findings_of(number), setting=setting)
            for setting, number in verdict.otherwise
        ]
        return self.say(reduce(also, parts))

    def places(self, places: tuple[Place, ...]) -> str:
        """Return the first ones of some places."""
        some = ", ".join(self.place(place) for place in places[:3])
        return some if len(places) <= 3 else Message("{some}, and {number} more", some=some, number=len(places) - 3)

    def overviews(self, overviews: tuple[Overview, ...]) -> list[str]:
        """Return one line for each program."""
        wide = max((width(shown(each.entry)) for each in overviews), default=0)
        lines = []
        for each in overviews:
            entry = shown(each.entry)
            lines.append(f"{entry}{' ' * (wide - width(entry))}  {self.say(in_short(each))}")
        return lines

    @staticmethod
    def place(place: Place) -> str:
        return f"{name(place)}:{place.line}"


def said_at(evidence: Evidence) -> str:
    """Return what one place says."""
    return visible(": ".join(part for part in (evidence.code, evidence.says) if part))


def _reports(verdict: Verdict) -> bool:
    return bool(verdict.places or verdict.hidden or verdict.otherwise)


def in_short(overview: Overview) -> str:
    """Return what is said of a program behind its name."""
    trains, mode, version, device = overview.facts
    if trains.answer is None:
        return Message("trains: {answer}", answer=trains.says)
    if not trains.answer:
        return Message("does not train")
    return Message(
        "trains, {mode}, MindSpore {version}, {device}",
        mode=mode.answer or Message("mode unknown"),
        version=version.answer,
        device=device.answer or Message("any device"),
    )


# --- JSON


def _json(answer: Answer, language: str) -> str:
    """Return an object, pure ASCII, so that no encoding can spoil it."""
    document = {
        "path": answer.path,
        "programs": [_program(facts, language) for facts in answer.facts],
        "others": _overviews(answer.others, language),
        **({"unknown": _overviews(answer.unknown, language)} if answer.is_directory else {}),
        **({"not_training": _overviews(answer.idle, language)} if answer.is_directory else {}),
        "complete": not answer.is_cut,
    }
    return json.dumps(document, indent=2) + "\n"


def _overviews(overviews: tuple[Overview, ...], language: str) -> list[dict[str, object]]:
    return [{"entry": each.entry, "facts": _facts(each.facts, language)} for each in overviews]


def _program(facts: Facts, language: str) -> dict[str, object]:
    return {
        "entry": facts.entry,
        "files": list(facts.files),
        "facts": _facts(facts.facts, language),
        "settings": [_origin(replace(each, text=say(each.text, language))) for each in facts.settings],
        "rules": [_rule(each) for each in facts.verdicts],
        "configurations": [{"name": way.name, "facts": _facts(way.facts, language)} for way in facts.ways],
    }


def _facts(facts: tuple[Fact, ...], language: str) -> dict[str, object]:
    return {fact.name.replace(" ", "_").lower(): _fact(in_language(fact, language)) for fact in facts}


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
        "judged": verdict.is_judged,
        "findings": [_place(place) for place in verdict.places],
        "suppressed": [_place(place) for place in verdict.hidden],
        "otherwise": [{"with": setting, "findings": number} for setting, number in verdict.otherwise],
    }


def _place(place: Place) -> dict[str, object]:
    cell = {"cell": place.cell} if place.cell else {}
    return {"filename": place.path, **cell, "row": place.line, "column": place.column}
