"""Options with computed names: added in a loop over settings, or by a function for one option."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.signature import Layer
from ms_perflint.index.syntax_forms import keywords_of
from ms_perflint.infer import commandline, setting_loops
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.values import BOTTOM, TOP, Value, join


def option(evaluator: Evaluator, asked: commandline.Asked, sites: Sequence[Site], name: str) -> Value:
    """Return the value of an option among those that some sites add under computed names."""
    values = []
    for site in sites:
        default = keywords_of(site.call).get("default")
        if default is None:
            continue
        loop = _loop(site.module, site)
        if loop is not None:
            values.append(_of_loop(evaluator, site, loop, default, name))
        else:
            calls = _calls(evaluator, site, name)
            values.extend(evaluator.value(default, inner) for is_it, inner in calls if is_it)
    known = [Value(value.alternatives, value.open, True) for value in values if value.alternatives]
    return join([commandline.named(asked, name, value) for value in known] or [BOTTOM])


def adds(evaluator: Evaluator, site: Site, name: str) -> Optional[bool]:
    """Return whether a site adds an option under a computed name; None where that is not known."""
    loop = _loop(site.module, site)
    if loop is not None:
        return setting_loops.has(evaluator, loop, name, site.scope)
    answers = {is_it for is_it, _ in _calls(evaluator, site, name)}
    return True if True in answers else None if None in answers or not answers else False


def _of_loop(evaluator: Evaluator, site: Site, loop: setting_loops.Loop, default: ast.expr, name: str) -> Value:
    """Return the default of an option that a loop over names adds: `default=settings[key]`."""
    if setting_loops.has(evaluator, loop, name, site.scope) is False:
        return BOTTOM
    given = setting_loops.at_key(evaluator, default, loop, name, site.scope)
    return evaluator.read(given) if given is not None else TOP


@fact
def _loop(module: SemanticIndex, site: Site) -> Optional[setting_loops.Loop]:
    """Return the loop over names whose variable is part of the flag of a site of a file; None without one."""
    for flag in site.call.args[:1]:
        for node in ast.walk(flag):
            loop = setting_loops.of_key(node, site.block) if isinstance(node, ast.Name) else None
            if loop is not None:
                return loop
    return None


def _calls(evaluator: Evaluator, site: Site, name: str) -> Iterator[tuple[Optional[bool], Scope]]:
    """Yield for each call of the function around a site whether it adds the option (None: unknown), and its context."""
    function = site.scope
    if not function.is_function or not site.call.args or isinstance(site.call.args[0], ast.Constant):
        return
    for caller in evaluator.program.callers(function):
        entered = evaluator.call_context(function, Layer(caller.call, caller.scope), caller.scope)
        flags = evaluator.value(site.call.args[0], entered)
        if flags.open or len(flags.constants) != 1 or not isinstance(flags.constants[0], str):
            yield None, entered
        else:
            yield flags.constants[0].lstrip("-").replace("-", "_") == name, entered
