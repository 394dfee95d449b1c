"""MSP301: which use of a file, where and after what, leaves a save without a fix; which other paths do not."""

from __future__ import annotations

import re
import textwrap

import pytest
from checks.test_msp301 import MODEL, STEP
from programs import Program, case, fires, join

CODE = "MSP301"


OPTIONS = """
    import argparse
    import os
    import shutil

    parser = argparse.ArgumentParser()
    parser.add_argument("--out")
    parser.add_argument("--other")
    args = parser.parse_args()
"""


def loop(text: str) -> str:
    """Return a training of one's own, from what stands before the loop, in it behind the steps, and after it."""
    before, inside, after = (*re.split(r"^---\n", join(text), flags=re.MULTILINE), "")[:3]
    steps = "for epoch in range(20):\n    for pair in dataset.create_tuple_iterator():\n        train_step(*pair)\n"
    return before + steps + textwrap.indent(inside, "    ") + after


def used(name: str, text: str, options: bool = False) -> object:
    """Return a program whose save is reported without a fix."""
    return case(name, STEP, OPTIONS if options else "", loop(text).replace("#s", "# ! no fix"))


def unused(name: str, text: str, options: bool = False) -> object:
    """Return a program whose save is reported with its fix: the file that is used is another one, or older."""
    return case(name, STEP, OPTIONS if options else "", loop(text).replace("#s", "# ! unsafe"))


BESIDE = (  # ways to name a file beside another one
    'log.with_suffix(".ckpt")',
    'log.with_name("net.ckpt")',
    'log.parent / "net.ckpt"',
    'os.path.join(os.path.dirname(log), "net.ckpt")',
    'os.path.splitext(log)[0] + ".ckpt"',
)


def beside(folder: str, renamed: str) -> str:
    """Return a save beside a log in a folder; another folder, or this one, is uploaded."""
    return f"""
        from pathlib import Path
        import moxing as mox

        log = Path("/cache/{folder}") / f"{{args.out}}.log"
        ---
        ms.save_checkpoint(net, str({renamed}))  #s
        ---
        mox.file.copy_parallel("/cache/out", "obs://bucket")
        """


_IN = "config.folder = os.path.join(config.root, str(datetime.datetime.now()))"
KEPT = {  # ways to hold a folder under an attribute
    "a namespace": f'config = types.SimpleNamespace(root="/cache/out"); {_IN}',
    "an EasyDict": f'config = EasyDict({{"root": "/cache/out"}}); {_IN}',
    "an object of a class": f"config = Config(); {_IN}",
    "a key that is read as an attribute": f"config = EasyDict(root='/cache/out'); {_IN}".replace(
        "config.folder", 'config["folder"]'
    ),
}
KEPT_ELSEWHERE = {
    "another folder": _IN.replace("config.root", '"elsewhere"').join(("config = Config(); ", "")),
    "another object": "config, other = types.SimpleNamespace(), types.SimpleNamespace(); "
    'other.folder = "/cache/out/a"; ' + _IN.replace("config.root", '"elsewhere"'),
}


