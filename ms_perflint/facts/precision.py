"""In which precision the matrix work of the training runs, as far as the code says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Optional

from ms_perflint.facts.data import Evidence, Fact
from ms_perflint.facts.reader import Reader, flat, short
from ms_perflint.networks import entries, halves, networks, precision
from ms_perflint.programs.program import Program
from ms_perflint.programs.site import Call
from ms_perflint.semantics.values import Value


def precision_of(reader: Reader) -> Fact:
    """Return whether half precision may reach the training, and every place that says so."""
    program = reader.program
    if not program.trains.is_yes:
        return Fact("precision", None, "not asked: it does not train", (), False)
    made = list(_made(reader))
    halved = list(_halved(reader))
    told = {evidence.place for evidence in made}
    forced = [
        Evidence(reader.place(call), reader.code(call), "forces matrix work to float32")
        for calls in precision.forced_networks(program)
        for call in calls
    ]
    needs = ", which it needs" if precision.needs_float32(program) else ""
    if not made and not forced and not halved:
        return Fact("precision", None, "unknown: where the network gets its optimizer is not known")
    answer: Optional[str] = None if halved else "float32"
    says = "half precision may reach it" if halved else f"float32{needs}"
    halved.sort(key=lambda evidence: reader.order(evidence.place))
    return Fact("precision", answer, says, (*made, *forced, *(each for each in halved if each.place not in told)))


def _made(reader: Reader) -> Iterator[Evidence]:
    """Yield where the training is made, and whether there is matrix work in it: the Model, the cell, the gradients."""
    program = reader.program
    models = [model for model in entries.trained_models(program) if entries.has_optimizer(model)]
    for model in models:
        values = [model.argument("network"), *([model.argument("loss_fn")] if model.given("loss_fn") else ())]
        yield reader.evidence(model, "amp_level", says=f"amp_level {{}}{_work(program, values)}")
    if models:
        return
    for cell in entries.train_cells(program):
        work = _work(program, [program.value(cell.node, cell.scope)])
        yield _plain(reader, cell, f"makes the training step{work}")
    for gradient, differentiated in entries.gradients(program):
        yield _plain(reader, gradient, f"makes the gradients{_work(program, differentiated)}")


def _plain(reader: Reader, call: Call, says: str) -> Evidence:
    when, origins = reader.when(call)
    return Evidence(reader.place(call), reader.code(call), says, None, origins, when)


def _work(program: Program, values: Sequence[Value]) -> str:
    """Return what is to be said of the matrix work in a network: nothing where it is certain."""
    if networks.multiplies(program, values):
        return ""
    hidden = networks.may_multiply(program, values)
    return "; where its network is made is not known" if hidden else "; no matrix work in it is known"


def _halved(reader: Reader) -> Iterator[Evidence]:
    """Yield what may switch half precision on."""
    program = reader.program
    for site in precision.switches(program):
        if isinstance(site, Call):
            yield reader.evidence(site, precision.LEVELS[site.api], says="level {}")
        else:
            yield Evidence(reader.place(site), reader.code(site), "may switch it on")
    for module, node in halves.mentions(program):
        place = module.source.place(module.span(node)[0])
        yield Evidence(place, short(flat(module.text(node))), "names half precision")
