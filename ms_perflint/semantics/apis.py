"""What calling a name outside of the project gives, where that is more than "an instance of it"."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Optional

from ms_perflint.semantics import lists, records, sequences, spreads, tables
from ms_perflint.semantics.files import importing
from ms_perflint.semantics.module import Scope
from ms_perflint.semantics.operations import combine
from ms_perflint.semantics.settings import commandline, config_files, ini, mappings, options, typed_options
from ms_perflint.semantics.signature import PREPARES, Layer, Signature
from ms_perflint.semantics.values import NO_CONSTANT, OPEN, Api, Constant, Display, Instance, Known, Value, union

if TYPE_CHECKING:
    from ms_perflint.semantics.evaluator import Evaluator

# Methods of a Cell or Primitive that return itself
# (mindspore 2.10 nn/cell.py: to_float, set_train, ...; ops/primitive.py: shard, ...)
FLUENT = frozenset(
    {
        "to_float",
        "set_train",
        "shard",
        "add_prim_attr",
        "set_grad",
        "add_flags",
        "add_flags_recursive",
        "update_parameters_name",
        "set_comm_fusion",
        "to",
        "set_boost",
    }
)
# Methods that give a thing of another type than their own name: last word -> type
RETURNS: Mapping[str, str] = {"convert_to_thor_model": "mindspore.train.Model"}
# Calls that give back what they are given first
PASS_THROUGH = frozenset(
    {
        "copy.copy", "copy.deepcopy", "builtins.vars", "builtins.iter", "mindspore.jit", "mindspore.ms_function",
        "mindspore.common.api.jit", "mindspore.data_sink", "builtins.staticmethod", "pathlib.Path",
        "omegaconf.OmegaConf.to_container", "omegaconf.OmegaConf.to_object",
    }
)  # fmt: skip
MAPPINGS = frozenset(
    {
        "EasyDict",
        "edict",
        "AttrDict",
        "DotDict",
        "Munch",
        "ConfigDict",
        "Dict",
        "DefaultMunch",
        "munchify",
        "CfgNode",
        "CN",
        "SimpleNamespace",
        "Namespace",
        "dict",
        "OrderedDict",
    }
)
LOOKUP = Signature.named("key", "default")  # of `config.get` and `os.getenv`
COPIES = frozenset({"builtins.dict.copy", "builtins.dict.clone"})  # methods of what holds settings
READS = frozenset({"open", "read_text"})  # methods of a path, which is a text here
_CONVERT: Mapping[str, Callable[..., Any]] = {
    "builtins.bool": bool,
    "builtins.int": int,
    "builtins.float": float,
    "builtins.str": str,
    "builtins.max": max,
    "builtins.min": min,
    "ast.literal_eval": ast.literal_eval,
    "builtins.eval": ast.literal_eval,
    "os.path.join": os.path.join,
    "os.path.dirname": os.path.dirname,
    "os.path.basename": os.path.basename,
    "os.path.abspath": os.path.normpath,
    "os.path.realpath": os.path.normpath,
    "os.path.normpath": os.path.normpath,
    "os.path.split": os.path.split,
}
_MEMBERS = ("argparse.", "builtins.open", "click.", "absl.")


def has_members(name: str) -> bool:
    """Return whether members of such an object are calls of the library, and never settings."""
    return name.startswith(_MEMBERS)


def result(evaluator: Evaluator, api: Api, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return what calling an Api gives; None where it is just an instance of it."""
    name = api.name
    word = name.rpartition(".")[2]
    if api.receiver is not None and name.startswith("mindspore.") and word in FLUENT:
        return Value((api.receiver,))
    if word in RETURNS and name.startswith("mindspore."):
        return evaluator.known(Instance(Api(RETURNS[word]), node, scope), node, scope)
    if name == "builtins.list" and not node.args:
        return lists.empty(evaluator, node, scope)
    made = sequences.made_by(evaluator, name, node, scope)
    if made is not None:
        return made
    if name in PREPARES and node.args:
        return _prepared(evaluator, name, node, scope)
    if name in PASS_THROUGH and (given := _first(node)) is not None:
        return evaluator.value(given, scope)
    if name == "builtins.next" and node.args:
        elements, is_open = lists.elements(evaluator, evaluator.value(node.args[0], scope))
        return Value(elements, is_open)
    if name in _CONVERT and node.args and not node.keywords:
        return _converted(evaluator, name, node, scope)
    if (word in MAPPINGS or name == "omegaconf.OmegaConf.create") and not name.startswith("mindspore."):
        return mapping(evaluator, node, scope)
    if name == "omegaconf.OmegaConf.merge":
        is_shown = not any(isinstance(argument, ast.Starred) for argument in node.args)
        return mappings.merged(evaluator, node, node.args, scope) if is_shown else OPEN
    if name == "omegaconf.OmegaConf.structured" and node.args:
        return records.structured(evaluator, node, scope)
    if name == "builtins.getattr" and len(node.args) >= 2:
        return _getattr(evaluator, node, scope)
    if name == "builtins.hasattr" and len(node.args) == 2:
        return _hasattr(evaluator, node, scope)
    if name in ("os.getenv", "os.environ.get"):
        return _environment(evaluator, node, scope)
    if name in config_files.LOADS:
        return config_files.loaded(evaluator, node, scope)
    if name in ("importlib.import_module", "builtins.__import__") and node.args:
        return importing.by_call(evaluator, node, scope, only_top=name == "builtins.__import__")
    if word == typed_options.PARSES and api.receiver is not None:
        objects = typed_options.parsed(evaluator, api.receiver)
        return objects if objects is not None else OPEN
    if word == "parse_args" and api.receiver is not None:
        return options.parsed(api.receiver)
    if word in tables.VIEWS and api.receiver is not None and not node.args:
        return tables.view(evaluator, api.receiver, word)
    if name in COPIES and api.receiver is not None:
        return Value((api.receiver,))
    if word in ini.GETS and api.receiver is not None:
        text = ini.got(evaluator, api.receiver, word, node, scope)
        if text is not None:
            return text
    if word in ("get", "pop") and api.receiver is not None and node.args:
        return _get(evaluator, api.receiver, node, scope)
    if name == "builtins.globals":
        return evaluator.known(scope.module, scope.module.tree, scope)
    if name in ("mindspore.get_context", "builtins.input"):
        return OPEN
    return None