USED = [
    *(
        used(
            f"program that ends at once: {end}",
            f"""
            import os
            from os import _exit

            ---
            ms.save_checkpoint(net, f"out/{{epoch}}.ckpt")  #s
            ---
            {end}
            """,
        )
        for end in ("os._exit(0)", "_exit(0)", "os.abort()", 'os.execv("/bin/sh", ["sh", "eval.sh"])')
    ),
    *(
        used(
            f"file of the current directory: {use}",
            f"""
        import os
        import shutil
        from pathlib import Path

        import moxing as mox

        ---
        ms.save_checkpoint(net, {path})  #s
        {use}
        """,
        )
        for path, use in (
            ("'best.ckpt'", "mox.file.copy_parallel(src_url='./', dst_url='obs://bucket')"),
            ("'./best.ckpt'", "mox.file.copy_parallel('./', 'obs://bucket')"),
            ("'best_{}.ckpt'.format(epoch)", "mox.file.copy_parallel('././', 'obs://bucket')"),
            ("'out/best.ckpt'", "mox.file.copy_parallel(os.getcwd(), 'obs://bucket')"),
            ("'best.ckpt'", "shutil.copytree(os.curdir, '/backup')"),
            ("os.path.join(os.getcwd(), 'best.ckpt')", "shutil.make_archive('all', 'zip', '.')"),
            ("str(Path.cwd() / 'best.ckpt')", "os.remove('best.ckpt')"),
            ("'best.ckpt'", "os.system('cp *.ckpt /backup')"),
            ("'out/best.ckpt'", "os.system('mkdir -p /backup; cp out/best.ckpt /backup')"),
            ("'out/best.ckpt'", "os.system('mkdir -p /backup && cp -r out /backup')"),
            ("'out/best.ckpt'", "os.system('mkdirhier out')"),
            ("'out/best.ckpt'", "__import__('subprocess').run(['cp', 'mkdir', 'out/best.ckpt'])"),
            ("'out/best.ckpt'", "os.system('mkdir -p out' if done else 'cp -r out /backup')"),
            ("'out/best.ckpt'", "os.system('cp mkdir out/best.ckpt')"),
        )
    ),
    *(
        used(
            f"given without the ending that a save adds: {use}",
            f"""
        import os
        import shutil

        folder = open("folder").read()
        ---
        filename = "checkpoint.pth.tar"
        if folder is not None:
            filename = os.path.join(folder, filename)
        ms.save_checkpoint(net, filename)  #s
        {use}
        """,
        )
        for use in (
            "shutil.copyfile(filename, 'best.pth.tar')",
            "os.rename(filename, 'best.pth.tar')",
            "shutil.copyfile(filename + '.ckpt', 'best.ckpt')",
            "shutil.copyfile(f'{filename}.ckpt', 'best.ckpt')",
            "ms.load_checkpoint(filename, net)",
        )
    ),
    *(
        used(
            f"by a function under another name: {name}",
            f"""
        from {module} import {name} as put
        ---
        ms.save_checkpoint(net, "best.ckpt")  #s
        ---
        put("best.ckpt"{more})
        """,
        )
        for module, name, more in (
            ("shutil", "copyfile", ", 'latest.ckpt'"),
            ("os", "rename", ", 'latest.ckpt'"),
            ("os.path", "getsize", ""),
            ("mindspore", "load_checkpoint", ", net"),
            ("moxing.file", "copy_parallel", ", 'obs://out'"),
        )
    ),
    used(
        "constant by another name",
        """
        BEST = "out/best.ckpt"
        ---
        ms.save_checkpoint(net, BEST)  #s
        ---
        ms.load_checkpoint("out/best.ckpt", net)
        """,
    ),
    used(
        "dot in front",
        """
        ---
        ms.save_checkpoint(net, "./best.ckpt")  #s
        ---
        ms.load_checkpoint("best.ckpt", net)
        """,
    ),
    used(
        "joined and written out",
        """
        import os
        ---
        ms.save_checkpoint(net, os.path.join("out", "best.ckpt"))  #s
        ---
        ms.load_checkpoint("out/best.ckpt")
        """,
    ),
    used(
        "pathlib and os.path",
        """
        import os
        from pathlib import Path

        out = Path(args_out := 'runs')
        ---
        ms.save_checkpoint(net, str(out / "best.ckpt"))  #s
        ---
        os.remove(os.path.join("runs", "best.ckpt"))
        """,
    ),
    used(
        "f-string and plus",
        """
        ---
        ms.save_checkpoint(net, f"{args.out}/best.ckpt")  #s
        ---
        shutil.copy(args.out + "/best.ckpt", "/backup")
        """,
        options=True,
    ),
    used(
        "percent and format",
        """
        ---
        ms.save_checkpoint(net, "%s/best.ckpt" % args.out)  #s
        shutil.copy("{}/best.ckpt".format(args.out), "kept.ckpt")
        """,
        options=True,
    ),
    used(
        "folder given to copytree",
        """
        ---
        ms.save_checkpoint(net, os.path.join(args.out, f"{epoch}.ckpt"))  #s
        shutil.copytree(args.out, '/backup')
        """,
        options=True,
    ),
    *(
        used(
            f"folder in an option that code replaces: {read}",
            f"""
            import glob

            parser.add_argument("--newest", default="./out/")
            args = parser.parse_args()
            ---
            ms.save_checkpoint(net, f"out/{{epoch}}.ckpt")  #s
            {read}
            """,
            options=True,
        )
        for read in (
            "args.newest = sorted(glob.glob(f'{args.newest}/*.ckpt'))[-1]",
            "args.newest = max(os.listdir(args.newest))",
            "shutil.copytree(args.newest, '/backup'); args.newest = choose(args.newest)",
        )
    ),
    used(
        "folder that is listed",
        """
        import os
        ---
        ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s
        ---
        print(sorted(os.listdir("out")))
        """,
    ),
    used(
        "folder that is uploaded",
        """
        import moxing as mox
        ---
        ms.save_checkpoint(net, f"/cache/out/{epoch}.ckpt")  #s
        mox.file.copy_parallel("/cache/out", "obs://bucket/out")
        """,
    ),
    used(
        "folder around the folder",
        """
        import shutil
        ---
        ms.save_checkpoint(net, f"/cache/out/ckpt/{epoch}.ckpt")  #s
        ---
        shutil.make_archive("all", "zip", "/cache/out")
        """,
    ),
    used(
        "glob pattern",
        """
        import glob
        ---
        ms.save_checkpoint(net, f"out/net-{epoch}.ckpt")  #s
        ---
        newest = sorted(glob.glob("out/*.ckpt"))[-1]
        """,
    ),
    *(
        used(
            f"folders below: {use}",
            f"""
            import glob, os
            from pathlib import Path

            out = Path("out")
            ---
            ms.save_checkpoint(net, f"out/run/{{epoch}}.ckpt")  #s
            ---
            {use}
            """,
        )
        for use in (
            "found = list(out.rglob('*.ckpt'))",
            "found = [ms.load_checkpoint(str(each)) for each in sorted(Path('out').rglob('*'))]",
            "found = glob.glob('out/**/*.ckpt', recursive=True)",
            "found = list(glob.iglob('**/*.ckpt', recursive=True))",
            "found = list(Path('.').rglob('*.ckpt'))",
            "found = list(out.glob('**/*.ckpt'))",
            "found = glob.glob(os.path.join('out', '**', '*.ckpt'))",
        )
    ),
    used(
        "glob of a path",
        """
        from pathlib import Path

        out = Path('out')
        ---
        ms.save_checkpoint(net, f"{out}/net-{epoch}.ckpt")  #s
        ---
        found = list(out.glob("net-*.ckpt"))
        """,
    ),
    used(
        "command as a text",
        """
        import os
        ---
        ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s
        os.system("gsutil cp -r out gs://bucket")
        """,
    ),
    used(
        "command as a list",
        """
        import subprocess
        ---
        ms.save_checkpoint(net, "out/last.ckpt")  #s
        subprocess.run(["cp", "out/last.ckpt", "/backup"], check=True)
        """,
    ),
    used(
        "f-string as a command",
        """
        ---
        ms.save_checkpoint(net, f"{args.out}/last.ckpt")  #s
        os.system(f"mv {args.out}/last.ckpt /backup")
        """,
        options=True,
    ),
    used(
        "method of a path",
        """
        from pathlib import Path

        last = Path('out') / 'last.ckpt'
        ---
        ms.save_checkpoint(net, str(last))  #s
        last.rename("out/kept.ckpt")
        """,
    ),
    used(
        "size of the file",
        """
        import os
        ---
        name = f"{epoch}.ckpt"
        ms.save_checkpoint(net, name)  #s
        print(os.path.getsize(name))
        """,
    ),
    used(
        "opened to be sent",
        """
        import requests
        ---
        ms.save_checkpoint(net, "last.ckpt")  #s
        requests.post("http://host", files={"file": open("last.ckpt", "rb")})
        """,
    ),
    used(
        "client of a bucket",
        """
        from obs import ObsClient

        client = ObsClient()
        ---
        ms.save_checkpoint(net, "last.ckpt")  #s
        client.putFile("bucket", "key", "last.ckpt")
        """,
    ),
    used(
        "tar",
        """
        import tarfile
        ---
        ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s
        with tarfile.open("all.tar", "w") as tar:
            tar.add("out")
        """,
    ),
    used(
        "removed in the next pass",
        """
        import os
        ---
        if os.path.exists("best.ckpt"):
            os.remove("best.ckpt")
        ms.save_checkpoint(net, "best.ckpt")  #s
        """,
    ),
    used(
        "rotation",
        """
        import os

        saved = []
        ---
        name = f"{epoch}.ckpt"
        ms.save_checkpoint(net, name)  #s
        saved.append(name)
        if len(saved) > 1:
            os.remove(saved.pop(0))
        """,
    ),
    used(
        "best one by its number",
        """
        import os

        best = 0
        ---
        ms.save_checkpoint(net, f"out/net-{epoch}.ckpt")  #s
        best = epoch
        ---
        ms.load_checkpoint(f"out/net-{best}.ckpt", net)
        """,
    ),
    used(
        "name without its ending",
        """
        ---
        ms.save_checkpoint(net, "best")  #s
        ---
        ms.load_checkpoint("best.ckpt", net)
        """,
    ),
    used(
        "helper that copies",
        """
        import shutil


        def keep(path):
            shutil.copy(path, '/backup')
        ---
        ms.save_checkpoint(net, "last.ckpt")  #s
        keep("last.ckpt")
        """,
    ),
    used(
        "helper that returns the name",
        """
        import shutil


        def name(epoch):
            return f'out/{epoch}.ckpt'
        ---
        ms.save_checkpoint(net, name(epoch))  #s
        shutil.copy(name(epoch), '/backup')
        """,
    ),
    used(
        "helper that saves",
        """
        def keep(network, path):
            ms.save_checkpoint(network, path)  #s
        ---
        keep(net, "best.ckpt")
        ---
        ms.load_checkpoint("best.ckpt", net)
        """,
    ),
    used(
        "loop over files",
        """
        import glob
        import os
        ---
        ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s
        for old in glob.glob("out/*"):
            os.remove(old)
        """,
    ),
    case(
        "constant of another module",
        {
            "train.py": join(STEP)
            + loop(
                """
                import names

                ---
                ms.save_checkpoint(net, names.BEST)  # ! no fix
                ---
                ms.load_checkpoint(names.BEST, net)
                """
            ),
            "names.py": 'import os\n\nBEST = os.path.join(os.environ["OUT"], "best.ckpt")\n',
        },
    ),
    case(
        "imported constant, and module",
        {
            "train.py": join(STEP)
            + loop(
                """
                import os

                import names
                from names import BEST

                ---
                ms.save_checkpoint(net, BEST)  # ! no fix
                ---
                os.remove(names.BEST)
                """
            ),
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
    *(
        used(
            f"unknown folder in one that is uploaded, in {name}",
            f"""
        import datetime
        import types
        import moxing as mox
        from easydict import EasyDict

        class Config:
            root = "/cache/out"

        {made}
        ---
        ms.save_checkpoint(net, os.path.join(config.folder, f"{{epoch}}.ckpt"))  #s
        ---
        mox.file.copy_parallel("/cache/out", "obs://bucket")
        """,
            options=True,
        )
        for name, made in KEPT.items()
    ),
    *(
        used(f"file that {renamed} gives in a folder that is uploaded", beside("out", renamed), True)
        for renamed in BESIDE
    ),
    used(
        "a file of several names in a folder of several names, uploaded by a helper with several callers",
        """
        import moxing as mox

        def sync(source, target):
            mox.file.copy_parallel(source, target)

        folder = "a" if one else "b" if two else "c" if three else "d"
        name = "small" if one else "medium" if two else "large"
        sync(args.data, "obs://data")
        sync(folder + "/logs", "obs://logs")
        sync(folder + "/plots", "obs://plots")
        ---
        path = os.path.join(folder, f"{name}_{epoch}.ckpt")
        ms.save_checkpoint(net, path)  #s
        sync(path, "obs://weights")
        """,
        options=True,
    ),
    used(
        "one file uploaded by the word for folders",
        """
        import moxing as mox

        ---
        ms.save_checkpoint(net, "net_%d_%s.ckpt" % (epoch + 1, "a"))  #s
        mox.file.copy_parallel("net_%d_%s.ckpt" % (epoch + 1, "a"), "obs://bucket/net.ckpt")
        """,
    ),
    used(
        "records of the best models, averaged",
        """
        records = []
        ---
        path = f"{epoch}.ckpt"
        ms.save_checkpoint(net, path)  #s
        records.append({"loss": epoch, "path": path})
        ---
        for record in sorted(records, key=lambda each: each["loss"])[:3]:
            ms.load_checkpoint(record["path"])
        """,
    ),
    used(
        "pairs of score and path, the worst of which goes",
        """
        import heapq
        import os

        best = []
        ---
        path = f"{epoch}.ckpt"
        ms.save_checkpoint(net, path)  #s
        heapq.heappush(best, (epoch, path))
        if len(best) > 3:
            os.remove(heapq.heappop(best)[1])
        """,
    ),
    *(
        used(
            f"the worst of the kept files goes: {store}; {use}",
            f"""
        import heapq
        import json
        import os
        from collections import namedtuple
        from types import SimpleNamespace

        Saved = namedtuple("Saved", "score path")


        def trimmed(files):
            while len(files) > 3:
                os.remove(files.pop(0))
            return files


        kept = {made}
        ---
        path = f"{{epoch}}.ckpt"
        ms.save_checkpoint(net, path)  #s
        {store}
        {use}
        """,
        )
        for made, store, use in (
            ("[]", "kept.append((epoch, path))", "score, old = kept.pop(0); os.remove(old)"),
            ("[]", "kept.append((epoch, path))", "score, old = kept[-1]; os.remove(old)"),
            ("[]", "kept.append((epoch, path))", "score, old = min(kept); os.remove(old)"),
            ("[]", "heapq.heappush(kept, (epoch, path))", "score, old = heapq.heappop(kept); os.remove(old)"),
            ("[]", "score, old = heapq.heappushpop(kept, (epoch, path))", "os.remove(old)"),
            ("[]", "kept.append((epoch, path))", "for score, old in heapq.nsmallest(1, kept): os.remove(old)"),
            ("[]", "kept.append((epoch, path))", "old = kept.pop(0); os.remove(old[1])"),
            ("[]", "kept.append((epoch, path))", "old = min(kept); os.remove(old[1])"),
            ("[]", 'kept.append({"path": path})', 'old = kept[0]; os.remove(old["path"])'),
            ("[]", "kept.append(Saved(epoch, path))", "os.remove(kept.pop(0).path)"),
            ("[]", "kept.append(SimpleNamespace(path=path))", "old = kept.pop(0); os.remove(old.path)"),
            ("[]", "heapq.heappush(kept, Saved(epoch, path))", "os.remove(heapq.heappop(kept).path)"),
            ("{}", "kept[epoch] = Saved(epoch, path)", "old = kept.pop(min(kept)); os.remove(old.path)"),
            ("[]", "kept.append(path)", "*kept, old = kept; os.remove(old)"),
            ("[]", "kept = trimmed([*kept, path])", "print(kept)"),
            ("[]", "kept = trimmed(kept + [path])", "print(kept)"),
            ("{}", "kept[path] = epoch", "os.remove(min(kept, key=kept.get))"),
            ("{}", "kept[path] = epoch", "for old in list(kept): os.remove(old)"),
            ("{}", "kept[epoch] = path", "score, old = sorted(kept.items())[0]; os.remove(old)"),
            ("{}", "kept[epoch] = path", "score, old = kept.popitem(); os.remove(old)"),
            ("{}", "kept[epoch] = path", "for old in kept.values(): os.remove(old)"),
            ("{}", "kept[path] = epoch", "for old, score in kept.items(): os.remove(old)"),
            ("{}", "kept[epoch] = path", "for kept in kept.items(): os.remove(kept[1])"),
            ("[]", "kept.append((epoch, path))", "for kept in kept: score, old = kept; os.remove(old)"),
            ('json.load(open("state.json"))', 'kept["files"].append(path)', 'os.remove(kept["files"].pop(0))'),
        )
    ),
    *(
        used(
            f"a container keeps the path: {store}; {use}",
            f"""
        import os

        kept = {made}
        ---
        path = f"{{epoch}}.ckpt"
        ms.save_checkpoint(net, path)  #s
        {store}
        ---
        os.remove({use})
        """,
        )
        for made, store, use in (
            ("{}", 'kept["last"] = path', 'kept["last"]'),
            ("{}", 'kept["last"] = path', 'kept.pop("last")'),
            ("{}", 'kept["last"] = path', 'kept.get("last")'),
            ("{}", "kept[epoch] = path", "kept[3]"),
            ("{}", "kept[epoch] = path", "kept[0]"),
            ("{}", "kept[epoch] = path", "kept[1]"),
            ("{}", "kept[epoch] = path", "kept.pop(min(kept))"),
            ("[None]", "kept[0] = path", "kept[0]"),
            ("[None]", "kept[-1] = path", "kept[-1]"),
            ('{"last": "", "best": ""}', 'kept["best"] = kept["last"] = path', 'kept["best"]'),
        )
    ),
    *(
        used(
            f"the file of the pass before: {store}; {use}",
            f"""
        import os

        kept = {made}
        ---
        if epoch:
            os.remove({use})
        path = f"{{epoch}}.ckpt"
        ms.save_checkpoint(net, path)  #s
        {store}
        """,
        )
        for made, store, use in (
            ("{}", 'kept["last"] = path', 'kept["last"]'),
            ("[]", "kept.append(path)", "kept.pop(0)"),
            ("set()", "kept.add(path)", "kept.pop()"),
            ("load()", "kept.append(path)", "kept.pop(0)"),
            ('__import__("queue").Queue()', "kept.put(path)", "kept.get()"),
            ("load()", 'kept["last"] = path', 'kept["last"]'),
            ('{"last": []}', 'kept["last"].append(path)', 'kept["last"].pop(0)'),
            ("None", "kept = path", "kept"),
        )
    ),
    *(
        used(
            f"the file of the pass before, by its number: {before}",
            f"""
        import os
        ---
        if epoch and os.path.exists({before}):
            os.remove({before})
        ms.save_checkpoint(net, f"{{epoch}}.ckpt")  #s
        """,
        )
        for before in ('f"{epoch - 1}.ckpt"', '"%d.ckpt" % (epoch - 1)', 'str(epoch - 1) + ".ckpt"')
    ),
    used(
        "pairs of score and path, by a loop",
        """
        import shutil

        kept = []
        ---
        path = f"{epoch}.ckpt"
        ms.save_checkpoint(net, path)  #s
        kept.append((epoch, path))
        ---
        for score, name in kept:
            shutil.copy(name, "/backup")
        """,
    ),
    used(
        "records that a function inside of another keeps",
        """
        def keep(run):
            run()


        records = []
        ---
        def save():
            path = f"{epoch}.ckpt"
            ms.save_checkpoint(net, path)  #s
            records.append({"loss": epoch, "path": path})

        keep(save)
        ---
        for record in sorted(records, key=lambda each: each["loss"])[:3]:
            ms.load_checkpoint(record["path"])
        """,
    ),
    used(
        "a global list that a function fills",
        """
        import os

        saved = []


        def save(epoch):
            path = f"{epoch}.ckpt"
            ms.save_checkpoint(net, path)  #s
            saved.append(path)


        ---
        save(epoch)
        if epoch > 3:
            os.remove(saved.pop(0))
        """,
    ),
    *(
        used(
            name,
            f"""
        class Records:
            def __init__(self):
                self.kept = []

            def keep(self, epoch, path):
                self.kept.append((epoch, path))


        class Saver(Records):
            def real_run(self, run):
                run()

            def save(self, epoch):
                path = f"{{epoch}}.ckpt"
                ms.save_checkpoint(net, path)  #s
                {kept}

            def average(self):
                def run():
                    for loss, path in self.kept[:3]:
                        ms.load_checkpoint(path)

                self.real_run(run)


        saver = Saver()
        ---
        saver.save(epoch)
        ---
        saver.average()
        """,
        )
        for name, kept in (
            ("records of a class, read in a function inside of a method", "self.kept.append((epoch, path))"),
            ("records of a class, filled by its base", "self.keep(epoch, path)"),
            ("records of a class, filled by a lambda", "self.real_run(lambda: self.kept.append((epoch, path)))"),
        )
    ),
    *(
        used(
            f"folder that an option chooses, and that is uploaded: {name}",
            f"""
        import moxing as mox

        {textwrap.indent(choice, " " * 8).strip()}
        ---
        ms.save_checkpoint(net, {path})  #s
        ---
        if args.other:
            mox.file.copy_parallel("/cache/out", "obs://bucket")
        """,
            options=True,
        )
        for name, choice, path in (
            ("branches", "folder = 'out'\nif args.other:\n    folder = '/cache/out'", "f'{folder}/{epoch}.ckpt'"),
            ("ternary", "folder = '/cache/out' if args.other else 'out'", "os.path.join(folder, 'best.ckpt')"),
            (
                "attribute",
                "if args.other:\n    args.out = '/cache/out'\nelse:\n    args.out = 'out'",
                "'{0}/net_{1}.ckpt'.format(args.out, epoch)",
            ),
            (
                "where nothing is given",
                "if args.other:\n    args.out = args.out or '/cache/out'\nelif args.out is None:\n    args.out = 'a'",
                "args.out + '/%d.ckpt' % epoch",
            ),
            ("two options", "folder = '/cache/out' if args.other else args.out or 'out'", "folder + '/best.ckpt'"),
        )
    ),
]

LAST = """
    import glob

    class Evaluate(ms.Callback):
        def on_train_end(self, run_context):
            ms.load_checkpoint(sorted(glob.glob("ckpt/net-*.ckpt"))[-1], net)

    class Show(ms.Callback):
        def on_train_epoch_end(self, run_context):
            print(saver.latest_ckpt_file_name)

    config = CheckpointConfig(save_checkpoint_steps=100)  # ! safe
    saver = ModelCheckpoint("net", "ckpt", config)
    """
UNUSED = [
    *(
        unused(
            f"option that code replaces: {read}",
            f"""
            import glob

            parser.add_argument("--newest", default="./runs/")
            parser.add_argument("--resume", default="out/9.ckpt")
            args = parser.parse_args()
            args.resume = choose(args.resume)
            ms.load_checkpoint(args.resume)
            ---
            ms.save_checkpoint(net, f"out/{{epoch}}.ckpt")  #s
            {read}
            """,
            options=True,
        )
        for read in (
            "args.newest = sorted(glob.glob(f'{args.newest}/*.ckpt'))[-1]",
            "shutil.copytree(args.newest, '/backup'); args.newest = choose(args.newest)",
        )
    ),
    *(unused(f"file that {renamed} gives in another folder", beside("logs", renamed), True) for renamed in BESIDE),
    *(
        unused(
            f"unknown folder under an attribute: {name}",
            f"""
        import datetime
        import types
        import moxing as mox

        class Config:
            root = "/cache/out"

        {made}
        ---
        ms.save_checkpoint(net, os.path.join(config.folder, f"{{epoch}}.ckpt"))  #s
        ---
        mox.file.copy_parallel("/cache/out", "obs://bucket")
        """,
            options=True,
        )
        for name, made in KEPT_ELSEWHERE.items()
    ),
    *(
        unused(
            f"other files go: {store}; {use}",
            f"""
        import heapq
        import json
        import os
        from collections import namedtuple

        Saved = namedtuple("Saved", "path log")


        def trimmed(files):
            while len(files) > 3:
                os.remove(files.pop(0))
            return files


        kept, logs, scores = [], [], {{}}
        ---
        path, log = f"{{epoch}}.ckpt", f"{{epoch}}.log"
        ms.save_checkpoint(net, path)  #s
        {store}
        {use}
        """,
        )
        for store, use in (
            ("kept.append((epoch, path)); logs.append((epoch, log))", "score, old = logs.pop(0); os.remove(old)"),
            ("kept.append((path, log))", "first, old = kept.pop(0); os.remove(old)"),
            ("kept.append(Saved(path, log)); logs.append(Saved(log, 0))", "os.remove(logs.pop(0).path)"),
            ("kept.append(Saved(path=path, log=log))", "old = kept.pop(0); os.remove(old.log)"),
            ("kept.append(path); heapq.heappush(logs, (epoch, log))", "_, old = heapq.heappop(logs); os.remove(old)"),
            ("kept = trimmed([*kept, log])", "print(kept)"),
            ("logs = trimmed(logs + [log]); kept.append(path)", "print(kept)"),
            ("scores[path] = epoch", "print(min(scores, key=scores.get))"),
            ("scores[log] = epoch", "os.remove(min(scores, key=scores.get))"),
            ("scores[path] = log", "for old in scores.values(): print(old)"),
            ("scores[path] = log", "for name, old in scores.items(): os.remove(old)"),
            ("scores[log] = path", "for old, name in scores.items(): os.remove(old)"),
            ("scores[epoch] = path", 'json.dump(scores, open("scores.json", "w"))'),
            ('state = json.load(open("s.json")); state["kept"].append(path)', 'os.remove(state["logs"].pop(0))'),
        )
    ),
    *(
        case(f"when ModelCheckpoint has waited: {name}", MODEL, LAST, text)
        for name, text in (
            ("a callback behind it", "model.train(20, dataset, callbacks=[saver, Show(), Evaluate()])\n"),
            (
                "without an error",
                """
                try:
                    model.train(20, dataset, callbacks=[saver])
                except RuntimeError as error:
                    print(error)
                else:
                    ms.load_checkpoint("ckpt/net-20_100.ckpt", net)
                """,
            ),
        )
    ),
    *(
        unused(
            f"program that ends: {end}",
            f"""
            import os
            import sys

            if os.environ.get("EMPTY"):
                os._exit(1)

            class Server:
                def _exit(self):
                    pass

            ---
            ms.save_checkpoint(net, f"out/{{epoch}}.ckpt")  #s
            ---
            {end}
            """,
        )
        for end in ("sys.exit(0)", "exit()", "Server()._exit()")
    ),
    unused(
        "a list of the same name in another function",
        """
        def other():
            saved = []
            saved.append("other/first.ckpt")
            return [ms.load_checkpoint(path) for path in saved]


        def save(epoch):
            saved = []
            path = f"run/{epoch}.ckpt"
            ms.save_checkpoint(net, path)  #s
            saved.append(path)


        ---
        save(epoch)
        other()
        """,
    ),
    *(
        unused(
            f"another directory than the current one: {use}",
            f"""
        import os
        import shutil

        import moxing as mox

        ---
        ms.save_checkpoint(net, {path})  #s
        {use}
        """,
        )
        for path, use in (
            ("'best.ckpt'", "mox.file.copy_parallel('./logs/', 'obs://bucket')"),
            ("'/cache/best.ckpt'", "mox.file.copy_parallel('./', 'obs://bucket')"),
            ("'../best.ckpt'", "shutil.copytree('./', '/backup')"),
            ("'best.ckpt'", "os.system('cp *.txt /backup')"),
        )
    ),
    unused(
        "read only before the loop",
        """
        import os

        if os.path.exists('last.ckpt'):
            ms.load_checkpoint('last.ckpt', net)
        ---
        ms.save_checkpoint(net, "last.ckpt")  #s
        """,
    ),
    unused(
        "option to resume, by a function",
        """
        def resume(path):
            if path:
                ms.load_checkpoint(path, net)


        resume(os.path.join(args.out, 'last.ckpt'))
        ---
        ms.save_checkpoint(net, os.path.join(args.out, "last.ckpt"))  #s
        """,
        options=True,
    ),
    unused(
        "another file of the folder",
        """
        ---
        ms.save_checkpoint(net, f"{args.out}/{epoch}.ckpt")  #s
        with open(f"{args.out}/log.txt", "a") as file:
            file.write("saved")
        """,
        options=True,
    ),
    unused(
        "another folder of that name",
        """
        import shutil
        ---
        ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s
        ---
        shutil.copytree("data/out", "/backup")
        """,
    ),
    unused(
        "folder whose name only begins alike",
        """
        import os
        ---
        ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s
        ---
        os.listdir("out_of_data")
        """,
    ),
    unused(
        "another option",
        """
        ---
        ms.save_checkpoint(net, os.path.join(args.out, f"net-{epoch}.ckpt"))  #s
        ---
        os.listdir(args.other)
        """,
        options=True,
    ),
    unused(
        "folder is made and tested for",
        """
        ---
        if not os.path.exists(args.out):
            os.makedirs(args.out)
        ms.save_checkpoint(net, f"{args.out}/{epoch}.ckpt")  #s
        """,
        options=True,
    ),
    unused(
        "name is printed and logged",
        """
        import logging
        ---
        name = f"{epoch}.ckpt"
        ms.save_checkpoint(net, name)  #s
        print("saved", name)
        logging.info("saved %s", name)
        """,
    ),
    unused(
        "name goes into a list",
        """
        saved = []
        ---
        name = f"{epoch}.ckpt"
        ms.save_checkpoint(net, name)  #s
        saved.append(name)
        if 'old.ckpt' in saved:
            saved.remove(name)
        """,
    ),
    unused(
        "other ending",
        """
        import glob
        ---
        ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s
        ---
        print(glob.glob("out/*.png"))
        """,
    ),
    *(
        unused(
            f"other files in folders below: {use}",
            f"""
            import glob
            from pathlib import Path

            out = Path("out")
            ---
            ms.save_checkpoint(net, f"out/run/net-{{epoch}}.ckpt")  #s
            ---
            {use}
            """,
        )
        for use in (
            "found = list(out.rglob('*.png'))",
            "found = glob.glob('out/**/*.json', recursive=True)",
            "found = list(Path('data').rglob('*.ckpt'))",
            "found = list(Path('other').glob('**/*'))",
            "found = glob.glob('/data/**/*.ckpt', recursive=True)",
            "found = list(out.rglob('events.*'))",
            "found = list((out / 'plots').rglob('*'))",
            "found = glob.glob('out/*.ckpt')",
        )
    ),
    unused(
        "best and last",
        """
        ---
        ms.save_checkpoint(net, "out/last.ckpt")  #s
        ---
        ms.load_checkpoint("out/teacher.ckpt", net)
        """,
    ),
    unused(
        "weights of a backbone",
        """
        ---
        ms.save_checkpoint(net, f"net-{epoch}.ckpt")  #s
        ---
        ms.load_checkpoint(args.other, net)
        """,
        options=True,
    ),
    unused(
        "text that is replaced",
        """
        ---
        name = f"{epoch}.ckpt"
        ms.save_checkpoint(net, name)  #s
        print(name.replace(".ckpt", ".pth"))
        """,
    ),
    unused(
        "each fold has its own file",
        """
        ---
        ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s
        ---
        np = __import__("numpy")
        np.save("out/scores.npy", [1])
        """,
    ),
    *(
        unused(
            f"an epoch that is complete is left out: {name}",
            f"""
        import os
        ---
        if os.path.exists({name}):
            continue
        ms.save_checkpoint(net, {name})  #s
        """,
        )
        for name in ('f"{epoch + 1}.ckpt"', '"%03d.ckpt" % epoch', '"e" + str(epoch) + ".ckpt"')
    ),
    unused(
        "other things are saved",
        """
        import wandb
        from PIL import Image
        ---
        path = f"out/{epoch}.ckpt"
        ms.save_checkpoint(net, path)  #s
        wandb.save("out/*.json")
        self.curve.save(path)
        Image.new("L", (9, 9)).save(f"out/{epoch}.png")
        """,
    ),
    unused(
        "command that does not touch it",
        """
        import os
        ---
        ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s
        os.system("nvidia-smi --loop")
        """,
    ),
    *(
        unused(
            f"command that makes its folder: {command}",
            f"""
        import os

        ---
        ms.save_checkpoint(net, f"out/{{epoch}}.ckpt")  #s
        {command}
        """,
        )
        for command in (
            'os.system("mkdir -p out")',
            'os.system(" mkdir out")',
            'os.system("mkdir -p " + "out" + input())',
            '__import__("subprocess").run(["mkdir", "-p", "out"])',
            "os.system(f\"mkdir -p {os.path.dirname('out/a')}\")",
        )
    ),
    unused(
        "data folder",
        """
        import os

        for name in os.listdir('data'):
            print(name)
        ---
        ms.save_checkpoint(net, f"out/{epoch}.ckpt")  #s
        ---
        print(os.listdir('data'))
        """,
    ),
    unused(
        "arm that another mode takes",
        """
        import os
        ---
        if epoch % 2:
            ms.save_checkpoint(net, "last.ckpt")  #s
        ---
        if False:
            os.remove('last.ckpt')
        """,
    ),
    unused(
        "helper loads another file later",
        """
        def load(path):
            ms.load_checkpoint(path, net)


        load('last.ckpt')
        ---
        ms.save_checkpoint(net, "last.ckpt")  #s
        ---
        load('teacher.ckpt')
        """,
    ),
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
            "train.py": join(STEP) + loop('---\nms.save_checkpoint(net, f"{epoch}.ckpt")  # ! unsafe\n'),
            "run.sh": "python train.py\ncp *.ckpt /backup\n",
        },
    ),
    unused(
        "other files of the folder, under names that are not known",
        """
        import os
        import sys

        ---
        ms.save_checkpoint(net, "out/best.ckpt")  #s
        ---
        os.remove(os.path.join("out", sys.argv[1]))
        """,
    ),
    unused(
        "upload of an option that is empty by default",
        """
        import argparse

        import moxing as mox

        parser = argparse.ArgumentParser()
        parser.add_argument("--local", default="")
        args = parser.parse_args()
        ---
        ms.save_checkpoint(net, f"{epoch}.ckpt")  #s
        ---
        mox.file.copy_parallel("obs://data", args.local)
        """,
    ),
    *(
        unused(
            f"another folder than the ones that an option chooses is uploaded: {name}",
            f"""
        import moxing as mox

        {textwrap.indent(choice, " " * 8).strip()}
        ---
        ms.save_checkpoint(net, f"{{folder}}/{{epoch}}.ckpt")  #s
        ---
        mox.file.copy_parallel("/cache/logs", "obs://bucket")
        """,
            options=True,
        )
        for name, choice in (
            ("branches", "folder = '/cache/a'\nif args.other:\n    folder = '/cache/b'"),
            ("ternary", "folder = '/cache/a' if args.other else '/cache/b'"),
            ("attribute", "args.out = '/cache/a' if args.other else '/cache/b'\nfolder = args.out"),
        )
    ),
    case(
        "callback that looks for another file of the folder of ModelCheckpoint",
        MODEL,
        """
        import os


        class Best(ms.Callback):
            def on_train_epoch_end(self, run_context):
                if os.path.exists("ckpt/net_best.ckpt"):
                    print("there is a best one")


        config = CheckpointConfig(save_checkpoint_steps=100)  # ! safe
        model.train(20, dataset, callbacks=[ModelCheckpoint("net", "./ckpt", config), Best()])
        """,
    ),
    unused(
        "records of other files",
        """
        import shutil

        kept = [("log", "log.txt")]
        ---
        ms.save_checkpoint(net, f"{epoch}.ckpt")  #s
        kept.append((f"{epoch}.ckpt", f"{epoch}.png"))
        ---
        for title, name in kept:
            shutil.copy(name, "/backup")
        """,
    ),
]


