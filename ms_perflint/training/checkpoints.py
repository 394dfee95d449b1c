"""How a program saves and reads checkpoints."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Optional

from ms_perflint.index.semantic_index import Site
from ms_perflint.index.syntax_forms import word_of
from ms_perflint.infer.queries import query
from ms_perflint.infer.values import Value
from ms_perflint.program.call_site import Call, call_of
from ms_perflint.program.live_code import HOOKS
from ms_perflint.training.training import MODEL_TRAINS, is_callback, words_called
from ms_perflint.training.training_steps import base_apis

if TYPE_CHECKING:
    from ms_perflint.program.program import Program

CONFIG, CALLBACK, SAVE = (
    "mindspore.train.CheckpointConfig",
    "mindspore.train.ModelCheckpoint",
    "mindspore.save_checkpoint",
)
# Calls that read, move or test a file, by their last word
READS = frozenset(
    {
        "load_checkpoint", "load_checkpoint_async", "load_param_into_net", "load", "open", "exists", "isfile",
        "getsize", "stat", "copy", "copy2", "copyfile", "copytree", "move", "rename", "replace", "remove", "unlink",
        "chmod", "system", "upload", "upload_file", "copy_parallel", "sync_data",
    }
)  # fmt: skip
LOADS = frozenset({"load_checkpoint", "load_ckpt", "load_distributed_checkpoint"})
LISTS = frozenset({"listdir", "glob", "iglob", "scandir", "iterdir", "walk", "getmtime", "getctime"})
STEPS_BY_HAND = ("step_end", "on_train_step_end", "epoch_end", "on_train_epoch_end")


def config_of(callback: Call) -> tuple[Optional[Call], bool]:
    """Return the CheckpointConfig call that a ModelCheckpoint is given, and whether it is given none at all."""
    if callback.given("config") is None:
        return None, not callback.is_spread
    value = callback.argument("config")
    if value.must_be(None):
        return None, True
    for known in value.alternatives:
        config = call_of(callback.program, known)
        if config is not None and config.api == CONFIG:
            return config, False
    return None, False


def callbacks_with(program: Program, config: Call) -> list[Site]:
    """Return the calls that make a ModelCheckpoint, or a kind of it that the project defines, with this config."""
    for configured in (_configured, _configured_by_project):
        by_config = configured(program)
        if found := by_config.get(id(config.node)):
            return list(found)
    return []


@query
def _configured(program: Program) -> dict[int, list[Site]]:
    """Return the calls that make a ModelCheckpoint, by the identity of the calls that may make their config."""
    found: dict[int, list[Site]] = {}
    for callback in program.calls(CALLBACK):
        if callback.given("config") is not None:
            _note(found, callback, [callback.argument("config")])
    return found


@query
def _configured_by_project(program: Program) -> dict[int, list[Site]]:
    """Return the same of the kinds of it that the project defines."""
    found: dict[int, list[Site]] = {}
    for site in _own_callbacks(program):
        assert isinstance(site.node, ast.Call)
        given = [*site.node.args, *(keyword.value for keyword in site.node.keywords)]
        _note(found, site, [program.value(argument, site.scope) for argument in given])
    return found


def _note(found: dict[int, list[Site]], site: Site, values: Iterable[Value]) -> None:
    """Note a site under the calls that make what it is given."""
    made_by = (known.creation for value in values for known in value.alternatives)
    for made in dict.fromkeys(id(layer.call) for layer in made_by if layer is not None):
        found.setdefault(made, []).append(site)


def _own_callbacks(program: Program) -> Iterator[Site]:
    """Yield the calls of classes of the project that derive from ModelCheckpoint."""
    for module in program.modules:
        words = module.spelled("ModelCheckpoint")
        for cls in module.scopes:
            if not isinstance(cls.node, ast.ClassDef) or not any(word_of(base) in words for base in cls.node.bases):
                continue
            if CALLBACK in base_apis(program, cls):
                sites = (site for site in program.sites(cls.name) if isinstance(site.node, ast.Call))
                yield from (site for site in sites if program.runs(site))


def unused_config(program: Program, callback: Call) -> Optional[Call]:
    """Return a config made in the function of a callback without config, that no callback is given."""
    for config in program.calls(CONFIG):
        if config.scope.owner is callback.scope.owner and not callbacks_with(program, config):
            return config
    return None


def driven_by_hand(program: Program) -> bool:
    """Return whether the program itself calls the hooks of a ModelCheckpoint: then nothing waits for its writer."""
    for word in STEPS_BY_HAND:
        for site in program.sites(word):
            if isinstance(site.node, ast.Call) and isinstance(site.node.func, ast.Attribute):
                base = program.value(site.node.func.value, site.scope)
                if any(known.type_api == CALLBACK for known in base.alternatives):
                    return True
    return False


def saves_once(config: Call) -> bool:
    """Return whether a config saves after the last epoch only: the steps of an epoch times the epochs of `train`."""
    steps = config.given("save_checkpoint_steps")
    if steps is None:
        return False
    factors = _factors(config, steps)
    if len(factors) < 2:
        return False
    for train in config.program.calls(*MODEL_TRAINS):
        epochs = train.given("epoch")
        if epochs is None:
            continue
        wanted = config.program.value(epochs, train.scope).constants
        for factor in factors:
            if ast.dump(factor) == ast.dump(epochs) or (
                wanted and config.program.value(factor, config.scope).constants == wanted
            ):
                return True
    return False


def _factors(call: Call, node: ast.expr) -> list[ast.expr]:
    """Return the factors of a product, looking through names that are bound once."""
    if isinstance(node, ast.Name):
        bindings = call.scope.owner.bindings.get(node.id, [])
        if len(bindings) == 1 and bindings[0].kind == "assign" and bindings[0].value is not None:
            return _factors(call, bindings[0].value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int" and len(node.args) == 1:
        return _factors(call, node.args[0])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(call, node.left), *_factors(call, node.right)]
    return [node]


def read_later(save: Call) -> bool:
    """Return whether running code loads, copies, moves or tests for the file that a `save_checkpoint` writes."""
    path = save.given("ckpt_file_name")
    if path is None:
        return True
    wanted = _marks(save, path)
    for site in _readers(save.program):
        assert isinstance(site.node, ast.Call)
        given = (*site.node.args, *(keyword.value for keyword in site.node.keywords))
        if any(wanted & _marks(site, argument) for argument in given) and save.program.runs(site):
            return True
    return False


def _readers(program: Program) -> Iterator[Site]:
    """Yield the calls that by their words read, move or look for files; whether they run is not asked."""
    for module in program.modules:
        for word in sorted(READS | LISTS):
            for site in module.by_word.get(word, ()):
                if isinstance(site.node, ast.Call):
                    yield site


def _marks(site: Site, node: ast.expr, depth: int = 0) -> set[str]:
    """Return what tells a path: the expression itself, the names that hold it, file names in it."""
    found = {ast.dump(node)} if not isinstance(node, ast.Constant) else set()
    if isinstance(node, ast.Name) and depth < 4:
        found = {f"{site.scope.owner.name} {node.id}"}
        for binding in site.scope.owner.bindings.get(node.id, ()):
            if binding.kind == "assign" and binding.value is not None:
                found |= _marks(site, binding.value, depth + 1)
        return found
    for part in ast.walk(node):
        if (
            isinstance(part, ast.Constant)
            and isinstance(part.value, str)
            and part.value.endswith((".ckpt", ".safetensors"))
            and len(part.value) > 6
        ):
            found.add(part.value.rpartition("/")[2])
    return found


@query
def read_by_callback(program: Program) -> tuple[bool, bool]:
    """Return whether a callback of the program loads some checkpoint, and whether it looks for files in a folder."""
    loads = lists = False
    for scope in program.reached:
        if scope.is_class and is_callback(program, scope):
            for method in scope.defines:
                if method.name in HOOKS and method.name not in ("begin", "on_train_begin"):
                    words = words_called(program, method)
                    loads = loads or bool(words & LOADS)
                    lists = lists or (bool(words & LISTS) and bool(words & (LOADS | READS)))
    return loads, lists
