"""What a value says to people, where it comes from, and why it is unknown."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from ms_perflint.core.findings import Place
from ms_perflint.core.source import NOTEBOOK, PYTHON, flat, short
from ms_perflint.facts.data import Evidence, Origin, Plain
from ms_perflint.facts.words import UNKNOWN, both, either
from ms_perflint.index.reachability import condition_of
from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.syntax_forms import is_main_test
from ms_perflint.infer.commandline import ABSENT
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.languages import Message
from ms_perflint.libraries import argparse
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training import conditions

CONDITION = 50  # characters of a condition
CONDITIONS = 3  # that are shown for one site
LONGEST = 72  # characters of code that are shown
ORIGINS = 6  # of one value
STEPS = 6  # names that are followed to say why a value is unknown


@dataclass(frozen=True)
class Reading:
    """What an argument is with the default options, in words, and where that was decided."""

    value: Plain
    text: str
    origins: tuple[Origin, ...] = ()


def as_it_is(value: str) -> str:
    """Return what a value is: there is nothing more to say of it."""
    return value


class Reader:
    """Reads the values of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    # --- code and places

    def place(self, site: Site) -> Place:
        """Return where a site starts."""
        return site.place

    def order(self, place: Place) -> tuple[int, Place]:
        """Return a sort key: the files as the program holds them, the entry script first."""
        return self._ranks.get(place.path, 0), place

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {path: rank for rank, path in enumerate(self.program.files)}

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

    def evidence(self, call: Call, name: str, *more: str, says: Callable[[str], str] = as_it_is) -> Evidence:
        """Return a call with what one of its parameters is, in the words that `says` makes of its value."""
        reading = self.argument(call, name)
        when, asked = self.when(call)
        return Evidence(
            self.place(call),
            self.code(call, name, *more),
            says(reading.text),
            reading.value,
            tuple(dict.fromkeys((*reading.origins, *asked))),
            when,
        )

    def when(self, site: Site) -> tuple[str, tuple[Origin, ...]]:
        """Return the conditions of a site in its own function, and the options and keys that they ask for.

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
        """Return what a parameter of a call is."""
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
        """Return what the value of an expression is."""
        by_default = _unique(value.by_default)
        alone = by_default[0] if len(by_default) == 1 and not value.open else NO_CONSTANT
        origins = self.behind(node, scope)
        is_given = any(origin.is_given for origin in origins)
        text = phrase(value._replace(overridable=value.overridable and not is_given))
        if text.endswith("unknown"):
            text = Message("{text}: {why}", text=text, why=self.why(node, scope))
        return Reading(plain(alone), text, origins)

    def behind(self, node: ast.expr, scope: Scope) -> tuple[Origin, ...]:
        """Return where the constants that an expression is made of were read, as far as that is elsewhere."""
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
        """Return which part of an expression is unknown."""
        for _ in range(STEPS):
            if isinstance(node, (ast.Attribute, ast.Subscript)):
                found = self._missing(node, scope)
                if found:
                    return found
                if any(known.cls is not None for known in self.program.value(node.value, scope).alternatives):
                    break
                node = node.value
            elif isinstance(node, ast.Name):
                bindings = scope.owner.bindings.get(node.id) or scope.module.scope.bindings.get(node.id, [])
                if len(bindings) != 1:
                    break
                given = self._given(bindings[0], scope)
                if given is None and bindings[0].kind == "parameter":
                    return Message("no call that gives the parameter `{name}` is known", name=node.id)
                if given is None:
                    break
                node, scope = given
            else:
                break
        if isinstance(node, ast.Call):
            return Message(
                "the result of `{name}` is not known", name=short(flat(scope.module.text(node.func)), LONGEST)
            )
        return Message("`{name}` is not known", name=short(flat(scope.module.text(node)), LONGEST))

    def _given(self, binding: Binding, scope: Scope) -> tuple[ast.expr, Scope] | None:
        """Return the expression that a name was given: what it is bound to, or what the first call passes."""
        if binding.kind != "parameter":
            return (binding.value, binding.scope) if binding.value is not None else None
        for site in self.program.callers(binding.scope) if binding.scope.is_function else ():
            part = argument(self.program.evaluator, binding, site).part
            if part is not None:
                return part
        return None

    def _missing(self, node: ast.Attribute | ast.Subscript, scope: Scope) -> str:
        """Return which option or key is not there; "" where that is not the reason."""
        key = node.attr if isinstance(node, ast.Attribute) else getattr(node.slice, "value", None)
        for known in self.program.value(node.value, scope).alternatives:
            if known.document:
                return Message("no `{key}` in {file}", key=key, file=os.path.basename(known.document))
            if known.is_options:
                return self._option(str(key))
        return ""

    def _option(self, name: str) -> str:
        """Return why the value of an option is not known."""
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
        if any(self._is_made(site) for site in self.program.sites("add_argument")):
            return Message("code makes the options, and whether `--{name}` is one of them is not known", name=name)
        return Message("no option `--{name}` is declared", name=name)

    @staticmethod
    def _is_made(site: Site) -> bool:
        """Return whether code makes the name of an option: `add_argument(f"--{key}")`."""
        return isinstance(site.node, ast.Call) and not any(isinstance(arg, ast.Constant) for arg in site.node.args)

    # --- origins

    def origin(self, place: Place) -> Origin:
        """Return a place with what stands there: the option, or the line."""
        if place in self._options:
            return self._options[place]
        line = self._line(place)
        for key, value, _ in (*self.program.commands.overrides(), *self.program.commands.settings):
            if not place.path.endswith(PYTHON) and line.partition(":")[0].strip("\"'") == key.rpartition(".")[2]:
                return Origin(place, short(Message("{key}={value}, as given", key=key, value=value), LONGEST), True)
        return Origin(place, short(line, LONGEST), not place.path.endswith(PYTHON))

    def _line(self, place: Place) -> str:
        module = self.program.module(place.path) if place.path.endswith(NOTEBOOK) else None
        if module is not None:  # as it is written: what IPython alone understands is no Python
            return flat(module.source.line(place.row).decode("utf-8", "replace"))
        lines = (self.program.project.lines(place.path) or b"").splitlines()
        return flat(lines[place.row - 1].decode("utf-8", "replace")) if place.row <= len(lines) else ""

    @cached_property
    def _options(self) -> dict[Place, Origin]:
        """Return the options of the program's parsers, by where their default is read."""
        found: dict[Place, Origin] = {}
        for site in self.program.sites("add_argument"):
            if not isinstance(site.node, ast.Call):
                continue
            for name in sorted(argparse.option_names(self.program.evaluator, site))[:1]:
                text, is_given = self._in_words(site, name)
                option = Origin(self.place(site), short(text, LONGEST), True, is_given)
                for known in argparse.option_default(self.program.evaluator, site).alternatives:
                    if known.place.path.endswith(PYTHON):
                        found.setdefault(known.place, option)
        return found

    def _in_words(self, site: Site, name: str) -> tuple[str, bool]:
        """Return an option with what the one run that is judged gives it, else its default; and whether it is given."""
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
    """Return the constants among them, each once; 1 and True are two."""
    constants = (known.constant for known in knowns)
    return list({(type(c), repr(c)): c for c in constants if c is not NO_CONSTANT}.values())


def phrase(value: Value) -> str:
    """Return what a value is, in words: first what it is with the default options."""
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
    """Return a constant as Python writes it."""
    return short(repr(constant), LONGEST) if constant is not NO_CONSTANT else UNKNOWN


def _by_default(condition: str, by_default: bool | None) -> str:
    """Return a condition, and whether it holds with the default options, where that is known."""
    if by_default is None:
        return condition
    if by_default:
        return Message("{condition} (by default)", condition=condition)
    return Message("{condition} (not by default)", condition=condition)


def plain(constant: object) -> Plain:
    """Return a constant that JSON holds as it is; its spelling for others, None for none."""
    if isinstance(constant, (bool, int, float, str)) or constant is None:
        return constant
    return None if constant is NO_CONSTANT else repr(constant)
