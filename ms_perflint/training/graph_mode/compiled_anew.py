"""What is made in each step and called there, so that each step compiles it again.

Run on 2.10, CPU, a network of two layers, per step: 290 to 340 ms for a `value_and_grad` in graph mode, 430 to 570 for
a train cell, 620 to 960 for a `GradOperation`, 180 to 250 for a `jit`, and 1 to 32 for what is made once. A
`GradOperation` that is made once and applied in each step is compiled once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ms_perflint import mindspore_api
from ms_perflint.index.semantic_index import Binding, Scope, Site
from ms_perflint.index.signature import Held
from ms_perflint.program.program import Program, fact
from ms_perflint.training import mode
from ms_perflint.training.graph_mode.compiled import has_construct, is_compiled
from ms_perflint.training.graph_mode.made_anew import Anew, place
from ms_perflint.training.step_loops import is_each_step, is_unconditional, scopes_of_steps
from ms_perflint.training.training import is_trained
from ms_perflint.training.training_steps import GRADS, STEP_CELLS

_CELL = "mindspore.nn.Cell"
_OPTIMIZER = "mindspore.nn.Optimizer"  # whose `construct` is compiled in each mode: 2.10 nn/optim/adam.py
_HOPS = 4  # names and functions between what is called and what made it


@fact
def compiled_anew(program: Program) -> tuple[Anew, ...]:
    """Return what each step makes, calls and so compiles; in a mode that is not known, what each mode compiles."""
    if not is_trained(program):
        return ()
    is_graph = mode.usual_mode(program) == mode.GRAPH
    found: dict[Site, None] = {}
    for scope in scopes_of_steps(program):
        for site in scope.calls:
            found.update(dict.fromkeys(_compiled_for(program, site, is_graph)))
    made = [Anew(site, place(site)) for site in found]
    return tuple(sorted(made, key=lambda each: (each.site.module.path, each.site.span)))


def _compiled_for(program: Program, site: Site, is_graph: bool) -> Iterator[Site]:
    """Yield what made the callee of a site in the same step, when the making is in Python code.

    Of a function with a decorator the call itself.
    """
    callee = site.node.func if isinstance(site.node, ast.Call) else None
    if not isinstance(callee, (ast.Name, ast.Call)):
        return
    if isinstance(callee, ast.Name) and _is_defined_anew(program, callee, site):
        makers = [site]
    else:
        made = _makers(program, Held(callee, site.scope), site.block.loops, _HOPS)
        makers = [each for each in made if _is_compiled(program, each, is_graph)]
    if makers and is_each_step(program, site):
        yield from (each for each in makers if not _is_in_graph(program, each) and not _is_in_graph(program, site))


def _is_in_graph(program: Program, site: Site) -> bool:
    return is_compiled(program, site.scope) or mode.is_in_jit(program, site.scope.owner)


def _is_defined_anew(program: Program, name: ast.Name, site: Site) -> bool:
    """Return whether a name is that of a `@jit` function which is defined in the same pass."""
    bindings = site.scope.lookup(name)
    is_here = len(bindings) == 1 and _is_in_pass(bindings[0], site.scope, site.block.loops)
    if not is_here or (not site.block.loops and not site.scope.is_function):
        return False
    inner = [each for each in site.scope.defines if each.node is bindings[0].stmt]
    return any(mode.is_decorated(program, each) for each in inner)


def _is_in_pass(binding: Binding, scope: Scope, loops: list[ast.AST]) -> bool:
    return binding.scope is scope and binding.block.loops == loops


def _makers(program: Program, part: Held, loops: list[ast.AST], hops: int) -> Iterator[Site]:
    """Yield the calls that make what an expression stands for, when each pass of some loops makes it."""
    node, scope = part.node, part.scope
    if isinstance(node, ast.Name) and hops:
        bindings = scope.lookup(node)
        binding = bindings[0] if len(bindings) == 1 and not bindings[0].path else None
        if binding is not None and isinstance(binding.value, ast.Call) and _is_in_pass(binding, scope, loops):
            yield from _makers(program, Held(binding.value, scope), loops, hops - 1)
    maker = scope.module.site_at(node) if isinstance(node, ast.Call) else None
    if maker is None or not hops or not isinstance(node, ast.Call) or not is_unconditional(program, maker):
        return
    yield maker
    yield from _makers(program, Held(node.func, scope), loops, hops - 1)  # `GradOperation()(network)`
    known = program.evaluator.callees(maker).only
    function = known.definition if known is not None else None
    if function is not None and function.is_function and not getattr(function.node, "decorator_list", True):
        for value, _ in function.returns if len(function.returns) == 1 else ():
            yield from _makers(program, Held(value, function), [], hops - 1)


def _is_compiled(program: Program, maker: Site, is_graph: bool) -> bool:
    """Return whether a call makes what is compiled when it is called.

    In each mode a `jit` function and an optimizer, in graph mode a cell and what gives gradients.
    """
    apis = program.apis(maker)
    if any(api in mode.JITS or _OPTIMIZER in mindspore_api.ancestors(api) for api in apis):
        return True
    if not is_graph:
        return False
    if any(api in GRADS or api in STEP_CELLS or _CELL in mindspore_api.ancestors(api) for api in apis):
        return True
    classes = (known.definition for known in program.evaluator.callees(maker).alternatives)
    return any(cls is not None and cls.is_class and has_construct(program, cls) for cls in classes)
