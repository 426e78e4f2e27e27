"""What the search computes for statements over buckets is what they are compiled to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statistics import Origin, Quantity
from nestling.optimizer import solve
from nestling.optimizer.alternatives import group_named, problem_with_forced
from nestling.pipeline import design
from nestling.pipeline.designing import explained_proposal, posed_problem
from tests.people import people
from tests.two_prices import two_prices

JOIN = "SELECT p.name AS owner, t.name FROM person p JOIN pet t ON t.person_id = p.id WHERE p.id = :id"
STATEMENTS = (
    'person_page: {sql: "SELECT name FROM person WHERE id = :id", rate: 50/s}',
    'person_pets: {sql: "SELECT id, name FROM pet WHERE person_id = :id", rate: 50/s}',
    f'with_owner: {{sql: "{JOIN}", rate: 5/s}}',
    'add_pet: {sql: "INSERT INTO pet (id, person_id, name) VALUES (:id, :person, :name)", rate: 1/s}',
)
HOMES = (
    "in a collection of its own",
    *(f"in buckets by person_id, {limit} in each" for limit in ("50", "200", "1,000")),
)
READS = 1.25
WRITES = 2.0


def with_home(reading: Reading, home: str) -> Proposal:
    """The best design with pets in that home."""
    found = posed_problem(reading, None, None)
    decided = problem_with_forced(found.problem, group_named(found.problem, "home of pet"), home)
    return explained_proposal(found, solve(decided))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mean", [2, 20, 300])
@pytest.mark.parametrize("home", HOMES)
def test_both_prices_of_buckets_agree(tmp_path: Path, home: str, mean: int) -> None:
    """A read costs what its pipeline costs, its stages included; an insert within a factor of two."""
    reading = people(tmp_path, *STATEMENTS, mean=mean, most=2 * mean)
    found = two_prices(reading, with_home(reading, f"pet {home}"))
    assert {"person_pets", "add_pet", "with_owner"} <= found.keys()
    apart = {name: prices for name, prices in found.items() if prices.factor > (WRITES if name == "add_pet" else READS)}
    assert not apart


@pytest.mark.thorough
def test_the_design_proved_least_is_the_cheapest_of_the_compiled(tmp_path: Path) -> None:
    """Of a few rows in each, no buckets are made: reading them needs a pipeline, where rows apart need a `find`."""
    reading = people(tmp_path, *STATEMENTS, mean=2, most=4)
    rates = {each.name: each.rate_per_second for each in reading.workload.statements}

    def compiled(proposal: Proposal) -> float:
        return sum(rates[name] * prices.compiled for name, prices in two_prices(reading, proposal).items())

    least = compiled(design(reading))
    assert all(least <= 1.001 * compiled(with_home(reading, f"pet {home}")) for home in HOMES)


FEED = "SELECT id, name FROM pet WHERE person_id = :id ORDER BY id DESC LIMIT 30"
LOG = 'add_pet: {sql: "INSERT INTO pet (id, person_id, name) VALUES (:id, :person, :name)", rate: 20/s}'


def _busy(folder: Path) -> Reading:
    """People with a thousand pets on average, and a few with far more: what is read is the newest thirty of one."""
    reading = people(folder, f'feed: {{sql: "{FEED}", rate: 60/s}}', LOG, mean=1_000, most=900_000)
    ((name, known),) = reading.statistics.relationships
    grows = replace(known, p99=Quantity(30_000), grows=Quantity(1, Origin.DECLARED))
    return replace(reading, statistics=replace(reading.statistics, relationships=((name, grows),)))


@pytest.mark.thorough
def test_newest_of_busy_parents_are_read_by_an_index(tmp_path: Path) -> None:
    """Buckets are unwound whole, and who has most is read most: both prices say so, and an index that sorts finds pets apart."""
    reading = _busy(tmp_path)
    made = design(reading)
    assert [store.name for store in made.design.stores] == ["person", "pet"]
    assert [("person_id", 1), ("_id", -1)] in [list(index.keys) for index in made.design.indexes]
    apart, buckets = (two_prices(reading, with_home(reading, f"pet {home}")) for home in (HOMES[0], HOMES[2]))
    assert all(found["feed"].factor < READS for found in (apart, buckets))
    assert buckets["feed"].compiled > 3 * apart["feed"].compiled


NEWEST = "SELECT id, name FROM pet WHERE person_id = :id ORDER BY id DESC LIMIT 5"


def test_both_prices_know_that_few_buckets_are_unwound(tmp_path: Path) -> None:
    """Of forty buckets the newest five rows are taken out of five."""
    newest = f'newest: {{sql: "{NEWEST}", rate: 50/s}}'
    every = 'every: {sql: "SELECT id, name FROM pet WHERE person_id = :id ORDER BY name DESC, id LIMIT 5", rate: 50/s}'
    reading = people(tmp_path, newest, every, mean=2_000, most=4_000)
    made = with_home(reading, f"pet {HOMES[1]}")
    found = two_prices(reading, made)
    assert {name: prices for name, prices in found.items() if prices.factor > READS} == {}
    assert found["newest"].compiled < found["every"].compiled / 1.5


FIRSTS = {
    "newest": "SELECT id, name FROM pet WHERE person_id = :id ORDER BY id DESC LIMIT 1",
    "oldest": "SELECT id, name FROM pet WHERE person_id = :id ORDER BY id LIMIT 5",
    "last": "SELECT max(id) FROM pet WHERE person_id = :id",
}


def test_both_prices_know_that_the_key_finds_the_first_buckets(tmp_path: Path) -> None:
    """In order of the key, which has an index, no bucket but the first is looked at; so many come that no value is kept."""
    statements = {**FIRSTS, "every": "SELECT id, name FROM pet WHERE person_id = :id ORDER BY name DESC LIMIT 5"}
    lines = [f'{name}: {{sql: "{sql}", rate: 50/s}}' for name, sql in statements.items()]
    often = LOG.replace("20/s", "20000/s")
    reading = people(tmp_path, *lines, often, mean=40_000, most=50_000, key="person_id, id")
    found = two_prices(reading, with_home(reading, f"pet {HOMES[3]}"))
    assert {name for name in statements if found[name].factor > READS} == set()
    assert all(found[name].compiled < found["every"].compiled / 3 for name in FIRSTS)
