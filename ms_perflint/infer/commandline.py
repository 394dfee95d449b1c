"""The values of options by the flags on command lines.

A flag that every command line gives replaces the default of its option; where they give it differently, each value is
one that a user gets who passes nothing more. Where one of them leaves the flag out, the default is what such a user
gets, and the others are non-default.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple, Optional, Protocol, Union

from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.alternatives import Constant
from ms_perflint.infer.values import NO_CONSTANT, TOP, Alternative, Value, join

CONFIGS = (".yaml", ".yml", ".json", ".toml")
COUNT = "#"
OVERRIDE = r"[+~]{0,2}([A-Za-z_][\w./@-]*)=(.*)$"
_WORDS = {"true": True, "yes": True, "y": True, "1": True, "false": False, "no": False, "n": False, "0": False}


class Given(NamedTuple):
    """A flag on a command line: its argument (None without one, or if unknown), and its place.

    `is_all`: the run with this command line is judged, and no other; also what it does not give is known then.
    """

    text: Optional[str]
    is_bare: bool
    place: Place
    is_all: bool = False


Setting = tuple[str, Optional[str], Place]  # a key with dots, its value as a text (None: not known), and where that is
NOWHERE = Place("", 0, 0)
ABSENT = Given(None, False, NOWHERE, True)  # what the one command line does not give


class Asked(Protocol):
    """A program with the command lines that start it."""

    def given(self, flags: Iterable[str]) -> Sequence[Optional[Given]]:
        """Return the argument that each launcher of the entry script passes for an option with these flags."""


Where = Union[Place, tuple[SemanticIndex, ast.AST]]
Meaning = Callable[[Given], object]  # the constant that a program gets for a flag, or NO_CONSTANT


def overridden(declared: Value, given: Sequence[Optional[Given]], meaning: Meaning, where: Where) -> Value:
    """Return the value of an option by its declaration and the command lines; None: no argument.

    `where` it is declared is the place of what a user gives who was asked, and in no file.
    """
    if len(given) == 1 and given[0] is not None and given[0].is_all:
        return _of_one(declared, given[0], meaning, where)
    if any(map(names_config, declared.constants)):
        # a launcher that requires a config file does not say which one: the default file counts
        given = [each if each is not None and each.text is not None else None for each in given]
    if not any(given):
        return declared
    everywhere = all(given)
    told = [(each.place if each.place.path else where, meaning(each)) for each in given if each is not None]
    known = [Alternative(Constant(said), place, everywhere) for place, said in told if said is not NO_CONSTANT]
    if not everywhere:
        return join([declared, Value(tuple(known), False, True)])
    rest = tuple(
        each.as_non_default() for each in declared.alternatives if each.what not in [given.what for given in known]
    )
    return join([Value(tuple(known), len(known) < len(told), True), Value(rest)])


def switched(program: Asked, declared: Value, on: Sequence[str], off: Sequence[str], where: Where) -> Value:
    """Return the value of an option that some flags switch on, and others off."""
    given = program.given(on)
    value = overridden(declared, given, lambda each: each.is_bare or like(True)(each), where)
    others = program.given(off)
    if all(each in (None, ABSENT) for each in others):
        return value
    return overridden(value, others, lambda each: False, where)


def _of_one(declared: Value, given: Given, meaning: Meaning, where: Where) -> Value:
    """Return the value of an option in the one run that is judged."""
    if given == ABSENT:
        return Value(declared.by_default, declared.open, True)
    constant = meaning(given)
    if constant is NO_CONSTANT:
        return TOP
    return Value((Alternative(Constant(constant), given.place if given.place.path else where),), False, True)


def of_index(program: Asked, index: object) -> Value:
    """Return `sys.argv[index]` of the one run that is judged, and where `index` is COUNT its length."""
    given = program.given((f"[{index}]",))
    if len(given) != 1 or given[0] is None or not given[0].is_all or given[0].text is None:
        return TOP
    constant = int(given[0].text) if index == COUNT else given[0].text
    return Value((Alternative(Constant(constant), given[0].place),), False, True)


def by_index(words: Sequence[tuple[str, Place]], place: Place) -> dict[str, Given]:
    """Return the words of a command line, with the script, by their positions, for `of_index`."""
    count = len(words) + 1
    found = {COUNT: (str(count), place)}
    found.update((str(at - back), word) for at, word in enumerate(words, 1) for back in (0, count))
    return {f"[{at}]": Given(text, False, where, True) for at, (text, where) in found.items()}


def variable(exported: Optional[tuple[str, Place]], default: Value) -> Value:
    """Return the value of an environment variable: what all launchers export, else its default."""
    if exported is None:
        return Value(default.alternatives, default.open, True) if default.alternatives else TOP
    text, place = exported
    return join(
        [Value((Alternative(Constant(text), place),), False, True), Value(default.as_non_default().alternatives)]
    )


def names_config(constant: object) -> bool:
    """Return whether a string or path names a config file."""
    return isinstance(constant, (str, PurePath)) and str(constant).endswith(CONFIGS)


def of_option(keywords: Mapping[str, ast.expr]) -> Meaning:
    """Return the function from a flag to the value of an option, which is declared with these keyword arguments."""
    action, kind = keywords.get("action"), keywords.get("type")
    word = action.value if isinstance(action, ast.Constant) else None
    if word in ("store_true", "store_false"):
        return lambda given: word == "store_true" if given.is_bare else NO_CONSTANT
    if "is_flag" in keywords:
        return lambda given: True if given.is_bare else NO_CONSTANT
    count = keywords.get("nargs")
    may_be_bare = isinstance(count, ast.Constant) and count.value == "?"
    if (action is not None and word != "store") or (count is not None and not may_be_bare):
        return lambda given: NO_CONSTANT
    kind_word = word_of(kind) if kind is not None else None
    bare = keywords.get("const")
    alone: object = None if may_be_bare and bare is None else NO_CONSTANT
    if may_be_bare and isinstance(bare, ast.Constant):
        alone = read(bare.value, kind_word) if isinstance(bare.value, str) else bare.value
    return lambda given: alone if given.text is None else read(given.text, kind_word)


def named(program: Asked, name: str, value: Value, bare: bool = False) -> Value:
    """Return what an option can be that has the type of its default, by its name; `bare`: a flag alone is True."""
    if len(value.constants) != 1:
        return value
    given = program.given((f"--{name}", f"--{name.replace('_', '-')}"))
    meaning, is_flag = like(value.constants[0]), bare and isinstance(value.constants[0], bool)
    where = value.alternatives[0].where
    return overridden(value, given, lambda each: True if is_flag and each.is_bare else meaning(each), where)


def like(constant: object) -> Meaning:
    """Return the function from a flag to the value of an option that replaces a constant of a config file."""
    kind = type(constant).__name__
    if kind not in ("bool", "int", "float", "str"):
        return lambda given: NO_CONSTANT
    word = "str2bool" if kind == "bool" else kind
    return lambda given: NO_CONSTANT if given.text is None else read(given.text, word)


def read(text: str, word: Optional[str]) -> object:
    """Return an argument converted by argparse for an option of a type; NO_CONSTANT where it is not known."""
    if word == "Path":
        return PurePath(text)
    if word is None or word == "str" or os.path.isabs(text):  # a type of the program's own gives a path, too
        return text
    try:
        if word in ("int", "float"):
            return int(text) if word == "int" else float(text)
        if word in ("literal_eval", "eval"):
            found = ast.literal_eval(text)
            return NO_CONSTANT if isinstance(found, (list, dict, set)) else found
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two: brackets in brackets
        return NO_CONSTANT
    if word == "bool":
        return bool(text)
    if "bool" in word.lower():
        return _WORDS.get(text.lower(), NO_CONSTANT)
    return NO_CONSTANT
