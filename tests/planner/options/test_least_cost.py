"""Designs of random small readings, beside trying every choice of the candidates."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import prod

import pytest

from nestling.common.errors import InfeasibleError
from nestling.cost import default_profile, price
from nestling.ir.candidate import HOMES, Candidate, CopiedAttribute, Own
from nestling.ir.design_problem import DesignProblem
from nestling.ir.freshness import Freshness, Level
from nestling.ir.model import Entity
from nestling.ir.reading import Reading
from nestling.ir.situation import Thresholds, situation
from nestling.ir.statistics import EntityStatistics, Quantity
from nestling.ir.workload import Requirements
from nestling.optimizer import check, solve
from nestling.optimizer.evaluate import evaluate
from nestling.patterns import propose
from nestling.planner.options import design_problem
from tests.optimizer.exhaustive import exhaustive
from tests.planner.options.plain_choices import by_the_tree, embedded, normalized
from tests.planner.options.random_readings import random_reading, with_constants

SAME = 1e-7
PRICE = partial(price, profile=default_profile())


def candidates_of(reading: Reading) -> tuple[Candidate, ...]:
    return propose(situation(reading, Thresholds()))


def problem_of(reading: Reading, candidates: tuple[Candidate, ...] | None = None) -> DesignProblem:
    known = situation(reading, Thresholds())
    return design_problem(known, propose(known) if candidates is None else candidates, PRICE)


def few(candidates: tuple[Candidate, ...], seed: int, choices: int) -> tuple[Candidate, ...]:
    """Every own collection and some of the others, so that there are at most so many choices to try."""
    kept = [each for each in candidates if isinstance(each.part, Own)]
    homes = Counter(each.part.entity for each in kept if isinstance(each.part, Own))
    others = [each for each in candidates if not isinstance(each.part, Own)]
    random.Random(seed).shuffle(others)
    optional = 0
    for each in others:
        more = homes.copy()
        if isinstance(each.part, HOMES):
            more[each.part.entity] += 1
        if prod(more.values()) * 2 ** (optional + (more == homes)) <= choices:
            optional += more == homes
            homes = more
            kept.append(each)
    return tuple(each for each in candidates if each in kept)


def assert_least(seed: int, choices: int) -> list[str]:
    """The search finds what trying everything finds; gives the kinds of parts in the best design."""
    reading = random_reading(seed)
    return [type(each.part).__name__ for each in best_of(reading, few(candidates_of(reading), seed, choices))]


def best_of(reading: Reading, candidates: tuple[Candidate, ...]) -> list[Candidate]:
    """The candidates in the best design, which search and trial agree on."""
    problem = problem_of(reading, candidates)
    expected, found = exhaustive(problem), solve(problem)
    check(problem, found)
    assert found.proved
    assert found.cost == pytest.approx(expected.cost, rel=SAME, abs=1e-15), candidates
    return [each for each in candidates if each.id in found.chosen]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(30))
def test_the_design_costs_what_the_best_of_all_choices_costs(seed):
    """Random candidates of a random reading: proved, and equal to trying every choice."""
    assert_least(seed, 300)


@pytest.mark.thorough
def test_indexes_over_few_rows_cost_what_the_best_of_all_choices_costs():
    """The same with constants in statements, all indexes over few rows among the candidates; some of them are chosen."""
    chosen = 0
    for seed in range(700, 730):
        reading = with_constants(random_reading(seed), seed)
        proposed = candidates_of(reading)
        partial_ones = [each for each in proposed if each.pattern == "partial-index"][:3]
        others = few(tuple(each for each in proposed if each not in partial_ones), seed, 60)
        kept = tuple(each for each in proposed if each in (*others, *partial_ones))
        chosen += any(each in partial_ones for each in best_of(reading, kept))
    assert chosen > 5


@pytest.mark.soak
def test_the_design_costs_what_the_best_of_all_choices_costs_at_length():
    """The same for 600 readings; every kind of part that is proposed is in some best design."""
    proposed: set[str] = set()
    used: Counter[str] = Counter()
    for seed in range(1000, 1600):
        proposed |= {type(each.part).__name__ for each in candidates_of(random_reading(seed))}
        used.update(assert_least(seed, 600))
    assert proposed - used.keys() == set()


@pytest.mark.parametrize("seed", range(100, 115))
def test_no_plain_design_costs_less(seed):
    """Collections alone, everything embedded as deep as it goes, and the decision tree's design, all with every index."""
    reading = random_reading(seed)
    candidates = candidates_of(reading)
    problem = problem_of(reading, candidates)
    best = solve(problem)
    tree = by_the_tree(candidates, reading, situation(reading, Thresholds()))
    for chosen in (normalized(candidates), embedded(candidates, reading), tree):
        found = evaluate(problem, chosen)
        assert found is None or best.cost <= found.cost * (1 + SAME)
    assert evaluate(problem, normalized(candidates)) is not None


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", [208, 496, 643, 774, 850, 961, 1587, 1600])
def test_more_changes_of_an_attribute_never_add_copies_of_it(seed):
    """As updates of an attribute that is copied come oftener, there are ever fewer copies of it, and none in the end."""
    made = random_reading(seed)
    for statement in made.workload.statements:
        made = made if statement.kind.writes else with_rate(made, statement.name, 1_000.0)
    copied = {each.id: each.part for each in candidates_of(made) if isinstance(each.part, CopiedAttribute)}
    seen = 0
    for statement in made.workload.statements:
        for access in statement.accesses if statement.kind.writes else ():
            ours = {
                name
                for name, part in copied.items()
                if part.attribute in access.attributes and part.path[-1].target(made.model) == access.entity
            }
            counts = [
                len(solve(problem_of(with_rate(made, statement.name, rate))).chosen & ours)
                for rate in (0.001, 1.0, 1_000.0, 1_000_000.0)
            ]
            assert counts == sorted(counts, reverse=True)
            assert counts[-1] == 0
            seen += counts[0]
    assert seen


