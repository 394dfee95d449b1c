"""Runs training programs on MindSpore, each in a fork of one process: to load MindSpore takes seconds.

Reads a JSON list of folders per line, runs the `train.py` of all of them at once, and answers with a line of its own.
What a program did is then in `ran.json` beside it, what it printed in `printed.txt`. With a folder and a rank on the
command line it runs one of the processes of a program, and writes `ran1.json` and so on.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import runpy
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def main() -> None:
    """Run programs until there is nothing more to read."""
    import mindspore  # noqa: F401, before the first fork

    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        running = [_fork(Path(folder)) for folder in json.loads(line)]
        for process in running:
            os.waitpid(process, 0)
        print("done", file=answers, flush=True)


def _fork(folder: Path) -> int:
    """Return the process that runs the program of a folder."""
    process = os.fork()
    if process == 0:
        try:
            _run(folder)
        finally:
            os._exit(0)
    return process


def _run(folder: Path, rank: str = "") -> None:
    printed = os.open(folder / f"printed{rank}.txt", os.O_WRONLY | os.O_CREAT)
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    os.chdir(folder)
    sys.path[0] = str(folder)
    sys.argv = ["train.py"]
    losses: list[float] = []
    _record(losses)
    ran: dict[str, Any] = {}
    try:
        names = runpy.run_path("train.py", run_name="__main__")
        for thread in threading.enumerate():  # as Python does at its end
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
        ran["losses"] = [*losses, *map(float, names.get("losses", ()))]
        ran["weights"] = _weights(names)
        ran["files"] = {path.name: _digest(path.read_bytes()) for path in sorted(folder.rglob("*.ckpt"))}
        ran["rank"] = _rank() if rank else 0
        ran["cost"] = float(names.get("cost", 0))
    except BaseException:
        ran["error"] = traceback.format_exc()
    (folder / f"ran{rank}.json").write_text(json.dumps(ran), encoding="utf-8")


def _rank() -> int:
    """Return the rank that MindSpore gave this process: 2.0.0 calls the first to come 0, whatever its `MS_NODE_ID`."""
    from mindspore.communication import get_rank

    return int(get_rank())


def _record(losses: list[float]) -> None:
    """Have the loss of every step of `Model.train` and `Model.fit` written down."""
    from mindspore.train import Callback, Model

    class Recorder(Callback):  # type: ignore[misc]
        def on_train_step_end(self, run_context: Any) -> None:
            loss = run_context.original_args().net_outputs
            losses.append(float((loss[0] if isinstance(loss, tuple) else loss).asnumpy().mean()))

    def recorded(method: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(method)

        def run(*args: object, **kwargs: object) -> None:
            bound = signature.bind(*args, **kwargs)
            given = bound.arguments.get("callbacks") or []
            bound.arguments["callbacks"] = [*(given if isinstance(given, list) else [given]), Recorder()]
            method(*bound.args, **bound.kwargs)

        return run

    Model.train, Model.fit = recorded(Model.train), recorded(Model.fit)


def _weights(names: Mapping[str, Any]) -> dict[str, tuple[list[int], str]]:
    """Return shape and digest of each parameter of `net`."""
    parameters = names["net"].get_parameters() if "net" in names else ()
    arrays = {parameter.name: parameter.asnumpy() for parameter in parameters}
    return {name: (list(array.shape), _digest(array.tobytes())) for name, array in arrays.items()}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _run(Path(sys.argv[1]), sys.argv[2])
    else:
        main()
