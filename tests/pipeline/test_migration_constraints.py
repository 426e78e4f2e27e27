"""What the server takes today and refuses once a migration has cut over is among the plan's risks, and refused indeed."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError, WriteError

from nestling import pipeline
from nestling.cli.plan import show
from nestling.common.server import Server
from nestling.emitters.field_searches.unknown_fields import unknown_fields
from nestling.executors.found_fields import find_fields
from nestling.ir.primitives import Field
from nestling.ir.proposal import Proposal
from nestling.pipeline.reversing import in_place, redesign
from nestling.sources.mongo import LiveDatabase

Documents = Database[dict[str, Any]]


@pytest.fixture
def live(database: Documents, mongod: Server) -> str:
    """Products that lines in orders name by `sku`, which no index keeps unique; no collection has a validator."""
    database["products"].insert_many([{"_id": i, "sku": f"s{i}", "price": 1.5 * i} for i in range(20)])
    database["orders"].insert_many(
        [
            {"_id": i, "total": i, "lines": [{"line": n, "sku": f"s{(i + n) % 20}"} for n in range(1, 4)]}
            for i in range(100)
        ]
    )
    return f"{mongod.uri.partition('?')[0].rstrip('/')}/{database.name}?directConnection=true"


def _normalized(live: str) -> tuple[LiveDatabase, Proposal]:
    found = in_place(live)
    return found, redesign(found, "normalized").proposal


def _about(risks: tuple[str, ...], *words: str) -> list[str]:
    return [risk for risk in risks if all(word in risk for word in words)]


@pytest.mark.thorough
def test_a_unique_index_that_is_new_is_said(live: str, database: Documents) -> None:
    """Also of a collection that stays; after the cutover a second value is refused until the index is dropped as told."""
    database["products"].create_index("sku", unique=True)
    found, new = _normalized(live)
    database["products"].drop_index("sku_1")
    plan = pipeline.plan_migration(found.in_place, new, database)
    assert "products: sku (unique)" in plan.indexes_built
    (told,) = _about(plan.risks, "`products` gets a unique index on sku")
    (drop,) = [
        part for part in told.split("; ") if part.startswith("if duplicates are legitimate, drop the index then: ")
    ]
    assert _about(
        plan.risks, "`lines` gets a unique index on _id", "order_id, line of `lines`", "give `lines` a unique key"
    )
    assert pipeline.migrate(found.in_place, new, database, cutover=True).equal
    again = {"_id": 90, "sku": "s1", "price": 1.0}
    with pytest.raises(DuplicateKeyError):
        database["products"].insert_one(again)
    database["products"].drop_index(drop.partition("dropIndex(")[2].strip(')"'))
    database["products"].insert_one(again)


@pytest.mark.thorough
def test_what_only_happens_to_be_unique_stays_so_no_longer(live: str, database: Documents) -> None:
    """A value that comes twice while the migration runs is the application's to write, before the cutover and after it."""
    found, new = _normalized(live)
    built = pipeline.plan_migration(found.in_place, new, database).indexes_built
    assert not [index for index in built if "sku" in index]
    assert pipeline.migrate(found.in_place, new, database).equal
    database["products"].insert_one({"_id": 90, "sku": "s1", "price": 1.0})
    assert pipeline.migrate(found.in_place, new, database, cutover=True).equal
    database["products"].insert_one({"_id": 91, "sku": "s1", "price": 1.0})


def test_a_unique_index_that_is_there_is_no_risk(live: str, database: Documents) -> None:
    """By whatever name; and it is not among those to build."""
    database["products"].create_index("sku", unique=True, name="mine")
    found, new = _normalized(live)
    plan = pipeline.plan_migration(found.in_place, new, database)
    assert not _about(plan.risks, "`products` gets")
    assert not [index for index in plan.indexes_built if index.startswith("products")]


