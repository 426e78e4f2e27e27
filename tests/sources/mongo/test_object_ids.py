"""SQL about a live database whose keys are ObjectIds: to SQL they are texts of 24 digits, and it finds what SQLite finds."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo.database import Database

from nestling import Store
from nestling.executors.facts import Amount, Budget, gather
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.proposal import Proposal
from nestling.pipeline import convert, queries_module, unload, verify
from nestling.sources.mongo import live_database

IDS = [ObjectId(f"64f{n:021x}") for n in range(30)]
FREE = "64f" + "f" * 21
THIRD, NINTH = str(IDS[3]), str(IDS[9])

READS = (
    "SELECT name FROM people WHERE _id = '{third}'",
    "SELECT name FROM people WHERE '{third}' = _id",
    "SELECT name FROM people WHERE _id = upper('{third}')",
    "SELECT name FROM people WHERE _id = 'no id'",
    "SELECT name FROM people WHERE _id <> '{third}'",
    "SELECT name FROM people WHERE boss_id <> '{third}'",
    "SELECT name FROM people WHERE boss_id IS NOT '{third}'",
    "SELECT name FROM people WHERE _id IN ('{third}', '{ninth}', 'no id')",
    "SELECT name FROM people WHERE _id NOT IN ('{third}', '{ninth}')",
    "SELECT name FROM people WHERE _id >= '{ninth}'",
    "SELECT name FROM people WHERE _id < '64f00000000000000000001'",
    "SELECT name FROM people WHERE _id BETWEEN '{third}' AND '{ninth}'",
    "SELECT name FROM people WHERE _id LIKE '64f%a'",
    "SELECT name, substr(_id, 20) AS tail, length(_id) AS n, _id || '!' AS loud FROM people",
    "SELECT coalesce(boss_id, 'none') AS boss, count(*) AS n FROM people GROUP BY boss_id",
    "SELECT max(_id) AS last, count(DISTINCT boss_id) AS n FROM people",
    "SELECT p.name, l.n FROM letters l JOIN people p ON p._id = l.sent_to WHERE l.sent_to = '{third}'",
    "SELECT n FROM letters WHERE sent_to = :id",
    "SELECT name FROM people WHERE _id IN (:id, '{ninth}')",
    "SELECT name FROM people WHERE _id > :id",
    "SELECT name FROM people WHERE _id IN (SELECT sent_to FROM letters WHERE n < 4)",
    "SELECT name FROM people WHERE EXISTS (SELECT 1 FROM letters WHERE sent_to = people._id AND word = '{third}')",
    "SELECT l.n FROM letters l JOIN people p ON p._id = l.word",
    "SELECT _id FROM people WHERE name < 'n2' UNION SELECT word FROM letters",
    "SELECT CASE WHEN _id = '{third}' THEN _id ELSE 'other' END AS which FROM people",
    "SELECT name FROM people ORDER BY _id DESC LIMIT 3",
)
WRITES = (
    "UPDATE people SET name = 'changed' WHERE _id = '{third}'",
    "UPDATE people SET boss_id = '{ninth}' WHERE _id = '{third}'",
    "UPDATE letters SET sent_to = word WHERE n = 7",
    "UPDATE letters SET sent_to = :id WHERE sent_to = '{ninth}'",
    "INSERT INTO people (_id, name, boss_id) VALUES ('{free}', 'new', '{third}')",
    "INSERT INTO people (_id, name, boss_id) VALUES ('123456789012345678901234', 'all digits', NULL)",
    "UPDATE people SET name = 'found' WHERE _id = '123456789012345678901234'",
    "DELETE FROM letters WHERE sent_to = '{third}' AND n > 10",
)


@dataclass
class Both:
    """A live database as it is, and its rows in SQLite."""

    in_place: Proposal
    database: Database[Any]
    copy: Path

    def ids(self, name: str) -> list[Any]:
        """The ids of the people of that name."""
        return self.database.people.distinct("_id", {"name": name})

    def rows(self, sql: str, **values: object) -> tuple[Counter[str], Counter[str]]:
        """What the documents and SQLite answer."""
        done = Store(self.in_place, self.database).execute(sql, **values)
        mine = Counter(repr(tuple(row.values())) for row in done)
        with closing(sqlite3.connect(self.copy)) as connection:
            return mine, Counter(map(repr, connection.execute(sql, values)))


@pytest.fixture
def both(database: Database[Any], tmp_path: Path) -> Both:
    """People with bosses, and letters with a text that may be the digits of an id."""
    people = [{"_id": each, "name": f"n{n:02}"} | ({"boss_id": IDS[n // 3]} if n else {}) for n, each in enumerate(IDS)]
    letters = [
        {"_id": IDS[n % 30], "n": n, "sent_to": IDS[n % 11], "word": str(IDS[n % 4]) if n % 2 else f"word {n}"}
        for n in range(30)
    ]
    database.people.insert_many(people)
    database.letters.insert_many(letters)
    facts = gather(database.client, [database.name], Budget(30.0, Amount(), structure=True))
    found = live_database(facts, name="read")
    copy = tmp_path / "copy.db"
    unload(found.in_place, f"sqlite:///{copy}", database)
    return Both(found.in_place, database, copy)


def filled(sql: str) -> str:
    """The statement with ids."""
    return sql.format(third=THIRD, ninth=NINTH, free=FREE)


@pytest.mark.thorough
def test_reads_find_what_sqlite_finds(both: Both) -> None:
    """Comparisons, lists, ranges, joins, text functions and parameters."""
    for sql in map(filled, READS):
        mine, theirs = both.rows(sql, **({"id": THIRD} if ":id" in sql else {}))
        assert mine == theirs, sql
        assert theirs or "no id" in sql or "upper" in sql, sql


def test_an_id_is_found_by_an_index(both: Both) -> None:
    """The condition is on the field itself, with an ObjectId."""
    for sql in (f"SELECT name FROM people WHERE _id = '{THIRD}'", f"SELECT name FROM people WHERE _id IN ('{THIRD}')"):
        found = convert(both.in_place, sql)
        assert isinstance(found, CompiledRead)
        assert repr(IDS[3]) in repr(found.filter)
        assert "$expr" not in repr(found.filter)


def test_writes_leave_what_sqlite_has(both: Both) -> None:
    """Ids in conditions and ids stored: afterwards every row is the same."""
    store = Store(both.in_place, both.database)
    with closing(sqlite3.connect(both.copy)) as connection:
        for sql in map(filled, WRITES):
            values = {"id": THIRD} if ":id" in sql else {}
            done, theirs = store.execute(sql, **values), connection.execute(sql, values)
            assert done.affected == theirs.rowcount, sql
            connection.commit()
    assert {type(each["_id"]) for each in both.database.people.find()} == {ObjectId}
    assert {type(each["sent_to"]) for each in both.database.letters.find()} <= {ObjectId, str}
    report = verify(both.in_place, f"sqlite:///{both.copy}", both.database)
    assert report.equal, report.differences


def test_a_written_module_converts_ids(both: Both) -> None:
    """Parameters become ObjectIds there too, and are taken as such."""
    workload = both.copy.with_name("workload.sql")
    workload.write_text("-- name: named, rate: 1/s\nSELECT name FROM people WHERE _id = :id;\n", encoding="utf-8")
    space: dict[str, Any] = {}
    exec(queries_module(both.in_place, workload, "sqlite")[0], space)
    for given in (THIRD, IDS[3]):
        assert [row["name"] for row in space["named"](both.database, id=given)] == ["n03"]


@pytest.mark.thorough
def test_an_object_id_is_a_parameter(both: Both) -> None:
    """It finds what its text finds, and is stored as it is; a text's column it does not equal."""
    store = Store(both.in_place, both.database)
    for sql in map(filled, READS):
        if ":id" in sql:
            given = [tuple(row.values()) for row in store.execute(sql, id=IDS[3])]
            assert sorted(given) == sorted(tuple(row.values()) for row in store.execute(sql, id=THIRD)), sql
    assert list(store.execute("SELECT n FROM letters WHERE word = :id", id=IDS[3])) == []
    store.execute("UPDATE letters SET sent_to = :id WHERE n = 7", id=IDS[20])
    assert both.database.letters.distinct("sent_to", {"n": 7}) == [IDS[20]]
    store.execute("INSERT INTO people (_id, name, boss_id) VALUES (:id, 'new', :boss)", id=ObjectId(FREE), boss=IDS[3])
    assert both.database.people.find_one({"name": "new"}) == {"_id": ObjectId(FREE), "name": "new", "boss_id": IDS[3]}


def test_a_row_without_an_id_gets_one(both: Both) -> None:
    """As drivers make one: by `Store`, by a written module, and with what RETURNING answers."""
    sql = "INSERT INTO people (name) VALUES (:name)"
    Store(both.in_place, both.database).execute(sql, name="new")
    assert [*map(type, both.ids("new"))] == [ObjectId]
    (row,) = Store(both.in_place, both.database).execute(f"{sql} RETURNING _id", name="newer")
    assert both.ids("newer") == [ObjectId(str(row["_id"]))]
    workload = both.copy.with_name("workload.sql")
    workload.write_text(f"-- name: add, rate: 1/s\n{sql};\n", encoding="utf-8")
    space: dict[str, Any] = {}
    exec(queries_module(both.in_place, workload, "sqlite")[0], space)
    for name in ("one", "two"):
        space["add"](both.database, name=name)
    found = [*both.ids("one"), *both.ids("two")]
    assert {*map(type, found)} == {ObjectId}
    assert len({*found}) == 2
