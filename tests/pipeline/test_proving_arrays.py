"""`prove` runs INSERTs of arrays and of rows with computed columns, and counts what it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling.common.server import Server
from nestling.pipeline import inspect
from nestling.pipeline.proving import measured_server, prove_source
from tests.pipeline.test_proving import TINY
from tests.planner.reads.beside_postgresql import created

TABLES = """
CREATE TABLE drug (id int PRIMARY KEY, tags text[] NOT NULL DEFAULT '{}', doses int[], price numeric(10,2) NOT NULL,
  gross numeric(14,4) GENERATED ALWAYS AS (price * 1.19) STORED);
INSERT INTO drug (id, tags, doses, price) SELECT n, CASE mod(n, 3) WHEN 0 THEN '{}'::text[] ELSE ARRAY['a,b', '"q"'] END,
  CASE WHEN mod(n, 2) = 0 THEN ARRAY[n, NULL] END, n * 0.25 FROM generate_series(1, 30) n;
"""
WORKLOAD = """
-- name: one, rate: 10/s
SELECT tags, doses, gross FROM drug WHERE id = :id;
-- name: add, rate: 1/s
INSERT INTO drug (id, tags, doses, price) VALUES (:id, :tags, :doses, :price);
-- name: some, rate: 1/s
SELECT id FROM drug LIMIT :n;
"""


@pytest.mark.thorough
def test_arrays_and_computed_columns(postgresql: str, mongod: Server, tmp_path: Path) -> None:
    """The INSERT is measured; the statement whose LIMIT nobody knows is left out, and counted."""
    statements = tmp_path / "workload.sql"
    statements.write_text(WORKLOAD)
    _, url, engine = created(postgresql, TABLES)
    try:
        with measured_server(mongod.uri) as on:
            proof = prove_source(inspect(url, workload=statements), url, on, variants=False, effort=TINY)
    finally:
        engine.dispose()
    assert proof.equal
    assert [each.name for each in proof.designs[0].statements] == ["one", "add"]
    assert proof.setting.left_out == 1
    assert not any("no design can answer" in note for note in proof.notes)
