"""MSP301: which use of a file, where and after what, leaves a save without a fix; which other paths do not."""

from __future__ import annotations

import pytest
from checks.test_msp301 import MODEL, STEP
from programs import Program, case, fires, join

CODE = "MSP301"


def loop(before: str, save: str, inside: str = "", after: str = "") -> str:
    """Return a hand-written training that saves in its loop, with code before, behind the save, and behind the loop."""
    body = join(save) + join(inside)
    return (
        join(before)
        + "for epoch in range(20):\n    for data, label in dataset.create_tuple_iterator():\n"
        + "        train_step(data, label)\n"
        + "".join(f"    {line}\n" for line in body.splitlines())
        + join(after)
    )


def used(name: str, *texts: str) -> object:
    """Return a program whose save is reported without a fix."""
    return case(name, STEP, loop(*texts).replace("#s", "# ! no fix"))


def unused(name: str, *texts: str) -> object:
    """Return a program whose save is reported with its fix: the file that is used is another one, or older."""
    return case(name, STEP, loop(*texts).replace("#s", "# ! unsafe"))


OUT = 'import argparse\nimport os\nimport shutil\n\nparser = argparse.ArgumentParser()\nparser.add_argument("--out")\n\
parser.add_argument("--other")\nargs = parser.parse_args()\n'