RETURNED = """
import shutil


def paths(epoch):
    found = f"out/{epoch}.json", f"out/{epoch}.ckpt"
    return RETURN


---
LEFT
ms.save_checkpoint(net, path)  #s
---
THEN
"""
TUPLES = [
    (
        'f"out/{epoch}.json", f"out/{epoch}.ckpt"',
        "_, path = paths(epoch)",
        '_, best = paths(5)\nshutil.copy(best, "a")',
        True,
    ),
    ('[f"out/{epoch}.json", f"out/{epoch}.ckpt"]', "_, path = paths(epoch)", 'shutil.copy("out/5.ckpt", "a")', True),
    ("found", '_, path = "", "out/last.ckpt"', 'shutil.copy("out/last.ckpt", "a")', True),
    ('f"out/{epoch}.json", f"out/{epoch}.ckpt"', "_, path = paths(epoch)", 'log, _ = paths(5)\nopen(log, "w")', False),
    ('f"out/{epoch}.json", f"out/{epoch}.ckpt"', "_, path = paths(epoch)", 'shutil.copy("log/5.txt", "a")', False),
]
for returned, left, then, is_used in TUPLES:
    text = RETURNED.replace("RETURN", returned).replace("LEFT", left).replace("THEN", then)
    (USED if is_used else UNUSED).append((used if is_used else unused)(f"{returned}; {left}; {then}", text))


