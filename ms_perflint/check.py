"""What a rule is: a LibCST visitor that flags calls, with a question by meaning in front of it.

LibCST itself is imported when the first call is suspect: it takes longer than all the rest of a run over clean files.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Optional, Union

from ms_perflint.codes import CHECKS, code_of, entry_points, modules
from ms_perflint.core.findings import Edit, Finding, Fix, Gain, Related, Remedy, Safety
from ms_perflint.core.source import PYTHON
from ms_perflint.index.semantic_index import SemanticIndex, Site
from ms_perflint.index.suppression_ranges import rows
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.program.target import Target
from ms_perflint.training.devices import target_of

if TYPE_CHECKING:
    import libcst as cst

    from ms_perflint.core.source import Source
    from ms_perflint.suppressions import Suppressions
    from ms_perflint.syntax import Slice

SHOWN = 80  # characters of a comment


class Check:
    """The base of all rules; the first line of a rule's docstring is its summary.

    `suspect` decides by meaning and touches no LibCST. Only for suspects is the call read as concrete syntax and
    visited: `visit_Call`, as in a `cst.CSTVisitor`, looks at its form, reports, and says how it is fixed.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    safety: ClassVar[Safety]  # of the fix, where a report does not say otherwise
    # canonical names; `name()`: a call of what `name()` gave; ".name": a method of anything; "*" and "@": operators
    triggers: ClassVar[tuple[str, ...]]
    preview: ClassVar[bool] = False
    per_program: ClassVar[bool] = True  # False: what it reports does not depend on the program that a file is part of
    in_libraries: ClassVar[bool] = True  # False: it reports nothing in the program of a file that scripts only import
    anchored: ClassVar[bool] = False  # asked about entry scripts without a trigger too: see `anchors`, `gap`
    blames: ClassVar[tuple[str, ...]] = ()  # parameters: what is passed for them is to blame, where something is
    looks_inside: ClassVar[bool] = True  # its visitor goes on to what stands inside of a suspect
    reviews: ClassVar[bool] = False  # it judges the comments of a file once all others have spoken: see `review`
    options: ClassVar[Mapping[str, object]] = {}  # option -> default
    symptom: ClassVar[str] = ""  # the function of `profile.symptoms` that finds in a profile what it is about
    limits: ClassVar[Mapping[str, tuple[int, int]]] = {}  # option -> the least and the greatest number
    gain: ClassVar[Gain] = Gain()  # what fixing its findings may gain, for reports that put the most first

    def __init__(self, program: Program, options: Optional[Mapping[str, object]] = None, line_length: int = 88) -> None:
        self.program = program
        self.line_length = line_length
        self.settings: Mapping[str, object] = {**self.options, **(options or {})}
        self.findings: list[Finding] = []
        self._site: Optional[Site] = None
        self._slice: Optional[Slice] = None

    @property
    def target(self) -> Target:
        """Return the MindSpore version and the devices of the program."""
        return target_of(self.program)

    def gap(self) -> Optional[Message]:
        """Return what could not be followed in the program, so that the rule may have missed something; else None.

        Asked after all sites of the entry script.
        """
        return None

    @classmethod
    def prefilter(cls, raw: bytes) -> bool:
        """Return whether a file holds the last word of a trigger: derived from the triggers, so it cannot be wrong."""
        words = (trigger if trigger.startswith(".") else last_word(trigger) for trigger in cls.triggers)
        return cls.anchored or any(word.encode() in raw for word in words)

    @classmethod
    def prefilter_sites(cls, module: SemanticIndex, sites: Iterable[Site]) -> Iterable[Site]:
        """Return those sites of a file that may be suspect by what stands around them: asked once, before any program.

        For checks with triggers that are everywhere.
        """
        return sites

    def suspect(self, call: Call) -> bool:
        """Return by meaning whether a call may have to be reported; cheap questions first."""
        raise NotImplementedError

    def concerns(self, site: Site) -> bool:
        """Return whether a fix at a site changes a program that comes there with the options it is given."""
        return True

    def narrowed(self, sites: Sequence[Site]) -> Sequence[Site]:
        """Return the sites to ask `suspect` about: where every call is a trigger, it leaves out most at once."""
        return sites

    def anchors(self, module: SemanticIndex) -> Sequence[Call]:
        """Return the calls of the entry script at which an absence shows; for checks that are `anchored`."""
        return ()

    @classmethod
    def review(
        cls, source: Source, suppressions: Suppressions, found: Sequence[Finding], judged: Collection[str]
    ) -> Iterable[Finding]:
        """Return what is to be said about the comments of a file; for checks that have `reviews`.

        `found` is what the rules `judged` have found in it before comments switched anything off.
        """
        return ()

    def examine(self, site: Site) -> list[Finding]:
        """Return what the visitor reports on a suspect. Raises Unreadable where LibCST cannot read it."""
        from ms_perflint import syntax

        self._site, self.findings = site, []
        self._slice = syntax.parse_site(site)
        self._slice.visit(syntax.Visitor(self, self.looks_inside))
        return self.findings

    def call(self, node: cst.CSTNode) -> Optional[Call]:
        """Return the suspect when `node` is that very call; None for calls inside of it."""
        assert self._slice is not None
        return self._site if node is self._slice.root and isinstance(self._site, Call) else None

    def site(self, node: cst.CSTNode) -> Optional[Site]:
        """Return the suspect, call or operation, when `node` is that very expression; None for what is inside of it."""
        assert self._slice is not None
        return self._site if node is self._slice.root else None

    def argument(self, name: str) -> Optional[cst.Arg]:
        """Return what is passed to the suspect for a parameter, as it is written; None where nothing is."""
        site, read = self._site, self._slice
        given = site.given(name) if isinstance(site, Call) and site.fstring is None else None
        return read.argument(given) if given is not None and read is not None else None

    def report(self, node: Union[cst.CSTNode, ast.expr], message: str, remedy: Optional[Remedy] = None) -> None:
        """Report a node of the visited call (or an `ast` node of the same file), with what is offered against it.

        Comments on an argument that is to blame are shown, and a suppression counts there too; a fix that such a
        comment may speak against is not safe.
        """
        site = self._site
        assert site is not None and self._slice is not None
        module = site.module
        if site.fstring is not None:
            span, remedy = module.span(site.fstring), remedy and remedy._replace(edits=None)
        elif isinstance(node, ast.AST):
            span = module.span(node)
        else:
            span = site.span if node is self._slice.root else self._slice.span(node)
        place, end = module.source.place(span[0]), module.source.place(span[1])
        over_rows = site.fstring is None and module.source.row(site.span[0]) < module.source.row(site.span[1])
        blamed = [arg for name in self.blames if over_rows and (arg := self.argument(name)) is not None]
        ends = (offset for arg in blamed for offset in self._slice.span(arg))
        lines = {*rows(module, site.stmt, place.row), *map(module.source.row, ends)}
        explained = [each for arg in blamed for each in self._explanations(arg)]
        made = self._fix(remedy, bool(explained)) if remedy is not None and remedy.edits else None
        related = remedy.related if remedy is not None else ()
        self.findings.append(
            Finding(
                place,
                self.code,
                self.name,
                message,
                end,
                tuple(sorted(lines)),
                made,
                tuple(sorted({*related, *explained})),
                help=remedy.by_hand if remedy is not None and made is None else "",
            )
        )

    def _explanations(self, arg: cst.Arg) -> list[Related]:
        """Return the comments on an argument that people read."""
        from ms_perflint.edits.comments import is_readable  # here, because most files have no finding

        assert self._site is not None and self._slice is not None
        source, found = self._site.module.source, []
        for start, text in self._slice.comments(arg):
            if is_readable(text):
                words = text.lstrip("#").strip()
                words = words if len(words) <= SHOWN else f"{words[:SHOWN]}..."
                message = Message("this comment may explain it: {comment}", comment=words)
                found.append(Related(source.place(start), message))
        return found

    def _fix(self, remedy: Remedy, explained: bool) -> Fix:
        """Return a fix; it is not safe where a comment goes with the code, or `explained` why the code is as it is."""
        edits = tuple(sorted(map(_plain, remedy.edits or ())))
        fix = Fix(remedy.advice or self.name, remedy.safety or self.safety, edits, remedy.reason)
        if fix.safety is not Safety.SAFE:
            return fix
        if explained:
            return fix._replace(safety=Safety.UNSAFE, reason=Message("a comment there may say why not"))
        if any(self._loses_comment(path, fix.edits) for path in {edit.path for edit in fix.edits}):
            return fix._replace(safety=Safety.UNSAFE, reason=Message("a comment is removed with it"))
        return fix

    def _loses_comment(self, path: str, edits: Sequence[Edit]) -> bool:
        """Return whether edits remove a comment of a Python file."""
        from ms_perflint.edits.comments import is_lost  # here, because most files have no fix

        module = self.program.module(path) if path.endswith(PYTHON) else None
        return module is not None and is_lost(module.source, [edit for edit in edits if edit.path == path])


