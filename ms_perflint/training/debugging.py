"""Switches for debugging: who asks for them, and who reads what they write."""

from __future__ import annotations

import ast

from ms_perflint.program.call_site import Call
from ms_perflint.training import mode


def is_asked_for(call: Call) -> bool:
    """Return whether only those get to a call who ask for it: behind a flag that is off, or a test of the mode."""
    return call.is_optional or mode.is_opt_in(call.program, call)


def is_named_elsewhere(call: Call, parameter: str) -> bool:
    """Return whether what is passed for a parameter, a path, may be named by other code of the program too.

    No where nothing is passed: the place is the framework's then.
    """
    given = call.given(parameter)
    if given is None:
        return False
    text = call.argument(parameter).constant
    if not isinstance(given, ast.Constant) or not isinstance(text, str):
        return True
    word = text.strip("./").encode()
    return not word or sum(module.source.text.count(word) for module in call.program.all_modules) > 1
