"""A live database whose keys are UUIDs (binary, subtype 4): read as UUIDs, carried to SQLite and back, found by their text."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from bson import Binary, ObjectId
from bson.binary import UuidRepresentation
from pymongo.database import Database

from nestling import Store
from nestling.common.errors import RebuildError
from nestling.executors.facts import Amount, Budget, gather
from nestling.ir.facts.form import facts_text, read_facts
from nestling.ir.model import Attribute
from nestling.ir.types import TypeName
from nestling.pipeline import load, unload, verify
from nestling.sources.mongo import LiveDatabase, live_database

IDS = [UUID(int=(n * 0x9E3779B97F4A7C15F39CC0605CEDC835) % 2**128) for n in range(1, 21)]
SECOND = str(IDS[1])
READS = (
    "SELECT name FROM people WHERE _id = :id",
    "SELECT n FROM letters WHERE sent_to = :id",
    "SELECT name FROM people WHERE _id IN (:id, 'no uuid')",
    "SELECT p.name, l.n FROM letters l JOIN people p ON p._id = l.sent_to WHERE p._id = :id",
)


def look(database: Database[Any], amount: Amount | None = None) -> LiveDatabase:
    """What a database is read as, by way of a facts file."""
    facts = gather(database.client, [database.name], Budget(30.0, amount or Amount(), structure=True))
    return live_database(read_facts(facts_text(facts)), name="read")


def attribute(found: LiveDatabase, entity: str, name: str) -> Attribute:
    """An attribute of the model."""
    return found.reading.model.entity(entity).attribute(name)


@pytest.fixture
def people(database: Database[Any]) -> Database[Any]:
    """People, and letters to them."""
    database.people.insert_many([{"_id": Binary.from_uuid(each), "name": f"n{n}"} for n, each in enumerate(IDS)])
    database.letters.insert_many([{"_id": n, "n": n, "sent_to": Binary.from_uuid(IDS[n % 7])} for n in range(40)])
    return database


def test_they_are_uuids(people: Database[Any]) -> None:
    """In the model, also where only a sample is read; a reference to them is one."""
    for amount in (Amount(), Amount(documents=8)):
        found = look(people, amount)
        assert attribute(found, "people", "_id").type.name is TypeName.UUID
        assert (attribute(found, "letters", "sent_to").type.name, attribute(found, "letters", "sent_to").also) == (
            TypeName.UUID,
            (),
        )
    assert [link.child_attributes for link in look(people).reading.model.relationships] == [("sent_to",)]


@pytest.mark.thorough
def test_they_come_back(people: Database[Any], tmp_path: Path) -> None:
    """Unloaded to SQLite and compared, nothing differs; loaded from there under validators, they are UUIDs again."""
    today, copy = look(people).in_place, f"sqlite:///{tmp_path / 'copy.db'}"
    unload(today, copy, people)
    assert verify(today, copy, people).equal
    again = people.client[f"{people.name}_again"]
    try:
        assert load(today, copy, again).verified is not None
        assert again.people.find_one({"_id": Binary.from_uuid(IDS[0])}) == people.people.find_one({"name": "n0"})
    finally:
        again.client.drop_database(again.name)


@pytest.mark.parametrize("value", [SECOND, IDS[1], SECOND.upper(), "no uuid"])
def test_their_text_finds_them(people: Database[Any], tmp_path: Path, value: object) -> None:
    """As it does in SQLite."""
    today, copy = look(people).in_place, tmp_path / "copy.db"
    unload(today, f"sqlite:///{copy}", people)
    store = Store(today, people)
    with closing(sqlite3.connect(copy)) as connection:
        for sql in READS:
            mine = Counter(repr(tuple(row.values())) for row in store.execute(sql, id=value))
            theirs = Counter(map(repr, connection.execute(sql, {"id": str(value)})))
            assert mine == theirs, sql
            assert theirs or value not in (SECOND, IDS[1]), sql


def test_uuids_beside_bytes_are_told(database: Database[Any], tmp_path: Path) -> None:
    """A field of both has both types, each value comes back as what it was."""
    values = [Binary.from_uuid(IDS[0]), Binary.from_uuid(IDS[1]), b"some bytes of it"]
    database.things.insert_many([{"_id": n, "mark": value} for n, value in enumerate(values)])
    found = look(database)
    mark = attribute(found, "things", "mark")
    assert (mark.type.name, [each.name for each in mark.also]) == (TypeName.UUID, [TypeName.BYTES])
    copy = f"sqlite:///{tmp_path / 'copy.db'}"
    unload(found.in_place, copy, database)
    assert verify(found.in_place, copy, database).equal


@pytest.mark.parametrize("others", [[b"some bytes"] * 2, ["no uuid"] * 2, [ObjectId(), "no uuid"]])
def test_values_beside_a_uuid_come_back(database: Database[Any], tmp_path: Path, others: list[object]) -> None:
    """Also where they are more than the UUIDs: the column is one of UUIDs."""
    database.things.insert_many([{"_id": n, "mark": v} for n, v in enumerate([Binary.from_uuid(IDS[0]), *others])])
    found = look(database)
    assert attribute(found, "things", "mark").type.name is TypeName.UUID
    copy = f"sqlite:///{tmp_path / 'copy.db'}"
    unload(found.in_place, copy, database)
    assert verify(found.in_place, copy, database).equal


@pytest.mark.parametrize(
    ("late", "message"),
    [
        (SECOND, "`mark` of `things` holds the text of a UUID beside UUIDs, in the row _id = 4"),
        (Binary(b"legacy", 3), "`mark` of `things` holds a binary value of subtype 3, in the row _id = 4"),
    ],
)
def test_what_no_column_of_uuids_gives_back_is_refused(
    database: Database[Any], tmp_path: Path, late: object, message: str
) -> None:
    """By the collection, the row and the attribute, with nothing written."""
    database.things.insert_many([{"_id": n, "mark": Binary.from_uuid(IDS[n])} for n in range(3)])
    today = look(database).in_place
    database.things.insert_one({"_id": 4, "mark": late})
    with pytest.raises(RebuildError, match=message) as error:
        unload(today, f"sqlite:///{tmp_path / 'copy.db'}", database)
    assert "collection things" in str(error.value)


def test_a_uuid_among_what_were_bytes_is_refused(database: Database[Any], tmp_path: Path) -> None:
    """A column of bytes would take it for a text."""
    database.things.insert_many([{"_id": n, "mark": b"bytes"} for n in range(3)])
    today = look(database).in_place
    database.things.insert_one({"_id": 4, "mark": Binary.from_uuid(IDS[0])})
    with pytest.raises(RebuildError, match=r"`mark` of `things` holds a UUID, in the row _id = 4"):
        unload(today, f"sqlite:///{tmp_path / 'copy.db'}", database)


def test_keys_of_several_types_come_back(database: Database[Any], tmp_path: Path) -> None:
    """Most of them numbers: the column is no row number of SQLite's, which takes nothing else."""
    database.things.insert_many([{"_id": each, "n": 1} for each in (1, 2, 3, "three", ObjectId())])
    found, copy = look(database), f"sqlite:///{tmp_path / 'copy.db'}"
    unload(found.in_place, copy, database)
    assert verify(found.in_place, copy, database).equal