PREVIOUS = """
import os
import shutil
import subprocess
from pathlib import Path

previous = None
---
path = NAME
ms.save_checkpoint(net, path)  #s
if previous is not None:
    REMOVES
previous = path
"""
BY_COMMANDS = (
    'os.system(f"rm {previous}")',
    'os.system("rm %s" % previous)',
    'os.system("rm -f {}".format(previous))',
    'os.popen("rm -rf \'" + str(previous) + "\'")',
    'subprocess.run(["rm", "-f", previous])',
    'subprocess.Popen("rm %s" % (previous,), shell=True)',
    'subprocess.call(f"tool --drop={previous}", shell=True)',
    "shutil.move(previous, 'old.ckpt')",
    "Path(previous).unlink()",
)
OTHERS = ('os.system("rm -rf summary")', 'subprocess.run(["rm", "epoch=1.log"])', 'os.system("tool --level=3")')
NAMES = ('f"out/epoch={epoch}_score.ckpt"', 'f"out/{epoch}.ckpt"', '"out/best_" + str(epoch) + ".ckpt"')
for removes in BY_COMMANDS:
    for name in NAMES:
        text = PREVIOUS.replace("REMOVES", removes).replace("NAME", name)
        USED.append(used(f"the previous one, of {name}: {removes}", text))
