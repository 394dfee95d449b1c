"""The words that code gives a parser in the place of a command line: `parse_args(words)`, `sys.argv = words`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Optional

from ms_perflint.index.execution_order import is_always_passed, stored
from ms_perflint.index.semantic_index import Binding
from ms_perflint.index.signature import Held, Layer, Signature
from ms_perflint.index.syntax_forms import text_of
from ms_perflint.infer import commandline
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.sequences import whole
from ms_perflint.infer.values import Alternative, Value


class Words(NamedTuple):
    """The words that code gives a parser; they stand in the place of all command lines."""

    words: tuple[Alternative, ...]

    def given(self, flags: Iterable[str]) -> tuple[commandline.Given]:
        """Return the argument that the words pass for an option with these flags."""
        own, found = tuple(flags), commandline.ABSENT
        for position, word in enumerate(self.words):
            flag, sign, text = str(word.constant).partition("=")
            if flag in own:
                then = str(self.words[position + 1].constant) if position + 1 < len(self.words) else "-"
                is_bare = not sign and then.startswith("-")
                behind = None if is_bare else text if sign else then
                found = commandline.Given(behind, is_bare, word.place, True)
            elif any(len(each) == 2 and flag.startswith(each) for each in own):  # `-vv`, `-n5`
                found = commandline.Given(None, False, word.place, True)
        return (found,)


def of_call(evaluator: Evaluator, call: Layer) -> tuple[list[Optional[tuple[Alternative, ...]]], bool]:
    """Return each list of words of `parse_args(["--lr", "0.1"])`, or the one that the program puts into `sys.argv`.

    None for the command line. Also return whether code makes a list of other words.
    """
    given = Signature.named("args").bind(call).of("args").part
    if given is None:
        words, is_open = _of_program(evaluator)
        return [words], is_open
    found: list[Optional[tuple[Alternative, ...]]] = []
    is_open, value = False, evaluator.value(*given)
    for known in value.alternatives:
        parts = whole(evaluator, Value((known,)))
        words = _shown(evaluator, parts) if parts else None
        found += [words] if words not in found else []
        is_open = is_open or (words is None and known.is_display and parts != [])
    return found or [None], is_open


def _of_program(evaluator: Evaluator) -> tuple[Optional[tuple[Alternative, ...]], bool]:
    """Return the words that the program puts into `sys.argv`, None without such; and whether it may put others there.

    Without a flag it only leaves out words of the command line.
    """
    stores = [each for each in evaluator.program.stores("argv") if _is_of_program(evaluator, each)]
    words = None
    if len(stores) == 1 and stores[0].value is not None and is_always_passed(stored(stores[0])):
        words = _shown(evaluator, (whole(evaluator, evaluator.value(stores[0].value, stores[0].scope)) or [])[1:])
    return words, words is None and any(map(_has_flag, stores))


def _has_flag(store: Binding) -> bool:
    """Return whether the statement of a store shows a flag: `sys.argv += ["--lr", "0.1"]`."""
    return any(
        text_of(each).startswith("-") for each in ast.walk(store.stmt or store.node) if isinstance(each, ast.expr)
    )


def _shown(evaluator: Evaluator, parts: Sequence[Held]) -> Optional[tuple[Alternative, ...]]:
    """Return the words of a list; None where not all of them are known."""
    words = [known for part in parts for known in evaluator.read(part).alternatives]
    is_shown = 0 < len(words) == len(parts) and all(isinstance(word.constant, str) for word in words)
    return tuple(words) if is_shown else None


def _is_of_program(evaluator: Evaluator, store: Binding) -> bool:
    """Return whether a store replaces the command line: `sys.argv = words`."""
    is_attribute = isinstance(store.node, ast.Attribute)
    return is_attribute and evaluator.value(store.node.value, store.scope).are(lambda known: known.api == "sys")  # type: ignore[attr-defined]
