"""Library model of argparse and similar parsers: the options of a parser, and their defaults."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Optional

from ms_perflint.index.execution_order import happens_before, place
from ms_perflint.index.reachability import IMPOSSIBLE, OPTIONAL, path_condition
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.signature import Held, Layer, Part, Signature
from ms_perflint.index.syntax_forms import keywords_of, text_of, word_of
from ms_perflint.infer import calls, commandline, items, mappings
from ms_perflint.infer.alternatives import Api, Constant, Options
from ms_perflint.infer.call_order import is_made_once
from ms_perflint.infer.commandline import Asked
from ms_perflint.infer.entered_once import entered_once
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import BOTTOM, NO_CONSTANT, TOP, Alternative, Value, join
from ms_perflint.libraries import given_words, named_options, parsers

CONVERTING = frozenset({"ast", "builtins", "json", "yaml"})  # packages whose functions make something else of a text
LOOKUPS = ("get", "__getitem__")  # methods of a table that convert the text of an option


# --- parsers


def _parsed(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the options that `parse_args()` of a parser returns."""
    return _options(evaluator, api.receiver, Layer(node, scope)) if api.receiver is not None else None


def _options(evaluator: Evaluator, parser: Optional[Alternative], call: Optional[Layer]) -> Value:
    if parser is None or not parser.is_object:
        return TOP
    lists, is_open = given_words.of_call(evaluator, call) if call is not None else ([None], False)
    given = Signature.named("args", "namespace").bind(call).of("namespace").part if call is not None else None
    namespace = evaluator.value(*given) if given is not None else None
    is_empty = namespace is not None and namespace.constant is None
    namespace = None if is_empty else namespace
    late = parsers.late_defaults(evaluator, call)
    made = (Options(parsers.parser_of(parser), words, namespace, late) for words in lists)
    return Value(tuple(Alternative(each, parser.where, parser.by_default) for each in made), is_open)


def _known_options(evaluator: Evaluator, known: Alternative, key: object) -> Value:
    """Return the first element of the result of `parse_known_args()`: the options."""
    return _options(evaluator, known.origin, known.creation) if key == 0 else TOP


# --- options


@query
def _option(evaluator: Evaluator, what: Options, name: str) -> Value:
    """Return the value of an option in the result of a parser."""
    asked = evaluator.program if what.words is None else given_words.Words(what.words)
    names = {site: option_names(evaluator, site) for site in parsers.sites_of(evaluator, what.parser, parsers.ADD)}
    added = [site for site, found in names.items() if name in found]
    leading, values = _leading(evaluator, added), []
    for site in added:
        value = option_default(evaluator, site, asked)
        values.append(value if site in leading else value.as_non_default())
    unnamed = [site for site, found in names.items() if not found]  # whose names stand in no literal
    value = join(values) if added else named_options.option(evaluator, asked, unnamed, name)
    if not any(_is_given(asked, site) for site in added):
        own = [site for site in added if "default" in keywords_of(site.call)]
        for site, is_own in parsers.defaults_of(evaluator, what.parser, added):
            if site.node in what.late:
                continue
            at = place(site.node, site.scope)
            if any(happens_before(at, place(each.node, each.scope)) for each in own):
                continue  # whose own default counts
            is_chosen, owner = _is_chosen(evaluator, site, what.words), site.scope.owner
            if is_chosen and not is_made_once(evaluator, what.parser) and not _are_together(evaluator, what, owner):
                is_chosen = None  # another call makes another parser
            is_chosen = None if is_chosen and not is_own else is_chosen
            value = _with_default(evaluator, site, name, value, is_chosen) if is_chosen is not False else value
    if not value.alternatives:
        return TOP
    value = value._replace(open=value.open or parsers.are_changed(evaluator))
    return value if what.words is None else value._replace(overridable=False)


