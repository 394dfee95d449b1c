"""Where the way to a value ends that the program does not show: the expression that cannot be followed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from ms_perflint import mindspore_api
from ms_perflint.core.findings import Place
from ms_perflint.index.semantic_index import Scope, Site
from ms_perflint.index.syntax_forms import given as all_given
from ms_perflint.infer.assignments import graph_of
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.places import CALL, joined
from ms_perflint.infer.values import Alternative
from ms_perflint.languages import Message
from ms_perflint.program.program import Program
from ms_perflint.program.value_flow import Held, Key
from ms_perflint.training.training_steps import OPTIMIZERS, PARAMETERS, STEP_CELLS, base_apis, is_optimizer, names

LONGEST = 60  # characters of code that are shown
WORDS = ("train", "fit", "finetune")
FAMILY = r"mind(?!spore\.)\w*\."  # names of packages around MindSpore: mindformers, mindnlp, mindspore_rl
GRADIENTS = frozenset({"mindspore.nn.WithGradCell"})  # also for what is no training
# Packages whose functions show, store or copy what they are given, and train no network of MindSpore
BYSTANDERS = frozenset(
    {
        "builtins", "mindspore", "collections", "copy", "functools", "inspect", "itertools", "json", "logging",
        "operator", "os", "pickle", "pprint", "sys", "time", "typing", "warnings", "numpy", "torch", "tqdm", "yaml",
        "wandb",
    }
)  # fmt: skip


class End(NamedTuple):
    """An expression whose value the program does not show, and the scope in which it stands."""

    node: ast.expr
    scope: Scope

    @property
    def place(self) -> Place:
        """Return where it stands."""
        module = self.scope.module
        return module.source.place(module.span(self.node)[0])

    @property
    def code(self) -> str:
        """Return what stands there, on one line, cut short."""
        text = " ".join(self.scope.module.text(self.node).split())
        return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."

    def said(self, program: Program) -> Message:
        """Return that it cannot be followed, and where it stands."""
        place = f"{program.named(self.scope.module.path)}:{self.place.spot}"
        return Message("`{code}` cannot be followed in {place}", code=self.code, place=place)


def end(program: Program, node: ast.expr, scope: Scope) -> End:
    """Return the expression at which the way to the value of another one ends: itself, or one that gives it."""
    seen: set[ast.expr] = set()
    while True:
        seen.add(node)
        step = _step(program, node, scope)
        if step is None or step.node in seen:
            return End(node, scope)
        node, scope = step


def is_unknown(program: Program, node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression can be something that the program does not show."""
    value = program.value(node, scope)
    return value.open or not value.alternatives


def _step(program: Program, node: ast.expr, scope: Scope) -> Optional[End]:
    """Return the unknown expression on which the value of another one rests; None where there is none."""
    for step in _steps(program, node, scope):
        if is_unknown(program, step.node, step.scope):
            return step
    return None


def _steps(program: Program, node: ast.expr, scope: Scope) -> list[End]:
    if isinstance(node, ast.Name):
        return given(program, node.id, scope)
    if isinstance(node, ast.Await):
        return [End(node.value, scope)]
    if isinstance(node, ast.IfExp):
        return [End(node.body, scope), End(node.orelse, scope)]
    if isinstance(node, ast.Call):
        site = scope.module.site_at(node)
        functions = program.callees(site) if site is not None else ()
        returned = [End(value, function) for function in functions for value, _ in function.returns]
        return returned if functions else [End(node.func, scope)]
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return [End(node.value, scope)]
    return []


def given(program: Program, name: str, scope: Scope) -> list[End]:
    """Return what a name is given: where it is bound, or by the calls of the function whose parameter it is."""
    around: Optional[Scope] = scope
    while around is not None and name not in around.bindings:
        around = around.parent
    found: list[End] = []
    for binding in around.bindings[name] if around is not None else ():
        if binding.kind != "parameter":
            found += [End(binding.value, binding.scope)] if binding.value is not None else []
            continue
        for site in program.callers(binding.scope) if binding.scope.is_function else ():
            part = argument(program.evaluator, binding, site).part
            found += [End(*part)] if part is not None else []
    return found


