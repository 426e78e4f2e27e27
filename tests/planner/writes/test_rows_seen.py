"""New values that subqueries read from what the statement itself changes: beside SQLite, PostgreSQL and MariaDB, or a gap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.programs.compiled import NotCompiled
from tests.three_sources import DIALECTS, address_of

TABLES = """
CREATE TABLE part (id INTEGER PRIMARY KEY, kind INTEGER, n INTEGER NOT NULL, m INTEGER, code VARCHAR(9) UNIQUE);
CREATE TABLE piece (id INTEGER PRIMARY KEY, part_id INTEGER REFERENCES part (id) ON UPDATE CASCADE, w INTEGER);
INSERT INTO part VALUES (1, 1, 1, 0, 'a'), (2, 1, 2, 0, 'b'), (3, 2, 3, 0, 'c');
INSERT INTO piece VALUES (1, 1, 4), (2, 1, 7), (3, 3, 1);
"""
NONE, LITE, ALL = frozenset[str](), frozenset({"sqlite"}), frozenset({"sqlite", "postgresql", "mysql"})
SERVERS_OF_ROWS = frozenset({"sqlite", "mysql"})
"""Those that go from row to row where an INSERT meets rows."""
_KIND = "(SELECT max(u.n) + 1 FROM part u WHERE u.kind = part.kind)"
_MOVED = "SET id = id + 10,"
UPDATES = (
    (f"SET n = {_KIND}", LITE),
    (f"SET n = {_KIND}, m = 1 WHERE id > 1", LITE),
    (f"SET m = {_KIND}, n = n + 1", LITE),
    ("SET n = (SELECT q.x + 1 FROM (SELECT max(u.n) AS x FROM part u) q WHERE q.x > part.id)", LITE),
    ("SET n = n + 10, m = CASE WHEN n + 10 IN (SELECT u.n FROM part u) THEN 1 ELSE 0 END", LITE),
    (f"{_MOVED} m = (SELECT count(*) FROM piece o WHERE o.part_id = part.id) WHERE kind = 2", LITE),
    (f"SET m = {_KIND}", NONE),
    (f"SET n = {_KIND} WHERE id = 2", NONE),
    (f"SET n = {_KIND} WHERE m > 0 AND code = 'a'", NONE),
    ("SET n = (SELECT max(u.n) + 1 FROM part u)", NONE),
    ("SET n = (SELECT (SELECT max(u.n) FROM part u) + v.id FROM part v WHERE v.id = part.id)", NONE),
    ("SET n = (SELECT count(*) FROM part u WHERE u.id <= part.id)", NONE),
    ("SET m = n + 1, n = (SELECT count(*) FROM piece o WHERE o.part_id = part.id)", NONE),
)
_MET = "ON CONFLICT (id) DO UPDATE SET"
_TWO = f"INSERT INTO part (id, n) VALUES (1, 0), (7, 0), (2, 0) {_MET}"
_SELECTED = f"INSERT INTO part (id, n) SELECT id, w FROM piece WHERE w > 0 {_MET}"
_MOST, _OTHERS = "(SELECT max(u.n) + 1 FROM part u)", "(SELECT max(u.n) + 1 FROM part u WHERE u.id <> part.id + 90)"
UPSERTS = (
    (f"{_TWO} n = {_MOST}", ALL),
    (f"{_TWO} n = 3 + (SELECT count(*) FROM part u)", ALL),
    (f"{_TWO} n = 8 WHERE (SELECT max(u.n) FROM part u) < 8", ALL),
    (f"{_TWO} n = (SELECT max(u.n) + {_MOST} FROM part u WHERE u.id <> part.id + 90)", ALL),
    (f"{_TWO} n = (SELECT q.x + part.id FROM (SELECT max(n) AS x FROM part) q)", ALL),
    (f"{_TWO} n = {_OTHERS}", frozenset({"postgresql"})),
    (f"{_TWO} n = (SELECT max(u.n) + 1 FROM part u WHERE u.id < excluded.id + 90)", frozenset({"postgresql"})),
    (f"{_TWO} n = (SELECT count(*) FROM piece o WHERE o.part_id = part.id)", NONE),
    (f"INSERT INTO part (id, n) VALUES (2, 0) {_MET} n = {_MOST}", NONE),
    (f"INSERT INTO part (id, n) VALUES (2, 0) {_MET} n = {_OTHERS}", NONE),
    (f"{_SELECTED} n = {_MOST}", SERVERS_OF_ROWS),
    (f"{_SELECTED} n = {_OTHERS}", SERVERS_OF_ROWS),
    (f"{_SELECTED} n = (SELECT count(*) FROM piece o WHERE o.part_id = part.id)", NONE),
    (f"INSERT INTO part (id, n) SELECT max(id), 1 FROM piece WHERE true {_MET} n = {_MOST}", NONE),
)
READS = ("SELECT * FROM part ORDER BY id", "SELECT * FROM piece ORDER BY id")


@pytest.fixture(params=DIALECTS)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The dialect and the address of a database with the tables."""
    return request.param, address_of(request.param, TABLES, request, tmp_path)


def _said(sql: str, dialect: str) -> str:
    """The statement as the dialect has it; empty where it has none such."""
    if dialect != "mysql" or _MET not in sql:
        return sql
    return "" if "excluded" in sql or ") < 8" in sql else sql.replace(_MET, "ON DUPLICATE KEY UPDATE")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_beside_their_source(source: tuple[str, str], strategy: str, database: Database[dict[str, Any]]) -> None:
    """The same rows after each statement that is converted, and a gap where they would be others."""
    dialect, url = source
    chosen = pipeline.design(pipeline.inspect(url), strategy)
    pipeline.load(chosen, url, database, check=False)
    store, engine = Store(chosen, database), sa.create_engine(url, poolclass=sa.NullPool)
    for written, gaps in (*((f"UPDATE part {each}", gaps) for each, gaps in UPDATES), *UPSERTS):
        if not (sql := _said(written, dialect)):
            continue
        if dialect in gaps or (strategy == "embedded" and _MOVED in sql):
            found = pipeline.convert(chosen, sql, dialect=dialect)
            assert isinstance(found, NotCompiled), sql
            assert "change" in found.gap.what, found.gap
            continue
        store.execute(sql)
        with engine.begin() as connection:
            connection.exec_driver_sql(sql)
            for read in READS:
                theirs = [tuple(row) for row in connection.exec_driver_sql(read)]
                assert [tuple(row.values()) for row in store.execute(read)] == theirs, sql
