"""Sources whose collation joins what is not equal: such rows are orphans, for only their own value gives them back."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling.common.errors import LoadError
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.model import Attribute, Model
from nestling.ir.primitives import (
    Bucket,
    BucketWindow,
    Collection,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Order,
    Overflow,
    Reference,
    WindowUnit,
)
from nestling.ir.rows import Hop
from nestling.ir.types import TEXT, Type
from nestling.sources.sql import open_database
from tests.executors.load.loads import documents_in, load_source
from tests.planner.homes.home_cases import entity, link

OWNER = entity("owner", "name! city", "name")
PET = entity("pet", "id:integer! owner name", "id")
TOY = entity("toy", "pet:integer! label!", "pet label")
MODEL = Model(
    "pets",
    (OWNER, PET, TOY),
    (link("owner_pet", "owner.name", "pet.owner", required=False), link("pet_toy", "pet.id", "toy.pet")),
)
TOYS = Embedding("toys", "pet_toy", Form.SCALARS, Document("toy"), overflow=Overflow(1, "more_toys"))
PETS = Embedding("pets", "owner_pet", Form.ARRAY, Document("pet", embeddings=(TOYS,)), orphans="stray_pets")


def source(path: Path, pets: str) -> Any:
    """Owners Ada, bo and Cy in a table that does not tell `Ada` from `ADA`, and pets."""
    connection = sqlite3.connect(path)
    connection.executescript(
        f"""CREATE TABLE owner (name TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, city TEXT);
            CREATE TABLE pet (id INTEGER PRIMARY KEY, owner TEXT COLLATE NOCASE, name TEXT, at TIMESTAMP);
            CREATE TABLE toy (pet INTEGER NOT NULL, label TEXT NOT NULL, PRIMARY KEY (pet, label));
            INSERT INTO owner VALUES ('Cy', 'Rome'), ('bo', 'Oslo'), ('Ada', 'Bonn');
            INSERT INTO pet (id, owner, name) VALUES {pets};
            INSERT INTO toy VALUES (1, 'ball'), (2, 'mouse'), (2, 'rope'), (2, 'bone'), (4, 'bell');"""
    )
    connection.close()
    return open_database(f"sqlite:///{path}", model=MODEL)


def test_rows_joined_by_a_lenient_collation_are_orphans(database: Database[Any], tmp_path: Path) -> None:
    """With what they embed, and their overflow; the merge keeps in step with the database's order of `Ada`, `bo`, `Cy`."""
    design = Design(MODEL, (Collection("owners", Document("owner", embeddings=(PETS,)), ("name",)),))
    pets = "(1, 'Ada', 'Rex'), (2, 'ADA', 'Tom'), (3, 'bo', 'Ace'), (4, 'Nobody', 'Jim'), (5, NULL, NULL), (6, 'cy', 'Mog')"
    report = load_source(design, source(tmp_path / "pets.db", pets), database)
    assert documents_in(database, "owners") == [
        {"_id": "Ada", "city": "Bonn", "pets": [{"id": 1, "name": "Rex", "toys": ["ball"], "has_overflow": False}]},
        {"_id": "Cy", "city": "Rome", "pets": []},
        {"_id": "bo", "city": "Oslo", "pets": [{"id": 3, "name": "Ace", "toys": [], "has_overflow": False}]},
    ]
    assert documents_in(database, "stray_pets") == [
        {"_id": 2, "owner": "ADA", "name": "Tom", "toys": ["bone"], "has_overflow": True},
        {"_id": 4, "owner": "Nobody", "name": "Jim", "toys": ["bell"], "has_overflow": False},
        {"_id": 5, "toys": [], "has_overflow": False},
        {"_id": 6, "owner": "cy", "name": "Mog", "toys": [], "has_overflow": False},
    ]
    assert [page["toys"] for page in documents_in(database, "more_toys")] == [["mouse"], ["rope"]]
    assert report.entities == {"owner": (3, 3), "pet": (6, 6), "toy": (5, 5)}


def test_without_orphans_such_a_row_is_an_error(database: Database[Any], tmp_path: Path) -> None:
    """It names the row."""
    links = (link("owner_pet", "owner.name", "pet.owner"), MODEL.relationships[1])
    strict = Model("pets", (OWNER, entity("pet", "id:integer! owner! name", "id"), TOY), links)
    body = Document("pet", embeddings=(TOYS,))
    design = Design(
        strict,
        (
            Collection(
                "owners", Document("owner", embeddings=(Embedding("pets", "owner_pet", Form.ARRAY, body),)), ("name",)
            ),
        ),
    )
    rows = source(tmp_path / "pets.db", "(1, 'Ada', 'Rex'), (2, 'ADA', 'Tom'), (4, 'bo', 'Jim')")
    with pytest.raises(LoadError, match=r"pet \(id 2\): its owner does not equal any key of `owner` exactly"):
        load_source(design, rows, database)


