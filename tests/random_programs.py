"""Small programs in the style of training scripts, made at random: `written` and `featured` give the files of one.

Each value that a program says is another number, so that no two are taken for one another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from textwrap import indent

KEYS = ("a", "b", "c")
ATTRS = ("x", "y")
INDENT = "    "


def written(number: int) -> dict[str, str]:
    """Return the files of a program."""
    return _Writer(Random(number)).program()


def featured(number: int) -> dict[str, str]:
    """Return the files of a program that is made of one of the features in `random_features.txt`."""
    random, writer = Random(number), _Writer(Random(number))
    page = Path(__file__).with_name("random_features.txt").read_text("utf-8")
    head, *others = random.choice(page.split("\n## ")[1:]).partition("\n")[2].split("\n@ ")
    files = dict(part.partition("\n")[::2] for part in others)
    lines: list[str] = []
    shown = [f"reveal({line[2:]})" for line in head.splitlines() if line.startswith("!")]
    for whole in head.splitlines():
        line = whole.lstrip()
        around = whole[: -len(line)] if line else ""
        if line[:1] not in ("?", "!"):
            lines.append(whole)
            continue
        text, name = line[2:] if line[0] == "?" else f"reveal({line[2:]})", writer.fresh("f")
        ways = [[text], [text], [f"if unknown():\n{INDENT}{text}"], ["pass"] if around else []]
        if line[0] == "!" or not text.partition(" =")[0].isidentifier():
            ways += [[f"def {name}():\n{INDENT}{text}", f"{name}()"], [f"for _ in y:\n{INDENT}{text}"]]
        lines += indent("\n".join(random.choice(ways)), around).splitlines()
        lines += [random.choice(shown)] if line[0] == "!" and random.random() < 0.3 else []
    files["train.py"] = "\n".join([*lines, ""])
    return {name: re.sub("#", lambda _: writer.number(), text) for name, text in files.items()}


class _Names:
    """The names that are there in a function, by what they hold."""

    def __init__(self, *others: _Names) -> None:
        self.of: dict[str, list[str]] = {kind: [] for kind in ("int", "list", "dict", "obj", "call", "cls")}
        for other in others:
            for kind, names in other.of.items():
                self.of[kind] += names

    def add(self, kind: str, name: str) -> str:
        if name not in self.of[kind]:
            self.of[kind].append(name)
        return name


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers = 10
        self.made = 0
        self.globals = _Names()
        self.names = self.globals
        self.depth = 0  # of arms
        self.is_function = False
        self.own: set[str] = set()  # names that the function binds, or declares

    # --- parts

    def number(self) -> str:
        self.numbers += 1
        return str(self.numbers)

    def fresh(self, start: str) -> str:
        self.made += 1
        return f"{start}{self.made}"

    def one(self, choices: Sequence[str]) -> str:
        return self.random.choice(choices)

    def has(self, kind: str) -> bool:
        return bool(self.names.of[kind])

    def name(self, kind: str) -> str:
        return self.one(self.names.of[kind])

    def own_name(self, kind: str) -> str:
        """Return a name that can be bound here; a new one where there is none."""
        known = [name for name in self.names.of[kind] if not self.is_function or name in self.own]
        return self.one(known) if known and (self.depth or self.random.random() < 0.4) else self.new(kind)

    def bound(self, kind: str, statement: str) -> str:
        """Return a statement with names that it binds in place of `@`."""
        while "@" in statement:
            statement = statement.replace("@", self.own_name(kind), 1)
        return statement

    def new(self, kind: str) -> str:
        name = self.fresh({"int": "n", "list": "l", "dict": "d", "obj": "o", "call": "f", "cls": "C"}[kind])
        self.own.add(name)
        return name if self.depth else self.names.add(kind, name)

    def test(self) -> str:
        ways = ["unknown()", "unknown()", "True", "False", "not unknown()"]
        if self.has("int"):
            name = self.name("int")
            ways += [f"{name} > {self.one(['5', '20', '30'])}", f"{name} is None", f"{name} is not None", f"not {name}"]
            ways += [f"{name} == {self.name('int')}", f"isinstance({name}, int)", f"unknown() and {name}"]
        if self.has("dict"):
            ways += [f"'{self.one(KEYS)}' in {self.name('dict')}", f"len({self.name('dict')}) > 2"]
        if self.has("obj"):
            ways += [f"hasattr({self.name('obj')}, '{self.one((*ATTRS, 'z'))}')"]
        if self.has("list"):
            ways += [f"{self.name('list')}", f"{self.value(1)} in {self.name('list')}"]
        return self.one(ways)

    def value(self, depth: int = 2) -> str:
        """Return an expression that gives a number, mostly."""
        ways: list[Callable[[], str]] = [self.number, self.number]
        names = self.names.of
        if names["int"]:
            ways += [lambda: self.name("int")] * 3
        if names["list"]:
            ways += [
                lambda: f"{self.name('list')}[{self.one(['0', '1', '-1'])}]",
                lambda: f"next(iter({self.name('list')}))",
                lambda: f"[each for each in {self.name('list')}][0]",
                lambda: f"{self.name('list')}.pop()",
                lambda: f"max({self.name('list')})",
                lambda: f"len({self.name('list')})",
                lambda: f"list(reversed({self.name('list')}))[0]",
                lambda: f"{self.name('list')}[1:][0]",
            ]
        if names["dict"]:
            ways += [
                lambda: f"{self.name('dict')}['{self.one(KEYS)}']",
                lambda: f"{self.name('dict')}.get('{self.one((*KEYS, 'd'))}', {self.number()})",
                lambda: f"{self.name('dict')}.setdefault('{self.one((*KEYS, 'e'))}', {self.number()})",
                lambda: f"{{**{self.name('dict')}, '{self.one(KEYS)}': {self.number()}}}['{self.one(KEYS)}']",
                lambda: f"list({self.name('dict')}.values())[0]",
                lambda: f"dict({self.name('dict')}, {self.one(KEYS)}={self.number()})['{self.one(KEYS)}']",
            ]
        if names["obj"]:
            ways += [lambda: f"{self.name('obj')}.{self.one(ATTRS)}"] * 2
            ways += [
                lambda: f"getattr({self.name('obj')}, '{self.one((*ATTRS, 'w'))}', {self.number()})",
                lambda: f"{self.name('obj')}.get({self.value(1)})",
                lambda: f"{self.name('obj')}.prop",
                lambda: f"{self.name('obj')}.k",
                lambda: f"vars({self.name('obj')})['{self.one(ATTRS)}']",
            ]
        if names["cls"]:
            ways += [lambda: f"{self.name('cls')}.k", lambda: f"{self.name('cls')}({self.number()}).x"]
            ways += [lambda: f"{self.name('cls')}.make({self.number()}).{self.one(ATTRS)}"]
        if names["call"]:
            ways += [lambda: self.call()] * 3
        if depth:
            ways += [
                lambda: f"({self.value(depth - 1)} if {self.test()} else {self.value(depth - 1)})",
                lambda: f"({self.value(depth - 1)} or {self.value(depth - 1)})",
                lambda: f"({self.value(depth - 1)} + 100)",
                lambda: f"(lambda p, q={self.number()}: {self.one(['p', 'q', 'p + q'])})({self.value(depth - 1)})",
                lambda: f"[{self.value(depth - 1)}, {self.number()}][{self.one(['0', '1'])}]",
                lambda: f"sorted([{self.number()}, {self.value(depth - 1)}])[0]",
                lambda: f"sum([{self.value(depth - 1)}, 1])",
            ]
        return self.random.choice(ways)()

    def call(self) -> str:
        name, first = self.name("call"), self.value(1)
        ways = [f"{name}({first})", f"{name}(p={first})", f"{name}({first}, {self.number()})"]
        ways += [
            f"{name}(*[{first}, {self.number()}])",
            f"{name}(**{{'p': {first}}})",
            f"{name}({first}, q={self.number()})",
        ]
        ways += [f"functools.partial({name}, {first})()", f"functools.partial({name}, q={self.number()})({first})"]
        ways += [f"list(map({name}, [{first}, {self.number()}]))[{self.one(['0', '1'])}]", f"[{name}][0]({first})"]
        return self.one(ways)

    # --- statements

    def block(self, lines: list[str], at: str, count: int, loops: bool = False) -> None:
        for _ in range(count):
            self.statement(lines, at, loops)

    def statement(self, lines: list[str], at: str, loops: bool) -> None:
        ways = [self.assign] * 5 + [self.change] * 5 + [self.shown] * 5
        ways += [self.compound] * (3 if self.depth < 2 else 0)
        ways += [self.function] * (1 if self.depth == 0 else 0)
        if self.depth and self.random.random() < 0.12:
            if loops:
                lines.append(at + self.one(["break", "continue"]))
                return
            if self.is_function:
                lines.append(f"{at}return {self.value()}")
                return
        self.random.choice(ways)(lines, at)

    def shown(self, lines: list[str], at: str) -> None:
        lines.append(f"{at}reveal({self.value()})")

    def assign(self, lines: list[str], at: str) -> None:
        kind, value = self.one(["int", "int", "int", "list", "dict", "obj", "call"]), self.value(1)
        ways: list[str] = []
        if kind == "int":
            value = self.value()
            ways = [f"@ = {value}"] * 3 + [
                f"@, @ = {value}, {self.number()}",
                f"if (@ := {value}) > 20:\n{at}{INDENT}pass",
            ]
            own = [name for name in self.names.of["int"] if name in self.own]
            if own:
                name = self.one(own)
                ways += [f"{name} += {value}", f"{name} = {name} + 1000"]
            if self.has("list"):
                ways += [f"@, *_ = {self.name('list')}", f"*_, @ = {self.name('list')}"]
        elif kind == "list":
            ways = [f"@ = [{value}, {self.number()}]"] * 2
            if self.has("list"):
                other = self.name("list")
                values = (
                    other,
                    f"list({other})",
                    f"{other}[:]",
                    f"{other} + [{value}]",
                    f"[each for each in {other}]",
                    f"[*{other}, {value}]",
                )
                ways += [f"@ = {each}" for each in values]
            if self.has("dict"):
                ways += [f"@ = list({self.name('dict')}.values())", f"@ = [v for k, v in {self.name('dict')}.items()]"]
        elif kind == "dict":
            ways = [f"@ = {{'a': {value}, 'b': {self.number()}}}", f"@ = dict(a={self.number()}, c={value})"]
            ways += [
                f"@ = dict([('a', {value}), ('b', {self.number()})])",
                f"@ = dict(zip('ab', [{self.number()}, {value}]))",
            ]
            if self.has("dict"):
                other = self.name("dict")
                values = (
                    other,
                    f"dict({other})",
                    f"{other}.copy()",
                    f"{{**{other}, 'b': {value}}}",
                    f"{{k: v for k, v in {other}.items()}}",
                    f"{{k: v + 100 for k, v in {other}.items()}}",
                )
                ways += [f"@ = {each}" for each in values]
            if self.has("obj"):
                ways += [f"@ = vars({self.name('obj')})"]
        elif kind == "obj" and self.has("cls"):
            cls = self.name("cls")
            ways = [f"@ = {cls}({value})", f"@ = {cls}({self.number()}, y={self.number()})", f"@ = {cls}.make({value})"]
            ways += [f"@ = {self.name('obj')}", f"@ = copy.copy({self.name('obj')})"] if self.has("obj") else []
        elif kind == "call" and self.has("call"):
            other = self.name("call")
            ways = [
                f"@ = {other}",
                f"@ = lambda p, q=1, f={other}: f(p)",
                f"@ = functools.partial({other}, q={self.number()})",
            ]
        if ways:
            lines.append(at + self.bound(kind, self.one(ways)))
        else:
            self.shown(lines, at)

    def change(self, lines: list[str], at: str) -> None:
        names = self.names.of
        ways: list[str] = []
        if names["list"]:
            name, value = self.name("list"), self.value(1)
            ways += [
                f"{name}.append({value})",
                f"{name}[0] = {value}",
                f"{name}.insert(0, {value})",
                f"{name}.extend([{value}])",
            ]
            ways += [
                f"{name}[-1] = {value}",
                f"{name}.reverse()",
                f"{name}.sort()",
                f"{name}[:] = [{value}, {self.number()}]",
                f"del {name}[0]",
            ]
            ways += [f"{name} += [{value}]"] if name in self.own or not self.is_function else []
        if names["dict"]:
            name, value, key = self.name("dict"), self.value(1), self.one(KEYS)
            ways += [f"{name}['{key}'] = {value}"] * 3 + [
                f"{name}.update({key}={value})",
                f"{name}.update({{'{key}': {value}}})",
            ]
            ways += [f"{name}.setdefault('{key}', {value})", f"{name}.pop('{key}', None)", f"{name}['{key}'] += 1000"]
            ways += [f"for key in list({name}):\n{at}{INDENT}{name}[key] = {value}", f"del {name}['{key}']"]
            ways += [f"for key, each in list({name}.items()):\n{at}{INDENT}reveal(each)"]
        if names["obj"]:
            name, value, attr = self.name("obj"), self.value(1), self.one(ATTRS)
            ways += [f"{name}.{attr} = {value}"] * 3 + [
                f"setattr({name}, '{attr}', {value})",
                f"{name}.set({value})",
                f"{name}.{attr} += 1000",
            ]
            ways += [
                f"{name}.k = {value}",
                f"vars({name}).update({attr}={value})",
                f"{name}.__dict__['{attr}'] = {value}",
            ]
            ways += [f"for key in ('x', 'y'):\n{at}{INDENT}setattr({name}, key, {value})"]
        if names["cls"]:
            ways += [f"{self.name('cls')}.k = {self.value(1)}"]
        if names["call"]:
            ways += [self.call()] * 3
        self.shown(lines, at) if not ways else lines.append(at + self.one(ways))

    def compound(self, lines: list[str], at: str) -> None:
        self.depth += 1
        inner, count = at + INDENT, self.random.randint(1, 3)
        kind = self.one(
            ["if", "if", "if else", "elif", "for", "for list", "while", "try", "finally", "with", "for range"]
        )
        if kind.startswith(("if", "elif")):
            lines.append(f"{at}if {self.test()}:")
            self.block(lines, inner, count)
            if kind == "elif":
                lines.append(f"{at}elif {self.test()}:")
                self.block(lines, inner, 1)
            if kind != "if":
                lines.append(f"{at}else:")
                self.block(lines, inner, count)
        elif kind.startswith("for"):
            over = {"for list": self.name("list") if self.has("list") else "[]", "for range": "range(2)"}.get(kind, "y")
            name = self.fresh("i")
            lines.append(f"{at}for {name} in list({over}):")
            if kind == "for list":
                lines.append(f"{inner}reveal({name})")
            self.block(lines, inner, count, loops=True)
            if self.random.random() < 0.2:
                lines.append(f"{at}else:")
                self.block(lines, inner, 1)
        elif kind == "while":
            name = self.fresh("w")
            lines.append(f"{at}{name} = 0")
            lines.append(f"{at}while {name} < {self.one(['2', '2', '0'])}:")
            lines.append(f"{inner}{name} += 1")
            self.block(lines, inner, count, loops=True)
        elif kind in ("try", "finally"):
            lines.append(f"{at}try:")
            self.block(lines, inner, count)
            lines.append(f"{inner}if unknown():\n{inner}{INDENT}raise ValueError")
            self.block(lines, inner, 1)
            if kind == "try":
                lines.append(f"{at}except {self.one(['ValueError', 'Exception', '(KeyError, ValueError)'])}:")
                self.block(lines, inner, 1)
            if kind == "finally" or self.random.random() < 0.2:
                lines.append(f"{at}finally:")
                self.block(lines, inner, 1)
        else:
            lines.append(f"{at}with contextlib.suppress(Exception):")
            self.block(lines, inner, count)
            lines.append(f"{inner}if unknown():\n{inner}{INDENT}raise ValueError")
            self.block(lines, inner, 1)
        self.depth -= 1

    # --- functions and classes

    def function(self, lines: list[str], at: str) -> None:
        name, kept = self.fresh("f"), (self.names, self.is_function, self.own, self.depth)
        if self.random.random() < 0.15:
            lines.append(f"{at}@functools.lru_cache(None)")
        is_generator = self.random.random() < 0.08
        rest = self.one(["", ", *r", ", **k", ", *r, **k"])
        lines.append(f"{at}def {name}(p, q={self.number()}{rest}):")
        outer = self.names
        self.names, self.is_function, self.own, self.depth = _Names(outer), True, {"p", "q"}, 0
        self.names.add("int", "p")
        self.names.add("int", "q")
        inner = at + INDENT
        bound = [each for each in outer.of["int"] if each.startswith("n")]
        if bound and self.random.random() < 0.4:
            shared = self.one(bound)
            lines.append(f"{inner}{'nonlocal' if shared in kept[2] and kept[1] else 'global'} {shared}")
            self.own.add(shared)
            lines.append(f"{inner}{shared} = {self.value(1)}")
        self.block(lines, inner, self.random.randint(1, 4))
        if "r" in rest and self.random.random() < 0.5:
            lines.append(f"{inner}return r[0] if r else {self.value()}")
        elif is_generator:
            lines.append(f"{inner}yield {self.value()}")
            lines.append(f"{inner}yield {self.value()}")
        else:
            lines.append(f"{inner}return {self.value()}")
        self.names, self.is_function, self.own, self.depth = kept
        if is_generator:
            lines.append(f"{at}for each in {name}({self.number()}):\n{at}{INDENT}reveal(each)")
        else:
            self.own.add(name)
            self.names.add("call", name)

    def method(self, lines: list[str], head: str, body: Callable[[list[str]], None]) -> None:
        kept = self.names, self.is_function, self.own, self.depth
        self.names, self.is_function, self.own, self.depth = _Names(self.globals), True, set(), 0
        if "self" in head:
            self.names.add("obj", "self")
        if "v" in head:
            self.own.add("v")
            self.names.add("int", "v")
        lines.append(f"{INDENT}def {head}:")
        body(lines)
        self.names, self.is_function, self.own, self.depth = kept

    def cls(self, lines: list[str]) -> None:
        name, at = self.fresh("C"), INDENT * 2
        base = self.name("cls") if self.has("cls") and self.random.random() < 0.6 else ""
        lines.append(f"class {name}{f'({base})' if base else ''}:")
        if not base or self.random.random() < 0.5:
            lines.append(f"{INDENT}k = {self.value(1)}")
        is_own = not base or self.random.random() < 0.5

        def init(lines: list[str]) -> None:
            if base:
                lines.append(f"{at}super().__init__({self.one(['v', 'v, y', self.number()])})")
            if not base or self.random.random() < 0.5:
                lines.append(f"{at}self.x = v")
                lines.append(f"{at}self.y = y")
            if self.random.random() < 0.3:
                lines.append(f"{at}self.set({self.value(1)})")

        def setter(lines: list[str]) -> None:
            self.block(lines, at, self.random.randint(0, 2))
            lines.append(f"{at}self.{self.one(ATTRS)} = {self.value(1)}")
            self.block(lines, at, self.random.randint(0, 1))

        def getter(lines: list[str]) -> None:
            self.block(lines, at, self.random.randint(0, 2))
            lines.append(f"{at}return {self.one([f'self.{self.one(ATTRS)}', self.value(1)])}")

        if is_own:
            self.method(lines, f"__init__(self, v, y={self.number()})", init)
        for head, body in (("set(self, v)", setter), ("get(self, v)", getter), ("prop(self)", getter)):
            if not base or self.random.random() < 0.3:
                if head == "prop(self)":
                    lines.append(f"{INDENT}@property")
                self.method(lines, head, body)
        if not base:
            lines.append(f"{INDENT}@classmethod")
            self.method(lines, "make(cls, v)", lambda lines: lines.append(f"{at}return cls(v, {self.number()})"))
        if base and not is_own and self.random.random() < 0.3:
            lines.append(f"{INDENT}y = {self.number()}")
        self.names.add("cls", name)

    def program(self) -> dict[str, str]:
        """Return the files: the entry script, and a module with part of the code in half of the cases."""
        head = ["import contextlib, copy, functools"]
        files: dict[str, str] = {}
        lines = [*head]
        if self.random.random() < 0.5:
            self.definitions(lines)
            files["lib.py"] = "\n".join([*lines, ""])
            names = [name for of in self.globals.of.values() for name in of]
            lines = [*head, *self.imports(names)]
            if self.random.random() < 0.3:
                lines.append(f"lib.{self.one(names)} = {self.number()}" if "import lib" in lines else "pass")
        self.definitions(lines)
        at = ""
        if self.random.random() < 0.4:
            self.is_function, self.own = True, set()
            self.names = _Names(self.globals)
            lines.append("def main():")
            at = INDENT
        self.block(lines, at, self.random.randint(5, 12))
        if at:
            lines.append(self.one(["main()", "if __name__ == '__main__':\n    main()"]))
        files["train.py"] = "\n".join([*lines, ""])
        return files

    def definitions(self, lines: list[str]) -> None:
        for _ in range(self.random.randint(2, 5)):
            self.random.choice([self.assign, self.assign, self.function, lambda lines, at: self.cls(lines)])(lines, "")

    def imports(self, names: Sequence[str]) -> list[str]:
        way = self.one(["star", "from", "module", "as"])
        if way == "star" or not names:
            return ["from lib import *"]
        if way == "from":
            return [f"from lib import {', '.join(names)}"]
        self.globals.of = {
            kind: [f"lib.{name}" if way == "module" else f"m.{name}" for name in of]
            for kind, of in self.globals.of.items()
        }
        module = "m" if way == "as" else "lib"  # which counts where a name of it is read
        return ["import lib as m" if way == "as" else "import lib", f"{module}.{names[0]}"]
