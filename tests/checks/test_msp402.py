"""MSP402 batch-keeps-remainder: what is reported, with which safety, and what is not."""

from __future__ import annotations

import textwrap

import pytest
from programs import Program, case, fires, join, quiet

CODE = "MSP402"

IMPORTS = """
    import argparse

    import numpy as np
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import nn

    """
GRAPH = "ms.set_context(mode=ms.GRAPH_MODE)\n"
EAGER = "ms.set_context(mode=ms.PYNATIVE_MODE)\n"
NET = """
    net = nn.Dense(64, 16)
    optimizer = nn.Adam(net.trainable_params())
    """
TRAIN = f"""{NET.rstrip()}
    model = ms.Model(net, nn.MSELoss(), optimizer)
    model.train(10, train_set)
    """
HELPER = """
    def batched(rows):
        return rows.batch(32)  # ! {}


    def create(path):
        return batched(ds.MindDataset(path))


    """
NESTED = """
    def create(path):
        def batched():
            return ds.MindDataset(path).batch(32)  # ! {}

        return batched()


    """
SHOWN = """
def show(batches):
    for x, y in batches:
        print(net(x))


show(create("b").create_tuple_iterator())
"""
METHOD = """
    class Loader:
        def __init__(self, path):
            self.rows = self.batched(ds.MindDataset(path))

        def batched(self, rows):
            return rows.batch(32)  # ! {}


    def create(path):
        return Loader(path).rows


    """
STEP = f"""{NET.rstrip()}
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    """
OPTIONS = """
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default={default})
    args = parser.parse_args()
    """
SOURCE = """
    class Source:
        def __getitem__(self, index):
            return np.zeros(64, np.float32), np.zeros(16, np.float32)

        def __len__(self):
            return {rows}


    """
ROWS = """
    def rows(count):
        for _ in range(count):
            yield np.zeros(64, np.float32), np.zeros(16, np.float32)


    """
CONFIG = """
    import yaml

    with open("c.yaml") as file:
        config = yaml.safe_load(file)
    """
ARM = """
    import settings

    train_set = ds.MindDataset("a")
    if TEST:
        train_set = train_set.batch(32)
    else:
        train_set = train_set.batch(32, drop_remainder=True)
    """
UNASKED = """
    def finish(data):
        return data.batch(32)


    def create(path, stage="train", is_fast=False):
        if stage == "linear":
            return finish(ds.MindDataset(path))
        return ds.MindDataset(path).batch(32, drop_remainder=True)


    """


def unasked(*edits: tuple[str, str]) -> str:
    """Return functions with an arm for a value of a parameter; none of the edits leaves them as they are."""
    text = UNASKED
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


REPORTED = ("data.batch(32)", "data.batch(32)  # ! unsafe")
BY_OPTION = """
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", type=int, default={default})
    args = parser.parse_args()
    if args.gpu == 2:
        ms.set_context(mode=ms.GRAPH_MODE, device_target="GPU")
    else:
        ms.set_context(device_target="GPU")
    train_set = ds.MindDataset("a").batch(32){mark}
    """