def _plain(edit: Edit) -> Edit:
    """Return an edit whose lines end with `\\n`, also where its text was taken from a file with other line ends."""
    if "\r" not in edit.text:
        return edit
    return edit._replace(text=edit.text.replace("\r\n", "\n").replace("\r", "\n"))


def last_word(trigger: str) -> str:
    """Return the last word of a trigger, without its `()`."""
    return trigger.rpartition(".")[2].rstrip("()")


def trigger_words(triggers: Iterable[str], module: SemanticIndex) -> tuple[set[str], set[str]]:
    """Return the last words under which a file may call triggers; and make objects that are called."""
    words: set[str] = set()
    made: set[str] = set()
    for trigger in triggers:
        word = last_word(trigger)
        if trigger.endswith("()"):
            words |= module.result_names(word)
            made |= module.aliases(word)
        elif not trigger.startswith("."):
            words |= module.aliases(word)
    return words, made


@lru_cache(maxsize=1)
def checks() -> tuple[type[Check], ...]:
    """Return all checks by code: the modules in `ms_perflint.checks`, and entry points of other packages."""
    return checks_of(frozenset(map(code_of, modules())))


@lru_cache(maxsize=8)
def checks_of(codes: frozenset[str]) -> tuple[type[Check], ...]:
    """Return the checks with these codes, and all of other packages; the modules of our others are not loaded."""
    found: dict[str, type[Check]] = {}
    for name in modules():
        if code_of(name) in codes:
            for check in _in_module(f"{__package__}.{CHECKS}.{name}"):
                found[check.code] = check
    for point in entry_points():
        loaded = point.load()  # type: ignore[attr-defined]
        if isinstance(loaded, type) and issubclass(loaded, Check):
            found.setdefault(loaded.code, loaded)
    return tuple(found[code] for code in sorted(found))


def _in_module(name: str) -> list[type[Check]]:
    module = importlib.import_module(name)
    # not `issubclass`: before Python 3.11 `tuple[int, ...]` passes for a class until it is asked
    own = [value for value in vars(module).values() if Check in getattr(value, "__mro__", ())]
    return [check for check in own if check.__module__ == name and "code" in vars(check)]


def gain_of(code: str) -> Gain:
    """Return what fixing the findings of a rule may gain."""
    return next((check.gain for check in checks() if check.code == code), Gain())
