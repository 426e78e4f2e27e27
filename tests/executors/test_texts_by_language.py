"""Designs whose keys are texts that compare whatever their case and accents: their indexes, upkeep, checks and moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from nestling import pipeline
from nestling.common.errors import ConstraintError
from nestling.executors.run import run_read
from nestling.executors.verify import verify
from nestling.executors.write import run_write
from nestling.ir.design import Design
from nestling.ir.drift import DriftKind
from nestling.ir.freshness import TRANSACTION
from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.model import Attribute, Entity, Model, Relationship
from nestling.ir.paths.write_path import Violation
from nestling.ir.primitives import (
    Collection,
    CollectionKind,
    Computed,
    Copy,
    Document,
    Embedding,
    Field,
    Form,
    Holder,
    Options,
    Reference,
    Split,
)
from nestling.ir.programs.compiled import CompiledRead, NotCompiled
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.ir.rows import AggregateKind, Hop
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.write import Insert
from nestling.ir.statistics import Statistics
from nestling.ir.types import INTEGER, TEXT
from nestling.pipeline.checking import compiled_check
from nestling.planner.checks import checks_of
from nestling.planner.sql import translate
from nestling.planner.work import estimate_write
from nestling.planner.writes import plan_write
from tests.executors.load.loads import load_rows
from tests.sqlite_rows import sqlite_source

CI = Collation.UNICODE_CI


def _text(name: str, collation: Collation = CI, *, nullable: bool = True) -> Attribute:
    return Attribute(name, TEXT, nullable, collation=collation)


CITY = Entity("city", (_text("name", nullable=False), _text("land")), ("name",))
PERSON = Entity(
    "person",
    (Attribute("id", INTEGER, False), _text("email", nullable=False), _text("city"), _text("tag", Collation.BINARY)),
    ("id",),
    uniques=(("email",),),
)
LIVES = Relationship("person_city", "city", "person", ("name",), ("city",))
MODEL = Model("towns", (CITY, PERSON), (LIVES,))
ROWS: dict[str, list[tuple[object, ...]]] = {
    "city": [("Rome", "Italy"), ("Zürich", "Switzerland"), *((f"c{number}", None) for number in range(30))],
    "person": [(1, "a@x", "Rome", "x"), (2, "b@x", "Rome", "X"), (3, "c@x", None, None)],
}
HELD = Reference("person_city", Holder.CHILD)
HOME = Copy(
    "home", (Hop("person_city", up=True),), (Field("name", "name"), Field("land", "land")), Form.OBJECT, TRANSACTION
)
PEOPLE = Computed("people", (Hop("person_city", up=False),), AggregateKind.COUNT, TRANSACTION)

NORMALIZED = Design(MODEL, (
    Collection("cities", Document("city"), ("name",)), Collection("people", Document("person", references=(HELD,)), ("id",)),
))  # fmt: skip
KEPT = Design(MODEL, (
    Collection("cities", Document("city", computed=(PEOPLE,)), ("name",)),
    Collection("people", Document("person", references=(HELD,), copies=(HOME,)), ("id",)),
))  # fmt: skip
NESTED = Design(MODEL, (
    Collection("cities", Document("city", embeddings=(
        Embedding("people", "person_city", Form.ARRAY, Document("person"), orphans="homeless"),)), ("name",)),
))  # fmt: skip


def _indexes(design: Design) -> dict[str, bool]:
    """By collection and name whether an index has the collation."""
    return {f"{i.collection}.{i.name}": "collation" in i.command().options for i in planned_indexes(design)}


def test_an_index_compares_as_its_first_text_does() -> None:
    """Keys, unique and foreign keys have the collation; what is followed by values as they are is indexed to the letter too."""
    identity = {"cities._id_1__id.ci_1_unique_ci": True}
    assert _indexes(NORMALIZED) == identity | {"people.email_1_unique_ci": True, "people.city_1_ci": True}
    assert _indexes(KEPT) == _indexes(NORMALIZED) | {"people.city_1": False}
    assert _indexes(NESTED) == identity | {
        "homeless.city_1_ci": True,
        "homeless.city_1": False,
        "cities.people.id_1_unique_41067a9a": False,
    }


@pytest.mark.parametrize(
    "options", [Options(CollectionKind.CLUSTERED), Options(CollectionKind.CAPPED, size_bytes=1_000_000)]
)
def test_keys_are_unique_in_any_collection(options: Options, database: Database[Any], tmp_path: Path) -> None:
    """Also in what is clustered or capped, and in the part split off: a key in another case is refused."""
    parts = () if options.kind is CollectionKind.CAPPED else (Split("lands", attributes=("land",)),)
    cities = Collection("cities", Document("city"), ("name",), options=options, splits=parts)
    design = Design(MODEL, (cities, NORMALIZED.collections[1]))
    load_rows(design, ROWS, database, tmp_path)
    for name in ("cities", *(part.collection for part in parts)):
        with pytest.raises(DuplicateKeyError):
            database[name].insert_one({"_id": "ROME"})
    with pytest.raises(ConstraintError) as refused:
        _write(design, database, "INSERT INTO city VALUES ('ROME', NULL)")
    assert refused.value.violation == Violation.KEY
    assert "the same `_id` already" in str(refused.value)
    found = run_read(database, _read(design, "SELECT name, land FROM city WHERE name = 'ROME'"))
    assert list(found) == [("Rome", "Italy")]


def test_the_indexes_of_keys_are_counted() -> None:
    """A new document has an entry in the second one on its key, and in those of a UNIQUE and of a foreign key."""
    for sql, entries in (
        ("INSERT INTO city VALUES ('x', NULL)", 1),
        ("INSERT INTO person VALUES (4, 'd', NULL, NULL)", 2),
    ):
        write = translate(sql, MODEL, "mysql")
        assert isinstance(write, Insert)
        assert estimate_write(plan_write(write, NORMALIZED), NORMALIZED, Statistics()).index_writes == entries


@pytest.mark.thorough
def test_copies_of_texts_are_kept_to_the_letter(database: Database[Any], tmp_path: Path) -> None:
    """A copy that differs by case alone is found and mended, and no check walks a collection for each document of another."""
    load_rows(KEPT, ROWS, database, tmp_path)
    _write(KEPT, database, "UPDATE city SET land = 'Italia' WHERE name = 'ROME'")
    _write(KEPT, database, "INSERT INTO person VALUES (4, 'd@x', 'Rome', NULL)")
    proposal = Proposal("", KEPT)
    first = pipeline.check(proposal, database)
    assert first.clean
    assert ["`email`" in gap.what for gap in first.gaps] == [True], "what cannot be compared is said, and stops nothing"
    database.people.update_one({"_id": 1}, {"$set": {"home.land": "ITALIA"}})
    report = pipeline.check(proposal, database, repair=True)
    assert [drift.found for drift in report.findings] == [{"name": "Rome", "land": "ITALIA"}]
    pipeline.sync(proposal, database, once=True)
    database.cities.update_one({"_id": "Rome"}, {"$set": {"land": "ITALIA"}})
    assert pipeline.sync(proposal, database, once=True).written == 3
    assert pipeline.check(proposal, database).clean
    assert {each["home"]["land"] for each in database.people.find({"city": "Rome"})} == {"ITALIA"}
    for check in (each for each in checks_of(KEPT).checks if each.kind is not DriftKind.DUPLICATE):
        assert _scans(database, check.collection, [*compiled_check(check).read.pipeline]) == 0, check.key


@pytest.mark.parametrize("design", [NORMALIZED, KEPT, NESTED], ids=["normalized", "kept", "nested"])
def test_a_parents_key_spelled_otherwise(design: Design, database: Database[Any], tmp_path: Path) -> None:
    """It refers to the parent, but is refused where something is kept over the foreign key, which follows it to the letter."""
    enforced = replace(MODEL, relationships=(replace(LIVES, enforced=True),))
    declared = Design(enforced, design.collections)
    load_rows(declared, ROWS, database, tmp_path)
    sql = "INSERT INTO person VALUES (4, 'd@x', 'ROME', NULL)"
    if design is NORMALIZED:
        _write(declared, database, sql)
        found = run_read(database, _read(declared, "SELECT p.id, c.land FROM person p JOIN city c ON c.name = p.city"))
        assert sorted(found) == [(1, "Italy"), (2, "Italy"), (4, "Italy")]
    else:
        with pytest.raises(ConstraintError, match=r"refers by city to no `city`|needs the row it belongs to"):
            _write(declared, database, sql)


def test_an_orphan_that_spells_its_parent_otherwise_is_joined(database: Database[Any], tmp_path: Path) -> None:
    """Rows in the parent's document and rows that only the collation takes for its own are found alike, from either side."""
    load_rows(NESTED, ROWS | {"person": [*ROWS["person"], (4, "d@x", "ROME", None)]}, database, tmp_path)
    assert database.homeless.count_documents({"city": "ROME"}) == 1
    for sql, expected in (
        ("SELECT p.id, c.land FROM city c LEFT JOIN person p ON p.city = c.name WHERE c.name = 'rome'", [1, 2, 4]),
        ("SELECT p.id, c.land FROM city c JOIN person p ON p.city = c.name WHERE c.land = 'Italy'", [1, 2, 4]),
        ("SELECT p.id, c.land FROM person p JOIN city c ON c.name = p.city", [1, 2, 4]),
        ("SELECT p.id, c.land FROM person p LEFT JOIN city c ON c.name = p.city WHERE p.id > 1 AND p.id <> 3", [2, 4]),
    ):
        read = _read(NESTED, sql)
        assert sorted(run_read(database, read)) == [(number, "Italy") for number in expected], sql
    counted = "SELECT c.name, (SELECT count(*) FROM person p WHERE p.city = c.name) FROM city c WHERE c.name = 'Rome'"
    found = pipeline.convert(Proposal("", NESTED), counted, dialect="mysql")
    assert isinstance(found, NotCompiled) or (
        isinstance(found, CompiledRead) and list(run_read(database, found)) == [("Rome", 3)]
    )


