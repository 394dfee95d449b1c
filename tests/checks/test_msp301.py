"""MSP301 synchronous-checkpoint: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, join, quiet

CODE = "MSP301"

NETWORK = """
    import mindspore as ms
    import mindspore.nn as nn
    from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint

    from src.dataset import create_dataset


    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(64, 10)

        def construct(self, x):
            return self.fc(x)


    ms.set_context(mode=ms.GRAPH_MODE)
    dataset = create_dataset("./train", 32)
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)
"""

MODEL = join(NETWORK, "model = Model(net, loss, opt)\n")

STEP = join(
    NETWORK,
    """

    def forward(data, label):
        return loss(net(data), label)


    grad_fn = ms.value_and_grad(forward, None, opt.parameters)


    def train_step(data, label):
        value, grads = grad_fn(data, label)
        opt(grads)
        return value


    """,
)

ONE_PASS = """
{head}
for epoch in {over}:
    for data, label in dataset.create_tuple_iterator():
        train_step(data, label)
    ms.save_checkpoint(net, f"{{epoch}}.ckpt"){mark}
"""

EPOCHS_OPTION = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=1)
args = parser.parse_args()
"""

USED = [
    ("by name", 'saver = ModelCheckpoint("net")  # ! safe\nmodel.train(10, dataset, callbacks=saver)\n'),
    (
        "added",
        'saver = ModelCheckpoint("net")  # ! safe\nrow = []\nrow += [saver]\nmodel.train(10, dataset, callbacks=row)\n',
    ),
    (
        "by a function",
        'saver = ModelCheckpoint("net")  # ! safe\n\n\ndef run():\n    model.train(10, dataset, callbacks=saver)\n\n\n'
        "run()\n",
    ),
    (
        "under the guard",
        'saver = ModelCheckpoint("net")  # ! safe\n'
        'if __name__ == "__main__":\n    model.train(10, dataset, callbacks=[saver])\n',
    ),
]

