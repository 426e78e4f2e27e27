"""AT TIME ZONE beside PostgreSQL, around the hours that clocks show twice or not at all."""

# ruff: noqa: DTZ001 - naive means UTC in BSON, and no zone in PostgreSQL
from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo import MongoClient
from pymongo.collection import Collection

from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.types import Type
from nestling.planner.sql.gaps import StatementGap
from tests.emitters.mql.sql.beside import Fields, failing, outputs, store
from tests.emitters.mql.sql.test_postgresql import comparable

COLUMNS = {
    "id": "integer",
    "tz": "timestamptz",
    "ts": "timestamp(3)",
    "us": "timestamptz(6)",
    "ms": "timestamp(6)",
    "d": "date",
}
MODEL = Model(
    "m", (Entity("m", tuple(Attribute(n, Type.parse(k), nullable=n != "id") for n, k in COLUMNS.items()), ("id",)),)
)
STARTS = (
    (1890, 1, 1),
    (1916, 4, 30),
    (1980, 4, 6),
    (2011, 12, 29),
    (2024, 3, 30),
    (2024, 10, 26),
    (2024, 11, 2),
    (2036, 3, 29),
)
Row = tuple[Any, ...]
Both = tuple[sa.Connection, Collection[dict[str, Any]]]


def rows() -> list[Row]:
    found: list[Row] = [(0, None, None, None, None, None)]
    for start in STARTS:
        for half in range(2 * 30):
            at = datetime(*start) + timedelta(minutes=30 * half, milliseconds=half)
            fine = at + timedelta(microseconds=half)
            found.append((len(found), at.replace(tzinfo=UTC), at, fine.replace(tzinfo=UTC), fine, at.date()))
    return found


@pytest.fixture(scope="module")
def moments(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Both]:
    """The table in PostgreSQL and in MongoDB."""
    engine = sa.create_engine(postgresql, isolation_level="AUTOCOMMIT")
    collection = mongo_client["time_zones"]["m"]
    collection.drop()
    store(collection, MODEL.entities[0].attributes, rows())
    with engine.connect() as connection:
        connection.exec_driver_sql("SET TIME ZONE 'UTC'")
        connection.exec_driver_sql("DROP TABLE IF EXISTS m")
        connection.exec_driver_sql(
            "CREATE TABLE m (id integer PRIMARY KEY, tz timestamptz, ts timestamp(3), us timestamptz, ms timestamp, d date)"
        )
        connection.exec_driver_sql("INSERT INTO m VALUES (%s, %s, %s, %s, %s, %s)", rows())
        yield connection, collection
    engine.dispose()
    mongo_client.drop_database("time_zones")


FORMS = (
    "tz AT TIME ZONE '{}'",
    "timezone('{}', tz)",
    "d AT TIME ZONE '{}'",
    "date_trunc('day', tz AT TIME ZONE '{}')",
    "date_trunc('month', us AT TIME ZONE '{}')",
    "(tz AT TIME ZONE '{}')::date",
    "(us AT TIME ZONE '{}')::date",
    "extract(hour from tz AT TIME ZONE '{}')",
    "extract(week from us AT TIME ZONE '{}')",
    "to_char(tz AT TIME ZONE '{}', 'YYYY-MM-DD HH24:MI')",
    "(tz AT TIME ZONE '{}') + INTERVAL '1 day'",
    "tz AT TIME ZONE '{}' >= '2024-03-31 03:00'",
    "ts AT TIME ZONE '{}'",
    "us AT TIME ZONE '{}'",
    "ms AT TIME ZONE '{}'",
    "(us AT TIME ZONE '{}') + INTERVAL '36 hours'",
    "us - INTERVAL '1 month' > ms AT TIME ZONE '{}'",
    "date_trunc('day', tz, '{}')",
)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia")
IN_UTC = (
    "us AT TIME ZONE 'UTC'",
    "ms AT TIME ZONE 'UTC'",
    "(us AT TIME ZONE 'UTC')::date",
    "ms AT TIME ZONE 'UTC' = us",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("form", FORMS)
def test_times_are_postgresqls(moments: Both, form: str, zone: str) -> None:
    """In every zone, with the columns' own values and inside of a lookup's or a map's variable."""
    check(moments, form.format(zone))


@pytest.mark.parametrize("text", IN_UTC)
def test_microseconds_stay_in_utc(moments: Both, text: str) -> None:
    """Which only changes what they are."""
    check(moments, text)


@pytest.mark.parametrize(
    "text", ["tz AT TIME ZONE 'CET'", "tz AT TIME ZONE '+02'", "tz AT TIME ZONE 'utc' || ''", "id AT TIME ZONE 'UTC'"]
)
def test_what_is_no_zones_name_is_a_gap(text: str) -> None:
    """An abbreviation is PostgreSQL's own table's, an offset has the other sign there."""
    with pytest.raises(StatementGap, match=r"time zone|TIME ZONE"):
        outputs(f"SELECT {text} AS v FROM m", MODEL, "postgresql")


def check(moments: Both, text: str) -> None:
    connection, collection = moments
    (expression,) = outputs(f"SELECT {text} AS v FROM m", MODEL, "postgresql")
    theirs = [row[0] for row in connection.exec_driver_sql(f"SELECT {text} FROM m ORDER BY id")]
    mine = failing(collection, expression, Fields())
    assert [shown(value) for value in mine] == list(map(comparable, theirs))


def shown(value: Any) -> Any:
    """A moment of microseconds is kept as text, with its zone's sign."""
    return comparable(value.removesuffix("Z") if isinstance(value, str) else value)
