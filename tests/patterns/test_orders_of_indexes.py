"""An index has its entries in one order: it serves what is asked in that order, or the other way round, and nothing else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead, bind
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.text import read_reading, write_reading
from nestling.sources.ddl import read_ddl
from nestling.sources.statements import parse_workload

PAGE = "SELECT id, body FROM event WHERE account = :a AND at < :t ORDER BY at DESC, seq DESC LIMIT 20"
LISTED = "SELECT id, body FROM event WHERE account IN (3, 4, 5) ORDER BY account DESC, seq LIMIT 20"
MERGED = "SELECT id, body FROM event WHERE account IN (3, 4, 5) ORDER BY seq LIMIT 20"
VALUES = {"a": 3, "t": 1_000}


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six thousand events of ten accounts."""
    path = tmp_path_factory.mktemp("events") / "events.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE event (id INTEGER PRIMARY KEY, account INT NOT NULL, at INT NOT NULL, seq INT NOT NULL, body TEXT)"
        )
        rows = ((n, n % 10, n // 3, n * 7 % 6_000, f"event {n} " * 9) for n in range(6_000))
        connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?)", rows)
    return path


def designed(reading: Reading, sql: str, dialect: str = "sqlite") -> Proposal:
    """The design for that statement, fifty times a second."""
    workload, gaps = parse_workload(f"-- name: s, rate: 50/s\n{sql}", reading.model, dialect, "w.sql")
    assert gaps == ()
    return pipeline.design(replace(reading, workload=workload))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("sql", "keys"),
    [
        (PAGE, ("account", "-at", "-seq")),
        (LISTED, ("-account", "seq")),
        (MERGED, ("account", "seq")),
    ],
    ids=["page", "listed", "merged"],
)
def test_a_page_reads_its_rows_alone(
    sql: str, keys: tuple[str, ...], events: Path, database: Database[dict[str, Any]]
) -> None:
    """Also where a range is asked of what orders the rows, and where several values are, in their order or not."""
    proposal = designed(pipeline.inspect(events), sql)
    found = {tuple(f"-{path}" if way < 0 else path for path, way in each.keys) for each in proposal.design.indexes}
    assert keys in {each[: len(keys)] for each in found}
    pipeline.load(proposal, events, database)
    read = pipeline.convert(proposal, sql)
    assert isinstance(read, CompiledRead)
    bound = bind(read, {name: VALUES[name] for name in read.parameters})
    with closing(sqlite3.connect(events)) as connection:
        assert [*map(tuple, run_read(database, bound))] == connection.execute(sql, VALUES).fetchall()
    asked = {"find": bound.collection, "filter": bound.filter, "sort": dict(bound.sort), "limit": 20}
    told = database.command("explain", asked, verbosity="executionStats")["executionStats"]
    assert told["totalDocsExamined"] <= 22


DDL = "CREATE TABLE event (id int PRIMARY KEY, account int NOT NULL, at int{}, body text NOT NULL);"
ORDERED = "SELECT body FROM event WHERE account = :a{} ORDER BY at{} LIMIT 20"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("null", "more", "order", "is_served"),
    [
        ("", "", " DESC", False),
        ("", "", "", False),
        ("", "", " DESC NULLS LAST", True),
        ("", "", " NULLS FIRST", True),
        ("", " AND at IS NOT NULL", " DESC", True),
        ("", " AND at < :t", " DESC, id DESC", True),
        ("", " AND at IN (:t, :u)", "", True),
        ("", " AND (at > :t OR body LIKE :b)", "", False),
        (" NOT NULL", "", " DESC", True),
        (" NOT NULL", "", "", True),
    ],
)
def test_nulls_have_a_place_in_an_order(null: str, more: str, order: str, is_served: bool) -> None:
    """PostgreSQL has NULLs where no index of the server has them: such an index serves only where there are none."""
    reading = read_ddl(DDL.format(null), "m", dialect="postgresql")
    proposal = designed(reading, ORDERED.format(more, order), "postgresql")
    assert any({"account", "at"} <= {path for path, _ in each.keys} for each in proposal.design.indexes) is is_served
    told = [note for note in proposal.notes if note.startswith("no index provides the order of `s` (`at` of `event`)")]
    assert bool(told) is not is_served


def test_a_model_file_keeps_where_an_order_ends() -> None:
    """What is designed from it is designed and told alike."""
    reading = read_ddl(DDL.format(""), "m", dialect="postgresql")
    sql = "SELECT body FROM event ORDER BY account, at DESC, id LIMIT 20"
    workload, _ = parse_workload(f"-- name: s, rate: 50/s\n{sql}", reading.model, "postgresql", "w.sql")
    (access,) = workload.statements[0].accesses
    assert (access.sort, access.unsorted) == (("account",), "at")
    assert read_reading(write_reading(replace(reading, workload=workload)), "m.yaml").workload == workload