def with_rate(reading: Reading, name: str, rate: float) -> Reading:
    statements = tuple(
        replace(each, rate_per_second=rate) if each.name == name else each for each in reading.workload.statements
    )
    return replace(reading, workload=replace(reading.workload, statements=statements))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(300, 308))
def test_more_storage_never_costs_more(seed):
    """The best cost falls or stays as the budget grows; below the data itself nothing is possible, and that is said."""
    reading = random_reading(seed)
    data = sum(
        quantity.count.value * situation(reading, Thresholds()).row_bytes[name]
        for name, quantity in reading.statistics.entities
        if quantity.count is not None
    )
    costs = [solve(problem_of(with_budget(reading, int(data * share)))).cost for share in (1.01, 1.1, 1.5, 3.0)]
    for less, more in pairwise(costs):
        assert more <= less * (1 + SAME)
    with pytest.raises(InfeasibleError, match="the storage budget"):
        solve(problem_of(with_budget(reading, int(data * 0.5))))


def with_budget(reading: Reading, size: int) -> Reading:
    requirements = replace(reading.workload.requirements, storage_budget_bytes=size)
    return replace(reading, workload=replace(reading.workload, requirements=requirements))


@pytest.mark.parametrize("seed", range(400, 410))
def test_scaling_all_rates_changes_nothing(seed):
    """Seven times the load is the same design at seven times the cost."""
    reading = random_reading(seed)
    scaled = reading
    for each in reading.workload.statements:
        scaled = with_rate(scaled, each.name, each.rate_per_second * 7)
    once, more = solve(problem_of(reading)), solve(problem_of(scaled))
    assert more.chosen == once.chosen
    assert more.cost == pytest.approx(once.cost * 7, rel=SAME)


@pytest.mark.parametrize("seed", range(500, 510))
def test_an_entity_nothing_touches_changes_nothing(seed):
    """Its own collection is added, and nothing else; the model falls into parts then."""
    reading = random_reading(seed)
    lone = Entity("lone", tuple(reading.model.entities[0].attributes[:1]), ("id",))
    model = replace(reading.model, entities=(*reading.model.entities, lone))
    known = (*reading.statistics.entities, ("lone", EntityStatistics(Quantity(10.0))))
    wider = replace(reading, model=model, statistics=replace(reading.statistics, entities=known))
    before, after = solve(problem_of(reading)), solve(problem_of(wider))
    assert after.chosen == before.chosen | {"lone in a collection of its own"}
    assert after.cost == pytest.approx(before.cost, rel=SAME)


def test_freshness_is_respected():
    """A copy is as fresh as is required of its attribute, else of its relationship; else it changes within a transaction."""
    told = Counter[str]()
    for seed in range(600, 760):
        made = random_reading(seed)
        links = [(link.name, Freshness(Level.ASYNC, 5.0)) for link in made.model.relationships[::2]]
        of_attributes = made.workload.requirements.freshness
        workload = replace(made.workload, requirements=Requirements(freshness=(*of_attributes, *links)))
        reading, required = replace(made, workload=workload), dict((*of_attributes, *links))
        for each in candidates_of(reading):
            if isinstance(each.part, CopiedAttribute) and len(each.part.path) == 1:
                (hop,) = each.part.path
                names = (f"{hop.target(reading.model)}.{each.part.attribute}", hop.relationship)
                by = [name for name in names if name in required]
                assert each.part.freshness.level == (required[by[0]].level if by else Level.TRANSACTION)
                told[" and ".join("attribute" if name == names[0] else "relationship" for name in by)] += 1
    assert told.keys() == {"", "attribute", "relationship", "attribute and relationship"}


def test_a_workload_that_touches_nothing_costs_nothing():
    """No statement: own collections, no cost, and the cost is proved."""
    reading = random_reading(1)
    found = solve(problem_of(replace(reading, workload=replace(reading.workload, statements=()))))
    assert found.chosen == {f"{each.name} in a collection of its own" for each in reading.model.entities}
    assert (found.cost, found.proved) == (0.0, True)


def test_rows_without_any_statistics_are_no_obstacle():
    """A model of which nothing is known has a proved design."""
    reading = random_reading(2)
    assert solve(problem_of(Reading(reading.model, reading.workload))).proved
