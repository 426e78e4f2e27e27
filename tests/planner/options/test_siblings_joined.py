"""Tables joined by a foreign key that both have, and what an outer join adds to the pairs: in the order they are compiled in."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import product

import pytest

from nestling import pipeline
from nestling.ir.reading import Reading
from tests.least_cost import designed
from tests.two_prices import two_prices

TABLES = """
CREATE TABLE hall (venue INTEGER, code TEXT, name TEXT, PRIMARY KEY (venue, code));
CREATE TABLE seat (venue INTEGER NOT NULL, hall TEXT NOT NULL, line TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL,
    PRIMARY KEY (venue, hall, line, number), FOREIGN KEY (venue, hall) REFERENCES hall (venue, code));
CREATE TABLE show (id INTEGER PRIMARY KEY, venue INTEGER NOT NULL, hall TEXT NOT NULL,
    FOREIGN KEY (venue, hall) REFERENCES hall (venue, code));
CREATE TABLE ticket (id INTEGER PRIMARY KEY, show_id INTEGER NOT NULL REFERENCES show (id), line TEXT, number INTEGER);
"""
SEATS = """
-- name: seats, rate: 120/s
-- params: {"show": 42}
SELECT seat.line, seat.number, seat.kind, ticket.id FROM show JOIN seat ON seat.venue = show.venue AND seat.hall = show.hall
LEFT JOIN ticket ON ticket.show_id = show.id AND ticket.line = seat.line AND ticket.number = seat.number
WHERE show.id = :show ORDER BY seat.line, seat.number;
"""


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    """Forty halls of 96 seats, and shows of which a third is sold."""
    path = tmp_path_factory.mktemp("halls") / "halls.db"
    halls, places = list(product(range(20), "AB")), list(product("ABCDEFGH", range(12)))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
        connection.executemany("INSERT INTO hall VALUES (?, ?, 'x')", halls)
        connection.executemany("INSERT INTO seat VALUES (?, ?, ?, ?, 'x')", ((*h, *p) for h in halls for p in places))
        connection.executemany("INSERT INTO show VALUES (?, ?, ?)", ((n, *halls[n % 40]) for n in range(400)))
        sold = ((n, *places[7 * k % 96]) for n in range(400) for k in range(32))
        connection.executemany("INSERT INTO ticket (show_id, line, number) VALUES (?, ?, ?)", sold)
    workload = path.with_suffix(".sql")
    workload.write_text(SEATS)
    return pipeline.inspect(f"sqlite:///{path}", workload=workload)


@pytest.mark.parametrize("strategy", ["optimal", "normalized"])
def test_the_search_prices_them_as_they_are_compiled(strategy: str, reading: Reading) -> None:
    """Seats are looked up by the hall and tickets for each seat; the answer has as many rows as there are seats."""
    assert two_prices(reading, designed(reading, strategy))["seats"].factor < 1.5


def test_seats_apart_are_hardly_dearer_than_seats_inside(reading: Reading) -> None:
    """An index finds them: nothing of note is saved by having them in their hall."""
    saved = [each for each in pipeline.design(reading).decisions if each.relationship == "hall_seat"]
    assert "about equal" in saved[0].reasons[0].text