def _read(design: Design, sql: str) -> CompiledRead:
    read = pipeline.convert(Proposal("", design), sql, dialect="mysql")
    assert isinstance(read, CompiledRead), f"{sql}: {read}"
    return read


def _write(design: Design, database: Database[Any], sql: str) -> None:
    write = pipeline.convert(Proposal("", design), sql, dialect="mysql")
    assert isinstance(write, CompiledWrite), write
    run_write(database, write)


def _scans(database: Database[Any], collection: str, pipeline: list[Any]) -> int:
    """How many collection scans the lookups of a pipeline make."""
    command = {"aggregate": collection, "pipeline": pipeline, "cursor": {}}
    found = database.command("explain", command, verbosity="executionStats")
    return sum(int(stage.get("collectionScans", 0)) for stage in found.get("stages", ()) if "$lookup" in stage)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "pair", [(NORMALIZED, KEPT), (KEPT, NESTED), (NESTED, NORMALIZED)], ids=["kept", "nested", "flat"]
)
def test_a_database_moves_to_another_design(
    pair: tuple[Design, Design], database: Database[Any], tmp_path: Path
) -> None:
    """Unique values and keys change their case and change places meanwhile; in the end every row is there as it was written."""
    load_rows(pair[0], ROWS, database, tmp_path)
    old, new = (Proposal("", design) for design in pair)
    pipeline.migrate(old, new, database, may_lose=["indexes"])
    for email, person in (("t@x", 1), ("A@X", 2), ("B@x", 1)):
        _write(pair[0], database, f"UPDATE person SET email = '{email}' WHERE id = {person}")
    _write(pair[0], database, "UPDATE city SET name = 'zurich' WHERE name = 'ZÜRICH'")
    assert pipeline.migrate(old, new, database, cutover=True, may_lose=["indexes"]).equal
    rows = {
        "city": [("zurich", "Switzerland") if row[0] == "Zürich" else row for row in ROWS["city"]],
        "person": [(1, "B@x", "Rome", "x"), (2, "A@X", "Rome", "X"), ROWS["person"][2]],
    }
    source = sqlite_source(tmp_path / "expected.db", MODEL, rows)
    report = verify(MODEL, pipeline.home_queries(new.design), source, database)
    assert report.equal, report.differences
