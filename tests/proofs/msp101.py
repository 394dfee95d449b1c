"""MSP101: the forms in which a program is moved to graph mode."""

from __future__ import annotations

from proofs.proof import DATA, LOOP, MODEL, NET, PARTS, START, TRAIN, Form, form

CODE = "MSP101"
REST = (DATA, NET, PARTS, MODEL, TRAIN)
YAML = """
    import yaml

    with open("default_config.yaml") as file:
        config = yaml.safe_load(file)

    """
NAMES = START.replace("    import mindspore as ms\n", "")  # without a name for the package
NAMED = (DATA.replace("ms.set_seed", "set_seed"), *REST[1:])
PARSER = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", type=int, default=1)
    args = parser.parse_args()

    """

FORMS: list[Form] = [
    form(
        CODE,
        "attribute of the package",
        START,
        "ms.set_context(mode=ms.PYNATIVE_MODE)\n",
        *REST,
        changes="""
            -ms.set_context(mode=ms.PYNATIVE_MODE)
            +ms.set_context(mode=ms.GRAPH_MODE)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "attribute of the module",
        START,
        """
        from mindspore import context

        context.set_context(mode=context.PYNATIVE_MODE, save_graphs=False)
        """,
        *REST,
        changes="""
            -context.set_context(mode=context.PYNATIVE_MODE, save_graphs=False)
            +context.set_context(mode=context.GRAPH_MODE, save_graphs=False)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "number",
        START,
        "ms.set_context(mode=1)\n",
        *REST,
        changes="-ms.set_context(mode=1)\n+ms.set_context(mode=0)\n",
        safety="unsafe",
    ),
    form(
        CODE,
        "True",
        START,
        "ms.set_context(mode=True)\n",
        *REST,
        changes="-ms.set_context(mode=True)\n+ms.set_context(mode=False)\n",
        safety="unsafe",
    ),
    form(
        CODE,
        "imported name",
        NAMES,
        """
        from mindspore import PYNATIVE_MODE, set_context, set_seed

        set_context(mode=PYNATIVE_MODE)
        """,
        *NAMED,
        changes="""
            -from mindspore import PYNATIVE_MODE, set_context, set_seed
            +from mindspore import GRAPH_MODE, set_context, set_seed
            -set_context(mode=PYNATIVE_MODE)
            +set_context(mode=GRAPH_MODE)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "local name, at its definition",
        START,
        """
        mode = ms.PYNATIVE_MODE
        ms.set_context(mode=mode)
        """,
        *REST,
        changes="-mode = ms.PYNATIVE_MODE\n+mode = ms.GRAPH_MODE\n",
        safety="unsafe",
    ),
    form(
        CODE,
        "mode missing",
        START,
        "ms.set_context(save_graphs=False)\n",
        *REST,
        changes="""
            -ms.set_context(save_graphs=False)
            +ms.set_context(mode=ms.GRAPH_MODE, save_graphs=False)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "mode missing behind a bare name",
        NAMES,
        """
        from mindspore import set_context, set_seed

        set_context(save_graphs=False)
        """,
        *NAMED,
        changes="""
            -from mindspore import dataset as ds, nn, ops
            +from mindspore import dataset as ds, nn, ops, GRAPH_MODE
            -set_context(save_graphs=False)
            +set_context(mode=GRAPH_MODE, save_graphs=False)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "no set_context",
        START,
        *REST,
        changes="+\n+ms.set_context(mode=ms.GRAPH_MODE)\n",
        safety="unsafe",
    ),
    form(
        CODE,
        "no set_context, and no name for the package",
        NAMES,
        "from mindspore import set_seed\n\n",
        *NAMED,
        changes="+import mindspore\n+mindspore.set_context(mode=mindspore.GRAPH_MODE)\n",
        safety="unsafe",
    ),
    form(
        CODE,
        "step of one's own",
        START,
        "ms.set_context(mode=ms.PYNATIVE_MODE)\n",
        DATA,
        NET,
        PARTS,
        "train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()\n",
        LOOP,
        changes="""
            -ms.set_context(mode=ms.PYNATIVE_MODE)
            +ms.set_context(mode=ms.GRAPH_MODE)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "config file",
        START,
        YAML,
        'ms.set_context(mode=config["mode"])\n',
        *REST,
        {"default_config.yaml": "mode: 1\n"},
        changes={"default_config.yaml": "-mode: 1\n+mode: 0\n"},
        safety="display-only",
    ),
    form(
        CODE,
        "default of an option",
        START,
        PARSER,
        "ms.set_context(mode=args.mode)\n",
        *REST,
        changes="""
            -parser.add_argument("--mode", type=int, default=1)
            +parser.add_argument("--mode", type=int, default=0)
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "option that nothing uses",
        START,
        PARSER.replace("default=1", "default=ms.GRAPH_MODE"),
        "ms.set_context(save_graphs=False)\n",
        *REST,
        changes="""
            -ms.set_context(save_graphs=False)
            +ms.set_context(mode=args.mode, save_graphs=False)
            """,
        safety="display-only",
    ),
]
