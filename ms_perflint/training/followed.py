"""The expression at which the evaluator loses a value that the program does not show."""

from __future__ import annotations

import ast
import os
import re
from functools import cache
from itertools import takewhile
from typing import NamedTuple, Optional

from ms_perflint.core.findings import Place
from ms_perflint.core.graphs import reachable
from ms_perflint.core.source import flat, short
from ms_perflint.index.predicates import DEVICES, choice
from ms_perflint.index.semantic_index import Scope, SemanticIndex, Site
from ms_perflint.index.signature import Part, receiver_name
from ms_perflint.index.syntax_forms import descendants, given, only_target, text_of, word_of
from ms_perflint.infer.bases import ancestors
from ms_perflint.infer.parameters import argument
from ms_perflint.infer.places import NAMESPACES
from ms_perflint.languages import Message
from ms_perflint.program.call_site import Call
from ms_perflint.program.program import Program, fact
from ms_perflint.resolve.resolver import BY_CALL, INIT
from ms_perflint.training.bases import base_apis, is_cell_class
from ms_perflint.training.family import ADAPTERS, is_of
from ms_perflint.training.optimizers import PARAMETERS, given_optimizers, is_outside, optimizers, storing_optimizers
from ms_perflint.training.training_steps import STEP_CELLS, VALUE_AND_GRAD

LONGEST = 60  # characters of code that are shown
WORDS = ("train", "fit", "finetune")
# Methods that train by their names: a function of the program with such a name does not show which one is called
_VERBS = (
    "run_training", "run_train", "do_train", "start_training", "start_train", "train_model", "train_loop",
    "train_epoch", "train_one_epoch", "fine_tune", "pretrain",
)  # fmt: skip
FAMILY = r"mind(?!spore\.)\w*\."  # names of packages around MindSpore: mindformers, mindnlp, mindspore_rl
MEMBERS = 8  # steps from a member to what it is taken from
GRADIENTS = frozenset({"mindspore.nn.WithGradCell", VALUE_AND_GRAD})  # also for what is no training
# `model.train`, not `from mindspore.train.callback import` or `import a.train.b`
_CALLS = rb"\.[\s\\]*(?:%s)\b(?![\s\\]*\.|[ \t\\]+import\b)" % "|".join((*WORDS, *_VERBS)).encode()


class End(NamedTuple):
    """An expression whose value the program does not show, and its scope."""

    node: ast.expr
    scope: Scope

    @property
    def place(self) -> Place:
        """Return where it stands."""
        module = self.scope.module
        return module.place(self.node)

    @property
    def code(self) -> str:
        """Return its source text on one line, cut short."""
        return short(flat(self.scope.module.text(self.node)), LONGEST)

    def said(self, program: Program) -> Message:
        """Return the message that it cannot be followed, with its place."""
        place = f"{program.named(self.scope.module.path)}:{self.place.spot}"
        return Message("`{code}` cannot be followed in {place}", code=self.code, place=place)


def asks_for_device(program: Program, node: Optional[ast.expr], scope: Scope) -> bool:
    """Return whether an expression tests the device, itself or through names: `not device == "CPU"`."""

    def before(value: End) -> list[End]:
        if isinstance(value.node, ast.Name):
            return values_of_name(program, value.node.id, value.scope)
        if isinstance(value.node, ast.IfExp):
            return [End(value.node.test, value.scope)]
        return attribute_values(program, *value)

    found = reachable([End(node, scope)] if node is not None else [], before)
    tests = (part for each in found for part in ast.walk(each.node) if isinstance(part, (ast.Compare, ast.Call)))
    return any(choice(test).devices(True) != DEVICES for test in tests)


def attribute_values(program: Program, node: ast.expr, scope: Scope) -> list[End]:
    """Return the values that a class stores in an attribute of `self`, which a method reads; none for others."""
    cls = scope.owner.cls
    if cls is None or not isinstance(node, ast.Attribute) or word_of(node.value) != receiver_name(scope.owner):
        return []
    stores = [each for base in ancestors(program.evaluator, cls) for each in base.attributes.get(node.attr, ())]
    return [End(each.value, each.scope) for each in stores if each.value is not None]


def end(program: Program, node: ast.expr, scope: Scope) -> End:
    """Return the unknown expression from which the value of an expression comes, which may be the expression itself."""
    seen: set[ast.expr] = set()
    while True:
        seen.add(node)
        step = _step(program, node, scope)
        if step is None or step.node in seen:
            return End(node, scope)
        node, scope = step


def is_unknown(program: Program, node: ast.expr, scope: Scope) -> bool:
    """Return whether an expression may be something that the program does not show."""
    value = program.value(node, scope)
    return value.open or not value.alternatives


def _step(program: Program, node: ast.expr, scope: Scope) -> Optional[End]:
    """Return the first unknown operand from which the value of an expression comes; None without one."""
    for step in _steps(program, node, scope):
        if is_unknown(program, step.node, step.scope):
            return step
    return None