def _leading(evaluator: Evaluator, added: list[Site]) -> set[Site]:
    """Return the sites that count of those that add one option: of several in a row for one parser, the first."""
    first: dict[object, Site] = {}
    found: set[Site] = set()
    for site in added:
        homes = tuple(
            parsers.parser_of(known, ".add_parser").identity
            for known in parsers.receivers(evaluator, site, parsers.ADD)
        )
        before = first.setdefault((homes, site.scope), site)
        if before is site or parsers.resolves_conflicts(evaluator, site) or before.block not in site.block.chain():
            found.add(site)
    return found


def _is_chosen(evaluator: Evaluator, site: Site, words: Optional[tuple[Alternative, ...]]) -> Optional[bool]:
    """Return whether the words that a parser gets make it enter the parser of a site; None where they are not known.

    A main parser is always entered, a sub-parser by its name: `add_parser("train")`.
    """
    answers: set[Optional[bool]] = set()
    for known in parsers.receivers(evaluator, site, parsers.SET_DEFAULTS):
        parser = parsers.parser_of(known, ".add_parser")
        made = parser.creation
        if made is None or not parser.type_api.endswith(".add_parser"):
            answers.add(True)
        elif words is None or not made.call.args or "aliases" in keywords_of(made.call):
            answers.add(None)
        else:
            name = evaluator.value(made.call.args[0], made.scope).constant
            found = [at for at, word in enumerate(words) if word.constant == name]
            is_plain = any(not at or not str(words[at - 1].constant).startswith("-") for at in found)
            is_known = name is not NO_CONSTANT and (is_plain or not found)  # and no value of an option
            answers.add(bool(found) if is_known else None)
    return answers.pop() if len(answers) == 1 else None


def _is_given(asked: Asked, site: Site) -> bool:
    """Return whether all command lines pass an option, so that its default does not matter."""
    given = [each for each in asked.given(flags_of(site.call)) if each != commandline.ABSENT]
    return bool(given) and all(given)


def _has_option(evaluator: Evaluator, parser: Alternative, name: str) -> Optional[bool]:
    """Return whether a parser has an option; None where code computes the names of options."""
    return _held(evaluator, parser, name)[0]


@query
def _held(evaluator: Evaluator, parser: Alternative, name: str) -> tuple[Optional[bool]]:
    answers = [_adds(evaluator, site, name) for site in parsers.sites_of(evaluator, parser, parsers.ADD)]
    if True in answers:
        return (True,)
    is_known = bool(answers) and None not in answers and not parsers.sites_of(evaluator, parser, parsers.SET_DEFAULTS)
    return (False if is_known else None,)


def _adds(evaluator: Evaluator, site: Site, name: str) -> Optional[bool]:
    """Return whether a call adds an option of this name; None where that is not known."""
    names = option_names(evaluator, site)
    if names:
        is_left_out = any(word_of(word.value) == "SUPPRESS" for word in site.call.keywords)
        return name in names and (None if is_left_out else True)
    return named_options.adds(evaluator, site, name)


def _are_together(evaluator: Evaluator, what: Options, function: Scope) -> bool:
    """Return whether a function has a parser that no other call of it has: one call makes it and runs the function."""

    def callers(called: Scope) -> Sequence[Site]:  # that enter no other function instead
        sites = evaluator.program.callers(called)
        return sites if all(evaluator.callees(each).only is not None for each in sites) else ()

    maker = what.parser.made_by
    return maker is not None and not set(entered_once(maker, callers)).isdisjoint(entered_once(function, callers))