FIRES = [
    case(
        "the training in another thread",
        STEP,
        """
        import threading


        def train(network, name):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
                ms.save_checkpoint(network, name)  # !


        threading.Thread(target=train, args=(net, "net.ckpt")).start()
        """,
    ),
    *(
        case(
            f"one save after each epoch: {loop}; {train}",
            STEP,
            """
            def make(net):
                return nn.Adam(net.trainable_params())


            def train(step, optimizer=None):
                for data, label in dataset.create_tuple_iterator():
                    step(data, label)


            size, total = 8, 200
            {loop}
                {train}
                ms.save_checkpoint(net, f"{size}.ckpt")  # ! unsafe
                size += 8
            """.replace("{loop}", loop).replace("{train}", train),
        )
        for loop, train in (
            ("step = nn.TrainOneStepCell(net, make(net))\n            while size < total:", "train(step)"),
            ("step = nn.TrainOneStepCell(net, make(net))\n            for _ in range(3):", "train(step)"),
            ("for epoch in range(3):", "train(nn.TrainOneStepCell(net, make(net)))"),
            ("for i in range(3):", "train(train_step)"),
            ("for i in range(3):", "train(train_step, opt)"),
        )
    ),
    *(case(f"callback that is used, {name}", MODEL, text) for name, text in USED),
    case(
        "config given to the callback of a training",
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=1875, keep_checkpoint_max=10)  # ! safe
        saver = ModelCheckpoint(prefix="lenet", directory="./ckpt", config=config)
        model.train(10, dataset, callbacks=[saver, LossMonitor()], dataset_sink_mode=True)
        """,
    ),
    case(
        "one expression inside the list of callbacks",
        MODEL,
        """
        model.train(10, dataset, callbacks=[
            LossMonitor(),
            ModelCheckpoint("net", config=CheckpointConfig(1875, 0, 10)),  # ! safe
        ])
        """,
    ),
    case(
        "explicit False",
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=100, async_save=False)  # ! safe
        model.train(10, dataset, callbacks=ModelCheckpoint(config=config))
        """,
    ),
    case(
        "positional False",
        MODEL,
        """
        config = CheckpointConfig(100, 0, 5, 0, True, False)  # ! safe
        model.train(10, dataset, ModelCheckpoint("net", "./out", config))
        """,
    ),
    case(
        "constant variable that is False",
        MODEL,
        """
        ASYNC = False
        config = CheckpointConfig(save_checkpoint_steps=100, async_save=ASYNC)  # !
        model.train(10, dataset, callbacks=[ModelCheckpoint(config=config)])
        """,
    ),
    case(
        "callback without config",
        MODEL,
        """
        saver = ModelCheckpoint(prefix="net", directory="./ckpt")  # ! safe
        model.train(10, dataset, callbacks=[saver])
        """,
    ),
    case(
        "fit counts like train",
        MODEL,
        """
        model.fit(10, dataset, create_dataset("./val", 32), callbacks=[ModelCheckpoint("net")])  # ! safe
        """,
    ),
    case(
        "config that nobody uses beside a callback without config",
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=1875, keep_checkpoint_max=3)
        saver = ModelCheckpoint(prefix="net", directory="./ckpt")  # ! display-only
        model.train(10, dataset, callbacks=[saver])
        """,
    ),
    case(
        "several lines",
        MODEL,
        """
        config = CheckpointConfig(  # !
            save_checkpoint_steps=dataset.get_dataset_size(),
            keep_checkpoint_max=10,  # the last ten epochs
        )
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "only the first rank saves, list of callbacks grows",
        MODEL,
        """
        from mindspore.communication import get_rank, init

        init()
        callbacks = [LossMonitor()]
        if get_rank() == 0:
            config = CheckpointConfig(save_checkpoint_steps=dataset.get_dataset_size())  # ! safe
            callbacks += [ModelCheckpoint("net", "./ckpt", config)]
        model.train(90, dataset, callbacks=callbacks, dataset_sink_mode=True)
        """,
    ),
    case(
        "names of 1.x",
        """
        from mindspore import context
        from mindspore import Model, nn
        from mindspore.train.callback import ModelCheckpoint as Saver, CheckpointConfig as SaverConfig

        context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")


        def run(net, dataset):
            model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
            saving = SaverConfig(save_checkpoint_steps=500)  # ! unsafe
            model.train(5, dataset, callbacks=[Saver("net", config=saving)])


        if __name__ == "__main__":
            run(nn.Dense(16, 16), None)
        """,
        version=(1, 8, 1),
    ),
    case(
        "star import",
        """
        from mindspore import nn
        from mindspore.train import *

        net = nn.Dense(16, 16)
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        config = CheckpointConfig(save_checkpoint_steps=50)  # !
        model.train(3, None, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "top-level names",
        MODEL,
        """
        saver = ms.ModelCheckpoint("net", config=ms.CheckpointConfig(save_checkpoint_steps=50))  # !
        ms.Model(net, loss, opt).train(3, dataset, callbacks=[saver])
        """,
    ),
    case(
        "factory of callbacks in another file",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import Model, nn

                from src.callbacks import make_callbacks
                from src.dataset import create_dataset


                def main():
                    ms.set_context(mode=ms.GRAPH_MODE)
                    net = nn.Dense(32, 32)
                    model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
                    model.train(20, create_dataset(), callbacks=make_callbacks("./ckpt"))


                if __name__ == "__main__":
                    main()
                """,
            "src/__init__.py": "",
            "src/dataset.py": """
                import mindspore.dataset as ds


                def create_dataset():
                    return ds.MindDataset("train.mindrecord").batch(32)
                """,
            "src/callbacks.py": """
                from mindspore.train.callback import CheckpointConfig, ModelCheckpoint, TimeMonitor


                def make_callbacks(folder):
                    saving = CheckpointConfig(save_checkpoint_steps=1000)  # ! safe
                    return [TimeMonitor(), ModelCheckpoint("net", folder, saving)]
                """,
        },
    ),
    case(
        "default of an option",
        """
        import argparse

        from mindspore import Model, nn
        from mindspore.train import CheckpointConfig, ModelCheckpoint

        parser = argparse.ArgumentParser()
        parser.add_argument("--async_save", type=bool, default=False)
        args = parser.parse_args()
        net = nn.Dense(32, 32)
        model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
        config = CheckpointConfig(save_checkpoint_steps=100, async_save=args.async_save)  # ! display-only
        model.train(20, None, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "value of the config file",
        {
            "train.py": """
                import yaml
                from mindspore import Model, nn
                from mindspore.train import CheckpointConfig, ModelCheckpoint

                with open("config.yaml") as file:
                    options = yaml.safe_load(file)
                net = nn.Dense(32, 32)
                model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
                config = CheckpointConfig(options["save_steps"], async_save=options["async_save"])  # ! display-only
                model.train(20, None, callbacks=[ModelCheckpoint("net", config=config)])
                """,
            "config.yaml": """
                save_steps: 1000
                async_save: false
                """,
        },
    ),
    case(
        "callback driven by hand",
        STEP,
        """
        from mindspore.train.callback import RunContext

        saver = ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=200))  # ! unsafe
        state = RunContext(ms.train.callback._InternalCallbackParam())
        saver.begin(state)
        for data, label in dataset.create_tuple_iterator():
            train_step(data, label)
            saver.step_end(state)
        saver.end(state)
        """,
    ),
    case(
        "saved in the loop over epochs",
        STEP,
        """
        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            ms.save_checkpoint(net, f"net-{epoch}.ckpt")  # ! unsafe
        """,
    ),
    case(
        "one batch of each epoch",
        STEP,
        """
        for epoch in range(20):
            for step, (data, label) in enumerate(dataset.create_tuple_iterator()):
                train_step(data, label)
                if step == 100:
                    ms.save_checkpoint(net, f"{epoch}.ckpt")  # ! unsafe
                    break
        """,
    ),
    *(
        case(
            f"the loops go on after the save: {end}",
            STEP,
            f"""
            def run():
                for epoch in range(20):
                    for step, (data, label) in enumerate(dataset.create_tuple_iterator()):
                        if train_step(data, label) > 9:
                            if step > 100:
                                ms.save_checkpoint(net, "middle.ckpt")  # ! unsafe
                                {inner}
                            {end}


            run()
            """,
        )
        for end, inner in (("break", "pass"), ("continue", "pass"), ("return", "continue"), ("pass", "pass"))
    ),
    case(
        "epoch that turned out best so far",
        STEP,
        """
        best_epoch = 0
        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                value = train_step(data, label)
            if value < 1:
                best_epoch = epoch
            if epoch == best_epoch:
                ms.save_checkpoint(net, "best.ckpt")  # ! unsafe
        """,
    ),
    *(
        case(
            f"one pass by default alone, or more: {head.strip()} {over}".replace("\n", ";"),
            STEP,
            ONE_PASS.format(head=head, over=over, mark="  # ! unsafe"),
        )
        for head, over in (
            (EPOCHS_OPTION, "range(args.epochs)"),
            (EPOCHS_OPTION, "range(1, args.epochs + 1)"),
            ("epochs = 2", "range(1, epochs + 1)"),
            ("import os\nepochs = int(os.environ['EPOCHS'])", "range(epochs)"),
            ("pass", "[0, 1]"),
            ("names = open('names').read().split()", "[*names]"),
        )
    ),
    case(
        "each step of the one epoch",
        STEP,
        """
        for epoch in range(1):
            for step, (data, label) in enumerate(dataset.create_tuple_iterator()):
                train_step(data, label)
                ms.save_checkpoint(net, f"{step}.ckpt")  # ! unsafe
        """,
    ),
    case(
        "one Model goes on in each pass",
        NETWORK,
        """
        model = Model(net, loss, opt)
        for turn in range(10):
            model.train(5, dataset, callbacks=[LossMonitor()])
            ms.save_checkpoint(net, f"{turn}.ckpt")  # ! unsafe
        """,
    ),
    case(
        "epochs one by one, by a helper that makes the Model",
        NETWORK,
        """
        def train_epoch(network):
            Model(network, loss, opt).train(1, dataset, callbacks=[LossMonitor()])


        for epoch in range(10):
            train_epoch(net)
            ms.save_checkpoint(net, f"{epoch}.ckpt")  # ! unsafe
        """,
    ),
    case(
        "step that sinks its data",
        STEP,
        """
        def main():
            sink_process = ms.data_sink(train_step, dataset, sink_size=1)
            for epoch in range(20):
                for _ in range(100):
                    value = sink_process()
                print(value)
                ms.save_checkpoint(net, f"{epoch}.ckpt")  # ! unsafe


        main()
        """,
    ),
    case(
        "step under another name",
        STEP,
        """
        import functools

        compiled = ms.jit(train_step)
        later = functools.partial(train_step, dataset)
        for epoch in range(20):
            compiled(dataset, epoch)
            ms.save_checkpoint(net, f"{epoch}.ckpt")  # ! unsafe
        for epoch in range(20):
            later(epoch)
            ms.save_checkpoint(net, f"{epoch}.ckpt")  # ! unsafe
        """,
    ),
    case(
        "method of a class that derives from another callback",
        MODEL,
        """
        class SaveBest(LossMonitor):
            def epoch_end(self, run_context):
                if self.is_best(run_context):
                    ms.save_checkpoint(net, "best.ckpt")  # ! unsafe


        model.train(10, dataset, callbacks=[SaveBest()])
        """,
    ),
    case(
        "method of a callback that runs after the evaluation of `fit`",
        MODEL,
        """
        class SaveBest(LossMonitor):
            def on_eval_end(self, run_context):
                if self.is_best(run_context):
                    self.save()

            def save(self):
                ms.save_checkpoint(net, "best.ckpt")  # ! unsafe


        model.fit(10, dataset, evaluated, callbacks=[SaveBest()])
        """,
    ),
    case(
        "function that runs after the evaluation of `fit`",
        MODEL,
        """
        from mindspore.train import LambdaCallback
        save = LambdaCallback(on_eval_epoch_end=lambda context: ms.save_checkpoint(net, "last.ckpt"))  # ! unsafe
        model.fit(10, dataset, valid_dataset=evaluated, callbacks=[save])
        """,
    ),
    *(
        case(
            f"last of every few steps: {test}",
            STEP,
            f"""
            for epoch in range(20):
                for i, (x, y) in enumerate(dataset):
                    train_step(x, y)
                    rest = i % every
                    if {test}:
                        ms.save_checkpoint(net, f"{{epoch}}_{{i}}.ckpt")  # ! unsafe
            """,
        )
        for test in ("rest == every - 1", "every - 1 == rest", "rest + 1 == every", "i % every + 1 == every")
    ),
    case(
        "config of an own kind of ModelCheckpoint",
        MODEL,
        """
        class RankedCheckpoint(ModelCheckpoint):
            def end(self, run_context):
                print("done")


        config = CheckpointConfig(save_checkpoint_steps=100)  # ! safe
        saver = RankedCheckpoint("net", "./ckpt", config)
        model.train(10, dataset, callbacks=[saver])
        """,
    ),
    case(
        "step behind an object that is called",
        NETWORK,
        """
        class Stepper:
            def __init__(self, network, optimizer):
                self.cell = nn.TrainOneStepCell(network, optimizer)
                self.count = 0

            def __call__(self, *data):
                value = self.cell(*data)
                self.count += 1
                if self.count % 1000 == 0:
                    ms.save_checkpoint(self.cell.network, f"{self.count}.ckpt")  # ! unsafe
                return value


        stepper = Stepper(nn.WithLossCell(net, loss), opt)
        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                stepper(data, label)
            ms.save_checkpoint(net, f"{epoch}.ckpt")  # ! unsafe
        """,
    ),
    case(
        "after many steps that are counted",
        STEP,
        """
        def main():
            step = 0
            while True:
                for data, label in dataset.create_tuple_iterator():
                    step = step + 1
                    train_step(data, label)
                    if step > 90000 and step % 1000 == 0:
                        ms.save_checkpoint(net, f"{step}.ckpt")  # ! unsafe


        main()
        """,
    ),
    case(
        "last batch of each epoch",
        STEP,
        """
        size = dataset.get_dataset_size()
        for epoch in range(20):
            count = 0
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
                if epoch % 2 == 0 and count == size - 1:
                    ms.save_checkpoint(net, f"{epoch}.ckpt")  # ! unsafe
                count += 1
        """,
    ),
    case(
        "last batch, in a function for one epoch",
        STEP,
        """
        def train_one(name):
            for step, (data, label) in enumerate(dataset.create_tuple_iterator()):
                train_step(data, label)
                if step == dataset.get_dataset_size() - 1:
                    ms.save_checkpoint(net, name)  # ! unsafe


        for turn in range(20):
            train_one(f"{turn}.ckpt")
        """,
    ),
    case(
        "best model in the loop",
        STEP,
        """
        from mindspore import save_checkpoint

        best = 0.0
        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                value = train_step(data, label)
            accuracy = float(value)
            if accuracy > best:
                best = accuracy
                save_checkpoint(net, "best.ckpt")  # ! unsafe
        """,
    ),
    case(
        "every thousandth step",
        STEP,
        """
        for step, (data, label) in enumerate(dataset.create_tuple_iterator()):
            train_step(data, label)
            if step % 1000 == 0:
                ms.train.serialization.save_checkpoint(net, "step.ckpt", True, False)  # ! unsafe
        """,
    ),
    case(
        "method of a callback",
        MODEL,
        """
        from mindspore.train.callback import Callback


        class SaveBest(Callback):
            def __init__(self):
                super().__init__()
                self.best = 1e9

            def epoch_end(self, run_context):
                params = run_context.original_args()
                if float(params.net_outputs) < self.best:
                    ms.save_checkpoint(params.train_network, "best.ckpt")  # ! unsafe


        model.train(20, dataset, callbacks=[SaveBest()], dataset_sink_mode=True)
        """,
    ),
    case(
        "method that a callback calls",
        MODEL,
        """
        class Keeper(ms.Callback):
            def on_train_epoch_end(self, run_context):
                self.keep(run_context.original_args().train_network)

            def keep(self, network):
                ms.save_checkpoint(network, "latest.ckpt")  # ! unsafe


        model.fit(20, dataset, callbacks=[Keeper()])
        """,
    ),
    case(
        "helper called in the loop",
        STEP,
        """
        def keep(epoch):
            ms.save_checkpoint(net, "net-%d.ckpt" % epoch)  # ! unsafe


        def main():
            for epoch in range(20):
                for data, label in dataset.create_tuple_iterator():
                    train_step(data, label)
                keep(epoch)


        main()
        """,
    ),
    case(
        "helper of another module called in the loop",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                from utils import keep


                def main(dataset):
                    net = nn.Dense(32, 32)
                    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
                    for epoch in range(20):
                        for data, label in dataset:
                            step(data, label)
                        keep(net, epoch)


                if __name__ == "__main__":
                    main([])
                """,
            "utils.py": """
                import os

                from mindspore import save_checkpoint


                def keep(net, epoch):
                    save_checkpoint(net, os.path.join("out", f"{epoch}.ckpt"))  # ! unsafe
                """,
        },
    ),
    case(
        "method of an own trainer class",
        STEP,
        """
        class Trainer:
            def __init__(self, folder):
                self.folder = folder

            def save(self, epoch):
                ms.save_checkpoint(net, f"{self.folder}/{epoch}.ckpt")  # ! unsafe

            def run(self):
                for epoch in range(20):
                    for data, label in dataset.create_tuple_iterator():
                        train_step(data, label)
                    self.save(epoch)


        Trainer("./out").run()
        """,
    ),
    case(
        "read again, so there is no fix",
        STEP,
        """
        import shutil

        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            ms.save_checkpoint(net, "latest.ckpt")  # ! no fix
            shutil.copy("latest.ckpt", "/backup")
        """,
    ),
    case(
        "loaded after the loop by the same expression",
        STEP,
        """
        import os

        path = os.path.join("out", "best.ckpt")
        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            ms.save_checkpoint(net, path)  # ! no fix
        ms.load_param_into_net(net, ms.load_checkpoint(path))
        """,
    ),
    case(
        "old file is removed first, by the same name",
        STEP,
        """
        import os

        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            if os.path.exists("net.ckpt"):
                os.remove("net.ckpt")
            ms.save_checkpoint(net, "net.ckpt")  # ! no fix
        """,
    ),
    case(
        "callback evaluates the newest file of the folder",
        MODEL,
        """
        import glob


        class EvaluateNewest(ms.Callback):
            def epoch_end(self, run_context):
                newest = sorted(glob.glob("./ckpt/*.ckpt"))[-1]
                ms.load_param_into_net(net, ms.load_checkpoint(newest))


        config = CheckpointConfig(save_checkpoint_steps=100)  # ! no fix
        model.train(20, dataset, callbacks=[ModelCheckpoint("net", "./ckpt", config), EvaluateNewest()])
        """,
    ),
    case(
        "training returned before the file is read",
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=100)  # ! safe
        model.train(20, dataset, callbacks=[ModelCheckpoint("net", "./ckpt", config)])
        ms.load_checkpoint("./ckpt/net-20_100.ckpt", net)
        print(model.eval(create_dataset("./val", 32)))
        """,
    ),
    case(
        "safetensors before 2.6",
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=100, format="safetensors")  # ! no fix
        model.train(20, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
        version=(2, 5, 0),
    ),
    case(
        "safetensors from 2.6",
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=100, format="safetensors")  # ! safe
        model.train(20, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
        version=(2, 7, 0),
    ),
    case(
        "one config is asynchronous, the other is not",
        MODEL,
        """
        good = CheckpointConfig(save_checkpoint_steps=100, async_save=True)
        bad = CheckpointConfig(save_checkpoint_steps=1000)  # !
        model.train(20, dataset, callbacks=[ModelCheckpoint("a", config=good), ModelCheckpoint("b", config=bad)])
        """,
    ),
    case(
        "name of the file says evaluation, but it trains",
        {
            "train_and_eval.py": """
                from mindspore import Model, nn
                from mindspore.train import ModelCheckpoint

                net = nn.Dense(32, 32)
                model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), metrics={"loss"})
                model.train(1, None, callbacks=[ModelCheckpoint("net")])  # !
                model.eval(None)
                """,
        },
    ),
    case(
        "function that another one calls, given in the loop",
        STEP,
        """
        def timed(function, *arguments):
            return function(*arguments)


        def keep(name):
            ms.save_checkpoint(net, name)  # ! unsafe


        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                timed(train_step, data, label)
            timed(keep, "final.ckpt")
        """,
    ),
    case(
        "arm of a parameter",
        STEP,
        """
        def after(epoch, save=False):
            if save:
                ms.save_checkpoint(net, "final.ckpt")  # ! unsafe
            print(epoch)


        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            after(epoch, save=True)
        after(20)
        """,
    ),
    case(
        "each turn goes on with the training, by a function",
        STEP,
        """
        def train():
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)


        for turn in range(20):
            train()
            ms.save_checkpoint(net, f"{turn}.ckpt")  # ! unsafe
        """,
    ),
    case(
        "lambda that a callback calls after each epoch",
        MODEL,
        """
        from mindspore.train import LambdaCallback

        save = LambdaCallback(on_train_epoch_end=lambda context: ms.save_checkpoint(net, "last.ckpt"))  # ! unsafe
        model.train(10, dataset, callbacks=[save])
        """,
    ),
    case(
        "function that a callback calls after each epoch",
        MODEL,
        """
        from mindspore.train import LambdaCallback

        def keep(context):
            ms.save_checkpoint(net, "last.ckpt")  # ! unsafe

        model.train(10, dataset, callbacks=[LambdaCallback(on_train_epoch_end=keep)])
        """,
    ),
    case(
        "callback whose hook the program calls in the loop",
        STEP,
        """
        class Save(ms.Callback):
            def epoch_end(self, run_context):
                ms.save_checkpoint(net, "last.ckpt")  # ! unsafe

        save = Save()
        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            save.epoch_end(None)
        """,
    ),
]

DROPPED = [
    (
        "config",
        'config = CheckpointConfig(100)\nsaver = ModelCheckpoint("net", config=config)\nmodel.train(10, dataset)\n',
    ),
    ("alone", 'saver = ModelCheckpoint("net")\nmodel.train(10, dataset)\n'),
    (
        "beside others",
        'saver = ModelCheckpoint("net")\nshown = LossMonitor()\nmodel.train(10, dataset, callbacks=[shown])\n',
    ),
    (
        "in a function",
        'def run():\n    saver = ModelCheckpoint("net", config=CheckpointConfig(100))\n'
        "    model.train(10, dataset)\n\n\nrun()\n",
    ),
    (
        "under the guard",
        'if __name__ == "__main__":\n    saver = ModelCheckpoint("net", config=CheckpointConfig(100))\n'
        "    model.train(10, dataset)\n",
    ),
    (
        "beside another one of its name",
        'def make():\n    saver = ModelCheckpoint("net")\n\n\n'
        'def run(**options):\n    saver = options["callbacks"]\n'
        "    model.train(10, dataset, callbacks=saver)\n\n\nmake()\nrun(**eval(input()))\n",
    ),
]
LATER = """
import threading
from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor()


