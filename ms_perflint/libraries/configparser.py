"""Library model of configparser: the settings in the files that a parser reads, as strings or converted."""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Scope
from ms_perflint.index.signature import Layer, Signature
from ms_perflint.infer import config_files, mappings
from ms_perflint.infer.alternatives import Api
from ms_perflint.infer.computing import combine
from ms_perflint.infer.evaluator import Evaluator, Library
from ms_perflint.infer.values import BOTTOM, NO_CONSTANT, TOP, Alternative, Value, join

PARSERS = frozenset({"configparser.ConfigParser", "configparser.RawConfigParser", "configparser.SafeConfigParser"})
READ = "read"
GETS = ("get", "getboolean", "getint", "getfloat")


def _section(evaluator: Evaluator, parser: Alternative, name: object) -> Value:
    """Return a section of the file that a parser reads; TOP for no file, several, or an unknown one."""
    found = []
    for site in evaluator.program.sites(READ):
        if site.base is None or not site.call.args:
            continue
        if parser.identity in evaluator.value(site.base, site.scope).identities:
            found.append(config_files.at(evaluator, site.call.args[0], site.scope))
    if len(found) != 1 or found[0].open:
        return TOP
    return join([evaluator.item(known, name) for known in found[0].alternatives])


def _got(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return the result of `parser.getint("section", "key")` and `section.getint("key")`; None for other objects."""
    receiver, word = api.receiver, api.name.rpartition(".")[2]
    if receiver is None:
        return None
    if receiver.type_api in PARSERS and len(node.args) > 1:
        names = evaluator.value(node.args[0], scope).constants
        holder = _section(evaluator, receiver, names[0]) if len(names) == 1 else TOP
        key = node.args[1]
    elif receiver.document and word != "get" and node.args:
        holder, key = Value((receiver,)), node.args[0]
    else:
        return None if receiver.type_api not in PARSERS else TOP
    keys = evaluator.value(key, scope).constants
    if len(keys) != 1 or not isinstance(keys[0], str) or holder.open:
        return TOP
    name = keys[0].lower()
    found = join([evaluator.item(known, name) for known in holder.alternatives])
    if not found.alternatives:
        fallback = Signature.named(words=["fallback"]).bind(Layer(node, scope)).of("fallback")
        default = None if fallback.is_default else evaluator.passed(fallback, BOTTOM)
        return mappings.with_default(evaluator, holder, name, default)
    return combine(evaluator, [found], lambda known: _converted(word, known[0].constant), node, scope)


def _converted(word: str, constant: object) -> object:
    """Return a string converted by the method of that name."""
    if not isinstance(constant, str) or word == "get":
        return constant
    try:
        if word == "getboolean":
            import configparser  # here, because few programs read such files

            return configparser.ConfigParser.BOOLEAN_STATES[constant.lower()]
        return int(constant) if word == "getint" else float(constant)
    except (KeyError, ValueError):
        return NO_CONSTANT


MODEL = Library(calls=dict.fromkeys((f".{name}" for name in GETS), (_got,)), settings=dict.fromkeys(PARSERS, _section))
