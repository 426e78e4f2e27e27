"""ON CONFLICT by a unique index over some rows, and INSERT … SELECT that leaves what is there: beside SQLite and PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import ConstraintError, GapError
from nestling.ir.proposal import Proposal
from nestling.store import Store
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE tenant (id integer PRIMARY KEY, name varchar(20) NOT NULL);
CREATE TABLE account (
  id integer PRIMARY KEY, tenant_id integer NOT NULL REFERENCES tenant (id), email varchar(40), logins integer NOT NULL,
  deleted_at timestamp, active boolean NOT NULL);
CREATE UNIQUE INDEX live_email ON account (tenant_id, email) WHERE deleted_at IS NULL;
CREATE TABLE offer (
  tenant_id integer NOT NULL REFERENCES tenant (id), code integer NOT NULL, since varchar(10), PRIMARY KEY (tenant_id, code));
INSERT INTO tenant VALUES (1, 'a'), (2, 'b');
INSERT INTO account VALUES
  (1, 1, 'a@x', 0, NULL, true), (2, 1, 'b@x', 0, '2024-01-01 10:00:00', true), (3, 2, 'a@x', 5, NULL, false);
INSERT INTO offer VALUES (1, 5, 'old'), (2, 0, 'old');
"""  # fmt: skip
_INTO = "INSERT INTO account (id, tenant_id, email, logins, deleted_at, active) VALUES (:id, :t, :e, 1, :d, true)"
_BY = "ON CONFLICT (tenant_id, email) WHERE deleted_at IS NULL"
_MORE = f"{_INTO} {_BY} DO UPDATE SET logins = account.logins + excluded.logins"
_AGAIN = f"{_INTO} ON CONFLICT (email, tenant_id) WHERE active AND deleted_at IS NULL DO NOTHING"
_COUNTED = f"{_INTO} ON CONFLICT (id) DO UPDATE SET logins ="
_TWO = "INSERT INTO account (id, tenant_id, email, logins, active) VALUES (20, 2, 'z', 1, true), (21, 2, 'z', 1, true)"
_SELECTED = """INSERT INTO offer (tenant_id, code, since) SELECT a.tenant_id, a.logins, :s FROM account a WHERE a.id <> :i
    ON CONFLICT (tenant_id, code) DO NOTHING"""
LIVE, GONE = None, "2024-02-02 10:00:00"
WRITES: tuple[tuple[str, Mapping[str, object]], ...] = (
    (_MORE, {"id": 10, "t": 1, "e": "a@x", "d": LIVE}),  # is there
    (_MORE, {"id": 11, "t": 1, "e": "a@x", "d": GONE}),  # is not of these rows
    (_MORE, {"id": 12, "t": 1, "e": "b@x", "d": LIVE}),  # the other is not
    (_MORE, {"id": 13, "t": 2, "e": None, "d": LIVE}),
    (_MORE, {"id": 14, "t": 2, "e": None, "d": LIVE}),
    (_MORE, {"id": 15, "t": 1, "e": "b@x", "d": LIVE}),
    (f"{_MORE} WHERE account.logins < 1", {"id": 16, "t": 2, "e": "a@x", "d": LIVE}),
    (_AGAIN, {"id": 17, "t": 1, "e": "a@x", "d": LIVE}),
    (_AGAIN, {"id": 18, "t": 1, "e": "c@x", "d": LIVE}),
    (f"{_INTO} ON CONFLICT DO NOTHING", {"id": 19, "t": 1, "e": "c@x", "d": LIVE}),  # by any unique index
    (f"{_INTO} ON CONFLICT DO NOTHING", {"id": 1, "t": 1, "e": "d@x", "d": LIVE}),
    (
        f"""{_COUNTED} (SELECT count(*) + excluded.logins FROM offer o
        WHERE o.tenant_id = excluded.tenant_id AND o.code > account.id)""",
        {"id": 1, "t": 1, "e": "n@x", "d": LIVE},
    ),
    (
        f"""{_COUNTED} (SELECT max(b.logins) + excluded.tenant_id FROM account b WHERE b.email = excluded.email)
        WHERE excluded.tenant_id IN (SELECT o.tenant_id FROM offer o WHERE o.code + excluded.logins = 1)""",
        {"id": 3, "t": 2, "e": "a@x", "d": GONE},
    ),
    (
        f"{_TWO} {_BY} DO NOTHING",
        {},
    ),
    ("INSERT INTO offer (tenant_id, code, since) SELECT id, 5, 'new' FROM tenant ON CONFLICT DO NOTHING", {}),
    (
        _SELECTED,
        {"s": "more", "i": 999},
    ),
    ("INSERT INTO offer SELECT tenant_id, code + 1, since FROM offer WHERE tenant_id = 2 ON CONFLICT DO NOTHING", {}),
)  # fmt: skip
REFUSED: tuple[tuple[str, Mapping[str, object]], ...] = (
    (_MORE, {"id": 1, "t": 2, "e": "q@x", "d": LIVE}),  # the key is another index
    (_MORE, {"id": 30, "t": 9, "e": "q@x", "d": LIVE}),
    ("INSERT INTO offer (tenant_id, code) SELECT 1, NULL FROM tenant WHERE id = 1 ON CONFLICT DO NOTHING", {}),
    ("INSERT INTO offer (tenant_id, code) SELECT 77, 1 FROM tenant WHERE id = 1 ON CONFLICT DO NOTHING", {}),
)
READS = ("SELECT * FROM account ORDER BY id", "SELECT * FROM offer ORDER BY tenant_id, code")


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as connection:
        connection.executescript("PRAGMA foreign_keys = ON;" + TABLES)
        yield connection