def test_a_home_copy_holds_only_what_gives_the_row_back(database: Database[Any], tmp_path: Path) -> None:
    """An owner lives in the pets that name it to the letter; one that is only named leniently has a document of its own."""
    home = Copy(
        "owned_by",
        (Hop("owner_pet", up=True),),
        (Field("name", "name"), Field("city", "city")),
        Form.OBJECT,
        TRANSACTION,
        home=True,
        orphans="petless",
    )
    design = Design(
        MODEL,
        (
            Collection("pets", Document("pet", copies=(home,)), ("id",)),
            Collection("toys", Document("toy", references=(Reference("pet_toy", Holder.CHILD),)), ("pet", "label")),
        ),
    )
    pets = "(1, 'Ada', NULL), (2, 'ADA', NULL), (3, 'BO', NULL), (4, NULL, NULL)"
    report = load_source(design, source(tmp_path / "pets.db", pets), database)
    assert documents_in(database, "pets") == [
        {"_id": 1, "owner": "Ada", "owned_by": {"name": "Ada", "city": "Bonn"}},
        {"_id": 2, "owner": "ADA"},
        {"_id": 3, "owner": "BO"},
        {"_id": 4},
    ]
    assert documents_in(database, "petless") == [{"_id": "Cy", "city": "Rome"}, {"_id": "bo", "city": "Oslo"}]
    assert report.entities["owner"] == (3, 3)


def test_buckets_of_owners_the_database_mixes_up(database: Database[Any], tmp_path: Path) -> None:
    """`Ada` and `ADA` come mixed, by time; each has its own buckets, and rows without a date theirs."""
    plain = entity("pet", "id:integer! owner name", "id")
    at = Attribute("at", Type.parse("timestamp"), also=(TEXT,))
    model = Model("pets", (replace(plain, attributes=(*plain.attributes, at)),))
    bucket = Bucket(("owner",), "events", 2, BucketWindow("at", WindowUnit.HOUR))
    path = tmp_path / "pets.db"
    source(path, "(99, 'z', 'z')")
    connection = sqlite3.connect(path)
    connection.executescript(
        """DELETE FROM pet;
           INSERT INTO pet (id, owner, at) VALUES
             (1, 'Ada', '2024-01-01 10:00:00'), (2, 'ADA', '2024-01-01 10:05:00'), (3, 'Ada', '2024-01-01 10:10:00'),
             (4, 'ada', 'no date'), (5, 'Ada', '2024-01-01 10:20:00'), (6, 'ADA', '2024-01-01 11:00:00'), (7, 'Ada', NULL),
             (8, 'Ada', 'no date'), (9, NULL, '2024-01-01 10:00:00');"""
    )
    connection.close()
    design = Design(model, (Collection("events", Document("pet"), bucket=bucket),))
    load_source(design, open_database(f"sqlite:///{path}", model=model), database)
    found = [
        (
            at.get("owner"),
            at["bucket_start"].hour if "bucket_start" in at else None,
            at["page"],
            [e["id"] for e in at["events"]],
        )
        for at in documents_in(database, "events")
    ]
    assert sorted(found, key=repr) == sorted(
        [
            (None, 10, 1, [9]),
            ("ADA", 10, 1, [2]),
            ("ADA", 11, 1, [6]),
            ("Ada", 10, 1, [1, 3]),
            ("Ada", 10, 2, [5]),
            ("Ada", None, 1, [7, 8]),
            ("ada", None, 1, [4]),
        ],
        key=repr,
    )


def test_arrays_are_in_mongodbs_order_whatever_the_collation(database: Database[Any], tmp_path: Path) -> None:
    """NULL first, then by bytes: `B` before `a`, though the database says otherwise; descending turns it round."""
    model = Model(
        "pets", (OWNER, entity("pet", "owner! name", "owner name")), (link("owner_pet", "owner.name", "pet.owner"),)
    )
    path = tmp_path / "pets.db"
    source(path, "(1, 'bo', 'a'), (2, 'bo', 'B'), (3, 'bo', 'ä'), (4, 'bo', 'A')")
    for descending, expected in ((False, ["A", "B", "a", "ä"]), (True, ["ä", "a", "B", "A"])):
        order = (Order("name", descending),)
        embedding = Embedding("pets", "owner_pet", Form.SCALARS, Document("pet"), order=order, orphans="strays")
        design = Design(model, (Collection("owners", Document("owner", embeddings=(embedding,)), ("name",)),))
        load_source(design, open_database(f"sqlite:///{path}", model=model), database, replace=True)
        assert documents_in(database, "owners")[-1] == {"_id": "bo", "city": "Oslo", "pets": expected}
