"""A value that an UPDATE reads for each row is looked up by what the row says, so that the index for that is chosen."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from nestling import pipeline
from nestling.ir.reading import Reading
from tests.least_cost import designed
from tests.two_prices import two_prices

TABLES = """
CREATE TABLE purchase (id INTEGER PRIMARY KEY, total INTEGER NOT NULL);
CREATE TABLE line (purchase_id INTEGER NOT NULL REFERENCES purchase (id), no INTEGER NOT NULL, amount INTEGER NOT NULL,
    PRIMARY KEY (purchase_id, no));
"""
TOTAL = """UPDATE purchase SET total = (SELECT coalesce(sum(amount), 0) FROM line WHERE line.purchase_id = purchase.id)
    WHERE id = :id"""


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    """Some thousand purchases of two lines each, and a total that is computed anew."""
    path = tmp_path_factory.mktemp("totals") / "shop.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
        connection.executemany("INSERT INTO purchase VALUES (?, 0)", ((n,) for n in range(4_000)))
        connection.executemany("INSERT INTO line VALUES (?, ?, 5)", ((n // 2, n % 2) for n in range(8_000)))
    workload = path.with_suffix(".sql")
    workload.write_text(
        f"-- name: total, rate: 6/s\n{TOTAL};\n-- name: lines, rate: 90/s\nSELECT * FROM line WHERE amount > :most;"
    )
    return pipeline.inspect(f"sqlite:///{path}", workload=workload)


@pytest.mark.parametrize("strategy", ["optimal", "embedded"])
def test_the_search_prices_it_as_it_is_compiled(strategy: str, reading: Reading) -> None:
    """Lines are found by their purchase, and none is sent."""
    assert two_prices(reading, designed(reading, strategy))["total"].factor < 1.5


def test_lines_apart_have_an_index_on_their_purchase(reading: Reading) -> None:
    """All lines would be read for one total otherwise."""
    proposal = pipeline.design(reading)
    apart = [each for each in proposal.design.collections if each.name == "line"]
    assert apart
    assert any("purchase_id" in str(each.keys) for each in proposal.design.indexes)
