"""MSP501 profiler-with-autotune: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, join, quiet

from ms_perflint.core.findings import Safety

CODE = "MSP501"

IMPORTS = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import Profiler, nn

    ms.set_context(mode=ms.GRAPH_MODE)
    """

TRAIN = """
    dataset = ds.MindDataset("train.mindrecord").batch(32)
    net = nn.Dense(64, 16)
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
    model.train(10, dataset, dataset_sink_mode=True)
    """

STOP = "profiler.analyse()\n"

OPTIONS = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--autotune", action="store_true")
    args = parser.parse_args()
    """

TUNED = "ds.config.set_enable_autotune(True)\n"

TUNED_REPORTED = "ds.config.set_enable_autotune(True)  # !\n"

PROFILED = "profiler = Profiler(data_process=True)\n"

FIRES = [
    case(
        "default arguments up to 2.3",
        IMPORTS,
        """
        profiler = Profiler()
        ds.config.set_enable_autotune(True)  # ! display-only
        """,
        TRAIN,
        STOP,
        version=(2, 2, 0),
    ),
    *(
        case(
            f"flag that changes behind AutoTune, {name}",
            OPTIONS,
            IMPORTS,
            f"profile = args.profile\n{TUNED.rstrip()}  # ! display-only\n{change}\nif {flag}:\n    {PROFILED}",
            TRAIN,
        )
        for name, flag, change in (
            ("a name", "profile", "profile = profile and not args.autotune"),
            ("in an arm", "profile", "if args.autotune:\n    profile = False"),
            ("an attribute", "args.profile", "args.profile = args.profile or args.autotune"),
        )
    ),
    case(
        "flag that changes before AutoTune",
        OPTIONS,
        IMPORTS,
        "profile = False\nif args.autotune:\n    profile = args.profile\n",
        f"{TUNED.rstrip()}  # ! unsafe\nif profile:\n    {PROFILED}",
        TRAIN,
    ),
    case(
        "data processing is profiled on the newest version",
        IMPORTS,
        """
        profiler = Profiler(output_path="./data", data_process=True)
        ds.config.set_enable_autotune(enable=True)  # ! display-only
        """,
        TRAIN,
        STOP,
    ),
    case(
        "a file for the result",
        IMPORTS,
        PROFILED,
        'ds.config.set_enable_autotune(True, "./autotune_out")  # ! display-only\n',
        TRAIN,
        STOP,
    ),
    case(
        "autotune first",
        IMPORTS,
        TUNED_REPORTED,
        PROFILED,
        TRAIN,
        STOP,
    ),
    case(
        "other names of the two",
        """
        import mindspore
        import mindspore.profiler as prof
        from mindspore import nn
        from mindspore.dataset import MindDataset, config

        profiler = prof.Profiler(data_process=True)
        config.set_enable_autotune(True)  # ! display-only
        net = nn.Dense(8, 8)
        model = mindspore.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        model.train(1, MindDataset("a.mindrecord"), dataset_sink_mode=True)
        profiler.stop()
        """,
    ),
    case(
        "as a block",
        """
        import mindspore as ms
        from mindspore import nn
        from mindspore.profiler import profile

        ms.dataset.config.set_enable_autotune(True)  # ! display-only
        net = nn.Dense(8, 8)
        model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        with profile(data_process=True) as profiler:
            model.train(1, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=True)
        """,
    ),
    case(
        "across files",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import Profiler, nn

                from src.dataset import create_dataset

                if __name__ == "__main__":
                    profiler = Profiler(data_process=True)
                    net = nn.Dense(8, 8)
                    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                    model.train(1, create_dataset("a.mindrecord"), dataset_sink_mode=True)
                    profiler.analyse()
                """,
            "src/__init__.py": "",
            "src/dataset.py": """
                import mindspore.dataset as ds


                def create_dataset(path):
                    ds.config.set_enable_autotune(True)  # ! display-only
                    return ds.MindDataset(path).batch(32)
                """,
        },
    ),
    case(
        "started later",
        IMPORTS,
        TUNED_REPORTED,
        """
        profiler = Profiler(start_profile=False, data_process=True)
        profiler.start()
        """,
        TRAIN,
        STOP,
    ),
    case(
        "started by a callback",
        IMPORTS,
        TUNED_REPORTED,
        """
        class ProfileSteps(ms.Callback):
            def __init__(self):
                super().__init__()
                self.profiler = Profiler(start_profile=False, data_process=True)

            def on_train_step_begin(self, run_context):
                if run_context.original_args().cur_step_num == 10:
                    self.profiler.start()

            def on_train_step_end(self, run_context):
                if run_context.original_args().cur_step_num == 20:
                    self.profiler.stop()


        """,
        TRAIN.replace("dataset, ", "dataset, callbacks=[ProfileSteps()], "),
    ),
    case(
        "switch of the context in 1.x",
        """
        import mindspore.dataset as ds
        from mindspore import Model, context, nn

        context.set_context(mode=context.GRAPH_MODE, enable_profiling=True, profiling_options="training_trace")
        ds.config.set_enable_autotune(True)  # ! display-only
        net = nn.Dense(8, 8)
        Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ds.MindDataset("a.mindrecord"))
        """,
        version=(1, 6, 0),
    ),
    case(
        "environment set by the program",
        """
        import os

        os.environ["MS_PROFILER_OPTIONS"] = '{"start": true, "output_path": "./data", "data_process": true}'
        """,
        IMPORTS,
        "ds.config.set_enable_autotune(True)  # ! display-only\n",
        TRAIN,
    ),
    case(
        "environment under another name",
        """
        import os as system

        system.environ["MS_PROFILER_OPTIONS"] = '{"start": true, "output_path": "./data", "data_process": true}'
        """,
        IMPORTS,
        "ds.config.set_enable_autotune(True)  # ! display-only\n",
        TRAIN,
    ),
    case(
        "environment that is imported alone",
        """
        from os import environ as variables

        variables["MS_PROFILER_OPTIONS"] = '{"start": true, "output_path": "./data", "data_process": true}'
        """,
        IMPORTS,
        "ds.config.set_enable_autotune(True)  # ! display-only\n",
        TRAIN,
    ),
    case(
        "environment that a name holds",
        """
        import os

        variables = os.environ
        variables["MS_PROFILER_OPTIONS"] = '{"start": true, "output_path": "./data", "data_process": true}'
        """,
        IMPORTS,
        "ds.config.set_enable_autotune(True)  # ! display-only\n",
        TRAIN,
    ),
    case(
        "environment set by the launcher",
        {
            "train.py": join(IMPORTS, "ds.config.set_enable_autotune(True)  # ! display-only\n", TRAIN),
            "run.sh": """
                #!/bin/bash
                export MS_PROFILER_OPTIONS='{"start": true, "data_process": true}'
                python train.py
                """,
        },
    ),
    case(
        "profiler behind an option",
        IMPORTS,
        OPTIONS,
        """
        if args.profile:
            profiler = Profiler(data_process=True)
        ds.config.set_enable_autotune(True)  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "both behind one option",
        IMPORTS,
        OPTIONS,
        """
        if args.profile:
            profiler = Profiler(data_process=True)
            ds.config.set_enable_autotune(True)  # !
        """,
        TRAIN,
    ),
    case(
        "option that is on by default",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--autotune", type=bool, default=True)
        args = parser.parse_args()
        """,
        PROFILED,
        "ds.config.set_enable_autotune(args.autotune)  # ! display-only\n",
        TRAIN,
        STOP,
    ),
    case(
        "profiler made by a callback of another file",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                from src.callbacks import ProfileSteps
                from src.dataset import create_dataset

                if __name__ == "__main__":
                    net = nn.Dense(8, 8)
                    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                    model.train(1, create_dataset("a.mindrecord"), callbacks=[ProfileSteps(2, 5)])
                """,
            "src/__init__.py": "",
            "src/callbacks.py": """
                from mindspore import Profiler
                from mindspore.train.callback import Callback


                class ProfileSteps(Callback):
                    def __init__(self, first, last):
                        super().__init__()
                        self.steps = first, last
                        self.profiler = Profiler(start_profile=False, output_path="./profile")

                    def step_begin(self, run_context):
                        if run_context.original_args().cur_step_num == self.steps[0]:
                            self.profiler.start()

                    def step_end(self, run_context):
                        if run_context.original_args().cur_step_num == self.steps[1]:
                            self.profiler.stop()
                            self.profiler.analyse()
                """,
            "src/dataset.py": """
                import mindspore.dataset as ds


                def create_dataset(path):
                    ds.config.set_enable_autotune(True, "./autotune")  # ! display-only
                    return ds.MindDataset(path).batch(32)
                """,
            "requirements.txt": "mindspore==2.2.14\n",
        },
    ),
    case(
        "started in one process only",
        IMPORTS,
        """
        from mindspore.communication import get_rank

        profiler = Profiler(data_process=True, start_profile=False)
        if get_rank() == 0:
            profiler.start()
        ds.config.set_enable_autotune(True)  # ! display-only
        """,
        TRAIN,
        STOP,
    ),
    case(
        "arguments in a dict",
        IMPORTS,
        """
        options = {"output_path": "./profile", "data_process": True}
        profiler = Profiler(**options)
        ds.config.set_enable_autotune(True)  # ! display-only
        """,
        TRAIN,
        STOP,
    ),
    case(
        "made in one arm of a conditional expression",
        IMPORTS,
        OPTIONS,
        """
        profiler = Profiler(data_process=True) if args.profile else None
        ds.config.set_enable_autotune(True)  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "both asked for by the config file",
        {
            "train.py": join(
                IMPORTS,
                """
                import yaml

                with open("config.yaml") as file:
                    config = yaml.safe_load(file)

                def tune(config):
                    if config["autotune"]:
                        ds.config.set_enable_autotune(True)  # !

                tune(config)
                if config["profile"]:
                    profiler = Profiler(data_process=True)
                """,
                TRAIN,
            ),
            "config.yaml": "autotune: true\nprofile: true\n",
        },
    ),
    case(
        "several variables of the environment at once",
        """
        import os

        os.environ.update({"GLOG_v": "3", "MS_PROFILER_OPTIONS": '{"start": true, "data_process": true}'})
        """,
        IMPORTS,
        "ds.config.set_enable_autotune(True)  # ! display-only\n",
        TRAIN,
    ),
    case(
        "inside of the block, in a function",
        IMPORTS,
        """
        def create_dataset():
            ds.config.set_enable_autotune(True)  # ! display-only
            return ds.MindDataset("train.mindrecord").batch(32)


        def main():
            net = nn.Dense(64, 16)
            model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
            with ms.profiler.profile(data_process=True):
                model.train(10, create_dataset(), dataset_sink_mode=True)


        main()
        """,
    ),
    case(
        "turned off when the profiler is there already",
        IMPORTS,
        PROFILED,
        TUNED_REPORTED,
        TRAIN,
        "ds.config.set_enable_autotune(False)\n",
        STOP,
    ),
    case(
        "function that is told to tune",
        IMPORTS,
        """
        def build(path, tune=False):
            if tune:
                ds.config.set_enable_autotune(True)  # !
            return ds.MindDataset(path)


        profiler = Profiler(data_process=True)
        build("train.mindrecord", tune=True)
        build("valid.mindrecord")
        """,
        TRAIN,
        STOP,
    ),
    case(
        "option that takes itself back behind the call",
        IMPORTS,
        OPTIONS.replace('"--autotune", action="store_true"', '"--autotune", type=bool, default=True'),
        """
        if args.autotune:
            ds.config.set_enable_autotune(True)  # !
        if args.profile:
            profiler = Profiler(data_process=True)
            args.autotune = False
        """,
        TRAIN,
    ),
    case(
        "last write is on",
        IMPORTS,
        PROFILED,
        "ds.config.set_enable_autotune(False)\n",
        TUNED_REPORTED,
        TRAIN,
        STOP,
    ),
]

