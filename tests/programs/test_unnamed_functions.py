"""What functions of the entry script set to which no code leads, for instance because a call is commented out."""

from __future__ import annotations

import os

import pytest
from programs import Program, join

START = """
    import mindspore as ms
    from mindspore import nn


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(512, 512)

        def construct(self, x):
            return self.dense(x)


    net = Net()


    """
TRAIN = """
    def train(dataset):
        model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        saved = ms.ModelCheckpoint("net", config=ms.CheckpointConfig(save_checkpoint_steps=10))
        model.train(9, dataset, callbacks=[saved])


    """
MAIN = """
    if __name__ == "__main__":
        train(load())
    """
GRAPH, CPU = "ms.set_context(mode=ms.GRAPH_MODE)", 'ms.set_context(device_target="CPU")'
HALF = "net.to_float(ms.float16)"
ASIDE = "def aside():\n    SETS\n\n\n"
MODEL = "ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))"
WHOLE = f"def aside(dataset):\n    SETS\n    {MODEL}.train(9, dataset)\n\n\n"

# The rule that is silent where the setting counts, the setting, and the texts before and behind `train`
LEFT_OUT = [
    ("MSP101", GRAPH, ASIDE, ""),
    ("MSP101", CPU, ASIDE, ""),
    ("MSP201", CPU, ASIDE, ""),
    ("MSP301", CPU, ASIDE, ""),
    ("MSP301", 'ms.set_device("CPU")', ASIDE, ""),
    ("MSP201", HALF, ASIDE, ""),
    ("MSP301", CPU, WHOLE, ""),
    ("MSP101", GRAPH, WHOLE, ""),
    ("MSP101", GRAPH, ASIDE, "def other():\n    aside()\n\n\n"),
    ("MSP101", GRAPH, ASIDE, "# aside()\n"),
    ("MSP101", GRAPH, ASIDE, "print('aside')\n"),
    ("MSP101", GRAPH, "def aside():\n    def inner():\n        SETS\n    inner()\n\n\n", ""),
]
COUNTED = [
    *((code, sets, ASIDE, "aside()\n") for code, sets, text, _ in LEFT_OUT[:6] if text == ASIDE),
    ("MSP101", GRAPH, ASIDE, "def other():\n    aside()\n\n\nother()\n"),
    ("MSP101", GRAPH, ASIDE, "chosen = {'a': aside}\nchosen['a']()\n"),
    ("MSP101", GRAPH, ASIDE, "globals()['aside']()\n"),
    ("MSP101", GRAPH, "import click\n\n\n@click.command()\n" + ASIDE, ""),
    ("MSP101", GRAPH, ASIDE, "import fire\nfire.Fire()\n"),
    ("MSP101", GRAPH, ASIDE, "class Set:\n    made = aside()\n\n\n"),
    ("MSP101", GRAPH, "class Set:\n    def aside(self):\n        SETS\n\n\nSet().aside()\n", ""),
]


def reported(code: str, *texts: str) -> bool:
    """Return whether a rule reports something at or behind `def train`."""
    text = join(*texts)
    report = Program({"train.py": text}).lint(code)
    assert not report.problems
    start = text.splitlines().index("def train(dataset):")
    assert all(os.path.basename(finding.place.path) == "train.py" for finding in report.findings)
    return any(finding.place.row > start for finding in report.findings)


@pytest.mark.parametrize(("code", "sets", "before", "behind"), LEFT_OUT)
def test_a_function_that_no_code_names_sets_nothing(code: str, sets: str, before: str, behind: str) -> None:
    assert reported(code, START, before.replace("SETS", sets), TRAIN, behind, MAIN)


@pytest.mark.parametrize(("code", "sets", "before", "behind"), COUNTED)
def test_a_function_that_some_code_names_may_set(code: str, sets: str, before: str, behind: str) -> None:
    assert not reported(code, START, before.replace("SETS", sets), TRAIN, behind, MAIN)


PARALLEL = 'ms.set_context(mode=0)\nms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)\n'
FUSED = [
    'ms.set_auto_parallel_context(comm_fusion={"allreduce": {"mode": "auto", "config": None}})',
    "ms.set_auto_parallel_context(all_reduce_fusion_config=[2, 5])",
    "settings = {'all_reduce_fusion_config': [2, 5]}\n    ms.set_auto_parallel_context(**settings)",
]
TUNED = "ms.dataset.config.set_enable_autotune(True)"
PROFILED = ["made = ms.Profiler(data_process=True)", "made = ms.profiler.Profiler(data_process=True)"]


@pytest.mark.parametrize("sets", FUSED)
def test_it_fuses_no_gradients_of_another_training(sets: str) -> None:
    texts = START, ASIDE.replace("SETS", sets), TRAIN.replace("(dataset):\n", "(dataset):\n        shard()\n")
    sharded = "def shard():\n" + "".join(f"    {line}\n" for line in PARALLEL.splitlines()) + "\n\n"
    assert reported("MSP601", *texts, sharded, MAIN)
    assert not reported("MSP601", *texts, sharded, "aside()\n", MAIN)


@pytest.mark.parametrize("profiles", PROFILED)
@pytest.mark.parametrize("is_tuned_aside", [True, False])
def test_it_profiles_no_other_training(profiles: str, is_tuned_aside: bool) -> None:
    aside, run = (TUNED, profiles) if is_tuned_aside else (profiles, TUNED)
    text = join(START, TRAIN, ASIDE.replace("SETS", aside), f"{run}\n", MAIN)
    assert not reported("MSP501", text)
    assert reported("MSP501", text.replace('if __name__ == "__main__":', f'if __name__ == "__main__":\n    {aside}'))
    assert reported("MSP501", join(START, TRAIN, ASIDE.replace("SETS", f"{TUNED}\n    {profiles}"), MAIN))


@pytest.mark.parametrize(("code", "sets"), [("MSP101", GRAPH), ("MSP201", CPU), ("MSP201", HALF), ("MSP301", CPU)])
def test_it_sets_for_a_training_that_no_code_starts_either(code: str, sets: str) -> None:
    assert not reported(code, START, TRAIN.replace("(dataset):\n", f"(dataset):\n        {sets}\n"))


@pytest.mark.parametrize("code", ["MSP102", "MSP201", "MSP301"])
def test_its_own_training_is_on_the_cpu_that_it_sets(code: str) -> None:
    own = TRAIN.replace("(dataset):\n", f"(dataset):\n        {CPU}\n        {GRAPH}\n")
    assert not reported(code, START, f"def main():\n    {MODEL}.train(9, load())\n\n\nmain()\n", own)


def test_a_script_that_another_module_imports_is_started_from_there() -> None:
    files = {
        "train.py": join(START, ASIDE.replace("SETS", GRAPH), TRAIN, "from tools import run\nrun(load())\n"),
        "tools.py": "import train\n\n\ndef run(data):\n    train.aside()\n    train.train(data)\n",
    }
    assert not Program(files).lint("MSP101").findings
