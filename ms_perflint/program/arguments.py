"""The arguments of an entry script, parsed as its parser does: the text of each option."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Optional

from ms_perflint.core.files import Files
from ms_perflint.core.findings import Place
from ms_perflint.core.globs import is_pattern, matching
from ms_perflint.core.slips import suggestion
from ms_perflint.index.reachability import path_condition
from ms_perflint.index.semantic_index import Site
from ms_perflint.index.syntax_forms import is_main_test, keywords_of, word_of
from ms_perflint.infer.commandline import OVERRIDE, Given, Setting, by_index
from ms_perflint.infer.values import NO_CONSTANT
from ms_perflint.languages import Message
from ms_perflint.libraries import argparse, parsers
from ms_perflint.program.launchers import FLAG
from ms_perflint.program.program import Program
from ms_perflint.program.run_configurations import RunConfiguration

FILE = r"[^=,]*\.(?:ya?ml|json|toml|ini|cfg|py)$"
CONFIG = r".*\.(?:ya?ml|toml|ini|cfg)$"  # what a program does not make
ADDS = ("add_argument", "option", "argument")  # of argparse and of click
BARE = frozenset({"store_true", "store_false", "store_const", "append_const", "count", "help", "version"})
ALWAYS = ("-h", "--help")
# of types: what makes a value of a text, or refuses it
READERS: dict[str, Callable[[str], object]] = {"int": int, "float": float, "str": str, "literal_eval": ast.literal_eval}
KINDS = {"int": Message("an integer"), "float": Message("a number"), "literal_eval": Message("a Python literal")}
MANY = -1  # texts: as many as there are up to the next flag
REST = -2  # all that is left, flags too: `nargs=argparse.REMAINDER`
# Names of what may read the command line: a program that loads none of these takes no arguments
READS = re.compile(r"(?i)argv|arg(ument)?s?\b|_args|parse|flags?\b|click|fire|hydra|typer|getopt|\bcli\b|config|cfg")
OWN = frozenset({"argparse", "ArgumentParser", "parse_args", "parser", "args"})  # names around a parser of Python's own

Word = tuple[str, Place]


class Argument(NamedTuple):
    """An option or a positional argument of a parser."""

    flags: tuple[str, ...]  # "--config", "-c"; of what is given by position, its name
    takes: int = 1  # texts
    is_needed: bool = False  # the program stops without it
    is_empty: bool = False  # an option for a text that is "" or None without it
    is_never_bare: bool = False  # it cannot stand without a text

    @property
    def names(self) -> frozenset[str]:
        """Return the attributes that may hold its text."""
        return frozenset(flag.lstrip("-").replace("-", "_") for flag in self.flags)


class Declared(NamedTuple):
    """The arguments that the parsers of a program declare."""

    arguments: tuple[Argument, ...]
    is_whole: bool  # whether these are all

    def named(self, flag: str) -> Optional[Argument]:
        """Return the option of a flag, or of the unique beginning of one; None without one."""
        exact = next((each for each in self.arguments if flag in each.flags), None)
        if exact is not None or not flag.startswith("--"):
            return exact
        begin = {name: each for each in self.arguments for name in each.flags if name.startswith(flag)}
        return next(iter(begin.values())) if len(set(begin.values())) == 1 else None


class Line(NamedTuple):
    """A command line as a run configuration; `problems`: the arguments that the program does not take."""

    run: RunConfiguration
    problems: tuple[tuple[Place, Message], ...]


def expanded(files: Files, words: Sequence[Word], base: str) -> list[tuple[tuple[Word, ...], str]]:
    """Return the command lines for the files that patterns match, each with the names of its files."""
    found: list[tuple[tuple[Word, ...], str]] = [((), "")]
    for word, place in words:
        begin, sign, pattern = word.rpartition("=")
        paths = matching(files, base, pattern) if is_pattern(pattern) else ()
        each = [(begin + sign + path, os.path.relpath(path, base)) for path in paths] or [(word, "")]
        found = [
            ((*before, (text, place)), " ".join(filter(None, (name, more))))
            for before, name in found
            for text, more in each
        ]
    return found


def line(program: Program, name: str, words: Sequence[Word], base: str) -> Line:
    """Return the run configuration of the words behind an entry script; `base`: the directory of relative files."""
    reading = _Reading(program, words, base)
    reading.run()
    place = words[0][1] if words else Place(program.entry, 1, 1)
    own = tuple(reading.overrides), tuple(reading.settings)
    told = [(reading.told(word, where, False), where) for word, where in words]
    run = RunConfiguration(name, place, {**reading.flags, **by_index(told, place)}, *own, is_all=True)
    return Line(run, tuple(reading.problems))


class _Reading:
    """Parses words from left to right."""

    def __init__(self, program: Program, words: Sequence[Word], base: str) -> None:
        self.program = program
        self.words = list(words)
        self.base = base
        self.declared = declared(program)
        self.flags: dict[str, Given] = {}
        self.overrides: list[Setting] = []
        self.settings: list[Setting] = []
        self.problems: list[tuple[Place, Message]] = []
        options = [each for each in self.declared.arguments if any(flag.startswith("-") for flag in each.flags)]
        self.free = [each for each in self.declared.arguments if each not in options]  # those by position

    def run(self) -> None:
        while self.words:
            word, place = self.words.pop(0)
            if re.match(FLAG, word.partition("=")[0]):
                self._option(word, place)
            else:
                self._positional(word, place)
        where = Place(self.program.entry, 0, 0)
        for each in self.declared.arguments if self.declared.is_whole else ():
            if each.is_needed and not any(flag in self.flags for flag in each.flags):
                self.problems.append((where, Message("the program needs `{name}`", name=each.flags[-1])))

    def _option(self, word: str, place: Place) -> None:
        flag, sign, text = word.partition("=")
        option = self.declared.named(flag) or self._negated(flag) or self._joined(flag)
        is_known = option is not None
        if option is None:
            self._unknown(flag, place)
            option = Argument((flag,), 0 if sign or not self._is_text_next() else 1)
        if option.flags == (flag[:2],) and not sign:  # `-j4`
            flag, sign, text = flag[:2], "=", flag[2:]
        names = option.flags if flag in option.flags or self.declared.named(flag) is option else (flag,)
        texts = [text] if sign else self._texts(option)
        for each in texts:
            self._check(option, flag, each, place)
        self._set(texts, place)
        if option.is_never_bare and not texts:
            self.problems.append((place, Message("`{flag}` needs a value", flag=flag)))
        is_one = bool(sign) or (len(texts) == 1 and option.takes >= 0)
        self._give(names, self.told(texts[0], place, is_known) if is_one else None, place, is_bare=not texts)

    def _negated(self, flag: str) -> Optional[Argument]:
        """Return the option that `--no-x` or `--nox` switches off."""
        for begin in ("--no-", "--no"):
            found = self.declared.named(f"--{flag[len(begin) :]}") if flag.startswith(begin) else None
            if found is not None:
                return Argument((flag,), 0)
        return None

    def _joined(self, flag: str) -> Optional[Argument]:
        """Return the option of one letter that is joined with its text: `-j4`."""
        is_short = not flag.startswith("--") and len(flag) > 2
        found = self.declared.named(flag[:2]) if is_short else None
        return Argument((flag[:2],)) if found is not None else None

    def _is_text_next(self) -> bool:
        return bool(self.words) and not re.match(FLAG, self.words[0][0].partition("=")[0])

    def _texts(self, option: Argument) -> list[str]:
        texts: list[str] = []
        while self._is_text_next() and (option.takes in (MANY, REST) or len(texts) < option.takes):
            texts.append(self.words.pop(0)[0])
        if option.takes == REST:
            texts += [text for text, _ in self.words]
            self.words.clear()
        return texts

    def _positional(self, word: str, place: Place) -> None:
        override = re.match(OVERRIDE, word)
        if override is not None and not self.free:
            self.overrides.append((override[1], override[2], place))
        elif self.free:
            argument = self.free.pop(0)
            texts = [word, *(self._texts(argument) if argument.takes in (MANY, REST) else ())]
            self._set(texts, place)
            for each in texts:
                self._check(argument, argument.flags[-1], each, place)
            self._give(argument.flags, self.told(word, place) if argument.takes == 1 else None, place)
        elif self.declared.is_whole:
            said = Message("the program takes no argument `{word}`", word=word)
            self.problems.append((place, said))

    def _set(self, texts: Sequence[str], place: Place) -> None:
        """Note the settings of config files among the texts of an option: `-o system.mode=1 train.size=8`."""
        found = [each for text in texts if (each := re.match(OVERRIDE, text)) is not None]
        pairs = [(each[1], each[2]) for each in found] or zip(texts[::2], texts[1::2])  # `MODEL.WIDTH 64`
        self.settings += [(key, text, place) for key, text in pairs]

    def _give(self, names: Sequence[str], text: Optional[str], place: Place, is_bare: bool = False) -> None:
        self.flags.update(dict.fromkeys(names, Given(text, is_bare, place, True)))

    def _unknown(self, flag: str, place: Place) -> None:
        if self.declared.is_whole and flag not in ALWAYS:
            known = [name for each in self.declared.arguments for name in each.flags if name.startswith("--")]
            hint = suggestion(flag, known)
            said = Message("the program has no option `{flag}`{hint}", flag=flag, hint=hint)
            self.problems.append((place, said))

    def _check(self, option: Argument, flag: str, text: str, place: Place) -> None:
        """Note a text that every parser with this option refuses, by its type or choices."""
        sites = [site for site in _sites(self.program) if _is_read(self.program, site)]
        declaring = [site for site in sites if any({*option.flags} & {*each.flags} for each in _arguments(site))]
        answers = [_refusal(self.program, site, flag, text) for site in declaring]
        if answers and answers[0] and all(answers):
            self.problems.append((place, answers[0]))

    def told(self, text: str, place: Place, is_known: bool = True) -> str:
        """Return a text; of a file that exists the full path."""
        if not re.match(FILE, text) or os.path.isabs(text):
            return text
        homes = (self.base, *self.program.project.ancestors(os.path.dirname(self.program.entry)))
        for home in dict.fromkeys(homes):
            path = os.path.normpath(os.path.join(home, text))
            if self.program.project.files.named(*os.path.split(path)):
                return path
        if is_known and re.match(CONFIG, text):
            self.problems.append((place, Message("there is no file `{name}`", name=text)))
        return text


# --- what a program declares


def declared(program: Program) -> Declared:
    """Return the arguments that the parsers of a program declare, as far as their calls show it."""
    made = [_arguments(site) for site in _sites(program) if _is_read(program, site)]
    if not made:
        return Declared((), program.is_whole and not any(map(READS.search, _loaded(program))))
    found = dict.fromkeys(each for several in made for each in several)
    return Declared(tuple(found), all(made) and not _takes_more(program))


def _loaded(program: Program) -> set[str]:
    """Return the names that a program loads or imports, without those of a parser of Python that has no options."""
    found = {name for module in program.modules for scope in module.scopes for name in scope.names | scope.attrs}
    for module in program.modules:
        imports = (each for all_of_it in module.imported.values() for each in all_of_it)
        found.update(alias.name for stmt, alias in imports if isinstance(stmt, ast.ImportFrom))
    called = [program.evaluator.callees(site).only for site in program.sites("parse_args")]
    is_own = all(known is not None and known.api == "argparse.ArgumentParser.parse_args" for known in called)
    return found - OWN if called and is_own else found


def _is_read(program: Program, site: Site) -> bool:
    """Return whether the call of a parser runs with the entry script, and not with another script alone."""
    scope = site.scope.owner
    if site.module.path == program.entry:
        return True
    if scope.parent is not None:
        return scope in program.reached
    return not any(is_main_test(condition.test) for condition in path_condition(site.block))


def _sites(program: Program) -> Iterator[Site]:
    """Yield the calls that declare an argument, also under another name: `add = parser.add_argument`."""
    held = (site for site in program.passed_on(parsers.ADD) if parsers.receivers(program.evaluator, site, parsers.ADD))
    for site in (*(site for word in ADDS for site in program.sites(word)), *held):
        if site.call.args:
            yield site


def _takes_more(program: Program) -> bool:
    """Return whether a parser takes undeclared arguments, or another library reads the command line, too."""
    words = ("parse_known_args", "HfArgumentParser", "ignore_unknown_options", "DEFINE_", "hydra", "from_cli", "fire")
    return any(program.project.contains_any(path, words) for path in program.files)


def _arguments(site: Site) -> list[Argument]:
    """Return the arguments that a call declares, two for `--x/--no-x`; none where their names are computed."""
    texts = argparse.flags_of(site.call)
    given = keywords_of(site.call)
    if not texts or len(texts) != len(site.call.args):
        return []
    if site.word == "option":
        pairs = [name.split("/") for name in texts if name.startswith("-")]
        if any(len(pair) > 1 for pair in pairs):
            return [Argument(tuple(pair[-end].strip() for pair in pairs), 0) for end in (0, 1)]
        texts = [name for (name,) in pairs]
    takes, is_flag = _takes(given), any(text.startswith("-") for text in texts)
    is_needed = takes != REST and argparse.is_required(site.call, given)
    is_empty = is_flag and takes == 1 and not is_needed and _is_empty(given)
    is_never_bare = takes == 1 and not {"action", "nargs", "flag_value", "cls"} & given.keys()
    return [Argument(tuple(texts), takes, is_needed, is_empty, is_never_bare)]


def _refusal(program: Program, site: Site, flag: str, text: str) -> Optional[Message]:
    """Return what a parser says of a text that it does not take; None where it takes it, or that is not known.

    argparse converts it by `type`, and compares that with `choices` (Python 3.11 argparse.py:2470, 2516); click has
    `type=click.Choice([...])`, and takes the type of the default where it is given none (click 8.1 types.py:970).
    """
    given = keywords_of(site.call)
    choices, kind, default = given.get("choices"), given.get("type"), given.get("default")
    if isinstance(kind, ast.Call) and word_of(kind.func) == "Choice" and len(kind.args) == 1 and not kind.keywords:
        choices, kind = kind.args[0], None
    elif kind is None and site.word == "option" and isinstance(default, ast.Constant):
        kind = ast.Name(type(default.value).__name__)
    word = word_of(kind).lower() if kind is not None else "str"
    if word not in READERS or {"action", "cls"} & given.keys():
        return None
    try:
        value = READERS[word](text)
    except (ValueError, SyntaxError):
        return Message("`{flag}` takes {kind}, not `{text}`", flag=flag, kind=KINDS[word], text=text)
    except (RecursionError, MemoryError):
        return None  # brackets in brackets
    if choices is None:
        return None
    found = program.evaluator.each(program.evaluator.value(choices, site.scope))
    constants = [each.constant for each in found.alternatives]
    if found.open or not constants or NO_CONSTANT in constants or value in constants:
        return None
    several = ", ".join(map(str, constants))
    return Message("`{flag}` takes one of {several}, not `{text}`", flag=flag, several=several, text=text)


def _is_empty(given: Mapping[str, ast.expr]) -> bool:
    """Return whether an option is "" or None by default, and no number."""
    default, kind = given.get("default"), given.get("type")
    is_none = default is None or (isinstance(default, ast.Constant) and default.value in (None, ""))
    return is_none and (kind is None or word_of(kind) not in ("int", "float", "bool"))


def _takes(given: Mapping[str, ast.expr]) -> int:
    """Return how many texts an argument takes, or MANY, or REST."""
    action, count = given.get("action"), given.get("nargs")
    word = (
        action.value if isinstance(action, ast.Constant) else action.attr if isinstance(action, ast.Attribute) else ""
    )
    if word in BARE or word == "BooleanOptionalAction" or "is_flag" in given or "count" in given:
        return 0
    if count is None:
        return 1
    known = count.value if isinstance(count, ast.Constant) else MANY
    if known == "..." or word_of(count) == "REMAINDER":
        return REST
    return 1 if known == "?" else known if type(known) is int and known > 1 else MANY
