"""To which code running the script leads, where no plain call names it."""

from __future__ import annotations

import pytest
from programs import analysed

TRAIN = "def train():\n    here()\n\ndef other():\n    pass\n\n"
TRAINER = "class Trainer:\n    def __call__(self):\n        here()\n\n    def other(self):\n        pass\n\n"
APP = "class App:\n    def train(self):\n        here()\n\n    def other(self):\n        pass\n\n"

SACRED = "from sacred import Experiment\n\nex = Experiment('run')\n\n"

REACHED = {
    "call": TRAIN + "train()\n",
    "object that is called": TRAINER + "Trainer()()\n",
    "object with a name": TRAINER + "trainer = Trainer()\nrun = trainer\nrun()\n",
    "object in a dict": TRAINER + "by_name = {'a': Trainer()}\nby_name['a']()\n",
    "object of a derived class": TRAINER + "class Derived(Trainer):\n    pass\n\nDerived()()\n",
    "object in an attribute": TRAINER
    + "class Main:\n    def __init__(self):\n        self.run = Trainer()\n\n"
    + "    def main(self):\n        self.run()\n\nMain().main()\n",
    "object that partial prepares": "from functools import partial\n" + TRAINER + "partial(Trainer())()\n",
    "function for a library": "import fire\n" + TRAIN + "fire.Fire(train)\n",
    "functions by name": "import fire\n" + TRAIN + "fire.Fire({'train': train, 'other': other})\n",
    "functions in a list": "import clize\n" + TRAIN + "clize.run([train, other])\n",
    "class for the command line": "import fire\n" + APP + "fire.Fire(App)\n",
    "classes by name": "import fire\n" + APP + "fire.Fire({'app': App})\n",
    "group of click": "import click\n\n@click.group()\ndef cli():\n    pass\n\n@cli.command()\n" + TRAIN + "cli()\n",
    "group in a group": "import click\n\n@click.group()\ndef cli():\n    pass\n\n@cli.group()\ndef run():\n    pass\n\n"
    "@run.command()\n" + TRAIN + "cli()\n",
    "app of typer": "import typer\n\napp = typer.Typer()\n\n@app.command()\n" + TRAIN + "app()\n",
    "app in a function": "import typer\n\napp = typer.Typer()\n\n@app.command()\n"
    + TRAIN
    + "def main():\n    app()\n\nmain()\n",
    "all of the file, for the command line": "import fire\n" + TRAIN + "fire.Fire()\n",
    "classes of the file, for the command line": "import fire\n" + APP + "def main():\n    fire.Fire()\n\nmain()\n",
    "end of a script of sacred": SACRED + "@ex.automain\n" + TRAIN,
    "main of sacred": SACRED + "@ex.main\n" + TRAIN + "ex.run_commandline([])\n",
    "main of sacred, under a guard": SACRED + "@ex.main\n" + TRAIN + "if __name__ == '__main__':\n    ex.run()\n",
    "main of sacred, in a function": SACRED + "@ex.main\n" + TRAIN + "def go():\n    ex.run()\n\ngo()\n",
    "task of ray": "import ray\n\n@ray.remote\n" + TRAIN + "ray.get(train.remote())\n",
}
NOT_REACHED = {
    "no call": TRAIN,
    "call of another function": TRAIN + "other()\n",
    "object that is made": TRAINER + "Trainer()\n",
    "object with another method": TRAINER + "Trainer().other()\n",
    "object of a class with a method of its own": TRAINER
    + "class Derived(Trainer):\n    def __call__(self):\n        pass\n\nDerived()()\n",
    "other object that is called": TRAINER + "class Other:\n    def __call__(self):\n        pass\n\nOther()()\n",
    "object that is passed on": TRAINER + "import lib\nlib.keep(Trainer())\n",
    "branch that never runs": TRAINER + "if False:\n    Trainer()()\n",
    "function by name for a library": "import fire\n" + TRAIN + "fire.Fire('train')\n",
    "class for another library": "import lib\n" + APP + "lib.keep(App)\n",
    "group that is not called": "import click\n\n@click.group()\ndef cli():\n    pass\n\n@cli.command()\n" + TRAIN,
    "other group": "import click\n\n@click.group()\ndef cli():\n    pass\n\n@click.group()\ndef own():\n    pass\n\n"
    "@own.command()\n" + TRAIN + "cli()\n",
    "group under a local name": "import typer\n\napp = typer.Typer()\n\n@app.command()\n"
    + TRAIN
    + "def main(app):\n    app()\n\nmain(other)\n",
    "all of the file, for another library": "import lib\n" + TRAIN + "lib.keep()\n",
    "names for the command line": "import fire\n" + TRAIN + "fire.Fire({'other': other})\n",
    "main of sacred that nothing runs": SACRED + "@ex.main\n" + TRAIN + "ex.add_config({})\n",
    "main of another experiment": SACRED + "own = Experiment('own')\n\n@own.main\n" + TRAIN + "ex.run()\n",
    "command of sacred": SACRED + "@ex.command\n" + TRAIN + "ex.run()\n",
    "experiment under a local name": SACRED + "@ex.main\n" + TRAIN + "def go(ex):\n    ex.run()\n\ngo(other)\n",
    "page of a server": "from flask import Flask\n\napp = Flask('a')\n\n@app.route('/')\n" + TRAIN + "app.run()\n",
    "other task of ray": "import ray\n\n@ray.remote\n" + TRAIN + "@ray.remote\ndef own():\n    pass\n\nown.remote()\n",
    "decorator of the same name": "from lib import app\n\n@app\n" + TRAIN + "app()\n",
}


@pytest.mark.parametrize("name", REACHED)
def test_it_runs(name: str) -> None:
    program = analysed({"train.py": REACHED[name]})
    (site,) = program.sites("here")
    assert program.is_run_by_entry(site)


@pytest.mark.parametrize("name", NOT_REACHED)
def test_it_does_not_run(name: str) -> None:
    program = analysed({"train.py": NOT_REACHED[name]})
    assert not any(map(program.is_run_by_entry, program.sites("here")))
