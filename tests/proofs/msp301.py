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
]