USED = [
    used("constant by another name", 'BEST = "out/best.ckpt"\n', "ms.save_checkpoint(net, BEST)  #s\n", "", 'ms.load_checkpoint("out/best.ckpt", net)\n'),
    used("dot in front", "", 'ms.save_checkpoint(net, "./best.ckpt")  #s\n', "", 'ms.load_checkpoint("best.ckpt", net)\n'),
    used("joined and written out", "import os\n", 'ms.save_checkpoint(net, os.path.join("out", "best.ckpt"))  #s\n', "", 'ms.load_checkpoint("out/best.ckpt")\n'),
    used("pathlib and os.path", "import os\nfrom pathlib import Path\n\nout = Path(args_out := 'runs')\n", 'ms.save_checkpoint(net, str(out / "best.ckpt"))  #s\n', "", 'os.remove(os.path.join("runs", "best.ckpt"))\n'),
    used("f-string and plus", OUT, 'ms.save_checkpoint(net, f"{args.out}/best.ckpt")  #s\n', "", 'shutil.copy(args.out + "/best.ckpt", "/backup")\n'),
    used("percent and format", OUT, 'ms.save_checkpoint(net, "%s/best.ckpt" % args.out)  #s\n', 'shutil.copy("{}/best.ckpt".format(args.out), "kept.ckpt")\n'),
    used("folder given to copytree", OUT, 'ms.save_checkpoint(net, os.path.join(args.out, f"{epoch}.ckpt"))  #s\n', "shutil.copytree(args.out, '/backup')\n"),
    used("folder that is listed", "import os\n", 'ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s\n', "", 'print(sorted(os.listdir("out")))\n'),
    used("folder that is uploaded", "import moxing as mox\n", 'ms.save_checkpoint(net, f"/cache/out/{epoch}.ckpt")  #s\n', 'mox.file.copy_parallel("/cache/out", "obs://bucket/out")\n'),
    used("folder around the folder", "import shutil\n", 'ms.save_checkpoint(net, f"/cache/out/ckpt/{epoch}.ckpt")  #s\n', "", 'shutil.make_archive("all", "zip", "/cache/out")\n'),
    used("glob pattern", "import glob\n", 'ms.save_checkpoint(net, f"out/net-{epoch}.ckpt")  #s\n', "", 'newest = sorted(glob.glob("out/*.ckpt"))[-1]\n'),
    used("glob of a path", "from pathlib import Path\n\nout = Path('out')\n", 'ms.save_checkpoint(net, f"{out}/net-{epoch}.ckpt")  #s\n', "", 'found = list(out.glob("net-*.ckpt"))\n'),
    used("command as a text", "import os\n", 'ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s\n', 'os.system("gsutil cp -r out gs://bucket")\n'),
    used("command as a list", "import subprocess\n", 'ms.save_checkpoint(net, "out/last.ckpt")  #s\n', 'subprocess.run(["cp", "out/last.ckpt", "/backup"], check=True)\n'),
    used("f-string as a command", OUT, 'ms.save_checkpoint(net, f"{args.out}/last.ckpt")  #s\n', 'os.system(f"mv {args.out}/last.ckpt /backup")\n'),
    used("method of a path", "from pathlib import Path\n\nlast = Path('out') / 'last.ckpt'\n", "ms.save_checkpoint(net, str(last))  #s\n", 'last.rename("out/kept.ckpt")\n'),
    used("size of the file", "import os\n", 'name = f"{epoch}.ckpt"\nms.save_checkpoint(net, name)  #s\n', "print(os.path.getsize(name))\n"),
    used("opened to be sent", "import requests\n", 'ms.save_checkpoint(net, "last.ckpt")  #s\n', 'requests.post("http://host", files={"file": open("last.ckpt", "rb")})\n'),
    used("client of a bucket", "from obs import ObsClient\n\nclient = ObsClient()\n", 'ms.save_checkpoint(net, "last.ckpt")  #s\n', 'client.putFile("bucket", "key", "last.ckpt")\n'),
    used("tar", "import tarfile\n", 'ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s\n', 'with tarfile.open("all.tar", "w") as tar:\n    tar.add("out")\n'),
    used("removed in the next pass", "import os\n", 'if os.path.exists("best.ckpt"):\n    os.remove("best.ckpt")\nms.save_checkpoint(net, "best.ckpt")  #s\n'),
    used("rotation", "import os\n\nsaved = []\n", 'name = f"{epoch}.ckpt"\nms.save_checkpoint(net, name)  #s\nsaved.append(name)\nif len(saved) > 1:\n    os.remove(saved.pop(0))\n'),
    used("best one by its number", "import os\n\nbest = 0\n", 'ms.save_checkpoint(net, f"out/net-{epoch}.ckpt")  #s\n', "best = epoch\n", 'ms.load_checkpoint(f"out/net-{best}.ckpt", net)\n'),
    used("name without its ending", "", 'ms.save_checkpoint(net, "best")  #s\n', "", 'ms.load_checkpoint("best.ckpt", net)\n'),
    used("helper that copies", "import shutil\n\n\ndef keep(path):\n    shutil.copy(path, '/backup')\n\n\n", 'ms.save_checkpoint(net, "last.ckpt")  #s\n', 'keep("last.ckpt")\n'),
    used("helper that returns the name", "import shutil\n\n\ndef name(epoch):\n    return f'out/{epoch}.ckpt'\n\n\n", "ms.save_checkpoint(net, name(epoch))  #s\n", "shutil.copy(name(epoch), '/backup')\n"),
    used("helper that saves", "\n\ndef keep(network, path):\n    ms.save_checkpoint(network, path)  #s\n\n\n", 'keep(net, "best.ckpt")\n', "", 'ms.load_checkpoint("best.ckpt", net)\n'),
    used("loop over files", "import glob\nimport os\n", 'ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s\n', 'for old in glob.glob("out/*"):\n    os.remove(old)\n'),
    case(
        "constant of another module",
        {
            "train.py": join(STEP.replace("from src.dataset", "import names\nfrom src.dataset"), loop("", "ms.save_checkpoint(net, names.BEST)  #s\n", "", "ms.load_checkpoint(names.BEST, net)\n").replace("#s", "# ! no fix")),
            "names.py": 'import os\n\nBEST = os.path.join(os.environ["OUT"], "best.ckpt")\n',
        },
    ),
    case(
        "imported constant, and module",
        {
            "train.py": join(STEP.replace("from src.dataset", "import names\nfrom names import BEST\nfrom src.dataset"), loop("import os\n", "ms.save_checkpoint(net, BEST)  #s\n", "", "os.remove(names.BEST)\n").replace("#s", "# ! no fix")),
            "names.py": 'import os\n\nBEST = os.path.join(os.environ["OUT"], "best.ckpt")\n',
        },
    ),
    case(
        "attribute of a trainer, loaded by another method",
        STEP,
        """
        import os


        class Trainer:
            def __init__(self, folder):
                self.best_path = os.path.join(folder, "best.ckpt")

            def fit(self):
                for epoch in range(20):
                    for data, label in dataset.create_tuple_iterator():
                        train_step(data, label)
                    ms.save_checkpoint(net, self.best_path)  # ! no fix

            def test(self):
                ms.load_checkpoint(self.best_path, net)


        trainer = Trainer(os.environ["OUT"])
        trainer.fit()
        trainer.test()
        """,
    ),
    case(
        "two functions, one option",
        STEP,
        """
        import argparse
        import os


        def fit(args):
            for epoch in range(20):
                for data, label in dataset.create_tuple_iterator():
                    train_step(data, label)
                ms.save_checkpoint(net, os.path.join(args.out, "best.ckpt"))  # ! no fix


        def test(options):
            ms.load_checkpoint(os.path.join(options.out, "best.ckpt"), net)


        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--out", required=True)
            args = parser.parse_args()
            fit(args)
            test(args)


        main()
        """,
    ),
    case(
        "callback that removes the old best model",
        MODEL,
        """
        import os


        class SaveBest(ms.Callback):
            def __init__(self, folder):
                super().__init__()
                self.path = os.path.join(folder, "best.ckpt")

            def on_train_epoch_end(self, run_context):
                if os.path.exists(self.path):
                    os.remove(self.path)
                ms.save_checkpoint(net, self.path)  # ! no fix


        model.train(10, dataset, callbacks=[SaveBest("out")], dataset_sink_mode=True)
        """,
    ),
    case(
        "another callback loads it at the end",
        MODEL,
        """
        class Save(ms.Callback):
            def on_train_epoch_end(self, run_context):
                ms.save_checkpoint(net, "last.ckpt")  # ! no fix


        class Test(ms.Callback):
            def on_train_end(self, run_context):
                ms.load_checkpoint("last.ckpt", net)


        model.train(10, dataset, callbacks=[Save(), Test()], dataset_sink_mode=True)
        """,
    ),
    case(
        "callback copies what ModelCheckpoint writes",
        MODEL,
        """
        import shutil


        class Backup(ms.Callback):
            def on_train_epoch_end(self, run_context):
                shutil.copytree("./ckpt", "/backup", dirs_exist_ok=True)


        config = CheckpointConfig(save_checkpoint_steps=100)  # ! no fix
        model.train(20, dataset, callbacks=[ModelCheckpoint("net", "./ckpt", config), Backup()])
        """,
    ),
    case(
        "callback loads a file of ModelCheckpoint",
        MODEL,
        """
        class Evaluate(ms.Callback):
            def on_train_epoch_end(self, run_context):
                epoch = run_context.original_args().cur_epoch_num
                ms.load_checkpoint(f"ckpt/net-{epoch}_100.ckpt", net)


        config = CheckpointConfig(save_checkpoint_steps=100)  # ! no fix
        model.train(20, dataset, callbacks=[ModelCheckpoint("net", "./ckpt", config), Evaluate()])
        """,
    ),
    case(
        "driven by hand, and uploaded",
        STEP,
        """
        import moxing as mox
        from mindspore.train.callback import RunContext

        saver = ModelCheckpoint("net", "/cache/ckpt", CheckpointConfig(save_checkpoint_steps=200))  # ! no fix
        state = RunContext(ms.train.callback._InternalCallbackParam())
        saver.begin(state)
        for data, label in dataset.create_tuple_iterator():
            train_step(data, label)
            saver.step_end(state)
        mox.file.copy_parallel("/cache/ckpt", "obs://bucket")
        """,
    ),
]  # fmt: skip

