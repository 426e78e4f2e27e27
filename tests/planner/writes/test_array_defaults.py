"""Defaults that are arrays, however the table says them: as in PostgreSQL, from its catalogue and from DDL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.emitters.commands import collection_commands
from nestling.executors.create import create
from nestling.executors.load import written_collections
from tests.planner.reads.beside_postgresql import created

TABLE = """
CREATE TYPE role AS ENUM ('USER', 'ADMIN');
CREATE TABLE t (
  id integer PRIMARY KEY, empty text[] NOT NULL DEFAULT ARRAY[]::text[],
  two varchar(9)[] DEFAULT ARRAY['a b', 'it''s', NULL],
  odd text[] DEFAULT ARRAY['a"b', 'c\\d', '{e,f}', '']::text[],
  cast_apart text[] DEFAULT (ARRAY['x'::varchar, 'y'::varchar])::text[],
  whole integer[] DEFAULT ARRAY[1, -2], exact numeric(5,2)[] DEFAULT ARRAY[1.50, 2], flags boolean[] DEFAULT ARRAY[true, FALSE],
  roles role[] DEFAULT ARRAY['USER']::role[]
);
"""


@pytest.mark.parametrize("from_ddl", [False, True])
def test_a_row_gets_what_postgresql_gives(
    from_ddl: bool, postgresql: str, database: Database[dict[str, Any]], tmp_path: Path
) -> None:
    """Every item as it is, those that need quotes among them."""
    _, url, engine = created(postgresql, TABLE)
    (tmp_path / "t.sql").write_text(TABLE, encoding="utf-8")
    proposal = pipeline.design(pipeline.inspect(str(tmp_path / "t.sql") if from_ddl else url), "normalized")
    create(collection_commands(proposal.design), database, written_collections(proposal.design))
    Store(proposal, database).execute("INSERT INTO t (id) VALUES (1)")
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO t (id) VALUES (1)")
        (wanted,) = connection.exec_driver_sql("SELECT *, roles::text[] AS roles FROM t").mappings()
    (found,) = Store(proposal, database).execute("SELECT * FROM t")
    assert found == dict(wanted)
    engine.dispose()
