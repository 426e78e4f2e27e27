"""PostgreSQL's `infinity` in dates and moments, as temporal tables have it: compared and sorted beside PostgreSQL."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.executors.write import run_write
from nestling.ir.programs.program import CompiledWrite
from nestling.ir.value_forms.infinite_moments import INFINITE
from nestling.store import Store
from tests.planner.reads.beside_postgresql import Beside, beside, beside_of

TABLES = """
CREATE TABLE contract (id integer PRIMARY KEY, valid_from timestamptz NOT NULL, valid_to timestamptz DEFAULT 'infinity',
    till date, noted timestamp, fine timestamptz);
INSERT INTO contract VALUES
    (1, '2024-01-01Z', 'infinity', 'infinity', '-infinity', 'infinity'),
    (2, '2025-01-01Z', '2025-06-01Z', '9999-12-31', '2025-01-01', '2025-06-01 10:00:00.123456Z'),
    (3, '-infinity', '2023-01-01Z', '2024-02-29', 'infinity', '-infinity'),
    (4, '2025-03-01Z', NULL, NULL, NULL, NULL);
CREATE TABLE far (id integer PRIMARY KEY, seen timestamptz);
INSERT INTO far VALUES (1, 'infinity'), (2, '12024-01-01Z');
CREATE TABLE both_kinds (id integer PRIMARY KEY, born date, till timestamptz);
INSERT INTO both_kinds VALUES (1, '0044-03-15 BC', 'infinity'), (2, '2024-01-01', '2024-01-01Z');
"""
CONDITIONS: tuple[tuple[str, Mapping[str, object]], ...] = tuple(
    (condition, {})
    for condition in (
        "valid_to > now()", "valid_to < now()", "valid_to >= '2025-06-01'", "NOT valid_to < '2025-06-01'",
        "valid_to < '2024-01-01'", "valid_to = 'infinity'", "valid_to <> 'infinity'", "valid_to < 'infinity'",
        "valid_to <= 'infinity'", "valid_from > '-infinity'", "'2025-03-01' BETWEEN valid_from AND valid_to",
        "till > '2025-06-01'", "till > current_date", "till > '9999-12-30'", "till > noted", "noted < till", "noted > valid_to",
        "fine > now()", "fine < '2025-01-01'", "fine > valid_to", "valid_to IN ('infinity', '2023-01-01 00:00:00Z')",
        "coalesce(valid_to, 'infinity') > now()", "valid_from < coalesce(valid_to, 'infinity'::timestamptz)",
        "CASE WHEN id = 4 THEN 'infinity' ELSE valid_to END > now()", "valid_from < valid_to", "(valid_to, id) > (now(), 0)",
        "valid_to > CASE WHEN id > 1 THEN valid_from END",
    )
)  # fmt: skip
GIVEN: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("valid_to > :at", {"at": datetime(2024, 1, 1, tzinfo=UTC)}),
    (":at BETWEEN valid_from AND valid_to", {"at": datetime(2025, 3, 1, tzinfo=UTC)}),
    ("till > :at", {"at": date(2025, 1, 1)}),
    ("fine < :at", {"at": datetime(2025, 1, 1, tzinfo=UTC)}),
)
SORTED = (
    "SELECT id FROM contract ORDER BY valid_to DESC NULLS LAST, id",
    "SELECT id FROM contract ORDER BY valid_to, id",
    "SELECT id FROM contract ORDER BY valid_from LIMIT 1",
    "SELECT id FROM contract ORDER BY till DESC, id",
    "SELECT id FROM contract ORDER BY noted",
    "SELECT id FROM contract ORDER BY fine",
    "SELECT id, rank() OVER (ORDER BY till) FROM contract ORDER BY id",
    "SELECT DISTINCT till FROM contract ORDER BY till DESC",
    "SELECT till, count(*) FROM contract GROUP BY till ORDER BY till DESC",
    "SELECT id, valid_to FROM contract UNION ALL SELECT 9, valid_from FROM contract WHERE id = 3 ORDER BY valid_to, id",
)
GAPS = (
    "SELECT max(valid_to) FROM contract",
    "SELECT greatest(valid_to, now()) FROM contract",
    "SELECT date_trunc('day', valid_to) FROM contract",
    "SELECT extract(year from till) FROM contract",
    "SELECT valid_to - valid_from FROM contract",
    "SELECT till + 1 FROM contract",
    "SELECT till - DATE '2024-01-01' FROM contract",
    "SELECT valid_to + INTERVAL '1 day' FROM contract",
    "SELECT CAST(valid_to AS date) FROM contract",
    "SELECT valid_to AT TIME ZONE 'Europe/Berlin' FROM contract",
    "SELECT noted AT TIME ZONE 'Europe/Berlin' FROM contract",
    "SELECT fine AT TIME ZONE 'Europe/Berlin' FROM contract",
    "SELECT till || '' FROM contract",
    "SELECT id FROM contract WHERE (SELECT c.valid_to FROM contract c WHERE c.id = 1) > now()",
    "SELECT lag(till) OVER (ORDER BY id) FROM contract",
    "SELECT id FROM far ORDER BY seen",
    "SELECT id FROM far WHERE seen > now()",
)


contracts = beside_of(TABLES, scope="module")
"""Contracts of which some have no end."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("condition", "values"), [*CONDITIONS, *GIVEN])
def test_comparisons_are_postgresqls(contracts: Beside, condition: str, values: Mapping[str, object]) -> None:
    """Infinity is later than all others, and minus infinity earlier; NULL is neither."""
    for sql in (f"SELECT id FROM contract WHERE {condition}", f"SELECT id, {condition} AS holds FROM contract"):
        assert Counter(contracts.ours(sql, values)) == Counter(contracts.theirs(sql, values))