QUIET = [
    case("autotune alone", IMPORTS, TUNED, TRAIN),
    case("profiler alone", IMPORTS, PROFILED, TRAIN, STOP),
    case("autotune is off", IMPORTS, PROFILED, "ds.config.set_enable_autotune(False)\n", TRAIN, STOP),
    case("last write is off", IMPORTS, PROFILED, TUNED, "ds.config.set_enable_autotune(False)\n", TRAIN, STOP),
    case("default arguments from 2.4", IMPORTS, "profiler = Profiler()\n", TUNED, TRAIN, STOP),
    case(
        "data processing is not profiled up to 2.3",
        IMPORTS,
        "profiler = Profiler(data_process=False)\n",
        TUNED,
        TRAIN,
        STOP,
        version=(2, 2, 0),
    ),
    case(
        "a schedule switches it off",
        """
        import mindspore as ms
        from mindspore import nn
        from mindspore.profiler import profile, schedule

        ms.dataset.config.set_enable_autotune(True)
        net = nn.Dense(8, 8)
        model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        with profile(data_process=True, schedule=schedule(wait=1, active=2)) as profiler:
            model.train(1, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=True)
        """,
    ),
    case(
        "one or the other",
        IMPORTS,
        OPTIONS,
        """
        if args.profile:
            profiler = Profiler(data_process=True)
        else:
            ds.config.set_enable_autotune(True)
        """,
        TRAIN,
    ),
    case(
        "off while profiling",
        IMPORTS,
        OPTIONS,
        """
        ds.config.set_enable_autotune(not args.profile)
        if args.profile:
            profiler = Profiler(data_process=True)
        """,
        TRAIN,
    ),
    case(
        "turned off where the profiler is made",
        IMPORTS,
        OPTIONS,
        TUNED,
        """
        if args.profile:
            ds.config.set_enable_autotune(False)
            profiler = Profiler(data_process=True)
        """,
        TRAIN,
    ),
    case(
        "turned off before the profiler is made",
        IMPORTS,
        TUNED,
        TRAIN,
        """
        ds.config.set_enable_autotune(False)
        profiler = Profiler(data_process=True)
        model.eval(ds.MindDataset("valid.mindrecord").batch(32))
        profiler.analyse()
        """,
    ),
    case(
        "the block of the profiler is left",
        IMPORTS,
        """
        def look():
            with ms.profiler.profile(data_process=True):
                for batch in ds.MindDataset("train.mindrecord").batch(32):
                    print(batch)


        look()
        ds.config.set_enable_autotune(True)
        """,
        TRAIN,
    ),
    case(
        "off while profiling, with a conditional expression",
        IMPORTS,
        OPTIONS,
        """
        tuned = not args.profile
        ds.config.set_enable_autotune(tuned)
        profiler = Profiler(data_process=True) if args.profile else None
        """,
        TRAIN,
    ),
    case(
        "dict that leaves the pipeline out",
        IMPORTS,
        """
        options = {"output_path": "./profile"}
        profiler = Profiler(**options)
        """,
        TUNED,
        TRAIN,
        STOP,
    ),
    case(
        "dict that is changed",
        IMPORTS,
        """
        options = {"data_process": True}
        options["start_profile"] = False
        profiler = Profiler(**options)
        """,
        TUNED,
        TRAIN,
        STOP,
    ),
    case(
        "function that is told whether to profile",
        {
            "train.py": join(
                IMPORTS,
                OPTIONS,
                """
                from data import build

                if args.profile:
                    profiler = Profiler(data_process=True)
                build("train.mindrecord", profiling=args.profile)
                """,
                TRAIN,
            ),
            "data.py": """
                import mindspore.dataset as ds


                def build(path, profiling=False):
                    if not profiling:
                        ds.config.set_enable_autotune(True)
                    return ds.MindDataset(path)
                """,
        },
    ),
    case(
        "function that is told whether to tune",
        IMPORTS,
        OPTIONS,
        """
        def build(path, tune):
            ds.config.set_enable_autotune(tune)
            return ds.MindDataset(path)


        if args.profile:
            profiler = Profiler(data_process=True)
        build("train.mindrecord", not args.profile)
        """,
        TRAIN,
    ),
    case(
        "both at once are refused",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--profile", type=bool, default=False)
        parser.add_argument("--autotune", type=bool, default=True)
        args = parser.parse_args()
        if args.autotune and args.profile:
            raise ValueError("one of the two")
        if args.autotune:
            ds.config.set_enable_autotune(True)
        if args.profile:
            profiler = Profiler(data_process=True)
        """,
        TRAIN,
    ),
    case(
        "one option takes the other back",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--profile", type=bool, default=False)
        parser.add_argument("--autotune", type=bool, default=True)
        args = parser.parse_args()
        if args.profile:
            args.autotune = False
        if args.autotune:
            ds.config.set_enable_autotune(True)
        if args.profile:
            profiler = Profiler(data_process=True)
        """,
        TRAIN,
    ),
    case(
        "guarded by the other option",
        IMPORTS,
        OPTIONS,
        """
        if args.autotune and not args.profile:
            ds.config.set_enable_autotune(True)
        if args.profile:
            profiler = Profiler(data_process=True)
        """,
        TRAIN,
    ),
    case(
        "option that is off by default",
        IMPORTS,
        OPTIONS,
        PROFILED,
        "ds.config.set_enable_autotune(args.autotune)\n",
        TRAIN,
        STOP,
    ),
    case(
        "nobody knows",
        IMPORTS,
        """
        import os

        profiler = Profiler(data_process=True)
        ds.config.set_enable_autotune(os.environ["AUTOTUNE"] == "1")
        """,
        TRAIN,
        STOP,
    ),
    case(
        "never started",
        IMPORTS,
        "profiler = Profiler(start_profile=False, data_process=True)\n",
        TUNED,
        TRAIN,
    ),
    case(
        "analysis of an older run",
        IMPORTS,
        TUNED,
        TRAIN,
        """
        from mindspore.profiler.profiler import analyse

        analyse("./data")
        Profiler.offline_analyse("./data")
        """,
    ),
    case(
        "profiler of another framework",
        IMPORTS,
        """
        import cProfile

        from torch.profiler import profile

        watch = cProfile.Profile()
        watch.enable()
        """,
        TUNED,
        """
        with profile(record_shapes=True):
            pass
        """,
        TRAIN,
    ),
    case(
        "tuning of operators is another thing",
        IMPORTS,
        'ms.set_context(auto_tune_mode="GA,RL")\n',
        PROFILED,
        TRAIN,
        STOP,
    ),
    case(
        "environment without a start",
        """
        import os

        os.environ["MS_PROFILER_OPTIONS"] = '{"output_path": "./data", "data_process": true}'
        """,
        IMPORTS,
        TUNED,
        TRAIN,
    ),
    case(
        "another program of the folder profiles",
        {
            "train.py": join(IMPORTS, TUNED, TRAIN),
            "profile_train.py": join(IMPORTS, PROFILED, TRAIN, STOP),
        },
    ),
    case(
        "comments",
        IMPORTS,
        """
        # profiler = Profiler(data_process=True)
        ds.config.set_enable_autotune(True)
        """,
        TRAIN,
    ),
    case(
        "only asked for",
        IMPORTS,
        PROFILED,
        'print("autotune:", ds.config.get_enable_autotune())\n',
        TRAIN,
        STOP,
    ),
    case(
        "own object of that name",
        IMPORTS,
        PROFILED,
        """
        from settings import config

        config.set_enable_autotune(True)
        """,
        TRAIN,
        STOP,
    ),
]