TEMPORARY = """
    import os
    import tempfile
    from pathlib import Path
    from tempfile import TemporaryDirectory

    MADE
    ---
    ms.save_checkpoint(net, PATH)  #s
"""
for made, path in (
    ("folder = tempfile.mkdtemp()\n    tmp = TemporaryDirectory()", 'os.path.join(tmp.name, f"{epoch}.ckpt")'),
    ("tmp = tempfile.TemporaryDirectory(prefix='a')", 'str(Path(tmp.name) / f"{epoch}.ckpt")'),
    ("tmp = TemporaryDirectory()\n    folder = tmp.name", 'f"{folder}/{epoch}.ckpt"'),
    ("tmp = stack.enter_context(TemporaryDirectory())", 'f"{tmp}/{epoch}.ckpt"'),
    ("tmp = Path(stack.enter_context(tempfile.TemporaryDirectory(dir='a'))) / 'b'", 'str(tmp / f"{epoch}.ckpt")'),
):
    USED.append(used(f"temporary folder: {path}", TEMPORARY.replace("MADE", made).replace("PATH", path)))
INSIDE = """
    import os
    from tempfile import TemporaryDirectory

    def save(folder, epoch):
        ms.save_checkpoint(net, os.path.join(folder, f"{epoch}.ckpt"))  #s

    ---
    with TemporaryDirectory() as scratch:
        save(FOLDER, epoch)
    queue.put((epoch, "done"))
"""
USED.append(used("temporary folder of a `with`", INSIDE.replace("FOLDER", "scratch")))
OWN_FOLDER = """
    import contextlib
    import os
    import shutil
    import tempfile

    MANAGER

    def save(folder, epoch):
        ms.save_checkpoint(net, os.path.join(folder, f"{epoch}.ckpt"))  #s

    ---
    with stage() as scratch:
        save(FOLDER, epoch)
"""
BY_GENERATOR = "@contextlib.contextmanager\n    def stage():\n"
MANAGERS = (
    BY_GENERATOR + "        with tempfile.TemporaryDirectory() as made:\n            yield made\n",
    BY_GENERATOR + "        made = tempfile.mkdtemp()\n        try:\n            yield made\n        finally:\n"
    "            shutil.rmtree(made)\n",
    "class stage:\n        def __enter__(self):\n            self.made = tempfile.mkdtemp()\n"
    "            return self.made\n\n        def __exit__(self, *args):\n            shutil.rmtree(self.made)\n",
)
for manager in MANAGERS:
    made = OWN_FOLDER.replace("MANAGER", manager)
    USED.append(used(f"temporary folder of an own manager: {manager}", made.replace("FOLDER", "scratch")))
    UNUSED.append(unused(f"another folder than that of a manager: {manager}", made.replace("FOLDER", '"out"')))
