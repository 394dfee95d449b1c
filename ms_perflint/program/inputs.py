"""A program as its queries see it: what they ask is noted, as inputs of their answers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, Optional, TypeVar

from ms_perflint.index.semantic_index import SemanticIndex
from ms_perflint.infer.commandline import Given
from ms_perflint.infer.queries import Queries
from ms_perflint.program import callers as answers
from ms_perflint.program.call_graph import CallGraph
from ms_perflint.program.callers import Partials
from ms_perflint.program.command_lines import CommandLines
from ms_perflint.program.program import Program
from ms_perflint.program.running_code import RunningCode
from ms_perflint.resolve.imports import Roots
from ms_perflint.resolve.project import Project
from ms_perflint.resolve.resolver import Resolver

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    from ms_perflint.infer.evaluate import ProgramEvaluator

    Arguments = ParamSpec("Arguments")

Answer = TypeVar("Answer")
Asker = TypeVar("Asker")


def _noted(
    told: Callable[Concatenate[Asker, Arguments], Answer], of: str = ""
) -> Callable[Concatenate[Noted, Arguments], Answer]:
    """Return a method that answers as one of the program does, and notes the question.

    An answer of a query is reused in another program that answers the same. `of`: the attribute of the program with
    the method.
    """
    name = f"{of}{told.__name__}"

    def ask(self: Noted, /, *arguments: Hashable) -> Any:
        return self.queries.input(name, *arguments)

    return ask  # type: ignore[return-value]


class Noted:
    """What queries ask, with a note of each question."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @property
    def queries(self) -> Queries:
        """Return the answers of the program."""
        return self._program.queries


class Inputs(Noted):
    """The questions that the queries of a program ask of it."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.names = Names(program)

    # --- noted, as the program tells it

    is_entry = _noted(Program.is_entry)
    has_file = _noted(Program.has_file)
    import_target = _noted(Program.import_target)
    naming = _noted(Program.naming)
    decorating = _noted(Program.decorating)
    importing = _noted(Program.importing)
    sites = _noted(Program.sites)
    passed_on = _noted(Program.passed_on)
    call_sites = _noted(CallGraph.sites, "code.call_graph.")
    groups = _noted(CallGraph.groups, "code.call_graph.")
    group = _noted(CallGraph.group, "code.call_graph.")
    direct_sites = _noted(CallGraph.direct_sites, "code.call_graph.")
    instance_sites = _noted(CallGraph.instance_sites, "code.call_graph.")
    instance_groups = _noted(CallGraph.instance_groups, "code.call_graph.")
    instance_group = _noted(CallGraph.instance_group, "code.call_graph.")
    decorated_by = _noted(RunningCode.decorated_by, "code.")
    bases_named = _noted(Program.bases_named)
    partials_of = _noted(Partials.of, "partials.")
    partial_escapes = _noted(Partials.escapes, "partials.")
    stores = _noted(RunningCode.stores, "code.")
    all_stores = _noted(RunningCode.all_stores, "code.")
    touching = _noted(RunningCode.touching, "code.")
    config_document = _noted(Program.config_document)
    exported = _noted(CommandLines.exported, "commands.")
    overrides = _noted(CommandLines.overrides, "commands.")
    is_one_run = _noted(CommandLines.is_one_run, "commands.")

    def given(self, flags: Iterable[str]) -> tuple[Optional[Given], ...]:
        """Return what each command that starts the entry script gives to an option with these flags."""
        return self.queries.input("commands.given", tuple(flags))  # type: ignore[no-any-return]

    @property
    def version(self) -> tuple[int, ...]:
        """Return the MindSpore version that the program is for."""
        return self.queries.input("known_version")  # type: ignore[no-any-return]

    # --- the same in all programs

    @property
    def project(self) -> Project:
        """Return all files that were read."""
        return self._program.project

    # --- of this program alone: no other one takes over the answer of a query that reads it

    @property
    def paths(self) -> frozenset[str]:
        """Return the paths of the files."""
        self.queries.is_of_program()
        return self._program.paths

    @property
    def modules(self) -> tuple[SemanticIndex, ...]:
        """Return the modules whose code matters, the entry script first."""
        self.queries.is_of_program()
        return self._program.modules

    # --- queries

    @property
    def evaluator(self) -> ProgramEvaluator:
        """Return what evaluates the expressions of the program."""
        return self._program.evaluator

    callers = answers.callers
    derived = answers.derived
    decorated = answers.decorated


class Names(Noted):
    """What names mean in a program."""

    submodule = _noted(Resolver.submodule, "names.")
    may_give = _noted(Resolver.may_give, "names.")
    imported_files = _noted(Resolver.imported_files, "names.")

    @property
    def roots(self) -> Roots:
        """Return where imports are looked for; the answer of a query that reads it is for this program alone."""
        self.queries.is_of_program()
        return self._program.names.roots