SETS = "os.environ['MS_PROFILER_OPTIONS'] = '{\"start\": true, \"data_process\": true}'\n"
HELPER = f"import os\ndef prepare():\n    {SETS}"
BLOCK = "with Profiler(data_process=True):\n    model.train(1, dataset, dataset_sink_mode=True)\n"
LOOP = "for each in range(2):\n"
FLAG = "autotune = unknown()\nif args.profile:\n    autotune = False\n"
SWITCHED = (
    "if autotune:\n    ds.config.set_enable_autotune(True)  # !\nif args.profile:\n    Profiler(data_process=True)\n"
)


def inside(*texts: str) -> str:
    """Return statements as the body of what stands before them."""
    return "".join(f"    {line}\n" for text in texts for line in join(text).splitlines())


FIRES += [  # by the order in which code runs
    case("set by a helper that is called in time", HELPER, "prepare()\n", IMPORTS, TUNED_REPORTED, TRAIN),
    case(
        "imported late, by a function further up",
        "import os\ndef main():\n" + inside(IMPORTS, TUNED_REPORTED, TRAIN) + SETS + "main()\n",
    ),
    case(
        "imported late, under the main guard",
        "import os\ndef main():\n" + inside(IMPORTS, TUNED_REPORTED, TRAIN),
        "if __name__ == '__main__':\n" + inside(SETS) + "    main()\n",
    ),
    case(
        "set in a try, imported at its end",
        "import os\ntry:\n" + inside(SETS) + "finally:\n    import mindspore\n",
        IMPORTS,
        TUNED_REPORTED,
        TRAIN,
    ),
    case("a block in a loop", IMPORTS, TRAIN, LOOP + inside(BLOCK, TUNED_REPORTED)),
    case("stopped in a loop", IMPORTS, TRAIN, LOOP + inside(PROFILED, "profiler.stop()\n", TUNED_REPORTED)),
    case("a flag that is set again", IMPORTS, OPTIONS, FLAG + "autotune = unknown()\n" + SWITCHED, TRAIN),
]
QUIET += [
    case("set by a helper that is called too late", HELPER, IMPORTS, "prepare()\n", TUNED, TRAIN),
    case(
        "a loop that imports first",
        "import os\n",
        "for each in y:\n    import mindspore\n" + inside(SETS),
        IMPORTS,
        TUNED,
        TRAIN,
    ),
    case(
        "imported before by another file",
        {
            "train.py": join("import os\nimport tools\n" + SETS, IMPORTS, TUNED, TRAIN, "tools.use()\n"),
            "tools.py": "import mindspore\ndef use():\n    print(mindspore)\n",
        },
    ),
    case(
        "set at the end of a try",
        "import os\ntry:\n    import mindspore\nfinally:\n" + inside(SETS),
        IMPORTS,
        TUNED,
        TRAIN,
    ),
    case(
        "set under the main guard, too late",
        "import os\n",
        IMPORTS,
        TRAIN,
        "if __name__ == '__main__':\n" + inside(SETS, TUNED),
    ),
    case("a block before", IMPORTS, TRAIN, BLOCK, TUNED),
    case("a block in a loop before", IMPORTS, TRAIN, LOOP + inside(BLOCK), TUNED),
    case(
        "a block in a helper further down",
        IMPORTS,
        TRAIN,
        "def main():\n    profiled()\n" + inside(TUNED),
        "def profiled():\n" + inside(BLOCK),
        "main()\n",
    ),
    case("a flag that is set", IMPORTS, OPTIONS, FLAG + SWITCHED.replace("  # !", ""), TRAIN),
    *(
        case(
            f"a flag that is set, as {flag}",
            IMPORTS,
            "class Trainer:\n    def __init__(self, args):\n        self.args = args\n",
            inside(
                inside((FLAG + SWITCHED).replace("  # !", "").replace("args", "self.args").replace("autotune", flag))
            ),
            OPTIONS,
            "Trainer(args)\n",
            TRAIN,
        )
        for flag in ("self.is_tuned", "self.args.is_tuned")
    ),
    case(
        "a flag that is set, in a function",
        IMPORTS,
        "def main():\n" + inside(join(OPTIONS, FLAG + SWITCHED.replace("  # !", ""))) + "\n\nmain()\n",
        TRAIN,
    ),
]


