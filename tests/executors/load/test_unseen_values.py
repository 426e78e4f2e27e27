"""Values the design does not tell of, which came after it: they are loaded, and the validator of their collection takes them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bson import Binary
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.connection import connect
from nestling.common.errors import LoadError, PermissionDenied
from nestling.emitters.commands import collection_commands
from nestling.ir.design import Design
from nestling.ir.freshness import TRANSACTION
from nestling.ir.primitives import Copy, Field, Form
from nestling.ir.proposal import Proposal
from nestling.ir.rows import Hop
from tests.executors.load.loads import load_rows
from tests.executors.load.test_refusals import ITEMS
from tests.planner.reads.beside_postgresql import created
from tests.servers import PASSWORD, guarded_mongod

Documents = Database[dict[str, Any]]
TABLES = """
CREATE TABLE shelf (id INTEGER PRIMARY KEY, label TEXT NOT NULL);
CREATE TABLE book (id INTEGER PRIMARY KEY, shelf_id INTEGER NOT NULL REFERENCES shelf, title TEXT, pages INTEGER, bought DATE);
INSERT INTO shelf VALUES (1, 'A'), (2, 'B');
INSERT INTO book VALUES (1, 1, 'Emma', 300, '2024-05-01'), (2, 2, 'Ulysses', 700, '2024-05-02');
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A database as it was when its design was made."""
    path = tmp_path / "library.db"
    change(path, TABLES)
    return path


def change(path: Path, sql: str) -> None:
    """Run statements on a file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(sql)
    connection.close()


def designed(address: object) -> Proposal:
    """A collection a table."""
    return pipeline.design(pipeline.inspect(str(address)), strategy="normalized")


def validators(database: Documents) -> dict[str, Any]:
    """Those the server has."""
    return {each["name"]: each["options"]["validator"] for each in database.list_collections() if each["options"]}


def told(proposal: Proposal, *, unseen: bool = False) -> dict[str, Any]:
    """Those of the design."""
    return {each.name: each.options["validator"] for each in collection_commands(proposal.design, unseen=unseen)}


@pytest.mark.thorough
def test_rows_that_fit_leave_the_validators_as_designed(library: Path, database: Documents) -> None:
    """Nothing is let in for values that nobody has."""
    proposal = designed(library)
    done = pipeline.load(proposal, library, database)
    assert done.report.notes == ()
    assert validators(database) == told(proposal)


def test_a_text_that_is_no_utf_8_is_loaded(library: Path, database: Documents) -> None:
    """The row is there, reads back equal, and a note says which collection takes what; others are as designed."""
    proposal = designed(library)
    change(library, "INSERT INTO book VALUES (3, 1, CAST(x'ff' AS TEXT), 10, NULL), (4, 2, 'Dune', 10, NULL)")
    done = pipeline.load(proposal, library, database)
    assert done.verified is not None
    assert done.verified.equal
    assert [note for note in done.report.notes if "book (`book.title` is binData, not string)" in note]
    assert validators(database) == told(proposal) | {"book": told(proposal, unseen=True)["book"]}


def test_a_copy_of_such_a_value_may_come_later(library: Path, database: Documents) -> None:
    """Collections that hold copies of the entity's values take these with it."""
    proposal = designed(library)
    (link,) = proposal.design.model.relationships
    copy = Copy("shelf", (Hop(link.name, up=True),), (Field("label", "label"),), Form.OBJECT, TRANSACTION)
    collections = tuple(
        replace(each, body=replace(each.body, copies=(copy,))) if each.name == "book" else each
        for each in proposal.design.collections
    )
    copied = Proposal("by hand", Design(proposal.design.model, collections, proposal.design.indexes))
    change(library, "INSERT INTO shelf VALUES (3, CAST(x'ff' AS TEXT))")
    pipeline.load(copied, library, database)
    Store(copied, database).execute("INSERT INTO book (id, shelf_id, title) VALUES (3, 3, 'Dune')")
    book = database["book"].find_one({"_id": 3})
    assert book is not None
    assert book["shelf"] == {"label": Binary(b"\xff", 128)}


def test_what_no_column_of_that_type_keeps_is_refused_still(library: Path, database: Documents) -> None:
    """A text among integers names its row, and what to do."""
    proposal = designed(library)
    change(library, "INSERT INTO book VALUES (3, 1, 'Faust', 'many', NULL)")
    with pytest.raises(LoadError, match=r"(?s)book, _id 3: .*`book.pages` is string, not int or long.*fix the row"):
        pipeline.load(proposal, library, database)


@pytest.mark.thorough
def test_postgresqls_infinity_comes_later(postgresql: str, database: Documents) -> None:
    """A date of a server that no design knew of is loaded, and compared."""
    _, url, engine = created(postgresql, "CREATE TABLE term (id int PRIMARY KEY, till date, at timestamptz)")
    proposal = designed(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO term VALUES (1, '2024-05-01', '2024-05-01')")
        connection.exec_driver_sql("INSERT INTO term VALUES (2, 'infinity', '0044-03-15 12:00:00+00 BC')")
    done = pipeline.load(proposal, url, database)
    assert done.verified is not None
    assert done.verified.equal
    assert database["term"].find_one({"_id": 2}, {"till": 1}) == {"_id": 2, "till": "infinity"}
    assert validators(database) == told(proposal, unseen=True)


@pytest.mark.thorough
def test_a_migration_takes_such_documents_along(library: Path, database: Documents) -> None:
    """Its new collections have the wide validators then, and those of the design where the old ones were never widened."""
    proposal = designed(library)
    embedded = pipeline.design(pipeline.inspect(str(library)), strategy="embedded")
    for odd in (False, True):
        if odd:
            change(library, "INSERT INTO book VALUES (3, 1, CAST(x'ff' AS TEXT), 10, NULL)")
        database.client.drop_database(database.name)
        pipeline.load(proposal, library, database)
        assert not [each for each in pipeline.plan_migration(proposal, embedded, database).risks if "validator" in each]
        assert pipeline.migrate(proposal, embedded, database, offline=True, cutover=True).equal
        assert validators(database)["shelf"] == told(embedded, unseen=odd)["shelf"]


def test_who_may_not_change_a_validator_is_told(tmp_path: Path) -> None:
    """With the row's fault, the right that lacks and what to do; whoever may goes on."""
    rows: Any = {"item": [(1, None, "fits"), (2, None, b"\xff")]}
    with guarded_mongod() as address:
        with connect(f"mongodb://root:{PASSWORD}@{address}/?directConnection=true") as client:
            client.shop.command("createUser", "bob", pwd="secret-of-bob", roles=["readWrite"])
            client.shop.command("createUser", "eve", pwd="secret-of-eve", roles=["readWrite", "dbAdmin"])
        with (
            connect(f"mongodb://bob:secret-of-bob@{address}/shop?directConnection=true") as client,
            pytest.raises(
                PermissionDenied, match=r"(?s)items: .*`item.text` is binData.*`collMod`.*`dbAdmin`.*--resume"
            ),
        ):
            load_rows(ITEMS, rows, client.shop, tmp_path)
        with connect(f"mongodb://eve:secret-of-eve@{address}/shop?directConnection=true") as client:
            load_rows(ITEMS, rows, client.shop, tmp_path, resume=True)
            assert client.shop["items"].count_documents({}) == 2
