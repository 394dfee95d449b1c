"""The call graph by words finds no less than the evaluator: it only chooses what the evaluator is asked about."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Optional, Union

import pytest
from programs import analysed
from spellings import CALLS, DECOYS, GAPS, HOLDS, IDLE
from test_spellings import BASES, filled

from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.infer.alternatives import Bound, Instance
from ms_perflint.infer.evaluate import ProgramEvaluator
from ms_perflint.infer.nodes import ANY, OWN
from ms_perflint.program.call_graph import GROUP
from ms_perflint.program.moves import Moves
from ms_perflint.program.program import Program
from ms_perflint.training.training_steps import is_step, step_flow

BETTER = {"other partial"}  # the graph keeps apart what the evaluator does not
HELD = {name: spelling for name, spelling in {**HOLDS, **DECOYS}.items() if name not in BETTER}
KINDS = {"train cell": HELD, "save": HELD, "call of a save": {**CALLS, **IDLE}}


def missed(program: Program) -> list[str]:
    """Return the calls in running code whose callee the evaluator knows, and which the graph does not draw."""
    found = []
    sites = (site for module in program.modules for site in module.sites if isinstance(site.node, ast.Call))
    for site in filter(program.is_live, sites):
        value = program.evaluator.callees(site)
        if is_step(program, value) and id(site.node) not in step_flow(program).sites:
            found.append(f"{site.module.path}:{site.node.lineno} {site.word}: a step")
        for drawn, name in filter(None, (_drawn(program, known.what) for known in value.alternatives)):
            if site not in drawn and site.word != "__init__":  # that is drawn from the class
                found.append(f"{site.module.path}:{site.node.lineno} {site.word}: {name}")
    return found


def all_sites(program: Program, function: Scope) -> tuple[Site, ...]:
    """Return the sites that may call a function or class, also those of its groups."""
    graph = program.code.call_graph
    grouped = (site for name in graph.groups(function) for site in graph.group(name))
    return tuple(dict.fromkeys((*graph.sites(function), *grouped)))


def all_instance_sites(program: Program, cls: Scope) -> tuple[Site, ...]:
    """Return the sites that may call an object of a class, also those of its groups."""
    graph = program.code.call_graph
    grouped = (site for number in graph.instance_groups(cls) for site in graph.instance_group(number))
    return tuple(dict.fromkeys((*graph.instance_sites(cls), *grouped)))


def _drawn(program: Program, what: object) -> Optional[tuple[tuple[Site, ...], str]]:
    """Return the calls that the graph draws of what a callee is; None for what is not defined in the program."""
    what = what.function if isinstance(what, Bound) else what
    if isinstance(what, Scope) and (what.is_function or what.is_class):
        return all_sites(program, what), what.name
    if isinstance(what, Instance) and isinstance(what.type, Scope) and what.type.method("__call__") is not None:
        return all_instance_sites(program, what.type), f"an object of {what.type.name}"
    return None


@pytest.mark.parametrize("name", dict.fromkeys(name for spellings in KINDS.values() for name in spellings))
def test_the_graph_draws_what_the_evaluator_knows(name: str) -> None:
    for kind, spellings in KINDS.items():
        if name in spellings and name not in GAPS.get(kind, ()):
            base = BASES[kind]
            assert not missed(analysed(filled(base, spellings[name], base.value))), kind


def test_methods_of_one_name_are_told_apart_by_the_evaluator() -> None:
    program = analysed(
        {
            "train.py": """
            class First:
                def run(self, x):
                    return x
            class Second:
                def run(self, x):
                    return x
            def held(x):
                return x
            First().run(1)
            table = [held]
            table[0](2)
            """
        }
    )
    (module,) = program.modules
    first, second = (each.method("run") for each in module.scope.defines if each.is_class)
    assert first is not None and second is not None
    assert [site.node.lineno for site in all_sites(program, second)] == [9]
    assert [site.node.lineno for site in program.callers(first)] == [9] and not program.callers(second)
    assert [site.node.lineno for site in program.callers(module.defined["held"][0])] == [11]


def test_a_function_is_called_under_the_name_that_a_package_gives_it() -> None:
    program = analysed(
        {
            "train.py": "from package import run\nrun(1)",
            "package/__init__.py": "from .inner import fit as run",
            "package/inner.py": "def fit(x):\n    return x",
        }
    )
    (fit,) = (scope for module in program.modules for scope in module.scopes if scope.name == "fit")
    assert [site.word for site in program.callers(fit)] == ["run"]
    assert program.callees(program.callers(fit)[0]) == (fit,)


LAYERS, WIDE = 8, 40  # functions that hand on what they are given, and functions in a table


def tangled(number: int) -> dict[str, str]:
    """Return a program in which all functions of a table are called with one another, in circles."""
    table = "".join(
        f"def step_{at}(x, then):\n    kept.append(then)\n    return then(x, kept[0])\n" for at in range(number)
    )
    names = ", ".join(f"step_{at}" for at in range(number))
    circle = "".join(f"def layer_{at}(f):\n    return layer_{(at + 1) % LAYERS}(f)\n" for at in range(LAYERS))
    calls = "for step in table:\n    layer_0(step)(1, kept[1])\n    step(step, table[0])\n"
    return {"train.py": f"kept = []\n{table}{circle}table = [{names}]\n{calls}"}


@pytest.mark.parametrize("number", [WIDE, 4 * WIDE])
def test_what_flows_in_circles_takes_few_steps_for_each_edge(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = 0
    move = Moves.of

    def counted(moves: Moves, bits: int, width: int) -> int:
        nonlocal steps
        steps += 1
        return move(moves, bits, width)

    monkeypatch.setattr(Moves, "of", counted)
    program = analysed(tangled(number))
    (module,) = program.modules
    called = [site.node.lineno for site in all_sites(program, module.defined["step_0"][0])]
    flow = program.code.call_graph._flow
    assert len(called) == number + 2
    assert 0 < steps <= 2 * sum(map(len, flow._edges.values()))
    assert sum(map(len, flow._edges.values())) <= 25 * number  # not for each function one to each other
    before = steps
    program.code.call_graph.sites(module.defined["step_1"][0])
    assert steps == before


def computed(number: int) -> dict[str, str]:
    """Return a program whose functions are called by names that are worked out, at as many sites."""
    functions = "".join(f"def step_{at}(x):\n    return x\n" for at in range(number))
    calls = "".join(f"getattr(sys.modules[__name__], names[{at}])(1)\n" for at in range(number))
    return {"train.py": f"import sys\n{functions}names = input()\n{calls}"}


def asked_callees(monkeypatch: pytest.MonkeyPatch) -> list[Site]:
    """Return the sites whose callees are asked for from now on."""
    asked: list[Site] = []
    callees = ProgramEvaluator.callees
    monkeypatch.setattr(ProgramEvaluator, "callees", lambda self, site: asked.append(site) or callees(self, site))
    return asked


@pytest.mark.parametrize("make", [tangled, computed])
@pytest.mark.parametrize("number", [2 * GROUP, 4 * GROUP])
def test_sites_that_may_enter_many_functions_are_asked_once_for_all(
    make: Callable[[int], dict[str, str]], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = analysed(make(number))
    callees, asked = ProgramEvaluator.callees, asked_callees(monkeypatch)
    functions = [scope for module in program.modules for scope in module.scopes if scope.is_function]
    sites = {site for function in functions for site in all_sites(program, function)}
    assert len(functions) >= number and len(sites) >= number
    found = {function: set(program.callers(function)) for function in functions}
    assert 0 < len(asked) <= 12 * (len(functions) + len(sites))
    called = {site: {known.definition for known in callees(program.evaluator, site).alternatives} for site in sites}
    assert found == {function: {site for site in sites if function in called[site]} for function in functions}


@pytest.mark.parametrize("number", [2 * GROUP, 4 * GROUP])
def test_sites_that_may_call_objects_of_many_classes_are_asked_once_for_all(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    classes = "".join(f"class Step{at}:\n    def __call__(self, x):\n        return x\n" for at in range(number))
    table = ", ".join(f"Step{at}()" for at in range(number))
    calls = "".join(f"table[{at}](1)\n" for at in range(number)) + "Step0()(2)\n"
    program = analysed({"train.py": f"{classes}table = [{table}]\n{calls}"})
    callees, asked = ProgramEvaluator.callees, asked_callees(monkeypatch)
    methods = [each for module in program.modules for each in module.scopes if each.name == "__call__"]
    assert len(methods) == number
    found = {method: set(program.callers(method)) for method in methods}
    assert 0 < len(asked) <= 12 * 3 * number
    sites = [site for module in program.modules for site in module.sites]
    called = {site: {known.cls for known in callees(program.evaluator, site).alternatives} for site in sites}
    assert found == {method: {site for site in sites if method.cls in called[site]} for method in methods}
    assert [len(found[method]) for method in methods[:2]] == [2, 1]


OWN_NAMES = [
    "getattr(sys.modules[__name__], name)()",
    "getattr(modules[__name__], name)()",
    "globals()[name]()",
    "held = getattr(sys.modules[__name__], name, None)\nheld()",
]


@pytest.mark.parametrize("call", OWN_NAMES)
@pytest.mark.parametrize("star", [False, True])
def test_a_name_that_is_worked_out_is_one_of_the_file_it_is_looked_up_in(call: str, star: bool) -> None:
    names, made = ("*", "make") if star else ("near, make as made", "made")
    files = {
        "train.py": f"import sys\nfrom sys import modules\nimport far\nfrom kit import {names}\nfar.other()\n"
        f"def own():\n    print(near, {made})\nname = input()\n{call}\n",
        "kit.py": "def near():\n    pass\ndef make():\n    pass\n",
        "far.py": "def other():\n    pass\n",
    }
    program = analysed(files)
    sites = [site for site in program.modules[0].sites if site.node.lineno >= 9]
    called = {
        scope.name
        for module in program.modules
        for scope in module.scopes
        if scope.is_function and set(all_sites(program, scope)) & set(sites)
    }
    assert called == {"own", "near", "make"}


def test_the_names_of_a_file_include_those_that_star_imports_bind_in_the_files_it_imports() -> None:
    files = {
        "train.py": "import far\nfrom kit import *\nfrom mindspore.nn import *\nfar.other()\n"
        "print(own, make, made)\neval(input())()\n",
        "kit.py": "from inner import *\nfrom near import renamed as made\ndef own():\n    pass\n",
        "inner.py": "def make():\n    pass\n",
        "near.py": "def renamed():\n    pass\ndef hidden():\n    pass\n",
        "far.py": "def other():\n    pass\n",
    }
    program = analysed(files)
    (site,) = (site for site in program.modules[0].sites if site.word == "")
    functions = [scope for module in program.modules for scope in module.scopes if scope.is_function]
    assert {each.name for each in functions if site in all_sites(program, each)} == {"own", "make", "renamed"}


@pytest.mark.parametrize("name", [ANY, OWN, 0])
def test_a_group_of_another_program_has_no_sites(name: Union[str, int]) -> None:
    graph = analysed({"train.py": "def step(x):\n    return x\nstep(1)\n"}).code.call_graph
    assert graph.group(name) == () and graph.instance_group(0) == ()
