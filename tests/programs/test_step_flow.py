"""Which calls are asked whether they are a training step, by the words under which a program may hold one."""

from __future__ import annotations

import pytest
from programs import analysed, join

from ms_perflint.infer.evaluate import ProgramEvaluator
from ms_perflint.training.training import is_trained, mentions_training, train_sites
from ms_perflint.training.training_steps import is_step_class, step_flow

HEAD = "import mindspore as ms\nfrom mindspore import nn, ops\n"
STEPS = {
    "a variable": "step = nn.TrainOneStepCell(net, opt)\nstep(x)",
    "an attribute": "class T:\n    def __init__(self):\n        self.cell = nn.TrainOneStepCell(net, opt)\n"
    "    def run(self):\n        self.cell(x)\nT().run()",
    "a parameter": "def run(scheme, cell):\n    cell(x)\nrun(1, nn.TrainOneStepCell(net, opt))",
    "a parameter of a method": "class T:\n    def run(self, cell):\n        cell(x)\n"
    "T().run(nn.TrainOneStepCell(net, opt))",
    "a parameter of the class above": "class A:\n    def __init__(self, cell):\n        self.cell = cell\n"
    "class T(A):\n    def __init__(self, given):\n        super().__init__(given)\n"
    "    def run(self):\n        self.cell(x)\nT(nn.TrainOneStepCell(net, opt)).run()",
    "a keyword": "def run(cell=None):\n    cell(x)\nrun(cell=nn.TrainOneStepCell(net, opt))",
    "what a function returns": "def make():\n    return nn.TrainOneStepCell(net, opt)\nstep = make()\nstep(x)",
    "what a method of it gives": "def make():\n    return nn.TrainOneStepCell(net, opt).set_train()\n"
    "step = make()\nstep(x)",
    "what methods of a variable give": "def make():\n    cell = nn.TrainOneStepCell(net, opt)\n"
    "    return cell.set_train().add_flags(a=True)\nstep = make()\nstep(x)",
    "what a method of a parameter gives": "def trained(cell):\n    return cell.set_train()\n"
    "step = trained(nn.TrainOneStepCell(net, opt))\nstep(x)",
    "at once": "def make():\n    return nn.TrainOneStepCell(net, opt)\nmake()(x)",
    "a property": "class T:\n    @property\n    def cell(self):\n        return nn.TrainOneStepCell(net, opt)\n"
    "trainer = T()\ntrainer.cell(x)",
    "a class of its own": "class Step(nn.TrainOneStepCell):\n    pass\nstep = Step(net, opt).set_train()\nstep(x)",
    "gradients of gradients": "opt = nn.SGD(net)\nmake = ops.GradOperation()\ngrads = make(net)\nopt(grads(x))",
    "an imported name": "from mindspore.nn import TrainOneStepCell as Cell\nstep = Cell(net, opt)\nstep(x)",
    "an item of optimizers that are not known": "class T:\n    def __init__(self):\n        self.optims = [None] * 2\n"
    "        for i in range(2):\n            self.optims[i] = lib.Adam(net)\n"
    "    def run(self, i):\n        grads = ms.value_and_grad(f, None, self.optims[i].parameters)\n"
    "        self.optims[i](grads()[1])\nT().run(0)",
    "one of two": "step = nn.TrainOneStepCell(net, opt) if x else net\nstep(x)",
}


@pytest.mark.parametrize("text", STEPS.values(), ids=STEPS)
def test_a_step_is_found_under_the_name_that_holds_it(text: str) -> None:
    assert is_trained(analysed({"train.py": HEAD + text}))


GRADS = {
    "beside another name": ("from mindspore import Tensor, grad", "grad(net, None, opt.parameters)"),
    "on a line of its own": ("from mindspore import (\n    Tensor,\n    grad,\n)", "grad(net, None, opt.parameters)"),
    "under another name": ("from mindspore.ops import grad as g", "g(net, None, opt.parameters)"),
    "of a module under another name": ("from mindspore import ops as P", "P.grad(net, None, opt.parameters)"),
    "that is given on": ("from mindspore import ops as P", "(lambda of: of(net, None, opt.parameters))(P.grad)"),
    "of another module": ("import mindspore as m", "m.grad(net, None, opt.parameters)"),
}


