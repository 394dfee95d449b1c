"""Lists, tuples and dicts of tensors that are made in each step: graph mode takes them as constants.

Run on 2.10, CPU: a train cell and a gradient function that are given `[x, y]`, `(x, y)` or `{"x": x}` compile again in
each step, which takes 5 to 10 times as long as the step in PyNative. `step(*batch)` and a list that is made in compiled
code are compiled once.
"""

from __future__ import annotations

import ast
from typing import Optional

from ms_perflint.index.semantic_index import Binding, Site
from ms_perflint.index.syntax_forms import descendants, word_of
from ms_perflint.infer.values import Alternative
from ms_perflint.program.program import Program
from ms_perflint.training.dtypes.dtypes import Dtypes
from ms_perflint.training.graph_mode.compiled import steps
from ms_perflint.training.graph_mode.compiled_callees import is_cell
from ms_perflint.training.graph_mode.counters import HOPS, Loops, passed
from ms_perflint.training.repetition import repeats
from ms_perflint.training.step_loops import is_each_step


class Containers:
    """Which expressions are containers of tensors that each step makes.

    `certain`: only of what is known to be a tensor, for what is compiled; else also of what is no constant.
    """

    def __init__(self, program: Program, certain: bool) -> None:
        self.program = program
        self.certain = certain
        self.loops = Loops(program, certain)
        self.dtypes = Dtypes(program)

    def is_one(self, site: Site, node: ast.expr) -> bool:
        """Return whether an expression is a tuple, list or dict, made in each step, that holds a tensor of it."""
        if self._is_slice(site, node):
            return True
        bindings = site.scope.lookup(node) if isinstance(node, ast.Name) else ()
        if any(self._is_batch(each) or self._is_part(site, each) for each in bindings):
            return True
        known = self.program.value(node, site.scope)
        shown = [each for each in known.alternatives if each.is_display]
        is_known = not known.open and len(shown) == len(known.alternatives)
        return (is_known or not self.certain) and any(map(self._is_made_again, shown))

    def _is_made_again(self, known: Alternative) -> bool:
        """Return whether each step makes a display again that holds a tensor."""
        here = self._statement(known)
        if here is None:
            return False
        if self.certain:
            is_tensor = (self._is_tensor(here, part.node, HOPS) for part in known.parts)
            return is_each_step(self.program, here) and any(is_tensor)
        if not repeats(self.program, here, even_once=True):
            return False
        values = [self.program.evaluator.read(part) for part in known.parts]
        return any(len(value.constants) != len(value.alternatives) or not value.alternatives for value in values)

    def _statement(self, known: Alternative) -> Optional[Site]:
        """Return the innermost statement that makes a display."""
        node = known.shown.node if known.shown is not None else None
        found = steps(self.program, known.shown.scope.owner) if known.shown is not None else ()
        inside = (step.site for step in reversed(found) if any(each is node for each in descendants(step.stmt)))
        return next(inside, None)

    def _is_part(self, site: Site, binding: Binding) -> bool:
        """Return whether a name is a slice of a whole batch, a list too: `inputs, label = batch[:-1], batch[-1]`."""
        value = binding.value if binding.kind == "assign" else None
        for index in binding.path:
            is_shown = isinstance(value, ast.Tuple) and isinstance(index, int) and index < len(value.elts)
            value = value.elts[index] if is_shown else None  # type: ignore[union-attr]
        return value is not None and self._is_slice(site, value)

    def _is_slice(self, site: Site, value: ast.expr) -> bool:
        """Return whether an expression is `batch[1:]`, `list(batch)` or `tuple(batch)` of a whole batch."""
        whole: Optional[ast.expr] = None
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
            whole = value.value
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("list", "tuple"):
            whole = value.args[0] if len(value.args) == 1 else None
        return isinstance(whole, ast.Name) and any(map(self._is_batch, site.scope.lookup(whole)))

    def _is_batch(self, binding: Binding) -> bool:
        """Return whether a loop over a dataset gives a name a whole batch: `for batch in data.create_dict_iterator`."""
        over = binding.stmt.iter if isinstance(binding.stmt, ast.For) else None
        is_counted = isinstance(over, ast.Call) and word_of(over.func) == "enumerate"
        return over is not None and binding.path == (1,) * is_counted and self._gives_tensors(binding, over)

    def _gives_tensors(self, binding: Binding, over: ast.expr) -> bool:
        here = Site(binding.scope.module, over, "", binding.stmt, binding.block, None)  # type: ignore[arg-type]
        return self.loops.gives_data(here, over, arrays=not self.certain)

    def _is_tensor(self, site: Site, node: ast.expr, hops: int) -> bool:
        """Return whether an expression is a tensor, made or read in each step."""
        if not hops:
            return False
        if isinstance(node, ast.Name):
            bindings = [each for each in site.scope.lookup(node) if each.scope is site.scope]
            binding = bindings[0] if len(bindings) == 1 and self.loops.is_in_pass(site, bindings[0]) else None
            if binding is None or binding.value is None:
                given = passed(self.program, node, site)
                return any(self._is_tensor(caller, part, hops - 1) for caller, part in given)
            if binding.kind == "for":
                is_row = len(binding.path) < 2 or binding.path[0] == 1
                return is_row and self._gives_tensors(binding, binding.value)
            return binding.kind == "assign" and self._is_tensor(site, binding.value, hops - 1)
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Name) and self._is_tensor(site, node.value, hops - 1)
        if isinstance(node, ast.Call):
            maker = site.scope.module.site_at(node)
            value = self.program.evaluator.callees(maker) if maker is not None else None
            callees = value.alternatives if value is not None and not value.open else ()
            if callees and all(is_cell(self.program, known) for known in callees):
                return True
            is_method = isinstance(node.func, ast.Attribute) and node.func.attr != "asnumpy"
            if is_method and self._is_tensor(site, node.func.value, hops - 1):  # type: ignore[attr-defined]
                return True
        return isinstance(node, (ast.Call, ast.BinOp)) and self.dtypes.is_tensor(node, site.scope)
