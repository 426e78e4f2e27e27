"""What Python's values mean that are given to statements of MySQL, beside PyMySQL and MariaDB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time, timedelta, timezone
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient

from nestling import Store, pipeline
from nestling.common.errors import GapError, WorkloadError
from nestling.emitters.python_code import module
from nestling.ir.programs.compiled import NotCompiled
from tests.beside_mariadb import Both, beside_mariadb

EAST = timezone(timedelta(hours=2))
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


def _emitted(sides: Sides, sql: str) -> ModuleType:
    made = pipeline.convert(sides.both.proposal, sql, name="asked", dialect="mysql")
    assert not isinstance(made, NotCompiled), made
    found = ModuleType("emitted")
    exec(module([made], title="One."), found.__dict__)
    return found


def test_emitted_functions_take_the_same(sides: Sides) -> None:
    """They convert by the same functions."""
    opens = _emitted(sides, "SELECT id FROM v WHERE opens = :at")
    assert [row["id"] for row in opens.asked(sides.both.database, at=timedelta(hours=8, minutes=30))] == [1]


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
    with pytest.raises(WorkloadError, match=r"time as duration|without a zone") as refused:
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