def save(network, name):
    ms.save_checkpoint(network, name)


for data, label in dataset.create_tuple_iterator():
    train_step(data, label)
    START
"""
QUIET = [
    *(case(f"callback that nothing uses, {name}", MODEL, text) for name, text in DROPPED),
    *(
        case(f"in another thread: {start}", STEP, LATER.replace("START", start))
        for start in (
            "threading.Thread(target=save, args=(net, 'net.ckpt')).start()",
            "threading.Timer(1, save, [net, 'net.ckpt']).start()",
            "pool.submit(save, net, 'net.ckpt')",
            "pool.apply_async(save, (net, 'net.ckpt'))",
        )
    ),
    case(
        "asynchronous",
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=1875, async_save=True)
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "positional True",
        MODEL,
        """
        config = CheckpointConfig(100, 0, 5, 0, True, True)
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "by a thread",
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=100, async_save="thread")
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "option that is on by default",
        MODEL,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--sync", dest="async_save", action="store_false")
        args = parser.parse_args()
        config = CheckpointConfig(save_checkpoint_steps=100, async_save=args.async_save)
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "value comes from the environment",
        MODEL,
        """
        import os

        config = CheckpointConfig(save_checkpoint_steps=100, async_save=bool(os.environ.get("ASYNC")))
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "value comes from a caller that is not here",
        MODEL,
        """
        def start(epochs, background):
            config = CheckpointConfig(save_checkpoint_steps=100, async_save=background)
            model.train(epochs, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "keywords that cannot be seen",
        MODEL,
        """
        import json

        with open("saving.json") as file:
            config = CheckpointConfig(**json.load(file))
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "config file is missing",
        MODEL,
        """
        import yaml

        with open("missing.yaml") as file:
            options = yaml.safe_load(file)
        config = CheckpointConfig(save_checkpoint_steps=100, async_save=options["async_save"])
        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "callback with a config that comes from elsewhere",
        MODEL,
        """
        from settings import saving

        model.train(10, dataset, callbacks=[ModelCheckpoint("net", config=saving)])
        """,
    ),
    case(
        "saved once after training",
        STEP,
        """
        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
        ms.save_checkpoint(net, "final.ckpt")
        """,
    ),
    case(
        "saved once after Model.train",
        MODEL,
        """
        model.train(10, dataset, callbacks=[LossMonitor()])
        ms.save_checkpoint(net, "final.ckpt")
        """,
    ),
    case(
        "saved once, by a helper",
        STEP,
        """
        def finish():
            ms.save_checkpoint(net, "final.ckpt")


        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
        finish()
        """,
    ),
    *(
        case(
            f"method that runs once, after the evaluation behind a training: {trains}",
            MODEL,
            f"""
            class SaveOnce(LossMonitor):
                def on_eval_end(self, run_context):
                    ms.save_checkpoint(net, "once.ckpt")


            {trains}
            model.eval(evaluated, callbacks=[SaveOnce()])
            """,
        )
        for trains in ("model.train(10, dataset)", "model.fit(10, dataset)")
    ),
    *(
        case(
            f"saved in the last step, which is {test}",
            STEP,
            f"""
            step, total = 0, 1000
            for x, y in dataset:
                train_step(x, y)
                step += 1
                last = total
                if {test}:
                    ms.save_checkpoint(net, "last.ckpt")
            """,
        )
        for test in ("step == total - 1", "total - 1 == step", "step + 1 == last")
    ),
    case(
        "saved in the last epoch only",
        STEP,
        """
        EPOCHS = 20
        for epoch in range(EPOCHS):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            if epoch == EPOCHS - 1:
                ms.save_checkpoint(net, "final.ckpt")
        """,
    ),
    case(
        "last epoch, counted from one",
        STEP,
        """
        def main(epochs):
            for epoch in range(epochs):
                for data, label in dataset.create_tuple_iterator():
                    train_step(data, label)
                if epoch + 1 == epochs:
                    ms.save_checkpoint(net, "final.ckpt")


        main(20)
        """,
    ),
    case(
        "saved before the loop and after Ctrl-C",
        STEP,
        """
        ms.save_checkpoint(net, "start.ckpt")
        try:
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
        except KeyboardInterrupt:
            ms.save_checkpoint(net, "interrupted.ckpt")
        """,
    ),
    *(
        case(
            f"one pass is known: {head} {over}".replace("\n", ";"),
            STEP,
            ONE_PASS.format(head=head, over=over, mark=""),
        )
        for head, over in (
            ("epochs = 1", "range(1, epochs + 1)"),
            ("epochs = 1", "range(epochs)"),
            ("start, end = 4, 5", "range(start, end)"),
            ("import tqdm", "tqdm.trange(1)"),
            ("from tqdm import tqdm", "tqdm(range(1), desc='epochs')"),
            ("from tqdm import tqdm as bar", "bar(range(1))"),
            ("config = {'epochs': 1}", "range(config['epochs'])"),
            ("pass", "[0]"),
        )
    ),
    case(
        "one pass is known: a helper is given the number",
        STEP,
        """
        def run(epochs=10):
            for epoch in range(epochs):
                for data, label in dataset.create_tuple_iterator():
                    train_step(data, label)
                ms.save_checkpoint(net, f"{epoch}.ckpt")


        run(epochs=1)
        """,
    ),
    case(
        "one epoch, in a step of the Model's own",
        MODEL,
        """
        def save(epoch):
            ms.save_checkpoint(net, f"{epoch}.ckpt")


        for epoch in range(1):
            model.train(epoch, dataset)
            save(epoch)
        """,
    ),
    case(
        "last epoch, by the end of the range",
        STEP,
        """
        import os

        epochs, rank = 20, int(os.environ["RANK_ID"])
        for epoch in range(1, epochs + 1):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            if rank == 0 and epoch == epochs:
                ms.save_checkpoint(net, "final.ckpt")
        """,
    ),
    case(
        "one step of the only loop",
        STEP,
        """
        for step, (data, label) in enumerate(dataset.create_tuple_iterator()):
            train_step(data, label)
            if step == 20000:
                ms.save_checkpoint(net, "middle.ckpt")
        """,
    ),
    case(
        "the loop is left after the save",
        STEP,
        """
        for step, (data, label) in enumerate(dataset.create_tuple_iterator()):
            train_step(data, label)
            if step >= 20000:
                ms.save_checkpoint(net, "final.ckpt")
                break
        """,
    ),
    *(
        case(
            f"all loops are left after the save: {end}",
            STEP,
            f"""
            import sys


            def run(most, rank):
                for epoch in range(20):
                    for step, (data, label) in enumerate(dataset.create_tuple_iterator()):
                        train_step(data, label)
                        if step >= most:
                            if rank == 0:
                                ms.save_checkpoint(net, "final.ckpt")
                            {end}


            run(20000, 0)
            """,
        )
        for end in ("return", "sys.exit()", "raise SystemExit")
    ),
    case(
        "Ctrl-C ends the loop after the save",
        STEP,
        """
        while True:
            try:
                train_step(*next(iter(dataset)))
            except KeyboardInterrupt:
                ms.save_checkpoint(net, "interrupted.ckpt")
                break
        """,
    ),
    case(
        "one training after the other, each saved when it is over",
        NETWORK,
        """
        def train(network):
            model = Model(network, loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))
            model.train(40, dataset, callbacks=[LossMonitor()])
            return network


        for fold in range(5):
            network = train(Net())
            ms.save_checkpoint(network, f"fold-{fold}.ckpt")
        for width in (16, 32, 64):
            model = Model(Net(), loss, opt)
            model.train(40, dataset)
            ms.save_checkpoint(net, f"width-{width}.ckpt")
        """,
    ),
    case(
        "callback that nobody makes",
        MODEL,
        """
        class SaveBest(ms.Callback):
            def __init__(self):
                super(SaveBest, self).__init__()

            def on_train_epoch_end(self, run_context):
                ms.save_checkpoint(net, "best.ckpt")


        # model.train(10, dataset, callbacks=[SaveBest()])
        model.train(10, dataset, callbacks=[LossMonitor()])
        """,
    ),
    case(
        "the training is PyTorch's, MindSpore only evaluates",
        {
            "train.py": """
                import mindspore as ms
                import torch
                from network import Net, TorchNet


                def train(model, loader, optimizer):
                    for epoch in range(10):
                        for data, label in loader:
                            loss = model(data, label)
                            loss.backward()
                            optimizer.step()
                        ms.save_checkpoint(convert(model), "net.ckpt")


                def convert(model):
                    return [{"name": name, "data": ms.Tensor(value)} for name, value in model.state_dict().items()]


                model = TorchNet()
                train(model, torch.utils.data.DataLoader([]), torch.optim.SGD(model.parameters(), 0.1))
                """,
            "network.py": """
                import torch


                class TorchNet(torch.nn.Module):
                    pass


                class Net:
                    pass
                """,
        },
    ),
    case(
        "sunk evaluation between saves",
        STEP,
        """
        def evaluate(data, label):
            return loss(net(data), label)


        eval_process = ms.data_sink(evaluate, dataset, sink_size=1)
        for data, label in dataset.create_tuple_iterator():
            train_step(data, label)
        for turn in range(3):
            eval_process()
            ms.save_checkpoint(net, f"{turn}.ckpt")
        """,
    ),
    case(
        "object that is called and does not train",
        STEP,
        """
        class Evaluate:
            def __call__(self, *data):
                return net(*data)


        evaluate = Evaluate()
        for data, label in dataset.create_tuple_iterator():
            train_step(data, label)
        for turn in range(20):
            evaluate(dataset)
            ms.save_checkpoint(net, f"{turn}.ckpt")
        """,
    ),
    case(
        "callback that nobody makes, beside one that is driven by hand",
        STEP,
        """
        class SaveBest(ms.Callback):
            def step_end(self, run_context):
                ms.save_checkpoint(net, "best.ckpt")


        monitor = LossMonitor()
        for data, label in dataset.create_tuple_iterator():
            train_step(data, label)
            monitor.step_end(None)
        """,
    ),
    case(
        "last step of the only loop",
        STEP,
        """
        total = 100000
        for step, (data, label) in enumerate(dataset.create_tuple_iterator()):
            train_step(data, label)
            if step == total - 1:
                ms.save_checkpoint(net, "final.ckpt")
        """,
    ),
    case(
        "callback that saves when training ends",
        MODEL,
        """
        class SaveLast(ms.Callback):
            def on_train_end(self, run_context):
                ms.save_checkpoint(net, "final.ckpt")


        class SaveLastOld(ms.Callback):
            def end(self, run_context):
                ms.save_checkpoint(net, "final.ckpt")


        model.train(10, dataset, callbacks=[SaveLast(), SaveLastOld()])
        """,
    ),
    case(
        "whole run between two saves",
        MODEL,
        """
        epochs = 30
        steps = dataset.get_dataset_size()
        config = CheckpointConfig(save_checkpoint_steps=steps * epochs)
        model.train(epochs, dataset, callbacks=[ModelCheckpoint("net", config=config)])
        """,
    ),
    case(
        "saves inside the loop are asynchronous",
        STEP,
        """
        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            ms.save_checkpoint(net, f"{epoch}.ckpt", async_save=True)
            ms.save_checkpoint(net, f"copy-{epoch}.ckpt", True, True)
        """,
    ),
    case(
        "own function of that name",
        STEP,
        """
        import pickle


        def save_checkpoint(network, path):
            with open(path, "wb") as file:
                pickle.dump([p.asnumpy() for p in network.get_parameters()], file)


        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            save_checkpoint(net, f"{epoch}.pkl")
        """,
    ),
    case(
        "own method of that name",
        STEP,
        """
        class Store:
            def save_checkpoint(self, network, path):
                print("nothing is written", path)


        store = Store()
        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            store.save_checkpoint(net, f"{epoch}.ckpt")
        """,
    ),
    case(
        "class of that name from elsewhere",
        """
        from lightning.callbacks import CheckpointConfig, ModelCheckpoint
        from mindspore import Model, nn

        net = nn.Dense(8, 8)
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
        model.train(1, None, callbacks=[ModelCheckpoint("net", config=CheckpointConfig(100))])
        """,
    ),
    case(
        "config that nobody uses",
        MODEL,
        """
        config = CheckpointConfig(save_checkpoint_steps=1875)
        model.train(10, dataset, callbacks=[LossMonitor()])
        """,
    ),
    case(
        "conversion of weights",
        """
        import sys

        import torch
        import mindspore as ms

        for path in sys.argv[1:]:
            weights = torch.load(path, map_location="cpu")
            parameters = [{"name": name, "data": ms.Tensor(value.numpy())} for name, value in weights.items()]
            ms.save_checkpoint(parameters, path.replace(".pth", ".ckpt"))
        """,
    ),
    case(
        "average of checkpoints",
        """
        import glob

        import mindspore as ms


        def average(paths):
            total = {}
            for path in paths:
                for name, value in ms.load_checkpoint(path).items():
                    total[name] = total.get(name, 0) + value.asnumpy() / len(paths)
            return [{"name": name, "data": ms.Tensor(value)} for name, value in total.items()]


        for run in glob.glob("runs/*"):
            ms.save_checkpoint(average(glob.glob(run + "/*.ckpt")), run + "/average.ckpt")
        """,
    ),
    case(
        "evaluation that saves what it scored",
        """
        import mindspore as ms
        from mindspore import Model, nn

        net = nn.Dense(16, 16)
        model = Model(net, nn.MSELoss(), metrics={"loss"})
        for epoch in range(10):
            ms.load_checkpoint(f"{epoch}.ckpt", net)
            print(model.eval(None))
            ms.save_checkpoint(net, f"scored-{epoch}.ckpt")
        """,
    ),
    case(
        "train cell is built and exported, never called",
        """
        import mindspore as ms
        from mindspore import nn

        net = nn.Dense(16, 16)
        cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
        for name in ("small", "large"):
            ms.save_checkpoint(net, name + ".ckpt")
            ms.export(cell, ms.ops.ones((1, 16)), ms.ops.ones((1, 16)), file_name=name, file_format="MINDIR")
        """,
    ),
    case(
        "helper that nobody calls",
        STEP,
        """
        def keep(epoch):
            ms.save_checkpoint(net, f"{epoch}.ckpt")


        for data, label in dataset.create_tuple_iterator():
            train_step(data, label)
        """,
    ),
    case(
        "function that another one calls, given once",
        STEP,
        """
        def timed(function, *arguments):
            return function(*arguments)


        def finish(name):
            ms.save_checkpoint(net, name)


        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                timed(train_step, data, label)
        timed(finish, "final.ckpt")
        """,
    ),
    case(
        "arm of a parameter",
        STEP,
        """
        def after(epoch, last=False):
            if last:
                ms.save_checkpoint(net, "final.ckpt")
            print(epoch)


        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            after(epoch)
        after(20, last=True)
        """,
    ),
    case(
        "arm of a parameter, by a text",
        STEP,
        """
        def report(phase):
            if phase == "end":
                ms.save_checkpoint(net, "final.ckpt")


        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
            report("epoch")
        report("end")
        """,
    ),
    case(
        "one save after each stage",
        STEP,
        """
        for stage in range(3):
            for epoch in range(20):
                for data, label in dataset.create_tuple_iterator():
                    train_step(data, label)
            ms.save_checkpoint(net, f"stage-{stage}.ckpt")
        """,
    ),
    case(
        "one save after each training of an object that makes its own optimizer",
        STEP,
        """
        class Trainer:
            def __init__(self, width):
                self.net = nn.Dense(width, 16)
                optimizer = nn.SGD(self.net.trainable_params())
                self.step = nn.TrainOneStepCell(nn.WithLossCell(self.net, loss), optimizer)

            def fit(self):
                for data, label in dataset.create_tuple_iterator():
                    self.step(data, label)


        for width in (16, 32, 64):
            trainer = Trainer(width)
            trainer.fit()
            ms.save_checkpoint(trainer.net, f"{width}.ckpt")
        """,
    ),
    *(
        case(
            f"one save after each training with an optimizer of its own: {loop}",
            STEP,
            """
            def cell(net):
                return nn.TrainOneStepCell(nn.WithLossCell(net, loss), {made})


            def make(net):
                return nn.Adam(net.trainable_params())


            def train(count):
                step = cell(net)
                for i in range(count):
                    step(data, label)


            size, total = 8, 200
            {loop}
                {train}
                ms.save_checkpoint(net, f"{size}.ckpt")
                size += 8
            """.replace("{made}", made)
            .replace("{loop}", loop)
            .replace("{train}", train),
        )
        for made, loop, train in (
            ("nn.Adam(net.trainable_params())", "while size < total:", "train(20)"),
            ("ms.experimental.optim.Adam(net.trainable_params())", "while size < total:", "train(20)"),
            ("ms.mint.optim.AdamW(net.trainable_params())", "for client in range(8):", "train(20)"),
            ("make(net)", "for client in range(8):", "train(20)"),
            (
                "nn.SGD(net.trainable_params())",
                "for lr in (1, 2):",
                "step = cell(net); [step(data, label) for i in range(9)]",
            ),
            ("opt", "for part in parts:", "own = make(net); train(own)"),
            ("nn.Lamb(params=net.trainable_params())", "for _ in range(3):", "train(20); train(40)"),
        )
    ),
    case(
        "one save after each training by a function",
        STEP,
        """
        def train(epochs):
            for epoch in range(epochs):
                for data, label in dataset.create_tuple_iterator():
                    train_step(data, label)


        for width in (16, 32, 64):
            train(20)
            ms.save_checkpoint(net, f"{width}.ckpt")
        """,
    ),
    case(
        "function that a callback calls at the end",
        MODEL,
        """
        from mindspore.train import LambdaCallback

        def keep(context):
            ms.save_checkpoint(net, "last.ckpt")

        model.train(10, dataset, callbacks=[LambdaCallback(on_train_end=keep)])
        """,
    ),
    case(
        "callback whose hook the program calls once",
        STEP,
        """
        class Save(ms.Callback):
            def epoch_end(self, run_context):
                ms.save_checkpoint(net, "last.ckpt")

        save = Save()
        for epoch in range(20):
            for data, label in dataset.create_tuple_iterator():
                train_step(data, label)
        save.epoch_end(None)
        """,
    ),
    case(
        "the only device is a CPU",
        MODEL,
        """
        ms.set_device("CPU")
        model.train(10, dataset, callbacks=[ModelCheckpoint("net")])
        """,
    ),
    case(
        "text and comments",
        MODEL,
        '''
        USAGE = """
        config = CheckpointConfig(save_checkpoint_steps=1)
        model.train(1, dataset, callbacks=[ModelCheckpoint(config=config)])
        """
        # config = CheckpointConfig(save_checkpoint_steps=1)
        model.train(10, dataset, callbacks=[LossMonitor()])
        ''',
    ),
]


