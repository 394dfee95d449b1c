"""MSP201: the forms in which matrix work is moved to half precision.

On a CPU level "O2" needs a loss scale that is fixed, or none: the programs name one, so that they can run there.
"""

from __future__ import annotations

from proofs.proof import DATA, GRAPH, LOOP, NET, PARTS, START, TRAIN, Form, form

CODE = "MSP201"
READY = (START, GRAPH, DATA, NET, PARTS)
DEVICES = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="CPU", choices=["Ascend", "CPU"])
    args = parser.parse_args()
    ms.set_context(mode=ms.GRAPH_MODE, device_target=args.device)
    """
STEP = """
    def forward(data, label):
        return loss(net(data), label)


    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


    @ms.jit
    def train_step(data, label):
        value, grads = grad_fn(data, label)
        optimizer(grads)
        return value


    """
CELL = "train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()\n"

FORMS: list[Form] = [
    form(
        CODE,
        "Model",
        *READY,
        "model = Model(net, loss, optimizer, loss_scale_manager=None)\n",
        TRAIN,
        changes="""
            -model = Model(net, loss, optimizer, loss_scale_manager=None)
            +model = Model(net, loss, optimizer, loss_scale_manager=None, amp_level="O2")
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "Model with a loss scale",
        START,
        DEVICES,
        DATA,
        NET,
        PARTS,
        """
        scale = ms.FixedLossScaleManager(1024.0, drop_overflow_update=False)
        optimizer = nn.Adam(net.trainable_params(), loss_scale=1024.0)
        model = Model(net, loss, optimizer, loss_scale_manager=scale)
        """,
        TRAIN,
        changes="""
            -model = Model(net, loss, optimizer, loss_scale_manager=scale)
            +model = Model(net, loss, optimizer, loss_scale_manager=scale, amp_level="O2")
            """,
        safety="display-only",
        device=None,
    ),
    form(
        CODE,
        "Model that a CPU may run",
        START,
        DEVICES,
        DATA,
        NET,
        PARTS,
        "model = Model(net, loss, optimizer)\n",
        TRAIN,
        changes="""
            -optimizer = nn.Adam(net.trainable_params())
            -model = Model(net, loss, optimizer)
            +optimizer = nn.Adam(net.trainable_params(), loss_scale=1024.0)
            +model = Model(
            +    net, loss, optimizer,
            +    amp_level="O2", loss_scale_manager=ms.FixedLossScaleManager(1024.0, drop_overflow_update=False)
            +)
            """,
        safety="display-only",
        device=None,
    ),
    form(
        CODE,
        "level O0",
        *READY,
        'model = Model(net, loss, optimizer, None, None, None, "O0", loss_scale_manager=None)\n',
        TRAIN,
        changes="""
            -model = Model(net, loss, optimizer, None, None, None, "O0", loss_scale_manager=None)
            +model = Model(net, loss, optimizer, None, None, None, "O2", loss_scale_manager=None)
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "level of a train network",
        *READY,
        """
        train_step = ms.amp.build_train_network(
            net,
            optimizer,
            loss,
            loss_scale_manager=None,
        ).set_train()
        """,
        LOOP,
        changes='+    level="O2",\n',
        safety="unsafe",
    ),
    form(
        CODE,
        "level of an option",
        START,
        """
        import argparse

        parser = argparse.ArgumentParser()
        parser.add_argument("--amp_level", default="O0")
        args = parser.parse_args()
        """,
        GRAPH,
        DATA,
        NET,
        PARTS,
        "model = Model(net, loss, optimizer, amp_level=args.amp_level, loss_scale_manager=None)\n",
        TRAIN,
        changes="""
            -parser.add_argument("--amp_level", default="O0")
            +parser.add_argument("--amp_level", default="O2")
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "level of a config file",
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
        'model = Model(net, loss, optimizer, amp_level=config["amp_level"], loss_scale_manager=None)\n',
        TRAIN,
        {"default_config.yaml": 'amp_level: "O0"\n'},
        changes={"default_config.yaml": '-amp_level: "O0"\n+amp_level: "O2"\n'},
        safety="display-only",
    ),
    form(
        CODE,
        "network forced to float32",
        START,
        GRAPH,
        DATA,
        NET,
        "net.to_float(ms.float32)\n",
        PARTS,
        "model = Model(net, loss, optimizer, loss_scale_manager=None)\n",
        TRAIN,
        changes="""
            -net.to_float(ms.float32)
            +net.to_float(ms.float16)
            -model = Model(net, loss, optimizer, loss_scale_manager=None)
            +model = Model(net, loss, optimizer, loss_scale_manager=None, amp_level="O2")
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "layers forced to float32",
        START,
        GRAPH,
        """
        from mindspore import float32


        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.hidden = nn.Dense(64, 128).to_float(float32)
                self.head = nn.Dense(128, 10).to_float(float32)

            def construct(self, x):
                return self.head(ops.relu(self.hidden(x)))


        """,
        DATA,
        "net = Net()\n",
        PARTS,
        "model = Model(net, loss, optimizer, loss_scale_manager=None)\n",
        TRAIN,
        changes="""
            -        self.hidden = nn.Dense(64, 128).to_float(float32)
            -        self.head = nn.Dense(128, 10).to_float(float32)
            +        self.hidden = nn.Dense(64, 128).to_float(ms.float16)
            +        self.head = nn.Dense(128, 10).to_float(ms.float16)
            -model = Model(net, loss, optimizer, loss_scale_manager=None)
            +model = Model(net, loss, optimizer, loss_scale_manager=None, amp_level="O2")
            """,
        safety="unsafe",
    ),
    form(
        CODE,
        "train cell of the framework",
        *READY,
        CELL,
        LOOP,
        changes="""
            -optimizer = nn.Adam(net.trainable_params())
            -train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
            +optimizer = nn.Adam(net.trainable_params(), loss_scale=1024.0)
            +net = ms.amp.auto_mixed_precision(net, "O2")
            +train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer,
            +                                 sens=1024.0).set_train()
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "network made in the loss cell",
        START,
        GRAPH,
        "from mindspore.nn import Dense\n\n",
        DATA,
        """
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        net = nn.WithLossCell(Dense(64, 64), loss)
        train_step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params())).set_train()
        """,
        LOOP,
        changes="""
            -net = nn.WithLossCell(Dense(64, 64), loss)
            -train_step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params())).set_train()
            +net = nn.WithLossCell(ms.amp.auto_mixed_precision(Dense(64, 64), "O2"), loss)
            +train_step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(),
            +                                              loss_scale=1024.0),
            +                                 sens=1024.0).set_train()
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "function with gradients",
        *READY,
        STEP,
        LOOP,
        changes="""
            -    return loss(net(data), label)
            +    return loss_scaler.scale(loss(net(data), label))
            +loss_scaler = ms.amp.StaticLossScaler(1024.0)
            +net = ms.amp.auto_mixed_precision(net, "O2")
            +    value = loss_scaler.unscale(value)
            +    grads = loss_scaler.unscale(grads)
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "product of a primitive",
        START,
        GRAPH,
        """
        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.weight = ms.Parameter(ms.Tensor(random.randn(64, 64).astype(np.float32) / 8), name="weight")
                self.matmul = ops.MatMul()

            def construct(self, x):
                return self.matmul(x, self.weight)


        """,
        DATA,
        "net = Net()\n",
        PARTS,
        CELL,
        LOOP,
        changes="""
            -optimizer = nn.Adam(net.trainable_params())
            -train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
            +optimizer = nn.Adam(net.trainable_params(), loss_scale=1024.0)
            +net = ms.amp.auto_mixed_precision(net, "O2")
            +train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer, sens=1024.0).set_train()
            """,
        safety="display-only",
    ),
]
