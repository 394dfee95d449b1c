"""One setting of an object that comes from outside the code: from the command line or from a config file."""

from __future__ import annotations

from typing import Optional

from ms_perflint.infer import commandline
from ms_perflint.infer.config_sources import sources
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import (
    TOP,
    Alternative,
    Constant,
    Options,
    Tree,
    Value,
    join,
)


def holds(evaluator: Evaluator, known: Alternative, name: object) -> Optional[bool]:
    """Return whether an object that a call makes holds a setting; None where that is not known."""
    made = known.creation
    if made is None or _is_closed(evaluator, known):
        return None
    found = sources(evaluator, made.call, made.scope)
    answers = {evaluator.holds(source, name) if source.by_default else None for source in found}
    return True if True in answers else False if answers == {False} else None


def setting(evaluator: Evaluator, known: Alternative, name: str) -> Value:
    """Return a member of an object that project code or a library made of options or of a config file."""
    return TOP if _is_closed(evaluator, known) else _setting(evaluator, known, name)


def _is_closed(evaluator: Evaluator, known: Alternative) -> bool:
    """Return whether an object is one of a library whose objects hold no settings."""
    return known.type_api.startswith(evaluator.libraries.closed)


@query
def _setting(evaluator: Evaluator, known: Alternative, name: str) -> Value:
    """Return a setting of an object that may hold some."""
    made, special = known.creation, evaluator.libraries.settings.get(known.type_api)
    if made is None or special is not None:
        return special(evaluator, known, name) if special is not None else TOP
    found = sources(evaluator, made.call, made.scope)
    in_files, on_line = (_looked_up(evaluator, found, kind, name) for kind in (Tree, Options))
    if not in_files.alternatives:
        return on_line if on_line.alternatives else TOP
    is_option = any(isinstance(source.what, Options) for source in found)  # the program makes options of its keys
    value = commandline.named(evaluator.program, name, in_files) if is_option else in_files
    defaults = {known.what for known in on_line.by_default} - {Constant(None)}
    if defaults - {known.what for known in in_files.alternatives}:
        return join([value, on_line])  # which of the two comes last is not known
    return value


def _looked_up(evaluator: Evaluator, found: tuple[Alternative, ...], kind: type, name: str) -> Value:
    """Return what the sources of one kind say of a setting."""
    values = [evaluator.item(source, name) for source in found if isinstance(source.what, kind)]
    return join([value for value in values if value.alternatives])
