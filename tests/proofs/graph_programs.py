"""Training programs as people write them, in PyNative: `READY` train the same in graph mode, `BLOCKED` do not."""

from __future__ import annotations

from typing import NamedTuple

from programs import join
from proofs.proof import DATA, START

PYNATIVE = "ms.set_context(mode=ms.PYNATIVE_MODE)\n"
PARTS = """
    loss_fn = nn.CrossEntropyLoss()
    net = nn.SequentialCell(nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10))
    optimizer = nn.SGD(net.trainable_params(), 0.05)
    losses = []
    """
FORWARD = """


    def forward(data, label):
        return loss_fn(net(data), label)


    """
GRADIENT = "grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)\n"
WEIGHTED = """
    weight = ms.Parameter(ms.Tensor(1.0), requires_grad=False)


    def forward(data, label):
        return loss_fn(net(data), label) * weight


    """
WEIGHED_BY_ARRAY = """
    weights = np.ones(2)


    def forward(data, label):
        return loss_fn(net(data), label) * float(weights[0])


    """
STEP = """


    def train_step(data, label):
        loss, grads = grad_fn(data, label)
        optimizer(grads)
        return loss


    """
LOOP = """
    for epoch in range(3):
        for data, label in train_set.create_tuple_iterator():
            losses.append(train_step(data, label))
    """


NORMED = """
    net = nn.SequentialCell(nn.Dense(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dense(32, 10))
    optimizer = nn.SGD(net.trainable_params(), 0.05)
    """


class Written(NamedTuple):
    """A program, and what graph mode makes of it: "same", or the reason to leave it: "fails", "differs", "slower"."""

    name: str
    text: str
    becomes: str

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def _written(becomes: str, name: str, *texts: str) -> Written:
    return Written(name, join(START, PYNATIVE, DATA, PARTS, *texts), becomes)


def _loop(*lines: str, depth: int = 1) -> str:
    """Return the loop with more lines at the end of each epoch, or of each step."""
    return join(LOOP) + "".join(f"{'    ' * depth}{line}\n" for line in lines)


TWINS = """
    class Twins(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first = nn.Dense(64, 10)
            self.second = nn.Dense(64, 10)

        def construct(self, x):
            return self.first(x) + self.second(x)


    net = Twins()
    optimizer = nn.SGD(net.trainable_params(), 0.05)
    """
SCALED = """


    def train_step(data, label):
        loss, grads = grad_fn(data, label)
        for grad in grads:
            grad[{}] {}= 0.5
        optimizer(grads)
        return loss


    """


TRAINER = """


    class Trainer:
        def __init__(self, net, optimizer):
            self.net = net
            self.optimizer = optimizer

        def forward(self, data, label):
            return loss_fn(self.net(data), label)

        def train_step(self, data, label):
            SET
            loss, grads = self.grad_fn(data, label)
            self.optimizer(grads)
            return loss


    train_step = Trainer(net, optimizer).train_step
    """
