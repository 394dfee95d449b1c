"""A save without a fix: done in the background all the same, the program meets a file that is not there yet.

Each program runs as it is, and fails, or ends without its file, when `async_save=True` is written into it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from programs import join
from proofs.proof import DATA, GRAPH, MODEL, PARTS, START, MindSpore, on_mindspore

from ms_perflint import lint_source

WIDE = "net = nn.SequentialCell(nn.Dense(64, 4096), nn.ReLU(), nn.Dense(4096, 2048), nn.Dense(2048, 10))\n"
READY = (START, "import glob\nimport os\nimport shutil\nfrom pathlib import Path\n\n", GRAPH, DATA, WIDE, PARTS)
STEPS = """
    train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    os.makedirs("out", exist_ok=True)
    for epoch in range(2):
        for data, label in train_set.create_tuple_iterator():
            train_step(data, label)
    """


def loop(inside: str, after: str = "", before: str = "") -> str:
    """Return a training of one's own that runs some code behind the steps of each epoch."""
    body = "".join(f"    {line}\n" for line in join(inside).splitlines())
    return join(*READY, before, STEPS.rstrip()) + "\n" + body + join(after)


RACES = {
    "last model loaded after the loop": loop(
        'ms.save_checkpoint(net, f"out/net-{epoch}.ckpt")', 'ms.load_checkpoint(os.path.join("out", "net-1.ckpt"), net)'
    ),
    "best model copied": loop(
        'ms.save_checkpoint(net, "out/best.ckpt")\nshutil.copy("./out/best.ckpt", f"kept-{epoch}.ckpt")'
    ),
    "folder copied": loop(
        """
        ms.save_checkpoint(net, f"out/net-{epoch}.ckpt")
        shutil.copytree("out", f"backup-{epoch}")
        assert os.path.getsize(f"backup-{epoch}/net-{epoch}.ckpt") > 30_000_000
        """
    ),
    "rotation of one file": loop(
        """
        if last.exists():
            os.remove(last)
        ms.save_checkpoint(net, str(last))
        last.rename(f"out/net-{epoch}.ckpt")
        """,
        before='last = Path("out") / "last.ckpt"\n',
    ),
    "newest by its pattern": loop(
        """
        ms.save_checkpoint(net, f"out/net-{epoch}.ckpt")
        newest = sorted(glob.glob("out/*.ckpt"))[-1]
        assert newest.endswith(f"{epoch}.ckpt"), newest
        """
    ),
    "command": loop(
        """
        ms.save_checkpoint(net, f"out/net-{epoch}.ckpt")
        assert os.system(f"cp out/net-{epoch}.ckpt kept.ckpt") == 0
        """
    ),
    "callback that tests what it saved": join(
        *READY,
        """
        class Save(ms.Callback):
            def on_train_epoch_end(self, run_context):
                ms.save_checkpoint(net, "best.ckpt")

            def on_train_end(self, run_context):
                ms.load_checkpoint("best.ckpt", net)


        """,
        MODEL,
        "model.train(1, train_set, callbacks=[Save()])\n",
    ),
    "callback that loads the newest of ModelCheckpoint": join(
        *READY,
        """
        class Evaluate(ms.Callback):
            def on_train_epoch_end(self, run_context):
                newest = sorted(glob.glob("ckpt/net-*.ckpt"))[-1]
                assert newest.endswith("_4.ckpt"), newest
                ms.load_checkpoint(newest, net)


        """,
        MODEL,
        """
        config = ms.CheckpointConfig(save_checkpoint_steps=2)
        model.train(1, train_set, callbacks=[ms.ModelCheckpoint("net", "ckpt", config), Evaluate()])
        """,
    ),
    "callback ahead of ModelCheckpoint that loads its last file": join(
        *READY,
        """
        class Evaluate(ms.Callback):
            def on_train_end(self, run_context):
                ms.load_checkpoint("ckpt/net-1_4.ckpt", net)


        """,
        MODEL,
        """
        config = ms.CheckpointConfig(save_checkpoint_steps=2)
        model.train(1, train_set, callbacks=[Evaluate(), ms.ModelCheckpoint("net", "ckpt", config)])
        """,
    ),
    "callback that copies the latest file by its name": join(
        *READY,
        """
        class Keep(ms.Callback):
            def on_train_epoch_end(self, run_context):
                shutil.copy(saver.latest_ckpt_file_name, "kept.ckpt")


        """,
        MODEL,
        """
        config = ms.CheckpointConfig(save_checkpoint_steps=2)
        saver = ms.ModelCheckpoint("net", "ckpt", config)
        model.train(1, train_set, callbacks=[saver, Keep()])
        """,
    ),
    "file loaded when an error has ended the training": join(
        *READY,
        """
        class Stop(ms.Callback):
            def on_train_epoch_end(self, run_context):
                raise RuntimeError("enough")


        """,
        MODEL,
        """
        config = ms.CheckpointConfig(save_checkpoint_steps=2)
        try:
            model.train(1, train_set, callbacks=[ms.ModelCheckpoint("net", "ckpt", config), Stop()])
        except RuntimeError:
            ms.load_checkpoint("ckpt/net-1_4.ckpt", net)
        """,
    ),
}
SAVES = re.compile(r"(save_checkpoint(?:\(|_steps=).*)\)$", re.MULTILINE)
each_race = pytest.mark.parametrize("name", RACES)


@each_race
def test_has_no_fix(name: str) -> None:
    report = lint_source(RACES[name], select=["MSP301"], mindspore_version="2.10", device="Ascend")
    assert [finding.fix for finding in report.findings] == [None]


@pytest.mark.mindspore
@on_mindspore
@each_race
def test_races(name: str, mindspore: MindSpore, tmp_path: Path) -> None:
    text = RACES[name]
    raced = SAVES.sub(r"\1, async_save=True)", text, count=1)
    folders = [tmp_path / "as it is", tmp_path / "in the background"]
    for folder, program in zip(folders, (text, raced)):
        folder.mkdir()
        (folder / "train.py").write_text(program, encoding="utf-8")
    fine, error = (mindspore.errors(folder)[0] for folder in folders)
    assert not fine, fine
    assert any(word in error for word in ("FileNotFoundError", "does not exist", "IndexError", "AssertionError")), error
