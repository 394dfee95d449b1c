"""The results of all rules for one program, with the settings under which a rule without findings would report."""

from __future__ import annotations

from collections.abc import Iterator

from ms_perflint import mindspore_api
from ms_perflint.check import checks
from ms_perflint.core.findings import Place
from ms_perflint.facts.data import Verdict
from ms_perflint.linting.linter import Linter
from ms_perflint.program.program import Program
from ms_perflint.training.devices import target_of

FILES = 150  # for a program that is checked again for another target
Found = dict[str, list[tuple[Place, bool]]]  # code -> places, and whether they are hidden


def verdicts(linter: Linter, entry: str) -> tuple[Verdict, ...]:
    """Return the result of each rule for a program, without preview rules that are off."""
    found = _found(linter, entry)
    quiet = tuple(check.code for check in linter.enabled if check.per_program and check.code not in found)
    asked = linter.asked_of(entry)
    gaps = frozenset(asked) if linter.runner.why_unjudged(entry) else linter.runner.gaps(entry, asked).keys()
    others = [(name, _found(other, entry)) for name, other in _otherwise(linter, linter.program(entry), quiet)]
    out = []
    for check in checks():
        if check.preview and check.code not in linter.config.codes:
            continue
        places = sorted(found.get(check.code, ()))
        elsewhere = tuple((name, len(more[check.code])) for name, more in others if not places and check.code in more)
        out.append(
            Verdict(
                check.code,
                check.name,
                tuple(place for place, hidden in places if not hidden),
                tuple(place for place, hidden in places if hidden),
                check.code in linter.config.codes,
                is_judged=bool(places) or check.code not in gaps,
                otherwise=elsewhere,
            )
        )
    return tuple(out)


def _found(linter: Linter, entry: str) -> Found:
    found: Found = {}
    for finding, hidden in linter.of_program(entry):
        found.setdefault(finding.code, []).append((finding.place, hidden))
    return found


def _otherwise(linter: Linter, program: Program, quiet: tuple[str, ...]) -> Iterator[tuple[str, Linter]]:
    """Yield settings that may lead to more findings, each with a linter for it: options of rules, another target."""
    target, newest = target_of(program), mindspore_api.newest()
    if not quiet or len(program.files) > FILES:
        return
    told = linter.config._replace(select=quiet, ignore=(), extend_select=())
    for check in linter.enabled:
        for option, default in check.options.items() if check.code in quiet else ():
            settings = linter.config.options.get(check.code, {})
            if default is False and not settings.get(option):
                options = {**linter.config.options, check.code: {**settings, option: True}}
                one = told._replace(select=(check.code,), options=options)
                yield f"{option} = true", Linter(one, linter.project.files)
    if target.is_cpu:
        yield "--device Ascend", Linter(told._replace(device="Ascend"), linter.project.files)
    if target.version < newest:
        number = ".".join(map(str, newest[:2]))
        yield f"--mindspore-version {number}", Linter(told._replace(mindspore_version=newest), linter.project.files)