@pytest.mark.parametrize(("imports", "made"), GRADS.values(), ids=GRADS)
def test_a_gradient_function_is_found_however_it_is_imported(imports: str, made: str) -> None:
    steps = f"from mindspore import nn\n{imports}\n\nopt = nn.SGD(net.trainable_params())\nstep = {made}\nopt(step(x))"
    assert is_trained(analysed({"train.py": steps}))


CELL = "nn.TrainOneStepCell(net, opt)"
ELSEWHERE = {
    "a function": (f"run({CELL}, data)", "def run(step, data):\n    for x in data:\n        step(x)"),
    "one step": (f"step = {CELL}\nfor x in data:\n    run(step, x)", "def run(step, x):\n    return step(x)"),
    "one of a list": (f"run([{CELL}], data)", "def run(steps, data):\n    for x in data:\n        steps[0](x)"),
    "an attribute": (
        f"run({CELL}).all(data)",
        "class run:\n    def __init__(self, step):\n        self.step = step\n"
        "    def all(self, data):\n        for x in data:\n            self.step(x)",
    ),
    "a gradient function": (
        "run(ms.value_and_grad(net, None, opt.parameters), opt, data)",
        "def run(grad_fn, opt, data):\n    for x in data:\n        _, grads = grad_fn(x)\n        opt(grads)",
    ),
    "a model": ("run(Model(net, optimizer=opt), data)", "def run(model, data):\n    model.train(1, data)"),
}


