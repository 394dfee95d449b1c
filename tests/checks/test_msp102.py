"""MSP102 missing-dataset-sink-mode: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, join, quiet

CODE = "MSP102"

NETWORK = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import Model, nn
    from mindspore.train import CheckpointConfig, LossMonitor, ModelCheckpoint, SummaryCollector, TimeMonitor


    dataset = ds.MindDataset("train.mindrecord").batch(32)
    net = nn.Dense(64, 16)
    loss = nn.MSELoss()
    opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    """

GRAPH = join(NETWORK, 'ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")\n')

MODEL = join(GRAPH, "model = Model(net, loss, opt)\n")

SAVER = """
    from functools import partial


    class Savers:
        {}
        def make({}):
            config = CheckpointConfig(save_checkpoint_steps=steps)
            return ModelCheckpoint("net", config=config)


    saver = {}
    model.train(10, dataset, callbacks=[saver])  # ! safe
    """
SIZE = "dataset.get_dataset_size()"
SAVED = [
    ("to a static method", "@staticmethod", "steps", f"Savers.make({SIZE})"),
    ("to a static method behind another argument", "@staticmethod", "name, steps", f"Savers.make('net', {SIZE})"),
    ("to a class method", "@classmethod", "cls, steps", f"Savers.make({SIZE})"),
    ("to a method", "", "self, steps", f"Savers().make({SIZE})"),
    ("to a method of the class", "", "self, steps", f"Savers.make(Savers(), {SIZE})"),
    ("by keyword", "@staticmethod", "name, *, steps", f"Savers.make('net', steps={SIZE})"),
    ("in a sequence", "@staticmethod", "steps", f"Savers.make(*({SIZE},))"),
    ("in a mapping", "@staticmethod", "steps", f"Savers.make(**{{'steps': {SIZE}}})"),
    ("by `partial`", "@staticmethod", "steps", f"partial(Savers.make, {SIZE})()"),
]
NOT_SAVED = [
    ("to a static method before another argument", "@staticmethod", "name, steps", f"Savers.make({SIZE}, 100)"),
    ("to a class method before another argument", "@classmethod", "cls, name, steps", f"Savers.make({SIZE}, 100)"),
    ("in a sequence", "@staticmethod", "steps", "Savers.make(*unknown())"),
    ("in a mapping", "@staticmethod", "steps", "Savers.make(**unknown())"),
    ("by `partial`, and replaced", "@staticmethod", "steps", f"partial(Savers.make, steps={SIZE})(steps=100)"),
]
SUNK_BY_DEVICE = """
    import argparse


    def train(model, sink):
        model.train(10, dataset, dataset_sink_mode=sink)


    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="CPU", choices=["Ascend", "GPU", "CPU"])
    args = parser.parse_args()
    ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device)
    model = Model(net, loss, opt)
    sink = {sink}
    {call}
    """
SUNK_BY_OPTION = SUNK_BY_DEVICE.replace("dataset_sink_mode=sink)\n", "dataset_sink_mode=sink)  # !\n", 1)
HOOK = """
    class Hook(ms.Callback):
        def __init__(self, ema=None):
            super().__init__()
            self.ema = ema

        def step_end(self, run_context):
            args = run_context.original_args()
            {}

    """
CHANGING = [
    ("assigns a rate", "ops.assign(args.optimizer.learning_rate, 0.1)", "display-only"),
    (
        "assigns by function",
        "from mindspore.ops import functional as F; F.assign(args.optimizer.momentum, 0.1)",
        "display-only",
    ),
    ("sets data", "args.train_network.scale.set_data(2.0)", "display-only"),
    ("averages weights", "self.ema.update(args.train_network)", "display-only"),
    (
        "averages each weight",
        "for _, each in args.network.parameters_and_names():\n"
        "                self.ema[each.name] = 0.9 * self.ema[each.name] + 0.1 * each.asnumpy()",
        "display-only",
    ),
    (
        "clips weights",
        "for each in args.network.trainable_params():\n                each.data[:] = ops.clip(each, -1, 1)",
        "display-only",
    ),
    ("prints each weight", "for each in args.network.get_parameters():\n                print(each)", "unsafe"),
    ("notes other things", "for each in args.list_callback:\n                self.ema[each] = 1", "unsafe"),
    ("sets the rate", "args.optimizer.set_lr(0.1)", "display-only"),
    ("stops", "run_context.request_stop()", "display-only"),
    ("stops at a step", "args.cur_step_num > 9 and run_context.request_stop()", "display-only"),
    ("reads the rate", "print(args.optimizer.get_lr())", "unsafe"),
    ("asks for the rate", "print(args.optimizer.learning_rate(args.cur_step_num))", "unsafe"),
    ("notes the loss", "self.ema.append(args.net_outputs)", "unsafe"),
    # train_network is another cell once data is sunk (mindspore 2.10 train/dataset_helper.py:87)
    ("reads the loss cell", "print(args.train_network.network)", "display-only"),
    ("reads the optimizer of the step", "print(args.train_network.optimizer.get_lr())", "display-only"),
    ("reads the scale", "step = args.train_network; print(step.scale_sense)", "display-only"),
    ("freezes a part", "args.train_network.network.backbone.set_train(False)", "display-only"),
    ("asks for an attribute", "print(getattr(args.train_network, 'optimizer').get_lr())", "display-only"),
    ("asks for one that may not be there", "step = args.train_network; getattr(step, 'scale', None)", "display-only"),
    ("asks whether it scales", "print(hasattr(args.train_network, 'scale_sense'))", "display-only"),
    ("asks for an attribute by a name", "print(getattr(args.train_network, self.name))", "display-only"),
    ("asks for what each cell has", "print(getattr(args.train_network, 'training'))", "unsafe"),
    ("asks for an attribute of the batch", "print(getattr(args, 'batch_num'))", "unsafe"),
    ("asks for an attribute of the optimizer", "print(getattr(args.optimizer, 'learning_rate'))", "unsafe"),
    ("names all parameters", "print(args.train_network.trainable_params())", "unsafe"),
    ("goes through all cells", "step = args.train_network; print([c for c in step.cells_and_names()])", "unsafe"),
    ("asks whether it is sunk", "print(args.train_network.network if args.dataset_sink_mode else 0)", "unsafe"),
    ("reads another network", "print(args.network.backbone)", "unsafe"),
    # Python does not see the batches in sink mode (mindspore 2.10 train/model.py:1167)
    ("reads the batch", "print(args.train_dataset_element[0].shape)", "display-only"),
    ("reads the batch through the context", "x, _ = run_context.original_args().train_dataset_element", "display-only"),
    ("reads the batch if there is one", "print(args.dataset_sink_mode or args.train_dataset_element)", "unsafe"),
    ("reads the dataset", "print(args.train_dataset.get_dataset_size(), args.batch_num)", "unsafe"),
    ("reads an element of its own", "print(self.dataset_element)", "unsafe"),
]
ROWS = 'rows = ds.MindDataset("train.mindrecord", num_samples=320)\n'
OPEN = 'rows = ds.MindDataset("train.mindrecord")\n'
PADS = join("""
    def longest(rows, info):
        most = max(len(row) for row in rows)
        return ([np.pad(row, (0, most - len(row))) for row in rows],)


    class Longest:
        def __call__(self, rows, info):
            most = max([row.shape[0] for row in rows])
            return ([np.pad(row, (0, most - len(row))) for row in rows],)


    def mix(rows, info):
        return ([max(row.min(), 0) * row for row in rows],)


    def hide(rows, info):
        return ([row * (np.arange(64) < max(1, LENGTH)) for row in rows],)


    pad = Longest()
    """)
