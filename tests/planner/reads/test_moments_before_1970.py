"""Arithmetic with moments before 1970 that have fractions of a second, which the server's own loses a second of."""

from __future__ import annotations

from datetime import datetime

import pytest

from nestling.store import Store
from tests.beside_mariadb import Both, both_of
from tests.planner.reads.beside_postgresql import Beside, beside_of

ROWS = """
INSERT INTO landing VALUES (1, '1969-07-20 20:17:40.5', 1), (2, '2024-01-31 10:00:00.5', -3), (3, '1900-02-28 00:00:00', 400),
    (4, NULL, 2), (5, '1968-02-29 23:59:59.999', NULL)
"""
TABLES = f"CREATE TABLE landing (id integer PRIMARY KEY, at timestamp(3), days integer);{ROWS};"
SPANS = (
    *(f"at {sign} interval '{span}'" for sign in "+-" for span in ("1 month", "2 years", "3 days", "90 minutes")),
    *(f"at {sign} days * interval '1 {unit}'" for sign in "+-" for unit in ("day", "hour", "month", "year")),
)


landings = beside_of(TABLES, scope="module")
"""The table in PostgreSQL and in MongoDB."""


@pytest.mark.parametrize("span", SPANS)
def test_moments_are_postgresqls(landings: Beside, span: str) -> None:
    """Fixed spans, and as many as a column says."""
    sql = f"SELECT id, {span} FROM landing ORDER BY id"
    assert landings.ours(sql) == landings.theirs(sql)


def test_an_update_stores_them(landings: Beside) -> None:
    """What is computed where it is stored is the same."""
    store = Store(landings.proposal, landings.database)
    store.execute("UPDATE landing SET at = at + interval '1 month' WHERE id = 1")
    assert store.execute("SELECT at FROM landing WHERE id = 1")[0]["at"] == datetime(1969, 8, 20, 20, 17, 40, 500_000)  # noqa: DTZ001
    store.execute("UPDATE landing SET at = at - interval '1 month' WHERE id = 1")


here = both_of(f"CREATE TABLE landing (id int PRIMARY KEY, at datetime(3), days int);{ROWS}", "normalized")


def test_moments_are_mysqls(here: Both) -> None:
    """Months, quarters, and as many units as a column says."""
    spans = ("1 MONTH", "1 YEAR", "1 QUARTER", "3 DAY", "days DAY", "days HOUR", "days MONTH")
    for call in (f"date_{way}(at, INTERVAL {span})" for way in ("add", "sub") for span in spans):
        ours, theirs = here.answers(f"SELECT id, {call} FROM landing ORDER BY id")
        assert [row[1] for row in ours] == [row[1] for row in theirs], call
