"""MSP201: training steps of one's own, as people write them; the whole diff that is shown is made, and run.

BF16 runs on no CPU: there a program is run with float16 in its place.
"""

from __future__ import annotations

from programs import join
from proofs.msp201 import CELL, DEVICES, STEP
from proofs.proof import DATA, GRAPH, LOOP, NET, PARTS, START, TRAIN, Form, form

CODE = "MSP201"
READY = (START, GRAPH, DATA, NET, PARTS)
CLASS = """
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.backbone = nn.Dense(64, 128)
            self.norm = nn.BatchNorm1d(128)
            self.head = nn.Dense(128, 10)

        def features(self, x):
            return ops.relu(self.norm(self.backbone(x)))

        def construct(self, x):
            return self.head(self.features(x))


    """
CROSS = """
    loss_fn = nn.CrossEntropyLoss()
    """
AUX = """
    def forward_fn(data, label):
        logits = net(data)
        return loss_fn(logits, label), logits


    grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)


    def train_step(data, label):
        (value, _), grads = grad_fn(data, label)
        grads = ops.clip_by_global_norm(grads, 5.0)
        optimizer(grads)
        return value


    """
AUX_CHANGES = """
    -    return loss_fn(logits, label), logits
    +    return loss_scaler.scale(loss_fn(logits, label)), logits
    +loss_scaler = ms.amp.StaticLossScaler(1024.0)
    +net = ms.amp.auto_mixed_precision(net, "O2")
    +    value = loss_scaler.unscale(value)
    +    grads = loss_scaler.unscale(grads)
    """
ADAM = "optimizer = nn.Adam(net.trainable_params())\n"
SCALED = """
    +train_step = nn.TrainOneStepCell(nn.WithLossCell({net}, loss), optimizer,
    +                                 sens=1024.0).set_train()
    """
GAN = """
    class Generator(nn.Cell):
        def __init__(self):
            super().__init__()
            self.deep = nn.Dense(16, 64)
            self.wide = nn.Dense(64, 64)

        def construct(self, noise):
            return self.wide(ops.relu(self.deep(noise)))


    class Critic(nn.Cell):
        def __init__(self):
            super().__init__()
            self.body = nn.Dense(64, 64)
            self.score = nn.Dense(64, 1)

        def construct(self, data):
            return self.score(ops.relu(self.body(data)))


    generator, critic = Generator(), Critic()
    bce = nn.BCEWithLogitsLoss()
    noise = ms.Tensor(random.randn(32, 16), ms.float32)
    real, fake = ops.ones((32, 1)), ops.zeros((32, 1))
    """
WITH_LOSS = """
    class NetWithLoss(nn.Cell):
        def __init__(self):
            super().__init__()
            self.hidden = nn.Dense(64, 128)
            self.head = nn.Dense(128, 10)
            self.loss = nn.CrossEntropyLoss()

        def construct(self, data, label):
            return self.loss(self.head(ops.relu(self.hidden(data))), label)


    """
PARTS_CONVERTED = """
    +        self.hidden.to_float(ms.float16)
    +        self.head.to_float(ms.float16)
    +        self.loss.to_float(ms.float32)
    """
ROWS = """
    class Block(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(64, 64)
            self.norm = nn.BatchNorm1d(64)

        def construct(self, x):
            return ops.relu(self.norm(self.dense(x)))


    class NetWithLoss(nn.Cell):
        def __init__(self):
            super().__init__()
            self.blocks = nn.CellList([Block(), Block()])
            self.rows = nn.SequentialCell([nn.Dense(64, 64), nn.ReLU()])
            self.head = nn.Dense(64, 64)

        def construct(self, data, label):
            for block in self.blocks:
                data = block(data)
            return ops.cross_entropy(self.head(self.rows(data) + self.blocks[0](data)), label)


    """
TIED = """
    class Tied(nn.Cell):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Dense(64, 64)
            self.head = nn.Dense(64, 10)

        def construct(self, x):
            hidden = self.encoder(x)
            return self.head(ops.matmul(hidden, self.encoder.weight))


    """
TIED_CAST = """
    -        return self.head(ops.matmul(hidden, self.encoder.weight))
    +        return self.head(ops.matmul(hidden, self.encoder.weight.astype(hidden.dtype)))
    """

