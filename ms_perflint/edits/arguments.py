"""Set and remove arguments of calls."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ms_perflint.edits.expressions import replace_expression
from ms_perflint.edits.layout import marks, requoted, unit
from ms_perflint.edits.listing import Listing, items
from ms_perflint.index.syntax_forms import Later, spelling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ms_perflint.core.findings import Edit
    from ms_perflint.program.call_site import Call


def set_argument(
    call: Call, name: str, text: str, *, first: bool = False, line_length: int = 88
) -> tuple[Edit, ...] | None:
    """Return the edits that set the parameter `name` to `text`.

    A passed value is replaced in place; otherwise a keyword is added at the end (in
    front with `first`), in the layout of the call. None next to `*args` and `**kwargs` (they may contain the
    parameter), for a bare generator argument (it would need parentheses of its own), and in f-strings.
    """
    if call.fstring is not None:
        return None
    given = call.given(name)
    if given is not None:
        return replace_expression(call.module, given, text)
    return add_arguments(call, {name: text}, first=first, line_length=line_length)


def add_arguments(
    call: Call, words: Mapping[str, str], *, first: bool = False, line_length: int = 88
) -> tuple[Edit, ...] | None:
    """Return the edits that add keywords to a call, at its end or in front, as `set_argument` does."""
    listing = _listing(call)
    if call.is_spread or call.fstring is not None or listing is None or (first and call.node.args):
        return None
    tree, source = call.module.tree, call.module.source
    item = ", ".join(f"{name}={_value(requoted(tree, source, text))}" for name, text in words.items())
    return listing.prepend(item, line_length) if first else listing.append(item, line_length)


def remove_argument(call: Call, name: str, *others: str) -> tuple[Edit, ...] | None:
    """Return the edits that remove the argument of the parameter `name`, and those of other parameters if passed.

    None where it is not passed, where others would move into its position, where a comment would be lost, in f-strings.
    """
    listing = _listing(call) if call.given(name) is not None and call.fstring is None else None
    if listing is None:
        return None
    node, written = call.node, _ordered(call)
    edits: list[Edit] = []
    indices = []
    for given in filter(None, map(call.given, (name, *others))):
        word = next((word for word in node.keywords if word.value is given), None)
        if word is None and (given not in node.args[-1:] or isinstance(given, ast.Starred)):
            return None  # it stands in `**{...}`, or others follow
        indices.append(written.index(word or given))
    for first, last in _runs(sorted(indices)):
        one = listing.joined(first, last)
        removed = one.remove(first) if one is not None else None
        if removed is None:
            return None
        edits += removed
    return tuple(edits)


def _runs(indices: list[int]) -> list[tuple[int, int]]:
    """Return the first and last number of each run of consecutive numbers."""
    found: list[tuple[int, int]] = []
    for index in indices:
        if found and found[-1][1] == index - 1:
            found[-1] = found[-1][0], index
        else:
            found.append((index, index))
    return found


def _listing(call: Call) -> Listing | None:
    """Return the listing of the arguments of a call; None for a bare generator, which shares the brackets.

    And for a call that another one makes: `submit(save, net)`, `Thread(target=save, args=(net,))`, `map(save, nets)`.
    """
    module, node = call.module, call.node
    text, end = module.source.text, module.span(node)[1]
    brackets = marks(text, module.span(node.func)[1], end)
    start = next((offset + 1 for mark, offset in brackets if mark not in ")#"), -1)
    if start < 0 or text[start - 1 : start] != b"(" or isinstance(node, Later):
        return None
    spans = [module.span(value) for value in _ordered(call)]
    if spans and spans[-1][1] == end:
        return None
    close = end - 1
    return Listing(module.source, start, close, items(text, start, close, spans), unit(module.tree, module.source))


def _ordered(call: Call) -> list[ast.AST]:
    """Return positional and keyword arguments in source order."""
    return sorted([*call.node.args, *call.node.keywords], key=call.module.span)


def _value(text: str) -> str:
    """Return the text of a value, in parentheses where `name=` needs them."""
    try:
        call = ast.parse(f"f(x={text})", mode="eval").body
        alone = ast.parse(f"({text})", mode="eval").body
    except SyntaxError:
        return f"({text})"
    return text if spelling(call.keywords[0].value) == spelling(alone) else f"({text})"  # type: ignore[attr-defined]