LOOP = """
EPOCHS = 20
rank = get_rank()
for epoch in range(EPOCHS):
    for data, label in dataset.create_tuple_iterator():
        train_step(data, label)
"""
SAVE = 'ms.save_checkpoint(net, "net.ckpt")'
LAST = [
    "    if epoch != EPOCHS - 1:\n        continue\n    {}",
    "    if not epoch == EPOCHS - 1:\n        continue\n    {}",
    "    if epoch != EPOCHS - 1:\n        pass\n    else:\n        {}",
    "    if epoch != EPOCHS - 1 or rank:\n        continue\n    {}",
    "    epoch == EPOCHS - 1 and {}",
    "    _ = {} if epoch == EPOCHS - 1 else None",
    "    if epoch >= EPOCHS - 1:\n        {}",
    "    if epoch + 1 >= EPOCHS:\n        {}",
    "    if not epoch < EPOCHS - 1:\n        {}",
    "    if (epoch + 1) % EPOCHS == 0:\n        {}",
    "    if epoch % EPOCHS == EPOCHS - 1:\n        {}",
    "    if epoch + 1 == 20:\n        {}",
    "    if 20 == epoch + 1:\n        {}",
    "    if epoch == EPOCHS - 5:\n        {}",
    "    if epoch - 3 == rank:\n        {}",
    "    if not epoch + 2 != 20:\n        {}",
]
MORE = [
    "    if epoch == EPOCHS - 1:\n        continue\n    {}",
    "    if epoch != EPOCHS - 1 and rank:\n        continue\n    {}",
    "    if epoch == EPOCHS - 1:\n        pass\n    else:\n        {}",
    "    epoch == EPOCHS - 1 or {}",
    "    _ = None if epoch == EPOCHS - 1 else {}",
    "    if epoch >= 5:\n        {}",
    "    if epoch >= EPOCHS - 3:\n        {}",
    "    if (epoch + 1) % 5 == 0:\n        {}",
    "    if (rank + 1) % EPOCHS == 0:\n        {}",
    "    if epoch % EPOCHS >= 3:\n        {}",
    "    if epoch + 1 != 20:\n        {}",
    "    if rank + 1 == 2:\n        {}",
    "    if epoch * 2 == rank + 2 or rank:\n        {}",
]

