"""The dialogue about unsafe fixes: a diff, the effects, and a question with a one-letter answer."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ms_perflint.core.findings import Finding, in_language
from ms_perflint.languages import ENGLISH, Message, say
from ms_perflint.report.patch import coloured
from ms_perflint.report.sources import position
from ms_perflint.report.style import Style

ANSWERS = ("y", "n", "a", "A", "q")
UNSAFE = Message("unsafe")


class Dialogue:
    """The dialogue of a run, with answers for several fixes; quitting, or an interrupt, refuses all later ones."""

    def __init__(self, style: Style, language: str = ENGLISH) -> None:
        self._style = style
        self._language = language
        self._codes: set[str] = set()
        self._all = False
        self._over = False
        self._asked = 0

    def __call__(self, finding: Finding, diff: str, following: Sequence[Finding]) -> bool:
        """Return whether to apply a fix; `following` are the findings after it."""
        if self._over:
            return False
        if self._all or finding.code in self._codes:
            return True
        self._show(in_language(finding, self._language), diff)
        self._asked += 1
        left = sum(each.code not in self._codes for each in following)  # the others are answered
        answer = self._ask(finding.code, self._asked, self._asked + left)
        self._over = answer == "q"
        self._all = answer == "A"
        if answer == "a":
            self._codes.add(finding.code)
        return answer in ("y", "a", "A")

    def _show(self, finding: Finding, diff: str) -> None:
        style = self._style
        click.echo(f"{style(position(finding.place), 'bold')}: {style(finding.code, 'red')} {finding.message}")
        click.echo(coloured(diff, style), nl=False)
        for text in (finding.fix.message, finding.fix.reason) if finding.fix else ():
            if text is not None:
                click.echo(f"{style(say(UNSAFE, self._language), 'yellow')}: {text}")

    def _ask(self, code: str, number: int, most: int) -> str:
        """Return one of the answers; the end of the input and an interrupt mean to quit."""
        message = Message(
            "{number} of {most}: apply this fix? [y]es, [n]o, [a]ll of {code}, [A]ll, [q]uit: ",
            number=number,
            most=most,
            code=code,
        )
        question = say(message, self._language)
        while True:
            try:
                answer = input(question).strip()
            except EOFError:
                click.echo()
                return "q"
            except KeyboardInterrupt:
                said = Message("Interrupted: no more questions; what was agreed to is applied.")
                click.echo(f"\n{say(said, self._language)}")
                return "q"
            if answer in ANSWERS:
                return answer
