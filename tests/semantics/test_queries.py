"""The solver of queries: each is answered once, cycles to their least fixpoint, whatever is asked first."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from programs import analysed

from ms_perflint.infer import queries
from ms_perflint.infer.queries import Queries

Answer = frozenset[int]
Equation = tuple[Answer, tuple[int, ...]]  # what it holds by itself, and the others that it holds all of
NOTHING: Answer = frozenset()
ALL: Answer = frozenset({-1})


def joined(first: Answer, other: Answer) -> Answer:
    return first | other


class System:
    """Equations whose answers are unions of other answers."""

    def __init__(self, equations: dict[int, Equation]) -> None:
        self.equations = equations
        self.queries = Queries(joined)

    def ask(self, number: int) -> Answer:
        return self.queries.ask(number, NOTHING, ALL, self.work, (number,))

    def work(self, number: int) -> Answer:
        own, others = self.equations[number]
        return own.union(*(self.ask(other) for other in others))

    def least(self) -> dict[int, Answer]:
        """Return the least fixpoint, the slow way."""
        found = dict.fromkeys(self.equations, NOTHING)
        while True:
            after = {n: own.union(*(found[o] for o in others)) for n, (own, others) in self.equations.items()}
            if after == found:
                return found
            found = after


def system(seed: int, size: int = 30) -> System:
    chance = random.Random(seed)
    numbers = range(size)
    return System(
        {
            number: (
                frozenset({number} if chance.random() < 0.3 else ()),
                tuple(chance.sample(numbers, chance.choice((0, 1, 1, 2, 3)))),
            )
            for number in numbers
        }
    )


@pytest.mark.parametrize("seed", range(60))
def test_every_order_gives_the_least_fixpoint(seed: int) -> None:
    expected = system(seed).least()
    for order in range(4):
        asked = system(seed)
        numbers = list(asked.equations)
        random.Random(order).shuffle(numbers)
        assert {number: asked.ask(number) for number in numbers} == expected
        assert asked.queries.memo == expected
        assert not asked.queries.spent


def test_each_query_outside_of_cycles_is_evaluated_once() -> None:
    chain = System({number: (frozenset({number}), (number + 1, number + 1)) for number in range(50)})
    chain.equations[50] = (NOTHING, ())
    assert chain.ask(0) == frozenset(range(50))
    assert [chain.ask(number) for number in range(51)][50] == NOTHING
    assert chain.queries.evaluations == 51


def test_all_members_of_a_cycle_are_kept() -> None:
    circle = System({number: (frozenset({number}), ((number + 1) % 20,)) for number in range(20)})
    assert circle.ask(7) == frozenset(range(20))
    spent = circle.queries.evaluations
    assert all(circle.ask(number) == frozenset(range(20)) for number in range(20))
    assert circle.queries.evaluations == spent <= 60


@pytest.mark.parametrize("length", [10, 249, 250, 251, 600, 3000])
def test_a_chain_of_any_length_is_answered(length: int) -> None:
    chain = System({number: (frozenset({number}), (number + 1,)) for number in range(length)})
    chain.equations[length] = (frozenset({-5}), ())
    assert chain.ask(0) == frozenset({-5, *range(length)})
    assert not chain.queries.spent
    assert chain.queries.evaluations <= 3 * length


def test_a_chain_that_ends_in_a_cycle_is_answered() -> None:
    chain = System({number: (NOTHING, (number + 1,)) for number in range(700)})
    chain.equations[700] = (frozenset({1}), (690,))
    assert all(chain.ask(number) == frozenset({1}) for number in range(701))
    assert not chain.queries.spent


@pytest.mark.parametrize("length", [249, 250, 251, 900, 3000])
def test_a_cycle_of_any_length_is_answered(length: int) -> None:
    circle = System({number: (frozenset({number}), ((number + 1) % length,)) for number in range(length)})
    assert circle.ask(length // 2) == frozenset(range(length))
    assert not circle.queries.spent
    assert circle.queries.evaluations <= 3 * length


def test_every_order_gives_the_least_fixpoint_of_a_cycle_deeper_than_a_stack() -> None:
    for seed in range(3):
        asked = system(seed, 400)
        for number in range(300):  # a path through most of it, beside what chance makes
            own, others = asked.equations[number]
            asked.equations[number] = own, (*others, number + 1)
        expected = asked.least()
        for order in range(3):
            found = System(asked.equations)
            numbers = list(found.equations)
            random.Random(order).shuffle(numbers)
            assert {number: found.ask(number) for number in numbers} == expected
            assert found.queries.evaluations <= 8 * len(numbers)


@pytest.mark.parametrize("is_cycle", [False, True])
def test_what_is_too_deep_says_so(monkeypatch: pytest.MonkeyPatch, is_cycle: bool) -> None:
    monkeypatch.setattr(queries, "DEEPEST", 600)
    circle = System({number: (frozenset({number}), ((number + 1) % 900,)) for number in range(900)})
    if not is_cycle:
        circle.equations[899] = (NOTHING, ())
    assert -1 in circle.ask(0)
    assert circle.queries.spent == queries.NESTED


@pytest.mark.parametrize("number", [100, 250, 251, 600, 800])
def test_an_error_on_a_stack_of_its_own_is_raised_and_leaves_nothing_half_done(number: int) -> None:
    chain = System({each: (frozenset({each}), (each + 1,)) for each in range(900)})
    with pytest.raises(KeyError, match=r"^900$"):  # it has no equation
        chain.ask(number)
    chain.equations[900] = (NOTHING, ())
    assert chain.ask(number) == frozenset(range(number, 900))


def test_the_budget_leaves_the_rest_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "BUDGET", 5)
    chain = System({number: (frozenset({number}), (number + 1,)) for number in range(20)})
    assert chain.ask(0) == frozenset({0, 1, 2, 3, 4, -1})
    assert chain.queries.spent == queries.EVALUATIONS
    assert chain.ask(10) == ALL


def test_a_cycle_that_the_budget_ends_is_unknown_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "BUDGET", 12)
    circle = System({number: (frozenset({number}), ((number + 1) % 10,)) for number in range(10)})
    assert [circle.ask(number) for number in range(10)] == [ALL] * 10
    assert circle.queries.spent == queries.EVALUATIONS


@pytest.mark.parametrize("shape", ["circle", "star", "knots"])
@pytest.mark.parametrize("number", [30, 31])
def test_a_cycle_of_too_many_members_is_unknown_whatever_was_asked_first(
    shape: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what reads one of them, directly or not; nothing else is."""
    monkeypatch.setattr(queries, "MEMBERS", 30)

    def following(each: int) -> tuple[int, ...]:
        if shape == "star":
            return tuple(range(1, number)) if each == 0 else (0,)
        more = (each // 2,) if shape == "knots" else ()
        return ((each + 1) % number, *more)

    equations = {each: (frozenset({each}), following(each)) for each in range(number)}
    equations.update({100: (NOTHING, (101, 5)), 101: (frozenset({101}), (102,)), 102: (NOTHING, (101,))})
    equations.update({200: (NOTHING, (100,)), 300: (NOTHING, (101,))})
    known = frozenset({101})
    expected = dict.fromkeys(equations, ALL) if number > 30 else System(equations).least()
    expected.update({101: known, 102: known, 300: known})
    for order in range(6):
        asked, numbers = System(equations), list(equations)
        random.Random(order).shuffle(numbers)
        assert {each: asked.ask(each) for each in numbers} == expected, order
        assert bool(asked.queries.wide_on) is (number > 30)
        assert asked.queries.evaluations <= 8 * len(equations)


def test_an_answer_that_grows_without_end_is_unknown() -> None:
    found = Queries(joined)

    def grows(number: int) -> Answer:
        return frozenset({*ask(number), len(ask(number))})

    def ask(number: int) -> Answer:
        return found.ask(number, NOTHING, ALL, grows, (number,))

    assert ask(0) == ALL
    assert found.evaluations <= queries.WIDENED + 3


def test_an_error_leaves_nothing_half_done() -> None:
    asked = system(3)
    work, fails = asked.work, [True]

    def failing(number: int) -> Answer:
        if fails[0] and number == 5:
            raise ValueError(number)
        return work(number)

    asked.work = failing  # type: ignore[method-assign]
    for number in asked.equations:
        try:
            asked.ask(number)
        except ValueError:
            continue
    fails[0] = False
    assert {number: asked.ask(number) for number in asked.equations} == asked.least()


# --- what finds nothing


def starving(first: str) -> dict[str, Answer]:
    """Return the answers of queries that are ALL where nothing is found for them."""
    found = Queries(joined)

    def ask(name: str) -> Answer:
        return found.ask(name, NOTHING, ALL, works[name], ())

    def empty(answer: Answer) -> Answer:
        return answer or (NOTHING if found.may_grow() else ALL)

    works: dict[str, Callable[[], Answer]] = {
        "fed from outside": lambda: empty(ask("circle") | frozenset({1})),
        "circle": lambda: empty(ask("fed from outside")),
        "alone": lambda: empty(ask("other alone")),
        "other alone": lambda: empty(ask("alone")),
        "nothing": lambda: empty(NOTHING),
    }
    return {name: ask(name) for name in (first, *works)}


def test_what_finds_nothing_is_unknown_unless_its_cycle_gives_it_something() -> None:
    expected = starving("nothing")
    assert expected == {
        "fed from outside": frozenset({1}),
        "circle": frozenset({1}),
        "alone": ALL,
        "other alone": ALL,
        "nothing": ALL,
    }
    assert all(starving(first) == expected for first in expected)


GROWING = [  # texts and numbers that each pass through a function or a loop makes anew
    "def load(a):\n    a.x = 'up/' + a.x\n    use(a.x)\n",
    "def load(a):\n    a.x = f'up/{a.x}'\n    use(a.x)\n",
    "def load(a):\n    a.x = a.x + 1\n    use(a.x)\n",
    "def load(a):\n    y = a.x\n    a.x = y * 2\n    use(a.x)\n",
    "def load(a):\n    setattr(a, 'x', 'up/' + a.x)\n    use(a.x)\n",
]


@pytest.mark.parametrize("made", GROWING)
def test_a_value_that_each_call_makes_anew_is_soon_left_open(made: str) -> None:
    start = "import argparse\nimport mindspore\n"
    calls = "a = argparse.Namespace(x='c.yaml')\nwhile other():\n    load(a)\nload(a)\n"
    program = analysed({"train.py": f"{start}\n\n{made}\n\n{calls}"})
    (site,) = program.sites("use")
    value = program.value(site.call.args[0], site.scope)
    assert value.open and len(value.constants) <= 1
    asked = len(program.evaluator.queries.memo)
    assert program.evaluator.queries.evaluations <= 3 * asked