def _steps(program: Program, node: ast.expr, scope: Scope) -> list[End]:
    """Return the operands from which the value of an expression comes."""
    if isinstance(node, ast.Name):
        return values_of_name(program, node.id, scope)
    if isinstance(node, ast.IfExp):
        return [End(node.body, scope), End(node.orelse, scope)]
    if isinstance(node, ast.Call):
        if word_of(node.func) == "getattr" and node.args:
            return [End(node.args[0], scope)]
        site = scope.module.site_at(node)
        functions = program.callees(site) if site is not None else ()
        returned = [End(value, function) for function in functions for value, _ in function.returns]
        return returned if functions else [End(node.func, scope)]
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return [End(node.value, scope)]
    return []


def values_of_name(program: Program, name: str, scope: Scope) -> list[End]:
    """Return the values of a name: those of its bindings, or the arguments of calls if it is a parameter."""
    around = next((each for each in scope.chain() if name in each.bindings), None)
    found: list[End] = []
    for binding in around.bindings[name] if around is not None else ():
        if binding.kind != "parameter":
            found += [End(binding.value, binding.scope)] if binding.value is not None else []
            continue
        for site in program.callers(binding.scope) if binding.scope.is_function else ():
            part = argument(program.evaluator, binding, site).part
            found += [End(*part)] if part is not None else []
    return found


def may_hold_trainer(program: Program) -> bool:
    """Return whether the bytes of a file of a program name what may train: before it is known what runs.

    Such are `train` and `fit`, optimizers and the parameters that they are made of, and imports by a call.
    """
    words = _marks()
    return _calls_training(program) or any(program.project.contains_any(path, words) for path in program.files)


def _calls_training(program: Program) -> bool:
    """Return whether the bytes of a file of a program may call a member named `train` or `fit`."""
    return any(program.project.matches(path, _CALLS) for path in program.files)


@cache
def _marks() -> tuple[str, ...]:
    """Return the words of what makes a training step or an optimizer, or imports a module by a call."""
    return (*PARAMETERS, *BY_CALL, *sorted({api.rpartition(".")[2] for api in (*STEP_CELLS, *optimizers())}))


def trainer(program: Program) -> Optional[End]:
    """Return a running call that may train, of a program in which no training step is found; None without one.

    It is a `train`, `fit` or `run_training` of an unknown object, of one of another package of the MindSpore family, or
    of one whose class derives from external code; or it makes a training step of which no call is known; or it passes
    an optimizer to external code.
    """
    for word in (*WORDS, *_VERBS) if _calls_training(program) else ():
        for site in program.sites(word):
            node = site.node
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not program.runs(site):
                continue
            apis = [api for api in program.apis(site) if not api.startswith("builtins.")]  # `{}.train` is nothing
            if any(re.match(FAMILY, api) for api in apis):
                return End(node, site.scope)
            if any(api.startswith(".") for api in apis):  # of what a value without a name gave: `TABLE.get(key)(x)`
                return End(node.func.value, site.scope)
            if apis or (word in WORDS and program.callees(site)):
                continue
            if is_unknown(program, node.func.value, site.scope):
                return end(program, node.func, site.scope)
            if _is_inherited(program, node.func.value, site.scope):
                return End(node, site.scope)
    steps = (call for call in program.calls(*sorted(STEP_CELLS - GRADIENTS)) if program.runs(call))
    kept = (call for call in steps if not _is_in_model(program, call) and not _is_dropped(program, call))
    made = next((call for call in kept if not _is_part(program, call)), None)
    return End(made.node, made.scope) if made is not None else _optimizes(program) or _runs_unknown(program)


def _is_inherited(program: Program, node: ast.expr, scope: Scope) -> bool:
    """Return whether an object is of a class that derives from one of external code: `class Own(zoo.Trainer)`."""
    classes = (known.cls for known in program.value(node, scope).alternatives if known.cls is not None)
    bases = (base for cls in classes for base in base_apis(program, cls))
    return any(is_outside(base) and not is_of(base, ADAPTERS) for base in bases)


def _runs_unknown(program: Program) -> Optional[End]:
    """Return the running call that imports an unknown module of which something is called; None without one.

    `vars(module).items()` reads settings from a module, and does not count.
    """
    imports = [site for word in BY_CALL for site in program.sites(word) if is_unknown(program, site.node, site.scope)]
    nodes = {site.node: site.scope for site in imports if program.runs(site) and _may_lead_to_training(program, site)}
    for site in (site for module in dict.fromkeys(each.module for each in imports) for site in module.sites):
        module = _taken_from(site.node.func, site.scope) if isinstance(site.node, ast.Call) else None
        if module in nodes and program.runs(site):
            return End(module, nodes[module])
    return None


def _may_lead_to_training(program: Program, site: Site) -> bool:
    """Return whether a computed import may be of a module that trains, itself or by what it imports.

    Not if its name begins with a package of the program, and no module in that names what may train.
    """
    start = start_of(site.call.args[0], site.scope) if site.call.args else ""
    package = program.import_target(site.module, start.rpartition(".")[0], 0) if "." in start[1:] else None
    if not isinstance(package, SemanticIndex) or not package.path.endswith(INIT) or re.search("[{%]", start):
        return True
    project, folder = program.project, package.directory
    inside = [os.path.join(folder, name) for name in sorted(project.files.named(folder, "*.py"))]
    found = {path for each in inside for path in project.closure(each)}
    return any(project.contains_any(path, _marks()) or project.matches(path, _CALLS) for path in found)


