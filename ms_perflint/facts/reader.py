"""Values in words, with their origins, and the reasons why values are unknown."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from ms_perflint.core.findings import Place
from ms_perflint.core.source import NOTEBOOK, PYTHON, flat, short
from ms_perflint.facts.data import Evidence, Origin, Plain
from ms_perflint.facts.words import UNKNOWN, also, both, either
from ms_perflint.index.reachability import condition_of
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import is_main_test
from ms_perflint.infer.commandline import ABSENT
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.libraries import argparse
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import conditions
from ms_perflint.training.followed import values_of_name

CONDITION = 50  # characters of a condition
CONDITIONS = 3  # largest number of conditions of one site
LONGEST = 72  # characters of code that are shown
ORIGINS = 6  # of one value
STEPS = 6  # names followed to find why a value is unknown


@dataclass(frozen=True)
class Reading:
    """The value of an argument under default options, in words, and the places that decide it."""

    value: Plain
    text: str
    origins: tuple[Origin, ...] = ()


class Reader:
    """The reader of values in one program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    # --- code and places

    def order(self, place: Place) -> tuple[int, Place]:
        """Return a sort key by place: files in the order of the program, the entry script first."""
        files = self.program.files
        return files.index(place.path) if place.path in files else 0, place

    def code(self, call: Site, *names: str) -> str:
        """Return a call cut down to its callee and the arguments of these names."""
        assert isinstance(call.node, ast.Call)
        given = {keyword.arg: keyword.value for keyword in call.node.keywords}
        if isinstance(call, Call):
            given.update({name: node for name in names if (node := call.given(name)) is not None})
        shown = [f"{name}={flat(call.module.text(given[name]))}" for name in names if name in given]
        rest = len(call.node.args) + len(call.node.keywords) > len(shown)
        callee = flat(call.module.text(call.node.func))
        return short(f"{callee}({', '.join([*shown, *(['...'] if rest else [])])})", LONGEST)

    def evidence(self, call: Call, name: str, *others: str, says: Message | None = None, more: str = "") -> Evidence:
        """Return a call as evidence, with the value of one of its parameters, in the words of `says`, and a remark."""
        reading = self.argument(call, name)
        text = says.filled(value=reading.text) if says is not None else reading.text
        return self.told(call, replace(reading, text=also(text, more)), name, *others)

    def told(self, site: Site, reading: Reading, *names: str) -> Evidence:
        """Return a site as evidence of what was read there; of its arguments, those of these names are shown."""
        when, asked = self.when(site)
        origins = tuple(dict.fromkeys((*reading.origins, *asked)))
        return Evidence(site.place, self.code(site, *names), reading.text, reading.value, origins, when)

    def when(self, site: Site) -> tuple[str, tuple[Origin, ...]]:
        """Return the conditions of a site in its own function, and the options and keys in them.

        Where one of them fails with the default options, those that hold by default say nothing. Those without which
        the program ends in an error never do.
        """
        found = [
            (condition, conditions.by_default(self.program, condition))
            for condition in conditions.conditions(self.program, condition_of(site))
            if not condition.is_required and not is_main_test(condition.test)
        ]
        if any(by_default is False for _, by_default in found):
            found = [(condition, by_default) for condition, by_default in found if not by_default]
        answers = {by_default for _, by_default in found}
        is_mixed = len(answers) > 1
        texts = [_by_default(short(one.text, CONDITION), by_default if is_mixed else None) for one, by_default in found]
        origins = [each for condition, _ in found for each in self.behind(condition.test, condition.scope)]
        settings = [each for each in origins if each.is_setting]
        more = [Message("{number} more", number=len(texts) - CONDITIONS)] if len(texts) > CONDITIONS else []
        text = both([*texts[:CONDITIONS], *more]) if texts else ""
        return _by_default(text, next(iter(answers)) if len(answers) == 1 else None), tuple(dict.fromkeys(settings))

    # --- values

    def argument(self, call: Call, name: str) -> Reading:
        """Return the value of a parameter of a call."""
        given = call.given(name)
        value = call.argument(name)
        if given is None and not call.is_spread:
            constant = value.constants[0] if value.constants else NO_CONSTANT
            says = Message("{value} by default", value=worded(constant)) if value.constants else Message("not given")
            return Reading(plain(constant), says)
        spread = [keyword.value for keyword in call.node.keywords if keyword.arg is None]
        spread += [argument.value for argument in call.node.args if isinstance(argument, ast.Starred)]
        return self.reading(value, given if given is not None else spread[0], call.scope)

    def reading(self, value: Value, node: ast.expr, scope: Scope) -> Reading:
        """Return the value of an expression."""
        by_default = _unique(value.by_default)
        alone = by_default[0] if len(by_default) == 1 and not value.open else NO_CONSTANT
        origins = self.behind(node, scope)
        is_given = any(origin.is_given for origin in origins)
        text = phrase(value._replace(overridable=value.overridable and not is_given))
        if text.endswith("unknown"):
            text = Message("{text}: {why}", text=text, why=self.why(node, scope))
        return Reading(plain(alone), text, origins)

    def behind(self, node: ast.expr, scope: Scope) -> tuple[Origin, ...]:
        """Return the origins of the constants in an expression that are elsewhere."""
        rows = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        places: dict[Place, None] = {}
        whole = [] if isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call)) else [node]
        for part in [*whole, *(part for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute)))]:
            for known in self.program.value(part, scope).alternatives:
                place = known.place
                if (
                    not known.api
                    and known.constant is not NO_CONSTANT
                    and (place.path != scope.module.path or place.row not in rows)
                ):
                    places[place] = None
        return tuple(map(self.origin, list(places)[:ORIGINS]))

    def why(self, node: ast.expr, scope: Scope) -> str:
        """Return the unknown part of an expression."""
        for _ in range(STEPS):
            if isinstance(node, (ast.Attribute, ast.Subscript)):
                found = self._missing(node, scope)
                if found:
                    return found
                if any(known.cls is not None for known in self.program.value(node.value, scope).alternatives):
                    break
                node = node.value
            elif isinstance(node, ast.Name):
                home = scope.home(node.id)
                only = home.single(node) if home is not None else None
                given = values_of_name(self.program, node.id, scope) if only is not None else []
                if not given and only is not None and only.kind == "parameter":
                    return Message("no call that gives the parameter `{name}` is known", name=node.id)
                if not given:
                    break
                node, scope = given[0]
            else:
                break
        if isinstance(node, ast.Call):
            return Message(
                "the result of `{name}` is not known", name=short(flat(scope.module.text(node.func)), LONGEST)
            )
        return Message("`{name}` is not known", name=short(flat(scope.module.text(node)), LONGEST))

    def _missing(self, node: ast.Attribute | ast.Subscript, scope: Scope) -> str:
        """Return the missing option or key; "" if that is not the reason."""
        key = node.attr if isinstance(node, ast.Attribute) else getattr(node.slice, "value", None)
        for known in self.program.value(node.value, scope).alternatives:
            if known.document:
                return Message("no `{key}` in {file}", key=key, file=os.path.basename(known.document))
            if known.is_options:
                return self._option(str(key))
        return ""

    def _option(self, name: str) -> str:
        """Return the reason why the value of an option is not known."""
        for site in self.program.sites("add_argument"):
            if not isinstance(site.node, ast.Call) or name not in argparse.option_names(self.program.evaluator, site):
                continue
            words = [argument.value for argument in site.node.args if isinstance(argument, ast.Constant)]
            for given in self.program.commands.given(map(str, words)):
                if given is not None and given.text is None and not given.is_bare:
                    says = Message("the value of `--{name}` in {place} is not known")
                    return says.filled(place=given.place.named, name=name)
            if all(keyword.arg != "default" for keyword in site.node.keywords):
                return Message("`--{name}` has no default", name=name)
            return Message("the default of `--{name}` is not known", name=name)
        calls = (site.node for site in self.program.sites("add_argument") if isinstance(site.node, ast.Call))
        if any(not any(isinstance(arg, ast.Constant) for arg in call.args) for call in calls):  # `f"--{key}"`
            return Message("code makes the options, and whether `--{name}` is one of them is not known", name=name)
        return Message("no option `--{name}` is declared", name=name)

    # --- origins

    def origin(self, place: Place) -> Origin:
        """Return the origin at a place: the option, or the line."""
        if place in self._options:
            return self._options[place]
        line = self._line(place)
        for key, value, _ in (*self.program.commands.overrides(), *self.program.commands.settings):
            if not place.path.endswith(PYTHON) and line.partition(":")[0].strip("\"'") == key.rpartition(".")[2]:
                return Origin(place, short(Message("{key}={value}, as given", key=key, value=value), LONGEST), True)
        return Origin(place, short(line, LONGEST), not place.path.endswith(PYTHON))

    def _line(self, place: Place) -> str:
        module = self.program.module(place.path) if place.path.endswith(NOTEBOOK) else None
        if module is not None:  # as it is written: a magic of IPython is no Python
            return flat(module.source.line(place.row).decode("utf-8", "replace"))
        lines = (self.program.project.lines(place.path) or b"").splitlines()
        return flat(lines[place.row - 1].decode("utf-8", "replace")) if place.row <= len(lines) else ""

    @cached_property
    def _options(self) -> dict[Place, Origin]:
        """Return the options of the program's parsers, by the place of their default."""
        found: dict[Place, Origin] = {}
        for site in self.program.sites("add_argument"):
            if not isinstance(site.node, ast.Call):
                continue
            for name in sorted(argparse.option_names(self.program.evaluator, site))[:1]:
                text, is_given = self._in_words(site, name)
                option = Origin(site.place, short(text, LONGEST), True, is_given)
                for known in argparse.option_default(self.program.evaluator, site).alternatives:
                    if known.place.path.endswith(PYTHON):
                        found.setdefault(known.place, option)
        return found

    def _in_words(self, site: Site, name: str) -> tuple[str, bool]:
        """Return an option with its value in the checked run, or its default; and whether the run passes it."""
        assert isinstance(site.node, ast.Call)
        flags = [word.value for word in site.node.args if isinstance(word, ast.Constant)]
        commands = self.program.commands
        told = commands.given(map(str, flags)) if commands.is_one_run() else ()
        if len(told) == 1 and told[0] not in (None, ABSENT):
            value = told[0].text if told[0] is not None else None
            return Message("--{name} {value}, as given", name=name, value=value) if value else f"--{name}", True
        default = next((each.value for each in site.node.keywords if each.arg == "default"), None)
        text = flat(site.module.text(default)) if default is not None else ""
        return Message("--{name}, default {default}", name=name, default=text) if text else f"--{name}", False


