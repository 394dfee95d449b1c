"""MSP501 profiler-with-autotune: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, join, quiet

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
        ds.config.set_enable_autotune(True)  # ! safe
        """,
        TRAIN,
        STOP,
        version=(2, 2, 0),
    ),
    case(
        "data processing is profiled on the newest version",
        IMPORTS,
        """
        profiler = Profiler(output_path="./data", data_process=True)
        ds.config.set_enable_autotune(enable=True)  # ! safe
        """,
        TRAIN,
        STOP,
    ),
    case(
        "a file for the result",
        IMPORTS,
        PROFILED,
        'ds.config.set_enable_autotune(True, "./autotune_out")  # ! safe\n',
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
        config.set_enable_autotune(True)  # ! safe
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

        ms.dataset.config.set_enable_autotune(True)  # ! safe
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
                    ds.config.set_enable_autotune(True)  # ! safe
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
        ds.config.set_enable_autotune(True)  # ! safe
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
        "ds.config.set_enable_autotune(True)  # ! unsafe\n",
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
        ds.config.set_enable_autotune(True)  # ! safe
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


@pytest.mark.parametrize("program", FIRES)
def test_fires(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_quiet(program: Program) -> None:
    quiet(CODE, program)
