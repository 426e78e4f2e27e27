"""Truth is 0 or 1 in SQLite and MySQL, and true or false in a document: both ways of asking find the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead

TABLE = "CREATE TABLE member (id integer PRIMARY KEY, active boolean);"
ROWS = ({"_id": 1, "active": True}, {"_id": 2, "active": False}, {"_id": 3}, {"_id": 4, "active": True})
CONSTANT = {
    "active = 1": [1, 4],
    "0 = active": [2],
    "active <> 0": [1, 4],
    "NOT (active = 1)": [2],
    "active = 2": [],
    "active <> 2": [1, 2, 4],
    "active > 0": [1, 4],
    "(active = 1) = active": [1, 2, 4],
    "coalesce(active, 0) = 0": [2, 3],
}


def compiled(database: Database[dict[str, Any]], folder: Path, where: str, dialect: str) -> CompiledRead:
    """The statement compiled for a collection of members."""
    (folder / "schema.sql").write_text(TABLE, encoding="utf-8")
    proposal = pipeline.design(pipeline.inspect(str(folder / "schema.sql"), dialect=dialect), "normalized")
    database["member"].insert_many([dict(row) for row in ROWS])
    read = pipeline.convert(proposal, f"SELECT id FROM member WHERE {where} ORDER BY id", dialect=dialect)
    assert isinstance(read, CompiledRead)
    return read


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
@pytest.mark.parametrize("where", CONSTANT)
def test_a_constant(where: str, dialect: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Of a number; `= 1` and `= 0` become what an index of the server finds."""
    read = compiled(database, tmp_path, where, dialect)
    assert [row[0] for row in run_read(database, read)] == CONSTANT[where]
    if where in ("active = 1", "0 = active"):
        assert read.filter == {"active": {"$eq": where == "active = 1"}}


@pytest.mark.parametrize("dialect", ["sqlite", "mysql"])
def test_a_parameter(dialect: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """Drivers send a number or a truth value, and either is the same."""
    read = compiled(database, tmp_path, "active = :value", dialect)
    for value, ids in ((1, [1, 4]), (True, [1, 4]), (0, [2]), (False, [2]), (2, []), (None, [])):
        assert [row[0] for row in run_read(database, read, {"value": value})] == ids, value


GROUPED = {
    "SELECT id > 2 AS k, count(*) AS n FROM member GROUP BY id > 2": {(0, 2), (1, 2)},
    "SELECT active IS NULL AS k, count(*) AS n FROM member GROUP BY active IS NULL": {(0, 3), (1, 1)},
    "SELECT id IN (1, 3) AS k, max(id) AS n FROM member GROUP BY id IN (1, 3)": {(0, 4), (1, 3)},
    "SELECT k, n FROM (SELECT NOT id = 1 AS k, count(*) AS n FROM member GROUP BY NOT id = 1) AS x": {(0, 1), (1, 3)},
    "SELECT id > 2 AS k, 1 AS n FROM member GROUP BY id > 2 UNION SELECT 1, 1 FROM member": {(0, 1), (1, 1)},
    "SELECT id > 2 AS k, count(*) AS n FROM member GROUP BY id > 2 HAVING id > 2": {(1, 2)},
}


@pytest.mark.parametrize("sql", GROUPED)
def test_grouped_by(sql: str, database: Database[dict[str, Any]], tmp_path: Path) -> None:
    """A comparison that rows are grouped by is shown as the number; in PostgreSQL it stays true or false."""
    for dialect, kind in (("sqlite", int), ("mysql", int), ("postgresql", bool)):
        if dialect == "postgresql" and "UNION" in sql:
            continue
        (tmp_path / "schema.sql").write_text(TABLE, encoding="utf-8")
        proposal = pipeline.design(pipeline.inspect(str(tmp_path / "schema.sql"), dialect=dialect), "normalized")
        database["member"].delete_many({})
        database["member"].insert_many([dict(row) for row in ROWS])
        read = pipeline.convert(proposal, sql, dialect=dialect)
        assert isinstance(read, CompiledRead)
        found = set(run_read(database, read))
        assert found == GROUPED[sql]
        assert {type(k) for k, _ in found} == {kind}
