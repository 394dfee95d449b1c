"""MSP510 debug-switch-left-on: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, join, quiet

CODE = "MSP510"

IMPORTS = """
    import argparse
    import os

    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import nn

    """
GRAPH = "ms.set_context(mode=ms.GRAPH_MODE)\n"
EAGER = "ms.set_context(mode=ms.PYNATIVE_MODE)\n"
TRAIN = """
    train_set = ds.MindDataset("train.mindrecord").batch(32)
    net = nn.Dense(64, 16)
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
    model.train(10, train_set)
    """
OPTIONS = """
    parser = argparse.ArgumentParser()
    parser.add_argument("--save_graphs", type=int, default={default})
    parser.add_argument("--debug", action="store_true")
    args = parser.parse_args()
    """
SHELL = "export {name}={value}\npython train.py\n"
SET = 'os.environ["MS_DEV_SAVE_GRAPHS"] = "{value}"\n'
REPORTED = join(GRAPH, TRAIN).rstrip() + "  # ! no fix\n"


def launched(name: str, value: str, *text: str) -> dict[str, str]:
    """Return a program with the script that starts it."""
    return {"train.py": join(IMPORTS, *text), "run.sh": SHELL.format(name=name, value=value)}


FIRES = [
    case("true", IMPORTS, "ms.set_context(mode=ms.GRAPH_MODE, save_graphs=True)  # ! safe\n", TRAIN),
    case("a level", IMPORTS, "ms.set_context(save_graphs=2, mode=0)  # ! safe\n", TRAIN),
    case(
        "a call of its own", IMPORTS, GRAPH, 'ms.set_context(save_graphs=1, save_graphs_path="ir")  # ! safe\n', TRAIN
    ),
    case(
        "another spelling",
        IMPORTS,
        "from mindspore import context\n",
        GRAPH,
        "context.set_context(save_graphs=3)  # ! safe\n",
        TRAIN,
    ),
    case(
        "a path that is read",
        IMPORTS,
        GRAPH,
        'ms.set_context(save_graphs=1, save_graphs_path="./ir")  # ! display-only\n',
        TRAIN,
        'print(os.listdir("ir"))\n',
    ),
    *(
        case(
            f"a path {name}",
            IMPORTS,
            f'before = os.listdir("ir")\n{GRAPH}',
            f'ms.set_context(save_graphs=1, save_graphs_path="ir")  # ! {safety}\n',
            TRAIN,
            use,
        )
        for name, use, safety in (
            ("whose file is read", 'open("ir/graph.ir").read()\n', "display-only"),
            (
                "whose files are sought below",
                'from pathlib import Path\n\nlist(Path(".").rglob("*.ir"))\n',
                "display-only",
            ),
            ("whose files are sought by **", 'import glob\n\nglob.glob("**/*.ir", recursive=True)\n', "display-only"),
            (
                "beside which others are sought",
                'from pathlib import Path\n\nlist(Path(".").rglob("*.png"))\n',
                "unsafe",
            ),
            ("that is removed", 'import shutil\n\nshutil.rmtree("./ir")\n', "display-only"),
            ("that a command packs", 'os.system("tar czf ir.tar.gz ir")\n', "display-only"),
            ("that is only read before", "print(before)\n", "unsafe"),
            ("that is only named", 'print("ir")\n', "unsafe"),
            ("beside another that is read", 'os.listdir("other")\n', "unsafe"),
        )
    ),
    *(
        case(f"no path, and {use}", IMPORTS, GRAPH, f"ms.set_context(save_graphs=1)  # ! {safety}\n", TRAIN, f"{use}\n")
        for use, safety in (
            ('os.listdir(".")', "display-only"),
            ('os.system("rm -f *.ir")', "display-only"),
            ('import glob\nglob.glob("*.ir")', "display-only"),
            ('import glob\nglob.glob("*.ckpt")', "safe"),
            ('os.listdir("checkpoints")', "safe"),
        )
    ),
    *(
        case(name, IMPORTS, f"{text}  # ! display-only\n", TRAIN)
        for name, text in (
            ("keywords of a dict", "given = dict(mode=0, save_graphs=True)\nms.set_context(**given)"),
            (
                "a partial function",
                "import functools\nsetup = functools.partial(ms.set_context, mode=0, save_graphs=True)\nsetup()",
            ),
        )
    ),
    case(
        "a path that is not known",
        IMPORTS,
        GRAPH,
        "ms.set_context(save_graphs=1, save_graphs_path=os.getcwd())  # ! unsafe\n",
        TRAIN,
    ),
    case(
        "an option",
        IMPORTS,
        OPTIONS.format(default=1),
        GRAPH,
        "ms.set_context(save_graphs=args.save_graphs)  # ! display-only\n",
        TRAIN,
    ),
    case("a constant", IMPORTS, "SAVE = True\n", "ms.set_context(mode=ms.GRAPH_MODE, save_graphs=SAVE)  # !\n", TRAIN),
    case(
        "in a helper",
        IMPORTS,
        "def setup():\n    ms.set_context(mode=ms.GRAPH_MODE, save_graphs=True)  # ! safe\n\n\nsetup()\n",
        TRAIN,
    ),
    case("on a CPU", IMPORTS, "ms.set_context(mode=ms.GRAPH_MODE, save_graphs=True)  # ! safe\n", TRAIN, device="CPU"),
    case("eager", IMPORTS, "ms.set_context(mode=ms.PYNATIVE_MODE, pynative_synchronize=True)  # ! unsafe\n", TRAIN),
    case("eager by default", IMPORTS, "ms.set_context(pynative_synchronize=True)  # ! unsafe\n", TRAIN),
    case("blocking launches", IMPORTS, EAGER, "ms.runtime.launch_blocking()  # ! unsafe\n", TRAIN),
    case("the data pipeline", IMPORTS, GRAPH, "ds.config.set_debug_mode(True)  # ! unsafe\n", TRAIN),
    case("exported", launched("MS_DEV_SAVE_GRAPHS", "1", REPORTED)),
    case("exported, eager", launched("ASCEND_LAUNCH_BLOCKING", "1", REPORTED.replace("GRAPH_MODE", "PYNATIVE_MODE"))),
    case("set in code", IMPORTS, SET.format(value="1"), REPORTED),
    case("set by a constant", IMPORTS, 'SAVED = "2"\nos.environ["MS_DEV_SAVE_GRAPHS"] = SAVED\n', REPORTED),
    case("set with a default", IMPORTS, 'os.environ.setdefault("MS_DEV_SAVE_GRAPHS", "1")\n', REPORTED),
    case("set by a keyword", IMPORTS, 'os.environ.update(GLOG_v="3", MS_DEV_SAVE_GRAPHS="1")\n', REPORTED),
    case("put", IMPORTS, 'os.putenv("MS_DEV_SAVE_GRAPHS", "1")\n', REPORTED),
    case("set among others", IMPORTS, 'os.environ.update({"GLOG_v": "3", "MS_DEV_SAVE_GRAPHS": "1"})\n', REPORTED),
    case("set in a helper", IMPORTS, f"def setup():\n    {SET.format(value=3)}\n\nsetup()\n", REPORTED),
    case(
        "set unless asked",
        IMPORTS,
        OPTIONS.format(default=0),
        f"if not args.debug:\n    {SET.format(value=1)}",
        REPORTED,
    ),
]
SAVED = "ms.set_context(mode=ms.GRAPH_MODE, save_graphs=True)  # ! safe\n"
OFF = "ms.set_context(save_graphs=False)\n"
FIRES += [
    case(f"turned off {name}", IMPORTS, OPTIONS.format(default=0), *text)
    for name, *text in (
        ("behind the training", SAVED, TRAIN, OFF),
        ("on request", SAVED, f"if args.debug:\n    {OFF}", TRAIN),
        ("before", OFF, SAVED, TRAIN),
        ("in a function that nothing calls", SAVED, f"def off():\n    {OFF}\n", TRAIN),
        ("and on again", SAVED.replace("  # ! safe", ""), OFF, SAVED, TRAIN),
        ("for another switch", SAVED, "ms.set_context(pynative_synchronize=False)\n", TRAIN),
    )
]
FIRES += [
    case("set, and another is taken", IMPORTS, SET.format(value="1"), 'os.environ.pop("GLOG_v", None)\n', REPORTED),
    case("set, and another is deleted", IMPORTS, SET.format(value="1"), 'del os.environ["GLOG_v"]\n', REPORTED),
    case("set in the body of a try", IMPORTS, f"try:\n    {SAVED}except ValueError:\n    pass\n", TRAIN),
    case("set between two trainings", IMPORTS, GRAPH, TRAIN, SAVED, "model.train(1, train_set)\n"),
]
QUIET = [
    *(
        case(f"turned off {name}", IMPORTS, OPTIONS.format(default=0), *text)
        for name, *text in (
            ("before the training", SAVED.replace("  # ! safe", ""), OFF, TRAIN),
            ("by level 0", SAVED.replace("  # ! safe", ""), "ms.set_context(save_graphs=0)\n", TRAIN),
            ("unless requested", SAVED.replace("  # ! safe", ""), f"if not args.debug:\n    {OFF}", TRAIN),
            ("where it is not known", SAVED.replace("  # ! safe", ""), f"if input():\n    {OFF}", TRAIN),
            ("by an option", SAVED.replace("  # ! safe", ""), OFF.replace("False", "args.save_graphs"), TRAIN),
            ("in a function", SAVED.replace("  # ! safe", ""), f"def off():\n    {OFF}\noff()\n", TRAIN),
            ("for the data pipeline", "ds.config.set_debug_mode(True)\nds.config.set_debug_mode(False)\n", TRAIN),
            (
                "for eager operators",
                "ms.set_context(mode=ms.PYNATIVE_MODE, pynative_synchronize=True)\n",
                "ms.set_context(pynative_synchronize=False)\n",
                TRAIN,
            ),
        )
    ),
    *(
        case(f"set in code, and {text}", IMPORTS, SET.format(value="1"), GRAPH, f"{text}\n", TRAIN)
        for text in (
            'os.environ.pop("MS_DEV_SAVE_GRAPHS")',
            'os.environ.pop("MS_DEV_SAVE_GRAPHS", None)',
            "os.environ.pop(input())",
            "os.environ.clear()",
            'del os.environ["MS_DEV_SAVE_GRAPHS"]',
            'for name in ("GLOG_v", "MS_DEV_SAVE_GRAPHS"):\n    if name in os.environ:\n        del os.environ[name]',
        )
    ),
    case("only behind the training", IMPORTS, GRAPH, TRAIN, "ms.set_context(save_graphs=True)\nms.export(net)\n"),
    case("a data pipeline behind the training", IMPORTS, GRAPH, TRAIN, "ds.config.set_debug_mode(True)\n"),
    case("where something fails", IMPORTS, f"try:\n    {GRAPH}except RuntimeError:\n    {SAVED[:-10]}\n", TRAIN),
    case("false", IMPORTS, "ms.set_context(mode=ms.GRAPH_MODE, save_graphs=False)\n", TRAIN),
    case("level 0", IMPORTS, "ms.set_context(mode=ms.GRAPH_MODE, save_graphs=0)\n", TRAIN),
    case("not said", IMPORTS, GRAPH, TRAIN),
    case("nothing trains", IMPORTS, "ms.set_context(mode=ms.GRAPH_MODE, save_graphs=True)\n"),
    case(
        "evaluation",
        IMPORTS,
        "ms.set_context(mode=ms.GRAPH_MODE, save_graphs=True)\n",
        TRAIN.replace(".train(10, train_set)", ".eval(train_set)"),
    ),
    case(
        "an option that is off",
        IMPORTS,
        OPTIONS.format(default=0),
        GRAPH,
        "ms.set_context(save_graphs=args.save_graphs)\n",
        TRAIN,
    ),
    case(
        "behind a flag",
        IMPORTS,
        OPTIONS.format(default=0),
        GRAPH,
        "if args.debug:\n    ms.set_context(save_graphs=True)\n",
        TRAIN,
    ),
    case("not known", IMPORTS, GRAPH, 'ms.set_context(save_graphs=os.environ.get("SAVE") == "1")\n', TRAIN),
    case(
        "graphs of a program that has none", IMPORTS, "ms.set_context(mode=ms.PYNATIVE_MODE, save_graphs=True)\n", TRAIN
    ),
    case("synchronous graphs", IMPORTS, "ms.set_context(mode=ms.GRAPH_MODE, pynative_synchronize=True)\n", TRAIN),
    case("blocking launches of a graph", IMPORTS, GRAPH, "ms.runtime.launch_blocking()\n", TRAIN),
    case(
        "eager on a CPU",
        IMPORTS,
        "ms.set_context(mode=ms.PYNATIVE_MODE, pynative_synchronize=True)\n",
        TRAIN,
        device="CPU",
    ),
    case("deterministic", IMPORTS, 'ms.set_context(mode=ms.GRAPH_MODE, deterministic="ON")\n', TRAIN),
    case("the data pipeline as it is", IMPORTS, GRAPH, "ds.config.set_debug_mode(False)\n", TRAIN),
    case("not of MindSpore", IMPORTS, GRAPH, "import settings\nsettings.set_context(save_graphs=True)\n", TRAIN),
    case("exported as off", launched("MS_DEV_SAVE_GRAPHS", "0", GRAPH, TRAIN)),
    case("exported for the other mode", launched("ASCEND_LAUNCH_BLOCKING", "1", GRAPH, TRAIN)),
    case("set as off", IMPORTS, SET.format(value="0"), GRAPH, TRAIN),
    case(
        "set behind a flag",
        IMPORTS,
        OPTIONS.format(default=0),
        f"if args.debug:\n    {SET.format(value=1)}",
        GRAPH,
        TRAIN,
    ),
    case("set to what the user says", IMPORTS, 'os.environ["MS_DEV_SAVE_GRAPHS"] = input()\n', GRAPH, TRAIN),
    case("set behind an unknown test", IMPORTS, f"if input():\n    {SET.format(value=1)}", GRAPH, TRAIN),
    case("set on and off", IMPORTS, SET.format(value="1"), SET.format(value="0"), GRAPH, TRAIN),
    case("set in a helper that nothing calls", IMPORTS, f"def setup():\n    {SET.format(value=1)}\n", GRAPH, TRAIN),
    case("set for the other mode", IMPORTS, SET.format(value="1"), EAGER, TRAIN),
    case("another variable", IMPORTS, 'os.environ["MS_DEV_SAVE_GRAPHS_PATH"] = "1"\n', GRAPH, TRAIN),
    case("a mapping of its own", IMPORTS, 'settings = {}\nsettings["MS_DEV_SAVE_GRAPHS"] = "1"\n', GRAPH, TRAIN),
    case("exported for a script that does not train", launched("MS_DEV_SAVE_GRAPHS", "1", GRAPH)),
]


@pytest.mark.parametrize("program", FIRES)
def test_reported(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)