BY = "rows.batch(4, True, per_batch_map={})"
LAST_BATCHES = [
    ("is kept", OPEN, "rows.batch(32, drop_remainder=False)", "unsafe"),
    ("is kept, by position", OPEN, "rows.batch(32, False)", "unsafe"),
    ("is kept, by a name", OPEN, "rows.batch(32, drop_remainder=keep)", "unsafe"),
    ("is kept, before other stages", OPEN, "rows.batch(32, drop_remainder=False).repeat(2)", "unsafe"),
    ("is kept by a function", OPEN, "batched(rows, 32)", "unsafe"),
    ("has one row, as all do", OPEN, "rows.batch(1, drop_remainder=False)", "safe"),
    ("has fewer rows", ROWS, "rows.batch(33, drop_remainder=False)", "display-only"),
    ("has fewer rows, without a word", ROWS, "rows.batch(33)", "display-only"),
    ("has fewer rows, before other stages", ROWS, "rows.batch(33).repeat(2)", "display-only"),
    ("has fewer rows of arrays", "", "ds.NumpySlicesDataset([[1.0]] * 18).batch(4)", "display-only"),
    ("has fewer rows after `take`", OPEN, "rows.take(65).batch(32)", "display-only"),
    ("has fewer rows of a set that is known", "", 'ds.MnistDataset("mnist", usage="train").batch(32)', "safe"),
    ("has all rows", ROWS, "rows.batch(512)", "safe"),
    ("is as long as its longest row", OPEN, 'rows.padded_batch(4, True, pad_info={"x": ([None], 0)})', "display-only"),
    (
        "is as long as its longest recording",
        OPEN,
        'rows.batch(4, True, pad_info={"x": ([None, 80], 0)})',
        "display-only",
    ),
    ("has columns as long as their longest rows", OPEN, "rows.padded_batch(4, True, pad_info={})", "display-only"),
    (
        "has a column as long as its longest row",
        OPEN,
        'rows.padded_batch(4, True, pad_info={"x": None})',
        "display-only",
    ),
    ("has any length and is filled", OPEN, 'rows.padded_batch(4, True, pad_info={"x": (None, 0)})', "display-only"),
    ("is padded by `dict`", OPEN, "rows.padded_batch(4, True, pad_info=dict(x=([None], 0)))", "display-only"),
    ("is padded by a name", OPEN + 'pads = {"x": ([None], 0)}\n', "rows.batch(4, True, pad_info=pads)", "display-only"),
    (
        "is padded by a name to a length",
        OPEN + 'pads = {"x": ([64], 0)}\n',
        "rows.batch(4, True, pad_info=pads)",
        "safe",
    ),
    ("is padded by `dict` to a length", OPEN, "rows.padded_batch(4, True, pad_info=dict(x=([64], 0)))", "safe"),
    ("is filled with nothing", OPEN, 'rows.padded_batch(4, True, pad_info={"x": ([64], None)})', "safe"),
    ("is not padded", OPEN, "rows.padded_batch(4, True, pad_info=None)", "safe"),
    ("has so many masks", OPEN, 'rows.batch(4, True, pad_info={"m": ([128, None, None], 0)})', "safe"),
    ("has rows of its bucket", OPEN, 'rows.bucket_batch_by_length(["x"], [8], [4, 4])', "display-only"),
    ("is padded by a function", OPEN + PADS, "rows.batch(4, True, per_batch_map=longest)", "display-only"),
    ("is padded by an object", OPEN + PADS, "rows.batch(4, True, per_batch_map=Longest())", "display-only"),
    ("is padded by an object of a name", OPEN + PADS, "rows.batch(4, True, per_batch_map=pad)", "display-only"),
    ("is mixed by a function", OPEN + PADS, "rows.batch(4, True, per_batch_map=mix)", "unsafe"),
    *(
        (f"is hidden up to {text}", OPEN + PADS.replace("max(1, LENGTH)", text), BY.format("hide"), grade)
        for text, grade in (
            ("max(1, len(row) // 8)", "unsafe"),
            ("max(len(row) - 8, 0)", "unsafe"),
            ("max(1, int(round(row.shape[0] * 0.15)))", "unsafe"),
            ("max(0, 64 - len(row))", "unsafe"),
            ("min(8, max(1, row.size // 8))", "unsafe"),
            ("max(1, *map(len, rows))", "display-only"),
            ("max(1, max(len(row) for row in rows))", "display-only"),
            ("max(len(row), len(rows))", "display-only"),
        )
    ),
    ("is made by an unknown function", OPEN, "rows.batch(4, True, per_batch_map=unknown())", "unsafe"),
    ("is padded to a length", OPEN, 'rows.padded_batch(4, True, pad_info={"x": ([64], 0)})', "safe"),
    ("is of rows that a function maps", OPEN + PADS, "rows.map(mix).batch(4, True)", "safe"),
    ("has as many rows", ROWS, "rows.batch(32, drop_remainder=False)", "safe"),
    ("has as many rows after `take`", OPEN, "rows.take(64).batch(32, drop_remainder=False)", "safe"),
    ("is left out", OPEN, "rows.batch(32, drop_remainder=True)", "safe"),
    ("has a size of which nothing is said", OPEN, "rows.batch(32)", "safe"),
    ("is kept in another dataset", OPEN, "rows.batch(32)\nother = rows.batch(32, drop_remainder=False)", "safe"),
]
BATCHED = """
    keep = False


    def batched(rows, size):
        return rows.batch(size, drop_remainder=False)


    """
