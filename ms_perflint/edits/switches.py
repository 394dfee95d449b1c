"""Switching a debugging switch off: at its argument, its statement, or the setting that decides it."""

from __future__ import annotations

import ast

from ms_perflint.core.findings import Related, Remedy, Safety
from ms_perflint.edits.arguments import remove_argument
from ms_perflint.edits.settings import decide
from ms_perflint.edits.statements import delete_statement
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.training.debugging import GRAPHS, Switch, is_named_elsewhere, use_of_graphs

PATH = "save_graphs_path"


def switch_off(call: Call, switch: Switch, line_length: int) -> Remedy:
    """Return the remedy that switches a debugging switch off, as it is by default."""
    remedy = _graded(call, switch)
    given = call.given(switch.argument) if switch.argument else None
    others = {word.arg for word in call.node.keywords} - {switch.argument, PATH}
    is_all = isinstance(given, ast.Constant) and not others and len(call.node.args) <= 1
    if is_all or not switch.argument:
        is_alone = isinstance(call.stmt, ast.Expr) and call.stmt.value is call.node
        return remedy._replace(edits=delete_statement(call.module, call.stmt) if is_alone else None)
    if not isinstance(given, ast.Constant):
        return decide(remedy, call, switch.argument, "False", yaml="false", line_length=line_length)
    also = (PATH,) if switch.effect == GRAPHS else ()
    return remedy._replace(edits=remove_argument(call, switch.argument, *also))


def _graded(call: Call, switch: Switch) -> Remedy:
    """Return a remedy without edits yet: its grade, and the reason."""
    advice = Message("switch it off")
    if switch.effect != GRAPHS:
        return Remedy(None, advice, Safety.UNSAFE, Message("errors are then reported later than where they arise"))
    if (use := use_of_graphs(call, PATH)) is not None:
        related = (Related(use.site.place, Message("the folder of the graphs is used here")),)
        return Remedy(None, advice, Safety.DISPLAY, Message("other code uses the graphs in that folder"), related)
    if is_named_elsewhere(call, PATH):
        return Remedy(None, advice, Safety.UNSAFE, Message("something may read the graphs in that folder"))
    return Remedy(None, advice, Safety.SAFE)
