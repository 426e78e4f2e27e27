"""What drivers keep in forms of their own is no fault of anybody's design, and nothing to redesign."""

from __future__ import annotations

from typing import Any

import gridfs
from bson import DBRef, ObjectId
from pymongo.database import Database

from nestling.executors.facts import Amount, Budget, gather
from nestling.ir.facts import NamespaceKind
from nestling.pipeline import redesign
from nestling.sources.mongo import live_database
from tests.doctor.looking import found, look

Db = Database[dict[str, Any]]


def test_gridfs_is_the_drivers(database: Db) -> None:
    """No finding in it, no entity of it and no change of its indexes; what refers to its files finds them."""
    files = gridfs.GridFS(database, "photos")
    ids = [files.put(bytes(300_000), filename=f"{n}.png") for n in range(5)]
    database.users.insert_many({"photo_id": each, "name": f"user {n}"} for n, each in enumerate(ids))
    facts = look(database)
    assert {each.name: each.kind for each in facts.collections if "photos" in each.name} == {
        "photos.chunks": NamespaceKind.GRIDFS,
        "photos.files": NamespaceKind.GRIDFS,
    }
    assert [(each.path, each.rule) for each in found(facts) if "photos" in f"{each.namespace} {each.commands}"] == []
    assert [each.rule for each in found(facts) if each.path == "photo_id"] == []
    there = live_database(gather(database.client, [database.name], Budget(30.0, Amount(), structure=True)))
    assert [each.name for each in there.reading.model.entities] == ["users"]
    assert [note for note in there.reading.notes if "`photos.chunks`, `photos.files`: GridFS" in note]
    assert [change for change in redesign(there, "optimal").changes if "photos" in str(change)] == []


def test_names_alone_make_no_gridfs(database: Db) -> None:
    """Collections with such names and other fields, and one half without the other, are ordinary ones."""
    database["a.files"].insert_one({"path": "x"})
    database["a.chunks"].insert_one({"files_id": 1, "n": 0, "data": b"x"})
    database["b.chunks"].insert_one({"files_id": 1, "n": 0, "data": b"x"})
    assert {each.kind for each in look(database).collections} == {NamespaceKind.COLLECTION}


def test_an_emptied_gridfs_is_known_by_its_indexes(database: Db) -> None:
    """Where no file is left, the indexes its driver made tell."""
    files = gridfs.GridFS(database)
    files.delete(files.put(b"x", filename="x"))
    assert {each.kind for each in look(database).collections} == {NamespaceKind.GRIDFS}


def test_a_dbref_is_a_form_of_mongodb(database: Db) -> None:
    """Its fields begin with a dollar, are found by queries, and are no finding; the same names elsewhere are."""
    ref = DBRef("users", ObjectId(), database.name)
    database.posts.insert_many({"ref": ref, "seen": [ref], "odd": {"$id": n}} for n in range(5))
    awkward = {each.path for each in found(look(database)) if each.rule == "awkward-field-names"}
    assert awkward == {"odd.$id"}
    assert database.posts.count_documents({"ref.$id": ref.id}) == 5