@pytest.mark.parametrize(("main", "loops"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_step_is_found_in_a_module_that_does_not_name_the_framework(main: str, loops: str) -> None:
    imports = f"{HEAD}from mindspore.train import Model\nfrom loops import run\nopt = nn.SGD(net.trainable_params())\n"
    assert is_trained(analysed({"train.py": imports + main, "loops.py": loops}))


@pytest.mark.parametrize(
    "loops",
    [
        "def run(step, data):\n    for x in data:\n        print(x)",
        "def run(step, data):\n    for x in data:\n        loss = net(x)\n        loss.backward()\n        opt.step()",
    ],
)
def test_other_calls_in_such_a_module_are_no_steps(loops: str) -> None:
    assert not is_trained(analysed({"train.py": f"{HEAD}from loops import run\nrun({CELL}, data)", "loops.py": loops}))


@pytest.mark.parametrize("text", ["with no_grad():\n    step(x)", "grads = step(x)", "x.set_grad(False)"])
def test_words_around_grad_name_no_gradient_function(text: str) -> None:
    program = analysed({"infer.py": f"from mindspore import nn\n\n{text}\n"}, "infer.py")
    assert not mentions_training(program)


def test_what_a_step_gives_is_no_step() -> None:
    text = HEAD + "step = nn.TrainOneStepCell(net, opt)\nloss = step(x)\nlog(loss)"
    words = step_flow(analysed({"train.py": text})).cells
    assert "step" in words and "loss" not in words


def test_methods_that_share_their_word_with_a_step_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """`size` is a parameter that gets a step; `x.size()` is no attribute that does."""
    asked: list[str] = []
    callees = ProgramEvaluator.callees
    monkeypatch.setattr(ProgramEvaluator, "callees", lambda self, site: asked.append(site.word) or callees(self, site))
    text = "def run(size):\n    size(x)\nrun(nn.TrainOneStepCell(net, opt))\nx.size()\nx.append(x)\nsorted(x)"
    program = analysed({"train.py": HEAD + text})
    assert [site.node.lineno for site in train_sites(program)] == [4]
    assert not {"append", "sorted"} & set(asked)
    assert "size" not in step_flow(program).cells  # the attribute; the parameter is a variable of its function


LEARNER = """
class Learner(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.train_net = nn.TrainOneStepCell(net, opt)
    def {method}(self, x):
        return self.train_net(x)

class Runner:
    def __init__(self, parts):
        self.learner = parts["learner"]
        self.other = parts["other"]
    def run(self, x):
        self.learner(x)
        self.other(x)
        print(self.learner.learn)

Runner({{"learner": Learner(net), "other": nn.Dense(2, 2)}}).run(x)
Learner(net).{method}(x)
"""


@pytest.mark.parametrize(("method", "is_one"), [("construct", True), ("learn", False)])
def test_a_cell_that_steps_in_another_method_than_construct_is_no_step(method: str, is_one: bool) -> None:
    program = analysed({"train.py": HEAD + LEARNER.format(method=method)})
    module = program.modules[0]
    held = {word: id(module.by_word[word][0].node) in step_flow(program).sites for word in ("train_net", "learner")}
    assert held == {"train_net": True, "learner": is_one}
    (cls,) = module.defined["Learner"]
    assert (program.code.call_graph.key(cls) in step_flow(program).classes) is is_one
    assert is_step_class(program, cls) is is_one


CALLED = """
net = nn.Dense(2, 2)
opt = nn.SGD(net.trainable_params())

class Trainer:
    def __init__(self):
        self.opt, self.opts = opt, [opt, nn.SGD(net.trainable_params())]
        self.grad = ms.value_and_grad(self.forward, None, opt.parameters)
    def forward(self, x):
        return net(x).sum()
BODY

trainer = Trainer()
for each in range(9):
    trainer(each)
"""
STEP = "    _, g = self.grad(x)\n    self.opt(g)"
LOOP = "    for x in data:\n        _, g = self.grad(x)\n        self.opt(g)"
WHOLE = {
    "loop over batches": f"def __call__(self, epoch):\n{LOOP}",
    "while": "def __call__(self, n):\n    while n:\n        _, g = self.grad(next(data))\n        self.opt(g)",
    "loop in another method": f"def __call__(self, epoch):\n    self.run(epoch)\ndef run(self, epoch):\n{LOOP}",
    "loop around another method": "def __call__(self, epoch):\n    for x in data:\n        self.step(x)\n"
    f"def step(self, x):\n{STEP}",
    "loop over epochs": "def __call__(self, epochs):\n    for epoch in range(epochs):\n        self.run()\n"
    f"def run(self):\n{LOOP}",
}
ONE = {
    "no loop": f"def __call__(self, x):\n{STEP}",
    "another method": f"def __call__(self, x):\n    self.step(x)\ndef step(self, x):\n{STEP}",
    "loop over optimizers": "def __call__(self, x):\n    _, g = self.grad(x)\n"
    "    for opt in self.opts:\n        opt(g)",
    "loop over optimizers and gradients": "def __call__(self, x):\n    _, g = self.grad(x)\n"
    "    for opt, part in zip(self.opts, g):\n        opt(part)",
    "gradients of parts": "def __call__(self, x):\n    g = 0\n    for part in x.split(2):\n"
    "        g += self.grad(part)[1]\n    self.opt(g)",
    "steps of one of two optimizers": "def __call__(self, x):\n    for part in x.split(2):\n"
    "        self.opt(self.grad(part)[1])\n    self.opt(self.grad(x)[1])",
    "loop in a method beside it": f"def __call__(self, x):\n    self.step(x)\ndef step(self, x):\n{STEP}\n"
    "def run(self):\n    for x in data:\n        self(x)",
}


@pytest.mark.parametrize("name", [*WHOLE, *ONE])
def test_an_object_whose_call_takes_many_steps_is_no_step(name: str) -> None:
    body = {**WHOLE, **ONE}[name].replace("\n", "\n    ")
    program = analysed({"train.py": HEAD + CALLED.replace("BODY", f"    {body}")})
    module = program.modules[0]
    (call,) = module.by_word["trainer"]
    assert (id(call.node) in {id(site.node) for site in train_sites(program)}) is (name in ONE)
    assert is_trained(program)
    (forward,) = module.defined["forward"]
    assert not program.callers(forward)  # a class with `__call__` runs that where it is called


CELL = (
    "class WithLossCell(nn.Cell):\n    def __init__(self, network):\n        self.held = network\n"
    "        self.gradients = ops.GradOperation()\n"
    "    def construct(self, x):\n        self.held(x)\n        return self.gradients(net)(x)\n"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("held = WithLossCell(net)\nheld(x)", id="gradients without an optimizer"),
        pytest.param("nn.WithLossCell(nn.TrainOneStepCell(net, opt), loss)", id="a class named as one of MindSpore"),
    ],
)
def test_what_cannot_be_a_step_is_not_asked(text: str) -> None:
    program = analysed({"train.py": HEAD + CELL + text})
    (held, *others) = (site for module in program.modules for site in module.by_word["held"])
    assert not {id(site.node) for site in (held, *others)} & step_flow(program).sites
    assert not is_trained(program)


OWN = HEAD + (
    "class Other(nn.Cell):\n    def __init__(self, net):\n        self.dense = nn.Dense(2, 2)\n        self.net = net\n"
    "    def construct(self, x):\n        return self.dense(self.net(x))\n"
    "class Step(nn.Cell):\n    def __init__(self, net, optimizer):\n        self.dense = nn.Dense(2, 2)\n"
    "        self.optimizer = optimizer\n        self.gradients = ops.GradOperation()\n"
    "    def construct(self, x):\n        return self.optimizer(self.gradients(net)(self.dense(x)))\n"
    "class Around(nn.Cell):\n    def __init__(self):\n        self.step = Step(net, opt)\n"
    "    def construct(self, x):\n        return self.step(x)\n"
)


@pytest.mark.parametrize("call, trains", [("Step(net, opt)", True), ("Around()", True), ("Other(net)", False)])
def test_a_class_is_a_step_by_what_it_holds(call: str, trains: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    callees = ProgramEvaluator.callees
    monkeypatch.setattr(ProgramEvaluator, "callees", lambda self, site: asked.append(site.word) or callees(self, site))
    assert is_trained(analysed({"train.py": f"{OWN}cell = {call}\ncell(x)"})) is trains
    assert "dense" not in asked


AUTOGRAD = """
    class Tensor:
        def backward(self):
            pass


    class SGD:
        def step(self):
            pass


    """
BACKWARD = "for x in data:\n    loss = net(x)\n    loss.backward()\n    optimizer.step()\n"
DATA = "import mindspore.dataset as ds\n\ndata = ds.MnistDataset('data')\n"
GIVEN = "data, net = input(), input()\n"


@pytest.mark.parametrize(
    ("files", "trains"),
    [
        (
            {
                "train.py": join(
                    DATA, AUTOGRAD, "optimizer = SGD()\n\n\ndef net(x):\n    return Tensor()\n\n\n", BACKWARD
                )
            },
            False,
        ),
        (
            {
                "own.py": AUTOGRAD,
                "train.py": join(DATA, "import own\n\noptimizer, net = own.SGD(), input()\n", BACKWARD),
            },
            False,
        ),
        ({"train.py": join(DATA, "import needle\n\nnet, optimizer = input(), needle.SGD()\n", BACKWARD)}, False),
        ({"train.py": join(DATA, "import paddle\n\nnet, optimizer = input(), paddle.SGD()\n", BACKWARD)}, False),
        ({"train.py": join(GIVEN, "optimizer = input()\n", BACKWARD)}, False),
        ({"train.py": join(GIVEN, "import mindspore\n\noptimizer = input()\n", BACKWARD)}, True),
        ({"train.py": join(GIVEN, "from mindnlp.core import optim\n\noptimizer = optim.SGD()\n", BACKWARD)}, True),
        ({"train.py": join(GIVEN, "import mindtorch.torch as t\n\noptimizer = t.optim.SGD()\n", BACKWARD)}, True),
        ({"train.py": join(GIVEN, "from mindspore import mint\n\noptimizer = mint.optim.AdamW()\n", BACKWARD)}, True),
        ({"train.py": join(GIVEN, "import mindspore\n\noptimizer = torch.optim.SGD()\n", BACKWARD)}, False),
        ({"train.py": join(GIVEN, "import mindspore\nimport torch\n\noptimizer = input()\n", BACKWARD)}, False),
        (
            {"train.py": join(GIVEN, "import mindtorch.torch as torch\n\noptimizer = torch.optim.SGD()\n", BACKWARD)},
            True,
        ),
    ],
    ids=[
        "class",
        "library of the program",
        "library",
        "paddle",
        "no MindSpore",
        "MindSpore",
        "mindnlp",
        "adapter",
        "mint",
        "torch, which nothing imports",
        "torch beside an unknown optimizer",
        "adapter under the name of torch",
    ],
)
def test_backward_is_a_step_where_the_tensors_are_those_of_mindspore(files: dict[str, str], trains: bool) -> None:
    assert is_trained(analysed(files)) is trains


GIVES = """\
class Gradients(nn.Cell):
    def __init__(self, network, weights=None):
        super().__init__()
        self.network = network
        self.weights = network.trainable_params()
        self.grad = ops.GradOperation(get_by_list=True)
    def construct(self, x):
        return self.grad(self.network, self.weights)(x)
"""
INLINE = GIVES.replace("return self.grad(", "return ops.GradOperation(get_by_list=True)(")
VALUE = GIVES.replace("self.grad(self.network, self.weights)", "ms.value_and_grad(self.network, None, self.weights)")
OF_INPUTS = GIVES.replace("get_by_list=True", "get_all=True").replace(", self.weights)(x)", ")(x)")
STEP = "opt = nn.SGD(net)\nstep = Gradients(net)\nopt(step(x))"
DERIVED = GIVES + "class Clipped(Gradients):\n    def construct(self, x):\n        return clip(super().construct(x))\n"
APPLIED = """\
class Agent:
    def __init__(self):
        self.optimizer = nn.SGD(net)
        self.critic = Gradients(net)
    def learn(self):
        grads = self.critic(x)
        self.optimizer(grads)
Agent().learn()
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GIVES + STEP, id="GradOperation in an attribute"),
        pytest.param(INLINE + STEP, id="GradOperation in place"),
        pytest.param(VALUE + STEP, id="value_and_grad in place"),
        pytest.param(DERIVED + STEP.replace("Gradients(", "Clipped("), id="a derived cell"),
        pytest.param(GIVES + APPLIED, id="attributes of an agent"),
        pytest.param(GIVES + "opt = nn.SGD(net)\nfor step in [Gradients(net)]:\n    opt(step(x))", id="in a list"),
    ],
)
def test_a_cell_that_gives_gradients_of_weights_is_a_step_beside_an_optimizer(text: str) -> None:
    assert is_trained(analysed({"train.py": HEAD + text}))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(OF_INPUTS + STEP, id="derivatives by inputs"),
        pytest.param(VALUE.replace("None, self.weights", "0") + STEP, id="value_and_grad by inputs"),
        pytest.param(GIVES + "step = Gradients(net)\nprint(step(x))", id="no optimizer"),
        pytest.param(GIVES + "opt = nn.SGD(net)\nstep = Gradients(net)\nopt(x)", id="built and never called"),
        pytest.param(GIVES.replace("(nn.Cell)", "") + STEP.replace("step(x)", "step"), id="no cell"),
        pytest.param(GIVES.replace("def construct", "def saliency") + STEP, id="gradients in another method"),
    ],
)
def test_other_cells_with_gradients_are_no_steps(text: str) -> None:
    assert not is_trained(analysed({"train.py": HEAD + text}))
