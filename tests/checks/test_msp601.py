"""MSP601 missing-all-reduce-fusion: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, join, quiet

CODE = "MSP601"

IMPORTS = """
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import ParallelMode, context, nn
    from mindspore.communication import get_group_size, get_rank, init

    """

GRAPH = join(IMPORTS, 'ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend")\ninit()\n')

NET = """
    net = nn.SequentialCell(nn.Dense(64, 64), nn.ReLU(), nn.Dense(64, 16))
    """

TRAIN = join(
    NET,
    """
    dataset = ds.MindDataset("train.mindrecord", num_shards=get_group_size(), shard_id=get_rank()).batch(32)
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), amp_level="O2")
    model.train(10, dataset, dataset_sink_mode=True)
    """,
)

OPTIONS = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", default="Ascend", choices=["Ascend", "GPU"])
    parser.add_argument("--run_distribute", type=bool, default=False)
    parser.add_argument("--distributed", type=bool, default=True)
    args = parser.parse_args()
    """

OWN_STEP = """
    class TrainStep(nn.Cell):
        def __init__(self, network, optimizer):
            super().__init__()
            self.network = network
            self.optimizer = optimizer
            self.grad = ms.ops.GradOperation(get_by_list=True)

        def construct(self, data, label):
            gradients = self.grad(self.network, self.optimizer.parameters)(data, label)
            return self.optimizer(gradients)


    """

TRAINER = """
    import abc
    import typing

    T = typing.TypeVar("T")


    class Trainer(BASE):
        def __init__(self):
            self.optimizer = nn.SGD(net.trainable_params())
            self.gradients_of = ms.value_and_grad(net, None, self.optimizer.parameters)

        def train(self):
            for (data,) in ds.MindDataset("train.mindrecord").batch(32).create_tuple_iterator():
                loss, gradients = self.gradients_of(data)
                self.optimizer(gradients)


    Trainer().train()
    """

RUN_STEP = join(
    NET,
    """
    step = TrainStep(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
    for data, label in ds.MindDataset("train.mindrecord").batch(32).create_tuple_iterator():
        step(data, label)
    """,
)

PLAIN = "ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)\n"

SET_UP = """
    def set_up(distributed=False, device="Ascend"):
        ms.set_context(mode=ms.GRAPH_MODE, device_target=device)
        if distributed:
            init()
            ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL){mark}


    """

CLASS = """
    class Trainer:
        def __init__(self, distributed=False):
            if distributed:
                init()
                ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL){mark}


    """


def set_up(how: str, mark: str = "", text: str = SET_UP) -> str:
    """Return a program that sets data parallelism up in a function, which is called in one way."""
    return join(IMPORTS, text.replace("{mark}", mark), f"{how}\n", TRAIN)


MARK = "  # ! unsafe"
GRAPH_ONLY = "ms.set_context(mode=ms.GRAPH_MODE)\n"

PYNATIVE = join(IMPORTS, 'ms.set_context(mode=ms.PYNATIVE_MODE, device_target="Ascend")\ninit()\n')
STEP = """
    optimizer = nn.SGD(net.trainable_params())
    reduce = nn.DistributedGradReducer(optimizer.parameters)
    gradients_of = ms.value_and_grad(net, None, optimizer.parameters)

    @{under}
    def step(data):
        loss, gradients = gradients_of(data)
        return loss, {inside}

    for (data,) in ds.MindDataset("train.mindrecord").batch(32).create_tuple_iterator():
        loss, gradients = step(data)
        optimizer({outside})
    """

ADDED = """
    from functools import partial

    add = ms.ops.AllReduce()

    class Sum(nn.Cell):
        def __init__(self):
            super().__init__()
            self.add = ms.ops.AllReduce()

        def construct(self, x):
            return self.add(x)

    def average(tensors):
        return tuple([add(each) / 8 for each in tensors])

    def divided(operator, each):
        return operator(each) / 8

    optimizer = nn.SGD(net.trainable_params())
    step_of = ms.value_and_grad(net, None, optimizer.parameters)
    rows = ds.MindDataset("train.mindrecord").batch(32)
    for (data,) in rows.create_tuple_iterator():
        loss, given = step_of(data)
        optimizer(GIVEN)
    """