STAYS = TEMPORARY.replace("MADE", "tmp = tempfile.mkdtemp()").replace("PATH", 'f"{tmp}/{epoch}.ckpt"')
UNUSED.append(unused("another folder than the temporary one", INSIDE.replace("FOLDER", '"out"')))
UNUSED.append(unused("a folder of a temporary name that stays", STAYS))
KEPT = OWN_FOLDER.replace("MANAGER", BY_GENERATOR + "        os.makedirs('out')\n        yield 'out'\n")
UNUSED.append(unused("the folder of a manager that stays", KEPT.replace("FOLDER", "scratch")))
OTHER_FOLDER = TEMPORARY.replace("MADE", "tmp = stack.enter_context(TemporaryDirectory())").replace(
    "PATH", 'f"{epoch}.ckpt"'
)
UNUSED.append(unused("another folder than that of a stack", OTHER_FOLDER))
UNUSED += [
    unused(f"the previous one stays: {each}", PREVIOUS.replace("REMOVES", each).replace("NAME", NAMES[0]))
    for each in OTHERS
]


BY_CALL = [  # functions that load a file if they are told to, with a call that does not tell them, and one that does
    ("def test(load=False):\n    if load:\n        ms.load_checkpoint('net.ckpt')\n", "test()", "test(True)"),
    (
        "def test(load=False):\n    if load:\n        ms.load_checkpoint('net.ckpt')\n",
        "test(load=False)",
        "test(load=1)",
    ),
    (
        "def test(path=None):\n    if path is not None:\n        ms.load_checkpoint(path)\n",
        "test()",
        "test('net.ckpt')",
    ),
    ("def test(net=None):\n    if net is None:\n        ms.load_checkpoint('net.ckpt')\n", "test(net)", "test()"),
    (
        "def test(load=False):\n    if not load:\n        return\n    ms.load_checkpoint('net.ckpt')\n",
        "test()",
        "test(True)",
    ),
    (
        "def read():\n    ms.load_checkpoint('net.ckpt')\ndef test(load=False):\n    if load:\n        read()\n",
        "test()",
        "test(True)",
    ),
    (
        "class Test:\n    def run(self, load=False):\n        if load:\n            ms.load_checkpoint('net.ckpt')\n",
        "Test().run()",
        "Test().run(True)",
    ),
    (
        "def test(load=False):\n    if load:\n        ms.load_checkpoint('net.ckpt')\n",
        "test()",
        "test()\ntest(unknown())",
    ),
]


