"""Edits and whole runs of `--fix` on files that were mutated: `python tests/fuzz.py [COUNT] [--seed N] [--from N]`.

A mutated file means what it meant, in a random shape: comments, line breaks and backslashes in the gaps
between tokens, values in brackets, calls and lambdas, stars, semicolons, tabs, other line ends and encodings. Of what
is made of it must hold, whatever the edit:

- it parses, and its tree is the wanted one; nothing outside of the edits changes, in bytes and in the tree;
- no comment is lost, and each stays behind what it stood behind, but for those of code that goes;
- line ends, encoding and byte order mark are those of the file, and no line ends in new blanks;
- done a second time, it changes nothing.

A case is told by its number: the same number makes the same case. `test_fuzz.py` runs some hundred of them.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from consequences import Alone, alone, steps, unlike
from layout_texts import CASTS, HEADS, IMPORTS, LAYOUTS, POSITIONS, SIMPLE, STATEMENTS, SURROUNDINGS, VALUES
from layouts import API, PATH, arity, call_of, cast_in, module_of, position, statement, statement_in, write_call
from linting import Linted, State
from notebook_properties import unlike as other_code
from notebooks import notebook, written
from properties import Text, spliced
from test_layouts import WANTED, comments, remarks

from ms_perflint import edits as edit
from ms_perflint.config import files as config_files
from ms_perflint.config import values as config_values
from ms_perflint.core.files import Disk, Overlay
from ms_perflint.core.findings import Edit
from ms_perflint.fixes.fixing import settle

SAMPLES = Path(__file__).resolve().parent.parent / "sample_scripts"
WHOLE = 25  # one case of so many is a whole run
PROGRAMS = ("lenet.py", "custom_loop.py", "data_parallel.py", "zoo_project")

# --- mutated files

GAPS = (" ", "  ", "\t", "\n    ", "\n\t", "\n\n  ", "  # n, (é\n    ", "\n  # own: 1)\n ", "# a\n# b\n", " \\\n  ")
BETWEEN = ("  ", "\t", " \\\n    ", "\\\n")  # outside of brackets
ENDS = (" ", "  # c, ) é", "  # noqa: E501", ";", " ; # c", "#")
ABOVE = ("\n", "# above\n", "      # deeper\n", "\f\n", "\n# c\n\n")
WRAPPED = ("({0})", "( ({0}\n ))", "keep({0}, k=[1, (2,)])", "(lambda x, *y, z=1: x)({0})", "[{0}, ][0]")
UNITS = ("    ", "    ", "\t", "  ", " ")
SKIPPED = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)
WORD = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING)
ENCODINGS = (*["utf-8"] * 6, "utf-8-sig", "latin-1", "cp1252", "gbk", "shift_jis", "euc_kr", "koi8-r")
LINE_ENDS = (*["\n"] * 5, "\r\n", "\r")


def mutated(text: str, random: Random) -> str:
    """Return a text that means the same in another shape."""
    wanted = ast.dump(ast.parse(text))
    for rate in (random.choice((0.02, 0.1, 0.4)), 0.05, 0.01):
        made = _reshaped(text, random, rate)
        try:
            if ast.dump(ast.parse(made)) == wanted:
                return made
        except SyntaxError:
            pass  # a semicolon behind a decorator, and its like
    return text


def _reshaped(text: str, random: Random, rate: float) -> str:
    """Return a text with other gaps between its tokens; it may not parse."""
    unit, joins = random.choice(UNITS), rate * random.choice((0, 0, 1))
    parts: list[str] = []
    done, depth, starts, last = 0, 0, True, ""
    for token, start, end in _tokens(text):
        gap = text[done:start]
        change = random.random() < rate
        if token.type == tokenize.NEWLINE:
            gap += random.choice(ENDS[1:] if last == ":" else ENDS) if change and "#" not in gap else ""
        elif starts:
            gap = _indented((random.choice(ABOVE) if change and parts else "") + gap, unit)
            if parts and not gap.strip(" \n") and random.random() < joins:
                parts.pop()  # the line end
                gap = "; "
        elif depth:
            gap = random.choice(GAPS) if change else gap
        elif change and parts:
            gap = random.choice(BETWEEN)
        depth += (
            {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.string, 0) if token.type == tokenize.OP else 0
        )
        starts, last, done = token.type == tokenize.NEWLINE, token.string, end
        parts += [gap, text[start:end]]
    return "".join(parts) + text[done:]


def _tokens(text: str) -> Iterator[tuple[tokenize.TokenInfo, int, int]]:
    """Yield the tokens that mean something, with their offsets; an f-string is one, on every Python."""
    lines = [0]
    for line in io.StringIO(text):
        lines.append(lines[-1] + len(line))
    inside, first = 0, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        start, end = (lines[row - 1] + column for row, column in (token.start, token.end))
        name = tokenize.tok_name[token.type]
        if name.endswith("STRING_START"):
            first, inside = first if inside else start, inside + 1
        elif name.endswith("STRING_END"):
            inside -= 1
            if not inside:
                yield token, first, end
        elif not inside and token.type not in SKIPPED and (start < end or token.type == tokenize.NEWLINE):
            yield token, start, end


def _indented(gap: str, unit: str) -> str:
    """Return what stands above a statement and in front of it, with another unit of indentation."""
    above, line_end, indent = gap.rpartition("\n")
    return above + line_end + indent.replace("    ", unit)


def wrapped(text: str, random: Random, rate: float) -> str:
    """Return a text in which some arguments of calls stand in brackets, calls and the like; their meaning changes."""
    raw, tree = text.encode(), ast.parse(text)
    starts = Text(raw, "utf-8", b"").starts()
    spans = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            return text
        for value in [*node.args, *(word.value for word in node.keywords)] if isinstance(node, ast.Call) else []:
            inner = value.value if isinstance(value, ast.Starred) else value
            if random.random() < rate and not isinstance(inner, ast.GeneratorExp):
                span = (inner.lineno, inner.col_offset), (inner.end_lineno or 0, inner.end_col_offset or 0)
                spans.add(tuple(starts[row - 1] + column for row, column in span))
    for start, end in sorted(spans, reverse=True):
        if not any(start < other[0] and other[1] <= end for other in spans):
            made = random.choice(WRAPPED).replace("{0}", raw[start:end].decode())
            raw = raw[:start] + made.encode() + raw[end:]
    return raw.decode()


def on_disk(text: str, random: Random) -> bytes:
    """Return a text as the bytes of a file, in some encoding and with some line ends."""
    encoding, newline = random.choice(ENCODINGS), random.choice(LINE_ENDS)
    if encoding != "utf-8" and encoding != "utf-8-sig":
        sign = {"gbk": "训练", "shift_jis": "訓練", "euc_kr": "훈련", "koi8-r": "да"}.get(encoding, "é")
        text = f"# -*- coding: {encoding} -*-\n# {sign}\n{text}"
    if newline == "\r" and ("\\\n" in text or not encoding.startswith("utf-8")):
        newline = "\n"  # Python's own tokenizer does not take the other for a line end there
    try:
        return text.replace("\n", newline).encode(encoding)
    except UnicodeEncodeError:
        return text.replace(encoding, "utf-8").replace("\n", newline).encode()


# --- edits


class Case(NamedTuple):
    """An edit of a file."""

    name: str  # of the helper, as on the pages of `layouts`
    title: str  # what is done, as there
    text: str
    make: Callable[[bytes], Optional[Sequence[Edit]]]


def expression(random: Random, depth: int = 2) -> str:
    """Return an expression as it may be passed."""
    form = random.choice(
        ("1", "é", "'汉#,('", "-x", "None", "a.b[c]", "(y)", '"""d\n#"""', "1 if a else b", "lambda a, *b: (a, b)")
        + ("g({0}, k={1})", "[{0}, {1}]", "{'a': {0}}", "({0} + {1})", "{0}.h(*{1})", "[q for q in {0}]")
        * min(depth, 1)
    )
    for place in ("{0}", "{1}"):
        form = form.replace(place, f"({expression(random, depth - 1)})" if place in form else "")
    return form


