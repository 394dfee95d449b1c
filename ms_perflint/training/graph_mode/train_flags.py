"""Changes of the training flag of cells between steps: graph mode keeps the flag of the first step.

Run on 2.10, CPU, a gradient function and a train cell over a BatchNorm: `set_train(False)` after the first epoch, of
the network or of its normalisation alone, acts in PyNative only. Where each step has the flag of the first, as behind a
`set_train()` at the beginning of each epoch, or where nothing switches it on, both modes train the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Optional

from ms_perflint.index.execution_order import happens_before, place
from ms_perflint.index.semantic_index import Site
from ms_perflint.index.syntax_forms import whole_number
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program
from ms_perflint.training.graph_mode.between_steps import acts, is_beside
from ms_perflint.training.graph_mode.compiled import compiled
from ms_perflint.training.graph_mode.obstacle import Obstacle, obstacle
from ms_perflint.training.graph_mode.recreated import is_recompiled_after
from ms_perflint.training.repetition import repeats
from ms_perflint.training.training import running_callers, steps_by_hand, train_sites

# Those that read the flag
_LAYERS = ("BatchNorm", "Dropout", "InstanceNorm", "SyncBatchNorm", "TransformerDecoder", "TransformerEncoder")
_DROPPING = tuple(f"mindspore.nn.{word}" for word in ("GRU", "LSTM", "RNN", "MultiheadAttention", "Transformer"))
_COMPUTED = (ast.Compare, ast.BoolOp, ast.IfExp, ast.UnaryOp, ast.BinOp)
_HOPS = 3  # functions around a call
_SWITCHES_ON = ("build_train_network", "WithGradCell")  # [mindspore 2.10 train/amp.py:789, nn/wrap/cell_wrapper.py:201]


def in_train_flags(program: Program) -> Iterator[Obstacle]:
    """Yield the first call that gives later steps another training flag than the first one has, if layers read it."""
    sets = {each: _flag(program, each) for each in program.sites("set_train") if program.runs(each)}
    if all(sets.values()) or not _is_read(program) or _is_never_on(program, sets.values()):
        return
    on = [each for each, flag in sets.items() if flag]
    for site, flag in sets.items():
        if flag or not acts(program, site) or is_recompiled_after(program, site):
            continue
        if site.base is not None and is_beside(program, site.base, site.scope):
            continue
        if _differs(program, site, on) if flag is False else _varies(site):
            text = Message("graph mode keeps the training flag of the first step: later steps have another one")
            yield obstacle(site.module, site.node, "flag", text)
            return


def _is_never_on(program: Program, flags: Iterable[Optional[bool]]) -> bool:
    """Return whether steps by hand begin with the flag of new cells, which is off, and nothing switches it on."""
    is_off = all(flag is False for flag in flags) and not program.code.stores_anywhere("training")
    if not is_off or len(steps_by_hand(program)) < len(train_sites(program)):
        return False
    return not any(program.project.contains_any(path, _SWITCHES_ON) for path in program.files)


def _flag(program: Program, site: Site) -> Optional[bool]:
    """Return the flag that a call sets; True for one that is restored or passed on, None for one that is computed."""
    given = [*site.call.args, *(word.value for word in site.call.keywords)]
    if not given:
        return True
    known = program.value(given[0], site.scope).truth
    return known if known is not None else None if isinstance(given[0], _COMPUTED) else True


def _is_read(program: Program) -> bool:
    """Return whether running code names layers that read the flag, or compiled code reads it."""
    entry = program.module(program.entry)
    guarded = entry.scope.main if entry is not None else None  # the code that only the entry script runs
    running = (*program.reached, *((guarded,) if guarded is not None else ()))
    named = (word for scope in running for word in (*scope.names, *scope.attrs))
    return (
        any(word.startswith(_LAYERS) for word in named)
        or any(map(_drops, program.calls(*_DROPPING)))
        or any("training" in each.attrs for each in compiled(program))
    )


def _drops(layer: Call) -> bool:
    """Return whether a layer may drop values: not `nn.LSTM(8, 8, dropout=0.3)`, which has one layer, the last."""
    return layer.argument("dropout").truth is not False and not layer.argument("num_layers").must_be(1)


def _varies(site: Site) -> bool:
    """Return whether a computed flag depends on what loops bind, or on a number that is passed: `epoch < 5`."""
    parts = [each for node in (*site.call.args, *site.call.keywords) for each in ast.walk(node)]
    bound = [each for part in parts if isinstance(part, ast.Name) for each in site.scope.lookup(part)]
    is_counted = any(whole_number(each) is not None for each in parts)
    is_passed = is_counted and any(each.kind == "parameter" for each in bound)
    return is_passed or any(each.block.loops or isinstance(each.stmt, ast.For) for each in bound)


def _differs(program: Program, site: Site, on: Sequence[Site]) -> bool:
    """Return whether a call that switches the flag off leaves that to some of the later steps only."""
    steps = [each for each in steps_by_hand(program) if each.scope is site.scope]
    step = next((each for each in steps if _rank(site) < _rank(each)), None)
    if step is None:
        return not _is_reset(program, site, on, _HOPS)
    others = [loop for loop in site.block.loops if loop not in step.block.loops]  # over the cells of a network
    first = others[-1] if others else site.node
    is_always = happens_before(place(getattr(first, "iter", first), site.scope), place(step.node, step.scope))
    return not is_always and not _is_followed(site, on)


def _is_followed(site: Site, on: Sequence[Site]) -> bool:
    """Return whether the flag is switched on again behind a call, wherever that runs."""
    blocks = [*site.block.chain()]
    return any(each.scope is site.scope and each.block in blocks and _rank(each) > _rank(site) for each in on)


def _is_reset(program: Program, site: Site, on: Sequence[Site], hops: int) -> bool:
    """Return whether the flag is switched on again before the next step, or each epoch begins with that."""
    if _is_followed(site, on) or any(repeats(program, each) and not _is_conditional(each) for each in on):
        return True
    found = running_callers(program, site.scope.owner) if hops else []
    return bool(found) and all(_is_reset(program, each, on, hops - 1) for each in found)


def _is_conditional(site: Site) -> bool:
    """Return whether a condition inside of the loops around a call decides whether it runs."""
    inside = {id(node) for node in ast.walk(site.block.loops[-1])} if site.block.loops else None
    tests = (each.owner for each in site.block.chain() if isinstance(each.owner, ast.If))
    return any(inside is None or id(each) in inside for each in tests)


def _rank(site: Site) -> int:
    at = place(site.node, site.scope)
    return at.rank if at is not None else -1
