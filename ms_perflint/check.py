"""The base class of rules: a semantic question about a call, and a LibCST visitor that reports it.

LibCST is imported at the first suspect: the import takes longer than the rest of a run over clean files.
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
from ms_perflint.training import conditions
from ms_perflint.training.devices import target_of

if TYPE_CHECKING:
    import libcst as cst

    from ms_perflint.core.source import Source
    from ms_perflint.suppressions import Suppressions
    from ms_perflint.syntax import Slice

SHOWN = 80  # characters of a comment


class Check:
    """The base of all rules; the first line of a rule's docstring is its summary.

    `suspect` decides on semantics, without LibCST. Only a suspect is parsed as concrete syntax and visited:
    `visit_Call`, as in a `cst.CSTVisitor`, examines its form, and reports it with a fix.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    safety: ClassVar[Safety]  # default grade of the fix
    # canonical names; `name()`: a call of the result of `name()`; ".name": a method of any object; "*", "@": operators
    triggers: ClassVar[tuple[str, ...]]
    preview: ClassVar[bool] = False
    per_program: ClassVar[bool] = True  # False: its findings do not depend on the program that a file is part of
    in_libraries: ClassVar[bool] = True  # False: it reports nothing in the program of a file that scripts only import
    anchored: ClassVar[bool] = False  # also runs on entry scripts without a trigger: see `anchors`, `gap`
    blames: ClassVar[tuple[str, ...]] = ()  # parameters whose arguments, if passed, are to blame
    looks_inside: ClassVar[bool] = True  # its visitor also visits the nodes inside of a suspect
    reviews: ClassVar[bool] = False  # it checks the comments of a file after all other rules: see `review`
    options: ClassVar[Mapping[str, object]] = {}  # option -> default
    symptom: ClassVar[str] = ""  # the function of `profile.symptoms` that looks for its effect in a profile
    limits: ClassVar[Mapping[str, tuple[int, int]]] = {}  # option -> smallest and largest number
    gain: ClassVar[Gain] = Gain()  # expected gain of a fix, for reports that sort by it

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
        """Return the place that could not be followed, so that the rule may have missed a finding; None without one.

        Called after all sites of the entry script.
        """
        return None

    @classmethod
    def prefilter(cls, raw: bytes) -> bool:
        """Return whether a file contains the last word of a trigger; derived from the triggers, so it misses none."""
        words = (trigger if trigger.startswith(".") else last_word(trigger) for trigger in cls.triggers)
        return cls.anchored or any(word.encode() in raw for word in words)

    @classmethod
    def prefilter_sites(cls, module: SemanticIndex, sites: Iterable[Site]) -> Iterable[Site]:
        """Return the sites of a file that may be suspect by the code around them; called once, before any program.

        For checks with triggers that occur everywhere.
        """
        return sites

    def suspect(self, call: Call) -> bool:
        """Return whether a call is to be reported by its semantics; cheap questions come first."""
        raise NotImplementedError

    def concerns(self, site: Site) -> bool:
        """Return whether a fix at a site changes a program that reaches it with its options."""
        return True

    def narrowed(self, sites: Sequence[Site]) -> Sequence[Site]:
        """Return the sites for `suspect`: where every call is a trigger, most are left out at once."""
        return sites

    def anchors(self, module: SemanticIndex) -> Sequence[Call]:
        """Return the calls of the entry script at which a missing call is reported; for `anchored` checks."""
        return ()

    @classmethod
    def review(
        cls, source: Source, suppressions: Suppressions, found: Sequence[Finding], judged: Collection[str]
    ) -> Iterable[Finding]:
        """Return the findings about the comments of a file; for checks with `reviews`.

        `found` are the findings of the rules `judged` in it, before suppression.
        """
        return ()

    def examine(self, site: Site) -> list[Finding]:
        """Return the findings of the visitor on a suspect. Raises Unreadable where LibCST cannot parse it."""
        from ms_perflint import syntax

        self._site, self.findings = site, []
        self._slice = syntax.parse_site(site)
        self._slice.visit(syntax.Visitor(self, self.looks_inside))
        return self.findings

    def call(self, node: cst.CSTNode) -> Optional[Call]:
        """Return the suspect if `node` is that call; None for calls inside of it."""
        assert self._slice is not None
        return self._site if node is self._slice.root and isinstance(self._site, Call) else None

    def site(self, node: cst.CSTNode) -> Optional[Site]:
        """Return the suspect, a call or operation, if `node` is that expression; None for expressions inside of it."""
        assert self._slice is not None
        return self._site if node is self._slice.root else None

    def argument(self, name: str) -> Optional[cst.Arg]:
        """Return the argument of the suspect for a parameter, as concrete syntax; None without one."""
        site, read = self._site, self._slice
        given = site.given(name) if isinstance(site, Call) and site.fstring is None else None
        return read.argument(given) if given is not None and read is not None else None

    def report(self, node: Union[cst.CSTNode, ast.expr], message: str, remedy: Optional[Remedy] = None) -> None:
        """Report a node of the visited call (or an `ast` node of the same file), with its remedy.

        Comments on the argument to blame are shown, and suppressions there count; a fix that such a comment may
        contradict is not safe.
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
        switch = conditions.not_by_default(self.program, site) if self.per_program else None
        noted = [switch] if switch is not None else []
        self.findings.append(
            Finding(
                place,
                self.code,
                self.name,
                message,
                end,
                tuple(sorted(lines)),
                made,
                tuple(sorted({*related, *noted, *explained})),
                help=remedy.by_hand if remedy is not None and made is None else "",
            )
        )

    def _explanations(self, arg: cst.Arg) -> list[Related]:
        """Return the comments for people on an argument."""
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
        """Return a fix; it is not safe where it removes a comment, or where a comment has `explained` the code."""
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
    """Return the last words of triggers that a file may call, and of those that create called objects."""
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
    """Return all checks, sorted by code: the modules in `ms_perflint.checks`, and entry points of other packages."""
    return checks_of(frozenset(map(code_of, modules())))


@lru_cache(maxsize=8)
def checks_of(codes: frozenset[str]) -> tuple[type[Check], ...]:
    """Return the checks with these codes, and all of other packages; no other module of this package is loaded."""
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
    # not `issubclass`, which raises TypeError for `tuple[int, ...]` before Python 3.11
    own = [value for value in vars(module).values() if Check in getattr(value, "__mro__", ())]
    return [check for check in own if check.__module__ == name and "code" in vars(check)]


def gain_of(code: str) -> Gain:
    """Return the expected gain of fixing the findings of a rule."""
    return next((check.gain for check in checks() if check.code == code), Gain())