def trainer(program: Program) -> Optional[End]:
    """Return a running call that may train for all that is known, of a program in which no step of a training is found.

    It is a `train` or `fit` of something that cannot be followed or belongs to another package of the MindSpore family,
    or it makes a training step of which no call is known, or it hands an optimizer to code that is not there.
    """
    for word in WORDS:
        for site in program.sites(word):
            node = site.node
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not program.runs(site):
                continue
            apis = program.apis(site)
            if any(re.match(FAMILY, api) for api in apis):
                return End(node, site.scope)
            if any(api.startswith(".") for api in apis):  # of what a value without a name gave: `TABLE.get(key)(x)`
                return End(node.func.value, site.scope)
            if apis or program.callees(site):
                continue
            if is_unknown(program, node.func.value, site.scope):
                return end(program, node.func, site.scope)
    made = next((call for call in program.calls(*sorted(STEP_CELLS - GRADIENTS)) if program.runs(call)), None)
    return End(made.node, made.scope) if made is not None else _optimizes(program)


def _optimizes(program: Program) -> Optional[End]:
    """Return a running call that hands an optimizer to code that is not there; None where none does."""
    kinds = sorted(set().union(*map(mindspore_api.descendants, OPTIMIZERS)))
    if not any(map(program.runs, program.sites(PARAMETERS[0]))) and not program.has_calls(*kinds):
        return None
    held: Held = {}
    program.call_graph.reach([(name, CALL) for name in (*names(kinds), *PARAMETERS)], held)
    made = [place for site in _sites_given(program, held) for place in graph_of(site.module).callees[id(site.node)]]
    program.call_graph.reach([(node.key, joined(path, CALL)) for node, path in made], held)
    for site in _sites_given(program, held):
        if program.runs(site) and _is_absent(program, site) and _is_given_optimizer(program, site):
            return End(site.node, site.scope)
    return None


def _sites_given(program: Program, held: Held) -> list[Site]:
    """Return the calls whose arguments have something in them that, by its name, may be what is held."""
    return [site for module in program.modules for site in module.sites if not held.keys().isdisjoint(_given_in(site))]


def _given_in(site: Site) -> Iterator[Key]:
    """Yield the names in the arguments of a call, as the assignment graph has them."""
    graph = graph_of(site.module)
    for part in (part for each in _arguments(site.node) for part in ast.walk(each)):
        if isinstance(part, ast.Name):
            yield graph.name(part.id, site.scope).key
        elif isinstance(part, ast.Attribute):
            yield part.attr


def _arguments(node: ast.expr) -> list[ast.expr]:
    """Return what a call passes; nothing of what calls without being one, as a decorator does."""
    passed = all_given(node) if isinstance(node, ast.Call) else []
    return [each.value if isinstance(each, ast.Starred) else each for each in passed]


def _is_absent(program: Program, site: Site) -> bool:
    """Return whether what a call enters is not there to be read, and of no library that is known to train nothing."""
    callee = program.evaluator.callees(site).alternatives
    if not callee:
        return not program.callees(site)
    classes = [known.definition for known in callee if known.definition is not None]
    apis = {api for cls in classes if cls.method("__init__") is None for api in base_apis(program, cls)}
    return any(api.partition(".")[0] not in BYSTANDERS for api in apis | set(program.apis(site)))


def _handed(program: Program, node: ast.expr, scope: Scope) -> Iterator[Alternative]:
    """Yield what the arguments of a call can be, and what stands in those that are containers."""
    for value in _arguments(node):
        for known in program.value(value, scope).alternatives:
            yield known
            for part in known.parts if known.is_display else ():
                yield from program.evaluator.read(part).alternatives


def _is_given_optimizer(program: Program, site: Site) -> bool:
    """Return whether a call is given an optimizer, or what code that is not there made of parameters of a network."""
    for known in _handed(program, site.node, site.scope):
        made, api = known.creation, known.type_api
        if made is not None and is_optimizer(program, api, known.cls):
            return True
        if made is not None and api and api.partition(".")[0] not in BYSTANDERS:
            given = _handed(program, made.call, made.scope)
            if any(part.type_api.rpartition(".")[2] in PARAMETERS for part in given):
                return True
    return False
