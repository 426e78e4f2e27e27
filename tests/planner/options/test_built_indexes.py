"""Indexes that are built whatever is chosen cost what they cost, in the search's price and in that of what is compiled."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from nestling import pipeline
from nestling.cost import price
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.paths.work import Work
from nestling.ir.reading import Reading
from nestling.optimizer.evaluate import applies, evaluate
from nestling.pipeline.designing import posed_problem, priced_problem
from nestling.planner.options.structures.in_place import with_in_place
from nestling.planner.sql import translate
from nestling.planner.work import estimate_write
from nestling.planner.writes import plan_write
from tests.planner.options.spoken_readings import spoken_reading

ONE_TO_ONE = """nestling: 1
dialect: postgresql
model:
  name: badges
  entities:
    person: {key: id, attributes: {id: integer!, name: text!}}
    badge: {key: id, attributes: {id: integer!, person_id: integer!}, uniques: [person_id]}
  relationships: {wears: {parent: person, child: badge, attributes: person_id, cardinality: "1:1", required: true}}
statistics: {entities: {person: {count: 1000}, badge: {count: 800}}}
workload:
  add_badge: {sql: "INSERT INTO badge (id, person_id) VALUES (:id, :p)", rate: 1/s}
  add_person: {sql: "INSERT INTO person (id, name) VALUES (:id, :n)", rate: 1/s}
"""

STATEMENTS = {
    "add_order": "INSERT INTO orders (id, number, customer_id, clerk_id) VALUES (:id, :number, :customer, :clerk)",
    "renumber": "UPDATE orders SET number = :number WHERE id = :id",
    "orders_of": "SELECT number FROM orders WHERE customer_id = :customer ORDER BY number",
    "add_stay": "INSERT INTO stay (order_id, night, room) VALUES (:order, :night, :room)",
}


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    """Orders with a unique number and two foreign keys; stays whose key begins with one."""
    folder = tmp_path_factory.mktemp("built")
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.executescript("""
            CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE clerk (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE orders (id INTEGER PRIMARY KEY, number INTEGER NOT NULL UNIQUE,
                customer_id INTEGER NOT NULL REFERENCES customer (id), clerk_id INTEGER REFERENCES clerk (id));
            CREATE TABLE stay (order_id INTEGER NOT NULL REFERENCES orders (id), night INTEGER, room INTEGER,
                PRIMARY KEY (order_id, night));
        """)
        connection.executemany("INSERT INTO customer VALUES (?, ?)", ((n, f"name {n}") for n in range(50)))
        connection.executemany("INSERT INTO clerk VALUES (?, ?)", ((n, f"name {n}") for n in range(5)))
        rows = ((n, 1000 + n, n % 50, n % 5) for n in range(2000))
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", rows)
        connection.executemany("INSERT INTO stay VALUES (?, ?, ?)", ((n // 3, n % 3, n) for n in range(6000)))
    text = "".join(f"-- name: {name}, rate: 1/s\n{sql};\n" for name, sql in STATEMENTS.items())
    (folder / "workload.sql").write_text(text)
    return pipeline.inspect(f"sqlite:///{folder / 'shop.db'}", workload=Path(folder / "workload.sql"))


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", ["normalized", "optimal"])
def test_every_built_index_has_its_price(reading: Reading, strategy: str) -> None:
    """An insert adds an entry to each index of the collection, chosen or not; an update changes those of what it changes."""
    made = pipeline.design(reading, strategy)
    built = planned_indexes(made.design)
    store = next(place.store.name for place in made.design.places["orders"])
    held = [index for index in built if index.collection == store]
    number = [index for index in held if "number" in dict(index.keys)]
    assert {path for index in held for path, _ in index.keys} >= {"number", "customer_id", "clerk_id"}
    assert not any({"add_order", "add_stay"} & set(index.serves) for index in made.design.indexes)
    for name, entries in (("add_order", len(held)), ("renumber", 2 * len(number))):
        write = translate(STATEMENTS[name], made.design.model, "sqlite")
        found = estimate_write(plan_write(write, made.design), made.design, reading.statistics)  # type: ignore[arg-type]
        assert found.index_writes == pytest.approx(entries, rel=0.01), name
        assert searched(reading, strategy, name) == pytest.approx(entries, rel=0.01), name


def searched(reading: Reading, strategy: str, name: str) -> float:
    """The entries the search counts for a statement."""
    of = posed_problem(reading, None, None)
    there = with_in_place(pipeline.design(reading, strategy).design, of.candidates)
    problem = replace(priced_problem(of.situation, of.profile, there.candidates), limits=())
    best = evaluate(problem, there.chosen)
    assert best is not None
    seconds = sum(
        step.modes[best.modes[step.statement, step.name]].cost
        for step in problem.steps
        if step.statement == name and " index of " in step.name
    )
    seconds += sum(
        charge.cost
        for charge in problem.charges
        if charge.statement == name and charge.text.startswith("entries of") and applies(charge, there.chosen)
    )
    return seconds / price(Work(index_writes=1.0), of.profile)


@pytest.mark.parametrize("seed", [29, 45])
def test_each_step_has_a_name_of_its_own(seed: int) -> None:
    """A foreign key that is unique is the key of one step, and no second one has its name: an answer goes by the names."""
    steps = [(step.statement, step.name) for step in posed_problem(spoken_reading(seed), None, None).problem.steps]
    assert len(steps) == len(set(steps))


def test_a_unique_foreign_key_has_one_index(tmp_path: Path) -> None:
    """In a collection of its own, the unique index of a foreign key finds its rows as well: one entry is written."""
    path = tmp_path / "model.yaml"
    path.write_text(ONE_TO_ONE, encoding="utf-8")
    read = pipeline.inspect(path)
    made = pipeline.design(read, "normalized").design
    assert len([index for index in planned_indexes(made) if index.collection == "badge"]) == 1
    assert searched(read, "normalized", "add_badge") == pytest.approx(1, rel=0.01)