def call(random: Random, names: Sequence[str], stars: float) -> str:
    """Return a file with a call of `f`, its keywords of these names, some of them without names."""
    layout = random.choice(list(LAYOUTS.values()))
    words = random.sample(list(names), min(arity(layout), len(names)))
    bare = random.randrange(arity(layout) + 1) if random.random() < 0.5 else 0
    given = [
        expression(random) if at < bare else f"{words[at]}={expression(random)}"
        for at in range(min(arity(layout), len(words)))
    ]
    if given and random.random() < stars:
        given[-1] = random.choice(("**k", "*s", "**{'a': 1}"))
    surroundings = [each for name, each in SURROUNDINGS.items() if name != "f-string"]
    return write_call(layout, given, random.choice(surroundings))


def set_argument(random: Random) -> Case:
    """Return a case of an argument that is set: given or not, at the end or in front."""
    first, width = random.random() < 0.4, random.choice((40, 88, 88, 120))
    text = call(random, random.choice((("a", "b", "c"), ("a", "new", "c"))), 0.1)

    def make(raw: bytes) -> Optional[Sequence[Edit]]:
        return edit.set_argument(call_of(raw), "new", "True", first=first, line_length=width)

    return Case("set_argument_first" if first else "set_argument", "", text, make)


def remove_argument(random: Random) -> Case:
    """Return a case of an argument that is removed."""
    name = random.choice("abc")
    text = call(random, "abc", 0.1)
    return Case("remove_argument", f"without {name}", text, lambda raw: edit.remove_argument(call_of(raw), name))


