"""Window functions as `$setWindowFields` beside SQLite's."""

from __future__ import annotations

from typing import Any

import pytest

from nestling.emitters.mql.sql import RenderingGap, window_mql
from nestling.ir.statements import algebra as a
from nestling.planner.sql import translate
from tests.emitters.mql.sql.beside import Fields, plain
from tests.emitters.mql.sql.conftest import Table
from tests.planner.sql.sqlite_oracle import rounded

WINDOWS = (
    "row_number() OVER (ORDER BY id)",
    "row_number() OVER (PARTITION BY b ORDER BY id DESC)",
    "row_number() OVER (PARTITION BY b ORDER BY f DESC, id)",
    "row_number() OVER (ORDER BY s NULLS LAST, id)",
    "rank() OVER (ORDER BY j)",
    "rank() OVER (PARTITION BY b ORDER BY f)",
    "rank() OVER (ORDER BY b, j)",
    "rank() OVER (ORDER BY b, j DESC)",
    "rank() OVER ()",
    "rank() OVER (ORDER BY i DESC NULLS FIRST)",
    "rank() OVER (ORDER BY i NULLS LAST)",
    "dense_rank() OVER (ORDER BY s DESC)",
    "dense_rank() OVER (ORDER BY b, j DESC)",
    "dense_rank() OVER (PARTITION BY d, b ORDER BY x)",
    "percent_rank() OVER (PARTITION BY b ORDER BY j)",
    "percent_rank() OVER (PARTITION BY id ORDER BY j)",
    "cume_dist() OVER (PARTITION BY b ORDER BY j)",
    "cume_dist() OVER (ORDER BY s)",
    "ntile(4) OVER (ORDER BY id)",
    "ntile(200) OVER (ORDER BY id)",
    "ntile(7) OVER (PARTITION BY b ORDER BY id)",
    "lag(i) OVER (ORDER BY id)",
    "lead(s, 2) OVER (PARTITION BY b ORDER BY id)",
    "lag(i, 1, -1) OVER (ORDER BY id)",
    "lag(i, 1, j) OVER (PARTITION BY b ORDER BY id)",
    "sum(i % 100) OVER (ORDER BY id)",
    "sum(j % 100) OVER (ORDER BY b)",
    "sum(i % 100) OVER (PARTITION BY b ORDER BY j)",
    "sum(i % 100) OVER (ORDER BY b DESC, j)",
    "sum(i % 100) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
    "avg(j) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
    "count(*) OVER (PARTITION BY b)",
    "count(i) OVER (ORDER BY j)",
    "min(i) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING)",
    "max(i) OVER (ORDER BY id ROWS 2 PRECEDING)",
    "min(s) OVER (PARTITION BY b ORDER BY id)",
    "max(s) OVER (ORDER BY j)",
    "first_value(s) OVER (PARTITION BY b ORDER BY id)",
    "last_value(i) OVER (ORDER BY id)",
    "last_value(i) OVER (PARTITION BY b ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
    "nth_value(i, 3) OVER (ORDER BY id)",
    "sum(i % 10) OVER ()",
    "count(*) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "count(*) OVER (ORDER BY j GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
    "count(*) OVER (ORDER BY b, j DESC GROUPS 1 PRECEDING)",
    "sum(id) OVER (ORDER BY id RANGE BETWEEN 3 PRECEDING AND 2 FOLLOWING)",
    "sum(i % 9) FILTER (WHERE i > 1) OVER (PARTITION BY b ORDER BY id)",
    "total(i % 10) OVER (ORDER BY id ROWS 1 PRECEDING)",
    "count(*) OVER (ORDER BY s COLLATE NOCASE)",
    "sum(i % 10) OVER (ORDER BY f RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
    "sum(i % 100) OVER (ORDER BY id ROWS BETWEEN 5 PRECEDING AND 3 PRECEDING)",
    "first_value(i) OVER (ORDER BY j, id DESC)",
)


COLUMNS = {"_id", "id", "i", "j", "f", "g", "n", "s", "z", "b", "d", "ts", "x", "y"}


@pytest.mark.parametrize("text", WINDOWS)
def test_windows_are_sqlites(table: Table, text: str) -> None:
    """The value for every row, and no field left behind."""
    oracle, collection = table
    sql = f"SELECT id, {text} AS v FROM t"
    found = list(collection.aggregate([*stages(oracle, sql), {"$sort": {"_id": 1}}]))
    theirs = [rounded(row[1]) for row in oracle.connection.execute(f"{sql} ORDER BY id")]
    assert [rounded(plain(row.get("w"))) for row in found] == theirs
    assert set().union(*found) - COLUMNS == {"w"}


def test_frames_that_cannot_be_said_are_gaps(table: Table) -> None:
    """A distance in values, around a key that may be NULL."""
    with pytest.raises(RenderingGap, match="nestling does not convert this"):
        stages(table[0], "SELECT sum(i) OVER (ORDER BY f RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t")


def test_bytes_have_no_order(table: Table) -> None:
    """MongoDB sorts shorter ones first."""
    with pytest.raises(RenderingGap, match="an order of bytes"):
        stages(table[0], "SELECT max(x'01') OVER () FROM t")


def stages(oracle: Any, sql: str) -> tuple[dict[str, Any], ...]:
    query = translate(sql, oracle.model)
    assert isinstance(query, a.Query)
    relation: Any = query.relation
    while not isinstance(relation, a.Window):
        relation = relation.input
    (function,) = relation.functions
    return window_mql(function.window, "w", Fields())
