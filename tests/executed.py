"""Compare runs of programs with the results of the evaluator: `python tests/executed.py [COUNT] [--from N]`.

A program calls `reveal(x)`. It is run, with a stub for MindSpore, and what is revealed on each line is noted. Of each
such place must hold, whatever was run:

- it is not said to be out of reach, and its file is one of the program;
- where the answer is closed, the value is one of the alternatives, and of those with the default options, as it is
  run without any;
- a function that a call enters is one of those that the call is said to enter, where that is closed.

`unknown()` gives a truth value that no program shows; a program is run with some series of them. A case is told by its
number: the same number makes the same program (`random_programs.py`). `test_executed.py` runs some hundred of them.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import enum
import importlib.machinery
import io
import os
import sys
import tempfile
import types
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import random_programs
import yaml  # noqa: F401  # what a program imports is unloaded when it ends, and the C part of this loads only once
from reveal import ROOT, program, shown

from ms_perflint.index.semantic_index import Scope, SemanticIndex
from ms_perflint.infer.alternatives import Display, Instance, Member
from ms_perflint.infer.values import NO_CONSTANT, Alternative, Value
from ms_perflint.program.program import Program

STEPS = 20_000  # lines that a program runs, at most
DEPTH = 50  # calls inside one another, after which a run ends: not by a RecursionError that the program catches
SERIES = 2  # of what `unknown()` gives
PLAIN = (int, float, str, bytes, bool, complex, type(None), type(Ellipsis))


class Run(NamedTuple):
    """What a program did."""

    revealed: dict[tuple[str, int], list[object]]  # by file and row
    entered: dict[tuple[str, int], set[tuple[str, int, str]]]  # by file and row of the call: what it entered
    error: str


class _Stub:
    """Anything of MindSpore."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        pass

    def __call__(self, *args: object, **kwargs: object) -> _Stub:
        return _Stub()

    def __getattr__(self, name: str) -> _Stub:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Stub()


class _Package(types.ModuleType):
    __path__ = ()

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (_Stub,), {})