OPENED = """
def save(path, name):
    path += name
    ms.save_checkpoint(net, path)  # ! GRADE


def read(path):
    with OPEN as file:
        return file.read()


for epoch in range(20):
    for data, label in dataset.create_tuple_iterator():
        train_step(data, label)
    save("out/", f"{epoch}.ckpt")
    read("READ")
"""
READS = [
    ('open(path, "r", encoding="utf-8")', "data/epochs.json", "unsafe"),
    ('open(path, mode="r")', "data/epochs.json", "unsafe"),
    ('open(path, "rb")', "out/1.ckpt", "no fix"),
    ("open(file=path)", "out/1.ckpt", "no fix"),
    ("open(path)", "out//1.ckpt", "no fix"),
]
FIRES += [
    case(f"{how} {read}", STEP, OPENED.replace("GRADE", grade).replace("OPEN", how).replace("READ", read))
    for how, read, grade in READS
]

TWO_WAYS = """
def fit(epochs, saves):
    for epoch in range(epochs):
        for data, label in dataset.create_tuple_iterator():
            train_step(data, label)
        if saves:
            ms.save_checkpoint(net, f"{epoch}.ckpt")MARK


FIRST
SECOND
"""
WAYS = [
    ("fit(1, True)", "fit(10, False)", ""),
    ("fit(1, True)", "fit(10, True)", "  # ! unsafe"),
    ("fit(10, True)", "fit(1, False)", "  # ! unsafe"),
    ("fit(saves=False, epochs=20)", "fit(saves=True, epochs=1)", ""),
]
for first, second, mark in WAYS:
    each = case(
        f"{first}, {second}",
        STEP,
        TWO_WAYS.replace("MARK", mark).replace("FIRST", first).replace("SECOND", second),
    )
    (FIRES if mark else QUIET).append(each)