SESSIONS = """
CREATE TABLE session (key TEXT COLLATE NOCASE PRIMARY KEY, data TEXT NOT NULL);
CREATE TABLE visit (id INTEGER PRIMARY KEY, session TEXT COLLATE NOCASE NOT NULL REFERENCES session, n INTEGER,
  UNIQUE (session, n));
CREATE TABLE click (id INTEGER PRIMARY KEY, session TEXT COLLATE NOCASE NOT NULL REFERENCES session, n INTEGER,
  UNIQUE (session, n));
INSERT INTO session VALUES ('a', 'x'), ('b', 'y');
INSERT INTO visit VALUES (1, 'a', 1), (2, 'b', 1);
INSERT INTO click VALUES (1, 'a', 1), (2, 'b', 1);
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["string", ["string", "long"]])
def test_a_unique_index_of_some_types_gets_stricter(kind: Any, mongod: Server, database: Documents) -> None:
    """The new one is of null as well: that is said, with what has the server take it again, which it does."""
    database["guests"].insert_many({"_id": n, "phone": f"+{n}", "pet": {"n": n}} for n in range(40))
    database["guests"].update_many({"_id": {"$lt": 9}}, {"$unset": {"phone": ""}})
    database["guests"].create_index("phone", unique=True, partialFilterExpression={"phone": {"$type": kind}})
    found, new = _normalized(f"{mongod.uri.partition('?')[0].rstrip('/')}/{database.name}?directConnection=true")
    plan = pipeline.plan_migration(found.in_place, new, database)
    (told,) = _about(
        plan.risks, "`guests` gets a unique index on phone over all documents that have the field", "E11000"
    )
    command = re.search(
        r"dropIndex\(\"(.*?)\"\) and .*createIndex\(\{phone: 1\}, \{unique: true, partial.*\{phone: (.*)\}\}\)", told
    )
    assert command is not None
    assert command[2] == '{$type: "string"}' or command[2] == '{$type: ["string", "long"]}'
    assert pipeline.migrate(found.in_place, new, database, cutover=True).equal
    pipeline.drop_old(found.in_place, new, database)
    assert not _about(pipeline.plan_migration(new, found.in_place, database).risks, "today's covers")
    database["guests"].insert_one({"_id": 90, "pet_n": 1, "phone": None})
    with pytest.raises(DuplicateKeyError):
        database["guests"].insert_one({"_id": 91, "pet_n": 1, "phone": None})
    database["guests"].drop_index(command[1])
    database["guests"].create_index("phone", unique=True, partialFilterExpression={"phone": {"$type": kind}})
    database["guests"].insert_one({"_id": 91, "pet_n": 1, "phone": None})


def test_keys_that_are_unique_whatever_their_case(database: Documents, tmp_path: Path) -> None:
    """The index that keeps them so is there once the design is: no risk between equal designs."""
    file = tmp_path / "session.sql"
    file.write_text(
        "CREATE TABLE session (session_key varchar(40) NOT NULL PRIMARY KEY, data longtext) COLLATE=utf8mb4_unicode_ci;",
        encoding="utf-8",
    )
    made = pipeline.design(pipeline.inspect(file, dialect="mysql"))
    pipeline.load(made, None, database)
    assert any("_id.ci" in index["key"] for index in database["session"].list_indexes())
    plan = pipeline.plan_migration(made, made, database)
    assert not _about(plan.risks, "unique")
    database["session"].drop_index("_id_1__id.ci_1_unique_ci")
    assert _about(pipeline.plan_migration(made, made, database).risks, "`session` gets a unique index")


@pytest.mark.thorough
def test_equal_risks_are_one_sentence(database: Documents, tmp_path: Path) -> None:
    """Which lists the indexes that go, what nothing keeps unique, and the collections that nothing reads."""
    old, new = _sessions(database, tmp_path)
    risks = pipeline.plan_migration(old, new, database).risks
    (indexes,) = _about(risks, "would be lost")
    assert indexes.endswith(
        ": each would be lost: the new design has no such index. `migrate` refuses this without `--drop-indexes`"
    )
    (uniques,) = _about(risks, "no index of the new design keeps")
    (collections,) = _about(risks, "nothing reads it")
    for told in (indexes, uniques, collections):
        assert "`click" in told
        assert "`visit" in told
    assert "no collections `click`, `visit`" in collections


def _sessions(database: Documents, folder: Path) -> tuple[Proposal, Proposal]:
    """The design that was loaded, and one with all in one document."""
    source = f"sqlite:///{folder / 'sessions.db'}"
    with closing(sqlite3.connect(folder / "sessions.db")) as connection:
        connection.executescript(SESSIONS)
    old, new = (pipeline.design(source, strategy=name) for name in ("normalized", "embedded"))
    pipeline.load(old, source, database)
    return old, new


PATIENTS = """
CREATE TABLE patient (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE insurance (patient_id INTEGER PRIMARY KEY REFERENCES patient, policy_no TEXT NOT NULL UNIQUE);
CREATE TABLE card (patient_id INTEGER NOT NULL REFERENCES patient, n INTEGER, code TEXT NOT NULL UNIQUE,
                   PRIMARY KEY (patient_id, n));
INSERT INTO patient VALUES (1, 'Ann'), (2, 'Bea');
INSERT INTO insurance VALUES (1, 'p1'), (2, 'p2');
INSERT INTO card VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c');
"""


def test_a_unique_index_inside_documents_keeps_what_it_keeps(database: Documents, tmp_path: Path) -> None:
    """It is no risk that it is built again on the same rows; as documents of their own, elements may share a value no longer."""
    source = f"sqlite:///{tmp_path / 'patients.db'}"
    with closing(sqlite3.connect(tmp_path / "patients.db")) as connection:
        connection.executescript(PATIENTS)
    old, apart = (pipeline.design(source, strategy=name) for name in ("embedded", "normalized"))
    (patient,) = old.design.collections
    assert {each.relationship for each in patient.body.embeddings} == {"patient_insurance", "patient_card"}
    renamed = replace(patient, body=replace(patient.body, fields=(Field("name", "called"),)))
    new = replace(old, design=replace(old.design, collections=(renamed,)))
    pipeline.load(old, source, database)
    plan = pipeline.plan_migration(old, new, database)
    assert [index for index in plan.indexes_built if "insurance.policy_no (unique" in index]
    assert not _about(plan.risks, "gets a unique index")
    (told,) = _about(pipeline.plan_migration(old, apart, database).risks, "gets a unique index on code")
    assert "nothing keeps code of `card` unique today" in told


STAYS = """
CREATE TABLE house (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE stay (id INTEGER PRIMARY KEY, house_id INTEGER NOT NULL REFERENCES house);
CREATE TABLE bill (stay_id INTEGER NOT NULL REFERENCES stay, n INTEGER, code TEXT NOT NULL UNIQUE, PRIMARY KEY (stay_id, n));
INSERT INTO house VALUES (1, 'Post'), (2, 'Krone');
INSERT INTO stay VALUES (1, 1), (2, 1), (3, 2);
INSERT INTO bill VALUES (1, 1, 'a'), (1, 2, 'b'), (3, 1, 'c');
"""


@pytest.mark.thorough
def test_a_unique_index_inside_documents_keeps_what_it_keeps_in_larger_ones(
    database: Documents, tmp_path: Path
) -> None:
    """What no two documents share, no two share in which these lie; the other way round more is refused than today."""
    source = f"sqlite:///{tmp_path / 'stays.db'}"
    with closing(sqlite3.connect(tmp_path / "stays.db")) as connection:
        connection.executescript(STAYS)
    whole, by_house = pipeline.design(source, strategy="normalized"), pipeline.design(source, strategy="embedded")
    (house,) = by_house.design.collections
    (stays,) = house.body.embeddings
    assert stays.body.embeddings
    parts = {each.name: each for each in whole.design.collections}
    holding = replace(parts["stay"], body=replace(parts["stay"].body, embeddings=stays.body.embeddings))
    indexes = tuple(each for each in whole.design.indexes if each.collection != "bill")
    by_stay = replace(whole, design=replace(whole.design, collections=(parts["house"], holding), indexes=indexes))
    pipeline.load(by_stay, source, database)
    plan = pipeline.plan_migration(by_stay, by_house, database)
    assert [index for index in plan.indexes_built if "stay.bill.code (unique" in index]
    assert not [risk for risk in _about(plan.risks, "gets a unique index") if "bill" in risk]
    database.client.drop_database(database.name)
    pipeline.load(by_house, source, database)
    (told,) = _about(pipeline.plan_migration(by_house, by_stay, database).risks, "gets a unique index on bill.code")
    assert "nothing keeps code of `bill` unique today" in told


@pytest.mark.thorough
def test_validators_that_are_new_are_said(live: str, database: Documents) -> None:
    """Of collections that are built; what the risk tells to do has the server take documents of another form again."""
    found, new = _normalized(live)
    plan = pipeline.plan_migration(found.in_place, new, database)
    (told,) = _about(plan.risks, "gets a validator")
    assert told.startswith("`orders`, `lines`: ")
    assert pipeline.migrate(found.in_place, new, database, cutover=True).equal
    odd = {"_id": 900, "total": "a hundred"}
    with pytest.raises(WriteError):
        database["orders"].insert_one(odd)
    assert 'db.runCommand({collMod: "orders", validationAction: "warn"})' in told
    database.command("collMod", "orders", validationAction="warn")
    database["orders"].insert_one(odd)


def test_a_validator_of_the_applications_own_is_said_to_go(live: str, database: Documents) -> None:
    """One that only warns is none; one that refuses is replaced."""
    rules = {"$jsonSchema": {"required": ["total"]}}
    database.command("collMod", "orders", validator=rules, validationAction="warn")
    found, new = _normalized(live)
    assert _about(pipeline.plan_migration(found.in_place, new, database).risks, "gets a validator")
    database.command("collMod", "orders", validator=rules, validationAction="error")
    risks = pipeline.plan_migration(found.in_place, new, database).risks
    assert _about(risks, "`orders`, `lines`: each gets a new validator in place of today's")
    assert not _about(risks, "gets a validator")


@pytest.mark.thorough
def test_what_is_taken_and_not_read_is_said(live: str, database: Documents) -> None:
    """A field that has moved elsewhere; the move that is told finds it, the condition that is told has it refused."""
    found, new = _normalized(live)
    plan = pipeline.plan_migration(found.in_place, new, database)
    (told,) = _about(plan.risks, "`orders.lines`", "nothing reads them")
    assert not _about(plan.risks, "`products.", "nothing reads them")
    assert pipeline.migrate(found.in_place, new, database, cutover=True).equal
    old = {"_id": 900, "total": 1, "lines": [{"line": 1, "sku": "s1"}]}
    database["orders"].insert_one(old)
    assert [each.path for each in find_fields(database, unknown_fields(new.design))] == ["lines"]
    database["orders"].delete_one({"_id": 900})
    assert '{"lines": {$exists: false}}' in told
    options = database["orders"].options()
    both = {"$and": [options["validator"], {"lines": {"$exists": False}}]}
    database.command("collMod", "orders", validator=both)
    with pytest.raises(WriteError):
        database["orders"].insert_one(old)


def test_a_collection_that_goes_is_said(live: str, database: Documents) -> None:
    """Its name is free then, and anybody may make it again."""
    normalized, found = _normalized(live)[1], in_place(live)
    assert pipeline.migrate(found.in_place, normalized, database, cutover=True).equal
    plan = pipeline.plan_migration(normalized, found.in_place, database)
    assert _about(plan.risks, "the new design has no collection `lines`", 'db.getCollection("lines").countDocuments()')


def test_how_many_changes_can_be_carried_over_is_said(
    database: Documents, mongod: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the collection whose documents are made of the most rows, be it the new one or the old one."""
    database["guests"].insert_many({"_id": n, "name": f"g{n}"} for n in range(10))
    database["bookings"].insert_many({"_id": n, "guest_id": n % 10, "nights": n} for n in range(390))
    found = in_place(f"{mongod.uri.partition('?')[0].rstrip('/')}/{database.name}?directConnection=true")
    plan = pipeline.plan_migration(found.in_place, redesign(found, "embedded").proposal, database)
    assert (plan.changes_per_second, plan.slowest) == (100.0, "guests")
    show(plan)
    assert "about 100 changes a second to documents of `guests` can be carried over" in capsys.readouterr().out
    embedded = redesign(found, "embedded").proposal
    assert pipeline.migrate(found.in_place, embedded, database, cutover=True).equal
    plan = pipeline.plan_migration(embedded, found.in_place, database)
    assert (plan.changes_per_second, plan.slowest) == (1500.0, "guests")  # all 40 rows of a guest are read
    assert pipeline.plan_migration(found.in_place, found.in_place, database).changes_per_second is None