UNUSED = [
    unused("read only before the loop", "import os\n\nif os.path.exists('last.ckpt'):\n    ms.load_checkpoint('last.ckpt', net)\n", 'ms.save_checkpoint(net, "last.ckpt")  #s\n'),
    unused("option to resume, by a function", OUT + "\n\ndef resume(path):\n    if path:\n        ms.load_checkpoint(path, net)\n\n\nresume(os.path.join(args.out, 'last.ckpt'))\n", 'ms.save_checkpoint(net, os.path.join(args.out, "last.ckpt"))  #s\n'),
    unused("another file of the folder", OUT, 'ms.save_checkpoint(net, f"{args.out}/{epoch}.ckpt")  #s\n', 'with open(f"{args.out}/log.txt", "a") as file:\n    file.write("saved")\n'),
    unused("another folder of that name", "import shutil\n", 'ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s\n', "", 'shutil.copytree("data/out", "/backup")\n'),
    unused("folder whose name only begins alike", "import os\n", 'ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s\n', "", 'os.listdir("out_of_data")\n'),
    unused("another option", OUT, 'ms.save_checkpoint(net, os.path.join(args.out, f"net-{epoch}.ckpt"))  #s\n', "", "os.listdir(args.other)\n"),
    unused("folder is made and tested for", OUT, 'if not os.path.exists(args.out):\n    os.makedirs(args.out)\nms.save_checkpoint(net, f"{args.out}/{epoch}.ckpt")  #s\n'),
    unused("name is printed and logged", "import logging\n", 'name = f"{epoch}.ckpt"\nms.save_checkpoint(net, name)  #s\n', 'print("saved", name)\nlogging.info("saved %s", name)\n'),
    unused("name goes into a list", "saved = []\n", 'name = f"{epoch}.ckpt"\nms.save_checkpoint(net, name)  #s\n', "saved.append(name)\nif 'old.ckpt' in saved:\n    saved.remove(name)\n"),
    unused("other ending", "import glob\n", 'ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s\n', "", 'print(glob.glob("out/*.png"))\n'),
    unused("best and last", "", 'ms.save_checkpoint(net, "out/last.ckpt")  #s\n', "", 'ms.load_checkpoint("out/teacher.ckpt", net)\n'),
    unused("weights of a backbone", OUT, 'ms.save_checkpoint(net, f"net-{epoch}.ckpt")  #s\n', "", "ms.load_checkpoint(args.other, net)\n"),
    unused("text that is replaced", "", 'name = f"{epoch}.ckpt"\nms.save_checkpoint(net, name)  #s\n', 'print(name.replace(".ckpt", ".pth"))\n'),
    unused("each fold has its own file", "", 'ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s\n', "", 'np = __import__("numpy")\nnp.save("out/scores.npy", [1])\n'),
    unused("command that does not touch it", "import os\n", 'ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s\n', 'os.system("nvidia-smi --loop")\n'),
    unused("data folder", "import os\n\nfor name in os.listdir('data'):\n    print(name)\n", 'ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s\n', "", "print(os.listdir('data'))\n"),
    unused("arm that another mode takes", "import os\n", 'if epoch % 2:\n    ms.save_checkpoint(net, "last.ckpt")  #s\n', "", "if False:\n    os.remove('last.ckpt')\n"),
    unused("helper loads another file later", "\n\ndef load(path):\n    ms.load_checkpoint(path, net)\n\n\nload('last.ckpt')\n", 'ms.save_checkpoint(net, "last.ckpt")  #s\n', "", "load('teacher.ckpt')\n"),
    unused("skipped where it is there already", "import os\n", 'ms.save_checkpoint(net, f"{epoch}.ckpt")  #s\n').__class__ and
    case(
        "each fold skips what is done",
        STEP,
        """
        import os

        for fold in range(5):
            path = f"fold-{fold}.ckpt"
            if os.path.exists(path):
                continue
            for epoch in range(20):
                for data, label in dataset.create_tuple_iterator():
                    train_step(data, label)
                ms.save_checkpoint(net, path)  # ! unsafe
        """,
    ),
    case(
        "callback that begins with the old file",
        MODEL,
        """
        class Save(ms.Callback):
            def on_train_begin(self, run_context):
                ms.load_checkpoint("last.ckpt", net)

            def on_train_epoch_end(self, run_context):
                ms.save_checkpoint(net, "last.ckpt")  # ! unsafe


        model.train(10, dataset, callbacks=[Save()], dataset_sink_mode=True)
        """,
    ),
    case(
        "callback that writes a log beside ModelCheckpoint",
        MODEL,
        """
        class Log(ms.Callback):
            def on_train_epoch_end(self, run_context):
                with open("./ckpt/log.txt", "a") as file:
                    file.write("epoch")


        config = CheckpointConfig(save_checkpoint_steps=100)  # ! safe
        model.train(20, dataset, callbacks=[ModelCheckpoint("net", "./ckpt", config), Log()])
        """,
    ),
    case(
        "callback that loads a checkpoint that cannot be told apart",
        MODEL,
        """
        class Teach(ms.Callback):
            def __init__(self, path):
                super().__init__()
                self.path = path

            def on_train_epoch_end(self, run_context):
                ms.load_checkpoint(self.path, net)


        import sys

        config = CheckpointConfig(save_checkpoint_steps=100)  # ! unsafe
        model.train(20, dataset, callbacks=[ModelCheckpoint("net", "./ckpt", config), Teach(sys.argv[1])])
        """,
    ),
    case(
        "uploaded after Model.train",
        MODEL,
        """
        import moxing as mox

        config = CheckpointConfig(save_checkpoint_steps=100)  # ! safe
        model.train(20, dataset, callbacks=[ModelCheckpoint("net", "/cache/ckpt", config)])
        mox.file.copy_parallel("/cache/ckpt", "obs://bucket")
        """,
    ),
    case(
        "script that copies when the run has ended",
        {
            "train.py": join(STEP, loop("", 'ms.save_checkpoint(net, f"{epoch}.ckpt")  #s\n')).replace("#s", "# ! unsafe"),
            "run.sh": "python train.py\ncp *.ckpt /backup\n",
        },
    ),
]  # fmt: skip


@pytest.mark.parametrize("program", USED)
def test_used(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", UNUSED)
def test_unused(program: Program) -> None:
    fires(CODE, program)


def test_the_finding_names_the_place() -> None:
    text = loop("import os\n", 'ms.save_checkpoint(net, "last.ckpt")\n', 'os.rename("last.ckpt", "kept.ckpt")\n')
    program = Program({"train.py": join(STEP, text)})
    (finding,) = program.lint(CODE).findings
    row = next(at for at, line in enumerate(program.files["train.py"].splitlines(), 1) if "os.rename" in line)
    assert finding.fix is None and f"line {row} " in finding.message
    assert [(each.place.row, each.message) for each in finding.related] == [
        (row, "the file, or its folder, gets another name here")
    ]
