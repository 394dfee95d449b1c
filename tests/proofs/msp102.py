"""MSP102: the forms in which the data set is sunk. A CPU takes the setting and goes on step by step."""

from __future__ import annotations

from proofs.proof import DATA, GRAPH, MODEL, NET, PARTS, START, Form, form

CODE = "MSP102"
READY = (START, GRAPH, DATA, NET, PARTS, MODEL)

FORMS: list[Form] = [
    form(
        CODE,
        "absent",
        *READY,
        "model.train(3, train_set)\n",
        changes="-model.train(3, train_set)\n+model.train(3, train_set, dataset_sink_mode=True)\n",
        safety="safe",
    ),
    form(
        CODE,
        "absent beside a callback of each step",
        *READY,
        """
        from mindspore.train import LossMonitor

        model.train(3, train_set, callbacks=[LossMonitor()])
        """,
        changes="""
            -model.train(3, train_set, callbacks=[LossMonitor()])
            +model.train(3, train_set, callbacks=[LossMonitor()], dataset_sink_mode=True)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "False",
        *READY,
        "model.train(3, train_set, dataset_sink_mode=False)\n",
        changes="""
            -model.train(3, train_set, dataset_sink_mode=False)
            +model.train(3, train_set, dataset_sink_mode=True)
            """,
        safety="safe",
    ),
    form(
        CODE,
        "False by position",
        *READY,
        "model.train(3, train_set, None, False)\n",
        changes="-model.train(3, train_set, None, False)\n+model.train(3, train_set, None, True)\n",
        safety="safe",
    ),
    form(
        CODE,
        "variable, at its definition",
        *READY,
        """
        sink = False
        model.train(3, train_set, dataset_sink_mode=sink)
        """,
        changes="-sink = False\n+sink = True\n",
        safety="safe",
    ),
    form(
        CODE,
        "portions without sinking",
        *READY,
        "model.train(3, train_set, sink_size=-1)\n",
        changes="""
            -model.train(3, train_set, sink_size=-1)
            +model.train(3, train_set, sink_size=-1, dataset_sink_mode=True)
            """,
        safety="safe",
    ),
    form(
        CODE,
        "fit",
        START,
        GRAPH,
        DATA,
        NET,
        PARTS,
        """
        model = Model(net, loss, optimizer, metrics={"accuracy"})
        valid_set = ds.NumpySlicesDataset({"data": samples, "label": labels}, shuffle=False).batch(32)
        model.fit(3, train_set, valid_set)
        """,
        changes="""
            -model.fit(3, train_set, valid_set)
            +model.fit(3, train_set, valid_set, dataset_sink_mode=True)
            """,
        safety="safe",
    ),
    form(
        CODE,
        "fit by position",
        START,
        GRAPH,
        DATA,
        NET,
        PARTS,
        """
        model = Model(net, loss, optimizer, metrics={"accuracy"})
        valid_set = ds.NumpySlicesDataset({"data": samples, "label": labels}, shuffle=False).batch(32)
        model.fit(3, train_set, valid_set, 1, None, False, False)
        """,
        changes="""
            -model.fit(3, train_set, valid_set, 1, None, False, False)
            +model.fit(3, train_set, valid_set, 1, None, True, False)
            """,
        safety="safe",
    ),
    form(
        CODE,
        "default of an option",
        START,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--sink", type=bool, default=False)
        args = parser.parse_args()
        """,
        GRAPH,
        DATA,
        NET,
        PARTS,
        MODEL,
        "model.train(3, train_set, dataset_sink_mode=args.sink)\n",
        changes="""
            -parser.add_argument("--sink", type=bool, default=False)
            +parser.add_argument("--sink", type=bool, default=True)
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "config file",
        START,
        """
        import yaml

        with open("default_config.yaml") as file:
            config = yaml.safe_load(file)
        """,
        GRAPH,
        DATA,
        NET,
        PARTS,
        MODEL,
        'model.train(3, train_set, dataset_sink_mode=config["sink"])\n',
        {"default_config.yaml": "sink: false\n"},
        changes={"default_config.yaml": "-sink: false\n+sink: true\n"},
        safety="display-only",
    ),
]
