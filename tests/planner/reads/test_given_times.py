"""Days and intervals beside dates and datetimes that are given, as psycopg binds them, beside PostgreSQL."""

# ruff: noqa: DTZ001 - a timestamp has no zone
from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from nestling import pipeline
from nestling.common.errors import WorkloadError
from nestling.emitters.python_code import module
from nestling.ir.programs.compiled import CompiledRead
from nestling.store import Store
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE loan (id integer PRIMARY KEY, due date, at timestamp, seen timestamptz);
INSERT INTO loan SELECT n, date '2024-02-20' + n * 7, timestamp '2024-02-20 10:00' + n * interval '3 days 1 second',
    timestamptz '2024-02-20 10:00Z' + n * interval '3 days 1 hour' FROM generate_series(1, 12) AS n;
INSERT INTO loan (id) VALUES (13);
"""
MOMENTS = (
    datetime(2024, 3, 1, 10), datetime(2024, 2, 29), date(2024, 2, 29), datetime(2024, 3, 1, 11, tzinfo=UTC),
    datetime(2024, 3, 1, 11, tzinfo=timezone(timedelta(hours=2))), datetime(2024, 3, 3, 10, 0, 4),
)  # fmt: skip
OF_MOMENTS = (
    "at >= :a AND at < :a + interval '7 days'",
    "seen >= :a AND seen < :a + interval '7 days'",
    "seen > :a - interval '1 month' + interval '90 minutes'",
    "due BETWEEN :a - interval '2 weeks' AND interval '1 day' + :a",
    "coalesce(at, :a + interval '1 day') = :a + interval '1 day'",
)
OF_DAYS = (
    "due < :a - 30",
    "due = 10 + :a",
    "due IN (:a + 5, :a + 12 - 1)",
    "at > :a + 3",
    "seen < :a + 2 * 7",
    ":a - due > 7",
    "due - :a BETWEEN 0 AND 21",
    "due > :a + 3 AND due < :a + interval '1 month'",
    "coalesce(due, :a + 3) = (:a + 3)::date",
    "CASE WHEN id > 5 THEN due ELSE :a - 1 END > '2024-03-01'",
    "greatest(due, :a - 1) = :a - 1",
    "at > (:a + 2)::timestamp",
)


shop = beside_of(TABLES, scope="module")
"""The loans, in both."""


@pytest.mark.thorough
@pytest.mark.parametrize("condition", OF_MOMENTS)
def test_intervals_beside_what_is_given(shop: Beside, condition: str) -> None:
    """A date, and a datetime with and without a zone."""
    sql = f"SELECT id FROM loan WHERE {condition} ORDER BY id"
    for given in MOMENTS:
        assert shop.ours(sql, {"a": given}) == shop.theirs(sql, {"a": given}), given


@pytest.mark.one_in(2)
@pytest.mark.parametrize("condition", OF_DAYS)
def test_days_beside_a_date_that_is_given(shop: Beside, condition: str) -> None:
    """And anything else is refused, as there."""
    sql = f"SELECT id FROM loan WHERE {condition} ORDER BY id"
    for given in (date(2024, 2, 29), date(2024, 4, 1)):
        assert shop.ours(sql, {"a": given}) == shop.theirs(sql, {"a": given}), given
    for wrong in (3, datetime(2024, 2, 29, 1)):
        with pytest.raises(WorkloadError, match="must be of type date"):
            shop.ours(sql, {"a": wrong})


@pytest.mark.parametrize("item", [":a - due", "due - :a", "due - (:a + 3)"])
def test_differences_are_days(shop: Beside, item: str) -> None:
    """Whole numbers."""
    sql, given = f"SELECT id, {item} AS days FROM loan ORDER BY id", {"a": date(2024, 3, 1)}
    assert shop.ours(sql, given) == shop.theirs(sql, given)


def test_a_day_that_is_no_moment_stays_a_day(shop: Beside) -> None:
    """NULLIF gives its first value, of its own type."""
    sql = "SELECT id, nullif(due, at) AS a, nullif(due, seen) AS b, nullif(at, due) AS c, nullif(due, '2024-02-27') FROM loan"
    assert shop.ours(f"{sql} ORDER BY id") == shop.theirs(f"{sql} ORDER BY id")
    sql, given = "SELECT nullif(due, :a + interval '5 days') AS due FROM loan ORDER BY id", {"a": date(2024, 3, 7)}
    assert shop.ours(sql, given) == shop.theirs(sql, given)


def test_the_number_of_days_is_given_too(shop: Beside) -> None:
    """Beside a date."""
    sql, given = "SELECT id FROM loan WHERE due < :a - :n ORDER BY id", {"a": date(2024, 5, 1), "n": 30}
    assert shop.ours(sql, given) == shop.theirs(sql, given) != []


def test_an_interval_as_a_result(shop: Beside) -> None:
    """Is a timestamp: a datetime with a zone would give one with a zone, and is refused."""
    sql = "SELECT :a + interval '36 hours' AS at FROM loan WHERE id = 1"
    for given in (date(2024, 2, 29), datetime(2024, 2, 28, 1)):
        assert shop.ours(sql, {"a": given}) == shop.theirs(sql, {"a": given})
    with pytest.raises(WorkloadError, match="must be of type timestamp"):
        shop.ours(sql, {"a": datetime(2024, 2, 28, 1, tzinfo=UTC)})


def test_no_time_finer_than_a_millisecond(shop: Beside) -> None:
    """Is assumed: it is refused in words, by what is emitted too."""
    sql, given = "SELECT id FROM loan WHERE at < :a + interval '7 days'", datetime(2024, 3, 1, 10, 0, 0, 123456)
    with pytest.raises(WorkloadError, match="whole milliseconds"):
        shop.ours(sql, {"a": given})
    read = pipeline.convert(shop.proposal, sql, dialect="postgresql")
    assert isinstance(read, CompiledRead), read
    space: dict[str, Any] = {}
    exec(compile(module([read]), "queries.py", "exec"), space)
    with pytest.raises(ValueError, match="whole milliseconds"):
        space["statement"](shop.database, a=given)


@pytest.mark.parametrize(
    "item",
    [
        "date_trunc('day', :a::timestamp)",
        "date_trunc('month', :a::timestamp)",
        "date(:a::timestamp) - due",
        "extract(hour FROM :a::timestamp)",
        "to_char(:a::timestamp, 'YYYY-MM-DD')",
        "at >= date_trunc('day', :a::timestamp)",
    ],
)
def test_microseconds_that_do_not_count(shop: Beside, item: str) -> None:
    """Are left out as PostgreSQL leaves them out."""
    sql, given = f"SELECT id, {item} AS x FROM loan ORDER BY id", {"a": datetime(2024, 2, 29, 23, 59, 59, 999900)}
    assert shop.ours(sql, given) == shop.theirs(sql, given)


@pytest.mark.parametrize("item", ["at - :a", ":a::timestamp - at", "extract(second FROM :a::timestamp)"])
def test_microseconds_that_count(shop: Beside, item: str) -> None:
    """Are refused in words."""
    with pytest.raises(WorkloadError, match="whole milliseconds"):
        shop.ours(f"SELECT {item} AS x FROM loan", {"a": datetime(2024, 3, 1, 10, 0, 0, 123456)})


def test_what_is_stored(shop: Beside) -> None:
    """A loan begins when it is given out, and is due so many days later."""
    store, day, at = Store(shop.proposal, shop.database), date(2024, 2, 1), datetime(2024, 2, 1, 9, tzinfo=UTC)
    store.execute(
        "INSERT INTO loan VALUES (20, :day + 30, :day + interval '1 month', :at + interval '1 day')", day=day, at=at
    )
    store.execute("INSERT INTO loan (id, due) VALUES (21, :day + 3), (22, :day), (23, NULL)", day=day)
    store.execute("INSERT INTO loan (id, due) SELECT 24, :day + id FROM loan WHERE id = 5", day=day)
    store.execute("UPDATE loan SET due = :day - 1 WHERE id = 13", day=day)
    found = [tuple(row.values()) for row in store.execute("SELECT * FROM loan WHERE id IN (13, 20) ORDER BY id")]
    assert found == [
        (13, date(2024, 1, 31), None, None),
        (20, date(2024, 3, 2), datetime(2024, 3, 1), datetime(2024, 2, 2, 9, tzinfo=UTC)),
    ]
    due = [row["due"] for row in store.execute("SELECT due FROM loan WHERE id > 20 ORDER BY id")]
    assert due == [date(2024, 2, 4), day, None, date(2024, 2, 6)]
    store.execute("DELETE FROM loan WHERE id >= 20")
    store.execute("UPDATE loan SET due = NULL WHERE id = 13")


def test_what_is_emitted_does_the_same(shop: Beside) -> None:
    """In Python."""
    sql = "SELECT id FROM loan WHERE at >= :a AND at < :a + interval '7 days' AND due < :day + 60 ORDER BY id"
    read = pipeline.convert(shop.proposal, sql, dialect="postgresql")
    assert isinstance(read, CompiledRead), read
    space: dict[str, Any] = {}
    exec(compile(module([read]), "queries.py", "exec"), space)
    given = {"a": datetime(2024, 3, 1, 10), "day": date(2024, 2, 1)}
    assert [tuple(row.values()) for row in space["statement"](shop.database, **given)] == shop.theirs(sql, given)