@pytest.mark.parametrize(("made", "quiet", "loading"), BY_CALL)
def test_a_function_loads_where_its_call_says_so(made: str, quiet: str, loading: str) -> None:
    for call, mark in ((quiet, "unsafe"), (loading, "no fix")):
        text = loop(f"---\nms.save_checkpoint(net, 'net.ckpt')  # ! {mark}\n{call}\n")
        fires(CODE, Program({"train.py": join(STEP, made, text)}))


@pytest.mark.parametrize("program", USED)
def test_used(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", UNUSED)
def test_unused(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize(
    ("start", "use", "verb"),
    [
        ("import os", 'os.rename("last.ckpt", "kept.ckpt")', "moved or renamed"),
        ("import zipfile", 'zipfile.ZipFile("all.zip", "w").write("last.ckpt")', "packed"),
        ("import tarfile", 'tarfile.open("all.tar", "w").add("last.ckpt")', "packed"),
        ("import mlflow", 'mlflow.log_artifact("last.ckpt")', "uploaded"),
        ("import wandb", 'wandb.save("last.ckpt")', "uploaded"),
        ("import wandb", 'wandb.save(glob_str="*.ckpt")', "uploaded"),
        ("import wandb", 'wandb.Artifact("m", "model").add_file("last.ckpt")', "uploaded"),
        ("import wandb", 'wandb.Artifact("m", "model").add_dir(".")', "uploaded"),
        ("import paramiko", 'paramiko.SSHClient().open_sftp().put("last.ckpt", "/remote/last.ckpt")', "uploaded"),
        ("from scp import SCPClient", 'SCPClient(None).put(".", recursive=True, remote_path="/r")', "uploaded"),
    ],
)
def test_the_finding_names_the_place(start: str, use: str, verb: str) -> None:
    program = Program({"train.py": join(STEP) + loop(f'{start}\n---\nms.save_checkpoint(net, "last.ckpt")\n{use}\n')})
    (finding,) = program.lint(CODE).findings
    row = next(at for at, line in enumerate(program.files["train.py"].splitlines(), 1) if use in line)
    assert finding.fix is None and f"line {row} " in finding.message
    says = f"the file, or its folder, is {verb} here"
    assert [(each.place.row, each.message) for each in finding.related] == [(row, says)]


LISTS = [
    (
        "saved = []",
        "saved.append(path)",
        "def clean(olds):\n    for old in olds[:-3]:\n        os.remove(old)\n\n\nclean(saved)",
    ),
    ("saved = []", "saved += [path]", "def clean(olds):\n    os.remove(olds.pop(0))\n\n\nclean(olds=saved)"),
    ("saved = []\nfiles = saved", "files.extend([path])", "os.remove(saved[0])"),
    ("def keep(files, path):\n    files.append(path)\n\n\nsaved = []", "keep(saved, path)", "os.remove(saved[-1])"),
    (
        "class Kept:\n    def __init__(self):\n        self.files = []\n\n\nkept = Kept()",
        "kept.files.append(path)",
        "os.remove(kept.files[0])",
    ),
    ("def make():\n    return []\n\n\nsaved = make()", "saved.insert(0, path)", "os.remove(saved[-1])"),
    ("saved = [None]\nfiles = saved", "files[-1] = path", "os.remove(saved[0])"),
    ("saved = [None, None]\nfiles = saved", "files[0], files[1] = path, files[0]", "os.remove(saved[1])"),
    ("saved = [None]", "saved[:] = [path]", "os.remove(saved[0])"),
    ("saved = []\nfiles = saved", "files[:] = [path, *files[:2]]", "os.remove(saved[0])"),
    ("saved = []\nfiles = saved", "files[:] = [path] + files", "os.remove(saved[0])"),
    ("saved = []\nfiles = saved", "new = [path]\nfiles[len(files):] = new", "os.remove(saved[0])"),
    ("saved = []\nfiles = saved", "files.insert(0, path)\ndel files[3:]", "os.remove(saved[0])"),
    ("saved = []", "saved = [path] + saved", "os.remove(saved[0])"),
    ("saved = []", "saved = (saved + [path])[-3:]", "os.remove(saved[0])"),
]
OTHER_LISTS = [
    ("saved, files = [None], [None]", "files[:] = [path]", "os.remove(saved[0])"),
    ("saved = ['log.txt']", "files = [path] + ['all']", "os.remove(saved[0])"),
    ("saved = ['a.txt']\nfiles = ['b.txt']", "files[:1] = [path]", "os.remove(saved[0])"),
]


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize(("made", "keep", "clean"), LISTS)
def test_a_list_of_paths_has_several_names(made: str, keep: str, clean: str, is_kept: bool) -> None:
    saved = f'path = f"{{epoch}}.ckpt"\nms.save_checkpoint(net, path)\n{keep if is_kept else "pass"}\n'
    text = join(STEP, loop(f"import os\n{made}\n---\n{saved}---\n{clean}\n"))
    (finding,) = Program({"train.py": text}).lint(CODE).findings
    assert (finding.fix is None) is is_kept


@pytest.mark.parametrize(("made", "keep", "clean"), OTHER_LISTS)
def test_another_list_of_paths(made: str, keep: str, clean: str) -> None:
    saved = f'path = f"{{epoch}}.ckpt"\nms.save_checkpoint(net, path)\n{keep}\n'
    text = join(STEP, loop(f"import os\n{made}\n---\n{saved}---\n{clean}\n"))
    (finding,) = Program({"train.py": text}).lint(CODE).findings
    assert finding.fix is not None


LATEST = [
    ("the property", "ms.load_checkpoint(saver.latest_ckpt_file_name, net)", "pass", "no fix"),
    ("the attribute", "ms.load_checkpoint(saver._latest_ckpt_file_name, net)", "pass", "no fix"),
    ("passed to a function", "evaluate(saver._latest_ckpt_file_name)", "pass", "no fix"),
    ("bound before", "newest = saver.latest_ckpt_file_name\n                evaluate(newest)", "pass", "no fix"),
    ("passed through two functions", "measure(saver.latest_ckpt_file_name)", "pass", "no fix"),
    ("an unknown file", "evaluate(choose())", "pass", "unsafe"),
    ("read after the training", "evaluate(choose())", "print(saver._latest_ckpt_file_name)", "unsafe"),
    ("the attribute of another object", "evaluate(other._latest_file_name)", "pass", "unsafe"),
]


@pytest.mark.parametrize(("name", "used", "after", "mark"), LATEST, ids=[name for name, *_ in LATEST])
def test_the_newest_file_is_read_while_it_is_written(name: str, used: str, after: str, mark: str) -> None:
    text = f"""
        def evaluate(path):
            ms.load_checkpoint(path, net)


        def measure(path):
            evaluate(path)


        class Evaluate(ms.Callback):
            def on_train_epoch_end(self, run_context):
                {used}


        config = CheckpointConfig(save_checkpoint_steps=100)  # ! {mark}
        saver = ModelCheckpoint("net", "ckpt", config)
        model.train(20, dataset, callbacks=[saver, Evaluate()])
        {after}
        """
    fires(CODE, case(name, MODEL, text).values[0])  # type: ignore[attr-defined]


DERIVED = """
    def evaluate(path):
        ms.load_checkpoint(path, net)


    class Saver(ModelCheckpoint):
        def step_end(self, run_context):
            super().step_end(run_context)
            evaluate(self._latest_ckpt_file_name)


    config = CheckpointConfig(save_checkpoint_steps=100)  # ! no fix
    model.train(20, dataset, callbacks=[Saver("net", "ckpt", config)])
    """


def test_a_saver_evaluates_what_it_writes() -> None:
    fires(CODE, case("derived", MODEL, DERIVED).values[0])  # type: ignore[attr-defined]