@pytest.mark.parametrize("program", FIRES)
def test_fires(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)


def shown(*texts: str) -> tuple[str, str]:
    """Return what the fix of the one finding is said to do, and the program with it made."""
    program = Program({"train.py": join(IMPORTS, *texts)})
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None
    assert finding.fix.safety is Safety.DISPLAY
    text = program.files["train.py"].encode()
    for each in sorted(finding.fix.edits, reverse=True):
        text = text[: each.start] + each.text.encode() + text[each.end :]
    return finding.fix.message, text.decode()


@pytest.mark.parametrize(
    ("profiled", "after"),
    [
        (PROFILED, STOP),
        (PROFILED, "profiler.stop()\n" + STOP),
        ("Profiler(data_process=True)\n", ""),
        ('profiler = Profiler(data_process=True, output_path="prof")\n', STOP + 'print(open("log/a.txt").read())\n'),
        ("profiler = Profiler(start_profile=False, data_process=True)\nprofiler.start()\n", STOP),
    ],
)
def test_a_profiler_whose_output_nothing_reads_goes(profiled: str, after: str) -> None:
    advice, text = shown(TUNED, profiled, TRAIN, after)
    assert advice.startswith("remove the profiler, or turn AutoTune off")
    assert text == join(IMPORTS, TUNED, TRAIN, after.partition("print")[1] + after.partition("print")[2])


@pytest.mark.parametrize(
    ("profiled", "after"),
    [
        (
            'import os\nprofiler = Profiler(data_process=True, output_path="prof")\n',
            STOP + 'print(os.listdir("prof"))\n',
        ),
        (
            'import shutil\nprofiler = Profiler(data_process=True, output_path="run/prof")\n',
            STOP + 'shutil.copytree("run", "/backup")\n',
        ),
        (PROFILED, 'times = profiler.op_analyse("Conv2D")\nprint(times)\n'),
        (PROFILED, "other = profiler\nother.analyse()\n"),
        ("profiler = other = Profiler(data_process=True)\n", STOP),
    ],
)
def test_a_profiler_that_is_made_use_of_stays(profiled: str, after: str) -> None:
    advice, text = shown(TUNED, profiled, TRAIN, after)
    assert advice.startswith("turn AutoTune off")
    assert text == join(IMPORTS, TUNED.replace("True", "False"), profiled, TRAIN, after)
