"""What the server cannot build by itself after all, the loader does."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from pymongo.database import Database

from nestling import pipeline
from nestling.ir.design import Design
from nestling.ir.primitives import Collection, Document, Holder, Reference
from nestling.ir.proposal import Proposal
from nestling.ir.values import Policy
from nestling.pipeline.migration_job import job_of

_ROWS = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer, note TEXT);
INSERT INTO customer VALUES (1, 'Ann');
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 18)
INSERT INTO purchase SELECT i, 1, hex(zeroblob(500000)) FROM n;
"""
_LIMIT = "internalLookupStageIntermediateDocumentMaxSizeBytes"
_LEAST_BYTES = 17 << 20


def test_children_the_server_cannot_join_at_once_are_loaded(database: Database[Any], tmp_path: Path) -> None:
    """Their ids are few bytes, the children themselves more than one `$lookup` may bring."""
    with closing(sqlite3.connect(tmp_path / "rows.db")) as connection:
        connection.executescript(_ROWS)
    address = f"sqlite:///{tmp_path / 'rows.db'}"
    model = pipeline.inspect(address).model
    link = model.relationships[0].name
    up, down = Reference(link, Holder.CHILD), Reference(link, Holder.PARENT, "purchases")
    old, new = (
        Proposal("", Design(model, tuple(Collection(f"{each.entity}s", each, ("id",)) for each in roots)))
        for roots in (
            (Document("customer"), Document("purchase", references=(up,))),
            (Document("customer", references=(down,)), Document("purchase")),
        )
    )
    pipeline.load(old, address, database, check=False)
    assert "customers.new" in {side.collection for side in job_of(old.design, new.design, database, Policy()).on_server}
    admin = database.client.admin
    before = admin.command({"setParameter": 1, _LIMIT: _LEAST_BYTES})["was"]
    try:
        assert pipeline.migrate(old, new, database, cutover=True, may_lose=["indexes"]).equal
    finally:
        admin.command({"setParameter": 1, _LIMIT: before})
    assert list(database["customers"].find()) == [{"_id": 1, "name": "Ann", "purchases": list(range(1, 19))}]