def _proposal(address: str, strategy: str, database: Database[Any]) -> Proposal:
    proposal = pipeline.design(pipeline.inspect(address), strategy)
    pipeline.load(proposal, address, database, mode=pipeline.LoadMode.REPLACE)
    return proposal


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_beside_sqlite(strategy: str, sqlite_file: sqlite3.Connection, tmp_path: Path, database: Database[Any]) -> None:
    """The same rows, and the same numbers of rows that were written."""
    store = Store(_proposal(f"sqlite:///{tmp_path / 'a.db'}", strategy, database), database)
    for sql, values in WRITES:
        apart = sql.replace("FROM tenant ON", "FROM tenant WHERE true ON")  # or SQLite takes ON for a join's
        apart = apart.replace("WHERE active AND", "WHERE")  # SQLite wants the index's own condition
        assert store.execute(apart, **values).affected == sqlite_file.execute(apart, dict(values)).rowcount, sql
        for read in READS:
            assert [tuple(row.values())[:4] for row in store.execute(read)] == [
                row[:4] for row in sqlite_file.execute(read)
            ], sql
    for sql, values in REFUSED:
        with pytest.raises(sqlite3.IntegrityError):
            sqlite_file.execute(sql, dict(values))
        with pytest.raises(ConstraintError):
            store.execute(sql, **values)
    ignoring = "INSERT OR IGNORE INTO offer SELECT tenant_id, 40 + logins, email FROM account WHERE logins > 0"
    for _ in range(2):
        assert store.execute(ignoring).affected == sqlite_file.execute(ignoring).rowcount


served = beside_of(TABLES, "normalized", "embedded")


@pytest.mark.thorough
def test_beside_postgresql(served: Beside) -> None:
    """The same rows."""
    store = Store(served.proposal, served.database)
    for sql, values in WRITES:
        served.theirs(sql, values)
        store.execute(sql, **values)
        for read in READS:
            assert [tuple(row.values())[:4] for row in store.execute(read)] == [r[:4] for r in served.theirs(read)], sql
    for sql, values in REFUSED:
        with pytest.raises(Exception, match="violates"):
            served.theirs(sql, values)
        with pytest.raises(ConstraintError):
            store.execute(sql, **values)


def test_what_is_not_converted_says_so(
    sqlite_file: sqlite3.Connection, tmp_path: Path, database: Database[Any]
) -> None:
    """A condition of no index, and SELECTs whose rows may meet others in several ways."""
    store = Store(_proposal(f"sqlite:///{tmp_path / 'a.db'}", "normalized", database), database)
    selected = (
        "INSERT INTO account SELECT id + 50, tenant_id, email, logins, deleted_at, active FROM account WHERE true"
    )
    for sql, said in (
        (f"{_INTO} ON CONFLICT (tenant_id, email) WHERE active DO NOTHING", "not the condition of a unique index"),
        (f"{selected} ON CONFLICT DO NOTHING", "insert each with INSERT … VALUES and the same clause"),
        (f"{selected} ORDER BY id ON CONFLICT (id) DO NOTHING", "ORDER BY"),
    ):
        with pytest.raises(GapError, match=said):
            store.execute(sql, id=1, t=1, e="x", d=None)
