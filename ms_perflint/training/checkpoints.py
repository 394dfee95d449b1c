"""How a program saves and reads checkpoints."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, Optional

from ms_perflint.core.facts import fact
from ms_perflint.index.semantic_index import LOOPS, Scope, Site
from ms_perflint.index.signature import Part
from ms_perflint.index.syntax_forms import TRY, spelling, word_of
from ms_perflint.index.syntax_forms import given as all_given
from ms_perflint.infer.queries import query
from ms_perflint.program.call_site import Call, call_of
from ms_perflint.program.program import Program
from ms_perflint.training import conditions
from ms_perflint.training.bases import base_apis
from ms_perflint.training.callbacks import collected, is_by_epoch
from ms_perflint.training.factors import has_factor
from ms_perflint.training.followed import is_dropped
from ms_perflint.training.mode import training_starts
from ms_perflint.training.pipelines import steps as steps_of
from ms_perflint.training.repetition import repeats
from ms_perflint.training.step_loops import is_each_step
from ms_perflint.training.training import MODEL_TRAINS, scopes_above, train_sites

if TYPE_CHECKING:
    from ms_perflint.infer.path_values import Path
    from ms_perflint.training.file_uses import Use

CONFIG, CALLBACK, SAVE = (
    "mindspore.train.CheckpointConfig",
    "mindspore.train.ModelCheckpoint",
    "mindspore.save_checkpoint",
)
# Of a ModelCheckpoint: the file that is being written, and the attribute in which it is kept
LATEST = frozenset({"latest_ckpt_file_name", "_latest_ckpt_file_name"})
STEPS_BY_HAND = ("step_end", "on_train_step_end", "epoch_end", "on_train_epoch_end")


def config_of(callback: Call) -> tuple[Optional[Call], bool]:
    """Return the CheckpointConfig call of a ModelCheckpoint, None where it is not known; and whether it has none."""
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
    """Return the calls that make a ModelCheckpoint, or an object of a class derived from it, with a config."""
    return _configured(program).get(id(config.node), [])


@query
def _configured(program: Program) -> dict[int, list[Site]]:
    """Return the calls that make a ModelCheckpoint, by the identity of the call that makes their config."""
    found: dict[int, list[Site]] = {}
    for site in (*program.calls(CALLBACK), *_own_callbacks(program)):
        given = (program.value(each, site.scope) for each in all_given(site.call))
        own = [site.argument("config")] if isinstance(site, Call) else given
        made_by = (known.creation for value in own for known in value.alternatives)
        for made in dict.fromkeys(id(layer.call) for layer in made_by if layer is not None):
            found.setdefault(made, []).append(site)
    return found


def _own_callbacks(program: Program) -> Iterator[Site]:
    """Yield the running calls of classes of the project that derive from ModelCheckpoint."""
    for module in program.modules:
        classes = [cls for word in sorted(module.aliases("ModelCheckpoint")) for cls in module.derived.get(word, ())]
        for cls in classes:
            sites = program.sites(cls.name) if CALLBACK in base_apis(program, cls) else ()
            yield from filter(program.runs, sites)


def is_synchronous(call: Call) -> bool:
    """Return whether the call leaves `async_save` off, its default."""
    if call.api == CALLBACK:
        return config_of(call)[1]
    return call.argument("async_save").is_by_default(False)


def saves_repeatedly(call: Call) -> bool:
    """Return whether the call, or the callback that it makes or configures, saves per step or per epoch."""
    if call.api == SAVE:
        return repeats(call.program, call)
    program = call.program
    if call.api == CALLBACK:
        site = call.module.site_at(call.node)
        return (site is None or not _is_dropped(program, site)) and not saves_once(call)
    callbacks = callbacks_with(program, call)
    return not all(_is_dropped(program, each) for each in callbacks) and not saves_once(call)


def _is_dropped(program: Program, site: Site) -> bool:
    """Return whether the callbacks of all trainings are known, and a call makes none, or no code reads its result."""
    taken = _taken(program)
    return (taken is not None and id(site.node) not in taken) or is_dropped(program, site)


@fact
def _taken(program: Program) -> Optional[frozenset[int]]:
    """Return the calls that make the callbacks of all trainings, by identity; None where there may be others."""
    trains = program.calls(*MODEL_TRAINS)
    found = [collected(train) for train in trains]
    made = [known.creation for each, _ in found for known in each]
    is_open = None in made or any(is_open for _, is_open in found) or len(trains) < len(train_sites(program))
    if not trains or is_open or steps_by_hand(program):
        return None
    return frozenset(id(layer.call) for layer in made if layer is not None)


def saves_each_step(call: Call) -> bool:
    """Return whether the call saves after each step: then writing in the background gains nothing."""
    if call.api == SAVE:
        return is_each_step(call.program, call)
    if call.given("save_checkpoint_seconds") is not None:
        return False
    if call.api == CONFIG and not call.argument("save_checkpoint_steps").is_by_default(1):
        return False
    return not any(train.argument("dataset_sink_mode").may_be(True) for train in call.program.calls(*MODEL_TRAINS))


def is_refused(call: Call) -> bool:
    """Return whether MindSpore raises an error for the format of the call with `async_save`.

    mindspore 2.4 train/callback/_checkpoint.py:100, 2.5 train/serialization.py:601; run on a build of 2.5.
    """
    has_format = call.api in (CONFIG, SAVE)
    return has_format and (2, 4) <= call.program.version < (2, 6) and call.argument("format").may_be("safetensors")


def unused_config(program: Program, callback: Call) -> Optional[Call]:
    """Return a config in the function of a callback without config that no callback is given; None without one."""
    for config in program.calls(CONFIG):
        if config.scope.owner is callback.scope.owner and not callbacks_with(program, config):
            return config
    return None


def steps_by_hand(program: Program) -> list[Site]:
    """Return where the program itself calls hooks of a ModelCheckpoint: then nothing waits for its writer."""
    found = []
    for word in STEPS_BY_HAND:
        for site in program.sites(word):
            known = program.value(site.base, site.scope).alternatives if site.base is not None else ()
            if any(each.type_api == CALLBACK for each in known):
                found.append(site)
    return found


def saves_once(call: Call) -> bool:
    """Return whether a config, or a callback without one, saves only after the last epoch of a training.

    `Model.train` waits for the writer at its end (mindspore 2.10 train/callback/_checkpoint.py:604).
    """
    trains = call.program.calls(*MODEL_TRAINS)
    steps = call.given("save_checkpoint_steps") if call.api == CONFIG else None
    is_whole = call.api == CONFIG and is_by_epoch(call)
    once = (_is_one_epoch(train, is_whole) or (call.api == CONFIG and _is_last_step(call, train)) for train in trains)
    if trains and all(once) and not call.is_spread:
        return True
    if steps is None:
        return False
    return has_factor(call.program, Part(steps, call.scope), lambda each: any(_is_as_long(each, t) for t in trains))


def _is_last_step(config: Call, train: Call) -> bool:
    """Return whether a training is known to have no more steps than there are between two checkpoints."""
    given, count = (config.argument("save_checkpoint_steps"), train.argument("epoch")), steps_of(train)
    known = [each.constant for each in given if isinstance(each.constant, int) and not each.overridable]
    return len(known) == 2 and count is not None and 0 < known[1] * count <= known[0]


def _is_one_epoch(train: Call, is_whole: bool) -> bool:
    """Return whether a training has one epoch, and saves once: by epochs (`is_whole`), or sunk as a whole."""
    is_sunk = train.argument("dataset_sink_mode").must_be(True) and train.given("sink_size") is None
    return train.argument("epoch").must_be(1) and (is_whole or is_sunk)


def _is_as_long(factor: Part, train: Call) -> bool:
    """Return whether the steps between two checkpoints have the number of epochs of a training as a factor."""
    epochs = train.given("epoch")
    wanted = train.argument("epoch").constants
    is_same = epochs is not None and spelling(factor.node) in map(spelling, _divided(epochs))
    return is_same or (bool(wanted) and train.program.value(*factor).constants == wanted)


def _divided(number: ast.expr) -> Iterator[ast.expr]:
    """Yield a number, and those of which it is a part: `n` of `int(n / repeat)`."""
    yield number
    if isinstance(number, ast.BinOp) and isinstance(number.op, (ast.Div, ast.FloorDiv)):
        yield from _divided(number.left)
    elif isinstance(number, ast.Call) and word_of(number.func) == "int" and len(number.args) == 1:
        yield from _divided(number.args[0])


def is_saved_before(program: Program, load: Optional[ast.AST]) -> bool:
    """Return whether `save_checkpoint` has written each file that a call can load, surely and in the same run.

    A ModelCheckpoint does not count: where its folder holds files of an earlier run, it takes other names
    (mindspore 2.10 train/callback/_checkpoint.py:535).
    """
    saves = program.calls(SAVE)
    if not saves:
        return False
    from ms_perflint.infer.path_values import components  # here, because few programs save per step or epoch
    from ms_perflint.training.file_uses import uses

    found = [use for use in uses(program) if use.site.node is load]
    written = [(save, path) for save in saves for path in _written(save)]
    return bool(found) and all(
        any(
            components(path.pieces) == components(use.path.pieces)
            and path.is_one_with(use.path)
            and _precedes(save, use.site)
            for save, path in written
        )
        for use in found
    )


def _precedes(save: Call, site: Site) -> bool:
    """Return whether a save has run at least once, with the default options, on each path to a site."""
    program = save.program
    is_often = bool(save.block.loops) or repeats(program, save, even_once=True)
    at, then = program.position(save), program.position(site)
    first = training_starts(program) if at is None and is_often else at  # the training calls the hooks of a callback
    if first is None or then is None or first >= then:
        return False
    by_default = [
        [(each, conditions.by_default(program, each)) for each in path]
        for path in conditions.path_conditions(program, save)
    ]
    needed = [
        [each for each, is_by_default in path if is_by_default is False or not (is_by_default or is_often)]
        for path in by_default
    ]
    return all(any(set(path) <= set(own) for path in needed) for own in conditions.path_conditions(program, site))


def _written(save: Call) -> list[Path]:
    """Return the files that a `save_checkpoint` writes."""
    return [name for path in _given(save, "ckpt_file_name") for name in _names(path)]


def _names(path: Path) -> tuple[Path, ...]:
    """Return the paths of the file of a save: with the ending that it adds, and as given, which other code uses.

    The ending: mindspore 2.10 train/serialization.py:751.
    """
    last = path.pieces[-1] if path.pieces else None
    is_whole = not isinstance(last, str) or last.endswith((".ckpt", ".safetensors"))
    return (path,) if is_whole else (path.added(type(path)((".ckpt",))), path)


def retry(save: Call) -> Optional[ast.Try]:
    """Return the `try` around a save that catches its errors: it would not catch those of a thread."""
    for block in save.block.chain():
        if isinstance(block.owner, LOOPS):
            return None
        if isinstance(block.owner, ast.Try) and block.arm == "body":
            caught = [word_of(each.type) if each.type is not None else "" for each in block.owner.handlers]
            if any(name != "KeyboardInterrupt" for name in caught):
                return block.owner
    return None


class Reads(NamedTuple):
    """The use of a file of a ModelCheckpoint before its writer is done."""

    use: Optional[Use] = None  # of one of its files, or of its folder
    unknown: Optional[Use] = None  # of a checkpoint that may be one of its files


def use_of(call: Call) -> Reads:
    """Return the use of the files that a call writes, or leads to, before they are complete.

    Nothing waits for the writer of a `save_checkpoint`. `Model.train` waits for that of a ModelCheckpoint at its end,
    so that only callbacks read before that. Where the program calls the hooks itself, or an error ends the training,
    nothing waits.
    """
    from ms_perflint.training.file_uses import use_after, uses_in_training  # here, as above

    program = call.program
    if call.api == SAVE:
        return Reads(use_after(program, call, _written(call)))
    callbacks = [call] if call.api == CALLBACK else callbacks_with(program, call)
    written = [path for callback in callbacks for path in _files(program, callback)]
    for site in steps_by_hand(program):
        if (use := use_after(program, site, written)) is not None:
            return Reads(use)
    inside = uses_in_training(program)
    for use in (*inside, *_unawaited(program)):
        if any(use.is_of(path) for path in written):
            return Reads(use)
    unknown = [use for use in inside if use.is_unknown]
    if (found := next((use for use in unknown if _is_of_latest(program, use)), None)) is not None:
        return Reads(found)
    loads = [use for use in unknown if use.loads]
    if loads and (found := next((use for use in unknown if use.verb == "listed"), None)) is not None:
        return Reads(found)
    return Reads(None, loads[0] if loads else None)


def _is_of_latest(program: Program, use: Use) -> bool:
    """Return whether a function that uses a file, or a method that calls it, reads which file is being written."""
    above = scopes_above(program, (use.site,))
    return any(scope.attrs & LATEST for scope in above if scope.cls is not None or scope is use.site.scope.owner)


@fact
def _unawaited(program: Program) -> tuple[Use, ...]:
    """Return the uses that wait for no writer: behind an error in a training, and in a hook ahead of its last one."""
    from ms_perflint.training.file_uses import uses  # here, as above

    around = [each for train in program.calls(*MODEL_TRAINS) for each in train.block.chain()]
    tried = {id(each.owner) for each in around if isinstance(each.owner, TRY) and each.arm == "body"}
    ahead = set(_ends_ahead(program))
    found = [(use, use.site.block.chain()) for use in uses(program)] if tried or ahead else []
    return tuple(
        use
        for use, blocks in found
        if use.site.scope.owner in ahead or any(id(each.owner) in tried and each.arm != "body" for each in blocks)
    )


def _ends_ahead(program: Program) -> Iterator[Scope]:
    """Yield the last hooks of callbacks that stand ahead of a ModelCheckpoint, which waits in its own last hook."""
    for train in program.calls(*MODEL_TRAINS):
        held = collected(train)[0]
        apis = [known.type_api for known in held]
        for known in held[: apis.index(CALLBACK)] if CALLBACK in apis else ():
            if known.cls is not None:
                yield from (each for each in known.cls.defines if each.name in ("end", "on_train_end"))


def _files(program: Program, callback: Site) -> list[Path]:
    """Return the files that a ModelCheckpoint writes: `folder/prefix-1_1875.ckpt`, `folder/prefix_1-1_1875.ckpt`."""
    from ms_perflint.infer.path_values import ANY, Path  # here, as above

    bound, found = Call(callback, program, CALLBACK), []
    for folder in _given(bound, "directory") or (Path(()),):
        for prefix in _given(bound, "prefix") or (Path(("CKP",)),):
            name = prefix.added(Path((ANY, "-", ANY, "_", ANY, ".ckpt")))
            found.append(folder.added(name, "/") if folder.pieces else name)
    return found


def _given(callback: Call, name: str) -> tuple[Path, ...]:
    from ms_perflint.infer.paths import paths  # here, as above

    given = callback.given(name)
    return paths(callback.program.evaluator, given, callback.scope) if given is not None else ()