FIRES = [
    *(
        case(
            f"a last batch that {name}",
            MODEL,
            BATCHED,
            rows,
            f"dataset = {dataset}\nmodel.train(10, dataset)  # ! {safety}\n",
        )
        for name, rows, dataset, safety in LAST_BATCHES
    ),
    *(
        case(
            f"a callback that {name} in each step",
            "from mindspore import ops\n",
            MODEL,
            HOOK.format(body),
            f"model.train(10, dataset, callbacks=[Hook()])  # ! {safety}\n",
        )
        for name, body, safety in CHANGING
    ),
    case(
        "a schedule of the framework",
        MODEL,
        "model.train(10, dataset, callbacks=[ms.LearningRateScheduler(lambda lr, step: lr * 0.9)])  # ! display-only\n",
    ),
    case("off by a name", NETWORK, SUNK_BY_OPTION.format(sink="False", call="train(model, sink)")),
    case("off by another comparison", NETWORK, SUNK_BY_OPTION.format(sink="2 < 1", call="train(model, sink)")),
    case(
        "literal False beside one epoch of which nothing is printed",
        MODEL,
        "model.train(1, dataset, callbacks=[TimeMonitor()], dataset_sink_mode=False)  # ! safe\n",
    ),
    case(
        "literal False beside two epochs whose loss is printed",
        MODEL,
        "model.train(2, dataset, callbacks=[LossMonitor()], dataset_sink_mode=False)  # ! unsafe\n",
    ),
    case("one epoch, nothing said", MODEL, "model.train(1, dataset, callbacks=[LossMonitor()])  # ! unsafe\n"),
    case("absent", MODEL, "model.train(10, dataset)  # ! safe\n"),
    case("absent in fit", MODEL, 'model.fit(10, dataset, ds.MindDataset("val.mindrecord"))  # ! safe\n'),
    case("explicit False", MODEL, "model.train(10, dataset, dataset_sink_mode=False)  # ! safe\n"),
    case("fourth argument", MODEL, "model.train(10, dataset, None, False)  # ! safe\n"),
    case("sixth argument of fit", MODEL, "model.fit(10, dataset, None, 1, None, False, True)  # ! safe\n"),
    case(
        "only validation is sunk",
        MODEL,
        "model.fit(10, dataset, None, valid_dataset_sink_mode=True)  # ! safe\n",
    ),
    case(
        "several lines",
        MODEL,
        """
        model.train(  # ! safe
            90,
            dataset,
            callbacks=[TimeMonitor()],  # one line per epoch
        )
        """,
    ),
    case(
        "constant variable",
        MODEL,
        """
        SINK = False
        model.train(10, dataset, dataset_sink_mode=SINK)  # ! safe
        """,
    ),
    case(
        "default of an option",
        MODEL,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--sink", action="store_true")
        args = parser.parse_args()
        model.train(10, dataset, dataset_sink_mode=args.sink)  # ! display-only
        """,
    ),
    *(
        case(
            f"a switch that is read from a text, {test}",
            MODEL,
            f"""
            import argparse

            parser = argparse.ArgumentParser()
            parser.add_argument("--sink", type={kind}, default={default})
            parser.add_argument("--target", default="Ascend")
            parser.add_argument("--sparse", type=bool, default=True)
            args = parser.parse_args()
            model.train(10, dataset, dataset_sink_mode={test})  # ! display-only
            """,
        )
        for test, kind, default in [
            ('args.sink == "true"', "str", '"false"'),
            ('(args.sink == "True")', "str", '"False"'),
            ('args.sink.lower() == "true"', "str", '"false"'),
            ("args.sink is True", "bool", "False"),
            ('args.sink.lower() in ("true", "1")', "str", '"false"'),
            ("args.sink or False", "bool", "None"),
            ('args.sink and args.target == "Ascend"', "bool", "False"),
            ('args.target == "Ascend" and args.sink', "bool", "False"),
            ("args.sink and not args.sparse", "bool", "False"),
            ('args.sink if args.target == "Ascend" else False', "bool", "False"),
            ("args.sink if args.sink is not None else False", "bool", "None"),
        ]
    ),
    *(
        case(
            f"a switch that is computed, without an edit: {test}",
            MODEL,
            f"""
            import argparse

            parser = argparse.ArgumentParser()
            parser.add_argument("--{name}", type={kind}, default={default})
            parser.add_argument("--target", default="Ascend")
            parser.add_argument("--sparse", type=bool, default=True)
            parser.add_argument("--target", default="Ascend")
            args = parser.parse_args()
            model.train(10, dataset, dataset_sink_mode={test})  # ! no fix
            """,
        )
        for test, name, kind, default in [
            ("args.sink > 0", "sink", "int", "0"),
            ('args.sink != "off"', "sink", "str", '"off"'),
            ("not args.no_sink", "no_sink", "bool", "True"),
            ("True if args.sink else False", "sink", "bool", "False"),
            ('False if args.no_sink else args.args.target == "Ascend"', "no_sink", "bool", "True"),
            ('args.feed == "sink"', "feed", "str", '"host"'),
        ]
    ),
    *(
        case(
            f"a name that a switch decides: {text}",
            MODEL,
            """
            import argparse

            parser = argparse.ArgumentParser()
            parser.add_argument("--sink", type=bool, default=False)
            args = parser.parse_args()
            """,
            f"{text}\nmodel.train(10, dataset, dataset_sink_mode=mode)  # ! display-only\n",
        )
        for text in (
            "mode = args.sink",
            "mode = False\nif args.sink:\n    mode = True",
            "if args.sink:\n    mode = True\nelse:\n    mode = False",
            "mode = True\nif not args.sink:\n    mode = False",
        )
    ),
    *(
        case(
            f"a switch that is set where it is missing: {test}",
            MODEL,
            f"""
            import argparse

            parser = argparse.ArgumentParser()
            parser.add_argument("--sink", type=bool, default=None)
            parser.add_argument("--target", default="Ascend")
            parser.add_argument("--sparse", type=bool, default=True)
            args = parser.parse_args()
            if {test}:
                args.sink = False
            model.train(10, dataset, dataset_sink_mode=args.sink)  # ! display-only
            """,
        )
        for test in ("args.sink is None", "not args.sink", "args.sink == None")
    ),
    *(
        case(
            f"a switch that is read from the environment: {test}",
            MODEL,
            f"import os\n\nmodel.train(10, dataset, dataset_sink_mode={test})  # !\n",
        )
        for test in ('os.getenv("SINK", "0") == "1"', 'int(os.environ.get("DATA_SINK", "0")) == 1')
    ),
    case(
        "value of the config file",
        {
            "train.py": """
                import mindspore as ms
                import yaml
                from mindspore import nn

                with open("default_config.yaml") as file:
                    config = yaml.safe_load(file)
                ms.set_context(mode=ms.GRAPH_MODE)
                net = nn.Dense(16, 16)
                model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                model.train(1, ms.dataset.MindDataset("a"), dataset_sink_mode=config["sink"])  # ! display-only
                """,
            "default_config.yaml": """
                epochs: 10
                sink: false
                """,
        },
    ),
    case(
        "flag that nobody passes, beside a callback that acts in each step",
        MODEL,
        """
        import argparse

        from mindspore.train import CheckpointConfig, ModelCheckpoint

        parser = argparse.ArgumentParser()
        parser.add_argument("--sink", action="store_true")
        args = parser.parse_args()
        saver = ModelCheckpoint(config=CheckpointConfig(save_checkpoint_steps=100))
        model.train(10, dataset, callbacks=[saver], dataset_sink_mode=args.sink)  # ! display-only
        """,
    ),
    case(
        "default of a dataclass",
        MODEL,
        """
        from dataclasses import dataclass


        @dataclass
        class Settings:
            epochs: int = 10
            sink: bool = False


        settings = Settings()
        model.train(settings.epochs, dataset, dataset_sink_mode=settings.sink)  # ! display-only
        """,
    ),
    case(
        "model is a parameter",
        GRAPH,
        """
        def run(model, epochs):
            model.train(epochs, dataset, callbacks=[TimeMonitor()])  # ! safe


        run(Model(net, loss, opt), 10)
        """,
    ),
    case(
        "model is an attribute",
        GRAPH,
        """
        class Experiment:
            def __init__(self):
                self.model = Model(net, loss_fn=loss, optimizer=opt)

            def run(self):
                self.model.train(10, dataset)  # ! safe


        Experiment().run()
        """,
    ),
    case(
        "model comes from a factory in another file",
        {
            "train.py": """
                import mindspore as ms

                from src.model import make_model

                ms.set_context(mode=ms.GRAPH_MODE)
                make_model(16).train(10, ms.dataset.MindDataset("a.mindrecord"))  # ! safe
                """,
            "src/__init__.py": "",
            "src/model.py": """
                from mindspore import nn
                from mindspore.train.model import Model


                def make_model(width):
                    net = nn.Dense(width, width)
                    return Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                """,
        },
    ),
    case(
        "second-order model",
        MODEL,
        """
        from mindspore.train.train_thor import ConvertModelUtils

        model = ConvertModelUtils.convert_to_thor_model(model=model, network=net, loss_fn=loss, optimizer=opt)
        model.train(10, dataset)  # !
        """,
    ),
    case(
        "own subclass of Model",
        GRAPH,
        """
        class LoggedModel(ms.train.Model):
            def describe(self):
                return "a model"


        LoggedModel(net, loss, opt).train(10, dataset)  # !
        """,
    ),
    case(
        "no variable at all, all names from the package",
        NETWORK,
        """
        ms.context.set_context(mode=ms.context.GRAPH_MODE)
        ms.train.model.Model(net, loss, opt).train(10, dataset)  # !
        """,
    ),
    case(
        "star import",
        """
        from mindspore import *

        set_context(mode=GRAPH_MODE)
        net = nn.Dense(16, 16)
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        model.train(10, dataset.MindDataset("a.mindrecord"))  # !
        """,
    ),
    case(
        "list of callbacks that grows, all of whole epochs",
        MODEL,
        """
        callbacks = [TimeMonitor()]
        if dataset.get_dataset_size() > 1:
            config = CheckpointConfig(save_checkpoint_steps=2 * dataset.get_dataset_size())
            callbacks += [ModelCheckpoint("net", config=config)]
        model.train(10, dataset, callbacks=callbacks, dataset_sink_mode=False)  # ! safe
        """,
    ),
    case(
        "list of callbacks made by a function",
        MODEL,
        """
        def make_callbacks(log):
            callbacks = [TimeMonitor()]
            if log:
                callbacks.append(LossMonitor())
            return callbacks


        model.train(10, dataset, callbacks=make_callbacks(True), dataset_sink_mode=False)  # ! unsafe
        """,
    ),
    case(
        "config of the project says False, beside a checkpoint each hundredth step",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import Model, nn
                from mindspore.train import CheckpointConfig, ModelCheckpoint
                from src.config import SINK, config

                ms.set_context(mode=ms.GRAPH_MODE)
                net = nn.Dense(16, 16)
                model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                saver = ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=100))
                dataset = ms.dataset.MindDataset("a")
                model.train(config.epochs, dataset, callbacks=[saver], dataset_sink_mode=config.sink)  # !
                model.train(config.epochs, dataset, callbacks=[saver], dataset_sink_mode=SINK)  # !
                """,
            "src/config.py": """
                from easydict import EasyDict

                SINK = False
                config = EasyDict({"epochs": 10, "sink": False})
                """,
        },
    ),
    case(
        "callbacks of an object, the steps of an epoch are its attribute",
        GRAPH,
        """
        class Trainer:
            def __init__(self, data):
                self.data = data
                self.steps = data.get_dataset_size()
                self.callbacks = []
                self.model = Model(net, loss, opt)

            def save_each(self, epochs):
                config = CheckpointConfig(save_checkpoint_steps=self.steps * epochs)
                self.callbacks.append(ModelCheckpoint("net", config=config))

            def run(self):
                self.model.train(10, self.data, callbacks=self.callbacks, dataset_sink_mode=False)  # ! safe


        trainer = Trainer(dataset)
        trainer.save_each(2)
        trainer.run()
        """,
    ),
    case(
        "every rank trains, and nothing without a path that a user gives",
        GRAPH,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--rank", type=int, default=0)
        parser.add_argument("--checkpoint", default="")


        def run(args):
            if args.checkpoint == "":
                raise ValueError("finetuning needs a checkpoint")
            ms.load_checkpoint(args.checkpoint, net)
            model = Model(net, loss, opt)
            if args.rank == 0:
                model.train(10, dataset, callbacks=[LossMonitor(), TimeMonitor()], dataset_sink_mode=False)  # ! unsafe
            else:
                model.train(10, dataset, callbacks=[TimeMonitor()], dataset_sink_mode=False)  # ! safe


        run(parser.parse_args())
        """,
    ),
    case(
        "callback that notes the loss, checkpoints each second epoch by a size that a function returns",
        MODEL,
        """
        def make(path):
            data = ds.MindDataset(path)
            return data, data.get_dataset_size()


        class NoteLoss(ms.Callback):
            def on_train_step_end(self, run_context):
                self.loss_meter.update(run_context.original_args().net_outputs)


        dataset, steps = make("train.mindrecord")
        saver = ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=2 * steps))
        model.train(10, dataset, callbacks=[NoteLoss(), saver], dataset_sink_mode=False)  # ! unsafe
        """,
    ),
    *(
        case(f"sink size {name} without sinking", MODEL, f"model.train(10, dataset, sink_size={size})  # ! {safety}\n")
        for name, size, safety in (
            ("of a hundred", "100", "unsafe"),
            ("of a part of the dataset", "dataset.get_dataset_size() // 2", "unsafe"),
            ("of two epochs", "2 * dataset.get_dataset_size()", "unsafe"),
            ("of an option", "int(__import__('sys').argv[1])", "unsafe"),
            ("of the dataset", "dataset.get_dataset_size()", "safe"),
            ("of all", "-1", "safe"),
        )
    ),
    case(
        "sink size of the dataset by a name",
        MODEL,
        "steps = dataset.get_dataset_size()\nmodel.train(10, dataset, sink_size=steps)  # ! safe\n",
    ),
    case(
        "built ahead and not sunk",
        MODEL,
        """
        model.build(train_dataset=dataset)
        model.train(10, dataset)  # !
        """,
    ),
    case("loss is printed", MODEL, "model.train(10, dataset, callbacks=[LossMonitor(100)])  # ! unsafe\n"),
    case(
        "False beside a callback that only prints",
        MODEL,
        "model.train(10, dataset, callbacks=[LossMonitor(), TimeMonitor()], dataset_sink_mode=False)  # ! unsafe\n",
    ),
    case(
        "checkpoint each epoch",
        MODEL,
        """
        steps = dataset.get_dataset_size()
        saver = ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=steps))
        model.train(10, dataset, callbacks=[saver])  # ! safe
        """,
    ),
    *(
        case(
            f"a checkpoint each epoch, of which the steps are passed {how}", MODEL, SAVER.format(head, parameters, call)
        )
        for how, head, parameters, call in SAVED
    ),
    *(
        case(
            f"a checkpoint, of which other steps are passed {how}",
            MODEL,
            SAVER.format(head, parameters, call).replace("! safe", "! unsafe"),
        )
        for how, head, parameters, call in NOT_SAVED
    ),
    case(
        "False beside a checkpoint each fifth epoch",
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=5 * dataset.get_dataset_size())
        saver = ModelCheckpoint("net", config=config)
        model.train(10, dataset, callbacks=[saver], dataset_sink_mode=False)  # ! safe
        """,
    ),
    case(
        "False beside a callback that acts when the epoch ends",
        MODEL,
        """
        class Evaluate(ms.Callback):
            def epoch_end(self, run_context):
                print(model.eval(dataset))


        model.train(10, dataset, callbacks=[Evaluate()], dataset_sink_mode=False)  # !
        """,
    ),
    case(
        "absent beside a checkpoint each hundredth step",
        MODEL,
        """
        saver = ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=100))
        model.train(10, dataset, callbacks=[saver])  # ! unsafe
        """,
    ),
    case(
        "callbacks that cannot be seen",
        MODEL,
        """
        from toolbox import callbacks_for

        model.train(10, dataset, callbacks=callbacks_for(net))  # ! unsafe
        """,
    ),
    case("explicit False on 1.9", MODEL, "model.train(10, dataset, dataset_sink_mode=False)  # !\n", version=(1, 9)),
    case(
        "False as a decision, when asked for",
        MODEL,
        "model.train(10, dataset, callbacks=[SummaryCollector('out')], dataset_sink_mode=False)  # !\n",
        options={"report-deliberate": True},
    ),
    case(
        "sink size beside a literal False and a callback of each step",
        MODEL,
        """
        from mindspore.train import SummaryCollector

        model.train(10, dataset, callbacks=[SummaryCollector("log")], dataset_sink_mode=False, sink_size=50)  # ! unsafe
        """,
    ),
    case(
        "literal False beside a checkpoint after each epoch",
        MODEL,
        """
        from mindspore.train import CheckpointConfig, ModelCheckpoint

        config = CheckpointConfig(save_checkpoint_steps=2 * dataset.get_dataset_size())
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)], dataset_sink_mode=False)  # ! safe
        """,
    ),
    case(
        "sunk on a CPU alone",
        MODEL,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="Ascend", choices=["Ascend", "GPU", "CPU"])
        args = parser.parse_args()
        model.train(10, dataset, dataset_sink_mode=args.device == "CPU")  # ! safe
        """,
    ),
    case(
        "sunk on a CPU alone, by a name, for a device that is not known",
        MODEL,
        """
        import sys

        on_cpu = sys.argv[1] == "CPU"
        model.train(10, dataset, dataset_sink_mode=on_cpu)  # ! safe
        """,
    ),
    case(
        "other ranks do the same, without callbacks",
        MODEL,
        """
        import os

        if int(os.environ["RANK_ID"]) == 0:
            model.train(10, dataset, callbacks=[TimeMonitor()], dataset_sink_mode=False)  # ! safe
        else:
            model.train(10, dataset, dataset_sink_mode=False)  # ! safe
        """,
    ),
]

QUIET = [
    case(
        "literal False beside the one epoch of a demonstration whose loss is printed",
        MODEL,
        "model.train(1, dataset, callbacks=LossMonitor(), dataset_sink_mode=False)\n",
    ),
    case(
        "one epoch by a name, literal False, the loss is printed each tenth step",
        MODEL,
        "EPOCHS = 1\nmodel.train(EPOCHS, dataset, callbacks=[LossMonitor(10)], dataset_sink_mode=False)\n",
    ),
    case(
        "checkpoint by the clock",
        MODEL,
        """
        from mindspore.train import CheckpointConfig, ModelCheckpoint

        config = CheckpointConfig(save_checkpoint_seconds=600)
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)], dataset_sink_mode=False)
        """,
    ),
    case(
        "checkpoint after a number of steps",
        MODEL,
        """
        from mindspore.train import CheckpointConfig, ModelCheckpoint

        config = CheckpointConfig(save_checkpoint_steps=500)
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)], dataset_sink_mode=False)
        """,
    ),
    case(
        "one decision for all ranks, the first of which saves after a number of steps",
        MODEL,
        """
        from mindspore.communication import get_rank
        from mindspore.train import ModelCheckpoint

        rank = get_rank()
        if rank == 0:
            model.train(10, dataset, callbacks=[ModelCheckpoint("net")], dataset_sink_mode=False)
        else:
            model.train(10, dataset, callbacks=[TimeMonitor()], dataset_sink_mode=False)
        """,
    ),
    case(
        "sink size that asks for nothing, beside a decision",
        MODEL,
        """
        from mindspore.train import SummaryCollector

        model.train(10, dataset, callbacks=[SummaryCollector("log")], dataset_sink_mode=False, sink_size=-1)
        """,
    ),
    case(
        "sink size that asks for nothing unless the user says so, beside a decision",
        """
        import argparse

        """,
        MODEL,
        """
        from mindspore.train import SummaryCollector

        parser = argparse.ArgumentParser()
        parser.add_argument("--sink_size", type=int, default=-1)
        size = parser.parse_args().sink_size
        model.train(10, dataset, callbacks=[SummaryCollector("log")], dataset_sink_mode=False, sink_size=size)
        """,
    ),
    case(
        "sunk on an accelerator alone",
        MODEL,
        """
        import sys

        model.train(10, dataset, dataset_sink_mode=sys.argv[1] in ("Ascend", "GPU"))
        """,
    ),
    case("sunk", MODEL, "model.train(10, dataset, dataset_sink_mode=True)\n"),
    case("sunk by position", MODEL, "model.train(10, dataset, [LossMonitor()], True)\n"),
    case("fit, sunk", MODEL, "model.fit(10, dataset, None, dataset_sink_mode=True)\n"),
    case("fit, sunk by position", MODEL, "model.fit(10, dataset, None, 1, None, True)\n"),
    case(
        "option that is on by default",
        MODEL,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--no-sink", dest="sink", action="store_false")
        args = parser.parse_args()
        model.train(10, dataset, dataset_sink_mode=args.sink)
        """,
    ),
    case(
        "config file sinks",
        {
            "train.py": """
                import mindspore as ms
                import yaml
                from mindspore import nn

                with open("default_config.yaml") as file:
                    config = yaml.safe_load(file)
                ms.set_context(mode=ms.GRAPH_MODE)
                net = nn.Dense(16, 16)
                model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                model.train(1, ms.dataset.MindDataset("a"), dataset_sink_mode=config["train"]["sink"])
                """,
            "default_config.yaml": """
                train:
                  sink: True
                """,
        },
    ),
    case(
        "nobody knows",
        MODEL,
        """
        import os

        model.train(10, dataset, dataset_sink_mode=os.environ["SINK"] == "1")
        """,
    ),
    case(
        "keywords that cannot be seen",
        MODEL,
        """
        import json

        with open("train.json") as file:
            model.train(10, dataset, **json.load(file))
        """,
    ),
    case(
        "sunk unless on CPU",
        NETWORK,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="Ascend")
        args = parser.parse_args()
        ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device)
        Model(net, loss, opt).train(10, dataset, dataset_sink_mode=args.device != "CPU")
        """,
    ),
    *(
        case(f"sunk unless on CPU, {how}", NETWORK, SUNK_BY_DEVICE.format(sink=sink, call=call))
        for how, sink, call in [
            ("by a name", 'not args.device == "CPU"', "train(model, sink)"),
            ("by another sign", 'args.device != "CPU"', "train(model, sink)"),
            ("by a choice", 'False if args.device == "CPU" else True', "train(model, sink)"),
            ("by its kin", 'args.device in ("Ascend", "GPU")', "train(model, sink=sink)"),
            ("at the call", "None", 'train(model, not args.device == "CPU")'),
            ("without a function", 'args.device != "CPU"', "model.train(10, dataset, dataset_sink_mode=sink)"),
        ]
    ),
    case(
        "sunk unless on CPU, by an attribute",
        NETWORK,
        """
        import argparse


        class Trainer:
            def __init__(self):
                parser = argparse.ArgumentParser()
                parser.add_argument("--device", default="CPU", choices=["Ascend", "GPU", "CPU"])
                self.args = parser.parse_args()
                ms.set_context(mode=ms.GRAPH_MODE, device_target=self.args.device)
                self.is_sunk = self.args.device != "CPU"

            def train(self):
                Model(net, loss, opt).train(10, dataset, dataset_sink_mode=self.is_sunk)


        Trainer().train()
        """,
    ),
    case(
        "sunk unless on CPU, which is the default",
        NETWORK,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="CPU", choices=["Ascend", "GPU", "CPU"])
        args = parser.parse_args()
        ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device)
        Model(net, loss, opt).train(10, dataset, dataset_sink_mode=(args.device != "CPU"))
        """,
    ),
    case(
        "sunk by a switch that is read from a text",
        MODEL,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--sink", default="true")
        args = parser.parse_args()
        model.train(10, dataset, dataset_sink_mode=args.sink == "true")
        """,
    ),
    case(
        "sunk on one device only",
        MODEL,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--device_num", type=int, default=8)
        args = parser.parse_args()
        model.train(10, dataset, dataset_sink_mode=args.device_num == 1)
        """,
    ),
    *(
        case(
            f"the device decides, or another setting: {test}",
            MODEL,
            f"""
            import argparse

            parser = argparse.ArgumentParser()
            parser.add_argument("--sink", type=bool, default={default})
            parser.add_argument("--sparse", type=bool, default=True)
            parser.add_argument("--device_target", default="Ascend")
            args = parser.parse_args()
            model.train(10, dataset, dataset_sink_mode={test})
            """,
        )
        for test, default in [
            ('args.sink and args.device_target != "Ascend"', "True"),
            ('args.sink if args.device_target != "Ascend" else False', "True"),
            ('args.sink or args.device_target == "GPU"', "False"),
            ("args.sink and not args.sparse", "True"),
            ('False if args.sink else args.device_target == "GPU"', "False"),
        ]
    ),
    *(
        case(
            f"sunk unless sparse, by a name: {text}",
            MODEL,
            """
            import argparse

            parser = argparse.ArgumentParser()
            parser.add_argument("--sparse", type=bool, default=True)
            args = parser.parse_args()
            """,
            f"{text}\nmodel.train(10, dataset, dataset_sink_mode=sink)\n",
        )
        for text in (
            "sink = not args.sparse",
            "sink = False if args.sparse else True",
            "if args.sparse:\n    sink = False\nelse:\n    sink = True",
            "sink = True\nif args.sparse:\n    sink = False",
        )
    ),
    case(
        "sunk unless sparse",
        MODEL,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--sparse", action="store_true")
        args = parser.parse_args()
        model.train(10, dataset, dataset_sink_mode=not args.sparse)
        """,
    ),
    case(
        "sunk unless a parameter server works",
        MODEL,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--parameter_server", type=bool, default=True)
        args = parser.parse_args()
        model.train(10, dataset, dataset_sink_mode=not args.parameter_server)
        """,
    ),
    case(
        "CPU",
        NETWORK,
        """
        ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
        Model(net, loss, opt).train(10, dataset)
        """,
    ),
    case(
        "False on CPU",
        NETWORK,
        """
        ms.set_device("CPU")
        ms.set_context(mode=ms.GRAPH_MODE)
        Model(net, loss, opt).train(10, dataset, dataset_sink_mode=False)
        """,
    ),
    case(
        "CPU is the configured device",
        NETWORK,
        """
        ms.set_context(mode=ms.GRAPH_MODE)
        Model(net, loss, opt).train(10, dataset)
        """,
        device="CPU",
    ),
    case(
        "PyNative",
        NETWORK,
        """
        ms.set_context(mode=ms.PYNATIVE_MODE)
        Model(net, loss, opt).train(10, dataset)
        """,
    ),
    case("PyNative by default", NETWORK, "Model(net, loss, opt).train(10, dataset, dataset_sink_mode=False)\n"),
    case("default of 1.9", MODEL, "model.train(10, dataset)\n", version=(1, 9)),
    case("default of 1.9 in fit", MODEL, "model.fit(10, dataset)\n", version=(1, 9)),
    case(
        "requirements pin 1.x",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                ms.set_context(mode=ms.GRAPH_MODE)
                net = nn.Dense(16, 16)
                ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, ms.dataset.MindDataset("a"))
                """,
            "requirements.txt": "mindspore==1.9.0\n",
        },
    ),
    case(
        "network is read from MindIR",
        GRAPH,
        """
        cell = nn.GraphCell(ms.load("net.mindir"))
        Model(cell, loss, opt).train(10, dataset)
        """,
    ),
    case(
        "dataset debug mode",
        MODEL,
        """
        ds.config.set_debug_mode(True)
        model.train(10, dataset)
        """,
    ),
    case("evaluation is not judged", MODEL, "print(model.eval(dataset, dataset_sink_mode=False))\n"),
    case(
        "evaluation in a training",
        MODEL,
        """
        model.train(10, dataset, dataset_sink_mode=True)
        print(model.eval(dataset))
        print(model.eval(dataset, None, False))
        """,
    ),
    case(
        "False beside a checkpoint each hundredth step",
        MODEL,
        """
        saver = ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=100))
        model.train(10, dataset, callbacks=[LossMonitor(), saver], dataset_sink_mode=False)
        """,
    ),
    case(
        "False in a variable beside a checkpoint of each step",
        MODEL,
        """
        sink = False
        model.train(10, dataset, callbacks=[ModelCheckpoint("net")], dataset_sink_mode=sink)
        """,
    ),
    case(
        "False beside a checkpoint each tenth minute",
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=dataset.get_dataset_size(), save_checkpoint_seconds=600)
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)], dataset_sink_mode=False)
        """,
    ),
    case(
        "False beside a summary",
        MODEL,
        """
        summary = SummaryCollector("./summary", collect_freq=1)
        model.train(10, dataset, callbacks=[summary], dataset_sink_mode=False)
        """,
    ),
    case(
        "False beside a callback that evaluates between steps",
        MODEL,
        """
        class EvaluateOften(ms.Callback):
            def step_end(self, run_context):
                if run_context.original_args().cur_step_num % 500 == 0:
                    print(model.eval(dataset))


        model.train(10, dataset, callbacks=[EvaluateOften()], dataset_sink_mode=False)
        """,
    ),
    case(
        "False beside a callback that profiles between steps",
        MODEL,
        """
        class ProfileSteps(ms.Callback):
            def __init__(self, first, last):
                super().__init__()
                self.first, self.last = first, last
                self.profiler = ms.Profiler(start_profile=False)

            def on_train_step_begin(self, run_context):
                if run_context.original_args().cur_step_num == self.first:
                    self.profiler.start()

            def on_train_step_end(self, run_context):
                if run_context.original_args().cur_step_num == self.last:
                    self.profiler.stop()
                    self.profiler.analyse()


        model.train(10, dataset, callbacks=[ProfileSteps(10, 20)], dataset_sink_mode=False)
        """,
    ),
    case(
        "False beside a checkpoint that a function adds to its list",
        MODEL,
        """
        def make_callbacks():
            callbacks = [TimeMonitor()]
            callbacks.append(ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=100)))
            return callbacks


        model.train(10, dataset, callbacks=make_callbacks(), dataset_sink_mode=False)
        """,
    ),
    case(
        "False beside a checkpoint in a list that is passed on",
        MODEL,
        """
        def fit(callbacks=None):
            callbacks = callbacks if callbacks else []
            model.train(10, dataset, callbacks=callbacks, dataset_sink_mode=False)


        callbacks = [TimeMonitor()]
        callbacks += [ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=100))]
        fit(callbacks)
        """,
    ),
    case(
        "False beside a checkpoint that a method adds to the list of an object",
        GRAPH,
        """
        class Trainer:
            def __init__(self):
                self.callbacks = [TimeMonitor()]
                self.model = Model(net, loss, opt)
                self.save_often()

            def save_often(self):
                self.callbacks.append(ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=100)))

            def run(self):
                self.model.train(10, dataset, callbacks=self.callbacks, dataset_sink_mode=False)


        Trainer().run()
        """,
    ),
    case(
        "False beside a callback that averages the weights after each step",
        MODEL,
        """
        class AverageWeights(ms.Callback):
            def __init__(self, ema):
                super().__init__()
                self.ema = ema

            def step_end(self, run_context):
                self.ema.update(run_context.original_args().train_network)


        model.train(10, dataset, callbacks=[AverageWeights(None)], dataset_sink_mode=False)
        """,
    ),
    case(
        "False beside a callback that keeps averages of the weights after each step",
        MODEL,
        """
        class AverageWeights(ms.Callback):
            def __init__(self, net):
                super().__init__()
                self.net, self.shadow = net, {}

            def step_end(self, run_context):
                for name, each in self.net.parameters_and_names():
                    self.shadow[name] = 0.9 * self.shadow[name] + 0.1 * each.asnumpy()


        model.train(10, dataset, callbacks=[AverageWeights(net)], dataset_sink_mode=False)
        """,
    ),
    case(
        "arm for PyNative, which only those get who ask",
        NETWORK,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--mode", default="GRAPH", choices=["GRAPH", "PYNATIVE"])
        args = parser.parse_args()
        mode = ms.GRAPH_MODE if args.mode == "GRAPH" else ms.PYNATIVE_MODE
        ms.set_context(mode=mode)
        model = Model(net, loss, opt)
        if mode == ms.GRAPH_MODE:
            model.train(10, dataset, dataset_sink_mode=True)
        else:
            model.train(10, dataset)
        """,
    ),
    case(
        "False while data sets take turns",
        MODEL,
        """
        other = ds.MindDataset("large.mindrecord").batch(8)
        for turn in range(100):
            model.train(1, dataset if turn % 2 else other, dataset_sink_mode=False)
        """,
    ),
    case(
        "False in the arm beside one that sinks",
        MODEL,
        """
        if len(dataset) > 10:
            model.train(10, dataset, dataset_sink_mode=True)
        else:
            model.train(10, dataset, dataset_sink_mode=False)
        """,
    ),
    case(
        "own class with a method train",
        GRAPH,
        """
        class Solver:
            def train(self, epochs, data):
                model = Model(net, loss, opt)
                model.train(epochs, data, dataset_sink_mode=True)


        Solver().train(10, dataset)
        """,
    ),
    case(
        "estimator of another library",
        MODEL,
        """
        from sklearn.linear_model import LogisticRegression

        model.train(10, dataset, dataset_sink_mode=True)
        LogisticRegression().fit([[0.0], [1.0]], [0, 1])
        """,
    ),
    case(
        "trainer of another library",
        """
        import mindspore as ms
        from mindformers import Trainer

        ms.set_context(mode=ms.GRAPH_MODE)
        trainer = Trainer(args="config.yaml", task="text_generation")
        trainer.train()
        """,
    ),
    case(
        "receiver is unknown",
        GRAPH,
        """
        def run(model):
            model.train(10, dataset)
        """,
    ),
    case(
        "name is bound again",
        MODEL,
        """
        model.train(10, dataset, dataset_sink_mode=True)
        model = __import__("toolbox").Evaluator()
        model.train(10, dataset)
        """,
    ),
    case(
        "text and comments",
        MODEL,
        '''
        """Call model.train(10, dataset) to start."""
        # model.train(10, dataset)
        model.train(10, dataset, dataset_sink_mode=True)  # was: model.train(10, dataset)
        ''',
    ),
]


# Settings in code that an edit of the call would leave without effect: the fix is at the setting, and is shown
SETTINGS = [
    ("Config.sink", "class Config:\n    sink = False\n"),
    ("config.sink", "class Config:\n    sink = False\n\n\nconfig = Config()\n"),
    ("config.sink", "class Config:\n    def __init__(self):\n        self.sink = False\n\n\nconfig = Config()\n"),
    ('config["sink"]', 'config = {"sink": False, "epochs": 3}\n'),
    ('config["data"]["sink"]', 'config = {"data": {"sink": False}}\n'),
    ("settings.SINK", "import settings\n"),
    ("SINK", "from settings import SINK\n"),
    ("sink", "from settings import SINK as sink\n"),
    ('config.get("sink")', 'config = {"sink": False, "epochs": 3}\n'),
    ('config.get("sink", False)', 'config = {"epochs": 3}\n'),
    ('getattr(Config, "sink", False)', "class Config:\n    sink = False\n"),
    ("bool(Config.sink)", "class Config:\n    sink = False\n"),
    ("sink", "class Config:\n    sink = False\n\n\nsink = Config.sink\n"),
    ("sink", 'config = {"sink": False}\nsink = bool(config.get("sink"))\n'),
    (
        "sink",
        "MODES = [('fast', True), ('slow', False)]\nfor name, sink in MODES:\n    if name == 'slow':\n        break\n",
    ),
    ("sink", "MODES = {'slow': False}\ntry:\n    sink = MODES['slow']\nexcept KeyError:\n    sink = True\n"),
    ("next(sink for name, sink in MODES if name == 'slow')", "MODES = [('fast', True), ('slow', False)]\n"),
    ("SINK", "config = {'SINK': False}\nglobals().update(config)\n"),
    ("sink", "MODES = (3, False)\nepochs, sink = MODES\n"),
]
FIRES += [
    case(
        f"computed of a setting: {read}",
        MODEL,
        made,
        f"model.train(10, dataset, dataset_sink_mode={read})  # ! no fix\n",
    )
    for read, made in (
        ('Config.sink == "true"', 'class Config:\n    sink = "false"\n'),
        ("sink", 'class Config:\n    sink = "false"\n\n\nsink = Config.sink == "true"\n'),
        ("not DEBUG", "DEBUG = True\n"),
    )
]
FIRES += [
    case(
        f"computed of constants: {read}",
        MODEL,
        made,
        f"model.train(10, dataset, dataset_sink_mode={read})  # ! safe\n",
    )
    for read, made in (("not True", ""), ("1 == 2", ""), ("sink", "sink = not True\n"))
]
FIRES += [
    case(
        f"setting in code: {read} by {made}",
        {
            "train.py": join(MODEL, made, f"model.train(10, dataset, dataset_sink_mode={read})  # ! display-only\n"),
            "settings.py": "SINK = False\n",
        },
    )
    for read, made in SETTINGS
]
FIRES += [
    case(f"no setting: {made}", MODEL, made, f"model.train(10, dataset, dataset_sink_mode={read})  # ! safe\n")
    for read, made in (
        ("sink", "sink = False\n"),
        ("sink", "epochs, sink = 3, False\n"),
        ("False", ""),
        ("sink()", "def sink():\n    return False\n"),
    )
]
FIRES += [
    case(f"by another call: {each}", MODEL, f"import functools, threading\n{each}  # ! no fix\n")
    for each in (
        "threading.Thread(target=model.train, args=(10, dataset)).start()",
        "functools.partial(model.train, 10, dataset)()",
        "pool.submit(model.train, 10, dataset)",
        "pool.apply_async(model.train, (10, dataset))",
        "threading.Thread(target=model.train, kwargs=dict(epoch=10, train_dataset=dataset)).start()",
    )
]
FIRES.append(
    case(
        "by another call that passes it",
        MODEL,
        "pool.submit(model.train, 10, dataset, dataset_sink_mode=False)  # ! safe\n",
    )
)
QUIET += [
    case(
        f"setting in code that sinks: {read} by {made}",
        MODEL,
        made.replace("False", "True"),
        f"model.train(10, dataset, dataset_sink_mode={read})\n",
    )
    for read, made in SETTINGS[:5]
]


CHOSEN = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--save_steps", type=int, default=DEFAULT)
    args, size = parser.parse_args(), dataset.get_dataset_size()
    TEXT
    saver = ModelCheckpoint("net", config=config)
    model.train(10, dataset, callbacks=[saver]SINK)
"""
IN_ARMS = """if args.save_steps:
        config = CheckpointConfig(save_checkpoint_steps=args.save_stepsTIMES)
    else:
        config = CheckpointConfig(save_checkpoint_steps=size)"""
OF_EITHER = "config = CheckpointConfig(save_checkpoint_steps=args.save_steps or size)"
for default in ("None", "100"):
    for text in (IN_ARMS.replace("TIMES", ""), OF_EITHER):
        chosen = CHOSEN.replace("DEFAULT", default).replace("TEXT", text)
        named = f"the option {default} decides the steps: {text}"
        FIRES.append(case(named, MODEL, chosen.replace("SINK)", ")  # ! unsafe")))
        QUIET.append(case(f"False beside that, {named}", MODEL, chosen.replace("SINK", ", dataset_sink_mode=False")))
    chosen = CHOSEN.replace("DEFAULT", default).replace("TEXT", IN_ARMS.replace("TIMES", " * size"))
    FIRES.append(case(f"the option {default} decides the epochs", MODEL, chosen.replace("SINK)", ")  # ! safe")))


@pytest.mark.parametrize("program", FIRES)
def test_fires(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)


@pytest.mark.parametrize(
    ("before", "behind", "is_reported"),
    [
        ("", "ms.set_context(mode=ms.GRAPH_MODE)\nmodel.train(2, dataset)\n", False),
        ("ms.set_context(mode=ms.GRAPH_MODE)\n", "model.train(2, dataset)\n", True),
        ("ms.set_context(mode=ms.GRAPH_MODE)\n", "ms.set_context(mode=ms.GRAPH_MODE)\nmodel.train(2, dataset)\n", True),
    ],
)
def test_a_training_before_the_mode_is_set_runs_op_by_op(before: str, behind: str, is_reported: bool) -> None:
    text = join(NETWORK, before, "model = Model(net, loss, opt)\nmodel.train(10, dataset)\n", behind)
    rows = [each.place.row for each in Program({"train.py": text}).lint(CODE).findings]
    first = text[: text.index("model.train(10")].count("\n") + 1
    assert (first in rows) is is_reported
    assert len(rows) == 1 + is_reported


@pytest.mark.parametrize(("default", "is_reported"), [("Ascend", False), ("GPU", True)])
def test_the_mode_of_the_default_device_counts(default: str, is_reported: bool) -> None:
    option = f"""
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--platform", default="{default}")
        platform = parser.parse_args().platform.lower()
        if platform == "ascend":
            ms.set_context(mode=ms.PYNATIVE_MODE, device_target="Ascend")
        else:
            ms.set_context(mode=ms.GRAPH_MODE, device_target="GPU")
        """
    text = join(NETWORK, option, "model = Model(net, loss, opt)\nmodel.train(10, dataset)\n")
    assert bool(Program({"train.py": text}).lint(CODE).findings) is is_reported


INDIRECT = [
    "functools.partial(model.train, 10)(dataset)  # !",
    "run = functools.partial(model.train, 10)\nrun(dataset)  # !",
    "runs = {'train': functools.partial(model.train, 10)}\nruns['train'](dataset)  # !",
    "for run in [model.train]:\n    run(10, dataset)  # !",
    "def call(function, *given):\n    function(*given)  # !\n\n\ncall(model.train, 10, dataset)",
    "getattr(model, 'train')(10, dataset)  # !",
]


@pytest.mark.parametrize("text", INDIRECT)
def test_a_training_under_another_name(text: str) -> None:
    fires(CODE, Program({"train.py": join("import functools\n", MODEL) + text + "\n"}))


@pytest.mark.parametrize("text", INDIRECT)
def test_a_sunk_training_under_another_name(text: str) -> None:
    sunk = text.replace("dataset)", "dataset, dataset_sink_mode=True)").replace("  # !", "")
    sunk = sunk.replace("(function, *given", "(function, *given, **more").replace(
        "function(*given", "function(*given, **more"
    )
    quiet(CODE, Program({"train.py": join("import functools\n", MODEL) + sunk + "\n"}))


def test_one_of_several_methods_is_no_training() -> None:
    text = "for run in [model.train, model.eval]:\n    run(10, dataset)\n"
    quiet(CODE, Program({"train.py": join(MODEL) + text}))


PYNATIVE = 'ms.set_context(mode=ms.PYNATIVE_MODE, device_target="Ascend")\n'
BEHIND = [
    (
        "in functions that run one after the other",
        """
        def train():
            {first}
            Model(net, loss, opt).train(10, dataset){mark}


        def test():
            {then}
            Model(net, loss, metrics={{"acc"}}).eval(dataset)


        train()
        test()
        """,
    ),
    (
        "in the script",
        """
        {first}
        Model(net, loss, opt).train(10, dataset){mark}
        {then}
        ms.export(net, ms.Tensor([1.0]), file_name="net")
        """,
    ),
    (
        "in a function behind two trainings",
        """
        def export():
            {then}
            ms.export(net, ms.Tensor([1.0]), file_name="net")


        {first}
        model = Model(net, loss, opt)
        model.train(10, dataset){mark}
        model.train(5, dataset){mark}
        export()
        """,
    ),
    (
        "under the guard",
        """
        def run():
            {first}
            Model(net, loss, opt).train(10, dataset){mark}


        if __name__ == "__main__":
            run()
            {then}
            print(Model(net, loss, metrics={{"acc"}}).eval(dataset))
        """,
    ),
    (
        "in a class",
        """
        class Runner:
            def fit(self):
                {first}
                Model(net, loss, opt).train(10, dataset){mark}

            def test(self):
                {then}
                print(net(ms.Tensor([1.0])))


        runner = Runner()
        runner.fit()
        runner.test()
        """,
    ),
]


@pytest.mark.parametrize("text", [pytest.param(text, id=name.replace(" ", "-")) for name, text in BEHIND])
def test_a_mode_behind_the_training_does_not_count(text: str) -> None:
    graph = PYNATIVE.replace("PYNATIVE", "GRAPH")
    reported = text.format(first=graph.strip(), then=PYNATIVE.strip(), mark="  # ! safe")
    fires(CODE, Program({"train.py": join(NETWORK, reported)}))
    quiet(CODE, Program({"train.py": join(NETWORK, text.format(first=PYNATIVE.strip(), then=graph.strip(), mark=""))}))


def test_a_mode_between_epochs_counts() -> None:
    text = """
        def evaluate():
            ms.set_context(mode=ms.GRAPH_MODE)
            print(Model(net, loss, metrics={"acc"}).eval(dataset))


        ms.set_context(mode=ms.PYNATIVE_MODE, device_target="Ascend")
        model = Model(net, loss, opt)
        for epoch in range(10):
            model.train(2, dataset)  # !
            evaluate()
        """
    fires(CODE, Program({"train.py": join(NETWORK, text)}))
