"""What the commands that start a program pass to it: options, settings of config files, variables."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional, Protocol

from ms_perflint.core.facts import fact
from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Site
from ms_perflint.infer.commandline import Given, Setting
from ms_perflint.infer.database import Files
from ms_perflint.program import run_configurations
from ms_perflint.program.run_configurations import RunConfiguration

if TYPE_CHECKING:
    from ms_perflint.program.launchers import Start


class Started(Files, Protocol):
    """A program that commands start."""

    def sites(self, word: str) -> list[Site]:
        """Return the call sites of the program whose callee may be something named `word`."""


class CommandLines:
    """The commands that start the entry script of a program; of a run configuration the one that it is."""

    def __init__(self, program: Started, run: Optional[RunConfiguration], base: Optional[CommandLines]) -> None:
        self.program = program
        self.run = run
        self.base = base  # of the same program, run with its defaults
        self.facts: dict[tuple[object, ...], Any] = {}

    def is_one_run(self) -> bool:
        """Return whether one run alone is judged: an option that it does not pass has its default."""
        return self.run is not None and self.run.is_all

    @cached_property
    def starts(self) -> tuple[Start, ...]:
        """Return the commands of shell scripts that start the entry script."""
        if self.base is not None:
            return self.base.starts
        from ms_perflint.program import launchers

        return launchers.starts(self.program)

    # --- options

    def given(self, flags: Iterable[str]) -> tuple[Optional[Given], ...]:
        """Return what each command that starts the entry script passes for an option with these flags."""
        flags = tuple(flags)
        given = self.run.given(flags) if self.run is not None else None
        if given is None and (self.run is None or self.run.is_rest_open):
            return tuple(start.given(flags) or self._shortened(start.flags, flags) for start in self.starts)
        if given is None and self.run is not None:
            given = self._shortened(self.run.flags, flags)
        return (given,)

    def _shortened(self, given: Mapping[str, Given], flags: tuple[str, ...]) -> Optional[Given]:
        return run_configurations.shortened(given, flags, self._declared_flags)

    @fact
    def _declared_flags(self) -> frozenset[str]:
        """Return the flags that calls of `add_argument` declare by name."""
        nodes = [site.node for site in self.program.sites("add_argument")]
        given = (each for node in nodes if isinstance(node, ast.Call) for each in node.args)
        texts = (each.value for each in given if isinstance(each, ast.Constant))
        return frozenset(text for text in texts if isinstance(text, str) and text.startswith("-"))

    # --- settings

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Return the `key=value` that the run passes to an option, as settings of its config files: `-o key=value`."""
        return self.run.settings if self.run is not None and not self.run.is_rest_open else self._agreed

    def overrides(self) -> tuple[Setting, ...]:
        """Return the `key=value` among the arguments of the run configuration."""
        return self.run.overrides if self.run is not None and not self.run.is_rest_open else self._agreed

    @property
    def _agreed(self) -> tuple[Setting, ...]:
        """Return the `key=value` that all commands that start the entry script pass."""
        several = dict.fromkeys(run_configurations.said(start.settings) for start in self.starts)
        return self.starts[0].settings if len(several) == 1 else ()

    # --- variables of the environment

    def exported(self, variable: str) -> Optional[tuple[str, Place]]:
        """Return the value that all launchers export for a variable, with its place; None where they differ."""
        one = self.run.start if self.run is not None else None
        values = [start.exported(variable) for start in ((one,) if one is not None else self.starts)]
        first = values[0] if values else None
        return first if first and all(value is not None and value[0] == first[0] for value in values) else None
