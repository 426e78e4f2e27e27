"""Rows with composite keys change while they are on their way: rows that share parts of a key with them stay out of it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.common.errors import LoadError
from nestling.executors.migrate import homes
from nestling.ir.proposal import Proposal

TABLES = """
CREATE TABLE ticket (tenant INT NOT NULL, no INT NOT NULL, title TEXT, PRIMARY KEY (tenant, no));
CREATE TABLE item (id INTEGER PRIMARY KEY, tenant INT NOT NULL, ticket_no INT NOT NULL, label TEXT,
  FOREIGN KEY (tenant, ticket_no) REFERENCES ticket ON DELETE CASCADE);
WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 9)
INSERT INTO ticket SELECT a.n, b.n, 'x' FROM n a, n b WHERE a.n <= 3;
INSERT INTO item (tenant, ticket_no, label) SELECT tenant, no, 'i' FROM ticket;
"""
WRITES = (
    "UPDATE ticket SET title = 'y' WHERE tenant = 1 AND no = 3",
    "UPDATE ticket SET title = 'y' WHERE tenant = 2 AND no = 7",
    "DELETE FROM ticket WHERE tenant = 3 AND no = 5",
    "UPDATE item SET label = 'j' WHERE tenant = 2 AND ticket_no = 4",
)


def _loaded(folder: Path, database: Database[Any], strategies: tuple[str, str]) -> tuple[str, Proposal, Proposal]:
    """The address of the source, and two designs of it; the database is on its way from the first to the second."""
    address = f"sqlite:///{folder / 'source.db'}"
    with closing(sqlite3.connect(folder / "source.db")) as source:
        source.executescript(TABLES)
    old, new = (pipeline.design(pipeline.inspect(address), each) for each in strategies)
    pipeline.load(old, address, database)
    pipeline.migrate(old, new, database, may_lose=["indexes"])
    return address, old, new


@pytest.mark.parametrize("strategies", [("normalized", "embedded"), ("embedded", "normalized")])
def test_rows_that_share_parts_of_a_key(
    database: Database[Any], tmp_path: Path, strategies: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tickets of several tenants change at once: tickets of another tenant with one of their numbers are not read."""
    address, old, new = _loaded(tmp_path, database, strategies)
    store = Store(old, database)
    with closing(sqlite3.connect(tmp_path / "source.db")) as source, source:
        source.execute("PRAGMA foreign_keys = ON")
        for each in WRITES:
            store.execute(each)
            source.execute(each)
    fetched, fetch = Counter[str](), homes.Homes.fetch

    def counted(of: Any, entity: str, *rest: Any) -> Any:
        found = list(fetch(of, entity, *rest))
        fetched[entity] += len(found)
        return iter(found)

    monkeypatch.setattr(homes.Homes, "fetch", counted)
    done = pipeline.migrate(old, new, database, cutover=True, may_lose=["indexes"])
    assert (done.equal, done.phase) == (True, "done")
    assert 0 < fetched["ticket"] <= 6
    compared = pipeline.verify(new, address, database)
    assert compared.equal, compared.differences


def test_a_migration_does_not_advise_to_load_again(
    database: Database[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If rows turn up whose parent was not read, the advice loses nothing: `load --replace` would."""
    _, old, new = _loaded(tmp_path, database, ("normalized", "embedded"))
    store = Store(old, database)
    for each in WRITES:
        store.execute(each)
    monkeypatch.setattr(homes, "_exactly", lambda *_: {})
    with pytest.raises(LoadError, match="run `migrate` again while nothing writes to these collections"):
        pipeline.migrate(old, new, database, may_lose=["indexes"])
