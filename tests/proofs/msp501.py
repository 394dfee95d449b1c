"""MSP501: the forms in which AutoTune is turned off. A CPU has no profile of the data pipeline: both go on there."""

from __future__ import annotations

from proofs.proof import DATA, GRAPH, MODEL, NET, PARTS, START, TRAIN, Form, form

CODE = "MSP501"
REST = (DATA, NET, PARTS, MODEL)
PROFILED = """
    profiler = ms.Profiler(data_process=True, output_path="profile")
    model.train(3, train_set)
    profiler.analyse()
    """
OFF = """
    -ds.config.set_enable_autotune(True)
    +ds.config.set_enable_autotune(False)
    """

GONE = """
    -profiler = ms.Profiler(data_process=True, output_path="profile")
    -profiler.analyse()
    """

FORMS: list[Form] = [
    form(
        CODE,
        "True",
        START,
        GRAPH,
        "ds.config.set_enable_autotune(True)\n",
        *REST,
        PROFILED,
        changes=GONE,
        safety="display-only",
    ),
    form(
        CODE,
        "True with a file for the result, beside a profile that is read",
        "import os\n\n",
        START,
        GRAPH,
        'ds.config.set_enable_autotune(True, "tuned")\n',
        *REST,
        PROFILED,
        'print(os.path.exists("profile"))\n',
        changes="""
            -ds.config.set_enable_autotune(True, "tuned")
            +ds.config.set_enable_autotune(False)
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "profiler under a flag",
        START,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--profile", action="store_true")
        args = parser.parse_args()
        """,
        GRAPH,
        "ds.config.set_enable_autotune(True)\n",
        *REST,
        """
        if args.profile:
            profiler = ms.Profiler(data_process=True, output_path="profile")
        model.train(3, train_set)
        """,
        changes="""
            -ds.config.set_enable_autotune(True)
            +ds.config.set_enable_autotune(not args.profile)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "other file",
        START,
        "from dataset import create_dataset\n\n",
        GRAPH,
        "train_set = create_dataset()\n",
        NET,
        PARTS,
        MODEL,
        PROFILED,
        {
            "dataset.py": """
                import numpy as np
                import mindspore as ms
                from mindspore import dataset as ds


                def create_dataset():
                    ds.config.set_enable_autotune(True)
                    ms.set_seed(1)
                    random = np.random.RandomState(1)
                    samples = random.randn(128, 64).astype(np.float32)
                    labels = (samples @ random.randn(64, 10)).argmax(1).astype(np.int32)
                    return ds.NumpySlicesDataset({"data": samples, "label": labels}, shuffle=False).batch(32)
                """
        },
        changes=GONE,
        safety="display-only",
    ),
    form(
        CODE,
        "variable of the environment",
        """
        import json
        import os

        os.environ["MS_PROFILER_OPTIONS"] = json.dumps({"start": True, "data_process": True, "output_path": "profile"})
        """,
        START,
        GRAPH,
        "ds.config.set_enable_autotune(True)\n",
        *REST,
        TRAIN,
        changes=OFF,
        safety="display-only",
        processes=1,
    ),
    form(
        CODE,
        "launcher",
        START,
        GRAPH,
        "ds.config.set_enable_autotune(True)\n",
        *REST,
        TRAIN,
        {
            "run.sh": """
                export MS_PROFILER_OPTIONS='{"start": true, "data_process": true, "output_path": "profile"}'
                python train.py
                """
        },
        changes=OFF,
        safety="display-only",
    ),
]
