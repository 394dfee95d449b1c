"""MSP106 host-sync-each-step: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, join, quiet

from ms_perflint.edits.expressions import apply

CODE = "MSP106"

START = """
    import argparse
    import logging

    import numpy as np
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import nn

    train_set = ds.MindDataset("a").batch(32, True)
    net = nn.Dense(64, 16)
    optimizer = nn.Adam(net.trainable_params())
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    losses, total, best = [], 0, 1.0
    """

# Flags of the first process
FIRST = ("args.is_main", "is_main_process()", "comm.is_master()", "args.main_device", "args.run.is_main_process")


def each(
    name: str, *lines: str, take: str = "loss = step(x, y)", before: str = "", device: str | None = None
) -> object:
    """Return a program that does so behind each step."""
    body = "".join(f"        {line}\n" for line in (take, *lines))
    head = "for epoch in range(30):\n    for i, (x, y) in enumerate(train_set.create_tuple_iterator()):\n"
    return case(name, join(START) + before + head + body, device=device)


EVERY = """parser = argparse.ArgumentParser()
parser.add_argument("--every", type=int, default=1)
args = parser.parse_args()
"""
IN_FUNCTION = """
    def train(x, y):
        loss = step(x, y)
        print(loss)  # !


    """
IN_METHOD = """
    class Learner:
        def train(self, x, y):
            loss = step(x, y)
            losses.append(loss.asnumpy())  # !


    """
CALLS = "for x, y in train_set.create_tuple_iterator():\n    train(x, y)\n"
CALLS_OUTER = CALLS.replace("train(", "outer(")

IN_FUNCTION_QUIET = join(IN_FUNCTION.replace("  # !", ""))

READS_WEIGHT = """
    weight, slope_before, shown = 0.5, 0.0, 0.0

    def forward(x, y):
        loss = nn.MSELoss()(net(x), y)
        return weight * loss, loss

    def note():
        return shown

    gradient = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
    """
TAKEN = "(loss, slope), grads = gradient(x, y)"

SHOWS = "    print(loss)"
ALONE = """
    from meter import Meter

    meter = Meter()
    for x, y in train_set:
        meter.update(step(x, y))
    """
HELPERS = """
    from mindspore import Tensor


    class Meter:
        def update(self, value, count=1):
            self.total += value.asnumpy() * count{update}


    class Reporter:
        def __init__(self):
            self.meter = Meter()

        def step_end(self, losses, name=""):
            first = losses[0]
            logging.info("%s %s", name, float(first)){step_end}

        def guard(self, loss):
            value = float(loss)
            if np.isnan(value):
                raise ValueError(name)

        def kind(self, loss):
            if isinstance(loss, Tensor):
                loss = loss.asnumpy(){kind}
            self.last = loss

        def some(self, loss):
            self.count += 1
            if self.count % 100 == 0:
                print(loss)

        def wanted(self, loss):
            if self.is_verbose:
                print(loss)

        def count(self, loss):
            self.count += 1
            self.name = str(name)


    def number(loss):
        return loss.item(){number}


    @ms.jit
    def compiled(loss):
        print(loss)


    meter, reporter = Meter(), Reporter()
    """
BY_HELPERS = ["update", "step_end", "kind", "number"]  # which read what they are given


def helpers(mark: str) -> str:
    return join(HELPERS).format(**{each: "  # !" if each == mark else "" for each in BY_HELPERS})


BESIDE = """
    from mindspore import ops

    criterion = nn.MSELoss()
    with_loss = nn.WithLossCell(net, criterion)
    gradient = ops.GradOperation(get_by_list=True)
    params = optimizer.parameters


    class NetWithLoss(nn.Cell):
        def construct(self, x, y):
            return criterion(net(x), y)


    class Focal(nn.LossBase):
        def construct(self, x, y):
            return self.get_loss((x - y) ** 2)


    class Trunk(nn.Cell):
        def construct(self, x):
            return net(x)


    around, focal, trunk = NetWithLoss(), Focal(), Trunk()


    def scale(x):
        return x * 2


    def forward(x, y):
        return criterion(net(scale(x)), y), net(x)


    def other(x, y):
        return criterion(net(x), y)


    @ms.jit
    def act(x):
        return net(x)


    differentiate = ms.grad(forward, None, params, has_aux=True)
    for epoch in range(30):
        for i, (x, y) in enumerate(train_set.create_tuple_iterator()):
            {loss}
            grads = {step}
            optimizer(grads)
            {read}
    """
BY_OPERATION = "gradient(with_loss, params)(x, y)"
BY_FUNCTION = "differentiate(x, y)[0]"
BY_THE_SIDE = [  # of the gradients: how the loss is computed, and what takes the step
    ("loss = with_loss(x, y)", BY_OPERATION),
    ("loss = around(x, y)", BY_OPERATION),
    ("loss = focal(net(x), y)", BY_OPERATION),
    ("out = net(x); loss = criterion(out, y)", BY_OPERATION),
    ("loss = nn.MSELoss()(net(x), y)", BY_FUNCTION),
    ("loss, out = forward(x, y)", BY_FUNCTION),
    ("loss = other(x, y)", "gradient(other, params)(x, y)"),
    ("raw = criterion(net(x), y); loss = raw.mean()", BY_FUNCTION),
]
GUARDED = """
    {decorator}def guarded(x, y):
        loss = step(x, y)
        {guard}
        return loss


    """


OVERFLOW = """
    def forward(x, y):
        return nn.MSELoss()(net(x), y)


    gradient = ms.value_and_grad(forward, None, optimizer.parameters)


    def checked(x, y):
        loss, grads = gradient(x, y)
        if ms.amp.all_finite(grads):
            optimizer(grads)
        return loss


    """


def guarded(name: str, guard: str, decorator: str = "", mark: str = "") -> object:
    """Return a program whose function of a step branches on the loss, and whose loop shows it."""
    before = join(GUARDED).format(decorator=decorator, guard=guard)
    return each(name, f"print(loss){mark}", before=before, take="loss = guarded(x, y)")


LIBRARY = """
    import mindspore as ms


    def train(net, loss, optimizer, rows):
        grad_fn = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
        for x, y in rows:
            value, grads = grad_fn(x, y)
            optimizer(grads)
            print(value)
    """


def imported(name: str, mark: str, *lines: str) -> object:
    """Return a program whose training is in a file that it imports."""
    train = join(START, *lines, "import steps\n", "steps.train(net, nn.MSELoss(), optimizer, train_set)\n")
    return case(name, {"train.py": train, "steps.py": LIBRARY.replace("print(value)", f"print(value){mark}")})


CHECKED = """
    def run(count):
        assert count % 8 == 0
        if count % 3:
            raise ValueError
        for x, y in train_set.create_tuple_iterator():
            {0}


    """
FIRES = [
    *(
        each(f"what holds it: {before}", f"{line}  # ! {fix}", before=f"{before}\n")
        for before, line, fix in (
            ("losses = np.zeros(1000)", "losses[i] = loss.asnumpy()", "no fix"),
            ("losses = np.empty((30, 1000))", "losses[epoch, i] = float(loss)", "no fix"),
            ("losses = np.full(9, 0.5)", "losses[:] = loss.item()", "no fix"),
            ("total = np.float32(0)", "total += loss.asnumpy()", "no fix"),
            ("total = np.zeros(1)", "total = total + loss.asnumpy()", "no fix"),
            ("total = np.zeros(1)", "total = 0.9 * total + 0.1 * loss.asnumpy()", "no fix"),
            ("losses = [0] * 1000", "losses[i] = loss.asnumpy()", "display-only"),
            ("losses = {}", "losses[epoch, i] = loss.item()", "display-only"),
            ("losses = table()", 'losses.loc[i, "loss"] = loss.item()', "no fix"),
            ("losses = table()", "losses.at[i, 0] = float(loss)", "no fix"),
            ("losses = table()", "losses.values[i] = float(loss)", "display-only"),
        )
    ),
    *(
        each(f"a text of it: {line}", *line.split("\n"), before="logger = logging.getLogger()\n")
        for line in (
            'text = f"{i} {loss}"\nprint(text)  # ! no fix',
            'text = "%d %.3f" % (i, loss)\nlogger.info(text)  # ! no fix',
            'text = "{}".format(loss)\nlogger.info("%s", text)  # ! no fix',
            'text = "loss: " + f"{loss}"\nlogger.debug(text)  # ! no fix',
            'logger.debug(f"{loss}")  # ! no fix',
            'logger.debug("%.3f" % loss)  # ! no fix',
            'logger.debug("{}".format(loss))  # ! no fix',
        )
    ),
    *(
        case(f"behind a check of a size: {line}", START, before, join(CHECKED).format(line), "run(24)\n")
        for before, line in (
            ("", "loss = step(x, y); print(loss)  # !"),
            (join(IN_FUNCTION), "train(x, y)"),
            (join(IN_FUNCTION_QUIET).replace("print(loss)", "return loss"), "total = train(x, y).item()  # !"),
        )
    ),
    *(
        each(f"a sum on the device: {line}", *line.split("\n"), before="bar = input\n")
        for line in (
            "total += loss\nbar.set_postfix(loss=total.item() / (i + 1))  # ! no fix",
            "total += loss.mean()\nprint(total / (i + 1))  # ! no fix",
            "total = total + loss.detach()\nbar.desc = 'loss {}'.format(total.item() / 3)  # ! no fix",
            "total += loss\nmean = total / (i + 1)\nbar.set_description(f'{mean}')  # ! no fix",
        )
    ),
    *(
        each(f"beside a metric: {line}", *line.split("\n"), take="loss, out = step(x, y)")
        for line in (
            "top = accuracy(out, y)\nprint(loss)  # !",
            "scores = out.argmax(1)\ntotal += score(pred=scores)\nlosses.append(float(loss))  # !",
            "f1 = f1_score(out.asnumpy(), y.asnumpy())  # !",
            "labels = out.asnumpy()  # !\naccuracy.update(labels, y)",
        )
    ),
    *(
        each(
            f"what the device computes: {line}",
            line,
            before="from mindspore import ops\nall_reduce = ops.AllReduce()\n",
        )
        for line in (
            "losses.append((loss - 1).abs().item())  # !",
            "losses.append(loss.exp().asnumpy())  # !",
            "losses += [ops.cast(loss > 0.1, ms.float32).mean().asnumpy()]  # !",
            "print((loss >= total).sum())  # !",
            "losses.append(float(all_reduce(loss.float())))  # !",
            "print(ops.mean(loss))  # !",
        )
    ),
    guarded("a guard that is compiled", "if loss > 100: loss = loss * 0", "@ms.jit\n", "  # !"),
    guarded(
        "no guard: the gradients start with it", "sens = ms.ops.ones_like(loss); loss = step(x, sens)", mark="  # !"
    ),
    each(
        "behind a test of the gradients in the function of the step",
        "print(loss)  # !",
        before=join(OVERFLOW),
        take="loss = checked(x, y)",
    ),
    guarded("a branch on something else", "if x.shape[0] < 8: return None", mark="  # !"),
    imported("in a file that is imported", "  # !"),
    imported("in a file that is imported, on a device", "  # !", 'ms.set_context(device_target="Ascend")\n'),
    *(
        each(f"in a function that gets it: {line}", line, before=helpers(mark), take=take)
        for mark, line, take in (
            ("update", "meter.update(loss)", "loss = step(x, y)"),
            ("update", "reporter.meter.update(count=2, value=loss.mean())", "loss = step(x, y)"),
            ("step_end", "reporter.step_end(out, 'a')", "out = step(x, y)"),
            ("kind", "reporter.kind(loss)", "loss = step(x, y)"),
            ("number", "losses.append(number(loss))", "loss = step(x, y)"),
            ("number", "total += number(loss)", "loss = step(x, y)"),
        )
    ),
    *(
        each(
            f"an operator gets it: {line}",
            *line.split("\n"),
            before="from mindspore import ops\nall_reduce = ops.AllReduce()\n",
        )
        for line in (
            "losses.append(float(all_reduce(loss) / 8))  # !",
            "print(ops.sqrt(loss))  # !",
            "mean = ops.ReduceMean()(loss)\nlosses.append(mean.asnumpy())  # !",
            "mean = all_reduce(loss)\nmean = mean / 8\nlosses.append(mean.item())  # !",
            "losses.append(float(net(loss)[0]))  # !",
        )
    ),
    *(
        each(f"a tensor only is read: {line}", *line.split("\n"), before="from mindspore import Tensor\nlosses = []\n")
        for line in (
            "losses.append(loss.asnumpy() if hasattr(loss, 'asnumpy') else loss)  # !",
            "value = float(loss.asnumpy()) if hasattr(loss, 'asnumpy') else float(loss)  # !",
            "if hasattr(loss, 'item'):\n    losses.append(loss.item())  # !",
            "losses.append(loss.numpy() if hasattr(loss, 'numpy') else loss)  # !",
            "losses.append(loss.item() if isinstance(loss, Tensor) else loss)  # !",
        )
    ),
    each(
        "its kind is asked",
        "if isinstance(loss, tuple):",
        "    loss = loss[0]",
        "print(loss)  # !",
    ),
    *(
        case(f"a loss beside the gradients: {how[0]}", START, BESIDE.format(loss=how[0], step=how[1], read=read))
        for how in BY_THE_SIDE
        for read in ("print(loss)  # !", "total += float(loss)  # !", "losses.append(loss.asnumpy())  # !")
    ),
    *(
        case(
            f"a few steps in each of many {what}",
            START,
            f"{before}{outer}    for i in range(5):\n        loss = step(x, y)\n        print(loss)  # !\n",
        )
        for what, before, outer in (
            ("epochs", "x, y = 1, 2\n", "for epoch in range(10):\n"),
            ("epochs by a name", "x, y, epochs = 1, 2, 100\n", "for epoch in range(1, epochs):\n"),
            ("rounds", "x, y = 1, 2\n", "while True:\n"),
            ("batches", "", "for x, y in train_set.create_tuple_iterator():\n"),
            ("tasks", "import tasks\n", "for x, y in tasks.load():\n"),
        )
    ),
    *(
        each(f"behind a warm-up, {test}", "count += 1", f"if {test}:", f"{SHOWS}  # !", before="count = 0\n")
        for test in ("i >= 5", "i > 0", "i != 0", "not i == 0", "i", "4 < i", "count > 3", "epoch >= 1", "not i < 5")
    ),
    *(
        each(f"beside an evaluation {when}", "print(loss)  # !", *lines)
        for when, lines in (
            ("of some steps", ("if i % 100 == 0:", "    evaluate(net)")),
            ("behind an option", ("if args.validate:", "    evaluate(net)")),
            ("of some steps, by `set_train`", ("if i % 100 == 0:", "    net.set_train(False)")),
            ("of a chosen step", ("if i == 500:", "    validate(net)")),
        )
    ),
    each("behind a warm-up that goes on", "if i < 5:", "    continue", "print(loss)  # !"),
    *(
        each(f"no step reads it: {how[0]}", *how, take=TAKEN, before=join(READS_WEIGHT))
        for how in (
            ("optimizer(grads)", "shown = 0.1 * slope.asnumpy()  # !"),
            ("optimizer(grads)", "weight = 0.5 ** epoch", "print(loss)  # !"),
            ("optimizer(grads)", "loss = float(slope)  # !"),  # which `forward` has of its own
        )
    ),
    each(
        "the next step takes a tensor", "print(loss)  # !", take="loss, state = step(x, y, state)", before="state = 0\n"
    ),
    each("what is read is not what a step takes", "shift = slope.asnumpy()  # !", take="loss, slope = step(x, y)"),
    each(
        "a counter that a step returns",
        "losses.append(float(loss))  # ! display-only",
        "if count % 4 == 0:",
        "    epoch += 1",
        take="loss, count = step(x, y)",
    ),
    each("a step with a type", "print(loss)  # !", take="loss: ms.Tensor = step(x, y)"),
    each("another name", "loss = made", "print(loss)  # !", take="made = step(x, y)"),
    each("in one assignment", "print(loss)  # !", take="loss, count = step(x, y), 1"),
    each("asnumpy", "losses.append(loss.asnumpy())  # ! display-only"),
    each("a total", "total += loss.asnumpy()  # ! display-only"),
    each("a total by the other name", "total += loss.numpy()  # ! display-only"),
    each("a meter by the other name", "meter.update(loss.numpy().item(), 32)  # ! no fix"),
    each("the step itself", take="total += step(x, y).asnumpy()  # ! display-only"),
    each(
        "a test whether there is one yet",
        "total = loss if total is None else 0.9 * total + 0.1 * loss",
        take="loss = step(x, y).asnumpy()  # ! display-only",
    ),
    each("a number from then on", "losses.append(loss)", take="loss = step(x, y).asnumpy()  # ! display-only"),
    each("a number that is printed", "print(loss)", take="loss = step(x, y).asnumpy()  # ! no fix"),
    each("a meter", "meter.update(loss.asnumpy(), 32)  # ! no fix"),
    each("an argument", "value = smooth(loss.item())  # ! no fix"),
    each("a read beside a print", "losses.append(loss.asnumpy())  # ! no fix", "print(loss)"),
    *(
        case(
            f"in a file that does not name MindSpore: {body}",
            {
                "train.py": join(START, ALONE),
                "meter.py": f"class Meter:\n    total = 0\n\n    def update(self, value):\n        {body}\n",
            },
        )
        for body in (
            "self.total += float(value)  # ! no fix",
            "self.total += value.item()  # ! no fix",
            "self.total += value.asnumpy()  # ! no fix",
            "self.total = 0.9 * self.total + 0.1 * float(value)  # ! no fix",
            "self.rows.append(value.mean().item())  # ! no fix",
        )
    ),
    each("a name of it that is printed", "value = loss.asnumpy()  # ! no fix", 'print(f"{i} {value}")'),
    each(
        "a running mean that is shown", "total += loss.asnumpy()  # ! no fix", "bar.set_postfix(loss=total / (i + 1))"
    ),
    case(
        "a total that gets a format",
        START,
        """
        for epoch in range(30):
            total = 0
            for x, y in train_set:
                total += step(x, y).asnumpy()  # ! no fix
            mean = total / 100
            print("loss {:.4f}".format(mean))
        """,
    ),
    case(
        "a total in an f-string with a format",
        START,
        """
        for epoch in range(30):
            for x, y in train_set:
                loss = step(x, y)
                total += loss.asnumpy()  # ! no fix
            print(f"{total / 100:.4f}")
        """,
    ),
    case(
        "a total that is rounded",
        START,
        """
        for x, y in train_set:
            total += step(x, y).asnumpy()  # ! no fix
        print(round(total, 3))
        """,
    ),
    *(
        case(
            f"a total that is dumped, {name}",
            START,
            f"""
            import json

            rows, table = [], {{}}
            for epoch in range(30):
                total = 0
                for x, y in train_set:
                    total += step(x, y).asnumpy()  # ! {safety}
                {keep}
            json.dump({what}, open("log.json", "w"))
            """,
        )
        for name, keep, what, safety in (
            ("in a list of dicts", 'rows.append({"epoch": epoch, "loss": total / 100})', "rows", "no fix"),
            ("in a list", "rows.append(total)", "[rows]", "no fix"),
            ("in an entry", "table[epoch] = total", "table", "no fix"),
            ("by a dict", "rows = {'loss': total}", '{"rows": rows}', "no fix"),
            ("as a number", "rows.append(float(total))", "rows", "display-only"),
            ("not it", "rows.append(epoch)", "rows", "display-only"),
        )
    ),
    case(
        "a total that is returned",
        START,
        """
        def epoch(data):
            total = 0
            for x, y in data:
                total += step(x, y).asnumpy()  # ! no fix
            return total / 100


        print(f"{epoch(train_set):.3f}")
        """,
    ),
    case(
        "a mean of all that gets a format",
        START,
        """
        for x, y in train_set:
            losses.append(step(x, y).asnumpy())  # ! display-only
        print(f"{np.mean(losses):.4f}")
        """,
    ),
    case(
        "a total that gets a format as a text does",
        START,
        """
        for x, y in train_set:
            total += step(x, y).asnumpy()  # ! display-only
        print("%.4f" % (total / 100))
        """,
    ),
    case(
        "a name that is used again",
        START,
        """
        for epoch in range(30):
            total = 0
            for x, y in train_set:
                total += step(x, y).asnumpy()  # ! display-only
            print(total)
            total = 0.0
            for x, y in valid_set:
                total += check(x, y)
            print(f"{total:.3f}")
        """,
    ),
    case(
        "a name that is used before",
        START,
        """
        total = check()
        print(f"{total:.3f}")
        total = 0
        for x, y in train_set:
            total += step(x, y).asnumpy()  # ! display-only
        """,
    ),
    case(
        "another name for something else",
        START,
        """
        for x, y in train_set:
            total += step(x, y).asnumpy()  # ! display-only
        mean = total / 100
        print(mean)
        mean = check()
        print(f"{mean:.3f}")
        """,
    ),
    case(
        "a name that is used again in one arm",
        START,
        """
        for x, y in train_set:
            total += step(x, y).asnumpy()  # ! no fix
        if check():
            total = 0.0
        print(f"{total:.3f}")
        """,
    ),
    case(
        "a name that the next pass begins with",
        START,
        """
        for epoch in range(30):
            print(f"{total:.3f}")
            for x, y in train_set:
                total += step(x, y).asnumpy()  # ! no fix
        """,
    ),
    each("float", "losses.append(float(loss))  # ! display-only"),
    each("float of asnumpy", "losses.append(float(loss.asnumpy()))  # ! display-only"),
    each("item", "total += loss.item()  # ! display-only"),
    each("a mean", "total += loss.mean().asnumpy()  # ! display-only"),
    each("print", "print(loss)  # ! no fix"),
    each("print of asnumpy", "print(epoch, i, loss.asnumpy())  # ! no fix"),
    each("an f-string", 'print(f"{epoch} {i} loss {loss}")  # ! no fix'),
    each("a text with a place", 'print("loss %s" % loss)  # ! no fix'),
    each("a logger", 'logging.info("loss %s", loss)  # ! no fix'),
    each("a text that gets it", 'print("step {}, loss {}".format(i, loss))  # ! no fix'),
    each("a text that gets it by name", 'print("loss {loss}".format(loss=loss))  # ! no fix'),
    each("a logger of a text that gets it", 'logging.info("loss {}".format(loss.mean()))  # ! no fix'),
    each("texts beside each other", 'print("step %d" % i + ", loss {}".format(loss))  # ! no fix'),
    each("a progress bar", 'bar.set_description("loss {}".format(loss))  # ! no fix', before="bar = tqdm(train_set)\n"),
    each("several results in a text", 'print("{} {}".format(loss, logits))  # !', take="loss, logits = step(x, y)"),
    each("str", "losses.append(str(loss))  # ! no fix"),
    each("several", "total += loss.asnumpy()  # !", "print(loss)"),
    each("one of several results", "losses.append(loss.asnumpy())  # !", take="loss, logits = step(x, y)"),
    each("an element", "losses.append(loss[0].asnumpy())  # !"),
    each("a sum of two", "loss = loss_a + loss_b", "print(loss.asnumpy())  # !", take="loss_a, loss_b = step(x, y)"),
    each("a share", "share = loss / 4", "losses.append(float(share))  # !"),
    each("a computed f-string", 'print(f"{(loss * 2).asnumpy()}")  # !'),
    each("a total so far", "total = total + loss", "print(total)  # !"),
    *(
        each(f"of all steps: {test}", f"if {test}:", "    print(loss)  # !", before=EVERY)
        for test in ("i % 1 == 0", "(i + 1) % args.every == 0", "rank == 0 and i % args.every == 0")
    ),
    *(
        each(f"of the first process: {test}", f"if {test}:", "    print(loss)  # !", before="rank = get_rank_id()\n")
        for test in ("rank == 0", "args.rank_id == 0", "not rank", "get_rank() == 0", "local_rank == 0", *FIRST)
    ),
    *(
        each(
            f"of the first process, by a name: {test}",
            "if is_main:",
            "    print(loss)  # !",
            before=f"is_main = {test}\n",
        )
        for test in ("rank == 0", "get_rank() == 0", "not rank", "args.local_rank == 0")
    ),
    each("computed twice", "half = loss / 2", "rest = half.mean() - 1", "losses.append(rest.item())  # !"),
    case(
        "in a file that does not name MindSpore",
        {
            "train.py": join(START)
            + "from meters import Meter\nmeter = Meter()\n"
            + CALLS.replace("train(", "meter.add(").replace("(x, y)\n", "(step(x, y))\n"),
            "meters.py": """
            class Meter:
                def add(self, value):
                    self.last = value.asnumpy()  # !
            """,
        },
    ),
    case(
        "in a function that a loop calls where it can",
        START,
        IN_FUNCTION,
        CALLS.replace("train(", "if x.size > 4: train("),
    ),
    case("in a function that a loop calls", START, IN_FUNCTION, CALLS),
    case("in a function of a function", START, IN_FUNCTION, "def outer(x, y):\n    train(x, y)\n\n\n", CALLS_OUTER),
    case(
        "in a method that a loop calls",
        START,
        IN_METHOD,
        "learner = Learner()\n",
        CALLS.replace("train(", "learner.train("),
    ),
    case(
        "in a function that returns it",
        START,
        IN_FUNCTION.replace("print(loss)  # !", "return loss.asnumpy()  # !"),
        CALLS,
    ),
    case(
        "in a function and in its loop",
        START,
        IN_FUNCTION.replace("  # !", "").replace("print(loss)", "print(loss)\n        return loss"),
        CALLS.replace("train(x, y)", "loss = train(x, y)\n    print(loss.asnumpy())  # !").replace(
            "train(x", "step(x", 0
        ),
    ),
    case(
        "in the function of an epoch",
        START,
        """
        def epoch(step, data):
            for x, y in data:
                loss = step(x, y)
                losses.append(loss.asnumpy())  # !


        for _ in range(30):
            epoch(step, train_set.create_tuple_iterator())
        """,
    ),
    case(
        "all rows in one step",
        START,
        """
        x, y = next(train_set.create_tuple_iterator())
        for epoch in range(1000):
            loss = step(x, y)
            print(loss)  # !
        """,
    ),
    case(
        "a function for a step",
        START,
        """
        grad = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, optimizer.parameters)


        def train_step(x, y):
            loss, grads = grad(x, y)
            optimizer(grads)
            return loss


        for x, y in train_set:
            loss = train_step(x, y)
            losses.append(float(loss))  # !
        """,
    ),
    case(
        "of each network that a step goes through",
        START,
        """
        nets = [step, step]
        for x, y in train_set.create_tuple_iterator():
            for each in nets:
                loss = each(x, y)
                losses.append(loss.asnumpy())  # !
        """,
    ),
]
QUIET = [
    *(
        each(f"no text of it: {line}", *line.split("\n"), before="logger = logging.getLogger()\n")
        for line in (
            'logger.debug("%s", loss)',
            "logger.debug(loss)",
            'logger.debug("%d %s", i, loss.mean())',
            'text = f"{i}"\nprint(text)',
            'text = f"{loss.shape} {loss.dtype}"\nprint(text)',
            'if i % 100 == 0:\n    text = f"{loss}"\n    print(text)',
            'if i % 100 == 0:\n    text = f"{loss}"\nprint(text)',
            "text = describe(loss)\nprint(text)",
        )
    ),
    *(
        each(f"another condition: {line}", *line.split("\n"), before="losses, sink = [], {}\n")
        for line in (
            "losses.append(loss.asnumpy() if losses else 0)",
            "losses.append(loss.asnumpy() if hasattr(sink, 'add_scalar') else 0)",
            "losses.append(0 if hasattr(loss, 'asnumpy') else loss.item())",
            "if not hasattr(loss, 'asnumpy'):\n    losses.append(loss.item())",
            "losses.append(loss.item() if hasattr(loss, 'item') and i % 100 == 0 else 0)",
            "if hasattr(loss, names[i]):\n    losses.append(loss.item())",
        )
    ),
    case(
        "what the differentiated function calls, too",
        START,
        BESIDE.format(loss="size = scale(8)", step=BY_FUNCTION, read="total += int(size)"),
    ),
    *(
        guarded(f"behind a guard in the function of the step: {guard}", guard)
        for guard in (
            "if not math.isfinite(loss): raise SystemExit",
            "if np.isnan(loss.asnumpy()): return None",
            "value = float(loss); assert value < 100",
            "while loss > best: loss = step(x, y)",
            "loss = loss if loss < 1 else step(x, y)",
        )
    ),
    *(
        each(f"asked for by a name: {test}", "if is_shown:", "    print(loss)", before=f"is_shown = {test}\n")
        for test in ("rank == 1", "rank > 0", "not args.quiet", "'--verbose' in sys.argv")
    ),
    imported("in a file that is imported, on a CPU", "", 'ms.set_context(device_target="CPU")\n'),
    *(
        each(f"in another thread: {start}", start, before="import threading\ndef show(value):\n    print(value)\n")
        for start in ("threading.Thread(target=show, args=(loss,)).start()", "pool.submit(show, loss)")
    ),
    *(
        each(f"in a function that gets it: {line}", *line.split("\n"), before=helpers(""))
        for line in (
            "reporter.guard(loss)",
            "reporter.some(loss)",
            "reporter.wanted(loss)",
            "reporter.count(loss)",
            "meter.update(i)",
            "compiled(loss)",
            "unknown.update(loss)",
            "if i % 100 == 0:\n    meter.update(loss)",
            "x = number(loss)",
        )
    ),
    *(
        each(f"of some processes or steps: {test}", f"if {test}:", "    print(loss)", before="rank = get_rank_id()\n")
        for test in (
            "rank != 0",
            "i % 1 != 0",
            "i % every() == 0",
            "rank == 0 and i % 100 == 0",
            "rank in log_ranks",
            "rank == 0 and wanted",
            "not args.is_main",
            "is_main_phase_over",
            "args.domain",
            "args.main",
        )
    ),
    each(
        "of no operator",
        "losses.append(float(unknown(loss)))",
        "print(ops.sqrt(x))",
        before="from mindspore import ops\n",
    ),
    *(
        case(f"beside the gradients: {loss}; {read}", START, BESIDE.format(loss=loss, step=BY_OPERATION, read=read))
        for loss, read in (
            ("loss = with_loss(x, y)", "if i % 100 == 0: print(loss)"),
            ("loss = with_loss(x, y)", "losses.append(loss)"),
            ("loss = with_loss(x, y)", "if float(loss) > 100: break"),
            ("loss = with_loss(x, y)", "if input(): print(loss)"),
            ("loss = with_loss(x, y) if i % 100 == 0 else 0", "total += i"),
            ("chosen = trunk(x)", "x = np.roll(chosen.asnumpy(), 1)"),  # of the network, which may steer what follows
            ("chosen = net(x)", "losses.append(int(chosen.argmax()))"),
            ("chosen = act(x)", "losses.append(int(chosen.argmax()))"),
            ("loss = other(x, y)", "print(loss)"),  # a function that nothing differentiates
            ("loss = unknown(x, y)", "print(loss)"),
            ("loss = with_loss(x, y).asnumpy() if i == 0 else 0", "print(loss)"),
            ("evaluate(net); loss = with_loss(x, y)", "print(loss)"),
        )
    ),
    *(
        case(f"of some steps, behind a check of a size: {line}", START, join(CHECKED).format(line), "run(24)\n")
        for line in (
            "loss = step(x, y); i += 1; print(loss if i % 8 == 0 else i)",
            "loss = step(x, y); show = i % 8 == 0; print(loss) if show else None",
        )
    ),
    each("a sum on the device", "total += loss", "if i % 100 == 0:", "    print(total)"),
    each("a sum of numbers", "total += i", "print(total)"),
    each("a metric of the data, behind scores of the network", "top = score_model(net, y)", "print(loss)"),
    each("an identity", "print(loss is None)", "print(loss in losses)"),
    *(
        each(f"in the first steps, {test}", "count += 1", f"if {test}:", SHOWS, before="count = 0\n")
        for test in (
            "i < 5",
            "i == 0",
            "i <= 3",
            "5 > i",
            "not i",
            "not i >= 5",
            "count == 5",
            "count <= 3",
            "epoch == 0",
        )
    ),
    *(
        each(f"by a counter that {name}", *lines, before="count, most = 0, 10\n")
        for name, lines in {
            "is set back": ("count += 1", "if count >= 5:", SHOWS, "    count = 0"),
            "stops": ("if count < 5:", SHOWS, "    count += 1"),
            "goes back": ("count += 1", "if count >= 5:", SHOWS, "    count -= 5"),
            "is compared with many": ("count += 1", "if count >= 500:", SHOWS),
            "is compared with one that grows": ("count += 1", "if count >= most:", SHOWS, "    most += 10"),
            "is asked for the last": ("if i == train_set.get_dataset_size() - 1:", SHOWS),
            "ends the loop": ("count += 1", "if count >= 5:", SHOWS, "    break"),
            "counts nothing": ("count = x.shape[0]", "if count >= 5:", SHOWS),
        }.items()
    ),
    each("of each 10th step behind a warm-up", "if i >= 5 and i % 10 == 0:", SHOWS),
    *(
        each(f"the next step reads it by name: {how[0]}", *how, "print(loss)", take=TAKEN, before=join(READS_WEIGHT))
        for how in (
            ("optimizer(grads)", "weight = weight + 0.1 * slope.asnumpy()"),
            ("optimizer(grads)", "weight = min(float(slope), 1)"),
            ("optimizer(grads)", "weight, slope_before = slope_before, slope.item()"),
            ("optimizer(grads)", "share = slope.item()", "weight = share / 2"),
        )
    ),
    each(
        "a guard on what was made of it in the pass before",
        "losses.append(loss)",
        "if bound > 3:",
        "    break",
        "bound = kept",
        "kept = float(loss)",
        before="bound = kept = 0.0\n",
    ),
    *(
        each(
            f"the next step takes what is read: {how}",
            how,
            "print(loss, weight)",
            take="loss, slope = step(x, y, weight)",
            before="weight = 0.0\ndef adapted(slope, weight):\n    return weight + 0.001 * float(slope)\n",
        )
        for how in (
            "weight = adapted(slope, weight)",
            "weight = float(slope)",
            "weight = weight + slope.asnumpy()",
        )
    ),
    each("not read"),
    each("kept", "losses.append(loss)"),
    each("every 100 steps", "if i % 100 == 0:", "    print(loss.asnumpy())"),
    case(
        "a step that is taken every 5 passes",
        START,
        """
        for i, (x, y) in enumerate(train_set):
            if i % 5 == 0:
                loss = step(x, y)
                print(loss.asnumpy())
        """,
    ),
    each("the last step", "if i == 99:", "    print(loss.asnumpy())"),
    each("a guard against NaN", "if np.isnan(loss.asnumpy()):", "    break"),
    *(
        each(f"a guard on what is read at once: {take}", "if np.isnan(loss):", "    break", take=take)
        for take in ("loss = float(step(x, y))", "loss = step(x, y).asnumpy()", "loss = round(step(x, y).item(), 4)")
    ),
    each("an early stop", "value = loss.asnumpy()", "if value < best:", "    best = value"),
    each("an early stop by a total", "total += loss.asnumpy()", "if total > 100:", "    break"),
    each(
        "an overflow",
        "losses.append(loss.asnumpy())",
        "if overflow:",
        "    print(i)",
        take="loss, overflow = step(x, y)",
    ),
    each("behind an evaluation", "evaluate(net)", "losses.append(loss.asnumpy())"),
    *(
        each(f"behind an evaluation: {word}", f"{word}(net)", "losses.append(loss.asnumpy())")
        for word in ("validate", "val_step", "run_validation", "val")
    ),
    each("behind scores of the network", "auc = score_model(net)", "print(loss, auc)"),
    each("before an evaluation", "print(loss)", "net.set_train(False)", "print(net(x).mean())"),
    each("of the data", "losses.append(x.asnumpy())"),
    each("another thing is printed", "print(epoch, i)"),
    each("on a CPU", "losses.append(loss.asnumpy())", device="CPU"),
    each(
        "a flag that is off",
        "if args.verbose:",
        "    print(loss)",
        before="parser = argparse.ArgumentParser()\nparser.add_argument('--verbose', action='store_true')\n"
        "args = parser.parse_args()\n",
    ),
    each("a text that is formatted", 'print("%d" % len(losses))', "share = loss / 4"),
    each("a text that gets others", 'print("step {} of {}".format(i, epoch))'),
    each("a text that gets a shape", 'print("shape {}".format(loss.shape))'),
    each("a text that gets it now and then", "if i % 100 == 0:", '    print("loss {}".format(loss))'),
    each("a sum of others", "other = best + 1", "print(other)"),
    each("computed of what is read", "share = loss.asnumpy() / 4 if i % 100 == 0 else 0", "print(share)"),
    case(
        "in a function every 100 steps",
        START,
        IN_FUNCTION_QUIET,
        CALLS.replace("train(", "if len(losses) % 100 == 0: train("),
    ),
    case(
        "in a function that guards it",
        START,
        IN_FUNCTION_QUIET.replace("print", "if len(losses) % 9 == 0: print"),
        CALLS,
    ),
    case(
        "in a function that decides",
        START,
        IN_FUNCTION_QUIET + "    if loss < best:\n        losses.append(0)\n",
        CALLS,
    ),
    case("in a function that is called once", START, IN_FUNCTION_QUIET, "train(x, y)\n"),
    case("in a function of a short loop", START, IN_FUNCTION_QUIET, "for i in range(5):\n    train(i, i)\n"),
    case("in a function beside an evaluation", START, IN_FUNCTION_QUIET, CALLS + "    evaluate(net)\n"),
    case("nothing trains", START, "for x, y in train_set:\n    print(net(x).asnumpy())\n"),
    case(
        "a few steps in a few epochs",
        START,
        "for epoch in range(3):\n    for i in range(5):\n        loss = step(x, y)\n        print(loss)\n",
    ),
    case(
        "a few steps in one epoch of a few",
        START,
        "n = 2\nfor epoch in range(1, n):\n    for i in range(5):\n        loss = step(x, y)\n        print(loss)\n",
    ),
    case("a few steps", START, "for i in range(5):\n    loss = step(x, y)\n    print(loss)\n"),
    case(
        "once per epoch",
        START,
        """
        for epoch in range(30):
            for x, y in train_set:
                loss = step(x, y)
            print(loss.asnumpy())
        """,
    ),
    case(
        "an evaluation beside it",
        START,
        """
        for x, y in train_set:
            loss = step(x, y)
        for x, y in train_set:
            print(net(x).asnumpy())
        """,
    ),
    case(
        "networks one after the other",
        START,
        """
        for stage in train_set.get_col_names():
            loss = step(x, y)
            print(loss)
        """,
    ),
    case(
        "Model.train",
        START,
        """
        model = ms.Model(net, nn.MSELoss(), optimizer)
        for epoch in range(30):
            loss = model.train(1, train_set)
            print(loss)
        """,
    ),
    case("of another library", START, "import loader\nfor x, y in train_set:\n    print(loader.step(x, y))\n"),
]


@pytest.mark.parametrize("program", FIRES)
def test_reported(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)


@pytest.mark.parametrize(
    ("read", "tensor"),
    [
        ("loss.asnumpy()", "loss"),
        ("loss.asnumpy().item()", "loss"),
        ("float(loss.asnumpy())", "loss"),
        ("float(loss.item())", "loss"),
        ("int(loss)", "loss"),
        ("loss.asnumpy().mean()", "loss.mean()"),
        ("loss.mean().asnumpy().tolist()", "loss.mean()"),
        ("loss.asnumpy().mean().item()", "loss.mean()"),
        ("float(loss.asnumpy()[0])", "loss[0]"),
        ("loss.asnumpy() / 2", "loss / 2"),
    ],
)
def test_the_fix_leaves_no_read_of_the_tensor(read: str, tensor: str) -> None:
    program = Program({"train.py": each("read", f"losses.append({read})").values[0].files["train.py"]})
    (finding,) = program.lint(CODE).findings
    assert finding.fix is not None
    source = program.files["train.py"].encode()
    assert apply(source, sorted(finding.fix.edits)).decode() == program.files["train.py"].replace(read, tensor)


def test_what_prints_a_tensor_has_no_fix() -> None:
    program = Program({"train.py": each("read", "print(float(loss), loss.asnumpy())").values[0].files["train.py"]})
    (finding,) = program.lint(CODE).findings
    assert finding.fix is None


HEADS = [
    ("for model_input, label in train_set.create_tuple_iterator()", True),
    ("for task, label in train_set", True),
    ("for i, (task, label) in enumerate(train_set.create_tuple_iterator())", True),
    ("for model, network in zip(train_set.create_tuple_iterator(), range(9))", True),
    ("for task in tasks.create_tuple_iterator()", True),
    ("for stage in train_set.create_dict_iterator()", True),
    ("for task in unknown()", False),
    ("for fold in range(50)", False),
    ("for model in models", False),
    ("for x in [net, net]", False),
    ("for stage, x in zip(unknown(), [1, 2])", False),
]


@pytest.mark.parametrize(("head", "expected"), HEADS)
def test_a_loop_over_a_dataset_takes_steps_whatever_its_names(head: str, expected: bool) -> None:
    body = f"tasks = train_set\n{head}:\n    loss = step(1, 2)\n    print(loss)\n"
    assert bool(Program({"train.py": join(START) + body}).lint(CODE).findings) is expected
