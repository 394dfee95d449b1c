"""What an update of many settings gives one of them: the part of a mapping, a list or a loop that has its name."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Held
from ms_perflint.index.syntax_forms import beginning, path_of
from ms_perflint.infer import config_files, mappings, sequences, setting_loops
from ms_perflint.infer import update_forms as forms
from ms_perflint.infer.alternatives import ConfigDocument
from ms_perflint.infer.configs import sources
from ms_perflint.infer.evaluator import Evaluator
from ms_perflint.infer.queries import query
from ms_perflint.infer.update_forms import Update
from ms_perflint.infer.values import TOP, Alternative, Value, join


@query(bottom=(), top=(TOP,))
def given(evaluator: Evaluator, update: Update, name: object, scope: Scope) -> tuple[Value, ...]:
    """Return what an update can give a setting: none where it does not change it, several only within a cycle."""
    value = _given(evaluator, update, name, scope)
    return () if value is None else (value,)


def _given(evaluator: Evaluator, update: Update, name: object, scope: Scope) -> Optional[Value]:
    key = getattr(update.key, "value", name)
    is_other = update.word == forms.NAMED and str(key).partition(".")[0] != name
    if is_other or (update.word == forms.SETDEFAULT and key != name):
        return None
    if update.word in (forms.EXEC, forms.NAMED):
        return TOP
    if update.word == forms.INSIDE:
        return TOP if any(path[-1] == name for path in paths(evaluator, update)) else None
    if isinstance(update.key, ast.Constant):
        value = evaluator.value(update.value, scope) if update.value is not None else TOP
        is_given = update.word == forms.SETDEFAULT and path_of(update.receiver) == "os.environ"
        return value._replace(overridable=True) if is_given else value
    made = _made(update.key, scope) if update.loop is None and update.value is not None else None
    if made is not None:
        return _under_text(evaluator, made, update, name, scope)
    if update.key is not None and update.value is not None:
        return _in_loop(evaluator, update.loop, update.value, name, scope)
    if update.word == forms.OWN:
        return _in_mapping(evaluator, Held(update.value, scope), name) if update.value is not None else TOP
    node = update.node
    assert isinstance(node, ast.Call)
    if update.word == forms.LISTED and node.args:
        return _in_list(evaluator, node.args[0], name, scope)
    if update.word in evaluator.libraries.merges:
        return _of_holders(evaluator, config_files.at(evaluator, node.args[0], scope), name) if node.args else TOP
    for keyword in node.keywords:
        if keyword.arg == name:
            return evaluator.value(keyword.value, scope)
    spread = [Held(keyword.value, scope) for keyword in node.keywords if keyword.arg is None]
    for argument in node.args[update.first :]:
        part = Held.of(argument, scope)
        opened = sequences.opened(evaluator, part) if part.is_spread else [part]
        spread += opened if opened is not None else [Held(argument, scope, TOP)]
    parts = [_in_mapping(evaluator, each, name) for each in spread]
    given = [part for part in parts if part is not None]
    return join(given) if given else None


def without(evaluator: Evaluator, update: Update, name: object, scope: Scope) -> tuple[Alternative, ...]:
    """Return the mappings without a setting, of several of which an update takes one: `{"v": 1} if fast else {}`."""
    node = update.node
    given = [update.value] if update.word == forms.OWN else []
    if isinstance(node, ast.Call) and update.key is None and update.word != forms.LISTED:
        given = [*node.args[update.first :], *(each.value for each in node.keywords if each.arg is None)]
    holders = (evaluator.value(each, scope).alternatives for each in given if each is not None)
    several = [known for each in holders if len(each) > 1 for known in each]
    return tuple(known for known in several if mappings.held(evaluator, Value((known,)), name) is False)


def _in_list(evaluator: Evaluator, listed: ast.expr, name: object, scope: Scope) -> Optional[Value]:
    """Return the value of a setting in a list of names and values; None where it has none. A text is parsed again."""
    value = evaluator.value(listed, scope)
    parts = sequences.whole(evaluator, value) if value.default_truth is not False else []
    given: Optional[Value] = TOP if parts is None or len(parts) % 2 else None
    for key, part in zip(parts[::2], parts[1::2]) if parts and given is None else ():
        word = evaluator.read(key).constant
        if not isinstance(word, str) or word.partition(".")[0] == name:
            read = evaluator.read(part)
            is_text = any(isinstance(constant, str) for constant in read.constants)
            given = TOP if word != name or is_text else read
    return join([given or Value(()), Value((), False, True)]) if value.overridable else given


def _in_mapping(evaluator: Evaluator, mapping: Held, name: object) -> Optional[Value]:
    """Return the value of a setting in a mapping of an update; None where it has none."""
    holders = evaluator.read(mapping)
    whats = (known.what for known in holders.alternatives)
    if any(isinstance(what, ConfigDocument) and what.document is not None for what in whats):
        return _of_holders(evaluator, holders, name)
    found = evaluator.read(mapping._replace(taken=(*mapping.taken, name)))
    if found.alternatives or (found.overridable and not found.open):
        return found
    return None if mappings.held(evaluator, holders, name) is False else _of_holders(evaluator, holders, name)


def _in_loop(
    evaluator: Evaluator, loop: Optional[setting_loops.Loop], value: ast.expr, name: object, scope: Scope
) -> Optional[Value]:
    """Return the value that a loop over names of settings gives one of them; None where it does not reach it."""
    if loop is None:
        found = sources(evaluator, value, scope)
        return _of_holders(evaluator, Value(found, not found), name)
    if setting_loops.has(evaluator, loop, name, scope) is False:
        return None
    given = setting_loops.at_key(evaluator, value, loop, name, scope)
    return evaluator.read(given) if given is not None else TOP


def _made(key: Optional[ast.expr], scope: Scope) -> Optional[ast.expr]:
    """Return the expression that puts a name together, `f"layer{i}"`, also behind a name; None for others."""
    node = scope.stood_for(key) if key is not None else None
    is_format = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format"
    return node if is_format or isinstance(node, (ast.JoinedStr, ast.BinOp)) else None


def _under_text(evaluator: Evaluator, key: ast.expr, update: Update, name: object, scope: Scope) -> Optional[Value]:
    """Return the value that a store under such a name gives a setting; None where that has another name."""
    assert update.value is not None
    keys = evaluator.value(key, scope)
    texts = [known.constant for known in keys.alternatives]
    is_known = not keys.open and bool(texts) and all(isinstance(text, str) for text in texts)
    if name not in texts if is_known else not str(name).startswith(beginning(key)):
        return None
    value = evaluator.value(update.value, scope)
    if any(known.definition for known in value.alternatives):
        return TOP  # the assignment graph does not draw functions under such names
    return value if is_known else value._replace(open=True)


def _of_holders(evaluator: Evaluator, holders: Value, name: object) -> Optional[Value]:
    """Return the setting of what is laid over an object; None where it does not have it."""
    values = []
    for known in _last_documents(evaluator, holders.alternatives, name):
        answer = evaluator.holds(known, name)
        if answer is not False:
            values.append(evaluator.item(known, name) if answer else TOP)
    if holders.open or not holders.alternatives:
        values.append(TOP)
    return join(values) if values else None


def _last_documents(evaluator: Evaluator, holders: Sequence[Alternative], name: object) -> list[Alternative]:
    """Return what is laid over an object; of the documents of one file only the last that holds the setting."""
    found: dict[object, Alternative] = {}
    for known in holders:
        what = known.what
        key = (what.path, what.keys) if isinstance(what, ConfigDocument) and what.document is not None else id(known)
        if key not in found or evaluator.holds(known, name):
            found[key] = known
    return list(found.values())


def paths(evaluator: Evaluator, update: Update) -> list[list[str]]:
    """Return the names in a list of names and values that are paths to objects inside of an object."""
    assert isinstance(update.node, ast.Call)
    parts = sequences.whole(evaluator, evaluator.value(update.node.args[0], update.block.scope)) or ()
    paths = [str(evaluator.read(part).constant).split(".") for part in parts[::2]]
    return [path for path in paths if len(path) > 1]
