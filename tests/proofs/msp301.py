"""MSP301: the forms in which a checkpoint is written in the background."""

from __future__ import annotations

from proofs.proof import DATA, GRAPH, LOOP, MODEL, NET, PARTS, START, Form, form

CODE = "MSP301"
CALLBACKS = """
    from mindspore.train import CheckpointConfig, ModelCheckpoint

    """
READY = (START, CALLBACKS, GRAPH, DATA, NET, PARTS, MODEL)
RUN = 'model.train(3, train_set, callbacks=[ModelCheckpoint("net", "checkpoints", config)])\n'

FORMS: list[Form] = [
    form(
        CODE,
        "config",
        *READY,
        "config = CheckpointConfig(save_checkpoint_steps=4)\n",
        RUN,
        changes="""
            -config = CheckpointConfig(save_checkpoint_steps=4)
            +config = CheckpointConfig(save_checkpoint_steps=4, async_save=True)
            """,
        safety="safe",
    ),
    form(
        CODE,
        "config that says False",
        *READY,
        "config = CheckpointConfig(4, 0, 5, 0, True, False)\n",
        RUN,
        changes="""
            -config = CheckpointConfig(4, 0, 5, 0, True, False)
            +config = CheckpointConfig(4, 0, 5, 0, True, True)
            """,
        safety="safe",
    ),
    form(
        CODE,
        "config with safetensors",
        *READY,
        """
        config = CheckpointConfig(
            save_checkpoint_steps=4,
            format="safetensors",
        )
        """,
        RUN,
        changes="+    async_save=True,\n",
        safety="safe",
        since="2.6",
    ),
    form(
        CODE,
        "config of a file",
        START,
        """
        import yaml

        with open("default_config.yaml") as file:
            settings = yaml.safe_load(file)
        """,
        CALLBACKS,
        GRAPH,
        DATA,
        NET,
        PARTS,
        MODEL,
        'config = CheckpointConfig(save_checkpoint_steps=4, async_save=settings["async_save"])\n',
        RUN,
        {"default_config.yaml": "async_save: false\n"},
        changes={"default_config.yaml": "-async_save: false\n+async_save: true\n"},
        safety="display-only",
    ),
    form(
        CODE,
        "callback without config",
        START.replace("import Model", "import Model, ModelCheckpoint"),
        GRAPH,
        DATA,
        NET,
        PARTS,
        MODEL,
        """
        save = ModelCheckpoint("net")
        model.train(1, train_set, callbacks=[save])
        """,
        changes="""
            -save = ModelCheckpoint("net")
            +save = ModelCheckpoint("net", config=ms.CheckpointConfig(async_save=True))
            """,
        steps=4,  # fewer files than are kept: which is the oldest may be a tie
        safety="safe",
    ),
    form(
        CODE,
        "callback beside a config that nothing uses",
        *READY,
        """
        config = CheckpointConfig(save_checkpoint_steps=1, async_save=True)
        save = ModelCheckpoint("net")
        model.train(1, train_set, callbacks=[save])
        """,
        changes="""
            -save = ModelCheckpoint("net")
            +save = ModelCheckpoint("net", config=config)
            """,
        steps=4,  # fewer files than are kept: which is the oldest may be a tie
        safety="display-only",
    ),
    form(
        CODE,
        "save in a loop",
        START,
        GRAPH,
        DATA,
        NET,
        PARTS,
        "train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()\n",
        LOOP.rstrip() + '\n        ms.save_checkpoint(net, f"net-{epoch}.ckpt")\n',
        changes="""
            -    ms.save_checkpoint(net, f"net-{epoch}.ckpt")
            +    ms.save_checkpoint(net, f"net-{epoch}.ckpt", async_save=True)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "save in a callback, False by position",
        START.replace("import Model", "import Callback, Model"),
        """
        class Save(Callback):
            def on_train_epoch_end(self, run_context):
                parameters = run_context.original_args()
                name = f"net-{parameters.cur_epoch_num}.ckpt"
                ms.save_checkpoint(parameters.train_network, name, True, False)


        """,
        GRAPH,
        DATA,
        NET,
        PARTS,
        MODEL,
        "model.train(3, train_set, callbacks=[Save()])\n",
        changes="""
            -        ms.save_checkpoint(parameters.train_network, name, True, False)
            +        ms.save_checkpoint(parameters.train_network, name, True, True)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "resumed from the last file",
        START,
        """
        import os
        """,
        GRAPH,
        DATA,
        NET,
        PARTS,
        "train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()\n",
        """
        if os.path.exists("last.ckpt"):
            ms.load_checkpoint("last.ckpt", net)
        """,
        LOOP.rstrip() + '\n        ms.save_checkpoint(net, "last.ckpt")\n',
        changes="""
            -    ms.save_checkpoint(net, "last.ckpt")
            +    ms.save_checkpoint(net, "last.ckpt", async_save=True)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "name by pathlib, another file of the folder read",
        START,
        """
        from pathlib import Path

        out = Path("out")
        out.mkdir()
        (out / "log.txt").touch()
        """,
        GRAPH,
        DATA,
        NET,
        PARTS,
        "train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()\n",
        LOOP.rstrip() + '\n        ms.save_checkpoint(net, str(out / f"{epoch}.ckpt"))\n',
        'print((out / "log.txt").read_text())\n',
        changes="""
            -    ms.save_checkpoint(net, str(out / f"{epoch}.ckpt"))
            +    ms.save_checkpoint(net, str(out / f"{epoch}.ckpt"), async_save=True)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "folder made first, other pattern listed after",
        START,
        """
        import glob
        import os
        """,
        GRAPH,
        DATA,
        NET,
        PARTS,
        "train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()\n",
        LOOP.rstrip()
        + '\n        os.makedirs("out", exist_ok=True)'
        + '\n        ms.save_checkpoint(net, os.path.join("out", "net_%d.ckpt" % epoch))\n',
        'print(glob.glob("out/*.png"))\n',
        changes="""
            -    ms.save_checkpoint(net, os.path.join("out", "net_%d.ckpt" % epoch))
            +    ms.save_checkpoint(net, os.path.join("out", "net_%d.ckpt" % epoch), async_save=True)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "helper of another module",
        START,
        "from keep import keep\n\n",
        GRAPH,
        DATA,
        NET,
        PARTS,
        "train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()\n",
        LOOP.rstrip() + '\n        keep(net, f"{epoch}")\n',
        {
            "keep.py": """
                from mindspore import save_checkpoint


                def keep(network, name):
                    save_checkpoint(network, f"net-{name}.ckpt")
                """
        },
        changes={
            "keep.py": """
                -    save_checkpoint(network, f"net-{name}.ckpt")
                +    save_checkpoint(network, f"net-{name}.ckpt", async_save=True)
                """
        },
        safety="unsafe",
    ),
    form(
        CODE,
        "lambda that a callback calls",
        START,
        GRAPH,
        DATA,
        NET,
        PARTS,
        MODEL,
        """
        keep = lambda context: ms.save_checkpoint(net, "last.ckpt")
        model.train(3, train_set, callbacks=[ms.train.LambdaCallback(on_train_epoch_end=keep)])
        """,
        changes="""
            -keep = lambda context: ms.save_checkpoint(net, "last.ckpt")
            +keep = lambda context: ms.save_checkpoint(net, "last.ckpt", async_save=True)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "folder copied when the training has returned",
        START,
        "import shutil\n",
        CALLBACKS,
        GRAPH,
        DATA,
        NET,
        PARTS,
        MODEL,
        "config = CheckpointConfig(save_checkpoint_steps=4)\n",
        RUN,
        'shutil.copytree("checkpoints", "backup")\n',
        changes="""
            -config = CheckpointConfig(save_checkpoint_steps=4)
            +config = CheckpointConfig(save_checkpoint_steps=4, async_save=True)
            """,
        safety="safe",
    ),
    form(
        CODE,
        "callback beside it that writes a log",
        START.replace("import Model", "import Callback, Model"),
        CALLBACKS,
        """
        class Log(Callback):
            def on_train_epoch_end(self, run_context):
                with open("checkpoints/log.txt", "a") as file:
                    file.write("epoch")


        """,
        GRAPH,
        DATA,
        NET,
        PARTS,
        MODEL,
        "config = CheckpointConfig(save_checkpoint_steps=4)\n",
        RUN.replace("config)]", "config), Log()]"),
        changes="""
            -config = CheckpointConfig(save_checkpoint_steps=4)
            +config = CheckpointConfig(save_checkpoint_steps=4, async_save=True)
            """,
        safety="safe",
    ),
]
