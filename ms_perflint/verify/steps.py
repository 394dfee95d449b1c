"""The timing of training steps in a measured program; placed beside `sitecustomize.py`, see hooks.py.

It writes lines of JSON into a file for each training process, and ends the process after a number of steps.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import random
import sys
import time
import types
from collections.abc import Mapping
from typing import Any, Callable, Optional

ENOUGH = 3  # least number of intervals, whatever the number of steps in each
TOGETHER = 5  # steps of an accelerator between two synchronisations: host and device overlap in between
DEPTH = 4  # levels of calls below a compiled function


class Recorder:
    """The timer of this process's training steps.

    A step is a call of the object that updated parameters first: an optimizer, a cell with an optimizer, or a compiled
    function that uses one. Of two adversarial networks, one counts.
    """

    def __init__(self, mindspore: Any, settings: Mapping[str, Any]) -> None:
        self.mindspore = mindspore
        self.settings = settings
        self.file: Any = None
        self.depth = 0  # depth of nested training calls
        self.model_trains = False  # whether a callback of `Model` records the steps
        self.leader: object = None
        self.trains: dict[object, tuple[bool, object]] = {}  # called object -> whether it trains
        self.value: object = None  # result of the function that was last differentiated
        self.waiting: list[object] = []  # losses not read yet
        self.steps = 0
        self.told = 0  # number of steps in the file
        self.intervals = 0
        self.clock: Optional[tuple[float, float]] = None  # start of the first step, or end of the last interval

    def start(self) -> None:
        """Record a possible start of the first step."""
        if self.clock is None:
            self.clock = _now()

    def install(self) -> None:
        """Put the hooks into MindSpore."""
        _seed(self.mindspore)
        cell = self.mindspore.nn.Cell
        cell.__call__ = self._outermost(cell.__call__, self._cell_trains, id)
        for name in ("mindspore.graph.api", "mindspore.common.api"):
            module = sys.modules.get(name)
            for executor in ("_JitExecutor", "_MindsporeFunctionExecutor"):
                found = getattr(module, executor, None)
                if found is not None and found.__module__ == name:
                    found.__call__ = self._outermost(found.__call__, self._function_trains, _code)
        self._hook_gradients()
        self._hook_model()
        hook = sys.excepthook

        def failed(kind: type[BaseException], error: BaseException, trace: Optional[types.TracebackType]) -> None:
            self.failed(kind, error)
            hook(kind, error, trace)

        sys.excepthook = failed
        atexit.register(self.end)

    def _hook_gradients(self) -> None:
        """Record the results of functions that are differentiated op by op."""
        executor = type(self.mindspore.common.api._pynative_executor)
        begin, end = executor.new_graph, executor.end_graph

        @functools.wraps(begin)
        def begun(*arguments: Any, **named: Any) -> Any:
            self.start()
            return begin(*arguments, **named)

        @functools.wraps(end)
        def ended(executor: Any, function: Any, output: object, *arguments: Any, **named: Any) -> Any:
            self.value = output
            return end(executor, function, output, *arguments, **named)

        executor.new_graph, executor.end_graph = begun, ended

    def _hook_model(self) -> None:
        """Add a callback to each training of a `Model`."""
        model, base = self.mindspore.train.Model, self.mindspore.train.Callback
        transform = getattr(model, "_transform_callbacks", None)
        if transform is None:
            return
        recorder = self

        class Steps(base):  # type: ignore[misc,valid-type]
            """Tells the steps."""

            def on_train_begin(self, run_context: Any) -> None:
                recorder.model_trains = True
                recorder.start()

            def on_train_step_end(self, run_context: Any) -> None:
                told = run_context.original_args()
                steps = told.cur_step_num - getattr(self, "steps", 0)
                self.steps = told.cur_step_num
                recorder.step(told.net_outputs, max(1, steps))

            def on_train_end(self, run_context: Any) -> None:
                recorder.model_trains = False

        model._transform_callbacks = staticmethod(lambda callbacks: [*transform(callbacks), Steps()])

    def _outermost(
        self, call: Callable[..., Any], trains: Callable[[Any], bool], key: Callable[[Any], object]
    ) -> Callable[..., Any]:
        """Return a method that records a step at the end of an outermost training call."""
        recorder = self

        @functools.wraps(call)
        def measured(caller: Any, *arguments: Any, **named: Any) -> Any:
            if recorder.depth or recorder.model_trains:
                return call(caller, *arguments, **named)
            who = key(caller)
            if who not in recorder.trains:
                recorder.trains[who] = (trains(caller), caller)  # held, so that no id is reused
            gives_gradient = getattr(getattr(caller, "fn", None), "__name__", "") == "after_grad"
            if gives_gradient or recorder.trains[who][0]:
                recorder.start()
            if not recorder.trains[who][0]:
                found = call(caller, *arguments, **named)
                recorder.value = found if gives_gradient else recorder.value
                return found
            recorder.depth += 1
            value = recorder.value
            try:
                found = call(caller, *arguments, **named)
            finally:
                recorder.depth -= 1
            recorder.leader = recorder.leader or who
            if recorder.leader == who:
                recorder.step(value if _is_optimizer(caller) else found, 1)
            return found

        return measured

    def _cell_trains(self, cell: Any) -> bool:
        return _is_optimizer(cell) or any(_is_optimizer(each) for _, each in cell.cells_and_names())

    def _function_trains(self, executor: Any) -> bool:
        return _uses_optimizer(executor.fn, getattr(executor, "obj", None), DEPTH)

    # --- output

    def step(self, outputs: object, steps: int) -> None:
        """Record finished steps, and end the process after the last requested one."""
        self.steps += steps
        self.waiting.append(outputs)
        last = self.steps >= self.settings["steps"] and self.intervals + 1 >= ENOUGH
        device = self.mindspore.get_context("device_target")
        if last or self.told == 0 or device == "CPU" or self.steps - self.told >= TOGETHER:
            _wait(self.mindspore, device)
            self.tell(device)
        if last:
            self.end()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)

    def tell(self, device: str) -> None:
        """Write the time of the steps since the last record, and their losses."""
        wall, cpu = (end - start for start, end in zip(self.clock or _now(), _now()))
        losses = list(map(_loss, self.waiting))
        self.write({"steps": self.steps - self.told, "wall": wall, "cpu": cpu, "losses": losses})
        if self.told == 0:
            self.write({"device": _device(self.mindspore, device), "mindspore": self.mindspore.__version__})
        self.intervals += 1
        self.told = self.steps
        self.waiting = []
        self.clock = _now()

    def write(self, line: Mapping[str, object]) -> None:
        """Write a line of JSON."""
        if self.file is None:
            name = os.path.join(self.settings["records"], f"{os.getpid()}.jsonl")
            self.file = open(name, "a", encoding="utf-8")  # noqa: SIM115 it stays open
            self.write({"rank": _rank()})
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def failed(self, kind: type[BaseException], error: BaseException) -> None:
        """Write the error that ends the program."""
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        self.write({"error": f"{kind.__name__}: {lines[0]}" if lines else kind.__name__})

    def end(self) -> None:
        """Write the last records."""
        if self.steps:
            self.write({"end": True, "peak_memory": _peak_memory(self.mindspore)})


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _seed(mindspore: Any) -> None:
    """Seed random numbers equally in each run; a seed of the program overrides it."""
    mindspore.set_seed(1)
    random.seed(1)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(1)


def _code(executor: Any) -> object:
    """Return an identity for a compiled function that is created repeatedly."""
    fn = executor.fn
    return getattr(fn, "__func__", fn).__code__


def _is_optimizer(value: object) -> bool:
    kinds = [kind for kind in type(value).__mro__ if kind.__name__ == "Optimizer"]
    return any(kind.__module__.startswith("mindspore.") for kind in kinds)


def _uses_optimizer(function: Any, owner: object, depth: int) -> bool:
    """Return whether a function refers to an optimizer, or to a function or cell that uses one."""
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None or depth == 0:
        return False
    names = _names(code)
    values: list[Any] = []
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # not set yet
            values.append(cell.cell_contents)
    values += [function.__globals__[name] for name in names if name in function.__globals__]
    if owner is not None:
        values += [getattr(owner, name) for name in names if hasattr(owner, name)]
    for value in values:
        if _is_optimizer(value):
            return True
        if hasattr(value, "cells_and_names") and any(_is_optimizer(each) for _, each in value.cells_and_names()):
            return True
        inner = getattr(value, "__wrapped__", value)
        is_own = isinstance(inner, (types.FunctionType, types.MethodType)) and not _is_of_mindspore(inner)
        if is_own and _uses_optimizer(inner, getattr(value, "__self__", None), depth - 1):
            return True
    return False


def _is_of_mindspore(function: Any) -> bool:
    return str(function.__module__).startswith("mindspore.")


def _names(code: types.CodeType) -> set[str]:
    """Return the names that a function reads, and those of functions inside of it."""
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return {*code.co_names, *(name for each in inner for name in _names(each))}


def _loss(outputs: Any) -> Optional[float]:
    """Return the loss among the outputs of a step: the mean of the first tensor; None without one."""
    while isinstance(outputs, (tuple, list)) and outputs:
        outputs = outputs[0]
    try:
        return float(outputs.asnumpy().astype("float64").mean())
    except Exception:
        return None


def _wait(mindspore: Any, device: str) -> None:
    """Synchronise with the device."""
    for name in ("runtime", "hal") if device != "CPU" else ():
        synchronize = getattr(getattr(mindspore, name, None), "synchronize", None)
        if synchronize is not None:
            with contextlib.suppress(Exception):  # not on this device
                synchronize()
                return
    with contextlib.suppress(Exception):
        mindspore.common.api._pynative_executor.sync()


def _device(mindspore: Any, target: str) -> str:
    """Return the name of the device, like "Ascend910B"; on a CPU there is one name for all."""
    if target != "CPU":
        with contextlib.suppress(Exception):
            name: str = mindspore.hal.get_device_name()
            return name or target
    return target


def _peak_memory(mindspore: Any) -> Optional[int]:
    """Return the most device memory that was in use, in bytes; None where the framework does not tell."""
    for name in ("runtime", "hal") if mindspore.get_context("device_target") != "CPU" else ():
        ask = getattr(getattr(mindspore, name, None), "max_memory_allocated", None)
        if ask is not None:
            with contextlib.suppress(Exception):
                peak: int = ask()
                return peak or None
    return None


def _rank() -> Optional[int]:
    """Return the rank of this process among those of the program; None where no launcher gave it one."""
    for name in ("RANK_ID", "OMPI_COMM_WORLD_RANK", "MS_NODE_ID"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return None