FORMS: list[Form] = [
    form(
        CODE,
        "gradients with auxiliary outputs",
        START,
        GRAPH,
        DATA,
        CLASS,
        "net = Net()\n",
        CROSS,
        ADAM,
        AUX,
        LOOP,
        changes=AUX_CHANGES,
        safety="display-only",
    ),
    form(
        CODE,
        "gradients in PyNative mode",
        START,
        "ms.set_context(mode=ms.PYNATIVE_MODE)\n",
        DATA,
        CLASS,
        "net = Net()\n",
        CROSS,
        ADAM,
        AUX,
        LOOP,
        changes=AUX_CHANGES,
        safety="display-only",
    ),
    form(
        CODE,
        "step in a function",
        START,
        GRAPH,
        DATA,
        CLASS,
        """
        def train(net, loss_fn, optimizer):
            def forward(data, label):
                return loss_fn(net(data), label)

            grad_fn = ms.value_and_grad(forward, None, net.trainable_params())
            found = []
            net.set_train()
            for epoch in range(3):
                for data, label in train_set.create_tuple_iterator():
                    value, grads = grad_fn(data, label)
                    optimizer(grads)
                    found.append(value.asnumpy())
            return found


        net = Net()
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        losses = train(net, nn.CrossEntropyLoss(), optimizer)
        """,
        changes="""
            -        return loss_fn(net(data), label)
            +        return loss_scaler.scale(loss_fn(net(data), label))
            +    loss_scaler = ms.amp.StaticLossScaler(1024.0)
            +    net = ms.amp.auto_mixed_precision(net, "O2")
            +            value = loss_scaler.unscale(value)
            +            grads = loss_scaler.unscale(grads)
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "step made anew in each epoch",
        START,
        GRAPH,
        DATA,
        CLASS,
        """
        def train_epoch(net, loss_fn, optimizer):
            def forward(data, label):
                return loss_fn(net(data), label)

            grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
            found = []
            net.set_train()
            for data, label in train_set.create_tuple_iterator():
                value, grads = grad_fn(data, label)
                optimizer(grads)
                found.append(value)
            return found


        def main():
            net = Net()
            optimizer = nn.Adam(net.trainable_params())
            found = []
            for epoch in range(3):
                found += train_epoch(net, nn.CrossEntropyLoss(), optimizer)
            return found


        losses = main()
        """,
        changes="""
        -        return loss_fn(net(data), label)
        +        return loss_scaler.scale(loss_fn(net(data), label))
        +    loss_scaler = ms.amp.StaticLossScaler(1024.0)
        +        value = loss_scaler.unscale(value)
        +        grads = loss_scaler.unscale(grads)
        +    net = ms.amp.auto_mixed_precision(net, "O2")
        """,
        safety="display-only",
    ),
    form(
        CODE,
        "trainer class",
        START,
        GRAPH,
        DATA,
        CLASS,
        """
        class Trainer:
            def __init__(self, net):
                self.net = net
                self.loss_fn = nn.CrossEntropyLoss()
                self.optimizer = nn.Adam(net.trainable_params())
                self.grad_fn = ms.value_and_grad(self.forward, None, self.optimizer.parameters)

            def forward(self, data, label):
                return self.loss_fn(self.net(data), label)

            def step(self, data, label):
                value, grads = self.grad_fn(data, label)
                self.optimizer(grads)
                return value


        trainer = Trainer(Net())
        train_step = trainer.step
        """,
        LOOP,
        changes="""
            +        self.loss_scaler = ms.amp.StaticLossScaler(1024.0)
            +        self.net = ms.amp.auto_mixed_precision(self.net, "O2")
            -        return self.loss_fn(self.net(data), label)
            +        return self.loss_scaler.scale(self.loss_fn(self.net(data), label))
            +        value = self.loss_scaler.unscale(value)
            +        grads = self.loss_scaler.unscale(grads)
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "attribute that is used afterwards",
        START,
        GRAPH,
        DATA,
        CLASS,
        "net = Net()\n",
        CROSS,
        ADAM,
        AUX,
        LOOP,
        "print(net.backbone.weight.asnumpy().std(), net.features(ms.Tensor(samples[:4])).shape)\n",
        changes="""
            -    logits = net(data)
            -    return loss_fn(logits, label), logits
            +    logits = amp_net(data)
            +    return loss_scaler.scale(loss_fn(logits, label)), logits
            +amp_net = ms.amp.auto_mixed_precision(net, "O2")
            +loss_scaler = ms.amp.StaticLossScaler(1024.0)
            +    value = loss_scaler.unscale(value)
            +    grads = loss_scaler.unscale(grads)
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "attribute that another function uses",
        START,
        GRAPH,
        CLASS,
        """
        def statistics(model, data):
            return model.features(data).mean().asnumpy()


        """,
        DATA,
        "net = Net()\n",
        PARTS,
        CELL,
        LOOP,
        "print(statistics(net, ms.Tensor(samples)))\n",
        changes=join(
            """
            -optimizer = nn.Adam(net.trainable_params())
            -train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
            +optimizer = nn.Adam(net.trainable_params(), loss_scale=1024.0)
            +amp_net = ms.amp.auto_mixed_precision(net, "O2")
            """,
            SCALED.format(net="amp_net"),
        ),
        safety="display-only",
    ),
    form(
        CODE,
        "saved and evaluated afterwards",
        *READY,
        CELL,
        LOOP,
        """
        ms.save_checkpoint(net, "net.ckpt")
        net.set_train(False)
        correct = (net(ms.Tensor(samples)).argmax(1).asnumpy() == labels).mean()
        ms.load_param_into_net(net, ms.load_checkpoint("net.ckpt"))
        """,
        changes=join(
            """
            -optimizer = nn.Adam(net.trainable_params())
            -train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
            +optimizer = nn.Adam(net.trainable_params(), loss_scale=1024.0)
            +net = ms.amp.auto_mixed_precision(net, "O2")
            """,
            SCALED.format(net="net"),
        ),
        safety="display-only",
    ),
    form(
        CODE,
        "resumed from a checkpoint",
        START,
        GRAPH,
        DATA,
        NET,
        """
        ms.save_checkpoint(net, "start.ckpt")
        ms.load_param_into_net(net, ms.load_checkpoint("start.ckpt"))
        """,
        PARTS,
        CELL,
        LOOP,
        changes=join(
            """
            -optimizer = nn.Adam(net.trainable_params())
            -train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
            +optimizer = nn.Adam(net.trainable_params(), loss_scale=1024.0)
            +net = ms.amp.auto_mixed_precision(net, "O2")
            """,
            SCALED.format(net="net"),
        ),
        safety="display-only",
    ),
    form(
        CODE,
        "schedule of learning rates",
        START,
        GRAPH,
        DATA,
        NET,
        """
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        rates = nn.cosine_decay_lr(0.01, 0.1, 12, 4, 3)
        optimizer = nn.Momentum(
            net.trainable_params(),
            learning_rate=rates,
            momentum=0.9,
            weight_decay=1e-4,
        )
        """,
        CELL,
        LOOP,
        changes=join(
            """
            +    loss_scale=1024.0,
            -train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
            +net = ms.amp.auto_mixed_precision(net, "O2")
            """,
            SCALED.format(net="net"),
        ),
        safety="display-only",
    ),
    form(
        CODE,
        "train cell of one's own",
        START,
        GRAPH,
        """
        class Step(nn.TrainOneStepCell):
            def __init__(self, network, optimizer, sens=1.0):
                super().__init__(network, optimizer, sens)
                self.clip = 5.0

            def construct(self, *inputs):
                value = self.network(*inputs)
                sens = ops.fill(value.dtype, value.shape, self.sens)
                grads = self.grad(self.network, self.weights)(*inputs, sens)
                return ops.depend(value, self.optimizer(self.grad_reducer(grads)))


        """,
        DATA,
        NET,
        PARTS,
        "train_step = Step(nn.WithLossCell(net, loss), optimizer).set_train()\n",
        LOOP,
        changes="""
            -optimizer = nn.Adam(net.trainable_params())
            -train_step = Step(nn.WithLossCell(net, loss), optimizer).set_train()
            +optimizer = nn.Adam(net.trainable_params(), loss_scale=1024.0)
            +net = ms.amp.auto_mixed_precision(net, "O2")
            +train_step = Step(nn.WithLossCell(net, loss), optimizer, sens=1024.0).set_train()
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "train cell that scales its loss",
        START,
        GRAPH,
        """
        class Step(nn.TrainOneStepWithLossScaleCell):
            def construct(self, *inputs):
                value = self.network(*inputs)
                sens = ops.fill(value.dtype, value.shape, 1.0) * self.scale_sense
                grads = self.grad(self.network, self.weights)(*inputs, sens)
                grads = ops.clip_by_value(tuple(grad / self.scale_sense for grad in grads), -5.0, 5.0)
                return ops.depend(value, self.optimizer(grads))


        """,
        DATA,
        NET,
        PARTS,
        "train_step = Step(nn.WithLossCell(net, loss), optimizer, ms.Tensor(1024.0, ms.float32)).set_train()\n",
        LOOP,
        changes='+net = ms.amp.auto_mixed_precision(net, "O2")\n',
        safety="display-only",
    ),
    form(
        CODE,
        "optimizer without a loss scale",
        START,
        GRAPH,
        DATA,
        NET,
        PARTS.replace("nn.Adam(net.trainable_params())", "nn.AdamWeightDecay(net.trainable_params())"),
        CELL,
        LOOP,
        changes='+net = ms.amp.auto_mixed_precision(net, "O2", ms.bfloat16)\n',
        safety="display-only",
        since="2.2",
    ),
    form(
        CODE,
        "two networks with train cells",
        START,
        GRAPH,
        DATA,
        GAN,
        """
        class GeneratorLoss(nn.Cell):
            def __init__(self, generator, critic):
                super().__init__()
                self.generator, self.critic = generator, critic

            def construct(self, noise):
                return bce(self.critic(self.generator(noise)), real)


        class CriticLoss(nn.Cell):
            def __init__(self, generator, critic):
                super().__init__()
                self.generator, self.critic = generator, critic

            def construct(self, data, noise):
                return bce(self.critic(data), real) + bce(self.critic(self.generator(noise)), fake)


        slow = nn.Adam(generator.trainable_params(), 1e-3)
        fast = nn.Adam(critic.trainable_params(), 2e-3)
        step_g = nn.TrainOneStepCell(GeneratorLoss(generator, critic), slow).set_train()
        step_c = nn.TrainOneStepCell(CriticLoss(generator, critic), fast).set_train()
        losses = []
        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                value = step_c(data, noise)
                losses.append((value + step_g(noise)).asnumpy())
        """,
        changes="""
            -slow = nn.Adam(generator.trainable_params(), 1e-3)
            -fast = nn.Adam(critic.trainable_params(), 2e-3)
            -step_g = nn.TrainOneStepCell(GeneratorLoss(generator, critic), slow).set_train()
            -step_c = nn.TrainOneStepCell(CriticLoss(generator, critic), fast).set_train()
            +slow = nn.Adam(generator.trainable_params(), 1e-3, loss_scale=1024.0)
            +fast = nn.Adam(critic.trainable_params(), 2e-3, loss_scale=1024.0)
            +critic = ms.amp.auto_mixed_precision(critic, "O2")
            +generator = ms.amp.auto_mixed_precision(generator, "O2")
            +step_g = nn.TrainOneStepCell(GeneratorLoss(generator, critic), slow, sens=1024.0).set_train()
            +step_c = nn.TrainOneStepCell(CriticLoss(generator, critic), fast, sens=1024.0).set_train()
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "two networks with gradient functions",
        START,
        GRAPH,
        DATA,
        GAN,
        """
        def generator_loss(noise):
            return bce(critic(generator(noise)), real)


        def critic_loss(data, noise):
            return bce(critic(data), real) + bce(critic(generator(noise)), fake)


        slow = nn.Adam(generator.trainable_params(), 1e-3)
        fast = nn.Adam(critic.trainable_params(), 2e-3)
        grad_g = ms.value_and_grad(generator_loss, None, slow.parameters)
        grad_c = ms.value_and_grad(critic_loss, None, fast.parameters)


        def train_step(data, label):
            critic_value, critic_grads = grad_c(data, noise)
            fast(critic_grads)
            value, grads = grad_g(noise)
            slow(grads)
            return critic_value + value


        """,
        LOOP,
        changes="""
            -    return bce(critic(generator(noise)), real)
            +    return loss_scaler.scale(bce(critic(generator(noise)), real))
            -    return bce(critic(data), real) + bce(critic(generator(noise)), fake)
            +    return loss_scaler.scale(bce(critic(data), real) + bce(critic(generator(noise)), fake))
            +critic = ms.amp.auto_mixed_precision(critic, "O2")
            +generator = ms.amp.auto_mixed_precision(generator, "O2")
            +loss_scaler = ms.amp.StaticLossScaler(1024.0)
            +    critic_value = loss_scaler.unscale(critic_value)
            +    critic_grads = loss_scaler.unscale(critic_grads)
            +    value = loss_scaler.unscale(value)
            +    grads = loss_scaler.unscale(grads)
            """,
        safety="display-only",
    ),
    form(
        CODE,
        "loss inside of the network of a Model",
        START,
        DEVICES,
        DATA,
        NET,
        PARTS,
        "model = Model(nn.WithLossCell(net, loss), optimizer=optimizer)\n",
        TRAIN,
        changes="""
            -optimizer = nn.Adam(net.trainable_params())
            -model = Model(nn.WithLossCell(net, loss), optimizer=optimizer)
            +optimizer = nn.Adam(net.trainable_params(), loss_scale=1024.0)
            +net = ms.amp.auto_mixed_precision(net, "O2")
            +model = Model(nn.WithLossCell(net, loss), optimizer=optimizer,
            +              loss_scale_manager=ms.FixedLossScaleManager(1024.0, drop_overflow_update=False))
            """,
        safety="display-only",
        device=None,
    ),
    form(
        CODE,
        "loss inside of a network of one's own",
        START,
        GRAPH,
        WITH_LOSS,
        DATA,
        """
        net = NetWithLoss()
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        train_step = nn.TrainOneStepCell(net, optimizer).set_train()
        """,
        LOOP,
        changes=join(
            PARTS_CONVERTED,
            """
            -optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
            -train_step = nn.TrainOneStepCell(net, optimizer).set_train()
            +optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=1024.0)
            +train_step = nn.TrainOneStepCell(net, optimizer, sens=1024.0).set_train()
            """,
        ),
        safety="display-only",
    ),
    form(
        CODE,
        "function that returns the loss of the network",
        START,
        GRAPH,
        WITH_LOSS,
        DATA,
        """
        net = NetWithLoss()
        optimizer = nn.Adam(net.trainable_params())


        def forward(data, label):
            value = net(data, label)
            return value


        grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


        @ms.jit
        def train_step(data, label):
            value, grads = grad_fn(data, label)
            optimizer(grads)
            return value


        """,
        LOOP,
        changes=join(
            PARTS_CONVERTED,
            """
            -    return value
            +    return loss_scaler.scale(value)
            +loss_scaler = ms.amp.StaticLossScaler(1024.0)
            +    value = loss_scaler.unscale(value)
            +    grads = loss_scaler.unscale(grads)
            """,
        ),
        safety="display-only",
    ),
    form(
        CODE,
        "loss inside of a network with rows of cells",
        START,
        GRAPH,
        ROWS,
        DATA,
        """
        net = NetWithLoss()
        optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
        train_step = nn.TrainOneStepCell(net, optimizer).set_train()
        """,
        LOOP,
        changes="""
            -        self.blocks = nn.CellList([Block(), Block()])
            -        self.rows = nn.SequentialCell([nn.Dense(64, 64), nn.ReLU()])
            -        self.head = nn.Dense(64, 64)
            +        self.blocks = nn.CellList([ms.amp.auto_mixed_precision(each, "O2") for each in [Block(), Block()]])
            +        self.rows = ms.amp.auto_mixed_precision(nn.SequentialCell([nn.Dense(64, 64), nn.ReLU()]), "O2")
            +        self.head = ms.amp.auto_mixed_precision(nn.Dense(64, 64), "O2")
            -optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
            -train_step = nn.TrainOneStepCell(net, optimizer).set_train()
            +optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9, loss_scale=1024.0)
            +train_step = nn.TrainOneStepCell(net, optimizer, sens=1024.0).set_train()
            """,
        safety="display-only",
        within="_backbone.",
    ),
    form(
        CODE,
        "tied weights in a Model",
        START,
        GRAPH,
        TIED,
        DATA,
        "net = Tied()\n",
        PARTS,
        "model = Model(net, loss, optimizer, loss_scale_manager=None)\n",
        TRAIN,
        changes=join(
            TIED_CAST,
            """
            -model = Model(net, loss, optimizer, loss_scale_manager=None)
            +model = Model(net, loss, optimizer, loss_scale_manager=None, amp_level="O2")
            """,
        ),
        safety="display-only",
    ),
    form(
        CODE,
        "tied weights in a step",
        START,
        GRAPH,
        TIED.replace("ops.matmul(hidden, self.encoder.weight)", "self.encoder(hidden) @ self.encoder.weight"),
        DATA,
        "net = Tied()\n",
        PARTS,
        STEP,
        LOOP,
        changes="""
            -        return self.head(self.encoder(hidden) @ self.encoder.weight)
            +        return self.head(self.encoder(hidden) @ self.encoder.weight.astype(ms.float16))
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
        "forced to float32 in a step",
        START,
        GRAPH,
        DATA,
        NET,
        "net.to_float(ms.float32)\n",
        PARTS,
        CELL,
        LOOP,
        changes=join(
            """
            -net.to_float(ms.float32)
            +net.to_float(ms.float16)
            -optimizer = nn.Adam(net.trainable_params())
            -train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
            +optimizer = nn.Adam(net.trainable_params(), loss_scale=1024.0)
            +net = ms.amp.auto_mixed_precision(net, "O2")
            """,
            SCALED.format(net="net"),
        ),
        safety="display-only",
    ),
]