ARMS = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--platform", default="ascend")
    platform = parser.parse_args().platform
    if platform not in ("ascend", "gpu", "cpu"):
        raise ValueError
    if platform == "ascend":
        ms.set_context(mode=ms.{0}, device_target="Ascend")
        ms.set_auto_parallel_context(parallel_mode="data_parallel"){1}
    else:
        ms.set_context(mode=ms.{2}, device_target="GPU")
        ms.set_auto_parallel_context(parallel_mode="data_parallel"){3}
    """
FIRES = [
    case("the arm that sets graph mode", IMPORTS, ARMS.format("PYNATIVE_MODE", "", "GRAPH_MODE", "  # !"), TRAIN),
    case(
        "the arm that sets graph mode comes first",
        IMPORTS,
        ARMS.format("GRAPH_MODE", "  # !", "PYNATIVE_MODE", ""),
        TRAIN,
    ),
    *(
        case(
            f"in PyNative mode, a step under `{under}`",
            PYNATIVE,
            "ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !\n",
            NET,
            STEP.format(under=under, inside="reduce(gradients)", outside="gradients"),
        )
        for under in ("ms.jit", "ms.jit(jit_level='O1')")
    ),
    case("behind a default that no caller overrides", set_up("set_up()", MARK)),
    case("behind a default, where another parameter is passed", set_up('set_up(device="GPU")', MARK)),
    case("behind a default of a method", set_up(f"{GRAPH_ONLY}Trainer()", MARK, CLASS)),
    case(
        "behind a default, through a function that passes all on",
        set_up("def main(**options):\n    set_up(**options)\n\n\nmain()", MARK),
    ),
    case(
        "behind a default that a wrapper hands on",
        set_up("def main(distributed=False):\n    set_up(distributed)\n\n\nmain()", MARK),
    ),
    case("behind a parameter that one of two callers passes", set_up("set_up()\nset_up(True)", MARK)),
    case(
        "constant of the package",
        GRAPH,
        "ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL)  # ! unsafe\n",
        TRAIN,
    ),
    case(
        "module context",
        GRAPH,
        """
        context.reset_auto_parallel_context()
        context.set_auto_parallel_context(device_num=8, parallel_mode=context.ParallelMode.DATA_PARALLEL)  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "bare names, several lines",
        GRAPH,
        """
        from mindspore import set_auto_parallel_context

        set_auto_parallel_context(  # ! unsafe
            device_num=get_group_size(),
            parallel_mode=ParallelMode.DATA_PARALLEL,
            gradients_mean=True,
        )
        """,
        TRAIN,
    ),
    case("word", GRAPH, 'ms.set_auto_parallel_context(parallel_mode="data_parallel")  # ! unsafe\n', TRAIN),
    case(
        "local name",
        GRAPH,
        """
        mode = ParallelMode.DATA_PARALLEL
        ms.set_auto_parallel_context(parallel_mode=mode, gradients_mean=True)  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "one of two values",
        GRAPH,
        """
        mode = ParallelMode.DATA_PARALLEL if get_group_size() > 1 else ParallelMode.STAND_ALONE
        ms.set_auto_parallel_context(parallel_mode=mode)  # !
        """,
        TRAIN,
    ),
    case(
        "value of the config file",
        {
            "train.py": join(
                IMPORTS,
                """
                import yaml

                with open("default_config.yaml") as file:
                    config = yaml.safe_load(file)
                init()
                ms.set_context(mode=ms.GRAPH_MODE)
                ms.set_auto_parallel_context(parallel_mode=config["parallel_mode"])  # !
                """,
                TRAIN,
            ),
            "default_config.yaml": "parallel_mode: data_parallel\n",
        },
    ),
    case(
        "helper of another file",
        {
            "train.py": """
                import mindspore as ms
                from mindspore import nn

                from src.env import init_env

                if __name__ == "__main__":
                    init_env(True)
                    net = nn.Dense(64, 64)
                    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
                    model.train(1, ms.dataset.MindDataset("a.mindrecord"), dataset_sink_mode=True)
                """,
            "src/__init__.py": "",
            "src/env.py": """
                from mindspore import context
                from mindspore.communication.management import init
                from mindspore.context import ParallelMode


                def init_env(distribute):
                    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
                    if distribute:
                        init()
                        context.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # ! unsafe
                """,
        },
    ),
    case(
        "behind a switch that is off by default",
        IMPORTS,
        OPTIONS,
        """
        ms.set_context(mode=ms.GRAPH_MODE)
        if args.run_distribute:
            init()
            ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL)  # ! unsafe
        """,
        TRAIN,
    ),
    case(
        "own loop",
        GRAPH,
        "ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL)  # !\n",
        NET,
        """
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
        for data, label in ds.MindDataset("train.mindrecord").batch(32).create_tuple_iterator():
            step(data, label)
        """,
    ),
    case(
        "two branches, neither is fused",
        IMPORTS,
        OPTIONS,
        """
        ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device_target)
        init()
        if args.device_target == "Ascend":
            ms.set_auto_parallel_context(device_num=8, parallel_mode=ParallelMode.DATA_PARALLEL)  # !
        else:
            ms.set_auto_parallel_context(device_num=4, parallel_mode=ParallelMode.DATA_PARALLEL)  # !
        """,
        TRAIN,
    ),
    case(
        "only the GPU branch is fused",
        IMPORTS,
        OPTIONS,
        """
        ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device_target)
        init()
        if args.device_target == "Ascend":
            ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !
        else:
            ms.set_auto_parallel_context(
                parallel_mode=ParallelMode.DATA_PARALLEL, all_reduce_fusion_config=[2, 5]
            )
        """,
        TRAIN,
    ),
    case(
        "fused on one of several paths",
        GRAPH,
        """
        import os

        ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !
        if os.environ["NETWORK"] == "resnet50":
            ms.set_auto_parallel_context(all_reduce_fusion_config=[85, 160])
        """,
        TRAIN,
    ),
    case(
        "split indices on 2.4 do nothing",
        GRAPH,
        """
        ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL, all_reduce_fusion_config=[2, 5])  # !
        """,
        TRAIN,
        version=(2, 4, 1),
    ),
    case(
        "fusion that is reset again",
        GRAPH,
        """
        ms.set_auto_parallel_context(comm_fusion={"allreduce": {"mode": "auto", "config": None}})
        ms.reset_auto_parallel_context()
        ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !
        """,
        TRAIN,
    ),
    case(
        "algorithm parameters are no fusion",
        GRAPH,
        """
        ms.set_auto_parallel_context(gradients_mean=True, parallel_mode=ParallelMode.DATA_PARALLEL)  # ! unsafe
        ms.set_algo_parameters(elementwise_op_strategy_follow=True)
        """,
        TRAIN,
    ),
    case(
        "2.0, where one reduction comes at the end",
        GRAPH,
        "ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # ! unsafe\n",
        TRAIN,
        version=(2, 0, 0),
    ),
    case(
        "1.9, graph mode by default",
        IMPORTS,
        """
        init()
        context.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # ! unsafe
        """,
        TRAIN,
        version=(1, 9),
    ),
    case(
        "1.5, indices are counted while it runs",
        """
        from mindspore import Model, context, nn
        from mindspore.communication.management import init
        from mindspore.context import ParallelMode

        context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
        init()
        net = nn.Dense(64, 16)
        context.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # ! unsafe
        Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, None)
        """,
        version=(1, 5),
    ),
    case(
        "1.5, indices are counted of an attribute",
        """
        from mindspore import Model, context, nn
        from mindspore.communication.management import init
        from mindspore.context import ParallelMode


        class Trainer:
            def __init__(self):
                context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
                init()
                self.net = nn.Dense(64, 16)
                context.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # ! unsafe
                self.model = Model(self.net, nn.MSELoss(), nn.SGD(self.net.trainable_params()))


        Trainer().model.train(1, None)
        """,
        version=(1, 5),
    ),
    case(
        "1.5, the network is made in the call of the Model",
        """
        from mindspore import Model, context, nn
        from mindspore.communication.management import init
        from mindspore.context import ParallelMode

        context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
        init()
        make = nn.Dense
        context.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # ! display-only
        Model(make(64, 16), nn.MSELoss(), nn.SGD(make(64, 16).trainable_params())).train(1, None)
        """,
        version=(1, 5),
    ),
    case(
        "1.5, two networks: indices of one do not fit the other",
        """
        from mindspore import Model, context, nn
        from mindspore.communication.management import init
        from mindspore.context import ParallelMode

        context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
        init()
        context.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # ! display-only
        for size in (16, 32):
            net = nn.Dense(64, size)
            Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, None)
            other = nn.Dense(size, 64)
            Model(other, nn.MSELoss(), nn.SGD(other.trainable_params())).train(1, None)
        """,
        version=(1, 5),
    ),
    case(
        "mode out of a table",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--parallel", default="data", choices=["data", "semi"])
        args = parser.parse_args()
        modes = {"data": ParallelMode.DATA_PARALLEL, "semi": ParallelMode.SEMI_AUTO_PARALLEL}
        ms.set_context(mode=ms.GRAPH_MODE)
        init()
        ms.set_auto_parallel_context(parallel_mode=modes[args.parallel])  # !
        """,
        TRAIN,
    ),
    case(
        "settings in a dict",
        GRAPH,
        """
        settings = {"parallel_mode": "data_parallel"}
        settings["device_num"] = get_group_size()
        ms.set_auto_parallel_context(**settings)  # !
        """,
        TRAIN,
    ),
    case(
        "helper that only one of two programs fuses after",
        {
            "train.py": join(IMPORTS, "from env import set_up\n\nset_up()\n", TRAIN),
            "finetune.py": join(
                IMPORTS,
                "from env import set_up\n\nset_up()\nms.set_auto_parallel_context(all_reduce_fusion_config=[2, 5])\n",
                TRAIN,
            ),
            "env.py": """
                import mindspore as ms
                from mindspore.communication import init


                def set_up():
                    ms.set_context(mode=ms.GRAPH_MODE)
                    init()
                    ms.set_auto_parallel_context(parallel_mode="data_parallel")  # !
                """,
        },
    ),
    case(
        "own step that reduces by hand",
        GRAPH,
        "ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !\n",
        OWN_STEP.replace(
            "            return self.optimizer(gradients)",
            "            return self.optimizer(self.reduce(gradients))",
        ).replace(
            "            self.grad =",
            "            self.reduce = nn.DistributedGradReducer(optimizer.parameters)\n            self.grad =",
        ),
        RUN_STEP,
    ),
    case(
        "step of a package that is not there to be read",
        GRAPH,
        "from toolkit import TrainStep\n",
        "ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !\n",
        NET,
        """
        step = TrainStep(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
        ms.Model(step).train(10, ds.MindDataset("train.mindrecord").batch(32), dataset_sink_mode=True)
        """,
    ),
    *(
        case(
            f"function that gives gradients, and a reducer: {made}",
            GRAPH,
            "ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !\n",
            NET,
            """
            optimizer = nn.SGD(net.trainable_params())
            reduce = MADE
            gradients_of = ms.value_and_grad(net, None, optimizer.parameters)

            @ms.jit
            def step(data):
                loss, gradients = gradients_of(data)
                optimizer(reduce(gradients))
                return loss

            for (data,) in ds.MindDataset("train.mindrecord").batch(32).create_tuple_iterator():
                step(data)
            """.replace("MADE", made),
        )
        for made in (
            "nn.DistributedGradReducer(optimizer.parameters)",
            "lambda gradients: [ms.ops.AllReduce()(each) for each in gradients]",
            "lambda gradients: [ms.ops.communication.all_reduce(each)[0] for each in gradients]",
            "lambda gradients: [ms.mint.distributed.all_reduce(each) for each in gradients]",
            "lambda gradients: [ms.communication.comm_func.all_reduce(each)[0] for each in gradients]",
        )
    ),
    *(
        case(f"gradients added up, {how}", GRAPH, PLAIN.replace("\n", "  # !\n"), NET, ADDED.replace("GIVEN", given))
        for how, given in (
            ("by a function that gets them", "average(given)"),
            ("by a cell around the operator", "[Sum()(each) for each in given]"),
            ("by an operator that is passed on", "ms.ops.HyperMap()(partial(divided, add), given)"),
        )
    ),
    *(
        case(
            f"one device apart: {test}",
            GRAPH,
            OPTIONS,
            PLAIN.replace("\n", "  # !\n"),
            f"if {test}:\n    {alone}\n",
            TRAIN,
        )
        for test, alone in (
            ("get_group_size() == 1", "ms.reset_auto_parallel_context()"),
            ("not args.distributed", 'ms.set_auto_parallel_context(parallel_mode="stand_alone")'),
        )
    ),
    *(
        case(
            f"also on several devices: {test}",
            GRAPH,
            OPTIONS,
            f"if {test}:\n    {PLAIN}".replace("\n    ms", "\n    ms").rstrip() + "  # !\n",
            TRAIN,
        )
        for test in (
            "get_group_size() >= 1",
            "not get_group_size() == 8",
            "get_group_size() // 8 == 1",
            "args.distributed or get_group_size() == 1",
            "get_rank() == 1",
        )
    ),
    case(
        "reset on the path of another device",
        IMPORTS,
        OPTIONS,
        """
        ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device_target)
        if args.device_target == "GPU":
            if get_group_size() > 1:
                context.reset_auto_parallel_context()
                context.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !
        if args.device_target == "Ascend":
            if get_group_size() > 1:
                context.reset_auto_parallel_context()
                context.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !
        """,
        TRAIN,
    ),
    case(
        "reset and set again",
        GRAPH,
        PLAIN,
        """
        context.reset_auto_parallel_context()
        context.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !
        """,
        TRAIN,
    ),
    case(
        "switch of a config in Python",
        IMPORTS,
        """
        from easydict import EasyDict

        config = EasyDict({"run_distribute": False, "device_num": 8})
        ms.set_context(mode=ms.GRAPH_MODE)
        if config.run_distribute:
            init()
            ms.set_auto_parallel_context(device_num=config.device_num, parallel_mode="data_parallel")  # !
        """,
        TRAIN,
    ),
    case(
        "switch that one device turns off",
        IMPORTS,
        """
        from settings import config

        ms.set_context(mode=ms.GRAPH_MODE, device_target=config.device_target)
        if config.device_target == "CPU":
            config.run_distribute = False
        if config.run_distribute:
            init()
            ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !
        """,
        TRAIN,
    ),
    case(
        "mode from the beginning of a word",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--mode", default="graph")
        args = parser.parse_args()
        graph = args.mode.upper().startswith("GRAPH")
        ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
        init()
        ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !
        """,
        TRAIN,
    ),
    case(
        "parameter server behind a flag",
        GRAPH,
        """
        from settings import config

        if config.parameter_server:
            ms.set_ps_context(enable_ps=True)
        ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !
        """,
        TRAIN,
    ),
    case(
        "keyword boost_level that is off",
        GRAPH,
        "ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)  # !\n",
        TRAIN.replace('amp_level="O2"', 'amp_level="O2", boost_level="O0"'),
    ),
]

QUIET = [
    *(
        case(
            f"in PyNative mode, {name}",
            PYNATIVE,
            "ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)\n",
            NET,
            STEP.format(under=under, inside=inside, outside=outside),
        )
        for name, under, inside, outside in (
            ("gradients are added up outside of `jit`", "ms.jit", "gradients", "reduce(gradients)"),
            ("a step without `jit`", "lambda function: function", "reduce(gradients)", "gradients"),
        )
    ),
    case("behind a parameter that every caller passes as False", set_up("set_up(False)")),
    case("behind a parameter that every caller passes by keyword", set_up("set_up(distributed=False)")),
    case("behind a parameter of a method, passed as False", set_up(f"{GRAPH_ONLY}Trainer(False)", text=CLASS)),
    case("behind a parameter that a wrapper passes as False", set_up("def main():\n    set_up(False)\n\n\nmain()")),
    case("behind a parameter in a dictionary that is spread", set_up('set_up(**{"distributed": False})')),
    case(
        "fused by mode",
        GRAPH,
        """
        ms.set_auto_parallel_context(
            parallel_mode=ParallelMode.DATA_PARALLEL, comm_fusion={"allreduce": {"mode": "auto", "config": None}}
        )
        """,
        TRAIN,
    ),
    case(
        "fused by size",
        GRAPH,
        """
        fusion = {"allreduce": {"mode": "size", "config": 32}}
        ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL, comm_fusion=fusion)
        """,
        TRAIN,
    ),
    case(
        "fused by indices",
        GRAPH,
        """
        ms.set_auto_parallel_context(parallel_mode="data_parallel", all_reduce_fusion_config=[85, 160])
        """,
        TRAIN,
    ),
    case(
        "fused by indices on 1.9",
        GRAPH,
        """
        ms.set_auto_parallel_context(parallel_mode="data_parallel", all_reduce_fusion_config=[85, 160])
        """,
        TRAIN,
        version=(1, 9),
    ),
    case(
        "fused by a later call",
        GRAPH,
        PLAIN,
        "ms.set_auto_parallel_context(all_reduce_fusion_config=[85, 160])\n",
        TRAIN,
    ),
    case(
        "fused by an earlier call",
        GRAPH,
        'ms.set_auto_parallel_context(comm_fusion={"allreduce": {"mode": "auto", "config": None}})\n',
        PLAIN,
        TRAIN,
    ),
    case(
        "fused on the path of the default",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--net", default="resnet50", choices=["resnet50", "resnet101"])
        args = parser.parse_args()
        ms.set_context(mode=ms.GRAPH_MODE)
        init()
        ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)
        if args.net == "resnet50":
            ms.set_auto_parallel_context(all_reduce_fusion_config=[85, 160])
        """,
        TRAIN,
    ),
    case(
        "fused by a helper",
        GRAPH,
        """
        def fuse(parameters):
            count = len(parameters)
            ms.set_auto_parallel_context(all_reduce_fusion_config=[count // 2, count - 1])


        """,
        PLAIN,
        "fuse(nn.Dense(64, 64).trainable_params())\n",
        TRAIN,
    ),
    case(
        "inner interface",
        GRAPH,
        """
        from mindspore.parallel._auto_parallel_context import auto_parallel_context

        auto_parallel_context().set_all_reduce_fusion_split_indices([20, 35])
        """,
        PLAIN,
        TRAIN,
    ),
    case(
        "fused by parameter",
        GRAPH,
        PLAIN,
        NET,
        """
        for number, parameter in enumerate(net.trainable_params()):
            parameter.comm_fusion = 1 + number // 2
        model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
        model.train(10, ds.MindDataset("train.mindrecord"), dataset_sink_mode=True)
        """,
    ),
    case(
        "fused by cell",
        GRAPH,
        PLAIN,
        NET,
        """
        net[0].set_comm_fusion(2)
        model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
        model.train(10, ds.MindDataset("train.mindrecord"), dataset_sink_mode=True)
        """,
    ),
    case("boost", GRAPH, PLAIN, TRAIN.replace('amp_level="O2"', 'boost_level="O1"')),
    case(
        "own reduction",
        GRAPH,
        PLAIN,
        NET,
        """
        class Reduce(nn.Cell):
            def __init__(self):
                super().__init__()
                self.all_reduce = ms.ops.AllReduce()
                self.all_reduce.add_prim_attr("fusion", 2)

            def construct(self, gradient):
                return self.all_reduce(gradient)


        reduce = Reduce()
        model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
        model.train(10, ds.MindDataset("train.mindrecord"), dataset_sink_mode=True)
        """,
    ),
    case(
        "indices of the config file",
        {
            "train.py": join(
                IMPORTS,
                """
                import yaml

                with open("default_config.yaml") as file:
                    config = yaml.safe_load(file)
                init()
                ms.set_context(mode=ms.GRAPH_MODE)
                ms.set_auto_parallel_context(parallel_mode="data_parallel", all_reduce_fusion_config=config["fusion"])
                """,
                TRAIN,
            ),
            "default_config.yaml": "fusion: [85, 160]\n",
        },
    ),
    case(
        "only the Ascend branch is fused",
        IMPORTS,
        OPTIONS,
        """
        ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device_target)
        init()
        if args.device_target == "Ascend":
            ms.set_auto_parallel_context(
                parallel_mode=ParallelMode.DATA_PARALLEL, all_reduce_fusion_config=[85, 160]
            )
        else:
            ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)
        """,
        TRAIN,
    ),
    case(
        "semi-automatic",
        GRAPH,
        "ms.set_auto_parallel_context(parallel_mode=ParallelMode.SEMI_AUTO_PARALLEL)\n",
        TRAIN,
    ),
    case(
        "automatic and hybrid",
        GRAPH,
        """
        ms.set_auto_parallel_context(parallel_mode="auto_parallel", search_mode="sharding_propagation")
        ms.set_auto_parallel_context(parallel_mode=ParallelMode.HYBRID_PARALLEL)
        """,
        TRAIN,
    ),
    case("stand-alone", GRAPH, "ms.set_auto_parallel_context(parallel_mode=ParallelMode.STAND_ALONE)\n", TRAIN),
    case("one device", IMPORTS, "ms.set_context(mode=ms.GRAPH_MODE)\n", TRAIN),
    case("no mode in the call", GRAPH, "ms.set_auto_parallel_context(gradients_mean=True, device_num=8)\n", TRAIN),
    case(
        "mode that nobody knows",
        GRAPH,
        """
        import os

        ms.set_auto_parallel_context(parallel_mode=os.environ["PARALLEL_MODE"])
        """,
        TRAIN,
    ),
    case(
        "keywords that cannot be seen",
        GRAPH,
        """
        import json

        with open("parallel.json") as file:
            ms.set_auto_parallel_context(parallel_mode="data_parallel", **json.load(file))
        """,
        TRAIN,
    ),
    case(
        "parallel optimizer",
        GRAPH,
        "ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL, enable_parallel_optimizer=True)\n",
        TRAIN,
    ),
    case(
        "parameter server",
        GRAPH,
        "ms.set_ps_context(enable_ps=True)\n",
        PLAIN,
        TRAIN,
    ),
    case(
        "parameter server on one device",
        IMPORTS,
        """
        from settings import config

        ms.set_context(mode=ms.GRAPH_MODE, device_target=config.device_target)
        if config.device_target == "GPU":
            ms.set_ps_context(enable_ps=True)
        """,
        PLAIN,
        TRAIN,
    ),
    case(
        "settings in a dict, fusion added later",
        GRAPH,
        """
        settings = {"parallel_mode": "data_parallel"}
        settings["comm_fusion"] = {"allreduce": {"mode": "auto", "config": None}}
        ms.set_auto_parallel_context(**settings)
        """,
        TRAIN,
    ),
    case(
        "settings in a dict that something adds to",
        GRAPH,
        """
        from settings import more

        settings = {"parallel_mode": "data_parallel"}
        settings.update(more)
        ms.set_auto_parallel_context(**settings)
        """,
        TRAIN,
    ),
    case(
        "helper of evaluation, beside a training program",
        {
            "train.py": join(IMPORTS, "ms.set_context(mode=ms.GRAPH_MODE)\n", TRAIN),
            "eval.py": join(
                IMPORTS,
                "from env import set_up\n\nset_up()\n",
                NET,
                'print(ms.Model(net, nn.MSELoss(), metrics={"loss"}).eval(ds.MindDataset("valid.mindrecord")))\n',
            ),
            "env.py": """
                import mindspore as ms
                from mindspore.communication import init


                def set_up():
                    ms.set_context(mode=ms.GRAPH_MODE)
                    init()
                    ms.set_auto_parallel_context(parallel_mode="data_parallel")
                """,
        },
    ),
    case("own step that reduces nothing", GRAPH, PLAIN, OWN_STEP, RUN_STEP),
    case(
        "own step in a Model, which reduces nothing",
        GRAPH,
        PLAIN,
        OWN_STEP,
        NET,
        """
        step = TrainStep(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params()))
        ms.Model(step).train(10, ds.MindDataset("train.mindrecord").batch(32), dataset_sink_mode=True)
        """,
    ),
    case(
        "function that gives gradients, and no reducer",
        GRAPH,
        PLAIN,
        NET,
        """
        optimizer = nn.SGD(net.trainable_params())
        gradients_of = ms.value_and_grad(net, None, optimizer.parameters)
        for (data,) in ds.MindDataset("train.mindrecord").batch(32).create_tuple_iterator():
            loss, gradients = gradients_of(data)
            optimizer(gradients)
        """,
    ),
    *(
        case(f"class of Python that trains, and no reducer: {base}", GRAPH, PLAIN, NET, TRAINER.replace("BASE", base))
        for base in ("object", "abc.ABC", "typing.Generic[T]", "dict")
    ),
    *(
        case(f"what is added up is {what}", GRAPH, PLAIN, NET, ADDED.replace("GIVEN", "given"), more)
        for what, more in (
            ("a loss", "print(add(loss))\n"),
            ("a part of the loss", "print(add(ms.ops.stop_gradient(loss)))\n"),
            ("a number of rows, by a cell", "print(Sum()(ms.Tensor(rows.get_dataset_size())))\n"),
            ("a counter, by a function", "print(average([ms.Tensor(3)]))\n"),
        )
    ),
    case(
        "another parallelism around the network",
        GRAPH,
        PLAIN,
        "from mindspore.parallel.auto_parallel import AutoParallel\n",
        TRAIN.replace("ms.Model(net,", 'ms.Model(AutoParallel(net, "semi_auto"),'),
    ),
    case(
        "one device of its own accord",
        GRAPH,
        "ms.set_auto_parallel_context(device_num=1, parallel_mode=ParallelMode.DATA_PARALLEL)\n",
        TRAIN,
    ),
    case(
        "PyNative from the beginning of a word",
        IMPORTS,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--mode", default="PYNATIVE", choices=["GRAPH", "PYNATIVE"])
        args = parser.parse_args()
        graph = args.mode.upper().startswith("GRAPH")
        ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
        init()
        """,
        PLAIN,
        TRAIN,
    ),
    case("PyNative", IMPORTS, "ms.set_context(mode=ms.PYNATIVE_MODE)\ninit()\n", PLAIN, TRAIN),
    case("PyNative by default", IMPORTS, "init()\n", PLAIN, TRAIN),
    case(
        "evaluation",
        GRAPH,
        PLAIN,
        NET,
        """
        model = ms.Model(net, nn.MSELoss(), metrics={"loss"})
        print(model.eval(ds.MindDataset("val.mindrecord").batch(32)))
        """,
    ),
    case(
        "code that saves and restores the context",
        GRAPH,
        """
        class DataParallel:
            def __enter__(self):
                self.before = ms.get_auto_parallel_context("parallel_mode")
                ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)

            def __exit__(self, *error):
                ms.set_auto_parallel_context(parallel_mode=self.before)


        with DataParallel():
            print("inside")
        """,
        TRAIN,
    ),
    case(
        "unit test",
        {
            "tests/test_optimizer.py": """
                import mindspore as ms
                from mindspore import context, nn


                def test_lamb_in_parallel():
                    context.set_context(mode=context.GRAPH_MODE)
                    context.set_auto_parallel_context(parallel_mode="data_parallel", device_num=2)
                    net = nn.Dense(8, 8)
                    ms.Model(net, nn.MSELoss(), nn.Lamb(net.trainable_params())).train(1, None)
                    context.reset_auto_parallel_context()
                """,
        },
    ),
    *(
        case(f"one device alone: {before}", GRAPH, OPTIONS, f"{before}    {PLAIN}", TRAIN)
        for before in (
            "if get_group_size() == 1:\n",
            "n = get_group_size()\nif n <= 1:\n",
            "import os\nif not int(os.getenv('RANK_SIZE', '1')) > 1:\n",
            "if get_group_size() > 1:\n    pass\nelse:\n",
        )
    ),
    case(
        "off on purpose",
        GRAPH,
        """
        ms.set_auto_parallel_context(
            parallel_mode=ParallelMode.DATA_PARALLEL,
            comm_fusion={"allreduce": {"mode": "size", "config": 0}},  # fusion off: the order of sums must not change
        )
        """,
        TRAIN,
    ),
    case(
        "own function of that name",
        GRAPH,
        """
        from simulator import set_auto_parallel_context

        set_auto_parallel_context(parallel_mode="data_parallel")
        """,
        TRAIN,
    ),
    case(
        "comments and text",
        GRAPH,
        '''
        """ms.set_auto_parallel_context(parallel_mode="data_parallel")"""
        # ms.set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)
        ''',
        TRAIN,
    ),
]


@pytest.mark.parametrize("program", FIRES)
def test_fires(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)


@pytest.mark.parametrize(
    ("frozen", "is_split"),
    [
        ("", True),
        ("for each in net.get_parameters():\n    each.requires_grad = False\n", False),
        (
            "for each in net.trainable_params():\n    if 'fc' not in each.name:\n        each.requires_grad = False\n",
            False,
        ),
        ("print(net.trainable_params())\n", True),
    ],
)
def test_a_frozen_network_is_not_split_by_the_gradients_of_resnet50(frozen: str, is_split: bool) -> None:
    run = TRAIN.replace(NET.strip(), f"from src.resnet import resnet50\n\nnet = resnet50(10)\n{frozen}".rstrip())
    net = "from mindspore import nn\n\n\ndef resnet50(classes):\n    return nn.Dense(64, classes)\n"
    setting = "ms.set_auto_parallel_context(parallel_mode='data_parallel')\n"
    program = Program({"train.py": join(GRAPH, setting, run), "src/resnet.py": net, "src/__init__.py": ""})
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None
    assert any("[85, 160]" in each.text for each in finding.fix.edits) is is_split


@pytest.mark.parametrize(("given", "is_fixed"), [("**settings", False), ("parallel_mode='data_parallel'", True)])
def test_a_call_that_cannot_be_added_to_says_why_there_is_no_fix(given: str, is_fixed: bool) -> None:
    setting = f"settings = {{'parallel_mode': 'data_parallel'}}\nms.set_auto_parallel_context({given})\n"
    (finding,) = Program({"train.py": join(GRAPH, setting, TRAIN)}).lint(CODE).findings
    assert (finding.fix is not None) is is_fixed
    assert any("has to be added" in each.message for each in finding.related) is not is_fixed


@pytest.mark.parametrize(
    ("taken", "name"),
    [
        ("count = 0\n", "count_"),
        ("def count():\n    pass\n\n\n", "count_"),
        ("from itertools import count\n\n", "count_"),
        ("count = count_ = 0\n", "count__"),
        ("counts = 0\n", "count"),
        ("", "count"),
    ],
)
def test_gradients_are_counted_under_a_name_that_is_not_taken(taken: str, name: str) -> None:
    text = f"""\
from mindspore import Model, context, nn
from mindspore.communication.management import init

{taken}init()
net = nn.Dense(64, 16)
context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
context.set_auto_parallel_context(parallel_mode="data_parallel")
Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())).train(1, None)
"""
    (change,) = Program({"train.py": text}, version=(1, 5)).fix(CODE).changes
    assert f"\n{name} = len(net.trainable_params())\n" in change.after.decode()
    assert f"=sorted({{{name} // 2, {name} - 1}}))\n" in change.after.decode()
