"""A subquery that asks for other rows beside each: by an index that is proposed, and read; else all are read again each time."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.reading import Reading
from nestling.ir.text import read_reading, write_reading
from nestling.ir.workload import Operator
from tests.least_cost import designed
from tests.two_prices import two_prices

TABLES = """
CREATE TABLE rate (room INTEGER NOT NULL, day INTEGER NOT NULL, price INTEGER NOT NULL, closed INTEGER NOT NULL,
    PRIMARY KEY (room, day));
"""
CHEAPEST = """SELECT r.room, r.day FROM rate r WHERE r.price =
    (SELECT MIN(x.price) FROM rate x WHERE x.room = r.room AND x.closed = 0) ORDER BY r.room, r.day"""
DEAR = """SELECT r.room, r.day FROM rate r WHERE r.price >
    (SELECT AVG(x.price) FROM rate x WHERE x.day = r.day) ORDER BY r.room, r.day"""
OVER_WINDOWS = (CHEAPEST.replace("WHERE", "WHERE r.closed = 0 AND", 1), DEAR)
DEAR_OF_ONE = DEAR.replace("WHERE", "WHERE r.room = 7 AND", 1).replace("= r.day", "= r.day AND x.room < 300")
ROWS = 12_000
"""More than the server reads once for all lookups."""


@pytest.fixture(scope="module")
def rates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prices of six hundred rooms on twenty days."""
    path = tmp_path_factory.mktemp("rates") / "rates.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
        rows = ((n % 600, n // 600, 40 + n * 7919 % 997, int(n % 11 == 0)) for n in range(ROWS))
        connection.executemany("INSERT INTO rate VALUES (?, ?, ?, ?)", rows)
    return path


def read(rates: Path, **statements: str) -> Reading:
    """What is read of the prices and these statements."""
    workload = rates.with_suffix(".sql")
    workload.write_text("\n".join(f"-- name: {name}, rate: 3/s\n{sql};" for name, sql in statements.items()))
    return pipeline.inspect(f"sqlite:///{rates}", workload=workload)


def used(database: Database[dict[str, Any]]) -> Mapping[tuple[str, ...], int]:
    """How often each index was read, by its keys."""
    return {tuple(each["key"]): each["accesses"]["ops"] for each in database["rate"].aggregate([{"$indexStats": {}}])}


@pytest.mark.thorough
def test_an_index_finds_what_is_looked_up(rates: Path, database: Database[dict[str, Any]]) -> None:
    """It begins with what is compared with each row; no index is kept that the server does not read."""
    proposal = designed(read(rates, cheapest=CHEAPEST, dear=DEAR_OF_ONE))
    assert {index.keys[0][0] for index in proposal.design.indexes} == {"_id.room", "_id.day"}
    pipeline.load(proposal, rates, database)
    store = Store(proposal, database, workload=rates.with_suffix(".sql"))
    for name, sql in (("cheapest", CHEAPEST), ("dear", DEAR_OF_ONE)):
        with closing(sqlite3.connect(rates)) as connection:
            assert [tuple(row.values()) for row in store.run(name)] == connection.execute(sql).fetchall()
    assert all(used(database)[tuple(path for path, _ in index.keys)] > 0 for index in proposal.design.indexes)


@pytest.mark.thorough
@pytest.mark.parametrize("sql", OVER_WINDOWS)
def test_none_is_kept_where_the_rows_are_the_same(sql: str, rates: Path, database: Database[dict[str, Any]]) -> None:
    """What is asked of the rows themselves too leaves a window over them, which reads them once; both prices say so."""
    reading = read(rates, s=sql)
    proposal = designed(reading)
    assert proposal.design.indexes == ()
    assert two_prices(reading, proposal)["s"].factor < 2.5
    pipeline.load(proposal, rates, database)
    with closing(sqlite3.connect(rates)) as connection:
        theirs = connection.execute(sql).fetchall()
    found = pipeline.convert(proposal, sql)
    assert isinstance(found, CompiledRead)
    assert [*map(tuple, run_read(database, found))] == theirs
    assert [stage for stage in found.pipeline or () if "$lookup" in stage] == []


def test_without_one_each_row_costs_a_scan(rates: Path) -> None:
    """A range of compound `_id`s is none that a lookup asks for, whatever else it asks; both prices say so."""
    reading = read(rates, cheapest=CHEAPEST)
    plain, least = (two_prices(reading, designed(reading, each))["cheapest"] for each in ("normalized", "optimal"))
    assert plain.compiled > 3 * least.compiled
    assert plain.search > 3 * least.search
    assert least.factor < 2


@pytest.mark.parametrize(
    ("value", "operator"),
    [
        ("= (SELECT MIN(x.price) FROM rate x WHERE x.room = r.room)", Operator.EACH),
        ("< (SELECT MIN(x.price) FROM rate x WHERE x.room = r.room)", Operator.EACH),
        (
            "= (SELECT MIN(x.price) FROM rate x WHERE x.room IN (SELECT room FROM rate y WHERE y.day = r.day))",
            Operator.EACH,
        ),
        ("= (SELECT MIN(price) FROM rate x WHERE day = closed)", Operator.EQUALITY),
        ("> (SELECT AVG(x.price) FROM rate x)", Operator.OTHER),
        ("BETWEEN 1 AND (SELECT AVG(x.price) FROM rate x)", Operator.OTHER),
        ("= 5 OR r.price = (SELECT MIN(x.price) FROM rate x)", Operator.OTHER),
    ],
)
def test_what_a_subquery_gives_is_sought_where_it_is_made_first(rates: Path, value: str, operator: Operator) -> None:
    """An index finds the rows that equal one value for all of them; no others are compared by one."""
    (statement,) = read(rates, s=f"SELECT r.day FROM rate r WHERE r.price {value}").workload.statements
    assert {each.operator for each in statement.accesses[0].filters} == {operator}


def test_a_model_file_keeps_what_is_joined(rates: Path) -> None:
    """What is designed from it is designed alike."""
    reading = read(rates, cheapest=CHEAPEST)
    assert [each.joined for each in reading.workload.statements[0].accesses] == [("room",), ("room",)]
    assert read_reading(write_reading(reading), "m.yaml").workload == reading.workload
