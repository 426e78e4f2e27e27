"""Rows without partners are found by looking for these from each row, however a statement asks for them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling import pipeline
from nestling.ir.reading import Reading
from tests.least_cost import designed
from tests.two_prices import two_prices

TABLES = """
CREATE TABLE guest (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE stay (id INTEGER PRIMARY KEY, guest_id INTEGER NOT NULL REFERENCES guest (id), left_on INTEGER);
"""
STATEMENTS = {
    "is_null": "SELECT g.id FROM guest g LEFT JOIN stay s ON s.guest_id = g.id WHERE s.id IS NULL ORDER BY g.id",
    "may_be_null": "SELECT g.id, s.id FROM guest g LEFT JOIN stay s ON s.guest_id = g.id WHERE s.left_on IS NULL ORDER BY 1, 2",
    "right": "SELECT g.id FROM stay s RIGHT JOIN guest g ON s.guest_id = g.id WHERE s.id IS NULL ORDER BY g.id",
    "not_in": "SELECT g.id FROM guest g WHERE g.id NOT IN (SELECT guest_id FROM stay) ORDER BY g.id",
    "not_exists": "SELECT g.id FROM guest g WHERE NOT EXISTS (SELECT 1 FROM stay s WHERE s.guest_id = g.id) ORDER BY g.id",
}


@pytest.fixture(scope="module")
def hotel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six hundred guests, of whom some never stayed."""
    path = tmp_path_factory.mktemp("hotel") / "hotel.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
        connection.executemany("INSERT INTO guest VALUES (?, ?)", ((n, f"guest {n}") for n in range(600)))
        stays = ((n, n * 7 % 560, None if n % 9 == 0 else n) for n in range(2_500))
        connection.executemany("INSERT INTO stay VALUES (?, ?, ?)", stays)
    return path


def read(hotel: Path, **statements: str) -> Reading:
    """What is read of the hotel and these statements."""
    workload = hotel.with_suffix(".sql")
    workload.write_text("\n".join(f"-- name: {name}, rate: 3/s\n{sql};" for name, sql in statements.items()))
    return pipeline.inspect(f"sqlite:///{hotel}", workload=workload)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("strategy", ["normalized", "optimal"])
@pytest.mark.parametrize("name", STATEMENTS)
def test_the_search_counts_what_each_row_looks_for(name: str, strategy: str, hotel: Path) -> None:
    """No NULL is sought among the rows that may be missing, and no set is read once for all: no query is far dearer than that."""
    reading = read(hotel, s=STATEMENTS[name])
    prices = two_prices(reading, designed(reading, strategy))["s"]
    assert prices.compiled < 2 * prices.search


ASKED = {
    "without": "SELECT g.name FROM guest g WHERE NOT EXISTS (SELECT 1 FROM stay s WHERE s.guest_id = g.id)",
    "with some": "SELECT g.name FROM guest g WHERE EXISTS (SELECT 1 FROM stay s WHERE s.guest_id = g.id AND s.left_on > 2400)",
    "without some": "SELECT name FROM guest g WHERE NOT EXISTS (SELECT 1 FROM stay WHERE guest_id = g.id AND left_on > 100)",
    "without one": "SELECT name FROM guest g WHERE NOT EXISTS (SELECT 1 FROM stay WHERE guest_id = g.id AND left_on = 77)",
    "not in one": "SELECT name FROM guest WHERE id NOT IN (SELECT guest_id FROM stay WHERE left_on = 77)",
    "not in": "SELECT g.name FROM guest g WHERE g.id NOT IN (SELECT guest_id FROM stay WHERE left_on > 100)",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["normalized", "embedded", "optimal"])
@pytest.mark.parametrize("name", ASKED)
def test_a_subquery_is_read_once_for_all_and_shows_no_rows_of_its_own(name: str, strategy: str, hotel: Path) -> None:
    """Guests are sent, however many stays each has; what is searched for is priced as what is compiled is."""
    reading = read(hotel, s=ASKED[name])
    prices = two_prices(reading, designed(reading, strategy))["s"]
    assert prices.factor < 2.5