def _unique(knowns: Iterable[Alternative]) -> list[object]:
    """Return the distinct constants among values; 1 and True are distinct."""
    constants = (known.constant for known in knowns)
    return list({(type(c), repr(c)): c for c in constants if c is not NO_CONSTANT}.values())


def phrase(value: Value) -> str:
    """Return a value in words, first the value under default options."""
    by_default, every = _unique(value.by_default), _unique(value.alternatives)
    not_default = [constant for constant in every if constant not in by_default]
    if not every or (value.open and not by_default):
        return UNKNOWN
    text = either([worded(constant) for constant in by_default or not_default])
    if not by_default:
        text = Message("{value} on request", value=text)
    if value.open:
        return either([text, UNKNOWN])
    if by_default and not_default:
        others = either([worded(constant) for constant in not_default])
        return Message("{value}, {others} on request", value=text, others=others)
    return Message("{value} by default", value=text) if value.overridable and by_default else text


def worded(constant: object) -> str:
    """Return a constant in Python syntax."""
    return short(repr(constant), LONGEST) if constant is not NO_CONSTANT else UNKNOWN


def _by_default(condition: str, by_default: bool | None) -> str:
    """Return a condition, and whether it holds under default options, if known."""
    if by_default is None:
        return condition
    if by_default:
        return Message("{condition} (by default)", condition=condition)
    return Message("{condition} (not by default)", condition=condition)


def plain(constant: object) -> Plain:
    """Return a constant of JSON as it is; others in Python syntax, None for none."""
    if isinstance(constant, (bool, int, float, str)) or constant is None:
        return constant
    return None if constant is NO_CONSTANT else repr(constant)
