"""MSP601: the forms in which gradients get into portions, in two processes."""

from __future__ import annotations

from proofs.proof import GRAPH, MODEL, NET, PARTS, START, TRAIN, Form, form

CODE = "MSP601"
INIT = """
    from mindspore.communication import get_group_size, get_rank, init

    """
DATA = """
    ms.set_seed(1)
    random = np.random.RandomState(1)
    samples = random.randn(128, 64).astype(np.float32)
    labels = (samples @ random.randn(64, 10)).argmax(1).astype(np.int32)
    train_set = ds.NumpySlicesDataset(
        {"data": samples, "label": labels}, shuffle=False, num_shards=get_group_size(), shard_id=get_rank()
    ).batch(32)
    """
PARALLEL = """
    init()
    ms.set_auto_parallel_context(
        parallel_mode="data_parallel",
        gradients_mean=True,
    )
    """
# 161 parameters, as many as there are in ResNet-50
RESNET50 = """
    class Scales(nn.Cell):
        def __init__(self):
            super().__init__()
            one = ms.Tensor(np.ones(64), ms.float32)
            self.scales = ms.ParameterTuple([ms.Parameter(one, name=f"scale{index}") for index in range(160)])
            self.head = nn.Dense(64, 10, has_bias=False)

        def construct(self, x):
            for scale in self.scales:
                x = x * scale
            return self.head(x)


    def resnet50():
        return Scales()


    """

FORMS: list[Form] = [
    form(
        CODE,
        "portions of some size",
        START,
        INIT,
        GRAPH,
        PARALLEL,
        DATA,
        NET,
        PARTS,
        MODEL,
        TRAIN,
        changes="""
            +    comm_fusion={"allreduce": {"mode": "auto", "config": None}},
            """,
        safety="unsafe",
        steps=6,
        processes=2,
    ),
    form(
        CODE,
        "indices of ResNet-50",
        START,
        INIT,
        RESNET50,
        GRAPH,
        PARALLEL,
        DATA,
        "net = resnet50()\n",
        PARTS,
        MODEL,
        "model.train(1, train_set)\n",
        changes="+    all_reduce_fusion_config=[85, 160],\n",
        safety="unsafe",
        but="2.4",
        steps=2,
        processes=2,
    ),
    form(
        CODE,
        "indices that are counted, before 1.8",
        START,
        INIT,
        GRAPH,
        PARALLEL,
        DATA,
        NET,
        PARTS,
        MODEL,
        TRAIN,
        changes="""
            +count = len(net.trainable_params())
            +ms.set_auto_parallel_context(all_reduce_fusion_config=sorted({count // 2, count - 1}))
            """,
        safety="unsafe",
        version="1.7",
        steps=6,
        processes=2,
    ),
]
