"""A live database with binary of one subtype of its own, such as the UUIDs of old drivers (3): found, joined, stored."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from bson import Binary
from pymongo.database import Database

from nestling import Store
from nestling.common.errors import GapError, InputError, RebuildError, WorkloadError
from nestling.ir.types import Type
from nestling.pipeline import load, unload, verify
from tests.sources.mongo.test_uuids import IDS, attribute, look

KEYS = [Binary(each.bytes, 3) for each in IDS]
FIRST, SECOND = bytes(KEYS[0]), bytes(KEYS[1])
READS = (
    "SELECT name FROM people WHERE _id = :id",
    "SELECT _id FROM people WHERE _id <> :id",
    "SELECT n FROM letters WHERE sent_to = :id",
    "SELECT name FROM people WHERE _id IN (:id, x'00', 'text')",
    f"SELECT name FROM people WHERE _id = x'{SECOND.hex()}'",
    f"SELECT name FROM people WHERE x'{SECOND.hex()}' IN (_id, x'00')",
    "SELECT p.name, l.n FROM letters l JOIN people p ON p._id = l.sent_to WHERE p._id = :id",
    "SELECT p.name, count(*) FROM people p LEFT JOIN letters l ON p._id = l.sent_to WHERE p._id <> :id GROUP BY p._id, p.name",
    "SELECT n FROM letters WHERE sent_to IN (SELECT _id FROM people WHERE _id <> :id AND name > 'n1')",
    "SELECT length(_id) FROM people WHERE _id = :id",
    "SELECT CASE _id WHEN :id THEN 1 ELSE 0 END FROM people",
    "SELECT nullif(_id, :id) FROM people",
)


@pytest.fixture
def people(database: Database[Any]) -> Database[Any]:
    """People with keys of subtype 3, and letters to them."""
    database.people.insert_many([{"_id": key, "name": f"n{n}"} for n, key in enumerate(KEYS)])
    database.letters.insert_many([{"_id": n, "n": n, "sent_to": KEYS[n % 7]} for n in range(40)])
    return database


def test_they_are_bytes_of_that_subtype(people: Database[Any]) -> None:
    """In the model; a reference to them is one, and nothing is a gap."""
    found = look(people)
    assert str(attribute(found, "people", "_id").type) == "bytes as subtype 3"
    assert str(Type.parse("bytes as subtype 3")) == "bytes as subtype 3"
    assert [link.child_attributes for link in found.reading.model.relationships] == [("sent_to",)]
    assert not found.reading.gaps


@pytest.mark.parametrize("text", ["bytes as subtype 4", "bytes as subtype 300", "bytes as blob"])
def test_no_other_bytes_are_carried(text: str) -> None:
    """UUIDs of today have a type of their own."""
    with pytest.raises(InputError, match="bytes as subtype 3"):
        Type.parse(text)


@pytest.mark.parametrize("value", [SECOND, KEYS[1], "text", None], ids=["bytes", "binary", "text", "null"])
def test_their_bytes_find_them(people: Database[Any], tmp_path: Path, value: Any) -> None:
    """As they do in SQLite, by an index."""
    today, copy = look(people).in_place, tmp_path / "copy.db"
    unload(today, f"sqlite:///{copy}", people)
    assert verify(today, f"sqlite:///{copy}", people).equal
    store = Store(today, people)
    given = bytes(value) if isinstance(value, Binary) else value
    with closing(sqlite3.connect(copy)) as connection:
        for sql in READS:
            asked = {"id": value} if ":id" in sql else {}
            mine = Counter(repr(tuple(row.values())) for row in store.execute(sql, **asked))
            theirs = Counter(map(repr, connection.execute(sql, {"id": given} if asked else {})))
            assert mine == theirs, sql
            assert theirs or value not in (SECOND, KEYS[1]), sql


def test_they_are_stored_as_binary_of_it(people: Database[Any], tmp_path: Path) -> None:
    """By statements, and by a load of what was unloaded."""
    today, copy = look(people).in_place, f"sqlite:///{tmp_path / 'copy.db'}"
    store = Store(today, people)
    store.execute("INSERT INTO people (_id, name) VALUES (:id, 'new')", id=b"new")
    store.execute("INSERT INTO letters (_id, n, sent_to) VALUES (99, 99, :id)", id=b"new")
    store.execute("UPDATE letters SET sent_to = x'6e6577' WHERE sent_to = :id AND n = 3", id=bytes(KEYS[3]))
    store.execute("DELETE FROM letters WHERE sent_to = :id", id=KEYS[4])
    assert people.people.find_one({"name": "new"}) == {"_id": Binary(b"new", 3), "name": "new"}
    assert sorted(each["n"] for each in people.letters.find({"sent_to": Binary(b"new", 3)})) == [3, 99]
    assert people.letters.count_documents({"sent_to": KEYS[4]}) == 0
    unload(today, copy, people)
    again = people.client[f"{people.name}_again"]
    try:
        assert load(today, copy, again).verified is not None
        assert again.people.find_one({"name": "n0"}) == people.people.find_one({"name": "n0"})
    finally:
        again.client.drop_database(again.name)


@pytest.mark.parametrize("late", [b"plain", Binary(b"other", 5), "text"])
def test_another_subtype_is_not_taken_for_them(people: Database[Any], tmp_path: Path, late: object) -> None:
    """What came later is refused by `unload`, but for what a column of bytes keeps."""
    today, copy = look(people).in_place, f"sqlite:///{tmp_path / 'copy.db'}"
    people.people.insert_one({"_id": late, "name": "late"})
    if isinstance(late, bytes):
        with pytest.raises(RebuildError, match=r"`_id` of `people` holds a binary value of subtype [05]"):
            unload(today, copy, people)
    else:
        unload(today, copy, people)
        assert verify(today, copy, people).equal


def test_a_uuid_is_not_guessed_to_be_one_of_them(people: Database[Any]) -> None:
    """Old drivers put its bytes in several orders: the bytes are to be given."""
    with pytest.raises(WorkloadError, match="differs by driver; give the bytes"):
        Store(look(people).in_place, people).execute("SELECT name FROM people WHERE _id = :id", id=IDS[0])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT coalesce(p._id, :id) FROM people p",
        "SELECT _id FROM people UNION ALL SELECT x'00'",
        "SELECT name FROM people WHERE _id < :id",
        "SELECT name FROM people WHERE hex(_id) = :id",
        "UPDATE letters SET sent_to = coalesce(sent_to, x'00')",
    ],
)
def test_what_would_mix_subtypes_is_a_gap(people: Database[Any], sql: str) -> None:
    """Or goes by an order that is another one."""
    with pytest.raises(GapError):
        Store(look(people).in_place, people).execute(sql, **({"id": b"x"} if ":id" in sql else {}))


@pytest.mark.parametrize("old", [1, 2])
def test_a_key_with_such_a_part_is_whole(database: Database[Any], tmp_path: Path, old: int) -> None:
    """Of its parts where each has a type; else it is one value, which a gap says."""
    database.sessions.insert_many(
        {
            "_id": {"tenant": Binary(IDS[n % 7].bytes, 3 if n % old == 0 else 4), "no": n // 7},
            "hits": [{"at": f"t{n}-{k}", "url": f"/{n % 13}"} for k in range(n % 4)],
        }
        for n in range(140)
    )
    found, copy = look(database), f"sqlite:///{tmp_path / 'copy.db'}"
    key, gaps = found.reading.model.entity("sessions").key, [gap.what for gap in found.reading.gaps]
    if old == 1:
        assert (key, gaps) == (("tenant", "no"), [])
    else:
        assert key == ("_id",)
        assert gaps[0].startswith(
            "`_id` is a document whose `tenant` holds binary values of subtype 3, and is kept whole as json"
        )
    unload(found.in_place, copy, database)
    assert verify(found.in_place, copy, database).equal
