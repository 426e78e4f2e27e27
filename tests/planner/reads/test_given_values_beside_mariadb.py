"""What Python's values mean that are given to statements of MySQL, beside PyMySQL and MariaDB."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, timezone
from types import ModuleType
from typing import Any
from uuid import UUID, uuid4

import pytest
from bson import Binary
from pymongo import AsyncMongoClient, MongoClient

from nestling import AsyncStore, Store, pipeline
from nestling.common.errors import GapError, WorkloadError
from nestling.emitters.python_code import module
from nestling.ir.programs.compiled import NotCompiled
from tests.beside_mariadb import Both, beside_mariadb

EAST = timezone(timedelta(hours=2))
WEST = timezone(timedelta(hours=-9, minutes=-30))
NOON = datetime(2026, 1, 1, 12, tzinfo=EAST)
FINE = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=WEST)
SCRIPT = """
CREATE TABLE v (id INT PRIMARY KEY, opens TIME, at DATETIME, fine DATETIME(6), seen TIMESTAMP NULL,
    fine_seen TIMESTAMP(6) NULL, code BINARY(4), id_bytes BINARY(16), note TINYTEXT, day DATE) ENGINE=InnoDB;
SET time_zone = '+00:00';
INSERT INTO v VALUES
    (1, '08:30:00', '2026-01-01 12:00:00', '2026-01-01 12:00:00.123456', '2026-01-01 12:00:00',
     '2026-01-01 12:00:00.123456', 'abcd', NULL, '2026-01-01 12:00:00', '2026-01-01'),
    (2, '30:00:00', '2026-01-01 10:00:00', '2026-01-01 21:30:00.123456', '2026-01-01 10:00:00',
     '2026-01-01 21:30:00.123456', 'efgh', NULL, '2026-01-01 10:00:00', '2026-01-02'),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"""


@dataclass
class Sides:
    """A store, and a cursor of PyMySQL."""

    both: Both
    store: Store

    def answers(self, sql: str, *values: object) -> tuple[list[Any], list[Any]]:
        """The rows here and there."""
        here = [tuple(row.values()) for row in self.store.execute(sql, list(values))]
        self.both.cursor.execute(sql, values)
        return here, list(self.both.cursor.fetchall())

    def write(self, sql: str, *values: object) -> None:
        """Here and there."""
        self.store.execute(sql, list(values))
        self.both.cursor.execute(sql, values)


@pytest.fixture
def sides(mariadb: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Sides]:
    """The table, and what was loaded of it."""
    name = f"test_{uuid4().hex}"
    with beside_mariadb(mariadb, mongo_client[name], SCRIPT, "normalized") as both:
        yield Sides(both, Store(both.proposal, both.database))
    mongo_client.drop_database(name)


MOMENTS = [
    ("at", NOON),
    ("seen", NOON),
    ("fine", FINE),
    ("fine_seen", FINE),
    ("note", NOON),
    ("at", FINE),
    ("seen", FINE),
]


@pytest.mark.parametrize(("column", "moment"), MOMENTS)
def test_conditions_take_the_fields_of_a_datetime_without_its_zone(sides: Sides, column: str, moment: datetime) -> None:
    """As PyMySQL writes them, in each kind of comparison."""
    for operator in ("=", "<>", ">", ">=", "<", "<=") if column != "note" else ("=",):
        here, there = sides.answers(f"SELECT id FROM v WHERE {column} {operator} %s ORDER BY id", moment)
        assert here == there, operator
    here, there = sides.answers(f"SELECT id FROM v WHERE {column} IN (%s, %s) ORDER BY id", moment, moment)
    assert here == there
    if column != "note":
        later = moment + timedelta(minutes=5)
        here, there = sides.answers(f"SELECT id FROM v WHERE {column} BETWEEN %s AND %s ORDER BY id", moment, later)
        assert here == there
    (asked,) = (
        row["n"] for row in sides.store.execute(f"SELECT COUNT(*) AS n FROM v WHERE {column} IN :ms", ms=[moment])
    )
    assert asked == len(sides.answers(f"SELECT id FROM v WHERE {column} = %s", moment)[1])


@pytest.mark.parametrize(("column", "moment"), [*MOMENTS[:5], ("day", NOON)])
def test_writes_take_the_fields_of_a_datetime_without_its_zone(sides: Sides, column: str, moment: datetime) -> None:
    """What is written is found again, and is what PyMySQL writes."""
    sides.write(f"UPDATE v SET {column} = %s WHERE id = 3", moment)
    sides.write(f"INSERT INTO v (id, {column}) VALUES (%s, %s)", 4, moment)
    sides.write(f"UPDATE v SET note = 'found' WHERE {column} = %s", moment)
    sides.both.assert_equal()
    if column != "day":
        here, there = sides.answers(f"SELECT id FROM v WHERE {column} = %s ORDER BY id", moment)
        assert here == there


def test_functions_take_the_same(sides: Sides) -> None:
    """Computed beside a datetime that is given."""
    for sql in (
        "SELECT id FROM v WHERE at + INTERVAL 1 HOUR > %s ORDER BY id",
        "SELECT id FROM v WHERE COALESCE(seen, at) = %s ORDER BY id",
    ):
        here, there = sides.answers(sql, NOON)
        assert here == there, sql


def _emitted(sides: Sides, sql: str) -> ModuleType:
    made = pipeline.convert(sides.both.proposal, sql, name="asked", dialect="mysql")
    assert not isinstance(made, NotCompiled), made
    found = ModuleType("emitted")
    exec(module([made], title="One."), found.__dict__)
    return found


def test_emitted_functions_and_the_store_of_asyncio_take_the_same(sides: Sides) -> None:
    """They convert by the same functions."""
    read = _emitted(sides, "SELECT id FROM v WHERE seen = :at")
    assert [row["id"] for row in read.asked(sides.both.database, at=NOON)] == [1]
    _emitted(sides, "UPDATE v SET seen = :at WHERE id = 3").asked(sides.both.database, at=NOON)
    assert len(list(read.asked(sides.both.database, at=NOON))) == 2
    opens = _emitted(sides, "SELECT id FROM v WHERE opens = :at")
    assert [row["id"] for row in opens.asked(sides.both.database, at=timedelta(hours=8, minutes=30))] == [1]

    async def ids() -> list[Any]:
        host, port = sides.both.database.client.address or ("", 0)
        async with AsyncMongoClient[dict[str, Any]](host, port) as client:
            store = AsyncStore(sides.both.proposal, client[sides.both.database.name])
            await store.execute("UPDATE v SET at = %s WHERE id = 3", [NOON])
            return [row["id"] for row in await store.execute("SELECT id FROM v WHERE at = %s ORDER BY id", [NOON])]

    assert asyncio.run(ids()) == [1, 3]


def test_utc_stays_utc(sides: Sides) -> None:
    """Its fields are those."""
    noon = NOON.replace(tzinfo=UTC)
    assert sides.answers("SELECT id FROM v WHERE at = %s AND seen = %s", noon, noon) == ([(1,)], [(1,)])


def test_a_time_is_compared_with_a_timedelta(sides: Sides) -> None:
    """As it is written with one."""
    given = (timedelta(hours=8, minutes=30), timedelta(hours=8, minutes=30, microseconds=500_000), timedelta(hours=30))
    for value in given:
        for operator in ("=", ">", "<="):
            here, there = sides.answers(f"SELECT id FROM v WHERE opens {operator} %s ORDER BY id", value)
            assert here == there, (operator, value)
    here, there = sides.answers("SELECT id FROM v WHERE opens IN (%s, %s) ORDER BY id", *given[:2])
    assert here == there
    assert len(sides.store.execute("SELECT id FROM v WHERE opens IN :many", many=[*given])) == 2
    sides.write("UPDATE v SET opens = %s WHERE id = 3", given[2])
    here, there = sides.answers("SELECT id FROM v WHERE opens = %s ORDER BY id", given[2])
    assert here == there


def test_elsewhere_a_timedelta_is_no_value(sides: Sides) -> None:
    """It is none of the types there."""
    with pytest.raises(WorkloadError, match="not timedelta"):
        sides.store.execute("SELECT id FROM v WHERE note = %s", [timedelta(1)])


TOO_MUCH = [
    timedelta(hours=-1),
    timedelta(hours=100),
    "-00:00:01",
    "838:59:59",
    "12:00:00+02:00",
    time(12, tzinfo=EAST),
]


@pytest.mark.parametrize("value", TOO_MUCH)
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE v SET opens = %s WHERE id = 1",
        "INSERT INTO v (id, opens) VALUES (9, %s)",
        "SELECT id FROM v WHERE opens > %s",
        "SELECT id FROM v WHERE opens IN (%s)",
        "SELECT id FROM v WHERE opens BETWEEN '00:00:00' AND %s",
        "DELETE FROM v WHERE opens < %s",
    ],
)
def test_a_time_whose_text_is_out_of_order_is_refused(sides: Sides, sql: str, value: object) -> None:
    """In a column of times that are in the order of their texts, with what to do."""
    with pytest.raises(WorkloadError, match=r"time as duration|MySQL's TIME has no time zone") as refused:
        sides.store.execute(sql, [value])
    assert "p1" in str(refused.value)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE v SET opens = '-01:00:00' WHERE id = 1",
        "INSERT INTO v (id, opens) VALUES (9, '100:00:00')",
        "SELECT id FROM v WHERE opens < '100:00:00'",
        "SELECT id FROM v WHERE opens IN ('08:30:00', '-08:30:00')",
    ],
)
def test_such_a_constant_is_refused(sides: Sides, sql: str) -> None:
    """What a statement says in itself, too."""
    with pytest.raises((WorkloadError, GapError), match=r"time as duration"):
        sides.store.execute(sql)


def test_durations_take_them(mariadb: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """A column that has such values is of another type."""
    name = f"test_{uuid4().hex}"
    script = "CREATE TABLE v (id INT PRIMARY KEY, t TIME);\nINSERT INTO v VALUES (1, '-01:00:00'), (2, '200:00:00'), (3, NULL)"
    with beside_mariadb(mariadb, mongo_client[name], script, "normalized") as both:
        sides = Sides(both, Store(both.proposal, both.database))
        for value in (timedelta(hours=-1), timedelta(hours=200), "-01:00:00"):
            here, there = sides.answers("SELECT id FROM v WHERE t = %s", value)
            assert here == there
            sides.write("UPDATE v SET t = %s WHERE id = 3", value)
            both.assert_equal()
        with pytest.raises(WorkloadError, match="838:59:59"):
            sides.store.execute("UPDATE v SET t = %s WHERE id = 3", [timedelta(hours=839)])
    mongo_client.drop_database(name)


@pytest.mark.parametrize("text", ["2026-01-01 12:00:00+02:00", "2026-01-01T12:00:00Z"])
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE v SET at = %s WHERE id = 1",
        "INSERT INTO v (id, fine_seen) VALUES (9, %s)",
        "SELECT id FROM v WHERE at = %s",
        "SELECT id FROM v WHERE seen IN (%s)",
        "SELECT id FROM v WHERE fine BETWEEN '2026-01-01' AND %s",
    ],
)
def test_a_text_with_an_offset_is_refused(sides: Sides, sql: str, text: str) -> None:
    """MySQL 8 takes into account it, MariaDB drops it from conditions and refuses it in rows; in the statement itself, too."""
    with pytest.raises(WorkloadError, match="give the time without an offset"):
        sides.store.execute(sql, [text])
    with pytest.raises((WorkloadError, GapError), match="give the time without an offset"):
        sides.store.execute(sql.replace("%s", f"'{text}'"))
    sides.store.execute("UPDATE v SET note = %s WHERE id = 1", [text])
    assert len(sides.store.execute("SELECT id FROM v WHERE note = %s", [text])) == 1


ID = UUID("9b0e5a3c-1f2d-4c6b-8a7e-0d1c2b3a4f5e")


@pytest.mark.parametrize("value", [ID, Binary.from_uuid(ID)])
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE v SET id_bytes = %s WHERE id = 1",
        "INSERT INTO v (id, code) VALUES (9, %s)",
        "SELECT id FROM v WHERE id_bytes = %s",
        "SELECT id FROM v WHERE code IN (%s)",
    ],
)
def test_a_uuid_is_no_bytes(sides: Sides, sql: str, value: object) -> None:
    """PyMySQL writes the 36 letters of its text, which nobody means; its 16 bytes are given as such."""
    with pytest.raises(WorkloadError, match=r"give its `\.bytes`"):
        sides.store.execute(sql, [value])


def test_the_bytes_of_a_uuid_are_found_again(sides: Sides) -> None:
    """As they are given."""
    sides.write("UPDATE v SET id_bytes = %s WHERE id = 1", ID.bytes)
    assert sides.answers("SELECT id FROM v WHERE id_bytes = %s", ID.bytes) == ([(1,)], [(1,)])