# A training that ends waits for the writer of its callback
SIZE = "dataset.get_dataset_size()"
SAVED_AT_END = [
    ("1", "True", f"config=CheckpointConfig(save_checkpoint_steps={SIZE})", True),
    ("1", "False", f"config=CheckpointConfig(save_checkpoint_steps=2 * {SIZE})", True),
    ("1", "True", "config=CheckpointConfig(save_checkpoint_steps=100)", True),
    ("1", "True", "directory='out'", True),
    ("1", "False", "config=CheckpointConfig(save_checkpoint_steps=100)", False),
    ("1", "False", "directory='out'", False),
    ("2", "True", "directory='out'", False),
    ("2", "True", f"config=CheckpointConfig(save_checkpoint_steps={SIZE})", False),
    ("1", "True, sink_size=50", "directory='out'", False),
]

KEPT = [
    "saved.append(path)",
    "saved.extend([path])",
    "saved += [path]",
    "saved = saved + [path]",
    "saved.insert(0, path)",
]
REMOVED = """
    path = f"{epoch}.ckpt"
    ms.save_checkpoint(net, path)  # ! no fix
    EACH
for old in saved[:-3]:
    os.remove(old)
"""
FIRES += [
    case(f"removed from a list: {each}", STEP, "import os\n\nsaved = []\n", LOOP + REMOVED[1:].replace("EACH", each))
    for each in KEPT
]
QUIET += [case(f"the last epoch {at}", STEP, LOOP + each.format(SAVE)) for at, each in enumerate(LAST)]
SHIM = "import mindspore\n\n\ndef save(net, name):\n    mindspore.save_checkpoint(net, name)\n"
SHIMS = ("x2ms_adapter/save_load.py", "x2ms_adapter/torch_api/save_load.py", "msadapter/save_load.py")


def shimmed(name: str) -> dict[str, str]:
    """Return a program that saves through a function in another file."""
    text = STEP + LOOP + '    save(net, "net.ckpt")\n'
    imported = name[: -len(".py")].replace("/", ".")
    return {"train.py": f"from {imported} import save\n" + text, name: SHIM}


QUIET += [case(f"part of an adapter {name}", shimmed(name)) for name in SHIMS]
FIRES.append(
    case(
        "a file like that",
        {**shimmed("adapters/a.py"), "adapters/a.py": SHIM.replace("net, name)\n", "net, name)  # !\n")},
    )
)
TOLD = """
class Saves(ms.Callback):
    def on_train_epoch_end(self, run_context):
        params = run_context.original_args()
        last = params.epoch_num
        if TEST:
            ms.save_checkpoint(params.train_network, "net.ckpt")  # ! unsafe


model.train(10, dataset, callbacks=[Saves()])
"""
for test in (
    "params.cur_epoch_num == params.epoch_num",
    "last == params.cur_epoch_num",
    "params.cur_epoch_num == last",
):
    QUIET.append(
        case(
            f"the last epoch, as callbacks are told: {test}",
            MODEL,
            TOLD.replace("TEST", test).replace("  # ! unsafe", ""),
        )
    )
