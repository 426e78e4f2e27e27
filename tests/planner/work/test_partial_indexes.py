"""An equality asks for documents that have the field: an index over these alone finds them, and the price knows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling.ir.indexes.planned_indexes import planned_indexes
from nestling.ir.paths.write_path import Constant, FieldMatch, Set, UpdateDocuments, WritePlan
from nestling.ir.statements.algebra import Query
from nestling.pipeline import design, inspect
from nestling.planner.reads import plan_read
from nestling.planner.sql import translate
from nestling.planner.work import estimate, estimate_write

MODEL = """nestling: 1
dialect: postgresql
model:
  name: people
  entities:
    person: {key: id, attributes: {id: integer!, name: text!}}
    passport: {key: id, attributes: {id: integer!, person_id: integer!, number: text!}, uniques: [person_id]}
  relationships: {has: {parent: person, child: passport, attributes: person_id, cardinality: "1:1", required: true}}
statistics: {entities: {person: {count: 100000}, passport: {count: 50000}}}
"""


def test_an_embedded_key_is_found_by_its_index(tmp_path: Path, database: Database[dict[str, Any]]) -> None:
    """Half of the documents have the embedded one; the index on its key is over these, and the server takes it."""
    path = tmp_path / "model.yaml"
    path.write_text(MODEL, encoding="utf-8")
    reading = inspect(path)
    made = design(reading, "embedded").design
    (index,) = (each for each in planned_indexes(made) if each.keys == (("passport.id", 1),))
    assert index.partial
    update = UpdateDocuments(
        "person", (FieldMatch("passport.id", Constant(5)),), (Set("passport.number", Constant("x")),)
    )
    work = estimate_write(WritePlan((update,), ()), made, reading.statistics)
    assert work.scanned == 0
    assert work.documents < 1.1
    query = translate("SELECT number FROM passport WHERE id = :id", made.model, "postgresql")
    assert isinstance(query, Query)
    read = estimate(plan_read(query, made, statistics=reading.statistics), made, reading.statistics)
    assert read.scanned == 0

    people = database["person"]
    people.insert_many([{"_id": number, "passport": {"id": number}} for number in range(100)])
    people.insert_many([{"_id": number} for number in range(100, 200)])
    people.create_index([("passport.id", 1)], unique=True, partialFilterExpression={"passport.id": {"$exists": True}})
    said = people.find({"passport.id": 5}).explain()["executionStats"]
    assert (said["totalDocsExamined"], said["totalKeysExamined"]) == (1, 1)