def replace_expression(random: Random) -> Case:
    """Return a case of an expression that is replaced."""
    value = random.choice([value for value in VALUES.values() if ":=" not in value])  # in a subscript from 3.10 on

    def make(raw: bytes) -> Optional[Sequence[Edit]]:
        module = module_of(raw)
        nodes = (node for node in ast.walk(module.tree) if isinstance(node, ast.Name) and node.id == "old")
        return edit.replace_expression(module, next(nodes), value)

    return Case("replace_expression", value, position(_place(random), "old"), make)


def unwrap(random: Random) -> Case:
    """Return a case of a cast of which what it casts is left."""
    inner = expression(random)

    def make(raw: bytes) -> Optional[Sequence[Edit]]:
        module = module_of(raw)
        return edit.unwrap(module, *cast_in(module.tree))

    cast = random.choice(list(CASTS.values())).replace("{inner}", inner)
    return Case("unwrap", "", position(_place(random), cast), make)


def _place(random: Random) -> str:
    return random.choice([place for name, place in POSITIONS.items() if name != "f-string"])


def of_statement(random: Random) -> Case:
    """Return a case of a statement that is deleted, or gets a line in front."""
    stmt = random.choice([*SIMPLE.values(), f"x = {expression(random)}"])
    text = statement(random.choice(list(STATEMENTS.values())), stmt)
    name, line = random.choice((("delete_statement", ""), ("insert_before", "new()"), ("insert_before", TWO_LINES)))

    def make(raw: bytes) -> Optional[Sequence[Edit]]:
        module = module_of(raw)
        found = statement_in(module.tree)
        return edit.insert_before(module, found, line) if line else edit.delete_statement(module, found)

    return Case(name, "after" if line == "new()" else "two lines", text, make)


TWO_LINES = "if new:\n    new()"


def of_imports(random: Random) -> Case:
    """Return a case of a name that is imported, or of a line that is put below the imports."""
    text = random.choice([*IMPORTS.values(), *HEADS.values()])
    if random.random() < 0.3:
        return Case("insert_after_imports", "", text, lambda raw: edit.insert_after_imports(module_of(raw), "new()"))
    width = random.choice((40, 88))
    return Case("import_name", "", text, lambda raw: edit.import_name(module_of(raw), API, line_length=width)[1])


CASES: Sequence[Callable[[Random], Case]] = (
    *[set_argument] * 4,
    *[remove_argument] * 3,
    replace_expression,
    unwrap,
    *[of_statement] * 2,
    of_imports,
)
AGAIN = ("set_argument", "set_argument_first", "remove_argument", "import_name")


class Tried(NamedTuple):
    """What a case came to."""

    name: str
    made: bool
    files: tuple[tuple[bytes, bytes], ...]  # before and after
    wrong: tuple[str, ...]


