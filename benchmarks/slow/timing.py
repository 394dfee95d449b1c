"""What the programs beside this file measure, printed one figure a line: `figure step_ms 12.5`.

A step is told by the processor time of all its threads, and of the steps of a run the fastest tenth counts: what else
the machine does must not show.
"""

import statistics
import time

from mindspore.train import Callback


def figure(name, value):
    """Print one figure for benchmarks/effects.py."""
    print(f"figure {name} {value}", flush=True)


class StepTimes(Callback):
    """Times the steps of a training: from one loss that has arrived to the next."""

    def __init__(self):
        super().__init__()
        self.moments = []

    def on_train_begin(self, run_context):
        self.moments.append(time.process_time())

    def on_train_step_end(self, run_context):
        run_context.original_args().net_outputs.asnumpy()  # waits until the step is done
        self.moments.append(time.process_time())

    def on_train_end(self, run_context):
        steps = [1000 * (after - before) for before, after in zip(self.moments, self.moments[1:])]
        figure("steps", len(steps))
        figure("first_step_ms", steps[0])
        figure("step_ms", statistics.quantiles(steps[5:], n=10)[0])  # the first ones compile and fill caches
        figure("sunk", int(run_context.original_args().dataset_sink_mode))