def _with_default(evaluator: Evaluator, site: Site, name: str, value: Value, is_chosen: Optional[bool] = True) -> Value:
    """Return the value of an option after `set_defaults(name=...)` or `set_defaults(**settings)`.

    `is_chosen`: whether the parser is entered; None for a sub-parser that the user may choose.
    Settings from a file that an option names are not known, also where the option has no default: programs come with
    files to choose from.
    """
    for keyword in site.call.keywords:
        if keyword.arg == name:
            given = evaluator.value(keyword.value, site.scope)
        elif keyword.arg is None:
            holder = evaluator.value(keyword.value, site.scope)
            given = evaluator.read(Held(keyword.value, site.scope, taken=(name,)))
            if not given.alternatives and (mappings.held(evaluator, holder, name) is False or holder == BOTTOM):
                continue  # it leaves this option alone, or is itself made of it
        else:
            continue
        reachability = evaluator.reachability(site.block)
        if reachability == IMPOSSIBLE:
            continue
        if is_chosen is None and given.alternatives:
            value = Value(join([value, given]).alternatives, value.open or given.open, True)
        elif reachability == OPTIONAL and given.alternatives:
            value = Value(join([value, given.as_non_default()]).alternatives, value.open, True)
        elif given.alternatives and site.block.parent is None:
            value = Value(given.alternatives, given.open, True)
        elif given.by_default and _is_usual(evaluator, site):
            value = join([Value(given.by_default, given.open, True), Value(value.as_non_default().alternatives)])
        elif given.alternatives or keyword.arg == name:
            value = join([value, given])
        else:
            value = Value(value.alternatives, True, True)
    return value


def _is_usual(evaluator: Evaluator, site: Site) -> bool:
    """Return whether all conditions around a site hold by default."""
    parts = [part for condition in path_condition(site.block) for part in condition.parts]
    return all(evaluator.value(part.test, part.scope).default_truth is part.result for part in parts)


def option_names(evaluator: Evaluator, site: Site) -> set[str]:
    """Return the name of the attribute for an `add_argument` call; empty where it is computed."""
    given, flags = keywords_of(site.call).get("dest"), flags_of(site.call)
    if given is not None:
        return {str(constant) for constant in evaluator.value(given, site.scope).constants}
    long = [flag for flag in flags if flag.startswith("--")] or flags
    return {flag.lstrip("-").replace("-", "_") for flag in long[:1]}


def flags_of(node: ast.Call) -> list[str]:
    """Return the flags of an option: the string literals among the positional arguments of a call."""
    return [text for text in map(text_of, node.args) if text]


def option_default(evaluator: Evaluator, site: Site, asked: Optional[Asked] = None) -> Value:
    """Return the value of an option: its default, its other choices, and what command lines pass; overridable.

    `asked`: these command lines, if not those of the launchers.
    """
    asked, flags, where = asked or evaluator.program, flags_of(site.call), (site.module, site.call)
    keywords = keywords_of(site.call)
    action = keywords.get("action")
    default = evaluator.value(keywords["default"], site.scope) if "default" in keywords else _of_all(evaluator, site)
    if default is not None and any(known.api == "argparse.SUPPRESS" for known in default.alternatives):
        declared = TOP
    elif isinstance(action, ast.Constant) and action.value in ("store_true", "store_false"):
        declared = _flag(default, action.value == "store_false", where)
    else:
        declared = _stored(evaluator, site, keywords, default)
    if action is not None and word_of(action) == "BooleanOptionalAction":
        off = [f"--no-{flag[2:]}" for flag in flags if flag.startswith("--")]
        return commandline.switched(asked, declared, flags, off, where)
    return commandline.overridden(declared, asked.given(flags), commandline.of_option(keywords), where)


def _of_all(evaluator: Evaluator, site: Site) -> Optional[Value]:
    """Return the default that a parser gives all of its options: `ArgumentParser(argument_default=...)`."""
    created = (parsers.parser_of(known).creation for known in parsers.receivers(evaluator, site, parsers.ADD))
    given = [(keywords_of(made.call).get("argument_default"), made.scope) for made in created if made is not None]
    values = [evaluator.value(default, scope) for default, scope in given if default is not None]
    return join(values) if values else None