def edited(number: int) -> Tried:
    """Return what came of an edit."""
    random = Random(number)
    case = random.choice(CASES)(random)
    text = wrapped(case.text, random, 0.2) if case.name.endswith(("argument", "first")) else case.text
    raw = on_disk(mutated(text, random), random)
    try:
        edits = case.make(raw)
    except Exception as error:  # to be reported with the file that brings it
        return Tried(case.name, False, ((raw, raw),), (f"{type(error).__name__}: {error}",))
    if edits is None:
        return Tried(case.name, False, ((raw, raw),), ())
    return judged(case, raw, edits)


def judged(case: Case, raw: bytes, edits: Sequence[Edit]) -> Tried:
    """Return what is wrong with an edited file."""
    plain = [(each.start, each.end, each.text) for each in edits]
    try:
        after = spliced(raw, plain)
        wrong = unlike(PATH, raw, after, plain, with_libcst=False)
    except (ValueError, LookupError) as error:
        return Tried(case.name, True, ((raw, raw),), (str(error),))
    if module_of(raw).source.edited(edits) != after:
        wrong.append("the source writes something else")
    if wrong:
        return Tried(case.name, True, ((raw, after),), tuple(wrong))
    old, new = (_text(each) for each in (raw, after))
    if case.name in WANTED and ast.dump(WANTED[case.name](old, case.title)) != ast.dump(ast.parse(new)):
        wrong.append("the tree is another one")
    wrong += _comments(case, old, new)
    if len(re.findall(r"[ \t]$", new, re.MULTILINE)) > len(re.findall(r"[ \t]$", old, re.MULTILINE)):
        wrong.append("a line ends in new blanks")
    if case.name in AGAIN:
        again = case.make(after)
        if again and spliced(after, [(each.start, each.end, each.text) for each in again]) != after:
            wrong.append("changes again")
    return Tried(case.name, True, ((raw, after),), tuple(wrong))


def _text(raw: bytes) -> str:
    """Return the text of a file, with "\\n" for line ends."""
    return Text.of(raw).utf8.decode().replace("\r\n", "\n").replace("\r", "\n")


def _comments(case: Case, old: str, new: str) -> list[str]:
    """Return what happened to comments that should not."""
    before, left = (Counter(each.rstrip() for each in comments(text)) for text in (old, new))
    wrong = ["a comment came up"] if left - before else []
    lost = before - left
    if case.name == "delete_statement":
        lost = Counter(each for each in lost if not each.startswith("# noqa") and not _shares_lines(old))
    if case.name == "remove_argument":
        return wrong  # those on its line go
    if lost:
        return [*wrong, f"comments are lost: {sorted(lost)}"]
    stays = case.name in ("set_argument", "set_argument_first", "insert_before") and "new" not in old
    if stays and remarks(old) != remarks(new):
        wrong.append("a comment stands behind something else")
    return wrong


def _shares_lines(text: str) -> bool:
    """Return whether the assignment to `x` stands on a line with something else: its comments have no line then."""
    stmt, lines = statement_in(ast.parse(text)), text.split("\n")
    before = lines[stmt.lineno - 1].encode()[: stmt.col_offset]
    behind = lines[(stmt.end_lineno or 1) - 1].encode()[stmt.end_col_offset :]
    joined = stmt.lineno > 1 and lines[stmt.lineno - 2].endswith("\\")
    return joined or bool(before.strip()) or not re.fullmatch(rb"[\s;]*(#.*)?", behind)


# --- whole runs