for test in (
    "params.cur_epoch_num >= params.batch_num",
    "params.cur_epoch_num != params.epoch_num",
    "params.cur_step_num == last",
):
    FIRES.append(case(f"not the last epoch: {test}", MODEL, TOLD.replace("TEST", test)))
for epochs, sink, given, is_at_end in SAVED_AT_END:
    each = f"""
        for _ in range(20):
            callback = ModelCheckpoint("net", {given}){{mark}}
            model.train({epochs}, dataset, callbacks=[callback], dataset_sink_mode={sink})
        """
    named = f"a training of {epochs}, sunk {sink}, {given}"
    if is_at_end:
        QUIET.append(case(named, MODEL, each.format(mark="")))
    else:
        FIRES.append(case(named, MODEL, each.format(mark="  # !")))
FIRES += [
    case(f"all epochs but the last {at}", STEP, LOOP + each.format(SAVE) + "  # !\n") for at, each in enumerate(MORE)
]


# Saves in another thread, which do not block the training; and calls that another call makes, which have no fix
THREADS = [
    'threading.Thread(target=ms.save_checkpoint, args=(net, "a.ckpt")).start()',
    'threading.Thread(target=ms.save_checkpoint, kwargs=dict(save_obj=net, ckpt_file_name="a.ckpt")).start()',
    'threading.Timer(1.0, ms.save_checkpoint, (net, "a.ckpt")).start()',
    'multiprocessing.Process(target=ms.save_checkpoint, args=(net, "a.ckpt")).start()',
    'pool.submit(ms.save_checkpoint, net, "a.ckpt")',
    'pool.submit(ms.save_checkpoint, save_obj=net, ckpt_file_name="a.ckpt")',
    'pool.apply_async(ms.save_checkpoint, (net, "a.ckpt"))',
]
QUIET += [
    case(f"in a thread: {each}", STEP, f"import threading, multiprocessing\n{LOOP}    {each}\n") for each in THREADS
]
FIRES += [
    case(f"by another call: {each}", STEP, f"import functools\n{before}{LOOP}    {each}  # ! no fix\n")
    for before, each in (
        ("", 'list(map(ms.save_checkpoint, [net], ["a.ckpt"]))'),
        ("", 'functools.partial(ms.save_checkpoint, net)("a.ckpt")'),
        ("save = functools.partial(ms.save_checkpoint, net)\n", 'save("a.ckpt")'),
    )
]
FIRES += [
    case(f"by itself: {each}", STEP, f"{LOOP}    {each}  # ! unsafe\n")
    for each in ('(ms.save_checkpoint)(net, "a.ckpt")', 'ms.save_checkpoint (net, "a.ckpt")')
]

# Parts of one training, each of several epochs: they go on with the same network and optimizer
PARTS = """
    def update(rows, epochs=4):
        for _ in range(epochs):
            for data, label in rows:
                train_step(data, label)


    for {head}:
        update(list(dataset.create_tuple_iterator()))
        {save}
    """
FIRES += [
    case(f"part of a training: {head}", STEP, PARTS.format(head=head, save=SAVED))
    for SAVED in (
        'ms.save_checkpoint(net, f"{part}.ckpt")  # ! unsafe',
        'if part % 10 == 0:\n            ms.save_checkpoint(net, "a.ckpt")  # ! unsafe',
    )
    for head in (
        "part in range(args.iterations)",
        "part in range(num_episodes)",
        "part in range(config.max_updates)",
        "part in range(cfg.n_rollouts)",
        "part, round in enumerate(rounds)",
        "part in range(TOTAL_ROUNDS)",
    )
]
QUIET += [
    case(f"each is a training: {head}", STEP, PARTS.format(head=head, save='ms.save_checkpoint(net, "a.ckpt")'))
    for head in (
        "part in range(stages)",
        "part in range(folds)",
        "part in range(5)",
        "part in phases",
        "part, background in enumerate(widths)",
        "part in range(len(updated_names))",
    )
]
RENEWED = """
net = Net()


def made(rate):
    optimizer = nn.SGD(net.trainable_params(), rate)
    return nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer)


@
"""
FIRES += [
    case(f"an optimizer is made anew in one iteration: {name}", STEP, RENEWED.replace("@", text))
    for name, text in (
        (
            "the train cell of before goes on until then",
            """train = made(0.1)
for step, (data, label) in enumerate(dataset.create_tuple_iterator()):
    if step == 3000:
        train = made(0.01)
    train(data, label)
    if step % 100 == 0:
        ms.save_checkpoint(net, f"{step}.ckpt")  # ! unsafe""",
        ),
        (
            "the first one",
            """for step in range(9000):
    if step == 0:
        train = made(0.1)
    train(*batches[step])
    if step % 100 == 0:
        ms.save_checkpoint(net, f"{step}.ckpt")  # ! unsafe""",
        ),
    )
]
QUIET += [
    case(f"an optimizer is made in each stage: {name}", STEP, RENEWED.replace("@", text))
    for name, text in (
        (
            "one for each",
            """for stage in range(2):
    if stage == 0:
        train = made(0.1)
    elif stage == 1:
        train = made(0.01)
    for data, label in dataset.create_tuple_iterator():
        train(data, label)
    ms.save_checkpoint(net, f"{stage}.ckpt")""",
        ),
        (
            "all but the first",
            """train = made(0.1)
for fold in range(5):
    if fold > 0:
        train = made(0.1)
    for data, label in dataset.create_tuple_iterator():
        train(data, label)
    ms.save_checkpoint(net, f"{fold}.ckpt")""",
        ),
    )
]
QUIET += [
    case(
        f"a network of its own: {head}",
        STEP,
        f"""
        def run(rows):
            net = Net()
            opt = nn.SGD(net.trainable_params())
            cell = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
            for epoch in range(4):
                for data, label in rows:
                    cell(data, label)
            return net


        for part in {head}:
            ms.save_checkpoint(run(list(dataset.create_tuple_iterator())), "a.ckpt")
        """,
    )
    for head in ("range(iterations)", "range(num_rounds)", "episodes")
]


# A callback of a library: its users are not in the project
SAVER = """import os

import mindspore as ms


class SaveEach(ms.Callback):
    def __init__(self, net, folder):
        self.net, self.folder = net, folder

    def {hook}(self, run_context):
        self.save(run_context.original_args().cur_epoch_num)

    def save(self, number):
        ms.save_checkpoint(self.net, os.path.join(self.folder, f"{number}.ckpt"))  # ! unsafe
"""
SETUP = "from setuptools import setup\n\nsetup(name='lib', packages=['lib'])\n"


def library(saver: str = SAVER, hook: str = "epoch_end") -> dict[str, str]:
    """Return the files of a library with a callback."""
    return {"setup.py": SETUP, "lib/__init__.py": "", "lib/callbacks.py": saver.replace("{hook}", hook)}


TRAIN = f"{MODEL}model.train(9, dataset)\n"
INNER = dict.fromkeys(("setup.cfg", "lib/__init__.py", "lib/utils/__init__.py"), "")
FIRES += [
    case("callback of a library", library()),
    case("callback of a library, for each step", library(hook="step_end")),
    case("callback of a library beside a training without it", {**library(), "train.py": TRAIN}),
    case("callback of a library that is imported", {**library(), "train.py": f"import lib.callbacks\n{TRAIN}"}),
    *(
        case(f"callback of a library in {folder}", {**files, f"{folder}/callbacks.py": library()["lib/callbacks.py"]})
        for folder, files in (
            ("src/lib", {"pyproject.toml": "", "src/lib/__init__.py": ""}),
            ("lib/utils", INNER),
        )
    ),
]
UNMARKED = SAVER.replace("  # ! unsafe", "")
QUIET += [
    case("callback of no package", {"setup.py": SETUP, "callbacks.py": UNMARKED.replace("{hook}", "epoch_end")}),
    case(
        "callback of a package that nothing distributes",
        {name: text for name, text in library(UNMARKED).items() if name != "setup.py"},
    ),
    *(
        case(f"{name} of a library", library(text, hook))
        for name, text, hook in (
            ("callback of a script", f"{UNMARKED}\n\nif __name__ == '__main__':\n    print(SaveEach)\n", "epoch_end"),
            ("callback that saves at the end", UNMARKED, "end"),
            ("callback with a method of another name", UNMARKED, "finish"),
            ("class that is no callback", UNMARKED.replace("(ms.Callback)", ""), "epoch_end"),
            ("callback that waits for nothing", UNMARKED.replace('ckpt")', 'ckpt"), async_save=True'), "epoch_end"),
            ("function", "import mindspore as ms\n\n\ndef epoch_end(net):\n    ms.save_checkpoint(net, 'a')\n", ""),
            ("config", "import mindspore as ms\n\n\ndef make(n):\n    return ms.CheckpointConfig(n)\n", ""),
        )
    ),
]