FIRES = [
    case("an option that sets graph mode by default", IMPORTS, BY_OPTION.format(default=2, mark="  # !"), TRAIN),
    case(
        "an option that sets graph mode, which is the default too",
        IMPORTS,
        BY_OPTION.format(default=0, mark="  # !"),
        f"{TRAIN.rstrip()[:-1]}, dataset_sink_mode=False)\n",
        version=(1, 10),
    ),
    case(
        "an arm that the call asks for",
        IMPORTS,
        GRAPH,
        unasked(REPORTED),
        'train_set = create("a", "linear")\n',
        TRAIN,
    ),
    case(
        "an arm that an option asks for",
        IMPORTS,
        GRAPH,
        OPTIONS.format(default=1),
        unasked(REPORTED, ('stage == "linear"', "args.batch == 2")),
        'train_set = create("a")\n',
        TRAIN,
    ),
    case(
        "an arm that a call with an option asks for",
        IMPORTS,
        GRAPH,
        OPTIONS.format(default=1),
        unasked(REPORTED, ('stage == "linear"', "stage == 2")),
        'train_set = create("a", args.batch)\n',
        TRAIN,
    ),
    case(
        "an arm that an unknown mapping may ask for",
        IMPORTS,
        GRAPH,
        "import settings\n",
        unasked(REPORTED),
        'train_set = create("a", **settings.more)\n',
        TRAIN,
    ),
    case(
        "the arm of a default",
        IMPORTS,
        GRAPH,
        unasked(REPORTED, ('stage == "linear"', 'stage == "train"')),
        'train_set = create("a")\n',
        TRAIN,
    ),
    case(
        "an arm of a default or of an option",
        IMPORTS,
        GRAPH,
        OPTIONS.format(default=1),
        unasked(REPORTED, ('stage == "linear"', 'stage == "linear" or args.batch > 0')),
        'train_set = create("a")\n',
        TRAIN,
    ),
    *(
        case(
            f"an arm of another kind: {test}",
            IMPORTS,
            GRAPH,
            ARM.replace("TEST", test).replace(".batch(32)", ".batch(32)  # ! unsafe"),
            TRAIN,
        )
        for test in (
            "settings.value",
            "settings.interval",
            "settings.values > 3",
            "settings.invalid",
            "settings.mode != 'test'",
            "settings.mode not in ('val', 'test')",
            "settings.mode is not settings.evaluates",
            "not settings.is_valid",
            "settings.wide and not settings.infer",
        )
    ),
    *(
        case(
            f"evaluated: {name}",
            IMPORTS,
            GRAPH,
            f'rows = ds.MindDataset("a")\ntrain_set = rows.batch(32)  # ! {safety}\n',
            TRAIN.replace("train(10, train_set)", train),
            f"{after}\n",
        )
        for name, train, after, safety in (
            ("the training set", "train(10, train_set)", "model.eval(train_set)", "display-only"),
            (
                "the training set, by name",
                "train(10, train_set)",
                "model.eval(valid_dataset=train_set)",
                "display-only",
            ),
            ("the training set, by fit", "fit(10, train_set, train_set)", "", "display-only"),
            ("its batches, repeated", "train(10, train_set.repeat(2))", "model.eval(train_set)", "display-only"),
            ("its rows", "train(10, train_set)", "model.eval(rows.batch(1))", "unsafe"),
            ("another set", "train(10, train_set)", 'model.eval(ds.MindDataset("b").batch(1))', "unsafe"),
            ("another set, by fit", 'fit(10, train_set, ds.MindDataset("b"))', "", "unsafe"),
            ("no set", "fit(10, train_set, None)", "", "unsafe"),
            ("one row", "train(10, train_set)", "model.predict(ms.Tensor(np.zeros((1, 64))))", "unsafe"),
        )
    ),
    *(
        case(
            f"a loop that counts {name}",
            IMPORTS,
            GRAPH,
            f'rows = 320\ntrain_set = ds.MindDataset("a").batch(32)  # ! {safety}\n',
            STEP,
            "seen, losses = 0, []\nfor x, y in train_set.create_tuple_iterator():\n"
            f"    loss = step(x, y)\n    {each}\n{behind}\n",
        )
        for name, each, behind, safety in (
            ("rows", "seen += x.shape[0]", "assert seen == rows", "display-only"),
            ("rows by their length", "seen += len(x)", "assert rows == seen, 'rows'", "display-only"),
            ("batches", "seen += 1", "if seen < 11:\n    raise ValueError(seen)", "display-only"),
            ("losses", "losses.append(loss)", "assert len(losses) == 11", "display-only"),
            ("rows in the loop", "seen += x.shape[0]\n    assert seen <= rows", "", "display-only"),
            ("rows without a check", "seen += x.shape[0]", "print(seen == rows)", "unsafe"),
            ("the loss", "seen += loss.asnumpy()", "assert seen < 100", "unsafe"),
            ("rows for a mean", "seen += x.shape[0]", "print(sum(losses) / seen)", "unsafe"),
            ("batches, beside another check", "seen += 1", "assert rows > 0", "unsafe"),
            ("losses, and checks one", "losses.append(loss)", "assert losses[-1] < 100", "unsafe"),
        )
    ),
    *(
        case(
            f"batches that are counted: {name}",
            IMPORTS,
            GRAPH,
            f"import math\n\nsize = 32\nx = y = np.load('x.npy')\nn = len(x)\n"
            f"train_set = ds.NumpySlicesDataset((x, y)).batch(size)  # ! {safety}\n",
            STEP,
            f"{before}\nfor x, y in train_set.create_tuple_iterator():\n    loss = step(x, y)\n{behind}\n",
        )
        for name, before, behind, safety in (
            ("ceil", "steps = math.ceil(n / size)", "", "display-only"),
            ("ceil of NumPy", "steps = int(np.ceil(len(x) / 32))", "", "display-only"),
            ("negative", "steps = -(-n // size)", "", "display-only"),
            ("rounded up", "steps = (n + size - 1) // size", "", "display-only"),
            ("one more", "steps = n // size + 1", "", "display-only"),
            ("one more for a rest", "steps = n // size + (n % size > 0)", "", "display-only"),
            ("one more for a rest, as a number", "steps = len(x) // 32 + int(n % 32 != 0)", "", "display-only"),
            ("one more for some rest", "steps = n // size + bool(n % size)", "", "display-only"),
            ("one more by a choice", "steps = n // size + (1 if n % size else 0)", "", "display-only"),
            ("another rest", "steps = n // size + n % 7", "", "unsafe"),
            (
                "by a function that runs",
                "def steps():\n    return math.ceil(n / size)\nprint(steps())",
                "",
                "display-only",
            ),
            ("whole batches", "steps = n // size", "", "unsafe"),
            ("by the dataset", "steps = train_set.get_dataset_size()", "", "unsafe"),
            ("of another size", "steps = math.ceil(n / 100)", "", "unsafe"),
            ("of evaluation", "eval_steps = math.ceil(n / size)", "", "unsafe"),
            ("of validation rows", "steps = math.ceil(len(valid_rows) / size)", "", "unsafe"),
            ("half a batch", "half = size // 2 + 1", "", "unsafe"),
            ("a mean", "mean = (n + 5) // size", "", "unsafe"),
            ("something else rounded up", "k = math.ceil(n * 0.1)", "", "unsafe"),
        )
    ),
    *(
        case(
            f"batches that are taken: {name}",
            IMPORTS,
            GRAPH,
            f'train_set = ds.MindDataset("a").batch(32)  # ! {safety}\n',
            STEP,
            body,
        )
        for name, body, safety in (
            (
                "a number",
                "batches = train_set.create_tuple_iterator()\nfor _ in range(11):\n"
                "    x, y = next(batches)\n    step(x, y)\n",
                "display-only",
            ),
            (
                "in a function",
                "def train(count):\n    batches = iter(train_set.create_tuple_iterator())\n"
                "    for i in range(1, count):\n        x, y = next(batches)\n        step(x, y)\n\n\ntrain(12)\n",
                "display-only",
            ),
            (
                "as many as there are",
                "count = train_set.get_dataset_size()\nbatches = train_set.create_tuple_iterator()\n"
                "for _ in range(count):\n    x, y = next(batches)\n    step(x, y)\n",
                "unsafe",
            ),
            (
                "those of some epochs",
                "batches = train_set.create_tuple_iterator()\nfor _ in range(3 * train_set.get_dataset_size()):\n"
                "    x, y = next(batches)\n    step(x, y)\n",
                "unsafe",
            ),
            (
                "begun again",
                "batches = train_set.create_tuple_iterator()\nfor _ in range(99):\n    try:\n"
                "        x, y = next(batches)\n    except StopIteration:\n"
                "        batches = train_set.create_tuple_iterator()\n"
                "        x, y = next(batches)\n    step(x, y)\n",
                "unsafe",
            ),
            (
                "with a default",
                "batches = train_set.create_tuple_iterator()\nfor _ in range(99):\n    pair = next(batches, None)\n"
                "    if pair is None:\n        break\n    step(*pair)\n",
                "unsafe",
            ),
        )
    ),
    *(
        case(
            f"a size that decides something else: {name}",
            IMPORTS,
            GRAPH,
            'size = 32\nlosses = []\nlimit = 100\ntrain_set = ds.MindDataset("a").batch(size)  # ! unsafe\n',
            STEP,
            f"for x, y in train_set.create_tuple_iterator():\n    {each}\n    losses.append(step(x, y))\n",
        )
        for name, each in (
            ("one row", "if x.shape[0] < 2:\n        continue"),
            ("columns", "if x.shape[1] != size:\n        continue"),
            ("losses", "if len(losses) > limit:\n        losses.pop(0)"),
            ("rows of something else", "if len(labels) != size:\n        break"),
            ("nothing: it is shown", "print(x.shape[0], len(x))"),
            ("the last row", "print(x[len(x) - 1])"),
        )
    ),
    *(
        case(
            f"{name} of the batches",
            IMPORTS,
            GRAPH,
            f'train_set = ds.MnistDataset("a").batch(64){stages}  # ! unsafe\n',
            TRAIN,
        )
        for name, stages in (("all", ".take(938)"), ("all, and more", ".take(2000)"), ("the last", ".skip(10)"))
    ),
    case(
        "part of the rows",
        IMPORTS,
        GRAPH,
        "rows = 100\nsize = rows // 3\n",
        'train_set = ds.MindDataset("a").batch(size)  # ! unsafe\n',
        TRAIN,
    ),
    *(
        case(
            f"beside the steps: {name}",
            IMPORTS,
            GRAPH,
            f'train_set = ds.MindDataset("a").batch(32)  # ! {safety}\nother = ds.MindDataset("b").batch(1)\n',
            STEP,
            f"def count(data):\n    return sum(len(x) for x, y in data.create_tuple_iterator())\n\n\n"
            f"def walk(data):\n    for x, y in data.create_tuple_iterator():\n        print(x.shape)\n\n\n"
            f"rows = []\nfor x, y in train_set.create_tuple_iterator():\n    loss = step(x, y)\n    {each}\n{behind}\n",
        )
        for name, each, behind, safety in (
            ("another loop", "", "for x, y in train_set.create_tuple_iterator():\n    print(net(x))", "display-only"),
            (
                "rows by name",
                "",
                "for i, row in enumerate(train_set.create_dict_iterator()):\n    print(row)",
                "display-only",
            ),
            ("a function that goes through it", "", "walk(train_set)", "display-only"),
            ("outputs joined", "rows.append(net(x).asnumpy())", "print(np.concatenate(rows))", "display-only"),
            ("outputs joined in the end", "rows.append(net(x))", "print(ms.ops.cat(rows, axis=0))", "display-only"),
            ("rows of outputs", "rows.extend(net(x).asnumpy())", "print(np.array(rows) == labels)", "display-only"),
            ("rows of outputs, in a list", "rows.extend(y.tolist())", "print(np.asarray(rows))", "display-only"),
            ("rows that are counted", "rows.extend(y.tolist())", "print(len(rows))", "unsafe"),
            ("losses as an array", "rows.append(loss)", "print(np.array(rows))", "unsafe"),
            ("a function that goes through another one", "", "walk(other)", "unsafe"),
            ("a function that nothing calls", "", "print(walk)", "unsafe"),
            ("a second training", "", "for x, y in train_set.create_tuple_iterator():\n    step(x, y)", "unsafe"),
            ("one batch", "", "print(next(train_set.create_tuple_iterator()))", "unsafe"),
            ("losses", "rows.append(loss)", "print(np.mean(rows), ms.ops.stack(rows))", "unsafe"),
            ("other lists joined", "rows.append(loss)", "print(np.concatenate([rows, rows]))", "unsafe"),
        )
    ),
    case("nothing said", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").batch(32)  # ! unsafe\n', TRAIN),
    *(
        case(f"two sources: {rows}", IMPORTS, GRAPH, f"train_set = {rows}.batch(32)  # ! unsafe\n", TRAIN)
        for rows in (
            'ds.zip((ds.MindDataset("a"), ds.MindDataset("b")))',
            'ds.zip((ds.MindDataset("a"), ds.MindDataset("b"))).shuffle(100)',
            'ds.MindDataset("a").zip(ds.MindDataset("b"))',
        )
    ),
    case(
        "false", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").batch(32, drop_remainder=False)  # ! unsafe\n', TRAIN
    ),
    case("false by position", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").batch(32, False)  # ! unsafe\n', TRAIN),
    case(
        "stages after it",
        IMPORTS,
        GRAPH,
        """
        train_set = ds.TFRecordDataset(["a"]).shuffle(100)
        train_set = train_set.batch(32, num_parallel_workers=4)  # ! unsafe
        train_set = train_set.map(lambda x: x, input_columns=["x"]).repeat(2)
        """,
        TRAIN,
    ),
    case(
        "made in a function",
        IMPORTS,
        GRAPH,
        """
        def create(path, size):
            data = ds.MindDataset(path)
            data = data.batch(size)  # ! unsafe
            return data


        train_set = create("a", 32)
        """,
        TRAIN,
    ),
    case(
        "a function that serves evaluation too",
        IMPORTS,
        GRAPH,
        """
        def create(path):
            return ds.MindDataset(path).batch(32)  # ! display-only


        train_set = create("a")
        """,
        TRAIN,
        'model.eval(create("b"))\n',
    ),
    *(
        case(f"rows of a helper of {name}", IMPORTS, GRAPH, made, 'train_set = create("a")\n', TRAIN, f"{after}\n")
        for name, made, after in (
            ("a function that serves evaluation too", HELPER.format("display-only"), SHOWN),
            ("a method that serves evaluation too", METHOD.format("display-only"), SHOWN),
            ("a nested function", NESTED.format("display-only"), SHOWN),
            ("one function", HELPER.format("unsafe"), 'model.eval(ds.MindDataset("b"))'),
            ("one method", METHOD.format("unsafe"), 'model.eval(ds.MindDataset("b"))'),
            ("one function around a function", NESTED.format("unsafe"), ""),
        )
    ),
    case(
        "rows of a helper of a training that is called twice",
        IMPORTS,
        GRAPH,
        HELPER.format("unsafe"),
        """
        def fit(path):
            net = nn.Dense(64, 16)
            model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
            model.train(10, create(path))


        fit("a")
        fit("b")
        """,
    ),
    case(
        "a hand-written loop",
        IMPORTS,
        GRAPH,
        'train_set = ds.MindDataset("a").batch(32)  # ! unsafe\n',
        STEP,
        """
        for epoch in range(3):
            for i, (x, y) in enumerate(train_set.create_tuple_iterator()):
                step(x, y)
        """,
    ),
    case(
        "an iterator with a name, and a function for an epoch",
        IMPORTS,
        GRAPH,
        'train_set = ds.MindDataset("a").batch(32)  # ! unsafe\n',
        STEP,
        """
        def epoch(step, loader):
            for batch in loader:
                step(batch["x"], batch["y"])


        loader = train_set.create_dict_iterator()
        for _ in range(3):
            epoch(step, loader)
        """,
    ),
    case(
        "an option",
        IMPORTS,
        OPTIONS.format(default=32),
        GRAPH,
        'train_set = ds.MindDataset("a").batch(args.batch)  # ! unsafe\n',
        TRAIN,
    ),
    case("rows that do not divide", IMPORTS, GRAPH, 'train_set = ds.MnistDataset("a").batch(64)  # ! unsafe\n', TRAIN),
    *(
        case(
            f"MNIST, of which each device gets a part: {number}",
            IMPORTS,
            GRAPH,
            "from mindspore.communication import get_group_size\n",
            f'train_set = ds.MnistDataset("a", num_shards={number}, shard_id=0).batch(32)  # ! unsafe\n',
            TRAIN,
        )
        for number in ("8", "get_group_size()")
    ),
    case(
        "rows of a source that do not divide",
        IMPORTS,
        SOURCE.format(rows=100),
        GRAPH,
        'train_set = ds.GeneratorDataset(Source(), ["x", "y"]).batch(32)  # ! unsafe\n',
        TRAIN,
    ),
    case("on a CPU", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").batch(32)  # ! unsafe\n', TRAIN, device="CPU"),
    case(
        "a compiled step",
        IMPORTS,
        EAGER,
        'train_set = ds.MindDataset("a").batch(32)  # ! unsafe\n',
        NET,
        """
        grad = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, optimizer.parameters)


        @ms.jit
        def step(x, y):
            loss, grads = grad(x, y)
            optimizer(grads)
            return loss


        for x, y in train_set:
            step(x, y)
        """,
    ),
    *(
        case(
            f"rows of a generator itself, {name}",
            IMPORTS,
            GRAPH,
            f"""
            def rows():
                for i in range({count}):
                    {line}yield np.zeros(64, np.float32), np.zeros(16, np.float32)


            train_set = ds.GeneratorDataset(rows, ["x", "y"]).batch(16)  # ! unsafe
            """,
            TRAIN,
        )
        for name, count, line in (
            ("some left", "50", ""),
            ("not in each pass", "1600", "if i % 3: "),
            ("until a break", "1600", "if i > 50: break\n                    "),
            ("of a file", "len(open('a').read())", ""),
        )
    ),
    case(
        "rows of a generator that is called twice, some left",
        IMPORTS,
        ROWS,
        GRAPH,
        """
        test_rows = list(rows(1600))
        train_set = ds.GeneratorDataset(list(rows(50)), ["x", "y"]).batch(16)  # ! unsafe
        """,
        TRAIN,
    ),
    *(
        case(
            f"arrays, some rows left: {rows}",
            IMPORTS,
            GRAPH,
            "x = np.ones((50, 8), np.float32)\n",
            f"train_set = {rows}.batch(32)  # ! unsafe\n",
            TRAIN,
        )
        for rows in (
            "ds.NumpySlicesDataset((x, x))",
            'ds.NumpySlicesDataset({"x": x, "y": x})',
            'ds.NumpySlicesDataset(dict(np.load("train.npz")))',
            "ds.NumpySlicesDataset((x[:32], x[:32]))",
        )
    ),
]
ARMS = """
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="graph")
    parser.add_argument("--eager", action="store_true")
    args = parser.parse_args()
    ms.set_context(mode=ms.PYNATIVE_MODE if args.eager or args.mode != "graph" else ms.GRAPH_MODE)
    net = nn.Dense(64, 16)
    optimizer = nn.Adam(net.trainable_params())
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)


    class Trainer:
        def __init__(self, size):
            self.rows = {rows}

        def train(self):
            for x, y in self.rows.create_tuple_iterator():
                step(x, y)


    class Compiled:
        def train(self):
            for x, y in ds.MindDataset("a").batch(32, True).create_tuple_iterator():
                step(x, y)


    {test}:
        trainer = Trainer(32)
    else:
        trainer = Compiled()
    trainer.train()
    """
FIRES += [
    case(f"an arm of {test}", IMPORTS, ARMS.format(test=test, rows='ds.MindDataset("a").batch(size)  # ! unsafe'))
    for test in ("if not args.eager", 'if args.mode == "graph"')
]

COMMAND = """
    import click


    @click.command()
    {option}
    def main({name}):
        if {name}:
            ms.set_context(mode=ms.{first})
        else:
            ms.set_context(mode=ms.{second})
        train_set = ds.MindDataset("a").batch(32){mark}
        net = nn.Dense(64, 16)
        model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
        model.train(3, train_set)


    if __name__ == "__main__":
        main({given})
    """
OFF = ('@click.option("--eager", is_flag=True)', '@click.option("--eager/--no-eager", default=False)')
ON = ('@click.option("--eager", default=True)', '@click.option("--eager/--no-eager", default=True)')


def command(option: str, given: str = "", mark: str = "", by: str = "eager") -> object:
    """Return a program whose mode an option of click chooses."""
    modes = ("PYNATIVE_MODE", "GRAPH_MODE") if by == "eager" else ("GRAPH_MODE", "PYNATIVE_MODE")
    text = join(COMMAND).format(option=option, name=by, first=modes[0], second=modes[1], given=given, mark=mark)
    return case(f"{by} by click: {option} {given}", IMPORTS, text)


FIRES += [command(option, mark="  # ! unsafe") for option in OFF]
FIRES += [command(OFF[0], given, "  # ! unsafe") for given in ("standalone_mode=False", "[]", "obj={}")]
FIRES.append(command('@click.option("--graph/--eager", default=True)', "", "  # ! unsafe", "graph"))
QUIET_COMMANDS = [command(option) for option in ON]
QUIET_COMMANDS += [
    command('@click.option("--eager", required=True, type=bool)'),
    command('@click.option("--graph", is_flag=True)', by="graph"),
    command('@click.argument("eager")'),
    command('@click.option("--eager", type=bool, prompt=True)'),
    command('@click.option("--eager", default=settings.EAGER)'),
    command("@settings.options"),
    command('@click.option("--graph/--eager", default=False)', "[]", by="graph"),
]

DIGITS = 'rows = ds.MnistDataset("a")\n'
FIRES += [
    case(
        "a part",
        IMPORTS,
        GRAPH,
        DIGITS,
        f"train_set, val_set = rows.split([0.8, 0.2])\ntrain_set = train_set.batch({size})  # ! unsafe\n",
        TRAIN,
    )
    for size in (7, 1024)
]
FIRES += [
    case(
        "split behind",
        IMPORTS,
        GRAPH,
        "train_set = ds.MindDataset('a').batch(32).split([0.8, 0.2])[0]  # ! unsafe\n",
        TRAIN,
    ),
    case(
        "parts that are evaluated, too",
        IMPORTS,
        GRAPH,
        "train_set, val_set = ds.MindDataset('a').batch(32).split([0.8, 0.2])  # ! display-only\n",
        TRAIN,
        "model.eval(val_set)\n",
    ),
]

QUIET = [
    *QUIET_COMMANDS,
    case("an option that sets graph mode on request alone", IMPORTS, BY_OPTION.format(default=0, mark=""), TRAIN),
    *(
        case(f"a part of {sizes}", IMPORTS, GRAPH, DIGITS, f"train_set = rows.split({sizes})[0].batch(64)\n", TRAIN)
        for sizes in ("[0.8, 0.2]", "[0.8, 0.1, 0.1]", "[51200, 8800]", "sizes=[0.8, 0.2]")
    ),
    case(
        "the other part",
        IMPORTS,
        GRAPH,
        "train_set, val_set = ds.MindDataset('a').split([0.8, 0.2])\nval_set = val_set.batch(32)\n",
        "train_set = train_set.batch(32, True)\n",
        TRAIN,
        "model.eval(val_set)\n",
    ),
    *(
        case(
            f"what only PyNative mode runs: {test}",
            IMPORTS,
            ARMS.format(test=test, rows='ds.MindDataset("a").batch(size)'),
        )
        for test in ("if args.eager", 'if args.mode == "pynative"', 'if args.mode != "graph"')
    ),
    case("dropped", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").batch(32, drop_remainder=True)\n', TRAIN),
    case(
        "it is not known whether epochs are sunk",
        IMPORTS,
        GRAPH,
        'import sys\n\ntrain_set = ds.MindDataset("a").batch(32)\n',
        TRAIN.replace("train(10, train_set)", "train(10, train_set, dataset_sink_mode=sink(sys.argv))"),
    ),
    case(
        "two sources, dropped",
        IMPORTS,
        GRAPH,
        'train_set = ds.zip((ds.MindDataset("a"), ds.MindDataset("b"))).batch(32, True)\n',
        TRAIN,
    ),
    case("dropped by position", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").batch(32, True)\n', TRAIN),
    case(
        "dropped where it trains",
        IMPORTS,
        GRAPH,
        """
        def create(path, training):
            return ds.MindDataset(path).batch(32, drop_remainder=training)


        train_set = create("a", True)
        """,
        TRAIN,
        'model.eval(create("b", False))\n',
    ),
    case(
        "kept in the arm for evaluation",
        IMPORTS,
        GRAPH,
        """
        def create(path, training):
            data = ds.MindDataset(path)
            if training:
                data = data.batch(32, drop_remainder=True)
            else:
                data = data.batch(100)
            return data


        train_set = create("a", True)
        """,
        TRAIN,
        'model.eval(create("b", False))\n',
    ),
    *(
        case(f"an arm for a value that no caller passes: {name}", IMPORTS, GRAPH, unasked(*edits), call, TRAIN)
        for name, edits, call in (
            ("a default", (), 'train_set = create("a")\n'),
            ("a default of two parameters", (('"linear"', '"linear" and is_fast'),), 'train_set = create("a")\n'),
            ("a flag", (('stage == "linear"', "is_fast"),), 'train_set = create("a", "train")\n'),
            (
                "a name for it",
                (("    if stage", '    is_linear = stage == "linear"\n        if is_linear or stage'),),
                'train_set = create("a")\n',
            ),
        )
    ),
    *(
        case(
            f"an arm for evaluation, of which nothing is known: {test}",
            IMPORTS,
            GRAPH,
            ARM.replace("TEST", test),
            TRAIN,
        )
        for test in (
            "settings.cfg.eval",
            "settings.cfg.do_validate",
            "settings.mode == 'validation'",
            "settings.mode == 'val'",
            "settings.is_valid",
            "settings.cfg.val_only",
            "settings.mode != 'train'",
            "settings.mode not in ('train', 'pretrain')",
            "settings.mode is not settings.trains",
            "not settings.is_training",
            "not (settings.mode == 'train')",
            "settings.wide and settings.mode != 'train'",
            "settings.mode == 'test' and not settings.wide",
        )
    ),
    case("evaluation", IMPORTS, GRAPH, 'eval_set = ds.MindDataset("a").batch(32)\n', "train_set = load()\n", TRAIN),
    case("nothing trains", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").batch(32)\n'),
    case("eager", IMPORTS, EAGER, 'train_set = ds.MindDataset("a").batch(32)\n', TRAIN),
    case(
        "a mode that is not known",
        IMPORTS,
        "ms.set_context(mode=int(input()))\n",
        'train_set = ds.MindDataset("a").batch(32)\n',
        TRAIN,
    ),
    case(
        "whole epochs on the device",
        IMPORTS,
        GRAPH,
        'train_set = ds.MindDataset("a").batch(32)\n',
        TRAIN.replace("train_set)", "train_set, dataset_sink_mode=True)"),
    ),
    case("one row", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").batch(1)\n', TRAIN),
    case(
        "one row by an option",
        IMPORTS,
        OPTIONS.format(default=1),
        GRAPH,
        'train_set = ds.MindDataset("a").batch(args.batch)\n',
        TRAIN,
    ),
    case(
        "one row by a config",
        {
            "train.py": join(IMPORTS, CONFIG, GRAPH, 'train_set = ds.MindDataset("a").batch(config["size"])\n', TRAIN),
            "c.yaml": "size: 1\n",
        },
    ),
    case("MNIST", IMPORTS, GRAPH, 'train_set = ds.MnistDataset("a").batch(32)\n', TRAIN),
    *(
        case(f"MNIST, {name}", IMPORTS, GRAPH, shards, f'train_set = ds.MnistDataset("a", {given}).batch(32)\n', TRAIN)
        for name, shards, given in (
            ("on one device by default", 'import os\nnumber = int(os.getenv("RANK_SIZE", "1"))\n', "num_shards=number"),
            ("on one device", "", "num_shards=None, shard_id=None"),
            ("with samples for each device", "import count\n", "num_samples=640, num_shards=count.devices()"),
        )
    ),
    case("CIFAR", IMPORTS, GRAPH, 'train_set = ds.Cifar10Dataset("a").shuffle(10).batch(100)\n', TRAIN),
    case(
        "so many samples", IMPORTS, GRAPH, 'train_set = ds.ImageFolderDataset("a", num_samples=64).batch(32)\n', TRAIN
    ),
    *(
        case(
            f"the last batch is not read: {stages}",
            IMPORTS,
            GRAPH,
            f'train_set = ds.MnistDataset("a").batch(64){stages}\n',
            TRAIN,
        )
        for stages in (".take(100)", ".take(937)", ".take(count=20)", ".shuffle(9).take(50)", ".take(100).repeat(3)")
    ),
    *(
        case(
            f"all rows: {size}",
            IMPORTS,
            GRAPH,
            f"rows = np.load('x.npy')\ncount = {size}\n",
            f'train_set = ds.NumpySlicesDataset(rows, ["x"]).batch({given})\n',
            TRAIN,
        )
        for size in ("rows.shape[0]", "len(rows)", "np.shape(rows)[0]")
        for given in ("count", size)
    ),
    *(
        case(
            f"a smaller batch that the loop sees to: {name}",
            IMPORTS,
            GRAPH,
            'size = 32\nother = load()\ntrain_set = ds.MindDataset("a").batch(size)\n',
            STEP,
            "for batch in train_set.create_tuple_iterator(output_numpy=True):\n"
            + textwrap.indent(f"x, y = batch\n{each}\n", "    "),
        )
        for name, each in (
            ("left out", "if x.shape[0] != size:\n    continue\nstep(x, y)"),
            ("the end", "if len(x) < size:\n    break\nstep(x, y)"),
            ("only whole ones", "if x.shape[0] == 32:\n    step(x, y)"),
            ("the number has a name", "count = x.shape[0]\nif count < size:\n    continue\nstep(x, y)"),
            ("of the whole batch", "if size > len(batch[0]):\n    continue\nstep(x, y)"),
            ("a size that is not known", "if len(x) != other.size:\n    continue\nstep(x, y)"),
            ("filled up", "x = np.pad(x, ((0, size - len(x)), (0, 0)))\nstep(x, y)"),
            ("rows that are missing", "rest = size - y.shape[0]\nif rest:\n    x, y = fill(x, y, rest)\nstep(x, y)"),
        )
    ),
    case(
        "inputs that may have any number of rows",
        IMPORTS,
        GRAPH,
        'train_set = ds.MindDataset("a").batch(32)\n',
        STEP,
        "step.set_inputs(*(ms.Tensor(shape=[None, each], dtype=ms.float32) for each in (64, 16)))\n"
        "for x, y in train_set.create_tuple_iterator():\n    step(x, y)\n",
    ),
    case("what is taken", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").take(64).batch(32)\n', TRAIN),
    case("repeated", IMPORTS, GRAPH, 'train_set = ds.MnistDataset("a").repeat(2).batch(64)\n', TRAIN),
    case("repeated for ever", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").repeat().batch(32)\n', TRAIN),
    case(
        "rows of a source",
        IMPORTS,
        SOURCE.format(rows=64),
        GRAPH,
        'train_set = ds.GeneratorDataset(Source(), ["x", "y"]).batch(32)\n',
        TRAIN,
    ),
    *(
        case(
            f"rows of a generator itself: {count}",
            IMPORTS,
            GRAPH,
            f"""
            COUNT = 800


            def rows():
                for i in range({count}):
                    yield np.zeros(64, np.float32), np.zeros(16, np.float32)


            train_set = ds.GeneratorDataset({source}, ["x", "y"]).batch(16)
            """,
            TRAIN,
        )
        for count, source in (
            ("1600", "rows"),
            ("COUNT", "rows"),
            ("2 * COUNT", "rows"),
            ("10", "rows"),
            ("COUNT // 100", "rows"),
        )
    ),
    case(
        "rows of a generator",
        IMPORTS,
        ROWS,
        GRAPH,
        'train_set = ds.GeneratorDataset(list(rows(1600)), ["x", "y"]).batch(16)\n',
        TRAIN,
    ),
    case(
        "rows of a generator that is called twice",
        IMPORTS,
        ROWS,
        GRAPH,
        """
        test_rows = list(rows(50))


        def make(count, size):
            return ds.GeneratorDataset(list(rows(count)), ["x", "y"]).batch(size)


        train_set = make(1600, 16)
        """,
        TRAIN,
    ),
    *(
        case(
            f"rows of arrays: {rows}",
            IMPORTS,
            f"""
            class Source:
                def __init__(self, count=64):
                    self.data = {rows}

                def __getitem__(self, index):
                    return self.data[index], self.data[index]

                def __len__(self):
                    return len(self.data)


            """,
            GRAPH,
            'train_set = ds.GeneratorDataset(Source(), ["x", "y"]).batch(32)\n',
            TRAIN,
        )
        for rows in (
            "np.random.randn(5, 5).astype(np.float32)",  # of less than one batch: drop_remainder would leave none
            "np.zeros((96, 3))",
            "np.random.uniform(-1, 1, size=(count, 2)).astype(np.float32)",
            "np.ones(shape=[64, 2]).copy()",
            "[np.ones(3), np.ones(3)]",
            "np.array([[1.0], [2.0]])",
        )
    ),
    *(
        case(
            f"arrays: {rows}",
            IMPORTS,
            GRAPH,
            "x = np.ones((64, 8), np.float32)\n",
            f"train_set = {rows}.batch(32)\n",
            TRAIN,
        )
        for rows in (
            "ds.NumpySlicesDataset((x, x))",
            'ds.NumpySlicesDataset({"x": x, "y": x}, shuffle=True)',
            'ds.NumpySlicesDataset(data=(np.random.rand(10, 8), x), column_names=["x", "y"])',
        )
    ),
    case("batched again", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").batch(8, True).batch(4)\n', TRAIN),
    case(
        "all rows",
        IMPORTS,
        GRAPH,
        'data = ds.MindDataset("a")\ntrain_set = data.batch(data.get_dataset_size())\n',
        TRAIN,
    ),
    case(
        "a size that a function chooses",
        IMPORTS,
        GRAPH,
        'train_set = ds.MindDataset("a").batch(lambda i: 2 + i)\n',
        TRAIN,
    ),
    case("of another thing", IMPORTS, GRAPH, 'import loader\ntrain_set = loader.Loader("a").batch(32)\n', TRAIN),
    case(
        "a value that is not known", IMPORTS, GRAPH, 'train_set = ds.MindDataset("a").batch(32, bool(input()))\n', TRAIN
    ),
]


@pytest.mark.parametrize("program", FIRES)
def test_reported(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)


DATA = """
    import mindspore.dataset as ds


    def create(path, is_train=True):
        return ds.MindDataset(path).batch(32)  # ! {safety}


    def create_all(path):
        return create(path)


    class Data:
        def create_set(self):
            return create_all("a")
    """
TRAINER = f"{GRAPH}from data import create_all\n\n\ntrain_set = create_all('a')\n"
EVALUATES = "model = ms.Model(nn.Dense(64, 16), nn.MSELoss(), metrics={{'loss'}})\nmodel.eval({data})\n"


def beside(script: str, safety: str) -> Program:
    """Return a training with another script beside it that takes the same module of data."""
    files = {"train.py": join(IMPORTS, TRAINER, TRAIN), "data.py": join(DATA.format(safety=safety))}
    return Program({**files, "other.py": join(IMPORTS, "import data\nfrom data import *\n\n\n", script)})


@pytest.mark.parametrize(
    "data", ["create('b', False)", "data.create('b')", "create_all('b')", "data.Data().create_set()"]
)
def test_a_script_for_evaluation_needs_all_rows(data: str) -> None:
    fires(CODE, beside(EVALUATES.format(data=data), "display-only"))


@pytest.mark.parametrize(
    "script",
    [
        EVALUATES.format(data="ds.MindDataset('b').batch(32)"),
        "print(data.create)\n",
        "model = ms.Model(nn.Dense(64, 16), nn.MSELoss())\nmodel.train(3, create('b'), dataset_sink_mode=True)\n",
        "step = nn.TrainOneStepCell(nn.Dense(64, 16), None)\nfor x in create('b'):\n    step(x['x'])\n",
    ],
)
def test_scripts_that_make_no_other_dataset_leave_the_fix(script: str) -> None:
    fires(CODE, beside(script, "unsafe"))


@pytest.mark.parametrize(("script", "safety"), [("main()", "unsafe"), ("main('eval')", "display-only")])
def test_a_script_that_starts_the_training_of_another_file_leaves_the_fix(script: str, safety: str) -> None:
    trains = f"train_set = ds.MindDataset('a').batch(32)  # ! {safety}\n"
    main = join(GRAPH, trains, TRAIN)
    body = "".join(f"    {line}\n" for line in main.splitlines())
    files = {
        "lib.py": join(IMPORTS, f"def main(what='train'):\n{body}"),
        "train.py": f"from lib import main\n\n{script}\n",
    }
    fires(CODE, Program(files))


ORDERED = "ds.GeneratorDataset(list(rows(n)), ['x', 'y'], shuffle=False)"


@pytest.mark.parametrize(
    ("made", "is_told"),
    [
        (f"{ORDERED}.batch(32)", True),
        (f"{ORDERED}.map(lambda x: x, 'x').batch(32)", True),
        ("ds.MindDataset('a', shuffle=False).batch(32)", True),
        ("ds.NumpySlicesDataset(x, shuffle=False).batch(32)", True),
        (f"{ORDERED}.shuffle(100).batch(32)", False),
        ("ds.MindDataset('a').batch(32)", False),
        ("ds.MindDataset('a', shuffle=True).batch(32)", False),
        ("ds.GeneratorDataset(list(rows(n)), ['x', 'y'], shuffle=args.shuffle).batch(32)", False),
        ("ds.GeneratorDataset(list(rows(n)), ['x', 'y'], sampler=ds.RandomSampler()).batch(32)", False),
    ],
)
def test_rows_that_are_never_trained_on_are_told(made: str, is_told: bool) -> None:
    program = Program({"train.py": join(IMPORTS, ROWS, GRAPH, f"train_set = {made}\n", TRAIN)})
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None and finding.fix.reason is not None
    assert finding.fix.reason.startswith("nothing shuffles the rows") is is_told


@pytest.mark.parametrize(
    "rows, says",
    [
        ('ds.MnistDataset("a").batch(64)', "the last batch has fewer rows"),
        ('ds.MindDataset("a").take(70).batch(32)', "the last batch has fewer rows"),
        ('ds.MindDataset("a").batch(32)', "the last batch may have fewer rows"),
        ('ds.NumpySlicesDataset(dict(np.load("a.npz"))).shuffle(8).batch(32)', "the last batch may have fewer rows"),
    ],
)
def test_the_message_says_whether_the_number_of_rows_is_known(rows: str, says: str) -> None:
    text = join(IMPORTS, GRAPH, f"train_set = {rows}\n", TRAIN)
    (finding,) = Program({"train.py": text}, device="Ascend").lint(CODE).findings
    assert finding.message.startswith(f"{says}: ")