def fixed(number: int) -> Tried:
    """Return what came of fixing a sample program, its files mutated."""
    random = Random(number)
    sample = SAMPLES / random.choice(PROGRAMS)
    paths = [sample] if sample.suffix else sorted(sample.rglob("*.py"))
    base = {}
    for path in paths:
        text = path.read_text(encoding="utf-8")
        base[str(path)] = on_disk(mutated(wrapped(text, random, random.choice((0, 0, 0.05))), random), random)
    config = config_values.override(config_files.load([str(sample)], None, True), select=("ALL",), unsafe_fixes=True)
    config = config._replace(line_length=random.choice((60, 88, 120)))
    unsafe = random.random() < 0.8
    linted = Linted([list(base)], config, 1, base)
    settled = settle(linted, Overlay(Disk(), dict(base)), config, unsafe=unsafe)
    report = linted.states[0][1]
    wrong = [problem.message for problem in (*report.problems, *settled.problems)]
    wrong += [f"{failure.code}: {failure.why}" for failure in steps(linted.states, settled)]
    for finding in report.findings:
        if finding.fix is not None:
            task = Alone(finding, report.findings, False)
            wrong += [f"{failure.code}: {failure.why}" for failure in alone(State(base, config), task)]
    after = {**base, **{change.path: change.after for change in settled.changes}}
    second = settle(Linted([list(after)], config, 1, after), Overlay(Disk(), dict(after)), config, unsafe=unsafe)
    wrong += [f"a second run changes {change.path}" for change in second.changes]
    if not unsafe:
        for path, raw in base.items():
            lost = Counter(comments(_text(raw))) - Counter(comments(_text(after[path])))
            lost = Counter(each for each in lost if not each.startswith("# noqa"))  # those go with their code
            wrong += [f"comments are lost: {sorted(lost)}"] if lost else []
    files = tuple((change.before, change.after) for change in settled.changes)
    return Tried("--fix", bool(settled.fixed), files, tuple(wrong))


def fixed_notebook(number: int) -> Tried:
    """Return what came of fixing a sample program in the cells of a notebook, each mutated, with magics."""
    random = Random(number)
    sample = SAMPLES / random.choice([name for name in PROGRAMS if name.endswith(".py")])
    text = sample.read_text(encoding="utf-8")
    rows = [stmt.lineno - 1 for stmt in ast.parse(text).body[1:] if not getattr(stmt, "decorator_list", ())]
    chosen = [0, *sorted(random.sample(rows, random.randrange(1, 5))), None]
    lines = text.splitlines(keepends=True)
    cells = []
    for first, end in zip(chosen, chosen[1:]):
        cell = mutated("".join(lines[first:end]), random)
        cells += [random.choice(MAGICS) + cell.rstrip("\n"), *random.choice(((), ("# Text",), ("%%bash\necho 'a",)))]
    content = notebook(cells, as_lists=random.random() < 0.8)
    raw = written(content, indent=random.choice((1, 4, None)), ensure_ascii=random.random() < 0.3).encode()
    path = str(sample.with_suffix(".ipynb"))
    config = config_values.override(config_files.load([path], None, True), select=("ALL",), unsafe_fixes=True)
    settled = settle(Linted([[path]], config, 1, {path: raw}), Overlay(Disk(), {path: raw}), config, unsafe=True)
    after = settled.changes[0].after if settled.changes else raw
    wrong = [problem.message for problem in (*settled.problems, *settled.report.problems)]
    wrong += other_code(raw, after)
    second = settle(Linted([[path]], config, 1, {path: after}), Overlay(Disk(), {path: after}), config, unsafe=True)
    wrong += ["a second run changes the notebook"] if second.changes else []
    return Tried("--fix, notebook", bool(settled.fixed), ((raw, after),), tuple(wrong))


MAGICS = ("", "", "%matplotlib inline\n", "found = !ls\n", "%%time\n", "# c\n\n")


# --- the run


def tried(number: int) -> Tried:
    """Return what came of the case of a number."""
    if number % WHOLE:
        return edited(number)
    return fixed_notebook(number) if number % (4 * WHOLE) == 0 else fixed(number)


def main() -> int:
    """Run some cases, print those in which something is wrong, and how many there were of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int, nargs="?", default=300)
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first case")
    options = parser.parse_args()
    all_of, made, failed = Counter[str](), Counter[str](), 0
    for number in range(options.first, options.first + options.count):
        done = tried(number)
        all_of[done.name] += 1
        made[done.name] += done.made
        if done.wrong:
            failed += 1
            print(f"== {number}: {done.name}: {'; '.join(done.wrong)}")
            for before, after in done.files:
                print(f"{_text(before)}\n--\n{_text(after)}")
    for name, count in sorted(all_of.items()):
        print(f"{name}: {count} cases, {made[name]} edited")
    print(f"{failed} cases failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
