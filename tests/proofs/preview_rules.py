"""MSP108, 109, 401, 402, 510: what a CPU shows of them. Each program counts or measures its cost.

A compilation in graph mode begins with one file `*_bootstrap_*.ir` where graphs are saved (2.10): that counts them.
"""

from __future__ import annotations

from proofs.proof import NET, PARTS, SAMPLES, START, Form, form

SAVED = 'ms.set_context(mode=ms.GRAPH_MODE, save_graphs=1, save_graphs_path="graphs")\n'
COUNTED = """
    from pathlib import Path

    cost = len(list(Path("graphs").rglob("*bootstrap*.ir")))
    """
TENSORS = f"""{SAMPLES.rstrip()}
    batches = [(ms.Tensor(samples[at : at + 16]), ms.Tensor(labels[at : at + 16])) for at in range(0, 128, 16)]
    """
STEP = """
    def forward(data, label):
        return loss(net(data), label)

    """
ANEW = """
    for data, label in batches:
        grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
        value, grads = grad_fn(data, label)
        optimizer(grads)
    """
TRAINER = """
    class Trainer:
        def __init__(self, net, optimizer):
            self.net = net
            self.optimizer = optimizer

        def forward(self, data, label):
            return loss(self.net(data), label)

        def step(self, data, label):
            self.grad = ms.value_and_grad(self.forward, None, self.optimizer.parameters)
            value, grads = self.grad(data, label)
            self.optimizer(grads)

    trainer = Trainer(net, optimizer)
    for data, label in batches:
        trainer.step(data, label)
    """
SCALED = """
    def forward(data, label, scale):
        return loss(net(data), label) * scale

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
    for epoch in range(20):
        value, grads = grad_fn(*batches[0], epoch)
        optimizer(grads)
    """
SOURCE = """
    import os
    import time

    class Rows:
        def __init__(self, folder):
            self.names = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]

        def __len__(self):
            return len(self.names)

        def __getitem__(self, index):
            time.sleep(0.02)  # a disk that is far away
            return np.load(self.names[index]), labels[index]

    os.makedirs("rows")
    for index, sample in enumerate(samples):
        np.save(f"rows/{index:03}.npy", sample)
    """

FORMS: list[Form] = [
    form(
        "MSP108",
        "gradient function made in each step",
        *(START, SAVED, TENSORS, NET, PARTS, STEP, ANEW, COUNTED),
        changes="""
            +grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
            -    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
            """,
        safety="unsafe",
        since="2.10",
        gain=4,  # eight steps and an optimizer against one and an optimizer
    ),
    form(
        "MSP108",
        "gradient function that a trainer sets in each step",
        *(START, SAVED, TENSORS, NET, PARTS, TRAINER, COUNTED),
        changes="""
            +        self.grad = ms.value_and_grad(self.forward, None, self.optimizer.parameters)
            -        self.grad = ms.value_and_grad(self.forward, None, self.optimizer.parameters)
            """,
        safety="unsafe",
        since="2.10",
        gain=4,
    ),
    form(
        "MSP109",
        "number that counts epochs",
        *(START, SAVED, TENSORS, NET, PARTS, SCALED, COUNTED),
        changes="""
            -    value, grads = grad_fn(*batches[0], epoch)
            +    value, grads = grad_fn(*batches[0], ops.Tensor(epoch, ms.int32))
            """,
        safety="display-only",
        since="2.10",
        gain=8,
    ),
    form(
        "MSP401",
        "source that reads a file for each row",
        *(START, "ms.set_context(mode=ms.GRAPH_MODE)\n", SAMPLES, SOURCE, NET, PARTS),
        """
        source = Rows("rows")
        train_set = ds.GeneratorDataset(source, ["data", "label"], shuffle=False, python_multiprocessing=False)
        train_set = train_set.batch(32)
        model = Model(net, loss, optimizer)
        start = time.time()
        model.train(1, train_set)
        cost = time.time() - start
        """,
        changes="""
            -train_set = ds.GeneratorDataset(source, ["data", "label"], shuffle=False, python_multiprocessing=False)
            +train_set = ds.GeneratorDataset(source, ["data", "label"], shuffle=False, python_multiprocessing=False,
            +                                num_parallel_workers=ds.config.get_num_parallel_workers())
            """,
        safety="unsafe",
        since="2.10",
        gain=1.2,
    ),
    form(
        "MSP402",
        "batches with a remainder",
        *(START, SAVED, SAMPLES, NET, PARTS),
        """
        data = ds.NumpySlicesDataset({"data": samples, "label": labels}, shuffle=False)
        train_set = data.batch(48)
        model = Model(net, loss, optimizer)
        model.train(2, train_set, dataset_sink_mode=False)
        """,
        COUNTED,
        changes="-train_set = data.batch(48)\n+train_set = data.batch(48, drop_remainder=True)\n",
        safety="unsafe",
        since="2.10",
        gain=2,  # one for each shape
    ),
    form(
        "MSP510",
        "graphs on disk",
        *(START, 'ms.set_context(mode=ms.GRAPH_MODE, save_graphs=1, save_graphs_path="dumped")\n', SAMPLES, NET, PARTS),
        """
        train_set = ds.NumpySlicesDataset({"data": samples, "label": labels}, shuffle=False).batch(32)
        model = Model(net, loss, optimizer)
        model.train(1, train_set)
        """,
        """
        from pathlib import Path

        cost = len(list(Path().rglob("*.ir")))
        """,
        changes="""
            -ms.set_context(mode=ms.GRAPH_MODE, save_graphs=1, save_graphs_path="dumped")
            +ms.set_context(mode=ms.GRAPH_MODE)
            """,
        safety="safe",
        since="2.10",
        gain=20,
    ),
]