def _stored(evaluator: Evaluator, site: Site, given: dict[str, ast.expr], default: Optional[Value]) -> Value:
    """Return the value of an option that takes an argument: its default, which argparse converts, or another choice."""
    others = [other.as_non_default() for other in _choices(evaluator, site, given)]
    if is_required(site.call, given):
        return join([*others, TOP])
    value = default or Value((Alternative(Constant(None), (site.module, site.call)),))
    values = [_converted(evaluator, known, given.get("type"), site) for known in value.alternatives]
    value = join([*values, value._replace(alternatives=())])
    return join([value, *others]) if others else value._replace(overridable=True)


def _flag(given: Optional[Value], default: bool, where: commandline.Where) -> Value:
    """Return the value for `action="store_true"`: its default, and the other one as non-default."""
    passed = Alternative(Constant(not default), where, False)
    if given is None:
        return Value((Alternative(Constant(default), where), passed))
    if len(given.constants) == 1 and not given.open:
        default = bool(given.constants[0])
        return Value((Alternative(Constant(default), where), Alternative(Constant(not default), where, False)))
    return Value((*given.alternatives, passed), given.open, given.overridable)


def is_required(node: ast.Call, given: dict[str, ast.expr]) -> bool:
    """Return whether an option must be passed: `required=True`, or positional without an optional `nargs`.

    An argument of click with `nargs=-1` is optional.
    """
    required, nargs = given.get("required"), given.get("nargs")
    if isinstance(required, ast.Constant):
        return bool(required.value)
    flags = flags_of(node)
    if not flags or any(flag.startswith("-") for flag in flags):
        return False
    return not isinstance(nargs, ast.UnaryOp) and text_of(nargs) not in ("?", "*")


def _choices(evaluator: Evaluator, site: Site, given: dict[str, ast.expr]) -> list[Value]:
    """Return the other choices of an option; none where any value is allowed."""
    if "const" in given:
        return [evaluator.value(given["const"], site.scope)]
    choices = given.get("choices")
    if choices is None:
        return []
    found = evaluator.each(evaluator.value(choices, site.scope))
    return [Value(found.alternatives)] if found.alternatives and not found.open else []


def _converted(evaluator: Evaluator, known: Alternative, kind: Optional[ast.expr], site: Site) -> Value:
    """Return a default; one that is a string converted by the type of the option, as argparse does."""
    if not isinstance(known.constant, str) or known.api or kind is None:
        return Value((known,))
    constant = commandline.read(known.constant, word_of(kind))
    if constant is not NO_CONSTANT:
        return Value((known._replace(what=Constant(constant)),))
    holder = kind.value if isinstance(kind, ast.Attribute) and kind.attr in LOOKUPS else None
    table = evaluator.value(holder, site.scope) if holder is not None else TOP
    if table.are(lambda each: each.is_mapping and each.is_display):
        return items.under(evaluator, table, Value((known,)), kind, holder, site.scope)
    callee = evaluator.value(kind, site.scope)
    if any(each.api.partition(".")[0] in CONVERTING for each in callee.alternatives):
        return TOP
    if callee.open or any(each.api and each.receiver is None for each in callee.alternatives):
        return Value((known,))  # most of these only check it
    row = (Held(kind, site.scope, Value((known,))),)
    return calls.applied(evaluator, Layer(site.call, site.scope, row=row, callee=kind))


def _behind(evaluator: Evaluator, parser: Alternative) -> list[Part]:
    """Return the defaults of options with computed names: `for key in settings: add_argument(f"--{key}", ...)`."""
    sites = parsers.sites_of(evaluator, parser, parsers.ADD)
    computed = [site for site in sites if site.call.args and not isinstance(site.call.args[0], ast.Constant)]
    given = [(keywords_of(site.call).get("default"), site.scope) for site in computed]
    return [Part(default, scope) for default, scope in given if default is not None]


MODEL = Library(
    calls={".parse_args": (_parsed,)},
    items={".parse_known_args": _known_options},
    option=_option,
    has_option=_has_option,
    behind=_behind,
    closed=("argparse.",),
)