@pytest.mark.parametrize(
    "value",
    [
        Binary.from_uuid(IDS[0], UuidRepresentation.PYTHON_LEGACY),
        Binary(bytes(16), 5),
        Binary(b"own", 131),
        Binary(b"function", 1),
    ],
)
def test_other_subtypes_come_back(database: Database[Any], tmp_path: Path, value: Binary) -> None:
    """They are bytes with their subtype, also in arrays; beside others they are json, and a gap says so."""
    marks = [{"_id": n, "mark": value, "marks": [value], "several": value if n else "text"} for n in range(3)]
    database.things.insert_many(marks)
    found = look(database)
    kind = f"bytes as subtype {value.subtype}"
    assert (str(attribute(found, "things", "mark").type), str(attribute(found, "marks", "mark").type)) == (kind, kind)
    (gap,) = found.reading.gaps
    assert gap.what.startswith(f"`several` holds binary values of subtype {value.subtype}, and is kept whole as json")
    assert gap.what.endswith("in which no references are looked for")
    copy = f"sqlite:///{tmp_path / 'copy.db'}"
    unload(found.in_place, copy, database)
    assert verify(found.in_place, copy, database).equal
    database.things.update_one({"_id": 1}, {"$set": {"mark": bytes(value)}})
    assert not verify(found.in_place, copy, database).equal
