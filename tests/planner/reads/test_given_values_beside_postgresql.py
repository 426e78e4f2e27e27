# ruff: noqa: DTZ001 - PostgreSQL's `timestamp` has no zone
"""What texts and Python's values mean that are given to conditions of PostgreSQL, beside psycopg and beside constants."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from pymongo import MongoClient

from nestling.common.errors import NestlingError
from tests.planner.reads.beside_postgresql import Beside, beside

U1, U2 = "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"
TABLE = f"""
CREATE TABLE v (
    id integer PRIMARY KEY, d date, ts timestamp(3), tsz timestamptz(3), i bigint, n numeric(12,3), f double precision, b boolean,
    t text, c char(4), u uuid, ti time);
INSERT INTO v VALUES
    (1, '2024-01-01', '2024-01-01 00:00', '2024-01-01 00:00+00', 1, 1.5, 1.5, true, 'a', 'a', '{U1}', '08:30'),
    (2, '2024-01-03', '2024-01-03 12:00', '2024-01-03 12:00+00', 2, 2.5, 2.5, false, 'b', 'b', '{U2}', '12:00'),
    (3, '2024-01-04', '2024-01-03 07:00', '2024-01-03 07:00+00', 3, 3, 3, true, 'A', 'a b', NULL, '23:59:59'),
    (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
"""
TEXTS = {
    "d": (
        "2024-01-03",
        "2024-01-03 12:00:00",
        "2024-01-03T12:00:00+05",
        "20240103",
        " 2024-01-03 ",
        "2024-W01-1",
        "x",
        "2024-02-30",
    ),
    "ts": ("2024-01-03", "2024-01-03 12:00:00", "2024-01-03 12:00:00+05", "2024-01-03T12:00:00Z", "2024-W01-1", "x"),
    "tsz": ("2024-01-03", "2024-01-03 12:00:00", "2024-01-03 12:00:00+05", "2024-01-03T12:00:00Z", "2024-W01-1", "x"),
    "t": ("a", "A", "a ", "", "$t", "2024-01-03"),
    "c": ("a", "a ", "a b", ""),
    "u": ("00000000-0000-0000-0000-000000000002", "00000000000000000000000000000002", "x"),
    "ti": ("12:00", "12:00:00", "23:59:59", "x"),
}
VALUES = {
    "d": (date(2024, 1, 3), datetime(2024, 1, 3), datetime(2024, 1, 3, 12), datetime(2024, 1, 3, tzinfo=UTC)),
    "ts": (
        date(2024, 1, 3), datetime(2024, 1, 3, 12), datetime(2024, 1, 3, 12, tzinfo=UTC),
        datetime(2024, 1, 3, 12, tzinfo=timezone(timedelta(hours=5))),
    ),
    "tsz": (
        date(2024, 1, 3), datetime(2024, 1, 3, 12), datetime(2024, 1, 3, 12, tzinfo=UTC),
        datetime(2024, 1, 3, 12, tzinfo=timezone(timedelta(hours=5))),
    ),
    "i": (2, 2.5, Decimal("2.0"), 10**12),
    "n": (2, 2.5, Decimal("2.5"), 3),
    "f": (2, 2.5, Decimal("2.5"), 3),
    "b": (True, False),
}  # fmt: skip
OPERATORS = ("=", "<>", "<", "<=", ">", ">=")


@pytest.fixture(scope="module")
def sides(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Beside]:
    """The table, and what was loaded of it."""
    with beside(postgresql, mongo_client, TABLE) as made:
        yield made


def here(sides: Beside, sql: str, **values: object) -> list[tuple[object, ...]] | None:
    """Our rows; None where the statement is refused."""
    try:
        return sides.ours(sql, values)
    except NestlingError:
        return None


def there(sides: Beside, sql: str, **values: object) -> list[tuple[object, ...]] | None:
    """PostgreSQL's rows; None where it is refused."""
    try:
        return sides.theirs(sql, values)
    except (sa.exc.DBAPIError, psycopg.Error):
        return None


@pytest.mark.parametrize(("column", "text"), [(column, text) for column, texts in TEXTS.items() for text in texts])
def test_a_text_is_what_it_is_as_a_constant(sides: Beside, column: str, text: str) -> None:
    """PostgreSQL reads a text as the type of the column beside it, whether it stands in the statement or is given."""
    for operator in OPERATORS:
        asked = f"SELECT id FROM v WHERE {column} {operator} "
        expected = there(sides, f"{asked}'{text}' ORDER BY id")
        for found in (here(sides, f"{asked}:x ORDER BY id", x=text), here(sides, f"{asked}'{text}' ORDER BY id")):
            assert found == expected or found is None, operator
        given = there(sides, f"{asked}:x ORDER BY id", x=text)
        assert given == expected or column == "c"  # psycopg gives a `text`, whose blanks count
    listed = f"SELECT id FROM v WHERE {column} IN (:x, :y) ORDER BY id"
    found = here(sides, listed, x=text, y=text)
    assert found is None or found == there(sides, listed.replace(":x", f"'{text}'").replace(":y", f"'{text}'"))


@pytest.mark.parametrize(
    ("column", "value"), [(column, value) for column, values in VALUES.items() for value in values]
)
def test_a_value_is_what_its_driver_makes_of_it(sides: Beside, column: str, value: object) -> None:
    """A datetime is compared with a date as a moment, one with a zone by its instant."""
    for operator in OPERATORS:
        asked = f"SELECT id FROM v WHERE {column} {operator} :x ORDER BY id"
        assert here(sides, asked, x=value) == there(sides, asked, x=value), operator


def test_what_is_written_is_found(sides: Beside) -> None:
    """Texts that say a day or moment find the rows, and are not refused."""
    for column, texts in TEXTS.items():
        for text in texts[:2]:
            assert here(sides, f"SELECT id FROM v WHERE {column} >= :x", x=text) is not None, (column, text)