def start_of(node: Optional[ast.expr], scope: Scope) -> str:
    """Return what stands before the unknown end of a text: "models." for `f"models.{name}"`; "" for other texts."""
    for _ in range(MEMBERS):
        if isinstance(node, ast.Name):
            only = scope.single(node)
            node = only.whole if only is not None else None
        elif isinstance(node, ast.JoinedStr):
            node = node.values[0] if len(node.values) == 2 else None
        elif isinstance(node, ast.BinOp):
            node = node.left if not isinstance(node.left, ast.BinOp) else None
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            texts = getattr(node.args[0], "elts", ()) if node.args and node.func.attr == "join" else ()
            shown = [*takewhile(bool, map(text_of, texts))]
            if shown:
                return "".join(f"{text}{text_of(node.func.value)}" for text in shown if len(shown) == len(texts) - 1)
            node = node.func.value if node.func.attr == "format" else None
    return re.sub(r"(?:\{\w*\}|%s)$", "", text_of(node))


def _taken_from(node: ast.expr, scope: Scope) -> ast.expr:
    """Return the object of which an expression is a member, through names: `module.Net`, `getattr(module, name)`."""
    for _ in range(MEMBERS):
        if isinstance(node, ast.Attribute) and node.attr not in NAMESPACES:
            node = node.value
        elif isinstance(node, ast.Call) and word_of(node.func) == "getattr" and node.args:
            node = node.args[0]
        elif isinstance(node, ast.Name):
            only = scope.single(node)
            if only is None or only.value is None or only.kind != "assign":
                break
            node = only.value
        else:
            break
    return node


def _is_in_model(program: Program, made: Call) -> bool:
    """Return whether a training step is the network of a Model, of which a `train` is known or not."""
    values = (model.argument("network") for model in program.calls("mindspore.train.Model"))
    makers = (known.creation for value in values for known in value.alternatives)
    return any(maker is not None and maker.call is made.node for maker in makers)


def _is_dropped(program: Program, made: Call) -> bool:
    """Return whether a function makes an object that no code reads: building a step is no training."""
    return made.scope.owner.is_function and is_dropped(program, made)


def is_dropped(program: Program, site: Site) -> bool:
    """Return whether the result of a call gets one name, of a function or the entry script, which no code reads."""
    name, home, module = only_target(site.stmt), site.scope.owner, site.module
    is_there = home.is_function or (home is module.scope and module.path == program.entry)
    if not is_there or not isinstance(name, ast.Name) or getattr(site.stmt, "value", None) is not site.node:
        return False
    return name.id in home.bindings and name.id not in _loaded(program, home)


@fact
def _loaded(program: Program, home: Scope) -> frozenset[str]:
    """Return the names that code in a function or module loads."""
    names = (each for each in descendants(home.node) if isinstance(each, ast.Name))
    return frozenset(each.id for each in names if isinstance(each.ctx, ast.Load))


def _is_part(program: Program, made: Call) -> bool:
    """Return whether a training step is only given to cells of the program: what calls these would be known."""
    name, owner = only_target(made.stmt), made.scope.owner
    if not isinstance(name, ast.Name):
        return False
    others = (each for each in made.module.scopes if name.id in each.names and each.home(name.id) is not owner)
    hidden = {id(node) for other in others for node in descendants(other.node)}
    loads = (each for each in descendants(owner.node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
    uses = {id(each) for each in loads if each.id == name.id} - hidden
    sites = [site for site in owner.calls if isinstance(site.node, ast.Call) and _makes_cell(program, site)]
    return bool(uses) and uses <= {id(part) for site in sites for part in given(site.call)}


def _makes_cell(program: Program, site: Site) -> bool:
    """Return whether a call makes a cell of a class of the program."""
    only = program.evaluator.callees(site).only
    return only is not None and is_cell_class(program, only.definition)


def _optimizes(program: Program) -> Optional[End]:
    """Return a running call that passes an optimizer to external code, or makes an object that stores one.

    Of several calls it is the one with the most objects, and none whose result another one is given: a schedule or a
    wrapper gets the optimizer alone, the code that trains gets the network and the dataset, too.
    """
    if not any(map(program.runs, program.sites(PARAMETERS[0]))) and not program.has_calls(*optimizers()):
        return None
    taken = given_optimizers(program)
    inner = {made.call for objects in taken.values() for each in objects if (made := each.creation) is not None}
    outer = [site for site in taken if site.node not in inner] or list(taken)
    last = max(outer, key=lambda site: len(taken[site]), default=None)
    found = Part(last.node, last.scope) if last is not None else next(storing_optimizers(program), None)
    return End(*found) if found is not None else None