class _Finder:
    """Finds MindSpore, with all of its modules."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        is_one = name.partition(".")[0] == "mindspore"
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if is_one else None  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Package(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


class _Endless(BaseException):
    """A program runs too long."""


def run(files: Mapping[str, str], seed: int = 0, arguments: Sequence[str] = (), entry: str = "train.py") -> Run:
    """Run a program with some series of what `unknown()` gives, and return what it did."""
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return _Runner(folder, Random(seed), entry).run([entry, *arguments])


class _Runner:
    def __init__(self, folder: str, random: Random, entry: str) -> None:
        self.folder, self.entry, self.random = folder, entry, random
        self.steps = self.depth = 0
        self.done = Run({}, {}, "")

    def run(self, arguments: Sequence[str]) -> Run:
        kept = dict(sys.modules), sys.path[:], sys.argv, sys.meta_path[:], os.getcwd()
        environment = dict(os.environ)
        names = {"reveal": self.reveal, "unknown": self.unknown, "y": [0, 1]}
        before = {name: vars(builtins).get(name) for name in names}
        vars(builtins).update(names)
        sys.path.insert(0, self.folder)
        sys.argv = list(arguments)
        sys.meta_path.insert(0, _Finder())  # type: ignore[arg-type]
        importlib.invalidate_caches()
        os.chdir(self.folder)
        tracer, error = sys.gettrace(), ""
        main = types.ModuleType("__main__")
        path = os.path.join(self.folder, self.entry)
        vars(main)["__file__"] = path
        sys.modules["__main__"] = main
        sys.settrace(self.trace)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                exec(compile(Path(path).read_text(encoding="utf-8"), path, "exec", dont_inherit=True), vars(main))
        except (Exception, SystemExit, _Endless) as raised:
            error = f"{type(raised).__name__}: {raised}"
        finally:
            sys.settrace(tracer)
            os.chdir(kept[4])
            os.environ.clear()
            os.environ.update(environment)
            sys.modules.clear()
            sys.modules.update(kept[0])
            sys.path[:], sys.argv, sys.meta_path[:] = kept[1], kept[2], kept[3]
            for name, value in before.items():
                vars(builtins).pop(name) if value is None else vars(builtins).__setitem__(name, value)
        return self.done._replace(error=error)

    def unknown(self, *args: object) -> bool:
        return self.random.random() < 0.5

    def reveal(self, value: object) -> object:
        frame = sys._getframe(1)
        self.done.revealed.setdefault(self.at(frame), []).append(_frozen(value, self.folder))
        return value

    def at(self, frame: types.FrameType) -> tuple[str, int]:
        return os.path.relpath(frame.f_code.co_filename, self.folder), frame.f_lineno

    def trace(self, frame: types.FrameType, event: str, argument: object) -> object:
        """Note which function of the program is entered from where."""
        if not frame.f_code.co_filename.startswith(self.folder):
            return None
        outer = frame.f_back
        if event == "call" and outer is not None and outer.f_code.co_filename.startswith(self.folder):
            code = frame.f_code
            callee = os.path.relpath(code.co_filename, self.folder), code.co_firstlineno, code.co_name
            self.done.entered.setdefault(self.at(outer), set()).add(callee)
        self.steps += 1
        self.depth += (event == "call") - (event == "return")
        if self.steps > STEPS or self.depth > DEPTH:
            raise _Endless
        return self.trace


class Seen(NamedTuple):
    """What a value was when it was revealed; `value` where it is a constant, or a container of such."""

    kind: type
    name: str
    value: object = NO_CONSTANT


def _frozen(value: object, folder: str) -> Seen:
    name = getattr(value, "__name__", "")
    if isinstance(value, enum.Enum):
        return Seen(type(value), f"{type(value).__name__}.{value.name}")
    if isinstance(value, PLAIN) and type(value) in PLAIN:
        return Seen(type(value), name, value.replace(folder, ROOT) if isinstance(value, str) else value)
    if type(value) in (list, tuple):
        return Seen(type(value), name, [_frozen(each, folder) for each in value])  # type: ignore[attr-defined]
    if type(value) is dict:
        return Seen(dict, name, {key: _frozen(each, folder) for key, each in value.items()})
    return Seen(type(value), name)


# --- comparison


def is_one(seen: Seen, known: Alternative) -> bool:
    """Return whether an observed value agrees with an alternative, as far as both are known."""
    what = known.what
    if isinstance(what, Member):
        return repr(what) == seen.name
    if known.constant is not NO_CONSTANT and not known.api:
        return type(known.constant) is seen.kind and known.constant == seen.value
    is_plain = seen.kind in PLAIN
    if isinstance(what, Instance):
        cls = known.cls
        if cls is None:
            return not is_plain or bool(known.type_api)
        return known.is_any or cls.name == seen.kind.__name__ or not isinstance(cls.node, ast.ClassDef)
    if isinstance(what, SemanticIndex):
        return seen.kind is types.ModuleType
    if isinstance(what, Display):
        return not is_plain
    definition = known.definition
    if definition is not None:
        return not is_plain and seen.name in (definition.name, "<lambda>", "")
    return True


def answered(made: Program) -> Iterator[tuple[tuple[str, int], Value, bool]]:
    """Yield the evaluator's value of each `reveal(...)` argument, by place, and whether the call is reachable."""
    for module in made.all_modules:
        for site in module.by_word.get("reveal", ()):
            if isinstance(site.node, ast.Call) and site.node.args:
                name = os.path.relpath(module.path, ROOT)
                yield (name, site.node.lineno), made.value(site.node.args[0], site.scope), made.runs(site)