def _prepared(evaluator: Evaluator, name: str, node: ast.Call, scope: Scope) -> Value:
    """Return a function, with the arguments that `partial` passes when that is called."""
    value = evaluator.value(node.args[0], scope)
    layer = Layer(node, scope, 1, name == "functools.partialmethod")
    return value._replace(known=tuple(known._replace(prepared=(*known.prepared, layer)) for known in value.known))


def _first(node: ast.Call) -> Optional[ast.expr]:
    """Return what a call is given first, or as the function that it wraps."""
    given = (keyword.value for keyword in node.keywords if keyword.arg in ("fn", "function"))
    return node.args[0] if node.args else next(given, None)


def _converted(evaluator: Evaluator, name: str, node: ast.Call, scope: Scope) -> Value:
    function = _CONVERT[name]

    def convert(known: tuple[Known, ...]) -> object:
        constants = [each.constant for each in known]
        if NO_CONSTANT in constants:
            return NO_CONSTANT
        try:
            found = function(*constants)
        except Exception:
            return NO_CONSTANT
        return NO_CONSTANT if isinstance(found, (list, dict, set)) else found

    return combine([evaluator.value(arg, scope) for arg in node.args], convert, node, scope)


def mapping(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[Value]:
    """`EasyDict({...})`, `dict(a, b=1)`: the display that it was made of; None where it is made of something else."""
    if len(node.args) == 1 and not node.keywords:
        value = evaluator.value(node.args[0], scope)
        shown = value.known and all(
            isinstance(known.what, Display) and isinstance(known.what.node, ast.Dict) for known in value.known
        )
        return value if shown else sequences.paired(evaluator, node, scope)
    if len(node.args) > 1 or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    parts: list[tuple[Optional[str], ast.expr]] = [(None, argument) for argument in node.args]
    parts.extend((keyword.arg, keyword.value) for keyword in node.keywords)
    return mappings.laid(evaluator, node, parts, scope)


def _getattr(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    names = evaluator.value(node.args[1], scope).constants
    if len(names) != 1 or not isinstance(names[0], str):
        return OPEN
    holders = evaluator.value(node.args[0], scope)
    found = evaluator.members(holders, names[0], node, scope)
    if any(known.api.startswith("mindspore.") or not _is_member(known) for known in found.known):
        return found
    default = evaluator.value(node.args[2], scope) if len(node.args) > 2 else None
    return mappings.with_default(evaluator, holders, names[0], default)


def _is_member(known: Known) -> bool:
    """Return whether it is just "something of that name" of an object."""
    return isinstance(known.what, Api) and known.what.receiver is not None


def _hasattr(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Optional[Value]:
    """Return whether an object that holds settings has one; None for other objects."""
    names = evaluator.value(node.args[1], scope).constants
    if len(names) != 1 or not isinstance(names[0], str):
        return None
    return mappings.membership(evaluator, evaluator.value(node.args[0], scope), names[0], node, scope)


def _environment(evaluator: Evaluator, node: ast.Call, scope: Scope) -> Value:
    """A variable of the environment: what all launchers put there, else its default."""
    given = LOOKUP.bind(Layer(node, scope))
    default, names = (
        spreads.passed(evaluator, given.of("default"), OPEN),
        spreads.passed(evaluator, given.of("key"), OPEN).constants,
    )
    known = len(names) == 1 and isinstance(names[0], str)
    return commandline.variable(evaluator.program.exported(str(names[0])) if known else None, default)


def _any(evaluator: Evaluator, receiver: Known, node: ast.Call, scope: Scope) -> Optional[Value]:
    """`table.get(key, default)` on a table of functions or classes, of which the key is not known."""
    found = tables.any_entry(evaluator, Value((receiver,)))
    return union([found, *(evaluator.value(default, scope) for default in node.args[1:2])]) if found.known else None


def _get(evaluator: Evaluator, receiver: Known, node: ast.Call, scope: Scope) -> Optional[Value]:
    """`config.get("key", default)` on something that holds settings."""
    key = evaluator.value(node.args[0], scope)
    keys = tuple(dict.fromkeys(known.constant for known in key.usual)) if not key.open else ()
    if len(keys) != 1 or keys[0] is NO_CONSTANT:
        return _any(evaluator, receiver, node, scope)
    found = evaluator.item(receiver, keys[0])
    if found.known:
        return Value(found.known, found.open, found.optional or key.optional or len(key.known) > 1)
    missing = evaluator.known(Constant(None), node, scope)
    default = spreads.passed(evaluator, LOOKUP.bind(Layer(node, scope)).of("default"), missing)
    return mappings.with_default(evaluator, Value((receiver,)), keys[0], default)