BY_NAME = """
import importlib


class Student:
    def fit(self, NEEDS):
        for data, label in dataset.create_tuple_iterator():
            train_step(data, label)


student, teacher = Student(), importlib.import_module(input()).Model()
student.fit(1)
for number in range(5):
    teacher.fit(GIVEN)
    ms.save_checkpoint(net, f"{number}.ckpt")MARK
"""
for needs, passed, mark in (
    ("epochs", "", ""),
    ("epochs, *, rate", "2", ""),
    ("epochs", "2", "  # ! unsafe"),
    ("epochs", "*rows", "  # ! unsafe"),
    ("epochs=1", "", "  # ! unsafe"),
):
    text = BY_NAME.replace("NEEDS", needs).replace("GIVEN", passed).replace("MARK", mark)
    (FIRES if mark else QUIET).append(case(f"an unknown object: fit({passed}), where it needs {needs}", STEP, text))


@pytest.mark.parametrize("program", FIRES)
def test_fires(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)


def test_an_unused_config_is_passed_on_to_be_written_in_the_background() -> None:
    text = """
        config = CheckpointConfig(
            save_checkpoint_steps=1875,
            keep_checkpoint_max=3,
        )
        model.train(10, dataset, callbacks=[ModelCheckpoint("net")])
    """
    program = Program({"train.py": join(MODEL, text)})
    (finding,) = program.lint("MSP301").findings
    assert finding.fix is not None
    assert {edit.text.strip(", \n") for edit in finding.fix.edits} == {"config=config", "async_save=True"}
    unnamed = program.files["train.py"].replace("config = Check", "configs = None, Check")
    (finding,) = Program({"train.py": unnamed}).lint("MSP301").findings
    assert finding.fix is None


@pytest.mark.parametrize(
    ("head", "behind", "is_offered"),
    [
        ("try:", "except Exception:\n        print(epoch)", False),
        ("try:", "except OSError as error:\n        print(error)", False),
        ("try:", "except:\n        pass", False),
        ("try:", "except (OSError, ValueError):\n        pass", False),
        ("try:", "except KeyboardInterrupt:\n        pass", True),
        ("try:", "finally:\n        print(epoch)", True),
        ("if epoch:", "else:\n        print(epoch)", True),
    ],
)
def test_a_save_whose_error_is_caught_stays_where_it_is(head: str, behind: str, is_offered: bool) -> None:
    """The error of a thread that writes reaches no `except` around the save."""
    save = f"    {head}\n        ms.save_checkpoint(net, 'net.ckpt')\n    {behind}\n"
    loop = f"for epoch in range(9):\n    for data, label in dataset:\n        train_step(data, label)\n{save}"
    (finding,) = Program({"train.py": join(STEP, loop)}).lint(CODE).findings
    assert (finding.fix is not None) is is_offered
    assert is_offered is not any("this `except`" in each.message for each in finding.related)


ONCE = """
    {before}
    {steps}
    config = CheckpointConfig(save_checkpoint_steps={given})
    model.train(EPOCHS, dataset, callbacks=[ModelCheckpoint("net", config=config)], dataset_sink_mode=True)
    """


@pytest.mark.parametrize(
    ("before", "steps", "given"),
    [
        ("EPOCHS = 10", "steps = dataset.get_dataset_size() * EPOCHS", "steps"),
        ("EPOCHS = 10", "def same(given):\n        return given", "dataset.get_dataset_size() * EPOCHS"),
        ("EPOCHS = 10", "steps, name = EPOCHS * dataset.get_dataset_size(), 'net'", "int(steps)"),
        ("EPOCHS = 10", "def count(data):\n        return data.get_dataset_size() * EPOCHS", "count(dataset)"),
        (
            "EPOCHS = 10",
            "def both(data):\n        return 1, data.get_dataset_size() * EPOCHS\n    _, n = both(dataset)",
            "n",
        ),
        ("EPOCHS, args = 10, object()", "args.steps = dataset.get_dataset_size() * EPOCHS", "args.steps"),
        ("EPOCHS = n = 10", "size = dataset.get_dataset_size()\n    steps = size * n", "steps"),
    ],
)
def test_a_checkpoint_after_the_last_epoch_is_saved_once(before: str, steps: str, given: str) -> None:
    text = join(MODEL, ONCE.format(before=before, steps=steps, given=given))
    assert not Program({"train.py": text}).lint(CODE).findings
    other = text.replace("model.train(EPOCHS", "model.train(EPOCHS * 2")
    assert len(Program({"train.py": other}).lint(CODE).findings) == 1


MNIST = """
    def create(path, size=32):
        rows = ms.dataset.MnistDataset(path{given}).map(unknown(), "image").shuffle(1000)
        return rows.batch(size, {drop}){more}


    data = create("./train")
    config = CheckpointConfig(save_checkpoint_steps={steps})
    model.train({epochs}, data, callbacks=[ModelCheckpoint("net", config=config)], dataset_sink_mode=False)
    """


@pytest.mark.parametrize(
    ("epochs", "steps", "drop", "given", "more", "count"),
    [
        ("1", "1875", "True", "", "", 0),
        ("2", "3750", "True", "", "", 0),
        ("2", "1875", "True", "", "", 1),
        ("2", "3749", "True", "", "", 1),
        ("1", "1874", "True", ", num_samples=60001", "", 1),
        ("1", "1875", "False", ", num_samples=60001", "", 1),
        ("1", "1875", "unknown()", "", "", 1),
        ("1", "1875", "True", "", ".repeat(2)", 1),
        ("1", "3750", "True", "", ".repeat(2)", 0),
        ("1", "1875", "True", ", num_shards=2, shard_id=0", "", 1),
        ("unknown()", "1875", "True", "", "", 1),
    ],
)
def test_the_last_step_is_known_where_the_rows_are(
    epochs: str, steps: str, drop: str, given: str, more: str, count: int
) -> None:
    text = MNIST.format(epochs=epochs, steps=steps, drop=drop, given=given, more=more)
    assert len(Program({"train.py": join(MODEL, text)}).lint(CODE).findings) == count


@pytest.mark.parametrize(
    ("epochs", "count"),
    [
        ("int(EPOCHS / repeat)", 0),
        ("EPOCHS // repeat", 0),
        ("int(EPOCHS // 2) // repeat", 0),
        ("int(repeat / EPOCHS)", 1),
        ("EPOCHS - repeat", 1),
    ],
)
def test_a_training_of_a_part_of_the_epochs_saves_once(epochs: str, count: int) -> None:
    text = ONCE.format(before="EPOCHS, repeat = unknown()", steps="", given="EPOCHS * dataset.get_dataset_size()")
    other = join(MODEL, text.replace("model.train(EPOCHS", f"model.train({epochs}"))
    assert len(Program({"train.py": other}).lint(CODE).findings) == count


MADE = """
    def make(steps):
        saver = ModelCheckpoint("net", config=CheckpointConfig(save_checkpoint_steps=steps))
        return saver, LossMonitor()


    saver, monitor = make({steps})
    model.train(10, dataset, callbacks=[{taken}], dataset_sink_mode=True)
    """


@pytest.mark.parametrize(
    ("steps", "taken", "count"),
    [
        ("100", "saver", 1),
        ("100", "saver, monitor", 1),
        ("100", "monitor", 0),
        ("100", "monitor, *unknown()", 1),
        ("dataset.get_dataset_size() * 10", "saver", 0),
        ("dataset.get_dataset_size() * 2", "saver", 1),
    ],
)
def test_a_callback_that_a_function_makes_is_followed(steps: str, taken: str, count: int) -> None:
    text = join(MODEL, MADE.format(steps=steps, taken=taken))
    assert len(Program({"train.py": text}).lint(CODE).findings) == count