@pytest.mark.parametrize("sql", SORTED)
def test_orders_are_postgresqls(contracts: Beside, sql: str) -> None:
    """Behind and before all others, and NULL where it belongs."""
    with contracts.engine.begin() as connection:
        theirs = [row[0] for row in connection.exec_driver_sql(f"SELECT q.{_first(sql)}::text FROM ({sql}) q")]
    assert [None if row[0] is None else str(row[0]) for row in contracts.ours(sql)] == theirs


def _first(sql: str) -> str:
    return sql.removeprefix("SELECT ").removeprefix("DISTINCT ").split(",")[0].split(" ")[0]


@pytest.mark.parametrize("sql", GAPS)
def test_what_is_not_said_of_infinity_is_a_gap(contracts: Beside, sql: str) -> None:
    """A function has no date to work on; years Python and BSON have not are texts in no order."""
    assert "infinite" in contracts.gap(sql) or "also holds text" in contracts.gap(sql)


def test_another_column_is_no_hindrance(contracts: Beside) -> None:
    """A year before Christ in one column says nothing of the moments in another."""
    for sql in ("SELECT id FROM both_kinds WHERE till > '2024-06-01'", "SELECT id FROM both_kinds ORDER BY till DESC"):
        assert contracts.ours(sql) == contracts.theirs(sql)
    assert "`both_kinds.born` also holds text" in contracts.gap("SELECT id FROM both_kinds WHERE born > '2024-06-01'")


@pytest.mark.thorough
def test_infinity_is_stored_where_it_may_be(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """By a default, a constant and another such attribute; elsewhere it is a gap."""
    with beside(postgresql, mongo_client, TABLES) as found:
        for sql in (
            "INSERT INTO contract (id, valid_from) VALUES (7, '2025-01-01 00:00:00Z')",
            "UPDATE contract SET valid_to = 'Infinity', till = '-infinity' WHERE id = 2",
            "UPDATE contract SET valid_to = coalesce(valid_to, 'infinity') WHERE valid_to > now() OR valid_to IS NULL",
            "UPDATE contract SET valid_from = valid_to WHERE valid_from < '-infinity' OR id = 3",
            "INSERT INTO contract (id, valid_from, valid_to) VALUES (8, '2025-01-01 00:00:00Z', 'Infinity')",
            "DELETE FROM contract WHERE valid_to < now()",
        ):
            found.theirs(sql)
            write = pipeline.convert(found.proposal, sql, dialect="postgresql")
            assert isinstance(write, CompiledWrite), write
            run_write(found.database, write)
        report = pipeline.verify(found.proposal, found.url, found.database)
        assert report.equal, report.differences
        later = "INSERT INTO contract (id, valid_from, valid_to) VALUES (9, '2025-01-01 00:00:00Z', :till)"
        assert Store(found.proposal, found.database).execute(later, till=" Infinity").affected == 1
        assert found.database.contract.find_one({"_id": 9}, {"valid_to": 1}) == {"_id": 9, "valid_to": "infinity"}
        assert "infinite" in found.gap("UPDATE far SET seen = 'infinity'")
        assert "infinite" in found.gap("UPDATE contract SET fine = valid_to")


def test_ddl_says_it_by_a_default(tmp_path: Path) -> None:
    """A column without rows whose default is infinity may hold it."""
    (tmp_path / "schema.sql").write_text(
        "CREATE TABLE c (id int PRIMARY KEY, till timestamptz DEFAULT 'infinity'::timestamptz)"
    )
    reading = pipeline.inspect(str(tmp_path / "schema.sql"), dialect="postgresql")
    assert reading.model.entity("c").attribute("till").also == (INFINITE,)


def test_the_reading_notes_it(contracts: Beside) -> None:
    """What else the attribute holds, found in its rows."""
    told = "`contract.valid_to` (timestamptz) also holds enum('-infinity', 'infinity')"
    assert told in contracts.reading.notes