def wrong(files: Mapping[str, str], runs: Sequence[Run], entry: str = "train.py") -> list[str]:
    """Return the places where runs of a program contradict the evaluator."""
    made = program(files, entry)
    found = []
    seen: dict[tuple[str, int], list[Seen]] = {}
    for each in runs:
        for at, values in each.revealed.items():
            seen.setdefault(at, []).extend(values)  # type: ignore[arg-type]
    answers: dict[tuple[str, int], list[tuple[Value, bool]]] = {}
    for at, value, is_run in answered(made):
        answers.setdefault(at, []).append((value, is_run))
    for at, values in sorted(seen.items()):
        place = f"{at[0]}:{at[1]}"
        if at not in answers:
            found.append(f"{place}: the file is not one of the program")
            continue
        if len(answers[at]) > 1:
            continue
        ((value, is_run),) = answers[at]
        if not is_run:
            found.append(f"{place}: is said not to run")
        known = value.by_default or value.alternatives  # a run passes no options
        missing = [each for each in values if not any(is_one(each, one) for one in known)]
        if missing and not value.open:
            said = sorted({_told(each) for each in missing})
            found.append(f"{place}: {' '.join(said)}, not {shown(value) or 'nothing'}")
    return found + _calls(made, runs)


def _told(seen: Seen) -> str:
    return repr(seen.value) if seen.kind in PLAIN else f"{seen.kind.__name__} {seen.name}".strip()


def _calls(made: Program, runs: Sequence[Run]) -> list[str]:
    """Return the functions that calls enter, where they are not among those that the calls are said to enter."""
    entered: dict[tuple[str, int], set[tuple[str, int, str]]] = {}
    for each in runs:
        for at, callees in each.entered.items():
            entered.setdefault(at, set()).update(callees)
    found = []
    functions = {
        _place(scope): scope
        for module in made.all_modules
        for scope in module.scopes
        if isinstance(scope.node, ast.FunctionDef)
    }
    by_row: dict[tuple[str, int], list[Any]] = {}
    for module in made.all_modules:
        for site in module.sites:
            if isinstance(site.node, ast.Call):
                by_row.setdefault((os.path.relpath(module.path, ROOT), site.node.lineno), []).append(site)
    decorated = {
        (os.path.relpath(module.path, ROOT), each.lineno)
        for module in made.all_modules
        for scope in module.scopes
        for each in getattr(scope.node, "decorator_list", ())
    }
    for at, callees in sorted(entered.items()):
        for callee in sorted(callees) if at not in decorated else ():
            function, sites = functions.get(callee), by_row.get(at, [])
            if function is None or len(sites) != 1 or function.name.startswith("__") or function.node.decorator_list:
                continue
            value = made.evaluator.callees(sites[0])
            if not value.open and all(known.definition is not function for known in value.alternatives):
                definitions = [known.definition for known in value.alternatives if known.definition is not None]
                if any(each.is_class or getattr(each.node, "decorator_list", ()) for each in definitions):
                    continue  # its constructor; what decorators make of it
                found.append(f"{at[0]}:{at[1]}: enters {callee[2]}, not {shown(value) or 'nothing'}")
    return found


def _place(scope: Scope) -> tuple[str, int, str]:
    node = scope.node
    row = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return os.path.relpath(scope.module.path, ROOT), row, scope.name


# --- the run


def tried(number: int, is_featured: bool = False) -> tuple[dict[str, str], list[str], Counter[str]]:
    """Return the program of a number, what is wrong with the answers about it, and how its runs end."""
    files = random_programs.featured(number) if is_featured else random_programs.written(number)
    runs = [run(files, seed) for seed in range(SERIES)]
    return files, wrong(files, runs), Counter(each.error.partition(":")[0] or "ends" for each in runs)


def main() -> int:
    """Run some programs, and print those of which the evaluator says what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=300)
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first case")
    parser.add_argument("--quiet", action="store_true", help="do not print the programs")
    parser.add_argument("--features", action="store_true", help="programs of the features of random_features.txt")
    options = parser.parse_args()
    failed, ends = 0, Counter[str]()
    for number in range(options.first, options.first + options.count):
        files, found, ended = tried(number, options.features)
        ends += ended
        if found:
            failed += 1
            print(f"== {number}")
            print("\n".join(found))
            for name, text in files.items() if not options.quiet else ():
                print(f"@ {name}")
                print("\n".join(f"{row:3} {line}" for row, line in enumerate(text.splitlines(), 1)))
    print(f"{failed} of {options.count} programs; {dict(ends)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