READY = [
    _written("same", "equal gradients set as a whole", TWINS, FORWARD, GRADIENT, SCALED.format("...", ""), LOOP),
    *(
        _written("same", f"attribute that each step sets: {of}", TRAINER.replace("SET", made), LOOP)
        for of, made in (
            ("optimizer", "self.grad_fn = ms.value_and_grad(self.forward, None, self.optimizer.parameters)"),
            ("network", "self.grad_fn = ms.value_and_grad(self.forward, None, self.net.trainable_params())"),
        )
    ),
    _written(
        "same",
        "training flag of each epoch",
        NORMED,
        FORWARD,
        GRADIENT,
        STEP,
        "net.set_train()\n",
        _loop("net.set_train(False)", "net(ms.Tensor(samples))", "net.set_train()"),
    ),
    _written(
        "same",
        "training flag that nothing switches on",
        NORMED,
        FORWARD,
        GRADIENT,
        STEP,
        _loop("net.set_train(False)", "net(ms.Tensor(samples))"),
    ),
    _written("same", "step function", FORWARD, GRADIENT, STEP, LOOP),
    _written(
        "same",
        "two networks against each other, in cells",
        """


        class GeneratorLoss(nn.Cell):
            def __init__(self, generator, judge):
                super().__init__()
                self.generator, self.judge = generator, judge
                self.bce = nn.BCEWithLogitsLoss()

            def construct(self, z):
                return self.bce(self.judge(self.generator(z)), ops.ones((32, 1), ms.float32))


        class JudgeLoss(nn.Cell):
            def __init__(self, generator, judge):
                super().__init__()
                self.generator, self.judge = generator, judge
                self.bce = nn.BCEWithLogitsLoss()

            def construct(self, real, z):
                fake = ops.stop_gradient(self.generator(z))
                good = self.bce(self.judge(real), ops.ones((32, 1), ms.float32))
                return good + self.bce(self.judge(fake), ops.zeros((32, 1), ms.float32))


        generator = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dense(32, 64))
        judge = nn.SequentialCell(nn.Dense(64, 32), nn.LeakyReLU(), nn.Dense(32, 1))
        loss_g, loss_d = GeneratorLoss(generator, judge), JudgeLoss(generator, judge)
        step_g = nn.TrainOneStepCell(loss_g, nn.SGD(generator.trainable_params(), 0.01))
        step_d = nn.TrainOneStepCell(loss_d, nn.SGD(judge.trainable_params(), 0.01))
        noise = ms.Tensor(np.random.RandomState(2).randn(32, 8).astype(np.float32))
        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                losses.append(step_g(noise) + step_d(data, noise))
        """,
    ),
    _written(
        "same",
        "resumed from a checkpoint",
        FORWARD,
        GRADIENT,
        STEP,
        """
        ms.save_checkpoint(net, "net.ckpt")
        ms.load_param_into_net(net, ms.load_checkpoint("net.ckpt"))
        """,
        LOOP,
    ),
    _written(
        "same",
        "schedule of learning rates",
        "rates = nn.cosine_decay_lr(0.0, 0.1, 12, 4, 3)\n",
        "optimizer = nn.Momentum(net.trainable_params(), rates, 0.9)\n",
        FORWARD,
        GRADIENT,
        STEP,
        LOOP,
    ),
    _written(
        "same",
        "schedule as a cell",
        "optimizer = nn.SGD(net.trainable_params(), nn.ExponentialDecayLR(0.1, 0.9, 4))\n",
        FORWARD,
        GRADIENT,
        STEP,
        LOOP,
    ),
    _written(
        "same",
        "scheduler that steps per epoch",
        """
        from mindspore.experimental import optim

        optimizer = optim.Adam(net.trainable_params(), lr=0.01)
        scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
        """,
        FORWARD,
        "grad_fn = ms.value_and_grad(forward, None, net.trainable_params())\n",
        STEP,
        _loop("scheduler.step()"),
    ),
    _written(
        "same",
        "Model with a callback that reads the loss",
        """
        from mindspore.train import Callback


        class Watch(Callback):
            def __init__(self):
                super().__init__()
                self.best = 100.0

            def on_train_epoch_end(self, run_context):
                loss = float(run_context.original_args().net_outputs.asnumpy())
                self.best = min(self.best, loss)
                print(self.best)


        Model(net, loss_fn, optimizer).train(3, train_set, callbacks=[Watch()])
        """,
    ),
    _written(
        "same",
        "Model that evaluates between epochs",
        """
        model = Model(net, loss_fn, optimizer, metrics={"accuracy"})
        for epoch in range(3):
            model.train(1, train_set)
            print(model.eval(train_set))
        """,
    ),
    _written(
        "same",
        "gradients accumulated",
        """
        sums = optimizer.parameters.clone(prefix="sums", init="zeros")
        adds = ops.MultitypeFuncGraph("adds")


        def forward(data, label):
            return loss_fn(net(data), label) / 2


        """,
        GRADIENT,
        """


        def train_step(data, label, is_last):
            loss, grads = grad_fn(data, label)
            for total, grad in zip(sums, grads):
                ops.assign_add(total, grad)
            if is_last:
                optimizer(sums)
                for total in sums:
                    ops.assign(total, ops.zeros_like(total))
            return loss


        for epoch in range(3):
            for at, (data, label) in enumerate(train_set.create_tuple_iterator()):
                losses.append(train_step(data, label, at % 2 == 1))
        """,
    ),
    _written(
        "same",
        "target network that is loaded beside a train cell",
        """
        target = nn.SequentialCell(nn.Dense(64, 32), nn.ReLU(), nn.Dense(32, 10))


        class Close(nn.Cell):
            def __init__(self, net, target):
                super().__init__()
                self.net, self.target = net, target

            def construct(self, data, label):
                far = self.net(data) - ops.stop_gradient(self.target(data))
                return loss_fn(self.net(data), label) + (far**2).mean()


        train_step = nn.TrainOneStepCell(Close(net, target), optimizer)
        """,
        _loop("for weight, own in zip(target.trainable_params(), net.trainable_params()):", "    weight.set_data(own)"),
    ),
    _written(
        "same",
        "average of the weights in Python",
        "average = [weight.clone() for weight in net.trainable_params()]\n",
        FORWARD,
        GRADIENT,
        STEP,
        _loop(
            "for mean, weight in zip(average, net.trainable_params()):",
            "    mean.set_data(mean * 0.9 + weight * 0.1)",
        ),
    ),
    _written(
        "same",
        "forward function that gives the logits too",
        """


        def forward(data, label):
            logits = net(data)
            return loss_fn(logits, label), logits


        grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
        hits = 0
        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                (loss, logits), grads = grad_fn(data, label)
                optimizer(grads)
                hits += (logits.argmax(1) == label).asnumpy().sum()
                losses.append(loss)
        """,
    ),
    _written(
        "same",
        "train cell of the project",
        """


        class Step(nn.TrainOneStepCell):
            def construct(self, data, label):
                loss = self.network(data, label)
                sens = ops.ones_like(loss) * self.sens
                grads = self.grad(self.network, self.weights)(data, label, sens)
                grads = ops.clip_by_global_norm(grads, 1.0)
                return ops.depend(loss, self.optimizer(grads))


        train_step = Step(nn.WithLossCell(net, loss_fn), optimizer)
        """,
        LOOP,
    ),
    _written(
        "same",
        "trainer class",
        """


        class Trainer:
            def __init__(self, net, optimizer):
                self.net, self.optimizer = net, optimizer
                self.steps = 0
                self.grad_fn = ms.value_and_grad(self.forward, None, optimizer.parameters)

            def forward(self, data, label):
                return loss_fn(self.net(data), label)

            def step(self, data, label):
                loss, grads = self.grad_fn(data, label)
                self.optimizer(grads)
                self.steps += 1
                return loss


        trainer = Trainer(net, optimizer)
        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                losses.append(trainer.step(data, label))
        """,
    ),
    _written(
        "same",
        "numbers taken from tensors",
        """


        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.dense = nn.Dense(64, 10)
                self.calls = 0

            def construct(self, x):
                self.calls += 1
                assert x.shape[1] == 64
                y = self.dense(x)
                if y.max().item() > 1e6:
                    print("large", y.max())
                return y * (1.0 + 0.01 * int((x > 3).sum()))


        net = Net()
        optimizer = nn.SGD(net.trainable_params(), 0.05)
        """,
        FORWARD,
        GRADIENT,
        STEP,
        LOOP,
        "print(net.calls)\n",
    ),
    _written(
        "same",
        "running mean in a Parameter",
        """


        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.dense = nn.Dense(64, 10)
                self.mean = ms.Parameter(ops.zeros(64), requires_grad=False)

            def construct(self, x):
                self.mean = self.mean * 0.9 + ops.stop_gradient(x.mean(0)) * 0.1
                return self.dense(x - self.mean)


        net = Net()
        optimizer = nn.SGD(net.trainable_params(), 0.05)
        """,
        FORWARD,
        GRADIENT,
        STEP,
        LOOP,
    ),
    _written(
        "same",
        "optimizer of the project",
        """


        class Plain(nn.Optimizer):
            def __init__(self, params, rate):
                super().__init__(rate, params)

            def construct(self, gradients):
                for weight, gradient in zip(self.parameters, gradients):
                    ops.assign(weight, weight - self.get_lr() * gradient)
                return True


        optimizer = Plain(net.trainable_params(), 0.05)
        """,
        FORWARD,
        GRADIENT,
        STEP,
        LOOP,
    ),
    _written(
        "same",
        "gradient function made in the step",
        FORWARD,
        """


        def train_step(data, label):
            grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
            loss, grads = grad_fn(data, label)
            optimizer(grads)
            return loss


        """,
        LOOP,
    ),
    _written(
        "same",
        "gradient function made in the loop",
        FORWARD,
        """
        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
                loss, grads = grad_fn(data, label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
    _written(
        "same",
        "train cell made in the loop of a function",
        """


        def train(net, epochs):
            for epoch in range(epochs):
                for data, label in train_set.create_tuple_iterator():
                    cell = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)
                    losses.append(cell(data, label))


        train(net, 3)
        """,
    ),
    _written(
        "same",
        "evaluation between epochs by hand",
        FORWARD,
        GRADIENT,
        STEP,
        """
        for epoch in range(3):
            net.set_train()
            for data, label in train_set.create_tuple_iterator():
                losses.append(train_step(data, label))
            net.set_train(False)
            for data, label in train_set.create_tuple_iterator():
                print(epoch, (net(data).argmax(1) == label).asnumpy().mean())
        """,
    ),
    _written(
        "same",
        "array that compiled code does not read",
        """
        weights, log = np.ones(2), np.zeros(3)


        def forward(data, label):
            return loss_fn(net(data), label) * float(weights[0])


        """,
        GRADIENT,
        """
        for epoch in range(3):
            log[epoch] = epoch
            for data, label in train_set.create_tuple_iterator():
                loss, grads = grad_fn(data, label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
    _written(
        "same",
        "momentum of a norm",
        """
        norm = nn.BatchNorm1d(10)


        def forward(data, label):
            return loss_fn(net(data), label) * (1.0 + 0.0 * norm(net(data)).mean())


        """,
        GRADIENT,
        """
        for epoch in range(3):
            norm.momentum = 0.5
            for data, label in train_set.create_tuple_iterator():
                loss, grads = grad_fn(data, label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
    _written(
        "same",
        "Parameter that is assigned",
        WEIGHTED,
        GRADIENT,
        """
        for epoch in range(3):
            ops.assign(weight, weight * 0.5)
            for data, label in train_set.create_tuple_iterator():
                loss, grads = grad_fn(data, label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
    _written(
        "same",
        "item of a Parameter",
        """
        weight = ms.Parameter(ms.Tensor([1.0]), requires_grad=False)


        def forward(data, label):
            return loss_fn(net(data), label) * weight[0]


        """,
        GRADIENT,
        """
        for epoch in range(3):
            weight[0] = 0.5**epoch
            for data, label in train_set.create_tuple_iterator():
                loss, grads = grad_fn(data, label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
    _written(
        "same",
        "Parameter that nothing compiled reads",
        """
        best = ms.Parameter(ms.Tensor(1.0), requires_grad=False)


        def forward(data, label):
            return loss_fn(net(data), label) * 1.0


        """,
        GRADIENT,
        """
        for epoch in range(3):
            best.set_data(best * 0.5)
            for data, label in train_set.create_tuple_iterator():
                loss, grads = grad_fn(data, label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
]

BLOCKED = [
    _written("differs", "equal gradients scaled in place", TWINS, FORWARD, GRADIENT, SCALED.format(":", "*"), LOOP),
    _written(
        "slower",
        "gradients clipped in Python",
        FORWARD,
        GRADIENT,
        """


        def train_step(data, label):
            loss, grads = grad_fn(data, label)
            grads = ops.clip_by_global_norm(grads, 1.0)
            optimizer(grads)
            return loss


        """,
        LOOP,
    ),
    _written(
        "differs",
        "training flag of the first epoch",
        NORMED,
        FORWARD,
        GRADIENT,
        STEP,
        "net.set_train()\n",
        _loop("net.set_train(False)", "net(ms.Tensor(samples))"),
    ),
    _written(
        "differs",
        "weights loaded between the steps of a train cell",
        """
        first = {each.name: ms.Parameter(each.asnumpy(), name=each.name) for each in net.trainable_params()}
        train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)
        """,
        _loop("ms.load_param_into_net(net, first)"),
    ),
    _written(
        "differs",
        "weight of a train cell that gets other data",
        "train_step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)\n",
        _loop("weight = optimizer.parameters[0]", "weight.set_data(weight * 0.5)"),
    ),
    _written(
        "differs",
        "weight that is replaced under a name",
        FORWARD,
        GRADIENT,
        STEP,
        _loop("weight = net[0].weight", "weight[...] = weight * 0.5"),
    ),
    _written(
        "differs",
        "weights loaded between steps",
        FORWARD,
        GRADIENT,
        STEP,
        """
        first = {each.name: ms.Parameter(each.asnumpy(), name=each.name) for each in net.trainable_params()}
        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                losses.append(train_step(data, label))
            ms.load_param_into_net(net, first)
        """,
    ),
    _written(
        "fails",
        "keywords of a gradient function",
        FORWARD,
        GRADIENT,
        """
        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                value, grads = grad_fn(data, label=label)
                optimizer(grads)
                losses.append(value)
        """,
    ),
    _written(
        "fails",
        "two networks against each other",
        """
        generator = nn.SequentialCell(nn.Dense(8, 32), nn.ReLU(), nn.Dense(32, 64))
        judge = nn.SequentialCell(nn.Dense(64, 32), nn.LeakyReLU(), nn.Dense(32, 1))
        optimizer_g = nn.SGD(generator.trainable_params(), 0.01)
        optimizer_d = nn.SGD(judge.trainable_params(), 0.01)
        bce = nn.BCEWithLogitsLoss()
        noise = ms.Tensor(np.random.RandomState(2).randn(32, 8).astype(np.float32))


        def forward_g(z):
            fake = generator(z)
            return bce(judge(fake), ops.ones((32, 1), ms.float32)), fake


        def forward_d(real, fake):
            good = bce(judge(real), ops.ones((32, 1), ms.float32))
            return good + bce(judge(fake), ops.zeros((32, 1), ms.float32))


        grad_g = ms.value_and_grad(forward_g, None, optimizer_g.parameters, has_aux=True)
        grad_d = ms.value_and_grad(forward_d, None, optimizer_d.parameters)


        def train_step(real):
            (loss_g, fake), grads = grad_g(noise)
            optimizer_g(grads)
            loss_d, grads = grad_d(real, ops.stop_gradient(fake))
            optimizer_d(grads)
            return loss_g + loss_d


        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                losses.append(train_step(data))
        """,
    ),
    _written(
        "differs",
        "weight of a loss that grows with the epoch",
        """
        epoch = 0


        def forward(data, label):
            logits = net(data)
            return loss_fn(logits, label) + 0.1 * epoch * (logits**2).mean()


        """,
        GRADIENT,
        STEP,
        LOOP,
    ),
    _written(
        "differs",
        "temperature that a callback changes",
        """
        from mindspore.train import Callback


        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.dense = nn.Dense(64, 10)
                self.temperature = 2.0

            def construct(self, x):
                return self.dense(x) / self.temperature


        class Anneal(Callback):
            def on_train_epoch_begin(self, run_context):
                net.temperature = 2.0 / run_context.original_args().cur_epoch_num


        net = Net()
        Model(net, loss_fn, nn.SGD(net.trainable_params(), 0.05)).train(3, train_set, callbacks=[Anneal()])
        """,
    ),
    _written(
        "differs",
        "random choice in the forward function",
        """
        import random

        random.seed(1)


        def forward(data, label):
            if random.random() < 0.5:
                data = data * 0.5
            return loss_fn(net(data), label)


        """,
        GRADIENT,
        STEP,
        LOOP,
    ),
    _written(
        "differs",
        "samples mixed by NumPy",
        """
        np.random.seed(1)


        def forward(data, label):
            share = float(np.random.beta(0.4, 0.4))
            logits = net(share * data + (1 - share) * data[::-1])
            return share * loss_fn(logits, label) + (1 - share) * loss_fn(logits, label[::-1])


        """,
        GRADIENT,
        STEP,
        LOOP,
    ),
    _written(
        "fails",
        "try around a loss",
        """


        def forward(data, label):
            try:
                return loss_fn(net(data), label)
            except ValueError:
                return loss_fn(net(data), label.astype(ms.int32))


        """,
        GRADIENT,
        STEP,
        LOOP,
    ),
    _written(
        "fails",
        "average of the weights in a cell",
        """


        class Average(nn.Cell):
            def __init__(self, net):
                super().__init__()
                self.source = ms.ParameterTuple(net.trainable_params())
                self.mean = self.source.clone("mean")

            def construct(self):
                for mean, weight in zip(self.mean, self.source):
                    mean.set_data(mean * 0.9 + weight * 0.1)


        average = Average(net)
        """,
        FORWARD,
        GRADIENT,
        STEP,
        _loop("average()", depth=2),
    ),
    _written(
        "differs",
        "parts of the loss kept for the log",
        """


        class WithParts(nn.Cell):
            def __init__(self, net):
                super().__init__()
                self.net = net
                self.penalty = None

            def construct(self, data, label):
                logits = self.net(data)
                self.penalty = (logits**2).mean()
                return loss_fn(logits, label) + self.penalty


        cell = WithParts(net)
        train_step = nn.TrainOneStepCell(cell, optimizer)
        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                train_step(data, label)
                losses.append(float(cell.penalty))
        """,
    ),
    _written(
        "differs",
        "learning rate set by hand",
        FORWARD,
        GRADIENT,
        STEP,
        _loop("optimizer.learning_rate.set_data(ms.Tensor(0.05 / (epoch + 2), ms.float32))"),
    ),
    _written(
        "differs",
        "first layer frozen after an epoch",
        FORWARD,
        GRADIENT,
        STEP,
        _loop("for weight in net[0].get_parameters():", "    weight.requires_grad = False"),
    ),
    _written(
        "fails",
        "lambda in the call",
        "grad_fn = ms.value_and_grad(lambda data, label: loss_fn(net(data), label), None, optimizer.parameters)\n",
        STEP,
        LOOP,
    ),
    _written(
        "slower",
        "step number as an argument",
        """


        def forward(data, label, step):
            return loss_fn(net(data), label) * (1 + step)


        """,
        GRADIENT,
        """
        for epoch in range(3):
            for step, (data, label) in enumerate(train_set.create_tuple_iterator()):
                loss, grads = grad_fn(data, label, step)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
    _written(
        "slower",
        "limited number as an argument",
        """


        def forward(data, label, weight):
            return loss_fn(net(data), label) * weight


        """,
        GRADIENT,
        """
        step = 0
        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                loss, grads = grad_fn(data, label, min(1.0, (1 + step) / 50))
                optimizer(grads)
                losses.append(loss)
                step += 1
        """,
    ),
    _written(
        "slower",
        "list of tensors as an argument",
        """


        def forward(parts, label):
            return loss_fn(net(parts[0] * 0.5 + parts[1]), label)


        """,
        GRADIENT,
        """
        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                loss, grads = grad_fn([data, data * 0.5], label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
    _written(
        "slower",
        "list of numbers of the batch",
        """


        def forward(data, parts, label):
            return loss_fn(net(data) * parts[0], label)


        """,
        GRADIENT,
        """
        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                parts = data.asnumpy().mean(axis=0).tolist()
                loss, grads = grad_fn(data, parts, label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
    _written(
        "slower",
        "tuple of tensors handed on to a train cell",
        """


        class Both(nn.Cell):
            def __init__(self, net):
                super().__init__()
                self.net = net

            def construct(self, pair, label):
                return loss_fn(self.net(pair[0]) + self.net(pair[1]), label)


        cell = nn.TrainOneStepCell(Both(net), optimizer)


        def train_step(pair, label):
            return cell(pair, label)


        for epoch in range(3):
            for data, label in train_set.create_tuple_iterator():
                losses.append(train_step((data, data * 2), label))
        """,
    ),
    _written(
        "differs",
        "item of an array",
        WEIGHED_BY_ARRAY,
        GRADIENT,
        """
        for epoch in range(3):
            weights[0] = 0.5**epoch
            for data, label in train_set.create_tuple_iterator():
                loss, grads = grad_fn(data, label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
    _written(
        "differs",
        "array filled anew",
        WEIGHED_BY_ARRAY,
        GRADIENT,
        """
        for epoch in range(3):
            weights.fill(0.5**epoch)
            for data, label in train_set.create_tuple_iterator():
                loss, grads = grad_fn(data, label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
    _written(
        "differs",
        "setting of a loss",
        """
        huber = nn.HuberLoss(delta=1.0)


        def forward(data, label):
            return loss_fn(net(data), label) * huber(net(data[:1] * 100), net(data[:1]))


        """,
        GRADIENT,
        """
        for epoch in range(3):
            huber.delta = 0.5**epoch
            for data, label in train_set.create_tuple_iterator():
                loss, grads = grad_fn(data, label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
    _written(
        "differs",
        "Parameter beside the network",
        WEIGHTED,
        GRADIENT,
        """
        for epoch in range(3):
            weight.set_data(weight * 0.5)
            for data, label in train_set.create_tuple_iterator():
                loss, grads = grad_fn(data, label)
                optimizer(grads)
                losses.append(loss)
        """,
    ),
]
