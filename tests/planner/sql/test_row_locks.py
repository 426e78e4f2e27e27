"""Reads that lock rows: the same read, with a note. Two transactions lose no change, and claim different rows."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from pymongo.database import Database

from nestling import Store, pipeline
from nestling.ir.programs.compiled import CompiledRead, NotCompiled
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.proposal import Proposal
from nestling.ir.statements.read_locks import ReadLock

_ROWS = """
CREATE TABLE job (id INTEGER PRIMARY KEY, state TEXT NOT NULL, tries INTEGER NOT NULL);
INSERT INTO job VALUES (1, 'new', 0), (2, 'new', 0), (3, 'done', 4), (4, 'new', 0), (5, 'new', 0);
"""
_CLAIM = """UPDATE job SET state = 'taken' WHERE id = (
    SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id"""

_CLAIM_JOINED = """WITH next AS (SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
    UPDATE job SET state = 'taken', tries = tries + 1 FROM next WHERE job.id = next.id RETURNING job.*"""
_CLAIM_FROM = """UPDATE job AS j SET state = 'taken' FROM (
    SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) q WHERE j.id = q.id RETURNING j.id"""
_CLAIM_DELETED = """DELETE FROM job USING (
    SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) q WHERE q.id = job.id RETURNING job.id"""


@pytest.fixture
def proposal(tmp_path: Path, database: Database[Any]) -> Proposal:
    """Jobs, loaded."""
    with closing(sqlite3.connect(tmp_path / "jobs.db")) as connection:
        connection.executescript(_ROWS)
    address = f"sqlite:///{tmp_path / 'jobs.db'}"
    made = pipeline.design(pipeline.inspect(address), "normalized")
    pipeline.load(made, address, database)
    return made


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("dialect", "lock"),
    [
        ("postgresql", "FOR UPDATE"),
        ("postgresql", "FOR NO KEY UPDATE OF job NOWAIT"),
        ("postgresql", "FOR SHARE"),
        ("postgresql", "FOR KEY SHARE"),
        ("mysql", "FOR UPDATE"),
        ("mysql", "FOR UPDATE NOWAIT"),
        ("mysql", "LOCK IN SHARE MODE"),
        ("postgresql", "FOR UPDATE SKIP LOCKED"),
        ("mysql", "FOR UPDATE SKIP LOCKED"),
    ],
)
def test_a_read_that_locks_is_the_read_with_a_note(proposal: Proposal, dialect: str, lock: str) -> None:
    """The same query, and one note."""
    plain = "SELECT id, state FROM job WHERE tries < 3 ORDER BY id LIMIT 2"
    reads = [pipeline.convert(proposal, sql, dialect=dialect) for sql in (plain, f"{plain} {lock}")]
    without, locking = reads
    assert isinstance(without, CompiledRead)
    assert isinstance(locking, CompiledRead)
    assert (locking.filter, locking.sort, locking.limit) == (without.filter, without.sort, without.limit)
    told = ReadLock.SKIPPED if "SKIP" in lock else ReadLock.HELD
    assert [without.notes, locking.notes] == [(), (told.note,)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM (SELECT id FROM job FOR UPDATE) x",
        "SELECT count(*) FROM job WHERE id IN (SELECT id FROM job FOR SHARE)",
    ],
)
def test_a_lock_in_a_subquery_is_noted(proposal: Proposal, sql: str) -> None:
    """Wherever it stands."""
    found = pipeline.convert(proposal, sql, dialect="postgresql")
    assert isinstance(found, CompiledRead)
    assert found.notes == (ReadLock.HELD.note,)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("INSERT INTO job SELECT id + 10, state, tries FROM job FOR UPDATE", "only reads"),
        (_CLAIM_JOINED.replace("RETURNING job.*", "RETURNING *"), "columns of a joined table"),
        (_CLAIM_JOINED.replace("RETURNING job.*", "RETURNING next.id"), "columns of a joined table"),
    ],
)
def test_what_is_a_gap(proposal: Proposal, sql: str, why: str) -> None:
    """It says why."""
    found = pipeline.convert(proposal, sql, dialect="postgresql")
    assert isinstance(found, NotCompiled)
    assert why in found.gap.what


def test_design_notes_it(tmp_path: Path) -> None:
    """A workload with such a read is designed for, and the note names the statement."""
    with closing(sqlite3.connect(tmp_path / "jobs.db")) as connection:
        connection.executescript(_ROWS)
    workload = tmp_path / "workload.sql"
    workload.write_text("-- name: held\n-- rate: 5/s\nSELECT state FROM job WHERE id = :id FOR UPDATE;\n")
    reading = pipeline.inspect(f"sqlite:///{tmp_path / 'jobs.db'}", workload=workload, dialect="postgresql")
    made = pipeline.with_unconverted(pipeline.design(reading, "optimal"), reading)
    assert f"`held`: {ReadLock.HELD.note}" in made.notes
    assert not made.gaps


def test_no_change_is_lost(proposal: Proposal, database: Database[Any]) -> None:
    """Two transactions read a row FOR UPDATE, both before either writes: each counts on what the other left."""
    store, both_have_read = Store(proposal, database, dialect="postgresql"), Barrier(2)
    calls = []

    def work(transaction: Any) -> None:
        (row,) = transaction.execute("SELECT tries FROM job WHERE id = :id FOR UPDATE", id=1)
        calls.append(row["tries"])
        if len(calls) <= 2:
            both_have_read.wait(timeout=20)
        transaction.execute("UPDATE job SET tries = :tries WHERE id = :id", id=1, tries=row["tries"] + 1)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(store.transaction, work) for _ in range(2)]:
            done.result(timeout=60)
    assert [*store.execute("SELECT tries FROM job WHERE id = 1")] == [{"tries": 2}]
    assert len(calls) == 3


@pytest.mark.one_in(2)
@pytest.mark.parametrize("claim", [_CLAIM, _CLAIM_JOINED, _CLAIM_FROM, _CLAIM_DELETED])
def test_each_job_is_claimed_once(proposal: Proposal, database: Database[Any], claim: str) -> None:
    """SKIP LOCKED in a write that changes what it reads: two that meet take different rows."""
    assert isinstance(pipeline.convert(proposal, claim, dialect="postgresql"), CompiledWrite)
    store = Store(proposal, database, dialect="postgresql")
    with ThreadPoolExecutor(4) as pool:
        found = [each.result(timeout=60) for each in [pool.submit(store.execute, claim) for _ in range(5)]]
    assert sorted(str(row["id"]) for rows in found for row in rows) == ["1", "2", "4", "5"]


def test_a_transaction_claims_what_it_reads(proposal: Proposal, database: Database[Any]) -> None:
    """Two that read by SKIP LOCKED before either writes: one begins anew, and each has a job of its own."""
    store, both_have_read = Store(proposal, database, dialect="postgresql"), Barrier(2)
    reads = []

    def work(transaction: Any) -> int:
        next_one = "SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
        (row,) = transaction.execute(next_one)
        reads.append(row["id"])
        if len(reads) <= 2:
            both_have_read.wait(timeout=20)
        transaction.execute("UPDATE job SET state = 'taken' WHERE id = :id", id=row["id"])
        return int(row["id"])

    with ThreadPoolExecutor(2) as pool:
        found = [each.result(timeout=60) for each in [pool.submit(store.transaction, work) for _ in range(2)]]
    assert sorted(found) == [1, 2]
    assert (reads[:2], {*reads}) == ([1, 1], {1, 2})
